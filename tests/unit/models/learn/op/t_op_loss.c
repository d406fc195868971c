#include "models/learn/op/op_loss.h"
#include "tests/support/models/op_support.h"

enum { ROWS = 9, CLASSES = 5 };

typedef struct sample {
    double *logits;
    uint32_t label[ROWS];
    uint8_t mask[ROWS];
    bool masked;
} sample;

static sample sample_of(bool masked, uint64_t seed)
{
    sample s = {.logits = noise(ROWS * CLASSES, seed), .masked = masked};
    for (size_t i = 0; i < ROWS * CLASSES; i++) s.logits[i] *= 5;
    to_float(s.logits, ROWS * CLASSES);
    for (uint32_t i = 0; i < ROWS; i++) {
        s.mask[i] = (i * 7 + 1) % 3 != 0;
        s.label[i] = masked && !s.mask[i] ? UINT32_MAX : i * i % CLASSES; /* not read */
    }
    return s;
}

static double loss(void *context)
{
    const sample *s = context;
    f2l_loss_sum sum;
    cr_assert_eq(f2l_loss_forward_f64(&sum, NULL, s->logits, s->label, s->masked ? s->mask : NULL,
                                      ROWS, CLASSES, NULL),
                 F2L_OK);
    return sum.loss;
}

Test(op_loss, agrees_with_the_formula)
{
    for (int masked = 0; masked < 2; masked++) {
        sample s = sample_of(masked, 1);
        f2l_loss_sum sum, low;
        uint8_t right[ROWS], fright[ROWS];
        double want = 0;
        size_t count = 0, hits = 0;
        for (size_t i = 0; i < ROWS; i++) {
            bool best = true;
            double total = 0;
            if (masked && !s.mask[i]) continue;
            for (size_t c = 0; c < CLASSES; c++) {
                total += exp(s.logits[i * CLASSES + c]);
                best = best && s.logits[i * CLASSES + c] <= s.logits[i * CLASSES + s.label[i]];
            }
            want -= log(exp(s.logits[i * CLASSES + s.label[i]]) / total);
            count++;
            hits += best;
        }
        float *logits = narrow(s.logits, ROWS * CLASSES);
        const uint8_t *mask = masked ? s.mask : NULL;
        cr_assert_eq(
            f2l_loss_forward_f64(&sum, right, s.logits, s.label, mask, ROWS, CLASSES, NULL),
            F2L_OK);
        cr_assert_eq(f2l_loss_forward_f32(&low, fright, logits, s.label, mask, ROWS, CLASSES, NULL),
                     F2L_OK);
        cr_assert_float_eq(sum.loss, want, 1e-12);
        cr_assert_float_eq(low.loss, want, 1e-5);
        cr_assert(sum.count == count && low.count == count);
        cr_assert(sum.right == hits && low.right == hits);
        for (size_t i = 0; i < ROWS; i++) {
            hits -= right[i];
            cr_assert(right[i] == fright[i] && (!masked || s.mask[i] || !right[i]));
        }
        cr_assert_eq(hits, 0);
        free(logits), free(s.logits);
    }
}

Test(op_loss, gradients_by_differences_and_in_float)
{
    for (int masked = 0; masked < 2; masked++) {
        sample s = sample_of(masked, 2);
        const uint8_t *mask = masked ? s.mask : NULL;
        double d[ROWS * CLASSES], half[ROWS * CLASSES];
        float *logits = narrow(s.logits, ROWS * CLASSES);
        cr_assert_eq(f2l_loss_backward_f64(d, s.logits, s.label, mask, 1, ROWS, CLASSES, NULL),
                     F2L_OK);
        check_gradient("logits", d, s.logits, ROWS * CLASSES, loss, &s);
        memcpy(half, s.logits, sizeof half); /* in place */
        cr_assert_eq(f2l_loss_backward_f64(half, half, s.label, mask, 0.5, ROWS, CLASSES, NULL),
                     F2L_OK);
        cr_assert_eq(f2l_loss_backward_f32(logits, logits, s.label, mask, 1, ROWS, CLASSES, NULL),
                     F2L_OK);
        near_float("dlogits", logits, d, ROWS * CLASSES, 1e-6);
        for (size_t i = 0; i < ROWS * CLASSES; i++) {
            half[i] *= 2;
            if (masked && !s.mask[i / CLASSES]) cr_assert_eq(d[i], 0);
        }
        near("with a scale", half, d, ROWS * CLASSES, 1e-15);
        free(logits), free(s.logits);
    }
}

Test(op_loss, large_logits_do_not_overflow_and_ties_go_to_the_least_class)
{
    const float logits[6] = {1e30F, -1e30F, 0, 3, 3, 3};
    const uint32_t label[2] = {0, 0}, other[2] = {1, 1};
    f2l_loss_sum sum;
    uint8_t right[2];
    cr_assert_eq(f2l_loss_forward_f32(&sum, right, logits, label, NULL, 2, 3, NULL), F2L_OK);
    cr_assert_float_eq(sum.loss, log(3), 1e-6);
    cr_assert(right[0] && right[1] && sum.right == 2);
    cr_assert_eq(f2l_loss_forward_f32(&sum, right, logits, other, NULL, 2, 3, NULL), F2L_OK);
    cr_assert(isfinite(sum.loss) && sum.loss > 1e30 && !right[0] && !right[1]);
}

Test(op_loss, what_is_not_finite_shows_and_is_never_right)
{
    const double bad[] = {NAN, INFINITY};
    for (size_t i = 0; i < 2; i++)
        for (size_t at = 0; at < 3; at++) {
            double logits[3] = {1, 2, 3}, d[3];
            logits[at] = bad[i];
            for (uint32_t label = 0; label < 3; label++) {
                f2l_loss_sum sum;
                cr_assert_eq(f2l_loss_forward_f64(&sum, NULL, logits, &label, NULL, 1, 3, NULL),
                             F2L_OK);
                cr_assert(!isfinite(sum.loss) && !sum.right);
                cr_assert_eq(f2l_loss_backward_f64(d, logits, &label, NULL, 1, 1, 3, NULL), F2L_OK);
                cr_assert(isnan(d[0]) || isnan(d[1]) || isnan(d[2]));
            }
        }
}

Test(op_loss, a_label_that_is_no_class_is_refused)
{
    const float logits[6] = {0};
    float d[6] = {9};
    const uint32_t label[2] = {0, 3};
    const uint8_t first[2] = {1, 0}, second[2] = {0, 1};
    f2l_loss_sum sum;
    f2l_error err = {0};
    cr_assert_eq(f2l_loss_forward_f32(&sum, NULL, logits, label, first, 2, 3, &err), F2L_OK);
    cr_assert_eq(f2l_loss_forward_f32(&sum, NULL, logits, label, second, 2, 3, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "label 3 at row 1"), "%s", err.text);
    cr_assert_eq(f2l_loss_backward_f32(d, logits, label, NULL, 1, 2, 3, &err), F2L_EDOMAIN);
    cr_assert_eq(d[0], 9);
    cr_assert_eq(f2l_loss_forward_f32(&sum, NULL, logits, label, NULL, 1, 0, &err), F2L_EDOMAIN);
}
