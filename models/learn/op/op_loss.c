#include "models/learn/op/op_loss.h"
#include <math.h>

static f2l_status labels_fit(const uint32_t *label, const uint8_t *mask, size_t rows,
                             size_t classes, f2l_error *err)
{
    for (size_t i = 0; i < rows; i++)
        if ((!mask || mask[i]) && label[i] >= classes)
            return f2l_fail(err, F2L_EDOMAIN, "label %u at row %zu, but there are %zu classes",
                            (unsigned)label[i], i, classes);
    return F2L_OK;
}

/* Returns the largest logit, and in *argmax the least class with that logit; a NaN anywhere is
 * returned as the largest, with no class. */
static float largest_logit(size_t *argmax, const float *logits, size_t classes)
{
    float best = logits[0];
    *argmax = 0;
    for (size_t c = 0; c < classes; c++) {
        if (isnan(logits[c])) {
            *argmax = classes;
            return logits[c];
        }
        if (logits[c] > best) {
            best = logits[c];
            *argmax = c;
        }
    }
    if (isinf(best)) *argmax = classes;
    return best;
}

f2l_status f2l_loss_forward_f32(f2l_loss_sum *sum, uint8_t *right, const float *logits,
                                const uint32_t *label, const uint8_t *mask, size_t rows,
                                size_t classes, f2l_error *err)
{
    f2l_status status = labels_fit(label, mask, rows, classes, err);
    if (status) return status;
    *sum = (f2l_loss_sum){0};
    for (size_t i = 0; i < rows; i++, logits += classes) {
        if (right) right[i] = 0;
        if (mask && !mask[i]) continue;
        size_t argmax;
        const float best = largest_logit(&argmax, logits, classes);
        float total = expf(logits[0] - best);
        for (size_t c = 1; c < classes; c++) total += expf(logits[c] - best);
        sum->loss += (double)(logf(total) + (best - logits[label[i]]));
        sum->count++;
        sum->right += argmax == label[i];
        if (right) right[i] = argmax == label[i];
    }
    return F2L_OK;
}

f2l_status f2l_loss_backward_f32(float *dlogits, const float *logits, const uint32_t *label,
                                 const uint8_t *mask, float scale, size_t rows, size_t classes,
                                 f2l_error *err)
{
    f2l_status status = labels_fit(label, mask, rows, classes, err);
    if (status) return status;
    for (size_t i = 0; i < rows; i++, logits += classes, dlogits += classes) {
        const bool wanted = !mask || mask[i];
        float total = 0, best = 0;
        size_t argmax;
        if (wanted) best = largest_logit(&argmax, logits, classes);
        for (size_t c = 0; c < classes; c++) {
            dlogits[c] = wanted ? expf(logits[c] - best) : 0;
            total += dlogits[c];
        }
        for (size_t c = 0; wanted && c < classes; c++)
            dlogits[c] = scale * (dlogits[c] / total - (c == label[i] ? (float)1 : (float)0));
    }
    return F2L_OK;
}
