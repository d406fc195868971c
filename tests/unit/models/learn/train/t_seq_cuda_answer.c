/* Evaluations on a device, here with the host's operators in place of a device's: in pieces of any
 * length the answers equal the CPU's. */
#include "cuda/step/cuda_mixer.h"
#include "models/learn/experiment/experiment.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"
#include "models/learn/seq/dplr/seq_dplr.h"
#include "tests/support/train/seq_cuda_support.h"
#include "tests/support/train/seq_f64.h"

/* Equal weights give equal answers. */
Test(seq_cuda, evaluations_equal_those_of_the_cpu)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        task_case c;
        f2l_seq_cuda t;
        f2l_train_result result;
        course way;
        f2l_error err = {0};
        f2l_data_wrong wrong[2];
        task_init(&c, kind);
        build_there(&t, &c);
        follow(&way, &result, &t.trainee, 60);
        f2l_train_result_clear(&result);
        f2l_train_score x[3] = {{.length = 1}, {.length = 9}, {.length = 150}}, y[3];
        memcpy(y, x, sizeof x);
        cr_assert_eq(f2l_experiment_evaluate(x, 3, &wrong[0], 70, F2L_BACKEND_CPU, &c.model,
                                             t.parameter, &c.test, NULL, &err),
                     F2L_OK);
        cr_assert_eq(f2l_seq_cuda_evaluate(y, 3, &wrong[1], 70, &t.map.shape, t.parameter, &c.test,
                                           &f2l_cuda_answer_host, F2L_CUDA_F32,
                                           &(f2l_task){.jobs = 3}, &err),
                     F2L_OK, "%s", err.text);
        for (size_t i = 0; i < 3; i++) {
            cr_assert(x[i].supervised == 70 * x[i].length && y[i].supervised == x[i].supervised);
            cr_assert(llabs((long long)x[i].right - (long long)y[i].right) <= 2, "%zu: %llu %llu",
                      i, (unsigned long long)x[i].right, (unsigned long long)y[i].right);
        }
        cr_log_info("kind %zu: right %llu of %llu, first wrong %zu, %zu", kind,
                    (unsigned long long)x[2].right, (unsigned long long)x[2].supervised,
                    wrong[0].length, wrong[1].length);
        f2l_seq_cuda_clear(&t);
        task_clear(&c);
    }
}

enum { ROWS = 3, LETTERS = 37, CELLS = ROWS * LETTERS, MOST = 12 };

static void change(float *parameter, const f2l_seq *model, size_t number, float factor, float add)
{
    const f2l_seq_tensor *t = &model->tensor[number];
    for (size_t i = 0; i < t->count; i++)
        parameter[t->offset + i] = factor * parameter[t->offset + i] + add;
}

/* Changes the first parameters, with which the answer depends on the last letter, so that the
 * mixers, and in the diagonal mixer the states, matter more. */
static void make_states_count(float *parameter, const f2l_seq *model)
{
    for (size_t l = 0; l < model->config.layers; l++) {
        const f2l_seq_layer *layer = &model->layer[l];
        const bool diagonal = model->config.mixer == &f2l_mixer_diagonal;
        change(parameter, model, layer->mixer[f2l_step_mixer_of(model->config.mixer, NULL)->out], 8,
               0);
        if (!diagonal) continue;
        change(parameter, model, layer->mixer[F2L_DIAGONAL_SELECT], 4, 0);
        change(parameter, model, layer->mixer[F2L_DIAGONAL_STEP_BIAS], 1, 4);
        change(parameter, model, layer->mixer[F2L_DIAGONAL_STATE_LOG], 1, -2);
        change(parameter, model, layer->mixer[F2L_DIAGONAL_SKIP], 0.1F, 0);
    }
}

/* A model whose parameters are not a start of training, with words for it. */
typedef struct word_case {
    task_case task;
    f2l_cuda_model map;
    float *parameter;
    f2l_data_batch batch;
} word_case;

static void word_case_init(word_case *w, size_t kind)
{
    f2l_error err = {0};
    f2l_rng rng;
    task_init(&w->task, kind);
    w->parameter = f2l_calloc(w->task.model.parameters, sizeof *w->parameter);
    f2l_seq_start_f32(w->parameter, &w->task.model, 8);
    f2l_rng_init(&rng, kind, 3);
    for (size_t i = 0; i < w->task.model.parameters; i++)
        w->parameter[i] += 0.4F * (ldexpf((float)(f2l_rng_u32(&rng) >> 8), -24) - 0.5F);
    make_states_count(w->parameter, &w->task.model);
    f2l_data_batch_init(&w->batch);
    const size_t length = LETTERS - w->task.test.options.begin; /* without the begin letter */
    cr_assert_eq(f2l_data_batch_fill(&w->batch, &w->task.test, (f2l_data_range){length, length}, 0,
                                     0, ROWS, &err),
                 F2L_OK);
    cr_assert_eq(w->batch.length, LETTERS);
    cr_assert_eq(f2l_cuda_model_init(&w->map, &w->task.model, &err), F2L_OK);
}

static void word_case_clear(word_case *w)
{
    f2l_cuda_model_clear(&w->map);
    f2l_data_batch_clear(&w->batch);
    f2l_free(w->parameter);
    task_clear(&w->task);
}

static f2l_cuda_answer *answer_of(const word_case *w, f2l_cuda_type type, size_t sequences,
                                  size_t positions)
{
    f2l_cuda_answer *a;
    f2l_error err = {0};
    cr_assert(f2l_cuda_answer_new(&a, &w->map.shape, type, sequences, positions,
                                  &f2l_cuda_answer_host, &err) == F2L_OK,
              "%s", err.text);
    cr_assert_eq(f2l_cuda_answer_put(a, w->parameter, &err), F2L_OK);
    return a;
}

/* Reads the first `rows` words in pieces: the first has `first` letters, each next one `growth`
 * more, up to `most`. */
static void read_in_pieces(uint32_t *out, f2l_cuda_answer *a, const uint32_t *word, size_t rows,
                           size_t first, size_t growth, size_t most)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_cuda_answer_begin(a, rows, &err), F2L_OK);
    for (size_t at = 0, count, length = first; at < LETTERS; at += count) {
        uint32_t letter[CELLS], answer[CELLS];
        count = length < LETTERS - at ? length : LETTERS - at;
        length = length + growth <= most ? length + growth : first;
        for (size_t r = 0; r < rows; r++)
            memcpy(letter + r * count, word + r * LETTERS + at, count * sizeof *letter);
        cr_assert_eq(f2l_cuda_answer_read(answer, a, letter, count, &err), F2L_OK, "%s", err.text);
        for (size_t r = 0; r < rows; r++)
            memcpy(out + r * LETTERS + at, answer + r * count, count * sizeof *out);
    }
}

/* Returns the label with the largest logit; *margin becomes its distance to the next. */
static uint32_t best_of(double *margin, const double *logits, size_t labels)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < labels; i++)
        if (logits[i] > logits[best]) best = i;
    *margin = INFINITY;
    for (uint32_t i = 0; i < labels; i++)
        if (i != best) *margin = fmin(*margin, logits[best] - logits[i]);
    return best;
}

/* Returns the logits of the words as a whole on the CPU, in double. */
static double *logits_of(const word_case *w)
{
    const f2l_seq *m = &w->task.model;
    const f2l_seq_batch batch = {ROWS, LETTERS, w->batch.letter, NULL, NULL};
    double *wide = f2l_calloc(m->parameters, sizeof *wide),
           *logits = f2l_calloc(CELLS * m->config.labels, sizeof *logits);
    f2l_seq_work_f64 *work = work_of(m, ROWS, LETTERS, false);
    f2l_error err = {0};
    for (size_t i = 0; i < m->parameters; i++) wide[i] = (double)w->parameter[i];
    cr_assert_eq(f2l_seq_logits_f64(logits, NULL, &batch, wide, work, &err), F2L_OK);
    f2l_seq_work_free_f64(work);
    f2l_free(wide);
    return logits;
}

/* Returns the number of positions whose answer is not the first answer after the same letter: a
 * network without memory would get them wrong. */
static size_t remembered(const word_case *w, const double *logits)
{
    const size_t labels = w->task.model.config.labels;
    uint32_t first[7]; /* of the letters of S3, and of a begin letter */
    size_t count = 0;
    double margin;
    for (size_t i = CELLS; i-- > 0;)
        first[w->batch.letter[i]] = best_of(&margin, logits + i * labels, labels);
    for (size_t i = 0; i < CELLS; i++)
        count += best_of(&margin, logits + i * labels, labels) != first[w->batch.letter[i]];
    return count;
}

/* Checks the answers wherever the largest logit exceeds the next by more than `open`; returns the
 * number of these positions. */
static size_t check_answers(const uint32_t *got, const double *logits, size_t labels, double open)
{
    size_t clear = 0;
    for (size_t i = 0; i < CELLS; i++) {
        double margin;
        const uint32_t want = best_of(&margin, logits + i * labels, labels);
        if (margin <= open) continue;
        clear++;
        cr_assert_eq(got[i], want, "letter %zu of word %zu, by %g", i % LETTERS, i / LETTERS,
                     margin);
    }
    return clear;
}

/* The answers agree wherever float, or bf16, leaves no doubt. */
Test(seq_cuda, answers_in_pieces_are_those_of_the_cpu)
{
    static const struct {
        size_t first, growth, most;
    } pieces[] = {{LETTERS, 0, LETTERS}, {1, 0, 1}, {2, 0, 2}, {1, 1, 7}, {5, 0, 5},
                  {MOST, 0, MOST}};
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t type = 0; type < 2; type++) {
            word_case w;
            size_t clear = 0;
            word_case_init(&w, kind);
            double *logits = logits_of(&w);
            const size_t memory = remembered(&w, logits);
            f2l_cuda_answer *a =
                answer_of(&w, type ? F2L_CUDA_BF16 : F2L_CUDA_F32, ROWS + 1, CELLS);
            for (size_t n = 0; n < sizeof pieces / sizeof *pieces; n++) {
                uint32_t got[CELLS];
                read_in_pieces(got, a, w.batch.letter, ROWS, pieces[n].first, pieces[n].growth,
                               pieces[n].most);
                clear += check_answers(got, logits, w.task.model.config.labels, type ? 0.1 : 1e-4);
            }
            cr_log_info("kind %zu, type %zu: %zu of %d clear, %zu of %d by memory", kind, type,
                        clear, 6 * CELLS, memory, CELLS);
            cr_assert_gt(clear, (type ? 3 : 5) * CELLS);
            cr_assert_gt(memory, CELLS / 5);
            f2l_cuda_answer_free(a);
            f2l_free(logits);
            word_case_clear(&w);
        }
}

/* Sequences do not affect each other: the second one alone has the answers that it has among
 * others. */
Test(seq_cuda, answers_do_not_depend_on_neighbours)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        word_case w;
        uint32_t all[CELLS], one[LETTERS];
        word_case_init(&w, kind);
        f2l_cuda_answer *a = answer_of(&w, F2L_CUDA_F32, ROWS, CELLS);
        read_in_pieces(all, a, w.batch.letter, ROWS, 3, 1, 6);
        read_in_pieces(one, a, w.batch.letter + LETTERS, 1, 4, 0, 4);
        cr_assert_arr_eq(one, all + LETTERS, sizeof one);
        f2l_cuda_answer_free(a);
        word_case_clear(&w);
    }
}

/* Pieces of any length give the whole word's answers, in bf16 too. */
Test(seq_cuda, answers_come_in_pieces)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        const f2l_cuda_type type = kind % 2 ? F2L_CUDA_F32 : F2L_CUDA_BF16;
        word_case w;
        uint32_t expected[CELLS], got[CELLS];
        word_case_init(&w, kind);
        f2l_cuda_answer *whole = answer_of(&w, type, ROWS, CELLS),
                        *pieces = answer_of(&w, type, ROWS + 2, MOST * ROWS);
        read_in_pieces(expected, whole, w.batch.letter, ROWS, LETTERS, 0, LETTERS);
        for (size_t round = 0; round < 2; round++) { /* the second one shows that `begin` forgets */
            read_in_pieces(got, pieces, w.batch.letter, ROWS, 1 + 6 * round, 1, 5 + 7 * round);
            cr_assert_arr_eq(got, expected, sizeof got);
        }
        cr_assert_gt(f2l_cuda_answer_bytes(whole), f2l_cuda_answer_bytes(pieces));
        f2l_cuda_answer_free(whole);
        f2l_cuda_answer_free(pieces);
        word_case_clear(&w);
    }
}

Test(seq_cuda, answers_are_refused)
{
    word_case w;
    f2l_cuda_answer *a;
    uint32_t got[CELLS], letter[5] = {0, 1, 6, 2, 3};
    f2l_error err = {0};
    word_case_init(&w, 0);
    a = answer_of(&w, F2L_CUDA_F32, ROWS + 2, MOST * ROWS);
    cr_assert_eq(f2l_cuda_answer_read(got, a, w.batch.letter, 1, &err), F2L_EDOMAIN, "not begun");
    cr_assert_eq(f2l_cuda_answer_begin(a, ROWS + 3, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_cuda_answer_begin(a, 0, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_cuda_answer_begin(a, ROWS, &err), F2L_OK);
    cr_assert_eq(f2l_cuda_answer_read(got, a, w.batch.letter, MOST + 1, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_cuda_answer_begin(a, 1, &err), F2L_OK);
    cr_assert_eq(f2l_cuda_answer_read(got, a, letter, 5, &err), F2L_EDOMAIN, "no such letter");
    letter[2] = 5;
    cr_assert_eq(f2l_cuda_answer_read(got, a, letter, 5, &err), F2L_OK, "nothing was read");
    cr_assert_eq(f2l_cuda_answer_read(got, a, letter, 0, &err), F2L_OK);
    f2l_cuda_answer_free(a);
    f2l_cuda_answer_free(NULL);
    word_case_clear(&w);
}

/* Models that no operator supports, and sizes that cannot be counted, are refused. */
Test(seq_cuda, answers_have_bounds)
{
    static const char *const expected[] = {"convolution of 65", "channels of 65", "size of 0",
                                           "size of 0",         "0 sequences",    "too many",
                                           "too many"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        word_case w;
        f2l_cuda_answer *a;
        f2l_error err = {0};
        word_case_init(&w, i == 1 || i == 2 ? 6 : 4);
        f2l_cuda_step_shape *s = &w.map.shape;
        if (i == 0) s->convolution = F2L_CUDA_CONV_TAPS + 1;
        if (i == 1) s->states = F2L_CUDA_SELECT_STATES + 1;
        if (i == 2) s->rank = 0;
        if (i == 3) s->householders = 0;
        const size_t sequences = i == 4   ? 0
                                 : i == 6 ? 10000000
                                          : 2,
                     positions = i == 5   ? INT32_MAX / 40
                                 : i == 6 ? 10000000
                                          : 5;
        cr_assert_eq(f2l_cuda_answer_new(&a, s, F2L_CUDA_F32, sequences, positions,
                                         &f2l_cuda_answer_host, &err),
                     F2L_EDOMAIN, "%zu", i);
        cr_assert(a == NULL && strstr(err.text, expected[i]), "%zu: %s", i, err.text);
        word_case_clear(&w);
    }
}
