/* Jobs of the compiler with their reports, for the tests of the JSON text and of the summary. */
#ifndef REPORT_SUPPORT_H
#define REPORT_SUPPORT_H

#include "reports/compile/report.h"
#include "tests/support/models/hand_nets.h"
#include "theory/compile/constructions.h"
#include "theory/construct/t3/t3.h"
#include "theory/construct/t4/t4_construction.h"
#include <jansson.h>
#include <stdio.h>

typedef struct fixture {
    f2l_fsa fsa;
    f2l_compile_result result;
    f2l_report report;
    f2l_buf text;
    f2l_error err;
} fixture;

/* Makes a record as the command fills it, for the text of an automaton; beside the given options
 * all formats are asked for. */
void open_with(fixture *f, const char *text, f2l_compile_options options);

void report_open(fixture *f, const char *text, f2l_label label, bool naive);

void done(fixture *f);

json_t *json(fixture *f);

const char *summary(fixture *f);

/* Checks the keys of an object in their order; `expected` has a blank after each. */
void check_keys(const json_t *object, const char *expected);

long long integer(const json_t *object, const char *key);

void check_string(const json_t *object, const char *key, const char *expected);

void check_text(const char *text, const char *part);

/* An automaton of three maps of three points: two levels, the first with a register. */
static const char maps_text[] = "start 1\n"
                                "1 cycle 2\n"
                                "2 cycle 3\n"
                                "3 cycle 1\n"
                                "1 swap 2\n"
                                "2 swap 1\n"
                                "3 swap 3\n"
                                "1 merge 1\n"
                                "2 merge 1\n"
                                "3 merge 3\n";

#endif
