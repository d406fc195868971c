/* certificate.cert of a D1 form, one spelling, indices from 1, every line ended by LF, single spaces:
 *     lrnn-certificate 2
 *     fsa SHA256                            of the bytes of automaton.fsa
 *     network SHA256                        of the bytes of network.lrnn
 *     claim d1
 *     size layers L heads H householders F key n value d        f2l_wired_measure: L = C + 2
 *     letters K states Q classes N clock C block B elements G   Q: states of automaton.fsa
 *     class c_1 .. c_Q                      0 for a state that the start does not reach; all of 1 .. N occur
 *     end N
 *     sha256 HEX                            of all bytes before this line
 * What a checker must find is in theory/d1.md, D1.8: classes as in Z.6, and the network is a D1 form of the quotient
 * with C clock layers, blocks of B letters, and G elements. */
#include "f2l_d1_cert.h"
#include "f2l_cert_impl.h"
#include "f2l_gset.h"
#include "f2l_local.h"

/* The class of every state that the start of `original` reaches: which state of `fsa` it is among those reached. */
static void write_classes(f2l_buf *out, const f2l_reach *from, const f2l_reach *to, const f2l_fsa *original,
                          const uint32_t *classes)
{
    f2l_buf_text(out, "class");
    for (size_t q = 0; q < original->states.count; q++) {
        const bool reached = from->position[q] != UINT32_MAX;
        f2l_buf_bytes(out, " ", 1);
        f2l_buf_size(out, reached ? (size_t)to->position[classes ? classes[q] : q] + 1 : 0);
    }
    f2l_buf_bytes(out, "\n", 1);
}

static void write_head(f2l_buf *out, const f2l_wired *net, const char *network_sha256)
{
    f2l_wired_size size;
    f2l_wired_measure(&size, net);
    const f2l_cert_head head = {net->fsa_sha256, network_sha256,    "d1",         size.layers,
                                size.heads,      size.householders, size.key_dim, size.value_dim};
    f2l_cert_write_head(out, &head);
}

f2l_status f2l_d1_cert_write(f2l_buf *out, const f2l_wired *net, const f2l_d1_verdict *verdict,
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
        write_head(out, net, network_sha256);
        f2l_buf_printf(out, "letters %zu states %zu classes %zu clock %zu block %zu elements %zu\n",
                       original->letters.count, original->states.count, to.states, verdict->clock_layers,
                       verdict->block, verdict->elements);
        write_classes(out, &from, &to, original, classes);
        f2l_buf_printf(out, "end %zu\n", to.states);
        status = f2l_cert_seal(out, begin, err);
    }
    f2l_reach_clear(&from);
    f2l_reach_clear(&to);
    return status;
}
