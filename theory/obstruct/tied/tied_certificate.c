/* The text of the proof (docs/man/depth-check.1). */
#include "theory/obstruct/tied/tied.h"

static void write_set(f2l_buf *out, const f2l_tied_stage *stage, bool first, size_t i)
{
    static const char *const name[] = {
        [F2L_TIED_PRODUCT] = "product", [F2L_TIED_FORK] = "fork", [F2L_TIED_BAND] = "band"};
    const f2l_tied_set *set = &stage->set[i];
    f2l_buf_printf(out, "set %zu ", i + 1);
    if (set->rule != F2L_TIED_SINGLE) {
        f2l_buf_printf(out, "%s %zu %zu\n", name[set->rule], set->parent[0] + 1,
                       set->parent[1] + 1);
    } else if (first) {
        f2l_word_write(out, "word", &set->word);
    } else {
        f2l_buf_text(out, "images");
        for (size_t q = 0; q < stage->states; q++) f2l_buf_printf(out, " %u", set->image[q] + 1);
        f2l_buf_text(out, "\n");
    }
}

f2l_status f2l_tied_certificate(f2l_buf *out, const f2l_tied *tied, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err)
{
    if (tied->stages == 0) return f2l_fail(err, F2L_EDOMAIN, "there is no bound to prove");
    f2l_status status = f2l_bound_begin(out, "depth", fsa, label, tied->class_of, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, "layers %zu\n", tied->layers);
    for (size_t s = 0; s < tied->stages; s++) {
        const f2l_tied_stage *stage = &tied->stage[s];
        for (size_t i = 0; i < stage->sets; i++) write_set(out, stage, s == 0, i);
        if (s + 1 < tied->stages) f2l_buf_printf(out, "descend %zu\n", stage->from + 1);
    }
    const f2l_tied_end *end = &tied->end;
    if (end->layers == 1)
        f2l_buf_printf(out, "one %zu apart", end->from + 1);
    else
        f2l_buf_printf(out, "two %zu %zu %zu apart", end->from + 1, end->to[0] + 1, end->to[1] + 1);
    f2l_word_write(out, "", &end->apart);
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
