#include "models/learn/inspect/inspect_network.h"
#include "models/network/exact/run_exact.h"
#include "tests/support/train/data_support.h"
#include "theory/compile/compile.h"

static void compile(f2l_compile_result *out, f2l_fsa *fsa, const char *kind, uint64_t n)
{
    f2l_error err;
    const f2l_compile_options options = {.label = F2L_LABEL_STATES};
    data_family(fsa, kind, n, false);
    f2l_compile_result_init(out);
    cr_assert(f2l_compile(out, fsa, &options, NULL, &err) == F2L_OK, "%s", err.text);
}

/* Columns of A(letter), computed in exact arithmetic from the columns of the identity; the values
 * have as many columns as keys have entries where the head has none of its own. */
static double exact_entry(f2l_exact *run, const f2l_net *net, size_t head, size_t letter,
                          size_t row, size_t column)
{
    f2l_error err;
    f2l_qvec state, next, zero;
    double entry = 0;
    const size_t d = net->layer[0].head[head].d;
    f2l_qvec_init(&state);
    f2l_qvec_init(&next);
    f2l_qvec_init(&zero);
    cr_assert(f2l_qvec_push_si(&state, (uint32_t)(column * d), 1, 1, &err) == F2L_OK);
    cr_assert(f2l_exact_step_head(run, &next, 0, head, letter, &state, &err) == F2L_OK);
    for (size_t i = 0; i < next.count; i++)
        if (next.index[i] == row * d) entry = mpq_get_d(next.value[i]);
    f2l_qvec_clear(&state);
    f2l_qvec_clear(&next);
    f2l_qvec_clear(&zero);
    return entry;
}

/* The matrices, as f2l_inspect_apply has them, are those of exact arithmetic, and the eigenvalues
 * have their traces. */
Test(inspect_network, matrices_are_exact)
{
    f2l_compile_result c;
    f2l_fsa fsa;
    f2l_error err;
    f2l_exact *run = NULL;
    f2l_inspect x;
    uint32_t letter[24];
    compile(&c, &fsa, "symmetric", 4);
    cr_assert(c.net.layers == 1 && f2l_exact_new(&run, &c.net, &err) == F2L_OK);
    for (uint32_t a = 0; a < 24; a++) letter[a] = a;
    f2l_inspect_init(&x);
    cr_assert(f2l_inspect_build_network(&x, &c.net, letter, 24, NULL, NULL, &err) == F2L_OK);
    for (size_t a = 0; a < 24; a++) {
        double m[256] = {0}, trace = 0, sum = (double)(x.key_dim - x.reduced);
        cr_assert(x.key_dim <= 16 && x.heads == 1);
        for (size_t i = 0; i < x.key_dim; i++) m[i * (x.key_dim + 1)] = 1;
        f2l_inspect_apply(m, &x, 0, a, x.key_dim);
        for (size_t i = 0; i < x.key_dim; i++)
            for (size_t k = 0; k < x.key_dim; k++) {
                const double exact = exact_entry(run, &c.net, 0, a, i, k);
                cr_assert(fabs(m[i * x.key_dim + k] - exact) < 1e-12);
                trace += i == k ? exact : 0;
            }
        for (size_t i = 0; i < x.reduced; i++) sum += x.head[0].re[a * x.reduced + i];
        cr_assert(fabs(sum - trace) < 1e-9 && x.head[0].distance[a] < 1e-9);
    }
    f2l_inspect_clear(&x);
    f2l_exact_free(run);
    f2l_compile_result_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* Seventeen factors are more than a trained model may have. */
Test(inspect_network, too_many_factors)
{
    f2l_compile_result c;
    f2l_fsa fsa;
    f2l_error err;
    f2l_inspect x;
    uint32_t letter[6] = {0, 1, 2, 3, 4, 5};
    compile(&c, &fsa, "symmetric", 3);
    f2l_transition *t = &c.net.layer[0].head[0].letter[1];
    const f2l_factor *some = NULL;
    for (size_t a = 0; a < 6 && some == NULL; a++)
        if (c.net.layer[0].head[0].letter[a].factors > 0 && a != 1)
            some = &c.net.layer[0].head[0].letter[a].factor[0];
    cr_assert(some != NULL && f2l_transition_set_factors(t, 17, &err) == F2L_OK);
    for (size_t i = 0; i < 17; i++) {
        mpq_set(t->factor[i].beta, some->beta);
        cr_assert(f2l_qvec_copy(&t->factor[i].u, &some->u, &err) == F2L_OK);
    }
    f2l_inspect_init(&x);
    cr_assert_eq(f2l_inspect_build_network(&x, &c.net, letter, 6, NULL, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "17 factors"));
    f2l_compile_result_clear(&c);
    f2l_fsa_clear(&fsa);
}
