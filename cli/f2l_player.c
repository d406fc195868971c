#include "f2l_player.h"
#include "f2l_mem.h"
#include <string.h>

f2l_status f2l_player_init(f2l_player *player, const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule, f2l_error *err)
{
    memset(player, 0, sizeof *player);
    player->net = net;
    f2l_status status;
    if (format) {
        status = f2l_float_net_new(&player->rounded, net, format, schedule, err);
        if (status == F2L_OK) {
            player->state = f2l_calloc(f2l_float_size(player->rounded), sizeof *player->state);
            if (!player->state) status = f2l_fail_memory(err);
        }
    } else {
        status = f2l_exact_new(&player->exact, net, err);
        if (status == F2L_OK) {
            player->joint = f2l_calloc(net->layers, sizeof *player->joint);
            if (!player->joint) status = f2l_fail_memory(err);
        }
    }
    if (status != F2L_OK) f2l_player_clear(player);
    return status;
}

void f2l_player_clear(f2l_player *player)
{
    f2l_exact_free(player->exact);
    f2l_float_net_free(player->rounded);
    f2l_free(player->joint);
    f2l_free(player->state);
    memset(player, 0, sizeof *player);
}

f2l_status f2l_player_start(f2l_player *player, f2l_error *err)
{
    player->lost = false;
    if (player->exact) return f2l_exact_start(player->exact, player->joint, err);
    f2l_float_start(player->rounded, player->state);
    return F2L_OK;
}

f2l_status f2l_player_step(f2l_player *player, size_t letter, size_t *label, f2l_error *err)
{
    *label = F2L_NO_INDEX;
    if (player->exact) {
        if (player->lost) return F2L_OK;
        f2l_status status = f2l_exact_step(player->exact, player->joint, letter, label, NULL, err);
        if (status != F2L_EDOMAIN) return status;
        player->lost = true;
        *label = F2L_NO_INDEX;
        return F2L_OK;
    }
    uint32_t found;
    f2l_status status = f2l_float_step(player->rounded, player->state, letter, &found, err);
    if (status == F2L_OK && found != F2L_NO_SYMBOL) *label = found;
    return status;
}
