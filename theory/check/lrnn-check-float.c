/* lrnn-check-float AUTOMATON NETWORK CERTIFICATE: claims float and refuted, of networks of
 * layers over Q.
 *
 * What you must believe: the shared reader and claim.c (lrnn-check.c lists of what), real.c,
 * schedule.c and float.c, libc and GMP; C1 and C2 of theory/pages/closure.md (float), OB.5 of
 * theory/pages/obstruct.md (refuted); and that the machine you mean rounds as
 * models/network/schedule/schedule.h defines for the named schedule. The verdict is about that
 * format and schedule, all fields of which it repeats, and about no other:
 *     s VERIFIED float .. rows R [with ..] FORMAT SCHEDULE decoder D fsa ..
 *                                                 right on all words
 *     s VERIFIED refuted .. length N period P wrong W rows R ..
 *                                                 wrong after N letters of the word, not before,
 *                                                 and at W of P lengths as often as they come
 *                                                 back */
#include "theory/check/real.h"

int main(int argc, char **argv)
{
    static const grammar rationals = {0};
    static const claim claims[] = {
        {"float", true, false, read_float_terms, read_float_rows, check_float_rows},
        {"refuted", true, false, read_float_terms, read_refuted, check_refuted}};
    static const program self = {.name = "lrnn-check-float",
                                 .version = LRNN_CHECK_VERSION,
                                 .sources = LRNN_CHECK_SOURCES,
                                 .grammar = &rationals,
                                 .claims = claims,
                                 .claim_kinds = 2};
    return run_checker(argc, argv, &self);
}
