/* Diagonal targets, and the target of one reflection per token: a cascade by holonomy whose
 * levels are split into cyclic cells (theory/pages/diagonal.md). theory/compile/compile_t4.c
 * verifies it. */
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"

void f2l_compile_diagonal_least(f2l_compile_figures *out, const f2l_compile_job *job,
                                const f2l_compile_way *way)
{
    const f2l_compile_cover *cover = &job->cover[F2L_CASCADE_HOLONOMY];
    (void)way;
    out->layers = out->states = out->key_dim = 1;
    if (cover->tried && cover->status == F2L_OK && cover->size.levels > 1)
        out->layers = cover->size.levels;
}

static f2l_diagonal_target target_of(const f2l_compile_way *way)
{
    return way->target == F2L_COMPILE_DIAGONAL  ? F2L_DIAGONAL_REAL
           : way->target == F2L_COMPILE_COMPLEX ? F2L_DIAGONAL_COMPLEX
                                                : F2L_DIAGONAL_ONE;
}

static f2l_status classify(f2l_compile_t4 *t4, const f2l_net *net, const f2l_compile_way *way,
                           f2l_error *err)
{
    t4->diagonal_class = "one reflection";
    if (way->target == F2L_COMPILE_ONE) return F2L_OK;
    f2l_diagonal_class class;
    f2l_status status = f2l_diagonal_classify(&class, net, err);
    t4->diagonal_class = status == F2L_OK ? f2l_diagonal_class_name(class) : NULL;
    return status;
}

f2l_status f2l_compile_diagonal_build(f2l_compile_result *out, f2l_compile_job *job,
                                      const f2l_compile_way *way, f2l_error *err)
{
    const f2l_compile_cover *cover = &job->cover[F2L_CASCADE_HOLONOMY];
    const f2l_fsa *fsa = cover->cascade.fsa;
    f2l_components groups;
    f2l_error why = {0};
    f2l_status status = f2l_compile_t4_new(out, job, cover, err);
    if (status == F2L_OK) status = f2l_components_find(&groups, &cover->cascade, job->task, err);
    if (status != F2L_OK) return status;
    status = f2l_diagonal_build(&out->net, &out->t4->diagonal, &out->t4->report, &cover->cascade,
                                &groups, fsa, job->options->label, target_of(way), job->task, &why);
    f2l_components_clear(&groups);
    if (status == F2L_OK) return classify(out->t4, &out->net, way, err);
    const char *beyond = way->target == F2L_COMPILE_ONE
                             ? ": such a network exists (L.10 of theory/pages/ladder.md), but is "
                               "not built here"
                             : ": it has no such target; see fsa2lrnn classify";
    return f2l_fail(err, status, "%s%s", why.text, status == F2L_EDOMAIN ? beyond : "");
}
