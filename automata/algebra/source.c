/* A shortest word on which an automaton as it was read and the one that was made of it differ:
 * breadth-first through the pairs of a state of the one and the set of states that the other can
 * be in after the same word. */
#include "automata/algebra/impl.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

#define MAX_PAIRS 5000000

/* A row of `pairs` is a state of fsa, then the members of the set in order. */
typedef struct walk {
    const f2l_nfa *source;
    const f2l_fsa *fsa;
    f2l_label label;
    bool single;      /* no set has two members or more */
    size_t letters;   /* of both */
    uint32_t *letter; /* [letters] of fsa for each of the source */
    size_t *first;    /* [states * (letters + 1) + 1] where the edges of a state by a letter begin;
                         the last letter is epsilon */
    uint32_t *edge;   /* [edges] numbers of the source's edges, by state and letter */
    uint8_t *listed;  /* [states] in `row` */
    uint32_t *row;    /* [1 + states] the pair that is being made */
    uint32_t *from;   /* [1 + states] the pair that is being left */
    size_t members;   /* of `row` */
    size_t *set_of;   /* [states of fsa] 1 + the first pair with the state */
    f2l_rowset pairs;
    f2l_step *step;
    size_t step_capacity;
} walk;

static size_t edge_key(const walk *w, const f2l_edge *e)
{
    return e->from * (w->letters + 1) + (e->letter == F2L_EPSILON ? w->letters : e->letter);
}

/* Sorts the source's edges by state and letter. */
static f2l_status sort_source_edges(walk *w, const f2l_task *task, f2l_error *err)
{
    const f2l_nfa *source = w->source;
    size_t keys;
    if (!f2l_mul_size(&keys, source->states.count, w->letters + 1) || keys > SIZE_MAX / 32)
        return f2l_fail(err, F2L_UNKNOWN, "the source has too many states and letters");
    const f2l_status status =
        f2l_task_memory(task, "edges of the source", keys * sizeof *w->first, err);
    if (status != F2L_OK) return status;
    w->first = f2l_calloc(keys + 2, sizeof *w->first);
    w->edge = f2l_calloc(source->edges, sizeof *w->edge);
    if (!w->first || !w->edge) return f2l_fail_memory(err);
    for (size_t i = 0; i < source->edges; i++) w->first[edge_key(w, &source->edge[i]) + 2]++;
    for (size_t i = 1; i < keys + 2; i++) w->first[i] += w->first[i - 1];
    for (size_t i = 0; i < source->edges; i++)
        w->edge[w->first[edge_key(w, &source->edge[i]) + 1]++] = (uint32_t)i;
    return F2L_OK;
}

/* Returns whether one start state and at most one edge for each state and letter leave no choice;
 * an edge may be given twice. */
static bool is_single(const walk *w)
{
    const f2l_nfa *source = w->source;
    size_t starts = 0;
    for (size_t s = 0; s < source->states.count; s++) starts += source->is_start[s];
    for (size_t i = 0; i < source->edges; i++) {
        const f2l_edge *e = &source->edge[i],
                       *first = &source->edge[w->edge[w->first[edge_key(w, e)]]];
        if (e->letter == F2L_EPSILON || e->to != first->to || e->output != first->output)
            return false;
    }
    return starts == 1;
}

static f2l_status begin_walk(walk *w, const f2l_task *task, f2l_error *err)
{
    const size_t n = w->source->states.count;
    w->letters = w->fsa->letters.count;
    w->letter = f2l_calloc(w->letters, sizeof *w->letter);
    w->listed = f2l_calloc(n, sizeof *w->listed);
    w->row = f2l_calloc(n + 1, sizeof *w->row);
    w->from = f2l_calloc(n + 1, sizeof *w->from);
    w->set_of = f2l_calloc(w->fsa->states.count, sizeof *w->set_of);
    if (!w->letter || !w->listed || !w->row || !w->from || !w->set_of) return f2l_fail_memory(err);
    for (size_t a = 0; a < w->letters; a++) {
        const char *name = f2l_names_get(&w->source->letters, a);
        w->letter[a] = (uint32_t)f2l_names_find(&w->fsa->letters, name, strlen(name));
    }
    const f2l_status status = sort_source_edges(w, task, err);
    if (status == F2L_OK) w->single = is_single(w);
    return status;
}

static void end_walk(walk *w)
{
    f2l_free(w->letter);
    f2l_free(w->first);
    f2l_free(w->edge);
    f2l_free(w->listed);
    f2l_free(w->row);
    f2l_free(w->from);
    f2l_free(w->set_of);
    f2l_free(w->step);
    f2l_rowset_clear(&w->pairs);
}

static void list_member(walk *w, uint32_t state)
{
    if (w->listed[state]) return;
    w->listed[state] = 1;
    w->row[1 + w->members++] = state;
}

/* Lists the states to which a letter, or epsilon, leads the state. */
static void list_targets(walk *w, uint32_t state, size_t letter)
{
    const size_t key = state * (w->letters + 1) + letter;
    for (size_t i = w->first[key]; i < w->first[key + 1]; i++)
        list_member(w, w->source->edge[w->edge[i]].to);
}

static int order_members(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Closes the listed set under epsilon, and puts it in order. */
static void finish_set(walk *w)
{
    for (size_t i = 0; i < w->members; i++) list_targets(w, w->row[1 + i], w->letters);
    for (size_t i = 0; i < w->members; i++) w->listed[w->row[1 + i]] = 0;
    qsort(w->row + 1, w->members, sizeof *w->row, order_members);
}

/* Returns the label that the source gives where it can be in these states and the other automaton
 * is in `state`, whose label is `other`. */
static const char *label_of_set(const walk *w, const uint32_t *member, size_t members, size_t state,
                                const char *other)
{
    const f2l_nfa *source = w->source;
    if (w->label == F2L_LABEL_ACCEPT) {
        bool accepts = false;
        for (size_t i = 0; i < members; i++) accepts |= source->accept[member[i]];
        return accepts ? "accept" : "reject";
    }
    if (members == 0) return w->fsa->has_added && w->fsa->added == state ? other : "no label";
    if (w->label == F2L_LABEL_STATES)
        return w->single ? f2l_names_get(&source->states, member[0]) : other;
    for (size_t i = 0; i < members; i++) {
        const uint32_t output = source->output ? source->output[member[i]] : UINT32_MAX;
        if (output == UINT32_MAX) return "no label";
        const char *name = f2l_names_get(&source->outputs, output);
        if (strcmp(name, other) != 0) return name;
    }
    return other;
}

/* Adds the pair in `row` unless it was met; a new one whose labels differ ends the search. */
static f2l_status meet_set(f2l_difference *out, walk *w, f2l_step how, f2l_error *err)
{
    const size_t known = w->pairs.count, state = w->row[0];
    size_t index;
    f2l_status status = f2l_rowset_add(&w->pairs, w->row, 1 + w->members, &index, err);
    if (status != F2L_OK || index < known) return status;
    if (!f2l_grow((void **)&w->step, &w->step_capacity, index, sizeof *w->step))
        return f2l_fail_memory(err);
    w->step[index] = how;
    if (w->label == F2L_LABEL_EDGES) return F2L_OK;
    out->label[1] = f2l_fsa_label(w->fsa, w->label, state);
    out->label[0] = label_of_set(w, w->row + 1, w->members, state, out->label[1]);
    if (w->label == F2L_LABEL_STATES && !w->single) {
        if (w->set_of[state]) out->label[0] = "another set of states";
        w->set_of[state] = index + 1;
    }
    if (strcmp(out->label[0], out->label[1]) == 0) return F2L_OK;
    return f2l_difference_take(out, w->step, index, F2L_NO_INDEX, err);
}

/* Sets the outputs of the two transitions by the letter; returns whether they differ. */
static bool outputs_differ(const char *label[2], const walk *w, size_t members, size_t letter)
{
    const size_t edge = w->from[0] * w->letters + w->letter[letter];
    label[1] = f2l_names_get(&w->fsa->edge_outputs, w->fsa->edge_output[edge]);
    const size_t key = members ? w->from[1] * (w->letters + 1) + letter : 0;
    const bool reads = members && w->first[key] < w->first[key + 1];
    if (reads)
        label[0] =
            f2l_names_get(&w->source->edge_outputs, w->source->edge[w->edge[w->first[key]]].output);
    else
        label[0] = w->fsa->has_added && w->fsa->next[edge] == w->fsa->added ? label[1] : "no label";
    return strcmp(label[0], label[1]) != 0;
}

/* Follows every letter from pair `at`. */
static f2l_status leave_pair(f2l_difference *out, walk *w, size_t at, f2l_error *err)
{
    size_t size;
    const uint32_t *pair = f2l_rowset_get(&w->pairs, at, &size);
    memcpy(w->from, pair, size * sizeof *pair);
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < w->letters && status == F2L_OK && !out->found; a++) {
        if (w->label == F2L_LABEL_EDGES && outputs_differ(out->label, w, size - 1, a))
            return f2l_difference_take(out, w->step, at, a, err);
        w->row[0] = w->fsa->next[w->from[0] * w->letters + w->letter[a]];
        w->members = 0;
        for (size_t i = 1; i < size; i++) list_targets(w, w->from[i], a);
        finish_set(w);
        status = meet_set(out, w, (f2l_step){at, (uint32_t)a}, err);
    }
    return status;
}

static f2l_status walk_both(f2l_difference *out, walk *w, const f2l_task *task, f2l_error *err)
{
    static const char phase[] = "comparing";
    w->row[0] = (uint32_t)w->fsa->start;
    for (uint32_t s = 0; s < w->source->states.count; s++)
        if (w->source->is_start[s]) list_member(w, s);
    finish_set(w);
    f2l_status status = meet_set(out, w, (f2l_step){0, 0}, err);
    for (size_t at = 0; at < w->pairs.count && status == F2L_OK && !out->found; at++) {
        if (at % 1024 == 0) status = f2l_task_poll(task, phase, (double)at, 0, err);
        if (status == F2L_OK && at % 1024 == 0)
            status = f2l_task_memory(task, phase, f2l_rowset_bytes(&w->pairs), err);
        if (status == F2L_OK) status = leave_pair(out, w, at, err);
        if (status == F2L_OK && !out->found && w->pairs.count > MAX_PAIRS)
            status = f2l_fail(err, F2L_UNKNOWN, "comparing meets more than %d pairs", MAX_PAIRS);
    }
    return status;
}

/* Refuses labels that the source has not. */
static f2l_status check_source_labels(const f2l_nfa *source, const walk *w, f2l_error *err)
{
    const f2l_fsa shape = {.has_accept = source->has_accept,
                           .outputs = source->outputs,
                           .edge_outputs = source->edge_outputs};
    const f2l_status status = f2l_fsa_has_label(&shape, w->label, err);
    if (status != F2L_OK || w->label != F2L_LABEL_EDGES || w->single) return status;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the source is not deterministic, but has outputs of transitions");
}

/* Puts the word, in letters of the source, into letters of the other automaton. */
static void rename_word(f2l_difference *out, const f2l_names *source, const f2l_names *letters)
{
    for (size_t i = 0; i < out->letters; i++) {
        const char *name = f2l_names_get(source, out->word[i]);
        out->word[i] = (uint32_t)f2l_names_find(letters, name, strlen(name));
    }
}

/* Compares a source that is permutations of points: total, with the same names of states. */
static f2l_status compare_group(f2l_difference *out, const f2l_fsa *source, const f2l_fsa *fsa,
                                f2l_label label, const f2l_task *task, f2l_error *err)
{
    const f2l_status status = f2l_algebra_compare(out, source, fsa, label, task, err);
    if (status == F2L_OK) rename_word(out, &source->letters, &fsa->letters);
    return status;
}

f2l_status f2l_algebra_compare_source(f2l_difference *out, const f2l_nfa *source,
                                      const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                                      f2l_error *err)
{
    if (source->is_group) return compare_group(out, &source->group, fsa, label, task, err);
    walk w = {.source = source, .fsa = fsa, .label = label};
    const f2l_fsa letters = {.letters = source->letters};
    f2l_rowset_init(&w.pairs);
    f2l_status status = f2l_algebra_same_letters(&letters, fsa, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(fsa, label, err);
    if (status == F2L_OK) status = begin_walk(&w, task, err);
    if (status == F2L_OK) status = check_source_labels(source, &w, err);
    if (status == F2L_OK) status = walk_both(out, &w, task, err);
    if (status == F2L_OK) rename_word(out, &source->letters, &fsa->letters);
    end_walk(&w);
    return status;
}
