/* The layer that applies the portions to the code of the start (theory/pages/d1.md, D1.7). Wires: 0
 * is the portion, 1 the product still to come, then the letters of the present block, then the
 * head's readout. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/d1/points.h"
#include <stdio.h>
#include <string.h>

#define NUMBER_BYTES 64 /* rough size of a number of a code, in bytes */
#define DIGIT_BASE 129  /* T3.8: a value column holds codes below this */

/* An orbit of the representation: its key system on coordinates `offset` .. `offset` + n - 1. */
typedef struct orbit {
    f2l_key_kind kind;
    size_t first, m; /* its points */
    size_t n, offset;
} orbit;

typedef struct applying {
    f2l_d1 *d;
    f2l_wired_block *block;
    orbit *orbit;
    long *twice;  /* [key_dim][value_dim] scratch: a vector, doubled */
    long *weight; /* [key_dim] scratch */
    long *scale;  /* [orbits][value_dim] divisors of the doubled coordinates of an orbit */
    bool *met;    /* [points] scratch */
} applying;

static f2l_status plan_orbits(applying *x, f2l_error *err)
{
    f2l_d1 *d = x->d;
    size_t entries;
    d->key_dim = 0;
    for (size_t o = 0; o < d->set->orbits; o++) {
        const size_t m = d->set->orbit[o + 1] - d->set->orbit[o];
        x->orbit[o] = (orbit){
            .kind = f2l_d1_keys(m), .first = d->set->orbit[o], .m = m, .offset = d->key_dim};
        f2l_keys_dimension(x->orbit[o].kind, m, &x->orbit[o].n);
        d->key_dim += x->orbit[o].n;
    }
    d->value_dim = 1;
    for (size_t most = d->set->colours - 1; most >= DIGIT_BASE; most /= DIGIT_BASE) d->value_dim++;
    if (!f2l_mul_size(&entries, d->key_dim, d->value_dim) || entries > F2L_MAX_STATE)
        return f2l_fail(err, F2L_UNKNOWN, "a state of %zu x %zu numbers is too large", d->key_dim,
                        d->value_dim);
    return F2L_OK;
}

static long signed_digit(uint32_t code, size_t column)
{
    while (column-- > 0) code /= DIGIT_BASE;
    return (long)(code % DIGIT_BASE);
}

/* Sets x->twice to twice the sum of code times weight (T3.7). */
static void add_up_orbits(applying *x, const uint32_t *row)
{
    const size_t columns = x->d->value_dim;
    memset(x->twice, 0, x->d->key_dim * columns * sizeof *x->twice);
    for (size_t o = 0; o < x->d->set->orbits; o++) {
        const orbit *in = &x->orbit[o];
        for (size_t i = 0; i < in->m; i++) {
            const uint32_t code = row[in->first + i];
            if (code == 0) continue;
            f2l_keys_weight(x->weight, in->kind, in->m, i);
            for (size_t c = 0; c < in->n; c++)
                for (size_t k = 0; k < columns; k++)
                    x->twice[(in->offset + c) * columns + k] +=
                        x->weight[c] * signed_digit(code, k);
        }
    }
}

/* Sets the divisors that leave the start's vector with integers without a common divisor, orbit by
 * orbit and column by column. */
static void find_scales(applying *x)
{
    const size_t columns = x->d->value_dim;
    add_up_orbits(x, x->d->set->code);
    for (size_t o = 0; o < x->d->set->orbits; o++)
        for (size_t k = 0; k < columns; k++) {
            long divisor = 0;
            for (size_t c = 0; c < x->orbit[o].n; c++)
                divisor = f2l_keys_gcd(divisor, x->twice[(x->orbit[o].offset + c) * columns + k]);
            x->scale[o * columns + k] = divisor ? divisor : 1;
        }
}

static f2l_status push_row(f2l_qvec *out, applying *x, const uint32_t *row, f2l_error *err)
{
    const size_t columns = x->d->value_dim;
    f2l_status status = F2L_OK;
    add_up_orbits(x, row);
    for (size_t o = 0; o < x->d->set->orbits; o++)
        for (size_t i = 0; i < x->orbit[o].n * columns; i++) {
            const size_t at = x->orbit[o].offset * columns + i;
            status = f2l_qvec_push_si(out, (uint32_t)at, x->twice[at],
                                      (unsigned long)x->scale[o * columns + i % columns], err);
            if (status != F2L_OK) return status;
        }
    return status;
}

/* Writes the factors of a portion (T3.9). */
static f2l_status put_portion(applying *x, f2l_transition *transition, const uint32_t *image,
                              f2l_error *err)
{
    const size_t n = x->d->points;
    size_t made = 0;
    f2l_status status = f2l_transition_set_factors(transition, n - f2l_perm_cycles(image, n), err);
    memset(x->met, 0, n * sizeof *x->met);
    for (size_t o = 0; o < x->d->set->orbits; o++) {
        const orbit *in = &x->orbit[o];
        for (size_t p = in->first; p < in->first + in->m; p++) {
            if (x->met[p]) continue;
            for (size_t q = image[p]; status == F2L_OK && q != p; q = image[q]) {
                f2l_factor *factor = &transition->factor[made++];
                x->met[q] = true;
                mpq_set_ui(factor->beta, 2, 1);
                status = f2l_keys_transposition(&factor->u, in->kind, in->m, p - in->first,
                                                q - in->first, (uint32_t)in->offset, err);
            }
        }
    }
    return status;
}

static f2l_status put_d1_head(applying *x, f2l_error *err)
{
    const f2l_d1 *d = x->d;
    const size_t size = d->parts.factor.count, codes = d->rows.row.count;
    const uint32_t wire = 0;
    f2l_wired_head *head = &x->block->head[0];
    f2l_wired_readout *readout = &x->block->readout[0];
    f2l_meter meter = {.task = d->task, .phase = "building codes"};
    f2l_status status = f2l_task_table(d->task, "the codes of the last layer",
                                       codes * d->key_dim * d->value_dim * NUMBER_BYTES, err);
    if (status == F2L_OK)
        status = f2l_wired_head_set(head, d->key_dim, d->value_dim, 1, &wire, &size, err);
    for (size_t f = 0; status == F2L_OK && f < size; f++) {
        status = f2l_meter_spend(&meter,
                                 F2L_TRANSITION_STEPS +
                                     d->householders * (F2L_FACTOR_STEPS + 4 * F2L_ENTRY_STEPS),
                                 (double)f, (double)size, err);
        if (status == F2L_OK)
            status = put_portion(x, &head->head.letter[f],
                                 f2l_rowset_get(&d->parts.factor, f, NULL), err);
    }
    if (status == F2L_OK) status = f2l_wired_readout_set(readout, 0, 0, d->key_dim, codes, err);
    for (size_t i = 0; status == F2L_OK && i < codes; i++) {
        status = f2l_meter_spend(&meter, 20 + d->points, (double)i, (double)codes, err);
        if (status == F2L_OK)
            status = push_row(&readout->code[i], x, f2l_rowset_get(&d->rows.row, i, NULL), err);
    }
    return status;
}

/* Table entry for (row, product to come). */
static uint32_t meant(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    const uint32_t state = d->rows.state[in[0] * d->parts.rest.count + in[1]];
    return state == F2L_D1_NONE ? 0 : state;
}

/* Table entry for (state, letter). */
static uint32_t move_d1_state(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    if (in[1] == 0) return in[0];
    return d->reach.position[d->fsa->next[d->reach.state[in[0]] * d->letters + in[1] - 1]];
}

/* Table entry for (state). */
static uint32_t labelled(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    const char *text = f2l_fsa_label(d->fsa, d->net->label, d->reach.state[in[0]]);
    return (uint32_t)f2l_names_find(&d->net->labels, text, strlen(text));
}

static f2l_status put_posts(applying *x, f2l_error *err)
{
    f2l_d1 *d = x->d;
    f2l_wired_block *block = x->block;
    const size_t slots = 2 * d->block, states = d->reach.states, rows = d->rows.row.count;
    const uint32_t row = (uint32_t)f2l_wired_first_readout(block), first = row + 1;
    const f2l_d1_rule mean = {meant, 2, {rows, d->parts.rest.count}, states, 0};
    const f2l_d1_rule move = {move_d1_state, 2, {states, d->letters + 1}, states, 0};
    const f2l_d1_rule label = {labelled, 1, {states}, d->net->labels.count, 0};
    const uint32_t in[] = {row, 1}, last = first + (uint32_t)slots;
    f2l_status status = f2l_d1_gate(d, &block->post[0], &mean, in, err);
    for (size_t j = 0; status == F2L_OK && j < slots; j++) {
        const uint32_t with[] = {first + (uint32_t)j, (uint32_t)(2 + j)};
        status = j == 0 ? f2l_d1_gate(d, &block->post[1], &move, with, err)
                        : f2l_wired_gate_set(&block->post[1 + j], d->tables - 1, 2, with, err);
    }
    if (status == F2L_OK) status = f2l_d1_gate(d, &block->post[1 + slots], &label, &last, err);
    block->output[0] = last + 1;
    return status;
}

/* Writes "5 points: D6 roots (dimension 6); 2 points: ..", with as many orbits as fit. */
static void describe_orbit_keys(char text[160], const applying *x)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t o = 0; o < x->d->set->orbits; o++) {
        const orbit *in = &x->orbit[o];
        char one[96];
        snprintf(one, sizeof one, "%s%zu point%s: %s", o ? "; " : "", in->m, in->m == 1 ? "" : "s",
                 f2l_keys_describe(in->kind, in->m));
        if (used + strlen(one) + sizeof "; .." > 160) {
            snprintf(text + used, 160 - used, "; ..");
            return;
        }
        used += (size_t)snprintf(text + used, 160 - used, "%s", one);
    }
}

static f2l_status put_applying_block(applying *x, f2l_error *err)
{
    f2l_d1 *d = x->d;
    const size_t slots = 2 * d->block, inputs = 2 + slots;
    size_t *size = f2l_calloc(inputs, sizeof *size);
    if (!size) return f2l_fail_memory(err);
    for (size_t i = 0; i < inputs; i++)
        size[i] = i == 0 ? d->parts.factor.count : i == 1 ? d->parts.rest.count : d->letters + 1;
    f2l_status status = f2l_wired_block_set_inputs(x->block, inputs, size, err);
    f2l_free(size);
    if (status == F2L_OK) status = f2l_wired_block_set(x->block, 0, 1, 1, slots + 2, 1, err);
    find_scales(x);
    if (status == F2L_OK) status = put_d1_head(x, err);
    return status == F2L_OK ? put_posts(x, err) : status;
}

/* Returns whether the value of a slot exchanges points, which is set in x->d->product then: the
 * points are in one orbit, and the first one is before the other. */
static bool slot_exchanges(const applying *x, size_t value)
{
    const f2l_d1 *d = x->d;
    const size_t n = d->points, i = value ? (value - 1) / n : 0, y = value ? (value - 1) % n : 0;
    size_t o = 0;
    for (size_t p = 0; p < n; p++) d->product[p] = (uint32_t)p;
    while (i >= d->set->orbit[o + 1]) o++;
    if (y <= i || y >= d->set->orbit[o + 1]) return false;
    d->product[i] = (uint32_t)y;
    d->product[y] = (uint32_t)i;
    return true;
}

static f2l_status put_exchanges(applying *x, f2l_error *err)
{
    const f2l_d1 *d = x->d;
    const size_t values = 1 + d->points * d->points, all = values * d->householders;
    f2l_head *head = &x->block->head[0].head;
    f2l_meter meter = {.task = d->task, .phase = "building factors"};
    f2l_status status = F2L_OK;
    for (size_t v = 0; status == F2L_OK && v < all; v++) {
        status = f2l_meter_spend(&meter, F2L_TRANSITION_STEPS + F2L_FACTOR_STEPS + 2 * d->points,
                                 (double)v, (double)all, err);
        if (status == F2L_OK && slot_exchanges(x, v % values))
            status = put_portion(x, &head->letter[v], d->product, err);
    }
    return status;
}

/* Writes the codes of the points network, and slots that exchange points. */
static f2l_status put_point_head(applying *x, f2l_error *err)
{
    f2l_d1 *d = x->d;
    const size_t slots = d->householders, codes = d->rows.row.count;
    f2l_wired_readout *readout = &x->block->readout[0];
    uint32_t *wire = f2l_calloc(slots, sizeof *wire);
    size_t *size = f2l_calloc(slots, sizeof *size);
    f2l_status status = wire && size ? F2L_OK : f2l_fail_memory(err);
    for (size_t s = 0; status == F2L_OK && s < slots; s++) {
        wire[s] = (uint32_t)s;
        size[s] = 1 + d->points * d->points;
    }
    if (status == F2L_OK)
        status = f2l_task_table(d->task, "the codes of the last layer",
                                codes * d->key_dim * d->value_dim * NUMBER_BYTES, err);
    if (status == F2L_OK)
        status = f2l_wired_head_set(&x->block->head[0], d->key_dim, d->value_dim, slots, wire, size,
                                    err);
    f2l_free(wire);
    f2l_free(size);
    if (status == F2L_OK) status = put_exchanges(x, err);
    find_scales(x);
    if (status == F2L_OK) status = f2l_wired_readout_set(readout, 0, 0, d->key_dim, codes, err);
    for (size_t i = 0; status == F2L_OK && i < codes; i++)
        status = push_row(&readout->code[i], x, f2l_rowset_get(&d->rows.row, i, NULL), err);
    return status;
}

/* Makes the scratch and calls `then`. */
static f2l_status with_scratch(f2l_d1 *d, f2l_status (*then)(applying *, f2l_error *),
                               char keys[160], f2l_error *err)
{
    applying x = {.d = d, .block = &d->net->block[d->clock.layers + 1]};
    x.orbit = f2l_calloc(d->set->orbits, sizeof *x.orbit);
    if (!x.orbit) return f2l_fail_memory(err);
    f2l_status status = plan_orbits(&x, err);
    if (status == F2L_OK) {
        x.twice = f2l_calloc(d->key_dim, d->value_dim * sizeof *x.twice);
        x.weight = f2l_calloc(d->key_dim, sizeof *x.weight);
        x.scale = f2l_calloc(d->set->orbits, d->value_dim * sizeof *x.scale);
        x.met = f2l_calloc(d->points, sizeof *x.met);
        status = x.twice && x.weight && x.scale && x.met ? then(&x, err) : f2l_fail_memory(err);
    }
    if (status == F2L_OK) describe_orbit_keys(keys, &x);
    f2l_free(x.orbit);
    f2l_free(x.twice);
    f2l_free(x.weight);
    f2l_free(x.scale);
    f2l_free(x.met);
    return status;
}

f2l_status f2l_d1_put_apply(f2l_d1 *d, char keys[160], f2l_error *err)
{
    return with_scratch(d, put_applying_block, keys, err);
}

f2l_status f2l_d1_put_point_head(f2l_d1 *d, char keys[160], f2l_error *err)
{
    return with_scratch(d, put_point_head, keys, err);
}
