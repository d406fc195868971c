#include "reports/training/starts_figure.h"
#include "reports/page/child.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits of the drawing. */
#define SECONDS 60
#define MOST_BYTES ((size_t)1 << 26)

bool f2l_starts_figure_possible(void)
{
    bool found = false;
    const char *at = getenv("PATH");
    while (at && *at && !found) {
        f2l_buf path;
        const size_t size = strcspn(at, ":");
        f2l_buf_init(&path);
        f2l_buf_bytes(&path, at, size);
        f2l_buf_text(&path, "/gnuplot");
        found = !path.failed && access(path.data, X_OK) == 0;
        f2l_buf_clear(&path);
        at += size + (at[size] == ':');
    }
    return found;
}

/* --- the script --- */

/* Appends the curves of all runs as blocks $run0, ..: step, accuracy, distance. */
static void put_data(f2l_buf *out, const f2l_starts_report *r)
{
    for (size_t i = 0; i < r->runs; i++) {
        const f2l_history *h = &r->run[i].history;
        f2l_buf_printf(out, "$run%zu << END\n", i);
        for (size_t k = 0; k < h->looks; k++)
            f2l_buf_printf(out, "%llu %.6g %.6g\n", (unsigned long long)h->look[k].step,
                           h->look[k].score[h->look[k].scores - 1].sequence_accuracy,
                           h->look[k].distance);
        f2l_buf_text(out, "END\n");
    }
}

/* Appends a plot of a column, a line for each run; runs of one start have one colour, and the first
 * of them the title. */
static void put_plot(f2l_buf *out, const f2l_starts_report *r, int column, bool titled)
{
    for (size_t i = 0; i < r->runs; i++) {
        size_t colour = 0;
        const size_t first = f2l_starts_first(r, i);
        for (size_t k = 0; k <= first; k++) colour += f2l_starts_first(r, k) == k;
        f2l_buf_printf(out, "%s$run%zu using 1:%d with lines linetype %zu linewidth %s%s",
                       i ? ", \\\n     " : "plot ", i, column, colour,
                       r->run[i].kind == F2L_START_PERTURBED ? "1.2" : "2",
                       titled && first == i ? " title \"" : " notitle");
        if (!titled || first != i) continue;
        f2l_start_title(out, &r->run[i]);
        f2l_buf_text(out, "\"");
    }
    f2l_buf_text(out, "\n");
}

/* Appends a line type for each start: random ones are dashed. */
static void put_colours(f2l_buf *out, const f2l_starts_report *r)
{
    static const char *const rgb[] = {"0072b2", "d55e00", "56b4e9", "e69f00", "009e73",
                                      "cc79a7", "6a3d9a", "b15928", "1b9e77", "e7298a"};
    size_t number = 0;
    for (size_t i = 0; i < r->runs; i++) {
        if (f2l_starts_first(r, i) != i) continue;
        const bool random = r->run[i].kind == F2L_START_RANDOM;
        f2l_buf_printf(out, "set linetype %zu linecolor rgb \"#%s\" dashtype %s\n", number + 1,
                       random ? "404040" : rgb[number % (sizeof rgb / sizeof *rgb)],
                       random ? "2" : "solid");
        number++;
    }
}

static void put_script(f2l_buf *out, const f2l_starts_report *r)
{
    f2l_buf_text(out, "set terminal svg size 900,700 dynamic font \"sans-serif,13\" "
                      "background \"white\" name \"starts\"\n"
                      "set encoding utf8\nset datafile missing \"nan\"\n");
    put_colours(out, r);
    put_data(out, r);
    f2l_buf_printf(out,
                   "set multiplot layout 2,1\n"
                   "set lmargin 10\nset rmargin 24\nset grid\n"
                   "set key at screen 0.99,0.95 right top\n"
                   "set ylabel \"words of %zu letters that are right\"\n"
                   "set yrange [-0.02:1.02]\n",
                   r->length);
    put_plot(out, r, 2, true);
    f2l_buf_text(out, "unset key\nset yrange [*:*]\nset logscale y\nset format y \"10^{%T}\"\n"
                      "set xlabel \"steps of training\"\n"
                      "set ylabel \"distance from the construction\"\n");
    put_plot(out, r, 3, false);
    f2l_buf_text(out, "unset multiplot\n");
}

/* --- gnuplot --- */

f2l_status f2l_starts_figure(const char *path, const f2l_starts_report *r, f2l_error *err)
{
    static const char *const argv[] = {"gnuplot", NULL};
    f2l_buf text, script, drawing;
    f2l_buf *const all[] = {&text, &script, &drawing};
    for (size_t i = 0; i < 3; i++) f2l_buf_init(all[i]);
    put_script(&text, r);
    f2l_buf_printf(&script, "%s.gnuplot", path);
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_buf_status(&script, err);
    if (status == F2L_OK) status = f2l_write_file(script.data, text.data, text.size, err);
    if (status == F2L_OK) status = f2l_child_run(&drawing, argv, &text, SECONDS, MOST_BYTES, err);
    if (status == F2L_OK) status = f2l_write_file(path, drawing.data, drawing.size, err);
    for (size_t i = 0; i < 3; i++) f2l_buf_clear(all[i]);
    return status;
}
