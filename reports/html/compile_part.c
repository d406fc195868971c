#include "reports/html/compile_part.h"
#include "models/network/wired/network_text.h"
#include "reports/html/folder_files.h"
#include "reports/html/network_part.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_NETWORK ((size_t)6 << 20)

bool f2l_is_compile(const json_t *report)
{
    return strcmp(f2l_record_text(report, "report"), "compile") == 0;
}

/* --- head --- */

void f2l_page_title(f2l_page *page, const char *kind, const char *title)
{
    f2l_page_close(page);
    f2l_buf *out = &page->html;
    f2l_page_raw(page, "<header>\n<p class=\"kind\">");
    f2l_html_text(out, kind);
    f2l_page_raw(page, page->part == 0 ? "</p>\n<h1>" : "</p>\n<h1 class=\"next\">");
    f2l_html_text(out, title);
    f2l_page_raw(page, "</h1>\n</header>\n");
    f2l_buf_text(&page->md, page->part == 0 ? "# " : "\n# ");
    f2l_md_text(&page->md, title);
    f2l_buf_printf(&page->md, ": %s\n\n", kind);
}

void f2l_page_hero(f2l_page *page, const char *verdict, const char *headline, const char *scope)
{
    f2l_page_rawf(page, "<div class=\"hero %s\"><strong>%s ", f2l_verdict_class(verdict),
                  f2l_verdict_mark(verdict));
    f2l_html_text(&page->html, headline);
    f2l_page_raw(page, "</strong><p>");
    f2l_html_text(&page->html, scope);
    f2l_page_raw(page, "</p></div>\n");
    f2l_buf_text(&page->md, "**");
    f2l_md_text(&page->md, headline);
    f2l_buf_text(&page->md, "** ");
    f2l_md_text(&page->md, scope);
    f2l_buf_text(&page->md, "\n\n");
}

void f2l_page_tile(f2l_page *page, const char *what, const char *format, ...)
{
    char text[64];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    f2l_page_raw(page, "<div><b>");
    f2l_html_text(&page->html, text);
    f2l_page_raw(page, "</b><span>");
    f2l_html_text(&page->html, what);
    f2l_page_raw(page, "</span></div>\n");
    f2l_buf_printf(&page->md, "- %s: ", what);
    f2l_md_text(&page->md, text);
    f2l_buf_text(&page->md, "\n");
}

/* Returns what is proved where labels of this kind are right: the sentence goes on behind "the
 * network, in exact rational arithmetic,". */
static const char *meaning_of_label(const char *kind)
{
    static const struct {
        const char *kind, *meaning;
    } meanings[] = {
        {"accept", "says accept or reject as the automaton does"},
        {"states", "names the state that the automaton is in"},
        {"outputs", "gives the output of the state that the automaton is in"},
        {"edges", "gives the output of the transition that the automaton takes"},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(kind, meanings[i].kind) == 0) return meanings[i].meaning;
    return "gives the label that the automaton gives";
}

/* Appends what a verdict says. */
static void put_scope(f2l_buf *out, const char *verdict, const char *label)
{
    const char *meaning = meaning_of_label(label);
    if (strcmp(verdict, "VERIFIED") == 0)
        f2l_buf_printf(out,
                       "After every letter of every word, of every length, the network, in exact "
                       "rational arithmetic, %s. This is proved, and the certificate in this "
                       "folder can be checked by a program that shares no code with the compiler.",
                       meaning);
    else if (strcmp(verdict, "REFUTED") == 0)
        f2l_buf_printf(out,
                       "It is not true that after every letter the network, in exact rational "
                       "arithmetic, %s: it is wrong on a word that is given below. There a state "
                       "has the label of the code that it equals; other decoders were not asked.",
                       meaning);
    else
        f2l_buf_text(out, "Nothing is claimed: a limit ended the work before the question was "
                          "decided.");
}

static void put_compile_head(f2l_page *page, const json_t *r)
{
    char headline[64];
    f2l_buf scope;
    const char *verdict = f2l_record_text(r, "exact.verdict");
    f2l_page_title(page, "constructed network", f2l_record_text(r, "automaton.name"));
    snprintf(headline, sizeof headline, "%s%s", verdict[0] ? verdict : "UNKNOWN",
             strcmp(verdict, "VERIFIED") == 0 ? " for all words" : "");
    f2l_buf_init(&scope);
    put_scope(&scope, verdict, f2l_record_text(r, "construction.label_kind"));
    f2l_page_hero(page, verdict, headline, scope.data ? scope.data : "");
    if (scope.failed) page->html.failed = true;
    f2l_buf_clear(&scope);
    f2l_page_raw(page, "<div class=\"tiles\">\n");
    f2l_page_tile(page, "states", "%zu", f2l_record_count(r, "automaton.states"));
    f2l_page_tile(page, "letters", "%zu", f2l_record_count(r, "automaton.letters"));
    f2l_page_tile(page, "layers", "%zu", f2l_record_count(r, "construction.layers"));
    f2l_page_tile(page, "heads in a layer", "%zu", f2l_record_count(r, "construction.heads"));
    f2l_page_tile(page, "factors of a head (n_h)", "%zu",
                  f2l_record_count(r, "construction.householders"));
    f2l_page_tile(page, "key dimension", "%zu", f2l_record_count(r, "construction.key_dim"));
    f2l_page_tile(page, "numbers of the state", "%zu",
                  f2l_record_count(r, "construction.state_numbers"));
    f2l_page_raw(page, "</div>\n");
    f2l_buf_text(&page->md, "\n");
}

/* --- the network --- */

static void put_layers(f2l_page *page, const json_t *r)
{
    static const char *const titles[] = {"layer",           "heads",   "n_h",   "key dimension",
                                         "value dimension", "numbers", "codes", NULL};
    static const char *const names[] = {"heads",     "householders",  "key_dim",
                                        "value_dim", "state_numbers", "codes"};
    const size_t layers = f2l_record_size(r, "construction.per_layer");
    if (layers == 0) return;
    f2l_page_fold(page, layers == 1 ? "The layer" : "Layer by layer", layers <= 4);
    f2l_page_table(page, "Sizes by layer; codes are the states that the decoder tells apart",
                   titles);
    for (size_t l = 0; l < layers; l++) {
        const json_t *layer = f2l_record_item(r, "construction.per_layer", l);
        f2l_page_row(page);
        f2l_page_cell(page, "%zu", l + 1);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            f2l_page_cell(page, "%zu", f2l_record_count(layer, names[i]));
    }
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
}

static void put_level(f2l_page *page, const json_t *level, size_t number)
{
    const size_t permutations = f2l_record_count(level, "permutations");
    f2l_page_rawf(page, "<li><b>Level %zu</b>%zu states<br>%zu contexts<br>", number,
                  f2l_record_count(level, "states"), f2l_record_count(level, "contexts"));
    f2l_html_text(&page->html, f2l_record_text(level, "form"));
    f2l_page_rawf(page, "<br>%zu resets, %zu permutations<br>%zu factor%s</li>\n",
                  f2l_record_count(level, "resets"), permutations,
                  f2l_record_count(level, "factors"),
                  f2l_record_count(level, "factors") == 1 ? "" : "s");
    f2l_buf_printf(&page->md, "%zu. %zu states, %zu contexts, ", number,
                   f2l_record_count(level, "states"), f2l_record_count(level, "contexts"));
    f2l_md_text(&page->md, f2l_record_text(level, "form"));
    f2l_buf_text(&page->md, "\n");
}

static void put_cascade(f2l_page *page, const json_t *r)
{
    const size_t levels = f2l_record_size(r, "construction.cascade.per_level");
    if (levels == 0) return;
    f2l_page_section(page, "cascade", "The cascade");
    f2l_page_say(page,
                 "The automaton is a cascade of %zu levels (%s): each level reads the letter "
                 "together with the states of the levels before it, its context.",
                 levels, f2l_record_text(r, "construction.cascade.kind"));
    f2l_page_raw(page, "<ol class=\"flow\">\n");
    for (size_t l = 0; l < levels && l < 60; l++)
        put_level(page, f2l_record_item(r, "construction.cascade.per_level", l), l + 1);
    f2l_page_raw(page, "</ol>\n");
    f2l_buf_text(&page->md, "\n");
    if (levels > 60) f2l_page_note(page, "These are the first 60 levels.");
}

static void put_construction(f2l_page *page, const json_t *r)
{
    const char *one = f2l_record_text(r, "construction.one_layer");
    f2l_page_section(page, "network", "The network");
    f2l_page_say(page, "Construction %s, %s.%s%s%s", f2l_record_text(r, "construction.theorem"),
                 f2l_record_text(r, "construction.variant"), one[0] ? " One layer suffices: " : "",
                 one, one[0] ? "." : "");
    f2l_page_say(page, "A token takes %zu factor%s; the tables of the decoders have %zu entries.",
                 f2l_record_count(r, "construction.factors_per_token"),
                 f2l_record_count(r, "construction.factors_per_token") == 1 ? "" : "s",
                 f2l_record_count(r, "construction.table_entries"));
    if (f2l_record_text(r, "construction.track.representation")[0])
        f2l_page_say(page, "It follows %s, with keys for %s.",
                     f2l_record_text(r, "construction.track.representation"),
                     f2l_record_text(r, "construction.track.keys"));
    const size_t least = f2l_record_count(r, "layers_needed.layers_at_least");
    const size_t most = f2l_record_count(r, "layers_needed.most_layers");
    const bool finite = strcmp(f2l_record_text(r, "layers_needed.scope"), "finite") == 0;
    const char *scope = finite ? ", with finitely many exact states" : "";
    if (least > 1 && least == most)
        f2l_page_say(page, "Exactly %zu layers: fewer cannot track the automaton%s.", least, scope);
    else if (least > 1)
        f2l_page_say(page, "At least %zu layers are needed%s.", least, scope);
    put_layers(page, r);
}

/* --- formats --- */

enum { MOST_NAMES = 16 };

/* Sets name[] to the different values of a member of the formats, in their order. */
static size_t distinct(const char **name, const json_t *r, const char *member)
{
    size_t count = 0;
    for (size_t i = 0; i < f2l_record_size(r, "formats"); i++) {
        const char *text = f2l_record_text(f2l_record_item(r, "formats", i), member);
        size_t k = 0;
        while (k < count && strcmp(name[k], text) != 0) k++;
        if (k == count && count < MOST_NAMES) name[count++] = text;
    }
    return count;
}

static const json_t *find_format(const json_t *r, const char *format, const char *schedule)
{
    for (size_t i = 0; i < f2l_record_size(r, "formats"); i++) {
        const json_t *f = f2l_record_item(r, "formats", i);
        if (strcmp(f2l_record_text(f, "format"), format) == 0 &&
            strcmp(f2l_record_text(f, "schedule"), schedule) == 0)
            return f;
    }
    return NULL;
}

/* Says of every format that is not VERIFIED why, or on which word it is wrong. */
static void put_failures(f2l_page *page, const json_t *r)
{
    for (size_t i = 0; i < f2l_record_size(r, "formats"); i++) {
        const json_t *f = f2l_record_item(r, "formats", i);
        const char *verdict = f2l_record_text(f, "verdict");
        const size_t letters = f2l_record_count(f, "wrong_after");
        if (strcmp(verdict, "VERIFIED") == 0) continue;
        if (letters > 0)
            f2l_page_note(page, "%s %s is wrong after %zu letters.", f2l_record_text(f, "format"),
                          f2l_record_text(f, "schedule"), letters);
        else
            f2l_page_note(page, "%s %s is %s: %s.", f2l_record_text(f, "format"),
                          f2l_record_text(f, "schedule"), verdict, f2l_record_text(f, "reason"));
    }
}

static void put_formats(f2l_page *page, const json_t *r)
{
    const char *format[MOST_NAMES], *schedule[MOST_NAMES];
    const char *titles[MOST_NAMES + 2] = {"format"};
    const size_t formats = distinct(format, r, "format");
    const size_t schedules = distinct(schedule, r, "schedule");
    if (formats == 0) return;
    for (size_t s = 0; s < schedules; s++) titles[s + 1] = schedule[s];
    f2l_page_section(page, "formats", "In number formats");
    f2l_page_say(page, "Each verdict is about words of every length, with the weights rounded to "
                       "the format and the operations rounded in the order that the schedule "
                       "fixes. A state is decoded by the nearest code, compared exactly.");
    f2l_page_table(page, "Verdicts by format and schedule", titles);
    for (size_t i = 0; i < formats; i++) {
        f2l_page_row(page);
        f2l_page_cell(page, "%s", format[i]);
        for (size_t s = 0; s < schedules; s++) {
            const json_t *f = find_format(r, format[i], schedule[s]);
            if (f)
                f2l_page_verdict_cell(page, f2l_record_text(f, "verdict"));
            else
                f2l_page_cell(page, " ");
        }
    }
    f2l_page_table_end(page);
    if (f2l_record_text(r, "engines_exact")[0])
        f2l_page_say(page,
                     "In these serving engines nothing rounds, with activations in bf16: %s. "
                     "Others were not looked at closely: fsa2lrnn engines has a table.",
                     f2l_record_text(r, "engines_exact"));
    put_failures(page, r);
}

/* --- length, checking, hashes --- */

static void put_length(f2l_page *page, const json_t *r)
{
    f2l_page_section(page, "length", "Error against length");
    if (strcmp(f2l_record_text(r, "exact.verdict"), "VERIFIED") == 0)
        f2l_page_say(page, "0 wrong labels at every length: a constructed network that is VERIFIED "
                           "has no curve to draw. The report of a training run has the curve of a "
                           "trained network of the same class beside it (fsa2lrnn train, then "
                           "fsa2lrnn report with both folders).");
    else
        f2l_page_say(page, "The network is not VERIFIED, and no curve was measured.");
    const size_t after = f2l_record_count(r, "exact.wrong_after");
    if (after > 0) f2l_page_say(page, "It is wrong after %zu letters.", after);
}

static void put_checks(f2l_page *page)
{
    f2l_page_section(page, "check", "Check it yourself");
    f2l_page_say(page, "In this folder. The checker reads the three files with its own reader and "
                       "prints s VERIFIED with their SHA-256.");
    f2l_page_code(page, "lrnn-check automaton.fsa network.lrnn certificate.cert\n"
                        "fsa2lrnn run . --random 100 --length 1000 --seed 7 --format bf16\n"
                        "fsa2lrnn round .\n");
}

static void put_version_files(f2l_page *page, const json_t *r)
{
    static const char *const titles[] = {"file", "bytes", "SHA-256", NULL};
    f2l_page_section(page, "versions", "Versions and hashes");
    f2l_page_say(page,
                 "fsa2lrnn %s, commit %s. The verdict is about automaton.fsa in this folder: "
                 "reading %s was tested, but is not proved.",
                 f2l_record_text(r, "tool.version"), f2l_record_text(r, "tool.commit"),
                 f2l_record_text(r, "automaton.name"));
    f2l_page_table(page, "Files of the folder", titles);
    for (size_t i = 0; i < f2l_record_size(r, "files"); i++) {
        const json_t *file = f2l_record_item(r, "files", i);
        f2l_page_row(page);
        f2l_page_cell(page, "%s", f2l_record_text(file, "name"));
        f2l_page_cell(page, "%zu", f2l_record_count(file, "bytes"));
        f2l_page_cell(page, "%s", f2l_record_text(file, "sha256"));
    }
    f2l_page_table_end(page);
}

/* --- the files that are drawn --- */

static f2l_status draw_network(f2l_page *page, const f2l_buf *bytes, f2l_error *err)
{
    f2l_net model;
    f2l_net_init(&model);
    f2l_status status = f2l_network_read(&model, bytes->data, bytes->size, err);
    if (status == F2L_OK) status = f2l_network_part(page, &model, err);
    f2l_net_clear(&model);
    return status;
}

static f2l_status put_matrices(f2l_page *page, const char *folder, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_folder_bytes(&bytes, folder, "network.lrnn", MOST_NETWORK, err);
    if (status == F2L_OK && bytes.size > 0)
        status = draw_network(page, &bytes, err);
    else if (status == F2L_OK) {
        f2l_page_section(page, "matrices", "What each letter does");
        f2l_page_about_drawing(page,
                               "network.lrnn is missing or has more than %zu MiB: its matrices are "
                               "not drawn.",
                               MOST_NETWORK >> 20);
    }
    f2l_buf_clear(&bytes);
    return status;
}

f2l_status f2l_compile_part(f2l_page *page, const char *folder, const json_t *report,
                            f2l_error *err)
{
    put_compile_head(page, report);
    f2l_status status = f2l_folder_automaton(page, folder, NULL, err);
    put_construction(page, report);
    if (status == F2L_OK) status = put_matrices(page, folder, err);
    put_cascade(page, report);
    put_formats(page, report);
    put_length(page, report);
    put_checks(page);
    put_version_files(page, report);
    return status;
}
