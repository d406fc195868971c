/* The search for the least network: the first result, the result when a budget or an interruption
 * ends it, and the same steps in every run. */
#include "numeric/base/mem.h"
#include "tests/support/theory/compile_support.h"

#define FOUND 16

/* The calls that the listener received. */
typedef struct heard {
    size_t found, layers[FOUND];
    const char *theorem[FOUND];
    sig_atomic_t cancel; /* set when `stop_at` networks were found */
    size_t stop_at;
    size_t listed;
    const f2l_fsa *fsa; /* to write certificates at once */
} heard;

static void hear_found(void *context, const f2l_compile_result *best)
{
    heard *h = context;
    f2l_compile_figures figures;
    f2l_error err;
    f2l_buf text;
    f2l_compile_measure(&figures, best);
    cr_assert_lt(h->found, FOUND);
    cr_assert_eq(best->exact.verdict, F2L_OK);
    cr_assert_eq(best->search.end, F2L_COMPILE_INTERRUPTED);
    cr_assert_gt(best->entries, 10);
    f2l_buf_init(&text);
    const char *sha256 = best->net.fsa_sha256;
    cr_assert_eq(f2l_compile_certificate(&text, best, h->fsa, sha256, &err), F2L_OK, "%s",
                 err.text);
    f2l_buf_clear(&text);
    h->theorem[h->found] = best->theorem;
    h->layers[h->found++] = figures.layers;
    if (h->found == h->stop_at) h->cancel = 2;
}

static void hear_listed(void *context, const f2l_compile_entry *entry)
{
    heard *h = context;
    cr_assert_not_null(entry->theorem);
    h->listed++;
}

typedef struct listening {
    fixture f;
    heard h;
    f2l_compile_listener listener;
    f2l_task task;
} listening;

static void listen(listening *l, const char *kind, uint64_t number)
{
    memset(l, 0, sizeof *l);
    open_family(&l->f, kind, number, false);
    l->listener = (f2l_compile_listener){hear_found, hear_listed, &l->h};
    l->f.options.listener = &l->listener;
    l->h.fsa = &l->f.fsa;
    l->task.cancel = &l->h.cancel;
}

static f2l_status search(listening *l)
{
    l->h.found = l->h.listed = 0;
    l->h.cancel = 0;
    return compile(&l->f, &l->task);
}

static const f2l_compile_entry *entry_of(const f2l_compile_result *r, const char *theorem,
                                         const char *variant)
{
    for (size_t i = 0; i < r->entries; i++)
        if (!strcmp(r->entry[i].theorem, theorem) && !strcmp(r->entry[i].variant, variant))
            return &r->entry[i];
    cr_assert_fail("no entry %s %s", theorem, variant);
    return NULL;
}

Test(compile_search, the_rule_form_first_then_less)
{
    listening l;
    listen(&l, "tomita", 7);
    cr_assert_eq(search(&l), F2L_OK, "%s", l.f.err.text);
    const f2l_compile_result *r = &l.f.result;
    cr_assert_eq(l.h.found, 2);
    cr_assert_str_eq(l.h.theorem[0], "PT");
    cr_assert_str_eq(l.h.theorem[1], "LL.2");
    cr_assert_gt(l.h.layers[0], l.h.layers[1]);
    cr_assert_eq(r->search.end, F2L_COMPILE_COMPLETE);
    cr_assert_str_eq(r->entry[r->search.first].theorem, "PT");
    cr_assert_leq(r->search.first_steps, r->search.steps);
    cr_assert_eq(l.h.listed, 0, "only lists are told of rows");
    /* Holonomy has more levels: only its family of sets is made. */
    const f2l_compile_entry *holonomy = entry_of(r, "T4", "holonomy");
    cr_assert_eq(holonomy->outcome, F2L_COMPILE_BEATEN);
    cr_assert_str_eq(holonomy->reason, "at least 5 layers");
    compile_done(&l.f);
}

/* The search is interrupted when it has found one network: this is the result, and nothing new is
 * begun. */
Test(compile_search, an_interruption_keeps_what_is_verified)
{
    listening l;
    listen(&l, "tomita", 7);
    l.h.stop_at = 1;
    cr_assert_eq(search(&l), F2L_OK, "%s", l.f.err.text);
    const f2l_compile_result *r = &l.f.result;
    cr_assert_str_eq(r->theorem, "PT");
    cr_assert_eq(r->exact.verdict, F2L_OK);
    cr_assert_eq(r->search.end, F2L_COMPILE_INTERRUPTED);
    cr_assert_eq(entry_of(r, "T4", "capped cover")->outcome, F2L_COMPILE_STOPPED);
    cr_assert_not_null(strstr(entry_of(r, "T4", "capped cover")->reason, "interrupted"));
    compile_done(&l.f);
}

Test(compile_search, nothing_verified_is_no_network)
{
    listening l;
    listen(&l, "tomita", 7);
    l.task.deadline = 1e-9;
    cr_assert_eq(search(&l), F2L_UNKNOWN);
    cr_assert_not_null(strstr(l.f.err.text, "time limit"), "%s", l.f.err.text);
    cr_assert_null(l.f.result.theorem);
    cr_assert_eq(l.h.found, 0);
    compile_done(&l.f);
}

/* Interrupts the search at its `at`-th report. */
typedef struct interrupter {
    size_t reports, at;
    sig_atomic_t cancel;
} interrupter;

static void interrupt(void *context, const char *phase, double done, double total)
{
    interrupter *i = context;
    (void)phase;
    (void)done;
    (void)total;
    if (++i->reports == i->at) i->cancel = 2;
}

/* Wherever the search is interrupted, rows that were not tried leave it open whether there is a
 * network: that the others do not apply is no answer. */
Test(compile_search, an_interruption_is_never_an_impossibility)
{
    size_t unknown = 0, at = 0;
    f2l_status status;
    do {
        listening l;
        interrupter i = {.at = at + 1};
        listen(&l, "tomita", 7);
        l.task.cancel = &i.cancel;
        l.task.progress = interrupt;
        l.task.context = &i;
        status = compile(&l.f, &l.task);
        cr_assert(status == F2L_OK || status == F2L_UNKNOWN, "report %zu: %s", i.at, l.f.err.text);
        unknown += status == F2L_UNKNOWN;
        compile_done(&l.f);
        at++;
    } while (status != F2L_OK && at < 1000);
    cr_assert_eq(status, F2L_OK);
    cr_assert_gt(unknown, 3);
}

Test(compile_search, a_list_tells_of_every_row_and_keeps_them)
{
    listening l;
    listen(&l, "tomita", 7);
    l.f.options.all = true;
    cr_assert_eq(search(&l), F2L_OK, "%s", l.f.err.text);
    const size_t rows = l.f.result.entries;
    cr_assert_eq(l.h.listed, rows);
    l.h.stop_at = 1;
    cr_assert_eq(search(&l), F2L_OK, "%s", l.f.err.text);
    cr_assert_eq(l.f.result.search.end, F2L_COMPILE_INTERRUPTED);
    cr_assert_eq(l.h.listed, rows, "what was not tried has an entry too");
    size_t built = 0, stopped = 0;
    for (size_t i = 0; i < rows; i++) {
        built += l.f.result.entry[i].outcome == F2L_COMPILE_BUILT;
        stopped += l.f.result.entry[i].outcome == F2L_COMPILE_STOPPED;
    }
    cr_assert_gt(built, 0);
    cr_assert_gt(stopped, 0);
    compile_done(&l.f);
}

/* --- the effort --- */

static uint64_t steps_of(listening *l, uint64_t effort)
{
    l->f.options.effort = effort;
    cr_assert_eq(search(l), F2L_OK, "%s", l->f.err.text);
    return l->f.result.search.steps;
}

/* Returns whether a is not worse than b in README's order. */
static bool no_worse(const f2l_compile_figures *a, const f2l_compile_figures *b)
{
    if (a->layers != b->layers) return a->layers < b->layers;
    if (a->factors_per_token != b->factors_per_token)
        return a->factors_per_token < b->factors_per_token;
    return a->states <= b->states;
}

Test(compile_search, more_effort_is_never_worse)
{
    static const struct {
        const char *kind;
        uint64_t number;
    } family[] = {{"tomita", 7}, {"transformations", 5}, {"elevator", 6}, {"modarith-prec", 5}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        listening l;
        f2l_compile_figures before = {.layers = SIZE_MAX}, now;
        listen(&l, family[i].kind, family[i].number);
        const uint64_t all = steps_of(&l, 0);
        cr_assert_gt(all, 1000);
        cr_assert_eq(steps_of(&l, 0), all, "the same steps again");
        bool ended = false, short_of = false;
        for (uint64_t effort = all / 64; effort <= 4 * all; effort *= 2) {
            l.f.options.effort = effort;
            const f2l_status status = search(&l);
            if (status == F2L_UNKNOWN) {
                cr_assert_eq(before.layers, SIZE_MAX, "a network, and none with more effort");
                continue;
            }
            cr_assert_eq(status, F2L_OK, "%s", l.f.err.text);
            const f2l_compile_search *s = &l.f.result.search;
            cr_assert_leq(s->steps, effort);
            if (l.f.result.exact.verdict != F2L_OK) continue;
            f2l_compile_measure(&now, &l.f.result);
            cr_assert(no_worse(&now, &before), "%s %zu: %zu layers, before %zu", family[i].kind,
                      (size_t)family[i].number, now.layers, before.layers);
            before = now;
            ended = ended || s->end == F2L_COMPILE_COMPLETE;
            short_of = short_of || s->end == F2L_COMPILE_EFFORT;
        }
        cr_assert(ended && short_of, "%s", family[i].kind);
        compile_done(&l.f);
    }
}

/* If the user gave no effort, the search is repeated with more until something is VERIFIED. */
Test(compile_search, renewed_while_nothing_is_verified)
{
    listening l;
    listen(&l, "transformations", 5);
    l.f.options.effort = 100;
    cr_assert_eq(search(&l), F2L_UNKNOWN);
    cr_assert_not_null(strstr(l.f.err.text, "effort"), "%s", l.f.err.text);
    l.f.options.renew = true;
    cr_assert_eq(search(&l), F2L_OK, "%s", l.f.err.text);
    cr_assert_eq(l.f.result.exact.verdict, F2L_OK);
    cr_assert_gt(l.f.result.search.effort, 100);
    compile_done(&l.f);
}

/* Within bounds slow rows are considered, unless the options leave them out. */
Test(compile_search, leaves_slow_rows_out)
{
    for (int without = 0; without < 2; without++) {
        fixture f;
        size_t slow = 0, left_out = 0;
        open_family(&f, "tomita", 4, false);
        f.options.bounds.householders = 2;
        f.options.no_slow = without;
        cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
        for (size_t i = 0; i < f.result.entries; i++) {
            const f2l_compile_entry *e = &f.result.entry[i];
            if (!e->row->slow || e->row->naive) continue;
            slow++;
            left_out += e->outcome == F2L_COMPILE_UNASKED;
        }
        cr_assert(slow > 0 && left_out == (without ? slow : 0));
        compile_done(&f);
    }
}
