/* The form and the letters' matrices in a basis of lines, and the checks (theory/pages/irreps.md,
 * I.6, I.7). */
#include "numeric/base/mem.h"
#include "theory/rep/irrep/impl.h"

typedef struct builder {
    const f2l_orbit *o;
    const uint32_t *basis;
    size_t d;
    f2l_irrep *out;
    f2l_ldl ldl;
    f2l_number *vector; /* [lines][d] coordinates of the lines' vectors */
    uint8_t *known;     /* [lines] */
    uint32_t *queue;    /* [lines] */
    f2l_number *column; /* [d] scratch */
} builder;

static uint32_t element_of_letter(const f2l_group *g, size_t letter)
{
    return (uint32_t)f2l_group_find(g, g->generator + letter * g->degree);
}

/* Sets out to <x, y> in the scale of the orbit. */
static void inner_product(f2l_number *out, const f2l_orbit *o, uint32_t x, uint32_t y)
{
    const uint32_t element = f2l_orbit_between(o, x, y);
    fmpq_poly_set(out, &o->product[o->line[element]]);
    if (o->minus[element]) fmpq_poly_neg(out, out);
}

/* Computes the greatest positive rational that divides all coefficients of all entries, which are
 * not all 0. */
static void common_factor(fmpq_t out, const f2l_matrix *m)
{
    fmpq_t content;
    fmpq_init(content);
    fmpq_zero(out);
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        if (fmpq_poly_is_zero(&m->entry[i])) continue;
        fmpq_poly_content(content, &m->entry[i]);
        fmpq_gcd(out, out, content);
    }
    fmpq_clear(content);
}

static f2l_status build_form(builder *b, fmpq_t scale, f2l_error *err)
{
    f2l_matrix *form = &b->out->form;
    f2l_status status = f2l_matrix_init(form, b->d, b->d, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < b->d; i++)
        for (size_t j = 0; j < b->d; j++)
            inner_product(f2l_matrix_at(form, i, j), b->o, b->basis[i], b->basis[j]);
    common_factor(scale, form);
    for (size_t i = 0; i < b->d * b->d; i++)
        fmpq_poly_scalar_div_fmpq(&form->entry[i], &form->entry[i], scale);
    b->out->orthonormal = f2l_matrix_is_one(form);
    return f2l_ldl_build(&b->ldl, form, &b->out->field, err);
}

/* Computes the coordinates of the vector of a line: form x = (<b_i, line>)_i. */
static void solve_line(builder *b, f2l_number *x, uint32_t line, const fmpq_t scale)
{
    for (size_t i = 0; i < b->d; i++) {
        inner_product(&x[i], b->o, b->basis[i], line);
        fmpq_poly_scalar_div_fmpq(&x[i], &x[i], scale);
    }
    f2l_ldl_solve(x, &b->ldl, &b->out->field);
}

/* Returns the line to which the element w takes the vector of a line; *minus: the sign changes. */
static uint32_t move_line(bool *minus, const f2l_orbit *o, uint32_t line, uint32_t w)
{
    const uint32_t y = f2l_group_multiply(o->world->group, o->representative[line], w);
    *minus = o->minus[y];
    return o->line[y];
}

static void set_matrix_column(f2l_matrix *m, size_t column, const f2l_number *x, bool minus)
{
    for (size_t i = 0; i < m->rows; i++) {
        f2l_number *to = f2l_matrix_at(m, i, column);
        if (minus)
            fmpq_poly_neg(to, &x[i]);
        else
            fmpq_poly_set(to, &x[i]);
    }
}

/* Computes the matrices of letters that generate the group, from the products alone. */
static f2l_status solve_letters(builder *b, const fmpq_t scale, f2l_error *err)
{
    const f2l_group *g = b->o->world->group;
    f2l_status status = F2L_OK;
    for (size_t s = 0; s < g->needed && status == F2L_OK; s++) {
        f2l_matrix *m = &b->out->letter[g->need[s]];
        const uint32_t w = element_of_letter(g, g->need[s]);
        status = f2l_matrix_init(m, b->d, b->d, err);
        for (size_t j = 0; j < b->d && status == F2L_OK; j++) {
            bool minus;
            solve_line(b, b->column, move_line(&minus, b->o, b->basis[j], w), scale);
            set_matrix_column(m, j, b->column, minus);
            status = f2l_task_poll(b->o->world->task, "matrices", (double)j, (double)b->d, err);
        }
    }
    return status;
}

/* Steps a known vector by a letter: its image must be the known one, up to the sign that the group
 * gives, or becomes known. */
static bool step_known_vector(builder *b, size_t *queued, uint32_t line, size_t letter)
{
    bool minus, agrees = true;
    const uint32_t to =
        move_line(&minus, b->o, line, element_of_letter(b->o->world->group, letter));
    f2l_number *x = b->vector + to * b->d;
    f2l_matrix_apply(b->column, &b->out->letter[letter], b->vector + line * b->d, &b->out->field);
    for (size_t i = 0; i < b->d; i++) {
        if (minus) fmpq_poly_neg(&b->column[i], &b->column[i]);
        if (b->known[to])
            agrees = agrees && fmpq_poly_equal(&x[i], &b->column[i]);
        else
            fmpq_poly_swap(&x[i], &b->column[i]);
    }
    if (!b->known[to]) b->queue[(*queued)++] = to;
    b->known[to] = 1;
    return agrees;
}

/* Checks I.7: the letters' matrices permute the lines' vectors, up to signs, as the group does. */
static f2l_status follow_orbit(builder *b, bool *agrees, f2l_error *err)
{
    const f2l_group *g = b->o->world->group;
    size_t queued = 0;
    f2l_status status = F2L_OK;
    *agrees = true;
    for (size_t j = 0; j < b->d; j++) {
        fmpq_poly_one(&b->vector[b->basis[j] * b->d + j]);
        b->known[b->basis[j]] = 1;
        b->queue[queued++] = b->basis[j];
    }
    for (size_t at = 0; at < queued && *agrees && status == F2L_OK; at++) {
        for (size_t s = 0; s < g->needed && *agrees; s++)
            *agrees = step_known_vector(b, &queued, b->queue[at], g->need[s]);
        status =
            f2l_task_poll(b->o->world->task, "orbit check", (double)at, (double)b->o->lines, err);
    }
    *agrees = *agrees && queued == b->o->lines;
    return status;
}

/* Fills the other letters' columns, which are vectors of lines. */
static f2l_status fill_letters(builder *b, f2l_error *err)
{
    const f2l_group *g = b->o->world->group;
    for (size_t l = 0; l < g->generators; l++) {
        f2l_matrix *m = &b->out->letter[l];
        const uint32_t w = element_of_letter(g, l);
        if (m->entry) continue;
        f2l_status status = f2l_matrix_init(m, b->d, b->d, err);
        for (size_t j = 0; j < b->d && status == F2L_OK; j++) {
            bool minus;
            const uint32_t to = move_line(&minus, b->o, b->basis[j], w);
            set_matrix_column(m, j, b->vector + to * b->d, minus);
        }
        if (status == F2L_OK)
            status = f2l_task_poll(b->o->world->task, "letters", (double)l, 0, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Returns whether the traces of the matrices of elements, whose columns are vectors of lines, are
 * psi. */
static bool traces_agree(const builder *b)
{
    const f2l_classes *c = b->o->world->classes;
    f2l_number trace;
    bool agree = true;
    fmpq_poly_init(&trace);
    for (size_t i = 0; i < c->classes && agree; i++) {
        fmpq_poly_zero(&trace);
        for (size_t j = 0; j < b->d; j++) {
            bool minus;
            const uint32_t to = move_line(&minus, b->o, b->basis[j], c->representative[i]);
            const f2l_number *entry = &b->vector[to * b->d + j];
            if (minus)
                fmpq_poly_sub(&trace, &trace, entry);
            else
                fmpq_poly_add(&trace, &trace, entry);
        }
        agree = fmpq_poly_equal(&trace, &b->o->psi->value[b->o->psi->value_of[i]]);
    }
    fmpq_poly_clear(&trace);
    return agree;
}

static f2l_status check_matrices(builder *b, f2l_error *err)
{
    const f2l_group *g = b->o->world->group;
    bool agrees = true;
    f2l_status status = F2L_OK;
    for (size_t s = 0; s < g->needed && agrees && status == F2L_OK; s++)
        status = f2l_matrix_preserves(&agrees, &b->out->letter[g->need[s]], &b->out->form,
                                      &b->out->field, err);
    if (status == F2L_OK && agrees) status = follow_orbit(b, &agrees, err);
    if (status != F2L_OK) return status;
    if (agrees && traces_agree(b)) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "the matrices found for character %zu fail their checks",
                    b->o->psi->character + 1);
}

static f2l_status build_orbit_matrices(builder *b, f2l_error *err)
{
    const size_t lines = b->o->lines;
    size_t cells;
    fmpq_t scale;
    if (!f2l_mul_size(&cells, lines, b->d)) return f2l_fail_memory(err);
    f2l_status status = f2l_task_table(b->o->world->task, "an orbit of vectors",
                                       cells * (sizeof(f2l_number) + 2 * sizeof(fmpz)), err);
    if (status != F2L_OK) return status;
    b->vector = f2l_numbers_new(cells);
    b->known = f2l_calloc(lines, 1);
    b->queue = f2l_calloc(lines, sizeof *b->queue);
    b->column = f2l_numbers_new(b->d);
    if (!b->vector || !b->known || !b->queue || !b->column) return f2l_fail_memory(err);
    fmpq_init(scale);
    status = build_form(b, scale, err);
    if (status == F2L_OK) status = solve_letters(b, scale, err);
    fmpq_clear(scale);
    if (status == F2L_OK) status = check_matrices(b, err);
    return status == F2L_OK ? fill_letters(b, err) : status;
}

f2l_status f2l_orbit_matrices(f2l_irrep *out, const f2l_orbit *o, const uint32_t *basis,
                              f2l_error *err)
{
    const f2l_group *g = o->world->group;
    builder b = {.o = o, .basis = basis, .d = o->psi->dimension, .out = out};
    f2l_irrep_init(out);
    out->character = o->psi->character;
    out->indicator = o->psi->indicator;
    out->dimension = b.d;
    out->subgroup = g->order / o->lines;
    f2l_field_copy(&out->field, &o->psi->field);
    out->letter = f2l_calloc(g->generators, sizeof *out->letter);
    f2l_status status = out->letter ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        out->letters = g->generators;
        status = build_orbit_matrices(&b, err);
    }
    f2l_ldl_clear(&b.ldl);
    f2l_numbers_free(b.vector, o->lines * b.d);
    f2l_numbers_free(b.column, b.d);
    f2l_free(b.known);
    f2l_free(b.queue);
    if (status != F2L_OK) f2l_irrep_clear(out);
    return status;
}
