/* The group form expanded to states: the points, or the group elements breadth-first. */
#include "automata/fsa/fsa.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/perm.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

static f2l_status check_given_permutations(const f2l_fsa *fsa, size_t start_point, f2l_error *err)
{
    if (fsa->letters.count == 0)
        return f2l_fail(err, F2L_EDOMAIN, "no letters: expected at least one permutation");
    if (fsa->points == 0 || fsa->points >= UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "%zu is not a number of points to permute", fsa->points);
    if (fsa->track == F2L_TRACK_POINTS && start_point >= fsa->points)
        return f2l_fail(err, F2L_EDOMAIN, "the start point must be one of 1..%zu", fsa->points);
    for (size_t a = 0; a < fsa->letters.count; a++) {
        if (f2l_perm_is_permutation(fsa->perm + a * fsa->points, fsa->points)) continue;
        char shown[F2L_SHOWN];
        const char *name = f2l_names_get(&fsa->letters, a);
        return f2l_fail(err, F2L_EDOMAIN, "letter `%s` does not permute the points",
                        f2l_shown(shown, name, strlen(name)));
    }
    return F2L_OK;
}

static f2l_status expand_points(f2l_fsa *fsa, size_t start_point, size_t max_states,
                                const f2l_task *task, f2l_error *err)
{
    const size_t n = fsa->points, k = fsa->letters.count;
    if (n > max_states)
        return f2l_fail(err, F2L_UNKNOWN, "%zu points are more than the limit of %zu states", n,
                        max_states);
    f2l_status status = f2l_fsa_table(&fsa->next, n, k, task, err);
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t p = 0; p < n && status == F2L_OK; p++) {
        for (size_t a = 0; a < k; a++) fsa->next[p * k + a] = fsa->perm[a * n + p];
        name.size = 0;
        f2l_buf_size(&name, p + 1);
        size_t index;
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&fsa->states, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    fsa->start = start_point;
    return status;
}

/* Makes room for `rows` rows of fsa->next, one for each element whose products are known. */
static bool reserve_element_rows(f2l_fsa *fsa, size_t *capacity, size_t rows)
{
    if (rows <= *capacity) return true;
    const size_t more = *capacity ? *capacity * 2 : 64;
    size_t entries;
    if (!f2l_mul_size(&entries, more, fsa->letters.count)) return false;
    uint32_t *next = f2l_realloc(fsa->next, entries, sizeof *next);
    if (!next) return false;
    fsa->next = next;
    *capacity = more;
    return true;
}

/* Finds the products of element g with all letters: g followed by letter w sends p to w[g[p]]
 * (right action). */
static f2l_status multiply_by_letters(f2l_rowset *elements, uint32_t *product, f2l_fsa *fsa,
                                      size_t g, f2l_error *err)
{
    const size_t n = fsa->points, k = fsa->letters.count;
    for (size_t a = 0; a < k; a++) {
        const uint32_t *image = f2l_rowset_get(elements, g, NULL), *letter = fsa->perm + a * n;
        for (size_t p = 0; p < n; p++) product[p] = letter[image[p]];
        size_t index = 0;
        const f2l_status status = f2l_rowset_add(elements, product, n, &index, err);
        if (status != F2L_OK) return status;
        fsa->next[g * k + a] = (uint32_t)index;
    }
    return F2L_OK;
}

static f2l_status enumerate_elements(f2l_rowset *elements, uint32_t *product, f2l_fsa *fsa,
                                     size_t max_states, const f2l_task *task, f2l_error *err)
{
    static const char phase[] = "group elements";
    size_t capacity = 0, index;
    for (size_t p = 0; p < fsa->points; p++) product[p] = (uint32_t)p;
    f2l_status status = f2l_rowset_add(elements, product, fsa->points, &index, err);
    for (size_t g = 0; g < elements->count && status == F2L_OK; g++) {
        if (g % 1024 == 0) {
            const size_t bytes =
                f2l_rowset_bytes(elements) + capacity * fsa->letters.count * sizeof *fsa->next;
            status = f2l_task_poll(task, phase, (double)g, 0, err);
            if (status == F2L_OK) status = f2l_task_memory(task, phase, bytes, err);
        }
        if (status == F2L_OK)
            status = reserve_element_rows(fsa, &capacity, g + 1)
                         ? multiply_by_letters(elements, product, fsa, g, err)
                         : f2l_fail_memory(err);
        if (status == F2L_OK && elements->count > max_states)
            status = f2l_fail(err, F2L_UNKNOWN, "the letters generate more than %zu group elements",
                              max_states);
    }
    return status;
}

static f2l_status name_elements(f2l_fsa *fsa, const f2l_rowset *elements, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_status status = F2L_OK;
    for (size_t g = 0; g < elements->count && status == F2L_OK; g++) {
        name.size = 0;
        f2l_perm_write(&name, f2l_rowset_get(elements, g, NULL), fsa->points);
        status = f2l_buf_status(&name, err);
        size_t index;
        if (status == F2L_OK)
            status = f2l_names_add(&fsa->states, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}

static f2l_status expand_elements(f2l_fsa *fsa, size_t max_states, const f2l_task *task,
                                  f2l_error *err)
{
    f2l_rowset elements;
    f2l_rowset_init(&elements);
    uint32_t *product = f2l_calloc(fsa->points, sizeof *product);
    f2l_status status = product ? enumerate_elements(&elements, product, fsa, max_states, task, err)
                                : f2l_fail_memory(err);
    if (status == F2L_OK) status = name_elements(fsa, &elements, err);
    f2l_free(product);
    f2l_rowset_clear(&elements);
    fsa->start = 0;
    return status;
}

f2l_status f2l_fsa_from_permutations(f2l_fsa *fsa, size_t start_point, size_t max_states,
                                     const f2l_task *task, f2l_error *err)
{
    if (max_states == 0) max_states = F2L_MAX_STATES;
    f2l_names_clear(&fsa->states);
    f2l_free(fsa->next);
    f2l_free(fsa->accept);
    fsa->next = NULL;
    fsa->accept = NULL;
    f2l_status status = check_given_permutations(fsa, start_point, err);
    if (status == F2L_OK)
        status = fsa->track == F2L_TRACK_POINTS
                     ? expand_points(fsa, start_point, max_states, task, err)
                     : expand_elements(fsa, max_states, task, err);
    if (status == F2L_OK) {
        fsa->accept = f2l_calloc(fsa->states.count, sizeof *fsa->accept);
        if (!fsa->accept) status = f2l_fail_memory(err);
    }
    if (status != F2L_OK) {
        f2l_names_clear(&fsa->states);
        f2l_free(fsa->next);
        fsa->next = NULL;
    }
    return status;
}
