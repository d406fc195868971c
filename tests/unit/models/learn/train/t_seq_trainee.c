#include "automata/family/family.h"
#include "models/learn/seq/seq_file.h"
#include "models/learn/train/seq_trainee.h"
#include "tests/support/train/seq_support.h"
#include <unistd.h>

/* The task of parity, with a small DeltaNet for it. */
typedef struct task_case {
    f2l_fsa fsa;
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
} task_case;

static void task_init(task_case *c)
{
    f2l_error err = {0};
    f2l_fsa_init(&c->fsa);
    f2l_data_init(&c->train);
    f2l_data_init(&c->test);
    cr_assert(f2l_family_build(&c->fsa, "parity", NULL, 0, false, &err) == F2L_OK, "%s", err.text);
    f2l_data_options o = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .seed = 5, .stream = F2L_DATA_TRAIN};
    cr_assert(f2l_data_build(&c->train, &o, &c->fsa, &err) == F2L_OK, "%s", err.text);
    o.stream = F2L_DATA_TEST;
    cr_assert(f2l_data_build(&c->test, &o, &c->fsa, &err) == F2L_OK);
    f2l_seq_config config = f2l_seq_config_default(2, 2);
    config.width = config.mlp = 16;
    config.heads = 2;
    config.key_dim = config.value_dim = 8;
    config.slope = 4;
    cr_assert(f2l_seq_init(&c->model, &config, &err) == F2L_OK);
    c->options =
        (f2l_seq_trainee_options){.curriculum = {.start = 3, .limit = 12, .threshold = 0.9},
                                  .batch = 20,
                                  .positions = 50,
                                  .seed = 3};
}

static void task_clear(task_case *c)
{
    f2l_seq_clear(&c->model);
    f2l_data_clear(&c->train);
    f2l_data_clear(&c->test);
    f2l_fsa_clear(&c->fsa);
}

static f2l_seq_trainee *built(const task_case *c)
{
    f2l_error err = {0};
    f2l_seq_trainee *t = f2l_calloc(1, sizeof *t);
    f2l_seq_trainee_init(t);
    cr_assert(f2l_seq_trainee_build(t, &c->model, &c->train, &c->test, &c->options, NULL, &err) ==
                  F2L_OK,
              "%s", err.text);
    return t;
}

static void drop(f2l_seq_trainee *t)
{
    f2l_seq_trainee_clear(t);
    f2l_seq_trainee_clear(t);
    f2l_free(t);
}

/* The gradient of a step depends on this step's batch only and can be repeated; the curriculum
 * advances. */
Test(seq_trainee, steps_are_functions_of_their_number)
{
    task_case c;
    task_init(&c);
    f2l_seq_trainee *t = built(&c);
    const size_t n = c.model.parameters;
    float *x = f2l_calloc(n, sizeof *x), *y = f2l_calloc(n, sizeof *y),
          *z = f2l_calloc(n, sizeof *z);
    f2l_train_batch first, again, other;
    cr_assert(t->trainee.parameters == n && t->trainee.state[0] == 3);
    cr_assert(t->trainee.gradient(t, &first, x, 7, NULL, NULL) == F2L_OK);
    t->trainee.state[0] = 3;
    t->trainee.state[1] = 0;
    cr_assert(t->trainee.gradient(t, &again, y, 7, NULL, NULL) == F2L_OK);
    cr_assert(memcmp(x, y, n * sizeof *x) == 0 && first.loss == again.loss);
    t->trainee.state[0] = 3;
    t->trainee.state[1] = 0;
    cr_assert(t->trainee.gradient(t, &other, z, 8, NULL, NULL) == F2L_OK);
    cr_assert(memcmp(x, z, n * sizeof *x) != 0);
    cr_assert(first.sequences == 20 && first.supervised == 60 && first.tokens == 60 &&
              first.length == 3);
    /* by hand, in double */
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    cr_assert(f2l_data_batch_fill(&batch, &c.train, (f2l_data_range){3, 3}, 7, 0, 20, NULL) ==
              F2L_OK);
    const f2l_seq_batch b = {20, 3, batch.letter, batch.label, batch.mask};
    double *p = f2l_calloc(n, sizeof *p), *g = f2l_calloc(n, sizeof *g), error = 0, norm = 0;
    f2l_seq_score score;
    for (size_t i = 0; i < n; i++) p[i] = (double)((const float *)t->trainee.parameter)[i];
    f2l_seq_work_f64 *work = work_of(&c.model, 20, 3, true);
    cr_assert(f2l_seq_gradient_f64(&score, g, &b, p, 1.0 / 60, work, NULL, NULL) == F2L_OK);
    for (size_t i = 0; i < n; i++) {
        error += (g[i] - (double)x[i]) * (g[i] - (double)x[i]);
        norm += g[i] * g[i];
    }
    cr_assert(error < 1e-8 * norm && norm > 0, "%g of %g", sqrt(error), sqrt(norm));
    cr_assert(fabs(score.loss / 60 - first.loss) < 1e-4 && score.right == first.right);
    f2l_seq_work_free_f64(work);
    f2l_data_batch_clear(&batch);
    f2l_free(p);
    f2l_free(g);
    f2l_free(x);
    f2l_free(y);
    f2l_free(z);
    drop(t);
    task_clear(&c);
}

/* Training learns parity on words of up to 12 letters, and writes the trained weights. */
Test(seq_trainee, learns_parity)
{
    task_case c;
    task_init(&c);
    f2l_seq_trainee *t = built(&c);
    const size_t lengths[] = {12, 24};
    f2l_error err = {0};
    f2l_train_options options = f2l_train_options_default(300);
    options.rate = 1e-2;
    options.length = lengths;
    options.lengths = 2;
    options.sequences = 100;
    f2l_train_result result;
    f2l_train_result_init(&result);
    cr_assert(f2l_train_run(&result, &t->trainee, &options, NULL, NULL, NULL, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(result.scores == 2 && result.score[0].sequences == 100 && t->trainee.state[0] == 12);
    cr_log_info("loss %g, right at length 12 %g, 24 %g", result.loss,
                f2l_train_sequence_accuracy(&result.score[0]),
                f2l_train_sequence_accuracy(&result.score[1]));
    cr_assert(f2l_train_sequence_accuracy(&result.score[0]) > 0.95);
    char path[] = "/tmp/f2l-seq-XXXXXX";
    const int handle = mkstemp(path);
    cr_assert(handle >= 0);
    close(handle);
    cr_assert(t->trainee.write(t, path, &err) == F2L_OK, "%s", err.text);
    f2l_buf file;
    f2l_seq model;
    float *parameter;
    f2l_buf_init(&file);
    cr_assert(f2l_read_file(&file, path, 0, &err) == F2L_OK);
    cr_assert(f2l_seq_read_f32(&model, &parameter, file.data, file.size, &err) == F2L_OK);
    cr_assert(memcmp(parameter, t->trainee.parameter, model.parameters * sizeof *parameter) == 0);
    unlink(path);
    f2l_free(parameter);
    f2l_seq_clear(&model);
    f2l_buf_clear(&file);
    f2l_train_result_clear(&result);
    drop(t);
    task_clear(&c);
}

/* The streamed evaluation counts the same as an evaluation of whole words at once. */
Test(seq_trainee, evaluation_counts_what_answers_say)
{
    task_case c;
    task_init(&c);
    f2l_seq_trainee *t = built(&c);
    f2l_train_score score[2] = {{.length = 5}, {.length = 131}};
    f2l_error err = {0};
    cr_assert(t->trainee.evaluate(t, score, 2, 70, 0, NULL, &err) == F2L_OK, "%s", err.text);
    /* by logits of whole words */
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    cr_assert(f2l_data_batch_fill(&batch, &c.test, (f2l_data_range){131, 131}, 0, 0, 70, &err) ==
              F2L_OK);
    const f2l_seq_plan plan = {70, 131, false};
    const f2l_seq_batch b = {.sequences = 70, .length = 131, .letter = batch.letter};
    f2l_seq_work_f32 *work;
    cr_assert(f2l_seq_work_new_f32(&work, &c.model, &plan, NULL, NULL) == F2L_OK);
    uint32_t *answer = f2l_calloc(70 * 131, sizeof *answer);
    cr_assert(f2l_seq_answers_f32(answer, NULL, &b, t->trainee.parameter, work, NULL) == F2L_OK);
    size_t right[2] = {0, 0};
    for (size_t i = 0; i < 70 * 131; i++) {
        const bool ok = answer[i] == batch.label[i];
        right[0] += ok && i % 131 < 5;
        right[1] += ok;
    }
    cr_assert(score[0].supervised == 350 && score[1].supervised == 70 * 131);
    /* Pieces round differently, so that a tie may have another answer. */
    for (size_t i = 0; i < 2; i++)
        cr_assert(llabs((long long)score[i].right - (long long)right[i]) <= 2);
    f2l_free(answer);
    f2l_seq_work_free_f32(work);
    f2l_data_batch_clear(&batch);
    drop(t);
    task_clear(&c);
}

Test(seq_trainee, refuses_what_does_not_fit)
{
    task_case c;
    f2l_error err;
    f2l_seq_trainee t;
    f2l_seq model;
    size_t bytes;
    task_init(&c);
    f2l_seq_trainee_init(&t);
    f2l_seq_config config = c.model.config;
    config.letters = 3;
    cr_assert(f2l_seq_init(&model, &config, NULL) == F2L_OK);
    cr_assert(f2l_seq_trainee_build(&t, &model, &c.train, &c.test, &c.options, NULL, &err) ==
              F2L_EDOMAIN);
    cr_assert(strstr(err.text, "letters") != NULL, "%s", err.text);
    f2l_seq_clear(&model);
    f2l_seq_trainee_options options = c.options;
    options.batch = 0;
    cr_assert(f2l_seq_trainee_build(&t, &c.model, &c.train, &c.test, &options, NULL, &err) ==
              F2L_EDOMAIN);
    options = c.options;
    options.curriculum.limit = 2;
    cr_assert(f2l_seq_trainee_build(&t, &c.model, &c.train, &c.test, &options, NULL, &err) ==
              F2L_EDOMAIN);
    cr_assert(f2l_seq_trainee_bytes(&bytes, &c.model, &c.options, &err) == F2L_OK);
    f2l_task task = {.memory = bytes - 1};
    cr_assert(f2l_seq_trainee_build(&t, &c.model, &c.train, &c.test, &c.options, &task, &err) ==
              F2L_UNKNOWN);
    task.memory = bytes;
    cr_assert(f2l_seq_trainee_build(&t, &c.model, &c.train, &c.test, &c.options, &task, &err) ==
              F2L_OK);
    f2l_seq_trainee_clear(&t);
    task_clear(&c);
}

#ifdef F2L_MEM_FAILURES
Test(seq_trainee, survives_without_memory)
{
    task_case c;
    task_init(&c);
    size_t n = 1;
    for (; n < 100; n++) {
        f2l_seq_trainee t;
        f2l_seq_trainee_init(&t);
        f2l_mem_fail_after(n, n % 2);
        f2l_status status =
            f2l_seq_trainee_build(&t, &c.model, &c.train, &c.test, &c.options, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && t.parameter == NULL));
        f2l_seq_trainee_clear(&t);
        if (status == F2L_OK) break;
    }
    cr_assert(n == 10, "%zu", n);
    task_clear(&c);
}
#endif
