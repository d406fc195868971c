/* Vectors: their results against the operator's reference, the proof of every file, and that the
 * proof fails where keys or values are not exact. */
#include "models/doors/vectors/impl.h"
#include "models/learn/op/op_delta.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

static const f2l_vector_case *find_case(const f2l_vector_op *op, const char *name)
{
    const f2l_vector_case *c;
    for (size_t i = 0; (c = f2l_vector_case_at(op, i)); i++)
        if (strcmp(c->name, name) == 0) return c;
    cr_assert_fail("no case %s", name);
    return NULL;
}

static f2l_op_vectors make(const char *op_name, const char *name)
{
    f2l_op_vectors v;
    const f2l_vector_op *op = f2l_vector_op_find(op_name);
    cr_assert_not_null(op);
    f2l_op_vectors_init(&v);
    cr_assert_eq(f2l_op_vectors_make(&v, op, find_case(op, name), NULL, NULL), F2L_OK);
    return v;
}

static void assert_equal(const double *x, const double *y, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) cr_assert_eq(x[i], y[i], "%s %zu: %a %a", what, i, x[i], y[i]);
}

/* Compares the recurrence of a lane with the reference, which has no gradient at the final state
 * and no scale. */
static void compare_lane(const f2l_op_vectors *v, size_t s, size_t h)
{
    f2l_vector_lane a, b;
    const size_t tokens = v->at[s + 1] - v->at[s];
    bool exact = true;
    cr_assert_eq(f2l_vector_lane_make(&a, v->about, tokens, NULL), F2L_OK);
    cr_assert_eq(f2l_vector_lane_make(&b, v->about, tokens, NULL), F2L_OK);
    f2l_vector_lane_take(&a, v, s, h);
    const size_t K = a.key, V = a.value, N = a.factors;
    memset(a.dend, 0, K * V * sizeof *a.dend);
    cr_assert_eq(f2l_vector_recurrence(&a, &exact, NULL), F2L_OK);
    cr_assert(exact);
    double *gate = f2l_calloc(tokens, sizeof *gate), *dgate = f2l_calloc(tokens, sizeof *gate);
    for (size_t t = 0; t < tokens; t++) gate[t] = a.gate[t * N];
    const f2l_delta_shape shape = {1, tokens, 1, N, K, V};
    const f2l_delta_in_f64 in = {a.q, a.k, a.v, a.beta, gate, a.start};
    const f2l_delta_grad_f64 grad = {b.dq, b.dk, b.dv, b.dbeta, dgate, b.dstart};
    memcpy(b.end, a.start, K * V * sizeof *b.end);
    cr_assert_eq(f2l_delta_forward_f64(b.o, b.end, &in, &shape, NULL), F2L_OK);
    for (size_t i = 0; i < tokens * V; i++) b.o[i] *= a.scale;
    for (size_t i = 0; i < tokens * V; i++) b.dout[i] = a.scale * a.dout[i];
    cr_assert_eq(f2l_delta_backward_f64(&grad, b.dout, &in, &shape, NULL), F2L_OK);
    assert_equal(a.o, b.o, tokens * V, "o");
    assert_equal(a.end, b.end, K * V, "end");
    assert_equal(a.dq, b.dq, tokens * K, "dq");
    assert_equal(a.dk, b.dk, a.rows * K, "dk");
    assert_equal(a.dv, b.dv, a.rows * V, "dv");
    assert_equal(a.dbeta, b.dbeta, a.rows, "dbeta");
    assert_equal(a.dstart, b.dstart, K * V, "dstart");
    for (size_t t = 0; t < tokens; t++) cr_assert_eq(a.dgate[t * N], gate[t] * dgate[t]);
    f2l_free(gate);
    f2l_free(dgate);
    f2l_vector_lane_free(&a);
    f2l_vector_lane_free(&b);
}

Test(vectors, are_what_the_reference_gives)
{
    static const char *const cases[][2] = {{"delta-rule", "t17"},
                                           {"gated-delta-rule", "t129"},
                                           {"delta-product", "t33-n6"},
                                           {"gated-delta-product", "t65-n8"},
                                           {"gated-delta-rule", "t193-long"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_op_vectors v = make(cases[i][0], cases[i][1]);
        for (size_t s = 0; s < v.about->sequences; s++)
            for (size_t h = 0; h < v.about->value_heads; h++) compare_lane(&v, s, h);
        f2l_op_vectors_clear(&v);
    }
}

/* Makes a lane of one key in all rows, with this beta and values of 1. */
static f2l_vector_lane one_key(const f2l_vector_case *c, double beta, double key)
{
    f2l_vector_lane lane;
    cr_assert_eq(f2l_vector_lane_make(&lane, c, 65, NULL), F2L_OK);
    for (size_t r = 0; r < 65; r++) {
        lane.k[r * c->key] = lane.q[r * c->key] = key;
        lane.v[r * c->value] = lane.dout[r * c->value] = r % 3 == 0;
        lane.beta[r] = beta;
    }
    return lane;
}

/* Returns the claims that hold of a lane in chunks of 16 rows, as a word of digits. */
static const char *claims_of(f2l_vector_lane *lane, bool *exact)
{
    static char text[F2L_CLAIMS + 1];
    bool claim[F2L_CLAIMS] = {true, true, true, true, true};
    *exact = true;
    cr_assert_eq(f2l_vector_recurrence(lane, exact, NULL), F2L_OK);
    cr_assert_eq(f2l_vector_chunks(lane, 16, f2l_format_find("bf16"), claim, exact, NULL), F2L_OK);
    for (size_t i = 0; i < F2L_CLAIMS; i++) text[i] = claim[i] ? '1' : '0';
    f2l_vector_lane_free(lane);
    return text;
}

/* At beta 1/2 with one key the inverse is short, but U is not; at 3/8 it has powers of 5/8. */
Test(vectors, claims_fail_where_they_do_not_hold)
{
    const f2l_vector_case *c = find_case(f2l_vector_op_find("delta-rule"), "t65");
    bool exact;
    f2l_vector_lane lane = one_key(c, 2, 1);
    cr_assert_str_eq(claims_of(&lane, &exact), "11111");
    cr_assert(exact);
    lane = one_key(c, 0.5, 1);
    cr_assert_eq(claims_of(&lane, &exact)[F2L_CLAIM_WU], '0');
    lane = one_key(c, 0.375, 1);
    cr_assert_eq(claims_of(&lane, &exact)[F2L_CLAIM_INVERSE], '0');
    lane = one_key(c, 1, 1 + 0x1p-8);
    cr_assert_eq(claims_of(&lane, &exact)[F2L_CLAIM_PRODUCTS], '0');
    lane = one_key(c, 0.3, 1);
    claims_of(&lane, &exact);
    cr_assert_not(exact, "rounded sums pass");
    lane = one_key(c, 2, 1);
    lane.start[1] = 257;
    cr_assert_eq(claims_of(&lane, &exact)[F2L_CLAIM_STATES], '0');
}

/* A wrong result is seen: chunks of 32 against a lane whose results were changed. */
Test(vectors, chunks_see_wrong_results)
{
    const f2l_vector_case *c = find_case(f2l_vector_op_find("delta-rule"), "t65");
    f2l_vector_lane lane = one_key(c, 2, 1);
    double *const result[] = {lane.o,  lane.end,   lane.dq,    lane.dk,
                              lane.dv, lane.dbeta, lane.dgate, lane.dstart};
    bool exact = true, claim[F2L_CLAIMS];
    const f2l_format *format = f2l_format_find("bf16");
    cr_assert_eq(f2l_vector_recurrence(&lane, &exact, NULL), F2L_OK);
    cr_assert_eq(f2l_vector_chunks(&lane, 32, format, claim, &exact, NULL), F2L_OK);
    for (size_t i = 0; i < sizeof result / sizeof *result; i++)
        for (int by = -1; by < 2; by += 2) {
            result[i][0] += by;
            cr_assert_eq(f2l_vector_chunks(&lane, 32, format, claim, &exact, NULL), F2L_EDOMAIN,
                         "result %zu", i);
            result[i][0] -= by;
        }
    cr_assert(exact);
    f2l_vector_lane_free(&lane);
}

/* Returns the nonzero numbers of a tensor. */
static size_t nonzero(const f2l_vector_tensor *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) count += t->value[i] != 0;
    return count;
}

/* No tensor is empty of content, fp16 read-outs overflow before the scale, and rows at rest have
 * more bits than any narrow format. */
Test(vectors, say_something)
{
    f2l_op_vectors v = make("gated-delta-product", "t65-n2-read-out");
    const f2l_vector_tensor *t = v.tensor;
    double top = 0;
    for (size_t i = 0; i < F2L_VECTOR_TENSORS; i++)
        if (t[i].name) cr_assert_gt(nonzero(&t[i]), 0, "%s", t[i].name);
    for (size_t i = 0; i < t[F2L_VECTOR_OUT].count; i++)
        if (t[F2L_VECTOR_OUT].value[i] > top) top = t[F2L_VECTOR_OUT].value[i];
    cr_assert(top <= 65504 && top / v.about->scale > 65504, "%g", top);
    const f2l_vector_tensor *end = &t[F2L_VECTOR_END];
    size_t wide = 0;
    for (size_t i = 0; i < end->count; i++)
        wide += f2l_format_round_nearest(f2l_format_find("tf32"), end->value[i]) != end->value[i];
    cr_assert_gt(wide, 10);
    f2l_op_vectors_clear(&v);
}

Test(vectors, file_is_read_back)
{
    f2l_op_vectors v = make("gated-delta-rule", "t17");
    f2l_safetensors_file file;
    f2l_safetensors_tensor q, g;
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    cr_assert_eq(f2l_op_vectors_write(&bytes, &v, NULL), F2L_OK);
    cr_assert_eq(f2l_safetensors_open(&file, bytes.data, bytes.size, NULL), F2L_OK);
    f2l_safetensors_find(&q, &file, "q");
    f2l_safetensors_find(&g, &file, "g");
    cr_assert(q.present && q.type == F2L_SAFETENSORS_BF16 && q.count == 2 * 17 * 3 * 32);
    for (size_t i = 0; i < q.count; i++)
        cr_assert_eq(f2l_safetensors_number(q.data + 2 * i, q.type),
                     v.tensor[F2L_VECTOR_Q].value[i]);
    cr_assert(g.present && g.type == F2L_SAFETENSORS_F32);
    f2l_safetensors_close(&file);
    f2l_buf_clear(&bytes);
    f2l_op_vectors_clear(&v);
}

/* Every head of a long file has one key in all of rows 64 .. 127, and another one elsewhere but for
 * the family of one key. */
Test(vectors, every_family_repeats_a_key)
{
    static const char *const cases[][2] = {{"delta-rule", "t193"},
                                           {"gated-delta-rule", "t193-long"},
                                           {"delta-rule", "t193-fine"},
                                           {"delta-product", "t193-n2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_op_vectors v = make(cases[i][0], cases[i][1]);
        const size_t G = v.about->heads, K = v.about->key;
        for (size_t h = 0; h < G; h++) {
            const double *k = v.tensor[F2L_VECTOR_K].value;
            size_t others = 0;
            for (size_t r = 0; r < 193; r++) {
                const bool same = memcmp(k + (r * G + h) * K, k + (64 * G + h) * K, K * 8) == 0;
                cr_assert(same || r < 64 || r > 127, "%s, head %zu, row %zu", cases[i][1], h, r);
                others += !same;
            }
            cr_assert_eq(others > 0, v.about->keys[h % 3] != F2L_KEYS_ONE);
        }
        f2l_op_vectors_clear(&v);
    }
}

/* The sizes of the arrays that the proof has on the stack. */
Test(vectors, cases_fit)
{
    const f2l_vector_case *c;
    for (const f2l_vector_op *op = f2l_vector_ops; op->name; op++)
        for (size_t i = 0; (c = f2l_vector_case_at(op, i)); i++) {
            cr_assert(c->key <= 256 && c->value <= 256 && c->key >= 32, "%s", c->name);
            cr_assert(c->value_heads % c->heads == 0 && c->value_heads <= 8 * c->heads, "%s",
                      c->name);
            cr_assert(c->factors >= 1 && (op->product || c->factors == 1), "%s", c->name);
            cr_assert_not_null(f2l_format_find(c->format), "%s", c->name);
        }
}

#ifdef F2L_MEM_FAILURES
/* Whichever allocation fails, nothing leaks and nothing is claimed. */
Test(vectors, memory_that_runs_out)
{
    const f2l_vector_op *op = f2l_vector_op_find("gated-delta-rule");
    const f2l_vector_case *c = find_case(op, "t17");
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n += n < 60 ? 1 : 7) {
        f2l_op_vectors v;
        f2l_buf bytes;
        f2l_op_vectors_init(&v);
        f2l_buf_init(&bytes);
        f2l_mem_fail_after(n, true);
        status = f2l_op_vectors_make(&v, op, c, NULL, NULL);
        if (status == F2L_OK) status = f2l_op_vectors_write(&bytes, &v, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        f2l_buf_clear(&bytes);
        f2l_op_vectors_clear(&v);
    }
}
#endif
