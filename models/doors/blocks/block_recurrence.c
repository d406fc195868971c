/* The recurrence of the heads: their columns of a network's head, and the thresholds. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdlib.h>

/* Numbers of states and values are at least this, in absolute value, so that SiLU returns them, and
 * so that the epsilon of the norm after a head is nothing beside a difference of two of them. */
#define LEAST 64.0

/* --- the scale --- */

static void take_least(double *least, const mpq_t x)
{
    const double size = fabs(mpq_get_d(x));
    if (size > 0 && size < *least) *least = size;
}

/* Considers the numbers that a column of a head writes. */
static void take_written(double *least, const f2l_block_layer *made, const f2l_head *from,
                         const f2l_block_column *column)
{
    mpq_t x;
    mpq_init(x);
    for (size_t r = 0; r < from->n; r++) {
        f2l_block_number(x, column, &from->initial, from->d, r);
        take_least(least, x);
    }
    for (size_t a = 0; a < made->acts; a++) {
        const f2l_transition *t = &from->letter[made->of_act[a]];
        for (size_t f = 0; f < t->factors; f++) {
            f2l_block_written(x, column, &t->factor[f]);
            const double value = fabs(f2l_block_value(&t->factor[f], x));
            if (value > 0 && value < *least) *least = value;
        }
    }
    mpq_clear(x);
}

/* Considers the numbers that a head writes and compares. */
static void take_head(double *least, const f2l_block_layer *made, const f2l_layer *layer,
                      const f2l_block_head *head)
{
    mpq_t gap;
    mpq_init(gap);
    take_least(least, head->threshold);
    for (size_t j = 0; j < head->columns; j++) {
        take_written(least, made, &layer->head[head->from], &head->column[j]);
        for (size_t v = 0; v < made->views && !made->packed; v++)
            for (size_t c = 0; c < layer->codes; c++) {
                f2l_block_sum(gap, layer, head, v, j, c);
                mpq_sub(gap, gap, head->threshold);
                take_least(least, gap);
            }
    }
    mpq_clear(gap);
}

static double find_write_scale(const f2l_blocks *b)
{
    double least = LEAST;
    for (size_t l = 0; l < b->net->layers; l++)
        for (size_t h = 0; h < b->layer[l].heads; h++)
            take_head(&least, &b->layer[l], &b->net->layer[l], &b->layer[l].head[h]);
    return exp2(ceil(log2(LEAST / least)));
}

/* --- the heads --- */

typedef struct builder {
    const f2l_layer *layer;
    const f2l_block_layer *made;
    const f2l_head *from;
    f2l_block_head *head;
    const f2l_block_signs *signs; /* NULL: no row changes its sign */
    mpq_t scale;
} builder;

/* Appends a row whose numbers are the threshold, or minus it. */
static f2l_status push_threshold(f2l_qvec *out, const builder *b, size_t row, bool minus,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpq_t x;
    mpq_init(x);
    mpq_mul(x, b->head->threshold, b->scale);
    if (minus) mpq_neg(x, x);
    for (size_t j = 0; status == F2L_OK && mpq_sgn(x) != 0 && j < b->head->columns; j++)
        status = f2l_qvec_push(out, (uint32_t)(row * b->head->columns + j), x, err);
    mpq_clear(x);
    return status;
}

/* Appends the columns of a state, scaled, with their signs, and the thresholds. */
static f2l_status copy_state(f2l_qvec *out, const builder *b, const f2l_qvec *state, f2l_error *err)
{
    const size_t n = b->from->n, columns = b->head->columns;
    f2l_status status = F2L_OK;
    mpq_t x;
    mpq_init(x);
    for (size_t row = 0; row < n; row++)
        for (size_t j = 0; status == F2L_OK && j < columns; j++) {
            f2l_block_number(x, &b->head->column[j], state, b->from->d, row);
            if (mpq_sgn(x) == 0) continue;
            mpq_mul(x, x, b->scale);
            if (f2l_block_is_flipped(b->signs, row)) mpq_neg(x, x);
            status = f2l_qvec_push(out, (uint32_t)(row * columns + j), x, err);
        }
    mpq_clear(x);
    if (status == F2L_OK && b->head->minus) status = push_threshold(out, b, n, true, err);
    if (status == F2L_OK && b->head->plus)
        status = push_threshold(out, b, n + b->head->minus, false, err);
    return status;
}

/* Copies a factor, with the key's sign such that what it writes is not negative; without a write
 * the key's first number is positive. */
static f2l_status copy_factor_with_sign(f2l_factor *out, const builder *b, const f2l_factor *factor,
                                        f2l_error *err)
{
    const f2l_qvec *u = &factor->u;
    f2l_status status = F2L_OK;
    bool turn = (mpq_sgn(u->value[0]) < 0) != f2l_block_is_flipped(b->signs, u->index[0]);
    mpq_t x;
    mpq_init(x);
    for (size_t j = 0; status == F2L_OK && j < b->head->columns; j++) {
        f2l_block_written(x, &b->head->column[j], factor);
        if (mpq_sgn(x) == 0) continue;
        mpq_mul(x, x, b->scale);
        turn = mpq_sgn(x) < 0;
        mpq_abs(x, x);
        status = f2l_qvec_push(&out->c, (uint32_t)j, x, err);
    }
    mpq_set(out->beta, factor->beta);
    for (size_t i = 0; status == F2L_OK && i < u->count; i++) {
        mpq_set(x, u->value[i]);
        if (turn != f2l_block_is_flipped(b->signs, u->index[i])) mpq_neg(x, x);
        status = f2l_qvec_push(&out->u, u->index[i], x, err);
    }
    mpq_clear(x);
    return status;
}

/* Sets the signs of the read-outs, and so the rows of thresholds. */
static void set_read_signs(const builder *b)
{
    for (size_t v = 0; v < b->made->views; v++) {
        f2l_block_read *read = &b->head->read[v];
        read->negated = f2l_block_is_flipped(b->signs, read->row[0]);
        b->head->plus = b->head->plus || read->negated;
        b->head->minus = b->head->minus || !read->negated;
    }
}

static f2l_status copy_block_head(f2l_head *out, const builder *b, bool acts, f2l_error *err)
{
    out->n = b->from->n + b->head->minus + b->head->plus + F2L_BLOCK_ZEROS;
    out->d = b->head->columns;
    f2l_status status = copy_state(&out->initial, b, &b->from->initial, err);
    const size_t letters = acts ? b->made->acts : b->layer->letters;
    for (size_t x = 0; status == F2L_OK && x < letters; x++) {
        const f2l_transition *from = &b->from->letter[acts ? b->made->of_act[x] : x];
        status = f2l_transition_set_factors(&out->letter[x], from->factors, err);
        for (size_t f = 0; status == F2L_OK && f < from->factors; f++)
            status = copy_factor_with_sign(&out->letter[x].factor[f], b, &from->factor[f], err);
    }
    return status;
}

static f2l_status copy_head(f2l_blocks *b, size_t l, size_t h, f2l_error *err)
{
    const f2l_layer *layer = &b->net->layer[l];
    f2l_layer *made = &b->recurrence.layer[l];
    f2l_block_head *head = &b->layer[l].head[h];
    f2l_block_signs s = {0};
    builder job = {
        .layer = layer, .made = &b->layer[l], .from = &layer->head[head->from], .head = head};
    f2l_status status = F2L_OK;
    if (b->positive_keys) {
        status = f2l_block_signs_find(&s, &b->layer[l], layer, head, err);
        job.signs = &s;
    }
    mpq_init(job.scale);
    mpq_set_d(job.scale, b->scale);
    if (status == F2L_OK) {
        set_read_signs(&job);
        status = copy_block_head(&made->head[h], &job, l > 0, err);
    }
    for (size_t c = 0; status == F2L_OK && c < layer->codes; c++)
        status = copy_state(&made->code[c * made->heads + h], &job,
                            &layer->code[c * layer->heads + head->from], err);
    mpq_clear(job.scale);
    f2l_block_signs_clear(&s);
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
    const size_t heads = b->layer[l].heads, last = b->net->layers - 1;
    const size_t symbols = l == last ? layer->symbols : b->layer[l + 1].acts;
    f2l_layer *made = &b->recurrence.layer[l];
    f2l_status status =
        f2l_layer_set_heads(made, l == 0 ? layer->letters : b->layer[l].acts, heads, err);
    if (status == F2L_OK && heads > 0)
        status = f2l_layer_set_codes(made, layer->codes, symbols, false, err);
    for (size_t h = 0; status == F2L_OK && h < heads; h++) status = copy_head(b, l, h, err);
    if (status == F2L_OK && heads > 0) status = drop_equal_codes(made, err);
    for (size_t c = 0; status == F2L_OK && heads > 0 && c < made->codes; c++) made->symbol[c] = 0;
    return status;
}

bool f2l_block_write_at(f2l_block_write *out, const f2l_head *head, size_t m)
{
    for (size_t i = 0; i < head->initial.count; i++) {
        const size_t row = head->initial.index[i] / head->d;
        const bool negative = mpq_sgn(head->initial.value[i]) < 0;
        if (i > 0 && head->initial.index[i - 1] / head->d == row) continue;
        if (m == 0 || (m == 1 && negative)) {
            *out = (f2l_block_write){.row = row, .flip = m == 1};
            return true;
        }
        m -= negative ? 2 : 1;
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
