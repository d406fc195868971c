/* Formats from text and back (numeric/format/format.h). */
#include "numeric/format/format.h"
#include <mpfr.h>
#include <stdio.h>

typedef enum setting {
    PRECISION,
    EMIN,
    EMAX,
    LARGEST,
    OVERFLOW_GIVES,
    SUBNORMALS,
    ROUNDING,
    SETTINGS
} setting;

static const char *const keys[SETTINGS] = {"p",        "emin",       "emax", "largest",
                                           "overflow", "subnormals", "round"};
static const char *const overflows[] = {"infinity", "nan", "saturate", NULL};
static const char *const yes_no[] = {"no", "yes", NULL};
static const char *const roundings[] = {"nearest", "zero", "up", "down", "stochastic", NULL};

const char *f2l_rounding_name(f2l_rounding rounding)
{
    return roundings[rounding];
}

const char *f2l_overflow_name(f2l_overflow overflow)
{
    return overflows[overflow];
}

enum { LONGEST_NUMBER = 48 };

typedef struct parser {
    const char *text;
    size_t at, size; /* of the item that is read: a name, or key=value */
    bool named;
    bool given[SETTINGS];
    size_t value_at[SETTINGS], value_size[SETTINGS];
    f2l_error *err;
} parser;

static f2l_status fail_in_format_text(const parser *p, size_t at, const char *what)
{
    return f2l_fail_at(p->err, 1, at + 1, "%s", what);
}

static bool is_format_word(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Returns the error that lists the names of the formats. */
static f2l_status fail_name(const parser *p)
{
    char known[256] = "";
    size_t end = 0;
    for (const f2l_format *format = f2l_formats; format->name; format++) {
        const int size = snprintf(known + end, sizeof known - end, "%s, ", format->name);
        if (size < 0 || (size_t)size >= sizeof known - end) break;
        end += (size_t)size;
    }
    known[end] = 0;
    return f2l_fail_at(p->err, 1, 1, "no format of that name (%sor p=P,emin=E,emax=E)", known);
}

/* Reads the first item as a format of the table, unless it is a setting. */
static f2l_status read_format_name(parser *p, f2l_format *out)
{
    if (p->size == 0) return fail_in_format_text(p, 0, "a format is expected");
    for (const f2l_format *format = f2l_formats; format->name; format++) {
        if (!is_format_word(p->text, p->size, format->name)) continue;
        *out = *format;
        p->named = true;
        return F2L_OK;
    }
    return fail_name(p);
}

static f2l_status note_setting(parser *p)
{
    const char *item = p->text + p->at, *equals = memchr(item, '=', p->size);
    if (!equals) return fail_in_format_text(p, p->at, "a setting is expected: key=value");
    size_t key = 0, length = (size_t)(equals - item);
    while (key < SETTINGS && !is_format_word(item, length, keys[key])) key++;
    if (key == SETTINGS)
        return fail_in_format_text(
            p, p->at, "no such setting (p, emin, emax, largest, overflow, subnormals, round)");
    if (p->given[key]) return fail_in_format_text(p, p->at, "this setting is given twice");
    if (p->named && key <= EMAX)
        return fail_in_format_text(p, p->at,
                                   "a format with a name has its precision and exponents");
    p->given[key] = true;
    p->value_at[key] = p->at + length + 1;
    p->value_size[key] = p->size - length - 1;
    return F2L_OK;
}

static f2l_status split_format_text(parser *p, f2l_format *out)
{
    f2l_status status = F2L_OK;
    for (bool first = true, more = true; status == F2L_OK && more; first = false) {
        p->size = strcspn(p->text + p->at, ",");
        const bool is_setting = !first || memchr(p->text + p->at, '=', p->size);
        status = is_setting ? note_setting(p) : read_format_name(p, out);
        p->at += p->size;
        more = p->text[p->at] == ',';
        p->at += more;
    }
    return status;
}

/* Reads a decimal integer without leading zeros, at least `low` and at most `high`. */
static f2l_status read_integer(const parser *p, setting key, int low, int high, int *out)
{
    const char *text = p->text + p->value_at[key];
    const size_t size = p->value_size[key], sign = size > 0 && text[0] == '-', digits = size - sign;
    int value = 0;
    bool good = digits > 0 && digits <= 4 && !(text[sign] == '0' && (digits > 1 || sign));
    for (size_t i = sign; good && i < size; i++) {
        good = text[i] >= '0' && text[i] <= '9';
        value = 10 * value + (text[i] - '0');
    }
    if (sign) value = -value;
    if (good && value >= low && value <= high) {
        *out = value;
        return F2L_OK;
    }
    return f2l_fail_at(p->err, 1, p->value_at[key] + 1, "%s is an integer from %d to %d here",
                       keys[key], low, high);
}

static f2l_status read_setting_word(const parser *p, setting key, const char *const *words,
                                    int *out)
{
    if (!p->given[key]) return F2L_OK;
    const char *text = p->text + p->value_at[key];
    for (int i = 0; words[i]; i++) {
        if (!is_format_word(text, p->value_size[key], words[i])) continue;
        *out = i;
        return F2L_OK;
    }
    char list[80] = "";
    for (int i = 0; words[i]; i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return f2l_fail_at(p->err, 1, p->value_at[key] + 1, "%s is one of %s", keys[key], list);
}

/* Reads a positive number that is a double exactly, as C writes it: decimal or hexadecimal. */
static bool exact_number(const char *text, size_t size, double *out)
{
    char copy[LONGEST_NUMBER + 1], *end;
    const size_t accepted = strspn(text, "0123456789abcdefABCDEFxXpP.+-");
    if (size == 0 || size > LONGEST_NUMBER || accepted < size || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    const bool hexadecimal = size > 1 && copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X');
    mpfr_t x;
    mpfr_init2(x, 53);
    const int inexact = mpfr_strtofr(x, copy, &end, hexadecimal ? 16 : 10, MPFR_RNDN);
    *out = mpfr_get_d(x, MPFR_RNDN);
    const bool exact = *end == '\0' && inexact == 0 && mpfr_number_p(x) && mpfr_cmp_d(x, *out) == 0;
    mpfr_clear(x);
    return exact;
}

/* Returns the value of `precision` bits below 2^(emax + 1). */
static double full_largest(const f2l_format *format)
{
    return ldexp(2 - ldexp(1, 1 - format->precision), format->emax);
}

static f2l_status read_largest(const parser *p, f2l_format *out)
{
    double x;
    if (!p->named) out->largest = full_largest(out);
    if (!p->given[LARGEST]) return F2L_OK;
    const size_t at = p->value_at[LARGEST];
    if (!exact_number(p->text + at, p->value_size[LARGEST], &x))
        return fail_in_format_text(p, at, "largest is a decimal or hexadecimal number, and exact");
    if (x < ldexp(1, out->emax) || x > full_largest(out))
        return fail_in_format_text(p, at, "largest is not in the binade of emax");
    const double scaled = ldexp(x, out->precision - 1 - out->emax);
    if (scaled != floor(scaled))
        return fail_in_format_text(p, at, "largest has too many bits for the precision");
    out->largest = x;
    return F2L_OK;
}

static f2l_status read_shape(const parser *p, f2l_format *out)
{
    if (p->named) return F2L_OK;
    for (int key = PRECISION; key <= EMAX; key++)
        if (!p->given[key])
            return fail_in_format_text(p, p->at,
                                       "p, emin and emax are needed, or the name of a format");
    *out = (f2l_format){.subnormals = true, .overflow = F2L_OVERFLOW_INFINITY};
    f2l_status status = read_integer(p, PRECISION, 2, 53, &out->precision);
    if (status == F2L_OK)
        status = read_integer(p, EMIN, out->precision == 53 ? -1022 : -1021, 1023, &out->emin);
    if (status == F2L_OK) status = read_integer(p, EMAX, out->emin, 1023, &out->emax);
    return status;
}

static f2l_status read_settings(const parser *p, f2l_format *out)
{
    f2l_status status = read_shape(p, out);
    if (status == F2L_OK) status = read_largest(p, out);
    int overflow = out->overflow, subnormals = out->subnormals, rounding = out->rounding;
    if (status == F2L_OK) status = read_setting_word(p, OVERFLOW_GIVES, overflows, &overflow);
    if (status == F2L_OK) status = read_setting_word(p, SUBNORMALS, yes_no, &subnormals);
    if (status == F2L_OK) status = read_setting_word(p, ROUNDING, roundings, &rounding);
    out->overflow = (f2l_overflow)overflow;
    out->subnormals = subnormals != 0;
    out->rounding = (f2l_rounding)rounding;
    return status;
}

/* Returns the table's entry with this precision and these exponents; there is at most one. */
static const f2l_format *same_shape(const f2l_format *format)
{
    const f2l_format *entry = f2l_formats;
    while (entry->name && !(entry->precision == format->precision && entry->emin == format->emin &&
                            entry->emax == format->emax))
        entry++;
    return entry->name ? entry : NULL;
}

/* Writes an integer or decimal fraction of at most 6 digits that is exact, the shortest of them,
 * otherwise the number in hexadecimal. */
static void spell_number(char out[LONGEST_NUMBER], double x)
{
    double back;
    (void)snprintf(out, LONGEST_NUMBER, "%.6g", x);
    if (exact_number(out, strlen(out), &back) && back == x) return;
    (void)snprintf(out, LONGEST_NUMBER, "%a", x);
}

static void append_setting(char name[F2L_FORMAT_NAME], const char *key, const char *value)
{
    const size_t used = strlen(name);
    (void)snprintf(name + used, F2L_FORMAT_NAME - used, ",%s=%s", key, value);
}

static void spell_format(char name[F2L_FORMAT_NAME], const f2l_format *format)
{
    f2l_format usual = {.largest = full_largest(format), .subnormals = true};
    const f2l_format *entry = same_shape(format);
    if (entry) {
        usual = *entry;
        (void)snprintf(name, F2L_FORMAT_NAME, "%s", entry->name);
    } else {
        (void)snprintf(name, F2L_FORMAT_NAME, "p=%d,emin=%d,emax=%d", format->precision,
                       format->emin, format->emax);
    }
    if (format->largest != usual.largest) {
        char number[LONGEST_NUMBER];
        spell_number(number, format->largest);
        append_setting(name, keys[LARGEST], number);
    }
    if (format->overflow != usual.overflow)
        append_setting(name, keys[OVERFLOW_GIVES], overflows[format->overflow]);
    if (format->subnormals != usual.subnormals)
        append_setting(name, keys[SUBNORMALS], yes_no[format->subnormals]);
    if (format->rounding != usual.rounding)
        append_setting(name, keys[ROUNDING], roundings[format->rounding]);
}

f2l_status f2l_format_parse(f2l_format *out, char name[F2L_FORMAT_NAME], const char *text,
                            f2l_error *err)
{
    parser p = {.text = text, .err = err};
    f2l_format format = {0};
    f2l_status status = split_format_text(&p, &format);
    if (status == F2L_OK) status = read_settings(&p, &format);
    if (status != F2L_OK) return status;
    spell_format(name, &format);
    format.name = name;
    *out = format;
    return F2L_OK;
}
