/* The report of `import --list`: the tensors of a model's files, and what each is used for. */
#ifndef F2L_INVENTORY_REPORT_H
#define F2L_INVENTORY_REPORT_H

#include "models/doors/checkpoint/inventory.h"
#include "reports/model/shared_facts.h"

typedef struct f2l_inventory_report {
    const char *weights; /* path of the model; the report shows the base name */
    const f2l_inventory *inventory;
} f2l_inventory_report;

extern const f2l_report_kind f2l_inventory_report_kind;

#endif
