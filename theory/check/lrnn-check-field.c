/* lrnn-check-field AUTOMATON NETWORK CERTIFICATE: claims exact and cascade of networks of layers
 * whose heads are over real number fields, have forms, or whose layers have boxes. lrnn-check
 * hands such triples to it; it takes the triples of lrnn-check as well.
 *
 *     text.c, automaton.c, network.c  the shared reader, reader.h
 *     claim.c, cascade.c              the claims, as in lrnn-check
 *     field.c                         numbers of fields, forms, and whether codes are different
 *                                     matrices
 *     boxes.c                         boxes, and steps of them
 *
 * What you must believe of `s VERIFIED exact` and `s VERIFIED cascade` from this program: these
 * files and this one, libc, GMP, and as for lrnn-check C1 and C2 of theory/pages/closure.md. For
 * cascades T4.10 of theory/pages/t4.md. And
 * - where the line has `field`: Sturm's theorem, and that two polynomials which are equal
 *   modulo one with the root alpha are equal at alpha (the head of field.c). The network meant
 *   has real weights, the values of its polynomials at alpha;
 * - where it has `form`: Sylvester's criterion in the shape of orthogonalization (read_form). A
 *   factor is then a reflection or a step of a key in the geometry of the form, and a product of
 *   Householder matrices only after a change of basis;
 * - where it has `boxes`: R8.4 of theory/pages/decay.md, which the head of boxes.c repeats.
 *   States then need not be codes: the network is decoded by the nearest code.
 *
 * Verdict lines and exit statuses: lrnn-check.c. */
#include "theory/check/field.h"

int main(int argc, char **argv)
{
    static const grammar all = {.head = read_geometry, .separate = separate, .boxes = read_boxes};
    static const claim claims[] = {{"exact", true, false, NULL, read_rows, check_rows},
                                   {"cascade", true, false, NULL, read_cascade, check_cascade}};
    static const program self = {.name = "lrnn-check-field",
                                 .version = LRNN_CHECK_VERSION,
                                 .sources = LRNN_CHECK_SOURCES,
                                 .growth = 40, /* products of numbers of high degree */
                                 .grammar = &all,
                                 .claims = claims,
                                 .claim_kinds = 2,
                                 .pass = pass_layers,
                                 .leads = leads_boxes,
                                 .holds = is_in_box};
    return run_checker(argc, argv, &self);
}
