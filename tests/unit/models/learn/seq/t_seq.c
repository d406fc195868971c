#include "models/learn/seq/mixer.h"
#include "numeric/base/text.h"
#include "tests/support/train/seq_f64.h"
#include "tests/support/train/seq_reference.h"

#define SEED 21

Test(seq, agrees_with_the_formulas_letter_by_letter)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        seq_case s = seq_case_of(&c, SEED + number);
        seq_batch b;
        double logits[BATCH_CELLS * 4], wanted[4];
        seq_batch_fill(&b, &s.model, 3, 11, SEED + number);
        f2l_seq_work_f64 *work = work_of(&s.model, 3, 11, number % 2);
        cr_assert(f2l_seq_logits_f64(logits, NULL, &b.batch, s.parameter, work, NULL) == F2L_OK);
        for (size_t i = 0; i < 3; i++) {
            ref *r = f2l_calloc(1, sizeof *r);
            r->s = &s;
            for (size_t t = 0; t < 11; t++) {
                ref_read(wanted, r, b.letter[i * 11 + t]);
                for (size_t l = 0; l < 4; l++) {
                    const double got = logits[(i * 11 + t) * 4 + l];
                    cr_assert(fabs(got - wanted[l]) < 1e-11,
                              "configuration %zu, letter %zu: %.15g, not %.15g", number, t, got,
                              wanted[l]);
                }
            }
            f2l_free(r);
        }
        f2l_seq_work_free_f64(work);
        seq_case_free(&s);
    }
}

/* Words in pieces of 1, 2, 3, .. letters, with the state carried over, give the same as the whole
 * word. */
Test(seq, pieces_give_what_the_whole_word_gives)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        const size_t length = 15;
        seq_case s = seq_case_of(&c, SEED + number);
        seq_batch b;
        double whole[BATCH_CELLS * 4], piece[BATCH_CELLS * 4];
        uint32_t letter[BATCH_CELLS], answer[BATCH_CELLS];
        seq_batch_fill(&b, &s.model, 4, length, SEED + number);
        f2l_seq_work_f64 *work = work_of(&s.model, 4, length, false);
        double *state = f2l_calloc(4 * f2l_seq_state_count(&s.model), sizeof *state),
               *other = f2l_calloc(4 * f2l_seq_state_count(&s.model), sizeof *state);
        cr_assert(f2l_seq_logits_f64(whole, NULL, &b.batch, s.parameter, work, NULL) == F2L_OK);
        f2l_seq_state_start_f64(state, 4, s.parameter, &s.model);
        for (size_t at = 0, n = 1; at < length; at += n, n++) {
            for (size_t i = 0; i < 4 * n; i++) letter[i] = b.letter[i / n * length + at + i % n];
            const f2l_seq_batch part = {.sequences = 4, .length = n, .letter = letter};
            memcpy(other, state, 4 * f2l_seq_state_count(&s.model) * sizeof *state);
            cr_assert(f2l_seq_logits_f64(piece, state, &part, s.parameter, work, NULL) == F2L_OK);
            cr_assert(f2l_seq_answers_f64(answer, other, &part, s.parameter, work, NULL) == F2L_OK);
            for (size_t i = 0; i < 4 * n; i++) {
                const double *row = piece + i * 4;
                for (size_t l = 0; l < 4; l++) {
                    cr_assert(fabs(row[l] - whole[(i / n * length + at + i % n) * 4 + l]) < 1e-12,
                              "configuration %zu, letter %zu", number, at + i % n);
                    cr_assert(row[answer[i]] >= row[l]);
                }
            }
        }
        f2l_free(state);
        f2l_free(other);
        f2l_seq_work_free_f64(work);
        seq_case_free(&s);
    }
}

Test(seq, answers_say_when_logits_are_no_numbers)
{
    const f2l_seq_config c = small_config();
    seq_case s = seq_case_of(&c, SEED);
    seq_batch b;
    uint32_t answer[8];
    seq_batch_fill(&b, &s.model, 2, 4, SEED);
    f2l_seq_work_f64 *work = work_of(&s.model, 2, 4, false);
    s.parameter[f2l_seq_find(&s.model, "head.weight")->offset] = NAN;
    cr_assert(f2l_seq_answers_f64(answer, NULL, &b.batch, s.parameter, work, NULL) == F2L_OK);
    for (size_t i = 0; i < 8; i++) cr_assert(answer[i] == UINT32_MAX);
    b.batch.length = 5;
    cr_assert(f2l_seq_answers_f64(answer, NULL, &b.batch, s.parameter, work, NULL) == F2L_EDOMAIN);
    b.batch.length = 4;
    b.letter[3] = 7;
    cr_assert(f2l_seq_answers_f64(answer, NULL, &b.batch, s.parameter, work, NULL) == F2L_EDOMAIN);
    f2l_seq_work_free_f64(work);
    seq_case_free(&s);
}

/* The layout has no gaps, no overlaps and no name twice; sizes of the default are computed by
 * hand. */
Test(seq, layout_is_dense)
{
    f2l_seq_config c;
    f2l_seq model;
    for (size_t number = 0; config_sample(&c, number); number++) {
        size_t at = 0;
        cr_assert(f2l_seq_init(&model, &c, NULL) == F2L_OK);
        for (size_t t = 0; t < model.tensors; t++) {
            const f2l_seq_tensor *tensor = &model.tensor[t];
            size_t count = 1;
            for (size_t d = 0; d < tensor->dims; d++) count *= tensor->dim[d];
            cr_assert(tensor->offset == at && tensor->count == count && count > 0);
            cr_assert(f2l_seq_find(&model, tensor->name) == tensor, "%s", tensor->name);
            at += count;
        }
        cr_assert(at == model.parameters);
        cr_assert(f2l_seq_find(&model, "nothing") == NULL);
        if (number == 0) cr_assert(f2l_seq_state_count(&model) == 2 * 2 * 3 * 4);
        if (number == 3) /* 3 letters of 6 queries, 18 keys, 24 values */
            cr_assert(f2l_seq_state_count(&model) == 2 * (2 * 3 * 4 + 3 * (6 + 18 + 24)));
        if (number == 9) cr_assert(f2l_seq_state_count(&model) == 2 * (5 * 3 + 2 * 5));
        f2l_seq_clear(&model);
        f2l_seq_clear(&model);
    }
    c = f2l_seq_config_default(2, 3);
    cr_assert(f2l_seq_init(&model, &c, NULL) == F2L_OK);
    cr_assert(model.parameters == 2 * 128 + 128 + 128 * 128 * 3 + 4 * 128 + 4 * 32 * 32 + 32 + 128 +
                                      3 * 128 * 512 + 128 + 3 * 128);
    f2l_seq_clear(&model);
}

Test(seq, starts_from_a_seed)
{
    f2l_seq_config c = f2l_seq_config_default(7, 5);
    f2l_seq model;
    for (size_t mixer = 0; f2l_mixers[mixer] != NULL; mixer++) {
        c.mixer = f2l_mixers[mixer];
        c.forget_gate = true;
        cr_assert(f2l_seq_init(&model, &c, NULL) == F2L_OK);
        double *x = f2l_calloc(model.parameters, sizeof *x),
               *y = f2l_calloc(model.parameters, sizeof *y);
        float *z = f2l_calloc(model.parameters, sizeof *z);
        f2l_seq_start_f64(x, &model, 1);
        f2l_seq_start_f64(y, &model, 1);
        f2l_seq_start_f32(z, &model, 1);
        cr_assert(memcmp(x, y, model.parameters * sizeof *x) == 0);
        for (size_t i = 0; i < model.parameters; i++)
            cr_assert(z[i] == (float)x[i] && isfinite(x[i]));
        f2l_seq_start_f64(y, &model, 2);
        for (size_t t = 0; t < model.tensors; t++) {
            const f2l_seq_tensor *tensor = &model.tensor[t];
            double sum = 0, square = 0;
            const double n = (double)tensor->count;
            for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++) {
                sum += x[i];
                square += x[i] * x[i];
                if (tensor->start == F2L_SEQ_CONSTANT)
                    cr_assert(x[i] == tensor->scale && y[i] == tensor->scale);
                if (tensor->start == F2L_SEQ_RAMP) cr_assert(x[i] >= 3 && x[i] <= 6);
                if (tensor->start == F2L_SEQ_STEP)
                    cr_assert(log1p(exp(x[i])) > 0.00099 && log1p(exp(x[i])) < 0.1001);
                if (tensor->start == F2L_SEQ_LOG_EVEN) cr_assert(x[i] >= 0 && x[i] <= log(16));
                if (tensor->start == F2L_SEQ_LOG_RAMP)
                    cr_assert(x[i] == log(1 + (double)((i - tensor->offset) % tensor->dim[1])));
            }
            if (tensor->start > F2L_SEQ_RESIDUAL) continue;
            cr_assert(memcmp(x + tensor->offset, y + tensor->offset, tensor->count * sizeof *x) !=
                          0,
                      "%s", tensor->name);
            /* at most six standard deviations */
            cr_assert(fabs(sum / n) < 6 * tensor->scale / sqrt(n), "%s", tensor->name);
            cr_assert(fabs(square / n / (tensor->scale * tensor->scale) - 1) < 6 * sqrt(2 / n),
                      "%s", tensor->name);
        }
        f2l_free(x);
        f2l_free(y);
        f2l_free(z);
        f2l_seq_clear(&model);
    }
}

/* With initializer_range matrices and the embedding have that standard deviation; matrices that
 * write to the residual stream are uniform with the variance of PyTorch's linear layers over 2
 * layers; the other tensors stay. */
Test(seq, starts_with_a_given_deviation)
{
    f2l_seq_config c = f2l_seq_config_default(7, 5);
    c.layers = 3;
    for (size_t mixer = 0; f2l_mixers[mixer] != NULL; mixer++) {
        f2l_seq usual, model;
        size_t residual = 0;
        c.mixer = f2l_mixers[mixer];
        c.initializer_range = 0;
        cr_assert(f2l_seq_init(&usual, &c, NULL) == F2L_OK);
        c.initializer_range = 0.006;
        cr_assert(f2l_seq_init(&model, &c, NULL) == F2L_OK);
        cr_assert(model.parameters == usual.parameters);
        float *x = f2l_calloc(model.parameters, sizeof *x),
              *y = f2l_calloc(model.parameters, sizeof *y);
        f2l_seq_start_f32(x, &model, 1);
        f2l_seq_start_f32(y, &usual, 1);
        for (size_t t = 0; t < model.tensors; t++) {
            const f2l_seq_tensor *tensor = &model.tensor[t];
            const double n = (double)tensor->count, fan_in = n / (double)tensor->dim[0],
                         limit = 1 / sqrt(2 * 3 * fan_in);
            const bool writes = strstr(tensor->name, "o_proj") ||
                                strstr(tensor->name, "out_proj") ||
                                strstr(tensor->name, "down_proj");
            double square = 0, most = 0;
            for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++) {
                square += (double)x[i] * (double)x[i];
                most = fmax(most, fabs((double)x[i]));
            }
            cr_assert(writes == (tensor->start == F2L_SEQ_RESIDUAL), "%s", tensor->name);
            residual += writes;
            const double variance = writes ? limit * limit / 3 : 0.006 * 0.006;
            if (tensor->start == F2L_SEQ_MATRIX || writes)
                cr_assert(fabs(square / n / variance - 1) < 6 * sqrt(2 / n), "%s", tensor->name);
            else
                cr_assert_arr_eq(x + tensor->offset, y + tensor->offset, tensor->count * sizeof *x);
            if (writes) cr_assert(most <= limit * 1.000001 && most > limit * .99);
        }
        cr_assert_eq(residual, 3 * 2);
        f2l_free(x);
        f2l_free(y);
        f2l_seq_clear(&usual);
        f2l_seq_clear(&model);
    }
}

Test(seq, refuses_bad_configurations)
{
    static const struct {
        size_t at, value;
        const char *name;
    } bad[] = {{offsetof(f2l_seq_config, letters), 0, "letters"},
               {offsetof(f2l_seq_config, labels), 0, "labels"},
               {offsetof(f2l_seq_config, layers), 0, "layers"},
               {offsetof(f2l_seq_config, layers), F2L_SEQ_MAX_LAYERS + 1, "layers"},
               {offsetof(f2l_seq_config, width), 0, "width"},
               {offsetof(f2l_seq_config, mlp), F2L_SEQ_MAX_SIZE + 1, "mlp"},
               {offsetof(f2l_seq_config, householders), 0, "householders"},
               {offsetof(f2l_seq_config, householders), 17, "householders"},
               {offsetof(f2l_seq_config, key_dim), 257, "key_dim"},
               {offsetof(f2l_seq_config, value_dim), 0, "value_dim"},
               {offsetof(f2l_seq_config, heads), 0, "heads"},
               {offsetof(f2l_seq_config, states), 0, "states"},
               {offsetof(f2l_seq_config, convolution), 65, "convolution"}};
    f2l_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f2l_seq_config c = small_config();
        f2l_seq model;
        memcpy((char *)&c + bad[i].at, &bad[i].value, sizeof(size_t));
        cr_assert(f2l_seq_init(&model, &c, &err) == F2L_EDOMAIN);
        cr_assert(strstr(err.text, bad[i].name) != NULL, "%s", err.text);
        cr_assert(model.tensor == NULL);
    }
    f2l_seq_config c = small_config();
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_OK);
    c.learned_start = false;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN);
    c.additive = true;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_OK);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        c = small_config();
        c.slope = wrong[i];
        cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN);
        c = small_config();
        c.epsilon = wrong[i];
        cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN);
    }
}

Test(seq, refuses_exact_factors_that_cannot_be)
{
    f2l_error err;
    f2l_seq_config c = small_config();
    c.clamped_betas = c.exact_keys = c.ternary_keys = true;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_OK);
    c.exact_keys = false;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN && strstr(err.text, "ternary_keys"));
    c.exact_keys = true, c.key_pull = 2;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_OK);
    c.key_dim = 1;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN && strstr(err.text, "key_pull"));
    c.key_dim = 4, c.ternary_keys = false;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN && strstr(err.text, "key_pull"));
    c.key_pull = 0, c.key_epsilon = 1e-3;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN && strstr(err.text, "key_epsilon"));
    c.key_epsilon = 0, c.normalise_keys = false;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN && strstr(err.text, "normalise_keys"));
    c = small_config();
    c.clamped_betas = true, c.mixer = &f2l_mixer_gla;
    cr_assert(f2l_seq_config_check(&c, &err) == F2L_EDOMAIN && strstr(err.text, "mixer delta"));
}

Test(seq, configurations_are_written_and_read)
{
    f2l_seq_config c;
    f2l_error err;
    for (size_t number = 0; config_sample(&c, number); number++) {
        f2l_buf text, again;
        f2l_buf_init(&text);
        f2l_buf_init(&again);
        f2l_seq_config read = f2l_seq_config_default(1, 1);
        c.epsilon = 0.1 / 3;
        cr_assert(f2l_seq_config_write(&text, &c, &err) == F2L_OK);
        cr_assert(f2l_seq_config_read(&read, text.data, text.size, &err) == F2L_OK, "%s", err.text);
        cr_assert(f2l_seq_config_write(&again, &read, &err) == F2L_OK);
        cr_assert_str_eq(text.data, again.data);
        cr_assert(read.epsilon == c.epsilon && read.mixer == c.mixer && read.mlp == c.mlp);
        f2l_buf_clear(&text);
        f2l_buf_clear(&again);
    }
    const char *const bad[] = {"",
                               "[]",
                               "{\"layers\":\"2\"}",
                               "{\"layers\":-2}",
                               "{\"layers\":1.5}",
                               "{\"slope\":\"1\"}",
                               "{\"mixer\":\"lstm\"}",
                               "{\"mixer\":1}",
                               "{\"negative\":1}",
                               "{\"colour\":1}",
                               "{\"layers\":1,\"layers\":2}",
                               "{\"width\":4,\"heads\":null}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c = small_config();
        cr_assert(f2l_seq_config_read(&c, bad[i], strlen(bad[i]), &err) == F2L_EFORMAT, "%s",
                  bad[i]);
        cr_assert(c.width == 6, "%s", bad[i]);
    }
}

Test(seq, says_the_need_before_it_starts)
{
    f2l_seq_config c = f2l_seq_config_default(5, 5);
    f2l_seq model;
    f2l_error err;
    size_t bytes, more;
    cr_assert(f2l_seq_init(&model, &c, NULL) == F2L_OK);
    const f2l_seq_plan plan = {4, 64, true}, longer = {4, 128, true}, reading = {4, 64, false},
                       huge = {SIZE_MAX / 9, 8, true}, none = {0, 8, true};
    cr_assert(f2l_seq_work_bytes(&bytes, &model, &plan, 4, &err) == F2L_OK);
    cr_assert(f2l_seq_work_bytes(&more, &model, &longer, 4, &err) == F2L_OK);
    cr_assert(more > 19 * bytes / 10 && more < 2 * bytes);
    cr_assert(f2l_seq_work_bytes(&more, &model, &reading, 4, &err) == F2L_OK &&
              more < bytes / 2 + 500000);
    cr_assert(f2l_seq_work_bytes(&more, &model, &huge, 4, &err) == F2L_EDOMAIN);
    cr_assert(f2l_seq_work_bytes(&more, &model, &none, 4, &err) == F2L_EDOMAIN);
    f2l_seq_work_f32 *work;
    f2l_task task = {.memory = bytes - 1};
    cr_assert(f2l_seq_work_new_f32(&work, &model, &plan, &task, &err) == F2L_UNKNOWN &&
              work == NULL);
    task.memory = bytes;
    cr_assert(f2l_seq_work_new_f32(&work, &model, &plan, &task, &err) == F2L_OK);
    f2l_seq_work_free_f32(work);
    f2l_seq_work_free_f32(NULL);
    f2l_seq_clear(&model);
}

/* A run can be stopped between two parts of a batch. */
Test(seq, stops_when_told)
{
    const f2l_seq_config c = small_config();
    const volatile sig_atomic_t cancel = 15;
    const f2l_task task = {.cancel = &cancel};
    seq_case s = seq_case_of(&c, SEED);
    seq_batch b;
    f2l_seq_score score;
    seq_batch_fill(&b, &s.model, 5, 4, SEED);
    f2l_seq_work_f64 *work = work_of(&s.model, 2, 4, true);
    double *gradient = f2l_calloc(s.model.parameters, sizeof *gradient);
    cr_assert(f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, work, &task, NULL) ==
              F2L_UNKNOWN);
    f2l_free(gradient);
    f2l_seq_work_free_f64(work);
    seq_case_free(&s);
}

#ifdef F2L_MEM_FAILURES
Test(seq, survives_without_memory)
{
    const f2l_seq_config c = small_config();
    size_t failures = 0;
    for (size_t n = 1; n < 100; n++) {
        f2l_seq model;
        f2l_seq_work_f64 *work = NULL;
        const f2l_seq_plan plan = {2, 4, true};
        f2l_error err;
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_seq_init(&model, &c, &err);
        if (status == F2L_OK) status = f2l_seq_work_new_f64(&work, &model, &plan, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && work == NULL));
        f2l_seq_work_free_f64(work);
        f2l_seq_clear(&model);
        if (status == F2L_OK) break;
        failures++;
    }
    cr_assert(failures == 8, "%zu", failures);
}

Test(seq, passes_survive_without_memory)
{
    const f2l_seq_config c = small_config();
    seq_case s = seq_case_of(&c, SEED);
    seq_batch b;
    f2l_seq_score score;
    size_t failures = 0;
    seq_batch_fill(&b, &s.model, 2, 4, SEED);
    f2l_seq_work_f64 *work = work_of(&s.model, 2, 4, true);
    double *gradient = f2l_calloc(s.model.parameters, sizeof *gradient);
    for (size_t n = 1; n < 100; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status =
            f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, work, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        if (status == F2L_OK) break;
        failures++;
    }
    cr_assert(failures > 0 && failures < 99);
    f2l_free(gradient);
    f2l_seq_work_free_f64(work);
    seq_case_free(&s);
}
#endif
