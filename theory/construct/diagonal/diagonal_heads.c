/* Cells as heads: a sign, a turning vector, or a one-hot row (theory/pages/diagonal.md, G.5). */
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/construct/diagonal/impl.h"

#define EMBEDDED_NORM \
    4 /* of (1, 1, 1, 1) and its images: theory/construct/dihedral/dihedral_plane.c, three points \
         in D_4 */

f2l_status f2l_diagonal_plane_init(f2l_diagonal_plane *p, size_t prime, f2l_error *err)
{
    f2l_matrix half = {0}, norm = {0};
    f2l_number_init(&p->norm);
    f2l_status status = f2l_dihedral_plane_init(&p->plane, prime, err);
    if (status != F2L_OK) return status;
    fmpq_poly_set_si(&p->norm, EMBEDDED_NORM);
    if (p->plane.embedded) return F2L_OK;
    status = f2l_matrix_init(&half, p->plane.basis, 1, err);
    if (status == F2L_OK) status = f2l_matrix_init(&norm, 1, 1, err);
    if (status == F2L_OK) {
        f2l_matrix_multiply(&half, &p->plane.form, &p->plane.start, &p->plane.field);
        f2l_matrix_transposed_multiply(&norm, &p->plane.start, &half, &p->plane.field);
        fmpq_poly_set(&p->norm, f2l_matrix_at(&norm, 0, 0));
    }
    f2l_matrix_clear(&half);
    f2l_matrix_clear(&norm);
    return status;
}

void f2l_diagonal_plane_clear(f2l_diagonal_plane *p)
{
    f2l_dihedral_plane_clear(&p->plane);
    f2l_number_clear(&p->norm);
}

static bool layer_holds(const f2l_refined *r, size_t coordinate, size_t k)
{
    return r->layer[coordinate] == k && r->values[coordinate] > 1;
}

size_t f2l_diagonal_codes(const f2l_refined *r, size_t k)
{
    size_t codes = 1;
    for (size_t i = 0; i < r->coordinates; i++)
        if (layer_holds(r, i, k)) codes *= r->values[i];
    return codes;
}

size_t f2l_diagonal_code_of(const f2l_refined *r, size_t k, uint32_t tuple)
{
    size_t code = 0;
    for (size_t i = r->coordinates; i-- > 0;)
        if (layer_holds(r, i, k)) code = code * r->values[i] + f2l_refine_digit(r, tuple, i);
    return code;
}

uint32_t f2l_diagonal_tuple_of(const f2l_refined *r, size_t k, size_t code)
{
    uint32_t tuple = 0;
    for (size_t i = 0; i < r->coordinates; i++) {
        if (!layer_holds(r, i, k)) continue;
        tuple += r->weight[i] * (uint32_t)(code % r->values[i]);
        code /= r->values[i];
    }
    return tuple;
}

static f2l_status put_sign(f2l_qvec *out, uint32_t value, f2l_error *err)
{
    return f2l_qvec_push_si(out, 0, value == 0 ? 1 : -1, 1, err);
}

/* Appends the state that represents a value of the coordinate. */
static f2l_status put_coordinate_value(f2l_qvec *out, const f2l_diagonal_level *b, size_t i,
                                       uint32_t value, f2l_error *err)
{
    const uint32_t p = b->frame->prime[i];
    switch (b->frame->kind[i]) {
    case F2L_CELL_ROW:
    case F2L_CELL_FRAME:
        return f2l_qvec_push_si(out, value, 1, 1, err);
    case F2L_CELL_SIGN:
    case F2L_CELL_PARITY:
        break;
    case F2L_CELL_PLANE:
    case F2L_CELL_TURN:
        return f2l_dihedral_point(out, &b->plane[i]->plane, value / p, value % p, err);
    }
    return put_sign(out, value, err);
}

static bool is_row_coordinate(const f2l_diagonal_level *b, size_t i)
{
    return b->frame->kind[i] == F2L_CELL_ROW || b->frame->kind[i] == F2L_CELL_FRAME;
}

static f2l_status set_head(f2l_head *head, const f2l_diagonal_level *b, size_t i, f2l_error *err)
{
    const f2l_diagonal_plane *p = b->plane[i];
    head->n = p ? p->plane.n : 1;
    head->d = is_row_coordinate(b, i) ? b->cells->values[i] : 1;
    f2l_status status = p ? f2l_head_set_field(head, &p->plane.field, err) : F2L_OK;
    if (status == F2L_OK && p && !p->plane.embedded)
        status = f2l_head_set_form(head, &p->plane.form, err);
    if (status == F2L_OK)
        status = put_coordinate_value(&head->initial, b, i,
                                      f2l_refine_digit(b->cells, b->start_tuple, i), err);
    return status;
}

static bool has_side(const f2l_diagonal_level *b, size_t k)
{
    return b->delays && k + 1 == b->cells->layers;
}

static f2l_status put_diagonal_codes(f2l_layer *layer, const f2l_diagonal_level *b, size_t k,
                                     f2l_error *err)
{
    const f2l_refined *r = b->cells;
    const size_t sides = has_side(b, k) ? 2 : 1;
    f2l_status status = F2L_OK;
    for (size_t c = 0; status == F2L_OK && c < layer->codes; c++) {
        const uint32_t tuple = f2l_diagonal_tuple_of(r, k, c / sides);
        f2l_qvec *code = layer->code + c * layer->heads;
        layer->part[c] = (uint32_t)c;
        for (size_t i = 0; status == F2L_OK && i < r->coordinates; i++)
            if (layer_holds(r, i, k))
                status = put_coordinate_value(code++, b, i, f2l_refine_digit(r, tuple, i), err);
        if (status == F2L_OK && sides > 1) status = put_sign(code, c % 2, err);
    }
    return status;
}

f2l_status f2l_diagonal_heads(f2l_layer *layer, const f2l_diagonal_level *b, size_t k,
                              size_t symbols, f2l_error *err)
{
    const f2l_refined *r = b->cells;
    const size_t sides = has_side(b, k) ? 2 : 1, codes = f2l_diagonal_codes(r, k) * sides;
    size_t heads = sides - 1, entries;
    for (size_t i = 0; i < r->coordinates; i++) heads += layer_holds(r, i, k);
    if (!f2l_mul_size(&entries, codes, b->letters[k])) return f2l_fail_memory(err);
    f2l_status status =
        f2l_task_table(b->plan.task, "the decoder of a level", entries * sizeof(uint32_t), err);
    if (status == F2L_OK)
        status = f2l_task_spend(b->plan.task, "building factors",
                                b->letters[k] * heads * F2L_TRANSITION_STEPS +
                                    codes * heads * (sizeof(f2l_qvec) + 2 * F2L_ENTRY_STEPS),
                                err);
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, b->letters[k], heads, err);
    f2l_head *head = layer->head;
    for (size_t i = 0; status == F2L_OK && i < r->coordinates; i++)
        if (layer_holds(r, i, k)) status = set_head(head++, b, i, err);
    if (status == F2L_OK && sides > 1) {
        head->n = head->d = 1;
        status = put_sign(&head->initial, 0, err);
    }
    uint32_t *reads = f2l_calloc(b->letters[k], sizeof *reads);
    if (status == F2L_OK && !reads) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, codes, symbols, false, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, 1, &codes, reads, err);
    f2l_free(reads);
    return status == F2L_OK ? put_diagonal_codes(layer, b, k, err) : status;
}

/* Adds one factor on the axis. */
static f2l_status axis(f2l_transition *t, unsigned long beta, f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(t, 1, err);
    if (status != F2L_OK) return status;
    mpq_set_ui(t->factor[0].beta, beta, 1);
    return f2l_qvec_push_si(&t->factor[0].u, 0, 1, 1, err);
}

static f2l_status turn_plane(f2l_transition *t, const f2l_diagonal_plane *p, uint32_t by,
                             f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(t, 2, err);
    for (size_t i = 0; status == F2L_OK && i < 2; i++) {
        mpq_set_ui(t->factor[i].beta, 2, 1);
        status = f2l_dihedral_key(&t->factor[i].u, &p->plane, i == 0 ? by : 0, err);
    }
    return status;
}

/* Sets gate 0 and adds one write along the point itself. */
static f2l_status set_point(f2l_transition *t, const f2l_diagonal_plane *p, uint32_t value,
                            f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(t, 1, err);
    if (status != F2L_OK) return status;
    mpq_set_ui(t->gate, 0, 1);
    mpq_set_ui(t->factor[0].beta, 1, 1);
    status = f2l_dihedral_point(&t->factor[0].u, &p->plane, 0, value, err);
    return status == F2L_OK
               ? f2l_push_number(&t->factor[0].c, 0, &p->norm, p->plane.field.degree, err)
               : status;
}

static f2l_status set_value(f2l_transition *t, const f2l_diagonal_level *b, size_t i,
                            uint32_t value, f2l_error *err)
{
    if (b->plane[i]) return set_point(t, b->plane[i], value, err);
    f2l_status status = axis(t, 1, err);
    return status == F2L_OK ? put_coordinate_value(&t->factor[0].c, b, i, value, err) : status;
}

/* Adds the reflection from F^q R^k h to F^(1-q) R^(k+j) h: F R^j if q = 0, and R^j F = F R^-j if q
 * = 1. */
static f2l_status reflect_in_plane(f2l_transition *t, const f2l_diagonal_level *b, size_t i,
                                   uint32_t old, uint32_t value, f2l_error *err)
{
    const uint32_t p = b->frame->prime[i], by = (value % p + p - old % p) % p;
    f2l_status status = f2l_transition_set_factors(t, 1, err);
    if (status != F2L_OK) return status;
    mpq_set_ui(t->factor[0].beta, 2, 1);
    return f2l_dihedral_key(&t->factor[0].u, &b->plane[i]->plane, old < p ? by : (p - by) % p, err);
}

/* Returns whether a reset sets coordinate i. */
static bool is_set(const f2l_diagonal_level *b, size_t i)
{
    return b->frame->kind[i] != F2L_CELL_PARITY && b->frame->kind[i] != F2L_CELL_TURN;
}

/* Writes the action on a coordinate: a permutation adds, a reset sets, other contexts do
 * nothing. */
static f2l_status move_coordinate(f2l_transition *t, const f2l_diagonal_level *b, size_t i,
                                  const f2l_context *x, const f2l_outcome *o, f2l_error *err)
{
    const f2l_refined *r = b->cells;
    const uint32_t value = f2l_refine_digit(r, o->tuple, i), old = f2l_refine_digit(r, o->old, i);
    if (x->action == F2L_ACTION_RESET)
        return is_set(b, i) ? set_value(t, b, i, value, err) : F2L_OK;
    if (x->action == F2L_ACTION_IDLE || value == old) return F2L_OK;
    if (b->frame->kind[i] == F2L_CELL_TURN) return reflect_in_plane(t, b, i, old, value, err);
    return b->plane[i]
               ? turn_plane(t, b->plane[i], (value + r->values[i] - old) % r->values[i], err)
               : axis(t, 2, err);
}

f2l_status f2l_diagonal_letter(f2l_layer *layer, const f2l_diagonal_level *b, size_t k,
                               size_t letter, const f2l_context *x, const f2l_outcome *o,
                               f2l_error *err)
{
    const f2l_refined *r = b->cells;
    f2l_status status = F2L_OK;
    f2l_head *head = layer->head;
    for (size_t i = 0; status == F2L_OK && i < r->coordinates; i++)
        if (layer_holds(r, i, k))
            status = move_coordinate(&head++->letter[letter], b, i, x, o, err);
    if (status == F2L_OK && has_side(b, k) && f2l_t4_loses(&b->plan, x))
        status = axis(&head->letter[letter], 2, err);
    return status;
}
