/* A cascade in reports: its levels, the route that won, the bounds, and the repair of the published
 * proof. */
#include "numeric/facts/layout.h"
#include "theory/construct/t4/t4_construction.h"
#include <stdio.h>

#define LEVELS_SHOWN 24
#define GROUPS_SHOWN 12

#define PUBLISHED \
    "the published proof of T4 feeds each component the states of the lower ones after the " \
    "update, and a " \
    "reset loses the earlier state; here "
#define KEEPS "each level that must know it keeps the previous coordinate in a "

/* Returns one sentence without a full stop on how the gap in T4's published proof is closed. */
static const char *repair(const f2l_t4_report *report)
{
    if (report->registers && report->delays)
        return PUBLISHED KEEPS "saved register or in a delay layer of its own";
    if (report->delays) return PUBLISHED KEEPS "delay layer of its own";
    if (report->registers) return PUBLISHED KEEPS "saved register";
    for (size_t l = 0; l < report->levels; l++)
        if (report->level[l].decays) return PUBLISHED KEEPS "second digit of the same numbers";
    return PUBLISHED "no level has to know it, so that none keeps a saved register";
}

/* --- facts --- */

/* Puts the parallel components of a level (0-based); null when they were not looked for to the
 * end. */
static void say_components(f2l_fact in, const f2l_components *all, size_t l)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) count += all->component[i].level == l + 1;
    f2l_say_known(in, "components", all->count > 0, count);
}

static void say_form(f2l_fact in, const f2l_t4_level *level)
{
    char form[F2L_T4_HEADS * 20];
    size_t used = 0;
    const bool named = !level->cells && !level->decays && !level->joined;
    used += (size_t)snprintf(form, sizeof form, "%s%s", level->delays ? "delay " : "",
                             level->cells    ? "cells"
                             : level->decays ? "decay"
                             : level->joined ? "contractions"
                                             : "");
    for (size_t h = 0; named && h < level->heads; h++)
        used += (size_t)snprintf(form + used, sizeof form - used, "%s%s", h ? " + " : "",
                                 f2l_t4_form_name(level->form[h].form));
    f2l_say_text(in, "form", form);
}

/* Puts a level: what its contexts do, and its layers, from `layer` on, with the way that was taken
 * and with either way; null where there was no choice. */
static void say_level(f2l_fact in, const f2l_t4_detail *t4, size_t l, const f2l_layer *layer)
{
    const f2l_level *level = &t4->cascade.level[l];
    const f2l_t4_level *lowered = &t4->report.level[l];
    const size_t active = level->permutations + level->identities + level->resets + level->maps;
    const f2l_fact o = f2l_say_object(in, NULL);
    f2l_say_count(o, "states", level->width);
    say_components(o, &t4->components, l);
    f2l_say_count(o, "contexts", level->contexts);
    f2l_say_count(o, "permutations", level->permutations);
    f2l_say_count(o, "identities", level->identities);
    f2l_say_count(o, "resets", level->resets);
    if (lowered->joined) f2l_say_count(o, "maps", level->maps);
    f2l_say_count(o, "idle", level->contexts - active);
    say_form(o, lowered);
    f2l_say_truth(o, "saved_register", lowered->saves);
    f2l_say_truth(o, "delayed", lowered->delays);
    f2l_say_count(o, "layers", t4->report.layers[l]);
    f2l_say_count(o, "heads", layer->heads);
    f2l_say_count(o, "factors", lowered->factors);
    f2l_say_known(o, "register_factors", lowered->register_factors > 0, lowered->register_factors);
    f2l_say_known(o, "delay_factors", lowered->delay_factors > 0, lowered->delay_factors);
}

/* Puts the non-trivial groups; null when they were not looked for to the end. */
static void say_groups(f2l_fact in, const f2l_t4_detail *t4)
{
    if (!t4->components.count && t4->cascade.levels) {
        f2l_say_null(in, "level_groups");
        return;
    }
    const f2l_fact groups = f2l_say_list(in, "level_groups");
    for (size_t i = 0; i < t4->components.count; i++) {
        const f2l_component *k = &t4->components.component[i];
        if (k->generators == 0) continue;
        const f2l_fact o = f2l_say_object(groups, NULL);
        f2l_say_count(o, "level", k->level);
        f2l_say_count(o, "degree", k->degree);
        f2l_say_text(o, "group", k->name);
        f2l_say_text(o, "order_decimal", k->order);
    }
}

static void say_size(f2l_fact in, f2l_cascade_kind kind, const f2l_cascade_size *size)
{
    f2l_say_text(in, "kind", f2l_cascade_kind_name(kind));
    f2l_say_count(in, "levels", size->levels);
    f2l_say_count(in, "states", size->states);
    f2l_say_count(in, "active_contexts", size->contexts);
}

/* Puts the cover that lost, if there was a contest. */
static void say_other(f2l_fact in, const f2l_t4_detail *t4)
{
    const bool there = t4->contested && t4->other_size.levels;
    f2l_say_text(in, "other_kind", t4->contested ? f2l_cascade_kind_name(t4->other) : NULL);
    f2l_say_text(in, "other_reason", t4->contested && !there ? t4->other_reason : NULL);
    if (there)
        say_size(f2l_say_object(in, "other"), t4->other, &t4->other_size);
    else
        f2l_say_null(in, "other");
}

void f2l_t4_describe(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_t4_detail *t4 = c->detail;
    const size_t states = c->subject->states.count;
    const f2l_fact o = f2l_say_object(in, "cascade");
    f2l_net_size size;
    char published[32];
    f2l_net_measure(&size, &c->net);
    snprintf(published, sizeof published, "2^%zu", states);
    say_size(o, t4->cascade.kind, &t4->size);
    f2l_say_count(o, "subsets", t4->cascade.sets.count);
    f2l_say_count(o, "registers", t4->report.registers);
    f2l_say_count(o, "delays", t4->report.delays);
    f2l_say_count(o, "splits", t4->report.splits);
    f2l_say_truth(o, "gated", t4->report.gated);
    f2l_say_count(o, "factors_per_token", size.factors_per_token);
    const f2l_fact levels = f2l_say_list(o, "per_level");
    const f2l_layer *layer = c->net.layer;
    for (size_t l = 0; l < t4->cascade.levels; layer += t4->report.layers[l++])
        say_level(levels, t4, l, layer);
    say_groups(o, t4);
    say_other(o, t4);
    f2l_say_text(o, "diagonal_class", t4->matrices);
    /* The bound on the layers of the capped cover (T4.9, T4.11): the last level has no delay. */
    f2l_say_known(o, "bound", !t4->matrices, t4->report.delays ? 2 * (states - 1) - 1 : states - 1);
    f2l_say_text(o, "published_bound", published);
    f2l_say_text(o, "repair", repair(&t4->report));
}

/* --- lines --- */

static const char *name_of_cascade_kind(f2l_cascade_kind kind)
{
    static const char *const name[] = {"holonomy", "capped cover", "Zeiger cover"};
    return name[kind];
}

static void tell_route(f2l_buf *out, f2l_fact cascade, const f2l_t4_detail *t4)
{
    static const char size[] = "{levels level}, {states state}, {active_contexts context}";
    const size_t levels = t4->cascade.levels;
    f2l_buf_printf(out, "%s: ", name_of_cascade_kind(t4->cascade.kind));
    f2l_layout(out, cascade, size);
    f2l_buf_text(out, levels ? " (" : "");
    f2l_layout_items(out, f2l_get(cascade, "per_level"), 0, LEVELS_SHOWN, "{states}", ",");
    if (levels > LEVELS_SHOWN) f2l_buf_printf(out, ",.. %zu more", levels - LEVELS_SHOWN);
    f2l_buf_text(out, levels ? ")" : "");
    if (!t4->contested) return;
    f2l_buf_printf(out, "; %s: ", name_of_cascade_kind(t4->other));
    if (t4->other_size.levels)
        f2l_layout(out, f2l_get(cascade, "other"), size);
    else
        f2l_buf_text(out, t4->other_reason);
}

/* Appends the groups. The groups of holonomy divide the transition monoid, the groups of other
 * covers need not (T4.8). */
static void tell_groups(f2l_buf *out, f2l_fact cascade, const f2l_t4_detail *t4)
{
    size_t permutations = 0;
    for (size_t l = 0; l < t4->cascade.levels; l++)
        permutations += t4->cascade.level[l].permutations;
    f2l_layout_count(out, permutations, "context permutes/contexts permute");
    if (!t4->components.count) return;
    f2l_buf_text(out, t4->cascade.kind == F2L_CASCADE_HOLONOMY
                          ? "; groups: "
                          : "; groups of this cover, which the automaton need not have: ");
    const f2l_fact groups = f2l_get(cascade, "level_groups");
    const size_t count = f2l_get_size(groups, ".");
    f2l_layout_items(out, groups, 0, GROUPS_SHOWN, "{group} at level {level}", ", ");
    if (count > GROUPS_SHOWN) f2l_buf_printf(out, " and %zu more", count - GROUPS_SHOWN);
    if (!count) f2l_buf_text(out, "all trivial, so the automaton is aperiodic");
}

/* Appends, for every level that keeps old coordinates, the way that was taken and the layers of the
 * other way; only gated cascades have the choice. */
static void tell_ways(f2l_buf *out, const f2l_t4_report *report)
{
    size_t shown = 0, left = 0;
    for (size_t l = 0; l < report->levels; l++) {
        const f2l_t4_level *level = &report->level[l];
        if (!level->delay_factors) continue;
        if (shown == LEVELS_SHOWN) {
            left++;
            continue;
        }
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

void f2l_t4_tell(f2l_buf *out, f2l_fact facts, const f2l_compile_result *c)
{
    const f2l_t4_detail *t4 = c->detail;
    const f2l_fact cascade = f2l_get(facts, "cascade");
    tell_route(out, cascade, t4);
    f2l_buf_text(out, "\n");
    tell_groups(out, cascade, t4);
    f2l_layout(
        out, cascade,
        "\n{factors_per_token factor} per token at most; {registers level} with a saved "
        "register{delays?, {delays level} with a delay}{splits?, {splits level} on several heads}");
    f2l_layout(out, cascade, "{diagonal_class?; matrices: {diagonal_class}}");
    if (!t4->matrices)
        f2l_buf_printf(out,
                       "; bounds on the layers: %s = ", t4->report.delays ? "2(|Q|-1)-1" : "|Q|-1");
    f2l_layout(out, cascade,
               "{diagonal_class?|{bound} by the capped cover, {published_bound} in [U]}\n");
    tell_ways(out, &t4->report);
}
