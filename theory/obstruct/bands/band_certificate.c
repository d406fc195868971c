/* The text of a pattern (docs/man/band-check.1). */
#include "theory/obstruct/bands/bands.h"

f2l_status f2l_band_certificate(f2l_buf *out, const f2l_band *band, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err)
{
    if (!band->found) return f2l_fail(err, F2L_EDOMAIN, "there is no pattern to prove");
    f2l_status status = f2l_bound_begin(out, "band", fsa, label, band->class_of, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, "band");
    for (int i = 0; i < F2L_BAND_STATES; i++) f2l_buf_printf(out, " %zu", band->state[i] + 1);
    f2l_buf_text(out, "\n");
    f2l_word_write(out, "reach", &band->reach);
    f2l_word_write(out, "u", &band->u);
    f2l_word_write(out, "v", &band->v);
    f2l_word_write(out, "apart", &band->apart);
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
