#include "reports/page/chart.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without gnuplot there are the numbers, in the order of x, and a line that says why. */
Test(chart, numbers_of_several_curves)
{
    f2l_chart chart;
    f2l_page p;
    f2l_error err;
    f2l_page_init(&p);
    f2l_chart_init(&chart, "t", "x", "y");
    f2l_curve *a = f2l_chart_add(&chart, "a|", false), *b = f2l_chart_add(&chart, "b", true);
    f2l_curve_put(a, 4, .5);
    f2l_curve_put(a, 2, .25);
    f2l_curve_put(a, NAN, 7);
    f2l_curve_put(b, 2, NAN);
    f2l_curve_put(b, 8, 1);
    setenv("PATH", "/nowhere", 1);
    cr_assert_eq(f2l_chart_draw(&p, &chart, &err), F2L_OK);
    cr_assert_null(strstr(p.md.data, "drawn"));
    cr_assert_not_null(strstr(p.html.data, "The curves are not drawn: gnuplot is not installed."));
    cr_assert_not_null(strstr(p.md.data, "| x | a\\| | b |\n|---|---|---|\n| 2 | 0.25 |   |\n"
                                         "| 4 | 0.5 |   |\n| 8 |   | 1 |\n"));
    f2l_chart_clear(&chart);
    f2l_page_clear(&p);
}

Test(chart, nothing_to_draw)
{
    f2l_chart chart;
    f2l_page p;
    f2l_error err;
    f2l_page_init(&p);
    f2l_chart_init(&chart, "t", "x", "y");
    f2l_curve_put(f2l_chart_add(&chart, "a", false), 1, NAN);
    for (size_t i = 1; i < F2L_CHART_CURVES; i++)
        cr_assert_not_null(f2l_chart_add(&chart, "b", false));
    cr_assert_null(f2l_chart_add(&chart, "c", false));
    f2l_curve_put(NULL, 1, 1);
    cr_assert_eq(f2l_chart_draw(&p, &chart, &err), F2L_OK);
    cr_assert(p.html.size == 0 && p.md.size == 0);
    f2l_chart_clear(&chart);
    f2l_page_clear(&p);
}
