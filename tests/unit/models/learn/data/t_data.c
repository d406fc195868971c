/* Training data of automata: every number against the definition in models/learn/data/data.h, and
 * statistics. */
#include "automata/fsa/perm.h"
#include "models/learn/data/impl.h"
#include "tests/support/train/data_cases.h"
#include "tests/support/train/data_support.h"

Test(data, choices_are_exact)
{
    static const uint32_t n[] = {1, 2, 3, 5, 60, 120, 65537, UINT32_MAX};
    f2l_rng r;
    f2l_rng_init(&r, 21, 0); /* the seed */
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (int k = 0; k < 1000; k++) {
            const uint64_t x = k == 0 ? 0 : k == 1 ? UINT64_MAX : f2l_rng_u64(&r);
            cr_assert_eq(f2l_data_below(x, n[i]), (uint32_t)((wide)x * n[i] >> 64));
        }
}

Test(data, weighted_letters_at_the_bounds)
{
    /* Letters 0, 2, 3 and 6 have probability 0. */
    static const uint64_t threshold[] = {0, 10, 10, 10, 11, 500, 500};
    for (uint64_t x = 0; x < 500; x++) {
        uint32_t first = 0;
        while (threshold[first] <= x) first++;
        cr_assert_eq(f2l_data_weighted(threshold, 7, x), first);
    }
    /* Whatever the rounding, the greatest number finds a letter of positive probability. */
    f2l_fsa fsa;
    data_family(&fsa, "cyclic", 200, false);
    f2l_rng r;
    f2l_rng_init(&r, 22, 0); /* the seed */
    for (int k = 0; k < 100; k++) {
        double weight[200] = {0};
        const size_t used = 1 + f2l_rng_below(&r, 200);
        for (size_t a = 0; a < used; a++)
            weight[a] = ldexp((double)(1 + f2l_rng_below(&r, 1 << 30)), -(k % 40));
        f2l_data data;
        data_build(&data, &(f2l_data_options){.weight = weight, .stream = 1}, &fsa);
        cr_assert_eq(f2l_data_weighted(data.threshold, 200, UINT64_MAX >> 11), used - 1);
        for (size_t a = 0; a < 200; a++) cr_assert_eq(f2l_data_draws(&data, a), a < used);
        f2l_data_clear(&data);
    }
    f2l_fsa_clear(&fsa);
}

/* Letters, lengths and labels of S4 are as computed here from the generator and by composing
 * permutations. */
Test(data, group_words_are_as_defined)
{
    f2l_fsa s4;
    data_family(&s4, "symmetric", 4, false);
    f2l_data data;
    const f2l_data_options options = {
        .label = F2L_LABEL_STATES, .seed = 77, .stream = F2L_DATA_TEST};
    data_build(&data, &options, &s4);
    cr_assert_eq(data.letters.count, 24);
    cr_assert_eq(data.labels.count, 24);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    const uint64_t step = UINT64_C(0x300000005);
    data_fill(&batch, &data, 3, 40, step, 9, 20);
    size_t counted = 0;
    f2l_buf name;
    f2l_buf_init(&name);
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t xy[2];
        numbers(xy, 77, 2, step, 9 + i, UINT32_MAX);
        cr_assert_eq(batch.lengths[i], 3 + (uint32_t)((wide)xy[0] * 38 >> 64));
        uint32_t image[4] = {0, 1, 2, 3};
        for (uint32_t t = 0; t < batch.length; t++) {
            const size_t at = i * batch.length + t;
            if (t >= batch.lengths[i]) {
                cr_assert(batch.letter[at] == 0 && batch.label[at] == 0 && batch.mask[at] == 0);
                continue;
            }
            numbers(xy, 77, 2, step, 9 + i, t);
            cr_assert_eq(batch.letter[at], (uint32_t)((wide)xy[0] * 24 >> 64));
            for (size_t p = 0; p < 4; p++) image[p] = s4.perm[batch.letter[at] * 4 + image[p]];
            name.size = 0;
            f2l_perm_write(&name, image, 4);
            cr_assert_str_eq(f2l_names_get(&data.labels, batch.label[at]), name.data);
            cr_assert_eq(batch.mask[at], 1);
            counted++;
        }
    }
    cr_assert_eq(batch.counted, counted);
    f2l_buf_clear(&name);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_fsa_clear(&s4);
}

static void same_row(const f2l_data_batch *a, size_t i, const f2l_data_batch *b, size_t j)
{
    cr_assert_eq(a->lengths[i], b->lengths[j]);
    for (size_t t = 0; t < a->lengths[i]; t++) {
        cr_assert_eq(a->letter[i * a->length + t], b->letter[j * b->length + t]);
        cr_assert_eq(a->label[i * a->length + t], b->label[j * b->length + t]);
        cr_assert_eq(a->mask[i * a->length + t], b->mask[j * b->length + t]);
    }
}

/* Checks that a batch of 64 is the same as its pieces, made backwards in one batch object. */
static void check_split(const f2l_data *data)
{
    static const size_t piece[] = {1, 5, 16, 17, 32};
    f2l_data_batch whole, part;
    f2l_data_batch_init(&whole);
    f2l_data_batch_init(&part);
    data_fill(&whole, data, 5, 60, 12, 0, 64);
    for (size_t k = 0; k < sizeof piece / sizeof *piece; k++) {
        size_t end = 64, counted = 0;
        while (end > 0) {
            const size_t rows = end < piece[k] ? end : piece[k];
            data_fill(&part, data, 5, 60, 12, end - rows, rows);
            for (size_t i = 0; i < rows; i++) same_row(&whole, end - rows + i, &part, i);
            counted += part.counted;
            end -= rows;
        }
        cr_assert_eq(counted, whole.counted);
    }
    f2l_data_batch_clear(&whole);
    f2l_data_batch_clear(&part);
}

Test(data, a_batch_may_be_split)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, true);
    static const double weight[2] = {1, 3.5};
    static const f2l_data_options options[] = {
        {.seed = 1, .stream = 1},
        {.seed = 1, .stream = 1, .weight = weight, .tokens = 4},
        {.kind = F2L_DATA_ARITHMETIC, .modulus = 5, .times = true, .seed = 2, .stream = 1},
        {.kind = F2L_DATA_BRACKETS,
         .when = F2L_DATA_LAST,
         .modulus = 5,
         .equals = true,
         .seed = 3,
         .stream = 2},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        f2l_data data;
        data_build(&data, &options[i], options[i].modulus ? NULL : &s3);
        check_split(&data);
        f2l_data_clear(&data);
    }
    f2l_fsa_clear(&s3);
}

/* Another seed, stream, step or sequence gives other data: two words of 200 bits agree in 60 to 140
 * places. */
/* With a begin letter a batch is the batch without it behind a column of that letter, whose answer
 * counts. */
static void compare_with_begin(f2l_data_options options, const f2l_fsa *fsa, f2l_data_range range)
{
    f2l_data bare, data;
    f2l_data_batch one, two;
    f2l_data_batch_init(&one);
    f2l_data_batch_init(&two);
    data_build(&bare, &options, fsa);
    options.begin = true;
    data_build(&data, &options, fsa);
    data_fill(&one, &bare, range.shortest, range.longest, 7, 3, 20);
    data_fill(&two, &data, range.shortest, range.longest, 7, 3, 20);
    cr_assert(data.letters.count == bare.letters.count + 1 &&
              data.labels.count == bare.labels.count + 1);
    cr_assert(f2l_data_fit(&data, 77) == f2l_data_fit(&bare, 77));
    cr_assert_eq(f2l_data_chance(&data), f2l_data_chance(&bare));
    cr_assert(two.length == one.length + 1 && two.counted == one.counted + 20);
    for (size_t i = 0; i < 20; i++) {
        const size_t at = i * two.length, from = i * one.length;
        cr_assert_eq(two.lengths[i], one.lengths[i] + 1);
        cr_assert(two.letter[at] == f2l_data_begin_letter(&data) &&
                  two.letter[at] == bare.letters.count && two.label[at] == bare.labels.count &&
                  two.mask[at] == 1);
        cr_assert_arr_eq(two.letter + at + 1, one.letter + from, one.length * sizeof *one.letter);
        cr_assert_arr_eq(two.label + at + 1, one.label + from, one.length * sizeof *one.label);
        cr_assert_arr_eq(two.mask + at + 1, one.mask + from, one.length * sizeof *one.mask);
    }
    f2l_data_batch_clear(&one);
    f2l_data_batch_clear(&two);
    f2l_data_clear(&bare);
    f2l_data_clear(&data);
}

Test(data, the_begin_letter_comes_before_the_same_words)
{
    f2l_fsa s4;
    data_family(&s4, "symmetric", 4, false);
    const f2l_data_range range = {8, 40};
    compare_with_begin((f2l_data_options){.seed = 5, .stream = 1}, &s4, range);
    compare_with_begin((f2l_data_options){.seed = 5, .stream = 1, .tokens = 4}, &s4, range);
    compare_with_begin((f2l_data_options){.seed = 5, .stream = 2, .when = F2L_DATA_LAST}, &s4,
                       range);
    for (int kind = F2L_DATA_ARITHMETIC; kind <= F2L_DATA_BRACKETS; kind++)
        for (int equals = 0; equals < 2; equals++)
            compare_with_begin((f2l_data_options){.kind = (f2l_data_kind)kind,
                                                  .when = F2L_DATA_LAST,
                                                  .modulus = 5,
                                                  .times = true,
                                                  .equals = equals,
                                                  .seed = 5,
                                                  .stream = 1},
                               NULL, range);
    f2l_fsa_clear(&s4);
}

Test(data, every_coordinate_matters)
{
    f2l_fsa parity;
    data_family(&parity, "parity", 0, false);
    static const struct {
        uint32_t seed, stream;
        uint64_t step;
        size_t sequence;
    } at[] = {{0, 1, 0, 0}, {1, 1, 0, 0},          {0, 2, 0, 0}, {0, 1, 1, 0},
              {0, 1, 0, 1}, {0, 1, 1ull << 32, 0}, {0, 1, 5, 7}, {0, 1, 7, 5}};
    const size_t n = sizeof at / sizeof *at;
    f2l_data_batch batch[8];
    for (size_t i = 0; i < n; i++) {
        f2l_data data;
        const f2l_data_options options = {.seed = at[i].seed, .stream = at[i].stream};
        data_build(&data, &options, &parity);
        f2l_data_batch_init(&batch[i]);
        data_fill(&batch[i], &data, 200, 200, at[i].step, at[i].sequence, 1);
        f2l_data_clear(&data);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            size_t equal = 0;
            for (size_t t = 0; t < 200; t++) equal += batch[i].letter[t] == batch[j].letter[t];
            cr_assert(equal > 60 && equal < 140, "%zu and %zu agree in %zu of 200", i, j, equal);
        }
    for (size_t i = 0; i < n; i++) f2l_data_batch_clear(&batch[i]);
    f2l_fsa_clear(&parity);
}
