/* Certificates of wired networks as text. */
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/counter_text.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/hand_wired.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/forms/form.h"
#include "theory/construct/zeiger/zeiger.h"
#include <stdlib.h>

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_form_verdict verdict;
    char network[65];
    f2l_error err;
} fixture;

/* Opens the form of f->fsa and verifies it. */
static void open(fixture *f, f2l_label label)
{
    f2l_net_init(&f->net);
    f2l_sha256_hex("network", 7, f->network);
    cr_assert_eq(f2l_zeiger_build(&f->net, &f->fsa, label, NULL, &f->err), F2L_OK, "%s",
                 f->err.text);
    cr_assert_eq(f2l_fsa_sha256(&f->fsa, f->net.fsa_sha256, NULL), F2L_OK);
    cr_assert_eq(f2l_form_zeiger.verify(&f->verdict, &f->net, &f->fsa, NULL, NULL, NULL, &f->err),
                 F2L_OK);
    cr_assert_eq(f->verdict.verdict, F2L_OK, "%s", f->verdict.reason);
}

static void done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

static void check_text(const f2l_buf *text, const fixture *f, const char *body)
{
    f2l_buf expected;
    f2l_buf_init(&expected);
    f2l_buf_printf(&expected, "lrnn-certificate 2\nfsa %s\nnetwork %s\nclaim %s", f->net.fsa_sha256,
                   f->network, body);
    char hex[65];
    f2l_sha256_hex(expected.data, expected.size, hex);
    f2l_buf_printf(&expected, "sha256 %s\n", hex);
    cr_assert_str_eq(text->data, expected.data);
    f2l_buf_clear(&expected);
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

/* The network is built on two classes of four states, one of which is unreachable. */
Test(wired_cert, classes)
{
    static const uint32_t classes[] = {1, UINT32_MAX, 0, 1}, swapped[] = {0, UINT32_MAX, 1, 0},
                          reached[] = {1, 1, 0, 1}, half[] = {1, UINT32_MAX, 1, 1},
                          four[] = {3, 2, 1, 2, 0, 2, 0, 2}, two[] = {1, 0, 1, 0};
    fixture f;
    f2l_fsa original;
    f2l_buf text;
    table(&original, 4, four, 2);
    table(&f.fsa, 2, two, 0);
    open(&f, F2L_LABEL_ACCEPT);
    cr_assert_eq(f2l_fsa_sha256(&original, f.net.fsa_sha256, NULL), F2L_OK);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &original, classes,
                                         f.network, &f.err),
                 F2L_OK, "%s", f.err.text);
    check_text(&text, &f,
               "zeiger\n"
               "size layers 1 heads 1 householders 8 key 8 value 1\n"
               "letters 2 states 4 classes 2\n"
               "class 2 0 1 2\n"
               "like 3 1\n"
               "from 1 1.2 2.2\n"
               "from 2 1.1 2.1\n"
               "end 2\n");
    f2l_buf_clear(&text);
    /* A class for the unreachable state does no harm if it is a class of the quotient. */
    cr_assert_eq(f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &original, reached,
                                         f.network, &f.err),
                 F2L_OK);
    cr_assert_not_null(strstr(text.data, "\nclass 2 2 1 2\n"));
    f2l_buf_clear(&text);
    const uint32_t *const bad[] = {swapped, half, NULL};
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &original, bad[i],
                                             f.network, &f.err),
                     F2L_EDOMAIN, "%zu", i);
    f.verdict.verdict = F2L_UNKNOWN;
    cr_assert_eq(f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &original, classes,
                                         f.network, &f.err),
                 F2L_EDOMAIN);
    cr_assert_eq(text.size, 0);
    f2l_fsa_clear(&original);
    done(&f);
}

/* Two letters lead from 1 to 3, and the first is named; nothing leads to 2. */
Test(wired_cert, where_states_come_from)
{
    static const uint32_t three[] = {2, 2, 0, 2, 0, 0};
    fixture f;
    f2l_buf text;
    table(&f.fsa, 3, three, 1);
    open(&f, F2L_LABEL_STATES);
    f2l_buf_init(&text);
    cr_assert_eq(
        f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &f.fsa, NULL, f.network, &f.err),
        F2L_OK);
    check_text(&text, &f,
               "zeiger\n"
               "size layers 2 heads 1 householders 12 key 12 value 1\n"
               "letters 2 states 3 classes 3\n"
               "class 1 2 3\n"
               "like 1 2 3\n"
               "from 1 2.1 3.1\n"
               "from 2\n"
               "from 3 1.1 2.2\n"
               "end 3\n");
    f2l_buf_clear(&text);
    done(&f);
}

/* Every state of the network's automaton needs a class; here the automaton was not trimmed. */
Test(wired_cert, all_classes_have_states)
{
    static const uint32_t classes[] = {0, 1}, three[] = {1, 1, 0, 0, 0, 0}, two[] = {1, 1, 0, 0};
    fixture f;
    f2l_fsa original;
    f2l_buf text;
    f2l_buf_init(&text);
    table(&f.fsa, 3, three, 0);
    open(&f, F2L_LABEL_STATES);
    table(&original, 2, two, 0);
    cr_assert_eq(f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &original, classes,
                                         f.network, &f.err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(f.err.text, "2 of 3"), "%s", f.err.text);
    f2l_buf_clear(&text);
    f2l_fsa_clear(&original);
    done(&f);
}

/* The joint closure of the counter has nine readouts a row. */
Test(wired_cert, exact)
{
    fixture f = {0};
    f2l_closure c;
    f2l_buf text;
    f2l_net_size size;
    wired_counter(&f.net);
    fsa_from_text(&f.fsa, wired_counter_text);
    f2l_sha256_hex("network", 7, f.network);
    f2l_buf_init(&text);
    f2l_closure_init(&c);
    cr_assert_eq(f2l_cert_write(&text, &f.net, &c, f.network, &f.err), F2L_EDOMAIN);
    cr_assert_eq(f2l_closure_exact(&c, &f.net, &f.fsa, 0, NULL, &f.err), F2L_OK, "%s", f.err.text);
    cr_assert_eq(c.verdict, F2L_OK);
    cr_assert_eq(f2l_cert_write(&text, &f.net, &c, f.network, &f.err), F2L_OK);
    f2l_net_measure(&size, &f.net);
    f2l_buf body;
    f2l_buf_init(&body);
    f2l_buf_printf(&body,
                   "exact\n"
                   "size layers 3 heads 2 householders %zu key 4 value 2\n",
                   size.householders);
    f2l_buf_text(&body, "letters 3 states 8 rows 8\n");
    for (size_t r = 0; r < 8; r++) {
        f2l_buf_printf(&body, "row %zu state %u codes", r + 1, c.state[r] + 1);
        /* Bit l of the number is given by the first two readouts of stage l + 1. */
        const size_t number = strtoul(f2l_names_get(&f.fsa.states, c.state[r]), NULL, 10);
        for (size_t l = 0; l < 3; l++)
            f2l_buf_printf(&body, " %zu %zu 1", 1 + (number >> l & 1), 1 + (number >> l & 1));
        f2l_buf_text(&body, " next");
        for (size_t a = 0; a < 3; a++) f2l_buf_printf(&body, " %u", c.next[3 * r + a] + 1);
        f2l_buf_text(&body, "\n");
    }
    f2l_buf_text(&body, "end 8\n");
    check_text(&text, &f, body.data);
    f2l_buf_clear(&body);
    f2l_buf_clear(&text);
    f2l_closure_clear(&c);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(wired_cert, running_out_of_memory_is_reported)
{
    fixture f;
    fsa_from_text(&f.fsa, "letters a\nstart p\np a q\nq a p\n");
    open(&f, F2L_LABEL_STATES);
    for (size_t n = 1;; n++) {
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_mem_fail_after(n, false);
        const f2l_status status = f2l_form_zeiger.certify(&text, &f.net, &f.verdict, &f.fsa, &f.fsa,
                                                          NULL, f.network, &f.err);
        f2l_mem_fail_after(0, false);
        f2l_buf_clear(&text);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
    }
    done(&f);
}
#endif
