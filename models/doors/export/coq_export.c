/* coq: a file whose theorem is about the bytes of the automaton and of the network. It has these
 * bytes, and the certificate's, as string literals; theory/coq/Export.v does the rest. */
#include "models/doors/export/impl.h"
#include "numeric/base/sha256.h"
#include <string.h>

/* Coq reads a literal by recursion, and its stack ends at some 40,000 bytes. */
#define PIECE 8000

/* Returns the number of bytes of the next literal, which ends where a UTF-8 character does. */
static size_t literal_piece_size(const char *bytes, size_t size)
{
    size_t piece = size < PIECE ? size : PIECE;
    while (piece < size && ((unsigned char)bytes[piece] & 0xc0) == 0x80) piece++;
    return piece;
}

/* Appends the definition of `name` as these bytes. In a literal a quotation mark is written
 * twice. */
static void define_bytes(f2l_buf *out, const char *name, const f2l_buf *bytes)
{
    char hex[65];
    f2l_sha256_hex(bytes->data, bytes->size, hex);
    f2l_buf_printf(out, "(* SHA-256 %s *)\nDefinition %s : bytes := List.concat [\n", hex, name);
    for (size_t at = 0; at < bytes->size;) {
        const size_t end = at + literal_piece_size(bytes->data + at, bytes->size - at);
        f2l_buf_text(out, "b \"");
        for (; at < end; at++)
            f2l_buf_bytes(out, bytes->data[at] == '"' ? "\"\"" : bytes->data + at,
                          bytes->data[at] == '"' ? 2 : 1);
        f2l_buf_text(out, at < bytes->size ? "\";\n" : "\"");
    }
    f2l_buf_text(out, "].\n");
}

/* Refuses heads that theory/coq has no semantics for. */
static f2l_status check_coq_heads(const f2l_net *net, f2l_error *err)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const f2l_head *head = &net->layer[l].head[h];
            if (head->field || head->form.count > 0)
                return f2l_fail(err, F2L_EDOMAIN,
                                "layer %zu, head %zu: the checker in Coq does not know heads over "
                                "a number field or with a form",
                                l + 1, h + 1);
        }
    return F2L_OK;
}

/* Sets *out to the certificate beside the network, or makes one of the network in layers that a
 * wired network has become. `text` is the network's file. */
static f2l_status take_certificate(f2l_buf *out, const f2l_net *net, f2l_net *made,
                                   const f2l_buf *text, const f2l_export_job *job, f2l_error *err)
{
    char sha256[65];
    if (net == made) {
        f2l_sha256_hex(text->data, text->size, sha256);
        return job->certify(out, made, job->fsa, sha256, job->task, err);
    }
    if (!job->certificate.data)
        return f2l_fail(err, F2L_EDOMAIN,
                        "there is no certificate.cert beside the network, which the proof in Coq "
                        "needs; fsa2lrnn writes one where the network is verified");
    f2l_buf_bytes(out, job->certificate.data, job->certificate.size);
    return f2l_buf_status(out, err);
}

static bool bytes_begin_with(const f2l_buf *bytes, size_t at, const char *word)
{
    const size_t size = strlen(word);
    return bytes->size - at >= size && memcmp(bytes->data + at, word, size) == 0;
}

/* Refuses a certificate that is not about these two files, or has a claim that Coq's checker does
 * not know. */
static f2l_status check_certificate(const f2l_buf *cert, const f2l_buf *fsa, const f2l_buf *net,
                                    f2l_error *err)
{
    char fsa_hex[65], net_hex[65];
    f2l_buf head;
    f2l_sha256_hex(fsa->data, fsa->size, fsa_hex);
    f2l_sha256_hex(net->data, net->size, net_hex);
    f2l_buf_init(&head);
    f2l_buf_printf(&head, "lrnn-certificate 2\nfsa %s\nnetwork %s\n", fsa_hex, net_hex);
    f2l_status status = f2l_buf_status(&head, err);
    if (status == F2L_OK && (cert->size < head.size || !bytes_begin_with(cert, 0, head.data)))
        status =
            f2l_fail(err, F2L_EDOMAIN, "the certificate beside the network is about other files");
    else if (status == F2L_OK && !bytes_begin_with(cert, head.size, "claim exact\n") &&
             !bytes_begin_with(cert, head.size, "claim cascade\n"))
        status = f2l_fail(err, F2L_EDOMAIN,
                          "the checker in Coq knows claim exact and claim cascade, and the "
                          "certificate beside the network has another claim");
    f2l_buf_clear(&head);
    return status;
}

static void write_theorem(f2l_buf *out, const f2l_buf *fsa, const f2l_buf *net, const f2l_buf *cert)
{
    f2l_buf_text(out, "(* Written by fsa2lrnn export --to coq. Compile it beside theory/coq of "
                      "fsa2lrnn:\n"
                      "       coqc -Q build/coq Lrnn network.v     after `make proofs` *)\n"
                      "From Coq Require Import List String.\n"
                      "From Lrnn Require Import Ast Print Export.\n"
                      "Import ListNotations.\n\n");
    define_bytes(out, "automaton_fsa", fsa);
    define_bytes(out, "network_lrnn", net);
    define_bytes(out, "certificate_cert", cert);
    f2l_buf_text(out, "\nLemma checked : check_bytes automaton_fsa network_lrnn certificate_cert = "
                      "true.\n"
                      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
                      "(* After every word the network's label is the automaton's; `proved` is in "
                      "Export.v. *)\n"
                      "Theorem correct : proved automaton_fsa network_lrnn.\n"
                      "Proof. exact (check_bytes_sound checked). Qed.\n"
                      "Print Assumptions correct.\n");
}

static void claim_theorem(f2l_exported *out, bool layered)
{
    f2l_exported_claim(out, "theorem", NULL, true,
                       "the file is about the exact network%s over every ordered field, and proves "
                       "nothing before coqc has accepted it",
                       layered ? ", in layers (EB.13)," : "");
}

/* Sets the texts of the three files. */
static f2l_status take_files(f2l_buf *fsa, f2l_buf *text, f2l_buf *cert, const f2l_net *net,
                             f2l_net *made, const f2l_export_job *job, f2l_error *err)
{
    f2l_status status = check_coq_heads(net, err);
    if (status == F2L_OK) status = f2l_net_write(text, net, err);
    if (status == F2L_OK) status = take_certificate(cert, net, made, text, job, err);
    if (status == F2L_OK) status = f2l_fsa_write(fsa, job->fsa, err);
    return status == F2L_OK ? check_certificate(cert, fsa, text, err) : status;
}

static f2l_status write_coq_files(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    f2l_buf fsa, text, cert, theorem;
    f2l_net made;
    const f2l_net *net;
    f2l_buf_init(&fsa);
    f2l_buf_init(&text);
    f2l_buf_init(&cert);
    f2l_buf_init(&theorem);
    f2l_net_init(&made);
    f2l_status status = f2l_export_layers(&net, &made, job, err);
    if (status == F2L_OK) status = take_files(&fsa, &text, &cert, net, &made, job, err);
    if (status == F2L_OK) write_theorem(&theorem, &fsa, &text, &cert);
    if (status == F2L_OK) status = f2l_exported_add(out, "network.v", &theorem, err);
    if (status == F2L_OK) claim_theorem(out, net == &made);
    status = f2l_export_advise(net, job, NULL, status, err);
    f2l_net_clear(&made);
    f2l_buf_clear(&theorem);
    f2l_buf_clear(&cert);
    f2l_buf_clear(&text);
    f2l_buf_clear(&fsa);
    return status;
}

const f2l_export_target f2l_target_coq = {
    .name = "coq",
    .summary = "network.v, a theorem about the bytes of the files for Coq 8.16",
    .usage = "`network.v` has the bytes of automaton.fsa, network.lrnn and certificate.cert as "
             "string literals. Its theorem `correct`\n"
             "says that these bytes spell one automaton and one network, and that after every word "
             "the network's label is\n"
             "the automaton's. It needs Coq 8.16 with MathComp 1.15, and the theory of fsa2lrnn, "
             "which `make proofs` compiles\n"
             "into build/coq there:\n\n"
             "    coqc -Q build/coq Lrnn network.v\n\n"
             "`Print Assumptions` then says that nothing is assumed. docs/coq.md of fsa2lrnn says "
             "how to use the theorem.\n",
    .certificate = true,
    .write = write_coq_files};
