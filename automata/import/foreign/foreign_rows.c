/* Formats that show by their rows, not by a word. */
#include "automata/import/foreign/impl.h"
#include "automata/import/text/import_text.h"
#include <string.h>

#define MOST_WORDS 64

/* Splits the next line that has words, of which it returns the number; 0 at the end. */
static size_t next_words(f2l_word *word, f2l_line *line)
{
    while (f2l_line_next(line)) {
        const size_t words = f2l_line_words(word, MOST_WORDS, line, 0);
        if (words > 0) return words <= MOST_WORDS ? words : MOST_WORDS;
    }
    return 0;
}

static bool is_of(const f2l_word *word, const char *among)
{
    for (size_t i = 0; i < word->size; i++)
        if (word->text[i] == '\0' || !strchr(among, word->text[i])) return false;
    return word->size > 0;
}

bool f2l_foreign_is_abbadingo(const char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    f2l_word word[MOST_WORDS];
    size_t words, letters, length, rows = 0;
    if (next_words(word, &line) != 2 || !f2l_word_number(&words, &word[0]) ||
        !f2l_word_number(&letters, &word[1]))
        return false;
    for (; rows < 5; rows++) {
        const size_t count = next_words(word, &line);
        if (count == 0) break;
        if (count < 2 || !is_of(&word[0], "01-") || !f2l_word_number(&length, &word[1]))
            return false;
        if (count < MOST_WORDS && length != count - 2) return false;
    }
    return rows > 0;
}

bool f2l_foreign_is_lbtt(const char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    f2l_word word[MOST_WORDS];
    size_t states;
    if (next_words(word, &line) != 2 || !f2l_word_number(&states, &word[0]) ||
        !is_of(&word[1], "0123456789st"))
        return false;
    for (size_t count = next_words(word, &line); count > 0; count = next_words(word, &line))
        if (f2l_word_is(&word[count - 1], "-1")) return true;
    return false;
}

bool f2l_foreign_is_kiss_rows(const char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    f2l_word word[MOST_WORDS];
    size_t inputs = 0, outputs = 0, rows = 0;
    for (size_t count = next_words(word, &line); count > 0; count = next_words(word, &line)) {
        if (f2l_word_is(&word[0], ".i")) return false; /* it has a header */
        if (word[0].text[0] == '#' || word[0].text[0] == '.') continue;
        if (count != 4 || !is_of(&word[0], "01-") || !is_of(&word[3], "01-")) return false;
        if (rows > 0 && (word[0].size != inputs || word[3].size != outputs)) return false;
        inputs = word[0].size;
        outputs = word[3].size;
        rows++;
    }
    return rows > 1;
}

bool f2l_foreign_is_pla(const char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    f2l_word word[MOST_WORDS];
    size_t rows = 0;
    for (size_t count = next_words(word, &line); count > 0; count = next_words(word, &line)) {
        if (word[0].text[0] == '#' || word[0].text[0] == '.') continue;
        if (count != 2 || !is_of(&word[0], "01-") || !is_of(&word[1], "01-~")) return false;
        rows++;
    }
    return rows > 0;
}

/* Returns whether the text begins with the word, in lower case there or not. */
static bool begins_folded(const char *text, size_t size, const char *word)
{
    size_t n = 0;
    while (n < size && word[n] && (text[n] == word[n] || (text[n] | 0x20) == word[n])) n++;
    return word[n] == '\0';
}

bool f2l_foreign_is_table(const char *bytes, size_t size)
{
    static const char *const head[] = {"state", "from",    "source", "current",  "delta", "q",
                                       "input", "present", "origin", "\xce\xb4", NULL};
    f2l_line line = f2l_line_start(bytes, size);
    f2l_word word[1];
    while (f2l_line_next(&line)) {
        size_t at = 0, separators = 0;
        if (f2l_line_words(word, 1, &line, '#') == 0) continue;
        for (size_t c = 0; c < line.size; c++)
            separators += line.text[c] != '\0' && strchr(",;|\t", line.text[c]) != NULL;
        while (at < line.size && line.text[at] != '\0' && strchr(" \t|\"", line.text[at])) at++;
        for (size_t i = 0; head[i]; i++)
            if (begins_folded(line.text + at, line.size - at, head[i]) &&
                (separators > 0 || word[0].size == strlen(head[i])))
                return true;
        return false;
    }
    return false;
}

bool f2l_foreign_is_regex(const char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    f2l_word word[MOST_WORDS];
    if (next_words(word, &line) != 1 || memchr(word->text, ':', word->size)) return false;
    bool has_operator = false;
    for (size_t i = 0; i < word->size; i++)
        has_operator |= word->text[i] != '\0' && strchr("*|+?", word->text[i]) != NULL;
    return has_operator && next_words(word, &line) == 0;
}

bool f2l_foreign_is_pickle(const char *bytes, size_t size)
{
    return size > 2 && (unsigned char)bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

bool f2l_foreign_is_by_transitions(const char *bytes, size_t size)
{
    for (size_t at = 0; at + 1 < size; at++) {
        if (bytes[at] != '{') continue;
        size_t before = at;
        while (before > 0 && bytes[before - 1] != '\0' && strchr(" 0123456789", bytes[before - 1]))
            before--;
        if (before < at && before > 0 && bytes[before - 1] == ']') return true;
    }
    return false;
}
