#include "theory/compile/fewest.h"
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

/* Figures in the order of the comparison. */
#define CRITERIA 7
typedef struct key {
    size_t criterion[CRITERIA];
} key;

static key fewest_key_of(const f2l_variant *row, const f2l_compile_figures *f)
{
    return (key){{f->layers, row->slow, f->householders, f->key_dim, f->factors_per_token,
                  f->states, f->table_entries}};
}

/* Returns how the first `count` criteria compare: below 0 where `a` comes first. */
static int compare_criteria(const key *a, const key *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a->criterion[i] != b->criterion[i]) return a->criterion[i] < b->criterion[i] ? -1 : 1;
    return 0;
}

/* Returns whether a network of the row, with these figures, is in the class. */
static bool is_in_class(const f2l_variant *row, const f2l_compile_figures *f, bool gated,
                        f2l_network_class within)
{
    const f2l_compile_target target = row->target;
    const bool positive = target == F2L_COMPILE_POSITIVE;
    if (row->infinite) return false;
    switch (within) {
    case F2L_NETWORKS_POSITIVE:
        return positive;
    case F2L_NETWORKS_POSITIVE_KEPT:
        return positive && !gated;
    case F2L_NETWORKS_REAL:
        return target == F2L_COMPILE_DIAGONAL;
    case F2L_NETWORKS_COMPLEX:
        return target == F2L_COMPILE_DIAGONAL || target == F2L_COMPILE_COMPLEX;
    case F2L_NETWORKS_ONE:
        return !positive && !gated && !row->slow && f->householders <= 1;
    case F2L_NETWORKS_KEPT:
        return !positive && !gated;
    case F2L_NETWORKS_FINITE:
        return !positive;
    default:
        return false;
    }
}

static const f2l_compile_entry *fewest(const f2l_compile_entry *entry, size_t entries,
                                       f2l_network_class within)
{
    const f2l_compile_entry *best = NULL;
    key least = {{0}};
    for (size_t i = 0; i < entries; i++) {
        const f2l_compile_entry *e = &entry[i];
        if (e->outcome != F2L_COMPILE_BUILT || e->exact != F2L_OK || e->row->naive ||
            !is_in_class(e->row, &e->figures, e->gated, within))
            continue;
        const key mine = fewest_key_of(e->row, &e->figures);
        if (best && compare_criteria(&mine, &least, CRITERIA) >= 0) continue;
        best = e;
        least = mine;
    }
    return best;
}

const f2l_compile_entry *f2l_compile_fewest(const f2l_compile_result *list,
                                            f2l_network_class within)
{
    return fewest(list->entry, list->entries, within);
}

/* Returns whether networks of the row may have gates other than 1. */
static bool may_gate(const f2l_variant *row)
{
    return row->gated || row->target == F2L_COMPILE_DIAGONAL || row->target == F2L_COMPILE_COMPLEX;
}

/* Returns how much the entry says of why there is no network. */
static int rank_of_reason(const f2l_compile_entry *e)
{
    return e->outcome == F2L_COMPILE_STOPPED || e->outcome == F2L_COMPILE_BUILT ? 2
           : e->outcome == F2L_COMPILE_INAPPLICABLE                             ? 1
                                                                                : 0;
}

const f2l_compile_entry *f2l_compile_missing(const f2l_compile_result *list,
                                             f2l_network_class within)
{
    const f2l_compile_entry *best = NULL;
    for (size_t i = 0; i < list->entries; i++) {
        const f2l_compile_entry *e = &list->entry[i];
        if (e->row->naive || !is_in_class(e->row, &e->figures, may_gate(e->row), within)) continue;
        if (!best || rank_of_reason(e) >= rank_of_reason(best)) best = e;
    }
    return best;
}

void f2l_compile_ask_for(f2l_compile_options *options, const f2l_compile_entry *entry,
                         f2l_label label)
{
    const f2l_compile_figures *f = &entry->figures;
    *options = (f2l_compile_options){
        .label = label, .target = entry->row->target, .gated = entry->row->gated};
    if (entry->outcome == F2L_COMPILE_BUILT)
        options->bounds = (f2l_compile_bounds){
            .layers = f->layers, .householders = f->householders, .key_dim = f->key_dim};
}

/* Only layers, factors of a head and key dimensions are shown of a class. */
#define SHOWN 4

bool f2l_compile_adds_nothing(const f2l_compile_entry *entry, const f2l_compile_job *job)
{
    const f2l_compile_options *o = job->base.options;
    const bool finite = entry->row->target != F2L_COMPILE_POSITIVE;
    const size_t layers = finite ? o->least_layers : o->margin_layers;
    f2l_compile_figures least = entry->figures;
    if (least.layers < layers) least.layers = layers;
    const key mine = fewest_key_of(entry->row, &least);
    for (int c = 1; c < F2L_NETWORK_CLASSES && !entry->row->naive; c++) {
        const f2l_network_class within = (f2l_network_class)c;
        if (!is_in_class(entry->row, &least, may_gate(entry->row), within)) continue;
        const f2l_compile_entry *best = fewest(job->entry, job->rows, within);
        if (!best) return false;
        const key found = fewest_key_of(best->row, &best->figures);
        if (compare_criteria(&found, &mine, SHOWN) > 0) return false;
    }
    return true;
}

size_t f2l_compile_of_use(const f2l_compile_entry *entry, const f2l_compile_job *job)
{
    const f2l_compile_entry *best = fewest(job->entry, job->rows, F2L_NETWORKS_KEPT);
    return job->base.options->figures && entry->row->slow && best ? best->figures.layers : 0;
}

/* Returns whether the row, which was not built, may have fewer layers. The others never have fewer
 * than a row beside them: gates, targets and naive keys save no layer, and Zeiger's cover has no
 * fewer levels than the capped one. */
static bool may_have_fewer(const f2l_compile_entry *e, size_t layers, size_t least)
{
    const f2l_variant *row = e->row;
    const bool open = e->outcome == F2L_COMPILE_STOPPED ||
                      (e->outcome == F2L_COMPILE_UNASKED && row->slow) ||
                      (e->outcome == F2L_COMPILE_BUILT && e->exact == F2L_UNKNOWN);
    return open && layers > 1 && !row->target && !row->gated && !row->naive && !row->infinite &&
           row->cascade != F2L_COMPILE_ZEIGER && e->figures.layers < layers && least < layers;
}

void f2l_compile_say_open(char *text, size_t size, const f2l_compile_result *list, size_t layers,
                          size_t least)
{
    const char *last = "";
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->entries; i++) {
        const f2l_compile_entry *e = &list->entry[i];
        if (!may_have_fewer(e, layers, least) || strcmp(e->theorem, last) == 0) continue;
        const int n = snprintf(text + at, size - at, "%s%s", at ? ", " : "", e->theorem);
        if (n < 0 || (size_t)n >= size - at) return;
        at += (size_t)n;
        last = e->theorem;
    }
}
