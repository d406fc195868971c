/* Declarations shared by the files of theory/beside/horizon; private to this folder. */
#ifndef F2L_LEARNED_IMPL_H
#define F2L_LEARNED_IMPL_H

#include "models/learn/seq/seq_letters.h"
#include "theory/beside/horizon/learned_horizon.h"

#define F2L_LEARNED_UNIT 0x1p-20
#define F2L_LEARNED_SHORTEST 0x1.1p-20 /* of a key without epsilon, above the checker's limit */
#define F2L_LEARNED_MOST_BALL 511      /* radius of a ball of o_h (LH.10) */
enum { F2L_LEARNED_LANES = 8 };        /* points that are read at once */
typedef double f2l_lanes __attribute__((vector_size(8 * F2L_LEARNED_LANES), aligned(8)));

/* What the numbers of a letter and a head are off by in the scope: |A S + B - next S|_F <= a |S|_F
 * + b, and what is read of S by q |S|_F. */
typedef struct f2l_learned_off {
    double a, b, q;
} f2l_learned_off;

/* One network: the recurrences of its letters, and its read-out. Arrays are owned. */
typedef struct f2l_learned_net {
    const f2l_seq_config *c;
    const f2l_learned_scope *scope;
    f2l_learned_off *letter_off;     /* [letters][heads] */
    const double *embedding, *start; /* start NULL: 0 */
    f2l_seq_letters letter;
    double *query;  /* [letters][heads][key] */
    double *memory; /* of all that follows */
    double *m, *mt; /* [width][heads value] output projection with the weights of the norm, and its
                     * transpose */
    double *m_norm; /* [heads] */
    double *gate, *up;                 /* [mlp][width] with the weights of the norm */
    double *gate_norm, *up_norm;       /* [mlp][heads + 1] lengths of the heads' parts, of rows */
    double *head, *head_m, *head_down; /* [labels][width], [heads value], [mlp] */
    double m_size, down_size;          /* |M|_F, |W|_F */
    double *head_size;                 /* [labels] lengths of the rows of head */
    f2l_lanes *many;                   /* scratch of F2L_LEARNED_LANES points; owned */
    /* scratch; nu has one number more, for roundings */
    double *n, *nu, *x, *g, *u, *hidden, *a, *b, *off, *rest, *dh, *dk, *v, *w;
    double s, far, theta, theta2;
} f2l_learned_net;

/* What a margin is about: the label that was nearest, the difference of logits at the centre, and
 * what the ball may change of it. */
typedef struct f2l_learned_margin {
    size_t other;
    double difference, spread;
} f2l_learned_margin;

double f2l_learned_dot(const double *x, const double *y, size_t n);
double f2l_learned_length(const double *x, size_t n);
/* Returns an upper bound of the spectral norm of m [rows][columns], rows <= F2L_LEARNED_MAX_DIM,
 * near it when there are many squarings. */
double f2l_learned_norm(const double *m, size_t rows, size_t columns, int squarings);

f2l_status f2l_learned_net_build(f2l_learned_net *net, const f2l_seq *model,
                                 const double *parameters, const f2l_learned_scope *scope,
                                 const f2l_task *task, f2l_error *err);
void f2l_learned_net_clear(f2l_learned_net *net);

/* Computes x [width], the first norm of a letter's embedding. */
void f2l_learned_normed(double *x, const f2l_learned_net *net, size_t letter, const double *norm);

/* Returns what sums of up to `terms` products, and 16 operations more, are off by, relative to the
 * lengths (LH.9). */
double f2l_learned_slack(const f2l_learned_net *net, size_t terms);
/* Returns the length of W x for `rows` rows, x being net->x, with SiLU if `active`; sets *off to
 * what it is off by. */
double f2l_learned_bound_projection(double *off, const f2l_learned_net *net, const double *w,
                                    size_t rows, bool active);
/* As f2l_learned_horizon_applies, of a network with clamped betas and exact keys. */
f2l_status f2l_learned_exact_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                     f2l_error *err);
/* The same where keys also have one number, or are ternary. */
f2l_status f2l_learned_finite_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                      f2l_error *err);
/* Sets net->letter_off. */
void f2l_learned_rounding(f2l_learned_net *net, const f2l_seq *model, const double *parameters);
/* Returns F2L_EDOMAIN where LH.9 and LH.10 do not hold for the network. */
f2l_status f2l_learned_rounding_fits(const f2l_learned_net *net, const f2l_seq *model,
                                     const double *parameters, f2l_error *err);

/* Computes to [key][columns] <- A from, + B where `with_b`. */
void f2l_learned_apply(double *to, const double *from, const f2l_learned_net *net, size_t letter,
                       size_t head, size_t columns, bool with_b);

/* Computes R [key][key] of a head for LH.4. Returns false if a number is not finite. */
bool f2l_learned_form(double *r, const f2l_learned_net *net, size_t head, size_t letters,
                      double kappa);
/* Computes the inverse of an upper triangular matrix. */
void f2l_learned_inverse(double *inverse, const double *r, size_t n);

/* The answer `right` after a letter, for all o [heads][value] with |o_h - centre_h| <= radius[h].
 */
typedef struct f2l_learned_question {
    size_t letter, right, state; /* the state before the letter */
    double *centre, *radius;
} f2l_learned_question;

/* Sets net->n and net->nu: the norm of o by head, and what the ball changes of it. */
void f2l_learned_head_norms(f2l_learned_net *net, const f2l_learned_question *q);
void f2l_learned_answer(f2l_learned_margin *out, f2l_learned_net *net,
                        const f2l_learned_question *q);
/* The same for all n with |n_h - net->n_h| <= net->nu_h. */
void f2l_learned_answer_normed(f2l_learned_margin *out, f2l_learned_net *net, size_t letter,
                               size_t right);
bool f2l_learned_margin_is_enough(const f2l_learned_margin *m);
/* Sets right[i] for up to F2L_LEARNED_LANES questions: false where only f2l_learned_answer can say
 * that the answer is right (LH.11). */
void f2l_learned_answer_lanes(bool *right, f2l_learned_net *net, const f2l_learned_question *q,
                              size_t count);

/* The label of the largest logit, and how much larger it is than all others, in sizes of what
 * logits are sums of. */
typedef struct f2l_learned_largest {
    size_t label;
    double gap;
} f2l_learned_largest;

/* Computes them for up to F2L_LEARNED_LANES centres, in doubles; right and state of the questions
 * are not read. */
void f2l_learned_largest_lanes(f2l_learned_largest *out, f2l_learned_net *net,
                               const f2l_learned_question *q, size_t count);

/* Seconds that a walk took: of an answer, and of a word of the prefix's length but the first one,
 * with all that follows; 0 where there was none. */
typedef struct f2l_learned_pace {
    double answer, word;
} f2l_learned_pace;

/* Appends a certificate's first lines: what it is about, and the claim; NULL: a horizon. */
void f2l_learned_write_head(f2l_buf *out, const f2l_learned_files *files, const char *scope,
                            const char *claim);

/* Sets the certificate's numbers in *out, which has its arrays, for this kappa and out->prefix, and
 * out->horizon to the greatest length that is right, at most ask->most. Where that is not above
 * out->prefix or `from`, it is only a bound of what can be proved. */
f2l_status f2l_learned_walk_run(f2l_learned_horizon *out, f2l_learned_pace *pace,
                                f2l_learned_net *net, const f2l_fsa *fsa, bool begin,
                                const f2l_learned_ask *ask, double kappa, size_t from,
                                const f2l_task *task, f2l_error *err);

#endif
