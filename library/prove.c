/* What a network keeps of its verdicts: rows, the certificate and the report. */
#include "library/impl.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include "reports/networks/certify_report.h"
#include "theory/certify/cert/cert_read.h"
#include <stdio.h>
#include <string.h>

/* --- rows --- */

library_row *library_row_new(void)
{
    library_row *row = f2l_calloc(1, sizeof *row);
    if (row) f2l_rounded_init(&row->rounded);
    return row;
}

void library_row_free(library_row *row)
{
    if (!row) return;
    f2l_rounded_clear(&row->rounded);
    f2l_free(row);
}

static bool same_arithmetic(const library_row *a, const library_row *b)
{
    return strcmp(a->numbers.format.name, b->numbers.format.name) == 0 &&
           strcmp(a->numbers.schedule.name, b->numbers.schedule.name) == 0;
}

f2l_status library_keep_row(fsa2lrnn_network *n, library_row *row, f2l_error *err)
{
    size_t at = 0;
    while (at < n->rows && !same_arithmetic(n->row[at], row)) at++;
    if (at == n->rows &&
        !f2l_grow((void **)&n->row, &n->row_room, n->rows, sizeof(library_row *))) {
        library_row_free(row);
        return f2l_fail_memory(err);
    }
    if (at < n->rows)
        library_row_free(n->row[at]);
    else
        n->rows++;
    n->row[at] = row;
    return F2L_OK;
}

/* --- certificates --- */

/* Returns the end of the first `lines` lines. */
static size_t end_of_lines(const f2l_buf *text, size_t lines)
{
    size_t at = 0;
    for (; lines > 0 && at < text->size; at++) lines -= text->data[at] == '\n';
    return at;
}

/* Returns whether the old certificate has every line of the new one but the last, so that a report
 * on it is one on the new one: between the fourth and the fifth it may say in which formats nothing
 * rounds, which the new one leaves out, because nobody has proved it here. */
static bool covers(const f2l_buf *old, const f2l_buf *made)
{
    const size_t head = end_of_lines(made, 4), size = made->size - F2L_CERT_SEAL_SIZE;
    const size_t tail = size - head;
    if (!old->data || old->size < made->size || !f2l_cert_is_sealed(old->data, old->size))
        return false;
    const char *last = old->data + old->size - F2L_CERT_SEAL_SIZE - tail;
    return memcmp(old->data, made->data, head) == 0 && memcmp(last, made->data + head, tail) == 0;
}

f2l_status library_certify_exactly(fsa2lrnn_network *n, bool *changed, f2l_error *err)
{
    char sha256[65];
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_sha256_hex(n->text.data, n->text.size, sha256);
    f2l_status status = f2l_round_certificate(&bytes, &n->exact, &n->judged, sha256, err);
    if (status == F2L_OK) status = f2l_buf_status(&bytes, err);
    *changed = status == F2L_OK && !covers(&n->certificate, &bytes);
    if (status == F2L_OK) {
        f2l_buf_clear(&n->certificate);
        n->certificate = bytes;
    } else {
        f2l_buf_clear(&bytes);
    }
    return status;
}

/* --- the report --- */

/* Copies the word after "claim " in the fourth line of a certificate. */
static void copy_claim(char *out, size_t room, const f2l_buf *certificate)
{
    const size_t begin = end_of_lines(certificate, 3) + strlen("claim ");
    const size_t end = end_of_lines(certificate, 4);
    snprintf(out, room, "%.*s", end > begin ? (int)(end - begin - 1) : 0,
             certificate->data + begin);
}

f2l_status library_report(fsa2lrnn_network *n, f2l_error *err)
{
    char claim[32];
    f2l_hashed_file file[5];
    const f2l_rounded **row = f2l_calloc(n->rows, sizeof(f2l_rounded *));
    if (!row) return f2l_fail_memory(err);
    for (size_t i = 0; i < n->rows; i++) row[i] = &n->row[i]->rounded;
    f2l_certify_report r = {.version = f2l_version(),
                            .commit = f2l_commit(),
                            .fsa = &n->fsa,
                            .fsa_sha256 = n->model.fsa_sha256,
                            .model = &n->judged,
                            .judges = n->judges,
                            .exact = &n->exact,
                            .rows = n->rows,
                            .row = row,
                            .renamed = n->renamed,
                            .file = file};
    r.files = library_files(file, n);
    if (n->certificate.size > 0) {
        copy_claim(claim, sizeof claim, &n->certificate);
        r.claim = claim;
    }
    if (n->claim_format[0]) {
        r.claim_format = n->claim_format;
        r.claim_schedule = n->claim_schedule;
    }
    f2l_buf_clear(&n->report);
    f2l_status status = f2l_report_as_json(&n->report, &f2l_certify_report_kind, &r, err);
    f2l_free(row);
    return status == F2L_OK ? f2l_buf_status(&n->report, err) : status;
}

/* Returns whether the network names the canonical text of its automaton, as certificates need it.
 */
static f2l_status is_canonical(bool *out, const fsa2lrnn_network *n, f2l_error *err)
{
    char sha256[65];
    const f2l_status status = f2l_fsa_sha256(&n->fsa, sha256, err);
    *out = status == F2L_OK && strcmp(sha256, n->model.fsa_sha256) == 0;
    return status;
}

/* Writes the certificate of an exact verdict VERIFIED, where there can be one. */
static f2l_status prove_network_exactly(fsa2lrnn_network *n, bool *changed, f2l_error *err)
{
    f2l_error why = {0};
    bool canonical;
    f2l_status status = is_canonical(&canonical, n, err);
    if (status != F2L_OK || !canonical) return status;
    status = library_certify_exactly(n, changed, &why);
    if (status == F2L_OK || status == F2L_EDOMAIN) return F2L_OK;
    *err = why;
    return status;
}

f2l_status library_prove(fsa2lrnn_network *n, f2l_error *err)
{
    bool changed = false;
    const bool given = n->compiled && n->certificate.size > 0;
    if (n->exact.closure.verdict == F2L_OK && !given && !n->proved) {
        const f2l_status status = prove_network_exactly(n, &changed, err);
        if (status != F2L_OK) return status;
        n->proved = true;
    }
    if (n->compiled || (n->report.size > 0 && !n->reports && !changed)) return F2L_OK;
    n->reports = true;
    return library_report(n, err);
}
