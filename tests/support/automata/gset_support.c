#include "tests/support/automata/gset_support.h"

void check_carries(const f2l_gset *g, const f2l_fsa *fsa)
{
    const size_t letters = fsa->letters.count, states = fsa->states.count, n = g->points;
    cr_assert_eq(g->letters, letters);
    cr_assert_eq(g->orbit[0], 0);
    cr_assert_eq(g->orbit[g->orbits], n);
    for (size_t a = 0; a < letters; a++) {
        cr_assert(f2l_perm_is_permutation(g->image + a * n, n));
        for (size_t o = 0; o < g->orbits; o++) {
            for (size_t p = g->orbit[o]; p < g->orbit[o + 1]; p++) {
                const uint32_t to = g->image[a * n + p];
                cr_assert(to >= g->orbit[o] && to < g->orbit[o + 1]);
            }
        }
    }
    uint32_t *row = calloc(states * n, sizeof *row), *queue = calloc(states, sizeof *queue);
    bool *seen = calloc(states, sizeof *seen);
    size_t count = 0;
    queue[count++] = (uint32_t)fsa->start;
    seen[fsa->start] = true;
    for (size_t p = 0; p < n; p++) {
        row[fsa->start * n + p] = g->code[p];
        cr_assert(g->code[p] < g->colours);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t a = 0; a < letters; a++) {
            const uint32_t q = queue[i], to = fsa->next[q * letters + a];
            for (size_t p = 0; p < n; p++) {
                uint32_t *entry = &row[to * n + g->image[a * n + p]];
                if (!seen[to]) *entry = row[q * n + p];
                cr_assert_eq(*entry, row[q * n + p], "state %u letter %zu", q, a);
            }
            if (!seen[to]) queue[count++] = to;
            seen[to] = true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            cr_assert(memcmp(row + queue[i] * n, row + queue[j] * n, n * sizeof *row) != 0,
                      "states %u %u", queue[i], queue[j]);
        }
    }
    free(row);
    free(queue);
    free(seen);
}

void smallest(f2l_gset *g, const f2l_fsa *fsa, uint64_t work)
{
    f2l_error err = {0};
    f2l_gset_init(g);
    cr_assert_eq(f2l_gset_smallest(g, fsa, work, NULL, &err), F2L_OK, "%s", err.text);
}

void open_table(f2l_fsa *fsa, const uint32_t *image, size_t n, size_t letters)
{
    char name[24];
    size_t index;
    f2l_fsa_init(fsa);
    for (size_t a = 0; a < letters; a++) {
        const int size = snprintf(name, sizeof name, "a%zu", a);
        cr_assert_eq(f2l_names_add(&fsa->letters, name, (size_t)size, &index, NULL), F2L_OK);
    }
    for (size_t q = 0; q < n; q++) {
        const int size = snprintf(name, sizeof name, "%zu", q + 1);
        cr_assert_eq(f2l_names_add(&fsa->states, name, (size_t)size, &index, NULL), F2L_OK);
    }
    fsa->next = f2l_calloc(n * letters, sizeof *fsa->next);
    fsa->accept = f2l_calloc(n, 1);
    for (size_t q = 0; q < n; q++) {
        for (size_t a = 0; a < letters; a++) fsa->next[q * letters + a] = image[a * n + q];
    }
}
