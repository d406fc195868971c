/* The readable report of a cascade. */
#include "reports/automata/cascade_report.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/automata/impl.h"
#include "reports/phrases.h"
#include <string.h>

#define INDENT 15
#define MAX_MEMBERS 8     /* members of a set or of a cover that are listed */
#define MAX_COMPONENTS 12 /* components of a level that are listed */
#define MAX_GENERATORS 4
#define MAX_STATES 40 /* states up to which the homomorphism is listed */
#define MAX_DEGREE 40 /* points up to which generators are written out */
#define MAX_WIDTHS 24
#define MAX_GROUPS 16 /* different names of groups that are listed */

void f2l_cascade_report_counts(f2l_cascade_counts *out, const f2l_cascade *c)
{
    memset(out, 0, sizeof *out);
    for (size_t l = 0; l < c->levels; l++) {
        out->contexts += c->level[l].contexts;
        out->permutations += c->level[l].permutations;
        out->identities += c->level[l].identities;
        out->resets += c->level[l].resets;
    }
}

void f2l_cascade_report_set(f2l_buf *out, const f2l_cascade *c, uint32_t set, size_t most)
{
    size_t shown = 0;
    f2l_buf_text(out, "{");
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words)
    {
        if (most && shown == most) continue;
        if (shown++) f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(&c->fsa->states, q));
    }
    if (shown < c->sets.size[set]) f2l_buf_printf(out, " ... %zu more", c->sets.size[set] - shown);
    f2l_buf_text(out, "}");
}

const char *f2l_cascade_report_name(const f2l_cascade_report *report)
{
    return f2l_path_base(report->grammar);
}

void f2l_cascade_report_range(const f2l_components *all, size_t level, size_t *first, size_t *end)
{
    for (*first = 0; *first < all->count && all->component[*first].level < level;) ++*first;
    for (*end = *first; *end < all->count && all->component[*end].level == level;) ++*end;
}

void f2l_cascade_report_chain(const f2l_cascade *c, size_t state, uint32_t *coordinate)
{
    memset(coordinate, 0, (c->levels + 1) * sizeof *coordinate);
    for (uint32_t x = 0; c->sets.size[x] > 1;) {
        const uint32_t *cover = c->cover + c->cover_at[x];
        uint32_t i = 0;
        while (!f2l_set_has(f2l_subsets_get(&c->sets, cover[i]), state)) i++;
        coordinate[c->lambda[x] - 1] = i + 1;
        x = cover[i];
    }
}

static void put_size(f2l_buf *out, const f2l_cascade *c)
{
    f2l_cascade_size size;
    f2l_cascade_measure(&size, c);
    f2l_buf_printf(out, "%s, ", f2l_cascade_kind_name(c->kind));
    f2l_report_count(out, size.levels, "level");
    if (size.levels) f2l_buf_text(out, " of");
    for (size_t l = 0; l < size.levels && l < MAX_WIDTHS; l++)
        f2l_buf_printf(out, "%s %zu", l ? "," : "", c->level[l].width);
    if (size.levels > MAX_WIDTHS) f2l_buf_printf(out, ", ... %zu more", size.levels - MAX_WIDTHS);
    if (size.levels) f2l_buf_printf(out, " states, %zu together", size.states);
}

static void put_bounds(f2l_buf *out, const f2l_cascade *c)
{
    const size_t n = c->fsa->states.count;
    f2l_report_label(out, "bounds", INDENT);
    f2l_buf_text(out, "|Q|-1 = ");
    f2l_report_count(out, n - 1, "level");
    f2l_buf_printf(out, "%s; 2^|Q| = ",
                   c->levels > n - 1 ? " (which holonomy may exceed, and does here)" : "");
    if (n < 64)
        f2l_buf_printf(out, "%llu", 1ULL << n);
    else
        f2l_buf_printf(out, "2^%zu", n);
    f2l_buf_text(out, " layers in the published theorem\n");
}

static void put_contexts(f2l_buf *out, const f2l_cascade *c)
{
    f2l_cascade_counts k;
    f2l_cascade_report_counts(&k, c);
    f2l_report_label(out, "contexts", INDENT);
    f2l_buf_printf(out, "%zu (letter, old stage, new stage): %zu permute, %zu keep, ", k.contexts,
                   k.permutations, k.identities);
    f2l_report_count(out, k.resets, "reset");
    f2l_buf_printf(out, ", %zu idle\n", k.contexts - k.permutations - k.identities - k.resets);
    f2l_report_label(out, "proof", INDENT);
    f2l_buf_text(out, "passed: every context was checked, which proves the cascade right on all "
                      "words\n");
}

/* Appends the non-trivial names, each once, with the number of times it occurs. */
static void put_groups(f2l_buf *out, const f2l_components *all)
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
    if (!different) f2l_buf_text(out, "all trivial");
    for (size_t i = 0; i < different; i++) {
        f2l_buf_printf(out, "%s%s", i ? ", " : "", met[i].name);
        if (met[i].times > 1) f2l_buf_printf(out, " (%zu times)", met[i].times);
    }
    if (beyond) f2l_buf_printf(out, " and %zu more", beyond);
    f2l_buf_text(out, "\n");
}

static void put_purity(f2l_buf *out, const f2l_cascade_report *r)
{
    static const char *const answer[] = {"no", "yes", "not decided"};
    const f2l_cascade *c = r->cascade;
    f2l_report_label(out, "aperiodic", INDENT);
    f2l_buf_printf(out, "%s\n", answer[r->aperiodic]);
    f2l_report_label(out, "groups", INDENT);
    put_groups(out, r->components);
    f2l_report_label(out, "", INDENT);
    if (c->kind == F2L_CASCADE_HOLONOMY) {
        f2l_buf_text(out,
                     "they divide the transition monoid; the automaton is aperiodic iff all are "
                     "trivial\n");
        return;
    }
    f2l_buf_text(out, "they need not divide the transition monoid");
    if (c->capped) {
        f2l_buf_text(out, "; the cap was used in ");
        f2l_report_count(out, c->capped, "component");
    }
    f2l_buf_text(out, "\n");
    if (r->aperiodic != F2L_YES || r->components->trivial) return;
    f2l_report_label(out, "note", INDENT);
    f2l_buf_text(out, "the automaton is aperiodic, yet this cascade has groups; --cascade pure has "
                      "none\n");
}

static void put_head(f2l_buf *out, const f2l_cascade_report *r)
{
    const f2l_cascade *c = r->cascade;
    f2l_buf_name(out, f2l_cascade_report_name(r));
    f2l_buf_text(out, ": ");
    f2l_report_count(out, c->fsa->states.count, "state");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, c->fsa->letters.count, "letter");
    f2l_buf_text(out, "\n");
    f2l_report_label(out, "cascade", INDENT);
    put_size(out, c);
    f2l_buf_text(out, c->by_rank ? "; levels by the size of sets\n" : "\n");
    if (r->other || r->other_reason) {
        f2l_report_label(out, "other", INDENT);
        if (r->other) put_size(out, r->other);
        if (r->other_reason) f2l_buf_printf(out, "none: %s", r->other_reason);
        f2l_buf_text(out, "\n");
    }
    f2l_report_label(out, "family", INDENT);
    f2l_report_count(out, c->sets.count, "subset");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, r->components->count, "component");
    f2l_buf_text(out, "\n");
    put_bounds(out, c);
    put_contexts(out, c);
    put_purity(out, r);
}

static void put_generators(f2l_buf *out, const f2l_component *k)
{
    if (!k->generators) return;
    if (k->degree > MAX_DEGREE) {
        f2l_buf_text(out, ", ");
        f2l_report_count(out, k->generators, "generator");
        return;
    }
    f2l_buf_text(out, ", generated by ");
    for (size_t s = 0; s < k->generators && s < MAX_GENERATORS; s++) {
        if (s) f2l_buf_text(out, ", ");
        f2l_perm_write(out, k->generator + s * k->degree, k->degree);
    }
    if (k->generators > MAX_GENERATORS)
        f2l_buf_printf(out, " and %zu more", k->generators - MAX_GENERATORS);
}

static void put_component(f2l_buf *out, const f2l_cascade *c, const f2l_component *k)
{
    const uint32_t x = k->representative;
    f2l_buf_text(out, "  ");
    f2l_cascade_report_set(out, c, x, MAX_MEMBERS);
    f2l_buf_printf(out, ", %u states", c->sets.size[x]);
    if (k->members > 1)
        f2l_buf_printf(out, ", and %zu more set%s", k->members - 1, k->members == 2 ? "" : "s");
    f2l_buf_text(out, "\n    cover  ");
    for (size_t i = 0; i < k->degree && i < MAX_MEMBERS; i++) {
        if (i) f2l_buf_text(out, " ");
        f2l_cascade_report_set(out, c, c->cover[c->cover_at[x] + i], MAX_MEMBERS);
    }
    if (k->degree > MAX_MEMBERS) f2l_buf_printf(out, " ... %zu more", k->degree - MAX_MEMBERS);
    f2l_buf_printf(out, "\n    group  %s", k->name);
    if (k->order && strncmp(k->name, "order ", 6) != 0 && k->generators)
        f2l_buf_printf(out, " of order %s", k->order);
    put_generators(out, k);
    f2l_buf_printf(out, "\n    acts   %zu permute, %zu keep, ", k->permutations, k->identities);
    f2l_report_count(out, k->resets, "reset");
    f2l_buf_text(out, "\n");
}

static void put_level(f2l_buf *out, const f2l_cascade_report *r, size_t l)
{
    const f2l_level *level = &r->cascade->level[l - 1];
    size_t first, end;
    f2l_cascade_report_range(r->components, l, &first, &end);
    f2l_buf_printf(out, "\nlevel %zu: ", l);
    f2l_report_count(out, level->width, "state");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, end - first, "component");
    f2l_buf_text(out, ", ");
    f2l_report_count(out, level->contexts, "context");
    f2l_buf_text(out, ", at most ");
    f2l_report_count(out, level->reflections, "reflection");
    f2l_buf_text(out, "\n");
    for (size_t i = first; i < end && i < first + MAX_COMPONENTS; i++)
        put_component(out, r->cascade, &r->components->component[i]);
    if (end - first > MAX_COMPONENTS)
        f2l_buf_printf(out, "  ... %zu more components\n", end - first - MAX_COMPONENTS);
}

/* Counts the chains that end in every state; SIZE_MAX means at least that many. `ways` is [sets].
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

/* Appends "(1 - 2) -> q   3". */
static void put_chain(f2l_buf *out, const f2l_cascade *c, size_t state, uint32_t *coordinate,
                      size_t chains)
{
    f2l_cascade_report_chain(c, state, coordinate);
    f2l_buf_text(out, "  (");
    for (size_t l = 0; l < c->levels; l++) {
        if (l) f2l_buf_text(out, " ");
        if (coordinate[l])
            f2l_buf_printf(out, "%u", coordinate[l]);
        else
            f2l_buf_text(out, "-");
    }
    f2l_buf_text(out, ") -> ");
    f2l_buf_name(out, f2l_names_get(&c->fsa->states, state));
    f2l_buf_printf(out, "   %s%zu\n", chains == SIZE_MAX ? "at least " : "", chains);
}

/* Appends all chains; `coordinate`, `ways` and `set` are scratch. */
static void put_chains(f2l_buf *out, const f2l_cascade *c, uint32_t *coordinate, size_t *ways,
                       uint64_t *set)
{
    const size_t n = c->fsa->states.count;
    count_chains(c, ways);
    f2l_buf_text(out,
                 "\n"
                 "homomorphism: the first coordinates of every state (- where its chain skips the "
                 "level), and how many it has\n");
    for (size_t q = 0; q < n && q < MAX_STATES; q++) {
        memset(set, 0, c->sets.words * sizeof *set);
        f2l_set_put(set, q);
        put_chain(out, c, q, coordinate, ways[f2l_subsets_find(&c->sets, set)]);
    }
    if (n > MAX_STATES) f2l_buf_printf(out, "  ... %zu more states\n", n - MAX_STATES);
}

static f2l_status put_homomorphism(f2l_buf *out, const f2l_cascade *c, f2l_error *err)
{
    uint32_t *coordinate = f2l_calloc(c->levels + 1, sizeof *coordinate);
    size_t *ways = f2l_calloc(c->sets.count, sizeof *ways);
    uint64_t *set = f2l_calloc(c->sets.words, sizeof *set);
    const bool good = coordinate && ways && set;
    if (good) put_chains(out, c, coordinate, ways, set);
    f2l_free(coordinate);
    f2l_free(ways);
    f2l_free(set);
    return good ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_cascade_report_text(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err)
{
    put_head(out, report);
    for (size_t l = 1; l <= report->cascade->levels; l++) put_level(out, report, l);
    f2l_status status = put_homomorphism(out, report->cascade, err);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
