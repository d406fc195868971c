/* .kiss2 files: Mealy machines whose inputs overlap. */
#include "numeric/base/rng.h"
#include "numeric/base/text.h"
#include "tests/support/automata/import_support.h"
#include <stdio.h>

/* Returns the letter that a valuation of the inputs is, and checks that there is only one. */
static size_t letter_of(const f2l_fsa *fsa, const char *bits)
{
    size_t found = F2L_NO_INDEX;
    for (size_t k = 0; k < fsa->letters.count; k++) {
        const char *name = f2l_names_get(&fsa->letters, k);
        bool matches = strlen(name) == strlen(bits);
        for (size_t i = 0; matches && bits[i]; i++) matches = name[i] == '-' || name[i] == bits[i];
        if (!matches) continue;
        cr_assert_eq(found, F2L_NO_INDEX, "%s is two letters", bits);
        found = k;
    }
    return found;
}

/* Reads the text; words are runs of valuations with blanks between them, and `outputs` is what the
 * machine says. */
static void runs(const char *text, const char *word, const char *outputs)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    char said[200] = "", bits[64];
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, text, NULL, &err), F2L_OK, "%s", err.text);
    size_t state = fsa.start, size = 0;
    for (; *word; word += size + strspn(word + size, " ")) {
        size = strcspn(word, " ");
        snprintf(bits, sizeof bits, "%.*s", (int)size, word);
        const size_t letter = letter_of(&fsa, bits);
        cr_assert_neq(letter, F2L_NO_INDEX, "%s", bits);
        const size_t at = state * fsa.letters.count + letter;
        strcat(strcat(said, *said ? " " : ""),
               f2l_names_get(&fsa.edge_outputs, fsa.edge_output[at]));
        state = fsa.next[at];
    }
    cr_assert_str_eq(said, outputs);
    f2l_fsa_clear(&fsa);
}

static const char *const overlapping = ".i 2\n.o 1\n.p 4\n.s 2\n.r s0\n"
                                       "1- s0 s1 1\n0- s0 s0 0\n-1 s1 s0 1\n-0 s1 s1 0\n.e\n";

Test(import_kiss, reads_rows)
{
    runs(".i 1\n.o 1\n.p 4\n.s 2\n.r s0\n0 s0 s0 0\n1 s0 s1 0\n0 s1 s1 1\n1 s1 s0 1\n.e\n",
         "1 0 1 0", "0 1 1 0");
    runs(overlapping, "10 00 11 01 11 01", "1 0 1 0 1 1");
    runs("# comment\n.i 2\n.o 2\n-- a b 00 # any input\n-- b a 01\n", "00 11 01", "00 01 00");
    runs(".ilb x y\n.i 2\n.ob z\n.o 1\n.r b\n-- a b 0\n-- b a 1\n.end\n", "00 11", "1 0");
    runs(".start_kiss\n.i 3\n.o 1\n1-- a a 1\n01- a a 0\n001 a a 1\n000 a a 0\n.end_kiss\n",
         "101 011 001 000", "1 0 1 0");
    /* Rows that agree may overlap. */
    runs(".i 2\n.o 1\n1- a a 1\n-1 a a 1\n00 a a 0\n", "11 10 01 00", "1 1 1 0");
    runs("\xef\xbb\xbf.i 1\r\n.o 1\r\n0 st st 1\r\n1 st st 0\r\n", "0 1", "1 0");
}

Test(import_kiss, letters_do_not_overlap)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, overlapping, NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 4);
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa, ".i 3\n.o 1\n0-- a a 1\n1-- a a 0\n", NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 2, "inputs that no row asks for divide nothing");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "0--");
    f2l_fsa_clear(&fsa);
}

Test(import_kiss, the_start_is_the_first_rows_state_without_a_reset)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, ".i 1\n.o 0\n- b a\n- a b\n", NULL, NULL), F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.states, fsa.start), "b");
    cr_assert_eq(fsa.edge_outputs.count, 0);
    f2l_fsa_clear(&fsa);
}

/* Writes rows for one state: a decision tree over the inputs, by which each valuation has one row.
 * The answer of valuation v is answer[v]: next state and output. */
static void write_tree(f2l_buf *out, f2l_rng *rng, char *cube, size_t bits, size_t state,
                       unsigned answer[][2])
{
    size_t open[8], count = 0;
    for (size_t i = 0; i < bits; i++)
        if (cube[i] == '-') open[count++] = i;
    if (count == 0 || f2l_rng_below(rng, 3) == 0) {
        const unsigned next = (unsigned)f2l_rng_below(rng, 3);
        const unsigned output = (unsigned)f2l_rng_below(rng, 2);
        f2l_buf_printf(out, "%.*s s%zu s%u %u\n", (int)bits, cube, state, next, output);
        for (size_t v = 0; v < (size_t)1 << bits; v++) {
            bool in = true;
            for (size_t i = 0; i < bits; i++)
                in = in && (cube[i] == '-' || cube[i] == (v >> i & 1 ? '1' : '0'));
            if (!in) continue;
            answer[v][0] = next;
            answer[v][1] = output;
        }
        return;
    }
    const size_t i = open[f2l_rng_below(rng, count)];
    for (char c = '0'; c <= '1'; c++) {
        cube[i] = c;
        write_tree(out, rng, cube, bits, state, answer);
    }
    cube[i] = '-';
}

Test(import_kiss, agrees_with_a_simulation_on_every_input)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        f2l_rng rng;
        f2l_rng_init(&rng, seed, 0);
        const size_t bits = 1 + f2l_rng_below(&rng, 5);
        unsigned answer[3][32][2];
        f2l_buf text;
        f2l_fsa fsa;
        f2l_error err = {0};
        f2l_buf_init(&text);
        f2l_fsa_init(&fsa);
        f2l_buf_printf(&text, ".i %zu\n.o 1\n.r s0\n", bits);
        for (size_t s = 0; s < 3; s++) {
            char cube[] = "-----";
            write_tree(&text, &rng, cube, bits, s, answer[s]);
        }
        cr_assert_eq(read_any(&fsa, text.data, NULL, &err), F2L_OK, "%s: %s", text.data, err.text);
        for (size_t q = 0; q < fsa.states.count; q++)
            for (size_t v = 0; v < (size_t)1 << bits; v++) {
                char word[8] = "";
                for (size_t i = 0; i < bits; i++) word[i] = v >> i & 1 ? '1' : '0';
                const size_t s = (size_t)(f2l_names_get(&fsa.states, q)[1] - '0');
                const size_t at = q * fsa.letters.count + letter_of(&fsa, word);
                const char *next = f2l_names_get(&fsa.states, fsa.next[at]);
                const char *said = f2l_names_get(&fsa.edge_outputs, fsa.edge_output[at]);
                cr_assert_eq((unsigned)(next[1] - '0'), answer[s][v][0], "%s", text.data);
                cr_assert_eq((unsigned)(said[0] - '0'), answer[s][v][1], "%s", text.data);
            }
        f2l_fsa_clear(&fsa);
        f2l_buf_clear(&text);
    }
}

#define HEAD ".i 2\n.o 2\n"

Test(import_kiss, refuses)
{
    refused(HEAD "00 a b 0-\n", 3, 8, "leaves an output open");
    refused(HEAD "00 * b 00\n", 3, 4, "is any state");
    refused(HEAD "00 a * 00\n", 3, 6, "is any state");
    refused(HEAD "00 ANY b 00\n", 3, 4, "is any state");
    refused(HEAD ".r *\n", 3, 4, "is any state");
    refused(HEAD ".s 2\n.r zz\n00 a b 00\n", 4, 1, "`zz` is the reset state, and no row has it");
    refused(HEAD "000 a b 00\n", 3, 1, "is no input");
    refused(HEAD "0x a b 00\n", 3, 1, "is no input");
    refused(HEAD "00 a b 0\n", 3, 8, "is no output");
    refused(HEAD "00 a b\n", 3, 1, "expected 4 columns");
    refused(".i 2\n00 a b 00\n", 2, 1, "comes before");
    refused(".i 0\n.o 1\n- a b 0\n", 3, 1, "expected .i 1 to .i 256");
    refused(".i 2\n.i 2\n", 2, 1, "is there twice");
    refused(".i two\n", 1, 1, "expects one number");
    refused(HEAD ".type fr\n", 3, 1, "is not read");
    refused(HEAD ".e\n00 a b 00\n", 4, 1, "behind the end");
    refused(HEAD ".p 2\n-- a a 00\n", 0, 0, "there are 1 rows");
    refused(HEAD ".s 2\n-- a a 00\n", 0, 0, "there are 1 states");
    refused(HEAD, 0, 0, "no rows");
    refused(HEAD "1- a a 00\n-1 a b 00\n", 4, 1, "contradicts line 3");
    refused(HEAD "1- a a 00\n0- a a 00\n11 b b 00\n-1 a a 01\n", 6, 1, "contradicts line");
    const f2l_import_options letters = {.as = &(const f2l_read_as){.labels = F2L_LABELS_SETS}};
    refused_with(overlapping, &letters, F2L_EDOMAIN, 0, 0, "says nothing about .kiss2");
}

Test(import_kiss, too_many_letters)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, ".i 40\n.o 1\n");
    for (size_t i = 0; i < 40; i++) {
        char cube[] = "----------------------------------------";
        cube[i] = '1';
        f2l_buf_printf(&text, "%s a a 1\n", cube);
    }
    refused_with(text.data, NULL, F2L_UNKNOWN, 0, 0, "more than 4096 letters");
    f2l_buf_clear(&text);
}

Test(import_kiss, memory_failures)
{
    survives_memory_failures(overlapping);
}
