/* A unit of work, which is a line of a plan: a command with its inputs and the folder in which it
 * works. A line is one JSON object:
 *
 *     {"schema":"fsa2lrnn-plan/1","job":"classify",
 *      "inputs":[{"path":"a.att","sha256":"..","canonical":".."}],
 *      "equal":[{"path":"b.att","sha256":"..","canonical":".."}],"options":["--sink"],
 *      "folder":"classify.work/a","cost_seconds":0.5,"version":"0.2.0","commit":"..",
 *      "argv":["fsa2lrnn","classify","a.att","--out","classify.work/a","--continue"],
 *      "command":"fsa2lrnn classify a.att --out classify.work/a --continue"}
 *
 * - job: the command's name; "main": the main job; "chunk": several units in one line.
 * - inputs: the files and folders that the command reads, in the order of its operands. `canonical`
 *   is the SHA-256 of what the automaton computes: letters, and the label after every word; null
 *   where the input is no automaton.
 * - equal: further files with the same automaton, which are not worked on: the result counts for
 *   them, too.
 * - options: the settings that the record of the work will have; a line of `reproduce` has none.
 * - folder: has the record of the work (cli/work/record.h). Its name has no part "..", and is
 *   absolute only where the user named an absolute folder.
 * - argv: the command as words; `command`: the same as a line for a shell.
 * - A chunk has no folder (null), no inputs, and "units": [its units, which are such objects]. Its
 *   command works on them one after the other.
 * - The lines of `reproduce` have further members: preset, setting, model, rate, seed, .. */
#ifndef F2L_UNIT_H
#define F2L_UNIT_H

#include "numeric/base/text.h"
#include <jansson.h>
#include <stdbool.h>

#define F2L_UNIT_SCHEMA "fsa2lrnn-plan/1"
#define F2L_UNIT_CHUNK "chunk"
#define F2L_UNIT_MAIN "main"

/* Reads a line of a plan, which the caller owns (json_decref). F2L_EFORMAT, with the column where
 * it is known, for anything that is not such an object, for one of another schema, for an argv
 * whose program is not fsa2lrnn or that does not end with `--out FOLDER --continue`, and for a
 * folder that has a part "..". */
f2l_status f2l_unit_read(json_t **unit, const char *line, size_t size, f2l_error *err);

/* Return the folder (NULL: a chunk), borrowed, and the estimated seconds of a unit that
 * f2l_unit_read read. */
const char *f2l_unit_folder(const json_t *unit);
double f2l_unit_cost(const json_t *unit);

/* Returns whether a part of the path is "..". */
bool f2l_unit_leaves_folder(const char *path);

/* Appends the word to a line for a shell, after a blank unless the line is empty, in quotes where
 * the shell needs them. */
void f2l_unit_put_word(f2l_buf *line, const char *word);

#endif
