#include "automata/fsa/perm.h"
#include "numeric/base/path.h"
#include "reports/compile/report_json.h"
#include "reports/networks/inspect_report.h"
#include <math.h>
#include <string.h>

/* Returns a number, or null for infinities and NaN, which JSON lacks. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *reals(const double *value, size_t count)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++) complete = f2l_json_append(a, real(value[i]));
    return f2l_json_finish(a, complete);
}

static json_t *rows(const double *value, size_t count, size_t width)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++)
        complete = f2l_json_append(a, reals(value + i * width, width));
    return f2l_json_finish(a, complete);
}

/* Returns an array of pairs [re, im]. */
static json_t *complexes(const double *re, const double *im, size_t count)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++) {
        const double pair[2] = {re[i], im[i]};
        complete = f2l_json_append(a, reals(pair, 2));
    }
    return f2l_json_finish(a, complete);
}

static json_t *spread(const f2l_inspect_spread *s)
{
    json_t *o = json_object(), *bins = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < F2L_INSPECT_BINS; i++)
        complete = f2l_json_append(bins, f2l_json_number(s->bin[i]));
    bins = f2l_json_finish(bins, complete);
    return f2l_json_finish(
        o, f2l_json_put(o, "low", real(s->low)) && f2l_json_put(o, "high", real(s->high)) &&
               f2l_json_put(o, "count", f2l_json_number(s->count)) &&
               f2l_json_put(o, "bins", bins) &&
               f2l_json_put(o, "outside", f2l_json_number(s->outside)) &&
               f2l_json_put(o, "near_low", f2l_json_number(s->near_low)) &&
               f2l_json_put(o, "near_high", f2l_json_number(s->near_high)) &&
               f2l_json_put(o, "quantiles", reals(s->quantile, F2L_INSPECT_QUANTILES)));
}

static json_t *spreads(const f2l_inspect_spread *s, size_t count)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++) complete = f2l_json_append(a, spread(&s[i]));
    return f2l_json_finish(a, complete);
}

static json_t *letter_name(const f2l_inspect_report *r, size_t letter)
{
    char number[32];
    if (r->data != NULL) return f2l_json_text(f2l_names_get(&r->data->letters, letter));
    snprintf(number, sizeof number, "%zu", letter + 1);
    return f2l_json_text(number);
}

static bool append_letter(json_t *array, const f2l_inspect_report *r, size_t letter)
{
    json_t *o = json_object();
    return f2l_json_append(
        array,
        f2l_json_finish(o, f2l_json_put(o, "name", letter_name(r, letter)) &&
                               f2l_json_put(o, "used", json_boolean(r->inspect->used[letter]))));
}

static json_t *letters(const f2l_inspect_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->inspect->letters; i++) complete = append_letter(a, r, i);
    return f2l_json_finish(a, complete);
}

/* --- heads --- */

static json_t *head_letter(const f2l_inspect *x, const f2l_inspect_head *h, size_t letter)
{
    const size_t N = x->householders, K = x->key_dim, M = x->reduced;
    json_t *o = json_object();
    return f2l_json_finish(
        o,
        f2l_json_put(o, "betas", reals(h->beta + letter * N, N)) &&
            f2l_json_put(o, "keys", rows(h->key + letter * N * K, N, K)) &&
            f2l_json_put(o, "gate", real(h->gate[letter])) &&
            f2l_json_put(o, "angles", reals(h->angle + letter * (N - 1), N - 1)) &&
            f2l_json_put(o, "eigenvalues", complexes(h->re + letter * M, h->im + letter * M, M)) &&
            f2l_json_put(o, "singular_values", reals(h->singular + letter * M, M)) &&
            f2l_json_put(o, "distance", real(h->distance[letter])));
}

static json_t *head_letters(const f2l_inspect *x, const f2l_inspect_head *h)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < x->letters; i++)
        complete = f2l_json_append(a, head_letter(x, h, i));
    return f2l_json_finish(a, complete);
}

static json_t *components(const f2l_inspect_components *c, size_t K)
{
    const size_t least = K < 3 ? K : 3;
    double three = 0;
    json_t *o = json_object();
    for (size_t i = 0; i < least; i++) three += c->share[i];
    return f2l_json_finish(
        o, f2l_json_put(o, "keys", f2l_json_number(c->keys)) &&
               f2l_json_put(o, "singular_values", reals(c->singular, K)) &&
               f2l_json_put(o, "share", reals(c->share, K)) &&
               f2l_json_put(o, "enough", f2l_json_number(c->enough)) &&
               f2l_json_put(o, "three", real(three)) &&
               f2l_json_put(o, "effective_rank", real(c->effective_rank)) &&
               f2l_json_put(o, "components",
                            rows(c->component, c->enough > least ? c->enough : least, K)));
}

static json_t *head(const f2l_inspect_report *r, const f2l_inspect_head *h)
{
    const f2l_inspect *x = r->inspect;
    json_t *o = json_object(), *distance = json_object();
    const bool complete = f2l_json_put(distance, "worst", real(h->distance[h->worst])) &&
                          f2l_json_put(distance, "letter", letter_name(r, h->worst));
    distance = f2l_json_finish(distance, complete);
    return f2l_json_finish(
        o, f2l_json_put(o, "distance", distance) && f2l_json_put(o, "betas", spread(&h->betas)) &&
               f2l_json_put(o, "factors", spreads(h->factor, x->householders)) &&
               f2l_json_put(o, "letters_all_low", f2l_json_number(h->letters_low)) &&
               f2l_json_put(o, "letters_all_high", f2l_json_number(h->letters_high)) &&
               f2l_json_put(o, "keys", components(&h->all, x->key_dim)) &&
               f2l_json_put(o, "acting_keys", components(&h->acting, x->key_dim)) &&
               f2l_json_put(o, "letters", head_letters(x, h)));
}

static json_t *heads(const f2l_inspect_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t h = 0; complete && h < r->inspect->heads; h++)
        complete = f2l_json_append(a, head(r, &r->inspect->head[h]));
    return f2l_json_finish(a, complete);
}

static json_t *decays(const f2l_inspect *x)
{
    json_t *o = json_object(), *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < x->letters; i++) {
        json_t *letter = json_object();
        const bool put =
            f2l_json_put(letter, "spread", spread(&x->decays[i])) &&
            f2l_json_put(letter, "values",
                         rows(x->decay + i * x->channels * x->states, x->channels, x->states));
        complete = f2l_json_append(a, f2l_json_finish(letter, put));
    }
    a = f2l_json_finish(a, complete);
    return f2l_json_finish(o, f2l_json_put(o, "letters", a) &&
                                  f2l_json_put(o, "all", spread(&x->all)));
}

/* --- relations --- */

static json_t *worst_pair(const f2l_inspect_report *r, const f2l_inspect_action *a)
{
    json_t *pair = json_array();
    if (r->relations->pairs == 0 || a->moving == 0) {
        json_decref(pair);
        return json_null();
    }
    return f2l_json_finish(pair, f2l_json_append(pair, letter_name(r, a->first)) &&
                                     f2l_json_append(pair, letter_name(r, a->second)));
}

static json_t *per_class(const f2l_inspect_report *r, const double *value, size_t h)
{
    if (r->characters == NULL) return json_null();
    const size_t classes = r->characters->classes.classes;
    return reals(value + h * classes, classes);
}

static json_t *action(const f2l_inspect_report *r, size_t h)
{
    const f2l_inspect_action *a = &r->relations->action[h];
    const f2l_inspect_characters *c = r->characters;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "span", f2l_json_number(a->span)) &&
               f2l_json_put(o, "moving", f2l_json_number(a->moving)) &&
               f2l_json_put(o, "singular_values", reals(a->singular, r->inspect->key_dim)) &&
               f2l_json_put(o, "leaves", real(a->leaves)) &&
               f2l_json_put(o, "median", real(a->median)) &&
               f2l_json_put(o, "worst", real(a->worst)) &&
               f2l_json_put(o, "worst_pair", worst_pair(r, a)) &&
               f2l_json_put(o, "traces", per_class(r, c ? c->trace : NULL, h)) &&
               f2l_json_put(o, "deviations", per_class(r, c ? c->deviation : NULL, h)) &&
               f2l_json_put(o, "multiplicities", per_class(r, c ? c->multiplicity : NULL, h)));
}

static json_t *actions(const f2l_inspect_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t h = 0; complete && h < r->relations->heads; h++)
        complete = f2l_json_append(a, action(r, h));
    return f2l_json_finish(a, complete);
}

static json_t *class_of(const f2l_inspect_report *r, size_t c)
{
    const f2l_classes *classes = &r->characters->classes;
    const f2l_group *g = &r->relations->group;
    f2l_buf name;
    json_t *o = json_object();
    f2l_buf_init(&name);
    f2l_perm_write(&name, g->element + (size_t)classes->representative[c] * g->degree, g->degree);
    const bool complete =
        !name.failed &&
        f2l_json_put(o, "representative", f2l_json_text(name.data ? name.data : "")) &&
        f2l_json_put(o, "size", f2l_json_number(classes->size[c])) &&
        f2l_json_put(o, "order", f2l_json_number(classes->element_order[c]));
    f2l_buf_clear(&name);
    return f2l_json_finish(o, complete);
}

static json_t *character(const f2l_inspect_characters *x, size_t i)
{
    const size_t classes = x->classes.classes;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "degree", f2l_json_number(x->table.degree[i])) &&
               f2l_json_put(o, "indicator", json_integer(x->table.indicator[i])) &&
               f2l_json_put(o, "values",
                            complexes(x->re + i * classes, x->im + i * classes, classes)));
}

/* Adds "classes" and "characters". */
static bool put_table(json_t *o, const f2l_inspect_report *r)
{
    if (r->characters == NULL)
        return f2l_json_put(o, "reason", f2l_json_text(r->why_no_characters)) &&
               f2l_json_put(o, "classes", json_null()) &&
               f2l_json_put(o, "characters", json_null());
    json_t *classes = json_array(), *characters = json_array();
    bool complete = true;
    for (size_t c = 0; complete && c < r->characters->classes.classes; c++)
        complete = f2l_json_append(classes, class_of(r, c)) &&
                   f2l_json_append(characters, character(r->characters, c));
    classes = f2l_json_finish(classes, complete);
    characters = f2l_json_finish(characters, complete);
    const bool put = f2l_json_put(o, "classes", classes);
    return f2l_json_put(o, "characters", characters) && put;
}

static json_t *relations(const f2l_inspect_report *r)
{
    const f2l_inspect_relations *x = r->relations;
    json_t *o = json_object();
    if (x->why_none != NULL)
        return f2l_json_finish(o, f2l_json_put(o, "reason", f2l_json_text(x->why_none)));
    return f2l_json_finish(o, f2l_json_put(o, "threshold", real(x->threshold)) &&
                                  f2l_json_put(o, "order", f2l_json_number(x->group.order)) &&
                                  f2l_json_put(o, "pairs", f2l_json_number(x->pairs)) &&
                                  f2l_json_put(o, "pairs_there", f2l_json_number(x->pairs_there)) &&
                                  f2l_json_put(o, "heads", actions(r)) && put_table(o, r));
}

/* --- all --- */

static json_t *model(const f2l_seq *m)
{
    f2l_buf text;
    json_t *value = NULL;
    f2l_buf_init(&text);
    if (f2l_seq_config_write(&text, &m->config, NULL) == F2L_OK && !text.failed)
        value = json_loadb(text.data, text.size, 0, NULL);
    f2l_buf_clear(&text);
    return value;
}

static json_t *document(const f2l_inspect_report *r)
{
    const f2l_inspect *x = r->inspect;
    json_t *o = json_object();
    bool complete = f2l_json_put(o, "schema", json_integer(1)) &&
                    f2l_json_put(o, "weights", f2l_json_text(f2l_path_base(r->weights))) &&
                    f2l_json_put(o, "unfinished", json_boolean(r->unfinished)) &&
                    f2l_json_put(o, "source", r->source ? f2l_json_text(r->source) : json_null()) &&
                    f2l_json_put(o, "model", model(r->model)) &&
                    f2l_json_put(o, "parameters", f2l_json_number(r->model->parameters)) &&
                    f2l_json_put(o, "layer", json_integer(1)) &&
                    f2l_json_put(o, "repeats", f2l_json_number(x->repeats)) &&
                    f2l_json_put(o, "letters", letters(r));
    if (x->heads > 0)
        complete = complete &&
                   f2l_json_put(o, "eigenvalues_equal_to_gate",
                                f2l_json_number(x->key_dim - x->reduced)) &&
                   f2l_json_put(o, "heads", heads(r));
    else
        complete = complete && f2l_json_put(o, "decays", decays(x));
    return f2l_json_finish(o, complete && f2l_json_put(o, "relations", relations(r)));
}

/* Writes numbers with nine digits, which determine a float: the weights are floats. */
f2l_status f2l_inspect_report_json(f2l_buf *out, const f2l_inspect_report *r, f2l_error *err)
{
    return f2l_json_write(out, document(r), JSON_COMPACT | JSON_REAL_PRECISION(9), err);
}
