/* The grammars are in theory/certify/cert/cert.c, theory/certify/cert/cascade_cert.c,
 * theory/certify/forms/wired_cert.c, theory/certify/forms/d1_cert.c and
 * theory/certify/forms/product_cert.c. */
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "theory/certify/cert/impl.h"
#include <string.h>

static const char first_line[] = "lrnn-certificate 2\n";

/* The fewest bytes of a row. */
enum { ROW_BYTES = sizeof "row 1 state 1 codes 1 next 1\n" - 1 };

void f2l_cert_init(f2l_cert *cert)
{
    *cert = (f2l_cert){.claim = F2L_CERT_EXACT};
    f2l_cascade_init(&cert->cascade);
}

void f2l_cert_clear(f2l_cert *cert)
{
    f2l_cert_clear_children(cert);
    f2l_free(cert->layers);
    f2l_free(cert->classes);
    f2l_division_clear(&cert->division);
    f2l_cascade_clear(&cert->cascade);
    f2l_cert_init(cert);
}

bool f2l_cert_is_sealed(const char *bytes, size_t size)
{
    const size_t first = sizeof first_line - 1;
    if (size < first + F2L_CERT_SEAL_SIZE || memcmp(bytes, first_line, first) != 0) return false;
    char hex[65];
    f2l_sha256_hex(bytes, size - F2L_CERT_SEAL_SIZE, hex);
    const char *seal = bytes + size - F2L_CERT_SEAL_SIZE;
    return seal[-1] == '\n' && memcmp(seal, "sha256 ", 7) == 0 && memcmp(seal + 7, hex, 64) == 0 &&
           seal[F2L_CERT_SEAL_SIZE - 1] == '\n';
}

/* --- lines --- */

/* Reads the rest of the line, whatever it is. */
bool f2l_cert_skip_line(f2l_scan *s)
{
    const char *end = s->at < s->size ? memchr(s->bytes + s->at, '\n', s->size - s->at) : NULL;
    s->at = end ? (size_t)(end - s->bytes) : s->size;
    return f2l_scan_want(s, "\n");
}

bool f2l_cert_skip_lines(f2l_cert_reader *r, size_t count, const char *beginning)
{
    for (size_t i = 0; i < count; i++)
        if (!f2l_scan_want(&r->s, beginning) || !f2l_cert_skip_line(&r->s)) return false;
    return true;
}

/* --- head --- */

static bool read_file_hash(f2l_scan *s, const char *text, const char *expected, const char *what)
{
    if (!f2l_scan_want(s, text)) return false;
    if (!f2l_scan_next_is(s, expected))
        return f2l_scan_fail(s, s->at, "it is a certificate of another %s", what);
    s->at += strlen(expected);
    return f2l_scan_want(s, "\n");
}

static bool read_claim_name(f2l_cert_reader *r)
{
    static const char *const claim[] = {
        [F2L_CERT_EXACT] = "exact\n",   [F2L_CERT_CASCADE] = "cascade\n",
        [F2L_CERT_ZEIGER] = "zeiger\n", [F2L_CERT_D1] = "d1\n",
        [F2L_CERT_BLOCKS] = "blocks\n", [F2L_CERT_PRODUCT] = "product\n",
        [F2L_CERT_SWAPS] = "swaps\n",   [F2L_CERT_POINTS] = "points\n"};
    if (!f2l_scan_want(&r->s, "claim ")) return false;
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++)
        if (f2l_scan_next_is(&r->s, claim[i])) {
            r->out->claim = (f2l_cert_claim)i;
            return f2l_scan_want(&r->s, claim[i]);
        }
    return f2l_scan_fail(&r->s, r->s.at,
                         "it claims nothing of the exact network: expected exact, cascade, zeiger, "
                         "d1, blocks, points, product or swaps");
}

/* Skips what the certificate has on number formats. */
static bool skip_blocks(f2l_scan *s)
{
    while (f2l_scan_next_is(s, "unrounded ") || f2l_scan_next_is(s, "set layer ") ||
           f2l_scan_next_is(s, "vector ") || f2l_scan_next_is(s, "bound layer "))
        if (!f2l_cert_skip_line(s)) return false;
    return true;
}

/* Reads down to the numbers of letters and states. */
static bool read_cert_head(f2l_cert_reader *r)
{
    f2l_scan *s = &r->s;
    size_t value;
    const size_t letters = r->fsa->letters.count, states = r->fsa->states.count;
    return f2l_scan_version(s, "lrnn-certificate") &&
           read_file_hash(s, "fsa ", r->files->fsa_sha256, "automaton") &&
           read_file_hash(s, "network ", r->files->network_sha256, "network") &&
           read_claim_name(r) && skip_blocks(s) && f2l_scan_want(s, "size ") &&
           f2l_cert_skip_line(s) &&
           f2l_cert_value(s, "letters ", &value, "the number of letters", letters, letters) &&
           f2l_cert_value(s, " states ", &value, "the number of states", states, states);
}

/* Reads the line `end` with its count, and the seal. */
bool f2l_cert_read_end(f2l_cert_reader *r, size_t count)
{
    f2l_scan *s = &r->s;
    size_t value;
    if (!f2l_cert_value(s, "end ", &value, "the count", count, count) || !f2l_scan_want(s, "\n"))
        return false;
    if (s->size - s->at == F2L_CERT_SEAL_SIZE && f2l_cert_is_sealed(s->bytes, s->size)) return true;
    return f2l_scan_fail(s, s->at,
                         "the seal does not fit the lines before it: the file is "
                         "damaged");
}

/* --- claims exact and swaps --- */

static bool read_exact(f2l_cert_reader *r)
{
    return f2l_scan_want(&r->s, " rows ") &&
           f2l_scan_count(&r->s, &r->out->rows, "the number of rows", 1, ROW_BYTES) &&
           f2l_scan_want(&r->s, "\n") && f2l_cert_skip_lines(r, r->out->rows, "row ") &&
           f2l_cert_read_end(r, r->out->rows);
}

/* --- claims zeiger, d1 and blocks --- */

/* Skips the hints for the form's walk: the verification here computes them itself. */
static bool skip_hints(f2l_scan *s)
{
    static const char *const hint[] = {"like ", "from ", "count ", "words ",  "element ",
                                       "code ", "step ", "level ", "letter ", "pair "};
    const size_t hints = sizeof hint / sizeof *hint;
    for (size_t i = 0; i < hints; i++)
        if (f2l_scan_next_is(s, hint[i])) {
            if (!f2l_cert_skip_line(s)) return false;
            i = SIZE_MAX; /* from the first one again */
        }
    return true;
}

static bool read_state_classes(f2l_cert_reader *r)
{
    f2l_scan *s = &r->s;
    const size_t states = r->fsa->states.count;
    r->out->classes = f2l_calloc(states, sizeof *r->out->classes);
    if (!r->out->classes) return f2l_cert_no_memory(s);
    if (!f2l_scan_want(s, "class")) return false;
    for (size_t q = 0; q < states; q++) {
        size_t class;
        if (!f2l_cert_value(s, " ", &class, "the class", 0, r->out->class_count)) return false;
        r->out->classes[q] = class ? (uint32_t)(class - 1) : UINT32_MAX;
    }
    return f2l_scan_want(s, "\n") && skip_hints(s) && f2l_cert_read_end(r, r->out->class_count);
}

static bool read_form_numbers(f2l_cert_reader *r)
{
    f2l_scan *s = &r->s;
    size_t value;
    const bool form =
        f2l_cert_value(s, " classes ", &r->out->class_count, "the number of classes", 1,
                       r->fsa->states.count) &&
        (r->out->claim == F2L_CERT_ZEIGER ||
         (f2l_cert_value(s, " clock ", &value, "the number of clock layers", 0, SIZE_MAX) &&
          f2l_cert_value(s, " block ", &value, "the block", 1, SIZE_MAX) &&
          (r->out->claim == F2L_CERT_D1
               ? f2l_cert_value(s, " elements ", &value, "the number of elements", 1, SIZE_MAX)
               : f2l_cert_value(s, " levels ", &value, "the number of levels", 1, SIZE_MAX))));
    return form && f2l_scan_want(s, "\n") && read_state_classes(r);
}

/* --- claim points --- */

/* Skips the hints, which the verification here computes itself. */
static bool skip_points(f2l_cert_reader *r)
{
    static const char *const hint[] = {"orbits ", "count ", "step "};
    f2l_scan *s = &r->s;
    size_t value;
    if (!f2l_scan_want(s, " rows ") ||
        !f2l_scan_count(s, &r->out->rows, "the number of rows", 1, ROW_BYTES) ||
        !f2l_cert_value(s, " clock ", &value, "the number of clock layers", 0, SIZE_MAX) ||
        !f2l_cert_value(s, " block ", &value, "the block", 1, SIZE_MAX) ||
        !f2l_cert_value(s, " points ", &value, "the number of points", 1, SIZE_MAX) ||
        !f2l_cert_value(s, " marks ", &value, "the number of marks", 1, SIZE_MAX) ||
        !f2l_scan_want(s, "\n"))
        return false;
    for (size_t i = 0; i < sizeof hint / sizeof *hint; i++)
        while (f2l_scan_next_is(s, hint[i]))
            if (!f2l_cert_skip_line(s)) return false;
    return f2l_cert_skip_lines(r, r->out->rows, "row ") && f2l_cert_read_end(r, r->out->rows);
}

static bool read_claim_lines(f2l_cert_reader *r)
{
    if (!read_cert_head(r)) return false;
    if (r->out->claim == F2L_CERT_POINTS) return skip_points(r);
    if (r->out->claim == F2L_CERT_EXACT || r->out->claim == F2L_CERT_SWAPS) return read_exact(r);
    if (r->out->claim == F2L_CERT_PRODUCT) return f2l_cert_reader_product(r);
    return r->out->claim == F2L_CERT_CASCADE ? f2l_cert_reader_cascade(r) : read_form_numbers(r);
}

f2l_status f2l_cert_read(f2l_cert *out, const char *bytes, size_t size, const f2l_fsa *fsa,
                         const f2l_cert_files *files, const f2l_task *task, f2l_error *err)
{
    f2l_cert_reader r = {.out = out, .fsa = fsa, .files = files, .task = task};
    f2l_cert_clear(out);
    f2l_scan_init(&r.s, bytes, size, err);
    const f2l_status status = read_claim_lines(&r) ? F2L_OK : r.s.status;
    f2l_scan_clear(&r.s);
    f2l_free(r.members);
    if (status != F2L_OK) f2l_cert_clear(out);
    return status;
}

f2l_status f2l_cert_check_claim(const f2l_cert *cert, const f2l_net *net, f2l_error *err)
{
    const bool wired = f2l_net_is_wired(net);
    const bool of_layers = cert->claim == F2L_CERT_CASCADE || cert->claim == F2L_CERT_SWAPS;
    if (cert->claim == F2L_CERT_EXACT || wired != of_layers) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "its claim is none of a network that is %s",
                    wired ? "wired" : "not wired");
}
