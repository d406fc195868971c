/* The names in a folder. */
#ifndef F2L_FOLDER_LIST_H
#define F2L_FOLDER_LIST_H

#include "numeric/base/status.h"
#include <stddef.h>

typedef struct f2l_folder_names {
    char **name; /* [count] in ascending order, numbers in them by value; owned */
    size_t count, capacity;
} f2l_folder_names;

/* Fills *out with the names that begin and end with these texts, and have something between them;
 * empty where the folder cannot be read. */
f2l_status f2l_folder_list(f2l_folder_names *out, const char *folder, const char *begin,
                           const char *end, f2l_error *err);
void f2l_folder_names_clear(f2l_folder_names *names);

#endif
