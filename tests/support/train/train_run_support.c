#include "tests/support/train/train_run_support.h"

f2l_status run(f2l_train_result *result, logistic *l, const f2l_train_options *o,
               f2l_train_dir *dir, const f2l_task *task, f2l_error *err)
{
    f2l_train_result_init(result);
    return f2l_train_run(result, &l->trainee, o, dir, NULL, task, err);
}

void reference_open(reference *r, const f2l_train_options *o, size_t number)
{
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_error err = {0};
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, number, 9);
    cr_assert_eq(run(&r->result, &l, o, &dir, NULL, &err), F2L_OK, "%s", err.text);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(train_entries(p.run, "", false), 5);
    train_read(&r->weights, &p, "weights.safetensors");
    train_log(&r->log, &p);
    train_place_close(&p);
}

void reference_check(const reference *r, const train_place *p, const f2l_train_result *result)
{
    f2l_buf weights, log;
    train_read(&weights, p, "weights.safetensors");
    train_log(&log, p);
    cr_assert_eq(weights.size, r->weights.size);
    cr_assert_arr_eq(weights.data, r->weights.data, weights.size);
    cr_assert_str_eq(log.data, r->log.data);
    cr_assert_eq(result->end, r->result.end);
    cr_assert_eq(result->step, r->result.step);
    cr_assert_eq(result->tokens, r->result.tokens);
    cr_assert_eq(result->loss, r->result.loss);
    cr_assert_eq(result->scores, r->result.scores);
    cr_assert_arr_eq(result->score, r->result.score, result->scores * sizeof *result->score);
    f2l_buf_clear(&weights);
    f2l_buf_clear(&log);
}

void reference_close(reference *r)
{
    f2l_buf_clear(&r->weights);
    f2l_buf_clear(&r->log);
    f2l_train_result_clear(&r->result);
}
