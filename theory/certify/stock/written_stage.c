/* A layer on what it reads: its heads' letters, the exact step of its states, and what it adds to
 * the stream (EB.22, EB.23). */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <math.h>
#include <string.h>

static const char too_long[] = "a number of a state is longer than 53 bits";

/* --- where numbers lie --- */

/* Lists the rows of a head's part of a projection that some factor can make other than 0. */
static size_t live(uint32_t *out, const f2l_written_matrix *m, size_t head, size_t size,
                   const f2l_written_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        bool any = false;
        for (size_t f = 0; f < model->factors; f++)
            any = any || !f2l_written_row_empty(m, (f * model->heads + head) * size + i);
        if (any) out[count++] = (uint32_t)i;
    }
    return count;
}

static f2l_status find_head(f2l_written_stage *s, size_t h, f2l_error *err)
{
    const f2l_written_model *m = s->model;
    f2l_written_head *head = &s->head[h];
    head->row = f2l_calloc(m->key_dim, sizeof *head->row);
    head->column = f2l_calloc(m->value_dim, sizeof *head->column);
    if (!head->row || !head->column) return f2l_fail_memory(err);
    head->rows = live(head->row, &s->layer->key, h, m->key_dim, m);
    head->columns = live(head->column, &s->layer->value, h, m->value_dim, m);
    head->state = s->code.length;
    s->code.length += head->rows * head->columns;
    head->query = s->letter.length;
    head->gate = head->query + head->rows;
    s->letter.length = head->gate + (m->kind->hybrid ? head->columns : 0);
    return F2L_OK;
}

static void place_factors(f2l_written_stage *s)
{
    for (size_t h = 0; h < s->model->heads; h++) {
        s->head[h].factor = s->letter.length + s->factor_size;
        s->factor_size += 1 + s->head[h].rows + s->head[h].columns;
    }
    s->letter.length += s->model->factors * s->factor_size + F2L_WRITTEN_FLAGS;
}

/* The scratch of a stage: for f2l_written_letter, _mix and _mlp, of which one is at work. */
static size_t scratch(const f2l_written_model *m)
{
    const size_t keys = m->factors * m->heads * m->key_dim,
                 values = m->factors * m->heads * m->value_dim;
    return 2 * m->width + 2 * keys + 2 * values + m->factors * m->heads + 3 * m->inner;
}

f2l_status f2l_written_stage_init(f2l_written_stage *s, const f2l_written_model *model,
                                  size_t layer, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *s = (f2l_written_stage){.model = model, .layer = &model->layer[layer]};
    s->pair.length = 2;
    s->head = f2l_calloc(model->heads, sizeof *s->head);
    s->room = f2l_calloc(scratch(model), sizeof *s->room);
    if (!s->head || !s->room) return f2l_fail_memory(err);
    status = f2l_written_live_find(&s->live, model, layer, err);
    s->stream.length = s->live.count + 1;
    for (size_t h = 0; status == F2L_OK && h < model->heads; h++) status = find_head(s, h, err);
    place_factors(s);
    return status;
}

void f2l_written_stage_clear(f2l_written_stage *s)
{
    for (size_t h = 0; s->head && h < s->model->heads; h++) {
        f2l_free(s->head[h].row);
        f2l_free(s->head[h].column);
    }
    f2l_free(s->head);
    f2l_free(s->room);
    f2l_free(s->live.channel);
    f2l_written_rows_clear(&s->stream);
    f2l_written_rows_clear(&s->letter);
    f2l_written_rows_clear(&s->code);
    f2l_written_rows_clear(&s->pair);
    f2l_free(s->letter_of);
    f2l_free(s->next_stream);
    f2l_free(s->next_code);
    f2l_free(s->letter_in_words);
    f2l_free(s->code_in_words);
    *s = (f2l_written_stage){0};
}

/* --- letters --- */

static const char *silu_all(double *x, size_t n, const f2l_format *format)
{
    const char *fault = NULL;
    for (size_t i = 0; i < n && !fault; i++)
        if (x[i] != 0) fault = f2l_written_silu(&x[i], x[i], format);
    return fault;
}

/* Sets out[] to a projection of y, after SiLU. */
static const char *project_vector(double *out, const f2l_written_matrix *m, const double *y,
                                  bool silu, const f2l_format *format)
{
    const char *fault = f2l_written_map(out, m, y, format);
    return fault || !silu ? fault : silu_all(out, m->rows, format);
}

/* Sets to[] to the coordinates, of `from`, that the list names. */
static void pick(double *to, const double *from, const uint32_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = from[list[i]];
}

typedef struct flags {
    bool narrow, wide;
} flags;

/* Normalises the parts of `size` numbers, and puts the numbers of the heads' rows into the letter.
 */
static const char *put_units(double *letter, f2l_written_stage *s, const double *x, double *unit,
                             flags *exact)
{
    const f2l_written_model *m = s->model;
    const char *fault = NULL;
    for (size_t h = 0; h < m->heads && !fault; h++) {
        fault = f2l_written_unit(unit, x + h * m->key_dim, m->key_dim, m->format, &exact->narrow,
                                 &exact->wide);
        pick(letter + s->head[h].query, unit, s->head[h].row, s->head[h].rows);
    }
    return fault;
}

static const char *put_letter_keys(double *letter, f2l_written_stage *s, const double *x,
                                   double *unit, flags *exact)
{
    const f2l_written_model *m = s->model;
    const char *fault = NULL;
    for (size_t f = 0; f < m->factors; f++)
        for (size_t h = 0; h < m->heads && !fault; h++) {
            fault = f2l_written_unit(unit, x + (f * m->heads + h) * m->key_dim, m->key_dim,
                                     m->format, &exact->narrow, &exact->wide);
            pick(letter + s->head[h].factor + f * s->factor_size + 1, unit, s->head[h].row,
                 s->head[h].rows);
        }
    return fault;
}

static const char *put_letter_betas(double *letter, f2l_written_stage *s, const double *x)
{
    const f2l_written_model *m = s->model;
    const char *fault = NULL;
    for (size_t f = 0; f < m->factors; f++)
        for (size_t h = 0; h < m->heads && !fault; h++)
            fault = f2l_written_beta(&letter[s->head[h].factor + f * s->factor_size],
                                     x[f * m->heads + h], m->format);
    return fault;
}

static void put_letter_values(double *letter, const f2l_written_stage *s, const double *x)
{
    const f2l_written_model *m = s->model;
    for (size_t f = 0; f < m->factors; f++)
        for (size_t h = 0; h < m->heads; h++)
            pick(letter + s->head[h].factor + f * s->factor_size + 1 + s->head[h].rows,
                 x + (f * m->heads + h) * m->value_dim, s->head[h].column, s->head[h].columns);
}

static const char *put_gates(double *letter, const f2l_written_stage *s, const double *y,
                             double *gate)
{
    const f2l_written_model *m = s->model;
    const char *fault = project_vector(gate, &s->layer->head_gate, y, true, m->format);
    for (size_t h = 0; h < m->heads && !fault; h++)
        pick(letter + s->head[h].gate, gate + h * m->value_dim, s->head[h].column,
             s->head[h].columns);
    return fault;
}

const char *f2l_written_letter(double *letter, f2l_written_stage *s, const double *stream,
                               double squares)
{
    const f2l_written_model *m = s->model;
    const f2l_written_layer *layer = s->layer;
    const bool silu = m->kind->silu_keys;
    const size_t keys = m->factors * m->heads * m->key_dim;
    double *y = s->room, *unit = y + m->width, *x = unit + keys;
    flags exact = {true, true};
    const char *fault = f2l_written_norm(y, stream, layer->before_mixer, m->width, m->width,
                                         squares, m->epsilon, m->format);
    memset(letter, 0, s->letter.length * sizeof *letter);
    if (!fault) fault = project_vector(x, &layer->query, y, silu, m->format);
    if (!fault) fault = put_units(letter, s, x, unit, &exact);
    if (!fault) fault = project_vector(x, &layer->key, y, silu, m->format);
    if (!fault) fault = put_letter_keys(letter, s, x, unit, &exact);
    if (!fault) fault = project_vector(x, &layer->value, y, true, m->format);
    if (!fault) put_letter_values(letter, s, x);
    if (!fault) fault = f2l_written_map(x, &layer->beta, y, m->format);
    if (!fault) fault = put_letter_betas(letter, s, x);
    if (!fault && m->kind->hybrid) fault = put_gates(letter, s, y, x);
    letter[s->letter.length - 2] = exact.narrow;
    letter[s->letter.length - 1] = exact.wide;
    if (!fault && !exact.narrow && !exact.wide)
        fault = "some key or query is rounded in each way of normalising";
    return fault;
}

/* --- the step, in exact arithmetic --- */

/* Sets *out to the exact sum; returns false where binary64 does not hold it. */
static bool add_without_error(double *out, double a, double b)
{
    return f2l_two_sum(out, a, b) == 0;
}

static bool multiply_exactly(double *out, double a, double b)
{
    *out = a * b;
    return fma(a, b, -*out) == 0 && (*out == 0 || fabs(*out) >= 0x1p-500);
}

/* Does one factor on a column: S <- S - beta k (k^T S - v). */
static bool step_state_column(double *state, size_t stride, const double *key, size_t rows,
                              double beta, double value)
{
    f2l_written_sum sum = {0};
    double r, part;
    for (size_t i = 0; i < rows; i++) {
        if (!multiply_exactly(&part, key[i], state[i * stride])) return false;
        f2l_written_add(&sum, part);
    }
    if (!f2l_written_fits(&sum, 53) || !add_without_error(&r, sum.value, -value) ||
        !multiply_exactly(&r, r, beta))
        return false;
    for (size_t i = 0; i < rows; i++) {
        double *at = &state[i * stride];
        if (!multiply_exactly(&part, key[i], r) || !add_without_error(at, *at, -part)) return false;
        *at += 0.0;
    }
    return true;
}

static bool step_heads(double *next, const f2l_written_stage *s, const double *letter)
{
    for (size_t h = 0; h < s->model->heads; h++) {
        const f2l_written_head *head = &s->head[h];
        for (size_t f = 0; f < s->model->factors; f++) {
            const double *factor = letter + head->factor + f * s->factor_size;
            for (size_t j = 0; j < head->columns; j++)
                if (!step_state_column(next + head->state + j, head->columns, factor + 1,
                                       head->rows, factor[0], factor[1 + head->rows + j]))
                    return false;
        }
    }
    return true;
}

/* --- the output --- */

/* Sets o[columns] to K^{-1/2} S^T q, rounded into the format. */
static const char *read_state_out(double *o, const f2l_written_stage *s,
                                  const f2l_written_head *head, const double *letter,
                                  const double *state)
{
    const double scale = 1 / sqrt((double)s->model->key_dim);
    for (size_t j = 0; j < head->columns; j++) {
        f2l_written_sum sum = {0};
        for (size_t i = 0; i < head->rows; i++)
            f2l_written_add(&sum, letter[head->query + i] * scale *
                                      state[head->state + i * head->columns + j]);
        if (!f2l_written_fits(&sum, 24)) return "the output of a head may round in fp32";
        o[j] = f2l_format_round_nearest(s->model->format, sum.value) + 0.0;
        if (!isfinite(o[j])) return "the output of a head is too large";
    }
    return NULL;
}

/* Sets z[value_dim] to what o_proj reads of the head. */
static const char *finish_head(double *z, const f2l_written_stage *s, const f2l_written_head *head,
                               const double *letter, double *o, double *weight)
{
    const f2l_written_model *m = s->model;
    const double epsilon = m->kind->head_epsilon > 0 ? m->kind->head_epsilon : m->epsilon;
    pick(weight, s->layer->head_norm, head->column, head->columns);
    const char *fault =
        f2l_written_norm(o, o, weight, head->columns, m->value_dim, 0, epsilon, m->format);
    for (size_t j = 0; j < head->columns && !fault; j++) {
        f2l_written_sum product = {0};
        f2l_written_add(&product, o[j] * (m->kind->hybrid ? letter[head->gate + j] : 1));
        if (!f2l_written_fits(&product, 24)) fault = "the gate of a head may round in fp32";
        z[head->column[j]] = f2l_format_round_nearest(m->format, product.value) + 0.0;
        if (!isfinite(z[head->column[j]])) fault = "the gate of a head gives too large a number";
    }
    return fault;
}

/* Adds a map of x to the stream; the sums must be numbers of the format. */
static const char *add_map_to_stream(double *stream, const f2l_written_matrix *m, const double *x,
                                     double *room, const f2l_format *format)
{
    const char *fault = f2l_written_map(room, m, x, format);
    for (size_t i = 0; i < m->rows && !fault; i++) {
        if (!add_without_error(&room[i], stream[i], room[i]) ||
            f2l_format_round_nearest(format, room[i]) != room[i])
            fault = "the stream rounds";
        stream[i] = room[i] + 0.0;
    }
    return fault;
}

const char *f2l_written_mix(double *stream, double *next, f2l_written_stage *s,
                            const double *letter, const double *state)
{
    const f2l_written_model *m = s->model;
    const size_t values = m->heads * m->value_dim;
    double *z = s->room, *o = z + values, *weight = o + m->value_dim, *sum = weight + m->value_dim;
    const char *fault = NULL;
    if (s->code.length) memcpy(next, state, s->code.length * sizeof *next);
    if (!step_heads(next, s, letter)) return too_long;
    memset(z, 0, values * sizeof *z);
    for (size_t h = 0; h < m->heads && !fault; h++) {
        fault = read_state_out(o, s, &s->head[h], letter, next);
        if (!fault) fault = finish_head(z + h * m->value_dim, s, &s->head[h], letter, o, weight);
    }
    return fault ? fault : add_map_to_stream(stream, &s->layer->output, z, sum, m->format);
}

const char *f2l_written_mlp(double *stream, f2l_written_stage *s, double squares)
{
    const f2l_written_model *m = s->model;
    double *y = s->room, *gate = y + m->width, *up = gate + m->inner, *sum = up + m->inner;
    const char *fault = f2l_written_norm(y, stream, s->layer->before_mlp, m->width, m->width,
                                         squares, m->epsilon, m->format);
    if (!fault) fault = f2l_written_map(gate, &s->layer->gate, y, m->format);
    if (!fault) fault = f2l_written_map(up, &s->layer->up, y, m->format);
    for (size_t i = 0; i < m->inner && !fault; i++)
        fault = gate[i] == 0 || up[i] == 0 ? (gate[i] = 0, NULL)
                                           : f2l_written_gated(&gate[i], gate[i], up[i], m->format);
    return fault ? fault : add_map_to_stream(stream, &s->layer->down, gate, sum, m->format);
}
