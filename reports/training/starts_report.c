#include "reports/training/starts_report.h"
#include "numeric/base/mem.h"
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"
#include <math.h>

const char *f2l_start_name(f2l_start_kind kind)
{
    static const char *const name[] = {"exact", "perturbed", "random"};
    return name[kind];
}

void f2l_start_title(f2l_buf *out, const f2l_start_run *run)
{
    if (run->kind == F2L_START_PERTURBED)
        f2l_buf_printf(out, "noise %g", run->noise);
    else
        f2l_buf_text(out, f2l_start_name(run->kind));
    if (run->kind != F2L_START_RANDOM) f2l_buf_printf(out, ", logit %g", run->logit);
}

static double accuracy(const f2l_history_look *look)
{
    return look->score[look->scores - 1].sequence_accuracy;
}

bool f2l_start_steps_to_right(uint64_t *steps, const f2l_start_run *run)
{
    for (size_t i = 0; i < run->history.looks; i++) {
        *steps = run->history.look[i].step;
        if (accuracy(&run->history.look[i]) >= F2L_STARTS_RIGHT) return true;
    }
    return false;
}

bool f2l_start_steps_to_steady(uint64_t *steps, const f2l_start_run *run)
{
    size_t i = run->history.looks;
    while (i > 0 && accuracy(&run->history.look[i - 1]) >= F2L_STARTS_RIGHT) i--;
    if (i == run->history.looks) return false;
    *steps = run->history.look[i].step;
    return true;
}

const char *f2l_start_stability(const f2l_start_run *run)
{
    const f2l_history *h = &run->history;
    bool always = h->looks > 0, last = false;
    for (size_t i = 0; i < h->looks; i++) {
        last = accuracy(&h->look[i]) >= F2L_STARTS_RIGHT;
        always = always && last;
    }
    last = last && h->end != F2L_TRAIN_DIVERGED;
    if (run->kind == F2L_START_RANDOM) return last ? "learns" : "does not learn";
    return !last ? "leaves" : always ? "stays" : "returns";
}

/* Returns the mean training loss of the line of the log at this step; NAN: there is none. */
static double loss_at(const f2l_history *h, uint64_t step)
{
    for (size_t i = 0; i < h->points; i++)
        if (h->point[i].step == step) return h->point[i].loss;
    return (double)NAN;
}

/* --- facts --- */

static void say_curve(f2l_fact in, const f2l_history *h)
{
    const f2l_fact list = f2l_say_list(in, "curve");
    for (size_t i = 0; i < h->looks; i++) {
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "step", h->look[i].step);
        f2l_say_number(one, "loss", loss_at(h, h->look[i].step));
        f2l_say_number(one, "sequence_accuracy", accuracy(&h->look[i]));
        f2l_say_number(one, "start_distance", h->look[i].distance);
    }
}

static void say_start_run(f2l_fact in, const f2l_start_run *run)
{
    uint64_t steps, steady;
    const bool right = f2l_start_steps_to_right(&steps, run);
    const bool kept = f2l_start_steps_to_steady(&steady, run);
    f2l_say_text(in, "start", f2l_start_name(run->kind));
    f2l_say_number(in, "logit", run->logit);
    f2l_say_number(in, "noise", run->kind == F2L_START_RANDOM ? (double)NAN : run->noise);
    f2l_say_count(in, "seed", run->seed);
    f2l_say_known(in, "steps_to_99", right, right ? steps : 0);
    f2l_say_known(in, "steady_from", kept, kept ? steady : 0);
    f2l_say_text(in, "stability", f2l_start_stability(run));
    say_curve(in, &run->history);
}

/* --- kinds of starts: the runs that differ in their seeds only --- */

static bool same_start(const f2l_start_run *a, const f2l_start_run *b)
{
    return a->kind == b->kind && !(a->noise < b->noise) && !(a->noise > b->noise) &&
           !(a->logit < b->logit) && !(a->logit > b->logit);
}

size_t f2l_starts_first(const f2l_starts_report *r, size_t run)
{
    size_t first = 0;
    while (!same_start(&r->run[first], &r->run[run])) first++;
    return first;
}

/* Fills value[runs] with a number of the runs with this start, and returns how many have one. */
static size_t collect_run_numbers(double *value, const f2l_starts_report *r,
                                  const f2l_start_run *like, double number(const f2l_start_run *))
{
    size_t count = 0;
    for (size_t i = 0; i < r->runs; i++)
        if (same_start(&r->run[i], like)) {
            value[count] = number(&r->run[i]);
            if (!isnan(value[count])) count++;
        }
    return count;
}

static double number_steps(const f2l_start_run *run)
{
    uint64_t steps;
    return f2l_start_steps_to_right(&steps, run) ? (double)steps : (double)NAN;
}

static double number_steady(const f2l_start_run *run)
{
    uint64_t steps;
    return f2l_start_steps_to_steady(&steps, run) ? (double)steps : (double)NAN;
}

static double number_before(const f2l_start_run *run)
{
    return run->history.looks ? accuracy(&run->history.look[0]) : (double)NAN;
}

static double number_after(const f2l_start_run *run)
{
    const size_t looks = run->history.looks;
    return looks ? accuracy(&run->history.look[looks - 1]) : (double)NAN;
}

static double number_distance(const f2l_start_run *run)
{
    const size_t looks = run->history.looks;
    return looks ? run->history.look[looks - 1].distance : (double)NAN;
}

static void say_start_measure(f2l_fact in, const char *name, const f2l_starts_report *r,
                              const f2l_start_run *like, double number(const f2l_start_run *))
{
    f2l_error err;
    f2l_train_spread spread = {0};
    double *value = f2l_calloc(r->runs, sizeof *value);
    f2l_status status = value ? F2L_OK : f2l_fail_memory(&err);
    const size_t count = value ? collect_run_numbers(value, r, like, number) : 0;
    if (count > 0) status = f2l_train_spread_of(&spread, value, count, &err);
    if (status != F2L_OK) f2l_facts_fail(in, &err);
    f2l_say_spread(in, name, &spread);
    f2l_free(value);
}

/* Returns the median of the steps until the runs with this start are right; a run that never is
 * counts as infinity. */
static double median_steps(const f2l_starts_report *r, const f2l_start_run *like)
{
    f2l_error err;
    f2l_train_spread spread = {0};
    size_t all = 0;
    double *value = f2l_calloc(r->runs, sizeof *value), median = (double)NAN;
    size_t count = value ? collect_run_numbers(value, r, like, number_steps) : 0;
    for (size_t i = 0; i < r->runs; i++) all += same_start(&r->run[i], like);
    while (value && count < all) value[count++] = (double)INFINITY;
    if (count > 0 && f2l_train_spread_of(&spread, value, count, &err) == F2L_OK)
        median = spread.median;
    f2l_free(value);
    return median;
}

/* Returns how many times fewer steps this start takes than a random one, in the median; NAN where
 * one of the two is never right, there is no random start, or the start is right before any step.
 */
static double gain(const f2l_starts_report *r, const f2l_start_run *like)
{
    const double mine = median_steps(r, like);
    for (size_t i = 0; i < r->runs; i++)
        if (r->run[i].kind == F2L_START_RANDOM) {
            const double random = median_steps(r, &r->run[i]);
            return mine > 0 && isfinite(mine) && isfinite(random) ? random / mine : (double)NAN;
        }
    return (double)NAN;
}

static void say_stabilities(f2l_fact in, const f2l_starts_report *r, const f2l_start_run *like)
{
    const f2l_fact list = f2l_say_list(in, "stabilities");
    for (size_t i = 0; i < r->runs; i++)
        if (same_start(&r->run[i], like)) f2l_say_text(list, NULL, f2l_start_stability(&r->run[i]));
}

static void say_kinds(f2l_fact in, const f2l_starts_report *r)
{
    const f2l_fact list = f2l_say_list(in, "start_kinds");
    for (size_t i = 0; i < r->runs; i++) {
        const f2l_start_run *run = &r->run[i];
        if (f2l_starts_first(r, i) != i) continue;
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_buf title;
        f2l_buf_init(&title);
        f2l_start_title(&title, run);
        f2l_say_buf(one, "start_title", &title);
        say_start_measure(one, "before", r, run, number_before);
        say_start_measure(one, "steps_to_right", r, run, number_steps);
        say_start_measure(one, "steps_to_steady", r, run, number_steady);
        say_start_measure(one, "after", r, run, number_after);
        say_start_measure(one, "distances", r, run, number_distance);
        f2l_say_number(one, "gain", run->kind == F2L_START_RANDOM ? (double)NAN : gain(r, run));
        say_stabilities(one, r, run);
    }
}

static void describe_starts(f2l_fact out, const void *report)
{
    const f2l_starts_report *r = report;
    f2l_train_say_head(out, &r->train);
    f2l_say_text(out, "folder", r->train.folder);
    f2l_say_count(out, "length", r->length);
    f2l_say_count(out, "sequences", r->train.experiment->train.sequences);
    f2l_say_text(out, "figure", r->figure);
    say_kinds(out, r);
    const f2l_fact list = f2l_say_list(out, "starts");
    for (size_t i = 0; i < r->runs; i++) say_start_run(f2l_say_object(list, NULL), &r->run[i]);
}

/* --- text --- */

static void put_spread(f2l_buf *out, f2l_fact of, const char *format, int width)
{
    char text[64] = "-";
    if (f2l_is_known(of, "")) {
        char cell[3][20];
        static const char *const part[] = {"median", "least", "greatest"};
        for (int i = 0; i < 3; i++)
            snprintf(cell[i], sizeof cell[i], format, f2l_get_number(of, part[i]));
        if (f2l_get_count(of, "count") > 1 && strcmp(cell[1], cell[2]) != 0)
            snprintf(text, sizeof text, "%s [%s, %s]", cell[0], cell[1], cell[2]);
        else
            snprintf(text, sizeof text, "%s", cell[0]);
    }
    f2l_buf_printf(out, "  %*s", width, text);
}

/* Appends "2 stay, 1 leaves" as "stays 2, leaves 1". */
static void put_stabilities(f2l_buf *out, f2l_fact list)
{
    static const char *const name[] = {"stays", "returns", "leaves", "learns", "does not learn"};
    const char *between = "  ";
    for (size_t n = 0; n < sizeof name / sizeof *name; n++) {
        size_t count = 0;
        for (size_t i = 0; i < f2l_get_size(list, ""); i++)
            count += f2l_is(f2l_get_item(list, i), "", name[n]);
        if (count == 0) continue;
        f2l_buf_printf(out, "%s%s", between, name[n]);
        if (f2l_get_size(list, "") > 1) f2l_buf_printf(out, " %zu", count);
        between = ", ";
    }
}

static void lay_starts(f2l_buf *out, f2l_fact from)
{
    const f2l_fact kinds = f2l_get(from, "start_kinds");
    const size_t runs = f2l_get_size(from, "starts");
    const int wide = runs > f2l_get_size(kinds, "") ? 20 : 13; /* of a column; several seeds:
                                                                  spreads */
    f2l_layout(out, from,
               "data         {source}: {data_text}\n"
               "trained      {model_text}; {parameters} parameters\n"
               "files        {folder}\n"
               "figure       {figure?{figure}|none: gnuplot was not found}\n\n");
    f2l_buf_printf(out, "%-19s  %*s  %*s  %*s  %*s  %*s  %5s  %s\n", "start", wide, "right before",
                   wide, "steps to 99 %", wide, "and for good", wide, "right after", wide,
                   "distance", "gain", "outcome");
    for (size_t i = 0; i < f2l_get_size(kinds, ""); i++) {
        const f2l_fact one = f2l_get_item(kinds, i);
        f2l_layout(out, one, "{start_title%-19s}");
        put_spread(out, f2l_get(one, "before"), "%.3f", wide);
        put_spread(out, f2l_get(one, "steps_to_right"), "%.0f", wide);
        put_spread(out, f2l_get(one, "steps_to_steady"), "%.0f", wide);
        put_spread(out, f2l_get(one, "after"), "%.3f", wide);
        put_spread(out, f2l_get(one, "distances"), "%.3f", wide);
        if (f2l_is_known(one, "gain"))
            f2l_buf_printf(out, "  %5.1f", f2l_get_number(one, "gain"));
        else
            f2l_buf_printf(out, "  %5s", "-");
        put_stabilities(out, f2l_get(one, "stabilities"));
        f2l_buf_text(out, "\n");
    }
    f2l_layout(
        out, from,
        "\nright: fraction of {sequences} random words of {length letter} without a wrong "
        "answer, seen and not proved\n"
        "and for good: steps from which on every evaluation has 99 %\n"
        "distance: of the last weights from the constructed ones, relative to their length\n"
        "gain: steps of the random start over steps of this one, medians; published are 2 to "
        "5 (Fishell et al. 2026, arXiv 2603.05694)\n");
}

const f2l_report_kind f2l_starts_report_kind = {.name = "starts",
                                                .describe = describe_starts,
                                                .lay = lay_starts,
                                                .style = {.indent = true, .digits = 6}};
