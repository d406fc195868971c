#include "numeric/base/mem.h"
#include "theory/obstruct/impl.h"
#include <stdio.h>
#include <string.h>

#define RATIONAL_LETTERS 20000

/* A run of one word. */
typedef struct runner {
    f2l_failure *out;
    const f2l_fsa *fsa;
    const f2l_witness *word;
    const f2l_task *task;
    f2l_machine machine;
    f2l_spot here, there; /* two runs */
    uint32_t *expected;   /* [states] */
    uint64_t limit, run;  /* letters of both runs */
    bool ended;           /* the run cannot go on: see out->reason */
} runner;

static void runner_clear(runner *r)
{
    f2l_spot_clear(&r->here, &r->machine);
    f2l_spot_clear(&r->there, &r->machine);
    f2l_machine_clear(&r->machine);
    f2l_free(r->expected);
}

static f2l_status expect_labels(runner *r, const f2l_net *model, f2l_error *err)
{
    r->expected = f2l_calloc(r->fsa->states.count, sizeof *r->expected);
    if (!r->expected) return f2l_fail_memory(err);
    for (size_t q = 0; q < r->fsa->states.count; q++) {
        const char *text = f2l_fsa_label(r->fsa, model->label, q);
        const size_t index = f2l_names_find(&model->labels, text, strlen(text));
        r->expected[q] = index == F2L_NO_INDEX ? F2L_NO_SYMBOL : (uint32_t)index;
    }
    return F2L_OK;
}

static bool is_wrong(const runner *r, const f2l_spot *p, uint32_t label)
{
    return label == F2L_NO_SYMBOL || label != r->expected[p->state];
}

static void note_wrong(runner *r, const f2l_spot *p, uint32_t label, uint64_t length)
{
    r->out->wrong_before++;
    if (r->out->first) return;
    r->out->first = length;
    r->out->label = label == F2L_NO_SYMBOL ? F2L_NO_INDEX : label;
    r->out->expected =
        r->expected[p->state] == F2L_NO_SYMBOL ? F2L_NO_INDEX : r->expected[p->state];
}

static void end_run(runner *r, const char *reason)
{
    r->ended = true;
    snprintf(r->out->reason, sizeof r->out->reason, "%.250s", reason);
}

/* Steps one letter; records a wrong label when `length` is not 0. */
static f2l_status step_runner(runner *r, f2l_spot *p, size_t letter, uint64_t length,
                              uint32_t *label, f2l_error *err)
{
    f2l_error why;
    const f2l_status status = f2l_machine_step(&r->machine, p, letter, label, &why);
    p->state = r->fsa->next[p->state * r->fsa->letters.count + letter];
    if (status != F2L_OK && status != F2L_EDOMAIN && status != F2L_UNKNOWN) {
        if (err) *err = why;
        return status;
    }
    /* Where a state is lost there is no label. Numbers that are too long still had one. */
    if (status == F2L_EDOMAIN) *label = F2L_NO_SYMBOL;
    if (length && is_wrong(r, p, *label)) note_wrong(r, p, *label, length);
    if (status != F2L_OK) end_run(r, why.text);
    if (++r->run % 4096 == 0 && !r->ended)
        return f2l_task_poll(r->task, "letters", (double)r->run, (double)r->limit, err);
    return F2L_OK;
}

/* Steps one w. length: the length of the word before this w if labels are to be recorded, otherwise
 * NULL. */
static f2l_status step_word(runner *r, f2l_spot *p, uint64_t *length, f2l_error *err)
{
    const size_t *w = r->word->letter + r->word->prefix;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->word->length && status == F2L_OK && !r->ended; i++) {
        uint32_t label;
        status = step_runner(r, p, w[i], length ? ++*length : 0, &label, err);
    }
    return status;
}

/* Steps to the end of u. */
static f2l_status begin_runner(runner *r, f2l_spot *p, bool note, f2l_error *err)
{
    f2l_error why;
    f2l_status status = f2l_machine_start(&r->machine, p, &why);
    p->state = r->fsa->start;
    if (status == F2L_EDOMAIN) end_run(r, why.text);
    if (status != F2L_OK && status != F2L_EDOMAIN && err) *err = why;
    if (status == F2L_EDOMAIN) status = F2L_OK;
    for (size_t i = 0; i < r->word->prefix && status == F2L_OK && !r->ended; i++) {
        uint32_t label;
        status = step_runner(r, p, r->word->letter[i], note ? i + 1 : 0, &label, err);
    }
    return status;
}

/* Brent's search: sets *words to the least number of w's after which a pair recurs, 0 when the run
 * ended before. All labels along the way are recorded. */
static f2l_status find_cycle(runner *r, uint64_t *words, f2l_error *err)
{
    uint64_t length = r->word->prefix, power = 1, count = 0;
    f2l_status status = begin_runner(r, &r->here, true, err);
    *words = 0;
    if (status == F2L_OK && !r->ended)
        status = f2l_spot_copy(&r->there, &r->here, &r->machine, err);
    while (status == F2L_OK && !r->ended) {
        if (r->run >= r->limit) {
            end_run(r, "no pair recurred within the limit");
            break;
        }
        status = step_word(r, &r->here, &length, err);
        r->out->letters = length;
        if (status != F2L_OK || r->ended) break;
        count++;
        if (f2l_spot_equal(&r->here, &r->there, &r->machine)) {
            *words = count;
            break;
        }
        if (count < power) continue;
        status = f2l_spot_copy(&r->there, &r->here, &r->machine, err);
        power *= 2;
        count = 0;
    }
    return status;
}

/* Finds the begin of the cycle: `here` goes `words` ahead, and then both step until they meet. */
static f2l_status find_start(runner *r, uint64_t words, f2l_error *err)
{
    f2l_status status = begin_runner(r, &r->here, false, err);
    if (status == F2L_OK) status = f2l_spot_copy(&r->there, &r->here, &r->machine, err);
    for (uint64_t i = 0; i < words && status == F2L_OK; i++)
        status = step_word(r, &r->here, NULL, err);
    r->out->preperiod = r->word->prefix;
    while (status == F2L_OK && !f2l_spot_equal(&r->here, &r->there, &r->machine)) {
        status = step_word(r, &r->here, NULL, err);
        if (status == F2L_OK) status = step_word(r, &r->there, NULL, err);
        r->out->preperiod += r->word->length;
    }
    return status;
}

/* Returns the least p that divides n with x[i] = x[i + p], cyclically: n is divided by primes as
 * long as this holds. */
static uint64_t least_cyclic_period(const uint8_t *x, uint64_t n)
{
    uint64_t p = n;
    for (uint64_t rest = n, d = 2; rest > 1; d++) {
        if (d * d > rest) d = rest;
        if (rest % d != 0) continue;
        while (rest % d == 0) {
            rest /= d;
            if (p % d == 0 && memcmp(x, x + p / d, n - p / d) == 0) p /= d;
        }
    }
    return p;
}

static void find_pattern(f2l_failure *out, const uint8_t *wrong)
{
    out->pattern = least_cyclic_period(wrong, out->period);
    for (uint64_t i = 0; i < out->period; i++) out->wrong += wrong[i];
    /* wrong[i] belongs to length preperiod + 1 + i */
    for (uint64_t residue = 0; residue < out->pattern && out->residues < F2L_FAILURE_RESIDUES;
         residue++) {
        const uint64_t past = (out->preperiod + 1) % out->pattern;
        const uint64_t i = (residue + out->pattern - past) % out->pattern;
        if (wrong[i]) out->residue[out->residues++] = residue;
    }
}

/* Records the labels once around the cycle, from its begin. */
static f2l_status look_around(runner *r, f2l_error *err)
{
    f2l_failure *out = r->out;
    const size_t *w = r->word->letter + r->word->prefix;
    f2l_status status = F2L_OK;
    uint64_t i = 0;
    uint8_t *wrong = out->period < SIZE_MAX ? f2l_calloc((size_t)out->period, 1) : NULL;
    if (!wrong) return f2l_fail_memory(err);
    out->constant = true;
    while (i < out->period && status == F2L_OK) {
        uint32_t label;
        status = step_runner(r, &r->here, w[i % r->word->length], 0, &label, err);
        const size_t index = label == F2L_NO_SYMBOL ? F2L_NO_INDEX : label;
        if (i > 0 && index != out->constant_label) out->constant = false;
        out->constant_label = index;
        wrong[i++] = is_wrong(r, &r->here, label);
    }
    if (status == F2L_OK) find_pattern(out, wrong);
    f2l_free(wrong);
    return status;
}

/* Counts the wrong lengths before the cycle; wrong_before had counted all lengths of the first
 * pass. */
static f2l_status count_before(runner *r, f2l_error *err)
{
    uint64_t length = r->word->prefix;
    const uint64_t first = r->out->first;
    r->out->wrong_before = 0;
    if (!first || first > r->out->preperiod) return F2L_OK;
    f2l_status status = begin_runner(r, &r->there, true, err);
    while (status == F2L_OK && length < r->out->preperiod)
        status = step_word(r, &r->there, &length, err);
    return status;
}

static f2l_status run_witness(runner *r, f2l_error *err)
{
    f2l_failure *out = r->out;
    uint64_t words = 0;
    f2l_status status = find_cycle(r, &words, err);
    if (status == F2L_OK && words > 0) {
        out->recurs = true;
        out->period = words * r->word->length;
        status = find_start(r, words, err);
        if (status == F2L_OK) status = look_around(r, err);
        if (status == F2L_OK) status = count_before(r, err);
    }
    out->verdict = out->first ? F2L_REFUTED : out->recurs ? F2L_OK : F2L_UNKNOWN;
    return status;
}

static f2l_status prepare_runner(runner *r, const f2l_net *model, bool rational, f2l_error *err)
{
    f2l_status status =
        f2l_machine_init(&r->machine, model, r->out->format, r->out->schedule, rational, err);
    if (status == F2L_OK) status = f2l_spot_init(&r->here, &r->machine, err);
    if (status == F2L_OK) status = f2l_spot_init(&r->there, &r->machine, err);
    return status == F2L_OK ? expect_labels(r, model, err) : status;
}

static f2l_status find_failure(runner *r, const f2l_net *model, bool rational, f2l_error *err)
{
    f2l_error why;
    *r->out = (f2l_failure){.verdict = F2L_UNKNOWN,
                            .format = r->out->format,
                            .schedule = r->out->schedule,
                            .codes = !r->out->format && !rational};
    r->run = 0;
    r->ended = false;
    f2l_status status = prepare_runner(r, model, rational, &why);
    if (status == F2L_EDOMAIN)
        end_run(r, why.text);
    else if (status != F2L_OK && err)
        *err = why;
    else if (status == F2L_OK)
        status = run_witness(r, err);
    runner_clear(r);
    *r = (runner){r->out, r->fsa, r->word, r->task, .limit = r->limit};
    return status == F2L_EDOMAIN ? F2L_OK : status;
}

static const char *why_run_refused(const f2l_format *format, const f2l_schedule *schedule)
{
    if (format && !f2l_schedule_steps(schedule)) return "chunk64 has no step for one letter";
    if (format && f2l_schedule_draws(schedule, format))
        return "with stochastic rounding a state does not say what comes next";
    return NULL;
}

f2l_status f2l_failure_find(f2l_failure *out, const f2l_net *model, const f2l_fsa *fsa,
                            const f2l_witness *word, const f2l_format *format,
                            const f2l_schedule *schedule, uint64_t limit, const f2l_task *task,
                            f2l_error *err)
{
    runner r = {.out = out, .fsa = fsa, .word = word, .task = task};
    const char *no = why_run_refused(format, schedule);
    *out = (f2l_failure){.verdict = F2L_UNKNOWN, .format = format, .schedule = schedule};
    r.limit = limit ? limit : F2L_FAILURE_LETTERS;
    if (no) snprintf(out->reason, sizeof out->reason, "%s", no);
    if (no) return F2L_OK;
    f2l_status status = find_failure(&r, model, false, err);
    if (status != F2L_OK || format || out->recurs) return status;
    /* Where the exact states leave the codes, the states themselves are followed if they are
     * rational. */
    const f2l_failure codes = *out;
    if (r.limit > RATIONAL_LETTERS) r.limit = RATIONAL_LETTERS;
    status = find_failure(&r, model, true, err);
    if (status == F2L_OK && !out->recurs && !out->letters) *out = codes;
    return status;
}
