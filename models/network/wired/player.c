#include "models/network/wired/player.h"
#include "numeric/base/mem.h"

f2l_status f2l_player_init(f2l_player *player, const f2l_net *model, const f2l_format *format,
                           const f2l_schedule *schedule, f2l_error *err)
{
    *player = (f2l_player){.classes = &model->classes};
    f2l_status status = format ? f2l_float_net_new(&player->rounded, model, format, schedule, err)
                               : f2l_exact_new(&player->exact, model, err);
    if (status != F2L_OK) return status;
    const size_t count = format ? f2l_float_size(player->rounded) : f2l_net_joint(model);
    if (format)
        player->state = f2l_calloc(count, sizeof *player->state);
    else
        player->joint = f2l_calloc(count, sizeof *player->joint);
    if (player->state || player->joint) return F2L_OK;
    f2l_player_clear(player);
    return f2l_fail_memory(err);
}

void f2l_player_clear(f2l_player *player)
{
    f2l_exact_free(player->exact);
    f2l_float_net_free(player->rounded);
    f2l_free(player->joint);
    f2l_free(player->state);
    *player = (f2l_player){0};
}

f2l_status f2l_player_start(f2l_player *player, f2l_error *err)
{
    player->lost = false;
    if (player->exact) return f2l_exact_start(player->exact, player->joint, err);
    f2l_float_start(player->rounded, player->state);
    return F2L_OK;
}

static f2l_status step_exact_player(f2l_player *player, size_t letter, size_t *label,
                                    f2l_error *err)
{
    if (player->lost) return F2L_OK;
    f2l_status status = f2l_exact_step(player->exact, player->joint, letter, label, NULL, err);
    if (status != F2L_EDOMAIN) return status;
    player->lost = true;
    *label = F2L_NO_INDEX;
    return F2L_OK;
}

f2l_status f2l_player_step(f2l_player *player, size_t letter, size_t *label, f2l_error *err)
{
    *label = F2L_NO_INDEX;
    letter = f2l_letter_class(player->classes, letter);
    if (player->exact) return step_exact_player(player, letter, label, err);
    uint32_t found;
    f2l_status status = f2l_float_step(player->rounded, player->state, letter, &found, err);
    if (status == F2L_OK && found != F2L_NO_SYMBOL) *label = found;
    return status;
}
