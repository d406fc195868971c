/* The proof: the same results in chunks, in doubles that never round, where everything that an
 * algorithm in chunks stores on its way is a value of the format. With d_ij the product of the
 * gates of rows j+1 .. i, and d_i the product from the chunk's first row on,
 *
 *     A_ij = beta_i d_ij k_i . k_j (i > j);  X = (I + A)^-1;  W = X (beta d k);  U = X (beta v);
 *     N = U - W S;  P_tj = d_tj q_t . k_j;  o = scale (d q S + P N);  S <- d S + sum d_cj k_j N_j,
 *
 * and backwards, with Z the gradient at the state after the chunk,
 *
 *     dN = scale P^T do + d_cj Z^T k_j;  dP = scale d do N^T;  dW = -dN S^T;
 *     dX = dW (beta d k)^T + dN (beta v)^T;  dA = -X^T dX X^T;  Z <- d Z + scale d q do - W^T dN.
 */
#include "models/doors/vectors/impl.h"
#include "numeric/base/mem.h"
#include <fenv.h>
#include <string.h>

#define MOST 64 /* rows of a chunk */

/* One chunk: rows first .. first + size - 1. The tables [rows][..] have this chunk's rows. */
typedef struct chunk_work {
    const f2l_vector_lane *lane;
    const f2l_format *format;
    bool *claim;
    bool equal;
    size_t chunk, first, size;
    double *S;                  /* [chunks + 1][key][value] at the borders */
    double *Z, *next;           /* [key][value] the gradient after the chunk, and before it */
    double *N, *dN;             /* [MOST][value] */
    double *W, *dW, *kb;        /* [MOST][key]; kb: beta d k */
    double *U, *vb;             /* [MOST][value] */
    double *dk, *dk2, *dq, *dv; /* [MOST][key or value] */
    double *A, *X, *P, *d, *dP, *dX, *dA, *part; /* [MOST][MOST] */
    double reach[MOST], dbeta[MOST], log[MOST];  /* d_i; d log of the gates' products */
    double *all;
} chunk_work;

static f2l_status make_work(chunk_work *w, f2l_error *err)
{
    const size_t K = w->lane->key, V = w->lane->value;
    const size_t chunks = w->lane->rows / w->chunk + 1, square = (size_t)MOST * MOST;
    struct {
        double **array;
        size_t count;
    } part[] = {{&w->S, (chunks + 1) * K * V},
                {&w->Z, K * V},
                {&w->next, K * V},
                {&w->N, MOST * V},
                {&w->dN, MOST * V},
                {&w->W, MOST * K},
                {&w->dW, MOST * K},
                {&w->kb, MOST * K},
                {&w->U, MOST * V},
                {&w->vb, MOST * V},
                {&w->dk, MOST * K},
                {&w->dk2, MOST * K},
                {&w->dq, MOST * K},
                {&w->dv, MOST * V},
                {&w->A, square},
                {&w->X, square},
                {&w->P, square},
                {&w->d, square},
                {&w->dP, square},
                {&w->dX, square},
                {&w->dA, square},
                {&w->part, square}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) all += part[i].count;
    w->all = f2l_calloc(all, sizeof *w->all);
    if (!w->all) return f2l_fail_memory(err);
    double *at = w->all;
    for (size_t i = 0; i < sizeof part / sizeof *part; at += part[i].count, i++)
        *part[i].array = at;
    return F2L_OK;
}

/* Notes whether n numbers, times the factor, are values of the format. */
static void hold(chunk_work *w, f2l_vector_claim claim, const double *x, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++) {
        const double y = x[i] * factor;
        if (y != 0 && f2l_format_round_nearest(w->format, y) != y) w->claim[claim] = false;
    }
}

/* Notes whether the numbers are the results of the lane. */
static void compare(chunk_work *w, const double *x, const double *lane, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != lane[i]) w->equal = false;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Sets out [n][m] = a b, or a^T b where `turned`; a is [n][l] (or [l][n]), of rows of MOST. */
static void multiply(double *out, const double *a, bool turned, const double *b, size_t n, size_t l,
                     size_t m, size_t row)
{
    for (size_t i = 0; i < n; i++) {
        double *to = out + i * row;
        memset(to, 0, m * sizeof *to);
        for (size_t j = 0; j < l; j++) {
            const double x = turned ? a[j * MOST + i] : a[i * MOST + j];
            for (size_t c = 0; x != 0 && c < m; c++) to[c] += x * b[j * row + c];
        }
    }
}

/* Computes the products of gates, A and its inverse. */
static void invert(chunk_work *w)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key;
    const double *k = lane->k + w->first * K, *beta = lane->beta + w->first;
    for (size_t i = 0; i < w->size; i++) {
        const double gate = lane->gate[w->first + i];
        double *d = w->d + i * MOST, *X = w->X + i * MOST, *A = w->A + i * MOST;
        w->reach[i] = gate * (i ? w->reach[i - 1] : 1);
        for (size_t j = 0; j < i; j++) d[j] = gate * (j + 1 < i ? d[j - MOST] : 1);
        d[i] = 1;
        memset(X, 0, w->size * sizeof *X);
        X[i] = 1;
        for (size_t j = 0; j < i; j++) {
            const double product = dot(k + i * K, k + j * K, K);
            hold(w, F2L_CLAIM_PRODUCTS, &product, 1, 1);
            A[j] = beta[i] * d[j] * product;
            for (size_t c = 0; A[j] != 0 && c <= j; c++) X[c] -= A[j] * w->X[j * MOST + c];
        }
        hold(w, F2L_CLAIM_INVERSE, A, i, 1);
        hold(w, F2L_CLAIM_INVERSE, X, i, 1);
    }
}

/* Computes W, U and N. */
static void solve(chunk_work *w, const double *S)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value, n = w->size;
    for (size_t i = 0; i < n; i++) {
        const size_t r = w->first + i;
        for (size_t c = 0; c < K; c++)
            w->kb[i * K + c] = lane->beta[r] * w->reach[i] * lane->k[r * K + c];
        for (size_t c = 0; c < V; c++) w->vb[i * V + c] = lane->beta[r] * lane->v[r * V + c];
        hold(w, F2L_CLAIM_PRODUCTS, lane->k + r * K, K, lane->beta[r]);
    }
    hold(w, F2L_CLAIM_PRODUCTS, w->vb, n * V, 1);
    multiply(w->W, w->X, false, w->kb, n, n, K, K);
    multiply(w->U, w->X, false, w->vb, n, n, V, V);
    hold(w, F2L_CLAIM_WU, w->W, n * K, 1);
    hold(w, F2L_CLAIM_WU, w->U, n * V, 1);
    memcpy(w->N, w->U, n * V * sizeof *w->N);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < K; a++) {
            const double x = w->W[i * K + a];
            for (size_t c = 0; x != 0 && c < V; c++) w->N[i * V + c] -= x * S[a * V + c];
        }
    hold(w, F2L_CLAIM_WU, w->N, n * V, 1);
}

/* Computes P, whose rows are zero but for the last rows of tokens, and compares the outputs. */
static void read_out(chunk_work *w, const double *S)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value;
    double o[256];
    for (size_t i = 0; i < w->size; i++) {
        const size_t r = w->first + i, t = r / lane->factors;
        const double *q = lane->q + t * K;
        double *P = w->P + i * MOST;
        memset(P, 0, w->size * sizeof *P);
        if (!f2l_vector_last_row(lane, r)) continue;
        memset(o, 0, sizeof o);
        for (size_t a = 0; a < K; a++)
            for (size_t c = 0; q[a] != 0 && c < V; c++) o[c] += w->reach[i] * q[a] * S[a * V + c];
        for (size_t j = 0; j <= i; j++) {
            P[j] = w->d[i * MOST + j] * dot(q, lane->k + (w->first + j) * K, K);
            for (size_t c = 0; P[j] != 0 && c < V; c++) o[c] += P[j] * w->N[j * V + c];
        }
        hold(w, F2L_CLAIM_PRODUCTS, P, i + 1, 1);
        hold(w, F2L_CLAIM_PRODUCTS, P, i + 1, lane->scale);
        for (size_t c = 0; c < V; c++) o[c] *= lane->scale;
        compare(w, o, lane->o + t * V, V);
    }
}

/* Returns the product of the gates after row i of the chunk. */
static double gates_after(const chunk_work *w, size_t i)
{
    return w->d[(w->size - 1) * MOST + i];
}

static void carry_state(chunk_work *w, double *S)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value;
    double *next = S + K * V;
    for (size_t i = 0; i < K * V; i++) next[i] = w->reach[w->size - 1] * S[i];
    for (size_t i = 0; i < w->size; i++)
        for (size_t a = 0; a < K; a++) {
            const double x = gates_after(w, i) * lane->k[(w->first + i) * K + a];
            for (size_t c = 0; x != 0 && c < V; c++) next[a * V + c] += x * w->N[i * V + c];
        }
    hold(w, F2L_CLAIM_STATES, next, (K - F2L_VECTOR_REST) * V, 1);
}

static void run_chunk(chunk_work *w, double *S)
{
    invert(w);
    solve(w, S);
    read_out(w, S);
}

/* Adds what P, the state and the outputs give: dN, dP, dq, the first part of dk, and dlog. */
static void back_read_out(chunk_work *w, const double *S)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value;
    for (size_t i = 0; i < w->size; i++) {
        const size_t r = w->first + i, t = r / lane->factors;
        double *dP = w->dP + i * MOST, *dq = w->dq + i * K;
        memset(dP, 0, w->size * sizeof *dP);
        if (!f2l_vector_last_row(lane, r)) continue;
        const double *dout = lane->dout + t * V, *q = lane->q + t * K;
        for (size_t a = 0; a < K; a++) {
            dq[a] = lane->scale * w->reach[i] * dot(S + a * V, dout, V);
            w->log[i] += q[a] * dq[a];
        }
        for (size_t j = 0; j <= i; j++) {
            const double *k = lane->k + (w->first + j) * K, P = w->P[i * MOST + j];
            dP[j] = lane->scale * w->d[i * MOST + j] * dot(dout, w->N + j * V, V);
            for (size_t c = 0; P != 0 && c < V; c++) w->dN[j * V + c] += lane->scale * P * dout[c];
            w->log[i] += dP[j] * P;
            w->log[j] -= dP[j] * P;
            for (size_t a = 0; dP[j] != 0 && a < K; a++) {
                dq[a] += dP[j] * k[a];
                w->dk[j * K + a] += dP[j] * q[a];
            }
        }
        hold(w, F2L_CLAIM_GRADIENT, dP, i + 1, 1);
        compare(w, dq, lane->dq + t * K, K);
    }
}

/* Adds what the state after the chunk gives. */
static void back_state(chunk_work *w, const double *S)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value, last = w->size - 1;
    w->log[last] += w->reach[last] * dot(S, w->Z, K * V);
    for (size_t i = 0; i < w->size; i++) {
        const double after = gates_after(w, i), *k = lane->k + (w->first + i) * K;
        double sum = 0;
        for (size_t a = 0; a < K; a++) {
            const double kept = after * dot(w->Z + a * V, w->N + i * V, V);
            w->dk[i * K + a] += kept;
            sum += kept * k[a];
            for (size_t c = 0; k[a] != 0 && c < V; c++)
                w->dN[i * V + c] += after * k[a] * w->Z[a * V + c];
        }
        w->log[last] += sum;
        w->log[i] -= sum;
    }
    hold(w, F2L_CLAIM_GRADIENT, w->dk, w->size * K, 1);
    hold(w, F2L_CLAIM_GRADIENT, w->dN, w->size * V, 1);
}

/* Computes dW, dX and dA. */
static void back_inverse(chunk_work *w, const double *S)
{
    const size_t K = w->lane->key, V = w->lane->value, n = w->size;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < K; a++) w->dW[i * K + a] = -dot(w->dN + i * V, S + a * V, V);
    hold(w, F2L_CLAIM_GRADIENT, w->dW, n * K, 1);
    memset(w->dX, 0, sizeof(double) * MOST * MOST);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            w->dX[i * MOST + j] =
                dot(w->dW + i * K, w->kb + j * K, K) + dot(w->dN + i * V, w->vb + j * V, V);
    hold(w, F2L_CLAIM_GRADIENT, w->dX, (size_t)MOST * MOST, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            w->part[i * MOST + j] = dot(w->dX + i * MOST, w->X + j * MOST, j + 1);
    hold(w, F2L_CLAIM_GRADIENT, w->part, n * MOST, 1);
    multiply(w->dA, w->X, true, w->part, n, n, n, MOST);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) w->dA[i * MOST + j] *= j < i ? -1 : 0;
    hold(w, F2L_CLAIM_GRADIENT, w->dA, n * MOST, 1);
}

/* Adds what A, beta d k and beta v give; dW and dv become X^T dW and X^T dN. */
static void back_factors(chunk_work *w)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value, n = w->size;
    const double *k = lane->k + w->first * K, *beta = lane->beta + w->first;
    double *dkb = w->dW; /* X^T dW in place: row i needs rows from i on, which are as they were */
    multiply(w->dv, w->X, true, w->dN, n, n, V, V);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double x = w->X[j * MOST + i];
            for (size_t a = 0; x != 0 && a < K; a++) dkb[i * K + a] += x * w->dW[j * K + a];
        }
    for (size_t i = 0; i < n; i++) {
        w->dbeta[i] = w->reach[i] * dot(dkb + i * K, k + i * K, K) +
                      dot(w->dv + i * V, lane->v + (w->first + i) * V, V);
        w->log[i] += dot(dkb + i * K, w->kb + i * K, K);
        for (size_t a = 0; a < K; a++) w->dk2[i * K + a] += w->reach[i] * beta[i] * dkb[i * K + a];
        for (size_t j = 0; j < i; j++) {
            const double x = w->dA[i * MOST + j] * w->d[i * MOST + j];
            w->log[i] += w->dA[i * MOST + j] * w->A[i * MOST + j];
            w->log[j] -= w->dA[i * MOST + j] * w->A[i * MOST + j];
            if (x == 0) continue;
            w->dbeta[i] += x * dot(k + i * K, k + j * K, K);
            for (size_t a = 0; a < K; a++) {
                w->dk2[i * K + a] += beta[i] * x * k[j * K + a];
                w->dk2[j * K + a] += beta[i] * x * k[i * K + a];
            }
        }
        for (size_t c = 0; c < V; c++) w->dv[i * V + c] *= beta[i];
    }
    hold(w, F2L_CLAIM_GRADIENT, w->dk2, n * K, 1);
}

/* Takes the gradient at the state to before the chunk. */
static void carry_gradient(chunk_work *w)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value;
    for (size_t i = 0; i < K * V; i++) w->next[i] = w->reach[w->size - 1] * w->Z[i];
    for (size_t i = 0; i < w->size; i++) {
        const size_t r = w->first + i, t = r / lane->factors;
        const bool reads = f2l_vector_last_row(lane, r);
        for (size_t a = 0; a < K; a++) {
            const double q = reads ? lane->scale * w->reach[i] * lane->q[t * K + a] : 0;
            const double x = w->W[i * K + a];
            double *to = w->next + a * V;
            for (size_t c = 0; q != 0 && c < V; c++) to[c] += q * lane->dout[t * V + c];
            for (size_t c = 0; x != 0 && c < V; c++) to[c] -= x * w->dN[i * V + c];
        }
    }
    memcpy(w->Z, w->next, K * V * sizeof *w->Z);
    hold(w, F2L_CLAIM_GRADIENT, w->Z, (K - F2L_VECTOR_REST) * V, 1);
}

static void compare_gradients(chunk_work *w)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t K = lane->key, V = lane->value, n = w->size;
    for (size_t i = 0; i < n * K; i++) w->dk[i] += w->dk2[i];
    compare(w, w->dk, lane->dk + w->first * K, n * K);
    compare(w, w->dv, lane->dv + w->first * V, n * V);
    compare(w, w->dbeta, lane->dbeta + w->first, n);
    double sum = 0;
    for (size_t i = n; i-- > 0;) {
        sum += w->log[i];
        if (f2l_vector_first_row(lane, w->first + i))
            compare(w, &sum, lane->dgate + w->first + i, 1);
    }
}

static void back_chunk(chunk_work *w, double *S)
{
    const size_t K = w->lane->key, V = w->lane->value;
    run_chunk(w, S);
    memset(w->dN, 0, MOST * V * sizeof *w->dN);
    memset(w->dk, 0, MOST * K * sizeof *w->dk);
    memset(w->dk2, 0, MOST * K * sizeof *w->dk2);
    memset(w->log, 0, sizeof w->log);
    back_read_out(w, S);
    back_state(w, S);
    back_inverse(w, S);
    carry_gradient(w);
    back_factors(w);
    compare_gradients(w);
}

static void run_all_chunks(chunk_work *w)
{
    const f2l_vector_lane *lane = w->lane;
    const size_t state = lane->key * lane->value, chunks = (lane->rows + w->chunk - 1) / w->chunk;
    memcpy(w->S, lane->start, state * sizeof *w->S);
    hold(w, F2L_CLAIM_STATES, w->S, (lane->key - F2L_VECTOR_REST) * lane->value, 1);
    for (size_t i = 0; i < chunks; i++) {
        w->first = i * w->chunk;
        w->size = lane->rows - w->first < w->chunk ? lane->rows - w->first : w->chunk;
        run_chunk(w, w->S + i * state);
        carry_state(w, w->S + i * state);
    }
    compare(w, w->S + chunks * state, lane->end, state);
    memcpy(w->Z, lane->dend, state * sizeof *w->Z);
    for (size_t i = chunks; i-- > 0;) {
        w->first = i * w->chunk;
        w->size = lane->rows - w->first < w->chunk ? lane->rows - w->first : w->chunk;
        back_chunk(w, w->S + i * state);
    }
    compare(w, w->Z, lane->dstart, state);
}

f2l_status f2l_vector_chunks(const f2l_vector_lane *lane, size_t chunk, const f2l_format *format,
                             bool claim[F2L_CLAIMS], bool *exact, f2l_error *err)
{
    chunk_work w = {.lane = lane, .format = format, .claim = claim, .equal = true, .chunk = chunk};
    const f2l_status status = make_work(&w, err);
    if (status != F2L_OK) return status;
    feclearexcept(FE_ALL_EXCEPT);
    run_all_chunks(&w);
    const bool rounded = fetestexcept(FE_INEXACT | FE_INVALID);
    if (rounded) *exact = false;
    f2l_free(w.all);
    if (rounded || w.equal) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "results in chunks of %zu rows are not the results row by row", chunk);
}
