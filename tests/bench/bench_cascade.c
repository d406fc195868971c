/* Times the decompositions of cascade-families.txt and prints, for every family and kind, a line
 * NAME KIND MEDIAN_MS LEVELS STATES CONTEXTS for cascade_bench.py.
 *
 * usage: bench_cascade families FILE RUNS
 *        bench_cascade full N (the full transformation monoid on N points, by holonomy) */
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool measure(const char *name, const f2l_fsa *fsa, f2l_cascade_kind kind, size_t runs)
{
    f2l_cascade_size size = {0};
    f2l_error err = {0};
    double *ms = f2l_calloc(runs, sizeof *ms);
    bool good = ms != NULL;
    for (size_t i = 0; good && i < runs; i++) {
        f2l_cascade c;
        const double start = f2l_now();
        good = f2l_cascade_build(&c, fsa, kind, 0, NULL, &err) == F2L_OK;
        ms[i] = 1e3 * (f2l_now() - start);
        f2l_cascade_measure(&size, &c);
        f2l_cascade_clear(&c);
    }
    if (good) {
        qsort(ms, runs, sizeof *ms, by_value);
        printf("%s %s %.6f %zu %zu %zu\n", name, f2l_cascade_kind_name(kind),
               runs % 2 ? ms[runs / 2] : (ms[runs / 2 - 1] + ms[runs / 2]) / 2, size.levels,
               size.states, size.contexts);
        fflush(stdout);
    } else {
        fprintf(stderr, "%s: %s\n", name, err.text);
    }
    f2l_free(ms);
    return good;
}

static bool families(const char *path, size_t runs)
{
    char name[64];
    f2l_fsa fsa;
    FILE *in = fopen(path, "r");
    bool good = in != NULL;
    if (!good) fprintf(stderr, "%s: cannot be read\n", path);
    while (good && table_read(&fsa, name, in)) {
        good = measure(name, &fsa, F2L_CASCADE_HOLONOMY, runs) &&
               measure(name, &fsa, F2L_CASCADE_CAPPED, runs);
        f2l_fsa_clear(&fsa);
    }
    if (in) fclose(in);
    return good;
}

/* Times the monoid that a cycle, a transposition and a merge of n points generate: all maps. */
static bool full(size_t n)
{
    char name[24];
    f2l_fsa fsa;
    table_init(&fsa, n, 3);
    for (size_t q = 0; q < n; q++) {
        table_set(&fsa, q, 0, (q + 1) % n);
        table_set(&fsa, q, 1, q < 2 ? 1 - q : q);
        table_set(&fsa, q, 2, q < 2 ? 0 : q);
    }
    snprintf(name, sizeof name, "T%zu", n);
    const bool good = measure(name, &fsa, F2L_CASCADE_HOLONOMY, 3);
    f2l_fsa_clear(&fsa);
    return good;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "families") == 0) {
        const size_t runs = strtoull(argv[3], NULL, 10);
        if (runs > 0) return families(argv[2], runs) ? 0 : 1;
    }
    if (argc == 3 && strcmp(argv[1], "full") == 0) {
        const size_t n = strtoull(argv[2], NULL, 10);
        if (n > 1 && n < 25) return full(n) ? 0 : 1;
    }
    fputs("usage: bench_cascade families FILE RUNS | bench_cascade full N\n", stderr);
    return 64;
}
