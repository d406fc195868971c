/* horizon-check AUTOMATON CONFIG WEIGHTS CERTIFICATE: is a learned network right on all words of up
 * to T letters? Or wrong for ever, or without a margin?
 *
 * The claims are about the network of one layer that config.json describes, and about what it gives
 * after each letter of a word: right is the state of the automaton as the only largest logit. With
 * a begin letter the words follow it. Scope `exact`: with the float32 numbers of
 * weights.safetensors as real numbers and all its functions exact. Scopes `fp32 any-order` and
 * `fp64 any-order`: with every operation rounded, as LH.8 says.
 *
 * CONFIG and WEIGHTS are read to their last byte, as the one text that the trainer writes.
 *
 * CERTIFICATE:
 *     horizon-cert 2, or learned-cert 1
 *     fsa SHA256
 *     config SHA256
 *     weights SHA256
 *     scope exact, or another one
 *     claim settles              of learned-cert only; or forever, or finite, or roots
 *     ..                         the lines of the claim: learned_balls.c has a horizon's,
 *                                learned_settle.c a limit's, learned_forever.c all words,
 *                                learned_finite.c all words by finitely many states,
 *                                learned_roots.c roots of unity that are missing
 *     end
 *
 *     s VERIFIED horizon T scope SCOPE ...   exit status 0; `over w_1,w_2,..` where the words have
 *                                            not all letters
 *     s VERIFIED settles scope exact ...     the same
 *     s VERIFIED forever leaves N scope ..   the same: right on all words; or `joint N`
 *     s VERIFIED roots order N prime N ..    the same: there is no margin for ever
 *     s NOT VERIFIED                         1
 *     s UNKNOWN                              2, a limit was reached; a wrong command line: 64 */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef LRNN_CHECK_VERSION
#define LRNN_CHECK_VERSION "unknown"
#endif
#ifndef LRNN_CHECK_SOURCES
#define LRNN_CHECK_SOURCES "unknown"
#endif

static const size_t SEARCH = 30000000000; /* steps for the words that a minute proves */

static void hash_line(text *t, const char *word, const text *file, char hex[65])
{
    sha256_hex(hex, file->bytes, left(file));
    expect(t, word);
    whole_line(t, hex);
}

typedef void claim_judge(proof *p);

/* Reads the line that says what is claimed; returns what reads the lines behind it. */
static claim_judge *read_claim(proof *p, bool horizon)
{
    static const struct {
        const char *line;
        claim_judge *judge;
    } claims[] = {{"claim forever", judge_forever},
                  {"claim finite", judge_finite},
                  {"claim roots", judge_roots},
                  {"claim settles", judge_settles}};
    if (horizon) return judge_horizon;
    size_t i = 0;
    while (i < 3 && !comes(p->t, claims[i].line)) i++;
    whole_line(p->t, claims[i].line);
    p->net.exact = claims[i].judge == judge_finite || claims[i].judge == judge_roots;
    return claims[i].judge;
}

void print_network(const proof *p)
{
    printf(" scope %s label states letters %zu states %zu layers 1 heads %zu", p->net.scope->name,
           p->a.kinds, p->a.states.count, p->net.heads);
}

static void judge(text *fsa, text *config, text *weights, text *t)
{
    /* In binary32 and binary64 an underflow is off by at most 2^-120 and 2^-1000. */
    static const scope scopes[] = {{"fp32 any-order", 0x1.04p-24, 0x1p-24, 0x1p20},
                                   {"fp64 any-order", 0x1.04p-53, 0x1p-500, 0x1p20},
                                   {"exact", 0, 0x1p-500, INFINITY}};
    proof p = {.t = t, .net.scope = scopes};
    char fsa_hex[65], config_hex[65], weights_hex[65];
    const bool horizon = comes(t, "horizon-cert");
    whole_line(t, horizon ? "horizon-cert 2" : "learned-cert 1");
    hash_line(t, "fsa ", fsa, fsa_hex);
    key_sets(fsa_hex);
    hash_line(t, "config ", config, config_hex);
    hash_line(t, "weights ", weights, weights_hex);
    self_files = NULL;
    expect(t, "scope ");
    while (p.net.scope->unit > 0 && !comes(t, p.net.scope->name)) p.net.scope++;
    whole_line(t, p.net.scope->name);
    claim_judge *const judge_claim = read_claim(&p, horizon);
    read_automaton(&p.a, fsa);
    read_config(&p.net, config, &p.a, fsa_hex);
    read_weights(&p.net, weights);
    if (!p.net.exact) p.letter = read_letters(&p.net);
    p.answers = new_answers(&p.net);
    judge_claim(&p);
    print_added(&p.a);
    printf(" fsa %s config %s weights %s\n", fsa_hex, config_hex, weights_hex);
}

static const char usage[] =
    "usage: horizon-check [--budget N] [--memory SIZE] [--time-limit SECONDS]\n"
    "                     AUTOMATON CONFIG WEIGHTS CERTIFICATE\n"
    "       horizon-check --help | --version\n"
    "Checks a certificate of `fsa2lrnn horizon`: a trained network is right on all words of up to\n"
    "T letters, or of every length, or settles to a wrong answer, or has no margin for ever. Exit\n"
    "status 0 `s VERIFIED ...`, 1 `s NOT VERIFIED`, 2 `s UNKNOWN`, at a limit.\n"
    "\n"
    "  --budget N             N times the default budget, which grows with the files\n"
    "  --memory SIZE          at most SIZE bytes instead of the budget's, with the files; K, M\n"
    "                         and G are 1024, 1024^2 and 1024^3\n"
    "  --time-limit SECONDS   ends the run after this time; off by default\n"
    "\n"
    "example: horizon-check RUN/automaton.fsa RUN/config.json RUN/weights.safetensors \\\n"
    "             RUN/horizon.cert\n";

int main(int argc, char **argv)
{
    options o = {0};
    self_name = "horizon-check";
    self_files = "RUN/automaton.fsa, RUN/config.json, RUN/weights.safetensors and the certificate";
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("horizon-check %s, sources sha256 %s\n", LRNN_CHECK_VERSION, LRNN_CHECK_SOURCES);
        return end_output(0);
    }
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    const int used = read_options(&o, argc, argv);
    if (help || used < 0 || argc != used + 5 || argv[used + 1][0] == '-') {
        fputs(usage, help ? stdout : stderr);
        return help ? end_output(0) : USAGE;
    }
    limit_time(&o);
    static text file[4];
    read_files(file, 4, argv + used + 1, NULL, &o, 4000);
    rest.steps += (o.budget > 0 ? o.budget : 1) * SEARCH;
    judge(&file[0], &file[1], &file[2], &file[3]);
    return end_output(VERIFIED);
}
