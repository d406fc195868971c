/* Languages of words that end in their own value, as in FLaRe (Butoi et al., Training Neural
 * Networks as Recognizers of Formal Languages, 2025), by the paper's definitions: moves on a cycle
 * and the place that they lead to; an expression, = and its value. */
#include "automata/family/impl.h"
#include <string.h>

/* Adds m states with names like "3=". */
static f2l_status add_value_states(f2l_fsa *out, size_t m, const char *after, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_buf name;
    size_t index;
    f2l_buf_init(&name);
    for (size_t v = 0; v < m && status == F2L_OK; v++) {
        name.size = 0;
        f2l_buf_printf(&name, "%zu%s", v, after);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&out->states, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}

/* Makes the tables, in which all edges lead to the last state, and the one before it accepts. */
static f2l_status begin_equation(f2l_fsa *out, f2l_error *err)
{
    f2l_status status =
        f2l_family_names(&out->states, (const char *const[]){"right", "wrong"}, 2, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    const size_t states = out->states.count, entries = states * out->letters.count;
    for (size_t i = 0; i < entries; i++) out->next[i] = (uint32_t)states - 1;
    out->accept[states - 2] = 1;
    out->has_accept = true;
    return F2L_OK;
}

f2l_status f2l_family_cycle_language(f2l_fsa *out, const uint64_t *n, bool generators,
                                     f2l_error *err)
{
    (void)generators;
    const size_t m = (size_t)n[0], right = m;
    f2l_status status =
        f2l_family_names(&out->letters, (const char *const[]){"=", ">", "<"}, 3, err);
    if (status == F2L_OK) status = f2l_family_numbers(&out->letters, 0, m - 1, err);
    if (status == F2L_OK) status = add_value_states(out, m, "", err);
    if (status == F2L_OK) status = begin_equation(out, err);
    if (status != F2L_OK) return status;
    for (size_t place = 0; place < m; place++) {
        f2l_family_edge(out, place, 0, place);
        f2l_family_edge(out, place, 1, (place + 1) % m);
        f2l_family_edge(out, place, 2, (place + m - 1) % m);
        f2l_family_edge(out, place, 3 + place, right);
    }
    return F2L_OK;
}

/* The states of a value v: v; then v+, v- and v*, which wait for a digit; then v=. */
f2l_status f2l_family_modarith_language(f2l_fsa *out, const uint64_t *n, bool generators,
                                        f2l_error *err)
{
    static const char *const after[] = {"", "+", "-", "*", "="};
    (void)generators;
    const size_t m = (size_t)n[0], begin = 5 * m, right = begin + 1;
    f2l_status status = f2l_family_numbers(&out->letters, 0, m - 1, err);
    if (status == F2L_OK)
        status = f2l_family_names(&out->letters, (const char *const[]){"+", "-", "*", "="}, 4, err);
    for (size_t i = 0; i < 5 && status == F2L_OK; i++)
        status = add_value_states(out, m, after[i], err);
    if (status == F2L_OK)
        status = f2l_family_names(&out->states, (const char *const[]){"begin"}, 1, err);
    if (status == F2L_OK) status = begin_equation(out, err);
    if (status != F2L_OK) return status;
    out->start = begin;
    for (size_t v = 0; v < m; v++) {
        f2l_family_edge(out, begin, v, v);
        f2l_family_edge(out, v, m + F2L_FAMILY_OPERATORS, 4 * m + v);
        f2l_family_edge(out, 4 * m + v, v, right);
        for (size_t op = 0; op < F2L_FAMILY_OPERATORS; op++) {
            f2l_family_edge(out, v, m + op, (1 + op) * m + v);
            for (size_t d = 0; d < m; d++)
                f2l_family_edge(out, (1 + op) * m + v, d, f2l_family_modulo(m, v, op, d));
        }
    }
    return F2L_OK;
}
