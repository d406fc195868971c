/* A reader of words in the user's form: one per line, letters separated by blanks, or run together
 * when every letter of the automaton is one character; a letter may be quoted as in `.fsa`. An
 * empty line is the empty word. The reader goes letter by letter, so that a word of any length
 * takes constant memory. */
#ifndef F2L_WORDS_H
#define F2L_WORDS_H

#include "numeric/base/names.h"
#include "numeric/base/text.h"
#include <stdio.h>

typedef struct f2l_words {
    FILE *in;
    const f2l_names *letters;
    bool single;         /* every letter is one character */
    size_t longest;      /* bytes of the longest letter */
    size_t line, column; /* 1-based position of the next byte */
    bool line_open;      /* a part of the line was read */
    f2l_buf token;
} f2l_words;

typedef enum f2l_word_event {
    F2L_WORD_LETTER,
    F2L_WORD_LINE_END, /* a word is complete; also at the end of a last line without a line feed */
    F2L_WORD_END       /* the end of the input */
} f2l_word_event;

/* Starts reading; `in` and `letters` are borrowed until clear. */
void f2l_words_init(f2l_words *words, FILE *in, const f2l_names *letters);
void f2l_words_clear(f2l_words *words);

/* Reads the next event; *letter is the index for F2L_WORD_LETTER. F2L_EFORMAT with line and column
 * for text that is not a letter; F2L_EIO when reading fails. */
f2l_status f2l_words_next(f2l_words *words, f2l_word_event *event, size_t *letter, f2l_error *err);

#endif
