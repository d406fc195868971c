/* Languages on which sequence models are tested. */
#include "automata/family/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* A small automaton over 0 and 1 written as a table. */
typedef struct small {
    size_t states;
    const char *name[5];
    unsigned char next[5][2];
    bool accept[5];
} small;

static f2l_status from_table(f2l_fsa *out, const small *table, f2l_error *err)
{
    f2l_status status = f2l_family_names(&out->letters, (const char *const[]){"0", "1"}, 2, err);
    if (status == F2L_OK) status = f2l_family_names(&out->states, table->name, table->states, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t q = 0; q < table->states; q++) {
        out->accept[q] = table->accept[q];
        for (size_t a = 0; a < 2; a++) f2l_family_edge(out, q, a, table->next[q][a]);
    }
    out->has_accept = true;
    return F2L_OK;
}

f2l_status f2l_family_parity(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)n;
    (void)generators;
    static const small parity = {2, {"even", "odd"}, {{0, 1}, {1, 0}}, {false, true}};
    return from_table(out, &parity, err);
}

/* The states are the first and the last letter: neighbours differ an even number of times where
 * these agree. */
f2l_status f2l_family_even_pairs(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)n;
    (void)generators;
    static const small even_pairs = {5,
                                     {"empty", "0..0", "0..1", "1..0", "1..1"},
                                     {{1, 4}, {1, 2}, {1, 2}, {3, 4}, {3, 4}},
                                     {true, true, false, false, true}};
    return from_table(out, &even_pairs, err);
}

f2l_status f2l_family_repeat_01(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)n;
    (void)generators;
    static const small repeat = {
        3, {"pairs", "0", "dead"}, {{1, 2}, {2, 0}, {2, 2}}, {true, false, false}};
    return from_table(out, &repeat, err);
}

f2l_status f2l_family_first(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)n;
    (void)generators;
    static const small first = {
        3, {"empty", "0..", "1.."}, {{1, 2}, {1, 1}, {2, 2}}, {false, false, true}};
    return from_table(out, &first, err);
}

/* Builds one of the languages of Tomita 1982: 1 only 1s; 2 repetitions of 10; 3 no odd block of 1s
 * followed by an odd block of 0s; 4 no 000; 5 even numbers of 0s and of 1s; 6 numbers of 0s and of
 * 1s equal modulo 3; 7 a word of 0*1*0*1*. */
f2l_status f2l_family_tomita(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    static const small tomita[7] = {
        {2, {"ones", "dead"}, {{1, 0}, {1, 1}}, {true, false}},
        {3, {"pairs", "one", "dead"}, {{2, 1}, {0, 2}, {2, 2}}, {true, false, false}},
        {5,
         {"even1", "odd1", "odd1odd0", "odd1even0", "dead"},
         {{0, 1}, {2, 0}, {3, 4}, {2, 1}, {4, 4}},
         {true, true, false, true, false}},
        {4,
         {"none", "0", "00", "dead"},
         {{1, 0}, {2, 0}, {3, 0}, {3, 3}},
         {true, true, true, false}},
        {4,
         {"even0even1", "odd0even1", "odd0odd1", "even0odd1"},
         {{1, 3}, {0, 2}, {3, 1}, {2, 0}},
         {true, false, false, false}},
        {3, {"0", "1", "2"}, {{1, 2}, {2, 0}, {0, 1}}, {true, false, false}},
        {5,
         {"zeros", "ones", "zeros2", "ones2", "dead"},
         {{0, 1}, {2, 1}, {2, 3}, {4, 3}, {4, 4}},
         {true, true, true, true, false}},
    };
    return from_table(out, &tomita[n[0] - 1], err);
}

/* Builds the automaton whose states are the last K bits, oldest first; before the beginning they
 * count as 0. It accepts when the oldest bit, the K-th letter from the end, is 1. */
f2l_status f2l_family_definite(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    const size_t bits = (size_t)n[0], states = (size_t)1 << bits;
    f2l_status status = f2l_family_names(&out->letters, (const char *const[]){"0", "1"}, 2, err);
    for (size_t q = 0; q < states && status == F2L_OK; q++) {
        char name[64];
        size_t index;
        for (size_t i = 0; i < bits; i++) name[i] = q >> (bits - 1 - i) & 1 ? '1' : '0';
        status = f2l_names_add(&out->states, name, bits, &index, err);
    }
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    out->has_accept = true;
    for (size_t q = 0; q < states; q++) {
        out->accept[q] = q >= states / 2;
        for (size_t a = 0; a < 2; a++) f2l_family_edge(out, q, a, (2 * q + a) % states);
    }
    return F2L_OK;
}

/* Names the letters: the opening brackets of every type, then the closing ones; ( [ { < while there
 * are at most four types. */
static f2l_status bracket_letters(f2l_fsa *out, size_t types, f2l_error *err)
{
    static const char *const open[] = {"(", "[", "{", "<"}, *const close[] = {")", "]", "}", ">"};
    f2l_status status = F2L_OK;
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t i = 0; i < 2 * types && status == F2L_OK; i++) {
        size_t type = i % types, index;
        name.size = 0;
        if (types <= 4)
            f2l_buf_text(&name, i < types ? open[type] : close[type]);
        else
            f2l_buf_printf(&name, "%s%zu", i < types ? "open" : "close", type + 1);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&out->letters, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}

/* Returns the number of stacks of depth 0..depth, 1 + types + .. + types^depth, or 0 when they are
 * too many to build. */
static size_t count_stacks(size_t types, size_t depth)
{
    size_t total = 1, level = 1;
    for (size_t d = 0; d < depth; d++) {
        if (!f2l_mul_size(&level, level, types) || !f2l_add_size(&total, total, level) ||
            total > 1000000)
            return 0;
    }
    return total;
}

/* Names stack q: its parent's name with one bracket more, or its depth when there is one type only.
 * Stack q > 0 has parent (q - 1) / types and top (q - 1) % types. */
static f2l_status name_stacks(f2l_fsa *out, size_t stacks, size_t types, f2l_error *err)
{
    size_t index;
    if (types == 1) return f2l_family_numbers(&out->states, 0, stacks - 1, err);
    f2l_status status = f2l_names_add(&out->states, "empty", 5, &index, err);
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t q = 1; q < stacks && status == F2L_OK; q++) {
        size_t parent = (q - 1) / types;
        name.size = 0;
        if (parent > 0) f2l_buf_text(&name, f2l_names_get(&out->states, parent));
        if (types > 4 && parent > 0) f2l_buf_text(&name, ".");
        if (types > 4)
            f2l_buf_size(&name, (q - 1) % types + 1);
        else
            f2l_buf_text(&name, f2l_names_get(&out->letters, (q - 1) % types));
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&out->states, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}

/* Builds the automaton whose states are the stacks of open brackets; a bracket that closes wrongly,
 * or opens beyond the depth, leads to the sink. */
f2l_status f2l_family_dyck(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    const size_t types = (size_t)n[0], depth = (size_t)n[1];
    const size_t stacks = count_stacks(types, depth), sink = stacks;
    size_t index;
    if (types == 0 || stacks == 0 || stacks * types > 5000000)
        return f2l_fail(err, F2L_EDOMAIN,
                        "dyck: %zu types nested %zu deep have more than 1000000 stacks or 5000000 "
                        "transitions",
                        types, depth);
    f2l_status status = bracket_letters(out, types, err);
    if (status == F2L_OK) status = name_stacks(out, stacks, types, err);
    if (status == F2L_OK) status = f2l_names_add(&out->states, "sink", 4, &index, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t type = 0; type < types; type++) {
        for (size_t q = 0; q < stacks; q++) {
            size_t pushed = q * types + type + 1;
            bool on_top = q > 0 && (q - 1) % types == type;
            f2l_family_edge(out, q, type, pushed < stacks ? pushed : sink);
            f2l_family_edge(out, q, types + type, on_top ? (q - 1) / types : sink);
        }
        f2l_family_edge(out, sink, type, sink);
        f2l_family_edge(out, sink, types + type, sink);
    }
    out->has_accept = true;
    out->accept[0] = 1;
    return F2L_OK;
}

/* Names the states by their counters: "0,2,1". */
static f2l_status name_counts(f2l_fsa *out, size_t counts, size_t types, size_t values,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t q = 0; q < counts && status == F2L_OK; q++) {
        name.size = 0;
        for (size_t i = 0, left = q; i < types; i++, left /= values) {
            if (i > 0) f2l_buf_text(&name, ",");
            f2l_buf_size(&name, left % values);
        }
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&out->states, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}

/* Builds the product of counters of open brackets, one for each type, which do not see each other:
 * any counter below 0 or above the depth leads to the sink. State q has counter q / (depth + 1)^i
 * modulo depth + 1 for type i. */
f2l_status f2l_family_shuffle_dyck(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    const size_t types = (size_t)n[0], values = (size_t)n[1] + 1;
    size_t counts = 1, index;
    for (size_t i = 0; i < types && counts <= 1000000; i++) counts *= values;
    if (values < 2 || counts > 1000000 || counts * types > 5000000)
        return f2l_fail(err, F2L_EDOMAIN,
                        "shuffle-dyck: %zu types open at most %zu times have more than 1000000 "
                        "states or 5000000 transitions",
                        types, values - 1);
    f2l_status status = bracket_letters(out, types, err);
    if (status == F2L_OK) status = name_counts(out, counts, types, values, err);
    if (status == F2L_OK) status = f2l_names_add(&out->states, "sink", 4, &index, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t type = 0, unit = 1; type < types; type++, unit *= values) {
        for (size_t q = 0; q < counts; q++) {
            const size_t open = q / unit % values;
            f2l_family_edge(out, q, type, open + 1 < values ? q + unit : counts);
            f2l_family_edge(out, q, types + type, open > 0 ? q - unit : counts);
        }
        f2l_family_edge(out, counts, type, counts);
        f2l_family_edge(out, counts, types + type, counts);
    }
    out->has_accept = true;
    out->accept[0] = 1;
    return F2L_OK;
}

/* Builds the language of Liu et al. 2023: pairs of an instruction (write, read, ignore) and a bit,
 * where every bit that is read is the one written last. */
f2l_status f2l_family_flipflop_language(f2l_fsa *out, const uint64_t *n, bool generators,
                                        f2l_error *err)
{
    (void)n;
    (void)generators;
    enum { NONE, ZERO, ONE, WRITE, READ0, READ1, IGNORE, IGNORE0, IGNORE1, DEAD, STATES };
    static const char *const letter[] = {"w", "r", "i", "0", "1"};
    static const char *const state[] = {"none",  "0",      "1",       "write",   "read0",
                                        "read1", "ignore", "ignore0", "ignore1", "dead"};
    static const unsigned char next[STATES][5] = {
        [NONE] = {WRITE, DEAD, IGNORE, DEAD, DEAD},  [ZERO] = {WRITE, READ0, IGNORE0, DEAD, DEAD},
        [ONE] = {WRITE, READ1, IGNORE1, DEAD, DEAD}, [WRITE] = {DEAD, DEAD, DEAD, ZERO, ONE},
        [READ0] = {DEAD, DEAD, DEAD, ZERO, DEAD},    [READ1] = {DEAD, DEAD, DEAD, DEAD, ONE},
        [IGNORE] = {DEAD, DEAD, DEAD, NONE, NONE},   [IGNORE0] = {DEAD, DEAD, DEAD, ZERO, ZERO},
        [IGNORE1] = {DEAD, DEAD, DEAD, ONE, ONE},    [DEAD] = {DEAD, DEAD, DEAD, DEAD, DEAD}};
    f2l_status status = f2l_family_names(&out->letters, letter, 5, err);
    if (status == F2L_OK) status = f2l_family_names(&out->states, state, STATES, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t q = 0; q < STATES; q++)
        for (size_t a = 0; a < 5; a++) f2l_family_edge(out, q, a, next[q][a]);
    out->has_accept = true;
    out->accept[NONE] = out->accept[ZERO] = out->accept[ONE] = 1;
    return F2L_OK;
}
