/* PT: words that decide, the network, its refusals, and the compiler's choice. */
#include "models/network/wired/network_text.h"
#include "numeric/base/mem.h"
#include "tests/support/theory/compile_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/subwords/subwords.h"
#include <stdio.h>

#define LETTERS 3
#define MOST_STATES 4000

/* A language by subwords: the label is a bit of `table` for the set of words that were met. */
typedef struct language {
    const char *word[3]; /* over a, b, c */
    size_t words;
    unsigned table;
    bool ends; /* once a word was met, nothing counts any more */
} language;

/* Writes the automaton that counts in each word how far it was met; accepting states come first. */
static void write_language(f2l_buf *out, const language *l)
{
    static unsigned at[MOST_STATES][3];
    size_t states = 1;
    f2l_buf edges;
    f2l_buf_init(&edges);
    memset(at[0], 0, sizeof at[0]);
    f2l_buf_text(out, "start s0\naccept");
    for (size_t q = 0; q < states; q++) {
        unsigned met = 0;
        for (size_t i = 0; i < l->words; i++) met |= (unsigned)!l->word[i][at[q][i]] << i;
        if (l->table >> met & 1) f2l_buf_printf(out, " s%zu", q);
        for (char a = 'a'; a < 'a' + LETTERS; a++) {
            unsigned next[3] = {0};
            size_t to = 0;
            bool ended = false;
            for (size_t i = 0; i < l->words; i++) {
                next[i] = at[q][i] + (l->word[i][at[q][i]] == a);
                ended = ended || (l->ends && !l->word[i][next[i]]);
            }
            for (size_t i = 0; ended && i < l->words; i++) next[i] = (unsigned)strlen(l->word[i]);
            while (to < states && memcmp(at[to], next, sizeof next) != 0) to++;
            cr_assert(to < MOST_STATES);
            if (to == states) memcpy(at[states++], next, sizeof next);
            f2l_buf_printf(&edges, "s%zu %c s%zu\n", q, a, to);
        }
    }
    f2l_buf_text(out, "\n");
    f2l_buf_bytes(out, edges.data, edges.size);
    f2l_buf_clear(&edges);
}

static void open_language(fixture *f, const language *l)
{
    f2l_buf text;
    f2l_buf_init(&text);
    write_language(&text, l);
    open_text(f, text.data);
    f->options.label = F2L_LABEL_ACCEPT;
    f2l_buf_clear(&text);
}

/* Finds the words of the automaton and verifies the network; returns the number of layers, 0 where
 * it finds none within its limits. */
static size_t check_subwords(const fixture *f)
{
    f2l_subwords subwords = {0};
    f2l_net net;
    f2l_closure closure;
    f2l_error err = {0};
    f2l_net_init(&net);
    f2l_closure_init(&closure);
    const f2l_status found = f2l_subwords_find(&subwords, &f->fsa, F2L_LABEL_ACCEPT, NULL, &err);
    if (found == F2L_EDOMAIN) {
        cr_assert_not_null(strstr(err.text, "more than"), "%s", err.text);
        f2l_subwords_clear(&subwords);
        return 0;
    }
    cr_assert_eq(found, F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_subwords_build(&net, &subwords, &f->fsa, F2L_LABEL_ACCEPT, NULL, &err),
                 F2L_OK);
    cr_assert_eq(f2l_fsa_sha256(&f->fsa, net.fsa_sha256, NULL), F2L_OK);
    cr_assert_eq(f2l_wired_validate(&net, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_closure_exact(&closure, &net, &f->fsa, 0, NULL, &err), F2L_OK);
    cr_assert_eq(closure.verdict, F2L_OK);
    const size_t layers = net.stages;
    f2l_closure_clear(&closure);
    f2l_net_clear(&net);
    f2l_subwords_clear(&subwords);
    return layers;
}

Test(subwords, by_hand)
{
    static const struct {
        language language;
        size_t layers;
    } known[] = {
        {{{"abc"}, 1, 2, false}, 3},
        {{{"aa"}, 1, 1, false}, 2},
        {{{"abba"}, 1, 2, false}, 4},
        {{{"aaaa"}, 1, 1, false}, 4},
        {{{"ab", "cc"}, 2, 8, false}, 2},
        {{{"abab", "bcac"}, 2, 1, false}, 4},
        {{{"ab", "ba", "c"}, 3, 150, false}, 2},
        {{{"abc", "cba", "bb"}, 3, 105, false}, 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fixture f;
        open_language(&f, &known[i].language);
        cr_assert_eq(check_subwords(&f), known[i].layers, "language %zu", i);
        compile_done(&f);
    }
}

/* Random words and functions. */
Test(subwords, random)
{
    f2l_rng rng;
    size_t mixed = 0, made = 0;
    f2l_rng_init(&rng, 7, 1);
    for (size_t number = 0; number < 60; number++) {
        char word[3][5] = {{0}};
        language l = {.words = 1 + f2l_rng_below(&rng, 3), .table = 1};
        for (size_t i = 0; i < 3; i++) {
            const size_t length = 1 + f2l_rng_below(&rng, 4);
            for (size_t j = 0; j < length; j++) word[i][j] = (char)('a' + f2l_rng_below(&rng, 3));
            l.word[i] = word[i];
        }
        l.table = 1 + (unsigned)f2l_rng_below(&rng, (1u << (1u << l.words)) - 2);
        fixture f;
        open_language(&f, &l);
        size_t accepting = 0;
        for (size_t q = 0; q < f.fsa.states.count; q++) accepting += f.fsa.accept[q];
        if (accepting > 0 && accepting < f.fsa.states.count) {
            mixed++;
            made += check_subwords(&f) > 0;
        }
        compile_done(&f);
    }
    cr_assert(mixed > 40 && made > mixed / 2, "%zu of %zu", made, mixed);
}

/* No search: few steps, and a small folder. */
Test(subwords, compiled)
{
    const language l = {{"abcab", "ccbaa", "babb"}, 3, 1, true};
    fixture f;
    f2l_buf text;
    open_language(&f, &l);
    check_theorem(&f, "PT");
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    cr_assert(f.result.unrounded);
    cr_assert_leq(f.result.search.first_steps, 20 * F2L_STEPS);
    f2l_net_size size;
    f2l_net_measure(&size, &f.result.net);
    cr_assert(size.layers == 5 && size.heads <= 3);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_compile_certificate(&text, &f.result, &f.fsa, f.result.net.fsa_sha256, &f.err),
                 F2L_OK);
    cr_assert_not_null(strstr(text.data, "\nclaim exact\n"));
    cr_assert_leq(text.size, 64 * f.result.exact.rows + 1000);
    text.size = 0;
    cr_assert_eq(f2l_network_write(&text, &f.result.net, &f.err), F2L_OK);
    cr_assert_leq(text.size, 6000, "%zu", text.size);
    f2l_buf_clear(&text);
    compile_done(&f);
}

static void check_refusal(const char *text, const char *reason)
{
    fixture f;
    f2l_subwords subwords = {0};
    open_text(&f, text);
    cr_assert_eq(f2l_subwords_find(&subwords, &f.fsa, F2L_LABEL_ACCEPT, NULL, &f.err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(f.err.text, reason), "%s", f.err.text);
    f2l_subwords_clear(&subwords);
    compile_done(&f);
}

Test(subwords, refusals)
{
    check_refusal("start p\naccept p\np a q\nq a p\n", "leads back");
    check_refusal("start p\naccept p\np a p\n", "one label");
    /* R-trivial, but not J-trivial: whether the first letter is a. */
    check_refusal("start p\naccept q\np a q\np b r\nq a q\nq b q\nr a r\nr b r\n", "subwords");
}

#ifdef F2L_MEM_FAILURES
Test(subwords, memory)
{
    const language l = {{"aba", "cc"}, 2, 6, false};
    fixture f;
    open_language(&f, &l);
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_subwords subwords = {0};
        f2l_net net;
        f2l_net_init(&net);
        f2l_mem_fail_after(n, n % 2);
        status = f2l_subwords_find(&subwords, &f.fsa, F2L_LABEL_ACCEPT, NULL, NULL);
        if (status == F2L_OK)
            status = f2l_subwords_build(&net, &subwords, &f.fsa, F2L_LABEL_ACCEPT, NULL, NULL);
        f2l_mem_fail_after(0, false);
        f2l_net_clear(&net);
        f2l_subwords_clear(&subwords);
    }
    cr_assert_eq(status, F2L_OK);
    compile_done(&f);
}
#endif
