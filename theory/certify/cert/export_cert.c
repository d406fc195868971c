#include "theory/certify/cert/export_cert.h"
#include "automata/fsa/fsa_build.h"
#include "theory/certify/cert/cert.h"

/* The most steps from a row by a letter. Coq's kernel takes 5 s for 14,400 of S5's, and Coq 0.7
 * GB. */
#define MOST_STEPS ((size_t)1 << 16)

static f2l_status write_closed(f2l_buf *out, const f2l_net *net, const f2l_fsa *fsa,
                               const char network_sha256[65], const f2l_task *task, f2l_error *err)
{
    f2l_closure closure;
    const size_t rows = MOST_STEPS / net->letters.count + 1;
    f2l_closure_init(&closure);
    f2l_status status = f2l_closure_exact(&closure, net, fsa, rows, task, err);
    if (status == F2L_OK && closure.verdict == F2L_OK)
        status = f2l_cert_write(out, net, &closure, network_sha256, err);
    else if (status == F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "in layers it has no certificate that Coq checks in a minute: %.200s",
                          closure.verdict == F2L_UNKNOWN ? closure.reason : "its labels are wrong");
    f2l_closure_clear(&closure);
    return status;
}

f2l_status f2l_export_certify(f2l_buf *out, f2l_net *net, const f2l_fsa *fsa,
                              const char network_sha256[65], const f2l_task *task, f2l_error *err)
{
    const f2l_letter_classes *classes = &net->classes;
    f2l_fsa merged;
    f2l_fsa_init(&merged);
    f2l_status status = f2l_fsa_copy(&merged, fsa, err);
    if (status == F2L_OK && classes->of)
        status = f2l_fsa_merge_letters(&merged, classes->of, classes->count, err);
    if (status == F2L_OK) status = f2l_letter_classes_merge(&net->letters, &net->classes, err);
    if (status == F2L_OK) status = write_closed(out, net, &merged, network_sha256, task, err);
    f2l_fsa_clear(&merged);
    return status;
}
