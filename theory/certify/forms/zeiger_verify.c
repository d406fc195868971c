/* The verdict on Zeiger forms. Statements: theory/pages/zeiger.md. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"
#include <string.h>

/* The action of a slot for a value. `current`, `saved` are states; their rows are 2 current, 2
 * current + 1 and 2 (n + saved), 2 (n + saved) + 1. */
typedef struct meaning {
    enum { NOTHING, EXCHANGE, CLEAR_SAVED, CLEAR_CURRENT, SET_CURRENT } does;
    size_t current, saved;
} meaning;

static meaning meaning_of_slot_value(f2l_zeiger_check *c, size_t slot, size_t value)
{
    const size_t n = c->n, x = slot < n ? slot : slot < 2 * n ? slot - n : slot - 2 * n;
    meaning m = {NOTHING, x, x};
    if (slot < c->n) {
        m.does = value == 0 ? CLEAR_SAVED : EXCHANGE;
    } else if (slot >= 2 * c->n) {
        m.does = value == 0 ? EXCHANGE : NOTHING;
    } else if (value > c->k) {
        m.does = value == c->k + 1 ? CLEAR_CURRENT : SET_CURRENT;
    } else if (value > 0) {
        m.does = EXCHANGE;
        m.saved = c->fsa->next[x * c->k + value - 1];
    }
    return m;
}

static size_t row_of_meaning(f2l_zeiger_check *c, const meaning *m)
{
    return m->does == CLEAR_SAVED ? 2 * (c->n + m->saved) : 2 * m->current;
}

/* Returns whether the factor is the reflection at (1, 1, -1, -1) (Z.4): u is a multiple of this
 * vector, beta is 2, nothing is written. */
static bool factor_exchanges(f2l_zeiger_check *c, const meaning *m, const f2l_factor *factor)
{
    const f2l_qvec *u = &factor->u;
    const size_t row[4] = {2 * m->current, 2 * m->current + 1, 2 * (c->n + m->saved),
                           2 * (c->n + m->saved) + 1};
    bool good = mpq_cmp_ui(factor->beta, 2, 1) == 0 && factor->c.count == 0 && u->count == 4;
    for (size_t i = 0; good && i < 4; i++) good = u->index[i] == row[i];
    if (!good) return false;
    mpq_t minus;
    mpq_init(minus);
    mpq_neg(minus, u->value[0]);
    good = mpq_equal(u->value[1], u->value[0]) && mpq_equal(u->value[2], minus) &&
           mpq_equal(u->value[3], minus);
    mpq_clear(minus);
    return good;
}

/* Returns whether the factor sets `row` to the number `value` and changes nothing else: beta 1, u
 * on that row, c = value u. */
static bool sets(const f2l_factor *factor, size_t row, unsigned value)
{
    const bool right = value == 0 ? factor->c.count == 0
                                  : factor->c.count == 1 && factor->u.count == 1 &&
                                        mpq_equal(factor->c.value[0], factor->u.value[0]);
    return right && factor->u.count == 1 && factor->u.index[0] == row &&
           mpq_cmp_ui(factor->beta, 1, 1) == 0;
}

static bool does(f2l_zeiger_check *c, const meaning *m, const f2l_transition *transition)
{
    const f2l_factor *factor = transition->factor;
    if (mpq_cmp_ui(transition->gate, 1, 1) != 0) return false;
    if (m->does == NOTHING) return transition->factors == 0;
    if (m->does == EXCHANGE) return transition->factors == 1 && factor_exchanges(c, m, &factor[0]);
    const size_t row = row_of_meaning(c, m);
    const unsigned value = m->does == SET_CURRENT;
    return transition->factors == 2 && sets(&factor[0], row, value) &&
           sets(&factor[1], row + 1, value);
}

static size_t values_of(f2l_zeiger_check *c, size_t slot)
{
    return slot >= c->n && slot < 2 * c->n ? c->k + 3 : 2;
}

static f2l_status check_rule_slot(f2l_zeiger_check *c, const f2l_wired_head *head, size_t slot,
                                  f2l_error *err)
{
    const size_t n = c->n, values = values_of(c, slot);
    const uint32_t wire = slot >= n && slot < 2 * n ? c->action + (uint32_t)(slot - n) : c->reset;
    if (head->wire[slot] != wire || head->slot_at[slot + 1] - head->slot_at[slot] != values)
        return f2l_fail(err, F2L_UNKNOWN, "slot %zu reads another wire", slot + 1);
    for (size_t v = 0; v < values; v++) {
        const meaning m = meaning_of_slot_value(c, slot, v);
        if (!does(c, &m, &head->head.letter[head->slot_at[slot] + v]))
            return f2l_fail(err, F2L_UNKNOWN, "slot %zu does something else at value %zu", slot + 1,
                            v + 1);
    }
    return f2l_meter_spend(&c->meter, 8 * values, (double)slot, 3 * (double)n, err);
}

static f2l_status check_rule_head(f2l_zeiger_check *c, f2l_error *err)
{
    const f2l_wired_head *head = &c->net->block[1].head[0];
    if (head->head.n != 4 * c->n || head->head.d != 1 || head->slots != 3 * c->n)
        return f2l_fail(err, F2L_UNKNOWN, "the head has not %zu numbers and %zu slots", 4 * c->n,
                        3 * c->n);
    f2l_status status = F2L_OK;
    for (size_t slot = 0; status == F2L_OK && slot < head->slots; slot++)
        status = check_rule_slot(c, head, slot, err);
    return status;
}

/* Returns whether the vector holds both copies of `state`, and nothing else. */
static bool holds_both_copies(const f2l_qvec *v, size_t state)
{
    bool good = v->count == 2;
    for (size_t i = 0; good && i < 2; i++)
        good = v->index[i] == 2 * state + i && mpq_cmp_ui(v->value[i], 1, 1) == 0;
    return good;
}

/* Checks the stages: enter, n - 1 times the level, leave; level by level the states other than the
 * start in their order. */
static f2l_status check_rule_stages(f2l_zeiger_check *c, f2l_error *err)
{
    const f2l_net *net = c->net;
    if (net->blocks != 3 || net->stages != c->n + 1)
        return f2l_fail(err, F2L_UNKNOWN, "the network has not 3 blocks and %zu stages", c->n + 1);
    size_t state = 0;
    for (size_t l = 0; l <= c->n; l++) {
        const bool level = l > 0 && l < c->n;
        if (net->stage[l].block != (l == 0 ? 0 : level ? 1 : 2))
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu is another block", l + 1);
        if (!level) continue;
        state += state == c->fsa->start;
        if (net->block[1].heads != 1 || !holds_both_copies(&net->stage[l].initial[0], state++))
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu has another initial state", l + 1);
    }
    return F2L_OK;
}

static f2l_status check_rule_network(f2l_zeiger_check *c, f2l_error *err)
{
    if (c->n < 2) return f2l_fail(err, F2L_UNKNOWN, "the automaton has one state");
    if (c->net->label != F2L_LABEL_EDGES && c->net->start != c->label[c->fsa->start])
        return f2l_fail(err, F2L_UNKNOWN,
                        "the label of the empty word is not the label of the start state");
    for (size_t i = 0; i < c->n * c->each; i++)
        if (c->label[i] == F2L_NO_SYMBOL)
            return f2l_fail(err, F2L_UNKNOWN, "the network has no label for state %zu",
                            i / c->each + 1);
    /* Polled at least once: a cancelled task must not yield a verdict, however small the
     * automaton. */
    f2l_status status = f2l_task_poll(c->task, "checking circuits", 0, 0, err);
    if (status == F2L_OK) status = check_rule_stages(c, err);
    if (status == F2L_OK) status = f2l_zeiger_check_circuits(c, err);
    return status == F2L_OK ? check_rule_head(c, err) : status;
}

/* These check a format: every value of every slot on all contents that agree in their copies, in a
 * state whose other numbers are all `others`. */

static void fill_both_copies(double *state, size_t row, double value)
{
    state[row] = state[row + 1] = value;
}

static bool is(const double *state, size_t row, double value)
{
    return state[row] == value && state[row + 1] == value;
}

static bool exact_at(f2l_zeiger_check *c, const f2l_float_net *run, size_t slot, size_t value,
                     double *state, double others)
{
    const meaning m = meaning_of_slot_value(c, slot, value);
    const size_t p = 2 * m.current, q = 2 * (c->n + m.saved);
    bool good = true;
    for (int content = 0; good && content < 4; content++) {
        const double current = (content & 1) != 0, saved = (content & 2) != 0;
        double now = current, then = saved;
        good = content > 0 || (is(state, p, others) && is(state, q, others));
        if (m.does == EXCHANGE) now = saved, then = current;
        if (m.does == CLEAR_SAVED) then = 0;
        if (m.does == CLEAR_CURRENT) now = 0;
        if (m.does == SET_CURRENT) now = 1;
        fill_both_copies(state, p, current);
        fill_both_copies(state, q, saved);
        f2l_float_step_slot(run, 1, 0, slot, value, state);
        good = good && is(state, p, now) && is(state, q, then);
    }
    fill_both_copies(state, p, others);
    fill_both_copies(state, q, others);
    return good;
}

/* Tries all slots in turn on a state of the same numbers. A number that a slot changes though its
 * factors do not touch it is found by the next slot that touches it, or else at the end. */
static f2l_status check_slot_numbers(f2l_zeiger_check *c, const f2l_float_net *run, double *state,
                                     f2l_error *err)
{
    const size_t n = c->n;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; i < 4 * n; i++) state[i] = others;
        for (size_t slot = 0; slot < 3 * n; slot++) {
            bool good = true;
            for (size_t v = 0; good && v < values_of(c, slot); v++)
                good = exact_at(c, run, slot, v, state, others);
            if (!good) return f2l_fail(err, F2L_UNKNOWN, "slot %zu is not exact", slot + 1);
            f2l_status status = f2l_meter_spend(&c->meter, 2 + 24 * values_of(c, slot),
                                                (double)slot, 3 * (double)n, err);
            if (status != F2L_OK) return status;
        }
        for (size_t i = 0; i < 4 * n; i++)
            if (state[i] != others)
                return f2l_fail(err, F2L_UNKNOWN, "row %zu is changed by a slot for other rows",
                                i + 1);
    }
    return F2L_OK;
}

static bool holds_one(const f2l_format *format)
{
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    const bool good = f2l_format_holds(format, one);
    mpq_clear(one);
    return good;
}

static f2l_status check_format(f2l_zeiger_check *c, const f2l_format *format,
                               const f2l_schedule *schedule, f2l_error *err)
{
    if (!holds_one(format)) return f2l_fail(err, F2L_UNKNOWN, "%s does not hold 1", format->name);
    f2l_float_net *run = NULL;
    f2l_status status = f2l_task_spend(c->task, "rounding a network", f2l_wired_weigh(c->net), err);
    if (status != F2L_OK) return status;
    double *state = f2l_calloc(4 * c->n, sizeof *state);
    status = state ? f2l_float_net_new(&run, c->net, format, schedule, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = check_slot_numbers(c, run, state, err);
    f2l_float_net_free(run);
    f2l_free(state);
    return status;
}

static f2l_status verify_zeiger(f2l_form_verdict *out, const f2l_net *net, const f2l_fsa *fsa,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const f2l_task *task, f2l_error *err)
{
    f2l_zeiger_check c = {.net = net,
                          .fsa = fsa,
                          .task = task,
                          .meter = {.task = task, .phase = "checking circuits"},
                          .n = fsa->states.count,
                          .k = fsa->letters.count,
                          .each = net->label == F2L_LABEL_EDGES ? fsa->letters.count : 1};
    uint32_t *label;
    f2l_error why = {0};
    *out = (f2l_form_verdict){.verdict = F2L_UNKNOWN};
    f2l_status status = f2l_task_spend(task, "checking circuits", f2l_wired_weigh(net), &why);
    if (status != F2L_OK) return f2l_form_conclude(out, status, &why, err);
    status = f2l_form_begin(out, &label, net, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = check_rule_network(&c, &why);
    if (status == F2L_OK && format) status = check_format(&c, format, schedule, &why);
    f2l_free(label);
    return f2l_form_conclude(out, status, &why, err);
}

const f2l_form f2l_form_zeiger = {"theory/pages/zeiger.md, Z.6", "theory/pages/zeiger.md, Z.8",
                                  verify_zeiger, f2l_zeiger_certify};
