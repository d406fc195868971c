/* The facts of a comparison: both networks, their matrices, and accuracy by length. */
#include "numeric/base/path.h"
#include "reports/networks/compare_parts.h"
#include "reports/training/failing_report.h"
#include "reports/training/train_report_parts.h"

static void say_compared_network(f2l_fact in, const f2l_compare_report *r)
{
    f2l_net_size size;
    f2l_fact one = f2l_say_object(in, "compared_network");
    f2l_say_text(one, "theorem", r->theorem);
    f2l_say_text(one, "network_file", r->network ? f2l_path_base(r->network) : NULL);
    f2l_say_text(one, "reason", r->no_network);
    if (r->net != NULL) f2l_net_measure(&size, r->net);
    f2l_say_known(one, "layers", r->net != NULL, r->net ? size.layers : 0);
    f2l_say_known(one, "householders", r->net != NULL, r->net ? size.householders : 0);
    f2l_say_known(one, "key_dim", r->net != NULL, r->net ? size.key_dim : 0);
    f2l_say_known(one, "joint_numbers", r->net != NULL, r->net ? size.states : 0);
}

static void say_compared_head(f2l_fact list, const f2l_inspect *x, const f2l_inspect_head *h)
{
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_inspect_say_spread(one, "beta_spread", &h->betas);
    f2l_say_number(one, "acting_rank", h->acting.effective_rank);
    f2l_fact letters = f2l_say_list(one, "letter_actions");
    for (size_t a = 0; a < x->letters; a++) f2l_inspect_say_letter(letters, x, h, a, false);
}

/* Puts the heads; null when they are not shown. */
static void say_heads(f2l_fact in, const char *name, const char *none, const f2l_inspect *x,
                      const char *why)
{
    f2l_say_text(in, none, why);
    if (why != NULL) {
        f2l_say_null(in, name);
        return;
    }
    f2l_fact list = f2l_say_list(in, name);
    for (size_t h = 0; h < x->heads; h++) say_compared_head(list, x, &x->head[h]);
}

/* Puts the betas of every layer on the words of the sample. */
static void say_layers(f2l_fact in, const f2l_compare_report *r)
{
    const f2l_seq_config *c = &r->learned->model->config;
    f2l_fact list = f2l_say_list(in, "layer_betas");
    for (size_t l = 0; l < c->layers && r->layer_betas != NULL; l++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "learned_layer", l + 1);
        f2l_fact heads = f2l_say_list(one, "head_betas");
        for (size_t h = 0; h < c->heads; h++)
            f2l_inspect_say_spread(heads, NULL, &r->layer_betas[l * c->heads + h]);
    }
}

static void say_matrices(f2l_fact in, const f2l_compare_report *r)
{
    f2l_inspect_say_letters(in, r->learned);
    say_heads(in, "learned_heads", "no_heads_reason", r->learned->inspect, r->no_heads);
    say_heads(in, "constructed_heads", "no_constructed_heads_reason", r->constructed,
              r->no_constructed_heads);
    f2l_say_known(in, "key_dim", r->no_heads == NULL, r->learned->inspect->key_dim);
    if (r->no_heads == NULL)
        f2l_inspect_say_relations(in, r->learned);
    else
        f2l_say_text(f2l_say_object(in, "relations"), "reason", r->no_heads);
}

static void say_compared_scores(f2l_fact in, const f2l_compare_report *r)
{
    const f2l_compare_scores *learned = &r->scores, *exact = &r->constructed_scores;
    f2l_say_count(in, "sequences", r->sequences);
    f2l_say_scores(in, "scores", learned->score, learned->scores);
    f2l_say_headline(in, learned->score, learned->scores);
    f2l_say_known(in, "first_wrong", learned->first_wrong > 0, learned->first_wrong);
    f2l_say_failing(in, r->failing, r->learned->data, r->sequences);
    f2l_say_settle(in, r->settle);
    f2l_say_scores(in, "constructed_scores", exact->score, exact->scores);
    f2l_say_known(in, "constructed_first_wrong", exact->first_wrong > 0, exact->first_wrong);
}

/* Puts what a comparison of these networks does not say. */
static void say_limits(f2l_fact in, const f2l_compare_report *r)
{
    const f2l_seq_config *c = &r->learned->model->config;
    f2l_fact list = f2l_say_list(in, "not_compared");
    if (c->layers > 1)
        f2l_say_text(
            list, NULL,
            "keys and betas of layers after the first are functions of the word, not of "
            "the letter: they have no matrices of letters, and their betas are shown as they "
            "are on the words of the sample");
    if (c->convolution > 1)
        f2l_say_text(
            list, NULL,
            "keys depend on several letters, by the convolution: the matrices are the ones "
            "of a letter that is repeated");
    if (c->additive)
        f2l_say_text(list, NULL,
                     "values are written into the state (B is not 0): the matrices of letters are "
                     "not all of its recurrence");
    if (r->net != NULL && r->net->layers > 1)
        f2l_say_text(list, NULL,
                     "of the constructed network the matrices of the first layer are shown; later "
                     "layers read symbols that depend on the word");
}

void f2l_compare_describe(f2l_fact out, const void *report)
{
    const f2l_compare_report *r = report;
    f2l_say_text(out, "weights_file", f2l_path_base(r->learned->weights));
    f2l_say_model(out, r->learned->model);
    f2l_say_text(out, "source", r->learned->source);
    f2l_say_data(out, r->learned->data);
    say_compared_network(out, r);
    say_compared_scores(out, r);
    f2l_compare_say_extraction(out, r);
    f2l_compare_say_irreps(out, r);
    f2l_compare_say_maps(out, r);
    say_matrices(out, r);
    say_layers(out, r);
    say_limits(out, r);
    f2l_say_number(f2l_say_object(out, "timing"), "total_seconds", r->seconds);
}
