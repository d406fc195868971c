#include "theory/rep/irrep/initial.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/exact/arb_headers.h"
#include "theory/rep/irrep/impl.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define RANDOM_TRIALS 400
/* Bits of the multiples in the trials near a wished vector. */
static const int near_bits[] = {5, 8, 12, 20};
enum { NEAR_TRIALS = sizeof near_bits / sizeof *near_bits };

void f2l_initial_init(f2l_initial *v)
{
    *v = (f2l_initial){0};
}

void f2l_initial_clear(f2l_initial *v)
{
    for (size_t h = 0; v->vector && v->dimension && h < v->heads; h++)
        f2l_numbers_free(v->vector[h], v->dimension[h]);
    f2l_free(v->vector);
    f2l_free(v->dimension);
    f2l_initial_init(v);
}

typedef struct finder {
    const f2l_irrep *const *head;
    const double *const *near; /* NULL: no vector is wished */
    const f2l_task *task;
    f2l_word_tree tree;
    uint32_t *generator;      /* [generators] of the stabiliser P, none superfluous */
    size_t generators, order; /* order of P */
    uint8_t *fixes; /* [order of the group] elements that fix the vectors chosen so far, modulo
                       primes */
    uint8_t *trial; /* [order of the group] */
    f2l_rng rng;
} finder;

static size_t count_members(const uint8_t *set, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += set[i];
    return count;
}

/* Lists the group that the generators kept so far generate; inside[] are its members. */
static size_t close_group_up(uint8_t *inside, uint32_t *list, const finder *f)
{
    const f2l_group *g = f->tree.group;
    size_t count = 1;
    memset(inside, 0, g->order);
    list[0] = 0;
    inside[0] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < f->generators; s++) {
            const uint32_t y = f2l_group_multiply(g, list[i], f->generator[s]);
            if (inside[y]) continue;
            inside[y] = 1;
            list[count++] = y;
        }
    return count;
}

/* Finds the given elements that enlarge the subgroup: at most log2 of its order. */
static f2l_status find_stabiliser(finder *f, const uint32_t *stabiliser, size_t count,
                                  f2l_error *err)
{
    const size_t order = f->tree.group->order;
    uint32_t *list = f2l_calloc(order, sizeof *list);
    f->generator = f2l_calloc(64, sizeof *f->generator);
    f2l_status status = list && f->generator ? F2L_OK : f2l_fail_memory(err);
    f->order = 1;
    memset(f->trial, 0, order);
    f->trial[0] = 1;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        if (stabiliser[i] >= order) {
            status = f2l_fail(err, F2L_EDOMAIN, "the group has no element number %lu",
                              (unsigned long)stabiliser[i]);
        } else if (!f->trial[stabiliser[i]]) {
            f->generator[f->generators++] = stabiliser[i];
            f->order = close_group_up(f->trial, list, f);
        }
    }
    f2l_free(list);
    return status;
}

/* The data for choosing the vector of one head. */
typedef struct chooser {
    finder *f;
    const f2l_irrep *head;
    f2l_matrix basis; /* rows: basis of the space that P fixes */
    f2l_residual_head residual;
    ulong *row;     /* [rows][d] the basis modulo q */
    ulong *start;   /* [d] */
    ulong *image;   /* [order][d] */
    long *multiple; /* [rows] multiples of the basis vectors */
    double *wished; /* [rows] the multiples that give the wished vector, at most 1; NULL: none */
    size_t target;  /* number of elements that remain with a general vector */
} chooser;

static void chooser_clear(chooser *c)
{
    f2l_matrix_clear(&c->basis);
    f2l_residual_head_clear(&c->residual);
    f2l_free(c->row);
    f2l_free(c->start);
    f2l_free(c->image);
    f2l_free(c->multiple);
    f2l_free(c->wished);
}

/* Sets x to the solution of a x = b, a [n][n], as far as doubles tell. Not by LAPACK: the library
 * that is installed has no other use for it. */
static bool solve_in_doubles(double *x, const double *a, const double *b, size_t n)
{
    const slong size = (slong)n;
    arb_mat_t left, right;
    arb_mat_init(left, size, size);
    arb_mat_init(right, size, 1);
    for (slong i = 0; i < size; i++) {
        arb_set_d(arb_mat_entry(right, i, 0), b[i]);
        for (slong j = 0; j < size; j++) arb_set_d(arb_mat_entry(left, i, j), a[i * size + j]);
    }
    const bool solved = arb_mat_approx_solve(right, left, right, DBL_MANT_DIG) != 0;
    for (slong i = 0; solved && i < size; i++)
        x[i] = arf_get_d(arb_midref(arb_mat_entry(right, i, 0)), ARF_RND_NEAR);
    arb_mat_clear(left);
    arb_mat_clear(right);
    return solved;
}

/* Sets c->wished to the multiples of the basis whose sum is nearest to the vector, all divided by
 * the largest; leaves it NULL where the vector is orthogonal to the space. */
static f2l_status wish_multiples(chooser *c, const double *near, f2l_error *err)
{
    const size_t rows = c->basis.rows, d = c->head->dimension;
    double *row = f2l_calloc(rows * d, sizeof *row), *a = f2l_calloc(rows * rows, sizeof *a),
           *b = f2l_calloc(rows, sizeof *b), *x = f2l_calloc(rows, sizeof *x), most = 0;
    const bool there = row && a && b && x;
    for (size_t i = 0; there && i < rows * d; i++)
        row[i] = f2l_field_double(&c->basis.entry[i], &c->head->field);
    for (size_t i = 0; there && i < rows; i++) {
        for (size_t j = 0; j < rows; j++)
            for (size_t k = 0; k < d; k++) a[i * rows + j] += row[i * d + k] * row[j * d + k];
        for (size_t k = 0; k < d; k++) b[i] += row[i * d + k] * near[k];
    }
    const bool solved = there && solve_in_doubles(x, a, b, rows);
    for (size_t i = 0; solved && i < rows; i++) most = fmax(most, fabs(x[i]));
    for (size_t i = 0; solved && i < rows; i++) x[i] /= most;
    f2l_free(row);
    f2l_free(a);
    f2l_free(b);
    if (solved && isfinite(most) && most > 0)
        c->wished = x;
    else
        f2l_free(x);
    return there ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status chooser_init(chooser *c, finder *f, const f2l_irrep *head, f2l_error *err)
{
    const size_t d = head->dimension, order = f->tree.group->order;
    size_t cells;
    *c = (chooser){.f = f, .head = head};
    if (!f2l_mul_size(&cells, order, d)) return f2l_fail_memory(err);
    f2l_status status =
        f2l_task_table(f->task, "an orbit of vectors", cells * sizeof *c->image, err);
    if (status == F2L_OK)
        status = f2l_fixed_space(&c->basis, head, &f->tree, f->generator, f->generators, err);
    if (status == F2L_OK) status = f2l_residual_head_init(&c->residual, head, &f->tree, err);
    if (status != F2L_OK) return status;
    c->row = f2l_calloc(c->basis.rows * d, sizeof *c->row);
    c->start = f2l_calloc(d, sizeof *c->start);
    c->image = f2l_calloc(cells, sizeof *c->image);
    c->multiple = f2l_calloc(c->basis.rows, sizeof *c->multiple);
    if (!c->row || !c->start || !c->image || !c->multiple) return f2l_fail_memory(err);
    for (size_t i = 0; i < c->basis.rows * d; i++) /* integers: there is a residue */
        (void)f2l_residue(&c->row[i], &c->basis.entry[i], &c->residual.map);
    return F2L_OK;
}

/* Returns the number of elements of f->fixes that remain in f->trial when `start` must be fixed
 * too. */
static size_t try_start(chooser *c)
{
    const size_t order = c->f->tree.group->order;
    memcpy(c->f->trial, c->f->fixes, order);
    f2l_drop_moving(c->f->trial, c->image, c->start, &c->residual, &c->f->tree);
    return count_members(c->f->trial, order);
}

/* Sets a random vector, modulo q, of the space that P fixes. */
static void random_start(chooser *c)
{
    const size_t d = c->head->dimension;
    memset(c->start, 0, d * sizeof *c->start);
    for (size_t i = 0; i < c->basis.rows; i++) {
        const ulong scale = f2l_rng_below(&c->f->rng, c->residual.map.q.n);
        for (size_t j = 0; j < d; j++)
            NMOD_ADDMUL(c->start[j], scale, c->row[i * d + j], c->residual.map.q);
    }
}

static void start_from_multiples(chooser *c)
{
    const size_t d = c->head->dimension;
    const nmod_t q = c->residual.map.q;
    memset(c->start, 0, d * sizeof *c->start);
    for (size_t i = 0; i < c->basis.rows; i++) {
        const long m = c->multiple[i];
        const ulong scale = m < 0 ? nmod_neg((ulong)-m, q) : (ulong)m;
        for (size_t j = 0; j < d; j++) NMOD_ADDMUL(c->start[j], scale, c->row[i * d + j], q);
    }
}

/* Sets candidate number t near the wished vector. */
static void set_near(chooser *c, size_t t)
{
    for (size_t i = 0; i < c->basis.rows; i++)
        c->multiple[i] = lround(ldexp(c->wished[i], near_bits[t]));
}

/* Sets candidate number t: basis vectors, sums of the first of them, 1, 2, .. times them, then
 * random small multiples. */
static void set_multiples(chooser *c, size_t t)
{
    const size_t rows = c->basis.rows;
    const uint64_t bound = t > 2 * rows ? 1 + (t - 2 * rows) / 8 : 0;
    for (size_t i = 0; i < rows; i++) {
        if (t < rows)
            c->multiple[i] = i == t;
        else if (t < 2 * rows)
            c->multiple[i] = i <= t - rows;
        else if (t == 2 * rows)
            c->multiple[i] = (long)i + 1;
        else
            c->multiple[i] = (long)f2l_rng_below(&c->f->rng, 2 * bound + 1) - (long)bound;
    }
}

/* Sets vector to the chosen multiples of the basis, and checks that P fixes it. */
static f2l_status take_vector(f2l_number *vector, const chooser *c, f2l_error *err)
{
    const size_t d = c->head->dimension;
    f2l_number term;
    f2l_matrix m;
    fmpq_poly_init(&term);
    for (size_t i = 0; i < c->basis.rows; i++)
        for (size_t j = 0; j < d; j++) {
            fmpq_poly_scalar_mul_si(&term, f2l_matrix_at(&c->basis, i, j), c->multiple[i]);
            fmpq_poly_add(&vector[j], &vector[j], &term);
        }
    fmpq_poly_clear(&term);
    f2l_status status = f2l_matrix_init(&m, d, d, err);
    f2l_number *moved = f2l_numbers_new(d);
    if (status == F2L_OK && !moved) status = f2l_fail_memory(err);
    for (size_t s = 0; s < c->f->generators && status == F2L_OK; s++) {
        status = f2l_word_matrix(&m, c->head, &c->f->tree, c->f->generator[s], err);
        if (status != F2L_OK) break;
        f2l_matrix_apply(moved, &m, vector, &c->head->field);
        for (size_t j = 0; j < d && status == F2L_OK; j++)
            if (!fmpq_poly_equal(&moved[j], &vector[j]))
                status = f2l_fail(err, F2L_EDOMAIN,
                                  "the stabiliser moves the vector that it "
                                  "should fix");
    }
    f2l_numbers_free(moved, d);
    f2l_matrix_clear(&m);
    return status;
}

/* Chooses the first candidate with which as few elements remain as with a random vector. */
static f2l_status choose_vector(f2l_number *vector, finder *f, const f2l_irrep *head,
                                const double *near, f2l_error *err)
{
    chooser c;
    f2l_status status = chooser_init(&c, f, head, err);
    bool found = false;
    if (status == F2L_OK && near != NULL) status = wish_multiples(&c, near, err);
    if (status == F2L_OK) {
        random_start(&c);
        c.target = try_start(&c);
    }
    for (size_t t = 0; t < NEAR_TRIALS && !found && status == F2L_OK && c.wished != NULL; t++) {
        set_near(&c, t);
        start_from_multiples(&c);
        found = try_start(&c) <= c.target;
    }
    for (size_t t = 0; t < 2 * c.basis.rows + RANDOM_TRIALS && !found && status == F2L_OK; t++) {
        set_multiples(&c, t);
        start_from_multiples(&c);
        found = try_start(&c) <= c.target;
        status = f2l_task_poll(f->task, "initial states", (double)t, 0, err);
    }
    if (status == F2L_OK && found) {
        memcpy(f->fixes, f->trial, f->tree.group->order);
        status = take_vector(vector, &c, err);
    } else if (status == F2L_OK && c.basis.rows > 0) {
        status = f2l_fail(err, F2L_UNKNOWN, "no small initial state was found");
    } /* else the stabiliser fixes 0 only: the head's states are all 0 */
    chooser_clear(&c);
    return status;
}

static f2l_status choose_all(f2l_initial *out, finder *f, f2l_error *err)
{
    const size_t order = f->tree.group->order;
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < out->heads && status == F2L_OK; h++) {
        out->dimension[h] = f->head[h]->dimension;
        out->vector[h] = f2l_numbers_new(out->dimension[h]);
        status = out->vector[h] ? choose_vector(out->vector[h], f, f->head[h],
                                                f->near ? f->near[h] : NULL, err)
                                : f2l_fail_memory(err);
    }
    if (status != F2L_OK) return status;
    const size_t left = count_members(f->fixes, order);
    if (left != f->order)
        return f2l_fail(err, F2L_UNKNOWN,
                        "%zu elements fix the initial states that were found, "
                        "not %zu",
                        left, f->order);
    out->orbit = order / left;
    return F2L_OK;
}

f2l_status f2l_initial_near(f2l_initial *out, const double *const *near,
                            const f2l_irrep *const *head, size_t heads, const f2l_group *group,
                            const uint32_t *stabiliser, size_t count, const f2l_task *task,
                            f2l_error *err)
{
    finder f = {.head = head, .near = near, .task = task};
    f2l_initial_init(out);
    f2l_rng_init(&f.rng, group->order, 2);
    f2l_status status = f2l_word_tree_init(&f.tree, group, err);
    if (status != F2L_OK) return status;
    f.fixes = f2l_calloc(group->order, 1);
    f.trial = f2l_calloc(group->order, 1);
    out->dimension = f2l_calloc(heads, sizeof *out->dimension);
    out->vector = f2l_calloc(heads, sizeof(f2l_number *));
    if (out->dimension && out->vector) out->heads = heads;
    if (!f.fixes || !f.trial || !out->dimension || !out->vector) status = f2l_fail_memory(err);
    if (status == F2L_OK) {
        memset(f.fixes, 1, group->order);
        status = find_stabiliser(&f, stabiliser, count, err);
    }
    if (status == F2L_OK) status = choose_all(out, &f, err);
    f2l_word_tree_clear(&f.tree);
    f2l_free(f.generator);
    f2l_free(f.fixes);
    f2l_free(f.trial);
    if (status != F2L_OK) f2l_initial_clear(out);
    return status;
}
