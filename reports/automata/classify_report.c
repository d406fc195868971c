#include "reports/automata/classify_report.h"
#include "numeric/base/path.h"
#include "reports/phrases.h"
#include <stdio.h>
#include <string.h>

#define INDENT 14 /* columns of the labels */
#define WIDTH 98  /* columns of a line */
#define WORD 40   /* letters of a word that are shown */
#define CYCLE 12  /* states of a cycle that are shown */
#define GROUPS 12 /* groups that are shown */

/* Appends text broken at blanks; the first word goes to `column`, further lines are indented by
 * INDENT. A word that is wider than the line gets a line of its own. */
static void wrap(f2l_buf *out, const char *text, size_t column)
{
    for (bool first = true; *text; first = false) {
        const size_t word = strcspn(text, " ");
        if (!first && column + 1 + word > WIDTH) {
            f2l_buf_printf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (!first) {
            f2l_buf_text(out, " ");
            column++;
        }
        f2l_buf_bytes(out, text, word);
        column += word;
        text += word;
        while (*text == ' ') text++;
    }
    f2l_buf_text(out, "\n");
}

static void wrap_buf(f2l_buf *out, f2l_buf *line)
{
    if (line->failed) out->failed = true;
    if (line->data) wrap(out, line->data, INDENT);
    f2l_buf_clear(line);
}

static void put_word(f2l_buf *line, const f2l_classify *c, const uint32_t *letter, size_t length)
{
    for (size_t i = 0; i < length && i < WORD; i++) {
        if (i) f2l_buf_text(line, " ");
        f2l_buf_name(line, f2l_names_get(&c->fsa->letters, letter[i]));
    }
    if (length > WORD) f2l_buf_text(line, " ..");
}

static void write_word(f2l_buf *out, const char *name, const f2l_classify *c,
                       const f2l_cycle_word *w, const char *none)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_report_label(out, name, INDENT);
    if (!w->length) f2l_buf_text(&line, none);
    put_word(&line, c, w->letter, w->length);
    if (w->length) {
        f2l_buf_printf(&line, " (%zu letter%s, %s) takes ", w->length, w->length == 1 ? "" : "s",
                       w->shortest ? "the shortest" : "a short one");
        for (size_t i = 0; i <= w->period && i < CYCLE; i++) {
            if (i) f2l_buf_text(&line, " -> ");
            f2l_buf_name(&line, f2l_names_get(&c->fsa->states, w->state[i % w->period]));
        }
        f2l_buf_printf(&line, "%s: a cycle of %zu states", w->period >= CYCLE ? " -> .." : "",
                       w->period);
    }
    wrap_buf(out, &line);
}

static void put_pair(f2l_buf *line, const f2l_classify *c, const f2l_word_pair *pair)
{
    f2l_buf_text(line, "(");
    put_word(line, c, pair->letter[0], pair->length[0]);
    f2l_buf_text(line, ") and (");
    put_word(line, c, pair->letter[1], pair->length[1]);
    f2l_buf_text(line, pair->state ? ") permute" : ") permute all states");
    for (size_t i = 0; pair->state && i < pair->states && i < CYCLE; i++) {
        f2l_buf_text(line, " ");
        f2l_buf_name(line, f2l_names_get(&c->fsa->states, pair->state[i]));
    }
    if (pair->state && pair->states > CYCLE) f2l_buf_printf(line, " .. (%zu states)", pair->states);
    f2l_buf_printf(line, " and generate a group that is not solvable: %s", pair->group);
}

static void write_pair(f2l_buf *out, const f2l_classify *c)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_report_label(out, "two words", INDENT);
    if (c->pair.group)
        put_pair(&line, c, &c->pair);
    else
        f2l_buf_text(&line, "none were found, within the limits, that generate a group that is not "
                            "solvable");
    wrap_buf(out, &line);
}

static void write_groups(f2l_buf *out, const f2l_classify *c)
{
    if (!c->groups) {
        f2l_report_label(out, "groups", INDENT);
        f2l_buf_text(out, c->groups_known ? "all trivial\n" : "not known\n");
    }
    for (size_t i = 0; i < c->groups && i < GROUPS; i++) {
        const f2l_ladder_group *g = &c->group[i];
        f2l_buf line;
        f2l_buf_init(&line);
        f2l_report_label(out, i ? "" : "groups", INDENT);
        f2l_buf_text(&line, g->name);
        if (g->order && strncmp(g->name, "order ", 6) != 0)
            f2l_buf_printf(&line, ", order %s", g->order);
        if (g->factors) f2l_buf_printf(&line, "; composition factors %s", g->factors);
        if (!g->level)
            f2l_buf_text(&line, "; of the letters that permute all states");
        else if (!c->permutation)
            f2l_buf_printf(&line, "; level %zu%s", g->level,
                           g->components > 1 ? " and others" : "");
        wrap_buf(out, &line);
    }
    if (c->groups > GROUPS) {
        f2l_report_label(out, "", INDENT);
        f2l_buf_printf(out, "and %zu more\n", c->groups - GROUPS);
    }
}

static void write_facts(f2l_buf *out, const f2l_classify *c)
{
    f2l_report_label(out, "aperiodic", INDENT);
    f2l_buf_printf(out, "%s\n", f2l_ternary_name(c->aperiodic));
    f2l_report_label(out, "2-groups only", INDENT);
    f2l_buf_printf(out, "%s\n", f2l_ternary_name(c->two_groups));
    f2l_report_label(out, "solvable", INDENT);
    f2l_buf_printf(out, "%s\n", f2l_ternary_name(c->solvable));
    write_groups(out, c);
    if (c->reason[0] && (f2l_classify_open(c) || !c->groups_known)) {
        f2l_report_label(out, "limit", INDENT);
        wrap(out, c->reason, INDENT);
    }
    if (c->levels) {
        f2l_report_label(out, "levels", INDENT);
        f2l_buf_printf(out, "%zu%s\n", c->levels,
                       c->permutation ? ": a permutation automaton" : " (holonomy)");
    }
    write_word(out, "cycle", c, &c->any,
               c->aperiodic == F2L_TERNARY_YES ? "none: no word acts as a cycle"
                                               : "no word was found");
    if (c->aperiodic != F2L_TERNARY_YES)
        write_word(out, "odd factor", c, &c->odd,
                   c->two_groups == F2L_TERNARY_YES ? "none: every cycle has a power of two of "
                                                      "states"
                                                    : "no word was found");
    if (c->solvable == F2L_TERNARY_NO) write_pair(out, c);
}

static void number(f2l_buf *out, size_t value)
{
    if (value)
        f2l_buf_printf(out, " %6zu", value);
    else
        f2l_buf_printf(out, " %6s", "");
}

static void write_table(f2l_buf *out, const f2l_classify *c)
{
    f2l_buf_printf(out,
                   "\n"
                   "%-20s %-25s %-20s %6s %6s %6s\n",
                   "class", "verdict", "by", "layers", "n_h", "dim");
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) {
        const f2l_ladder_row *row = &c->row[i];
        f2l_buf line;
        f2l_buf_init(&line);
        f2l_buf_printf(&line, "%-20s %-25s %-20s", row->name, f2l_ladder_verdict_name(row->verdict),
                       row->statement);
        number(&line, row->layers);
        number(&line, row->householders);
        number(&line, row->dimension);
        while (line.size && line.data[line.size - 1] == ' ') line.size--;
        if (line.data) f2l_buf_bytes(out, line.data, line.size);
        out->failed = out->failed || line.failed;
        f2l_buf_text(out, "\n");
        f2l_buf_clear(&line);
    }
    wrap(out,
         "layers: a number that suffices by that statement; n_h: Householder factors of a head "
         "for a letter; dim: its key dimension",
         0);
}

static void write_built(f2l_buf *out, const f2l_classify_built *b)
{
    f2l_buf line;
    if (!b->tried) return;
    f2l_buf_init(&line);
    f2l_report_label(out, "  compiled", INDENT);
    if (b->status == F2L_OK) {
        f2l_buf_printf(&line,
                       "%s (%s): %s in exact arithmetic; %zu layer%s, n_h %zu, key "
                       "dimension %zu",
                       b->theorem, b->variant,
                       b->exact == F2L_OK ? "VERIFIED" : f2l_status_name(b->exact),
                       b->figures.layers, b->figures.layers == 1 ? "" : "s",
                       b->figures.householders, b->figures.key_dim);
        if (b->reason[0]) f2l_buf_printf(&line, "; %s", b->reason);
    } else {
        f2l_buf_printf(&line, "%s: %s", b->status == F2L_UNKNOWN ? "UNKNOWN" : "no", b->reason);
    }
    wrap_buf(out, &line);
}

static void write_notes(f2l_buf *out, const f2l_classify_report *r)
{
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) {
        const f2l_ladder_row *row = &r->classify->row[i];
        f2l_buf_printf(out,
                       "\n"
                       "%s%s%s%s: %s%s%s\n",
                       row->name, row->models[0] ? " (" : "", row->models,
                       row->models[0] ? ")" : "", f2l_ladder_verdict_name(row->verdict),
                       row->statement[0] ? ", by " : "", row->statement);
        if (row->witness || row->odd || row->pair) {
            f2l_report_label(out, "  witness", INDENT);
            f2l_buf_printf(out, "%s above\n",
                           row->pair  ? "`two words`"
                           : row->odd ? "the word of `odd factor`"
                                      : "the word of `cycle`");
        }
        f2l_report_label(out, "  scope", INDENT);
        wrap(out, row->scope, INDENT);
        if (row->construction[0]) {
            f2l_report_label(out, "  network", INDENT);
            f2l_buf_printf(out, "%s\n", row->construction);
        }
        if (row->least_layers > 1) {
            f2l_report_label(out, "  layers", INDENT);
            f2l_buf_printf(out,
                           "at least %zu with finitely many exact states "
                           "(L.6')\n",
                           row->least_layers);
        }
        if (row->remark[0]) {
            f2l_report_label(out, "  note", INDENT);
            wrap(out, row->remark, INDENT);
        }
        if (r->built) write_built(out, &r->built[i]);
    }
}

f2l_status f2l_classify_report_text(f2l_buf *out, const f2l_classify_report *report, f2l_error *err)
{
    const f2l_classify *c = report->classify;
    f2l_buf_printf(out, "%s: %zu state%s, %zu letter%s, labels %s", f2l_path_base(report->grammar),
                   c->fsa->states.count, c->fsa->states.count == 1 ? "" : "s",
                   c->fsa->letters.count, c->fsa->letters.count == 1 ? "" : "s",
                   f2l_label_name(report->label));
    if (c->fsa->states.count < report->states)
        f2l_buf_printf(out, " (of %zu states)", report->states);
    f2l_buf_text(out, "\n");
    write_facts(out, c);
    write_table(out, c);
    write_notes(out, report);
    f2l_buf_text(out, "\n"
                      "The statements are proved, or their sources named, in "
                      "theory/pages/ladder.md.\n");
    if (report->ended)
        f2l_buf_printf(out,
                       "ended: %s; what is unknown was not "
                       "decided\n",
                       report->ended);
    return f2l_buf_status(out, err);
}
