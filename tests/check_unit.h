/* All certificate checkers but their mains as one unit, so that tests reach what is static in them; and one program that reads
 * every grammar and checks every claim. */
#ifndef TESTS_CHECK_UNIT_H
#define TESTS_CHECK_UNIT_H

#include "../theory/check/automaton.c"
#include "../theory/check/boxes.c"
#include "../theory/check/cascade.c"
#include "../theory/check/claim.c"
#include "../theory/check/field.c"
#include "../theory/check/network.c"
#include "../theory/check/text.c"

#if __has_include("../theory/check/wired.c")
#define CHECK_HAS_WIRED
#include "../theory/check/d1.c"
#include "../theory/check/wired.c"
#include "../theory/check/zeiger.c"
#endif

#if __has_include("../theory/check/float.c")
#define CHECK_HAS_FLOAT
#include "../theory/check/float.c"
#include "../theory/check/real.c"
#include "../theory/check/schedule.c"
#endif

static const grammar every_grammar = {
    .head = read_geometry,
    .separate = separate,
    .boxes = read_boxes,
#ifdef CHECK_HAS_WIRED
    .wired = read_wired,
#endif
};

static const claim every_claim[] = {
    {"exact", true, true, NULL, read_rows, check_rows},
    {"cascade", true, false, NULL, read_cascade, check_cascade},
#ifdef CHECK_HAS_WIRED
    {"zeiger", false, true, NULL, read_zeiger, check_zeiger},
    {"d1", false, true, NULL, read_d1, check_d1},
#endif
#ifdef CHECK_HAS_FLOAT
    {"float", true, false, read_float_terms, read_float_rows, check_float_rows},
    {"refuted", true, false, read_float_terms, read_refuted, check_refuted},
#endif
};

static const program every_program = {.name = "every-check",
                                      .version = "test",
                                      .sources = "none",
                                      .grammar = &every_grammar,
                                      .claims = every_claim,
                                      .claim_kinds = sizeof every_claim / sizeof *every_claim,
#ifdef CHECK_HAS_WIRED
                                      .pass = pass_wired,
#else
                                      .pass = pass_layers,
#endif
                                      .leads = leads_boxes,
                                      .holds = is_in_box};

#endif
