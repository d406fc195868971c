#include "models/network/exact/run_exact.h"
#include "tests/support/models/net_samples.h"
#include <stdlib.h>

/* A dense matrix of rationals, for the textbook computation. */
typedef struct matrix {
    size_t rows, columns;
    mpq_t *at;
} matrix;

static matrix matrix_new(size_t rows, size_t columns)
{
    matrix m = {rows, columns, malloc(rows * columns * sizeof(mpq_t))};
    for (size_t i = 0; i < rows * columns; i++) mpq_init(m.at[i]);
    return m;
}

static void matrix_free(matrix m)
{
    for (size_t i = 0; i < m.rows * m.columns; i++) mpq_clear(m.at[i]);
    free(m.at);
}

static matrix matrix_of(const f2l_qvec *v, size_t rows, size_t columns)
{
    matrix m = matrix_new(rows, columns);
    for (size_t i = 0; i < v->count; i++) mpq_set(m.at[v->index[i]], v->value[i]);
    return m;
}

static matrix times(matrix a, matrix b)
{
    matrix c = matrix_new(a.rows, b.columns);
    mpq_t t;
    mpq_init(t);
    for (size_t i = 0; i < a.rows; i++) {
        for (size_t j = 0; j < b.columns; j++) {
            for (size_t k = 0; k < a.columns; k++) {
                mpq_mul(t, a.at[i * a.columns + k], b.at[k * b.columns + j]);
                mpq_add(c.at[i * c.columns + j], c.at[i * c.columns + j], t);
            }
        }
    }
    mpq_clear(t);
    return c;
}

/* A = I - (beta / u^T u) u u^T and B = (beta / u^T u) u c^T, in a raw head without u^T u: the
 * factor as a dense affine map S -> A S + B. */
static void dense_factor(matrix *A, matrix *B, const f2l_factor *factor, const f2l_head *head)
{
    const size_t n = head->n, d = head->d;
    matrix u = matrix_of(&factor->u, n, 1), c = matrix_of(&factor->c, 1, d),
           ut = matrix_of(&factor->u, 1, n);
    matrix norm2 = times(ut, u);
    *A = times(u, ut);
    *B = times(u, c);
    if (head->raw) mpq_set_ui(norm2.at[0], 1, 1);
    mpq_div(norm2.at[0], factor->beta, norm2.at[0]);
    for (size_t i = 0; i < n * n; i++) {
        mpq_mul(A->at[i], A->at[i], norm2.at[0]);
        mpq_neg(A->at[i], A->at[i]);
    }
    mpq_set_ui(norm2.at[0], 1, 1);
    for (size_t i = 0; i < n; i++) mpq_add(A->at[i * n + i], A->at[i * n + i], norm2.at[0]);
    matrix norm = times(ut, u);
    if (head->raw) mpq_set_ui(norm.at[0], 1, 1);
    mpq_div(norm.at[0], factor->beta, norm.at[0]);
    for (size_t i = 0; i < n * d; i++) mpq_mul(B->at[i], B->at[i], norm.at[0]);
    matrix_free(u);
    matrix_free(c);
    matrix_free(ut);
    matrix_free(norm2);
    matrix_free(norm);
}

static matrix dense_step(const f2l_head *head, size_t letter, const f2l_qvec *state)
{
    const f2l_transition *transition = &head->letter[letter];
    matrix S = matrix_of(state, head->n, head->d);
    for (size_t i = 0; i < head->n * head->d; i++) mpq_mul(S.at[i], S.at[i], transition->gate);
    for (size_t f = 0; f < transition->factors; f++) {
        matrix A, B;
        dense_factor(&A, &B, &transition->factor[f], head);
        matrix next = times(A, S);
        for (size_t i = 0; i < head->n * head->d; i++) mpq_add(next.at[i], next.at[i], B.at[i]);
        matrix_free(A);
        matrix_free(B);
        matrix_free(S);
        S = next;
    }
    for (size_t i = 0; i < transition->bias.count; i++) {
        mpq_ptr entry = S.at[transition->bias.index[i]];
        mpq_add(entry, entry, transition->bias.value[i]);
    }
    return S;
}

static bool equals(const f2l_qvec *v, matrix m)
{
    size_t k = 0;
    for (size_t i = 0; i < m.rows * m.columns; i++) {
        bool stored = k < v->count && v->index[k] == i;
        if (stored ? !mpq_equal(v->value[k], m.at[i]) || mpq_sgn(m.at[i]) == 0
                   : mpq_sgn(m.at[i]) != 0)
            return false;
        k += stored;
    }
    return k == v->count;
}

static void compare_heads(const f2l_net *net, f2l_rng *rng, const sample_shape *shape,
                          size_t number)
{
    f2l_exact *run;
    cr_assert(f2l_exact_new(&run, net, NULL) == F2L_OK);
    for (size_t l = 0; l < net->layers; l++) {
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const f2l_head *head = &net->layer[l].head[h];
            f2l_qvec state, out;
            f2l_qvec_init(&state);
            f2l_qvec_init(&out);
            sample_vector(&state, rng, head->n * head->d, 0, shape);
            for (size_t step = 0; step < 6; step++) {
                size_t letter = f2l_rng_below(rng, net->layer[l].letters);
                matrix expected = dense_step(head, letter, &state);
                cr_assert(f2l_exact_step_head(run, &out, l, h, letter, &state, NULL) == F2L_OK);
                cr_assert(equals(&out, expected), "seed 81, network %zu, layer %zu, head %zu",
                          number, l, h);
                cr_assert(f2l_exact_step_head(run, &state, l, h, letter, &state, NULL) == F2L_OK);
                cr_assert(f2l_qvec_compare(&state, &out) == 0, "in place");
                matrix_free(expected);
            }
            f2l_qvec_clear(&state);
            f2l_qvec_clear(&out);
        }
    }
    f2l_exact_free(run);
}

/* Small dyadic weights are computed in the integers; others overflow them or leave remainders, and
 * GMP must take over. */
Test(run_exact, steps_are_dense_matrix_products)
{
    const sample_shape shapes[] = {{2, 2, 4, 6, 3, 3, 4, true, 5},
                                   {2, 2, 4, 5, 3, 3, 4, false, 6},
                                   {1, 2, 4, 5, 2, 3, 4, false, 4000000000ul},
                                   {1, 1, 3, 4, 2, 3, 4, true, 4000000000000000000ul},
                                   {1, 1, 3, 4, 2, 3, 4, false, 4000000000000000000ul}};
    f2l_rng rng;
    f2l_rng_init(&rng, 81, 0);
    for (size_t i = 0; i < 250; i++) {
        f2l_net net;
        sample_random(&net, &rng, &shapes[i % 5]);
        if (i % 2) sample_make_raw(&net, &rng, &shapes[i % 5]);
        compare_heads(&net, &rng, &shapes[i % 5], i);
        f2l_net_clear(&net);
    }
}

/* Each state makes one operation of the integer arithmetic overflow: a product and a sum, which
 * would wrap to 0 and leave the state as it is, and the last difference. */
Test(run_exact, overflows_are_noticed)
{
    static const struct {
        const char *u;
        long state[4];
    } cases[] = {
        {"1:1073741824 2:1", {2305843009213693952, 0, 0, 0}},
        {"1:1 2:1 3:1 4:1", {1l << 62, 1l << 62, 1l << 62, 1l << 62}},
        {"1:1 2:1 3:1", {8100000000000000000, -6000000000000000000, -6000000000000000000, 0}}};
    for (size_t i = 0; i < 3; i++) {
        f2l_buf text;
        f2l_net net;
        f2l_exact *run;
        f2l_qvec state, out;
        f2l_buf_init(&text);
        f2l_buf_printf(&text,
                       "lrnn 2\n"
                       "fsa %s\n"
                       "field Q\n"
                       "label states\n"
                       "letters 1\n"
                       "letter a\n"
                       "labels 1\n"
                       "symbol q\n"
                       "start 1\n"
                       "layers 1\n"
                       "layer 1 letters 1 heads 1 codes 1 symbols 1 decode state\n"
                       "head 1 key 4 value 1\n"
                       "initial\n"
                       "on 1 gate 1 factors 1\n"
                       "factor 2 u %s\n"
                       "code 1 1\n"
                       "end\n",
                       SAMPLE_SHA, cases[i].u);
        sample_read(&net, text.data);
        cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
        f2l_qvec_init(&state);
        f2l_qvec_init(&out);
        for (uint32_t k = 0; k < 4; k++) sample_push(&state, k, cases[i].state[k], 1);
        cr_assert(f2l_exact_step_head(run, &out, 0, 0, 0, &state, NULL) == F2L_OK);
        matrix expected = dense_step(&net.layer[0].head[0], 0, &state);
        cr_assert(equals(&out, expected), "case %zu", i);
        matrix_free(expected);
        f2l_qvec_clear(&state);
        f2l_qvec_clear(&out);
        f2l_exact_free(run);
        f2l_net_clear(&net);
        f2l_buf_clear(&text);
    }
}

Test(run_exact, parity_of_all_short_words)
{
    f2l_net net;
    f2l_exact *run;
    sample_read(&net, SAMPLE_PARITY);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    for (size_t word = 0; word < 1024; word++) {
        size_t joint, label = 9, layer = 9;
        cr_assert(f2l_exact_start(run, &joint, NULL) == F2L_OK && joint == 0);
        for (size_t t = 0; t < 10; t++)
            cr_assert(f2l_exact_step(run, &joint, word >> t & 1, &label, &layer, NULL) == F2L_OK);
        cr_assert(label == (size_t)__builtin_popcountl(word) % 2 && joint == label && layer == 0);
    }
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

/* The small arithmetic is used where D b is an integer, and GMP where it is not. */
Test(run_exact, raw_heads_and_biases)
{
    for (size_t i = 0; i < 2; i++) {
        f2l_net net;
        f2l_exact *run;
        size_t joint, label = 0;
        char *text = sample_edited(SAMPLE_RAW, "c 1:1\n", i == 0 ? "c 1:1\n" : "c 1:4/3\n");
        char *whole = sample_edited(text, "bias 1.1:2", i == 0 ? "bias 1.1:2" : "bias 1.1:5/3");
        sample_read(&net, whole);
        cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
        cr_assert(f2l_exact_start(run, &joint, NULL) == F2L_OK && joint == 0);
        for (size_t t = 1; t < 10; t++) {
            cr_assert(f2l_exact_step(run, &joint, 1, &label, NULL, NULL) == F2L_OK &&
                      label == t % 2);
            cr_assert(f2l_exact_step(run, &joint, 0, &label, NULL, NULL) == F2L_OK &&
                      label == t % 2);
        }
        f2l_exact_free(run);
        f2l_net_clear(&net);
        free(text);
        free(whole);
    }
}

Test(run_exact, gate_zero_resets_a_flip_flop)
{
    f2l_net net;
    f2l_exact *run;
    f2l_rng rng;
    f2l_rng_init(&rng, 82, 0);
    sample_read(&net, SAMPLE_FLIPFLOP);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    size_t joint, label, side = 1, lefts = 0;
    cr_assert(f2l_exact_start(run, &joint, NULL) == F2L_OK && joint == 2);
    for (size_t t = 0; t < 1000; t++) {
        size_t letter = f2l_rng_below(&rng, 3);
        cr_assert(f2l_exact_step(run, &joint, letter, &label, NULL, NULL) == F2L_OK);
        if (letter > 0) side = letter - 1;
        if (letter == 1) lefts = 1 - lefts;
        cr_assert(label == 2 * side + lefts, "seed 82, letter %zu", t);
    }
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

Test(run_exact, s3_in_two_layers_of_one_reflection)
{
    f2l_net net;
    f2l_exact *run;
    f2l_rng rng;
    f2l_rng_init(&rng, 83, 0);
    sample_s3_layers(&net);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    size_t joint[2], label, element = 0;
    cr_assert(f2l_exact_start(run, joint, NULL) == F2L_OK && joint[0] == 0 && joint[1] == 0);
    for (size_t t = 0; t < 5000; t++) {
        size_t letter = f2l_rng_below(&rng, 6);
        element = sample_s3_times(element, letter);
        cr_assert(f2l_exact_step(run, joint, letter, &label, NULL, NULL) == F2L_OK);
        cr_assert(label == element, "seed 83, letter %zu", t);
    }
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

Test(run_exact, finds_codes)
{
    f2l_net net;
    f2l_exact *run;
    sample_read(&net, SAMPLE_FLIPFLOP);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    for (size_t c = 0; c < 4; c++)
        cr_assert(f2l_exact_find_code(run, 0, &net.layer[0].code[2 * c]) == c);
    f2l_qvec other[2];
    f2l_qvec_init(&other[0]);
    f2l_qvec_init(&other[1]);
    cr_assert(f2l_exact_find_code(run, 0, other) == F2L_NO_INDEX);
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

/* A cycle of 2,000 points on doubled coordinates has 1,999 factors of four coordinates, and states
 * of two. */
Test(run_exact, sparse_states_in_a_large_dimension)
{
    const size_t points = 2000;
    f2l_net net;
    f2l_exact *run;
    f2l_net_init(&net);
    sample_name(&net.letters, "a");
    sample_name(&net.labels, "q");
    cr_assert(f2l_net_set_layers(&net, 1, NULL) == F2L_OK);
    f2l_layer *layer = &net.layer[0];
    cr_assert(f2l_layer_set_heads(layer, 1, 1, NULL) == F2L_OK);
    layer->head[0].n = 2 * points;
    layer->head[0].d = 1;
    cr_assert(f2l_transition_set_factors(&layer->head[0].letter[0], points - 1, NULL) == F2L_OK);
    for (uint32_t i = 0; i + 1 < points; i++) { /* (i i+1), in order: point 0 moves to the end */
        f2l_factor *factor = &layer->head[0].letter[0].factor[i];
        mpq_set_ui(factor->beta, 2, 1);
        sample_push(&factor->u, i, 1, 1);
        sample_push(&factor->u, i + 1, -1, 1);
        sample_push(&factor->u, i + (uint32_t)points, 1, 1);
        sample_push(&factor->u, i + 1 + (uint32_t)points, -1, 1);
    }
    cr_assert(f2l_layer_set_codes(layer, points, 1, false, NULL) == F2L_OK);
    for (uint32_t i = 0; i < points; i++) {
        sample_push(&layer->code[i], i, 1, 1);
        sample_push(&layer->code[i], i + (uint32_t)points, 1, 1);
        layer->symbol[i] = 0;
    }
    cr_assert(f2l_qvec_copy(&layer->head[0].initial, &layer->code[0], NULL) == F2L_OK);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    size_t joint, label;
    cr_assert(f2l_exact_start(run, &joint, NULL) == F2L_OK && joint == 0);
    for (size_t t = 1; t <= 3 * points; t++) {
        cr_assert(f2l_exact_step(run, &joint, 0, &label, NULL, NULL) == F2L_OK);
        cr_assert(joint == (points - t % points) % points, "step %zu", t);
    }
    f2l_exact_free(run);
    f2l_net_clear(&net);
}
