#include "models/network/wired/player.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Room for a state of `count` entries. */
static f2l_status allocate_player_state(void *out, size_t count, size_t size, f2l_error *err)
{
    void *state = f2l_calloc(count ? count : 1, size);
    if (!state) return f2l_fail_memory(err);
    memcpy(out, &state, sizeof state);
    return F2L_OK;
}

static f2l_status init_net(f2l_player *p, const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule, f2l_error *err)
{
    f2l_status status = format ? f2l_float_net_new(&p->rounded, net, format, schedule, err)
                               : f2l_exact_new(&p->exact, net, err);
    if (status != F2L_OK) return status;
    return format
               ? allocate_player_state(&p->state, f2l_float_size(p->rounded), sizeof *p->state, err)
               : allocate_player_state(&p->joint, net->layers, sizeof *p->joint, err);
}

static f2l_status init_wired(f2l_player *p, const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, f2l_error *err)
{
    f2l_status status = format ? f2l_wired_float_new(&p->wired_rounded, net, format, schedule, err)
                               : f2l_wired_exact_new(&p->wired_exact, net, err);
    if (status != F2L_OK) return status;
    return format ? allocate_player_state(&p->state, f2l_wired_float_numbers(p->wired_rounded),
                                          sizeof *p->state, err)
                  : allocate_player_state(&p->values, f2l_wired_joint(net), sizeof *p->values, err);
}

f2l_status f2l_player_init(f2l_player *player, const f2l_net *model, const f2l_format *format,
                           const f2l_schedule *schedule, f2l_error *err)
{
    memset(player, 0, sizeof *player);
    f2l_status status = f2l_net_is_wired(model) ? init_wired(player, model, format, schedule, err)
                                                : init_net(player, model, format, schedule, err);
    if (status != F2L_OK) f2l_player_clear(player);
    player->classes = &model->classes;
    return status;
}

void f2l_player_clear(f2l_player *player)
{
    f2l_exact_free(player->exact);
    f2l_float_net_free(player->rounded);
    f2l_wired_exact_free(player->wired_exact);
    f2l_wired_float_free(player->wired_rounded);
    f2l_free(player->joint);
    f2l_free(player->values);
    f2l_free(player->state);
    memset(player, 0, sizeof *player);
}

f2l_status f2l_player_start(f2l_player *player, f2l_error *err)
{
    player->lost = false;
    if (player->exact) return f2l_exact_start(player->exact, player->joint, err);
    if (player->wired_exact) return f2l_wired_exact_start(player->wired_exact, player->values, err);
    if (player->rounded)
        f2l_float_start(player->rounded, player->state);
    else
        f2l_wired_float_start(player->wired_rounded, player->state);
    return F2L_OK;
}

static f2l_status step_exact_player(f2l_player *player, size_t letter, size_t *label,
                                    f2l_error *err)
{
    if (player->lost) return F2L_OK;
    f2l_status status =
        player->exact
            ? f2l_exact_step(player->exact, player->joint, letter, label, NULL, err)
            : f2l_wired_exact_step(player->wired_exact, player->values, letter, label, err);
    if (status != F2L_EDOMAIN) return status;
    player->lost = true;
    *label = F2L_NO_INDEX;
    return F2L_OK;
}

f2l_status f2l_player_step(f2l_player *player, size_t letter, size_t *label, f2l_error *err)
{
    *label = F2L_NO_INDEX;
    letter = f2l_letter_class(player->classes, letter);
    if (player->exact || player->wired_exact) return step_exact_player(player, letter, label, err);
    uint32_t found;
    f2l_status status =
        player->rounded
            ? f2l_float_step(player->rounded, player->state, letter, &found, err)
            : f2l_wired_float_step(player->wired_rounded, player->state, letter, &found, err);
    if (status == F2L_OK && found != F2L_NO_SYMBOL) *label = found;
    return status;
}
