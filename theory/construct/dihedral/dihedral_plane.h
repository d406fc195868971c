/* The parts of f2l_dihedral_build; private to dihedral*.c. Statements: theory/pages/dihedral.md. */
#ifndef F2L_DIHEDRAL_IMPL_H
#define F2L_DIHEDRAL_IMPL_H

#include "automata/group/group.h"
#include "automata/gset/gset.h"
#include "numeric/exact/matrix.h"
#include "theory/construct/dihedral/dihedral.h"

/* The transition group: every element is turn^k mirror^e, the first factor applied first, k < m, e
 * < 2 (e < 1 when the group is cyclic). */
typedef struct f2l_dihedral_group {
    f2l_group group;
    bool dihedral;
    size_t m;
    uint32_t turn, mirror;
    uint32_t *element;   /* [2][m] number of turn^k mirror^e; the second row only when dihedral */
    uint32_t *exponent;  /* [letters] exponent k of the letter */
    uint8_t *reflection; /* [letters] exponent e of the letter */
} f2l_dihedral_group;

/* Finds the group from the letters' action on the reached states; returns F2L_EDOMAIN when it is
 * neither cyclic nor dihedral. Initialises *out, which must be cleared in every case. */
f2l_status f2l_dihedral_recognise(f2l_dihedral_group *out, const f2l_fsa *fsa,
                                  const f2l_reach *reach, const f2l_task *task, f2l_error *err);
void f2l_dihedral_group_clear(f2l_dihedral_group *g);

/* The group as isometries, R for the turn and F for the mirror, on the orbit of a vector that no
 * reflection fixes. */
typedef struct f2l_dihedral_plane {
    f2l_field field;
    size_t n;                /* key dimension */
    size_t basis;            /* 2, or 1 for m = 1 */
    bool embedded;           /* m = 3, embedded in four dimensions */
    f2l_matrix form, mirror; /* basis x basis */
    size_t m;
    f2l_matrix *power; /* [m] R^k */
    f2l_matrix start;  /* basis x 1 */
} f2l_dihedral_plane;

/* Initialises *out, which must be cleared in every case. Returns F2L_UNKNOWN when the field is too
 * large. */
f2l_status f2l_dihedral_plane_init(f2l_dihedral_plane *out, size_t m, f2l_error *err);
void f2l_dihedral_plane_clear(f2l_dihedral_plane *p);

/* Appends F^f R^k h to the empty vector out. */
f2l_status f2l_dihedral_point(f2l_qvec *out, const f2l_dihedral_plane *p, size_t f, size_t k,
                              f2l_error *err);
/* Appends the key of the reflection F R^k to the empty vector out. */
f2l_status f2l_dihedral_key(f2l_qvec *out, const f2l_dihedral_plane *p, size_t k, f2l_error *err);

#endif
