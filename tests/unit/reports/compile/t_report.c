#include "numeric/base/mem.h"
#include "reports/compile/report.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/reports/report_support.h"
#include <jansson.h>
#include <stdio.h>

Test(report, json_has_the_keys_of_the_schema)
{
    fixture f;
    report_open(&f, hand_parity_text, F2L_LABEL_STATES, false);
    json_t *o = json(&f);
    check_keys(o, "schema report tool automaton construction exact layers_needed formats "
                  "engines_exact search others weights files timing ");
    cr_assert_eq(integer(o, "schema"), 2);
    json_t *part = json_object_get(o, "tool");
    check_keys(part, "version commit ");
    check_string(part, "version", "1.2.3");
    part = json_object_get(o, "automaton");
    check_keys(part,
               "name sha256 states letters label_kind syntax determinised states_before sink_edges "
               "sink_state named_source dropped letter_sets empty_transitions ");
    check_string(part, "name", "test.fsa");
    check_string(part, "sha256", f.result.net.fsa_sha256);
    cr_assert_eq(integer(part, "states"), 2);
    cr_assert_eq(integer(part, "letters"), 2);
    cr_assert(json_is_false(json_object_get(part, "determinised")));
    part = json_object_get(o, "construction");
    check_keys(part, "theorem variant layers heads householders key_dim value_dim state_numbers "
                     "factors_per_token table_entries parameters codes one_layer track label_kind "
                     "letter_classes minimised_states per_layer ");
    cr_assert_eq(integer(part, "parameters"), 2 * (1 + 1 + 1) + 1);
    check_string(part, "one_layer", "permutation automaton");
    check_string(part, "theorem", "T3");
    check_string(part, "label_kind", "states");
    static const char *const ones[] = {"layers", "heads", "householders", "key_dim", "value_dim"};
    for (size_t i = 0; i < 5; i++) cr_assert_eq(integer(part, ones[i]), 1);
    check_keys(json_object_get(part, "track"), "points k_states k_points representation keys ");
    cr_assert_eq(integer(json_object_get(part, "track"), "k_states"), 2);
    cr_assert_eq(integer(json_object_get(part, "track"), "k_points"), 2);
    cr_assert(json_is_null(json_object_get(part, "minimised_states")));
    const json_t *layers = json_object_get(part, "per_layer");
    cr_assert_eq(json_array_size(layers), 1);
    check_keys(json_array_get(layers, 0),
               "heads householders key_dim value_dim state_numbers codes ");
    cr_assert_eq(integer(json_array_get(layers, 0), "codes"), 2);
    part = json_object_get(o, "exact");
    check_keys(part,
               "verdict how joint_states pairs statement witness wrong_after reason decoder ");
    check_string(part, "verdict", "VERIFIED");
    check_string(part, "how", "closure");
    cr_assert_eq(integer(part, "joint_states"), 2);
    part = json_object_get(o, "formats");
    cr_assert_eq(json_array_size(part), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *format = json_array_get(part, i);
        check_keys(format,
                   "format schedule decoder verdict how joint_states pairs statement witness "
                   "wrong_after reason horizon ");
        check_string(format, "format", f2l_formats[i].name);
        check_string(format, "schedule", "every");
        check_string(format, "verdict", "VERIFIED");
        cr_assert_eq(integer(format, "joint_states"), 2);
        cr_assert(json_is_null(json_object_get(format, "witness")));
        cr_assert(json_is_null(json_object_get(format, "horizon")));
    }
    part = json_object_get(o, "weights");
    check_keys(part, "dtype rounded sparse bytes ");
    check_string(part, "dtype", "BF16");
    cr_assert(json_is_false(json_object_get(part, "rounded")));
    cr_assert_eq(integer(part, "bytes"), 321);
    part = json_object_get(o, "files");
    cr_assert_eq(json_array_size(part), 2);
    check_keys(json_array_get(part, 1), "name bytes sha256 ");
    check_string(json_array_get(part, 1), "name", "certificate.cert");
    cr_assert_eq(integer(json_array_get(part, 1), "bytes"), 1000);
    json_decref(o);
    done(&f);
}

Test(report, only_timing_depends_on_time)
{
    fixture f;
    report_open(&f, hand_swaps_text, F2L_LABEL_STATES, false);
    json_t *first = json(&f);
    f2l_buf bytes = f.text;
    f2l_buf_init(&f.text);
    json_decref(json(&f));
    cr_assert_str_eq(f.text.data, bytes.data);
    f.report.total_seconds = 99;
    f.report.read_seconds = 98;
    f.result.exact_seconds = 97;
    f.result.construct_seconds = 96;
    for (size_t i = 0; i < 4; i++) f.result.format[i].seconds = 95;
    json_t *second = json(&f);
    cr_assert_not(json_equal(first, second));
    const char *a = strstr(bytes.data, "\"timing\""), *b = strstr(f.text.data, "\"timing\"");
    cr_assert_eq(a - bytes.data, b - f.text.data);
    cr_assert_eq(memcmp(bytes.data, f.text.data, (size_t)(a - bytes.data)), 0);
    cr_assert_eq(f.text.data[f.text.size - 1], '\n');
    json_decref(first);
    json_decref(second);
    f2l_buf_clear(&bytes);
    done(&f);
}

Test(report, refuted_and_unknown)
{
    fixture f;
    report_open(&f, hand_elements_text, F2L_LABEL_STATES, true);
    cr_assert_eq(f.result.format[3].closure.verdict, F2L_UNKNOWN);
    /* The closure of a network that was made wrong is refuted. */
    f.result.net.layer[0].symbol[1] = 0;
    cr_assert_eq(f2l_closure_float(&f.result.format[0].closure, &f.result.net, &f.fsa,
                                   &f2l_formats[0], f2l_schedule_find("every"), 0, NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.result.format[0].closure.verdict, F2L_REFUTED);
    json_t *o = json(&f);
    const json_t *formats = json_object_get(o, "formats");
    check_string(json_array_get(formats, 0), "verdict", "REFUTED");
    const json_t *witness = json_object_get(json_array_get(formats, 0), "witness");
    check_keys(witness, "word expected got ");
    const json_t *word = json_object_get(witness, "word");
    cr_assert_eq(json_array_size(word), 1);
    cr_assert_str_eq(json_string_value(json_array_get(word, 0)), "a");
    cr_assert_eq(integer(json_array_get(formats, 0), "wrong_after"), 1);
    check_string(json_array_get(formats, 3), "verdict", "UNKNOWN");
    cr_assert_eq(integer(json_array_get(formats, 3), "joint_states"), 1000);
    cr_assert(json_is_null(json_object_get(json_array_get(formats, 3), "witness")));
    json_decref(o);
    const char *text = summary(&f);
    check_text(text, "\n"
                     "bf16 every     REFUTED: after the word \"a\" the network says \"()\", the "
                     "automaton says \"(1 2)\" (nearest code; shortest such word)\n");
    check_text(text, "\nfp64 every     UNKNOWN: limit of 1000 joint states reached\n");
    strcpy(f.result.format[3].closure.reason, "interrupted");
    check_text(summary(&f), "\nfp64 every     UNKNOWN: interrupted (1000 joint states seen)\n");
    /* The empty word is a witness too. */
    f.result.net.start = 1;
    cr_assert_eq(f2l_closure_exact(&f.result.exact, &f.result.net, &f.fsa, 0, NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.result.exact.verdict, F2L_REFUTED);
    text = summary(&f);
    check_text(text, "\nexact          REFUTED: after the empty word the network says ");
    cr_assert_null(strstr(text, "lrnn-check"), "nothing to check");
    done(&f);
}

Test(report, summary_of_parity)
{
    fixture f;
    report_open(&f, hand_parity_text, F2L_LABEL_STATES, false);
    f.report.read_seconds = f.report.total_seconds = f.result.construct_seconds =
        f.result.exact_seconds = 0;
    for (size_t i = 0; i < f.result.formats; i++) f.result.format[i].seconds = 0;
    const f2l_t3_report *t3 = f2l_compile_detail(&f.result, &f2l_construction_t3);
    f2l_buf expected;
    f2l_buf_init(&expected);
    f2l_buf_printf(
        &expected,
        "test.fsa: 2 states, 2 letters (sha256 %.8s...)\n"
        "letters        0 1\n"
        "construction   T3 (permutation automaton, one layer): 1 layer, 1 head, n_h = 1, key "
        "dimension 1, value dimension 1, 1 state number, 2 codes\n"
        "               1 factor per token, 7 parameters\n"
        "               on 2 points (%s); keys: %s\n"
        "               one letter displaces at most 2 states (k of [U]), 2 points\n"
        "labels         states: even odd\n"
        "exact          VERIFIED for all words (closure of 2 joint states)\n"
        "bf16 every     VERIFIED for all words by the nearest code (closure of 2 joint states)\n"
        "fp16 every     VERIFIED for all words by the nearest code (closure of 2 joint states)\n"
        "fp32 every     VERIFIED for all words by the nearest code (closure of 2 joint states)\n"
        "fp64 every     VERIFIED for all words by the nearest code (closure of 2 joint states)\n"
        "search         complete: every construction was built, does not apply or cannot be "
        "better (0.0 million steps)\n"
        "others         T3 doubled keys: at least 4 state numbers\n"
        "               R1 dyadic keys; R1 irreducible; R2 cover: no better figures\n"
        "               D2 one reflection: at least 2 layers\n"
        "               L10 n_h = 2; L10 n_h = 3: at least 3 layers\n"
        "               Z cascade by rule: at least 8 factors a token\n"
        "weights        BF16, which holds every number exactly, dense\n"
        "files          test.lrnn/automaton.fsa               99 bytes\n"
        "               test.lrnn/certificate.cert          1000 bytes\n"
        "               test.lrnn/report.json\n"
        "check it       lrnn-check test.lrnn/automaton.fsa test.lrnn/network.lrnn "
        "test.lrnn/certificate.cert\n"
        "time           0.00 s (reading 0.00, construction 0.00, exact 0.00, formats 0.00)\n",
        f.report.fsa_sha256, t3->representation, t3->keys);
    cr_assert_str_eq(summary(&f), expected.data);
    f2l_buf_clear(&expected);
    done(&f);
}

Test(report, reading_is_said_to_be_outside_the_proof)
{
    fixture f;
    report_open(&f, hand_parity_text, F2L_LABEL_ACCEPT, false);
    cr_assert_null(strstr(summary(&f), "\nread "));
    check_text(summary(&f), "labels         accept: reject accept; minimised to 2 states\n");
    f.report.syntax = "JFLAP";
    f.report.total = (f2l_total_report){.determinised = true,
                                        .states_before = 7,
                                        .sink_edges = 1,
                                        .dropped = 3,
                                        .sink_name = "the sink"};
    check_text(summary(&f),
               "\n"
               "read           as JFLAP; made deterministic (7 states before); 1 missing "
               "transition now leads to the added state \"the sink\"; 3 unreachable states "
               "dropped\n"
               "               the certificate is about automaton.fsa: these steps before it are "
               "not part of the proof\n");
    json_t *o = json(&f);
    const json_t *part = json_object_get(o, "automaton");
    check_string(part, "syntax", "JFLAP");
    cr_assert(json_is_true(json_object_get(part, "determinised")));
    cr_assert_eq(integer(part, "sink_edges"), 1);
    cr_assert_eq(integer(part, "dropped"), 3);
    cr_assert_eq(integer(json_object_get(o, "construction"), "minimised_states"), 2);
    json_decref(o);
    done(&f);
}

Test(report, names_of_any_kind)
{
    static const char text[] =
        "start \"a \\\"q\\\" state\"\n"
        "\"a \\\"q\\\" state\" \"\xC3\xBC \\n\" b\nb \"\xC3\xBC \\n\" \"a \\\"q\\\" state\"\n";
    fixture f;
    report_open(&f, text, F2L_LABEL_STATES, false);
    f.report.grammar = "bad\xFFname\xC3.fsa";
    f.report.out = "it's here/";
    f.result.format[0].closure.verdict = F2L_REFUTED;
    f.result.format[0].closure.word = f2l_calloc(1, sizeof(uint32_t));
    f.result.format[0].closure.word_length = 1;
    json_t *o = json(&f);
    check_string(json_object_get(o, "automaton"), "name", "bad\xEF\xBF\xBDname\xEF\xBF\xBD.fsa");
    const json_t *witness =
        json_object_get(json_array_get(json_object_get(o, "formats"), 0), "witness");
    cr_assert_str_eq(json_string_value(json_array_get(json_object_get(witness, "word"), 0)),
                     "\xC3\xBC \n");
    json_decref(o);
    const char *shown = summary(&f);
    check_text(shown, "'it'\\''s here/network.lrnn'");
    check_text(shown, "letters        \"\xC3\xBC \\n\"\n");
    check_text(shown, "states: \"a \\\"q\\\" state\" b\n");
    done(&f);
}

Test(report, long_lists_are_cut_with_a_count)
{
    fixture f;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "start p\n");
    for (int i = 0; i < 100; i++) f2l_buf_printf(&text, "p letter%02d p\n", i);
    /* 60 bytes of a name that is longer than the summary shows: the cut must not split a
     * character. */
    f2l_buf_text(&text, "p xyz");
    for (int i = 0; i < 30; i++) f2l_buf_text(&text, "\xC3\xA4");
    f2l_buf_text(&text, " p\n");
    report_open(&f, text.data, F2L_LABEL_STATES, false);
    check_text(summary(&f),
               "letters        letter00 letter01 letter02 letter03 letter04 letter05 letter06 ... "
               "(94 more)\n");
    uint32_t *word = f2l_calloc(50, sizeof *word);
    word[0] = 100;
    f2l_closure *closure = &f.result.format[0].closure;
    *closure = (f2l_closure){
        .verdict = F2L_REFUTED, .word = word, .word_length = 50, .got = "no code", .expected = "p"};
    const char *shown = summary(&f);
    size_t at;
    cr_assert(f2l_utf8_valid(shown, strlen(shown), &at));
    check_text(shown, "REFUTED: after the word \"xyz\xC3\xA4");
    check_text(shown, "\xC3\xA4... letter00 letter00 letter00 ... (46 more)\" of 50 letters ");
    check_text(shown,
               " of 50 letters no label belongs to the network's state, the automaton says p "
               "(nearest code; shortest such word)\n");
    json_t *o = json(&f);
    const json_t *witness =
        json_object_get(json_array_get(json_object_get(o, "formats"), 0), "witness");
    cr_assert_eq(json_array_size(json_object_get(witness, "word")), 50);
    json_decref(o);
    f2l_buf_clear(&text);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(report, running_out_of_memory_is_reported)
{
    fixture f;
    report_open(&f, maps_text, F2L_LABEL_STATES, false);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t n = 1;; n++) {
            f2l_buf_clear(&f.text);
            f2l_mem_fail_after(n, false);
            f2l_status status =
                kind ? f2l_report_as_json(&f.text, &f2l_compile_report_kind, &f.report, &f.err)
                     : f2l_report_summary(&f.text, &f.report, &f.err);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) {
                cr_assert_gt(n, 2);
                break;
            }
            cr_assert_eq(status, F2L_ENOMEM);
        }
    }
    done(&f);
}
#endif
