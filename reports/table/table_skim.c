/* The JSON of a result without what no table takes. What is skipped must be JSON all the same: a
 * file that is not is one that this program did not write, and nothing in it is believed. Where it
 * takes more than a look at the characters to tell, as for numbers that may be too large, the
 * parser tells: the text is not skimmed then. Only members of one name twice, which the parser
 * refuses, are not seen among those that are skipped. */
#include "reports/table/impl.h"
#include <string.h>

#define DEEPEST 64     /* objects and lists in each other */
#define MOST_DIGITS 18 /* of a whole number of 64 bits */

/* What is left of the text. The functions return false where it is not made as JSON is. */
typedef struct skim {
    f2l_buf *out;
    const char *at, *end;
} skim;

static void skip_blanks(skim *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) s->at++;
}

static bool is_next(const skim *s, char c)
{
    return s->at < s->end && *s->at == c;
}

/* --- texts, numbers and words --- */

/* Returns the size of the UTF-8 character that begins here, of two bytes or more; 0: none does. */
static size_t character_size(const char *at, size_t left)
{
    size_t wrong;
    const unsigned char lead = (unsigned char)*at;
    const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    return size <= left && f2l_utf8_valid(at, size, &wrong) ? size : 0;
}

/* Skips four digits of base 16; not of the character 0 or of half a character, of which the parser
 * knows more. */
static bool skip_code(skim *s)
{
    static const char digit[] = "0123456789abcdefABCDEF";
    const char *code = s->at;
    if (s->end - s->at < 4) return false;
    for (; s->at < code + 4; s->at++)
        if (!memchr(digit, *s->at, sizeof digit - 1)) return false;
    return memcmp(code, "0000", 4) != 0 && *code != 'd' && *code != 'D';
}

/* Skips what follows a backslash. */
static bool skip_escape(skim *s)
{
    if (s->at >= s->end) return false;
    const char kind = *s->at++;
    return kind == 'u' ? skip_code(s) : kind != '\0' && strchr("\"\\/bfnrt", kind) != NULL;
}

static bool skip_text(skim *s)
{
    for (s->at++; s->at < s->end && *s->at != '"';) {
        const unsigned char c = (unsigned char)*s->at;
        if (c < ' ') return false;
        if (c == '\\') {
            s->at++;
            if (!skip_escape(s)) return false;
            continue;
        }
        const size_t size = c < 0x80 ? 1 : character_size(s->at, (size_t)(s->end - s->at));
        if (size == 0) return false;
        s->at += size;
    }
    if (s->at >= s->end) return false;
    s->at++;
    return true;
}

/* Skips digits, at least one and at most `most`. */
static bool skip_digits(skim *s, size_t most)
{
    const char *begin = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') s->at++;
    return s->at > begin && (size_t)(s->at - begin) <= most;
}

/* Skips a number that is surely not too large. */
static bool skip_number(skim *s)
{
    s->at += is_next(s, '-');
    const bool zero = is_next(s, '0');
    if (!skip_digits(s, zero ? 1 : MOST_DIGITS)) return false;
    if (is_next(s, '.')) {
        s->at++;
        if (!skip_digits(s, SIZE_MAX)) return false;
    }
    if (!is_next(s, 'e') && !is_next(s, 'E')) return true;
    s->at++;
    s->at += is_next(s, '+') || is_next(s, '-');
    return skip_digits(s, 2);
}

static bool skip_word(skim *s)
{
    static const char *const word[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        const size_t size = strlen(word[i]);
        if ((size_t)(s->end - s->at) < size || memcmp(s->at, word[i], size) != 0) continue;
        s->at += size;
        return true;
    }
    return false;
}

static bool skip_token(skim *s)
{
    if (s->at >= s->end) return false;
    if (*s->at == '"') return skip_text(s);
    return *s->at == '-' || (*s->at >= '0' && *s->at <= '9') ? skip_number(s) : skip_word(s);
}

/* --- values that are skipped --- */

/* The brackets that are open, DEEPEST at most: bit 0 of `kind` is the innermost, 1 for an object.
 */
typedef struct brackets {
    uint64_t kind;
    size_t open;
} brackets;

static bool open_bracket(skim *s, brackets *b)
{
    if (b->open == DEEPEST) return false;
    b->kind = b->kind << 1 | (*s->at++ == '{');
    b->open++;
    return true;
}

/* Skips the name of a member and the colon behind it. */
static bool skip_name(skim *s)
{
    if (!is_next(s, '"') || !skip_text(s)) return false;
    skip_blanks(s);
    if (!is_next(s, ':')) return false;
    s->at++;
    skip_blanks(s);
    return true;
}

/* Skips the brackets that are closed here, and a comma. *more: another item follows. */
static bool skip_ends(skim *s, brackets *b, bool *more)
{
    for (*more = false; b->open > 0 && !*more;) {
        skip_blanks(s);
        if (is_next(s, b->kind & 1 ? '}' : ']')) {
            b->kind >>= 1;
            b->open--;
        } else if (is_next(s, ',')) {
            *more = true;
        } else {
            return false;
        }
        s->at++;
    }
    if (*more) skip_blanks(s);
    return true;
}

/* Skips a value. Brackets are counted and not followed by calls: skipping is what takes the time.
 */
static bool skip_value(skim *s)
{
    brackets b = {.open = 0};
    for (bool more = true; more;) {
        if (b.open > 0 && (b.kind & 1) && !skip_name(s)) return false;
        if (is_next(s, '{') || is_next(s, '[')) {
            if (!open_bracket(s, &b)) return false;
            skip_blanks(s);
            if (!is_next(s, b.kind & 1 ? '}' : ']')) continue;
        } else if (!skip_token(s)) {
            return false;
        }
        if (!skip_ends(s, &b, &more)) return false;
    }
    return true;
}

/* --- values that are copied --- */

static bool copy_value(skim *s, size_t depth);

/* Copies a member, after a comma unless it is the first, or skips it. */
static bool copy_member(skim *s, size_t depth, bool *first)
{
    const char *name = s->at;
    if (!is_next(s, '"') || !skip_text(s)) return false;
    const size_t size = (size_t)(s->at - name);
    skip_blanks(s);
    if (!is_next(s, ':')) return false;
    s->at++;
    skip_blanks(s);
    /* a name with an escape may be any, which the parser knows */
    if (!memchr(name, '\\', size) && !f2l_table_takes(name + 1, size - 2)) return skip_value(s);
    if (!*first) f2l_buf_text(s->out, ",");
    *first = false;
    f2l_buf_bytes(s->out, name, size);
    f2l_buf_text(s->out, ":");
    return copy_value(s, depth + 1);
}

static bool copy_item(skim *s, size_t depth, bool *first)
{
    if (!*first) f2l_buf_text(s->out, ",");
    *first = false;
    return copy_value(s, depth + 1);
}

/* Copies an object or a list, whose last bracket is `close`. */
static bool copy_members(skim *s, size_t depth, char close)
{
    bool first = true;
    f2l_buf_bytes(s->out, s->at++, 1);
    skip_blanks(s);
    while (!is_next(s, close)) {
        if (!(close == '}' ? copy_member(s, depth, &first) : copy_item(s, depth, &first)))
            return false;
        skip_blanks(s);
        if (is_next(s, close)) break;
        if (!is_next(s, ',')) return false;
        s->at++;
        skip_blanks(s);
        if (is_next(s, close)) return false;
    }
    f2l_buf_bytes(s->out, s->at++, 1);
    return true;
}

static bool copy_value(skim *s, size_t depth)
{
    if (depth == DEEPEST) return false;
    if (is_next(s, '{')) return copy_members(s, depth, '}');
    if (is_next(s, '[')) return copy_members(s, depth, ']');
    const char *begin = s->at;
    if (!skip_token(s)) return false;
    f2l_buf_bytes(s->out, begin, (size_t)(s->at - begin));
    return true;
}

void f2l_table_skim(f2l_buf *out, const char *text, size_t size)
{
    skim s = {.out = out, .at = text, .end = text ? text + size : text};
    skip_blanks(&s);
    if (copy_value(&s, 0)) {
        /* what follows is blank, or the parser refuses it */
        f2l_buf_bytes(out, s.at, (size_t)(s.end - s.at));
        return;
    }
    f2l_buf_clear(out);
    f2l_buf_bytes(out, text, size);
}
