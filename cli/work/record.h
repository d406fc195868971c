/* The record of the work in a folder: work.json, one JSON object in a line.
 *
 *     {"schema":"fsa2lrnn-work/2","job":"classify",
 *      "inputs":[{"path":"a.att","sha256":".."}],"settings":["--label=accept"],
 *      "version":"0.2.0","commit":"..","argv":[..],"command":"..","host":"node1",
 *      "state":"done","exit_status":0,"reason":null,"began":"2026-11-29T17:40:00Z",
 *      "seconds":1.5,"cpu_seconds":1.4,"memory_mib":12.5,"result":"result.json",
 *      "result_sha256":"..","made_sha256":"..","sha256":".."}
 *
 * - job, argv, command: as in a line of a plan (cli/work/unit.h).
 * - inputs: the files and folders that the command reads; the hash of a folder is the one of the
 *   lines "SHA256  NAME\n" of its automaton, network, certificate, weights and configuration.
 * - settings: the options that matter for the result, in order of their names, and operands that
 *   are no files. Work of another job, input, setting, version or commit is refused in the folder.
 * - state: "begun": a process works here, or was killed; "done": the work is done, whatever its
 *   verdict; "failed": it ended without a result, and the same command begins it again or goes on.
 * - exit_status: the command's own exit status, which is its verdict (0, 1 or 2) where the work is
 *   done; null while it is begun.
 * - reason: why it failed, or was not decided, in words; null: there is no reason to tell.
 * - seconds, cpu_seconds, memory_mib (the largest resident memory): of the process that ended the
 *   work; null while it is begun.
 * - result: the file with the JSON result in the folder: report.json of the main job and
 *   `compile`, compare.json, snap.json, export.json, starts.json; result.json of commands that
 * print theirs, as `compile --pareto` does; null where there is none (`reproduce` has its
 * outcomes).
 *
 * - made_sha256: the hash of the automaton, network, certificate, weights and configuration in the
 *   folder when the work was done, as the hash of an input that is a folder; null: there are none.
 * - sha256: the last member, the hash of the object without it, from { to }.
 *
 * The record is replaced as a whole. The lock of the folder is on the file work.lock beside it,
 * because a lock would end with the replaced file. */
#ifndef F2L_WORK_RECORD_H
#define F2L_WORK_RECORD_H

#include "numeric/base/text.h"
#include <jansson.h>

#define F2L_WORK_SCHEMA "fsa2lrnn-work/2"
#define F2L_WORK_FILE "work.json"
#define F2L_WORK_RESULT "result.json"
#define F2L_WORK_BEGUN "begun"
#define F2L_WORK_DONE "done"
#define F2L_WORK_FAILED "failed"

/* Reads the record of a folder; the caller owns it (json_decref). *record is NULL, with F2L_OK,
 * where the folder has none, or one that is cut off, was changed, or is no record of this schema,
 * which counts as none. Needs no lock: a record is whole at every time. */
f2l_status f2l_work_record_read(json_t **record, const char *folder, f2l_error *err);

/* Returns whether the files that the work made are there as they were made. */
bool f2l_work_record_holds(const json_t *record, const char *folder);

/* Return members of a record that f2l_work_record_read read, NULL for null; borrowed from it. */
const char *f2l_work_record_text(const json_t *record, const char *name);
/* Returns the exit status; -1 while the work is begun. */
int f2l_work_record_exit(const json_t *record);

/* Replaces the record of the folder. */
f2l_status f2l_work_record_write(const json_t *record, const char *folder, f2l_error *err);

#endif
