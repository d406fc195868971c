/* A pass: from letters to answers. */
#include "cuda/step/impl.h"

void f2l_answer_linear(f2l_answer_pass *p, void *y, const void *x, const void *w,
                       const f2l_cuda_map *map)
{
    const f2l_cuda_product_shape shape = {.m = map->rows,
                                          .n = map->out,
                                          .k = map->in,
                                          .lda = map->x_stride,
                                          .ldb = map->in,
                                          .ldc = map->y_stride,
                                          .transpose_b = true,
                                          .in = map->type,
                                          .out = map->y_type};
    f2l_cuda_answer *a = p->a;
    f2l_cuda_product **product = &a->product[a->next++];
    if (p->status == F2L_OK && *product == NULL)
        p->status = p->k->product_new(product, a->blas, &shape, x, w, y, F2L_ANSWER_PRODUCT_WORK, 0,
                                      p->err);
    LAUNCH(p, p->k->product_run(y, x, w, *product, a->at.work, a->stream, p->err));
}

/* Computes the tables by letter, in float as in a step. */
void f2l_answer_tables(f2l_answer_pass *p)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *layer = &s->layer[0];
    const f2l_answer_places *at = &p->a->at;
    const size_t stride = p->a->columns.stride;
    const f2l_cuda_norm norm = f2l_cuda_norm_of(p->shape, s->letters, s->width, 1, F2L_CUDA_F32);
    f2l_cuda_map map = f2l_cuda_map_of(p->rows, p->a->type, s->width, p->a->columns.all);
    map.rows = s->letters;
    map.y_stride = stride;
    map.type = map.y_type = F2L_CUDA_F32;
    LAUNCH(p, p->k->rmsnorm_forward(at->letter_norm, NULL, f2l_answer_number(p, s->embedding), NULL,
                                    NULL, f2l_answer_number(p, layer->mixer_norm), &norm,
                                    p->a->stream, p->err));
    f2l_answer_linear(p, at->letter_projection, at->letter_norm,
                      f2l_answer_number(p, layer->project), &map);
    if (!f2l_step_laid_out(s, 0))
        s->mixer->tables(p);
    else if (at->letter_narrow)
        LAUNCH(p, p->k->cast(at->letter_narrow, p->a->type, at->letter_projection, F2L_CUDA_F32,
                             s->letters * stride, p->a->stream, p->err));
}

/* Computes the projection by position; for layer 0 it copies the table's rows if the projection is
 * laid out. */
static void project_positions(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_answer_places *at = &a->at;
    if (l == 0) {
        const void *table = at->letter_narrow ? at->letter_narrow : at->letter_projection;
        if (f2l_step_laid_out(p->shape, 0))
            LAUNCH(p, p->k->embed_forward(at->projection, table, at->letter, p->rows,
                                          a->columns.stride, a->type, a->stream, p->err));
        return;
    }
    f2l_cuda_map map = f2l_cuda_map_of(p->rows, p->a->type, p->shape->width, a->columns.all);
    map.y_stride = a->columns.stride;
    f2l_answer_linear(p, at->projection, at->norm, f2l_answer_matrix(p, p->shape->layer[l].project),
                      &map);
}

/* Puts the first columns of the projection through the convolution; `past` has the last letters
 * before the piece. */
static void convolve_projection(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_cuda_conv_shape shape = {.batch = a->sequences,
                                       .tokens = p->rows / a->sequences,
                                       .width = a->columns.taps,
                                       .taps = p->shape->convolution,
                                       .type = a->type,
                                       .x_stride = a->columns.stride,
                                       .y_stride = a->columns.taps_stride};
    char *before = a->at.past[a->before], *after = a->at.past[1 - a->before];
    if (a->layer_past > 0) {
        before += l * a->layer_past;
        after += l * a->layer_past;
    }
    LAUNCH(p, p->k->conv_forward(a->at.taps, after, before, a->at.projection,
                                 f2l_answer_number(p, p->shape->layer[l].taps), NULL, &shape,
                                 a->stream, p->err));
}

/* Computes sum = out + residual, norm = the norm of sum. */
static void add_residual_and_norm(f2l_answer_pass *p, void *sum, const void *residual,
                                  const uint32_t *letter, size_t weight)
{
    const f2l_answer_places *at = &p->a->at;
    const f2l_cuda_norm shape = f2l_cuda_norm_of(p->shape, p->rows, p->shape->width, 1, p->a->type);
    LAUNCH(p, p->k->rmsnorm_forward(at->norm, sum, at->out, residual, letter,
                                    f2l_answer_number(p, weight), &shape, p->a->stream, p->err));
}

static void mlp(f2l_answer_pass *p, const f2l_cuda_step_layer *layer)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_answer_places *at = &p->a->at;
    const f2l_cuda_map in = f2l_cuda_map_of(p->rows, p->a->type, s->width, 2 * s->mlp),
                       down = f2l_cuda_map_of(p->rows, p->a->type, s->mlp, s->width);
    f2l_answer_linear(p, at->gate_up, at->norm, f2l_answer_matrix(p, layer->mlp_in), &in);
    LAUNCH(p, p->k->swiglu_forward(at->product, at->gate_up, p->rows, s->mlp, p->a->type,
                                   p->a->stream, p->err));
    f2l_answer_linear(p, at->out, at->product, f2l_answer_matrix(p, layer->mlp_down), &down);
}

static void run_layer(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *layer = &s->layer[l];
    const f2l_answer_places *at = &p->a->at;
    const size_t next_norm = l + 1 < s->layers ? s->layer[l + 1].mixer_norm : s->norm;
    const void *residual = l == 0 ? f2l_answer_matrix(p, s->embedding) : at->x;
    const uint32_t *letter = l == 0 ? at->letter : NULL;
    const f2l_cuda_map out = f2l_cuda_map_of(p->rows, p->a->type, p->a->columns.mixed, s->width);
    project_positions(p, l);
    if (s->convolution > 0) convolve_projection(p, l);
    s->mixer->answer(p, l);
    f2l_answer_linear(p, at->out, at->o_norm, f2l_answer_matrix(p, layer->out), &out);
    if (s->mlp == 0) {
        add_residual_and_norm(p, at->x, residual, letter, next_norm);
        return;
    }
    add_residual_and_norm(p, at->middle, residual, letter, layer->mlp_norm);
    mlp(p, layer);
    add_residual_and_norm(p, at->x, at->middle, NULL, next_norm);
}

void f2l_answer_run(f2l_answer_pass *p)
{
    f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = p->shape;
    const size_t labels = f2l_step_padded(s->labels);
    f2l_cuda_map head = f2l_cuda_map_of(p->rows, p->a->type, s->width, s->labels);
    head.y_stride = labels;
    head.y_type = F2L_CUDA_F32;
    for (size_t l = 0; l < s->layers; l++) run_layer(p, l);
    a->before = 1 - a->before;
    f2l_answer_linear(p, a->at.logits, a->at.norm, f2l_answer_matrix(p, s->head), &head);
    LAUNCH(p, a->more->answers(a->at.answer, a->at.logits, labels, p->rows, s->labels, a->stream,
                               p->err));
}
