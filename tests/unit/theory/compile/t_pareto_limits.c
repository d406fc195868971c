#include "numeric/base/mem.h"
#include "reports/compile/report.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/pareto_support.h"
#include "theory/compile/compile.h"
#include <jansson.h>
#include <stdio.h>

static void open_listed_text(fixture *f, const char *text)
{
    open_text(f, text);
    f->options.float_rows = 500;
}

static const f2l_compile_entry *find(const f2l_compile_result *r, const char *theorem,
                                     const char *variant)
{
    for (size_t i = 0; i < r->entries; i++)
        if (strcmp(r->entry[i].theorem, theorem) == 0 && strcmp(r->entry[i].variant, variant) == 0)
            return &r->entry[i];
    cr_assert_fail("no %s %s", theorem, variant);
    return NULL;
}

static void check_error(fixture *f, f2l_status status, const char *const *part)
{
    cr_assert_eq(compile(f, NULL), status, "%s", f->err.text);
    for (; *part; part++)
        cr_assert_not_null(strstr(f->err.text, *part), "'%s' in: %s", *part, f->err.text);
}

/* The bound that the message names as nearest is right: with this bound instead there is a
 * network. */
Test(pareto_limits, the_nearest_is_named)
{
    fixture f;
    open_listed(&f, "symmetric", 3);
    f.options.bounds = (f2l_compile_bounds){.layers = 1, .householders = 1};
    check_error(&f, F2L_EDOMAIN,
                (const char *const[]){"no network that is built here keeps the bounds;",
                                      "T3 dyadic keys with --householders 2",
                                      "D2 one reflection with --layers 2", NULL});
    f.options.bounds.layers = 2;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "D2");
    f.options.bounds = (f2l_compile_bounds){.layers = 1, .householders = 2};
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    f.options.bounds = (f2l_compile_bounds){.key_dim = 1};
    check_error(&f, F2L_EDOMAIN, (const char *const[]){"R1 irreducible with --key-dim 2", NULL});
    compile_done(&f);
    open_listed(&f, "transformations", 4);
    f.options.bounds = (f2l_compile_bounds){.layers = 2};
    check_error(&f, F2L_EDOMAIN, (const char *const[]){"T4 holonomy with --layers 3", NULL});
    compile_done(&f);
}

/* L.10 has a network with one factor for every automaton, in 2 + 2 l layers for l levels; the
 * program's clock may need more layers, and then it says so. */
Test(pareto_limits, what_exists_but_is_not_built_is_said)
{
    static const char beyond[] = "with n_h = 1: L.10 of theory/pages/ladder.md";
    static const f2l_compile_bounds unsaid[] = {
        {.layers = 13, .householders = 1},
        {.layers = 14, .householders = 1, .key_dim = 100},
        {.layers = 14, .householders = 1, .exact_in = {&f2l_formats[0]}},
        {.layers = 1}};
    fixture f;
    open_listed(&f, "transformations", 7);
    f.options.bounds = (f2l_compile_bounds){.layers = 14, .householders = 1};
    check_error(&f, F2L_EDOMAIN,
                (const char *const[]){"no network that is built here", beyond, NULL});
    for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i += brute_force_is_short() ? 3 : 1) {
        f.options.bounds = unsaid[i];
        check_error(&f, F2L_EDOMAIN, (const char *const[]){"no network that is built here", NULL});
        cr_assert_null(strstr(f.err.text, beyond), "%zu: %s", i, f.err.text);
    }
    compile_done(&f);
}

/* Groups that are not solvable need L.10, with one factor and no gates. */
Test(pareto_limits, one_factor_for_all_maps_of_five_points)
{
    fixture f;
    open_listed(&f, "transformations", 5);
    f.options.bounds = (f2l_compile_bounds){.householders = 1};
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "L10");
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    f.options.bounds = (f2l_compile_bounds){0};
    f.options.target = F2L_COMPILE_ONE;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "L10");
    cr_assert_str_eq(f.result.variant, "n_h = 1");
    compile_done(&f);
}

/* One reflection is a row like any other; gates are used only where nothing else keeps the
 * bounds. */
Test(pareto_limits, within_bounds_nobody_needs_to_ask)
{
    fixture f;
    open_listed(&f, "transformations", 3);
    f.options.bounds = (f2l_compile_bounds){.householders = 1};
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "G");
    cr_assert_str_eq(f.result.variant, "one reflection");
    f.options.bounds = (f2l_compile_bounds){.layers = 3, .householders = 2};
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.variant, "holonomy, gated");
    /* Constructions without gates come first, also with more layers. */
    f.options.bounds.layers = 6;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "L10");
    cr_assert_str_eq(f.result.variant, "n_h = 2");
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    f.options.bounds.layers = 2;
    f.options.bounds.householders = 7;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.variant, "holonomy");
    cr_assert_eq(find(&f.result, "T4", "holonomy, gated")->outcome, F2L_COMPILE_UNASKED);
    compile_done(&f);
}

/* The message names the limit and the results that are known. */
Test(pareto_limits, what_a_limit_leaves_open_is_said)
{
    fixture f;
    open_listed(&f, "cyclic", 5);
    f.options.bounds =
        (f2l_compile_bounds){.householders = 2, .layers = 1, .exact_in = {&f2l_formats[0]}};
    check_error(&f, F2L_UNKNOWN,
                (const char *const[]){"not known", "R1 irreducible in bf16 is UNKNOWN",
                                      "limit of 500", "T3 dyadic keys with --householders 4",
                                      "D1 n_h = 2 with --layers 3", NULL});
    /* As a list there is no network, but the same rows. */
    f.options.all = true;
    cr_assert_eq(compile(&f, NULL), F2L_OK);
    cr_assert_null(f.result.theorem);
    cr_assert_eq(f.result.unmet.status, F2L_UNKNOWN);
    cr_assert_eq(f.result.net.layers, 0);
    cr_assert(find(&f.result, "T3", "dyadic keys")->undominated);
    cr_assert_not(find(&f.result, "T3", "dyadic keys")->within);
    compile_done(&f);
}

Test(pareto_limits, what_has_to_be_asked_for_is_listed_only)
{
    fixture f;
    open_listed(&f, "symmetric", 3);
    f.options.bounds = (f2l_compile_bounds){.key_dim = 3, .householders = 2, .layers = 1};
    list(&f);
    const f2l_compile_entry *naive = find(&f.result, "T3", "naive keys");
    cr_assert(naive->within);
    cr_assert_not(naive->best);
    cr_assert_str_eq(naive->ask, "--keys naive");
    cr_assert_str_eq(f.result.theorem, "R1");
    f.options.naive_keys = true;
    cr_assert_eq(compile(&f, NULL), F2L_OK);
    cr_assert_str_eq(f.result.variant, "naive keys");
    compile_done(&f);
    open_listed(&f, "transformations", 4);
    list(&f);
    const f2l_compile_entry *gated = find(&f.result, "T4", "capped cover, gated");
    cr_assert(gated->gated && gated->undominated && !gated->best);
    cr_assert_lt(gated->figures.factors_per_token,
                 find(&f.result, "T4", "capped cover")->figures.factors_per_token);
    cr_assert_eq(find(&f.result, "T4", "Zeiger cover")->outcome, F2L_COMPILE_UNASKED);
    f.options.cascade = F2L_COMPILE_ZEIGER;
    list(&f);
    cr_assert_eq(find(&f.result, "T4", "Zeiger cover")->outcome, F2L_COMPILE_BUILT);
    cr_assert_eq(find(&f.result, "T4", "holonomy")->outcome, F2L_COMPILE_UNASKED);
    compile_done(&f);
}

/* D1 and Z of a quotient have certificates about the automaton itself. */
Test(pareto_limits, quotients)
{
    static const char text[] =
        "start p\naccept q s\np a q\nq a r\nr a s\ns a p\np b p\nq b s\nr b r\ns b q\n";
    fixture f;
    f2l_buf bytes;
    open_listed_text(&f, text);
    f.options.label = F2L_LABEL_ACCEPT;
    list(&f);
    cr_assert_eq(find(&f.result, "T3", "dyadic keys")->outcome, F2L_COMPILE_BUILT);
    for (size_t i = 0; i < f.result.entries; i++)
        cr_assert(f.result.entry[i].outcome != F2L_COMPILE_BUILT ||
                      f.result.entry[i].exact == F2L_OK,
                  "%s %s", f.result.entry[i].theorem, f.result.entry[i].variant);
    cr_assert_eq(f.result.minimised_states, 2);
    compile_done(&f);
    open_listed_text(&f, "points 6\n"
                         "track points 2\n"
                         "accept 1 4\n"
                         "permute a (1 2 3)(4 5 6)\n"
                         "permute b (2 3)(5 6)\n"
                         "permute c (1 4)(2 5)(3 6)\n");
    f.options.label = F2L_LABEL_ACCEPT;
    f.options.bounds = (f2l_compile_bounds){.householders = 1};
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    cr_assert_eq(f.result.minimised_states, 3);
    f2l_buf_init(&bytes);
    const char *sha256 = f.result.net.fsa_sha256;
    cr_assert_eq(f2l_compile_certificate(&bytes, &f.result, &f.fsa, sha256, &f.err), F2L_OK, "%s",
                 f.err.text);
    f2l_buf_clear(&bytes);
    compile_done(&f);
}

/* Every construction gets its share of time, and a list without any network reports it. */
Test(pareto_limits, time_and_interruption)
{
    fixture f;
    volatile sig_atomic_t flag = SIGINT;
    const f2l_task cancelled = {.cancel = &flag};
    open_listed(&f, "symmetric", 5);
    f.options.all = true;
    f.options.seconds_each = 1e-9;
    f2l_status status = compile(&f, NULL);
    cr_assert(status == F2L_UNKNOWN || status == F2L_OK);
    for (size_t i = 0; status == F2L_OK && i < f.result.entries; i++)
        cr_assert(f.result.entry[i].outcome != F2L_COMPILE_BUILT ||
                  f.result.entry[i].exact == F2L_UNKNOWN ||
                  f.result.entry[i].format[0].verdict == F2L_UNKNOWN);
    f.options.seconds_each = 0;
    /* A list keeps its rows, also of constructions that were not tried. */
    cr_assert_eq(f2l_compile(&f.result, &f.fsa, &f.options, &cancelled, &f.err), F2L_OK, "%s",
                 f.err.text);
    cr_assert_eq(f.result.search.end, F2L_COMPILE_INTERRUPTED);
    cr_assert_null(f.result.theorem);
    for (size_t i = 0; i < f.result.entries; i++) {
        cr_assert_eq(f.result.entry[i].outcome, F2L_COMPILE_STOPPED);
        cr_assert_not_null(strstr(f.result.entry[i].reason, "interrupted"), "%s",
                           f.result.entry[i].reason);
    }
    compile_done(&f);
}

static void note_phase(void *context, const char *phase, double done_so_far, double total)
{
    (void)done_so_far, (void)total;
    size_t *named = context;
    *named += strstr(phase, " of ") && strstr(phase, ", T4 ");
}

Test(pareto_limits, progress_names_the_construction)
{
    fixture f;
    size_t named = 0;
    const f2l_task task = {.progress = note_phase, .context = &named};
    open_listed(&f, "transformations", 5);
    f.options.all = true;
    cr_assert_eq(f2l_compile(&f.result, &f.fsa, &f.options, &task, &f.err), F2L_OK);
    cr_assert_gt(named, 0);
    compile_done(&f);
}

static void fill(f2l_report *report, const fixture *f)
{
    *report = (f2l_report){.version = "1.2.3",
                           .commit = "abc",
                           .grammar = "folder/test.fsa",
                           .syntax = "fsa",
                           .fsa = &f->fsa,
                           .label = f->options.label,
                           .options = &f->options,
                           .compiled = &f->result};
    memset(report->fsa_sha256, 'a', 64);
}

Test(pareto_limits, lists_as_text_and_as_data)
{
    fixture f;
    f2l_report report;
    f2l_buf text;
    json_error_t error;
    f2l_buf_init(&text);
    open_listed(&f, "symmetric", 3);
    f.options.bounds.layers = 4;
    list(&f);
    fill(&report, &f);
    cr_assert_eq(f2l_report_list_head(&text, &report, &f.err), F2L_OK);
    for (size_t i = 0; i < f.result.entries; i++)
        cr_assert_eq(f2l_report_list_row(&text, &f.result.entry[i], &f.err), F2L_OK);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_compile_list_kind, &report, &f.err), F2L_OK);
    static const char *const part[] = {
        "test.fsa: 6 states, 6 letters",
        "construction           layers heads   n_h   key value   states factors   entries  params "
        "exact    at all lengths, by the nearest code, in\n",
        "\n"
        "  T3 dyadic keys              1     1     2     4     1        4       2         6 "
        "     76 VERIFIED bf16 fp16 fp32 fp64\n",
        "\n  R1 irreducible              1 ",
        " fp64; rounded in bf16\n",
        "\n- Z cascade by rule           5 ",
        "\n  T3 naive keys ",
        "fp64 UNKNOWN, right up to ",
        "\n"
        "-  not within the bounds\n"
        "best: T3 dyadic keys: what compile writes\n"
        "fewest layers: 1 by R1\n"
        "undominated: T3 dyadic keys; R1 irreducible; D2 one reflection: nothing here is as good "
        "in ",
        "\nunknown: T3 naive keys in fp64: limit of 500 joint states reached\n",
        "\nequal: R1 dyadic keys: as good in all of these as T3 dyadic keys\n",
        "\n"
        "not built: T4 Zeiger cover; T4 Zeiger cover, gated: only on request "
        "(--cascade zeiger)\n"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        cr_assert_not_null(strstr(text.data, part[i]), "'%s' in:\n%s", part[i], text.data);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_json(&text, &f2l_compile_list_kind, &report, &f.err), F2L_OK);
    json_t *o = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(o, "%s", error.text);
    const json_t *all = json_object_get(o, "constructions");
    cr_assert_eq(json_array_size(all), f.result.entries);
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(o, "bounds"), "layers")), 4);
    cr_assert_eq(json_array_size(json_object_get(o, "dominance")), COMPARED + 1);
    for (size_t i = 0; i < f.result.entries; i++) {
        const json_t *entry = json_array_get(all, i), *figures = json_object_get(entry, "figures");
        const f2l_compile_entry *e = &f.result.entry[i];
        cr_assert_eq(figures != NULL, e->outcome == F2L_COMPILE_BUILT);
        if (!figures) continue;
        cr_assert_eq((size_t)json_integer_value(json_object_get(figures, "state_numbers")),
                     e->figures.states);
        cr_assert_eq(json_is_true(json_object_get(entry, "undominated")), e->undominated);
        cr_assert_eq(json_array_size(json_object_get(entry, "formats")), 4);
    }
    json_decref(o);
    f2l_buf_clear(&text);
    compile_done(&f);
}

#ifdef F2L_MEM_FAILURES
static void starve(fixture *f)
{
    size_t n = 1;
    for (;; n++) {
        f2l_mem_fail_after(n, false);
        const f2l_status status = compile(f, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %s: %s", n, f2l_status_name(status),
                     f->err.text);
        cr_assert_null(f->result.theorem);
        cr_assert_eq(f->result.entries, 0);
    }
    printf("%zu allocations\n", n);
    cr_assert_gt(n, 100);
}

Test(pareto_limits, running_out_of_memory_leaves_nothing)
{
    fixture f;
    open_listed_text(&f, "start p\naccept p\np a q\nq a p\nr a r\np b p\nq b r\nr b q\n");
    f.options.label = F2L_LABEL_ACCEPT;
    f.options.format[1] = NULL;
    f.options.float_rows = 20;
    f.options.all = true;
    starve(&f);
    cr_assert_str_eq(f.result.theorem, "T3");
    /* No construction keeps these bounds: every one is built to name the nearest. */
    f.options.bounds.key_dim = 1;
    f.options.all = false;
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_mem_fail_after(n, false);
        status = compile(&f, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert_null(f.result.theorem);
    }
    cr_assert_eq(status, F2L_EDOMAIN, "%s", f.err.text);
    compile_done(&f);
}
#endif
