/* lrnn-check-wired: certificates of claim zeiger that the compiler writes, changed in one line; and
 * claim exact of a wired network written by hand, with letters that act alike and outputs of
 * transitions. */
#include "numeric/base/sha256.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/forms/form.h"
#include "theory/construct/zeiger/zeiger.h"
/* Included last, because its names are short. */
#include "tests/support/check/check_lines.h"

typedef struct files {
    f2l_buf fsa, net, cert;
    char fsa_sha256[65], sha256[65];
} files;

/* Writes the rule form of the quotient of `original` by the classes. */
static void write_files(files *f, f2l_fsa *original, f2l_fsa *quotient, const uint32_t *classes,
                        f2l_label kind)
{
    f2l_net net;
    f2l_form_verdict verdict;
    f2l_error err = {0};
    f2l_net_init(&net);
    f2l_buf_init(&f->fsa);
    f2l_buf_init(&f->net);
    f2l_buf_init(&f->cert);
    cr_assert_eq(f2l_fsa_write(&f->fsa, original, NULL), F2L_OK);
    cr_assert_eq(f2l_zeiger_build(&net, quotient, kind, NULL, &err), F2L_OK, "%s", err.text);
    f2l_sha256_hex(f->fsa.data, f->fsa.size, net.fsa_sha256);
    strcpy(f->fsa_sha256, net.fsa_sha256);
    cr_assert_eq(f2l_form_zeiger.verify(&verdict, &net, quotient, NULL, NULL, NULL, &err), F2L_OK);
    cr_assert_eq(f2l_wired_write(&f->net, &net, NULL), F2L_OK);
    f2l_sha256_hex(f->net.data, f->net.size, f->sha256);
    cr_assert_eq(f2l_form_zeiger.certify(&f->cert, &net, &verdict, quotient, original, classes,
                                         f->sha256, &err),
                 F2L_OK, "%s", err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(quotient);
    if (original != quotient) f2l_fsa_clear(original);
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

/* Makes an automaton with two letters whose start is the only accepting state. */
static void table(f2l_fsa *fsa, size_t states, const uint32_t *next, size_t start)
{
    table_init(fsa, states, 2);
    memcpy(fsa->next, next, 2 * states * sizeof *next);
    fsa->start = start;
    fsa->has_accept = true;
    fsa->accept[start] = 1;
}

/* Writes the files of two classes of four states, one of which is unreachable. */
static void two_classes(files *f)
{
    static const uint32_t classes[] = {1, UINT32_MAX, 0, 1}, four[] = {3, 2, 1, 2, 0, 2, 0, 2},
                          two[] = {1, 0, 1, 0};
    f2l_fsa original, quotient;
    table(&original, 4, four, 2);
    table(&quotient, 2, two, 0);
    write_files(f, &original, &quotient, classes, F2L_LABEL_ACCEPT);
}

/* Returns the exit status with `now` instead of the first `was` in the certificate. */
static int status_with(const files *f, const char *was, const char *now)
{
    char printed[1000], hex[65], *cert = replaced(f->cert.data, was, now);
    char *seal = strstr(cert, "sha256 ");
    sha256_hex(hex, cert, (size_t)(seal - cert));
    memcpy(seal + strlen("sha256 "), hex, 64);
    const int status = verdict_of_files((text[]){text_in(&f->fsa), text_in(&f->net), text_of(cert)},
                                        printed, sizeof printed);
    free(cert);
    return status;
}

Test(check_wired, verdict_of_a_rule_form)
{
    files f;
    char printed[1000], expected[600];
    two_classes(&f);
    snprintf(
        expected, sizeof expected,
        "s VERIFIED zeiger label accept letters 2 states 4 layers 1 heads 1 householders 8 key 8 "
        "value 1 classes 2 with wired fsa %s network %s\n",
        f.fsa_sha256, f.sha256);
    const text file[] = {text_in(&f.fsa), text_in(&f.net), text_in(&f.cert)};
    cr_assert_eq(verdict_of_files(file, printed, sizeof printed), VERIFIED);
    cr_assert_str_eq(printed, expected);
    clear_files(&f);
}

/* `like` may name any state of a class; other claims of the same classes and sizes are wrong. */
Test(check_wired, classes_and_sizes)
{
    static const struct {
        int status;
        const char *was, *now;
    } cases[] = {
        {VERIFIED, "like 3 1", "like 3 4"},
        {NOT_VERIFIED, "like 3 1", "like 3 2"},
        {NOT_VERIFIED, "class 2 0 1 2", "class 2 1 1 2"},
        {NOT_VERIFIED, "class 2 0 1 2", "class 1 0 2 1"},
        {NOT_VERIFIED, "class 2 0 1 2", "class 2 0 0 2"},
        {NOT_VERIFIED, "class 2 0 1 2", "class 0 0 1 2"},
        {NOT_VERIFIED, "householders 8", "householders 10"}, /* the sum over the slots is 8 */
        {NOT_VERIFIED, "householders 8", "householders 7"},
        {NOT_VERIFIED, "classes 2", "classes 3"},
        {NOT_VERIFIED, "claim zeiger", "claim exact"},
        {NOT_VERIFIED, "claim zeiger", "claim cascade"},
        {NOT_VERIFIED, "claim zeiger", "claim d1"},
        {NOT_VERIFIED, "lrnn-certificate 2", "lrnn-certificate 1"},
        {VERIFIED, "class 2 0 1 2", "class 2 2 1 2"}, /* a class for an unreachable state */
    };
    files f;
    two_classes(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(status_with(&f, cases[i].was, cases[i].now), cases[i].status, "`%s` for `%s`",
                     cases[i].now, cases[i].was);
    clear_files(&f);
}

Test(check_wired, changed_lines_of_rule_forms)
{
    files f;
    size_t refused = 0;
    two_classes(&f);
    refused +=
        refuse_changes(text_in(&f.fsa), text_in(&f.net), f.cert.data, "\nletters ", "\nend ");
    clear_files(&f);
    for (uint64_t i = 0; i < 3; i++) {
        f2l_fsa fsa;
        f2l_rng rng;
        f2l_rng_init(&rng, 20261122, i);
        table_random(&fsa, 4, 3, &rng);
        write_files(&f, &fsa, &fsa, NULL, F2L_LABEL_STATES);
        refused +=
            refuse_changes(text_in(&f.fsa), text_in(&f.net), f.cert.data, "\nletters ", "\nend ");
        clear_files(&f);
    }
    cr_expect(refused > 300, "%zu refused", refused);
}

/* Returns the exit status with the changed network, which it frees, and the hashes of both. */
static int status_of_network(const files *f, char *changed)
{
    char printed[1000], hex[2][65], *cert = malloc(f->cert.size + 1);
    cr_assert(cert);
    strcpy(cert, f->cert.data);
    sha256_hex(hex[0], changed, strlen(changed));
    memcpy(strstr(cert, "network ") + strlen("network "), hex[0], 64);
    char *seal = strstr(cert, "\nsha256 ") + 1;
    sha256_hex(hex[1], cert, (size_t)(seal - cert));
    memcpy(seal + strlen("sha256 "), hex[1], 64);
    const text file[] = {text_in(&f->fsa), text_of(changed), text_of(cert)};
    const int status = verdict_of_files(file, printed, sizeof printed);
    free(cert);
    free(changed);
    return status;
}

/* A slot that acts as the form requires, but with more than 4N factors, is refused. */
Test(check_wired, factors_of_a_rule_form)
{
    files f;
    two_classes(&f);
    const char *at = strstr(f.net.data, "factors 1\n"), *factor_line = after_line(at),
               *rest_of = after_line(factor_line);
    char *more = malloc(f.net.size + 300);
    cr_assert(more);
    sprintf(more, "%.*sfactors 3\n%.*s%.*s%s", (int)(at - f.net.data), f.net.data,
            (int)(rest_of - factor_line), factor_line, (int)(rest_of - factor_line), factor_line,
            factor_line);
    cr_assert_eq(status_of_network(&f, more), NOT_VERIFIED);
    clear_files(&f);
}

/* The label of a class is none of the network's: its number must not be taken for the last one. */
Test(check_wired, labels_of_a_rule_form)
{
    static const char *const symbol[] = {"1", "2", "3", "4"};
    f2l_fsa fsa;
    f2l_rng rng;
    files f;
    f2l_rng_init(&rng, 20261126, 0);
    table_random(&fsa, 4, 2, &rng);
    write_files(&f, &fsa, &fsa, NULL, F2L_LABEL_STATES);
    cr_assert_eq(status_of_network(&f, replaced(f.net.data, "labels 4", "labels 4")), VERIFIED);
    for (size_t i = 0; i < 4; i++) {
        char was[32], now[32];
        snprintf(was, sizeof was, "\nsymbol %s\n", symbol[i]);
        snprintf(now, sizeof now, "\nsymbol %sx\n", symbol[i]);
        cr_assert_not_null(strstr(f.net.data, was), "%s", f.net.data);
        cr_expect_eq(status_of_network(&f, replaced(f.net.data, was, now)), NOT_VERIFIED, "%s",
                     now);
    }
    clear_files(&f);
}

/* Parity: x changes the state, y does nothing, z acts as x. A transition gives `carry` where it
 * goes from b to a. */
static const char parity_bytes[] = "fsa 1\n"
                                   "letters x y z\n"
                                   "states a b\n"
                                   "start a\n"
                                   "a x b no\n"
                                   "a y a no\n"
                                   "a z b no\n"
                                   "b x a carry\n"
                                   "b y b no\n"
                                   "b z a carry\n";
/* Stage 1 keeps the state, stage 2 only looks up the label of letter and state. */
static const char parity_network[] = "label edges\n"
                                     "letters 3\n"
                                     "letter x\n"
                                     "letter y\n"
                                     "letter z\n"
                                     "letter-classes 2 1 2 1\n"
                                     "labels 2\n"
                                     "symbol no\n"
                                     "symbol carry\n"
                                     "start -\n"
                                     "tables 1\n"
                                     "table 1 inputs 2 2 values 2 entries 2 1 1 1\n"
                                     "blocks 2\n"
                                     "block 1 inputs 2\n"
                                     "pre 0\n"
                                     "heads 1\n"
                                     "head 1 key 1 value 1 slots 1\n"
                                     "slot 1 wire 1\n"
                                     "on 1 gate 1 factors 1\n"
                                     "factor 2 u 1:1\n"
                                     "on 2 gate 1 factors 0\n"
                                     "readouts 1\n"
                                     "readout 1 head 1 rows 1 1 codes 2\n"
                                     "code 1 1.1:1\n"
                                     "code 2 1.1:-1\n"
                                     "post 0\n"
                                     "outputs 1 2\n"
                                     "block 2 inputs 2 2\n"
                                     "pre 1\n"
                                     "gate 1 1 2\n"
                                     "heads 0\n"
                                     "readouts 0\n"
                                     "post 0\n"
                                     "outputs 3\n"
                                     "stages 2\n"
                                     "stage 1 block 1\n"
                                     "initial 1.1:1\n"
                                     "stage 2 block 2\n"
                                     "end\n";
static const char parity_rows[] =
    "claim exact\nsize layers 1 heads 1 householders 1 key 1 value 1\nletters 2 states 2 rows 2\n"
    "row 1 state 1 codes 1 next 2 1\nrow 2 state 2 codes 2 next 1 2\nend 2\n";

Test(check_wired, outputs_of_transitions)
{
    static const struct {
        int file; /* 0: automaton, 1: network, 2: certificate */
        const char *was, *now;
    } wrong[] = {
        {0, "b x a carry", "b x a no"},
        {0, "b z a carry", "b z a no"},
        {0, "a y a no", "a y a carry"},
        {0, "a z b no", "a z a no"},
        {1, "entries 2 1 1 1", "entries 1 1 1 1"},
        {1, "entries 2 1 1 1", "entries 2 1 2 1"},
        {1, "letter-classes 2 1 2 1", "letter-classes 2 1 2 2"},
        {1, "letter-classes 2 1 2 1\n", ""},
        {1, "start -", "start 1"},
        {1, "label edges", "label states"},
        {1, "initial 1.1:1", "initial 1.1:-1"},
        {1, "factor 2 u", "factor 1 u"},
        {1, "outputs 1 2", "outputs 1 1"},
        {1, "gate 1 1 2", "gate 1 1 1"},
        {2, "letters 2", "letters 3"},
        {2, "next 1 2", "next 1 1"},
        {2, "codes 2", "codes 1"},
        {2, "codes 2", "codes 3"},
        {2, "householders 1", "householders 2"},
    };
    static const char *const good[] = {parity_bytes, parity_network, parity_rows};
    static const char verdict[] =
        "s VERIFIED exact label edges letters 3 states 2 layers 1 heads 1 householders 1 "
        "key 1 value 1 rows 2 with wired letter-classes fsa ";
    char printed[1000];
    cr_assert_eq(verdict_of((triple){good[0], good[1], good[2]}, printed, sizeof printed),
                 VERIFIED);
    cr_assert(strncmp(printed, verdict, strlen(verdict)) == 0, "%s", printed);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *file[] = {good[0], good[1], good[2]};
        char *changed = replaced(file[wrong[i].file], wrong[i].was, wrong[i].now);
        file[wrong[i].file] = changed;
        cr_expect_eq(verdict_of((triple){file[0], file[1], file[2]}, printed, sizeof printed),
                     NOT_VERIFIED, "`%s` for `%s`", wrong[i].now, wrong[i].was);
        free(changed);
    }
}

/* The rule form for outputs of transitions, of a machine with two states that no output tells
 * apart; each change of an output, of a gate that gives it, or of the claim is refused. */
Test(check_wired, rule_form_of_outputs)
{
    static const struct {
        int file; /* 0: automaton, 1: network, 2: certificate */
        const char *was, *now;
    } wrong[] = {{0, "b 1 c y", "b 1 c x"},
                 {0, "c 1 d x", "c 1 d y"},
                 {0, "d 2 a y", "d 2 a x"},
                 {0, "d 1 c x", "d 1 a x"},
                 {1, "symbol x", "symbol z"},
                 {1, "start -", "start 1"},
                 {1, "label edges", "label states"},
                 {2, "claim zeiger", "claim d1"},
                 {2, "claim zeiger", "claim blocks"},
                 {2, "claim zeiger", "claim points"},
                 {2, "class 1 2 3 3", "class 1 2 3 2"},
                 {2, "from 3 2.1 3.1", "from 3 2.1"}};
    static const uint32_t classes[] = {0, 1, 2, 2};
    f2l_fsa original, quotient;
    files f;
    char printed[1000];
    fsa_from_text(&original, "start a\na 1 b x\na 2 a x\nb 1 c y\nb 2 a y\nc 1 d x\nc 2 a y\n"
                             "d 1 c x\nd 2 a y\n");
    fsa_from_text(&quotient, "start a\na 1 b x\na 2 a x\nb 1 c y\nb 2 a y\nc 1 c x\nc 2 a y\n");
    write_files(&f, &original, &quotient, classes, F2L_LABEL_EDGES);
    const char *lrnn = after_line(after_line(f.net.data));
    char *cert = strdup(after_line(after_line(after_line(f.cert.data))));
    *strstr(cert, "sha256 ") = '\0';
    cr_assert_eq(verdict_of((triple){f.fsa.data, lrnn, cert}, printed, sizeof printed), VERIFIED);
    cr_assert(strncmp(printed, "s VERIFIED zeiger label edges letters 2 states 4 ", 49) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *file[] = {f.fsa.data, lrnn, cert};
        char *changed = replaced(file[wrong[i].file], wrong[i].was, wrong[i].now);
        file[wrong[i].file] = changed;
        cr_expect_eq(verdict_of((triple){file[0], file[1], file[2]}, printed, sizeof printed),
                     NOT_VERIFIED, "`%s` for `%s`", wrong[i].now, wrong[i].was);
        free(changed);
    }
    free(cert);
    clear_files(&f);
}

/* A form reads labels of states or outputs of transitions, as its network says: the rule form of an
 * automaton that never accepts is refused for one with outputs of transitions, one of which is
 * another. */
Test(check_wired, forms_have_one_kind_of_labels)
{
    static const uint32_t next[] = {1, 0, 2, 1, 0, 2};
    static const char edges[] = "fsa 1\n"
                                "letters 1 2\n"
                                "states 1 2 3\n"
                                "start 1\n"
                                "1 1 2 reject\n"
                                "1 2 1 reject\n"
                                "2 1 3 reject\n"
                                "2 2 2 reject\n"
                                "3 1 1 reject\n"
                                "3 2 3 other\n";
    f2l_fsa fsa;
    files f;
    char printed[1000];
    table(&fsa, 3, next, 0);
    fsa.accept[0] = 0;
    write_files(&f, &fsa, &fsa, NULL, F2L_LABEL_ACCEPT);
    char *lrnn = replaced(after_line(after_line(f.net.data)), "label accept", "label edges");
    char *started = replaced(lrnn, "start 1", "start -");
    char *cert = strdup(after_line(after_line(after_line(f.cert.data))));
    *strstr(cert, "sha256 ") = '\0';
    cr_assert_eq(
        verdict_of((triple){f.fsa.data, after_line(after_line(f.net.data)), cert}, printed, 1000),
        VERIFIED);
    cr_assert_eq(verdict_of((triple){edges, started, cert}, printed, 1000), NOT_VERIFIED);
    free(cert);
    free(started);
    free(lrnn);
    clear_files(&f);
}
