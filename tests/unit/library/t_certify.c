/* Networks that somebody else wrote, through the interface: certificates and reports. */
#include "include/fsa2lrnn.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char parity[] = "start even\naccept odd\n"
                             "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";

/* Parity as one sign, with the letters in the other order, for no automaton. */
static const char sign[] =
    "lrnn 2\nfsa 0000000000000000000000000000000000000000000000000000000000000000\nfield Q\n"
    "label states\nletters 2\nletter 1\nletter 0\nlabels 2\nsymbol even\nsymbol odd\nstart 1\n"
    "layers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode state\nhead 1 key 1 value 1\n"
    "initial 1.1:1\non 1 gate 1 factors 1\nfactor 2 u 1:1\non 2 gate 1 factors 0\n"
    "code 1 1 1.1:1\ncode 2 2 1.1:-1\nend\n";

static fsa2lrnn_automaton *automaton_of(const char *text)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *a = NULL;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), NULL, NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    return a;
}

static fsa2lrnn_network *network_of(const char *text)
{
    fsa2lrnn_error err;
    fsa2lrnn_network *n = NULL;
    cr_assert(fsa2lrnn_network_read(&n, text, strlen(text), &err) == FSA2LRNN_OK, "%s", err.text);
    return n;
}

static bool says(const char *text, const char *what)
{
    return strstr(text, what) != NULL;
}

Test(certify, proves_a_network_and_leaves_the_given_one)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *given = network_of(sign), *proved = NULL;
    cr_assert(fsa2lrnn_certify(&proved, &v, given, a, NULL, NULL, &err) == FSA2LRNN_OK, "%s",
              err.text);
    fsa2lrnn_automaton_free(a);
    cr_assert(v.verdict == FSA2LRNN_OK && v.word == NULL);
    cr_assert_str_eq(v.text, "closure of 2 joint states");
    cr_assert_str_eq(fsa2lrnn_network_text(given), sign);
    fsa2lrnn_network_free(given);
    cr_assert(says(fsa2lrnn_network_certificate(proved), "\nclaim exact\n"));
    cr_assert(says(fsa2lrnn_network_automaton(proved), "\nletters 1 0\n"));
    cr_assert(says(fsa2lrnn_network_report(proved), "\"renamed\": true"));
    cr_assert(says(fsa2lrnn_network_report(proved), "\"claim\": \"exact\""));
    /* A later verdict is added to the report, and one of the same arithmetic takes its place. */
    for (int i = 0; i < 2; i++) {
        cr_assert(fsa2lrnn_verify(&v, proved, "bf16", NULL, NULL, &err) == FSA2LRNN_OK &&
                  v.verdict == FSA2LRNN_OK);
        const char *first = strstr(fsa2lrnn_network_report(proved), "\"format\": \"bf16\"");
        cr_assert(first && !says(first + 1, "\"format\": \"bf16\""));
    }
    cr_assert(says(fsa2lrnn_network_certificate(proved), "\nclaim exact\n"));
    fsa2lrnn_network_free(proved);
}

Test(certify, says_why_there_is_no_certificate)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    char text[sizeof sign];
    memcpy(text, sign, sizeof sign);
    *(strstr(text, "start 1") + 6) = '2'; /* wrong for the empty word */
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *given = network_of(text), *proved = NULL;
    cr_assert(fsa2lrnn_certify(&proved, &v, given, a, NULL, NULL, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_REFUTED && v.length == 0 && v.word != NULL);
    cr_assert(says(v.text, "expected even, got odd; no certificate: "), "%s", v.text);
    cr_assert_str_eq(fsa2lrnn_network_certificate(proved), "");
    cr_assert(says(fsa2lrnn_network_report(proved), "\"certificate_claim\": null"));
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_network_free(proved);
    fsa2lrnn_network_free(given);
    fsa2lrnn_automaton_free(a);
}

/* lrnn-check knows no boxes in number formats. */
Test(certify, boxes_have_no_certificate_in_a_format)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    char text[sizeof sign + 64];
    const fsa2lrnn_claim claim = {.format = "bf16"};
    snprintf(text, sizeof text, "%.*s%s", (int)(strlen(sign) - strlen("end\n")), sign,
             "box 1 1.1:1/2,3/2\nbox 2 1.1:-3/2,-1/2\nend\n");
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *given = network_of(text), *proved = NULL;
    cr_assert(fsa2lrnn_certify(&proved, &v, given, a, &claim, NULL, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_OK);
    cr_assert(says(v.text, "no certificate: networks with boxes "), "%s", v.text);
    cr_assert_str_eq(fsa2lrnn_network_certificate(proved), "");
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_network_free(proved);
    fsa2lrnn_network_free(given);
    fsa2lrnn_automaton_free(a);
}

Test(certify, refuses)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    fsa2lrnn_automaton *a = automaton_of(parity), *other = automaton_of("start p\np 0 p\np 2 p\n");
    fsa2lrnn_network *n = network_of(sign), *out = NULL;
    static const char damaged[] = "lrnn-certificate 2\n";
    const fsa2lrnn_claim alone = {.schedule = "fma"}, unknown = {.format = "bf17"},
                         wrong = {.certificate = damaged, .certificate_size = sizeof damaged - 1};
    cr_assert(fsa2lrnn_certify(NULL, &v, n, a, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_certify(&out, &v, n, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_certify(&out, &v, n, a, &alone, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_certify(&out, &v, n, a, &unknown, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_certify(&out, &v, n, a, &wrong, NULL, &err) == FSA2LRNN_EFORMAT);
    cr_assert(fsa2lrnn_certify(&out, &v, n, other, NULL, NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert_str_eq(err.text, "the automaton has no letter `1`");
    cr_assert(out == NULL && v.verdict == FSA2LRNN_UNKNOWN);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(other);
    fsa2lrnn_automaton_free(a);
}

static int cancel(void *context, const char *phase, double done, double total)
{
    (void)context;
    (void)phase;
    (void)done;
    (void)total;
    return 1;
}

Test(certify, stops_when_it_is_told_to)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    const fsa2lrnn_task task = {.progress = cancel};
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *n = network_of(sign), *out = NULL;
    const fsa2lrnn_status status = fsa2lrnn_certify(&out, &v, n, a, NULL, &task, &err);
    cr_assert(status == FSA2LRNN_UNKNOWN || v.verdict == FSA2LRNN_UNKNOWN);
    if (out) cr_assert_str_eq(fsa2lrnn_network_certificate(out), "");
    fsa2lrnn_network_free(out);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}

#ifdef F2L_MEM_FAILURES
/* Every allocation that fails in turn is reported, and nothing leaks. */
Test(certify, without_memory)
{
    static const fsa2lrnn_claim claims[] = {{0}, {.format = "bf16"}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        fsa2lrnn_status status = FSA2LRNN_ENOMEM;
        for (size_t n = 1; status != FSA2LRNN_OK; n++) {
            fsa2lrnn_error err;
            fsa2lrnn_verdict v;
            fsa2lrnn_automaton *a = automaton_of(parity);
            fsa2lrnn_network *given = network_of(sign), *out = NULL;
            f2l_mem_fail_after(n, true);
            status = fsa2lrnn_certify(&out, &v, given, a, &claims[i], NULL, &err);
            f2l_mem_fail_after(0, false);
            cr_assert(status == FSA2LRNN_OK || status == FSA2LRNN_ENOMEM, "%s", err.text);
            cr_assert((out != NULL) == (status == FSA2LRNN_OK));
            fsa2lrnn_verdict_clear(&v);
            fsa2lrnn_network_free(out);
            fsa2lrnn_network_free(given);
            fsa2lrnn_automaton_free(a);
        }
    }
}
#endif
