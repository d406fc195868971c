/* The gates of a point form (theory/pages/d1.md, D1.12), checked entry by entry where their values
 * have a meaning. Wires and values count from 0 here. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/walk.h"
#include <assert.h>

/* Returns the place in a block of the exchange of point i: the last point but one comes first. */
static size_t turn_of(const f2l_d1_check *c, size_t i)
{
    return c->points - 2 - i;
}

/* Expected entry for (point, letter): as in the second gate of the first chain. */
static uint32_t as_moved(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)x;
    return c->point_moves->value[in[0] * (c->letters + 1) + in[1]];
}

/* Expected entry for (letter) of the point x. */
static uint32_t as_moved_first(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    return c->point_moves->value[x * (c->letters + 1) + in[0]];
}

/* Expected entry for (image of a point, image of x). */
static uint32_t expect_sent_home(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)c;
    return in[0] == x ? in[1] : in[0];
}

/* Expected entries for (count, image of x). */
static uint32_t comes_later(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    return turn_of(c, x) / c->slots > in[0] % c->block ? 1 + in[1] : 0;
}

static uint32_t expect_coming_now(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    return turn_of(c, x) / c->slots == in[0] % c->block ? 1 + in[1] : 0;
}

static uint32_t expect_first_of_two(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)c, (void)x;
    return in[0] ? in[0] : in[1];
}

/* Expected entry for (count, 1 + image), of slot x. */
static uint32_t expect_slot_exchange(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    const size_t turn = in[0] % c->block * c->slots + x;
    if (in[1] == 0 || turn + 1 >= c->points) return 0;
    return (uint32_t)((c->points - 2 - turn) * c->points + in[1]);
}

/* Expected entry for (point, 1 + what x is exchanged with). */
static uint32_t expect_exchanged_point(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)c;
    if (in[1] == 0) return in[0];
    if (in[0] == x) return in[1] - 1;
    return in[0] + 1 == in[1] ? (uint32_t)x : in[0];
}

/* Checks the images of all points, whose wires are image[points]. */
static f2l_status check_image_gates(f2l_walk *w, f2l_d1_check *c, uint32_t old, uint32_t **image,
                                    f2l_error *err)
{
    const size_t slots = 2 * c->block, values = c->letters + 1;
    if (w->at + 1 >= w->gates) return f2l_walk_wrong_block(w->number, "it has too few gates", err);
    c->point_moves = &c->net->table[w->gate[w->at + 1].table];
    const size_t n = c->points = c->point_moves->values;
    if (c->point_moves->inputs != 2 || c->point_moves->size[0] != n ||
        c->point_moves->size[1] != values || n < 2 || c->block * c->slots + 1 < n)
        return f2l_walk_wrong_block(w->number, "it does not move points in time", err);
    *image = f2l_calloc(n, sizeof **image);
    f2l_status status = *image ? F2L_OK : f2l_fail_memory(err);
    for (size_t x = 0; x < n; x++)
        for (uint32_t j = 0; status == F2L_OK && j < slots; j++) {
            const f2l_expectation first = {as_moved_first, 1, {old}, {values}, n, x};
            const f2l_expectation more = {as_moved, 2, {(*image)[x], old + j}, {n, values}, n, 0};
            status = f2l_walk_expect(w, j ? &more : &first, NULL, &(*image)[x], err);
        }
    return status;
}

static f2l_status check_exchange_gates(f2l_walk *w, uint32_t *image, uint32_t *to_come,
                                       f2l_error *err)
{
    const f2l_d1_check *c = w->c;
    const size_t n = c->points;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t x = i + 1; status == F2L_OK && x < n; x++) {
            const f2l_expectation e = {expect_sent_home, 2, {image[x], image[i]}, {n, n}, n, i};
            status = f2l_walk_expect(w, &e, NULL, &image[x], err);
        }
    *to_come = w->first + (uint32_t)w->at;
    for (size_t i = 0; status == F2L_OK && i + 1 < n; i++) {
        const f2l_expectation e = {comes_later, 2, {1, image[i]}, {2 * c->block, n}, n + 1, i};
        status = f2l_walk_expect(w, &e, NULL, NULL, err);
    }
    return status;
}

/* Checks what slot s of the last head reads: *wire. */
static f2l_status check_slot_gates(f2l_walk *w, const uint32_t *image, size_t s, uint32_t *wire,
                                   f2l_error *err)
{
    const f2l_d1_check *c = w->c;
    const size_t n = c->points, counts = 2 * c->block;
    f2l_status status = F2L_OK;
    uint32_t so_far = 1, now = 0;
    if (s + 1 >= n) return f2l_walk_wrong_block(w->number, "there are more slots than points", err);
    for (size_t turn = s; status == F2L_OK && turn + 1 < n; turn += c->slots) {
        const size_t i = n - 2 - turn;
        const f2l_expectation e = {expect_coming_now, 2, {1, image[i]}, {counts, n}, n + 1, i};
        status = f2l_walk_expect(w, &e, NULL, &now, err);
        const f2l_expectation join = {expect_first_of_two, 2,     {so_far, now},
                                      {n + 1, n + 1},      n + 1, 0};
        if (turn == s)
            so_far = now;
        else if (status == F2L_OK)
            status = f2l_walk_expect(w, &join, NULL, &so_far, err);
    }
    const f2l_expectation e = {expect_slot_exchange, 2, {1, so_far}, {counts, n + 1}, 1 + n * n, s};
    return status == F2L_OK ? f2l_walk_expect(w, &e, NULL, wire, err) : status;
}

/* Checks the ring's gates, and its outputs: slots, exchanges to come, letters of this block. */
static f2l_status check_ring_posts(f2l_d1_check *c, uint32_t **image, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->clock];
    f2l_walk post = f2l_walk_post(c, c->clock);
    uint32_t old = 0, to_come = 0, present = 0, wire = 0;
    f2l_status status = f2l_walk_masks(&post, f2l_walk_before, 3, &old, err);
    if (status == F2L_OK) status = check_image_gates(&post, c, old, image, err);
    if (status != F2L_OK) return status;
    assert(*image);
    status = check_exchange_gates(&post, *image, &to_come, err);
    bool named = true;
    for (size_t s = 0; status == F2L_OK && s < c->slots; s++) {
        status = check_slot_gates(&post, *image, s, &wire, err);
        named = named && block->outputs > s && block->output[s] == wire;
    }
    if (status == F2L_OK) status = f2l_walk_masks(&post, f2l_walk_present, 3, &present, err);
    if (status == F2L_OK) status = f2l_walk_end(&post, err);
    if (status != F2L_OK) return status;
    const size_t later = c->points - 1, all = c->slots + later + 2 * c->block;
    named = named && block->outputs == all;
    for (size_t i = c->slots; named && i < all; i++)
        named = block->output[i] == (i < c->slots + later ? to_come + (i - c->slots)
                                                          : present + (i - c->slots - later));
    return named ? F2L_OK : f2l_walk_wrong_block(c->clock, "its outputs are other wires", err);
}

/* Checks the gates that move the point on *wire. */
static f2l_status check_moves(f2l_walk *w, uint32_t *wire, f2l_error *err)
{
    const f2l_d1_check *c = w->c;
    const size_t n = c->points;
    const uint32_t later = (uint32_t)c->slots, letters = (uint32_t)(c->slots + n - 1);
    f2l_status status = F2L_OK;
    for (size_t i = n - 1; status == F2L_OK && i-- > 0;) {
        const f2l_expectation e = {
            expect_exchanged_point, 2, {*wire, later + (uint32_t)i}, {n, n + 1}, n, i};
        status = f2l_walk_expect(w, &e, NULL, wire, err);
    }
    for (uint32_t j = 0; status == F2L_OK && j < 2 * c->block; j++) {
        const f2l_expectation e = {as_moved, 2, {*wire, letters + j}, {n, c->letters + 1}, n, 0};
        status = f2l_walk_expect(w, &e, NULL, wire, err);
    }
    return status;
}

static f2l_status check_lists(f2l_walk *w, f2l_d1_check *c, const uint32_t *wire, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->clock + 1];
    f2l_status status = F2L_OK;
    uint32_t list = 0;
    for (size_t x = 0; status == F2L_OK && x < c->marks; x++) {
        const size_t values = x + 1 < c->marks ? 0 : c->net->labels.count;
        const f2l_expectation first = {NULL, 1, {wire[0]}, {c->points}, values, 0};
        const f2l_expectation more = {
            NULL, 2, {list, wire[x]}, {x ? c->list[x - 1]->values : 0, c->points}, values, 0};
        status = f2l_walk_expect(w, x ? &more : &first, &c->list[x], &list, err);
    }
    if (status == F2L_OK) status = f2l_walk_end(w, err);
    if (status == F2L_OK && (block->outputs != 1 || block->output[0] != list))
        status = f2l_walk_wrong_block(c->clock + 1, "its output is another wire", err);
    return status;
}

static f2l_status check_apply_posts(f2l_d1_check *c, uint32_t *wire, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->clock + 1];
    const uint32_t readout = (uint32_t)f2l_wired_first_readout(block);
    f2l_walk post = f2l_walk_post(c, c->clock + 1);
    f2l_status status = F2L_OK;
    c->codes = block->readout[0].codes;
    for (size_t x = 0; status == F2L_OK && x < c->marks; x++) {
        const f2l_expectation e = {NULL, 1, {readout}, {c->codes}, c->points, 0};
        status = f2l_walk_expect(&post, &e, &c->place[x], &wire[x], err);
    }
    for (size_t x = 0; status == F2L_OK && x < c->marks; x++)
        status = check_moves(&post, &wire[x], err);
    return status == F2L_OK ? check_lists(&post, c, wire, err) : status;
}

/* Checks inputs and head of the applying block, and sets marks from the number of its gates. */
static f2l_status check_apply_block(f2l_d1_check *c, f2l_error *err)
{
    const size_t n = c->points, slots = 2 * c->block, values = 1 + n * n;
    const f2l_wired_block *block = &c->net->block[c->clock + 1];
    const f2l_wired_head *head = block->head;
    bool good = block->inputs == c->slots + n - 1 + slots && block->pres == 0 &&
                block->heads == 1 && block->readouts == 1;
    for (size_t i = 0; good && i < block->inputs; i++)
        good = block->input_size[i] == (i < c->slots           ? values
                                        : i < c->slots + n - 1 ? n + 1
                                                               : c->letters + 1);
    for (size_t s = 0; good && s < c->slots; s++) good = head->wire[s] == s;
    c->marks = block->posts / (n + 1 + slots);
    if (!good || c->marks == 0)
        return f2l_walk_wrong_block(c->clock + 1, "it is not the one that applies", err);
    uint32_t *wire = f2l_calloc(c->marks, sizeof *wire);
    c->place = f2l_calloc(c->marks, sizeof(uint32_t *));
    c->list = f2l_calloc(c->marks, sizeof(uint32_t *));
    f2l_status status =
        wire && c->place && c->list ? check_apply_posts(c, wire, err) : f2l_fail_memory(err);
    f2l_free(wire);
    return status;
}

f2l_status f2l_points_check_circuits(f2l_d1_check *c, f2l_error *err)
{
    uint32_t *image = NULL;
    f2l_status status = f2l_d1_check_stages(c, err);
    if (status != F2L_OK) return status;
    const f2l_wired_block *last = &c->net->block[c->clock + 1];
    if (last->heads != 1)
        return f2l_walk_wrong_block(c->clock + 1, "it is not the one that applies", err);
    c->slots = last->head[0].slots;
    status = f2l_d1_check_ring_frame(c, err);
    if (status == F2L_OK) status = check_ring_posts(c, &image, err);
    f2l_free(image);
    return status == F2L_OK ? check_apply_block(c, err) : status;
}
