/* The text of a fork (docs/man/fork-check.1). */
#include "theory/obstruct/fork/fork.h"

f2l_status f2l_fork_certificate(f2l_buf *out, const f2l_fork *fork, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err)
{
    f2l_status status = f2l_bound_begin(out, "fork", fsa, label, fork->class_of, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, "fork %zu %zu %zu\n", fork->s + 1, fork->p + 1, fork->q + 1);
    f2l_word_write(out, "reach", &fork->reach);
    f2l_word_write(out, "u", &fork->u);
    f2l_word_write(out, "v", &fork->v);
    f2l_word_write(out, "apart", &fork->apart);
    if (fork->still.length > 0) f2l_word_write(out, "still", &fork->still);
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
