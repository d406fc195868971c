/* Labels of transitions: a letter, the empty word, or several letters. */
#include "automata/fsa/letter.h"
#include "automata/import/json/impl.h"
#include "automata/import/text/import_text.h"
#include <string.h>

static const char where[] = "transitions";

static bool in_alphabet(const f2l_json_reader *r, const f2l_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = f2l_names_get(names, i);
        if (f2l_names_find(&r->nfa->letters, name, strlen(name)) == F2L_NO_INDEX) return false;
    }
    return true;
}

/* Reads the letters of a label such as `a,b` or `[0-9]` into *set; leaves it empty where the label
 * is not of this form. */
static f2l_status read_label_set(f2l_names *set, const f2l_json_reader *r, const char *label,
                                 size_t size, f2l_error *err)
{
    if (r->as && r->as->labels == F2L_LABELS_LETTERS) return F2L_OK;
    if (!f2l_letter_set_is(label, size)) return f2l_letter_list_read(set, label, size, err);
    const f2l_status status = f2l_letter_set_read(set, label, size, err);
    if (status == F2L_EFORMAT && !(r->as && r->as->labels == F2L_LABELS_SETS)) {
        f2l_names_clear(set);
        return F2L_OK;
    }
    return status;
}

static f2l_status add_letter_edge(f2l_json_reader *r, size_t from, const char *label, size_t size,
                                  size_t to, f2l_error *err)
{
    size_t letter;
    const f2l_status status = f2l_nfa_letter(r->nfa, label, size, &letter, err);
    return status == F2L_OK ? f2l_nfa_add_edge(r->nfa, from, letter, to, err) : status;
}

/* Adds the edges of a label that is not in the alphabet, or where none is given. */
static f2l_status add_other_label(f2l_json_reader *r, size_t from, const char *label, size_t size,
                                  size_t to, f2l_error *err)
{
    f2l_names set;
    f2l_names_init(&set);
    f2l_status status = read_label_set(&set, r, label, size, err);
    const bool sets = r->as && r->as->labels == F2L_LABELS_SETS;
    if (status == F2L_OK && set.count > 0 && (r->has_letters ? in_alphabet(r, &set) : sets))
        status = f2l_set_edges_add(&r->set_edges, r->nfa, from, &set, to, label, size, 0, 0, err);
    else if (status == F2L_OK && r->has_letters)
        status = f2l_json_refuse(r, where, label, size, "is not in the alphabet", err);
    else if (status == F2L_OK && set.count > 0)
        status = f2l_json_refuse(r, where, label, size,
                                 "is one letter or several: give the alphabet, or --read-as "
                                 "labels=letters or labels=sets",
                                 err);
    else if (status == F2L_OK) {
        f2l_import_note_letter(r->nfa, r->as, label, size, 0, 0);
        status = add_letter_edge(r, from, label, size, to, err);
    }
    f2l_names_clear(&set);
    return status;
}

f2l_status f2l_json_label_add(f2l_json_reader *r, size_t from, const char *label, size_t size,
                              size_t to, f2l_error *err)
{
    static const char *const own[] = {"", NULL};
    const bool said = r->as && r->as->names_epsilon;
    const bool known = f2l_names_find(&r->nfa->letters, label, size) != F2L_NO_INDEX;
    if (size == 0 || f2l_read_as_epsilon(r->as, label, size, own))
        return f2l_nfa_add_edge(r->nfa, from, F2L_EPSILON, to, err);
    if (f2l_letter_may_be_epsilon(label, size) && !said && !r->automata_lib) {
        if (known || !r->has_letters)
            return f2l_json_refuse(r, where, label, size,
                                   "is a letter or the empty word: say --read-as epsilon=NAME, or "
                                   "epsilon= for a letter",
                                   err);
        f2l_notes_add(&r->nfa->notes,
                      "was taken for the empty word, since it is not in the alphabet", label, size,
                      0, 0);
        return f2l_nfa_add_edge(r->nfa, from, F2L_EPSILON, to, err);
    }
    if (known && r->automata_lib) f2l_note_epsilon_name(r->nfa, r->as, label, size, 0, 0);
    return known && r->has_letters ? add_letter_edge(r, from, label, size, to, err)
                                   : add_other_label(r, from, label, size, to, err);
}
