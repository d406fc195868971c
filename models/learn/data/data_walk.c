#include "models/learn/data/data_walk.h"
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"

#define FOR_EVER UINT32_MAX
/* Numbers of a try: one block for the numbers of letters, and one for each letter. */
enum { BLOCKS = 1 + F2L_DATA_BEFORE + F2L_DATA_AROUND };

const char *f2l_walk_name(size_t walk)
{
    static const char *const name[] = {"random", "sink-free", "periodic"};
    return walk < F2L_WALKS ? name[walk] : NULL;
}

/* --- sinks --- */

static uint32_t after(const f2l_data *data, size_t state, size_t letter)
{
    return data->fsa->next[state * data->fsa->letters.count + letter];
}

/* Returns whether the state is a sink if the states with stays 0 are. */
static bool is_settled(const f2l_data *data, size_t state)
{
    for (size_t a = 0; a < data->fsa->letters.count; a++) {
        const uint32_t next = after(data, state, a);
        if (f2l_data_draws(data, a) &&
            (data->stays[next] > 0 || data->answer[next] != data->answer[state]))
            return false;
    }
    return true;
}

/* Returns whether a letter leads to a state that can still be left for other states than sinks, as
 * far as `stays` says by now. */
static bool goes_on(const f2l_data *data, size_t state)
{
    for (size_t a = 0; a < data->fsa->letters.count; a++)
        if (f2l_data_draws(data, a) && data->stays[after(data, state, a)] == FOR_EVER) return true;
    return false;
}

/* Finds the sinks, the greatest set of states that only lead to one another and have one label
 * each: all states are taken for sinks until one is found that is not. */
static void find_sinks(f2l_data *data)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t s = 0; s < data->fsa->states.count; s++) {
            if (data->stays[s] > 0 || is_settled(data, s)) continue;
            data->stays[s] = FOR_EVER;
            changed = true;
        }
    }
}

/* Finds how long the other states stay out of sinks. A state from which `round` letters can be
 * read, and no more, is found in this round, and no state sees another one of its round. */
static f2l_status find_ends(f2l_data *data, f2l_error *err)
{
    const size_t states = data->fsa->states.count;
    unsigned char *ends = f2l_calloc(states, 1);
    bool changed = ends != NULL;
    for (uint32_t round = 0; changed; round++) {
        changed = false;
        for (size_t s = 0; s < states; s++)
            ends[s] = data->stays[s] == FOR_EVER && !goes_on(data, s);
        for (size_t s = 0; s < states; s++) {
            if (!ends[s]) continue;
            data->stays[s] = round + 1;
            changed = true;
        }
    }
    f2l_free(ends);
    return ends != NULL ? F2L_OK : f2l_fail_memory(err);
}

/* Returns the cell of a share in units of 2^-53, by which a number of 53 bits is compared. */
static uint64_t cell_of(double share)
{
    return (uint64_t)(share * 0x1p53);
}

f2l_status f2l_data_build_walks(f2l_data *out, f2l_error *err)
{
    const f2l_data_options *o = &out->options;
    if (!(o->live >= 0 && o->periodic >= 0 && o->live + o->periodic <= 1))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the shares of live and of periodic words must be at least 0, and at most "
                        "1 together");
    out->stays = f2l_calloc(out->fsa->states.count, sizeof *out->stays);
    if (out->stays == NULL) return f2l_fail_memory(err);
    find_sinks(out);
    const f2l_status status = find_ends(out, err);
    if (status != F2L_OK || o->live == 0 || out->stays[out->fsa->start] == FOR_EVER) return status;
    if (out->stays[out->fsa->start] == 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "no word stays out of sinks: the label never changes after the start");
    return f2l_fail(err, F2L_EDOMAIN,
                    "no word of more than %lu letters stays out of sinks, states after which the "
                    "label never changes",
                    (unsigned long)out->stays[out->fsa->start] - 1);
}

static bool has_sink(const f2l_data *data)
{
    for (size_t s = 0; s < data->fsa->states.count; s++)
        if (data->stays[s] == 0) return true;
    return false;
}

bool f2l_data_has_walk(const f2l_data *data, f2l_walk walk)
{
    if (walk == F2L_WALK_RANDOM) return true;
    if (data->options.kind != F2L_DATA_AUTOMATON) return false;
    return walk == F2L_WALK_PERIODIC ||
           (data->stays[data->fsa->start] == FOR_EVER && has_sink(data));
}

f2l_data f2l_data_of_walk(const f2l_data *data, f2l_walk walk)
{
    f2l_data only = *data;
    only.options.live = walk == F2L_WALK_LIVE;
    only.options.periodic = walk == F2L_WALK_PERIODIC;
    only.others_to = 0;
    return only;
}

/* --- letters --- */

/* Returns the weight of a letter in the state if `rest` letters more can follow it, counting
 * itself, without a sink; else 0. */
static uint64_t weight_of(const f2l_data *data, size_t state, size_t letter, uint32_t rest)
{
    if (data->stays[after(data, state, letter)] < rest) return 0;
    if (data->threshold == NULL) return 1;
    return data->threshold[letter] - (letter > 0 ? data->threshold[letter - 1] : 0);
}

/* Returns floor(n x / 2^64), by parts of 32 bits. */
static uint64_t below_wide(uint64_t x, uint64_t n)
{
    const uint64_t x0 = x & UINT32_MAX, x1 = x >> 32, n0 = n & UINT32_MAX, n1 = n >> 32;
    const uint64_t low = (x0 * n0 >> 32) + (x1 * n0 & UINT32_MAX) + (x0 * n1 & UINT32_MAX);
    return x1 * n1 + (x1 * n0 >> 32) + (x0 * n1 >> 32) + (low >> 32);
}

uint32_t f2l_data_live_letter(const f2l_data *data, size_t state, uint32_t rest, uint64_t x)
{
    const size_t letters = data->fsa->letters.count;
    uint64_t sum = 0;
    for (size_t a = 0; a < letters; a++) sum += weight_of(data, state, a, rest);
    if (sum == 0) return f2l_data_any_letter(data, x);
    uint64_t left = below_wide(x, sum);
    uint32_t a = 0;
    for (uint64_t w; (w = weight_of(data, state, a, rest)) <= left; a++) left -= w;
    return a;
}

/* --- periodic words --- */

/* Returns whether the word z u u u .. of the stream stays out of sinks for ever. The states after
 * z u^t come again: each is compared with the one at the last power of 2. */
static bool stays_live(const f2l_data_stream *s)
{
    const f2l_data *data = s->data;
    size_t state = data->fsa->start;
    for (size_t i = 0; i < s->before; i++) state = after(data, state, s->cycle[i]);
    size_t mark = state;
    for (size_t round = 1, power = 1; data->stays[state] > 0; round++) {
        for (size_t i = 0; i < s->around && data->stays[state] > 0; i++)
            state = after(data, state, s->cycle[s->before + i]);
        if (state == mark) break;
        if (round < power) continue;
        mark = state;
        power *= 2;
    }
    return data->stays[state] > 0;
}

/* Draws z and u by the blocks of one try. */
static void draw_cycle(f2l_data_stream *s, uint32_t attempt, uint32_t rest)
{
    const f2l_data *data = s->data;
    const uint32_t block = attempt * BLOCKS;
    const f2l_data_draw draw = f2l_data_block(data, s->step, s->sequence, block);
    size_t state = data->fsa->start;
    s->before = (uint8_t)f2l_data_below(draw.x, F2L_DATA_BEFORE + 1);
    s->around = (uint8_t)(1 + f2l_data_below(draw.y, F2L_DATA_AROUND));
    for (uint32_t i = 0; i < s->before + (uint32_t)s->around; i++) {
        const f2l_data_draw one = f2l_data_block(data, s->step, s->sequence, block + 1 + i);
        s->cycle[i] = f2l_data_live_letter(data, state, rest, one.x);
        state = after(data, state, s->cycle[i]);
    }
}

void f2l_data_begin_walk(f2l_data_stream *s)
{
    const f2l_data *data = s->data;
    const f2l_data_options *o = &data->options;
    const uint64_t y = f2l_data_block(data, s->step, s->sequence, F2L_DATA_HEADER).y >> 11;
    s->live = y < cell_of(o->live);
    s->around = 0;
    if (s->live || y >= cell_of(o->live + o->periodic)) return;
    const bool live = data->stays[data->fsa->start] == FOR_EVER;
    for (uint32_t attempt = 0; attempt < F2L_WALK_TRIES; attempt++) {
        draw_cycle(s, attempt, live ? FOR_EVER : 0);
        if (!live || stays_live(s)) return;
    }
}
