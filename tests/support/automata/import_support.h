/* Reading and comparing automata, for the tests of readers and families. */
#ifndef IMPORT_SUPPORT_H
#define IMPORT_SUPPORT_H

#include "automata/import/import.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

/* Reads `text` in any syntax and makes it deterministic and total, adding a sink. */
f2l_status read_any(f2l_fsa *out, const char *text, const f2l_import_options *options,
                    f2l_error *err);

/* Returns the state after a word whose letters are single bytes; aborts the test on an unknown
 * letter. */
size_t run_word(const f2l_fsa *fsa, const char *word);

bool accepts(const f2l_fsa *fsa, const char *word);

/* Checks that reading the text gives an automaton that accepts the one word and not the other. */
void accepts_one(const char *text, const char *yes, const char *no);

/* Checks the name of the state after a word of letters with blanks between them. */
void leads_to(const char *text, const char *word, const char *expected);

/* Returns whether renaming states makes the parts that the starts reach equal; outputs and
 * accepting states are compared where both automata have them. */
bool isomorphic(const f2l_fsa *a, const f2l_fsa *b);

/* Checks that reading `text` is refused with this status, position and piece of the message. */
void refused_with(const char *text, const f2l_import_options *options, f2l_status status,
                  size_t line, size_t column, const char *message);

void refused(const char *text, size_t line, size_t column, const char *message);

/* Lets the 1st, 2nd, .. allocation fail until reading succeeds: each failure must be F2L_ENOMEM and
 * leak nothing (the asan flavour notices leaks). Without the hook it reads once. */
void survives_memory_failures(const char *text);

#endif
