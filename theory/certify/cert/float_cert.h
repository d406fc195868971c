/* certificate of a closure in a number format, as text that lrnn-check verifies alone, in
 * integers:
 *
 *     lrnn-certificate 2
 *     fsa SHA256
 *     network SHA256
 *     claim float
 *     FORMAT                                            one line, below
 *     SCHEDULE                                          one line, below
 *     size layers L heads H householders N key n value d
 *     letters K states Q numbers N rows R               N numbers in a joint state: layers,
 *                                                       heads, rows, columns, in that order
 *     row i state q numbers X_1 .. X_N [beside Y_1 .. Y_N] [since c] next r_1 .. r_K
 *                                                       i = 1..R; row 1 is the start
 *     end R                                             without `next ..` where the store draws
 *     sha256 HEX
 *
 * FORMAT is  format precision P emin E emax E largest X subnormals yes|no overflow
 * infinity|nan|saturate round nearest|zero|up|down  (one line), the data alone, not a name.
 * SCHEDULE is  schedule NAME  or schedule NAME eps X raw X  with NAME every, fma, acc32,
 * recurrent or cast, or  schedule row SETTINGS, or, where nothing rounds, schedule chunk64 with its
 * settings behind commas  (theory/check/real.h). X is a binary number: 0, or
 * an odd integer m for m, or  MpE  for m 2^e, m an odd integer in decimal and e != 0: -207p-6, 3p1,
 * 255p120. beside: the sums of a ring, or the errors of residual=feedback; since: with letters=L,
 * L > 1, the letters since the last store. */
#ifndef F2L_FLOAT_CERT_H
#define F2L_FLOAT_CERT_H

#include "theory/certify/closure/closure.h"

/* Writes the certificate. `closure` must be F2L_OK and have kept its table
 * (f2l_closure_float_options.keep). Returns F2L_EDOMAIN for operations that round stochastically,
 * wired networks, and heads with a field or a form. */
f2l_status f2l_float_cert_write(f2l_buf *out, const f2l_net *net, const f2l_closure *closure,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const char network_sha256[65], f2l_error *err);

/* Returns F2L_EDOMAIN for a schedule that the checkers do not know. A schedule that is none of the
 * usual ones is written with all its settings (theory/check/real.h). */
f2l_status f2l_cert_schedule_refuse(const f2l_schedule *schedule, f2l_error *err);
/* The same for a network for which they do not know it: with logits of other betas than 0, 1 and 2,
 * and decode=linear of codes of different lengths. */
f2l_status f2l_cert_net_refuse(const f2l_net *net, const f2l_schedule *schedule, f2l_error *err);

/* Appends " numbers X .. [beside Y ..] [since c]" of a joint state of an f2l_float_net, without the
 * zeros that a store with residual=load has behind the numbers of each layer. */
void f2l_cert_joint(f2l_buf *out, const f2l_net *net, const f2l_schedule *schedule,
                    const double *joint);
/* Returns how many numbers X there are. */
size_t f2l_cert_joint_size(const f2l_net *net);

/* These write the lines FORMAT and SCHEDULE, without line ends, and a number X. */
void f2l_float_cert_format(f2l_buf *out, const f2l_format *format);
void f2l_float_cert_schedule(f2l_buf *out, const f2l_schedule *schedule);
void f2l_buf_binary(f2l_buf *out, double x);

#endif
