/* The witnesses of the answers of classify: words that act as a cycle, and two words whose group is
 * not solvable. */
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/impl.h"
#include <string.h>

/* limit on the maps in the search for two words whose group is not solvable */
#define PAIR_MAPS ((size_t)1 << 18)

static void decide_by_words(f2l_classify *c)
{
    if (c->any.length) c->aperiodic = F2L_TERNARY_NO;
    if (c->odd.length) c->two_groups = F2L_TERNARY_NO;
}

static f2l_status take_shorter_cycle(f2l_cycle_word *to, f2l_cycle_word *from, const f2l_fsa *fsa,
                                     f2l_error *err)
{
    if (!from->length || (to->length && to->length <= from->length)) return F2L_OK;
    if (!f2l_cycle_word_holds(fsa, from))
        return f2l_fail(err, F2L_EDOMAIN, "a word fails to act as found");
    f2l_cycle_word_clear(to);
    *to = *from;
    f2l_cycle_word_init(from);
    return F2L_OK;
}

static bool wanting(const f2l_classify *c)
{
    return (c->aperiodic != F2L_TERNARY_YES && !c->any.length) || (c->odd_sought && !c->odd.length);
}

/* Searches the maps of one set: of all states (NULL), or of a set with a holonomy group. */
static f2l_status search_maps(f2l_classify *c, const uint32_t *domain, size_t points,
                              const f2l_cycle_limits *limits, const f2l_task *task, f2l_error *err)
{
    f2l_cycle_words words;
    f2l_status status =
        f2l_cycle_words_find(&words, c->fsa, domain, points, c->odd_sought, limits, task, err);
    if (status == F2L_OK && !c->any.length)
        status = take_shorter_cycle(&c->any, &words.any, c->fsa, err);
    if (status == F2L_OK && !c->odd.length)
        status = take_shorter_cycle(&c->odd, &words.odd, c->fsa, err);
    f2l_cycle_words_clear(&words);
    return status;
}

/* Lists a set; *domain is owned by the caller. */
static f2l_status list_set(uint32_t **domain, size_t *points, const f2l_cascade *cascade,
                           uint32_t set, f2l_error *err)
{
    *points = 0;
    *domain = f2l_calloc(cascade->sets.size[set] + 1, sizeof **domain);
    if (!*domain) return f2l_fail_memory(err);
    F2L_SET_EACH(q, f2l_subsets_get(&cascade->sets, set), cascade->sets.words)
    (*domain)[(*points)++] = (uint32_t)q;
    return F2L_OK;
}

static f2l_status search_set(f2l_classify *c, const f2l_cascade *cascade, uint32_t set,
                             const f2l_cycle_limits *limits, const f2l_task *task, f2l_error *err)
{
    size_t points;
    uint32_t *domain;
    f2l_status status = list_set(&domain, &points, cascade, set, err);
    if (status == F2L_OK) status = search_maps(c, domain, points, limits, task, err);
    f2l_free(domain);
    return status;
}

/* Searches when there were too many maps of all states: the sets whose holonomy groups are not
 * trivial, and rotations of two and three states. */
static f2l_status search_further(f2l_classify *c, const f2l_cascade *cascade,
                                 const f2l_components *all, const f2l_cycle_limits *limits,
                                 const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_cycle_limits fewer = *limits;
    if (!fewer.maps) fewer.maps = (size_t)1 << 18;
    for (size_t i = all->count, tries = 8; status == F2L_OK && tries && wanting(c) && i-- > 0;) {
        if (!all->component[i].generators) continue;
        tries--;
        status = search_set(c, cascade, all->component[i].representative, &fewer, task, err);
    }
    for (size_t period = 2; status == F2L_OK && wanting(c) && period <= 3; period++) {
        f2l_cycle_word word;
        if (period == 3 && !c->odd_sought) break;
        status = f2l_cycle_word_tuples(&word, c->fsa, period, limits, task, err);
        if (status == F2L_OK && period == 3 && !c->any.length && !c->odd.length && word.length)
            status = f2l_cycle_word_copy(&c->any, &word, err);
        if (status == F2L_OK)
            status = take_shorter_cycle(period == 2 ? &c->any : &c->odd, &word, c->fsa, err);
        f2l_cycle_word_clear(&word);
    }
    return status;
}

/* Returns whether the set's group is not solvable. */
static bool is_unsolvable(const f2l_classify *c, const f2l_component *k)
{
    for (size_t i = 0; i < c->groups; i++) {
        const f2l_ladder_group *g = &c->group[i];
        if (g->solvable == F2L_TERNARY_NO && g->level && g->order && k->order &&
            strcmp(g->order, k->order) == 0 && strcmp(g->name, k->name) == 0)
            return true;
    }
    return false;
}

static f2l_status find_pair_on(f2l_classify *c, const f2l_cascade *cascade, uint32_t set,
                               const f2l_task *task, f2l_error *err)
{
    size_t points;
    uint32_t *domain;
    f2l_status status = list_set(&domain, &points, cascade, set, err);
    if (status == F2L_OK)
        status = f2l_word_pair_find(&c->pair, c->fsa, domain, points, PAIR_MAPS, task, err);
    f2l_free(domain);
    return status;
}

/* Finds two words that permute all states, or a set whose holonomy group is not solvable. */
static f2l_status find_pair(f2l_classify *c, const f2l_cascade *cascade, const f2l_components *all,
                            const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (c->permutation || !c->groups_known)
        status = f2l_word_pair_find(&c->pair, c->fsa, NULL, 0, PAIR_MAPS, task, err);
    for (size_t i = 0; status == F2L_OK && !c->pair.group && i < all->count; i++)
        if (is_unsolvable(c, &all->component[i]))
            status = find_pair_on(c, cascade, all->component[i].representative, task, err);
    if (status == F2L_OK && c->pair.group) status = f2l_word_pair_check(c->fsa, &c->pair, err);
    if (status != F2L_OK) f2l_word_pair_clear(&c->pair);
    return status;
}

f2l_status f2l_classify_find_words(f2l_classify *c, const f2l_cascade *cascade,
                                   const f2l_components *all, const f2l_cycle_limits *limits,
                                   const f2l_task *task, f2l_error *err)
{
    if (c->aperiodic == F2L_TERNARY_YES) return F2L_OK;
    c->odd_sought = c->two_groups != F2L_TERNARY_YES;
    f2l_status status = search_maps(c, NULL, 0, limits, task, err);
    if (status == F2L_OK && wanting(c)) status = search_further(c, cascade, all, limits, task, err);
    if (status == F2L_OK && c->solvable == F2L_TERNARY_NO)
        status = find_pair(c, cascade, all, task, err);
    decide_by_words(c);
    return status;
}
