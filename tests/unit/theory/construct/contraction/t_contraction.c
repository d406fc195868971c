/* R4: networks of one layer against the automaton by closure, their factors against the step that
 * they must make, and automata that have none. */
#include "automata/census/census.h"
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/contraction/contraction.h"
#include "theory/construct/contraction/impl.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>

static void build(f2l_fsa *fsa, const char *kind, size_t count, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t number[] = {a, b, c};
    size_t dropped;
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, kind, number, count, false, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, &err), F2L_OK);
}

/* Returns whether there is a network, which must be right on all words. */
static bool has_network(f2l_contraction_report *report, const f2l_fsa *fsa, const char *what)
{
    f2l_net net;
    f2l_closure closure;
    f2l_error err = {0};
    f2l_net_init(&net);
    f2l_closure_init(&closure);
    const f2l_status status =
        f2l_contraction_build(&net, report, fsa, F2L_LABEL_STATES, NULL, &err);
    cr_assert(status == F2L_OK || status == F2L_EDOMAIN, "%s: %s", what, err.text);
    if (status == F2L_OK) {
        cr_assert_eq(f2l_net_validate(&net, &err), F2L_OK, "%s: %s", what, err.text);
        cr_assert_eq(f2l_closure_exact(&closure, &net, fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(closure.verdict, F2L_OK, "%s", what);
        cr_assert_eq(closure.rows, fsa->states.count, "%s: one code a state", what);
        cr_assert_eq(net.layers, 1);
    }
    f2l_closure_clear(&closure);
    f2l_net_clear(&net);
    return status == F2L_OK;
}

Test(contraction, families)
{
    static const struct {
        const char *kind;
        size_t numbers;
        uint64_t a, b;
        size_t dimension, extra; /* 0: there is no network */
    } table[] = {{"counter", 1, 4, 0, 4, 0},
                 {"elevator", 1, 5, 0, 4, 0},
                 {"tomita", 1, 2, 0, 2, 0},
                 {"dyck", 2, 1, 2, 3, 0},
                 {"dyck", 2, 1, 3, 4, 0},
                 {"dyck", 2, 2, 2, 7, 0},
                 {"definite", 1, 2, 0, 3, 2},
                 {"flipflop", 0, 0, 0, 1, 0},
                 {"elevator", 1, 9, 0, 8, 0},
                 {"transformations", 1, 3, 0, 0, 0},
                 {"transformations", 1, 4, 0, 0, 0},
                 {"order-preserving", 1, 4, 0, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_contraction_report report;
        build(&fsa, table[i].kind, table[i].numbers, table[i].a, table[i].b, 0);
        cr_assert_eq(has_network(&report, &fsa, table[i].kind), table[i].dimension > 0, "%s %u",
                     table[i].kind, (unsigned)table[i].a);
        cr_assert_eq(report.dimension, table[i].dimension, "%s %u: %zu", table[i].kind,
                     (unsigned)table[i].a, report.dimension);
        cr_assert_eq(report.extra, table[i].extra, "%s: %zu", table[i].kind, report.extra);
        f2l_fsa_clear(&fsa);
    }
}

/* All automata of three states: 64 of 114 have a network, and the others a proof that they have
 * none. */
Test(contraction, all_automata_of_three_states)
{
    f2l_error err;
    f2l_census census;
    size_t found = 0, automata = 0;
    cr_assert_eq(f2l_census_begin(&census, 3, 2, &err), F2L_OK);
    while (f2l_census_next(&census)) {
        f2l_fsa fsa;
        f2l_contraction_report report;
        f2l_fsa_init(&fsa);
        cr_assert_eq(f2l_census_automaton(&fsa, &census, &err), F2L_OK);
        found += has_network(&report, &fsa, "census");
        automata++;
        f2l_fsa_clear(&fsa);
    }
    cr_assert_eq(automata, 114);
    cr_assert_eq(found, 64);
}

/* Multiplies the factors and compares the product with the step, on all basis vectors. */
static void check_product(const f2l_code_space *s, const f2l_contraction_factors *factors,
                          size_t letter)
{
    const size_t size = s->dim + s->extra;
    fmpq *x = _fmpq_vec_init((slong)size);
    fmpq_t product, length, sum;
    fmpq_init(product);
    fmpq_init(length);
    fmpq_init(sum);
    for (size_t column = 0; column < s->dim; column++) {
        for (size_t i = 0; i < size; i++) fmpq_set_si(x + i, i == column, 1);
        for (size_t f = 0; f < factors->count; f++) {
            const f2l_contraction_factor *factor = &factors->factor[f];
            fmpq_zero(product);
            fmpq_zero(length);
            for (size_t i = 0; i < factor->size; i++)
                for (size_t j = 0; j < factor->size; j++) {
                    if (i < s->dim && j < s->dim)
                        fmpq_set(sum, fmpq_mat_entry(s->form, (slong)i, (slong)j));
                    else if (i == j)
                        fmpq_set_fmpz(sum, s->weight + (i - s->dim));
                    else
                        fmpq_zero(sum);
                    fmpq_mul(sum, sum, factor->u + i);
                    fmpq_addmul(product, sum, x + j);
                    fmpq_addmul(length, sum, factor->u + j);
                }
            cr_assert_gt(fmpq_sgn(length), 0);
            cr_assert(factor->beta == 1 || factor->beta == 2);
            fmpq_div(product, product, length);
            fmpq_set_si(sum, (slong)factor->beta, 1);
            fmpq_mul(product, product, sum);
            for (size_t i = 0; i < factor->size; i++) fmpq_submul(x + i, product, factor->u + i);
        }
        for (size_t i = 0; i < size; i++) {
            if (i < s->dim)
                cr_assert(
                    fmpq_equal(x + i, fmpq_mat_entry(s->step[letter], (slong)i, (slong)column)));
            else
                cr_assert(fmpq_is_zero(x + i));
        }
    }
    fmpq_clear(product);
    fmpq_clear(length);
    fmpq_clear(sum);
    _fmpq_vec_clear(x, (slong)size);
}

/* Checks the factors of all letters for the form, and sets *extra. */
static void check_factors(const f2l_fsa *fsa, const fmpq_mat_t form, size_t *extra)
{
    const f2l_maps maps = {
        .states = fsa->states.count, .letters = fsa->letters.count, .next = fsa->next};
    f2l_code_space space;
    f2l_error err = {0};
    f2l_watch watch;
    f2l_watch_start(&watch, NULL, "factors", &err);
    cr_assert_eq(f2l_code_space_init(&space, &maps, form, &watch, &err), F2L_OK);
    for (size_t a = 0; a < maps.letters; a++) {
        f2l_contraction_factors factors = {0};
        cr_assert_eq(f2l_contraction_factorise(&factors, &space, a, &watch, &err), F2L_OK, "%s",
                     err.text);
        check_product(&space, &factors, a);
        f2l_contraction_factors_clear(&factors);
    }
    *extra = space.extra;
    f2l_code_space_clear(&space);
}

Test(contraction, factors_make_the_step)
{
    size_t forms = 0, with_extra = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        f2l_fsa fsa;
        f2l_separation s;
        f2l_error err = {0};
        build(&fsa, "random", 3, 3 + seed % 3, 2, seed);
        const f2l_maps maps = {
            .states = fsa.states.count, .letters = fsa.letters.count, .next = fsa.next};
        f2l_separation_init(&s);
        cr_assert_eq(f2l_separation_build(&s, &maps, NULL, &err), F2L_OK);
        if (s.verdict == F2L_SEPARATION_FEASIBLE && maps.states > 1) {
            size_t extra;
            check_factors(&fsa, s.form, &extra);
            forms++;
            with_extra += extra > 0;
        }
        f2l_separation_clear(&s);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_gt(forms, 25, "%zu forms", forms);
    cr_assert_gt(with_extra, 5, "%zu forms with extra coordinates", with_extra);
}

Test(contraction, refuses_a_form_that_grows)
{
    f2l_fsa fsa;
    fmpq_mat_t form;
    f2l_code_space space;
    f2l_error err = {0};
    f2l_status status = F2L_OK;
    f2l_watch watch;
    f2l_watch_start(&watch, NULL, "factors", &err);
    build(&fsa, "counter", 1, 3, 0, 0);
    const f2l_maps maps = {.states = 4, .letters = 2, .next = fsa.next};
    fmpq_mat_init(form, 3, 3);
    /* Steps of lengths 1, 4, 1: both letters make a step longer. */
    static const slong entry[3][3] = {{6, 5, 1}, {5, 5, 1}, {1, 1, 1}};
    for (slong i = 0; i < 3; i++)
        for (slong j = 0; j < 3; j++) fmpq_set_si(fmpq_mat_entry(form, i, j), entry[i][j], 1);
    cr_assert_not(f2l_separation_form_holds(form, &maps));
    cr_assert_eq(f2l_code_space_init(&space, &maps, form, &watch, &err), F2L_OK);
    for (size_t a = 0; a < 2 && status == F2L_OK; a++) {
        f2l_contraction_factors factors = {0};
        status = f2l_contraction_factorise(&factors, &space, a, &watch, &err);
        f2l_contraction_factors_clear(&factors);
    }
    cr_assert_eq(status, F2L_EDOMAIN);
    f2l_code_space_clear(&space);
    fmpq_mat_clear(form);
    f2l_fsa_clear(&fsa);
}

typedef struct countdown {
    volatile sig_atomic_t cancel;
    size_t polls, last; /* `last`: the poll that cancels */
} countdown;

static void count_down(void *context, const char *phase, double done, double total)
{
    countdown *c = context;
    (void)phase;
    (void)done;
    (void)total;
    if (++c->polls == c->last) c->cancel = 1;
}

/* Factors of an elevator of 16 floors, whose states are (1, .., 1, 0, .., 0) for the form, are
 * found between polls, and at each of them the work ends. */
Test(contraction, stopped_anywhere)
{
    enum { FLOORS = 16 };
    uint32_t next[2 * FLOORS];
    const f2l_maps maps = {.states = FLOORS, .letters = 2, .next = next};
    fmpq_mat_t form;
    size_t polls = SIZE_MAX;
    fmpq_mat_init(form, FLOORS - 1, FLOORS - 1);
    for (uint32_t i = 0; i < FLOORS; i++) {
        next[2 * i] = i + 1 < FLOORS ? i + 1 : i;
        next[2 * i + 1] = i > 0 ? i - 1 : i;
    }
    for (slong i = 0; i + 1 < FLOORS; i++)
        for (slong j = 0; j + 1 < FLOORS; j++)
            fmpq_set_si(fmpq_mat_entry(form, i, j), FLOORS - 1 - (i > j ? i : j), 1);
    cr_assert(f2l_separation_form_holds(form, &maps));
    for (size_t last = 1; polls >= last - 1; last++) {
        countdown c = {.last = last};
        const f2l_task task = {.cancel = &c.cancel, .progress = count_down, .context = &c};
        f2l_contraction contraction;
        f2l_error err = {0};
        const f2l_status status = f2l_contraction_init(&contraction, &maps, form, &task, &err);
        cr_assert(status == F2L_OK || (status == F2L_UNKNOWN && c.polls == last));
        f2l_contraction_clear(&contraction);
        polls = c.polls;
    }
    cr_assert_gt(polls, 8);
    fmpq_mat_clear(form);
}
