/* The text of a certificate; theory/check/learned/horizon-check.c has the grammar. */
#include "theory/beside/horizon/impl.h"

static void write_in_units(f2l_buf *out, double x)
{
    f2l_buf_printf(out, " %.0f", x / F2L_LEARNED_UNIT);
}

static void row(f2l_buf *out, const char *word, const double *x, size_t n)
{
    f2l_buf_text(out, word);
    for (size_t i = 0; i < n; i++) write_in_units(out, x[i]);
    f2l_buf_text(out, "\n");
}

void f2l_learned_write_head(f2l_buf *out, const f2l_learned_files *files, const char *scope,
                            const char *claim)
{
    f2l_buf_printf(out, "%s\nfsa %s\nconfig %s\nweights %s\nscope %s\n",
                   claim ? "learned-cert 1" : "horizon-cert 2", files->fsa, files->config,
                   files->weights, scope);
    if (claim) f2l_buf_printf(out, "claim %s\n", claim);
}

f2l_status f2l_learned_horizon_write(f2l_buf *out, const f2l_learned_horizon *horizon,
                                     const f2l_learned_files *files, f2l_error *err)
{
    const f2l_learned_horizon *h = horizon;
    const size_t K = h->key;
    if (h->horizon == 0)
        return f2l_fail(err, F2L_EDOMAIN, "the horizon is 0, of which there is no certificate");
    f2l_learned_write_head(out, files, h->scope->name, NULL);
    f2l_buf_printf(out, "horizon %zu\nprefix %zu\nletters", h->horizon, h->prefix);
    for (size_t i = 0; i < h->group; i++) f2l_buf_printf(out, " %u", h->letter[i] + 1);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < h->heads; i++) {
        f2l_buf_text(out, "form");
        for (size_t j = 0; j < K * K; j++)
            if (j % K >= j / K) write_in_units(out, h->form[i * K * K + j] + 0.0);
        f2l_buf_text(out, "\n");
    }
    for (size_t w = 0; w < h->letters; w++) {
        f2l_buf_printf(out, "norm %zu", w + 1);
        row(out, "", h->norm + w * h->heads, h->heads);
    }
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
