#include "automata/fsa/nfa.h"
#include "automata/fsa/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_nfa_init(f2l_nfa *nfa)
{
    *nfa = (f2l_nfa){0};
    f2l_names_init(&nfa->letters);
    f2l_names_init(&nfa->states);
    f2l_names_init(&nfa->outputs);
    f2l_names_init(&nfa->edge_outputs);
    f2l_fsa_init(&nfa->group);
}

void f2l_nfa_clear(f2l_nfa *nfa)
{
    f2l_names_clear(&nfa->letters);
    f2l_names_clear(&nfa->states);
    f2l_names_clear(&nfa->outputs);
    f2l_names_clear(&nfa->edge_outputs);
    f2l_free(nfa->edge);
    f2l_free(nfa->is_start);
    f2l_free(nfa->accept);
    f2l_free(nfa->output);
    f2l_fsa_clear(&nfa->group);
    f2l_nfa_init(nfa);
}

f2l_status f2l_nfa_state(f2l_nfa *nfa, const char *text, size_t size, size_t *index, f2l_error *err)
{
    return f2l_names_add(&nfa->states, text, size, index, err);
}

f2l_status f2l_nfa_letter(f2l_nfa *nfa, const char *text, size_t size, size_t *index,
                          f2l_error *err)
{
    return f2l_names_add(&nfa->letters, text, size, index, err);
}

f2l_status f2l_nfa_add_edge(f2l_nfa *nfa, size_t from, size_t letter, size_t to, f2l_error *err)
{
    if (!f2l_grow((void **)&nfa->edge, &nfa->edge_capacity, nfa->edges, sizeof *nfa->edge))
        return f2l_fail_memory(err);
    nfa->edge[nfa->edges++] =
        (f2l_edge){(uint32_t)from, (uint32_t)letter, (uint32_t)to, UINT32_MAX};
    return F2L_OK;
}

f2l_status f2l_nfa_close_states(f2l_nfa *nfa, f2l_error *err)
{
    const size_t n = nfa->states.count;
    const bool wants_output = nfa->outputs.count > 0 && !nfa->output;
    uint8_t *is_start = f2l_calloc(n, sizeof *is_start), *accept = f2l_calloc(n, sizeof *accept);
    uint32_t *output = wants_output ? f2l_calloc(n, sizeof *output) : NULL;
    if (!is_start || !accept || (wants_output && !output)) {
        f2l_free(is_start);
        f2l_free(accept);
        f2l_free(output);
        return f2l_fail_memory(err);
    }
    f2l_free(nfa->is_start);
    f2l_free(nfa->accept);
    nfa->is_start = is_start;
    nfa->accept = accept;
    if (wants_output) {
        memset(output, 0xFF, n * sizeof *output);
        nfa->output = output;
    }
    return F2L_OK;
}

static f2l_status copy_edges(f2l_nfa *out, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < n * k && status == F2L_OK; i++) {
        status = f2l_nfa_add_edge(out, i / k, i % k, fsa->next[i], err);
        if (status == F2L_OK && fsa->edge_output) out->edge[i].output = fsa->edge_output[i];
    }
    return status;
}

f2l_status f2l_nfa_from_fsa(f2l_nfa *out, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->states, &fsa->states, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->outputs, &fsa->outputs, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->edge_outputs, &fsa->edge_outputs, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(out, err);
    if (status == F2L_OK) status = copy_edges(out, fsa, err);
    if (status != F2L_OK) {
        f2l_nfa_clear(out);
        return status;
    }
    out->has_accept = fsa->has_accept;
    out->has_added = fsa->has_added;
    out->added = fsa->added;
    memcpy(out->added_source, fsa->source, sizeof out->added_source);
    out->is_start[fsa->start] = 1;
    memcpy(out->accept, fsa->accept, fsa->states.count * sizeof *fsa->accept);
    if (out->output) memcpy(out->output, fsa->output, fsa->states.count * sizeof *fsa->output);
    return F2L_OK;
}

static uint32_t sort_key(const f2l_edge *e, int field, size_t letters)
{
    if (field == 0) return e->to;
    if (field == 1) return e->letter == F2L_EPSILON ? (uint32_t)letters : e->letter;
    return e->from;
}

static bool edge_before(const f2l_edge *a, const f2l_edge *b)
{
    if (a->from != b->from) return a->from < b->from;
    if (a->letter != b->letter) return a->letter < b->letter;
    return a->to < b->to;
}

static bool is_sorted(const f2l_edge *edge, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (edge_before(&edge[i], &edge[i - 1])) return false;
    return true;
}

/* Sorts the edges by source, letter and target with three stable counting sorts: linear, and
 * without a comparison per pair. */
static bool sort_edges(f2l_edge *edge, size_t n, size_t states, size_t letters)
{
    if (is_sorted(edge, n)) return true;
    const size_t keys = (states > letters ? states : letters) + 2;
    f2l_edge *other = f2l_calloc(n, sizeof *other), *from = edge, *to = other;
    size_t *place = f2l_calloc(keys, sizeof *place);
    if (other && place)
        for (int field = 0; field < 3; field++) {
            memset(place, 0, keys * sizeof *place);
            for (size_t i = 0; i < n; i++) place[sort_key(&from[i], field, letters) + 1]++;
            for (size_t i = 1; i < keys; i++) place[i] += place[i - 1];
            for (size_t i = 0; i < n; i++)
                to[place[sort_key(&from[i], field, letters)]++] = from[i];
            f2l_edge *swap = from;
            from = to;
            to = swap;
        }
    const bool ok = other && place;
    if (ok) memcpy(edge, other, n * sizeof *edge); /* an odd number of passes ends there */
    f2l_free(other);
    f2l_free(place);
    return ok;
}

/* Removes repeated edges. Two edges that differ only in their outputs remain, so the automaton is
 * then not deterministic. */
static void drop_duplicates(f2l_edge_index *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->edges; i++)
        if (kept == 0 || edge_before(&x->edge[kept - 1], &x->edge[i]) ||
            x->edge[kept - 1].output != x->edge[i].output)
            x->edge[kept++] = x->edge[i];
    x->edges = kept;
}

static void find_first_edges(f2l_edge_index *x, size_t states)
{
    size_t at = 0;
    for (size_t s = 0; s < states; s++) {
        x->first[s] = at;
        while (at < x->edges && x->edge[at].from == s) at++;
    }
    x->first[states] = at;
}

/* Numbers the states that the start states reach through any edges. */
static bool find_reachable(f2l_edge_index *x, const f2l_nfa *nfa)
{
    const size_t n = nfa->states.count;
    uint32_t *stack = f2l_calloc(n, sizeof *stack);
    if (!stack) return false;
    size_t height = 0;
    memset(x->number, 0xFF, n * sizeof *x->number);
    for (size_t s = 0; s < n; s++)
        if (nfa->is_start[s]) {
            x->number[s] = 0;
            stack[height++] = (uint32_t)s;
        }
    while (height > 0) {
        const uint32_t s = stack[--height];
        for (size_t i = x->first[s]; i < x->first[s + 1]; i++) {
            const uint32_t t = x->edge[i].to;
            if (x->number[t] != UINT32_MAX) continue;
            x->number[t] = 0;
            stack[height++] = t;
        }
    }
    f2l_free(stack);
    x->reachable = 0;
    for (size_t s = 0; s < n; s++)
        if (x->number[s] != UINT32_MAX) x->number[s] = (uint32_t)x->reachable++;
    return true;
}

static void drop_unreachable(f2l_edge_index *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->edges; i++)
        if (x->number[x->edge[i].from] != UINT32_MAX) x->edge[kept++] = x->edge[i];
    x->edges = kept;
}

f2l_status f2l_edge_index_build(f2l_edge_index *x, const f2l_nfa *nfa, f2l_error *err)
{
    const size_t n = nfa->states.count;
    x->edges = nfa->edges;
    x->edge = f2l_calloc(nfa->edges, sizeof *x->edge);
    x->first = f2l_calloc(n + 1, sizeof *x->first);
    x->number = f2l_calloc(n, sizeof *x->number);
    bool ok = x->edge && x->first && x->number;
    if (ok && nfa->edges > 0) {
        memcpy(x->edge, nfa->edge, nfa->edges * sizeof *x->edge);
        ok = sort_edges(x->edge, x->edges, n, nfa->letters.count);
    }
    if (ok) {
        drop_duplicates(x);
        find_first_edges(x, n);
        ok = find_reachable(x, nfa);
    }
    if (!ok) {
        f2l_edge_index_clear(x);
        return f2l_fail_memory(err);
    }
    if (x->reachable < n) {
        drop_unreachable(x);
        find_first_edges(x, n);
    }
    return F2L_OK;
}

void f2l_edge_index_clear(f2l_edge_index *x)
{
    f2l_free(x->edge);
    f2l_free(x->first);
    f2l_free(x->number);
    *x = (f2l_edge_index){0};
}
