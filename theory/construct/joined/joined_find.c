/* Which levels of a cascade can be one layer: the letters (a, X) of a level, and a form for them.
 */
#include "numeric/base/mem.h"
#include "theory/construct/contraction/contraction.h"
#include "theory/construct/joined/joined.h"
#include <string.h>

/* The letters (a, X) of a level as partial maps of the states; X is a mask. */
typedef struct stages {
    const f2l_cascade *of;
    size_t level, states, letters, capacity;
    uint32_t *symbol; /* [letters] a */
    uint64_t *set;    /* [letters] X */
    uint32_t *next;   /* [states][letters] */
    uint8_t *domain;  /* [letters][states] */
    uint8_t *apart;   /* [states][states] */
} stages;

static void stages_clear(stages *s)
{
    f2l_free(s->symbol);
    f2l_free(s->set);
    f2l_free(s->next);
    f2l_free(s->domain);
    f2l_free(s->apart);
    *s = (stages){0};
}

static uint64_t members(const f2l_cascade *c, uint32_t set)
{
    return *f2l_subsets_get(&c->sets, set);
}

/* Returns whether the letter leads all members of X to one state, which any form allows. */
static bool letter_is_constant(const f2l_cascade *c, uint32_t letter, uint64_t set)
{
    const size_t letters = c->fsa->letters.count;
    const uint32_t *next = c->fsa->next + letter;
    const size_t first = (size_t)__builtin_ctzll(set);
    for (uint64_t rest = set; rest; rest &= rest - 1)
        if (next[(size_t)__builtin_ctzll(rest) * letters] != next[first * letters]) return false;
    return true;
}

/* Returns the letter whose set holds X, or the number of letters. */
static size_t find_set_letter(const stages *s, uint32_t symbol, uint64_t set)
{
    size_t w = 0;
    while (w < s->letters && (s->symbol[w] != symbol || (set & ~s->set[w]) != 0)) w++;
    return w;
}

static f2l_status add_set_letter(stages *s, uint32_t symbol, uint64_t set, f2l_error *err)
{
    if (find_set_letter(s, symbol, set) < s->letters) return F2L_OK;
    size_t kept = 0;
    for (size_t w = 0; w < s->letters; w++) {
        if (s->symbol[w] == symbol && (s->set[w] & ~set) == 0) continue;
        s->symbol[kept] = s->symbol[w];
        s->set[kept++] = s->set[w];
    }
    s->letters = kept;
    if (kept == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 16;
        uint32_t *symbols = f2l_realloc(s->symbol, s->capacity, sizeof *symbols);
        if (symbols) s->symbol = symbols;
        uint64_t *sets = f2l_realloc(s->set, s->capacity, sizeof *sets);
        if (sets) s->set = sets;
        if (!symbols || !sets) return f2l_fail_memory(err);
    }
    s->symbol[s->letters] = symbol;
    s->set[s->letters++] = set;
    return F2L_OK;
}

/* Adds the letters of the level's contexts: with `all`, also those that any form allows. */
static f2l_status add_context_letters(stages *s, bool all, f2l_error *err)
{
    const f2l_level *level = &s->of->level[s->level - 1];
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < level->contexts; i++) {
        const f2l_context *x = &level->context[i];
        const uint64_t set = members(s->of, x->from);
        if (all || !letter_is_constant(s->of, x->letter, set))
            status = add_set_letter(s, x->letter, set, err);
    }
    return status;
}

/* Marks the pairs of states in one stage. */
static void mark_pairs(stages *s, uint32_t set)
{
    const uint64_t all = members(s->of, set);
    for (uint64_t p = all; p; p &= p - 1)
        for (uint64_t q = all; q; q &= q - 1) {
            const size_t i = (size_t)__builtin_ctzll(p), j = (size_t)__builtin_ctzll(q);
            if (i != j) s->apart[i * s->states + j] = 1;
        }
}

/* Writes the letters as partial maps. */
static f2l_status write_maps(stages *s, f2l_maps *out, f2l_error *err)
{
    const size_t n = s->states, k = s->of->fsa->letters.count;
    f2l_free(s->next);
    f2l_free(s->domain);
    f2l_free(s->apart);
    s->next = f2l_calloc(n * (s->letters + 1), sizeof *s->next);
    s->domain = f2l_calloc(n * (s->letters + 1), 1);
    s->apart = f2l_calloc(n * n, 1);
    if (!s->next || !s->domain || !s->apart) return f2l_fail_memory(err);
    for (size_t w = 0; w < s->letters; w++)
        for (size_t q = 0; q < n; q++) {
            s->next[q * s->letters + w] = s->of->fsa->next[q * k + s->symbol[w]];
            s->domain[w * n + q] = s->set[w] >> q & 1;
        }
    const f2l_level *level = &s->of->level[s->level - 1];
    for (size_t i = 0; i < level->contexts; i++) {
        mark_pairs(s, level->context[i].from);
        mark_pairs(s, level->context[i].to);
    }
    *out = (f2l_maps){.states = n,
                      .letters = s->letters,
                      .next = s->next,
                      .domain = s->domain,
                      .apart = s->apart};
    return F2L_OK;
}

/* --- a level --- */

/* Gives equal codes the same place: *place[states], out->state[places]. */
static f2l_status find_code_places(f2l_joined *out, uint32_t *place, size_t *places, f2l_error *err)
{
    const f2l_code_space *space = &out->codes.space;
    out->state = f2l_calloc(space->states, sizeof *out->state);
    if (!out->state) return f2l_fail_memory(err);
    *places = 0;
    for (size_t q = 0; q < space->states; q++) {
        bool same = false;
        for (place[q] = 0; place[q] < *places; place[q]++) {
            const size_t p = out->state[place[q]];
            same = true;
            for (slong i = 0; same && i < (slong)space->dim; i++)
                same = fmpq_equal(fmpq_mat_entry(space->code, (slong)p, i),
                                  fmpq_mat_entry(space->code, (slong)q, i));
            if (same) break;
        }
        if (!same) out->state[(*places)++] = q;
    }
    return F2L_OK;
}

/* Writes the letter of every context of the joined level. */
static f2l_status find_contexts(f2l_joined *out, const stages *s, f2l_error *err)
{
    const f2l_level *level = &out->cascade.level[s->level - 1];
    out->letter = f2l_calloc(level->contexts, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    for (size_t i = 0; i < level->contexts; i++) {
        const f2l_context *x = &level->context[i];
        const size_t w = find_set_letter(s, x->letter, members(&out->cascade, x->from));
        if (w == s->letters)
            return f2l_fail(err, F2L_EDOMAIN, "context %zu of the joined level is new", i + 1);
        out->letter[i] = (uint32_t)w;
    }
    return F2L_OK;
}

/* Makes codes for all letters of the level, and the joined cascade. */
static f2l_status join_levels(f2l_joined *out, stages *s, const fmpq_mat_t form,
                              const f2l_task *task, f2l_error *err)
{
    f2l_maps maps;
    size_t places = 0;
    uint32_t *place = f2l_calloc(s->states, sizeof *place);
    f2l_status status = place ? add_context_letters(s, true, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = write_maps(s, &maps, err);
    if (status == F2L_OK) status = f2l_contraction_init(&out->codes, &maps, form, task, err);
    if (status == F2L_OK) status = find_code_places(out, place, &places, err);
    if (status == F2L_OK)
        status = f2l_cascade_join(&out->cascade, s->of, s->level, place, places, task, err);
    if (status == F2L_OK) status = find_contexts(out, s, err);
    if (status == F2L_OK) out->start = place[s->of->fsa->start];
    f2l_free(place);
    return status;
}

/* Joins the levels from `level` on, where a form is found; `out` may be NULL. */
static f2l_status try_level(bool *found, f2l_joined *out, const f2l_cascade *of, size_t level,
                            const f2l_task *task, f2l_error *err)
{
    stages s = {.of = of, .level = level, .states = of->sets.states};
    f2l_maps maps;
    f2l_separation separation;
    *found = false;
    f2l_separation_init(&separation);
    f2l_status status = add_context_letters(&s, false, err);
    if (status == F2L_OK && s.letters <= F2L_JOINED_LETTERS) {
        status = write_maps(&s, &maps, err);
        if (status == F2L_OK) status = f2l_separation_build(&separation, &maps, task, err);
        *found = status == F2L_OK && separation.verdict == F2L_SEPARATION_FEASIBLE;
        if (*found && out) status = join_levels(out, &s, separation.form, task, err);
    }
    f2l_separation_clear(&separation);
    stages_clear(&s);
    return status;
}

f2l_status f2l_joined_find(f2l_joined *out, const f2l_cascade *of, size_t first, size_t below,
                           const f2l_task *task, f2l_error *err)
{
    const size_t end = below > 0 && below < of->levels ? below : of->levels;
    f2l_status status = F2L_OK;
    bool found = false;
    if (of->sets.states > F2L_CONTRACTION_STATES)
        return f2l_fail(err, F2L_UNKNOWN, "forms are sought for at most %d states",
                        F2L_CONTRACTION_STATES);
    /* A form for a level is one for all later levels, whose contexts have smaller sets: where there
     * are several, the last one is tried first. */
    const size_t start = first > 2 ? first : 2;
    bool later = start + 1 == end;
    if (start + 1 < end) status = try_level(&later, NULL, of, end - 1, task, err);
    for (size_t level = start; status == F2L_OK && later && !found && level < end; level++)
        status = try_level(&found, out, of, level, task, err);
    out->levels = of->levels;
    if (status == F2L_OK && !found)
        status = f2l_fail(err, F2L_EDOMAIN, "no levels of the cascade were found to be one layer%s",
                          end < of->levels ? " and to save more than other rows do" : "");
    if (status != F2L_OK) f2l_joined_clear(out);
    return status;
}

void f2l_joined_clear(f2l_joined *joined)
{
    f2l_cascade_clear(&joined->cascade);
    f2l_contraction_clear(&joined->codes);
    f2l_free(joined->letter);
    f2l_free(joined->state);
    memset(joined, 0, sizeof *joined);
}

f2l_status f2l_joined_layer(f2l_layer *layer, const void *joined, f2l_error *err)
{
    const f2l_joined *j = joined;
    f2l_head *head = &layer->head[0];
    f2l_status status = f2l_contraction_head(head, &j->codes, j->state[j->start], err);
    for (size_t x = 0; status == F2L_OK && x < layer->letters; x++)
        status = f2l_contraction_letter(&head->letter[x], &j->codes, j->letter[x], err);
    for (size_t i = 0; status == F2L_OK && i < layer->codes; i++)
        status = f2l_contraction_code(&layer->code[i], &j->codes, j->state[i], err);
    return status;
}
