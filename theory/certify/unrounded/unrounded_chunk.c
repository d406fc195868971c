/* chunk64: sets closed under the letters, and the numbers that occur in their runs
 * (theory/pages/unrounded.md, U7, U8). */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"

/* The most vectors of one kind in a wired head, whose values reach many more than its words do. */
#define WIRED_VECTORS ((size_t)1 << 14)

typedef struct closing {
    const f2l_steps *steps;
    const f2l_unrounded_run *run;
    f2l_step_place *place;
    f2l_vectors *columns, images, back;
    f2l_step_room room;
    f2l_chunk_integers integers;
    f2l_unrounded_numbers numbers;
} closing;

static void meet_entries(f2l_range *r, const f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) f2l_range_meet(r, v->value[i]);
}

static void meet_all(f2l_range *r, const f2l_step_room *room)
{
    for (size_t i = 0; i < room->n; i++) f2l_range_meet(r, room->s[i]);
}

/* Returns whether the ranges still fit. Ranges only grow, so a set need not be finished once one
 * does not fit: f2l_unrounded_list will report it. */
static bool in_reach(const closing *c, const f2l_range *r)
{
    return r == NULL || (!r->odd && f2l_range_fits(c->run->format, r));
}

/* Adds the numbers that need no runs to the ranges. */
static f2l_status meet_weights(closing *c, f2l_error *err)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_ui(x, 1, 1);
    f2l_range_meet(&c->numbers.of[F2L_RANGE_INVERSE], x);
    const char *fault = NULL;
    const size_t slots = c->place->wired == NULL ? 1 : c->place->wired->slots;
    for (size_t a = 0; a < c->steps->letters && fault == NULL; a++) {
        const f2l_step_letter *letter = &c->steps->letter[a];
        c->place->letter = a;
        if (mpq_cmp_ui(letter->source->gate, 1, 1) != 0) fault = "chunk64 is without gates";
        if (letter->source->bias.count > 0) fault = "chunk64 is without biases";
        if (slots * letter->factors > c->numbers.factors)
            c->numbers.factors = slots * letter->factors;
        for (size_t m = 0; m < letter->factors; m++) {
            const f2l_step_factor *factor = &letter->factor[m];
            meet_entries(&c->numbers.of[F2L_RANGE_KEY], &factor->k);
            f2l_range_meet(&c->numbers.of[F2L_RANGE_BETA], factor->beta);
            meet_entries(&c->numbers.of[F2L_RANGE_VALUE], &factor->v);
            for (size_t i = 0; i < factor->k.count; i++) {
                mpq_mul(x, factor->beta, factor->k.value[i]);
                f2l_range_meet(&c->numbers.of[F2L_RANGE_BETA_KEY], x);
            }
            for (size_t i = 0; i < factor->v.count; i++) {
                mpq_mul(x, factor->beta, factor->v.value[i]);
                f2l_range_meet(&c->numbers.of[F2L_RANGE_BETA_VALUE], x);
            }
            f2l_qvec_norm2(x, &factor->k);
            if (mpq_cmp(x, c->numbers.gram) > 0) mpq_set(c->numbers.gram, x);
        }
    }
    mpq_clear(x);
    return fault == NULL ? F2L_OK : f2l_unrounded_stop(c->place, fault, err);
}

/* Applies one factor to the vector in room->s; v NULL: it writes nothing. The value of beta (k . x
 * - v) enters `product`, new coordinates enter `vectors`; each may be NULL. */
static void turn_vector(closing *c, const f2l_step_factor *factor, mpq_srcptr v, f2l_range *product,
                        f2l_range *vectors)
{
    f2l_step_room *room = &c->room;
    mpq_set_ui(room->r, 0, 1);
    for (size_t q = 0; q < factor->k.count; q++) {
        if (mpq_sgn(room->s[factor->k.index[q]]) == 0) continue;
        mpq_mul(room->t, factor->k.value[q], room->s[factor->k.index[q]]);
        mpq_add(room->r, room->r, room->t);
    }
    if (v != NULL) mpq_sub(room->r, room->r, v);
    if (mpq_sgn(room->r) == 0) return;
    mpq_mul(room->r, room->r, factor->beta);
    if (product != NULL) f2l_range_meet(product, room->r);
    for (size_t q = 0; q < factor->k.count; q++) {
        mpq_t *s = &room->s[factor->k.index[q]];
        mpq_mul(room->t, factor->k.value[q], room->r);
        mpq_sub(*s, *s, room->t);
        if (vectors != NULL) f2l_range_meet(vectors, *s);
    }
}

static mpq_srcptr value_of_column(const f2l_step_factor *factor, size_t j)
{
    for (size_t i = 0; i < factor->v.count; i++)
        if (factor->v.index[i] == j) return factor->v.value[i];
    return NULL;
}

static bool room_is_zero(const f2l_step_room *room)
{
    for (size_t i = 0; i < room->n; i++)
        if (mpq_sgn(room->s[i]) != 0) return false;
    return true;
}

/* Adds the room's vector to the set. */
static f2l_status keep_vector(closing *c, const f2l_chunk_kind *kind, uint32_t column,
                              f2l_error *err)
{
    if (!kind->zero && room_is_zero(&c->room)) return F2L_OK;
    return f2l_vectors_add_dense(kind->found, &c->room, column, err);
}

/* Runs from the room's vector through factors q, q + 1, .. of a letter, or backward through q - 1,
 * .., 0. */
static f2l_status run_through_factors(closing *c, const f2l_chunk_kind *kind, size_t a, size_t q,
                                      uint32_t column, f2l_error *err)
{
    const f2l_step_letter *letter = &c->steps->letter[a];
    const size_t last = kind->back ? q : letter->factors;
    for (size_t m = kind->back ? 0 : q; m < last; m++) {
        const f2l_step_factor *factor = &letter->factor[kind->back ? last - 1 - m : m];
        turn_vector(c, factor, kind->writes ? value_of_column(factor, column) : NULL, kind->product,
                    kind->vectors);
    }
    return keep_vector(c, kind, column, err);
}

/* Runs a whole letter on vector i of the set: in integers if they suffice, otherwise in
 * rationals. */
static f2l_status run_letter(closing *c, const f2l_chunk_kind *kind, bool in_integers, size_t a,
                             size_t i, f2l_error *err)
{
    const uint32_t column = kind->found->column[i];
    const size_t count = kind->found->count;
    if (!in_integers || !f2l_chunk_integers_run(&c->integers, kind, a, column)) {
        f2l_step_room_load(&c->room, &kind->found->vector[i]);
        return run_through_factors(c, kind, a, kind->back ? c->steps->letter[a].factors : 0, column,
                                   err);
    }
    if (f2l_chunk_integers_known(&c->integers, kind, column)) return F2L_OK;
    f2l_chunk_integers_store(&c->room, &c->integers);
    f2l_status status = keep_vector(c, kind, column, err);
    if (kind->found->count > count) f2l_chunk_integers_note(&c->integers, kind, column);
    return status;
}

/* Polls every 256 vectors; `at` of the vectors found are done. */
static f2l_status poll_closing(const closing *c, const f2l_chunk_kind *kind, size_t at,
                               f2l_error *err)
{
    if (at % 256 != 255) return F2L_OK;
    const size_t entries = c->columns->entries + c->images.entries + c->back.entries;
    const size_t vectors = c->columns->count + c->images.count + c->back.count;
    f2l_status status =
        f2l_task_table(c->run->task, kind->phase, entries * 52 + vectors * 128, err);
    if (status == F2L_OK)
        status =
            f2l_task_poll(c->run->task, kind->phase, (double)at, (double)kind->found->count, err);
    return status;
}

/* Runs all letters on all vectors of the set, which grows until they lead to no others. */
static f2l_status close_set(closing *c, const f2l_chunk_kind *kind, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_chunk_integers_begin(&c->integers, kind);
    const bool wired = c->place->wired != NULL;
    for (size_t i = 0; i < kind->found->count && status == F2L_OK && in_reach(c, kind->product) &&
                       in_reach(c, kind->vectors);
         i++) {
        const f2l_qvec *vector = &kind->found->vector[i];
        const bool in_integers = f2l_chunk_integers_load(&c->integers, vector);
        if (kind->vectors != NULL) meet_entries(kind->vectors, vector);
        for (size_t a = 0; a < c->steps->letters && status == F2L_OK; a++)
            status = run_letter(c, kind, in_integers, a, i, err);
        if (status == F2L_OK && wired && kind->found->count > WIRED_VECTORS)
            status = f2l_unrounded_stop(c->place, "chunk64 meets more than 2^14 vectors", err);
        if (status == F2L_OK) status = poll_closing(c, kind, i, err);
    }
    return status;
}

static f2l_status close_columns(closing *c, f2l_error *err)
{
    static const f2l_qvec zero = {0};
    const f2l_chunk_kind kind = {.phase = "columns",
                                 .found = c->columns,
                                 .product = &c->numbers.of[F2L_RANGE_NEW],
                                 .vectors = &c->numbers.of[F2L_RANGE_STATE],
                                 .writes = true,
                                 .zero = true};
    f2l_status status = F2L_OK;
    for (size_t j = 0; j < c->steps->d && status == F2L_OK; j++)
        status = f2l_vectors_add(c->columns, &zero, (uint32_t)j, err);
    for (size_t j = 0; j < c->steps->d; j++)
        for (size_t a = 0; a < c->steps->letters && status == F2L_OK; a++) {
            if (f2l_step_keeps_zero(&c->steps->letter[a], c->steps->d, j)) continue;
            for (size_t q = 1; q < c->steps->letter[a].factors && status == F2L_OK; q++) {
                f2l_step_room_load(&c->room, &zero);
                status = run_through_factors(c, &kind, a, q, (uint32_t)j, err);
            }
        }
    return status == F2L_OK ? close_set(c, &kind, err) : status;
}

static f2l_status close_images(closing *c, f2l_error *err)
{
    const f2l_chunk_kind kind = {.phase = "images of keys",
                                 .found = &c->images,
                                 .product = &c->numbers.of[F2L_RANGE_INVERSE]};
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < c->steps->letters; a++)
        for (size_t q = 0; q < c->steps->letter[a].factors && status == F2L_OK; q++) {
            f2l_step_room_load(&c->room, &c->steps->letter[a].factor[q].k);
            status = run_through_factors(c, &kind, a, q + 1, 0, err);
        }
    return status == F2L_OK ? close_set(c, &kind, err) : status;
}

static f2l_status close_back(closing *c, f2l_error *err)
{
    const f2l_chunk_kind kind = {.phase = "images of keys, backward",
                                 .found = &c->back,
                                 .vectors = &c->numbers.of[F2L_RANGE_W],
                                 .back = true};
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < c->steps->letters; a++)
        for (size_t q = 0; q < c->steps->letter[a].factors && status == F2L_OK; q++) {
            const f2l_step_factor *factor = &c->steps->letter[a].factor[q];
            f2l_step_room_load(&c->room, &factor->k);
            for (size_t i = 0; i < c->room.n; i++)
                mpq_mul(c->room.s[i], c->room.s[i], factor->beta);
            meet_all(kind.vectors, &c->room);
            status = run_through_factors(c, &kind, a, q, 0, err);
        }
    return status == F2L_OK ? close_set(c, &kind, err) : status;
}

/* --- the set of the certificate --- */

static bool by_column(const f2l_vectors *v, uint32_t *order, size_t d)
{
    size_t *first = f2l_calloc(d + 1, sizeof *first);
    if (first == NULL) return false;
    for (size_t i = 0; i < v->count; i++) first[v->column[i] + 1]++;
    for (size_t j = 1; j <= d; j++) first[j] += first[j - 1];
    for (size_t i = 0; i < v->count; i++) order[first[v->column[i]]++] = (uint32_t)i;
    f2l_free(first);
    return true;
}

static void move_vector(f2l_unrounded_set *to, f2l_qvec *from, uint32_t column)
{
    to->vector[to->count] = *from;
    to->column[to->count++] = column;
    f2l_qvec_init(from);
}

static f2l_status move_sets(f2l_unrounded_set *to, closing *c, f2l_error *err)
{
    const size_t count = c->columns->count + c->images.count + c->back.count;
    to->layer = c->place->index;
    to->head = c->place->head;
    to->vector = f2l_calloc(count, sizeof *to->vector);
    to->column = f2l_calloc(count, sizeof *to->column);
    uint32_t *order = f2l_calloc(c->columns->count, sizeof *order);
    const bool made = to->vector != NULL && to->column != NULL && order != NULL &&
                      by_column(c->columns, order, c->steps->d);
    if (made) {
        for (size_t i = 0; i < c->columns->count; i++)
            move_vector(to, &c->columns->vector[order[i]], c->columns->column[order[i]]);
        for (size_t i = 0; i < c->images.count; i++)
            move_vector(to, &c->images.vector[i], F2L_UNROUNDED_IMAGE);
        for (size_t i = 0; i < c->back.count; i++)
            move_vector(to, &c->back.vector[i], F2L_UNROUNDED_BACK);
    }
    f2l_free(order);
    return made ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_unrounded_chunk_head(f2l_unrounded *out, size_t at, const f2l_steps *steps,
                                    f2l_vectors *start, const f2l_unrounded_run *run,
                                    f2l_step_place *place, f2l_error *err)
{
    closing c = {
        .steps = steps, .run = run, .place = place, .columns = start, .numbers.n = steps->n};
    for (size_t i = 0; i < F2L_RANGES; i++) mpq_init(c.numbers.of[i].most);
    mpq_init(c.numbers.gram);
    f2l_chunk_integers_init(&c.integers, steps, start);
    f2l_status status = f2l_step_room_init(&c.room, steps->n, err);
    if (status == F2L_OK) status = meet_weights(&c, err);
    place->letter = F2L_NO_INDEX;
    if (status == F2L_OK) status = close_columns(&c, err);
    if (status == F2L_OK) status = close_images(&c, err);
    if (status == F2L_OK) status = close_back(&c, err);
    if (status == F2L_OK) status = f2l_unrounded_list(out, &c.numbers, run, place, err);
    if (status == F2L_OK) status = move_sets(&out->set[at], &c, err);
    f2l_vectors_clear(&c.images);
    f2l_vectors_clear(&c.back);
    f2l_step_room_clear(&c.room);
    f2l_chunk_integers_clear(&c.integers);
    for (size_t i = 0; i < F2L_RANGES; i++) mpq_clear(c.numbers.of[i].most);
    mpq_clear(c.numbers.gram);
    return status;
}
