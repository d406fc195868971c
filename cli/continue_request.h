/* The record of the work that a command line asks for. */
#ifndef F2L_CLI_CONTINUE_REQUEST_H
#define F2L_CLI_CONTINUE_REQUEST_H

#include "cli/cli.h"

/* The options of a command line, and its words after the command. */
typedef struct f2l_asked {
    const f2l_command *command;
    const f2l_given *given;
    const char *const *word; /* [words] */
    size_t words;
} f2l_asked;

/* Adds the options that matter for the result to the lists `settings`, in order of their names, and
 * `inputs` of the record. F2L_EIO when an input cannot be read. */
f2l_status f2l_continue_options(json_t *record, const f2l_asked *asked, f2l_error *err);

/* Makes the record, with state begun, in cli->work.record. F2L_EIO when an input cannot be read. */
f2l_status f2l_continue_request(f2l_cli *cli, f2l_error *err);

#endif
