#include "tests/support/automata/fsa_text.h"
#include "tests/support/train/data_cases.h"
#include "tests/support/train/data_support.h"

/* Compares data with numbers computed once by another program, in another language, from the
 * definition: the drawn data must never change, or runs of different versions would not be
 * comparable. */
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

static void known_expression(f2l_data_kind kind, size_t sequence, const char *expression,
                             const char *value)
{
    char name[21][2] = {0};
    const char *letter[21];
    for (size_t t = 0; t < 21; t++) {
        name[t][0] = expression[t];
        letter[t] = name[t];
    }
    known(&(f2l_data_options){.kind = kind, .when = F2L_DATA_LAST, .modulus = 5, .times = true},
          NULL, sequence, letter, 21, value);
}

Test(data_options, known_answers)
{
    f2l_fsa z120, z6;
    data_family(&z120, "cyclic", 120, false);
    data_family(&z6, "cyclic", 6, false);
    static const char *const uniform[] = {"32", "14", "15", "28", "101", "61",
                                          "53", "51", "25", "6",  "117", "3"};
    static const char *const weighted[] = {"2", "1", "1", "2", "5", "4",
                                           "3", "3", "2", "1", "5", "0"};
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

Test(data_options, bad_options_are_refused)
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
    refused(&(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 1, .stream = 1}, NULL,
            "2..1000");
    refused(&(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 1001, .stream = 1}, NULL,
            "2..1000");
    refused(&(f2l_data_options){.kind = F2L_DATA_BRACKETS, .modulus = 5, .stream = 1}, NULL,
            "last letter");
    f2l_data data;
    data_build(&data, &(f2l_data_options){.tokens = 3, .stream = 1}, &fsa);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    f2l_error err = {0};
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){4, 5}, 0, 0, 1, &err),
                 F2L_EDOMAIN);
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){3, 6}, 0, 0, 0, &err),
                 F2L_EDOMAIN);
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

#ifdef F2L_MEM_FAILURES
/* Lets every single allocation fail once; each time all is cleared, and the next attempt goes
 * further. Returns the number of failures. */
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
            status =
                f2l_data_batch_fill(&batch, &data, (f2l_data_range){2000, 2004}, 0, 0, 3, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%s", err.text);
        f2l_data_batch_clear(&batch);
        f2l_data_clear(&data);
        if (status == F2L_OK) return n - 1;
    }
}

Test(data_options, memory_failures)
{
    f2l_fsa s3;
    data_family(&s3, "symmetric", 3, true);
    static const double weight[2] = {1, 2};
    cr_assert_gt(failures(&(f2l_data_options){.weight = weight, .tokens = 2, .stream = 1}, &s3), 8);
    cr_assert_gt(
        failures(&(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 5, .stream = 1}, NULL),
        8);
    const f2l_data_options brackets = {
        .kind = F2L_DATA_BRACKETS, .when = F2L_DATA_LAST, .modulus = 5, .times = true, .stream = 1};
    cr_assert_gt(failures(&brackets, NULL), 9);
    f2l_fsa_clear(&s3);
}
#endif
