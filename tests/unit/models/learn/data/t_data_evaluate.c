/* Evaluation letter by letter, and the curriculum. */
#include "models/learn/data/data_curriculum.h"
#include "models/learn/data/data_evaluate.h"
#include "tests/support/train/data_support.h"
#include <malloc.h>

/* A reader that runs the automaton and can be told to fail. */
typedef struct runner {
    const f2l_fsa *fsa;
    uint32_t state[64];
    size_t sequence[64], position; /* sequences in the order in which they come */
    size_t begun, sequences_seen, letters_read, calls;
    bool (*errs)(size_t sequence, size_t position); /* 0-based */
    f2l_status fails;
    uint32_t word[512]; /* the first eight letters of each sequence, as digits */
    size_t heap;        /* greatest number of bytes in use at a call */
} runner;

static f2l_status begin(void *context, size_t sequences, f2l_error *err)
{
    (void)err;
    runner *r = context;
    cr_assert_leq(sequences, 64);
    for (size_t i = 0; i < sequences; i++) {
        r->state[i] = (uint32_t)r->fsa->start;
        r->sequence[i] = r->sequences_seen++;
    }
    r->position = 0;
    r->begun++;
    return F2L_OK;
}

static f2l_status read_letters(void *context, uint32_t *answer, const uint32_t *letter,
                               size_t sequences, size_t count, f2l_error *err)
{
    runner *r = context;
    if (r->fails != F2L_OK) return f2l_fail(err, r->fails, "the reader is tired");
    for (size_t i = 0; i < sequences; i++)
        for (size_t t = 0; t < count; t++) {
            if (letter[i * count + t] == r->fsa->letters.count) { /* the begin letter */
                cr_assert(r->position == 0 && t == 0);
                answer[i * count + t] = UINT32_MAX;
                continue;
            }
            r->state[i] = r->fsa->next[r->state[i] * r->fsa->letters.count + letter[i * count + t]];
            uint32_t *word = &r->word[r->sequence[i] % 512];
            if (r->position + t < 8) *word = *word * 2 + letter[i * count + t] % 2;
            const bool wrong = r->errs && r->errs(r->sequence[i], r->position + t);
            answer[i * count + t] = wrong ? UINT32_MAX : r->state[i];
        }
    r->position += count;
    r->letters_read += sequences * count;
    const size_t heap = mallinfo2().uordblks;
    if (heap > r->heap) r->heap = heap;
    r->calls++;
    return F2L_OK;
}

static void evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                     const f2l_data *data, runner *r, const f2l_data_plan *plan)
{
    f2l_error err = {0};
    for (size_t i = 0; i < scores; i++) score[i] = (f2l_train_score){.length = score[i].length};
    const f2l_data_reader reader = {r, begin, read_letters};
    cr_assert(f2l_data_evaluate(score, scores, wrong, data, &reader, plan, NULL, &err) == F2L_OK,
              "%s", err.text);
}

/* On a million letters of S3 an exact reader is right everywhere, and the heap is hardly larger
 * than for a thousand. */
Test(data_evaluate, a_million_letters)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    f2l_data data;
    data_build(&data, &(f2l_data_options){.seed = 3, .stream = F2L_DATA_TEST}, &s3);
    size_t heap = 0;
    for (int k = 0; k < 2; k++) {
        f2l_train_score score[3] = {{.length = 64}, {.length = 1000}, {.length = 1000000}};
        runner r = {.fsa = &s3};
        f2l_data_wrong wrong = {.length = 99};
        evaluate(score, k == 0 ? 2 : 3, &wrong, &data, &r, &(f2l_data_plan){.sequences = 3});
        cr_assert_eq(wrong.length, 0);
        for (int i = 0; i < (k == 0 ? 2 : 3); i++) {
            cr_assert(score[i].sequences == 3 && score[i].right_ones == 3);
            cr_assert(score[i].supervised == 3 * score[i].length &&
                      score[i].right == score[i].supervised);
            cr_assert_float_eq(score[i].chance, 1.0 / 6, 1e-15);
            cr_assert_float_eq(f2l_train_scaled_accuracy(&score[i]), 1, 1e-15);
        }
        cr_assert_eq(r.letters_read, k == 0 ? 3000 : 3000000);
        if (k == 0) heap = r.heap;
        cr_assert_leq(r.heap, heap + 4096); /* the allocator may keep freed memory */
    }
    f2l_data_clear(&data);
    f2l_fsa_clear(&s3);
}

/* Returns whether sequence i has an error at the position: at the letters i^2 and i^2 + 7 alone,
 * counted from 1, and never in sequence 0. */
static bool at_squares(size_t sequence, size_t position)
{
    return sequence > 0 &&
           (position + 1 == sequence * sequence || position + 1 == sequence * sequence + 7);
}

/* Errors are counted at their letters however the work is divided. */
Test(data_evaluate, errors_are_counted_where_they_are)
{
    static const size_t side[] = {1, 3, 10, 64, 0}, chunk[] = {1, 7, 64, 1000, 0};
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    f2l_data data;
    data_build(&data, &(f2l_data_options){.seed = 3, .stream = F2L_DATA_TEST}, &s3);
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 5; b++) {
            f2l_train_score score[4] = {
                {.length = 3}, {.length = 20}, {.length = 21}, {.length = 150}};
            runner r = {.fsa = &s3, .errs = at_squares};
            f2l_data_wrong first = {.length = 0};
            const f2l_data_plan plan = {.sequences = 10,
                                        .side_by_side = side[a],
                                        .chunk = chunk[b],
                                        .jobs = (unsigned)((a + 2 * b) % 5)};
            evaluate(score, 4, &first, &data, &r, &plan);
            cr_assert(first.length == 1 && first.sequence == 1 && first.whole == 150);
            for (size_t i = 0; i < 4; i++) {
                size_t wrong = 0, right_ones = 0;
                for (size_t s = 0; s < 10; s++) {
                    const size_t length = score[i].length, q = s * s;
                    wrong += s > 0 ? (q <= length) + (q + 7 <= length) : 0;
                    right_ones += s == 0 || q > length;
                }
                cr_assert(score[i].sequences == 10 && score[i].right_ones == right_ones);
                cr_assert(score[i].supervised == 10 * score[i].length);
                cr_assert_eq(score[i].right, score[i].supervised - wrong);
            }
        }
    f2l_data_clear(&data);
    f2l_fsa_clear(&s3);
}

/* A reader that reads the begin letter gets the same words, lengths and scores, whether its answer
 * to that letter is right or not. */
Test(data_evaluate, the_begin_letter_is_read_and_not_scored)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    for (int begin = 0; begin < 2; begin++) {
        f2l_data data;
        data_build(&data, &(f2l_data_options){.begin = begin, .seed = 3, .stream = F2L_DATA_TEST},
                   &s3);
        f2l_train_score score[2] = {{.length = 3}, {.length = 150}};
        runner r = {.fsa = &s3};
        f2l_data_wrong wrong = {.length = 99};
        const f2l_data_plan plan = {.sequences = 10, .side_by_side = 4, .chunk = 7, .jobs = 3};
        evaluate(score, 2, &wrong, &data, &r, &plan);
        cr_assert_eq(wrong.length, 0);
        cr_assert_eq(r.letters_read, 10 * (150 + (size_t)begin));
        for (size_t i = 0; i < 2; i++) {
            cr_assert(score[i].right_ones == 10 && score[i].supervised == 10 * score[i].length);
            cr_assert_float_eq(score[i].chance, 1.0 / 6, 1e-15);
        }
        f2l_data_clear(&data);
    }
    f2l_fsa_clear(&s3);
}

static bool after_thirty(size_t sequence, size_t position)
{
    return sequence % 2 && position + 1 > 30;
}

/* Only the last answer counts: every length has separate sequences, and earlier wrong answers have
 * no effect. */
Test(data_evaluate, the_last_letter_alone)
{
    f2l_fsa parity;
    data_family(&parity, "parity", 0, false);
    f2l_data data;
    data_build(&data,
               &(f2l_data_options){.when = F2L_DATA_LAST, .seed = 3, .stream = F2L_DATA_TEST},
               &parity);
    f2l_train_score score[3] = {{.length = 10}, {.length = 30}, {.length = 31}};
    runner r = {.fsa = &parity, .errs = after_thirty};
    f2l_data_wrong wrong = {.length = 0};
    evaluate(score, 3, &wrong, &data, &r, &(f2l_data_plan){.sequences = 100, .side_by_side = 32});
    static const size_t right[] = {100, 100, 50};
    for (size_t i = 0; i < 3; i++) {
        cr_assert(score[i].sequences == 100 && score[i].supervised == 100);
        cr_assert(score[i].right == right[i] && score[i].right_ones == right[i]);
    }
    cr_assert_float_eq(f2l_train_scaled_accuracy(&score[2]), 0, 1e-15);
    cr_assert_eq(wrong.length, 31);
    cr_assert_eq(r.sequences_seen, 300);
    cr_assert_eq(r.letters_read, 7100);
    /* Different lengths, and groups that are read at the same time, have different words. */
    for (size_t s = 100; s < 300; s += 100)
        cr_assert(memcmp(r.word, r.word + s, 100 * sizeof *r.word) != 0);
    for (size_t s = 32; s < 96; s += 32)
        cr_assert(memcmp(r.word, r.word + s, 32 * sizeof *r.word) != 0);
    f2l_data_clear(&data);
    f2l_fsa_clear(&parity);
}

static f2l_status ready(void *context, size_t sequences, f2l_error *err)
{
    (void)context, (void)sequences, (void)err;
    return F2L_OK;
}

/* Answers 0 to every letter. */
static f2l_status say_zero(void *context, uint32_t *answer, const uint32_t *letter,
                           size_t sequences, size_t count, f2l_error *err)
{
    (void)context, (void)letter, (void)err;
    memset(answer, 0, sequences * count * sizeof *answer);
    return F2L_OK;
}

/* Returns how often the most frequent label occurs where answers count, in sequences drawn as a
 * whole. */
static uint64_t most_frequent(const f2l_data *data, uint64_t step, size_t drawn, size_t length,
                              size_t sequences)
{
    uint64_t count[64] = {0}, most = 0;
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    cr_assert_eq(
        f2l_data_batch_fill(&batch, data, (f2l_data_range){drawn, drawn}, step, 0, sequences, NULL),
        F2L_OK);
    for (size_t i = 0; i < sequences * drawn; i++)
        if (batch.mask[i] && i % drawn < length) count[batch.label[i]]++;
    for (size_t k = 0; k < 64; k++)
        if (count[k] > most) most = count[k];
    f2l_data_batch_clear(&batch);
    return most;
}

/* The best constant answer, where every answer counts and where the last one does, whatever the
 * pieces; with brackets and * the answer 0 is more frequent than others. */
Test(data_evaluate, the_best_constant_answer)
{
    static const size_t side[] = {1, 7, 64}, chunk[] = {1, 64, 1000};
    f2l_fsa s3;
    f2l_data every, last;
    data_family(&s3, "symmetric", 3, false);
    data_build(&every, &(f2l_data_options){.seed = 3, .stream = F2L_DATA_TEST}, &s3);
    data_build(&last,
               &(f2l_data_options){.kind = F2L_DATA_BRACKETS,
                                   .when = F2L_DATA_LAST,
                                   .modulus = 5,
                                   .times = true,
                                   .seed = 3,
                                   .stream = F2L_DATA_TEST},
               NULL);
    for (size_t a = 0; a < 9; a++) {
        f2l_train_score score[3] = {{.length = 5}, {.length = 64}, {.length = 150}};
        const f2l_data_plan plan = {.sequences = 100,
                                    .side_by_side = side[a / 3],
                                    .chunk = chunk[a % 3],
                                    .jobs = (unsigned)(a % 4)};
        runner r = {.fsa = &s3};
        evaluate(score, 3, NULL, &every, &r, &plan);
        for (size_t i = 0; i < 3; i++)
            cr_assert_eq(score[i].constant, most_frequent(&every, 0, 150, score[i].length, 100));
        for (size_t i = 0; i < 3; i++) score[i] = (f2l_train_score){.length = score[i].length};
        cr_assert_eq(f2l_data_evaluate(score, 3, NULL, &last,
                                       &(f2l_data_reader){NULL, ready, say_zero}, &plan, NULL,
                                       NULL),
                     F2L_OK);
        for (size_t i = 0; i < 3; i++) {
            cr_assert_eq(score[i].constant,
                         most_frequent(&last, i, score[i].length, score[i].length, 100));
            cr_assert(i == 0 ? score[i].constant >= score[i].right
                             : score[i].constant == score[i].right); /* 0, in long words */
        }
        cr_assert(f2l_train_constant_accuracy(&score[2]) > 0.25);
    }
    f2l_data_clear(&every);
    f2l_data_clear(&last);
    f2l_fsa_clear(&s3);
}

Test(data_evaluate, refusals_and_stops)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    f2l_data data;
    data_build(&data, &(f2l_data_options){.stream = F2L_DATA_TEST}, &s3);
    runner r = {.fsa = &s3};
    const f2l_data_reader reader = {&r, begin, read_letters};
    const f2l_data_plan plan = {.sequences = 2};
    f2l_error err = {0};
    f2l_train_score down[2] = {{.length = 8}, {.length = 8}}, none[1] = {{.length = 0}},
                    one[1] = {{.length = 8}};
    cr_assert_eq(f2l_data_evaluate(down, 2, NULL, &data, &reader, &plan, NULL, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_evaluate(none, 1, NULL, &data, &reader, &plan, NULL, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_evaluate(one, 0, NULL, &data, &reader, &plan, NULL, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_evaluate(one, 1, NULL, &data, &reader, &(f2l_data_plan){0}, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_eq(r.begun, 0);
    volatile sig_atomic_t cancel = 15;
    const f2l_task task = {.cancel = &cancel};
    cr_assert_eq(f2l_data_evaluate(one, 1, NULL, &data, &reader, &plan, &task, &err), F2L_UNKNOWN);
    cr_assert_eq(r.calls, 0);
    r.fails = F2L_EDOMAIN;
    cr_assert_eq(f2l_data_evaluate(one, 1, NULL, &data, &reader, &plan, NULL, &err), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "the reader is tired");
    r.fails = F2L_OK;
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        one[0] = (f2l_train_score){.length = 8};
        f2l_mem_fail_after(n, false);
        const f2l_status status =
            f2l_data_evaluate(one, 1, NULL, &data, &reader, &plan, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert_eq(status, n <= 8 ? F2L_ENOMEM : F2L_OK);
        if (status == F2L_OK) break;
    }
#endif
    f2l_data_clear(&data);
    f2l_fsa_clear(&s3);
}

static f2l_data_curriculum begun(const f2l_data *data, f2l_data_curriculum c)
{
    f2l_error err = {0};
    cr_assert(f2l_data_curriculum_begin(&c, data, &err) == F2L_OK, "%s", err.text);
    return c;
}

Test(data_curriculum, grows_by_quarters)
{
    static const size_t wanted[] = {5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 64};
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, false);
    f2l_data data;
    data_build(&data, &(f2l_data_options){.stream = 1}, &s3);
    f2l_data_curriculum c =
        begun(&data, (f2l_data_curriculum){.start = 4, .limit = 64, .threshold = 0.9});
    cr_assert_not(f2l_data_curriculum_report(&c, &data, 0.9), "the threshold must be exceeded");
    cr_assert_not(f2l_data_curriculum_report(&c, &data, NAN));
    cr_assert_eq(c.length, 4);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        cr_assert(f2l_data_curriculum_report(&c, &data, 0.91));
        cr_assert_eq(c.length, wanted[i]);
        const f2l_data_range range = f2l_data_curriculum_range(&c, &data);
        cr_assert(range.shortest == wanted[i] && range.longest == wanted[i]);
        cr_assert_not(f2l_data_curriculum_report(&c, &data, 0.5));
    }
    cr_assert_not(f2l_data_curriculum_report(&c, &data, 1));
    cr_assert_eq(c.length, 64);
    c.shorter_too = true;
    cr_assert_eq(f2l_data_curriculum_range(&c, &data).shortest, 1);
    f2l_data_clear(&data);
    f2l_fsa_clear(&s3);
}

/* Patience, lengths some of which are not possible, and resuming from a checkpoint. */
Test(data_curriculum, patience_and_resuming)
{
    f2l_data data;
    const f2l_data_options options = {.kind = F2L_DATA_ARITHMETIC, .modulus = 5, .stream = 1};
    data_build(&data, &options, NULL);
    const f2l_data_curriculum fresh = {.start = 4, .limit = 40, .threshold = 0.9, .patience = 3};
    f2l_data_curriculum c = begun(&data, fresh), other;
    cr_assert(c.length == 3 && c.limit == 39);
    f2l_error err = {0};
    for (size_t k = 0; k < 200; k++) {
        const double accuracy = k % 5 == 4 ? 0.1 : 1;
        other = begun(&data, fresh);
        cr_assert_eq(f2l_data_curriculum_resume(&other, &data, c.length, c.streak, &err), F2L_OK);
        const size_t length = c.length;
        const bool grew = f2l_data_curriculum_report(&c, &data, accuracy);
        cr_assert_eq(f2l_data_curriculum_report(&other, &data, accuracy), grew);
        cr_assert(other.length == c.length && other.streak == c.streak);
        cr_assert_eq(grew, length < 39 && k % 5 == 2, "step %zu", k);
        cr_assert(c.length % 2 == 1 && c.length >= length && (c.length > length) == grew);
    }
    cr_assert_eq(c.length, 39);
    cr_assert_eq(f2l_data_curriculum_resume(&c, &data, 8, 0, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_curriculum_resume(&c, &data, 41, 0, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_curriculum_resume(&c, &data, 3, 3, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_data_curriculum_resume(&c, &data, 1, 0, &err), F2L_EDOMAIN);
    static const f2l_data_curriculum bad[] = {
        {.start = 0, .limit = 9, .threshold = 0.9}, {.start = 9, .limit = 6, .threshold = 0.9},
        {.start = 3, .limit = 9, .threshold = 0},   {.start = 3, .limit = 9, .threshold = 1},
        {.start = 3, .limit = 9, .threshold = NAN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c = bad[i];
        cr_assert_eq(f2l_data_curriculum_begin(&c, &data, &err), F2L_EDOMAIN);
    }
    f2l_data_clear(&data);
}
