/* A network that reads letters one at a time, exactly or in a number format. */
#ifndef F2L_PLAYER_H
#define F2L_PLAYER_H

#include "models/network/exact/run_exact.h"
#include "models/network/schedule/schedule.h"

/* One of the two runners and its state; owned but for `classes`. */
typedef struct f2l_player {
    const f2l_letter_classes *classes; /* classes of the model's letters; borrowed */
    f2l_exact *exact;
    size_t *joint; /* [f2l_net_joint] codes: the joint state */
    f2l_float_net *rounded;
    double *state; /* the state numbers, in a format */
    bool lost;     /* exact: a state without a code was reached, after which no state decodes */
} f2l_player;

/* Prepares a player of the model, which is borrowed; format NULL: exact. */
f2l_status f2l_player_init(f2l_player *player, const f2l_net *model, const f2l_format *format,
                           const f2l_schedule *schedule, f2l_error *err);
void f2l_player_clear(f2l_player *player);

/* Returns the player to the empty word, whose label is the network's `start`. */
f2l_status f2l_player_start(f2l_player *player, f2l_error *err);

/* Reads one letter and sets *label to an index into the network's labels, or to F2L_NO_INDEX when
 * the state decodes to nothing. */
f2l_status f2l_player_step(f2l_player *player, size_t letter, size_t *label, f2l_error *err);

#endif
