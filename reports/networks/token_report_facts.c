/* The facts of the reports on tokens. */
#include "numeric/base/path.h"
#include "reports/networks/impl.h"
#include "reports/networks/token_report.h"
#include "reports/training/train_report_parts.h"
#include <math.h>

static void say_ratio(f2l_fact in, const char *name, double sum, uint64_t count)
{
    f2l_say_number(in, name, count > 0 ? sum / (double)count : (double)NAN);
}

static void say_loss(f2l_fact in, const f2l_token_loss *loss)
{
    f2l_say_count(in, "count", loss->count);
    say_ratio(in, "mean_loss", loss->loss, loss->count);
    say_ratio(in, "accuracy", (double)loss->right, loss->count);
}

static void say_positions(f2l_fact in, size_t bin)
{
    f2l_say_count(in, "from_position", (uint64_t)1 << bin);
    f2l_say_count(in, "to_position", ((uint64_t)2 << bin) - 1);
}

static void say_losses(f2l_fact out, const f2l_token_report *r)
{
    const f2l_tokens *t = r->tokens;
    f2l_say_text(out, "weights_file", f2l_path_base(r->weights));
    f2l_say_text(out, "token_file", f2l_path_base(r->file));
    f2l_say_model(out, r->model);
    f2l_say_count(out, "token_count", t->count);
    f2l_say_count(out, "token_sequences", t->sequences);
    f2l_say_truth(out, "own_labels", t->labelled);
    if (r->losses->all.count > 0)
        say_loss(f2l_say_object(out, "all_positions"), &r->losses->all);
    else
        f2l_say_null(out, "all_positions");
    f2l_fact list = f2l_say_list(out, "by_position");
    for (size_t b = 0; b < r->losses->bins; b++) {
        if (r->losses->bin[b].count == 0) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        say_positions(one, b);
        say_loss(one, &r->losses->bin[b]);
    }
}

static void say_seconds(f2l_fact out, const f2l_token_report *r)
{
    f2l_say_number(f2l_say_object(out, "timing"), "total_seconds", r->seconds);
}

void f2l_token_losses_describe(f2l_fact out, const void *report)
{
    const f2l_token_report *r = report;
    say_losses(out, r);
    say_seconds(out, r);
}

/* --- heads --- */

static f2l_fact say_spread(f2l_fact in, const char *name, const f2l_token_spread *s)
{
    if (s->count == 0) {
        f2l_say_null(in, name);
        return in;
    }
    f2l_fact one = f2l_say_object(in, name);
    f2l_say_number(one, "low", s->low);
    f2l_say_number(one, "high", s->high);
    f2l_say_count(one, "count", s->count);
    say_ratio(one, "average", s->sum, s->count);
    f2l_say_number(one, "least", s->least);
    f2l_say_number(one, "greatest", s->greatest);
    f2l_fact bins = f2l_say_list(one, "bins");
    for (size_t i = 0; i < F2L_TOKEN_SPREAD; i++) f2l_say_count(bins, NULL, s->bin[i]);
    return one;
}

static void say_eigen(f2l_fact in, const char *name, const f2l_token_eigen *e)
{
    f2l_fact one = f2l_say_object(in, name);
    f2l_say_count(one, "matrix_count", e->matrices);
    f2l_say_count(one, "count", e->values);
    say_ratio(one, "share_complex", (double)e->complex, e->values);
    say_ratio(one, "share_negative", (double)e->negative, e->values);
    say_ratio(one, "share_near_minus_1", (double)e->near_minus, e->values);
    say_ratio(one, "share_small", (double)e->small, e->values);
    say_ratio(one, "mean_modulus", e->modulus, e->values);
    f2l_say_number(one, "least_real", e->values > 0 ? e->least_real : (double)NAN);
}

/* Puts the bins that have a number. */
static void say_means(f2l_fact in, const char *name, const f2l_token_mean *mean)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t b = 0; b < F2L_TOKEN_BINS; b++) {
        if (mean[b].count == 0) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        say_positions(one, b);
        f2l_say_count(one, "count", mean[b].count);
        say_ratio(one, "average", mean[b].sum, mean[b].count);
    }
}

static void say_starts(f2l_fact in, const f2l_token_mean *start)
{
    f2l_fact list = f2l_say_list(in, "rank_at_documents");
    for (size_t i = 0; i < F2L_TOKEN_STARTS; i++) {
        if (start[i].count == 0) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "tokens_read", i == 0 ? 0 : (uint64_t)1 << (i - 1));
        f2l_say_count(one, "count", start[i].count);
        say_ratio(one, "average", start[i].sum, start[i].count);
    }
}

static void say_head(f2l_fact list, const f2l_token_head *h)
{
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_count(one, "layer", h->layer + 1);
    f2l_say_count(one, "head", h->head + 1);
    f2l_fact betas = say_spread(one, "token_betas", &h->betas);
    if (h->betas.count > 0) {
        say_ratio(betas, "share_below_0_1", (double)h->beta_low, h->betas.count);
        say_ratio(betas, "share_above_1", (double)h->beta_above_1, h->betas.count);
        say_ratio(betas, "share_above_1_9", (double)h->beta_above_19, h->betas.count);
    }
    (void)say_spread(one, "token_gates", &h->gates);
    say_eigen(one, "one_token", &h->one);
    say_eigen(one, "five_tokens", &h->five);
    (void)say_spread(one, "angles_within", &h->within);
    (void)say_spread(one, "angles_across", &h->across);
    f2l_say_number(one, "greatest_norm", h->greatest_norm);
    say_means(one, "norm_by_position", h->norm);
    say_means(one, "rank_by_position", h->rank);
    say_starts(one, h->start);
}

void f2l_token_heads_describe(f2l_fact out, const void *report)
{
    const f2l_token_report *r = report;
    say_losses(out, r);
    f2l_say_count(out, "documents", r->tokens->documents);
    f2l_say_count(out, "state_rows", r->heads->key_dim);
    f2l_say_count(out, "state_columns", r->heads->value_dim);
    f2l_fact list = f2l_say_list(out, "token_heads");
    for (size_t i = 0; i < r->heads->heads; i++) say_head(list, &r->heads->head[i]);
    say_seconds(out, r);
}
