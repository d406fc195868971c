/* NET, an operand of several commands: a network's file, or the folder OUT that holds it. */
#ifndef F2L_NETWORK_PATHS_H
#define F2L_NETWORK_PATHS_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"

/* Paths of the network, and of its automaton and its certificate beside it. */
typedef struct f2l_network_paths {
    f2l_buf network, fsa, certificate;
} f2l_network_paths;

void f2l_network_paths_init(f2l_network_paths *paths);
void f2l_network_paths_clear(f2l_network_paths *paths);

/* Finds the paths from the operand; `fsa` is the path of the automaton where the user gave one,
 * otherwise NULL. F2L_EDOMAIN, with the command that makes a network, for the folder of a trained
 * model; it need not exist otherwise. */
f2l_status f2l_network_paths_find(f2l_network_paths *out, const char *given, const char *fsa,
                                  f2l_error *err);

#endif
