/* The parts of f2l_obstruct, private to it: networks of all kinds as machines that step from one
 * joint state to the next. */
#ifndef F2L_THEORY_OBSTRUCT_IMPL_H
#define F2L_THEORY_OBSTRUCT_IMPL_H

#include "models/network/exact/run_exact.h"
#include "theory/obstruct/obstruct.h"

/* Exact states that need not be codes, decoded by the nearest one; ordinary networks over Q. */
typedef struct f2l_rational f2l_rational;

f2l_status f2l_rational_new(f2l_rational **out, const f2l_net *net, f2l_error *err);
void f2l_rational_free(f2l_rational *r);
size_t f2l_rational_heads(const f2l_rational *r); /* number of heads of all layers */
/* Sets state[heads], initialised, to the initial states. */
f2l_status f2l_rational_start(const f2l_rational *r, f2l_qvec *state, f2l_error *err);
/* Steps as f2l_float_step does. Returns F2L_UNKNOWN when numbers become too long. */
f2l_status f2l_rational_step(f2l_rational *r, f2l_qvec *state, size_t letter, uint32_t *label,
                             f2l_error *err);

typedef enum f2l_machine_kind {
    F2L_MACHINE_FLOAT,
    F2L_MACHINE_CODES,
    F2L_MACHINE_RATIONAL
} f2l_machine_kind;

typedef struct f2l_machine {
    f2l_machine_kind kind;
    f2l_float_net *net; /* one of these three is set */
    f2l_exact *codes;
    f2l_rational *rational;
    size_t items, bytes; /* items of a joint state; bytes of one item. For rational: heads */
} f2l_machine;

/* A pair: joint state and state of the automaton. */
typedef struct f2l_spot {
    size_t state;
    void *joint;
} f2l_spot;

/* Initialises *m. format NULL: exact; `kind` tells which of the two exact ones, for an ordinary
 * network. */
f2l_status f2l_machine_init(f2l_machine *m, const f2l_net *model, const f2l_format *format,
                            const f2l_schedule *schedule, bool rational, f2l_error *err);
void f2l_machine_clear(f2l_machine *m);

f2l_status f2l_spot_init(f2l_spot *p, const f2l_machine *m, f2l_error *err);
void f2l_spot_clear(f2l_spot *p, const f2l_machine *m);
f2l_status f2l_spot_copy(f2l_spot *out, const f2l_spot *p, const f2l_machine *m, f2l_error *err);
bool f2l_spot_equal(const f2l_spot *a, const f2l_spot *b, const f2l_machine *m);

/* Sets the joint state of *spot to the start; F2L_EDOMAIN where codes are required and it is none.
 * The caller sets the automaton's state. */
f2l_status f2l_machine_start(f2l_machine *m, f2l_spot *p, f2l_error *err);
/* Steps the network; *label is F2L_NO_SYMBOL when there is none. Returns F2L_EDOMAIN if a state is
 * no code, or not finite (there is then no label); F2L_UNKNOWN if numbers become too long. */
f2l_status f2l_machine_step(f2l_machine *m, f2l_spot *p, size_t letter, uint32_t *label,
                            f2l_error *err);

#endif
