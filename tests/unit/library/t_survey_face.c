/* Automata through the public interface without a network: their tables, words on which two differ,
 * and which classes of models can track one; and the bytes of a network's weights. */
#include "include/fsa2lrnn.h"
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

static const char parity[] = "start even\naccept odd\n"
                             "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";
/* The same language in three states, with the letters in the other order. */
static const char longer[] = "letters 1 0\nstart a\naccept b\n"
                             "a 1 b\na 0 c\nb 1 c\nb 0 b\nc 1 b\nc 0 a\n";
/* Differs first after 1 1: two ones count as one. */
static const char stuck[] = "start a\naccept b\na 0 a\na 1 b\nb 0 b\nb 1 b\n";
static const char mealy[] = "start a\na x b p\na y a q\nb x a q\nb y b p\n";

static fsa2lrnn_automaton *automaton_of(const char *text)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), NULL, NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    return a;
}

Test(survey_face, tables)
{
    fsa2lrnn_automaton *a = automaton_of(parity), *m = automaton_of(mealy);
    cr_assert(fsa2lrnn_automaton_start(a) == 0);
    cr_assert_str_eq(fsa2lrnn_automaton_state(a, 1), "odd");
    cr_assert_str_eq(fsa2lrnn_automaton_letter(a, 1), "1");
    cr_assert_null(fsa2lrnn_automaton_state(a, 2));
    cr_assert_null(fsa2lrnn_automaton_letter(a, 2));
    cr_assert(fsa2lrnn_automaton_next(a, 0, 1) == 1 && fsa2lrnn_automaton_next(a, 1, 1) == 0);
    cr_assert(fsa2lrnn_automaton_next(a, 2, 0) == FSA2LRNN_NONE);
    cr_assert(fsa2lrnn_automaton_next(a, 0, 2) == FSA2LRNN_NONE);
    cr_assert_str_eq(fsa2lrnn_automaton_label(a, "accept", 1, 0), "accept");
    cr_assert_str_eq(fsa2lrnn_automaton_label(a, "states", 1, FSA2LRNN_NONE), "odd");
    cr_assert_null(fsa2lrnn_automaton_label(a, "outputs", 1, 0));
    cr_assert_null(fsa2lrnn_automaton_label(a, "accept", 2, 0));
    cr_assert_null(fsa2lrnn_automaton_label(a, "colour", 0, 0));
    cr_assert_str_eq(fsa2lrnn_automaton_label(m, "edges", 1, 0), "q");
    cr_assert_null(fsa2lrnn_automaton_label(m, "edges", 1, 2));
    fsa2lrnn_automaton_free(m);
    fsa2lrnn_automaton_free(a);
}

static void compare(const char *one, const char *two, fsa2lrnn_status verdict, size_t length)
{
    fsa2lrnn_automaton *a = automaton_of(one), *b = automaton_of(two);
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    cr_assert(fsa2lrnn_equivalent(&v, a, b, NULL, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(v.verdict == verdict && v.length == length);
    for (size_t i = 0; i < length; i++) cr_assert(v.word[i] == 1);
    if (verdict == FSA2LRNN_REFUTED) cr_assert_str_eq(v.text, "reject and accept");
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_automaton_free(b);
    fsa2lrnn_automaton_free(a);
}

Test(survey_face, equivalent)
{
    compare(parity, parity, FSA2LRNN_OK, 0);
    compare(parity, longer, FSA2LRNN_OK, 0);
    compare(parity, stuck, FSA2LRNN_REFUTED, 2);
}

Test(survey_face, comparisons_that_are_refused)
{
    fsa2lrnn_automaton *a = automaton_of(parity), *m = automaton_of(mealy);
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    cr_assert(fsa2lrnn_equivalent(&v, a, m, NULL, NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(fsa2lrnn_equivalent(&v, a, a, "outputs", NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(fsa2lrnn_equivalent(&v, a, a, "colour", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_equivalent(&v, a, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_equivalent(NULL, a, a, NULL, NULL, NULL) == FSA2LRNN_EINVAL);
    fsa2lrnn_automaton_free(m);
    fsa2lrnn_automaton_free(a);
}

Test(survey_face, classify)
{
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_error err;
    char *text = NULL;
    cr_assert(fsa2lrnn_classify(&text, a, "accept", NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    json_t *json = json_loads(text, 0, NULL);
    cr_assert_not_null(json);
    cr_assert(json_is_false(json_object_get(json, "aperiodic")));
    cr_assert(json_is_false(json_object_get(json, "open")));
    cr_assert_str_eq(json_string_value(json_object_get(json, "label_kind")), "accept");
    json_decref(json);
    fsa2lrnn_bytes_free(text);
    text = NULL;
    cr_assert(fsa2lrnn_classify(&text, a, "outputs", NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(fsa2lrnn_classify(&text, a, "colour", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_classify(NULL, a, NULL, NULL, NULL) == FSA2LRNN_EINVAL);
    cr_assert_null(text);
    fsa2lrnn_automaton_free(a);
}

Test(survey_face, choose)
{
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_error err;
    char *text = NULL;
    cr_assert(fsa2lrnn_choose(&text, a, "accept", NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    json_t *json = json_loads(text, 0, NULL), *take = json_object_get(json, "take");
    cr_assert_str_eq(json_string_value(json_object_get(take, "layer_type")), "DeltaNet");
    cr_assert(json_is_true(json_object_get(take, "allow_neg_eigval")));
    json_decref(json);
    fsa2lrnn_bytes_free(text);
    text = NULL;
    cr_assert(fsa2lrnn_choose(&text, a, "outputs", NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(fsa2lrnn_choose(&text, a, "colour", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_choose(NULL, a, NULL, NULL, NULL) == FSA2LRNN_EINVAL);
    cr_assert_null(text);
    const fsa2lrnn_task little = {.effort = 1};
    cr_assert(fsa2lrnn_choose(&text, a, NULL, &little, &err) == FSA2LRNN_OK, "%s", err.text);
    fsa2lrnn_bytes_free(text);
    fsa2lrnn_automaton_free(a);
}

static int cancel(void *context, const char *phase, double done, double total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return 1;
}

Test(survey_face, a_cancelled_survey_says_what_is_open)
{
    static const char maps[] = "start a\na r b\nb r c\nc r a\na s b\nb s a\nc s c\n"
                               "a m a\nb m a\nc m c\n";
    const fsa2lrnn_task task = {.progress = cancel, .seconds = 1e-9};
    fsa2lrnn_automaton *a = automaton_of(maps);
    fsa2lrnn_error err;
    char *text = NULL;
    cr_assert(fsa2lrnn_classify(&text, a, NULL, &task, &err) == FSA2LRNN_OK, "%s", err.text);
    json_t *json = json_loads(text, 0, NULL);
    cr_assert(json_is_true(json_object_get(json, "open")));
    cr_assert_not_null(json_object_get(json, "ended"));
    json_decref(json);
    fsa2lrnn_bytes_free(text);
    fsa2lrnn_automaton_free(a);
}

Test(survey_face, weights)
{
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *n = NULL, *alone = NULL;
    fsa2lrnn_error err;
    char *bytes = NULL;
    size_t size = 0, header = 0;
    cr_assert(fsa2lrnn_compile(&n, a, NULL, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_weights(&bytes, &size, n, &err) == FSA2LRNN_OK, "%s", err.text);
    for (size_t i = 8; i-- > 0;) header = header * 256 + (unsigned char)bytes[i];
    cr_assert(size > 8 + header);
    json_t *json = json_loadb(bytes + 8, header, 0, NULL);
    cr_assert_not_null(json_object_get(json, "layers.0.heads.0.codes"));
    cr_assert_not_null(json_object_get(json, "layers.0.yield"));
    json_decref(json);
    fsa2lrnn_bytes_free(bytes);
    cr_assert_str_eq(fsa2lrnn_network_automaton(n), fsa2lrnn_automaton_text(a));
    json = json_loads(fsa2lrnn_network_report(n), 0, NULL);
    cr_assert_not_null(json_object_get(json, "construction"));
    json_decref(json);
    const char *text = fsa2lrnn_network_text(n);
    cr_assert(fsa2lrnn_network_read(&alone, text, strlen(text), &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_network_weights(&bytes, &size, alone, &err) == FSA2LRNN_EDOMAIN);
    cr_assert_str_eq(fsa2lrnn_network_automaton(alone), "");
    cr_assert_str_eq(fsa2lrnn_network_report(alone), "");
    cr_assert(fsa2lrnn_network_weights(NULL, &size, n, &err) == FSA2LRNN_EINVAL);
    fsa2lrnn_network_free(alone);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}
