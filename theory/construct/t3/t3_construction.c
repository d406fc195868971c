/* T3 as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/t3/t3.h"
#include <stdio.h>

static f2l_status t3_applies(f2l_construct_job *job, f2l_error *err)
{
    f2l_status status = f2l_construct_represent(job, err);
    if (status != F2L_OK || job->variant->number != F2L_T3_DOUBLED) return status;
    for (size_t o = 0; o < job->set.orbits; o++) {
        size_t n;
        if (f2l_keys_dimension(F2L_KEYS_ROOTS, job->set.orbit[o + 1] - job->set.orbit[o], &n))
            return F2L_OK;
    }
    return f2l_fail(err, F2L_EDOMAIN,
                    "no orbit is small enough for roots, so that these are the dyadic keys");
}

/* Returns the key dimension of an orbit of m points, as f2l_t3_build chooses it. */
static size_t orbit_dimension(f2l_t3_keys keys, size_t m)
{
    size_t roots, doubled = 1;
    if (keys == F2L_T3_NAIVE || m == 1) return m;
    f2l_keys_dimension(F2L_KEYS_DOUBLED, m, &doubled);
    if (keys == F2L_T3_DOUBLED || !f2l_keys_dimension(F2L_KEYS_ROOTS, m, &roots)) return doubled;
    return roots < doubled ? roots : doubled;
}

static void set_least_t3(f2l_compile_figures *out, const f2l_construct_job *job)
{
    for (size_t o = 0; o < job->set.orbits; o++)
        out->states += orbit_dimension((f2l_t3_keys)job->variant->number,
                                       job->set.orbit[o + 1] - job->set.orbit[o]);
    out->layers = 1;
    out->key_dim = out->states;
    out->householders = out->factors_per_token = job->set_reflections;
    out->table_entries = job->states;
}

static f2l_status build_t3_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    snprintf(out->one_layer, sizeof out->one_layer, "permutation automaton");
    return f2l_t3_build(&out->net, out->detail, job->subject, job->label,
                        (f2l_t3_keys)job->variant->number, &job->set, job->task, err);
}

static void describe_t3(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_t3_report *t3 = c->detail;
    f2l_buf representation;
    f2l_buf_init(&representation);
    f2l_buf_text(&representation, t3->representation);
    if (!t3->search_exhausted)
        f2l_buf_text(&representation, "; the search for fewer points stopped at its limit");
    const f2l_fact o = f2l_say_object(in, "track");
    f2l_say_count(o, "points", t3->points);
    f2l_say_count(o, "k_states", t3->k_states);
    f2l_say_count(o, "k_points", t3->k_points);
    f2l_say_buf(o, "representation", &representation);
    f2l_say_text(o, "keys", t3->keys);
}

static const f2l_variant variant[] = {
    {"T3", "dyadic keys", .number = F2L_T3_EXACT, .published = true},
    {"T3", "doubled keys", .number = F2L_T3_DOUBLED, .published = true},
    {"T3", "naive keys", .number = F2L_T3_NAIVE, .naive = true, .published = true}};

const f2l_construction f2l_construction_t3 = {
    .variant = variant,
    .variants = sizeof variant / sizeof *variant,
    .applies = t3_applies,
    .least = set_least_t3,
    .detail = sizeof(f2l_t3_report),
    .build = build_t3_row,
    .proof = &f2l_proof_joint,
    .title = "permutation automaton, one layer",
    .describe = describe_t3,
    .lines = "on {track.points point} ({track.representation}); keys: {track.keys}\n"
             "one letter displaces at most {track.k_states state} (k of [U]), "
             "{track.k_points point}\n"};
