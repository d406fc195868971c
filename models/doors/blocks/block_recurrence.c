/* The recurrence of the heads: one column of a network's head for each bit. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdlib.h>

/* Numbers of states and values are at least this, in absolute value, so that SiLU returns them, and
 * so that the epsilon of the norm after a head is nothing beside a difference of two of them. */
#define LEAST 64.0

/* --- signs of rows: EB.3 ---
 *
 * A graph of rows, with one more node for the sign +. An edge says that two signs are equal or
 * opposite. */
typedef struct signs {
    size_t *up; /* [n + 1] */
    bool *flip; /* [n + 1] the sign is opposite to the sign of `up` */
    size_t n;
    bool consistent;
} signs;

static size_t find_sign_root(const signs *s, size_t node, bool *flip)
{
    *flip = false;
    while (s->up[node] != node) {
        *flip ^= s->flip[node];
        node = s->up[node];
    }
    return node;
}

static void demand(signs *s, size_t a, size_t b, bool opposite)
{
    bool fa, fb;
    const size_t ra = find_sign_root(s, a, &fa), rb = find_sign_root(s, b, &fb);
    if (ra == rb) {
        s->consistent = s->consistent && (fa ^ fb) == opposite;
        return;
    }
    s->up[ra < rb ? ra : rb] = ra < rb ? rb : ra;
    s->flip[ra < rb ? ra : rb] = fa ^ fb ^ opposite;
}

static void demand_factor(signs *s, const f2l_factor *factor, const mpq_t *written)
{
    const f2l_qvec *u = &factor->u;
    for (size_t i = 0; i < u->count; i++) {
        const bool negative = mpq_sgn(u->value[i]) < 0;
        if (written)
            demand(s, u->index[i], s->n, negative != (mpq_sgn(*written) < 0));
        else if (i > 0)
            demand(s, u->index[i], u->index[i - 1], negative != (mpq_sgn(u->value[i - 1]) < 0));
    }
}

static f2l_status signs_find(signs *s, const f2l_layer *layer, const f2l_block_bit *bit,
                             f2l_error *err)
{
    const f2l_head *head = &layer->head[bit->head];
    *s = (signs){.n = head->n, .consistent = true};
    s->up = f2l_calloc(head->n + 1, sizeof *s->up);
    s->flip = f2l_calloc(head->n + 1, sizeof *s->flip);
    if (!s->up || !s->flip) return f2l_fail_memory(err);
    for (size_t i = 0; i <= head->n; i++) s->up[i] = i;
    for (size_t x = 0; x < layer->letters; x++)
        for (size_t f = 0; f < head->letter[x].factors; f++) {
            const f2l_factor *factor = &head->letter[x].factor[f];
            demand_factor(s, factor, f2l_block_entry(&factor->c, bit->column));
        }
    return F2L_OK;
}

static void signs_clear(signs *s)
{
    f2l_free(s->up);
    f2l_free(s->flip);
}

/* Returns whether the row changes its sign. */
static bool is_flipped(const signs *s, size_t row)
{
    bool flip, ground;
    if (!s) return false;
    const size_t top = find_sign_root(s, row, &flip), plus = find_sign_root(s, s->n, &ground);
    return top == plus ? flip ^ ground : flip;
}

/* Sets *out to whether the keys of all bits can be made non-negative. */
static f2l_status find_positive(bool *out, const f2l_blocks *b, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *out = true;
    for (size_t l = 0; l < b->net->layers; l++)
        for (size_t i = 0; status == F2L_OK && i < b->layer[l].bits; i++) {
            signs s = {0};
            status = signs_find(&s, &b->net->layer[l], &b->layer[l].bit[i], err);
            *out = *out && s.consistent;
            signs_clear(&s);
        }
    return status;
}

/* --- the scale --- */

static void take_least(double *least, const mpq_t x)
{
    const double size = fabs(mpq_get_d(x));
    if (size > 0 && size < *least) *least = size;
}

/* Considers the numbers that a head with this bit writes and compares. */
static void take_bit(double *least, const f2l_layer *layer, const f2l_block_bit *bit)
{
    const f2l_head *head = &layer->head[bit->head];
    mpq_t gap;
    mpq_init(gap);
    take_least(least, bit->threshold);
    for (size_t i = 0; i < head->initial.count; i++)
        if (head->initial.index[i] % head->d == bit->column)
            take_least(least, head->initial.value[i]);
    for (size_t x = 0; x < layer->letters; x++)
        for (size_t f = 0; f < head->letter[x].factors; f++) {
            const f2l_factor *factor = &head->letter[x].factor[f];
            const mpq_t *c = f2l_block_entry(&factor->c, bit->column);
            if (!c) continue;
            const double value = fabs(f2l_block_value(factor, *c));
            if (value < *least) *least = value;
        }
    for (size_t c = 0; c < layer->codes; c++) {
        const mpq_t *s = f2l_block_entry(&layer->code[c * layer->heads + bit->head],
                                         bit->row * head->d + bit->column);
        mpq_neg(gap, bit->threshold);
        if (s) mpq_add(gap, gap, *s);
        take_least(least, gap);
    }
    mpq_clear(gap);
}

static double find_write_scale(const f2l_blocks *b)
{
    double least = LEAST;
    for (size_t l = 0; l < b->net->layers; l++)
        for (size_t i = 0; i < b->layer[l].bits; i++)
            take_bit(&least, &b->net->layer[l], &b->layer[l].bit[i]);
    return exp2(ceil(log2(LEAST / least)));
}

/* --- the heads --- */

typedef struct builder {
    const f2l_head *from;
    f2l_block_bit *bit;
    const signs *signs; /* NULL: no row changes its sign */
    mpq_t scale;
} builder;

/* Appends the column of a state, scaled, with its signs, and minus the threshold in row n. */
static f2l_status copy_column(f2l_qvec *out, const builder *b, const f2l_qvec *state,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpq_t x;
    mpq_init(x);
    for (size_t i = 0; status == F2L_OK && i < state->count; i++) {
        if (state->index[i] % b->from->d != b->bit->column) continue;
        const size_t row = state->index[i] / b->from->d;
        mpq_mul(x, state->value[i], b->scale);
        if (is_flipped(b->signs, row)) mpq_neg(x, x);
        status = f2l_qvec_push(out, (uint32_t)row, x, err);
    }
    mpq_mul(x, b->bit->threshold, b->scale);
    if (!b->bit->negated) mpq_neg(x, x);
    if (status == F2L_OK) status = f2l_qvec_push(out, (uint32_t)b->from->n, x, err);
    mpq_clear(x);
    return status;
}

/* Copies a factor, with the key's sign such that what it writes is not negative; without a write
 * the key's first number is positive. */
static f2l_status copy_factor_with_sign(f2l_factor *out, const builder *b, const f2l_factor *factor,
                                        f2l_error *err)
{
    const mpq_t *written = f2l_block_entry(&factor->c, b->bit->column);
    const f2l_qvec *u = &factor->u;
    f2l_status status = F2L_OK;
    bool turn = (mpq_sgn(u->value[0]) < 0) != is_flipped(b->signs, u->index[0]);
    mpq_t x;
    mpq_init(x);
    if (written) {
        mpq_mul(x, *written, b->scale);
        turn = mpq_sgn(x) < 0;
        mpq_abs(x, x);
        status = f2l_qvec_push(&out->c, 0, x, err);
    }
    mpq_set(out->beta, factor->beta);
    for (size_t i = 0; status == F2L_OK && i < u->count; i++) {
        mpq_set(x, u->value[i]);
        if (turn != is_flipped(b->signs, u->index[i])) mpq_neg(x, x);
        status = f2l_qvec_push(&out->u, u->index[i], x, err);
    }
    mpq_clear(x);
    return status;
}

static f2l_status copy_block_head(f2l_head *out, const builder *b, size_t letters, f2l_error *err)
{
    out->n = b->from->n + F2L_BLOCK_ROWS;
    out->d = 1;
    f2l_status status = copy_column(&out->initial, b, &b->from->initial, err);
    for (size_t x = 0; status == F2L_OK && x < letters; x++) {
        const f2l_transition *from = &b->from->letter[x];
        status = f2l_transition_set_factors(&out->letter[x], from->factors, err);
        for (size_t f = 0; status == F2L_OK && f < from->factors; f++)
            status = copy_factor_with_sign(&out->letter[x].factor[f], b, &from->factor[f], err);
    }
    return status;
}

static f2l_status copy_bit(f2l_blocks *b, size_t l, size_t i, f2l_error *err)
{
    const f2l_layer *layer = &b->net->layer[l];
    f2l_layer *made = &b->recurrence.layer[l];
    f2l_block_bit *bit = &b->layer[l].bit[i];
    signs s = {0};
    builder job = {.from = &layer->head[bit->head], .bit = bit};
    f2l_status status = F2L_OK;
    if (b->positive_keys) {
        status = signs_find(&s, layer, bit, err);
        job.signs = &s;
    }
    mpq_init(job.scale);
    mpq_set_d(job.scale, b->scale);
    if (status == F2L_OK) {
        bit->negated = is_flipped(job.signs, bit->row);
        status = copy_block_head(&made->head[i], &job, layer->letters, err);
    }
    for (size_t c = 0; status == F2L_OK && c < layer->codes; c++)
        status = copy_column(&made->code[c * made->heads + i], &job,
                             &layer->code[c * layer->heads + bit->head], err);
    mpq_clear(job.scale);
    signs_clear(&s);
    return status;
}

static uint64_t code_hash(const f2l_layer *layer, size_t code)
{
    uint64_t hash = 0;
    for (size_t h = 0; h < layer->heads; h++)
        hash = hash * 31 + f2l_qvec_hash(&layer->code[code * layer->heads + h]);
    return hash;
}

static bool codes_equal(const f2l_layer *layer, size_t a, size_t b)
{
    for (size_t h = 0; h < layer->heads; h++)
        if (f2l_qvec_compare(&layer->code[a * layer->heads + h],
                             &layer->code[b * layer->heads + h]) != 0)
            return false;
    return true;
}

/* Drops codes that are equal: the network's may differ only in columns that no bit reads. */
static f2l_status drop_equal_codes(f2l_layer *layer, f2l_error *err)
{
    uint64_t *hash = f2l_calloc(layer->codes, sizeof *hash);
    size_t kept = 0;
    if (!hash) return f2l_fail_memory(err);
    for (size_t c = 0; c < layer->codes; c++) {
        size_t same = 0;
        hash[kept] = code_hash(layer, c);
        while (same < kept && (hash[same] != hash[kept] || !codes_equal(layer, same, c))) same++;
        if (same < kept) continue;
        for (size_t h = 0; h < layer->heads && c != kept; h++) {
            f2l_qvec *to = &layer->code[kept * layer->heads + h],
                     *from = &layer->code[c * layer->heads + h], swap = *to;
            *to = *from;
            *from = swap;
        }
        kept++;
    }
    for (size_t i = kept * layer->heads; i < layer->codes * layer->heads; i++)
        f2l_qvec_clear(&layer->code[i]);
    layer->codes = kept;
    f2l_free(hash);
    return F2L_OK;
}

static f2l_status copy_layer(f2l_blocks *b, size_t l, f2l_error *err)
{
    const f2l_layer *layer = &b->net->layer[l];
    const size_t bits = b->layer[l].bits;
    f2l_layer *made = &b->recurrence.layer[l];
    f2l_status status = f2l_layer_set_heads(made, layer->letters, bits, err);
    if (status == F2L_OK && bits > 0)
        status = f2l_layer_set_codes(made, layer->codes, layer->symbols, false, err);
    for (size_t i = 0; status == F2L_OK && i < bits; i++) status = copy_bit(b, l, i, err);
    if (status == F2L_OK && bits > 0) status = drop_equal_codes(made, err);
    for (size_t c = 0; status == F2L_OK && bits > 0 && c < made->codes; c++) made->symbol[c] = 0;
    return status;
}

bool f2l_block_write_at(f2l_block_write *out, const f2l_head *head, size_t m)
{
    for (size_t i = 0; i < head->initial.count; i++) {
        const double x = mpq_get_d(head->initial.value[i]);
        const size_t row = head->initial.index[i];
        if (m == 0) {
            *out = (f2l_block_write){.row = row, .value = fabs(x)};
            return true;
        }
        if (m == 1 && x < 0) {
            *out = (f2l_block_write){.row = row, .flip = true};
            return true;
        }
        m -= x < 0 ? 2 : 1;
    }
    return false;
}

static size_t most_writes(const f2l_net *recurrence)
{
    size_t most = 0;
    f2l_block_write write;
    for (size_t l = 0; l < recurrence->layers; l++)
        for (size_t h = 0; h < recurrence->layer[l].heads; h++) {
            size_t m = 0;
            while (f2l_block_write_at(&write, &recurrence->layer[l].head[h], m)) m++;
            most = m > most ? m : most;
        }
    return most;
}

static f2l_status copy_names(f2l_net *out, const f2l_net *net, f2l_error *err)
{
    f2l_status status = f2l_names_copy(&out->letters, &net->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->labels, &net->labels, err);
    if (status == F2L_OK)
        status = f2l_letter_classes_copy(&out->classes, &net->classes, net->letters.count, err);
    out->start = net->start;
    out->label = net->label;
    return status;
}

/* Checks that the prefix rounds nothing: twice the numbers that it writes are values (EB.2). */
static f2l_status check_prefix_writes(const f2l_blocks *b, f2l_error *err)
{
    bool fits = true;
    mpq_t twice;
    mpq_init(twice);
    for (size_t l = 0; l < b->recurrence.layers; l++)
        for (size_t h = 0; h < b->recurrence.layer[l].heads; h++) {
            const f2l_qvec *initial = &b->recurrence.layer[l].head[h].initial;
            for (size_t i = 0; i < initial->count; i++) {
                mpq_mul_2exp(twice, initial->value[i], 1);
                fits = fits && f2l_format_holds(b->format, twice);
            }
        }
    mpq_clear(twice);
    return fits ? F2L_OK
                : f2l_fail(err, F2L_EDOMAIN, "%s does not hold the numbers of an initial state",
                           b->format->name);
}

f2l_status f2l_blocks_choose_recurrence(f2l_blocks *b, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (b->class->silu_keys) status = find_positive(&b->positive_keys, b, err);
    if (status == F2L_OK && b->class->silu_keys && !b->positive_keys && !b->class->signed_keys)
        return f2l_fail(err, F2L_EDOMAIN,
                        "its keys go through SiLU, and no change of signs of coordinates makes all "
                        "keys of this network non-negative");
    b->scale = find_write_scale(b);
    if (status == F2L_OK) status = f2l_net_set_layers(&b->recurrence, b->net->layers, err);
    if (status == F2L_OK) status = copy_names(&b->recurrence, b->net, err);
    for (size_t l = 0; status == F2L_OK && l < b->net->layers; l++) status = copy_layer(b, l, err);
    if (status == F2L_OK) status = check_prefix_writes(b, err);
    const size_t writes = most_writes(&b->recurrence);
    b->writes = writes == 0 ? 1 : (writes + b->factors - 1) / b->factors;
    return status;
}

/* --- the largest coordinate of a key before it is normalised --- */

/* Returns whether all keys of the layer have values of the format before the activation. */
static bool raw_fits(const f2l_blocks *b, const f2l_layer *layer, double raw)
{
    for (size_t h = 0; h < layer->heads; h++)
        for (size_t x = 0; x < layer->letters; x++)
            for (size_t f = 0; f < layer->head[h].letter[x].factors; f++) {
                const f2l_qvec *u = &layer->head[h].letter[x].factor[f].u;
                for (size_t i = 0; i < u->count; i++)
                    if (isnan(f2l_block_key_before(b, u, i, raw))) return false;
            }
    return true;
}

f2l_status f2l_blocks_choose_raw(f2l_blocks *b, f2l_error *err)
{
    const bool small = b->class->silu_keys && !b->positive_keys;
    for (int i = 0; i < 7; i++) {
        const double raw = small ? ldexp(1, -3 - i) : ldexp(1, 4 + i);
        bool fits = true;
        for (size_t l = 0; fits && l < b->recurrence.layers; l++)
            fits = raw_fits(b, &b->recurrence.layer[l], raw);
        b->raw = raw;
        if (fits) return F2L_OK;
    }
    return f2l_fail(err, F2L_EDOMAIN, "some key has no values of %s %s", b->format->name,
                    b->class->silu_keys ? "before SiLU" : "that are proportional to it");
}
