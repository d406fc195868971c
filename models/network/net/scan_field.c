/* The lines `field` and `form` of a head (grammar in models/network/net/net_write.c). */
#include "models/network/net/head.h"
#include "models/network/net/scan.h"
#include <string.h>

static bool read_head_field(f2l_scan *s, f2l_head *head)
{
    if (!f2l_scan_want(s, "field ")) return false;
    const char *text = s->bytes + s->at, *end = memchr(text, '\n', s->size - s->at);
    if (end == NULL) return f2l_scan_fail(s, s->size, "the file ends here; it is not complete");
    f2l_field field;
    f2l_error why = {0};
    f2l_field_init(&field);
    const f2l_status status = f2l_field_read(&field, text, (size_t)(end - text), &why);
    bool good = false;
    if (status == F2L_ENOMEM)
        (void)f2l_scan_passed(s, f2l_fail_memory(s->err));
    else if (status != F2L_OK)
        (void)f2l_scan_fail(s, s->at, "%s", why.text);
    else if (field.degree < 2)
        (void)f2l_scan_fail(s, s->at, "the field of the rationals is not written");
    else
        good = f2l_scan_passed(s, f2l_head_set_field(head, &field, s->err));
    f2l_field_clear(&field);
    if (good && !f2l_head_in_range(head))
        good = f2l_scan_fail(s, s->at, "a head of %zu x %zu numbers is too large for this field",
                             head->n, head->d);
    if (good) s->at += (size_t)(end - text);
    return good && f2l_scan_want(s, "\n");
}

/* Fills the matrix from `upper`, its entries on and above the diagonal. */
static f2l_status reflect_upper_entries(f2l_matrix *form, const f2l_qvec *upper, size_t n,
                                        size_t degree, f2l_error *err)
{
    f2l_status status = f2l_matrix_init(form, n, n, err);
    for (size_t at = 0, i; status == F2L_OK && at < upper->count;) {
        f2l_number a;
        f2l_number_init(&a);
        f2l_take_number(&a, &i, &at, upper, degree);
        fmpq_poly_set(f2l_matrix_at(form, i % n, i / n), &a);
        fmpq_poly_swap(f2l_matrix_at(form, i / n, i % n), &a);
        f2l_number_clear(&a);
    }
    return status;
}

/* Returns the fault of the entries of the file, or NULL; memory for a matrix is allocated only when
 * all entries of its diagonal are present. */
static const char *upper_fault(const f2l_qvec *upper, size_t n, size_t degree)
{
    size_t diagonal = 0, last = n * n;
    for (size_t i = 0; i < upper->count; i++) {
        const size_t entry = upper->index[i] / degree;
        if (entry == last) continue;
        last = entry;
        if (entry / n > entry % n) return "entries of a form below the diagonal are not written";
        diagonal += entry / n == entry % n;
    }
    return diagonal == n ? NULL : "the form is not symmetric and positive definite";
}

static bool take_form(f2l_scan *s, f2l_head *head, const f2l_qvec *upper, size_t start)
{
    const char *fault = upper_fault(upper, head->n, f2l_head_degree(head));
    if (fault) return f2l_scan_fail(s, start, "%s", fault);
    f2l_matrix form;
    f2l_status status = reflect_upper_entries(&form, upper, head->n, f2l_head_degree(head), s->err);
    if (status == F2L_OK) status = f2l_head_set_form(head, &form, s->err);
    f2l_matrix_clear(&form);
    if (status == F2L_OK) status = f2l_form_fault(&fault, head, s->err);
    if (!f2l_scan_passed(s, status)) return false;
    if (head->form.count == 0) fault = "a form that is the identity is not written";
    return !fault || f2l_scan_fail(s, start, "%s", fault);
}

static bool read_head_form(f2l_scan *s, f2l_head *head)
{
    const size_t start = s->at, degree = f2l_head_degree(head);
    if (head->n > F2L_MAX_FIELD_KEY || head->n > F2L_MAX_FIELD_STATE / degree / head->d)
        return f2l_scan_fail(s, start, "a head of %zu x %zu numbers is too large for a form",
                             head->n, head->d);
    f2l_qvec upper;
    f2l_qvec_init(&upper);
    const bool good =
        f2l_scan_want(s, "form") && f2l_scan_entries(s, &upper, head->n, head->n, degree) &&
        (f2l_scan_next_is(s, "\n") || f2l_scan_want(s, "\n")) && take_form(s, head, &upper, start);
    f2l_qvec_clear(&upper);
    return good && f2l_scan_want(s, "\n");
}

bool f2l_scan_field(f2l_scan *s, f2l_head *head)
{
    if (f2l_scan_next_is(s, "field") && !read_head_field(s, head)) return false;
    return !f2l_scan_next_is(s, "form") || read_head_form(s, head);
}
