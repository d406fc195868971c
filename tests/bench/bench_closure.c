/* Closes a network in a format and prints the rate, for which closures have a target, as one line
 * of JSON.
 *
 *     bench_closure AUTOMATON NETWORK FORMAT SCHEDULE ROWS JOBS
 *
 * A joint step is a row and a letter. cpu_seconds is the sum over all threads and includes reading
 * the files. The caller measures the process's peak memory. */
#include "automata/import/import.h"
#include "numeric/base/text.h"
#include "theory/certify/closure/closure.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static f2l_status read_automaton(f2l_fsa *fsa, const char *path, f2l_error *err)
{
    f2l_buf text;
    f2l_nfa nfa;
    f2l_total_report report;
    const f2l_import_options import = {0};
    const f2l_total_options total = {0};
    f2l_buf_init(&text);
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_read_file(&text, path, 0, err);
    if (status == F2L_OK) status = f2l_import(&nfa, text.data, text.size, &import, NULL, err);
    if (status == F2L_OK) status = f2l_nfa_total(fsa, &report, &nfa, &total, NULL, err);
    f2l_nfa_clear(&nfa);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status read_network(f2l_net *net, const char *path, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, path, 0, err);
    if (status == F2L_OK) status = f2l_net_read(net, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* Stores the number of the row that is expanded: where the limit ends the search, fewer rows were
 * expanded than exist. */
static void note_row(void *context, const char *phase, double done, double total)
{
    double *row = context;
    (void)phase, (void)total;
    if (done > *row) *row = done;
}

static f2l_status measure(const f2l_fsa *fsa, const f2l_net *net, char **argv, f2l_error *err)
{
    char format_name[F2L_FORMAT_NAME], schedule_name[F2L_SCHEDULE_NAME];
    f2l_format format;
    f2l_schedule schedule;
    f2l_closure closure;
    const f2l_closure_float_options options = {.max_rows = strtoull(argv[5], NULL, 10),
                                               .jobs = strtoull(argv[6], NULL, 10)};
    f2l_status status = f2l_format_parse(&format, format_name, argv[3], err);
    if (status == F2L_OK) status = f2l_schedule_parse(&schedule, schedule_name, argv[4], err);
    if (status != F2L_OK) return status;
    double expanded = 0;
    const f2l_task task = {.progress = note_row, .context = &expanded};
    f2l_closure_init(&closure);
    const double start = f2l_now();
    status = f2l_closure_float_with(&closure, net, fsa, &format, &schedule, &options, &task, err);
    const double seconds = f2l_now() - start, cpu = (double)clock() / CLOCKS_PER_SEC;
    const double rows = closure.verdict == F2L_OK ? (double)closure.rows : expanded;
    if (status == F2L_OK)
        printf("{\"verdict\": \"%s\", \"rows\": %zu, \"letters\": %zu, \"steps\": %.0f, "
               "\"seconds\": %.4f, \"cpu_seconds\": %.4f}\n",
               f2l_status_name(closure.verdict), closure.rows, closure.letters,
               rows * (double)closure.letters, seconds, cpu);
    f2l_closure_clear(&closure);
    return status;
}

int main(int argc, char **argv)
{
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_net net;
    f2l_fsa_init(&fsa);
    f2l_net_init(&net);
    f2l_status status =
        argc == 7 ? read_automaton(&fsa, argv[1], &err) : f2l_fail(&err, F2L_EIO, "six arguments");
    if (status == F2L_OK) status = read_network(&net, argv[2], &err);
    if (status == F2L_OK) status = measure(&fsa, &net, argv, &err);
    if (status != F2L_OK) fprintf(stderr, "%s\n", err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
    return status == F2L_OK ? 0 : 1;
}
