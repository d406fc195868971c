#include "models/network/net/net_orthonormal.h"
#include "models/network/net/code_index.h"
#include "models/network/net/head_field.h"
#include "numeric/exact/field_ball.h"
#include <string.h>

#define SIGNIFICANT 54
#define SPARE_BITS 32 /* extra bits with which an enclosure decides most floors at once */

/* G = M D M^T of one head, and room for vectors. */
typedef struct basis {
    const f2l_head *head;
    f2l_field field;   /* the head's field, with alpha as precise as most square roots need */
    f2l_ldl ldl;       /* only with a form */
    f2l_number *value; /* [n * d] */
    f2l_number norm2;  /* u^T G u of the present factor, inverted */
    f2l_number square; /* square of the present coordinate */
    size_t bits;
} basis;

static void basis_clear(basis *b)
{
    f2l_ldl_clear(&b->ldl);
    f2l_numbers_free(b->value, b->head->n * b->head->d);
    f2l_number_clear(&b->norm2);
    f2l_number_clear(&b->square);
    f2l_field_clear(&b->field);
}

static f2l_status basis_init(basis *b, const f2l_head *head, size_t bits, f2l_error *err)
{
    *b = (basis){.head = head, .bits = bits};
    f2l_field_init(&b->field);
    if (head->field) f2l_field_copy(&b->field, head->field);
    f2l_field_refine(&b->field, 2 * bits + SPARE_BITS);
    f2l_number_init(&b->norm2);
    f2l_number_init(&b->square);
    b->value = f2l_numbers_new(head->n * head->d);
    f2l_status status = b->value ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK && head->form.count > 0) {
        f2l_matrix form;
        status = f2l_head_form(&form, head, err);
        if (status == F2L_OK) status = f2l_ldl_build(&b->ldl, &form, &b->field, err);
        f2l_matrix_clear(&form);
    }
    if (status != F2L_OK) basis_clear(b);
    return status;
}

/* Computes out = floor(4^bits z), z > 0. An irrational z times a power of 4 is no integer, so some
 * enclosure decides. */
static void scaled_floor(mpz_t out, const f2l_number *z, size_t bits, const f2l_field *k)
{
    arb_t ball;
    fmpz_t floor;
    arb_init(ball);
    fmpz_init(floor);
    size_t more = SPARE_BITS;
    do {
        f2l_field_enclose(ball, z, 2 * bits + more, k);
        arb_mul_2exp_si(ball, ball, 2 * (slong)bits);
        arb_floor(ball, ball, ARF_PREC_EXACT);
        more *= 2;
    } while (!arb_get_unique_fmpz(floor, ball));
    fmpz_get_mpz(out, floor);
    arb_clear(ball);
    fmpz_clear(floor);
}

/* Returns whether sqrt(z) is rational, and sets out to it. */
static bool rational_root(mpq_t out, const f2l_number *z)
{
    if (z->length > 1) return false;
    f2l_number_get(out, z, 0);
    if (!mpz_perfect_square_p(mpq_numref(out)) || !mpz_perfect_square_p(mpq_denref(out)))
        return false;
    mpz_sqrt(mpq_numref(out), mpq_numref(out));
    mpz_sqrt(mpq_denref(out), mpq_denref(out));
    return true;
}

/* Returns whether m has more than 54 significant bits and one of the bits after the 54th is set. */
static bool is_between_doubles(const mpz_t m)
{
    const size_t size = mpz_sizeinbase(m, 2);
    return size > SIGNIFICANT && mpz_scan1(m, 0) < size - SIGNIFICANT;
}

/* Computes out = sqrt(z), z > 0, exactly or as described in models/network/net/net_orthonormal.h.
 * floor(sqrt(x)) = floor(sqrt(floor(x))). */
static void approximate_root(mpq_t out, const f2l_number *z, size_t bits, const f2l_field *k)
{
    if (rational_root(out, z)) return;
    mpz_t m;
    mpz_init(m);
    for (size_t b = bits;; b *= 2) {
        scaled_floor(m, z, b, k);
        mpz_sqrt(m, m);
        if (!is_between_doubles(m)) continue;
        mpq_set_z(out, m);
        mpq_div_2exp(out, out, b);
        break;
    }
    mpz_clear(m);
}

/* Replaces value[i * columns + j], i < rows, by the entries of M^T value. Row i needs only rows
 * from i on. */
static void turn_by_basis(basis *b, size_t rows, size_t columns)
{
    if (b->ldl.lower.rows == 0) return;
    f2l_number product;
    f2l_number_init(&product);
    for (size_t i = 0; i < rows; i++) {
        for (size_t l = i + 1; l < rows; l++) {
            const f2l_number *lower = f2l_matrix_at(&b->ldl.lower, l, i);
            for (size_t j = 0; j < columns && !fmpq_poly_is_zero(lower); j++) {
                f2l_number *to = &b->value[i * columns + j];
                f2l_field_multiply(&product, lower, &b->value[l * columns + j], &b->field);
                fmpq_poly_add(to, to, &product);
            }
        }
    }
    f2l_number_clear(&product);
}

/* Computes square = value^2 D_row, the square of the coordinate in the orthonormal basis. */
static void set_square(basis *b, const f2l_number *value, size_t row)
{
    f2l_field_multiply(&b->square, value, value, &b->field);
    if (b->ldl.lower.rows > 0)
        f2l_field_multiply(&b->square, &b->square, &b->ldl.pivot[row], &b->field);
}

/* Appends sign(value) sqrt(square). */
static f2l_status push_root(basis *b, f2l_qvec *out, size_t index, const f2l_number *value,
                            f2l_error *err)
{
    if (fmpq_poly_is_zero(value)) return F2L_OK;
    mpq_t root;
    mpq_init(root);
    approximate_root(root, &b->square, b->bits, &b->field);
    if (f2l_field_sign(value, &b->field) < 0) mpq_neg(root, root);
    f2l_status status = f2l_qvec_push(out, (uint32_t)index, root, err);
    mpq_clear(root);
    return status;
}

static f2l_status view_state(basis *b, f2l_qvec *out, const f2l_qvec *state, f2l_error *err)
{
    const size_t n = b->head->n, d = b->head->d;
    f2l_status status = F2L_OK;
    f2l_vector_numbers(b->value, n * d, state, f2l_head_degree(b->head));
    turn_by_basis(b, n, d);
    for (size_t i = 0; i < n * d && status == F2L_OK; i++) {
        set_square(b, &b->value[i], i / d);
        status = push_root(b, out, i, &b->value[i], err);
    }
    return status;
}

/* Computes key and value of a factor, both divided by the length of u. */
static f2l_status view_factor(basis *b, f2l_factor *out, const f2l_factor *factor, f2l_error *err)
{
    const size_t n = b->head->n, degree = f2l_head_degree(b->head);
    f2l_status status = F2L_OK;
    f2l_number c;
    f2l_number_init(&c);
    mpq_set(out->beta, factor->beta);
    f2l_vector_numbers(b->value, n, &factor->u, degree);
    turn_by_basis(b, n, 1);
    fmpq_poly_zero(&b->norm2);
    for (size_t i = 0; i < n; i++) {
        set_square(b, &b->value[i], i);
        fmpq_poly_add(&b->norm2, &b->norm2, &b->square);
    }
    f2l_field_invert(&b->norm2, &b->norm2, &b->field);
    for (size_t i = 0; i < n && status == F2L_OK; i++) {
        set_square(b, &b->value[i], i);
        f2l_field_multiply(&b->square, &b->square, &b->norm2, &b->field);
        status = push_root(b, &out->u, i, &b->value[i], err);
    }
    for (size_t at = 0, j; at < factor->c.count && status == F2L_OK;) {
        f2l_take_number(&c, &j, &at, &factor->c, degree);
        f2l_field_multiply(&b->square, &c, &c, &b->field);
        f2l_field_multiply(&b->square, &b->square, &b->norm2, &b->field);
        status = push_root(b, &out->c, j, &c, err);
    }
    f2l_number_clear(&c);
    return status;
}

static f2l_status copy_factor(f2l_factor *out, const f2l_factor *factor, f2l_error *err)
{
    mpq_set(out->beta, factor->beta);
    f2l_status status = f2l_qvec_copy(&out->u, &factor->u, err);
    return status == F2L_OK ? f2l_qvec_copy(&out->c, &factor->c, err) : status;
}

/* Fills the letters of the view; b == NULL: copies them. */
static f2l_status put_letters(f2l_head *out, basis *b, const f2l_head *head, size_t letters,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t x = 0; x < letters && status == F2L_OK; x++) {
        const f2l_transition *from = &head->letter[x];
        f2l_transition *to = &out->letter[x];
        mpq_set(to->gate, from->gate);
        status = f2l_qvec_copy(&to->bias, &from->bias, err); /* only for heads that are copied */
        if (status == F2L_OK) status = f2l_transition_set_factors(to, from->factors, err);
        for (size_t i = 0; i < from->factors && status == F2L_OK; i++)
            status = b ? view_factor(b, &to->factor[i], &from->factor[i], err)
                       : copy_factor(&to->factor[i], &from->factor[i], err);
    }
    return status;
}

/* Fills head h of the view, and its part of the codes. */
static f2l_status put_head(f2l_layer *out, const f2l_layer *layer, size_t h, size_t bits,
                           f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    const bool plain = f2l_head_is_plain(head);
    f2l_head *to = &out->head[h];
    basis b;
    f2l_status status = plain ? F2L_OK : basis_init(&b, head, bits, err);
    if (status != F2L_OK) return status;
    to->n = head->n;
    to->d = head->d;
    to->raw = head->raw;
    to->unit = head->unit || !plain;
    status = put_letters(to, plain ? NULL : &b, head, layer->letters, err);
    if (status == F2L_OK)
        status = plain ? f2l_qvec_copy(&to->initial, &head->initial, err)
                       : view_state(&b, &to->initial, &head->initial, err);
    for (size_t c = 0; c < layer->codes && status == F2L_OK; c++) {
        const f2l_qvec *code = &layer->code[c * layer->heads + h];
        f2l_qvec *made = &out->code[c * layer->heads + h];
        status = plain ? f2l_qvec_copy(made, code, err) : view_state(&b, made, code, err);
    }
    if (!plain) basis_clear(&b);
    return status;
}

static f2l_status put_decoder(f2l_layer *out, const f2l_layer *layer, f2l_error *err)
{
    f2l_status status =
        f2l_layer_set_codes(out, layer->codes, layer->symbols, layer->by_letter, err);
    size_t entries = layer->codes * (layer->by_letter ? layer->letters : 1);
    if (status == F2L_OK && layer->parts > 0) {
        status = f2l_layer_set_parts(out, layer->parts, layer->part_values, layer->reads, err);
        entries = layer->symbol_at[layer->letters];
    }
    if (status != F2L_OK) return status;
    memcpy(out->symbol, layer->symbol, entries * sizeof *out->symbol);
    if (layer->parts > 0)
        memcpy(out->part, layer->part, layer->codes * layer->parts * sizeof *out->part);
    if (layer->low) status = f2l_layer_set_boxes(out, err);
    for (size_t i = 0; layer->low && status == F2L_OK && i < layer->codes * layer->heads; i++) {
        status = f2l_qvec_copy(&out->low[i], &layer->low[i], err);
        if (status == F2L_OK) status = f2l_qvec_copy(&out->high[i], &layer->high[i], err);
    }
    return status;
}

/* Fills a layer of the view; *same is set when two codes have become equal. */
static f2l_status put_layer(f2l_layer *out, const f2l_layer *layer, size_t bits, bool *same,
                            f2l_error *err)
{
    f2l_status status = f2l_layer_set_heads(out, layer->letters, layer->heads, err);
    if (status == F2L_OK) status = put_decoder(out, layer, err);
    for (size_t h = 0; h < layer->heads && status == F2L_OK; h++)
        status = put_head(out, layer, h, bits, err);
    if (status != F2L_OK) return status;
    f2l_code_index index;
    status = f2l_code_index_build(&index, out, err);
    *same = status == F2L_OK && index.second != F2L_NO_INDEX;
    f2l_code_index_clear(&index);
    return status;
}

static f2l_status put_net(f2l_net *out, const f2l_net *net, size_t bits, f2l_error *err)
{
    out->label = net->label;
    out->start = net->start;
    memcpy(out->fsa_sha256, net->fsa_sha256, sizeof out->fsa_sha256);
    out->fitted = net->fitted;
    f2l_status status = f2l_names_copy(&out->letters, &net->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->labels, &net->labels, err);
    if (status == F2L_OK)
        status = f2l_letter_classes_copy(&out->classes, &net->classes, net->letters.count, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, net->layers, err);
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++) {
        bool same = true;
        for (size_t b = bits; same && status == F2L_OK; b *= 2)
            status = put_layer(&out->layer[l], &net->layer[l], b, &same, err);
    }
    return status;
}

f2l_status f2l_net_orthonormal(f2l_net *out, const f2l_net *net, size_t bits, f2l_error *err)
{
    f2l_net_clear(out);
    f2l_status status = f2l_net_check_layers(net, err);
    if (status == F2L_OK) status = f2l_net_validate(net, err);
    if (status == F2L_OK) status = put_net(out, net, bits ? bits : F2L_ORTHONORMAL_BITS, err);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}

bool f2l_net_is_plain(const f2l_net *net)
{
    bool plain = true;
    for (size_t l = 0; plain && l < net->layers; l++)
        for (size_t h = 0; plain && h < net->layer[l].heads; h++)
            plain = f2l_head_is_plain(&net->layer[l].head[h]);
    return plain;
}
