/* The folder of a training run:
 * - config.json: the description of the run, the caller's text, equal for equal runs
 * - provenance.json: version, commit, command, hash of the grammar, date, backend that began the
 *   run
 * - log.jsonl: one JSON object per line (models/learn/train/train.h); a resumed run first cuts the
 * log to the length at the checkpoint, so that repeated steps have no second lines
 * - checkpoint: the last checkpoint (models/learn/train/train_checkpoint.h), replaced as a whole
 * - weights.safetensors: at the end
 * The folder is locked while it is open, so two processes cannot work on one run. */
#ifndef F2L_TRAIN_DIR_H
#define F2L_TRAIN_DIR_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_train_dir {
    char *path, *checkpoint, *weights; /* the folder and two files in it */
    char identity[65];                 /* SHA-256 of config.json: checkpoints depend on it */
    /* private */
    char *log_path;
    int log;            /* file descriptor, -1: closed; holds the lock */
    uint64_t log_bytes; /* bytes of whole lines */
} f2l_train_dir;

/* The origin of a run; NULL members are left out. */
typedef struct f2l_train_provenance {
    const char *version, *commit, *grammar_sha256, *date, *backend;
    const char *weights_sha256;  /* of given first weights */
    const char *const *argument; /* the command, [arguments]; borrowed */
    size_t arguments;
} f2l_train_provenance;

void f2l_train_dir_init(f2l_train_dir *dir);
/* Closes and unlocks the folder. */
void f2l_train_dir_clear(f2l_train_dir *dir);

/* Makes the folder; an existing folder must be empty, otherwise F2L_EEXIST. `config` is a JSON
 * text. The folder appears under its name when it is complete: a process that is killed earlier may
 * leave PATH.f2l-tmp-XXXXXX, but never half a run. (An empty folder that existed is filled in
 * place.) After a failure nothing is left. */
f2l_status f2l_train_dir_create(f2l_train_dir *dir, const char *path, const char *config,
                                const f2l_train_provenance *provenance, f2l_error *err);

/* A further file for f2l_train_dir_create_with, which otherwise works as f2l_train_dir_create. */
typedef struct f2l_train_dir_file {
    const char *name, *bytes;
    size_t size;
} f2l_train_dir_file;
f2l_status f2l_train_dir_create_with(f2l_train_dir *dir, const char *path, const char *config,
                                     const f2l_train_provenance *provenance,
                                     const f2l_train_dir_file *file, size_t files, f2l_error *err);

/* Opens the folder of a run to resume. F2L_EDOMAIN when its config.json is different or a process
 * works on it; files that a killed process left half written are removed. */
f2l_status f2l_train_dir_open(f2l_train_dir *dir, const char *path, const char *config,
                              f2l_error *err);

/* Appends a line, given without its newline; after a failure the log ends with the line before. */
f2l_status f2l_train_dir_line(f2l_train_dir *dir, const f2l_buf *line, f2l_error *err);
/* Makes the log reach the disk. */
f2l_status f2l_train_dir_sync(f2l_train_dir *dir, f2l_error *err);
/* Cuts the log to its first `bytes` bytes; a shorter log stays as it is. */
f2l_status f2l_train_dir_cut(f2l_train_dir *dir, uint64_t bytes, f2l_error *err);

#endif
