/* Letters that look like something else, for formats in which a label is a letter as it is
 * written. */
#include "automata/fsa/letter.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/text.h"
#include <string.h>

/* Returns whether one of the signs is in the text, with something before and behind it. */
static bool has_between(const char *text, size_t size, const char *const *signs)
{
    for (; *signs; signs++) {
        const size_t length = strlen(*signs);
        for (size_t i = 1; i + length < size; i++)
            if (memcmp(text + i, *signs, length) == 0) return true;
    }
    return false;
}

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns whether the text is single letters or digits with one of the signs between them. */
static bool is_chain(const char *text, size_t size, char sign)
{
    for (size_t i = 0; i < size; i++)
        if (i % 2 ? text[i] != sign : !is_plain(text[i])) return false;
    return size > 2 && size % 2 == 1;
}

static bool is_range(const char *text, size_t size)
{
    for (size_t i = 0; i + 2 < size; i += 3)
        if (!is_plain(text[i]) || text[i + 1] != '-' || !is_plain(text[i + 2])) return false;
    const char *const dots = size == 4 && text[1] == '.' && text[2] == '.' ? text : NULL;
    return size % 3 == 0 || (dots && is_plain(text[0]) && is_plain(text[3]));
}

/* Returns whether the text is bits, of which some are left open. */
static bool is_cube(const char *text, size_t size)
{
    bool open = false;
    for (size_t i = 0; i < size; i++) {
        if (!strchr("01-Xx", text[i])) return false;
        open |= text[i] != '0' && text[i] != '1';
    }
    return open && (text[0] == '0' || text[0] == '1');
}

bool f2l_import_is_half_empty(const char *text, size_t size)
{
    const char *colon = size > 2 ? memchr(text + 1, ':', size - 2) : NULL;
    if (!colon) return false;
    const size_t before = (size_t)(colon - text);
    return f2l_letter_may_be_epsilon(text, before) ||
           f2l_letter_may_be_epsilon(colon + 1, size - before - 1);
}

const char *f2l_import_letter_note(const char *text, size_t size)
{
    static const char *const none[] = {"NULL", "null",  "Null",     "None",         "nil",
                                       "tau",  "empty", "\xcf\x84", "\xe2\x88\x85", NULL},
                             *const class[] = {"\\d", "\\D", "\\w", "\\W", "\\s", "\\S", NULL},
                             *const list[] = {",", "|", ";", "...", "\xe2\x80\xa6", NULL},
                             *const logic[] = {"&", "^", "\xe2\x88\xa7", "\xe2\x88\xa8", NULL},
                             *const compare[] = {"<=", ">=", "==", "!=", " < ", " > ", NULL},
                             *const slash[] = {"/", NULL};
    if (size < 2) return NULL;
    if (f2l_text_is_any(text, size, none)) return "was read as a letter, not as the empty word";
    if (f2l_text_is_any(text, size, class)) return "was read as a letter, not as several letters";
    if (is_range(text, size)) return "was read as one letter, not as a range";
    if (is_cube(text, size)) return "was read as one letter, not as bits of which some are open";
    if (f2l_import_is_half_empty(text, size))
        return "was read as one letter, not as input and output";
    if (is_chain(text, size, ' ') || is_chain(text, size, '+'))
        return "was read as one letter, not as several letters";
    if (strchr("([{\"'@<", text[0])) return NULL;
    if (strchr("!~", text[0]) || strncmp(text, "\xc2\xac", 2) == 0 ||
        has_between(text, size, logic))
        return "was read as a letter, not as a formula";
    if (has_between(text, size, compare)) return "was read as a letter, not as a condition";
    if (memchr(text, '(', size)) return NULL; /* arguments */
    if (has_between(text, size, list)) return "was read as one letter, not as several letters";
    return has_between(text, size, slash) ? "was read as one letter, not as input and output"
                                          : NULL;
}

void f2l_import_note_letter(f2l_nfa *nfa, const f2l_read_as *as, const char *text, size_t size,
                            size_t line, size_t column)
{
    const bool said = as && (as->labels || as->names_epsilon);
    const char *note = said ? NULL : f2l_import_letter_note(text, size);
    if (note) f2l_notes_add(&nfa->notes, note, text, size, line, column);
}
