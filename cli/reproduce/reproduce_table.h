/* The table of `reproduce`: outcomes of folders, files and plans beside the published numbers. */
#ifndef F2L_REPRODUCE_TABLE_H
#define F2L_REPRODUCE_TABLE_H

#include "cli/cli.h"
#include "reports/training/reproduce_report.h"

/* Merges the outcomes of the report, which are *list, and prints it. Returns 0, or the exit status
 * after the message. */
int f2l_reproduce_table_print(f2l_cli *cli, const f2l_reproduce_report *report, f2l_outcomes *list);

/* Prints the table of the operands: folders, files of outcomes, plans, and a preset to which the
 * table is restricted (a file with the name of a preset is given as ./NAME). *list is empty at
 * first. Returns 0, or the exit status after the message. */
int f2l_reproduce_table_show(f2l_cli *cli, f2l_outcomes *list);

#endif
