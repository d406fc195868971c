/* The folder of a training run:
 *   config.json      what is trained and how: the caller's text, equal for equal runs
 *   provenance.json  version, commit, command, hash of the grammar, date, backend that began it
 *   log.jsonl        one JSON object per line (models/train/train.h); after going on from a
 * checkpoint it is cut to what had been written then, so that lines of steps that are made again
 * are not there twice checkpoint       the last one (models/train/train_checkpoint.h), replaced as
 * a whole weights.safetensors  at the end The folder is locked while it is open, so two processes
 * cannot work on one run. */
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
    uint64_t log_bytes; /* whole lines */
} f2l_train_dir;

/* Who made a run; NULL members are left out. */
typedef struct f2l_train_provenance {
    const char *version, *commit, *grammar_sha256, *date, *backend;
    const char *const *argument; /* the command */
    size_t arguments;
} f2l_train_provenance;

/* Locks an open log. The lock is the system's, so it goes with the process, however that ends; as a
 * process that was killed just now may not be gone yet, this waits up to half a second. False, with
 * errno, when another process holds it or it failed. */
bool f2l_train_dir_lock(int log);

void f2l_train_dir_init(f2l_train_dir *dir);
/* Closes and unlocks. */
void f2l_train_dir_clear(f2l_train_dir *dir);

/* Makes the folder; one that exists must be empty, otherwise F2L_EEXIST. `config` is a JSON text.
 * The folder appears under its name when all is in it: a process that is killed before may leave
 * PATH.tmp-XXXXXX, and never half a run. (A folder that was there, empty, is filled in place.)
 * After a failure nothing is left. */
f2l_status f2l_train_dir_create(f2l_train_dir *dir, const char *path, const char *config,
                                const f2l_train_provenance *provenance, f2l_error *err);

/* The same with further files. */
typedef struct f2l_train_dir_file {
    const char *name, *bytes;
    size_t size;
} f2l_train_dir_file;
f2l_status f2l_train_dir_create_with(f2l_train_dir *dir, const char *path, const char *config,
                                     const f2l_train_provenance *provenance,
                                     const f2l_train_dir_file *file, size_t files, f2l_error *err);

/* Opens a run to go on with. F2L_EDOMAIN when its config.json is another one or a process works on
 * it; what a killed process left half written is removed. */
f2l_status f2l_train_dir_open(f2l_train_dir *dir, const char *path, const char *config,
                              f2l_error *err);

/* Appends a line (without its newline); after a failure the log ends with the line before. */
f2l_status f2l_train_dir_line(f2l_train_dir *dir, const f2l_buf *line, f2l_error *err);
/* What has been written so far reaches the disk. */
f2l_status f2l_train_dir_sync(f2l_train_dir *dir, f2l_error *err);
/* Cuts the log to its first `bytes` bytes; a log that is shorter stays as it is. */
f2l_status f2l_train_dir_cut(f2l_train_dir *dir, uint64_t bytes, f2l_error *err);

#endif
