/* The places of buffers. A pass has phases; a buffer is needed from one phase to another, and two
 * buffers share memory only when their phases do not overlap. The largest buffers are placed first,
 * each as low as possible. */
#include "cuda/step/impl.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, REQUESTS_OF_LAYER = 48, REQUESTS_BESIDES = 17, PRODUCT_WORK = 64 << 20 };

typedef struct request {
    void *to; /* the pointer that receives the place */
    size_t bytes, from, until, at, number;
} request;

struct f2l_step_wishes {
    request *wish;
    size_t count;
    bool oversized;
};

/* Phases: forward of layer l, head, then four of backward for each layer, last layer first. */
typedef struct phases {
    size_t layers;
} phases;
typedef enum part { MLP, OUTPUT, MIXER, INPUT } part;

static size_t phase_of_forward(size_t layer)
{
    return layer;
}
static size_t head(const phases *p)
{
    return p->layers;
}
static size_t back(const phases *p, size_t layer, part of)
{
    return p->layers + 1 + 4 * (p->layers - 1 - layer) + of;
}

void f2l_step_want(f2l_step_wishes *w, void *to, size_t rows, size_t row_bytes, size_t from,
                   size_t until)
{
    request r = {.to = to, .from = from, .until = until, .number = w->count};
    if (rows == 0 || row_bytes == 0) return; /* stays NULL */
    if (!f2l_mul_size(&r.bytes, rows, row_bytes) || !f2l_add_size(&r.bytes, r.bytes, ALIGNMENT))
        w->oversized = true;
    r.bytes = r.bytes / ALIGNMENT * ALIGNMENT;
    w->wish[w->count++] = r;
}

/* Places norm and projection, and the convolution's output. */
static void want_projection(f2l_step_wishes *w, f2l_step_layer *a, const f2l_cuda_step *step,
                            size_t l, const phases *p)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const f2l_step_columns *c = &step->columns;
    const size_t rows = step->sequences * step->length, here = l == 0 ? s->letters : rows;
    const size_t number = f2l_cuda_bytes(step->type), wide = l == 0 ? sizeof(float) : number;
    const size_t begin = phase_of_forward(l), end = back(p, l, INPUT);
    if (l > 0) f2l_step_want(w, &a->x, rows, s->width * number, phase_of_forward(l - 1), end);
    f2l_step_want(w, &a->norm, here, s->width * wide, l > 0 ? phase_of_forward(l - 1) : begin, end);
    if (f2l_step_laid_out(s, l)) {
        f2l_step_want(w, &a->table, here, c->stride * wide, begin, begin);
        if (step->type == F2L_CUDA_BF16)
            f2l_step_want(w, &a->narrow, here, c->stride * number, begin, begin);
        f2l_step_want(w, &a->projection, rows, c->stride * number, begin, end);
    } else {
        f2l_step_want(w, &a->projection, here, c->stride * wide, begin, end);
    }
    f2l_step_want(w, &a->taps, rows, c->taps_stride * number, begin, end);
    if (l > 0) {
        f2l_step_want(w, &a->dnorm, rows, s->width * number, end, end);
        return;
    }
    f2l_step_want(w, &a->dprojection, s->letters, c->stride * sizeof(float), end, end);
    f2l_step_want(w, &a->letter_dnorm, s->letters, s->width * sizeof(float), end, end);
}

static void want_layer(f2l_step_wishes *w, f2l_cuda_step *step, const size_t mixer[2], size_t l,
                       const phases *p)
{
    const f2l_cuda_step_shape *s = &step->shape;
    f2l_step_layer *a = &step->at.layer[l];
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type);
    const size_t begin = phase_of_forward(l), mlp = back(p, l, MLP), output = back(p, l, OUTPUT);
    const f2l_step_phases here = {begin, output, back(p, l, MIXER), back(p, l, INPUT)};
    want_projection(w, a, step, l, p);
    s->mixer->want(w, a, step, mixer, l, &here);
    f2l_step_want(w, &a->o_norm, rows, step->columns.mixed * number, begin,
                  s->mixer->keeps_out ? here.mixed : output);
    if (s->mlp == 0) return;
    f2l_step_want(w, &a->middle, rows, s->width * number, begin, mlp);
    f2l_step_want(w, &a->mlp_norm, rows, s->width * number, begin, mlp);
    f2l_step_want(w, &a->gate_up, rows, 2 * s->mlp * number, begin, mlp);
    f2l_step_want(w, &a->product, rows, s->mlp * number, begin, mlp);
    f2l_step_want(w, &a->dproduct, rows, s->mlp * number, mlp, mlp);
    f2l_step_want(w, &a->dmlp_norm, rows, s->width * number, mlp, mlp);
}

static void want_besides(f2l_step_wishes *w, f2l_cuda_step *step, const phases *p)
{
    const f2l_cuda_step_shape *s = &step->shape;
    f2l_step_buffers *at = &step->at;
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type);
    const size_t labels = f2l_step_padded(s->labels), here = head(p), last = back(p, 0, INPUT);
    f2l_step_want(w, &at->letter, rows, sizeof(uint32_t), 0, last);
    f2l_step_want(w, &at->label, rows, sizeof(uint32_t), 0, last);
    f2l_step_want(w, &at->mask, rows, 1, 0, last);
    f2l_step_want(w, &at->right, rows, 1, 0, last);
    f2l_step_want(w, &at->first, step->sequences + 1, sizeof(uint32_t), 0, last);
    f2l_step_want(w, &at->index, 1, step->k->letters_bytes(rows, s->letters), 0, last);
    f2l_step_want(w, &at->work, 1, step->work_bytes, 0, last);
    f2l_step_want(w, &at->out, rows, s->width * number, 0, p->layers - 1);
    f2l_step_want(w, &at->layer[p->layers].x, rows, s->width * number,
                  phase_of_forward(p->layers - 1), here);
    f2l_step_want(w, &at->layer[p->layers].norm, rows, s->width * number,
                  phase_of_forward(p->layers - 1), here);
    f2l_step_want(w, &at->logits, rows, labels * sizeof(float), here, here);
    f2l_step_want(w, &at->dlogits, rows, labels * number, here, here);
    f2l_step_want(w, &at->dhead, rows, s->width * number, here, here);
    f2l_step_want(w, &at->dx, rows, s->width * number, here, last);
    if (s->mlp > 0) f2l_step_want(w, &at->dmiddle, rows, s->width * number, here + 1, last);
}

static int larger_first(const void *a, const void *b)
{
    const request *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static size_t place_all(f2l_step_wishes *w)
{
    size_t total = 0;
    qsort(w->wish, w->count, sizeof *w->wish, larger_first);
    for (size_t i = 0; i < w->count; i++) {
        request *r = &w->wish[i];
        bool moved = true;
        while (moved) { /* each move passes a placed buffer permanently */
            moved = false;
            for (size_t j = 0; j < i; j++) {
                const request *o = &w->wish[j];
                if (o->until < r->from || r->until < o->from || o->at + o->bytes <= r->at ||
                    r->at + r->bytes <= o->at)
                    continue;
                r->at = o->at + o->bytes;
                moved = true;
            }
        }
        if (r->at + r->bytes > total) total = r->at + r->bytes;
    }
    return total;
}

static size_t larger_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Returns the largest workspace of an operator of a pass. */
static size_t work_of(const f2l_cuda_step *step)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const f2l_cuda_kernels *k = step->k;
    const size_t rows = step->sequences * step->length, letters = s->letters;
    const f2l_step_columns *c = &step->columns;
    const f2l_cuda_norm norm = {.rows = rows, .width = s->width},
                        of_o = {.rows = c->o > 0 ? rows * c->parts : 0, .width = s->value},
                        of_letters = {.rows = letters, .width = s->width};
    const f2l_cuda_range gate = {.rows = larger_of(rows, letters), .width = c->gate};
    const f2l_cuda_loss_shape loss = {
        .sequences = step->sequences, .length = step->length, .classes = s->labels};
    size_t most = PRODUCT_WORK;
    most = larger_of(most, larger_of(k->rmsnorm_work(&norm), k->rmsnorm_work(&of_o)));
    most = larger_of(most, larger_of(k->rmsnorm_work(&of_letters), k->decay_work(&gate)));
    most = larger_of(most, larger_of(k->loss_work(&loss),
                                     k->letters_work(rows, letters,
                                                     larger_of(larger_of(c->q, c->k),
                                                               larger_of(c->v, s->width)))));
    if (c->taps > 0) {
        const f2l_cuda_conv_shape taps = f2l_step_taps(step);
        most = larger_of(most, k->conv_work(&taps));
    }
    if (c->gates > 0) {
        const f2l_cuda_rates_shape rates = {.rows = rows, .heads = s->heads, .key = s->key};
        most = larger_of(most, k->rates_work(&rates));
    }
    if (f2l_step_laid_out(s, 0)) most = larger_of(most, k->letters_work(rows, letters, c->all));
    return larger_of(most, k->letters_work(rows, letters, larger_of(c->beta, c->gate)));
}

f2l_status f2l_step_place(size_t *bytes, f2l_cuda_step *step, void *arena, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const phases p = {s->layers};
    f2l_step_wishes w = {
        .wish = f2l_calloc(s->layers * REQUESTS_OF_LAYER + REQUESTS_BESIDES, sizeof *w.wish)};
    if (w.wish == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    step->work_bytes = work_of(step);
    for (size_t l = 0; status == F2L_OK && l < s->layers; l++) {
        size_t mixer[2];
        status = s->mixer->bytes(mixer, step, l, err);
        if (status == F2L_OK) want_layer(&w, step, mixer, l, &p);
    }
    if (status == F2L_OK) {
        want_besides(&w, step, &p);
        *bytes = place_all(&w);
        if (w.oversized)
            status =
                f2l_fail(err, F2L_EDOMAIN, "a batch of %zu sequences of %zu letters is too large",
                         step->sequences, step->length);
    }
    for (size_t i = 0; status == F2L_OK && arena != NULL && i < w.count; i++) {
        void *place = (char *)arena + w.wish[i].at;
        memcpy(w.wish[i].to, &place, sizeof place); /* pointers of several types, with one
                                                     * representation on these machines */
    }
    f2l_free(w.wish);
    return status;
}

size_t f2l_step_products(const f2l_cuda_step_shape *shape)
{
    return 3 + shape->layers * (6 + (shape->mlp > 0 ? 6 : 0) + shape->mixer->products);
}
