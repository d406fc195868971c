#include "automata/cascade/impl.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_cases.h"
#include "tests/support/automata/cascade_support.h"

Test(cascade_choice, the_smaller_one_is_kept)
{
    static const struct {
        const char *name;
        f2l_cascade_kind kind;
    } known[] = {{"T4", F2L_CASCADE_HOLONOMY},
                 {"DEEP4", F2L_CASCADE_CAPPED},
                 {"TOMITA7", F2L_CASCADE_CAPPED}};
    for (size_t i = 0; i < 3; i++) {
        f2l_fsa fsa;
        f2l_cascade c, other;
        f2l_cascade_size a, b;
        family(&fsa, known[i].name);
        cr_assert_eq(f2l_cascade_build_smaller(&c, &other, NULL, &fsa, 0, NULL, NULL), F2L_OK);
        cr_assert_eq(c.kind, known[i].kind, "%s", known[i].name);
        cr_assert_neq(other.kind, c.kind);
        f2l_cascade_measure(&a, &c);
        f2l_cascade_measure(&b, &other);
        cr_assert_leq(f2l_cascade_compare(&a, &b), 0);
        f2l_cascade_clear(&c);
        f2l_cascade_clear(&other);
        f2l_fsa_clear(&fsa);
    }
}

/* TOMITA7 needs 10 sets both ways; the automaton below needs 5 images but fewer covers. */
Test(cascade_choice, a_limit_of_one_kind_leaves_the_other)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 11, 0); /* the seed */
    size_t one = 0, none = 0, both = 0;
    for (int round = 0; round < 300; round++) {
        f2l_cascade c, other;
        f2l_error reason = {0}, err = {0};
        table_random(&fsa, 7, 2, &rng);
        f2l_status status = f2l_cascade_build_smaller(&c, &other, &reason, &fsa, 20, NULL, &err);
        if (status == F2L_OK && other.fsa == NULL) {
            one++;
            cr_assert_not_null(strstr(reason.text, "limit of 20 subsets"), "%s", reason.text);
            cr_assert_null(strstr(reason.text, f2l_cascade_kind_name(c.kind)), "%s", reason.text);
        } else if (status == F2L_OK) {
            both++;
        } else {
            none++;
            cr_assert_eq(status, F2L_UNKNOWN);
            cr_assert_not_null(strstr(err.text, "limit of 20 subsets"), "%s", err.text);
            cr_assert_null(c.level);
        }
        f2l_cascade_clear(&c);
        f2l_cascade_clear(&other);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(one > 0 && none > 0 && both > 0, "%zu %zu %zu", one, none, both);
    volatile sig_atomic_t stop = SIGTERM;
    f2l_task cancelled = {.cancel = &stop};
    f2l_cascade c, other;
    f2l_error err = {0};
    family(&fsa, "T4");
    cr_assert_eq(f2l_cascade_build_smaller(&c, &other, NULL, &fsa, 0, &cancelled, &err),
                 F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"), "%s", err.text);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(cascade_choice, memory_failures_while_choosing)
{
    f2l_fsa fsa;
    family(&fsa, "TOMITA7");
    for (size_t n = 1;; n++) {
        f2l_cascade c, other;
        f2l_error err = {0};
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_cascade_build_smaller(&c, &other, NULL, &fsa, 0, NULL, &err);
        f2l_mem_fail_after(0, false);
        f2l_cascade_clear(&c);
        f2l_cascade_clear(&other);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
        cr_assert_eq(err.status, F2L_ENOMEM, "allocation %zu: %s", n, err.text);
    }
    f2l_fsa_clear(&fsa);
}
#endif

/* Levels by the size of sets are proved for the capped cover (T4.7), though here longest paths have
 * always been enough. */
Test(cascade_choice, capped_covers_with_levels_by_size)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 12, 0); /* the seed */
    for (int round = 0; round < 300; round++) {
        f2l_cascade c;
        f2l_builder b;
        f2l_error err = {0};
        table_random(&fsa, 2 + f2l_rng_below(&rng, 8), 2, &rng);
        f2l_cascade_init(&c);
        c.kind = F2L_CASCADE_CAPPED;
        f2l_status status = f2l_builder_init(&b, &c, &fsa, 0, NULL, &err);
        if (status == F2L_OK) status = f2l_build_capped(&b, &err);
        if (status == F2L_OK) status = f2l_cascade_levels_rank(&c, NULL, &err);
        if (status == F2L_OK) status = f2l_cascade_table(&c, NULL, &err);
        cr_assert_eq(status, F2L_OK, "round %d: %s", round, err.text);
        cr_assert(c.by_rank);
        cr_assert_leq(c.levels, fsa.states.count - 1);
        cr_assert_eq(stale_disagreements(&c, &rng), 0, "round %d", round);
        f2l_builder_clear(&b);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}
