/* What the main job and `compile` share: the record of their options, the job, and writing OUT. */
#ifndef F2L_COMPILE_JOB_H
#define F2L_COMPILE_JOB_H

#include "cli/cli.h"
#include "cli/grammar.h"
#include "numeric/base/outdir.h"
#include "reports/compile/report.h"

typedef struct f2l_compile_arguments {
    const char *out, *regex, *alphabet, *symbols;
    bool force, sink, numeric, gated;
    size_t label, keys, cascade, target, schedule, require;
    f2l_chosen formats;
    uint64_t limit, max_states, max_sets, effort;
    /* `compile` only. */
    bool pareto;
    uint64_t layers, householders, key_dim;
    f2l_chosen exact_in;
} f2l_compile_arguments;

/* The best VERIFIED network so far: its files are the complete stage of OUT. What is to be said of
 * it depends on what ends the search, and is made beforehand, for one that leaves no time. */
typedef struct f2l_compile_stage {
    const char *theorem, *variant; /* of the network; NULL: there is none */
    f2l_report_file file[8];
    size_t files;
    f2l_weights_report weights;
    int verdict; /* the exit status */
    f2l_buf report[F2L_COMPILE_INTERRUPTED + 1],
        printed[F2L_COMPILE_INTERRUPTED + 1]; /* by
                                                 f2l_compile_end
                                               */
} f2l_compile_stage;

typedef struct f2l_compile_cli {
    f2l_cli cli;
    f2l_compile_arguments o;
    const char *source, *out; /* the user's file as messages name it; OUT, NULL: nothing is written
                               */
    f2l_buf out_name, bytes, symbols;
    f2l_outdir dir;
    f2l_grammar grammar;
    f2l_compile_options compile;
    f2l_compile_result compiled;
    f2l_report report;
    f2l_compile_listener listener;
    f2l_compile_stage stage;
    bool published; /* OUT is there, and `status` the exit status */
    int status;
    double start;
} f2l_compile_cli;

/* Fills the report for a result. */
f2l_status f2l_compile_cli_describe(f2l_compile_cli *j, const f2l_compile_result *result,
                                    f2l_error *err);

/* The list, the report, or the summary, whichever is to be printed. */
f2l_status f2l_compile_cli_render(const f2l_compile_cli *j, f2l_buf *text, const f2l_buf *json,
                                  f2l_error *err);

/* The exit status for the verdicts. */
int f2l_compile_cli_verdict(const f2l_compile_cli *j, const f2l_compile_result *result);

/* Everything that OUT holds, as its complete stage; *json becomes the report as well, for --json.
 */
f2l_status f2l_compile_cli_write(f2l_compile_cli *j, f2l_buf *json, f2l_error *err);

/* --pareto: the head of the list before the search, which prints the rows as they come, and the
 * rest after it; all of it after it with --json. 0, or the exit status after the message. */
int f2l_compile_cli_list_begin(f2l_compile_cli *j);
int f2l_compile_cli_list_end(f2l_compile_cli *j);

/* --- while the search goes on (cli/compile/compile_stage.c) --- */

/* From now on the search tells of better networks, and an emergency publishes the last one. */
void f2l_compile_cli_listen(f2l_compile_cli *j);
/* The files of the result are the stage's already. */
bool f2l_compile_cli_is_staged(const f2l_compile_cli *j, const f2l_compile_result *result);
/* Publishes the stage, if there is one, and says so; returns the exit status. Nobody else touches
 * OUT. */
int f2l_compile_cli_leave(f2l_compile_cli *j, f2l_watchdog_cause cause);
/* Nothing is published any more, and what was not is removed. */
void f2l_compile_cli_close(f2l_compile_cli *j);
/* Frees, once the result is delivered. */
void f2l_compile_cli_clear_stage(f2l_compile_cli *j);

/* Writes all files but the report, as f2l_compile_cli_describe has it, and notes them there. */
f2l_status f2l_compile_cli_put(f2l_compile_cli *j, f2l_error *err);

#endif
