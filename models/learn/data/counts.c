#include "models/learn/data/counts.h"
#include "numeric/base/mem.h"

#define LIMB_BITS (8 * sizeof(mp_limb_t))

/* Returns the number of bits of n. */
static size_t count_bits(size_t n)
{
    size_t bits = 0;
    for (; n > 0; n >>= 1) bits++;
    return bits;
}

f2l_status f2l_counts_init(f2l_counts *out, size_t rows, size_t columns, size_t most,
                           size_t exponent, const f2l_task *task, f2l_error *err)
{
    size_t bits, entries, bytes;
    *out = (f2l_counts){.columns = columns};
    if (!f2l_mul_size(&bits, count_bits(most), exponent) || bits > SIZE_MAX - 2 * LIMB_BITS)
        return f2l_fail_memory(err);
    out->limbs = (bits + 64 + LIMB_BITS - 1) / LIMB_BITS;
    if (!f2l_mul_size(&entries, rows, columns) || !f2l_mul_size(&entries, entries, out->limbs) ||
        !f2l_mul_size(&bytes, entries, sizeof *out->limb))
        return f2l_fail_memory(err);
    const f2l_status status = f2l_task_memory(task, "counting words", bytes, err);
    if (status != F2L_OK) return status;
    out->limb = f2l_calloc(entries, sizeof *out->limb);
    return out->limb != NULL ? F2L_OK : f2l_fail_memory(err);
}

void f2l_counts_clear(f2l_counts *counts)
{
    f2l_free(counts->limb);
    *counts = (f2l_counts){.limb = NULL};
}

bool f2l_counts_reach(const f2l_counts *c, const mp_limb_t *number, uint64_t least)
{
    for (size_t i = 1; i < c->limbs; i++)
        if (number[i] > 0) return true;
    return number[0] >= least;
}

void f2l_counts_below(const f2l_counts *c, mp_limb_t *out, const mp_limb_t *number, f2l_rng *rng)
{
    size_t used = c->limbs;
    while (number[used - 1] == 0) out[--used] = 0;
    mp_limb_t mask = number[used - 1];
    for (unsigned shift = 1; shift < LIMB_BITS; shift *= 2) mask |= mask >> shift;
    do {
        for (size_t i = 0; i < used; i++) out[i] = (mp_limb_t)f2l_rng_u64(rng);
        out[used - 1] &= mask;
    } while (mpn_cmp(out, number, (mp_size_t)used) >= 0);
}

bool f2l_counts_choose(const f2l_counts *c, mp_limb_t *rest, const mp_limb_t *number)
{
    if (mpn_cmp(rest, number, (mp_size_t)c->limbs) < 0) return true;
    f2l_counts_subtract(c, rest, number);
    return false;
}
