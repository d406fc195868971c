/* The claim `settles`: after a prefix z, a period u again and again, and a suffix w, the network's
 * answer is the same from the T-th period on, and the automaton's is another one
 * (theory/pages/all-lengths.md, AL.1, AL.2, AL.5). Its lines:
 *     prefix w_1 w_2 ..          numbers of letters, or none
 *     period w_1 w_2 ..          one or more
 *     suffix w_1 w_2 ..          a word behind all periods; no such line where it is empty
 *     answer J                   a state, or the label behind the states, of the begin letter
 *     after T                    T >= 1: the answer is read after the last letter of u
 * No letter is read more often than it is in z and u: powers of the matrix of u come by squaring.
 *
 * The verdict says of how many states the cycle of z u^t is, and behind how many of these the right
 * answer after w is another one: M - 1 or M where w is empty, 1 or more else, as w may join states.
 * `within N`: a wrong word has at most N letters. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 4096, CORRECTIONS = 2, SQUARES = 10 };

/* Matrices [key][key] or [key][value] that are off by at most `off` in the spectral norm. */
typedef struct near {
    double *at, off;
} near;

typedef struct settle {
    proof *p;
    size_t prefix[MAX_WORD], period[MAX_WORD], suffix[MAX_WORD];
    size_t before, of, behind; /* letters of these */
    size_t answer, after, cycle, wrong;
    spot start, shift, limit; /* S_z, B_u = f_u(0), all states after z u^t for t >= T */
    near map, onto, step;     /* A_u, P_u, A_u P_u */
    near fixed, apart;        /* x, P_u S_z - x and its images */
    double *inverse, *work;   /* [key][key] each */
    double *centre, *radius;  /* of o at the limit */
} settle;

/* Computes to [K][columns] <- x y, another matrix; returns a bound of its rounding. */
static double multiply(double *to, const double *x, const double *y, size_t K, size_t columns)
{
    charge(K * K * columns);
    memset(to, 0, K * columns * sizeof *to);
    for (size_t i = 0; i < K; i++)
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < columns; j++)
                to[i * columns + j] += x[i * K + l] * y[l * columns + j];
    return SLACK * length(x, K * K) * length(y, K * columns);
}

static void set_identity(double *m, size_t K)
{
    memset(m, 0, K * K * sizeof *m);
    for (size_t i = 0; i < K; i++) m[i * K + i] = 1;
}

static void read_word(text *t, const char *called, size_t *word, size_t *count, size_t kinds)
{
    expect(t, called);
    while (comes(t, " ")) {
        if (*count == MAX_WORD) reject(t, "a word of more than %d letters", MAX_WORD);
        word[(*count)++] = number(t, " ", 1, kinds) - 1;
    }
    end_line(t);
}

static void read_settle(settle *x)
{
    proof *p = x->p;
    if (p->net.scope->unit > 0) reject(p->t, "states settle in the scope exact only");
    read_word(p->t, "prefix", x->prefix, &x->before, p->a.kinds);
    read_word(p->t, "period", x->period, &x->of, p->a.kinds);
    if (x->of == 0) reject(p->t, "the period has no letters");
    if (comes(p->t, "suffix")) {
        read_word(p->t, "suffix", x->suffix, &x->behind, p->a.kinds);
        if (x->behind == 0) reject(p->t, "a suffix of no letters has no line");
    }
    x->answer = number_line(p->t, "answer ", 1, p->net.labels) - 1;
    x->after = number_line(p->t, "after ", 1, MAX_FILE);
    end_proof(p->t);
}

/* Returns the automaton's state after the word. */
static size_t state_after(const settle *x, size_t state, const size_t *word, size_t count)
{
    spend(count + 1);
    for (size_t i = 0; i < count; i++) state = x->p->a.next[state * x->p->a.kinds + word[i]];
    return state;
}

/* Sets the cycle of the states after z u^t, t >= T, and how many of it the suffix leads to another
 * state than the answer. */
static void find_cycle(settle *x)
{
    const size_t states = x->p->a.states.count;
    size_t first = x->start.state;
    for (size_t t = 0; t < x->after && t < states; t++)
        first = state_after(x, first, x->period, x->of);
    size_t state = first;
    do {
        x->wrong += state_after(x, state, x->suffix, x->behind) != x->answer;
        state = state_after(x, state, x->period, x->of);
    } while (++x->cycle < states && state != first);
    if (state != first) reject(x->p->t, "the states are not in their cycle yet");
    if (x->wrong == 0) reject(x->p->t, "the limit's answer is right");
}

/* Sets *at to the place after the word. */
static void walk(const proof *p, spot *at, const size_t *word, size_t count)
{
    spot to = new_place(p);
    for (size_t i = 0; i < count; i++) {
        const spot from = *at;
        step_place(p, &to, &from, word[i]);
        *at = to;
        to = from;
    }
}

/* Sets the places of the words. */
static void walk_words(settle *x)
{
    const proof *p = x->p;
    x->start = new_place(p);
    begin_place(p, &x->start);
    walk(p, &x->start, x->prefix, x->before);
    x->shift = new_place(p);
    x->limit = new_place(p);
    x->shift.state = x->limit.state = p->a.start;
    walk(p, &x->shift, x->period, x->of);
}

/* Sets A_u of a head; factors have norms of at most 1. */
static void read_map(settle *x, size_t h)
{
    const learned *net = &x->p->net;
    const size_t K = net->key;
    set_identity(x->map.at, K);
    x->map.off = 0;
    for (size_t i = 0; i < x->of; i++) {
        const letter_head *l = &x->p->letter[x->period[i] * net->heads + h];
        x->map.off = (x->map.off + l->a_off * length(x->map.at, K * K)) * (1 + SLACK);
        apply_letter(x->map.at, x->map.at, net, l, K, false);
    }
}

/* Writes the keys of the period's letters that are not 0, each letter once, in rows, up to K of
 * them; returns their number. Sets *off to what they are off by in the Frobenius norm. */
static size_t list_keys(double *keys, double *off, const settle *x, size_t h)
{
    const learned *net = &x->p->net;
    const size_t K = net->key;
    size_t count = 0;
    double squares = 0;
    for (size_t w = 0; w < x->p->a.kinds; w++) {
        size_t at = 0;
        while (at < x->of && x->period[at] != w) at++;
        spend(at + 1);
        const letter_head *l = &x->p->letter[w * net->heads + h];
        for (size_t i = 0; at < x->of && i < net->factors && count < K; i++) {
            if (!(l->k_off[i] > 0)) continue;
            memcpy(keys + count++ * K, l->k + i * K, K * sizeof *keys);
            squares += l->k_off[i] * l->k_off[i];
        }
    }
    *off = sqrt(squares) * (1 + SLACK);
    return count;
}

static void subtract(double *x, const double *y, double times, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] -= times * y[i];
}

/* Replaces the rows of q, the keys, by nearly orthonormal ones, and sets mix [count][count] so that
 * these are nearly mix times the keys. */
static void orthonormalise(double *q, double *mix, size_t count, size_t K)
{
    set_identity(mix, count);
    charge(4 * count * count * (K + count));
    for (size_t j = 0; j < count; j++) {
        double *row = q + j * K, *own = mix + j * count;
        for (size_t i = 0; i < 2 * j; i++) {
            const double part = dot(row, q + i % j * K, K);
            subtract(row, q + i % j * K, part, K);
            subtract(own, mix + i % j * count, part, count);
        }
        const double size = length(row, K);
        for (size_t i = 0; i < K; i++) row[i] /= size;
        for (size_t i = 0; i < count; i++) own[i] /= size;
    }
}

/* Returns the bound p of AL.5 for the projection onto the span of the keys [count][K], with the
 * nearly orthonormal rows q that are nearly mix times the keys. */
static double projection_off(const double *q, const double *keys, const double *mix, size_t count,
                             size_t K, double key_off)
{
    double apart = 0, turned = 0;
    charge(count * count * 2 * K);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < K; j++) {
            double sum = -q[i * K + j];
            for (size_t l = 0; l < count; l++) sum += mix[i * count + l] * keys[l * K + j];
            apart += sum * sum;
        }
        for (size_t j = 0; j < count; j++) {
            const double sum = dot(q + i * K, q + j * K, K) - (i == j ? 1 : 0);
            turned += sum * sum;
        }
    }
    const double mixed = length(mix, count * count), size = length(q, count * K);
    const double eta =
        (sqrt(apart) + mixed * (key_off + SLACK * length(keys, count * K))) * (1 + SLACK) +
        SLACK * size;
    const double omega = sqrt(turned) * (1 + SLACK) + SLACK * size * size;
    if (!(eta < 0x1p-10 && omega < 0x1p-10)) give_up("the keys of the period are nearly dependent");
    return (1.1 * omega + 4.4 * eta + SLACK * size * size) * (1 + SLACK);
}

/* Sets P_u of a head: I where there are as many keys as dimensions, which the fixed point then
 * shows to span the space. */
static void read_projection(settle *x, size_t h)
{
    const size_t K = x->p->net.key;
    double keys[MAX_DIM * MAX_DIM], q[MAX_DIM * MAX_DIM], mix[MAX_DIM * MAX_DIM], off;
    const size_t count = list_keys(keys, &off, x, h);
    set_identity(x->onto.at, K);
    x->onto.off = 0;
    if (count == K) return;
    memset(x->onto.at, 0, K * K * sizeof *x->onto.at);
    if (count == 0) return;
    memcpy(q, keys, count * K * sizeof *q);
    orthonormalise(q, mix, count, K);
    x->onto.off = projection_off(q, keys, mix, count, K, off);
    charge(count * K * K);
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < K; i++) subtract(x->onto.at + i * K, q + l * K, -q[l * K + i], K);
}

/* Replaces m [n][n], and to = I, by what row operations make of them; m becomes nearly I. What
 * comes out is only a proposal. */
static void invert(double *to, double *m, size_t n)
{
    set_identity(to, n);
    charge(4 * n * n * n);
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t j = i; j < n; j++)
            if (fabs(m[j * n + i]) > fabs(m[best * n + i])) best = j;
        for (size_t j = 0; j < n && best != i; j++) {
            const double a = m[i * n + j], b = to[i * n + j];
            m[i * n + j] = m[best * n + j];
            to[i * n + j] = to[best * n + j];
            m[best * n + j] = a;
            to[best * n + j] = b;
        }
        const double pivot = m[i * n + i];
        for (size_t j = 0; j < n; j++) {
            m[i * n + j] /= pivot;
            to[i * n + j] /= pivot;
        }
        for (size_t j = 0; j < n; j++) {
            const double times = m[j * n + i];
            if (j == i) continue;
            subtract(m + j * n, m + i * n, times, n);
            subtract(to + j * n, to + i * n, times, n);
        }
    }
}

/* Sets x->inverse to nearly (I - A_u P_u)^-1; returns a bound of the norm of the exact one. */
static double verify_inverse(settle *x)
{
    const size_t K = x->p->net.key;
    double rest_of[MAX_DIM * MAX_DIM] = {0}, scratch[MAX_DIM * MAX_DIM];
    for (size_t i = 0; i < K * K; i++) rest_of[i] = (i % (K + 1) == 0 ? 1 : 0) - x->step.at[i];
    memcpy(scratch, rest_of, K * K * sizeof *scratch);
    invert(x->inverse, scratch, K);
    double off = multiply(x->work, x->inverse, rest_of, K, K);
    for (size_t i = 0; i < K; i++) x->work[i * (K + 1)] -= 1;
    const double size = operator_norm(x->inverse, K, K, SQUARES);
    off += length(x->work, K * K) + size * x->step.off + SLACK * (double)K;
    off *= 1 + SLACK;
    if (!(off < 0.5)) give_up("the states after the period settle too slowly for this proof");
    return size / (1 - off) * (1 + SLACK);
}

/* Sets x->work to M x + B - x for the fixed point x; returns a bound of what it is off by. */
static double find_residual(settle *x, const double *shift, double shift_off)
{
    const size_t K = x->p->net.key, V = x->p->net.value;
    const double *at = x->fixed.at;
    const double rounding = multiply(x->work, x->step.at, at, K, V);
    for (size_t i = 0; i < K * V; i++) x->work[i] += shift[i] - at[i];
    return (rounding + x->step.off * length(at, K * V) + shift_off +
            SLACK * (length(at, K * V) + length(shift, K * V))) *
           (1 + SLACK);
}

/* Sets the fixed point of the head's map of the period. */
static void solve(settle *x, size_t h)
{
    const size_t K = x->p->net.key, V = x->p->net.value;
    const double *shift = x->shift.at + h * K * V, inverse = verify_inverse(x);
    double change[MAX_DIM * MAX_DIM];
    memset(x->fixed.at, 0, K * V * sizeof *x->fixed.at);
    for (int i = 0; i < CORRECTIONS; i++) {
        find_residual(x, shift, x->shift.off[h]);
        multiply(change, x->inverse, x->work, K, V);
        subtract(x->fixed.at, change, -1, K * V);
    }
    const double off = find_residual(x, shift, x->shift.off[h]);
    x->fixed.off = inverse * (length(x->work, K * V) + off) * (1 + SLACK) + 0x1p-500;
}

/* Takes the power T of A_u P_u on the distance from the limit, all of which have norms of at most
 * 1; returns a bound of the norm of what comes out. */
static double take_power(settle *x)
{
    const size_t K = x->p->net.key, V = x->p->net.value;
    near power = x->step, d = x->apart;
    for (size_t t = x->after; t > 0; t /= 2) {
        if (t % 2 > 0) {
            const double rounding = multiply(x->work, power.at, d.at, K, V);
            d.off = (d.off + power.off * length(d.at, K * V) + rounding) * (1 + SLACK);
            memcpy(d.at, x->work, K * V * sizeof *d.at);
        }
        const double size = operator_norm(power.at, K, K, SQUARES);
        const double rounding = multiply(x->work, power.at, power.at, K, K);
        power.off = (power.off * (size + fmin(size + power.off, 1)) + rounding) * (1 + SLACK);
        memcpy(power.at, x->work, K * K * sizeof *power.at);
    }
    return operator_norm(d.at, K, V, SQUARES) + d.off;
}

/* Sets the ball of the head's states after z u^t for all t >= T: the power is of their distance
 * from the limit, off bounds what the limit is off by. */
static void settle_head(settle *x, size_t h)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, V = net->value;
    const double *s = x->start.at + h * K * V;
    double *limit = x->limit.at + h * K * V;
    read_map(x, h);
    read_projection(x, h);
    x->step.off = x->map.off + (1 + x->map.off) * x->onto.off +
                  multiply(x->step.at, x->map.at, x->onto.at, K, K);
    solve(x, h);
    const double rounding = multiply(x->apart.at, x->onto.at, s, K, V);
    const double sizes = length(s, K * V) + length(x->fixed.at, K * V);
    const double off = x->apart.off = (x->start.off[h] + x->onto.off * length(s, K * V) +
                                       x->fixed.off + rounding + SLACK * sizes) *
                                      (1 + SLACK);
    subtract(x->apart.at, x->fixed.at, 1, K * V);
    for (size_t i = 0; i < K * V; i++) limit[i] = s[i] - x->apart.at[i];
    x->limit.off[h] = (take_power(x) + off) * (1 + SLACK);
}

/* Sets the ball of o after z u^t w for all t >= T. No letter brings two states apart (AL.1), so
 * that step_place's bound holds for spectral norms. */
static void read_limit(settle *x, size_t last)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, V = net->value;
    const double root = sqrt((double)K);
    walk(x->p, &x->limit, x->suffix, x->behind);
    for (size_t h = 0; h < net->heads; h++) {
        const letter_head *l = &x->p->letter[last * net->heads + h];
        const double *s = x->limit.at + h * K * V, far = x->limit.off[h], q = length(l->q, K);
        for (size_t i = 0; i < K; i++) subtract(x->centre + h * V, s + i * V, -l->q[i] / root, V);
        x->radius[h] = ((q + l->q_off) * far + (l->q_off + SLACK * (1 + q)) * length(s, K * V)) /
                           root * (1 + SLACK) +
                       net->scope->tiny;
    }
}

static void print_word(const char *before, const size_t *word, size_t count)
{
    for (size_t i = 0; i < count; i++) printf("%s%zu", i > 0 ? "," : before, word[i] + 1);
}

void judge_settles(proof *p)
{
    const size_t H = p->net.heads, K = p->net.key, V = p->net.value, most = K * MAXIMUM(K, V);
    settle *x = grab(1, sizeof *x);
    double **room[] = {&x->map.at,   &x->onto.at, &x->step.at, &x->fixed.at,
                       &x->apart.at, &x->inverse, &x->work};
    x->p = p;
    read_settle(x);
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) *room[i] = grab(most, sizeof(double));
    x->centre = grab(H * V, sizeof(double));
    x->radius = grab(H, sizeof(double));
    walk_words(x);
    find_cycle(x);
    for (size_t h = 0; h < H; h++) settle_head(x, h);
    const size_t last = x->behind > 0 ? x->suffix[x->behind - 1] : x->period[x->of - 1];
    read_limit(x, last);
    const question asked = {last, x->answer, x->centre, x->radius};
    if (!answers_rightly(p->answers, &asked)) reject(p->t, "the limit may have another answer");
    printf("s VERIFIED settles");
    print_network(p);
    print_word(" prefix ", x->prefix, x->before);
    print_word(" period ", x->period, x->of);
    print_word(" suffix ", x->suffix, x->behind);
    printf(" answer %zu cycle %zu wrong %zu after %zu within %zu", x->answer + 1, x->cycle,
           x->wrong, x->after, x->before + (x->after + x->cycle - x->wrong) * x->of + x->behind);
}
