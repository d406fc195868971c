/* lrnn-check-wired AUTOMATON NETWORK CERTIFICATE: does the wired network give, after every
 * letter of every word, the right label?
 *
 * lrnn-check hands it triples whose network begins with `lrnn-wired`, where stages pass numbers
 * on by circuits of table look-ups. Besides the files that all checkers share (lrnn-check.c)
 * there are
 *
 *     wired.c             the network's file, and a pass over all stages: claim exact
 *     form.c              the quotient of the automaton, and gates compared with a form's
 *     zeiger.c            claim zeiger: the network is the rule form of a quotient
 *     d1.c                claim d1: it is a D1 form of a quotient, and its certificate is
 *                         right
 *     blocks.c            claim blocks: it is a blocks form of a quotient, and its certificate
 *                         is right
 *     points.c            claim points: it is a point form of the automaton
 *     product.c           claim product: it has the networks of quotients side by side
 *     lrnn-check-wired.c  this file
 *
 * What you must believe of its verdicts: these files, the files of the shared reader,
 * claim.c, libc, GMP, and
 * - for `s VERIFIED exact .. with wired`: C1 and C2 of theory/pages/closure.md, an induction on
 *   the length of words (claim.c);
 * - for `s VERIFIED zeiger`: Z.6 and Z.10 of theory/pages/zeiger.md, given at the head of
 *   zeiger.c;
 * - for `s VERIFIED d1`: D1.8 of theory/pages/d1.md, given at the head of d1.c;
 * - for `s VERIFIED blocks`: BL.3 and BL.8 of theory/pages/blocks.md, given at the head of
 *   blocks.c;
 * - for `s VERIFIED points`: D1.12 of theory/pages/d1.md, given at the head of points.c;
 * - for `s VERIFIED product`: X.4 of theory/pages/product.md, given at the head of product.c, and
 *   the first three for its parts.
 * The statement proved is the statement of lrnn-check: exact arithmetic, all words. Claims exact,
 * zeiger and blocks may have labels of transitions, too; the others have labels of states. Networks
 * of layers over Q are checked as by lrnn-check. Verdict lines and exit statuses are its own, with
 * COUNTS: exact rows R; zeiger classes N (of the quotient); d1 block B elements G classes N; blocks
 * block B levels L classes N; points block B points n rows R; product parts M. */
#include "theory/check/wired.h"

int main(int argc, char **argv)
{
    static const program self = {.name = "lrnn-check-wired",
                                 .version = LRNN_CHECK_VERSION,
                                 .sources = LRNN_CHECK_SOURCES,
                                 .grammar = &wired_grammar,
                                 .claims = exact_claims,
                                 .claim_kinds = EXACT_CLAIMS,
                                 .pass = pass_wired,
                                 .leads = leads_exactly,
                                 .holds = is_code};
    return run_checker(argc, argv, &self);
}
