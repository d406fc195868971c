/* Which buffer stands where. A pass has phases; a buffer is needed from one phase to another, and two buffers share memory only
 * when their phases do not meet. The largest are placed first, each as low as it can be. */
#include "f2l_cuda_step_impl.h"
#include "f2l_mem.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, REQUESTS_OF_LAYER = 36, REQUESTS_BESIDES = 16, PRODUCT_WORK = 64 << 20 };

typedef struct request {
    void *to; /* the pointer that becomes the place */
    size_t bytes, from, until, at, number;
} request;

typedef struct wishes {
    request *wish;
    size_t count;
    bool oversized;
} wishes;

/* Phases: forward of layer l, head, then four of backward for each layer, last layer first. */
typedef struct phases {
    size_t layers;
} phases;
typedef enum part { MLP, OUTPUT, MIXER, INPUT } part;

static size_t forward(size_t layer)
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

static void want(wishes *w, void *to, size_t rows, size_t row_bytes, size_t from, size_t until)
{
    request r = {.to = to, .from = from, .until = until, .number = w->count};
    if (rows == 0 || row_bytes == 0) return; /* stays NULL */
    if (!f2l_mul_size(&r.bytes, rows, row_bytes) || !f2l_add_size(&r.bytes, r.bytes, ALIGNMENT))
        w->oversized = true;
    r.bytes = r.bytes / ALIGNMENT * ALIGNMENT;
    w->wish[w->count++] = r;
}

/* What a layer's operator reads. */
static void want_inputs(wishes *w, f2l_step_layer *a, const f2l_cuda_step *step, size_t rows, size_t l,
                        const phases *p)
{
    const f2l_step_columns *c = &step->columns;
    const size_t number = f2l_cuda_bytes(step->type), wide = l == 0 ? sizeof(float) : number;
    const size_t begin = forward(l), mixed = back(p, l, MIXER), end = back(p, l, INPUT);
    const size_t width = step->shape.width;
    if (l > 0) want(w, &a->x, rows, width * number, forward(l - 1), end);
    want(w, &a->norm, rows, width * wide, l > 0 ? forward(l - 1) : begin, end);
    want(w, &a->projection, rows, c->stride * wide, begin, end);
    want(w, &a->q, rows, c->q * number, begin, mixed);
    want(w, &a->k, rows, c->k * number, begin, mixed);
    want(w, &a->v, rows, c->v * number, begin, mixed);
    want(w, &a->beta, rows, c->beta * sizeof(float), begin, mixed);
    want(w, &a->gate, rows, c->gate * sizeof(float), begin, mixed);
}

static void want_layer(wishes *w, f2l_cuda_step *step, const size_t mixer[2], size_t l, const phases *p)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const f2l_step_columns *c = &step->columns;
    f2l_step_layer *a = &step->at.layer[l];
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type),
                 values = s->heads * s->value;
    const size_t begin = forward(l), mlp = back(p, l, MLP), output = back(p, l, OUTPUT),
                 mixed = back(p, l, MIXER), end = back(p, l, INPUT);
    want_inputs(w, a, step, l == 0 ? s->letters : rows, l, p);
    want(w, &a->kept, 1, mixer[0], begin, mixed);
    want(w, &a->mixer_work, 1, mixer[1], begin, mixed);
    want(w, &a->o, rows, values * number, begin, output);
    want(w, &a->o_norm, rows, values * number, begin, output);
    if (s->mlp > 0) {
        want(w, &a->middle, rows, s->width * number, begin, mlp);
        want(w, &a->mlp_norm, rows, s->width * number, begin, mlp);
        want(w, &a->gate_up, rows, 2 * s->mlp * number, begin, mlp);
        want(w, &a->product, rows, s->mlp * number, begin, mlp);
        want(w, &a->dproduct, rows, s->mlp * number, mlp, mlp);
        want(w, &a->dmlp_norm, rows, s->width * number, mlp, mlp);
    }
    want(w, &a->do_norm, rows, values * number, output, output);
    want(w, &a->d_o, rows, values * number, output, mixed);
    want(w, &a->dq, rows, c->q * number, mixed, end);
    want(w, &a->dk, rows, c->k * number, mixed, end);
    want(w, &a->dv, rows, c->v * number, mixed, end);
    want(w, &a->dbeta, rows, c->beta * sizeof(float), mixed, end);
    want(w, &a->dgate, rows, c->gate * sizeof(float), mixed, end);
    if (l > 0) {
        want(w, &a->dnorm, rows, s->width * number, end, end);
        return;
    }
    want(w, &a->sum_q, s->letters, c->q * sizeof(float), end, end);
    want(w, &a->sum_k, s->letters, c->k * sizeof(float), end, end);
    want(w, &a->sum_v, s->letters, c->v * sizeof(float), end, end);
    want(w, &a->sum_beta, s->letters, c->beta * sizeof(float), end, end);
    want(w, &a->sum_gate, s->letters, c->gate * sizeof(float), end, end);
    want(w, &a->dprojection, s->letters, c->stride * sizeof(float), end, end);
    want(w, &a->letter_dnorm, s->letters, s->width * sizeof(float), end, end);
}

static void want_besides(wishes *w, f2l_cuda_step *step, const phases *p)
{
    const f2l_cuda_step_shape *s = &step->shape;
    f2l_step_buffers *at = &step->at;
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type);
    const size_t labels = f2l_step_padded(s->labels), here = head(p), last = back(p, 0, INPUT);
    want(w, &at->letter, rows, sizeof(uint32_t), 0, last);
    want(w, &at->label, rows, sizeof(uint32_t), 0, last);
    want(w, &at->mask, rows, 1, 0, last);
    want(w, &at->right, rows, 1, 0, last);
    want(w, &at->index, 1, step->k->letters_bytes(rows, s->letters), 0, last);
    want(w, &at->work, 1, step->work_bytes, 0, last);
    want(w, &at->out, rows, s->width * number, 0, p->layers - 1);
    want(w, &at->layer[p->layers].x, rows, s->width * number, forward(p->layers - 1), here);
    want(w, &at->layer[p->layers].norm, rows, s->width * number, forward(p->layers - 1), here);
    want(w, &at->logits, rows, labels * sizeof(float), here, here);
    want(w, &at->dlogits, rows, labels * number, here, here);
    want(w, &at->dhead, rows, s->width * number, here, here);
    want(w, &at->dx, rows, s->width * number, here, last);
    if (s->mlp > 0) want(w, &at->dmiddle, rows, s->width * number, here + 1, last);
}

static int larger_first(const void *a, const void *b)
{
    const request *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static size_t place_all(wishes *w)
{
    size_t total = 0;
    qsort(w->wish, w->count, sizeof *w->wish, larger_first);
    for (size_t i = 0; i < w->count; i++) {
        request *r = &w->wish[i];
        bool moved = true;
        while (moved) { /* each move passes a placed buffer for good */
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

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The most that an operator of a pass asks for. */
static size_t work_of(const f2l_cuda_step *step)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const f2l_cuda_kernels *k = step->k;
    const size_t rows = step->sequences * step->length, letters = s->letters;
    const f2l_step_columns *c = &step->columns;
    const f2l_cuda_norm norm = {.rows = rows, .width = s->width},
                        of_o = {.rows = rows * s->heads, .width = s->value},
                        of_letters = {.rows = letters, .width = s->width};
    const f2l_cuda_range gate = {.rows = larger(rows, letters), .width = c->gate};
    const f2l_cuda_loss_shape loss = {
        .sequences = step->sequences, .length = step->length, .classes = s->labels};
    size_t most = PRODUCT_WORK;
    most = larger(most, larger(k->rmsnorm_work(&norm), k->rmsnorm_work(&of_o)));
    most = larger(most, larger(k->rmsnorm_work(&of_letters), k->decay_work(&gate)));
    most = larger(most,
                  larger(k->loss_work(&loss),
                         k->letters_work(rows, letters, larger(larger(c->q, c->k), larger(c->v, s->width)))));
    return larger(most, k->letters_work(rows, letters, larger(c->beta, c->gate)));
}

f2l_status f2l_step_place(size_t *bytes, f2l_cuda_step *step, void *arena, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const phases p = {s->layers};
    wishes w = {.wish = f2l_calloc(s->layers * REQUESTS_OF_LAYER + REQUESTS_BESIDES, sizeof *w.wish)};
    if (w.wish == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    step->work_bytes = work_of(step);
    for (size_t l = 0; status == F2L_OK && l < s->layers; l++) {
        size_t mixer[2];
        const float some = 0;
        const uint32_t letter = 0; /* only whether there are any counts here */
        const f2l_cuda_mixer_in in = {
            .shape = {step->sequences, step->length, s->heads, s->householders, s->key, s->value},
            .type = step->type,
            .v = s->additive ? &some : NULL,
            .gate = s->forget_gate ? &some : NULL,
            .h0 = s->layer[l].start != F2L_CUDA_NONE ? &some : NULL,
            .letter = l == 0 ? &letter : NULL};
        status = step->k->mixer_bytes(&mixer[0], &mixer[1], &in, err);
        if (status == F2L_OK) want_layer(&w, step, mixer, l, &p);
    }
    if (status == F2L_OK) {
        want_besides(&w, step, &p);
        *bytes = place_all(&w);
        if (w.oversized)
            status = f2l_fail(err, F2L_EDOMAIN, "a batch of %zu sequences of %zu letters is too large",
                              step->sequences, step->length);
    }
    for (size_t i = 0; status == F2L_OK && arena != NULL && i < w.count; i++) {
        void *place = (char *)arena + w.wish[i].at;
        memcpy(w.wish[i].to, &place,
               sizeof place); /* pointers of several types, all alike on these machines */
    }
    f2l_free(w.wish);
    return status;
}

size_t f2l_step_products(const f2l_cuda_step_shape *shape)
{
    return 3 + shape->layers * (shape->mlp > 0 ? 12 : 6);
}
