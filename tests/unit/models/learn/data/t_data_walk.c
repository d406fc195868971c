/* Words that stay out of sinks, and periodic words. */
#include "models/learn/data/data_evaluate.h"
#include "models/learn/data/data_walk.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/train/data_cases.h"
#include "tests/support/train/data_support.h"
#include <stdio.h>

/* (ab)* and a*b with a sink x, and the finite language {a, ab}. */
static const char ab[] = "letters a b\nstates 0 1 x\nstart 0\n0 a 1\n0 b x\n1 a x\n1 b 0\n"
                         "x a x\nx b x\n",
                  ending[] = "letters a b\nstates 0 1 x\nstart 0\n0 a 0\n0 b 1\n1 a x\n1 b x\n"
                             "x a x\nx b x\n",
                  finite[] = "letters a b\nstates 0 1 2 x\nstart 0\n0 a 1\n0 b x\n1 a x\n1 b 2\n"
                             "2 a x\n2 b x\nx a x\nx b x\n";

static f2l_fsa fsa_of(const char *text)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, text);
    return fsa;
}

static void build(f2l_data *data, f2l_fsa *fsa, const char *text, double live, double periodic)
{
    *fsa = fsa_of(text);
    data_build(
        data, &(f2l_data_options){.live = live, .periodic = periodic, .seed = 5, .stream = 1}, fsa);
}

static f2l_data_stream start(const f2l_data *data, uint32_t sequence, size_t length)
{
    f2l_error err = {0};
    f2l_data_stream s;
    f2l_data_stream_init(&s);
    cr_assert(f2l_data_stream_start(&s, data, 3, sequence, length, &err) == F2L_OK, "%s", err.text);
    return s;
}

/* Sets the letters of a sequence, and checks its labels. */
static f2l_data_stream draw(uint32_t *letter, const f2l_data *data, uint32_t sequence,
                            size_t length)
{
    f2l_data_stream s = start(data, sequence, length);
    size_t state = data->fsa->start;
    for (size_t t = 0; t < length; t++) {
        f2l_data_item item;
        cr_assert(f2l_data_stream_next(&s, &item, NULL) == F2L_OK);
        letter[t] = item.letter;
        state = data->fsa->next[state * data->fsa->letters.count + item.letter];
        cr_assert(item.counts && item.label == data->answer[state]);
    }
    return s;
}

/* Returns whether a beginning of the word leads to a sink. */
static bool sinks(const f2l_data *data, const uint32_t *letter, size_t length)
{
    size_t state = data->fsa->start;
    for (size_t t = 0; t < length; t++) {
        state = data->fsa->next[state * data->fsa->letters.count + letter[t]];
        if (data->stays[state] == 0) return true;
    }
    return false;
}

Test(data_walk, live_words_stay_out_of_sinks)
{
    static const char *const text[] = {ab, ending};
    for (size_t k = 0; k < 2; k++) {
        f2l_data data;
        f2l_fsa fsa;
        uint32_t letter[50];
        size_t last_b = 0;
        build(&data, &fsa, text[k], 1, 0);
        cr_assert(f2l_data_has_walk(&data, F2L_WALK_LIVE));
        for (uint32_t i = 0; i < 100; i++) {
            (void)draw(letter, &data, i, 50);
            cr_assert_not(sinks(&data, letter, 50));
            last_b += letter[49] == 1;
        }
        /* (ab)* has one such word; in a*b the b may come last, where nothing has to follow */
        cr_assert(k == 0 ? last_b == 100 : last_b > 30 && last_b < 70, "%zu", last_b);
        const f2l_data random = f2l_data_of_walk(&data, F2L_WALK_RANDOM);
        size_t dead = 0;
        for (uint32_t i = 0; i < 100; i++) {
            (void)draw(letter, &random, i, 50);
            dead += sinks(&data, letter, 50);
        }
        cr_assert(dead > 95); /* random words hide what happens outside of the sink */
        f2l_data_clear(&data);
        f2l_fsa_clear(&fsa);
    }
}

/* Returns whether the word is z u u u .. with at most 4 letters in z and 1 to 4 in u. */
static bool is_periodic(const uint32_t *letter, size_t length)
{
    for (size_t before = 0; before <= 4; before++)
        for (size_t around = 1; around <= 4; around++) {
            size_t t = before + around;
            while (t < length && letter[t] == letter[t - around]) t++;
            if (t == length) return true;
        }
    return false;
}

Test(data_walk, periodic_words_are_z_and_powers_of_u)
{
    f2l_fsa fsa[3] = {fsa_of(ab), fsa_of(ending)};
    data_family(&fsa[2], "symmetric", 3, false);
    for (size_t k = 0; k < 3; k++) {
        f2l_data data;
        size_t before[5] = {0}, around[5] = {0};
        uint32_t letter[60], again[60];
        data_build(&data, &(f2l_data_options){.periodic = 1, .seed = 8, .stream = 2}, &fsa[k]);
        for (uint32_t i = 0; i < 2000; i++) {
            const f2l_data_stream s = draw(letter, &data, i, 60);
            cr_assert(is_periodic(letter, 60) && !sinks(&data, letter, 60));
            before[s.before]++;
            around[s.around]++;
            (void)draw(again, &data, i, 20); /* z and u do not depend on the length */
            cr_assert(memcmp(letter, again, 20 * sizeof *letter) == 0);
        }
        for (size_t n = 0; n <= 4; n++) cr_assert(before[n] > 200);
        if (k == 2)
            data_follows(around + 1, (double[]){0.25, 0.25, 0.25, 0.25}, 4, "letters of u");
        else if (k == 0) /* only even powers of ab stay out of the sink */
            cr_assert(around[1] == 0 && around[3] == 0 && around[2] > 500 && around[4] > 500);
        f2l_data_clear(&data);
        f2l_fsa_clear(&fsa[k]);
    }
}

Test(data_walk, the_shares_of_the_kinds)
{
    f2l_data data;
    f2l_fsa fsa;
    size_t count[3] = {0};
    build(&data, &fsa, ab, 0.25, 0.5);
    for (uint32_t i = 0; i < 4000; i++) {
        const f2l_data_stream s = start(&data, i, 8);
        cr_assert(!s.live || s.around == 0);
        count[s.live ? 1 : s.around > 0 ? 2 : 0]++;
    }
    data_follows(count, (double[]){0.25, 0.25, 0.5}, 3, "kinds");
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}

static void refused(const f2l_data_options *options, const f2l_fsa *fsa, const char *why)
{
    f2l_data data;
    f2l_error err = {0};
    f2l_data_init(&data);
    cr_assert_eq(f2l_data_build(&data, options, fsa, &err), F2L_EDOMAIN, "%s", why);
    cr_assert(strstr(err.text, why), "%s", err.text);
}

/* Padding letters stay where they are, and the others keep their weights. Where the letter into the
 * sink is never drawn, the label never changes: nothing is left that would not be a sink. */
Test(data_walk, weights_and_tokens)
{
    f2l_data data;
    f2l_fsa fsa = fsa_of("letters a b c\nstates 0 x\nstart 0\n0 a 0\n0 b x\n0 c 0\nx a x\nx b x\n"
                         "x c x\n");
    const double weight[3] = {3, 5, 1}, without[3] = {3, 0, 1};
    size_t count[3] = {0};
    f2l_data_options options = {.weight = weight, .tokens = 2, .live = 1, .seed = 2, .stream = 1};
    data_build(&data, &options, &fsa);
    cr_assert(f2l_data_has_walk(&data, F2L_WALK_LIVE) && data.stays[1] == 0);
    for (uint32_t i = 0; i < 100; i++) {
        f2l_data_stream s = start(&data, i, 40);
        for (size_t t = 0; t < 40; t++) {
            f2l_data_item item;
            cr_assert(f2l_data_stream_next(&s, &item, NULL) == F2L_OK);
            if (t % 2)
                cr_assert(item.letter == 3 && item.counts && item.label == 0);
            else
                count[item.letter]++;
        }
    }
    data_follows(count, (double[]){0.75, 0, 0.25}, 3, "letters");
    f2l_data_clear(&data);
    options.weight = without;
    refused(&options, &fsa, "the label never changes after the start");
    f2l_fsa_clear(&fsa);
}

/* --- what can be read without a sink, against the definition --- */

static bool reaches_other_label(const f2l_fsa *fsa, size_t from)
{
    bool seen[8] = {false};
    seen[from] = true;
    for (size_t round = 0; round < 8; round++)
        for (size_t s = 0; s < fsa->states.count; s++)
            for (size_t a = 0; seen[s] && a < fsa->letters.count; a++)
                seen[fsa->next[s * fsa->letters.count + a]] = true;
    for (size_t s = 0; s < fsa->states.count; s++)
        if (seen[s] && fsa->accept[s] != fsa->accept[from]) return true;
    return false;
}

/* Returns the most letters, up to `most`, that can be read from the state without a sink. */
static size_t longest_walk(const f2l_fsa *fsa, const bool *sink, size_t state, size_t most)
{
    size_t best = 0;
    for (size_t a = 0; most > 0 && a < fsa->letters.count; a++) {
        const size_t next = fsa->next[state * fsa->letters.count + a];
        const size_t there = sink[next] ? 0 : 1 + longest_walk(fsa, sink, next, most - 1);
        if (there > best) best = there;
    }
    return best;
}

Test(data_walk, small_automata_against_the_definition)
{
    size_t ends = 0, for_ever = 0, dead = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        f2l_rng rng;
        char text[512] = "letters a b\nstates 0 1 2 3 4\nstart 0\naccept 1 4\n";
        f2l_rng_init(&rng, seed, 77);
        for (uint32_t s = 0; s < 5; s++) /* mostly upwards, so that there are sinks */
            for (uint32_t a = 0; a < 2; a++) {
                const uint32_t back = f2l_rng_u32(&rng) % 4 == 0, by = f2l_rng_u32(&rng) % 5;
                const uint32_t to = back ? by : s + by % (5 - s);
                snprintf(text + strlen(text), sizeof text - strlen(text), "%u %c %u\n", s,
                         (char)('a' + (char)a), to);
            }
        f2l_fsa fsa = fsa_of(text);
        f2l_data data;
        bool sink[8];
        data_build(&data, &(f2l_data_options){.label = F2L_LABEL_ACCEPT, .seed = 1, .stream = 1},
                   &fsa);
        for (size_t s = 0; s < fsa.states.count; s++) sink[s] = !reaches_other_label(&fsa, s);
        for (size_t s = 0; s < fsa.states.count; s++) {
            const size_t walk = longest_walk(&fsa, sink, s, 6); /* 6 letters repeat a state */
            const uint32_t want = sink[s] ? 0 : walk == 6 ? UINT32_MAX : (uint32_t)walk + 1;
            cr_assert_eq(data.stays[s], want, "%s%zu: %u, not %u", text, s, data.stays[s], want);
            dead += sink[s];
            ends += !sink[s] && walk < 6;
            for_ever += walk == 6 && !sink[s];
        }
        f2l_data_clear(&data);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(dead > 100 && ends > 20 && for_ever > 100, "%zu %zu %zu", dead, ends, for_ever);
}

Test(data_walk, what_cannot_be_drawn_is_refused)
{
    f2l_fsa two = fsa_of(finite), one = fsa_of("letters a\nstates 0\nstart 0\n0 a 0\n");
    const f2l_data_options live = {.live = 0.5, .stream = 1};
    refused(&live, &two, "no word of more than 2 letters stays out of sinks");
    refused(&live, &one, "the label never changes after the start");
    refused(&(f2l_data_options){.live = 0.75, .periodic = 0.5, .stream = 1}, &two, "together");
    refused(&(f2l_data_options){.periodic = -0.5, .stream = 1}, &two, "at least 0");
    refused(&(f2l_data_options){.periodic = (double)NAN, .stream = 1}, &two, "at least 0");
    refused(
        &(f2l_data_options){
            .kind = F2L_DATA_ARITHMETIC, .modulus = 3, .periodic = 0.5, .stream = 1},
        NULL, "belong to automata");
    f2l_data data;
    data_build(&data, &(f2l_data_options){.periodic = 1, .stream = 1}, &two);
    uint32_t letter[30];
    for (uint32_t i = 0; i < 50; i++) { /* without live words they are of any letters */
        (void)draw(letter, &data, i, 30);
        cr_assert(is_periodic(letter, 30));
    }
    cr_assert_not(f2l_data_has_walk(&data, F2L_WALK_LIVE));
    cr_assert(data.stays[0] == 3 && data.stays[1] == 2 && data.stays[2] == 1 && data.stays[3] == 0);
    f2l_data_clear(&data);
    f2l_fsa_clear(&two);
    f2l_fsa_clear(&one);
}

/* --- evaluation --- */

/* A reader that follows the automaton, and forgets it after 9 equal letters. */
typedef struct forgetful {
    const f2l_fsa *fsa;
    uint32_t state[64], last[64], run[64];
} forgetful;

static f2l_status begin(void *context, size_t sequences, f2l_error *err)
{
    (void)err;
    forgetful *r = context;
    for (size_t i = 0; i < sequences; i++) {
        r->state[i] = (uint32_t)r->fsa->start;
        r->last[i] = UINT32_MAX;
        r->run[i] = 0;
    }
    return F2L_OK;
}

static f2l_status read_letters(void *context, uint32_t *answer, const uint32_t *letter,
                               size_t sequences, size_t count, f2l_error *err)
{
    (void)err;
    forgetful *r = context;
    for (size_t i = 0; i < sequences; i++)
        for (size_t t = 0; t < count; t++) {
            const uint32_t a = letter[i * count + t];
            r->state[i] = r->fsa->next[r->state[i] * r->fsa->letters.count + a];
            r->run[i] = a == r->last[i] ? r->run[i] + 1 : 1;
            r->last[i] = a;
            answer[i * count + t] = r->run[i] > 9 ? UINT32_MAX : r->state[i];
        }
    return F2L_OK;
}

Test(data_walk, an_evaluation_tests_all_kinds)
{
    f2l_fsa s3;
    f2l_data data;
    f2l_error err = {0};
    data_family(&s3, "symmetric", 3, false);
    data_build(&data, &(f2l_data_options){.seed = 3, .stream = F2L_DATA_TEST}, &s3);
    for (size_t others = 0; others < 3; others++) {
        f2l_train_score score[3] = {{.length = 8}, {.length = 32}, {.length = 64}};
        forgetful r = {.fsa = &s3};
        f2l_data_wrong wrong = {0};
        const f2l_data_reader reader = {&r, begin, read_letters};
        const f2l_data_plan plan = {.sequences = 200};
        data.others_to = others == 0 ? 0 : others == 1 ? 8 : 40;
        cr_assert(f2l_data_evaluate(score, 3, &wrong, &data, &reader, &plan, NULL, &err) == F2L_OK);
        for (size_t i = 0; i < 3; i++) { /* random words of 6 letters do not show it */
            cr_assert(score[i].sequences == 200 && score[i].right_ones == 200);
            cr_assert_eq(score[i].periodic.sequences, i < others ? F2L_WALK_SEQUENCES : 0);
            cr_assert_eq(score[i].live.sequences, 0); /* a group has no sink */
            cr_assert_eq(isnan(f2l_train_least_accuracy(&score[i])), i >= others);
        }
        cr_assert(wrong.walk == (others == 2 ? F2L_WALK_PERIODIC : F2L_WALK_RANDOM));
        if (others < 2) continue;
        cr_assert(score[0].periodic.right_ones == F2L_WALK_SEQUENCES && wrong.length >= 10 &&
                  wrong.length <= 14);
        const uint64_t right = score[1].periodic.right_ones;
        cr_assert(right > 64 && right < 96, "a quarter and more repeat one letter: %lu",
                  (unsigned long)right);
        cr_assert_eq(f2l_train_least_accuracy(&score[1]), (double)right / F2L_WALK_SEQUENCES);
    }
    f2l_data_clear(&data);
    f2l_fsa_clear(&s3);
}
