#include "automata/import/import.h"
#include "automata/import/charts/charts.h"
#include "automata/import/foreign/foreign.h"
#include "automata/import/gap/gap.h"
#include "automata/import/json/json_automaton.h"
#include "automata/import/labels.h"
#include "automata/import/lists/lists.h"
#include "automata/import/text/import_text.h"

/* Reads the automaton in the syntax that was recognised. */
static f2l_status read_in_syntax(f2l_nfa *out, f2l_syntax syntax, const char *bytes, size_t size,
                                 const f2l_import_options *options, const f2l_task *task,
                                 f2l_error *err)
{
    switch (syntax) {
    case F2L_SYNTAX_ATT:
        return f2l_import_att(out, bytes, size, options, err);
    case F2L_SYNTAX_JFLAP:
        return f2l_import_jflap(out, bytes, size, options, err);
    case F2L_SYNTAX_GAP:
        return f2l_import_gap(out, bytes, size, options, task, err);
    case F2L_SYNTAX_DOT:
        return f2l_import_dot(out, bytes, size, options, err);
    case F2L_SYNTAX_JSON:
        return f2l_import_json(out, bytes, size, options, err);
    case F2L_SYNTAX_HOA:
        return f2l_import_hoa(out, bytes, size, options, err);
    case F2L_SYNTAX_RULES:
        return f2l_import_rules(out, bytes, size, err);
    case F2L_SYNTAX_AUT:
        return f2l_import_aut(out, bytes, size, options, err);
    case F2L_SYNTAX_KISS:
        return f2l_import_kiss(out, bytes, size, options, err);
    case F2L_SYNTAX_MATA:
        return f2l_import_mata(out, bytes, size, options, err);
    case F2L_SYNTAX_TIMBUK:
        return f2l_import_timbuk(out, bytes, size, options, err);
    case F2L_SYNTAX_BA:
        return f2l_import_ba(out, bytes, size, options, err);
    case F2L_SYNTAX_SCXML:
        return f2l_import_scxml(out, bytes, size, options, err);
    case F2L_SYNTAX_FSA:
        break;
    }
    return f2l_fsa_read(out, bytes, size, options ? options->max_states : 0, task, err);
}

/* Notes options that say nothing about the syntax. */
static void note_idle_options(f2l_notes *notes, const f2l_import_options *options,
                              f2l_syntax syntax)
{
    if (options && (options->symbols || options->numeric) && syntax != F2L_SYNTAX_ATT)
        f2l_notes_add(notes,
                      "--symbols and --numeric say nothing about a file that is no AT&T text", "",
                      0, 0, 0);
    if (options && options->finite && syntax != F2L_SYNTAX_HOA && syntax != F2L_SYNTAX_DOT)
        f2l_notes_add(notes,
                      "--finite-words says nothing about a file that is no automaton on "
                      "infinite words",
                      "", 0, 0, 0);
}

f2l_status f2l_import(f2l_nfa *out, const char *bytes, size_t size,
                      const f2l_import_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_import_check_not_binary(bytes, size, err);
    const f2l_syntax syntax = f2l_syntax_recognise(bytes, size);
    if (status == F2L_OK)
        status = f2l_import_check_read_as(options ? options->as : NULL, syntax, err);
    if (status == F2L_OK) status = read_in_syntax(out, syntax, bytes, size, options, task, err);
    if (status == F2L_OK && syntax == F2L_SYNTAX_ATT && f2l_foreign_is_table(bytes, size))
        f2l_notes_add(&out->notes,
                      "the file begins like a table of states and letters, but was read as AT&T "
                      "text: FROM, TO and LETTER in each line",
                      "", 0, 1, 1);
    if (status == F2L_OK) note_idle_options(&out->notes, options, syntax);
    if (status == F2L_EFORMAT || status == F2L_EDOMAIN) f2l_foreign_name(err, bytes, size);
    return status;
}
