/* The facts of the ladder. */
#include "reports/automata/classify_report.h"
#include "reports/automata/impl.h"
#include "reports/compile/report_parts.h"

static void say_ternary(f2l_fact in, const char *name, f2l_ternary value)
{
    f2l_say_ternary(in, name, value != F2L_TERNARY_UNKNOWN, value == F2L_TERNARY_YES);
}

/* Puts a number; null for 0, which means that it is not known. */
static void say_positive(f2l_fact in, const char *name, size_t value)
{
    f2l_say_known(in, name, value > 0, value);
}

void f2l_say_cycle_word(f2l_fact in, const char *name, const f2l_fsa *fsa, const f2l_cycle_word *w)
{
    if (!w->length) {
        f2l_say_null(in, name);
        return;
    }
    f2l_fact word = f2l_say_object(in, name);
    f2l_say_word(word, "word", &fsa->letters, w->letter, w->length);
    f2l_say_word(word, "cycle", &fsa->states, w->state, w->period);
    f2l_say_truth(word, "shortest", w->shortest);
}

static void say_one_layer(f2l_fact in, const f2l_fsa *fsa, const f2l_least *least)
{
    static const char *const name[F2L_LEAST_KINDS] = {"householders", "householders_one_head",
                                                      "key_dimension"};
    f2l_fact list = f2l_say_list(in, "one_layer_bounds");
    for (size_t i = 0; i < F2L_LEAST_KINDS; i++) {
        const f2l_least_word *w = &least->word[i];
        if (w->length == 0) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "bounded", name[i]);
        f2l_say_count(one, "least_value", w->bound);
        f2l_say_word(one, "word", &fsa->letters, w->letter, w->length);
        f2l_say_count(one, "index", w->index);
        f2l_say_text(one, "index_state", f2l_names_get(&fsa->states, w->state));
        f2l_say_count(one, "period", w->period);
        f2l_say_text(one, "period_state", f2l_names_get(&fsa->states, w->on_cycle));
    }
}

static void say_two_words(f2l_fact in, const f2l_fsa *fsa, const f2l_word_pair *pair)
{
    if (!pair->group) {
        f2l_say_null(in, "two_words");
        return;
    }
    f2l_fact two = f2l_say_object(in, "two_words");
    f2l_fact words = f2l_say_list(two, "word_pair");
    for (size_t i = 0; i < 2; i++)
        f2l_say_word(words, NULL, &fsa->letters, pair->letter[i], pair->length[i]);
    if (pair->state)
        f2l_say_word(two, "permuted", &fsa->states, pair->state, pair->states);
    else
        f2l_say_null(two, "permuted");
    f2l_say_text(two, "group", pair->group);
}

void f2l_say_ladder_groups(f2l_fact in, const f2l_classify *c)
{
    f2l_fact list = f2l_say_list(in, "groups");
    for (size_t i = 0; i < c->groups; i++) {
        const f2l_ladder_group *g = &c->group[i];
        f2l_fact group = f2l_say_object(list, NULL);
        f2l_say_text(group, "group", g->name);
        f2l_say_text(group, "order_decimal", g->order);
        f2l_say_text(group, "composition", g->factors);
        say_ternary(group, "solvable", g->solvable);
        say_positive(group, "derived_length", g->derived);
        say_positive(group, "level", g->level);
        f2l_say_count(group, "components", g->components);
    }
}

void f2l_say_compile_options(f2l_fact in, const f2l_compile_options *request)
{
    const char *target = f2l_compile_target_option(request->target);
    f2l_buf text;
    f2l_buf_init(&text);
    if (request->label != F2L_LABEL_STATES)
        f2l_buf_printf(&text, "--label %s ", f2l_label_name(request->label));
    if (target) f2l_buf_printf(&text, "%s ", target);
    if (request->gated) f2l_buf_text(&text, "--gated ");
    if (request->bounds.layers) f2l_buf_printf(&text, "--layers %zu ", request->bounds.layers);
    if (request->bounds.householders)
        f2l_buf_printf(&text, "--householders %zu ", request->bounds.householders);
    if (request->bounds.key_dim) f2l_buf_printf(&text, "--key-dim %zu ", request->bounds.key_dim);
    if (text.size) text.size--;
    f2l_say_buf(in, "compile_options", &text);
}

static void say_built_network(f2l_fact in, const f2l_classify_built *b)
{
    if (!b || !b->tried) {
        f2l_say_null(in, "compiled");
        return;
    }
    const bool network = b->status == F2L_OK;
    f2l_fact built = f2l_say_object(in, "compiled");
    f2l_say_text(built, "status", network ? "built" : f2l_status_name(b->status));
    f2l_say_reason(built, "reason", b->reason);
    f2l_say_compile_options(built, &b->request);
    if (!network) return;
    f2l_say_text(built, "theorem", b->network.theorem);
    f2l_say_text(built, "variant", b->network.variant);
    f2l_report_say_network(built, &b->network);
}

static void say_ladder_class(f2l_fact list, const f2l_ladder_row *row,
                             const f2l_classify_built *built)
{
    const char *witness = row->pair      ? "two_words"
                          : row->odd     ? "odd_cycle_word"
                          : row->witness ? "cycle_word"
                                         : NULL;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_text(one, "class", row->id);
    f2l_say_text(one, "name", row->name);
    f2l_say_reason(one, "model_families", row->models);
    f2l_say_text(one, "answer", f2l_ladder_verdict_name(row->verdict));
    f2l_say_reason(one, "statement", row->statement);
    f2l_say_reason(one, "scope", row->scope);
    f2l_say_reason(one, "remark", row->remark);
    f2l_say_text(one, "reached_answer", f2l_ladder_verdict_name(row->reached));
    f2l_say_reason(one, "reached_by", row->reached_by);
    f2l_say_text(one, "shown_by", witness);
    f2l_say_reason(one, "by_construction", row->construction);
    say_positive(one, "layers", row->layers);
    say_positive(one, "unbuilt_layers", row->unbuilt_layers);
    say_positive(one, "householders", row->householders);
    say_positive(one, "dimension", row->dimension);
    say_positive(one, "layers_at_least", row->layers_at_least);
    say_built_network(one, built);
}

f2l_layers_facts f2l_classify_layers(const f2l_survey *survey, const f2l_fsa *fsa)
{
    return (f2l_layers_facts){.layers = &survey->layers,
                              .fsa = fsa,
                              .most = survey->most,
                              .most_by = survey->most_by,
                              .is_built = survey->most_is_built,
                              .enough = &survey->enough,
                              .open = survey->open};
}

void f2l_classify_report_describe(f2l_fact out, const void *report)
{
    const f2l_classify_report *r = report;
    const f2l_classify *c = r->classify;
    f2l_say_automaton(out, r->grammar, NULL, c->fsa->states.count, c->fsa->letters.count);
    f2l_say_label_kind(out, r->label);
    f2l_say_count(out, "grammar_states", r->states);
    f2l_say_truth(out, "permutation", c->permutation);
    f2l_say_known(out, "definite", c->definite, c->k);
    f2l_say_truth(out, "idempotent_letters", c->idempotent);
    say_ternary(out, "aperiodic", c->aperiodic);
    say_ternary(out, "two_groups", c->two_groups);
    say_ternary(out, "solvable", c->solvable);
    f2l_say_truth(out, "groups_known", c->groups_known);
    f2l_say_truth(out, "open", f2l_classify_open(c));
    f2l_say_reason(out, "reason", c->reason);
    f2l_say_ladder_groups(out, c);
    say_positive(out, "levels", c->levels);
    f2l_say_cycle_word(out, "cycle_word", c->fsa, &c->any);
    f2l_say_cycle_word(out, "odd_cycle_word", c->fsa, &c->odd);
    say_two_words(out, c->fsa, &c->pair);
    f2l_say_finer(out, r->finer, c->fsa);
    f2l_say_layers(out, r->layers);
    say_one_layer(out, c->fsa, &c->least);
    f2l_say_one_layer(out, r->one_layer, r->layers ? r->layers->fsa : NULL);
    f2l_fact classes = f2l_say_list(out, "classes");
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++)
        say_ladder_class(classes, &c->row[i], r->built ? &r->built[i] : NULL);
    f2l_say_text(out, "engines_exact", r->engines && r->engines[0] ? r->engines : NULL);
    f2l_say_text(out, "ended", r->ended ? r->ended : "complete");
}
