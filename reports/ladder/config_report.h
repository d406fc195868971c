/* A released model's configuration: its rung of the ladder, and what that says of an automaton. */
#ifndef F2L_CONFIG_REPORT_H
#define F2L_CONFIG_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/ladder/ladder.h"

typedef struct f2l_config_report {
    const char *file, *form; /* the configuration, and the form of its text */
    const f2l_ladder_config *config;
    const char *grammar;          /* NULL: no automaton was given */
    const f2l_classify *classify; /* of the grammar */
    f2l_label label;
} f2l_config_report;

extern const f2l_report_kind f2l_config_report_kind;

#endif
