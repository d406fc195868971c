/* The network of D1.12: the points that tell the state, the codes, and the network itself. */
#include "numeric/base/mem.h"
#include "theory/construct/d1/points.h"
#include <string.h>

#define MOST_LISTED ((size_t)1 << 26) /* numbers of all codes, or of all lists */

/* Returns the colour that most points of the orbit have. */
static uint32_t common_colour(const f2l_gset *set, size_t orbit)
{
    uint32_t best = 0;
    size_t most = 0;
    for (size_t p = set->orbit[orbit]; p < set->orbit[orbit + 1]; p++) {
        size_t count = 0;
        for (size_t q = set->orbit[orbit]; q < set->orbit[orbit + 1]; q++)
            count += set->code[q] == set->code[p];
        if (count > most) {
            most = count;
            best = set->code[p];
        }
    }
    return best;
}

/* Marks the points whose colour is not the common one of their orbit: their images tell the row,
 * and the row tells the state (T3.2). */
static f2l_status choose_marks(f2l_d1_points *p, f2l_error *err)
{
    const f2l_gset *set = p->d.set;
    f2l_d1_marks *m = &p->marks;
    m->first = f2l_calloc(set->points, sizeof *m->first);
    m->scratch = f2l_calloc(set->points, sizeof *m->scratch);
    m->coloured = *set;
    m->coloured.code = f2l_calloc(set->points, sizeof *m->coloured.code);
    if (!m->first || !m->scratch || !m->coloured.code) return f2l_fail_memory(err);
    for (size_t o = 0; o < set->orbits; o++) {
        const uint32_t common = common_colour(set, o);
        for (size_t x = set->orbit[o]; x < set->orbit[o + 1]; x++)
            if (set->code[x] != common) {
                m->first[m->count++] = (uint32_t)x;
                m->coloured.code[x] = (uint32_t)m->count;
            }
    }
    m->coloured.colours = m->count + 1;
    p->d.set = &m->coloured;
    return m->count > 0 ? F2L_OK
                        : f2l_fail(err, F2L_EDOMAIN, "the representation tells no states apart");
}

static f2l_status check_codes_room(const f2l_d1_points *p, size_t items, size_t each,
                                   f2l_error *err)
{
    if (items <= MOST_LISTED / each) return f2l_task_poll(p->d.task, "listing codes", 0, 0, err);
    return f2l_fail(err, F2L_UNKNOWN, "the last head has too many states: over %zu", items);
}

/* Lists all rearrangements of the colours in their orbits. */
static f2l_status list_codes(f2l_d1_points *p, f2l_error *err)
{
    f2l_d1 *d = &p->d;
    const size_t n = d->points;
    f2l_rowset *rows = &d->rows.row;
    size_t index;
    f2l_status status = f2l_rowset_add(rows, d->set->code, n, &index, err);
    for (size_t i = 0; status == F2L_OK && i < rows->count; i++) {
        status = check_codes_room(p, rows->count, n * n, err);
        if (status == F2L_OK)
            status = f2l_task_spend(d->task, "listing codes", n * n * n / 4 + 10, err);
        for (size_t o = 0; status == F2L_OK && o < d->set->orbits; o++)
            for (size_t x = d->set->orbit[o]; x < d->set->orbit[o + 1]; x++)
                for (size_t y = x + 1; status == F2L_OK && y < d->set->orbit[o + 1]; y++) {
                    memcpy(d->product, f2l_rowset_get(rows, i, NULL), n * sizeof *d->product);
                    const uint32_t kept = d->product[x];
                    if (kept == d->product[y]) continue;
                    d->product[x] = d->product[y];
                    d->product[y] = kept;
                    status = f2l_rowset_add(rows, d->product, n, &index, err);
                }
    }
    return status;
}

static f2l_status find_mark_places(f2l_d1_points *p, f2l_error *err)
{
    const f2l_rowset *rows = &p->d.rows.row;
    f2l_d1_marks *m = &p->marks;
    m->place = f2l_calloc(rows->count, m->count * sizeof *m->place);
    if (!m->place) return f2l_fail_memory(err);
    for (size_t i = 0; i < rows->count; i++) {
        const uint32_t *row = f2l_rowset_get(rows, i, NULL);
        for (size_t x = 0; x < p->d.points; x++)
            if (row[x]) m->place[i * m->count + row[x] - 1] = (uint32_t)x;
    }
    return F2L_OK;
}

/* Adds the list in marks.scratch, and its beginnings. */
static f2l_status add_list(f2l_d1_points *p, size_t *index, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < p->marks.count; x++)
        status = f2l_rowset_add(&p->marks.prefix[x], p->marks.scratch, x + 1, index, err);
    return status;
}

/* Returns the number of the label of a state. */
static uint32_t label_number_of(const f2l_d1 *d, size_t state)
{
    const char *text = f2l_fsa_label(d->fsa, d->net->label, state);
    return (uint32_t)f2l_names_find(&d->net->labels, text, strlen(text));
}

/* Lists what words do to the marks, and the state of each list: state[room]. */
static f2l_status list_words(f2l_d1_points *p, uint32_t *state, size_t room, f2l_error *err)
{
    const f2l_d1 *d = &p->d;
    const size_t m = p->marks.count, k = d->letters;
    const f2l_rowset *lists = &p->marks.prefix[m - 1];
    size_t to;
    memcpy(p->marks.scratch, p->marks.first, m * sizeof *p->marks.scratch);
    f2l_status status = add_list(p, &to, err);
    state[0] = (uint32_t)d->fsa->start;
    for (size_t i = 0; status == F2L_OK && i < lists->count; i++)
        for (size_t a = 0; status == F2L_OK && a < k; a++) {
            const size_t before = lists->count;
            const uint32_t *list = f2l_rowset_get(lists, i, NULL);
            const uint32_t next = (uint32_t)d->fsa->next[state[i] * k + a];
            for (size_t x = 0; x < m; x++)
                p->marks.scratch[x] = d->set->image[a * d->points + list[x]];
            status = f2l_task_spend(d->task, "listing codes", 10 + m * m, err);
            if (status == F2L_OK) status = add_list(p, &to, err);
            if (status != F2L_OK) return status;
            if (to == before && to == room)
                return f2l_fail(err, F2L_UNKNOWN, "the marks have over %zu lists", room);
            if (to == before) state[to] = next;
            if (state[to] != next)
                return f2l_fail(err, F2L_EDOMAIN,
                                "the representation does not tell the states apart");
        }
    return status;
}

f2l_status f2l_d1_marks_find(f2l_d1_points *p, f2l_error *err)
{
    f2l_status status = choose_marks(p, err);
    if (status == F2L_OK) status = list_codes(p, err);
    if (status == F2L_OK) status = find_mark_places(p, err);
    if (status != F2L_OK) return status;
    /* Words rearrange the marks in their orbits, as codes do. */
    const size_t room = p->d.rows.row.count;
    p->marks.prefix = f2l_calloc(p->marks.count, sizeof *p->marks.prefix);
    p->marks.label = f2l_calloc(room, sizeof *p->marks.label);
    if (!p->marks.prefix || !p->marks.label) return f2l_fail_memory(err);
    return list_words(p, p->marks.label, room, err);
}

void f2l_d1_marks_clear(f2l_d1_points *p)
{
    f2l_d1_marks *m = &p->marks;
    for (size_t x = 0; m->prefix && x < m->count; x++) f2l_rowset_clear(&m->prefix[x]);
    f2l_free(m->prefix);
    f2l_free(m->first);
    f2l_free(m->scratch);
    f2l_free(m->coloured.code);
    f2l_free(m->place);
    f2l_free(m->label);
}

/* Chooses the fewest layers, then the shortest blocks. */
static f2l_status plan_points_clock(f2l_d1 *d, f2l_error *err)
{
    const size_t needed = (d->points - 2) / d->householders + 1;
    f2l_status status = F2L_EDOMAIN;
    for (size_t layers = 1; status == F2L_EDOMAIN && layers <= F2L_D1_CLOCK_LAYERS; layers++)
        status =
            f2l_d1_choose_clock(&d->clock, layers, d->householders, 2 * needed, 2 * needed, err);
    if (status == F2L_EDOMAIN)
        return f2l_fail(err, F2L_UNKNOWN, "%zu points need longer blocks than there are clocks for",
                        d->points);
    if (status == F2L_OK) d->block = f2l_d1_period(&d->clock, d->clock.layers) / 2;
    return status;
}

/* Returns the number of tables: the constant and one count per clock layer; pair, two masks; a
 * first image of every point, letters; of every moved point what it does to others, what comes
 * later and what comes now; their union; slots; 2 B masks; places, exchanges, lists. */
static size_t points_tables_of(const f2l_d1_points *p)
{
    const f2l_d1 *d = &p->d;
    const size_t n = d->points, several = n - 1 > d->householders;
    return 1 + d->clock.layers + 3 + n + 1 + 3 * (n - 1) + several + d->householders +
           2 * d->block + 2 * p->marks.count + n - 1;
}

static void fill_points_report(const f2l_d1_points *p, f2l_d1_report *report)
{
    const f2l_d1 *d = &p->d;
    f2l_net_size size;
    f2l_net_measure(&size, d->net);
    report->layers = size.layers;
    report->clock_layers = d->clock.layers;
    report->block = d->block;
    report->points = d->points;
    report->transpositions = d->points - 1;
    report->householders = size.householders;
    report->codes = d->rows.row.count;
    report->by_points = true;
    memcpy(report->representation, d->set->origin, sizeof report->representation);
}

static f2l_status build_points_network(f2l_d1_points *p, f2l_d1_report *report, f2l_error *err)
{
    f2l_d1 *d = &p->d;
    f2l_status status = plan_points_clock(d, err);
    if (status == F2L_OK) status = f2l_d1_marks_find(p, err);
    if (status == F2L_OK) status = f2l_d1_begin(d, points_tables_of(p), err);
    for (size_t i = 0; status == F2L_OK && i < p->marks.prefix[p->marks.count - 1].count; i++)
        p->marks.label[i] = label_number_of(d, p->marks.label[i]); /* it was the state */
    if (status == F2L_OK) status = f2l_d1_put_point_ring(p, err);
    if (status == F2L_OK) status = f2l_d1_put_point_apply(p, report->keys, err);
    if (status == F2L_OK) status = f2l_d1_put_stages(d, err);
    if (status == F2L_OK) fill_points_report(p, report);
    return status;
}

f2l_status f2l_d1_build_points(f2l_net *out, f2l_d1_report *report, const f2l_fsa *fsa,
                               f2l_label label, const f2l_gset *set, size_t householders,
                               const f2l_task *task, f2l_error *err)
{
    f2l_d1_points p = {
        .d = {.net = out, .fsa = fsa, .set = set, .task = task, .householders = householders},
        .letter_table = F2L_D1_NONE};
    f2l_status status = f2l_d1_open(&p.d, report, label, err);
    if (status == F2L_OK && householders >= set->points)
        status = f2l_fail(err, F2L_EDOMAIN, "%zu points need no blocks", set->points);
    if (status == F2L_OK) status = build_points_network(&p, report, err);
    if (status != F2L_OK) f2l_net_clear(out);
    f2l_reach_clear(&p.d.reach);
    f2l_d1_rows_clear(&p.d.rows);
    f2l_d1_marks_clear(&p);
    f2l_free(p.d.product);
    return status;
}
