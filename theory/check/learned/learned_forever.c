/* The claim `forever`: the network is right on all words (theory/pages/all-lengths.md, AL.7 to
 * AL.9). Its lines; N, X and Y are whole numbers in units of 2^-40:
 *     directions X Y X Y ..      for every head: directions of sets besides the axes, which are
 *                                1 0, -1 0, 0 1, 0 -1, or 1, -1 where the key dimension is 1: then
 *                                there are no others
 *     set Q N ..                 for every state that a word leads to, by rising numbers: for every
 *                                head, every column of its state S and every direction d, axes
 *                                first, a bound of d^T S after all words that lead to Q
 *     inner, or leaf D           the tree of suffixes: for each letter the node of it as a word,
 *                                then the nodes of the words with one letter more before it. D: how
 *                                often a leaf's box may be halved
 * The sets have the start and are closed under letters (AL.7). The answers are right after an inner
 * node as a word, and after the word of a leaf from every state of the sets (AL.8, AL.9). */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FINE 0x1p-40
#define MOST_SIZE 4096 /* of states, so that nothing overflows (LH.10) */
enum { AXES = 2, MAX_DIRECTIONS = 64, MAX_DEPTH = 65536, MAX_HALVINGS = 24 };

/* Numbers a, b >= 0 and directions i, j with |y - a d_i - b d_j| <= rest. */
typedef struct cone {
    size_t i, j;
    double a, b, rest;
} cone;

/* A suffix u: o is K^-1/2 (y^T S + c) for the states S before it, off by e in the scope. */
typedef struct suffix {
    size_t letter;     /* the first one */
    double *y, *c, *e; /* [heads][key], [heads][value], [heads] */
    uint32_t *to;      /* [states] where it leads */
} suffix;

typedef struct forever {
    proof *p;
    size_t states, *many;         /* [heads] directions */
    double *direction;            /* [heads][MAX_DIRECTIONS][key] */
    bool *met;                    /* [states] whether a word leads there */
    double **set, *size, *most;   /* [states] [heads][value][MAX_DIRECTIONS], [states][heads] of
                                     |S|_F, [heads] the largest */
    double *a, *b;                /* [letters][heads] [key][key], [key][value] */
    suffix base, node[MAX_DEPTH]; /* node[l]: the suffix of l + 1 letters */
    size_t last, leaves;          /* the last letter; how many leaves */
    double *low, *high, *weight;  /* [heads][value] a box of o, then of n; |M e_i| */
} forever;

static double units(text *t)
{
    return whole(t, 0x1p53 - 1) * FINE;
}

static void read_directions(forever *x, size_t h)
{
    const size_t K = x->p->net.key;
    double *d = x->direction + h * MAX_DIRECTIONS * K;
    for (size_t i = 0; i < 2 * K; i++) d[i * K + i / 2] = i % 2 ? -1 : 1;
    x->many[h] = 2 * K;
    expect(x->p->t, "directions");
    for (; K == 2 && comes(x->p->t, " "); x->many[h]++) {
        if (x->many[h] == MAX_DIRECTIONS) reject(x->p->t, "too many directions");
        for (size_t i = 0; i < K; i++) d[x->many[h] * K + i] = units(x->p->t);
    }
    end_line(x->p->t);
}

/* Finds the directions next to y on both sides. Every choice is right; a near one is tight. */
static cone cone_of(const forever *x, size_t h, const double *y)
{
    const double *d = x->direction + h * MAX_DIRECTIONS * x->p->net.key;
    if (x->p->net.key == 1) return (cone){y[0] < 0, 0, fabs(y[0]), 0, 0};
    double best[2] = {-INFINITY, -INFINITY};
    size_t at[2] = {0, 0};
    charge(8 * x->many[h]);
    for (size_t i = 0; i < x->many[h]; i++) {
        const double *e = d + 2 * i, turn = e[0] * y[1] - e[1] * y[0];
        const double along = (e[0] * y[0] + e[1] * y[1]) / length(e, 2);
        const int side = turn < 0;
        if (along > best[side]) best[side] = along, at[side] = i;
    }
    const double *e = d + 2 * at[0], *f = d + 2 * at[1], det = e[0] * f[1] - e[1] * f[0];
    const double a = (y[0] * f[1] - y[1] * f[0]) / det, b = (e[0] * y[1] - e[1] * y[0]) / det;
    cone c = {at[0], at[1], det > 0 && a > 0 ? a : 0, det > 0 && b > 0 ? b : 0, 0};
    if (!(det > 0)) c.a = fmax(best[0], 0) / length(e, 2); /* y is nearly a direction */
    if (!(c.a + c.b < 0x1p20)) c.a = c.b = 0;
    const double r[2] = {y[0] - c.a * e[0] - c.b * f[0], y[1] - c.a * e[1] - c.b * f[1]};
    c.rest = length(r, 2) + SLACK * (length(y, 2) + c.a * length(e, 2) + c.b * length(f, 2));
    return c;
}

/* Returns a bound of y^T S_v for the states of a set. */
static double highest(const forever *x, const cone *c, size_t q, size_t h, size_t v)
{
    const double *n = x->set[q] + (h * x->p->net.value + v) * MAX_DIRECTIONS;
    const double a = c->a * n[c->i], b = c->b * n[c->j];
    return a + b + SLACK * (fabs(a) + fabs(b)) +
           c->rest * x->size[q * x->p->net.heads + h] * (1 + SLACK);
}

static void read_set(forever *x, size_t q)
{
    const size_t H = x->p->net.heads, V = x->p->net.value, K = x->p->net.key;
    double *n = x->set[q] = grab(product_of(H * V, MAX_DIRECTIONS), sizeof *n);
    number(x->p->t, "set ", q + 1, q + 1);
    for (size_t h = 0; h < H; h++) {
        double squares = 0;
        for (size_t v = 0; v < V; v++, n += MAX_DIRECTIONS) {
            for (size_t i = 0; i < x->many[h]; i++) n[i] = units(x->p->t);
            for (size_t i = 0; i < 2 * K; i += 2) {
                const double far = fmax(fabs(n[i]), fabs(n[i + 1]));
                squares += far * far;
            }
        }
        const double size = sqrt(squares) * (1 + SLACK);
        if (!(size < MOST_SIZE)) reject(x->p->t, "the set of head %zu is too large", h + 1);
        x->size[q * H + h] = size;
        x->most[h] = fmax(x->most[h], size);
    }
    end_line(x->p->t);
}

/* Marks the states that words lead to, the start among them. */
static void mark_states(forever *x)
{
    const automaton *a = &x->p->a;
    size_t *todo = grab(x->states, sizeof *todo), count = 1;
    todo[0] = a->start;
    x->met[a->start] = true;
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < a->kinds; w++) {
            const size_t to = a->next[todo[i] * a->kinds + w];
            if (!x->met[to]) todo[count++] = to;
            x->met[to] = true;
        }
    charge(count * a->kinds);
}

/* Returns what one letter may change of y^T S in a head besides what A and B say, for |y| = 1 and
 * |S|_F <= size: errors of the scope, and of doubles. */
static double letter_off(const forever *x, size_t w, size_t h, double size)
{
    const letter_head *l = &x->p->letter[w * x->p->net.heads + h];
    return (l->a_off * size + l->b_off + 4 * SLACK * (size + l->b_size)) * (1 + SLACK) +
           x->p->net.scope->tiny;
}

/* Computes x <- A^T y of a letter and head. */
static void pull(double *to, const forever *x, size_t w, size_t h, const double *y)
{
    const size_t K = x->p->net.key;
    const double *a = x->a + (w * x->p->net.heads + h) * K * K;
    memset(to, 0, K * sizeof *to);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) to[j] += a[i * K + j] * y[i];
}

/* Returns number v of B^T y. */
static double shift(const forever *x, size_t w, size_t h, const double *y, size_t v)
{
    const size_t K = x->p->net.key, V = x->p->net.value;
    const double *b = x->b + (w * x->p->net.heads + h) * K * V;
    double sum = 0;
    for (size_t i = 0; i < K; i++) sum += b[i * V + v] * y[i];
    return sum;
}

/* Refuses sets out of which a letter leads a state. */
static void check_edge(forever *x, size_t q, size_t w, size_t h)
{
    const learned *net = &x->p->net;
    const size_t to = x->p->a.next[q * x->p->a.kinds + w];
    const double off = letter_off(x, w, h, x->size[q * net->heads + h]);
    charge(x->many[h] * 8 * net->value);
    for (size_t i = 0; i < x->many[h]; i++) {
        const double *d = x->direction + (h * MAX_DIRECTIONS + i) * net->key;
        double y[AXES];
        pull(y, x, w, h, d);
        const cone c = cone_of(x, h, y);
        for (size_t v = 0; v < net->value; v++) {
            const double reach = highest(x, &c, q, h, v), by = shift(x, w, h, d, v);
            const double n = x->set[to][(h * net->value + v) * MAX_DIRECTIONS + i];
            if (!(n >= reach + by + SLACK * (fabs(reach) + fabs(by)) +
                           (length(d, net->key) * off * (1 + SLACK) + net->scope->tiny)))
                reject(x->p->t, "letter %zu leads out of the set of state %zu in head %zu", w + 1,
                       to + 1, h + 1);
        }
    }
}

static void check_start(forever *x, const spot *start)
{
    const size_t K = x->p->net.key, V = x->p->net.value;
    for (size_t h = 0; h < x->p->net.heads; h++)
        for (size_t i = 0; i < x->many[h] * V; i++) {
            const double *d = x->direction + (h * MAX_DIRECTIONS + i / V) * K;
            const double *s = start->at + h * K * V + i % V;
            double sum = 0, size = 0;
            for (size_t k = 0; k < K; k++) sum += d[k] * s[k * V], size += fabs(d[k] * s[k * V]);
            sum += SLACK * size + length(d, K) * start->off[h] * (1 + SLACK);
            if (start->off[h] > 0) sum += 0x1p-64; /* an underflow behind a begin letter */
            if (!(x->set[start->state][(h * V + i % V) * MAX_DIRECTIONS + i / V] >= sum))
                reject(x->p->t, "the start is not in its set in head %zu", h + 1);
        }
}

static suffix new_suffix(const forever *x)
{
    const learned *net = &x->p->net;
    return (suffix){0, grab(net->heads * net->key, sizeof(double)),
                    grab(net->heads * net->value, sizeof(double)), grab(net->heads, sizeof(double)),
                    grab(x->states, sizeof(uint32_t))};
}

/* Sets *to to the suffix with a letter more before it. */
static void prepend(const forever *x, suffix *to, const suffix *from, size_t w)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, V = net->value;
    charge(net->heads * K * (K + V) + x->states);
    to->letter = w;
    for (size_t h = 0; h < net->heads; h++) {
        const double *y = from->y + h * K;
        double e = from->e[h] + length(y, K) * letter_off(x, w, h, x->most[h]) + net->scope->tiny;
        pull(to->y + h * K, x, w, h, y);
        for (size_t v = h * V; v < (h + 1) * V; v++) {
            to->c[v] = from->c[v] + shift(x, w, h, y, v - h * V);
            e += SLACK * fabs(to->c[v]);
        }
        to->e[h] = e * (1 + SLACK);
    }
    for (size_t q = 0; q < x->states; q++)
        to->to[q] = from->to[x->p->a.next[q * x->p->a.kinds + w]];
}

/* Makes the empty suffix the one before which letters are put; w will be the last one. */
static void begin_suffix(forever *x, size_t w)
{
    const learned *net = &x->p->net;
    x->last = w;
    for (size_t h = 0; h < net->heads; h++) {
        const letter_head *l = &x->p->letter[w * net->heads + h];
        memcpy(x->base.y + h * net->key, l->q, net->key * sizeof *l->q);
        x->base.e[h] = l->q_off * x->most[h] * (1 + SLACK) + net->scope->tiny;
    }
    for (size_t q = 0; q < x->states; q++) x->base.to[q] = (uint32_t)q;
}

/* Returns whether the answer is right on the box x->low..x->high of the normed o, which may be
 * halved, where that counts most, this often. */
static bool box_is_right(forever *x, size_t right, size_t halvings)
{
    const learned *net = &x->p->net;
    answers *r = x->p->answers;
    const size_t V = net->value;
    size_t widest = 0;
    double most = -1;
    for (size_t h = 0; h < net->heads; h++) {
        double squares = 0;
        for (size_t i = h * V; i < (h + 1) * V; i++) {
            const double half = (x->high[i] - x->low[i]) / 2;
            r->n[i] = x->low[i] + half;
            squares += half * half;
            if (half * x->weight[i] > most) most = half * x->weight[i], widest = i;
        }
        r->nu[h] =
            sqrt(squares) * (1 + SLACK) + (slack(net, V) + SLACK * (double)V) * sqrt((double)V);
    }
    charge(4 * net->heads * V);
    if (normed_rightly(r, x->last, right)) return true;
    if (halvings == 0) return false;
    const double low = x->low[widest], high = x->high[widest], half = low + (high - low) / 2;
    x->high[widest] = half;
    bool good = box_is_right(x, right, halvings - 1);
    x->high[widest] = high;
    x->low[widest] = half;
    good = good && box_is_right(x, right, halvings - 1);
    x->low[widest] = low;
    return good;
}

/* Replaces the box of o by one of its norms: sqrt(V) o_v / sqrt(|o|^2 + V epsilon) rises with o_v,
 * and falls with |o_u| where o_v > 0 (AL.8). */
static void norm_box(forever *x)
{
    const size_t V = x->p->net.value;
    const double root = sqrt((double)V), added = (double)V * x->p->net.epsilon;
    double least[MAX_DIM], most[MAX_DIM];
    charge(x->p->net.heads * V * (V + 8));
    for (size_t h = 0; h < x->p->net.heads; h++) {
        double *low = x->low + h * V, *high = x->high + h * V;
        for (size_t v = 0; v < V; v++) {
            const double in = low[v] > 0 ? low[v] : high[v] < 0 ? -high[v] : 0;
            const double out = fmax(fabs(low[v]), fabs(high[v]));
            least[v] = in * in;
            most[v] = out * out;
        }
        for (size_t v = 0; v < V; v++) {
            double least_rest = added, most_rest = added;
            for (size_t u = 0; u < V; u++) {
                least_rest += u == v ? 0 : least[u];
                most_rest += u == v ? 0 : most[u];
            }
            low[v] *= root / sqrt(low[v] * low[v] + (low[v] > 0 ? most_rest : least_rest));
            high[v] *= root / sqrt(high[v] * high[v] + (high[v] > 0 ? least_rest : most_rest));
        }
    }
}

/* Refuses a leaf after which the answer may be wrong from one of the states that lead to `right`.
 */
static void check_answer(forever *x, const suffix *u, size_t right, size_t halvings)
{
    const size_t H = x->p->net.heads, K = x->p->net.key, V = x->p->net.value;
    const double root = sqrt((double)K);
    for (size_t h = 0; h < H; h++) {
        double *y = u->y + h * K, back[AXES];
        for (size_t k = 0; k < K; k++) back[k] = -y[k];
        const cone up = cone_of(x, h, y), down = cone_of(x, h, back);
        for (size_t v = 0; v < V; v++) {
            double high = -INFINITY, low = -INFINITY;
            for (size_t q = 0; q < x->states; q++) {
                if (!x->met[q] || u->to[q] != right) continue;
                high = fmax(high, highest(x, &up, q, h, v));
                low = fmax(low, highest(x, &down, q, h, v));
            }
            const double c = u->c[h * V + v], e = u->e[h] + SLACK * (fabs(high) + fabs(low));
            x->high[h * V + v] = (c + high + e) / root;
            x->low[h * V + v] = (c - low - e) / root;
        }
    }
    charge(x->states * H * V * 4);
    norm_box(x);
    if (!box_is_right(x, right, halvings)) reject(x->p->t, "the answer after a leaf may be wrong");
}

static void check_leaf(forever *x, const suffix *u, size_t halvings)
{
    x->leaves++;
    for (size_t right = 0; right < x->states; right++) {
        size_t q = 0;
        charge(x->states);
        while (q < x->states && !(x->met[q] && u->to[q] == right)) q++;
        if (q < x->states) check_answer(x, u, right, halvings);
    }
}

/* Checks the answer after the suffix as a word. */
static void check_inner(forever *x, const suffix *u, const spot *start)
{
    const size_t K = x->p->net.key, V = x->p->net.value;
    const double root = sqrt((double)K);
    for (size_t i = 0; i < x->p->net.heads * V; i++) {
        const size_t h = i / V;
        const double *y = u->y + h * K, *s = start->at + h * K * V + i % V;
        double o = u->c[i], size = fabs(o);
        for (size_t k = 0; k < K; k++) o += y[k] * s[k * V], size += fabs(y[k] * s[k * V]);
        const double e = (u->e[h] + length(y, K) * start->off[h]) * (1 + SLACK) + SLACK * size;
        x->low[i] = (o - e) / root;
        x->high[i] = (o + e) / root;
    }
    charge(x->p->net.heads * V * K);
    norm_box(x);
    if (!box_is_right(x, u->to[start->state], 0))
        reject(x->p->t, "the answer after an inner node as a word may be wrong");
}

/* Reads and checks the nodes of all words that end with this letter. */
static void check_tree(forever *x, size_t last, const spot *start)
{
    const size_t letters = x->p->a.kinds;
    size_t depth = 0;
    begin_suffix(x, last);
    for (size_t w = last;;) {
        suffix *u = &x->node[depth];
        if (!u->y) *u = new_suffix(x);
        prepend(x, u, depth > 0 ? u - 1 : &x->base, w);
        if (comes(x->p->t, "inner")) {
            whole_line(x->p->t, "inner");
            check_inner(x, u, start);
            if (++depth == MAX_DEPTH) reject(x->p->t, "the tree is too deep");
            w = 0;
            continue;
        }
        check_leaf(x, u, number_line(x->p->t, "leaf ", 0, MAX_HALVINGS));
        while (depth > 0 && x->node[depth].letter + 1 == letters) depth--;
        if (depth == 0) return;
        w = x->node[depth].letter + 1;
    }
}

/* Computes the matrices of letters. */
static void read_matrices(forever *x)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, V = net->value, count = product_of(x->p->a.kinds, net->heads);
    double one[AXES * MAX_DIM] = {0};
    x->a = grab(count * K * K, sizeof(double));
    x->b = grab(product_of(count, K * V), sizeof(double));
    for (size_t i = 0; i < count; i++)
        apply_letter(x->b + i * K * V, one, net, &x->p->letter[i], V, true);
    for (size_t i = 0; i < K; i++) one[i * K + i] = 1;
    for (size_t i = 0; i < count; i++)
        apply_letter(x->a + i * K * K, one, net, &x->p->letter[i], K, false);
}

static void give_room(forever *x)
{
    const learned *net = &x->p->net;
    const size_t H = net->heads, hv = H * net->value;
    x->states = x->p->a.states.count;
    x->many = grab(H, sizeof *x->many);
    x->direction = grab(H * MAX_DIRECTIONS * net->key, sizeof(double));
    x->met = grab(x->states, sizeof *x->met);
    x->set = grab(x->states, sizeof *x->set);
    x->size = grab(product_of(x->states, H), sizeof(double));
    x->most = grab(H, sizeof(double));
    x->low = grab(hv, sizeof(double));
    x->high = grab(hv, sizeof(double));
    x->weight = grab(hv, sizeof(double));
    x->base = new_suffix(x);
    for (size_t i = 0; i < hv; i++)
        x->weight[i] = length(x->p->answers->mt + i * net->width, net->width);
}

void judge_forever(proof *p)
{
    forever *x = grab(1, sizeof *x);
    spot start = new_place(p);
    x->p = p;
    if (p->net.key > AXES) reject(p->t, "the key dimension is above %d", AXES);
    give_room(x);
    read_matrices(x);
    begin_place(p, &start);
    mark_states(x);
    for (size_t h = 0; h < p->net.heads; h++) read_directions(x, h);
    for (size_t q = 0; q < x->states; q++)
        if (x->met[q]) read_set(x, q);
    check_start(x, &start);
    for (size_t q = 0; q < x->states; q++)
        for (size_t w = 0; x->met[q] && w < p->a.kinds; w++)
            for (size_t h = 0; h < p->net.heads; h++) check_edge(x, q, w, h);
    for (size_t w = 0; w < p->a.kinds; w++) check_tree(x, w, &start);
    end_proof(p->t);
    printf("s VERIFIED forever leaves %zu", x->leaves);
    print_network(p);
}
