#include "models/network/net/scan.h"
#include "models/network/net/box.h"
#include "models/network/net/code_index.h"
#include "models/network/net/head.h"
#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = sizeof "letter x\n" - 1, FACTOR_BYTES = sizeof "factor 0 u 1:1\n" - 1 };

void f2l_scan_init(f2l_scan *s, const char *bytes, size_t size, f2l_error *err)
{
    *s = (f2l_scan){.bytes = bytes, .size = size, .line = 1, .status = F2L_OK, .err = err};
    mpq_init(s->value);
}

void f2l_scan_clear(f2l_scan *s)
{
    mpq_clear(s->value);
}

bool f2l_scan_fail(f2l_scan *s, size_t at, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->status = f2l_fail_at(s->err, s->line, at - s->line_start + 1, "%s", text);
    return false;
}

bool f2l_scan_passed(f2l_scan *s, f2l_status status)
{
    if (status != F2L_OK) s->status = status;
    return status == F2L_OK;
}

bool f2l_scan_next_is(const f2l_scan *s, const char *text)
{
    size_t n = strlen(text);
    return s->size - s->at >= n && memcmp(s->bytes + s->at, text, n) == 0;
}

bool f2l_scan_at_number(const f2l_scan *s)
{
    return f2l_scan_next_is(s, " ") && s->at + 1 < s->size && s->bytes[s->at + 1] >= '0' &&
           s->bytes[s->at + 1] <= '9';
}

bool f2l_scan_want(f2l_scan *s, const char *text)
{
    const char *word = text;
    for (; *text != '\0'; text++, s->at++) {
        if (s->at == s->size)
            return f2l_scan_fail(s, s->at,
                                 "the file ends here; it is not "
                                 "complete");
        if (text > word && text[-1] == ' ') word = text;
        if (s->bytes[s->at] == *text) continue;
        if (*text == '\n') return f2l_scan_fail(s, s->at, "expected the end of the line");
        if (*text == ' ' && text == word) return f2l_scan_fail(s, s->at, "expected `%s`", word);
        return f2l_scan_fail(s, s->at - (size_t)(text - word), "expected `%.*s`",
                             (int)strcspn(word, " \n"), word);
    }
    if (text[-1] == '\n') {
        s->line++;
        s->line_start = s->at;
    }
    return true;
}

bool f2l_scan_end(f2l_scan *s)
{
    if (!f2l_scan_want(s, "end\n")) return false;
    return s->at == s->size || f2l_scan_fail(s, s->at, "nothing may follow `end`");
}

bool f2l_scan_size(f2l_scan *s, size_t *out, const char *what, size_t least, size_t most)
{
    size_t start = s->at, value = 0;
    bool in_range = true;
    *out = 0;
    for (; s->at < s->size && s->bytes[s->at] >= '0' && s->bytes[s->at] <= '9'; s->at++) {
        size_t digit = (size_t)(s->bytes[s->at] - '0');
        if (value > (SIZE_MAX - digit) / 10)
            in_range = false;
        else
            value = 10 * value + digit;
    }
    if (s->at == start) return f2l_scan_fail(s, start, "expected %s, a number", what);
    if (s->bytes[start] == '0' && s->at > start + 1)
        return f2l_scan_fail(s, start, "a number may not begin with 0");
    *out = value;
    if (in_range && value >= least && value <= most) return true;
    if (least == most) return f2l_scan_fail(s, start, "%s must be %zu here", what, least);
    return f2l_scan_fail(s, start, "%s must be from %zu to %zu", what, least, most);
}

bool f2l_scan_count(f2l_scan *s, size_t *out, const char *what, size_t least, size_t bytes)
{
    size_t start = s->at;
    if (!f2l_scan_size(s, out, what, least, UINT32_MAX - 1)) return false;
    if (*out > (s->size - s->at) / bytes)
        return f2l_scan_fail(s, start, "%s is %zu, more than the rest of the file can hold", what,
                             *out);
    return true;
}

bool f2l_scan_ordinal(f2l_scan *s, const char *what, size_t index)
{
    size_t value;
    return f2l_scan_size(s, &value, what, index + 1, index + 1);
}

static bool read_rational(f2l_scan *s, mpq_t out, const char *what)
{
    size_t start = s->at, end = start;
    while (end < s->size && s->bytes[end] != ' ' && s->bytes[end] != '\n') end++;
    if (!f2l_rational_read(out, s->bytes + start, end - start))
        return f2l_scan_fail(s, start, "expected %s, a rational in lowest terms like 0, -3 or 5/2",
                             what);
    s->at = end;
    return true;
}

/* Reads a rational from 0 to `most`; without an upper bound when `most` is 0. */
static bool read_bounded(f2l_scan *s, mpq_t out, const char *what, unsigned long most)
{
    size_t start = s->at;
    if (!read_rational(s, out, what)) return false;
    if (most == 0 && mpq_sgn(out) < 0)
        return f2l_scan_fail(s, start, "%s must not be negative", what);
    if (most > 0 && (mpq_sgn(out) < 0 || mpq_cmp_ui(out, most, 1) > 0))
        return f2l_scan_fail(s, start, "%s must be from 0 to %lu", what, most);
    return true;
}

static bool ends_coefficient(char c)
{
    return c == ' ' || c == '\n' || c == ',';
}

/* Reads the coefficients "c0,c1,.." of entry `index`, a number of a field of that degree. */
static bool read_number(f2l_scan *s, f2l_qvec *out, size_t index, size_t degree)
{
    const size_t start = s->at;
    for (size_t power = 0;; power++, s->at++) {
        const size_t at = s->at;
        while (s->at < s->size && !ends_coefficient(s->bytes[s->at])) s->at++;
        const bool more = s->at < s->size && s->bytes[s->at] == ',';
        if ((degree == 1 && more) || !f2l_rational_read(s->value, s->bytes + at, s->at - at))
            return f2l_scan_fail(s, at,
                                 "expected an entry, a rational in lowest terms like 0, -3 or 5/2");
        if (power == degree)
            return f2l_scan_fail(s, at, "a number has at most %zu coefficients here", degree);
        if (!more && mpq_sgn(s->value) == 0 && power == 0)
            return f2l_scan_fail(s, start, "entries that are 0 are not written");
        if (!more && mpq_sgn(s->value) == 0)
            return f2l_scan_fail(s, at, "last coefficients that are 0 are not written");
        if (!f2l_scan_passed(
                s, f2l_qvec_push(out, (uint32_t)(index * degree + power), s->value, s->err)))
            return false;
        if (!more) return true;
    }
}

bool f2l_scan_entries(f2l_scan *s, f2l_qvec *out, size_t rows, size_t columns, size_t degree)
{
    while (f2l_scan_at_number(s)) {
        size_t start = s->at + 1, row, column = 1;
        if (!f2l_scan_want(s, " ") || !f2l_scan_size(s, &row, "the index", 1, rows)) return false;
        if (columns > 0 &&
            (!f2l_scan_want(s, ".") || !f2l_scan_size(s, &column, "the column", 1, columns)))
            return false;
        size_t index = columns > 0 ? (row - 1) * columns + column - 1 : row - 1;
        if (out->count > 0 && index <= out->index[out->count - 1] / degree)
            return f2l_scan_fail(s, start, "entries must come in increasing order");
        if (!f2l_scan_want(s, ":") || !read_number(s, out, index, degree)) return false;
    }
    return true;
}

static bool read_net_factor(f2l_scan *s, const f2l_head *head, f2l_factor *factor)
{
    if (!f2l_scan_want(s, "factor ")) return false;
    const size_t start = s->at;
    if (!read_bounded(s, factor->beta, "beta", head->raw ? 0 : 2) || !f2l_scan_want(s, " u"))
        return false;
    const size_t degree = f2l_head_degree(head);
    if (!f2l_scan_entries(s, &factor->u, head->n, 0, degree)) return false;
    if (factor->u.count == 0) return f2l_scan_fail(s, s->at, "the key needs at least one entry");
    if (head->raw && !f2l_raw_factor_fits(factor))
        return f2l_scan_fail(s, start, "beta u^T u of a raw factor must be at most 2");
    if (f2l_scan_next_is(s, " c")) {
        if (!f2l_scan_want(s, " c") || !f2l_scan_entries(s, &factor->c, head->d, 0, degree))
            return false;
        if (factor->c.count == 0)
            return f2l_scan_fail(s, s->at, "a value that is 0 is not written");
    }
    return f2l_scan_want(s, "\n");
}

static bool read_bias(f2l_scan *s, const f2l_head *head, f2l_transition *transition)
{
    if (!f2l_scan_want(s, " bias") || !f2l_scan_entries(s, &transition->bias, head->n, head->d, 1))
        return false;
    return transition->bias.count > 0 || f2l_scan_fail(s, s->at, "a bias that is 0 is not written");
}

bool f2l_scan_transition(f2l_scan *s, const f2l_head *head, f2l_transition *transition, bool biased,
                         const char *what, size_t x)
{
    size_t factors;
    if (!f2l_scan_want(s, "on ") || !f2l_scan_ordinal(s, what, x) || !f2l_scan_want(s, " gate "))
        return false;
    if (!read_bounded(s, transition->gate, "the gate", 1) || !f2l_scan_want(s, " factors "))
        return false;
    if (!f2l_scan_count(s, &factors, "the number of factors", 0, FACTOR_BYTES)) return false;
    if (biased && f2l_scan_next_is(s, " ") && !read_bias(s, head, transition)) return false;
    if (!f2l_scan_want(s, "\n")) return false;
    if (!f2l_scan_passed(s, f2l_transition_set_factors(transition, factors, s->err))) return false;
    for (size_t i = 0; i < factors; i++) {
        if (!read_net_factor(s, head, &transition->factor[i])) return false;
    }
    return true;
}

/* Reads a rational, up to `stop`. */
static bool read_bounded_end(f2l_scan *s, f2l_qvec *out, uint32_t index, const char *stop)
{
    const size_t start = s->at;
    while (s->at < s->size && strchr(stop, s->bytes[s->at]) == NULL) s->at++;
    if (!f2l_rational_read(s->value, s->bytes + start, s->at - start))
        return f2l_scan_fail(s, start,
                             "expected an end of a box, a rational in lowest terms like 0, -3 or "
                             "5/2");
    return f2l_scan_passed(s, f2l_qvec_push(out, index, s->value, s->err));
}

bool f2l_scan_interval(f2l_scan *s, f2l_qvec *low, f2l_qvec *high, uint32_t index)
{
    return read_bounded_end(s, low, index, ", \n") && f2l_scan_want(s, ",") &&
           read_bounded_end(s, high, index, " \n");
}

bool f2l_scan_boxes_fit(f2l_scan *s, const f2l_layer *layer, size_t first_line)
{
    f2l_box_index index;
    f2l_error why = {0};
    size_t code;
    f2l_status status = f2l_box_index_build(&index, &code, layer, &why);
    f2l_box_index_clear(&index);
    if (status == F2L_OK) return true;
    if (status != F2L_EDOMAIN) return f2l_scan_passed(s, f2l_fail_memory(s->err));
    s->status = f2l_fail_at(s->err, first_line + code, 1, "%s", why.text);
    return false;
}

bool f2l_scan_codes_differ(f2l_scan *s, const f2l_layer *layer, size_t first_line)
{
    f2l_code_index index;
    if (!f2l_scan_passed(s, f2l_code_index_build(&index, layer, s->err))) return false;
    size_t first = index.first, second = index.second;
    f2l_code_index_clear(&index);
    if (second == F2L_NO_INDEX) return true;
    s->status = f2l_fail_at(s->err, first_line + second, 1, "code %zu equals code %zu", second + 1,
                            first + 1);
    return false;
}

/* Reads the rest of the line as a name in the spelling of the writer. The lexer gets the whole
 * line, because it drops a byte-order mark at the beginning of its input. */
static bool read_declared_name(f2l_scan *s, f2l_names *names, size_t index, const char *what)
{
    const char *text = s->bytes + s->at, *end = memchr(text, '\n', s->size - s->at);
    if (end == NULL) return f2l_scan_fail(s, s->size, "the file ends here; it is not complete");
    size_t size = (size_t)(end - text), added = 0;
    f2l_lex lex;
    f2l_buf spelling;
    f2l_error why = {0};
    f2l_lex_init(&lex, s->bytes + s->line_start, s->at - s->line_start + size);
    f2l_buf_init(&spelling);
    bool more = false, good = false;
    f2l_status status = f2l_lex_line(&lex, &more, &why);
    if (status == F2L_OK && more && lex.count == 2 && lex.token[1].kind != F2L_TOKEN_CYCLE) {
        status = f2l_names_add(names, lex.token[1].text, lex.token[1].size, &added, &why);
        if (status == F2L_OK) f2l_buf_name(&spelling, f2l_names_get(names, added));
        if (status == F2L_OK) status = f2l_buf_status(&spelling, &why);
        good = status == F2L_OK && spelling.size == size && memcmp(spelling.data, text, size) == 0;
    }
    f2l_buf_clear(&spelling);
    f2l_lex_clear(&lex);
    if (status == F2L_ENOMEM) return f2l_scan_passed(s, f2l_fail_memory(s->err));
    if (!good) return f2l_scan_fail(s, s->at, "expected a %s as these files spell it", what);
    if (added != index) return f2l_scan_fail(s, s->at, "the same %s appears twice", what);
    s->at += size;
    return f2l_scan_want(s, "\n");
}

bool f2l_scan_names(f2l_scan *s, f2l_names *names, const char *heading, const char *each,
                    const char *what)
{
    size_t count;
    if (!f2l_scan_want(s, heading) || !f2l_scan_count(s, &count, "the count", 1, NAME_BYTES) ||
        !f2l_scan_want(s, "\n"))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!f2l_scan_want(s, each) || !read_declared_name(s, names, i, what)) return false;
    }
    return true;
}

bool f2l_scan_version(f2l_scan *s, const char *format)
{
    const size_t at = strlen(format);
    if (f2l_scan_next_is(s, format) && s->size - s->at > at + 2 &&
        memcmp(s->bytes + s->at + at, " 1\n", 3) == 0)
        return f2l_scan_fail(s, s->at + at + 1,
                             "format version 1 is no longer read: this program reads %s 2 (compile "
                             "again)",
                             format);
    return f2l_scan_want(s, format) && f2l_scan_want(s, " 2\n");
}

bool f2l_scan_label_kind(f2l_scan *s, f2l_label *label)
{
    const f2l_label kinds[] = {F2L_LABEL_STATES, F2L_LABEL_OUTPUTS, F2L_LABEL_ACCEPT,
                               F2L_LABEL_EDGES};
    if (!f2l_scan_want(s, "label ")) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!f2l_scan_next_is(s, f2l_label_name(kinds[i]))) continue;
        *label = kinds[i];
        return f2l_scan_want(s, f2l_label_name(kinds[i])) && f2l_scan_want(s, "\n");
    }
    return f2l_scan_fail(s, s->at, "expected `states`, `outputs`, `accept` or `edges`");
}

/* Reads the classes, after their number. */
static bool read_class_numbers(f2l_scan *s, f2l_letter_classes *classes, size_t letters)
{
    size_t met = 0;
    for (size_t a = 0; a < letters; a++) {
        size_t class, most = met < classes->count ? met + 1 : met;
        if (!f2l_scan_want(s, " ") || !f2l_scan_size(s, &class, "the class", 1, most)) return false;
        classes->of[a] = (uint32_t)(class - 1);
        if (class > met) met = class;
    }
    if (met < classes->count)
        return f2l_scan_fail(s, s->at, "expected %zu classes of letters, found %zu", classes->count,
                             met);
    return f2l_scan_want(s, "\n");
}

bool f2l_scan_letter_classes(f2l_scan *s, f2l_letter_classes *classes, size_t letters)
{
    if (!f2l_scan_next_is(s, "letter-classes ")) return true;
    if (!f2l_scan_want(s, "letter-classes ")) return false;
    if (letters < 2) return f2l_scan_fail(s, s->at, "one letter has no classes");
    if (!f2l_scan_size(s, &classes->count, "the number of classes", 1, letters - 1)) return false;
    classes->of = f2l_calloc(letters, sizeof *classes->of);
    if (classes->of == NULL) return f2l_scan_passed(s, f2l_fail_memory(s->err));
    return read_class_numbers(s, classes, letters);
}

bool f2l_scan_start(f2l_scan *s, size_t *start, f2l_label label, size_t labels)
{
    if (!f2l_scan_want(s, "start ")) return false;
    *start = F2L_NO_INDEX;
    if (label == F2L_LABEL_EDGES) return f2l_scan_want(s, "-\n");
    if (!f2l_scan_size(s, start, "the label", 1, labels) || !f2l_scan_want(s, "\n")) return false;
    --*start;
    return true;
}

bool f2l_scan_sha256(f2l_scan *s, char hex[65])
{
    if (!f2l_scan_want(s, "fsa ")) return false;
    for (size_t i = 0; i < 64; i++, s->at++) {
        if (s->at == s->size || s->bytes[s->at] == '\0' ||
            strchr("0123456789abcdef", s->bytes[s->at]) == NULL)
            return f2l_scan_fail(s, s->at, "expected a SHA-256, 64 digits 0-9 a-f");
        hex[i] = s->bytes[s->at];
    }
    hex[64] = '\0';
    return f2l_scan_want(s, "\n");
}
