#include "numeric/base/path.h"
#include "reports/automata/obstruct_report.h"
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"
#include <string.h>

#define MATRICES 256 /* matrices of a head that are listed */

static json_t *big(uint64_t x)
{
    return json_integer((json_int_t)x);
}

static json_t *value_of(const f2l_eigenvalue *v)
{
    return json_pack("{s:[f,f], s:[f,f], s:I}", "re", v->re_low, v->re_high, "im", v->im_low,
                     v->im_high, "multiplicity", (json_int_t)v->multiplicity);
}

static json_t *values_of(const f2l_spectrum *s)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < s->distinct; i++)
        complete = f2l_json_append(a, value_of(&s->value[i]));
    return f2l_json_finish(a, complete);
}

/* Returns the name of a letter of the automaton, otherwise its number from 1 on. */
static json_t *letter_of(const f2l_obstruct_report *r, const f2l_head_spectra *h, size_t letter)
{
    const bool named = h->layer == 0 && r->letters && letter < r->letters->count &&
                       !f2l_model_is_wired(r->spectra->model);
    return named ? f2l_json_text(f2l_names_get(r->letters, letter)) : f2l_json_number(letter + 1);
}

static json_t *matrix_of(const f2l_obstruct_report *r, const f2l_head_spectra *h, size_t m)
{
    const f2l_spectrum *s = &h->spectrum[m];
    size_t letters = 0;
    for (size_t a = 0; a < h->letters; a++) letters += h->matrix_of[a] == m;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "letter", letter_of(r, h, h->example[m])) &&
               f2l_json_put(o, "letters", f2l_json_number(letters)) &&
               f2l_json_put(o, "kind",
                            s->n ? f2l_json_text(f2l_spectrum_kind_name(s->kind)) : json_null()) &&
               f2l_json_put(o, "eigenvalues", s->n ? values_of(s) : json_null()));
}

static json_t *product_of(const f2l_obstruct_report *r, const f2l_head_spectra *h,
                          const size_t *product, size_t length)
{
    if (!product) return json_null();
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < length; i++)
        complete = f2l_json_append(a, letter_of(r, h, h->example[product[i]]));
    return f2l_json_finish(a, complete);
}

static json_t *products_of(const f2l_obstruct_report *r, const f2l_head_spectra *h,
                           const f2l_products *p)
{
    json_t *o = json_object();
    const bool counted = !p->diagonal;
    return f2l_json_finish(
        o,
        f2l_json_put(o, "length", f2l_json_number(p->length)) &&
            f2l_json_put(o, "complete", json_boolean(p->complete)) &&
            f2l_json_put(o, "worst", f2l_json_text(f2l_spectrum_kind_name(p->worst))) &&
            f2l_json_put(o, "because_diagonal", json_boolean(p->diagonal)) &&
            f2l_json_put(o, "products", counted ? f2l_json_number(p->products) : json_null()) &&
            f2l_json_put(o, "non_negative", counted ? f2l_json_number(p->kinds[0]) : json_null()) &&
            f2l_json_put(o, "real", counted ? f2l_json_number(p->kinds[1]) : json_null()) &&
            f2l_json_put(o, "not_real", counted ? f2l_json_number(p->kinds[2]) : json_null()) &&
            f2l_json_put(o, "negative_example", product_of(r, h, p->negative, p->length)) &&
            f2l_json_put(o, "not_real_example", product_of(r, h, p->complex, p->length)));
}

static json_t *head_of(const f2l_obstruct_report *r, const f2l_head_spectra *h)
{
    json_t *o = json_object(), *matrices = json_array(), *products = json_array();
    bool complete = true;
    for (size_t m = 0; complete && m < h->matrices && m < MATRICES; m++)
        complete = f2l_json_append(matrices, matrix_of(r, h, m));
    for (size_t k = 0; complete && k < h->lengths; k++)
        complete = f2l_json_append(products, products_of(r, h, &h->products[k]));
    matrices = f2l_json_finish(matrices, complete);
    products = f2l_json_finish(products, complete);
    complete = f2l_json_put(o, "layer", f2l_json_number(h->layer + 1)) &&
               f2l_json_put(o, "head", f2l_json_number(h->number + 1)) &&
               f2l_json_put(o, "n", f2l_json_number(h->head->n)) &&
               f2l_json_put(o, "letters", h->letters ? f2l_json_number(h->letters) : json_null()) &&
               f2l_json_put(o, "different", f2l_json_number(h->matrices)) &&
               f2l_json_put(o, "diagonal", json_boolean(h->diagonal));
    complete = f2l_json_put(o, "matrices", matrices) && complete;
    return f2l_json_finish(o, f2l_json_put(o, "products", products) && complete);
}

static json_t *spectra_of(const f2l_obstruct_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t h = 0; complete && h < r->spectra->heads; h++)
        complete = f2l_json_append(a, head_of(r, &r->spectra->head[h]));
    return f2l_json_finish(a, complete);
}

static json_t *theorem_of(const f2l_theorem *t)
{
    static const char *const applies[] = {"no", "yes", "unknown"};
    const bool where = t->applies != F2L_APPLIES_YES;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "applies", f2l_json_text(applies[t->applies])) &&
               f2l_json_put(o, "layer", where ? f2l_json_number(t->layer + 1) : json_null()) &&
               f2l_json_put(o, "head", where ? f2l_json_number(t->head + 1) : json_null()) &&
               f2l_json_put(o, "length", where ? f2l_json_number(t->length) : json_null()));
}

static json_t *theorems_of(const f2l_obstruct_report *r)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o,
        f2l_json_put(o, "scope",
                     f2l_json_text("exact states, each rounded once at most where it is read; not "
                                   "networks whose operations round")) &&
            f2l_json_put(o, "t1", theorem_of(r->t1)) && f2l_json_put(o, "t2", theorem_of(r->t2)));
}

static json_t *letters_of(const f2l_obstruct_report *r, const size_t *letters, size_t count)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++)
        complete = f2l_json_append(a, f2l_json_text(f2l_names_get(&r->fsa->letters, letters[i])));
    return f2l_json_finish(a, complete);
}

static json_t *word_of(const f2l_obstruct_report *r)
{
    if (!r->fsa || r->word->length == 0) return json_null();
    const f2l_witness *w = r->word;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "prefix", letters_of(r, w->letter, w->prefix)) &&
               f2l_json_put(o, "word", letters_of(r, w->letter + w->prefix, w->length)) &&
               f2l_json_put(o, "period", big(w->period)) && f2l_json_put(o, "from", big(w->from)) &&
               f2l_json_put(o, "exact_period_divides",
                            r->period->known ? big(r->period->period) : json_null()) &&
               f2l_json_put(o, "forbidden", json_boolean(f2l_obstruct_forbidden(r))));
}

static json_t *label_of(const f2l_obstruct_report *r, size_t label)
{
    return label == F2L_NO_INDEX
               ? json_null()
               : f2l_json_text(f2l_names_get(f2l_model_look(r->spectra->model).labels, label));
}

static json_t *residues_of(const f2l_failure *f)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < f->residues; i++)
        complete = f2l_json_append(a, big(f->residue[i]));
    return f2l_json_finish(a, complete);
}

static json_t *cycle_of(const f2l_obstruct_report *r, const f2l_failure *f)
{
    if (!f->recurs) return json_null();
    const uint64_t wrong = f->wrong / (f->period / f->pattern);
    json_t *o = json_object();
    return f2l_json_finish(
        o,
        f2l_json_put(o, "preperiod", big(f->preperiod)) &&
            f2l_json_put(o, "period", big(f->period)) &&
            f2l_json_put(o, "pattern", big(f->pattern)) && f2l_json_put(o, "wrong", big(wrong)) &&
            f2l_json_put(o, "residues", residues_of(f)) &&
            f2l_json_put(o, "residues_complete", json_boolean(f->residues == wrong)) &&
            f2l_json_put(o, "constant", json_boolean(f->constant)) &&
            f2l_json_put(o, "label", f->constant ? label_of(r, f->constant_label) : json_null()));
}

static json_t *run_of(const f2l_obstruct_report *r, size_t i)
{
    const f2l_failure *f = &r->run[i];
    const f2l_status verdict = f2l_obstruct_verdict(r, i);
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "format", f->format ? f2l_json_text(f->format->name) : json_null()) &&
               f2l_json_put(o, "schedule",
                            f->format ? f2l_json_text(f->schedule->name) : json_null()) &&
               f2l_json_put(
                   o, "verdict",
                   f2l_json_text(verdict == F2L_OK ? "RIGHT" : f2l_report_verdict(verdict))) &&
               f2l_json_put(o, "letters", big(f->letters)) &&
               f2l_json_put(o, "first_wrong", f->first ? big(f->first) : json_null()) &&
               f2l_json_put(o, "got", f->first ? label_of(r, f->label) : json_null()) &&
               f2l_json_put(o, "expected", f->first ? label_of(r, f->expected) : json_null()) &&
               f2l_json_put(o, "wrong_before", big(f->wrong_before)) &&
               f2l_json_put(o, "cycle", cycle_of(r, f)) &&
               f2l_json_put(o, "reason", f->recurs ? json_null() : f2l_json_text(f->reason)));
}

static json_t *runs_of(const f2l_obstruct_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->runs; i++) complete = f2l_json_append(a, run_of(r, i));
    return f2l_json_finish(a, complete);
}

static json_t *timing(const f2l_obstruct_report *r)
{
    json_t *o = json_object(), *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->runs; i++)
        complete = f2l_json_append(a, json_real(r->seconds[i]));
    return f2l_json_finish(o, f2l_json_put(o, "seconds", f2l_json_finish(a, complete)));
}

/* Writes numbers with 17 digits, so that ends of intervals read back unchanged. */
static f2l_status dump(f2l_buf *out, json_t *o, f2l_error *err)
{
    return f2l_json_write(out, o, JSON_INDENT(2) | JSON_REAL_PRECISION(17), err);
}

f2l_status f2l_obstruct_report_json(f2l_buf *out, const f2l_obstruct_report *r, f2l_error *err)
{
    const char *why = !r->fsa ? r->without : r->word->length == 0 ? r->no_word : "";
    json_t *o = json_object();
    const bool complete =
        f2l_json_put(o, "schema", json_integer(1)) &&
        f2l_json_put(o, "network", f2l_json_text(f2l_path_base(r->network))) &&
        f2l_json_put(o, "spectra", spectra_of(r)) && f2l_json_put(o, "theorems", theorems_of(r)) &&
        f2l_json_put(o, "word", word_of(r)) && f2l_json_put(o, "runs", runs_of(r)) &&
        f2l_json_put(o, "reason", *why ? f2l_json_text(why) : json_null()) &&
        f2l_json_put(o, "timing", timing(r));
    return dump(out, f2l_json_finish(o, complete), err);
}
