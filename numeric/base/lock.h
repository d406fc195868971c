/* Locks on files, by which processes of one machine or of several keep out of each other's way. */
#ifndef F2L_LOCK_H
#define F2L_LOCK_H

#include <stdbool.h>

/* Locks a file that is open for writing. The lock is the system's (POSIX), so it ends with the
 * process in every case, and when any descriptor of the file is closed. A process that was just
 * killed may still exist, so this waits up to half a second. False, with errno, when another
 * process holds the lock (EACCES, EAGAIN) or locking failed. */
bool f2l_lock_file(int file);

#endif
