/* certificate.cert of a Zeiger form, one spelling, indices from 1, every line ended by LF,
 * single spaces:
 *     lrnn-certificate 2
 *     fsa SHA256                                          of the bytes of automaton.fsa
 *     network SHA256                                      of the bytes of network.lrnn
 *     claim zeiger
 *     size layers L heads 1 householders H key n value 1  L = N-1, H = 4 N (Z.7: no step takes
 *                                                         more), n = 4 N
 *     letters K states Q classes N                        Q: states of automaton.fsa
 *     class c_1 .. c_Q                                    0 for a state that has none; all of 1
 *                                                         .. N occur
 *     like q_1 .. q_N                                     a state of each class
 *     from y x_1.a_1 x_2.a_2 ..                           y = 1 .. N: all classes x that some
 *                                                         letter leads to class y, increasing,
 *                                                         each with the first letter that does;
 *                                                         perhaps none
 *     end N
 *     sha256 HEX                                          of all bytes before this line
 * What a checker must find (theory/pages/zeiger.md, Z.6): the start has a class; a state with a
 * class leads only to such, and to which class depends on its own and the letter; labels are
 * constant on classes; the network is the form of the quotient. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"
#include "theory/certify/local/local.h"
#include <string.h>

f2l_status f2l_cert_write_classes(f2l_buf *out, const uint32_t *class, size_t states,
                                  size_t classes, f2l_error *err)
{
    size_t used = 0, *like = f2l_calloc(classes, sizeof *like);
    if (!like) return f2l_fail_memory(err);
    f2l_buf_text(out, "class");
    for (size_t q = 0; q < states; q++) {
        f2l_cert_number(out, " ", class[q]);
        if (class[q] == 0 || like[class[q] - 1] > 0) continue;
        like[class[q] - 1] = q + 1;
        used++;
    }
    f2l_buf_text(out, "\nlike");
    for (size_t x = 0; x < classes; x++) f2l_cert_number(out, " ", like[x]);
    f2l_buf_text(out, "\n");
    f2l_free(like);
    return used == classes
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "only %zu of %zu classes have a state", used, classes);
}

/* Edges by their target, one for every pair of states: the edges to y are edge[at[y]] .. edge[at[y
 * + 1] - 1], each stored as the number of its first state times the number of letters, plus the
 * letter. */
typedef struct sources {
    size_t *at; /* [n + 2] */
    size_t *edge;
    size_t *met; /* [n] 1 + the last state with an edge to this state */
} sources;

/* Calls `visit` for every edge that is the first from its state to its target, by state and then
 * letter. */
static void each_first_edge(sources *s, const f2l_fsa *fsa, bool count)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    memset(s->met, 0, n * sizeof *s->met);
    for (size_t i = 0; i < n * k; i++) {
        const size_t y = fsa->next[i];
        if (s->met[y] == i / k + 1) continue;
        s->met[y] = i / k + 1;
        if (count)
            s->at[y + 2]++;
        else
            s->edge[s->at[y + 1]++] = i;
    }
}

static f2l_status write_from(f2l_buf *out, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    sources s = {f2l_calloc(n + 2, sizeof *s.at), f2l_calloc(n, k * sizeof *s.edge),
                 f2l_calloc(n, sizeof *s.met)};
    const bool room = s.at && s.edge && s.met;
    if (room) {
        each_first_edge(&s, fsa, true);
        for (size_t y = 0; y < n; y++) s.at[y + 2] += s.at[y + 1];
        each_first_edge(&s, fsa, false);
    }
    for (size_t y = 0; room && y < n; y++) {
        f2l_cert_number(out, "from ", y + 1);
        for (size_t i = s.at[y]; i < s.at[y + 1]; i++)
            f2l_buf_printf(out, " %zu.%zu", s.edge[i] / k + 1, s.edge[i] % k + 1);
        f2l_buf_text(out, "\n");
    }
    f2l_free(s.at);
    f2l_free(s.edge);
    f2l_free(s.met);
    return room ? F2L_OK : f2l_fail_memory(err);
}

size_t f2l_zeiger_factors(size_t n, size_t level)
{
    return 4 * n - level + 1;
}

/* Writes the classes, numbered as the states of the quotient. */
static f2l_status write_classes(f2l_buf *out, size_t n, size_t states, const uint32_t *classes,
                                f2l_error *err)
{
    uint32_t *class = f2l_calloc(states, sizeof *class);
    if (!class) return f2l_fail_memory(err);
    for (size_t q = 0; q < states; q++) {
        const size_t at = classes ? classes[q] : q;
        class[q] = at < n ? (uint32_t)at + 1 : 0;
    }
    f2l_status status = f2l_cert_write_classes(out, class, states, n, err);
    f2l_free(class);
    return status;
}

f2l_status f2l_zeiger_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err)
{
    const size_t n = fsa->states.count, states = original->states.count, begin = out->size;
    if (verdict->verdict != F2L_OK)
        return f2l_fail(err, F2L_EDOMAIN, "only a verified network has a certificate");
    f2l_status status = f2l_local_check_classes(original, fsa, classes, net->label, err);
    if (status != F2L_OK) return status;
    f2l_cert_head head = f2l_cert_head_of(net, network_sha256, "zeiger");
    head.householders = f2l_zeiger_factors(n, 1);
    f2l_cert_write_head(out, &head);
    f2l_buf_printf(out, "letters %zu states %zu classes %zu\n", original->letters.count, states, n);
    status = write_classes(out, n, states, classes, err);
    if (status == F2L_OK) status = write_from(out, fsa, err);
    if (status != F2L_OK) {
        out->size = begin;
        return status;
    }
    f2l_buf_printf(out, "end %zu\n", n);
    return f2l_cert_seal(out, begin, err);
}
