#include "models/network/exact/exact.h"
#include "models/network/net/head.h"
#include "numeric/base/mem.h"

static bool fits_small(int64_t *out, const mpz_t value)
{
    _Static_assert(sizeof(long) == sizeof(int64_t), "GMP's long is the small integer");
    *out = mpz_get_si(value);
    return mpz_fits_slong_p(value) != 0;
}

bool f2l_common_denominator(mpz_t lcm, const f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) {
        if (mpz_cmp_ui(mpq_denref(v->value[i]), 1) != 0) mpz_lcm(lcm, lcm, mpq_denref(v->value[i]));
        if (!mpz_fits_slong_p(lcm)) return false;
    }
    return true;
}

/* Sets *out = value * scale, which is an integer. False: *out does not fit. */
static bool scale_to_small(int64_t *out, const mpq_t value, const mpz_t scale, mpz_t t)
{
    mpz_divexact(t, scale, mpq_denref(value));
    mpz_mul(t, t, mpq_numref(value));
    return fits_small(out, t);
}

/* Fills factor f: entries of u and c go to the places where f begins. */
static bool set_small_factor(f2l_small_head *small, size_t f, const f2l_head *head,
                             const f2l_factor *factor)
{
    f2l_small_factor *to = &small->factor[f];
    mpz_t scale, t;
    mpq_t ratio;
    mpz_init_set_ui(scale, 1);
    mpz_init(t);
    mpq_init(ratio);
    bool good =
        f2l_common_denominator(scale, &factor->u) && f2l_common_denominator(scale, &factor->c);
    for (size_t i = 0; good && i < factor->u.count; i++) {
        small->row[to->key + i] = (uint32_t)(factor->u.index[i] * head->d);
        good = scale_to_small(&small->key[to->key + i], factor->u.value[i], scale, t);
    }
    /* p / q = beta / (scale^2 u^T u), in a raw head beta / scale^2 */
    f2l_factor_scale(ratio, head, factor);
    mpz_mul(t, scale, scale);
    mpz_mul(mpq_denref(ratio), mpq_denref(ratio), t);
    mpq_canonicalize(ratio);
    good = good && fits_small(&to->p, mpq_numref(ratio)) && fits_small(&to->q, mpq_denref(ratio));
    mpz_mul_si(scale, scale, (long)small->denominator);
    for (size_t j = 0; good && j < factor->c.count; j++) {
        small->column[to->write + j] = factor->c.index[j];
        good = scale_to_small(&small->write[to->write + j], factor->c.value[j], scale, t);
    }
    mpq_clear(ratio);
    mpz_clear(t);
    mpz_clear(scale);
    return good;
}

/* Fills the bias of letter x. If D b is no integer, no step with this letter leads from a multiple
 * of 1 / D to another one. */
static bool set_bias(f2l_small_head *small, size_t x, const f2l_qvec *bias)
{
    mpz_t denominator, t;
    mpz_init_set_si(denominator, (long)small->denominator);
    mpz_init(t);
    bool good = true;
    const size_t first = small->bias_first[x];
    small->bias_first[x + 1] = first + bias->count;
    for (size_t i = 0; good && i < bias->count; i++) {
        small->bias_at[first + i] = bias->index[i];
        good = mpz_divisible_p(denominator, mpq_denref(bias->value[i])) != 0 &&
               scale_to_small(&small->bias[first + i], bias->value[i], denominator, t);
    }
    mpz_clear(t);
    mpz_clear(denominator);
    return good;
}

static bool set_small_weights(f2l_small_head *small, const f2l_exact_head *head)
{
    for (size_t x = 0; x < head->letters; x++) {
        const f2l_transition *letter = &head->weights->letter[x];
        if (!fits_small(&small->gate_p[x], mpq_numref(letter->gate)) ||
            !fits_small(&small->gate_q[x], mpq_denref(letter->gate)))
            return false;
        if (!set_bias(small, x, &letter->bias)) return false;
        for (size_t i = 0; i < letter->factors; i++) {
            size_t f = head->first[x] + i;
            small->factor[f + 1].key = small->factor[f].key + letter->factor[i].u.count;
            small->factor[f + 1].write = small->factor[f].write + letter->factor[i].c.count;
            if (!set_small_factor(small, f, head->weights, &letter->factor[i])) return false;
        }
    }
    return true;
}

f2l_status f2l_small_head_init(f2l_small_head *small, const f2l_exact_head *head,
                               const mpz_t denominator, f2l_error *err)
{
    *small = (f2l_small_head){0};
    if (!fits_small(&small->denominator, denominator)) return F2L_OK;
    size_t keys = 0, writes = 0, biases = 0;
    for (size_t x = 0; x < head->letters; x++) {
        biases += head->weights->letter[x].bias.count;
        for (size_t i = 0; i < head->weights->letter[x].factors; i++) {
            keys += head->weights->letter[x].factor[i].u.count;
            writes += head->weights->letter[x].factor[i].c.count;
        }
    }
    small->gate_p = f2l_calloc(head->letters, sizeof *small->gate_p);
    small->gate_q = f2l_calloc(head->letters, sizeof *small->gate_q);
    small->factor = f2l_calloc(head->first[head->letters] + 1, sizeof *small->factor);
    small->row = f2l_calloc(keys, sizeof *small->row);
    small->key = f2l_calloc(keys, sizeof *small->key);
    small->column = f2l_calloc(writes, sizeof *small->column);
    small->write = f2l_calloc(writes, sizeof *small->write);
    small->bias_first = f2l_calloc(head->letters + 1, sizeof *small->bias_first);
    small->bias_at = f2l_calloc(biases, sizeof *small->bias_at);
    small->bias = f2l_calloc(biases, sizeof *small->bias);
    if (small->gate_p == NULL || small->gate_q == NULL || small->factor == NULL ||
        small->row == NULL || small->key == NULL || small->column == NULL || small->write == NULL ||
        small->bias_first == NULL || small->bias_at == NULL || small->bias == NULL) {
        f2l_small_head_clear(small);
        return f2l_fail_memory(err);
    }
    small->usable = set_small_weights(small, head);
    return F2L_OK;
}

void f2l_small_head_clear(f2l_small_head *small)
{
    f2l_free(small->gate_p);
    f2l_free(small->gate_q);
    f2l_free(small->factor);
    f2l_free(small->row);
    f2l_free(small->key);
    f2l_free(small->column);
    f2l_free(small->write);
    f2l_free(small->bias_first);
    f2l_free(small->bias_at);
    f2l_free(small->bias);
    *small = (f2l_small_head){0};
}

/* Multiplies value by p / q if the result is an integer that fits; otherwise returns false. */
static bool multiply_small(int64_t *value, int64_t p, int64_t q)
{
    int64_t product;
    if (__builtin_mul_overflow(*value, p, &product) || product % q != 0) return false;
    *value = product / q;
    return true;
}

static f2l_status load_small_state(f2l_scratch *s, const f2l_exact_head *head,
                                   const f2l_qvec *state)
{
    if (!f2l_scratch_reserve(s, state->count)) return F2L_ENOMEM;
    for (size_t i = 0; i < state->count; i++) {
        int64_t numerator, denominator;
        if (!fits_small(&numerator, mpq_numref(state->value[i])) ||
            !fits_small(&denominator, mpq_denref(state->value[i])))
            return F2L_UNKNOWN;
        if (!multiply_small(&numerator, head->small.denominator, denominator)) return F2L_UNKNOWN;
        s->small[f2l_scratch_touch(s, state->index[i])] = numerator;
        f2l_scratch_activate(s, (uint32_t)(state->index[i] % head->weights->d));
    }
    return F2L_OK;
}

/* Computes S <- p / q S. */
static bool apply_small_gate(f2l_scratch *s, int64_t p, int64_t q)
{
    bool good = true;
    if (p == 0) f2l_scratch_reset(s);
    for (size_t i = 0; p != q && good && i < s->count; i++)
        good = multiply_small(&s->small[i], p, q);
    return good;
}

/* Applies one factor to one column, whose write is D C_j. */
static bool step_small_column(f2l_scratch *s, const f2l_small_head *small,
                              const f2l_small_factor *factor, uint32_t column, int64_t write)
{
    int64_t r = 0, product;
    for (size_t k = factor->key; k < factor[1].key; k++) {
        uint32_t slot = s->slot[small->row[k] + column];
        if (slot == 0) continue;
        if (__builtin_mul_overflow(small->key[k], s->small[slot - 1], &product)) return false;
        if (__builtin_add_overflow(r, product, &r)) return false;
    }
    if (__builtin_sub_overflow(r, write, &r) || __builtin_mul_overflow(r, factor->p, &r))
        return false;
    if (r == 0) return true;
    int64_t q = factor->q;
    if (r % q == 0) {
        r /= q;
        q = 1;
    }
    for (size_t k = factor->key; k < factor[1].key; k++) {
        if (__builtin_mul_overflow(small->key[k], r, &product) || (q > 1 && product % q != 0))
            return false;
        if (q > 1) product /= q;
        int64_t *entry = &s->small[f2l_scratch_touch(s, small->row[k] + column)];
        if (__builtin_sub_overflow(*entry, product, entry)) return false;
    }
    return true;
}

static f2l_status step_small_factor(f2l_scratch *s, const f2l_small_head *small,
                                    const f2l_small_factor *factor)
{
    f2l_status status = F2L_OK;
    for (size_t w = factor->write; w < factor[1].write; w++) {
        f2l_scratch_activate(s, small->column[w]);
        s->write[small->column[w]] = (uint32_t)(w - factor->write) + 1;
    }
    if (!f2l_scratch_reserve(s, (factor[1].key - factor->key) * s->columns)) status = F2L_ENOMEM;
    for (size_t i = 0; status == F2L_OK && i < s->columns; i++) {
        uint32_t column = s->column[i], write = s->write[column];
        if (!step_small_column(s, small, factor, column,
                               write == 0 ? 0 : small->write[factor->write + write - 1]))
            status = F2L_UNKNOWN;
    }
    for (size_t w = factor->write; w < factor[1].write; w++) s->write[small->column[w]] = 0;
    return status;
}

static f2l_status add_bias(f2l_scratch *s, const f2l_small_head *small, size_t x, size_t d)
{
    const size_t first = small->bias_first[x], end = small->bias_first[x + 1];
    if (!f2l_scratch_reserve(s, end - first)) return F2L_ENOMEM;
    for (size_t i = first; i < end; i++) {
        int64_t *entry = &s->small[f2l_scratch_touch(s, small->bias_at[i])];
        if (__builtin_add_overflow(*entry, small->bias[i], entry)) return F2L_UNKNOWN;
        f2l_scratch_activate(s, (uint32_t)(small->bias_at[i] % d));
    }
    return F2L_OK;
}

f2l_status f2l_small_step(f2l_scratch *s, const f2l_exact_head *head, const size_t *letter,
                          size_t count, const f2l_qvec *state)
{
    const f2l_small_head *small = &head->small;
    if (!small->usable) return F2L_UNKNOWN;
    f2l_status status = load_small_state(s, head, state);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        const size_t x = letter[i];
        if (!apply_small_gate(s, small->gate_p[x], small->gate_q[x])) status = F2L_UNKNOWN;
        for (size_t f = head->first[x]; status == F2L_OK && f < head->first[x + 1]; f++)
            status = step_small_factor(s, small, &small->factor[f]);
        if (status == F2L_OK) status = add_bias(s, small, x, head->weights->d);
    }
    return status;
}
