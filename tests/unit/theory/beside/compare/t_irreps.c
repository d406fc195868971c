#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/irreps.h"

static void find(f2l_learned_irreps *x, learned_case *c)
{
    f2l_learned_irreps_init(x);
    const f2l_learned_states states = {&c->sample, c->reader.part, c->reader.parts};
    cr_assert(f2l_learned_irreps_build(x, &states, c->data.fsa, NULL, &c->err) == F2L_OK, "%s",
              c->err.text);
    cr_assert(x->why_none == NULL, "%s", x->why_none ? x->why_none : "");
}

/* The matrices of permutations of four points are the trivial representation and one of dimension
 * 3, in which a cycle of four points moves 3 dimensions; S_4 has another one, where it moves 2. */
Test(irreps, permutation_matrices)
{
    learned_case c;
    f2l_learned_irreps x;
    double start[16] = {0};
    for (size_t i = 0; i < 4; i++) start[i * 5] = 1;
    learned_symmetric(&c, 4, 1, 4, start);
    learned_read(&c);
    find(&x, &c);
    cr_assert(x.irreps == 5 && x.parts == 2 && x.group.order == 24);
    for (size_t i = 0; i < x.irreps; i++) {
        const bool natural = x.least.irrep[i].dimension == 3 && x.least.irrep[i].most == 3;
        cr_assert(fabs(x.share[i] - natural) < 1e-5, "irrep %zu has %g", i, x.share[i]);
        cr_assert_eq(x.learned[i], natural);
    }
    cr_assert(x.dimension == 3 && x.most == 3 && x.kernel == 1 && !x.is_least);
    cr_assert(x.least.minimum == 2 && x.least.dimension == 3);
    f2l_learned_irreps_clear(&x);
    learned_clear(&c);
}

/* A start that does not tell all elements apart has the same representation; states that never move
 * have none, and all elements in the kernel. */
Test(irreps, points_and_nothing)
{
    learned_case c;
    f2l_learned_irreps x;
    const double point[6] = {1, 0, 0, 0, 0, 0};
    learned_symmetric(&c, 3, 2, 1, point);
    learned_read(&c);
    find(&x, &c);
    cr_assert(x.parts == 3 && x.dimension == 2 && x.is_least);
    for (size_t i = 0; i < x.irreps; i++) {
        cr_assert(fabs(x.share[i] - (x.least.irrep[i].dimension == 2)) < 1e-5);
        cr_assert(x.share[x.irreps + i] == 0);
    }
    f2l_learned_irreps_clear(&x);
    learned_clear(&c);
    const double none[3] = {0};
    learned_symmetric(&c, 3, 1, 1, none);
    learned_read(&c);
    find(&x, &c);
    cr_assert(x.dimension == 0 && x.kernel == 6 && !x.is_least);
    f2l_learned_irreps_clear(&x);
    learned_clear(&c);
}

/* The shares of a part add up to what the automaton's state explains, which is computed here from
 * the states once more. */
Test(irreps, shares_add_up)
{
    learned_case c;
    f2l_learned_irreps x;
    learned_s3(&c);
    learned_read(&c);
    find(&x, &c);
    const f2l_learned_sample *s = &c.sample;
    double left = 0, all = 0, sum = 0;
    for (size_t k = 0; k < s->numbers; k++) {
        double mean[6] = {0}, total = 0;
        size_t count[6] = {0};
        for (size_t i = 0; i < s->states; i++) count[s->given[i]]++;
        for (size_t i = 0; i < s->states; i++) {
            const double v = (double)s->state[i * s->numbers + k];
            mean[s->given[i]] += v / (double)count[s->given[i]];
            total += v / (double)s->states;
        }
        for (size_t i = 0; i < s->states; i++) {
            const double v = (double)s->state[i * s->numbers + k];
            left += (v - mean[s->given[i]]) * (v - mean[s->given[i]]);
            all += (v - total) * (v - total);
        }
    }
    for (size_t i = 0; i < x.irreps; i++) sum += x.share[(x.parts - 1) * x.irreps + i];
    cr_assert(fabs(x.between[x.parts - 1] - (1 - left / all)) < 1e-9);
    cr_assert(fabs(sum - x.between[x.parts - 1]) < 1e-9);
    cr_assert(x.learned[1] && x.learned[2] && x.dimension == 3 && !x.is_least);
    f2l_learned_irreps_clear(&x);
    learned_clear(&c);
}
