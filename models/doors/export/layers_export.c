/* Networks for targets that know layers only. */
#include "models/doors/export/impl.h"
#include "models/network/layered/layered.h"
#include <string.h>

f2l_status f2l_export_layers(const f2l_net **out, f2l_net *made, const f2l_export_job *job,
                             f2l_error *err)
{
    const f2l_status status = f2l_layered_make(made, job->model, job->task, err);
    *out = status != F2L_OK || made->layers > 0 ? made : job->model;
    return status;
}

bool f2l_export_claims(const f2l_export_job *job, const char *claim)
{
    /* Two hashes of one length come before the claim. */
    static const char head[] = "lrnn-certificate 2\nfsa \nnetwork \n";
    const size_t size = strlen(claim), at = sizeof head - 1 + (size_t)2 * 64;
    const f2l_buf *bytes = &job->certificate;
    return bytes->data && bytes->size > at + size && memcmp(bytes->data + at, claim, size) == 0;
}

f2l_status f2l_export_advise(const f2l_net *net, const f2l_export_job *job, const char *other,
                             f2l_status status, f2l_error *err)
{
    char why[sizeof err->text];
    if (status != F2L_EDOMAIN || net == job->model || !err) return status;
    memcpy(why, err->text, sizeof why);
    if (other)
        return f2l_fail(
            err, status,
            "%.300s; another model, which the network may fit: fsa2lrnn export %s --to %s -o DIR",
            why, job->network, other);
    if (job->model->label == F2L_LABEL_EDGES) /* what has a rule form seldom has layers that fit */
        return f2l_fail(err, status,
                        "%.300s; as a graph it goes out by: fsa2lrnn export %s --to onnx -o DIR",
                        why, job->network);
    const bool parts = f2l_export_claims(job, "claim product\n"); /* which needs no bounds */
    return f2l_fail(err, status,
                    "%.300s; %s the automaton may have a network in layers: fsa2lrnn %s --label %s"
                    "%s -o OUT",
                    why, parts ? "as one cascade" : "without bounds", job->automaton,
                    f2l_label_name(job->model->label), parts ? " --cascade capped" : "");
}
