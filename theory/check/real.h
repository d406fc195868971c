/* Binary numbers, formats, and operation schedules: the arithmetic of claims float, refuted
 * and `unrounded`. A format is defined in theory/pages/formats.md, a schedule, which defines what
 * is rounded when, in models/network/schedule/schedule.h. -0 is 0 here (F3).
 *
 * FORMAT:
 *     format precision P emin E emax E largest X subnormals yes|no overflow
 *         infinity|nan|saturate
 *         round nearest|zero|up|down  on one line; stochastic, too, where nothing rounds
 * SCHEDULE:
 *     schedule every|fma|acc32|recurrent|cast|chunk64 [eps X raw X], or a row (below), or
 *     schedule chunk64,decode=D,norm=N,norm-in=W,squares=S [eps X raw X], as in a row
 * X is 0, an odd integer m, or MpE for m 2^e with m odd and e != 0. */
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

typedef enum order { EVERY, FMA, ACC32, RECURRENT, CAST, CHUNK64, ENGINE } order;

typedef struct sum_order {
    enum sum_kind { LEFT, HALVES, BUTTERFLY, LANES, BLOCKS } kind;
    size_t lanes, chains;
} sum_order;

/* The choices of one step whose store draws, of which each number with two outcomes takes one: `at`
 * were taken, and the first `count` are given. */
enum { MOST_CHOICES = 16 };
typedef struct choices {
    size_t at, count;
    bool higher[MOST_CHOICES];
} choices;

/* What a row says beside the formats of a schedule. drawn: the choices of the step that is made;
 * NULL: what draws is stored to nearest, and `lost` is set where it has two outcomes. */
typedef struct engine_row {
    sum_order sum, squares;
    enum gate_place { EARLY, LATE, FOLDED } gate;
    bool fused_sum, fused_update, wide_keys, wide_beta, wide_gate, unstored, reads, integer, full,
        own_format, powers, draws, logit, each_factor, ring, second, prompt, narrow_operands,
        layers, directions, narrow_norm;
    format store, scale_format, output, ring_format, handover, operands, residual_format;
    enum scale { NO_SCALE, AMAX, POW2, MX, FIXED } scale, residual_scale;
    enum residual { NO_RESIDUAL, LOAD, FEEDBACK } residual;
    enum quotient { BY_INVERSE, BY_DIVISION, BY_BOTH } quotient;
    enum scale_block { ROWS, GROUP, TILE, HEAD } block;
    enum draw { DRAW_ANY, DRAW_TOP, DRAW_BOTTOM, DRAW_FLOOR } draw;
    size_t size, bits, letters;
    real most, fixed;
    enum norm { RECIPROCAL, QUOTIENT, RSQRT, OUTSIDE, LARGER, MEAN } norm;
    choices *drawn;
} engine_row;

/* data: format of what is stored; weights: the same, to nearest; work: format that operations round
 * into; state: format of the state. normalised: keys are computed from raw ones. */
typedef struct schedule {
    order order;
    format data, weights, work, state;
    bool normalised;
    real eps, raw;
    engine_row row; /* if order is ENGINE; of others, perhaps of CHUNK64, the last four settings */
} schedule;

/* real.c: arithmetic. Each result is rounded once, and `lost` is set where rounding changed it. */

extern bool lost;
extern const format fp32;
extern const real one, not_finite;

bool same_real(real a, real b);
real minus(real a);
void set_real(mpq_t out, real a);
/* These return a b, a + b, and a b + c. */
real times(const format *f, real a, real b);
real plus(const format *f, real a, real b);
real fused(const format *f, real a, real b, real c);
/* Returns the sum of a[i] b[i], rounded once. */
real sum_of(const format *f, const real *a, const real *b, size_t count);
/* Returns x / sqrt(square), or x where there is no square. */
real weight(const format *f, mpq_srcptr x, mpq_srcptr square);
/* Returns x / y, y > 0, in fp32 (schedule.c). */
real ratio_of(real x, real y);
/* Returns whether the number is one of the format. */
bool is_in(const format *f, real a);
/* Returns k with 2^k <= a < 2^(k + 1), a > 0 (row.c). */
int leading_bit(real a);

/* Reads one of the words, and returns which. */
size_t read_word(text *t, const char *before, const char *const *word, size_t words);
/* Reads 0, m or MpE. */
real read_real(text *t, const char *before);
int read_exponent(text *t, const char *before);
/* Reads the line FORMAT, except its end. */
format read_format(text *t);

/* schedule.c */

/* Reads the line SCHEDULE, except its end. */
schedule read_schedule(text *t, format data);

/* The non-zero numbers of a vector, by increasing indices. */
typedef struct reals {
    struct place {
        size_t index;
        real value;
    } * at;
    size_t count;
} reals;

/* A transition in a format, with unit keys and values. cast: row[i] of A, and B by rows in
 * `bias`. */
typedef struct turn {
    real gate;
    struct push {
        reals key, value;
        real beta;
    } * push;
    size_t pushes;
    reals *row, bias;
} turn;

/* Scratch of a step: two arrays of products, [n + 1] each, and a state, [2 n + n d]; for rows sums,
 * keys [n], and the numbers that are read of all heads. beside: what a row keeps of the head
 * between letters beside its state, [n][d]: the errors of residual=feedback, or the sums of a ring,
 * from which `old` keeps the stored state; NULL where nothing rounds. waits: the row does not store
 * after this letter. */
typedef struct step_room {
    real *left, *right, *old, *chain, *read, *beside;
    struct place *key;
    bool waits;
} step_room;

step_room make_room(const network *net);
/* Makes all transitions of a head over Q, in its slots' `in`; returns whether they are exact. */
bool make_turns(const schedule *s, const head *h);
/* Does to an initial state what a row's store does; returns whether it stays. */
bool start_head(const schedule *s, const head *h, real *S, const step_room *room);
/* Steps one letter from the head's state S. In rows with `reads` the numbers to decode are in
 * room->read, at the head's place. */
void turn_head(const schedule *s, const head *h, const turn *w, real *S, const step_room *room);
/* Stores the state S of a layer whose heads share a scale, after turn_head, or start_head at the
 * start, of all its heads, which then have not stored it; does nothing in other rows. */
void keep_layer(const schedule *s, const block *y, real *S, bool start, const step_room *room);
/* Returns the entries of v divided by sqrt(square), without those that become 0. */
reals weights(const format *f, const vector *v, mpq_srcptr square);

/* row.c */

/* Rows of serving engines are schedules by all their settings, in one order.
 *
 *     schedule row sum=S,fuse=none|sum|update|both,gate=early|late|folded,work=format|fp32,
 *         operands=none|F,state=format|F|F:stochastic,letters=N,stores=letter|factor,
 *         ring=none|format|F,scale=none|amax|amax:F|amax:ue8m0|pow2|mx|static:X,
 *         quotient=inverse|divide|two,most=largest|X,clamp=symmetric|full|none,
 *         block=row|group:N|tile:N|head|tensor,
 *         second=none|head,draw=any|top:N|bottom:N|floor:N,pair=no|reversed,
 *         residual=none|load|load:F|feedback|feedback:F,residual-scale=none|amax|pow2,
 *         read=stored|unstored,output=usual|F|F:saturate,
 *         keys=W,beta=W|logit|logit-format,decay=W,prefill=none|unstored,handover=F,
 *         decode=nearest|linear,norm=reciprocal|quotient|rsqrt|outside|max|rms,
 *         norm-in=W,squares=S [eps X raw X]             on one line, without the breaks
 *
 * S is left, halves, butterfly, lanes:N, lanes:N:C, blocks:N, blocks:N:C; W is format or fp32; F is
 * bf16, fp16, fp32, tf32, e4m3, e5m2, e2m1, int4, int8, int16, as far as it makes sense. What they
 * say is in models/network/schedule/schedule.h, sum_plan.h and store.h. decode=linear is for layers
 * of one head whose codes have one length and are not 0: the nearest direction is the nearest code
 * there (theory/pages/formats.md, F6). In engines each head has a norm of its own. Where nothing
 * rounds the errors of residual=feedback are 0, numbers that wait for their store (letters) stay,
 * and a ring makes the state again (theory/pages/engines.md, EN.14). In claim float a stochastic
 * state has draw=any, and a row of the certificate has what is kept beside a state. */
/* Reads from "row" up to the settings' end. Sets the formats that operations round into, and that a
 * state has between letters. */
engine_row read_row(text *t, const format *data, format *work, format *state);
/* Returns what a schedule without settings says of keys and decoders. */
engine_row plain_row(void);
/* Reads the settings from ",decode=" on. */
void read_keys_row(engine_row *r, text *t);
/* Returns the sum of a_i b_i, n coordinates, b with a stride; chain has room for it. The b_i are
 * first rounded into `operands`, if it is not NULL. */
real sum_in_order(const format *f, const sum_order *o, bool fuse, const reals *a, const real *b,
                  const format *operands, size_t stride, size_t n, real *chain);
/* Applies one factor; gate: of the letter, where it comes with this factor, or one. */
void push_row(const engine_row *r, const format *f, const struct push *p, real gate, real *S,
              size_t n, size_t d, const step_room *room);
/* Sets `lost` where a state with the number x is not made again from a ring. */
void need_ring(real x);
/* Gives up where a row is not for a layer: for its codes or heads. */
void need_layer(const engine_row *r, const block *y);

/* row_store.c */

/* Makes the next choices; returns false where there are no others. */
bool next_choices(choices *c);

/* Stores a state [n][d], to nearest at the start; old has room for it. `lost` is set where numbers
 * change. errors: with residual=feedback the errors of the last store, which become this one's;
 * or NULL where nothing is lost, so that they are 0. */
void store_row(const engine_row *r, real *S, size_t n, size_t d, bool start, real *old,
               real *errors);

/* claim float, claim refuted (float.c) */
void read_float_terms(problem *x, text *t);
void read_float_rows(problem *x, text *t);
void check_float_rows(problem *x, text *t);
void read_refuted(problem *x, text *t);
void check_refuted(problem *x, text *t);

#endif
