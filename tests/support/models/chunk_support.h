/* Random networks and words for the tests of chunk64, and its operation order written out slowly.
 */
#ifndef CHUNK_SUPPORT_H
#define CHUNK_SUPPORT_H

#include "models/network/schedule/chunk.h"
#include "tests/support/models/naive_weight.h"
#include "tests/support/models/net_samples.h"

enum { CHUNK = 64, BLOCK = 16 };

f2l_float_net *rounded_for(const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule);

f2l_float_net *chunk_rounded(const f2l_net *net, const f2l_format *format);

f2l_chunk *started(const f2l_float_net *net);

void feed(f2l_chunk *run, uint32_t *label, const uint32_t *letter, size_t count);

/* --- the order of theory/pages/chunk.md, dense, one operation of MPFR at a time --- */

const f2l_format *fp32(void);

double fma32(double a, double b, double c);

double op32(f2l_operation operation, double a, double b);

/* c[rows][columns] <- c + a b, where the sum runs over `inner` terms; the rows of a, b, c are wa,
 * wb, wc numbers apart. */
void chunk_dot(double *c, size_t wc, const double *a, size_t wa, const double *b, size_t wb,
               size_t rows, size_t inner, size_t columns);

void negate_block(double *to, const double *from);

/* Sets T to the inverse of I + A in fp32, with every block named. */
void slow_inverse(double *T, const double *A);

typedef struct slow_head {
    size_t n, d, factors;
    const f2l_format *format;
    double *h;         /* [n][d] */
    double *k, *b, *v; /* [64 factors][n], [64 factors], [64 factors][d] */
} slow_head;

double put(const slow_head *s, double x);

void slow_rows(slow_head *s, const f2l_head *head, const uint32_t *letter, size_t count);

/* Does 64 rows: v becomes v_new, and s->h the state after them. */
void slow_wy(slow_head *s, const double *k, const double *b, double *v);

/* Computes reading[64][n][d] for every unit query, with masked factors multiplied by 0. */
void slow_chunk(slow_head *s, double *reading);

void slow_init(slow_head *s, const f2l_head *head, size_t letters, const f2l_format *format);

void slow_clear(slow_head *s);

bool same(double a, double b);

/* Compares a network of one layer and one head with the slow order on a random word. */
void compare(const f2l_net *net, const f2l_format *format, size_t length, f2l_rng *rng);

void inner(mpq_t out, mpq_t *a, mpq_t *b, size_t n);

#endif
