/* The table of serving engines: for networks with exact and with textbook keys, by engine and type
 * of state, whether every word is right. As text, CSV, Markdown and JSON. All pointers are
 * borrowed.
 */
#ifndef F2L_ENGINES_REPORT_H
#define F2L_ENGINES_REPORT_H

#include "models/network/engines/engine.h"
#include "reports/model/shared_facts.h"
#include "theory/certify/round/round.h"

/* What is known of a network in a row: enough of an f2l_rounded to tell it. */
typedef struct f2l_engines_cell {
    bool decided;       /* false: the work ended before */
    bool none;          /* there is no such network for this row; `reason` says why */
    f2l_status verdict; /* F2L_OK, F2L_REFUTED, F2L_UNKNOWN */
    f2l_round_how how;
    uint64_t wrong_after; /* F2L_REFUTED: letters of the wrong word */
    uint64_t right_up_to; /* letters; every shorter word is right */
    bool bounded;         /* F2L_UNKNOWN: right_up_to is proved by a bound */
    size_t joint_states;
    char word[160]; /* of an observed failure: "random, seed 1"; "" where there is none */
    char reason[256];
} f2l_engines_cell;

/* A column: a network, or the reason that there is none. */
typedef struct f2l_engines_net {
    const char *subject; /* the user's name of the automaton or the network */
    const char *keys;    /* "dyadic", "textbook"; "own": a network of the user */
    const char *operand; /* of commands that read the network */
    const char *made_by; /* the command that makes it; NULL: it was there */
    const char *theorem; /* the construction; NULL: the user's network */
    size_t layers;
    const char *sha256;
    const char *none; /* why there is no network; NULL: there is one */
} f2l_engines_net;

/* A line: an engine with one type of its state. */
typedef struct f2l_engines_row {
    const char *name; /* "vllm-packed/bf16" */
    const char *source;
    const char *kind; /* "release", "pull-request", "local" */
    size_t same;      /* the first row with the same schedule */
    const f2l_schedule *schedule;
} f2l_engines_row;

typedef struct f2l_engines_report {
    const f2l_format *format;
    uint64_t effort, letters, limit; /* of a cell */
    size_t nets, rows;
    const f2l_engines_net *net;
    const f2l_engines_row *row;
    const f2l_engines_cell *cell; /* [nets * rows], by network and then by row */
    const char *ended;            /* as in f2l_round_report */
} f2l_engines_report;

extern const f2l_report_kind f2l_engines_report_kind, f2l_engines_csv_kind,
    f2l_engines_markdown_kind;

/* Sets the cell to the verdict. */
void f2l_engines_cell_take(f2l_engines_cell *out, const f2l_rounded *row);

/* Returns whether the cell's row has the schedule of an earlier row, so that its verdict is that
 * row's. */
bool f2l_engines_is_copy(const f2l_engines_report *report, size_t cell);

/* "VERIFIED", "REFUTED", "UNKNOWN" or "none". */
const char *f2l_engines_verdict(const f2l_engines_cell *cell);
/* The name of how the verdict was found, as in the report of `round`. */
const char *f2l_engines_how(const f2l_engines_cell *cell);

#endif
