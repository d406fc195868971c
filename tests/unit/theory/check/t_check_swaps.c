/* `claim swaps` of lrnn-check-swaps beside f2l_swaps_close: networks of T3, the same networks
 * changed in one place, and certificates changed in one line. */
#include "numeric/base/sha256.h"
#include "tests/support/certify/swaps_support.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/swaps/swaps.h"
/* Included last, because its names are short. */
#include "tests/support/check/check_lines.h"

#define SEED 20261128

typedef struct files {
    f2l_buf fsa, net, cert;
    char fsa_sha256[65], sha256[65];
} files;

/* Writes the automaton and the network, and a certificate with the rows of the closure. */
static void write_files(files *to, fixture *f, f2l_closure *c)
{
    f2l_error err = {0};
    f2l_buf_init(&to->fsa);
    f2l_buf_init(&to->net);
    f2l_buf_init(&to->cert);
    cr_assert_eq(f2l_fsa_write(&to->fsa, &f->fsa, NULL), F2L_OK);
    f2l_sha256_hex(to->fsa.data, to->fsa.size, f->net.fsa_sha256);
    cr_assert_eq(f2l_net_write(&to->net, &f->net, NULL), F2L_OK);
    f2l_sha256_hex(to->net.data, to->net.size, to->sha256);
    memcpy(to->fsa_sha256, f->net.fsa_sha256, sizeof to->fsa_sha256);
    c->swaps = true;
    cr_assert_eq(f2l_cert_write(&to->cert, &f->net, c, to->sha256, &err), F2L_OK, "%s", err.text);
}

static void clear_files(files *f)
{
    f2l_buf_clear(&f->fsa);
    f2l_buf_clear(&f->net);
    f2l_buf_clear(&f->cert);
}

static text text_in(const f2l_buf *buf)
{
    return text_with("file", buf->data, buf->size);
}

static int status_of_files(const files *f, char *printed, size_t size)
{
    const text file[] = {text_in(&f->fsa), text_in(&f->net), text_in(&f->cert)};
    return verdict_of_files(file, printed, size);
}

static void close_it(f2l_closure *c, const fixture *f)
{
    f2l_closure_init(c);
    cr_assert_eq(f2l_swaps_close(c, &f->net, &f->fsa, 0, NULL, NULL), F2L_OK);
}

Test(check_swaps, random_automata)
{
    for (size_t n = 2; n <= 200; n += n < 20 ? 1 : 15) {
        fixture f;
        files to;
        f2l_rng rng;
        f2l_closure c;
        char printed[1000], expected[600];
        f2l_rng_init(&rng, SEED, n);
        swaps_open(&f, n, 1 + n % 3, F2L_LABEL_STATES, n % 2 ? F2L_T3_DOUBLED : F2L_T3_NAIVE, &rng);
        close_it(&c, &f);
        write_files(&to, &f, &c);
        snprintf(expected, sizeof expected,
                 "s VERIFIED swaps label states letters %zu states %zu layers 1 heads 1 "
                 "householders %zu key %zu value 1 rows %zu fsa %s network %s\n",
                 f.fsa.letters.count, f.fsa.states.count, f.report.householders,
                 f.net.layer[0].head[0].n, c.rows, to.fsa_sha256, to.sha256);
        cr_assert_eq(status_of_files(&to, printed, sizeof printed), VERIFIED);
        cr_assert_str_eq(printed, expected);
        f2l_closure_clear(&c);
        clear_files(&to);
        t3_done(&f);
    }
}

/* A table of the changed network where it closes exactly, else of the network before. */
static void table_of(f2l_closure *table, const fixture *f, const f2l_closure *before)
{
    f2l_closure_init(table);
    cr_assert_eq(f2l_closure_exact(table, &f->net, &f->fsa, 0, NULL, NULL), F2L_OK);
    if (table->verdict == F2L_OK) return;
    f2l_closure_clear(table);
    *table = *before; /* borrowed */
}

/* The checker says VERIFIED where f2l_swaps_close does, and nowhere else. */
Test(check_swaps, changed_networks)
{
    const size_t count = getenv("F2L_TEST_SHORT") ? 300 : 1200;
    size_t accepted = 0, refused = 0;
    for (uint64_t i = 0; i < count; i++) {
        fixture f;
        files to;
        f2l_rng rng;
        f2l_closure before, table, now;
        char printed[1000];
        f2l_rng_init(&rng, SEED + 1, i);
        swaps_open(&f, 2 + i % 9, 2, i % 3 ? F2L_LABEL_STATES : F2L_LABEL_ACCEPT,
                   i % 2 ? F2L_T3_DOUBLED : F2L_T3_NAIVE, &rng);
        close_it(&before, &f);
        const char *what = swaps_change(&f.net, &rng);
        if (!what) {
            f2l_closure_clear(&before);
            t3_done(&f);
            continue;
        }
        table_of(&table, &f, &before);
        close_it(&now, &f);
        write_files(&to, &f, &table);
        const int status = status_of_files(&to, printed, sizeof printed);
        cr_assert_eq(status, now.verdict == F2L_OK ? VERIFIED : NOT_VERIFIED, "%s", what);
        accepted += status == VERIFIED;
        refused += status == NOT_VERIFIED;
        if (table.joint != before.joint) f2l_closure_clear(&table);
        f2l_closure_clear(&before);
        f2l_closure_clear(&now);
        clear_files(&to);
        t3_done(&f);
    }
    cr_assert(accepted > count / 40 && refused > count / 12 * 5, "%zu %zu", accepted, refused);
}

Test(check_swaps, changed_lines)
{
    size_t refused = 0;
    for (size_t n = 2; n < 7; n++) {
        fixture f;
        files to;
        f2l_rng rng;
        f2l_closure c;
        f2l_rng_init(&rng, SEED + 2, n);
        swaps_open(&f, n, 2, F2L_LABEL_STATES, F2L_T3_DOUBLED, &rng);
        close_it(&c, &f);
        write_files(&to, &f, &c);
        refused +=
            refuse_changes(text_in(&to.fsa), text_in(&to.net), to.cert.data, "\nsize ", "\nend ");
        f2l_closure_clear(&c);
        clear_files(&to);
        t3_done(&f);
    }
    cr_assert_gt(refused, 300);
}

/* Two states that x exchanges and y leaves; points of two rows, 1 and 3, 2 and 4. */
static const char two_states[] = "fsa 1\nletters x y\nstates p q\nstart p\np x q\np y p\nq x p\n"
                                 "q y q\n";
static const char two_network[] =
    "field Q\nlabel states\nletters 2\nletter x\nletter y\nlabels 2\nsymbol p\nsymbol q\n"
    "start 1\nlayers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode state\n"
    "head 1 key 4 value 1\ninitial 1.1:5 3.1:5\non 1 gate 1 factors 1\n"
    "factor 2 u 1:1/2 2:-1/2 3:1/2 4:-1/2\non 2 gate 1 factors 0\n"
    "code 1 1 1.1:5 3.1:5\ncode 2 2 2.1:5 4.1:5\nend\n";
static const char two_certificate[] =
    "claim swaps\nsize layers 1 heads 1 householders 1 key 4 value 1\nletters 2 states 2 rows 2\n"
    "row 1 state 1 codes 1 next 2 1\nrow 2 state 2 codes 2 next 1 2\nend 2\n";

static int two_with(const char *was, const char *now)
{
    char printed[1000], *changed[3];
    const char *const good[] = {two_states, two_network, two_certificate};
    size_t places = 0;
    for (size_t i = 0; i < 3; i++) {
        const bool here = strstr(good[i], was) != NULL;
        places += here;
        changed[i] = here ? replaced(good[i], was, now) : strdup(good[i]);
    }
    cr_assert_eq(places, 1, "%s", was);
    const int status =
        verdict_of((triple){changed[0], changed[1], changed[2]}, printed, sizeof printed);
    for (size_t i = 0; i < 3; i++) free(changed[i]);
    return status;
}

Test(check_swaps, every_condition)
{
    static const struct {
        int status;
        const char *was, *now;
    } cases[] = {
        {VERIFIED, "1:1/2 2:-1/2 3:1/2 4:-1/2", "1:-7 2:7 3:-7 4:7"},
        {NOT_VERIFIED, "1:1/2 2:-1/2 3:1/2 4:-1/2", "1:1 2:-1 3:1/2 4:-1/2"},
        {NOT_VERIFIED, "1:1/2 2:-1/2 3:1/2 4:-1/2", "1:1/2 2:1/2 3:-1/2 4:-1/2"},
        {NOT_VERIFIED, "1:1/2 2:-1/2 3:1/2 4:-1/2", "1:1/2 2:-1/2 3:1/2"},
        {NOT_VERIFIED, "1:1/2 2:-1/2 3:1/2 4:-1/2", "1:1/2 2:-1/2"},
        {NOT_VERIFIED, "factor 2 u 1", "factor 1 u 1"},
        {NOT_VERIFIED, "4:-1/2\n", "4:-1/2 c 1:1\n"},
        {NOT_VERIFIED, "on 2 gate 1", "on 2 gate 1/2"},
        {NOT_VERIFIED, "on 2 gate 1 factors 0", "on 2 gate 1 factors 0 bias 1.1:1"},
        {NOT_VERIFIED, "on 1 gate 1", "on 1 gate 0"},
        {NOT_VERIFIED, "factors 0\n", "factors 1\nfactor 2 u 1:1 2:-1 3:1 4:-1\n"},
        {NOT_VERIFIED, "head 1 key 4 value 1\n", "head 1 key 4 value 1\nraw\n"},
        {NOT_VERIFIED, "initial 1.1:5 3.1:5", "initial 1.1:5 3.1:4"},
        {NOT_VERIFIED, "initial 1.1:5 3.1:5", "initial 2.1:5 4.1:5"},
        {NOT_VERIFIED, "code 2 2 2.1:5 4.1:5", "code 2 2 2.1:5"},
        {NOT_VERIFIED, "code 2 2 2.1:5 4.1:5", "code 2 2 2.1:5 4.1:4"},
        {NOT_VERIFIED, "code 2 2 2.1:5 4.1:5", "code 2 2 2.1:4 4.1:4"},
        {NOT_VERIFIED, "code 2 2 2.1:5 4.1:5", "code 2 1 2.1:5 4.1:5"},
        {NOT_VERIFIED, "code 2 2 2.1:5 4.1:5", "code 2 - 2.1:5 4.1:5"},
        {NOT_VERIFIED, "code 2 2 2.1:5 4.1:5", "code 2 2 1.1:1 2.1:5 3.1:1 4.1:5"},
        {NOT_VERIFIED, "start 1", "start 2"},
        {NOT_VERIFIED, "p x q", "p x p"},
        {NOT_VERIFIED, "start p", "start q"},
        {NOT_VERIFIED, "row 2 state 2", "row 2 state 1"},
        {NOT_VERIFIED, "codes 2 next 1 2", "codes 1 next 1 2"},
        {NOT_VERIFIED, "codes 2 next 1 2", "codes 2 next 2 2"},
        {NOT_VERIFIED, "codes 2 next 1 2", "codes 2 next 1 1"},
        {NOT_VERIFIED, "householders 1", "householders 2"},
        {NOT_VERIFIED, "rows 2", "rows 1"},
        {NOT_VERIFIED, "claim swaps", "claim cascade"},
        {VERIFIED, "claim swaps", "claim exact"},
        {NOT_VERIFIED, "claim swaps", "claim swap"},
    };
    char printed[1000];
    cr_assert_eq(
        verdict_of((triple){two_states, two_network, two_certificate}, printed, sizeof printed),
        VERIFIED);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(two_with(cases[i].was, cases[i].now), cases[i].status, "`%s` for `%s`",
                     cases[i].now, cases[i].was);
}

/* Two exchanges of points that overlap are the identity: right exactly, but of another form. */
Test(check_swaps, points_that_overlap)
{
    static const char factors[] =
        "factors 2\nfactor 2 u 1:1 2:1 3:-1 4:-1\nfactor 2 u 1:1 2:1 3:-1 4:-1\n";
    char printed[1000], *net = replaced(two_network, "factors 0\n", factors),
                        *swaps = replaced(two_certificate, "householders 1", "householders 2"),
                        *exact = replaced(swaps, "swaps", "exact");
    cr_assert_eq(verdict_of((triple){two_states, net, swaps}, printed, sizeof printed),
                 NOT_VERIFIED);
    cr_assert_eq(verdict_of((triple){two_states, net, exact}, printed, sizeof printed), VERIFIED);
    free(net);
    free(swaps);
    free(exact);
}

/* Fields, forms and boxes are of other claims, even where a program reads them. */
Test(check_swaps, other_heads)
{
    cr_assert_eq(two_with("value 1\ninitial", "value 1\nfield -2 0 1 interval 1 2\ninitial"),
                 NOT_VERIFIED);
    cr_assert_eq(two_with("value 1\ninitial", "value 1\nform 1.1:1 2.2:1 3.3:1 4.4:1\ninitial"),
                 NOT_VERIFIED);
}

Test(check_swaps, budget)
{
    fixture f;
    files to;
    f2l_rng rng;
    f2l_closure c;
    char printed[1000];
    f2l_rng_init(&rng, SEED + 3, 0);
    swaps_open(&f, 60, 2, F2L_LABEL_STATES, F2L_T3_DOUBLED, &rng);
    close_it(&c, &f);
    write_files(&to, &f, &c);
    rest = (budget){SIZE_MAX, SIZE_MAX};
    int status = UNKNOWN;
    for (size_t steps = 100; status == UNKNOWN; steps *= 2) {
        rest = (budget){steps, SIZE_MAX};
        status = status_of_files(&to, printed, sizeof printed);
        cr_assert(status == UNKNOWN || (status == VERIFIED && steps > 1000));
        cr_assert_lt(steps, 1000000);
    }
    f2l_closure_clear(&c);
    clear_files(&to);
    t3_done(&f);
}
