/* --continue: a command in a folder of its own, with a record of the work (cli/work/record.h). One
 * command begins the work, goes on with it after a kill where the command has checkpoints, or does
 * nothing where it is done. f2l_cli_run calls this for every command that has an f2l_work_kind. */
#ifndef F2L_CLI_CONTINUE_H
#define F2L_CLI_CONTINUE_H

#include "cli/options.h"
#include "numeric/base/outdir.h"
#include "numeric/base/text.h"
#include <jansson.h>

struct f2l_cli;

/* What a command does with the folder of its work. */
typedef struct f2l_work_kind {
    const char *file;   /* what its --out names in the folder; NULL: --out is the folder itself, or
                         * it has no --out */
    const char *result; /* the file with the JSON result that it writes; NULL: the JSON that it
                         * prints is kept as result.json */
    const char *printed_with; /* the option with which the printed JSON is the result all the same;
                               * NULL: none */
    bool own_out;             /* it has an option --out of its own */
    bool draws;               /* it draws pages about a network in the folder */
    bool keeps; /* it goes on from its checkpoints, refuses other work, and does nothing when
                 * all is done */
} f2l_work_kind;

/* The options of such a command; the second table, where the command has no --out of its own. */
extern const f2l_option f2l_work_table[], f2l_work_out_table[];
#define F2L_WORK_TITLE "Options for work that is continued"

/* The work of one process; all zero: there is none. */
typedef struct f2l_work {
    bool on;            /* the folder is locked, and its record says begun */
    const char *folder; /* borrowed */
    f2l_buf file;       /* the path that --out has in the folder */
    f2l_buf printed;    /* the JSON that was printed, where it is the result */
    bool keeps_printed; /* standard output is kept in `printed` */
    bool echoes;        /* and printed: --json was given */
    size_t made;        /* folders that were made */
    bool renewed;       /* the folder had no record */
    int lock;
    double start;
    char reason[400]; /* the last message of an error */
    json_t *record;
} f2l_work;

/* Takes up the folder where --continue was given. Returns 0 where the command is to be run, or sets
 * *over and returns the exit status: wrong usage, work that is done, or cannot be done here. */
int f2l_continue_begin(struct f2l_cli *cli, bool *over);

/* Writes result and record after the command ended with the exit status, and returns the status
 * with --continue: 0: the work is done; 2: a limit or a signal ended it. */
int f2l_continue_end(struct f2l_cli *cli, int status);

/* The same in an emergency of the watchdog, without printing. */
int f2l_continue_leave(struct f2l_cli *cli, int status);

/* Closes the folder and frees the record. */
void f2l_continue_clear(struct f2l_cli *cli);

/* Opens an output folder: with --continue the folder of the work, otherwise a new one, or with
 * `force` one that is replaced; with --continue any other folder is replaced. */
f2l_status f2l_continue_outdir(f2l_outdir *dir, const struct f2l_cli *cli, const char *path,
                               const f2l_outdir_kind *kind, bool force, f2l_error *err);

#endif
