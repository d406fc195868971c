/* The names in a folder, numbers in order. */
#ifndef F2L_FOLDER_LIST_H
#define F2L_FOLDER_LIST_H

#include "numeric/base/folder.h"

/* Fills *out as f2l_folder_read does, but numbers in the names are in the order of their values,
 * and *out is empty where the folder cannot be read. */
f2l_status f2l_folder_list(f2l_folder_names *out, const char *folder, const char *begin,
                           const char *end, f2l_error *err);

#endif
