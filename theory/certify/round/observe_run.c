/* Runs one word: letter by letter, in chunks, or with the most harmful letter each time. */
#include "theory/certify/round/impl.h"
#include <string.h>

#define LETTERS_PER_POLL 4096
#define LETTERS_TRIED 16

static size_t letter_at_position(const f2l_word_source *source, uint64_t position)
{
    if (source->random) return (size_t)f2l_rng_below(source->random, source->letters);
    return source->letter[position % source->period];
}

/* Brent's cycle detection (BIT 20, 1980): the state at lengths 2^k periods is kept, and compared
 * with the later states. */
typedef struct cycle {
    uint64_t power, steps;
    size_t state;
} cycle;

static bool closes(f2l_observer *o, cycle *c)
{
    if (c->power > 0 && o->state == c->state &&
        memcmp(o->joint, o->anchor, o->numbers * sizeof *o->joint) == 0)
        return true;
    if (c->steps++ == c->power) {
        memcpy(o->anchor, o->joint, o->numbers * sizeof *o->joint);
        c->state = o->state;
        c->power = c->power ? 2 * c->power : 1;
        c->steps = 0;
    }
    return false;
}

f2l_status f2l_observer_run(f2l_observer *o, f2l_observed *out, const f2l_word_source *source,
                            uint64_t most, f2l_error *err)
{
    const bool cycles = !source->random && !o->format.choices;
    cycle c = {0};
    if (o->chunk) return f2l_observer_run_chunks(o, out, source, most, err);
    f2l_observer_start(o);
    out->letters = 0;
    out->failed = 0;
    out->cyclic = false;
    for (uint64_t t = 0; t < most; t++) {
        if (cycles && t % source->period == 0 && closes(o, &c)) {
            out->cyclic = true;
            break;
        }
        if (t % LETTERS_PER_POLL == 0 && f2l_observer_stopped(o, LETTERS_PER_POLL, t, most)) break;
        const size_t letter = letter_at_position(source, t);
        uint32_t label;
        f2l_status status = f2l_observer_step(o, &label, o->joint, letter, err);
        if (status != F2L_OK) return status;
        f2l_observer_move(o, letter);
        out->letters = t + 1;
        if (!f2l_observer_right(o, out, label, t + 1)) break;
        if (o->trail.exact && f2l_observer_follow(o, o->trail.joint, letter))
            f2l_observer_note(o, t + 1, f2l_observer_distance(o, o->joint, o->trail.joint));
    }
    return F2L_OK;
}

f2l_status f2l_observer_run_chunks(f2l_observer *o, f2l_observed *out,
                                   const f2l_word_source *source, uint64_t most, f2l_error *err)
{
    f2l_observer_start(o);
    out->letters = 0;
    out->failed = 0;
    out->cyclic = false;
    while (out->letters < most && out->failed == 0) {
        uint32_t letter[F2L_CHUNK], label[F2L_CHUNK];
        const uint64_t left = most - out->letters;
        const size_t count = left < F2L_CHUNK ? (size_t)left : F2L_CHUNK;
        if (out->letters % LETTERS_PER_POLL == 0 &&
            f2l_observer_stopped(o, LETTERS_PER_POLL, out->letters, most))
            break;
        for (size_t i = 0; i < count; i++)
            letter[i] = (uint32_t)letter_at_position(source, out->letters + i);
        f2l_status status = f2l_chunk_feed(o->chunk, label, letter, count, err);
        if (status != F2L_OK) return status;
        for (size_t i = 0; i < count && out->failed == 0; i++) {
            f2l_observer_move(o, letter[i]);
            (void)f2l_observer_right(o, out, label[i], ++out->letters);
        }
    }
    return F2L_OK;
}

/* Steps by the letter that is wrong at once, otherwise by the letter after which the state is
 * farthest, F2L_NO_INDEX where the exact states end; the result is in o->best and
 * o->trail.spare. */
static f2l_status choose_worst_letter(f2l_observer *o, size_t *chosen, size_t letters,
                                      size_t *codes, uint32_t *label, double *distance,
                                      f2l_error *err)
{
    const size_t tried = letters < LETTERS_TRIED ? letters : LETTERS_TRIED,
                 layers = o->trail.layers;
    *chosen = F2L_NO_INDEX;
    for (size_t i = 0; i < tried; i++) {
        const size_t letter = i * letters / tried;
        memcpy(o->spare, o->joint, o->numbers * sizeof *o->joint);
        memcpy(o->trail.spare, codes, layers * sizeof *codes);
        uint32_t got;
        f2l_status status = f2l_observer_step(o, &got, o->spare, letter, err);
        if (status != F2L_OK) return status;
        const uint32_t owed = f2l_observer_owed(o, letter);
        if (!f2l_observer_follow(o, o->trail.spare, letter)) {
            *chosen = F2L_NO_INDEX;
            return F2L_OK;
        }
        const bool wrong = got != owed || got == F2L_NO_SYMBOL;
        const double d = wrong ? INFINITY : f2l_observer_distance(o, o->spare, o->trail.spare);
        if (*chosen != F2L_NO_INDEX && !(d > *distance)) continue;
        *chosen = letter;
        *label = got;
        *distance = d;
        memcpy(o->best, o->spare, o->numbers * sizeof *o->joint);
        if (wrong) break;
    }
    return F2L_OK;
}

f2l_status f2l_observer_run_greedy(f2l_observer *o, f2l_observed *out, uint64_t most,
                                   f2l_error *err)
{
    const size_t letters = o->fsa->letters.count;
    f2l_observer_start(o);
    out->letters = 0;
    for (uint64_t t = 0; t < most && o->trail.exact; t++) {
        uint32_t label = F2L_NO_SYMBOL;
        size_t letter;
        double distance = 0;
        if (t % (LETTERS_PER_POLL / LETTERS_TRIED) == 0 &&
            f2l_observer_stopped(o, LETTERS_PER_POLL, t, most))
            break;
        f2l_status status =
            choose_worst_letter(o, &letter, letters, o->trail.joint, &label, &distance, err);
        if (status != F2L_OK) return status;
        if (letter == F2L_NO_INDEX) break;
        memcpy(o->joint, o->best, o->numbers * sizeof *o->joint);
        f2l_observer_move(o, letter);
        out->letters = t + 1;
        if (!f2l_observer_right(o, out, label, t + 1)) break;
        if (f2l_observer_follow(o, o->trail.joint, letter)) f2l_observer_note(o, t + 1, distance);
    }
    return F2L_OK;
}
