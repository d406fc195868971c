/* The job of `plan`: the command that is planned, and its units of work. */
#ifndef F2L_PLAN_JOB_H
#define F2L_PLAN_JOB_H

#include "cli/cli.h"
#include "cli/input_options.h"
#include <jansson.h>

#define F2L_PLAN_LINES 1000 /* the most lines, unless --max-lines says more */

typedef struct f2l_plan_options {
    const char *out, *list, *run;
    double chunk;       /* seconds; 0: no chunks */
    uint64_t max_lines; /* 0: F2L_PLAN_LINES */
} f2l_plan_options;

/* The command that is planned, read as the command itself would read it. */
typedef struct f2l_planned {
    const f2l_command *command;
    void *job; /* room for the command's job, of which the record of the options is used */
    f2l_global global;
    f2l_given given;
    char **operand; /* [operands] */
    size_t operands;
    const char **word; /* [words] the options as they were given */
    size_t words;
    const f2l_input_options *input; /* how automata are read; NULL: the operands are none */
    char **copy;                    /* of the arguments */
} f2l_planned;

typedef struct f2l_plan_unit {
    char *path; /* NULL: the unit reads no file */
    char sha256[65], canonical[65];
    size_t number; /* among the inputs */
    size_t first; /* number of the first input with the same automaton: the one that is worked on */
    double cost;  /* seconds */
    f2l_buf folder, line;
} f2l_plan_unit;

typedef struct f2l_plan_job {
    f2l_cli cli;
    f2l_plan_options o;
    f2l_planned planned;
    f2l_buf out;         /* the folder of all units */
    json_t *asked;       /* the lists `settings` and `inputs` of the options */
    f2l_plan_unit *unit; /* [units] */
    size_t units, capacity;
    size_t left_out; /* inputs that cannot be read, or lines that are no units */
    f2l_facts told;  /* of --run --json: the report, whose list `unread` has the lines left out */
    f2l_fact unread; /* that list, where `told` is used */
    size_t links;    /* to folders, in folders that were searched: they are not followed */
} f2l_plan_job;

/* Reads the command after `--`. Returns 0 or the exit status after the message. */
int f2l_plan_read_command(f2l_plan_job *j);
void f2l_planned_clear(f2l_planned *planned);

/* Finds the inputs in operands, folders and the list, each once. Returns 0 or the exit status. */
int f2l_plan_find_inputs(f2l_plan_job *j);

/* Takes an input: reads it and appends a unit, or counts it as left out, with a message that begins
 * with `where` (NULL: the path). */
f2l_status f2l_plan_take(f2l_plan_job *j, const char *path, const char *where, f2l_error *err);
/* Says why an input is left out, and counts it. */
void f2l_plan_leave_out(f2l_plan_job *j, const char *where, const f2l_error *why);
/* Returns the exit status for those that were left out, `what` they are in words; with --quiet
 * their number is told, since nothing else says why the status is not 0. */
int f2l_plan_tell_left_out(f2l_plan_job *j, const char *where, const char *what);

/* Sets sha256, canonical and cost of an input. */
f2l_status f2l_plan_look_at(f2l_plan_unit *unit, f2l_plan_job *j, f2l_error *err);

/* Finds equal automata, names the folders and makes the lines; the units are then the lines, the
 * longest first. */
f2l_status f2l_plan_make_lines(f2l_plan_job *j, f2l_error *err);

/* Makes the lines of `reproduce`, which plans its runs itself. Returns 0 or the exit status. */
int f2l_plan_take_runs(f2l_plan_job *j);

/* Joins units that are shorter than --chunk to chunks. */
f2l_status f2l_plan_make_chunks(f2l_plan_job *j, f2l_error *err);

/* Puts the longest first. */
void f2l_plan_sort(f2l_plan_job *j);

/* Appends an empty unit. */
f2l_status f2l_plan_add(f2l_plan_unit **unit, f2l_plan_job *j, f2l_error *err);
void f2l_plan_unit_clear(f2l_plan_unit *unit);

/* Puts the words as argv and command. */
void f2l_plan_say_command(f2l_fact line, const char *const *word, size_t words);

/* Does the work of a plan's lines, one after the other. Returns the exit status. */
int f2l_plan_run(f2l_plan_job *j);

/* Runs the program with these words, which end with NULL, and waits for it; appends what it prints
 * to *printed (NULL: it prints to standard output). A signal or a limit that ends this process is
 * passed on. Returns the exit status, 128 + n for a program that was ended by signal n. */
int f2l_plan_spawn(f2l_buf *printed, const char *const *argv, f2l_cli *cli);

#endif
