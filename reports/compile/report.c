/* The facts of report.json. */
#include "reports/compile/report.h"
#include "reports/compile/report_parts.h"
#include "reports/model/layers_facts.h"
#include "theory/compile/fewest.h"
#include "theory/construct/construction.h"
#include <string.h>

/* --- the automaton, and how it was read --- */

void f2l_report_say_automaton(f2l_fact in, const f2l_report *r)
{
    const f2l_total_report *t = &r->total;
    f2l_fact automaton = f2l_say_automaton(in, r->grammar, r->fsa_sha256, r->fsa->states.count,
                                           r->fsa->letters.count);
    f2l_say_label_kind(automaton, r->label);
    f2l_say_text(automaton, "syntax", r->syntax);
    f2l_say_truth(automaton, "determinised", t->determinised);
    f2l_say_known(automaton, "states_before", t->determinised, t->states_before);
    f2l_say_count(automaton, "sink_edges", t->sink_edges);
    f2l_say_text(automaton, "sink_state", t->sink_edges ? t->sink_name : NULL);
    f2l_say_text(automaton, "named_source", r->fsa->has_added ? r->fsa->source : NULL);
    f2l_say_count(automaton, "dropped", t->dropped);
    f2l_say_labels_read(automaton, t);
    if (r->label == F2L_LABEL_ACCEPT) f2l_say_judged_words(automaton, r->fsa);
}

/* --- the network --- */

static void say_network_size(f2l_fact in, size_t heads, size_t householders, size_t key_dim,
                             size_t value_dim, size_t states)
{
    f2l_say_count(in, "heads", heads);
    f2l_say_count(in, "householders", householders);
    f2l_say_count(in, "key_dim", key_dim);
    f2l_say_count(in, "value_dim", value_dim);
    f2l_say_count(in, "state_numbers", states);
}

static void say_layer_sizes(f2l_fact list, const f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_net alone = {.layers = 1, .layer = net->layer + l};
        f2l_net_size size;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_net_measure(&size, &alone);
        say_network_size(one, size.heads, size.householders, size.key_dim, size.value_dim,
                         size.states);
        f2l_say_count(one, "codes", size.codes);
    }
}

/* Puts the layers of a wired network; circuits are no layers. */
static void say_wired_layers(f2l_fact list, const f2l_compile_result *c)
{
    size_t layer = 0, measured = SIZE_MAX;
    f2l_net_size size = {0};
    for (size_t s = 0; s < c->net.stages; s++) {
        const size_t block = c->net.stage[s].block;
        if (c->net.block[block].heads == 0) continue;
        if (block != measured) size = f2l_wired_measure_block(&c->net.block[block]);
        measured = block;
        if (c->by->factors) size.householders = f2l_compile_householders(c, ++layer);
        f2l_fact one = f2l_say_object(list, NULL);
        say_network_size(one, size.heads, size.householders, size.key_dim, size.value_dim,
                         size.states);
        f2l_say_count(one, "gates", size.gates);
    }
}

static void say_construction(f2l_fact in, const f2l_report *r)
{
    const f2l_compile_result *c = r->compiled;
    f2l_compile_figures size;
    f2l_compile_measure(&size, c);
    f2l_fact one = f2l_say_object(in, "construction");
    f2l_say_text(one, "theorem", c->theorem);
    f2l_say_text(one, "variant", c->variant);
    f2l_report_say_figures(one, &size, true);
    f2l_say_known(one, "codes", size.codes > 0, size.codes);
    f2l_say_reason(one, "one_layer", c->one_layer);
    if (c->by->describe) c->by->describe(one, c);
    f2l_say_label_kind(one, r->label);
    f2l_say_known(one, "letter_classes", c->letters != NULL,
                  c->letters ? c->letters->classes.count : 0);
    f2l_say_known(one, "minimised_states", c->minimised_states > 0, c->minimised_states);
    f2l_fact layers = f2l_say_list(one, "per_layer");
    say_layer_sizes(layers, &c->net);
    say_wired_layers(layers, c);
}

/* --- verdicts --- */

void f2l_say_compiled_exact(f2l_fact in, const f2l_compile_result *c, const f2l_names *letters)
{
    const size_t pairs = c->pairs;
    f2l_fact exact = f2l_say_object(in, "exact");
    f2l_say_verdict(exact, &(f2l_verdict){.verdict = c->exact.verdict,
                                          .how = c->rule ? "form"
                                                 : pairs ? "local closure"
                                                         : "closure",
                                          .counted = !c->rule && !pairs,
                                          .joint_states = c->exact.rows,
                                          .pairs = c->rule ? 0 : pairs,
                                          .statement = f2l_compile_statement(c, false),
                                          .wrong = letters ? &c->exact : NULL,
                                          .letters = letters,
                                          .wrong_after = c->exact.word_length,
                                          .reason = c->exact.reason});
    f2l_say_decoder(exact, false);
}

static void say_format(f2l_fact list, const f2l_compile_result *c, const f2l_compile_format *f,
                       const f2l_names *letters)
{
    const bool bound = f->bounded && f->closure.verdict == F2L_OK;
    const char *statement = f->by_rule ? f2l_compile_statement(c, true) : NULL;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_arithmetic(one, f->format, f->schedule);
    f2l_say_verdict(one, &(f2l_verdict){.verdict = f->closure.verdict,
                                        .how = f->by_rule ? "form"
                                               : f->pairs ? "local closure"
                                               : bound    ? "bound"
                                                          : "closure",
                                        .counted = !f->by_rule && !f->pairs,
                                        .joint_states = f->closure.rows,
                                        .pairs = f->by_rule ? 0 : f->pairs,
                                        .statement = statement,
                                        .wrong = letters ? &f->closure : NULL,
                                        .letters = letters,
                                        .wrong_after = f->closure.word_length,
                                        .reason = f->closure.reason});
    f2l_say_horizon(one, f->bounded, bound, f->horizon);
}

void f2l_say_compiled_formats(f2l_fact in, const f2l_compile_result *c, const f2l_names *letters)
{
    f2l_fact list = f2l_say_list(in, "formats");
    for (size_t i = 0; i < c->formats; i++) say_format(list, c, &c->format[i], letters);
    for (size_t i = 0; i < c->others; i++) {
        const f2l_compile_other *o = &c->other[i];
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_arithmetic(one, o->format, o->schedule);
        f2l_say_verdict(one, &(f2l_verdict){.verdict = o->verdict,
                                            .how = o->verdict == F2L_OK ? "nothing rounds" : "none",
                                            .statement = o->statement,
                                            .reason = o->reason});
        f2l_say_horizon(one, false, false, 0);
    }
}

/* --- files and times --- */

static void say_written_files(f2l_fact in, const f2l_report *r)
{
    const f2l_weights_report *w = &r->weights;
    f2l_fact weights = f2l_say_object(in, "weights");
    f2l_say_text(weights, "dtype", w->dtype);
    f2l_say_truth(weights, "rounded", !w->exact);
    f2l_say_truth(weights, "sparse", w->sparse);
    f2l_say_count(weights, "bytes", w->bytes);
    f2l_say_files(in, r->file, r->files);
}

static void say_timing(f2l_fact in, const f2l_report *r)
{
    const f2l_compile_result *c = r->compiled;
    f2l_fact timing = f2l_say_object(in, "timing");
    f2l_fact closures = f2l_say_list(timing, "formats_seconds");
    for (size_t i = 0; i < c->formats; i++) f2l_say_number(closures, NULL, c->format[i].seconds);
    f2l_say_number(timing, "read_seconds", r->read_seconds);
    f2l_say_number(timing, "construct_seconds", c->construct_seconds);
    f2l_say_number(timing, "exact_seconds", c->exact_seconds);
    f2l_say_number(timing, "first_seconds", c->search.first_seconds);
    f2l_say_number(timing, "others_seconds", c->other_seconds);
    f2l_say_number(timing, "total_seconds", r->total_seconds);
}

/* Puts how few layers can be enough, beside the layers of a network that is right exactly. */
static void say_layers_needed(f2l_fact out, const f2l_report *r)
{
    const f2l_compile_entry *e = f2l_compile_fewest(r->compiled, F2L_NETWORKS_FINITE);
    char open[80];
    if (!r->layers || r->compiled->exact.verdict != F2L_OK || !e) {
        f2l_say_layers(out, NULL);
        return;
    }
    f2l_compile_say_open(open, sizeof open, r->compiled, e->figures.layers, r->layers->least);
    f2l_say_layers(out, &(f2l_layers_facts){.layers = r->layers,
                                            .fsa = r->fsa,
                                            .most = e->figures.layers,
                                            .most_by = e->theorem,
                                            .is_built = true,
                                            .open = open});
}

void f2l_report_describe_all(f2l_fact out, const void *report)
{
    const f2l_report *r = report;
    f2l_say_tool(out, r->version, r->commit);
    f2l_report_say_automaton(out, r);
    say_construction(out, r);
    const f2l_names *letters = f2l_compile_names(r->compiled, r->fsa);
    f2l_say_compiled_exact(out, r->compiled, letters);
    say_layers_needed(out, r);
    f2l_say_compiled_formats(out, r->compiled, letters);
    f2l_say_text(out, "engines_exact", r->compiled->engines[0] ? r->compiled->engines : NULL);
    f2l_report_say_search(out, r->compiled);
    f2l_report_say_entries(out, "others", r->compiled, false);
    say_written_files(out, r);
    say_timing(out, r);
}

const f2l_report_kind f2l_compile_report_kind = {
    .name = "compile", .describe = f2l_report_describe_all, .style = {.lines = true, .digits = 6}};
