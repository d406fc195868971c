/* lrnn-check-unrounded AUTOMATON NETWORK CERTIFICATE: claims of exact arithmetic that hold in
 * number formats too, as nothing rounds there: exact and cascade of networks of layers over Q, and
 * exact, zeiger and d1 of wired networks, with lines `unrounded`.
 *
 * What you must believe: what lrnn-check (or lrnn-check-wired) needs for the claim; real.c,
 * schedule.c, unrounded.c and, for chunk64, chunk64.c; U1 to U10 of theory/pages/unrounded.md; and
 * that the machine you mean forms the numbers that models/network/schedule/schedule.h defines for
 * the named schedule. After the claim's own verdict there is one for each format and schedule:
 *
 *     s VERIFIED unrounded CLAIM label .. COUNTS [with ..] FORMAT SCHEDULE decoder D fsa ..
 *
 * States are codes here, and a code is the one nearest to itself. */
#include "theory/check/unrounded.h"
#include "theory/check/wired.h"

int main(int argc, char **argv)
{
    static const program self = {.name = "lrnn-check-unrounded",
                                 .version = LRNN_CHECK_VERSION,
                                 .sources = LRNN_CHECK_SOURCES,
                                 .grammar = &wired_grammar,
                                 .claims = exact_claims,
                                 .claim_kinds = EXACT_CLAIMS,
                                 .pass = pass_wired,
                                 .leads = leads_exactly,
                                 .holds = is_code,
                                 .read_more = read_unrounded,
                                 .check_more = check_unrounded,
                                 .print_more = print_unrounded};
    return run_checker(argc, argv, &self);
}
