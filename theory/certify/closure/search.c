#include "theory/certify/closure/search.h"
#include "numeric/base/mem.h"
#include <assert.h>
#include <string.h>

#define EDGES_PER_POLL 64

static f2l_status check_face_letters(const f2l_face *face, const f2l_fsa *fsa, f2l_error *err)
{
    if (face->classes && face->classes->of)
        return f2l_fail(err, F2L_EDOMAIN, "the network's letters are not merged by class");
    if (face->letters->count != fsa->letters.count)
        return f2l_fail(err, F2L_EDOMAIN, "the network has %zu letters, the automaton %zu",
                        face->letters->count, fsa->letters.count);
    for (size_t a = 0; a < fsa->letters.count; a++)
        if (strcmp(f2l_names_get(face->letters, a), f2l_names_get(&fsa->letters, a)) != 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "letter %zu is \"%.100s\" in the network, \"%.100s\" in the "
                            "automaton",
                            a + 1, f2l_names_get(face->letters, a),
                            f2l_names_get(&fsa->letters, a));
    return F2L_OK;
}

static uint32_t index_of(const f2l_face *face, const char *label)
{
    const size_t index = f2l_names_find(face->labels, label, strlen(label));
    return index == F2L_NO_INDEX ? F2L_NO_SYMBOL : (uint32_t)index;
}

f2l_status f2l_face_expect(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa,
                           f2l_error *err)
{
    const f2l_status status = f2l_fsa_check_label(fsa, face->label, err);
    return status == F2L_OK ? f2l_face_expect_any(expected, face, fsa, err) : status;
}

f2l_status f2l_face_expect_any(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa,
                               f2l_error *err)
{
    const size_t letters = fsa->letters.count, states = fsa->states.count;
    const bool edges = face->label == F2L_LABEL_EDGES;
    f2l_status status = check_face_letters(face, fsa, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(fsa, face->label, err);
    if (status != F2L_OK) return status;
    *expected = f2l_calloc(edges ? states * letters : states, sizeof **expected);
    if (!*expected) return f2l_fail_memory(err);
    for (size_t e = 0; edges && e < states * letters; e++)
        (*expected)[e] =
            index_of(face, f2l_fsa_edge_label(fsa, face->label, e / letters, e % letters));
    for (size_t q = 0; !edges && q < states; q++)
        (*expected)[q] = index_of(face, f2l_fsa_label(fsa, face->label, q));
    return F2L_OK;
}

f2l_status f2l_search_init(f2l_search *search, const f2l_face *face, const f2l_fsa *fsa,
                           const f2l_machine *machine, size_t max_rows, bool keep_next,
                           const f2l_task *task, const char *phase, f2l_error *err)
{
    *search =
        (f2l_search){.face = *face, .fsa = fsa, .machine = machine, .task = task, .phase = phase};
    search->keep_next = keep_next;
    if (task) search->polled = *task;
    search->polled.effort = NULL;
    f2l_status status = f2l_face_expect_any(&search->expected, face, fsa, err);
    if (status != F2L_OK) return status;
    status =
        f2l_task_spend(task, phase, f2l_steps_of(fsa->states.count, 20 + fsa->letters.count), err);
    if (status != F2L_OK) {
        f2l_free(search->expected);
        return status;
    }
    const size_t states = fsa->states.count,
                 width = machine->width + f2l_pairs_width_of(states - 1);
    f2l_pairs_init(&search->pairs, width, max_rows);
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
    return (size_t)f2l_pairs_take(f2l_pairs_get(&search->pairs, row) + at,
                                  search->pairs.width - at);
}

static void put_automaton_state(f2l_search *search, size_t state)
{
    const size_t at = search->machine->width;
    f2l_pairs_put(search->row + at, search->pairs.width - at, state);
}

/* Copies the part of the text that fits, cut between characters. */
static void copy_text_that_fits(char *out, size_t capacity, const char *text)
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
    copy_text_that_fits(out->reason, sizeof out->reason, why->text);
    return F2L_OK;
}

/* Sets *leads to whether the letter leads from the loaded row, whose state is given, to the row of
 * that number. */
static f2l_status letter_leads_to(f2l_search *search, size_t state, size_t letter, size_t row,
                                  bool *leads, f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    void *context = machine->context[0];
    bool more = false;
    *leads = false;
    if (machine->restart) machine->restart(context);
    put_automaton_state(search, search->fsa->next[state * search->fsa->letters.count + letter]);
    do {
        uint32_t label;
        f2l_status status = machine->step(context, letter, search->row, &label, err);
        if (status != F2L_OK) return status;
        if (label != F2L_NO_SYMBOL)
            *leads =
                memcmp(search->row, f2l_pairs_get(&search->pairs, row), search->pairs.width) == 0;
        if (machine->restart && !*leads) status = machine->more(context, &more, err);
        if (status != F2L_OK) return status;
    } while (more && !*leads);
    return F2L_OK;
}

/* Appends the bits of the last step. */
static void keep_choices(const f2l_search *search, f2l_buf *choices)
{
    if (!search->machine->taken) return;
    if (choices->size > 0) f2l_buf_text(choices, " ");
    search->machine->taken(search->machine->context[0], choices);
}

/* Steps again from the row by the letter, to the outcome with the wrong label. */
static f2l_status step_wrongly(f2l_search *search, size_t row, size_t letter, uint32_t wrong,
                               f2l_buf *choices, f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    void *context = machine->context[0];
    bool more = false;
    if (!machine->taken) return F2L_OK;
    machine->load(context, f2l_pairs_get(&search->pairs, row));
    machine->restart(context);
    do {
        uint32_t label;
        f2l_status status = machine->step(context, letter, search->row, &label, err);
        if (status == F2L_OK && label == wrong) {
            keep_choices(search, choices);
            return F2L_OK;
        }
        if (status == F2L_OK) status = machine->more(context, &more, err);
        if (status != F2L_OK) return status;
    } while (more);
    return F2L_OK;
}

/* Finds the letters along a path of rows. They are not stored: the letter between two rows is the
 * first that leads from one to the other. */
static f2l_status spell_row_path(f2l_search *search, const uint32_t *path, size_t length,
                                 uint32_t *word, f2l_buf *choices, f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    for (size_t i = 0; i + 1 < length; i++) {
        machine->load(machine->context[0], f2l_pairs_get(&search->pairs, path[i]));
        const size_t state = f2l_search_state(search, path[i]);
        bool leads = false;
        for (size_t a = 0; !leads; a++) {
            assert(a < search->fsa->letters.count);
            f2l_status status = letter_leads_to(search, state, a, path[i + 1], &leads, err);
            if (status != F2L_OK) return status;
            word[i] = (uint32_t)a;
        }
        keep_choices(search, choices);
    }
    return F2L_OK;
}

static void say_labels(const f2l_search *search, f2l_closure *out, const char *owed, uint32_t label)
{
    copy_text_that_fits(out->expected, sizeof out->expected, owed);
    const char *got =
        label == F2L_NO_SYMBOL ? "no code" : f2l_names_get(search->face.labels, label);
    copy_text_that_fits(out->got, sizeof out->got, got);
    out->uncoded = label == F2L_NO_SYMBOL;
}

/* Refutes: the label after `letter` from `row` is wrong. Rows are expanded in order of their
 * distance from the start, so no shorter word fails. */
static f2l_status refute_label(f2l_search *search, f2l_closure *out, size_t row, size_t letter,
                               uint32_t label, f2l_error *err)
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
    f2l_buf choices;
    f2l_buf_init(&choices);
    status = spell_row_path(search, path, length, word, &choices, err);
    if (status == F2L_OK) status = step_wrongly(search, row, letter, label, &choices, err);
    if (status == F2L_OK) status = f2l_buf_status(&choices, err);
    f2l_free(path);
    if (status == F2L_OK && choices.size > 0)
        out->choices = choices.data;
    else
        f2l_buf_clear(&choices);
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
    say_labels(search, out, f2l_fsa_edge_label(search->fsa, search->face.label, state, letter),
               label);
    return F2L_OK;
}

f2l_status f2l_search_grow_next(f2l_search *search, size_t rows, f2l_error *err)
{
    const size_t letters = search->fsa->letters.count;
    size_t entries, bytes;
    if (!f2l_mul_size(&entries, rows, letters)) return f2l_fail_memory(err);
    if (entries <= search->next_capacity) return F2L_OK;
    if (!f2l_add_size(&entries, entries, entries / 2) ||
        !f2l_mul_size(&bytes, entries, sizeof *search->next))
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

f2l_status f2l_search_poll(const f2l_search *search, size_t done, f2l_error *err)
{
    return f2l_task_poll(&search->polled, search->phase, (double)done, (double)search->total, err);
}

f2l_status f2l_search_count_work(f2l_search *search, f2l_error *err)
{
    if (!search->machine->work) return F2L_OK;
    const uint64_t work = search->machine->work(search->machine->context[0]), before = search->work;
    search->work = work;
    return f2l_task_spend(search->task, search->phase, work - before, err);
}

/* Steps of an edge: its step, and the look-up. */
#define EDGE_STEPS 8

f2l_status f2l_search_arrive(f2l_search *search, f2l_closure *out, const unsigned char *row,
                             uint64_t hash, uint32_t label, size_t *found, f2l_error *err)
{
    const size_t state = f2l_search_state(search, search->expanding);
    f2l_status status =
        f2l_task_spend(search->task, search->phase, EDGE_STEPS + search->machine->steps, err);
    if (status != F2L_OK) return status;
    if (label == F2L_NO_SYMBOL || label != f2l_search_owed(search, state, search->letter))
        return refute_label(search, out, search->expanding, search->letter, label, err);
    return f2l_pairs_add_hashed(&search->pairs, row, hash, found, search->task, search->phase, err);
}

f2l_status f2l_search_advance(f2l_search *search, size_t found, f2l_error *err)
{
    const size_t letters = search->fsa->letters.count;
    if (search->keep_next) {
        f2l_status status =
            search->letter == 0
                ? f2l_task_spend(search->task, search->phase, letters * sizeof *search->next, err)
                : F2L_OK;
        if (status == F2L_OK && search->letter == 0)
            status = f2l_search_grow_next(search, search->expanding + 1, err);
        if (status != F2L_OK) return status;
        search->next[search->expanding * letters + search->letter] = (uint32_t)found;
    }
    if (++search->letter < letters) return F2L_OK;
    const size_t count = search->pairs.count, children = count - search->first_child;
    f2l_status status = f2l_pairs_set_children(&search->pairs, search->expanding, children, err);
    search->first_child = count;
    search->letter = 0;
    search->expanding++;
    return status;
}

/* Steps all outcomes of the next edge. */
static f2l_status expand_relation(f2l_search *search, f2l_closure *out, size_t *steps,
                                  f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    void *context = machine->context[0];
    const size_t state = f2l_search_state(search, search->expanding);
    const size_t target = search->fsa->next[state * search->fsa->letters.count + search->letter];
    bool more = true;
    size_t found = 0;
    machine->restart(context);
    while (more) {
        uint32_t label;
        f2l_status status = F2L_OK;
        if (++*steps % EDGES_PER_POLL == 0)
            status = f2l_search_poll(search, search->expanding, err);
        if (status == F2L_OK)
            status = machine->step(context, search->letter, search->row, &label, err);
        if (status != F2L_OK) return status;
        put_automaton_state(search, target);
        const uint64_t hash = f2l_pairs_hash(search->row, search->pairs.width);
        status = f2l_search_arrive(search, out, search->row, hash, label, &found, err);
        if (status != F2L_OK || out->verdict != F2L_OK) return status;
        status = machine->more(context, &more, err);
        if (status != F2L_OK) return status;
    }
    return f2l_search_advance(search, found, err);
}

static f2l_status expand_relations(f2l_search *search, f2l_closure *out, f2l_error *err)
{
    const f2l_machine *machine = search->machine;
    size_t steps = 0;
    f2l_status status = F2L_OK;
    while (status == F2L_OK && out->verdict == F2L_OK && search->expanding < search->pairs.count) {
        /* Loaded each time: the verdict on the letter before may have loaded another row. */
        machine->load(machine->context[0], f2l_pairs_get(&search->pairs, search->expanding));
        status = expand_relation(search, out, &steps, err);
        if (status == F2L_OK) f2l_search_save(search, false);
    }
    return status;
}

static f2l_status search_from(f2l_search *search, f2l_closure *out, const unsigned char *start,
                              f2l_error *err)
{
    size_t row;
    memcpy(search->row, start, search->machine->width);
    put_automaton_state(search, search->fsa->start);
    /* Polled at least once: a cancelled task must not yield a verdict, however small the
     * automaton. */
    f2l_status status = f2l_search_poll(search, 0, err);
    if (status == F2L_OK && search->saving) status = f2l_search_load(search, search->row, err);
    if (status == F2L_OK && search->pairs.count == 0) {
        status = f2l_pairs_add(&search->pairs, search->row, &row, search->task, search->phase, err);
        search->first_child = search->pairs.count;
    }
    out->verdict = F2L_OK;
    if (status != F2L_OK || search->fsa->letters.count == 0) return status;
    return search->machine->restart ? expand_relations(search, out, err)
                                    : f2l_search_blocks(search, out, err);
}

f2l_status f2l_search_give_up(f2l_search *search, f2l_closure *out, const f2l_error *why)
{
    f2l_saving *saving = search->saving;
    f2l_status status = f2l_search_unknown(out, search->pairs.count, why);
    if (!saving) return status;
    f2l_search_save(search, true);
    f2l_error more = {0};
    if (saving->failure[0])
        (void)f2l_fail(&more, F2L_UNKNOWN, "%s; not saved: %s", why->text, saving->failure);
    else if (saving->saved)
        (void)f2l_fail(&more, F2L_UNKNOWN, "%s; saved in %s", why->text, saving->path);
    return more.text[0] ? f2l_search_unknown(out, search->pairs.count, &more) : status;
}

f2l_status f2l_search_run(f2l_search *search, f2l_closure *out, const unsigned char *start,
                          f2l_error *err)
{
    const f2l_fsa *fsa = search->fsa;
    if (search->face.label != F2L_LABEL_EDGES &&
        search->face.start != search->expected[fsa->start]) {
        out->verdict = F2L_REFUTED;
        say_labels(search, out, f2l_fsa_label(fsa, search->face.label, fsa->start),
                   (uint32_t)search->face.start);
        return F2L_OK;
    }
    f2l_error why = {0};
    f2l_status status = search_from(search, out, start, &why);
    if (status == F2L_UNKNOWN) return f2l_search_give_up(search, out, &why);
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    out->rows = search->pairs.count;
    return F2L_OK;
}
