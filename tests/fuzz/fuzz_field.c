/* Fields and their numbers: the first line is a field, the second a number. The spelling of what is
 * read is the writer's. */
#include "numeric/exact/field.h"
#include "tests/support/numeric/field_values.h"
#include <stdlib.h>
#include <string.h>

static void must(bool condition)
{
    if (!condition) abort();
}

static void check_number(const f2l_field *k, const char *text, size_t size)
{
    f2l_number a, b;
    f2l_buf again;
    fmpq_poly_init(&a), fmpq_poly_init(&b);
    f2l_buf_init(&again);
    if (number_read(&a, text, size, k)) {
        number_write(&again, &a);
        must(again.size == size && memcmp(again.data, text, size) == 0);
        must(fmpq_poly_is_canonical(&a) && a.length <= (slong)k->degree);
        const int sign = f2l_field_sign(&a, k);
        const double value = number_double(&a, k);
        must((sign == 0) == (fmpq_poly_is_zero(&a) != 0) && (value > 0) <= (sign > 0) &&
             (value < 0) <= (sign < 0));
        if (sign != 0 && k->degree <= 8 && size <= 400) {
            f2l_field_invert(&b, &a, k);
            f2l_field_multiply(&b, &b, &a, k);
            must(fmpq_poly_is_one(&b));
        }
    } else {
        must(fmpq_poly_is_zero(&a));
    }
    f2l_buf_clear(&again);
    fmpq_poly_clear(&a), fmpq_poly_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = memchr(text, '\n', size);
    const size_t first = end ? (size_t)(end - text) : size;
    f2l_field k;
    f2l_error err = {0};
    if (size == 0 || first > 1000) return 0; /* factoring is slow for more */
    f2l_field_init(&k);
    const f2l_status status = f2l_field_read(&k, text, first, &err);
    must(status == F2L_OK ||
         (status == F2L_EFORMAT && err.status == F2L_EFORMAT && err.text[0] != '\0'));
    if (status == F2L_OK) {
        f2l_buf again;
        f2l_buf_init(&again);
        f2l_buf_field(&again, &k);
        must(again.size == first && memcmp(again.data, text, first) == 0);
        must(f2l_field_equal(&k, &k));
        f2l_buf_clear(&again);
        if (end) check_number(&k, end + 1, size - first - 1);
    }
    f2l_field_clear(&k);
    return 0;
}
