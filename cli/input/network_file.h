/* NET, an operand of several commands, as the inside of the library has it: the network and its
 * automaton. */
#ifndef F2L_NETWORK_FILE_H
#define F2L_NETWORK_FILE_H

#include "cli/input/grammar.h"
#include "cli/input/network_paths.h"
#include "models/network/wired/network_text.h"

/* The option --fsa of commands that take NET, for a table with the macro FIELD. */
#define F2L_NETWORK_FSA_OPTION \
    { \
        "fsa", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_AUTOMATON, 0, FIELD(fsa), \
            "the network's automaton, byte for byte as it was written (default: automaton.fsa " \
            "beside the network)" \
    }

typedef struct f2l_network_file {
    f2l_network_paths paths;
    f2l_buf bytes; /* bytes of the network's file */
    f2l_net model;
    f2l_grammar automaton;
    /* Letters and classes of the file, once they are merged. */
    f2l_names letters;
    f2l_letter_classes classes;
} f2l_network_file;

void f2l_network_file_init(f2l_network_file *file);
void f2l_network_file_clear(f2l_network_file *file);

/* Reads the network; `fsa` is the path of its automaton (NULL: beside the network). Returns 0, or
 * the exit status after the message. */
int f2l_network_file_load(f2l_network_file *out, f2l_cli *cli, const char *given, const char *fsa);
/* Reads the automaton after the network. Its bytes must have the hash, and its letters and labels
 * the names, that are in the network. Returns 0, or the exit status after the message. */
int f2l_network_file_load_automaton(f2l_network_file *out, f2l_cli *cli);
/* Copies the letters and their classes into *out. Merges letters of one class in the network, and
 * in its automaton if it is loaded, into one letter with the name of the first, for work that looks
 * at transitions letter by letter. Returns 0, or the exit status after the message: the status of
 * F2L_EDOMAIN when letters of a class act differently on the automaton. */
int f2l_network_file_merge_letters(f2l_network_file *out, f2l_cli *cli);

#endif
