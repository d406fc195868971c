/* Locks on files, by which processes of one machine or of several keep out of each other's way. */
#ifndef F2L_LOCK_H
#define F2L_LOCK_H

#include <stdbool.h>

/* Locks a file that is open for writing. The lock is the system's, of the open file: it ends when
 * that is closed, by this process and by those that it forked, so in every case with them. Where
 * the system has only locks of processes (POSIX), it ends when the process closes any descriptor of
 * the file. A process that was just killed may still exist, so this waits up to half a second.
 * False, with errno, when another open file holds the lock (EACCES, EAGAIN) or locking failed. */
bool f2l_lock_file(int file);

/* The same without waiting. */
bool f2l_lock_file_now(int file);

/* Returns whether the name in the folder, both as fstatat takes them with these flags, still is the
 * open file or folder: who has waited for a lock may have got it of a file that was removed, or
 * replaced by a new one, or of a folder that has another name now. */
bool f2l_lock_is_named(int file, int folder, const char *name, int flags);

#endif
