/* The claim of a horizon: the network is right on all words of at most T letters
 * (theory/pages/learned.md, LH.6, LH.9). Its lines; all numbers are whole, R and N in units of
 * 2^-20:
 *     horizon T
 *     prefix M                   0 <= M < T, M <= 64
 *     letters w_1 w_2 ..         numbers of letters, rising: the claim is about words of these
 *     form R_11 R_12 .. R_KK     for every head the upper triangle of R, row by row, with R_ii > 0
 *     norm W N_1 .. N_H          for every letter: |R A(W) R^-1| <= N in the spectral norm
 * The answers after each word of at most M letters are checked one by one, and from each word of M
 * letters on balls are computed (LH.3): radii, whose centres are the means of the images of those
 * before them, and answers (LH.5), up to T letters. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNIT 0x1p-20
enum { MAX_LENGTH = 1000000, MAX_PREFIX = 64 };

/* The form of a head: |E|_R = |R E|. */
typedef struct form {
    double *r, *inverse; /* [key][key]; |I - inverse R|_F <= defect */
    double r_size, inverse_size, defect;
} form;

typedef struct check {
    proof p;
    /* entries: of a head's state; group [letters]: numbers of the letters of the words; here, edges
     * [states] that lead to each at this length, at the next one: 0 where no word does */
    size_t horizon, prefix, letters, states, entries, *group, *here, *edges;
    form *form;
    spot *word; /* [prefix + 1] of the letters so far */
    /* [kinds][heads] N, and the most that |E|_R = 1 adds to |o|; [states][heads][entries] */
    double *norm, *seen, *centre, *next_centre;
    double *radius, *needed;       /* [heads]: what lies in the ball, the least that follows */
    double *image, *apart, *sizes; /* [entries], [entries], [heads] */
    question asked[LANES];         /* of which `waiting` are not answered yet */
    size_t waiting;
} check;

static void read_form(check *x, form *f)
{
    const size_t K = x->p.net.key;
    f->r = grab(K * K, sizeof(double));
    f->inverse = grab(K * K, sizeof(double));
    expect(x->p.t, "form");
    for (size_t i = 0; i < K; i++)
        for (size_t j = i; j < K; j++) f->r[i * K + j] = whole(x->p.t, MAX_FILE) * UNIT;
    for (size_t i = 0; i < K; i++)
        if (!(f->r[i * K + i] > 0)) reject(x->p.t, "expected a positive diagonal");
    end_line(x->p.t);
    charge(2 * K * K * K);
    for (size_t j = 0; j < K; j++)
        for (size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1 : 0;
            for (size_t l = i + 1; l <= j; l++) sum -= f->r[i * K + l] * f->inverse[l * K + j];
            f->inverse[i * K + j] = sum / f->r[i * K + i];
        }
    f->r_size = operator_norm(f->r, K, K, 10);
    f->inverse_size = operator_norm(f->inverse, K, K, 10);
    double squares = 0;
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double sum = i == j ? 1 : 0;
            for (size_t l = 0; l < K; l++) sum -= f->inverse[i * K + l] * f->r[l * K + j];
            squares += sum * sum;
        }
    f->defect = sqrt(squares) * (1 + SLACK) + SLACK * f->inverse_size * f->r_size;
    if (!(f->defect < 0x1p-10)) reject(x->p.t, "the form is too near a singular one");
}

/* Sets m to R m, for [key][columns]. */
static void times_form(double *m, const form *f, size_t K, size_t columns)
{
    charge(K * K * columns / 2);
    for (size_t i = 0; i < K; i++) {
        double *row = m + i * columns;
        for (size_t c = 0; c < columns; c++) row[c] *= f->r[i * K + i];
        for (size_t l = i + 1; l < K; l++)
            for (size_t c = 0; c < columns; c++) row[c] += f->r[i * K + l] * m[l * columns + c];
    }
}

/* Returns a bound of |R A R^-1|; sets *seen to one of |R^-T A^T q|. */
static double letter_norm(double *seen, const check *x, const letter_head *w, const form *f)
{
    const size_t K = x->p.net.key;
    const double off = f->inverse_size * (w->a_off + SLACK + f->defect / (1 - f->defect)) * 1.1;
    double m[MAX_DIM * MAX_DIM], g[MAX_DIM] = {0};
    charge(K * K);
    apply_letter(m, f->inverse, &x->p.net, w, K, false);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) g[j] += w->q[i] * m[i * K + j];
    *seen = (length(g, K) + off + 1.1 * f->inverse_size * w->q_off) * (1 + SLACK);
    times_form(m, f, K, K);
    return operator_norm(m, K, K, 10) + f->r_size * off * (1 + SLACK);
}

static void read_bounds(check *x)
{
    const size_t H = x->p.net.heads, kinds = x->p.a.kinds;
    x->form = grab(H, sizeof *x->form);
    x->norm = grab(product_of(kinds, H), sizeof(double));
    x->seen = grab(kinds * H, sizeof(double));
    for (size_t h = 0; h < H; h++) read_form(x, &x->form[h]);
    for (size_t w = 0; w < kinds; w++) {
        number(x->p.t, "norm ", w + 1, w + 1);
        for (size_t h = 0; h < H; h++) {
            const size_t at = w * H + h;
            x->norm[at] = whole(x->p.t, MAX_FILE) * UNIT;
            if (!(x->norm[at] >= letter_norm(&x->seen[at], x, &x->p.letter[at], &x->form[h])))
                reject(x->p.t, "the norm of head %zu is larger", h + 1);
        }
        end_line(x->p.t);
    }
}

/* Reads the line of the letters of the words. */
static void read_letters_of_words(check *x)
{
    size_t last = 0;
    x->group = grab(x->p.a.kinds, sizeof *x->group);
    expect(x->p.t, "letters");
    do {
        last = number(x->p.t, " ", last + 1, x->p.a.kinds);
        x->group[x->letters++] = last - 1;
    } while (comes(x->p.t, " "));
    end_line(x->p.t);
}

static void answer_all(check *x)
{
    if (!all_answered_rightly(x->p.answers, x->asked, x->waiting))
        reject(x->p.t, "the answer may be wrong");
    x->waiting = 0;
}

/* Asks for the answer after the letter where states lie in the ball of x->radius around c, of which
 * x->sizes are the heads' lengths. */
static void ask(check *x, const double *c, size_t state, size_t w)
{
    const size_t H = x->p.net.heads, K = x->p.net.key, V = x->p.net.value;
    question *q = &x->asked[x->waiting];
    const double root = sqrt((double)K);
    charge(H * x->entries);
    *q = (question){w, x->p.a.next[state * x->p.a.kinds + w], q->centre, q->radius};
    for (size_t h = 0; h < H; h++) {
        const letter_head *l = &x->p.letter[w * H + h];
        const double *s = c + h * x->entries, size = 1.01 * x->sizes[h] + l->b_size;
        double *o = q->centre + h * V;
        memcpy(o, l->bq, V * sizeof *o);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < V; j++) o[j] += l->aq[i] * s[i * V + j];
        for (size_t j = 0; j < V; j++) o[j] /= root;
        const double off = l->a_off * x->sizes[h] + l->b_off;
        q->radius[h] =
            (x->seen[w * H + h] * x->radius[h] + (l->q_off + 4 * SLACK) * size + 1.01 * off) /
                root * (1 + SLACK) +
            x->p.net.scope->tiny;
    }
    if (++x->waiting == LANES) answer_all(x);
}

/* Asks for the answers after all letters. */
static void ask_all(check *x, const double *c, size_t state)
{
    for (size_t h = 0; h < x->p.net.heads; h++)
        x->sizes[h] = length(c + h * x->entries, x->entries) * (1 + SLACK);
    for (size_t i = 0; i < x->letters; i++) ask(x, c, state, x->group[i]);
}

/* Adds the images of a state's centre to the next centres. */
static void add_images(check *x, size_t state, size_t w)
{
    const size_t H = x->p.net.heads, size = H * x->entries;
    const size_t to = x->p.a.next[state * x->p.a.kinds + w];
    double *sum = x->next_centre + to * size;
    if (x->edges[to]++ == 0) memset(sum, 0, size * sizeof *sum);
    charge(size);
    for (size_t h = 0; h < H; h++, sum += x->entries) {
        move_state(x->image, &x->p.net, &x->p.letter[w * H + h],
                   x->centre + state * size + h * x->entries);
        for (size_t i = 0; i < x->entries; i++) sum[i] += x->image[i];
    }
}

/* Raises the needed radii by what the letter leads to. */
static void need_edge(check *x, size_t state, size_t w)
{
    const size_t H = x->p.net.heads, K = x->p.net.key, V = x->p.net.value, size = H * x->entries;
    const size_t to = x->p.a.next[state * x->p.a.kinds + w];
    charge(4 * size);
    for (size_t h = 0; h < H; h++) {
        const form *f = &x->form[h];
        const double off = move_state(x->image, &x->p.net, &x->p.letter[w * H + h],
                                      x->centre + state * size + h * x->entries);
        const double *c = x->next_centre + to * size + h * x->entries;
        const double sizes = length(x->image, x->entries) + length(c, x->entries);
        double drift = 0; /* of a mean of one image */
        for (size_t i = 0; i < x->entries; i++) x->apart[i] = x->image[i] - c[i];
        if (x->edges[to] > 1) {
            times_form(x->apart, f, K, V);
            drift = operator_norm(x->apart, K, V, 1);
        }
        const double r =
            (x->norm[w * H + h] * x->radius[h] + drift + f->r_size * (off + SLACK * sizes)) *
                (1 + SLACK) +
            x->p.net.scope->tiny;
        if (!(r <= x->needed[h])) x->needed[h] = r;
    }
}

/* Makes the states after one letter more the centres. */
static void go_on(check *x)
{
    const size_t size = x->p.net.heads * x->entries;
    memset(x->edges, 0, x->states * sizeof *x->edges);
    for (size_t h = 0; h < x->p.net.heads; h++) x->needed[h] = 0;
    for (size_t q = 0; q < x->states; q++)
        for (size_t i = 0; x->here[q] > 0 && i < x->letters; i++) add_images(x, q, x->group[i]);
    for (size_t q = 0; q < x->states; q++)
        for (size_t i = 0; x->edges[q] > 1 && i < size; i++)
            x->next_centre[q * size + i] /= (double)x->edges[q];
    for (size_t q = 0; q < x->states; q++)
        for (size_t i = 0; x->here[q] > 0 && i < x->letters; i++) need_edge(x, q, x->group[i]);
    double *centre = x->centre;
    size_t *here = x->here;
    x->centre = x->next_centre;
    x->next_centre = centre;
    x->here = x->edges;
    x->edges = here;
    memcpy(x->radius, x->needed, x->p.net.heads * sizeof *x->radius);
}

static void set_radius(check *x, const spot *p)
{
    for (size_t h = 0; h < x->p.net.heads; h++)
        x->radius[h] = x->form[h].r_size * p->off[h] * (1 + SLACK) + x->p.net.scope->tiny;
}

/* Checks the answers to all longer words that begin with this one, which has M letters. */
static void check_balls(check *x, const spot *p)
{
    const size_t size = x->p.net.heads * x->entries;
    charge(x->states);
    memset(x->here, 0, x->states * sizeof *x->here);
    x->here[p->state] = 1;
    memcpy(x->centre + p->state * size, p->at, size * sizeof *p->at);
    set_radius(x, p);
    for (size_t s = x->prefix + 1;; s++) {
        charge(x->states);
        for (size_t q = 0; q < x->states; q++)
            if (x->here[q] > 0) ask_all(x, x->centre + q * size, q);
        if (x->waiting > 0) answer_all(x);
        if (s == x->horizon) return;
        go_on(x);
    }
}

/* Checks the answers to all words that begin with the one whose place is x->word[depth]. */
static void check_word(check *x, size_t depth)
{
    spot *p = &x->word[depth];
    if (depth == x->prefix) {
        check_balls(x, p);
        return;
    }
    set_radius(x, p);
    ask_all(x, p->at, p->state);
    if (x->waiting > 0) answer_all(x);
    for (size_t i = 0; i < x->letters; i++) {
        step_place(&x->p, p + 1, p, x->group[i]);
        check_word(x, depth + 1);
    }
}

static void make_room(check *x)
{
    const size_t H = x->p.net.heads, size = x->entries = x->p.net.key * x->p.net.value;
    double **scratch[] = {&x->radius, &x->needed, &x->sizes, &x->image, &x->apart};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        *scratch[i] = grab(MAXIMUM(H, size), sizeof(double));
    for (size_t l = 0; l < LANES; l++) {
        x->asked[l].centre = grab(H * x->p.net.value, sizeof(double));
        x->asked[l].radius = grab(H, sizeof(double));
    }
    x->here = grab(x->states, sizeof *x->here);
    x->edges = grab(x->states, sizeof *x->edges);
    x->centre = grab(product_of(x->states, H * size), sizeof(double));
    x->next_centre = grab(x->states * H * size, sizeof(double));
    x->word = grab(x->prefix + 1, sizeof *x->word);
    for (size_t i = 0; i <= x->prefix; i++) x->word[i] = new_place(&x->p);
}

void judge_horizon(proof *p)
{
    check x = {.p = *p, .states = p->a.states.count};
    x.horizon = number_line(p->t, "horizon ", 1, MAX_LENGTH);
    x.prefix =
        number_line(p->t, "prefix ", 0, x.horizon <= MAX_PREFIX ? x.horizon - 1 : MAX_PREFIX);
    read_letters_of_words(&x);
    make_room(&x);
    read_bounds(&x);
    end_proof(p->t);
    begin_place(p, &x.word[0]);
    check_word(&x, 0);
    printf("s VERIFIED horizon %zu", x.horizon);
    print_network(p);
    for (size_t i = 0; i < x.letters && x.letters < p->a.kinds; i++)
        printf("%s%zu", i > 0 ? "," : " over ", x.group[i] + 1);
}
