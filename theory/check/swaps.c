/* claim swaps: the lines of claim exact (claim.c), about a network in which every factor exchanges
 * two points.
 *
 * The network has one layer with one head over Q, which is not raw; every gate is 1, and nothing is
 * added or written. Every factor has BETA 2 and a key with one number t on w rows and -t on w other
 * rows, w >= 1. The rows with t are a point, and so are the rows with -t: two points that factors
 * have are equal or have no row in common. A row that no factor has is a point of its own. In the
 * initial state and in every code the rows of a point are equal, its copies.
 *
 * Let the rows of one point be a, and the rows of the other b. Then u^T S = w t (a - b) and u^T u =
 * 2 w t^2, so that S - (2 / u^T u) u u^T S has a - (a - b) = b on the first, b + (a - b) = a on the
 * other, and is S elsewhere. So a factor exchanges the two points, copies stay equal, and a letter
 * moves the rows of a state, factor after factor (theory/pages/swaps.md, SW.2). The check composes
 * these moves once for each letter. Then it finds, for each row of the certificate and each letter,
 * that the entries of the row's code, moved, are the entries of the code of the row that follows:
 * what claim exact finds by applying all factors (SW.3). */
#include "theory/check/claim.h"

typedef struct moves {
    const block *b;
    size_t n, d;
    uint32_t *next;  /* [n] the next row of the same point, in a circle; UNSET: not known yet */
    uint32_t *image; /* [letters][n] the row to which the letter moves a row */
    size_t *place;   /* [n * d] scratch: 1 + the number of the entry there, 0: none */
} moves;

/* The rows with one sign of a key. */
typedef struct side {
    size_t rows;
    uint32_t first, last;
} side;

/* Makes `to` the next row after `from`. Returns false where another one is. */
static bool links(moves *m, uint32_t from, uint32_t to)
{
    if (m->next[from] == UNSET) m->next[from] = to;
    return m->next[from] == to;
}

static bool add_row(moves *m, side *s, uint32_t row)
{
    const bool right = s->rows == 0 || links(m, s->last, row);
    if (s->rows++ == 0) s->first = row;
    s->last = row;
    return right;
}

/* Returns whether a = -b; `scratch` is lost. */
static bool is_minus(mpq_t scratch, const mpq_t a, const mpq_t b)
{
    mpq_neg(scratch, b);
    return mpq_equal(a, scratch) != 0;
}

/* Returns whether the factor exchanges two points, which become known. */
static bool exchanges(moves *m, const factor *f, mpq_t scratch)
{
    side plus = {0}, minus = {0};
    const struct entry *u = f->u.entry;
    bool right = mpq_cmp_ui(f->beta, 2, 1) == 0 && f->c.count == 0;
    for (size_t i = 0; right && i < f->u.count; i++) {
        const bool same = mpq_equal(u[i].value, u->value) != 0;
        right = (same || is_minus(scratch, u[i].value, u->value)) &&
                add_row(m, same ? &plus : &minus, (uint32_t)u[i].index);
    }
    return right && plus.rows == minus.rows && links(m, plus.last, plus.first) &&
           links(m, minus.last, minus.first);
}

/* Exchanges what came from the rows of one point with what came from the rows of the other. */
static void exchange(uint32_t *from, const factor *f)
{
    const struct entry *u = f->u.entry, *minus = u;
    for (const struct entry *plus = u; plus < behind(&f->u); plus++) {
        if (!mpq_equal(plus->value, u->value)) continue;
        while (mpq_equal(minus->value, u->value)) minus++;
        const uint32_t kept = from[plus->index];
        from[plus->index] = from[minus->index];
        from[(minus++)->index] = kept;
    }
}

/* Finds the points and the moves of all letters. */
static void find_moves(moves *m, const text *t, size_t letters)
{
    uint32_t *from = grab(m->n, sizeof *from);
    mpq_t scratch;
    mpq_init(scratch);
    for (size_t r = 0; r < m->n; r++) m->next[r] = UNSET;
    for (size_t a = 0; a < letters; a++) {
        const transition *w = &m->b->head->slot->on[a];
        if (mpq_cmp_ui(w->gate, 1, 1) != 0 || w->bias.count > 0)
            reject(t, "letter %zu has a gate or a bias", a + 1);
        spend(1 + m->n / 8);
        for (size_t r = 0; r < m->n; r++) from[r] = (uint32_t)r;
        for (size_t i = 0; i < w->factors; i++) {
            spend(1 + w->factor[i].u.count);
            if (!exchanges(m, &w->factor[i], scratch))
                reject(t, "letter %zu, factor %zu does not exchange two points", a + 1, i + 1);
            exchange(from, &w->factor[i]);
        }
        for (size_t r = 0; r < m->n; r++) m->image[a * m->n + from[r]] = (uint32_t)r;
    }
    for (size_t r = 0; r < m->n; r++)
        if (m->next[r] == UNSET) m->next[r] = (uint32_t)r;
    mpq_clear(scratch);
}

/* put_places notes where the entries of v are; has tells whether v has this value at a row and
 * column then. */
static void put_places(moves *m, const vector *v, bool there)
{
    spend(1 + v->count);
    for (size_t i = 0; i < v->count; i++) m->place[v->entry[i].index] = there ? i + 1 : 0;
}

static bool has(const moves *m, const vector *v, size_t row, size_t column, const mpq_t value)
{
    spend_on(value); /* it may be long, and be compared for many rows */
    const size_t place = m->place[row * m->d + column];
    return place > 0 && mpq_equal(v->entry[place - 1].value, value);
}

/* Returns whether the copies of every point are equal. */
static bool copies_agree(moves *m, const vector *v)
{
    bool right = true;
    put_places(m, v, true);
    for (const struct entry *e = v->entry; right && e < behind(v); e++)
        right = has(m, v, m->next[e->index / m->d], e->index % m->d, e->value);
    put_places(m, v, false);
    return right;
}

/* Returns whether `before`, moved by the letter, is `after`. */
static bool becomes(moves *m, const vector *before, size_t letter, const vector *after)
{
    const uint32_t *image = m->image + letter * m->n;
    bool right = before->count == after->count;
    put_places(m, after, true);
    for (const struct entry *e = before->entry; right && e < behind(before); e++)
        right = has(m, after, image[e->index / m->d], e->index % m->d, e->value);
    put_places(m, after, false);
    return right;
}

/* Checks a step of the table: letter a leads the row to the row that the certificate names. */
static void check_move(problem *x, const text *t, const level *b, const uint32_t *row, size_t a,
                       const uint32_t *next)
{
    moves *m = x->own;
    const vector *code = m->b->readout->code;
    (void)b;
    if (x->a.next[*row * x->a.kinds + a] != *next)
        reject(t, "letter %zu: the automaton goes to another state", a + 1);
    if (!becomes(m, &code[row[1]], a, &code[next[1]]))
        reject(t, "letter %zu: the network goes to another state", a + 1);
    const size_t said = symbol_after(m->b, a, next[1]);
    if (said == UNSET || !is_label(x, said, *row, a))
        reject(t, "letter %zu: the label is not the automaton's", a + 1);
}

void check_swaps(problem *x, text *t)
{
    const block *b = x->net.block;
    const head *h = b->head;
    if (x->net.stages != 1 || b->heads != 1 || h->k || h->raw || x->net.has_boxes)
        reject(&x->lrnn, "no such network exchanges points");
    moves *m = x->own = grab(1, sizeof *m);
    *m = (moves){.b = b, .n = h->n, .d = h->d};
    m->next = grab(m->n, sizeof *m->next);
    m->image = grab(product_of(m->n, x->a.kinds), sizeof *m->image);
    m->place = grab(h->entries, sizeof *m->place);
    find_moves(m, &x->lrnn, x->a.kinds);
    bool right = copies_agree(m, x->net.stage->initial);
    for (size_t c = 0; right && c < b->readout->codes; c++)
        right = copies_agree(m, &b->readout->code[c]);
    if (!right) reject(&x->lrnn, "the copies of a point differ");
    check_start(x, t, x->level, x->a.start);
    check_pairs(x, t, x->level, check_move);
}
