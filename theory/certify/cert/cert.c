/* certificate.cert, one spelling per table, indices from 1, every line ended by LF, single
 * spaces:
 *     lrnn-certificate 2
 *     fsa SHA256                                          of the bytes of automaton.fsa
 *     network SHA256                                      of the bytes of network.lrnn
 *     claim exact                                         or swaps, where f2l_closure.swaps is set
 *     size layers L heads H householders N key n value d  maxima (f2l_net_measure)
 *     letters K states Q rows R                           Q: states of automaton.fsa
 *     row i state q codes c_1 .. c_L next r_1 .. r_K      i = 1..R in order; row 1 is the start;
 *                                                         a code for every layer, of a wired
 *                                                         network for every readout of all
 *                                                         stages
 *     end R
 *     sha256 HEX                                          of all bytes before this line
 * The footer and its count make a truncated file no certificate; the hash makes a damaged one
 * none. */
#include "theory/certify/cert/cert.h"
#include "numeric/base/sha256.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/cert/float_cert.h"

f2l_cert_head f2l_cert_head_of(const f2l_net *net, const char *network_sha256, const char *claim)
{
    f2l_net_size size;
    f2l_net_measure(&size, net);
    return (f2l_cert_head){.fsa_sha256 = net->fsa_sha256,
                           .network_sha256 = network_sha256,
                           .claim = claim,
                           .layers = size.layers,
                           .heads = size.heads,
                           .householders = size.householders,
                           .key_dim = size.key_dim,
                           .value_dim = size.value_dim};
}

void f2l_cert_write_head(f2l_buf *out, const f2l_cert_head *head)
{
    f2l_buf_printf(out, "lrnn-certificate 2\nfsa %s\nnetwork %s\nclaim %s\n", head->fsa_sha256,
                   head->network_sha256, head->claim);
    if (head->format) {
        f2l_float_cert_format(out, head->format);
        f2l_buf_text(out, "\n");
        f2l_float_cert_schedule(out, head->schedule);
        f2l_buf_text(out, "\n");
    }
    f2l_buf_printf(out, "size layers %zu heads %zu householders %zu key %zu value %zu\n",
                   head->layers, head->heads, head->householders, head->key_dim, head->value_dim);
}

void f2l_cert_number(f2l_buf *out, const char *text, size_t number)
{
    f2l_buf_text(out, text);
    f2l_buf_size(out, number);
}

void f2l_cert_indices(f2l_buf *out, const char *text, const uint32_t *index, size_t count)
{
    f2l_buf_text(out, text);
    for (size_t i = 0; i < count; i++) f2l_cert_number(out, " ", (size_t)index[i] + 1);
}

void f2l_cert_binaries(f2l_buf *out, const char *text, const double *x, size_t count)
{
    f2l_buf_text(out, text);
    for (size_t i = 0; i < count; i++) {
        f2l_buf_bytes(out, " ", 1);
        f2l_buf_binary(out, x[i]);
    }
}

f2l_status f2l_cert_seal(f2l_buf *out, size_t begin, f2l_error *err)
{
    f2l_status status = f2l_buf_status(out, err);
    if (status != F2L_OK) return status;
    char hex[65];
    f2l_sha256_hex(out->data + begin, out->size - begin, hex);
    f2l_buf_printf(out, "sha256 %s\n", hex);
    return f2l_buf_status(out, err);
}

static void write_rows(f2l_buf *out, const f2l_closure *closure)
{
    for (size_t r = 0; r < closure->rows; r++) {
        f2l_cert_number(out, "row ", r + 1);
        f2l_cert_indices(out, " state", closure->state + r, 1);
        f2l_cert_indices(out, " codes", closure->joint + r * closure->layers, closure->layers);
        f2l_cert_indices(out, " next", closure->next + r * closure->letters, closure->letters);
        f2l_buf_bytes(out, "\n", 1);
    }
}

f2l_status f2l_cert_write(f2l_buf *out, const f2l_net *net, const f2l_closure *closure,
                          const char network_sha256[65], f2l_error *err)
{
    const char *claim = closure->swaps ? "swaps" : "exact";
    const f2l_cert_head head = f2l_cert_head_of(net, network_sha256, claim);
    if (closure->verdict != F2L_OK || !closure->next)
        return f2l_fail(err, F2L_EDOMAIN, "only a verified exact closure has a certificate");
    const size_t begin = out->size;
    f2l_cert_write_head(out, &head);
    f2l_buf_printf(out, "letters %zu states %zu rows %zu\n", closure->letters, closure->states,
                   closure->rows);
    write_rows(out, closure);
    f2l_buf_printf(out, "end %zu\n", closure->rows);
    return f2l_cert_seal(out, begin, err);
}
