/* The table of commands, and texts made from it: --help and the man page. */
#ifndef F2L_USAGE_H
#define F2L_USAGE_H

#include "cli/options.h"
#include "numeric/base/text.h"

/* All commands, NULL-terminated; the first is the main job. */
extern const f2l_command *const f2l_commands[];

/* Returns the command of this name, or NULL. The main job has no name. */
const f2l_command *f2l_command_find(const char *name);
/* Returns the command name nearest to `name`, or NULL when none is near. */
const char *f2l_command_nearest(const char *name);

/* Append the text of --help, and the man page. */
void f2l_usage_help(f2l_buf *out, const f2l_command *command);
void f2l_usage_man(f2l_buf *out, const char *version);

#endif
