/* D1 networks by brute force: random permutation groups on 2 to 8 points, with elements or a point
 * tracked, built for n_h = 1 to 3, verified exactly and in a format, and run on words of 1,000
 * letters beside the automaton; joint closures beside the verdict where they are small; and changed
 * networks, where whatever is still verified must be right. Without F2L_TEST_WHOLE=1 three of ten
 * are tested, with F2L_TEST_SHORT=1 (always under AddressSanitizer) a tenth. */
#include "automata/family/family.h"
#include "automata/group/group.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/d1_support.h"

#define SEED 20261203
#define LETTERS_PER_WORD 1000
#define MOST_JOINT 20000
#define MOST_ELEMENTS 800 /* for larger groups a point is tracked */

/* Draws permutations; on average every second one is the square of the one before, so that small
 * groups occur. */
static void random_images(uint32_t *image, size_t letters, size_t n, f2l_rng *rng)
{
    for (size_t a = 0; a < letters; a++) {
        uint32_t *row = image + a * n;
        for (uint32_t p = 0; p < n; p++) row[p] = p;
        for (size_t i = n; i > 1; i--) {
            const size_t j = f2l_rng_below(rng, i);
            const uint32_t kept = row[i - 1];
            row[i - 1] = row[j];
            row[j] = kept;
        }
        if (a == 0 || f2l_rng_below(rng, 2)) continue;
        for (size_t p = 0; p < n; p++) row[p] = image[(a - 1) * n + image[(a - 1) * n + p]];
    }
}

static void random_automaton(f2l_fsa *fsa, f2l_rng *rng)
{
    const size_t n = 2 + f2l_rng_below(rng, 7), letters = 1 + f2l_rng_below(rng, 3);
    uint32_t image[24];
    f2l_group group;
    random_images(image, letters, n, rng);
    f2l_group_init(&group);
    if (f2l_group_build(&group, image, letters, n, 0, NULL, NULL) != F2L_OK) abort();
    const bool elements = group.order <= MOST_ELEMENTS && f2l_rng_below(rng, 3);
    f2l_group_clear(&group);
    d1_group(fsa, image, letters, n, elements ? n : f2l_rng_below(rng, n));
}

static bool build(f2l_net *net, f2l_d1_report *report, const f2l_fsa *fsa, size_t householders,
                  f2l_error *err)
{
    f2l_gset set;
    f2l_gset_init(&set);
    f2l_status status = f2l_gset_smallest(&set, fsa, 0, NULL, err);
    if (status == F2L_OK)
        status = f2l_d1_build(net, report, fsa, F2L_LABEL_STATES, &set, householders, NULL, err);
    f2l_gset_clear(&set);
    return status == F2L_OK;
}

typedef struct totals {
    size_t failed, closed, longest, rotating, too_large;
} totals;

/* Returns whether the closures find at most report->joint states, equally many in bf16; not tested
 * above MOST_JOINT. */
static bool closes(const f2l_net *net, const f2l_fsa *fsa, const f2l_d1_report *report, totals *t)
{
    size_t exact, rounded;
    if (report->joint > MOST_JOINT) return true;
    t->closed++;
    return d1_joint(net, fsa, NULL, 0, &exact) == F2L_OK && (double)exact <= report->joint &&
           d1_joint(net, fsa, f2l_format_find("bf16"), 0, &rounded) == F2L_OK && rounded == exact;
}

static void one(uint64_t stream, totals *t)
{
    f2l_rng rng;
    f2l_fsa fsa;
    f2l_net net;
    f2l_d1_report report = {0};
    f2l_error err = {0};
    f2l_rng_init(&rng, SEED, stream);
    random_automaton(&fsa, &rng);
    const size_t householders = 1 + stream % 4 / 2 + (stream % 4 == 3), format = stream / 4 % 4;
    f2l_net_init(&net);
    bool good = build(&net, &report, &fsa, householders, &err);
    const bool too_large = err.status == F2L_UNKNOWN && strstr(err.text, "too many states") != NULL;
    good = good && report.householders <= householders && d1_verified(&net, &fsa, format, err.text);
    good = good && d1_run(&net, &fsa, stream % 8 ? NULL : &f2l_formats[format], LETTERS_PER_WORD,
                          &rng) == 0;
    good = good && closes(&net, &fsa, &report, t);
    t->longest = report.layers > t->longest ? report.layers : t->longest;
    t->rotating += report.householders > 1;
    t->too_large += too_large;
    t->failed += !good && !too_large;
    if (!good && !too_large) printf("FAILED: stream %zu: %s\n", (size_t)stream, err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

/* Changed networks. */

#define NO_MEANING D1_MUTANT_KINDS

typedef struct mutant_totals {
    size_t invalid, accepted, refused, refused_but_right, wrongly_accepted, misjudged;
    size_t caught[D1_MUTANT_KINDS + 1]; /* refused and wrong, by kind */
} mutant_totals;

/* Checks a verdict against the automaton: exactly, and in bf16 if the verdict includes it. */
static void judge(const f2l_net *net, const f2l_fsa *fsa, size_t kind, mutant_totals *t)
{
    f2l_form_verdict v, rounded;
    const f2l_format *format = f2l_format_find("bf16");
    if (f2l_wired_validate(net, NULL) != F2L_OK) {
        t->invalid++;
        return;
    }
    const bool right = d1_joint(net, fsa, NULL, MOST_JOINT, NULL) == F2L_OK;
    const bool accepted =
        f2l_form_d1.verify(&v, net, fsa, NULL, NULL, NULL, NULL) == F2L_OK && v.verdict == F2L_OK;
    const bool holds =
        f2l_form_d1.verify(&rounded, net, fsa, format, d1_schedule(), NULL, NULL) == F2L_OK &&
        rounded.verdict == F2L_OK;
    t->accepted += accepted;
    t->refused += !accepted;
    t->refused_but_right += !accepted && right;
    t->wrongly_accepted += (accepted && !right) || (holds && !accepted);
    t->wrongly_accepted += holds && d1_joint(net, fsa, format, MOST_JOINT, NULL) != F2L_OK;
    t->caught[kind] += !accepted && !right;
    t->misjudged += kind == NO_MEANING && !accepted;
}

static const struct {
    const char *kind;
    uint64_t n;
    size_t householders;
} bases[] = {
    {"symmetric", 3, 1}, {"symmetric", 3, 2}, {"symmetric", 4, 1},
    {"dihedral", 4, 1},  {"cyclic", 2, 1},
};

static size_t mutants(void)
{
    mutant_totals t = {0};
    const size_t count = brute_force_share(7000);
    for (size_t i = 0; i < count; i++) {
        const size_t kind = i % (D1_MUTANT_KINDS + 1), base = i / (D1_MUTANT_KINDS + 1) % 5;
        f2l_rng rng;
        f2l_fsa fsa;
        f2l_net net;
        f2l_d1_report report;
        f2l_rng_init(&rng, SEED, 100000 + i);
        f2l_fsa_init(&fsa);
        f2l_net_init(&net);
        if (f2l_family_build(&fsa, bases[base].kind, &bases[base].n, 1, bases[base].n > 2, NULL) !=
            F2L_OK)
            abort();
        if (!build(&net, &report, &fsa, bases[base].householders, NULL) ||
            report.joint > MOST_JOINT)
            abort();
        bool changed = true;
        if (kind == NO_MEANING)
            d1_mutate_without_meaning(&net, &rng);
        else
            changed = d1_mutate(&net, &rng, kind);
        if (changed) judge(&net, &fsa, kind, &t);
        f2l_net_clear(&net);
        f2l_fsa_clear(&fsa);
    }
    size_t useless = 0; /* changes that never did harm test nothing */
    for (size_t kind = 0; kind < D1_MUTANT_KINDS; kind++) useless += t.caught[kind] == 0;
    printf("%zu changed networks: %zu invalid, %zu refused (%zu of them right all the same), %zu "
           "verified, of these %zu wrong; %zu refused though nothing had changed\n",
           count, t.invalid, t.refused, t.refused_but_right, t.accepted, t.wrongly_accepted,
           t.misjudged);
    if (useless) printf("%zu kinds of changes did no harm\n", useless);
    return t.wrongly_accepted + t.misjudged + (t.accepted == 0) + useless;
}

/* Changes networks of S_5 with 120 letters, which have no joint closure: a verified network must be
 * right on long words. Returns the number of failures. */
static size_t large_mutants(size_t householders)
{
    const size_t count = brute_force_share(260);
    const uint64_t five = 5;
    size_t accepted = 0, wrong = 0;
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    if (f2l_family_build(&fsa, "symmetric", &five, 1, false, NULL) != F2L_OK) abort();
    for (size_t i = 0; i < count; i++) {
        f2l_net net;
        f2l_d1_report report;
        f2l_form_verdict v;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, 200000 + 1000 * householders + i);
        f2l_net_init(&net);
        if (!build(&net, &report, &fsa, householders, NULL)) abort();
        const bool changed =
            d1_mutate(&net, &rng, i % D1_MUTANT_KINDS) && f2l_wired_validate(&net, NULL) == F2L_OK;
        if (changed && f2l_form_d1.verify(&v, &net, &fsa, NULL, NULL, NULL, NULL) == F2L_OK &&
            v.verdict == F2L_OK) {
            accepted++;
            wrong += d1_run(&net, &fsa, NULL, 20 * LETTERS_PER_WORD, &rng) != 0;
        }
        f2l_net_clear(&net);
    }
    printf("S5, n_h = %zu, %zu changed networks: %zu verified, of these %zu "
           "wrong\n",
           householders, count, accepted, wrong);
    f2l_fsa_clear(&fsa);
    return wrong;
}

int main(void)
{
    totals t = {0};
    const size_t count = brute_force_share(800);
    for (uint64_t stream = 0; stream < count; stream++) one(stream, &t);
    printf("seed %d, %zu random groups: %zu too large, %zu closed, %zu with 2 factors or more, %zu "
           "layers at most\n",
           SEED, count, t.too_large, t.closed, t.rotating, t.longest);
    if (t.closed == 0 || t.rotating == 0 || t.too_large > count / 100) t.failed++;
    t.failed += mutants() + large_mutants(1) + large_mutants(2);
    printf("%zu passed, %zu failed\n", count + t.closed - (t.failed < count ? t.failed : count),
           t.failed);
    return t.failed != 0;
}
