#include "automata/fsa/letter.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LETTERS 65536

void f2l_letter_default(char name[24], size_t index, size_t count)
{
    if (count <= 26 && index < 26) {
        name[0] = "abcdefghijklmnopqrstuvwxyz"[index];
        name[1] = '\0';
        return;
    }
    snprintf(name, 24, "x%zu", index + 1);
}

bool f2l_letter_may_be_epsilon(const char *label, size_t size)
{
    static const char *const name[] = {
        "eps",        "epsilon",   "Eps",          "Epsilon",   "EPS",         "EPSILON",
        "lambda",     "Lambda",    "LAMBDA",       "\xce\xb5",  "\xcf\xb5",    "\xc9\x9b",
        "\xce\xbb",   "\xce\x9b",  "<eps>",        "<epsilon>", "@0@",         "_eps_",
        "_epsilon_",  "\\epsilon", "\\varepsilon", "\\lambda",  "$\\epsilon$", "$\\varepsilon$",
        "$\\lambda$", "&epsilon;", "@epsilon@",    "<EPS>",     "__epsilon__", "@_EPSILON_SYMBOL_@",
        "&lambda;",   NULL};
    /* Most labels begin otherwise, and a million of them should not be compared. */
    if (size < 2 || !label[0] || !strchr("eElL_<@\\$&\xce\xcf\xc9", label[0])) return false;
    return f2l_text_is_any(label, size, name);
}

static uint32_t code_point(const char *text)
{
    uint32_t point;
    (void)f2l_utf8_first(&point, text);
    return point;
}

bool f2l_letter_set_is(const char *text, size_t size)
{
    return size > 3 && text[0] == '[' && text[size - 1] == ']' &&
           1 + f2l_utf8_first_size(text + 1) < size - 1;
}

/* Adds the characters first .. last. */
static f2l_status add_character_range(f2l_names *out, uint32_t first, uint32_t last, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_status status = F2L_OK;
    for (uint32_t point = first; point <= last && status == F2L_OK; point++) {
        const size_t before = out->count;
        size_t index;
        if (point >= 0xd800 && point < 0xe000) continue; /* no characters */
        name.size = 0;
        f2l_buf_utf8(&name, point);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = f2l_names_add(out, name.data, name.size, &index, err);
        if (status == F2L_OK && out->count == before)
            status = f2l_fail(err, F2L_EFORMAT, "`%s` is twice in a set of letters", name.data);
        if (status == F2L_OK && out->count > MOST_LETTERS)
            status = f2l_fail(err, F2L_EFORMAT, "a set of more than %d letters", MOST_LETTERS);
    }
    f2l_buf_clear(&name);
    return status;
}

f2l_status f2l_letter_set_read(f2l_names *out, const char *text, size_t size, f2l_error *err)
{
    const char *at = text + 1, *const end = text + size - 1;
    f2l_status status = F2L_OK;
    while (at < end && status == F2L_OK) {
        const uint32_t first = code_point(at);
        uint32_t last = first;
        at += f2l_utf8_first_size(at);
        if (end - at > 1 && *at == '-') { /* a hyphen at an end stands for itself */
            last = code_point(at + 1);
            at += 1 + f2l_utf8_first_size(at + 1);
        }
        if (last < first)
            return f2l_fail(err, F2L_EFORMAT, "a range of letters that runs backwards");
        status = add_character_range(out, first, last, err);
    }
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

f2l_status f2l_letter_list_read(f2l_names *out, const char *text, size_t size, f2l_error *err)
{
    size_t at = 0, parts = 0, index;
    f2l_status status = F2L_OK;
    bool good = true;
    while (at <= size && status == F2L_OK && good) {
        size_t end = at;
        while (end < size && text[end] != ',' && text[end] != '|') end++;
        const size_t next = end + 1;
        while (at < end && is_blank(text[at])) at++;
        while (end > at && is_blank(text[end - 1])) end--;
        good = end > at;
        if (good) status = f2l_names_add(out, text + at, end - at, &index, err);
        parts++;
        at = next;
    }
    if (status == F2L_OK && good && parts > 1 && out->count == parts) return F2L_OK;
    f2l_names_clear(out);
    return status;
}

void f2l_set_edges_clear(f2l_set_edges *list)
{
    f2l_free(list->item);
    *list = (f2l_set_edges){0};
}

f2l_status f2l_set_edges_keep(f2l_set_edges *list, const f2l_nfa *nfa, size_t line, size_t column,
                              f2l_error *err)
{
    if (!f2l_grow((void **)&list->item, &list->capacity, list->count, sizeof *list->item))
        return f2l_fail_memory(err);
    list->item[list->count++] = (f2l_set_edge){nfa->edges - 1, line, column};
    return F2L_OK;
}

f2l_status f2l_set_edges_add(f2l_set_edges *list, f2l_nfa *nfa, size_t from,
                             const f2l_names *letters, size_t to, const char *label, size_t size,
                             size_t line, size_t column, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_notes_add(&nfa->notes, F2L_NOTE_SET, label, size, line, column);
    for (size_t i = 0; i < letters->count && status == F2L_OK; i++) {
        const char *name = f2l_names_get(letters, i);
        size_t letter;
        status = f2l_nfa_letter(nfa, name, strlen(name), &letter, err);
        if (status == F2L_OK) status = f2l_nfa_add_edge(nfa, from, letter, to, err);
        if (status != F2L_OK) return status;
        status = f2l_set_edges_keep(list, nfa, line, column, err);
    }
    return status;
}

static int by_source(const void *x, const void *y)
{
    const f2l_edge *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->letter != b->letter) return a->letter < b->letter ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static bool same_edge_source(const f2l_edge *a, const f2l_edge *b)
{
    return a->from == b->from && a->letter == b->letter;
}

/* Returns another target of the edge's state and letter, among the sorted edges; UINT32_MAX: there
 * is none. */
static uint32_t other_target(const f2l_edge *sorted, size_t edges, const f2l_edge *edge)
{
    const f2l_edge *at = bsearch(edge, sorted, edges, sizeof *sorted, by_source);
    const size_t i = (size_t)(at - sorted);
    for (size_t k = i; k-- > 0 && same_edge_source(&sorted[k], edge);)
        if (sorted[k].to != edge->to) return sorted[k].to;
    for (size_t k = i + 1; k < edges && same_edge_source(&sorted[k], edge); k++)
        if (sorted[k].to != edge->to) return sorted[k].to;
    return UINT32_MAX;
}

f2l_status f2l_set_edges_check(const f2l_set_edges *list, const f2l_nfa *nfa, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (list->count == 0) return F2L_OK;
    f2l_edge *sorted = f2l_calloc(nfa->edges, sizeof *sorted);
    if (!sorted) return f2l_fail_memory(err);
    memcpy(sorted, nfa->edge, nfa->edges * sizeof *sorted);
    qsort(sorted, nfa->edges, sizeof *sorted, by_source);
    for (size_t i = 0; i < list->count && status == F2L_OK; i++) {
        const f2l_edge *edge = &nfa->edge[list->item[i].edge];
        const uint32_t to = other_target(sorted, nfa->edges, edge);
        if (to == UINT32_MAX) continue;
        char letter[F2L_SHOWN], from[F2L_SHOWN], here[F2L_SHOWN], there[F2L_SHOWN];
        const char *a = f2l_names_get(&nfa->letters, edge->letter),
                   *p = f2l_names_get(&nfa->states, edge->from),
                   *q = f2l_names_get(&nfa->states, edge->to), *r = f2l_names_get(&nfa->states, to);
        status = f2l_fail_at(err, list->item[i].line, list->item[i].column,
                             "sets of letters overlap: `%s` leads state `%s` to `%s` here, and to "
                             "`%s` by another edge",
                             f2l_shown(letter, a, strlen(a)), f2l_shown(from, p, strlen(p)),
                             f2l_shown(here, q, strlen(q)), f2l_shown(there, r, strlen(r)));
    }
    f2l_free(sorted);
    return status;
}
