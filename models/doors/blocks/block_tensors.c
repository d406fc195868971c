/* The numbers of the tensors. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* The coordinates of a query and of a key of the prefix before they are normalised. A query has
 * four, so that it becomes 1/2, 1/2, 1/2, 1/2. SiLU returns 16 in every format. */
#define QUERY 16.0
f2l_status f2l_block_matrix_init(f2l_block_matrix *m, const f2l_format *format, size_t rows,
                                 size_t columns, f2l_error *err)
{
    size_t numbers;
    *m = (f2l_block_matrix){.format = format, .rows = rows, .columns = columns};
    if (!f2l_mul_size(&numbers, rows, columns) || numbers > F2L_BLOCK_TABLE)
        return f2l_fail(err, F2L_EDOMAIN, "a tensor of %zu x %zu numbers is too large", rows,
                        columns);
    m->number = f2l_calloc(numbers, sizeof *m->number);
    return m->number ? F2L_OK : f2l_fail_memory(err);
}

void f2l_block_matrix_clear(f2l_block_matrix *m)
{
    f2l_free(m->number);
    *m = (f2l_block_matrix){0};
}

/* Returns the bits of a value: sign, exponent, and the precision - 1 last bits of the significand.
 */
static uint16_t pack_value_bits(const f2l_format *format, double x)
{
    int exponent;
    const int kept = format->precision - 1;
    const unsigned sign = signbit(x) ? 0x8000u : 0;
    const double fraction = frexp(fabs(x), &exponent); /* in [1/2, 1) */
    if (x == 0) return (uint16_t)sign;
    if (exponent - 1 < format->emin)
        return (uint16_t)(sign | (unsigned)ldexp(fabs(x), kept - format->emin));
    const unsigned significand = (unsigned)ldexp(fraction, kept + 1) - (1u << kept);
    return (uint16_t)(sign | (unsigned)(exponent - format->emin) << kept | significand);
}

void f2l_block_matrix_put(f2l_block_matrix *m, size_t row, size_t column, double x)
{
    if (!isfinite(x) || f2l_format_round_nearest(m->format, x) != x)
        m->rounded = true;
    else
        m->number[row * m->columns + column] = pack_value_bits(m->format, x);
}

static size_t key_row(const f2l_blocks *b, size_t factor, size_t head)
{
    return (factor * b->heads + head) * b->key_dim;
}

static size_t value_row(const f2l_blocks *b, size_t factor, size_t head)
{
    return (factor * b->heads + head) * b->value_dim;
}

static double silu_before(const f2l_blocks *b, double y)
{
    return f2l_block_before_silu(b->format, y);
}

static const f2l_transition *act_of_head(const f2l_blocks *b, size_t layer, size_t head, size_t act)
{
    const size_t letter = f2l_block_act_letter(b, layer, act);
    return &b->recurrence.layer[layer].head[head].letter[letter];
}

/* --- queries --- */

/* Puts what a head reads in a view, when an act with this view is read: the rows, the row of the
 * threshold, and as many zeros as make four. The first zero is read by all tokens. */
static void put_read(f2l_block_matrix *m, size_t row, size_t column, const f2l_block_head *head,
                     size_t zero, size_t view)
{
    const f2l_block_read *read = &head->read[view];
    const size_t minus = zero - head->minus - head->plus;
    for (size_t i = 0; i < read->rows; i++)
        f2l_block_matrix_put(m, row + read->row[i], column, QUERY);
    f2l_block_matrix_put(m, row + minus + (read->negated && head->minus), column, QUERY);
    if (read->rows == F2L_BLOCK_SUM) f2l_block_matrix_put(m, row + zero, column, -QUERY);
    if (read->rows == 1) f2l_block_matrix_put(m, row + zero + 1, column, QUERY);
}

static void put_query(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_block_layer *from = &b->layer[layer];
    for (size_t h = 0; h < from->heads; h++) {
        const size_t zero = b->recurrence.layer[layer].head[h].n - F2L_BLOCK_ZEROS;
        f2l_block_matrix_put(m, key_row(b, 0, h) + zero, 0, QUERY / b->constant);
        for (size_t a = 0; a < from->acts; a++)
            put_read(m, key_row(b, 0, h), b->symbols + a, &from->head[h], zero,
                     from->view[from->of_act[a]]);
    }
}

/* --- keys, values and betas: of the acts, then of the prefix --- */

static void put_key_matrix(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    f2l_block_write write;
    for (size_t h = 0; h < b->layer[layer].heads; h++) {
        for (size_t a = 0; a < b->layer[layer].acts; a++) {
            const f2l_transition *act = act_of_head(b, layer, h, a);
            for (size_t f = 0; f < act->factors; f++) {
                const f2l_qvec *u = &act->factor[f].u;
                for (size_t i = 0; i < u->count; i++)
                    f2l_block_matrix_put(m, key_row(b, f, h) + u->index[i], b->symbols + a,
                                         f2l_block_key_before(b, u, i, b->raw));
            }
        }
        const f2l_head *head = &b->recurrence.layer[layer].head[h];
        for (size_t w = 0; f2l_block_write_at(&write, head, w); w++)
            f2l_block_matrix_put(m, key_row(b, w % b->factors, h) + write.row,
                                 f2l_block_write_channel(b, w / b->factors),
                                 b->class->silu_keys ? silu_before(b, QUERY) : QUERY);
    }
}

/* Puts a number for each column of a head. A packed head repeats its columns, so that the norm
 * after it divides by the size of each (EB.5). */
static void put_columns(f2l_block_matrix *m, size_t row, size_t column, size_t at, size_t columns,
                        bool packed, double x)
{
    for (size_t j = at; j < (packed ? F2L_BLOCK_COLUMNS : columns); j += columns)
        f2l_block_matrix_put(m, row + j, column, x);
}

static void put_written(f2l_block_matrix *m, const f2l_blocks *b, size_t layer, size_t h)
{
    const f2l_block_layer *from = &b->layer[layer];
    for (size_t a = 0; a < from->acts; a++) {
        const f2l_transition *act = act_of_head(b, layer, h, a);
        for (size_t f = 0; f < act->factors; f++) {
            const f2l_factor *factor = &act->factor[f];
            for (size_t i = 0; i < factor->c.count; i++)
                put_columns(m, value_row(b, f, h), b->symbols + a, factor->c.index[i],
                            from->head[h].columns, from->packed,
                            silu_before(b, f2l_block_value(factor, factor->c.value[i])));
        }
    }
}

static void put_value(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    f2l_block_write write;
    for (size_t h = 0; h < b->layer[layer].heads; h++) {
        const f2l_head *head = &b->recurrence.layer[layer].head[h];
        put_written(m, b, layer, h);
        for (size_t w = 0; f2l_block_write_at(&write, head, w); w++)
            for (size_t j = 0; j < head->d && !write.flip; j++) {
                const mpq_t *x = f2l_block_entry(&head->initial, write.row * head->d + j);
                if (x)
                    put_columns(m, value_row(b, w % b->factors, h),
                                f2l_block_write_channel(b, w / b->factors), j, head->d,
                                b->layer[layer].packed, silu_before(b, fabs(mpq_get_d(*x))));
            }
    }
}

/* Sets beta = 0 for all factors of all tokens that the block reads. */
static void put_no_beta(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const double none = f2l_block_before_beta(b->format, 0);
    for (size_t row = 0; row < m->rows; row++) {
        for (size_t a = 0; a < b->layer[layer].acts; a++)
            f2l_block_matrix_put(m, row, b->symbols + a, none);
        for (size_t t = 0; t <= b->writes; t++) f2l_block_matrix_put(m, row, b->tokens + t, none);
    }
}

static void put_beta(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    f2l_block_write write;
    put_no_beta(m, b, layer);
    for (size_t h = 0; h < b->layer[layer].heads; h++) {
        for (size_t a = 0; a < b->layer[layer].acts; a++) {
            const f2l_transition *act = act_of_head(b, layer, h, a);
            for (size_t f = 0; f < act->factors; f++)
                f2l_block_matrix_put(
                    m, f * b->heads + h, b->symbols + a,
                    f2l_block_before_beta(b->format, mpq_get_d(act->factor[f].beta)));
        }
        const f2l_head *head = &b->recurrence.layer[layer].head[h];
        for (size_t w = 0; f2l_block_write_at(&write, head, w); w++)
            f2l_block_matrix_put(m, w % b->factors * b->heads + h,
                                 f2l_block_write_channel(b, w / b->factors),
                                 f2l_block_before_beta(b->format, write.flip ? 2 : 1));
    }
}

static void put_output(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    for (size_t h = 0; h < b->layer[layer].heads; h++) {
        const f2l_block_head *head = &b->layer[layer].head[h];
        for (size_t j = 0; j < head->columns; j++)
            f2l_block_matrix_put(m, b->bits + head->bit + j, h * b->value_dim + j, 1);
    }
}

/* --- all --- */

static f2l_status check_rounded(const f2l_block_matrix *m, const char *what, size_t layer,
                                f2l_error *err)
{
    return m->rounded ? f2l_fail(err, F2L_EDOMAIN,
                                 "layer %zu: some number of its %s is given by no value of %s",
                                 layer + 1, what, m->format->name)
                      : F2L_OK;
}

void f2l_block_part_shape(size_t *rows, size_t *columns, const f2l_blocks *b, f2l_block_part part)
{
    const size_t keys = b->heads * b->key_dim, values = b->heads * b->value_dim;
    const size_t of[F2L_BLOCK_PARTS] = {
        keys,     b->factors * keys, b->factors * values, b->factors * b->heads, b->width, b->inner,
        b->inner, b->width};
    *rows = of[part];
    *columns = part == F2L_BLOCK_OUTPUT ? values : part == F2L_BLOCK_DOWN ? b->inner : b->width;
}

f2l_status f2l_block_part_make(f2l_block_matrix *m, const f2l_blocks *b, size_t layer,
                               f2l_block_part part, f2l_error *err)
{
    static const char *const names[F2L_BLOCK_PARTS] = {"queries", "keys",  "values",    "betas",
                                                       "outputs", "gates", "constants", "symbols"};
    size_t rows, columns;
    f2l_block_part_shape(&rows, &columns, b, part);
    const f2l_status status = f2l_block_matrix_init(m, b->format, rows, columns, err);
    if (status != F2L_OK) return status;
    switch (part) {
    case F2L_BLOCK_QUERY:
        put_query(m, b, layer);
        break;
    case F2L_BLOCK_KEY:
        put_key_matrix(m, b, layer);
        break;
    case F2L_BLOCK_VALUE:
        put_value(m, b, layer);
        break;
    case F2L_BLOCK_BETA:
        put_beta(m, b, layer);
        break;
    case F2L_BLOCK_OUTPUT:
        put_output(m, b, layer);
        break;
    case F2L_BLOCK_GATE:
        f2l_block_put_gate(m, b, layer);
        break;
    case F2L_BLOCK_UP:
        f2l_block_put_up(m, b, layer);
        break;
    default:
        f2l_block_put_down(m, b, layer);
        break;
    }
    return check_rounded(m, names[part], layer, err);
}

/* Puts the letter of layer 1 that a token is. */
static void put_letter(f2l_block_matrix *m, const f2l_blocks *b, size_t token)
{
    const f2l_block_layer *first = &b->layer[0];
    const size_t letter = f2l_letter_class(&b->net->classes, token);
    f2l_block_matrix_put(m, token, b->letter, 1);
    f2l_block_matrix_put(m, token, b->symbols + first->act[letter], 1);
    for (size_t j = 0; j < b->bits - b->digits; j++)
        f2l_block_matrix_put(m, token, b->digits + j,
                             f2l_block_digit(first, first->group[letter], j));
}

f2l_status f2l_blocks_embedding(f2l_block_matrix *m, const f2l_blocks *b, f2l_error *err)
{
    const size_t letters = b->net->letters.count;
    const f2l_status status = f2l_block_matrix_init(m, b->format, b->vocab, b->width, err);
    for (size_t t = 0; status == F2L_OK && t < letters + 1 + b->writes; t++) {
        for (size_t i = 0; i < b->constants; i++) f2l_block_matrix_put(m, t, i, b->constant);
        if (t < letters)
            put_letter(m, b, t);
        else
            f2l_block_matrix_put(m, t, b->tokens + t - letters, 1);
    }
    return status == F2L_OK && m->rounded
               ? f2l_fail(err, F2L_EDOMAIN, "%s is too small for this network's stream",
                          b->format->name)
               : status;
}

f2l_status f2l_blocks_labels(f2l_block_matrix *m, const f2l_blocks *b, f2l_error *err)
{
    const f2l_status status = f2l_block_matrix_init(m, b->format, b->vocab, b->width, err);
    for (size_t y = 0; status == F2L_OK && y < b->net->labels.count; y++)
        f2l_block_matrix_put(m, y, b->symbols + y, 1);
    return status;
}
