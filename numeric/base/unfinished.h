/* Files that processes were writing when they were killed: f2l_write_file writes
 * NAME.f2l-tmp-XXXXXX, which it holds locked, and renames it. */
#ifndef F2L_UNFINISHED_H
#define F2L_UNFINISHED_H

#include <stdbool.h>
#include <stddef.h>

/* Marks a name as a temporary one, as no user names a file: six letters and digits follow it. */
#define F2L_UNFINISHED_MARK ".f2l-tmp-"
#define F2L_UNFINISHED_ENDING ((size_t)6)

/* Sets the last characters of the name, which ends with the mark and six others, by the process,
 * the time and the number of the attempt. */
void f2l_unfinished_set(char *name, unsigned attempt);

/* Return whether the name is a temporary one of a file or folder of this name, or of one whose name
 * begins and ends so. */
bool f2l_is_unfinished(const char *name, const char *of);
bool f2l_is_unfinished_like(const char *name, const char *begin, const char *end);

/* Removes from the folder all temporary files of files of these names, in which one * stands for
 * any characters ("outcome-*.json"), whose process is gone. One that is being written is left, and
 * so are all where the file system has no locks. Failures to remove are ignored: leftovers do no
 * harm. */
void f2l_sweep_unfinished(const char *folder, const char *const *of, size_t count);

#endif
