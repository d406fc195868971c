/* Labels that merge states: the network is never worse, in the documented order, than the one for
 * labels `states`, and its certificate is for the caller's automaton. */
#include "numeric/base/rng.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/automata/definite_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/compile/impl.h"
#include "theory/obstruct/layers/layers.h"

#define SEED 20261123
#define MOST 9

/* Makes a random automaton of 4 to MOST states over 2 or 3 letters, with as many copies of some
 * states as chance wants: copies have equal labels and lead to copies. */
static void random_automaton(f2l_fsa *fsa, f2l_rng *rng)
{
    const size_t n = 4 + f2l_rng_below(rng, MOST - 3), k = 2 + f2l_rng_below(rng, 2),
                 cores = 2 + f2l_rng_below(rng, n - 2);
    uint32_t next[MOST * 3], core[MOST * 3];
    uint8_t accept[MOST];
    for (size_t i = 0; i < cores * k; i++) core[i] = (uint32_t)f2l_rng_below(rng, cores);
    for (size_t q = 0; q < n; q++) {
        accept[q] = (uint8_t)(q % cores % 2);
        for (size_t a = 0; a < k; a++) {
            const size_t to = core[q % cores * k + a];
            const size_t copies = (n - to + cores - 1) / cores;
            next[q * k + a] = (uint32_t)(to + cores * f2l_rng_below(rng, copies));
        }
    }
    make_trimmed(fsa, n, k, next, accept);
}

/* Compiles as the main job does, which knows lower bounds on the layers. */
static void compile_within_bounds(compiled *c, const f2l_fsa *fsa)
{
    f2l_layers layers;
    f2l_layers_init(&layers);
    cr_assert(f2l_layers_find(&layers, fsa, c->options.label, &f2l_layers_little, NULL, &c->err) ==
              F2L_OK);
    c->options.least_layers = layers.least;
    c->options.margin_layers = layers.margin;
    f2l_layers_clear(&layers);
    cr_assert(f2l_compile(&c->result, fsa, &c->options, NULL, &c->err) == F2L_OK);
}

Test(labels, accept_is_never_worse_than_states)
{
    f2l_rng rng;
    const size_t automata = brute_force_is_whole() ? 150 : 30;
    size_t merged = 0, unmerged = 0, better = 0;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t number = 0; number < automata; number++) {
        f2l_fsa fsa;
        compiled all, few;
        random_automaton(&fsa, &rng);
        compiled_init(&all, F2L_LABEL_STATES);
        compiled_init(&few, F2L_LABEL_ACCEPT);
        all.options.effort = few.options.effort = F2L_USUAL_EFFORT * (uint64_t)F2L_STEPS;
        compile_within_bounds(&all, &fsa);
        compile_within_bounds(&few, &fsa);
        const f2l_compile_rank states = f2l_compile_rank_of(&all.result, NULL, false),
                               accept = f2l_compile_rank_of(&few.result, NULL, false);
        cr_assert(!f2l_compile_better(&states, &accept), "automaton %zu: %s for states, %s", number,
                  all.result.theorem, few.result.theorem);
        cr_assert(few.result.exact.verdict == F2L_OK, "automaton %zu", number);
        const bool quotient = few.result.minimised_states > 0;
        merged += quotient && few.result.minimised_states < fsa.states.count;
        unmerged += !quotient;
        better += f2l_compile_better(&accept, &states);
        f2l_buf text;
        f2l_buf_init(&text);
        cr_assert(f2l_compile_certificate(&text, &few.result, &fsa, few.result.net.fsa_sha256,
                                          &few.err) == F2L_OK);
        f2l_buf_clear(&text);
        f2l_compile_result_clear(&all.result);
        f2l_compile_result_clear(&few.result);
        f2l_fsa_clear(&fsa);
    }
    printf("seed %d: %zu from merged states, %zu from all, %zu better than for states\n", SEED,
           merged, unmerged, better);
    cr_assert(150 * merged > 20 * automata && 150 * better > 20 * automata,
              "%zu merged, %zu better", merged, better);
}
