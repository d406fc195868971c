/* The names in a folder, and walks through folders. */
#ifndef F2L_FOLDER_H
#define F2L_FOLDER_H

#include "numeric/base/status.h"
#include <stdbool.h>
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

typedef enum f2l_folder_kind {
    F2L_FOLDER_ITSELF, /* before what is in it */
    F2L_FOLDER_FILE,   /* a regular file, or a link to one */
    F2L_FOLDER_LINK,   /* a link to a folder, which is not followed */
    F2L_FOLDER_DEEP,   /* a folder that is too deep */
    F2L_FOLDER_CLOSED  /* a folder that cannot be opened: *err has the system's reason */
} f2l_folder_kind;

/* What a walk meets. */
typedef struct f2l_folder_found {
    const char *path;
    f2l_folder_kind kind;
    size_t depth; /* 0: the folder in which the walk begins */
    bool enter; /* true before the call; a visitor that sets it to false keeps out of the folder */
} f2l_folder_found;

/* Ends the walk unless it returns F2L_OK. */
typedef f2l_status f2l_folder_visit(void *context, f2l_folder_found *found, f2l_error *err);

/* Visits the folder and what is in it, and in folders in it as far as `deepest`, in the order of
 * names. Hidden names, and what is neither file nor folder, are not visited. */
f2l_status f2l_folder_walk(const char *folder, size_t deepest, f2l_folder_visit *visit,
                           void *context, f2l_error *err);

#endif
