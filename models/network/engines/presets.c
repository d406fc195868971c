/* The engines of this folder's files. */
#include "models/network/engines/engine.h"
#include <string.h>

static const char *const presets[] = {
#include "models/network/engines/presets.inc"
};
#define PRESETS (sizeof presets / sizeof *presets)

bool f2l_engine_preset(f2l_engine *out, size_t i)
{
    return i < PRESETS && f2l_engine_read(out, presets[i], strlen(presets[i]), NULL) == F2L_OK;
}

f2l_status f2l_engine_find(f2l_engine *out, const char *name, size_t size, f2l_error *err)
{
    for (size_t i = 0; f2l_engine_preset(out, i); i++) {
        const char *const of_preset = out->value[F2L_ENGINE_NAME];
        if (strlen(of_preset) == size && memcmp(of_preset, name, size) == 0) return F2L_OK;
    }
    return f2l_fail(err, F2L_EFORMAT,
                    "there is no engine of this name; `--engine help` lists them, and a file's "
                    "name has a / or ends in .engine");
}

static bool is_power_of_four(size_t n)
{
    while (n > 1 && n % 4 == 0) n /= 4;
    return n == 1;
}

/* Returns whether keys are exact only by accident: a factor of theirs is rounded. */
static bool has_inexact_keys(const f2l_engine *engine, const f2l_net *net)
{
    if (!strstr(engine->settings, "norm=rms") || !strstr(engine->settings, "eps=")) return false;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            if (!is_power_of_four(net->layer[l].head[h].n)) return true;
    return false;
}

const char *f2l_engine_lacks(const f2l_engine *engine, const f2l_net *net)
{
    f2l_net_size size;
    const char *const most = engine->value[F2L_ENGINE_BETA];
    f2l_net_measure(&size, net);
    if (strcmp(most, "0") == 0 && size.householders > 0)
        return "no factors: its step multiplies the state by a gate and adds, and the network "
               "needs more; no network has a cycle there in exact arithmetic with finitely many "
               "states (theory/pages/ladder.md, L.3)";
    if (most[0] && strcmp(most, "2") != 0 && f2l_net_reflects(net))
        return "no cycle: its beta is at most 1, and the network has reflections; no other network "
               "has a cycle there in exact arithmetic with finitely many states "
               "(theory/pages/ladder.md, L.7)";
    if (has_inexact_keys(engine, net))
        return "no exact keys: they carry the factor n^-1/2, and a head's key dimension n is no "
               "power of four, so that the factor is rounded; pad the keys to 4, 16, 64 or 256";
    return NULL;
}

void f2l_engine_cite(f2l_buf *out, const f2l_engine *e)
{
    const char *const note = e->value[F2L_ENGINE_NOTE];
    if (strcmp(e->value[F2L_ENGINE_SOURCE], "local") == 0) {
        f2l_buf_printf(out, "a file of yours%s%s", note[0] ? "; " : "", note);
        return;
    }
    if (strcmp(e->value[F2L_ENGINE_SOURCE], "paper") == 0) {
        f2l_buf_printf(out, "%s, from the design paper, not read%s%s",
                       e->value[F2L_ENGINE_REPOSITORY], note[0] ? "; " : "", note);
        return;
    }
    f2l_buf_printf(out, "%s%s%.8s, %s, %s, read on %s%s", e->value[F2L_ENGINE_REPOSITORY],
                   e->value[F2L_ENGINE_COMMIT][0] ? "@" : "", e->value[F2L_ENGINE_COMMIT],
                   e->value[F2L_ENGINE_PATH], e->value[F2L_ENGINE_FUNCTION],
                   e->value[F2L_ENGINE_READ],
                   strcmp(e->value[F2L_ENGINE_SOURCE], "release") == 0
                       ? ""
                       : ", a pull request: proposed, not released");
    if (note[0]) f2l_buf_printf(out, "; %s", note);
}

bool f2l_engine_same_range(const f2l_engine *a, const f2l_engine *b)
{
    return strcmp(a->value[F2L_ENGINE_BETA], b->value[F2L_ENGINE_BETA]) == 0;
}

void f2l_engine_equals(f2l_buf *out, const f2l_schedule *schedule, const f2l_engine *of)
{
    f2l_engine e;
    char sought[F2L_SCHEDULE_NAME];
    bool first = true;
    f2l_schedule_write(sought, schedule);
    for (size_t i = 0; f2l_engine_preset(&e, i); i++)
        for (size_t k = 0; k < e.states; k++) {
            f2l_schedule other;
            char name[F2L_SCHEDULE_NAME], all[F2L_SCHEDULE_NAME];
            const bool made = f2l_engine_schedule(&other, name, &e, e.state[k], NULL) == F2L_OK;
            if (!made || strcmp(e.value[F2L_ENGINE_NAME], of->value[F2L_ENGINE_NAME]) == 0 ||
                !f2l_engine_same_range(&e, of))
                continue;
            f2l_schedule_write(all, &other);
            if (strcmp(all, sought) != 0) continue;
            f2l_buf_printf(out, "%s%s/%s", first ? "" : ", ", e.value[F2L_ENGINE_NAME], e.state[k]);
            first = false;
        }
}

static void show_preset_row(f2l_buf *out, const f2l_engine *e, const char *state)
{
    f2l_schedule schedule;
    char name[F2L_SCHEDULE_NAME];
    if (f2l_engine_schedule(&schedule, name, e, state, NULL) != F2L_OK) return;
    f2l_buf_printf(out, "%s/%s\n  row     %s\n", e->value[F2L_ENGINE_NAME], state, name);
    const size_t before = out->size;
    f2l_buf_text(out, "  equal   ");
    const size_t start = out->size;
    f2l_engine_equals(out, &schedule, e);
    if (out->size == start)
        out->size = before;
    else
        f2l_buf_text(out, "\n");
}

void f2l_engine_help(f2l_buf *out)
{
    f2l_engine e;
    for (size_t i = 0; f2l_engine_preset(&e, i); i++) {
        for (size_t k = 0; k < e.states; k++) show_preset_row(out, &e, e.state[k]);
        f2l_buf_text(out, "  source  ");
        f2l_engine_cite(out, &e);
        f2l_buf_text(out, "\n");
    }
}
