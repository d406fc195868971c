/* What labels mean: the empty word, several letters, and what a format lets a user say of them. */
#include "automata/import/labels.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/letter.h"
#include "automata/import/impl.h"
#include <string.h>

/* What a syntax lets a user say. */
static const struct {
    const char *format; /* and what it has instead; NULL: its reader asks f2l_read_as_check */
    unsigned labels;    /* bits 1 << F2L_LABELS_.. */
    bool epsilon;
} may_say[] = {
    [F2L_SYNTAX_FSA] = {".fsa text: its letters are names or sets in brackets, and `eps` is the "
                        "empty word; quotes make any text a letter",
                        0, false},
    [F2L_SYNTAX_ATT] = {"AT&T text: its labels are letters",
                        1u << F2L_LABELS_LETTERS | 1u << F2L_LABELS_SETS | 1u << F2L_LABELS_PAIRS,
                        true},
    [F2L_SYNTAX_JFLAP] = {"a JFLAP file: its labels are words or sets",
                          1u << F2L_LABELS_LETTERS | 1u << F2L_LABELS_SETS, true},
    [F2L_SYNTAX_DOT] = {"a DOT file: its labels are of these kinds",
                        1u << F2L_LABELS_LETTERS | 1u << F2L_LABELS_SETS | 1u << F2L_LABELS_GUARDS |
                            1u << F2L_LABELS_PAIRS,
                        true},
    [F2L_SYNTAX_HOA] = {"an HOA file: its labels are formulas over propositions",
                        1u << F2L_LABELS_GUARDS, false},
    [F2L_SYNTAX_RULES] = {"a file of rules: it has regular expressions", 0, false},
};

f2l_status f2l_import_check_read_as(const f2l_read_as *as, f2l_syntax syntax, f2l_error *err)
{
    if (syntax >= sizeof may_say / sizeof *may_say || !may_say[syntax].format) return F2L_OK;
    return f2l_read_as_check(as, may_say[syntax].labels, may_say[syntax].epsilon,
                             may_say[syntax].format, err);
}

f2l_status f2l_import_epsilon(bool *epsilon, const f2l_read_as *as, const char *label, size_t size,
                              const char *const *own, size_t line, size_t column, f2l_error *err)
{
    char shown[F2L_SHOWN];
    *epsilon = size == 0 || f2l_read_as_epsilon(as, label, size, own);
    if (*epsilon || !f2l_letter_may_be_epsilon(label, size)) return F2L_OK;
    if (as && (as->names_epsilon || as->labels == F2L_LABELS_LETTERS)) return F2L_OK;
    f2l_shown(shown, label, size);
    return f2l_fail_at(err, line, column,
                       "`%s` may be a letter or the empty word: --read-as epsilon=%s makes it the "
                       "empty word, --read-as epsilon= a letter",
                       shown, shown);
}

f2l_status f2l_import_set(f2l_names *set, const char *label, size_t size, size_t line,
                          size_t column, f2l_error *err)
{
    f2l_error why = {0};
    const f2l_status status = f2l_letter_set_is(label, size)
                                  ? f2l_letter_set_read(set, label, size, &why)
                                  : f2l_letter_list_read(set, label, size, &why);
    if (status == F2L_EFORMAT) return f2l_fail_at(err, line, column, "%s", why.text);
    return status == F2L_OK ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_import_add_set(f2l_nfa *nfa, size_t from, const f2l_names *set, size_t to,
                              const char *label, size_t size, size_t line, size_t column,
                              f2l_error *err)
{
    f2l_set_edges edges = {0};
    if (nfa->edges + set->count > F2L_IMPORT_MAX_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "more than %zu transitions", F2L_IMPORT_MAX_EDGES);
    const f2l_status status =
        f2l_set_edges_add(&edges, nfa, from, set, to, label, size, line, column, err);
    f2l_set_edges_clear(&edges);
    return status;
}
