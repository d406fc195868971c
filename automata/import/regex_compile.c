/* Rules compiled to one automaton: each rule to a nondeterministic one by libfa, then together to a
 * deterministic and minimal one here, where the work can be bounded. */
#include "automata/import/impl.h"

#ifndef F2L_HAVE_LIBFA

f2l_status f2l_regex_compile(f2l_nfa *out, const f2l_regex_rule *rule, size_t rules,
                             const f2l_names *letters, f2l_error *err)
{
    (void)out;
    (void)rule;
    (void)rules;
    (void)letters;
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
/* Most 32-bit words of the rules' nondeterministic automata together. */
#define MAX_WORDS ((size_t)1 << 26)

/* libfa's automata, one for each rule, as sets of states: row (state, letter) of `next` is the set
 * of its successors. */
typedef struct sets {
    size_t states, letters, words; /* words: of one set */
    uint32_t *next, *start;
    size_t *rule;     /* [states] the rule that the state accepts, or F2L_NO_INDEX */
    uint32_t *output; /* [rules + 1] their outputs, and the output where none matches */
    size_t rules;
    size_t work;
} sets;

typedef struct numbered {
    const struct state *state;
    size_t number;
} numbered;

/* libfa's automaton of one rule. */
typedef struct part {
    struct fa *fa;
    size_t states, first; /* first: the number of its initial state, which comes before the rest */
    numbered *order;      /* [states] by address */
} part;

static int by_address(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return (x->state > y->state) - (x->state < y->state);
}

static void include_member(uint32_t *set, size_t member)
{
    set[member / 32] |= (uint32_t)1 << member % 32;
}

/* Returns the letter of a byte, or F2L_NO_INDEX. */
static void letter_of_bytes(size_t letter[256], size_t letters)
{
    for (size_t i = 0; i < 256; i++) letter[i] = F2L_NO_INDEX;
    for (size_t i = 0; i < letters; i++) letter[f2l_regex_byte(i)] = i;
}

static void fill_part_sets(sets *s, const part *p, size_t rule, const size_t *letter)
{
    size_t from = p->first;
    for (struct state *q = fa_state_initial(p->fa); q != NULL; q = fa_state_next(q), from++) {
        s->rule[from] = fa_state_is_accepting(q) ? rule : F2L_NO_INDEX;
        for (size_t i = 0; i < fa_state_num_trans(q); i++) {
            struct state *target;
            unsigned char least, most;
            if (fa_state_trans(q, i, &target, &least, &most) != 0) continue;
            numbered key = {target, 0};
            const numbered *to = bsearch(&key, p->order, p->states, sizeof key, by_address);
            for (unsigned c = least; c <= most && to != NULL; c++)
                if (letter[c] != F2L_NO_INDEX)
                    include_member(s->next + (from * s->letters + letter[c]) * s->words,
                                   to->number);
        }
    }
}

/* Numbers the states of a part from p->first; its initial state is the first in libfa's list. */
static f2l_status number_states(part *p, f2l_error *err)
{
    size_t i = 0;
    p->order = f2l_calloc(p->states, sizeof *p->order);
    if (p->order == NULL) return f2l_fail_memory(err);
    for (struct state *q = fa_state_initial(p->fa); q != NULL; q = fa_state_next(q), i++)
        p->order[i] = (numbered){q, p->first + i};
    qsort(p->order, p->states, sizeof *p->order, by_address);
    return F2L_OK;
}

static f2l_status regex_too_large(size_t states, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN,
                    "the regular expression is too large: gave up at %zu deterministic states",
                    states);
}

static f2l_status copy_parts(sets *s, part *list, size_t parts, f2l_error *err)
{
    for (size_t i = 0; i < parts; i++) {
        list[i].first = s->states;
        for (struct state *q = fa_state_initial(list[i].fa); q != NULL; q = fa_state_next(q))
            list[i].states++;
        s->states += list[i].states;
    }
    s->words = (s->states + 31) / 32;
    size_t rows, entries, letter[256];
    if (!f2l_mul_size(&rows, s->states, s->letters) || !f2l_mul_size(&entries, rows, s->words) ||
        entries > MAX_WORDS)
        return f2l_fail(err, F2L_UNKNOWN,
                        "the regular expressions are too large: %zu states before they are made "
                        "deterministic",
                        s->states);
    s->next = f2l_calloc(entries, sizeof *s->next);
    s->start = f2l_calloc(s->words, sizeof *s->start);
    s->rule = f2l_calloc(s->states, sizeof *s->rule);
    if (s->next == NULL || s->start == NULL || s->rule == NULL) return f2l_fail_memory(err);
    letter_of_bytes(letter, s->letters);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < parts && status == F2L_OK; i++) {
        status = number_states(&list[i], err);
        if (status == F2L_OK) fill_part_sets(s, &list[i], i, letter);
        include_member(s->start, list[i].first);
    }
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

/* Returns the first rule that a member accepts, or F2L_NO_INDEX. */
static size_t first_rule(const sets *s, const uint32_t *set)
{
    size_t least = F2L_NO_INDEX;
    for (size_t q = 0; q < s->states; q++)
        if ((set[q / 32] >> q % 32 & 1) && s->rule[q] < least) least = s->rule[q];
    return least;
}

/* Adds subset `index` as a state of the deterministic automaton. */
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
        uint32_t *output = f2l_realloc(dfa->output, more, sizeof *output);
        if (output != NULL) dfa->output = output;
        if (f2l_mul_size(&entries, more, s->letters))
            next = f2l_realloc(dfa->next, entries, sizeof *next);
        if (next != NULL) dfa->next = next;
        if (accept == NULL || output == NULL || next == NULL) return f2l_fail_memory(err);
        *capacity = more;
    }
    const size_t rule = first_rule(s, f2l_rowset_get(subsets, index, NULL));
    dfa->accept[index] = rule != F2L_NO_INDEX;
    dfa->output[index] = s->output[rule != F2L_NO_INDEX ? rule : s->rules];
    snprintf(name, sizeof name, "%zu", index);
    return f2l_names_add(&dfa->states, name, strlen(name), &ignored, err);
}

static f2l_status explore_regex_subsets(f2l_fsa *dfa, sets *s, f2l_rowset *subsets, uint32_t *image,
                                        f2l_error *err)
{
    size_t capacity = 0, index;
    f2l_status status = f2l_rowset_add(subsets, s->start, s->words, &index, err);
    for (size_t i = 0; i < subsets->count && status == F2L_OK; i++) {
        status = add_subset(dfa, &capacity, s, subsets, i, err);
        for (size_t a = 0; a < s->letters && status == F2L_OK; a++) {
            successors(s, image, f2l_rowset_get(subsets, i, NULL), a);
            status = f2l_rowset_add(subsets, image, s->words, &index, err);
            dfa->next[i * s->letters + a] = (uint32_t)index;
        }
        if (status == F2L_OK && (subsets->count > MAX_STATES || s->work > MAX_WORK))
            status = regex_too_large(subsets->count, err);
    }
    return status;
}

/* Builds *dfa, which is total; the empty subset is its dead state. */
static f2l_status determinise_sets(f2l_fsa *dfa, sets *s, f2l_error *err)
{
    f2l_rowset subsets;
    f2l_rowset_init(&subsets);
    uint32_t *image = f2l_calloc(s->words, sizeof *image);
    f2l_status status =
        image == NULL ? f2l_fail_memory(err) : explore_regex_subsets(dfa, s, &subsets, image, err);
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
    if (status == F2L_OK) status = f2l_names_copy(&out->outputs, &dfa->outputs, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(out, err);
    if (status != F2L_OK) return status;
    out->is_start[dfa->start] = 1;
    out->has_accept = true;
    for (size_t q = 0; q < dfa->states.count && status == F2L_OK; q++) {
        if (!dfa->output && q != dfa->start && is_dead(dfa, q)) {
            out->has_added = true; /* no expression says where it is left */
            out->added = q;
        }
        out->accept[q] = dfa->accept[q];
        if (dfa->output) out->output[q] = dfa->output[q];
        for (size_t a = 0; a < dfa->letters.count && status == F2L_OK; a++)
            status = f2l_nfa_add_edge(out, q, a, dfa->next[q * dfa->letters.count + a], err);
    }
    return status;
}

/* Numbers the outputs of the rules in *dfa; rules of one name have one output. */
static f2l_status number_rules(f2l_fsa *dfa, sets *s, const f2l_regex_rule *rule, f2l_error *err)
{
    s->output = f2l_calloc(s->rules + 1, sizeof *s->output);
    if (s->output == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i <= s->rules && status == F2L_OK; i++) {
        const bool named = i < s->rules && rule[i].name != NULL;
        const char *name = named ? rule[i].name : i < s->rules ? "match" : F2L_REGEX_NO_RULE;
        size_t index;
        status = f2l_names_add(&dfa->outputs, name, named ? rule[i].name_size : strlen(name),
                               &index, err);
        if (status == F2L_OK) s->output[i] = (uint32_t)index;
    }
    return status;
}

/* Determinises and minimises what copy_parts copied. */
static f2l_status finish_regex(f2l_nfa *out, sets *s, const f2l_regex_rule *rule,
                               const f2l_names *letters, f2l_error *err)
{
    const f2l_label label = rule[0].name != NULL ? F2L_LABEL_OUTPUTS : F2L_LABEL_ACCEPT;
    f2l_fsa dfa, minimal;
    f2l_fsa_init(&dfa);
    f2l_fsa_init(&minimal);
    uint32_t *classes = NULL;
    f2l_status status = number_rules(&dfa, s, rule, err);
    if (status == F2L_OK) status = f2l_names_copy(&dfa.letters, letters, err);
    if (status == F2L_OK) status = determinise_sets(&dfa, s, err);
    if (status == F2L_OK) status = f2l_fsa_minimise(&minimal, &classes, &dfa, label, NULL, err);
    /* Only the kept label is in the copy, but an output other than `none` is acceptance. */
    for (size_t q = 0; q < dfa.states.count && status == F2L_OK; q++)
        minimal.accept[classes[q]] = dfa.accept[q];
    if (status == F2L_OK) status = to_nfa(out, &minimal, err);
    f2l_free(classes);
    f2l_fsa_clear(&dfa);
    f2l_fsa_clear(&minimal);
    return status;
}

static f2l_status compile_regex_part(part *p, const f2l_regex_rule *rule, f2l_error *err)
{
    const f2l_buf *normal = &rule->normal;
    const int code = fa_compile(normal->size > 0 ? normal->data : "", normal->size, &p->fa);
    if (code == 0 && p->fa != NULL) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "libfa refused the regular expression (code %d)", code);
}

f2l_status f2l_regex_compile(f2l_nfa *out, const f2l_regex_rule *rule, size_t rules,
                             const f2l_names *letters, f2l_error *err)
{
    sets s = {.letters = letters->count, .rules = rules};
    part *parts = f2l_calloc(rules, sizeof *parts);
    if (parts == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < rules && status == F2L_OK; i++)
        status = compile_regex_part(&parts[i], &rule[i], err);
    if (status == F2L_OK) status = copy_parts(&s, parts, rules, err);
    if (status == F2L_OK) status = finish_regex(out, &s, rule, letters, err);
    for (size_t i = 0; i < rules; i++) {
        if (parts[i].fa != NULL) fa_free(parts[i].fa);
        f2l_free(parts[i].order);
    }
    f2l_free(parts);
    f2l_free(s.next);
    f2l_free(s.start);
    f2l_free(s.rule);
    f2l_free(s.output);
    return status;
}

#endif
