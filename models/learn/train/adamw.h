/* AdamW (Loshchilov and Hutter 2019): Adam with decoupled weight decay, as PyTorch computes it:
 *     g <- scale g;  p <- (1 - rate decay) p;  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
 *     p <- p - rate / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + epsilon)
 * The coefficients are computed in double and rounded once; every number is updated separately in a
 * fixed order, so equal input gives equal output bit for bit. Float (_f32) and double (_f64) come
 * from one source. */
#ifndef F2L_ADAMW_H
#define F2L_ADAMW_H

#include <stddef.h>
#include <stdint.h>

typedef struct f2l_adamw {
    double rate, decay, beta1, beta2, epsilon;
    double scale;  /* factor of the gradient, the result of clipping */
    uint64_t time; /* t: 1 for the first update */
} f2l_adamw;

/* Update parameter, mean (m) and square (v); all are [count]. */
void f2l_adamw_update_f32(float *parameter, float *mean, float *square, const float *gradient,
                          size_t count, const f2l_adamw *step);
void f2l_adamw_update_f64(double *parameter, double *mean, double *square, const double *gradient,
                          size_t count, const f2l_adamw *step);

/* Return the sum of squares in double, in an order that depends on count only; not finite when a
 * number is not (or, for doubles, when a square is too large). */
double f2l_adamw_squares_f32(const float *number, size_t count);
double f2l_adamw_squares_f64(const double *number, size_t count);

#endif
