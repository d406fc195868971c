/* Exact steps of heads over a real number field, or with a form: S <- S - s u (w^T S - c^T), where
 * w = G u and s = beta / u^T w are computed once for every factor. */
#include "models/network/exact/exact.h"
#include "numeric/base/mem.h"

/* The entries of a vector that are not zero. */
typedef struct number_list {
    size_t count;
    uint32_t *index;
    f2l_number *value;
} number_list;

typedef struct field_factor {
    number_list u, dual, c; /* dual is G u; without a form it is empty, and u is used */
    f2l_number scale;
} field_factor;

struct f2l_field_head {
    const f2l_head *weights; /* borrowed */
    f2l_field rational;
    const f2l_field *field;
    size_t letters;
    size_t *first; /* [letters + 1] */
    field_factor *factor;
    f2l_number *gate; /* [letters] */
};

static void clear_list(number_list *list)
{
    f2l_numbers_free(list->value, list->count);
    f2l_free(list->index);
}

void f2l_field_head_free(f2l_field_head *head)
{
    if (head == NULL) return;
    for (size_t f = 0; head->factor != NULL && f < head->first[head->letters]; f++) {
        clear_list(&head->factor[f].u);
        clear_list(&head->factor[f].dual);
        clear_list(&head->factor[f].c);
        f2l_number_clear(&head->factor[f].scale);
    }
    f2l_numbers_free(head->gate, head->letters);
    f2l_free(head->factor);
    f2l_free(head->first);
    f2l_field_clear(&head->rational);
    f2l_free(head);
}

static bool make_list(number_list *list, size_t count)
{
    list->index = f2l_calloc(count, sizeof *list->index);
    list->value = f2l_numbers_new(count);
    if (list->index == NULL || list->value == NULL) return false;
    list->count = count;
    return true;
}

static bool list_vector(number_list *list, const f2l_qvec *v, size_t degree)
{
    size_t count = 0;
    for (size_t k = 0; k < v->count; k++)
        count += k == 0 || v->index[k] / degree != v->index[k - 1] / degree;
    if (!make_list(list, count)) return false;
    for (size_t at = 0, k = 0, i; at < v->count; k++) {
        f2l_take_number(&list->value[k], &i, &at, v, degree);
        list->index[k] = (uint32_t)i;
    }
    return true;
}

/* Lists w = G u from the columns of G at the entries of u. */
static bool list_dual(number_list *dual, const number_list *u, const f2l_matrix *form,
                      const f2l_field *k)
{
    const size_t n = form->rows;
    f2l_number *w = f2l_numbers_new(n), product;
    size_t count = 0;
    if (w == NULL) return false;
    f2l_number_init(&product);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < u->count; j++) {
            f2l_field_multiply(&product, f2l_matrix_at(form, i, u->index[j]), &u->value[j], k);
            fmpq_poly_add(&w[i], &w[i], &product);
        }
        count += !fmpq_poly_is_zero(&w[i]);
    }
    const bool made = make_list(dual, count);
    for (size_t i = 0, at = 0; made && i < n; i++) {
        if (fmpq_poly_is_zero(&w[i])) continue;
        fmpq_poly_swap(&dual->value[at], &w[i]);
        dual->index[at++] = (uint32_t)i;
    }
    f2l_number_clear(&product);
    f2l_numbers_free(w, n);
    return made;
}

static const number_list *dual_of(const field_factor *factor)
{
    return factor->dual.count > 0 ? &factor->dual : &factor->u;
}

/* Sets the scale to beta / u^T w. */
static void set_scale(field_factor *factor, const mpq_t beta, const f2l_field *k)
{
    const number_list *u = &factor->u, *dual = dual_of(factor);
    f2l_number product;
    f2l_number_init(&product);
    for (size_t i = 0, j = 0; i < u->count; i++) {
        while (j < dual->count && dual->index[j] < u->index[i]) j++;
        if (j == dual->count || dual->index[j] != u->index[i]) continue;
        f2l_field_multiply(&product, &u->value[i], &dual->value[j], k);
        fmpq_poly_add(&factor->scale, &factor->scale, &product);
    }
    f2l_field_invert(&factor->scale, &factor->scale, k);
    fmpq_poly_zero(&product);
    f2l_number_put(&product, 0, beta);
    f2l_field_multiply(&factor->scale, &factor->scale, &product, k);
    f2l_number_clear(&product);
}

static f2l_status set_factors(f2l_field_head *head, const f2l_matrix *form, f2l_error *err)
{
    const f2l_head *weights = head->weights;
    const size_t degree = f2l_head_degree(weights);
    for (size_t x = 0; x < head->letters; x++) {
        f2l_number_put(&head->gate[x], 0, weights->letter[x].gate);
        for (size_t i = 0; i < weights->letter[x].factors; i++) {
            const f2l_factor *from = &weights->letter[x].factor[i];
            field_factor *to = &head->factor[head->first[x] + i];
            if (!list_vector(&to->u, &from->u, degree) || !list_vector(&to->c, &from->c, degree) ||
                (weights->form.count > 0 && !list_dual(&to->dual, &to->u, form, head->field)))
                return f2l_fail_memory(err);
            set_scale(to, from->beta, head->field);
        }
    }
    return F2L_OK;
}

static f2l_status fill_field_head(f2l_field_head *head, f2l_error *err)
{
    const f2l_head *weights = head->weights;
    head->first = f2l_calloc(head->letters + 1, sizeof *head->first);
    if (head->first == NULL) return f2l_fail_memory(err);
    for (size_t x = 0; x < head->letters; x++)
        head->first[x + 1] = head->first[x] + weights->letter[x].factors;
    head->gate = f2l_numbers_new(head->letters);
    head->factor = f2l_calloc(head->first[head->letters], sizeof *head->factor);
    if (head->gate == NULL || head->factor == NULL) return f2l_fail_memory(err);
    for (size_t f = 0; f < head->first[head->letters]; f++) f2l_number_init(&head->factor[f].scale);
    f2l_matrix form = {0};
    f2l_status status = weights->form.count > 0 ? f2l_head_form(&form, weights, err) : F2L_OK;
    if (status == F2L_OK) status = set_factors(head, &form, err);
    f2l_matrix_clear(&form);
    return status;
}

f2l_status f2l_field_head_new(f2l_field_head **out, const f2l_head *weights, size_t letters,
                              f2l_error *err)
{
    *out = NULL;
    f2l_field_head *head = f2l_calloc(1, sizeof *head);
    if (head == NULL) return f2l_fail_memory(err);
    head->weights = weights;
    head->letters = letters;
    f2l_field_init(&head->rational);
    head->field = f2l_head_over(weights, &head->rational);
    f2l_status status = fill_field_head(head, err);
    if (status == F2L_OK)
        *out = head;
    else
        f2l_field_head_free(head);
    return status;
}

/* Applies one factor to the column S, whose rows are d apart; c == NULL is zero. */
static void step_column(f2l_number *S, size_t d, const field_factor *factor, const f2l_number *c,
                        f2l_number *r, f2l_number *product, const f2l_field *k)
{
    const number_list *u = &factor->u, *dual = dual_of(factor);
    fmpq_poly_zero(r);
    for (size_t i = 0; i < dual->count; i++) {
        const f2l_number *entry = &S[dual->index[i] * d];
        if (fmpq_poly_is_zero(entry)) continue;
        f2l_field_multiply(product, &dual->value[i], entry, k);
        fmpq_poly_add(r, r, product);
    }
    if (c != NULL) fmpq_poly_sub(r, r, c);
    if (fmpq_poly_is_zero(r)) return;
    f2l_field_multiply(r, r, &factor->scale, k);
    for (size_t i = 0; i < u->count; i++) {
        f2l_field_multiply(product, &u->value[i], r, k);
        fmpq_poly_sub(&S[u->index[i] * d], &S[u->index[i] * d], product);
    }
}

static void step_field_letter(f2l_number *S, const f2l_field_head *head, size_t letter)
{
    const size_t n = head->weights->n, d = head->weights->d;
    f2l_number r, product;
    f2l_number_init(&r);
    f2l_number_init(&product);
    for (size_t i = 0; !fmpq_poly_is_one(&head->gate[letter]) && i < n * d; i++)
        f2l_field_multiply(&S[i], &S[i], &head->gate[letter], head->field);
    for (size_t f = head->first[letter]; f < head->first[letter + 1]; f++) {
        const field_factor *factor = &head->factor[f];
        size_t write = 0;
        for (size_t j = 0; j < d; j++) {
            const bool writes = write < factor->c.count && factor->c.index[write] == j;
            step_column(&S[j], d, factor, writes ? &factor->c.value[write++] : NULL, &r, &product,
                        head->field);
        }
    }
    f2l_number_clear(&r);
    f2l_number_clear(&product);
}

/* Copies the state into *out, whose memory is reused. */
static f2l_status collect_field_state(f2l_qvec *out, f2l_number *S, size_t numbers, size_t degree,
                                      mpq_t value, f2l_error *err)
{
    size_t count = 0;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < numbers; i++) {
        const bool whole = fmpz_is_one(S[i].den);
        for (slong p = 0; p < S[i].length && status == F2L_OK; p++) {
            if (fmpz_is_zero(S[i].coeffs + p)) continue;
            fmpz_get_mpz(mpq_numref(value), S[i].coeffs + p);
            fmpz_get_mpz(mpq_denref(value), S[i].den);
            if (!whole) mpq_canonicalize(value);
            status = f2l_vector_put(out, count, (uint32_t)(i * degree + (size_t)p), value, err);
            count += status == F2L_OK;
        }
        fmpq_poly_zero(&S[i]);
    }
    if (status != F2L_OK)
        f2l_qvec_clear(out);
    else
        f2l_vector_cut(out, count);
    return status;
}

f2l_status f2l_field_head_step(f2l_stepper *stepper, f2l_qvec *out, const f2l_field_head *head,
                               const size_t *letter, size_t count, const f2l_qvec *state,
                               f2l_error *err)
{
    const size_t numbers = head->weights->n * head->weights->d,
                 degree = f2l_head_degree(head->weights);
    if (stepper->numbers < numbers) {
        f2l_number *number = f2l_numbers_new(numbers);
        if (number == NULL) return f2l_fail_memory(err);
        f2l_numbers_free(stepper->number, stepper->numbers);
        stepper->number = number;
        stepper->numbers = numbers;
    }
    for (size_t at = 0, i; at < state->count;) {
        const size_t entry = state->index[at] / degree;
        f2l_take_number(&stepper->number[entry], &i, &at, state, degree);
    }
    for (size_t x = 0; x < count; x++) step_field_letter(stepper->number, head, letter[x]);
    return collect_field_state(out, stepper->number, numbers, degree, stepper->t, err);
}
