/* certificate that a network is wrong at some lengths for ever, as text that lrnn-check verifies
 * alone, in integers:
 *
 *     lrnn-certificate 2
 *     fsa SHA256
 *     network SHA256
 *     claim refuted
 *     FORMAT                               one line; theory/certify/cert/float_cert.h
 *     SCHEDULE                             one line
 *     size layers L heads H householders N key n value d
 *     letters K states Q numbers N rows R  N numbers in a joint state: layers, heads, rows,
 *                                          columns, in that order
 *     prefix a_1 .. a_p                    letters; no such line when p = 0
 *     word a_1 .. a_w                      w > 0
 *     row i state q numbers X_1 .. X_N     i = 1..R: after i - 1 letters of prefix word word ..
 *     back r                               the next letter leads from row R to row r
 *     end R
 *     sha256 HEX
 *
 * p < r, and w divides R + 1 - r: so the pairs after N letters and after N + R + 1 - r are the
 * same for N >= r - 1, and the labels at lengths 1..R say what they are at all lengths
 * (theory/pages/obstruct.md, OB.5). One of them is wrong. */
#ifndef F2L_REFUTE_CERT_H
#define F2L_REFUTE_CERT_H

#include "automata/fsa/fsa.h"
#include "models/network/schedule/schedule.h"

typedef struct f2l_refuting_run {
    const size_t *letters; /* [prefix + length] */
    size_t prefix, length;
    uint64_t preperiod, period; /* in letters */
} f2l_refuting_run;

/* The most rows of a certificate. */
#define F2L_REFUTE_ROWS ((uint64_t)1000000)

/* Runs the word again and writes the certificate. Returns F2L_EDOMAIN for stochastic rounding,
 * chunk64, heads with a field or a form, more rows than F2L_REFUTE_ROWS, when the pair does not
 * recur as `run` has it, or when no label is wrong. */
f2l_status f2l_refute_cert_write(f2l_buf *out, const f2l_net *net, const f2l_fsa *fsa,
                                 const f2l_refuting_run *run, const f2l_format *format,
                                 const f2l_schedule *schedule, const char network_sha256[65],
                                 f2l_error *err);

#endif
