/* The finer classes: by patterns, beside their definitions on a list of the transition semigroup.
 */
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/obstruct/finer/finer.h"
#include <criterion/criterion.h>

#define MOST 4096 /* maps: all of at most five states */
#define FEW 60    /* maps that triples are made of */
#define STATES 5

typedef uint8_t map[STATES];

/* All maps that words make; maps of words that are not empty have a letter as their last one. */
typedef struct monoid {
    size_t n, count;
    map map[MOST];
    bool word[MOST]; /* made by a word that is not empty */
} monoid;

static size_t find_map(const monoid *m, const map x)
{
    size_t i = 0;
    while (i < m->count && memcmp(m->map[i], x, m->n) != 0) i++;
    return i;
}

static void multiply(map out, const map x, const map y, size_t n)
{
    map product;
    for (size_t q = 0; q < n; q++) product[q] = y[x[q]];
    memcpy(out, product, n);
}

/* Lists the maps of the letters, without neutral ones on request. */
static void list_maps(monoid *m, const f2l_fsa *fsa, bool tier)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    *m = (monoid){.n = n, .count = 1};
    for (size_t q = 0; q < n; q++) m->map[0][q] = (uint8_t)q;
    for (size_t i = 0; i < m->count; i++)
        for (size_t a = 0; a < k; a++) {
            map letter, x;
            for (size_t q = 0; q < n; q++) letter[q] = (uint8_t)fsa->next[q * k + a];
            if (tier && memcmp(letter, m->map[0], n) == 0) continue;
            multiply(x, m->map[i], letter, n);
            const size_t at = find_map(m, x);
            cr_assert_lt(at, MOST);
            memcpy(m->map[at], x, n);
            m->word[at] = true;
            if (at == m->count) m->count++;
        }
}

static bool same(const map x, const map y, size_t n)
{
    return memcmp(x, y, n) == 0;
}

static bool is_idempotent(const map x, size_t n)
{
    map twice;
    multiply(twice, x, x, n);
    return same(twice, x, n);
}

/* Takes x to its idempotent power. */
static void take_idempotent(map x, size_t n)
{
    map base;
    memcpy(base, x, n);
    while (!is_idempotent(x, n)) multiply(x, x, base, n);
}

/* se = e, es = e and ese = e for idempotents e of words that are not empty. */
static void judge_definite(bool answer[3], const monoid *m)
{
    answer[0] = answer[1] = answer[2] = true;
    for (size_t e = 0; e < m->count; e++) {
        const uint8_t *f = m->map[e];
        if (!m->word[e] || !is_idempotent(f, m->n)) continue;
        for (size_t s = 0; s < m->count; s++) {
            map se, es, ese;
            multiply(se, m->map[s], f, m->n);
            multiply(es, f, m->map[s], m->n);
            multiply(ese, f, se, m->n);
            answer[0] = answer[0] && same(se, f, m->n);
            answer[1] = answer[1] && same(es, f, m->n);
            answer[2] = answer[2] && same(ese, f, m->n);
        }
    }
}

/* The monoids eMe are idempotent and commutative. */
static bool is_locally_testable(const monoid *m)
{
    bool yes = true;
    for (size_t e = 0; e < m->count; e++) {
        const uint8_t *f = m->map[e];
        if (!m->word[e] || !is_idempotent(f, m->n)) continue;
        for (size_t s = 0; s < m->count && yes; s++)
            for (size_t t = 0; t < m->count && yes; t++) {
                map x, y, xy, yx;
                multiply(x, f, m->map[s], m->n);
                multiply(x, x, f, m->n);
                multiply(y, f, m->map[t], m->n);
                multiply(y, y, f, m->n);
                multiply(xy, x, y, m->n);
                multiply(yx, y, x, m->n);
                yes = is_idempotent(x, m->n) && same(xy, yx, m->n);
            }
    }
    return yes;
}

/* (xy)^w x = (xy)^w; y (xy)^w = (xy)^w. */
static void judge_orders(bool *r, bool *l, const monoid *m)
{
    *r = *l = true;
    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < m->count; j++) {
            map e, right, left;
            multiply(e, m->map[i], m->map[j], m->n);
            take_idempotent(e, m->n);
            multiply(right, e, m->map[i], m->n);
            multiply(left, m->map[j], e, m->n);
            *r = *r && same(right, e, m->n);
            *l = *l && same(left, e, m->n);
        }
}

/* (xyz)^w y (xyz)^w = (xyz)^w. */
static bool is_in_da(const monoid *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < m->count; j++)
            for (size_t k = 0; k < m->count; k++) {
                map e, eye;
                multiply(e, m->map[i], m->map[j], m->n);
                multiply(e, e, m->map[k], m->n);
                take_idempotent(e, m->n);
                multiply(eye, e, m->map[j], m->n);
                multiply(eye, eye, e, m->n);
                if (!same(eye, e, m->n)) return false;
            }
    return true;
}

/* Lists the different maps e x f, and returns their number. */
static size_t list_between(map *out, const monoid *m, const map e, const map f)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        map x;
        size_t j = 0;
        multiply(x, e, m->map[i], m->n);
        multiply(x, x, f, m->n);
        while (j < count && !same(out[j], x, m->n)) j++;
        if (j == count) memcpy(out[count++], x, m->n);
    }
    return count;
}

/* xyz = zyx for all x, z in eTf and y in fTe. */
static bool commutes(const monoid *m, const map e, const map f)
{
    static map there[2 * FEW], back[2 * FEW];
    const size_t count = list_between(there, m, e, f), returns = list_between(back, m, f, e);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < returns; j++)
            for (size_t k = 0; k < i; k++) {
                map xyz, zyx;
                multiply(xyz, there[i], back[j], m->n);
                multiply(xyz, xyz, there[k], m->n);
                multiply(zyx, there[k], back[j], m->n);
                multiply(zyx, zyx, there[i], m->n);
                if (!same(xyz, zyx, m->n)) return false;
            }
    return true;
}

static bool is_idempotent_word(const monoid *m, size_t i)
{
    map square;
    multiply(square, m->map[i], m->map[i], m->n);
    return m->word[i] && same(square, m->map[i], m->n);
}

/* T is aperiodic, and commutes between all idempotents e and f. */
static bool is_threshold(const monoid *m, bool aperiodic)
{
    for (size_t e = 0; e < m->count && aperiodic; e++)
        for (size_t f = 0; f < m->count && is_idempotent_word(m, e); f++)
            if (is_idempotent_word(m, f) && !commutes(m, m->map[e], m->map[f])) return false;
    return aperiodic;
}

typedef struct two_maps {
    map loop, turn;
} two_maps;

/* Lists the different pairs of a loop l = (xy)^w, x in the one list and y in the other, with l x,
 * or with y l; returns their number. */
static size_t list_turns(two_maps *out, map *there, size_t count, map *back, size_t returns,
                         bool after, size_t n)
{
    size_t turns = 0;
    for (size_t i = 0; i < count * returns; i++) {
        const uint8_t *x = there[i / returns], *y = back[i % returns];
        two_maps *one = &out[turns];
        size_t j = 0;
        multiply(one->loop, x, y, n);
        take_idempotent(one->loop, n);
        multiply(one->turn, after ? one->loop : y, after ? x : one->loop, n);
        while (!same(out[j].loop, one->loop, n) || !same(out[j].turn, one->turn, n)) j++;
        turns += j == turns;
        cr_assert_lt(turns, 4 * FEW * FEW);
    }
    return turns;
}

/* Knast's equation for maps p, r in eTf and q, s in fTe: (pq)^w p s (rs)^w = (pq)^w (rs)^w. */
static bool is_one_deep(const monoid *m, const map e, const map f)
{
    static map there[2 * FEW], back[2 * FEW];
    static two_maps out[4 * FEW * FEW], in[4 * FEW * FEW];
    const size_t count = list_between(there, m, e, f), returns = list_between(back, m, f, e);
    const size_t ways = list_turns(out, there, count, back, returns, true, m->n);
    const size_t turns = list_turns(in, there, count, back, returns, false, m->n);
    for (size_t i = 0; i < ways; i++)
        for (size_t j = 0; j < turns; j++) {
            map first, second;
            multiply(first, out[i].turn, in[j].turn, m->n);
            multiply(second, out[i].loop, in[j].loop, m->n);
            if (!same(first, second, m->n)) return false;
        }
    return true;
}

static bool has_dot_depth_one(const monoid *m)
{
    for (size_t e = 0; e < m->count; e++)
        for (size_t f = 0; f < m->count && is_idempotent_word(m, e); f++)
            if (is_idempotent_word(m, f) && !is_one_deep(m, m->map[e], m->map[f])) return false;
    return true;
}

static bool is_aperiodic(const monoid *m)
{
    for (size_t i = 0; i < m->count; i++) {
        map e, next;
        memcpy(e, m->map[i], m->n);
        take_idempotent(e, m->n);
        multiply(next, e, m->map[i], m->n);
        if (!same(next, e, m->n)) return false;
    }
    return true;
}

static void find(f2l_finer *finer, const f2l_fsa *fsa)
{
    f2l_error err = {0};
    f2l_classify c;
    cr_assert_eq(f2l_classify_build(&c, fsa, NULL, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(c.fsa, fsa, "with labels of states nothing is merged");
    cr_assert_eq(f2l_finer_find(finer, &c, NULL, &err), F2L_OK, "%s", err.text);
    f2l_classify_clear(&c);
}

static bool has_letters_of(const f2l_word *all, const f2l_word *some)
{
    for (size_t i = 0; i < some->length; i++) {
        size_t j = 0;
        while (j < all->length && all->letter[j] != some->letter[i]) j++;
        if (j == all->length) return false;
    }
    return true;
}

/* Checks that the words of a witness lead where it says, and are as the pattern wants them. */
static void check_witness(const f2l_fsa *fsa, f2l_finer_class class, const f2l_finer_witness *w)
{
    const f2l_word *word = w->word, *loop = &word[F2L_FINER_W], *x = &word[F2L_FINER_X];
    cr_assert(w->first && w->second);
    cr_assert_neq(w->p, w->q);
    for (size_t n = 1; n <= 5; n++) {
        cr_assert_eq(f2l_finer_lead(fsa, w, w->first, n), w->p, "class %d, n %zu", class, n);
        cr_assert_eq(f2l_finer_lead(fsa, w, w->second, n), w->q, "class %d, n %zu", class, n);
    }
    cr_assert_gt(loop->length, 0);
    if (class == F2L_FINER_R) {
        cr_assert(loop->length >= x->length);
        cr_assert_eq(memcmp(loop->letter, x->letter, x->length * sizeof *x->letter), 0);
    }
    if (class == F2L_FINER_L || class == F2L_FINER_DA) {
        cr_assert(has_letters_of(loop, x));
        cr_assert(has_letters_of(loop, &word[F2L_FINER_Y]));
    }
    if (class == F2L_FINER_STAR_FREE) cr_assert_eq(loop->length % x->length, 0);
}

static void compare_with_monoid(const f2l_fsa *fsa, size_t *inside)
{
    static monoid m;
    f2l_finer finer;
    bool expected[F2L_FINER_CLASSES];
    f2l_finer_init(&finer);
    list_maps(&m, fsa, false);
    if (m.count > 2 * FEW) return;
    find(&finer, fsa);
    list_maps(&m, fsa, true);
    judge_definite(expected + F2L_FINER_TIER_DEFINITE, &m);
    expected[F2L_FINER_TIER_LOCAL] = is_locally_testable(&m);
    expected[F2L_FINER_TIER_THRESHOLD] = is_threshold(&m, is_aperiodic(&m));
    expected[F2L_FINER_TIER_DEPTH] = has_dot_depth_one(&m);
    list_maps(&m, fsa, false);
    judge_definite(expected + F2L_FINER_DEFINITE, &m);
    expected[F2L_FINER_LOCAL] = is_locally_testable(&m);
    judge_orders(&expected[F2L_FINER_R], &expected[F2L_FINER_L], &m);
    expected[F2L_FINER_J] = expected[F2L_FINER_R] && expected[F2L_FINER_L];
    expected[F2L_FINER_DA] = m.count <= FEW ? is_in_da(&m) : finer.row[F2L_FINER_DA].member;
    expected[F2L_FINER_STAR_FREE] = is_aperiodic(&m);
    expected[F2L_FINER_THRESHOLD] = is_threshold(&m, expected[F2L_FINER_STAR_FREE]);
    expected[F2L_FINER_DEPTH] = has_dot_depth_one(&m);
    for (f2l_finer_class i = 0; i < F2L_FINER_CLASSES; i++) {
        const f2l_finer_row *row = &finer.row[i];
        cr_assert_eq(row->member, expected[i] ? F2L_TERNARY_YES : F2L_TERNARY_NO, "%s",
                     f2l_finer_kinds[i].id);
        inside[i] += expected[i];
        if (!expected[i]) check_witness(fsa, i, &row->witness);
    }
    f2l_finer_clear(&finer);
}

/* Half of the automata lead each state to itself or to later ones, so that all classes are met. */
static void make_random(f2l_fsa *fsa, size_t states, size_t letters, bool ordered, f2l_rng *rng)
{
    size_t dropped;
    f2l_error err = {0};
    table_random(fsa, states, letters, rng);
    for (size_t q = 0; q < states; q++)
        for (size_t a = 0; a < letters; a++) {
            const size_t kind = f2l_rng_below(rng, 6);
            if (kind == 0) table_set(fsa, q, a, q);
            if (kind == 1) table_set(fsa, q, a, states - 1);
            if (ordered && fsa->next[q * letters + a] < q)
                table_set(fsa, q, a, q + f2l_rng_below(rng, states - q));
        }
    if (letters > 1 && f2l_rng_below(rng, 4) == 0)
        for (size_t q = 0; q < states; q++) table_set(fsa, q, 1, q);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, &err), F2L_OK, "%s", err.text);
}

Test(finer, patterns_are_definitions)
{
    size_t inside[F2L_FINER_CLASSES] = {0}, count = 0;
    f2l_rng rng;
    f2l_rng_init(&rng, 49, 1);
    for (size_t i = 0; i < 1200; i++, count++) {
        f2l_fsa fsa;
        make_random(&fsa, 2 + i % 4, 1 + i / 4 % 3, i / 12 % 2, &rng);
        compare_with_monoid(&fsa, inside);
        f2l_fsa_clear(&fsa);
    }
    for (size_t i = 0; i < F2L_FINER_CLASSES; i++)
        cr_assert(inside[i] > 12 && inside[i] < count - 12, "%s: %zu of %zu", f2l_finer_kinds[i].id,
                  inside[i], count);
}
