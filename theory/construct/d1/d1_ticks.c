/* The clock of D1 without the rest of it. */
#include "theory/construct/d1/d1_ticks.h"
#include "theory/construct/d1/impl.h"

/* Sets *clock to the clock of fewest layers, then of the shortest blocks of `least` tokens or more.
 */
static f2l_status find_clock(f2l_d1_clock *clock, size_t householders, size_t least, f2l_error *err)
{
    f2l_status status = F2L_EDOMAIN;
    for (size_t layers = 1; layers <= F2L_D1_CLOCK_LAYERS && status == F2L_EDOMAIN; layers++)
        status = f2l_d1_choose_clock(clock, layers, householders, 2 * least, 2 * least, err);
    return status == F2L_EDOMAIN
               ? f2l_fail(err, F2L_UNKNOWN, "there is no clock for blocks of %zu tokens", least)
               : status;
}

f2l_status f2l_d1_ticks_choose(f2l_d1_ticks *out, size_t householders, size_t least, f2l_error *err)
{
    f2l_d1_clock clock;
    const f2l_status status = find_clock(&clock, householders, least, err);
    if (status != F2L_OK) return status;
    const size_t block = f2l_d1_period(&clock, clock.layers) / 2;
    *out = (f2l_d1_ticks){clock.layers, block, 1 + clock.layers, householders, least};
    return F2L_OK;
}

f2l_status f2l_d1_ticks_put(f2l_net *net, const f2l_d1_ticks *ticks, size_t letters,
                            const f2l_task *task, f2l_error *err)
{
    f2l_d1 d = {.net = net, .task = task, .letters = letters};
    f2l_status status = find_clock(&d.clock, ticks->householders, ticks->least, err);
    for (size_t l = 1; status == F2L_OK && l <= ticks->layers; l++)
        status = f2l_d1_put_clock(&d, l, err);
    return status;
}

f2l_status f2l_d1_ticks_start(f2l_net *net, const f2l_d1_ticks *ticks, f2l_error *err)
{
    f2l_d1 d = {.net = net};
    f2l_status status = find_clock(&d.clock, ticks->householders, ticks->least, err);
    for (size_t l = 1; status == F2L_OK && l <= ticks->layers; l++)
        status = f2l_d1_start_clock(&d, l, err);
    return status;
}
