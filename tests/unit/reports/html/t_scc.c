#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "reports/html/scc.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 24, LETTERS = 2 };

static void build(f2l_fsa *fsa, f2l_rng *rng, size_t back)
{
    f2l_error err;
    size_t index;
    char name[8];
    f2l_fsa_init(fsa);
    for (size_t q = 0; q < STATES; q++) {
        snprintf(name, sizeof name, "q%zu", q);
        cr_assert_eq(f2l_names_add(&fsa->states, name, strlen(name), &index, &err), F2L_OK);
    }
    cr_assert_eq(f2l_names_add(&fsa->letters, "a", 1, &index, &err), F2L_OK);
    cr_assert_eq(f2l_names_add(&fsa->letters, "b", 1, &index, &err), F2L_OK);
    fsa->next = f2l_calloc(STATES * LETTERS, sizeof *fsa->next);
    fsa->accept = f2l_calloc(STATES, 1);
    for (size_t i = 0; i < STATES * LETTERS; i++) {
        const size_t q = i / LETTERS, from = q > back ? q - back : 0;
        fsa->next[i] = (uint32_t)(from + f2l_rng_below(rng, STATES - from));
    }
}

/* Two states are in one component when each reaches the other; no edge leads to a component with a
 * higher number. */
Test(scc, against_reachability)
{
    f2l_rng rng;
    f2l_error err;
    f2l_rng_init(&rng, 5, 0);
    for (size_t round = 0; round < 200; round++) {
        f2l_fsa fsa;
        uint32_t *of;
        size_t count;
        static bool reach[STATES][STATES];
        build(&fsa, &rng, round % 6);
        for (size_t p = 0; p < STATES; p++)
            for (size_t q = 0; q < STATES; q++)
                reach[p][q] = p == q || fsa.next[p * 2] == q || fsa.next[p * 2 + 1] == q;
        for (size_t k = 0; k < STATES; k++)
            for (size_t p = 0; p < STATES; p++)
                for (size_t q = 0; q < STATES; q++)
                    reach[p][q] = reach[p][q] || (reach[p][k] && reach[k][q]);
        cr_assert_eq(f2l_strong_components(&of, &count, &fsa, &err), F2L_OK);
        uint32_t most = 0;
        for (size_t p = 0; p < STATES; p++) {
            if (of[p] > most) most = of[p];
            for (size_t q = 0; q < STATES; q++) {
                cr_assert_eq(of[p] == of[q], reach[p][q] && reach[q][p]);
                if (reach[p][q]) cr_assert_leq(of[q], of[p]);
            }
        }
        cr_assert_eq(count, most + 1);
        f2l_free(of);
        f2l_fsa_clear(&fsa);
    }
}
