/* The published numbers. */
#include "reports/training/published.h"
#include "tests/support/reports/outcome_support.h"

/* Names in the published table are names of presets, or of networks that are in no preset. */
Test(published, published)
{
    for (const f2l_published *p = f2l_published_numbers; p->preset != NULL; p++) {
        const f2l_preset *preset = f2l_preset_find(p->preset);
        cr_assert(preset != NULL && p->source[0] && p->model[0], "%s", p->preset);
        const bool other = strpbrk(p->model, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
        cr_assert_eq(f2l_preset_model_find(preset, p->model) == NULL, other, "%s %s", p->preset,
                     p->model);
        cr_assert(isnan(p->value) ? p->what[0] != '\0' : p->value >= 0 && p->value <= 1);
    }
}

/* The published average of every network is the mean of its four published accuracies. */
Test(published, published_averages)
{
    size_t networks = 0;
    for (const f2l_published_average *a = f2l_published_averages; a->model != NULL; a++) {
        double sum = 0;
        size_t tasks = 0;
        for (const f2l_published *p = f2l_published_numbers; p->preset != NULL; p++)
            if (strcmp(p->model, a->model) == 0 && strcmp(p->source, a->source) == 0) {
                sum += p->value;
                tasks++;
            }
        cr_assert(tasks == 4 && fabs(sum / 4 - a->value) < 0.000501, "%s: %zu, %.4f", a->model,
                  tasks, sum / 4);
        networks++;
    }
    cr_assert_eq(networks, 17);
}
