/* Eigenvalues in a whole network: of the matrices of all letters of every head, and of products of
 * these matrices; and the consequences for the network's labels on periodic words
 * (theory/pages/obstruct.md, OB.2 to OB.4; T1 and T2 of [U]).
 *
 * The letters of a head of an ordinary network are the letters of its layer. A head of a wired
 * network has a letter for each combination of values of its slots, whether a word leads to it or
 * not; equal transitions of a slot count once. */
#ifndef F2L_SPECTRA_H
#define F2L_SPECTRA_H

#include "models/network/wired/network_text.h"
#include "theory/obstruct/spectrum/spectrum.h"

/* All products of `length` letters of one head: M(x_length) .. M(x_1). */
typedef struct f2l_products {
    size_t length;
    bool complete; /* every product is covered; otherwise `worst` and the counts are of the products
                      that were examined */
    bool diagonal; /* not examined one by one: all matrices are diagonal, so products are real, and
                      non-negative where the letters are. `worst` is then an upper bound, and there
                      are no counts and no examples */
    f2l_spectrum_kind worst;
    size_t products, kinds[3];  /* number of products examined, different matrices only; number of
                                   each kind */
    size_t *negative, *complex; /* [length] matrices (indices) of the first product whose spectrum
                                   is REAL, COMPLEX; NULL: none was found */
} f2l_products;

void f2l_products_init(f2l_products *p);
void f2l_products_clear(f2l_products *p);

typedef struct f2l_head_spectra {
    size_t layer, number; /* 0-based; of a wired network: stages with heads are layers */
    const f2l_head *head; /* of the model; borrowed */
    size_t letters;       /* 0: there are too many combinations to list */
    size_t slots;
    bool reads_letters;          /* its letters are the network's */
    const f2l_transition **step; /* [letters][slots] */
    size_t matrices;             /* number of different matrices among them */
    size_t *matrix_of;           /* [letters] */
    size_t *example;             /* [matrices] a letter with this matrix */
    bool diagonal;          /* every matrix is diagonal, over Q in the coordinates of the head */
    f2l_spectrum *spectrum; /* [matrices] with values; n = 0: too large to compute */
    size_t lengths;
    f2l_products *products; /* [lengths] of length 1, 2, .. */
} f2l_head_spectra;

typedef struct f2l_spectra {
    const f2l_net *model; /* the caller's; borrowed */
    size_t layers, heads;
    f2l_head_spectra *head; /* [heads] by layer */
    size_t most;            /* limit on the products of one head and length that are examined */
} f2l_spectra;

#define F2L_SPECTRA_MOST ((size_t)20000)

void f2l_spectra_init(f2l_spectra *s);
void f2l_spectra_clear(f2l_spectra *s);

/* Examines products of up to `lengths` >= 1 letters; most 0: F2L_SPECTRA_MOST, which also bounds
 * the letters of a head of a wired network. The model need not have decoders. */
f2l_status f2l_spectra_find(f2l_spectra *out, const f2l_net *model, size_t lengths, size_t most,
                            const f2l_task *task, f2l_error *err);

/* Returns the number of products of that length of different matrices; F2L_NO_INDEX where it is too
 * large. */
size_t f2l_products_count(const f2l_head_spectra *head, size_t length);

/* Examines products of any length of one head; *out is replaced. */
f2l_status f2l_products_find(f2l_products *out, const f2l_head_spectra *head, size_t length,
                             size_t most, const f2l_task *task, f2l_error *err);

/* Whether the hypothesis of a theorem of impossibility holds for the network. */
typedef enum f2l_applies { F2L_APPLIES_NO, F2L_APPLIES_YES, F2L_APPLIES_UNKNOWN } f2l_applies;

typedef struct f2l_theorem {
    f2l_applies applies;
    size_t layer, head; /* NO: the place that violates the hypothesis, so that the theorem excludes
                           nothing; UNKNOWN: the undecided place */
    size_t length;      /* in this case: of the product, in letters */
} f2l_theorem;

/* Decides T1: every letter of every layer has non-negative eigenvalues only. */
f2l_status f2l_spectra_t1(f2l_theorem *out, const f2l_spectra *s, const f2l_task *task,
                          f2l_error *err);
/* Decides T2: every product of 2^(i-1) letters of layer i = 1, 2, .. has real eigenvalues only. */
f2l_status f2l_spectra_t2(f2l_theorem *out, const f2l_spectra *s, const f2l_task *task,
                          f2l_error *err);

/* The result of OB.3. known: on words u w w w .. the labels have, from some length on, a period
 * that divides `period`; otherwise the layer where the argument ends. */
typedef struct f2l_period {
    bool known;
    uint64_t period; /* in letters; if not known, in letters that the layer reads */
    size_t layer, head;
    f2l_applies real; /* if not known: NO: a product of `period` letters has a non-real eigenvalue;
                         UNKNOWN: not decided */
} f2l_period;

/* Finds the period for word[length], letters of the network, length > 0. */
f2l_status f2l_spectra_period(f2l_period *out, const f2l_spectra *s, const size_t *word,
                              size_t length, const f2l_task *task, f2l_error *err);

#endif
