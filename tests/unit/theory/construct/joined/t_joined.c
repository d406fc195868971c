/* T4 with joined levels: the cascade against the automaton, the network by local and joint closure,
 * changed networks, and cascades that cannot be joined. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/theory/local_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/joined/joined.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A joined network, and the cascade that it comes from. */
typedef struct fixture {
    local_fixture f;
    f2l_cascade plain;
    f2l_joined joined;
} fixture;

/* Builds the network from the cascade; the fixture is to be cleared in every case. */
static f2l_status build(fixture *x, f2l_cascade_kind kind)
{
    local_fixture *f = &x->f;
    const f2l_t4_last last = {f2l_joined_layer, &x->joined};
    f->err = (f2l_error){0};
    f->report = (f2l_t4_report){0};
    f2l_net_init(&f->net);
    f2l_local_init(&f->local);
    f2l_cascade_init(&f->cascade);
    x->joined = (f2l_joined){0};
    cr_assert_eq(f2l_cascade_build(&x->plain, &f->fsa, kind, 0, NULL, &f->err), F2L_OK);
    const f2l_status status = f2l_joined_find(&x->joined, &x->plain, 0, 0, NULL, &f->err);
    if (status != F2L_OK) return status;
    f->cascade = x->joined.cascade;
    f2l_cascade_init(&x->joined.cascade);
    return f2l_t4_build_joined(&f->net, &f->report, &f->cascade, &last, &f->fsa, F2L_LABEL_STATES,
                               false, NULL, &f->err);
}

static void clear(fixture *x)
{
    f2l_joined_clear(&x->joined);
    f2l_cascade_clear(&x->plain);
    local_clear(&x->f);
}

static f2l_status verdict(fixture *x)
{
    const f2l_local_reading reading = {0};
    cr_assert_eq(f2l_local_exact(&x->f.local, &x->f.net, &x->f.cascade, x->f.report.layers, reading,
                                 &x->f.fsa, 0, NULL, &x->f.err),
                 F2L_OK);
    return x->f.local.verdict;
}

/* Steps coordinates and states side by side. */
static void check_steps(const fixture *x, f2l_rng *rng)
{
    const f2l_cascade *c = &x->f.cascade;
    const size_t letters = x->f.fsa.letters.count;
    uint32_t coordinate[16];
    size_t q = x->f.fsa.start;
    cr_assert_leq(c->levels, 16);
    f2l_cascade_encode(c, q, coordinate);
    for (size_t t = 0; t < 200; t++) {
        const size_t a = f2l_rng_below(rng, letters);
        cr_assert_eq(f2l_cascade_decode(c, coordinate), q);
        f2l_cascade_step(c, a, coordinate);
        q = x->f.fsa.next[q * letters + a];
    }
}

/* Checks the network in two ways. */
static void check_right(fixture *x, const char *what)
{
    f2l_closure closure;
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_net_validate(&x->f.net, &x->f.err), F2L_OK, "%s: %s", what, x->f.err.text);
    cr_assert_eq(verdict(x), F2L_OK, "%s: %s", what, x->f.local.reason);
    cr_assert_eq(f2l_closure_exact(&closure, &x->f.net, &x->f.fsa, 200000, NULL, &x->f.err),
                 F2L_OK);
    cr_assert_eq(closure.verdict, F2L_OK, "%s", what);
    f2l_closure_clear(&closure);
    cr_assert_lt(x->f.cascade.levels, x->plain.levels);
    cr_assert(x->f.report.level[x->f.cascade.levels - 1].joined);
}

/* Doubles numbers that letters of the last layer write, one at a time. Some do not matter, since a
 * later factor erases them, or since no pair reads the letter; returns how many are refused. */
static size_t changed_writes(fixture *x)
{
    f2l_layer *layer = &x->f.net.layer[x->f.net.layers - 1];
    size_t refused = 0;
    for (size_t l = 0; l < layer->letters && l < 6; l++) {
        f2l_transition *t = &layer->head[0].letter[l];
        for (size_t i = 0; i < t->factors; i++) {
            if (t->factor[i].c.count == 0) continue;
            mpq_t *value = &t->factor[i].c.value[0];
            mpq_mul_2exp(*value, *value, 1);
            refused += verdict(x) != F2L_OK;
            mpq_div_2exp(*value, *value, 1);
        }
    }
    return refused;
}

static bool has_shift(const fixture *x)
{
    for (size_t w = 0; w < x->joined.codes.letters; w++)
        if (x->joined.codes.factors[w].shifts) return true;
    return false;
}

Test(joined, random_automata)
{
    f2l_rng rng;
    const bool brief = getenv("F2L_TEST_SHORT") != NULL;
    f2l_rng_init(&rng, 7, 0);
    size_t joined = 0, shifts = 0, extras = 0, refused = 0, none = 0;
    for (uint64_t seed = 1; seed <= (brief ? 24 : 120); seed++) {
        fixture x;
        char what[48];
        snprintf(what, sizeof what, "random automaton %u", (unsigned)seed);
        local_family(&x.f.fsa, "random", 3, 4 + seed % 3, 2, seed);
        const f2l_status status = build(&x, (f2l_cascade_kind)(seed / 3 % 3));
        cr_assert(status == F2L_OK || status == F2L_EDOMAIN, "%s: %s", what, x.f.err.text);
        if (status == F2L_OK) {
            check_right(&x, what);
            check_steps(&x, &rng);
            refused += changed_writes(&x);
            joined++;
            shifts += has_shift(&x);
            extras += x.joined.codes.space.extra > 0;
        } else {
            none++;
        }
        clear(&x);
    }
    const size_t least = brief ? 0 : 3;
    cr_assert_gt(joined, 10 * least, "%zu joined", joined);
    cr_assert_gt(shifts, least, "%zu with a translation", shifts);
    cr_assert_geq(extras, least, "%zu with extra coordinates", extras);
    cr_assert_gt(none, 10 * least, "%zu not joined", none);
    cr_assert_gt(refused, 30 * least, "%zu changed networks refused", refused);
}

Test(joined, what_is_refused)
{
    static const struct {
        const char *kind;
        uint64_t number;
        f2l_status status;
    } table[] = {{"counter", 16, F2L_UNKNOWN},         /* 17 states */
                 {"cyclic", 5, F2L_EDOMAIN},           /* one level */
                 {"transformations", 3, F2L_EDOMAIN}}; /* two levels */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture x;
        local_family(&x.f.fsa, table[i].kind, 1, table[i].number, 0, 0);
        cr_assert_eq(build(&x, F2L_CASCADE_HOLONOMY), table[i].status, "%s: %s", table[i].kind,
                     x.f.err.text);
        clear(&x);
    }
}

/* Two members of a stage with one place are refused. */
Test(joined, places)
{
    fixture x = {0};
    f2l_cascade out;
    f2l_error err = {0};
    const uint32_t place[6] = {0};
    local_family(&x.f.fsa, "counter", 1, 5, 0, 0);
    cr_assert_eq(f2l_cascade_build(&x.plain, &x.f.fsa, F2L_CASCADE_HOLONOMY, 0, NULL, &err),
                 F2L_OK);
    cr_assert_eq(f2l_cascade_join(&out, &x.plain, 2, place, 1, NULL, &err), F2L_EDOMAIN);
    cr_assert_null(out.level);
    f2l_cascade_clear(&x.plain);
    f2l_fsa_clear(&x.f.fsa);
}
