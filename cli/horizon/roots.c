/* horizon --settle of a network with clamped betas and exact keys: roots of unity that its
 * automaton needs. */
#include "cli/horizon/horizon_job.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"

enum { WORDS = 50000 }; /* periods, at most */

bool f2l_horizon_asks_roots(const f2l_horizon_job *j)
{
    const f2l_seq_config *c = &j->weights.trained.model.config;
    return j->o.settle && c->clamped_betas && c->exact_keys;
}

f2l_status f2l_horizon_roots(f2l_horizon_job *j, f2l_error *err)
{
    const f2l_experiment *run = &j->weights.run.experiment;
    const f2l_roots_ask ask = {
        .length = (size_t)j->o.words, .words = WORDS, .seconds = j->o.seconds};
    const f2l_status status = f2l_weights_parameters(&j->parameters, &j->weights.trained, err);
    return status == F2L_OK ? f2l_roots_find(&j->roots, &j->weights.trained.model, j->parameters,
                                             run->fsa, run->data.begin, &ask, &j->cli.task, err)
                            : status;
}

static void describe_roots(f2l_fact out, const void *report)
{
    const f2l_horizon_job *j = report;
    const f2l_roots *r = &j->roots;
    f2l_say_text(out, "roots_verdict", r->refuted ? "refuted" : "not refuted");
    f2l_say_text(out, "settle_scope", f2l_learned_scope_at(0)->name);
    if (r->refuted) {
        f2l_say_word(out, "settle_period", &j->weights.run.experiment.fsa->letters,
                     r->period.letter, r->period.count);
        f2l_say_count(out, "cycle_states", r->cycle);
        f2l_say_count(out, "root_order", r->order);
        f2l_say_count(out, "root_prime", r->prime);
    }
    f2l_say_count(out, "settle_length", r->length);
    f2l_say_count(out, "settle_periods", r->periods);
    f2l_say_count(out, "cycle_periods", r->cycles);
    f2l_say_count(out, "irrational_periods", r->irrational);
    f2l_say_truth(out, "settle_all", r->complete);
    f2l_say_text(out, "settle_ended", f2l_stop_name(r->ended));
}

static void lay_roots(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_horizon_job *j = report;
    f2l_buf_text(out, "all lengths    ");
    if (j->roots.refuted) {
        f2l_buf_text(out, "no margin for ever: z (");
        f2l_layout_items(out, f2l_get(from, "settle_period"), 0, F2L_SETTLE_MOST, "{.~}", " ");
        f2l_layout(out, from,
                   ")^t is wrong for some z and infinitely many t, or several states tie in all "
                   "limits (AL.15)\n"
                   "roots          the cycle has {cycle_states state}, and modulo {root_prime} no "
                   "product of eigenvalues of all heads has order {root_order} (AL.17)\n");
    } else {
        f2l_layout(out, from, "not refuted by roots of unity, which proves nothing (AL.15)\n");
    }
    f2l_horizon_lay_scope(out, f2l_learned_scope_at(0));
    f2l_layout(out, from,
               "looked at      {settle_periods period}{settle_all?, all} of at most {settle_length "
               "letter}, {cycle_periods} as cycles, up to rotation{irrational_periods?; "
               "{irrational_periods} left out, of keys that are not known to be rational}\n");
    if (f2l_is_known(from, "settle_ended"))
        f2l_layout(out, from, "ended by       {settle_ended}, before all words were looked at\n");
    if (j->o.out && j->roots.refuted) f2l_buf_printf(out, "certificate    %s\n", j->o.out);
}

const f2l_report_kind f2l_horizon_roots_kind = {
    .name = "roots", .describe = describe_roots, .lay_beside = lay_roots, .style = {.digits = 6}};
