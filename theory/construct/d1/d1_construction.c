/* D1 as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/d1/d1.h"

/* Returns F2L_EDOMAIN also when a block would be one token: with as many factors as any permutation
 * needs D1 does the same as T3 in one layer. */
static f2l_status d1_applies(f2l_construct_job *job, f2l_error *err)
{
    f2l_status status = f2l_construct_represent(job, err);
    if (status != F2L_OK) return status;
    const size_t most = job->set.points - job->set.orbits;
    if (job->variant->number < most) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "one layer takes at most n_h = %zu", most);
}

/* Sets lower bounds: a clock of one layer takes two factors, and the ring and the head that applies
 * are one layer each. */
static void set_least_d1(f2l_compile_figures *out, const f2l_construct_job *job)
{
    (void)job;
    out->layers = job->variant->number == 1 ? 4 : 3;
    out->householders = job->variant->number == 1 ? 1 : 2;
    out->factors_per_token = out->layers;
    out->states = out->key_dim = out->layers;
}

static f2l_status build_d1_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    f2l_d1_report *report = out->detail;
    f2l_construct_track(out, job, job->subject);
    f2l_status status = f2l_d1_build(&out->net, report, job->subject, job->label, &job->set,
                                     job->variant->number, job->task, err);
    if (status != F2L_UNKNOWN || !report->crowded) return status;
    return f2l_d1_build_points(&out->net, report, job->subject, job->label, &job->set,
                               job->variant->number, job->task, err);
}

static const f2l_form *d1_form_of(const f2l_compile_result *c)
{
    const f2l_d1_report *report = c->detail;
    return report->by_points ? &f2l_form_points : &f2l_form_d1;
}

static void describe_d1(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_d1_report *d1 = c->detail;
    const f2l_fact o = f2l_say_object(in, "blocks");
    f2l_say_count(o, "block", d1->block);
    f2l_say_count(o, "clock_layers", d1->clock_layers);
    f2l_say_count(o, "points", d1->points);
    f2l_say_text(o, "representation", d1->representation);
    f2l_say_text(o, "keys", d1->keys);
    f2l_say_count(o, "transpositions", d1->transpositions);
    if (!d1->by_points) f2l_say_count(o, "products", d1->products);
    f2l_construct_say_circuits(o, c);
}

static const f2l_variant variant[] = {{"D1", "n_h = 1", .number = 1, .published = true},
                                      {"D1", "n_h = 2", .number = 2, .published = true},
                                      {"D1", "n_h = 3", .number = 3, .published = true},
                                      {"D1", "n_h = 4", .number = 4, .published = true}};

const f2l_construction f2l_construction_d1 = {
    .variant = variant,
    .variants = sizeof variant / sizeof *variant,
    .applies = d1_applies,
    .least = set_least_d1,
    .detail = sizeof(f2l_d1_report),
    .build = build_d1_row,
    .proof = &f2l_proof_form,
    .form = &f2l_form_d1,
    .form_of = d1_form_of,
    .title = "permutation automaton, by blocks of letters",
    .describe = describe_d1,
    .lines = "while a block of {blocks.block letter} is read, the product of the one before, at "
             "most {blocks.transpositions} transpositions, is applied\n"
             "on {blocks.points point} ({blocks.representation}); keys: {blocks.keys}\n"
             "{blocks.gates look-up} a token ({blocks.table_entries} table entries)\n"};
