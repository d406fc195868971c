/* Labels of two programs whose drawings have rules of their own: dk.brics.automaton (and Lucene),
 * with characters and ranges of them, and OpenFst's fstdraw. */
#include "automata/import/dot/dot.h"
#include "numeric/base/text.h"
#include <string.h>

/* Reads a character or an escape; returns its size, 0 at the end. */
static size_t read_range_end(const char *at, uint32_t *point)
{
    const size_t coded = f2l_dot_code_point(at, point);
    return coded || *at == '\0' ? coded : f2l_utf8_first(point, at);
}

/* Reads C or C-C; returns whether the label is one of them. */
static bool read_range(const char *label, uint32_t *first, uint32_t *last)
{
    size_t size = read_range_end(label, first);
    if (size == 0) return false;
    *last = *first;
    label += size;
    if (*label == '\0') return true;
    if (*label != '-') return false;
    size = read_range_end(label + 1, last);
    return size > 0 && label[1 + size] == '\0' && *first <= *last;
}

static bool has_node_initial(const f2l_dot_reader *r)
{
    for (size_t i = 0; i < r->dot.nodes; i++)
        if (r->is_marker[i] && strcmp(f2l_dot_text(&r->dot, r->dot.node[i].name), "initial") == 0)
            return true;
    return false;
}

static f2l_status add_range(f2l_dot_reader *r, f2l_dot_label *label, uint32_t first, uint32_t last,
                            f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_buf name;
    if (first == 0 || last > 0x10ffff)
        return f2l_dot_fail_label(r, label,
                                  "has a character that is no letter: the zero byte, or "
                                  "one beyond Unicode",
                                  err);
    f2l_buf_init(&name);
    for (uint32_t point = first; point <= last && status == F2L_OK; point++) {
        if (point >= 0xd800 && point < 0xe000) continue; /* no characters */
        name.size = 0;
        f2l_buf_utf8(&name, point);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_dot_add_letter(r, label, name.data, name.size, UINT32_MAX, err);
    }
    f2l_buf_clear(&name);
    return status;
}

f2l_status f2l_dot_read_ranges(f2l_dot_reader *r, bool *all, f2l_error *err)
{
    uint32_t first, last;
    f2l_status status = F2L_OK;
    *all = false;
    if (strcmp(f2l_dot_text(&r->dot, r->dot.name), "Automaton") != 0 || !has_node_initial(r))
        return F2L_OK;
    for (size_t i = 0; i < r->labels.count; i++)
        if (!read_range(f2l_dot_text(&r->dot, r->labels.item[i].text), &first, &last))
            return F2L_OK;
    *all = true;
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++) {
        f2l_dot_label *label = &r->labels.item[i];
        read_range(f2l_dot_text(&r->dot, label->text), &first, &last);
        status = add_range(r, label, first, last, err);
    }
    return status;
}

/* Returns whether the text is all digits. */
static bool is_numeral(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Refuses final weights: a node's label "1/0.5". */
static f2l_status check_final_weights(const f2l_dot_reader *r, f2l_error *err)
{
    for (size_t i = 0; i < r->dot.nodes; i++) {
        const f2l_dot_node *node = &r->dot.node[i];
        const char *label = f2l_dot_text(&r->dot, node->attributes.label);
        if (strchr(label, '/'))
            return f2l_fail_at(err, node->line, node->column,
                               "a state with a weight: weighted automata are refused");
    }
    return F2L_OK;
}

/* Reads LETTER or LETTER:LETTER, both the same, without a weight. */
static f2l_status read_fst_label(f2l_dot_reader *r, f2l_dot_label *label, f2l_error *err)
{
    const char *text = f2l_dot_shown(r, label->shown), *colon = strchr(text, ':');
    const char *weight = strrchr(text, '/');
    size_t size = strlen(text);
    if (f2l_dot_is_epsilon(r, text, size)) return f2l_dot_add_epsilon(r, label, UINT32_MAX, err);
    if (weight && weight != text && weight[1] &&
        strspn(weight + 1, "-+.0123456789e") == strlen(weight + 1))
        return f2l_dot_refuse_label(r, label, "has a weight: weighted automata are refused", err);
    if (colon && colon != text && colon[1]) {
        const size_t half = (size_t)(colon - text);
        if (size != 2 * half + 1 || memcmp(text, colon + 1, half) != 0)
            return f2l_dot_refuse_label(r, label, "has another output: transducers are refused",
                                        err);
        size = half;
        if (f2l_dot_is_epsilon(r, text, size))
            return f2l_dot_add_epsilon(r, label, UINT32_MAX, err);
    }
    return f2l_dot_add_letter(r, label, text, size, UINT32_MAX, err);
}

f2l_status f2l_dot_read_fst(f2l_dot_reader *r, bool *all, f2l_error *err)
{
    bool numerals = true;
    const f2l_dot_label *zero = NULL;
    *all = strcmp(f2l_dot_text(&r->dot, r->dot.name), "FST") == 0;
    if (!*all) return F2L_OK;
    f2l_status status = check_final_weights(r, err);
    for (size_t i = 0; i < r->labels.count; i++) {
        const char *text = f2l_dot_shown(r, r->labels.item[i].shown);
        numerals &= is_numeral(text);
        if (strcmp(text, "0") == 0) zero = &r->labels.item[i];
    }
    if (status == F2L_OK && numerals && zero)
        return f2l_dot_refuse_label(r, zero,
                                    "is the empty word where fstdraw has no symbols: draw with "
                                    "--isymbols",
                                    err);
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++)
        status = read_fst_label(r, &r->labels.item[i], err);
    return status;
}
