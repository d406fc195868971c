/* Labels that look like something else than a letter: those that are refused, and those that are
 * taken as letters with a note. */
#include "automata/import/dot/dot.h"
#include "numeric/base/text.h"
#include <string.h>

#define SIGMA "\xce\xa3"
#define DOTS "\xe2\x80\xa6"
#define ARROW "\xe2\x86\x92"

/* A text of `size` bytes. */
typedef struct piece {
    const char *text;
    size_t size;
} piece;

static bool is_piece(piece p, const char *const *words)
{
    return f2l_text_is_any(p.text, p.size, words);
}

/* Returns whether the word is in the piece, which is more than this word. */
static bool piece_has(piece p, const char *word)
{
    const size_t size = strlen(word);
    for (size_t i = 0; i + size <= p.size && size < p.size; i++)
        if (memcmp(p.text + i, word, size) == 0) return true;
    return false;
}

bool f2l_dot_is_bracketed_list(const char *text, size_t size)
{
    if (size < 3) return false;
    const char last = text[size - 1], *signs = NULL;
    if (text[0] == '[' && last == ']') signs = ",'\"&!~";
    if (text[0] == '{' && last == '}') signs = ",";
    if (text[0] == '(' && last == ')') signs = "|";
    for (size_t i = 1; signs && i + 1 < size; i++)
        if (strchr(signs, text[i])) return true;
    return false;
}

/* Returns whether the piece is two numbers with a hyphen or dots between them. */
static bool is_number_range(piece p)
{
    size_t first = 0;
    while (first < p.size && p.text[first] >= '0' && p.text[first] <= '9') first++;
    const size_t sign = first > 0 ? f2l_dot_range_sign(p.text + first, p.size - first) : 0;
    size_t at = first + sign;
    while (at < p.size && p.text[at] >= '0' && p.text[at] <= '9') at++;
    return sign > 0 && at == p.size && at > first + sign;
}

/* Returns whether the piece looks like a regular expression: letters with stars, bars and
 * parentheses, a repeated set, or a number of repetitions. */
static bool is_expression(piece p)
{
    const char last = p.text[p.size - 1];
    bool star = false, bar = false;
    if (p.text[0] == '[' && piece_has(p, "]") && strchr("*+?", last)) return true;
    if (p.text[0] != '{' && piece_has(p, "{") && last == '}') return true;
    for (size_t i = 0; i < p.size; i++) {
        const char c = p.text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
        if (!letter && !strchr("()|+*?", c)) return false;
        star |= c == '*' && i > 0 && !strchr("(|+*?", p.text[i - 1]);
        bar |= c == '|';
    }
    return star || bar;
}

const char *f2l_dot_doubt(const f2l_dot_reader *r, const char *text, size_t size)
{
    static const char *const any[] = {"otherwise", SIGMA, "\xce\xa3*", "/./", ".*",
                                      "\\d",       "\\D", "\\w",       "\\W", "\\s",
                                      "\\S",       "...", "..",        DOTS,  NULL};
    const piece p = {text, size};
    const char last = text[size - 1];
    if (f2l_dot_is_bracketed_list(text, size))
        return "is a list or a formula in brackets, or a letter: write it without them, or "
               "--read-as labels=sets says that it is a list";
    if (is_piece(p, any) || (size > 2 && memcmp(text, SIGMA, 2) == 0))
        return "stands for letters that it does not name: write them";
    if (is_number_range(p)) return "is a range of numbers, or a letter: write the numbers";
    if (size > 3 && (piece_has(p, "...") || piece_has(p, DOTS)))
        return "names the first and the last of several letters, or is a letter: write them";
    if (text[0] == '\'' && last == '\'' && piece_has(p, "'..'"))
        return "is a range with quotation marks: write it without them";
    if (piece_has(p, "->") || piece_has(p, ARROW))
        return "has an arrow, as of a pushdown automaton or a Turing machine, or is a letter";
    if (last == ']' && piece_has(p, " [")) return "has a condition in brackets, or is a letter";
    if (r->as->labels != F2L_LABELS_SETS && piece_has(p, "&") && last != ';')
        return "looks like a formula that is not read, or is a letter";
    if (f2l_import_is_half_empty(text, size))
        return "has the empty word on one side of its colon, as of a transducer, or is a letter";
    if (is_expression(p)) return "looks like a regular expression, or is a letter";
    return NULL;
}

/* Returns whether the text is a word of letters that are labels of their own. */
static bool is_word_of_letters(const f2l_dot_reader *r, piece p)
{
    for (size_t i = 0; i < p.size; i++)
        if (f2l_names_find(&r->alone, p.text + i, 1) == F2L_NO_INDEX) return false;
    return p.size > 1 && p.size <= 8;
}

const char *f2l_dot_letter_note(const f2l_dot_reader *r, const char *text, size_t size)
{
    static const char *const rest[] = {"*",   ".",   "else",    "other", "others",
                                       "any", "ANY", "default", NULL},
                             *const constant[] = {"true", "false", "True", "False", NULL};
    const piece p = {text, size};
    if (is_piece(p, rest)) return "was read as a letter, not as any other letter";
    if (is_piece(p, constant)) return "was read as a letter, not as a formula";
    if (is_word_of_letters(r, p)) return "was read as one letter, not as a word of letters";
    if (size < 2 || text[0] == text[1]) return NULL;
    if (strchr("!~^", text[0]) || memcmp(text, "\xc2\xac", 2) == 0)
        return "was read as a letter, not as a formula";
    return r->as->labels ? NULL : f2l_import_letter_note(text, size);
}
