/* D2 and T5: dihedral and cyclic groups in two layers with one reflection per layer. */
#include "theory/compile/impl.h"

f2l_status f2l_compile_dihedral_applies(f2l_compile_job *job, const f2l_compile_way *way,
                                        f2l_error *err)
{
    (void)way;
    return job->permutes ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "%s", job->merges);
}

/* Sets lower bounds: layer 1 holds a sign (1 number), layer 2 a vector of the plane (2 numbers). */
void f2l_compile_dihedral_least(f2l_compile_figures *out, const f2l_compile_job *job,
                                const f2l_compile_way *way)
{
    (void)job, (void)way;
    *out = (f2l_compile_figures){
        .layers = 2, .householders = 1, .factors_per_token = 1, .key_dim = 1, .states = 2};
}

f2l_status f2l_compile_dihedral_build(f2l_compile_result *out, f2l_compile_job *job,
                                      const f2l_compile_way *way, f2l_error *err)
{
    (void)way;
    f2l_status status = f2l_dihedral_build(&out->net, &out->dihedral, job->subject,
                                           job->options->label, job->task, err);
    if (status == F2L_OK && !out->dihedral.dihedral) out->theorem = "T5";
    return status;
}
