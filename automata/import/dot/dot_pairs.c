/* Labels of the form input/output, and labels with numbers that make a machine something else than
 * an automaton. */
#include "automata/import/dot/dot.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* Where a line of a label is split. */
typedef struct slash {
    const char *at; /* NULL: nowhere */
    bool strong;    /* something is behind it */
    bool several;   /* it could be split elsewhere */
} slash;

/* Returns the first slash that may divide the line: with something before it, not in brackets, and
 * not an element of a list with commas. */
static const char *first_slash(const char *from, const char *line, const char *end)
{
    int depth = 0;
    for (const char *p = from; p < end; p++) {
        depth += (*p == '[') - (*p == ']');
        if (*p != '/' || p == line || depth > 0) continue;
        if (p[-1] != ',' && (p + 1 == end || p[1] != ',')) return p;
    }
    return NULL;
}

/* Finds the slash of the line[0..size): the first one with blanks around it, else the first; with
 * `asked`, which says that labels are pairs, whatever is beside it. */
static slash find_slash(const char *line, size_t size, bool asked)
{
    slash out = {NULL, false, false};
    const char *const end = line + size;
    for (const char *p = line; p + 2 < end; p++) {
        if (p[0] != ' ' || p[1] != '/' || p[2] != ' ' || p == line) continue;
        if (out.at)
            out.several = true;
        else
            out.at = p + 1;
    }
    if (!out.at && asked) {
        out.at = memchr(line, '/', size);
    } else if (!out.at) {
        out.at = first_slash(line, line, end);
        out.several = out.at && first_slash(out.at + 1, line, end);
    }
    out.strong = out.at && out.at + 1 < end;
    return out;
}

/* Goes to the next line of a label, all of it where the user says that it is a pair, and sets *line
 * and *size; returns false at the end. */
static bool next_line(const f2l_dot_reader *r, const char **at, const char **line, size_t *size)
{
    if (!*at) return false;
    const char *end = r->as->labels == F2L_LABELS_PAIRS ? NULL : strchr(*at, '\n');
    *size = end ? (size_t)(end - *at) : strlen(*at);
    *line = f2l_dot_trim(*at, size);
    *at = end ? end + 1 : NULL;
    return true;
}

/* Returns how the label is split: 0 not at all, 1 with nothing behind the slash, 2. */
static int pair_strength(const f2l_dot_reader *r, const f2l_dot_label *label)
{
    const char *at = f2l_dot_shown(r, label->shown), *line;
    int strength = 0;
    size_t size;
    while (next_line(r, &at, &line, &size)) {
        if (size == 0) continue; /* the end of a last line */
        const slash s = find_slash(line, size, false);
        if (!s.at) return 0;
        strength = s.strong ? 2 : strength > 1 ? strength : 1;
    }
    return strength;
}

static f2l_status add_line(f2l_dot_reader *r, f2l_dot_label *label, size_t input, size_t output,
                           f2l_error *err)
{
    f2l_dot_labels *l = &r->labels;
    if (!f2l_grow((void **)&l->line, &l->line_capacity, l->lines, sizeof *l->line))
        return f2l_fail_memory(err);
    if (input > UINT32_MAX || output > UINT32_MAX) return f2l_fail_memory(err);
    if (label->lines++ == 0) label->line = (uint32_t)l->lines;
    l->line[l->lines++] = (f2l_dot_line){(uint32_t)input, (uint32_t)output};
    return F2L_OK;
}

/* Ends the text of `size` bytes behind its last byte that is no blank; returns the place of the
 * first. */
static size_t end_text(f2l_buf *shown, const char *text, size_t size)
{
    const size_t place = (size_t)(f2l_dot_trim(text, &size) - shown->data);
    shown->data[place + size] = '\0';
    return place;
}

/* Splits the lines of the label into input and output. */
static f2l_status split_label(f2l_dot_reader *r, f2l_dot_label *label, f2l_error *err)
{
    f2l_buf *shown = &r->labels.shown;
    const char *at = f2l_dot_shown(r, label->shown), *line;
    f2l_status status = F2L_OK;
    size_t size;
    while (status == F2L_OK && next_line(r, &at, &line, &size)) {
        if (size == 0) continue;
        const slash s = find_slash(line, size, r->as->labels == F2L_LABELS_PAIRS);
        if (!s.at) return f2l_dot_fail_label(r, label, "has no output; expected INPUT/OUTPUT", err);
        if (s.several) label->note = "was split into input and output at its first slash";
        const size_t before = (size_t)(s.at - line);
        const size_t output = end_text(shown, s.at + 1, size - before - 1);
        status = add_line(r, label, end_text(shown, line, before), output, err);
    }
    return status;
}

/* Returns whether all of the text is a number with a decimal point, or (with `whole`) any number;
 * *value is the number. */
static bool is_decimal(const char *text, size_t size, bool whole, double *value)
{
    const size_t digits = strspn(text, "0123456789");
    const bool point = text[digits] == '.';
    const size_t more = point ? strspn(text + digits + 1, "0123456789") : 0;
    if (size == 0 || digits + more == 0 || !(point ? more > 0 : whole) ||
        digits + point + more != size)
        return false;
    *value = strtod(text, NULL);
    return true;
}

/* Returns whether the text has a number of at most 1 with a decimal point in it, set off from the
 * rest, and is more than this number. */
static bool has_probability(const char *text)
{
    for (const char *p = strchr(text, '.'); p; p = strchr(p + 1, '.')) {
        const char *from = p;
        double value;
        while (from > text && from[-1] >= '0' && from[-1] <= '9') from--;
        const size_t size = (size_t)(p - from) + 1 + strspn(p + 1, "0123456789");
        if (!is_decimal(from, size, false, &value) || value > 1) continue;
        const bool before = from > text && strchr(" :/,([{;|\n", from[-1]);
        const bool behind = !from[size] || strchr(" ,)]};|\n", from[size]);
        if (before && behind) return true;
    }
    return false;
}

/* Returns whether a number is behind a colon and a blank, as flexfringe writes counts, or behind a
 * colon with blanks on both sides. */
static bool has_count(const char *text)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || colon[1] != ' ') return false;
    const char *number = colon + 1 + strspn(colon + 1, " ");
    const size_t digits = strspn(number, "0123456789");
    return digits > 0 && number[digits + strspn(number + digits, " \n")] == '\0';
}

/* Returns whether a line of the text is a mark of acceptance of Spot's: {0} or a digit in a disc.
 */
static bool has_acceptance_mark(const char *text)
{
    if (strstr(text, "\xe2\x93\xbf") || strstr(text, "\xe2\x9d\xb6")) return true;
    for (const char *p = text; (p = strchr(p, '\n')); p++) {
        const size_t inner = p[1] == '{' ? strspn(p + 2, "0123456789,") : 0;
        if (inner > 0 && p[2 + inner] == '}') return true;
    }
    return false;
}

f2l_status f2l_dot_check_numbers(const f2l_dot_reader *r, f2l_error *err)
{
    size_t decimals = 0, points = 0;
    if (r->as->labels == F2L_LABELS_LETTERS || r->as->labels == F2L_LABELS_PAIRS) return F2L_OK;
    for (size_t i = 0; i < r->labels.count; i++) {
        const f2l_dot_label *label = &r->labels.item[i];
        const char *text = f2l_dot_shown(r, label->shown);
        double value;
        decimals += is_decimal(text, strlen(text), true, &value) && value <= 1;
        points += is_decimal(text, strlen(text), false, &value);
        if (has_probability(text))
            return f2l_dot_refuse_label(
                r, label, "carries a probability or a weight: stochastic machines are refused",
                err);
        if (has_count(text))
            return f2l_dot_refuse_label(r, label, "carries a number, a count or a weight", err);
        if (has_acceptance_mark(text))
            return f2l_dot_refuse_label(
                r, label, "carries a mark of acceptance by transitions, which is not read", err);
    }
    if (points == 0 || decimals < r->labels.count) return F2L_OK;
    return f2l_dot_refuse_label(r, &r->labels.item[0],
                                "is a probability, as all labels are: stochastic machines are "
                                "refused",
                                err);
}

/* Returns whether the output ends with a move of a Turing machine's head, "1,R", or changes a
 * stack, "push(a)". */
static bool has_move(const char *output)
{
    if (strncmp(output, "push(", 5) == 0 || strncmp(output, "pop(", 4) == 0) return true;
    const size_t size = strlen(output);
    return size > 2 && strchr(", ", output[size - 2]) && strchr("LRSN", output[size - 1]);
}

/* Refuses pairs that may be something else: in an acceptor, with weights for outputs, or of a
 * Turing machine. */
static f2l_status check_pairs(const f2l_dot_reader *r, f2l_error *err)
{
    bool numbers = true, points = false, moves = true;
    for (size_t i = 0; i < r->labels.lines; i++) {
        const char *output = f2l_dot_shown(r, r->labels.line[i].output);
        double value;
        moves &= has_move(output);
        numbers &= is_decimal(output, strlen(output), true, &value);
        points |= is_decimal(output, strlen(output), false, &value);
    }
    if (r->nfa->has_accept)
        return f2l_dot_refuse_label(r, &r->labels.item[0],
                                    "looks like input/output, but states accept: --read-as "
                                    "labels=pairs says that it is",
                                    err);
    if (moves)
        return f2l_dot_refuse_label(
            r, &r->labels.item[0],
            "writes and moves, or changes a stack, as of a Turing machine or a pushdown "
            "automaton: --read-as "
            "labels=pairs says that this is an output",
            err);
    if (!numbers || !points) return F2L_OK;
    return f2l_dot_refuse_label(r, &r->labels.item[0],
                                "may have an output or a weight, as all labels: --read-as "
                                "labels=pairs says that it is an output",
                                err);
}

/* Sets *pairs to whether labels are pairs by the rules: all have a slash, and one has an output. */
static f2l_status are_pairs(const f2l_dot_reader *r, bool *pairs, f2l_error *err)
{
    const f2l_dot_label *without = NULL;
    bool strong = false;
    *pairs = false;
    if (strcmp(f2l_dot_text(&r->dot, r->dot.name), "FST") == 0) return F2L_OK;
    for (size_t i = 0; i < r->labels.count; i++) {
        const int strength = pair_strength(r, &r->labels.item[i]);
        strong |= strength > 1;
        if (strength == 0 && !without) without = &r->labels.item[i];
    }
    *pairs = strong && !without;
    if (*pairs || r->labels.count == 0 || (without && !strong)) return F2L_OK;
    return f2l_dot_refuse_label(r, without ? without : &r->labels.item[0],
                                without ? "has no output, but others have a slash; expected "
                                          "INPUT/OUTPUT at every edge"
                                        : "has an empty output, as all labels, or is a letter with "
                                          "a slash: --read-as labels=pairs says that it is a pair",
                                err);
}

f2l_status f2l_dot_split_labels(f2l_dot_reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    r->pairs = r->as->labels == F2L_LABELS_PAIRS;
    if (r->as->labels == F2L_LABELS_DEFAULT) status = are_pairs(r, &r->pairs, err);
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++) {
        f2l_dot_label *label = &r->labels.item[i];
        status = r->pairs ? split_label(r, label, err) : add_line(r, label, label->shown, 0, err);
    }
    if (status != F2L_OK || !r->pairs || r->as->labels == F2L_LABELS_PAIRS) return status;
    return r->labels.count ? check_pairs(r, err) : F2L_OK;
}
