/* D2 and T5 as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/dihedral/dihedral.h"

static f2l_status dihedral_applies(f2l_construct_job *job, f2l_error *err)
{
    return job->permutes ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "%s", job->merges);
}

/* Sets lower bounds: layer 1 holds a sign (1 number), layer 2 a vector of the plane (2 numbers). */
static void set_least_dihedral(f2l_compile_figures *out, const f2l_construct_job *job)
{
    (void)job;
    *out = (f2l_compile_figures){
        .layers = 2, .householders = 1, .factors_per_token = 1, .key_dim = 1, .states = 2};
}

static f2l_status build_dihedral_row(f2l_compile_result *out, f2l_construct_job *job,
                                     f2l_error *err)
{
    f2l_dihedral_report *d = out->detail;
    f2l_status status = f2l_dihedral_build(&out->net, d, job->subject, job->label, job->task, err);
    if (status == F2L_OK && !d->dihedral) out->theorem = "T5";
    return status;
}

static void describe_dihedral(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_dihedral_report *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "rotations");
    f2l_say_text(o, "group", d->dihedral ? "dihedral" : "cyclic");
    f2l_say_count(o, "m", d->m);
    f2l_say_count(o, "field_degree", d->degree);
    f2l_say_count(o, "reflections", d->reflections);
    f2l_say_truth(o, "dyadic", d->dyadic);
}

/* Named T5 where the group is cyclic. */
static const f2l_variant variant[] = {{"D2", "one reflection", .rounds = true, .published = true}};

const f2l_construction f2l_construction_dihedral = {
    .variant = variant,
    .variants = 1,
    .applies = dihedral_applies,
    .least = set_least_dihedral,
    .detail = sizeof(f2l_dihedral_report),
    .build = build_dihedral_row,
    .proof = &f2l_proof_joint,
    .title = "{rotations.group} group, two layers",
    .describe = describe_dihedral,
    .lines = "the transition group is {rotations.group=dihedral?D|Z}_{rotations.m}; the first "
             "layer is the parity of its rotations, the second a vector of the plane"
             "{rotations.field_degree=1?| over a field of degree {rotations.field_degree}}\n"};
