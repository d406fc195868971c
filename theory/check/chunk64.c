/* Nothing rounds in chunk64, where 64 letters are taken at once: U7 to U10 of
 * theory/pages/unrounded.md.
 *
 * After a line `unrounded .. schedule chunk64 ..`, for every head:
 *     set layer l head h vectors N                             N times, in this order:
 *     vector column j I:V .. / image I:V .. / back I:V ..        U7: C_1, .. C_d, I, J
 *     bound layer l head h WHAT places S most V                U9: for each WHAT in its order
 *
 * The sets of vectors are closed under the letters, and bound all sums that the schedule forms, in
 * any order. Accumulators are those of fp32, 24 bits in every partial sum: U9 says so. */
#include "theory/check/unrounded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Multiples of 2^-places, at most `most` in absolute value; places is 0 where most is. */
typedef struct span {
    long places;
    mpq_t most;
} span;

enum what {
    KEY,
    BETA,
    VALUE,
    GRAM,
    SCALED,
    INVERSE,
    INVERSE_SUMS,
    BETA_KEY,
    BETA_VALUE,
    W,
    W_SUMS,
    U_SUMS,
    NEW,
    NEW_SUMS,
    STATE,
    STATE_SUMS,
    OUTPUT_SUMS,
    WHATS
};

/* Vectors and bounds of a head for chunk64; set: [d] columns, images, back images. */
typedef struct proof {
    set *set;
    vector *vector; /* in the order of the file, which is the order of the sets */
    span bound[WHATS];
} proof;

static void read_set(proof *p, text *t, const head *h, size_t l, size_t number_of_head)
{
    number(t, "set layer ", l, l);
    number(t, " head ", number_of_head, number_of_head);
    const size_t vectors = count_of(t, " vectors ", h->d, sizeof "vector back"), kinds = h->d + 2;
    end_line(t);
    p->set = grab(kinds, sizeof *p->set);
    p->vector = grab(vectors, sizeof *p->vector);
    for (size_t i = 0, kind = 0; i < vectors; i++) {
        const bool column = comes(t, "vector column "), image = comes(t, "vector image");
        if (!column) expect(t, image ? "vector image" : "vector back");
        const size_t this = column ? number(t, "vector column ", 1, h->d) - 1 : h->d + !image;
        const char *from = t->at;
        p->vector[i] = read_vector(t, h->n, 0, 1);
        if (this < kind || !add(&p->set[this], (name){from, (size_t)(t->at - from)}))
            reject(t, "expected vectors in order, each once");
        if (!column && p->vector[i].count == 0) reject(t, "a vector that is 0");
        kind = this;
        end_line(t);
    }
}

static void read_bounds(proof *p, text *t, size_t l, size_t number_of_head)
{
    static const char *const what[] = {
        "key",          "beta",     "value",      "gram",       "scaled",     "inverse",
        "inverse-sums", "beta-key", "beta-value", "w",          "w-sums",     "u-sums",
        "new",          "new-sums", "state",      "state-sums", "output-sums"};
    for (size_t i = 0; i < WHATS; i++) {
        number(t, "bound layer ", l, l);
        number(t, " head ", number_of_head, number_of_head);
        expect(t, " ");
        expect(t, what[i]);
        p->bound[i].places = read_exponent(t, " places ");
        mpq_init(p->bound[i].most);
        rational(t, " most ", p->bound[i].most, 0);
        end_line(t);
    }
}

struct proof *read_proofs(const problem *x, text *t)
{
    size_t heads = 0;
    if (x->net.wired) give_up("chunk64 in a wired network");
    for (size_t l = 0; l < x->net.stages; l++) heads += x->net.block[l].heads;
    proof *first = grab(heads, sizeof *first), *p = first;
    for (size_t l = 0; l < x->net.stages; l++)
        for (size_t h = 0; h < x->net.block[l].heads; h++, p++) {
            read_set(p, t, &x->net.block[l].head[h], l + 1, h + 1);
            read_bounds(p, t, l + 1, h + 1);
        }
    return first;
}

static bool larger(const mpq_t a, const mpq_t b)
{
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, a);
    const bool is = mpq_cmp(size, b) > 0;
    mpq_clear(size);
    return is;
}

static void include(span *b, mpq_t number)
{
    if (mpq_sgn(number) == 0) return;
    const long below = (long)mpz_scan1(mpq_denref(number), 0),
               above = (long)mpz_scan1(mpq_numref(number), 0);
    const bool first = mpq_sgn(b->most) == 0;
    if (mpz_sizeinbase(mpq_denref(number), 2) != (size_t)below + 1)
        give_up("a number that is not dyadic");
    b->places = first || below - above > b->places ? below - above : b->places;
    if (larger(number, b->most)) mpq_abs(b->most, number);
}

/* Returns whether every multiple of 2^-places up to `most` fits the format. */
static bool fits(const format *f, const span *b)
{
    mpq_t bound;
    mpq_init(bound);
    set_real(bound, f->largest);
    bool right = mpq_cmp(b->most, bound) <= 0;
    const long least = f->subnormals ? f->emin - f->p + 1 : f->emin, top = f->p - b->places;
    mpq_set_ui(bound, 1, 1);
    if (top > 0) mpq_mul_2exp(bound, bound, (mp_bitcnt_t)top);
    if (top < 0) mpq_div_2exp(bound, bound, (mp_bitcnt_t)-top);
    right = right && mpq_cmp(b->most, bound) <= 0 && -b->places >= least;
    right = right || mpq_sgn(b->most) == 0;
    mpq_clear(bound);
    return right;
}

/* Computes r = beta (v - k^T y), y += r k; q: scratch. */
static void push_exact(const struct push *p, mpq_t *y, mpq_t v, mpq_t r, mpq_t q)
{
    mpq_set(r, v);
    for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
        set_real(q, k->value);
        mpq_mul(q, q, y[k->index]);
        mpq_sub(r, r, q);
        spend_on(r);
    }
    set_real(q, p->beta);
    mpq_mul(r, r, q);
    for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
        set_real(q, k->value);
        mpq_mul(q, q, r);
        mpq_add(y[k->index], y[k->index], q);
        spend_on(y[k->index]);
    }
}

static void get_place(mpq_t out, const reals *v, size_t index)
{
    mpq_set_ui(out, 0, 1);
    spend(1 + v->count / 16);
    for (size_t i = 0; i < v->count; i++)
        if (v->at[i].index == index) set_real(out, v->at[i].value);
}

/* A head and the contents that its sets must have, while bounds are found. */
typedef struct chunking {
    const unrounded *u;
    const head *h;
    proof *p;
    span bound[WHATS];
    mpq_t *y, q[4]; /* y: [n] */
} chunking;

static void include_all(chunking *c, enum what b)
{
    for (size_t i = 0; i < c->h->n; i++) include(&c->bound[b], c->y[i]);
}

/* Returns n numbers as read_vector reads them, in memory of resize. Equal ones are spelled
 * alike. */
static name spell(mpq_t *number, size_t n)
{
    size_t size = 0, room = 1;
    char *spelled = resize(NULL, 0, room);
    for (size_t i = 0; i < n; i++) {
        if (mpq_sgn(number[i]) == 0) continue;
        const size_t digits =
            mpz_sizeinbase(mpq_numref(number[i]), 10) + mpz_sizeinbase(mpq_denref(number[i]), 10);
        spelled = resize(spelled, room, size + digits + 48);
        room = size + digits + 48;
        size += (size_t)sprintf(spelled + size, " %zu", i + 1);
        size += (size_t)gmp_sprintf(spelled + size, ":%Qd", number[i]);
        spend_on(number[i]);
    }
    spelled = resize(spelled, room, size + 1);
    return (name){spelled, size};
}

/* Rejects unless y is in the set; 0 need not be in sets of images and of back images. */
static void need_listed(const chunking *c, size_t kind)
{
    spend(1 + c->h->n / 8);
    const name spelled = spell(c->y, c->h->n);
    if ((spelled.size > 0 || kind < c->h->d) && find(&c->p->set[kind], spelled) == NONE)
        reject(&c->u->line, "chunk64: a set of vectors is not closed");
    release((char *)spelled.bytes, spelled.size + 1);
}

/* Runs from y through factors first .. last - 1 of the letter, or back from last - 1 to first. */
static void run_through(chunking *c, size_t kind, const turn *w, size_t first, size_t last)
{
    const size_t d = c->h->d;
    spend(1 + (1 + last - first) * c->h->n);
    if (kind != d) include_all(c, kind < d ? STATE : W);
    for (size_t i = first; i < last; i++) {
        const struct push *p = &w->push[kind > d ? first + last - 1 - i : i];
        mpq_set_ui(c->q[0], 0, 1);
        if (kind < d) get_place(c->q[0], &p->value, kind);
        push_exact(p, c->y, c->q[0], c->q[1], c->q[2]);
        if (kind <= d) include(&c->bound[kind < d ? NEW : INVERSE], c->q[1]);
        if (kind != d) include_all(c, kind < d ? STATE : W);
    }
    need_listed(c, kind);
}

static void set_vector(chunking *c, const vector *v)
{
    clear(c->y, c->h->n);
    for (size_t i = 0; i < v->count; i++) mpq_set(c->y[v->entry[i].index], v->entry[i].value);
}

static void set_key(chunking *c, const struct push *p, bool times_beta)
{
    clear(c->y, c->h->n);
    set_real(c->q[0], times_beta ? p->beta : one);
    for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
        set_real(c->q[1], k->value);
        mpq_mul(c->y[k->index], c->q[0], c->q[1]);
    }
}

/* Checks all runs (U7). */
static void check_runs(chunking *c, const block *y)
{
    const size_t d = c->h->d;
    const vector *v = c->p->vector;
    for (size_t kind = 0; kind < d + 2; kind++)
        for (size_t i = 0; i < c->p->set[kind].count; i++, v++)
            for (size_t a = 0; a < y->letters; a++) {
                set_vector(c, v);
                run_through(c, kind, &c->h->slot->in[a], 0, c->h->slot->in[a].pushes);
            }
    for (size_t a = 0; a < y->letters; a++) {
        const turn *w = &c->h->slot->in[a];
        for (size_t q = 0; q < w->pushes; q++) {
            for (size_t j = 0; j < d && q > 0; j++) {
                clear(c->y, c->h->n);
                run_through(c, j, w, q, w->pushes);
            }
            set_key(c, &w->push[q], false);
            run_through(c, d, w, q + 1, w->pushes);
            set_key(c, &w->push[q], true);
            run_through(c, d + 1, w, 0, q);
        }
    }
}

/* Checks that the columns of a state are in their sets, zero columns included. */
static void check_columns(chunking *c, const vector *state)
{
    for (size_t j = 0; j < c->h->d; j++) {
        clear(c->y, c->h->n);
        for (const struct entry *e = state->entry; e < behind(state); e++)
            if (e->index % c->h->d == j) mpq_set(c->y[e->index / c->h->d], e->value);
        need_listed(c, j);
    }
}

/* Adds the bounds of keys and writes (U9). */
static void include_weights(chunking *c, const turn *w)
{
    for (const struct push *p = w->push; p < w->push + w->pushes; p++) {
        mpq_set_ui(c->q[2], 0, 1);
        set_real(c->q[0], p->beta);
        include(&c->bound[BETA], c->q[0]);
        for (size_t i = 0; i < p->key.count + p->value.count; i++) {
            const bool key = i < p->key.count;
            set_real(c->q[1], key ? p->key.at[i].value : p->value.at[i - p->key.count].value);
            include(&c->bound[key ? KEY : VALUE], c->q[1]);
            mpq_mul(c->q[3], c->q[1], c->q[0]);
            include(&c->bound[key ? BETA_KEY : BETA_VALUE], c->q[3]);
            mpq_mul(c->q[3], c->q[1], c->q[1]);
            if (key) mpq_add(c->q[2], c->q[2], c->q[3]);
        }
        if (mpq_cmp(c->q[2], c->bound[GRAM].most) > 0) mpq_set(c->bound[GRAM].most, c->q[2]);
    }
}

/* Sets out to the bound of count products a b. */
static void set_product(span *out, unsigned long count, const span *a, const span *b)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(product, count, 1);
    mpq_mul(product, product, a->most);
    mpq_mul(out->most, product, b->most);
    out->places = a->places + b->places;
    mpq_clear(product);
}

static void add_span(span *out, const span *b)
{
    out->places = MAXIMUM(out->places, b->places);
    mpq_add(out->most, out->most, b->most);
}

/* Sets the other bounds of U9 from the known ones. */
static void set_sums(span *b, const head *h)
{
    b[GRAM].places = 2 * b[KEY].places;
    set_product(&b[SCALED], 1, &b[BETA], &b[GRAM]);
    set_product(&b[INVERSE_SUMS], 768, &b[SCALED], &b[INVERSE]);
    set_product(&b[INVERSE_SUMS], 1, &b[INVERSE_SUMS], &b[INVERSE]);
    set_product(&b[W_SUMS], 64, &b[INVERSE], &b[BETA_KEY]);
    set_product(&b[U_SUMS], 64, &b[INVERSE], &b[BETA_VALUE]);
    set_product(&b[NEW_SUMS], h->n, &b[W], &b[STATE]);
    add_span(&b[NEW_SUMS], &b[NEW]);
    set_product(&b[STATE_SUMS], 64, &b[KEY], &b[NEW]);
    add_span(&b[STATE_SUMS], &b[STATE]);
    set_product(&b[OUTPUT_SUMS], 64 * h->householders, &b[KEY], &b[NEW]);
    add_span(&b[OUTPUT_SUMS], &b[STATE]);
}

/* Checks U10 for one head. */
void check_chunks(problem *x, const unrounded *u, size_t l, const head *h, size_t number_of_proof)
{
    proof *p = &u->proof[number_of_proof];
    static const bool in_fp32[WHATS] = {
        [GRAM] = true,   [SCALED] = true,   [INVERSE_SUMS] = true, [W_SUMS] = true,
        [U_SUMS] = true, [NEW_SUMS] = true, [STATE_SUMS] = true,   [OUTPUT_SUMS] = true};
    const block *y = &x->net.block[l];
    const size_t number_of_head = (size_t)(h - y->head);
    chunking c = {.u = u, .h = h, .p = p, .y = x->state};
    for (size_t i = 0; i < WHATS; i++) mpq_init(c.bound[i].most);
    for (size_t i = 0; i < 4; i++) mpq_init(c.q[i]);
    for (size_t a = 0; a < y->letters; a++) {
        const transition *w = &h->slot->on[a];
        if (mpq_cmp_ui(w->gate, 1, 1) != 0 || w->bias.count > 0)
            reject(&u->line, "chunk64 with a gate or a bias");
        include_weights(&c, &h->slot->in[a]);
    }
    check_columns(&c, &(vector){0});
    check_columns(&c, &x->net.stage[l].initial[number_of_head]);
    for (size_t i = 0; i < y->readout->codes; i++)
        check_columns(&c, &y->readout[number_of_head].code[i]);
    set_real(c.q[0], one);
    include(&c.bound[INVERSE], c.q[0]);
    check_runs(&c, y);
    set_sums(c.bound, h);
    for (size_t i = 0; i < WHATS; i++) {
        if (c.bound[i].places != p->bound[i].places ||
            !mpq_equal(c.bound[i].most, p->bound[i].most))
            reject(&u->line, "layer %zu, head %zu: bound %zu is another one", l + 1,
                   number_of_head + 1, i + 1);
        if (!fits(in_fp32[i] ? &fp32 : &u->schedule.data, &c.bound[i]))
            reject(&u->line, "layer %zu, head %zu: bound %zu does not fit the format", l + 1,
                   number_of_head + 1, i + 1);
        mpq_clear(c.bound[i].most);
    }
    for (size_t i = 0; i < 4; i++) mpq_clear(c.q[i]);
}
