/* The line that says what a verdict is about. */
#include "theory/certify/stock/stock.h"
#include <string.h>

static const char *word_of_verdict(f2l_status verdict)
{
    return verdict == F2L_OK ? "VERIFIED" : verdict == F2L_REFUTED ? "REFUTED" : "UNKNOWN";
}

void f2l_stock_line(f2l_buf *out, const f2l_stock_verdict *v, size_t path)
{
    static const char *const file[F2L_STOCK_HASHED] = {"config", "model", "prefix", "export"};
    const char *name = v->path[path].name; /* "chunk (more than 64 tokens at once)" */
    f2l_buf_printf(out, "s %s export %s path ", word_of_verdict(v->path[path].verdict), v->target);
    f2l_buf_bytes(out, name, strcspn(name, " ,"));
    f2l_buf_printf(out, " format %s label %s letters %zu labels %zu states %zu fsa %s", v->format,
                   f2l_label_name(v->label), v->letters.count, v->labels.count, v->states,
                   v->fsa_sha256);
    for (size_t i = 0; i < F2L_STOCK_HASHED; i++)
        f2l_buf_printf(out, " %s %s", file[i], v->file[i].sha256);
}
