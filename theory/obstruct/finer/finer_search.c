/* The graphs of states and of pairs in which patterns are sought. */
#include "numeric/base/mem.h"
#include "theory/obstruct/finer/impl.h"
#include <string.h>

#define PHASE "finer classes"
#define STEPS_PER_EDGE 3

static bool is_neutral(const f2l_fsa *fsa, size_t letter)
{
    for (size_t q = 0; q < fsa->states.count; q++)
        if (fsa->next[q * fsa->letters.count + letter] != q) return false;
    return true;
}

size_t f2l_finer_neutral(const f2l_fsa *fsa)
{
    size_t count = 0;
    for (size_t a = 0; a < fsa->letters.count; a++) count += is_neutral(fsa, a);
    return count;
}

/* Makes the part: the first letter of each class, without neutral ones unless they are wanted. */
static f2l_status make_part(finer_search *s, bool neutral, f2l_error *err)
{
    const f2l_fsa *fsa = s->fsa;
    const size_t n = fsa->states.count, k = fsa->letters.count;
    uint32_t *class_of = NULL;
    size_t classes, count = 0, entries;
    f2l_status status = f2l_fsa_letter_classes(&class_of, &classes, fsa, s->meter.task, err);
    if (status != F2L_OK) return status;
    s->letter = f2l_calloc(classes + 1, sizeof *s->letter);
    s->part.next =
        f2l_mul_size(&entries, n, classes) ? f2l_calloc(entries + 1, sizeof *s->part.next) : NULL;
    if (s->letter && s->part.next) {
        for (size_t a = 0, seen = 0; a < k; a++) {
            if (class_of[a] != seen) continue;
            seen++;
            if (neutral || !is_neutral(fsa, a)) s->letter[count++] = (uint32_t)a;
        }
        for (size_t q = 0; q < n; q++)
            for (size_t a = 0; a < count; a++)
                s->part.next[q * count + a] = fsa->next[q * k + s->letter[a]];
        s->part.states.count = n;
        s->part.letters.count = count;
        s->part.start = fsa->start;
    }
    const bool made = s->letter && s->part.next;
    f2l_free(class_of);
    return made ? F2L_OK : f2l_fail_memory(err);
}

static uint32_t lead_pair(const f2l_graph *graph, uint32_t pair, size_t letter)
{
    const f2l_fsa *part = graph->context;
    const uint32_t n = (uint32_t)part->states.count;
    const uint32_t p = pair / n, q = pair % n;
    if (p >= q) return F2L_NO_NODE;
    const uint32_t x = part->next[p * graph->letters + letter];
    const uint32_t y = part->next[q * graph->letters + letter];
    return x == y ? F2L_NO_NODE : x < y ? x * n + y : y * n + x;
}

static f2l_status find_pairs(finer_search *s, f2l_error *err)
{
    const size_t n = s->part.states.count, k = s->part.letters.count;
    const f2l_graph graph = {.nodes = n * n,
                             .letters = k,
                             .next = lead_pair,
                             .context = &s->part,
                             .steps = 2 + STEPS_PER_EDGE * k / 2};
    if (n > 46000)
        return f2l_fail(err, F2L_UNKNOWN, "finer classes are not sought beyond 46,000 states");
    f2l_status status = f2l_task_table(s->meter.task, PHASE, F2L_SCC_BYTES * n * n, err);
    if (status == F2L_OK) status = f2l_scc_build(&s->pairs, &graph, &s->meter, err);
    if (status != F2L_OK) return status;
    s->cyclic = f2l_calloc(s->pairs.count + 1, 1);
    if (!s->cyclic) return f2l_fail_memory(err);
    for (size_t c = 0; c < s->pairs.count; c++) {
        const uint32_t *member = s->pairs.member + s->pairs.first[c];
        s->cyclic[c] = s->pairs.first[c + 1] - s->pairs.first[c] > 1;
        for (size_t a = 0; a < k && !s->cyclic[c]; a++)
            s->cyclic[c] = lead_pair(&graph, *member, a) == *member;
    }
    return F2L_OK;
}

f2l_status f2l_finer_ancestors(finer_ancestors *out, const f2l_fsa *fsa, const f2l_scc *scc,
                               f2l_meter *meter, f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count, words = (n + 63) / 64;
    *out = (finer_ancestors){.words = words};
    f2l_status status = f2l_meter_spend(meter, n * (words * (k + 8) / 4 + k), 0, 0, err);
    if (status != F2L_OK) return status;
    out->row = f2l_calloc(n * words + 1, sizeof *out->row);
    if (!out->row) return f2l_fail_memory(err);
    /* Components above come first; the rows of a component are one once its members are in. */
    for (size_t c = scc->count; c-- > 0;) {
        const uint32_t *member = scc->member + scc->first[c];
        const size_t members = scc->first[c + 1] - scc->first[c];
        uint64_t *row = out->row + member[0] * words;
        for (size_t i = 0; i < members; i++) row[member[i] / 64] |= (uint64_t)1 << member[i] % 64;
        for (size_t i = 1; i < members; i++)
            for (size_t j = 0; j < words; j++) row[j] |= out->row[member[i] * words + j];
        for (size_t i = 1; i < members; i++)
            memcpy(out->row + member[i] * words, row, words * sizeof *row);
        for (size_t i = 0; i < members; i++)
            for (size_t a = 0; a < k; a++) {
                const uint32_t to = fsa->next[member[i] * k + a];
                if (scc->of[to] == c) continue;
                for (size_t j = 0; j < words; j++) out->row[to * words + j] |= row[j];
            }
    }
    return F2L_OK;
}

f2l_status f2l_finer_search_init(finer_search *out, const f2l_fsa *fsa, bool neutral,
                                 const f2l_task *task, f2l_error *err)
{
    *out = (finer_search){.fsa = fsa, .meter = {.task = task, .phase = PHASE}};
    f2l_status status = make_part(out, neutral, err);
    const f2l_graph graph =
        f2l_graph_of_table(out->part.next, out->part.states.count, out->part.letters.count);
    if (status == F2L_OK) status = f2l_scc_build(&out->states, &graph, &out->meter, err);
    if (status == F2L_OK)
        status = f2l_finer_ancestors(&out->ancestors, &out->part, &out->states, &out->meter, err);
    return status == F2L_OK ? find_pairs(out, err) : status;
}

void f2l_finer_search_clear(finer_search *s)
{
    f2l_free(s->part.next);
    f2l_free(s->letter);
    f2l_scc_clear(&s->states);
    f2l_scc_clear(&s->pairs);
    f2l_free(s->ancestors.row);
    f2l_free(s->cyclic);
    *s = (finer_search){0};
}
