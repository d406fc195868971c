/* The folder of a unit of work, in which one process works at a time: folders are made with those
 * above them, and a file in it is locked, on this machine or on another one that sees the same file
 * system. */
#ifndef F2L_WORK_LOCK_H
#define F2L_WORK_LOCK_H

#include "numeric/base/text.h"
#include <stdbool.h>

#define F2L_WORK_LOCK "work.lock" /* the file that is locked beside work.json */

/* Makes the folder and those above it that are missing; sets *made to the number of folders that
 * were made. F2L_EEXIST when one cannot be made. */
f2l_status f2l_work_make_folder(size_t *made, const char *folder, f2l_error *err);

/* Removes the folder, which must be empty, and the folders above it, `made` in all. */
void f2l_work_remove_folder(size_t made, const char *folder);

/* Returns whether the folder has no file but the record of the work, its lock, and what a process
 * that was killed left of writing the record. */
bool f2l_work_is_new(const char *folder);

/* Removes what a process that was killed left of writing the record, the result, pages or the files
 * of these names, of which each may be NULL; the caller has locked the folder. */
void f2l_work_sweep(const char *folder, const char *file, const char *result);

/* Opens the file of the folder and locks it; `make`: one that is missing is made. *lock is a file
 * descriptor, -1 after a failure; the lock ends when it is closed, and with the process in every
 * case. F2L_EDOMAIN: another process works on the folder. */
f2l_status f2l_work_lock(int *lock, const char *folder, const char *name, bool make,
                         f2l_error *err);

/* Makes the locked file have the text. A beginning of it, which a killed process left, is
 * completed; F2L_EDOMAIN for any other text. */
f2l_status f2l_work_settle(int lock, const char *folder, const char *name, const f2l_buf *text,
                           f2l_error *err);

#endif
