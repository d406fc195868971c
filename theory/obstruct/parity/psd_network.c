#include "automata/fsa/nfa.h"
#include "theory/obstruct/parity/impl.h"
#include <string.h>

f2l_status f2l_psd_automaton(f2l_fsa *out, f2l_error *err)
{
    static const char text[] = "start even\n"
                               "accept odd\n"
                               "even 0 even\n"
                               "even 1 odd\n"
                               "odd 0 odd\n"
                               "odd 1 even\n";
    f2l_nfa nfa;
    f2l_total_report report;
    const f2l_total_options options = {0};
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_fsa_read(&nfa, text, sizeof text - 1, 0, NULL, err);
    if (status == F2L_OK) status = f2l_nfa_total(out, &report, &nfa, &options, NULL, err);
    f2l_nfa_clear(&nfa);
    return status;
}

static f2l_status push_doubles(f2l_qvec *v, const double *x, size_t n, f2l_error *err)
{
    mpq_t value;
    f2l_status status = F2L_OK;
    mpq_init(value);
    for (size_t i = 0; i < n && status == F2L_OK; i++) {
        if (!isfinite(x[i]))
            status = f2l_fail(err, F2L_EDOMAIN, "a weight or a state is not a number");
        if (status != F2L_OK) break;
        mpq_set_d(value, x[i]);
        if (x[i] != 0) status = f2l_qvec_push(v, (uint32_t)i, value, err);
    }
    mpq_clear(value);
    return status;
}

static f2l_status fill_psd_head(f2l_head *head, const f2l_psd_weights *w, f2l_error *err)
{
    head->n = w->n;
    head->d = 1;
    head->raw = true;
    f2l_transition *one = &head->letter[1];
    f2l_status status = f2l_transition_set_factors(one, 1, err);
    if (status != F2L_OK) return status;
    if (!isfinite(w->beta)) return f2l_fail(err, F2L_EDOMAIN, "beta is not a number");
    mpq_set_d(one->factor[0].beta, w->beta);
    status = push_doubles(&one->factor[0].u, w->u, w->n, err);
    if (status == F2L_OK) status = push_doubles(&one->bias, w->bias, w->n, err);
    return status == F2L_OK ? push_doubles(&head->initial, w->state[0], w->n, err) : status;
}

static f2l_status fill_psd_network(f2l_net *out, const f2l_psd_weights *w, const f2l_fsa *fsa,
                                   f2l_error *err)
{
    out->label = F2L_LABEL_STATES;
    out->start = fsa->start;
    f2l_status status = f2l_fsa_sha256(fsa, out->fsa_sha256, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->labels, &fsa->states, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&out->layer[0], 2, 1, err);
    if (status == F2L_OK) status = fill_psd_head(&out->layer[0].head[0], w, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(&out->layer[0], w->states, 2, false, err);
    for (size_t t = 0; t < w->states && status == F2L_OK; t++) {
        out->layer[0].symbol[t] = t % 2;
        status = push_doubles(&out->layer[0].code[t], w->state[t], w->n, err);
    }
    return status == F2L_OK ? f2l_net_validate(out, err) : status;
}

f2l_status f2l_psd_network(f2l_net *out, const f2l_psd_weights *weights, f2l_error *err)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_status status = f2l_psd_automaton(&fsa, err);
    if (status == F2L_OK) status = fill_psd_network(out, weights, &fsa, err);
    f2l_fsa_clear(&fsa);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}

/* Verifies the weights; returns F2L_EDOMAIN unless the library agrees. */
static f2l_status verify_psd_weights(const f2l_psd_run *run, const f2l_psd_weights *weights)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_closure closure;
    f2l_net_init(&net);
    f2l_fsa_init(&fsa);
    f2l_closure_init(&closure);
    f2l_status status = f2l_psd_automaton(&fsa, run->err);
    if (status == F2L_OK) status = f2l_psd_network(&net, weights, run->err);
    if (status == F2L_OK)
        status =
            f2l_closure_float(&closure, &net, &fsa, run->format, run->schedule, 0, NULL, run->err);
    if (status == F2L_OK && closure.verdict != F2L_OK)
        status = f2l_fail(run->err, F2L_EDOMAIN,
                          "a network that the search found is not right in %s, %s",
                          run->format->name, run->schedule->name);
    f2l_closure_clear(&closure);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
    return status;
}

/* Returns whether `a` has fewer bits, or equally many and an orbit of fewer states. */
static bool smaller(const f2l_psd_weights *a, const f2l_psd_weights *b)
{
    return b->n == 0 || a->bits < b->bits || (a->bits == b->bits && a->states < b->states);
}

f2l_status f2l_psd_take(f2l_psd_run *run, const f2l_psd_weights *weights)
{
    f2l_psd_result *out = run->out;
    f2l_psd_weights w = *weights;
    w.bits = f2l_psd_bits(weights);
    const bool fewest = smaller(&w, &out->fewest),
               normal = !w.subnormal && smaller(&w, &out->normal);
    if (!fewest && !normal) return F2L_OK;
    f2l_status status = verify_psd_weights(run, &w);
    if (status != F2L_OK) return status;
    out->verdict = F2L_PSD_FOUND;
    if (fewest) out->fewest = w;
    if (normal) out->normal = w;
    return F2L_OK;
}

f2l_status f2l_psd_count(f2l_psd_run *run)
{
    if (++run->out->weights % 1024) return F2L_OK;
    return f2l_task_poll(run->task, "weights", (double)run->out->weights, 0, run->err);
}
