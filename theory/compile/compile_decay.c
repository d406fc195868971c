/* The target diagonal [0, 1]: a cascade by holonomy in decaying numbers (theory/pages/decay.md). It
 * is verified like other cascades (theory/compile/compile_t4.c), but its codes are boxes. */
#include "theory/compile/impl.h"
#include "theory/construct/decay/decay.h"

f2l_status f2l_compile_decay_build(f2l_compile_result *out, f2l_compile_job *job,
                                   const f2l_compile_way *way, f2l_error *err)
{
    const f2l_compile_cover *cover = &job->cover[F2L_CASCADE_HOLONOMY];
    f2l_diagonal_class class = F2L_CLASS_OTHER;
    (void)way;
    f2l_status status = f2l_compile_t4_new(out, job, cover, err);
    if (status == F2L_OK)
        status = f2l_decay_build(&out->net, &out->t4->report, &cover->cascade, cover->cascade.fsa,
                                 job->options->label, job->task, err);
    if (status == F2L_OK) status = f2l_diagonal_classify(&class, &out->net, err);
    if (status == F2L_OK) out->t4->diagonal_class = f2l_diagonal_class_name(class);
    return status;
}
