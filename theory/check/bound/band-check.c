/* band-check AUTOMATON CERTIFICATE: can one layer with finitely many states not give the
 * automaton's labels?
 *
 * The claim (theory/pages/one-layer.md, OL.3): no network of one layer gives the labels after every
 * word, whatever its number of factors, its dimension, its gates, its heads and its decoder, which
 * may read the letter and the states before and after it, if for one positive definite form every
 * letter acts on the layer's state by S <- A S + B with |A| <= 1, and words lead to finitely many
 * states, exactly. Unlike the claim of fork-check, it is not about layers with infinitely many
 * states, nor about layers whose letter depends on several letters of the word.
 *
 * CERTIFICATE, after the lines of bound.c:
 *     band s p r t q z   classes; some may be equal
 *     reach LETTERS      leads from the start to s; words may be empty
 *     u LETTERS          leads from s to p, r to t, q to z, and p, t, z each to itself
 *     v LETTERS          leads from p to r, s to q, and r, q each to itself
 *     apart LETTERS      the labels of t and z after it differ
 *     end
 *
 * Why it is enough: the classes are an automaton with the same labels (bound.c). Where powers of u
 * and v act on the layer as idempotents e and f, efe = fe there (OL.1), so that after reach and
 * either of these words the layer is in one state. They lead s to t and to z and end in u, which
 * fixes t and z. So the network gives the same labels after both, which is wrong after `apart`; u
 * is not empty, as u empty would make t and z one class.
 *
 *     s VERIFIED layers at least 2 finite label KIND letters K states Q classes C fsa SHA256
 *         exit status 0; K, Q: of the file
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>

enum { S, P, R, T, Q, Z, STATES };

/* Checks that the word leads each class from[i] to to[i]; both are places in `class`. */
static void must_lead_all(const machine *m, text *t, const char *what, const size_t *class,
                          const int *from, const int *to, int count)
{
    const text line = *t;
    const word w = read_word(m, t, what);
    for (int i = 0; i < count; i++) {
        const size_t end = lead(m, class[from[i]], &w);
        if (end != class[to[i]])
            reject(&line, "%s leads from class %zu to class %zu, not to %zu", what,
                   class[from[i]] + 1, end + 1, class[to[i]] + 1);
    }
}

static void judge_band(const machine *m, text *t)
{
    static const int u_from[] = {S, P, R, T, Q, Z}, u_to[] = {P, P, T, T, Z, Z};
    static const int v_from[] = {P, R, S, Q}, v_to[] = {R, R, Q, Q};
    size_t class[STATES];
    for (int i = 0; i < STATES; i++)
        class[i] = number(t, i == 0 ? "band " : " ", 1, m->classes) - 1;
    end_line(t);
    text line = *t;
    const word reach = read_word(m, t, "reach");
    const size_t end = lead(m, m->start, &reach);
    if (end != class[S])
        reject(&line, "reach leads to class %zu, not to %zu", end + 1, class[S] + 1);
    must_lead_all(m, t, "u", class, u_from, u_to, 6);
    must_lead_all(m, t, "v", class, v_from, v_to, 4);
    line = *t;
    const word apart = read_word(m, t, "apart");
    if (!tells_apart(m, class[T], class[Z], &apart))
        reject(&line, "the labels of the fourth and the sixth class do not differ after apart");
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    printf("s VERIFIED layers at least 2 finite");
    print_machine(m);
}

const bound_program bound_self = {.name = "band-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-band 1",
                                  .judge = judge_band};
