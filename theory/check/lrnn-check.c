/* lrnn-check AUTOMATON NETWORK CERTIFICATE: does the network give, after every letter of every
 * word, the label of the state that the automaton is in?
 *
 * It shares no code with the compiler that wrote the three files, and it searches nothing. Of a
 * network of layers over Q, raw heads and biases included, it checks claim exact and claim
 * cascade itself, and that is all there is in it:
 *
 *     text.c        names, numbers, SHA-256, the budget        }
 *     automaton.c   the automaton's file                        } the shared reader, reader.h
 *     network.c     the network's file, and one exact step      }
 *     claim.c       the certificate around a claim, claim exact, the verdict
 *     cascade.c     claim cascade
 *     lrnn-check.c  this file: which program a triple is for
 *
 * What you must believe of `s VERIFIED exact` and `s VERIFIED cascade` from this program: these
 * six files, libc, GMP, and
 * - for exact: C1 and C2 of theory/pages/closure.md, an induction on the length of words, given
 *   at the head of claim.c;
 * - for cascade: T4.10 of theory/pages/t4.md, an induction on the length of words and the
 *   levels, given at the head of cascade.c.
 * The statement proved: for every word over the automaton's letters, the network in exact
 * rational arithmetic, decoded by equal codes, gives the label (of the kind named) of the state
 * that the automaton in the file with the hash `fsa` is in.
 *
 * A triple of another kind is handed, as it was read, to the program for it, in the folder of this
 * one, never one found by PATH; its output and exit status are what the caller sees:
 *     lrnn-check-field      exact and cascade with heads over number fields, forms or boxes
 *     lrnn-check-wired      exact, zeiger, d1 and blocks of wired networks
 *     lrnn-check-swaps      swaps: layers whose factors exchange points
 *     lrnn-check-float      float and refuted: rounded arithmetic
 *     lrnn-check-unrounded  any certificate with formats in which nothing rounds
 * The heads of their files list what you must believe of their verdicts.
 *
 * One line on standard output is the verdict (after it, lines for formats in which nothing
 * rounds), the reason for another one goes to standard error, and a wrong command line exits
 * with 64 and no verdict:
 *     s VERIFIED CLAIM label KIND letters K states Q layers L heads H householders N key n value
 *         d COUNTS [with FLAG ..]
 *         [FORMAT SCHEDULE decoder nearest|linear]
 *         [added STATE absorbing [rejecting] source SHA256]
 *         fsa SHA256 network SHA256                    exit status 0; K, Q: of the automaton
 *     s NOT VERIFIED                                   something in the files is wrong      1
 *     s UNKNOWN                                        a limit was reached, a file cannot be
 *                                                      read, or the companion program is
 *                                                      missing      2
 * COUNTS: exact rows R; cascade pairs P, of all levels; others at the heads of their files.
 * FLAG: wired, field, form, raw, bias, boxes, letter-classes, each where something of the
 * network has it. */
#include "theory/check/claim.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns whether a line begins with these words. No name of a file has a line end in it. */
static bool has_line(const text *t, const char *words)
{
    const size_t size = strlen(words);
    const char *at = t->bytes;
    while (at && (size_t)(t->end - at) >= size) {
        if (memcmp(at, words, size) == 0) return true;
        at = memchr(at, '\n', (size_t)(t->end - at));
        at += at != NULL;
    }
    return false;
}

/* Returns the program for this triple, or NULL for this one. */
static const char *program_for(const text *lrnn, const text *cert)
{
    if (has_line(cert, "claim float\n") || has_line(cert, "claim refuted\n"))
        return "lrnn-check-float";
    if (has_line(cert, "unrounded format ")) return "lrnn-check-unrounded";
    if (has_line(cert, "claim swaps\n")) return "lrnn-check-swaps";
    if (comes(lrnn, "lrnn-wired ") || has_line(cert, "claim zeiger\n") ||
        has_line(cert, "claim d1\n") || has_line(cert, "claim blocks\n") ||
        has_line(cert, "claim product\n"))
        return "lrnn-check-wired"; /* of layers it refuses these claims */
    /* the line `field Q` is in every network; a field of a head begins with an integer, and has an
     * interval */
    if (has_line(lrnn, "form ") || has_line(lrnn, "box ") || has_line(lrnn, "field -"))
        return "lrnn-check-field";
    for (char word[] = "field 0"; word[6] <= '9'; word[6]++)
        if (has_line(lrnn, word)) return "lrnn-check-field";
    return NULL;
}

/* Makes what was read of the files standard input: a process that ends with the last byte writes
 * them to a pipe. So no file is read twice: it may be a pipe itself, or change. */
static void give_files(const text *file)
{
    int end[2];
    const pid_t child = pipe(end) == 0 ? fork() : -1;
    if (child < 0) give_up("the files cannot be handed to the program for them");
    if (child == 0) close(end[0]); /* so that a write fails where no program is left to read */
    for (int i = 0; child == 0 && i < 3; i++)
        for (const char *at = file[i].bytes; at < file[i].end;) {
            const ssize_t size = write(end[1], at, (size_t)(file[i].end - at));
            if (size < 0) _exit(1);
            at += size;
        }
    if (child == 0) _exit(0);
    close(end[1]);
    if (end[0] != STDIN_FILENO) dup2(end[0], STDIN_FILENO), close(end[0]);
}

static void hand_over(const text *file, int argc, char **argv)
{
    char path[4096], sizes[64];
    const char *companion = program_for(&file[1], &file[2]);
    if (!companion) return;
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 64);
    if (size <= 0 || size >= (ssize_t)sizeof path - 64)
        give_up("the folder of this program cannot "
                "be found");
    path[size] = '\0';
    char *end = strrchr(path, '/') + 1;
    snprintf(end, sizeof path - (size_t)(end - path), "%s", companion);
    snprintf(sizes, sizeof sizes, "%zu,%zu,%zu", left(&file[0]), left(&file[1]), left(&file[2]));
    char **words = grab((size_t)argc + 3, sizeof *words);
    memcpy(words, (char *[]){path, "--stdin", sizes}, 3 * sizeof *words);
    memcpy(words + 3, argv + 1, (size_t)argc * sizeof *words); /* with the NULL behind them */
    give_files(file);
    execv(path, words);
    fprintf(stderr, "lrnn-check: %s: ", path);
    perror(NULL);
    give_up("this triple needs a program that is not there");
}

int main(int argc, char **argv)
{
    static const grammar rationals = {0};
    static const claim claims[] = {{"exact", true, false, NULL, read_rows, check_rows},
                                   {"cascade", true, false, NULL, read_cascade, check_cascade}};
    static const program self = {.name = "lrnn-check",
                                 .version = LRNN_CHECK_VERSION,
                                 .sources = LRNN_CHECK_SOURCES,
                                 .grammar = &rationals,
                                 .claims = claims,
                                 .claim_kinds = 2,
                                 .pass = pass_layers,
                                 .leads = leads_exactly,
                                 .holds = is_code,
                                 .hand_over = hand_over};
    return run_checker(argc, argv, &self);
}
