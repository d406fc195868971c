/* The facts of a recommendation. */
#include "reports/automata/classify_report.h"
#include "reports/choose/impl.h"
#include "reports/compile/report_parts.h"
#include "reports/networks/export_report.h"
#include <string.h>

/* --- the network to take --- */

/* Puts `compile_options`, with which `compile` builds the network. */
static void say_request(f2l_fact in, const f2l_sought *chosen, f2l_label label)
{
    f2l_compile_options request;
    f2l_compile_ask_for(&request, &chosen->entry, label);
    f2l_say_compile_options(in, &request);
}

static void say_taken(f2l_fact in, const f2l_choose_report *r)
{
    const f2l_choose *c = r->choose;
    if (!c->best.found) {
        f2l_say_null(in, "take");
        return;
    }
    const f2l_fact out = f2l_say_object(in, "take");
    const size_t numbers = c->best.entry.figures.states;
    f2l_say_text(out, "layer_type",
                 c->best.entry.figures.householders > 1 ? "DeltaProduct" : "DeltaNet");
    f2l_say_truth(out, "allow_neg_eigval", c->reflects);
    f2l_say_count(out, "most_beta", c->reflects ? 2 : 1);
    f2l_say_text(out, "state_format", c->format ? c->format->format->name : NULL);
    f2l_say_known(out, "state_bytes", c->format != NULL,
                  c->format ? numbers * f2l_choose_bytes(c->format->format) : 0);
    f2l_say_text(out, "theorem", c->best.entry.theorem);
    f2l_say_text(out, "variant", c->best.entry.variant);
    f2l_say_compile_options(out, &(f2l_compile_options){.label = r->label});
    f2l_report_say_network(out, &c->best.entry);
}

/* --- the steps --- */

static void say_cheaper(f2l_fact in, const f2l_choose_report *r)
{
    static const char *const step[] = {[F2L_CHEAPER_LAYERS] = "layers",
                                       [F2L_CHEAPER_EIGENVALUES] = "eigenvalues",
                                       [F2L_CHEAPER_HOUSEHOLDERS] = "householders"};
    static const char *const answer[] = {[F2L_CHEAPER_CANNOT] = "cannot",
                                         [F2L_CHEAPER_CAN] = "can",
                                         [F2L_CHEAPER_UNKNOWN] = "UNKNOWN",
                                         [F2L_CHEAPER_NONE] = "nothing to save"};
    const f2l_fact list = f2l_say_list(in, "cheaper");
    for (int i = 0; i < F2L_CHEAPER_STEPS; i++) {
        const f2l_cheaper *step_is = &r->choose->cheaper[i];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "cheaper_step", step[i]);
        f2l_say_text(one, "cheaper_answer", answer[step_is->answer]);
        f2l_say_reason(one, "statement", step_is->statement);
        f2l_say_reason(one, "scope", step_is->scope);
        f2l_say_text(one, "shown_by", step_is->shown_by);
        f2l_say_text(one, "because", step_is->text);
        if (!step_is->by) continue;
        f2l_report_say_figures(f2l_say_object(one, "figures"), &step_is->by->entry.figures, true);
        say_request(one, step_is->by, r->label);
    }
}

/* --- stock models --- */

/* Puts the sizes of a model; both libraries keep the state of a recurrence in fp32. */
static void say_sizes(f2l_fact out, const f2l_holder *h)
{
    const f2l_export_sizes *s = &h->sizes;
    const size_t numbers = s->recurrent * s->heads * s->key_dim * s->value_dim;
    f2l_say_text(out, "dtype", h->dtype->name);
    f2l_say_count(out, "recurrent_layers", s->recurrent);
    f2l_say_count(out, "attention_layers", s->layers - s->recurrent);
    f2l_say_count(out, "hidden_size", s->width);
    f2l_say_count(out, "heads", s->heads);
    f2l_say_count(out, "key_dim", s->key_dim);
    f2l_say_count(out, "value_dim", s->value_dim);
    f2l_say_count(out, "householders", s->factors);
    f2l_say_count(out, "parameters", s->parameters);
    f2l_say_count(out, "state_numbers", numbers);
    f2l_say_count(out, "state_bytes", numbers * f2l_choose_bytes(f2l_format_find("fp32")));
}

static const char *config_of(const f2l_holder *h)
{
    for (size_t i = 0; i < h->files.files; i++)
        if (strcmp(h->files.file[i].name, "config.json") == 0) return h->files.file[i].bytes.data;
    return NULL;
}

static void say_holders(f2l_fact in, const f2l_choose_report *r)
{
    const f2l_choose *c = r->choose;
    const f2l_fact list = f2l_say_list(in, "holders");
    for (size_t i = 0; i < c->holders; i++) {
        const f2l_holder *h = &c->holder[i];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "target", h->target->name);
        f2l_say_text(one, "library", h->target->library);
        f2l_say_truth(one, "holds", h->held != NULL);
        f2l_say_reason(one, "reason", h->held ? "" : h->reason);
        if (!h->held) continue;
        f2l_say_truth(one, "holds_taken", h->held == &c->best);
        f2l_say_text(one, "theorem", h->held->entry.theorem);
        say_request(one, h->held, r->label);
        say_sizes(one, h);
        f2l_say_claims(one, &h->files);
        f2l_say_text(one, "config_text", config_of(h));
    }
}

/* --- the table of released layers and engines --- */

#define UNDECIDED "not yet decided"

/* Puts what the claims say of the models that the engine runs. */
static void say_engine(f2l_fact out, const f2l_released *row, const f2l_choose *c)
{
    const f2l_export_claim *claim = NULL;
    for (size_t i = 0; row->library && i < c->holders; i++) {
        const f2l_holder *h = &c->holder[i];
        if (strcmp(h->target->library, row->library) != 0 || !h->held) continue;
        for (size_t k = 0; k < h->files.claims && (!claim || !claim->exact); k++)
            claim = &h->files.claim[k];
    }
    f2l_say_text(out, "released_answer",
                 !row->library           ? UNDECIDED
                 : claim && claim->exact ? "holds"
                                         : "UNKNOWN");
    f2l_say_null(out, "statement");
    f2l_say_null(out, "scope");
    f2l_say_text(out, "released_note",
                 !row->library ? NULL
                 : claim       ? claim->path
                               : "no model of this library holds it");
}

static void say_layer(f2l_fact out, const f2l_released *row, const f2l_choose *c)
{
    const bool decided = row->class < F2L_LADDER_CLASSES;
    const f2l_ladder_row *rung = decided ? &c->classify.row[row->class] : NULL;
    const bool hybrid = row->kind == F2L_RELEASED_HYBRID;
    f2l_say_text(out, "released_answer",
                 decided ? f2l_ladder_verdict_name(rung->verdict) : UNDECIDED);
    f2l_say_text(out, "statement", decided && rung->statement[0] ? rung->statement : NULL);
    f2l_say_text(out, "scope", decided && rung->scope[0] ? rung->scope : NULL);
    f2l_say_text(out, "released_note",
                 !decided || !hybrid ? NULL
                 : rung->verdict == F2L_LADDER_CAN
                     ? "by its recurrent layers alone"
                     : "its recurrent layers alone; with its attention: " UNDECIDED);
}

static void say_released(f2l_fact in, const f2l_choose *c)
{
    static const char *const kind[] = {[F2L_RELEASED_LAYER] = "layer",
                                       [F2L_RELEASED_HYBRID] = "hybrid",
                                       [F2L_RELEASED_ENGINE] = "engine"};
    const f2l_fact list = f2l_say_list(in, "released");
    for (const f2l_released *row = f2l_released_table; row->name; row++) {
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "name", row->name);
        f2l_say_text(one, "released_kind", kind[row->kind]);
        f2l_say_text(one, "released_setting", row->setting);
        if (row->kind == F2L_RELEASED_ENGINE)
            say_engine(one, row, c);
        else
            say_layer(one, row, c);
    }
}

/* --- all --- */

static void say_answer(f2l_fact out, const char *name, f2l_ternary value)
{
    f2l_say_ternary(out, name, value != F2L_TERNARY_UNKNOWN, value == F2L_TERNARY_YES);
}

static void say_reasons(f2l_fact out, const f2l_choose_report *r)
{
    const f2l_classify *c = &r->choose->classify;
    const f2l_sought *best =
        r->choose->flatter.found ? &r->choose->flatter : &r->choose->best; /* in layers */
    const f2l_layers_facts layers = {.layers = &r->choose->layers,
                                     .fsa = r->fsa,
                                     .most = best->found ? best->entry.figures.layers : 0,
                                     .most_by = best->entry.theorem,
                                     .is_built = best->found,
                                     .open = r->choose->open};
    say_answer(out, "aperiodic", c->aperiodic);
    say_answer(out, "solvable", c->solvable);
    f2l_say_ladder_groups(out, c);
    f2l_say_cycle_word(out, "cycle_word", c->fsa, &c->any);
    f2l_say_cycle_word(out, "odd_cycle_word", c->fsa, &c->odd);
    f2l_say_layers(out, &layers);
}

void f2l_choose_report_describe(f2l_fact out, const void *report)
{
    const f2l_choose_report *r = report;
    const f2l_sought *best = &r->choose->best;
    f2l_say_automaton(out, r->grammar, NULL, r->fsa->states.count, r->fsa->letters.count);
    f2l_say_label_kind(out, r->label);
    say_taken(out, r);
    f2l_say_reason(out, "reason", best->found ? "" : best->reason);
    say_reasons(out, r);
    say_cheaper(out, r);
    say_holders(out, r);
    say_released(out, r->choose);
    f2l_say_text(out, "ended", best->ended ? best->ended : "complete");
}
