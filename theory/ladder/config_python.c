/* Expressions of Python, as `print` writes the arguments that a checkpoint has. Nothing is
 * evaluated. */
#include "theory/ladder/config_reader.h"
#include <ctype.h>
#include <string.h>

#define DEEPEST 32 /* brackets in each other */

/* All functions below read at r->at and move it. */
static json_t *read_value(f2l_config_reader *r, size_t depth, f2l_status *status);

/* Returns the byte at the place, 0 at the end. */
static char peek(const f2l_config_reader *r)
{
    return r->at < r->out->size ? r->out->text[r->at] : '\0';
}

static void skip_blanks(f2l_config_reader *r)
{
    for (; isspace((unsigned char)peek(r)); r->at++)
        if (peek(r) == '\n') {
            r->line++;
            r->begin = r->at + 1;
        }
}

static void refuse(const f2l_config_reader *r, f2l_status *status, const char *what)
{
    if (*status == F2L_OK) *status = f2l_config_refuse_at(r, r->at, what);
}

/* Passes over the sign, which is expected. */
static void take(f2l_config_reader *r, char sign, const char *what, f2l_status *status)
{
    skip_blanks(r);
    if (peek(r) != sign) refuse(r, status, what);
    r->at++;
}

/* Returns whether there is one more member before the bracket, which is passed over otherwise. */
static bool has_member(f2l_config_reader *r, char close, size_t count, f2l_status *status)
{
    skip_blanks(r);
    if (*status == F2L_OK && count > 0 && peek(r) != close) {
        take(r, ',', "a comma or a closing bracket is expected", status);
        skip_blanks(r);
    }
    if (count >= F2L_CONFIG_MOST) refuse(r, status, "there are more than 20,000 members");
    if (*status != F2L_OK || peek(r) != close) return *status == F2L_OK;
    r->at++;
    return false;
}

/* --- words and texts --- */

/* Returns how many bytes a word of letters, digits and the other bytes has. */
static size_t measure_word(const f2l_config_reader *r, const char *others)
{
    size_t n = 0;
    for (const char *c = r->out->text + r->at; r->at + n < r->out->size; n++)
        if (c[n] == '\0' || (!isalnum((unsigned char)c[n]) && !strchr(others, c[n]))) break;
    return n;
}

/* Appends what a backslash and the bytes after it mean. */
static void read_escape(f2l_config_reader *r, f2l_buf *out, f2l_status *status)
{
    static const char plain[] = "\\\\''\"\"n\nt\tr\r", sizes[] = "x\2u\4U\10";
    const char letter = r->at + 1 < r->out->size ? r->out->text[r->at + 1] : '\0';
    uint32_t code = 0;
    for (const char *p = plain; *p; p += 2)
        if (*p == letter) {
            f2l_buf_bytes(out, p + 1, 1);
            r->at += 2;
            return;
        }
    const char *size = letter && letter > '\10' ? strchr(sizes, letter) : NULL;
    if (!size) {
        refuse(r, status, "an escape that is not read here");
        return;
    }
    r->at += 2;
    for (int i = 0; i < size[1]; i++, r->at++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = peek(r) ? strchr(digits, tolower((unsigned char)peek(r))) : NULL;
        if (!digit) refuse(r, status, "a digit to base 16 is expected");
        if (*status != F2L_OK) return;
        code = code << 4 | (uint32_t)(digit - digits);
    }
    if (code > 0x10ffff) refuse(r, status, "an escape of no character");
    if (*status == F2L_OK) f2l_buf_utf8(out, code);
}

/* Returns a text in quotes. */
static json_t *read_text(f2l_config_reader *r, f2l_status *status)
{
    const char quote = peek(r);
    const size_t first = r->at++;
    f2l_buf text;
    f2l_buf_init(&text);
    while (*status == F2L_OK && peek(r) != quote) {
        if (r->at >= r->out->size || peek(r) == '\n') {
            *status = f2l_config_refuse_at(r, first, "a quote that nothing closes");
        } else if (peek(r) == '\\') {
            read_escape(r, &text, status);
        } else {
            f2l_buf_bytes(&text, r->out->text + r->at++, 1);
        }
    }
    r->at++;
    if (*status == F2L_OK) *status = f2l_buf_status(&text, r->err);
    json_t *value = *status == F2L_OK ? json_stringn(text.data ? text.data : "", text.size) : NULL;
    if (!value && *status == F2L_OK)
        *status = f2l_config_refuse_at(r, first, "a text that is no UTF-8");
    f2l_buf_clear(&text);
    return value;
}

/* Returns what is in angle brackets, `<Backend.auto: 5>`, as a text. */
static json_t *read_printed_object(f2l_config_reader *r, f2l_status *status)
{
    const size_t first = r->at;
    size_t open = 0;
    do {
        if (r->at >= r->out->size || peek(r) == '\n')
            *status = f2l_config_refuse_at(r, first, "an angle bracket that nothing closes");
        open += peek(r) == '<';
        open -= peek(r) == '>';
        r->at++;
    } while (*status == F2L_OK && open > 0);
    if (*status != F2L_OK) return NULL;
    json_t *value = json_stringn(r->out->text + first, r->at - first);
    if (!value) *status = f2l_config_refuse_at(r, first, "a text that is no UTF-8");
    return value;
}

static json_t *read_number(f2l_config_reader *r, f2l_status *status)
{
    const size_t size = measure_word(r, "+-.");
    const char *word = r->out->text + r->at;
    json_t *value = f2l_config_equals(word, size, "-inf") ? json_real(-1e308)
                                                          : f2l_config_make_scalar(word, size);
    if (!json_is_number(value)) {
        refuse(r, status, "a number is expected");
        json_decref(value);
        return NULL;
    }
    r->at += size;
    return value;
}

/* --- members --- */

/* Copies the name of a setting. */
static void read_name(f2l_config_reader *r, char name[F2L_CONFIG_NAME], f2l_status *status)
{
    const size_t size = measure_word(r, "_");
    if (*status != F2L_OK) return;
    if (isdigit((unsigned char)peek(r))) refuse(r, status, "a name is expected");
    if (*status == F2L_OK)
        *status = f2l_config_copy_name(name, r, r->out->text + r->at, size, r->at);
    r->at += size;
}

/* Reads `'name': value, ..}` into the object, behind the bracket. */
static void read_pairs(f2l_config_reader *r, json_t *object, size_t depth, f2l_status *status)
{
    for (size_t n = 0; has_member(r, '}', n, status); n++) {
        char name[F2L_CONFIG_NAME];
        f2l_config_text part = *r->out;
        f2l_config_reader place = *r; /* of the name, for what is said of it */
        part.object = object;
        place.out = &part;
        if (peek(r) != '\'' && peek(r) != '"') refuse(r, status, "a name in quotes is expected");
        json_t *key = *status == F2L_OK ? read_text(r, status) : NULL;
        if (key)
            *status = f2l_config_copy_name(name, &place, json_string_value(key),
                                           json_string_length(key), place.at);
        json_decref(key);
        if (*status == F2L_OK) take(r, ':', "a colon is expected", status);
        json_t *value = *status == F2L_OK ? read_value(r, depth, status) : NULL;
        if (value) *status = f2l_config_put(&place, name, value, place.at);
    }
}

/* Reads `name=value, ..)` as settings, behind the bracket; `**{..}` has names that Python's syntax
 * does not. */
static void read_settings(f2l_config_reader *r, f2l_status *status)
{
    for (size_t n = 0; has_member(r, ')', n, status); n++) {
        char name[F2L_CONFIG_NAME];
        f2l_config_reader place = *r;
        if (r->out->size - r->at > 3 && memcmp(r->out->text + r->at, "**{", 3) == 0) {
            r->at += 3;
            read_pairs(r, r->out->object, 1, status);
            continue;
        }
        read_name(r, name, status);
        if (*status == F2L_OK) take(r, '=', "name=value is expected", status);
        json_t *value = *status == F2L_OK ? read_value(r, 1, status) : NULL;
        if (value) *status = f2l_config_put(&place, name, value, place.at);
    }
}

/* Passes over the members of a call, `type='cuda', ..)`, behind the bracket. */
static void skip_call(f2l_config_reader *r, size_t depth, f2l_status *status)
{
    for (size_t n = 0; has_member(r, ')', n, status); n++) {
        const f2l_config_reader before = *r;
        r->at += measure_word(r, "_");
        if (r->at > before.at && peek(r) == '=')
            r->at++;
        else
            *r = before;
        json_decref(read_value(r, depth, status));
    }
}

/* --- values --- */

/* Returns a list or a tuple, behind its bracket; one value in round brackets is the value. */
static json_t *read_list(f2l_config_reader *r, char close, size_t depth, f2l_status *status)
{
    json_t *list = json_array();
    bool comma = false;
    if (!list) *status = f2l_fail_memory(r->err);
    for (size_t n = 0; has_member(r, close, n, status); n++) {
        json_t *value = read_value(r, depth, status);
        if (value && json_array_append_new(list, value) != 0) *status = f2l_fail_memory(r->err);
        skip_blanks(r);
        comma = peek(r) == ',';
    }
    json_t *out = close == ')' && !comma && json_array_size(list) == 1
                      ? json_incref(json_array_get(list, 0))
                      : json_incref(list);
    json_decref(list);
    return out;
}

/* Returns a constant; of a name with dots, torch.bfloat16, or a call the text. */
static json_t *read_word(f2l_config_reader *r, size_t depth, f2l_status *status)
{
    static const char unknown[] =
        "a value of Python is expected: True, False, None, a number, a text, a list, a dict";
    const char *word = r->out->text + r->at;
    const f2l_config_reader place = *r;
    size_t size = measure_word(r, "_.");
    r->at += size;
    if (f2l_config_equals(word, size, "True")) return json_true();
    if (f2l_config_equals(word, size, "False")) return json_false();
    if (f2l_config_equals(word, size, "None")) return json_null();
    if (f2l_config_equals(word, size, "inf")) return json_real(1e308);
    if (size > 0 && peek(r) == '(') {
        r->at++;
        skip_call(r, depth, status);
        size = r->at - place.at;
    } else if (!memchr(word, '.', size)) {
        refuse(&place, status, unknown);
    }
    json_t *value = *status == F2L_OK ? json_stringn(word, size) : NULL;
    if (!value) refuse(&place, status, unknown);
    return value;
}

/* Returns a value, a new reference; NULL: *status says why. */
static json_t *read_bracketed(f2l_config_reader *r, size_t depth, f2l_status *status)
{
    const char open = r->out->text[r->at++];
    json_t *value = open == '{' ? json_object() : NULL;
    if (open == '{' && !value) *status = f2l_fail_memory(r->err);
    if (value) read_pairs(r, value, depth, status);
    if (open != '{') value = read_list(r, open == '[' ? ']' : ')', depth, status);
    if (*status == F2L_OK) return value;
    json_decref(value);
    return NULL;
}

static json_t *read_value(f2l_config_reader *r, size_t depth, f2l_status *status)
{
    skip_blanks(r);
    const char c = peek(r);
    if (*status == F2L_OK && depth >= DEEPEST) refuse(r, status, "more than 32 brackets are open");
    if (*status != F2L_OK) return NULL;
    if (c == '\'' || c == '"') return read_text(r, status);
    if (c == '<') return read_printed_object(r, status);
    if (c && strchr("[({", c)) return read_bracketed(r, depth + 1, status);
    if (c && strchr("+-.0123456789", c)) return read_number(r, status);
    return read_word(r, depth + 1, status);
}

/* --- the whole --- */

bool f2l_config_is_python(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.')) i++;
    if (i > 0) return i < size && text[i] == '(';
    if (size == 0 || (text[0] != '{' && text[0] != '[')) return false;
    for (i = 1; i < size && isspace((unsigned char)text[i]);) i++;
    return i < size && text[i] == '\'';
}

/* Reads the call that makes settings. */
static void read_namespace(f2l_config_reader *r, f2l_status *status)
{
    static const char *const known[] = {"Namespace", "argparse.Namespace", "namespace",
                                        "SimpleNamespace"};
    const size_t size = measure_word(r, "_.");
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found |= f2l_config_equals(r->out->text + r->at, size, known[i]);
    if (!found)
        refuse(r, status, "a class that is not known here: Namespace(name=value, ..) is read");
    r->at += size + 1;
    if (found) read_settings(r, status);
}

f2l_status f2l_config_read_python(f2l_config_reader *r)
{
    f2l_status status = F2L_OK;
    json_t *list = NULL;
    skip_blanks(r);
    if (peek(r) == '[') {
        list = read_value(r, 0, &status);
    } else if (peek(r) == '{') {
        r->at++;
        read_pairs(r, r->out->object, 1, &status);
    } else {
        read_namespace(r, &status);
    }
    skip_blanks(r);
    if (status == F2L_OK && r->at < r->out->size)
        refuse(r, &status, "the text goes on behind its closing bracket");
    if (status == F2L_OK && list) {
        r->line = 1; /* the words of the list are not at their places any more */
        r->begin = 0;
        status = f2l_config_read_listed(r, list);
    }
    json_decref(list);
    return status;
}
