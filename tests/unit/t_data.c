/* Training data of automata: every number against the definition in f2l_data.h, and statistics. */
#include "data_support.h"
#include "f2l_data_impl.h"
#include "f2l_perm.h"
#include "fsa_text.h"

__extension__ typedef unsigned __int128 wide;

/* x and y of a position, straight from the generator. */
static void numbers(uint64_t xy[2], uint32_t seed, uint32_t stream, uint64_t step, uint32_t sequence,
                    uint32_t position)
{
    const uint32_t key[2] = {seed, stream}, counter[4] = {position, sequence, (uint32_t)(step % 4294967296u),
                                                          (uint32_t)(step / 4294967296u)};
    uint32_t b[4];
    f2l_philox(b, counter, key);
    xy[0] = b[0] + 4294967296u * (uint64_t)b[1];
    xy[1] = b[2] + 4294967296u * (uint64_t)b[3];
}

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
    /* Letters 0, 2, 3 and 6 cannot come. */
    static const uint64_t threshold[] = {0, 10, 10, 10, 11, 500, 500};
    for (uint64_t x = 0; x < 500; x++) {
        uint32_t first = 0;
        while (threshold[first] <= x) first++;
        cr_assert_eq(f2l_data_weighted(threshold, 7, x), first);
    }
    /* Whatever the rounding, the greatest number finds a letter that may come. */
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

/* Letters, lengths and labels of S4, computed here from the generator and by composing permutations. */
Test(data, group_words_are_as_defined)
{
    f2l_fsa s4;
    data_family(&s4, "symmetric", 4, false);
    f2l_data data;
    const f2l_data_options options = {.label = F2L_LABEL_STATES, .seed = 77, .stream = F2L_DATA_TEST};
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

/* One batch of 64, and the same in pieces, backwards, one batch object for all. */
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

/* Any other seed, stream, step or sequence is other data: two words of 200 bits agree in 60 to 140 places. */
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

/* Letters; a letter with the one before it, with that of the sequence before and with that of the step before. */
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
    for (size_t a = 0; a < pairs; a++) product[a] = probability[a / letters] * probability[a % letters];
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

Test(data, letters_follow_their_weights)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    static const double weight[][6] = {
        {1, 1, 1, 1, 1, 1}, {0, 2, 0, 1, 0.5, 0}, {3, 0, 0, 0, 0, 1e-3}, {1e308, 1e308, 1e308, 0, 0, 1e308}};
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

Test(data, lengths_are_uniform_among_the_possible)
{
    f2l_data data;
    const f2l_data_options options = {
        .kind = F2L_DATA_ARITHMETIC, .modulus = 5, .times = true, .equals = true, .seed = 6, .stream = 1};
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

/* Of the 120 permutations of 5 points 10 are swaps, 20 cycles of three points, 30 of four and 24 of five; the 15 double
 * swaps and 20 swaps with a cycle of three move at most five points too, but are no cycles. */
Test(data, cycles_of_limited_length)
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

/* Four tokens per transition: the letters at multiples of four are those that the same words have elsewhere, the rest is
 * padding, and the answer comes with the fourth. */
Test(data, several_tokens_per_transition)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "fsa 1\nletters pad b pad2\nstates s t\nstart s\naccept t\ns pad t\nt pad s\n"
                        "s b s\nt b t\ns pad2 t\nt pad2 t\n");
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

Test(data, parity_of_the_last_letter)
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
            ones += strcmp(f2l_names_get(&data.letters, batch.letter[i * batch.length + t]), "1") == 0;
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

Test(data, outputs_as_answers)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "fsa 1\nletters a\nstates p q r\nstart p\noutput p x\noutput q y\noutput r x\n"
                        "p a q\nq a r\nr a p\n");
    f2l_data data;
    data_build(&data, &(f2l_data_options){.label = F2L_LABEL_OUTPUTS, .stream = 1}, &fsa);
    cr_assert_eq(data.labels.count, 2);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, 7, 7, 0, 0, 1);
    static const char *const wanted[] = {"y", "x", "x", "y", "x", "x", "y"};
    for (size_t t = 0; t < 7; t++) cr_assert_str_eq(f2l_names_get(&data.labels, batch.label[t]), wanted[t]);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}

/* Computed once by another program, in another language, from the definition: what is drawn must never change, or runs
 * of different versions would not be comparable. */
static void known(const f2l_data_options *options, const f2l_fsa *fsa, size_t sequence,
                  const char *const *letter, size_t letters, const char *last)
{
    f2l_data data;
    f2l_data_options at = *options;
    at.seed = 2024;
    at.stream = F2L_DATA_TRAIN;
    data_build(&data, &at, fsa);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, letters, letters, UINT64_C(0x100000007), sequence, 1);
    for (size_t t = 0; t < letters; t++)
        cr_assert_str_eq(f2l_names_get(&data.letters, batch.letter[t]), letter[t], "letter %zu", t);
    if (last) cr_assert_str_eq(f2l_names_get(&data.labels, batch.label[letters - 1]), last);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
}

static void known_expression(f2l_data_kind kind, size_t sequence, const char *expression, const char *value)
{
    char name[21][2] = {0};
    const char *letter[21];
    for (size_t t = 0; t < 21; t++) {
        name[t][0] = expression[t];
        letter[t] = name[t];
    }
    known(&(f2l_data_options){.kind = kind, .when = F2L_DATA_LAST, .modulus = 5, .times = true}, NULL,
          sequence, letter, 21, value);
}

Test(data, known_answers)
{
    f2l_fsa z120, z6;
    data_family(&z120, "cyclic", 120, false);
    data_family(&z6, "cyclic", 6, false);
    static const char *const uniform[] = {"32", "14", "15", "28", "101", "61",
                                          "53", "51", "25", "6",  "117", "3"};
    static const char *const weighted[] = {"2", "1", "1", "2", "5", "4", "3", "3", "2", "1", "5", "0"};
    static const double weight[] = {1, 2, 3, 4, 5, 6};
    known(&(f2l_data_options){0}, &z120, 3, uniform, 12, "26"); /* the sum is 506 */
    known(&(f2l_data_options){.weight = weight}, &z6, 3, weighted, 12, "5");
    known_expression(F2L_DATA_ARITHMETIC, 5, "3+0*4*4-4+3-3+0*0+2*2", "3");
    known_expression(F2L_DATA_ARITHMETIC, 9, "0*4*0+0+0+4-1-3*0+3-2", "4");
    known_expression(F2L_DATA_BRACKETS, 5, "((-4+(-3*0))-(0-(0)))", "1");
    known_expression(F2L_DATA_BRACKETS, 4, "(-0+((0--2)*(4+(2))))", "2");
    f2l_data data;
    data_build(&data, &(f2l_data_options){.seed = 2024, .stream = F2L_DATA_TRAIN}, &z6);
    cr_assert_eq(f2l_data_length(&data, (f2l_data_range){3, 40}, UINT64_C(0x100000007), 3), 29);
    f2l_data_clear(&data);
    f2l_fsa_clear(&z120);
    f2l_fsa_clear(&z6);
}

static void refused(const f2l_data_options *options, const f2l_fsa *fsa, const char *says)
{
    f2l_data data;
    f2l_data_init(&data);
    f2l_error err = {0};
    cr_assert_eq(f2l_data_build(&data, options, fsa, &err), F2L_EDOMAIN, "%s", says);
    cr_assert(strstr(err.text, says), "`%s` lacks `%s`", err.text, says);
    cr_assert(data.letters.count == 0 && data.answer == NULL && data.threshold == NULL);
    f2l_data_clear(&data);
}

Test(data, bad_options_are_refused)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "fsa 1\nletters a b\nstates p q\nstart p\np a q\nq a p\np b p\nq b q\n");
    static const double bad[][2] = {{-1, 2}, {NAN, 1}, {1, INFINITY}, {0, 0}, {1, -0x1p-1074}};
    for (size_t i = 0; i < 5; i++)
        refused(&(f2l_data_options){.weight = bad[i], .stream = 1}, &fsa, "weight");
    refused(&(f2l_data_options){.stream = 0}, &fsa, "numbered from 1");
    refused(&(f2l_data_options){.stream = 1}, NULL, "no automaton");
    refused(&(f2l_data_options){.label = F2L_LABEL_ACCEPT, .stream = 1}, &fsa, "accept");
    refused(&(f2l_data_options){.label = F2L_LABEL_OUTPUTS, .stream = 1}, &fsa, "output");
    refused(&(f2l_data_options){.tokens = UINT32_MAX, .stream = 1}, &fsa, "too many");
    refused(&(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 1, .stream = 1}, NULL, "2..1000");
    refused(&(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 1001, .stream = 1}, NULL, "2..1000");
    refused(&(f2l_data_options){.kind = F2L_DATA_BRACKETS, .modulus = 5, .stream = 1}, NULL, "last letter");
    f2l_data data;
    data_build(&data, &(f2l_data_options){.tokens = 3, .stream = 1}, &fsa);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    f2l_error err = {0};
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){4, 5}, 0, 0, 1, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){3, 6}, 0, 0, 0, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){3, 6}, 0, UINT32_MAX, 1, &err),
                 F2L_EDOMAIN);
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){3, 6}, 0, SIZE_MAX, 2, &err),
                 F2L_EDOMAIN);
    f2l_data_stream stream;
    f2l_data_stream_init(&stream);
    cr_assert_eq(f2l_data_stream_start(&stream, &data, 0, 0, 4, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_stream_start(&stream, &data, 0, 0, 0, &err), F2L_EDOMAIN);
    f2l_data_stream_clear(&stream);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}

static void describe(f2l_buf *out, const f2l_data_options *options, const f2l_fsa *fsa)
{
    f2l_data data;
    data_build(&data, options, fsa);
    f2l_error err = {0};
    f2l_buf_init(out);
    cr_assert_eq(f2l_data_describe(out, &data, &err), F2L_OK);
    f2l_data_clear(&data);
}

Test(data, descriptions_tell_data_apart)
{
    f2l_fsa s3, s4;
    data_family(&s3, "symmetric", 3, true);
    data_family(&s4, "symmetric", 4, true);
    static const double one[2] = {1, 2}, same[2] = {2, 4}, other[2] = {2, 1};
    const f2l_data_options options[] = {
        {.seed = 1, .stream = 1},
        {.seed = 2, .stream = 1},
        {.seed = 1, .stream = 2},
        {.seed = 1, .stream = 1, .when = F2L_DATA_LAST},
        {.seed = 1, .stream = 1, .label = F2L_LABEL_ACCEPT},
        {.seed = 1, .stream = 1, .tokens = 2},
        {.seed = 1, .stream = 1, .weight = one},
        {.seed = 1, .stream = 1, .weight = other},
        {.seed = 1, .stream = 1, .kind = F2L_DATA_ARITHMETIC, .modulus = 5},
        {.seed = 1, .stream = 1, .kind = F2L_DATA_ARITHMETIC, .modulus = 7},
        {.seed = 1, .stream = 1, .kind = F2L_DATA_ARITHMETIC, .modulus = 5, .times = true},
        {.seed = 1, .stream = 1, .kind = F2L_DATA_ARITHMETIC, .modulus = 5, .equals = true},
        {.seed = 1, .stream = 1, .kind = F2L_DATA_BRACKETS, .modulus = 5, .when = F2L_DATA_LAST},
    };
    enum { N = sizeof options / sizeof *options };
    f2l_buf text[N], again;
    for (size_t i = 0; i < N; i++) {
        const f2l_fsa *fsa = options[i].modulus ? NULL : &s3;
        describe(&text[i], &options[i], fsa);
        for (size_t j = 0; j < i; j++) cr_assert_str_neq(text[i].data, text[j].data);
        if (fsa == NULL) continue;
        describe(&again, &options[i], &s4);
        cr_assert_str_neq(again.data, text[i].data);
        f2l_buf_clear(&again);
    }
    describe(&again, &(f2l_data_options){.seed = 1, .stream = 1, .weight = same}, &s3);
    cr_assert_str_eq(again.data, text[6].data, "weights are relative");
    f2l_buf_clear(&again);
    for (size_t i = 0; i < N; i++) f2l_buf_clear(&text[i]);
    f2l_fsa_clear(&s3);
    f2l_fsa_clear(&s4);
}

#ifdef F2L_MEM_FAILURES
/* Every single allocation fails once; each time all is cleared, and the next attempt goes further. */
static size_t failures(const f2l_data_options *options, const f2l_fsa *fsa)
{
    for (size_t n = 1;; n++) {
        f2l_data data;
        f2l_data_batch batch;
        f2l_data_init(&data);
        f2l_data_batch_init(&batch);
        f2l_error err = {0};
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_data_build(&data, options, fsa, &err);
        if (status == F2L_OK)
            status = f2l_data_batch_fill(&batch, &data, (f2l_data_range){2000, 2004}, 0, 0, 3, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%s", err.text);
        f2l_data_batch_clear(&batch);
        f2l_data_clear(&data);
        if (status == F2L_OK) return n - 1;
    }
}

Test(data, memory_failures)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, true);
    static const double weight[2] = {1, 2};
    cr_assert_gt(failures(&(f2l_data_options){.weight = weight, .tokens = 2, .stream = 1}, &s3), 8);
    cr_assert_gt(failures(&(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 5, .stream = 1}, NULL),
                 8);
    const f2l_data_options brackets = {
        .kind = F2L_DATA_BRACKETS, .when = F2L_DATA_LAST, .modulus = 5, .times = true, .stream = 1};
    cr_assert_gt(failures(&brackets, NULL), 9);
    f2l_fsa_clear(&s3);
}
#endif
