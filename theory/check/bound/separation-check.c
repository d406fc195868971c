/* separation-check AUTOMATON CERTIFICATE: can one layer not have one code for each state?
 *
 * The claim (theory/pages/separation.md, SP.3, SP.9): there are no codes u_c in a Euclidean space
 * of any dimension, one for each class c, matrices A(w) with |A(w)| <= 1 and vectors B(w) with
 * u_{c w} = A(w) u_c + B(w), such that the label after every word that is not empty is a function
 * of the code before its last letter, this letter, and the code after it. It is about one code for
 * each class only: networks of one layer that lead to several codes for a class stay open.
 *
 * CERTIFICATE, after the lines of bound.c; a vector is a list I:V .. of its non-zero entries, I a
 * class, increasing, V a rational in lowest terms, with the sum 0:
 *     pair p q               classes
 *     apart LETTERS          one letter or more: the labels of p and q after them differ
 *     step                   one or more steps, with one or more terms each:
 *     form C VECTOR          C z^T G z, C > 0
 *     letter W C VECTOR      C z^T S_W(G) z, C > 0, with S_w(G) = G - F_w^T G F_w
 *     known VECTOR           y^T G z, where G z = 0 is known, and y is in the next line:
 *     with VECTOR
 *     slack W VECTOR         y^T S_W(G) z, where S_W(G) z = 0 is known, and y is in the next line
 *     with VECTOR
 *     end
 *
 * Why it is enough: G(x, y) = <U x, U y> with U e_c = u_c is a form with G >= 0 and S_w(G) >= 0 on
 * the vectors of sum 0. The terms of a step sum to 0 for every symmetric G, which is checked; terms
 * of known vectors are 0, the others are not negative, so that all are 0, and G z = 0 or S_w(G) z =
 * 0 becomes known. G z = 0 gives G F_w z = 0 and S_w(G) z = 0, which the program adds. In the end
 * e_p - e_q is in the span of the known vectors of G: the codes of p and q are equal, and so are
 * the codes after each further letter, and the labels, as the same letters were read since; but
 * `apart` shows two that differ. After no letter this would say nothing: p and q may have been led
 * to by two letters.
 *
 *     s VERIFIED one-layer-one-code infeasible pair P Q steps N label KIND letters K states Q
 *         classes C decoder before-letter-after covers open fsa SHA256
 *         exit status 0; K, Q: of the file; `decoder`: what it may read
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>

/* Vectors in echelon form: row i is 1 at pivot[i], and 0 there in the rows after it. */
typedef struct space {
    mpq_t **row;
    size_t *pivot, count, capacity, pivots;
} space;

/* A vector whose product with G, or S_w(G), is found to be 0: space 0 is of G, 1 + w of letter w.
 */
typedef struct finding {
    size_t space;
    mpq_t *z;
} finding;

typedef struct chain {
    const machine *m;
    size_t n;     /* classes */
    space *known; /* [1 + kinds] */
    mpq_t *sum;   /* [n][n] of the terms of the step */
    mpq_t *image, *other, product;
    finding *found; /* of the step */
    size_t findings, capacity;
} chain;

static mpq_t *new_vector(size_t n)
{
    mpq_t *v = grab(n, sizeof *v);
    for (size_t i = 0; i < n; i++) mpq_init(v[i]);
    return v;
}

/* Reads the rest of a line: a vector of sum 0. */
static mpq_t *read_sum_zero(const chain *x, text *t)
{
    mpq_t *v = new_vector(x->n), total;
    mpq_init(total);
    spend(x->n);
    for (size_t least = 1; *t->at == ' '; least++) {
        const size_t i = number(t, " ", least, x->n);
        rational(t, ":", v[i - 1], 0);
        if (mpq_sgn(v[i - 1]) == 0) reject(t, "expected no zero entries");
        mpq_add(total, total, v[i - 1]);
        spend_on(total);
        least = i;
    }
    if (mpq_sgn(total) != 0) reject(t, "the sum of the entries is not 0");
    mpq_clear(total);
    end_line(t);
    return v;
}

/* Subtracts rows of the space from v; returns the first entry that is left, or NONE. */
static size_t reduce(chain *x, const space *s, mpq_t *v)
{
    for (size_t i = 0; i < s->count; i++) {
        if (mpq_sgn(v[s->pivot[i]]) == 0) continue;
        mpq_set(x->product, v[s->pivot[i]]);
        for (size_t j = 0; j < x->n; j++) {
            if (mpq_sgn(s->row[i][j]) == 0) continue;
            mpq_t part;
            mpq_init(part);
            mpq_mul(part, x->product, s->row[i][j]);
            mpq_sub(v[j], v[j], part);
            spend_on(v[j]);
            mpq_clear(part);
        }
        spend(x->n);
    }
    spend(s->count + x->n);
    for (size_t j = 0; j < x->n; j++)
        if (mpq_sgn(v[j]) != 0) return j;
    return NONE;
}

static mpq_t *copy_of(const chain *x, mpq_t *v)
{
    mpq_t *copy = new_vector(x->n);
    for (size_t i = 0; i < x->n; i++) mpq_set(copy[i], v[i]);
    return copy;
}

/* Adds a copy of v to the space; returns whether it is new there. */
static bool learn(chain *x, space *s, mpq_t *v)
{
    mpq_t *row = copy_of(x, v);
    const size_t pivot = reduce(x, s, row);
    if (pivot == NONE) return false;
    mpq_set(x->product, row[pivot]);
    for (size_t j = 0; j < x->n; j++) mpq_div(row[j], row[j], x->product);
    s->row = grow(s->row, s->count, &s->capacity, sizeof(mpq_t *));
    s->pivot = grow(s->pivot, s->count, &s->pivots, sizeof *s->pivot);
    s->pivot[s->count] = pivot;
    s->row[s->count++] = row;
    return true;
}

/* Sets image to F_w z. */
static void push(const chain *x, mpq_t *image, mpq_t *z, size_t w)
{
    spend(x->n);
    for (size_t c = 0; c < x->n; c++) mpq_set_ui(image[c], 0, 1);
    for (size_t c = 0; c < x->n; c++) {
        mpq_t *to = &image[x->m->next[c * x->m->kinds + w]];
        mpq_add(*to, *to, z[c]);
    }
}

/* Adds or subtracts scale (z y^T + y z^T) / 2, twice. */
static void add_product(chain *x, mpq_t scale, mpq_t *z, mpq_t *y, bool subtract)
{
    spend(x->n * x->n);
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; mpq_sgn(z[i]) != 0 && j < x->n; j++) {
            if (mpq_sgn(y[j]) == 0) continue;
            mpq_t *at = &x->sum[i * x->n + j], *mirrored = &x->sum[j * x->n + i];
            mpq_mul(x->product, z[i], y[j]);
            mpq_mul(x->product, x->product, scale);
            if (subtract) mpq_neg(x->product, x->product);
            mpq_add(*at, *at, x->product);
            mpq_add(*mirrored, *mirrored, x->product);
            spend_on(*at);
            spend_on(*mirrored);
        }
}

/* Adds scale y^T G z, or with w < kinds scale y^T S_w(G) z, as a matrix. */
static void add_term(chain *x, mpq_t scale, mpq_t *z, mpq_t *y, size_t w)
{
    add_product(x, scale, z, y, false);
    if (w == NONE) return;
    push(x, x->image, z, w);
    push(x, x->other, y, w);
    add_product(x, scale, x->image, x->other, true);
}

/* Reads a term "form C z" or "letter W C z", whose vector is learnt after the step. */
static void read_square(chain *x, text *t, bool of_letter)
{
    mpq_t scale;
    mpq_init(scale);
    expect(t, of_letter ? "letter" : "form");
    const size_t w = of_letter ? number(t, " ", 1, x->m->kinds) - 1 : NONE;
    rational(t, " ", scale, 0);
    if (mpq_sgn(scale) <= 0) reject(t, "expected a positive factor");
    mpq_t *z = read_sum_zero(x, t);
    add_term(x, scale, z, z, w);
    x->found = grow(x->found, x->findings, &x->capacity, sizeof *x->found);
    x->found[x->findings++] = (finding){w == NONE ? 0 : 1 + w, z};
    mpq_clear(scale);
}

/* Reads a term "known z" or "slack W z", and its line "with y". */
static void read_known(chain *x, text *t, bool of_letter)
{
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    expect(t, of_letter ? "slack" : "known");
    const size_t w = of_letter ? number(t, " ", 1, x->m->kinds) - 1 : NONE;
    mpq_t *z = read_sum_zero(x, t);
    if (reduce(x, &x->known[w == NONE ? 0 : 1 + w], copy_of(x, z)) != NONE)
        reject(t, "the vector before this line is not known");
    expect(t, "with");
    add_term(x, one, z, read_sum_zero(x, t), w);
    mpq_clear(one);
}

/* Learns what the step says, and what follows for all letters. */
static void conclude(chain *x)
{
    for (size_t i = 0; i < x->findings; i++) learn(x, &x->known[x->found[i].space], x->found[i].z);
    x->findings = 0;
    for (size_t i = 0; i < x->known[0].count; i++) /* grows in this loop */
        for (size_t w = 0; w < x->m->kinds; w++) {
            learn(x, &x->known[1 + w], x->known[0].row[i]);
            push(x, x->image, x->known[0].row[i], w);
            learn(x, &x->known[0], x->image);
        }
}

static void read_step(chain *x, text *t)
{
    whole_line(t, "step");
    for (size_t i = 0; i < x->n * x->n; i++) mpq_set_ui(x->sum[i], 0, 1);
    while (!comes(t, "step") && !comes(t, "end")) {
        if (comes(t, "form") || comes(t, "letter"))
            read_square(x, t, comes(t, "letter"));
        else
            read_known(x, t, comes(t, "slack"));
    }
    spend(x->n * x->n);
    for (size_t i = 0; i < x->n * x->n; i++)
        if (mpq_sgn(x->sum[i]) != 0) reject(t, "the terms before this line do not sum to 0");
    conclude(x);
}

static void begin(chain *x, const machine *m)
{
    *x = (chain){.m = m, .n = m->classes};
    product_of(product_of(x->n, x->n), sizeof(mpq_t)); /* fits the budget */
    x->known = grab(1 + m->kinds, sizeof *x->known);
    x->sum = new_vector(x->n * x->n);
    x->image = new_vector(x->n);
    x->other = new_vector(x->n);
    mpq_init(x->product);
}

static void judge_separation(const machine *m, text *t)
{
    chain x;
    size_t steps = 0;
    const size_t p = number(t, "pair ", 1, m->classes) - 1;
    const size_t q = number(t, " ", 1, m->classes) - 1;
    end_line(t);
    const word apart = read_word(m, t, "apart");
    if (apart.length == 0) reject(t, "apart needs a letter: the decoder may read the one before");
    if (!tells_apart(m, p, q, &apart)) reject(t, "the labels of p and q do not differ after apart");
    begin(&x, m);
    do {
        read_step(&x, t);
        steps++;
    } while (!comes(t, "end"));
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    for (size_t c = 0; c < x.n; c++) mpq_set_si(x.other[c], (long)(c == p) - (long)(c == q), 1);
    if (reduce(&x, &x.known[0], x.other) != NONE)
        reject(t, "the codes of p and q need not be equal");
    mpq_clear(x.product);
    printf("s VERIFIED one-layer-one-code infeasible pair %zu %zu steps %zu", p + 1, q + 1, steps);
    print_machine(m);
    printf(" decoder before-letter-after covers open");
}

const bound_program bound_self = {.name = "separation-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-separation 1",
                                  .judge = judge_separation};
