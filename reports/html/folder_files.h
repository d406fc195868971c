/* The files of a folder that a page shows. */
#ifndef F2L_FOLDER_FILES_H
#define F2L_FOLDER_FILES_H

#include "automata/fsa/fsa.h"
#include "reports/page/page.h"

/* Reads a file of the folder into *bytes, which stays empty when the file is missing, cannot be
 * read or has more than `most` bytes. */
f2l_status f2l_folder_bytes(f2l_buf *bytes, const char *folder, const char *name, size_t most,
                            f2l_error *err);

/* Appends the section about automaton.fsa, where there is one. Copies the names of its letters to
 * *letters (initialised empty; NULL: they are not wanted). */
f2l_status f2l_folder_automaton(f2l_page *page, const char *folder, f2l_names *letters,
                                f2l_error *err);

#endif
