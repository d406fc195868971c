#include "theory/beside/compare/irreps.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

void f2l_learned_irreps_init(f2l_learned_irreps *out)
{
    memset(out, 0, sizeof *out);
    f2l_group_init(&out->group);
    f2l_classes_init(&out->classes);
    f2l_characters_init(&out->characters);
    f2l_householders_init(&out->least);
}

void f2l_learned_irreps_clear(f2l_learned_irreps *out)
{
    f2l_group_clear(&out->group);
    f2l_classes_clear(&out->classes);
    f2l_characters_clear(&out->characters);
    f2l_householders_clear(&out->least);
    f2l_free(out->letter);
    f2l_free(out->share);
    f2l_free(out->ratio);
    f2l_free(out->between);
    f2l_free(out->learned);
    f2l_learned_irreps_init(out);
}

/* --- the group --- */

static f2l_status list_group_of_states(f2l_learned_irreps *x, const uint32_t *image, size_t letters,
                                       size_t states, const f2l_task *task, f2l_error *err)
{
    f2l_error reason;
    f2l_status status =
        f2l_group_build(&x->group, image, letters, states, F2L_IRREPS_ORDER, task, &reason);
    if (status == F2L_UNKNOWN && f2l_task_poll(task, "group", 0, 1, err) == F2L_OK) {
        x->why_none = "the group has more than 1024 elements, or does not fit the memory limit";
        return F2L_OK;
    }
    if (status != F2L_OK) return f2l_fail(err, status, "%s", reason.text);
    for (size_t a = 0; a < letters; a++)
        x->letter[a] = (uint32_t)f2l_group_find(&x->group, image + a * states);
    return F2L_OK;
}

static f2l_status list_automaton_group(f2l_learned_irreps *x, const f2l_learned_sample *s,
                                       const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = s->used_letters;
    if (states > F2L_IRREPS_ORDER) {
        x->why_none = "the automaton has more than 1024 states";
        return F2L_OK;
    }
    f2l_status status = F2L_OK;
    uint32_t *image = f2l_calloc(letters, states * sizeof *image);
    x->letter = f2l_calloc(letters, sizeof *x->letter);
    if (image == NULL || x->letter == NULL) status = f2l_fail_memory(err);
    for (size_t a = 0; status == F2L_OK && a < letters; a++) {
        for (size_t q = 0; q < states; q++)
            image[a * states + q] = fsa->next[q * fsa->letters.count + s->used[a]];
        if (!f2l_perm_is_permutation(image + a * states, states))
            x->why_none = "a letter does not permute the states of the automaton";
    }
    if (status == F2L_OK && x->why_none == NULL)
        status = list_group_of_states(x, image, letters, states, task, err);
    f2l_free(image);
    return status;
}

static f2l_status list_irreps(f2l_learned_irreps *x, const f2l_learned_sample *s,
                              const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_classes_build(&x->classes, &x->group, task, err);
    if (status == F2L_OK)
        status = f2l_characters_build(&x->characters, &x->group, &x->classes, task, err);
    if (status == F2L_OK)
        status = f2l_householders_build(&x->least, &x->classes, &x->characters, x->letter,
                                        s->used_letters, 0, task, err);
    x->irreps = x->least.irreps;
    return status;
}

/* --- the parts --- */

/* The means of the states of a part, for every state of the automaton, minus their mean over the
 * group. */
typedef struct means {
    size_t states, most; /* of the automaton; numbers of the largest part */
    double *mean;        /* [states][most] */
    double *product;     /* [states][states] of the means */
    double *weight;      /* [classes] of a projection */
    double *dimension;   /* [irreps] of an irrep's functions on the states */
    size_t reached;      /* states that the group reaches from the start */
    size_t *count;       /* [states] states of the sample */
    size_t *multiplicity;
} means;

static void means_clear(means *m)
{
    f2l_free(m->mean);
    f2l_free(m->product);
    f2l_free(m->weight);
    f2l_free(m->dimension);
    f2l_free(m->count);
    f2l_free(m->multiplicity);
}

static f2l_status allocate_irrep_shares(f2l_learned_irreps *x, means *m,
                                        const f2l_learned_states *of, const f2l_fsa *fsa,
                                        f2l_error *err)
{
    const size_t states = fsa->states.count;
    x->parts = of->parts + 1;
    x->share = f2l_calloc(x->parts, x->irreps * sizeof *x->share);
    x->ratio = f2l_calloc(x->parts, x->irreps * sizeof *x->ratio);
    x->between = f2l_calloc(x->parts, sizeof *x->between);
    x->learned = f2l_calloc(x->irreps, sizeof *x->learned);
    m->states = states;
    m->most = of->sample->numbers;
    m->mean = f2l_calloc(states, m->most * sizeof *m->mean);
    m->product = f2l_calloc(states, states * sizeof *m->product);
    m->weight = f2l_calloc(x->classes.classes, sizeof *m->weight);
    m->dimension = f2l_calloc(x->irreps, sizeof *m->dimension);
    m->count = f2l_calloc(states, sizeof *m->count);
    m->multiplicity = f2l_calloc(x->characters.exponent, sizeof *m->multiplicity);
    return x->share && x->ratio && x->between && x->learned && m->mean && m->product && m->weight &&
                   m->dimension && m->count && m->multiplicity
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Returns the state of the automaton that an element leads to. */
static size_t state_of(const f2l_learned_irreps *x, const f2l_fsa *fsa, size_t element)
{
    return x->group.element[element * x->group.degree + fsa->start];
}

/* Counts how often the sample has each state. Returns whether it has all that are reached. */
static bool count_states(means *m, const f2l_learned_irreps *x, const f2l_learned_sample *s,
                         const f2l_fsa *fsa)
{
    for (size_t i = 0; i < s->states; i++) m->count[s->given[i]]++;
    for (size_t g = 0; g < x->group.order; g++)
        if (m->count[state_of(x, fsa, g)] == 0) return false;
    return true;
}

/* Sets the means of the numbers of a part, and returns the portion that they explain. */
static double take_means(means *m, const f2l_learned_sample *s, size_t first, size_t count)
{
    double all = 0, between = 0;
    memset(m->mean, 0, m->states * count * sizeof *m->mean);
    for (size_t i = 0; i < s->states; i++)
        for (size_t k = 0; k < count; k++)
            m->mean[s->given[i] * count + k] += (double)s->state[i * s->numbers + first + k];
    for (size_t k = 0; k < count; k++) {
        double mean = 0;
        for (size_t q = 0; q < m->states; q++) mean += m->mean[q * count + k] / (double)s->states;
        for (size_t q = 0; q < m->states; q++) {
            double *at = &m->mean[q * count + k];
            *at = m->count[q] > 0 ? *at / (double)m->count[q] - mean : 0;
            between += (double)m->count[q] * *at * *at;
        }
        for (size_t i = 0; i < s->states; i++) {
            const double d = (double)s->state[i * s->numbers + first + k] - mean;
            all += d * d;
        }
    }
    return all > 0 ? between / all : 0;
}

/* Sets the weights of the projection to an irrep: its kernel is weight(class of g^-1 h). */
static f2l_status take_weights(means *m, const f2l_learned_irreps *x, size_t irrep, f2l_error *err)
{
    const size_t character = x->least.irrep[irrep].character;
    const double scale = (double)x->characters.degree[character] / (double)x->group.order;
    const bool pair = x->characters.indicator[character] == 0;
    f2l_status status = F2L_OK;
    for (size_t c = 0; status == F2L_OK && c < x->classes.classes; c++) {
        double re, im;
        status = f2l_characters_number(&re, &im, m->multiplicity, &x->characters, &x->classes,
                                       character, c, err);
        m->weight[c] = scale * (pair ? 2 * re : re);
    }
    return status;
}

/* Returns the sum of squares of the projection of the means. */
static double project_means(const means *m, const f2l_learned_irreps *x, const f2l_fsa *fsa)
{
    const size_t order = x->group.order;
    double sum = 0;
    for (size_t g = 0; g < order; g++) {
        const uint32_t inverse = f2l_group_inverse(&x->group, (uint32_t)g);
        const double *row = m->product + state_of(x, fsa, g) * m->states;
        for (size_t h = 0; h < order; h++) {
            const uint32_t between = f2l_group_multiply(&x->group, inverse, (uint32_t)h);
            sum += m->weight[x->classes.class_of[between]] * row[state_of(x, fsa, h)];
        }
    }
    return fmax(sum, 0);
}

/* Makes the products relative to the mean over the group, in place. Every state that the group
 * reaches from the start has equally many elements. */
static void centre_products(means *m, const f2l_learned_irreps *x, const f2l_fsa *fsa)
{
    const size_t order = x->group.order, n = m->states;
    double *mean = m->mean, all = 0; /* of a row; its numbers are not needed any more */
    memset(mean, 0, n * sizeof *mean);
    for (size_t g = 0; g < order; g++)
        for (size_t q = 0; q < n; q++)
            mean[q] += m->product[q * n + state_of(x, fsa, g)] / (double)order;
    for (size_t g = 0; g < order; g++) all += mean[state_of(x, fsa, g)] / (double)order;
    for (size_t q = 0; q < n; q++)
        for (size_t r = 0; r < n; r++) m->product[q * n + r] += all - mean[q] - mean[r];
}

/* Projects the products to every irrep: sum[irreps] of squares. */
static f2l_status project_all(double *sum, means *m, const f2l_learned_irreps *x,
                              const f2l_fsa *fsa, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < x->irreps; i++) {
        status = take_weights(m, x, i, err);
        if (status == F2L_OK) sum[i] = project_means(m, x, fsa);
    }
    return status;
}

/* Finds the dimensions: the projections of all functions that are 1 in one state. */
static f2l_status find_dimensions(means *m, const f2l_learned_irreps *x, const f2l_fsa *fsa,
                                  f2l_error *err)
{
    const size_t n = m->states;
    memset(m->product, 0, n * n * sizeof *m->product);
    for (size_t q = 0; q < n; q++) m->reached += m->count[q] > 0;
    for (size_t q = 0; q < n; q++)
        m->product[q * (n + 1)] = (double)m->reached / (double)x->group.order;
    return project_all(m->dimension, m, x, fsa, err);
}

/* Sets shares and ratios of a part of `count` numbers, whose means are there. */
static f2l_status find_shares(f2l_learned_irreps *x, means *m, size_t part, size_t count,
                              size_t sampled, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t n = m->states;
    double *share = x->share + part * x->irreps, *ratio = x->ratio + part * x->irreps, all = 0;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)count, 1, m->mean,
                (int)count, m->mean, (int)count, 0, m->product, (int)n);
    centre_products(m, x, fsa);
    const f2l_status status = project_all(share, m, x, fsa, err);
    for (size_t i = 0; i < x->irreps; i++) all += share[i];
    const double left = (1 - x->between[part]) / fmax((double)sampled - (double)m->reached, 1);
    for (size_t i = 0; i < x->irreps; i++) {
        share[i] = all > 0 ? share[i] / all * x->between[part] : 0;
        ratio[i] = m->dimension[i] > 0.5 && left > 0 ? share[i] / m->dimension[i] / left
                   : share[i] > 0                    ? INFINITY
                                                     : 0;
    }
    return status;
}

/* --- the choice --- */

static bool is_learned(const f2l_learned_irreps *x, size_t irrep)
{
    bool found = false;
    for (size_t p = 0; p < x->parts && x->least.irrep[irrep].character != 0; p++)
        found = found || (x->share[p * x->irreps + irrep] >= F2L_IRREPS_SHARE &&
                          x->ratio[p * x->irreps + irrep] >= F2L_IRREPS_RATIO);
    return found;
}

static void judge_irreps(f2l_learned_irreps *x)
{
    for (size_t i = 0; i < x->irreps; i++) {
        const f2l_real_irrep *irrep = &x->least.irrep[i];
        x->learned[i] = is_learned(x, i);
        if (!x->learned[i]) continue;
        x->dimension += irrep->dimension;
        if (irrep->most > x->most) x->most = irrep->most;
    }
    for (size_t g = 0; g < x->group.order; g++) {
        size_t i = 0;
        while (i < x->irreps &&
               (!x->learned[i] || f2l_householders_rank(&x->least, i, x->classes.class_of[g]) == 0))
            i++;
        x->kernel += i == x->irreps;
    }
    x->is_least =
        x->kernel == 1 && x->most <= x->least.minimum && x->dimension <= x->least.dimension;
}

static f2l_status find_irrep_parts(f2l_learned_irreps *x, means *m, const f2l_learned_states *of,
                                   const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    const f2l_learned_sample *s = of->sample;
    f2l_status status = find_dimensions(m, x, fsa, err);
    for (size_t p = 0; status == F2L_OK && p < x->parts; p++) {
        const bool all = p == of->parts;
        const size_t first = all ? 0 : of->part[p].first,
                     count = all ? s->numbers : of->part[p].count;
        x->between[p] = take_means(m, s, first, count);
        status = find_shares(x, m, p, count, s->states, fsa, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "irreps", (double)p, (double)x->parts, err);
    }
    return status;
}

f2l_status f2l_learned_irreps_build(f2l_learned_irreps *out, const f2l_learned_states *states,
                                    const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    means m = {.states = 0};
    f2l_status status = list_automaton_group(out, states->sample, fsa, task, err);
    if (status == F2L_OK && out->why_none != NULL) return F2L_OK;
    if (status == F2L_OK) status = list_irreps(out, states->sample, task, err);
    if (status == F2L_OK) status = allocate_irrep_shares(out, &m, states, fsa, err);
    if (status == F2L_OK && !count_states(&m, out, states->sample, fsa))
        out->why_none = "no word of the sample leads to some state of the automaton";
    else if (status == F2L_OK)
        status = find_irrep_parts(out, &m, states, fsa, task, err);
    if (status == F2L_OK && out->why_none == NULL) judge_irreps(out);
    means_clear(&m);
    if (status != F2L_OK) f2l_learned_irreps_clear(out);
    return status;
}
