/* The properties of a permutation group that classify needs: whether it is a 2-group, whether it is
 * solvable, its composition factors. Derived series are computed by Schreier-Sims, so the group
 * need not be listed. */
#include "automata/group/group_name.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/impl.h"
#include <stdio.h>
#include <string.h>

#define CORE_ORDER 100000 /* largest order of perfect groups whose structure is computed */

static f2l_status copy_text(char **to, const char *from, f2l_error *err)
{
    *to = from ? f2l_strndup(from, strlen(from)) : NULL;
    return from && !*to ? f2l_fail_memory(err) : F2L_OK;
}

static void compose_permutations(uint32_t *out, const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = b[a[i]];
}

static void invert_permutation(uint32_t *out, const uint32_t *a, size_t n)
{
    for (uint32_t i = 0; i < n; i++) out[a[i]] = i;
}

/* Sets out to a^-1 b^-1 a b, or for conjugate to a^-1 b a; t: two rows of scratch. */
static void twist(uint32_t *out, const uint32_t *a, const uint32_t *b, bool conjugate, uint32_t *t,
                  size_t n)
{
    uint32_t *left = t, *right = t + n;
    invert_permutation(left, a, n);
    if (conjugate) {
        compose_permutations(right, left, b, n);
        compose_permutations(out, right, a, n);
        return;
    }
    invert_permutation(right, b, n);
    compose_permutations(out, left, right, n);
    compose_permutations(left, a, b, n);
    compose_permutations(right, out, left, n);
    memcpy(out, right, n * sizeof *out);
}

/* Sets out to the derived group: the normal closure of the commutators of generators. */
static f2l_status derive_schreier(f2l_schreier *out, const f2l_schreier *g, const f2l_task *task,
                                  f2l_error *err)
{
    const size_t n = g->degree;
    uint32_t *scratch = f2l_calloc(3 * n, sizeof *scratch);
    if (!scratch) return f2l_fail_memory(err);
    uint32_t *x = scratch + 2 * n;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < g->generators; i++)
        for (size_t j = 0; status == F2L_OK && j < i; j++) {
            twist(x, g->generator + i * n, g->generator + j * n, false, scratch, n);
            status = f2l_schreier_add(out, x, NULL, task, err);
        }
    for (size_t i = 0; status == F2L_OK && i < out->generators; i++)
        for (size_t j = 0; status == F2L_OK && j < g->generators; j++) {
            twist(x, g->generator + j * n, out->generator + i * n, true, scratch, n);
            status = f2l_schreier_add(out, x, NULL, task, err);
        }
    f2l_free(scratch);
    return status;
}

/* Sets out to the next term; with squares, the squares are generators too: the least subgroup whose
 * quotient is an elementary abelian 2-group. */
static f2l_status next_term(f2l_schreier *out, const f2l_schreier *g, bool squares,
                            const f2l_task *task, f2l_error *err)
{
    f2l_status status = derive_schreier(out, g, task, err);
    uint32_t *x = f2l_calloc(g->degree, sizeof *x);
    if (status == F2L_OK && !x) status = f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && squares && i < g->generators; i++) {
        compose_permutations(x, g->generator + i * g->degree, g->generator + i * g->degree,
                             g->degree);
        status = f2l_schreier_add(out, x, NULL, task, err);
    }
    f2l_free(x);
    return status;
}

/* Replaces *g, of that order, by the last term of its derived series, or of the series with
 * squares; *steps is its length. */
static f2l_status last_term(f2l_schreier *g, mpz_t order, size_t *steps, bool squares,
                            const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpz_t next;
    mpz_init(next);
    *steps = 0;
    for (bool smaller = true; status == F2L_OK && smaller;) {
        f2l_schreier d;
        f2l_schreier_init(&d, g->degree);
        status = next_term(&d, g, squares, task, err);
        if (status == F2L_OK) f2l_schreier_order(next, &d);
        smaller = status == F2L_OK && mpz_cmp(next, order) < 0;
        *steps += smaller;
        if (smaller) {
            f2l_schreier_clear(g);
            *g = d;
            mpz_set(order, next);
        } else {
            f2l_schreier_clear(&d);
        }
    }
    mpz_clear(next);
    return status;
}

static void add_named_factor(f2l_buf *out, const char *name, size_t times)
{
    if (!times) return;
    f2l_buf_printf(out, "%s%s", out->size ? ", " : "", name);
    if (times > 1) f2l_buf_printf(out, " (x%zu)", times);
}

/* Appends the factors of a solvable quotient of that order: its primes, which are at most the
 * degree. */
static void prime_factors(f2l_buf *out, mpz_t quotient, size_t degree)
{
    for (size_t p = 2; p <= degree && mpz_cmp_ui(quotient, 1) > 0; p++) {
        char name[32];
        size_t times = 0;
        for (; mpz_divisible_ui_p(quotient, p); times++) mpz_divexact_ui(quotient, quotient, p);
        snprintf(name, sizeof name, "Z_%zu", p);
        add_named_factor(out, name, times);
    }
}

/* Appends A_n, or the listed structure, or only its order. */
static f2l_status core_factors(f2l_buf *out, const f2l_schreier *g, const mpz_t order,
                               const f2l_task *task, f2l_error *err)
{
    char name[40];
    if (g->giant != F2L_NO_GIANT) {
        snprintf(name, sizeof name, "A_%zu", g->moved);
        add_named_factor(out, name, 1);
        return F2L_OK;
    }
    f2l_group list;
    f2l_classes classes;
    f2l_structure structure;
    f2l_group_init(&list);
    f2l_classes_init(&classes);
    f2l_status status =
        f2l_group_build(&list, g->generator, g->generators, g->degree, CORE_ORDER, task, err);
    if (status == F2L_OK) status = f2l_classes_build(&classes, &list, task, err);
    if (status == F2L_OK) status = f2l_structure_build(&structure, &list, &classes, task, err);
    for (size_t i = 0, times = 1; status == F2L_OK && i < structure.factors; i++, times++) {
        if (i + 1 < structure.factors &&
            strcmp(structure.factor[i].name, structure.factor[i + 1].name) == 0)
            continue;
        add_named_factor(out, structure.factor[i].name, times);
        times = 0;
    }
    f2l_classes_clear(&classes);
    f2l_group_clear(&list);
    if (status == F2L_UNKNOWN && !f2l_classify_stopped(task)) {
        char *text = mpz_get_str(NULL, 10, order);
        f2l_buf_printf(out, "%sthose of a perfect group of order %s, not taken apart",
                       out->size ? ", " : "", text);
        void (*release)(void *, size_t);
        mp_get_memory_functions(NULL, NULL, &release);
        release(text, strlen(text) + 1);
        status = F2L_OK;
    }
    return status;
}

static f2l_status generate_schreier(f2l_schreier *g, const uint32_t *image, size_t generators,
                                    const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < generators; i++)
        status = f2l_schreier_add(g, image + i * g->degree, NULL, task, err);
    return status;
}

/* Sets *steps to the least length of a normal series of a 2-group whose quotients are elementary
 * abelian. */
static f2l_status count_squares(size_t *steps, const f2l_schreier *g, const f2l_task *task,
                                f2l_error *err)
{
    f2l_schreier copy;
    mpz_t order;
    mpz_init(order);
    f2l_schreier_init(&copy, g->degree);
    f2l_status status = generate_schreier(&copy, g->generator, g->generators, task, err);
    if (status == F2L_OK) f2l_schreier_order(order, &copy);
    if (status == F2L_OK) status = last_term(&copy, order, steps, true, task, err);
    f2l_schreier_clear(&copy);
    mpz_clear(order);
    return status;
}

static f2l_status facts(f2l_ladder_group *out, f2l_schreier *g, const f2l_task *task,
                        f2l_error *err)
{
    f2l_buf text;
    size_t steps;
    mpz_t order, core;
    mpz_init(order);
    mpz_init(core);
    f2l_buf_init(&text);
    f2l_schreier_order(order, g);
    mpz_set(core, order);
    out->two_group = mpz_popcount(order) == 1 ? F2L_TERNARY_YES : F2L_TERNARY_NO;
    f2l_status status =
        out->two_group == F2L_TERNARY_YES ? count_squares(&out->squares, g, task, err) : F2L_OK;
    if (status == F2L_OK) status = last_term(g, core, &steps, false, task, err);
    if (status == F2L_OK) {
        out->solvable = mpz_cmp_ui(core, 1) == 0 ? F2L_TERNARY_YES : F2L_TERNARY_NO;
        if (out->solvable == F2L_TERNARY_YES) out->derived = steps;
        mpz_divexact(order, order, core);
        prime_factors(&text, order, g->degree);
        if (out->solvable == F2L_TERNARY_NO) status = core_factors(&text, g, core, task, err);
    }
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = copy_text(&out->factors, text.data, err);
    f2l_buf_clear(&text);
    mpz_clear(core);
    mpz_clear(order);
    return status;
}

static f2l_status put_group_name(char **out, const f2l_schreier *g, const f2l_task *task,
                                 f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_status status = f2l_group_name(&name, g, task, err);
    if (status == F2L_OK) status = f2l_buf_status(&name, err);
    if (status == F2L_OK) status = copy_text(out, name.data, err);
    f2l_buf_clear(&name);
    return status;
}

f2l_status f2l_classify_name_unsolvable(char **name, const uint32_t *image, size_t generators,
                                        size_t degree, const f2l_task *task, f2l_error *err)
{
    f2l_schreier g, core;
    size_t steps;
    mpz_t order;
    *name = NULL;
    mpz_init(order);
    f2l_schreier_init(&g, degree);
    f2l_schreier_init(&core, degree);
    f2l_status status = generate_schreier(&g, image, generators, task, err);
    if (status == F2L_OK) f2l_schreier_order(order, &g);
    if (status == F2L_OK && mpz_cmp_ui(order, 60) >= 0) {
        status = generate_schreier(&core, image, generators, task, err);
        if (status == F2L_OK) status = last_term(&core, order, &steps, false, task, err);
        if (status == F2L_OK && mpz_cmp_ui(order, 1) > 0)
            status = put_group_name(name, &g, task, err);
    }
    f2l_schreier_clear(&g);
    f2l_schreier_clear(&core);
    mpz_clear(order);
    return status == F2L_UNKNOWN && !f2l_classify_stopped(task) ? F2L_OK : status;
}

static f2l_status describe_ladder_group(f2l_ladder_group *out, const f2l_schreier *g,
                                        const f2l_task *task, f2l_error *err)
{
    mpz_t order;
    mpz_init(order);
    f2l_schreier_order(order, g);
    f2l_status status = put_group_name(&out->name, g, task, err);
    if (status == F2L_OK) {
        out->order = f2l_calloc(mpz_sizeinbase(order, 10) + 2, 1);
        if (out->order)
            mpz_get_str(out->order, 10, order);
        else
            status = f2l_fail_memory(err);
    }
    mpz_clear(order);
    return status;
}

/* Fills a record whose fields are empty; fields that a limit left open stay unknown. */
static f2l_status fill_ladder_group(f2l_ladder_group *out, const uint32_t *image, size_t generators,
                                    size_t degree, const f2l_task *task, f2l_error *err)
{
    f2l_schreier g;
    f2l_schreier_init(&g, degree);
    f2l_status status = generate_schreier(&g, image, generators, task, err);
    if (status == F2L_OK && !out->name) status = describe_ladder_group(out, &g, task, err);
    if (status == F2L_OK) status = facts(out, &g, task, err);
    f2l_schreier_clear(&g);
    if (status == F2L_UNKNOWN && !f2l_classify_stopped(task)) status = F2L_OK;
    if (status == F2L_OK && !out->name) status = copy_text(&out->name, "not computed", err);
    return status;
}

/* Returns whether the names show that both abstract groups are equal: a name that is only an order
 * does not. */
static bool same_named_group(const f2l_ladder_group *a, const char *name, const char *order)
{
    return a->level && name && order && a->order && a->factors && strncmp(name, "order ", 6) != 0 &&
           strcmp(a->name, name) == 0 && strcmp(a->order, order) == 0;
}

static void group_clear(f2l_ladder_group *g)
{
    f2l_free(g->name);
    f2l_free(g->order);
    f2l_free(g->factors);
    memset(g, 0, sizeof *g);
}

static f2l_status new_group(f2l_ladder_group **out, f2l_classify *c, size_t level, f2l_error *err)
{
    f2l_ladder_group *grown = f2l_realloc(c->group, c->groups + 1, sizeof *grown);
    if (!grown) return f2l_fail_memory(err);
    c->group = grown;
    *out = &grown[c->groups];
    **out = (f2l_ladder_group){.components = 1,
                               .level = level,
                               .two_group = F2L_TERNARY_UNKNOWN,
                               .solvable = F2L_TERNARY_UNKNOWN};
    return F2L_OK;
}

static bool moves(const uint32_t *image, size_t generators, size_t degree)
{
    for (size_t i = 0; i < generators * degree; i++)
        if (image[i] != i % degree) return true;
    return false;
}

f2l_status f2l_classify_add_group(f2l_classify *out, const uint32_t *image, size_t generators,
                                  size_t degree, const char *name, const char *order, size_t level,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_ladder_group *g;
    for (size_t i = 0; i < out->groups; i++)
        if (same_named_group(&out->group[i], name, order)) {
            out->group[i].components++;
            return F2L_OK;
        }
    f2l_status status = new_group(&g, out, level, err);
    if (status != F2L_OK) return status;
    if (order) status = copy_text(&g->order, order, err);
    if (status == F2L_OK && order) status = copy_text(&g->name, name, err);
    if (status == F2L_OK) status = fill_ladder_group(g, image, generators, degree, task, err);
    /* If a limit left the order unknown, a generator shows that the group is not trivial. */
    const bool trivial = g->order ? strcmp(g->order, "1") == 0 : !moves(image, generators, degree);
    if (status == F2L_OK && !trivial)
        out->groups++;
    else
        group_clear(g);
    return status;
}

f2l_status f2l_classify_add_unknown(f2l_classify *out, size_t level, f2l_error *err)
{
    f2l_ladder_group *g;
    f2l_status status = new_group(&g, out, level, err);
    if (status == F2L_OK) status = copy_text(&g->name, "not computed", err);
    if (status == F2L_OK) out->groups++;
    return status;
}

void f2l_classify_drop_groups(f2l_classify *out, size_t count)
{
    for (size_t i = 0; i < count; i++) group_clear(&out->group[i]);
    out->groups -= count;
    if (count && out->groups)
        memmove(out->group, out->group + count, out->groups * sizeof *out->group);
}
