/* The parts of the verifiers; private to this folder. */
#ifndef F2L_THEORY_CERTIFY_FORMS_IMPL_H
#define F2L_THEORY_CERTIFY_FORMS_IMPL_H

#include "automata/fsa/rowset.h"
#include "automata/gset/gset.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/forms/form.h"

/* Returns the head of the certificate of a wired network. */
f2l_cert_head f2l_wired_cert_head(const f2l_wired *net, const char *network_sha256,
                                  const char *claim);

/* Returns the status of a verifier that ended with `status`: F2L_OK and F2L_UNKNOWN become the
 * verdict, the latter with `why` as its reason; other failures go to *err. */
f2l_status f2l_form_conclude(f2l_form_verdict *out, f2l_status status, const f2l_error *why,
                             f2l_error *err);

/* Writes the lines `class` and `like`: class[states], a number up to `classes` or 0, and the first
 * state of every class. F2L_EDOMAIN where a class has none. */
f2l_status f2l_cert_write_classes(f2l_buf *out, const uint32_t *class, size_t states,
                                  size_t classes, f2l_error *err);

/* These two are f2l_form.certify of the forms. */
f2l_status f2l_d1_certify(f2l_buf *out, const f2l_wired *net, const f2l_form_verdict *verdict,
                          const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                          const char network_sha256[65], f2l_error *err);
f2l_status f2l_zeiger_certify(f2l_buf *out, const f2l_wired *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err);

/* The parts of the verifier of D1 forms; private to d1_verify*.c. All checks return F2L_UNKNOWN,
 * with the reason, where the network is not as theory/pages/d1.md, D1.8, requires. */

#define F2L_D1_UNSET UINT32_MAX

typedef struct f2l_d1_check {
    const f2l_wired *net; /* valid; borrowed */
    const f2l_fsa *fsa;
    const f2l_task *task;
    uint64_t edge_steps; /* steps (numeric/base/task.h) for a step of the last layer */
    f2l_reach reach;
    const uint32_t *label; /* [states of fsa] label that the network must give */
    f2l_wired_exact *run;
    size_t letters, states; /* k letters; N states that the start reaches */
    size_t clock; /* number of clock layers; blocks `clock` and `clock` + 1 are the ring and the
                     applying block */
    size_t block; /* B */
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
    uint32_t *meant; /* [codes] state at the end of a block; F2L_D1_UNSET where no block ends */
    /* [codes][factors] code after a portion; F2L_D1_UNSET where unused */
    uint32_t *edge;
    size_t pairs;
    /* Of point forms (theory/pages/d1.md, D1.12) only; points and exchanges take the place of
     * elements and portions. */
    size_t points, marks, slots;
    const f2l_wired_table *moves;  /* T: (point, 0 or 1 + letter) -> point */
    const f2l_wired_table **place; /* [marks] code -> point */
    const f2l_wired_table **list;  /* [marks] (list before, point) -> list; at last the label */
    uint32_t *orbit;               /* [points] number of the orbit under the letters */
    f2l_rowset row;                /* rows of a state and a point for each mark */
    uint32_t *next;                /* [rows][letters] */
    size_t next_capacity;
} f2l_d1_check;

/* A walk along the gates of a circuit, in the order of their wires. */
typedef struct f2l_d1_walk {
    const f2l_d1_check *c;
    size_t number; /* number of the block */
    const f2l_wired_gate *gate;
    size_t gates, at; /* `at`: the next gate */
    uint32_t first;   /* wire of gate 0 */
} f2l_d1_walk;

f2l_d1_walk f2l_d1_walk_pre(const f2l_d1_check *c, size_t number);
f2l_d1_walk f2l_d1_walk_post(const f2l_d1_check *c, size_t number);

/* The expected gate. `value`: NULL when the entries are checked elsewhere; `x`: its constant. */
typedef struct f2l_d1_expectation {
    uint32_t (*value)(const f2l_d1_check *c, size_t x, const uint32_t *in);
    size_t inputs;
    uint32_t wire[4];
    size_t size[4];
    size_t values; /* number of values; 0: any */
    size_t x;
} f2l_d1_expectation;

/* Checks that the next gate is as expected; *table (may be NULL) is its table, *wire (may be NULL)
 * its output. */
f2l_status f2l_d1_expect(f2l_d1_walk *w, const f2l_d1_expectation *e, const f2l_wired_table **table,
                         uint32_t *wire, f2l_error *err);
f2l_status f2l_d1_no_more(const f2l_d1_walk *w, f2l_error *err);
f2l_status f2l_d1_wrong_block(size_t number, const char *what, f2l_error *err);

/* Check the stages and the circuits of the clock, which sets clock and block; the ring's inputs,
 * pre gate and head; and the masked letters of one block, whose wires begin at *first. */
f2l_status f2l_d1_check_stages(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_d1_check_ring_frame(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_d1_check_masks(f2l_d1_walk *w, bool old, uint32_t *first, f2l_error *err);

/* Checks all of D1.12 as f2l_d1_check_exact does D1.8: the circuits, which set points .. list, and
 * the rest of it. */
f2l_status f2l_points_check_exact(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_points_check_circuits(f2l_d1_check *c, f2l_error *err);
f2l_status f2l_points_certify(f2l_buf *out, const f2l_wired *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err);

/* Checks that all states have a label, and the empty word the start's. */
f2l_status f2l_d1_check_labels(const f2l_d1_check *c, f2l_error *err);

/* Checks all of D1.8. `c` must have net, which is valid, fsa, label, task and letters, and nothing
 * else. The caller clears it in every case. */
f2l_status f2l_d1_check_exact(f2l_d1_check *c, f2l_error *err);
void f2l_d1_check_clear(f2l_d1_check *c);

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

/* The parts of the verifier of Zeiger forms; private to zeiger_verify*.c. */

typedef struct f2l_zeiger_check {
    const f2l_wired *net;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_meter meter;
    size_t n, k;
    const uint32_t *label; /* [n] label that the network must give in every state */
    uint32_t reset;        /* wire of the reset bit in a level; set once its circuits are checked */
    uint32_t action;       /* wire of the first state's action */
} f2l_zeiger_check;

/* Returns F2L_UNKNOWN with the reason where the circuits of enter, level and leave (blocks 0, 1, 2
 * of a valid network) are not the circuits of Z.3. */
f2l_status f2l_zeiger_check_circuits(f2l_zeiger_check *c, f2l_error *err);

#endif
