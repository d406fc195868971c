/* Automata of dot-depth one, by the pattern of FC.16 of theory/pages/finer.md, which is Knast's
 * equation. */
#include "numeric/base/mem.h"
#include "theory/obstruct/finer/impl.h"

enum { MERGES_FIRST = 1, MERGES_SECOND = 2 };

/* Ordered pairs of different states, and, of one component of their graph, the triples of a state
 * with a pair of it. */
typedef struct depth_walk {
    finer_search *s;
    f2l_scc pairs;       /* of ordered pairs p n + q */
    uint32_t *place;     /* [n n] of a pair in its component */
    size_t component;    /* of pairs */
    size_t size;         /* pairs of it */
    const uint32_t *own; /* [size] these pairs */
    uint32_t *triple[2]; /* [state components] a triple x size + place with a word that fixes it,
                            from which x merges with the first, or second, of the pair; F2L_NO_NODE
                          */
} depth_walk;

static uint32_t lead_ordered(const f2l_fsa *part, uint32_t pair, size_t letter)
{
    const size_t n = part->states.count, k = part->letters.count;
    const uint32_t x = part->next[pair / n * k + letter], y = part->next[pair % n * k + letter];
    return pair / n == pair % n || x == y ? F2L_NO_NODE : x * (uint32_t)n + y;
}

static uint32_t next_ordered(const f2l_graph *graph, uint32_t pair, size_t letter)
{
    return lead_ordered(graph->context, pair, letter);
}

static uint32_t next_triple(const f2l_graph *graph, uint32_t node, size_t letter)
{
    const depth_walk *d = graph->context;
    const f2l_fsa *part = &d->s->part;
    const uint32_t pair = lead_ordered(part, d->own[node % d->size], letter);
    if (pair == F2L_NO_NODE || d->pairs.of[pair] != d->component) return F2L_NO_NODE;
    const uint32_t x = part->next[node / d->size * part->letters.count + letter];
    return x * (uint32_t)d->size + d->place[pair];
}

/* Returns which states of the pair a state of the triple's component of triples, or of one below,
 * is equal to; sets *cyclic to whether a word fixes the triples of the component. */
static uint8_t find_merges(bool *cyclic, const f2l_graph *graph, const f2l_scc *triples,
                           const uint8_t *below, size_t c)
{
    const depth_walk *d = graph->context;
    const size_t n = d->s->part.states.count;
    uint8_t merges = 0;
    *cyclic = triples->first[c + 1] - triples->first[c] > 1;
    for (size_t i = triples->first[c]; i < triples->first[c + 1]; i++) {
        const uint32_t node = triples->member[i], pair = d->own[node % d->size];
        if (node / d->size == pair / n) merges |= MERGES_FIRST;
        if (node / d->size == pair % n) merges |= MERGES_SECOND;
        for (size_t a = 0; a < graph->letters; a++) {
            const uint32_t to = graph->next(graph, node, a);
            if (to == F2L_NO_NODE) continue;
            *cyclic = *cyclic || to == node;
            merges |= below[triples->of[to]];
        }
    }
    return merges;
}

/* Looks for the pattern in one component of pairs; sets *found to the state component of its
 * triples. */
static f2l_status try_pairs(depth_walk *d, size_t *found, f2l_error *err)
{
    const finer_search *s = d->s;
    const size_t n = s->part.states.count, k = s->part.letters.count;
    const f2l_graph graph = {
        .nodes = n * d->size, .letters = k, .next = next_triple, .context = d, .steps = 2 + 3 * k};
    f2l_scc triples = {0};
    f2l_status status =
        f2l_task_table(s->meter.task, s->meter.phase, (F2L_SCC_BYTES + 1) * n * d->size, err);
    if (n * d->size > INT32_MAX)
        status = f2l_fail(err, F2L_UNKNOWN, "too many triples of states for dot-depth one");
    if (status == F2L_OK) status = f2l_scc_build(&triples, &graph, &d->s->meter, err);
    uint8_t *merges = status == F2L_OK ? f2l_calloc(triples.count + 1, 1) : NULL;
    if (status == F2L_OK && !merges) status = f2l_fail_memory(err);
    for (size_t i = 0; i < s->states.count; i++) d->triple[0][i] = d->triple[1][i] = F2L_NO_NODE;
    for (size_t c = 0; status == F2L_OK && c < triples.count && *found == s->states.count; c++) {
        const uint32_t node = triples.member[triples.first[c]];
        const size_t at = s->states.of[node / d->size];
        bool cyclic;
        merges[c] = find_merges(&cyclic, &graph, &triples, merges, c);
        if (cyclic && merges[c] & MERGES_FIRST) d->triple[0][at] = node;
        if (cyclic && merges[c] & MERGES_SECOND) d->triple[1][at] = node;
        if (d->triple[0][at] != F2L_NO_NODE && d->triple[1][at] != F2L_NO_NODE) *found = at;
    }
    f2l_free(merges);
    f2l_scc_clear(&triples);
    return status;
}

/* Sets the words for a triple a, c, d that merges to c, and one b, c', d' that merges to d'. */
static f2l_status show_depth(f2l_finer_witness *w, const depth_walk *d, size_t component,
                             f2l_error *err)
{
    const finer_search *s = d->s;
    const uint32_t n = (uint32_t)s->part.states.count, size = (uint32_t)d->size;
    const uint32_t from = d->triple[0][component], to = d->triple[1][component];
    const uint32_t one = d->own[from % size], other = d->own[to % size];
    const uint32_t acd[] = {from / size, one / n, one % n};
    const uint32_t bcd[] = {to / size, other / n, other % n};
    const uint32_t after_z[] = {bcd[1], bcd[1], bcd[2]}, after_t[] = {acd[2], acd[1], acd[2]};
    w->first = "u (w^n x v^n y)^n w^n x v^n t (w^n z v^n t)^n";
    w->second = "u (w^n x v^n y)^n (w^n z v^n t)^n";
    f2l_status status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, acd[0], err);
    if (status == F2L_OK) status = f2l_finer_loop(&w->word[F2L_FINER_W], s, acd, 3, err);
    if (status == F2L_OK) status = f2l_finer_loop(&w->word[F2L_FINER_V], s, bcd, 3, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_X], s, acd[0], bcd[0], err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_Y], s, bcd[0], acd[0], err);
    if (status == F2L_OK) status = f2l_finer_ways(&w->word[F2L_FINER_Z], s, acd, after_z, 3, err);
    if (status == F2L_OK) status = f2l_finer_ways(&w->word[F2L_FINER_T], s, bcd, after_t, 3, err);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}

/* Makes the graph of ordered pairs. */
static f2l_status init_walk(depth_walk *d, f2l_error *err)
{
    const finer_search *s = d->s;
    const size_t n = s->part.states.count, k = s->part.letters.count;
    const f2l_graph graph = {.nodes = n * n,
                             .letters = k,
                             .next = next_ordered,
                             .context = &s->part,
                             .steps = 2 + 3 * k};
    f2l_status status =
        f2l_task_table(s->meter.task, s->meter.phase, (F2L_SCC_BYTES + 4) * n * n, err);
    if (status == F2L_OK) status = f2l_scc_build(&d->pairs, &graph, &d->s->meter, err);
    if (status != F2L_OK) return status;
    d->place = f2l_calloc(n * n, sizeof *d->place);
    d->triple[0] = f2l_calloc(s->states.count, sizeof *d->triple[0]);
    d->triple[1] = f2l_calloc(s->states.count, sizeof *d->triple[1]);
    if (!d->place || !d->triple[0] || !d->triple[1]) return f2l_fail_memory(err);
    for (size_t c = 0; c < d->pairs.count; c++)
        for (uint32_t i = d->pairs.first[c]; i < d->pairs.first[c + 1]; i++)
            d->place[d->pairs.member[i]] = i - d->pairs.first[c];
    return F2L_OK;
}

/* Takes component c of pairs as the one whose triples are looked at; returns false where no word
 * fixes its pairs, or where the one with the states exchanged has been looked at. */
static bool take_pairs(depth_walk *d, size_t c)
{
    const size_t n = d->s->part.states.count;
    d->component = c;
    d->own = d->pairs.member + d->pairs.first[c];
    d->size = d->pairs.first[c + 1] - d->pairs.first[c];
    const size_t p = d->own[0] / n, q = d->own[0] % n;
    return p != q && finer_fixed(d->s, p, q) && d->pairs.of[q * n + p] >= c;
}

f2l_status f2l_finer_depth(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    depth_walk d = {.s = s};
    const size_t none = s->states.count;
    size_t found = none;
    f2l_status status = init_walk(&d, err);
    for (size_t c = 0; status == F2L_OK && c < d.pairs.count && found == none; c++)
        if (take_pairs(&d, c)) status = try_pairs(&d, &found, err);
    if (status == F2L_OK) {
        row->member = found == none ? F2L_TERNARY_YES : F2L_TERNARY_NO;
        if (found != none) status = show_depth(&row->witness, &d, found, err);
    }
    f2l_scc_clear(&d.pairs);
    f2l_free(d.place);
    f2l_free(d.triple[0]);
    f2l_free(d.triple[1]);
    return status;
}
