/* Operation schedules: what is rounded when in one step of a head (real.h). */
#include "theory/check/real.h"
#include <string.h>

/* Reads the line SCHEDULE, except its end. The values of the three orders that work in fp32 must be
 * values of fp32. */
schedule read_schedule(text *t, format data)
{
    static const char *const word[] = {"every", "fma", "acc32", "recurrent", "cast", "chunk64"};
    schedule s = {.data = data, .weights = data, .work = data, .state = data};
    s.order = (order)read_word(t, "schedule ", word, 6);
    const bool in_fp32 = s.order == ACC32 || s.order == RECURRENT || s.order == CHUNK64;
    s.weights.round = NEAREST;
    if (in_fp32) s.work = fp32;
    if (s.order == RECURRENT || s.order == CHUNK64) s.state = fp32;
    if (in_fp32 &&
        (data.p > fp32.p || data.emax > fp32.emax || data.emin - data.p < fp32.emin - fp32.p))
        reject(t, "the schedule is not for this format");
    s.normalised = comes(t, " eps ");
    if (s.normalised) {
        s.eps = read_real(t, " eps ");
        s.raw = read_real(t, " raw ");
        if (s.eps.m < 0 || s.raw.m <= 0) reject(t, "no such key normalisation");
    }
    return s;
}

/* Returns the entries of v divided by sqrt(square), without those that become 0. */
reals weights(const format *f, const vector *v, mpq_srcptr square)
{
    reals out = {grab(v->count, sizeof *out.at), 0};
    for (const struct entry *e = v->entry; e < behind(v); e++) {
        const real r = weight(f, e->value, square);
        if (r.m != 0) out.at[out.count++] = (struct place){e->index, r};
    }
    return out;
}

/* Returns 1 / sqrt(s + eps) in fp32, for the sum s of the squares; eps as it is or as a number of
 * fp32, which must give the same result. */
static real inverse_root(const schedule *s, real sum)
{
    mpq_t q;
    mpq_init(q);
    set_real(q, s->eps);
    const real exact = plus(&fp32, sum, s->eps), first = plus(&fp32, sum, weight(&fp32, q, NULL));
    if (!same_real(exact, first)) give_up("eps is no number of fp32, and it matters");
    if (exact.e == NOT_FINITE || exact.m == 0) return not_finite;
    set_real(q, exact);
    const real root = weight(&fp32, q, q);
    set_real(q, root);
    mpq_inv(q, q);
    const real inverse = weight(&fp32, q, NULL);
    mpq_clear(q);
    return inverse;
}

/* Returns keys as libraries compute them. They are exact if the results are, whatever was rounded
 * on the way. */
static reals normalised(const schedule *s, const vector *u, mpq_srcptr square)
{
    mpq_t scale, x;
    mpq_inits(scale, x, NULL);
    for (size_t i = 0; i < u->count; i++) {
        mpq_abs(x, u->entry[i].value);
        if (mpq_cmp(x, scale) > 0) mpq_set(scale, x);
    }
    set_real(x, s->raw);
    mpq_div(scale, x, scale);
    const bool before = lost;
    real sum = {0, 0};
    reals k = {grab(u->count, sizeof *k.at), 0};
    for (size_t i = 0; i < u->count; i++) {
        mpq_mul(x, u->entry[i].value, scale);
        const real r = weight(&s->weights, x, NULL);
        if (r.m != 0) k.at[k.count++] = (struct place){u->entry[i].index, r};
        sum = plus(&fp32, sum, times(&fp32, r, r));
    }
    const real inverse = inverse_root(s, sum);
    bool right = k.count == u->count;
    size_t kept = 0;
    for (size_t i = 0; i < k.count; i++) {
        real r = times(&fp32, k.at[i].value, inverse);
        if (s->order != RECURRENT) r = times(&s->weights, r, one);
        lost = false;
        right = right && same_real(r, weight(&fp32, u->entry[i].value, square)) && !lost;
        if (r.m != 0) k.at[kept++] = (struct place){k.at[i].index, r};
    }
    k.count = kept;
    lost = before || !right;
    mpq_clears(scale, x, NULL);
    return k;
}

/* Makes A and B of the transition from its effect on the unit vectors, and on 0. */
static void make_matrices(turn *out, const schedule *s, const head *h, const transition *w,
                          mpq_t *m)
{
    const size_t n = h->n, d = h->d, width = n + d; /* A and B are side by side in m */
    spend(1 + n * width / 4);
    clear(m, n * width);
    for (size_t i = 0; i < n; i++) mpq_set(m[i * width + i], w->gate);
    for (const factor *f = w->factor; f < w->factor + w->factors; f++) {
        factor wide_one = *f;
        wide_one.c.entry = grab(f->c.count, sizeof *f->c.entry);
        for (size_t i = 0; i < f->c.count; i++) {
            wide_one.c.entry[i] = f->c.entry[i];
            wide_one.c.entry[i].index += n;
        }
        apply(m, width, &wide_one);
    }
    for (const struct entry *e = w->bias.entry; e < behind(&w->bias); e++) {
        mpq_t *b = &m[e->index / d * width + n + e->index % d];
        mpq_add(*b, *b, e->value);
    }
    size_t entries[2] = {0, 0};
    for (size_t i = 0; i < n * width; i++) entries[i % width >= n] += mpq_sgn(m[i]) != 0;
    struct place *at = grab(entries[0], sizeof *at);
    out->row = grab(n, sizeof *out->row);
    out->bias.at = grab(entries[1], sizeof *out->bias.at);
    for (size_t i = 0; i < n; at += out->row[i++].count) {
        out->row[i].at = at;
        for (size_t k = 0; k < width; k++) {
            if (mpq_sgn(m[i * width + k]) == 0) continue;
            const real r = weight(&s->weights, m[i * width + k], NULL);
            reals *to = k < n ? &out->row[i] : &out->bias;
            if (r.m != 0) to->at[to->count++] = (struct place){k < n ? k : i * d + k - n, r};
        }
    }
}

static void make_turn(turn *out, const schedule *s, const head *h, const transition *w)
{
    mpq_t square;
    mpq_init(square);
    out->gate = weight(&s->weights, w->gate, NULL);
    out->push = grab(out->pushes = w->factors, sizeof *out->push);
    for (size_t i = 0; i < w->factors; i++) {
        const factor *f = &w->factor[i];
        mpq_srcptr by = h->raw ? NULL : square;
        square_of(square, &f->w);
        out->push[i].key =
            s->normalised ? normalised(s, &f->w, by) : weights(&s->weights, &f->w, by);
        out->push[i].value = weights(&s->weights, &f->c, by);
        out->push[i].beta = weight(&s->weights, f->beta, NULL);
    }
    out->bias = weights(&s->weights, &w->bias, NULL);
    mpq_clear(square);
}

bool make_turns(const schedule *s, const head *h)
{
    const size_t n = h->n, width = h->n + h->d;
    if (h->k) give_up("a head over a field or with a form in a number format");
    if (s->normalised && (h->raw || s->order == CAST))
        give_up("no key normalisation in raw heads and in cast");
    mpq_t *m = zeros(s->order == CAST ? product_of(n, width) : 0);
    lost = false;
    for (struct slot *j = h->slot; j < h->slot + h->slots; j++) {
        j->in = grab(j->values, sizeof *j->in);
        for (size_t v = 0; v < j->values; v++)
            if (s->order == CAST)
                make_matrices(&j->in[v], s, h, &j->on[v], m);
            else
                make_turn(&j->in[v], s, h, &j->on[v]);
    }
    for (size_t i = 0; s->order == CAST && i < n * width; i++) mpq_clear(m[i]);
    return !lost;
}

/* Applies one factor in every, fma, acc32, column by column. */
static void push_in_order(const schedule *s, const struct push *p, real *S, size_t d)
{
    const format *f = &s->work;
    const struct place *first = p->key.at, *end = first + p->key.count, *v = p->value.at;
    for (size_t j = 0; j < d && first < end; j++, S++) {
        real r = {0, 0};
        for (const struct place *k = first; k < end; k++)
            r = s->order == FMA ? fused(f, k->value, S[k->index * d], r)
                                : plus(f, r, times(f, k->value, S[k->index * d]));
        if (v < p->value.at + p->value.count && v->index == j) r = plus(f, r, minus(v++->value));
        r = times(f, p->beta, r);
        for (const struct place *k = first; k < end; k++) {
            real *to = &S[k->index * d];
            *to = s->order == FMA ? fused(f, minus(k->value), r, *to)
                                  : plus(f, *to, minus(times(f, k->value, r)));
        }
    }
}

/* Applies one factor in recurrent; p has room for the sum by halves. */
static void push_by_halves(const schedule *s, const struct push *p, real *S, size_t n, size_t d,
                           real *sum)
{
    const format *f = &s->work;
    const struct place *end = p->key.at + p->key.count, *v = p->value.at;
    size_t half = 1;
    while (half < n) half *= 2;
    for (size_t j = 0; j < d; j++, S++) {
        for (size_t i = 0; i < half; i++) sum[i] = (real){0, 0};
        for (const struct place *k = p->key.at; k < end; k++)
            sum[k->index] = times(f, k->value, S[k->index * d]);
        for (size_t h = half / 2; h > 0; h /= 2)
            for (size_t i = 0; i < h; i++) sum[i] = plus(f, sum[i], sum[i + h]);
        real r = minus(sum[0]);
        if (v < p->value.at + p->value.count && v->index == j) r = plus(f, v++->value, r);
        r = times(f, p->beta, r);
        for (const struct place *k = p->key.at; k < end; k++)
            S[k->index * d] = fused(f, k->value, r, S[k->index * d]);
    }
}

/* Does S <- A S + B in cast, each entry a sum rounded once. */
static void multiply(const schedule *s, const turn *w, real *S, const head *h,
                     const step_room *room)
{
    const struct place *b = w->bias.at, *end = b + w->bias.count;
    memcpy(room->old, S, h->entries * sizeof *room->old);
    for (size_t at = 0; at < h->entries; at++) {
        const reals *row = &w->row[at / h->d];
        size_t count = 0;
        for (; count < row->count; count++) {
            room->left[count] = row->at[count].value;
            room->right[count] = room->old[row->at[count].index * h->d + at % h->d];
        }
        if (b < end && b->index == at) {
            room->left[count] = (b++)->value;
            room->right[count++] = one;
        }
        spend(1 + count);
        S[at] = sum_of(&s->data, room->left, room->right, count);
    }
}

void turn_head(const schedule *s, const head *h, const turn *w, real *S, const step_room *room)
{
    if (s->order == CAST) {
        multiply(s, w, S, h, room);
        return;
    }
    spend(1 + h->entries / 4);
    for (size_t i = 0; !same_real(w->gate, one) && i < h->entries; i++)
        S[i] = times(&s->work, S[i], w->gate);
    for (const struct push *p = w->push; p < w->push + w->pushes; p++) {
        spend(1 + h->d * (s->order == RECURRENT ? h->n : p->key.count) / 2);
        if (s->order == RECURRENT)
            push_by_halves(s, p, S, h->n, h->d, room->old);
        else
            push_in_order(s, p, S, h->d);
    }
    for (const struct place *b = w->bias.at; b < w->bias.at + w->bias.count; b++)
        S[b->index] = plus(&s->work, S[b->index], b->value);
    for (size_t i = 0; s->order == ACC32 && i < h->entries; i++) S[i] = times(&s->data, S[i], one);
}

step_room make_room(const network *net)
{
    const size_t row = net->key + 1, state = product_of(2, net->key) + net->entries;
    return (step_room){grab(row, sizeof(real)), grab(row, sizeof(real)), grab(state, sizeof(real))};
}
