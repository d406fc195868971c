#include "automata/family/family.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Largest number of pairs of states. */
#define MAX_PAIRS 5000000

typedef struct product {
    const f2l_fsa *side[2];
    f2l_fsa *out;
    size_t *letter[2]; /* [letters of the product] the letter of that side, F2L_NO_INDEX where it
                          has none */
    f2l_rowset pairs;
    size_t next_capacity; /* rows */
} product;

static f2l_status join_letters(product *p, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t side = 0; side < 2; side++)
        for (size_t a = 0; a < p->side[side]->letters.count && status == F2L_OK; a++) {
            const char *name = f2l_names_get(&p->side[side]->letters, a);
            size_t index;
            status = f2l_names_add(&p->out->letters, name, strlen(name), &index, err);
        }
    for (size_t side = 0; side < 2 && status == F2L_OK; side++) {
        p->letter[side] = f2l_calloc(p->out->letters.count, sizeof *p->letter[side]);
        if (p->letter[side] == NULL) return f2l_fail_memory(err);
        for (size_t a = 0; a < p->out->letters.count; a++) {
            const char *name = f2l_names_get(&p->out->letters, a);
            p->letter[side][a] = f2l_names_find(&p->side[side]->letters, name, strlen(name));
        }
    }
    return status;
}

/* Returns the state of side `side` after `letter`; a letter that the side does not have leaves it
 * where it is. */
static uint32_t step(const product *p, size_t side, uint32_t state, size_t letter)
{
    const f2l_fsa *fsa = p->side[side];
    size_t own = p->letter[side][letter];
    return own == F2L_NO_INDEX ? state : fsa->next[state * fsa->letters.count + own];
}

static f2l_status reserve(product *p, size_t rows, f2l_error *err)
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
static f2l_status explore(product *p, f2l_error *err)
{
    const size_t letters = p->out->letters.count;
    size_t index;
    uint32_t pair[2] = {(uint32_t)p->side[0]->start, (uint32_t)p->side[1]->start};
    f2l_status status = f2l_rowset_add(&p->pairs, pair, 2, &index, err);
    for (size_t q = 0; q < p->pairs.count && status == F2L_OK; q++) {
        status = reserve(p, q + 1, err);
        for (size_t a = 0; a < letters && status == F2L_OK; a++) {
            const uint32_t *now = f2l_rowset_get(&p->pairs, q, NULL);
            pair[0] = step(p, 0, now[0], a);
            pair[1] = step(p, 1, now[1], a);
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
    p->out->accept[q] = p->out->has_accept && a->accept[pair[0]] && b->accept[pair[1]];
    f2l_status status = add_pair_name(&p->out->states, f2l_names_get(&a->states, pair[0]),
                                      f2l_names_get(&b->states, pair[1]), true, &index, err);
    if (status != F2L_OK || p->out->output == NULL) return status;
    status = add_pair_name(&p->out->outputs, f2l_names_get(&a->outputs, a->output[pair[0]]),
                           f2l_names_get(&b->outputs, b->output[pair[1]]), false, &index, err);
    if (status == F2L_OK) p->out->output[q] = (uint32_t)index;
    return status;
}

static f2l_status describe(product *p, f2l_error *err)
{
    f2l_fsa *out = p->out;
    out->accept = f2l_calloc(p->pairs.count, 1);
    out->has_accept = p->side[0]->has_accept && p->side[1]->has_accept;
    bool outputs = p->side[0]->outputs.count > 0 && p->side[1]->outputs.count > 0;
    if (outputs) out->output = f2l_calloc(p->pairs.count, sizeof *out->output);
    if (out->accept == NULL || (outputs && out->output == NULL)) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t q = 0; q < p->pairs.count && status == F2L_OK; q++)
        status = describe_state(p, q, err);
    return status;
}

f2l_status f2l_family_product(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err)
{
    product p = {.side = {a, b}, .out = out};
    f2l_rowset_init(&p.pairs);
    f2l_status status = join_letters(&p, err);
    if (status == F2L_OK) status = explore(&p, err);
    if (status == F2L_OK) status = describe(&p, err);
    f2l_rowset_clear(&p.pairs);
    f2l_free(p.letter[0]);
    f2l_free(p.letter[1]);
    if (status != F2L_OK) f2l_fsa_clear(out);
    return status;
}
