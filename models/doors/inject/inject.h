/* A network beside a language model, as a branch with a stream of its own (theory/pages/inject.md).
 *
 * The folder OUT has
 *     base/     the files of the checkpoint, byte for byte
 *     branch/   the network as a stock model (models/doors/export): config.json, model.safetensors,
 *               prefix.json
 *     inject.safetensors   `projection` [hidden, labels] in F32, -0 at first (EB.11)
 *     model.py  runs both; README.md, inject.json */
#ifndef F2L_INJECT_H
#define F2L_INJECT_H

#include "models/doors/export/export.h"
#include "models/doors/inject/tokens.h"
#include "numeric/base/outdir.h"
#include "numeric/base/sha256.h"

#define F2L_INJECT_ABOUT "inject.json" /* the report, which marks a folder as ours */

typedef struct f2l_inject {
    const f2l_base_model *checkpoint;
    const f2l_letter_tokens *tokens;
    f2l_export_job job;    /* of the branch: its model, automaton and type */
    f2l_exported branch;   /* its files, named as in branch/, and claims */
    f2l_buf own[3];        /* inject.safetensors, model.py, README.md */
    f2l_names names;       /* of all files of OUT, "base/config.json", F2L_INJECT_ABOUT too */
    const char **name;     /* [names.count + 1] the same, NULL-terminated */
    f2l_hashed_file *file; /* [files] those that were written, without F2L_INJECT_ABOUT */
    size_t files;
} f2l_inject;

/* NULL-terminated: the folders in OUT. */
extern const char *const f2l_inject_folders[];

void f2l_inject_init(f2l_inject *inject);
void f2l_inject_clear(f2l_inject *inject);

/* Makes the branch and all files outside base/ from checkpoint, tokens and job, which the
 * caller has set; without job.dtype in the first type in which the branch is exact. F2L_EDOMAIN
 * with the reason where the network is no stock model. */
f2l_status f2l_inject_make(f2l_inject *inject, f2l_error *err);

/* Writes all files but F2L_INJECT_ABOUT into `dir`, which has the names and the folders, and lists
 * them. F2L_UNKNOWN when the task says stop. */
f2l_status f2l_inject_write(f2l_inject *inject, f2l_outdir *dir, const f2l_task *task,
                            f2l_error *err);

#endif
