/* Words and points of GAP. GAP breaks long lines with a backslash, even inside words. */
#include "automata/import/gap/impl.h"
#include <string.h>

f2l_status f2l_gap_fail(const f2l_gap *g, size_t at, const char *text, f2l_error *err)
{
    size_t line, column;
    f2l_import_position(g->bytes, at, &line, &column);
    return f2l_fail_at(err, line, column, "%s", text);
}

/* Returns the length of a backslash and line end at `at`, otherwise 0. */
static size_t line_break(const f2l_gap *g, size_t at)
{
    if (at + 1 >= g->size || g->bytes[at] != '\\') return 0;
    if (g->bytes[at + 1] == '\n') return 2;
    return at + 2 < g->size && g->bytes[at + 1] == '\r' && g->bytes[at + 2] == '\n' ? 3 : 0;
}

void f2l_gap_skip_blank(f2l_gap *g)
{
    while (g->at < g->size) {
        char c = g->bytes[g->at];
        size_t broken = line_break(g, g->at);
        if (broken > 0) {
            g->at += broken;
        } else if (c == '#') {
            while (g->at < g->size && g->bytes[g->at] != '\n') g->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            g->at++;
        } else {
            return;
        }
    }
}

bool f2l_gap_at(f2l_gap *g, char c)
{
    f2l_gap_skip_blank(g);
    return g->at < g->size && g->bytes[g->at] == c;
}

bool f2l_gap_take(f2l_gap *g, char c)
{
    if (!f2l_gap_at(g, c)) return false;
    g->at++;
    return true;
}

f2l_status f2l_gap_expect(f2l_gap *g, char c, f2l_error *err)
{
    char text[] = "expected \"?\"";
    text[10] = c;
    return f2l_gap_take(g, c) ? F2L_OK : f2l_gap_fail(g, g->at, text, err);
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

f2l_status f2l_gap_word(f2l_gap *g, f2l_error *err)
{
    f2l_gap_skip_blank(g);
    g->word_at = g->at;
    g->word.size = 0;
    while (g->at < g->size) {
        size_t broken = line_break(g, g->at);
        if (broken == 0 && !is_word_byte(g->bytes[g->at])) break;
        if (broken == 0) f2l_buf_bytes(&g->word, g->bytes + g->at, 1);
        g->at += broken == 0 ? 1 : broken;
    }
    return f2l_buf_status(&g->word, err);
}

bool f2l_gap_word_is(const f2l_gap *g, const char *text)
{
    return g->word.size == strlen(text) && memcmp(g->word.data, text, g->word.size) == 0;
}

f2l_status f2l_gap_point(f2l_gap *g, bool zero, uint32_t *point, f2l_error *err)
{
    static const char expected[] = "expected a point (a positive integer)";
    f2l_status status = f2l_gap_word(g, err);
    if (status != F2L_OK) return status;
    uint32_t value = 0;
    for (size_t i = 0; i < g->word.size; i++) {
        char c = g->word.data[i];
        if (c < '0' || c > '9') return f2l_gap_fail(g, g->word_at, expected, err);
        value = 10 * value + (uint32_t)(c - '0');
        if (value > F2L_GAP_MAX_POINT)
            return f2l_gap_fail(g, g->word_at, "a point beyond 1000000", err);
    }
    if (g->word.size == 0 || (value == 0 && !zero))
        return f2l_gap_fail(g, g->word_at, expected, err);
    *point = value;
    return F2L_OK;
}

void f2l_gap_skip_statement(f2l_gap *g)
{
    bool quoted = false;
    for (f2l_gap_skip_blank(g); g->at < g->size; g->at++) {
        const char c = g->bytes[g->at];
        if (c == '\\' && quoted) g->at++;
        if (c == '"') quoted = !quoted;
        if (c == '#' && !quoted) f2l_gap_skip_blank(g);
        if (g->at >= g->size) break;
        if (g->bytes[g->at] == ';' && !quoted) break;
    }
    g->at = g->at < g->size ? g->at + 1 : g->size;
}

/* Returns the place behind the prompt of a line, or 0. */
static size_t skip_prompt(const char *line, size_t size, const char *prompt)
{
    size_t at = 0;
    const size_t n = strlen(prompt);
    while (at < size && (line[at] == ' ' || line[at] == '\t')) at++;
    return size - at >= n && memcmp(line + at, prompt, n) == 0 ? at + n : 0;
}

bool f2l_gap_is_session(const char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    while (f2l_line_next(&line))
        if (skip_prompt(line.text, line.size, "gap>") > 0) return true;
    return false;
}

/* Returns whether a statement goes on behind the line, before which one was open or not. */
static bool leaves_open(const char *line, size_t size, bool open)
{
    char last = '\0';
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '#' && !quoted) break;
        quoted ^= line[i] == '"';
        if (!strchr(" \t\r", line[i])) last = line[i];
    }
    return last == '\0' ? open : last != ';';
}

void f2l_gap_clean_session(char *bytes, size_t size)
{
    f2l_line line = f2l_line_start(bytes, size);
    bool open = false; /* a statement has begun, and has not ended */
    while (f2l_line_next(&line)) {
        char *const text = bytes + (line.text - bytes);
        size_t prompt = skip_prompt(text, line.size, "gap>");
        const bool begins = prompt > 0, input = begins || open;
        if (!begins && open) prompt = skip_prompt(text, line.size, ">");
        memset(text, ' ', input ? prompt : line.size);
        if (input) open = leaves_open(text, line.size, open && !begins);
    }
}
