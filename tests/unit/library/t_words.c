/* Words through the public interface: a network that was read from its text, the labels of its
 * automaton beside it, and the effort of a verdict. */
#include "include/fsa2lrnn.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

static const char parity[] = "start even\naccept odd\n"
                             "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";
static const char other[] = "start even\naccept even\n"
                            "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";

static fsa2lrnn_automaton *automaton_of(const char *text)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), NULL, NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    return a;
}

static fsa2lrnn_network *compiled(const fsa2lrnn_automaton *a)
{
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_compile(&n, a, NULL, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    return n;
}

static fsa2lrnn_network *read_again(const fsa2lrnn_network *n)
{
    fsa2lrnn_network *out = NULL;
    fsa2lrnn_error err;
    const char *text = fsa2lrnn_network_text(n);
    cr_assert(fsa2lrnn_network_read(&out, text, strlen(text), &err) == FSA2LRNN_OK, "%s", err.text);
    return out;
}

/* Runs a word in bf16; every label must be the automaton's. */
static void run_beside(const fsa2lrnn_network *n)
{
    static const size_t word[] = {1, 0, 1, 1, 0, 1, 1};
    fsa2lrnn_run *run = NULL;
    fsa2lrnn_error err;
    size_t label;
    cr_assert(fsa2lrnn_run_new(&run, n, "bf16", NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    for (size_t again = 0; again < 2; again++) {
        cr_assert(fsa2lrnn_run_start(run, &label, &err) == FSA2LRNN_OK);
        cr_assert_str_eq(fsa2lrnn_run_expected(run), "even");
        cr_assert_str_eq(fsa2lrnn_network_label(n, label), "even");
        for (size_t i = 0, ones = 0; i < sizeof word / sizeof *word; i++) {
            ones += word[i];
            cr_assert(fsa2lrnn_run_step(run, word[i], &label, &err) == FSA2LRNN_OK);
            cr_assert_str_eq(fsa2lrnn_run_expected(run), ones % 2 ? "odd" : "even");
            cr_assert_str_eq(fsa2lrnn_network_label(n, label), fsa2lrnn_run_expected(run));
        }
    }
    fsa2lrnn_run_free(run);
}

Test(words, labels_beside_the_automaton)
{
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *n = compiled(a);
    run_beside(n);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}

Test(words, a_network_without_its_automaton)
{
    fsa2lrnn_automaton *a = automaton_of(parity), *b = automaton_of(other);
    fsa2lrnn_automaton *canonical = automaton_of(fsa2lrnn_automaton_text(a));
    fsa2lrnn_network *n = compiled(a), *again = read_again(n);
    fsa2lrnn_run *run = NULL;
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    size_t label;
    cr_assert(fsa2lrnn_run_new(&run, again, NULL, NULL, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_run_step(run, 1, &label, &err) == FSA2LRNN_OK);
    cr_assert_null(fsa2lrnn_run_expected(run));
    fsa2lrnn_run_free(run);
    cr_assert(fsa2lrnn_verify(&v, again, NULL, NULL, NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(v.verdict == FSA2LRNN_UNKNOWN);
    cr_assert(fsa2lrnn_network_save(again, "/nowhere/out", 0, &err) == FSA2LRNN_EDOMAIN);
    /* Another automaton, and other text of the same one. */
    cr_assert(fsa2lrnn_network_set_automaton(again, b, &err) == FSA2LRNN_EFORMAT);
    cr_assert(strstr(err.text, "SHA-256"), "%s", err.text);
    cr_assert(fsa2lrnn_network_set_automaton(again, a, &err) == FSA2LRNN_EFORMAT);
    cr_assert(fsa2lrnn_network_set_automaton(again, canonical, &err) == FSA2LRNN_OK, "%s",
              err.text);
    cr_assert(fsa2lrnn_network_set_automaton(again, canonical, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(&v, again, NULL, NULL, NULL, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_OK, "%s", v.text);
    fsa2lrnn_verdict_clear(&v);
    run_beside(again);
    fsa2lrnn_network_free(again);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(canonical);
    fsa2lrnn_automaton_free(b);
    fsa2lrnn_automaton_free(a);
}

Test(words, text_that_is_no_network)
{
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    static const char text[] = "lrnn 2\nnonsense\n";
    cr_assert(fsa2lrnn_network_read(&n, text, sizeof text - 1, &err) == FSA2LRNN_EFORMAT);
    cr_assert(err.line > 0 && n == NULL, "%zu: %s", err.line, err.text);
    cr_assert(fsa2lrnn_network_read(&n, "", 0, &err) == FSA2LRNN_EFORMAT && n == NULL);
    cr_assert(fsa2lrnn_network_read(&n, NULL, 1, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_network_read(NULL, text, 1, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_network_set_automaton(NULL, NULL, &err) == FSA2LRNN_EINVAL);
}

/* The elements of S_5 by naive keys: the closure in fp32 is long, and an effort of one unit ends it
 * at the same place each time. */
Test(words, effort_limits_a_verdict)
{
    static const char swaps[] = "points 5\ntrack elements\npermute a (1 2)\npermute b (2 3)\n"
                                "permute c (3 4)\npermute d (4 5)\n";
    const fsa2lrnn_task little = {.effort = 1};
    fsa2lrnn_automaton *a = automaton_of(swaps);
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    fsa2lrnn_verdict v, w;
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "keys", "naive", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "formats", "bf16", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_verify(&v, n, "fp32", "every", &little, &err) == FSA2LRNN_OK, "%s",
              err.text);
    cr_assert(v.verdict == FSA2LRNN_UNKNOWN && strstr(v.text, "effort"), "%s", v.text);
    cr_assert(fsa2lrnn_verify(&w, n, "fp32", "every", &little, &err) == FSA2LRNN_OK);
    cr_assert_str_eq(v.text, w.text);
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_verdict_clear(&w);
    fsa2lrnn_network_free(n);
    fsa2lrnn_options_free(o);
    fsa2lrnn_automaton_free(a);
}

Test(words, effort_limits_the_search)
{
    static const char maps[] = "start a\na r b\nb r c\nc r a\na s b\nb s a\nc s c\n"
                               "a m a\nb m a\nc m c\n";
    const fsa2lrnn_task ample = {.effort = 1000};
    fsa2lrnn_automaton *a = automaton_of(maps);
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &ample, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_verify(&v, n, NULL, NULL, &ample, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_OK, "%s", v.text);
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}

#ifdef F2L_MEM_FAILURES
static fsa2lrnn_status use(const char *network, const char *automaton)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_run *run = NULL;
    size_t label;
    fsa2lrnn_status s = fsa2lrnn_network_read(&n, network, strlen(network), NULL);
    if (s == FSA2LRNN_OK)
        s = fsa2lrnn_automaton_read(&a, automaton, strlen(automaton), NULL, NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_network_set_automaton(n, a, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_run_new(&run, n, NULL, NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_run_step(run, 1, &label, NULL);
    fsa2lrnn_run_free(run);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
    return s;
}

Test(words, out_of_memory)
{
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *n = compiled(a);
    fsa2lrnn_status s = FSA2LRNN_ENOMEM;
    size_t i = 1;
    for (; s != FSA2LRNN_OK; i++) {
        f2l_mem_fail_after(i, true);
        s = use(fsa2lrnn_network_text(n), fsa2lrnn_automaton_text(a));
        f2l_mem_fail_after(0, false);
        cr_assert(s == FSA2LRNN_OK || s == FSA2LRNN_ENOMEM, "allocation %zu: status %d", i, (int)s);
    }
    cr_assert(i > 20);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}
#endif
