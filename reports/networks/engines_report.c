#include "reports/networks/engines_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/phrases.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- a cell --- */

static const char *const cell_how[] = {
    [F2L_ROUND_BY_NOTHING] = "none",    [F2L_ROUND_BY_EXACT] = "nothing rounds",
    [F2L_ROUND_BY_CLOSURE] = "closure", [F2L_ROUND_BY_LEVELS] = "local closure",
    [F2L_ROUND_BY_FORM] = "form",       [F2L_ROUND_BY_OBSERVING] = "observed",
    [F2L_ROUND_BY_POWERS] = "growth"};

void f2l_engines_cell_take(f2l_engines_cell *out, const f2l_rounded *row)
{
    *out = (f2l_engines_cell){.decided = true,
                              .verdict = row->verdict,
                              .how = row->how,
                              .joint_states = row->closure.rows};
    const bool all = f2l_rounded_right_up_to(&out->right_up_to, row);
    const bool by_powers = row->how == F2L_ROUND_BY_POWERS;
    if (row->verdict == F2L_REFUTED && (row->how == F2L_ROUND_BY_CLOSURE || by_powers))
        out->wrong_after = row->closure.word_length;
    if (by_powers) snprintf(out->word, sizeof out->word, "a word that recurs modulo powers of two");
    for (size_t k = 0; row->how == F2L_ROUND_BY_OBSERVING && k < F2L_WORDS_KINDS; k++) {
        const uint64_t failed = row->observed[k].failed;
        if (!failed || (out->wrong_after && failed >= out->wrong_after)) continue;
        out->wrong_after = failed;
        snprintf(out->word, sizeof out->word, "%s",
                 k == F2L_WORDS_GREEDY ? f2l_words_name(F2L_WORDS_GREEDY) : row->observed[k].word);
    }
    out->bounded = !all && row->bounded && row->horizon.known;
    snprintf(out->reason, sizeof out->reason, "%s", row->reason);
}

bool f2l_engines_is_copy(const f2l_engines_report *report, size_t cell)
{
    const size_t row = cell % report->rows;
    return report->row[row].same < row;
}

const char *f2l_engines_verdict(const f2l_engines_cell *cell)
{
    if (cell->none) return "none";
    return cell->decided ? f2l_verdict_name(cell->verdict) : "UNKNOWN";
}

const char *f2l_engines_how(const f2l_engines_cell *cell)
{
    const bool bound =
        cell->decided && cell->verdict == F2L_OK && cell->how == F2L_ROUND_BY_NOTHING;
    return bound && !cell->none ? "bound" : cell_how[cell->how];
}

/* --- facts --- */

static const f2l_engines_cell *cell_of(const f2l_engines_report *r, size_t net, size_t row)
{
    return &r->cell[net * r->rows + row];
}

static void say_engine_net(f2l_fact in, const f2l_engines_net *net)
{
    f2l_say_text(in, "automaton_file", f2l_path_base(net->subject));
    f2l_say_text(in, "keys", net->keys);
    f2l_say_text(in, "made_by", net->made_by);
    f2l_say_text(in, "theorem", net->theorem);
    f2l_say_known(in, "layers", !net->none, net->layers);
    f2l_say_text(in, "network_sha256", net->sha256 && net->sha256[0] ? net->sha256 : NULL);
    f2l_say_text(in, "no_network", net->none);
}

static void say_engine_row(f2l_fact in, const f2l_engines_report *r, size_t i)
{
    const f2l_engines_row *row = &r->row[i];
    size_t of[4] = {0};
    static const char *const name[] = {"VERIFIED", "REFUTED", "UNKNOWN", "none"};
    for (size_t n = 0; n < r->nets; n++)
        for (size_t k = 0; k < 4; k++)
            of[k] += strcmp(f2l_engines_verdict(cell_of(r, n, i)), name[k]) == 0;
    f2l_say_text(in, "engine", row->name);
    f2l_say_text(in, "engine_source", row->source);
    f2l_say_text(in, "source_kind", row->kind);
    f2l_say_text(in, "schedule", row->schedule->name);
    f2l_say_text(in, "same_row", row->same < i ? r->row[row->same].name : NULL);
    f2l_say_count(in, "verified_cells", of[0]);
    f2l_say_count(in, "refuted_cells", of[1]);
    f2l_say_count(in, "unknown_cells", of[2]);
    f2l_say_count(in, "none_cells", of[3]);
}

static void say_cell_command(f2l_fact in, const f2l_engines_report *r, const f2l_engines_net *net,
                             const f2l_engines_row *row)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_buf_printf(&line,
                   "fsa2lrnn round %s --engine %s --formats %s --effort %" PRIu64
                   " --limit %" PRIu64 " --letters %" PRIu64,
                   net->operand, row->name, r->format->name, r->effort, r->limit, r->letters);
    f2l_say_buf(in, "command", &line);
}

static void say_cell(f2l_fact in, const f2l_engines_report *r, size_t n, size_t i)
{
    const f2l_engines_cell *cell = cell_of(r, n, i);
    const f2l_engines_net *net = &r->net[n];
    const f2l_engines_row *row = &r->row[i];
    const bool verified = cell->decided && !cell->none && cell->verdict == F2L_OK;
    const bool refuted = cell->decided && !cell->none && cell->verdict == F2L_REFUTED;
    f2l_say_text(in, "automaton_file", f2l_path_base(net->subject));
    f2l_say_text(in, "keys", net->keys);
    f2l_say_text(in, "engine", row->name);
    f2l_say_text(in, "cell_verdict", f2l_engines_verdict(cell));
    f2l_say_text(in, "how", cell->none ? NULL : f2l_engines_how(cell));
    f2l_say_known(in, "joint_states", cell->joint_states > 0, cell->joint_states);
    f2l_say_known(in, "wrong_after", refuted, cell->wrong_after);
    f2l_say_text(in, "wrong_on", cell->word[0] ? cell->word : NULL);
    f2l_say_known(in, "right_up_to", refuted || cell->bounded, cell->right_up_to);
    f2l_say_text(in, "reason", cell->reason[0] && !verified ? cell->reason : NULL);
    if (cell->none && net->none)
        f2l_say_text(in, "command", net->made_by);
    else
        say_cell_command(in, r, net, row);
}

static void describe_engines(f2l_fact out, const void *report)
{
    const f2l_engines_report *r = report;
    f2l_say_text(out, "format", r->format->name);
    f2l_say_known(out, "cell_effort", r->effort > 0, r->effort);
    f2l_say_count(out, "cell_letters", r->letters);
    f2l_say_count(out, "cell_limit", r->limit);
    const f2l_fact nets = f2l_say_list(out, "engine_nets");
    for (size_t n = 0; n < r->nets; n++) say_engine_net(f2l_say_object(nets, NULL), &r->net[n]);
    const f2l_fact rows = f2l_say_list(out, "engine_rows");
    for (size_t i = 0; i < r->rows; i++) say_engine_row(f2l_say_object(rows, NULL), r, i);
    const f2l_fact cells = f2l_say_list(out, "engine_cells");
    for (size_t n = 0; n < r->nets; n++)
        for (size_t i = 0; i < r->rows; i++) say_cell(f2l_say_object(cells, NULL), r, n, i);
    f2l_say_text(out, "ended", r->ended ? r->ended : "complete");
}

/* --- text --- */

/* Sets the cell's words: what is known of its words' lengths. */
static void write_cell(char out[64], const f2l_engines_report *r, size_t net, size_t row)
{
    const f2l_engines_cell *c = cell_of(r, net, row);
    if (c->none)
        snprintf(out, 64, "none: no %s", r->net[net].none ? "such keys" : "such weights");
    else if (!c->decided)
        snprintf(out, 64, "UNKNOWN: not looked at");
    else if (c->verdict == F2L_OK && c->how == F2L_ROUND_BY_EXACT)
        snprintf(out, 64, "VERIFIED, nothing rounds");
    else if (c->verdict == F2L_OK && c->joint_states > 0)
        snprintf(out, 64, "VERIFIED, %zu states", c->joint_states);
    else if (c->verdict == F2L_OK)
        snprintf(out, 64, "VERIFIED, %s", f2l_engines_how(c));
    else if (c->verdict == F2L_REFUTED)
        snprintf(out, 64, "wrong at %" PRIu64 "%s", c->wrong_after,
                 c->how >= F2L_ROUND_BY_OBSERVING ? "" : "*");
    else if (c->bounded)
        snprintf(out, 64, "UNKNOWN, right up to %" PRIu64, c->right_up_to);
    else
        snprintf(out, 64, "UNKNOWN");
}

/* Appends what a cell's words mean, and the limits of each. */
static void lay_limits(f2l_buf *out, const f2l_engines_report *r)
{
    f2l_buf_printf(out, "Activations in %s; each cell: ", r->format->name);
    if (r->effort)
        f2l_buf_printf(out, "%" PRIu64 " million counted steps", r->effort);
    else
        f2l_buf_text(out, "steps without a limit");
    f2l_buf_printf(out,
                   ", %" PRIu64 " joint states, long words of %" PRIu64
                   " letters. VERIFIED: right for all words; wrong at N: after a known word of N "
                   "letters, with * a shortest one; UNKNOWN: neither within these limits.\n",
                   r->limit, r->letters);
}

/* Returns whether a network has the same subject as the one before. */
static bool continues_subject(const f2l_engines_report *r, size_t n)
{
    return n > 0 && n < r->nets && strcmp(r->net[n].subject, r->net[n - 1].subject) == 0;
}

static void lay_subject(f2l_buf *out, const f2l_engines_report *r, size_t n, size_t nets,
                        size_t width)
{
    char words[64];
    f2l_buf_printf(out, "\n%s\n%-*s", f2l_path_base(r->net[n].subject), (int)width, "engine/state");
    for (size_t k = 0; k < nets; k++)
        f2l_buf_printf(out, k + 1 < nets ? "  %-30s" : "  %s", r->net[n + k].keys);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < r->rows; i++) {
        f2l_buf_printf(out, "%-*s", (int)width, r->row[i].name);
        for (size_t k = 0; k < nets; k++) {
            write_cell(words, r, n + k, i);
            f2l_buf_printf(out, k + 1 < nets ? "  %-30s" : "  %s", words);
        }
        f2l_buf_text(out, "\n");
    }
}

/* Appends how many cells of each engine are not decided. */
static void lay_unknown(f2l_buf *out, f2l_fact from)
{
    const f2l_fact rows = f2l_get(from, "engine_rows");
    bool some = false;
    f2l_buf_text(out, "\nUNKNOWN cells: ");
    for (size_t i = 0; i < f2l_get_size(rows, ""); i++) {
        const f2l_fact row = f2l_get_item(rows, i);
        if (!f2l_get_count(row, "unknown_cells")) continue;
        f2l_layout(out, row, some ? ", {engine} {unknown_cells}" : "{engine} {unknown_cells}");
        some = true;
    }
    f2l_buf_text(out, some ? "\n" : "none\n");
}

static void lay_reasons(f2l_buf *out, const f2l_engines_report *r)
{
    for (size_t n = 0; n < r->nets; n++)
        if (r->net[n].none)
            f2l_buf_printf(out, "%s, %s keys: none: %s\n", f2l_path_base(r->net[n].subject),
                           r->net[n].keys, r->net[n].none);
}

static void lay_engines(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_engines_report *r = report;
    size_t width = 12;
    for (size_t i = 0; i < r->rows; i++)
        if (strlen(r->row[i].name) > width) width = strlen(r->row[i].name);
    lay_limits(out, r);
    for (size_t n = 0; n < r->nets;) {
        size_t nets = 1;
        while (continues_subject(r, n + nets)) nets++;
        lay_subject(out, r, n, nets, width);
        n += nets;
    }
    lay_unknown(out, from);
    lay_reasons(out, r);
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].same < i)
            f2l_buf_printf(out, "%s has the row of %s\n", r->row[i].name,
                           r->row[r->row[i].same].name);
    f2l_layout(out, from, "{ended=complete?|ended by: {ended}\n}");
}

/* --- Markdown and CSV --- */

static void lay_markdown(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_engines_report *r = report;
    char words[64];
    f2l_buf_text(out, "| engine/state |");
    for (size_t n = 0; n < r->nets; n++)
        f2l_buf_printf(out, " %s, %s |", f2l_path_base(r->net[n].subject), r->net[n].keys);
    f2l_buf_text(out, "\n|---|");
    for (size_t n = 0; n < r->nets; n++) f2l_buf_text(out, "---|");
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < r->rows; i++) {
        f2l_buf_printf(out, "| %s |", r->row[i].name);
        for (size_t n = 0; n < r->nets; n++) {
            write_cell(words, r, n, i);
            f2l_buf_printf(out, " %s |", words);
        }
        f2l_buf_text(out, "\n");
    }
    f2l_buf_text(out, "\n");
    lay_limits(out, r);
    lay_unknown(out, from);
}

static void lay_csv(f2l_buf *out, f2l_fact from, const void *report)
{
    static const char *const name[] = {"automaton_file", "keys",   "engine", "cell_verdict", "how",
                                       "reason",         "command"};
    (void)report;
    f2l_buf_text(out, "automaton,keys,engine,verdict,how,reason,command,joint_states,wrong_after,"
                      "right_up_to\n");
    const f2l_fact cells = f2l_get(from, "engine_cells");
    for (size_t i = 0; i < f2l_get_size(cells, ""); i++) {
        const f2l_fact cell = f2l_get_item(cells, i);
        for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
            f2l_report_csv_field(out, f2l_get_text(cell, name[k]));
            f2l_buf_text(out, ",");
        }
        f2l_layout(out, cell,
                   "{joint_states?{joint_states}|},{wrong_after?{wrong_after}|},"
                   "{right_up_to?{right_up_to}|}\n");
    }
}

const f2l_report_kind f2l_engines_report_kind = {.name = "engines",
                                                 .describe = describe_engines,
                                                 .lay_beside = lay_engines,
                                                 .style = {.digits = 17}};
const f2l_report_kind f2l_engines_csv_kind = {.name = "engines",
                                              .describe = describe_engines,
                                              .lay_beside = lay_csv,
                                              .style = {.digits = 17}};
const f2l_report_kind f2l_engines_markdown_kind = {.name = "engines",
                                                   .describe = describe_engines,
                                                   .lay_beside = lay_markdown,
                                                   .style = {.digits = 17}};
