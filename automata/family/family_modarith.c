/* Modular arithmetic: words d op d op .. d with digits 0..m-1 and the operators + - *. The output
 * is the value modulo m where the word is an expression, "open" where one more digit would make it
 * one, "error" after anything else. Built from a transparent set of states and then minimised: for
 * instance 0+ and 1* wait for the same digit. */
#include "automata/family/impl.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include <stdarg.h>
#include <stdio.h>

/* An automaton under construction; `m` is the modulus. */
typedef struct builder {
    f2l_fsa fsa;
    size_t m;
} builder;

static f2l_status add_letters(builder *b, f2l_error *err)
{
    static const char *const operators[] = {"+", "-", "*"};
    f2l_status status = f2l_family_numbers(&b->fsa.letters, 0, b->m - 1, err);
    return status == F2L_OK ? f2l_family_names(&b->fsa.letters, operators, 3, err) : status;
}

/* Adds a state with the formatted name; does nothing after an earlier failure in *status. */
static void add_state(builder *b, f2l_status *status, f2l_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void add_state(builder *b, f2l_status *status, f2l_error *err, const char *format, ...)
{
    char name[80];
    size_t index;
    if (*status != F2L_OK) return;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    *status = f2l_names_add(&b->fsa.states, name, (size_t)size, &index, err);
}

/* Lets all edges lead to `target` until better ones are set. */
static void lead_all_edges_to(builder *b, size_t target)
{
    const size_t entries = b->fsa.states.count * b->fsa.letters.count;
    for (size_t i = 0; i < entries; i++) b->fsa.next[i] = (uint32_t)target;
}

/* Sets the outputs: output m is "open", output m + 1 is "error". */
static f2l_status add_outputs(builder *b, f2l_error *err)
{
    static const char *const words[] = {"open", "error"};
    b->fsa.output = f2l_calloc(b->fsa.states.count, sizeof *b->fsa.output);
    if (b->fsa.output == NULL) return f2l_fail_memory(err);
    f2l_status status = f2l_family_numbers(&b->fsa.outputs, 0, b->m - 1, err);
    return status == F2L_OK ? f2l_family_names(&b->fsa.outputs, words, 2, err) : status;
}

static f2l_status prepare_modarith(builder *b, f2l_error *err)
{
    f2l_status status = add_letters(b, err);
    if (status == F2L_OK) status = f2l_family_tables(&b->fsa, err);
    return status == F2L_OK ? add_outputs(b, err) : status;
}

static f2l_status finish_modarith(f2l_fsa *out, builder *b, f2l_status status, f2l_error *err)
{
    uint32_t *classes = NULL;
    if (status == F2L_OK)
        status = f2l_fsa_minimise(out, &classes, &b->fsa, F2L_LABEL_OUTPUTS, NULL, err);
    if (status == F2L_OK) status = f2l_fsa_number_outputs(out, err);
    f2l_free(classes);
    f2l_fsa_clear(&b->fsa);
    return status;
}

/* Builds the automaton that evaluates from left to right, with the states begin; the value v; v
 * and an operator; error. */
static f2l_status left_to_right(builder *b, f2l_error *err)
{
    static const char sign[] = "+-*";
    const size_t m = b->m, value = 1, pending = 1 + m, error = 1 + 4 * m;
    f2l_status status = F2L_OK;
    add_state(b, &status, err, "begin");
    for (size_t v = 0; v < m; v++) add_state(b, &status, err, "%zu", v);
    for (size_t i = 0; i < 3 * m; i++) add_state(b, &status, err, "%zu%c", i / 3, sign[i % 3]);
    add_state(b, &status, err, "error");
    if (status == F2L_OK) status = prepare_modarith(b, err);
    if (status != F2L_OK) return status;
    lead_all_edges_to(b, error);
    b->fsa.output[0] = (uint32_t)m;
    b->fsa.output[error] = (uint32_t)m + 1;
    for (size_t v = 0; v < m; v++) {
        f2l_family_edge(&b->fsa, 0, v, value + v);
        b->fsa.output[value + v] = (uint32_t)v;
        for (size_t op = 0; op < 3; op++) {
            size_t waiting = pending + 3 * v + op;
            f2l_family_edge(&b->fsa, value + v, m + op, waiting);
            b->fsa.output[waiting] = (uint32_t)m;
            for (size_t d = 0; d < m; d++)
                f2l_family_edge(&b->fsa, waiting, d, value + f2l_family_modulo(m, v, op, d));
        }
    }
    return F2L_OK;
}

f2l_status f2l_family_modarith(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    builder b = {.m = (size_t)n[0]};
    f2l_fsa_init(&b.fsa);
    return finish_modarith(out, &b, left_to_right(&b, err), err);
}

/* The first state of each kind: s+t is the value of an expression whose last product is t; then s+
 * and s- wait for the first factor of a product, s+t* for one more factor. */
typedef struct layout {
    size_t value, plus, minus, times, error;
} layout;

static f2l_status name_precedence(builder *b, f2l_error *err)
{
    const size_t m = b->m;
    f2l_status status = F2L_OK;
    add_state(b, &status, err, "begin");
    for (size_t s = 0; s < m; s++)
        for (size_t t = 0; t < m; t++) add_state(b, &status, err, "%zu+%zu", s, t);
    for (size_t s = 0; s < m; s++) add_state(b, &status, err, "%zu+", s);
    for (size_t s = 0; s < m; s++) add_state(b, &status, err, "%zu-", s);
    for (size_t s = 0; s < m; s++)
        for (size_t t = 0; t < m; t++) add_state(b, &status, err, "%zu+%zu*", s, t);
    add_state(b, &status, err, "error");
    return status;
}

static void connect_precedence(builder *b, const layout *at)
{
    f2l_fsa *fsa = &b->fsa;
    const size_t m = b->m;
    for (size_t s = 0; s < m; s++) {
        f2l_family_edge(fsa, 0, s, at->value + s);
        for (size_t d = 0; d < m; d++) {
            f2l_family_edge(fsa, at->plus + s, d, at->value + s * m + d);
            f2l_family_edge(fsa, at->minus + s, d,
                            at->value + s * m + f2l_family_modulo(m, 0, F2L_FAMILY_MINUS, d));
        }
        fsa->output[at->plus + s] = fsa->output[at->minus + s] = (uint32_t)m;
    }
    for (size_t i = 0; i < m * m; i++) {
        size_t s = i / m, t = i % m, sum = (s + t) % m;
        f2l_family_edge(fsa, at->value + i, m + F2L_FAMILY_PLUS, at->plus + sum);
        f2l_family_edge(fsa, at->value + i, m + F2L_FAMILY_MINUS, at->minus + sum);
        f2l_family_edge(fsa, at->value + i, m + F2L_FAMILY_TIMES, at->times + i);
        for (size_t d = 0; d < m; d++)
            f2l_family_edge(fsa, at->times + i, d, at->value + s * m + t * d % m);
        fsa->output[at->value + i] = (uint32_t)sum;
        fsa->output[at->times + i] = (uint32_t)m;
    }
}

static f2l_status precedence(builder *b, f2l_error *err)
{
    const size_t m = b->m;
    const layout at = {1, 1 + m * m, 1 + m * m + m, 1 + m * m + 2 * m, 1 + 2 * m * m + 2 * m};
    f2l_status status = name_precedence(b, err);
    if (status == F2L_OK) status = prepare_modarith(b, err);
    if (status != F2L_OK) return status;
    lead_all_edges_to(b, at.error);
    b->fsa.output[0] = (uint32_t)m;
    b->fsa.output[at.error] = (uint32_t)m + 1;
    connect_precedence(b, &at);
    return F2L_OK;
}

f2l_status f2l_family_modarith_prec(f2l_fsa *out, const uint64_t *n, bool generators,
                                    f2l_error *err)
{
    (void)generators;
    builder b = {.m = (size_t)n[0]};
    f2l_fsa_init(&b.fsa);
    return finish_modarith(out, &b, precedence(&b, err), err);
}
