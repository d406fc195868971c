/* The output folder OUT: written beside its final name and renamed, so that it is whole or absent.
 * When a better result may still come, the files are written as a stage: a folder inside the
 * temporary folder. The last complete stage is kept. The structure owns its strings. */
#ifndef F2L_OUTDIR_H
#define F2L_OUTDIR_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stdbool.h>
#include <stddef.h>

/* The files that a folder may hold. */
typedef struct f2l_outdir_kind {
    const char *const *names; /* NULL-terminated: --force may remove them, and an emergency must */
    const char *mark; /* --force replaces only a folder that is empty or holds this one of them;
                       * NULL: any of them will do */
    /* NULL, or NULL-terminated: folders in it, which are made when it is opened. Their files are
     * named "FOLDER/NAME". Such an output is never replaced. */
    const char *const *folders;
} f2l_outdir_kind;

typedef struct f2l_outdir {
    const f2l_outdir_kind *kind;  /* borrowed */
    char *final_path, *temporary; /* temporary is OUT.f2l-tmp-NNNNNN */
    char *aside;                  /* OUT.old-NNNNNN while a commit replaces an old folder */
    bool force;
    bool held;      /* OUT is there, and files are moved into it */
    bool hasty;     /* true when a commit must not wait for the disk: the files are not flushed */
    bool committed; /* true after a commit: the temporary folder is gone */
    unsigned complete, begun; /* numbers of stages, 1 or 2; 0: none */
} f2l_outdir;

/* Creates the temporary folder. F2L_EEXIST when OUT exists and not `force`, or its parent cannot be
 * written. With `force` an existing OUT is replaced only if it is a folder that holds nothing but
 * our files (or is empty). */
f2l_status f2l_outdir_open(f2l_outdir *dir, const char *path, bool force, f2l_error *err);
/* The same for a folder of another kind; NULL: for OUT of a compiled network. */
f2l_status f2l_outdir_open_kind(f2l_outdir *dir, const char *path, const f2l_outdir_kind *kind,
                                bool force, f2l_error *err);

/* The same in a folder OUT that is there, in which the caller alone works (cli/work/lock.h). What
 * an earlier process made of the kind, whole or not, is removed; other files stay. The temporary
 * folder lies in OUT, and a commit moves the files into OUT one after the other: whoever reads them
 * looks at the caller's record first. */
f2l_status f2l_outdir_open_held(f2l_outdir *dir, const char *path, const f2l_outdir_kind *kind,
                                f2l_error *err);

/* Writes one file into the stage that was begun, or else into the temporary folder itself: one that
 * the kind of the folder names, of OUT one of automaton.fsa, network.lrnn, certificate.cert,
 * weights.safetensors, report.json (F2L_EDOMAIN otherwise), each once. */
f2l_status f2l_outdir_write(f2l_outdir *dir, const char *name, const void *bytes, size_t n,
                            f2l_error *err);

/* Copies the file at `path` like f2l_outdir_write, without holding it in memory. Sets the number of
 * its bytes and their SHA-256. F2L_UNKNOWN when the task says stop. */
f2l_status f2l_outdir_copy(f2l_outdir *dir, const char *name, const char *path,
                           const f2l_task *task, size_t *bytes, char sha256[65], f2l_error *err);

/* Begins a stage; a complete stage is kept until f2l_outdir_complete_stage. */
f2l_status f2l_outdir_begin_stage(f2l_outdir *dir, f2l_error *err);
/* Removes the stage that was begun; does nothing when there is none. */
void f2l_outdir_drop_stage(f2l_outdir *dir);
/* Marks the stage that was begun as complete, in constant time. Returns the number of the stage
 * that it replaces (0: none), which the caller removes by f2l_outdir_remove_stage. */
unsigned f2l_outdir_complete_stage(f2l_outdir *dir);

/* Removes the folder of the stage with this number; 0: nothing. */
void f2l_outdir_remove_stage(f2l_outdir *dir, unsigned stage);
/* Writes a file of the complete stage again. */
f2l_status f2l_outdir_rewrite(f2l_outdir *dir, const char *name, const void *bytes, size_t n,
                              f2l_error *err);

/* Flushes the files of the complete stage, or else of the temporary folder itself, to the disk. */
f2l_status f2l_outdir_flush(const f2l_outdir *dir, f2l_error *err);

/* Flushes the files, and renames the complete stage, or else the temporary folder itself, to the
 * final name (an old one is moved aside first and removed after). Meanwhile another thread may
 * write into a begun stage, but do nothing else; its write then fails. */
f2l_status f2l_outdir_commit(f2l_outdir *dir, f2l_error *err);

/* Removes the temporary folder unless committed; frees. Idempotent. */
void f2l_outdir_close(f2l_outdir *dir);

/* Removes the temporary folder with its stages using only async-signal-safe calls (for handlers and
 * out-of-memory exits). Another thread may be writing into it. */
void f2l_outdir_abandon(const f2l_outdir *dir);

#endif
