#include "tests/support/train/seq_support.h"

#define SEED 7

Test(seq_gradient, agrees_with_differences_for_every_mixer_and_option)
{
    f2l_seq_config c;
    size_t number = 0;
    for (; config_sample(&c, number); number++) seq_check_gradient(&c, number, SEED + number);
    cr_assert(number == 20);
}

Test(seq_gradient, parts_add_up)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        seq_case s = seq_case_of(&c, SEED);
        seq_batch b;
        f2l_seq_score whole, parts;
        seq_batch_fill(&b, &s.model, 5, 6, SEED);
        f2l_seq_work_f64 *one = work_of(&s.model, 5, 6, true), *two = work_of(&s.model, 2, 9, true);
        double *x = seq_gradient_of(&whole, &s, &b.batch, 1, one),
               *y = seq_gradient_of(&parts, &s, &b.batch, 1, two),
               *again = seq_gradient_of(&whole, &s, &b.batch, 1, one);
        cr_assert(memcmp(x, again, s.model.parameters * sizeof *x) == 0, "not the same twice");
        for (size_t i = 0; i < s.model.parameters; i++)
            cr_assert(fabs(x[i] - y[i]) < 1e-12 * (1 + fabs(x[i])));
        cr_assert(fabs(whole.loss - parts.loss) < 1e-12 * whole.loss);
        cr_assert(whole.supervised == parts.supervised && whole.right == parts.right);
        size_t last = 0;
        for (size_t i = 0; i < 5; i++) {
            double logits[BATCH_CELLS * 4];
            size_t t = 6;
            cr_assert(f2l_seq_logits_f64(logits, NULL, &b.batch, s.parameter, one, NULL) == F2L_OK);
            while (t > 0 && b.mask[i * 6 + t - 1] == 0) t--;
            if (t == 0) continue;
            const double *row = logits + (i * 6 + t - 1) * 4;
            size_t best = 0;
            for (size_t l = 1; l < 4; l++)
                if (row[l] > row[best]) best = l;
            last += best == b.label[i * 6 + t - 1];
        }
        cr_assert(whole.right_last == last && parts.right_last == last);
        cr_assert(whole.sequences == parts.sequences && whole.right_ones == parts.right_ones &&
                  whole.sequences == 5);
        /* Gradients are added: a second call doubles them. */
        cr_assert(f2l_seq_gradient_f64(&parts, again, &b.batch, s.parameter, 1, one, NULL, NULL) ==
                  F2L_OK);
        for (size_t i = 0; i < s.model.parameters; i++)
            cr_assert(fabs(again[i] - 2 * x[i]) < 1e-12 * (1 + fabs(x[i])));
        f2l_free(x);
        f2l_free(y);
        f2l_free(again);
        f2l_seq_work_free_f64(one);
        f2l_seq_work_free_f64(two);
        seq_case_free(&s);
    }
}

/* Gradients in float agree with those in double. */
Test(seq_gradient, float_agrees_with_double)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        seq_case s = seq_case_of(&c, SEED);
        seq_batch b;
        f2l_seq_score wide, narrow;
        const f2l_seq_plan plan = {4, 6, true};
        const size_t n = s.model.parameters;
        seq_batch_fill(&b, &s.model, 4, 6, SEED);
        f2l_seq_work_f64 *work = work_of(&s.model, 4, 6, true);
        f2l_seq_work_f32 *work32;
        cr_assert(f2l_seq_work_new_f32(&work32, &s.model, &plan, NULL, NULL) == F2L_OK);
        float *parameter = f2l_calloc(n, sizeof *parameter),
              *gradient = f2l_calloc(n, sizeof *gradient);
        for (size_t i = 0; i < n; i++)
            s.parameter[i] = (double)(parameter[i] = (float)s.parameter[i]);
        double *x = seq_gradient_of(&wide, &s, &b.batch, 1, work);
        cr_assert(f2l_seq_gradient_f32(&narrow, gradient, &b.batch, parameter, 1, work32, NULL,
                                       NULL) == F2L_OK);
        double error = 0, norm = 0;
        for (size_t i = 0; i < n; i++) {
            error += (x[i] - (double)gradient[i]) * (x[i] - (double)gradient[i]);
            norm += x[i] * x[i];
        }
        cr_assert(error < 1e-9 * norm && norm > 0, "configuration %zu: %g of %g", number,
                  sqrt(error), sqrt(norm));
        cr_assert(fabs(wide.loss - narrow.loss) < 1e-4 * wide.loss);
        f2l_free(parameter);
        f2l_free(gradient);
        f2l_free(x);
        f2l_seq_work_free_f32(work32);
        f2l_seq_work_free_f64(work);
        seq_case_free(&s);
    }
}

Test(seq_gradient, refuses_what_does_not_fit)
{
    f2l_seq_config c = small_config();
    seq_case s = seq_case_of(&c, SEED);
    seq_batch b;
    f2l_seq_score score;
    f2l_error err;
    seq_batch_fill(&b, &s.model, 2, 5, SEED);
    double *gradient = f2l_calloc(s.model.parameters, sizeof *gradient);
    f2l_seq_work_f64 *work = work_of(&s.model, 2, 5, true), *other = work_of(&s.model, 2, 5, false);
    cr_assert(f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, other, NULL, &err) ==
              F2L_EDOMAIN);
    b.letter[9] = 3;
    cr_assert(f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, work, NULL, &err) ==
              F2L_EDOMAIN);
    cr_assert(strstr(err.text, "letter 3") != NULL, "%s", err.text);
    b.letter[9] = 2;
    b.label[4] = 4;
    b.mask[4] = 1;
    cr_assert(f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, work, NULL, &err) ==
              F2L_EDOMAIN);
    cr_assert(strstr(err.text, "label 4") != NULL, "%s", err.text);
    for (size_t i = 0; i < s.model.parameters; i++) cr_assert(gradient[i] == 0);
    b.mask[4] = 0; /* a label that is not supervised may be anything */
    cr_assert(f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, work, NULL, &err) ==
              F2L_OK);
    b.batch.length = 11;
    cr_assert(f2l_seq_gradient_f64(&score, gradient, &b.batch, s.parameter, 1, work, NULL, &err) ==
              F2L_EDOMAIN);
    f2l_free(gradient);
    f2l_seq_work_free_f64(work);
    f2l_seq_work_free_f64(other);
    seq_case_free(&s);
}

/* Positions that are not supervised have no effect: letters after the last supervised position may
 * be anything. */
Test(seq_gradient, does_not_look_ahead)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        seq_case s = seq_case_of(&c, SEED);
        seq_batch b;
        f2l_seq_score score;
        seq_batch_fill(&b, &s.model, 2, 8, SEED);
        for (size_t i = 0; i < 16; i++) b.mask[i] = i % 8 == 4;
        f2l_seq_work_f64 *work = work_of(&s.model, 2, 8, true);
        double *x = seq_gradient_of(&score, &s, &b.batch, 1, work);
        for (size_t i = 0; i < 16; i++)
            if (i % 8 > 4) b.letter[i] = (b.letter[i] + 1) % 3;
        double *y = seq_gradient_of(&score, &s, &b.batch, 1, work);
        for (size_t i = 0; i < s.model.parameters; i++)
            cr_assert(fabs(x[i] - y[i]) < 1e-13 * (1 + fabs(x[i])));
        f2l_free(x);
        f2l_free(y);
        f2l_seq_work_free_f64(work);
        seq_case_free(&s);
    }
}
