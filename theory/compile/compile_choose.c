/* Functions on one row of the table: whether to build it, its network, its verdicts, and whether it
 * is the best so far. */
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

/* Returns why the options exclude this row, and which option would allow it; NULL: they allow
 * it. */
static const char *unasked(const f2l_compile_job *job, const f2l_compile_entry *entry,
                           const f2l_variant *variant)
{
    const f2l_compile_options *o = job->base.options;
    const bool cascade = variant->cascade != F2L_COMPILE_AUTO;
    if (o->target && variant->target != o->target) return "another target was asked for";
    if (variant->target && entry->ask && !job->unasked) return "only on request (--target)";
    if (o->no_slow && variant->slow) return "its search takes much time";
    if (o->naive_keys && !variant->naive) return "other keys were asked for";
    if (o->cascade != F2L_COMPILE_AUTO && !variant->rule && variant->cascade != o->cascade)
        return cascade ? "another cascade was asked for" : "a cascade was asked for";
    if (cascade && o->gated && !variant->gated) return "gates were asked for";
    /* This cascade never has fewer layers than the capped cover of all subsets. */
    if (variant->cascade == F2L_COMPILE_ZEIGER && o->cascade != variant->cascade)
        return "only on request (--cascade zeiger)";
    if (job->unasked) return NULL;
    if (variant->naive && !o->naive_keys) return "only on request (--keys naive)";
    if (variant->gated && !o->gated) return "only on request (--gated)";
    return NULL;
}

bool f2l_compile_verified(const f2l_compile_job *job)
{
    return job->best->theorem && job->best->exact.verdict == F2L_OK;
}

/* Returns why a search without bounds leaves the row out; NULL: it does not. Without bounds the
 * winner never has rounded keys, and is a cascade of a permutation automaton only if nothing else
 * is VERIFIED. */
static const char *restrained(const f2l_compile_job *job, const f2l_variant *variant)
{
    const f2l_compile_options *o = job->base.options;
    const bool cascade = variant->cascade != F2L_COMPILE_AUTO || variant->rule;
    if (f2l_compile_has_bounds(&o->bounds) || variant->target) return NULL;
    if (variant->rounds)
        return "only within bounds or in a list, as its keys may have to be rounded";
    if (variant->rule && f2l_compile_asks_cascade(o) && f2l_compile_verified(job))
        return "a cascade was asked for, and has tables";
    if (cascade && o->cascade == F2L_COMPILE_AUTO && job->base.permutes &&
        f2l_compile_verified(job))
        return "only on request (--cascade), within bounds or in a list";
    return NULL;
}

/* Returns the number of the best network's row; there must be one. */
static size_t best_row(const f2l_compile_job *job)
{
    size_t i = 0;
    while (!job->entry[i].best) i++;
    return i;
}

static f2l_compile_rank rank_of_best(const f2l_compile_job *job)
{
    const size_t i = best_row(job);
    return f2l_compile_rank_of(job->best, job->entry[i].ask, job->row[i].variant->published);
}

static void set_entry_outcome(f2l_compile_entry *entry, f2l_compile_outcome outcome,
                              const char *reason)
{
    entry->outcome = outcome;
    snprintf(entry->reason, sizeof entry->reason, "%s", reason);
}

static bool beaten(f2l_compile_entry *entry, const f2l_compile_job *job, const f2l_variant *variant)
{
    if (job->base.options->figures && f2l_compile_adds_nothing(entry, job)) {
        set_entry_outcome(entry, F2L_COMPILE_BEATEN, "no class of networks has fewer layers by it");
        return true;
    }
    if (job->base.options->all || !job->best->theorem) return false;
    const f2l_compile_rank least =
        f2l_compile_rank_least(&entry->figures, entry->ask, variant->published);
    f2l_compile_rank best = rank_of_best(job);
    if (variant->layers && f2l_compile_verified(job) && best.criterion[F2L_BY_BF16] == 0 &&
        (best.criterion[F2L_BY_LAYERS] <= least.criterion[F2L_BY_LAYERS] ||
         best.criterion[F2L_BY_LAYERS] <= job->base.options->enough_layers)) {
        set_entry_outcome(entry, F2L_COMPILE_BEATEN, "it takes much time, and saves no layer");
        return true;
    }
    /* Without bounds a verdict in bf16 that a limit left open does not justify more layers. */
    if (!f2l_compile_has_bounds(&job->base.options->bounds) && f2l_compile_verified(job) &&
        f2l_compile_in_bf16(job->best)->closure.verdict == F2L_UNKNOWN)
        best.criterion[F2L_BY_BF16] = 0;
    if (f2l_compile_better(&least, &best)) return false;
    entry->outcome = F2L_COMPILE_BEATEN;
    f2l_compile_say_beaten(entry->reason, sizeof entry->reason, &least, &best);
    return true;
}

/* Writes to the entry why a row is not built; returns real failures to the caller. */
static f2l_status note_refusal(f2l_compile_entry *entry, f2l_compile_job *job,
                               const f2l_variant *variant, f2l_status status, const f2l_error *why,
                               f2l_error *err)
{
    if (status != F2L_EDOMAIN && status != F2L_UNKNOWN) {
        if (err) *err = *why;
        return status;
    }
    entry->outcome = status == F2L_EDOMAIN ? F2L_COMPILE_INAPPLICABLE : F2L_COMPILE_STOPPED;
    snprintf(entry->reason, sizeof entry->reason, "%.255s", why->text);
    const bool tables = variant->cascade != F2L_COMPILE_AUTO && !variant->rule && !variant->rounds;
    if (tables && !job->base.refusal[0])
        snprintf(job->base.refusal, sizeof job->base.refusal, "%.255s", why->text);
    return F2L_OK;
}

static void set_least(f2l_compile_entry *entry, const f2l_compile_job *job,
                      const f2l_compile_row *row)
{
    entry->figures = (f2l_compile_figures){0};
    row->by->least(&entry->figures, &job->base);
}

/* Returns whether `least` leaves the row a chance; otherwise the outcome has the reason. A row
 * beyond the bounds may get a chance later, when the bounds are dropped. */
static bool row_is_open(f2l_compile_entry *entry, f2l_compile_job *job, const f2l_compile_row *row)
{
    const f2l_compile_bounds *bounds = &job->base.options->bounds;
    set_least(entry, job, row);
    if (beaten(entry, job, row->variant)) return false;
    entry->outcome = F2L_COMPILE_OUTSIDE;
    return !job->strict ||
           f2l_compile_figures_within(entry->reason, sizeof entry->reason, &entry->figures, bounds);
}

/* Runs a step of the row that may find that the row does not apply. *open: it applies. */
static f2l_status go_on_with_row(bool *open, f2l_compile_entry *entry, f2l_compile_job *job,
                                 const f2l_compile_row *row,
                                 f2l_status (*step)(f2l_construct_job *, f2l_error *),
                                 f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status = step ? step(&job->base, &why) : F2L_OK;
    *open = status == F2L_OK && row_is_open(entry, job, row);
    return status == F2L_OK ? F2L_OK : note_refusal(entry, job, row->variant, status, &why, err);
}

bool f2l_compile_is_asked(f2l_compile_job *job, size_t i)
{
    const char *no = unasked(job, &job->entry[i], job->row[i].variant);
    if (no) set_entry_outcome(&job->entry[i], F2L_COMPILE_UNASKED, no);
    return !no;
}

/* Returns whether the row works on a Moore machine, and there is none; its entry gets the reason.
 */
static bool lacks_moore(f2l_compile_job *job, size_t i)
{
    const f2l_compile_quotient *quotient = job->base.quotient;
    const bool lacks = quotient && quotient->no_moore[0] && !job->row[i].by->by_quotient;
    if (lacks) set_entry_outcome(&job->entry[i], F2L_COMPILE_STOPPED, quotient->no_moore);
    return lacks;
}

/* Says of a row that is left out because its search takes much time whether it applies at all:
 * otherwise it is not one that may have fewer layers. */
static f2l_status examine_unasked(f2l_compile_job *job, size_t i, f2l_error *err)
{
    const f2l_compile_row *row = &job->row[i];
    f2l_error why = {0};
    if (!job->base.options->no_slow || !row->variant->slow || !row->by->applies) return F2L_OK;
    const f2l_status status = row->by->applies(&job->base, &why);
    return status == F2L_EDOMAIN || (status != F2L_OK && status != F2L_UNKNOWN)
               ? note_refusal(&job->entry[i], job, row->variant, status, &why, err)
               : F2L_OK;
}

f2l_status f2l_compile_examine(bool *open, f2l_compile_job *job, size_t i, f2l_error *err)
{
    const f2l_compile_row *row = &job->row[i];
    f2l_compile_entry *entry = &job->entry[i];
    *open = false;
    if (!f2l_compile_is_asked(job, i)) return examine_unasked(job, i, err);
    if (lacks_moore(job, i)) return F2L_OK;
    f2l_status status = go_on_with_row(open, entry, job, row, row->by->applies, err);
    if (status != F2L_OK || !*open) return status;
    const char *no = job->base.options->all ? NULL : restrained(job, row->variant);
    if (!no) return go_on_with_row(open, entry, job, row, row->by->prepare, err);
    *open = false;
    set_entry_outcome(entry, F2L_COMPILE_UNASKED, no);
    return F2L_OK;
}

/* With labels `edges` the network may track a Moore machine, whose output after the empty word is
 * no label. */
static void set_label(f2l_compile_result *c, const f2l_compile_job *job)
{
    if (job->base.options->label != F2L_LABEL_EDGES) return;
    c->net.label = F2L_LABEL_EDGES;
    c->net.start = F2L_NO_INDEX;
}

static f2l_status build_row(f2l_compile_result *c, f2l_compile_job *job, const f2l_compile_row *row,
                            f2l_error *err)
{
    c->theorem = row->variant->theorem;
    c->variant = row->variant->name;
    c->by = row->by;
    c->minimised_states = job->minimised_states;
    c->letters = job->letters;
    if (row->by->detail) c->detail = f2l_calloc(1, row->by->detail);
    if (row->by->detail && !c->detail) return f2l_fail_memory(err);
    f2l_status status = row->by->build(c, &job->base, err);
    if (status != F2L_OK) return status;
    set_label(c, job);
    memcpy(c->net.fsa_sha256, job->fsa_sha256, sizeof job->fsa_sha256);
    return F2L_OK;
}

/* Verifies *c exactly and in the formats that are needed now: bf16 for the order, the formats of
 * the bounds, and all formats for a list or if a rule is the proof, which takes almost no time. A
 * network that is only named as nearest is not ordered. */
static f2l_status verify_result(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_options *o = job->base.options;
    const f2l_schedule *schedule = f2l_compile_schedule(o);
    f2l_compile_format *closed;
    const double start = f2l_now();
    f2l_status status = c->by->proof->exact(c, &job->base, err);
    c->exact_seconds = f2l_now() - start;
    if (status == F2L_OK && !job->nearest && !o->figures)
        status = f2l_compile_close(&closed, c, f2l_format_find("bf16"), f2l_schedule_find("every"),
                                   job, err);
    c->unrounded = status == F2L_OK && f2l_compile_unrounded(c);
    for (size_t i = 0; status == F2L_OK && i < F2L_MAX_FORMATS && o->bounds.exact_in[i]; i++)
        status = f2l_compile_close(&closed, c, o->bounds.exact_in[i], schedule, job, err);
    for (size_t i = 0;
         status == F2L_OK && i < F2L_MAX_FORMATS && o->format[i] && (o->all || c->rule); i++)
        status = f2l_compile_close(&closed, c, o->format[i], schedule, job, err);
    return status;
}

/* Returns whether some box of the network has more than one point. */
static bool has_wide_boxes(const f2l_net *net)
{
    bool wide = false;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *y = &net->layer[l];
        for (size_t i = 0; y->low && i < y->codes * y->heads && !wide; i++)
            wide = f2l_qvec_compare(&y->low[i], &y->high[i]) != 0;
    }
    return wide;
}

/* Returns whether words lead the network to finitely many exact states. */
static f2l_compile_states find_states(const f2l_compile_entry *entry, const f2l_net *net)
{
    if (entry->exact != F2L_OK) return F2L_COMPILE_STATES_UNKNOWN;
    if (!has_wide_boxes(net)) return F2L_COMPILE_STATES_FINITE;
    return entry->row->infinite || entry->row->target == F2L_COMPILE_POSITIVE
               ? F2L_COMPILE_STATES_INFINITE
               : F2L_COMPILE_STATES_UNKNOWN;
}

void f2l_compile_record(f2l_compile_entry *entry, const f2l_compile_result *c)
{
    entry->outcome = F2L_COMPILE_BUILT;
    entry->theorem = c->theorem;
    entry->variant = c->variant;
    entry->gated = f2l_net_has_gates(&c->net);
    entry->reason[0] = '\0';
    f2l_compile_measure(&entry->figures, c);
    entry->exact = c->exact.verdict;
    entry->states = find_states(entry, &c->net);
    if (entry->exact == F2L_UNKNOWN)
        memcpy(entry->exact_reason, c->exact.reason, sizeof entry->exact_reason);
    entry->unrounded = c->unrounded;
    entry->formats = c->formats;
    for (size_t i = 0; i < c->formats; i++) {
        const f2l_closure *closure = &c->format[i].closure;
        f2l_compile_entry_format *f = &entry->format[i];
        f->format = c->format[i].format;
        f->schedule = c->format[i].schedule;
        f->verdict = closure->verdict;
        f->word_length = closure->verdict == F2L_REFUTED ? closure->word_length : 0;
        f->bounded = c->format[i].bounded;
        f->horizon = c->format[i].horizon;
        if (closure->verdict == F2L_UNKNOWN) memcpy(f->reason, closure->reason, sizeof f->reason);
    }
}

/* Of equal ranks the first row of the table wins. */
static bool is_better(const f2l_compile_result *c, const f2l_compile_job *job, size_t i)
{
    const f2l_compile_row *row = &job->row[i];
    const f2l_compile_rank mine =
        f2l_compile_rank_of(c, job->entry[i].ask, row->variant->published);
    if (!job->best->theorem) return true;
    const f2l_compile_rank best = rank_of_best(job);
    return f2l_compile_better(&mine, &best) ||
           (!f2l_compile_better(&best, &mine) && !job->entry[i].best && i < best_row(job));
}

static void tell_found(f2l_compile_job *job, size_t i)
{
    const f2l_compile_listener *listener = job->base.options->listener;
    f2l_compile_result *best = job->best;
    if (!f2l_compile_verified(job)) return;
    if (job->search.first == SIZE_MAX) {
        job->search.first = i;
        job->search.first_steps = job->search.steps + job->base.task->effort->spent;
        job->search.first_seconds = f2l_now() - job->start;
    }
    if (!listener || !listener->found) return;
    /* If no later report follows, the search was cut off here. */
    best->search = job->search;
    best->search.end = F2L_COMPILE_INTERRUPTED;
    best->all = job->base.options->all;
    best->entry = job->entry;
    best->entries = job->rows;
    listener->found(listener->context, best);
    best->entry = NULL;
    best->entries = 0;
}

/* Swaps *c and the best network if *c is better and row i may win. Without bounds a row that needs
 * an option is only shown in a list and never wins. */
static void compete(f2l_compile_result *c, f2l_compile_job *job, size_t i)
{
    const f2l_compile_entry *entry = &job->entry[i];
    const bool shown_only = entry->ask && !f2l_compile_has_bounds(&job->base.options->bounds);
    if (!entry->within || shown_only || restrained(job, job->row[i].variant) ||
        !is_better(c, job, i))
        return;
    const f2l_compile_result loser = *job->best;
    *job->best = *c;
    *c = loser;
    for (size_t k = 0; k < job->rows; k++) job->entry[k].best = k == i;
    tell_found(job, i);
}

f2l_status f2l_compile_try(f2l_compile_job *job, size_t i, f2l_error *err)
{
    const f2l_compile_row *row = &job->row[i];
    f2l_compile_entry *entry = &job->entry[i];
    f2l_compile_result c;
    f2l_error why = {0};
    bool open;
    f2l_status status = go_on_with_row(&open, entry, job, row, row->by->complete, err);
    if (status != F2L_OK || !open) return status;
    f2l_compile_result_init(&c);
    job->base.below = f2l_compile_of_use(entry, job);
    status = build_row(&c, job, row, &why);
    if (status == F2L_OK) f2l_compile_measure(&entry->figures, &c);
    const bool lost = status == F2L_OK && beaten(entry, job, row->variant);
    if (status == F2L_OK && !lost) status = verify_result(&c, job, &why);
    if (status != F2L_OK) {
        status = note_refusal(entry, job, row->variant, status, &why, err);
    } else if (!lost) {
        f2l_compile_record(entry, &c);
        entry->within = f2l_compile_entry_within(entry, job->base.options);
        compete(&c, job, i);
    }
    f2l_compile_drop(&c);
    return status;
}
