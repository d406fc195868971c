/* Moore machines of random Mealy machines, against their definition on all short words. */
#include "automata/algebra/moore.h"
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/import_support.h"

#define LONGEST 7
#define OUTPUTS 3

/* Makes a Mealy machine of two letters; outputs depend on the state modulo 3, or at random. */
static void make_mealy(f2l_fsa *out, uint64_t states, uint64_t seed, bool regular)
{
    f2l_rng rng;
    const uint64_t number[3] = {states, 2, seed};
    size_t index;
    f2l_rng_init(&rng, seed, 0);
    f2l_fsa_init(out);
    cr_assert_eq(f2l_family_build(out, "random", number, 3, false, NULL), F2L_OK);
    const size_t edges = out->states.count * 2;
    out->edge_output = f2l_calloc(edges, sizeof *out->edge_output);
    for (size_t o = 0; o < OUTPUTS; o++)
        cr_assert_eq(f2l_names_add(&out->edge_outputs, &"xyz"[o], 1, &index, NULL), F2L_OK);
    for (size_t e = 0; e < edges; e++)
        out->edge_output[e] =
            (uint32_t)(regular ? (out->next[e] + e % 2) % OUTPUTS : f2l_rng_below(&rng, OUTPUTS));
}

static void check_words(const f2l_fsa *mealy, const f2l_fsa *moore)
{
    for (unsigned length = 1; length <= LONGEST; length++)
        for (unsigned word = 0; word < 1u << length; word++) {
            size_t q = mealy->start, m = moore->start, e = 0;
            for (unsigned i = 0; i < length; i++) {
                e = q * 2 + (word >> i & 1);
                q = mealy->next[e];
                m = moore->next[m * 2 + (word >> i & 1)];
            }
            cr_assert_str_eq(f2l_fsa_label(moore, F2L_LABEL_OUTPUTS, m),
                             f2l_names_get(&mealy->edge_outputs, mealy->edge_output[e]));
        }
}

/* Checks that no state can be left out: all are reached, words tell them apart, and the start could
 * not be another state. */
static void check_least(const f2l_fsa *moore)
{
    f2l_fsa copy;
    uint32_t *classes;
    bool entered = false;
    f2l_fsa_init(&copy);
    cr_assert_eq(f2l_fsa_minimise(&copy, &classes, moore, F2L_LABEL_OUTPUTS, NULL, NULL), F2L_OK);
    cr_assert_eq(copy.states.count, moore->states.count);
    for (size_t e = 0; e < 2 * moore->states.count; e++) entered |= moore->next[e] == moore->start;
    for (size_t s = 0; s < moore->states.count && !entered; s++)
        cr_assert(s == moore->start || memcmp(moore->next + 2 * s, moore->next + 2 * moore->start,
                                              2 * sizeof *moore->next) != 0);
    f2l_free(classes);
    f2l_fsa_clear(&copy);
}

Test(moore, random_machines)
{
    size_t grown = 0, same = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        f2l_fsa mealy, moore;
        f2l_error err = {0};
        make_mealy(&mealy, 1 + seed % 12, seed, seed % 2);
        f2l_fsa_init(&moore);
        cr_assert_eq(f2l_moore_build(&moore, &mealy, NULL, &err), F2L_OK, "%s", err.text);
        check_words(&mealy, &moore);
        check_least(&moore);
        grown += moore.states.count > mealy.states.count;
        same += moore.states.count <= mealy.states.count;
        f2l_fsa_clear(&moore);
        f2l_fsa_clear(&mealy);
    }
    cr_assert(grown > 50 && same > 5, "%zu grew, %zu did not", grown, same);
}

/* The start has no output of its own, so that a state with the same followers takes its place. */
Test(moore, start_is_merged)
{
    f2l_fsa mealy, moore;
    f2l_fsa_init(&mealy);
    f2l_fsa_init(&moore);
    cr_assert_eq(read_any(&mealy, "start s\ns a p 0\ns b q 1\np a p 0\np b q 1\nq a p 0\nq b q 1\n",
                          NULL, NULL),
                 F2L_OK);
    cr_assert_eq(f2l_moore_build(&moore, &mealy, NULL, NULL), F2L_OK);
    cr_assert_eq(moore.states.count, 2);
    check_words(&mealy, &moore);
    f2l_fsa_clear(&moore);
    f2l_fsa_clear(&mealy);
}

Test(moore, refuses_automata_without_outputs)
{
    f2l_fsa fsa, moore;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    f2l_fsa_init(&moore);
    cr_assert_eq(read_any(&fsa, "start s\ns a s\n", NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_moore_build(&moore, &fsa, NULL, &err), F2L_EDOMAIN);
    cr_assert_null(moore.next);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(moore, memory_failures)
{
    f2l_fsa mealy, moore;
    f2l_status status = F2L_ENOMEM;
    make_mealy(&mealy, 6, 4, false);
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_fsa_init(&moore);
        f2l_mem_fail_after(n, true);
        status = f2l_moore_build(&moore, &mealy, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && moore.next == NULL));
        f2l_fsa_clear(&moore);
    }
    f2l_fsa_clear(&mealy);
}
#endif
