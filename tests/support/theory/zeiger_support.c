#include "tests/support/theory/zeiger_support.h"

void rule_init(rule *r, const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count;
    *r = (rule){.fsa = fsa, .n = n};
    r->removed = calloc(n, sizeof *r->removed);
    r->saved = calloc(n, sizeof *r->saved);
    r->old = calloc(n, 3 * sizeof *r->old);
    if (r->removed == NULL || r->saved == NULL || r->old == NULL) abort();
    r->new = r->old + n;
    r->image = r->new + n;
    for (size_t q = 0, l = 0; q < n; q++) {
        if (q == fsa->start) continue;
        r->removed[l] = (uint32_t)q;
        r->saved[l++] = RULE_NOTHING;
    }
}

void rule_clear(rule *r)
{
    free(r->removed);
    free(r->saved);
    free(r->old);
}

uint32_t rule_level(rule *r, size_t l, size_t letter)
{
    const uint32_t *next = r->fsa->next;
    const size_t k = r->fsa->letters.count;
    uint32_t first = RULE_NOTHING;
    for (size_t y = 0; y < r->n; y++) r->image[y] = false;
    for (size_t x = 0; x < r->n; x++)
        if (r->old[x]) r->image[next[x * k + letter]] = true;
    for (size_t y = r->n; y-- > 0;) {
        if (r->image[y] && !r->new[y]) abort(); /* Z.1: Xa is inside Y */
        if (r->new[y] && !r->image[y]) first = (uint32_t)y;
    }
    r->saved[l] = first == RULE_NOTHING ? RULE_NOTHING : r->removed[l];
    r->resets += first != RULE_NOTHING;
    r->permutations += first == RULE_NOTHING;
    return first != RULE_NOTHING ? first : next[r->removed[l] * k + letter];
}

size_t rule_step(rule *r, size_t letter)
{
    size_t state = 0;
    for (size_t x = 0; x < r->n; x++) r->old[x] = r->new[x] = true;
    for (size_t l = 0; l + 1 < r->n; l++) {
        const uint32_t now = rule_level(r, l, letter);
        r->old[r->removed[l]] = false;
        r->new[now] = false;
        r->removed[l] = now;
    }
    while (!r->new[state]) state++;
    return state;
}

size_t rule_disagrees(const rule *r, const size_t *joint)
{
    size_t wrong = 0;
    for (size_t l = 0; l + 1 < r->n; l++, joint += 2 * r->n)
        for (size_t x = 0; x < r->n; x++)
            wrong += (joint[x] != (r->removed[l] == x)) + (joint[r->n + x] != (r->saved[l] == x));
    return wrong;
}

size_t rule_run(const f2l_net *net, f2l_fsa *fsa, f2l_float_net *float_run, size_t length,
                f2l_rng *rng)
{
    const size_t k = fsa->letters.count;
    size_t state = fsa->start, label = net->start, wrong = 0;
    f2l_exact *run = NULL;
    size_t *joint = calloc(f2l_net_joint(net) + 1, sizeof *joint);
    double *number = float_run ? calloc(f2l_float_size(float_run) + 1, sizeof *number) : NULL;
    rule r;
    if (joint == NULL || f2l_exact_new(&run, net, NULL) != F2L_OK) abort();
    rule_init(&r, fsa);
    wrong += f2l_exact_start(run, joint, NULL) != F2L_OK;
    if (number) f2l_float_start(float_run, number);
    for (size_t t = 0; t <= length; t++) {
        wrong += rule_disagrees(&r, joint);
        wrong +=
            strcmp(f2l_names_get(&net->labels, label), f2l_fsa_label(fsa, net->label, state)) != 0;
        if (t == length) break;
        const size_t a = f2l_rng_below(rng, k);
        uint32_t rounded = (uint32_t)net->labels.count;
        state = fsa->next[state * k + a];
        wrong += rule_step(&r, a) != state;
        if (f2l_exact_step(run, joint, a, &label, NULL, NULL) != F2L_OK) {
            wrong++;
            break;
        }
        if (number)
            wrong +=
                f2l_float_step(float_run, number, a, &rounded, NULL) != F2L_OK || rounded != label;
    }
    /* In the format the numbers are the exact ones, too. */
    for (size_t i = 0; number && i < f2l_net_joint(net); i++)
        wrong += number[2 * i] != joint[i] || number[2 * i + 1] != joint[i];
    rule_clear(&r);
    f2l_exact_free(run);
    free(joint);
    free(number);
    return wrong;
}
