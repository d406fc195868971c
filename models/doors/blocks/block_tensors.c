/* The numbers of the tensors. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* The coordinates of a query and of a key of the prefix before they are normalised. A query has
 * four, so that it becomes 1/2, 1/2, 1/2, 1/2. SiLU returns 16 in every format. */
#define QUERY 16.0
/* What the gate of a unit is where the unit is on. Where it is off the gate is at most -GATE, which
 * SiLU takes to 0. */
#define GATE 128.0

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

/* Returns the channel that is 1 where write `w` of the prefix is read. */
static size_t write_channel(const f2l_blocks *b, size_t w)
{
    return b->tokens + 1 + w;
}

static double silu_before(const f2l_blocks *b, double y)
{
    return f2l_block_before_silu(b->format, y);
}

/* --- queries --- */

static void put_query(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    for (size_t h = 0; h < b->layer[layer].bits; h++) {
        const size_t n = b->recurrence.layer[layer].head[h].n;
        const double x = QUERY / b->constant;
        f2l_block_matrix_put(m, key_row(b, 0, h) + b->layer[layer].bit[h].row, 0, x);
        for (size_t i = n - F2L_BLOCK_ROWS; i < n; i++)
            f2l_block_matrix_put(m, key_row(b, 0, h) + i, 0, x);
    }
}

/* --- keys, values and betas: of the letters, then of the prefix --- */

static void put_key_matrix(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_layer *from = &b->recurrence.layer[layer];
    f2l_block_write write;
    for (size_t h = 0; h < from->heads; h++) {
        for (size_t x = 0; x < from->letters; x++)
            for (size_t f = 0; f < from->head[h].letter[x].factors; f++) {
                const f2l_qvec *u = &from->head[h].letter[x].factor[f].u;
                for (size_t i = 0; i < u->count; i++)
                    f2l_block_matrix_put(m, key_row(b, f, h) + u->index[i], b->symbols[layer] + x,
                                         f2l_block_key_before(b, u, i, b->raw));
            }
        for (size_t w = 0; f2l_block_write_at(&write, &from->head[h], w); w++)
            f2l_block_matrix_put(m, key_row(b, w % b->factors, h) + write.row,
                                 write_channel(b, w / b->factors),
                                 b->class->silu_keys ? silu_before(b, QUERY) : QUERY);
    }
}

static void put_value(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_layer *from = &b->recurrence.layer[layer];
    f2l_block_write write;
    for (size_t h = 0; h < from->heads; h++) {
        for (size_t x = 0; x < from->letters; x++)
            for (size_t f = 0; f < from->head[h].letter[x].factors; f++) {
                const f2l_factor *factor = &from->head[h].letter[x].factor[f];
                if (factor->c.count > 0)
                    f2l_block_matrix_put(
                        m, value_row(b, f, h), b->symbols[layer] + x,
                        silu_before(b, f2l_block_value(factor, factor->c.value[0])));
            }
        for (size_t w = 0; f2l_block_write_at(&write, &from->head[h], w); w++)
            f2l_block_matrix_put(m, value_row(b, w % b->factors, h),
                                 write_channel(b, w / b->factors), silu_before(b, write.value));
    }
}

/* Sets beta = 0 for all factors of all tokens that the block reads. */
static void put_no_beta(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const size_t letters = b->recurrence.layer[layer].letters;
    const double none = f2l_block_before_beta(b->format, 0);
    for (size_t row = 0; row < m->rows; row++) {
        for (size_t x = 0; x < letters; x++)
            f2l_block_matrix_put(m, row, b->symbols[layer] + x, none);
        for (size_t t = 0; t <= b->writes; t++) f2l_block_matrix_put(m, row, b->tokens + t, none);
    }
}

static void put_beta(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_layer *from = &b->recurrence.layer[layer];
    f2l_block_write write;
    put_no_beta(m, b, layer);
    for (size_t h = 0; h < from->heads; h++) {
        for (size_t x = 0; x < from->letters; x++)
            for (size_t f = 0; f < from->head[h].letter[x].factors; f++)
                f2l_block_matrix_put(
                    m, f * b->heads + h, b->symbols[layer] + x,
                    f2l_block_before_beta(b->format,
                                          mpq_get_d(from->head[h].letter[x].factor[f].beta)));
        for (size_t w = 0; f2l_block_write_at(&write, &from->head[h], w); w++)
            f2l_block_matrix_put(m, w % b->factors * b->heads + h, write_channel(b, w / b->factors),
                                 f2l_block_before_beta(b->format, write.flip ? 2 : 1));
    }
}

static void put_output(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    for (size_t h = 0; h < b->layer[layer].bits; h++)
        f2l_block_matrix_put(m, b->bits[layer] + h, h * b->value_dim,
                             b->layer[layer].bit[h].negated ? -1 : 1);
}

/* --- the SwiGLU block --- */

/* A unit's gate is GATE times 1 where the unit is on: 2 for the letter, and 1 for each bit, less
 * their sum, plus 1. Another letter takes 2 away, and so does each other bit. */
static void put_gate(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_block_layer *from = &b->layer[layer];
    for (size_t u = 0; u < from->units; u++) {
        const f2l_block_unit *unit = &from->unit[u];
        for (size_t x = 0; x < b->net->layer[layer].letters; x++)
            if (from->group[x] == unit->group)
                f2l_block_matrix_put(m, u, b->symbols[layer] + x, 2 * GATE);
        for (size_t i = 0; i < unit->bits; i++) {
            const int32_t term = from->term[unit->first + i];
            f2l_block_matrix_put(m, u, b->bits[layer] + (size_t)(term < 0 ? -term : term) - 1,
                                 term < 0 ? -GATE : GATE);
        }
        f2l_block_matrix_put(m, u, 0, -GATE * (double)(unit->bits + 1) / b->constant);
    }
    if (layer + 1 < b->net->layers || b->net->start == F2L_NO_INDEX) return;
    f2l_block_matrix_put(m, from->units, write_channel(b, b->writes - 1), 2 * GATE);
    f2l_block_matrix_put(m, from->units, 0, -GATE / b->constant);
}

static void put_up(f2l_block_matrix *m, const f2l_blocks *b)
{
    for (size_t u = 0; u < m->rows; u++) f2l_block_matrix_put(m, u, 0, 1 / b->constant);
}

static void put_down(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_block_layer *from = &b->layer[layer];
    for (size_t u = 0; u < from->units; u++)
        f2l_block_matrix_put(m, b->symbols[layer + 1] + from->unit[u].symbol, u, 1 / GATE);
    if (layer + 1 < b->net->layers || b->net->start == F2L_NO_INDEX) return;
    f2l_block_matrix_put(m, b->symbols[layer + 1] + b->net->start, from->units, 1 / GATE);
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

f2l_status f2l_block_part_make(f2l_block_matrix *m, const f2l_blocks *b, size_t layer,
                               f2l_block_part part, f2l_error *err)
{
    static const char *const names[F2L_BLOCK_PARTS] = {"queries", "keys",  "values",    "betas",
                                                       "outputs", "gates", "constants", "symbols"};
    const size_t keys = b->heads * b->key_dim, values = b->heads * b->value_dim;
    const size_t rows[F2L_BLOCK_PARTS] = {
        keys,     b->factors * keys, b->factors * values, b->factors * b->heads, b->width, b->inner,
        b->inner, b->width};
    const size_t columns = part == F2L_BLOCK_OUTPUT ? values
                           : part == F2L_BLOCK_DOWN ? b->inner
                                                    : b->width;
    const f2l_status status = f2l_block_matrix_init(m, b->format, rows[part], columns, err);
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
        put_gate(m, b, layer);
        break;
    case F2L_BLOCK_UP:
        put_up(m, b);
        break;
    default:
        put_down(m, b, layer);
        break;
    }
    return check_rounded(m, names[part], layer, err);
}

f2l_status f2l_blocks_embedding(f2l_block_matrix *m, const f2l_blocks *b, f2l_error *err)
{
    const f2l_net *net = b->net;
    const size_t tokens = net->letters.count + 1 + b->writes;
    const f2l_status status = f2l_block_matrix_init(m, b->format, b->vocab, b->width, err);
    for (size_t t = 0; status == F2L_OK && t < tokens; t++) {
        const size_t channel = t < net->letters.count
                                   ? b->symbols[0] + f2l_letter_class(&net->classes, t)
                                   : b->tokens + t - net->letters.count;
        for (size_t i = 0; i < b->constants; i++) f2l_block_matrix_put(m, t, i, b->constant);
        f2l_block_matrix_put(m, t, channel, 1);
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
        f2l_block_matrix_put(m, y, b->symbols[b->net->layers] + y, 1);
    return status;
}
