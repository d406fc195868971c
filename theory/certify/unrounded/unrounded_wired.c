/* Wired networks (theory/pages/unrounded.md, U5, U6 and U10.1). */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <stdio.h>
#include <string.h>

#define MOST_PAIRS 10 /* most pairs touched by one value (U6) */

typedef struct wired_run {
    const f2l_net *net;
    const f2l_unrounded_run *run;
    size_t b, h;
    const f2l_wired_block *block;
    const f2l_wired_head *head;
    f2l_steps steps;
    f2l_step_room room;
    f2l_step_place place;
    f2l_vectors start; /* chunk64: columns of the initial states */
} wired_run;

/* Calls `visit` for the initial state of this head in every stage with the block. */
static f2l_status each_initial(wired_run *w,
                               f2l_status (*visit)(wired_run *, const f2l_qvec *, f2l_error *),
                               f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; l < w->net->stages && status == F2L_OK; l++)
        if (w->net->stage[l].block == w->b) status = visit(w, &w->net->stage[l].initial[w->h], err);
    return status;
}

static f2l_status check_initial(wired_run *w, const f2l_qvec *initial, f2l_error *err)
{
    return f2l_unrounded_state(&w->place, "the initial state", initial, w->head->head.d,
                               w->run->format, err);
}

static f2l_status check_codes(wired_run *w, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t r = 0; r < w->block->readouts; r++) {
        const f2l_wired_readout *readout = &w->block->readout[r];
        if (readout->head != w->h) continue;
        for (size_t c = 0; c < readout->codes && status == F2L_OK; c++) {
            char name[64];
            (void)snprintf(name, sizeof name, "code %zu of readout %zu", c + 1, r + 1);
            status = f2l_unrounded_state(&w->place, name, &readout->code[c], w->head->head.d,
                                         w->run->kept, err);
        }
    }
    return status;
}

static f2l_status step_wired_letter(wired_run *w, size_t letter, size_t j, f2l_error *err)
{
    w->place.letter = letter;
    return f2l_step_column(&w->room, &w->steps, letter, j, w->run, &w->place, err);
}

/* --- one slot (U5) --- */

static f2l_status step_initial(wired_run *w, const f2l_qvec *initial, f2l_error *err)
{
    f2l_vectors columns = {0};
    f2l_status status = f2l_vectors_add_state(&columns, initial, w->steps.d, 0, err);
    for (size_t i = 0; i < columns.count && status == F2L_OK; i++)
        for (size_t a = 0; a < w->steps.letters && status == F2L_OK; a++) {
            f2l_step_room_load(&w->room, &columns.vector[i]);
            status = step_wired_letter(w, a, columns.column[i], err);
        }
    f2l_vectors_clear(&columns);
    return status;
}

/* The columns of the codes of a readout, grouped by column: order[first[j]] .. are of column j. */
typedef struct parts {
    f2l_vectors vectors;
    size_t *first; /* [d + 1] */
    size_t *order; /* [vectors.count] */
} parts;

static void parts_clear(parts *p)
{
    f2l_vectors_clear(&p->vectors);
    f2l_free(p->first);
    f2l_free(p->order);
}

static f2l_status parts_init(parts *p, const f2l_wired_readout *readout, size_t d, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t c = 0; c < readout->codes && status == F2L_OK; c++)
        status = f2l_vectors_add_state(&p->vectors, &readout->code[c], d, readout->row, err);
    if (status != F2L_OK) return status;
    p->first = f2l_calloc(d + 2, sizeof *p->first);
    p->order = f2l_calloc(p->vectors.count, sizeof *p->order);
    if (p->first == NULL || p->order == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < p->vectors.count; i++) p->first[p->vectors.column[i] + 2]++;
    for (size_t j = 2; j < d + 2; j++) p->first[j] += p->first[j - 1];
    for (size_t i = 0; i < p->vectors.count; i++)
        p->order[p->first[p->vectors.column[i] + 1]++] = i;
    return F2L_OK;
}

/* Lists the readouts of the block that the letter touches, in order, and returns their number. */
static size_t touched_readouts(const wired_run *w, const f2l_step_letter *letter, size_t *which)
{
    size_t count = 0, q = 0;
    for (size_t r = 0; r < w->block->readouts; r++) {
        const f2l_wired_readout *readout = &w->block->readout[r];
        if (readout->head != w->h) continue;
        while (q < letter->touched && letter->row[q] < readout->row) q++;
        if (q < letter->touched && letter->row[q] < readout->row + readout->rows)
            which[count++] = r;
    }
    return count;
}

/* Steps column j of the letter, from every combination of the parts of `count` readouts;
 * chosen[count] is scratch. */
static f2l_status step_combinations(wired_run *w, size_t letter, size_t j, const parts *part,
                                    const size_t *which, size_t count, size_t *chosen,
                                    f2l_error *err)
{
    static const f2l_qvec zero = {0};
    const bool idle = f2l_step_keeps_zero(&w->steps.letter[letter], w->steps.d, j);
    for (size_t i = 0; i < count; i++) chosen[i] = 0;
    for (size_t turn = 0;; turn++) {
        if (turn == F2L_UNROUNDED_VECTORS) {
            w->place.letter = letter;
            return f2l_unrounded_stop(&w->place,
                                      "the codes of the readouts it touches have too many "
                                      "combinations",
                                      err);
        }
        bool empty = true;
        f2l_step_room_load(&w->room, &zero);
        for (size_t i = 0; i < count; i++) {
            const parts *p = &part[which[i]];
            const f2l_qvec *v = &p->vectors.vector[p->order[p->first[j] + chosen[i]]];
            for (size_t k = 0; k < v->count; k++) mpq_set(w->room.s[v->index[k]], v->value[k]);
            empty = empty && v->count == 0;
        }
        f2l_status status = empty && idle ? F2L_OK : step_wired_letter(w, letter, j, err);
        if (status != F2L_OK) return status;
        size_t i = 0;
        while (i < count && ++chosen[i] == part[which[i]].first[j + 1] - part[which[i]].first[j])
            chosen[i++] = 0;
        if (i == count) return F2L_OK;
    }
}

/* Returns the steps of the effort for a letter: its factors, and whole columns that are filled and
 * compared. */
static uint64_t steps_of_wired_letter(const f2l_steps *steps, size_t letter)
{
    return 40 + (20 * steps->letter[letter].factors + 2 * steps->n) * steps->d;
}

static f2l_status step_part_letters(wired_run *w, const parts *part, size_t *which, size_t *chosen,
                                    f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < w->steps.letters && status == F2L_OK; a++) {
        const size_t count = touched_readouts(w, &w->steps.letter[a], which);
        for (size_t j = 0; j < w->steps.d && status == F2L_OK; j++)
            status = step_combinations(w, a, j, part, which, count, chosen, err);
        if (status == F2L_OK)
            status =
                f2l_task_spend(w->run->task, "steps", steps_of_wired_letter(&w->steps, a), err);
        if (status == F2L_OK)
            status = f2l_task_poll(w->run->task, "steps", (double)a, (double)w->steps.letters, err);
    }
    return status;
}

static f2l_status one_slot(wired_run *w, f2l_error *err)
{
    const size_t readouts = w->block->readouts;
    parts *part = f2l_calloc(readouts, sizeof *part);
    size_t *which = f2l_calloc(readouts, sizeof *which),
           *chosen = f2l_calloc(readouts, sizeof *chosen);
    f2l_status status = F2L_OK;
    if (part == NULL || which == NULL || chosen == NULL) status = f2l_fail_memory(err);
    for (size_t r = 0; r < readouts && status == F2L_OK; r++)
        if (w->block->readout[r].head == w->h)
            status = parts_init(&part[r], &w->block->readout[r], w->steps.d, err);
    if (status == F2L_OK) status = step_part_letters(w, part, which, chosen, err);
    if (status == F2L_OK) status = each_initial(w, step_initial, err);
    for (size_t r = 0; part != NULL && r < readouts; r++) parts_clear(&part[r]);
    f2l_free(part);
    f2l_free(which);
    f2l_free(chosen);
    return status;
}

/* --- several slots (U6) --- */

static const char not_paired[] = "it has several slots and is not one of pairs of equal bits";

static bool is_paired_bits(const f2l_step_room *room)
{
    for (size_t i = 0; i + 1 < room->n; i += 2)
        if (mpq_equal(room->s[i], room->s[i + 1]) == 0 ||
            (mpq_sgn(room->s[i]) != 0 && mpq_cmp_ui(room->s[i], 1, 1) != 0))
            return false;
    return true;
}

static f2l_status paired_initial(wired_run *w, const f2l_qvec *initial, f2l_error *err)
{
    f2l_step_room_load(&w->room, initial);
    return is_paired_bits(&w->room) ? F2L_OK : f2l_unrounded_stop(&w->place, not_paired, err);
}

/* Returns the number of pairs with a touched row; MOST_PAIRS + 1 when there are more. */
static size_t touched_pairs(const f2l_step_letter *letter, size_t pair[MOST_PAIRS])
{
    size_t count = 0;
    for (size_t q = 0; q < letter->touched; q++) {
        const size_t x = letter->row[q] / 2;
        if (count > 0 && pair[count - 1] == x) continue;
        if (count == MOST_PAIRS) return MOST_PAIRS + 1;
        pair[count++] = x;
    }
    return count;
}

static f2l_status step_pairs(wired_run *w, size_t letter, f2l_error *err)
{
    static const f2l_qvec zero = {0};
    size_t pair[MOST_PAIRS];
    const size_t count = touched_pairs(&w->steps.letter[letter], pair);
    w->place.letter = letter;
    if (count > MOST_PAIRS)
        return f2l_unrounded_stop(&w->place, "it touches more than 10 pairs of rows", err);
    for (size_t bits = 0; bits >> count == 0; bits++) {
        f2l_step_room_load(&w->room, &zero);
        for (size_t i = 0; i < count; i++)
            if ((bits >> i & 1) != 0) {
                mpq_set_ui(w->room.s[2 * pair[i]], 1, 1);
                mpq_set_ui(w->room.s[2 * pair[i] + 1], 1, 1);
            }
        f2l_status status = step_wired_letter(w, letter, 0, err);
        if (status != F2L_OK) return status;
        if (!is_paired_bits(&w->room)) return f2l_unrounded_stop(&w->place, not_paired, err);
    }
    return F2L_OK;
}

static f2l_status several_slots(wired_run *w, f2l_error *err)
{
    if (w->steps.d != 1 || w->steps.n % 2 != 0)
        return f2l_unrounded_stop(&w->place, not_paired, err);
    f2l_status status = each_initial(w, paired_initial, err);
    for (size_t a = 0; a < w->steps.letters && status == F2L_OK; a++) {
        status = step_pairs(w, a, err);
        if (status == F2L_OK)
            status =
                f2l_task_spend(w->run->task, "steps", steps_of_wired_letter(&w->steps, a), err);
        if (status == F2L_OK)
            status = f2l_task_poll(w->run->task, "steps", (double)a, (double)w->steps.letters, err);
    }
    return status;
}

/* --- chunk64 (U10.1) --- */

static f2l_status add_initial(wired_run *w, const f2l_qvec *initial, f2l_error *err)
{
    return f2l_vectors_add_state(&w->start, initial, w->steps.d, 0, err);
}

/* Bounds every number of chunk64. The sets are for no certificate: lrnn-check has no claim of
 * chunk64 in a wired network. */
static f2l_status bound_chunks(wired_run *w, f2l_error *err)
{
    f2l_unrounded dropped = {.sets = 1, .set = f2l_calloc(1, sizeof *dropped.set)};
    dropped.bound = f2l_calloc(F2L_UNROUNDED_WHATS, sizeof *dropped.bound);
    f2l_status status = F2L_OK;
    if (dropped.set == NULL || dropped.bound == NULL) status = f2l_fail_memory(err);
    if (dropped.set == NULL) dropped.sets = 0;
    if (status == F2L_OK) status = each_initial(w, add_initial, err);
    if (status == F2L_OK)
        status =
            f2l_unrounded_chunk_head(&dropped, 0, &w->steps, &w->start, w->run, &w->place, err);
    f2l_vectors_clear(&w->start);
    f2l_unrounded_clear(&dropped);
    return status;
}

static f2l_status find_wired_head(wired_run *w, f2l_error *err)
{
    f2l_status status = f2l_steps_init(&w->steps, &w->head->head, w->head->slot_at[w->head->slots],
                                       w->run, &w->place, err);
    if (status == F2L_OK) status = each_initial(w, check_initial, err);
    if (status == F2L_OK) status = check_codes(w, err);
    if (status == F2L_OK) status = f2l_step_room_init(&w->room, w->steps.n, err);
    if (status == F2L_OK && w->run->schedule->exact_matrices)
        status = f2l_step_matrices(&w->room, &w->steps, w->run, &w->place, err);
    if (status == F2L_OK && !f2l_schedule_steps(w->run->schedule))
        status = bound_chunks(w, err);
    else if (status == F2L_OK)
        status = w->head->slots == 1 ? one_slot(w, err) : several_slots(w, err);
    f2l_step_room_clear(&w->room);
    f2l_steps_clear(&w->steps);
    return status;
}

bool f2l_unrounded_treats(const f2l_net *net, const f2l_schedule *schedule)
{
    return net->blocks == 0 || f2l_schedule_is_usual(schedule);
}

f2l_status f2l_unrounded_wired(const f2l_net *net, const f2l_unrounded_run *run, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (!f2l_unrounded_treats(net, run->schedule))
        return f2l_fail(err, F2L_UNKNOWN, "%s is not treated for wired networks",
                        run->schedule->name);
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t h = 0; h < net->block[b].heads && status == F2L_OK; h++) {
            const f2l_wired_head *head = &net->block[b].head[h];
            wired_run w = {
                .net = net, .run = run, .b = b, .h = h, .block = &net->block[b], .head = head};
            w.place = (f2l_step_place){
                .part = "block", .index = b, .head = h, .letter = F2L_NO_INDEX, .wired = head};
            status = f2l_task_poll(run->task, "blocks", (double)b, (double)net->blocks, err);
            if (status == F2L_OK) status = find_wired_head(&w, err);
        }
    return status;
}
