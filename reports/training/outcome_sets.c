/* The accuracies of an outcome on sets of words, over its seeds. */
#include "numeric/base/mem.h"
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"

/* Returns the seed's set of that name, or NULL. */
static const f2l_outcome_set *find_outcome_set(const f2l_outcome_seed *seed, const char *name)
{
    for (size_t i = 0; i < seed->sets; i++)
        if (strcmp(seed->set[i].name, name) == 0) return &seed->set[i];
    return NULL;
}

/* Sets value[seeds]; false: a seed that did not diverge has no such set. */
static bool collect_set(double *value, const f2l_outcome *w, const char *name)
{
    for (size_t i = 0; i < w->seeds; i++) {
        const f2l_outcome_set *set = find_outcome_set(&w->seed[i], name);
        if (set == NULL && w->seed[i].end != F2L_TRAIN_DIVERGED) return false;
        value[i] = set != NULL ? set->accuracy : 0;
    }
    return true;
}

void f2l_outcome_say_sets(f2l_fact in, const f2l_outcome *w)
{
    f2l_error err;
    const f2l_fact list = f2l_say_list(in, "by_set");
    double *value = f2l_calloc(w->seeds + 1, sizeof *value);
    const f2l_outcome_seed *first = w->seed;
    if (value == NULL) {
        f2l_facts_fail(in, (f2l_fail_memory(&err), &err));
        return;
    }
    while (first < w->seed + w->seeds && first->sets == 0) first++;
    for (size_t i = 0; first < w->seed + w->seeds && i < first->sets; i++) {
        if (!collect_set(value, w, first->set[i].name)) continue;
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "set", first->set[i].name);
        f2l_say_count(one, "words", first->set[i].words);
        f2l_say_values(one, "measured", value, w->seeds);
    }
    f2l_free(value);
}

void f2l_outcome_lay_sets(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact sets = f2l_get(outcome, "by_set");
    for (size_t i = 0; i < f2l_get_size(sets, ""); i++) {
        const f2l_fact one = f2l_get_item(sets, i);
        f2l_layout(out, one, i ? ", {set}: " : "test words right, {set}: ");
        f2l_reproduce_lay_measured(out, f2l_get(one, "measured"), f2l_get(one, "values"));
    }
}
