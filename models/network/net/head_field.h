/* Heads over a real number field and with an invariant form: building them, and reading their
 * vectors.
 *
 * A vector of such a head is stored as coefficients (models/network/net/net.h); here it becomes
 * numbers of the field. A head without a field is over Q, a field of degree 1, and then a number is
 * a rational. */
#ifndef F2L_HEAD_FIELD_H
#define F2L_HEAD_FIELD_H

#include "models/network/net/net.h"
#include "numeric/exact/field.h"
#include "numeric/exact/matrix.h"

/* Returns the degree of the head's field over Q. */
static inline size_t f2l_head_degree(const f2l_head *head)
{
    return head->field ? head->field->degree : 1;
}

/* Returns whether the head is over Q and without a form: an ordinary head. */
static inline bool f2l_head_is_plain(const f2l_head *head)
{
    return !head->field && head->form.count == 0;
}

/* Gives the head a copy of the field; for Q the head keeps no field. Call it before any of the
 * head's vectors are filled. */
f2l_status f2l_head_set_field(f2l_head *head, const f2l_field *field, f2l_error *err);

/* Sets the form of a head whose field and n are set; n must be the form's size. The identity is
 * stored as no form. f2l_net_validate checks that the form is symmetric and positive definite. */
f2l_status f2l_head_set_form(f2l_head *head, const f2l_matrix *form, f2l_error *err);

/* Appends entry `index` of a vector over a field of that degree; zeros are skipped. F2L_EDOMAIN
 * when entries do not come in increasing order. */
f2l_status f2l_push_number(f2l_qvec *v, size_t index, const f2l_number *a, size_t degree,
                           f2l_error *err);

/* Sets *a to the entry whose first coefficient is stored at v->index[*at], *index to its number,
 * and moves *at behind it: for (size_t at = 0, i; at < v->count;) f2l_take_number(a, &i, &at, v,
 * degree). */
void f2l_take_number(f2l_number *a, size_t *index, size_t *at, const f2l_qvec *v, size_t degree);

/* Sets out[n] to all entries of v; v must have no others. */
void f2l_vector_numbers(f2l_number *out, size_t n, const f2l_qvec *v, size_t degree);

/* Sets *out to the form as a matrix, the identity when the head has none; out need not be
 * initialised. */
f2l_status f2l_head_form(f2l_matrix *out, const f2l_head *head, f2l_error *err);

/* Returns the head's field. *rational must be initialised and outlive the use. */
static inline const f2l_field *f2l_head_over(const f2l_head *head, const f2l_field *rational)
{
    return head->field ? head->field : rational;
}

#endif
