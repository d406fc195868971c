/* Words with a given last label, against lists of all words. */
#include "models/learn/data/data_ending.h"
#include "models/learn/data/npz.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/fsa_text.h"
#include <criterion/criterion.h>
#include <math.h>

#define LONGEST 6
#define DRAWS 20000

/* Accepts when the number of a's is 1 modulo 3; c leads to a state without a way back. */
static const char text[] = "start p\naccept q\np a q\nq a r\nr a p\np b p\nq b q\nr b r\n"
                           "p c z\nq c z\nr c r\nz a z\nz b z\nz c z\n";

typedef struct fixture {
    f2l_fsa fsa;
    uint32_t label_of[16];
} fixture;

static void open(fixture *f)
{
    fsa_from_text(&f->fsa, text);
    const size_t edges = f->fsa.states.count * f->fsa.letters.count;
    cr_assert(edges <= 16);
    for (size_t e = 0; e < edges; e++) f->label_of[e] = f->fsa.accept[f->fsa.next[e]];
}

/* Returns the label after the word whose letters are the digits of `number`. */
static uint32_t label_after(const fixture *f, size_t number, size_t length, uint32_t *letter)
{
    size_t state = f->fsa.start;
    uint32_t label = 2;
    for (size_t i = 0; i < length; i++, number /= f->fsa.letters.count) {
        letter[i] = (uint32_t)(number % f->fsa.letters.count);
        const size_t edge = state * f->fsa.letters.count + letter[i];
        label = f->label_of[edge];
        state = f->fsa.next[edge];
    }
    return label;
}

Test(data_ending, counts_all_words)
{
    fixture f;
    uint32_t letter[LONGEST];
    open(&f);
    for (uint32_t label = 0; label < 3; label++) {
        f2l_ending e = {0};
        size_t words = 1;
        cr_assert(f2l_ending_init(&e, &f.fsa, f.label_of, label, LONGEST, NULL, NULL) == F2L_OK);
        for (size_t length = 1; length <= LONGEST; length++) {
            size_t count = 0;
            words *= f.fsa.letters.count;
            for (size_t w = 0; w < words; w++) count += label_after(&f, w, length, letter) == label;
            cr_assert_eq(f2l_ending_exists(&e, length), count > 0);
            cr_assert(f2l_ending_has(&e, length, count) && !f2l_ending_has(&e, length, count + 1));
        }
        f2l_ending_clear(&e);
    }
    f2l_fsa_clear(&f.fsa);
}

/* Every accepted word of five letters comes equally often. */
Test(data_ending, words_are_equally_likely)
{
    fixture f;
    f2l_ending e = {0};
    f2l_rng rng;
    size_t seen[243] = {0}, accepted = 0;
    uint32_t letter[LONGEST];
    open(&f);
    f2l_rng_init(&rng, 20261124, 0);
    cr_assert(f2l_ending_init(&e, &f.fsa, f.label_of, 1, 5, NULL, NULL) == F2L_OK);
    for (size_t i = 0; i < DRAWS; i++) {
        size_t number = 0;
        f2l_ending_draw(&e, letter, 5, &rng);
        for (size_t k = 5; k-- > 0;) number = 3 * number + letter[k];
        seen[number]++;
    }
    for (size_t w = 0; w < 243; w++) accepted += label_after(&f, w, 5, letter) == 1;
    const double expected = (double)DRAWS / (double)accepted;
    for (size_t w = 0; w < 243; w++) {
        const bool right = label_after(&f, w, 5, letter) == 1;
        cr_assert(right ? fabs((double)seen[w] - expected) < 6 * sqrt(expected) : seen[w] == 0,
                  "word %zu: %zu times instead of %g", w, seen[w], expected);
    }
    f2l_ending_clear(&e);
    f2l_fsa_clear(&f.fsa);
}

/* Words of 5,000 letters are far more than a double can count. */
Test(data_ending, long_words)
{
    fixture f;
    f2l_ending e = {0};
    f2l_rng rng;
    uint32_t *letter = f2l_calloc(5000, sizeof *letter);
    open(&f);
    f2l_rng_init(&rng, 1, 0);
    cr_assert(f2l_ending_init(&e, &f.fsa, f.label_of, 1, 5000, NULL, NULL) == F2L_OK);
    f2l_ending_draw(&e, letter, 5000, &rng);
    size_t state = f.fsa.start;
    for (size_t i = 0; i < 5000; i++) state = f.fsa.next[state * f.fsa.letters.count + letter[i]];
    cr_assert(f.fsa.accept[state]);
    f2l_ending_clear(&e);
    f2l_free(letter);
    f2l_fsa_clear(&f.fsa);
}

/* An archive has both arrays, or memory was out. tests/cli/t_data.py reads archives. */
static f2l_status make_archive(size_t *size)
{
    static const int32_t value[6] = {0, 1, -1, 2, 3, 4};
    f2l_npz npz;
    f2l_names names;
    size_t index;
    f2l_npz_init(&npz);
    f2l_names_init(&names);
    f2l_status status = f2l_names_add(&names, "\xc3\xa4", 2, &index, NULL);
    f2l_npz_add_integers(&npz, "numbers", value, 2, 3);
    f2l_npz_add_names(&npz, "names", &names);
    const f2l_status ended = f2l_npz_end(&npz, NULL);
    *size = npz.out.size;
    f2l_npz_clear(&npz);
    f2l_names_clear(&names);
    return status == F2L_OK ? ended : status;
}

Test(npz, size)
{
    size_t size;
    cr_assert(make_archive(&size) == F2L_OK);
    /* two files: headers of 30 bytes, names, .npy headers of 128 bytes, data; directory, end */
    cr_assert_eq(size, 2 * 30 + 11 + 9 + 2 * 128 + 24 + 4 + 2 * 46 + 11 + 9 + 22);
}

/* The header of an array says its shape as a tuple of Python. */
Test(npz, shapes)
{
    static const size_t dim[3] = {1, 2, 3};
    static const char *const shape[] = {"'shape': (), ", "'shape': (1,), ", "'shape': (1, 2), ",
                                        "'shape': (1, 2, 3), "};
    static const char zeros[48];
    size_t count = 1;
    for (size_t dims = 0; dims < 4; dims++) {
        f2l_npz npz;
        bool found = false;
        f2l_npz_init(&npz);
        if (dims > 0) count *= dim[dims - 1];
        f2l_npz_add_array(&npz, "a", "<f8", dims, dim, zeros, 8 * count);
        cr_assert(f2l_npz_end(&npz, NULL) == F2L_OK);
        for (size_t i = 0; i + strlen(shape[dims]) <= npz.out.size; i++)
            found = found || memcmp(npz.out.data + i, shape[dims], strlen(shape[dims])) == 0;
        cr_assert(found, "%s", shape[dims]);
        f2l_npz_clear(&npz);
    }
}

#ifdef F2L_MEM_FAILURES
Test(npz, out_of_memory)
{
    size_t n = 0, size, whole;
    f2l_status status = F2L_ENOMEM;
    cr_assert(make_archive(&whole) == F2L_OK);
    while (status == F2L_ENOMEM) {
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = make_archive(&size);
        f2l_mem_fail_after(0, false);
    }
    cr_assert(status == F2L_OK && size == whole && n > 3);
}
#endif
