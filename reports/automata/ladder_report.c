#include "reports/automata/ladder_report.h"
#include "numeric/facts/layout.h"
#include "reports/phrases.h"
#include "theory/obstruct/classify/classify.h"

#define INDENT 14 /* columns of the labels */
#define WIDTH 98  /* columns of a line */

static void describe_ladder_models(f2l_fact out, const void *report)
{
    (void)report;
    const f2l_fact list = f2l_say_list(out, "ladder_models");
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) {
        const f2l_ladder_model *m = &f2l_ladder_models[i];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "class", m->id);
        f2l_say_text(one, "name", m->name);
        f2l_say_text(one, "model_families", m->models[0] ? m->models : NULL);
        f2l_say_text(one, "published_in", m->paper);
        f2l_say_count(one, "year", m->year);
        f2l_say_text(one, "parameter_range", m->range);
        f2l_say_text(one, "ladder_claim", m->claim);
        f2l_say_text(one, "scope", m->scope);
        f2l_say_text(one, "reached_range", m->reached);
        f2l_say_text(one, "reached_claim", f2l_ladder_reach_claim(m->reach));
    }
}

static void lay_ladder_line(f2l_buf *out, f2l_fact model, const char *label, const char *text)
{
    f2l_report_template(out, label, model, text, INDENT, WIDTH);
}

static void lay_ladder_models(f2l_buf *out, f2l_fact from)
{
    const f2l_fact list = f2l_get(from, "ladder_models");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact model = f2l_get_item(list, i);
        f2l_layout(out, model, "{name}{model_families? ({model_families})}\n");
        lay_ladder_line(out, model, "  paper", "{published_in}, {year}");
        lay_ladder_line(out, model, "  range", "{parameter_range}");
        lay_ladder_line(out, model, "  claim", "{ladder_claim}");
        lay_ladder_line(out, model, "  scope", "{scope}");
        lay_ladder_line(out, model, "  reached", "{reached_range}: {reached_claim}");
    }
    f2l_buf_text(out,
                 "\nRanges are closed; `reached` is what sigmoids and softplus give without "
                 "rounding. The\nstatements are proved, or their sources named, in "
                 "theory/pages/ladder.md, gdn2.md and released.md;\n`classify GRAMMAR` has the "
                 "whole scope.\n");
}

const f2l_report_kind f2l_ladder_report_kind = {.name = "classify-models",
                                                .describe = describe_ladder_models,
                                                .lay = lay_ladder_models,
                                                .style = {.digits = 17}};
