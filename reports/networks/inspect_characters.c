#include "reports/networks/inspect_characters.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void f2l_inspect_characters_init(f2l_inspect_characters *out)
{
    memset(out, 0, sizeof *out);
    f2l_classes_init(&out->classes);
    f2l_characters_init(&out->table);
}

void f2l_inspect_characters_clear(f2l_inspect_characters *out)
{
    f2l_free(out->re);
    f2l_free(out->im);
    f2l_free(out->trace);
    f2l_free(out->deviation);
    f2l_free(out->multiplicity);
    f2l_characters_clear(&out->table);
    f2l_classes_clear(&out->classes);
    f2l_inspect_characters_init(out);
}

/* Computes the values as numbers, from the exact multiplicities of eigenvalues. */
static f2l_status find_character_values(f2l_inspect_characters *out, f2l_error *err)
{
    const size_t e = out->classes.exponent, classes = out->classes.classes;
    size_t *multiplicity = f2l_calloc(e, sizeof *multiplicity);
    f2l_status status = multiplicity == NULL ? f2l_fail_memory(err) : F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < classes * classes; i++)
        status = f2l_characters_number(&out->re[i], &out->im[i], multiplicity, &out->table,
                                       &out->classes, i / classes, i % classes, err);
    f2l_free(multiplicity);
    return status;
}

static void average_traces(double *trace, double *deviation, const double *of, const f2l_classes *c,
                           size_t order)
{
    for (size_t g = 0; g < order; g++)
        trace[c->class_of[g]] += of[g] / (double)c->size[c->class_of[g]];
    for (size_t g = 0; g < order; g++) {
        double *most = &deviation[c->class_of[g]];
        *most = fmax(*most, fabs(of[g] - trace[c->class_of[g]]));
    }
}

/* Computes the multiplicity of every character from the traces of the classes, by the sum in the
 * header; real parts suffice, because the traces are real. */
static void find_multiplicities(double *multiplicity, const double *trace,
                                const f2l_inspect_characters *x, size_t order)
{
    const size_t classes = x->classes.classes;
    for (size_t i = 0; i < classes; i++) {
        double sum = 0;
        for (size_t c = 0; c < classes; c++)
            sum += (double)x->classes.size[c] * trace[c] * x->re[i * classes + c];
        multiplicity[i] = sum / (double)order;
    }
}

static bool allocate_inspect_characters(f2l_inspect_characters *out)
{
    const size_t classes = out->classes.classes, heads = out->heads;
    const size_t count[] = {classes * classes, classes * classes, heads * classes, heads * classes,
                            heads * classes};
    double **const array[] = {&out->re, &out->im, &out->trace, &out->deviation, &out->multiplicity};
    for (size_t i = 0; i < 5; i++) {
        *array[i] = f2l_calloc(count[i], sizeof(double));
        if (*array[i] == NULL) return false;
    }
    return true;
}

static f2l_status build_inspect_characters(f2l_inspect_characters *out,
                                           const f2l_inspect_relations *relations,
                                           const f2l_task *task, f2l_error *err)
{
    const f2l_group *group = &relations->group;
    out->heads = relations->heads;
    f2l_status status = f2l_classes_build(&out->classes, group, task, err);
    if (status == F2L_OK)
        status = f2l_characters_build(&out->table, group, &out->classes, task, err);
    if (status == F2L_OK && !allocate_inspect_characters(out)) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = find_character_values(out, err);
    for (size_t h = 0; status == F2L_OK && h < out->heads; h++) {
        const size_t at = h * out->classes.classes;
        average_traces(out->trace + at, out->deviation + at, relations->action[h].trace,
                       &out->classes, group->order);
        find_multiplicities(out->multiplicity + at, out->trace + at, out, group->order);
    }
    return status;
}

f2l_status f2l_inspect_characters_build(f2l_inspect_characters *out,
                                        const f2l_inspect_relations *relations,
                                        const f2l_task *task, f2l_error *err)
{
    f2l_error why;
    if (relations->why_none != NULL) {
        snprintf(out->why_none, sizeof out->why_none, "%s", relations->why_none);
        return F2L_OK;
    }
    f2l_status status = build_inspect_characters(out, relations, task, &why);
    if (status == F2L_OK) return F2L_OK;
    f2l_inspect_characters_clear(out);
    if (status != F2L_UNKNOWN) return f2l_fail(err, status, "%s", why.text);
    status = f2l_task_poll(task, "characters", 0, 1, err);
    if (status == F2L_OK) snprintf(out->why_none, sizeof out->why_none, "%s", why.text);
    return status;
}
