/* The automaton of the elements that were read. */
#include "automata/fsa/letter.h"
#include "automata/import/gap/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Sets the number of points, and whether the letters are permutations; GAP has no semigroup of both
 * sorts. */
static f2l_status sort_and_degree(const f2l_gap *g, f2l_gap_kind *sort, size_t *degree,
                                  f2l_error *err)
{
    *sort = F2L_GAP_NOTHING;
    *degree = 1;
    for (size_t i = 0; i < g->elements; i++) {
        const f2l_gap_element *e = &g->element[i];
        const f2l_gap_kind k = e->kind == F2L_GAP_IDENTITY ? F2L_GAP_TRANSFORMATION : e->kind;
        if (*sort != F2L_GAP_NOTHING && *sort != k)
            return f2l_fail(
                err, F2L_EFORMAT,
                "letter %zu: permutations and transformations (or partial permutations) in "
                "one file",
                i + 1);
        *sort = k;
        if (e->size > *degree) *degree = e->size;
    }
    size_t entries;
    if (f2l_mul_size(&entries, *degree, g->elements) && entries <= F2L_IMPORT_MAX_EDGES)
        return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "%zu letters on %zu points are more than %zu transitions",
                    g->elements, *degree, F2L_IMPORT_MAX_EDGES);
}

/* Adds the letters' names to `letters`; a letter without a name is called by its number, where
 * numbers that are taken are passed over. */
static f2l_status name_gap_letters(const f2l_gap *g, f2l_names *letters, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t next = 0, index;
    for (size_t i = 0; i < g->elements && status == F2L_OK; i++) {
        char text[24];
        const char *name = text;
        if (g->element[i].name != F2L_NO_INDEX) {
            name = f2l_names_get(&g->names, g->element[i].name);
        } else {
            do f2l_letter_default(text, next++, g->elements);
            while (f2l_names_find(&g->names, text, strlen(text)) != F2L_NO_INDEX);
        }
        status = f2l_names_add(letters, name, strlen(name), &index, err);
    }
    return status;
}

static f2l_status build_points(const f2l_gap *g, f2l_nfa *nfa, size_t degree, f2l_error *err)
{
    f2l_status status = name_gap_letters(g, &nfa->letters, err);
    for (size_t point = 1; point <= degree && status == F2L_OK; point++) {
        f2l_buf name;
        size_t index;
        f2l_buf_init(&name);
        f2l_buf_size(&name, point);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = f2l_nfa_state(nfa, name.data, name.size, &index, err);
        f2l_buf_clear(&name);
    }
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    if (status == F2L_OK) nfa->is_start[0] = 1;
    for (size_t point = 1; point <= degree; point++)
        for (size_t letter = 0; letter < g->elements && status == F2L_OK; letter++) {
            const uint32_t image = f2l_gap_image(g, &g->element[letter], point);
            if (image > 0) status = f2l_nfa_add_edge(nfa, point - 1, letter, image - 1, err);
        }
    return status;
}

static f2l_status build_gap_group(const f2l_gap *g, f2l_nfa *nfa, size_t degree, size_t max_states,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_fsa *fsa = &nfa->group;
    nfa->is_group = true;
    fsa->track = F2L_TRACK_ELEMENTS;
    fsa->points = degree;
    fsa->perm = f2l_calloc(g->elements * degree, sizeof *fsa->perm);
    if (fsa->perm == NULL) return f2l_fail_memory(err);
    for (size_t letter = 0; letter < g->elements; letter++)
        for (size_t point = 0; point < degree; point++)
            fsa->perm[letter * degree + point] =
                f2l_gap_image(g, &g->element[letter], point + 1) - 1;
    f2l_status status = name_gap_letters(g, &fsa->letters, err);
    if (status != F2L_OK) return status;
    return f2l_fsa_from_permutations(fsa, 0, max_states == 0 ? 1000000 : max_states, task, err);
}

f2l_status f2l_gap_build(f2l_gap *g, size_t max_states, const f2l_task *task, f2l_error *err)
{
    f2l_gap_kind sort = F2L_GAP_NOTHING;
    size_t degree = 0;
    f2l_status status = sort_and_degree(g, &sort, &degree, err);
    if (status == F2L_OK)
        status = sort == F2L_GAP_PERMUTATION
                     ? build_gap_group(g, g->nfa, degree, max_states, task, err)
                     : build_points(g, g->nfa, degree, err);
    f2l_import_source(g->nfa, "GAP");
    return status;
}
