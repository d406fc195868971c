/* Partition refinement (Hopcroft, "An n log n algorithm for minimizing states in a finite
 * automaton", 1971), with the classes kept as consecutive runs of one permuted array of the states.
 */
#include "automata/fsa/fsa.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct partition {
    size_t states, letters, classes;
    uint32_t *member;               /* [states] the classes, one after the other */
    uint32_t *place;                /* [states] where a state is in `member` */
    uint32_t *class_of;             /* [states] */
    uint32_t *begin, *end, *marked; /* [states] per class: its run, and how many at its front are
                                       marked */
    uint32_t *touched;              /* [states] classes with marks */
    uint32_t *waiting;              /* [states] stack of splitters still to be used */
    size_t waits;
    uint32_t *splitter; /* [states] the members of the splitter in use */
    uint32_t *first;    /* [letters][states + 1] where the sources of a state start in `source` */
    uint32_t *source;   /* [letters][states] predecessors by letter, grouped by target */
} partition;

static void partition_clear(partition *p)
{
    uint32_t *const array[] = {p->member,  p->place,   p->class_of, p->begin, p->end,   p->marked,
                               p->touched, p->waiting, p->splitter, p->first, p->source};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) f2l_free(array[i]);
    *p = (partition){0};
}

static bool partition_allocate(partition *p, const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    p->states = n;
    p->letters = k;
    uint32_t **const array[] = {&p->member, &p->place,   &p->class_of, &p->begin,   &p->end,
                                &p->marked, &p->touched, &p->waiting,  &p->splitter};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = f2l_calloc(n, sizeof **array[i]);
        if (!*array[i]) return false;
    }
    size_t entries;
    if (!f2l_mul_size(&entries, n + 1, k)) return false;
    p->first = f2l_calloc(entries, sizeof *p->first);
    p->source = f2l_calloc(entries, sizeof *p->source);
    return p->first && p->source;
}

/* Sorts the transitions of every letter by target, by counting. */
static void invert_transitions(partition *p, const f2l_fsa *fsa)
{
    const size_t n = p->states, k = p->letters;
    for (size_t a = 0; a < k; a++) {
        uint32_t *first = p->first + a * (n + 1), *source = p->source + a * n;
        for (size_t s = 0; s < n; s++) first[fsa->next[s * k + a]]++;
        for (size_t s = 1; s <= n; s++) first[s] += first[s - 1];
        for (size_t s = n; s-- > 0;) source[--first[fsa->next[s * k + a]]] = (uint32_t)s;
    }
}

/* Numbers the rows of outputs of the transitions from a state, from 0, by first state. */
static f2l_status classes_of_rows(partition *p, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_rowset rows;
    f2l_status status = F2L_OK;
    const size_t letters = fsa->letters.count;
    f2l_rowset_init(&rows);
    for (size_t s = 0; s < p->states && status == F2L_OK; s++) {
        size_t index = 0;
        status = f2l_rowset_add(&rows, fsa->edge_output + s * letters, letters, &index, err);
        p->class_of[s] = (uint32_t)index;
    }
    p->classes = rows.count;
    f2l_rowset_clear(&rows);
    return status;
}

/* Numbers the labels of the states, from 0, by first state. */
static f2l_status classes_of_labels(partition *p, const f2l_fsa *fsa, f2l_label label,
                                    f2l_error *err)
{
    const bool outputs = label == F2L_LABEL_OUTPUTS, accept = label == F2L_LABEL_ACCEPT;
    const size_t labels = outputs ? fsa->outputs.count : accept ? 2 : p->states;
    uint32_t *class_of_label = f2l_calloc(labels, sizeof *class_of_label); /* + 1 */
    if (!class_of_label) return f2l_fail_memory(err);
    for (size_t s = 0; s < p->states; s++) {
        uint32_t *c = &class_of_label[outputs ? fsa->output[s] : accept ? fsa->accept[s] : s];
        if (*c == 0) *c = (uint32_t)++p->classes;
        p->class_of[s] = *c - 1;
    }
    f2l_free(class_of_label);
    return F2L_OK;
}

/* Sets the classes of equal labels, all of which wait. */
static f2l_status partition_by_label(partition *p, const f2l_fsa *fsa, f2l_label label,
                                     f2l_error *err)
{
    const size_t n = p->states;
    const f2l_status status = label == F2L_LABEL_EDGES ? classes_of_rows(p, fsa, err)
                                                       : classes_of_labels(p, fsa, label, err);
    if (status != F2L_OK) return status;
    for (size_t s = 0; s < n; s++) p->end[p->class_of[s]]++;
    for (size_t c = 1; c < p->classes; c++) p->end[c] += p->end[c - 1];
    for (size_t c = 0; c < p->classes; c++) p->begin[c] = p->end[c];
    for (size_t s = n; s-- > 0;) {
        p->place[s] = --p->begin[p->class_of[s]];
        p->member[p->place[s]] = (uint32_t)s;
    }
    for (size_t c = 0; c < p->classes; c++) p->waiting[p->waits++] = (uint32_t)c;
    return F2L_OK;
}

/* Moves the state to the marked front of its class. A letter leads a state to one target only, so
 * nothing is marked twice in one round. */
static void mark_state(partition *p, uint32_t s, size_t *touches)
{
    const uint32_t c = p->class_of[s];
    if (p->marked[c] == 0) p->touched[(*touches)++] = c;
    const uint32_t to = p->begin[c] + p->marked[c]++, from = p->place[s], other = p->member[to];
    p->member[to] = s;
    p->place[s] = to;
    p->member[from] = other;
    p->place[other] = from;
}

/* Makes the smaller part of a class a new class that waits. That is enough: when the old class
 * still waits, both parts now do; when it was used already, splitting by the smaller part gives
 * what splitting by the larger part would (Hopcroft). */
static void split_class(partition *p, uint32_t c)
{
    const uint32_t middle = p->begin[c] + p->marked[c];
    const bool front = middle - p->begin[c] <= p->end[c] - middle;
    p->marked[c] = 0;
    if (middle == p->end[c]) return;
    const uint32_t fresh = (uint32_t)p->classes++;
    p->begin[fresh] = front ? p->begin[c] : middle;
    p->end[fresh] = front ? middle : p->end[c];
    if (front)
        p->begin[c] = middle;
    else
        p->end[c] = middle;
    for (uint32_t i = p->begin[fresh]; i < p->end[fresh]; i++) p->class_of[p->member[i]] = fresh;
    p->waiting[p->waits++] = fresh;
}

/* Splits every class by which of its states each letter leads into class c as it is at the call. */
static f2l_status refine_by(partition *p, uint32_t c, f2l_meter *meter, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const size_t size = p->end[c] - p->begin[c], n = p->states;
    memcpy(p->splitter, p->member + p->begin[c], size * sizeof *p->splitter);
    for (size_t a = 0; status == F2L_OK && a < p->letters; a++) {
        status = f2l_meter_spend(meter, 1 + size, (double)p->classes, (double)p->states, err);
        const uint32_t *first = p->first + a * (n + 1), *source = p->source + a * n;
        size_t touches = 0;
        for (size_t i = 0; i < size; i++)
            for (uint32_t j = first[p->splitter[i]]; j < first[p->splitter[i] + 1]; j++)
                mark_state(p, source[j], &touches);
        while (touches > 0) split_class(p, p->touched[--touches]);
    }
    return status;
}

static f2l_status refine_partition(partition *p, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "minimising"};
    f2l_status status = F2L_OK;
    while (status == F2L_OK && p->waits > 0)
        status = refine_by(p, p->waiting[--p->waits], &meter, err);
    return status;
}

/* Renumbers class_of by first state. */
static void number_by_first_state(partition *p)
{
    uint32_t *number = p->marked, count = 0;
    memset(number, 0xFF, p->states * sizeof *number);
    for (size_t s = 0; s < p->states; s++) {
        uint32_t *c = &number[p->class_of[s]];
        if (*c == UINT32_MAX) *c = count++;
        p->class_of[s] = *c;
    }
}

/* Takes state s for a new class of the quotient, as its representative. */
static f2l_status add_quotient_class(f2l_fsa *out, const f2l_fsa *fsa, const uint32_t *class_of,
                                     size_t s, f2l_error *err)
{
    const size_t k = fsa->letters.count;
    const char *name = f2l_names_get(&fsa->states, s);
    size_t c;
    f2l_status status = f2l_names_add(&out->states, name, strlen(name), &c, err);
    if (status != F2L_OK) return status;
    for (size_t a = 0; a < k; a++) out->next[c * k + a] = class_of[fsa->next[s * k + a]];
    if (out->has_accept) out->accept[c] = fsa->accept[s];
    if (out->output && fsa->output) out->output[c] = fsa->output[s];
    return F2L_OK;
}

f2l_status f2l_fsa_quotient(f2l_fsa *out, const f2l_fsa *fsa, const uint32_t *class_of,
                            size_t classes, bool accept, bool outputs, const f2l_task *task,
                            f2l_error *err)
{
    outputs = outputs && fsa->output;
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK && outputs) status = f2l_names_copy(&out->outputs, &fsa->outputs, err);
    if (status == F2L_OK)
        status = f2l_fsa_table(&out->next, classes, fsa->letters.count, task, err);
    if (status != F2L_OK) return status;
    out->accept = f2l_calloc(classes, sizeof *out->accept);
    if (outputs) out->output = f2l_calloc(classes, sizeof *out->output);
    if (!out->accept || (outputs && !out->output)) return f2l_fail_memory(err);
    out->start = class_of[fsa->start];
    out->has_accept = accept && fsa->has_accept;
    for (size_t s = 0; s < fsa->states.count && status == F2L_OK; s++)
        if (class_of[s] == out->states.count)
            status = add_quotient_class(out, fsa, class_of, s, err);
    return status == F2L_OK ? f2l_fsa_number_outputs(out, err) : status;
}

/* Gives the quotient the outputs of the transitions. */
static f2l_status copy_rows(f2l_fsa *out, const partition *p, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    out->edge_output = f2l_calloc(p->classes, letters * sizeof *out->edge_output);
    if (!out->edge_output) return f2l_fail_memory(err);
    for (size_t s = p->states; s-- > 0;)
        memcpy(out->edge_output + p->class_of[s] * letters, fsa->edge_output + s * letters,
               letters * sizeof *out->edge_output);
    const f2l_status status = f2l_names_copy(&out->edge_outputs, &fsa->edge_outputs, err);
    return status == F2L_OK ? f2l_fsa_number_outputs(out, err) : status;
}

static f2l_status minimise_by_partition(f2l_fsa *out, partition *p, const f2l_fsa *fsa,
                                        f2l_label label, const f2l_task *task, f2l_error *err)
{
    invert_transitions(p, fsa);
    f2l_status status = partition_by_label(p, fsa, label, err);
    if (status == F2L_OK) status = refine_partition(p, task, err);
    if (status != F2L_OK) return status;
    number_by_first_state(p);
    const bool states = label == F2L_LABEL_STATES;
    status =
        f2l_fsa_quotient(out, fsa, p->class_of, p->classes, states || label == F2L_LABEL_ACCEPT,
                         states || label == F2L_LABEL_OUTPUTS, task, err);
    return status == F2L_OK && label == F2L_LABEL_EDGES ? copy_rows(out, p, fsa, err) : status;
}

f2l_status f2l_fsa_minimise(f2l_fsa *out, uint32_t **classes, const f2l_fsa *fsa, f2l_label label,
                            const f2l_task *task, f2l_error *err)
{
    *classes = NULL;
    f2l_status status = f2l_fsa_has_label(fsa, label, err);
    if (status != F2L_OK) return status;
    partition p = {0};
    /* The transitions both ways, and names. */
    status = f2l_task_spend(
        task, "minimising",
        f2l_steps_of(fsa->states.count, 100 + 3 * sizeof *p.source * (uint64_t)fsa->letters.count),
        err);
    if (status != F2L_OK) return status;
    status = partition_allocate(&p, fsa) ? minimise_by_partition(out, &p, fsa, label, task, err)
                                         : f2l_fail_memory(err);
    if (status == F2L_OK) {
        *classes = p.class_of;
        p.class_of = NULL;
    } else {
        f2l_fsa_clear(out);
    }
    partition_clear(&p);
    return status;
}

f2l_status f2l_fsa_minimal(f2l_fsa *out, uint32_t **classes, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err)
{
    uint32_t *number;
    size_t reached, dropped;
    f2l_status status = f2l_fsa_minimise(out, classes, fsa, label, task, err);
    if (status != F2L_OK) return status;
    status = f2l_fsa_number_reachable(&number, &reached, out, err);
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++)
        (*classes)[q] = number[(*classes)[q]];
    f2l_free(number);
    if (status == F2L_OK) status = f2l_fsa_trim(out, &dropped, err);
    if (status == F2L_OK) return F2L_OK;
    f2l_free(*classes);
    *classes = NULL;
    f2l_fsa_clear(out);
    return status;
}
