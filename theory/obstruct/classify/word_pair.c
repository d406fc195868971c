#include "theory/obstruct/classify/word_pair.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/impl.h"
#include "theory/obstruct/classify/map_search.h"
#include <string.h>

#define NONE UINT32_MAX
#define BYTES ((size_t)64 << 20)
#define PAIRS ((size_t)1 << 18) /* limit on the pairs that are tried, times the points */

void f2l_word_pair_init(f2l_word_pair *pair)
{
    memset(pair, 0, sizeof *pair);
}

void f2l_word_pair_clear(f2l_word_pair *pair)
{
    f2l_free(pair->letter[0]);
    f2l_free(pair->letter[1]);
    f2l_free(pair->state);
    f2l_free(pair->group);
    f2l_word_pair_init(pair);
}

static size_t run_word_from(const f2l_fsa *fsa, const f2l_word_pair *pair, size_t word, size_t at)
{
    for (size_t j = 0; j < pair->length[word]; j++)
        at = fsa->next[at * fsa->letters.count + pair->letter[word][j]];
    return at;
}

f2l_status f2l_word_pair_check(const f2l_fsa *fsa, const f2l_word_pair *pair, f2l_error *err)
{
    const size_t n = fsa->states.count, count = pair->state ? pair->states : n;
    uint8_t *mark = f2l_calloc(n, 1); /* 1: a member, 2 and 3: found as an image by the first, the
                                         second word */
    if (!mark) return f2l_fail_memory(err);
    bool holds = pair->length[0] > 0 && pair->length[1] > 0;
    for (size_t i = 0; holds && i < count; i++) mark[pair->state ? pair->state[i] : i] = 1;
    for (size_t i = 0; holds && i < 2 * count; i++) {
        const size_t word = i / count, at = i % count;
        uint8_t *image = &mark[run_word_from(fsa, pair, word, pair->state ? pair->state[at] : at)];
        holds = *image == word + 1;
        *image = (uint8_t)(word + 2);
    }
    f2l_free(mark);
    return holds ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "two words fail to act as found");
}

/* The permutations found so far. */
typedef struct search {
    f2l_word_pair *out;
    const f2l_task *task;
    uint32_t *place; /* [states] index in the domain, or NONE */
    uint32_t *image; /* [count][points] */
    size_t *map;     /* [count] of the map search */
    size_t count, tried;
    bool full;
} search;

/* Returns whether the map in s->image has the domain as its image; the map then permutes the
 * domain, and `to` is set to this permutation. */
static bool map_permutes_domain(uint32_t *to, const search *c, const f2l_map_search *s)
{
    for (size_t i = 0; i < s->points; i++) {
        to[i] = c->place[s->image[i]];
        if (to[i] == NONE) return false;
    }
    return true;
}

static f2l_status keep_word(f2l_word_pair *out, size_t word, const f2l_map_search *s, size_t index,
                            f2l_error *err)
{
    size_t length = f2l_map_search_length(s, index);
    out->length[word] = length;
    out->letter[word] = f2l_calloc(length, sizeof *out->letter[word]);
    if (!out->letter[word]) return f2l_fail_memory(err);
    for (size_t i = index; i; i = s->parent[i]) out->letter[word][--length] = s->last[i];
    return F2L_OK;
}

/* Tries the newest permutation with each earlier one. A pair whose group exceeds a limit is
 * skipped. */
static f2l_status try_permutation_pairs(search *c, const f2l_map_search *s, f2l_error *err)
{
    const size_t newest = c->count - 1, points = s->points;
    uint32_t *two = f2l_calloc(2 * points, sizeof *two);
    f2l_status status = two ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && !c->out->group && !c->full && i < newest; i++) {
        memcpy(two, c->image + i * points, points * sizeof *two);
        memcpy(two + points, c->image + newest * points, points * sizeof *two);
        status = f2l_classify_name_unsolvable(&c->out->group, two, 2, points, c->task, err);
        c->full = ++c->tried * points >= PAIRS;
        if (status != F2L_OK || !c->out->group) continue;
        status = keep_word(c->out, 0, s, c->map[i], err);
        if (status == F2L_OK) status = keep_word(c->out, 1, s, c->map[newest], err);
    }
    f2l_free(two);
    return status;
}

static f2l_status meet_permutation(void *user, const f2l_map_search *s, f2l_error *err)
{
    search *c = user;
    uint32_t *image = f2l_realloc(c->image, (c->count + 1) * s->points, sizeof *image);
    if (image) c->image = image;
    size_t *map = f2l_realloc(c->map, c->count + 1, sizeof *map);
    if (map) c->map = map;
    if (!image || !map) return f2l_fail_memory(err);
    if (!map_permutes_domain(image + c->count * s->points, c, s)) return F2L_OK;
    map[c->count++] = s->count - 1;
    return try_permutation_pairs(c, s, err);
}

static bool pair_search_ends(const void *user, size_t length)
{
    const search *c = user;
    (void)length;
    return c->out->group || c->full;
}

static f2l_status explore_word_pairs(search *c, f2l_map_search *s, f2l_error *err)
{
    const size_t n = s->fsa->states.count;
    c->place = f2l_calloc(n, sizeof *c->place);
    if (!c->place) return f2l_fail_memory(err);
    for (size_t q = 0; q < n; q++) c->place[q] = NONE;
    for (size_t i = 0; i < s->points; i++) c->place[s->domain[i]] = (uint32_t)i;
    return f2l_map_search_run(s, &(f2l_map_test){c, meet_permutation, pair_search_ends}, c->task,
                              err);
}

/* Writes the letters' action on the points of a group form, in the form that the search reads. */
static f2l_status on_points(f2l_fsa *out, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t k = fsa->letters.count, n = fsa->points;
    *out = (f2l_fsa){
        .letters.count = k, .states.count = n, .next = f2l_calloc(n * k, sizeof *out->next)};
    if (!out->next) return f2l_fail_memory(err);
    for (size_t a = 0; a < k; a++)
        for (size_t q = 0; q < n; q++) out->next[q * k + a] = fsa->perm[a * n + q];
    return F2L_OK;
}

static f2l_status keep_set(f2l_word_pair *out, const uint32_t *domain, size_t points,
                           f2l_error *err)
{
    out->states = points;
    if (!domain) return F2L_OK;
    out->state = f2l_calloc(points, sizeof *out->state);
    if (!out->state) return f2l_fail_memory(err);
    memcpy(out->state, domain, points * sizeof *domain);
    return F2L_OK;
}

/* Searches one domain. All states are listed too, as the search leaves out maps that are not
 * injective on a list. */
static f2l_status find_on(f2l_word_pair *out, const f2l_fsa *fsa, const uint32_t *domain,
                          size_t points, size_t most, const f2l_task *task, f2l_error *err)
{
    search c = {.out = out, .task = task};
    f2l_map_search s;
    const size_t room = f2l_map_search_room(fsa, points, BYTES, task);
    uint32_t *all = domain ? NULL : f2l_calloc(points, sizeof *all);
    if (!domain && !all) return f2l_fail_memory(err);
    for (size_t q = 0; all && q < points; q++) all[q] = (uint32_t)q;
    f2l_status status =
        f2l_map_search_init(&s, fsa, domain ? domain : all, points, most < room ? most : room, err);
    if (status == F2L_OK) status = explore_word_pairs(&c, &s, err);
    f2l_map_search_clear(&s);
    f2l_free(all);
    f2l_free(c.place);
    f2l_free(c.image);
    f2l_free(c.map);
    return status;
}

f2l_status f2l_word_pair_find(f2l_word_pair *out, const f2l_fsa *fsa, const uint32_t *domain,
                              size_t points, size_t most, const f2l_task *task, f2l_error *err)
{
    f2l_fsa small = {0};
    const bool elements = fsa->track == F2L_TRACK_ELEMENTS && !domain;
    f2l_word_pair_init(out);
    f2l_status status = elements ? on_points(&small, fsa, err) : F2L_OK;
    if (status == F2L_OK)
        status = find_on(out, elements ? &small : fsa, domain,
                         domain     ? points
                         : elements ? fsa->points
                                    : fsa->states.count,
                         most, task, err);
    f2l_free(small.next);
    if (status == F2L_OK && out->group)
        status = keep_set(out, domain, domain ? points : fsa->states.count, err);
    if (status != F2L_OK) f2l_word_pair_clear(out);
    return status;
}
