#include "tests/support/automata/fsa_text.h"
#include "tests/support/train/data_cases.h"
#include "tests/support/train/data_support.h"

/* Checks the frequencies of letters, and of pairs of a letter with the letter before it, with the
 * letter of the sequence before and with the letter of the step before. */
static void check_letters(const f2l_data *data, const double *probability, size_t letters)
{
    const size_t rows = 200, length = 100, pairs = letters * letters;
    size_t *one = calloc(letters, sizeof *one), *two = calloc(3 * pairs, sizeof *two);
    double *product = calloc(pairs, sizeof *product);
    cr_assert(one && two && product);
    f2l_data_batch now, before;
    f2l_data_batch_init(&now);
    f2l_data_batch_init(&before);
    data_fill(&now, data, length, length, 4, 0, rows);
    data_fill(&before, data, length, length, 3, 0, rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < length; t++) {
            const size_t at = i * length + t, a = now.letter[at];
            one[a]++;
            if (t % 2) two[a * letters + now.letter[at - 1]]++;
            if (i % 2) two[pairs + a * letters + now.letter[at - length]]++;
            two[2 * pairs + a * letters + before.letter[at]]++;
        }
    for (size_t a = 0; a < pairs; a++)
        product[a] = probability[a / letters] * probability[a % letters];
    data_follows(one, probability, letters, "letters");
    data_follows(two, product, pairs, "neighbours");
    data_follows(two + pairs, product, pairs, "sequences");
    data_follows(two + 2 * pairs, product, pairs, "steps");
    f2l_data_batch_clear(&now);
    f2l_data_batch_clear(&before);
    free(one);
    free(two);
    free(product);
}

Test(data_letters, letters_follow_their_weights)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    static const double weight[][6] = {{1, 1, 1, 1, 1, 1},
                                       {0, 2, 0, 1, 0.5, 0},
                                       {3, 0, 0, 0, 0, 1e-3},
                                       {1e308, 1e308, 1e308, 0, 0, 1e308}};
    for (size_t k = 0; k < 4; k++) {
        double probability[6], sum = 0;
        for (size_t a = 0; a < 6; a++) sum += weight[k][a] / 1e308;
        for (size_t a = 0; a < 6; a++) probability[a] = weight[k][a] / 1e308 / sum;
        for (int uniform = 0; uniform <= (k == 0); uniform++) {
            f2l_data data;
            const f2l_data_options options = {
                .weight = uniform ? NULL : weight[k], .seed = 5 + (uint32_t)k, .stream = 1};
            data_build(&data, &options, &s3);
            for (size_t a = 0; a < 6; a++) cr_assert_eq(f2l_data_draws(&data, a), weight[k][a] > 0);
            cr_assert_not(f2l_data_draws(&data, 6));
            check_letters(&data, probability, 6);
            f2l_data_clear(&data);
        }
    }
    f2l_fsa_clear(&s3);
}

Test(data_letters, lengths_are_uniform_among_the_possible)
{
    f2l_data data;
    const f2l_data_options options = {.kind = F2L_DATA_ARITHMETIC,
                                      .modulus = 5,
                                      .times = true,
                                      .equals = true,
                                      .seed = 6,
                                      .stream = 1};
    data_build(&data, &options, NULL);
    cr_assert_eq(data.least, 2);
    size_t count[21] = {0};
    for (uint32_t i = 0; i < 20000; i++) {
        const size_t length = f2l_data_length(&data, (f2l_data_range){3, 41}, 9, i);
        cr_assert(length >= 4 && length <= 40 && length % 2 == 0);
        count[length / 2]++;
    }
    data_follows(count + 2, NULL, 19, "lengths");
    cr_assert_eq(f2l_data_length(&data, (f2l_data_range){0, 3}, 0, 0), 2);
    cr_assert_eq(f2l_data_length(&data, (f2l_data_range){5, 5}, 0, 0), 0);
    cr_assert_eq(f2l_data_length(&data, (f2l_data_range){7, 6}, 0, 0), 0);
    cr_assert_eq(f2l_data_length(&data, (f2l_data_range){0, 1}, 0, 0), 0);
    cr_assert_eq(f2l_data_length(&data, (f2l_data_range){SIZE_MAX, SIZE_MAX}, 0, 0), 0);
    cr_assert_eq(f2l_data_fit(&data, 7), 6);
    cr_assert_eq(f2l_data_fit(&data, 1), 0);
    cr_assert_eq(f2l_data_fit(&data, SIZE_MAX), UINT32_MAX - 1);
    f2l_data_clear(&data);
}

/* Among the 120 permutations of 5 points 10 are swaps, 20 cycles of three points, 30 of four and 24
 * of five; the 15 double swaps and 20 swaps with a cycle of three move at most five points too, but
 * are not cycles. */
Test(data_letters, cycles_of_limited_length)
{
    static const size_t wanted[] = {0, 0, 10, 30, 60, 84, 84};
    f2l_fsa s5;
    data_family(&s5, "symmetric", 5, false);
    double weight[120];
    f2l_error err = {0};
    for (size_t longest = 2; longest <= 6; longest++)
        for (int identity = 0; identity < 2; identity++) {
            cr_assert_eq(f2l_data_cycle_weights(weight, &s5, longest, identity, &err), F2L_OK);
            size_t kept = 0;
            for (size_t a = 0; a < 120; a++) {
                const char *name = f2l_names_get(&s5.letters, a), *second = strchr(name + 1, '(');
                const size_t points = strlen(name) == 2 ? 0 : strlen(name) / 2; /* "(1 2 3)" */
                const bool keep = points == 0 ? identity : !second && points <= longest;
                cr_assert_eq(weight[a], keep, "%s", name);
                kept += keep;
            }
            cr_assert_eq(kept, wanted[longest] + (size_t)identity);
        }
    cr_assert_eq(f2l_data_cycle_weights(weight, &s5, 1, false, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_cycle_weights(weight, &s5, 1, true, &err), F2L_OK);
    f2l_fsa parity;
    data_family(&parity, "parity", 0, false);
    cr_assert_eq(f2l_data_cycle_weights(weight, &parity, 2, false, &err), F2L_EDOMAIN);
    /* Words of swaps alone. */
    cr_assert_eq(f2l_data_cycle_weights(weight, &s5, 2, false, &err), F2L_OK);
    f2l_data data;
    data_build(&data, &(f2l_data_options){.weight = weight, .seed = 8, .stream = 1}, &s5);
    double probability[120];
    for (size_t a = 0; a < 120; a++) probability[a] = weight[a] / 10;
    check_letters(&data, probability, 120);
    f2l_data_clear(&data);
    f2l_fsa_clear(&parity);
    f2l_fsa_clear(&s5);
}

/* With four tokens per transition the letters at multiples of four are the letters of the same
 * words without padding, the rest is padding, and the answer comes with the fourth. */
Test(data_letters, several_tokens_per_transition)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "fsa 1\n"
                        "letters pad b pad2\n"
                        "states s t\n"
                        "start s\n"
                        "accept t\n"
                        "s pad t\n"
                        "t pad s\n"
                        "s b s\n"
                        "t b t\n"
                        "s pad2 t\n"
                        "t pad2 t\n");
    for (int last = 0; last < 2; last++) {
        f2l_data data;
        const f2l_data_options options = {.label = F2L_LABEL_ACCEPT,
                                          .when = last ? F2L_DATA_LAST : F2L_DATA_EVERY,
                                          .tokens = 4,
                                          .seed = 9,
                                          .stream = 1};
        data_build(&data, &options, &fsa);
        cr_assert_eq(data.letters.count, 4);
        cr_assert_str_eq(f2l_names_get(&data.letters, 3), "pad3");
        cr_assert_str_eq(f2l_names_get(&data.labels, 0), "reject");
        cr_assert(f2l_data_draws(&data, 3));
        f2l_data_batch batch;
        f2l_data_batch_init(&batch);
        data_fill(&batch, &data, 30, 35, 0, 0, 10); /* 32 is the only multiple of 4 */
        cr_assert_eq(batch.length, 32);
        for (uint32_t i = 0; i < 10; i++) {
            size_t state = fsa.start;
            for (uint32_t t = 0; t < 32; t++) {
                const size_t at = i * 32 + t;
                uint64_t xy[2];
                numbers(xy, 9, 1, 0, i, t);
                const uint32_t letter = t % 4 ? 3 : (uint32_t)((wide)xy[0] * 3 >> 64);
                cr_assert_eq(batch.letter[at], letter);
                if (t % 4 == 0) state = fsa.next[state * 3 + letter];
                const bool counts = t % 4 == 3 && (!last || t == 31);
                cr_assert_eq(batch.mask[at], counts);
                cr_assert_eq(batch.label[at], counts ? fsa.accept[state] : 0);
            }
        }
        cr_assert_eq(batch.counted, last ? 10 : 80);
        f2l_data_batch_clear(&batch);
        f2l_data_clear(&data);
    }
    f2l_fsa_clear(&fsa);
}

Test(data_letters, parity_of_the_last_letter)
{
    f2l_fsa parity;
    data_family(&parity, "parity", 0, false);
    f2l_data data;
    data_build(&data, &(f2l_data_options){.when = F2L_DATA_LAST, .seed = 10, .stream = 1}, &parity);
    cr_assert_float_eq(f2l_data_chance(&data), 0.5, 0);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, 3, 40, 0, 0, 500);
    size_t odd = 0;
    for (size_t i = 0; i < 500; i++) {
        size_t ones = 0;
        const size_t last = batch.lengths[i] - 1;
        for (size_t t = 0; t <= last; t++) {
            ones +=
                strcmp(f2l_names_get(&data.letters, batch.letter[i * batch.length + t]), "1") == 0;
            cr_assert_eq(batch.mask[i * batch.length + t], t == last);
        }
        const uint32_t even_state = (uint32_t)parity.start;
        cr_assert_eq(batch.label[i * batch.length + last], ones % 2 ? 1 - even_state : even_state);
        odd += ones % 2;
    }
    cr_assert_eq(batch.counted, 500);
    cr_assert(odd > 200 && odd < 300);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_fsa_clear(&parity);
}

Test(data_letters, outputs_as_answers)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "fsa 1\n"
                        "letters a\n"
                        "states p q r\n"
                        "start p\n"
                        "output p x\n"
                        "output q y\n"
                        "output r x\n"
                        "p a q\n"
                        "q a r\n"
                        "r a p\n");
    f2l_data data;
    data_build(&data, &(f2l_data_options){.label = F2L_LABEL_OUTPUTS, .stream = 1}, &fsa);
    cr_assert_eq(data.labels.count, 2);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, 7, 7, 0, 0, 1);
    static const char *const wanted[] = {"y", "x", "x", "y", "x", "x", "y"};
    for (size_t t = 0; t < 7; t++)
        cr_assert_str_eq(f2l_names_get(&data.labels, batch.label[t]), wanted[t]);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}
