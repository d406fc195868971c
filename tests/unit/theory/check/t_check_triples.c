/* Whole triples written by hand, with networks that the compiler does not make: letters that act
 * alike, and outputs of transitions. */
#include "tests/support/check/check_support.h"

/* Parity: x changes the state, y does nothing, z acts as x. A transition gives `carry` where it
 * goes from b to a. */
static const char automaton_bytes[] = "fsa 1\n"
                                      "letters x y z\n"
                                      "states a b\n"
                                      "start a\n"
                                      "a x b no\n"
                                      "a y a no\n"
                                      "a z b no\n"
                                      "b x a carry\n"
                                      "b y b no\n"
                                      "b z a carry\n";

static const char one_head[] = "head 1 key 1 value 1\n"
                               "initial 1.1:1\n"
                               "on 1 gate 1 factors 1\n"
                               "factor 2 u 1:1\n"
                               "on 2 gate 1 factors 0\n";

/* A layer whose two letters are the classes, and which gives the edges' outputs: by letter and
 * code, or by letter and part of a code. */
static const char step_network[] =
    "field Q\nlabel edges\nletters 3\nletter x\nletter y\nletter z\nletter-classes 2 1 2 1\n"
    "labels 2\nsymbol no\nsymbol carry\nstart -\n"
    "layers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode step\n%s"
    "code 1 * 1.1:1\ncode 2 * 1.1:-1\nyield 1 1 2\nyield 1 2 1\nyield 2 1 1\nyield 2 2 1\nend\n";
static const char part_network[] =
    "field Q\nlabel edges\nletters 3\nletter x\nletter y\nletter z\nletter-classes 2 1 2 1\n"
    "labels 2\nsymbol no\nsymbol carry\nstart -\n"
    "layers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode part\nparts 2\n%s"
    "code 1 1 1.1:1\ncode 2 2 1.1:-1\nyield 1 1 2 1\nyield 2 1 1 1\nend\n";

static const char exact_certificate[] =
    "claim exact\nsize layers 1 heads 1 householders 1 key 1 value 1\nletters 2 states 2 rows 2\n"
    "row 1 state 1 codes 1 next 2 1\nrow 2 state 2 codes 2 next 1 2\nend 2\n";
static const char cascade_certificate[] = "claim cascade\n"
                                          "size layers 1 heads 1 householders 1 key 1 value 1\n"
                                          "letters 2 states 2 sets 3 levels 1\n"
                                          "set 1 level 1 members 1 2 cover 2 3\n"
                                          "set 2 level 2 members 1\n"
                                          "set 3 level 2 members 2\n"
                                          "level 1 layers 1 contexts 2 pairs 2\n"
                                          "context 1 letter 1 from 1 to 1\n"
                                          "context 2 letter 2 from 1 to 1\n"
                                          "pair 1 set 1 codes 1 next 2 1\n"
                                          "pair 2 set 1 codes 2 next 1 2\n"
                                          "start 1\n"
                                          "end 3\n";

enum which { FSA, NETWORK, CERTIFICATE };

typedef struct change {
    enum which file;
    const char *was, *now;
} change;

/* Returns the exit status for the triple with the change, if any. */
static int status_with(const triple *good, const change *c, char *printed, size_t size)
{
    const char *file[] = {good->fsa, good->network, good->certificate};
    char *changed = c ? replaced(file[c->file], c->was, c->now) : NULL;
    if (c) file[c->file] = changed;
    const int status =
        verdict_of((triple){file[FSA], file[NETWORK], file[CERTIFICATE]}, printed, size);
    free(changed);
    return status;
}

static void judge_all(const triple *good, const char *verdict, const change *wrong, size_t count)
{
    char printed[1000];
    cr_assert_eq(status_with(good, NULL, printed, sizeof printed), VERIFIED);
    cr_assert(strncmp(printed, verdict, strlen(verdict)) == 0, "%s", printed);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(status_with(good, &wrong[i], printed, sizeof printed), NOT_VERIFIED,
                     "`%s` for `%s`", wrong[i].now, wrong[i].was);
        cr_assert_str_eq(printed, "s NOT VERIFIED\n");
    }
}

/* Changes that are wrong for every claim. */
static const change wrong[] = {
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 1 2 2"}, /* they do not act alike */
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 1 1 2"},
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 2 1 2"}, /* numbered another way */
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 1 3 1"},
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 1 2"},
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 1 2 1 1"},
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 2 1 1 1"}, /* an empty class */
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 3 1 2 1"},
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 3 1 2 3"},
    {NETWORK, "letter-classes 2 1 2 1", "letter-classes 1 1 2 1"},
    {NETWORK, "letter-classes 2 1 2 1\n", ""},
    {NETWORK, "letter-classes 2 1 2 1\n", "letter-classes 2 1 2 1\nletter-classes 2 1 2 1\n"},
    {NETWORK, "start -", "start 1"},
    {NETWORK, "label edges\n", "label states\n"},
    {NETWORK, "symbol carry", "symbol borrow"},
    {FSA, "b z a carry", "b z b no"}, /* z no longer acts as x */
    {FSA, "b z a carry", "b z a no"}, /* only its output differs */
    {FSA, "a z b no", "a z b carry"},
    {FSA, "b y b no", "b y b carry"}, /* the network gives another one */
    {FSA, "a y a no", "a y a \"\""},
    {CERTIFICATE, "letters 2", "letters 3"},
};

Test(check_triples, outputs_of_transitions_exact)
{
    char network_bytes[1000];
    snprintf(network_bytes, sizeof network_bytes, step_network, one_head);
    const triple good = {automaton_bytes, network_bytes, exact_certificate};
    static const change more[] = {
        {NETWORK, "yield 1 1 2", "yield 1 1 1"},
        {NETWORK, "yield 1 2 1", "yield 1 2 2"},
        {NETWORK, "yield 2 2 1", "yield 2 2 2"},
        {NETWORK, "yield 2 2 1\n", ""},
        {CERTIFICATE, "row 2 state 2 codes 2 next 1 2", "row 2 state 1 codes 2 next 1 2"},
    };
    static const char verdict[] =
        "s VERIFIED exact label edges letters 3 states 2 layers 1 heads 1 householders 1 "
        "key 1 value 1 rows 2 with letter-classes fsa ";
    judge_all(&good, verdict, wrong, sizeof wrong / sizeof *wrong);
    judge_all(&good, verdict, more, sizeof more / sizeof *more);
}

Test(check_triples, outputs_of_transitions_cascade)
{
    char network_bytes[1000];
    snprintf(network_bytes, sizeof network_bytes, part_network, one_head);
    const triple good = {automaton_bytes, network_bytes, cascade_certificate};
    static const change more[] = {
        {NETWORK, "yield 1 1 2 1", "yield 1 1 1 1"},
        {NETWORK, "yield 1 1 2 1", "yield 1 1 2 2"},
        {NETWORK, "yield 2 1 1 1", "yield 2 1 1 2"},
        {NETWORK, "yield 2 1 1 1", "yield 2 1 1 -"},
        {CERTIFICATE, "cover 2 3", "cover 3 2"},
        {CERTIFICATE, "cover 2 3", "cover 2"},
        {CERTIFICATE, "set 2 level 2 members 1", "set 2 level 2 members 1 2"}, /* 2 outputs in one
                                                                                  old set */
        {CERTIFICATE, "set 3 level 2 members 2", "set 3 level 1 members 2"},
    };
    static const char verdict[] =
        "s VERIFIED cascade label edges letters 3 states 2 layers 1 heads 1 householders 1 "
        "key 1 value 1 pairs 2 with letter-classes fsa ";
    judge_all(&good, verdict, wrong, sizeof wrong / sizeof *wrong);
    judge_all(&good, verdict, more, sizeof more / sizeof *more);
}

/* The same with labels of states, and with letters that differ. */
Test(check_triples, states)
{
    static const char plain[] =
        "fsa 1\nletters x y\nstates a b\nstart a\na x b\na y a\nb x a\nb y b\n",
                      layer_bytes[] = "field Q\n"
                                      "label states\n"
                                      "letters 2\n"
                                      "letter x\n"
                                      "letter y\n"
                                      "labels 2\n"
                                      "symbol a\n"
                                      "symbol b\n"
                                      "start 1\n"
                                      "layers 1\n"
                                      "layer 1 letters 2 heads 1 codes 2 symbols 2 decode state\n"
                                      "%scode 1 1 1.1:1\n"
                                      "code 2 2 1.1:-1\n"
                                      "end\n";
    char network_bytes[1000];
    snprintf(network_bytes, sizeof network_bytes, layer_bytes, one_head);
    const triple good = {plain, network_bytes, exact_certificate};
    static const change no[] = {
        {NETWORK, "start 1", "start -"},
        {NETWORK, "label states", "label edges"},
        {NETWORK, "letter y\n", "letter y\nletter-classes 1 1 1\n"},
        {NETWORK, "letter y\n", "letter y\nletter-classes 2 1 2\n"},
        {CERTIFICATE, "codes 1 next 2 1", "codes 1 next 1 1"},
    };
    judge_all(&good,
              "s VERIFIED exact label states letters 2 states 2 layers 1 heads 1 householders 1 "
              "key 1 value 1 rows 2 fsa ",
              no, sizeof no / sizeof *no);
}
