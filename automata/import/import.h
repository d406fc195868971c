/* Readers of automata in any supported syntax, recognised by content: `.fsa`, AT&T text (OpenFst
 * and foma dialects), JFLAP .jff, GAP Transformation([...]) lists, Graphviz DOT as AALpy and MONA
 * write it, JSON, Hanoi omega-automata, .aut, .kiss2, .mata, .ba, SCXML, XState's JSON, rules of
 * lexers; and POSIX extended regular expressions (through libfa). All give an f2l_nfa, which
 * f2l_nfa_total makes deterministic and total. */
#ifndef F2L_IMPORT_H
#define F2L_IMPORT_H

#include "automata/import/text/options.h"

typedef enum f2l_syntax {
    F2L_SYNTAX_FSA,
    F2L_SYNTAX_ATT,
    F2L_SYNTAX_JFLAP,
    F2L_SYNTAX_GAP,
    F2L_SYNTAX_DOT,
    F2L_SYNTAX_JSON,
    F2L_SYNTAX_HOA,
    F2L_SYNTAX_RULES,
    F2L_SYNTAX_AUT,
    F2L_SYNTAX_KISS,
    F2L_SYNTAX_MATA,
    F2L_SYNTAX_TIMBUK,
    F2L_SYNTAX_BA,
    F2L_SYNTAX_SCXML
} f2l_syntax;

/* Returns the syntax of the text. Text that is not recognised counts as `.fsa`, whose reader gives
 * the error. */
f2l_syntax f2l_syntax_recognise(const char *bytes, size_t size);

/* Recognises the syntax and reads the automaton. Empty and binary input are F2L_EFORMAT. An error
 * about a text that looks like a format that is not read names it. */
f2l_status f2l_import(f2l_nfa *out, const char *bytes, size_t size,
                      const f2l_import_options *options, const f2l_task *task, f2l_error *err);

/* Read one syntax each; readers of others are in the folders below. JFLAP needs libxml2, and rules
 * and regex need libfa: without them the status is F2L_EDOMAIN and the text names the missing
 * library. */
f2l_status f2l_import_att(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_jflap(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_dot(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_hoa(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);

/* A lexer: its outputs are the names of the first rules that match the whole word read. */
f2l_status f2l_import_rules(f2l_nfa *out, const char *bytes, size_t size, f2l_error *err);

/* Reads a POSIX extended regular expression over characters, or, with `tokens`, over names with
 * blanks between them. Every letter that the expression mentions is one (a `.` or a negated class
 * needs `alphabet`, a UTF-8 string of the letters; else NULL is allowed). The result is
 * deterministic and total over those letters. */
f2l_status f2l_import_regex(f2l_nfa *out, const char *regex, const char *alphabet, bool tokens,
                            f2l_error *err);

#endif
