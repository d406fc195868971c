/* The verdict of the form in a format and schedule (theory/pages/swaps.md, SW.4): every factor is
 * tried on all contents of its two points. */
#include "numeric/base/mem.h"
#include "theory/certify/swaps/impl.h"
#include <stdio.h>

/* Most different numbers in the initial state and the codes. */
#define MOST_VALUES 16

typedef struct swaps_float {
    const f2l_net *net;
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_meter meter;
    f2l_swaps swaps;
    double value[MOST_VALUES]; /* the numbers that points may have */
    size_t values;
    f2l_net view; /* the network with its first code only, and its layer; borrowed by run */
    f2l_layer layer;
    f2l_float_net *run;
    double *state; /* [n][d], zero between factors */
} swaps_float;

static f2l_status add_values(swaps_float *c, const f2l_qvec *state, f2l_error *err)
{
    for (size_t i = 0; i < state->count; i++) {
        size_t v = 0;
        if (!f2l_format_holds(c->format, state->value[i]))
            return f2l_fail(err, F2L_UNKNOWN, "%s does not hold a number of a code",
                            c->format->name);
        const double value = mpq_get_d(state->value[i]);
        while (v < c->values && c->value[v] != value) v++;
        if (v < c->values) continue;
        if (v == MOST_VALUES)
            return f2l_fail(err, F2L_UNKNOWN, "codes have more than %d different numbers",
                            MOST_VALUES);
        c->value[c->values++] = value;
    }
    return F2L_OK;
}

static f2l_status find_values(swaps_float *c, f2l_error *err)
{
    const f2l_layer *layer = c->swaps.layer;
    f2l_status status = f2l_meter_spend(&c->meter, f2l_codes_weigh(layer, 2, 5), 0, 0, err);
    c->value[c->values++] = 0;
    if (status == F2L_OK) status = add_values(c, &layer->head[0].initial, err);
    for (size_t i = 0; i < layer->codes && status == F2L_OK; i++)
        status = add_values(c, &layer->code[i], err);
    return status;
}

/* Sets the rows of both points of the key to these numbers; returns whether they had the numbers
 * that are expected there. */
static bool replace(const swaps_float *c, const f2l_qvec *u, double had_plus, double had_minus,
                    double plus, double minus)
{
    bool right = true;
    for (size_t i = 0; i < u->count; i++) {
        double *entry = &c->state[u->index[i] * c->swaps.d];
        const bool same = mpq_sgn(u->value[i]) == mpq_sgn(u->value[0]);
        right = right && *entry == (same ? had_plus : had_minus);
        *entry = same ? plus : minus;
    }
    return right;
}

/* Returns whether the factor exchanges all contents of its two points exactly. */
static bool is_exact(const swaps_float *c, size_t letter, size_t factor)
{
    const f2l_qvec *u = &c->swaps.layer->head[0].letter[letter].factor[factor].u;
    bool right = true;
    for (size_t a = 0; right && a < c->values; a++)
        for (size_t b = 0; right && b < c->values; b++) {
            replace(c, u, 0, 0, c->value[a], c->value[b]);
            f2l_float_step_factor(c->run, 0, 0, letter, factor, c->state);
            right = replace(c, u, c->value[b], c->value[a], 0, 0);
        }
    return right;
}

static f2l_status check_letter(swaps_float *c, size_t letter, f2l_error *err)
{
    const f2l_head *head = &c->swaps.layer->head[0];
    const size_t contents = c->values * c->values;
    for (size_t i = 0; i < head->letter[letter].factors; i++) {
        f2l_status status =
            f2l_meter_spend(&c->meter, contents * head->letter[letter].factor[i].u.count, (double)i,
                            (double)head->letter[letter].factors, err);
        if (status != F2L_OK) return status;
        if (!is_exact(c, letter, i))
            return f2l_fail(err, F2L_UNKNOWN, "factor %zu of letter %zu is not exact", i + 1,
                            letter + 1);
    }
    return F2L_OK;
}

/* Rounds the weights. Nothing is decoded here, so that one code serves as well as all. */
static f2l_status round_weights(swaps_float *c, const f2l_task *task, f2l_error *err)
{
    if (c->net->layers != 1 || c->net->layer[0].codes == 0)
        return f2l_fail(err, F2L_UNKNOWN, "the network has not one layer with codes");
    c->layer = c->net->layer[0];
    c->layer.codes = 1;
    c->layer.by_letter = false;
    c->layer.parts = 0;
    c->view = *c->net;
    c->view.layer = &c->layer;
    return f2l_float_net_new_within(&c->run, &c->view, c->format, c->schedule, task, err);
}

/* Tries all factors. */
static f2l_status check_factors(swaps_float *c, const f2l_task *task, f2l_error *err)
{
    const size_t numbers = c->swaps.n * c->swaps.d;
    f2l_status status = f2l_task_table(task, "rounding a network", numbers * sizeof *c->state, err);
    if (status != F2L_OK) return status;
    c->state = f2l_calloc(numbers, sizeof *c->state);
    if (!c->state) return f2l_fail_memory(err);
    for (size_t a = 0; a < c->swaps.layer->letters && status == F2L_OK; a++)
        status = check_letter(c, a, err);
    for (size_t i = 0; i < numbers && status == F2L_OK; i++)
        if (c->state[i] != 0) status = f2l_fail(err, F2L_UNKNOWN, "a factor changes other numbers");
    return status;
}

/* Returns F2L_UNKNOWN where the schedule does not compute factor by factor, or stores a state in
 * another way than by rounding its numbers. */
static f2l_status check_schedule(const swaps_float *c, f2l_error *err)
{
    f2l_status status = f2l_schedule_check(c->schedule, c->format, err);
    if (status != F2L_OK) return status;
    if (!f2l_schedule_steps(c->schedule) || c->schedule->exact_matrices)
        return f2l_fail(err, F2L_UNKNOWN, "%s does not compute factor by factor",
                        c->schedule->name);
    if (!f2l_schedule_is_plain(c->schedule) || f2l_schedule_draws(c->schedule, c->format))
        return f2l_fail(err, F2L_UNKNOWN, "%s has settings that the form does not cover",
                        c->schedule->name);
    return F2L_OK;
}

f2l_status f2l_swaps_float(f2l_swaps_verdict *out, const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule, const f2l_task *task, f2l_error *err)
{
    swaps_float c = {.net = net,
                     .format = format,
                     .schedule = schedule,
                     .meter = {.task = task, .phase = "trying exchanges"}};
    f2l_error why = {0};
    *out = (f2l_swaps_verdict){.verdict = F2L_UNKNOWN};
    f2l_status status = check_schedule(&c, &why);
    if (status == F2L_OK) status = round_weights(&c, task, &why);
    if (status == F2L_OK) status = f2l_swaps_find(&c.swaps, net, task, &why);
    if (status == F2L_OK) status = find_values(&c, &why);
    if (status == F2L_OK) status = check_factors(&c, task, &why);
    f2l_float_net_free(c.run);
    f2l_free(c.state);
    f2l_swaps_clear(&c.swaps);
    if (status == F2L_OK) out->verdict = F2L_OK;
    if (status == F2L_OK) return F2L_OK;
    if (status == F2L_UNKNOWN || status == F2L_EDOMAIN) {
        snprintf(out->reason, sizeof out->reason, "%.255s", why.text);
        return F2L_OK;
    }
    if (err) *err = why;
    return status;
}
