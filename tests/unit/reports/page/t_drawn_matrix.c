#include "reports/page/drawn_matrix.h"
#include <criterion/criterion.h>
#include <string.h>

/* Makes the matrix of a third of a turn in the first two rows, and -1 below. */
static f2l_drawn_matrix turn(void)
{
    static const double a[3][3] = {
        {-.5, -.86602540378443865, 0}, {.86602540378443865, -.5, 0}, {0, 0, -1}};
    f2l_drawn_matrix m;
    f2l_error err;
    cr_assert_eq(f2l_drawn_matrix_init(&m, 3, 1, &err), F2L_OK);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) m.number[i * 4 + j].value = a[i][j];
    m.number[3].value = 2;
    strcpy(m.number[3].text, "2");
    cr_assert_eq(f2l_drawn_matrix_solve(&m, &err), F2L_OK);
    return m;
}

Test(drawn_matrix, eigenvalues)
{
    f2l_buf text;
    f2l_drawn_matrix m = turn();
    f2l_buf_init(&text);
    f2l_eigenvalue_text(&text, &m);
    cr_assert_str_eq(text.data, "-0.5 \xc2\xb1 0.866i, -1");
    f2l_buf_clear(&text);
    f2l_drawn_matrix_clear(&m);
}

Test(drawn_matrix, equal_eigenvalues_are_counted)
{
    f2l_buf text;
    f2l_error err;
    f2l_drawn_matrix m;
    cr_assert_eq(f2l_drawn_matrix_init(&m, 12, 0, &err), F2L_OK);
    for (size_t i = 0; i < 12; i++) m.number[i * 13].value = i < 5 ? 1 : 0;
    cr_assert_eq(f2l_drawn_matrix_solve(&m, &err), F2L_OK);
    f2l_buf_init(&text);
    f2l_eigenvalue_text(&text, &m);
    cr_assert_str_eq(text.data, "1 (5 times), 0 (7 times)");
    f2l_buf_clear(&text);
    f2l_drawn_matrix_clear(&m);
}

Test(drawn_matrix, a_card_has_every_number)
{
    f2l_page p;
    f2l_page_init(&p);
    f2l_drawn_matrix m = turn();
    f2l_matrix_card(&p, &m, "r<", "p0-l1");
    const char *html = p.html.data;
    cr_assert_not_null(strstr(html, "matrix of r&lt;, 3 x 3 and what is added, 3 x 1: "
                                    "-0.5 -0.866 0 | 2; 0.866 -0.5 0 | 0; 0 0 -1 | 0\""));
    size_t cells = 0;
    for (const char *c = html; (c = strstr(c, "<rect class=\"p\"")); c++) cells++;
    for (const char *c = html; (c = strstr(c, "<rect class=\"m\"")); c++) cells++;
    cr_assert_eq(cells, 6);
    cr_assert_not_null(strstr(html, "row 1, column 1 of B: 2"));
    cr_assert_str_eq(p.md.data,
                     "- r\\<: A | B = `-0.5 -0.866 0 | 2; 0.866 -0.5 0 | 0; 0 0 -1 | 0`, "
                     "eigenvalues -0.5 \xc2\xb1 0.866i, -1\n");
    f2l_drawn_matrix_clear(&m);
    f2l_page_clear(&p);
}

/* Of a large matrix Markdown has the eigenvalues alone. */
Test(drawn_matrix, large_matrices_in_markdown)
{
    f2l_error err;
    f2l_page p;
    f2l_drawn_matrix m;
    f2l_page_init(&p);
    cr_assert_eq(f2l_drawn_matrix_init(&m, 12, 0, &err), F2L_OK);
    for (size_t i = 0; i < 12; i++) m.number[i * 13].value = i < 5 ? 1 : -1;
    cr_assert_eq(f2l_drawn_matrix_solve(&m, &err), F2L_OK);
    f2l_matrix_card(&p, &m, "a", "p0-l0");
    cr_assert(strcmp(p.md.data, "- a: eigenvalues 1 (5 times), -1 (7 times)\n") == 0 ||
                  strcmp(p.md.data, "- a: eigenvalues -1 (7 times), 1 (5 times)\n") == 0,
              "%s", p.md.data);
    f2l_drawn_matrix_clear(&m);
    f2l_page_clear(&p);
}
