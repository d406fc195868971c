#include "models/doors/checkpoint/fit.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 10 };                  /* of Lloyd's algorithm */
#define MOST_NUMBERS ((size_t)1 << 23) /* of all states that are kept */
#define MOST_STATES ((size_t)4096)
#define WORDS_FOR_STATE ((size_t)16) /* states that are kept for each automaton state */

/* The states that words reach. */
typedef struct cloud {
    size_t points, size; /* numbers of a point: the states of all heads */
    double *point;       /* [points][size] */
    uint32_t *state;     /* [points] of the automaton */
} cloud;

/* Codes as doubles. */
typedef struct book {
    size_t codes, size;
    double *code;    /* [codes][size] */
    uint32_t *label; /* [codes] */
} book;

static double distance2(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* --- words --- */

static void put_sparse_numbers(double *to, const f2l_qvec *from)
{
    for (size_t i = 0; i < from->count; i++) to[from->index[i]] = mpq_get_d(from->value[i]);
}

/* S <- S - beta u (u^T S - c^T), the vectors being sparse. */
static void apply_householder(double *s, const f2l_factor *f, size_t d)
{
    const double beta = mpq_get_d(f->beta);
    size_t next = 0;
    for (size_t j = 0; j < d; j++) {
        double sum = 0;
        for (size_t i = 0; i < f->u.count; i++)
            sum += mpq_get_d(f->u.value[i]) * s[f->u.index[i] * d + j];
        if (next < f->c.count && f->c.index[next] == j) sum -= mpq_get_d(f->c.value[next++]);
        for (size_t i = 0; i < f->u.count; i++)
            s[f->u.index[i] * d + j] -= beta * mpq_get_d(f->u.value[i]) * sum;
    }
}

static void step_layer_state(double *s, const f2l_layer *layer, size_t letter)
{
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        const f2l_transition *t = &head->letter[letter];
        const double gate = mpq_get_d(t->gate);
        for (size_t i = 0; i < head->n * head->d; i++) s[i] *= gate;
        for (size_t f = 0; f < t->factors; f++) apply_householder(s, &t->factor[f], head->d);
        s += head->n * head->d;
    }
}

static void begin_layer_state(double *s, const f2l_layer *layer, size_t size)
{
    memset(s, 0, size * sizeof *s);
    for (size_t h = 0; h < layer->heads; h++) {
        put_sparse_numbers(s, &layer->head[h].initial);
        s += layer->head[h].n * layer->head[h].d;
    }
}

static void cloud_clear(cloud *c)
{
    f2l_free(c->point);
    f2l_free(c->state);
    *c = (cloud){0};
}

static f2l_status cloud_fill(cloud *c, const f2l_layer *layer, const f2l_fsa *fsa, f2l_rng *rng,
                             const f2l_task *task, f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    size_t state = fsa->start;
    double *s = f2l_calloc(c->size, sizeof *s);
    f2l_status status = s != NULL ? F2L_OK : f2l_fail_memory(err);
    for (size_t p = 0; status == F2L_OK && p < c->points; p++) {
        if (p % F2L_FIT_LENGTH == 0) {
            begin_layer_state(s, layer, c->size);
            state = fsa->start;
        }
        const size_t letter = (size_t)f2l_rng_below(rng, letters);
        step_layer_state(s, layer, letter);
        state = fsa->next[state * letters + letter];
        for (size_t i = 0; status == F2L_OK && i < c->size; i++)
            if (!isfinite(s[i]))
                status = f2l_fail(err, F2L_EDOMAIN, "states of the recurrence are not finite");
        memcpy(c->point + p * c->size, s, c->size * sizeof *s);
        c->state[p] = (uint32_t)state;
        if (status == F2L_OK)
            status = f2l_task_poll(task, "states", (double)p, (double)c->points, err);
    }
    f2l_free(s);
    return status;
}

static f2l_status cloud_new(cloud *c, const f2l_layer *layer, const f2l_fsa *fsa, f2l_rng *rng,
                            const f2l_task *task, f2l_error *err)
{
    *c = (cloud){0};
    for (size_t h = 0; h < layer->heads; h++) c->size += layer->head[h].n * layer->head[h].d;
    if (c->size == 0) return f2l_fail(err, F2L_EDOMAIN, "the network has no state");
    size_t wanted = WORDS_FOR_STATE * fsa->states.count;
    if (wanted < MOST_STATES / 2) wanted = MOST_STATES / 2;
    if (wanted > MOST_NUMBERS / c->size) wanted = MOST_NUMBERS / c->size;
    c->points = (wanted / F2L_FIT_LENGTH + 1) * F2L_FIT_LENGTH;
    c->point = f2l_calloc(c->points, c->size * sizeof *c->point);
    c->state = f2l_calloc(c->points, sizeof *c->state);
    f2l_status status = c->point != NULL && c->state != NULL
                            ? cloud_fill(c, layer, fsa, rng, task, err)
                            : f2l_fail_memory(err);
    if (status != F2L_OK) cloud_clear(c);
    return status;
}

/* --- clusters --- */

static void book_clear(book *b)
{
    f2l_free(b->code);
    f2l_free(b->label);
    *b = (book){0};
}

/* Returns the number of the code that is nearest to x among `codes` ones, the first of equals. */
static size_t nearest(const double *code, size_t codes, size_t size, const double *x, double *far)
{
    size_t best = 0;
    *far = DBL_MAX;
    for (size_t c = 0; c < codes; c++) {
        const double d = distance2(code + c * size, x, size);
        if (d < *far) {
            *far = d;
            best = c;
        }
    }
    return best;
}

/* Begins clusters of one automaton state: the first point that leads to it, and then always the one
 * that is farthest from the clusters. Returns their number. */
static size_t begin_clusters(double *mean, size_t most, const cloud *c, size_t state)
{
    size_t found = 0;
    while (found < most) {
        size_t farthest = c->points;
        double away = 0, d = 0;
        for (size_t p = 0; p < c->points; p++) {
            if (c->state[p] != state) continue;
            const double *x = c->point + p * c->size;
            if (found > 0) (void)nearest(mean, found, c->size, x, &d);
            if (farthest == c->points ? found == 0 || d > 0 : d > away) {
                farthest = p;
                away = d;
            }
        }
        if (farthest == c->points) break;
        memcpy(mean + found++ * c->size, c->point + farthest * c->size, c->size * sizeof *mean);
    }
    return found;
}

/* Moves each mean to the mean of the points nearest to it; `sum` has room for as many. */
static void move_clusters(double *mean, double *sum, size_t *count, size_t clusters, const cloud *c,
                          size_t state)
{
    double d;
    memset(sum, 0, clusters * c->size * sizeof *sum);
    memset(count, 0, clusters * sizeof *count);
    for (size_t p = 0; p < c->points; p++) {
        if (c->state[p] != state) continue;
        const double *x = c->point + p * c->size;
        const size_t to = nearest(mean, clusters, c->size, x, &d);
        for (size_t i = 0; i < c->size; i++) sum[to * c->size + i] += x[i];
        count[to]++;
    }
    for (size_t k = 0; k < clusters; k++)
        for (size_t i = 0; count[k] > 0 && i < c->size; i++)
            mean[k * c->size + i] = sum[k * c->size + i] / (double)count[k];
}

static bool is_new(const book *b, const double *code)
{
    for (size_t c = 0; c < b->codes; c++)
        if (memcmp(b->code + c * b->size, code, b->size * sizeof *code) == 0) return false;
    return true;
}

/* Appends a code as floats, unless there is one like it; + 0.0 makes a zero of -0. */
static void add_code(book *b, const double *mean, uint32_t label)
{
    double *to = b->code + b->codes * b->size;
    for (size_t i = 0; i < b->size; i++) to[i] = (double)(float)mean[i] + 0.0;
    if (!is_new(b, to)) return;
    b->label[b->codes++] = label;
}

/* Builds codes with `clusters` clusters for each state, behind the start. */
static f2l_status build_book(book *b, const cloud *c, const double *start, const f2l_fsa *fsa,
                             const uint32_t *label_of, size_t clusters, const f2l_task *task,
                             f2l_error *err)
{
    const size_t states = fsa->states.count, most = states * clusters + 1;
    double *mean = f2l_calloc(2 * clusters, c->size * sizeof *mean);
    size_t *count = f2l_calloc(clusters, sizeof *count);
    *b = (book){.size = c->size};
    b->code = f2l_calloc(most, c->size * sizeof *b->code);
    b->label = f2l_calloc(most, sizeof *b->label);
    f2l_status status = mean != NULL && count != NULL && b->code != NULL && b->label != NULL
                            ? F2L_OK
                            : f2l_fail_memory(err);
    if (status == F2L_OK) add_code(b, start, label_of[fsa->start]);
    for (size_t q = 0; status == F2L_OK && q < states; q++) {
        const size_t found = begin_clusters(mean, clusters, c, q);
        if (found == 0)
            status =
                f2l_fail(err, F2L_EDOMAIN, "none of the random words leads to the state %.100s",
                         f2l_names_get(&fsa->states, q));
        for (size_t r = 0; r < ROUNDS && found > 0; r++)
            move_clusters(mean, mean + clusters * c->size, count, found, c, q);
        for (size_t k = 0; status == F2L_OK && k < found; k++)
            add_code(b, mean + k * c->size, label_of[q]);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "clusters", (double)q, (double)states, err);
    }
    f2l_free(mean);
    f2l_free(count);
    if (status != F2L_OK) book_clear(b);
    return status;
}

static size_t count_wrong(const book *b, const cloud *c, const uint32_t *label_of)
{
    size_t wrong = 0;
    double d;
    for (size_t p = 0; p < c->points; p++) {
        const size_t code = nearest(b->code, b->codes, b->size, c->point + p * c->size, &d);
        wrong += b->label[code] != label_of[c->state[p]];
    }
    return wrong;
}

/* Finds the number of clusters that gives the fewest wrong labels on other words. */
static f2l_status choose_clusters(book *best, f2l_fit *fit, const cloud *c, const cloud *tried,
                                  const double *start, const f2l_fsa *fsa, const uint32_t *label_of,
                                  const f2l_task *task, f2l_error *err)
{
    size_t least = SIZE_MAX;
    *best = (book){0};
    for (size_t clusters = 1; clusters <= F2L_FIT_CLUSTERS && least > 0; clusters *= 2) {
        book b;
        const f2l_status status = build_book(&b, c, start, fsa, label_of, clusters, task, err);
        if (status != F2L_OK) return status;
        const size_t wrong = count_wrong(&b, tried, label_of);
        if (wrong < least) {
            least = wrong;
            fit->clusters = clusters;
            book_clear(best);
            *best = b;
        } else {
            book_clear(&b);
        }
    }
    return F2L_OK;
}

/* --- the network --- */

static f2l_status put_codes(f2l_net *net, const book *b, size_t labels, f2l_error *err)
{
    mpq_t x;
    f2l_layer *layer = &net->layer[0];
    f2l_status status = f2l_layer_set_codes(layer, b->codes, labels, false, err);
    mpq_init(x);
    for (size_t c = 0; status == F2L_OK && c < b->codes; c++) {
        const double *from = b->code + c * b->size;
        layer->symbol[c] = b->label[c];
        for (size_t h = 0; h < layer->heads; h++) {
            const size_t numbers = layer->head[h].n * layer->head[h].d;
            for (size_t i = 0; status == F2L_OK && i < numbers; i++) {
                if (from[i] == 0) continue;
                mpq_set_d(x, from[i]);
                status = f2l_qvec_push(&layer->code[c * layer->heads + h], (uint32_t)i, x, err);
            }
            from += numbers;
        }
    }
    mpq_clear(x);
    return status;
}

static f2l_status fit_to(f2l_net *net, f2l_fit *fit, const cloud *c, const f2l_fsa *fsa,
                         const uint32_t *label_of, size_t labels, f2l_rng *rng,
                         const f2l_task *task, f2l_error *err)
{
    book codes = {0};
    cloud tried = {0}, other = {0};
    double *start = f2l_calloc(c->size, sizeof *start);
    if (start == NULL) return f2l_fail_memory(err);
    begin_layer_state(start, &net->layer[0], c->size);
    f2l_status status = cloud_new(&tried, &net->layer[0], fsa, rng, task, err);
    if (status == F2L_OK)
        status = choose_clusters(&codes, fit, c, &tried, start, fsa, label_of, task, err);
    if (status == F2L_OK) status = cloud_new(&other, &net->layer[0], fsa, rng, task, err);
    if (status == F2L_OK) {
        fit->codes = codes.codes;
        fit->answers = other.points;
        fit->wrong = count_wrong(&codes, &other, label_of);
        status = put_codes(net, &codes, labels, err);
    }
    book_clear(&codes);
    cloud_clear(&tried);
    cloud_clear(&other);
    f2l_free(start);
    return status;
}

f2l_status f2l_fit_codes(f2l_net *net, f2l_fit *fit, const f2l_fsa *fsa, f2l_label label,
                         const f2l_names *labels, const uint32_t *label_of, uint64_t seed,
                         const f2l_task *task, f2l_error *err)
{
    f2l_rng rng;
    cloud c;
    *fit = (f2l_fit){0};
    f2l_rng_init(&rng, seed, 0);
    f2l_status status = cloud_new(&c, &net->layer[0], fsa, &rng, task, err);
    if (status != F2L_OK) return status;
    status = fit_to(net, fit, &c, fsa, label_of, labels->count, &rng, task, err);
    cloud_clear(&c);
    if (status == F2L_OK) status = f2l_names_copy(&net->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&net->labels, labels, err);
    net->label = label;
    net->start = label_of[fsa->start];
    net->fitted = true;
    return status;
}
