/* The action of the heads of a D1 form (theory/pages/d1.md, D1.8 (a), (b)), and all of it in a
 * format (D1.10). */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"

#define POLL_EVERY 256

/* Sets state[numbers] to the vector; returns false when a number is not a value of the format. */
static bool dense(double *state, size_t numbers, const f2l_qvec *v, const f2l_format *format)
{
    bool held = true;
    for (size_t i = 0; i < numbers; i++) state[i] = 0;
    for (size_t i = 0; i < v->count; i++) {
        held = held && f2l_format_holds(format, v->value[i]);
        state[v->index[i]] = mpq_get_d(v->value[i]);
    }
    return held;
}

/* The clock's heads, of all layers one after the other; at most two per layer. */
typedef struct ticking {
    const f2l_d1_check *c;
    const f2l_float_net *rounded; /* NULL: exact arithmetic only */
    const f2l_format *format;
    f2l_qvec *state; /* [2 * layers] */
    double **number; /* [2 * layers] the same in the format; NULL when `rounded` is NULL */
    uint32_t *code;  /* receives the heads' next codes; NULL: not stored */
} ticking;

static size_t head_numbers(const f2l_wired_head *head)
{
    return head->head.n * head->head.d;
}

static f2l_status start_head(ticking *t, size_t b, size_t h, f2l_error *err)
{
    const f2l_wired_head *head = &t->c->net->block[b].head[h];
    const size_t at = 2 * b + h;
    f2l_status status = f2l_qvec_copy(&t->state[at], &t->c->net->stage[b].initial[h], err);
    if (status != F2L_OK || !t->rounded) return status;
    t->number[at] = f2l_calloc(head_numbers(head), sizeof **t->number);
    if (!t->number[at]) return f2l_fail_memory(err);
    return dense(t->number[at], head_numbers(head), &t->state[at], t->format)
               ? F2L_OK
               : f2l_fail(err, F2L_UNKNOWN, "stage %zu: %s does not hold the initial state", b + 1,
                          t->format->name);
}

/* Checks that the numbers in the format are the exact ones. */
static f2l_status same_numbers(const ticking *t, size_t b, size_t h, f2l_error *err)
{
    const f2l_wired_head *head = &t->c->net->block[b].head[h];
    const double *number = t->number[2 * b + h];
    double *exact = f2l_calloc(head_numbers(head), sizeof *exact);
    if (!exact) return f2l_fail_memory(err);
    bool same = dense(exact, head_numbers(head), &t->state[2 * b + h], t->format);
    for (size_t i = 0; same && i < head_numbers(head); i++) same = number[i] == exact[i];
    f2l_free(exact);
    return same ? F2L_OK
                : f2l_fail(err, F2L_UNKNOWN, "stage %zu: head %zu is not exact", b + 1, h + 1);
}

/* Steps one head by the value of its slot; *code is its readout's value. */
static f2l_status step_head(ticking *t, size_t b, size_t h, uint32_t value, uint32_t *code,
                            f2l_error *err)
{
    const f2l_wired_readout *readout = &t->c->net->block[b].readout[h];
    f2l_qvec *state = &t->state[2 * b + h];
    f2l_status status = f2l_exact_step_slots(t->c->run, state, b, h, &value, state, err);
    if (status == F2L_OK && t->rounded) {
        f2l_float_step_slot(t->rounded, b, h, 0, value, t->number[2 * b + h]);
        status = same_numbers(t, b, h, err);
    }
    if (status != F2L_OK) return status;
    for (*code = 0; *code < readout->codes; ++*code)
        if (f2l_qvec_compare(state, &readout->code[*code]) == 0) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "stage %zu: head %zu reaches a state without a code", b + 1,
                    h + 1);
}

/* Runs one token; *count is the count of the last layer. */
static f2l_status tick(ticking *t, uint32_t *count, f2l_error *err)
{
    const f2l_net *net = t->c->net;
    f2l_status status = F2L_OK;
    *count = 0;
    for (size_t b = 0; status == F2L_OK && b < t->c->clock; b++) {
        const f2l_wired_block *block = &net->block[b];
        const f2l_wired_table *table = &net->table[block->post[0].table];
        const uint32_t value = b ? *count : net->table[block->pre[0].table].value[0];
        size_t entry = b ? *count : 0;
        for (size_t h = 0; status == F2L_OK && h < block->heads; h++) {
            uint32_t code = 0;
            status = step_head(t, b, h, value, &code, err);
            if (t->code) *t->code++ = code;
            entry = entry * block->readout[h].codes + code;
        }
        if (status == F2L_OK) *count = table->value[entry];
    }
    return status;
}

static f2l_status run_clock(ticking *t, f2l_error *err)
{
    const f2l_d1_check *c = t->c;
    f2l_status status = F2L_OK;
    for (size_t b = 0; b < c->clock; b++)
        for (size_t h = 0; status == F2L_OK && h < c->net->block[b].heads; h++)
            status = start_head(t, b, h, err);
    for (size_t time = 0; status == F2L_OK && time < 2 * c->block; time++) {
        uint32_t count;
        status = tick(t, &count, err);
        if (status == F2L_OK && count != time)
            status = f2l_fail(err, F2L_UNKNOWN, "the clock says %u at token %zu",
                              (unsigned)count + 1, time + 1);
        if (status == F2L_OK && time % POLL_EVERY == 0)
            status = f2l_task_poll(c->task, "checking the clock", (double)time,
                                   2 * (double)c->block, err);
    }
    for (size_t b = 0; b < c->clock; b++)
        for (size_t h = 0; status == F2L_OK && h < c->net->block[b].heads; h++)
            if (f2l_qvec_compare(&t->state[2 * b + h], &c->net->stage[b].initial[h]) != 0)
                status = f2l_fail(err, F2L_UNKNOWN, "stage %zu: head %zu does not come back", b + 1,
                                  h + 1);
    return status;
}

/* Checks that the clock counts and, if `rounded` is not NULL, that it does so in that format with
 * the exact numbers. */
static f2l_status check_clock_heads(const f2l_d1_check *c, const f2l_float_net *rounded,
                                    const f2l_format *format, uint32_t *code, f2l_error *err)
{
    ticking t = {.c = c, .rounded = rounded, .format = format, .code = code};
    const size_t heads = 2 * c->clock;
    t.state = f2l_calloc(heads, sizeof *t.state);
    t.number = f2l_calloc(heads, sizeof *t.number);
    f2l_status status = t.state && t.number ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; t.state && i < heads; i++) f2l_qvec_init(&t.state[i]);
    if (status == F2L_OK) status = run_clock(&t, err);
    for (size_t i = 0; t.state && i < heads; i++) f2l_qvec_clear(&t.state[i]);
    for (size_t i = 0; t.number && i < heads; i++) f2l_free(t.number[i]);
    f2l_free(t.state);
    f2l_free(t.number);
    return status;
}

f2l_status f2l_d1_check_clock(f2l_d1_check *c, f2l_error *err)
{
    size_t heads = 0;
    for (size_t b = 0; b < c->clock; b++) heads += c->net->block[b].heads;
    const size_t last = 2 * c->block * heads;
    c->clock_heads = heads;
    c->clock_code = f2l_calloc(last + heads, sizeof *c->clock_code);
    if (!c->clock_code) return f2l_fail_memory(err);
    f2l_status status = check_clock_heads(c, NULL, NULL, c->clock_code + heads, err);
    /* The initial states are the states after the last token. */
    for (size_t h = 0; status == F2L_OK && h < heads; h++)
        c->clock_code[h] = c->clock_code[last + h];
    return status;
}

/* Returns whether the row becomes the unit vector of the letter, and no other row changes: beta 1,
 * u = t e_row, c = t e_letter. */
static bool writes_letter(const f2l_transition *transition, size_t row, size_t letter)
{
    if (mpq_cmp_ui(transition->gate, 1, 1) != 0 || transition->factors != 1) return false;
    const f2l_factor *factor = &transition->factor[0];
    return mpq_cmp_ui(factor->beta, 1, 1) == 0 && factor->u.count == 1 &&
           factor->u.index[0] == row && factor->c.count == 1 && factor->c.index[0] == letter &&
           mpq_equal(factor->c.value[0], factor->u.value[0]);
}

f2l_status f2l_d1_check_ring(const f2l_d1_check *c, f2l_error *err)
{
    const f2l_wired_head *head = &c->net->block[c->ring].head[0];
    const size_t k = c->letters, values = 2 * c->block * k;
    f2l_status status = F2L_OK;
    if (c->net->stage[c->ring].initial[0].count != 0)
        return f2l_fail(err, F2L_UNKNOWN, "stage %zu: the ring is not empty at first", c->ring + 1);
    for (size_t v = 0; status == F2L_OK && v < values; v++) {
        if (!writes_letter(&head->head.letter[v], v / k, v % k))
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu: value %zu does not write its letter",
                            c->ring + 1, v + 1);
        if (v % POLL_EVERY == 0)
            status = f2l_task_poll(c->task, "checking the ring", (double)v, (double)values, err);
    }
    return status;
}

/* A format. */

/* Returns whether value v of the ring's slot, in a state whose numbers are all `content`, writes
 * exactly and leaves the other numbers unchanged. Columns do not mix, and a column can hold only 0
 * and 1. */
static bool writes_exactly(const f2l_d1_check *c, const f2l_float_net *rounded, size_t v,
                           double content, double *state)
{
    const size_t k = c->letters, row = v / k;
    bool same = true;
    f2l_float_step_slot(rounded, c->ring, 0, 0, v, state);
    for (size_t a = 0; a < k; a++) {
        same = same && state[row * k + a] == (a == v % k);
        state[row * k + a] = content;
    }
    return same;
}

static f2l_status round_content(const f2l_d1_check *c, const f2l_float_net *rounded, double content,
                                double *state, f2l_error *err)
{
    const size_t values = 2 * c->block * c->letters;
    f2l_meter meter = {.task = c->task, .phase = "checking numbers"};
    for (size_t i = 0; i < values; i++) state[i] = content;
    for (size_t v = 0; v < values; v++) {
        if (!writes_exactly(c, rounded, v, content, state))
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu: value %zu is not exact", c->ring + 1,
                            v + 1);
        f2l_status status =
            f2l_meter_spend(&meter, 4 + c->letters / 2, (double)v, (double)values, err);
        if (status != F2L_OK) return status;
    }
    bool same = true; /* the other rows are unchanged */
    for (size_t i = 0; i < values; i++) same = same && state[i] == content;
    return same ? F2L_OK : f2l_fail(err, F2L_UNKNOWN, "stage %zu: other rows change", c->ring + 1);
}

static f2l_status round_ring(const f2l_d1_check *c, const f2l_float_net *rounded, f2l_error *err)
{
    double *state = f2l_calloc(2 * c->block * c->letters, sizeof *state);
    f2l_status status = state ? F2L_OK : f2l_fail_memory(err);
    for (int content = 0; status == F2L_OK && content < 2; content++)
        status = round_content(c, rounded, content, state, err);
    f2l_free(state);
    return status;
}

/* Checks every edge from a code; the state is the dense code again afterwards. */
static f2l_status round_code(const f2l_d1_check *c, const f2l_float_net *rounded,
                             const f2l_format *format, size_t code, double *state, double *target,
                             f2l_error *err)
{
    const size_t b = c->ring + 1, numbers = head_numbers(&c->net->block[b].head[0]);
    const f2l_qvec *vector = c->net->block[b].readout[0].code;
    const size_t slots = c->slots ? c->slots : 1, values = slots * c->factors;
    for (size_t v = 0; v < values; v++) {
        const size_t slot = v / c->factors, f = v % c->factors;
        const uint32_t to = c->edge[code * c->factors + f];
        if (to == F2L_D1_UNSET) continue;
        bool same = dense(state, numbers, &vector[code], format) &&
                    dense(target, numbers, &vector[to], format);
        if (same) f2l_float_step_slot(rounded, b, 0, slot, f, state);
        for (size_t i = 0; same && i < numbers; i++) same = state[i] == target[i];
        if (!same)
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu: value %zu is not exact from code %zu",
                            b + 1, f + 1, code + 1);
    }
    return F2L_OK;
}

static f2l_status round_edges(const f2l_d1_check *c, const f2l_float_net *rounded,
                              const f2l_format *format, f2l_error *err)
{
    const size_t numbers = head_numbers(&c->net->block[c->ring + 1].head[0]);
    f2l_meter meter = {.task = c->task, .phase = "checking numbers"};
    double *state = f2l_calloc(numbers, sizeof *state),
           *target = f2l_calloc(numbers, sizeof *target);
    f2l_status status = state && target ? F2L_OK : f2l_fail_memory(err);
    for (size_t code = 0; status == F2L_OK && code < c->codes; code++) {
        status = f2l_meter_spend(&meter, f2l_steps_of(c->factors, 50 + numbers / 4), (double)code,
                                 (double)c->codes, err);
        if (status == F2L_OK) status = round_code(c, rounded, format, code, state, target, err);
    }
    f2l_free(state);
    f2l_free(target);
    return status;
}

f2l_status f2l_d1_round_clock(const f2l_d1_check *c, const f2l_float_net *rounded,
                              const f2l_format *format, f2l_error *err)
{
    return check_clock_heads(c, rounded, format, NULL, err);
}

f2l_status f2l_d1_round_level(const f2l_d1_check *c, const f2l_float_net *rounded,
                              const f2l_format *format, f2l_error *err)
{
    f2l_status status = round_ring(c, rounded, err);
    return status == F2L_OK ? round_edges(c, rounded, format, err) : status;
}

f2l_status f2l_d1_check_format(const f2l_d1_check *c, const f2l_format *format,
                               const f2l_schedule *schedule, f2l_error *err)
{
    f2l_float_net *rounded = NULL;
    f2l_status status = f2l_task_spend(c->task, "rounding a network", f2l_wired_weigh(c->net), err);
    if (status == F2L_OK) status = f2l_float_net_new(&rounded, c->net, format, schedule, err);
    if (status == F2L_OK) status = f2l_d1_round_clock(c, rounded, format, err);
    if (status == F2L_OK) status = f2l_d1_round_level(c, rounded, format, err);
    f2l_float_net_free(rounded);
    return status;
}
