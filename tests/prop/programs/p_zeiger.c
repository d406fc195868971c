/* Zeiger forms by brute force: all automata with two letters and up to 3 states and random ones
 * with 4 to 10, each built, verified, and verified in all formats; runs on words of 1,000 letters
 * beside the rule and the automaton; joint closures beside the verdict where they are small;
 * changed networks, where whatever is still verified must be right; and one automaton of 235
 * states. */
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/zeiger_mutants.h"
#include "tests/support/theory/zeiger_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/form.h"
#include "theory/construct/zeiger/zeiger.h"

#define SEED 20261122
#define LETTERS_PER_WORD 1000
#define RUN_EVERY 10   /* random automata per run; all small ones are run */
#define ROUND_EVERY 40 /* automata per run in a format */
#define MOST_ROWS 20000
#define FORMATS 4

typedef struct totals {
    size_t passed, failed, seen, run, closed, single;
} totals;

static const f2l_schedule *schedule(void)
{
    return f2l_schedule_find("every");
}

/* Makes the first letter of every second automaton a permutation: random maps hardly ever permute
 * all states. */
static void permute_first_letter(f2l_fsa *fsa, f2l_rng *rng)
{
    const size_t n = fsa->states.count;
    for (size_t q = 0; q < n; q++) table_set(fsa, q, 0, q);
    for (size_t q = n; q > 1; q--) {
        const size_t other = (size_t)f2l_rng_below(rng, q), kept = fsa->next[other * 2];
        table_set(fsa, other, 0, fsa->next[(q - 1) * 2]);
        table_set(fsa, q - 1, 0, kept);
    }
}

/* Returns whether the network is verified exactly, and in all formats or in number `only` of
 * them. */
static bool verified(const f2l_net *net, const f2l_fsa *fsa, size_t only, f2l_error *err)
{
    f2l_form_verdict v;
    bool good = f2l_form_zeiger.verify(&v, net, fsa, NULL, NULL, NULL, err) == F2L_OK &&
                v.verdict == F2L_OK;
    for (const f2l_format *f = f2l_formats; good && f->name; f++)
        good = (only < FORMATS && f != &f2l_formats[only]) ||
               (f2l_form_zeiger.verify(&v, net, fsa, f, schedule(), NULL, err) == F2L_OK &&
                v.verdict == F2L_OK);
    if (!good) snprintf(err->text, sizeof err->text, "%s", v.reason);
    return good;
}

/* Returns the number of errors on a random word; format NULL: exactly only. */
static size_t wrong_on_a_word(const f2l_net *net, f2l_fsa *fsa, size_t length, const char *format,
                              f2l_rng *rng)
{
    f2l_float_net *rounded = NULL;
    if (format &&
        f2l_float_net_new(&rounded, net, f2l_format_find(format), schedule(), NULL) != F2L_OK)
        return 1;
    const size_t wrong = rule_run(net, fsa, rounded, length, rng);
    f2l_float_net_free(rounded);
    return wrong;
}

/* Returns whether the network closes exactly and in bf16, with the same rows, because a run in bf16
 * equals the exact one. */
static bool closes(const f2l_net *net, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_closure c;
    f2l_closure_init(&c);
    bool good = f2l_closure_exact(&c, net, fsa, 0, NULL, err) == F2L_OK && c.verdict == F2L_OK;
    const size_t rows = c.rows;
    good = good &&
           f2l_closure_float(&c, net, fsa, f2l_format_find("bf16"), schedule(), 0, NULL, err) ==
               F2L_OK &&
           c.verdict == F2L_OK && c.rows == rows;
    f2l_closure_clear(&c);
    return good;
}

static void one(f2l_fsa *fsa, const char *what, f2l_rng *rng, void *context)
{
    static const char *const format[] = {"bf16", "fp16", "fp32", "fp64"};
    totals *t = context;
    f2l_net net;
    f2l_error err = {0};
    const size_t n = fsa->states.count, turn = t->seen++;
    if (n > 3 && turn % 2) permute_first_letter(fsa, rng);
    fsa->start = f2l_rng_below(rng, n);
    f2l_net_init(&net);
    f2l_status status = f2l_zeiger_build(&net, fsa, F2L_LABEL_STATES, NULL, &err);
    bool good =
        n == 1 ? status == F2L_EDOMAIN
               : status == F2L_OK && verified(&net, fsa, n > 3 ? turn % FORMATS : FORMATS, &err);
    t->single += n == 1;
    if (good && n > 1 && (n <= 3 || turn % RUN_EVERY == 0)) {
        good =
            wrong_on_a_word(&net, fsa, LETTERS_PER_WORD,
                            turn % ROUND_EVERY ? NULL : format[turn / ROUND_EVERY % 4], rng) == 0;
        t->run++;
    }
    if (good && n > 1 && n <= 4) {
        good = closes(&net, fsa, &err);
        t->closed++;
    }
    t->passed += good;
    t->failed += !good;
    if (!good && t->failed < 20) printf("FAILED: %s (turn %zu): %s\n", what, turn, err.text);
    f2l_net_clear(&net);
}

#define NO_MEANING MUTANT_KINDS

typedef struct mutant_totals {
    size_t invalid, accepted, refused, refused_but_right, wrongly_accepted, misjudged;
    size_t caught[MUTANT_KINDS + 1]; /* refused and wrong, by kind */
} mutant_totals;

/* Returns whether the network is right by the automaton's table. */
static bool right(const f2l_net *net, const f2l_fsa *fsa)
{
    f2l_closure c;
    f2l_closure_init(&c);
    const bool good =
        f2l_closure_exact(&c, net, fsa, MOST_ROWS, NULL, NULL) == F2L_OK && c.verdict == F2L_OK;
    f2l_closure_clear(&c);
    return good;
}

static void judge(const f2l_net *net, const f2l_fsa *fsa, size_t kind, mutant_totals *t)
{
    f2l_form_verdict v;
    f2l_error err = {0};
    if (f2l_wired_validate(net, NULL) != F2L_OK) {
        t->invalid++;
        return;
    }
    const bool good = right(net, fsa);
    const bool accepted = f2l_form_zeiger.verify(&v, net, fsa, NULL, NULL, NULL, NULL) == F2L_OK &&
                          v.verdict == F2L_OK;
    t->accepted += accepted;
    t->refused += !accepted;
    t->refused_but_right += !accepted && good;
    t->wrongly_accepted += accepted && !(good && verified(net, fsa, FORMATS, &err));
    t->caught[kind] += !accepted && !good;
    t->misjudged += kind == NO_MEANING && !accepted;
}

static size_t mutants(void)
{
    mutant_totals t = {0};
    const size_t count = brute_force_share(14000);
    for (size_t i = 0; i < count; i++) {
        const size_t kind = i % (MUTANT_KINDS + 1);
        f2l_rng rng;
        f2l_fsa fsa;
        f2l_net net;
        f2l_rng_init(&rng, SEED, i);
        table_random(&fsa, 2 + i / 2 % 3, 2, &rng);
        if (i / 6 % 2) permute_first_letter(&fsa, &rng);
        f2l_net_init(&net);
        if (f2l_zeiger_build(&net, &fsa, F2L_LABEL_STATES, NULL, NULL) != F2L_OK) abort();
        if (kind == NO_MEANING ? mutate_without_meaning(&net, &rng) : mutate(&net, &rng, kind))
            judge(&net, &fsa, kind, &t);
        f2l_net_clear(&net);
        f2l_fsa_clear(&fsa);
    }
    size_t useless = 0; /* changes that never did harm test nothing */
    for (size_t kind = 0; kind < MUTANT_KINDS; kind++) useless += t.caught[kind] == 0;
    printf("%zu changed networks: %zu invalid, %zu refused (%zu of them right all the same), %zu "
           "verified, of these %zu wrong; %zu refused though nothing had changed\n",
           count, t.invalid, t.refused, t.refused_but_right, t.accepted, t.wrongly_accepted,
           t.misjudged);
    if (useless) printf("%zu kinds of changes did no harm\n", useless);
    return t.wrongly_accepted + t.misjudged + (t.accepted == 0) + useless;
}

static size_t large(void)
{
    const size_t n = 235, length = brute_force_is_short() ? 10 : 100;
    f2l_rng rng;
    f2l_fsa fsa;
    f2l_net net;
    f2l_error err = {0};
    f2l_rng_init(&rng, SEED, n);
    table_random(&fsa, n, 3, &rng);
    f2l_net_init(&net);
    size_t wrong = f2l_zeiger_build(&net, &fsa, F2L_LABEL_STATES, NULL, &err) != F2L_OK;
    if (!wrong) wrong = !verified(&net, &fsa, FORMATS, &err);
    if (!wrong) wrong = wrong_on_a_word(&net, &fsa, length, "bf16", &rng);
    printf("%zu states, %zu letters: %zu wrong %s\n", n, length, wrong, err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
    return wrong;
}

int main(void)
{
    totals t = {0};
    const size_t random = brute_force(SEED, one, &t);
    printf("seed %d, %zu random automata: %zu run on %d letters, %zu closed, %zu of one "
           "state\n",
           SEED, random, t.run, LETTERS_PER_WORD, t.closed, t.single);
    t.failed += mutants() + large();
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed != 0;
}
