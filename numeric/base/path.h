/* Parts of a path, which are bytes of the path itself and are not looked up; and what is there.
 * Only f2l_path_is_empty needs memory. */
#ifndef F2L_PATH_H
#define F2L_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* What follows the last slash; the whole path where nothing follows it, or there is none: "c" of
 * "a/b/c", "a/" of "a/", "/" of "/", "" of "". */
const char *f2l_path_base(const char *path);

/* How many bytes of a base name come before its last extension, which begins with a full stop: 1
 * for "a.fsa", 3 for "a.b.fsa", 1 for "a". A name that is only an extension counts as a whole: 4
 * for ".fsa". */
size_t f2l_path_stem(const char *base);

/* How many bytes of the path come before slashes at its end: 3 for "a/b/", 1 for "/" and "//". */
size_t f2l_path_trimmed(const char *path);

/* How many bytes of the path name its folder, the last slash included: 2 for "a/b", 1 for "/b" and
 * "/", 0 for "b" and "". */
size_t f2l_path_folder(const char *path);

/* Return whether the path, or a name, ends with these bytes, and whether there are others before
 * them. */
bool f2l_path_ends(const char *path, const char *ending);
bool f2l_path_is_named(const char *path, const char *ending);

/* Return whether there is a folder at the path, and whether there is one that can be read and is
 * empty. */
bool f2l_path_is_folder(const char *path);
bool f2l_path_is_empty(const char *path);

/* Returns whether an entry of a folder is the folder itself, or the one above it. */
bool f2l_path_is_dots(const char *name);

/* Returns whether the folder has a file of that name that is not a folder. */
bool f2l_path_has(const char *folder, const char *name);

#endif
