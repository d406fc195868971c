/* Types and functions that the main job and `compile` share: the record of their options, the job,
 * and writing OUT. */
#ifndef F2L_COMPILE_JOB_H
#define F2L_COMPILE_JOB_H

#include "cli/cli.h"
#include "cli/input/join.h"
#include "library/settings.h"
#include "numeric/base/outdir.h"
#include "reports/compile/report.h"

typedef struct f2l_compile_arguments {
    f2l_input_options input;
    f2l_join_options join;
    const char *out;
    bool force, no_report;
    bool pareto; /* of `compile` only */
    f2l_settings settings;
} f2l_compile_arguments;

/* The best VERIFIED network so far: its files are the complete stage of OUT. The report depends on
 * the end of the search; the report for every end is made beforehand, for an end that leaves no
 * time. */
typedef struct f2l_compile_stage {
    const char *theorem, *variant; /* construction of the network; NULL: there is no network */
    f2l_hashed_file file[8];
    size_t files;
    f2l_weights_report weights;
    int verdict;                                  /* exit status for the verdicts */
    f2l_buf report[F2L_COMPILE_INTERRUPTED + 1];  /* [f2l_compile_end] report.json */
    f2l_buf printed[F2L_COMPILE_INTERRUPTED + 1]; /* [f2l_compile_end] text to print */
} f2l_compile_stage;

typedef struct f2l_compile_cli {
    f2l_cli cli;
    f2l_compile_arguments o;
    const char *out; /* OUT; NULL: nothing is written */
    f2l_buf out_name;
    f2l_outdir dir;
    f2l_grammar grammar;
    f2l_compile_options compile;
    f2l_compile_result compiled;
    f2l_layers layers; /* lower bounds */
    f2l_report report;
    f2l_compile_listener listener;
    f2l_compile_stage stage;
    bool published; /* OUT was published, with exit status `status` */
    int status;
    double start;
} f2l_compile_cli;

/* Fills the report for a result. */
f2l_status f2l_compile_cli_describe(f2l_compile_cli *j, const f2l_compile_result *result,
                                    f2l_error *err);

/* Appends the text to print: the list, the report, or the summary. */
f2l_status f2l_compile_cli_render(const f2l_compile_cli *j, f2l_buf *text, const f2l_buf *json,
                                  f2l_error *err);

/* Returns the exit status for the verdicts. */
int f2l_compile_cli_verdict(const f2l_compile_cli *j, const f2l_compile_result *result);

/* Writes all files of OUT as its complete stage; sets *json to the report, for --json. */
f2l_status f2l_compile_cli_write(f2l_compile_cli *j, f2l_buf *json, f2l_error *err);

/* Print the list of --pareto: list_begin prints the head before the search, which prints the rows
 * as they are decided, and list_end the rest after it; with --json list_end prints all of it.
 * Return 0, or the exit status after the message. */
int f2l_compile_cli_list_begin(f2l_compile_cli *j);
int f2l_compile_cli_list_end(f2l_compile_cli *j);

/* --- while the search goes on (cli/compile/compile_stage.c) --- */

/* Makes the search report better networks, of which an emergency publishes the last. */
void f2l_compile_cli_listen(f2l_compile_cli *j);
/* Returns true when the files of the result are already in the complete stage. */
bool f2l_compile_cli_is_staged(const f2l_compile_cli *j, const f2l_compile_result *result);
/* Publishes the stage, if there is one, with a message; returns the exit status. No other thread
 * may touch OUT. */
int f2l_compile_cli_leave(f2l_compile_cli *j, f2l_watchdog_cause cause);
/* Ends publishing, and removes the files that were not published. */
void f2l_compile_cli_close(f2l_compile_cli *j);
/* Frees the stage, once the result is delivered. */
void f2l_compile_cli_clear_stage(f2l_compile_cli *j);

/* Writes all files but the report for the result that f2l_compile_cli_describe described, and
 * records the files in the report. */
f2l_status f2l_compile_cli_put(f2l_compile_cli *j, f2l_error *err);

#endif
