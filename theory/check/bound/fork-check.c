/* fork-check AUTOMATON CERTIFICATE: can one layer not give the automaton's labels?
 *
 * The claim (theory/pages/layers.md, FK.3): no network of one layer gives the labels after every
 * word, whatever its number of factors, its dimension, its gates, its heads and its decoder, if for
 * one positive definite form every letter acts on the layer's state by S <- A S + B with |A| <= 1,
 * and words lead to finitely many states; or, by FK.13, to a bounded set of states in which states
 * nearer than some distance mean the same.
 *
 * CERTIFICATE, after the lines of bound.c:
 *     fork s p q         classes
 *     reach LETTERS      leads from the start to s; words may be empty
 *     u LETTERS          leads from s to p, p to p, q to q
 *     v LETTERS          leads from s to q, p to p, q to q
 *     apart LETTERS      the labels of p and q after it differ
 *     still LETTERS      may be absent: a word that is not empty and leads s to s, p to p, q to q
 *     end
 * With `still` the claim also holds if a letter's action depends on the last letters of the word,
 * as with a short convolution (FK.5').
 *
 * Why it is enough: the classes are an automaton with the same labels (bound.c), and that these
 * words do so is the hypothesis of FK.3 for it: s is reached, and p and q are not equivalent. Its
 * proof uses nothing else.
 *
 *     s VERIFIED layers at least 2 label KIND letters K states Q classes C [windows] fsa SHA256
 *         exit status 0; K, Q: of the file
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>

static void must_lead(const machine *m, const text *t, const char *what, size_t from, const word *w,
                      size_t to)
{
    const size_t end = lead(m, from, w);
    if (end != to)
        reject(t, "%s leads from class %zu to class %zu, not to %zu", what, from + 1, end + 1,
               to + 1);
}

static void judge_fork(const machine *m, text *t)
{
    const size_t s = number(t, "fork ", 1, m->classes) - 1;
    const size_t p = number(t, " ", 1, m->classes) - 1;
    const size_t q = number(t, " ", 1, m->classes) - 1;
    end_line(t);
    const word reach = read_word(m, t, "reach");
    must_lead(m, t, "reach", m->start, &reach, s);
    for (int i = 0; i < 2; i++) {
        const word w = read_word(m, t, i == 0 ? "u" : "v");
        must_lead(m, t, i == 0 ? "u" : "v", s, &w, i == 0 ? p : q);
        must_lead(m, t, i == 0 ? "u" : "v", p, &w, p);
        must_lead(m, t, i == 0 ? "u" : "v", q, &w, q);
    }
    const word apart = read_word(m, t, "apart");
    if (!tells_apart(m, p, q, &apart)) reject(t, "the labels of p and q do not differ after apart");
    const bool windows = comes(t, "still");
    if (windows) {
        const word still = read_word(m, t, "still");
        if (still.length == 0) reject(t, "still is empty");
        must_lead(m, t, "still", s, &still, s);
        must_lead(m, t, "still", p, &still, p);
        must_lead(m, t, "still", q, &still, q);
    }
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    print_bound(m, 2);
    if (windows) printf(" windows");
}

const bound_program bound_self = {.name = "fork-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-fork 1",
                                  .judge = judge_fork};
