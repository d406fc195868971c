/* The ring of D1.12: the product of the block before, point by point, and its transpositions.
 * Wires: 0 is the letter, 1 the count, 2 both; then come the 2 B slots of the ring. */
#include "numeric/base/mem.h"
#include "theory/construct/d1/points.h"

enum { COUNT = 1 };

/* Table entry for (point, letter). */
static uint32_t move_ring_point(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    return in[1] ? d->set->image[(in[1] - 1) * d->points + in[0]] : in[0];
}

/* Table entry for (letter) of the point x. */
static uint32_t moved_first(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const uint32_t with[] = {(uint32_t)x, in[0]};
    return move_ring_point(d, x, with);
}

/* Table entry for (image of a point, image of x): once x has gone home, the point that went to x
 * goes where x went. */
static uint32_t sent_home(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)d;
    return in[0] == x ? in[1] : in[0];
}

/* Table entry for (count, image of x): 1 + the image if the transposition of x comes later. */
static uint32_t still_to_come(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const size_t tau = in[0] % d->block, at = d->points - 2 - x;
    return at >= (tau + 1) * d->householders ? in[1] + 1 : 0;
}

/* Table entry for (count, image of x): 1 + the image if the transposition of x comes now. */
static uint32_t comes_now(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const size_t tau = in[0] % d->block, at = d->points - 2 - x;
    return at / d->householders == tau ? in[1] + 1 : 0;
}

static uint32_t either(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)d, (void)x;
    return in[0] ? in[0] : in[1];
}

/* Table entry for (count, 1 + image): what slot x of the applying head does. */
static uint32_t exchange_in_slot(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const size_t at = in[0] % d->block * d->householders + x;
    if (in[1] == 0 || at + 1 >= d->points) return 0;
    return (uint32_t)(1 + f2l_d1_moved(d, at) * d->points + in[1] - 1);
}

/* The circuit while it is written: gates are in the order of their wires. */
typedef struct writer {
    f2l_d1_points *p;
    f2l_d1_writer to;
    uint32_t *image; /* [n] wires of the images of the points */
    uint32_t either; /* number of its table; F2L_D1_NONE until it is made */
} writer;

/* Writes the image of point x after the letters on the wires from `old` on. */
static f2l_status put_image(writer *w, uint32_t x, uint32_t old, f2l_error *err)
{
    const size_t n = w->to.d->points, values = w->to.d->letters + 1;
    const f2l_d1_rule first = {moved_first, 1, {values}, n, x},
                      more = {move_ring_point, 2, {n, values}, n, 0};
    f2l_status status = f2l_d1_put(&w->to, &first, &old, err);
    for (size_t j = 1; status == F2L_OK && j < 2 * w->to.d->block; j++) {
        const uint32_t in[] = {w->to.wire - 1, old + (uint32_t)j};
        if (w->p->letter_table == F2L_D1_NONE) {
            w->p->letter_table = (uint32_t)w->to.d->tables;
            status = f2l_d1_put(&w->to, &more, in, err);
        } else
            status = f2l_d1_put_again(&w->to, w->p->letter_table, in, err);
    }
    w->image[x] = w->to.wire - 1;
    return status;
}

/* Sends the points home one after the other; image[i] is then what i is exchanged with. */
static f2l_status put_ring_exchanges(writer *w, f2l_error *err)
{
    const size_t n = w->to.d->points;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i + 1 < n; i++) {
        const f2l_d1_rule rule = {sent_home, 2, {n, n}, n, i};
        for (size_t x = i + 1; status == F2L_OK && x < n; x++) {
            const uint32_t in[] = {w->image[x], w->image[i]};
            w->image[x] = w->to.wire;
            status = x == i + 1 ? f2l_d1_put(&w->to, &rule, in, err)
                                : f2l_d1_put_again(&w->to, w->to.d->tables - 1, in, err);
        }
    }
    return status;
}

static f2l_status put_still_to_come(writer *w, f2l_error *err)
{
    const size_t n = w->to.d->points;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i + 1 < n; i++) {
        const f2l_d1_rule rule = {still_to_come, 2, {2 * w->to.d->block, n}, n + 1, i};
        const uint32_t in[] = {COUNT, w->image[i]};
        status = f2l_d1_put(&w->to, &rule, in, err);
    }
    return status;
}

/* Writes what slot s of the applying head does. */
static f2l_status put_slot(writer *w, size_t s, f2l_error *err)
{
    const f2l_d1 *d = w->to.d;
    const size_t n = d->points, counts = 2 * d->block;
    const f2l_d1_rule join = {either, 2, {n + 1, n + 1}, n + 1, 0};
    const f2l_d1_rule last = {exchange_in_slot, 2, {counts, n + 1}, 1 + n * n, s};
    f2l_status status = F2L_OK;
    uint32_t so_far = 0;
    for (size_t at = s; status == F2L_OK && at + 1 < n; at += d->householders) {
        const size_t i = f2l_d1_moved(d, at);
        const f2l_d1_rule rule = {comes_now, 2, {counts, n}, n + 1, i};
        const uint32_t in[] = {COUNT, w->image[i]}, now = w->to.wire, with[] = {so_far, now};
        status = f2l_d1_put(&w->to, &rule, in, err);
        so_far = w->to.wire;
        if (at == s) {
            so_far = now;
            continue;
        }
        if (status == F2L_OK && w->either == F2L_D1_NONE) {
            w->either = (uint32_t)w->to.d->tables;
            status = f2l_d1_put(&w->to, &join, with, err);
        } else if (status == F2L_OK)
            status = f2l_d1_put_again(&w->to, w->either, with, err);
    }
    const uint32_t in[] = {COUNT, so_far};
    w->to.block->output[s] = w->to.wire;
    return status == F2L_OK ? f2l_d1_put(&w->to, &last, in, err) : status;
}

static f2l_status put_points_ring_posts(writer *w, f2l_error *err)
{
    const f2l_d1 *d = w->to.d;
    const size_t n = d->points, slots = 2 * d->block;
    uint32_t old, now, *output = w->to.block->output + d->householders;
    f2l_status status = f2l_d1_put_masks(&w->to, true, &old, err);
    for (uint32_t x = 0; status == F2L_OK && x < n; x++) status = put_image(w, x, old, err);
    if (status == F2L_OK) status = put_ring_exchanges(w, err);
    const uint32_t to_come = w->to.wire;
    if (status == F2L_OK) status = put_still_to_come(w, err);
    for (size_t s = 0; status == F2L_OK && s < d->householders; s++) status = put_slot(w, s, err);
    if (status == F2L_OK) status = f2l_d1_put_masks(&w->to, false, &now, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i + 1 < n; i++) *output++ = to_come + (uint32_t)i;
    for (size_t j = 0; j < slots; j++) *output++ = now + (uint32_t)j;
    return F2L_OK;
}

f2l_status f2l_d1_put_point_ring(f2l_d1_points *p, f2l_error *err)
{
    f2l_d1 *d = &p->d;
    const size_t n = d->points, slots = 2 * d->block;
    const size_t posts = 2 * slots + n * slots + n * (n - 1) / 2 + 3 * (n - 1);
    f2l_status status = f2l_d1_put_ring_head(d, posts, d->householders + n - 1 + slots, err);
    if (status != F2L_OK) return status;
    writer w = {.p = p,
                .to = f2l_d1_write_posts(d, &d->net->block[d->clock.layers]),
                .either = F2L_D1_NONE};
    w.image = f2l_calloc(n, sizeof *w.image);
    if (!w.image) return f2l_fail_memory(err);
    status = put_points_ring_posts(&w, err);
    f2l_free(w.image);
    return status;
}
