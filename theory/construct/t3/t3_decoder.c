/* H_0 and the decoder's codes. The row of state q has the codes of the start's row, moved to the
 * points to which a word that leads to q sends their points (T3.2), so a row is stored as the list
 * of those points. */
#include "numeric/base/mem.h"
#include "theory/construct/t3/impl.h"
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the codes of one value column, exact in every format from bf16 on (T3.8). */
#define DIGIT_BASE 129 /* digits up to 128, R3.6 */
#define MAX_COLUMNS 5  /* 129^5 > 2^32 */
#define MAX_ROOT_DIMENSION 8
size_t f2l_t3_columns(uint32_t largest)
{
    size_t columns = 1;
    while (largest >= DIGIT_BASE) {
        largest /= DIGIT_BASE;
        columns++;
    }
    return columns;
}

/* A point with its code. */
typedef struct placed {
    uint32_t point, code;
} placed;

typedef struct decoding {
    const f2l_t3_plan *plan;
    size_t codes;    /* non-zero codes of the start's row */
    uint32_t *code;  /* [codes] */
    uint32_t *place; /* [reached states][codes] the points of these codes */
    placed *row;     /* [codes] scratch */
    long *scale;     /* [orbits][d] divisors of the doubled coordinates of an orbit */
} decoding;

static void decoding_clear(decoding *x)
{
    f2l_free(x->code);
    f2l_free(x->place);
    f2l_free(x->row);
    f2l_free(x->scale);
}

static uint32_t digit_of_code(uint32_t code, size_t column)
{
    while (column-- > 0) code /= DIGIT_BASE;
    return code % DIGIT_BASE;
}

/* Adds the doubled coordinates of an orbit with root keys: the sum of digit times weight, for one
 * column. */
static void add_roots(long *twice, const f2l_t3_orbit *orbit, const placed *row, size_t count,
                      size_t column)
{
    long weight[MAX_ROOT_DIMENSION];
    assert(orbit->n <= MAX_ROOT_DIMENSION);
    memset(twice, 0, orbit->n * sizeof *twice);
    for (size_t i = 0; i < count; i++) {
        f2l_keys_weight(weight, orbit->kind, orbit->m, row[i].point - orbit->first);
        for (size_t c = 0; c < orbit->n; c++)
            twice[c] += weight[c] * (long)digit_of_code(row[i].code, column);
    }
}

static f2l_status push_roots(f2l_qvec *out, const decoding *x, size_t o, const placed *row,
                             size_t count, f2l_error *err)
{
    const f2l_t3_orbit *orbit = &x->plan->orbit[o];
    long twice[MAX_COLUMNS][MAX_ROOT_DIMENSION];
    size_t d = x->plan->d;
    for (size_t k = 0; k < d; k++) add_roots(twice[k], orbit, row, count, k);
    for (size_t c = 0; c < orbit->n; c++) {
        for (size_t k = 0; k < d; k++) {
            f2l_status status =
                f2l_qvec_push_si(out, (uint32_t)((orbit->offset + c) * d + k), twice[k][c],
                                 (unsigned long)x->scale[o * d + k], err);
            if (status != F2L_OK) return status;
        }
    }
    return F2L_OK;
}

/* Appends the coordinates for naive and doubled keys, whose weights are unit vectors, so points
 * with code 0 need not be visited. */
static f2l_status push_units(f2l_qvec *out, const decoding *x, size_t o, const placed *row,
                             size_t count, f2l_error *err)
{
    const f2l_t3_orbit *orbit = &x->plan->orbit[o];
    size_t d = x->plan->d, copies = orbit->n / orbit->m;
    for (size_t copy = 0; copy < copies; copy++) {
        for (size_t i = 0; i < count; i++) {
            size_t c = orbit->offset + copy * orbit->m + (row[i].point - orbit->first);
            for (size_t k = 0; k < d; k++) {
                f2l_status status = f2l_qvec_push_si(out, (uint32_t)(c * d + k),
                                                     2 * (long)digit_of_code(row[i].code, k),
                                                     (unsigned long)x->scale[o * d + k], err);
                if (status != F2L_OK) return status;
            }
        }
    }
    return F2L_OK;
}

static int by_point(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->point > y->point) - (x->point < y->point);
}

/* Sets x->row to the row of reached state i, sorted by points. */
static void take_decoder_row(decoding *x, size_t state)
{
    for (size_t i = 0; i < x->codes; i++) {
        x->row[i] = (placed){.point = x->place[state * x->codes + i], .code = x->code[i]};
    }
    qsort(x->row, x->codes, sizeof *x->row, by_point);
}

/* Returns the number of entries of x->row in an orbit, which start at *at, and moves *at behind
 * them. */
static size_t orbit_entries(const decoding *x, size_t o, size_t *at)
{
    const f2l_t3_orbit *orbit = &x->plan->orbit[o];
    size_t first = *at;
    while (*at < x->codes && x->row[*at].point < orbit->first + orbit->m) (*at)++;
    return *at - first;
}

static f2l_status push_decoder_row(f2l_qvec *out, decoding *x, size_t state, f2l_error *err)
{
    f2l_status status = F2L_OK;
    take_decoder_row(x, state);
    for (size_t o = 0, at = 0; o < x->plan->set->orbits && status == F2L_OK; o++) {
        const placed *row = x->row + at;
        size_t count = orbit_entries(x, o, &at);
        status = x->plan->orbit[o].kind == F2L_KEYS_ROOTS ? push_roots(out, x, o, row, count, err)
                                                          : push_units(out, x, o, row, count, err);
    }
    return status;
}

/* Sets the largest divisors that leave H_0 with integer entries, orbit by orbit and column by
 * column (T3.7). */
static void find_code_scales(decoding *x)
{
    size_t d = x->plan->d;
    take_decoder_row(x, x->plan->reach.start);
    for (size_t o = 0, at = 0; o < x->plan->set->orbits; o++) {
        const f2l_t3_orbit *orbit = &x->plan->orbit[o];
        const placed *row = x->row + at;
        size_t count = orbit_entries(x, o, &at);
        for (size_t k = 0; k < d; k++) {
            long twice[MAX_ROOT_DIMENSION], divisor = 0;
            if (orbit->kind == F2L_KEYS_ROOTS) {
                add_roots(twice, orbit, row, count, k);
                for (size_t c = 0; c < orbit->n; c++) divisor = f2l_keys_gcd(divisor, twice[c]);
            } else {
                for (size_t i = 0; i < count; i++)
                    divisor = f2l_keys_gcd(divisor, 2 * (long)digit_of_code(row[i].code, k));
            }
            x->scale[o * d + k] = divisor == 0 ? 1 : divisor;
        }
    }
}

/* Allocates the arrays; returns false when memory is out. */
static bool allocate_decoding(decoding *x)
{
    const f2l_gset *set = x->plan->set;
    x->code = f2l_calloc(x->codes, sizeof *x->code);
    x->place = f2l_calloc(x->plan->reach.states, x->codes * sizeof *x->place);
    x->row = f2l_calloc(x->codes, sizeof *x->row);
    x->scale = f2l_calloc(set->orbits, x->plan->d * sizeof *x->scale);
    return x->code != NULL && x->place != NULL && x->row != NULL && x->scale != NULL;
}

/* Finds the points of every state's codes, along a breadth-first tree; queue[] and met[] are
 * scratch. */
static void spread_places(decoding *x, uint32_t *queue, uint8_t *met)
{
    const f2l_fsa *fsa = x->plan->fsa;
    const f2l_gset *set = x->plan->set;
    const f2l_reach *reach = &x->plan->reach;
    size_t count = 0;
    for (size_t p = 0, i = 0; p < set->points; p++) {
        if (set->code[p] == 0) continue;
        x->code[i] = set->code[p];
        x->place[reach->start * x->codes + i++] = (uint32_t)p;
    }
    queue[count++] = (uint32_t)reach->start;
    met[reach->start] = 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *from = x->place + queue[i] * x->codes;
        const uint32_t *next = fsa->next + (size_t)reach->state[queue[i]] * fsa->letters.count;
        for (size_t a = 0; a < fsa->letters.count; a++) {
            uint32_t to = reach->position[next[a]];
            if (met[to]) continue;
            met[to] = 1;
            queue[count++] = to;
            const uint32_t *image = set->image + a * set->points;
            for (size_t k = 0; k < x->codes; k++) x->place[to * x->codes + k] = image[from[k]];
        }
    }
}

static f2l_status find_point_places(decoding *x, f2l_error *err)
{
    size_t states = x->plan->reach.states, bytes;
    for (size_t p = 0; p < x->plan->set->points; p++) x->codes += x->plan->set->code[p] != 0;
    if (!f2l_mul_size(&bytes, states, x->codes * sizeof *x->place)) bytes = SIZE_MAX;
    f2l_status status = f2l_task_table(x->plan->task, "the decoder", bytes, err);
    if (status != F2L_OK) return status;
    uint32_t *queue = f2l_calloc(states, sizeof *queue);
    uint8_t *met = f2l_calloc(states, 1);
    bool ready = allocate_decoding(x) && queue != NULL && met != NULL;
    if (ready) {
        spread_places(x, queue, met);
    } else {
        f2l_fail_memory(err);
    }
    f2l_free(queue);
    f2l_free(met);
    return ready ? F2L_OK : F2L_ENOMEM;
}

static f2l_status push_t3_codes(f2l_net *net, decoding *x, f2l_error *err)
{
    const f2l_reach *reach = &x->plan->reach;
    f2l_layer *layer = &net->layer[0];
    f2l_meter meter = {.task = x->plan->task, .phase = "building the decoder"};
    f2l_status status = f2l_layer_set_codes(layer, reach->states, net->labels.count, false, err);
    for (size_t i = 0; i < reach->states && status == F2L_OK; i++) {
        status = f2l_meter_spend(&meter, 40 + x->codes * 2 * F2L_ENTRY_STEPS, (double)i,
                                 (double)reach->states, err);
        if (status != F2L_OK) break;
        const char *text = f2l_fsa_label(x->plan->fsa, net->label, reach->state[i]);
        layer->symbol[i] = (uint32_t)f2l_names_find(&net->labels, text, strlen(text));
        status = push_decoder_row(&layer->code[i], x, i, err);
    }
    return status;
}

f2l_status f2l_t3_decoder(f2l_net *net, const f2l_t3_plan *plan, f2l_error *err)
{
    decoding x = {.plan = plan};
    f2l_status status = find_point_places(&x, err);
    if (status == F2L_OK) {
        find_code_scales(&x);
        status = push_decoder_row(&net->layer[0].head[0].initial, &x, plan->reach.start, err);
    }
    if (status == F2L_OK)
        status = f2l_reach_labels(&net->labels, &net->start, NULL, &plan->reach, plan->fsa,
                                  net->label, err);
    if (status == F2L_OK) status = push_t3_codes(net, &x, err);
    decoding_clear(&x);
    return status;
}
