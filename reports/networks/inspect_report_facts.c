/* The facts of an inspect report. */
#include "automata/fsa/perm.h"
#include "numeric/base/path.h"
#include "reports/networks/impl.h"
#include "reports/training/train_report_parts.h"
#include <math.h>
#include <stdio.h>

/* Puts the rows [count][width] of a matrix. */
static void say_rows(f2l_fact in, const char *name, const double *value, size_t count, size_t width)
{
    f2l_fact rows = f2l_say_list(in, name);
    for (size_t i = 0; i < count; i++) f2l_say_numbers(rows, NULL, value + i * width, width);
}

/* Puts pairs [re, im]. */
static void say_complex(f2l_fact in, const char *name, const double *re, const double *im,
                        size_t count)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < count; i++)
        f2l_say_numbers(list, NULL, (const double[]){re[i], im[i]}, 2);
}

void f2l_inspect_say_spread(f2l_fact in, const char *name, const f2l_inspect_spread *s)
{
    f2l_fact spread = f2l_say_object(in, name);
    f2l_say_number(spread, "low", s->low);
    f2l_say_number(spread, "high", s->high);
    f2l_say_count(spread, "count", s->count);
    f2l_say_counts(spread, "bins", s->bin, F2L_INSPECT_BINS);
    f2l_say_count(spread, "outside", s->outside);
    f2l_say_count(spread, "near_low", s->near_low);
    f2l_say_count(spread, "near_high", s->near_high);
    f2l_say_numbers(spread, "quantiles", s->quantile, F2L_INSPECT_QUANTILES);
}

/* Puts the name of the letter in the data, or its word of the vocabulary, or its number from 1
 * on. */
static void say_letter(f2l_fact in, const char *name, const f2l_inspect_report *r, size_t letter)
{
    char number[32];
    snprintf(number, sizeof number, "%zu", r->word ? (size_t)r->word[letter] : letter + 1);
    f2l_say_text(in, name, r->data ? f2l_names_get(&r->data->letters, letter) : number);
}

void f2l_inspect_say_letters(f2l_fact in, const f2l_inspect_report *r)
{
    f2l_fact list = f2l_say_list(in, "per_letter");
    for (size_t i = 0; i < r->inspect->letters; i++) {
        f2l_fact one = f2l_say_object(list, NULL);
        say_letter(one, "name", r, i);
        f2l_say_truth(one, "used", r->inspect->used[i]);
    }
}

/* --- heads --- */

void f2l_inspect_say_letter(f2l_fact list, const f2l_inspect *x, const f2l_inspect_head *h,
                            size_t letter, bool keys)
{
    const size_t N = x->householders, K = x->key_dim, M = x->reduced;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_numbers(one, "betas", h->beta + letter * N, N);
    if (keys) say_rows(one, "key_vectors", h->key + letter * N * K, N, K);
    f2l_say_number(one, "gate", h->gate[letter]);
    f2l_say_numbers(one, "angles", h->angle + letter * (N - 1), N - 1);
    say_complex(one, "complex_eigenvalues", h->re + letter * M, h->im + letter * M, M);
    f2l_say_numbers(one, "singular_values", h->singular + letter * M, M);
    f2l_say_number(one, "distance", h->distance[letter]);
}

static void say_inspect_components(f2l_fact in, const char *name, const f2l_inspect_components *c,
                                   size_t K)
{
    const size_t least = K < 3 ? K : 3;
    double three = 0;
    for (size_t i = 0; i < least; i++) three += c->share[i];
    f2l_fact one = f2l_say_object(in, name);
    f2l_say_count(one, "vectors", c->keys);
    f2l_say_numbers(one, "singular_values", c->singular, K);
    f2l_say_numbers(one, "share", c->share, K);
    f2l_say_count(one, "enough", c->enough);
    f2l_say_number(one, "three", three);
    f2l_say_number(one, "effective_rank", c->effective_rank);
    say_rows(one, "directions", c->component, c->enough > least ? c->enough : least, K);
}

static void say_inspect_head(f2l_fact list, const f2l_inspect_report *r, const f2l_inspect_head *h)
{
    const f2l_inspect *x = r->inspect;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_fact worst = f2l_say_object(one, "worst_letter");
    f2l_say_number(worst, "distance", h->distance[h->worst]);
    say_letter(worst, "letter", r, h->worst);
    f2l_inspect_say_spread(one, "beta_spread", &h->betas);
    f2l_fact factors = f2l_say_list(one, "factor_spreads");
    for (size_t i = 0; i < x->householders; i++)
        f2l_inspect_say_spread(factors, NULL, &h->factor[i]);
    f2l_say_count(one, "letters_all_low", h->letters_low);
    f2l_say_count(one, "letters_all_high", h->letters_high);
    say_inspect_components(one, "key_components", &h->all, x->key_dim);
    say_inspect_components(one, "acting_key_components", &h->acting, x->key_dim);
    f2l_fact letters = f2l_say_list(one, "letter_actions");
    for (size_t i = 0; i < x->letters; i++) f2l_inspect_say_letter(letters, x, h, i, true);
}

static void say_decays(f2l_fact in, const f2l_inspect *x)
{
    f2l_fact decays = f2l_say_object(in, "decays");
    f2l_fact list = f2l_say_list(decays, "letter_decays");
    for (size_t i = 0; i < x->letters; i++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_inspect_say_spread(one, "spread", &x->decays[i]);
        say_rows(one, "decay", x->decay + i * x->channels * x->states, x->channels, x->states);
    }
    f2l_inspect_say_spread(decays, "all", &x->all);
    f2l_say_count(decays, "channels", x->channels);
    f2l_say_count(decays, "channel_states", x->states);
}

/* --- relations --- */

static void say_per_class(f2l_fact in, const char *name, const f2l_inspect_report *r,
                          const double *value, size_t h)
{
    const size_t classes = r->characters->classes.classes;
    if (r->characters->why_none[0])
        f2l_say_null(in, name);
    else
        f2l_say_numbers(in, name, value + h * classes, classes);
}

static void say_action(f2l_fact list, const f2l_inspect_report *r, size_t h)
{
    const f2l_inspect_action *a = &r->relations->action[h];
    const f2l_inspect_characters *c = r->characters;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_count(one, "span", a->span);
    f2l_say_count(one, "moving", a->moving);
    f2l_say_numbers(one, "singular_values", a->singular, r->inspect->key_dim);
    f2l_say_number(one, "leaves", a->leaves);
    f2l_say_number(one, "median", a->median);
    f2l_say_number(one, "worst", a->worst);
    if (r->relations->pairs == 0 || a->moving == 0) {
        f2l_say_null(one, "worst_pair");
    } else {
        f2l_fact pair = f2l_say_list(one, "worst_pair");
        say_letter(pair, NULL, r, a->first);
        say_letter(pair, NULL, r, a->second);
    }
    say_per_class(one, "traces", r, c->trace, h);
    say_per_class(one, "deviations", r, c->deviation, h);
    say_per_class(one, "multiplicities", r, c->multiplicity, h);
}

static void say_class(f2l_fact list, const f2l_inspect_report *r, size_t c)
{
    const f2l_classes *classes = &r->characters->classes;
    const f2l_group *g = &r->relations->group;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_buf element;
    f2l_buf_init(&element);
    f2l_perm_write(&element, g->element + (size_t)classes->representative[c] * g->degree,
                   g->degree);
    f2l_say_buf(one, "element", &element);
    f2l_say_count(one, "size", classes->size[c]);
    f2l_say_count(one, "order", classes->element_order[c]);
}

/* Puts `conjugacy_classes` and `characters`. */
static void say_table(f2l_fact in, const f2l_inspect_report *r)
{
    const f2l_inspect_characters *x = r->characters;
    f2l_say_text(in, "no_characters_reason", x->why_none[0] ? x->why_none : NULL);
    if (x->why_none[0]) {
        f2l_say_null(in, "conjugacy_classes");
        f2l_say_null(in, "characters");
        return;
    }
    const size_t classes = x->classes.classes;
    f2l_fact list = f2l_say_list(in, "conjugacy_classes");
    for (size_t c = 0; c < classes; c++) say_class(list, r, c);
    f2l_fact characters = f2l_say_list(in, "characters");
    for (size_t i = 0; i < classes; i++) {
        f2l_fact one = f2l_say_object(characters, NULL);
        f2l_say_count(one, "degree", x->table.degree[i]);
        f2l_say_integer(one, "indicator", x->table.indicator[i]);
        say_complex(one, "complex_values", x->re + i * classes, x->im + i * classes, classes);
    }
}

void f2l_inspect_say_relations(f2l_fact in, const f2l_inspect_report *r)
{
    const f2l_inspect_relations *x = r->relations;
    f2l_fact relations = f2l_say_object(in, "relations");
    f2l_say_text(relations, "reason", x->why_none);
    if (x->why_none != NULL) return;
    f2l_say_number(relations, "threshold", x->threshold);
    f2l_say_count(relations, "order", x->group.order);
    f2l_say_count(relations, "letter_pairs", x->pairs);
    f2l_say_count(relations, "letter_pairs_there", x->pairs_there);
    f2l_fact heads = f2l_say_list(relations, "head_actions");
    for (size_t h = 0; h < x->heads; h++) say_action(heads, r, h);
    say_table(relations, r);
}

/* --- all --- */

void f2l_inspect_report_describe(f2l_fact out, const void *report)
{
    const f2l_inspect_report *r = report;
    const f2l_inspect *x = r->inspect;
    f2l_say_text(out, "weights_file", f2l_path_base(r->weights));
    f2l_say_truth(out, "unfinished", r->unfinished);
    f2l_say_text(out, "source", r->source);
    f2l_say_model(out, r->model);
    f2l_say_data(out, r->data);
    f2l_say_count(out, "layer", r->layer);
    f2l_say_known(out, "layer_of", r->word != NULL, r->layers);
    f2l_say_count(out, "repeats", x->repeats);
    f2l_say_count(out, "letters", x->letters);
    f2l_say_count(out, "letters_used", x->used_letters);
    f2l_inspect_say_letters(out, r);
    if (x->heads > 0) {
        f2l_say_count(out, "householders", x->householders);
        f2l_say_count(out, "key_dim", x->key_dim);
        f2l_say_count(out, "eigenvalues_equal_to_gate", x->key_dim - x->reduced);
        f2l_fact heads = f2l_say_list(out, "per_head");
        for (size_t h = 0; h < x->heads; h++) say_inspect_head(heads, r, &x->head[h]);
    } else {
        say_decays(out, x);
    }
    f2l_inspect_say_relations(out, r);
}

/* Writes numbers with nine digits, which determine a float: the weights are floats. */
