/* Matrices of letters as heat maps, and their eigenvalues in the unit disc. */
#ifndef F2L_MATRIX_DRAWING_H
#define F2L_MATRIX_DRAWING_H

#include "reports/page/page.h"

/* Rows of the largest matrix that is drawn. */
enum { F2L_DRAWN_ROWS = 32 };

typedef struct f2l_drawn_number {
    double value;
    char text[20]; /* the exact value; "": only the double is known */
} f2l_drawn_number;

/* What a letter does to the state of a head: S <- A S + B. */
typedef struct f2l_drawn_matrix {
    size_t rows, columns;     /* A is rows x rows, B is rows x columns; columns 0: B is zero, or is
                               * not drawn */
    f2l_drawn_number *number; /* [rows][rows + columns] A, and B beside it; owned */
    size_t eigenvalues;       /* of A: rows, or 0 where they are not known */
    double re[F2L_DRAWN_ROWS], im[F2L_DRAWN_ROWS];
} f2l_drawn_matrix;

f2l_status f2l_drawn_matrix_init(f2l_drawn_matrix *m, size_t rows, size_t columns, f2l_error *err);
void f2l_drawn_matrix_clear(f2l_drawn_matrix *m);
/* Computes the eigenvalues of A. */
f2l_status f2l_drawn_matrix_solve(f2l_drawn_matrix *m, f2l_error *err);

/* Appends the eigenvalues as a text: "1 (twice), -1". */
void f2l_eigenvalue_text(f2l_buf *out, const f2l_drawn_matrix *m);

/* Appends what the colours of the cards mean. */
void f2l_page_key(f2l_page *page);

/* Appends a card with the letters' names as its title. `classes` are the classes of the letters, by
 * which they highlight it, separated by blanks. Markdown gets the numbers of a small matrix and the
 * eigenvalues. */
void f2l_matrix_card(f2l_page *page, const f2l_drawn_matrix *m, const char *title,
                     const char *classes);

#endif
