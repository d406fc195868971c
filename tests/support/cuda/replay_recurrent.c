#include "tests/support/cuda/replay_parts.h"

size_t f2l_replay_recurrent_kept(const f2l_delta_shape *s)
{
    f2l_recurrent_plan plan;
    size_t numbers = 1;
    if (f2l_recurrent_plan_of(&plan, s, false, NULL) != F2L_OK) return 0;
    const size_t factor[] = {plan.segments, s->batch, s->heads, plan.key, plan.value};
    for (size_t i = 0; i < 5; i++)
        if (!f2l_mul_size(&numbers, numbers, factor[i])) return 0;
    return numbers;
}

void f2l_replay_recurrent_token(float *S, float *e, const f2l_replay_pair *p, size_t t)
{
    const f2l_delta_shape *s = p->s;
    const f2l_recurrent_plan *plan = &p->plan;
    float k[F2L_RECURRENT_DIM] = {0}, v[F2L_RECURRENT_DIM] = {0}, w[F2L_RECURRENT_DIM] = {0};
    if (p->in->gate) f2l_replay_scale(S, f2l_replay_gate(p, t), plan);
    for (size_t n = 0; n < s->householders; n++) {
        const size_t row = (f2l_replay_pair_row(p, t) * s->householders + n) * s->heads + p->head;
        const float beta = f2l_replay_beta(p, t, n);
        f2l_replay_key(k, p, t, n);
        f2l_replay_pair_take(v, plan->value, p->in->v, row * s->value, s->value, p->in->bf16);
        f2l_replay_columns(w, S, k, plan);
        for (size_t c = 0; c < plan->value; c++) {
            v[c] -= w[c];
            w[c] = beta * v[c];
        }
        if (e) memcpy(e + n * plan->value, v, plan->value * sizeof *e);
        f2l_replay_outer(S, k, 1, w, plan);
    }
}

/* Reads a matrix [key][value] that is stored without the zeros. */
static void matrix_in(float *S, const float *from, const f2l_replay_pair *p)
{
    for (size_t i = 0; i < p->plan.key; i++)
        for (size_t c = 0; c < p->plan.value; c++)
            S[i * p->plan.value + c] =
                from && i < p->s->key && c < p->s->value ? from[i * p->s->value + c] : 0;
}
static void matrix_out(float *to, const float *S, const f2l_replay_pair *p)
{
    for (size_t i = 0; i < p->s->key; i++)
        memcpy(to + i * p->s->value, S + i * p->plan.value, p->s->value * sizeof *to);
}

static void forward_pair(void *out, float *state, float *kept, float *S, const f2l_replay_pair *p)
{
    const f2l_delta_shape *s = p->s;
    const size_t pair = p->sequence * s->heads + p->head, numbers = s->key * s->value;
    float q[F2L_RECURRENT_DIM] = {0}, o[F2L_RECURRENT_DIM] = {0};
    matrix_in(S,
              state       ? state + pair * numbers
              : p->in->h0 ? p->in->h0 + p->head * numbers
                          : NULL,
              p);
    for (size_t t = 0; t < s->tokens; t++) {
        if (kept && t % p->plan.segment == 0)
            memcpy(kept + (t / p->plan.segment * s->batch * s->heads + pair) * f2l_replay_matrix(p),
                   S, f2l_replay_matrix(p) * sizeof *S);
        f2l_replay_recurrent_token(S, NULL, p, t);
        f2l_replay_query(q, p, t);
        f2l_replay_columns(o, S, q, &p->plan);
        const size_t row = (f2l_replay_position(p, t) * s->heads + p->head) * s->value;
        for (size_t c = 0; c < s->value; c++) f2l_replay_put(out, row + c, o[c], p->in->bf16);
    }
    if (state) matrix_out(state + pair * numbers, S, p);
}

f2l_status f2l_replay_recurrent_forward(void *out, float *state, float *kept,
                                        const f2l_recurrent_in *in, const f2l_delta_shape *s,
                                        f2l_error *err)
{
    f2l_replay_pair p = {.s = s, .in = in};
    const f2l_status status = f2l_recurrent_plan_of(&p.plan, s, in->gate != NULL, err);
    if (status != F2L_OK) return status;
    float *S = f2l_calloc(f2l_replay_matrix(&p), sizeof *S);
    if (!S) return f2l_fail_memory(err);
    for (p.sequence = 0; p.sequence < s->batch; p.sequence++)
        for (p.head = 0; p.head < s->heads; p.head++) forward_pair(out, state, kept, S, &p);
    f2l_free(S);
    return F2L_OK;
}
