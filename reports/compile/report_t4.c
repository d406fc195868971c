/* The part of the report on a cascade: its levels, the route that won, the bounds, and the repair
 * of the published proof. */
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"
#include "reports/phrases.h"
#include <stdio.h>
#include <string.h>

#define LEVELS_SHOWN 24
#define GROUPS_SHOWN 12

#define PUBLISHED \
    "the published proof of T4 feeds each component the states of the lower ones after the " \
    "update, and a " \
    "reset loses the earlier state; here "
#define KEEPS "each level that must know it keeps the previous coordinate in a "

const char *f2l_report_repair(const f2l_compile_t4 *t4)
{
    if (t4->report.registers && t4->report.delays)
        return PUBLISHED KEEPS "saved register or in a delay layer of its own";
    if (t4->report.delays) return PUBLISHED KEEPS "delay layer of its own";
    if (t4->report.registers) return PUBLISHED KEEPS "saved register";
    for (size_t l = 0; l < t4->report.levels; l++)
        if (t4->report.level[l].decays) return PUBLISHED KEEPS "second digit of the same numbers";
    return PUBLISHED "no level has to know it, so that none keeps a saved register";
}

/* Returns the bound on the layers of the capped cover for this number of states (T4.9, T4.11): the
 * last level has no delay. */
static size_t bound(const f2l_compile_t4 *t4, size_t states)
{
    return t4->report.delays ? 2 * (states - 1) - 1 : states - 1;
}

static bool is_nontrivial(const f2l_component *k)
{
    return k->generators > 0;
}

/* --- JSON --- */

/* Returns the parallel components of a level (0-based); null when they were not looked for to the
 * end. */
static json_t *components_json(const f2l_compile_t4 *t4, size_t l)
{
    size_t count = 0;
    if (!t4->components.count) return json_null();
    for (size_t i = 0; i < t4->components.count; i++)
        count += t4->components.component[i].level == l + 1;
    return f2l_json_number(count);
}

/* Adds the layers of the level with the way that was taken, and with either way; null where there
 * was no choice. */
static bool put_ways(json_t *o, const f2l_t4_level *lowered, size_t layers)
{
    const size_t by_register = lowered->register_factors, by_delay = lowered->delay_factors;
    return f2l_json_put(o, "register", json_boolean(lowered->saves)) &&
           f2l_json_put(o, "delay", json_boolean(lowered->delays)) &&
           f2l_json_put(o, "layers", f2l_json_number(layers)) &&
           f2l_json_put(o, "factors", f2l_json_number(lowered->factors)) &&
           f2l_json_put(o, "register_factors",
                        by_register ? f2l_json_number(by_register) : json_null()) &&
           f2l_json_put(o, "delay_factors", by_delay ? f2l_json_number(by_delay) : json_null());
}

static json_t *level_json(const f2l_compile_t4 *t4, size_t l)
{
    const f2l_level *level = &t4->cascade.level[l];
    const f2l_t4_level *lowered = &t4->report.level[l];
    const size_t active = level->permutations + level->identities + level->resets;
    char form[64];
    snprintf(form, sizeof form, "%s%s", lowered->delays ? "delay " : "",
             lowered->cells    ? "cells"
             : lowered->decays ? "decay"
                               : f2l_t4_form_name(lowered->form));
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "states", f2l_json_number(level->width)) &&
               f2l_json_put(o, "components", components_json(t4, l)) &&
               f2l_json_put(o, "contexts", f2l_json_number(level->contexts)) &&
               f2l_json_put(o, "permutations", f2l_json_number(level->permutations)) &&
               f2l_json_put(o, "identities", f2l_json_number(level->identities)) &&
               f2l_json_put(o, "resets", f2l_json_number(level->resets)) &&
               f2l_json_put(o, "idle", f2l_json_number(level->contexts - active)) &&
               f2l_json_put(o, "form", f2l_json_text(form)) &&
               put_ways(o, lowered, t4->report.layers[l]));
}

static json_t *levels_json(const f2l_compile_t4 *t4)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t l = 0; complete && l < t4->cascade.levels; l++)
        complete = f2l_json_append(a, level_json(t4, l));
    return f2l_json_finish(a, complete);
}

static json_t *group_json(const f2l_component *k)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "level", f2l_json_number(k->level)) &&
               f2l_json_put(o, "degree", f2l_json_number(k->degree)) &&
               f2l_json_put(o, "group", f2l_json_text(k->name)) &&
               f2l_json_put(o, "order", k->order ? f2l_json_text(k->order) : json_null()));
}

/* Returns the non-trivial groups; null when they were not looked for to the end. */
static json_t *groups_json(const f2l_compile_t4 *t4)
{
    if (!t4->components.count && t4->cascade.levels) return json_null();
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < t4->components.count; i++)
        if (is_nontrivial(&t4->components.component[i]))
            complete = f2l_json_append(a, group_json(&t4->components.component[i]));
    return f2l_json_finish(a, complete);
}

static json_t *other_json(const f2l_compile_t4 *t4)
{
    if (!t4->contested) return json_null();
    if (!t4->other_size.levels) return f2l_json_text(t4->other_reason);
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "kind", f2l_json_text(f2l_cascade_kind_name(t4->other))) &&
               f2l_json_put(o, "levels", f2l_json_number(t4->other_size.levels)) &&
               f2l_json_put(o, "states", f2l_json_number(t4->other_size.states)) &&
               f2l_json_put(o, "contexts", f2l_json_number(t4->other_size.contexts)));
}

json_t *f2l_report_t4_json(const f2l_compile_result *c)
{
    const f2l_compile_t4 *t4 = c->t4;
    const size_t states = t4->cascade.fsa->states.count;
    f2l_net_size size;
    char published[32];
    f2l_net_measure(&size, &c->net);
    snprintf(published, sizeof published, "2^%zu", states);
    json_t *o = json_object();
    return f2l_json_finish(
        o,
        f2l_json_put(o, "kind", f2l_json_text(f2l_cascade_kind_name(t4->cascade.kind))) &&
            f2l_json_put(o, "levels", f2l_json_number(t4->size.levels)) &&
            f2l_json_put(o, "states", f2l_json_number(t4->size.states)) &&
            f2l_json_put(o, "contexts", f2l_json_number(t4->size.contexts)) &&
            f2l_json_put(o, "subsets", f2l_json_number(t4->cascade.sets.count)) &&
            f2l_json_put(o, "registers", f2l_json_number(t4->report.registers)) &&
            f2l_json_put(o, "delays", f2l_json_number(t4->report.delays)) &&
            f2l_json_put(o, "gated", json_boolean(t4->report.gated)) &&
            f2l_json_put(o, "factors_per_token", f2l_json_number(size.factors_per_token)) &&
            f2l_json_put(o, "per_level", levels_json(t4)) &&
            f2l_json_put(o, "groups", groups_json(t4)) &&
            f2l_json_put(o, "other", other_json(t4)) &&
            f2l_json_put(o, "class",
                         t4->diagonal_class ? f2l_json_text(t4->diagonal_class) : json_null()) &&
            f2l_json_put(o, "bound",
                         t4->diagonal_class ? json_null() : f2l_json_number(bound(t4, states))) &&
            f2l_json_put(o, "published_bound", f2l_json_text(published)) &&
            f2l_json_put(o, "repair", f2l_json_text(f2l_report_repair(t4))));
}

/* --- summary --- */

static void indent_line(f2l_buf *out, int indent)
{
    f2l_buf_printf(out, "%*s", indent, "");
}

static void write_size(f2l_buf *out, const f2l_cascade_size *size)
{
    f2l_report_count(out, size->levels, "level");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, size->states, "state");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, size->contexts, "context");
}

static const char *describe(f2l_cascade_kind kind)
{
    static const char *const text[] = {"holonomy", "capped cover", "Zeiger cover"};
    return text[kind];
}

static void write_route(f2l_buf *out, const f2l_compile_t4 *t4)
{
    f2l_buf_printf(out, "%s: ", describe(t4->cascade.kind));
    write_size(out, &t4->size);
    for (size_t l = 0; l < t4->cascade.levels; l++) {
        if (l == LEVELS_SHOWN) {
            f2l_buf_printf(out, ",.. %zu more", t4->cascade.levels - l);
            break;
        }
        f2l_buf_printf(out, "%s%zu", l ? "," : " (", t4->cascade.level[l].width);
    }
    f2l_buf_text(out, t4->cascade.levels ? ")" : "");
    if (!t4->contested) return;
    f2l_buf_printf(out, "; %s: ", describe(t4->other));
    if (t4->other_size.levels)
        write_size(out, &t4->other_size);
    else
        f2l_buf_text(out, t4->other_reason);
}

/* Returns whether the groups divide the transition monoid: holonomy's do, the groups of other
 * covers need not (T4.8). */
static bool divides(const f2l_compile_t4 *t4)
{
    return t4->cascade.kind == F2L_CASCADE_HOLONOMY;
}

static void write_groups(f2l_buf *out, const f2l_compile_t4 *t4)
{
    size_t permutations = 0, shown = 0, left = 0;
    for (size_t l = 0; l < t4->cascade.levels; l++)
        permutations += t4->cascade.level[l].permutations;
    f2l_report_count(out, permutations, "context");
    f2l_buf_text(out, permutations == 1 ? " permutes" : " permute");
    if (!t4->components.count) return;
    f2l_buf_text(out, divides(t4) ? "; groups: "
                                  : "; groups of this cover, which the automaton need "
                                    "not have: ");
    for (size_t i = 0; i < t4->components.count; i++) {
        const f2l_component *k = &t4->components.component[i];
        if (!is_nontrivial(k)) continue;
        if (shown == GROUPS_SHOWN) {
            left++;
            continue;
        }
        f2l_buf_printf(out, "%s%s at level %zu", shown++ ? ", " : "", k->name, k->level);
    }
    if (left) f2l_buf_printf(out, " and %zu more", left);
    if (!shown) f2l_buf_text(out, "all trivial, so the automaton is aperiodic");
}

/* Appends, for every level that keeps old coordinates, the way that was taken and the layers of the
 * other way; only gated cascades have the choice. */
static void write_ways(f2l_buf *out, const f2l_compile_t4 *t4, int indent)
{
    size_t shown = 0, left = 0;
    for (size_t l = 0; l < t4->report.levels; l++) {
        const f2l_t4_level *level = &t4->report.level[l];
        if (!level->delay_factors) continue;
        if (shown == LEVELS_SHOWN) {
            left++;
            continue;
        }
        if (!shown) indent_line(out, indent);
        f2l_buf_printf(
            out, "%slevel %zu: ", shown++ ? "; " : "factors to keep an old coordinate: ", l + 1);
        if (level->delays)
            f2l_buf_printf(out, "delay %zu, a register %zu", level->delay_factors,
                           level->register_factors);
        else
            f2l_buf_printf(out, "register %zu, a delay %zu", level->register_factors,
                           level->delay_factors);
    }
    if (left) f2l_buf_printf(out, " and %zu more", left);
    if (shown) f2l_buf_text(out, "\n");
}

void f2l_report_t4_summary(f2l_buf *out, const f2l_compile_result *c, int indent)
{
    const f2l_compile_t4 *t4 = c->t4;
    const size_t states = t4->cascade.fsa->states.count;
    f2l_net_size size;
    f2l_net_measure(&size, &c->net);
    indent_line(out, indent);
    write_route(out, t4);
    f2l_buf_text(out, "\n");
    indent_line(out, indent);
    write_groups(out, t4);
    f2l_buf_text(out, "\n");
    indent_line(out, indent);
    f2l_report_count(out, size.factors_per_token, "factor");
    f2l_buf_text(out, " per token at most; ");
    f2l_report_count(out, t4->report.registers, "level");
    f2l_buf_text(out, " with a saved register");
    if (t4->report.delays) {
        f2l_buf_text(out, ", ");
        f2l_report_count(out, t4->report.delays, "level");
        f2l_buf_text(out, " with a delay");
    }
    if (t4->diagonal_class)
        f2l_buf_printf(out, "; matrices: %s\n", t4->diagonal_class);
    else
        f2l_buf_printf(out, "; bounds on the layers: %s = %zu by the capped cover, 2^%zu in [U]\n",
                       t4->report.delays ? "2(|Q|-1)-1" : "|Q|-1", bound(t4, states), states);
    write_ways(out, t4, indent);
    f2l_buf_printf(out, "%-*s%s\n", indent, "repair", f2l_report_repair(t4));
}
