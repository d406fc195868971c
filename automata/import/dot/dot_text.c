/* The texts of labels as Graphviz shows them: escapes, entities, and HTML that is plain text. */
#include "automata/import/dot/dot.h"
#include <string.h>

static bool is_dot_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Reads at most 8 digits of the base into *value; returns their number. */
static size_t read_dot_digits(const char *at, unsigned base, uint32_t *value)
{
    size_t count = 0;
    for (*value = 0; count < 8; count++) {
        const char c = at[count];
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                      : 99;
        if (digit >= base) break;
        *value = base * *value + digit;
    }
    return count;
}

static bool is_dot_character(uint32_t point)
{
    return point > 0 && point < 0x110000 && !(point >= 0xd800 && point < 0xe000);
}

/* Appends the character of an entity such as &lt; or &#955; and returns its size; 0: there is
 * none. */
static size_t show_entity(f2l_buf *out, const char *at)
{
    static const struct {
        const char *name, *text;
    } entity[] = {{"&lt;", "<"},
                  {"&gt;", ">"},
                  {"&amp;", "&"},
                  {"&quot;", "\""},
                  {"&apos;", "'"},
                  {"&nbsp;", " "},
                  {"&not;", "\xc2\xac"},
                  {"&and;", "\xe2\x88\xa7"},
                  {"&or;", "\xe2\x88\xa8"},
                  {"&epsilon;", "\xce\xb5"},
                  {"&epsi;", "\xce\xb5"},
                  {"&lambda;", "\xce\xbb"},
                  {"&Sigma;", "\xce\xa3"},
                  {"&uuml;", "\xc3\xbc"},
                  {"&minus;", "\xe2\x88\x92"},
                  {"&ndash;", "\xe2\x80\x93"}};
    for (size_t i = 0; i < sizeof entity / sizeof *entity; i++) {
        if (strncmp(at, entity[i].name, strlen(entity[i].name)) != 0) continue;
        f2l_buf_text(out, entity[i].text);
        return strlen(entity[i].name);
    }
    if (at[1] != '#') return 0;
    const bool hex = at[2] == 'x' || at[2] == 'X';
    uint32_t point;
    const size_t digits = read_dot_digits(at + 2 + hex, hex ? 16 : 10, &point);
    if (digits == 0 || at[2 + hex + digits] != ';' || !is_dot_character(point)) return 0;
    f2l_buf_utf8(out, point);
    return 3 + hex + digits;
}

size_t f2l_dot_code_point(const char *at, uint32_t *point)
{
    const bool twice = at[0] == '\\' && at[1] == '\\';
    const char kind = at[0] == '\\' ? at[1 + twice] : '\0';
    if (kind != 'u' && kind != 'U') return 0;
    const size_t wanted = kind == 'u' ? 4 : 8;
    char digits[9] = {0};
    for (size_t i = 0; i < wanted && at[2 + twice + i]; i++) digits[i] = at[2 + twice + i];
    return read_dot_digits(digits, 16, point) == wanted ? 2 + twice + wanted : 0;
}

/* Appends what an escape stands for and sets *at behind it; returns NULL or why it is none. */
static const char *show_escape(f2l_buf *out, const char **at)
{
    uint32_t point;
    const size_t coded = f2l_dot_code_point(*at, &point);
    const char c = (*at)[1];
    if (coded) {
        if (!is_dot_character(point)) return "has an escape that is no character";
        f2l_buf_utf8(out, point);
        *at += coded;
        return NULL;
    }
    *at += 1 + (c != '\0');
    if (c == 'n' || c == 'l' || c == 'r') {
        f2l_buf_text(out, "\n");
    } else if (is_dot_letter(c) || (c >= '0' && c <= '9')) {
        return strchr("NGETHL", c) ? "has an escape that Graphviz replaces by a name"
                                   : "has an escape that Graphviz does not know";
    } else {
        f2l_buf_bytes(out, c ? &c : "\\", 1);
    }
    return NULL;
}

/* Appends what an HTML tag stands for and sets *at behind it. */
static const char *show_tag(f2l_buf *out, const char **at)
{
    static const char *const known[] = {"b", "i", "u", "o", "s", "font", "table", "tr", "td", NULL};
    const char *p = *at + 1;
    const bool closes = *p == '/';
    char name[8] = {0};
    p += closes;
    for (size_t i = 0; is_dot_letter(*p); i++, p++)
        if (i < sizeof name - 1) name[i] = (char)(*p | 0x20);
    while (*p && *p != '>') p++;
    *at = p + (*p == '>');
    if (strcmp(name, "br") == 0 || (closes && strcmp(name, "tr") == 0)) {
        f2l_buf_text(out, "\n");
        return NULL;
    }
    for (size_t i = 0; known[i]; i++)
        if (strcmp(name, known[i]) == 0) return NULL;
    return "is HTML that is no plain text";
}

/* Shows HTML, without the mark before it and its outer brackets. */
static const char *show_html(f2l_buf *out, const char *text, size_t size)
{
    const char *why = NULL, *at = text, *const end = text + size;
    while (at < end && !why) {
        const size_t entity = *at == '&' ? show_entity(out, at) : 0;
        if (entity) {
            at += entity;
        } else if (*at == '<') {
            why = show_tag(out, &at);
        } else {
            f2l_buf_bytes(out, *at == '\n' || *at == '\t' || *at == '\r' ? " " : at, 1);
            at++;
        }
    }
    return why;
}

const char *f2l_dot_show(f2l_buf *out, const char *text)
{
    const char *why = NULL;
    if (*text == F2L_DOT_HTML_MARK) return show_html(out, text + 2, strlen(text) - 3);
    while (*text && !why) {
        const size_t plain = strcspn(text, "\\&\r");
        f2l_buf_bytes(out, text, plain);
        text += plain;
        if (*text == '\\') {
            why = show_escape(out, &text);
        } else if (*text == '&') {
            const size_t size = show_entity(out, text);
            if (size == 0) f2l_buf_bytes(out, text, 1);
            text += size ? size : 1;
        } else if (*text) {
            text++; /* of a line's end with carriage return */
        }
    }
    return why;
}

void f2l_dot_write_out(f2l_buf *out, const char *text)
{
    if (*text != F2L_DOT_HTML_MARK) {
        f2l_buf_text(out, text);
        return;
    }
    f2l_buf_bytes(out, text + 2, strlen(text) - 3);
}

const char *f2l_dot_trim(const char *text, size_t *size)
{
    while (*size > 0 && strchr(" \t\n", *text)) {
        text++;
        *size -= 1;
    }
    while (*size > 0 && strchr(" \t\n", text[*size - 1])) *size -= 1;
    return text;
}
