#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/definite_support.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/slots/slots.h"
#include <stdio.h>

static f2l_status try_slots(f2l_net *net, f2l_slots *slots, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_status status = f2l_slots_find(slots, fsa, NULL, err);
    if (status == F2L_OK) status = f2l_slots_build(net, slots, fsa, F2L_LABEL_STATES, NULL, err);
    if (status != F2L_OK) f2l_slots_clear(slots);
    return status;
}

static f2l_status verdict_of(const f2l_net *net, const f2l_fsa *fsa, size_t *rows)
{
    f2l_closure closure;
    f2l_closure_init(&closure);
    f2l_error err = {0};
    const f2l_status status = f2l_closure_exact(&closure, net, fsa, 1000, NULL, &err);
    cr_assert_eq(status, F2L_OK, "%s", err.text);
    const f2l_status verdict = closure.verdict;
    *rows = closure.rows;
    f2l_closure_clear(&closure);
    return verdict;
}

/* K.6: contents tell states apart, follow the letters, and no slot is read by two. */
static void check_slots(const f2l_slots *s, const f2l_fsa *fsa)
{
    for (size_t p = 0; p < s->states; p++)
        for (size_t q = 0; q < p; q++)
            cr_assert(memcmp(s->value + p * s->slots, s->value + q * s->slots, s->slots) != 0);
    for (size_t a = 0; a < s->letters; a++) {
        size_t reads[F2L_SLOTS_MAX] = {0};
        for (size_t i = 0; i < s->slots; i++) {
            const uint32_t from = s->source[a * s->slots + i];
            const unsigned flip = s->flip[a * s->slots + i];
            if (from != F2L_SLOTS_WRITTEN) cr_assert_eq(++reads[from], 1);
            for (size_t q = 0; q < s->states; q++) {
                const unsigned read = from == F2L_SLOTS_WRITTEN ? 0 : s->value[q * s->slots + from];
                cr_assert_eq(s->value[fsa->next[q * s->letters + a] * s->slots + i], read ^ flip);
            }
        }
    }
}

/* Checks the slots and the network; changing any factor's beta, or leaving the last one out, is
 * noticed. */
static void check_network(f2l_net *net, const f2l_slots *slots, const f2l_fsa *fsa)
{
    size_t rows;
    check_slots(slots, fsa);
    cr_assert_eq(net->layers, 1);
    cr_assert_eq(verdict_of(net, fsa, &rows), F2L_OK);
    cr_assert_eq(rows, fsa->states.count);
    for (size_t a = 0; a < slots->letters; a++) {
        f2l_transition *t = &net->layer[0].head[0].letter[a];
        cr_assert_leq(t->factors, slots->factors);
        for (size_t j = 0; j < t->factors; j++) {
            mpq_t beta;
            mpq_init(beta);
            mpq_swap(beta, t->factor[j].beta);
            mpq_set_ui(t->factor[j].beta, 1, 3);
            /* A factor that changes no state may have any beta. */
            if (verdict_of(net, fsa, &rows) == F2L_OK) cr_assert_eq(rows, fsa->states.count);
            mpq_swap(beta, t->factor[j].beta);
            mpq_clear(beta);
        }
    }
}

Test(slots, families)
{
    static const struct {
        const char *name;
        size_t numbers;
        uint64_t number[2];
        size_t slots, rows, factors;
    } family[] = {{"elevator", 1, {3}, 2, 4, 3},     {"elevator", 1, {9}, 8, 16, 9},
                  {"elevator", 1, {12}, 11, 22, 12}, {"elevator", 1, {20}, 19, 38, 20},
                  {"counter", 1, {1}, 1, 1, 1},      {"counter", 1, {8}, 8, 16, 9},
                  {"definite", 1, {2}, 2, 4, 3},     {"definite", 1, {3}, 3, 6, 4},
                  {"definite", 1, {4}, 8, 16, 8},    {"flipflop", 0, {0}, 1, 1, 1},
                  {"tomita", 1, {2}, 2, 4, 3},       {"dyck", 2, {1, 3}, 4, 8, 5},
                  {"dyck", 2, {2, 2}, 7, 14, 7},     {"dyck", 2, {1, 9}, 10, 20, 11}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        f2l_fsa fsa;
        f2l_net net;
        f2l_slots slots;
        f2l_error err = {0};
        f2l_fsa_init(&fsa);
        f2l_net_init(&net);
        cr_assert_eq(f2l_family_build(&fsa, family[i].name, family[i].number, family[i].numbers,
                                      false, NULL),
                     F2L_OK);
        cr_assert_eq(try_slots(&net, &slots, &fsa, &err), F2L_OK, "%s %s", family[i].name,
                     err.text);
        printf("%s %d: %zu %zu %zu\n", family[i].name, (int)family[i].number[0], slots.slots,
               (size_t)slots.row[slots.slots], slots.factors);
        cr_assert_eq(slots.slots, family[i].slots);
        cr_assert_eq(slots.row[slots.slots], family[i].rows);
        cr_assert_eq(slots.factors, family[i].factors);
        check_network(&net, &slots, &fsa);
        f2l_slots_clear(&slots);
        f2l_net_clear(&net);
        f2l_fsa_clear(&fsa);
    }
}

/* K.7 by brute force: functions whose closures have copies. Copies are raised up to a number that
 * only closures without copies pass. */
static bool has_copies(uint32_t f, const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count, letters = fsa->letters.count;
    const uint32_t full = ((uint32_t)1 << n) - 1;
    uint32_t copies[64] = {0}, most = 0;
    copies[f] = 1;
    for (bool raised = true; raised && most < 1000000;) {
        raised = false;
        for (size_t a = 0; a < letters; a++) {
            uint32_t sum[64] = {0};
            for (uint32_t g = 0; g <= full; g++) {
                uint32_t h = 0;
                for (size_t q = 0; q < n; q++) h |= (g >> fsa->next[q * letters + a] & 1) << q;
                if (h >> (n - 1) & 1) h ^= full;
                if (h != 0) sum[h] += copies[g];
            }
            for (uint32_t h = 0; h <= full; h++) {
                if (sum[h] <= copies[h]) continue;
                copies[h] = sum[h];
                raised = true;
                if (sum[h] > most) most = sum[h];
            }
        }
    }
    return most < 1000000;
}

static bool has_slots(const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count;
    bool apart[8][8] = {{false}};
    for (uint32_t f = 1; f < (uint32_t)1 << (n - 1); f++)
        for (size_t p = 0; has_copies(f, fsa) && p < n; p++)
            for (size_t q = 0; q < n; q++) apart[p][q] |= (f >> p & 1) != (f >> q & 1);
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < p; q++)
            if (!apart[p][q]) return false;
    return true;
}

/* The search finds slots exactly where the brute force says that there are some. */
Test(slots, random_automata)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 23, 0);
    for (size_t n = 2; n <= 5; n++) {
        size_t found = 0, runs = 0;
        while (runs < 250) {
            uint32_t next[10];
            f2l_fsa fsa;
            f2l_net net;
            f2l_slots slots;
            f2l_error err = {0};
            for (size_t i = 0; i < 2 * n; i++) next[i] = (uint32_t)f2l_rng_below(&rng, n);
            make(&fsa, n, 2, next, NULL);
            if (fsa.states.count == n) {
                runs++;
                f2l_net_init(&net);
                const f2l_status status = try_slots(&net, &slots, &fsa, &err);
                cr_assert_eq(status, has_slots(&fsa) ? F2L_OK : F2L_EDOMAIN, "%s", err.text);
                if (status == F2L_OK) check_network(&net, &slots, &fsa);
                found += status == F2L_OK;
                f2l_slots_clear(&slots);
                f2l_net_clear(&net);
            }
            f2l_fsa_clear(&fsa);
        }
        printf("%zu states: %zu of %zu\n", n, found, runs);
        cr_assert(found > 0 && found < runs + (n == 2));
    }
}

Test(slots, what_is_refused)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_slots slots;
    f2l_error err = {0};
    const uint64_t three = 3, many = 257;
    f2l_fsa_init(&fsa);
    f2l_net_init(&net);
    cr_assert_eq(f2l_family_build(&fsa, "transformations", &three, 1, false, NULL), F2L_OK);
    cr_assert_eq(try_slots(&net, &slots, &fsa, &err), F2L_EDOMAIN);
    cr_assert_null(slots.value);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "start s\ns a s\n");
    cr_assert_eq(try_slots(&net, &slots, &fsa, &err), F2L_EDOMAIN);
    f2l_fsa_clear(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "elevator", &many, 1, false, NULL), F2L_OK);
    cr_assert_eq(try_slots(&net, &slots, &fsa, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "256 states"), "%s", err.text);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(slots, running_out_of_memory_leaves_nothing)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_slots slots;
    const uint64_t three = 3;
    f2l_fsa_init(&fsa);
    f2l_net_init(&net);
    cr_assert_eq(f2l_family_build(&fsa, "elevator", &three, 1, false, NULL), F2L_OK);
    size_t n = 1;
    for (;; n++) {
        f2l_mem_fail_after(n, false);
        const f2l_status status = try_slots(&net, &slots, &fsa, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
        cr_assert(net.layers == 0 && !slots.value);
    }
    cr_assert_gt(n, 20);
    f2l_slots_clear(&slots);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}
#endif
