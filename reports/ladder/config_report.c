#include "reports/ladder/config_report.h"
#include "numeric/facts/layout.h"
#include "reports/automata/classify_report.h"
#include "reports/phrases.h"

#define INDENT 14 /* columns of the labels */
#define WIDTH 98  /* columns of a line */

static const char *gates_name(f2l_layer_gates gates)
{
    static const char *const name[] = {"none",
                                       "in (0,1)",
                                       "in (-1,1)",
                                       "in (0,1), and some of the state is left as it is",
                                       "below 1 at the ends of their range, too",
                                       "constants below 1"};
    return name[gates];
}

static void say_answer(f2l_fact out, const f2l_config_report *r)
{
    if (!r->classify) {
        f2l_say_null(out, "ladder_answer");
        return;
    }
    const f2l_classify *c = r->classify;
    const f2l_ladder_answer a = f2l_ladder_config_answer(r->config, c);
    const f2l_ladder_row *row = &c->row[r->config->row];
    const f2l_fact one = f2l_say_object(out, "ladder_answer");
    f2l_say_automaton(one, r->grammar, NULL, c->fsa->states.count, c->fsa->letters.count);
    f2l_say_label_kind(one, r->label);
    f2l_say_text(one, "answer", f2l_ladder_verdict_name(a.closed));
    f2l_say_reason(one, "statement", a.closed_by);
    f2l_say_reason(one, "scope", a.scope);
    f2l_say_text(one, "reached_answer", f2l_ladder_verdict_name(a.reached));
    f2l_say_reason(one, "reached_by", a.reached_by);
    f2l_say_cycle_word(one, "cycle_word", c->fsa, row->odd ? &c->odd : &c->any);
    f2l_say_known(one, "layers",
                  (a.closed == F2L_LADDER_CAN || a.closed == F2L_LADDER_PUBLISHED) && a.layers > 0,
                  a.layers);
}

static void describe_config(f2l_fact out, const void *report)
{
    const f2l_config_report *r = report;
    const f2l_ladder_config *c = r->config;
    const f2l_ladder_model *m = &f2l_ladder_models[c->row];
    f2l_say_text(out, "config_file", r->file);
    f2l_say_text(out, "settings_form", r->form);
    f2l_say_text(out, "config_class", c->class->config);
    f2l_say_text(out, "config_library", f2l_layer_library_name(c->class->library));
    f2l_say_text(out, "config_version", f2l_layer_library_version(c->class->library));
    f2l_say_text(out, "layer_name", c->layer);
    f2l_say_known(out, "all_layers", c->layers > 0, c->layers);
    f2l_say_known(out, "layers_recurrent", c->layers > 0, c->recurrent);
    f2l_say_known(out, "layers_of_attention", c->layers > 0 && c->attention_known, c->attention);
    f2l_say_truth(out, "has_attention", c->attends);
    f2l_say_known(out, "householders", c->householders > 0, c->householders);
    f2l_say_text(out, "layer_range", c->range);
    f2l_say_reason(out, "range_setting", c->setting);
    f2l_say_text(out, "layer_gates", gates_name(c->gates));
    f2l_say_text(out, "class", m->id);
    f2l_say_text(out, "name", m->name);
    f2l_say_text(out, "ladder_claim", f2l_ladder_config_claim(c));
    f2l_say_text(out, "scope", m->scope);
    f2l_say_text(out, "reached_claim", f2l_ladder_reach_claim(c->reach));
    f2l_say_reason(out, "would_change", c->change);
    say_answer(out, r);
}

static void lay_config_line(f2l_buf *out, f2l_fact from, const char *label, const char *text)
{
    f2l_report_template(out, label, from, text, INDENT, WIDTH);
}

static void lay_config_answer(f2l_buf *out, f2l_fact answer)
{
    f2l_buf line;
    f2l_layout(out, answer,
               "\n{automaton.name}: {automaton.states state}, {automaton.letters letter}, labels "
               "{label_kind}\n");
    lay_config_line(out, answer, "verdict", "{answer}{statement?, by {statement}}");
    if (f2l_is_known(answer, "cycle_word") && !f2l_is(answer, "answer", "can")) {
        f2l_buf_init(&line);
        f2l_lay_cycle_word(&line, f2l_get(answer, "cycle_word"));
        f2l_report_line(out, "cycle", &line, INDENT, WIDTH);
    }
    lay_config_line(out, answer, "scope", "{scope}");
    f2l_layout(out, answer, "{layers?layers        {layers} suffice\n}");
    lay_config_line(out, answer, "reached", "{reached_answer}{reached_by?, by {reached_by}}");
}

/* Returns whether the claim about what is reached is one of RL.1 - RL.4. */
static bool says_more(f2l_fact from)
{
    return !f2l_is(from, "reached_claim", f2l_ladder_reach_claim(F2L_REACH_SAME)) &&
           !f2l_is(from, "reached_claim", f2l_ladder_reach_claim(F2L_REACH_OPEN));
}

static void lay_config(f2l_buf *out, f2l_fact from)
{
    lay_config_line(out, from, "config",
                    "{config_file} ({settings_form}): {config_class} of {config_library} "
                    "{config_version}");
    lay_config_line(
        out, from, "layers",
        "{layers_recurrent=0?{all_layers} of attention|{layer_name=attention?attention|"
        "{all_layers?{all_layers}: {layers_recurrent} of |}{layer_name}"
        "{layers_of_attention?, {layers_of_attention} of attention|{has_attention?, and "
        "attention}}}}");
    lay_config_line(out, from, "range",
                    "{layer_range}{range_setting? ({range_setting})}{householders?; n_h = "
                    "{householders}}");
    lay_config_line(out, from, "gates", "{layer_gates}");
    lay_config_line(out, from, "row", "{name}: {ladder_claim}");
    lay_config_line(out, from, "scope", "{scope}; any number of layers");
    lay_config_line(out, from, "reached",
                    says_more(from) ? "without rounding, with separating decoders and any number "
                                      "of states: {reached_claim}"
                                    : "without rounding: {reached_claim}");
    if (f2l_is_known(from, "would_change"))
        lay_config_line(out, from, "would change", "{would_change}");
    if (f2l_is_known(from, "ladder_answer")) lay_config_answer(out, f2l_get(from, "ladder_answer"));
}

const f2l_report_kind f2l_config_report_kind = {
    .name = "ladder", .describe = describe_config, .lay = lay_config, .style = {.digits = 17}};
