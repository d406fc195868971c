#include "reports/page/chart.h"
#include "numeric/base/mem.h"
#include "reports/page/child.h"
#include "reports/page/graph.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECONDS 5.0
#define MOST_BYTES ((size_t)1 << 20)
#define ROWS ((size_t)40) /* of the table */

void f2l_chart_init(f2l_chart *chart, const char *title, const char *x_name, const char *y_name)
{
    memset(chart, 0, sizeof *chart);
    chart->title = title;
    chart->x_name = x_name;
    chart->y_name = y_name;
    chart->mark = (double)NAN;
    chart->mark_name = "";
}

void f2l_chart_init_accuracy(f2l_chart *chart, const char *title)
{
    f2l_chart_init(chart, title, "letters", "part that is right");
    chart->log_x = true;
    chart->low = -.03;
    chart->high = 1.06;
}

void f2l_chart_clear(f2l_chart *chart)
{
    for (size_t i = 0; i < chart->curves; i++) {
        f2l_free(chart->curve[i].x);
        f2l_free(chart->curve[i].y);
    }
    chart->curves = 0;
}

f2l_curve *f2l_chart_add(f2l_chart *chart, const char *name, bool dashed)
{
    if (chart->curves == F2L_CHART_CURVES) return NULL;
    f2l_curve *curve = &chart->curve[chart->curves++];
    *curve = (f2l_curve){.dashed = dashed};
    snprintf(curve->name, sizeof curve->name, "%s", name);
    return curve;
}

void f2l_curve_put(f2l_curve *curve, double x, double y)
{
    if (!curve || !isfinite(x)) return;
    if (!f2l_grow((void **)&curve->x, &curve->capacity_x, curve->points, sizeof *curve->x) ||
        !f2l_grow((void **)&curve->y, &curve->capacity_y, curve->points, sizeof *curve->y)) {
        curve->failed = true;
        return;
    }
    curve->x[curve->points] = x;
    curve->y[curve->points++] = y;
}

/* --- gnuplot --- */

/* Appends a string of gnuplot in single quotes, which knows no escapes but a doubled quote. */
static void put_string(f2l_buf *out, const char *text)
{
    f2l_buf_text(out, "'");
    for (; *text; text++)
        f2l_buf_bytes(out,
                      *text == '\''                ? "''"
                      : (unsigned char)*text < ' ' ? " "
                                                   : text,
                      *text == '\'' ? 2 : 1);
    f2l_buf_text(out, "'");
}

static const char *const colour[] = {"#3b82f6", "#ea7317", "#12a594", "#c0399f",
                                     "#8b6ff0", "#b08a00", "#e0445c", "#4a9c3f",
                                     "#7d8597", "#0ea5c6", "#a8562a", "#5b5bd6"};
#define COLOURS (sizeof colour / sizeof *colour)

static void put_chart_points(f2l_buf *out, const f2l_chart *c)
{
    for (size_t i = 0; i < c->curves; i++) {
        f2l_buf_printf(out, "$c%zu << EOD\n", i);
        for (size_t k = 0; k < c->curve[i].points; k++)
            if (isfinite(c->curve[i].y[k]))
                f2l_buf_printf(out, "%.10g %.10g\n", c->curve[i].x[k], c->curve[i].y[k]);
        f2l_buf_text(out, "EOD\n");
    }
}

static bool has_points(const f2l_curve *curve)
{
    for (size_t k = 0; k < curve->points; k++)
        if (isfinite(curve->y[k])) return true;
    return false;
}

static void put_axes(f2l_buf *out, const f2l_chart *c)
{
    size_t drawn = 0;
    for (size_t i = 0; i < c->curves; i++) drawn += has_points(&c->curve[i]);
    f2l_buf_printf(out, "set terminal svg size 860,%zu font 'sans-serif,13' noenhanced\n",
                   drawn > 7 ? 300 + 24 * (drawn - 7) : 300);
    f2l_buf_text(out, "set border 3 lw 0.7\nset tics nomirror\nset grid ytics lw 0.4 dt 2\n"
                      "set key outside right center vertical Left reverse samplen 2 maxcols 1\n"
                      "set xlabel ");
    put_string(out, c->x_name);
    f2l_buf_text(out, "\nset ylabel ");
    put_string(out, c->y_name);
    f2l_buf_text(out, "\n");
    if (c->log_x) f2l_buf_text(out, "set logscale x 2\n");
    if (c->log_y) f2l_buf_text(out, "set logscale y\nset format y '%.0e'\n");
    if (c->low < c->high) f2l_buf_printf(out, "set yrange [%g:%g]\n", c->low, c->high);
    if (isfinite(c->mark)) {
        f2l_buf_printf(out,
                       "set arrow 1 from first %g, graph 0 to first %g, graph 1 nohead lw 1.5 "
                       "dt 3\nset label 1 ",
                       c->mark, c->mark);
        put_string(out, c->mark_name);
        f2l_buf_printf(out, " at first %g, graph 0.06 offset 0.6,0\n", c->mark);
    }
}

static void put_curve(f2l_buf *out, const f2l_chart *c, size_t i, bool first)
{
    f2l_buf_printf(out, "%s $c%zu using 1:2 with %s lw 2 lc rgb '%s'%s title ",
                   first ? "plot" : ",\\\n", i,
                   c->curve[i].points > 40 ? "lines" : "linespoints pt 7 ps 0.4",
                   colour[i % COLOURS], c->curve[i].dashed ? " dt 2" : "");
    put_string(out, c->curve[i].name);
}

/* Dashed curves are drawn after the others: what lies below them can be seen between the dashes. */
static void put_chart_script(f2l_buf *out, const f2l_chart *c)
{
    bool first = true;
    put_axes(out, c);
    put_chart_points(out, c);
    for (size_t k = 0; k < 2 * c->curves; k++) {
        const size_t i = k % c->curves;
        if (!has_points(&c->curve[i]) || c->curve[i].dashed != (k >= c->curves)) continue;
        put_curve(out, c, i, first);
        first = false;
    }
    f2l_buf_text(out, "\n");
}

/* Replaces the black of gnuplot's lines and letters by the colour of the page's text, in place of
 * which light and dark pages have another one. */
static void put_theme(f2l_buf *out, const f2l_buf *svg)
{
    static const char *const black[] = {"'black'", "'rgb(  0,   0,   0)'", "\"black\"",
                                        "\"rgb(0,0,0)\""};
    for (const char *c = svg->data, *end = c + svg->size; c < end;) {
        size_t i = 0;
        while (i < 4 && strncmp(c, black[i], strlen(black[i])) != 0) i++;
        if (i < 4) {
            f2l_buf_text(out, "\"currentColor\"");
            c += strlen(black[i]);
        } else
            f2l_buf_bytes(out, c++, 1);
    }
}

static void put_chart_alt(f2l_buf *alt, const f2l_chart *c)
{
    f2l_buf_printf(alt, "%s, by %s:", c->title, c->x_name);
    for (size_t i = 0; i < c->curves; i++) {
        const f2l_curve *curve = &c->curve[i];
        if (!has_points(curve)) continue;
        f2l_buf_printf(alt, " %s from %.3g at %.6g to %.3g at %.6g;", curve->name, curve->y[0],
                       curve->x[0], curve->y[curve->points - 1], curve->x[curve->points - 1]);
    }
    f2l_buf_text(alt, " the numbers are in the table");
}

f2l_status f2l_chart_svg(f2l_buf *svg, const f2l_chart *chart, size_t figure, f2l_error *err)
{
    static const char *const argv[] = {"gnuplot", NULL};
    char prefix[32];
    f2l_buf script, file, alt, plain;
    f2l_buf *const all[] = {&script, &file, &alt, &plain};
    for (size_t i = 0; i < 4; i++) f2l_buf_init(all[i]);
    put_chart_script(&script, chart);
    put_chart_alt(&alt, chart);
    snprintf(prefix, sizeof prefix, "f%zu-", figure);
    f2l_status status = f2l_buf_status(&script, err);
    if (status == F2L_OK) status = f2l_buf_status(&alt, err);
    if (status == F2L_OK) status = f2l_child_run(&file, argv, &script, SECONDS, MOST_BYTES, err);
    if (status == F2L_OK)
        status = f2l_svg_adopt(&plain, &file, "chart", alt.data, prefix, NULL, err);
    if (status == F2L_OK) put_theme(svg, &plain);
    for (size_t i = 0; i < 4; i++) f2l_buf_clear(all[i]);
    return status;
}

/* --- the table --- */

/* Returns the least x above `after` of all curves; NAN when there is none. */
static double next_x(const f2l_chart *c, double after)
{
    double least = (double)NAN;
    for (size_t i = 0; i < c->curves; i++)
        for (size_t k = 0; k < c->curve[i].points; k++) {
            const double x = c->curve[i].x[k];
            if (x > after && !(least <= x)) least = x;
        }
    return least;
}

static void put_curve_value(f2l_page *page, const f2l_curve *curve, double x)
{
    for (size_t k = 0; k < curve->points; k++)
        if (curve->x[k] == x && isfinite(curve->y[k])) {
            f2l_page_cell(page, "%.5g", curve->y[k]);
            return;
        }
    f2l_page_cell(page, " ");
}

static void put_table(f2l_page *page, const f2l_chart *c, bool open)
{
    const char *titles[F2L_CHART_CURVES + 2] = {c->x_name};
    size_t count = 0, step, row = 0;
    for (size_t i = 0; i < c->curves; i++) titles[i + 1] = c->curve[i].name;
    for (double x = next_x(c, -(double)INFINITY); isfinite(x); x = next_x(c, x)) count++;
    step = count / (ROWS + 1) + 1;
    f2l_page_fold(page, "Numbers", open);
    f2l_page_table(page, c->title, titles);
    for (double x = next_x(c, -(double)INFINITY); isfinite(x); x = next_x(c, x), row++) {
        if (row % step != 0 && row + 1 != count) continue;
        f2l_page_row(page);
        f2l_page_cell(page, "%.10g", x);
        for (size_t i = 0; i < c->curves; i++) put_curve_value(page, &c->curve[i], x);
    }
    f2l_page_table_end(page);
    if (step > 1) f2l_page_note(page, "Every %zu-th of %zu rows is in the table.", step, count);
    f2l_page_fold_end(page);
}

f2l_status f2l_chart_draw(f2l_page *page, const f2l_chart *chart, f2l_error *err)
{
    f2l_buf svg;
    bool any = false;
    for (size_t i = 0; i < chart->curves; i++) {
        any |= has_points(&chart->curve[i]);
        if (chart->curve[i].failed) return f2l_fail_memory(err);
    }
    if (!any) return F2L_OK;
    f2l_buf_init(&svg);
    const f2l_status status = f2l_chart_svg(&svg, chart, page->figures, err);
    if (status == F2L_OK)
        f2l_page_figure(page, &svg, "wide", chart->title);
    else if (status != F2L_ENOMEM)
        f2l_page_about_drawing(page, "The curves are not drawn: %s.", err->text);
    f2l_buf_clear(&svg);
    if (status == F2L_ENOMEM) return status;
    put_table(page, chart, status != F2L_OK);
    return F2L_OK;
}
