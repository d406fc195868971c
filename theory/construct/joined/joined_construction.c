/* R4.8 as a construction: T4 by holonomy with joined levels. (In lists of 816 automata no other
 * cover gave a network that was not equalled or beaten.) It is verified like other cascades; the
 * layer of contractions may round in a format. */
#include "theory/construct/joined/joined.h"
#include "theory/construct/t4/t4_construction.h"

typedef struct detail {
    f2l_t4_detail t4;
    size_t levels;   /* of the cascade before */
    size_t code_dim; /* coordinates of the codes of that level */
    size_t extra;    /* coordinates more that factors use */
} detail;

static f2l_status joined_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states: see T3 and R1");
    return f2l_construct_states_only(job, err);
}

/* Takes over the joined cascade. */
static void take_joined_cascade(detail *d, f2l_joined *joined)
{
    d->t4.cascade = joined->cascade;
    d->t4.owns = true;
    f2l_cascade_init(&joined->cascade);
    f2l_cascade_measure(&d->t4.size, &d->t4.cascade);
    d->levels = joined->levels;
    d->code_dim = joined->codes.space.dim;
    d->extra = joined->codes.space.extra;
}

static f2l_status build_joined_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    f2l_t4_detail *t4 = f2l_t4_begin(out, job);
    f2l_joined joined = {0};
    const f2l_t4_last last = {f2l_joined_layer, &joined};
    f2l_status status = f2l_joined_find(&joined, &t4->cascade, job->options->least_layers,
                                        job->below, job->task, err);
    if (status != F2L_OK) return status;
    take_joined_cascade(out->detail, &joined);
    status = f2l_t4_build_joined(&out->net, &t4->report, &t4->cascade, &last, out->subject,
                                 job->label, job->variant->gated, job->task, err);
    f2l_joined_clear(&joined);
    return status == F2L_OK ? f2l_t4_merge(out, job, err) : status;
}

static void describe_joined(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    f2l_t4_describe(in, c);
    const f2l_fact o = f2l_say_object(in, "joined");
    f2l_say_count(o, "levels_before", d->levels);
    f2l_say_count(o, "first_level", d->t4.cascade.levels);
    f2l_say_count(o, "code_dimension", d->code_dim);
    f2l_say_count(o, "extra_coordinates", d->extra);
}

/* The least is a level before the joined one, and that one. */
static void set_least_joined(f2l_compile_figures *out, const f2l_construct_job *job)
{
    (void)job;
    *out = (f2l_compile_figures){
        .layers = 2, .states = 2, .key_dim = 1, .householders = 1, .factors_per_token = 1};
}

static const f2l_variant variant[] = {
    {"R4.8", "holonomy", .cascade = F2L_COMPILE_HOLONOMY, .rounds = true, .slow = true}};

const f2l_construction f2l_construction_joined = {
    .variant = variant,
    .variants = 1,
    .applies = joined_applies,
    .least = set_least_joined,
    .prepare = f2l_t4_prepare,
    .complete = f2l_t4_complete,
    .again = f2l_t4_again,
    .detail = sizeof(detail),
    .build = build_joined_row,
    .proof = &f2l_proof_cascade,
    .title = "cascade, levels {joined.first_level} to {joined.levels_before} in one layer",
    .describe = describe_joined,
    .tell = f2l_t4_tell,
    .lines =
        "joined\tlevels {joined.first_level} to {joined.levels_before}: one code for each state, "
        "{joined.code_dimension} coordinates{joined.extra_coordinates? and "
        "{joined.extra_coordinates} that factors use}\n"
        "repair\t{cascade.repair}\n",
    .clear = f2l_t4_clear};
