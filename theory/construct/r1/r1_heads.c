/* Irreducible representations as heads: the set that was found to be least, or another set if
 * explicit matrices for it are not available. */
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    size_t dimension, degree;
    uint32_t irrep;
} candidate;

static int by_cost(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension < y->dimension ? -1 : 1;
    if (x->degree != y->degree) return x->degree < y->degree ? -1 : 1;
    return (x->irrep > y->irrep) - (x->irrep < y->irrep);
}

static bool hits(const f2l_householders *h, uint32_t irrep, size_t target)
{
    return f2l_householders_rank(h, irrep, h->socle.target[target]) > 0;
}

/* Returns whether chosen[0 .. count) without number `but` hits everything. */
static bool faithful(const f2l_householders *h, const uint32_t *chosen, size_t count, size_t but)
{
    for (size_t t = 0; t < h->socle.targets; t++) {
        bool hit = false;
        for (size_t i = 0; i < count && !hit; i++) hit = i != but && hits(h, chosen[i], t);
        if (!hit) return false;
    }
    return true;
}

bool f2l_r1_faithful(const f2l_r1 *r1, const uint32_t *irrep, size_t count)
{
    return faithful(&r1->tables.householders, irrep, count, SIZE_MAX);
}

static size_t list_candidates(candidate *list, const f2l_householders *h, size_t k,
                              const uint8_t *unavailable, const size_t *degree)
{
    size_t count = 0;
    for (uint32_t i = 0; i < h->irreps; i++)
        if (!unavailable[i] && h->irrep[i].most <= k)
            list[count++] =
                (candidate){.dimension = h->irrep[i].dimension, .degree = degree[i], .irrep = i};
    qsort(list, count, sizeof *list, by_cost);
    return count;
}

f2l_status f2l_r1_choose(uint32_t *chosen, size_t *count, const f2l_householders *h, size_t k,
                         const uint8_t *unavailable, const size_t *degree, f2l_error *err)
{
    candidate *list = f2l_calloc(h->irreps, sizeof *list);
    *count = 0;
    if (list == NULL) return f2l_fail_memory(err);
    const size_t candidates = list_candidates(list, h, k, unavailable, degree);
    for (size_t i = 0; i < candidates; i++) {
        bool helps = false; /* it hits an element that no earlier one hits */
        for (size_t t = 0; t < h->socle.targets && !helps; t++) {
            helps = hits(h, list[i].irrep, t);
            for (size_t j = 0; j < *count && helps; j++) helps = !hits(h, chosen[j], t);
        }
        if (helps) chosen[(*count)++] = list[i].irrep;
    }
    f2l_free(list);
    if (!faithful(h, chosen, *count, SIZE_MAX)) *count = 0;
    for (size_t i = *count; i > 0; i--) { /* later ones may have made earlier ones superfluous,
                                             costly ones first */
        if (!faithful(h, chosen, *count, i - 1)) continue;
        memmove(chosen + i - 1, chosen + i, (*count - i) * sizeof *chosen);
        (*count)--;
    }
    if (h->socle.targets == 0 && !unavailable[0])
        chosen[(*count)++] = 0; /* the only irrep of the trivial group */
    return F2L_OK;
}

uint64_t f2l_r1_psi(const f2l_r1_tables *t, size_t irrep, size_t class_number)
{
    const f2l_characters *x = &t->characters;
    const size_t chi = t->householders.irrep[irrep].character;
    const uint64_t value = x->value[chi * x->classes + class_number];
    if (x->indicator[chi] == 1) return value;
    return (value + x->value[x->conjugate[chi] * x->classes + class_number]) % x->prime;
}

static f2l_status fill_module(f2l_r1_module *m, const f2l_r1_tables *t, size_t irrep,
                              f2l_error *err)
{
    const size_t n = t->classes.classes;
    m->key_dim = m->rep.dimension;
    m->trace = f2l_calloc(n, sizeof *m->trace);
    if (m->trace == NULL) return f2l_fail_memory(err);
    for (size_t c = 0; c < n; c++) m->trace[c] = f2l_r1_psi(t, irrep, c);
    return F2L_OK;
}

/* Moves the matrices into modules. */
static f2l_status take_irreps(f2l_r1_plan *plan, f2l_irrep *rep, const uint32_t *irrep,
                              size_t count, f2l_error *err)
{
    f2l_status status = f2l_r1_modules_new(plan, count, err);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        f2l_irrep_clear(&plan->module[i].rep);
        plan->module[i].rep = rep[i];
        f2l_irrep_init(&rep[i]);
        status = fill_module(&plan->module[i], plan->tables, irrep[i], err);
    }
    return status;
}

/* Sets the plan's modules to these irreps. Irreps without matrices become unavailable; the result
 * is then F2L_UNKNOWN, as when the task says stop. */
static f2l_status build_irreps(f2l_r1_plan *plan, const uint32_t *irrep, size_t count,
                               uint8_t *unavailable, f2l_error *err)
{
    const f2l_r1_tables *t = plan->tables;
    size_t *character = f2l_calloc(count, sizeof *character);
    f2l_status *found = f2l_calloc(count, sizeof *found);
    f2l_irrep *rep = f2l_calloc(count, sizeof *rep);
    f2l_status status = character && found && rep ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        for (size_t i = 0; i < count; i++) {
            character[i] = t->householders.irrep[irrep[i]].character;
            found[i] = F2L_UNKNOWN;
        }
        status = f2l_irreps_build(rep, found, character, count, &t->group, &t->classes,
                                  &t->characters, plan->task, err);
        for (size_t i = 0; i < count && status == F2L_UNKNOWN; i++)
            if (found[i] != F2L_OK) unavailable[irrep[i]] = 1;
        if (status == F2L_OK) status = take_irreps(plan, rep, irrep, count, err);
        for (size_t i = 0; i < count; i++) f2l_irrep_clear(&rep[i]);
    }
    f2l_free(character);
    f2l_free(found);
    f2l_free(rep);
    return status;
}

/* Tries the cheapest set for one number of factors after another, until the matrices of a whole set
 * are found. */
static f2l_status build_others(f2l_r1_plan *plan, uint8_t *unavailable, f2l_error *err)
{
    const f2l_householders *h = &plan->tables->householders;
    size_t *degree = f2l_calloc(h->irreps, sizeof *degree), most = 0, count = 0;
    uint32_t *chosen = f2l_calloc(h->irreps + 1, sizeof *chosen);
    f2l_error first = err ? *err : (f2l_error){0};
    f2l_status status =
        degree && chosen ? f2l_r1_field_degrees(degree, plan->tables, err) : f2l_fail_memory(err);
    for (size_t i = 0; i < h->irreps && status == F2L_OK; i++) {
        if (degree[i] > F2L_FIELD_MAX_DEGREE) unavailable[i] = 1;
        if (h->irrep[i].most > most) most = h->irrep[i].most;
    }
    bool built = false;
    for (size_t k = h->minimum; k <= most && !built && status == F2L_OK;) {
        status =
            f2l_task_poll(plan->task, "explicit representations", (double)k, (double)most, err);
        if (status == F2L_OK)
            status = f2l_r1_choose(chosen, &count, h, k, unavailable, degree, err);
        if (status != F2L_OK) break;
        if (count == 0) {
            k++;
            continue;
        }
        status = build_irreps(plan, chosen, count, unavailable, err);
        built = status == F2L_OK;
        if (status == F2L_UNKNOWN) status = F2L_OK;
    }
    f2l_free(degree);
    f2l_free(chosen);
    if (status != F2L_OK || built) return status;
    if (err) *err = first;
    return F2L_UNKNOWN;
}

f2l_status f2l_r1_irreducible(f2l_r1_plan *plan, bool *least, f2l_error *err)
{
    const f2l_householders *h = &plan->tables->householders;
    const uint32_t trivial = 0;
    uint8_t *unavailable = f2l_calloc(h->irreps, 1);
    if (unavailable == NULL) return f2l_fail_memory(err);
    const f2l_r1_choice *c = plan->choice;
    f2l_status status = c              ? build_irreps(plan, c->irrep, c->heads, unavailable, err)
                        : h->heads > 0 ? build_irreps(plan, h->head, h->heads, unavailable, err)
                                       : build_irreps(plan, &trivial, 1, unavailable, err);
    *least = status == F2L_OK && h->least && !c;
    if (status == F2L_UNKNOWN && !c &&
        f2l_task_poll(plan->task, "explicit representations", 0, 0, err) == F2L_OK)
        status = build_others(plan, unavailable, err);
    f2l_free(unavailable);
    return status;
}
