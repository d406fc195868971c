/* The claim `finite`: a network with clamped betas and exact keys is right on all words, since its
 * heads have finitely many states (theory/pages/all-lengths.md, AL.12, AL.13). Its lines:
 *     heads H ..                 the heads that are followed, by rising numbers
 *     denominator D              of the numbers of their states
 *     joint N                    how many states the automaton and these heads have together
 * A head's key is t / |t| for a t of -1, 0 and 1, and its betas are at an end of their range, so
 * that its state is P S_0 + Q U: S_0 is its start, U has the value of each factor of each letter
 * over |t|, and P and Q have whole numbers over D. All N states are reached here, each answer with
 * bounds in doubles (LH.5); of a head that is not followed only the length of its norm is used. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DENOMINATOR = 1 << 30 };
static const int64_t MOST_NUMBER = (int64_t)1 << 40; /* no sum of 64 of them overflows */

/* S -> S - beta k (k^T S - v^T) with k = t / |t|; square 0: the identity. */
typedef struct action {
    int64_t t[MAX_DIM], square, beta; /* square: |t|^2 */
} action;

typedef struct finite {
    proof *p;
    size_t heads, *head;     /* those that are followed */
    bool *followed;          /* [all heads] */
    size_t columns, numbers; /* of P and Q together; of a joint state, the automaton's first */
    int64_t denominator;
    action *action;          /* [letters][heads][factors] */
    double *q, *q_off;       /* [letters][heads] [key], what S^T q is off by over |S|_F */
    double *part, *part_off; /* [heads][columns] the rows of S_0 and U, and what they are off by */
    int64_t *next;           /* [numbers] */
    set joint;               /* the bytes of states */
    question asked;
} finite;

static void read_heads(finite *x)
{
    const size_t H = x->p->net.heads;
    size_t last = 0;
    x->head = grab(H, sizeof *x->head);
    x->followed = grab(H, sizeof *x->followed);
    expect(x->p->t, "heads");
    do {
        last = number(x->p->t, " ", last + 1, H);
        x->followed[last - 1] = true;
        x->head[x->heads++] = last - 1;
    } while (comes(x->p->t, " "));
    end_line(x->p->t);
    if (x->p->net.scope->unit > 0 && x->heads < H)
        reject(x->p->t, "in this scope all heads must be followed");
}

/* Sets *t to the number of a key of which `y`, off by at most `off`, is rounded. */
static void read_sign(const finite *x, int64_t *t, double y, double most, double off)
{
    const double twice = 2 * fabs(y);
    if (x->p->net.key == 1 || twice > most + 3.01 * off)
        *t = y > 0 ? 1 : -1;
    else if (!(twice < most - 3.01 * off))
        reject(x->p->t, "a number of a key is too near half of the largest one");
}

/* normed: the letter's norm. */
static void read_action(finite *x, action *a, size_t letter, size_t row, const double *normed)
{
    const learned *net = &x->p->net;
    const size_t K = net->key;
    double y[MAX_DIM], in, most = 0;
    const double in_off = net->slope * project(&in, net, net->b, row, 1, normed, false);
    const double z = net->slope * in, z_off = in_off * (1 + SLACK) + slack(net, 0) * fabs(z);
    if (all_zero(net, net->k, row * K, letter) || z + z_off <= -2) return;
    if (!(z - z_off >= 2)) reject(x->p->t, "a beta may be inside its range");
    const double off = project(y, net, net->k, row * K, K, normed, net->silu);
    for (size_t i = 0; i < K; i++) most = fmax(most, fabs(y[i]));
    if (!(most - off > SHORTEST)) reject(x->p->t, "a key is too short");
    for (size_t i = 0; i < K; i++) {
        read_sign(x, &a->t[i], y[i], most, off);
        a->square += a->t[i] * a->t[i];
    }
    a->beta = (int64_t)net->range;
    if (net->scope->unit > 0 && (a->square > 1 || (net->additive && a->beta == 2)))
        reject(x->p->t, "in this scope a letter rounds its head's state again and again");
}

static action *action_of(const finite *x, size_t letter, size_t i, size_t n)
{
    return &x->action[(letter * x->heads + i) * x->p->net.factors + n];
}

/* Computes the value of a factor over |t|. */
static void read_value(finite *x, size_t letter, size_t i, size_t n, const double *normed)
{
    const learned *net = &x->p->net;
    const size_t V = net->value, column = net->key + letter * net->factors + n;
    const size_t row = n * net->heads + x->head[i], at = i * x->columns + column;
    const double size = sqrt((double)action_of(x, letter, i, n)->square);
    double *u = x->part + at * V;
    if (!(size > 0)) return;
    x->part_off[at] = project(u, net, net->v, row * V, V, normed, true) / size;
    for (size_t j = 0; j < V; j++) u[j] /= size;
}

static void read_letter_of(finite *x, size_t letter, const double *normed)
{
    const learned *net = &x->p->net;
    const size_t K = net->key;
    for (size_t i = 0; i < x->heads; i++) {
        const size_t h = x->head[i], at = letter * x->heads + i;
        double *q = x->q + at * K;
        for (size_t f = 0; f < net->factors; f++) {
            read_action(x, action_of(x, letter, i, f), letter, f * net->heads + h, normed);
            if (net->additive) read_value(x, letter, i, f, normed);
        }
        const double off = unit(q, net, project(q, net, net->q, h * K, K, normed, net->silu));
        if (net->scope->unit > 0 && off >= 2) reject(x->p->t, "in this scope a query is too short");
        x->q_off[at] = off + sqrt((double)K) * slack(net, K) + 4 * SLACK;
    }
}

/* Adds to what the rows of S_0 and U are off by what a state that is one of them, up to its sign,
 * is off by (AL.13), and what doubles are in a sum of them. */
static void round_parts(finite *x)
{
    const size_t V = x->p->net.value;
    for (size_t i = 0; i < x->heads; i++) {
        double largest = 0;
        for (size_t c = i * x->columns; c < (i + 1) * x->columns; c++)
            largest = fmax(largest, length(x->part + c * V, V) + x->part_off[c]);
        for (size_t c = i * x->columns; c < (i + 1) * x->columns; c++)
            x->part_off[c] = (x->part_off[c] + 3 * slack(&x->p->net, 0) * largest) * (1 + SLACK);
    }
    charge(x->heads * x->columns * V);
}

static void read_network_of(finite *x)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, V = net->value, count = product_of(net->letters, x->heads);
    double *normed = grab(net->width, sizeof *normed);
    x->columns = K + (net->additive ? net->letters * net->factors : 0);
    if (x->columns > MAX_TERMS) reject(x->p->t, "states have more than %d terms", MAX_TERMS);
    x->numbers = 1 + product_of(x->heads * K, x->columns);
    x->action = grab(product_of(count, net->factors), sizeof *x->action);
    x->q = grab(product_of(count, K), sizeof(double));
    x->q_off = grab(count, sizeof(double));
    x->part = grab(product_of(x->heads * x->columns, V), sizeof(double));
    x->part_off = grab(x->heads * x->columns, sizeof(double));
    x->next = grab(x->numbers, sizeof *x->next);
    x->asked.centre = grab(net->heads * V, sizeof(double));
    x->asked.radius = grab(net->heads, sizeof(double));
    for (size_t i = 0; net->starts && i < x->heads; i++)
        memcpy(x->part + i * x->columns * V, net->start + x->head[i] * K * V,
               K * V * sizeof(double));
    for (size_t a = 0; a < net->letters; a++) {
        normed_letter(normed, net, a);
        read_letter_of(x, a, normed);
    }
    round_parts(x);
}

/* Does S <- S - beta / |t|^2 t (t^T S) + beta t u^T, where u is that column, of whole numbers over
 * the denominator. */
static void act(finite *x, int64_t *s, const action *a, size_t column)
{
    const size_t K = x->p->net.key, C = x->columns;
    for (size_t j = 0; j < C; j++) {
        int64_t along = 0;
        for (size_t k = 0; k < K; k++) along += a->t[k] * s[k * C + j];
        along *= a->beta;
        if (along % a->square != 0) reject(x->p->t, "a state has another denominator");
        along = along / a->square - (j == column ? a->beta * x->denominator : 0);
        for (size_t k = 0; k < K; k++) {
            s[k * C + j] -= a->t[k] * along;
            if (llabs(s[k * C + j]) > MOST_NUMBER) reject(x->p->t, "a state is too large");
        }
    }
}

/* Moves the heads of x->next by a letter. */
static void move_heads(finite *x, size_t letter)
{
    const size_t K = x->p->net.key, N = x->p->net.factors;
    charge(2 * N * x->numbers);
    for (size_t i = 0; i < x->heads; i++)
        for (size_t f = 0; f < N; f++) {
            const action *a = action_of(x, letter, i, f);
            int64_t *s = x->next + 1 + i * K * x->columns;
            if (a->square > 0) act(x, s, a, x->p->net.additive ? K + letter * N + f : NONE);
        }
}

/* Sets the question's ball for a head, whose state is at s. */
static void ask_head(finite *x, const int64_t *s, size_t letter, size_t i)
{
    const size_t K = x->p->net.key, V = x->p->net.value, C = x->columns, h = x->head[i];
    const double *q = x->q + (letter * x->heads + i) * K, root = sqrt((double)K);
    double *o = x->asked.centre + h * V, off = 0, squares = 0;
    memset(o, 0, V * sizeof *o);
    for (size_t k = 0; k < K; k++) {
        double row[MAX_DIM] = {0};
        for (size_t j = 0; j < C; j++) {
            const double c = (double)s[k * C + j] / (double)x->denominator;
            off += fabs(c) * x->part_off[i * C + j];
            for (size_t v = 0; v < V; v++) row[v] += c * x->part[(i * C + j) * V + v];
        }
        squares += dot(row, row, V);
        for (size_t v = 0; v < V; v++) o[v] += q[k] * row[v] / root;
    }
    const double q_off = x->q_off[letter * x->heads + i];
    x->asked.radius[h] =
        (1.01 * off + q_off * (sqrt(squares) + off)) / root * (1 + SLACK) + x->p->net.scope->tiny;
}

/* Refuses the state x->next, to which this letter led, if its answer may be wrong. */
static void check_state(finite *x, size_t letter)
{
    const learned *net = &x->p->net;
    const double ball = sqrt((double)net->value);
    charge(x->numbers * (net->value + 1));
    for (size_t i = 0; i < x->heads; i++)
        ask_head(x, x->next + 1 + i * net->key * x->columns, letter, i);
    norm_heads(x->p->answers, &x->asked);
    for (size_t h = 0; h < net->heads; h++)
        if (!x->followed[h]) x->p->answers->nu[h] = ball * (1 + SLACK);
    if (!normed_rightly(x->p->answers, letter, (size_t)x->next[0]))
        reject(x->p->t, "the answer after letter %zu may be wrong", letter + 1);
}

/* Adds the state x->next unless it is known. */
static void keep_state(finite *x, size_t most)
{
    const size_t size = x->numbers * sizeof *x->next;
    if (find(&x->joint, (name){(const char *)x->next, size}) != NONE) return;
    if (x->joint.count == most) reject(x->p->t, "there are more joint states");
    char *bytes = grab(size, 1);
    memcpy(bytes, x->next, size);
    add(&x->joint, (name){bytes, size});
}

static void start_heads(finite *x)
{
    const size_t K = x->p->net.key;
    x->next[0] = (int64_t)x->p->a.start;
    for (size_t i = 0; x->p->net.starts && i < x->heads * K; i++)
        x->next[1 + i * x->columns + i % K] = x->denominator;
    if (x->p->net.begin) move_heads(x, x->p->net.letters - 1);
}

void judge_finite(proof *p)
{
    finite *x = grab(1, sizeof *x);
    const size_t kinds = p->a.kinds;
    x->p = p;
    if (p->net.key > 1 && !p->net.ternary) reject(p->t, "keys have several numbers of any size");
    read_heads(x);
    x->denominator = (int64_t)number_line(p->t, "denominator ", 1, MOST_DENOMINATOR);
    const size_t joint = number_line(p->t, "joint ", 1, MAX_FILE);
    end_proof(p->t);
    read_network_of(x);
    start_heads(x);
    keep_state(x, joint);
    for (size_t i = 0; i < x->joint.count; i++)
        for (size_t a = 0; a < kinds; a++) {
            memcpy(x->next, x->joint.item[i].bytes, x->numbers * sizeof *x->next);
            x->next[0] = p->a.next[(size_t)x->next[0] * kinds + a];
            move_heads(x, a);
            check_state(x, a);
            keep_state(x, joint);
        }
    if (x->joint.count < joint) reject(p->t, "there are fewer joint states");
    printf("s VERIFIED forever joint %zu", joint);
    print_network(p);
}
