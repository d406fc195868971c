/* Binary numbers, formats, and operation schedules: what claims float, refuted and `unrounded`
 * compute with. A format is defined in theory/pages/formats.md, a schedule, which says what is
 * rounded when, in models/schedule/schedule.h. -0 is 0 here (F3).
 *
 * FORMAT:
 *     format precision P emin E emax E largest X subnormals yes|no overflow infinity|nan|saturate
 *         round nearest|zero|up|down                         on one line; stochastic, too, where
 * nothing rounds SCHEDULE: schedule every|fma|acc32|recurrent|cast|chunk64 [eps X raw X] X is 0, an
 * odd integer m, or MpE for m 2^e with m odd and e != 0. */
#ifndef CHECK_REAL_H
#define CHECK_REAL_H

#include "theory/check/claim.h"

/* m 2^e with m odd, or 0; not finite where e is NOT_FINITE. */
typedef struct real {
    int64_t m;
    int e;
} real;

enum { NOT_FINITE = INT_MAX };

typedef enum rounding { NEAREST, TOWARD_ZERO, UP, DOWN, STOCHASTIC } rounding;

/* p bits, 2^emin <= |x| < 2^(emax + 1) or less; largest is finite. saturate: what is too large
 * becomes that, else nothing finite. */
typedef struct format {
    int p, emin, emax;
    rounding round;
    bool subnormals, saturate;
    real largest;
} format;

typedef enum order { EVERY, FMA, ACC32, RECURRENT, CAST, CHUNK64 } order;

/* data: what is stored; weights: the same, to nearest; work: what operations round into; state:
 * what the state is in. normalised: keys are computed from raw ones. */
typedef struct schedule {
    order order;
    format data, weights, work, state;
    bool normalised;
    real eps, raw;
} schedule;

/* real.c: arithmetic. Each result is rounded once, and `lost` is set where that changed it. */

extern bool lost;
extern const format fp32;
extern const real one, not_finite;

bool same_real(real a, real b);
real minus(real a);
void set_real(mpq_t out, real a);
/* a b, a + b, a b + c */
real times(const format *f, real a, real b);
real plus(const format *f, real a, real b);
real fused(const format *f, real a, real b, real c);
/* The sum of a[i] b[i], rounded once. */
real sum_of(const format *f, const real *a, const real *b, size_t count);
/* x / sqrt(square), or x where there is no square. */
real weight(const format *f, mpq_srcptr x, mpq_srcptr square);
/* Is the number one of the format? */
bool is_in(const format *f, real a);

/* Which one of the words comes. */
size_t read_word(text *t, const char *before, const char *const *word, size_t words);
/* 0, m or MpE */
real read_real(text *t, const char *before);
int read_exponent(text *t, const char *before);
/* The line FORMAT, but for its end. */
format read_format(text *t);

/* schedule.c */

/* The line SCHEDULE, but for its end. */
schedule read_schedule(text *t, format data);

/* Numbers that are not 0, by increasing indices. */
typedef struct reals {
    struct place {
        size_t index;
        real value;
    } * at;
    size_t count;
} reals;

/* A transition in a format, with unit keys and values. cast: row[i] of A, and B by rows in `bias`.
 */
typedef struct turn {
    real gate;
    struct push {
        reals key, value;
        real beta;
    } * push;
    size_t pushes;
    reals *row, bias;
} turn;

/* Scratch of a step: two arrays of products, [n + 1] each, and a state, [2 n + n d]. */
typedef struct step_room {
    real *left, *right, *old;
} step_room;

step_room make_room(const network *net);
/* All transitions of a head over Q, in its slots' `in`; returns whether they are exact. */
bool make_turns(const schedule *s, const head *h);
/* One letter from the head's state S on. */
void turn_head(const schedule *s, const head *h, const turn *w, real *S, const step_room *room);
/* The entries of v divided by sqrt(square), those that do not become 0. */
reals weights(const format *f, const vector *v, mpq_srcptr square);

#endif
