/* certificate.cert of a D1 form, one spelling, indices from 1, every line ended by LF, single
 * spaces:
 *     lrnn-certificate 2
 *     fsa SHA256                                          of the bytes of automaton.fsa
 *     network SHA256                                      of the bytes of network.lrnn
 *     claim d1
 *     size layers L heads H householders F key n value d  f2l_net_measure: L = C + 2
 *     letters K states Q classes N clock C block B elements G
 *                                                         Q: states of automaton.fsa
 *     class c_1 .. c_Q                                    0 for a state that the start does not
 *                                                         reach; all of 1 .. N occur
 *     like q_1 .. q_N                                     a state of each class
 *     count t codes c_1 .. c_m                            t = 0 .. 2B: the codes of the clock's
 *                                                         m heads after token t, layer by layer
 *     words j elements i ..                               j = 0 .. B: V_j of D1.8 (d),
 *                                                         increasing
 *     element i acts q_1 .. q_N                           act(i) on the classes, for every i in
 *                                                         some V_j, increasing
 *     code h means q                                      the pairs of (e), increasing h
 *     step h v to g                                       every step that (e) takes, increasing
 *                                                         (h, v): from code h by value v to g
 *     end N
 *     sha256 HEX                                          of all bytes before this line
 * What a checker must find is in theory/pages/d1.md, D1.8: classes as in Z.6, and the network is
 * a D1 form of the quotient with C clock layers, blocks of B letters, and G elements. What comes
 * after the classes are hints: a checker compares and searches nothing. */
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/forms/impl.h"
#include "theory/certify/local/local.h"

f2l_status f2l_d1_write_classes(f2l_buf *out, const f2l_reach *from, const f2l_reach *to,
                                size_t states, const uint32_t *classes, f2l_error *err)
{
    uint32_t *class = f2l_calloc(states, sizeof *class);
    if (!class) return f2l_fail_memory(err);
    for (size_t q = 0; q < states; q++)
        if (from->position[q] != UINT32_MAX) class[q] = to->position[classes ? classes[q] : q] + 1;
    f2l_status status = f2l_cert_write_classes(out, class, states, to->states, err);
    f2l_free(class);
    return status;
}

static void write_word_levels(f2l_buf *out, const f2l_d1_check *c)
{
    for (size_t j = 0; j <= c->block; j++) {
        f2l_cert_number(out, "words ", j);
        f2l_cert_indices(out, " elements", c->level + c->level_at[j],
                         c->level_at[j + 1] - c->level_at[j]);
        f2l_buf_text(out, "\n");
    }
    for (size_t i = 0; i < c->elements; i++) {
        if (c->act[i * c->states] == F2L_D1_UNSET) continue;
        f2l_cert_number(out, "element ", i + 1);
        f2l_cert_indices(out, " acts", c->act + i * c->states, c->states);
        f2l_buf_text(out, "\n");
    }
}

void f2l_d1_write_clock(f2l_buf *out, const f2l_d1_check *c)
{
    for (size_t t = 0; t <= 2 * c->block; t++) {
        f2l_cert_number(out, "count ", t);
        f2l_cert_indices(out, " codes", c->clock_code + t * c->clock_heads, c->clock_heads);
        f2l_buf_text(out, "\n");
    }
}

void f2l_d1_write_level(f2l_buf *out, const f2l_d1_check *c)
{
    write_word_levels(out, c);
    for (size_t h = 0; h < c->codes; h++)
        if (c->meant[h] != F2L_D1_UNSET)
            f2l_buf_printf(out, "code %zu means %zu\n", h + 1, (size_t)c->meant[h] + 1);
    for (size_t i = 0; i < c->codes * c->factors; i++)
        if (c->edge[i] != F2L_D1_UNSET)
            f2l_buf_printf(out, "step %zu %zu to %zu\n", i / c->factors + 1, i % c->factors + 1,
                           (size_t)c->edge[i] + 1);
}

/* Writes the hints. The verdict keeps no tables, so the network is checked again. */
static f2l_status write_hints(f2l_buf *out, const f2l_net *net, const f2l_fsa *fsa, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    f2l_d1_check c = {.net = net, .fsa = fsa, .letters = fsa->letters.count};
    uint32_t *label;
    f2l_status status = f2l_face_expect(&label, &face, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = f2l_d1_check_exact(&c, err);
    if (status == F2L_OK) {
        f2l_d1_write_clock(out, &c);
        f2l_d1_write_level(out, &c);
    }
    f2l_free(label);
    f2l_d1_check_clear(&c);
    return status;
}

f2l_status f2l_d1_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                          const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                          const char network_sha256[65], f2l_error *err)
{
    const size_t begin = out->size;
    f2l_reach from = {0}, to = {0};
    if (verdict->verdict != F2L_OK)
        return f2l_fail(err, F2L_EDOMAIN, "only a verified network has a certificate");
    f2l_status status = f2l_local_check_classes(original, fsa, classes, net->label, err);
    if (status == F2L_OK) status = f2l_reach_init(&from, original, err);
    if (status == F2L_OK) status = f2l_reach_init(&to, fsa, err);
    if (status == F2L_OK) {
        const f2l_cert_head head = f2l_cert_head_of(net, network_sha256, "d1");
        f2l_cert_write_head(out, &head);
        f2l_buf_printf(out, "letters %zu states %zu classes %zu clock %zu block %zu elements %zu\n",
                       original->letters.count, original->states.count, to.states,
                       verdict->clock_layers, verdict->block, verdict->elements);
        status = f2l_d1_write_classes(out, &from, &to, original->states.count, classes, err);
        if (status == F2L_OK) status = write_hints(out, net, fsa, err);
    }
    if (status == F2L_OK) {
        f2l_buf_printf(out, "end %zu\n", to.states);
        status = f2l_cert_seal(out, begin, err);
    }
    if (status != F2L_OK) out->size = begin;
    f2l_reach_clear(&from);
    f2l_reach_clear(&to);
    return status;
}
