/* Small machines: a bit, counters, all maps, and automata drawn at random. */
#include "automata/family/impl.h"
#include "automata/fsa/letter.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <stdio.h>
#include <string.h>

f2l_status f2l_family_flipflop(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)n;
    (void)generators;
    f2l_status status =
        f2l_family_names(&out->letters, (const char *const[]){"set", "reset", "keep"}, 3, err);
    if (status == F2L_OK)
        status = f2l_family_names(&out->states, (const char *const[]){"off", "on"}, 2, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t bit = 0; bit < 2; bit++) {
        f2l_family_edge(out, bit, 0, 1);
        f2l_family_edge(out, bit, 1, 0);
        f2l_family_edge(out, bit, 2, bit);
    }
    out->has_accept = true;
    out->accept[1] = 1;
    return F2L_OK;
}

/* Builds letters up and down on the numbers first..last, which stop at the ends. */
static f2l_status saturating(f2l_fsa *out, size_t first, size_t last, f2l_error *err)
{
    f2l_status status =
        f2l_family_names(&out->letters, (const char *const[]){"up", "down"}, 2, err);
    if (status == F2L_OK) status = f2l_family_numbers(&out->states, first, last, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    const size_t top = last - first;
    for (size_t i = 0; i <= top; i++) {
        f2l_family_edge(out, i, 0, i < top ? i + 1 : top);
        f2l_family_edge(out, i, 1, i > 0 ? i - 1 : 0);
    }
    return F2L_OK;
}

f2l_status f2l_family_counter(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    f2l_status status = saturating(out, 0, (size_t)n[0], err);
    if (status != F2L_OK) return status;
    out->has_accept = true;
    out->accept[0] = 1;
    return F2L_OK;
}

f2l_status f2l_family_cycle_navigation(f2l_fsa *out, const uint64_t *n, bool generators,
                                       f2l_error *err)
{
    (void)generators;
    const size_t m = (size_t)n[0];
    f2l_status status =
        f2l_family_names(&out->letters, (const char *const[]){"stay", "forward", "back"}, 3, err);
    if (status == F2L_OK) status = f2l_family_numbers(&out->states, 0, m - 1, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t place = 0; place < m; place++) {
        f2l_family_edge(out, place, 0, place);
        f2l_family_edge(out, place, 1, (place + 1) % m);
        f2l_family_edge(out, place, 2, (place + m - 1) % m);
    }
    return F2L_OK;
}

f2l_status f2l_family_elevator(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    return saturating(out, 1, (size_t)n[0], err);
}

f2l_status f2l_family_transformations(f2l_fsa *out, const uint64_t *n, bool generators,
                                      f2l_error *err)
{
    (void)generators;
    const size_t points = (size_t)n[0];
    f2l_status status =
        f2l_family_names(&out->letters, (const char *const[]){"cycle", "swap", "merge"}, 3, err);
    if (status == F2L_OK) status = f2l_family_numbers(&out->states, 1, points, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t p = 0; p < points; p++) {
        f2l_family_edge(out, p, 0, (p + 1) % points);
        f2l_family_edge(out, p, 1, p < 2 ? 1 - p : p);
        f2l_family_edge(out, p, 2, p == 1 ? 0 : p);
    }
    return F2L_OK;
}

/* The letters up1, down1, up2, ..: upI leads point I to the next one, downI the next one to I, and
 * all other points stay. */
f2l_status f2l_family_order_preserving(f2l_fsa *out, const uint64_t *n, bool generators,
                                       f2l_error *err)
{
    (void)generators;
    const size_t points = (size_t)n[0];
    f2l_status status = F2L_OK;
    for (size_t i = 1; i < points; i++)
        for (size_t down = 0; down < 2 && status == F2L_OK; down++) {
            char name[32];
            size_t index;
            snprintf(name, sizeof name, "%s%zu", down ? "down" : "up", i);
            status = f2l_names_add(&out->letters, name, strlen(name), &index, err);
        }
    if (status == F2L_OK) status = f2l_family_numbers(&out->states, 1, points, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t p = 0; p < points; p++)
        for (size_t a = 0; a < 2 * (points - 1); a++) {
            const size_t below = a / 2;
            f2l_family_edge(out, p, a,
                            a % 2 == 0 && p == below       ? p + 1
                            : a % 2 == 1 && p == below + 1 ? below
                                                           : p);
        }
    return F2L_OK;
}

/* Draws the transitions in (state, letter) order and then one bit per state for accepting, all from
 * stream 0 of the seed. */
f2l_status f2l_family_random(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    const size_t states = (size_t)n[0], letters = (size_t)n[1];
    size_t entries, index;
    if (!f2l_mul_size(&entries, states, letters) || entries > 10000000)
        return f2l_fail(err, F2L_EDOMAIN,
                        "random: %zu states with %zu letters have more than 10000000 transitions",
                        states, letters);
    f2l_status status = f2l_family_numbers(&out->states, 1, states, err);
    for (size_t a = 0; a < letters && status == F2L_OK; a++) {
        char name[24];
        f2l_letter_default(name, a, letters);
        status = f2l_names_add(&out->letters, name, strlen(name), &index, err);
    }
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    f2l_rng rng;
    f2l_rng_init(&rng, n[2], 0);
    for (size_t i = 0; i < entries; i++) out->next[i] = (uint32_t)f2l_rng_below(&rng, states);
    out->has_accept = true;
    for (size_t q = 0; q < states; q++) out->accept[q] = (uint8_t)f2l_rng_below(&rng, 2);
    return F2L_OK;
}
