/* horizon-check AUTOMATON CONFIG WEIGHTS CERTIFICATE: is a learned network right on all words of up
 * to T letters?
 *
 * The claim (theory/pages/learned.md, LH.6, LH.9): the network of one layer that config.json
 * describes gives after each letter of each word of at most T letters the state of the automaton as
 * the only largest logit. With a begin letter the words follow it. Scope `exact`: with the float32
 * numbers of weights.safetensors as real numbers and all its functions exact. Scopes `fp32
 * any-order` and `fp64 any-order`: with every operation rounded, as LH.8 says.
 *
 * CONFIG and WEIGHTS are read to their last byte, as the one text that the trainer writes.
 *
 * CERTIFICATE; all numbers are whole, in units of 2^-20 except T, M, S, W and w:
 *     horizon-cert 1
 *     fsa SHA256
 *     config SHA256
 *     weights SHA256
 *     scope exact, or another one
 *     horizon T
 *     prefix M                   0 <= M < T
 *     form R_11 R_12 .. R_KK     for every head the upper triangle of R, row by row, with R_ii > 0
 *     norm W N_1 .. N_H          for every letter: |R A(W) R^-1| <= N in the spectral norm
 *     word w_1 .. w_M            for every word of M letters, in lexicographic order, and
 *     length S                   for S = M + 1 .. T, about the words that begin with it:
 *     radius r_1 .. r_H          after S - 1 letters, |R (state - centre)| <= r in every head
 *     margin m_1 .. m_Q          for every state, > 0: after any letter the logit of the right
 *                                label is larger than every other one, by m or more before the last
 *                                norm divides (LH.5); 0 where no word of S - 1 letters leads
 *     end
 * The answers after M letters or fewer are checked word by word. The centres are not in the file: a
 * state's is the mean of the images of those before it, in doubles (LH.3), and every number would
 * do.
 *
 *     s VERIFIED horizon T scope SCOPE ...   exit status 0
 *     s NOT VERIFIED                         1
 *     s UNKNOWN                              2, a limit was reached; a wrong command line: 64 */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef LRNN_CHECK_VERSION
#define LRNN_CHECK_VERSION "unknown"
#endif
#ifndef LRNN_CHECK_SOURCES
#define LRNN_CHECK_SOURCES "unknown"
#endif

#define UNIT 0x1p-20
enum { MAX_LENGTH = 1000000 };

/* The form of a head: |E|_R = |R E|. */
typedef struct form {
    double *r, *inverse; /* [key][key]; |I - inverse R|_F <= defect */
    double r_size, inverse_size, defect;
} form;

typedef struct check {
    learned net;
    automaton a;
    text *t;
    /* entries: of a head's state; word [prefix]; here, edges [states] that lead to each at this
     * length, at the next one: 0 where no word does */
    size_t horizon, prefix, letters, states, entries, *word, *here, *edges;
    letter_head *letter;
    form *form;
    answers *answers;
    /* [letters][heads] N, and the most that |E|_R = 1 adds to |o|; [states][heads][entries] */
    double *norm, *seen, *centre, *next_centre;
    /* [heads]: what lies in the ball, the least radius that follows, the ball of o */
    double *radius, *needed, *ball;
    double *image, *apart, *o; /* [entries], [entries], [heads][value] */
} check;

static double whole(text *t, const char *before)
{
    expect(t, before);
    const bool minus = comes(t, "-");
    expect(t, minus ? "-" : "");
    const double x = (double)number(t, "", minus ? 1 : 0, MAX_FILE);
    return (minus ? -x : x) * UNIT;
}

static void read_form(check *x, form *f)
{
    const size_t K = x->net.key;
    f->r = grab(K * K, sizeof(double));
    f->inverse = grab(K * K, sizeof(double));
    expect(x->t, "form");
    for (size_t i = 0; i < K; i++)
        for (size_t j = i; j < K; j++) f->r[i * K + j] = whole(x->t, " ");
    for (size_t i = 0; i < K; i++)
        if (!(f->r[i * K + i] > 0)) reject(x->t, "expected a positive diagonal");
    end_line(x->t);
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
    if (!(f->defect < 0x1p-10)) reject(x->t, "the form is too near a singular one");
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
    const size_t K = x->net.key;
    const double off = f->inverse_size * (w->a_off + SLACK + f->defect / (1 - f->defect)) * 1.1;
    double m[MAX_DIM * MAX_DIM], g[MAX_DIM] = {0};
    charge(K * K);
    apply_letter(m, f->inverse, &x->net, w, K, false);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) g[j] += w->q[i] * m[i * K + j];
    *seen = (length(g, K) + off + 1.1 * f->inverse_size * w->q_off) * (1 + SLACK);
    times_form(m, f, K, K);
    return operator_norm(m, K, K, 10) + f->r_size * off * (1 + SLACK);
}

static void read_bounds(check *x)
{
    const size_t H = x->net.heads;
    x->form = grab(H, sizeof *x->form);
    x->norm = grab(product_of(x->letters, H), sizeof(double));
    x->seen = grab(x->letters * H, sizeof(double));
    for (size_t h = 0; h < H; h++) read_form(x, &x->form[h]);
    for (size_t w = 0; w < x->letters; w++) {
        number(x->t, "norm ", w + 1, w + 1);
        for (size_t h = 0; h < H; h++) {
            const size_t at = w * H + h;
            x->norm[at] = whole(x->t, " ");
            if (!(x->norm[at] >= letter_norm(&x->seen[at], x, &x->letter[at], &x->form[h])))
                reject(x->t, "the norm of head %zu is larger", h + 1);
        }
        end_line(x->t);
    }
}

/* Sets image to A c + B; returns what it is off by, at most. */
static double move_centre(check *x, const letter_head *w, size_t state, size_t h)
{
    const double *c = x->centre + (state * x->net.heads + h) * x->entries;
    apply_letter(x->image, c, &x->net, w, x->net.value, true);
    return (w->a_off * length(c, x->entries) + w->b_off) * (1 + SLACK);
}

/* Adds the images of a state's centre to the next centres; returns a bound of the margin after the
 * letter. */
static double answer_edge(check *x, size_t state, size_t w)
{
    const size_t H = x->net.heads, K = x->net.key, V = x->net.value;
    const size_t to = x->a.next[state * x->a.kinds + w];
    const double root = sqrt((double)K);
    charge(4 * H * x->entries);
    for (size_t h = 0; h < H; h++) {
        const letter_head *l = &x->letter[w * H + h];
        const double off = move_centre(x, l, state, h), size = length(x->image, x->entries);
        double *sum = x->next_centre + (to * H + h) * x->entries, *o = x->o + h * V;
        memset(o, 0, V * sizeof *o);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < V; j++) o[j] += l->q[i] / root * x->image[i * V + j];
        for (size_t i = 0; i < x->entries; i++) sum[i] += x->image[i];
        x->ball[h] =
            (x->seen[w * H + h] * x->radius[h] + l->q_off * size + 1.01 * off + SLACK * size) /
                root * (1 + SLACK) +
            x->net.scope->tiny;
    }
    x->edges[to]++;
    return margin(x->answers, w, to, x->o, x->ball);
}

/* Raises the needed radii by what the letter leads to. */
static void need_edge(check *x, size_t state, size_t w)
{
    const size_t H = x->net.heads, K = x->net.key, V = x->net.value;
    const size_t to = x->a.next[state * x->a.kinds + w];
    charge(4 * H * x->entries);
    for (size_t h = 0; h < H; h++) {
        const form *f = &x->form[h];
        const double off = move_centre(x, &x->letter[w * H + h], state, h);
        const double *c = x->next_centre + (to * H + h) * x->entries;
        const double sizes = length(x->image, x->entries) + length(c, x->entries);
        for (size_t i = 0; i < x->entries; i++) x->apart[i] = x->image[i] - c[i];
        times_form(x->apart, f, K, V);
        const double drift = operator_norm(x->apart, K, V, 1);
        const double r =
            (x->norm[w * H + h] * x->radius[h] + drift + f->r_size * (off + SLACK * sizes)) *
                (1 + SLACK) +
            x->net.scope->tiny;
        if (!(r <= x->needed[h])) x->needed[h] = r;
    }
}

/* Reads the word of a prefix, checks the answers after its letters, and makes the state after it
 * the only centre. Letter 0 is the begin letter, whose answer does not count. */
static void read_prefix(check *x)
{
    const size_t H = x->net.heads, size = H * x->entries;
    double *at = grab(size, sizeof *at), *off = x->needed;
    size_t state = x->a.start;
    if (x->net.starts) memcpy(at, x->net.start, size * sizeof *at);
    for (size_t h = 0; h < H; h++) off[h] = 0;
    expect(x->t, "word");
    for (size_t i = x->net.begin ? 0 : 1; i <= x->prefix; i++) {
        const size_t w = i > 0 ? x->word[i - 1] : x->net.letters - 1;
        memcpy(x->centre + state * size, at, size * sizeof *at);
        if (i > 0) number(x->t, " ", w + 1, w + 1);
        charge(3 * size);
        for (size_t h = 0; h < H; h++) x->radius[h] = x->form[h].r_size * off[h] * (1 + SLACK);
        if (i > 0 && !(answer_edge(x, state, w) > 0)) reject(x->t, "the answer may be wrong");
        for (size_t h = 0; h < H; h++) {
            const letter_head *l = &x->letter[w * H + h];
            off[h] = (off[h] * (1 + l->a_off) + move_centre(x, l, state, h)) * (1 + SLACK);
            memcpy(at + h * x->entries, x->image, x->entries * sizeof *at);
        }
        if (i > 0) state = x->a.next[state * x->a.kinds + w];
    }
    end_line(x->t);
    memset(x->here, 0, x->states * sizeof *x->here);
    x->here[state] = 1;
    memcpy(x->centre + state * size, at, size * sizeof *at);
    for (size_t h = 0; h < H; h++)
        x->needed[h] = x->form[h].r_size * off[h] * (1 + SLACK) + x->net.scope->tiny;
}

/* Makes x->word the next word; returns false after the last one. */
static bool next_word(check *x)
{
    for (size_t i = x->prefix; i-- > 0;) {
        if (++x->word[i] < x->letters) return true;
        x->word[i] = 0;
    }
    return false;
}

/* Reads the radii and margins of a length, and checks them. */
static void check_length(check *x)
{
    const size_t size = x->net.heads * x->entries;
    expect(x->t, "radius");
    for (size_t h = 0; h < x->net.heads; h++)
        if (!((x->radius[h] = whole(x->t, " ")) >= x->needed[h]))
            reject(x->t, "the radius of head %zu is larger", h + 1);
    end_line(x->t);
    charge(x->states * (size + x->letters));
    memset(x->next_centre, 0, x->states * size * sizeof(double));
    memset(x->edges, 0, x->states * sizeof *x->edges);
    expect(x->t, "margin");
    for (size_t q = 0; q < x->states; q++) {
        const double told = whole(x->t, " ");
        if (x->here[q] ? !(told > 0) : told != 0)
            reject(x->t, "expected a margin above 0, or 0 for a state that no word reaches");
        for (size_t w = 0; x->here[q] && w < x->letters; w++) {
            if (!(answer_edge(x, q, w) >= told))
                reject(x->t, "the margin of state %zu, letter %zu is smaller", q + 1, w + 1);
        }
    }
    end_line(x->t);
}

static void go_on(check *x)
{
    const size_t size = x->net.heads * x->entries;
    charge(x->states * (size + x->letters));
    for (size_t h = 0; h < x->net.heads; h++) x->needed[h] = 0;
    for (size_t q = 0; q < x->states; q++)
        for (size_t i = 0; x->edges[q] > 0 && i < size; i++)
            x->next_centre[q * size + i] /= (double)x->edges[q];
    for (size_t i = 0; i < x->states * x->letters; i++)
        if (x->here[i / x->letters]) need_edge(x, i / x->letters, i % x->letters);
    double *centre = x->centre;
    size_t *here = x->here;
    x->centre = x->next_centre;
    x->next_centre = centre;
    x->here = x->edges;
    x->edges = here;
}

static void make_room(check *x)
{
    const size_t H = x->net.heads, size = x->entries = x->net.key * x->net.value;
    double **scratch[] = {&x->radius, &x->needed, &x->ball, &x->image, &x->apart, &x->o};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        *scratch[i] = grab(MAXIMUM(H * x->net.value, size), sizeof(double));
    x->here = grab(x->states, sizeof *x->here);
    x->edges = grab(x->states, sizeof *x->edges);
    x->centre = grab(product_of(x->states, H * size), sizeof(double));
    x->next_centre = grab(x->states * H * size, sizeof(double));
    x->word = grab(x->prefix, sizeof(size_t));
}

static void hash_line(text *t, const char *word, const text *file, char hex[65])
{
    sha256_hex(hex, file->bytes, left(file));
    expect(t, word);
    whole_line(t, hex);
}

static void judge(text *fsa, text *config, text *weights, text *t)
{
    /* In binary32 and binary64 an underflow is off by at most 2^-120 and 2^-1000. */
    static const scope scopes[] = {{"fp32 any-order", 0x1.04p-24, 0x1p-24, 0x1p20},
                                   {"fp64 any-order", 0x1.04p-53, 0x1p-500, 0x1p20},
                                   {"exact", 0, 0x1p-500, INFINITY}};
    check x = {.t = t, .net.scope = scopes};
    char fsa_hex[65], config_hex[65], weights_hex[65];
    whole_line(t, "horizon-cert 1");
    hash_line(t, "fsa ", fsa, fsa_hex);
    key_sets(fsa_hex);
    hash_line(t, "config ", config, config_hex);
    hash_line(t, "weights ", weights, weights_hex);
    expect(t, "scope ");
    while (x.net.scope->unit > 0 && !comes(t, x.net.scope->name)) x.net.scope++;
    whole_line(t, x.net.scope->name);
    x.horizon = number_line(t, "horizon ", 1, MAX_LENGTH);
    x.prefix = number_line(t, "prefix ", 0, x.horizon - 1);
    read_automaton(&x.a, fsa);
    x.letters = x.a.kinds;
    x.states = x.a.states.count;
    read_config(&x.net, config, &x.a, fsa_hex);
    read_weights(&x.net, weights);
    x.letter = read_letters(&x.net);
    x.answers = new_answers(&x.net);
    make_room(&x);
    read_bounds(&x);
    do {
        const void *before = newest_memory();
        read_prefix(&x);
        for (size_t s = x.prefix + 1; s <= x.horizon; s++) {
            number_line(t, "length ", s, s);
            check_length(&x);
            if (s < x.horizon) go_on(&x);
        }
        free_newer(before);
    } while (next_word(&x));
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    printf("s VERIFIED horizon %zu scope %s label states letters %zu states %zu layers 1 heads "
           "%zu",
           x.horizon, x.net.scope->name, x.letters, x.states, x.net.heads);
    print_added(&x.a);
    printf(" fsa %s config %s weights %s\n", fsa_hex, config_hex, weights_hex);
}

static const char usage[] =
    "usage: horizon-check [--budget N] [--memory SIZE] [--time-limit SECONDS]\n"
    "                     AUTOMATON CONFIG WEIGHTS CERTIFICATE\n"
    "Checks a certificate of `fsa2lrnn horizon`: a trained network is right on all words of up to\n"
    "T letters. Exit status: 0 `s VERIFIED ...`, 1 `s NOT VERIFIED`, 2 `s UNKNOWN`, at a limit.\n";

int main(int argc, char **argv)
{
    options o = {0};
    self_name = "horizon-check";
    self_files = "RUN/automaton.fsa, RUN/config.json, RUN/weights.safetensors and the certificate";
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("horizon-check %s, sources sha256 %s\n", LRNN_CHECK_VERSION, LRNN_CHECK_SOURCES);
        return end_output(0);
    }
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    const int used = read_options(&o, argc, argv);
    if (help || used < 0 || argc != used + 5 || argv[used + 1][0] == '-') {
        fputs(usage, help ? stdout : stderr);
        return help ? end_output(0) : USAGE;
    }
    limit_time(&o);
    static text file[4];
    read_files(file, 4, argv + used + 1, NULL, &o, 4000);
    judge(&file[0], &file[1], &file[2], &file[3]);
    return end_output(VERIFIED);
}
