/* NET, an operand of several commands: a network's file, or the folder OUT that it lies in, and the
 * automaton that it was made for. */
#ifndef F2L_NETWORK_FILE_H
#define F2L_NETWORK_FILE_H

#include "cli/grammar.h"
#include "models/wired/model.h"

typedef struct f2l_network_file {
    f2l_buf path, fsa_path, certificate_path; /* the last two where they usually are, beside the
                                                 network */
    f2l_buf bytes;                            /* of the network's file */
    f2l_model model;
    f2l_model_face face; /* of the model, once it is loaded */
    f2l_grammar automaton;
} f2l_network_file;

void f2l_network_file_init(f2l_network_file *file);
void f2l_network_file_clear(f2l_network_file *file);

/* Reads the network. `fsa`, when not NULL, is where its automaton is. Both return 0, or the exit
 * status after the message. */
int f2l_network_file_load(f2l_network_file *out, f2l_cli *cli, const char *given, const char *fsa);
/* Then its automaton, whose bytes must have the hash that the network names, and its letters and
 * labels. */
int f2l_network_file_load_automaton(f2l_network_file *out, f2l_cli *cli);
/* After the network, and its automaton where there is one: letters of one class become one in both,
 * with the name of the first. F2L_EDOMAIN's status where they do not act alike. For what looks at
 * transitions letter by letter. */
int f2l_network_file_merge_letters(f2l_network_file *out, f2l_cli *cli);

#endif
