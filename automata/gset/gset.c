#include "automata/fsa/fsa_build.h"
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WORK UINT64_C(200000000)
/* Largest number of entries of a colour matrix, 64 MiB. */
#define MAX_ENTRIES ((size_t)1 << 24)

void f2l_gset_init(f2l_gset *g)
{
    *g = (f2l_gset){0};
}

void f2l_gset_clear(f2l_gset *g)
{
    f2l_free(g->image);
    f2l_free(g->orbit);
    f2l_free(g->code);
    f2l_gset_init(g);
}

/* Finds the first letter under which two reached states share an image. */
static bool find_merge(const f2l_fsa *fsa, const f2l_reach *reach, uint32_t *source,
                       f2l_merge *merge)
{
    for (size_t a = 0; a < fsa->letters.count; a++) {
        memset(source, 0xff, reach->states * sizeof *source);
        for (size_t i = 0; i < reach->states; i++) {
            uint32_t q = reach->state[i];
            uint32_t to = reach->position[fsa->next[(size_t)q * fsa->letters.count + a]];
            if (source[to] != UINT32_MAX) {
                *merge = (f2l_merge){.letter = a, .state1 = source[to], .state2 = q};
                return true;
            }
            source[to] = q;
        }
    }
    return false;
}

bool f2l_fsa_is_permutation(const f2l_fsa *fsa, f2l_merge *merge)
{
    f2l_reach reach;
    f2l_merge found = {.letter = F2L_NO_INDEX};
    bool is = false;
    if (f2l_reach_init(&reach, fsa, NULL) == F2L_OK) {
        uint32_t *source = f2l_calloc(reach.states, sizeof *source);
        is = source != NULL && !find_merge(fsa, &reach, source, &found);
        f2l_free(source);
        f2l_reach_clear(&reach);
    }
    if (!is && merge != NULL) *merge = found;
    return is;
}

f2l_status f2l_merge_fail(const f2l_fsa *fsa, const f2l_merge *merge, f2l_error *err)
{
    if (merge->letter == F2L_NO_INDEX) return f2l_fail_memory(err);
    char letter[F2L_SHOWN], state1[F2L_SHOWN], state2[F2L_SHOWN], to[F2L_SHOWN];
    const char *name = f2l_names_get(&fsa->letters, merge->letter);
    f2l_shown(letter, name, strlen(name));
    name = f2l_names_get(&fsa->states, merge->state1);
    f2l_shown(state1, name, strlen(name));
    name = f2l_names_get(&fsa->states, merge->state2);
    f2l_shown(state2, name, strlen(name));
    name =
        f2l_names_get(&fsa->states, fsa->next[merge->state1 * fsa->letters.count + merge->letter]);
    f2l_shown(to, name, strlen(name));
    return f2l_fail(
        err, F2L_EDOMAIN,
        "not a permutation automaton: letter '%s' merges states '%s' and '%s' (both go to '%s'), "
        "which needs a cascade (T4)",
        letter, state1, state2, to);
}

/* Everything that f2l_gset_smallest holds. */
typedef struct finding {
    const f2l_fsa *fsa;
    f2l_gset_bases bases;
    f2l_gset_part *part; /* of the representation at hand */
    size_t parts;
    bool from_points; /* the default is the moved points of the file */
    f2l_gset_search search;
    f2l_gset_work work;
} finding;

static void finding_clear(finding *f)
{
    f2l_gset_search_clear(&f->search);
    f2l_free(f->part);
    f2l_gset_bases_clear(&f->bases);
}

/* Sets *worst to the most reflections of a letter on the disjoint union of bases first .. end-1. */
static f2l_status union_reflections(size_t *worst, const finding *f, size_t first, size_t end,
                                    f2l_error *err)
{
    size_t most = 1;
    *worst = 0;
    for (size_t b = first; b < end; b++)
        most = f->bases.base[b].points > most ? f->bases.base[b].points : most;
    uint8_t *seen = f2l_calloc(most, 1);
    if (seen == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < f->bases.base[0].letters; a++) {
        size_t sum = 0;
        for (size_t b = first; b < end; b++)
            sum += f->bases.base[b].points - f2l_gset_action_cycles(&f->bases.base[b], a, seen);
        if (sum > *worst) *worst = sum;
    }
    f2l_free(seen);
    return F2L_OK;
}

/* Starts from the representation that needs no search: the states, or all points that move when
 * group elements are tracked. */
static f2l_status start_from_default(finding *f, f2l_error *err)
{
    f2l_gset_search *s = &f->search;
    s->points = f->bases.base[0].points;
    s->regular = f->fsa->track == F2L_TRACK_ELEMENTS;
    f2l_status status = union_reflections(&s->reflections, f, 0, 1, err);
    if (status != F2L_OK || !s->regular || f->bases.bases == 1) return status;
    size_t reflections;
    status = union_reflections(&reflections, f, 1, f->bases.bases, err);
    f->from_points = f->bases.moved < s->points ||
                     (f->bases.moved == s->points && reflections <= s->reflections);
    if (f->from_points) {
        s->points = f->bases.moved;
        s->reflections = reflections;
    }
    return status;
}

static f2l_status set_parts(finding *f, size_t parts, f2l_error *err)
{
    f2l_free(f->part);
    f->part = f2l_calloc(parts, sizeof *f->part);
    f->parts = f->part != NULL ? parts : 0;
    return f->part != NULL ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status default_parts(finding *f, f2l_error *err)
{
    f2l_status status = set_parts(f, f->from_points ? f->bases.bases - 1 : 1, err);
    for (size_t i = 0; i < f->parts; i++) {
        size_t b = f->from_points ? i + 1 : 0;
        f->part[i] = (f2l_gset_part){.base = b, .blocks = f->bases.base[b].points};
    }
    return status;
}

/* Orders points of the file first, then larger quotients after smaller ones. */
static int compare_parts(const void *x, const void *y)
{
    const f2l_gset_part *a = x, *b = y;
    size_t base_a = a->base - 1, base_b = b->base - 1; /* the states, base 0, come last */
    if (base_a != base_b) return base_a < base_b ? -1 : 1;
    return (a->blocks > b->blocks) - (a->blocks < b->blocks);
}

static f2l_status chosen_parts(finding *f, const f2l_gset_choice *choice, f2l_error *err)
{
    f2l_status status = set_parts(f, choice->count, err);
    for (size_t i = 0; i < f->parts; i++) {
        const f2l_gset_candidate *c = &f->search.pool.item[choice->item[i]];
        bool whole = c->blocks == f->bases.base[c->base].points;
        f->part[i] =
            (f2l_gset_part){.base = c->base, .blocks = c->blocks, .label = whole ? NULL : c->label};
    }
    if (status == F2L_OK) qsort(f->part, f->parts, sizeof *f->part, compare_parts);
    return status;
}

static void describe_finding(char *text, size_t size, const finding *f)
{
    size_t used = 0, whole = 0;
    text[0] = '\0';
    bool file = f->fsa->track != F2L_TRACK_STATES;
    for (size_t i = 0; i < f->parts; i++) {
        const size_t base = f->part[i].base;
        bool points = base > 0 ? base < f->bases.sets : f->fsa->track == F2L_TRACK_POINTS;
        if (f->part[i].label == NULL && points) whole += f->part[i].blocks;
    }
    if (whole > 0 && whole == f->fsa->points) {
        used = (size_t)snprintf(text, size, "the %zu points of the file", whole);
    } else if (whole > 0) {
        used = (size_t)snprintf(text, size, "%zu of the %zu points of the file", whole,
                                f->fsa->points);
    }
    for (size_t i = 0; i < f->parts && used + 48 < size; i++) {
        const f2l_gset_part *p = &f->part[i];
        const bool sets = p->base >= f->bases.sets;
        bool points = file && !sets && (p->base > 0 || f->fsa->track == F2L_TRACK_POINTS);
        if (p->label == NULL && points) continue;
        const char *plus = used > 0 ? " + " : "";
        const char *what = points ? "points" : sets ? "sets of states" : "states";
        if (used + 96 >= size && i + 1 < f->parts) {
            snprintf(text + used, size - used, "%s%zu more", plus, f->parts - i);
            return;
        }
        if (p->label == NULL && p->blocks == 1) {
            used += (size_t)snprintf(text + used, size - used, "%sthe only state", plus);
        } else if (p->label == NULL) {
            used += (size_t)snprintf(text + used, size - used, "%s%s%zu %s", plus,
                                     sets ? "" : "the ", p->blocks, what);
        } else {
            used += (size_t)snprintf(text + used, size - used, "%s%zu blocks of %zu %s", plus,
                                     p->blocks, f->bases.base[p->base].points / p->blocks, what);
        }
    }
}

/* Assembles f->part and gives it a code. *good is false when the colouring by all letters does not
 * tell states apart, or is too long to compute. */
static f2l_status finish_finding(f2l_gset *out, bool *good, finding *f, f2l_error *err)
{
    size_t states = f->bases.base[0].points, entries;
    f2l_gset_clear(out);
    f2l_status status = f2l_gset_assemble(out, f->bases.base, f->part, f->parts, err);
    if (status != F2L_OK) return status;
    describe_finding(out->origin, sizeof out->origin, f);
    *good = true;
    if (f->parts == 1 && f->part[0].base == 0 && f->part[0].label == NULL) {
        out->code[f->bases.reach.start] = 1;
        out->colours = 2;
        return F2L_OK;
    }
    if (!f2l_mul_size(&entries, states, out->points) || entries > f->search.entries) {
        *good = f->search.regular;
        if (*good) f2l_gset_code_all(out);
        return F2L_OK;
    }
    status = f2l_task_spend(f->work.task, "searching permutation representations",
                            entries * sizeof(uint32_t), err);
    if (status != F2L_OK) return status;
    uint32_t *colour = f2l_calloc(entries, sizeof *colour);
    if (colour == NULL) return f2l_fail_memory(err);
    f2l_gset_action points = {.letters = out->letters, .points = out->points, .image = out->image};
    *good = f2l_gset_colours(colour, &f->bases.base[0], f->bases.reach.start, &points,
                             &f->bases.all, f->search.regular, &f->work);
    status = f->work.status;
    if (status == F2L_OK && *good) {
        status = f2l_gset_code(out, good, colour, states, f->bases.reach.start, err);
    } else if (status == F2L_OK && f->search.regular) {
        f2l_gset_code_all(out);
        *good = true;
    }
    f2l_free(colour);
    return status;
}

/* Searches once with the letters `some`; *found when the choice, coloured by all letters, is in
 * *out. */
static f2l_status search_once(f2l_gset *out, bool *found, finding *f, uint64_t work, f2l_error *err)
{
    f2l_gset_choice choice = {.points = f->search.points, .reflections = f->search.reflections};
    bool complete = false;
    size_t points = choice.points, reflections = choice.reflections;
    *found = false;
    f2l_status status = f2l_gset_search_run(&f->search, &f->work, err);
    f->work.left += work / 4;
    if (status == F2L_OK) {
        status = f2l_gset_pool_choose(&choice, &complete, &f->search.pool, f->bases.base[0].points,
                                      f->bases.base[0].letters, &f->work, err);
    }
    if (status == F2L_OK && choice.count > 0) {
        status = chosen_parts(f, &choice, err);
        f->work.left = 4 * work;
        f->work.stopped = false;
        if (status == F2L_OK) status = finish_finding(out, found, f, err);
    }
    bool bounded =
        choice.points <= f->bases.least_points && choice.reflections <= f->bases.least_reflections;
    out->exhausted =
        bounded || (f->search.complete && complete && f->search.skipped > choice.points);
    f2l_gset_choice_clear(&choice);
    f->search.points = points;
    f->search.reflections = reflections;
    return status;
}

/* Searches, and once more with all letters where `some` turn out to generate a smaller group: T3.5.
 */
static f2l_status search_all(f2l_gset *small, bool *found, finding *f, uint64_t work,
                             f2l_error *err)
{
    for (;;) {
        bool had_all = f->bases.some.count == f->bases.all.count; /* `some` may grow during the
                                                                     search */
        f->work.left = work;
        f->work.stopped = false;
        f2l_status status = search_once(small, found, f, work, err);
        if (status != F2L_OK || *found || small->points == 0) return status;
        small->exhausted = false;
        if (had_all || f->work.stopped) return F2L_OK;
        for (size_t a = 0; a < f->bases.all.count; a++) f2l_gset_letters_add(&f->bases.some, a);
        f2l_gset_search_clear(&f->search);
        f2l_gset_clear(small);
    }
}

/* Searches, and replaces *out by what is found. */
static f2l_status improve(f2l_gset *out, finding *f, uint64_t work, f2l_error *err)
{
    f2l_gset small;
    bool found = false;
    f2l_gset_init(&small);
    f2l_status status = search_all(&small, &found, f, work, err);
    out->exhausted = small.exhausted;
    if (status == F2L_OK && found) {
        f2l_gset_clear(out);
        *out = small;
    } else {
        f2l_gset_clear(&small);
    }
    return status;
}

/* Returns the most reflections of a letter; `seen` is scratch. */
static size_t reflections_of(const f2l_gset *g, uint8_t *seen)
{
    const f2l_gset_action all = {.letters = g->letters, .points = g->points, .image = g->image};
    size_t worst = 0;
    for (size_t a = 0; a < g->letters; a++) {
        const size_t reflections = g->points - f2l_gset_action_cycles(&all, a, seen);
        if (reflections > worst) worst = reflections;
    }
    return worst;
}

/* Searches orbits of sets, too, where fewer points than *out has may suffice. */
static f2l_status improve_by_sets(f2l_gset *out, finding *f, uint64_t work, f2l_error *err)
{
    f2l_gset_search *s = &f->search;
    if (s->regular || out->points <= f->bases.least_points) return F2L_OK;
    const bool exhausted = out->exhausted;
    f->work.left = work / 4;
    f->work.stopped = false;
    f2l_status status = f2l_gset_bases_add_sets(&f->bases, out->points, &f->work, err);
    const bool all = !f->work.stopped;
    if (status == F2L_OK && f->bases.bases > f->bases.sets) {
        uint8_t *seen = f2l_calloc(out->points, 1);
        if (!seen) return f2l_fail_memory(err);
        s->points = out->points;
        s->reflections = reflections_of(out, seen);
        f2l_free(seen);
        status = improve(out, f, work, err);
    }
    out->exhausted = out->exhausted && exhausted && all;
    return status;
}

static f2l_status find_smallest(f2l_gset *out, finding *f, uint64_t work, f2l_error *err)
{
    const f2l_gset_search *s = &f->search;
    bool found = false;
    f2l_status status = default_parts(f, err);
    if (status == F2L_OK) status = finish_finding(out, &found, f, err);
    out->exhausted =
        s->points <= f->bases.least_points && s->reflections <= f->bases.least_reflections;
    if (status != F2L_OK || out->exhausted) return status;
    status = improve(out, f, work, err);
    return status == F2L_OK ? improve_by_sets(out, f, work, err) : status;
}

f2l_status f2l_gset_smallest(f2l_gset *out, const f2l_fsa *fsa, uint64_t work, const f2l_task *task,
                             f2l_error *err)
{
    if (work == 0) work = DEFAULT_WORK;
    finding f = {.fsa = fsa, .work = {.left = work, .task = task, .err = err}};
    f2l_merge merge;
    f2l_gset_clear(out);
    if (!f2l_fsa_is_permutation(fsa, &merge)) return f2l_merge_fail(fsa, &merge, err);
    const uint64_t images = 16 * f2l_steps_of(fsa->states.count, fsa->letters.count); /* read a few
                                                                                         times */
    f2l_status status = f2l_task_spend(task, "searching permutation representations", images, err);
    if (status == F2L_OK) status = f2l_gset_bases_init(&f.bases, fsa, err);
    if (status == F2L_OK) {
        f.search.bases = &f.bases;
        f.search.entries = work < MAX_ENTRIES ? (size_t)work : MAX_ENTRIES;
        status = start_from_default(&f, err);
    }
    if (status == F2L_OK) status = find_smallest(out, &f, work, err);
    if (status != F2L_OK) f2l_gset_clear(out);
    finding_clear(&f);
    return status;
}
