#include "automata/family/family.h"
#include "automata/gset/gset.h"
#include "tests/support/automata/definite_support.h"
#include "tests/support/theory/t4_support.h"
#include "theory/compile/compile.h"
#include <stdio.h>

/* Returns, by the definition, the least j <= limit such that every word of j letters takes all
 * states to one, else SIZE_MAX. It keeps the images of all words of a length as masks of at most 32
 * states. */
static size_t k_of_words(const f2l_fsa *fsa, size_t limit)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    static uint32_t image[1 << 14], longer[1 << 14];
    size_t images = 1;
    image[0] = (uint32_t)(((uint64_t)1 << n) - 1);
    for (size_t j = 0; j <= limit; j++) {
        size_t many = 0, count = 0;
        for (size_t i = 0; i < images; i++) many += (image[i] & (image[i] - 1)) != 0;
        if (!many) return j;
        for (size_t i = 0; i < images; i++) {
            for (size_t a = 0; a < k; a++) {
                uint32_t mask = 0;
                for (size_t q = 0; q < n; q++)
                    if (image[i] >> q & 1) mask |= (uint32_t)1 << fsa->next[q * k + a];
                size_t at = 0;
                while (at < count && longer[at] != mask) at++;
                if (at == count) longer[count++] = mask;
                cr_assert_lt(count, sizeof longer / sizeof *longer);
            }
        }
        memcpy(image, longer, count * sizeof *image);
        images = count;
    }
    return SIZE_MAX;
}

/* K.1 and K.5 hold for all automata with 2 letters and at most 3 states. */
Test(definite, all_small_automata)
{
    size_t definite = 0, resets = 0, deep = 0;
    for (size_t n = 1; n <= 3; n++) {
        size_t tables = 1;
        for (size_t i = 0; i < 2 * n; i++) tables *= n;
        for (size_t t = 0; t < tables; t++) {
            uint32_t next[6];
            size_t rest = t;
            for (size_t i = 0; i < 2 * n; i++, rest /= n) next[i] = (uint32_t)(rest % n);
            f2l_fsa fsa;
            compiled c;
            make_trimmed(&fsa, n, 2, next, NULL);
            const size_t k = k_of_words(&fsa, 8), size = fsa.states.count;
            cr_assert_eq(find(&fsa), k);
            cr_assert_eq(k_of_pairs(&fsa), k);
            compiled_init(&c, F2L_LABEL_STATES);
            definite_compile(&c, &fsa);
            check_reason(&c.result, k, f2l_fsa_is_permutation(&fsa, NULL),
                         permutes_or_resets(&fsa));
            if (strcmp(c.result.theorem, "K") == 0) check_certificate(&c, &fsa);
            definite += k != SIZE_MAX;
            deep += k != SIZE_MAX && k > 1;
            resets += size > 1 && k == 1;
            f2l_compile_result_clear(&c.result);
            f2l_fsa_clear(&fsa);
        }
    }
    printf("%zu definite, %zu of them with resets only, %zu deeper\n", definite, resets, deep);
    cr_assert(definite > 100 && resets > 10 && deep > 10);
}

/* K.5 by the cascades themselves: there is one level iff every letter permutes or resets. */
Test(definite, one_level_means_permutation_reset)
{
    f2l_rng rng;
    size_t flat = 0;
    f2l_rng_init(&rng, 5, 0);
    for (size_t run = 0; run < 300; run++) {
        const size_t n = 2 + f2l_rng_below(&rng, 7), letters = 1 + f2l_rng_below(&rng, 4);
        uint32_t next[32];
        for (size_t a = 0; a < letters; a++) {
            uint32_t image[8];
            const size_t kind = f2l_rng_below(&rng, 5);
            const uint32_t target = (uint32_t)f2l_rng_below(&rng, n);
            for (uint32_t q = 0; q < n; q++) image[q] = q;
            for (size_t q = n; q-- > 1;) {
                const size_t other = f2l_rng_below(&rng, q + 1);
                const uint32_t moved = image[q];
                image[q] = image[other];
                image[other] = moved;
            }
            if (kind == 0 && run % 2) image[0] = image[1];
            for (size_t q = 0; q < n; q++) next[q * letters + a] = kind < 3 ? image[q] : target;
        }
        f2l_fsa fsa;
        make_trimmed(&fsa, n, letters, next, NULL);
        const bool expected = permutes_or_resets(&fsa);
        for (f2l_cascade_kind kind = F2L_CASCADE_HOLONOMY; kind <= F2L_CASCADE_CAPPED; kind++) {
            f2l_cascade cascade;
            f2l_error err = {0};
            cr_assert_eq(f2l_cascade_build(&cascade, &fsa, kind, 0, NULL, &err), F2L_OK, "%s",
                         err.text);
            cr_assert_eq(cascade.levels <= 1, expected, "run %zu", run);
            f2l_cascade_clear(&cascade);
        }
        flat += expected && fsa.states.count > 1;
        f2l_fsa_clear(&fsa);
    }
    cr_assert_gt(flat, 50);
}

/* The family of the last bits. With k = 1 a cascade of one level has the same layer, but its
 * decoder lists every letter. */
Test(definite, family)
{
    for (size_t k = 1; k <= 4; k++) {
        const uint64_t number = k;
        f2l_fsa fsa;
        compiled c;
        f2l_net_size size;
        f2l_fsa_init(&fsa);
        cr_assert_eq(f2l_family_build(&fsa, "definite", &number, 1, false, NULL), F2L_OK);
        cr_assert_eq(find(&fsa), k);
        compiled_init(&c, F2L_LABEL_STATES);
        definite_compile(&c, &fsa);
        check_reason(&c.result, k, false, k == 1);
        f2l_net_measure(&size, &c.result.net);
        cr_assert_eq(size.layers, 1);
        cr_assert_eq(size.codes, (size_t)1 << k);
        cr_assert_eq(size.householders, k == 1 ? 1 : k + 1);
        cr_assert_eq(size.states, k == 1 ? 1 : 2 * k);
        cr_assert_eq(registers_of(&c.result)->k, k);
        cr_assert_eq(registers_of(&c.result)->letter_classes, 2);
        cr_assert_not(registers_of(&c.result)->empty);
        cr_assert_eq(c.result.exact.rows, (size_t)1 << k);
        cr_assert_eq(c.result.format[0].closure.rows, (size_t)1 << k);
        check_certificate(&c, &fsa);
        runner r;
        f2l_rng rng;
        f2l_rng_init(&rng, k, 0);
        runner_init(&r, &c.result.net, &fsa);
        for (int word = 0; word < 20; word++) t4_run_word(&r, &rng, 60);
        runner_clear(&r);
        /* A cascade on request has a layer for every level. */
        c.options.cascade = F2L_COMPILE_CAPPED;
        definite_compile(&c, &fsa);
        cr_assert_str_eq(c.result.theorem, "T4");
        cr_assert(k == 1 || c.result.net.layers > 1);
        f2l_compile_result_clear(&c.result);
        f2l_fsa_clear(&fsa);
    }
}
