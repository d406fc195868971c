/* Products of two automata: both read the word, or the second reads what the first is in, too. */
#include "automata/family/family.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Largest number of pairs of states. */
#define MAX_PAIRS 5000000

typedef struct product {
    const f2l_fsa *side[2];
    f2l_fsa *out;
    bool cascade; /* the second side reads the state of the first one before the letter */
    /* The letter of each side, F2L_NO_INDEX where it has none: [letters of the product], and in a
     * cascade for the second side [states of the first][letters of the product]. */
    size_t *letter[2];
    f2l_rowset pairs;
    size_t next_capacity; /* rows */
} product;

/* --- letters --- */

/* A letter of the second automaton of a cascade: the pair (state, letter), or a plain letter, which
 * is read in every state of the first automaton that has no pair with it. */
typedef struct reading {
    size_t state; /* F2L_NO_INDEX: plain */
    const char *letter;
    size_t size;
} reading;

/* Takes a letter of the second automaton apart. A name like (..,..) is a pair; its state may have
 * commas itself. */
static f2l_status take_apart(reading *out, const f2l_names *states, const char *name,
                             f2l_error *err)
{
    const size_t size = strlen(name);
    char shown[F2L_SHOWN];
    size_t found = 0;
    *out = (reading){F2L_NO_INDEX, name, size};
    if (size < 2 || name[0] != '(' || name[size - 1] != ')' || !memchr(name, ',', size))
        return F2L_OK;
    for (size_t i = 2; i + 2 < size; i++) {
        const size_t state =
            name[i] == ',' ? f2l_names_find(states, name + 1, i - 1) : F2L_NO_INDEX;
        if (state == F2L_NO_INDEX) continue;
        *out = (reading){state, name + i + 1, size - i - 2};
        found++;
    }
    if (found == 1) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    found ? "the letter `%s` can be read as several pairs (state,letter)"
                          : "the letter `%s` is a pair (state,letter), and the automaton before it "
                            "has no such state",
                    f2l_shown(shown, name, size));
}

static f2l_status join_letters(product *p, f2l_error *err)
{
    const f2l_fsa *first = p->side[0], *second = p->side[1];
    f2l_status status = f2l_names_copy(&p->out->letters, &first->letters, err);
    for (size_t b = 0; b < second->letters.count && status == F2L_OK; b++) {
        const char *name = f2l_names_get(&second->letters, b);
        reading r = {F2L_NO_INDEX, name, strlen(name)};
        size_t index;
        if (p->cascade) status = take_apart(&r, &first->states, name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&p->out->letters, r.letter, r.size, &index, err);
    }
    return status;
}

/* Enters for each letter of the product the letter of that name of one side. */
static void find_letters(size_t *letter, const product *p, size_t side)
{
    for (size_t a = 0; a < p->out->letters.count; a++) {
        const char *name = f2l_names_get(&p->out->letters, a);
        letter[a] = f2l_names_find(&p->side[side]->letters, name, strlen(name));
    }
}

/* Enters the plain letters in every row, and the pairs over them. */
static f2l_status enter_pairs(product *p, f2l_error *err)
{
    const f2l_names *letters = &p->out->letters;
    const f2l_fsa *first = p->side[0], *second = p->side[1];
    f2l_status status = F2L_OK;
    for (size_t q = 1; q < first->states.count; q++)
        memcpy(p->letter[1] + q * letters->count, p->letter[1], letters->count * sizeof(size_t));
    for (size_t b = 0; b < second->letters.count && status == F2L_OK; b++) {
        reading r;
        status = take_apart(&r, &first->states, f2l_names_get(&second->letters, b), err);
        if (status == F2L_OK && r.state != F2L_NO_INDEX)
            p->letter[1][r.state * letters->count + f2l_names_find(letters, r.letter, r.size)] = b;
    }
    return status;
}

static f2l_status relate_letters(product *p, f2l_error *err)
{
    f2l_status status = join_letters(p, err);
    for (size_t side = 0; side < 2 && status == F2L_OK; side++) {
        const size_t rows = side && p->cascade ? p->side[0]->states.count : 1;
        size_t entries;
        if (f2l_mul_size(&entries, rows, p->out->letters.count))
            p->letter[side] = f2l_calloc(entries, sizeof *p->letter[side]);
        if (p->letter[side] == NULL) return f2l_fail_memory(err);
        find_letters(p->letter[side], p, side);
    }
    return status == F2L_OK && p->cascade ? enter_pairs(p, err) : status;
}

/* --- states --- */

/* Sets the pair after the letter; a letter that a side does not have leaves it where it is. */
static void step_product_pair(const product *p, uint32_t out[2], const uint32_t *now, size_t letter)
{
    const size_t row = p->cascade ? now[0] * p->out->letters.count : 0;
    const size_t own[2] = {p->letter[0][letter], p->letter[1][row + letter]};
    for (size_t side = 0; side < 2; side++) {
        const f2l_fsa *fsa = p->side[side];
        out[side] = own[side] == F2L_NO_INDEX
                        ? now[side]
                        : fsa->next[now[side] * fsa->letters.count + own[side]];
    }
}

static f2l_status reserve_product_rows(product *p, size_t rows, f2l_error *err)
{
    if (rows <= p->next_capacity) return F2L_OK;
    size_t more = 2 * rows, entries;
    uint32_t *next = NULL;
    if (f2l_mul_size(&entries, more, p->out->letters.count))
        next = f2l_realloc(p->out->next, entries, sizeof *next);
    if (next == NULL) return f2l_fail_memory(err);
    p->out->next = next;
    p->next_capacity = more;
    return F2L_OK;
}

/* Finds all pairs that words lead to, breadth-first. */
static f2l_status explore_product(product *p, f2l_error *err)
{
    const size_t letters = p->out->letters.count;
    size_t index;
    uint32_t pair[2] = {(uint32_t)p->side[0]->start, (uint32_t)p->side[1]->start};
    f2l_status status = f2l_rowset_add(&p->pairs, pair, 2, &index, err);
    for (size_t q = 0; q < p->pairs.count && status == F2L_OK; q++) {
        status = reserve_product_rows(p, q + 1, err);
        for (size_t a = 0; a < letters && status == F2L_OK; a++) {
            step_product_pair(p, pair, f2l_rowset_get(&p->pairs, q, NULL), a);
            status = f2l_rowset_add(&p->pairs, pair, 2, &index, err);
            if (status == F2L_OK) p->out->next[q * letters + a] = (uint32_t)index;
        }
        if (status == F2L_OK && p->pairs.count > MAX_PAIRS)
            status = f2l_fail(err, F2L_UNKNOWN, "the product has more than %d states", MAX_PAIRS);
    }
    return status;
}

/* Names a pair "(p,q)". Commas inside names can make two pairs look alike; then primes tell them
 * apart. */
static f2l_status add_pair_name(f2l_names *names, const char *first, const char *second,
                                bool unique, size_t *index, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_text(&name, "(");
    f2l_buf_text(&name, first);
    f2l_buf_text(&name, ",");
    f2l_buf_text(&name, second);
    f2l_buf_text(&name, ")");
    while (unique && !name.failed && f2l_names_find(names, name.data, name.size) != F2L_NO_INDEX)
        f2l_buf_text(&name, "'");
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK) status = f2l_names_add(names, name.data, name.size, index, err);
    f2l_buf_clear(&name);
    return status;
}

static f2l_status describe_state(product *p, size_t q, f2l_error *err)
{
    const f2l_fsa *a = p->side[0], *b = p->side[1];
    const uint32_t *pair = f2l_rowset_get(&p->pairs, q, NULL);
    size_t index;
    p->out->accept[q] =
        p->out->has_accept && (p->cascade || a->accept[pair[0]]) && b->accept[pair[1]];
    f2l_status status = add_pair_name(&p->out->states, f2l_names_get(&a->states, pair[0]),
                                      f2l_names_get(&b->states, pair[1]), true, &index, err);
    if (status != F2L_OK || p->out->output == NULL) return status;
    if (p->cascade) {
        p->out->output[q] = b->output[pair[1]];
        return F2L_OK;
    }
    status = add_pair_name(&p->out->outputs, f2l_names_get(&a->outputs, a->output[pair[0]]),
                           f2l_names_get(&b->outputs, b->output[pair[1]]), false, &index, err);
    if (status == F2L_OK) p->out->output[q] = (uint32_t)index;
    return status;
}

/* Names the states and sets their labels: in a cascade the labels of the second automaton. */
static f2l_status describe_product(product *p, f2l_error *err)
{
    f2l_fsa *out = p->out;
    const f2l_fsa *a = p->side[0], *b = p->side[1];
    out->accept = f2l_calloc(p->pairs.count, 1);
    out->has_accept = (p->cascade || a->has_accept) && b->has_accept;
    bool outputs = (p->cascade || a->outputs.count > 0) && b->outputs.count > 0;
    if (outputs) out->output = f2l_calloc(p->pairs.count, sizeof *out->output);
    if (out->accept == NULL || (outputs && out->output == NULL)) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    if (outputs && p->cascade) status = f2l_names_copy(&out->outputs, &b->outputs, err);
    for (size_t q = 0; q < p->pairs.count && status == F2L_OK; q++)
        status = describe_state(p, q, err);
    return status;
}

static f2l_status build_family_product(product *p, f2l_error *err)
{
    f2l_rowset_init(&p->pairs);
    f2l_status status = relate_letters(p, err);
    if (status == F2L_OK) status = explore_product(p, err);
    if (status == F2L_OK) status = describe_product(p, err);
    if (status == F2L_OK && p->cascade) status = f2l_fsa_number_outputs(p->out, err);
    f2l_rowset_clear(&p->pairs);
    f2l_free(p->letter[0]);
    f2l_free(p->letter[1]);
    if (status != F2L_OK) f2l_fsa_clear(p->out);
    return status;
}

f2l_status f2l_family_product(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err)
{
    product p = {.side = {a, b}, .out = out};
    return build_family_product(&p, err);
}

f2l_status f2l_family_cascade(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err)
{
    product p = {.side = {a, b}, .out = out, .cascade = true};
    return build_family_product(&p, err);
}

/* Adds the marked name of a letter. */
static f2l_status add_marked(f2l_names *names, const char *letter, const char *mark,
                             const f2l_names *taken, f2l_error *err)
{
    char shown[F2L_SHOWN];
    size_t index;
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_text(&name, letter);
    f2l_buf_text(&name, mark);
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK && f2l_names_find(taken, name.data, name.size) != F2L_NO_INDEX)
        status = f2l_fail(err, F2L_EDOMAIN, "the letter `%s` would not be told from another one",
                          f2l_shown(shown, name.data, name.size));
    if (status == F2L_OK) status = f2l_names_add(names, name.data, name.size, &index, err);
    f2l_buf_clear(&name);
    return status;
}

f2l_status f2l_family_mark_letters(f2l_fsa *fsa, const char *mark, const f2l_names *taken,
                                   f2l_error *err)
{
    f2l_names names;
    f2l_status status = F2L_OK;
    f2l_names_init(&names);
    for (size_t a = 0; a < fsa->letters.count && status == F2L_OK; a++)
        status = add_marked(&names, f2l_names_get(&fsa->letters, a), mark, taken, err);
    f2l_names *old = status == F2L_OK ? &fsa->letters : &names;
    f2l_names_clear(old);
    if (status == F2L_OK) fsa->letters = names;
    return status;
}
