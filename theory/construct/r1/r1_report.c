/* The report: the network that was built, and the range in which it is least. */
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <stdio.h>

#define DEFAULT_KERNEL 4 /* the default of theory/rep/cover/cover.h */

void f2l_r1_report_init(f2l_r1_report *report)
{
    *report = (f2l_r1_report){0};
}

void f2l_r1_report_clear(f2l_r1_report *report)
{
    for (size_t h = 0; report->head && h < report->heads; h++) f2l_free(report->head[h].rank);
    f2l_free(report->head);
    f2l_r1_report_init(report);
}

/* Fills a head's entry. Factors are counted in the network itself. */
static f2l_status fill_head_entry(f2l_r1_head *out, const f2l_r1_module *m, const f2l_head *head,
                                  size_t letters, f2l_error *err)
{
    *out = (f2l_r1_head){.dimension = m->rep.dimension,
                         .key_dim = head->n,
                         .field_degree = m->rep.field.degree,
                         .orthonormal = m->rep.orthonormal,
                         .permutes = m->image != NULL,
                         .character = m->rep.character,
                         .indicator = m->rep.indicator,
                         .rank = f2l_calloc(letters, sizeof *out->rank)};
    if (out->rank == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) {
        out->rank[a] = (uint32_t)head->letter[a].factors;
        if (out->rank[a] > out->most) out->most = out->rank[a];
    }
    return F2L_OK;
}

f2l_status f2l_r1_fill_report(f2l_r1_report *report, const f2l_r1_plan *plan,
                              const f2l_layer *layer, f2l_error *err)
{
    report->acting = plan->tables->group.order;
    report->letters = layer->letters;
    report->states = plan->r1->reach.states;
    report->codes = layer->codes;
    report->head = f2l_calloc(plan->modules, sizeof *report->head);
    if (report->head == NULL) return f2l_fail_memory(err);
    report->heads = plan->modules;
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < report->heads && status == F2L_OK; h++) {
        f2l_r1_head *head = &report->head[h];
        status = fill_head_entry(head, &plan->module[h], &layer->head[h], layer->letters, err);
        report->dimension += head->dimension;
        if (head->most > report->householders) report->householders = head->most;
    }
    report->minimal = report->householders == report->lower;
    return status;
}

static void describe_cover(const f2l_r1_report *report, size_t kernel, char *text, size_t size)
{
    const int used =
        snprintf(text, size,
                 "one layer with any number of heads whose transitions are orthogonal and generate "
                 "any cover of the transition group (order %zu): at least %zu factors per letter "
                 "(R2.2)",
                 report->order, report->lower);
    if (report->extensions == 0 || used < 0 || (size_t)used >= size) return;
    snprintf(text + used, size - (size_t)used,
             "; central extensions with kernels of order up to %zu were searched (R2.3, R2.4): %zu "
             "looked at, %s",
             kernel, report->extensions, report->complete ? "all there are" : "stopped at a limit");
}

void f2l_r1_describe(f2l_r1_report *report, const f2l_cover_options *options)
{
    char *text = report->scope;
    const size_t size = sizeof report->scope;
    switch (report->variant) {
    case F2L_R1_GROUP:
        snprintf(
            text, size,
            "one layer with any number of heads whose transitions are orthogonal and generate the "
            "transition group itself (order %zu): at least %zu factors per letter (R1); a larger "
            "group that covers it may need fewer",
            report->order, report->lower);
        break;
    case F2L_R1_COVER:
        describe_cover(report, options->limit ? options->limit : DEFAULT_KERNEL, text, size);
        break;
    case F2L_R1_DYADIC:
        snprintf(
            text, size,
            "one layer with any number of heads whose keys are exactly dyadic unit vectors and "
            "whose transitions generate the transition group itself (order %zu): at least %zu "
            "factors per letter (R1.12); signed permutations were searched (R1.13)%s",
            report->order, report->lower, report->complete ? "" : ", stopped at a limit");
        break;
    }
}
