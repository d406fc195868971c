/* The names in a folder. */
#ifndef F2L_FOLDER_H
#define F2L_FOLDER_H

#include "numeric/base/status.h"
#include <stddef.h>

typedef struct f2l_folder_names {
    char **name; /* [count] owned */
    size_t count, capacity;
} f2l_folder_names;

/* Fills *out with the names that begin and end with these texts and have something between them, in
 * the order of their bytes; "." and ".." are not among them. F2L_EIO, whose message is the system's
 * reason alone, when the folder cannot be opened. After an error *out is empty. */
f2l_status f2l_folder_read(f2l_folder_names *out, const char *folder, const char *begin,
                           const char *end, f2l_error *err);
void f2l_folder_names_clear(f2l_folder_names *names); /* zero allowed; zero after */

#endif
