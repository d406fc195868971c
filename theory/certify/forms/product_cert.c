/* certificate.cert of a product, indices from 1, every line ended by LF, single spaces:
 *     lrnn-certificate 2
 *     fsa SHA256                                     of the bytes of automaton.fsa
 *     network SHA256                                 of the bytes of network.lrnn
 *     claim product
 *     size layers L heads H householders N key n value d  N: the most of the parts'
 *     letters K states Q parts M blocks B
 *     part i stages F C letters K_i classes N_i      i = 1 .. M: stages F .. F + C - 1
 *     class c_1 .. c_Q                               of the states; 0 for a state that has none
 *     divide b I.P.H.G.O ..                          b = 2 .. B - 1, for each part: its inputs, pre
 *                                                    gates, heads, post gates and outputs of block
 *                                                    b
 *     claim exact|zeiger|d1                          M times: what proves the part as a network of
 *     ..                                             its own for the automaton of its classes, with
 *                                                    the lines of that claim's own certificate
 *                                                    after its line `size` and before its seal
 *     end M
 *     sha256 HEX                                     of all bytes before this line
 * What a checker must find is in theory/pages/product.md, X.4. */
#include "theory/certify/cert/cert.h"
#include "theory/certify/cert/cert_read.h"
#include "theory/certify/forms/impl.h"
#include "theory/certify/forms/product.h"
#include <string.h>

static void write_parts(f2l_buf *out, const f2l_division *d, const f2l_fsa *fsa)
{
    for (size_t i = 0; i < d->parts; i++) {
        const f2l_division_part *part = &d->part[i];
        f2l_buf_printf(out, "part %zu stages %zu %zu letters %zu classes %zu\nclass", i + 1,
                       part->first + 1, part->stages, part->letters, part->classes);
        for (size_t q = 0; q < fsa->states.count; q++)
            f2l_cert_number(out, " ",
                            part->class_of[q] == UINT32_MAX ? 0 : (size_t)part->class_of[q] + 1);
        f2l_buf_text(out, "\n");
    }
}

static void write_division(f2l_buf *out, const f2l_division *d)
{
    for (size_t b = 1; b + 1 < d->blocks; b++) {
        f2l_cert_number(out, "divide ", b + 1);
        for (size_t i = 0; i < d->parts; i++) {
            const f2l_share *s = &d->share[b * d->parts + i];
            f2l_buf_printf(out, " %zu.%zu.%zu.%zu.%zu", s->inputs, s->pres, s->heads, s->posts,
                           s->outputs);
        }
        f2l_buf_text(out, "\n");
    }
}

/* Appends a whole certificate without its first three lines, its line `size` and its seal. */
static void append_body(f2l_buf *out, const f2l_buf *whole)
{
    const char *at = whole->data, *end = whole->data + whole->size - F2L_CERT_SEAL_SIZE;
    for (int line = 0; line < 3; line++) at = strchr(at, '\n') + 1;
    const char *size = strchr(at, '\n') + 1, *rest = strchr(size, '\n') + 1;
    f2l_buf_bytes(out, at, (size_t)(size - at));
    f2l_buf_bytes(out, rest, (size_t)(end - rest));
}

/* Writes the certificate of the part alone. */
static f2l_status certify_alone(f2l_buf *out, const f2l_part *part, f2l_cert_claim claim,
                                const f2l_form_verdict *verdict, const f2l_closure *rows,
                                const char network_sha256[65], f2l_error *err)
{
    if (claim == F2L_CERT_EXACT) return f2l_cert_write(out, &part->net, rows, network_sha256, err);
    const f2l_form *form = claim == F2L_CERT_D1 ? &f2l_form_d1 : &f2l_form_zeiger;
    return form->certify(out, &part->net, verdict, &part->fsa, &part->fsa, NULL, network_sha256,
                         err);
}

/* Appends the claim of part i; *householders becomes at least the part's figure. */
static f2l_status write_claim(f2l_buf *out, size_t *householders, const f2l_net *net,
                              const f2l_division *d, size_t i, const f2l_fsa *fsa,
                              const char network_sha256[65], const f2l_task *task, f2l_error *err)
{
    const f2l_cert_claim claim = d->part[i].claim;
    f2l_part part = {0};
    f2l_closure rows;
    f2l_form_verdict verdict = {.verdict = F2L_UNKNOWN};
    f2l_net_size size;
    f2l_buf alone;
    f2l_buf_init(&alone);
    f2l_closure_init(&rows);
    f2l_status status = f2l_part_cut(&part, net, d, i, fsa, task, err);
    if (status == F2L_OK)
        status = f2l_part_verify(&verdict, &rows, &part, claim, false, NULL, NULL, task, err);
    if (status == F2L_OK && verdict.verdict != F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN, "part %zu: %.200s", i + 1, verdict.reason);
    if (status == F2L_OK)
        status = certify_alone(&alone, &part, claim, &verdict, &rows, network_sha256, err);
    if (status == F2L_OK) {
        f2l_net_measure(&size, &part.net);
        if (claim == F2L_CERT_ZEIGER)
            size.householders = f2l_zeiger_factors(part.fsa.states.count, 1);
        if (size.householders > *householders) *householders = size.householders;
        append_body(out, &alone);
    }
    f2l_buf_clear(&alone);
    f2l_closure_clear(&rows);
    f2l_part_clear(&part);
    return status;
}

f2l_status f2l_product_certify(f2l_buf *out, const f2l_net *net, const f2l_division *division,
                               const f2l_fsa *fsa, const char network_sha256[65],
                               const f2l_task *task, f2l_error *err)
{
    const size_t begin = out->size;
    f2l_cert_head head = f2l_cert_head_of(net, network_sha256, "product");
    f2l_form_verdict verdict;
    f2l_buf claims;
    /* The parts are verified when their claims are written. */
    f2l_status status =
        f2l_product_verify(&verdict, net, division, fsa, true, NULL, NULL, task, err);
    if (status == F2L_OK && verdict.verdict != F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN, "only a verified network has a certificate: %.180s",
                          verdict.reason);
    f2l_buf_init(&claims);
    head.householders = 0;
    for (size_t i = 0; status == F2L_OK && i < division->parts; i++)
        status = write_claim(&claims, &head.householders, net, division, i, fsa, network_sha256,
                             task, err);
    if (status == F2L_OK) status = f2l_buf_status(&claims, err);
    if (status == F2L_OK) {
        f2l_cert_write_head(out, &head);
        f2l_buf_printf(out, "letters %zu states %zu parts %zu blocks %zu\n", fsa->letters.count,
                       fsa->states.count, division->parts, net->blocks);
        write_parts(out, division, fsa);
        write_division(out, division);
        f2l_buf_bytes(out, claims.data, claims.size);
        f2l_buf_printf(out, "end %zu\n", division->parts);
        status = f2l_cert_seal(out, begin, err);
    }
    f2l_buf_clear(&claims);
    if (status != F2L_OK) out->size = begin;
    return status;
}
