/* The tree of suffixes after which the answers are right (theory/pages/all-lengths.md, AL.8, AL.9).
 */
#include "numeric/base/mem.h"
#include "theory/beside/horizon/forever_impl.h"
#include <math.h>
#include <string.h>

enum { MOST = F2L_FOREVER_DIRECTIONS, MOST_BALLS = 256, MOST_HALVINGS = 20 };

/* A suffix: o is K^-1/2 (y^T S + c), off by e, for the states S before it; `to`: where it leads. */
typedef struct suffix {
    size_t letter;
    double *y, *c, *e; /* y NULL: without memory yet */
    uint32_t *to;
} suffix;

typedef struct search {
    f2l_forever_job *j;
    suffix base, *node; /* [F2L_FOREVER_DEPTH + 1] by length, less 1 */
    size_t last, depth, balls, halvings, deepest;
    double *low, *high; /* [heads][value] */
    bool wrong;         /* the last ball's answer was wrong everywhere */
} search;

static bool make_suffix(suffix *u, const f2l_learned_forever *out)
{
    const size_t H = out->heads, count = H * (out->key + out->value + 1);
    u->y = f2l_calloc(count, sizeof *u->y);
    u->to = f2l_calloc(out->states, sizeof *u->to);
    if (!u->y || !u->to) return false;
    u->c = u->y + H * out->key;
    u->e = u->c + H * out->value;
    return true;
}

static void begin_suffix(search *s, size_t w)
{
    const f2l_learned_forever *out = s->j->out;
    const size_t H = out->heads, K = out->key;
    s->last = w;
    memcpy(s->base.y, s->j->net->query + w * H * K, H * K * sizeof *s->base.y);
    for (size_t h = 0; h < H; h++)
        s->base.e[h] = (s->j->net->letter_off[w * H + h].q + 0x1p-33) * s->j->most[h] + 0x1p-33;
    for (size_t q = 0; q < out->states; q++) s->base.to[q] = (uint32_t)q;
}

static void prepend(search *s, suffix *to, const suffix *from, size_t w)
{
    const f2l_learned_forever *out = s->j->out;
    const size_t K = out->key, V = out->value;
    to->letter = w;
    for (size_t h = 0; h < out->heads; h++) {
        const double *y = from->y + h * K;
        f2l_forever_pull(to->y + h * K, s->j, w, h, y);
        to->e[h] = from->e[h] + (f2l_learned_length(y, K) + 0x1p-33) *
                                    f2l_forever_room(s->j, w, h, s->j->most[h]);
        for (size_t v = 0; v < V; v++)
            to->c[h * V + v] = from->c[h * V + v] + f2l_forever_shift(s->j, w, h, y, v);
    }
    for (size_t q = 0; q < out->states; q++)
        to->to[q] = from->to[s->j->fsa->next[q * s->j->fsa->letters.count + w]];
}

/* Decides a box of the normed o by balls, halving where it counts most; sets s->halvings to the
 * most that were needed one in another. */
static bool decide(search *s, size_t right, size_t halvings)
{
    f2l_learned_net *net = s->j->net;
    const size_t H = s->j->out->heads, V = s->j->out->value;
    f2l_learned_margin m;
    size_t widest = 0;
    double most = -1;
    if (s->balls == 0) return false;
    s->balls--;
    for (size_t h = 0; h < H; h++) {
        double squares = 0;
        for (size_t i = h * V; i < (h + 1) * V; i++) {
            const double half = (s->high[i] - s->low[i]) / 2;
            net->n[i] = s->low[i] + half;
            squares += half * half;
            if (!(half * s->j->weight[i] > most)) continue;
            most = half * s->j->weight[i];
            widest = i;
        }
        net->nu[h] = sqrt(squares) * (1 + 1e-9) +
                     (f2l_learned_slack(net, V) + 0x1p-36 * (double)V) * sqrt((double)V);
    }
    f2l_learned_answer_normed(&m, net, s->last, right);
    if (halvings > s->halvings) s->halvings = halvings;
    if (f2l_learned_margin_is_enough(&m)) return true;
    s->wrong = m.difference < -m.spread;
    if (m.difference < 0 || halvings == MOST_HALVINGS) return false;
    const double low = s->low[widest], high = s->high[widest], half = low + (high - low) / 2;
    s->high[widest] = half;
    bool good = decide(s, right, halvings + 1);
    s->high[widest] = high;
    s->low[widest] = half;
    good = good && decide(s, right, halvings + 1);
    s->low[widest] = low;
    return good;
}

/* Makes the box of o one of its norms. */
static void norm_box(search *s)
{
    const size_t V = s->j->out->value;
    const double root = sqrt((double)V), added = (double)V * s->j->net->c->epsilon;
    double near[F2L_LEARNED_MAX_DIM], far[F2L_LEARNED_MAX_DIM];
    for (size_t h = 0; h < s->j->out->heads; h++) {
        double *low = s->low + h * V, *high = s->high + h * V;
        for (size_t v = 0; v < V; v++) {
            near[v] = far[v] = added;
            for (size_t u = 0; u < V; u++) {
                const double in = low[u] > 0 ? low[u] : high[u] < 0 ? -high[u] : 0;
                const double out = fmax(fabs(low[u]), fabs(high[u]));
                if (u == v) continue;
                near[v] += in * in;
                far[v] += out * out;
            }
        }
        for (size_t v = 0; v < V; v++) {
            low[v] *= root / sqrt(low[v] * low[v] + (low[v] > 0 ? far[v] : near[v]));
            high[v] *= root / sqrt(high[v] * high[v] + (high[v] > 0 ? near[v] : far[v]));
        }
    }
}

/* Returns whether the answer after the suffix is right from all states that it leads to `right`. */
static bool answer_is_right(search *s, const suffix *u, size_t right)
{
    const f2l_learned_forever *out = s->j->out;
    const size_t K = out->key, V = out->value;
    for (size_t h = 0; h < out->heads; h++) {
        const double *y = u->y + h * K, back[F2L_FOREVER_KEY] = {-y[0], K > 1 ? -y[1] : 0};
        const f2l_forever_cone up = f2l_forever_find_cone(s->j, h, y);
        const f2l_forever_cone down = f2l_forever_find_cone(s->j, h, back);
        for (size_t v = 0; v < V; v++) {
            double high = -INFINITY, low = -INFINITY;
            for (size_t q = 0; q < out->states; q++) {
                if (!out->met[q] || u->to[q] != right) continue;
                const double *n = f2l_forever_set(s->j, q, h, v);
                high = fmax(high, f2l_forever_highest(&up, n));
                low = fmax(low, f2l_forever_highest(&down, n));
            }
            const double c = u->c[h * V + v], e = u->e[h] + 0x1p-33;
            s->high[h * V + v] = (c + high + e) / sqrt((double)K);
            s->low[h * V + v] = (c - low - e) / sqrt((double)K);
        }
    }
    norm_box(s);
    s->balls = MOST_BALLS;
    return decide(s, right, 0);
}

static bool is_leaf(search *s, const suffix *u)
{
    const f2l_learned_forever *out = s->j->out;
    bool right = true;
    s->halvings = 0;
    for (size_t p = 0; right && p < out->states; p++) {
        size_t q = 0;
        while (q < out->states && !(out->met[q] && u->to[q] == p)) q++;
        right = q == out->states || answer_is_right(s, u, p);
    }
    return right;
}

/* Returns whether the suffix, as a word, is answered rightly; sets s->wrong where it is not. */
static bool word_is_right(search *s, const suffix *u)
{
    const f2l_learned_forever *out = s->j->out;
    const size_t K = out->key, V = out->value;
    for (size_t i = 0; i < out->heads * V; i++) {
        const size_t h = i / V;
        const double *start = s->j->start + h * K * V + i % V;
        double o = u->c[i], e = u->e[h] + 0x1p-33;
        for (size_t k = 0; k < K; k++) o += u->y[h * K + k] * start[k * V];
        if (s->j->begin)
            e += 2 * f2l_forever_room(s->j, s->j->fsa->letters.count, h, s->j->most[h]);
        s->low[i] = (o - e) / sqrt((double)K);
        s->high[i] = (o + e) / sqrt((double)K);
    }
    norm_box(s);
    s->balls = 1;
    s->halvings = 0;
    return decide(s, u->to[s->j->fsa->start], 0) && s->halvings == 0;
}

static f2l_status add_node(f2l_learned_forever *out, uint8_t kind, f2l_error *err)
{
    if (out->nodes == out->capacity) {
        const size_t more = out->capacity > 0 ? 2 * out->capacity : 1024;
        uint8_t *tree = f2l_realloc(out->tree, more, 1);
        if (!tree) return f2l_fail_memory(err);
        out->tree = tree;
        out->capacity = more;
    }
    out->tree[out->nodes++] = kind;
    return F2L_OK;
}

/* Ends the search at the suffix. */
static f2l_status end_at(search *s, f2l_forever_end end)
{
    f2l_learned_forever *out = s->j->out;
    out->end = end;
    out->word_length = s->depth + 1;
    out->word = f2l_calloc(out->word_length, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(s->j->err);
    for (size_t i = 0; i <= s->depth; i++) out->word[i] = (uint32_t)s->node[s->depth - i].letter;
    return F2L_OK;
}

/* Makes the node of the suffix of s->depth + 1 letters; sets *leaf. */
static f2l_status visit(search *s, const suffix *u, bool *leaf)
{
    f2l_learned_forever *out = s->j->out;
    *leaf = is_leaf(s, u);
    if (s->depth + 1 > out->depth) out->depth = s->depth + 1;
    if (*leaf) {
        out->leaves++;
        return add_node(out, (uint8_t)s->halvings, s->j->err);
    }
    if (f2l_now() > s->j->until) return end_at(s, F2L_FOREVER_LATE);
    if (s->depth + 1 == F2L_FOREVER_DEPTH) return end_at(s, F2L_FOREVER_OPEN);
    if (!word_is_right(s, u)) return end_at(s, s->wrong ? F2L_FOREVER_WRONG : F2L_FOREVER_OPEN);
    return add_node(out, F2L_FOREVER_INNER, s->j->err);
}

/* Makes the nodes of all words that end with a letter. */
static f2l_status find_words(search *s, size_t last)
{
    const size_t letters = s->j->fsa->letters.count;
    size_t w = last;
    begin_suffix(s, last);
    for (s->depth = 0;;) {
        suffix *u = &s->node[s->depth];
        bool leaf;
        if (!u->y && !make_suffix(u, s->j->out)) return f2l_fail_memory(s->j->err);
        if (s->depth + 1 > s->deepest) s->deepest = s->depth + 1;
        prepend(s, u, s->depth > 0 ? u - 1 : &s->base, w);
        f2l_status status = visit(s, u, &leaf);
        if (status == F2L_OK)
            status = f2l_task_poll(s->j->task, "suffixes", (double)s->j->out->nodes, 0, s->j->err);
        if (status != F2L_OK || s->j->out->end != F2L_FOREVER_PROVED) return status;
        if (!leaf) {
            s->depth++;
            w = 0;
            continue;
        }
        while (s->depth > 0 && s->node[s->depth].letter + 1 == letters) s->depth--;
        if (s->depth == 0) return F2L_OK;
        w = s->node[s->depth].letter + 1;
    }
}

f2l_status f2l_forever_find_tree(f2l_forever_job *j)
{
    search s = {.j = j};
    const size_t hv = j->out->heads * j->out->value;
    s.node = f2l_calloc(F2L_FOREVER_DEPTH, sizeof *s.node);
    s.low = f2l_calloc(2 * hv, sizeof *s.low);
    s.high = s.low ? s.low + hv : NULL;
    f2l_status status =
        s.node && s.low && make_suffix(&s.base, j->out) ? F2L_OK : f2l_fail_memory(j->err);
    for (size_t w = 0;
         status == F2L_OK && j->out->end == F2L_FOREVER_PROVED && w < j->fsa->letters.count; w++)
        status = find_words(&s, w);
    for (size_t i = 0; s.node && i <= s.deepest && i < F2L_FOREVER_DEPTH; i++) {
        f2l_free(s.node[i].y);
        f2l_free(s.node[i].to);
    }
    f2l_free(s.base.y);
    f2l_free(s.base.to);
    f2l_free(s.node);
    f2l_free(s.low);
    return status;
}
