/* Which lrnn-check is run, and what its reasons tell. */
#ifndef F2L_LIBRARY_CHECKER_H
#define F2L_LIBRARY_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum library_checker_place {
    LIBRARY_CHECKER_NONE,
    LIBRARY_CHECKER_BESIDE, /* in bin above the folder of this library, or beside this program */
    LIBRARY_CHECKER_ON_PATH
} library_checker_place;

/* Sets `path` to the lrnn-check that a check without a named one runs: a verdict is worth what this
 * program is worth. It is looked for beside the file of the library, or of the program that the
 * library is linked into, as the system names that file and never as the caller of the program
 * does, but not where the library was loaded by a path that does not begin with /; then in the
 * folders of PATH, those with absolute names. */
library_checker_place library_checker_find(char *path, size_t room);

/* Returns whether the reason, the first line of lrnn-check's standard error, is one of its machine:
 * memory that the system refused, a companion program that is missing, files that it could not
 * read. It has not looked at the files then, and elsewhere it may. */
bool library_checker_is_of_machine(const char *reason);

#endif
