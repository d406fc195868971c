/* The compiler: f2l_compile takes an automaton and returns the best network that a construction
 * gives, with its verdicts; with `all` it returns a list of what every construction gives.
 *
 * The constructions are the table in theory/compile/constructions.h: T3, R1, R2, K, D1, D2, T5, T4,
 * G, R8, Z, one row per variant. A row that applies is built, verified exactly, and closed in bf16.
 * The best network is the least by (verified exactly; in bf16 at all lengths exact, then verified
 * though rounded; layers; factors per token summed over heads; total state numbers; table entries);
 * on equal figures a published construction wins.
 *
 * The search (theory/compile/compile_search.c) tries the rows that take least time first, among
 * them the rule form Z. Cascades with tables come last, the one of fewest levels first; the
 * families of all of them are made before any table is. A row is not built
 *  - when it cannot be better than the best so far: every row has lower bounds on the figures of
 *    its networks;
 *  - without bounds, when its keys may have to be rounded (R1 except for dyadic keys, R2, D2, T5),
 *    or when it is a cascade of a permutation automaton for which another row is verified;
 *  - when its share of the counted steps (`effort`) does not suffice: three quarters of what is
 *    left, and all that is left once every other row had its share.
 * Rows with gates or naive keys that the options do not ask for are considered only within bounds
 * that no other VERIFIED network keeps; rows for other target classes are considered within bounds.
 * When the options ask for a cascade, Z is built only if no such cascade can be built. Only the
 * winner is closed in the other formats. A list (`all`) builds all rows; its best is the same as
 * without `all`. A task that is cancelled, or whose time is over, ends the search; the result is
 * then the best network verified so far. */
#ifndef F2L_COMPILE_H
#define F2L_COMPILE_H

#include "models/network/wired/network_text.h"
#include "theory/construct/result.h"

/* Compiles `fsa` into *out (initialised). `fsa` must be trimmed, deterministic and total, and must
 * not change while *out lives. Returns F2L_OK when a network was built, whatever its verdicts are.
 * Returns F2L_EDOMAIN when the schedule is not for a format, when no construction applies (naive
 * keys for an automaton that is not a permutation automaton), or when no network is within the
 * bounds: the text names the nearest ones.
 * Returns F2L_UNKNOWN when the time or the memory stopped the construction, or when it is open
 * whether a network is within the bounds. With `all` it also returns F2L_OK when some networks were
 * built but none is within the bounds: *out then has no network, and `unmet` gives the reason. */
f2l_status f2l_compile(f2l_compile_result *out, const f2l_fsa *fsa,
                       const f2l_compile_options *options, const f2l_task *task, f2l_error *err);

/* Sets what the entry, which is zero or of the same construction, tells about the network of the
 * result: construction, gates, figures, and verdicts in all formats that the result has. */
void f2l_compile_record(f2l_compile_entry *entry, const f2l_compile_result *result);

/* Returns the option of `compile` that asks for the class, "--target diagonal"; NULL for
 * F2L_COMPILE_ANY. */
const char *f2l_compile_target_option(f2l_compile_target target);

/* Sets *out to the network with the letters of `fsa`, the caller's automaton, as files have it: it
 * reads them by class where `merge_letters` found classes. All members are borrowed. */
void f2l_compile_model(f2l_net *out, const f2l_compile_result *result, const f2l_fsa *fsa);

/* Returns the letters of the network as its proofs and witnesses number them. */
const f2l_names *f2l_compile_names(const f2l_compile_result *result, const f2l_fsa *fsa);

/* Writes the certificate of an exact verdict F2L_OK: the certificate of whatever proved it. */
f2l_status f2l_compile_certificate(f2l_buf *out, const f2l_compile_result *result,
                                   const f2l_fsa *fsa, const char network_sha256[65],
                                   f2l_error *err);

/* Returns whether `a` dominates `b`: `a` has no more layers, Householder factors of a head, key
 * dimension, factors per token, state numbers and table entries than `b`, has gates only if `b`
 * has, is verified at all lengths in every format in which `b` is, is exact in bf16 if `b` is, and
 * is better than `b` in at least one of these. Both must be built. */
bool f2l_compile_dominates(const f2l_compile_entry *a, const f2l_compile_entry *b);

#endif
