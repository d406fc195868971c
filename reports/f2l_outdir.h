/* The output folder OUT: written beside its final name and renamed, so that it is whole or absent. */
#ifndef F2L_OUTDIR_H
#define F2L_OUTDIR_H

#include "f2l_status.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct f2l_outdir {
    char *final_path, *temporary; /* temporary is OUT.tmp-NNNNNN until committed */
    char *aside;                  /* OUT.old-NNNNNN while a commit replaces an old folder */
    bool force;
} f2l_outdir;

/* Creates the temporary folder. F2L_EEXIST when OUT exists and not `force`, or its parent cannot be written.
 * With `force` an existing OUT is replaced only if it is a folder that holds nothing but our files (or is
 * empty). */
f2l_status f2l_outdir_open(f2l_outdir *dir, const char *path, bool force, f2l_error *err);

/* Writes and flushes one file in the temporary folder: one of automaton.fsa, network.lrnn, certificate.cert,
 * weights.safetensors, report.json (F2L_EDOMAIN otherwise), each once. */
f2l_status f2l_outdir_write(f2l_outdir *dir, const char *name, const void *bytes, size_t n, f2l_error *err);

/* Renames the folder to its final name (an old one is moved aside first and removed after). */
f2l_status f2l_outdir_commit(f2l_outdir *dir, f2l_error *err);

/* Removes the temporary folder unless committed; frees. Idempotent. */
void f2l_outdir_close(f2l_outdir *dir);

/* Removes the temporary folder using only async-signal-safe calls (for handlers and out-of-memory exits). */
void f2l_outdir_abandon(const f2l_outdir *dir);

#endif
