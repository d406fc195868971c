/* The parts of the verifiers; private to this folder. */
#ifndef F2L_THEORY_CERTIFY_FORMS_IMPL_H
#define F2L_THEORY_CERTIFY_FORMS_IMPL_H

#include "automata/fsa/rowset.h"
#include "automata/gset/gset.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/forms/form.h"

/* Begins a verifier: the verdict is UNKNOWN, the network valid, and *label, which the caller frees,
 * has the label that it must give in each state of the automaton, or with labels `edges` for each
 * transition. On failure nothing is allocated. */
f2l_status f2l_form_begin(f2l_form_verdict *out, uint32_t **label, const f2l_net *net,
                          const f2l_fsa *fsa, f2l_error *err);

/* Checks that all reached states have a label, or all their transitions, and the empty word the
 * start's; polls the task. */
f2l_status f2l_form_check_labels(const f2l_net *net, const f2l_fsa *fsa, const f2l_reach *reach,
                                 const uint32_t *label, const f2l_task *task, f2l_error *err);

/* Returns the status of a verifier that ended with `status`: F2L_OK and F2L_UNKNOWN become the
 * verdict, the latter with `why` as its reason; other failures go to *err. */
f2l_status f2l_form_conclude(f2l_form_verdict *out, f2l_status status, const f2l_error *why,
                             f2l_error *err);

/* Writes the lines `class` and `like`: class[states], a number up to `classes` or 0, and the first
 * state of every class. F2L_EDOMAIN where a class has none. */
f2l_status f2l_cert_write_classes(f2l_buf *out, const uint32_t *class, size_t states,
                                  size_t classes, f2l_error *err);

/* These are f2l_form.certify of the forms. */
f2l_status f2l_d1_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                          const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                          const char network_sha256[65], f2l_error *err);
f2l_status f2l_zeiger_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err);
f2l_status f2l_blocks_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err);

/* The parts of the verifier of D1 forms; private to d1_verify*.c. All checks return F2L_UNKNOWN,
 * with the reason, where the network is not as theory/pages/d1.md, D1.8, requires. */

#define F2L_D1_UNSET UINT32_MAX

typedef struct f2l_d1_check {
    const f2l_net *net; /* valid; borrowed */
    const f2l_fsa *fsa;
    const f2l_task *task;
    uint64_t edge_steps; /* steps (numeric/base/task.h) for a step of the last layer */
    f2l_reach reach;
    const uint32_t *label; /* [states of fsa] label that the network must give */
    f2l_exact *run;
    size_t letters, states; /* k letters; N states that the start reaches */
    size_t clock;           /* number of clock layers */
    size_t ring;            /* number of the ring's block; block `ring` + 1 is the applying block */
    size_t block;           /* B */
    /* A level of a blocks form (theory/pages/blocks.md): (state, 0 or 1 + letter) -> state, in
     * place of the automaton's transitions; otherwise NULL. */
    const f2l_wired_table *moves;
    /* Sizes of wires, and tables whose values have no meaning of their own; set once the circuits
     * are checked. */
    size_t elements, factors, rests, codes;
    const f2l_wired_table *multiply; /* (element, 0 or 1 + letter) -> element */
    const f2l_wired_table *factor;   /* (element, count) -> portion */
    const f2l_wired_table *rest;     /* (element, count) -> product still to come */
    const f2l_wired_table *meaning;  /* (code, product still to come) -> state */
    /* The codes of the clock's heads, set once the clock has run. */
    size_t clock_heads;
    uint32_t *clock_code; /* [2B + 1][clock heads] their codes after 0 .. 2B tokens */
    /* The products of blocks, set once the words are walked. */
    size_t *level_at; /* [B + 2] V_j is level[level_at[j] .. level_at[j + 1]), increasing */
    uint32_t *level;
    size_t levels_capacity;
    uint32_t *act;     /* [elements][states] state after the words of an element; F2L_D1_UNSET where
                          unused */
    uint32_t *product; /* [products] elements that are the product of a block; the first is 0, the
                          empty product */
    size_t products;
    /* The steps of the applying head. */
    uint32_t start;  /* state that the head's initial code means; with `moves` it is set by
                        f2l_d1_check_pairs, otherwise it must be set before */
    uint32_t *meant; /* [codes] state at the end of a block; F2L_D1_UNSET where no block ends */
    /* [codes][factors] code after a portion; F2L_D1_UNSET where unused */
    uint32_t *edge;
    size_t pairs;
    /* Of point forms (theory/pages/d1.md, D1.12) only; points and exchanges take the place of
     * elements and portions. */
    size_t points, marks, slots;
    const f2l_wired_table *point_moves; /* T: (point, 0 or 1 + letter) -> point */
    const f2l_wired_table **place;      /* [marks] code -> point */
    const f2l_wired_table **list; /* [marks] (list before, point) -> list; at last the label */
    uint32_t *orbit;              /* [points] number of the orbit under the letters */
    f2l_rowset row;               /* rows of a state and a point for each mark */
    uint32_t *next;               /* [rows][letters] */
    size_t next_capacity;
} f2l_d1_check;

/* Returns the state after the letter. */
static inline uint32_t f2l_d1_after(const f2l_d1_check *c, uint32_t state, size_t letter)
{
    if (c->moves) return c->moves->value[state * (c->letters + 1) + 1 + letter];
    return c->reach.position[c->fsa->next[c->reach.state[state] * c->letters + letter]];
}

/* Check the stages and the circuits of the clock, which sets clock, ring and block; and the ring's
 * inputs, pre gate and head. */
f2l_status f2l_d1_check_stages(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_d1_check_ring_frame(f2l_d1_check *c, f2l_error *err);

/* Checks all of D1.12 as f2l_d1_check_exact does D1.8: the circuits, which set points .. list, and
 * the rest of it. */
f2l_status f2l_points_check_exact(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_points_check_circuits(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_points_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err);

/* Checks all of D1.8. `c` must have net, which is valid, fsa, label, task and letters, and nothing
 * else. The caller clears it in every case. */
f2l_status f2l_d1_check_exact(f2l_d1_check *c, f2l_error *err);
void f2l_d1_check_clear(f2l_d1_check *c);

/* A form that f2l_d1_check checks: its exact check, and the verdict of what passes. */
typedef struct f2l_d1_kind {
    f2l_status (*check)(f2l_d1_check *c, f2l_error *err);
    f2l_form_verdict (*verdict)(const f2l_d1_check *c);
} f2l_d1_kind;

/* Is f2l_form.verify of such a form. */
f2l_status f2l_d1_verify(const f2l_d1_kind *kind, f2l_form_verdict *out, const f2l_net *net,
                         const f2l_fsa *fsa, const f2l_format *format, const f2l_schedule *schedule,
                         const f2l_task *task, f2l_error *err);

/* Parts of the certificate: the class of every state that the start of the caller's automaton
 * reaches, which is the position of its state among the reached states of the form's automaton; the
 * clock's codes; and the lines of a ring and an applying block. */
f2l_status f2l_d1_write_classes(f2l_buf *out, const f2l_reach *from, const f2l_reach *to,
                                size_t states, const uint32_t *classes, f2l_error *err);
void f2l_d1_write_clock(f2l_buf *out, const f2l_d1_check *c);
void f2l_d1_write_level(f2l_buf *out, const f2l_d1_check *c);

/* Checks stages and blocks, and the gates of the ring and of the applying block: sets clock ..
 * meaning. */
f2l_status f2l_d1_check_circuits(f2l_d1_check *c, f2l_error *err);

/* Checks that the clock's heads count: sets clock_heads and clock_code. */
f2l_status f2l_d1_check_clock(f2l_d1_check *c, f2l_error *err);

/* Checks that every slot of the ring's head writes the letter. */
f2l_status f2l_d1_check_ring(const f2l_d1_check *c, f2l_error *err);

/* Checks D1.8 (d): sets level, act and product. */
f2l_status f2l_d1_check_words(f2l_d1_check *c, f2l_error *err);

/* Checks D1.8 (e): sets meant, edge and pairs. */
f2l_status f2l_d1_check_pairs(f2l_d1_check *c, f2l_error *err);

/* Checks clock, ring, and every edge in a format. */
f2l_status f2l_d1_check_format(const f2l_d1_check *c, const f2l_format *format,
                               const f2l_schedule *schedule, f2l_error *err);
/* Check the clock alone, and ring and edges alone. */
f2l_status f2l_d1_round_clock(const f2l_d1_check *c, const f2l_float_net *rounded,
                              const f2l_format *format, f2l_error *err);
f2l_status f2l_d1_round_level(const f2l_d1_check *c, const f2l_float_net *rounded,
                              const f2l_format *format, f2l_error *err);

/* The parts of the verifier of blocks forms; private to blocks_*.c. */

/* How a level is tied to the automaton (BL.3). Nodes count from 0. */
typedef struct f2l_blocks_link {
    size_t letters, symbols;     /* of the level; of the next level, or labels */
    const f2l_wired_table *next; /* (letter, state) -> symbol */
    const f2l_wired_table *act;  /* letter -> act */
    size_t nodes;
    uint32_t *reads, *from, *to; /* [letters] a, X, Y; reads is F2L_D1_UNSET where unused */
    uint32_t *child;             /* [nodes][states] node of the next level, or position of a state
                                    in reach; F2L_D1_UNSET where the pair is not reached */
} f2l_blocks_link;

typedef struct f2l_blocks_check {
    const f2l_net *net; /* valid; borrowed */
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_reach reach;
    const uint32_t *label; /* as f2l_form_begin sets it */
    f2l_exact *run;
    size_t clock, block, levels; /* C, B, L; the levels' rings are blocks C, C + 2, .. */
    f2l_d1_check base;           /* the clock */
    f2l_d1_check *level;         /* [levels]; only the members of ring and applying block */
    f2l_blocks_link *link;       /* [levels] */
} f2l_blocks_check;

/* Checks all of BL.2 and BL.3. `c` must have net, which is valid, fsa, label and task, and nothing
 * else. The caller clears it in every case. */
f2l_status f2l_blocks_check_exact(f2l_blocks_check *c, f2l_error *err);
void f2l_blocks_check_clear(f2l_blocks_check *c);
/* Checks stages, blocks and gates: sets clock, block, levels, and what the tables of the levels
 * give. */
f2l_status f2l_blocks_check_circuits(f2l_blocks_check *c, f2l_error *err);
/* Checks BL.3: sets nodes, reads, from, to and child of all links. */
f2l_status f2l_blocks_check_links(f2l_blocks_check *c, f2l_error *err);

/* The parts of the verifier of Zeiger forms; private to zeiger_verify*.c. */

typedef struct f2l_zeiger_check {
    const f2l_net *net;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_meter meter;
    size_t n, k;
    const uint32_t *label; /* as f2l_form_begin sets it */
    size_t each;           /* labels of a state: 1, or with labels `edges` k */
    uint32_t reset;        /* wire of the reset bit in a level; set once its circuits are checked */
    uint32_t action;       /* wire of the first state's action */
} f2l_zeiger_check;

/* Returns F2L_UNKNOWN with the reason where the circuits of enter, level and leave (blocks 0, 1, 2
 * of a valid network) are not the circuits of Z.3. */
f2l_status f2l_zeiger_check_circuits(f2l_zeiger_check *c, f2l_error *err);

#endif
