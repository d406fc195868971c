/* Regular expressions: parsed here (automata/import/regex_parse.c), compiled to a nondeterministic
 * automaton by libfa, then made deterministic and minimal here, where the work can be bounded. */
#include "automata/import/impl.h"

#ifndef F2L_HAVE_LIBFA

f2l_status f2l_import_regex(f2l_nfa *out, const char *regex, const char *alphabet, f2l_error *err)
{
    (void)out;
    (void)regex;
    (void)alphabet;
    return f2l_fail(
        err, F2L_EDOMAIN,
        "regular expressions need libfa (Debian: libaugeas-dev), and this program was built "
        "without it");
}

#else

#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <fa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the subset construction: deterministic states, and states looked at plus 32-bit words
 * combined. */
#define MAX_STATES 50000
#define MAX_WORK ((size_t)200000000)

/* libfa's automaton as sets of states: row (state, letter) of `next` is the set of its
 * successors. */
typedef struct sets {
    size_t states, letters, words; /* words: of one set */
    uint32_t *next, *accepting;
    size_t work;
} sets;

typedef struct numbered {
    const struct state *state;
    size_t number;
} numbered;

static int by_address(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return (x->state > y->state) - (x->state < y->state);
}

static void include(uint32_t *set, size_t member)
{
    set[member / 32] |= (uint32_t)1 << member % 32;
}

/* Returns the letter of a byte, or F2L_NO_INDEX. */
static void letter_of_bytes(size_t letter[256], size_t letters)
{
    for (size_t i = 0; i < 256; i++) letter[i] = F2L_NO_INDEX;
    for (size_t i = 0; i < letters; i++) letter[f2l_regex_byte(i)] = i;
}

static void fill(sets *s, struct fa *fa, const numbered *order, const size_t *letter)
{
    size_t from = 0;
    for (struct state *q = fa_state_initial(fa); q != NULL; q = fa_state_next(q), from++) {
        if (fa_state_is_accepting(q)) include(s->accepting, from);
        for (size_t i = 0; i < fa_state_num_trans(q); i++) {
            struct state *target;
            unsigned char least, most;
            if (fa_state_trans(q, i, &target, &least, &most) != 0) continue;
            numbered key = {target, 0};
            const numbered *to = bsearch(&key, order, s->states, sizeof key, by_address);
            for (unsigned c = least; c <= most && to != NULL; c++)
                if (letter[c] != F2L_NO_INDEX)
                    include(s->next + (from * s->letters + letter[c]) * s->words, to->number);
        }
    }
}

/* Copies libfa's automaton; its initial state, the first in its list, becomes state 0. */
static f2l_status copy_automaton(sets *s, struct fa *fa, f2l_error *err)
{
    for (struct state *q = fa_state_initial(fa); q != NULL; q = fa_state_next(q)) s->states++;
    s->words = (s->states + 31) / 32;
    size_t rows, entries, letter[256];
    if (!f2l_mul_size(&rows, s->states, s->letters) || !f2l_mul_size(&entries, rows, s->words))
        return f2l_fail_memory(err);
    numbered *order = f2l_calloc(s->states, sizeof *order);
    s->next = f2l_calloc(entries, sizeof *s->next);
    s->accepting = f2l_calloc(s->words, sizeof *s->accepting);
    f2l_status status = F2L_OK;
    if (order == NULL || s->next == NULL || s->accepting == NULL) {
        status = f2l_fail_memory(err);
    } else {
        size_t i = 0;
        for (struct state *q = fa_state_initial(fa); q != NULL; q = fa_state_next(q), i++)
            order[i] = (numbered){q, i};
        qsort(order, s->states, sizeof *order, by_address);
        letter_of_bytes(letter, s->letters);
        fill(s, fa, order, letter);
    }
    f2l_free(order);
    return status;
}

/* Sets image to the union of the successors of the members of `set`. */
static void successors(sets *s, uint32_t *image, const uint32_t *set, size_t letter)
{
    memset(image, 0, s->words * sizeof *image);
    s->work += s->states;
    for (size_t q = 0; q < s->states; q++) {
        if (!(set[q / 32] >> q % 32 & 1)) continue;
        const uint32_t *row = s->next + (q * s->letters + letter) * s->words;
        for (size_t w = 0; w < s->words; w++) image[w] |= row[w];
        s->work += s->words;
    }
}

static bool meets(const uint32_t *a, const uint32_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] & b[w]) return true;
    return false;
}

/* Names, accepts and registers subset `index` as a state of the deterministic automaton. */
static f2l_status add_subset(f2l_fsa *dfa, size_t *capacity, const sets *s,
                             const f2l_rowset *subsets, size_t index, f2l_error *err)
{
    char name[24];
    size_t ignored;
    if (index == *capacity) {
        size_t more = *capacity == 0 ? 64 : 2 * *capacity, entries;
        uint32_t *next = NULL;
        uint8_t *accept = f2l_realloc(dfa->accept, more, 1);
        if (accept != NULL) dfa->accept = accept;
        if (f2l_mul_size(&entries, more, s->letters))
            next = f2l_realloc(dfa->next, entries, sizeof *next);
        if (next != NULL) dfa->next = next;
        if (accept == NULL || next == NULL) return f2l_fail_memory(err);
        *capacity = more;
    }
    dfa->accept[index] = meets(f2l_rowset_get(subsets, index, NULL), s->accepting, s->words);
    snprintf(name, sizeof name, "%zu", index);
    return f2l_names_add(&dfa->states, name, strlen(name), &ignored, err);
}

static f2l_status explore(f2l_fsa *dfa, sets *s, f2l_rowset *subsets, uint32_t *image,
                          f2l_error *err)
{
    size_t capacity = 0, index;
    memset(image, 0, s->words * sizeof *image);
    include(image, 0);
    f2l_status status = f2l_rowset_add(subsets, image, s->words, &index, err);
    for (size_t i = 0; i < subsets->count && status == F2L_OK; i++) {
        status = add_subset(dfa, &capacity, s, subsets, i, err);
        for (size_t a = 0; a < s->letters && status == F2L_OK; a++) {
            successors(s, image, f2l_rowset_get(subsets, i, NULL), a);
            status = f2l_rowset_add(subsets, image, s->words, &index, err);
            dfa->next[i * s->letters + a] = (uint32_t)index;
        }
        if (status == F2L_OK && (subsets->count > MAX_STATES || s->work > MAX_WORK))
            status = f2l_fail(err, F2L_UNKNOWN,
                              "the regular expression is too large: gave up at %zu deterministic "
                              "states",
                              subsets->count);
    }
    return status;
}

/* Builds *dfa, which is total; the empty subset is its dead state. */
static f2l_status determinise(f2l_fsa *dfa, sets *s, f2l_error *err)
{
    f2l_rowset subsets;
    f2l_rowset_init(&subsets);
    uint32_t *image = f2l_calloc(s->words, sizeof *image);
    f2l_status status =
        image == NULL ? f2l_fail_memory(err) : explore(dfa, s, &subsets, image, err);
    dfa->has_accept = true;
    f2l_free(image);
    f2l_rowset_clear(&subsets);
    return status;
}

/* Returns whether the state is never left and does not accept. */
static bool is_dead(const f2l_fsa *dfa, size_t state)
{
    for (size_t a = 0; a < dfa->letters.count; a++)
        if (dfa->next[state * dfa->letters.count + a] != state) return false;
    return !dfa->accept[state];
}

/* Copies the minimal automaton; states are called 0, 1, .. in its order, the dead one "dead". */
static f2l_status to_nfa(f2l_nfa *out, const f2l_fsa *dfa, f2l_error *err)
{
    f2l_status status = f2l_names_copy(&out->letters, &dfa->letters, err);
    size_t index;
    for (size_t q = 0, number = 0; q < dfa->states.count && status == F2L_OK; q++) {
        char name[24] = "dead";
        if (!is_dead(dfa, q)) snprintf(name, sizeof name, "%zu", number++);
        status = f2l_nfa_state(out, name, strlen(name), &index, err);
    }
    if (status == F2L_OK) status = f2l_nfa_close_states(out, err);
    if (status != F2L_OK) return status;
    out->is_start[dfa->start] = 1;
    out->has_accept = true;
    for (size_t q = 0; q < dfa->states.count && status == F2L_OK; q++) {
        out->accept[q] = dfa->accept[q];
        for (size_t a = 0; a < dfa->letters.count && status == F2L_OK; a++)
            status = f2l_nfa_add_edge(out, q, a, dfa->next[q * dfa->letters.count + a], err);
    }
    f2l_import_source(out, "regex");
    return status;
}

static f2l_status finish(f2l_nfa *out, struct fa *fa, const f2l_names *letters, f2l_error *err)
{
    sets s = {.letters = letters->count};
    f2l_fsa dfa, minimal;
    f2l_fsa_init(&dfa);
    f2l_fsa_init(&minimal);
    uint32_t *classes = NULL;
    f2l_status status = copy_automaton(&s, fa, err);
    if (status == F2L_OK) status = f2l_names_copy(&dfa.letters, letters, err);
    if (status == F2L_OK) status = determinise(&dfa, &s, err);
    if (status == F2L_OK)
        status = f2l_fsa_minimise(&minimal, &classes, &dfa, F2L_LABEL_ACCEPT, NULL, err);
    if (status == F2L_OK) status = to_nfa(out, &minimal, err);
    f2l_free(classes);
    f2l_free(s.next);
    f2l_free(s.accepting);
    f2l_fsa_clear(&dfa);
    f2l_fsa_clear(&minimal);
    return status;
}

/* Makes every character of the alphabet a letter. */
static f2l_status read_alphabet(f2l_names *letters, const char *alphabet, f2l_error *err)
{
    size_t size = strlen(alphabet), bad, index;
    if (size == 0) return f2l_fail(err, F2L_EFORMAT, "the alphabet is empty");
    if (!f2l_utf8_valid(alphabet, size, &bad))
        return f2l_fail(err, F2L_EFORMAT, "the alphabet is not UTF-8");
    for (size_t at = 0, end; at < size; at = end) {
        for (end = at + 1; end < size && ((unsigned char)alphabet[end] & 0xc0) == 0x80; end++)
            continue;
        size_t before = letters->count;
        f2l_status status = f2l_names_add(letters, alphabet + at, end - at, &index, err);
        if (status != F2L_OK) return status;
        if (index != before)
            return f2l_fail(err, F2L_EFORMAT, "the alphabet has \"%.*s\" twice", (int)(end - at),
                            alphabet + at);
    }
    if (letters->count <= F2L_REGEX_MAX_LETTERS) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "the alphabet has more than %d "
                    "characters",
                    F2L_REGEX_MAX_LETTERS);
}

static f2l_status compile(f2l_nfa *out, const f2l_buf *normal, const f2l_names *letters,
                          f2l_error *err)
{
    struct fa *fa = NULL;
    int code = fa_compile(normal->size > 0 ? normal->data : "", normal->size, &fa);
    if (code != 0 || fa == NULL)
        return f2l_fail(err, F2L_EFORMAT, "libfa refused the regular expression (code %d)", code);
    f2l_status status = finish(out, fa, letters, err);
    fa_free(fa);
    return status;
}

f2l_status f2l_import_regex(f2l_nfa *out, const char *regex, const char *alphabet, f2l_error *err)
{
    f2l_names letters;
    f2l_buf normal;
    f2l_names_init(&letters);
    f2l_buf_init(&normal);
    f2l_status status = alphabet == NULL ? F2L_OK : read_alphabet(&letters, alphabet, err);
    if (status == F2L_OK) status = f2l_regex_parse(&normal, &letters, regex, err);
    if (status == F2L_OK && letters.count == 0)
        status = f2l_fail(err, F2L_EFORMAT,
                          "the regular expression mentions no letter; expected some, or an "
                          "alphabet");
    if (status == F2L_OK) status = compile(out, &normal, &letters, err);
    f2l_buf_clear(&normal);
    f2l_names_clear(&letters);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}

#endif
