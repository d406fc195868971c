/* R1 and R2: permutation automata in one layer by representations of their transition group, of a
 * cover of it, or by signed permutations. */
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"
#include <string.h>

/* A search without bounds tries only groups of at most this many elements, and only lists of them
 * of at most this many numbers. */
#define MODEST_ORDER ((size_t)2000)
#define MODEST_LIST ((size_t)1 << 20)

static size_t most_elements(const f2l_compile_job *job)
{
    const f2l_compile_options *o = job->options;
    if (o->all || f2l_compile_has_bounds(&o->bounds)) return 0;
    const size_t listed = MODEST_LIST / job->states + 1;
    return listed < MODEST_ORDER ? listed : MODEST_ORDER;
}

/* Sets power[p], for p <= points, to the largest power of the prime p that divides the order of a
 * letter, else 1. */
static void prime_powers(uint32_t *power, uint8_t *seen, const uint32_t *image, size_t points)
{
    for (size_t i = 0; i <= points; i++) power[i] = 1;
    memset(seen, 0, points);
    for (size_t first = 0; first < points; first++) {
        size_t length = 0;
        for (size_t at = first; !seen[at]; at = image[at], length++) seen[at] = 1;
        for (size_t p = 2; length > 1; p++) {
            uint32_t q = 1;
            if (p > length / p) p = length;
            for (; length % p == 0; length /= p) q *= (uint32_t)p;
            if (q > power[p]) power[p] = q;
        }
    }
}

/* Raises the lower bound: a reflection has order 2; a product of two reflections can have any
 * order. */
static void raise_orthogonal(f2l_compile_figures *least, const uint32_t *power, size_t points)
{
    size_t primes = 0;
    for (size_t p = 2; p <= points; p++) primes += power[p] > 1;
    if (primes == 0) return;
    const bool involution = primes == 1 && power[2] == 2;
    const size_t factors = involution ? 1 : 2;
    if (factors > least->householders) least->householders = least->factors_per_token = factors;
    if (factors > least->states) least->states = factors;
}

/* Raises the lower bound for signed permutations. A cycle of n points has order n and rank n - 1,
 * or, with an odd number of changes of sign, order 2 n and rank n. So for every odd prime power q
 * of the order some cycle has a multiple of q points, and for 2^e some cycle has a multiple of
 * 2^(e-1). A cycle that serves several prime powers is no smaller than one for each, except that a
 * change of sign needs no point of its own. Heads of more than one point have even dimensions
 * (theory/rep/dyadic/dyadic.h). */
static void raise_signed(f2l_compile_figures *least, const uint32_t *power, size_t points)
{
    size_t odd = 0, factors = power[2] / 2, states = 0;
    for (size_t p = 3; p <= points; p++) {
        if (power[p] == 1) continue;
        odd += power[p];
        factors += power[p] - 1;
    }
    states = odd + odd % 2 + (power[2] > 2 || odd == 0 ? power[2] / 2 : 0);
    if (factors > least->factors_per_token) least->factors_per_token = factors;
    if (states > least->states) least->states = states;
}

/* Computes the lower bounds that the orders of the letters give, once for all rows. */
static f2l_status find_least(f2l_compile_job *job, f2l_error *err)
{
    const f2l_gset *set = &job->set;
    if (job->has_r1_least) return F2L_OK;
    f2l_compile_figures *least[2] = {&job->r1_least, &job->r1_least_signed};
    uint32_t *power = f2l_calloc(set->points + 3, sizeof *power);
    uint8_t *seen = f2l_calloc(set->points + 1, 1);
    for (size_t i = 0; i < 2; i++) {
        least[i]->layers = least[i]->states = least[i]->key_dim = 1;
        least[i]->table_entries = job->states;
    }
    for (size_t a = 0; power && seen && a < set->letters; a++) {
        prime_powers(power, seen, set->image + a * set->points, set->points);
        raise_orthogonal(&job->r1_least, power, set->points);
        raise_signed(&job->r1_least_signed, power, set->points);
    }
    job->r1_least_signed.householders = job->r1_least.householders;
    job->has_r1_least = power && seen;
    f2l_free(power);
    f2l_free(seen);
    return job->has_r1_least ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_compile_r1_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    (void)way;
    f2l_status status = f2l_compile_represent(job, err);
    return status == F2L_OK ? find_least(job, err) : status;
}

void f2l_compile_r1_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way)
{
    *out = way->number == F2L_R1_DYADIC ? job->r1_least_signed : job->r1_least;
    if (!job->r1_tried || job->r1_status != F2L_OK || way->number == F2L_R1_COVER) return;
    const size_t minimum = job->r1.tables.householders.minimum;
    if (minimum > out->householders) out->householders = minimum;
    if (minimum > out->factors_per_token) out->factors_per_token = minimum;
}

f2l_status f2l_compile_r1_prepare(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    (void)way;
    if (!job->r1_tried) {
        f2l_r1_init(&job->r1);
        job->r1_tried = true;
        job->r1_status =
            f2l_r1_analyse(&job->r1, job->subject, most_elements(job), job->task, &job->r1_why);
    }
    return job->r1_status == F2L_OK ? F2L_OK
                                    : f2l_fail(err, job->r1_status, "%s", job->r1_why.text);
}

f2l_status f2l_compile_r1_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err)
{
    out->r1 = f2l_calloc(1, sizeof *out->r1);
    if (!out->r1) return f2l_fail_memory(err);
    f2l_r1_report_init(out->r1);
    return f2l_r1_build(&out->net, out->r1, &job->r1, job->options->label,
                        (f2l_r1_variant)way->number, NULL, job->task, err);
}
