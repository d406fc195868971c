/* A network with clamped betas and exact keys whose heads have finitely many states: which heads
 * those are, how many states they have together, and whether each answer is right
 * (theory/pages/all-lengths.md, AL.12, AL.13). */
#include "automata/fsa/rowset.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/forever_impl.h"
#include <math.h>
#include <string.h>

enum { MOST_ALONE = 10000, MOST_TOGETHER = 100000, MOST_DENOMINATOR = 1 << 30 };
enum { MOST_NUMBER = INT32_MAX / 2, MOST_COLUMNS = 4096 };

/* S -> S - beta k (k^T S - v^T) with k = t / |t|; square 0: the identity. */
typedef struct action {
    int64_t t[F2L_LEARNED_MAX_DIM], square, beta;
} action;

typedef enum end { CLOSED, OTHER_DENOMINATOR, ENDLESS, STOPPED } end;

typedef struct finite {
    f2l_forever_job *j;
    size_t letters, heads, *head; /* letters with a begin letter; heads that are followed */
    size_t columns, each;         /* of a head's P and Q; numbers of a head */
    int64_t denominator, missing; /* what it should be a multiple of, besides itself */
    action *action;               /* [letters][all heads][factors] */
    double *part, *part_off;      /* [all heads][columns] rows of the start and of values */
    uint32_t *next;               /* [1 + heads each] */
    size_t numbers;               /* of next */
    f2l_rowset met;
    uint32_t *from, *by; /* [met] which state led there, by which letter */
    size_t room;         /* of from and by */
    f2l_learned_question asked;
} finite;

static action *action_of(const finite *f, size_t letter, size_t h, size_t factor)
{
    const f2l_learned_forever *out = f->j->out;
    return &f->action[(letter * out->heads + h) * f->j->net->c->householders + factor];
}

static const double *tensor_of(const f2l_forever_job *j, size_t index)
{
    return j->parameters + j->model->tensor[j->model->layer[0].mixer[index]].offset;
}

/* Reads a factor from the numbers before they are cut and rounded; net->x has the letter's norm.
 * Returns false where the factor is not exact, or not certainly. */
static bool read_action(action *a, const f2l_forever_job *j, size_t row)
{
    f2l_learned_net *net = j->net;
    const size_t K = net->c->key_dim, n = net->c->width;
    const double *key = tensor_of(j, F2L_DELTA_KEY) + row * K * n;
    const double *beta = tensor_of(j, F2L_DELTA_BETA) + row * n;
    double off, most = 0, y[F2L_LEARNED_MAX_DIM];
    size_t zero = 0;
    while (zero < K * n && (key[zero] == 0 || net->x[zero % n] == 0)) zero++;
    if (zero == K * n) return true;
    const double z = net->c->slope * f2l_learned_dot(beta, net->x, n);
    f2l_learned_bound_projection(&off, net, beta, 1, false);
    off = net->c->slope * off + f2l_learned_slack(net, 0) * fabs(z);
    if (z + off < -2) return true;
    for (size_t i = 0; i < K; i++) {
        y[i] = f2l_learned_dot(key + i * n, net->x, n);
        if (net->c->silu_keys) y[i] /= 1 + exp(-y[i]);
        most = fmax(most, fabs(y[i]));
    }
    if (!(z - off > 2)) return false;
    f2l_learned_bound_projection(&off, net, key, K, net->c->silu_keys);
    for (size_t i = 0; i < K; i++) {
        const double twice = 2 * fabs(y[i]);
        if (K > 1 && fabs(twice - most) < 3.1 * off) return false;
        if (K == 1 || twice > most) a->t[i] = y[i] > 0 ? 1 : -1;
        a->square += a->t[i] * a->t[i];
    }
    a->beta = net->c->negative ? 2 : 1;
    return most - off > F2L_LEARNED_SHORTEST;
}

/* Sets the values of a letter's factors over |t|, and what they are off by; net->x as above. */
static void read_values(finite *f, size_t letter, size_t h)
{
    f2l_learned_net *net = f->j->net;
    const f2l_seq_config *c = net->c;
    const size_t V = c->value_dim, H = c->heads, N = c->householders;
    const double *values = net->letter.array[F2L_DELTA_LETTER_VALUE];
    for (size_t i = 0; values && i < N; i++) {
        const size_t at = h * f->columns + c->key_dim + letter * N + i, row = i * H + h;
        const double size = sqrt((double)action_of(f, letter, h, i)->square);
        if (!(size > 0)) continue;
        f2l_learned_bound_projection(
            &f->part_off[at], net, tensor_of(f->j, F2L_DELTA_VALUE) + row * V * c->width, V, true);
        f->part_off[at] /= size;
        for (size_t v = 0; v < V; v++)
            f->part[at * V + v] = values[((letter * N + i) * H + h) * V + v] / size;
    }
}

static void round_parts(finite *f)
{
    const size_t V = f->j->out->value;
    for (size_t h = 0; h < f->j->out->heads; h++) {
        double largest = 0;
        for (size_t c = h * f->columns; c < (h + 1) * f->columns; c++)
            largest = fmax(largest, f2l_learned_length(f->part + c * V, V) + f->part_off[c]);
        for (size_t c = h * f->columns; c < (h + 1) * f->columns; c++)
            f->part_off[c] += 3.01 * f2l_learned_slack(f->j->net, 0) * largest;
    }
}

static void end_with(finite *f, f2l_forever_end why, size_t letter, size_t h)
{
    f->j->out->end = why;
    f->j->out->letter = letter < f->j->fsa->letters.count ? letter : 0;
    f->j->out->head = h;
}

/* Puts the heads whose every factor is exact in the scope into f->head; where one is not, says so
 * in out->end. */
static void read_heads(finite *f)
{
    f2l_forever_job *j = f->j;
    const f2l_seq_config *c = j->net->c;
    const size_t H = c->heads;
    const double *norm = j->parameters + j->model->tensor[j->model->layer[0].mixer_norm].offset;
    if (f->columns > MOST_COLUMNS) end_with(f, F2L_FOREVER_ENDLESS, 0, 0);
    for (size_t h = 0; h < H && f->columns <= MOST_COLUMNS; h++) {
        bool all = true;
        for (size_t w = 0; w < f->letters; w++) {
            f2l_learned_normed(j->net->x, j->net, w, norm);
            for (size_t i = 0; all && i < c->householders; i++) {
                action *a = action_of(f, w, h, i);
                all = read_action(a, j, i * H + h);
                const bool again = a->square > 1 || (c->additive && a->beta == 2 && a->square > 0);
                if (!all) end_with(f, F2L_FOREVER_INEXACT, w, h);
                if (all && j->net->scope->unit > 0 && again) {
                    end_with(f, F2L_FOREVER_ROUNDED, w, h);
                    all = false;
                }
            }
            if (all && j->net->scope->unit > 0 && j->net->letter_off[w * H + h].q >= 2) {
                end_with(f, F2L_FOREVER_ROUNDED, w, h); /* a query that may underflow */
                all = false;
            }
            if (all) read_values(f, w, h);
        }
        if (all) f->head[f->heads++] = h;
    }
    round_parts(f);
}

/* Does S <- S - beta / |t|^2 t (t^T S) + beta t u^T, u that column, of whole numbers over the
 * denominator. */
static end act(finite *f, uint32_t *s, const action *a, size_t column)
{
    const size_t K = f->j->out->key, C = f->columns;
    for (size_t c = 0; c < C; c++) {
        int64_t along = 0;
        for (size_t k = 0; k < K; k++) along += a->t[k] * (int32_t)s[k * C + c];
        along *= a->beta;
        if (along % a->square != 0) {
            f->missing = a->square;
            return OTHER_DENOMINATOR;
        }
        along = along / a->square - (c == column ? a->beta * f->denominator : 0);
        for (size_t k = 0; k < K; k++) {
            const int64_t x = (int32_t)s[k * C + c] - a->t[k] * along;
            if (x > MOST_NUMBER || x < -MOST_NUMBER) return ENDLESS;
            s[k * C + c] = (uint32_t)x;
        }
    }
    return CLOSED;
}

static end move_heads(finite *f, size_t letter)
{
    const f2l_seq_config *c = f->j->net->c;
    const size_t K = c->key_dim, N = c->householders;
    for (size_t i = 0; i < f->heads; i++)
        for (size_t n = 0; n < N; n++) {
            const action *a = action_of(f, letter, f->head[i], n);
            const size_t column = c->additive ? K + letter * N + n : SIZE_MAX;
            if (a->square == 0) continue;
            const end how = act(f, f->next + 1 + i * f->each, a, column);
            if (how != CLOSED) return how;
        }
    return CLOSED;
}

/* Sets the ball of a head, whose state is at s, after the letter. */
static void ask_head(finite *f, const uint32_t *s, size_t letter, size_t h)
{
    const f2l_learned_net *net = f->j->net;
    const size_t K = net->c->key_dim, V = net->c->value_dim, C = f->columns;
    const double *q = net->query + (letter * net->c->heads + h) * K, root = sqrt((double)K);
    double *o = f->asked.centre + h * V, off = 0, squares = 0;
    memset(o, 0, V * sizeof *o);
    for (size_t k = 0; k < K; k++) {
        double row[F2L_LEARNED_MAX_DIM] = {0};
        for (size_t i = 0; i < C; i++) {
            const double x = (int32_t)s[k * C + i] / (double)f->denominator;
            off += fabs(x) * f->part_off[h * C + i];
            for (size_t v = 0; v < V; v++) row[v] += x * f->part[(h * C + i) * V + v];
        }
        squares += f2l_learned_dot(row, row, V);
        for (size_t v = 0; v < V; v++) o[v] += q[k] * row[v] / root;
    }
    const double q_off = net->letter_off[letter * net->c->heads + h].q + 0x1p-35;
    const double tiny = net->scope->unit > 0 ? 0x1p-23 : 0; /* of underflows */
    f->asked.radius[h] = (1.02 * off + q_off * (sqrt(squares) + off)) / root + tiny;
}

/* Returns whether the answer to f->next after the letter is right; else sets *wrong. */
static bool is_right(finite *f, bool *wrong, size_t letter)
{
    f2l_learned_net *net = f->j->net;
    const f2l_learned_forever *out = f->j->out;
    f2l_learned_margin m;
    for (size_t i = 0; i < f->heads; i++)
        ask_head(f, f->next + 1 + i * f->each, letter, f->head[i]);
    f2l_learned_head_norms(net, &f->asked);
    for (size_t h = 0; h < out->heads; h++)
        if (!out->followed[h]) net->nu[h] = 1.01 * sqrt((double)out->value);
    f2l_learned_answer_normed(&m, net, letter, f->next[0]);
    *wrong = m.difference < -m.spread;
    return f2l_learned_margin_is_enough(&m);
}

static bool make_room(finite *f)
{
    if (f->met.count < f->room) return true;
    const size_t more = 2 * f->room + 64;
    uint32_t *from = f2l_realloc(f->from, more, sizeof *from);
    if (from) f->from = from;
    uint32_t *by = f2l_realloc(f->by, more, sizeof *by);
    if (by) f->by = by;
    if (from && by) f->room = more;
    return from && by;
}

/* Ends at the answer to the word that led to the state, and this letter. */
static f2l_status end_at(finite *f, f2l_forever_end why, size_t state, size_t letter)
{
    f2l_learned_forever *out = f->j->out;
    size_t length = 1;
    for (size_t s = state; s > 0; s = f->from[s]) length++;
    out->end = why;
    out->word = f2l_calloc(length, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(f->j->err);
    out->word_length = length;
    out->word[--length] = (uint32_t)letter;
    for (size_t s = state; s > 0; s = f->from[s]) out->word[--length] = f->by[s];
    return F2L_OK;
}

/* Makes f->next the start of the heads that are followed. */
static end start_heads(finite *f, bool together)
{
    const size_t K = f->j->out->key;
    f->numbers = 1 + f->heads * f->each;
    memset(f->next, 0, f->numbers * sizeof *f->next);
    f->next[0] = together ? (uint32_t)f->j->fsa->start : 0;
    for (size_t i = 0; f->j->net->start && i < f->heads * K; i++)
        f->next[1 + i * f->columns + i % K] = (uint32_t)f->denominator;
    return f->j->begin ? move_heads(f, f->letters - 1) : CLOSED;
}

/* Makes the state after state i and the letter the next one; together, asks for its answer. */
static f2l_status take_step(finite *f, end *how, bool together, size_t i, size_t w)
{
    const f2l_fsa *fsa = f->j->fsa;
    size_t index;
    bool wrong = false;
    memcpy(f->next, f2l_rowset_get(&f->met, i, NULL), f->numbers * sizeof *f->next);
    *how = move_heads(f, w);
    if (*how != CLOSED) return F2L_OK;
    if (together) {
        f->next[0] = fsa->next[f->next[0] * fsa->letters.count + w];
        if (!is_right(f, &wrong, w)) {
            *how = STOPPED;
            return end_at(f, wrong ? F2L_FOREVER_WRONG : F2L_FOREVER_OPEN, i, w);
        }
    }
    const size_t before = f->met.count;
    if (!make_room(f)) return f2l_fail_memory(f->j->err);
    const f2l_status status = f2l_rowset_add(&f->met, f->next, f->numbers, &index, f->j->err);
    if (status != F2L_OK || index < before) return status;
    f->from[index] = (uint32_t)i;
    f->by[index] = (uint32_t)w;
    return F2L_OK;
}

/* Reaches all states of the heads that are followed, together with the automaton's, or without it.
 */
static f2l_status reach(finite *f, end *how, bool together)
{
    const size_t most = together ? MOST_TOGETHER : MOST_ALONE;
    size_t index;
    f2l_rowset_clear(&f->met);
    *how = start_heads(f, together);
    if (*how != CLOSED) return F2L_OK;
    if (!make_room(f)) return f2l_fail_memory(f->j->err);
    f2l_status status = f2l_rowset_add(&f->met, f->next, f->numbers, &index, f->j->err);
    for (size_t i = 0; status == F2L_OK && *how == CLOSED && i < f->met.count; i++) {
        for (size_t w = 0; status == F2L_OK && *how == CLOSED && w < f->j->fsa->letters.count; w++)
            status = take_step(f, how, together, i, w);
        if (status == F2L_OK) status = f2l_task_poll(f->j->task, "states", (double)i, 0, f->j->err);
        if (*how == CLOSED && f->met.count > most) *how = ENDLESS;
        if (*how == CLOSED && f2l_now() > f->j->until) {
            *how = STOPPED;
            f->j->out->end = F2L_FOREVER_LATE;
        }
    }
    return status;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the states of one head, and the denominator that they need. */
static f2l_status reach_alone(finite *f, end *how, size_t h)
{
    f2l_status status = F2L_OK;
    f->head[0] = h;
    f->heads = 1;
    f->denominator = 1;
    do {
        status = reach(f, how, false);
        if (*how == OTHER_DENOMINATOR) f->denominator *= f->missing;
    } while (status == F2L_OK && *how == OTHER_DENOMINATOR && f->denominator <= MOST_DENOMINATOR);
    if (*how == OTHER_DENOMINATOR) *how = ENDLESS;
    return status;
}

/* Leaves the heads in f->head whose states are finitely many. */
static f2l_status choose_heads(finite *f)
{
    f2l_learned_forever *out = f->j->out;
    size_t *exact = f2l_calloc(out->heads, sizeof *exact), count = f->heads;
    f2l_status status = exact ? F2L_OK : f2l_fail_memory(f->j->err);
    end how = CLOSED;
    int64_t common = 1;
    if (exact) memcpy(exact, f->head, count * sizeof *exact);
    for (size_t i = 0; status == F2L_OK && how != STOPPED && i < count; i++) {
        status = reach_alone(f, &how, exact[i]);
        const int64_t more = f->denominator / greatest_divisor(common, f->denominator);
        out->followed[exact[i]] = how == CLOSED && common * more <= MOST_DENOMINATOR;
        if (out->followed[exact[i]]) common *= more;
        if (how != STOPPED && !out->followed[exact[i]])
            end_with(f, F2L_FOREVER_ENDLESS, 0, exact[i]);
    }
    f2l_free(exact);
    f->denominator = common;
    f->heads = 0;
    for (size_t h = 0; h < out->heads; h++)
        if (out->followed[h]) f->head[f->heads++] = h;
    return status;
}

static f2l_status find(finite *f)
{
    f2l_learned_forever *out = f->j->out;
    end how = CLOSED;
    read_heads(f);
    f2l_status status = choose_heads(f);
    const bool enough = f->heads == out->heads || (out->scope->unit == 0 && f->heads > 0);
    if (status != F2L_OK || !enough || out->end == F2L_FOREVER_LATE) return status;
    out->end = F2L_FOREVER_PROVED;
    status = reach(f, &how, true);
    if (how == ENDLESS) end_with(f, F2L_FOREVER_ENDLESS, 0, f->head[0]);
    out->joint = f->met.count;
    out->denominator = (uint64_t)f->denominator;
    return status;
}

f2l_status f2l_forever_find_finite(f2l_forever_job *j)
{
    const f2l_seq_config *c = j->net->c;
    const size_t H = c->heads, V = c->value_dim;
    finite f = {.j = j, .letters = c->letters, .denominator = 1};
    f.columns = c->key_dim + (c->additive ? c->letters * c->householders : 0);
    f.each = c->key_dim * f.columns;
    f.head = f2l_calloc(H, sizeof *f.head);
    f.action = f2l_calloc(c->letters * H * c->householders, sizeof *f.action);
    f.part = f2l_calloc(H * f.columns * (V + 1) + H * (V + 1), sizeof *f.part);
    f.next = f2l_calloc(1 + H * f.each, sizeof *f.next);
    f2l_rowset_init(&f.met);
    f2l_status status = f2l_fail_memory(j->err);
    if (f.head && f.action && f.part && f.next) {
        f.part_off = f.part + H * f.columns * V;
        f.asked.centre = f.part_off + H * f.columns;
        f.asked.radius = f.asked.centre + H * V;
        for (size_t h = 0; j->net->start && h < H; h++)
            memcpy(f.part + h * f.columns * V, j->net->start + h * c->key_dim * V,
                   c->key_dim * V * sizeof *f.part);
        status = find(&f);
    }
    f2l_rowset_clear(&f.met);
    f2l_free(f.head);
    f2l_free(f.action);
    f2l_free(f.part);
    f2l_free(f.next);
    f2l_free(f.from);
    f2l_free(f.by);
    return status;
}

void f2l_forever_write_finite(f2l_buf *out, const f2l_learned_forever *p)
{
    f2l_buf_text(out, "heads");
    for (size_t h = 0; h < p->heads; h++)
        if (p->followed[h]) f2l_buf_printf(out, " %zu", h + 1);
    f2l_buf_printf(out, "\ndenominator %llu\njoint %zu\nend\n", (unsigned long long)p->denominator,
                   p->joint);
}
