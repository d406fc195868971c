#include "theory/beside/compare/extract.h"
#include "automata/algebra/moore.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/beside/compare/explore.h"
#include <stdio.h>
#include <string.h>

void f2l_extract_init(f2l_extract *out)
{
    memset(out, 0, sizeof *out);
    f2l_fsa_init(&out->machine);
    f2l_fsa_init(&out->moore);
    f2l_fsa_init(&out->given);
    f2l_fsa_init(&out->given_moore);
    f2l_difference_init(&out->difference);
}

void f2l_extract_clear(f2l_extract *out)
{
    f2l_fsa_clear(&out->machine);
    f2l_fsa_clear(&out->moore);
    f2l_fsa_clear(&out->given);
    f2l_fsa_clear(&out->given_moore);
    f2l_difference_clear(&out->difference);
    f2l_free(out->with_start);
    f2l_free(out->wrong_word);
    f2l_extract_init(out);
}

/* --- machines --- */

static f2l_status add_names(f2l_fsa *out, const f2l_learned_sample *sample, const f2l_data *data,
                            size_t states, f2l_error *err)
{
    size_t index;
    f2l_status status = f2l_names_copy(&out->edge_outputs, &data->labels, err);
    for (size_t a = 0; status == F2L_OK && a < sample->used_letters; a++) {
        const char *name = f2l_names_get(&data->fsa->letters, sample->used[a]);
        status = f2l_names_add(&out->letters, name, strlen(name), &index, err);
    }
    for (size_t q = 0; status == F2L_OK && q < states; q++) {
        char name[32];
        const int size = snprintf(name, sizeof name, "%zu", q + 1);
        status = f2l_names_add(&out->states, name, (size_t)size, &index, err);
    }
    return status;
}

/* Makes a machine without transitions. */
static f2l_status make_extracted_machine(f2l_fsa *out, const f2l_learned_sample *sample,
                                         const f2l_data *data, size_t states, f2l_error *err)
{
    f2l_status status = f2l_fsa_table(&out->next, states, sample->used_letters, NULL, err);
    if (status == F2L_OK) status = add_names(out, sample, data, states, err);
    if (status != F2L_OK) return status;
    out->accept = f2l_calloc(states, sizeof *out->accept);
    out->edge_output = f2l_calloc(states, sample->used_letters * sizeof *out->edge_output);
    return out->accept && out->edge_output ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_extract_given(f2l_fsa *out, const f2l_learned_sample *sample, const f2l_data *data,
                             f2l_error *err)
{
    const f2l_fsa *fsa = data->fsa;
    const size_t states = fsa->states.count, letters = sample->used_letters;
    size_t dropped;
    const f2l_status status = make_extracted_machine(out, sample, data, states, err);
    if (status != F2L_OK) return status;
    out->start = fsa->start;
    for (size_t q = 0; q < states; q++)
        for (size_t a = 0; a < letters; a++) {
            const uint32_t to = fsa->next[q * fsa->letters.count + sample->used[a]];
            out->next[q * letters + a] = to;
            out->edge_output[q * letters + a] = data->answer[to];
        }
    return f2l_fsa_trim(out, &dropped, err);
}

static f2l_status take_machine(f2l_fsa *out, const f2l_explored *e,
                               const f2l_learned_sample *sample, const f2l_data *data,
                               f2l_error *err)
{
    const size_t entries = e->states * sample->used_letters;
    const f2l_status status = make_extracted_machine(out, sample, data, e->states, err);
    if (status != F2L_OK) return status;
    memcpy(out->next, e->next, entries * sizeof *out->next);
    memcpy(out->edge_output, e->answer, entries * sizeof *out->edge_output);
    return F2L_OK;
}

/* --- the choice of a gap --- */

/* What the machine of a gap is made from. */
typedef struct attempt {
    f2l_learned_reader *reader;
    const f2l_learned_sample *sample;
    f2l_learned_view view;
    f2l_principal principal;
    const f2l_task *task;
} attempt;

/* Returns the place of a letter of the automaton among the letters of the sample. */
static size_t place_among_used(const f2l_learned_sample *s, uint32_t letter)
{
    size_t a = 0;
    while (s->used[a] != letter) a++;
    return a;
}

/* Counts what is different in the sample. */
static void check_sample(f2l_extract *x, const f2l_explored *e, const f2l_learned_sample *sample)
{
    const size_t letters = sample->used_letters;
    x->steps = sample->states;
    for (size_t i = 0; i < sample->states; i++) {
        const uint32_t from = i % sample->length == 0 ? 0 : e->number[i - 1];
        const size_t a = place_among_used(sample, sample->letter[i]);
        if (from == UINT32_MAX || e->next[from * letters + a] != e->number[i])
            x->other_state++;
        else
            x->other_answer += e->answer[from * letters + a] != sample->answer[i];
    }
}

static size_t differences(const f2l_extract *x)
{
    return x->other_state + x->other_answer;
}

/* Takes the machine in place of the one before. */
static f2l_status take_found(f2l_extract *x, const f2l_extract *found, const f2l_explored *e,
                             const attempt *t, f2l_error *err)
{
    f2l_fsa_clear(&x->machine);
    x->view = t->view.kind;
    x->gap = found->gap;
    x->clusters = e->states;
    x->steps = found->steps;
    x->other_state = found->other_state;
    x->other_answer = found->other_answer;
    x->fits = (double)differences(x) <= F2L_EXTRACT_FITS * (double)x->steps;
    return take_machine(&x->machine, e, t->sample, t->reader->data, err);
}

/* Explores the clusters of a gap, and keeps the machine when it fits better than the last one. */
static f2l_status try_gap(f2l_extract *x, const attempt *t, const f2l_gap *gap, f2l_error *err)
{
    f2l_explored e;
    f2l_extract found = {.gap = *gap};
    f2l_status status =
        f2l_explore(&e, t->reader, t->sample, &t->view, &t->principal, gap, t->task, err);
    if (status == F2L_OK && e.closed) {
        check_sample(&found, &e, t->sample);
        if (x->clusters == 0 || differences(&found) < differences(x))
            status = take_found(x, &found, &e, t, err);
    }
    f2l_explored_clear(&e);
    return status;
}

/* Tries the gaps of a view; *gaps becomes their number. */
static f2l_status try_view(f2l_extract *x, size_t *gaps, f2l_view_kind kind, attempt *t,
                           f2l_error *err)
{
    f2l_gap gap[F2L_GAPS];
    *gaps = 0;
    t->principal = (f2l_principal){.states = 0};
    f2l_status status = f2l_learned_view_build(&t->view, kind, t->reader, t->sample, t->task, err);
    if (status == F2L_OK) status = f2l_principal_build(&t->principal, &t->view, t->task, err);
    if (status == F2L_OK) status = f2l_gaps_find(gap, gaps, &t->principal, t->task, err);
    for (size_t i = 0; status == F2L_OK && i < *gaps && !x->fits; i++)
        status = try_gap(x, t, &gap[i], err);
    f2l_principal_clear(&t->principal);
    f2l_learned_view_clear(&t->view);
    return status;
}

static f2l_status choose_gap(f2l_extract *x, f2l_learned_reader *reader,
                             const f2l_learned_sample *sample, const f2l_task *task, f2l_error *err)
{
    static const f2l_view_kind kinds[] = {F2L_VIEW_STATES, F2L_VIEW_LOGITS};
    attempt t = {.reader = reader, .sample = sample, .task = task};
    size_t all = 0;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < 2 && !x->fits; i++) {
        size_t gaps;
        status = try_view(x, &gaps, kinds[i], &t, err);
        all += gaps;
    }
    if (x->clusters == 0)
        snprintf(x->reason, sizeof x->reason, "%s",
                 all == 0 ? "there is no gap between clusters of the states"
                          : "words lead out of the clusters of states, to ever new ones");
    return status;
}

/* --- the comparison --- */

/* Lists the states that are paired with the start of the machine. */
static f2l_status take_with_start(f2l_extract *x, const f2l_rowset *pairs, f2l_error *err)
{
    x->with_start = f2l_calloc(x->given_moore.states.count, sizeof *x->with_start);
    if (x->with_start == NULL) return f2l_fail_memory(err);
    for (size_t at = 0; at < pairs->count; at++) {
        const uint32_t *row = f2l_rowset_get(pairs, at, NULL);
        if (row[0] == x->machine.start) x->with_start[x->with_starts++] = row[1];
    }
    return F2L_OK;
}

static f2l_status count_agreeing_pairs(f2l_extract *x, f2l_error *err)
{
    const f2l_fsa *const side[2] = {&x->machine, &x->given_moore};
    const size_t letters = x->machine.letters.count;
    f2l_rowset pairs;
    size_t index;
    f2l_rowset_init(&pairs);
    const uint32_t start[2] = {(uint32_t)side[0]->start, (uint32_t)side[1]->start};
    f2l_status status = f2l_rowset_add(&pairs, start, 2, &index, err);
    for (size_t at = 0; status == F2L_OK && at < pairs.count; at++) {
        const uint32_t *row = f2l_rowset_get(&pairs, at, NULL);
        const uint32_t from[2] = {row[0], row[1]};
        for (size_t a = 0; status == F2L_OK && a < letters; a++) {
            const uint32_t to[2] = {side[0]->next[from[0] * letters + a],
                                    side[1]->next[from[1] * letters + a]};
            status = f2l_rowset_add(&pairs, to, 2, &index, err);
        }
    }
    x->pairs = pairs.count;
    if (status == F2L_OK) status = take_with_start(x, &pairs, err);
    f2l_rowset_clear(&pairs);
    return status;
}

/* --- wrong answers --- */

/* Counts the wrong answers of the sample, and takes a shortest word that ends in one. */
static f2l_status find_wrong(f2l_extract *x, const f2l_learned_sample *s, const f2l_data *data,
                             f2l_error *err)
{
    size_t first = 0;
    for (size_t i = 0; i < s->states; i++) {
        if (s->answer[i] == data->answer[s->given[i]]) continue;
        if (x->wrong++ == 0 || i % s->length < first % s->length) first = i;
    }
    const size_t most = s->length > F2L_EXTRACT_LENGTH ? s->length : F2L_EXTRACT_LENGTH;
    x->wrong_word = f2l_calloc(most, sizeof *x->wrong_word);
    if (x->wrong_word == NULL) return f2l_fail_memory(err);
    if (x->wrong > 0) x->wrong_letters = first % s->length + 1;
    for (size_t i = 0; i < x->wrong_letters; i++)
        x->wrong_word[i] =
            (uint32_t)place_among_used(s, s->letter[first + 1 - x->wrong_letters + i]);
    return F2L_OK;
}

/* Reads a random word as far as it may be shorter than the one that is known, and takes it if its
 * answer is wrong. */
static f2l_status try_word(f2l_extract *x, float *state, f2l_learned_reader *reader,
                           const f2l_learned_sample *s, f2l_rng *rng, f2l_error *err)
{
    const f2l_fsa *fsa = reader->data->fsa;
    const size_t most = x->wrong_letters > 0 ? x->wrong_letters - 1 : F2L_EXTRACT_LENGTH;
    uint32_t word[F2L_EXTRACT_LENGTH], answer;
    size_t q = fsa->start;
    memcpy(state, s->start, s->numbers * sizeof *state);
    for (size_t t = 0; t < most && t < F2L_EXTRACT_LENGTH; t++) {
        word[t] = (uint32_t)f2l_rng_below(rng, s->used_letters);
        q = fsa->next[q * fsa->letters.count + s->used[word[t]]];
        const f2l_status status =
            f2l_learned_step(&answer, NULL, state, reader, &s->used[word[t]], 1, err);
        if (status != F2L_OK) return status;
        if (answer == reader->data->answer[q]) continue;
        memcpy(x->wrong_word, word, (t + 1) * sizeof *word);
        x->wrong_letters = t + 1;
        break;
    }
    return F2L_OK;
}

/* Looks for shorter words that are answered wrongly. */
static f2l_status search_wrong(f2l_extract *x, f2l_learned_reader *reader,
                               const f2l_learned_sample *s, const f2l_task *task, f2l_error *err)
{
    f2l_rng rng;
    float *state = f2l_calloc(s->numbers, sizeof *state);
    f2l_status status = state == NULL ? f2l_fail_memory(err) : F2L_OK;
    f2l_rng_init(&rng, 1, 27);
    for (size_t w = 0; status == F2L_OK && w < F2L_EXTRACT_WORDS; w++) {
        status = try_word(x, state, reader, s, &rng, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "words", (double)w, (double)F2L_EXTRACT_WORDS, err);
    }
    f2l_free(state);
    return status;
}

/* Reads the word of the difference, and compares the network's answer with the machine's. */
static f2l_status confirm(f2l_extract *x, f2l_learned_reader *reader,
                          const f2l_learned_sample *sample, f2l_error *err)
{
    const f2l_difference *d = &x->difference;
    uint32_t *word = f2l_calloc(d->letters, sizeof *word);
    if (word == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < d->letters; i++) word[i] = sample->used[d->word[i]];
    const f2l_status status = f2l_learned_run(&x->answer, reader, word, d->letters, err);
    f2l_free(word);
    if (status == F2L_OK)
        x->confirmed = strcmp(f2l_names_get(&reader->data->labels, x->answer), d->label[1]) == 0;
    return status;
}

static f2l_status compare_machines(f2l_extract *x, f2l_learned_reader *reader,
                                   const f2l_learned_sample *sample, const f2l_task *task,
                                   f2l_error *err)
{
    f2l_status status = f2l_moore_build(&x->moore, &x->machine, task, err);
    if (status == F2L_OK)
        status =
            f2l_algebra_compare(&x->difference, &x->given, &x->machine, F2L_LABEL_EDGES, task, err);
    return status == F2L_OK && x->difference.found ? confirm(x, reader, sample, err) : status;
}

f2l_status f2l_extract_build(f2l_extract *out, f2l_learned_reader *reader,
                             const f2l_learned_sample *sample, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_extract_given(&out->given, sample, reader->data, err);
    if (status == F2L_OK) status = f2l_moore_build(&out->given_moore, &out->given, task, err);
    if (status == F2L_OK) status = choose_gap(out, reader, sample, task, err);
    if (status == F2L_OK) status = find_wrong(out, sample, reader->data, err);
    if (status == F2L_OK && !out->fits) status = search_wrong(out, reader, sample, task, err);
    if (status == F2L_OK && out->clusters > 0) status = count_agreeing_pairs(out, err);
    if (status == F2L_OK && out->fits) status = compare_machines(out, reader, sample, task, err);
    if (status != F2L_OK) f2l_extract_clear(out);
    return status;
}
