/* A network that reads letters one at a time, exactly or in a number format. */
#ifndef F2L_PLAYER_H
#define F2L_PLAYER_H

#include "f2l_run_exact.h"
#include "f2l_schedule.h"

typedef struct f2l_player {
    const f2l_net *net;
    f2l_exact *exact;
    size_t *joint; /* exact: a code per layer */
    f2l_float_net *rounded;
    double *state; /* in a format: the numbers themselves */
    bool lost;     /* exact: a state without code was reached; nothing after it decodes */
} f2l_player;

/* format NULL: exact. Borrows the network. */
f2l_status f2l_player_init(f2l_player *player, const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule, f2l_error *err);
void f2l_player_clear(f2l_player *player);

/* Back to the empty word, whose label is net->start. */
f2l_status f2l_player_start(f2l_player *player, f2l_error *err);

/* *label is an index into net->labels, or F2L_NO_INDEX when the state decodes to nothing. */
f2l_status f2l_player_step(f2l_player *player, size_t letter, size_t *label, f2l_error *err);

#endif
