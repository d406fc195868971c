/* Data from a list of words: every word once in every epoch, ranges of lengths, the part that is
 * held out, and scores. */
#include "models/learn/data/data_curriculum.h"
#include "models/learn/data/data_evaluate.h"
#include "tests/support/train/data_support.h"
#include <inttypes.h>
#include <stdio.h>

enum { WORDS = 97, LONGEST = 9 };

static void add(f2l_word_list *words, size_t number, size_t length, bool every)
{
    f2l_error err = {0};
    size_t index, sum = 0;
    char name[8];
    for (size_t t = 0; t < length; t++, number /= 3) {
        snprintf(name, sizeof name, "%zu", number % 3);
        cr_assert(f2l_word_list_number_letter(&index, words, name, 1, &err) == F2L_OK);
        cr_assert(f2l_word_list_letter(words, index, &err) == F2L_OK);
        sum = (sum + number % 3) % 3;
        snprintf(name, sizeof name, "%zu", sum);
        cr_assert(f2l_word_list_number_label(&index, words, name, 1, &err) == F2L_OK);
        if (every || t + 1 == length)
            cr_assert(f2l_word_list_label(words, t, index, &err) == F2L_OK);
    }
    cr_assert(f2l_word_list_end(words, &err) == F2L_OK);
}

/* Words whose letters are the ternary digits of their number, and whose labels are their sums
 * modulo 3; word i has 5 + i % 5 letters. */
static void make(f2l_word_list *words, bool every)
{
    f2l_error err = {0};
    f2l_word_list_init(words);
    for (size_t i = 0; i < WORDS; i++) add(words, i, 5 + i % 5, every);
    cr_assert(f2l_word_list_finish(words, &err) == F2L_OK, "%s", err.text);
    cr_assert(words->count == WORDS && words->longest == LONGEST && words->shortest == 5);
    cr_assert(words->every == every && words->last_only == !every);
}

/* Returns the number of the word in a row. */
static size_t number_of(const f2l_data_batch *b, size_t row)
{
    size_t number = 0;
    for (size_t t = b->lengths[row]; t-- > 0;) number = 3 * number + b->letter[row * b->length + t];
    return number;
}

static void check_row(const f2l_data_batch *b, size_t row, bool every)
{
    size_t sum = 0;
    for (size_t t = 0; t < b->length; t++) {
        const size_t at = row * b->length + t, length = b->lengths[row];
        sum = (sum + (t < length ? b->letter[at] : 0)) % 3;
        const bool counts = t < length && (every || t + 1 == length);
        cr_assert(b->mask[at] == counts && b->label[at] == (counts ? sum : 0));
    }
}

Test(data_words, every_word_comes_once_in_an_epoch_in_a_new_order)
{
    f2l_word_list words;
    f2l_data data;
    f2l_data_batch batch;
    size_t seen[3][WORDS], first[3][WORDS] = {0};
    memset(seen, 0, sizeof seen);
    make(&words, true);
    f2l_data_init(&data);
    data_build(&data,
               &(f2l_data_options){.kind = F2L_DATA_WORDS,
                                   .words = &words,
                                   .batch = 10,
                                   .seed = 7,
                                   .stream = F2L_DATA_TRAIN},
               NULL);
    f2l_data_batch_init(&batch);
    for (size_t step = 0; step * 10 < 3 * WORDS; step++) {
        data_fill(&batch, &data, 1, LONGEST, step, 0, 10);
        for (size_t i = 0; i < 10 && step * 10 + i < 3 * WORDS; i++) {
            const size_t at = step * 10 + i, number = number_of(&batch, i);
            check_row(&batch, i, true);
            cr_assert(number < WORDS && batch.lengths[i] == 5 + number % 5);
            seen[at / WORDS][number]++;
            first[at / WORDS][at % WORDS] = number;
        }
    }
    for (size_t e = 0; e < 3; e++)
        for (size_t i = 0; i < WORDS; i++) cr_assert_eq(seen[e][i], 1);
    for (size_t e = 0; e < 3; e++) {
        size_t fixed = 0;
        for (size_t i = 0; i < WORDS; i++) fixed += first[e][i] == first[(e + 1) % 3][i];
        cr_assert_lt(fixed, 8, "%zu of %d words are in their places again", fixed, WORDS);
    }
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_word_list_clear(&words);
}

Test(data_words, a_batch_does_not_depend_on_how_it_is_split)
{
    f2l_word_list words;
    f2l_data data;
    f2l_data_batch whole, part;
    make(&words, false);
    f2l_data_init(&data);
    data_build(&data,
               &(f2l_data_options){.kind = F2L_DATA_WORDS,
                                   .when = F2L_DATA_LAST,
                                   .words = &words,
                                   .batch = 32,
                                   .seed = 3,
                                   .stream = F2L_DATA_TRAIN},
               NULL);
    f2l_data_batch_init(&whole);
    f2l_data_batch_init(&part);
    const uint64_t step = UINT64_C(1) << 40 | 5;
    data_fill(&whole, &data, 5, 7, step, 0, 32);
    for (size_t i = 0; i < 32; i++) {
        data_fill(&part, &data, 5, 7, step, i, 1);
        cr_assert(part.lengths[0] == whole.lengths[i] && part.lengths[0] <= 7);
        check_row(&part, 0, false);
        cr_assert_eq(number_of(&part, 0), number_of(&whole, i));
    }
    f2l_data_batch_clear(&whole);
    f2l_data_batch_clear(&part);
    f2l_data_clear(&data);
    f2l_word_list_clear(&words);
}

Test(data_words, lengths_cut_words_only_where_every_letter_has_a_label)
{
    f2l_error err = {0};
    for (size_t every = 0; every < 2; every++) {
        f2l_word_list words;
        f2l_data data;
        f2l_data_batch batch;
        make(&words, every);
        f2l_data_init(&data);
        f2l_data_batch_init(&batch);
        data_build(&data,
                   &(f2l_data_options){.kind = F2L_DATA_WORDS,
                                       .when = every ? F2L_DATA_EVERY : F2L_DATA_LAST,
                                       .words = &words,
                                       .batch = 16,
                                       .stream = F2L_DATA_TRAIN},
                   NULL);
        cr_assert_eq(f2l_data_fit(&data, 3), every ? 3 : 0);
        cr_assert_eq(f2l_data_fit(&data, 7), 7);
        cr_assert_eq(f2l_data_fit(&data, SIZE_MAX), LONGEST);
        cr_assert_eq(f2l_data_after(&data, 2), every ? 3 : 5);
        cr_assert_eq(f2l_data_after(&data, LONGEST), every ? LONGEST + 1 : LONGEST);
        const f2l_status status =
            f2l_data_batch_fill(&batch, &data, (f2l_data_range){1, 3}, 0, 0, 16, &err);
        cr_assert_eq(status, every ? F2L_OK : F2L_EDOMAIN);
        data_fill(&batch, &data, 6, 6, 1, 0, 16);
        for (size_t i = 0; i < 16; i++) cr_assert_eq(batch.lengths[i], 6);
        f2l_data_batch_clear(&batch);
        f2l_data_clear(&data);
        f2l_word_list_clear(&words);
    }
}

Test(data_words, a_curriculum_goes_through_the_lengths_that_there_are)
{
    f2l_error err = {0};
    f2l_word_list words;
    f2l_data data;
    f2l_word_list_init(&words);
    for (size_t i = 0; i < 30; i++) add(&words, i, i % 3 == 0 ? 4 : i % 3 == 1 ? 5 : 40, false);
    cr_assert(f2l_word_list_finish(&words, &err) == F2L_OK);
    f2l_data_init(&data);
    data_build(&data,
               &(f2l_data_options){.kind = F2L_DATA_WORDS,
                                   .when = F2L_DATA_LAST,
                                   .words = &words,
                                   .batch = 4,
                                   .stream = F2L_DATA_TRAIN},
               NULL);
    f2l_data_curriculum c = {.start = 4, .limit = 40, .threshold = 0.5, .shorter_too = true};
    cr_assert(f2l_data_curriculum_begin(&c, &data, &err) == F2L_OK);
    cr_assert(f2l_data_curriculum_report(&c, &data, 1) && c.length == 5);
    cr_assert(f2l_data_curriculum_report(&c, &data, 1) && c.length == 40);
    cr_assert(!f2l_data_curriculum_report(&c, &data, 1) && c.length == 40);
    cr_assert(f2l_data_curriculum_resume(&c, &data, 5, 0, &err) == F2L_OK);
    cr_assert(f2l_data_curriculum_resume(&c, &data, 6, 0, &err) == F2L_EDOMAIN);
    f2l_data_clear(&data);
    f2l_word_list_clear(&words);
}

/* Counts how often the words come in one epoch of a stream. */
static size_t count_words(size_t seen[WORDS], const f2l_word_list *words, double held_out,
                          uint32_t stream, uint32_t seed)
{
    f2l_data data;
    f2l_data_batch batch;
    f2l_data_init(&data);
    f2l_data_batch_init(&batch);
    data_build(&data,
               &(f2l_data_options){.kind = F2L_DATA_WORDS,
                                   .words = words,
                                   .held_out = held_out,
                                   .batch = 1,
                                   .seed = seed,
                                   .stream = stream},
               NULL);
    const size_t count = f2l_data_words_count(&data);
    for (size_t i = 0; i < count; i++) {
        data_fill(&batch, &data, 1, LONGEST, i, 0, 1);
        seen[number_of(&batch, 0)]++;
    }
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    return count;
}

Test(data_words, training_and_test_words_are_disjoint_whatever_the_seed)
{
    f2l_word_list words;
    size_t trained[WORDS] = {0}, tested[WORDS] = {0}, again[WORDS] = {0};
    make(&words, true);
    const size_t a = count_words(trained, &words, 0.3, F2L_DATA_TRAIN, 1);
    const size_t b = count_words(tested, &words, 0.3, F2L_DATA_TEST, 1);
    cr_assert_eq(count_words(again, &words, 0.3, F2L_DATA_TEST, 99), b);
    cr_assert(a + b == WORDS && b > 10 && b < 50, "%zu are held out", b);
    for (size_t i = 0; i < WORDS; i++) {
        cr_assert_eq(trained[i] + tested[i], 1);
        cr_assert_eq(tested[i], again[i]);
    }
    cr_assert_eq(count_words(again, &words, 0, F2L_DATA_TEST, 1), WORDS);
    f2l_word_list_clear(&words);
}

/* --- scores --- */

/* A reader that is right but for words whose letter number `wrong` is 2: there it errs. From
 * ALWAYS on it always answers wrong - ALWAYS. */
enum { ALWAYS = 1000 };
typedef struct summer {
    uint32_t sum[64];
    size_t at, wrong;
} summer;

static f2l_status begin(void *context, size_t sequences, f2l_error *err)
{
    (void)err;
    summer *s = context;
    cr_assert_leq(sequences, 64);
    memset(s->sum, 0, sizeof s->sum);
    s->at = 0;
    return F2L_OK;
}

static f2l_status read_letters(void *context, uint32_t *answer, const uint32_t *letter,
                               size_t sequences, size_t count, f2l_error *err)
{
    (void)err;
    summer *s = context;
    for (size_t i = 0; i < sequences; i++)
        for (size_t t = 0; t < count; t++) {
            const uint32_t a = letter[i * count + t];
            s->sum[i] = (s->sum[i] + a) % 3;
            answer[i * count + t] = s->at + t == s->wrong && a == 2 ? UINT32_MAX : s->sum[i];
            if (s->wrong >= ALWAYS && s->wrong < ALWAYS + 3)
                answer[i * count + t] = (uint32_t)(s->wrong - ALWAYS);
        }
    s->at += count;
    return F2L_OK;
}

static void evaluate(f2l_train_score *score, size_t scores, const f2l_data *data, size_t wrong,
                     size_t sequences)
{
    f2l_error err = {0};
    summer s = {.wrong = wrong};
    const f2l_data_reader reader = {&s, begin, read_letters};
    const f2l_data_plan plan = {.sequences = sequences, .side_by_side = 8, .chunk = 4};
    for (size_t i = 0; i < scores; i++) score[i] = (f2l_train_score){.length = score[i].length};
    cr_assert(f2l_data_evaluate(score, scores, NULL, data, &reader, &plan, NULL, &err) == F2L_OK,
              "%s", err.text);
}

Test(data_words, scores_count_every_word_once_for_each_length)
{
    for (size_t every = 0; every < 2; every++) {
        f2l_word_list words;
        f2l_data data;
        f2l_train_score score[3] = {{.length = 5}, {.length = 7}, {.length = 9}};
        make(&words, every);
        f2l_data_init(&data);
        data_build(&data,
                   &(f2l_data_options){.kind = F2L_DATA_WORDS,
                                       .when = every ? F2L_DATA_EVERY : F2L_DATA_LAST,
                                       .words = &words,
                                       .stream = F2L_DATA_TEST},
                   NULL);
        size_t want[3] = {0};
        for (size_t i = 0; i < WORDS; i++)
            for (size_t k = 0; k < 3; k++) {
                const size_t length = 5 + i % 5, limit = 5 + 2 * k, before = k ? limit - 2 : 0;
                const bool in = every ? length >= limit : length <= limit && length > before;
                want[k] += in;
            }
        evaluate(score, 3, &data, SIZE_MAX, 1000);
        for (size_t k = 0; k < 3; k++)
            cr_assert(score[k].sequences == want[k] && score[k].right_ones == want[k] &&
                          score[k].supervised == (every ? want[k] * (5 + 2 * k) : want[k]) &&
                          score[k].right == score[k].supervised,
                      "%zu %zu: %" PRIu64 " of %zu", every, k, score[k].sequences, want[k]);
        evaluate(score, 3, &data, 2, 1000); /* wrong after letter 3 where it is 2 */
        for (size_t k = 0; k < 3; k++) {
            size_t good = 0;
            for (size_t i = 0; i < WORDS; i++) {
                const size_t length = 5 + i % 5, limit = 5 + 2 * k, before = k ? limit - 2 : 0;
                const bool in = every ? length >= limit : length <= limit && length > before;
                good += in && !(every && i / 9 % 3 == 2);
            }
            cr_assert_eq(score[k].right_ones, good);
        }
        uint64_t best[3] = {0}; /* of the three constant answers */
        for (size_t label = 0; label < 3; label++) {
            evaluate(score, 3, &data, ALWAYS + label, 1000);
            for (size_t k = 0; k < 3; k++)
                if (score[k].right > best[k]) best[k] = score[k].right;
        }
        for (size_t k = 0; k < 3; k++)
            cr_assert_eq(score[k].constant, best[k], "%zu %zu: %" PRIu64 " %" PRIu64, every, k,
                         score[k].constant, best[k]);
        evaluate(score, 3, &data, SIZE_MAX, 4); /* four words of each length at most */
        cr_assert_eq(score[2].sequences, every ? 4 : 8);
        f2l_data_clear(&data);
        f2l_word_list_clear(&words);
    }
}

/* --- what is refused --- */

static f2l_status refuse(const f2l_data_options *options, f2l_error *err)
{
    f2l_data data;
    f2l_data_init(&data);
    const f2l_status status = f2l_data_build(&data, options, NULL, err);
    cr_assert(status == F2L_OK || data.part == NULL);
    f2l_data_clear(&data);
    return status;
}

Test(data_words, refuses_what_is_no_data)
{
    f2l_error err = {0};
    f2l_word_list words, other, empty;
    make(&words, true);
    f2l_word_list_init(&other);
    add(&other, 1, 2, true);
    cr_assert(f2l_word_list_finish(&other, &err) == F2L_OK);
    f2l_word_list_init(&empty);
    cr_assert(f2l_word_list_end(&empty, &err) == F2L_OK);
    cr_assert(f2l_word_list_finish(&empty, &err) == F2L_EDOMAIN && empty.left_out == 1);
    f2l_data_options o = {.kind = F2L_DATA_WORDS, .stream = F2L_DATA_TRAIN};
    cr_assert_eq(refuse(&o, &err), F2L_EDOMAIN);
    o.words = &words;
    cr_assert_eq(refuse(&o, &err), F2L_OK);
    o.held_out = 1;
    cr_assert_eq(refuse(&o, &err), F2L_EDOMAIN);
    o.held_out = 1e-9;
    o.stream = F2L_DATA_TEST;
    cr_assert(refuse(&o, &err) == F2L_EDOMAIN && strstr(err.text, "held out"));
    o.held_out = 0;
    o.test = &other;
    cr_assert(refuse(&o, &err) == F2L_EDOMAIN && strstr(err.text, "other letters"));
    f2l_word_list_clear(&words);
    f2l_word_list_clear(&other);
    f2l_word_list_clear(&empty);
}

Test(data_words, names_are_numbered_by_value_or_by_bytes)
{
    f2l_error err = {0};
    static const char *const text[2][4] = {{"10", "9", "0", "100"}, {"b", "10", "9", "a"}};
    static const char *const order[2][4] = {{"0", "9", "10", "100"}, {"10", "9", "a", "b"}};
    for (size_t k = 0; k < 2; k++) {
        f2l_word_list words;
        size_t index;
        f2l_word_list_init(&words);
        for (size_t i = 0; i < 4; i++) {
            const char *name = text[k][i];
            cr_assert(f2l_word_list_number_letter(&index, &words, name, strlen(name), &err) ==
                      F2L_OK);
            cr_assert(f2l_word_list_letter(&words, index, &err) == F2L_OK);
        }
        cr_assert(f2l_word_list_number_label(&index, &words, "x", 1, &err) == F2L_OK);
        cr_assert(f2l_word_list_label(&words, 3, index, &err) == F2L_OK);
        cr_assert(f2l_word_list_end(&words, &err) == F2L_OK);
        cr_assert(f2l_word_list_finish(&words, &err) == F2L_OK);
        for (size_t i = 0; i < 4; i++) {
            cr_assert_str_eq(f2l_names_get(&words.letters, i), order[k][i]);
            const uint32_t letter = f2l_word_list_letter_at(&words, 0, i);
            cr_assert_str_eq(f2l_names_get(&words.letters, letter), text[k][i]);
        }
        f2l_word_list_clear(&words);
    }
}

/* More than 255 and more than 65,535 names, which take 2 and 4 bytes for each letter. */
Test(data_words, cells_are_as_wide_as_the_names_need)
{
    f2l_error err = {0};
    f2l_word_list words;
    char name[16];
    size_t index;
    f2l_word_list_init(&words);
    for (size_t i = 0; i < 70000; i++) {
        const int size = snprintf(name, sizeof name, "%zu", (i * 7919) % 70000);
        cr_assert(f2l_word_list_number_letter(&index, &words, name, (size_t)size, &err) == F2L_OK);
        cr_assert(f2l_word_list_letter(&words, index, &err) == F2L_OK);
        cr_assert(f2l_word_list_number_label(&index, &words, name, (size_t)size, &err) == F2L_OK);
        cr_assert(f2l_word_list_label(&words, i % 10, index, &err) == F2L_OK);
        if (i % 10 == 9) cr_assert(f2l_word_list_end(&words, &err) == F2L_OK);
    }
    cr_assert(f2l_word_list_finish(&words, &err) == F2L_OK);
    cr_assert(words.letter.width == 4 && words.label.width == 4);
    for (size_t i = 0; i < 70000; i++) {
        uint32_t label;
        cr_assert_eq(f2l_word_list_letter_at(&words, i / 10, i % 10), (i * 7919) % 70000);
        cr_assert(f2l_word_list_label_at(&label, &words, i / 10, i % 10));
        cr_assert_eq(label, (i * 7919) % 70000);
    }
    f2l_word_list_clear(&words);
}
