#include "theory/certify/round/observe.h"
#include "numeric/base/mem.h"
#include "theory/certify/round/impl.h"
#include <stdio.h>
#include <string.h>

const char *f2l_words_name(f2l_words kind)
{
    static const char *const name[F2L_WORDS_KINDS] = {"random", "greedy", "periodic"};
    return name[kind];
}

#define DEFAULT_LETTERS 1000000
/* The periodic words: all letters up to this limit, then pairs, then triples if there are no more
 * than that. */
#define MOST_WORDS 64
#define PERIODIC_SHARE \
    8 /* all periodic words together read at most this many times the letters of one word */
#define TRIED 16 /* letters that the greedy word tries for each of its own letters */

static void copy_name(char *out, size_t size, const char *name)
{
    size_t n = strlen(name);
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80) n--;
    }
    memcpy(out, name, n);
    out[n] = '\0';
}

static void name_word(char out[160], const f2l_fsa *fsa, const size_t *letter, size_t count)
{
    char name[3][41];
    for (size_t i = 0; i < 3; i++)
        copy_name(name[i], sizeof name[i],
                  i < count ? f2l_names_get(&fsa->letters, letter[i]) : "");
    snprintf(out, 160, "(%s%s%s%s%s) repeated", name[0], count > 1 ? " " : "", name[1],
             count > 2 ? " " : "", name[2]);
}

typedef struct curve {
    double error[F2L_OBSERVE_POINTS];
    size_t count;
} curve;

/* Takes the largest error over the words. A word that closed has the same errors ever after. */
static void merge_curves(curve *to, const f2l_observer *o, bool cyclic, uint64_t most)
{
    size_t count = o->points;
    for (uint64_t p = UINT64_C(1) << (count < 63 ? count : 63); cyclic && p <= most && count < 62;
         p *= 2)
        count++;
    for (size_t i = 0; i < count; i++) {
        const double error = i < o->points ? o->seen[i] : o->largest;
        if (i >= to->count) to->error[i] = 0;
        if (!(error <= to->error[i])) to->error[i] = error;
    }
    if (count > to->count) to->count = count;
}

/* Writes periodic word number w and returns its length, 0: there is no such word. The words are
 * letters, pairs of different letters, and triples that are not three equal letters. */
static size_t periodic_word(size_t letter[3], size_t w, size_t letters)
{
    if (letters == 0) return 0;
    const size_t singles = letters < MOST_WORDS ? letters : MOST_WORDS;
    const size_t pairs =
        letters <= MOST_WORDS && letters * (letters - 1) <= MOST_WORDS ? letters * letters : 0;
    const size_t triples = pairs > 0 && pairs * letters <= MOST_WORDS ? pairs * letters : 0;
    if (w < singles) {
        letter[0] = w;
        return 1;
    }
    w -= singles;
    const size_t length = w < pairs ? 2 : 3;
    if (length == 3) w -= pairs;
    if (length == 3 && w >= triples) return 0;
    for (size_t i = length; i-- > 0; w /= letters) letter[i] = w % letters;
    return length;
}

static bool all_equal(const size_t *letter, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (letter[i] != letter[0]) return false;
    return count > 1;
}

static f2l_status run_periodic(f2l_observer *o, f2l_observed *out, curve *errors, uint64_t letters,
                               f2l_error *err)
{
    const size_t count = o->fsa->letters.count;
    size_t letter[3], words = 0, length;
    uint64_t most = letters;
    f2l_status status = F2L_OK;
    bool cyclic = true;
    while (periodic_word(letter, words, count) > 0) words++;
    if (words > PERIODIC_SHARE) most = letters / words * PERIODIC_SHARE;
    if (most < 1) most = 1;
    for (size_t w = 0; w < words && status == F2L_OK && !o->stopped; w++) {
        length = periodic_word(letter, w, count);
        if (all_equal(letter, length)) continue;
        const f2l_word_source source = {.letter = letter, .period = length, .letters = count};
        f2l_observed one = {0};
        status = f2l_observer_run(o, &one, &source, most, err);
        merge_curves(errors, o, one.cyclic, most);
        if (one.letters > out->letters) out->letters = one.letters;
        cyclic = cyclic && one.cyclic;
        if (one.failed > 0) {
            out->failed = one.failed;
            out->label = one.label;
            out->expected = one.expected;
            name_word(out->word, o->fsa, letter, length);
            most = one.failed - 1; /* only an earlier failure counts */
            if (most == 0) break;
        } else if (w == 0) {
            name_word(out->word, o->fsa, letter, length);
        }
    }
    out->cyclic = cyclic && out->failed == 0 && !o->stopped;
    if (out->failed == 0 && words > 1) snprintf(out->word, sizeof out->word, "periodic words");
    return status;
}

static f2l_status run_kind(f2l_observer *o, f2l_observed *out, curve *errors, f2l_words kind,
                           uint64_t letters, uint64_t seed, f2l_error *err)
{
    const size_t count = o->fsa->letters.count;
    f2l_status status = F2L_OK;
    if (kind == F2L_WORDS_PERIODIC) return run_periodic(o, out, errors, letters, err);
    if (kind == F2L_WORDS_RANDOM) {
        f2l_rng random;
        f2l_rng_init(&random, seed, 0);
        const f2l_word_source source = {.random = &random, .letters = count};
        snprintf(out->word, sizeof out->word, "random, seed %llu", (unsigned long long)seed);
        status = f2l_observer_run(o, out, &source, letters, err);
    } else if (o->trail.exact) {
        const size_t tried = count < TRIED ? count : TRIED;
        snprintf(out->word, sizeof out->word, "greedy");
        status = f2l_observer_run_greedy(o, out, letters / tried > 0 ? letters / tried : 1, err);
    } else {
        snprintf(out->word, sizeof out->word, "greedy: the exact state cannot be followed");
        return F2L_OK;
    }
    merge_curves(errors, o, false, 0);
    return status;
}

static f2l_status hand_curve_over(f2l_observed_point **point, size_t *points, const curve *errors,
                                  f2l_error *err)
{
    *points = 0;
    if (errors->count == 0) return F2L_OK;
    *point = f2l_calloc(errors->count, sizeof **point);
    if (!*point) return f2l_fail_memory(err);
    for (size_t i = 0; i < errors->count; i++)
        (*point)[i] = (f2l_observed_point){UINT64_C(1) << i, errors->error[i]};
    *points = errors->count;
    return F2L_OK;
}

f2l_status f2l_observe(f2l_observed out[F2L_WORDS_KINDS],
                       f2l_observed_point *point[F2L_WORDS_KINDS], size_t points[F2L_WORDS_KINDS],
                       const f2l_net *model, const f2l_fsa *fsa, const f2l_format *format,
                       const f2l_schedule *schedule, const f2l_observe_options *options,
                       const f2l_task *task, f2l_error *err)
{
    const uint64_t letters = options->letters ? options->letters : DEFAULT_LETTERS;
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) {
        out[k] = (f2l_observed){.label = F2L_NO_INDEX, .expected = F2L_NO_INDEX};
        if (point) point[k] = NULL;
        if (point) points[k] = 0;
    }
    f2l_observer *o = f2l_calloc(1, sizeof *o);
    if (!o) return f2l_fail_memory(err);
    f2l_status status =
        f2l_observer_init(o, model, fsa, format, schedule, options->seed, task, err);
    for (size_t k = 0; k < F2L_WORDS_KINDS && status == F2L_OK; k++) {
        curve errors = {.count = 0};
        if (!options->kinds[k] || o->stopped) continue;
        status = run_kind(o, &out[k], &errors, (f2l_words)k, letters, options->seed, err);
        if (status == F2L_OK && point)
            status = hand_curve_over(&point[k], &points[k], &errors, err);
    }
    f2l_observer_clear(o);
    f2l_free(o);
    for (size_t k = 0; status != F2L_OK && point && k < F2L_WORDS_KINDS; k++) {
        f2l_free(point[k]);
        point[k] = NULL;
        points[k] = 0;
    }
    return status;
}
