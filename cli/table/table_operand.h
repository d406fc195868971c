/* The operands of `table`: plans, folders of work, and tables as JSON. */
#ifndef F2L_TABLE_OPERAND_H
#define F2L_TABLE_OPERAND_H

#include "cli/cli.h"
#include "reports/table/table.h"

/* Adds what the operand says to the table. Lines that cannot be read are added as such, with a
 * warning, and the work goes on. Returns 0, or the exit status after the message where the operand
 * is none of the three or cannot be read. */
int f2l_table_operand_add(f2l_table *table, f2l_cli *cli, const char *path);

#endif
