/* Answers at limits, read for many prefixes and periods at once.
 *
 * For a letter a of u, (I - P_u) f_a(S) = (I - P_u) S, as f_a changes S by columns along keys of u.
 * So a prefix has the limits of what is left of it without the letters of u at its end, its root.
 * Without values x = 0, and the limits depend on the set of the letters of u alone, what is read of
 * them without a suffix also on the last one. */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/clones.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/settle_impl.h"
#include <math.h>
#include <string.h>

/* Answers that are kept for other periods, and places that are tried for a set of letters. */
enum { KEPT_BYTES = 1 << 26, MOST_SLOTS = 4096, PROBES = 8 };
#define UNKNOWN (-1) /* the gap of an answer that was not read */

static f2l_status store_init(f2l_settle_store *out, size_t entries, bool shared, f2l_error *err)
{
    const size_t fitting = KEPT_BYTES / sizeof *out->known / entries;
    *out = (f2l_settle_store){.entries = entries, .slots = shared ? fitting : 1};
    if (out->slots > MOST_SLOTS) out->slots = MOST_SLOTS;
    if (out->slots < 1) out->slots = 1;
    out->key = f2l_calloc(out->slots, sizeof *out->key);
    out->known = f2l_calloc(out->slots * entries, sizeof *out->known);
    return out->key && out->known ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_settle_reads_init(f2l_settle_search *s)
{
    f2l_settle_reads *r = &s->reads;
    const f2l_seq_config *c = s->net.c;
    const size_t H = c->heads, each = H * (c->key_dim + c->value_dim), words = s->suffix.count;
    size_t some = s->with_suffix + F2L_LEARNED_LANES - 1;
    some -= some % F2L_LEARNED_LANES;
    if (some > s->out->prefixes) some = s->out->prefixes;
    f2l_status status = f2l_span_init(&r->span, &s->net, s->err);
    if (status == F2L_OK)
        status = store_init(&r->store[0], s->out->prefixes, !r->span.values, s->err);
    if (status == F2L_OK) status = store_init(&r->store[1], some * words, !r->span.values, s->err);
    if (status != F2L_OK) return status;
    r->root = f2l_calloc(s->out->prefixes, sizeof *r->root);
    r->row = f2l_calloc(words * each + H * c->key_dim, sizeof *r->row);
    r->ready = f2l_calloc(words, sizeof *r->ready);
    r->o = f2l_calloc(F2L_LEARNED_LANES * H * c->value_dim + H, sizeof *r->o);
    if (!r->root || !r->row || !r->ready || !r->o) return f2l_fail_memory(s->err);
    r->query = r->row + words * each;
    r->radius = r->o + F2L_LEARNED_LANES * H * c->value_dim;
    return F2L_OK;
}

void f2l_settle_reads_clear(f2l_settle_reads *r)
{
    f2l_span_clear(&r->span);
    for (size_t i = 0; i < 2; i++) {
        f2l_free(r->store[i].key);
        f2l_free(r->store[i].known);
    }
    f2l_free(r->root);
    f2l_free(r->row);
    f2l_free(r->ready);
    f2l_free(r->o);
    *r = (f2l_settle_reads){0};
}

/* Returns the letters of a word, rising, each once. */
static f2l_settle_word letters_of(const f2l_settle_word *u)
{
    f2l_settle_word set = {0};
    for (size_t i = 0; i < u->count; i++) {
        size_t at = 0;
        while (at < set.count && set.letter[at] < u->letter[i]) at++;
        if (at < set.count && set.letter[at] == u->letter[i]) continue;
        memmove(set.letter + at + 1, set.letter + at, (set.count - at) * sizeof *set.letter);
        set.letter[at] = u->letter[i];
        set.count++;
    }
    return set;
}

/* Sets the roots of all prefixes. */
static void set_roots(f2l_settle_search *s, const f2l_settle_word *set)
{
    const size_t letters = s->fsa->letters.count;
    for (size_t i = 1; i < s->out->prefixes; i++) {
        bool inside = false;
        for (size_t l = 0; l < set->count; l++) inside |= set->letter[l] == (i - 1) % letters;
        s->reads.root[i] = inside ? s->reads.root[(i - 1) / letters] : i;
    }
}

/* Returns the answers that are kept for a key, unknown ones where it is new. */
static f2l_learned_largest *find_answers(f2l_settle_store *store, const f2l_settle_key *key,
                                         bool shared)
{
    const f2l_settle_word *set = &key->set;
    uint64_t hash = key->last;
    for (size_t i = 0; i < set->count; i++) hash = (hash ^ set->letter[i]) * 0x100000001b3;
    size_t slot = (hash ^ hash >> 32) % store->slots;
    for (size_t i = 0, at = slot; shared && i < PROBES; i++, at = (at + 1) % store->slots) {
        if (store->key[at].set.count == 0) slot = at;
        if (memcmp(&store->key[at], key, sizeof *key) == 0)
            return store->known + at * store->entries;
        if (store->key[at].set.count == 0) break;
    }
    f2l_learned_largest *known = store->known + slot * store->entries;
    store->key[slot] = *key;
    for (size_t i = 0; i < store->entries; i++) known[i] = (f2l_learned_largest){0, UNKNOWN};
    return known;
}

void f2l_settle_reads_set(f2l_settle_search *s, const f2l_settle_word *u)
{
    f2l_settle_reads *r = &s->reads;
    const bool shared = !r->span.values;
    f2l_span_set(&r->span, u);
    r->last = u->letter[u->count - 1];
    r->waiting = 0;
    r->rate = UNKNOWN;
    r->apply = r->span.kind == F2L_SPAN_FINE;
    if (!r->apply) return;
    f2l_settle_key key = {letters_of(u), F2L_NO_INDEX};
    memset(r->ready, 0, s->suffix.count);
    set_roots(s, &key.set);
    r->known[1] = find_answers(&r->store[1], &key, shared);
    key.last = r->last;
    r->known[0] = find_answers(&r->store[0], &key, shared);
}

/* Returns what an answer after a suffix reads of S_z, (I - P_u) q [heads][key], and the rest
 * [heads][value]. */
static const double *read_row(f2l_settle_search *s, size_t w)
{
    f2l_settle_reads *r = &s->reads;
    const f2l_seq_config *c = s->net.c;
    const size_t H = c->heads, K = c->key_dim, V = c->value_dim;
    double *row = r->row + w * H * (K + V), *rest = row + H * K;
    const double *from = s->suffix.read + w * H * (K + V), *last = s->net.query + r->last * H * K;
    if (r->ready[w]) return row;
    r->ready[w] = 1;
    for (size_t i = 0; i < H * K; i++)
        r->query[i] = w == 0 ? last[i] / sqrt((double)K) : from[i / K * (K + V) + i % K];
    f2l_span_read(row, rest, &r->span, r->query);
    for (size_t i = 0; w > 0 && i < H * V; i++) rest[i] += from[i / V * (K + V) + K + i % V];
    return row;
}

/* Adds the rows of a state [heads][key][value], times the numbers of `row`, to o [heads][value]. */
F2L_CLONES static void add_rows(double *o, const double *row, const double *state, size_t heads,
                                size_t key, size_t value)
{
    for (size_t h = 0; h < heads; h++, o += value)
        for (size_t i = 0; i < key; i++, row++, state += value)
            for (size_t j = 0; j < value; j++) o[j] += *row * state[j];
}

/* Returns the place for a prefix and a suffix. */
static f2l_learned_largest *find_place(const f2l_settle_search *s, size_t prefix, size_t w)
{
    const f2l_settle_reads *r = &s->reads;
    const size_t root = r->root[prefix];
    return w == 0 ? r->known[0] + root : r->known[1] + root * s->suffix.count + w;
}

void f2l_settle_reads_end(f2l_settle_search *s)
{
    f2l_settle_reads *r = &s->reads;
    f2l_learned_largest found[F2L_LEARNED_LANES];
    if (r->waiting == 0) return;
    f2l_learned_largest_lanes(found, &s->net, r->question, r->waiting);
    for (size_t l = 0; l < r->waiting; l++) *r->to[l] = found[l];
    r->waiting = 0;
}

bool f2l_settle_reads_ask(f2l_settle_search *s, size_t prefix, size_t w)
{
    f2l_settle_reads *r = &s->reads;
    const f2l_seq_config *c = s->net.c;
    const size_t hv = c->heads * c->value_dim;
    f2l_learned_largest *to = find_place(s, prefix, w);
    if (to->gap != UNKNOWN) return false;
    const double *row = read_row(s, w);
    double *o = r->o + r->waiting * hv;
    memcpy(o, row + c->heads * c->key_dim, hv * sizeof *o);
    add_rows(o, row, s->prefix[r->root[prefix]].at, c->heads, c->key_dim, c->value_dim);
    to->gap = 0;
    r->to[r->waiting] = to;
    r->question[r->waiting] = (f2l_learned_question){
        .letter = w == 0 ? r->last : s->suffix.word[w].letter[s->suffix.word[w].count - 1],
        .centre = o,
        .radius = r->radius};
    if (++r->waiting < F2L_LEARNED_LANES) return false;
    f2l_settle_reads_end(s);
    return true;
}

const f2l_learned_largest *f2l_settle_reads_known(const f2l_settle_search *s, size_t prefix,
                                                  size_t w)
{
    if (!s->reads.apply) return NULL;
    const f2l_learned_largest *known = find_place(s, prefix, w);
    return known->gap > F2L_SPAN_NEAR ? known : NULL;
}

double f2l_settle_reads_rate(f2l_settle_search *s)
{
    f2l_settle_reads *r = &s->reads;
    if (r->rate == UNKNOWN) r->rate = f2l_span_rate(&r->span);
    return r->rate;
}
