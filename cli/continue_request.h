/* The record of the work that a command line asks for. */
#ifndef F2L_CLI_CONTINUE_REQUEST_H
#define F2L_CLI_CONTINUE_REQUEST_H

#include "cli/cli.h"

/* Makes the record, with state begun, in cli->work.record. F2L_EIO when an input cannot be read. */
f2l_status f2l_continue_request(f2l_cli *cli, f2l_error *err);

/* Sets the time now, "2026-11-29T17:40:00Z". */
void f2l_continue_time(char text[24]);

#endif
