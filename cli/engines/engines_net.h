/* A column of the table of engines: a network with its automaton and its exact verdict, made from
 * the user's automaton or read from the user's files. */
#ifndef F2L_ENGINES_NET_H
#define F2L_ENGINES_NET_H

#include "cli/input/network_file.h"
#include "reports/networks/engines_report.h"
#include "theory/compile/compile.h"

typedef struct f2l_engines_source {
    const char *subject;   /* the operand */
    bool textbook;         /* a grammar's network with textbook keys */
    bool cascade;          /* it has layers only where a cascade is asked for */
    f2l_network_file file; /* an operand that is a network */
    f2l_compile_result compiled;
    const f2l_net *model; /* NULL: there is no network; `none` says why */
    const f2l_fsa *fsa;
    f2l_outline outline;
    bool outlined;
    f2l_round_exact exact;
    char sha256[65], none[256];
    bool open; /* there is no network because a limit was reached */
    f2l_buf operand, made_by;
} f2l_engines_source;

void f2l_engines_source_init(f2l_engines_source *source);
void f2l_engines_source_clear(f2l_engines_source *source);

/* Returns whether the operand is a network: a .lrnn, or a folder with one. */
bool f2l_engines_is_network(const char *operand);

/* Compiles the automaton, which must outlive *out, with textbook keys or exact ones, and in layers
 * where that can be, since rows of engines are for layers; that there is no such network is no
 * error. `operand` names it in commands. */
f2l_status f2l_engines_source_compile(f2l_engines_source *out, const f2l_fsa *fsa, f2l_label label,
                                      const f2l_task *task, f2l_error *err);

/* Reads the network of the operand and the certificate beside it. Returns 0, or the exit status
 * after the message. */
int f2l_engines_source_load(f2l_engines_source *out, f2l_cli *cli);

/* Finds the exact verdict. */
f2l_status f2l_engines_source_decide(f2l_engines_source *out, const f2l_task *task, f2l_error *err);

/* Sets *out to what the report tells of it; borrowed from the source. */
void f2l_engines_source_tell(f2l_engines_net *out, const f2l_engines_source *source);

#endif
