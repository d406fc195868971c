/* Operation schedules: what is rounded when in one step of a head (real.h). */
#include "theory/check/real.h"
#include <string.h>

#define MOST_CHAINS (4096 * 17) /* of the sums of a row by lanes */

/* Reads the line SCHEDULE, except its end. The values of the three orders that work in fp32 must be
 * values of fp32. */
schedule read_schedule(text *t, format data)
{
    static const char *const word[] = {"every", "fma", "acc32", "recurrent", "cast", "chunk64"};
    schedule s = {.data = data, .weights = data, .work = data, .state = data, .row = plain_row()};
    if (comes(t, "schedule row ")) {
        expect(t, "schedule ");
        s.order = ENGINE;
        s.row = read_row(t, &data, &s.work, &s.state);
    } else {
        s.order = (order)read_word(t, "schedule ", word, 6);
        if (s.order == CHUNK64 && comes(t, ",")) read_keys_row(&s.row, t);
    }
    const bool in_fp32 = s.order == ACC32 || s.order == RECURRENT || s.order == CHUNK64 ||
                         (s.order == ENGINE && s.work.p == fp32.p && s.work.emax == fp32.emax);
    s.weights.round = NEAREST;
    if (in_fp32 && s.order != ENGINE) s.work = fp32;
    if (s.order == RECURRENT || s.order == CHUNK64) s.state = fp32;
    if (in_fp32 &&
        (data.p > fp32.p || data.emax > fp32.emax || data.emin - data.p < fp32.emin - fp32.p))
        reject(t, "the schedule is not for this format");
    s.normalised = comes(t, " eps ");
    if (!s.normalised && (s.row.norm != RECIPROCAL || s.row.narrow_norm))
        reject(t, "norm and norm-in are for keys that are normalised: eps is missing");
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

/* Returns n > 0 as a number with an odd part. */
static real whole_real(size_t n)
{
    real r = {(int64_t)n, 0};
    for (; r.m % 2 == 0; r.m /= 2) r.e++;
    return r;
}

/* Rounds the keys into the format of operands, and leaves out those that become 0. */
static void narrow_keys(const engine_row *r, reals *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < key->count; i++) {
        const real x = times(&r->operands, key->at[i].value, one);
        if (x.m != 0) key->at[kept++] = (struct place){key->at[i].index, x};
    }
    key->count = kept;
}

/* Returns x + eps in fp32; eps as it is or as a number of fp32, which must give the same result. */
static real plus_eps(const schedule *s, real x)
{
    mpq_t q;
    mpq_init(q);
    set_real(q, s->eps);
    const real exact = plus(&fp32, x, s->eps), first = plus(&fp32, x, weight(&fp32, q, NULL));
    if (!same_real(exact, first)) give_up("eps is no number of fp32, and it matters");
    mpq_clear(q);
    return exact;
}

/* Returns x / sqrt(square), or x / sqrt(1), in fp32; square > 0 and finite. */
static real over_root(real x, real square)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    set_real(a, x);
    set_real(b, square);
    const real r = weight(&fp32, a, b);
    mpq_clears(a, b, NULL);
    return r;
}

real ratio_of(real x, real y)
{
    mpq_t a, b;
    if (x.e == NOT_FINITE || y.e == NOT_FINITE || y.m == 0) return not_finite;
    mpq_inits(a, b, NULL);
    set_real(a, x);
    set_real(b, y);
    mpq_div(a, a, b);
    const real r = weight(&fp32, a, NULL);
    mpq_clears(a, b, NULL);
    return r;
}

/* Returns a result of the norm as the row has it: in fp32, or then rounded into the format. */
static real settled(const schedule *s, real x)
{
    return s->row.narrow_norm ? times(&s->weights, x, one) : x;
}

/* Returns the larger one of the sum and e e, e being eps in fp32. */
static real larger_square(const schedule *s, real sum)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    set_real(a, s->eps);
    const real e = weight(&fp32, a, NULL), square = settled(s, times(&fp32, e, e));
    if (square.e != NOT_FINITE) set_real(a, square);
    if (sum.e != NOT_FINITE) set_real(b, sum);
    const bool is_sum = square.e != NOT_FINITE && (sum.e == NOT_FINITE || mpq_cmp(b, a) > 0);
    mpq_clears(a, b, NULL);
    return is_sum ? sum : square;
}

/* Returns what is under the root. */
static real square_of_norm(const schedule *s, enum norm norm, real sum, size_t n)
{
    if (norm == OUTSIDE || norm == LARGER) return norm == LARGER ? larger_square(s, sum) : sum;
    if (norm == MEAN) sum = settled(s, ratio_of(sum, whole_real(n)));
    return sum.e == NOT_FINITE ? sum : settled(s, plus_eps(s, sum));
}

/* Returns by what a key is multiplied, or divided, for the sum of the squares. */
static real norm_of(const schedule *s, real sum, size_t n, bool *divides)
{
    const enum norm norm = s->row.norm;
    const real square = square_of_norm(s, norm, sum, n);
    *divides = norm == QUOTIENT || norm == OUTSIDE;
    if (square.e == NOT_FINITE || square.m == 0) return not_finite;
    if (norm == RSQRT || norm == LARGER || norm == MEAN) return settled(s, over_root(one, square));
    const real root = settled(s, over_root(square, square));
    if (norm == OUTSIDE) return settled(s, plus_eps(s, root));
    return norm == QUOTIENT ? root : settled(s, ratio_of(one, root));
}

/* Returns the sum of the squares in the order of the row. */
static real squares_in_order(const schedule *s, const reals *k, size_t n)
{
    const size_t lanes = 2 * (n + s->row.squares.lanes);
    const void *before = newest_memory();
    real *x = grab(n, sizeof *x),
         *chain = grab(product_of(lanes, s->row.squares.chains + 1), sizeof *chain);
    reals squares = {grab(k->count, sizeof *squares.at), k->count};
    for (size_t i = 0; i < k->count; i++) {
        const struct place p = k->at[i];
        x[p.index] = one;
        squares.at[i] = (struct place){p.index, settled(s, times(&fp32, p.value, p.value))};
    }
    const real sum = sum_in_order(&fp32, &s->row.squares, false, &squares, x, NULL, 1, n, chain);
    free_newer(before);
    return settled(s, sum);
}

/* Returns keys as libraries compute them. They are exact if the results are, whatever was rounded
 * on the way. */
static reals normalised(const schedule *s, const vector *u, mpq_srcptr square, size_t n)
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
    reals k = {grab(u->count, sizeof *k.at), 0};
    for (size_t i = 0; i < u->count; i++) {
        mpq_mul(x, u->entry[i].value, scale);
        const real r = weight(&s->weights, x, NULL);
        if (r.m != 0) k.at[k.count++] = (struct place){u->entry[i].index, r};
    }
    const real sum = squares_in_order(s, &k, n);
    bool divides;
    const real by = norm_of(s, sum, n, &divides);
    if (k.count == 0 && u->count > 0 && by.e == NOT_FINITE)
        give_up("a key is zero before it is normalised, and eps is 0");
    const bool mean = s->row.norm == MEAN;
    /* rms divides by the root of the mean square, and then multiplies by this. */
    const real root_of_n = mean ? settled(s, over_root(one, whole_real(n))) : one;
    bool right = k.count == u->count;
    size_t kept = 0;
    for (size_t i = 0; i < k.count; i++) {
        const bool in_fp32 = s->order == RECURRENT || (s->order == ENGINE && s->row.wide_keys);
        real r = settled(s, divides && by.e != NOT_FINITE ? ratio_of(k.at[i].value, by)
                                                          : times(&fp32, k.at[i].value, by));
        if (mean) r = settled(s, times(&fp32, r, root_of_n));
        if (!in_fp32) r = times(&s->weights, r, one);
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
    const bool row = s->order == ENGINE;
    out->gate = weight(row && s->row.wide_gate ? &fp32 : &s->weights, w->gate, NULL);
    if (row && s->row.ring && (!same_real(out->gate, one) || w->bias.count > 0))
        give_up("a ring with gates or biases");
    out->push = grab(out->pushes = w->factors, sizeof *out->push);
    for (size_t i = 0; i < w->factors; i++) {
        const factor *f = &w->factor[i];
        mpq_srcptr by = h->raw ? NULL : square;
        square_of(square, &f->w);
        out->push[i].key =
            s->normalised ? normalised(s, &f->w, by, h->n) : weights(&s->weights, &f->w, by);
        if (row && s->row.narrow_operands) narrow_keys(&s->row, &out->push[i].key);
        out->push[i].value = weights(&s->weights, &f->c, by);
        const bool known = mpq_sgn(f->beta) == 0 || mpq_cmp_ui(f->beta, 1, 1) == 0 ||
                           mpq_cmp_ui(f->beta, 2, 1) == 0;
        if (row && s->row.logit && !known) give_up("the logit of a beta that is not 0, 1 or 2");
        out->push[i].beta = weight(row && s->row.wide_beta ? &fp32 : &s->weights, f->beta, NULL);
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

/* Makes the state again from the stored one, S, which `old` then has, and the sums of the ring. */
static void make_from_ring(const head *h, real *S, const step_room *room)
{
    for (size_t i = 0; i < h->entries; i++) {
        room->old[i] = S[i];
        S[i] = plus(&fp32, S[i], room->beside[i]);
    }
}

/* Keeps of a state that was made from a ring the one that is stored: before the next store the same
 * as before, and after it with an empty ring. */
static void settle_ring(const head *h, real *S, const step_room *room)
{
    for (size_t i = 0; i < h->entries; i++) {
        if (room->waits)
            S[i] = room->old[i];
        else
            room->beside[i] = (real){0, 0};
    }
}

/* Copies what is read of a head, before its store or after it, and stores it, if it does not wait.
 */
static void keep_row(const schedule *s, const head *h, real *S, bool start, const step_room *room)
{
    const format output = s->row.output;
    for (size_t i = 0; start && i < h->entries; i++) {
        if (s->row.prompt) times(&s->row.handover, S[i], one);
        if (s->row.ring) need_ring(S[i]);
    }
    for (size_t i = 0; s->row.reads && (s->row.unstored || s->row.layers) && i < h->entries; i++)
        room->read[h->at + i] = times(&output, S[i], one);
    if (s->row.layers) return;
    if (!room->waits || start)
        store_row(&s->row, S, h->n, h->d, start, room->old, s->row.ring ? NULL : room->beside);
    for (size_t i = 0; s->row.reads && !s->row.unstored && i < h->entries; i++)
        room->read[h->at + i] = times(&output, S[i], one);
}

void turn_head(const schedule *s, const head *h, const turn *w, real *S, const step_room *room)
{
    if (s->order == CAST) {
        multiply(s, w, S, h, room);
        return;
    }
    spend(1 + h->entries / (room->beside ? 1 : 4));
    const bool rings = s->order == ENGINE && s->row.ring && room->beside;
    if (rings) make_from_ring(h, S, room);
    const bool late = s->order == ENGINE && s->row.gate != EARLY && w->pushes > 0;
    for (size_t i = 0; !late && !same_real(w->gate, one) && i < h->entries; i++)
        S[i] = times(&s->work, S[i], w->gate);
    for (const struct push *p = w->push; p < w->push + w->pushes; p++) {
        spend(1 + h->d * (s->order == RECURRENT ? h->n : p->key.count) / 2);
        if (s->order == ENGINE)
            push_row(&s->row, &s->work, p, late && p == w->push ? w->gate : one, S, h->n, h->d,
                     room);
        else if (s->order == RECURRENT)
            push_by_halves(s, p, S, h->n, h->d, room->old);
        else
            push_in_order(s, p, S, h->d);
        if (s->order == ENGINE && s->row.each_factor && p + 1 < w->push + w->pushes)
            store_row(&s->row, S, h->n, h->d, false, room->old, NULL);
    }
    for (const struct place *b = w->bias.at; b < w->bias.at + w->bias.count; b++)
        S[b->index] = plus(&s->work, S[b->index], b->value);
    for (size_t i = 0; s->order == ACC32 && i < h->entries; i++) S[i] = times(&s->data, S[i], one);
    if (s->order == ENGINE) keep_row(s, h, S, false, room);
    if (rings) settle_ring(h, S, room);
}

void keep_layer(const schedule *s, const block *y, real *S, bool start, const step_room *room)
{
    if (s->order != ENGINE || !s->row.layers || (room->waits && !start)) return;
    store_row(&s->row, S, y->entries, 1, start, room->old, s->row.ring ? NULL : room->beside);
    for (size_t i = 0; s->row.reads && !s->row.unstored && i < y->entries; i++)
        room->read[i] = times(&s->row.output, S[i], one);
}

bool start_head(const schedule *s, const head *h, real *S, const step_room *room)
{
    lost = false;
    if (s->order == ENGINE) keep_row(s, h, S, true, room);
    return !lost;
}

step_room make_room(const network *net)
{
    const size_t row = net->key + 1, state = product_of(2, net->key) + net->entries;
    const size_t chains = MOST_CHAINS + product_of(40, net->key);
    return (step_room){.left = grab(row, sizeof(real)),
                       .right = grab(row, sizeof(real)),
                       .old = grab(state, sizeof(real)),
                       .chain = grab(chains, sizeof(real)),
                       .read = grab(net->entries + 1, sizeof(real)),
                       .key = grab(row, sizeof(struct place))};
}
