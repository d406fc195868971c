/* All certificate checkers without their main functions as one unit, so that tests reach static
 * functions; and one program that reads every grammar and checks every claim. */
#ifndef TESTS_CHECK_UNIT_H
#define TESTS_CHECK_UNIT_H

/* The order is such that no type of a file has the name of a variable of a later one. */
#include "theory/check/text.c"

#include "theory/check/program.c"

#include "theory/check/automaton.c"
#include "theory/check/network.c"

#include "theory/check/boxes.c"
#include "theory/check/cascade.c"
#include "theory/check/claim.c"
#include "theory/check/field.c"
#include "theory/check/wired.c"

#include "theory/check/float.c"
#include "theory/check/real.c"
#include "theory/check/row.c"
#include "theory/check/row_store.c"
#include "theory/check/schedule.c"

#include "theory/check/unrounded.c"

#include "theory/check/chunk64.c"

#include "theory/check/form.c"

#include "theory/check/zeiger.c"

#include "theory/check/d1.c"

#include "theory/check/blocks.c"
#include "theory/check/points.c"

#include "theory/check/product.c"

#include "theory/check/swaps.c"

static const grammar every_grammar = {
    .head = read_geometry,
    .separate = separate,
    .boxes = read_boxes,
    .wired = read_wired,
};

static const claim every_claim[] = {
    {"exact", true, true, NULL, read_rows, check_rows},
    {"cascade", true, false, NULL, read_cascade, check_cascade},
    {"zeiger", false, true, NULL, read_zeiger, check_zeiger},
    {"d1", false, true, NULL, read_d1, check_d1},
    {"blocks", false, true, NULL, read_blocks, check_blocks},
    {"points", false, true, NULL, read_points, check_points},
    {"product", false, true, NULL, read_product, check_product},
    {"swaps", true, false, NULL, read_rows, check_swaps},
    {"float", true, false, read_float_terms, read_float_rows, check_float_rows},
    {"refuted", true, false, read_float_terms, read_refuted, check_refuted},
};

static const program every_program = {.name = "every-check",
                                      .version = "test",
                                      .sources = "none",
                                      .grammar = &every_grammar,
                                      .claims = every_claim,
                                      .claim_kinds = sizeof every_claim / sizeof *every_claim,
                                      .pass = pass_wired,
                                      .leads = leads_boxes,
                                      .holds = is_in_box,
                                      .read_more = read_unrounded,
                                      .check_more = check_unrounded,
                                      .print_more = print_unrounded};

#endif
