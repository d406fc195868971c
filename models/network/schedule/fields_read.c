/* Values of settings that are more than a word: formats and numbers after a colon. */
#include "models/network/schedule/fields.h"
#include "models/network/schedule/store.h"
#include <stdio.h>
#include <stdlib.h>

typedef f2l_setting_value value;

/* Sets *out to the index of the value among the words, NULL-terminated. */
static bool read_word_index(int *out, value v, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (f2l_setting_value_is(v, words[i])) {
            *out = i;
            return true;
        }
    return false;
}

/* Removes `tail` from the end of the value if it is there. */
static bool take_tail(value *v, const char *tail)
{
    const size_t size = strlen(tail);
    if (v->size < size || memcmp(v->text + v->size - size, tail, size) != 0) return false;
    v->size -= size;
    return true;
}

/* Splits the value at its first colon; returns whether there is one. *after is what follows. */
static bool split_value(value *v, value *after)
{
    const char *colon = memchr(v->text, ':', v->size);
    if (!colon) return false;
    *after = (value){colon + 1, v->size - (size_t)(colon - v->text) - 1};
    v->size = (size_t)(colon - v->text);
    return true;
}

/* Sets *out to the table's name of a format. */
static bool read_store_format(const char **out, value v)
{
    char name[32];
    if (v.size >= sizeof name) return false;
    memcpy(name, v.text, v.size);
    name[v.size] = '\0';
    const f2l_format *format = f2l_store_format(name);
    if (!format) return false;
    *out = format->name;
    return true;
}

static bool read_count(unsigned *out, value v, unsigned most)
{
    *out = 0;
    for (size_t i = 0; i < v.size; i++) {
        if (v.text[i] < '0' || v.text[i] > '9' || *out > most) return false;
        *out = 10 * *out + (unsigned)(v.text[i] - '0');
    }
    return v.size > 0 && v.text[0] != '0' && *out <= most;
}

static void write_count(char out[F2L_SCHEDULE_NAME], unsigned n)
{
    char text[16];
    snprintf(text, sizeof text, "%u", n);
    f2l_schedule_append(out, text);
}

/* Reads a number from 0 to the largest of fp32 in decimal digits: only an exponent may have a
 * sign. */
static bool read_decimal(double *out, value v)
{
    char copy[32], *end;
    if (v.size == 0 || v.size >= sizeof copy || !strchr("0123456789", v.text[0])) return false;
    for (size_t i = 0; i < v.size; i++)
        if (v.text[i] == '\0' || !strchr("0123456789.e+-", v.text[i])) return false;
    memcpy(copy, v.text, v.size);
    copy[v.size] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite((float)*out);
}

/* Writes the fewest digits that read back as the same number. */
static void write_shortest_number(char out[F2L_SCHEDULE_NAME], double x)
{
    char text[32];
    int digits = 1;
    do snprintf(text, sizeof text, "%.*g", digits, x);
    while (strtod(text, NULL) != x && ++digits <= 17);
    f2l_schedule_append(out, text);
}

/* --- sums --- */

static const char *const sums[] = {"left", "halves", "butterfly", "lanes", "blocks", NULL};

/* Reads an order of sums into *order, the rest of which stays. */
static bool read_sum_order(f2l_schedule_order *order, value v)
{
    value lanes, chains;
    int i;
    const bool sized = split_value(&v, &lanes);
    order->lanes = order->chains = 0;
    if (!read_word_index(&i, v, sums)) return false;
    order->sum = (f2l_sum_order)i;
    if (i < F2L_SUM_LANES) return !sized;
    order->chains = 1;
    if (!sized) return false;
    if (split_value(&lanes, &chains) && !read_count(&order->chains, chains, F2L_SUM_MOST_CHAINS))
        return false;
    if (!read_count(&order->lanes, lanes, F2L_SUM_MOST_LANES)) return false;
    return i == F2L_SUM_BLOCKS || (order->lanes > 1 && (order->lanes & (order->lanes - 1)) == 0);
}

static void write_sum_order(char out[F2L_SCHEDULE_NAME], const f2l_schedule_order *order)
{
    f2l_schedule_append(out, sums[order->sum]);
    if (order->sum < F2L_SUM_LANES) return;
    f2l_schedule_append(out, ":");
    write_count(out, order->lanes);
    if (order->chains == 1) return;
    f2l_schedule_append(out, ":");
    write_count(out, order->chains);
}

bool f2l_read_sum(f2l_schedule *out, value v)
{
    return read_sum_order(&out->order, v);
}

void f2l_write_sum(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    write_sum_order(out, &s->order);
}

bool f2l_read_squares(f2l_schedule *out, value v)
{
    return read_sum_order(&out->squares, v);
}

void f2l_write_squares(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    write_sum_order(out, &s->squares);
}

static const char *const fusions[] = {"none", "sum", "update", "both", NULL};

bool f2l_read_fuse(f2l_schedule *out, value v)
{
    int i;
    if (!read_word_index(&i, v, fusions)) return false;
    out->order.fused_sum = (i & 1) != 0;
    out->order.fused_update = (i & 2) != 0;
    return true;
}

void f2l_write_fuse(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, fusions[s->order.fused_sum + 2 * s->order.fused_update]);
}

/* --- formats --- */

/* Sets *out to the table's name of a format with an exponent. */
static bool read_wide_format(const char **out, value v)
{
    return read_store_format(out, v) && !f2l_store_is_integer(*out);
}

bool f2l_read_operands(f2l_schedule *out, value v)
{
    out->operands = NULL;
    return f2l_setting_value_is(v, "none") || read_store_format(&out->operands, v);
}

void f2l_write_operands(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, s->operands ? s->operands : "none");
}

static const char *const widths[] = {"format", "fp32", NULL};

/* "fp32" is a width, which has one spelling. */
bool f2l_read_state(f2l_schedule *out, value v)
{
    int i;
    const bool stochastic = take_tail(&v, ":stochastic");
    out->store.stochastic = stochastic;
    out->store.format = NULL;
    if (!stochastic && read_word_index(&i, v, widths)) {
        out->state = (f2l_schedule_width)i;
        return true;
    }
    out->state = F2L_WIDTH_FP32;
    return read_store_format(&out->store.format, v);
}

void f2l_write_state(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, s->store.format ? s->store.format : widths[s->state]);
    if (s->store.stochastic) f2l_schedule_append(out, ":stochastic");
}

bool f2l_read_output(f2l_schedule *out, value v)
{
    out->output = NULL;
    out->output_saturates = take_tail(&v, ":saturate");
    if (!out->output_saturates && f2l_setting_value_is(v, "usual")) return true;
    return read_wide_format(&out->output, v);
}

void f2l_write_output(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, s->output ? s->output : "usual");
    if (s->output_saturates) f2l_schedule_append(out, ":saturate");
}

bool f2l_read_ring(f2l_schedule *out, value v)
{
    out->store.ring_format = NULL;
    out->store.ring = !f2l_setting_value_is(v, "none");
    if (!out->store.ring || f2l_setting_value_is(v, "format")) return true;
    return read_wide_format(&out->store.ring_format, v);
}

void f2l_write_ring(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    const char *const name = s->store.ring_format ? s->store.ring_format : "format";
    f2l_schedule_append(out, s->store.ring ? name : "none");
}

bool f2l_read_handover(f2l_schedule *out, value v)
{
    out->handover = NULL;
    return f2l_setting_value_is(v, "fp32") || read_wide_format(&out->handover, v);
}

void f2l_write_handover(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, s->handover ? s->handover : "fp32");
}

/* --- the store --- */

bool f2l_read_letters(f2l_schedule *out, value v)
{
    return read_count(&out->store.letters, v, F2L_STORE_LETTERS);
}

void f2l_write_letters(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    write_count(out, s->store.letters);
}

static const char *const scales[] = {"none", "amax", "pow2", "mx", "static", NULL};

static bool read_scale_format(const char **out, value v)
{
    if (f2l_setting_value_is(v, f2l_store_ue8m0)) {
        *out = f2l_store_ue8m0;
        return true;
    }
    return read_store_format(out, v) && !f2l_store_is_integer(*out) && strcmp(*out, "e2m1") != 0;
}

/* Reads the factor of a static scale: its inverse is a number of fp32, too. */
static bool read_static_scale(double *out, value v)
{
    if (!read_decimal(out, v)) return false;
    const float x = (float)*out;
    *out = (double)x;
    return x >= 0x1p-126F && x <= 0x1p126F;
}

bool f2l_read_scale(f2l_schedule *out, value v)
{
    value after;
    int i;
    const bool more = split_value(&v, &after);
    out->store.scale_format = NULL;
    out->store.static_scale = 0;
    if (!read_word_index(&i, v, scales)) return false;
    out->store.scale = (f2l_scale)i;
    if (i == F2L_SCALE_STATIC) return more && read_static_scale(&out->store.static_scale, after);
    if (!more) return true;
    return i == F2L_SCALE_AMAX && read_scale_format(&out->store.scale_format, after);
}

void f2l_write_scale(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, scales[s->store.scale]);
    if (s->store.scale == F2L_SCALE_STATIC) {
        f2l_schedule_append(out, ":");
        write_shortest_number(out, s->store.static_scale);
    } else if (s->store.scale_format) {
        f2l_schedule_append(out, ":");
        f2l_schedule_append(out, s->store.scale_format);
    }
}

bool f2l_read_most(f2l_schedule *out, value v)
{
    out->store.most = 0;
    if (f2l_setting_value_is(v, "largest")) return true;
    return read_decimal(&out->store.most, v) && out->store.most >= 0x1p-14;
}

void f2l_write_most(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    if (s->store.most > 0)
        write_shortest_number(out, s->store.most);
    else
        f2l_schedule_append(out, "largest");
}

static const char *const blocks[] = {"row", "group", "tile", "head", "tensor", NULL};

static bool is_sized(int block)
{
    return block == F2L_BLOCK_GROUP || block == F2L_BLOCK_TILE;
}

bool f2l_read_block(f2l_schedule *out, value v)
{
    value size;
    int i;
    const bool sized = split_value(&v, &size);
    out->store.block_size = 0;
    if (!read_word_index(&i, v, blocks) || sized != is_sized(i)) return false;
    out->store.block = (f2l_scale_block)i;
    return !sized || read_count(&out->store.block_size, size, F2L_BLOCK_MOST_SIZE);
}

void f2l_write_block(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, blocks[s->store.block]);
    if (!is_sized((int)s->store.block)) return;
    f2l_schedule_append(out, ":");
    write_count(out, s->store.block_size);
}

static const char *const draws[] = {"any", "top", "bottom", "floor", NULL};

bool f2l_read_draw(f2l_schedule *out, value v)
{
    value bits;
    int i;
    const bool sized = split_value(&v, &bits);
    out->store.draw_bits = 0;
    if (!read_word_index(&i, v, draws) || sized != (i != F2L_DRAW_ANY)) return false;
    out->store.draw = (f2l_draw)i;
    return !sized || read_count(&out->store.draw_bits, bits, F2L_DRAW_MOST_BITS);
}

void f2l_write_draw(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, draws[s->store.draw]);
    if (s->store.draw == F2L_DRAW_ANY) return;
    f2l_schedule_append(out, ":");
    write_count(out, s->store.draw_bits);
}

static const char *const residuals[] = {"none", "load", "feedback", NULL};

bool f2l_read_residual(f2l_schedule *out, value v)
{
    value format;
    int i;
    const bool more = split_value(&v, &format);
    const char **const name = &out->store.residual_format;
    *name = NULL;
    if (!read_word_index(&i, v, residuals) || (more && i == 0)) return false;
    out->store.residual = (f2l_residual)i;
    if (more && !read_store_format(name, format)) return false;
    if (*name && strcmp(*name, "fp32") == 0) *name = NULL;
    return true;
}

void f2l_write_residual(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    f2l_schedule_append(out, residuals[s->store.residual]);
    if (!s->store.residual_format) return;
    f2l_schedule_append(out, ":");
    f2l_schedule_append(out, s->store.residual_format);
}

/* --- keys --- */

bool f2l_read_eps(f2l_schedule *out, value v)
{
    return read_decimal(&out->eps, v) && ((float)out->eps > 0 || out->eps == 0);
}

void f2l_write_eps(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    write_shortest_number(out, s->eps);
}

bool f2l_read_raw(f2l_schedule *out, value v)
{
    return read_decimal(&out->raw, v) && (float)out->raw > 0;
}

void f2l_write_raw(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
{
    write_shortest_number(out, s->raw);
}
