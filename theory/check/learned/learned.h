/* The parts of horizon-check: a learned network of one layer, read from its bytes, and rigorous
 * bounds in doubles. theory/pages/learned.md has the statements (LH.1 - LH.11) that the comments
 * name.
 *
 * Arithmetic is IEEE double, rounded to nearest. SLACK is a bound for the relative error of a sum
 * of up to MAX_TERMS products of numbers that are themselves off by a few units in the last place
 * (LH.1); every bound adds it. */
#ifndef CHECK_LEARNED_H
#define CHECK_LEARNED_H

#include "theory/check/reader.h"

#define SLACK 0x1p-38
#define SHORTEST 0x1p-20 /* of queries and keys without epsilon before their division (AL.12) */
enum { MAX_TERMS = 4096, MAX_FACTORS = 8, MAX_DIM = 64, MAX_HEADS = 64 };

/* Points that are read at once: number i of point l is element l of vector i. */
enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8)));

/* CLONES before a function compiles it for wider vectors, too; every version computes the same
 * numbers. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) && \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline)) /* into every version */
enum { EXPONENTIAL = 160 }; /* as many products of doubles take as long as a call of exponential */

/* What evaluates the network: real numbers, or a format, with sums in any order (LH.8). */
typedef struct scope {
    const char *name;
    double unit; /* above the relative error of an operation, by 1/64 or more; 0: none */
    double tiny; /* more than all underflows together change a radius or a margin (LH.10) */
    double most; /* bound of the squares of a tensor's length, so that nothing overflows */
} scope;

/* Row-major tensors, by their names in weights.safetensors; those that the network does not have
 * are NULL. q, k, v: one row for each number of all factors and heads. */
typedef struct learned {
    const scope *scope;
    size_t letters, labels, width, mlp, heads, factors, key, value;
    double epsilon, slope, range; /* betas are in 0..range */
    bool begin, additive, starts, silu;
    bool exact;   /* betas are clamped, keys and queries have no epsilon (AL.12) */
    bool ternary; /* keys are rounded to numbers of one size, and 0 */
    name model;   /* the configuration's text */
    double *embedding, *mixer_norm, *q, *k, *v, *b, *start, *o_norm, *out, *mlp_norm, *gate, *up,
        *down, *norm, *head;
} learned;

/* learned_read.c */
/* hex: the SHA-256 of the automaton's file. */
void read_config(learned *net, text *t, const automaton *a, const char *hex);
void read_weights(learned *net, text *t);

/* learned_bound.c */

/* Takes the steps of sums of that many products of doubles. Every function below that has a loop
 * over numbers takes its own, but for dot, length and spectral. */
void charge(size_t products);
double dot(const double *x, const double *y, size_t n);
double length(const double *x, size_t n);
/* Returns a bound of what sums of up to `terms` products, and 16 operations more, are off by in the
 * scope and in doubles together, relative to the lengths (LH.9). */
double slack(const learned *net, size_t terms);
/* Return e^x and 1 / (1 + e^-x) with a relative error of at most 2^-45. */
double exponential(double x);
double sigmoid(double x);
/* Returns an upper bound of the spectral norm of a symmetric matrix [n][n], n <= MAX_DIM, which is
 * known up to SLACK times its Frobenius norm; `squares`: how often it is squared. Overwrites g. */
double spectral(double *g, size_t n, size_t squares);
/* Returns an upper bound of the spectral norm of m [rows][columns], rows <= MAX_DIM. */
double operator_norm(const double *m, size_t rows, size_t columns, size_t squares);

/* learned_letters.c: the recurrence S <- A(w) S + B(w) of a letter and a head (LH.2) */

/* What evaluates the network has other numbers: its next state differs from apply_letter(S) by at
 * most a_off |S|_F + b_off, and its q^T S from the one with this q by at most q_off |S|_F. */
typedef struct letter_head {
    double *q, *k, *v, *beta; /* [key], [factors][key], [factors][value], [factors] */
    double q_off, a_off, b_off;
    double *aq, *bq, b_size; /* [key] A^T q, [value] B^T q, |B|_F */
    double *k_off;           /* [factors] what each key is off by; 0: it is 0 exactly */
} letter_head;

/* Sets x [width] to the norm of the letter's embedding. */
void normed_letter(double *x, const learned *net, size_t letter);
/* Computes y = W x for the rows from `row` on, with SiLU if `active`; returns a bound of what y is
 * off by, for x that normed_letter gave. */
double project(double *y, const learned *net, const double *w, size_t row, size_t rows,
               const double *x, bool active);
/* Replaces y [key] by y / sqrt(|y|^2 + epsilon), or where keys are exact by y / |y|, or by 0 if
 * that may be short; returns a bound of what it is off by, and half of what its squared length is
 * off by. */
double unit(double *y, const learned *net, double off);
/* Returns whether every product of the key's rows from `row` on with the norm has a factor 0. */
bool all_zero(const learned *net, const double *w, size_t row, size_t letter);
/* Returns [letters][heads]; of a network whose keys are not exact. */
letter_head *read_letters(const learned *net);
/* Computes to [key][columns] <- A from (+ B where `with_b`; columns is then net->value). */
void apply_letter(double *to, const double *from, const learned *net, const letter_head *x,
                  size_t columns, bool with_b);
/* Sets to to A S + B; returns what it is off by, at most, in the Frobenius norm. */
double move_state(double *to, const learned *net, const letter_head *x, const double *s);

/* learned_answer.c: the answer (LH.5) */

/* The read-out of a network; parts = heads + 1, the last one for roundings. */
typedef struct answers {
    const learned *net;
    size_t parts;
    double *m, *mt;                    /* [width][heads value] M, and its transpose */
    double *m_norm, m_size;            /* [heads] spectral norms of M_h, |M|_F */
    double *gate, *up;                 /* [mlp][width] with the weights of the norm */
    double *gate_norm, *up_norm;       /* [mlp][parts] lengths of the rows of gate M_h, up M_h */
    double *head, *head_m, *head_down; /* [labels][width], [labels][heads value], [labels][mlp] */
    double *head_size, down_size;      /* [labels] lengths of rows, |down|_F */
    /* of one margin */
    double *n, *nu, *x, *g, *u, *hidden, *a, *b, *off, *rest, *dh, *dk, *v, *c, *mc;
    double s, far, theta, theta2, y, hidden_size, off_size;
    lanes *many; /* of LANES points */
} answers;

answers *new_answers(const learned *net);
/* The answer `right` after a letter for all o [heads][value] with |o_h - centre_h| <= radius[h]. */
typedef struct question {
    size_t letter, right;
    double *centre, *radius; /* [heads][value], [heads] */
} question;

/* Norm of o per head; returns false where the ball is too large (LH.10). Sets x->n, x->nu. */
void norm_heads(answers *x, const question *q);
/* Returns whether the network gives this label after the letter for every n with |n_h - x->n_h| <=
 * x->nu_h. */
bool normed_rightly(answers *x, size_t letter, size_t right);
/* Returns whether the network gives this answer for every such o. */
bool answers_rightly(answers *x, const question *q);

/* learned_lanes.c: the same for up to LANES questions, faster where the balls are small (LH.11);
 * where it cannot say so it asks answers_rightly. */
bool all_answered_rightly(answers *x, const question *q, size_t count);

/* learned_words.c: the files and a certificate, and the states after words */

/* The network of the files, their automaton, and the certificate behind the line of its scope, or
 * of its claim. */
typedef struct proof {
    learned net;
    automaton a;
    text *t;
    letter_head *letter; /* [letters][heads] */
    answers *answers;
} proof;

/* A word and what the network's state after it is. */
typedef struct spot {
    size_t state;
    double *at, *off; /* [heads][key][value], [heads]: |state - at|_F <= off */
} spot;

spot new_place(const proof *p);
/* Sets *to to the place before the first letter of a word: behind the begin letter, if any. */
void begin_place(const proof *p, spot *to);
/* Sets *to, another place, to what the letter makes of *from. */
void step_place(const proof *p, spot *to, const spot *from, size_t w);
/* Reads the certificate's last line. */
void end_proof(text *t);

/* Reads a blank and a whole number of at most that size, with its sign, in its one spelling. */
double whole(text *t, double most);

/* Claims: each reads the rest of the certificate, and begins the line of the verdict. */
void judge_horizon(proof *p); /* learned_balls.c */
void judge_settles(proof *p); /* learned_settle.c */
void judge_forever(proof *p); /* learned_forever.c */
void judge_finite(proof *p);  /* learned_finite.c */
void judge_roots(proof *p);   /* learned_roots.c */
/* Prints what all verdicts say of the network. */
void print_network(const proof *p);

#endif
