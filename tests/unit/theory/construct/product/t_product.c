/* Products of networks: against the automata that they were made from, word for word and by
 * closure, and what must be refused. */
#include "automata/fsa/subdirect.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/definite_support.h"
#include "tests/support/theory/t4_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/product/product.h"

#define SEED 20261123
#define MOST_PARTS 3
#define MOST_STATES 64

/* A product of small automata: letter a acts on some of them, and leaves the others where they
 * are. */
typedef struct model {
    size_t parts, letters, size[MOST_PARTS];
    uint32_t next[MOST_PARTS][4][6]; /* [part][state][letter] */
} model;

static void random_model(model *m, f2l_rng *rng)
{
    m->parts = 2 + f2l_rng_below(rng, MOST_PARTS - 1);
    m->letters = 2 + f2l_rng_below(rng, 4);
    for (size_t i = 0; i < m->parts; i++) {
        m->size[i] = 2 + f2l_rng_below(rng, 3);
        for (size_t a = 0; a < m->letters; a++) {
            const bool acts = f2l_rng_below(rng, 3) != 0;
            for (size_t q = 0; q < m->size[i]; q++)
                m->next[i][q][a] = (uint32_t)(acts ? f2l_rng_below(rng, m->size[i]) : q);
        }
    }
}

/* Makes the reachable part of the product. */
static void multiply(f2l_fsa *fsa, const model *m)
{
    size_t n = 1;
    uint32_t next[MOST_STATES * 6];
    for (size_t i = 0; i < m->parts; i++) n *= m->size[i];
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < m->letters; a++) {
            size_t left = q, unit = 1, to = 0;
            for (size_t i = 0; i < m->parts; i++) {
                to += unit * m->next[i][left % m->size[i]][a];
                left /= m->size[i];
                unit *= m->size[i];
            }
            next[q * m->letters + a] = (uint32_t)to;
        }
    make_trimmed(fsa, n, m->letters, next, NULL);
}

/* The networks of the factors of an automaton. */
typedef struct factors {
    f2l_subdirect subdirect;
    f2l_fsa fsa[16];
    compiled built[16];
    const f2l_net *net[16];
} factors;

/* Returns whether the automaton has factors, all with networks of layers. */
static bool take_apart(factors *f, const f2l_fsa *fsa)
{
    bool layers = true;
    f2l_subdirect_init(&f->subdirect);
    if (f2l_subdirect_find(&f->subdirect, fsa, NULL, NULL) != F2L_OK) return false;
    cr_assert(f->subdirect.parts <= 16);
    for (size_t i = 0; i < f->subdirect.parts; i++) {
        f2l_fsa_init(&f->fsa[i]);
        cr_assert(f2l_fsa_quotient(&f->fsa[i], fsa, f->subdirect.class_of[i],
                                   f->subdirect.classes[i], false, false, NULL, NULL) == F2L_OK);
        compiled_init(&f->built[i], F2L_LABEL_STATES);
        cr_assert(f2l_compile(&f->built[i].result, &f->fsa[i], &f->built[i].options, NULL,
                              &f->built[i].err) == F2L_OK);
        f->net[i] = &f->built[i].result.net;
        layers = layers && !f2l_net_is_wired(&f->built[i].result.net);
    }
    return layers;
}

static void clear(factors *f)
{
    for (size_t i = 0; i < f->subdirect.parts; i++) {
        f2l_compile_result_clear(&f->built[i].result);
        f2l_fsa_clear(&f->fsa[i]);
    }
    f2l_subdirect_clear(&f->subdirect);
}

/* Checks the figures of X: maxima, and a sum of the state numbers. */
static void check_figures(const f2l_net *net, const factors *f)
{
    f2l_net_size all, one;
    size_t layers = 0, householders = 0, key = 0, states = 0;
    f2l_net_measure(&all, net);
    for (size_t i = 0; i < f->subdirect.parts; i++) {
        f2l_net_measure(&one, f->net[i]);
        if (one.layers > layers) layers = one.layers;
        if (one.householders > householders) householders = one.householders;
        if (one.key_dim > key) key = one.key_dim;
        states += one.states;
    }
    cr_assert(all.layers == layers && all.householders == householders && all.key_dim == key &&
              all.states == states);
}

Test(product, random_products_are_right)
{
    f2l_rng rng;
    size_t made = 0, large = 0, deep = 0, uneven = 0;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t number = 0; number < 60; number++) {
        model m;
        f2l_fsa fsa;
        f2l_net net;
        factors f;
        f2l_error err;
        random_model(&m, &rng);
        multiply(&fsa, &m);
        if (fsa.states.count > 1 && take_apart(&f, &fsa)) {
            f2l_net_init(&net);
            const f2l_status status = f2l_product_build(&net, &fsa, F2L_LABEL_STATES, f.net,
                                                        f.subdirect.parts, NULL, &err);
            if (status == F2L_UNKNOWN) { /* too many joint states: the wired product is for these */
                cr_assert(large++ < 12, "product %zu: %s", number, err.text);
                clear(&f);
                f2l_fsa_clear(&fsa);
                continue;
            }
            cr_assert(status == F2L_OK, "product %zu: %s", number, err.text);
            cr_assert(f2l_fsa_sha256(&fsa, net.fsa_sha256, NULL) == F2L_OK);
            cr_assert(f2l_net_validate(&net, &err) == F2L_OK, "%s", err.text);
            f2l_closure closure;
            f2l_closure_init(&closure);
            cr_assert(f2l_closure_exact(&closure, &net, &fsa, 0, NULL, &err) == F2L_OK);
            cr_assert(closure.verdict == F2L_OK, "product %zu", number);
            f2l_closure_clear(&closure);
            check_figures(&net, &f);
            runner r;
            runner_init(&r, &net, &fsa);
            for (size_t word = 0; word < 10; word++) t4_run_word(&r, &rng, 40);
            runner_clear(&r);
            made++;
            deep += net.layers > 1;
            for (size_t i = 1; i < f.subdirect.parts; i++)
                if (f.net[i]->layers != f.net[0]->layers) {
                    uneven++;
                    break;
                }
            f2l_net_clear(&net);
        }
        if (fsa.states.count > 1) clear(&f);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(made > 30 && deep > 5 && uneven > 3, "%zu made, %zu deep, %zu uneven", made, deep,
              uneven);
}

/* Makes N bits: letters 2i and 2i + 1 set and clear bit i. */
static void make_bits(f2l_fsa *fsa, size_t bits)
{
    const size_t n = (size_t)1 << bits, k = 2 * bits;
    uint32_t *next = f2l_calloc(n, k * sizeof *next);
    cr_assert(next);
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < k; a++)
            next[q * k + a] =
                (uint32_t)(a % 2 ? q & ~((size_t)1 << a / 2) : q | (size_t)1 << a / 2);
    make(fsa, n, k, next, NULL);
    f2l_free(next);
}

/* Bits are slots of one head (K.6) while the search for slots tries all functions, and else a head
 * each; the figures beside the heads are the same. */
Test(product, bits_are_one_layer_with_one_number_each)
{
    for (size_t bits = 2; bits <= 7; bits++) {
        f2l_fsa fsa;
        compiled c;
        f2l_net_size size;
        make_bits(&fsa, bits);
        compiled_init(&c, F2L_LABEL_STATES);
        cr_assert(f2l_compile(&c.result, &fsa, &c.options, NULL, &c.err) == F2L_OK);
        const bool slots = bits <= 4;
        cr_assert_str_eq(c.result.theorem, slots ? "K.6" : "X", "%zu bits", bits);
        cr_assert(c.result.exact.verdict == F2L_OK && c.result.unrounded);
        f2l_net_measure(&size, &c.result.net);
        cr_assert(size.layers == 1 && size.heads == (slots ? 1 : bits) && size.householders == 1 &&
                  size.key_dim == (slots ? bits : 1) && size.states == bits &&
                  size.codes == (size_t)1 << bits);
        f2l_compile_result_clear(&c.result);
        f2l_fsa_clear(&fsa);
    }
}

/* A network for another automaton, networks that do not determine the state, boxes, few steps. */
Test(product, refusals)
{
    f2l_fsa fsa;
    f2l_net net;
    factors f;
    f2l_error err;
    make_bits(&fsa, 3);
    cr_assert(take_apart(&f, &fsa) && f.subdirect.parts == 3);
    f2l_net_init(&net);
    cr_assert(f2l_product_build(&net, &fsa, F2L_LABEL_STATES, f.net, 2, NULL, &err) ==
                  F2L_EDOMAIN &&
              net.layers == 0);
    cr_assert(f2l_product_build(&net, &fsa, F2L_LABEL_OUTPUTS, f.net, 3, NULL, &err) ==
              F2L_EDOMAIN);
    f2l_effort effort = {.limit = 1000};
    const f2l_task task = {.effort = &effort};
    cr_assert(f2l_product_build(&net, &fsa, F2L_LABEL_STATES, f.net, 3, &task, &err) ==
                  F2L_UNKNOWN &&
              effort.refused && net.layers == 0);
    f2l_net *boxed = &f.built[0].result.net;
    cr_assert(f2l_layer_set_boxes(&boxed->layer[0], NULL) == F2L_OK);
    cr_assert(f2l_product_build(&net, &fsa, F2L_LABEL_STATES, f.net, 3, NULL, &err) == F2L_EDOMAIN);
    clear(&f);
    f2l_fsa_clear(&fsa);
}
