#include "tests/support/reports/report_support.h"
#include <jansson.h>

#define LEVEL_KEYS \
    "states components contexts permutations identities resets idle form saved_register delayed " \
    "layers heads factors " \
    "register_factors delay_factors "

Test(report_cascade, json_of_a_cascade)
{
    fixture f;
    report_open(&f, maps_text, F2L_LABEL_STATES, false);
    json_t *o = json(&f);
    json_t *part = json_object_get(o, "construction");
    check_keys(part, "theorem variant layers heads householders key_dim value_dim state_numbers "
                     "factors_per_token table_entries parameters codes one_layer cascade "
                     "label_kind letter_classes minimised_states per_layer ");
    check_string(part, "theorem", "T4");
    cr_assert(json_is_null(json_object_get(part, "one_layer")));
    cr_assert_eq(integer(part, "layers"), 2);
    json_t *cascade = json_object_get(part, "cascade");
    check_keys(cascade, "kind levels states active_contexts subsets registers delays splits gated "
                        "factors_per_token per_level level_groups other_kind other_reason other "
                        "diagonal_class bound published_bound repair ");
    check_string(cascade, "kind", "holonomy");
    cr_assert_eq(integer(cascade, "levels"), 2);
    cr_assert_eq(integer(cascade, "states"), 5);
    cr_assert_eq(integer(cascade, "active_contexts"), 12);
    cr_assert_eq(integer(cascade, "registers"), 1);
    cr_assert_eq(integer(cascade, "bound"), 2);
    check_string(cascade, "published_bound", "2^3");
    cr_assert_not_null(
        strstr(json_string_value(json_object_get(cascade, "repair")), "saved register"));
    const json_t *level = json_array_get(json_object_get(cascade, "per_level"), 0);
    check_keys(level, LEVEL_KEYS);
    cr_assert_eq(integer(level, "states"), 3);
    cr_assert_eq(integer(level, "components"), 1);
    cr_assert_eq(integer(level, "resets"), 1);
    cr_assert(json_is_true(json_object_get(level, "saved_register")));
    cr_assert(json_is_false(json_object_get(level, "delayed")));
    cr_assert(json_is_null(json_object_get(level, "register_factors")));
    check_string(level, "form", "register full");
    const json_t *groups = json_object_get(cascade, "level_groups");
    cr_assert_eq(json_array_size(groups), 2);
    check_keys(json_array_get(groups, 0), "level degree group order_decimal ");
    check_string(json_array_get(groups, 0), "order_decimal", "6");
    check_string(json_array_get(groups, 1), "order_decimal", "2");
    check_keys(json_object_get(cascade, "other"), "kind levels states active_contexts ");
    check_string(json_object_get(cascade, "other"), "kind", "capped");
    part = json_object_get(o, "exact");
    check_keys(part,
               "verdict how joint_states pairs statement witness wrong_after reason decoder ");
    check_string(part, "verdict", "VERIFIED");
    cr_assert(json_is_null(json_object_get(part, "joint_states")));
    cr_assert_eq(integer(part, "pairs"), (long long)f2l_t4_detail_of(&f.result)->local.pairs);
    part = json_array_get(json_object_get(o, "formats"), 0);
    check_keys(
        part,
        "format schedule decoder verdict how joint_states pairs statement witness wrong_after "
        "reason horizon ");
    check_string(part, "verdict", "VERIFIED");
    json_decref(o);
    /* A cascade that was not compared with another one, and a cascade whose rival exceeded a
     * limit. */
    f2l_t4_detail_of(&f.result)->other_size.levels = 0;
    strcpy(f2l_t4_detail_of(&f.result)->other_reason, "too many sets");
    o = json(&f);
    check_string(json_object_get(json_object_get(o, "construction"), "cascade"), "other_reason",
                 "too many sets");
    json_decref(o);
    check_text(summary(&f), "; capped cover: too many sets\n");
    f2l_t4_detail_of(&f.result)->contested = false;
    o = json(&f);
    cr_assert(json_is_null(
        json_object_get(json_object_get(json_object_get(o, "construction"), "cascade"), "other")));
    json_decref(o);
    check_text(summary(&f), " (3,2)\n");
    done(&f);
}

Test(report_cascade, summary_of_a_cascade)
{
    fixture f;
    report_open(&f, maps_text, F2L_LABEL_STATES, false);
    const char *text = summary(&f);
    check_text(text, "\nconstruction   T4 (cascade, one layer per level): 2 layers, 1 head, ");
    check_text(text, "\n               layer 2: 1 head, n_h = 1, ");
    check_text(
        text,
        "\n"
        "               holonomy: 2 levels, 5 states, 12 contexts (3,2); capped cover: 2 levels, 5 "
        "states, 12 contexts\n"
        "               5 contexts permute; groups: ");
    check_text(
        text,
        "1 level with a saved register; bounds on the layers: |Q|-1 = 2 by the capped cover, 2^3 "
        "in [U]\n"
        "repair         the published proof of T4 feeds each component the states of the lower "
        "ones after the update, and a reset loses the earlier state; here each level that must "
        "know it keeps");
    check_text(text, "\nexact          VERIFIED for all words (local closure of 15 pairs)\n");
    check_text(text,
               "\nbf16 every     VERIFIED for all words by the nearest code (local closure of "
               "15 pairs)\n");
    check_text(text, "\ncheck it       lrnn-check ");
    done(&f);
    open_with(&f,
              "start off\n"
              "off set on\n"
              "on set on\n"
              "off clear off\n"
              "on clear off\n"
              "off keep off\n"
              "on keep on\n",
              (f2l_compile_options){.cascade = F2L_COMPILE_HOLONOMY});
    text = summary(&f);
    check_text(text, "\n"
                     "               0 contexts permute; groups: all trivial, so the automaton is "
                     "aperiodic\n");
    check_text(text, "here no level has to know it, so that none keeps a saved register\n");
    check_text(text, "\none layer      suffices: the automaton is permutation-reset\n");
    done(&f);
}

/* The groups of the capped cover need not be groups of the automaton. */
Test(report_cascade, groups_of_a_cover)
{
    fixture f;
    open_with(&f, maps_text, (f2l_compile_options){.cascade = F2L_COMPILE_CAPPED});
    check_text(summary(&f), "permute; groups of this cover, which the automaton need not have: ");
    done(&f);
    open_with(&f, maps_text, (f2l_compile_options){.cascade = F2L_COMPILE_HOLONOMY});
    cr_assert_null(strstr(summary(&f), "of this cover"));
    done(&f);
}

/* With gates the first level has a delay, which takes 4 factors instead of the register's 7. */
Test(report_cascade, delay_of_a_gated_cascade)
{
    fixture f;
    open_with(&f, maps_text, (f2l_compile_options){.gated = true});
    json_t *o = json(&f), *part = json_object_get(o, "construction");
    cr_assert_eq(integer(part, "layers"), 3);
    const json_t *cascade = json_object_get(part, "cascade");
    cr_assert_eq(integer(cascade, "levels"), 2);
    cr_assert_eq(integer(cascade, "bound"), 3);
    cr_assert_eq(integer(cascade, "registers"), 0);
    cr_assert_eq(integer(cascade, "delays"), 1);
    cr_assert_eq(integer(cascade, "factors_per_token"), 5);
    cr_assert_not_null(
        strstr(json_string_value(json_object_get(cascade, "repair")), "in a delay layer"));
    const json_t *level = json_array_get(json_object_get(cascade, "per_level"), 0);
    check_keys(level, LEVEL_KEYS);
    check_string(level, "form", "delay doubled");
    cr_assert(json_is_true(json_object_get(level, "delayed")));
    cr_assert(json_is_false(json_object_get(level, "saved_register")));
    cr_assert_eq(integer(level, "layers"), 2);
    cr_assert_eq(integer(level, "factors"), 4);
    cr_assert_eq(integer(level, "register_factors"), 7);
    cr_assert_eq(integer(level, "delay_factors"), 4);
    level = json_array_get(json_object_get(cascade, "per_level"), 1);
    cr_assert_eq(integer(level, "factors"), 1);
    cr_assert(json_is_null(json_object_get(level, "delay_factors")));
    check_string(json_object_get(o, "exact"), "verdict", "VERIFIED");
    json_decref(o);
    const char *text = summary(&f);
    check_text(text,
               "\n"
               "construction   T4 (cascade, one layer per level, two with a delay): 3 layers, 2 "
               "heads, ");
    check_text(text,
               "\n"
               "               5 factors per token at most; 0 levels with a saved register, 1 "
               "level with a delay; bounds on the layers: 2(|Q|-1)-1 = 3 by the capped cover, 2^3 "
               "in [U]\n"
               "               factors to keep an old coordinate: level 1: delay 4, a register 7\n"
               "repair ");
    check_text(text,
               "\nbf16 every     VERIFIED for all words by the nearest code (local closure of ");
    done(&f);
    /* An elevator of five floors: without permutations a register takes as few factors, and one
     * layer less. */
    open_with(&f,
              "start 1\n"
              "1 up 2\n"
              "2 up 3\n"
              "3 up 4\n"
              "4 up 5\n"
              "5 up 5\n"
              "1 down 1\n"
              "2 down 1\n"
              "3 down 2\n"
              "4 down 3\n"
              "5 down 4\n",
              (f2l_compile_options){.gated = true, .cascade = F2L_COMPILE_CAPPED});
    text = summary(&f);
    check_text(text, " (cascade, one layer per level): ");
    check_text(
        text,
        "factors to keep an old coordinate: level 1: register 3, a delay 3; level 2: register 3, a "
        "delay 3");
    done(&f);
}

/* At first nothing is known; later the last two letters determine the state. */
Test(report_cascade, register_of_a_definite_automaton)
{
    fixture f;
    report_open(&f,
                "start s\n"
                "s a p\n"
                "s b q\n"
                "p a p\n"
                "p b q\n"
                "q a r\n"
                "q b q\n"
                "r a p\n"
                "r b q\n",
                F2L_LABEL_STATES, false);
    json_t *o = json(&f);
    json_t *part = json_object_get(o, "construction");
    check_keys(part, "theorem variant layers heads householders key_dim value_dim state_numbers "
                     "factors_per_token table_entries parameters codes one_layer register "
                     "label_kind letter_classes minimised_states per_layer ");
    check_string(part, "theorem", "K");
    check_string(part, "one_layer", "k-definite, k = 2");
    part = json_object_get(part, "register");
    check_keys(part, "k letter_classes empty_at_first ");
    cr_assert_eq(integer(part, "k"), 2);
    cr_assert_eq(integer(part, "letter_classes"), 2);
    cr_assert(json_is_true(json_object_get(part, "empty_at_first")));
    json_decref(o);
    const char *text = summary(&f);
    check_text(text, "\n"
                     "construction   K (definite automaton, one layer): 1 layer, 1 head, n_h = "
                     "3, ");
    check_text(text,
               "\n"
               "               a register of the last 2 letters, told apart by 2 classes; at first "
               "it is empty\n");
    check_text(text, "\none layer      suffices: the automaton is k-definite, k = 2\n");
    check_text(text, "\nexact          VERIFIED for all words (closure of 7 joint states)\n");
    done(&f);
}
