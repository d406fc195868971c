/* Labels, weights and symbol tables of AT&T text. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/att.h"
#include "numeric/base/mem.h"
#include <string.h>

static bool is_digits(const f2l_att_column *c)
{
    for (size_t i = 0; i < c->size; i++)
        if (c->text[i] < '0' || c->text[i] > '9') return false;
    return c->size > 0;
}

bool f2l_att_column_is(const f2l_att_column *c, const char *text)
{
    return c->size == strlen(text) && memcmp(c->text, text, c->size) == 0;
}

f2l_status f2l_att_fail(const f2l_att *a, size_t i, const char *text, f2l_error *err)
{
    const f2l_att_column *c = &a->column[i];
    char shown[F2L_SHOWN];
    return f2l_fail_at(err, a->line, c->at, "`%s` %s", f2l_shown(shown, c->text, c->size), text);
}

static f2l_att_column without_leading_zeros(f2l_att_column c)
{
    while (c.size > 1 && c.text[0] == '0') {
        c.text++;
        c.size--;
    }
    return c;
}

f2l_status f2l_att_table_line(f2l_att *a, f2l_error *err)
{
    if (a->columns == 3 && a->column[2].size == 0) a->columns--;
    if (a->columns != 2 || a->column[0].size == 0 || !is_digits(&a->column[1]))
        return f2l_fail_at(err, a->line, 1, "symbol table: expected a symbol and its number");
    f2l_att_column number = without_leading_zeros(a->column[1]);
    size_t entries = a->number.count, key, symbol;
    f2l_status status = f2l_names_add(&a->number, number.text, number.size, &key, err);
    if (status != F2L_OK) return status;
    if (key != entries)
        return f2l_fail_at(err, a->line, a->column[1].at,
                           "symbol table: number %.*s stands for two symbols",
                           number.size > 20 ? 20 : (int)number.size, number.text);
    status = f2l_names_add(&a->symbol, a->column[0].text, a->column[0].size, &symbol, err);
    if (status != F2L_OK) return status;
    if (!f2l_grow((void **)&a->symbol_of, &a->symbol_capacity, entries, sizeof *a->symbol_of))
        return f2l_fail_memory(err);
    a->symbol_of[entries] = (uint32_t)symbol;
    if (f2l_att_column_is(&number, "0")) a->zero = symbol;
    return F2L_OK;
}

/* Decides about a number that is a letter; what OpenFst calls 0 is noted. */
static void decide_number(const f2l_att *a, size_t i, f2l_att_label *out)
{
    static const char *const none[] = {NULL};
    out->epsilon = f2l_read_as_epsilon(a->as, out->text, out->size, none);
    if (!out->epsilon && !(a->as && a->as->names_epsilon) && f2l_att_column_is(&a->column[i], "0"))
        f2l_notes_add(&a->nfa->notes,
                      "was read as a letter, as --numeric says; it is OpenFst's empty word, which "
                      "--read-as epsilon=0 makes it",
                      out->text, out->size, a->line, a->column[i].at);
}

static f2l_status numeric_label(const f2l_att *a, size_t i, f2l_att_label *out, f2l_error *err)
{
    if (a->has_table) {
        f2l_att_column number = without_leading_zeros(a->column[i]);
        size_t key = f2l_names_find(&a->number, number.text, number.size);
        out->epsilon = f2l_att_column_is(&number, "0");
        if (out->epsilon) return F2L_OK;
        if (key == F2L_NO_INDEX)
            return f2l_att_fail(a, i, "is not a number of the symbol table", err);
        out->text = f2l_names_get(&a->symbol, a->symbol_of[key]);
        out->size = strlen(out->text);
        return F2L_OK;
    }
    if (a->numeric) {
        decide_number(a, i, out);
        return F2L_OK;
    }
    return f2l_att_fail(
        a, i,
        "is a numeric label: give its symbol table (--symbols FILE), or take numbers as "
        "letter names (--numeric)",
        err);
}

/* Replaces an escape: HFST and foma write some labels as words between @ signs. */
static f2l_status special_label(const f2l_att *a, size_t i, f2l_att_label *out, f2l_error *err)
{
    const f2l_att_column *c = &a->column[i];
    static const char *const escape[][2] = {
        {"@_SPACE_@", " "}, {"@_TAB_@", "\t"}, {"@_COLON_@", ":"}};
    for (size_t k = 0; k < sizeof escape / sizeof *escape; k++)
        if (f2l_att_column_is(c, escape[k][0])) {
            *out = (f2l_att_label){false, escape[k][1], 1};
            return F2L_OK;
        }
    if (f2l_att_column_is(c, "@_IDENTITY_SYMBOL_@")) return F2L_OK;
    if (f2l_att_column_is(c, "@_UNKNOWN_SYMBOL_@"))
        return f2l_att_fail(
            a, i,
            "is a pair of different letters outside the file's alphabet: transducers are "
            "refused",
            err);
    if (c->size >= 4 && strchr("PNRDCUE", c->text[1]) != NULL && c->text[2] == '.' &&
        c->text[c->size - 1] == '@')
        return f2l_att_fail(a, i, "is a flag diacritic; eliminate flags before writing the file",
                            err);
    return F2L_OK;
}

/* Decides about a text that the symbol table, where there is one, does not have. */
static f2l_status resolve_text(const f2l_att *a, size_t i, f2l_att_label *out, f2l_error *err)
{
    static const char *const own[] = {"@0@", "<eps>", "<epsilon>", "@_EPSILON_SYMBOL_@", NULL};
    const f2l_att_column *c = &a->column[i];
    const bool letters = a->as && a->as->labels == F2L_LABELS_LETTERS;
    f2l_status status =
        f2l_import_epsilon(&out->epsilon, a->as, c->text, c->size, own, a->line, c->at, err);
    if (status != F2L_OK || out->epsilon) return status;
    if (c->text[0] == '@') return special_label(a, i, out, err);
    if (a->has_table) return f2l_att_fail(a, i, "is not a symbol of the symbol table", err);
    const f2l_att_column digits = {c->text + 1, c->size - 1, 0};
    if (c->text[0] == '-' && is_digits(&digits) && !letters)
        return f2l_att_fail(
            a, i,
            f2l_att_column_is(c, "-1")
                ? "is no letter of OpenFst; k2 writes it where a word ends: --read-as epsilon=-1 "
                  "reads it so"
                : "is a mark of a program, no letter of OpenFst; --read-as labels=letters makes it "
                  "a letter",
            err);
    if (!letters && c->size > 1 && (c->text[0] == ' ' || c->text[c->size - 1] == ' '))
        return f2l_att_fail(
            a, i, "has a blank at an end; --read-as labels=letters makes it a letter", err);
    return F2L_OK;
}

f2l_status f2l_att_resolve(const f2l_att *a, size_t i, f2l_att_label *out, f2l_error *err)
{
    const f2l_att_column *c = &a->column[i];
    *out = (f2l_att_label){.text = c->text, .size = c->size};
    if (is_digits(c)) return numeric_label(a, i, out, err);
    const size_t symbol =
        a->has_table ? f2l_names_find(&a->symbol, c->text, c->size) : F2L_NO_INDEX;
    if (symbol == F2L_NO_INDEX) return resolve_text(a, i, out, err);
    out->epsilon = symbol == a->zero;
    return F2L_OK;
}

/* Returns the offset behind the digits at offset i. */
static size_t scan_digits(const char *text, size_t size, size_t i, bool *nonzero)
{
    for (; i < size && text[i] >= '0' && text[i] <= '9'; i++) *nonzero |= text[i] != '0';
    return i;
}

/* Returns what the text says if it is an infinity, else F2L_ATT_NO_WEIGHT. */
static f2l_att_weight weigh_infinity(const char *text, size_t size)
{
    static const char *const name[] = {"inf", "Inf", "INF", "Infinity", "infinity", "INFINITY"};
    const bool sign = size > 0 && (text[0] == '-' || text[0] == '+');
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strlen(name[i]) == size - sign && memcmp(name[i], text + sign, size - sign) == 0)
            return sign && text[0] == '-' ? F2L_ATT_WEIGHTED : F2L_ATT_IS_NOT;
    return F2L_ATT_NO_WEIGHT;
}

f2l_att_weight f2l_att_weigh(const f2l_att_column *c)
{
    const char *text = c->text;
    const size_t size = c->size;
    size_t i = size > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const f2l_att_weight infinity = weigh_infinity(text, size);
    if (infinity != F2L_ATT_NO_WEIGHT) return infinity;
    bool nonzero = false, ignored = false;
    size_t from = i;
    i = scan_digits(text, size, i, &nonzero);
    size_t digits = i - from;
    if (i < size && text[i] == '.') {
        from = i + 1;
        i = scan_digits(text, size, from, &nonzero);
        digits += i - from;
    }
    if (digits == 0) return F2L_ATT_NO_WEIGHT;
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < size && (text[i] == '-' || text[i] == '+')) i++;
        from = i;
        i = scan_digits(text, size, i, &ignored);
        if (i == from) return F2L_ATT_NO_WEIGHT;
    }
    if (i != size) return F2L_ATT_NO_WEIGHT;
    return nonzero ? F2L_ATT_WEIGHTED : F2L_ATT_IS_THERE;
}
