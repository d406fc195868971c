#include "automata/fsa/subdirect.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define SEED 20261123
#define MOST 6

/* Makes an automaton by its table; unlike one that is read it may have states that are not
 * reached. */
static void make_table(f2l_fsa *fsa, size_t n, size_t k, const uint32_t *next)
{
    char name[16];
    size_t index;
    f2l_fsa_init(fsa);
    for (size_t s = 0; s < n; s++)
        cr_assert(f2l_names_add(&fsa->states, name, (size_t)snprintf(name, sizeof name, "q%zu", s),
                                &index, NULL) == F2L_OK);
    for (size_t a = 0; a < k; a++)
        cr_assert(f2l_names_add(&fsa->letters, name, (size_t)snprintf(name, sizeof name, "l%zu", a),
                                &index, NULL) == F2L_OK);
    fsa->next = f2l_calloc(n * k, sizeof *fsa->next);
    fsa->accept = f2l_calloc(n, sizeof *fsa->accept);
    cr_assert(fsa->next && fsa->accept);
    memcpy(fsa->next, next, n * k * sizeof *next);
}

static bool is_congruence(const f2l_fsa *fsa, const uint32_t *class_of)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < s; t++)
            for (size_t a = 0; class_of[s] == class_of[t] && a < k; a++)
                if (class_of[fsa->next[s * k + a]] != class_of[fsa->next[t * k + a]]) return false;
    return true;
}

/* All congruences of an automaton of at most MOST states, as classes numbered by first states. */
typedef struct all {
    size_t count;
    uint32_t class_of[203][MOST]; /* 203 partitions of 6 things */
} all;

static void list_from(all *out, const f2l_fsa *fsa, uint32_t *class_of, size_t s, uint32_t classes)
{
    if (s == fsa->states.count) {
        if (is_congruence(fsa, class_of))
            memcpy(out->class_of[out->count++], class_of, s * sizeof *class_of);
        return;
    }
    for (uint32_t c = 0; c <= classes; c++) {
        class_of[s] = c;
        list_from(out, fsa, class_of, s + 1, classes + (c == classes));
    }
}

/* Returns whether every pair of states that `coarse` keeps apart is kept apart by `fine`, too. */
static bool is_coarser(const uint32_t *coarse, const uint32_t *fine, size_t n)
{
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < s; t++)
            if (coarse[s] != coarse[t] && fine[s] == fine[t]) return false;
    return true;
}

static bool is_equality(const uint32_t *class_of, size_t n)
{
    for (size_t s = 0; s < n; s++)
        if (class_of[s] != s) return false;
    return true;
}

/* Returns whether two states are equivalent in all congruences but equality. */
static bool is_irreducible(const all *x, size_t n)
{
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < s; t++) {
            bool always = true;
            for (size_t i = 0; i < x->count; i++)
                if (!is_equality(x->class_of[i], n) && x->class_of[i][s] != x->class_of[i][t])
                    always = false;
            if (always) return true;
        }
    return false;
}

/* Returns whether some two states that the congruence keeps apart are merged by every congruence
 * that is strictly coarser. */
static bool is_largest(const all *x, const uint32_t *mine, size_t n)
{
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < s; t++) {
            bool largest = mine[s] != mine[t];
            for (size_t i = 0; i < x->count; i++)
                if (memcmp(x->class_of[i], mine, n * sizeof *mine) != 0 &&
                    is_coarser(x->class_of[i], mine, n) && x->class_of[i][s] != x->class_of[i][t])
                    largest = false;
            if (largest) return true;
        }
    return false;
}

static bool separates_all(const f2l_subdirect *s, size_t without, size_t n)
{
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < p; q++) {
            bool apart = false;
            for (size_t i = 0; i < s->parts; i++)
                apart = apart || (i != without && s->class_of[i][p] != s->class_of[i][q]);
            if (!apart) return false;
        }
    return true;
}

static void check_factors(const f2l_subdirect *s, const f2l_fsa *fsa, const all *x)
{
    const size_t n = fsa->states.count;
    cr_assert(s->parts >= 2 && separates_all(s, s->parts, n));
    for (size_t i = 0; i < s->parts; i++) {
        uint32_t next = 0;
        cr_assert(is_congruence(fsa, s->class_of[i]));
        for (size_t q = 0; q < n; q++) {
            cr_assert(s->class_of[i][q] <= next);
            next += s->class_of[i][q] == next;
        }
        cr_assert(s->classes[i] == next && next < n);
        cr_assert(!separates_all(s, i, n));
        cr_assert(x == NULL || is_largest(x, s->class_of[i], n));
    }
}

/* Against all congruences of small automata: random ones, and random parts of products. */
Test(subdirect, all_congruences_of_small_automata)
{
    f2l_rng rng;
    size_t reducible = 0, irreducible = 0;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t number = 0; number < 3000; number++) {
        const size_t n = 2 + f2l_rng_below(&rng, MOST - 1), k = 1 + f2l_rng_below(&rng, 2);
        const size_t m = 2 + f2l_rng_below(&rng, 2), map[] = {f2l_rng_below(&rng, m), 1};
        uint32_t next[MOST * 2], class_of[MOST] = {0};
        f2l_fsa fsa;
        f2l_subdirect s;
        f2l_error err;
        all x = {0};
        for (size_t i = 0; i < n * k; i++) {
            next[i] = (uint32_t)f2l_rng_below(&rng, n);
            /* pairs (state modulo m, the rest), on which the letter acts one by one */
            const size_t low = (i / k % m * map[1] + map[0] * (i % k)) % m,
                         t = i % k ? i / k / m * m + low : low;
            if (number % 2 && t < n) next[i] = (uint32_t)t;
        }
        make_table(&fsa, n, k, next);
        list_from(&x, &fsa, class_of, 0, 0);
        f2l_subdirect_init(&s);
        const f2l_status status = f2l_subdirect_find(&s, &fsa, NULL, &err);
        if (is_irreducible(&x, n)) {
            cr_assert(status == F2L_EDOMAIN && s.parts == 0, "automaton %zu", number);
            irreducible++;
        } else {
            cr_assert(status == F2L_OK, "automaton %zu: %s", number, err.text);
            check_factors(&s, &fsa, &x);
            reducible++;
        }
        f2l_subdirect_clear(&s);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(reducible > 300 && irreducible > 300, "%zu and %zu", reducible, irreducible);
}

/* Independent bits that letters set and clear have one factor of two states for each bit. */
Test(subdirect, independent_bits)
{
    for (size_t bits = 2; bits <= 8; bits++) {
        const size_t n = (size_t)1 << bits, k = 2 * bits;
        uint32_t *next = f2l_calloc(n, k * sizeof *next);
        f2l_fsa fsa;
        f2l_subdirect s;
        cr_assert(next);
        for (size_t q = 0; q < n; q++)
            for (size_t a = 0; a < k; a++)
                next[q * k + a] =
                    (uint32_t)(a % 2 ? q | (size_t)1 << a / 2 : q & ~((size_t)1 << a / 2));
        make_table(&fsa, n, k, next);
        f2l_subdirect_init(&s);
        cr_assert(f2l_subdirect_find(&s, &fsa, NULL, NULL) == F2L_OK);
        cr_assert(s.parts == bits);
        check_factors(&s, &fsa, NULL);
        for (size_t i = 0; i < bits; i++) cr_assert(s.classes[i] == 2);
        f2l_subdirect_clear(&s);
        f2l_fsa_clear(&fsa);
        f2l_free(next);
    }
}

/* Steps and tables are counted before they are spent. */
Test(subdirect, limits)
{
    f2l_fsa fsa;
    f2l_subdirect s;
    f2l_error err;
    const uint32_t next[] = {0, 1, 0, 1, 2, 3, 2, 3};
    f2l_effort effort = {.limit = 10};
    const f2l_task task = {.effort = &effort};
    make_table(&fsa, 4, 2, next);
    f2l_subdirect_init(&s);
    cr_assert(f2l_subdirect_find(&s, &fsa, &task, &err) == F2L_UNKNOWN && s.parts == 0);
    cr_assert(effort.refused);
    f2l_fsa_clear(&fsa);
}
