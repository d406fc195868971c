#include "numeric/base/path.h"
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"
#include "reports/networks/round_report.h"
#include <math.h>
#include <string.h>

static json_t *letters_of(const f2l_closure *c, const f2l_names *names)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < c->word_length; i++)
        complete = f2l_json_append(a, f2l_json_text(f2l_names_get(names, c->word[i])));
    return f2l_json_finish(a, complete);
}

/* Returns the word that a search found; null where there is none. */
static json_t *witness(const f2l_closure *c, const f2l_names *names)
{
    if (c->verdict != F2L_REFUTED) return json_null();
    json_t *o = json_object();
    return f2l_json_finish(o, f2l_json_put(o, "word", letters_of(c, names)) &&
                                  f2l_json_put(o, "expected", f2l_json_text(c->expected)) &&
                                  f2l_json_put(o, "got", f2l_json_text(c->got)));
}

static const char *how_name(f2l_round_how how)
{
    static const char *const name[] = {
        [F2L_ROUND_BY_NOTHING] = "none",    [F2L_ROUND_BY_EXACT] = "nothing rounds",
        [F2L_ROUND_BY_CLOSURE] = "closure", [F2L_ROUND_BY_LEVELS] = "local closure",
        [F2L_ROUND_BY_FORM] = "form",       [F2L_ROUND_BY_OBSERVING] = "observed"};
    return name[how];
}

/* Adds the joint states, null where no closure counted them; the pairs of a local closure; the
 * statement on a form. */
static bool put_counts(json_t *o, const f2l_closure *c, const f2l_outlined *by)
{
    const bool uncounted = c->rows == 0 && c->verdict != F2L_REFUTED && by;
    return f2l_json_put(o, "states", uncounted ? json_null() : f2l_json_number(c->rows)) &&
           f2l_json_put(o, "pairs", by && by->pairs ? f2l_json_number(by->pairs) : json_null()) &&
           f2l_json_put(o, "rule", by && by->rule ? f2l_json_text(by->rule) : json_null());
}

static bool is_outlined(f2l_round_how how)
{
    return how == F2L_ROUND_BY_LEVELS || how == F2L_ROUND_BY_FORM;
}

static json_t *exact(const f2l_round_report *r)
{
    const f2l_closure *c = &r->exact->closure;
    const f2l_outlined *by = is_outlined(r->exact->how) ? &r->exact->outline->exact : NULL;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(c->verdict))) &&
               f2l_json_put(o, "how", f2l_json_text(how_name(r->exact->how))) &&
               put_counts(o, c, by) && f2l_json_put(o, "witness", witness(c, &r->fsa->letters)) &&
               f2l_json_put(o, "reason",
                            c->verdict == F2L_UNKNOWN ? f2l_json_text(c->reason) : json_null()) &&
               f2l_json_put(o, "positive_semidefinite", json_boolean(r->exact->psd)) &&
               f2l_json_put(o, "least_eigenvalue",
                            r->exact->psd ? json_real(r->exact->least) : json_null()));
}

static json_t *format_data(const f2l_format *f)
{
    return json_pack("{s:s, s:i, s:i, s:i, s:f, s:b, s:s, s:s}", "name", f->name, "precision",
                     f->precision, "emin", f->emin, "emax", f->emax, "largest", f->largest,
                     "subnormals", f->subnormals, "overflow", f2l_overflow_name(f->overflow),
                     "rounding", f2l_rounding_name(f->rounding));
}

static json_t *schedule_data(const f2l_schedule *s)
{
    json_t *o = json_object();
    const bool normalises = s->eps >= 0;
    return f2l_json_finish(
        o, f2l_json_put(o, "name", f2l_json_text(s->name)) &&
               f2l_json_put(o, "eps", normalises ? json_real(s->eps) : json_null()) &&
               f2l_json_put(o, "raw", normalises ? json_real(s->raw) : json_null()));
}

static json_t *horizon(const f2l_rounded *r)
{
    if (!r->bounded || !r->horizon.known) return json_null();
    const f2l_horizon *h = &r->horizon;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "letters",
                        h->for_ever ? json_null() : json_integer((json_int_t)h->letters)) &&
               f2l_json_put(o, "for_ever", json_boolean(h->for_ever)) &&
               f2l_json_put(o, "capped", json_boolean(h->capped)) &&
               f2l_json_put(o, "error_per_letter",
                            isfinite(h->growth) ? json_real(h->growth) : json_null()) &&
               f2l_json_put(o, "margin", json_real(h->margin)) &&
               f2l_json_put(o, "layer", f2l_json_number(h->layer + 1)));
}

static json_t *label_name(const f2l_round_report *r, size_t label)
{
    return label == F2L_NO_INDEX
               ? json_null()
               : f2l_json_text(f2l_names_get(f2l_model_look(r->model).labels, label));
}

static json_t *observed_word(const f2l_round_report *r, const f2l_observed *w, const char *kind)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "kind", f2l_json_text(kind)) &&
               f2l_json_put(o, "word", f2l_json_text(w->word)) &&
               f2l_json_put(o, "letters", json_integer((json_int_t)w->letters)) &&
               f2l_json_put(o, "wrong_at",
                            w->failed ? json_integer((json_int_t)w->failed) : json_null()) &&
               f2l_json_put(o, "expected", w->failed ? label_name(r, w->expected) : json_null()) &&
               f2l_json_put(o, "got", w->failed ? label_name(r, w->label) : json_null()) &&
               f2l_json_put(o, "recurs", json_boolean(w->cyclic)));
}

static json_t *observed(const f2l_round_report *r, const f2l_rounded *row)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t k = 0; complete && k < F2L_WORDS_KINDS; k++)
        if (row->observed[k].letters)
            complete = f2l_json_append(
                a, observed_word(r, &row->observed[k], f2l_words_name((f2l_words)k)));
    return f2l_json_finish(a, complete);
}

static const char *how(const f2l_rounded *r)
{
    return r->verdict == F2L_OK && r->how == F2L_ROUND_BY_NOTHING ? "bound" : how_name(r->how);
}

/* Returns the outline that proves the row; where nothing rounds, the outline of the exact proof. */
static const f2l_outlined *outlined(const f2l_round_report *r, const f2l_rounded *row)
{
    if (is_outlined(row->how)) return &row->outlined;
    return row->how == F2L_ROUND_BY_EXACT && is_outlined(r->exact->how) ? &r->exact->outline->exact
                                                                        : NULL;
}

/* Returns the length up to which the row is right; null when it is right at all lengths. */
static json_t *right_up_to(const f2l_rounded *row)
{
    uint64_t letters;
    return f2l_rounded_right_up_to(&letters, row) ? json_null() : json_integer((json_int_t)letters);
}

static json_t *rounded(const f2l_round_report *r, const f2l_rounded *row)
{
    json_t *o = json_object();
    const bool unknown = row->verdict == F2L_UNKNOWN;
    const char *rounds = row->unrounded.verdict == F2L_OK ? "" : row->unrounded.reason;
    return f2l_json_finish(
        o, f2l_json_put(o, "format", format_data(row->format)) &&
               f2l_json_put(o, "schedule", schedule_data(row->schedule)) &&
               f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(row->verdict))) &&
               f2l_json_put(o, "how", f2l_json_text(how(row))) &&
               put_counts(o, &row->closure, outlined(r, row)) &&
               f2l_json_put(o, "right_up_to", right_up_to(row)) &&
               f2l_json_put(o, "witness", witness(&row->closure, &r->fsa->letters)) &&
               f2l_json_put(o, "rounds", *rounds ? f2l_json_text(rounds) : json_null()) &&
               f2l_json_put(o, "horizon", horizon(row)) &&
               f2l_json_put(o, "observed", observed(r, row)) &&
               f2l_json_put(o, "reason", unknown ? f2l_json_text(row->reason) : json_null()));
}

static json_t *all_rounded(const f2l_round_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->count; i++)
        complete = f2l_json_append(a, rounded(r, &r->rounded[i]));
    return f2l_json_finish(a, complete);
}

/* Returns the claim of the certificate that was read. */
static json_t *certificate(const f2l_round_report *r)
{
    return r->exact->outline ? f2l_json_text(f2l_outline_claim(r->exact->outline)) : json_null();
}

static json_t *timing(const f2l_round_report *r)
{
    json_t *o = json_object(), *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->count; i++)
        complete = f2l_json_append(a, json_real(r->rounded[i].seconds));
    return f2l_json_finish(o, f2l_json_put(o, "seconds", f2l_json_finish(a, complete)));
}

f2l_status f2l_round_report_json(f2l_buf *out, const f2l_round_report *r, f2l_error *err)
{
    json_t *o = json_object();
    const bool complete =
        f2l_json_put(o, "schema", json_integer(1)) &&
        f2l_json_put(o, "network", f2l_json_text(f2l_path_base(r->network))) &&
        f2l_json_put(o, "fsa_sha256", f2l_json_text(f2l_model_look(r->model).fsa_sha256)) &&
        f2l_json_put(o, "certificate", certificate(r)) && f2l_json_put(o, "exact", exact(r)) &&
        f2l_json_put(o, "formats", all_rounded(r)) &&
        f2l_json_put(o, "ended", f2l_json_text(r->ended ? r->ended : "complete")) &&
        f2l_json_put(o, "timing", timing(r));
    return f2l_report_dump(out, f2l_json_finish(o, complete), err);
}
