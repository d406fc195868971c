/* The printed summary, laid out from the facts of report.json. Only the names of letters and labels
 * are read from the automaton and the network, because report.json does not repeat them. */
#include "numeric/base/path.h"
#include "numeric/base/visible.h"
#include "numeric/facts/layout.h"
#include "reports/compile/report_parts.h"
#include "reports/model/layers_facts.h"
#include "reports/phrases.h"
#include "theory/construct/construction.h"
#include <stdio.h>
#include <string.h>

#define INDENT F2L_SUMMARY_INDENT
#define LIST_BYTES 60 /* bytes of a list of names before it is cut */
#define NAME_BYTES 40
#define LAYER_LINES 40
#define BLANKS "               "

/* Appends text, quoted when it has characters that could garble a line; words like accept, which
 * files must quote, are plain here. */
static void append_quoted_text(f2l_buf *out, const char *text)
{
    bool plain = text[0] != '\0';
    for (const char *c = text; *c; c++) plain = plain && *c != ' ' && !strchr("#\"()", *c);
    for (size_t i = 0, n = strlen(text); plain && i < n;) {
        bool hidden;
        i += f2l_visible_next(&hidden, text + i, n - i);
        plain = !hidden;
    }
    if (plain)
        f2l_buf_text(out, text);
    else
        f2l_buf_visible_name(out, text);
}

/* Appends a name; a long one is cut. */
static void name(f2l_buf *out, const char *text)
{
    size_t n = strlen(text);
    if (n <= NAME_BYTES) {
        append_quoted_text(out, text);
        return;
    }
    for (n = NAME_BYTES; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) n--;
    char cut[NAME_BYTES + 1];
    memcpy(cut, text, n);
    cut[n] = '\0';
    append_quoted_text(out, cut);
    f2l_buf_text(out, "...");
}

/* Appends the next of n names, separated by blanks; a long list, which begins at `begin`, is cut,
 * with the number of the other names. Returns false at its end. */
static bool next_name(f2l_buf *out, size_t begin, size_t i, size_t n, const char *text)
{
    if (i < n && out->size - begin > LIST_BYTES) f2l_buf_printf(out, " ... (%zu more)", n - i);
    if (i == n || out->size - begin > LIST_BYTES) return false;
    if (i > 0) f2l_buf_text(out, " ");
    name(out, text);
    return true;
}

static void names(f2l_buf *out, const f2l_names *all)
{
    const size_t begin = out->size, n = all->count;
    for (size_t i = 0; i < n && next_name(out, begin, i, n, f2l_names_get(all, i));) i++;
}

static void lay_wrapped_word(f2l_buf *out, f2l_fact word)
{
    const size_t begin = out->size, n = f2l_get_size(word, "");
    for (size_t i = 0; i < n; i++)
        if (!next_name(out, begin, i, n, f2l_get_text(f2l_get_item(word, i), ""))) return;
}

void f2l_report_headline(f2l_buf *out, f2l_fact from)
{
    const f2l_fact automaton = f2l_get(from, "automaton");
    name(out, f2l_get_text(automaton, "name"));
    f2l_layout(out, automaton, ": {states state}, {letters letter} (sha256 {sha256%.8s}...)\n");
}

/* Appends how the file became automaton.fsa, unless it is automaton.fsa. */
static void lay_reading(f2l_buf *out, f2l_fact automaton)
{
    const bool sink = f2l_is_known(automaton, "sink_state");
    if (f2l_is(automaton, "syntax", "fsa") && !f2l_get_truth(automaton, "determinised") && !sink &&
        !f2l_get_count(automaton, "dropped") && !f2l_get_count(automaton, "letter_sets"))
        return;
    f2l_layout(out, automaton,
               "read           as {syntax}{letter_sets?; {letter_sets label} for several letters}"
               "{empty_transitions?; {empty_transitions transition} for the empty word}"
               "{determinised?; made deterministic ({states_before state} before)}");
    if (sink) {
        f2l_layout(out, automaton,
                   "; {sink_edges missing transition} now {sink_edges=1?leads|lead} to the added "
                   "state ");
        name(out, f2l_get_text(automaton, "sink_state"));
    }
    const bool whole = f2l_is_known(automaton, "named_source") &&
                       !f2l_get_truth(automaton, "determinised") &&
                       !f2l_get_count(automaton, "dropped");
    f2l_layout(out, automaton, "{dropped?; {dropped unreachable state} dropped}\n" BLANKS);
    if (whole)
        f2l_buf_text(out, "the certificate is about automaton.fsa, which names the added state and "
                          "its source\n");
    else
        f2l_buf_text(out, "the certificate is about automaton.fsa: these steps before it are not "
                          "part of the proof\n");
}

/* Appends lines, which may begin with a label and a tab. */
static void put_summary_lines(f2l_buf *out, const char *lines)
{
    while (*lines) {
        const size_t n = strcspn(lines, "\n"), label = strcspn(lines, "\t");
        char text[INDENT] = "";
        const size_t begin = label < n ? label + 1 : 0;
        if (begin) snprintf(text, sizeof text, "%.*s", (int)label, lines);
        f2l_report_label(out, text, INDENT);
        f2l_buf_bytes(out, lines + begin, n - begin);
        f2l_buf_text(out, "\n");
        lines += n + (lines[n] == '\n');
    }
}

#define SIZE \
    "{heads head}, n_h = {householders}, key dimension {key_dim}, value dimension {value_dim}, " \
    "{state_numbers state number}{codes?, {codes code}}\n"

/* Appends the kind of network, its sizes, and what its construction tells; the layers of a network
 * without circuits. */
static void lay_construction(f2l_buf *out, f2l_fact construction, const f2l_compile_result *c)
{
    const f2l_fact layers = f2l_get(construction, "per_layer");
    const size_t n = f2l_is_known(construction, "codes") ? f2l_get_size(layers, "") : 0;
    f2l_buf lines;
    f2l_buf_init(&lines);
    f2l_layout(out, construction, "construction   {theorem} (");
    f2l_layout(out, construction, c->by->title);
    f2l_layout(out, construction, "): {layers layer}, " SIZE);
    f2l_layout(out, construction,
               BLANKS "{factors_per_token factor} per token, {parameters parameter}\n");
    for (size_t l = 0; n > 1 && l < n && l < LAYER_LINES; l++) {
        f2l_buf_printf(out, BLANKS "layer %zu: ", l + 1);
        f2l_layout(out, f2l_get_item(layers, l), SIZE);
    }
    if (n > LAYER_LINES) f2l_buf_printf(out, BLANKS "... (%zu more layers)\n", n - LAYER_LINES);
    if (c->by->tell) c->by->tell(&lines, construction, c);
    if (c->by->lines) f2l_layout(&lines, construction, c->by->lines);
    if (lines.size) put_summary_lines(out, lines.data);
    out->failed = out->failed || lines.failed;
    f2l_buf_clear(&lines);
}

static void lay_refuted(f2l_buf *out, f2l_fact verdict)
{
    const f2l_fact witness = f2l_get(verdict, "witness");
    const size_t letters = f2l_get_size(witness, "word");
    f2l_buf_text(out, letters ? "REFUTED: after the word \"" : "REFUTED: after the empty word");
    lay_wrapped_word(out, f2l_get(witness, "word"));
    if (letters) f2l_buf_text(out, "\"");
    if (letters > 9) f2l_buf_printf(out, " of %zu letters", letters);
    if (f2l_is(witness, "got", "no code")) {
        f2l_layout(out, verdict,
                   "{decoder=equal? the network's state equals no code (the nearest one was not "
                   "asked)| no label belongs to the network's state}");
    } else {
        f2l_buf_text(out, " the network says ");
        name(out, f2l_get_text(witness, "got"));
    }
    f2l_buf_text(out, ", the automaton says ");
    name(out, f2l_get_text(witness, "expected"));
    f2l_layout(out, verdict, " ({decoder=nearest?nearest code; |}shortest such word)\n");
}

static void lay_exact_verdict(f2l_buf *out, f2l_fact verdict)
{
    if (f2l_is(verdict, "verdict", "REFUTED")) {
        lay_refuted(out, verdict);
    } else if (f2l_is(verdict, "verdict", "VERIFIED")) {
        f2l_layout(out, verdict,
                   "VERIFIED for all words {decoder=nearest?by the nearest code |}"
                   "({how=form?the form of {statement}|{how=local closure?"
                   "local closure of {pairs pair}|{how=bound?the error stays below half the "
                   "distance of codes|closure of {joint_states joint state}}}})\n");
    } else {
        /* The text "limit of 1000000 joint states reached" already contains the number. */
        const bool limit = strncmp(f2l_get_text(verdict, "reason"), "limit of", 8) == 0;
        f2l_layout(out, verdict, "UNKNOWN: {reason}");
        if (!limit)
            f2l_layout(out, verdict,
                       "{joint_states? ({joint_states joint state} seen)| (0 joint states seen)}");
        f2l_buf_text(out, "\n");
    }
}

/* Returns whether the row has no closure: its verdict only says whether anything rounds. */
static bool is_other(f2l_fact row)
{
    return f2l_is(row, "how", "nothing rounds") || f2l_is(row, "how", "none");
}

/* Appends the formats of rows begin .. end - 1 with this verdict, as "bf16, fp16"; returns their
 * number. */
static size_t lay_formats(f2l_buf *out, f2l_fact rows, size_t begin, size_t end,
                          const char *verdict)
{
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        if (!f2l_is(f2l_get_item(rows, i), "verdict", verdict)) continue;
        f2l_layout(out, f2l_get_item(rows, i), n++ ? ", {format}" : "{format}");
    }
    return n;
}

/* Appends a line for the rows of one schedule without a closure. */
static void lay_other(f2l_buf *out, f2l_fact rows, size_t begin, size_t end)
{
    f2l_buf verified, open;
    f2l_buf_init(&verified);
    f2l_buf_init(&open);
    const size_t good = lay_formats(&verified, rows, begin, end, "VERIFIED");
    const size_t bad = lay_formats(&open, rows, begin, end, "UNKNOWN");
    f2l_report_label(out, f2l_get_text(f2l_get_item(rows, begin), "schedule"), INDENT);
    if (good)
        f2l_buf_printf(out,
                       "VERIFIED for all words by the nearest code in %s: nothing rounds there",
                       verified.data);
    if (bad) f2l_buf_printf(out, "%sUNKNOWN in %s (fsa2lrnn round)", good ? "; " : "", open.data);
    f2l_buf_text(out, "\n");
    out->failed = out->failed || verified.failed || open.failed;
    f2l_buf_clear(&verified);
    f2l_buf_clear(&open);
}

static void lay_verdicts(f2l_buf *out, f2l_fact from)
{
    const f2l_fact rows = f2l_get(from, "formats");
    const size_t n = f2l_get_size(rows, "");
    size_t i = 0;
    f2l_report_label(out, "exact", INDENT);
    lay_exact_verdict(out, f2l_get(from, "exact"));
    f2l_lay_layer_bounds(out, from, INDENT);
    for (; i < n && !is_other(f2l_get_item(rows, i)); i++) {
        const f2l_fact row = f2l_get_item(rows, i);
        char label[64];
        snprintf(label, sizeof label, "%.30s %.30s", f2l_get_text(row, "format"),
                 f2l_get_text(row, "schedule"));
        f2l_report_label(out, label, INDENT);
        lay_exact_verdict(out, row);
        if (f2l_is_known(row, "horizon"))
            f2l_layout(out, row,
                       "{horizon.for_ever?|" BLANKS "every word of at most {horizon.letters} "
                       "letters is right (theory/pages/horizon.md)\n}");
    }
    for (size_t end; i < n; i = end) {
        const char *schedule = f2l_get_text(f2l_get_item(rows, i), "schedule");
        for (end = i + 1; end < n && f2l_is(f2l_get_item(rows, end), "schedule", schedule);) end++;
        lay_other(out, rows, i, end);
    }
}

/* --- files and time --- */

/* Appends OUT/NAME as a shell takes it: in single quotes unless plain. */
static void path(f2l_buf *out, const f2l_report *r, const char *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%=";
    const size_t n = f2l_path_trimmed(r->out);
    const bool quote = strspn(r->out, plain) < n;
    if (quote) f2l_buf_text(out, "'");
    for (size_t i = 0; i < n; i++) {
        if (r->out[i] == '\'')
            f2l_buf_text(out, "'\\''");
        else
            f2l_buf_bytes(out, r->out + i, 1);
    }
    f2l_buf_printf(out, "/%s%s", file, quote ? "'" : "");
}

static void lay_written_files(f2l_buf *out, f2l_fact from, const f2l_report *r)
{
    const f2l_fact files = f2l_get(from, "files");
    const size_t n = f2l_get_size(files, "");
    f2l_layout(out, f2l_get(from, "weights"),
               "weights        {dtype}, {rounded?rounded: it does not hold every number|which "
               "holds every number exactly}, {sparse?keys and values as indices and "
               "entries|dense}\n");
    if (r->page) {
        f2l_report_label(out, "files", INDENT);
        path(out, r, "report.html");
        f2l_buf_text(out, "            for a browser\n");
    }
    for (size_t i = 0; i < n; i++) {
        const f2l_fact file = f2l_get_item(files, i);
        const size_t width = strlen(f2l_get_text(file, "name"));
        f2l_report_label(out, i == 0 && !r->page ? "files" : "", INDENT);
        path(out, r, f2l_get_text(file, "name"));
        f2l_buf_printf(out, "%*s ", width < 20 ? (int)(20 - width) : 0, "");
        f2l_layout(out, file, "{bytes%9s} bytes\n");
    }
    f2l_report_label(out, n || r->page ? "" : "files", INDENT);
    path(out, r, "report.json");
    f2l_buf_text(out, "\n");
    if (!f2l_is(from, "exact.verdict", "VERIFIED")) return;
    f2l_buf_text(out, "check it       lrnn-check ");
    path(out, r, "automaton.fsa");
    f2l_buf_text(out, " ");
    path(out, r, "network.lrnn");
    f2l_buf_text(out, " ");
    path(out, r, "certificate.cert");
    f2l_buf_text(out, "\n");
}

static void lay_compile_times(f2l_buf *out, f2l_fact timing)
{
    const f2l_fact each = f2l_get(timing, "formats_seconds");
    double formats = f2l_get_number(timing, "others_seconds");
    for (size_t i = 0; i < f2l_get_size(each, ""); i++)
        formats += f2l_get_number(f2l_get_item(each, i), "");
    f2l_layout(out, timing,
               "time           {total_seconds%.2f} s (reading {read_seconds%.2f}, construction "
               "{construct_seconds%.2f}, exact {exact_seconds%.2f}, ");
    f2l_buf_printf(out, "formats %.2f)\n", formats);
}

f2l_status f2l_report_summary(f2l_buf *out, const f2l_report *report, f2l_error *err)
{
    const f2l_compile_result *c = report->compiled;
    f2l_facts facts;
    f2l_facts_init(&facts);
    const f2l_fact from = f2l_facts_root(&facts);
    f2l_report_describe_all(from, report);
    f2l_report_headline(out, from);
    f2l_report_label(out, "letters", INDENT);
    names(out, &report->fsa->letters);
    f2l_layout(out, f2l_get(from, "construction"),
               "{letter_classes?; {letter_classes} act differently}\n");
    lay_reading(out, f2l_get(from, "automaton"));
    f2l_lay_judged_words(out, f2l_get(from, "automaton"));
    lay_construction(out, f2l_get(from, "construction"), c);
    f2l_layout(out, f2l_get(from, "construction"), "labels         {label_kind}: ");
    names(out, &c->net.labels);
    f2l_layout(out, f2l_get(from, "construction"),
               "{minimised_states?; minimised to {minimised_states state}}\n");
    lay_verdicts(out, from);
    if (c->entries) f2l_report_search(out, from);
    f2l_report_others(out, from);
    lay_written_files(out, from, report);
    lay_compile_times(out, f2l_get(from, "timing"));
    return f2l_facts_end(&facts, out, err);
}
