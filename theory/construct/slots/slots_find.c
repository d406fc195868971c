/* The search for slots: functions one after the other are closed under the letters, and those that
 * have copies enough (K.7) are put together until they tell all states apart. */
#include "numeric/base/mem.h"
#include "theory/construct/slots/impl.h"
#include <string.h>

#define MOST_STEPS ((uint64_t)F2L_STEPS)
#define MOST_PAIR_STATES 64

typedef struct search {
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_meter meter;
    f2l_slots_pool pool;
    f2l_slots_family chosen, tried, best;
    f2l_slots_family single; /* smallest closure of one function that tells all states apart */
    uint8_t *useless;        /* [pool.limit] functions that no family can take in */
    bool limited;            /* a limit was met */
    uint64_t steps, total;   /* since they were last counted; of the whole search */
    size_t gain, cost;       /* classes and slots that `best` has more than `chosen` */
    uint32_t best_class[F2L_SLOTS_MAX_STATES];
    uint32_t class[F2L_SLOTS_MAX_STATES]; /* of states that the chosen functions do not tell apart
                                           */
    size_t classes;
} search;

/* Adds the functions that the search begins with: of few states all, else those that are 1 at one
 * state or, where states are not many, at two. */
static void add_seeds(search *s)
{
    const size_t n = s->fsa->states.count;
    if (n <= F2L_SLOTS_ALL_STATES)
        for (uint64_t word = 1; word < (uint64_t)1 << n; word++)
            f2l_slots_add(&s->pool, &(f2l_slots_function){{word}});
    for (size_t p = 0; p < n; p++)
        for (size_t q = p; q < (n <= MOST_PAIR_STATES ? n : p + 1); q++) {
            f2l_slots_function f = {{0}};
            f.word[p / 64] |= (uint64_t)1 << (p % 64);
            f.word[q / 64] |= (uint64_t)1 << (q % 64);
            if (f2l_slots_add(&s->pool, &f) == F2L_SLOTS_UNSEEN) s->limited = true;
        }
}

/* Splits classes by a function; returns their number, and changes class[] only if `keep`. */
static size_t split_by_function(search *s, uint32_t *class, const f2l_slots_function *f,
                                size_t classes)
{
    uint32_t name[F2L_SLOTS_MAX_STATES][2];
    memset(name, 0xff, classes * sizeof *name);
    uint32_t count = 0;
    for (size_t q = 0; q < s->fsa->states.count; q++) {
        uint32_t *const new = &name[class[q]][f2l_slots_at(f, q)];
        if (*new == UINT32_MAX) *new = count++;
        class[q] = *new;
    }
    return count;
}

static size_t split_by(search *s, uint32_t *class, const f2l_slots_family *family, size_t classes)
{
    for (size_t i = 0; i < family->count && classes < s->fsa->states.count; i++)
        classes = split_by_function(s, class, &s->pool.function[family->function[i]], classes);
    s->steps += 3 * (uint64_t)family->count * s->fsa->states.count;
    return classes;
}

/* Counts the steps of the work done since the last call. */
static f2l_status spend_on_search(search *s, size_t done, f2l_error *err)
{
    const uint64_t steps = s->steps;
    s->steps = 0;
    s->total += steps + 100;
    return f2l_meter_spend(&s->meter, steps + 100, (double)done, (double)s->pool.count, err);
}

/* Sets s->tried to the closure of the chosen family and of function f. */
static bool close_with(search *s, size_t f)
{
    s->tried = s->chosen;
    for (size_t i = 0; i < s->tried.count; i++)
        if (s->tried.function[i] == f) return false;
    if (s->tried.count == F2L_SLOTS_MAX) return false;
    s->tried.function[s->tried.count++] = (uint32_t)f;
    const f2l_slots_outcome outcome = f2l_slots_close(&s->tried, &s->pool, &s->steps);
    if (outcome == F2L_SLOTS_LIMITED) s->limited = true;
    return outcome == F2L_SLOTS_CLOSED;
}

/* Takes the tried family as the best one if it tells more states apart for each slot that it has
 * more than the chosen one. */
static void prefer_tried_family(search *s, const uint32_t *class, size_t classes)
{
    const size_t more = classes - s->classes, slots = s->tried.slots - s->chosen.slots;
    if (classes == s->fsa->states.count && s->chosen.count == 0 &&
        (s->single.count == 0 || slots < s->single.slots))
        s->single = s->tried;
    if (more * s->cost < s->gain * slots || (more * s->cost == s->gain * slots && more <= s->gain))
        return;
    s->gain = more;
    s->cost = slots;
    s->best = s->tried;
    memcpy(s->best_class, class, sizeof s->best_class);
}

/* Adds a function, with those that it is pulled back to, to the chosen family. *found: some
 * function tells more states apart. */
static f2l_status choose_function(bool *found, search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    s->gain = 0;
    s->cost = 1;
    for (size_t f = 0; status == F2L_OK && f < s->pool.count; f++) {
        uint32_t class[F2L_SLOTS_MAX_STATES];
        if (s->useless[f]) continue;
        if (s->total > MOST_STEPS) {
            s->limited = true;
            break;
        }
        memcpy(class, s->class, sizeof class);
        s->useless[f] = !close_with(s, f);
        if (!s->useless[f])
            prefer_tried_family(s, class, split_by(s, class, &s->tried, s->classes));
        status = spend_on_search(s, f, err);
    }
    *found = s->gain > 0;
    if (status != F2L_OK || !*found) return status;
    s->chosen = s->best;
    memcpy(s->class, s->best_class, sizeof s->class);
    s->classes += s->gain;
    return F2L_OK;
}

static f2l_status none(const search *s, f2l_error *err)
{
    if (s->limited || s->fsa->states.count > F2L_SLOTS_ALL_STATES)
        return f2l_fail(err, F2L_UNKNOWN, "no slots were found among the %zu functions tried",
                        s->pool.count);
    return f2l_fail(err, F2L_EDOMAIN, "no slots of 0 and 1 tell all states apart");
}

static f2l_status find_slot_family(f2l_slots *out, search *s, f2l_error *err)
{
    f2l_status status = f2l_slots_pool_init(&s->pool, s->fsa, s->task, err);
    if (status != F2L_OK) return status;
    s->useless = f2l_calloc(s->pool.limit, 1);
    if (!s->useless) return f2l_fail_memory(err);
    add_seeds(s);
    while (status == F2L_OK && s->classes < s->fsa->states.count) {
        bool found;
        status = choose_function(&found, s, err);
        if (status == F2L_OK && !found) status = none(s, err);
    }
    if (status != F2L_OK) return status;
    const bool single = s->single.count > 0 && s->single.slots <= s->chosen.slots;
    return f2l_slots_wire(out, single ? &s->single : &s->chosen, &s->pool, err);
}

f2l_status f2l_slots_find(f2l_slots *out, const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    *out = (f2l_slots){0};
    if (fsa->states.count < 2) return f2l_fail(err, F2L_EDOMAIN, "one state needs no slots");
    if (fsa->states.count > F2L_SLOTS_MAX_STATES || fsa->letters.count > F2L_SLOTS_MAX_LETTERS)
        return f2l_fail(err, F2L_UNKNOWN,
                        "slots are not searched for more than %d states or %d letters",
                        F2L_SLOTS_MAX_STATES, F2L_SLOTS_MAX_LETTERS);
    search *s = f2l_calloc(1, sizeof *s);
    if (!s) return f2l_fail_memory(err);
    s->fsa = fsa;
    s->task = task;
    s->classes = 1;
    s->meter = (f2l_meter){.task = task, .phase = "slots"};
    f2l_status status = find_slot_family(out, s, err);
    if (status != F2L_OK) f2l_slots_clear(out);
    f2l_slots_pool_clear(&s->pool);
    f2l_free(s->useless);
    f2l_free(s);
    return status;
}
