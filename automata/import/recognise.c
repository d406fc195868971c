/* Which syntax has a text? Each has a function that looks at the beginning, in the order of a
 * table. */
#include "automata/import/import.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/text.h"
#include <string.h>

/* What the functions look at: the text from its first byte that is neither blank nor part of a
 * comment. */
typedef struct beginning {
    const char *text;
    size_t size;
    f2l_word letters; /* the first word up to a byte that is no letter */
    f2l_word word;    /* the first word up to a blank */
    f2l_word column[5];
    size_t columns; /* of the first line, at tabs where it has one, else at blanks */
    bool tabs;
} beginning;

static bool is_space_byte(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool all_digits(const f2l_word *s)
{
    for (size_t i = 0; i < s->size; i++)
        if (s->text[i] < '0' || s->text[i] > '9') return false;
    return s->size > 0;
}

/* Returns whether the word is `text`, which is in lower case, in any case. */
static bool is_word_folded(const f2l_word *s, const char *text)
{
    if (strlen(text) != s->size) return false;
    for (size_t i = 0; i < s->size; i++) {
        const char c = s->text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != text[i]) return false;
    }
    return true;
}

static size_t skip_line(const char *bytes, size_t size, size_t at)
{
    while (at < size && bytes[at] != '\n') at++;
    return at;
}

/* Returns the offset of the first byte that is neither blank nor part of a comment of any of the
 * syntaxes. */
static size_t first_meaningful(const char *bytes, size_t size)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size) {
        if (is_space_byte(bytes[at])) {
            at++;
        } else if (bytes[at] == '#' ||
                   (at + 1 < size && bytes[at] == '/' && bytes[at + 1] == '/')) {
            at = skip_line(bytes, size, at);
        } else if (at + 1 < size && bytes[at] == '/' && bytes[at + 1] == '*') {
            at += 2;
            while (at < size && !(bytes[at] == '/' && bytes[at - 1] == '*')) at++;
            at += at < size;
        } else {
            break;
        }
    }
    return at;
}

/* Splits the first line into at most 5 columns, at tabs or at any blanks; b->columns is 6 when
 * there are more. */
static void split_first_line(beginning *b)
{
    const size_t end = skip_line(b->text, b->size, 0);
    b->tabs = memchr(b->text, '\t', end) != NULL;
    for (size_t at = 0; at < end && b->columns <= 5;) {
        if (b->text[at] == '\r' || (b->tabs ? b->text[at] == '\t' : is_space_byte(b->text[at]))) {
            at++;
            continue;
        }
        const size_t from = at;
        while (at < end && b->text[at] != '\t' && b->text[at] != '\r' &&
               (b->tabs || !is_space_byte(b->text[at])))
            at++;
        if (b->columns < 5) b->column[b->columns] = (f2l_word){b->text + from, at - from, 0};
        b->columns++;
    }
}

static beginning read_beginning(const char *bytes, size_t size)
{
    const size_t at = first_meaningful(bytes, size);
    beginning b = {.text = bytes + at, .size = size - at};
    b.letters.text = b.word.text = b.text;
    while (b.letters.size < b.size && is_letter(b.text[b.letters.size])) b.letters.size++;
    while (b.word.size < b.size && !is_space_byte(b.text[b.word.size])) b.word.size++;
    split_first_line(&b);
    return b;
}

static bool contains_text(const char *bytes, size_t size, const char *text)
{
    const size_t n = strlen(text);
    for (size_t at = 0; at + n <= size; at++) {
        const char *hit = memchr(bytes + at, text[0], size - n - at + 1);
        if (hit == NULL) return false;
        at = (size_t)(hit - bytes);
        if (memcmp(hit, text, n) == 0) return true;
    }
    return false;
}

static bool looks_like_xml(const beginning *b)
{
    return b->size > 1 && b->text[0] == '<' &&
           (is_letter(b->text[1]) || b->text[1] == '?' || b->text[1] == '!');
}

static bool looks_like_scxml(const beginning *b)
{
    if (!looks_like_xml(b)) return false;
    const f2l_word root = f2l_xml_root(b->text, b->size);
    return f2l_word_is(&root, "scxml");
}

static bool looks_like_json(const beginning *b)
{
    size_t at = 1;
    if (b->text[0] != '[') return b->text[0] == '{';
    while (at < b->size && is_space_byte(b->text[at])) at++;
    return at < b->size && (b->text[at] == '{' || b->text[at] == '"');
}

static bool looks_like_dot(const beginning *b)
{
    return is_word_folded(&b->letters, "digraph") || is_word_folded(&b->letters, "graph") ||
           is_word_folded(&b->letters, "strict");
}

static bool looks_like_rules(const beginning *b)
{
    return b->columns == 1 && f2l_word_is(&b->column[0], "rules");
}

static bool looks_like_hoa(const beginning *b)
{
    return f2l_word_is(&b->letters, "HOA") && b->size > 3 && b->text[3] == ':';
}

/* An `.fsa` file needs a start or points line before its edges, so that it begins with a keyword.
 */
static bool looks_like_fsa(const beginning *b)
{
    static const char *const keyword[] = {"fsa",    "letters", "states", "start",   "accept",
                                          "output", "points",  "track",  "permute", NULL};
    return f2l_text_is_any(b->word.text, b->word.size, keyword);
}

/* A line of FAdo has states behind @NFA. */
static bool looks_like_mata(const beginning *b)
{
    return (f2l_word_is(&b->word, "@NFA") && b->columns == 1) ||
           (b->size > 4 && (memcmp(b->text, "@NFA-", 5) == 0 || memcmp(b->text, "@AFA-", 5) == 0));
}

static bool looks_like_timbuk(const beginning *b)
{
    size_t at = 0;
    while (at < b->size && (b->text[at] == '%' || is_space_byte(b->text[at])))
        at = b->text[at] == '%' ? skip_line(b->text, b->size, at) : at + 1;
    return b->size - at > 3 && memcmp(b->text + at, "Ops", 3) == 0 &&
           is_space_byte(b->text[at + 3]);
}

static bool looks_like_aut(const beginning *b)
{
    size_t at = b->letters.size;
    while (at < b->size && (b->text[at] == ' ' || b->text[at] == '\t')) at++;
    return f2l_word_is(&b->letters, "des") && at < b->size && b->text[at] == '(';
}

static bool looks_like_kiss(const beginning *b)
{
    static const char *const keyword[] = {".i", ".o",   ".p",  ".s",          ".r",
                                          ".e", ".ilb", ".ob", ".start_kiss", NULL};
    return f2l_text_is_any(b->word.text, b->word.size, keyword);
}

/* "LABEL,STATE->STATE" without blanks, in the first line or in the one behind a lone state. */
static bool looks_like_ba(const beginning *b)
{
    f2l_line line = f2l_line_start(b->text, b->size);
    f2l_word word[2];
    for (size_t seen = 0; seen < 2 && f2l_line_next(&line);) {
        const size_t words = f2l_line_words(word, 1, &line, 0);
        if (words == 0) continue;
        if (words > 1) return false;
        const char *comma = memchr(word[0].text, ',', word[0].size);
        const size_t rest = comma ? word[0].size - (size_t)(comma - word[0].text) : 0;
        if (comma && contains_text(comma, rest, "->")) return true;
        seen++;
    }
    return false;
}

/* Returns whether numbers are where AT&T text has them: state, state weight, source target label
 * .. */
static bool looks_like_att(const beginning *b)
{
    if (b->columns == 0 || b->columns > 5 || !all_digits(&b->column[0])) return false;
    if (b->columns == 1) return true;
    if (b->columns > 2) return all_digits(&b->column[1]);
    const char c = b->column[1].text[0];
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' ||
           is_word_folded(&b->column[1], "inf") || is_word_folded(&b->column[1], "infinity");
}

static bool looks_like_gap(const beginning *b)
{
    static const char *const mark[] = {"Transformation", "PartialPerm", "Group(", "Group (",
                                       "Semigroup(",     "Monoid(",     ":=",     "gap>"};
    if (b->size > 0 && (b->text[0] == '(' || b->text[0] == '[')) return true;
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (contains_text(b->text, b->size, mark[i])) return true;
    return false;
}

static bool looks_like_columns(const beginning *b)
{
    return b->tabs && b->columns >= 1 && b->columns <= 5;
}

f2l_syntax f2l_syntax_recognise(const char *bytes, size_t size)
{
    static const struct {
        f2l_syntax syntax;
        bool (*is)(const beginning *b);
    } table[] = {
        {F2L_SYNTAX_SCXML, looks_like_scxml},   {F2L_SYNTAX_JFLAP, looks_like_xml},
        {F2L_SYNTAX_JSON, looks_like_json},     {F2L_SYNTAX_DOT, looks_like_dot},
        {F2L_SYNTAX_RULES, looks_like_rules},   {F2L_SYNTAX_HOA, looks_like_hoa},
        {F2L_SYNTAX_FSA, looks_like_fsa},       {F2L_SYNTAX_MATA, looks_like_mata},
        {F2L_SYNTAX_AUT, looks_like_aut},       {F2L_SYNTAX_KISS, looks_like_kiss},
        {F2L_SYNTAX_TIMBUK, looks_like_timbuk}, {F2L_SYNTAX_BA, looks_like_ba},
        {F2L_SYNTAX_ATT, looks_like_att},       {F2L_SYNTAX_GAP, looks_like_gap},
        {F2L_SYNTAX_ATT, looks_like_columns},
    };
    const beginning b = read_beginning(bytes, size);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (b.size > 0 && table[i].is(&b)) return table[i].syntax;
    return F2L_SYNTAX_FSA;
}
