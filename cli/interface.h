/* Commands that are written on the public interface (include/fsa2lrnn.h): its errors as messages of
 * the program, and the limits of the program as a task of the interface. */
#ifndef F2L_CLI_INTERFACE_H
#define F2L_CLI_INTERFACE_H

#include "cli/cli.h"
#include "include/fsa2lrnn.h"

/* Prints the error with the name of the file (NULL: none) and returns the exit status. */
int f2l_cli_refuse(f2l_cli *cli, const char *file, const fsa2lrnn_error *err);

/* Returns a task with the limits of the program, which reports its progress and is cancelled with
 * it; borrows *cli. */
fsa2lrnn_task f2l_cli_interface_task(f2l_cli *cli);

#endif
