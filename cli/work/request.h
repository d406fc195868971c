/* What is asked for in a folder: the part of the record that other work does not share. */
#ifndef F2L_WORK_REQUEST_H
#define F2L_WORK_REQUEST_H

#include "numeric/base/text.h"
#include <jansson.h>

/* Adds an input: a file, or a folder, whose hash is the hash of its automaton, network,
 * certificate, weights and configuration. `beside`: those that lie beside the file count, too.
 * F2L_EIO when it cannot be read. */
f2l_status f2l_work_add_input(json_t *record, const char *path, bool beside, f2l_error *err);

/* Adds the setting "--NAME=VALUE", or, where value is NULL, "NAME". */
f2l_status f2l_work_add_setting(json_t *record, const char *name, const char *value,
                                f2l_error *err);

/* Puts the settings in the order of their names. */
f2l_status f2l_work_sort_settings(json_t *record, f2l_error *err);

/* Sets *sha256 to the hash of a file or folder, as f2l_work_add_input does. */
f2l_status f2l_work_hash(char sha256[65], const char *path, bool beside, f2l_error *err);

/* Sets *sha256 to the hash of the automaton, network, certificate, weights and configuration in the
 * folder, as f2l_work_hash does; "" where it has none of them. */
f2l_status f2l_work_hash_made(char sha256[65], const char *folder, f2l_error *err);

/* Returns the first element of the list that the other list has not; NULL: it has all of them. */
const json_t *f2l_work_missing(const json_t *other, const json_t *list);

/* F2L_EDOMAIN, with the first difference, when the record of the folder is about other work than
 * the one that is asked for: another job, input, setting, version or commit. */
f2l_status f2l_work_compare(const json_t *there, const json_t *asked, const char *folder,
                            f2l_error *err);

#endif
