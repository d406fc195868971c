/* Batches made by several threads before their use equal the batches that one call makes. */
#include "models/learn/data/data_ahead.h"
#include "tests/support/train/data_support.h"

static void same(const f2l_data_batch *a, const f2l_data_batch *b)
{
    const size_t cells = a->sequences * a->length;
    cr_assert(a->sequences == b->sequences && a->length == b->length && a->counted == b->counted);
    cr_assert_arr_eq(a->lengths, b->lengths, a->sequences * sizeof *a->lengths);
    cr_assert_arr_eq(a->letter, b->letter, cells * sizeof *a->letter);
    cr_assert_arr_eq(a->label, b->label, cells * sizeof *a->label);
    cr_assert_arr_eq(a->mask, b->mask, cells);
}

/* Builds data of one kind, with its lengths. */
static void build(f2l_data *data, f2l_fsa *fsa, size_t kind)
{
    data_family(fsa, "symmetric", 4, false);
    if (kind == 0)
        data_build(data, &(f2l_data_options){.label = F2L_LABEL_STATES, .seed = 3, .stream = 1},
                   fsa);
    else if (kind == 1)
        data_build(
            data,
            &(f2l_data_options){.kind = F2L_DATA_ARITHMETIC, .modulus = 5, .seed = 4, .stream = 1},
            NULL);
    else
        data_build(data,
                   &(f2l_data_options){.kind = F2L_DATA_BRACKETS,
                                       .when = F2L_DATA_LAST,
                                       .modulus = 7,
                                       .times = true,
                                       .seed = 5,
                                       .stream = 1},
                   NULL);
}

Test(data_ahead, is_the_batch_of_the_step)
{
    for (size_t kind = 0; kind < 3; kind++)
        for (unsigned threads = 0; threads < 6; threads += threads < 2 ? 1 : 3) {
            f2l_fsa fsa;
            f2l_data data;
            f2l_data_batch plain;
            f2l_data_ahead *ahead;
            f2l_error err = {0};
            build(&data, &fsa, kind);
            f2l_data_batch_init(&plain);
            cr_assert(f2l_data_ahead_new(&ahead, &data, 7, 301, threads, &err) == F2L_OK, "%s",
                      err.text);
            const f2l_data_batch *last = NULL;
            for (uint64_t step = 0; step < 40; step++) {
                const f2l_data_range range = {step % 3 ? 3 : 1, 3 + 2 * (step % 20)};
                const f2l_data_batch *batch;
                cr_assert(f2l_data_ahead_take(&batch, ahead, range, step, &err) == F2L_OK, "%s",
                          err.text);
                cr_assert(batch != last, "the one that was taken last is not written over");
                last = batch;
                if (step % 4)
                    f2l_data_ahead_make(ahead, range, step + 1); /* used if the range is the same */
                if (step % 8 == 3)
                    f2l_data_ahead_make(ahead, (f2l_data_range){3, 5 + 2 * ((step + 1) % 20)},
                                        step + 1);
                data_fill(&plain, &data, range.shortest, range.longest, step, 7, 301);
                same(batch, &plain);
            }
            f2l_data_ahead_free(ahead);
            f2l_data_batch_clear(&plain);
            f2l_data_clear(&data);
            f2l_fsa_clear(&fsa);
        }
}

/* A batch that cannot be made fails when it is taken, and the next one is not affected. */
Test(data_ahead, failures_come_with_the_take)
{
    f2l_fsa fsa;
    f2l_data data;
    f2l_data_ahead *ahead;
    const f2l_data_batch *batch;
    f2l_error err = {0};
    build(&data, &fsa, 1);
    cr_assert_eq(f2l_data_ahead_new(&ahead, &data, 0, 50, 3, &err), F2L_OK);
    f2l_data_ahead_make(ahead, (f2l_data_range){4, 4}, 0);
    cr_assert_eq(f2l_data_ahead_take(&batch, ahead, (f2l_data_range){4, 4}, 0, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "between 4 and 4 letters"), "%s", err.text);
    cr_assert_eq(f2l_data_ahead_take(&batch, ahead, (f2l_data_range){5, 5}, 0, &err), F2L_OK);
    cr_assert(batch->length == 5 && batch->sequences == 50);
    f2l_data_ahead_free(ahead);
    cr_assert_eq(f2l_data_ahead_new(&ahead, &data, UINT32_MAX, 2, 1, &err), F2L_OK);
    cr_assert_eq(f2l_data_ahead_take(&batch, ahead, (f2l_data_range){5, 5}, 0, &err), F2L_EDOMAIN);
    f2l_data_ahead_free(ahead);
    f2l_data_ahead_free(NULL);
    size_t bytes;
    cr_assert_eq(f2l_data_ahead_bytes(&bytes, 10, 8, &err), F2L_OK);
    cr_assert_eq(bytes, 2 * 10 * (8 * 9 + 4));
    cr_assert_eq(f2l_data_ahead_bytes(&bytes, SIZE_MAX / 8, 8, &err), F2L_EDOMAIN);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(data_ahead, survives_without_memory)
{
    f2l_fsa fsa;
    f2l_data data;
    build(&data, &fsa, 2);
    bool whole = false;
    for (size_t n = 1; n < 60 && !whole; n++) {
        f2l_data_ahead *ahead;
        const f2l_data_batch *batch;
        f2l_error err = {0};
        f2l_mem_fail_after(n, n % 2);
        f2l_status status = f2l_data_ahead_new(&ahead, &data, 0, 40, 2, &err);
        const bool made = status == F2L_OK;
        if (made) status = f2l_data_ahead_take(&batch, ahead, (f2l_data_range){9, 20}, 3, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, err.text);
        whole = status == F2L_OK && n > 20;
        if (made) {
            cr_assert(f2l_data_ahead_take(&batch, ahead, (f2l_data_range){9, 20}, 4, &err) ==
                      F2L_OK);
            f2l_data_ahead_free(ahead);
        } else {
            cr_assert_null(ahead);
        }
    }
    cr_assert(whole);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}
#endif
