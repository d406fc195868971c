/* G as a construction, for diagonal targets and the target of one reflection per token: a cascade
 * by holonomy whose levels are split into cyclic cells. */
#include "theory/construct/diagonal/diagonal.h"
#include "theory/construct/t4/t4_construction.h"

typedef struct detail {
    f2l_t4_detail t4;
    f2l_diagonal diagonal; /* how the codes are read */
} detail;

static f2l_status build_diagonal_row(f2l_compile_result *out, f2l_construct_job *job,
                                     f2l_error *err)
{
    f2l_t4_detail *t4 = f2l_t4_begin(out, job);
    f2l_diagonal *diagonal = &((detail *)out->detail)->diagonal;
    const f2l_diagonal_target target = (f2l_diagonal_target)job->variant->number;
    f2l_components groups;
    f2l_error why = {0};
    f2l_status status = f2l_components_find(&groups, &t4->cascade, job->task, err);
    if (status != F2L_OK) return status;
    status = f2l_diagonal_build(&out->net, diagonal, &t4->report, &t4->cascade, &groups,
                                out->subject, job->label, target, job->task, &why);
    f2l_components_clear(&groups);
    if (diagonal->levels > 0)
        t4->reading = (f2l_local_reading){f2l_diagonal_coordinate, diagonal, NULL};
    if (status == F2L_OK) {
        t4->matrices = target == F2L_DIAGONAL_ONE
                           ? "one reflection"
                           : f2l_diagonal_class_name(f2l_diagonal_classify(&out->net));
        return f2l_t4_merge(out, job, err);
    }
    const char *beyond = target == F2L_DIAGONAL_ONE
                             ? ": L10 builds such a network in other ways"
                             : ": it has no such target; see fsa2lrnn classify";
    return f2l_fail(err, status, "%s%s", why.text, status == F2L_EDOMAIN ? beyond : "");
}

static void clear_diagonal_detail(void *data)
{
    f2l_diagonal_clear(&((detail *)data)->diagonal);
    f2l_t4_clear(data);
}

static const f2l_variant variant[] = {
    {"G", "diagonal", .number = F2L_DIAGONAL_REAL, .target = F2L_COMPILE_DIAGONAL},
    {"G", "complex", .number = F2L_DIAGONAL_COMPLEX, .target = F2L_COMPILE_COMPLEX},
    {"G", "one reflection", .number = F2L_DIAGONAL_ONE, .target = F2L_COMPILE_ONE}};

const f2l_construction f2l_construction_diagonal = {.variant = variant,
                                                    .variants = sizeof variant / sizeof *variant,
                                                    .applies = f2l_construct_states_only,
                                                    .least = f2l_t4_least,
                                                    .prepare = f2l_t4_prepare,
                                                    .complete = f2l_t4_complete,
                                                    .again = f2l_t4_again,
                                                    .detail = sizeof(detail),
                                                    .build = build_diagonal_row,
                                                    .keep = f2l_t4_keep,
                                                    .proof = &f2l_proof_cascade,
                                                    .title = "{cascade.diagonal_class}",
                                                    .describe = f2l_t4_describe,
                                                    .tell = f2l_t4_tell,
                                                    .lines = "repair\t{cascade.repair}\n",
                                                    .clear = clear_diagonal_detail};
