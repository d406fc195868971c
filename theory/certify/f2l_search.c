#include "f2l_mem.h"
#include "f2l_search_impl.h"
#include <assert.h>
#include <string.h>

/* An edge may take a millisecond (thousands of coordinates), and a poll far less than any edge. */
#define EDGES_PER_POLL 64

static f2l_status check_letters(const f2l_face *face, const f2l_fsa *fsa, f2l_error *err)
{
    if (face->letters->count != fsa->letters.count)
        return f2l_fail(err, F2L_EDOMAIN, "the network has %zu letters, the automaton %zu",
                        face->letters->count, fsa->letters.count);
    for (size_t a = 0; a < fsa->letters.count; a++)
        if (strcmp(f2l_names_get(face->letters, a), f2l_names_get(&fsa->letters, a)) != 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "letter %zu is \"%.100s\" in the network, \"%.100s\" in the automaton", a + 1,
                            f2l_names_get(face->letters, a), f2l_names_get(&fsa->letters, a));
    return F2L_OK;
}

f2l_status f2l_face_expect(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_status status = check_letters(face, fsa, err);
    if (status == F2L_OK) status = f2l_fsa_check_label(fsa, face->label, err);
    if (status != F2L_OK) return status;
    const size_t states = fsa->states.count;
    *expected = f2l_calloc(states, sizeof **expected);
    if (!*expected) return f2l_fail_memory(err);
    for (size_t q = 0; q < states; q++) {
        const char *label = f2l_fsa_label(fsa, face->label, q);
        const size_t index = f2l_names_find(face->labels, label, strlen(label));
        (*expected)[q] = index == F2L_NO_INDEX ? F2L_NO_SYMBOL : (uint32_t)index;
    }
    return F2L_OK;
}

f2l_status f2l_search_init(f2l_search *search, const f2l_face *face, const f2l_fsa *fsa,
                           const f2l_machine *machine, size_t max_rows, bool keep_next, const f2l_task *task,
                           const char *phase, f2l_error *err)
{
    *search = (f2l_search){.face = *face, .fsa = fsa, .machine = machine, .task = task, .phase = phase};
    search->keep_next = keep_next;
    f2l_status status = f2l_face_expect(&search->expected, face, fsa, err);
    if (status != F2L_OK) return status;
    const size_t states = fsa->states.count, width = machine->width + f2l_pairs_width_of(states - 1);
    f2l_pairs_init(&search->pairs, width, fsa->letters.count, max_rows);
    search->row = f2l_calloc(width, 1);
    if (search->row) return F2L_OK;
    f2l_search_clear(search);
    return f2l_fail_memory(err);
}

void f2l_search_clear(f2l_search *search)
{
    f2l_pairs_clear(&search->pairs);
    f2l_free(search->expected);
    f2l_free(search->next);
    f2l_free(search->row);
    *search = (f2l_search){0};
}

size_t f2l_search_state(const f2l_search *search, size_t row)
{
    const size_t at = search->machine->width;
    return (size_t)f2l_pairs_take(f2l_pairs_get(&search->pairs, row) + at, search->pairs.width - at);
}

static void put_state(f2l_search *search, size_t state)
{
    const size_t at = search->machine->width;
    f2l_pairs_put(search->row + at, search->pairs.width - at, state);
}

/* Copies text that fits, cut between characters. */
static void copy_text(char *out, size_t capacity, const char *text)
{
    size_t n = strlen(text);
    if (n >= capacity) {
        n = capacity - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
    }
    memcpy(out, text, n);
    out[n] = '\0';
}

f2l_status f2l_search_unknown(f2l_closure *out, size_t rows, const f2l_error *why)
{
    out->verdict = F2L_UNKNOWN;
    out->rows = rows;
    copy_text(out->reason, sizeof out->reason, why->text);
    return F2L_OK;
}

/* The letters along a path of rows. Not stored: the letter between two rows is the first that leads from one
 * to the other. */
static f2l_status spell(f2l_search *search, const uint32_t *path, size_t length, uint32_t *word,
                        f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    const size_t letters = search->fsa->letters.count;
    for (size_t i = 0; i + 1 < length; i++) {
        machine->load(machine->context, f2l_pairs_get(&search->pairs, path[i]));
        const size_t state = f2l_search_state(search, path[i]);
        size_t a = 0;
        for (;; a++) {
            uint32_t label;
            assert(a < letters);
            f2l_status status = machine->step(machine->context, a, search->row, &label, err);
            if (status != F2L_OK) return status;
            put_state(search, search->fsa->next[state * letters + a]);
            if (memcmp(search->row, f2l_pairs_get(&search->pairs, path[i + 1]), search->pairs.width) == 0)
                break;
        }
        word[i] = (uint32_t)a;
    }
    return F2L_OK;
}

static void say_labels(const f2l_search *search, f2l_closure *out, size_t state, uint32_t label)
{
    copy_text(out->expected, sizeof out->expected, f2l_fsa_label(search->fsa, search->face.label, state));
    const char *got = label == F2L_NO_SYMBOL ? "no code" : f2l_names_get(search->face.labels, label);
    copy_text(out->got, sizeof out->got, got);
}

/* The label after `letter` from `row` is wrong. Rows are expanded in order of their distance from the start,
 * so no shorter word fails. */
static f2l_status refute(f2l_search *search, f2l_closure *out, size_t row, size_t letter, uint32_t label,
                         f2l_error *err)
{
    uint32_t *path;
    size_t length;
    f2l_status status = f2l_pairs_path(&search->pairs, row, &path, &length, err);
    if (status != F2L_OK) return status;
    uint32_t *word = f2l_calloc(length, sizeof *word);
    if (!word) {
        f2l_free(path);
        return f2l_fail_memory(err);
    }
    status = spell(search, path, length, word, err);
    f2l_free(path);
    if (status != F2L_OK) {
        f2l_free(word);
        return status;
    }
    word[length - 1] = (uint32_t)letter;
    out->verdict = F2L_REFUTED;
    out->rows = search->pairs.count;
    out->word = word;
    out->word_length = length;
    const size_t state = f2l_search_state(search, row);
    say_labels(search, out, search->fsa->next[state * search->fsa->letters.count + letter], label);
    return F2L_OK;
}

/* Room for the edges of one more row. */
static f2l_status grow_next(f2l_search *search, size_t rows, f2l_error *err)
{
    const size_t letters = search->fsa->letters.count;
    size_t entries, bytes;
    if (!f2l_mul_size(&entries, rows, letters)) return f2l_fail_memory(err);
    if (entries <= search->next_capacity) return F2L_OK;
    if (!f2l_add_size(&entries, entries, entries / 2) || !f2l_mul_size(&bytes, entries, sizeof *search->next))
        return f2l_fail_memory(err);
    f2l_status status =
        f2l_task_memory(search->task, search->phase, f2l_pairs_bytes(&search->pairs) + bytes, err);
    if (status != F2L_OK) return status;
    uint32_t *next = f2l_realloc(search->next, entries, sizeof *next);
    if (!next) return f2l_fail_memory(err);
    search->next = next;
    search->next_capacity = entries;
    search->pairs.other_bytes = bytes;
    return F2L_OK;
}

/* All edges of one row; sets out->verdict to F2L_REFUTED on a wrong label. */
static f2l_status expand(f2l_search *search, f2l_closure *out, size_t row, size_t *edges, f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    const f2l_fsa *fsa = search->fsa;
    const size_t letters = fsa->letters.count, before = search->pairs.count;
    const size_t state = f2l_search_state(search, row);
    f2l_status status = search->keep_next ? grow_next(search, row + 1, err) : F2L_OK;
    if (status != F2L_OK) return status;
    machine->load(machine->context, f2l_pairs_get(&search->pairs, row));
    for (size_t a = 0; a < letters; a++) {
        if (++*edges % EDGES_PER_POLL == 0)
            status = f2l_task_poll(search->task, search->phase, (double)row, 0, err);
        if (status != F2L_OK) return status;
        uint32_t label;
        size_t found;
        status = machine->step(machine->context, a, search->row, &label, err);
        if (status != F2L_OK) return status;
        const size_t target = fsa->next[state * letters + a];
        if (label == F2L_NO_SYMBOL || label != search->expected[target])
            return refute(search, out, row, a, label, err);
        put_state(search, target);
        status = f2l_pairs_add(&search->pairs, search->row, &found, search->task, search->phase, err);
        if (status != F2L_OK) return status;
        if (search->keep_next) search->next[row * letters + a] = (uint32_t)found;
    }
    f2l_pairs_set_children(&search->pairs, row, search->pairs.count - before);
    return F2L_OK;
}

f2l_status f2l_search_run(f2l_search *search, f2l_closure *out, const unsigned char *start, f2l_error *err)
{
    const f2l_fsa *fsa = search->fsa;
    if (search->face.start != search->expected[fsa->start]) {
        out->verdict = F2L_REFUTED;
        say_labels(search, out, fsa->start, (uint32_t)search->face.start);
        return F2L_OK;
    }
    size_t row, edges = 0;
    f2l_error why = {0};
    memcpy(search->row, start, search->machine->width);
    put_state(search, fsa->start);
    /* Polled once at least: a cancelled task must not yield a verdict, however small the automaton. */
    f2l_status status = f2l_task_poll(search->task, search->phase, 0, 0, &why);
    if (status == F2L_OK)
        status = f2l_pairs_add(&search->pairs, search->row, &row, search->task, search->phase, &why);
    out->verdict = F2L_OK;
    for (row = 0; status == F2L_OK && out->verdict == F2L_OK && row < search->pairs.count; row++)
        status = expand(search, out, row, &edges, &why);
    if (status == F2L_UNKNOWN) return f2l_search_unknown(out, search->pairs.count, &why);
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    out->rows = search->pairs.count;
    return F2L_OK;
}
