#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/failing.h"

static f2l_failing find_beside(learned_case *c, const f2l_failing_known *known, uint64_t read)
{
    f2l_failing out;
    cr_assert(f2l_failing_find(&out, &c->trained.model, c->trained.parameters, &c->data, known,
                               read, NULL, &c->err) == F2L_OK,
              "%s", c->err.text);
    return out;
}

static f2l_failing find(learned_case *c, const f2l_data_wrong *seen, uint64_t read)
{
    return find_beside(c, &(f2l_failing_known){.seen = seen}, read);
}

/* Returns whether the network answers the word wrongly, with what it should and what it does say.
 */
static bool is_wrong(learned_case *c, const uint32_t *word, size_t letters, uint32_t *expected,
                     uint32_t *got)
{
    const f2l_fsa *fsa = c->data.fsa;
    size_t state = fsa->start;
    for (size_t i = 0; i < letters; i++) state = fsa->next[state * fsa->letters.count + word[i]];
    *expected = c->data.answer[state];
    cr_assert_eq(f2l_learned_run(got, &c->reader, word, letters, &c->err), F2L_OK);
    return *got != *expected;
}

/* Random words of 512 letters are all right, and a word of less than 60 letters is not. */
Test(failing, a_network_that_is_right_on_random_words)
{
    learned_case c;
    uint32_t expected, got, less[F2L_FAILING_LETTERS];
    learned_s3(&c);
    learned_read(&c);
    f2l_failing f = find(&c, NULL, F2L_FAILING_USUAL), again = find(&c, NULL, F2L_FAILING_USUAL);
    cr_assert(f.letters > 7 && f.letters < 60, "%zu", f.letters);
    cr_assert(is_wrong(&c, f.word, f.letters, &expected, &got));
    cr_assert(f.expected == expected && f.got == got);
    for (size_t n = 1; n < f.letters; n++)
        cr_assert(!is_wrong(&c, f.word, n, &expected, &got), "%zu", n);
    for (size_t i = 0; i < f.letters; i++) { /* no letter can be left out */
        memcpy(less, f.word, i * sizeof *less);
        memcpy(less + i, f.word + i + 1, (f.letters - 1 - i) * sizeof *less);
        cr_assert(!is_wrong(&c, less, f.letters - 1, &expected, &got), "%zu", i);
    }
    cr_assert(!f.no_search && !f.limited && f.all_letters >= 4 && f.powers > 6 && f.followed > 0);
    cr_assert(f.read > 0 && f.read <= 100000 + F2L_LEARNED_SIDE * F2L_FAILING_LETTERS);
    cr_assert(again.letters == f.letters && again.read == f.read &&
              memcmp(again.word, f.word, f.letters * sizeof *f.word) == 0);
    f2l_failing_clear(&f);
    f2l_failing_clear(&again);
    learned_clear(&c);
}

/* Returns the letters of the shortest wrong word, by reading them all; 0: none up to `most`. */
static size_t shortest_of_all(learned_case *c, size_t most)
{
    const size_t letters = c->data.fsa->letters.count;
    uint32_t word[8], expected, got;
    for (size_t n = 1, count = letters; n <= most; n++, count *= letters)
        for (size_t u = 0; u < count; u++) {
            for (size_t i = 0, rest = u; i < n; i++, rest /= letters)
                word[i] = (uint32_t)(rest % letters);
            if (is_wrong(c, word, n, &expected, &got)) return n;
        }
    return 0;
}

/* The first part reads all words: what it finds is a shortest. With several layers, a begin letter
 * and padding letters; the labels are what the network says after one letter. */
Test(failing, all_words_are_read_shortest_first)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        learned_case c;
        learned_two_layers(&c);
        f2l_seq_start_f32(c.trained.parameters, &c.trained.model, seed);
        learned_read(&c);
        for (uint32_t a = 0; a < 6; a++) {
            uint32_t expected, got;
            is_wrong(&c, &a, 1, &expected, &got);
            c.data.answer[c.data.fsa->next[c.data.fsa->start * 6 + a]] = got;
        }
        f2l_failing f = find(&c, NULL, 2000);
        const size_t shortest = shortest_of_all(&c, 3);
        cr_assert(shortest > 1 && f.letters == shortest && f.all_letters == shortest - 1,
                  "seed %llu: %zu %zu", (unsigned long long)seed, f.letters, shortest);
        f2l_failing_clear(&f);
        learned_clear(&c);
    }
}

/* Words of the test data that were seen to fail are taken as they are where nothing is read. */
Test(failing, a_word_that_was_seen)
{
    learned_case c;
    f2l_data_stream stream;
    f2l_data_item item;
    learned_two_layers(&c);
    learned_read(&c);
    const f2l_data_wrong seen = {.length = 10, .whole = 12, .step = 3, .sequence = 7};
    f2l_failing f = find(&c, &seen, 0);
    cr_assert(f.no_search && f.read == 0 && f.letters == 5 && f.got == UINT32_MAX);
    f2l_data_stream_init(&stream);
    cr_assert_eq(f2l_data_stream_start(&stream, &c.data, 3, 7, 12, &c.err), F2L_OK);
    for (size_t i = 0; i < 11; i++) {
        cr_assert_eq(f2l_data_stream_next(&stream, &item, &c.err), F2L_OK);
        if (i % 2 == 1) cr_assert_eq(item.letter, f.word[i / 2]);
    }
    cr_assert_eq(item.label, f.expected);
    f2l_data_stream_clear(&stream);
    f2l_failing_clear(&f);
    learned_clear(&c);
}

/* A word that another search met counts up to its first wrong answer, and not where it has none. */
Test(failing, a_word_that_is_met)
{
    learned_case c;
    learned_s3(&c);
    f2l_failing f = find(&c, NULL, F2L_FAILING_USUAL);
    const size_t n = f.letters;
    uint32_t *twice = f2l_calloc(2 * n, sizeof *twice);
    cr_assert(n > 1 && !f.met && twice);
    for (size_t i = 0; i < 2 * n; i++) twice[i] = f.word[i % n];
    f2l_failing few = find(&c, NULL, 400);
    cr_assert(few.letters == 0, "%zu", few.letters);
    for (size_t letters = n - 1; letters <= 2 * n; letters += letters < n ? 1 : n) {
        const f2l_failing_known met = {.met = twice, .met_letters = letters};
        f2l_failing g = find_beside(&c, &met, 400), none = find_beside(&c, &met, 0);
        cr_assert(g.met && g.letters == (letters < n ? 0 : n), "%zu: %zu", letters, g.letters);
        if (letters >= n)
            cr_assert(g.expected == f.expected && g.got == f.got &&
                      memcmp(g.word, f.word, n * sizeof *g.word) == 0);
        cr_assert(g.read == few.read + (letters < n ? letters : n));
        cr_assert(none.letters == 0 && !none.met && none.no_search);
        f2l_failing_clear(&g);
        f2l_failing_clear(&none);
    }
    f2l_free(twice);
    f2l_failing_clear(&few);
    f2l_failing_clear(&f);
    learned_clear(&c);
}

Test(failing, limits_end_the_search)
{
    learned_case c;
    f2l_failing f;
    learned_s3(&c);
    const f2l_task late = {.deadline = 1}, small = {.memory = 1000};
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(f2l_failing_find(&f, &c.trained.model, c.trained.parameters, &c.data, NULL,
                                      100000, i ? &small : &late, &c.err),
                     F2L_OK, "%s", c.err.text);
        cr_assert(f.limited && f.letters == 0 && f.read <= F2L_LEARNED_SIDE);
        f2l_failing_clear(&f);
    }
    volatile sig_atomic_t stop = 1;
    const f2l_task interrupted = {.cancel = &stop};
    cr_assert_eq(f2l_failing_find(&f, &c.trained.model, c.trained.parameters, &c.data, NULL, 100000,
                                  &interrupted, &c.err),
                 F2L_UNKNOWN);
    f2l_failing_clear(&f);
    learned_clear(&c);
}
