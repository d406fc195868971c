/* The table of constructions, and its rows for one layer: T3 and K. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"
#include "theory/construct/keys/keys.h"

/* --- T3 --- */

f2l_status f2l_compile_represent(f2l_compile_job *job, f2l_error *err)
{
    if (!job->permutes) return f2l_fail(err, F2L_EDOMAIN, "%s", job->merges);
    if (job->has_set) return F2L_OK;
    f2l_status status = f2l_gset_smallest(&job->set, job->subject, 0, job->task, err);
    if (status != F2L_OK) return status;
    for (size_t a = 0; a < job->set.letters; a++) {
        const size_t cycles =
            f2l_perm_cycles(job->set.image + a * job->set.points, job->set.points);
        const size_t reflections = job->set.points - cycles;
        if (reflections > job->set_reflections) job->set_reflections = reflections;
    }
    job->has_set = true;
    return F2L_OK;
}

static f2l_status t3_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    f2l_status status = f2l_compile_represent(job, err);
    if (status != F2L_OK || way->number != F2L_T3_DOUBLED) return status;
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

static void t3_least(f2l_compile_figures *out, const f2l_compile_job *job,
                     const f2l_compile_way *way)
{
    for (size_t o = 0; o < job->set.orbits; o++)
        out->states +=
            orbit_dimension((f2l_t3_keys)way->number, job->set.orbit[o + 1] - job->set.orbit[o]);
    out->layers = 1;
    out->key_dim = out->states;
    out->householders = out->factors_per_token = job->set_reflections;
    out->table_entries = job->states;
}

static f2l_status t3_build(f2l_compile_result *out, f2l_compile_job *job,
                           const f2l_compile_way *way, f2l_error *err)
{
    return f2l_t3_build(&out->net, &out->t3, job->subject, job->options->label,
                        (f2l_t3_keys)way->number, &job->set, job->task, err);
}

/* --- K --- */

/* A permutation automaton never forgets a state, so it is definite only if it has one state, and
 * then T3 serves it. */
static f2l_status register_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    (void)way;
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "no word makes a permutation automaton forget its state");
    if (!job->has_definite) {
        f2l_status status = f2l_definite_find(&job->definite, job->subject, 0, job->task, err);
        if (status != F2L_OK) return status;
        job->has_definite = true;
    }
    return job->definite.definite ? F2L_OK
                                  : f2l_fail(err, F2L_EDOMAIN, "the automaton is not definite");
}

static void register_least(f2l_compile_figures *out, const f2l_compile_job *job,
                           const f2l_compile_way *way)
{
    (void)way;
    const size_t k = job->definite.k;
    out->layers = 1;
    out->householders = out->factors_per_token = k > 1 ? k + 1 : k;
    out->key_dim = out->states = k > 1 ? 2 * k : k;
    out->table_entries = job->states;
}

static f2l_status register_build(f2l_compile_result *out, f2l_compile_job *job,
                                 const f2l_compile_way *way, f2l_error *err)
{
    (void)way;
    return f2l_register_build(&out->net, &out->registers, job->subject, job->options->label,
                              &job->definite, job->task, err);
}

/* --- T4 --- */

static f2l_status t4_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    (void)job, (void)way, (void)err;
    return F2L_OK;
}

/* --- the table --- */

/* clang-format off */
#define T3(keys) .theorem = "T3", .number = (keys), .published = true, .applies = t3_applies, \
    .least = t3_least, .build = t3_build, .proof = &f2l_compile_proof_joint
#define R1(kind) .number = (kind), .applies = f2l_compile_r1_applies, \
    .least = f2l_compile_r1_least, .prepare = f2l_compile_r1_prepare, \
    .build = f2l_compile_r1_build, .proof = &f2l_compile_proof_joint
#define D1(factors) .theorem = "D1", .number = (factors), .published = true, \
    .applies = f2l_compile_d1_applies, .least = f2l_compile_d1_least, \
    .build = f2l_compile_d1_build, .proof = &f2l_compile_proof_d1
#define G(class) .theorem = "G", .target = (class), .applies = t4_applies, \
    .least = f2l_compile_diagonal_least, .prepare = f2l_compile_t4_prepare, \
    .complete = f2l_compile_t4_complete, .build = f2l_compile_diagonal_build, \
    .proof = &f2l_compile_proof_t4
#define T4(kind) .theorem = "T4", .cascade = (kind), .published = true, .applies = t4_applies, \
    .least = f2l_compile_t4_least, .prepare = f2l_compile_t4_prepare, \
    .complete = f2l_compile_t4_complete, .build = f2l_compile_t4_build, \
    .proof = &f2l_compile_proof_t4

/* The table: rows that take least time to build and are most often best come first, because a row
 * is built only if it can still win. */
const f2l_compile_way f2l_compile_ways[] = {
    {.variant = "dyadic keys", T3(F2L_T3_EXACT)},
    {.variant = "doubled keys", T3(F2L_T3_DOUBLED)},
    {.variant = "naive keys", .naive = true, T3(F2L_T3_NAIVE)},
    {.theorem = "R1", .variant = "dyadic keys", R1(F2L_R1_DYADIC)},
    {.theorem = "R1", .variant = "irreducible", .rounds = true, R1(F2L_R1_GROUP)},
    {.theorem = "R2", .variant = "cover", .rounds = true, R1(F2L_R1_COVER)},
    {.theorem = "K", .variant = "register", .applies = register_applies, .least = register_least,
     .build = register_build, .proof = &f2l_compile_proof_joint},
    /* Named T5 where the group is cyclic. */
    {.theorem = "D2", .variant = "one reflection", .rounds = true, .published = true,
     .applies = f2l_compile_dihedral_applies, .least = f2l_compile_dihedral_least,
     .build = f2l_compile_dihedral_build, .proof = &f2l_compile_proof_joint},
    {.variant = "n_h = 1", D1(1)},
    {.variant = "n_h = 2", D1(2)},
    {.variant = "n_h = 3", D1(3)},
    {.variant = "n_h = 4", D1(4)},
    {.variant = "holonomy", T4(F2L_COMPILE_HOLONOMY)},
    {.variant = "capped cover", T4(F2L_COMPILE_CAPPED)},
    {.variant = "Zeiger cover", T4(F2L_COMPILE_ZEIGER)},
    {.variant = "holonomy, gated", .gated = true, T4(F2L_COMPILE_HOLONOMY)},
    {.variant = "capped cover, gated", .gated = true, T4(F2L_COMPILE_CAPPED)},
    {.variant = "Zeiger cover, gated", .gated = true, T4(F2L_COMPILE_ZEIGER)},
    {.variant = "diagonal", G(F2L_COMPILE_DIAGONAL)},
    {.variant = "complex", G(F2L_COMPILE_COMPLEX)},
    {.variant = "one reflection", G(F2L_COMPILE_ONE)},
    {.theorem = "R8", .variant = "diagonal-positive", .target = F2L_COMPILE_POSITIVE,
     .rounds = true, .applies = t4_applies, .least = f2l_compile_diagonal_least,
     .prepare = f2l_compile_t4_prepare, .complete = f2l_compile_t4_complete,
     .build = f2l_compile_decay_build, .proof = &f2l_compile_proof_t4},
    {.theorem = "Z", .variant = "cascade by rule", .rule = true,
     .applies = f2l_compile_zeiger_applies, .least = f2l_compile_zeiger_least,
     .build = f2l_compile_zeiger_build, .proof = &f2l_compile_proof_zeiger}};
/* clang-format on */

const size_t f2l_compile_ways_count = sizeof f2l_compile_ways / sizeof *f2l_compile_ways;
