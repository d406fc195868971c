/* The commands, one file each. */
#ifndef F2L_COMMANDS_H
#define F2L_COMMANDS_H

#include "cli/options.h"
#include "library/settings.h"

/* `f2l_command_main` is the main job, which has no name. */
extern const f2l_command f2l_command_main, f2l_command_compile, f2l_command_new, f2l_command_fsa,
    f2l_command_run, f2l_command_cascade, f2l_command_census, f2l_command_classify,
    f2l_command_group, f2l_command_parity, f2l_command_round, f2l_command_obstruct,
    f2l_command_train, f2l_command_evaluate, f2l_command_import, f2l_command_inspect,
    f2l_command_compare, f2l_command_horizon, f2l_command_snap, f2l_command_starts,
    f2l_command_reproduce, f2l_command_sample, f2l_command_report, f2l_command_check,
    f2l_command_help, f2l_command_completion;
extern const f2l_command f2l_command_export, f2l_command_check_export, f2l_command_inject,
    f2l_command_certify, f2l_command_choose, f2l_command_plan, f2l_command_table,
    f2l_command_vectors, f2l_command_engines, f2l_command_ladder;

#endif
