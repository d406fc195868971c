#include "f2l_cert.h"
#include "f2l_compile_impl.h"
#include "f2l_mem.h"
#include <stdio.h>
#include <string.h>

/* A network that competes, with what the comparison needs. */
typedef struct candidate {
    const char *theorem;
    f2l_net net;
    f2l_t3_report t3;
    f2l_register_report registers;
    f2l_compile_t4 *t4;
    f2l_wired wired;
    f2l_compile_zeiger *zeiger;
    f2l_closure exact;
    f2l_compile_format bf16; /* without a format: not computed */
    double construct_seconds, exact_seconds;
} candidate;

typedef struct compilation {
    const f2l_fsa *fsa;     /* what is certified */
    const f2l_fsa *subject; /* what is built: fsa, or its quotient by the labels */
    f2l_fsa quotient;
    uint32_t *classes; /* of fsa's states in the quotient */
    bool cascade;      /* not T3 */
    const f2l_compile_options *options;
    const f2l_task *task;
    f2l_gset gset;         /* the representation that every T3 candidate shares */
    f2l_definite definite; /* only where K may apply */
    size_t minimised_states;
    char fsa_sha256[65];
    double prepare_seconds;
    candidate best;
    bool has_best;
    char refusal[256]; /* why the last candidate that was not built was not */
} compilation;

/* One way to build a network. `applies` may look at the best so far: it is false also when this way cannot
 * win. */
typedef struct construction {
    const char *theorem;
    bool (*applies)(const compilation *job);
    f2l_status (*build)(candidate *out, compilation *job, f2l_error *err);
} construction;

static bool applies_t3_exact(const compilation *job)
{
    return !job->cascade && !job->options->naive_keys;
}

/* The dyadic keys of least dimension and the doubled ones give the same layers, factors and codes, and never
 * more state numbers (f2l_t3.h): doubled keys can win only where the first were not verified in bf16. They
 * are the same keys when no orbit is small enough for a root system. */
static bool applies_t3_doubled(const compilation *job)
{
    if (job->cascade || job->options->naive_keys) return false;
    if (job->has_best && job->best.exact.verdict == F2L_OK && job->best.bf16.closure.verdict == F2L_OK)
        return false;
    for (size_t o = 0; o < job->gset.orbits; o++) {
        size_t n;
        if (f2l_keys_dimension(F2L_KEYS_ROOTS, job->gset.orbit[o + 1] - job->gset.orbit[o], &n)) return true;
    }
    return false;
}

static bool applies_t3_naive(const compilation *job)
{
    return !job->cascade && job->options->naive_keys;
}

static bool applies_register(const compilation *job)
{
    return job->definite.definite;
}

/* The register's one layer is beaten by a cascade of one level only, and that means that all letters are
 * permutations or resets: then k = 1 (K.5). */
static bool applies_t4(const compilation *job)
{
    if (!job->cascade) return false;
    return !(job->has_best && job->best.exact.verdict == F2L_OK && job->best.bf16.closure.verdict == F2L_OK &&
             job->definite.k > 1);
}

/* What no limit on subsets stops. */
static bool applies_zeiger(const compilation *job)
{
    return job->cascade && !job->has_best && job->refusal[0];
}

static f2l_status build_t3(candidate *out, const compilation *job, f2l_t3_keys keys, f2l_error *err)
{
    return f2l_t3_build(&out->net, &out->t3, job->subject, job->options->label, keys, &job->gset, job->task,
                        err);
}

static f2l_status build_t3_exact(candidate *out, compilation *job, f2l_error *err)
{
    return build_t3(out, job, F2L_T3_EXACT, err);
}

static f2l_status build_t3_doubled(candidate *out, compilation *job, f2l_error *err)
{
    return build_t3(out, job, F2L_T3_DOUBLED, err);
}

static f2l_status build_t3_naive(candidate *out, compilation *job, f2l_error *err)
{
    return build_t3(out, job, F2L_T3_NAIVE, err);
}

static f2l_status build_register(candidate *out, compilation *job, f2l_error *err)
{
    return f2l_register_build(&out->net, &out->registers, job->subject, job->options->label, &job->definite,
                              job->task, err);
}

/* The quotient, where there is one, becomes the candidate's: its cascade needs it as long as it lives. */
static f2l_status build_t4(candidate *out, compilation *job, f2l_error *err)
{
    return f2l_compile_t4_build(&out->t4, &out->net, job->fsa, &job->quotient, &job->classes, job->options,
                                job->task, err);
}

static f2l_status build_zeiger(candidate *out, compilation *job, f2l_error *err)
{
    return f2l_compile_zeiger_build(&out->zeiger, &out->wired, job->fsa, &job->quotient, &job->classes,
                                    job->refusal, job->options, job->task, err);
}

static const construction constructions[] = {{"T3", applies_t3_exact, build_t3_exact},
                                             {"T3", applies_t3_doubled, build_t3_doubled},
                                             {"T3", applies_t3_naive, build_t3_naive},
                                             {"K", applies_register, build_register},
                                             {"T4", applies_t4, build_t4},
                                             {"Z", applies_zeiger, build_zeiger}};
#define CONSTRUCTIONS (sizeof constructions / sizeof *constructions)

static void candidate_init(candidate *c)
{
    *c = (candidate){0};
    f2l_net_init(&c->net);
    f2l_wired_init(&c->wired);
    f2l_closure_init(&c->exact);
    f2l_closure_init(&c->bf16.closure);
}

static void candidate_clear(candidate *c)
{
    f2l_net_clear(&c->net);
    f2l_wired_clear(&c->wired);
    f2l_compile_t4_free(c->t4);
    f2l_compile_zeiger_free(c->zeiger);
    f2l_closure_clear(&c->exact);
    f2l_closure_clear(&c->bf16.closure);
    candidate_init(c);
}

void f2l_compile_result_init(f2l_compile_result *r)
{
    *r = (f2l_compile_result){0};
    f2l_net_init(&r->net);
    f2l_wired_init(&r->wired);
    f2l_closure_init(&r->exact);
}

void f2l_compile_result_clear(f2l_compile_result *r)
{
    f2l_net_clear(&r->net);
    f2l_wired_clear(&r->wired);
    f2l_compile_t4_free(r->t4);
    f2l_compile_zeiger_free(r->zeiger);
    f2l_closure_clear(&r->exact);
    for (size_t i = 0; i < r->formats; i++) f2l_closure_clear(&r->format[i].closure);
    f2l_compile_result_init(r);
}

/* Decoder entries of all layers. */
static size_t table_entries(const f2l_net *net)
{
    size_t entries = 0;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        entries += layer->parts > 0   ? layer->symbol_at[layer->letters]
                   : layer->by_letter ? layer->letters * layer->codes
                                      : layer->codes;
    }
    return entries;
}

/* The order of f2l_compile.h; exact verification stands above it, since nothing else counts without it. Where
 * a register is no smaller than a cascade of one level, the published construction is kept. */
static bool better(const candidate *a, const candidate *b)
{
    f2l_net_size sa, sb;
    f2l_net_measure(&sa, &a->net);
    f2l_net_measure(&sb, &b->net);
    const size_t criterion[][2] = {{a->exact.verdict != F2L_OK, b->exact.verdict != F2L_OK},
                                   {a->bf16.closure.verdict != F2L_OK, b->bf16.closure.verdict != F2L_OK},
                                   {sa.layers, sb.layers},
                                   {sa.factors_per_token, sb.factors_per_token},
                                   {sa.states, sb.states},
                                   {table_entries(&a->net), table_entries(&b->net)},
                                   {!a->t4, !b->t4}};
    for (size_t i = 0; i < sizeof criterion / sizeof *criterion; i++)
        if (criterion[i][0] != criterion[i][1]) return criterion[i][0] < criterion[i][1];
    return false;
}

/* Drops the quotient's states that nobody reaches: a group form keeps points that nobody reaches, and so does
 * its quotient. */
static f2l_status trim_quotient(compilation *job, f2l_error *err)
{
    f2l_reach reach;
    size_t dropped;
    f2l_status status = f2l_reach_init(&reach, &job->quotient, err);
    if (status != F2L_OK) return status;
    for (size_t q = 0; q < job->fsa->states.count; q++) job->classes[q] = reach.position[job->classes[q]];
    f2l_reach_clear(&reach);
    return f2l_fsa_trim(&job->quotient, &dropped, err);
}

/* Only equal labels may be merged, so with labels `states` there is nothing to minimise, and the quotient
 * that a cascade of a group form then takes is the reachable part. For T3 a quotient that merges nothing is
 * not used: the automaton itself may know its permutations of points. */
static f2l_status minimise(compilation *job, f2l_error *err)
{
    const f2l_label label = job->options->label;
    job->subject = job->fsa;
    if (label == F2L_LABEL_STATES && !(job->cascade && job->fsa->track != F2L_TRACK_STATES)) return F2L_OK;
    f2l_status status = f2l_fsa_minimise(&job->quotient, &job->classes, job->fsa, label, job->task, err);
    if (status == F2L_OK) status = trim_quotient(job, err);
    if (status != F2L_OK) return status;
    if (label != F2L_LABEL_STATES) job->minimised_states = job->quotient.states.count;
    if (job->quotient.states.count < job->fsa->states.count) job->subject = &job->quotient;
    return F2L_OK;
}

/* No limit on this test may stop the cascade. */
static f2l_status find_definite(compilation *job, f2l_error *err)
{
    if (job->options->cascade != F2L_COMPILE_AUTO) return F2L_OK;
    f2l_status status = f2l_definite_find(&job->definite, job->subject, 0, job->task, err);
    return status == F2L_UNKNOWN ? F2L_OK : status;
}

/* Settles between T3 and the others, and finds what T3 and K need. */
static f2l_status represent(compilation *job, f2l_error *err)
{
    f2l_merge merge;
    f2l_error why = {0};
    if (!job->cascade && !f2l_fsa_is_permutation(job->subject, &merge)) {
        f2l_status status = f2l_merge_fail(job->subject, &merge, &why);
        if (status != F2L_EDOMAIN) return f2l_fail(err, status, "%s", why.text);
        job->cascade = true;
    }
    if (!job->cascade) return f2l_gset_smallest(&job->gset, job->subject, 0, job->task, err);
    if (!job->options->naive_keys) return find_definite(job, err);
    return f2l_fail(err, F2L_EDOMAIN, "%s%scascades have no naive keys", why.text, why.text[0] ? "; " : "");
}

/* Verification in exact arithmetic. */
static f2l_status verify(candidate *c, const compilation *job, f2l_error *err)
{
    if (c->t4) return f2l_compile_t4_exact(c->t4, &c->exact, &c->net, job->fsa, job->options, job->task, err);
    if (c->zeiger)
        return f2l_compile_zeiger_exact(c->zeiger, &c->exact, &c->wired, job->fsa, job->options, job->task,
                                        err);
    return f2l_closure_exact(&c->exact, &c->net, job->fsa, job->options->exact_rows, job->task, err);
}

static f2l_status build(candidate *out, const construction *way, compilation *job, f2l_error *err)
{
    double start = f2l_now();
    f2l_status status = way->build(out, job, err);
    out->theorem = way->theorem;
    out->construct_seconds = f2l_now() - start;
    if (status != F2L_OK) return status;
    memcpy(out->zeiger ? out->wired.fsa_sha256 : out->net.fsa_sha256, job->fsa_sha256,
           sizeof job->fsa_sha256);
    start = f2l_now();
    if (status == F2L_OK) status = verify(out, job, err);
    out->exact_seconds = f2l_now() - start;
    return status;
}

static f2l_status close_in_format(f2l_compile_format *out, const candidate *c, const compilation *job,
                                  f2l_error *err)
{
    const double start = f2l_now();
    f2l_status status =
        c->t4       ? f2l_compile_t4_format(out, c->t4, &c->net, job->fsa, job->options, job->task, err)
        : c->zeiger ? f2l_compile_zeiger_format(out, c->zeiger, &c->wired, job->fsa, job->task, err)
                    : f2l_closure_float(&out->closure, &c->net, job->fsa, out->format, out->schedule,
                                        job->options->float_rows, job->task, err);
    out->seconds = f2l_now() - start;
    return status;
}

static f2l_status close_in_bf16(candidate *c, const compilation *job, f2l_error *err)
{
    c->bf16.format = f2l_format_find("bf16");
    c->bf16.schedule = f2l_schedule_find("every");
    return close_in_format(&c->bf16, c, job, err);
}

/* Builds one candidate and keeps the better of it and the best so far. */
static f2l_status compete(compilation *job, const construction *way, bool contested, f2l_error *err)
{
    candidate c;
    f2l_error why = {0};
    candidate_init(&c);
    f2l_status status = build(&c, way, job, &why);
    if (status != F2L_OK) {
        snprintf(job->refusal, sizeof job->refusal, "%.255s", why.text);
        job->prepare_seconds += c.construct_seconds;
        if (err) *err = why;
    }
    if (status == F2L_OK && contested) status = close_in_bf16(&c, job, err);
    if (status == F2L_OK && (!job->has_best || better(&c, &job->best))) {
        const candidate loser = job->best;
        job->best = c;
        c = loser;
        job->has_best = true;
    }
    candidate_clear(&c);
    return status;
}

static f2l_status choose(compilation *job, f2l_error *err)
{
    size_t applicable = 0;
    f2l_status last = F2L_OK;
    for (size_t i = 0; i < CONSTRUCTIONS; i++) applicable += constructions[i].applies(job);
    for (size_t i = 0; i < CONSTRUCTIONS; i++) {
        if (!constructions[i].applies(job)) continue;
        last = compete(job, &constructions[i], applicable > 1, err);
        /* A candidate that does not exist, or that there is no time for, leaves the best as it is. */
        if (last != F2L_OK && last != F2L_EDOMAIN && last != F2L_UNKNOWN) return last;
    }
    return job->has_best ? F2L_OK : last;
}

/* Takes over what the contest has computed. */
static f2l_status close_best(f2l_compile_format *out, compilation *job, f2l_error *err)
{
    candidate *best = &job->best;
    if (best->bf16.format != out->format || best->bf16.schedule != out->schedule)
        return close_in_format(out, best, job, err);
    *out = best->bf16;
    f2l_closure_init(&best->bf16.closure);
    best->bf16.format = NULL;
    return F2L_OK;
}

static f2l_status close_in_formats(f2l_compile_result *out, compilation *job, f2l_error *err)
{
    const f2l_compile_options *options = job->options;
    for (size_t i = 0; i < F2L_MAX_FORMATS && options->format[i]; i++) {
        f2l_compile_format *format = &out->format[i];
        format->format = options->format[i];
        format->schedule = options->schedule ? options->schedule : f2l_schedule_find("every");
        f2l_closure_init(&format->closure);
        out->formats = i + 1;
        f2l_status status = close_best(format, job, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Why one layer suffices, for those for which it is known to (K.5). */
static void explain_one_layer(f2l_compile_result *out)
{
    char *text = out->one_layer;
    if (strcmp(out->theorem, "T3") == 0)
        snprintf(text, sizeof out->one_layer, "permutation automaton");
    else if (out->registers.k)
        snprintf(text, sizeof out->one_layer, "k-definite, k = %zu", out->registers.k);
    else if (out->t4 && out->t4->cascade.levels <= 1)
        snprintf(text, sizeof out->one_layer, "permutation-reset");
}

/* Moves the winner over. */
static void take(f2l_compile_result *out, compilation *job)
{
    candidate *best = &job->best;
    out->net = best->net;
    out->theorem = best->theorem;
    out->t3 = best->t3;
    out->registers = best->registers;
    out->t4 = best->t4;
    out->wired = best->wired;
    out->zeiger = best->zeiger;
    out->minimised_states = job->minimised_states;
    out->exact = best->exact;
    out->construct_seconds = job->prepare_seconds + best->construct_seconds;
    out->exact_seconds = best->exact_seconds;
    best->t4 = NULL;
    best->zeiger = NULL;
    explain_one_layer(out);
    f2l_net_init(&best->net);
    f2l_wired_init(&best->wired);
    f2l_closure_init(&best->exact);
}

f2l_status f2l_compile(f2l_compile_result *out, const f2l_fsa *fsa, const f2l_compile_options *options,
                       const f2l_task *task, f2l_error *err)
{
    compilation job = {.fsa = fsa, .options = options, .task = task};
    job.cascade = options->cascade != F2L_COMPILE_AUTO;
    const double start = f2l_now();
    f2l_compile_result_clear(out);
    f2l_fsa_init(&job.quotient);
    f2l_gset_init(&job.gset);
    f2l_definite_init(&job.definite);
    candidate_init(&job.best);
    f2l_status status = f2l_fsa_check_label(fsa, options->label, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(fsa, job.fsa_sha256, err);
    if (status == F2L_OK) status = minimise(&job, err);
    if (status == F2L_OK) status = represent(&job, err);
    job.prepare_seconds = f2l_now() - start;
    if (status == F2L_OK) status = choose(&job, err);
    if (status == F2L_OK) status = close_in_formats(out, &job, err);
    if (status == F2L_OK) take(out, &job);
    candidate_clear(&job.best);
    f2l_gset_clear(&job.gset);
    f2l_definite_clear(&job.definite);
    f2l_fsa_clear(&job.quotient);
    f2l_free(job.classes);
    if (status != F2L_OK) f2l_compile_result_clear(out);
    return status;
}

f2l_status f2l_compile_certificate(f2l_buf *out, const f2l_compile_result *result, const f2l_fsa *fsa,
                                   const char network_sha256[65], f2l_error *err)
{
    const f2l_compile_t4 *t4 = result->t4;
    const f2l_compile_zeiger *z = result->zeiger;
    if (z && z->exact.verdict == F2L_OK)
        return f2l_wired_cert_zeiger(out, &result->wired, &z->exact, z->fsa, fsa, z->classes, network_sha256,
                                     err);
    if (z) return f2l_wired_cert_exact(out, &result->wired, &result->exact, network_sha256, err);
    if (!t4 || t4->local.verdict != F2L_OK)
        return f2l_cert_write(out, &result->net, &result->exact, network_sha256, err);
    return f2l_cascade_cert_write(out, &result->net, &t4->cascade, &t4->local, fsa, t4->classes,
                                  network_sha256, err);
}
