/* The roundings of one step, followed through the operations of the schedule with enclosures (H2,
 * H3). */
#include "theory/certify/horizon/impl.h"
#include <string.h>

double f2l_factor_norm(f2l_step_bounds *b, const f2l_used_factor *f, size_t n)
{
    if (f->keys == 0) return 1;
    arb_zero(b->sum);
    for (size_t i = 0; i < f->keys; i++) {
        arb_set_d(b->scratch, f->key[i]);
        arb_addmul(b->sum, b->scratch, b->scratch, F2L_BALL_BITS);
    }
    arb_set_d(b->scratch, f->beta);
    arb_mul(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
    arb_sub_ui(b->sum, b->sum, 1, F2L_BALL_BITS);
    const double along = f2l_ball_above(b->sum);
    return n > 1 && along < 1 ? 1 : along;
}

/* Rounds what t encloses; returns an upper bound of the rounding error. */
static double round_term(const f2l_format *format, f2l_term *t)
{
    const double low = f2l_ball_below(t->x), high = f2l_ball_above(t->x);
    const double error = f2l_ball_rounding(format, low, high, t->grid, t->bits);
    if (high == 0) {
        t->grid = F2L_BALL_GRID;
        t->bits = 0;
    }
    if (t->bits > format->precision) t->bits = format->precision;
    if (error == 0) return 0;
    f2l_ball_widen(t->x, error);
    const long spacing = f2l_ball_spacing(format, f2l_ball_below(t->x));
    if (spacing > t->grid) t->grid = spacing;
    return error;
}

/* Sets out = k s, exactly. */
static void multiply(f2l_step_bounds *b, f2l_term *out, double k, const f2l_term *s)
{
    const int bits = f2l_ball_significant(k);
    arb_set_d(b->scratch, k);
    arb_mul(out->x, s->x, b->scratch, F2L_BALL_BITS);
    out->grid = s->grid + f2l_ball_grid(k);
    out->bits = bits == 1 ? s->bits : s->bits + bits;
}

/* Adds sign t to out, exactly; sign = 1 or -1. */
static void add(f2l_term *out, const f2l_term *t, int sign)
{
    if (sign > 0)
        arb_add(out->x, out->x, t->x, F2L_BALL_BITS);
    else
        arb_sub(out->x, out->x, t->x, F2L_BALL_BITS);
    if (t->grid < out->grid) out->grid = t->grid;
    out->bits = F2L_BALL_ANY;
}

static void add_number(f2l_step_bounds *b, f2l_term *out, double v)
{
    arb_set_d(b->scratch, v);
    arb_add(out->x, out->x, b->scratch, F2L_BALL_BITS);
    if (f2l_ball_grid(v) < out->grid) out->grid = f2l_ball_grid(v);
    out->bits = F2L_BALL_ANY;
}

/* Sets out to entry i of the computed state. */
static void take(f2l_step_bounds *b, f2l_term *out, size_t i)
{
    arb_set(out->x, b->entry[i].x);
    f2l_ball_widen(out->x, b->spread);
    out->grid = b->entry[i].grid;
    out->bits = b->entry[i].bits;
}

/* Stores the number as entry i, and adds the square of the error of its operations to the
 * squares. */
static void put(f2l_step_bounds *b, size_t i, const f2l_term *t, double error, double *squares)
{
    b->entry[i].grid = t->grid;
    b->entry[i].bits = t->bits;
    b->touched[i] = true;
    *squares = f2l_add_up(*squares, f2l_mul_up(error, error));
}

static double root_up(double squares)
{
    return squares == 0 ? 0 : nextafter(sqrt(squares), INFINITY);
}

/* Updates the bounds after an operation of norm `norm` on the state whose own roundings are at most
 * sqrt(squares). */
static void carry(f2l_step_bounds *b, double norm, double squares)
{
    const double error = root_up(squares);
    if (!isfinite(error)) b->overflow = true;
    b->spread = f2l_add_up(f2l_mul_up(b->spread, norm), error);
    b->local = f2l_add_up(f2l_mul_up(b->local, norm), error);
}

/* Computes r = k^T S_j - v_j from left to right; returns its error bound. */
static double dot_in_order(f2l_step_bounds *b, const f2l_used_factor *f, size_t j, double v)
{
    const bool fused = b->schedule->kind == F2L_SCHEDULE_FMA;
    double error = 0;
    for (size_t i = 0; i < f->keys; i++) {
        f2l_term *p = i == 0 ? &b->r : &b->t;
        take(b, p, f->row[i] + j);
        multiply(b, p, f->key[i], p);
        if (i == 0 || !fused) error = f2l_add_up(error, round_term(b->arithmetic, p));
        if (i == 0) continue;
        add(&b->r, p, 1);
        error = f2l_add_up(error, round_term(b->arithmetic, &b->r));
    }
    if (v != 0) {
        add_number(b, &b->r, -v);
        error = f2l_add_up(error, round_term(b->arithmetic, &b->r));
    }
    return error;
}

/* Computes r = k^T S_j - v_j by halves (its sign does not matter); returns its error bound. */
static double dot_by_halves(f2l_step_bounds *b, const f2l_used_factor *f, size_t n, size_t d,
                            size_t j, double v)
{
    size_t width = 1;
    double error = 0;
    while (width < n) width *= 2;
    for (size_t i = 0; i < width; i++) {
        arb_zero(b->product[i].x);
        b->product[i].grid = F2L_BALL_GRID;
        b->product[i].bits = 0;
    }
    for (size_t i = 0; i < f->keys; i++) {
        f2l_term *p = &b->product[f->row[i] / d];
        take(b, p, f->row[i] + j);
        multiply(b, p, f->key[i], p);
        error = f2l_add_up(error, round_term(b->arithmetic, p));
    }
    for (size_t h = width / 2; h > 0; h /= 2)
        for (size_t i = 0; i < h; i++) {
            if (arb_is_zero(b->product[i + h].x)) continue;
            add(&b->product[i], &b->product[i + h], 1);
            error = f2l_add_up(error, round_term(b->arithmetic, &b->product[i]));
        }
    arb_set(b->r.x, b->product[0].x);
    b->r.grid = b->product[0].grid;
    b->r.bits = b->product[0].bits;
    if (v != 0) {
        add_number(b, &b->r, -v);
        error = f2l_add_up(error, round_term(b->arithmetic, &b->r));
    }
    return error;
}

/* Bounds one column of a factor. */
static void bound_column(f2l_step_bounds *b, const f2l_used_factor *f, size_t n, size_t d, size_t j,
                         double v, double *squares)
{
    const bool halves = b->schedule->kind == F2L_SCHEDULE_RECURRENT;
    const bool fused = halves || b->schedule->kind == F2L_SCHEDULE_FMA;
    double error = halves ? dot_by_halves(b, f, n, d, j, v) : dot_in_order(b, f, j, v);
    multiply(b, &b->r, f->beta, &b->r);
    error = f2l_add_up(f2l_mul_up(fabs(f->beta), error), round_term(b->arithmetic, &b->r));
    for (size_t i = 0; i < f->keys; i++) {
        const size_t at = f->row[i] + j;
        double off = f2l_mul_up(fabs(f->key[i]), error);
        multiply(b, &b->t, f->key[i], &b->r);
        if (!fused) off = f2l_add_up(off, round_term(b->arithmetic, &b->t));
        take(b, &b->s, at);
        add(&b->s, &b->t, -1);
        off = f2l_add_up(off, round_term(b->arithmetic, &b->s));
        put(b, at, &b->s, off, squares);
    }
}

/* Moves the exact column: S <- S - beta k (k^T S - v). */
static void move_column(f2l_step_bounds *b, const f2l_used_factor *f, size_t j, double v)
{
    arb_set_d(b->sum, -v);
    for (size_t i = 0; i < f->keys; i++) {
        arb_set_d(b->scratch, f->key[i]);
        arb_addmul(b->sum, b->scratch, b->entry[f->row[i] + j].x, F2L_BALL_BITS);
    }
    arb_set_d(b->scratch, f->beta);
    arb_mul(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
    for (size_t i = 0; i < f->keys; i++) {
        arb_set_d(b->scratch, f->key[i]);
        arb_submul(b->entry[f->row[i] + j].x, b->scratch, b->sum, F2L_BALL_BITS);
    }
}

static void bound_factor(f2l_step_bounds *b, const f2l_used_factor *f, size_t n, size_t d)
{
    double squares = 0;
    for (int moving = 0; moving < 2; moving++) {
        size_t write = 0;
        for (size_t j = 0; j < d; j++) {
            const bool writes = write < f->values && f->column[write] == j;
            const double v = writes ? f->value[write++] : 0;
            if (moving)
                move_column(b, f, j, v);
            else
                bound_column(b, f, n, d, j, v, &squares);
        }
    }
    carry(b, f2l_factor_norm(b, f, n), squares);
}

static void bound_gate(f2l_step_bounds *b, double gate, size_t size)
{
    double squares = 0;
    for (size_t i = 0; gate != 1 && i < size; i++) {
        take(b, &b->t, i);
        multiply(b, &b->t, gate, &b->t);
        const double off = round_term(b->arithmetic, &b->t);
        put(b, i, &b->t, off, &squares);
        arb_set_d(b->scratch, gate);
        arb_mul(b->entry[i].x, b->entry[i].x, b->scratch, F2L_BALL_BITS);
    }
    carry(b, gate, squares);
}

static void bound_bias(f2l_step_bounds *b, const f2l_qvec *bias)
{
    double squares = 0;
    for (size_t i = 0; i < bias->count; i++) {
        const double v = f2l_format_round_q(&b->nearest, bias->value[i]);
        const size_t at = bias->index[i];
        if (v == 0) continue;
        take(b, &b->t, at);
        add_number(b, &b->t, v);
        const double off = round_term(b->arithmetic, &b->t);
        put(b, at, &b->t, off, &squares);
        arb_set_d(b->scratch, v);
        arb_add(b->entry[at].x, b->entry[at].x, b->scratch, F2L_BALL_BITS);
    }
    carry(b, 1, squares);
}

/* Bounds storing results of fp32 in the format. */
static void bound_store(f2l_step_bounds *b, size_t size)
{
    double squares = 0;
    for (size_t i = 0; i < size; i++) {
        if (!b->touched[i]) continue;
        take(b, &b->t, i);
        const double off = round_term(b->format, &b->t);
        put(b, i, &b->t, off, &squares);
    }
    carry(b, 1, squares);
}

/* Bounds S <- f(A S + B): the new centres first, in `product`, column by column. */
static void bound_cast(f2l_step_bounds *b, const f2l_step_head *head, size_t letter)
{
    const size_t n = head->n, d = head->d;
    const double *a = head->a + letter * n * n, *add_b = head->b + letter * n * d;
    double squares = 0;
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < n; i++) {
            f2l_term *out = &b->product[i];
            size_t terms = 0;
            arb_zero(out->x);
            out->grid = F2L_BALL_GRID;
            out->bits = 0;
            arb_set_d(b->sum, 0);
            for (size_t k = 0; k < n; k++) {
                if (a[i * n + k] == 0) continue;
                take(b, &b->t, k * d + j);
                multiply(b, &b->t, a[i * n + k], &b->t);
                const int bits = b->t.bits;
                add(out, &b->t, 1);
                if (terms++ == 0) out->bits = bits;
                arb_set_d(b->scratch, a[i * n + k]);
                arb_addmul(b->sum, b->scratch, b->entry[k * d + j].x, F2L_BALL_BITS);
            }
            if (add_b[i * d + j] != 0) {
                add_number(b, out, add_b[i * d + j]);
                arb_set_d(b->scratch, add_b[i * d + j]);
                arb_add(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
            }
            const double off = round_term(b->format, out);
            squares = f2l_add_up(squares, f2l_mul_up(off, off));
            arb_set(out->x, b->sum);
        }
        for (size_t i = 0; i < n; i++) arb_set(b->entry[i * d + j].x, b->product[i].x);
    }
    carry(b, head->norm[letter], squares);
}

/* Sets entry i. A number that is stored is a value of the format; with e = 0 it is the number of
 * the code. */
static void set_entry(f2l_step_bounds *b, size_t i)
{
    f2l_term *entry = &b->entry[i];
    take(b, &b->t, i);
    entry->grid = f2l_ball_spacing(b->state_format, f2l_ball_below(b->t.x));
    entry->bits = b->state_format->precision;
    if (!arb_is_exact(b->t.x) || arf_bits(arb_midref(b->t.x)) > 53) return;
    const double x = arf_get_d(arb_midref(b->t.x), ARF_RND_NEAR);
    entry->grid = f2l_ball_grid(x);
    entry->bits = f2l_ball_significant(x);
}

void f2l_step_head_bound(f2l_step_bounds *b, size_t h, size_t letter, double e)
{
    const f2l_step_head *head = &b->head[h];
    const size_t n = head->n, d = head->d, size = n * d;
    b->spread = e;
    b->local = 0;
    b->overflow = false;
    memset(b->touched, 0, size * sizeof *b->touched);
    for (size_t i = 0; i < size; i++) set_entry(b, i);
    if (b->schedule->kind == F2L_SCHEDULE_CAST) {
        bound_cast(b, head, letter);
        return;
    }
    bound_gate(b, f2l_used_gate(b->net, b->at, h, letter), size);
    for (size_t f = 0; f < f2l_used_factors(b->net, b->at, h, letter); f++) {
        const f2l_used_factor factor = f2l_used_factor_at(b->net, b->at, h, letter, f);
        bound_factor(b, &factor, n, d);
    }
    bound_bias(b, &b->layer->head[h].letter[letter].bias);
    if (b->schedule->kind == F2L_SCHEDULE_ACC32) bound_store(b, size);
}
