/* What the fuzz targets of the readers check. */
#ifndef IMPORT_FUZZ_H
#define IMPORT_FUZZ_H

#include "automata/import/import.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal must say why and leave nothing behind; what was read must become an automaton whose
 * text reads back. Clears `nfa`. */
void check_import(f2l_status status, f2l_nfa *nfa, const f2l_error *err);

#endif
