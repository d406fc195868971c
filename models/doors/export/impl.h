/* What the targets share; private to this folder. */
#ifndef F2L_MODELS_EXPORT_IMPL_H
#define F2L_MODELS_EXPORT_IMPL_H

#include "models/doors/export/export.h"

extern const f2l_export_target f2l_target_coq, f2l_target_npz, f2l_target_onnx, f2l_target_pytorch,
    f2l_target_fla_deltanet, f2l_target_fla_deltaproduct, f2l_target_olmo_hybrid;

/* The schedules of sums by halves: every,sum=halves, which has the products and differences of
 * `every`, and the sums by halves of `recurrent`. NULL-terminated. */
extern const char *const f2l_export_halves[];

/* Sets *out to the job's network in layers: to its model, or, if that has stages, to *made, which
 * is initialised and then holds the network in layers that they become (EB.13). */
f2l_status f2l_export_layers(const f2l_net **out, f2l_net *made, const f2l_export_job *job,
                             f2l_error *err);
/* Returns whether the job's certificate has this line in the place of its claim. */
bool f2l_export_claims(const f2l_export_job *job, const char *claim);
/* Returns the status of an export of `net`. Where a wired network was refused, *err gets a command
 * that may do it, too: `other` is a target that takes more networks, NULL: none does. */
f2l_status f2l_export_advise(const f2l_net *net, const f2l_export_job *job, const char *other,
                             f2l_status status, f2l_error *err);

/* Moves the bytes into a new file; clears the buffer. */
f2l_status f2l_exported_add(f2l_exported *out, const char *name, f2l_buf *bytes, f2l_error *err);
/* Adds a claim; the text is given as for printf. */
void f2l_exported_claim(f2l_exported *out, const char *path, const char *dtype, bool exact,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds the claim that the job's proof makes about the way of running that has the order of
 * operations of the target's schedule. */
void f2l_exported_claim_proof(f2l_exported *out, const char *path, const f2l_export_job *job);

/* Appends the bytes of weights.safetensors. */
f2l_status f2l_export_weights(f2l_buf *out, f2l_weights_report *report, const f2l_export_job *job,
                              f2l_error *err);

#endif
