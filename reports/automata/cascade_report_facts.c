/* The facts of a cascade. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "reports/automata/cascade_report.h"
#include "reports/automata/impl.h"
#include <string.h>

#define MAX_GROUPS 16 /* different names of groups that are told */

static void say_set(f2l_fact in, const char *name, const f2l_cascade *c, uint32_t id)
{
    f2l_fact list = f2l_say_list(in, name);
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, id), c->sets.words)
    f2l_say_text(list, NULL, f2l_names_get(&c->fsa->states, q));
}

static void say_generators(f2l_fact in, const f2l_component *k)
{
    f2l_fact list = f2l_say_list(in, "generators");
    for (size_t s = 0; s < k->generators; s++) {
        f2l_buf cycles;
        f2l_buf_init(&cycles);
        f2l_perm_write(&cycles, k->generator + s * k->degree, k->degree);
        f2l_say_buf(list, NULL, &cycles);
    }
}

static void say_component(f2l_fact list, const f2l_cascade *c, const f2l_component *k, size_t most)
{
    f2l_fact one = f2l_say_object(list, NULL);
    say_set(one, "representative", c, k->representative);
    f2l_say_count(one, "members", k->members);
    f2l_say_count(one, "degree", k->degree);
    f2l_fact cover = f2l_say_list(one, "cover");
    for (size_t i = 0; i < k->degree && i < most; i++)
        say_set(cover, NULL, c, c->cover[c->cover_at[k->representative] + i]);
    f2l_say_text(one, "group", k->name);
    f2l_say_text(one, "order_decimal", k->order);
    say_generators(one, k);
    f2l_say_count(one, "permutations", k->permutations);
    f2l_say_count(one, "identities", k->identities);
    f2l_say_count(one, "resets", k->resets);
}

void f2l_cascade_say_level(f2l_fact in, const f2l_cascade_report *r, size_t level,
                           size_t most_components, size_t most_sets)
{
    const f2l_level *v = &r->cascade->level[level - 1];
    const f2l_components *all = r->components;
    size_t first = 0, end;
    while (first < all->count && all->component[first].level < level) first++;
    for (end = first; end < all->count && all->component[end].level == level;) end++;
    f2l_say_count(in, "states", v->width);
    f2l_say_count(in, "components", end - first);
    f2l_say_count(in, "contexts", v->contexts);
    f2l_say_count(in, "permutations", v->permutations);
    f2l_say_count(in, "identities", v->identities);
    f2l_say_count(in, "resets", v->resets);
    f2l_say_count(in, "idle", v->contexts - v->permutations - v->identities - v->resets);
    f2l_say_count(in, "reflections", v->reflections);
    f2l_fact components = f2l_say_list(in, "per_component");
    for (size_t i = first; i < end && i - first < most_components; i++)
        say_component(components, r->cascade, &all->component[i], most_sets);
}

static void say_cascade_size(f2l_fact in, const char *name, const f2l_cascade *c)
{
    f2l_cascade_size size;
    size_t contexts = 0, permutations = 0, identities = 0, resets = 0;
    f2l_cascade_measure(&size, c);
    f2l_fact one = f2l_say_object(in, name);
    f2l_fact widths = f2l_say_list(one, "widths");
    for (size_t l = 0; l < c->levels; l++) {
        f2l_say_count(widths, NULL, c->level[l].width);
        contexts += c->level[l].contexts;
        permutations += c->level[l].permutations;
        identities += c->level[l].identities;
        resets += c->level[l].resets;
    }
    f2l_say_text(one, "kind", f2l_cascade_kind_name(c->kind));
    f2l_say_count(one, "levels", size.levels);
    f2l_say_count(one, "states", size.states);
    f2l_say_count(one, "contexts", contexts);
    f2l_say_count(one, "active_contexts", size.contexts);
    f2l_say_count(one, "permutations", permutations);
    f2l_say_count(one, "identities", identities);
    f2l_say_count(one, "resets", resets);
    f2l_say_count(one, "idle", contexts - permutations - identities - resets);
    f2l_say_count(one, "subsets", c->sets.count);
    f2l_say_count(one, "capped", c->capped);
    f2l_say_truth(one, "by_size", c->by_rank);
}

/* Puts the non-trivial names of groups, the first 16 of them, each with the number of components
 * that have it, and the number of components with other groups. */
static void say_group_names(f2l_fact in, const f2l_components *all)
{
    struct {
        const char *name;
        size_t times;
    } met[MAX_GROUPS];
    size_t different = 0, beyond = 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->component[i].name;
        size_t at = 0;
        if (strcmp(name, "trivial") == 0) continue;
        while (at < different && strcmp(met[at].name, name) != 0) at++;
        beyond += at == MAX_GROUPS;
        if (at == MAX_GROUPS) continue;
        if (at == different) {
            met[different].name = name;
            met[different++].times = 0;
        }
        met[at].times++;
    }
    f2l_fact list = f2l_say_list(in, "group_names");
    for (size_t i = 0; i < different; i++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "group", met[i].name);
        f2l_say_count(one, "times", met[i].times);
    }
    f2l_say_count(in, "groups_beyond", beyond);
}

/* --- homomorphism --- */

/* Sets coordinate[levels], from 1 on, to the first ones that encode the state; 0 where the chain
 * of covers skips the level. */
static void find_chain(const f2l_cascade *c, size_t state, uint32_t *coordinate)
{
    memset(coordinate, 0, c->levels * sizeof *coordinate);
    for (uint32_t x = 0; c->sets.size[x] > 1;) {
        const uint32_t *cover = c->cover + c->cover_at[x];
        uint32_t i = 0;
        while (!f2l_set_has(f2l_subsets_get(&c->sets, cover[i]), state)) i++;
        coordinate[c->lambda[x] - 1] = i + 1;
        x = cover[i];
    }
}

/* Counts the chains that end in every set; SIZE_MAX means at least that many. `ways` is [sets].
 * Levels increase along covers, so one round from the top settles all. */
static void count_chains(const f2l_cascade *c, size_t *ways)
{
    ways[0] = 1;
    for (size_t l = 1; l <= c->levels; l++)
        for (size_t x = 0; x < c->sets.count; x++) {
            if (c->lambda[x] != l || !ways[x]) continue;
            for (size_t i = 0; i < c->cover_count[x]; i++) {
                size_t *below = &ways[c->cover[c->cover_at[x] + i]];
                if (!f2l_add_size(below, *below, ways[x])) *below = SIZE_MAX;
            }
        }
}

static void say_state(f2l_fact list, const f2l_cascade *c, size_t state, const uint32_t *coordinate,
                      size_t chains)
{
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_text(one, "state", f2l_names_get(&c->fsa->states, state));
    f2l_fact tuple = f2l_say_list(one, "coordinates");
    for (size_t l = 0; l < c->levels; l++)
        f2l_say_known(tuple, NULL, coordinate[l] > 0, coordinate[l]);
    f2l_say_known(one, "chains", chains < SIZE_MAX, chains);
}

void f2l_cascade_say_homomorphism(f2l_fact in, const f2l_cascade *c, size_t most)
{
    f2l_error err;
    uint32_t *coordinate = f2l_calloc(c->levels + 1, sizeof *coordinate);
    size_t *ways = f2l_calloc(c->sets.count, sizeof *ways);
    uint64_t *set = f2l_calloc(c->sets.words, sizeof *set);
    const bool good = coordinate && ways && set;
    if (!good) {
        (void)f2l_fail_memory(&err);
        f2l_facts_fail(in, &err);
    } else {
        count_chains(c, ways);
    }
    f2l_fact list = f2l_say_list(in, "homomorphism");
    for (size_t q = 0; good && q < c->fsa->states.count && q < most; q++) {
        memset(set, 0, c->sets.words * sizeof *set);
        f2l_set_put(set, q);
        find_chain(c, q, coordinate);
        say_state(list, c, q, coordinate, ways[f2l_subsets_find(&c->sets, set)]);
    }
    f2l_free(coordinate);
    f2l_free(ways);
    f2l_free(set);
}

/* --- all --- */

void f2l_cascade_say_head(f2l_fact out, const f2l_cascade_report *r)
{
    const f2l_cascade *c = r->cascade;
    f2l_say_automaton(out, r->grammar, NULL, c->fsa->states.count, c->fsa->letters.count);
    say_cascade_size(out, "cascade", c);
    if (r->other)
        say_cascade_size(out, "other", r->other);
    else
        f2l_say_null(out, "other");
    f2l_say_text(out, "other_reason", r->other ? NULL : r->other_reason);
    f2l_say_count(out, "components", r->components->count);
    f2l_say_count(out, "bound", c->fsa->states.count - 1);
    f2l_say_text(out, "verdict", "VERIFIED");
    f2l_say_ternary(out, "aperiodic", r->aperiodic != F2L_UNDECIDED, r->aperiodic == F2L_YES);
    f2l_say_truth(out, "pure", c->kind == F2L_CASCADE_HOLONOMY);
    say_group_names(out, r->components);
}

static void describe_cascade(f2l_fact out, const void *report)
{
    const f2l_cascade_report *r = report;
    f2l_cascade_say_head(out, r);
    f2l_fact levels = f2l_say_list(out, "per_level");
    for (size_t l = 1; l <= r->cascade->levels; l++)
        f2l_cascade_say_level(f2l_say_object(levels, NULL), r, l, SIZE_MAX, SIZE_MAX);
    f2l_cascade_say_homomorphism(out, r->cascade, SIZE_MAX);
}

const f2l_report_kind f2l_cascade_report_kind = {
    .name = "cascade", .describe = describe_cascade, .style = {.digits = 17}};
