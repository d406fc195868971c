/* lrnn-check-swaps AUTOMATON NETWORK CERTIFICATE: does the network, whose factors exchange points,
 * give after every letter of every word the right label?
 *
 * lrnn-check hands it certificates of claim swaps: large networks of one layer, whose rows
 * lrnn-check would have to check by applying all factors of every letter to every code. Besides the
 * files that all checkers share (lrnn-check.c) there are
 *
 *     swaps.c             claim swaps
 *     lrnn-check-swaps.c  this file
 *
 * What you must believe of `s VERIFIED swaps`: these files, the files of the shared reader,
 * claim.c, libc, GMP, and SW.2 and SW.3 of theory/pages/swaps.md, given at the head of swaps.c: a
 * factor of this form exchanges two points; and then C1 and C2 of theory/pages/closure.md, an
 * induction on the length of words (claim.c). The statement proved is the statement of lrnn-check:
 * exact arithmetic, all words. Verdict lines and exit statuses are its own, with COUNTS: rows R. */
#include "theory/check/claim.h"

int main(int argc, char **argv)
{
    static const grammar rationals = {0};
    static const claim claims[] = {{"swaps", true, false, NULL, read_rows, check_swaps}};
    static const program self = {.name = "lrnn-check-swaps",
                                 .version = LRNN_CHECK_VERSION,
                                 .sources = LRNN_CHECK_SOURCES,
                                 .grammar = &rationals,
                                 .claims = claims,
                                 .claim_kinds = 1,
                                 .holds = is_code};
    return run_checker(argc, argv, &self);
}
