#include "theory/compile/engines_held.h"
#include "models/network/engines/engine.h"
#include "theory/certify/unrounded/unrounded.h"
#include <stdio.h>
#include <string.h>

#define MOST_STEPS 200000      /* of the analysis of one row (f2l_unrounded_steps) */
#define MOST_CHUNK_STEPS 20000 /* where it goes by chunks */

/* The network, and what its analyses share. */
typedef struct held_net {
    const f2l_net *net;
    f2l_unrounded_shared *shared;
    uint64_t steps;
} held_net;

static f2l_status is_held(bool *held, const f2l_engine *engine, const char *state,
                          const held_net *of, const f2l_task *task, f2l_error *err)
{
    f2l_unrounded unrounded;
    f2l_schedule schedule;
    char name[F2L_SCHEDULE_NAME];
    const f2l_format *const format = f2l_format_find("bf16");
    *held = false;
    if (f2l_engine_schedule(&schedule, name, engine, state, NULL) != F2L_OK ||
        f2l_schedule_check(&schedule, format, NULL) != F2L_OK ||
        !f2l_unrounded_treats(of->net, &schedule) ||
        of->steps > (f2l_schedule_steps(&schedule) ? MOST_STEPS : MOST_CHUNK_STEPS))
        return F2L_OK;
    f2l_unrounded_init(&unrounded);
    f2l_status status =
        f2l_unrounded_find_shared(&unrounded, of->net, of->shared, format, &schedule, task, err);
    *held = status == F2L_OK && unrounded.verdict == F2L_OK;
    f2l_unrounded_clear(&unrounded);
    return status == F2L_EDOMAIN || status == F2L_UNKNOWN ? F2L_OK : status;
}

/* Appends a name; what does not fit is cut to "..". */
static void put_engine(char out[F2L_COMPILE_ENGINES], const char *name, const char *state)
{
    const size_t used = strlen(out);
    if (used >= 4 && strcmp(out + used - 4, ", ..") == 0) return;
    const char *const between = used ? ", " : "";
    if (used + strlen(name) + strlen(state) + 10 > F2L_COMPILE_ENGINES)
        snprintf(out + used, F2L_COMPILE_ENGINES - used, ", ..");
    else
        snprintf(out + used, F2L_COMPILE_ENGINES - used, "%s%s%s%s", between, name,
                 state[0] ? "/" : "", state);
}

static f2l_status add_engine(char out[F2L_COMPILE_ENGINES], const f2l_engine *engine,
                             const held_net *of, const f2l_task *task, f2l_error *err)
{
    bool held[F2L_ENGINE_STATES] = {false};
    size_t count = 0;
    const char *const name = engine->value[F2L_ENGINE_NAME];
    for (size_t k = 0; k < engine->states; k++) {
        f2l_status status = is_held(&held[k], engine, engine->state[k], of, task, err);
        if (status != F2L_OK) return status;
        count += held[k];
    }
    if (count == engine->states) put_engine(out, name, "");
    for (size_t k = 0; k < engine->states && count < engine->states; k++)
        if (held[k]) put_engine(out, name, engine->state[k]);
    return F2L_OK;
}

f2l_status f2l_engines_held(char out[F2L_COMPILE_ENGINES], const f2l_net *net,
                            f2l_unrounded_shared *shared, const f2l_task *task, f2l_error *err)
{
    held_net of = {.net = net, .shared = shared};
    f2l_engine engine;
    out[0] = '\0';
    f2l_status status = f2l_unrounded_steps(&of.steps, net, err);
    for (size_t i = 0; status == F2L_OK && f2l_engine_preset(&engine, i); i++)
        if (!f2l_engine_lacks(&engine, net)) status = add_engine(out, &engine, &of, task, err);
    return status;
}
