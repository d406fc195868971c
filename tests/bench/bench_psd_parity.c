/* The search of theory/pages/parity.md, section 5, as JSON: for every format and schedule the
 * smallest network found with one factor, no negative eigenvalue and a bias that computes parity.
 *
 * usage: bench_psd_parity [FORMAT [SCHEDULE]] */
#include "theory/obstruct/parity/psd_parity.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static void print_numbers(const char *name, const double *x, size_t n)
{
    printf("\"%s\": [", name);
    for (size_t i = 0; i < n; i++) printf("%s%.17g", i ? ", " : "", x[i]);
    printf("]");
}

static void print_weights(const char *name, const f2l_psd_weights *w)
{
    printf(",\n     \"%s\": ", name);
    if (w->n == 0) {
        printf("null");
        return;
    }
    printf("{\"bits\": %u, \"beta\": %.17g, ", w->bits, w->beta);
    print_numbers("u", w->u, w->n);
    printf(", ");
    print_numbers("bias", w->bias, w->n);
    printf(", \"orbit\": [");
    for (size_t t = 0; t < w->states; t++) {
        printf("%s[", t ? ", " : "");
        for (size_t i = 0; i < w->n; i++) printf("%s%.17g", i ? ", " : "", w->state[t][i]);
        printf("]");
    }
    printf("], \"tail\": %zu}", w->tail);
}

static void print_result(const f2l_psd_result *r, const f2l_format *format,
                         const f2l_schedule *schedule, const f2l_psd_options *options,
                         double seconds)
{
    static const char *const names[] = {"found", "none found", "none exists"};
    printf("    {\"format\": \"%s\", \"schedule\": \"%s\", \"n\": %zu, \"verdict\": "
           "\"%s\",\n",
           format->name, schedule->name, r->n, names[r->verdict]);
    printf("     \"why\": \"%s\", \"searched\": \"%s\", \"exhaustive\": %s, \"weights\": %" PRIu64
           ", \"seed\": %" PRIu64 ", \"seconds\": %.1f",
           r->why, r->searched, r->exhaustive ? "true" : "false", r->weights, options->seed,
           seconds);
    print_weights("fewest_bits", &r->fewest);
    print_weights("fewest_bits_without_subnormals", &r->normal);
    printf("}");
}

/* Searches from n = 1 on until a network without subnormal numbers is found. */
static int search(const f2l_format *format, const f2l_schedule *schedule, bool *first)
{
    /* Rounding sums of 24-bit products exactly needs GMP. Small formats are searched completely,
     * whatever the theorem says. */
    const bool slow = schedule->exact_matrices && format->precision > 17;
    const f2l_psd_options options = {
        .seed = 20261121, .random = slow ? 5000 : 1000000, .try_anyway = f2l_psd_is_small(format)};
    f2l_error err = {0};
    if (f2l_schedule_check(schedule, format, &err) != F2L_OK) return 0;
    for (size_t n = 1; n <= F2L_PSD_KEY; n++) {
        f2l_psd_result r;
        const double start = f2l_now();
        if (f2l_psd_search(&r, format, schedule, n, &options, NULL, &err) != F2L_OK) {
            fprintf(stderr, "%s, %s, n = %zu: %s\n", format->name, schedule->name, n, err.text);
            return 1;
        }
        printf("%s", *first ? "" : ",\n");
        *first = false;
        print_result(&r, format, schedule, &options, f2l_now() - start);
        fflush(stdout);
        if (r.normal.n) break;
    }
    return 0;
}

int main(int count, char **word)
{
    static const char *const formats[] = {"e4m3", "e5m2", "bf16", "fp16", "tf32", "fp32"};
    static const char *const schedules[] = {"every", "fma", "acc32", "recurrent", "cast"};
    int failed = 0;
    bool first = true;
    printf("{\"results\": [\n");
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        if (count > 1 && strcmp(word[1], formats[f]) != 0) continue;
        for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
            if (count > 2 && strcmp(word[2], schedules[s]) != 0) continue;
            const f2l_schedule *schedule = f2l_schedule_find(schedules[s]);
            if (schedule) failed += search(f2l_format_find(formats[f]), schedule, &first);
        }
    }
    printf("\n  ]}\n");
    return failed > 0;
}
