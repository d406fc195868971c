/* Number formats in certificates: binary numbers, format and schedule lines, claim float, and
 * blocks `unrounded`. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/theory/unrounded_support.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/cert/float_cert.h"
#include "theory/construct/t3/t3.h"
#include <math.h>

#define SEED 20261124

static void binary(double x, const char *text)
{
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_buf_binary(&out, x);
    cr_assert_str_eq(out.data, text);
    f2l_buf_clear(&out);
}

Test(float_cert, binary_numbers)
{
    binary(0, "0");
    binary(-0.0, "0");
    binary(1, "1");
    binary(-7, "-7");
    binary(6, "3p1");
    binary(-207.0 / 64, "-207p-6");
    binary(0x1.fep127, "255p120");
    binary(0x1p-1074, "1p-1074");
    binary(-0x1.fffffffffffffp1023, "-9007199254740991p971");
    binary(9007199254740991, "9007199254740991");
}

/* Binary numbers are an odd integer times a power of two when they are read back. */
Test(float_cert, binary_numbers_again)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 0);
    for (size_t i = 0; i < 20000; i++) {
        const uint64_t bits = f2l_rng_u64(&rng);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x) || x == 0) continue;
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_buf_binary(&out, x);
        char *end;
        const long long m = strtoll(out.data, &end, 10);
        const long e = *end == 'p' ? strtol(end + 1, &end, 10) : 0;
        cr_assert(*end == '\0' && m % 2 != 0 && (strchr(out.data, 'p') != NULL) == (e != 0), "%s",
                  out.data);
        cr_assert_eq(ldexp((double)m, (int)e), x, "%s", out.data);
        f2l_buf_clear(&out);
    }
}

static void line(const f2l_format *format, const f2l_schedule *schedule, const char *text)
{
    f2l_buf out;
    f2l_buf_init(&out);
    if (format != NULL) f2l_float_cert_format(&out, format);
    if (schedule != NULL) f2l_float_cert_schedule(&out, schedule);
    cr_assert_str_eq(out.data, text);
    f2l_buf_clear(&out);
}

Test(float_cert, lines)
{
    f2l_format format = named_format("bf16");
    line(&format, NULL,
         "format precision 8 emin -126 emax 127 largest 255p120 subnormals yes overflow infinity "
         "round nearest");
    format = named_format("e4m3");
    line(&format, NULL,
         "format precision 4 emin -6 emax 8 largest 7p6 subnormals yes overflow nan round nearest");
    format.overflow = F2L_OVERFLOW_SATURATE;
    format.subnormals = false;
    format.rounding = F2L_ROUND_TOWARD_ZERO;
    line(&format, NULL,
         "format precision 4 emin -6 emax 8 largest 7p6 subnormals no overflow saturate round "
         "zero");
    static const char *const names[] = {"every", "fma", "acc32", "recurrent", "cast", "chunk64"};
    for (size_t i = 0; i < 6; i++) {
        char text[32];
        const f2l_schedule schedule = named_schedule(names[i]);
        snprintf(text, sizeof text, "schedule %s", names[i]);
        line(NULL, &schedule, text);
    }
    f2l_schedule schedule = named_schedule("recurrent");
    schedule.name = "recurrent,eps=0.25,raw=16";
    schedule.eps = 0.25;
    schedule.raw = 16;
    line(NULL, &schedule, "schedule recurrent eps 1p-2 raw 1p4");
    schedule.eps = 0;
    line(NULL, &schedule, "schedule recurrent eps 0 raw 1p4");
}

#define FSA \
    "fsa 1\nletters 0 1\nstates even odd\nstart even\neven 0 even\neven 1 odd\nodd 0 odd\n" \
    "odd 1 even\n"
#define NET_SHA "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static void parity(f2l_net *net)
{
    f2l_error err = {0};
    f2l_net_init(net);
    cr_assert_eq(f2l_net_read(net, SAMPLE_PARITY, strlen(SAMPLE_PARITY), &err), F2L_OK, "%s",
                 err.text);
}

/* Checks that the seal is the hash of the text before it. */
static void sealed(const f2l_buf *cert)
{
    char hex[65];
    cr_assert_gt(cert->size, 72);
    f2l_sha256_hex(cert->data, cert->size - 72, hex);
    cr_assert_eq(strncmp(cert->data + cert->size - 72, "sha256 ", 7), 0);
    cr_assert_eq(memcmp(cert->data + cert->size - 65, hex, 64), 0);
    cr_assert_eq(cert->data[cert->size - 1], '\n');
}

static void small_closure(f2l_closure *c)
{
    static uint32_t state[] = {0, 1}, next[] = {0, 1, 1, 0};
    static double numbers[] = {1, -0.75};
    f2l_closure_init(c);
    c->verdict = F2L_OK;
    c->rows = c->states = c->letters = 2;
    c->layers = 1;
    c->size = 1;
    c->state = state;
    c->next = next;
    c->numbers = numbers;
}

Test(float_cert, certificate)
{
    f2l_net net;
    f2l_closure c;
    f2l_buf out;
    f2l_error err = {0};
    parity(&net);
    small_closure(&c);
    f2l_buf_init(&out);
    const f2l_format format = named_format("fp16");
    const f2l_schedule schedule = named_schedule("fma");
    cr_assert_eq(f2l_float_cert_write(&out, &net, &c, &format, &schedule, NET_SHA, &err), F2L_OK,
                 "%s", err.text);
    static const char expected[] =
        "lrnn-certificate 2\nfsa " SAMPLE_SHA "\nnetwork " NET_SHA "\n"
        "claim float\n"
        "format precision 11 emin -14 emax 15 largest 2047p5 subnormals yes overflow infinity "
        "round nearest\n"
        "schedule fma\n"
        "size layers 1 heads 1 householders 1 key 1 value 1\n"
        "letters 2 states 2 numbers 1 rows 2\n"
        "row 1 state 1 numbers 1 next 1 2\n"
        "row 2 state 2 numbers -3p-2 next 2 1\n"
        "end 2\n"
        "sha256 ";
    cr_assert_eq(strncmp(out.data, expected, sizeof expected - 1), 0, "%s", out.data);
    cr_assert_eq(out.size, sizeof expected - 1 + 65);
    sealed(&out);
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
}

/* Returns the rows of the certificate of a closure whose joint states have `size` numbers each, or
 * NULL where there is none. */
static char *rows_of(const char *row, double *numbers, size_t size, f2l_error *err)
{
    static char text[2000];
    f2l_net net;
    f2l_closure c;
    f2l_buf out;
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    const f2l_format format = named_format("bf16");
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row, err), F2L_OK, "%s", err->text);
    parity(&net);
    small_closure(&c);
    c.numbers = numbers;
    c.size = size;
    f2l_buf_init(&out);
    const f2l_status status =
        f2l_float_cert_write(&out, &net, &c, &format, &schedule, NET_SHA, err);
    cr_assert(status == F2L_OK || (status == F2L_EDOMAIN && out.size == 0));
    if (status == F2L_OK) {
        sealed(&out);
        snprintf(text, sizeof text, "%s", strstr(out.data, "\nletters "));
        *strstr(text, "end 2") = '\0';
    }
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
    return status == F2L_OK ? text : NULL;
}

#define KEPT "\nletters 2 states 2 numbers 1 rows 2\n"

/* A layer's numbers are those of its state, then what is kept beside them, then the letters since
 * the store. */
Test(float_cert, what_is_kept_beside_a_state)
{
    f2l_error err;
    double beside[] = {1, 0.5, -1, 0.25}, counted[] = {1, 2, -1, 0};
    double all[] = {1, 0, 0, -1, 0.25, 6};
    double zeros[] = {1, 0, 3, -1, 0, 0};
    cr_assert_str_eq(rows_of("serving,state=int8,scale=pow2,residual=feedback", beside, 2, &err),
                     KEPT "row 1 state 1 numbers 1 beside 1p-1 next 1 2\n"
                          "row 2 state 2 numbers -1 beside 1p-2 next 2 1\n");
    cr_assert_str_eq(rows_of("every,state=e4m3,letters=3", counted, 2, &err),
                     KEPT "row 1 state 1 numbers 1 since 2 next 1 2\n"
                          "row 2 state 2 numbers -1 since 0 next 2 1\n");
    cr_assert_str_eq(rows_of("recurrent,letters=7,ring=format,read=unstored", all, 3, &err),
                     KEPT "row 1 state 1 numbers 1 beside 0 since 0 next 1 2\n"
                          "row 2 state 2 numbers -1 beside 1p-2 since 6 next 2 1\n");
    /* of residual=load the residuals are 0 after a store, and are not written */
    cr_assert_str_eq(rows_of("serving,state=e4m3,letters=4,residual=load:fp16", zeros, 3, &err),
                     KEPT "row 1 state 1 numbers 1 since 3 next 1 2\n"
                          "row 2 state 2 numbers -1 since 0 next 2 1\n");
    beside[3] = INFINITY;
    cr_assert_null(rows_of("serving,state=e2m1,residual=feedback:fp16", beside, 2, &err));
    cr_assert(strstr(err.text, "a number that is not finite"), "%s", err.text);
}

Test(float_cert, refused)
{
    f2l_net net, other;
    f2l_closure c;
    f2l_buf out;
    f2l_error err = {0};
    parity(&net);
    f2l_net_init(&other);
    cr_assert_eq(f2l_net_read(&other, SAMPLE_FIELD, strlen(SAMPLE_FIELD), &err), F2L_OK, "%s",
                 err.text);
    f2l_buf_init(&out);
    f2l_format format = named_format("fp16");
    f2l_schedule schedule = named_schedule("every");
    small_closure(&c);
    c.verdict = F2L_UNKNOWN;
    cr_assert_eq(f2l_float_cert_write(&out, &net, &c, &format, &schedule, NET_SHA, NULL),
                 F2L_EDOMAIN);
    small_closure(&c);
    c.numbers = NULL;
    cr_assert_eq(f2l_float_cert_write(&out, &net, &c, &format, &schedule, NET_SHA, NULL),
                 F2L_EDOMAIN);
    small_closure(&c);
    cr_assert_eq(f2l_float_cert_write(&out, &other, &c, &format, &schedule, NET_SHA, NULL),
                 F2L_EDOMAIN);
    schedule = named_schedule("chunk64");
    cr_assert_eq(f2l_float_cert_write(&out, &net, &c, &format, &schedule, NET_SHA, NULL),
                 F2L_EDOMAIN);
    schedule = named_schedule("every");
    format.rounding = F2L_ROUND_STOCHASTIC;
    cr_assert_eq(f2l_float_cert_write(&out, &net, &c, &format, &schedule, NET_SHA, NULL),
                 F2L_EDOMAIN);
    cr_assert_eq(out.size, 0);
    f2l_net_clear(&net);
    f2l_net_clear(&other);
}

/* --- blocks in exact certificates --- */

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net model;
    f2l_buf cert; /* claim exact */
} fixture;

static void open_exact(fixture *f)
{
    f2l_error err = {0};
    f2l_closure c;
    f2l_net_init(&f->model);
    f2l_buf_init(&f->cert);
    f2l_closure_init(&c);
    fsa_from_text(&f->fsa, FSA);
    parity(&f->model);
    cr_assert_eq(f2l_closure_exact(&c, &f->model, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_cert_write(&f->cert, &f->model, &c, NET_SHA, &err), F2L_OK, "%s", err.text);
    f2l_closure_clear(&c);
}

static void close_exact(fixture *f)
{
    f2l_buf_clear(&f->cert);
    f2l_net_clear(&f->model);
    f2l_fsa_clear(&f->fsa);
}

static void add(f2l_buf *cert, const f2l_net *model, const char *format_name,
                const char *schedule_name)
{
    f2l_error err = {0};
    f2l_unrounded u;
    f2l_buf out;
    const f2l_format format = named_format(format_name);
    const f2l_schedule schedule = named_schedule(schedule_name);
    f2l_unrounded_init(&u);
    f2l_buf_init(&out);
    find_unrounded(&u, model, &format, &schedule);
    cr_assert_eq(u.verdict, F2L_OK, "%s", u.reason);
    cr_assert_eq(f2l_unrounded_write(&out, cert->data, cert->size, &u, &format, &schedule, &err),
                 F2L_OK, "%s", err.text);
    f2l_unrounded_clear(&u);
    f2l_buf_clear(cert);
    *cert = out;
}

#define HEAD "lrnn-certificate 2\nfsa " SAMPLE_SHA "\nnetwork " NET_SHA "\nclaim exact\n"
#define EVERY \
    "unrounded format precision 8 emin -126 emax 127 largest 255p120 subnormals yes overflow " \
    "infinity " \
    "round nearest schedule every\n"
#define CHUNK \
    "unrounded format precision 4 emin -6 emax 8 largest 7p6 subnormals yes overflow nan round " \
    "nearest " \
    "schedule chunk64\nset layer 1 head 1 vectors 7\nvector column 1 1:1\nvector column 1 1:-1\n" \
    "vector column 1\nvector image 1:1\nvector image 1:-1\nvector back 1:2\nvector back 1:-2\n" \
    "bound layer 1 head 1 key places 0 most 1\nbound layer 1 head 1 beta places -1 most 2\n" \
    "bound layer 1 head 1 value places 0 most 0\nbound layer 1 head 1 gram places 0 most 1\n" \
    "bound layer 1 head 1 scaled places -1 most 2\nbound layer 1 head 1 inverse places 0 most 2\n" \
    "bound layer 1 head 1 inverse-sums places -1 most 6144\n" \
    "bound layer 1 head 1 beta-key places -1 most 2\n" \
    "bound layer 1 head 1 beta-value places 0 most 0\n" \
    "bound layer 1 head 1 w places -1 most 2\nbound layer 1 head 1 w-sums places -1 most 256\n" \
    "bound layer 1 head 1 u-sums places 0 most 0\nbound layer 1 head 1 new places -1 most 2\n" \
    "bound layer 1 head 1 new-sums places -1 most 4\nbound layer 1 head 1 state places 0 most 1\n" \
    "bound layer 1 head 1 state-sums places 0 most 129\n" \
    "bound layer 1 head 1 output-sums places 0 most " \
    "129\n"
#define REST \
    "size layers 1 heads 1 householders 1 key 1 value 1\nletters 2 states 2 rows 2\n" \
    "row 1 state 1 codes 1 next 1 2\nrow 2 state 2 codes 2 next 2 1\nend 2\nsha256 "

static void is_text(const f2l_buf *cert, const char *text)
{
    cr_assert_eq(strncmp(cert->data, text, strlen(text)), 0, "%s", cert->data);
    cr_assert_eq(cert->size, strlen(text) + 65);
    sealed(cert);
}

/* Every number of the block of chunk64 was worked out by hand. */
Test(float_cert, unrounded_blocks)
{
    fixture f;
    open_exact(&f);
    is_text(&f.cert, HEAD REST);
    add(&f.cert, &f.model, "bf16", "every");
    is_text(&f.cert, HEAD EVERY REST);
    add(&f.cert, &f.model, "e4m3", "chunk64");
    is_text(&f.cert, HEAD EVERY CHUNK REST);
    add(&f.cert, &f.model, "bf16", "every"); /* already there */
    is_text(&f.cert, HEAD EVERY CHUNK REST);
    close_exact(&f);
}

static f2l_status write_status(const char *bytes, size_t size, f2l_status verdict)
{
    f2l_unrounded u;
    f2l_buf out;
    const f2l_format format = named_format("bf16");
    const f2l_schedule schedule = named_schedule("every");
    f2l_unrounded_init(&u);
    f2l_buf_init(&out);
    u.verdict = verdict;
    const f2l_status status = f2l_unrounded_write(&out, bytes, size, &u, &format, &schedule, NULL);
    if (status != F2L_OK) cr_assert_eq(out.size, 0);
    f2l_buf_clear(&out);
    return status;
}

static void reseal(f2l_buf *cert)
{
    char hex[65];
    f2l_sha256_hex(cert->data, cert->size - 72, hex);
    memcpy(cert->data + cert->size - 65, hex, 64);
}

static void expect_version_2(const f2l_buf *cert)
{
    f2l_unrounded u;
    f2l_buf out;
    f2l_error err;
    const f2l_format format = named_format("bf16");
    const f2l_schedule schedule = named_schedule("every");
    f2l_unrounded_init(&u);
    f2l_buf_init(&out);
    u.verdict = F2L_OK;
    cr_assert_eq(f2l_unrounded_write(&out, cert->data, cert->size, &u, &format, &schedule, &err),
                 F2L_EFORMAT);
    cr_assert_str_eq(
        err.text,
        "format version 1 is no longer read: this program reads lrnn-certificate 2 (compile "
        "again)");
}

/* A schedule with rounded operands is none that lrnn-check-unrounded knows. */
Test(float_cert, unknown_schedule_is_refused)
{
    fixture f;
    f2l_unrounded u;
    f2l_buf out;
    f2l_error err;
    const f2l_format format = named_format("bf16");
    f2l_schedule schedule = named_schedule("every");
    char name[F2L_SCHEDULE_NAME];
    open_exact(&f);
    f2l_unrounded_init(&u);
    f2l_buf_init(&out);
    u.verdict = F2L_OK;
    cr_assert_eq(f2l_schedule_parse(&schedule, name, "acc32,operands=int8", &err), F2L_OK);
    cr_assert_eq(f2l_unrounded_write(&out, f.cert.data, f.cert.size, &u, &format, &schedule, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "the checkers do not know the schedule acc32,operands=int8"), "%s",
              err.text);
    close_exact(&f);
}

Test(float_cert, version_1_is_refused)
{
    fixture f;
    open_exact(&f);
    f.cert.data[sizeof "lrnn-certificate " - 1] = '1';
    reseal(&f.cert);
    expect_version_2(&f.cert);
    close_exact(&f);
}

Test(float_cert, unrounded_refused)
{
    fixture f;
    open_exact(&f);
    cr_assert_eq(write_status(f.cert.data, f.cert.size, F2L_OK), F2L_OK);
    cr_assert_eq(write_status(f.cert.data, f.cert.size, F2L_UNKNOWN), F2L_EDOMAIN);
    for (size_t i = 0; i < f.cert.size; i++) { /* one byte changed, or the end missing */
        f.cert.data[i] ^= 1;
        cr_assert_eq(write_status(f.cert.data, f.cert.size, F2L_OK), F2L_EFORMAT, "%zu", i);
        f.cert.data[i] ^= 1;
        cr_assert_eq(write_status(f.cert.data, i, F2L_OK), F2L_EFORMAT, "%zu", i);
    }
    char *claim = strstr(f.cert.data, "claim exact");
    memcpy(claim, "claim float", 11); /* a float claim says nothing about the exact network */
    reseal(&f.cert);
    cr_assert_eq(write_status(f.cert.data, f.cert.size, F2L_OK), F2L_EFORMAT);
    close_exact(&f);
}

#ifdef F2L_MEM_FAILURES
Test(float_cert, memory)
{
    fixture f;
    open_exact(&f);
    const f2l_format format = named_format("e4m3");
    const f2l_schedule schedule = named_schedule("chunk64");
    f2l_unrounded u;
    f2l_unrounded_init(&u);
    find_unrounded(&u, &f.model, &format, &schedule);
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    for (; status == F2L_ENOMEM; n++) {
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_mem_fail_after(n, false);
        status = f2l_unrounded_write(&out, f.cert.data, f.cert.size, &u, &format, &schedule, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || status == F2L_OK);
        f2l_buf_clear(&out);
    }
    cr_assert_gt(n, 3);
    f2l_unrounded_clear(&u);
    close_exact(&f);
}
#endif
