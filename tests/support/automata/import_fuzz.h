/* The check that the fuzz targets of the readers share. */
#ifndef IMPORT_FUZZ_H
#define IMPORT_FUZZ_H

#include "automata/import/import.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that a refusal says why and leaves nothing behind, and that an automaton that was read has
 * a text that reads back. Clears `nfa`. */
void check_import(f2l_status status, f2l_nfa *nfa, const f2l_error *err);

#endif
