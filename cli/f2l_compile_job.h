/* What the main job and `compile` share: the record of their options, the job, and writing OUT. */
#ifndef F2L_COMPILE_JOB_H
#define F2L_COMPILE_JOB_H

#include "f2l_cli.h"
#include "f2l_grammar.h"
#include "f2l_outdir.h"
#include "f2l_report.h"

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

typedef struct f2l_compile_cli {
    f2l_cli cli;
    f2l_compile_arguments o;
    const char *source, *out; /* the user's file as messages name it; OUT, NULL: nothing is written */
    f2l_buf out_name, bytes, symbols;
    f2l_outdir dir;
    f2l_grammar grammar;
    f2l_compile_options compile;
    f2l_compile_result compiled;
    f2l_report report;
    f2l_compile_listener listener; /* --pareto: who prints the rows */
    double start;
} f2l_compile_cli;

/* Fills the report for the result. */
f2l_status f2l_compile_cli_describe(f2l_compile_cli *j, f2l_error *err);

/* Everything that OUT holds; *json becomes the report as well, for --json. */
f2l_status f2l_compile_cli_write(f2l_compile_cli *j, f2l_buf *json, f2l_error *err);

/* --pareto: the head of the list before the search, which prints the rows as they come, and the rest after it; all of it
 * after it with --json. 0, or the exit status after the message. */
int f2l_compile_cli_list_begin(f2l_compile_cli *j);
int f2l_compile_cli_list_end(f2l_compile_cli *j);

#endif
