/* The inputs of a file. Values are chosen against the state that they meet, so that the states stay
 * in a bounded set; gradients arrive in a few columns of each head, so that sums over columns stay
 * short, and never in the last column, whose state is zero but for the row at rest. */
#include "models/doors/vectors/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

#define COLUMNS 4            /* columns with a gradient */
#define FINE (1 + 0x1.cp-19) /* in rows at rest; a value of fp32 and of no narrower format */
#define LOUD 32768           /* a query's factor in read-outs that overflow fp16 */

/* One head of one sequence. */
typedef struct head_work {
    f2l_op_vectors *v;
    f2l_rng rng;
    f2l_vector_frame frame;
    f2l_vector_lane lane;
    size_t column[COLUMNS];
    double reach; /* bound on the state along a key of length 1 */
    size_t s, h;
} head_work;

static double choose_step(f2l_rng *rng)
{
    return (double)f2l_rng_below(rng, 3) - 1;
}

static bool has_gradient(const head_work *w, size_t column)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (w->column[i] == column) return true;
    return false;
}

static double along(const double *key, const double *S, size_t keys, size_t columns)
{
    double sum = 0;
    for (size_t i = 0; i < keys; i++)
        if (key[i] != 0) sum += key[i] * S[i * columns];
    return sum;
}

/* Returns whether the column of a state stays within the bound after a row. */
static bool stays(const head_work *w, const double *column, const double *k, double step)
{
    const f2l_vector_lane *lane = &w->lane;
    const f2l_vector_frame *f = &w->frame;
    if (f->keys == F2L_KEYS_FINE) {
        for (size_t i = 1; i < lane->key; i += 2)
            if (k[i] != 0 && fabs(column[i * lane->value] + step) > 1) return false;
        return true;
    }
    for (size_t a = 0; a < f->size; a++) {
        const double *u = f->vector[a], after = along(u, column, lane->key, lane->value) +
                                                step * along(u, k, lane->key, 1);
        if (fabs(after) > w->reach * f->length) return false;
    }
    return true;
}

/* Chooses v in one column for row r: a few tries, then 0 (no change, for fine keys), which never
 * leaves the bound. Returns beta (v - S^T k). */
static double choose_value(head_work *w, double *S, size_t r, size_t c)
{
    f2l_vector_lane *lane = &w->lane;
    const double *k = lane->k + r * lane->key, beta = lane->beta[r];
    const double read = along(k, S + c, lane->key, lane->value);
    const bool fine = w->frame.keys == F2L_KEYS_FINE;
    const bool joins = fine && beta * along(k, k, lane->key, 1) != 1;
    const bool turns = beta * w->frame.length * w->frame.length == 2;
    const double unit = w->frame.length * w->reach / (turns ? 4 : 2);
    double *v = lane->v + r * lane->value + c;
    for (size_t tries = 0; tries < 3 && c + 1 < lane->value; tries++) {
        *v = (joins ? read : 0) + choose_step(&w->rng) * (fine ? 1 : unit);
        if (turns && f2l_rng_below(&w->rng, 2)) *v = 0;
        if (stays(w, S + c, k, beta * (*v - read))) return beta * (*v - read);
    }
    *v = joins ? read : 0;
    return beta * (*v - read);
}

/* Chooses the values of all rows, by running the head. */
static void choose_values(head_work *w, double *S)
{
    f2l_vector_lane *lane = &w->lane;
    const size_t K = lane->key, V = lane->value;
    memcpy(S, lane->start, K * V * sizeof *S);
    for (size_t r = 0; r < lane->rows; r++) {
        if (lane->gate[r] != 1) memset(S, 0, K * V * sizeof *S);
        for (size_t c = 0; c < V; c++) {
            const double step = choose_value(w, S, r, c), *k = lane->k + r * K;
            for (size_t i = 0; step != 0 && i < K; i++)
                if (k[i] != 0) S[i * V + c] += step * k[i];
        }
    }
}

/* A start is a sum of keys with bounded factors, one root, or ones in second coordinates of pairs;
 * two rows that only queries read; and the row at rest, where no gradient arrives. */
static void choose_start(head_work *w)
{
    const f2l_vector_frame *f = &w->frame;
    const size_t K = w->lane.key, V = w->lane.value, keys = f->keys == F2L_KEYS_ROOTS ? 1 : f->size;
    double *S = w->lane.start;
    for (size_t c = 0; c + 1 < V; c++) {
        for (size_t a = 0; a < keys; a++) {
            const double x = choose_step(&w->rng) * w->reach / 2 / f->length;
            for (size_t i = 0; i < K; i++) S[i * V + c] += x * f->vector[a][i];
        }
        for (size_t i = 1; f->keys == F2L_KEYS_FINE && i < K - 2; i += 8)
            S[i * V + c] = choose_step(&w->rng);
        if (!has_gradient(w, c)) S[(K - 2) * V + c] = FINE * choose_step(&w->rng);
    }
}

static void choose_gradients(head_work *w)
{
    f2l_vector_lane *lane = &w->lane;
    const size_t K = lane->key, V = lane->value, likely = lane->tokens < 64 ? 4 : 24;
    /* Products of 1 + 2^-11 leave room for a sum of few terms. */
    const size_t columns = w->frame.keys == F2L_KEYS_FINE ? 1 : COLUMNS;
    const bool large = w->v->about->large;
    for (size_t t = 0; t < lane->tokens; t++) {
        const bool last = t + 1 == lane->tokens, silent = !last && f2l_rng_below(&w->rng, likely);
        const bool loud = large && !last && f2l_rng_below(&w->rng, 8) == 0;
        for (size_t i = 0; loud && i < K; i++) lane->q[t * K + i] *= LOUD;
        for (size_t i = 0; !silent && !loud && i < columns; i++)
            lane->dout[t * V + w->column[i]] = choose_step(&w->rng);
    }
    if (!w->v->about->end) return;
    for (size_t i = 0; i < columns; i++)
        for (size_t a = w->frame.keys == F2L_KEYS_FINE; a < K - F2L_VECTOR_REST; a += 4)
            lane->dend[a * V + w->column[i]] = a % 8 < 2 ? choose_step(&w->rng) : 0;
    lane->dend[(K - 1) * V + V - 1] = FINE;
}

/* Keys, queries, betas and gates. */
static void choose_factors(head_work *w, const f2l_vector_lane *shared)
{
    const f2l_vector_case *c = w->v->about;
    f2l_vector_lane *lane = &w->lane;
    memcpy(lane->k, shared->k, lane->rows * lane->key * sizeof *lane->k);
    memcpy(lane->q, shared->q, lane->tokens * lane->key * sizeof *lane->q);
    for (size_t r = 0; r < lane->rows; r++)
        lane->beta[r] = f2l_vector_choose_beta(&w->frame, r, &w->rng);
    for (size_t t = 1; w->v->op->gated && w->h % 3 != 0 && t < lane->tokens; t++)
        if (f2l_rng_below(&w->rng, 24) == 0) lane->gate[t * c->factors] = 0;
}

/* Chooses everything of a value head; `shared` has the keys and queries of its group, and `state`
 * room for a state. */
static f2l_status fill_head(head_work *w, const f2l_vector_lane *shared, double *state,
                            f2l_error *err)
{
    const f2l_vector_case *c = w->v->about;
    const f2l_status status = f2l_vector_lane_make(&w->lane, c, shared->tokens, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < COLUMNS; i++) w->column[i] = f2l_rng_below(&w->rng, c->value - 1);
    choose_factors(w, shared);
    if (c->start) choose_start(w);
    choose_values(w, state);
    choose_gradients(w);
    f2l_vector_lane_give(w->v, &w->lane, w->s, w->h);
    f2l_vector_lane_free(&w->lane);
    return F2L_OK;
}

static f2l_status fill_group(head_work *w, size_t head, double *state, f2l_error *err)
{
    const f2l_vector_case *c = w->v->about;
    const size_t group = c->value_heads / c->heads, rows = f2l_vector_length(c, w->s) * c->factors;
    f2l_vector_lane shared;
    f2l_status status = f2l_vector_lane_make(&shared, c, f2l_vector_length(c, w->s), err);
    if (status != F2L_OK) return status;
    f2l_vector_frame_choose(&w->frame, c->keys[head % 3], c->key, (unsigned)(w->s + head / 3),
                            &w->rng);
    f2l_vector_choose_keys(shared.k, &w->frame, rows, &w->rng);
    for (size_t t = 0; t < shared.tokens; t++)
        f2l_vector_choose_query(shared.q + t * c->key, &w->frame, &w->rng);
    for (w->h = head * group; status == F2L_OK && w->h < (head + 1) * group; w->h++)
        status = fill_head(w, &shared, state, err);
    f2l_vector_lane_free(&shared);
    return status;
}

f2l_status f2l_vector_fill(f2l_op_vectors *v, size_t s, size_t head, f2l_error *err)
{
    const f2l_vector_case *c = v->about;
    head_work w = {.v = v, .reach = c->large ? 4 : 2, .s = s};
    double *state = f2l_calloc(c->key * c->value, sizeof *state);
    if (!state) return f2l_fail_memory(err);
    f2l_rng_init(&w.rng, v->tries, s * c->heads + head);
    const f2l_status status = fill_group(&w, head, state, err);
    f2l_free(state);
    return status;
}
