/* The facts of an obstruct report. */
#include "numeric/base/path.h"
#include "reports/automata/impl.h"
#include "reports/automata/obstruct_report.h"
#include <stdio.h>

#define MATRICES 256 /* matrices of a head that are listed */

/* Puts the name of a letter of the automaton, otherwise its number from 1 on. */
static void say_obstruct_letter(f2l_fact in, const char *name, const f2l_obstruct_report *r,
                                const f2l_head_spectra *h, size_t letter)
{
    char number[32];
    const bool named = h->reads_letters && r->letters && letter < r->letters->count;
    snprintf(number, sizeof number, "%zu", letter + 1);
    f2l_say_text(in, name, named ? f2l_names_get(r->letters, letter) : number);
}

static void say_eigenvalues(f2l_fact in, const f2l_spectrum *s)
{
    if (!s->n) {
        f2l_say_null(in, "eigenvalues");
        return;
    }
    f2l_fact list = f2l_say_list(in, "eigenvalues");
    for (size_t i = 0; i < s->distinct; i++) {
        const f2l_eigenvalue *v = &s->value[i];
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_numbers(one, "re", (const double[]){v->re_low, v->re_high}, 2);
        f2l_say_numbers(one, "im", (const double[]){v->im_low, v->im_high}, 2);
        f2l_say_count(one, "multiplicity", v->multiplicity);
    }
}

static void say_matrix(f2l_fact list, const f2l_obstruct_report *r, const f2l_head_spectra *h,
                       size_t m)
{
    const f2l_spectrum *s = &h->spectrum[m];
    size_t letters = 0;
    for (size_t a = 0; a < h->letters; a++) letters += h->matrix_of[a] == m;
    f2l_fact one = f2l_say_object(list, NULL);
    say_obstruct_letter(one, "letter", r, h, h->example[m]);
    f2l_say_count(one, "letters", letters);
    f2l_say_text(one, "spectrum", s->n ? f2l_spectrum_kind_name(s->kind) : NULL);
    say_eigenvalues(one, s);
}

static void say_example(f2l_fact in, const char *name, const f2l_obstruct_report *r,
                        const f2l_head_spectra *h, const size_t *product, size_t length)
{
    if (!product) {
        f2l_say_null(in, name);
        return;
    }
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < length; i++)
        say_obstruct_letter(list, NULL, r, h, h->example[product[i]]);
}

static void say_products(f2l_fact list, const f2l_obstruct_report *r, const f2l_head_spectra *h,
                         const f2l_products *p)
{
    const bool counted = !p->diagonal;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_count(one, "length", p->length);
    f2l_say_truth(one, "complete", p->complete);
    f2l_say_text(one, "worst_spectrum", f2l_spectrum_kind_name(p->worst));
    f2l_say_truth(one, "because_diagonal", p->diagonal);
    f2l_say_known(one, "products", counted, p->products);
    f2l_say_known(one, "non_negative", counted, p->kinds[F2L_SPECTRUM_NONNEGATIVE]);
    f2l_say_known(one, "real", counted, p->kinds[F2L_SPECTRUM_REAL]);
    f2l_say_known(one, "not_real", counted, p->kinds[F2L_SPECTRUM_COMPLEX]);
    say_example(one, "negative_example", r, h, p->negative, p->length);
    say_example(one, "not_real_example", r, h, p->complex, p->length);
}

static void say_head(f2l_fact list, const f2l_obstruct_report *r, const f2l_head_spectra *h)
{
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_count(one, "layer", h->layer + 1);
    f2l_say_count(one, "head", h->number + 1);
    f2l_say_count(one, "n", h->head->n);
    f2l_say_known(one, "letters", h->letters > 0, h->letters);
    f2l_say_count(one, "different", h->matrices);
    f2l_say_truth(one, "diagonal", h->diagonal);
    f2l_fact matrices = f2l_say_list(one, "matrices");
    for (size_t m = 0; m < h->matrices && m < MATRICES; m++) say_matrix(matrices, r, h, m);
    f2l_fact products = f2l_say_list(one, "products_of");
    for (size_t k = 0; k < h->lengths; k++) say_products(products, r, h, &h->products[k]);
}

static void say_theorem(f2l_fact in, const char *name, const f2l_theorem *t)
{
    const bool yes = t->applies == F2L_APPLIES_YES;
    f2l_fact one = f2l_say_object(in, name);
    f2l_say_ternary(one, "applies", yes || t->applies == F2L_APPLIES_NO, yes);
    f2l_say_known(one, "layer", !yes, t->layer + 1);
    f2l_say_known(one, "head", !yes, t->head + 1);
    f2l_say_known(one, "length", !yes, t->length);
}

static void say_letters(f2l_fact in, const char *name, const f2l_obstruct_report *r,
                        const size_t *letters, size_t count)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < count; i++)
        f2l_say_text(list, NULL, f2l_names_get(&r->fsa->letters, letters[i]));
}

static void say_word(f2l_fact in, const f2l_obstruct_report *r)
{
    const f2l_witness *w = r->word;
    const f2l_period *p = r->period;
    if (!r->fsa || w->length == 0) {
        f2l_say_null(in, "periodic_word");
        return;
    }
    f2l_fact one = f2l_say_object(in, "periodic_word");
    say_letters(one, "prefix", r, w->letter, w->prefix);
    say_letters(one, "word", r, w->letter + w->prefix, w->length);
    f2l_say_count(one, "period", w->period);
    f2l_say_count(one, "from", w->from);
    f2l_say_known(one, "exact_period_divides", p->known, p->period);
    f2l_say_truth(one, "forbidden", f2l_obstruct_forbidden(r));
    if (p->known) {
        f2l_say_null(one, "no_theorem");
        return;
    }
    f2l_fact why = f2l_say_object(one, "no_theorem");
    f2l_say_count(why, "layer", p->layer + 1);
    f2l_say_count(why, "head", p->head + 1);
    f2l_say_count(why, "length", p->period);
    f2l_say_truth(why, "eigenvalues_decided", p->real == F2L_APPLIES_NO);
}

static void say_label_of(f2l_fact in, const char *name, const f2l_obstruct_report *r, bool known,
                         size_t label)
{
    known = known && label != F2L_NO_INDEX;
    f2l_say_text(in, name, known ? f2l_names_get(&r->spectra->model->labels, label) : NULL);
}

static void say_recurrence(f2l_fact in, const f2l_obstruct_report *r, const f2l_failure *f)
{
    if (!f->recurs) {
        f2l_say_null(in, "recurrence");
        return;
    }
    const uint64_t wrong = f->wrong / (f->period / f->pattern);
    f2l_fact one = f2l_say_object(in, "recurrence");
    f2l_say_count(one, "preperiod", f->preperiod);
    f2l_say_count(one, "period", f->period);
    f2l_say_count(one, "pattern", f->pattern);
    f2l_say_count(one, "wrong", wrong);
    f2l_fact residues = f2l_say_list(one, "residues");
    for (size_t i = 0; i < f->residues; i++) f2l_say_count(residues, NULL, f->residue[i]);
    f2l_say_truth(one, "residues_complete", f->residues == wrong);
    f2l_say_truth(one, "constant", f->constant);
    say_label_of(one, "constant_label", r, f->constant, f->constant_label);
}

static void say_run(f2l_fact list, const f2l_obstruct_report *r, size_t i)
{
    const f2l_failure *f = &r->run[i];
    const f2l_status verdict = f2l_obstruct_verdict(r, i);
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_arithmetic(one, f->format, f->format ? f->schedule : NULL);
    f2l_say_text(one, "result", verdict == F2L_OK ? "RIGHT" : f2l_verdict_name(verdict));
    f2l_say_count(one, "letters", f->letters);
    f2l_say_known(one, "first_wrong", f->first > 0, f->first);
    say_label_of(one, "got", r, f->first > 0, f->label);
    say_label_of(one, "expected", r, f->first > 0, f->expected);
    f2l_say_count(one, "wrong_before", f->wrong_before);
    say_recurrence(one, r, f);
    f2l_say_text(one, "reason", f->recurs ? NULL : f->reason);
}

void f2l_obstruct_report_describe(f2l_fact out, const void *report)
{
    const f2l_obstruct_report *r = report;
    const char *why = !r->fsa ? r->without : r->word->length == 0 ? r->no_word : "";
    f2l_say_text(out, "network", f2l_path_base(r->network));
    f2l_say_count(out, "layers", r->spectra->layers);
    f2l_say_count(out, "heads", r->spectra->heads);
    if (r->fsa)
        f2l_say_automaton(out, NULL, NULL, r->fsa->states.count, r->letters_count);
    else
        f2l_say_null(out, "automaton");
    f2l_fact spectra = f2l_say_list(out, "spectra");
    for (size_t h = 0; h < r->spectra->heads; h++) say_head(spectra, r, &r->spectra->head[h]);
    f2l_fact theorems = f2l_say_object(out, "theorems");
    f2l_say_text(theorems, "scope",
                 "exact states, each rounded once at most where it is read; not networks whose "
                 "operations round");
    say_theorem(theorems, "t1", r->t1);
    say_theorem(theorems, "t2", r->t2);
    say_word(out, r);
    f2l_fact runs = f2l_say_list(out, "word_runs");
    for (size_t i = 0; i < r->runs; i++) say_run(runs, r, i);
    f2l_say_reason(out, "reason", why);
    f2l_say_numbers(f2l_say_object(out, "timing"), "runs_seconds", r->seconds, r->runs);
}

/* Writes numbers with 17 digits, so that ends of intervals read back unchanged. */
