/* The text of a fork (docs/man/fork-check.1). */
#include "theory/obstruct/fork/fork.h"

static void write_word(f2l_buf *out, const char *name, const f2l_word *word)
{
    f2l_buf_text(out, name);
    f2l_word_write(out, word);
}

f2l_status f2l_fork_certificate(f2l_buf *out, const f2l_fork *fork, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err)
{
    char hex[65];
    f2l_status status = f2l_fsa_sha256(fsa, hex, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, "lrnn-fork 1\nfsa %s\nlabel %s\nclasses", hex, f2l_label_name(label));
    for (size_t i = 0; i < fsa->states.count; i++)
        f2l_buf_printf(out, " %u", fork->class_of[i] + 1); /* 0 where it cannot be reached */
    f2l_buf_printf(out, "\nfork %zu %zu %zu\n", fork->s + 1, fork->p + 1, fork->q + 1);
    write_word(out, "reach", &fork->reach);
    write_word(out, "u", &fork->u);
    write_word(out, "v", &fork->v);
    write_word(out, "apart", &fork->apart);
    if (fork->still.length > 0) write_word(out, "still", &fork->still);
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
