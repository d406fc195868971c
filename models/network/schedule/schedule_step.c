/* The walk of a step in floating-point numbers.
 *
 * Decisions that depend on the format and the schedule are made once for a letter: the arithmetic
 * and the order are constants at the calls of step_letter, and the compiler makes a copy of the
 * walk for each. */
#include "models/network/schedule/float_net.h"
#include <assert.h>
#include <float.h>

static_assert(FLT_EVAL_METHOD == 0, "float and double operations must round to their own types");

#define INLINE static inline __attribute__((always_inline))

/* Rounds a double into the format, to nearest: only values near the ends of the format's range take
 * the slow path. */
INLINE double quick_round(const f2l_float_net *net, double x)
{
    const f2l_quick *quick = &net->quick;
    uint64_t bits;
    if (x == 0) return 0;
    memcpy(&bits, &x, sizeof bits);
    if (((unsigned)(bits >> 52) & 0x7ff) - quick->least >= quick->binades)
        return f2l_format_round(net->format, x);
    bits = (bits + quick->half + (bits >> quick->drop & 1)) & quick->mask;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE double operate(f2l_arithmetic in, const f2l_float_net *net, f2l_operation operation,
                      double a, double b)
{
    if (in == F2L_ARITHMETIC_DOUBLE) return f2l_format_double_op(operation, a, b);
    if (in == F2L_ARITHMETIC_NARROW) return quick_round(net, f2l_format_double_op(operation, a, b));
    if (in == F2L_ARITHMETIC_ANY) return f2l_format_op(net->format, operation, a, b);
    const float x = (float)a, y = (float)b;
    return operation == F2L_ADD   ? (double)(x + y)
           : operation == F2L_SUB ? (double)(x - y)
                                  : (double)(x * y); /* no schedule divides */
}

/* Returns a b + c, rounded once. */
INLINE double fuse(f2l_arithmetic in, const f2l_float_net *net, double a, double b, double c)
{
    if (in == F2L_ARITHMETIC_DOUBLE) return fma(a, b, c);
    if (in == F2L_ARITHMETIC_FLOAT) return (double)fmaf((float)a, (float)b, (float)c);
    return f2l_format_fma(net->format, a, b, c);
}

/* Returns x with -0 replaced by +0: a state has only the zero +0, but float and double operations
 * may give -0. */
INLINE double stored_zero(f2l_arithmetic in, double x)
{
    return in == F2L_ARITHMETIC_FLOAT || in == F2L_ARITHMETIC_DOUBLE ? x + 0.0 : x;
}

static void store_head(const f2l_float_net *net, const f2l_float_head *head, double *state,
                       double *residual)
{
    if (net->storing == F2L_STORING_NOTHING) return;
    if (net->storing == F2L_STORING_BLOCKS)
        f2l_store_state(&net->store, state, residual, head->n, head->d);
    else if (net->arithmetic == F2L_ARITHMETIC_NARROW)
        for (size_t i = 0; i < head->n * head->d; i++) state[i] = quick_round(net, state[i]);
    else
        for (size_t i = 0; i < head->n * head->d; i++)
            state[i] = f2l_format_round(net->format, state[i]);
}

typedef struct walk_machine {
    f2l_arithmetic in;
    const f2l_float_net *net;
    const f2l_float_head *head;
    double *state;
    double *S;    /* the column, stride d between rows */
    double v;     /* the factor's value in the column */
    size_t write; /* the next entry of the factor's value */
    double *reg;  /* [F2L_STEP_REGISTERS] */
    double fold;  /* the gate by which keys in products with the state are multiplied; 1: none */
    double *ring; /* [n][d] the sums of a ring; NULL: there is none */
} walk_machine;

#define WALK_GATES

#include "models/network/schedule/walk.inc"

WALK bool walk_goes_on(const walk_machine *m)
{
    (void)m;
    return true;
}

WALK void walk_gate(walk_machine *m, size_t letter)
{
    const double gate = m->head->gate[letter];
    for (size_t i = 0; gate != 1 && i < m->head->n * m->head->d; i++)
        m->state[i] = stored_zero(m->in, operate(m->in, m->net, F2L_MUL, m->state[i], gate));
}

WALK void walk_gate_column(walk_machine *m, size_t letter)
{
    const double gate = m->head->gate[letter];
    for (size_t i = 0; gate != 1 && i < m->head->n; i++) {
        double *entry = &m->S[i * m->head->d];
        *entry = stored_zero(m->in, operate(m->in, m->net, F2L_MUL, *entry, gate));
    }
}

WALK void walk_gate_sum(walk_machine *m, size_t letter)
{
    const double gate = m->head->gate[letter];
    if (gate != 1) m->reg[0] = operate(m->in, m->net, F2L_MUL, m->reg[0], gate);
}

WALK void walk_fold_gate(walk_machine *m, size_t letter)
{
    m->fold = letter == F2L_NO_INDEX ? 1 : m->head->gate[letter];
}

WALK void walk_store(walk_machine *m)
{
    store_head(m->net, m->head, m->state, NULL);
}

WALK void walk_bias(walk_machine *m, size_t letter)
{
    const f2l_float_head *head = m->head;
    for (size_t i = head->bias_first[letter]; i < head->bias_first[letter + 1]; i++) {
        double *entry = &m->state[head->bias_index[i]];
        *entry = stored_zero(m->in, operate(m->in, m->net, F2L_ADD, *entry, head->bias[i]));
    }
}

WALK walk_range walk_factors(const walk_machine *m, size_t letter)
{
    return (walk_range){m->head->first[letter], m->head->first[letter + 1]};
}

WALK walk_range walk_columns(const walk_machine *m)
{
    return (walk_range){0, m->head->d};
}

/* Where v and all S that the key touches are zero every operation gives zero. */
WALK bool walk_column(walk_machine *m, size_t factor, size_t column)
{
    const f2l_float_head *head = m->head;
    if (column == 0) m->write = head->value_first[factor];
    const bool writes =
        m->write < head->value_first[factor + 1] && head->column[m->write] == column;
    m->S = m->state + column;
    m->v = writes ? head->value[m->write++] : 0;
    bool zero = m->v == 0;
    for (size_t q = head->key_first[factor]; zero && q < head->key_first[factor + 1]; q++)
        zero = m->S[head->row[q]] == 0;
    return !zero;
}

WALK walk_range walk_keys(const walk_machine *m, size_t factor)
{
    return (walk_range){m->head->key_first[factor], m->head->key_first[factor + 1]};
}

WALK unsigned walk_sums(const walk_machine *m, size_t q)
{
    return m->head->sums[q];
}

/* Returns S_q as an operand of a product. */
WALK double operand(const walk_machine *m, bool narrow, size_t q)
{
    const double x = m->S[m->head->row[q]];
    return narrow ? f2l_format_round(m->net->operands, x) : x;
}

/* Returns k_q as a factor of a product with the state. */
WALK double key_in_sum(const walk_machine *m, size_t q)
{
    const double key = m->head->key[q];
    return m->fold == 1 ? key : operate(m->in, m->net, F2L_MUL, key, m->fold);
}

WALK void walk_product(walk_machine *m, bool narrow, size_t to, size_t q)
{
    m->reg[to] = operate(m->in, m->net, F2L_MUL, key_in_sum(m, q), operand(m, narrow, q));
}

WALK void walk_add_product(walk_machine *m, bool narrow, size_t to, size_t q)
{
    m->reg[to] = fuse(m->in, m->net, key_in_sum(m, q), operand(m, narrow, q), m->reg[to]);
}

WALK void walk_add(walk_machine *m, size_t to, size_t q)
{
    (void)q;
    m->reg[to] = operate(m->in, m->net, F2L_ADD, m->reg[to], m->reg[to + 1]);
}

WALK void walk_subtract_value(walk_machine *m, size_t factor)
{
    (void)factor;
    if (m->v != 0) m->reg[0] = operate(m->in, m->net, F2L_SUB, m->reg[0], m->v);
}

/* Adds the product of key and update of a factor, as the ring keeps them, to its sums. */
static void push_update(const walk_machine *m, size_t factor)
{
    const f2l_float_head *head = m->head;
    const f2l_format *kept = f2l_schedule_ring_format(m->net->schedule, m->net->format);
    double *const sum = m->ring + (m->S - m->state);
    const float d = (float)f2l_format_round_nearest(kept, m->reg[0]);
    for (size_t q = head->key_first[factor]; q < head->key_first[factor + 1]; q++) {
        const float key = (float)f2l_format_round_nearest(kept, head->key[q]);
        double *const at = &sum[head->row[q]];
        *at = (double)fmaf(-key, d, (float)*at) + 0.0;
    }
}

WALK void walk_scale(walk_machine *m, bool narrow, size_t factor)
{
    m->reg[0] = operate(m->in, m->net, F2L_MUL, m->head->beta[factor], m->reg[0]);
    if (narrow) m->reg[0] = f2l_format_round(m->net->operands, m->reg[0]);
    if (m->ring) push_update(m, factor);
}

WALK void walk_subtract_product(walk_machine *m, size_t q)
{
    double *entry = &m->S[m->head->row[q]];
    *entry = stored_zero(m->in, fuse(m->in, m->net, -m->head->key[q], m->reg[0], *entry));
}

WALK void walk_product_back(walk_machine *m, size_t q)
{
    m->reg[1] = operate(m->in, m->net, F2L_MUL, m->head->key[q], m->reg[0]);
}

WALK void walk_subtract(walk_machine *m, size_t q)
{
    double *entry = &m->S[m->head->row[q]];
    *entry = stored_zero(m->in, operate(m->in, m->net, F2L_SUB, *entry, m->reg[1]));
}

INLINE void step_letter(f2l_arithmetic in, f2l_schedule_order order, bool narrow,
                        const f2l_float_net *net, const f2l_float_head *head, size_t letter,
                        double *state, double *ring)
{
    double reg[F2L_STEP_REGISTERS];
    const size_t used = order.sum == F2L_SUM_LEFT ? 2 : F2L_STEP_REGISTERS;
    for (size_t i = 0; i < used; i++) reg[i] = 0;
    walk_machine m = {.in = in, .net = net, .head = head, .state = state, .reg = reg, .fold = 1};
    m.ring = ring;
    walk_letter(order, narrow, &m, letter);
}

/* Makes the usual orders constants. */
INLINE void step_in_order(f2l_arithmetic in, f2l_schedule_order order, const f2l_float_net *net,
                          const f2l_float_head *head, size_t letter, double *state)
{
    const f2l_schedule_order plain = {.sum = F2L_SUM_LEFT};
    const f2l_schedule_order updates = {.sum = F2L_SUM_LEFT, .fused_update = true};
    const f2l_schedule_order fma = {.sum = F2L_SUM_LEFT, .fused_sum = true, .fused_update = true};
    const f2l_schedule_order halves = {.sum = F2L_SUM_HALVES};
    const f2l_schedule_order recurrent = {.sum = F2L_SUM_HALVES, .fused_update = true};
    const bool usual = order.gate == F2L_GATE_EARLY && order.sum <= F2L_SUM_HALVES &&
                       (!order.fused_sum || order.fused_update) && !order.store_factors;
    if (!usual)
        step_letter(in, order, false, net, head, letter, state, NULL);
    else if (order.sum == F2L_SUM_HALVES)
        order.fused_update ? step_letter(in, recurrent, false, net, head, letter, state, NULL)
                           : step_letter(in, halves, false, net, head, letter, state, NULL);
    else if (order.fused_sum)
        step_letter(in, fma, false, net, head, letter, state, NULL);
    else
        order.fused_update ? step_letter(in, updates, false, net, head, letter, state, NULL)
                           : step_letter(in, plain, false, net, head, letter, state, NULL);
}

/* Steps by one letter of the head, whose letters are the classes of equal letters. */
static void step_float_head(const f2l_float_net *net, const f2l_float_head *head, size_t letter,
                            double *state)
{
    const f2l_schedule_order order = net->schedule->order;
    if (net->operands) { /* only with operations in fp32 */
        step_letter(F2L_ARITHMETIC_FLOAT, order, true, net, head, letter, state, NULL);
        return;
    }
    switch (net->work) {
    case F2L_ARITHMETIC_NARROW:
        step_in_order(F2L_ARITHMETIC_NARROW, order, net, head, letter, state);
        break;
    case F2L_ARITHMETIC_FLOAT:
        step_in_order(F2L_ARITHMETIC_FLOAT, order, net, head, letter, state);
        break;
    case F2L_ARITHMETIC_DOUBLE:
        step_in_order(F2L_ARITHMETIC_DOUBLE, order, net, head, letter, state);
        break;
    case F2L_ARITHMETIC_ANY:
        step_letter(F2L_ARITHMETIC_ANY, order, false, net, head, letter, state, NULL);
        break;
    }
}

void f2l_float_step_head(const f2l_float_net *net, size_t layer, size_t h, size_t letter,
                         double *state)
{
    if (net->schedule->exact_matrices)
        f2l_step_cast(net, layer, h, letter, state);
    else
        step_float_head(net, &net->layer[layer].head[h],
                        f2l_float_letter(&net->layer[layer], letter), state);
}

void f2l_float_step_factor(const f2l_float_net *net, size_t layer, size_t h, size_t letter,
                           size_t factor, double *state)
{
    /* The factor as the only one of the only letter of a head. */
    f2l_float_head alone = net->layer[layer].head[h];
    const size_t at = alone.first[f2l_float_letter(&net->layer[layer], letter)] + factor;
    size_t first[2] = {at, at + 1}, no_bias[2] = {0, 0};
    double gate = 1;
    alone.first = first;
    alone.gate = &gate;
    alone.bias_first = no_bias;
    step_float_head(net, &alone, 0, state);
}

void f2l_float_step_ring(const f2l_float_net *net, const f2l_float_head *head, size_t letter,
                         double *state, double *ring)
{
    step_letter(F2L_ARITHMETIC_FLOAT, net->schedule->order, false, net, head, letter, state, ring);
}

void f2l_float_store(const f2l_float_net *net, size_t layer, size_t h, double *state,
                     double *residual)
{
    store_head(net, &net->layer[layer].head[h], state, residual);
}
