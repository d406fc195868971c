/* Joint closure of a wired network (theory/pages/closure.md, C1): as
 * theory/certify/closure/closure.h, with a joint state made of the readouts of all stages. It
 * serves small automata: a cascade can have as many joint states as chains. */
#ifndef F2L_WIRED_CLOSURE_H
#define F2L_WIRED_CLOSURE_H

#include "models/network/wired/wired_run.h"
#include "theory/certify/closure/closure.h"

/* Closes in exact arithmetic, otherwise as f2l_closure_exact; out->layers is f2l_wired_joint(net):
 * row r has the codes out->joint[r * layers ..], stage by stage. */
f2l_status f2l_wired_closure_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                   size_t max_rows, const f2l_task *task, f2l_error *err);

/* Closes in a format and an operation schedule, as f2l_closure_float; a joint state is the numbers
 * of all heads of all stages. */
f2l_status f2l_wired_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                   const f2l_format *format, const f2l_schedule *schedule,
                                   size_t max_rows, const f2l_task *task, f2l_error *err);

/* Writes the certificate of a closed table (grammar in theory/certify/cert/cert.c). `closure` must
 * be F2L_OK of f2l_wired_closure_exact; network_sha256 is the hash of the network file's bytes. */
f2l_status f2l_wired_cert_exact(f2l_buf *out, const f2l_net *net, const f2l_closure *closure,
                                const char network_sha256[65], f2l_error *err);

#endif
