/* The verdict on point forms. Statements: theory/pages/d1.md, D1.12. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"
#include <stdlib.h>
#include <string.h>

/* Sets orbit[] to the orbits of the points under the letters, numbered by their first points. */
static f2l_status find_orbits(f2l_d1_check *c, f2l_error *err)
{
    const size_t n = c->points, k = c->letters;
    uint32_t *queue = f2l_calloc(n, sizeof *queue);
    c->orbit = f2l_calloc(n, sizeof *c->orbit);
    if (!queue || !c->orbit) {
        f2l_free(queue);
        return f2l_fail_memory(err);
    }
    uint32_t orbits = 0;
    for (uint32_t p = 0; p < n; p++) {
        if (c->orbit[p]) continue;
        size_t found = 1;
        queue[0] = p;
        c->orbit[p] = ++orbits;
        for (size_t i = 0; i < found; i++)
            for (size_t a = 0; a < k; a++) {
                const uint32_t to = c->point_moves->value[queue[i] * (k + 1) + 1 + a];
                if (c->orbit[to] == 0) queue[found++] = to;
                c->orbit[to] = c->orbit[p];
            }
    }
    f2l_free(queue);
    return F2L_OK;
}

/* Checks that the letters permute the points, and that no letter moves none. */
static f2l_status check_point_letters(f2l_d1_check *c, f2l_error *err)
{
    const size_t n = c->points, k = c->letters;
    bool *met = f2l_calloc(n, sizeof *met);
    if (!met) return f2l_fail_memory(err);
    bool good = true;
    for (size_t a = 0; good && a <= k; a++) {
        memset(met, 0, n * sizeof *met);
        for (size_t p = 0; good && p < n; p++) {
            const uint32_t to = c->point_moves->value[p * (k + 1) + a];
            good = !met[to] && (a > 0 || to == p);
            met[to] = true;
        }
    }
    f2l_free(met);
    return good ? find_orbits(c, err)
                : f2l_fail(err, F2L_UNKNOWN, "a letter does not permute the points");
}

typedef struct listed {
    const f2l_qvec *vector;
    uint32_t code;
} listed;

static int by_vector(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    return f2l_qvec_compare(x->vector, y->vector);
}

typedef struct stepping {
    f2l_d1_check *c;
    listed *sorted;  /* [codes] sorted by vector */
    uint32_t *value; /* [slots] scratch */
    f2l_qvec state;
} stepping;

/* Returns the code that is equal to the vector, or F2L_D1_UNSET. */
static uint32_t find_stepping_code(const stepping *s, const f2l_qvec *vector)
{
    const listed sought = {vector, 0};
    const listed *found = bsearch(&sought, s->sorted, s->c->codes, sizeof sought, by_vector);
    return found ? found->code : F2L_D1_UNSET;
}

/* Checks that value v of every slot leads from the code to a code whose points are the code's with
 * i and y exchanged. */
static f2l_status check_slot_exchange(stepping *s, uint32_t code, uint32_t i, uint32_t y,
                                      f2l_error *err)
{
    f2l_d1_check *c = s->c;
    const f2l_qvec *vector = c->net->block[c->clock + 1].readout[0].code;
    const uint32_t v = (uint32_t)(1 + i * c->points + y);
    uint32_t to = F2L_D1_UNSET;
    bool same = true;
    for (size_t slot = 0; same && slot < c->slots; slot++) {
        s->value[slot] = v;
        f2l_status status = f2l_task_spend(c->task, "checking exchanges", c->edge_steps, err);
        if (status == F2L_OK)
            status = f2l_exact_step_slots(c->run, &s->state, c->clock + 1, 0, s->value,
                                          &vector[code], err);
        s->value[slot] = 0;
        if (status != F2L_OK) return status;
        const uint32_t found = find_stepping_code(s, &s->state);
        same = found != F2L_D1_UNSET && (slot == 0 || found == to);
        to = found;
    }
    for (size_t x = 0; same && x < c->marks; x++) {
        const uint32_t p = c->place[x]->value[code];
        same = c->place[x]->value[to] == (p == i ? y : p == y ? i : p);
    }
    if (!same)
        return f2l_fail(err, F2L_UNKNOWN, "stage %zu: code %u is not moved as points %u and %u are",
                        c->clock + 2, (unsigned)code + 1, (unsigned)i + 1, (unsigned)y + 1);
    c->edge[code * c->factors + v] = to;
    return F2L_OK;
}

/* Returns whether all slots do nothing for the value. */
static bool does_nothing(const f2l_d1_check *c, size_t value)
{
    const f2l_wired_head *head = &c->net->block[c->clock + 1].head[0];
    for (size_t slot = 0; slot < c->slots; slot++) {
        const f2l_transition *t = &head->head.letter[head->slot_at[slot] + value];
        if (t->factors > 0 || mpq_cmp_ui(t->gate, 1, 1) != 0) return false;
    }
    return true;
}

static f2l_status check_slot_exchanges(stepping *s, f2l_error *err)
{
    f2l_d1_check *c = s->c;
    const size_t n = c->points;
    const f2l_qvec *vector = c->net->block[c->clock + 1].readout[0].code;
    bool idle = does_nothing(c, 0);
    for (size_t i = 0; i + 1 < n; i++) idle = idle && does_nothing(c, 1 + i * n + i);
    if (!idle)
        return f2l_fail(err, F2L_UNKNOWN, "stage %zu: a value without exchange changes the state",
                        c->clock + 2);
    for (size_t i = 0; i < c->codes; i++) s->sorted[i] = (listed){&vector[i], (uint32_t)i};
    for (size_t i = 0; i < c->codes * c->factors; i++) c->edge[i] = F2L_D1_UNSET;
    qsort(s->sorted, c->codes, sizeof *s->sorted, by_vector);
    for (uint32_t code = 0; code < c->codes; code++) {
        c->edge[code * c->factors] = code;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t y = i + 1; y < n; y++) {
                if (c->orbit[i] != c->orbit[y]) continue;
                f2l_status status = check_slot_exchange(s, code, i, y, err);
                if (status != F2L_OK) return status;
            }
    }
    return F2L_OK;
}

/* Appends the row of the state and the points in s->value, unless it is there: *index. */
static f2l_status add_points_row(f2l_d1_check *c, const uint32_t *row, size_t *index,
                                 f2l_error *err)
{
    f2l_status status = f2l_rowset_add(&c->row, row, 1 + c->marks, index, err);
    if (status != F2L_OK || c->row.count <= c->next_capacity) return status;
    const size_t room = 2 * c->next_capacity + 64;
    status = f2l_task_table(c->task, "the lists of points",
                            room * c->letters * sizeof *c->next + f2l_rowset_bytes(&c->row), err);
    if (status != F2L_OK) return status;
    uint32_t *grown = f2l_realloc(c->next, room, c->letters * sizeof *grown);
    if (!grown) return f2l_fail_memory(err);
    c->next = grown;
    c->next_capacity = room;
    return F2L_OK;
}

/* Checks that the points of row i tell the label of its state. */
static f2l_status check_row_label(const f2l_d1_check *c, size_t i, f2l_error *err)
{
    const uint32_t *row = f2l_rowset_get(&c->row, i, NULL);
    uint32_t list = c->list[0]->value[row[1]];
    for (size_t x = 1; x < c->marks; x++) list = c->list[x]->value[list * c->points + row[1 + x]];
    return list == c->label[row[0]]
               ? F2L_OK
               : f2l_fail(err, F2L_UNKNOWN, "the points of state %u tell another label",
                          (unsigned)row[0] + 1);
}

static f2l_status close_rows(f2l_d1_check *c, uint32_t *row, f2l_error *err)
{
    const size_t k = c->letters;
    size_t to;
    f2l_status status = add_points_row(c, row, &to, err);
    for (size_t i = 0; status == F2L_OK && i < c->row.count; i++) {
        status = check_row_label(c, i, err);
        for (size_t a = 0; status == F2L_OK && a < k; a++) {
            const uint32_t *from = f2l_rowset_get(&c->row, i, NULL);
            row[0] = (uint32_t)c->fsa->next[from[0] * k + a];
            for (size_t x = 0; x < c->marks; x++)
                row[1 + x] = c->point_moves->value[from[1 + x] * (k + 1) + 1 + a];
            status = f2l_task_spend(c->task, "checking lists", 10 + c->marks, err);
            if (status == F2L_OK) status = add_points_row(c, row, &to, err);
            if (status == F2L_OK) c->next[i * k + a] = (uint32_t)to;
        }
    }
    return status;
}

/* Checks the rows, from the initial state and the start on. */
static f2l_status check_points_rows(const stepping *s, f2l_error *err)
{
    f2l_d1_check *c = s->c;
    const uint32_t code = find_stepping_code(s, &c->net->stage[c->clock + 1].initial[0]);
    if (code == F2L_D1_UNSET)
        return f2l_fail(err, F2L_UNKNOWN, "stage %zu: the initial state has no code", c->clock + 2);
    uint32_t *row = f2l_calloc(1 + c->marks, sizeof *row);
    if (!row) return f2l_fail_memory(err);
    row[0] = (uint32_t)c->fsa->start;
    for (size_t x = 0; x < c->marks; x++) row[1 + x] = c->place[x]->value[code];
    f2l_status status = close_rows(c, row, err);
    f2l_free(row);
    return status;
}

static f2l_status check_points_steps(f2l_d1_check *c, f2l_error *err)
{
    stepping s = {.c = c};
    size_t edges, bytes;
    c->factors = 1 + c->points * c->points;
    if (!f2l_mul_size(&edges, c->codes, c->factors) ||
        !f2l_mul_size(&bytes, edges, sizeof *c->edge))
        bytes = SIZE_MAX;
    f2l_status status = f2l_task_table(c->task, "the steps of the last layer", bytes, err);
    if (status != F2L_OK) return status;
    c->edge_steps = 100 + 4 * c->slots;
    f2l_qvec_init(&s.state);
    c->edge = f2l_calloc(c->codes, c->factors * sizeof *c->edge);
    s.sorted = f2l_calloc(c->codes, sizeof *s.sorted);
    s.value = f2l_calloc(c->slots, sizeof *s.value);
    status = c->edge && s.sorted && s.value ? check_slot_exchanges(&s, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = check_points_rows(&s, err);
    f2l_qvec_clear(&s.state);
    f2l_free(s.sorted);
    f2l_free(s.value);
    return status;
}

f2l_status f2l_points_check_exact(f2l_d1_check *c, f2l_error *err)
{
    f2l_status status = f2l_reach_init(&c->reach, c->fsa, err);
    if (status != F2L_OK) return status;
    c->states = c->reach.states;
    status = f2l_form_check_labels(c->net, c->fsa, &c->reach, c->label, c->task, err);
    if (status == F2L_OK) status = f2l_points_check_circuits(c, err);
    if (status == F2L_OK) status = f2l_exact_new(&c->run, c->net, err);
    if (status == F2L_OK) status = f2l_d1_check_clock(c, err);
    if (status == F2L_OK) status = f2l_d1_check_ring(c, err);
    if (status == F2L_OK) status = check_point_letters(c, err);
    return status == F2L_OK ? check_points_steps(c, err) : status;
}

static f2l_form_verdict verdict(const f2l_d1_check *c)
{
    return (f2l_form_verdict){F2L_OK, c->clock, c->block, c->points, c->row.count, ""};
}

static f2l_status verify_points(f2l_form_verdict *out, const f2l_net *net, const f2l_fsa *fsa,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const f2l_task *task, f2l_error *err)
{
    static const f2l_d1_kind kind = {f2l_points_check_exact, verdict};
    return f2l_d1_verify(&kind, out, net, fsa, format, schedule, task, err);
}

const f2l_form f2l_form_points = {"theory/pages/d1.md, D1.12", "theory/pages/d1.md, D1.13",
                                  verify_points, f2l_points_certify};
