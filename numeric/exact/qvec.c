#include "numeric/exact/qvec.h"
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_qvec_init(f2l_qvec *v)
{
    *v = (f2l_qvec){0};
}

void f2l_qvec_clear(f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) mpq_clear(v->value[i]);
    f2l_free(v->index);
    f2l_free(v->value);
    *v = (f2l_qvec){0};
}

/* Makes room for entries. Keys have two or four of them and there are many keys, so growth starts
 * small. */
static bool reserve_qvec(f2l_qvec *v, size_t capacity)
{
    if (capacity <= v->capacity) return true;
    uint32_t *index = f2l_realloc(v->index, capacity, sizeof *index);
    if (!index) return false;
    v->index = index;
    mpq_t *value = f2l_realloc(v->value, capacity, sizeof *value);
    if (!value) return false;
    v->value = value;
    v->capacity = capacity;
    return true;
}

f2l_status f2l_qvec_push(f2l_qvec *v, uint32_t index, const mpq_t value, f2l_error *err)
{
    if (mpq_sgn(value) == 0) return F2L_OK;
    if (v->count > 0 && index <= v->index[v->count - 1])
        return f2l_fail(err, F2L_EDOMAIN,
                        "coordinate %lu of a vector does not follow coordinate %lu",
                        (unsigned long)index + 1, (unsigned long)v->index[v->count - 1] + 1);
    if (v->count == v->capacity && !reserve_qvec(v, v->capacity == 0 ? 2 : 2 * v->capacity))
        return f2l_fail_memory(err);
    mpq_init(v->value[v->count]);
    mpq_set(v->value[v->count], value);
    v->index[v->count++] = index;
    return F2L_OK;
}

f2l_status f2l_qvec_push_si(f2l_qvec *v, uint32_t index, long numerator, unsigned long denominator,
                            f2l_error *err)
{
    if (denominator == 0) return f2l_fail(err, F2L_EDOMAIN, "a coordinate has denominator 0");
    mpq_t value;
    mpq_init(value);
    mpq_set_si(value, numerator, denominator);
    mpq_canonicalize(value);
    f2l_status status = f2l_qvec_push(v, index, value, err);
    mpq_clear(value);
    return status;
}

f2l_status f2l_qvec_copy(f2l_qvec *out, const f2l_qvec *v, f2l_error *err)
{
    f2l_qvec copy = {0};
    if (v->count > 0 && !reserve_qvec(&copy, v->count)) {
        f2l_qvec_clear(&copy);
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < v->count; i++) {
        copy.index[i] = v->index[i];
        mpq_init(copy.value[i]);
        mpq_set(copy.value[i], v->value[i]);
    }
    copy.count = v->count;
    f2l_qvec_clear(out);
    *out = copy;
    return F2L_OK;
}

int f2l_qvec_compare(const f2l_qvec *a, const f2l_qvec *b)
{
    size_t common = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < common; i++) {
        if (a->index[i] != b->index[i]) return a->index[i] < b->index[i] ? -1 : 1;
        int order = mpq_cmp(a->value[i], b->value[i]);
        if (order != 0) return order < 0 ? -1 : 1;
    }
    return (a->count > b->count) - (a->count < b->count);
}

static uint64_t mix_integer(uint64_t hash, const mpz_t z)
{
    size_t limbs = mpz_size(z);
    const mp_limb_t *limb = mpz_limbs_read(z);
    hash = f2l_hash(hash, (uint64_t)limbs << 1 | (mpz_sgn(z) < 0));
    for (size_t i = 0; i < limbs; i++) hash = f2l_hash(hash, limb[i]);
    return hash;
}

static uint64_t mix_rational(uint64_t hash, const mpq_t value)
{
    return mix_integer(mix_integer(hash, mpq_numref(value)), mpq_denref(value));
}

uint64_t f2l_rational_hash(const mpq_t value)
{
    return mix_rational(F2L_HASH, value);
}

uint64_t f2l_qvec_hash(const f2l_qvec *v)
{
    uint64_t hash = f2l_hash(F2L_HASH, v->count);
    for (size_t i = 0; i < v->count; i++) {
        hash = mix_rational(f2l_hash(hash, v->index[i]), v->value[i]);
    }
    return hash;
}

void f2l_qvec_norm2(mpq_t out, const f2l_qvec *v)
{
    mpq_t sum, square;
    mpq_inits(sum, square, (mpq_ptr)NULL);
    for (size_t i = 0; i < v->count; i++) {
        mpq_mul(square, v->value[i], v->value[i]);
        mpq_add(sum, sum, square);
    }
    mpq_set(out, sum);
    mpq_clears(sum, square, (mpq_ptr)NULL);
}
