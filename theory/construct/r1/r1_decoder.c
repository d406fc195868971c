/* H_0 and the decoder's codes: the joint orbit of H_0, one vector for every coset of its stabiliser
 * (O.2 of theory/pages/r1.md). */
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include "theory/rep/irrep/initial.h"
#include <string.h>

#define NUMBER_BYTES (2 * sizeof(f2l_number)) /* a guess */

typedef struct orbit {
    const f2l_r1_plan *plan;
    uint32_t *member; /* [members] the stabiliser of H_0 */
    size_t members;
    f2l_initial initial;
    size_t cosets;
    uint32_t *coset;     /* [order] */
    uint32_t *state;     /* [cosets] */
    f2l_number **vector; /* [modules] of [cosets][dimension] */
    bool *half; /* [modules] signed permutations: all entries are odd, so that sums are even */
} orbit;

static void orbit_clear(orbit *o)
{
    for (size_t h = 0; o->vector && h < o->plan->modules; h++)
        f2l_numbers_free(o->vector[h], o->cosets * o->plan->module[h].rep.dimension);
    f2l_free(o->vector);
    f2l_free(o->half);
    f2l_free(o->member);
    f2l_free(o->coset);
    f2l_free(o->state);
    f2l_initial_clear(&o->initial);
}

/* Finds H_0 with the stabiliser that was found, or with a trivial stabiliser if no vectors are
 * found for it. */
static f2l_status find_initial(orbit *o, f2l_error *err)
{
    const f2l_r1_plan *plan = o->plan;
    const f2l_irrep **rep = f2l_calloc(plan->modules, sizeof(const f2l_irrep *));
    if (rep == NULL) return f2l_fail_memory(err);
    for (size_t h = 0; h < plan->modules; h++) rep[h] = &plan->module[h].rep;
    const double *const *near = plan->choice ? plan->choice->near : NULL;
    f2l_status status =
        f2l_initial_near(&o->initial, near, rep, plan->modules, &plan->tables->group, o->member,
                         o->members, plan->task, err);
    if (status == F2L_UNKNOWN && o->members > 1 &&
        f2l_task_poll(plan->task, "initial states", 0, 0, err) == F2L_OK) {
        o->members = 1; /* the identity */
        status = f2l_initial_near(&o->initial, near, rep, plan->modules, &plan->tables->group,
                                  o->member, 1, plan->task, err);
    }
    f2l_free(rep);
    return status;
}

static bool is_odd(const f2l_number *a)
{
    return fmpz_is_one(a->den) && a->length == 1 && fmpz_is_odd(a->coeffs);
}

static bool all_odd(const f2l_number *x, size_t count)
{
    bool odd = count > 1 && count % 2 == 0;
    for (size_t i = 0; i < count && odd; i++) odd = is_odd(&x[i]);
    return odd;
}

static f2l_status allocate_orbit(orbit *o, f2l_error *err)
{
    const f2l_r1_plan *plan = o->plan;
    const size_t order = plan->tables->group.order;
    size_t dimension = 0, bytes;
    o->cosets = order / o->members;
    for (size_t h = 0; h < plan->modules; h++) dimension += plan->module[h].rep.dimension;
    if (!f2l_mul_size(&bytes, o->cosets, dimension * NUMBER_BYTES)) bytes = SIZE_MAX;
    f2l_status status = f2l_task_table(plan->task, "the decoder", bytes, err);
    if (status != F2L_OK) return status;
    o->coset = f2l_calloc(order, sizeof *o->coset);
    o->state = f2l_calloc(o->cosets, sizeof *o->state);
    o->half = f2l_calloc(plan->modules, sizeof *o->half);
    o->vector = f2l_calloc(plan->modules, sizeof(f2l_number *));
    if (!o->coset || !o->state || !o->half || !o->vector) return f2l_fail_memory(err);
    for (size_t h = 0; h < plan->modules; h++) {
        const f2l_irrep *rep = &plan->module[h].rep;
        o->half[h] = plan->module[h].image != NULL && all_odd(o->initial.vector[h], rep->dimension);
        o->vector[h] = f2l_numbers_new(o->cosets * rep->dimension);
        if (!o->vector[h]) return f2l_fail_memory(err);
    }
    return F2L_OK;
}

/* Fills the vectors of the coset of x, which is met for the first time; the vectors of its parent
 * are known. */
static void fill_vectors(orbit *o, uint32_t coset, uint32_t x)
{
    const f2l_r1_tree *tree = &o->plan->tree;
    for (size_t h = 0; h < o->plan->modules; h++) {
        const f2l_irrep *rep = &o->plan->module[h].rep;
        const size_t d = rep->dimension;
        f2l_number *to = o->vector[h] + coset * d;
        if (x == 0)
            for (size_t i = 0; i < d; i++) fmpq_poly_set(&to[i], &o->initial.vector[h][i]);
        else
            f2l_matrix_apply(to, &rep->letter[tree->letter[x]],
                             o->vector[h] + o->coset[tree->parent[x]] * d, &rep->field);
    }
}

static f2l_status spread_cosets(orbit *o, f2l_error *err)
{
    const f2l_group *g = &o->plan->tables->group;
    const f2l_r1_tree *tree = &o->plan->tree;
    uint32_t count = 0;
    f2l_meter meter = {.task = o->plan->task, .phase = "building the decoder"};
    memset(o->coset, 0xff, g->order * sizeof *o->coset);
    for (size_t i = 0; i < g->order; i++) {
        const uint32_t x = tree->queue[i];
        if (o->coset[x] != UINT32_MAX) continue;
        f2l_status status =
            f2l_meter_spend(&meter, 20 + 4 * o->members, (double)count, (double)o->cosets, err);
        if (status != F2L_OK) return status;
        fill_vectors(o, count, x);
        o->state[count] = tree->state[x];
        for (size_t j = 0; j < o->members; j++)
            o->coset[f2l_group_multiply(g, o->member[j], x)] = count;
        count++;
    }
    return F2L_OK;
}

static f2l_status push_orbit_vector(f2l_qvec *out, const orbit *o, size_t h, size_t coset,
                                    f2l_error *err)
{
    const f2l_r1_module *m = &o->plan->module[h];
    const f2l_number *x = o->vector[h] + coset * m->rep.dimension;
    f2l_number *placed = NULL;
    if (m->image != NULL) {
        placed = f2l_numbers_new(m->key_dim);
        if (placed == NULL) return f2l_fail_memory(err);
        f2l_r1_signed_vector(placed, x, m->rep.dimension, o->half[h]);
        x = placed;
    }
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < m->key_dim && status == F2L_OK; i++)
        status = f2l_push_number(out, i, &x[i], m->rep.field.degree, err);
    f2l_numbers_free(placed, m->key_dim);
    return status;
}

/* Sorts the cosets by their states; each state has equally many. */
static void sort_cosets(uint32_t *sorted, const orbit *o)
{
    const size_t states = o->plan->r1->reach.states, each = o->cosets / states;
    uint32_t *used = o->coset; /* the cosets' numbers are no longer needed */
    memset(used, 0, states * sizeof *used);
    for (uint32_t c = 0; c < o->cosets; c++) sorted[o->state[c] * each + used[o->state[c]]++] = c;
}

static f2l_status push_codes(f2l_net *net, const orbit *o, const uint32_t *sorted, f2l_error *err)
{
    const f2l_r1_plan *plan = o->plan;
    f2l_layer *layer = &net->layer[0];
    f2l_meter meter = {.task = plan->task, .phase = "building the decoder"};
    uint64_t each = 0;
    for (size_t h = 0; h < plan->modules; h++)
        each += sizeof(f2l_qvec) + plan->module[h].rep.dimension * F2L_ENTRY_STEPS;
    f2l_status status = f2l_layer_set_codes(layer, o->cosets, net->labels.count, false, err);
    for (size_t c = 0; c < o->cosets && status == F2L_OK; c++) {
        status = f2l_meter_spend(&meter, 40 + each, (double)c, (double)o->cosets, err);
        if (status != F2L_OK) break;
        const size_t state = plan->r1->reach.state[o->state[sorted[c]]];
        const char *text = f2l_fsa_label(plan->r1->fsa, net->label, state);
        layer->symbol[c] = (uint32_t)f2l_names_find(&net->labels, text, strlen(text));
        for (size_t h = 0; h < plan->modules && status == F2L_OK; h++)
            status = push_orbit_vector(&layer->code[c * plan->modules + h], o, h, sorted[c], err);
    }
    return status;
}

static f2l_status fill_net(f2l_net *net, const orbit *o, f2l_error *err)
{
    f2l_layer *layer = &net->layer[0];
    const f2l_r1 *r1 = o->plan->r1;
    f2l_status status =
        f2l_reach_labels(&net->labels, &net->start, NULL, &r1->reach, r1->fsa, net->label, err);
    for (size_t h = 0; h < layer->heads && status == F2L_OK; h++)
        status = push_orbit_vector(&layer->head[h].initial, o, h, 0, err);
    if (status != F2L_OK) return status;
    uint32_t *sorted = f2l_calloc(o->cosets, sizeof *sorted);
    if (sorted == NULL) return f2l_fail_memory(err);
    sort_cosets(sorted, o);
    status = push_codes(net, o, sorted, err);
    f2l_free(sorted);
    return status;
}

f2l_status f2l_r1_decoder(f2l_net *net, const f2l_r1_plan *plan, f2l_error *err)
{
    orbit o = {.plan = plan};
    f2l_initial_init(&o.initial);
    o.member = f2l_calloc(plan->tables->group.order, sizeof *o.member);
    f2l_status status =
        o.member ? f2l_r1_stabiliser(o.member, &o.members, plan, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = find_initial(&o, err);
    if (status == F2L_OK) status = allocate_orbit(&o, err);
    if (status == F2L_OK) status = spread_cosets(&o, err);
    if (status == F2L_OK) status = fill_net(net, &o, err);
    orbit_clear(&o);
    return status;
}
