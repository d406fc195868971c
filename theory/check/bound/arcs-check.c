/* arcs-check AUTOMATON CERTIFICATE: can fewer than n - 1 layers not give the automaton's labels?
 *
 * The claim (theory/pages/layers.md, FK.10): no network of fewer than n - 1 layers gives the labels
 * after every word, in the model of fork-check, where a layer's letter is any function of the
 * letter read and of the states of the layers below, before and after it.
 *
 * CERTIFICATE, after the lines of bound.c:
 *     states c_1 .. c_n   increasing classes, n >= 3
 *     arc i j LETTERS     leads c_i to c_j and all other c to themselves; 2 (n - 1) lines: both
 *                         ways along the edges of a tree, each edge to a new place: (2 1), (1 2),
 *                         or later (i j), (j i) with j among the places before and i not
 *     apart i j LETTERS   the labels of c_i and c_j after it differ; for all i < j in order
 *     still LETTERS       may be absent: a word that is not empty and leads all c to themselves
 *     end
 * With `still` the claim also holds if a letter's action depends on the last letters of the word,
 * as with a short convolution (FK.12).
 *
 * Why it is enough: the classes are an automaton with the same labels (bound.c), the arcs connect
 * the states, no two of which are equivalent, and the start reaches them: the hypotheses of FK.10.
 *
 *     s VERIFIED layers at least n-1 label KIND letters K states Q classes C arcs n [windows]
 *         fsa SHA256     exit status 0; K, Q: of the file
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>

/* Reads the word of an arc and checks that it leads place i to place j and fixes the others; with
 * i = j it must fix all. */
static void read_arc(const machine *m, text *t, const char *before, const uint32_t *state, size_t n,
                     size_t i, size_t j)
{
    const word w = read_word(m, t, before);
    if (w.length == 0) reject(t, "the word is empty");
    for (size_t c = 0; c < n; c++)
        if (lead(m, state[c], &w) != state[c == i ? j : c])
            reject(t, "the word leads place %zu elsewhere", c + 1);
}

static void judge_arcs(const machine *m, text *t)
{
    size_t n = 0;
    const uint32_t *state = read_numbers(t, "states", 1, m->classes, &n);
    if (n < 3) reject(t, "expected three states or more");
    for (size_t c = 1; c < n; c++)
        if (state[c] <= state[c - 1]) reject(t, "expected increasing states");
    end_line(t);
    bool *joined = grab(n, sizeof *joined);
    joined[0] = true;
    for (size_t edge = 1; edge < n; edge++) {
        const size_t i = number(t, "arc ", 1, n) - 1, j = number(t, " ", 1, n) - 1;
        if (joined[i] || !joined[j]) reject(t, "the edge does not lead to a new place");
        joined[i] = true;
        read_arc(m, t, "", state, n, i, j);
        number(t, "arc ", j + 1, j + 1);
        number(t, " ", i + 1, i + 1);
        read_arc(m, t, "", state, n, j, i);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            number(t, "apart ", i + 1, i + 1);
            number(t, " ", j + 1, j + 1);
            const word apart = read_word(m, t, "");
            if (!tells_apart(m, state[i], state[j], &apart))
                reject(t, "the labels of the two do not differ");
        }
    const bool windows = comes(t, "still");
    if (windows) read_arc(m, t, "still", state, n, 0, 0);
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    print_bound(m, n - 1);
    printf(" arcs %zu%s", n, windows ? " windows" : "");
}

const bound_program bound_self = {.name = "arcs-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-arcs 1",
                                  .judge = judge_arcs};
