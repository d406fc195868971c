/* report.json. Jansson keeps the order of insertion, so the bytes are a function of the record. */
#include "reports/compile/report.h"
#include "numeric/base/path.h"
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"
#include <string.h>

#define SCHEMA 1

const char *f2l_report_verdict(f2l_status verdict)
{
    return verdict == F2L_OK ? "VERIFIED" : verdict == F2L_REFUTED ? "REFUTED" : "UNKNOWN";
}

const char *f2l_report_name(const f2l_report *report)
{
    return f2l_path_base(report->grammar);
}

void f2l_report_representation(f2l_buf *out, const f2l_t3_report *t3)
{
    f2l_buf_text(out, t3->representation);
    if (!t3->search_exhausted)
        f2l_buf_text(out, "; the search for fewer points stopped at its limit");
}

size_t f2l_report_pairs(const f2l_compile_result *c)
{
    return c->t4 && c->t4->local.verdict == F2L_OK ? c->t4->local.pairs : 0;
}

void f2l_report_stage(f2l_wired_size *out, const f2l_wired *net, size_t stage)
{
    f2l_wired alone = *net;
    alone.stages = 1;
    alone.stage = net->stage + stage;
    f2l_wired_measure(out, &alone);
}

void f2l_report_size(f2l_net_size *out, const f2l_compile_result *c)
{
    f2l_compile_figures wired;
    if (!f2l_compile_is_wired(c)) {
        f2l_net_measure(out, &c->net);
        return;
    }
    f2l_compile_measure(&wired, c);
    *out = (f2l_net_size){.layers = wired.layers,
                          .heads = wired.heads,
                          .householders = wired.householders,
                          .key_dim = wired.key_dim,
                          .value_dim = wired.value_dim,
                          .states = wired.states,
                          .factors_per_token = wired.factors_per_token};
}

void f2l_report_layer(f2l_net_size *out, const f2l_net *net, size_t layer)
{
    const f2l_net alone = {.layers = 1, .layer = net->layer + layer};
    f2l_net_measure(out, &alone);
}

json_t *f2l_json_text(const char *bytes)
{
    f2l_buf clean;
    f2l_buf_init(&clean);
    size_t n = strlen(bytes), bad;
    while (!f2l_utf8_valid(bytes, n, &bad)) {
        f2l_buf_bytes(&clean, bytes, bad);
        f2l_buf_utf8(&clean, 0xFFFD);
        bytes += bad + 1;
        n -= bad + 1;
    }
    f2l_buf_bytes(&clean, bytes, n);
    json_t *string = clean.failed ? NULL : json_stringn(clean.size ? clean.data : "", clean.size);
    f2l_buf_clear(&clean);
    return string;
}

json_t *f2l_report_tool(const f2l_report *r)
{
    json_t *o = json_object();
    return f2l_json_finish(o, f2l_json_put(o, "version", f2l_json_text(r->version)) &&
                                  f2l_json_put(o, "commit", f2l_json_text(r->commit)));
}

json_t *f2l_report_automaton(const f2l_report *r)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "name", f2l_json_text(f2l_report_name(r))) &&
               f2l_json_put(o, "sha256", f2l_json_text(r->fsa_sha256)) &&
               f2l_json_put(o, "states", f2l_json_number(r->fsa->states.count)) &&
               f2l_json_put(o, "letters", f2l_json_number(r->fsa->letters.count)) &&
               f2l_json_put(o, "label", f2l_json_text(f2l_label_name(r->label))) &&
               f2l_json_put(o, "syntax", f2l_json_text(r->syntax)) &&
               f2l_json_put(o, "determinised", json_boolean(r->total.determinised)) &&
               f2l_json_put(o, "sink_edges", f2l_json_number(r->total.sink_edges)) &&
               f2l_json_put(o, "dropped", f2l_json_number(r->total.dropped)));
}

static json_t *layer(const f2l_net *net, size_t l)
{
    f2l_net_size size;
    f2l_report_layer(&size, net, l);
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "heads", f2l_json_number(size.heads)) &&
               f2l_json_put(o, "householders", f2l_json_number(size.householders)) &&
               f2l_json_put(o, "key_dim", f2l_json_number(size.key_dim)) &&
               f2l_json_put(o, "value_dim", f2l_json_number(size.value_dim)) &&
               f2l_json_put(o, "states", f2l_json_number(size.states)) &&
               f2l_json_put(o, "codes", f2l_json_number(size.codes)));
}

/* Returns the layers of a wired network; circuits are no layers. */
static json_t *wired_layers(const f2l_compile_result *c)
{
    const f2l_wired *net = &c->wired;
    json_t *a = json_array();
    size_t level = 0;
    bool complete = true;
    for (size_t s = 0; complete && s < net->stages; s++) {
        if (net->block[net->stage[s].block].heads == 0) continue;
        f2l_wired_size size;
        f2l_report_stage(&size, net, s);
        if (c->zeiger)
            size.householders = f2l_zeiger_factors(c->zeiger->fsa->states.count, ++level);
        json_t *o = json_object();
        complete = f2l_json_append(
            a, f2l_json_finish(
                   o, f2l_json_put(o, "heads", f2l_json_number(size.heads)) &&
                          f2l_json_put(o, "householders", f2l_json_number(size.householders)) &&
                          f2l_json_put(o, "key_dim", f2l_json_number(size.key_dim)) &&
                          f2l_json_put(o, "value_dim", f2l_json_number(size.value_dim)) &&
                          f2l_json_put(o, "states", f2l_json_number(size.states)) &&
                          f2l_json_put(o, "gates", f2l_json_number(size.gates))));
    }
    return f2l_json_finish(a, complete);
}

static json_t *layers(const f2l_net *net)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t l = 0; complete && l < net->layers; l++)
        complete = f2l_json_append(a, layer(net, l));
    return f2l_json_finish(a, complete);
}

static json_t *representation(const f2l_t3_report *t3)
{
    f2l_buf words;
    f2l_buf_init(&words);
    f2l_report_representation(&words, t3);
    json_t *string = words.failed || !words.data ? NULL : f2l_json_text(words.data);
    f2l_buf_clear(&words);
    return string;
}

/* Adds the details of T3, beside the sizes; returns false when memory is out. */
static bool put_t3(json_t *o, const f2l_t3_report *t3)
{
    return f2l_json_put(o, "k_states", f2l_json_number(t3->k_states)) &&
           f2l_json_put(o, "k_points", f2l_json_number(t3->k_points)) &&
           f2l_json_put(o, "representation", representation(t3)) &&
           f2l_json_put(o, "keys", f2l_json_text(t3->keys));
}

static json_t *register_json(const f2l_register_report *k)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "k", f2l_json_number(k->k)) &&
               f2l_json_put(o, "letter_classes", f2l_json_number(k->letter_classes)) &&
               f2l_json_put(o, "empty_at_first", json_boolean(k->empty)));
}

static bool put_circuits(json_t *o, const f2l_wired *net)
{
    f2l_wired_size size;
    f2l_wired_measure(&size, net);
    return f2l_json_put(o, "gates", f2l_json_number(size.gates)) &&
           f2l_json_put(o, "table_entries", f2l_json_number(size.table_entries));
}

static json_t *rule_json(const f2l_compile_result *c)
{
    const char *reason = c->zeiger->reason;
    json_t *o = json_object();
    return f2l_json_finish(
        o,
        f2l_json_put(o, "states", f2l_json_number(c->zeiger->fsa->states.count)) &&
            put_circuits(o, &c->wired) &&
            f2l_json_put(o, "no_tables_because", reason[0] ? f2l_json_text(reason) : json_null()));
}

static json_t *blocks_json(const f2l_compile_result *c)
{
    const f2l_d1_report *d1 = &c->d1->report;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "block", f2l_json_number(d1->block)) &&
               f2l_json_put(o, "clock_layers", f2l_json_number(d1->clock_layers)) &&
               f2l_json_put(o, "points", f2l_json_number(d1->points)) &&
               f2l_json_put(o, "representation", f2l_json_text(d1->representation)) &&
               f2l_json_put(o, "keys", f2l_json_text(d1->keys)) &&
               f2l_json_put(o, "transpositions", f2l_json_number(d1->transpositions)) &&
               f2l_json_put(o, "products", f2l_json_number(d1->products)) &&
               put_circuits(o, &c->wired));
}

static json_t *r1_heads_json(const f2l_r1_report *r1)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t h = 0; complete && h < r1->heads; h++) {
        const f2l_r1_head *head = &r1->head[h];
        json_t *o = json_object();
        complete = f2l_json_append(
            a, f2l_json_finish(
                   o, f2l_json_put(o, "dimension", f2l_json_number(head->dimension)) &&
                          f2l_json_put(o, "signed_permutation", json_boolean(head->permutes)) &&
                          f2l_json_put(o, "field_degree", f2l_json_number(head->field_degree)) &&
                          f2l_json_put(o, "householders", f2l_json_number(head->most))));
    }
    return f2l_json_finish(a, complete);
}

static json_t *r1_json(const f2l_r1_report *r1)
{
    json_t *o = json_object();
    return f2l_json_finish(o,
                           f2l_json_put(o, "group_order", f2l_json_number(r1->order)) &&
                               f2l_json_put(o, "acting_order", f2l_json_number(r1->acting)) &&
                               f2l_json_put(o, "heads", r1_heads_json(r1)) &&
                               f2l_json_put(o, "least_householders", f2l_json_number(r1->lower)) &&
                               f2l_json_put(o, "minimal", json_boolean(r1->minimal)) &&
                               f2l_json_put(o, "complete", json_boolean(r1->complete)) &&
                               f2l_json_put(o, "scope", f2l_json_text(r1->scope)));
}

static json_t *dihedral_json(const f2l_dihedral_report *d)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "group", f2l_json_text(d->dihedral ? "dihedral" : "cyclic")) &&
               f2l_json_put(o, "m", f2l_json_number(d->m)) &&
               f2l_json_put(o, "field_degree", f2l_json_number(d->degree)) &&
               f2l_json_put(o, "reflections", f2l_json_number(d->reflections)) &&
               f2l_json_put(o, "dyadic", json_boolean(d->dyadic)));
}

/* Adds the details of the construction, beside the sizes; returns false when memory is out. */
static bool put_details(json_t *o, const f2l_compile_result *c)
{
    if (c->zeiger) return f2l_json_put(o, "rule", rule_json(c));
    if (c->d1) return f2l_json_put(o, "blocks", blocks_json(c));
    if (c->r1) return f2l_json_put(o, "representations", r1_json(c->r1));
    if (c->dihedral.m) return f2l_json_put(o, "rotations", dihedral_json(&c->dihedral));
    if (c->t4) return f2l_json_put(o, "cascade", f2l_report_t4_json(c));
    if (c->registers.k) return f2l_json_put(o, "register", register_json(&c->registers));
    return put_t3(o, &c->t3);
}

static json_t *construction(const f2l_report *r)
{
    const f2l_compile_result *c = r->compiled;
    f2l_net_size size;
    f2l_report_size(&size, c);
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "theorem", f2l_json_text(c->theorem)) &&
               f2l_json_put(o, "variant", f2l_json_text(c->variant)) &&
               f2l_json_put(o, "layers", f2l_json_number(size.layers)) &&
               f2l_json_put(o, "heads", f2l_json_number(size.heads)) &&
               f2l_json_put(o, "householders", f2l_json_number(size.householders)) &&
               f2l_json_put(o, "key_dim", f2l_json_number(size.key_dim)) &&
               f2l_json_put(o, "value_dim", f2l_json_number(size.value_dim)) &&
               f2l_json_put(o, "one_layer",
                            c->one_layer[0] ? f2l_json_text(c->one_layer) : json_null()) &&
               put_details(o, c) &&
               f2l_json_put(o, "label", f2l_json_text(f2l_label_name(r->label))) &&
               f2l_json_put(o, "minimised_states",
                            c->minimised_states ? f2l_json_number(c->minimised_states)
                                                : json_null()) &&
               f2l_json_put(o, "per_layer",
                            f2l_compile_is_wired(c) ? wired_layers(c) : layers(&c->net)));
}

/* Adds joint states when they were counted; pairs when a local closure made them unnecessary;
 * neither when the network is of a form that is proved right. */
static bool put_count(json_t *o, const char *key, size_t rows, size_t pairs, bool by_rule)
{
    if (by_rule)
        return f2l_json_put(o, key, json_null()) && f2l_json_put(o, "by_rule", json_true());
    if (!pairs) return f2l_json_put(o, key, f2l_json_number(rows));
    return f2l_json_put(o, key, json_null()) && f2l_json_put(o, "pairs", f2l_json_number(pairs));
}

static json_t *exact(const f2l_compile_result *c)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(c->exact.verdict))) &&
               put_count(o, "rows", c->exact.rows, f2l_report_pairs(c), c->rule != NULL));
}

/* Returns the letters of a refuting word; null unless there is one (the empty word is an empty
 * array). */
static json_t *witness(const f2l_closure *closure, const f2l_names *letters)
{
    if (closure->verdict != F2L_REFUTED) return json_null();
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < closure->word_length; i++)
        complete = f2l_json_append(a, f2l_json_text(f2l_names_get(letters, closure->word[i])));
    return f2l_json_finish(a, complete);
}

static json_t *format(const f2l_compile_format *f, const f2l_names *letters)
{
    json_t *o = json_object();
    const bool bounded = f->bounded && f->closure.verdict != F2L_OK;
    return f2l_json_finish(
        o, f2l_json_put(o, "format", f2l_json_text(f->format->name)) &&
               f2l_json_put(o, "schedule", f2l_json_text(f->schedule->name)) &&
               f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(f->closure.verdict))) &&
               put_count(o, "states", f->closure.rows, f->pairs, f->by_rule) &&
               f2l_json_put(o, "witness", witness(&f->closure, letters)) &&
               f2l_json_put(o, "horizon",
                            bounded ? json_integer((json_int_t)f->horizon) : json_null()));
}

/* Returns the row of a verdict without a closure, which has no joint states. */
static json_t *other_format(const f2l_compile_other *f)
{
    json_t *o = json_object();
    const bool known = f->verdict == F2L_OK;
    return f2l_json_finish(
        o, f2l_json_put(o, "format", f2l_json_text(f->format->name)) &&
               f2l_json_put(o, "schedule", f2l_json_text(f->schedule->name)) &&
               f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(f->verdict))) &&
               f2l_json_put(o, "states", json_null()) && f2l_json_put(o, "witness", json_null()) &&
               f2l_json_put(o, "horizon", json_null()) &&
               f2l_json_put(o, "reason", known ? json_null() : f2l_json_text(f->reason)));
}

static json_t *formats(const f2l_report *r)
{
    const f2l_compile_result *c = r->compiled;
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < c->formats; i++)
        complete = f2l_json_append(a, format(&c->format[i], &r->fsa->letters));
    for (size_t i = 0; complete && i < c->others; i++)
        complete = f2l_json_append(a, other_format(&c->other[i]));
    return f2l_json_finish(a, complete);
}

static json_t *weights(const f2l_weights_report *w)
{
    json_t *o = json_object();
    return f2l_json_finish(o, f2l_json_put(o, "dtype", f2l_json_text(w->dtype)) &&
                                  f2l_json_put(o, "exact", json_boolean(w->exact)) &&
                                  f2l_json_put(o, "sparse", json_boolean(w->sparse)) &&
                                  f2l_json_put(o, "bytes", f2l_json_number(w->bytes)));
}

static json_t *files(const f2l_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->files; i++) {
        json_t *o = json_object();
        const bool filled = f2l_json_put(o, "name", f2l_json_text(r->file[i].name)) &&
                            f2l_json_put(o, "bytes", f2l_json_number(r->file[i].bytes)) &&
                            f2l_json_put(o, "sha256", f2l_json_text(r->file[i].sha256));
        complete = f2l_json_append(a, f2l_json_finish(o, filled));
    }
    return f2l_json_finish(a, complete);
}

static json_t *timing(const f2l_report *r)
{
    const f2l_compile_result *c = r->compiled;
    json_t *closures = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < c->formats; i++)
        complete = f2l_json_append(closures, json_real(c->format[i].seconds));
    closures = f2l_json_finish(closures, complete);
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "formats_seconds", closures) &&
               f2l_json_put(o, "read_seconds", json_real(r->read_seconds)) &&
               f2l_json_put(o, "construct_seconds", json_real(c->construct_seconds)) &&
               f2l_json_put(o, "exact_seconds", json_real(c->exact_seconds)) &&
               f2l_json_put(o, "first_seconds", json_real(c->search.first_seconds)) &&
               f2l_json_put(o, "others_seconds", json_real(c->other_seconds)) &&
               f2l_json_put(o, "total_seconds", json_real(r->total_seconds)));
}

static json_t *document(const f2l_report *r)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "schema", json_integer(SCHEMA)) &&
               f2l_json_put(o, "tool", f2l_report_tool(r)) &&
               f2l_json_put(o, "fsa", f2l_report_automaton(r)) &&
               f2l_json_put(o, "construction", construction(r)) &&
               f2l_json_put(o, "exact", exact(r->compiled)) &&
               f2l_json_put(o, "formats", formats(r)) &&
               f2l_json_put(o, "search", f2l_report_search_json(r->compiled)) &&
               f2l_json_put(o, "others", f2l_report_entries_json(r->compiled, false)) &&
               f2l_json_put(o, "weights", weights(&r->weights)) &&
               f2l_json_put(o, "files", files(r)) && f2l_json_put(o, "timing", timing(r)));
}

static int receive(const char *bytes, size_t n, void *out)
{
    f2l_buf_bytes(out, bytes, n);
    return 0;
}

f2l_status f2l_json_write(f2l_buf *out, json_t *document, size_t flags, f2l_error *err)
{
    if (!document) return f2l_fail_memory(err);
    const int failed = json_dump_callback(document, receive, out, flags);
    json_decref(document);
    if (failed) return f2l_fail_memory(err);
    f2l_buf_bytes(out, "\n", 1);
    return f2l_buf_status(out, err);
}

f2l_status f2l_report_dump(f2l_buf *out, json_t *o, f2l_error *err)
{
    return f2l_json_write(out, o, JSON_INDENT(2) | JSON_REAL_PRECISION(6), err);
}

f2l_status f2l_report_json(f2l_buf *out, const f2l_report *report, f2l_error *err)
{
    return f2l_report_dump(out, document(report), err);
}
