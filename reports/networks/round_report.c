#include "reports/networks/round_report.h"
#include "numeric/base/path.h"
#include "reports/compile/report_parts.h"
#include <math.h>
#include <string.h>

#define WITNESS_LETTERS 40 /* letters of a refuting word before it is cut */

static void write_network(f2l_buf *out, const f2l_round_report *r)
{
    f2l_buf_printf(out, "network    %s; automaton of %zu states and %zu letters\n",
                   f2l_path_base(r->network), r->fsa->states.count, r->fsa->letters.count);
}

static void write_outlined(f2l_buf *out, const f2l_outlined *o)
{
    if (o->rule)
        f2l_buf_printf(out, "the form of %s", o->rule);
    else
        f2l_buf_printf(out, "local closure of %zu pairs", o->pairs);
}

static void write_proof(f2l_buf *out, const f2l_round_exact *e)
{
    f2l_buf_text(out, " for all words (");
    if (e->how == F2L_ROUND_BY_CLOSURE)
        f2l_buf_printf(out, "closure of %zu joint states", e->closure.rows);
    else
        write_outlined(out, &e->outline->exact);
    f2l_buf_text(out, ")\n");
}

static void write_exact(f2l_buf *out, const f2l_round_report *r)
{
    const f2l_closure *c = &r->exact->closure;
    f2l_buf_printf(out, "exact      %s", f2l_report_verdict(c->verdict));
    if (c->verdict == F2L_OK)
        write_proof(out, r->exact);
    else if (c->verdict == F2L_REFUTED)
        f2l_buf_printf(out, " by a word of %zu letters\n", c->word_length);
    else
        f2l_buf_printf(out, ": %s\n", c->reason);
    if (c->verdict == F2L_UNKNOWN && !r->exact->outline)
        f2l_buf_text(out, "hint       a certificate beside the network (certificate.cert, or "
                          "--certificate FILE) may name the levels\n"
                          "           or the form by which it can be proved\n");
}

static const char *how(const f2l_rounded *r)
{
    switch (r->how) {
    case F2L_ROUND_BY_EXACT:
        return "nothing rounds";
    case F2L_ROUND_BY_CLOSURE:
        return "closure";
    case F2L_ROUND_BY_OBSERVING:
        return "long words";
    case F2L_ROUND_BY_LEVELS:
    case F2L_ROUND_BY_FORM:
        return "";
    case F2L_ROUND_BY_NOTHING:
        break;
    }
    return r->verdict == F2L_OK ? "bound" : "-";
}

static size_t width(const f2l_round_report *r, bool schedule)
{
    size_t most = 8;
    for (size_t i = 0; i < r->count; i++) {
        const size_t n =
            strlen(schedule ? r->rounded[i].schedule->name : r->rounded[i].format->name);
        if (n > most) most = n;
    }
    return most;
}

static void write_right(f2l_buf *out, const f2l_rounded *r)
{
    uint64_t letters;
    if (f2l_rounded_right_up_to(&letters, r))
        f2l_buf_printf(out, "  %14s", "all");
    else if (letters || r->how == F2L_ROUND_BY_CLOSURE || (r->bounded && r->horizon.known))
        f2l_buf_printf(out, "  %14llu", (unsigned long long)letters);
    else
        f2l_buf_printf(out, "  %14s", "-");
}

/* Appends the least length at which a wrong label is known. */
static void write_failure(f2l_buf *out, const f2l_rounded *r)
{
    uint64_t least = 0;
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++)
        if (r->observed[k].failed && (!least || r->observed[k].failed < least))
            least = r->observed[k].failed;
    if (r->verdict == F2L_REFUTED && r->how != F2L_ROUND_BY_OBSERVING)
        least = r->closure.word_length;
    if (r->verdict == F2L_REFUTED)
        f2l_buf_printf(out, "  %11llu%s", (unsigned long long)least,
                       r->how == F2L_ROUND_BY_OBSERVING ? " " : "*");
    else
        f2l_buf_printf(out, "  %11s ", "-");
}

static void write_header(f2l_buf *out, const f2l_round_report *r)
{
    f2l_buf_printf(out, "\n%-*s  %-*s  %-8s  %14s  %12s  how\n", (int)width(r, false), "format",
                   (int)width(r, true), "schedule", "verdict", "right up to", "wrong at ");
}

f2l_status f2l_round_report_row(f2l_buf *out, const f2l_round_report *r, const f2l_rounded *row,
                                f2l_error *err)
{
    f2l_buf_printf(out, "%-*s  %-*s  %-8s", (int)width(r, false), row->format->name,
                   (int)width(r, true), row->schedule->name, f2l_report_verdict(row->verdict));
    write_right(out, row);
    write_failure(out, row);
    f2l_buf_printf(out, "  %s", how(row));
    if (row->how == F2L_ROUND_BY_CLOSURE && row->verdict == F2L_OK)
        f2l_buf_printf(out, " of %zu joint states", row->closure.rows);
    if (row->how == F2L_ROUND_BY_LEVELS || row->how == F2L_ROUND_BY_FORM)
        write_outlined(out, &row->outlined);
    f2l_buf_text(out, "\n");
    return f2l_buf_status(out, err);
}

static void write_word(f2l_buf *out, const f2l_round_report *r, const f2l_closure *c)
{
    f2l_buf_text(out, "wrong after:");
    for (size_t i = 0; i < c->word_length && i < WITNESS_LETTERS; i++) {
        f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(&r->fsa->letters, c->word[i]));
    }
    if (c->word_length > WITNESS_LETTERS) f2l_buf_printf(out, " .. (%zu letters)", c->word_length);
    f2l_buf_printf(out, "%s; expected %s, got %s\n", c->word_length ? "" : " the empty word",
                   c->expected, c->got);
}

static void write_observed(f2l_buf *out, const f2l_rounded *row)
{
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) {
        const f2l_observed *o = &row->observed[k];
        if (!o->letters) continue;
        f2l_buf_printf(out, "  %s: ", f2l_words_name((f2l_words)k));
        if (o->failed)
            f2l_buf_printf(out, "wrong at letter %llu of %s\n", (unsigned long long)o->failed,
                           o->word);
        else
            f2l_buf_printf(out, "right for %llu letters%s\n", (unsigned long long)o->letters,
                           o->cyclic ? ", and then every state recurs" : "");
    }
}

static void write_note(f2l_buf *out, const f2l_round_report *r, const f2l_rounded *row)
{
    f2l_buf_printf(out, "\n%s %s: ", row->format->name, row->schedule->name);
    if (row->verdict == F2L_REFUTED && row->how != F2L_ROUND_BY_OBSERVING)
        write_word(out, r, &row->closure);
    else
        f2l_buf_printf(out, "%s\n", row->reason[0] ? row->reason : "closed, with rounding");
    if (row->unrounded.verdict != F2L_OK && row->unrounded.reason[0] &&
        strcmp(row->unrounded.reason, row->reason) != 0)
        f2l_buf_printf(out, "  rounds: %s\n", row->unrounded.reason);
    if (row->bounded && row->horizon.known)
        f2l_buf_printf(out, "  bound: error at most %.3g a letter, margin %.3g (layer %zu)%s\n",
                       row->horizon.growth, row->horizon.margin, row->horizon.layer + 1,
                       row->horizon.capped ? "; the search was capped" : "");
    else if (row->bounded)
        f2l_buf_printf(out, "  bound: none (%s)\n", row->horizon.reason);
    write_observed(out, row);
}

/* Appends a remark on the spectrum. By T1 such networks cannot compute parity exactly; a format in
 * which one is VERIFIED needs an explanation. */
static void write_spectrum(f2l_buf *out, const f2l_round_report *r)
{
    bool rounds = false;
    for (size_t i = 0; i < r->count; i++)
        rounds = rounds ||
                 (r->rounded[i].verdict == F2L_OK && r->rounded[i].how == F2L_ROUND_BY_CLOSURE);
    if (!r->exact->psd || !rounds || r->exact->closure.verdict == F2L_OK) return;
    f2l_buf_printf(out,
                   "\n"
                   "spectrum   every transition is symmetric with eigenvalues in [%.6g, 1]. In "
                   "exact arithmetic, or with one\n"
                   "           rounding for each step, no finite network with such layers computes "
                   "parity (theory/pages/obstruct.md, T1).\n"
                   "           Where a row above says VERIFIED, it is the rounding inside the step "
                   "that does it\n"
                   "           (theory/pages/parity.md, P10): a fact about that format and "
                   "schedule, and about no other.\n",
                   r->exact->least);
}

f2l_status f2l_round_report_head(f2l_buf *out, const f2l_round_report *r, f2l_error *err)
{
    write_network(out, r);
    write_exact(out, r);
    write_header(out, r);
    return f2l_buf_status(out, err);
}

static void write_undecided(f2l_buf *out, const f2l_round_report *r)
{
    f2l_buf_printf(out, "\nended      %s", r->ended);
    for (size_t i = r->decided; i < r->count; i++)
        f2l_buf_printf(out, "%s %s %s", i == r->decided ? "; not decided:" : ",",
                       r->rounded[i].format->name, r->rounded[i].schedule->name);
    f2l_buf_text(out, "\n");
}

f2l_status f2l_round_report_close(f2l_buf *out, const f2l_round_report *r, f2l_error *err)
{
    bool shortest = false;
    for (size_t i = 0; i < r->decided; i++)
        shortest = shortest || (r->rounded[i].verdict == F2L_REFUTED &&
                                r->rounded[i].how != F2L_ROUND_BY_OBSERVING);
    if (shortest) f2l_buf_text(out, "* of a shortest wrong word: the search was breadth-first\n");
    write_spectrum(out, r);
    for (size_t i = 0; i < r->decided; i++)
        if (r->rounded[i].verdict != F2L_OK) write_note(out, r, &r->rounded[i]);
    if (r->ended) write_undecided(out, r);
    return f2l_buf_status(out, err);
}

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
