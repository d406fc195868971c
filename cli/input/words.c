#include "cli/input/words.h"
#include "numeric/base/lex.h"
#include "numeric/base/visible.h"
#include <errno.h>
#include <string.h>

#define SHOWN 60 /* bytes of an unknown letter in a message */

void f2l_words_init(f2l_words *words, FILE *in, const f2l_names *letters)
{
    memset(words, 0, sizeof *words);
    words->in = in;
    words->letters = letters;
    words->line = words->column = 1;
    words->single = true;
    for (size_t a = 0; a < letters->count; a++) {
        const char *name = f2l_names_get(letters, a);
        size_t size = strlen(name);
        if (size > words->longest) words->longest = size;
        if (!f2l_utf8_is_character(name)) words->single = false;
    }
    f2l_buf_init(&words->token);
}

void f2l_words_clear(f2l_words *words)
{
    f2l_buf_clear(&words->token);
}

static int take_word_character(f2l_words *w)
{
    int c = getc_unlocked(w->in);
    if (c != EOF) {
        w->column++;
        w->line_open = true;
    }
    return c;
}

static void put_back(f2l_words *w, int c)
{
    if (c == EOF) return;
    ungetc(c, w->in);
    w->column--;
}

static bool is_word_separator(int c)
{
    return c == ' ' || c == '\t';
}

static bool ends_token(int c)
{
    return c == EOF || c == '\n' || c == '\r' || is_word_separator(c);
}

static f2l_status unknown_letter(const f2l_words *w, size_t column, const char *text, size_t size,
                                 f2l_error *err)
{
    f2l_buf known;
    f2l_buf_init(&known);
    for (size_t a = 0; a < w->letters->count && a < 8; a++) {
        if (a) f2l_buf_text(&known, " ");
        f2l_buf_visible_name(&known, f2l_names_get(w->letters, a));
    }
    if (w->letters->count > 8) f2l_buf_text(&known, " ...");
    f2l_status status =
        f2l_fail_at(err, w->line, column, "unknown letter '%.*s'; the letters are %s%s",
                    (int)(size > SHOWN ? SHOWN : size), text, known.data ? known.data : "",
                    w->single ? ""
                              : " (separated by blanks; names with blanks, parentheses or # "
                                "quoted)");
    f2l_buf_clear(&known);
    return status;
}

static f2l_status look_up_letter(f2l_words *w, size_t column, const char *text, size_t size,
                                 size_t *letter, f2l_error *err)
{
    *letter = f2l_names_find(w->letters, text, size);
    return *letter == F2L_NO_INDEX ? unknown_letter(w, column, text, size, err) : F2L_OK;
}

/* Reads the rest of a quoted name whose first quote is in the token already; the lexer of `.fsa`
 * unescapes it. */
static f2l_status read_quoted_letter(f2l_words *w, size_t column, size_t *letter, f2l_error *err)
{
    bool escaped = false;
    for (;;) {
        int c = take_word_character(w);
        if (c == EOF || c == '\n')
            return f2l_fail_at(err, w->line, column, "the quote is not closed on this line");
        char byte = (char)c;
        f2l_buf_bytes(&w->token, &byte, 1);
        if (c == '"' && !escaped) break;
        escaped = c == '\\' && !escaped;
        /* A byte of a name takes at most six bytes, as \uXXXX. */
        if (w->token.size > 6 * w->longest + 2) {
            return f2l_fail_at(err, w->line, column,
                               "this quoted name is longer than every letter");
        }
    }
    int next = take_word_character(w);
    put_back(w, next);
    if (!ends_token(next))
        return f2l_fail_at(err, w->line, w->column, "a blank is expected after a quoted name");
    if (f2l_buf_status(&w->token, err) != F2L_OK) return F2L_ENOMEM;
    f2l_lex lex;
    bool more;
    f2l_lex_init(&lex, w->token.data, w->token.size);
    f2l_status status = f2l_lex_line(&lex, &more, err);
    if (status == F2L_OK) {
        status = look_up_letter(w, column, lex.token[0].text, lex.token[0].size, letter, err);
    } else if (err && status == F2L_EFORMAT) {
        err->line = w->line;
        err->column += column - 1;
    }
    f2l_lex_clear(&lex);
    return status;
}

/* Reads the rest of a bare letter whose first byte is in the token already: one UTF-8 character
 * when letters may be run together, otherwise everything up to a blank. */
static f2l_status bare(f2l_words *w, size_t column, size_t *letter, f2l_error *err)
{
    for (;;) {
        int c = take_word_character(w);
        bool stop = w->single ? c == EOF || (c & 0xC0) != 0x80 : ends_token(c);
        if (stop) {
            put_back(w, c);
            break;
        }
        char byte = (char)c;
        f2l_buf_bytes(&w->token, &byte, 1);
        if (w->token.size > w->longest + SHOWN) break;
    }
    if (f2l_buf_status(&w->token, err) != F2L_OK) return F2L_ENOMEM;
    return look_up_letter(w, column, w->token.data, w->token.size, letter, err);
}

static f2l_status end_of_input(f2l_words *w, f2l_word_event *event, f2l_error *err)
{
    if (ferror(w->in)) return f2l_fail(err, F2L_EIO, "cannot read the words: %s", strerror(errno));
    *event = w->line_open ? F2L_WORD_LINE_END : F2L_WORD_END;
    w->line_open = false;
    return F2L_OK;
}

f2l_status f2l_words_next(f2l_words *words, f2l_word_event *event, size_t *letter, f2l_error *err)
{
    int c;
    do {
        c = take_word_character(words);
        if (c == '\r') {
            int next = take_word_character(words);
            put_back(words, next);
            if (next == '\n' || next == EOF) c = ' ';
        }
    } while (is_word_separator(c));
    if (c == EOF) return end_of_input(words, event, err);
    if (c == '\n') {
        *event = F2L_WORD_LINE_END;
        words->line++;
        words->column = 1;
        words->line_open = false;
        return F2L_OK;
    }
    *event = F2L_WORD_LETTER;
    size_t column = words->column - 1;
    char byte = (char)c;
    words->token.size = 0;
    f2l_buf_bytes(&words->token, &byte, 1);
    return c == '"' ? read_quoted_letter(words, column, letter, err)
                    : bare(words, column, letter, err);
}
