/* Sets of states that are closed under letters (theory/pages/all-lengths.md, AL.7). */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/forever_impl.h"
#include <math.h>
#include <string.h>

enum { EXTRA = 8, MOST = F2L_FOREVER_DIRECTIONS };
#define EMPTY (-1e6) /* the numbers of a set without states */

double *f2l_forever_set(const f2l_forever_job *j, size_t q, size_t h, size_t v)
{
    return j->out->set + ((q * j->out->heads + h) * j->out->value + v) * MOST;
}

f2l_forever_cone f2l_forever_find_cone(const f2l_forever_job *j, size_t h, const double *y)
{
    const double *d = j->out->direction + h * MOST * j->out->key;
    if (j->out->key == 1) return (f2l_forever_cone){y[0] < 0, 0, fabs(y[0]), 0};
    double best[2] = {-INFINITY, -INFINITY};
    size_t at[2] = {0, 0};
    for (size_t i = 0; i < j->out->many[h]; i++) {
        const double *e = d + 2 * i;
        const double along = (e[0] * y[0] + e[1] * y[1]) / f2l_learned_length(e, 2);
        const size_t side = e[0] * y[1] - e[1] * y[0] < 0;
        if (along > best[side]) {
            best[side] = along;
            at[side] = i;
        }
    }
    const double *e = d + 2 * at[0], *f = d + 2 * at[1], det = e[0] * f[1] - e[1] * f[0];
    if (!(det > 1e-12))
        return (f2l_forever_cone){at[0], 0, fmax(best[0], 0) / f2l_learned_length(e, 2), 0};
    return (f2l_forever_cone){at[0], at[1], fmax((y[0] * f[1] - y[1] * f[0]) / det, 0),
                              fmax((e[0] * y[1] - e[1] * y[0]) / det, 0)};
}

double f2l_forever_highest(const f2l_forever_cone *c, const double *n)
{
    return c->a * n[c->i] + (c->b > 0 ? c->b * n[c->j] : 0);
}

void f2l_forever_pull(double *to, const f2l_forever_job *j, size_t w, size_t h, const double *y)
{
    const size_t K = j->out->key;
    const double *a = j->a + (w * j->out->heads + h) * K * K;
    memset(to, 0, K * sizeof *to);
    for (size_t i = 0; i < K; i++)
        for (size_t l = 0; l < K; l++) to[l] += a[i * K + l] * y[i];
}

double f2l_forever_shift(const f2l_forever_job *j, size_t w, size_t h, const double *y, size_t v)
{
    const size_t K = j->out->key, V = j->out->value;
    const double *b = j->b + (w * j->out->heads + h) * K * V;
    double sum = 0;
    for (size_t i = 0; i < K; i++) sum += b[i * V + v] * y[i];
    return sum;
}

double f2l_forever_room(const f2l_forever_job *j, size_t w, size_t h, double size)
{
    const size_t at = w * j->out->heads + h;
    const f2l_learned_off *off = &j->net->letter_off[at];
    const double tiny = j->out->scope->unit > 0x1p-40 ? 0x1p-22 : 0;
    return 1.001 * (off->a * size + off->b) + 0x1p-33 * (1 + size + j->shift[at]) + tiny;
}

/* Adds the direction d / |d|, and its opposite, unless there is one like it. */
static void add_direction(f2l_forever_job *j, size_t h, const double *d)
{
    size_t *count = &j->out->many[h];
    double *all = j->out->direction + h * MOST * 2;
    const double size = f2l_learned_length(d, 2);
    if (!(size > 1e-9) || *count + 2 > MOST) return;
    for (size_t i = 0; i < *count; i++)
        if (fabs(all[2 * i] * d[1] - all[2 * i + 1] * d[0]) < 1e-6 * size) return;
    for (int sign = 1; sign >= -1; sign -= 2, ++*count)
        for (size_t i = 0; i < 2; i++)
            all[2 * *count + i] = sign * round(d[i] / size / F2L_FOREVER_UNIT) * F2L_FOREVER_UNIT;
}

/* Adds the eigenvectors of A^T of a letter, which a letter that hardly contracts keeps best. */
static void add_eigenvectors(f2l_forever_job *j, size_t h, size_t w)
{
    const double *a = j->a + (w * j->out->heads + h) * 4;
    const double half = (a[0] + a[3]) / 2, square = half * half - (a[0] * a[3] - a[1] * a[2]);
    for (int sign = 1; square >= 0 && sign >= -1; sign -= 2) {
        const double value = half + sign * sqrt(square);
        /* rows of A^T - value I are orthogonal to the eigenvector: the longer one tells it */
        const double x[2] = {a[0] - value, a[2]}, y[2] = {a[1], a[3] - value};
        const double *row = f2l_learned_length(x, 2) > f2l_learned_length(y, 2) ? x : y;
        add_direction(j, h, (const double[]){-row[1], row[0]});
    }
}

/* The axes; some all around; those that letters keep best; and what is orthogonal to a key. */
static void set_directions(f2l_forever_job *j, size_t h)
{
    const size_t K = j->out->key, N = j->net->c->householders;
    double *all = j->out->direction + h * MOST * K;
    const double *keys = j->net->letter.array[F2L_DELTA_LETTER_KEY];
    for (size_t i = 0; i < 2 * K; i++) all[i * K + i / 2] = i % 2 ? -1 : 1;
    j->out->many[h] = 2 * K;
    for (size_t i = 0; K == 2 && i < EXTRA / 2; i++) {
        const double turn = 3.14159265358979 * ((double)i + 0.5) / (0.5 * EXTRA);
        add_direction(j, h, (const double[]){cos(turn), sin(turn)});
    }
    for (size_t w = 0; K == 2 && w < j->fsa->letters.count; w++) add_eigenvectors(j, h, w);
    for (size_t i = 0; K == 2 && i < j->fsa->letters.count * N; i++) {
        const double *k = keys + (i * j->out->heads + h) * 2;
        add_direction(j, h, (const double[]){-k[1], k[0]});
    }
}

/* Finds the letter and head that shorten least; returns false where one does not. */
static bool all_contract(f2l_forever_job *j)
{
    f2l_learned_forever *out = j->out;
    const size_t K = out->key;
    for (size_t i = 0; i < j->fsa->letters.count * out->heads; i++) {
        double norm = fabs(j->a[i * K * K]);
        if (K == 2) { /* the root of the larger eigenvalue of A^T A */
            const double *a = j->a + i * 4;
            const double all = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
            const double det = a[0] * a[3] - a[1] * a[2];
            norm = sqrt((all + sqrt(fmax(all * all - 4 * det * det, 0))) / 2);
        }
        if (!(norm > out->norm)) continue;
        out->norm = norm;
        out->letter = i / out->heads;
        out->head = i % out->heads;
    }
    return out->norm < 1 - 1e-9;
}

/* What a letter makes of a direction: sup d^T (A S + B) is cone(A^T d) + shift. */
typedef struct move {
    f2l_forever_cone cone;
    double length;
} move;

/* Sets the size of the states of a set. */
static void measure(f2l_forever_job *j, size_t q, size_t h)
{
    double squares = 0;
    for (size_t v = 0; v < j->out->value; v++) {
        const double *n = f2l_forever_set(j, q, h, v);
        for (size_t i = 0; i < 2 * j->out->key; i += 2) {
            const double far = fmax(fabs(n[i]), fabs(n[i + 1]));
            squares += far * far;
        }
    }
    j->size[q * j->out->heads + h] = sqrt(squares);
}

/* Makes the sets of states larger by what a letter leads to; returns by how much, in parts of the
 * room that is left: 1 is enough to be closed. */
static double widen(f2l_forever_job *j, size_t h, size_t q, size_t w, const move *moves)
{
    const size_t to = j->fsa->next[q * j->fsa->letters.count + w];
    const double room = f2l_forever_room(j, w, h, j->size[q * j->out->heads + h]);
    double most = 0;
    for (size_t v = 0; v < j->out->value; v++) {
        const double *from = f2l_forever_set(j, q, h, v);
        double *n = f2l_forever_set(j, to, h, v);
        for (size_t i = 0; i < j->out->many[h]; i++) {
            const double *d = j->out->direction + (h * MOST + i) * j->out->key;
            const double need =
                f2l_forever_highest(&moves[i].cone, from) + f2l_forever_shift(j, w, h, d, v);
            if (need + room > n[i]) most = fmax(most, (need + room - n[i]) / room);
            if (need + room > n[i]) n[i] = need + 2 * room;
        }
    }
    return most;
}

/* Closes the sets of a head; sets out->end where they become too large, or time is over. */
static f2l_status close_sets(f2l_forever_job *j, size_t h, bool *closed)
{
    const size_t letters = j->fsa->letters.count, H = j->out->heads, D = j->out->many[h];
    move *moves = f2l_calloc(letters * D, sizeof *moves);
    f2l_status status = moves ? F2L_OK : f2l_fail_memory(j->err);
    for (size_t i = 0; status == F2L_OK && i < letters * D; i++) {
        double y[F2L_FOREVER_KEY];
        f2l_forever_pull(y, j, i / D, h, j->out->direction + (h * MOST + i % D) * j->out->key);
        moves[i].cone = f2l_forever_find_cone(j, h, y);
    }
    *closed = false;
    for (size_t round = 0; status == F2L_OK && !*closed; round++) {
        bool small = true;
        double most = 0;
        for (size_t q = 0; q < j->out->states; q++) {
            if (f2l_forever_set(j, q, h, 0)[0] == EMPTY) continue;
            measure(j, q, h);
            small = small && j->size[q * H + h] < F2L_FOREVER_SIZE;
            for (size_t w = 0; w < letters; w++)
                most = fmax(most, widen(j, h, q, w, moves + w * D));
        }
        *closed = most == 0;
        if (!small) j->out->end = F2L_FOREVER_LARGE;
        if (!*closed && round % 64 == 0 && f2l_now() > j->until) j->out->end = F2L_FOREVER_LATE;
        if (j->out->end != F2L_FOREVER_PROVED) break;
        if (round % 64 == 0) status = f2l_task_poll(j->task, "sets", (double)h, (double)H, j->err);
    }
    f2l_free(moves);
    if (!*closed) j->out->head = h;
    return status;
}

/* Marks the states that words lead to. */
static void mark_states(f2l_forever_job *j)
{
    bool *met = j->out->met, more = true;
    const size_t letters = j->fsa->letters.count;
    met[j->fsa->start] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < j->out->states * letters; i++)
            if (met[i / letters] && !met[j->fsa->next[i]]) met[j->fsa->next[i]] = more = true;
    }
}

/* Makes the start the only state of its set, and the others empty. */
static void begin_sets(f2l_forever_job *j)
{
    const size_t K = j->out->key, V = j->out->value, H = j->out->heads;
    for (size_t i = 0; i < j->out->states * H * V * MOST; i++) j->out->set[i] = EMPTY;
    for (size_t h = 0; h < H; h++)
        for (size_t i = 0; i < V * MOST; i++) {
            const double *d = j->out->direction + (h * MOST + i % MOST) * K;
            double sum = 1e-9;
            for (size_t k = 0; k < K; k++) sum += d[k] * j->start[(h * K + k) * V + i / MOST];
            /* a begin letter's errors */
            if (j->begin)
                sum += f2l_forever_room(j, j->fsa->letters.count, h,
                                        f2l_learned_length(j->start + h * K * V, K * V)) *
                       2;
            f2l_forever_set(j, j->fsa->start, h, i / MOST)[i % MOST] = sum;
        }
}

/* Rounds the sets up, and measures them. */
static void round_sets(f2l_forever_job *j)
{
    const size_t H = j->out->heads, V = j->out->value;
    for (size_t i = 0; i < j->out->states * H; i++) {
        const size_t q = i / H, h = i % H;
        if (!j->out->met[q]) continue;
        for (size_t v = 0; v < V * j->out->many[h]; v++) {
            double *n = f2l_forever_set(j, q, h, v % V) + v / V;
            *n = (ceil(*n / F2L_FOREVER_UNIT) + 1) * F2L_FOREVER_UNIT;
        }
        measure(j, q, h);
        j->most[h] = fmax(j->most[h], j->size[i]);
    }
}

f2l_status f2l_forever_find_sets(f2l_forever_job *j)
{
    mark_states(j);
    if (!all_contract(j)) {
        j->out->end = F2L_FOREVER_NORM;
        return F2L_OK;
    }
    for (size_t h = 0; h < j->out->heads; h++) set_directions(j, h);
    begin_sets(j);
    f2l_status status = F2L_OK;
    bool closed = true;
    for (size_t h = 0; status == F2L_OK && closed && h < j->out->heads; h++)
        status = close_sets(j, h, &closed);
    if (closed) round_sets(j);
    return status;
}
