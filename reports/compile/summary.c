/* The printed summary: one labelled line per fact; every fact is in report.json, too. */
#include "reports/compile/report.h"
#include "reports/compile/report_parts.h"
#include "reports/phrases.h"
#include <stdio.h>
#include <string.h>

#define INDENT 15     /* columns of the labels */
#define LIST_BYTES 60 /* bytes of a list of names before it is cut */
#define NAME_BYTES 40
#define LAYER_LINES 40

/* Appends text, quoted when it has characters that could garble a line; words like accept, which
 * files must quote, are plain here. */
static void quoted(f2l_buf *out, const char *text)
{
    bool plain = text[0] != '\0';
    for (const char *c = text; *c; c++)
        plain = plain && (unsigned char)*c > ' ' && *c != 0x7F && !strchr("#\"()", *c);
    if (plain)
        f2l_buf_text(out, text);
    else
        f2l_buf_name(out, text);
}

/* Appends a name; a long one is cut. */
static void name(f2l_buf *out, const char *text)
{
    size_t n = strlen(text);
    if (n <= NAME_BYTES) {
        quoted(out, text);
        return;
    }
    for (n = NAME_BYTES; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) n--;
    char cut[NAME_BYTES + 1];
    memcpy(cut, text, n);
    cut[n] = '\0';
    quoted(out, cut);
    f2l_buf_text(out, "...");
}

/* Appends n names separated by blanks; a long list is cut, with the number of the other names.
 * `index`: the names [n] to take; NULL: the first n. */
static void names(f2l_buf *out, const f2l_names *all, const uint32_t *index, size_t n)
{
    const size_t begin = out->size;
    for (size_t i = 0; i < n; i++) {
        if (out->size - begin > LIST_BYTES) {
            f2l_buf_printf(out, " ... (%zu more)", n - i);
            return;
        }
        if (i > 0) f2l_buf_text(out, " ");
        name(out, f2l_names_get(all, index ? index[i] : i));
    }
}

void f2l_report_headline(f2l_buf *out, const f2l_report *report)
{
    name(out, f2l_report_name(report));
    f2l_buf_text(out, ": ");
    f2l_report_count(out, report->fsa->states.count, "state");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, report->fsa->letters.count, "letter");
    f2l_buf_printf(out, " (sha256 %.8s...)\n", report->fsa_sha256);
}

static void write_automaton(f2l_buf *out, const f2l_report *r)
{
    f2l_report_headline(out, r);
    f2l_report_label(out, "letters", INDENT);
    names(out, &r->fsa->letters, NULL, r->fsa->letters.count);
    f2l_buf_text(out, "\n");
}

/* Appends how the file became automaton.fsa, unless it is automaton.fsa. */
static void write_reading(f2l_buf *out, const f2l_report *r)
{
    const f2l_total_report *t = &r->total;
    if (strcmp(r->syntax, "fsa") == 0 && !t->determinised && !t->sink_edges && !t->dropped) return;
    f2l_report_label(out, "read", INDENT);
    f2l_buf_printf(out, "as %s", r->syntax);
    if (t->determinised) {
        f2l_buf_text(out, "; made deterministic (");
        f2l_report_count(out, t->states_before, "state");
        f2l_buf_text(out, " before)");
    }
    if (t->sink_edges) {
        f2l_buf_text(out, "; ");
        f2l_report_count(out, t->sink_edges, "missing transition");
        f2l_buf_printf(out, " now lead%s to the added state ", t->sink_edges == 1 ? "s" : "");
        name(out, t->sink_name);
    }
    if (t->dropped) {
        f2l_buf_text(out, "; ");
        f2l_report_count(out, t->dropped, "unreachable state");
        f2l_buf_text(out, " dropped");
    }
    f2l_buf_text(out, "\n");
    f2l_report_label(out, "", INDENT);
    f2l_buf_text(out,
                 "the certificate is about automaton.fsa: these steps before it are not part of "
                 "the proof\n");
}

static const char *describe(const f2l_compile_result *c)
{
    if (c->t4 && c->t4->diagonal_class) return c->t4->diagonal_class;
    if (c->t4 && c->t4->report.delays) return "cascade, one layer per level, two with a delay";
    if (c->t4) return "cascade, one layer per level";
    if (c->zeiger) return "cascade by rule, one layer per level";
    if (c->d1) return "permutation automaton, by blocks of letters";
    if (c->dihedral.m)
        return c->dihedral.dihedral ? "dihedral group, two layers" : "cyclic group, two layers";
    return c->registers.k ? "definite automaton, one layer" : "permutation automaton, one layer";
}

static void write_size(f2l_buf *out, const f2l_net_size *size)
{
    f2l_report_count(out, size->heads, "head");
    f2l_buf_printf(out, ", n_h = %zu, key dimension %zu, value dimension %zu, ", size->householders,
                   size->key_dim, size->value_dim);
    f2l_report_count(out, size->states, "state number");
    if (size->codes) {
        f2l_buf_text(out, ", ");
        f2l_report_count(out, size->codes, "code");
    }
    f2l_buf_text(out, "\n");
}

static void write_layers(f2l_buf *out, const f2l_compile_result *c)
{
    const f2l_net *net = &c->net;
    f2l_net_size size;
    f2l_report_size(&size, c);
    f2l_report_count(out, size.layers, "layer");
    f2l_buf_text(out, ", ");
    write_size(out, &size);
    for (size_t l = 0; net->layers > 1 && l < net->layers; l++) {
        f2l_report_label(out, "", INDENT);
        if (l == LAYER_LINES) {
            f2l_buf_printf(out, "... (%zu more layers)\n", net->layers - l);
            break;
        }
        f2l_report_layer(&size, net, l);
        f2l_buf_printf(out, "layer %zu: ", l + 1);
        write_size(out, &size);
    }
}

static void write_t3(f2l_buf *out, const f2l_t3_report *t3)
{
    f2l_report_label(out, "", INDENT);
    f2l_buf_text(out, "on ");
    f2l_report_count(out, t3->points, "point");
    f2l_buf_text(out, " (");
    f2l_report_representation(out, t3);
    f2l_buf_printf(out, "); keys: %s\n", t3->keys);
    f2l_report_label(out, "", INDENT);
    f2l_buf_text(out, "one letter displaces at most ");
    f2l_report_count(out, t3->k_states, "state");
    f2l_buf_text(out, " (k of [U]), ");
    f2l_report_count(out, t3->k_points, "point");
    f2l_buf_text(out, "\n");
}

static void write_register(f2l_buf *out, const f2l_register_report *k)
{
    f2l_report_label(out, "", INDENT);
    f2l_buf_text(out, "a register of the last ");
    f2l_report_count(out, k->k, "letter");
    f2l_buf_printf(out, ", told apart by %zu class%s; at first it ", k->letter_classes,
                   k->letter_classes == 1 ? "" : "es");
    f2l_buf_text(out, k->empty ? "is empty\n" : "holds a word that leads to the start\n");
}

/* Appends why one layer suffices; nothing for T3 and R1, whose names imply it. */
static void write_one_layer(f2l_buf *out, const f2l_compile_result *c)
{
    if (!c->one_layer[0] || strcmp(c->theorem, "T3") == 0 || c->r1) return;
    f2l_report_label(out, "one layer", INDENT);
    f2l_buf_printf(out, "suffices: the automaton is %s\n", c->one_layer);
}

static void write_construction(f2l_buf *out, const f2l_report *r)
{
    const f2l_compile_result *c = r->compiled;
    const f2l_names *labels = f2l_compile_is_wired(c) ? &c->wired.labels : &c->net.labels;
    f2l_report_label(out, "construction", INDENT);
    f2l_buf_printf(out, "%s (%s): ", c->theorem, describe(c));
    write_layers(out, c);
    if (c->t4)
        f2l_report_t4_summary(out, c, INDENT);
    else if (c->registers.k)
        write_register(out, &c->registers);
    else if (strcmp(c->theorem, "T3") == 0)
        write_t3(out, &c->t3);
    else
        f2l_report_details(out, c, INDENT);
    write_one_layer(out, c);
    f2l_report_label(out, "labels", INDENT);
    f2l_buf_printf(out, "%s: ", f2l_label_name(r->label));
    names(out, labels, NULL, labels->count);
    if (c->minimised_states) {
        f2l_buf_text(out, "; minimised to ");
        f2l_report_count(out, c->minimised_states, "state");
    }
    f2l_buf_text(out, "\n");
}

static void write_refuted(f2l_buf *out, const f2l_report *r, const f2l_closure *closure)
{
    f2l_buf_text(out, "REFUTED: after the ");
    if (closure->word_length == 0) {
        f2l_buf_text(out, "empty word");
    } else {
        f2l_buf_text(out, "word \"");
        names(out, &r->fsa->letters, closure->word, closure->word_length);
        f2l_buf_text(out, "\"");
        if (closure->word_length > 9) f2l_buf_printf(out, " of %zu letters", closure->word_length);
    }
    if (strcmp(closure->got, "no code") == 0) {
        f2l_buf_text(out, " no label belongs to the network's state");
    } else {
        f2l_buf_text(out, " the network says ");
        name(out, closure->got);
    }
    f2l_buf_text(out, ", the automaton says ");
    name(out, closure->expected);
    f2l_buf_text(out, " (shortest such word)\n");
}

/* Appends a verdict. `pairs` > 0: the pairs of the local closure that replaced the joint one.
 * `statement` not NULL: the statement that replaced both. */
static void write_verdict(f2l_buf *out, const f2l_report *r, const f2l_closure *closure,
                          size_t pairs, const char *statement)
{
    if (closure->verdict == F2L_REFUTED) {
        write_refuted(out, r, closure);
    } else if (statement) {
        f2l_buf_printf(out, "VERIFIED for all words (the form of %s, %s)\n",
                       r->compiled->rule->page, statement);
    } else if (pairs) {
        f2l_buf_text(out, "VERIFIED for all words (local closure of ");
        f2l_report_count(out, pairs, "pair");
        f2l_buf_text(out, ")\n");
    } else if (closure->verdict == F2L_OK) {
        f2l_buf_text(out, "VERIFIED for all words (closure of ");
        f2l_report_count(out, closure->rows, "joint state");
        f2l_buf_text(out, ")\n");
    } else {
        /* The text "limit of 1000000 joint states reached" already contains the number. */
        f2l_buf_printf(out, "UNKNOWN: %s", closure->reason);
        if (strncmp(closure->reason, "limit of", 8) != 0) {
            f2l_buf_text(out, " (");
            f2l_report_count(out, closure->rows, "joint state");
            f2l_buf_text(out, " seen)");
        }
        f2l_buf_text(out, "\n");
    }
}

/* Appends the formats of one schedule with this verdict, as "bf16, fp16"; returns their number. */
static size_t other_formats(f2l_buf *out, const f2l_compile_result *c, const f2l_schedule *schedule,
                            bool verified)
{
    size_t n = 0;
    for (size_t i = 0; i < c->others; i++) {
        const f2l_compile_other *o = &c->other[i];
        if (o->schedule != schedule || (o->verdict == F2L_OK) != verified) continue;
        f2l_buf_printf(out, "%s%s", n++ ? ", " : "", o->format->name);
    }
    return n;
}

/* Appends a line for each schedule without a closure, with the reason where the verdict is open. */
static void write_other_schedules(f2l_buf *out, const f2l_compile_result *c)
{
    for (size_t i = 0; i < c->others; i++) {
        const f2l_compile_other *o = &c->other[i];
        if (i && o[-1].schedule == o->schedule) continue;
        f2l_buf verified, open;
        f2l_buf_init(&verified);
        f2l_buf_init(&open);
        const size_t good = other_formats(&verified, c, o->schedule, true);
        const size_t bad = other_formats(&open, c, o->schedule, false);
        f2l_report_label(out, o->schedule->name, INDENT);
        if (good)
            f2l_buf_printf(out, "VERIFIED for all words in %s: nothing rounds there",
                           verified.data);
        if (bad)
            f2l_buf_printf(out, "%sUNKNOWN in %s (fsa2lrnn round)", good ? "; " : "", open.data);
        f2l_buf_text(out, "\n");
        out->failed = out->failed || verified.failed || open.failed;
        f2l_buf_clear(&verified);
        f2l_buf_clear(&open);
    }
}

static void write_verdicts(f2l_buf *out, const f2l_report *r)
{
    f2l_report_label(out, "exact", INDENT);
    const f2l_compile_rule *rule = r->compiled->rule;
    write_verdict(out, r, &r->compiled->exact, f2l_report_pairs(r->compiled),
                  rule ? rule->exact : NULL);
    for (size_t i = 0; i < r->compiled->formats; i++) {
        const f2l_compile_format *f = &r->compiled->format[i];
        char text[64];
        snprintf(text, sizeof text, "%.30s %.30s", f->format->name, f->schedule->name);
        f2l_report_label(out, text, INDENT);
        if (f->bounded && f->closure.verdict == F2L_OK)
            f2l_buf_text(out, "VERIFIED for all words (the error stays below half the distance of "
                              "codes)\n");
        else
            write_verdict(out, r, &f->closure, f->pairs, f->by_rule && rule ? rule->format : NULL);
        if (!f->bounded || f->closure.verdict == F2L_OK) continue;
        f2l_report_label(out, "", INDENT);
        f2l_buf_printf(out,
                       "every word of at most %llu letters is right "
                       "(theory/pages/horizon.md)\n",
                       (unsigned long long)f->horizon);
    }
    write_other_schedules(out, r->compiled);
}

static void write_weights(f2l_buf *out, const f2l_weights_report *w)
{
    f2l_report_label(out, "weights", INDENT);
    f2l_buf_printf(out, "%s, %s, %s\n", w->dtype,
                   w->exact ? "which holds every number exactly"
                            : "rounded: no format holds every number",
                   w->sparse ? "keys and values as indices and entries" : "dense");
}

/* Appends OUT/NAME as a shell takes it: in single quotes unless plain. */
static void path(f2l_buf *out, const f2l_report *r, const char *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%=";
    size_t n = strlen(r->out);
    while (n > 1 && r->out[n - 1] == '/') n--;
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

static void write_files(f2l_buf *out, const f2l_report *r)
{
    for (size_t i = 0; i < r->files; i++) {
        f2l_report_label(out, i == 0 ? "files" : "", INDENT);
        path(out, r, r->file[i].name);
        const size_t width = strlen(r->file[i].name);
        f2l_buf_printf(out, "%*s %9zu bytes\n", width < 20 ? (int)(20 - width) : 0, "",
                       r->file[i].bytes);
    }
    f2l_report_label(out, r->files ? "" : "files", INDENT);
    path(out, r, "report.json");
    f2l_buf_text(out, "\n");
    if (r->compiled->exact.verdict != F2L_OK) return;
    f2l_report_label(out, "check it", INDENT);
    f2l_buf_text(out, "lrnn-check ");
    path(out, r, "automaton.fsa");
    f2l_buf_text(out, " ");
    path(out, r, "network.lrnn");
    f2l_buf_text(out, " ");
    path(out, r, "certificate.cert");
    f2l_buf_text(out, "\n");
}

static void write_time(f2l_buf *out, const f2l_report *r)
{
    double formats = r->compiled->other_seconds;
    for (size_t i = 0; i < r->compiled->formats; i++) formats += r->compiled->format[i].seconds;
    f2l_report_label(out, "time", INDENT);
    f2l_buf_printf(out, "%.2f s (reading %.2f, construction %.2f, exact %.2f, formats %.2f)\n",
                   r->total_seconds, r->read_seconds, r->compiled->construct_seconds,
                   r->compiled->exact_seconds, formats);
}

f2l_status f2l_report_summary(f2l_buf *out, const f2l_report *report, f2l_error *err)
{
    write_automaton(out, report);
    write_reading(out, report);
    write_construction(out, report);
    write_verdicts(out, report);
    f2l_report_search(out, report->compiled, INDENT);
    f2l_report_others(out, report->compiled, INDENT);
    write_weights(out, &report->weights);
    write_files(out, report);
    write_time(out, report);
    return f2l_buf_status(out, err);
}
