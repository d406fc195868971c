/* .mata files of libmata. */
#include "tests/support/automata/import_support.h"

#include "numeric/base/rng.h"
#include "numeric/base/text.h"

#define TYPE "@NFA-explicit\n"
#define BITS "@NFA-bits\n%Initial p\n%Final q\n"

enum { WIDTH = 4, VALUES = 1 << WIDTH };

static const char *const plain = TYPE "%Alphabet-auto\n%Initial q0\n%Final q1\n"
                                      "q0 a q1\nq1 b q0\nq0 b q0\n";

Test(import_mata, reads)
{
    accepts_one(plain, "bba", "ab");
    accepts_one(TYPE "%Initial p q\n%Final p | q\n# words\np a r # more\nr a p\nq b r\n", "ba",
                "a");
    accepts_one(TYPE "%States-enum q p\n%Alphabet-enum b a\n%Initial p\n%Final p\n"
                     "p a \\\n  q\nq b p\n",
                "ab", "b");
    accepts_one(TYPE "%Initial \"(r,s)\"\n%Final \"the end\"\n\"(r,s)\" a \"the end\"\n"
                     "\"the end\" b \"(r,s)\"\n",
                "a", "ab");
    accepts_one(TYPE "%Initial p\n%Final p\n%Final q\np a r\nr a q\n", "aa", "a");
    accepts_one(TYPE "%Initial p\n%Final r\n%Epsilon e none\np e q\nq a r\n", "a", "");
    accepts_one(TYPE "%Initial p\n%Final q\np a q\np \"(\" q\n", "(", "");
    accepts_one("# regex: (.*=\\+).*\n@NFA\n%Alphabet 1 0\n%Initial 0\n%Final 1\n0 0 1\n1 1 0\n",
                "010", "01");
    accepts_one("\n# comment\n" TYPE "%Initial p\r\n%Final q\r\np a q\r\nq a q\r\n", "aa", "");
}

Test(import_mata, the_user_decides_about_empty_words)
{
    f2l_nfa nfa;
    f2l_read_as as = {.names_epsilon = true};
    const f2l_import_options options = {.as = &as};
    const char *text = TYPE "%Initial p\n%Final q\n%Epsilon e\np e q\np eps q\n";
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.letters.count, 1, "eps is a letter");
    cr_assert_eq(nfa.notes.count, 1, "and this is noted");
    f2l_nfa_clear(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), &options, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.letters.count, 2, "no name is the empty word");
    cr_assert_eq(nfa.notes.count, 0);
    f2l_nfa_clear(&nfa);
    as.labels = F2L_LABELS_GUARDS;
    refused_with(plain, &options, F2L_EDOMAIN, 0, 0, "says nothing about .mata");
}

Test(import_mata, refuses)
{
    refused("@AFA-explicit\n", 1, 1, "is not read");
    refused("@NFA\n%Alphabet 1 2\n%Initial 0\n0 3 0\n", 4, 3, "is no letter of");
    refused("@NFA 1 * 0\n0 a 1\n", 1, 1, "FAdo");
    refused(TYPE "%Final q\nq a q\n", 0, 0, "no start state");
    refused(TYPE TYPE, 2, 1, "second automaton");
    refused(TYPE "%Initial p\np a\n", 3, 1, "expected a transition");
    refused(TYPE "%Initial p\np [a-z] p\n", 3, 3, "is an interval");
    refused(TYPE "%Initial p\np (a&b) p\n", 3, 3, "formula");
    refused(TYPE "%Initial !p\n", 2, 10, "part of a formula");
    refused(TYPE "%Initial p & q\n", 2, 12, "part of a formula");
    refused(TYPE "%Initial p\n%Nodes-enum n\n", 3, 1, "is not read here");
    refused(TYPE "%States-enum p\n%Initial q\n", 3, 10, "is no state of");
    refused(TYPE "%Alphabet-enum a\n%Initial q\nq b q\n", 4, 3, "is no letter of");
    refused(TYPE "%Initial p\n%States-enum p\n", 3, 1, "comes behind");
    refused(TYPE "%Initial \"p\n", 2, 10, "closing quotation mark");
    refused(TYPE "%Initial p\np a q\n%Epsilon a\n", 4, 1, "is not read here");
}

Test(import_mata, bits)
{
    accepts_one(BITS "p a7 q\nq !a7 p\n", "101", "0");
    accepts_one(BITS "p (a3 & !a3) | \\false q\np !!a3 q\n", "1", "");
    accepts_one(BITS "p true q\n", "-", "");
    accepts_one(BITS "p (a3&!a3) p\np !(\\true) q\np a3 \\\n | a3 q\n", "1", "");
    leads_to("@NFA-bits\n%Initial p\n%Final q\np (a1 & (!a2 | a30)) q\nq \\true p\n", "100 0-- 111",
             "q");
}

/* Appends a random formula to the text, and returns the valuations in which it is true, as bits. */
static uint64_t draw_formula(f2l_buf *text, f2l_rng *rng, size_t depth)
{
    const uint64_t all = (1u << VALUES) - 1;
    const size_t kind = (size_t)f2l_rng_below(rng, depth == 0 ? 2 : 6);
    if (kind == 0) {
        const size_t bit = (size_t)f2l_rng_below(rng, WIDTH);
        uint64_t found = 0;
        for (size_t v = 0; v < VALUES; v++) found |= (uint64_t)(v >> bit & 1) << v;
        f2l_buf_text(text, "a");
        f2l_buf_size(text, 2 * bit);
        return found;
    }
    if (kind == 1) {
        f2l_buf_text(text, depth % 2 ? "\\false" : "\\true");
        return depth % 2 ? 0 : all;
    }
    if (kind == 2) {
        f2l_buf_text(text, "!");
        return all & ~draw_formula(text, rng, depth - 1);
    }
    f2l_buf_text(text, "(");
    uint64_t found = draw_formula(text, rng, depth - 1);
    for (size_t i = 0; i < kind - 2; i++) {
        const bool both = (kind + depth) % 2;
        f2l_buf_text(text, both ? " & " : "|");
        const uint64_t more = draw_formula(text, rng, depth - 1);
        found = both ? found & more : found | more;
    }
    f2l_buf_text(text, ")");
    return found;
}

/* Returns the valuations of a letter, whose digits are for the even bits that the file names. */
static uint64_t values_of(const char *letter, const size_t *bit)
{
    uint64_t found = 0;
    for (size_t v = 0; v < VALUES; v++) {
        bool in = true;
        for (size_t k = 0; letter[k]; k++)
            in &= letter[k] == '-' || (letter[k] == '1') == (v >> bit[k] & 1);
        found |= (uint64_t)in << v;
    }
    return found;
}

/* Letters do not overlap, and every edge has the valuations of its formula. */
static void check_bits(const char *text, const uint64_t *expected, size_t formulas)
{
    f2l_nfa nfa;
    f2l_error err;
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, &err), F2L_OK, "%s\n%s", err.text,
                 text);
    uint64_t found[8] = {0}, letters = 0;
    size_t bit[WIDTH], bits = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        const char name[] = {'a', (char)('0' + 2 * i), '\0'};
        if (strstr(text, name)) bit[bits++] = i;
    }
    for (size_t i = 0; i < nfa.letters.count; i++) {
        const uint64_t values = values_of(f2l_names_get(&nfa.letters, i), bit);
        cr_assert_eq(letters & values, 0, "letters overlap: %s", text);
        letters |= values;
    }
    for (size_t e = 0; e < nfa.edges; e++) {
        const f2l_edge *edge = &nfa.edge[e];
        const uint64_t values = values_of(f2l_names_get(&nfa.letters, edge->letter), bit);
        const size_t to = (size_t)(f2l_names_get(&nfa.states, edge->to)[0] - '0');
        cr_assert_eq(found[to] & values, 0, "an edge is there twice: %s", text);
        found[to] |= values;
    }
    for (size_t i = 0; i < formulas; i++) cr_assert_eq(found[i], expected[i], "%zu in %s", i, text);
    f2l_nfa_clear(&nfa);
}

Test(import_mata, bits_at_random)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0);
    for (size_t k = 0; k < 400; k++) {
        uint64_t expected[8];
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_text(&text, "@NFA-bits\n%Initial 0\n%Final 1\n");
        for (size_t i = 0; i < 1 + k % 8; i++) {
            f2l_buf_text(&text, "0 ");
            expected[i] = draw_formula(&text, &rng, 1 + k % 4);
            f2l_buf_text(&text, " ");
            f2l_buf_size(&text, i);
            f2l_buf_text(&text, "\n");
        }
        cr_assert_eq(f2l_buf_status(&text, NULL), F2L_OK);
        check_bits(text.data, expected, 1 + k % 8);
        f2l_buf_clear(&text);
    }
}

Test(import_mata, refuses_bits)
{
    refused(BITS "p a1 | q\n", 4, 7, "ends too early");
    refused(BITS "p (a1 q\n", 4, 6, "expected &, | or )");
    refused(BITS "p a1 a2 q\n", 4, 6, "expected & or |");
    refused(BITS "p a1) q\n", 4, 5, "expected & or |");
    refused(BITS "p a q\n", 4, 3, "expected a bit");
    refused(BITS "p !b1 q\n", 4, 4, "expected a bit");
    refused(BITS "p a1x q\n", 4, 3, "expected a bit");
    refused(BITS "p a256 q\n", 4, 3, "beyond a255");
    refused(BITS "p q\n", 4, 1, "STATE FORMULA STATE");
    refused(BITS "%Alphabet-enum a0\n", 4, 1, "with formulas over bits");
    refused(BITS "%Epsilon e\n", 4, 1, "with formulas over bits");
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, BITS "p ");
    for (size_t i = 0; i < 101; i++) f2l_buf_text(&text, "(");
    f2l_buf_text(&text, "a1 q\n");
    refused(text.data, 4, 103, "nested too deeply");
    text.size = 0;
    /* (a0 | a1) & (a2 | a3) & ..: 2^13 cubes */
    f2l_buf_text(&text, BITS "p \\true");
    for (size_t i = 0; i < 26; i += 2) {
        f2l_buf_text(&text, " & (a");
        f2l_buf_size(&text, i);
        f2l_buf_text(&text, " | a");
        f2l_buf_size(&text, i + 1);
        f2l_buf_text(&text, ")");
    }
    f2l_buf_text(&text, " q\n");
    refused_with(text.data, NULL, F2L_UNKNOWN, 0, 0, "more than 4096 cubes");
    f2l_buf_clear(&text);
}

/* Words end where libmata's do. */
Test(import_mata, comments_and_bars_end_words)
{
    accepts_one("@NFA-explicit\n%Initial q0# the start\n%Final q1#not q0\nq0 a q1#comment\n", "a",
                "");
    accepts_one("@NFA-explicit\n%Initial q0|q1\n%Final q2 |q3\nq0 a q2\nq1 b q3\n", "a", "");
    accepts_one("@NFA-explicit\n%Initial \"q|#\"\n%Final p\n\"q|#\" a p\n", "a", "");
    refused("@NFA-explicit\n%Initial p\n%Final p&q\n", 3, 8, "is part of a formula");
    refused("@NFA-explicit\n%Initial p\n%Final q p)\n", 3, 10, "is part of a formula");
}

Test(import_mata, memory_failures)
{
    survives_memory_failures(plain);
    survives_memory_failures(BITS "p (a1 & (!a2 | a3)) q\nq \\true p\nq !(a1 | a3) q\n");
}
