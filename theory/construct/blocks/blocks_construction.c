/* L.10 as a construction. */
#include "theory/construct/blocks/blocks.h"
#include "theory/construct/construction.h"
#include "theory/construct/t4/t4_construction.h"

typedef struct detail {
    f2l_blocks_report report;
    const char *kind; /* of the cascade */
} detail;

static f2l_status blocks_apply(f2l_construct_job *job, f2l_error *err)
{
    if (f2l_construct_cascade_states(job) >= 2) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a cascade by blocks is for two states or more");
}

/* Sets lower bounds: a layer of the clock, and two for a level. */
static void set_least_blocks(f2l_compile_figures *out, const f2l_construct_job *job)
{
    (void)job;
    out->layers = out->factors_per_token = out->states = 3;
    out->householders = out->key_dim = 1;
}

static f2l_status build_blocks_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const f2l_cascade *cascade;
    detail *d = out->detail;
    f2l_status status = f2l_t4_smaller(&cascade, job, err);
    if (status != F2L_OK) return status;
    f2l_construct_track(out, job, cascade->fsa);
    d->kind = f2l_cascade_kind_name(cascade->kind);
    return f2l_blocks_build(&out->net, &d->report, cascade, job->options->label,
                            job->variant->number, job->task, err);
}

static void describe_blocks(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "level_blocks");
    f2l_say_text(o, "kind", d->kind);
    f2l_say_count(o, "levels", d->report.levels);
    f2l_say_count(o, "clock_layers", d->report.clock_layers);
    f2l_say_count(o, "block", d->report.block);
    f2l_say_count(o, "block_factors", d->report.factors);
    f2l_say_count(o, "products", d->report.elements);
    f2l_construct_say_circuits(o, c);
}

static const f2l_variant variant[] = {{"L10", "n_h = 1", .number = 1, .target = F2L_COMPILE_ONE},
                                      {"L10", "n_h = 2", .number = 2, .rounds = true},
                                      {"L10", "n_h = 3", .number = 3, .rounds = true}};

const f2l_construction f2l_construction_blocks = {
    .variant = variant,
    .variants = sizeof variant / sizeof *variant,
    .applies = blocks_apply,
    .least = set_least_blocks,
    .detail = sizeof(detail),
    .build = build_blocks_row,
    .again = f2l_t4_again_smaller,
    .by_quotient = true,
    .proof = &f2l_proof_form,
    .form = &f2l_form_blocks,
    .title = "cascade by blocks of letters, two layers per level",
    .describe = describe_blocks,
    .lines = "{level_blocks.levels level} of a cascade ({level_blocks.kind}); while a block of "
             "{level_blocks.block letter} is read, the product of the one before, at most "
             "{level_blocks.block_factors} factors, is applied\n"
             "{level_blocks.gates look-up} a token ({level_blocks.table_entries} table entries)\n"};
