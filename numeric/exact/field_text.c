/* The spelling of fields (numeric/exact/field.h). */
#include "numeric/base/mem.h"
#include "numeric/exact/impl.h"
#include "numeric/exact/qvec.h"
#include <string.h>

void f2l_buf_field(f2l_buf *out, const f2l_field *k)
{
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; i <= k->degree; i++) {
        fmpz_get_mpz(mpq_numref(value), k->modulus->coeffs + i);
        f2l_buf_rational(out, value);
        f2l_buf_bytes(out, " ", 1);
    }
    f2l_buf_text(out, "interval ");
    f2l_buf_rational(out, k->low);
    f2l_buf_bytes(out, " ", 1);
    f2l_buf_rational(out, k->high);
    mpq_clear(value);
}

/* Cuts the next word off: words are separated by single blanks. */
static bool next_field_word(const char **word, size_t *length, const char **text, const char *end)
{
    if (*text == NULL) return false;
    const char *blank = memchr(*text, ' ', (size_t)(end - *text));
    *word = *text;
    *length = (size_t)((blank ? blank : end) - *text);
    *text = blank ? blank + 1 : NULL;
    return true;
}

static bool is_field_word(const char *word, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

typedef struct field_text {
    mpz_t coefficient[F2L_FIELD_MAX_DEGREE + 1];
    size_t count;
    mpq_t low, high;
} field_text;

static bool split_field_text(field_text *t, const char *text, size_t size)
{
    const char *end = text + size, *word;
    size_t length;
    mpq_t value;
    bool good = true;
    mpq_init(value);
    while (good && (good = next_field_word(&word, &length, &text, end)) &&
           !is_field_word(word, length, "interval")) {
        good = t->count <= F2L_FIELD_MAX_DEGREE && f2l_rational_read(value, word, length) &&
               mpz_cmp_ui(mpq_denref(value), 1) == 0;
        if (good) mpz_set(t->coefficient[t->count++], mpq_numref(value));
    }
    good = good && next_field_word(&word, &length, &text, end) &&
           f2l_rational_read(t->low, word, length) && next_field_word(&word, &length, &text, end) &&
           f2l_rational_read(t->high, word, length) && text == NULL;
    mpq_clear(value);
    return good;
}

static f2l_status build_field_of_text(f2l_field *out, const field_text *t, f2l_error *err)
{
    bool rationals = t->count == 2 && mpz_sgn(t->coefficient[0]) == 0 &&
                     mpz_cmp_ui(t->coefficient[1], 1) == 0 && mpq_cmp_si(t->low, -1, 1) == 0 &&
                     mpq_cmp_si(t->high, 1, 1) == 0;
    if (rationals) {
        f2l_field_clear(out);
        f2l_field_init(out);
        return F2L_OK;
    }
    f2l_status status = f2l_field_build(out, t->coefficient, t->count == 0 ? 0 : t->count - 1,
                                        t->low, t->high, err);
    if (status != F2L_OK && err) err->status = F2L_EFORMAT;
    return status == F2L_OK ? F2L_OK : F2L_EFORMAT;
}

f2l_status f2l_field_read(f2l_field *out, const char *text, size_t size, f2l_error *err)
{
    field_text t = {.count = 0};
    for (size_t i = 0; i <= F2L_FIELD_MAX_DEGREE; i++) mpz_init(t.coefficient[i]);
    mpq_inits(t.low, t.high, (mpq_ptr)NULL);
    f2l_status status = split_field_text(&t, text, size)
                            ? build_field_of_text(out, &t, err)
                            : f2l_fail(err, F2L_EFORMAT,
                                       "a field is spelled \"c_0 c_1 .. c_r interval A B\", r at "
                                       "most %d",
                                       F2L_FIELD_MAX_DEGREE);
    for (size_t i = 0; i <= F2L_FIELD_MAX_DEGREE; i++) mpz_clear(t.coefficient[i]);
    mpq_clears(t.low, t.high, (mpq_ptr)NULL);
    return status;
}
