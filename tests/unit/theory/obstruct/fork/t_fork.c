/* The search for forks beside a search in all triples of states. */
#include "tests/support/automata/definite_support.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/obstruct/fork/fork.h"
#include <criterion/criterion.h>
#include <string.h>

#define MOST_STATES 8
#define MOST_TRIPLES (MOST_STATES * MOST_STATES * MOST_STATES)

/* Sets reached[..] for all triples to which words that are not empty lead from (x, y, z). */
static void follow(bool *reached, const f2l_fsa *fsa, size_t x, size_t y, size_t z)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    size_t queue[MOST_TRIPLES + 1], met = 1;
    memset(reached, 0, MOST_TRIPLES * sizeof *reached);
    queue[0] = (x * n + y) * n + z;
    for (size_t i = 0; i < met; i++)
        for (size_t a = 0; a < k; a++) {
            const size_t t = queue[i];
            const size_t to =
                (fsa->next[t / n / n * k + a] * n + fsa->next[t / n % n * k + a]) * n +
                fsa->next[t % n * k + a];
            if (!reached[to]) queue[met++] = to;
            reached[to] = true;
        }
}

/* Returns whether the automaton, in which all states are reached and have labels of their own, has
 * a fork. */
static bool has_fork(const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count;
    bool reached[MOST_TRIPLES];
    for (size_t s = 0; s < n; s++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = 0; q < n; q++) {
                if (p == q) continue;
                follow(reached, fsa, s, p, q);
                if (reached[(p * n + p) * n + q] && reached[(q * n + p) * n + q]) return true;
            }
    return false;
}

static bool is_strong(const f2l_fsa *fsa, const f2l_fork *fork)
{
    const size_t n = fsa->states.count;
    bool reached[MOST_TRIPLES];
    follow(reached, fsa, fork->s, fork->p, fork->q);
    return reached[(fork->s * n + fork->p) * n + fork->q];
}

Test(fork, all_triples)
{
    size_t forks = 0, strong = 0, none = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        f2l_error err = {0};
        f2l_fsa fsa;
        f2l_fork fork;
        random_trimmed(&fsa, 3 + seed % 6, 1 + seed / 6 % 3, seed);
        f2l_fork_init(&fork);
        cr_assert_eq(f2l_fork_find(&fork, &fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK);
        cr_assert_eq(fork.unsearched, 0);
        cr_assert_eq(fork.states, fsa.states.count);
        cr_assert_eq(fork.found, has_fork(&fsa), "seed %u", (unsigned)seed);
        if (fork.found) {
            cr_assert_not(fork.strong_open);
            cr_assert_eq(fork.still.length > 0, is_strong(&fsa, &fork), "seed %u", (unsigned)seed);
            strong += fork.still.length > 0;
        }
        forks += fork.found;
        none += !fork.found;
        f2l_fork_clear(&fork);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(forks > 50 && none > 50 && strong > 0 && strong < forks, "%zu %zu %zu", forks, none,
              strong);
}

/* More letters than a byte counts. With each letter under many names the automaton has a fork in
 * the same cases. */
Test(fork, many_letters)
{
    enum { LETTERS = 260 };
    size_t forks = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        f2l_error err = {0};
        f2l_fsa few, many;
        f2l_fork fork;
        random_trimmed(&few, 4, 2, seed);
        random_trimmed(&many, few.states.count, LETTERS, seed);
        if (many.states.count == few.states.count) {
            for (size_t i = 0; i < many.states.count * LETTERS; i++)
                many.next[i] = few.next[i / LETTERS * 2 + i % 2];
            f2l_fork_init(&fork);
            cr_assert_eq(f2l_fork_find(&fork, &many, F2L_LABEL_STATES, NULL, &err), F2L_OK);
            cr_assert_eq(fork.unsearched, 0);
            cr_assert_eq(fork.found, has_fork(&few), "seed %u", (unsigned)seed);
            forks += fork.found;
            f2l_fork_clear(&fork);
        }
        f2l_fsa_clear(&few);
        f2l_fsa_clear(&many);
    }
    cr_assert(forks > 0 && forks < 20, "%zu", forks);
}

static void must_be_fork(const f2l_fork *fork, const f2l_fsa *fsa)
{
    const size_t s = fork->s, p = fork->p, q = fork->q;
    const f2l_word *word[] = {&fork->u, &fork->v};
    cr_assert_neq(p, q);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(f2l_word_lead(fsa, s, word[i]), i == 0 ? p : q);
        cr_assert_eq(f2l_word_lead(fsa, p, word[i]), p);
        cr_assert_eq(f2l_word_lead(fsa, q, word[i]), q);
    }
}

/* In large components the first fork that is met is taken; its words do as they should. */
Test(fork, large)
{
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        f2l_error err = {0};
        f2l_fsa fsa;
        f2l_fork fork;
        random_trimmed(&fsa, 50 * seed, 2, seed);
        f2l_fork_init(&fork);
        cr_assert_eq(f2l_fork_find(&fork, &fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK);
        if (fork.found) must_be_fork(&fork, &fsa);
        cr_assert(fork.found || fork.unsearched == 0);
        found += fork.found;
        f2l_fork_clear(&fork);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_geq(found, 3);
}

/* Two permutations of many states and a reset have no fork, and that is decided; with a letter that
 * only merges two states they have one. */
Test(fork, permutations)
{
    enum { STATES = 150, LETTERS = 3 };
    for (int merges = 0; merges < 2; merges++) {
        uint32_t next[STATES * LETTERS];
        uint8_t accept[STATES] = {1};
        f2l_error err = {0};
        f2l_fsa fsa;
        f2l_fork fork;
        for (uint32_t q = 0; q < STATES; q++) {
            next[q * LETTERS] = (q + 1) % STATES;
            next[q * LETTERS + 1] = q < 2 ? 1 - q : q;
            next[q * LETTERS + 2] = merges && q != 1 ? q : 0;
        }
        make_trimmed(&fsa, STATES, LETTERS, next, accept);
        f2l_fork_init(&fork);
        cr_assert_eq(f2l_fork_find(&fork, &fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK);
        cr_assert_eq(fork.found, merges == 1);
        cr_assert_eq(fork.unsearched, 0);
        if (fork.found) must_be_fork(&fork, &fsa);
        f2l_fork_clear(&fork);
        f2l_fsa_clear(&fsa);
    }
}
