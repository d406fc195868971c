/* Initial states: orbits are counted by listing the exact texts of the states. */
#include "tests/support/numeric/field_values.h"
#include "tests/support/theory/irrep_support.h"
#include "theory/rep/irrep/initial.h"

typedef struct text_set {
    char **text;
    size_t count;
} text_set;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the text of the state of all heads after the group element x; its word comes from a
 * separate search. */
static char *spell(const irrep_sample *s, const f2l_irrep *const *head, const f2l_initial *v,
                   const size_t *word, size_t length)
{
    f2l_buf out;
    f2l_buf_init(&out);
    (void)s;
    for (size_t h = 0; h < v->heads; h++) {
        f2l_matrix m;
        const size_t d = head[h]->dimension;
        f2l_number *state = f2l_numbers_new(d);
        cr_assert_eq(f2l_matrix_init(&m, d, d, NULL), F2L_OK);
        cr_assert_eq(f2l_irrep_word(&m, head[h], word, length, NULL), F2L_OK);
        f2l_matrix_apply(state, &m, v->vector[h], &head[h]->field);
        for (size_t i = 0; i < d; i++) {
            number_write(&out, &state[i]);
            f2l_buf_text(&out, " ");
        }
        f2l_numbers_free(state, d);
        f2l_matrix_clear(&m);
    }
    return out.data;
}

/* Checks that the number of different states is the number of cosets of the stabiliser, and that
 * states are equal exactly for equal cosets: point[x] is the same for the elements of one coset. */
static void check_orbit(const irrep_sample *s, const f2l_irrep *const *head, const f2l_initial *v,
                        const uint32_t *point)
{
    const size_t order = s->group.order;
    size_t *word = calloc(order * 64, sizeof *word), *length = calloc(order, sizeof *length),
           queued = 1;
    uint32_t *queue = calloc(order, sizeof *queue);
    bool *seen = calloc(order, sizeof *seen);
    char **text = calloc(order, sizeof *text), **sorted = calloc(order, sizeof *sorted);
    seen[0] = true;
    for (size_t at = 0; at < queued; at++) {
        const uint32_t x = queue[at];
        text[x] = spell(s, head, v, word + x * 64, length[x]);
        for (size_t l = 0; l < s->group.generators; l++) {
            const uint32_t y = f2l_group_multiply(&s->group, x, letter_of(&s->group, l));
            if (seen[y]) continue;
            seen[y] = true;
            queue[queued++] = y;
            memcpy(word + y * 64, word + x * 64, length[x] * sizeof *word);
            word[y * 64 + length[x]] = l;
            length[y] = length[x] + 1;
            cr_assert_lt(length[y], 64);
        }
    }
    memcpy(sorted, text, order * sizeof *text);
    qsort(sorted, order, sizeof *sorted, by_text);
    size_t different = 1;
    for (size_t i = 1; i < order; i++) different += strcmp(sorted[i - 1], sorted[i]) != 0;
    cr_assert_eq(different, v->orbit, "%s: %zu states", s->name, different);
    for (size_t x = 0; point && x < order; x++)
        for (size_t y = 0; y < x; y++)
            cr_assert_eq(point[x] == point[y], strcmp(text[x], text[y]) == 0, "%s", s->name);
    for (size_t i = 0; i < order; i++) free(text[i]);
    free(word), free(length), free(queue), free(seen), free(text), free(sorted);
}

static size_t largest_coefficient(const f2l_initial *v)
{
    slong most = 0;
    for (size_t h = 0; h < v->heads; h++)
        for (size_t i = 0; i < v->dimension[h]; i++)
            for (slong j = 0; j < v->vector[h][i].length; j++) {
                const slong c = labs(fmpz_get_si(v->vector[h][i].coeffs + j));
                cr_assert(fmpz_is_one(v->vector[h][i].den));
                if (c > most) most = c;
            }
    return (size_t)most;
}

/* Checks every irrep alone: its orbit has order / kernel states, so that exactly the faithful ones
 * are OK; *faithful counts these. */
static void check_single_heads(irrep_sample *s, size_t *faithful)
{
    build_irreps(s, F2L_OK);
    for (size_t i = 0; i < s->irreps; i++) {
        const f2l_irrep *head = &s->irrep[i];
        const uint64_t *chi = s->table.value + head->character * s->table.classes;
        size_t kernel = 0;
        f2l_initial v;
        f2l_error err = {0};
        for (size_t c = 0; c < s->classes.classes; c++)
            if (chi[c] == s->table.degree[head->character]) kernel += s->classes.size[c];
        const f2l_status status =
            f2l_initial_near(&v, NULL, &head, 1, &s->group, NULL, 0, NULL, &err);
        cr_assert_eq(status, kernel == 1 ? F2L_OK : F2L_UNKNOWN, "%s %zu: %s", s->name, i,
                     err.text);
        if (status == F2L_OK) {
            ++*faithful;
            cr_assert_eq(v.orbit, s->group.order);
            cr_assert_leq(largest_coefficient(&v), 8);
            check_orbit(s, &head, &v, NULL);
        }
        f2l_initial_clear(&v);
    }
}

Test(initial, faithful_heads_tell_all_elements_apart)
{
    size_t faithful = 0;
    for (size_t i = 0; i < NAMED_GROUPS; i++) {
        irrep_sample s;
        if (named_groups[i].order > 200 || named_groups[i].order > largest_order()) continue;
        open_sample(&s, named_groups[i].name, named_groups[i].degree, named_groups[i].cycles);
        check_single_heads(&s, &faithful);
        close_sample(&s);
    }
    cr_assert_gt(faithful, 10);
}

/* Z12 by its rotations of order 3 and 4, neither of which is faithful alone. */
Test(initial, heads_together)
{
    irrep_sample s;
    open_polygon(&s, 12, false);
    build_irreps(&s, F2L_OK);
    const f2l_irrep *head[2] = {NULL, NULL};
    for (size_t i = 0; i < s.irreps; i++) {
        const double trace = psi_value(&s, i, s.classes.class_of[letter_of(&s.group, 0)]);
        if (s.irrep[i].dimension != 2) continue;
        if (fabs(trace + 1) < 1e-9) head[0] = &s.irrep[i];
        if (fabs(trace) < 1e-9) head[1] = &s.irrep[i];
    }
    cr_assert(head[0] && head[1]);
    f2l_initial v;
    for (size_t h = 0; h < 2; h++) {
        cr_assert_eq(f2l_initial_near(&v, NULL, head + h, 1, &s.group, NULL, 0, NULL, NULL),
                     F2L_UNKNOWN);
        cr_assert_null(v.vector);
    }
    cr_assert_eq(f2l_initial_near(&v, NULL, head, 2, &s.group, NULL, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(v.orbit, 12);
    cr_assert_eq(largest_coefficient(&v), 1);
    check_orbit(&s, head, &v, NULL);
    f2l_initial_clear(&v);
    close_sample(&s);
}

/* Checks the stabiliser of point 0: all irreps in which it fixes a vector together separate the
 * points. */
static void check_points(irrep_sample *s)
{
    const size_t order = s->group.order, degree = s->group.degree;
    uint32_t *stabiliser = calloc(order, sizeof *stabiliser), *point = calloc(order, sizeof *point);
    size_t count = 0;
    build_irreps(s, F2L_OK);
    for (uint32_t x = 0; x < order; x++) {
        point[x] = s->group.element[x * degree];
        if (point[x] == 0) stabiliser[count++] = x;
    }
    const f2l_irrep **head = calloc(s->irreps, sizeof *head);
    for (size_t i = 0; i < s->irreps; i++) head[i] = &s->irrep[i];
    f2l_initial v;
    f2l_error err = {0};
    cr_assert_eq(
        f2l_initial_near(&v, NULL, head, s->irreps, &s->group, stabiliser, count, NULL, &err),
        F2L_OK, "%s: %s", s->name, err.text);
    cr_assert_eq(v.orbit, order / count);
    check_orbit(s, head, &v, point);
    f2l_initial_clear(&v);
    free(stabiliser), free(point), free(head);
}

Test(initial, points)
{
    for (size_t i = 0; i < NAMED_GROUPS; i++) {
        irrep_sample s;
        if (named_groups[i].order > 200 || named_groups[i].order > largest_order()) continue;
        open_sample(&s, named_groups[i].name, named_groups[i].degree, named_groups[i].cycles);
        check_points(&s);
        close_sample(&s);
    }
}

Test(initial, refusals)
{
    irrep_sample s;
    f2l_initial v;
    f2l_error err = {0};
    open_sample(&s, "S3", 3, "(1 2);(1 2 3)");
    build_irreps(&s, F2L_OK);
    const f2l_irrep *head = &s.irrep[2];
    const uint32_t beyond = 6;
    cr_assert_eq(f2l_initial_near(&v, NULL, &head, 1, &s.group, &beyond, 1, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_eq(f2l_initial_near(&v, NULL, &head, 0, &s.group, NULL, 0, NULL, &err), F2L_UNKNOWN);
    /* the rotations fix nothing in the plane, so the cosets of their group are not told apart */
    const uint32_t turn = letter_of(&s.group, 1);
    cr_assert_eq(f2l_initial_near(&v, NULL, &head, 1, &s.group, &turn, 1, NULL, &err), F2L_UNKNOWN);
    const f2l_irrep *sign = &s.irrep[1];
    cr_assert_eq(f2l_initial_near(&v, NULL, &sign, 1, &s.group, &turn, 1, NULL, &err), F2L_OK);
    cr_assert_eq(v.orbit, 2);
    f2l_initial_clear(&v);
    f2l_initial_clear(&v);
    close_sample(&s);
}

#ifdef F2L_MEM_FAILURES
Test(initial, memory_failures)
{
    irrep_sample s;
    open_sample(&s, "S4", 4, "(1 2);(1 2 3 4)");
    build_irreps(&s, F2L_OK);
    const f2l_irrep *head[2] = {&s.irrep[2], &s.irrep[4]};
    const uint32_t swap = letter_of(&s.group, 0);
    for (int forever = 0; forever < 2; forever++) {
        size_t n = 1;
        f2l_status status;
        do {
            f2l_initial v;
            f2l_mem_fail_after(n++, forever);
            status = f2l_initial_near(&v, NULL, head, 2, &s.group, &swap, 1, NULL, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status != F2L_ENOMEM || !v.vector);
            cr_assert(status == F2L_ENOMEM || status == F2L_OK || status == F2L_UNKNOWN);
            f2l_initial_clear(&v);
        } while (status == F2L_ENOMEM);
        cr_assert_gt(n, 20);
    }
    close_sample(&s);
}
#endif

/* A wished vector is nearly kept, up to its length, where it tells the elements apart; the
 * projection to what a stabiliser fixes is kept otherwise. */
Test(initial, near_a_wished_vector)
{
    irrep_sample s;
    open_sample(&s, "S4", 4, "(1 2);(1 2 3 4)");
    build_irreps(&s, F2L_OK);
    for (size_t i = 0; i < s.irreps; i++) {
        const f2l_irrep *head = &s.irrep[i];
        const double wished[3] = {0.31, -0.77, 0.52}, *near = wished;
        const uint32_t swap = letter_of(&s.group, 0);
        f2l_initial v;
        f2l_error err = {0};
        if (head->dimension != 3) continue;
        cr_assert_eq(f2l_initial_near(&v, &near, &head, 1, &s.group, NULL, 0, NULL, &err), F2L_OK,
                     "%s", err.text);
        cr_assert_eq(v.orbit, 24);
        for (size_t j = 0; j < 3; j++) {
            const double x = f2l_field_double(&v.vector[0][j], &head->field);
            cr_assert(fabs(x / 32 - wished[j] / 0.77) <= 0.5 / 32 + 1e-12, "%g", x);
        }
        check_orbit(&s, &head, &v, NULL);
        f2l_initial_clear(&v);
        if (f2l_initial_near(&v, &near, &head, 1, &s.group, &swap, 1, NULL, &err) != F2L_OK)
            continue; /* elements other than the swap fix what it fixes */
        cr_assert_eq(v.orbit, 12);
        f2l_initial_clear(&v);
    }
    close_sample(&s);
}
