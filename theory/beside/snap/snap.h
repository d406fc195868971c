/* Snap: the exact network beside a trained one.
 *
 * A trained network of one layer with the delta mixer multiplies the state of head h by A_h(a) when
 * it reads the letter a. If the letters permute the automaton's states, and head h has learned a
 * real irreducible representation rho of the group, there is a matrix P_h with orthonormal columns
 * and A_h(a) P_h = P_h rho(a) for all letters. Here P_h is found by least squares over the letters
 * (theory/beside/snap/intertwiner.h), for every rho that n_h factors can express (R1 of
 * theory/pages/rep.md), and the distance |A_h(a) P_h - P_h rho(a)|_F tells how nearly it was
 * learned.
 *
 * If the representations that were found determine the group's element, the construction R1 makes
 * the exact network of just these heads, which starts near the learned start, P_h^T H_0 (of its
 * columns the combination that is largest), and the closure (C1) proves it for all lengths. What
 * is proved is the exact network; about the trained one there are only the distances, in floating
 * point.
 *
 * Where they do not, a head may have learned rho up to signs of the letters, A_h(a) P_h = e(a) P_h
 * rho(a). Then rho x e is a representation of the group of pairs (element, sign) that the (a, e(a))
 * generate, and what was said holds with this group: its networks track the automaton as well (O.8
 * of theory/pages/r1.md).
 *
 * With values a letter does S <- A S + B. Where P^T B(a) = (I - rho(a)) C for a matrix C that does
 * not depend on the letter, S - P C moves as above: the exact network starts at P^T S_0 - C, S_0
 * being the state after the begin letter, or H_0. */
#ifndef F2L_SNAP_H
#define F2L_SNAP_H

#include "models/learn/data/data.h"
#include "models/learn/inspect/inspect.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/r1/r1.h"
#include "theory/rep/irrep/irrep_float.h"

#define F2L_SNAP_WITHIN 0.2
/* A letter may be this many times as far from a part's representation as the root of the mean is:
 * one that moves the part by something else is not learned, however many other letters there are.
 */
#define F2L_SNAP_WORST 2.5
/* A part of the state that is at most this fraction of the whole start is not used. */
#define F2L_SNAP_SHARE 0.01
#define F2L_SNAP_MAX_ORDER 1024

/* A representation of the group that n_h factors can express. */
typedef struct f2l_snap_irrep {
    uint32_t irrep;        /* number in r1.tables.householders */
    size_t character;      /* number of its character in r1.tables.characters */
    bool known;            /* exact matrices were found */
    size_t field_degree;   /* of the exact matrices */
    f2l_irrep_float value; /* if known */
    double nearest;        /* the least defect in any head; INFINITY: none was looked at */
    size_t nearest_head;
} f2l_snap_irrep;

/* A representation that a head has learned. Arrays are owned. K rows, d dimensions, V columns. */
typedef struct f2l_snap_part {
    size_t head, irrep; /* irrep: index into f2l_snap.irrep */
    double *basis;      /* [K][d] P, with orthonormal columns */
    double *distance;   /* [letters] |A(a) P - P rho(a)|_F */
    double defect;      /* the root of the mean over the letters of distance^2 / d */
    double next;        /* the defect of the next best P, orthogonal to all that were taken */
    double leaves;      /* the largest |(I - P P^T) A(a) P|_F: what leads out of the part */
    size_t worst;       /* the first letter with the largest distance */
    double *start;      /* [d] the largest combination of the columns of P^T S_0 - C */
    double share;       /* |P^T S_0 - C|_F / |S_0|_F */
    double *centre;     /* [d][V] C; 0 without values */
    double drift;       /* the largest |P^T B(a) - (I - rho(a)) C|_F / |P^T S_0 - C|_F */
} f2l_snap_part;

/* The group of pairs (element, signs) that the heads have learned in place of the transition group:
 * a letter stands for (letter, its signs). */
typedef struct f2l_snap_cover {
    size_t order; /* of the transition group; r1 has the group of the pairs */
    size_t signs; /* 0: the heads have learned the transition group itself */
    bool *minus;  /* [signs][letters] where a sign is -1; owned */
} f2l_snap_cover;

typedef enum f2l_snap_verdict {
    F2L_SNAP_SNAPPED,    /* net is exactly right for all lengths, by `closure` */
    F2L_SNAP_IMPOSSIBLE, /* no: `reason` */
    F2L_SNAP_UNKNOWN     /* a limit was reached: `reason` */
} f2l_snap_verdict;

typedef struct f2l_snap {
    f2l_snap_verdict verdict;
    char reason[600];
    double within; /* parts have at most this defect */
    bool has_group;
    f2l_r1 r1; /* if has_group; borrows data->fsa */
    f2l_snap_cover cover;
    size_t irreps, heads, letters, key_dim, value_dim;
    f2l_snap_irrep *irrep; /* [irreps] */
    size_t parts;
    f2l_snap_part *part; /* [parts] in the order of heads; head i of `net` is part i */
    bool faithful;       /* the parts determine the element of r1's group */
    f2l_net net;         /* when snapped */
    f2l_r1_report report;
    f2l_closure closure;
} f2l_snap;

void f2l_snap_init(f2l_snap *out);
void f2l_snap_clear(f2l_snap *out);

/* Snaps the network. *out is initialised, and to be cleared also after a failure; `inspect` is
 * f2l_inspect_build's of the same model (empty for another mixer than delta), and `data` are the
 * data of its run (NULL: not known), which *out borrows. `within` > 0. That it cannot be snapped is
 * a verdict, not a failure; signals are F2L_UNKNOWN. */
f2l_status f2l_snap_build(f2l_snap *out, const f2l_inspect *inspect, const f2l_seq *model,
                          const double *parameters, const f2l_data *data, double within,
                          const f2l_task *task, f2l_error *err);

/* How exactly the weights of f2l_snap_put_back have the exact transitions, computed in double from
 * the weights in float. */
typedef struct f2l_snap_put {
    double logit;   /* betas are 2 sigmoid(+-logit) */
    double beta;    /* the largest distance of a beta that was replaced from 0 or 2, whichever is
                     * nearer, computed in double from the weights in float */
    double largest; /* the largest distance of a part */
    double drift;   /* with values: the largest drift of a part */
    double same;    /* the fraction of answers to random words of 64 letters that are the trained
                     * network's */
    bool refitted;  /* the head was replaced, because with the old one fewer answers were */
    double change;  /* the norm of the change, relative to the norm of the weights that changed */
} f2l_snap_put;

/* Replaces, in parameters[model->parameters], keys and betas of the heads that have parts, so that
 * every letter's matrix is the exact one in the learned basis: I + P (rho(a) - I) P^T for the sum
 * of the head's parts. Where a matrix needs fewer factors than n_h, the others get beta 0 and keep
 * their keys.
 * - With a learned H_0: outside of the parts all heads start where the mean over random letters
 *   comes to rest.
 * - With values: they become those that keep the point around which the states turn where it is.
 *   Values pass SiLU, which is at least -0.278. A key is turned to its negative where that brings
 *   its values nearer to the range, and then the point is moved until all of them are in it.
 * The head is kept if all answers to random words stay the same, else refitted by least squares.
 * Everything else is kept; all parameters are rounded to float. F2L_EDOMAIN: the weights of the
 * projections cannot give these keys, because the letters' embeddings are not independent; a letter
 * needs more than n_h factors for the sum of a head's parts; or the class is none that this can be
 * done for. */
f2l_status f2l_snap_put_back(f2l_snap_put *out, double *parameters, const f2l_snap *snap,
                             const f2l_inspect *inspect, const f2l_seq *model, const f2l_data *data,
                             double logit, const f2l_task *task, f2l_error *err);

#endif
