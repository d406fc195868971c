/* R8 as a construction, for the target diagonal [0, 1]: a cascade by holonomy in decaying numbers.
 * It is verified like other cascades, but its codes are boxes. */
#include "theory/construct/decay/decay.h"
#include "theory/construct/diagonal/diagonal.h"
#include "theory/construct/t4/t4_construction.h"

static f2l_status build_decay_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    f2l_t4_detail *t4 = f2l_t4_begin(out, job);
    f2l_status status = f2l_decay_build(&out->net, &t4->report, &t4->cascade, out->subject,
                                        job->label, job->task, err);
    if (status == F2L_OK) t4->matrices = f2l_diagonal_class_name(f2l_diagonal_classify(&out->net));
    return status == F2L_OK ? f2l_t4_merge(out, job, err) : status;
}

static const f2l_variant variant[] = {
    {"R8", "diagonal-positive", .target = F2L_COMPILE_POSITIVE, .rounds = true}};

const f2l_construction f2l_construction_decay = {.variant = variant,
                                                 .variants = 1,
                                                 .applies = f2l_construct_states_only,
                                                 .least = f2l_t4_least,
                                                 .prepare = f2l_t4_prepare,
                                                 .complete = f2l_t4_complete,
                                                 .again = f2l_t4_again,
                                                 .detail = sizeof(f2l_t4_detail),
                                                 .build = build_decay_row,
                                                 .keep = f2l_t4_keep,
                                                 .proof = &f2l_proof_cascade,
                                                 .title = "{cascade.diagonal_class}",
                                                 .describe = f2l_t4_describe,
                                                 .tell = f2l_t4_tell,
                                                 .lines = "repair\t{cascade.repair}\n",
                                                 .clear = f2l_t4_clear};
