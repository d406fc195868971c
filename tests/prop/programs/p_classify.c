/* The ladder against the listed monoid: all automata with two letters and up to 3 states, and
 * random ones with up to 5 states and 3 letters, half of whose letters are permutations. The monoid
 * is listed, its maximal subgroups are found from its idempotents and their derived series from the
 * elements; shortest witnesses are found by listing words. */
#include "tests/support/automata/cascade_support.h"
#include "theory/obstruct/classify/classify.h"

#define SEED 20240917

enum { MOST = 3125, POINTS = 5, WORD = 9 };

typedef struct monoid {
    size_t n, count;
    uint8_t map[MOST][POINTS];
    int16_t of_code[MOST]; /* element number plus 1, by the map as a number to the base 5 */
} monoid;

static size_t code_of(const uint8_t *map, size_t n)
{
    size_t code = 0;
    for (size_t q = 0; q < n; q++) code = code * POINTS + map[q];
    return code;
}

static void put(monoid *m, const uint8_t *map)
{
    const size_t code = code_of(map, m->n);
    if (m->of_code[code]) return;
    memcpy(m->map[m->count], map, m->n);
    m->of_code[code] = (int16_t)++m->count;
}

static void list(monoid *m, const f2l_fsa *fsa)
{
    uint8_t map[POINTS] = {0};
    memset(m, 0, sizeof *m);
    m->n = fsa->states.count;
    for (size_t q = 0; q < m->n; q++) map[q] = (uint8_t)q;
    put(m, map);
    for (size_t i = 0; i < m->count; i++)
        for (size_t a = 0; a < fsa->letters.count; a++) {
            for (size_t q = 0; q < m->n; q++)
                map[q] = (uint8_t)fsa->next[m->map[i][q] * fsa->letters.count + a];
            put(m, map);
        }
}

static size_t times(const monoid *m, size_t a, size_t b)
{
    uint8_t map[POINTS] = {0};
    for (size_t q = 0; q < m->n; q++) map[q] = m->map[b][m->map[a][q]];
    return (size_t)m->of_code[code_of(map, m->n)] - 1;
}

/* Lists the units of eMe, which are the maximal subgroup at e; returns their number. */
static size_t subgroup(size_t *element, const monoid *m, size_t e)
{
    size_t local[MOST], locals = 0, count = 0;
    for (size_t s = 0; s < m->count; s++)
        if (times(m, e, s) == s && times(m, s, e) == s) local[locals++] = s;
    for (size_t i = 0; i < locals; i++) {
        bool unit = false;
        for (size_t j = 0; !unit && j < locals; j++)
            unit = times(m, local[i], local[j]) == e && times(m, local[j], local[i]) == e;
        if (unit) element[count++] = local[i];
    }
    return count;
}

static size_t inverse(const monoid *m, size_t e, size_t s)
{
    size_t power = s, last = e;
    while (power != e) {
        last = power;
        power = times(m, power, s);
    }
    return last;
}

/* Replaces a group by its derived group, or by the group that its squares generate. */
static size_t derive(size_t *element, size_t count, const monoid *m, size_t e, bool squares)
{
    static uint8_t in[MOST];
    static size_t found[MOST], generator[MOST];
    size_t generators = 0, total = 0;
    memset(in, 0, sizeof in);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const size_t a = element[i], b = element[j];
            const size_t c =
                squares ? times(m, a, a)
                        : times(m, times(m, inverse(m, e, a), inverse(m, e, b)), times(m, a, b));
            if (!in[c]) generator[generators++] = c;
            in[c] = 1;
        }
    memset(in, 0, sizeof in);
    found[total++] = e;
    in[e] = 1;
    for (size_t i = 0; i < total; i++)
        for (size_t j = 0; j < generators; j++) {
            const size_t c = times(m, found[i], generator[j]);
            if (!in[c]) found[total++] = c;
            in[c] = 1;
        }
    memcpy(element, found, total * sizeof *found);
    return total;
}

/* Returns the number of steps until the group is trivial; 0 when it never is. */
static size_t steps(const monoid *m, size_t e, bool squares)
{
    static size_t element[MOST];
    size_t count = subgroup(element, m, e), taken = 0;
    for (size_t before = 0; count > 1; taken++) {
        before = count;
        count = derive(element, count, m, e, squares);
        if (count == before) return 0;
    }
    return taken;
}

typedef struct truth {
    bool aperiodic, two_groups, solvable;
    size_t derived, squares; /* the longest series */
} truth;

static truth decide(const monoid *m)
{
    static size_t element[MOST];
    truth t = {true, true, true, 0, 0};
    for (size_t e = 0; e < m->count; e++) {
        if (times(m, e, e) != e) continue;
        const size_t count = subgroup(element, m, e);
        if (count > 1) t.aperiodic = false;
        if (count & (count - 1)) t.two_groups = false;
        const size_t derived = steps(m, e, false), squares = steps(m, e, true);
        if (count > 1 && !derived) t.solvable = false;
        if (derived > t.derived) t.derived = derived;
        if (squares > t.squares) t.squares = squares;
    }
    return t;
}

/* Returns whether the word has a cycle of more than one state (`odd`: of a length that is not a
 * power of two). */
static bool has_cycle(const f2l_fsa *fsa, const uint32_t *word, size_t length, bool odd)
{
    const size_t n = fsa->states.count;
    for (size_t start = 0; start < n; start++) {
        size_t at = start;
        for (size_t period = 1; period <= n; period++) {
            for (size_t j = 0; j < length; j++) at = fsa->next[at * fsa->letters.count + word[j]];
            if (at != start) continue;
            if (odd ? (period & (period - 1)) != 0 : period > 1) return true;
            break;
        }
    }
    return false;
}

/* Finds the first word by length and then by letters, of up to WORD letters; returns its length, 0
 * for none. */
static size_t first_word(uint32_t *word, const f2l_fsa *fsa, bool odd)
{
    for (size_t length = 1; length <= WORD; length++) {
        memset(word, 0, length * sizeof *word);
        for (;;) {
            if (has_cycle(fsa, word, length, odd)) return length;
            size_t at = length;
            while (at > 0 && word[at - 1] + 1 == fsa->letters.count) word[--at] = 0;
            if (at == 0) break;
            word[at - 1]++;
        }
    }
    return 0;
}

typedef struct totals {
    size_t passed, failed, rung[4], words;
} totals;

static bool same_word(const f2l_fsa *fsa, const f2l_cycle_word *w, bool odd, totals *t)
{
    uint32_t word[WORD];
    if (w->length && !f2l_cycle_word_holds(fsa, w)) return false;
    if (w->length && odd && !(w->period & (w->period - 1))) return false;
    const size_t length = first_word(word, fsa, odd);
    if (!length) return !w->length || w->length > WORD;
    t->words++;
    return w->shortest && w->length == length &&
           memcmp(w->letter, word, length * sizeof *word) == 0;
}

/* Returns whether no bound is above the longest series, the bound of a group equals it, and there
 * is at least one layer where a group is not trivial. */
static bool same_bounds(const f2l_classify *c, const truth *right)
{
    const size_t complex = c->row[F2L_LADDER_DIAGONAL_COMPLEX].layers_at_least,
                 real = c->row[F2L_LADDER_DIAGONAL_REAL].layers_at_least;
    if (!right->solvable) return complex == 0 && real == 0;
    if (complex > right->derived || (complex == 0) != right->aperiodic) return false;
    if (c->permutation && complex != right->derived) return false;
    if (!right->two_groups) return real == 0;
    return real <= right->squares && (real == 0) == right->aperiodic &&
           (!c->permutation || real == right->squares);
}

/* Returns whether the pair of words is right and gives at least 60 elements, because only A_5 and
 * S_5 act on 5 points and are not solvable. */
static bool has_pair(const f2l_fsa *fsa, const f2l_word_pair *pair)
{
    static monoid m;
    f2l_fsa two;
    table_init(&two, fsa->states.count, 2);
    for (size_t q = 0; q < fsa->states.count; q++)
        for (size_t w = 0; w < 2; w++) {
            size_t at = q;
            for (size_t j = 0; j < pair->length[w]; j++)
                at = fsa->next[at * fsa->letters.count + pair->letter[w][j]];
            table_set(&two, q, w, at);
        }
    list(&m, &two);
    f2l_fsa_clear(&two);
    return f2l_word_pair_check(fsa, pair, NULL) == F2L_OK && m.count >= 60;
}

static bool letter_has_cycle(const f2l_fsa *fsa)
{
    for (uint32_t a = 0; a < fsa->letters.count; a++)
        if (has_cycle(fsa, &a, 1, false)) return true;
    return false;
}

static void one(f2l_fsa *fsa, const char *what, totals *t)
{
    static monoid m;
    f2l_classify c;
    f2l_error err = {0};
    size_t dropped;
    if (f2l_fsa_trim(fsa, &dropped, NULL) != F2L_OK) abort();
    list(&m, fsa);
    const truth right = decide(&m);
    bool good = f2l_classify_build(&c, fsa, NULL, NULL, &err) == F2L_OK;
    good = good && c.groups_known &&
           c.aperiodic == (right.aperiodic ? F2L_TERNARY_YES : F2L_TERNARY_NO) &&
           c.two_groups == (right.two_groups ? F2L_TERNARY_YES : F2L_TERNARY_NO) &&
           c.solvable == (right.solvable ? F2L_TERNARY_YES : F2L_TERNARY_NO);
    good =
        good && (c.any.length > 0) == !right.aperiodic && (c.odd.length > 0) == !right.two_groups;
    good = good && same_word(fsa, &c.any, false, t) && same_word(fsa, &c.odd, true, t);
    good = good && same_bounds(&c, &right) && c.letter_cycles == letter_has_cycle(fsa);
    good = good && (right.solvable ? !c.pair.group : has_pair(fsa, &c.pair));
    t->rung[right.aperiodic ? 0 : right.two_groups ? 1 : right.solvable ? 2 : 3]++;
    t->passed += good;
    t->failed += !good;
    if (!good && t->failed < 20) printf("FAILED: %s %s\n", what, err.text);
    f2l_classify_clear(&c);
}

static void shuffle(f2l_fsa *fsa, size_t letter, f2l_rng *rng)
{
    for (size_t q = 0; q < fsa->states.count; q++) table_set(fsa, q, letter, q);
    for (size_t q = fsa->states.count; q > 1; q--) {
        const size_t other = f2l_rng_below(rng, q), k = fsa->letters.count;
        const uint32_t kept = fsa->next[(q - 1) * k + letter];
        fsa->next[(q - 1) * k + letter] = fsa->next[other * k + letter];
        fsa->next[other * k + letter] = kept;
    }
}

int main(void)
{
    totals t = {0};
    f2l_fsa fsa;
    char what[64];
    size_t random = 400;
#ifdef __SANITIZE_ADDRESS__
    random = 60;
#endif
    for (size_t n = 1; n <= 3; n++) {
        size_t tables = 1;
        for (size_t i = 0; i < 2 * n; i++) tables *= n;
        for (size_t code = 0; code < tables; code++) {
            size_t rest = code;
            table_init(&fsa, n, 2);
            for (size_t i = 0; i < 2 * n; i++, rest /= n) fsa.next[i] = (uint32_t)(rest % n);
            snprintf(what, sizeof what, "table %zu of %zu states", code, n);
            one(&fsa, what, &t);
            f2l_fsa_clear(&fsa);
        }
    }
    for (size_t i = 0; i < random; i++) {
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, i);
        table_random(&fsa, 4 + i % 2, 2 + i / 2 % 2, &rng);
        for (size_t a = 0; a < fsa.letters.count; a++)
            if (f2l_rng_below(&rng, 2)) shuffle(&fsa, a, &rng);
        snprintf(what, sizeof what, "seed %d, stream %zu", SEED, i);
        one(&fsa, what, &t);
        f2l_fsa_clear(&fsa);
    }
    printf(
        "seed %d; aperiodic %zu, 2-groups %zu, solvable %zu, not solvable %zu; %zu shortest words "
        "compared\n",
        SEED, t.rung[0], t.rung[1], t.rung[2], t.rung[3], t.words);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed ? 1 : 0;
}
