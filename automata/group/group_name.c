#include "automata/group/group_name.h"
#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <string.h>

/* The largest order and table of a group whose elements are listed; larger groups are named by the
 * quick tests only. */
#define LISTED_ORDER 100000
#define LISTED_BYTES ((size_t)256 << 20)

/* Appends the prefix and the number. */
static f2l_status put_number(f2l_buf *out, const char *prefix, const mpz_t number, f2l_error *err)
{
    char *text = f2l_calloc(mpz_sizeinbase(number, 10) + 2, 1);
    if (!text) return f2l_fail_memory(err);
    f2l_buf_printf(out, "%s%s", prefix, mpz_get_str(text, 10, number));
    f2l_free(text);
    return F2L_OK;
}

static const uint32_t *generator(const f2l_schreier *g, size_t s)
{
    return g->generator + s * g->degree;
}

static bool commute(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b[a[i]] != a[b[i]]) return false;
    return true;
}

bool f2l_schreier_abelian(const f2l_schreier *g)
{
    for (size_t s = 0; s < g->generators; s++)
        for (size_t t = 0; t < s; t++)
            if (!commute(generator(g, s), generator(g, t), g->degree)) return false;
    return true;
}

f2l_status f2l_perm_order(mpz_t order, const uint32_t *image, size_t n, f2l_error *err)
{
    uint8_t *seen = f2l_calloc(n, 1);
    if (!seen) return f2l_fail_memory(err);
    mpz_set_ui(order, 1);
    for (size_t i = 0; i < n; i++) {
        unsigned long length = 0;
        for (size_t at = i; !seen[at]; at = image[at]) {
            seen[at] = 1;
            length++;
        }
        if (length > 1) mpz_lcm_ui(order, order, length);
    }
    f2l_free(seen);
    return F2L_OK;
}

/* Sets out to the least common multiple of the orders of the listed permutations, the exponent of
 * an abelian group that they generate. */
static f2l_status exponent_of_rows(mpz_t out, const uint32_t *table, size_t rows, size_t degree,
                                   f2l_error *err)
{
    mpz_t one;
    f2l_status status = F2L_OK;
    mpz_init(one);
    mpz_set_ui(out, 1);
    for (size_t s = 0; status == F2L_OK && s < rows; s++) {
        status = f2l_perm_order(one, table + s * degree, degree, err);
        if (status == F2L_OK) mpz_lcm(out, out, one);
    }
    mpz_clear(one);
    return status;
}

/* Returns 'S' or 'A' where the order says so, otherwise 0: S_n has order n!, and A_n is its only
 * subgroup of order n!/2. */
static char symmetric_letter(const mpz_t order, unsigned long points)
{
    mpz_t f;
    mpz_init(f);
    mpz_fac_ui(f, points);
    char letter = mpz_cmp(f, order) == 0 ? 'S' : 0;
    mpz_divexact_ui(f, f, points > 1 ? 2 : 1);
    if (!letter && points > 2 && mpz_cmp(f, order) == 0) letter = 'A';
    mpz_clear(f);
    return letter;
}

/* Sets orbit[] to the orbit of `start`, with `place` = position plus 1; returns its size. */
static size_t orbit_of(const f2l_schreier *g, uint32_t start, uint32_t *orbit, uint32_t *place)
{
    size_t count = 1;
    orbit[0] = start;
    place[start] = 1;
    for (size_t head = 0; head < count; head++)
        for (size_t s = 0; s < g->generators; s++) {
            uint32_t to = generator(g, s)[orbit[head]];
            if (place[to]) continue;
            orbit[count] = to;
            place[to] = (uint32_t)++count;
        }
    return count;
}

/* Sets order to the order of the action on one orbit. */
static f2l_status orbit_order(mpz_t order, const f2l_schreier *g, const uint32_t *orbit,
                              const uint32_t *place, size_t points, const f2l_task *task,
                              f2l_error *err)
{
    f2l_schreier part;
    uint32_t *image = f2l_calloc(points, sizeof *image);
    if (!image) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    f2l_schreier_init(&part, points);
    for (size_t s = 0; status == F2L_OK && s < g->generators; s++) {
        for (size_t i = 0; i < points; i++) image[i] = place[generator(g, s)[orbit[i]]] - 1;
        status = f2l_schreier_add(&part, image, NULL, task, err);
    }
    if (status == F2L_OK) f2l_schreier_order(order, &part);
    f2l_free(image);
    f2l_schreier_clear(&part);
    return status;
}

/* Returns the kind of a group that acts faithfully on an orbit of the given number of points: 'S',
 * 'A', or 'F' for Z_p:Z_d, 0 otherwise. On p points, p prime, a transitive group of order p d with
 * d < p has one Sylow subgroup for p (their number divides d and is 1 modulo p), so it lies in the
 * affine group of the field of p elements and is Z_p:Z_d. */
static char orbit_letter(const mpz_t order, size_t points)
{
    const char letter = points > 2 ? symmetric_letter(order, points) : 0;
    if (letter || !n_is_prime(points) || !mpz_divisible_ui_p(order, points)) return letter;
    return mpz_cmp_ui(order, points * (points - 1)) <= 0 ? 'F' : 0;
}

static void put_orbit_name(f2l_buf *out, char letter, size_t points, const mpz_t order)
{
    const size_t d = mpz_get_ui(order) / points; /* fits when it is used */
    if (letter != 'F')
        f2l_buf_printf(out, "%c_%zu", letter, points);
    else if (d == 2)
        f2l_buf_printf(out, "D_%zu", points);
    else
        f2l_buf_printf(out, "Z_%zu:Z_%zu", points, d);
}

/* Tries the orbits in turn; `orbit` and `place` are scratch, `place` zero. */
static f2l_status try_orbits(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                             uint32_t *orbit, uint32_t *place, const f2l_task *task, f2l_error *err)
{
    mpz_t part;
    f2l_status status = F2L_OK;
    mpz_init(part);
    for (uint32_t i = 0; status == F2L_OK && !*done && i < g->degree; i++) {
        if (place[i]) continue;
        const size_t points = orbit_of(g, i, orbit, place);
        const char letter = orbit_letter(order, points);
        if (!letter) continue;
        status = orbit_order(part, g, orbit, place, points, task, err);
        if (status != F2L_OK || mpz_cmp(part, order) != 0) continue;
        put_orbit_name(out, letter, points, order);
        *done = true;
    }
    mpz_clear(part);
    return status;
}

/* Names a group that acts faithfully as S_n, A_n or Z_p:Z_d on some orbit (an orbit of one point
 * cannot be faithful here). */
static f2l_status name_orbit(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                             const f2l_task *task, f2l_error *err)
{
    uint32_t *orbit = f2l_calloc(g->degree, sizeof *orbit),
             *place = f2l_calloc(g->degree, sizeof *place);
    const f2l_status status = orbit && place
                                  ? try_orbits(out, done, g, order, orbit, place, task, err)
                                  : f2l_fail_memory(err);
    f2l_free(orbit);
    f2l_free(place);
    return status;
}

static void multiply_permutations(uint32_t *out, const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = b[a[i]];
}

static bool is_involution(const uint32_t *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[a[i]] != i) return false;
    return true;
}

/* Returns whether a is an involution that some generator does not commute with. */
static bool is_flip(const f2l_schreier *g, const uint32_t *a)
{
    if (!is_involution(a, g->degree)) return false;
    for (size_t s = 0; s < g->generators; s++)
        if (!commute(a, generator(g, s), g->degree)) return true;
    return false;
}

/* Returns whether s x s = x^-1, for an involution s: then (s x)^2 = 1. */
static bool inverts(const uint32_t *s, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[s[x[s[i]]]] != i) return false;
    return true;
}

/* G = <R, s> with s a non-central involution among the generators and R generated by the others,
 * those that are non-central involutions multiplied by s. If R is abelian of exponent |G|/2 and s
 * inverts its generators, then R is cyclic of order |G|/2 (it does not hold s, which commutes with
 * no more than the centre allows) and G is dihedral. Conversely every D_n with n > 2 passes: its
 * non-central involutions are exactly the reflections. */
static f2l_status name_dihedral(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                                f2l_error *err)
{
    size_t n = g->degree, flip = 0, rows = 0, cells;
    while (flip < g->generators && !is_flip(g, generator(g, flip))) flip++;
    if (flip == g->generators || mpz_odd_p(order)) return F2L_OK;
    if (!f2l_mul_size(&cells, g->generators, n)) return f2l_fail_memory(err);
    uint32_t *r = f2l_calloc(cells, sizeof *r);
    if (!r) return f2l_fail_memory(err);
    const uint32_t *s = generator(g, flip);
    bool good = true;
    for (size_t k = 0; k < g->generators; k++) {
        if (k == flip) continue;
        uint32_t *x = r + rows++ * n;
        if (is_flip(g, generator(g, k)))
            multiply_permutations(x, s, generator(g, k), n);
        else
            memcpy(x, generator(g, k), n * sizeof *x);
        good = good && inverts(s, x, n);
        for (size_t j = 0; j + 1 < rows; j++) good = good && commute(r + j * n, x, n);
    }
    mpz_t e;
    mpz_init(e);
    f2l_status status = good ? exponent_of_rows(e, r, rows, n, err) : F2L_OK;
    mpz_mul_2exp(e, e, 1);
    if (status == F2L_OK && good && mpz_cmp(e, order) == 0 && mpz_cmp_ui(order, 4) > 0) {
        mpz_tdiv_q_2exp(e, e, 1);
        if (mpz_cmp_ui(e, 3) == 0)
            f2l_buf_text(out, "S_3");
        else
            status = put_number(out, "D_", e, err);
        *done = true;
    }
    mpz_clear(e);
    f2l_free(r);
    return status;
}

f2l_status f2l_group_name_quick(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                                const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *done = true;
    if (mpz_cmp_ui(order, 1) == 0) {
        f2l_buf_text(out, "trivial");
    } else if (g->giant != F2L_NO_GIANT) {
        f2l_buf_printf(out, "%c_%zu", g->giant == F2L_SYMMETRIC ? 'S' : 'A', g->moved);
    } else if (f2l_schreier_abelian(g)) {
        status = f2l_group_name_abelian(out, g, order, task, err);
    } else {
        *done = false;
        status = name_orbit(out, done, g, order, task, err);
        if (status == F2L_OK && !*done) status = name_dihedral(out, done, g, order, err);
    }
    return status;
}

f2l_status f2l_group_name_view(f2l_buf *out, bool *done, const f2l_group_view *view,
                               const f2l_task *task, f2l_error *err)
{
    const f2l_group *g = view->g;
    f2l_schreier chain;
    mpz_t order;
    f2l_status status = F2L_OK;
    f2l_schreier_init(&chain, g->degree);
    mpz_init_set_ui(order, g->order);
    for (size_t s = 0; status == F2L_OK && s < g->needed; s++)
        status = f2l_schreier_add(&chain, g->generator + g->need[s] * g->degree, NULL, task, err);
    if (status == F2L_OK) status = f2l_group_name_quick(out, done, &chain, order, task, err);
    mpz_clear(order);
    f2l_schreier_clear(&chain);
    if (status == F2L_OK && !*done) status = f2l_group_name_known(out, done, view, task, err);
    if (status == F2L_OK && !*done && !view->indecomposable)
        status = f2l_group_name_product(out, done, view, task, err);
    return status;
}

f2l_status f2l_group_name_listed(f2l_buf *out, const f2l_group *g, const f2l_classes *c,
                                 const f2l_structure *s, const f2l_task *task, f2l_error *err)
{
    const f2l_group_view view = {.g = g, .c = c, .s = s};
    bool done = false;
    const f2l_status status = f2l_group_name_view(out, &done, &view, task, err);
    if (status == F2L_OK && !done) f2l_buf_printf(out, "order %zu", g->order);
    return status;
}

static f2l_status list_and_name(f2l_buf *out, bool *done, const f2l_schreier *g,
                                const f2l_task *task, f2l_error *err)
{
    f2l_group list;
    f2l_classes classes;
    f2l_structure structure;
    f2l_classes_init(&classes);
    f2l_status status =
        f2l_group_build(&list, g->generator, g->generators, g->degree, 0, task, err);
    if (status == F2L_OK) status = f2l_classes_build(&classes, &list, task, err);
    if (status == F2L_OK) status = f2l_structure_build(&structure, &list, &classes, task, err);
    const f2l_group_view view = {.g = &list, .c = &classes, .s = &structure};
    if (status == F2L_OK) status = f2l_group_name_known(out, done, &view, task, err);
    if (status == F2L_OK && !*done) status = f2l_group_name_product(out, done, &view, task, err);
    f2l_classes_clear(&classes);
    f2l_group_clear(&list);
    return status;
}

/* Leaves a group that is too large to list without a name; F2L_UNKNOWN when the task is stopped. */
static f2l_status name_listed(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                              const f2l_task *task, f2l_error *err)
{
    f2l_task within = task ? *task : (f2l_task){0};
    if (within.memory == 0 || within.memory > LISTED_BYTES) within.memory = LISTED_BYTES;
    if (mpz_cmp_ui(order, LISTED_ORDER) > 0) return F2L_OK;
    const f2l_status status = list_and_name(out, done, g, &within, err);
    return status == F2L_UNKNOWN ? f2l_task_poll(task, "the name of a group", 0, 0, err) : status;
}

f2l_status f2l_group_name(f2l_buf *out, const f2l_schreier *g, const f2l_task *task, f2l_error *err)
{
    mpz_t order;
    bool done;
    mpz_init(order);
    f2l_schreier_order(order, g);
    f2l_status status = f2l_group_name_quick(out, &done, g, order, task, err);
    if (status == F2L_OK && !done) status = name_listed(out, &done, g, order, task, err);
    if (status == F2L_OK && !done) status = put_number(out, "order ", order, err);
    mpz_clear(order);
    return status;
}
