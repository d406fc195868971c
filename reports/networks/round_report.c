#include "reports/networks/round_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WITNESS_LETTERS 40 /* letters of a refuting word before it is cut */

/* --- facts --- */

static const char *const how_name[] = {
    [F2L_ROUND_BY_NOTHING] = "none",    [F2L_ROUND_BY_EXACT] = "nothing rounds",
    [F2L_ROUND_BY_CLOSURE] = "closure", [F2L_ROUND_BY_LEVELS] = "local closure",
    [F2L_ROUND_BY_FORM] = "form",       [F2L_ROUND_BY_OBSERVING] = "observed",
    [F2L_ROUND_BY_POWERS] = "growth"};

static bool is_outlined(f2l_round_how how)
{
    return how == F2L_ROUND_BY_LEVELS || how == F2L_ROUND_BY_FORM;
}

/* Returns the verdict of a closure, which `by` (may be NULL) made unnecessary. */
static f2l_verdict verdict_of_closure(const f2l_closure *c, const f2l_outlined *by,
                                      const f2l_round_report *r)
{
    return (f2l_verdict){.verdict = c->verdict,
                         .counted = c->rows || c->verdict == F2L_REFUTED || !by,
                         .joint_states = c->rows,
                         .pairs = by ? by->pairs : 0,
                         .statement = by ? by->rule : NULL,
                         .wrong = c,
                         .letters = &r->fsa->letters,
                         .reason = c->reason};
}

void f2l_round_report_say_exact(f2l_fact in, const f2l_round_report *r)
{
    const f2l_round_exact *e = r->exact;
    f2l_verdict v =
        verdict_of_closure(&e->closure, is_outlined(e->how) ? &e->outline->exact : NULL, r);
    v.how = how_name[e->how];
    f2l_fact exact = f2l_say_object(in, "exact");
    f2l_say_verdict(exact, &v);
    f2l_say_decoder(exact, e->unequal && !e->closure.uncoded);
}

/* Puts `horizon`, and how the bound on the error grows, or why there is none. */
static void say_bound(f2l_fact in, const f2l_rounded *row)
{
    const f2l_horizon *h = &row->horizon;
    const bool known = row->bounded && h->known;
    f2l_say_horizon(in, known, h->for_ever, h->letters);
    f2l_say_text(in, "no_horizon_reason", row->bounded && !known ? h->reason : NULL);
    if (!known) {
        f2l_say_null(in, "error_bound");
        return;
    }
    f2l_fact bound = f2l_say_object(in, "error_bound");
    f2l_say_number(bound, "error_per_letter", h->growth);
    f2l_say_number(bound, "margin", h->margin);
    f2l_say_count(bound, "layer", h->layer + 1);
    f2l_say_truth(bound, "search_capped", h->capped);
}

static void say_round_label(f2l_fact in, const char *name, const f2l_round_report *r, bool known,
                            size_t label)
{
    known = known && label != F2L_NO_INDEX;
    f2l_say_text(in, name, known ? f2l_names_get(&r->model->labels, label) : NULL);
}

static void say_observed(f2l_fact in, const f2l_round_report *r, const f2l_rounded *row)
{
    f2l_fact list = f2l_say_list(in, "observed");
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) {
        const f2l_observed *w = &row->observed[k];
        if (!w->letters) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "words_kind", f2l_words_name((f2l_words)k));
        f2l_say_text(one, "word_text", w->word);
        f2l_say_count(one, "letters", w->letters);
        f2l_say_known(one, "wrong_at", w->failed > 0, w->failed);
        say_round_label(one, "expected", r, w->failed, w->expected);
        say_round_label(one, "got", r, w->failed, w->label);
        f2l_say_truth(one, "recurs", w->cyclic);
    }
}

/* Returns the least length at which a long word was wrong; 0: none was. */
static uint64_t least_failure(const f2l_rounded *row)
{
    uint64_t least = 0;
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++)
        if (row->observed[k].failed && (!least || row->observed[k].failed < least))
            least = row->observed[k].failed;
    return least;
}

/* Returns the outline that proves the row; where nothing rounds, the outline of the exact proof. */
static const f2l_outlined *outlined(const f2l_round_report *r, const f2l_rounded *row)
{
    if (is_outlined(row->how)) return &row->outlined;
    return row->how == F2L_ROUND_BY_EXACT && is_outlined(r->exact->how) ? &r->exact->outline->exact
                                                                        : NULL;
}

void f2l_round_report_say_row(f2l_fact in, const f2l_round_report *r, const f2l_rounded *row)
{
    uint64_t letters = 0;
    const bool all = f2l_rounded_right_up_to(&letters, row);
    const bool bound = row->verdict == F2L_OK && row->how == F2L_ROUND_BY_NOTHING;
    f2l_verdict v = verdict_of_closure(&row->closure, outlined(r, row), r);
    v.verdict = row->verdict;
    v.how = bound ? "bound" : how_name[row->how];
    if (row->how == F2L_ROUND_BY_OBSERVING) v.wrong = NULL;
    v.wrong_after = least_failure(row);
    v.reason = row->reason;
    f2l_say_arithmetic(in, row->format, row->schedule);
    f2l_say_arithmetic_data(in, row->format, row->schedule);
    f2l_say_verdict(in, &v);
    f2l_say_known(in, "right_up_to", !all, letters);
    f2l_say_reason(in, "rounds", row->unrounded.verdict == F2L_OK ? "" : row->unrounded.reason);
    say_bound(in, row);
    say_observed(in, r, row);
}

static void say_round_head(f2l_fact in, const f2l_round_report *r)
{
    const f2l_outline *outline = r->exact->outline;
    f2l_say_text(in, "network", f2l_path_base(r->network));
    f2l_say_text(in, "engine", r->engine);
    f2l_say_text(in, "engine_source", r->engine_source);
    f2l_say_text(in, "engine_equals",
                 r->engine_equals && r->engine_equals[0] ? r->engine_equals : NULL);
    f2l_say_automaton(in, NULL, r->model->fsa_sha256, r->fsa->states.count, r->letters);
    f2l_say_text(in, "certificate", outline ? f2l_outline_claim(outline) : NULL);
    f2l_round_report_say_exact(in, r);
    f2l_say_truth(in, "positive_semidefinite", r->exact->psd);
    f2l_say_number(in, "least_eigenvalue", r->exact->psd ? r->exact->least : NAN);
}

static void describe_round(f2l_fact out, const void *report)
{
    const f2l_round_report *r = report;
    say_round_head(out, r);
    f2l_fact rows = f2l_say_list(out, "formats");
    for (size_t i = 0; i < r->count; i++)
        f2l_round_report_say_row(f2l_say_object(rows, NULL), r, &r->rounded[i]);
    f2l_say_count(out, "decided", r->decided);
    f2l_say_text(out, "ended", r->ended ? r->ended : "complete");
    f2l_fact seconds = f2l_say_list(f2l_say_object(out, "timing"), "formats_seconds");
    for (size_t i = 0; i < r->count; i++) f2l_say_number(seconds, NULL, r->rounded[i].seconds);
}

/* --- text --- */

/* Appends how a verdict was found. */
static void lay_how(f2l_buf *out, f2l_fact row)
{
    f2l_layout(out, row,
               "{how=closure?closure{verdict=VERIFIED? of {joint_states} joint states}|"
               "{how=observed?long words|{how=growth?a word that recurs modulo powers of two|"
               "{how=local closure?local closure of {pairs} pairs|"
               "{how=form?the form of {statement}|{how=none?-|{how}}}}}}}");
}

static void lay_round_head(f2l_buf *out, f2l_fact from)
{
    const f2l_fact exact = f2l_get(from, "exact");
    f2l_layout(out, from,
               "network    {network}; automaton of {automaton.states} states and "
               "{automaton.letters} letters\n"
               "{engine?engine     {engine}: {engine_source}\n"
               "{engine_equals?           the same row: {engine_equals}\n|}|}"
               "exact      {exact.verdict}");
    if (f2l_is(exact, "verdict", "VERIFIED")) {
        const bool boxed = f2l_is(exact, "decoder", "nearest");
        f2l_layout(out, exact, " for all words{decoder=nearest? by the nearest code|} (");
        lay_how(out, exact);
        f2l_buf_text(out, boxed ? " in boxes that were found)\n" : ")\n");
    } else {
        f2l_layout(out, exact,
                   "{verdict=REFUTED? by a word of {wrong_after letter}{decoder=nearest?, by the "
                   "nearest code}{witness.got=no code?: the "
                   "state after it equals no code;\n           the nearest code, which formats "
                   "take, was not asked}\n|: {reason}\n}");
    }
    if (f2l_is(exact, "verdict", "UNKNOWN") && !f2l_is_known(from, "certificate"))
        f2l_buf_text(out, "hint       a certificate beside the network (certificate.cert, or "
                          "--certificate FILE) may name the levels\n"
                          "           or the form by which it can be proved\n");
}

/* Returns the columns of the longest name of a format or a schedule, at least 8. */
static int width(const f2l_round_report *r, bool schedule)
{
    size_t most = 8;
    for (size_t i = 0; i < r->count; i++) {
        const size_t n =
            strlen(schedule ? r->rounded[i].schedule->name : r->rounded[i].format->name);
        if (n > most) most = n;
    }
    return (int)most;
}

f2l_status f2l_round_report_head(f2l_buf *out, const f2l_round_report *r, f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    say_round_head(f2l_facts_root(&facts), r);
    lay_round_head(out, f2l_facts_root(&facts));
    f2l_buf_printf(out, "\n%-*s  %-*s  decoder  %-8s  %14s  %12s  how\n", width(r, false), "format",
                   width(r, true), "schedule", "verdict", "right up to", "wrong at ");
    return f2l_facts_end(&facts, out, err);
}

/* Appends the length up to which the row is right; a row without any proof has none. */
static void lay_right(f2l_buf *out, f2l_fact row)
{
    const bool proved = f2l_get_count(row, "right_up_to") || f2l_is(row, "how", "closure") ||
                        f2l_is_known(row, "horizon");
    if (!f2l_is_known(row, "right_up_to") || !proved)
        f2l_buf_printf(out, "  %14s", f2l_is_known(row, "right_up_to") ? "-" : "all");
    else
        f2l_layout(out, row, "  {right_up_to%14s}");
}

static void lay_row(f2l_buf *out, const f2l_round_report *r, f2l_fact row)
{
    f2l_buf_printf(out, "%-*s  %-*s  %-7s  %-8s", width(r, false), f2l_get_text(row, "format"),
                   width(r, true), f2l_get_text(row, "schedule"), f2l_get_text(row, "decoder"),
                   f2l_get_text(row, "verdict"));
    lay_right(out, row);
    f2l_layout(out, row, "{verdict=REFUTED?  {wrong_after%11s}{how=closure?*| }|            - }  ");
    lay_how(out, row);
    f2l_buf_text(out, "\n");
}

f2l_status f2l_round_report_row(f2l_buf *out, const f2l_round_report *r, const f2l_rounded *row,
                                f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_round_report_say_row(f2l_facts_root(&facts), r, row);
    lay_row(out, r, f2l_facts_root(&facts));
    return f2l_facts_end(&facts, out, err);
}

static void lay_round_word(f2l_buf *out, f2l_fact row)
{
    const f2l_fact word = f2l_get(row, "witness.word");
    f2l_buf_text(out, "wrong after:");
    f2l_layout_items(out, word, 0, WITNESS_LETTERS, " {.~}", "");
    if (f2l_get_size(word, "") > WITNESS_LETTERS)
        f2l_layout(out, row, " .. ({wrong_after} letters)");
    f2l_layout(out, row,
               "{wrong_after?| the empty word}; expected {witness.expected}, got {witness.got}\n");
}

/* Appends what is known of a row that is not VERIFIED. */
static void lay_note(f2l_buf *out, f2l_fact row)
{
    f2l_layout(out, row, "\n{format} {schedule}: ");
    if (f2l_is_known(row, "witness"))
        lay_round_word(out, row);
    else
        f2l_layout(out, row, "{reason?{reason}|closed, with rounding}\n");
    if (!f2l_is(row, "rounds", f2l_get_text(row, "reason")))
        f2l_layout(out, row, "{rounds?  rounds: {rounds}\n}");
    f2l_layout(out, row,
               "{error_bound?  bound: error at most "
               "{error_bound.error_per_letter?{error_bound.error_per_letter%.3g}|inf} a letter, "
               "margin {error_bound.margin%.3g} (layer {error_bound.layer})"
               "{error_bound.search_capped?; the search was capped}\n}"
               "{no_horizon_reason?  bound: none ({no_horizon_reason})\n}"
               "{observed*  {words_kind}: {wrong_at?wrong at letter {wrong_at} of {word_text}|"
               "right for {letters} letters{recurs?, and then every state recurs}}\n|}");
}

/* Appends a remark on the spectrum. By T1 such networks cannot compute parity exactly; a format in
 * which one is VERIFIED needs an explanation. */
static void lay_spectrum(f2l_buf *out, f2l_fact from)
{
    const f2l_fact rows = f2l_get(from, "formats");
    bool rounds = false;
    for (size_t i = 0; i < f2l_get_size(rows, ""); i++)
        rounds = rounds || (f2l_is(f2l_get_item(rows, i), "verdict", "VERIFIED") &&
                            f2l_is(f2l_get_item(rows, i), "how", "closure"));
    if (!f2l_get_truth(from, "positive_semidefinite") || !rounds ||
        f2l_is(from, "exact.verdict", "VERIFIED"))
        return;
    f2l_layout(out, from,
               "\n"
               "spectrum   every transition is symmetric with eigenvalues in "
               "[{least_eigenvalue%.6g}, 1]. In exact arithmetic, or with one\n"
               "           rounding for each step, no finite network with such layers computes "
               "parity (theory/pages/obstruct.md, T1).\n"
               "           Where a row above says VERIFIED, it is the rounding inside the step "
               "that does it\n"
               "           (theory/pages/parity.md, P10): a fact about that format and schedule, "
               "and about no other.\n");
}

static void lay_close(f2l_buf *out, f2l_fact from)
{
    const f2l_fact rows = f2l_get(from, "formats");
    const size_t decided = f2l_get_count(from, "decided");
    bool shortest = false;
    for (size_t i = 0; i < decided; i++)
        shortest = shortest || (f2l_is(f2l_get_item(rows, i), "verdict", "REFUTED") &&
                                f2l_is(f2l_get_item(rows, i), "how", "closure"));
    if (shortest) f2l_buf_text(out, "* of a shortest wrong word: the search was breadth-first\n");
    lay_spectrum(out, from);
    for (size_t i = 0; i < decided; i++)
        if (!f2l_is(f2l_get_item(rows, i), "verdict", "VERIFIED"))
            lay_note(out, f2l_get_item(rows, i));
    if (f2l_is(from, "ended", "complete")) return;
    f2l_layout(out, from, "\nended      {ended}");
    if (decided < f2l_get_size(rows, "")) f2l_buf_text(out, "; not decided:");
    f2l_layout_items(out, rows, decided, SIZE_MAX, " {format} {schedule}", ",");
    f2l_buf_text(out, "\n");
}

/* --- CSV --- */

static void write_points(f2l_buf *out, const f2l_rounded *row, const char *kind, uint64_t length,
                         double error)
{
    if (isfinite(error))
        f2l_buf_printf(out, "\"%s\",\"%s\",%s,%llu,%.17g\n", row->format->name, row->schedule->name,
                       kind, (unsigned long long)length, error);
}

f2l_status f2l_round_report_csv(f2l_buf *out, const f2l_round_report *r, f2l_error *err)
{
    f2l_buf_text(out, "format,schedule,kind,length,error\n");
    for (size_t i = 0; i < r->count; i++) {
        const f2l_rounded *row = &r->rounded[i];
        for (size_t p = 0; p < row->bounds; p++)
            write_points(out, row, "bound", row->bound[p].length, row->bound[p].bound);
        for (size_t k = 0; k < F2L_WORDS_KINDS; k++)
            for (size_t p = 0; p < row->errors[k]; p++)
                write_points(out, row, f2l_words_name((f2l_words)k), row->error[k][p].length,
                             row->error[k][p].error);
    }
    return f2l_buf_status(out, err);
}

const f2l_report_kind f2l_round_report_kind = {.name = "round",
                                               .describe = describe_round,
                                               .lay = lay_close,
                                               .style = {.indent = true, .digits = 6}};
