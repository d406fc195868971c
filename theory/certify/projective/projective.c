#include "numeric/base/mem.h"
#include "theory/certify/closure/closure_machine.h"
#include "theory/certify/projective/impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_ROWS 1000000

void f2l_projective_init(f2l_projective *p)
{
    *p = (f2l_projective){.verdict = F2L_UNKNOWN};
}

void f2l_projective_clear(f2l_projective *p)
{
    f2l_free(p->word);
    f2l_projective_init(p);
}

/* --- scaled steps --- */

/* Scales a state in place; returns the power of two that it was divided by, 0 for zeros. */
static int scale_down(double *state, size_t size)
{
    int exponent;
    double most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs(state[i]));
    if (most == 0) return 0;
    frexp(most, &exponent);
    exponent -= F2L_PROJECTIVE_TOP;
    for (size_t i = 0; i < size; i++) state[i] = ldexp(state[i], -exponent);
    return exponent;
}

/* Returns whether all numbers are multiples of 2^low. */
static bool are_multiples(const double *state, size_t size, int low)
{
    for (size_t i = 0; i < size; i++) {
        const double units = ldexp(state[i], -low);
        if (units != floor(units)) return false;
    }
    return true;
}

f2l_status f2l_scaled_step(const f2l_scaled_run *run, double *state, size_t letter, uint32_t *label,
                           int *gain, f2l_error *err)
{
    if (!are_multiples(state, run->size, run->span.down - F2L_PROJECTIVE_ROOM))
        return f2l_fail(err, F2L_UNKNOWN, "the numbers of a state are too far apart");
    f2l_status status = f2l_float_step(run->net, state, letter, label, err);
    *gain = 0;
    if (status == F2L_OK && *label != F2L_NO_SYMBOL) *gain = scale_down(state, run->size);
    return status;
}

void f2l_scaled_start(const void *at, double *joint)
{
    const f2l_scaled_run *run = at;
    f2l_float_start(run->net, joint);
    scale_down(joint, run->size);
}

static f2l_status step_scaled(void *at, double *joint, size_t letter, uint32_t *label,
                              f2l_error *err)
{
    int gain;
    return f2l_scaled_step(at, joint, letter, label, &gain, err);
}

/* --- what has no absolute unit --- */

/* Returns whether all codes have one length, so that the nearest one depends on the direction of a
 * state only. */
static bool have_one_length(const f2l_layer *layer)
{
    bool same = true;
    mpq_t norm, first, part;
    mpq_inits(norm, first, part, NULL);
    for (size_t c = 0; same && c < layer->codes; c++) {
        mpq_set_ui(norm, 0, 1);
        for (size_t h = 0; h < layer->heads; h++) {
            f2l_qvec_norm2(part, &layer->code[c * layer->heads + h]);
            mpq_add(norm, norm, part);
        }
        if (c == 0) mpq_set(first, norm);
        same = mpq_equal(norm, first) != 0;
    }
    mpq_clears(norm, first, part, NULL);
    return same;
}

/* Returns why the closure does not apply to the network, or NULL. */
static const char *reason_of_network(const f2l_net *net)
{
    if (net->layers != 1) return "it is for networks of one layer";
    const f2l_layer *layer = &net->layer[0];
    for (size_t h = 0; h < layer->heads; h++)
        if (layer->head[h].field || layer->head[h].form.count > 0)
            return "it is for rational heads without a form";
    return have_one_length(layer) ? NULL : "the codes have several lengths";
}

static f2l_status leave_projective(f2l_projective *out, const char *why)
{
    out->verdict = F2L_UNKNOWN;
    snprintf(out->reason, sizeof out->reason, "%.240s", why);
    return F2L_OK;
}

/* --- closing --- */

/* Sets *label to the label after the word, in the format or in scaled steps. */
static f2l_status read_word(uint32_t *label, const f2l_scaled_run *run, const f2l_closure *closure,
                            bool scaled, double *state, f2l_error *err)
{
    int gain;
    f2l_status status = F2L_OK;
    f2l_float_start(run->net, state);
    if (scaled) scale_down(state, run->size);
    for (size_t i = 0; status == F2L_OK && i < closure->word_length; i++)
        status = scaled ? f2l_scaled_step(run, state, closure->word[i], label, &gain, err)
                        : f2l_float_step(run->net, state, closure->word[i], label, err);
    return status;
}

/* Keeps a wrong word if the format gives the same label. */
static f2l_status keep_wrong_word(f2l_projective *out, const f2l_scaled_run *run,
                                  f2l_closure *closure, f2l_error *err)
{
    uint32_t scaled = F2L_NO_SYMBOL, plain = F2L_NO_SYMBOL;
    double *state = f2l_calloc(run->size, sizeof *state);
    if (!state) return f2l_fail_memory(err);
    f2l_status status = read_word(&scaled, run, closure, true, state, err);
    if (status == F2L_OK) status = read_word(&plain, run, closure, false, state, err);
    f2l_free(state);
    if (status != F2L_OK) return status;
    if (scaled != plain) return leave_projective(out, "a word under- or overflows in the format");
    out->verdict = F2L_REFUTED;
    out->word = closure->word;
    out->letters = out->prefix = out->wrong = closure->word_length;
    memcpy(out->expected, closure->expected, sizeof out->expected);
    memcpy(out->got, closure->got, sizeof out->got);
    closure->word = NULL;
    return F2L_OK;
}

static f2l_status close_scaled(f2l_projective *out, f2l_closure *closure, f2l_scaled_run *run,
                               const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format,
                               size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    const f2l_numbers_machine machine = {run, run->size, f2l_scaled_start, step_scaled,
                                         f2l_net_letter_steps(net)};
    const f2l_numbers_options options = {.max_rows = max_rows ? max_rows : MOST_ROWS,
                                         .jobs = 1,
                                         .keep = true,
                                         .state = f2l_format_find("fp32")};
    f2l_error why = {0};
    f2l_status status =
        f2l_numbers_close_with(closure, &machine, &face, fsa, format, &options, task, &why);
    out->rows = closure->rows;
    if (status == F2L_UNKNOWN) return leave_projective(out, why.text);
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    if (closure->verdict == F2L_UNKNOWN) return leave_projective(out, closure->reason);
    if (closure->verdict == F2L_REFUTED) return keep_wrong_word(out, run, closure, err);
    out->verdict = F2L_OK;
    return f2l_projective_gains(out, run, closure, task, err);
}

static f2l_status close_rounded(f2l_projective *out, const f2l_float_net *rounded,
                                const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format,
                                size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const char *why;
    f2l_closure closure;
    f2l_scaled_run run = {.model = net, .net = rounded, .size = f2l_float_size(rounded)};
    if (!f2l_float_commutes(rounded, 0, &run.span, &why)) return leave_projective(out, why);
    if (run.span.up + F2L_PROJECTIVE_TOP > F2L_PROJECTIVE_ROOM)
        return leave_projective(out, "a letter has too many factors");
    f2l_closure_init(&closure);
    f2l_status status = close_scaled(out, &closure, &run, net, fsa, format, max_rows, task, err);
    f2l_closure_clear(&closure);
    return status;
}

f2l_status f2l_projective_close(f2l_projective *out, const f2l_net *net, const f2l_fsa *fsa,
                                const f2l_format *format, const f2l_schedule *schedule,
                                size_t max_rows, const f2l_task *task, f2l_error *err)
{
    f2l_float_net *rounded;
    f2l_error why = {0};
    f2l_projective_clear(out);
    const char *reason = reason_of_network(net);
    if (reason) return leave_projective(out, reason);
    f2l_status status = f2l_float_net_new_within(&rounded, net, format, schedule, task, &why);
    if (status == F2L_EDOMAIN || status == F2L_UNKNOWN) return leave_projective(out, why.text);
    if (status == F2L_OK) {
        status = close_rounded(out, rounded, net, fsa, format, max_rows, task, &why);
        f2l_float_net_free(rounded);
    }
    if (status != F2L_OK && err) *err = why;
    return status;
}

f2l_status f2l_projective_word(uint32_t **word, const f2l_projective *p, f2l_error *err)
{
    *word = f2l_calloc(p->wrong, sizeof **word);
    if (!*word) return f2l_fail_memory(err);
    for (size_t i = 0; i < p->wrong; i++) (*word)[i] = p->word[f2l_projective_place(p, i)];
    return F2L_OK;
}

/* --- in words --- */

void f2l_projective_text(char out[256], const f2l_projective *p)
{
    if (p->verdict == F2L_REFUTED)
        snprintf(out, 256, "modulo powers of two: wrong after a word of %zu letters", p->letters);
    else if (p->verdict != F2L_OK)
        snprintf(out, 256, "modulo powers of two: %.200s", p->reason);
    else if (p->gain == F2L_GAIN_BOUNDED)
        snprintf(out, 256,
                 "modulo powers of two: closed, %zu states, sizes within 2^%d to 2^%d of the first",
                 p->rows, p->least, p->most);
    else if (p->gain == F2L_GAIN_OPEN)
        snprintf(out, 256, "modulo powers of two: closed, %zu states, sizes not bounded", p->rows);
    else
        snprintf(out, 256,
                 "modulo powers of two: closed, %zu states, right until the state %s: %zu letters "
                 "that recur multiply it by 2^%d each time",
                 p->rows, p->gain == F2L_GAIN_GROWS ? "overflows" : "underflows",
                 p->letters - p->prefix, p->power);
}
