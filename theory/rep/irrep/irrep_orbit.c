/* The orbit of a vector that a subgroup H multiplies by a character lambda to {1, -1}, known by its
 * inner products only (theory/pages/irreps.md, I.3, I.4). */
#include "numeric/base/mem.h"
#include "theory/rep/irrep/impl.h"
#include <string.h>

void f2l_orbit_clear(f2l_orbit *o)
{
    f2l_free(o->line);
    f2l_free(o->minus);
    f2l_free(o->representative);
    f2l_free(o->inverse);
    f2l_free(o->residue);
    f2l_numbers_free(o->product, o->lines);
    *o = (f2l_orbit){0};
}

static f2l_status make_orbit_room(f2l_orbit *o, f2l_error *err)
{
    const size_t order = o->world->group->order;
    o->line = f2l_calloc(order, sizeof *o->line);
    o->minus = f2l_calloc(order, 1);
    o->representative = f2l_calloc(o->lines, sizeof *o->representative);
    o->inverse = f2l_calloc(o->lines, sizeof *o->inverse);
    o->residue = f2l_calloc(o->lines, sizeof *o->residue);
    o->product = f2l_numbers_new(o->lines);
    return o->line && o->minus && o->representative && o->inverse && o->residue && o->product
               ? F2L_OK
               : f2l_fail_memory(err);
}

static void sum_up(f2l_number *out, const long *count, const f2l_psi *psi)
{
    f2l_number term;
    fmpq_poly_init(&term);
    fmpq_poly_zero(out);
    for (size_t v = 0; v < psi->values; v++) {
        if (count[v] == 0) continue;
        fmpq_poly_scalar_mul_si(&term, &psi->value[v], count[v]);
        fmpq_poly_add(out, out, &term);
    }
    fmpq_poly_clear(&term);
}

/* Fills the coset H x: its members' line and signs, and the sum of lambda(h) psi(h x). `count` is
 * scratch: signed counts of the values of psi. */
static void fill_line(f2l_orbit *o, uint32_t line, uint32_t x, long *count)
{
    const f2l_sign_group *h = o->subgroup;
    memset(count, 0, o->psi->values * sizeof *count);
    for (size_t i = 0; i < h->order; i++) {
        const uint32_t y = f2l_group_multiply(o->world->group, h->member[i], x);
        const bool minus = f2l_sign_is_minus(o->mask, h->parity[i]);
        o->line[y] = line;
        o->minus[y] = minus;
        count[o->psi->value_of[o->world->classes->class_of[y]]] += minus ? -1 : 1;
    }
    o->representative[line] = x;
    o->inverse[line] = f2l_group_inverse(o->world->group, x);
    sum_up(&o->product[line], count, o->psi);
}

static f2l_status fill_lines(f2l_orbit *o, f2l_error *err)
{
    const size_t order = o->world->group->order;
    long *count = f2l_calloc(o->psi->values, sizeof *count);
    f2l_status status = count ? F2L_OK : f2l_fail_memory(err);
    for (size_t x = 0; x < order; x++) o->line[x] = UINT32_MAX;
    uint32_t line = 0;
    for (uint32_t x = 0; x < order && status == F2L_OK; x++) {
        if (o->line[x] != UINT32_MAX) continue;
        fill_line(o, line++, x, count);
        status = f2l_task_poll(o->world->task, "orbit", (double)line, (double)o->lines, err);
    }
    f2l_free(count);
    return status;
}

/* The field lies in Q(zeta_n), n = exponent times 4 radicand, so primes that are 1 modulo n serve.
 * Above this limit they might exceed 2^32. */
#define MAX_STEP ((ulong)1 << 22)

f2l_status f2l_orbit_reduce(f2l_orbit *o, f2l_error *err)
{
    ulong above = UINT64_C(1) << 31, step = o->world->classes->exponent;
    if (o->psi->radicand > 0) step *= 4 * o->psi->radicand;
    if (step > MAX_STEP) step = 1;
    o->map.q.n = 0;
    for (size_t i = 0; i < o->lines; i++) {
        while (o->map.q.n == 0 || !f2l_residue(&o->residue[i], &o->product[i], &o->map)) {
            f2l_residues_init(&o->map, &o->psi->field, above, step);
            above = o->map.q.n;
            i = 0;
        }
    }
    return f2l_task_poll(o->world->task, "orbit", (double)o->lines, (double)o->lines, err);
}

f2l_status f2l_orbit_init(f2l_orbit *o, const f2l_psi *psi, const f2l_irrep_world *world,
                          const f2l_sign_group *h, uint32_t mask, f2l_error *err)
{
    *o = (f2l_orbit){.world = world,
                     .psi = psi,
                     .subgroup = h,
                     .mask = mask,
                     .lines = world->group->order / h->order};
    f2l_status status = make_orbit_room(o, err);
    if (status == F2L_OK) status = fill_lines(o, err);
    if (status != F2L_OK) f2l_orbit_clear(o);
    return status;
}
