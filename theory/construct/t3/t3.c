/* The network of T3 from a representation of the automaton. Statements: theory/pages/t3.md. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/t3/impl.h"
#include <stdio.h>
#include <string.h>

static f2l_key_kind choose_kind(f2l_t3_keys keys, size_t m)
{
    size_t roots, doubled;
    if (keys == F2L_T3_NAIVE || m == 1) return F2L_KEYS_NAIVE;
    if (keys == F2L_T3_DOUBLED || !f2l_keys_dimension(F2L_KEYS_ROOTS, m, &roots))
        return F2L_KEYS_DOUBLED;
    f2l_keys_dimension(F2L_KEYS_DOUBLED, m, &doubled);
    return roots <= doubled ? F2L_KEYS_ROOTS : F2L_KEYS_DOUBLED;
}

static f2l_status plan_t3_orbits(f2l_t3_plan *plan, f2l_t3_keys keys, f2l_error *err)
{
    const f2l_gset *set = plan->set;
    size_t entries;
    plan->orbit = f2l_calloc(set->orbits, sizeof *plan->orbit);
    if (plan->orbit == NULL) return f2l_fail_memory(err);
    for (size_t o = 0; o < set->orbits; o++) {
        f2l_t3_orbit *orbit = &plan->orbit[o];
        orbit->first = set->orbit[o];
        orbit->m = set->orbit[o + 1] - set->orbit[o];
        orbit->kind = choose_kind(keys, orbit->m);
        orbit->offset = plan->n;
        f2l_keys_dimension(orbit->kind, orbit->m, &orbit->n);
        plan->n += orbit->n;
    }
    plan->d = f2l_t3_columns((uint32_t)(set->colours - 1));
    if (!f2l_mul_size(&entries, plan->n, plan->d) || entries > UINT32_MAX) {
        return f2l_fail(err, F2L_UNKNOWN, "a state of %zu x %zu numbers is too large", plan->n,
                        plan->d);
    }
    return F2L_OK;
}

/* Writes the factors of a cycle. T3.9: the cycle (p1 p2 .. pr) is, first factor first, (p1 p2), (p1
 * p3), .., (p1 pr). `seen` is zero on its points. */
static f2l_status write_cycle_factors(f2l_factor *factor, const f2l_t3_orbit *orbit,
                                      const uint32_t *image, size_t p, uint8_t *seen, size_t *used,
                                      f2l_error *err)
{
    seen[p] = 1;
    for (size_t x = image[p]; x != p; x = image[x]) {
        seen[x] = 1;
        f2l_status status =
            f2l_keys_transposition(&factor[*used].u, orbit->kind, orbit->m, p - orbit->first,
                                   x - orbit->first, (uint32_t)orbit->offset, err);
        if (status != F2L_OK) return status;
        mpq_set_ui(factor[*used].beta, 2, 1);
        (*used)++;
    }
    return F2L_OK;
}

static f2l_status write_letter_factors(f2l_transition *transition, const f2l_t3_plan *plan,
                                       size_t letter, uint8_t *seen, f2l_error *err)
{
    const f2l_gset *set = plan->set;
    const uint32_t *image = set->image + letter * set->points;
    size_t used = 0;
    f2l_status status = f2l_transition_set_factors(
        transition, set->points - f2l_perm_cycles(image, set->points), err);
    memset(seen, 0, set->points);
    for (size_t o = 0; o < set->orbits && status == F2L_OK; o++) {
        for (size_t p = set->orbit[o]; p < set->orbit[o + 1] && status == F2L_OK; p++) {
            if (seen[p]) continue;
            status = write_cycle_factors(transition->factor, &plan->orbit[o], image, p, seen, &used,
                                         err);
        }
    }
    return status;
}

static f2l_status add_factors(f2l_net *net, const f2l_t3_plan *plan, f2l_error *err)
{
    f2l_head *head = &net->layer[0].head[0];
    uint8_t *seen = f2l_calloc(plan->set->points, 1);
    f2l_meter meter = {.task = plan->task, .phase = "building factors"};
    f2l_status status = F2L_OK;
    if (seen == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < plan->set->letters && status == F2L_OK; a++) {
        const uint64_t factors = plan->set->points; /* at most */
        status = f2l_meter_spend(
            &meter, F2L_TRANSITION_STEPS + factors * (F2L_FACTOR_STEPS + 4 * F2L_ENTRY_STEPS) / 2,
            (double)a, (double)plan->set->letters, err);
        if (status == F2L_OK) status = write_letter_factors(&head->letter[a], plan, a, seen, err);
    }
    f2l_free(seen);
    return status;
}

/* Writes "2 x (3 points: D4 roots (dimension 4)); ...", with runs of equal orbits together. */
static void describe_keys(char *text, size_t size, const f2l_t3_plan *plan)
{
    size_t used = 0, orbits = plan->set->orbits;
    text[0] = '\0';
    for (size_t o = 0, end; o < orbits; o = end) {
        const f2l_t3_orbit *orbit = &plan->orbit[o];
        char one[96];
        for (end = o + 1; end < orbits && plan->orbit[end].m == orbit->m; end++) {
        }
        int n = snprintf(one, sizeof one, "%zu point%s: %s", orbit->m, orbit->m == 1 ? "" : "s",
                         f2l_keys_describe(orbit->kind, orbit->m));
        if (orbit->kind != F2L_KEYS_ROOTS && n > 0 && (size_t)n < sizeof one) {
            snprintf(one + n, sizeof one - (size_t)n, " (dimension %zu)", orbit->n);
        }
        const char *separator = used > 0 ? "; " : "";
        if (used + strlen(one) + 48 > size) {
            snprintf(text + used, size - used, "%s%zu more orbits", separator, orbits - o);
            return;
        }
        used += (size_t)(end - o > 1 ? snprintf(text + used, size - used, "%s%zu x (%s)", separator,
                                                end - o, one)
                                     : snprintf(text + used, size - used, "%s%s", separator, one));
    }
}

/* Counts the displaced states. States that the start does not reach are not counted: they are
 * points of a group form that nobody tracks. */
static size_t displaced_states(const f2l_t3_plan *plan, size_t letter)
{
    const f2l_fsa *fsa = plan->fsa;
    size_t displaced = 0;
    for (size_t i = 0; i < plan->reach.states; i++) {
        size_t q = plan->reach.state[i];
        displaced += fsa->next[q * fsa->letters.count + letter] != q;
    }
    return displaced;
}

static void fill_t3_report(f2l_t3_report *report, const f2l_t3_plan *plan)
{
    const f2l_gset *set = plan->set;
    report->points = set->points;
    report->search_exhausted = set->exhausted;
    memcpy(report->representation, set->origin, sizeof report->representation);
    describe_keys(report->keys, sizeof report->keys, plan);
    for (size_t a = 0; a < set->letters; a++) {
        const uint32_t *image = set->image + a * set->points;
        size_t states = displaced_states(plan, a);
        size_t points = f2l_perm_displaced(image, set->points);
        size_t factors = set->points - f2l_perm_cycles(image, set->points);
        if (states > report->k_states) report->k_states = states;
        if (points > report->k_points) report->k_points = points;
        if (factors > report->householders) report->householders = factors;
    }
}

static f2l_status build_t3_net(f2l_net *out, f2l_t3_plan *plan, f2l_t3_keys keys, f2l_label label,
                               f2l_error *err)
{
    out->label = label;
    f2l_status status = f2l_reach_init(&plan->reach, plan->fsa, err);
    if (status == F2L_OK) status = plan_t3_orbits(plan, keys, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &plan->fsa->letters, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&out->layer[0], plan->set->letters, 1, err);
    if (status != F2L_OK) return status;
    out->layer[0].head[0].n = plan->n;
    out->layer[0].head[0].d = plan->d;
    status = add_factors(out, plan, err);
    return status == F2L_OK ? f2l_t3_decoder(out, plan, err) : status;
}

f2l_status f2l_t3_build(f2l_net *out, f2l_t3_report *report, const f2l_fsa *fsa, f2l_label label,
                        f2l_t3_keys keys, const f2l_gset *representation, const f2l_task *task,
                        f2l_error *err)
{
    f2l_t3_plan plan = {.fsa = fsa, .set = representation, .task = task};
    f2l_merge merge;
    *report = (f2l_t3_report){0};
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    if (!f2l_fsa_is_permutation(fsa, &merge)) return f2l_merge_fail(fsa, &merge, err);
    if (representation->letters != fsa->letters.count) {
        return f2l_fail(err, F2L_EDOMAIN, "the representation has %zu letters, the automaton %zu",
                        representation->letters, fsa->letters.count);
    }
    status = build_t3_net(out, &plan, keys, label, err);
    if (status == F2L_OK) fill_t3_report(report, &plan);
    if (status != F2L_OK) f2l_net_clear(out);
    f2l_reach_clear(&plan.reach);
    f2l_free(plan.orbit);
    return status;
}
