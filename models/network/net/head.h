/* Functions on heads that ordinary and wired networks share; private to models. */
#ifndef F2L_HEAD_IMPL_H
#define F2L_HEAD_IMPL_H

#include "models/network/net/head_field.h"

/* Sets the transition to gate 1 and no factors. */
void f2l_transition_init(f2l_transition *transition);
void f2l_transition_clear(f2l_transition *transition);

/* Frees everything in the head, with the `letters` transitions; head->letter may be NULL. */
void f2l_head_clear(f2l_head *head, size_t letters);

/* What a head's letters take: the most factors of a letter, the most entries of a key, of a value
 * and of a bias, and whether some gate is not 1. */
typedef struct f2l_head_size {
    size_t factors, keys, values, biases;
    bool gated;
} f2l_head_size;
f2l_head_size f2l_head_measure(const f2l_head *head, size_t letters);

/* Returns the numbers of the dense tensors of the letters (models/network/weights/weights.h). */
size_t f2l_head_parameters(const f2l_head *head, size_t letters);

/* Returns whether both dimensions are positive and within the limits of
 * models/network/net/net.h. */
static inline bool f2l_head_in_range(const f2l_head *head)
{
    const bool plain = f2l_head_is_plain(head);
    const size_t most = plain ? F2L_MAX_STATE : F2L_MAX_FIELD_STATE / f2l_head_degree(head);
    return head->n > 0 && head->d > 0 && head->n <= most / head->d &&
           (plain || head->n <= F2L_MAX_FIELD_KEY);
}

/* Sets out to |u|^2 for rounding: 1 for a unit or a raw head. Only for heads over Q without a
 * form. */
static inline void f2l_key_norm2(mpq_t out, const f2l_head *head, const f2l_factor *factor)
{
    f2l_qvec_norm2(out, &factor->u);
    if (head->unit || head->raw) mpq_set_ui(out, 1, 1);
}

/* Sets out to s in S <- S - s u (u^T S - c^T). Only for heads over Q without a form. */
static inline void f2l_factor_scale(mpq_t out, const f2l_head *head, const f2l_factor *factor)
{
    mpq_set(out, factor->beta);
    if (head->raw) return;
    f2l_qvec_norm2(out, &factor->u);
    mpq_div(out, factor->beta, out);
}

/* Sets *fault to the reason why the field and form of a head in range are outside the declared
 * class, or to NULL. */
f2l_status f2l_form_fault(const char **fault, const f2l_head *head, f2l_error *err);

/* Returns whether indices are strictly increasing and below `limit`, entries not zero, and numbers
 * not too long. For a vector over a field `limit` counts coefficients. */
bool f2l_vector_fits(const f2l_qvec *v, size_t limit);

/* Returns whether beta u^T u, which is 1 minus the eigenvalue of a raw factor, is at most 2. */
bool f2l_raw_factor_fits(const f2l_factor *factor);

/* Returns the reason why a transition of the head is outside the declared class, or NULL. *factor
 * is the number of the factor at fault, F2L_NO_INDEX for the gate and the bias. */
const char *f2l_transition_fault(size_t *factor, const f2l_head *head,
                                 const f2l_transition *transition);

/* Returns the reason why a head cannot belong to a layer with boxes, or NULL. */
const char *f2l_box_head_fault(const f2l_head *head);

#endif
