/* Wired products: against the automata that they were made from, word for word, by joint closure
 * and by their parts; and changed networks, which must not be proved. */
#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/product/wired_product_support.h"
#include "theory/certify/closure/closure.h"
#include <stdio.h>

#define SEED 20261127
#define CLOSED_ROWS 20000

/* Runs random words through network and automaton. */
static void run_words(const side_case *s, size_t words, size_t length, f2l_rng *rng)
{
    const size_t k = s->fsa.letters.count;
    f2l_exact *run;
    cr_assert_eq(f2l_exact_new(&run, &s->net, NULL), F2L_OK);
    size_t *joint = f2l_calloc(f2l_net_joint(&s->net), sizeof *joint);
    for (size_t w = 0; w < words; w++) {
        size_t state = s->fsa.start, label;
        cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
        for (size_t t = 0; t < length; t++) {
            const size_t a = f2l_rng_below(rng, k);
            state = s->fsa.next[state * k + a];
            cr_assert_eq(f2l_exact_step(run, joint, a, &label, NULL, NULL), F2L_OK);
            cr_assert_str_eq(f2l_names_get(&s->net.labels, label),
                             f2l_fsa_label(&s->fsa, F2L_LABEL_STATES, state));
        }
    }
    f2l_free(joint);
    f2l_exact_free(run);
}

/* Returns whether the joint closure proves the network; it must not refute it. */
static bool closes(const side_case *s)
{
    f2l_closure closure;
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &s->net, &s->fsa, CLOSED_ROWS, NULL, NULL), F2L_OK);
    cr_assert_neq(closure.verdict, F2L_REFUTED);
    const bool closed = closure.verdict == F2L_OK;
    f2l_closure_clear(&closure);
    return closed;
}

/* Checks the figures of X.4: maxima, and sums of state numbers. */
static void check_figures(const side_case *s)
{
    f2l_net_size all, one;
    size_t layers = 0, states = 0, key = 0;
    f2l_net_measure(&all, &s->net);
    for (size_t i = 0; i < s->subdirect.parts; i++) {
        f2l_net_measure(&one, s->part[i].net);
        if (one.layers > layers) layers = one.layers;
        if (one.key_dim > key) key = one.key_dim;
        states += one.states;
    }
    cr_assert(all.layers == layers && all.states == states && all.key_dim == key);
}

static void check_case(side_case *s, f2l_rng *rng)
{
    cr_assert_eq(side_build(s, F2L_LABEL_STATES, NULL), F2L_OK, "%s", s->err.text);
    cr_assert_eq(f2l_wired_validate(&s->net, &s->err), F2L_OK, "%s", s->err.text);
    cr_assert_eq(side_verify(s, NULL), F2L_OK, "%s", s->err.text);
    cr_assert_eq(side_verify(s, "bf16"), F2L_OK, "%s", s->err.text);
    check_figures(s);
    run_words(s, 10, 40, rng);
}

Test(wired_product, random_products_are_right)
{
    f2l_rng rng;
    size_t made = 0, closed = 0, uneven = 0, tables = 0, rules = 0;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t number = 0; number < 60; number++) {
        side_case s;
        side_random(&s.fsa, 2 + number % 2, 4, 2 + f2l_rng_below(&rng, 4), &rng);
        if (side_take_apart(&s, number % 3 > 0)) {
            check_case(&s, &rng);
            closed += closes(&s);
            made++;
            for (size_t i = 0; i < s.subdirect.parts; i++) {
                tables += s.part[i].claim == F2L_CERT_EXACT;
                rules += s.part[i].claim == F2L_CERT_ZEIGER;
                uneven += s.part[i].net->stages != s.part[0].net->stages;
            }
        }
        side_clear(&s);
    }
    cr_assert(made > 30 && closed > 20 && uneven > 10 && tables > 10 && rules > 10,
              "%zu %zu %zu %zu %zu", made, closed, uneven, tables, rules);
}

/* Letters that act on one part only are one letter of the others, and the states of a cascade by
 * rule and of a flip-flop are joined. */
static const char two_sides[] = "fsa 1\n"
                                "letters a b c d\n"
                                "states 0x 1x 2x 0y 1y 2y\n"
                                "start 0x\n"
                                "0x a 1x\n0x b 0x\n0x c 0x\n0x d 0y\n"
                                "1x a 2x\n1x b 0x\n1x c 1x\n1x d 1y\n"
                                "2x a 2x\n2x b 1x\n2x c 2x\n2x d 2y\n"
                                "0y a 1y\n0y b 0y\n0y c 0x\n0y d 0y\n"
                                "1y a 2y\n1y b 0y\n1y c 1x\n1y d 1y\n"
                                "2y a 2y\n2y b 1y\n2y c 2x\n2y d 2y\n";

static void open_two_sides(side_case *s)
{
    f2l_fsa_init(&s->fsa);
    fsa_from_text(&s->fsa, two_sides);
    cr_assert(side_take_apart(s, false));
    cr_assert_eq(side_build(s, F2L_LABEL_STATES, NULL), F2L_OK, "%s", s->err.text);
}

Test(wired_product, letters_that_act_alike_are_one)
{
    side_case s;
    open_two_sides(&s);
    cr_assert_eq(s.subdirect.parts, 2);
    cr_assert(s.division.part[0].letters == 3 && s.division.part[1].letters == 3);
    cr_assert_eq(side_verify(&s, NULL), F2L_OK);
    side_clear(&s);
}

/* Changes one number and checks that nothing is proved; puts the number back. */
#define REFUSED_WITH(number, other) \
    do { \
        const __typeof__(number) was = (number); \
        (number) = (other); \
        cr_expect_neq(side_verify(&s, NULL), F2L_OK, "%s", #number " = " #other); \
        (number) = was; \
        cr_assert_eq(side_verify(&s, NULL), F2L_OK, "%s", s.err.text); \
    } while (0)

Test(wired_product, changed_divisions_prove_nothing)
{
    side_case s;
    open_two_sides(&s);
    f2l_division_part *part = s.division.part;
    REFUSED_WITH(part[0].first, part[0].first + 1);
    REFUSED_WITH(part[0].first, 0);
    REFUSED_WITH(part[0].stages, SIZE_MAX);
    REFUSED_WITH(part[1].stages, part[1].stages - 1);
    REFUSED_WITH(part[0].letters, part[0].letters + 1);
    REFUSED_WITH(part[0].classes, part[0].classes + 1);
    REFUSED_WITH(part[0].class_of[1], 0);
    REFUSED_WITH(part[1].class_of[4], UINT32_MAX);
    REFUSED_WITH(part[0].class_of[s.fsa.start], UINT32_MAX);
    REFUSED_WITH(part[0].claim, F2L_CERT_D1);
    REFUSED_WITH(s.division.parts, 1);
    REFUSED_WITH(s.division.blocks, s.division.blocks - 1);
    for (size_t b = 1; b + 1 < s.division.blocks; b++) {
        f2l_share *share = &s.division.share[2 * b];
        REFUSED_WITH(share->inputs, SIZE_MAX);
        REFUSED_WITH(share->pres, share->pres + 1);
        REFUSED_WITH(share->heads, share->heads + 1);
        REFUSED_WITH(share->posts, SIZE_MAX);
        REFUSED_WITH(share->outputs, share->outputs - 1);
    }
    side_clear(&s);
}

/* The classes of the parts, exchanged. */
Test(wired_product, exchanged_parts_prove_nothing)
{
    side_case s;
    open_two_sides(&s);
    const f2l_division_part first = s.division.part[0];
    s.division.part[0] = s.division.part[1];
    s.division.part[1] = first;
    cr_assert_neq(side_verify(&s, NULL), F2L_OK);
    side_clear(&s);
}

/* Each gate and slot of a part, made to read a wire of the same size of the other part, and each
 * entry of the tables of the first and the last stage, made another one. */
Test(wired_product, changed_networks_are_not_proved)
{
    side_case s;
    size_t changed = 0;
    open_two_sides(&s);
    for (size_t b = 1; b + 1 < s.net.blocks; b++) {
        f2l_wired_block *block = &s.net.block[b];
        const size_t in = s.division.share[2 * b].inputs, pres = s.division.share[2 * b].pres;
        for (size_t g = 0; g < pres; g++)
            for (size_t i = 0; i < s.net.table[block->pre[g].table].inputs; i++)
                for (uint32_t w = (uint32_t)in; w < block->inputs; w++) {
                    if (block->input_size[w] != s.net.table[block->pre[g].table].size[i]) continue;
                    REFUSED_WITH(block->pre[g].wire[i], w);
                    changed++;
                }
    }
    const size_t ends[] = {s.net.block[0].pre[0].table, s.net.block[0].pre[1].table,
                           s.net.block[s.net.blocks - 1].pre[0].table};
    for (size_t t = 0; t < 3; t++) {
        f2l_wired_table *table = &s.net.table[ends[t]];
        for (size_t e = 0; e < table->entries; e++) {
            REFUSED_WITH(table->value[e], (uint32_t)((table->value[e] + 1) % table->values));
            changed++;
        }
    }
    REFUSED_WITH(s.net.start, (s.net.start + 1) % s.net.labels.count);
    cr_assert(changed > 20, "%zu", changed);
    side_clear(&s);
}

/* A factor of a head, and a code of a readout. */
Test(wired_product, changed_heads_are_not_proved)
{
    side_case s;
    open_two_sides(&s);
    for (size_t b = 1; b + 1 < s.net.blocks; b++)
        for (size_t h = 0; h < s.net.block[b].heads; h++) {
            f2l_head *head = &s.net.block[b].head[h].head;
            size_t letter = 0;
            while (head->letter[letter].factors == 0) letter++;
            mpq_set_ui(head->letter[letter].factor[0].beta, 1, 2);
            cr_expect_neq(side_verify(&s, NULL), F2L_OK);
            side_clear(&s);
            open_two_sides(&s);
        }
    side_clear(&s);
}

/* Blocks that hold the same block of a part are compared, so that a change in any one of them is
 * seen: gates and outputs that read another wire of their own part, and codes. */
Test(wired_product, copies_of_a_block_are_compared)
{
    side_case s;
    size_t changed = 0;
    open_two_sides(&s);
    for (size_t b = 1; b + 1 < s.net.blocks; b++) {
        f2l_wired_block *y = &s.net.block[b];
        const f2l_share *own = &s.division.share[2 * b];
        size_t *sizes = f2l_calloc(f2l_wired_wires(y), sizeof *sizes);
        f2l_wired_sizes(sizes, &s.net, y);
        for (size_t g = 0; g < y->posts; g++)
            for (size_t i = 0; i < s.net.table[y->post[g].table].inputs; i++)
                for (uint32_t w = 0; w < y->inputs; w++) {
                    const bool same = (g < own->posts) == (w < own->inputs);
                    if (!same || w == y->post[g].wire[i] || sizes[w] != sizes[y->post[g].wire[i]])
                        continue;
                    REFUSED_WITH(y->post[g].wire[i], w);
                    changed++;
                }
        for (size_t o = 0; o < y->outputs; o++)
            for (uint32_t w = 0; w < y->inputs; w++) {
                const bool same = (o < own->outputs) == (w < own->inputs);
                if (!same || w == y->output[o] || sizes[w] != sizes[y->output[o]]) continue;
                REFUSED_WITH(y->output[o], w);
                changed++;
            }
        for (size_t r = 0; r < y->readouts; r++, changed++) {
            mpq_set_ui(y->readout[r].code[1].value[0], 2, 1);
            cr_expect_neq(side_verify(&s, NULL), F2L_OK);
            mpq_set_ui(y->readout[r].code[1].value[0], 1, 1);
        }
        f2l_free(sizes);
    }
    cr_assert(changed > 100, "%zu", changed);
    side_clear(&s);
}

/* Replaces the n-th `was` (from 0) of the network's text. */
static void edit(side_case *s, const char *was, size_t n, const char *now)
{
    f2l_buf text, out;
    f2l_buf_init(&text);
    f2l_buf_init(&out);
    cr_assert_eq(f2l_wired_write(&text, &s->net, NULL), F2L_OK);
    const char *at = strstr(text.data, was);
    for (; n > 0 && at; n--) at = strstr(at + 1, was);
    cr_assert(at, "`%s`", was);
    f2l_buf_bytes(&out, text.data, (size_t)(at - text.data));
    f2l_buf_text(&out, now);
    f2l_buf_text(&out, at + strlen(was));
    f2l_net_clear(&s->net);
    cr_assert_eq(f2l_wired_read(&s->net, out.data, out.size, &s->err), F2L_OK, "%s", s->err.text);
    f2l_buf_clear(&text);
    f2l_buf_clear(&out);
}

/* Gates without inputs that nothing reads, in the first block, in the last one, where a part is not
 * at work, and of no part; and a head in the first block. The network stays right, and is no
 * product of the form. */
Test(wired_product, more_than_the_form_has)
{
    side_case s;
    char gate[64];
    size_t constant = 0, posts = 0;
    open_two_sides(&s);
    while (s.net.table[constant].inputs > 0) constant++;
    snprintf(gate, sizeof gate, "post 1\ngate %zu\n", constant + 1);
    for (size_t b = 0; b + 1 < s.net.blocks; b++) posts += s.net.block[b].posts == 0;
    const size_t places[] = {0, posts, 1};
    for (size_t i = 0; i < 3; i++) {
        edit(&s, "post 0\n", places[i], gate);
        cr_expect_neq(side_verify(&s, NULL), F2L_OK, "%zu", i);
        if (places[i] == 1) {
            const bool first = s.division.share[2].pres == 0;
            s.division.share[first ? 2 : 3].posts = 1;
            cr_expect_neq(side_verify(&s, NULL), F2L_OK);
        }
        side_clear(&s);
        open_two_sides(&s);
    }
    side_clear(&s);
}

Test(wired_product, steps_and_cancelling_end_it)
{
    side_case s;
    f2l_effort effort = {.limit = 100};
    const f2l_task task = {.effort = &effort};
    open_two_sides(&s);
    cr_assert_eq(side_build(&s, F2L_LABEL_STATES, &task), F2L_UNKNOWN);
    cr_assert(s.net.stages == 0 && s.division.parts == 0);
    side_clear(&s);
}

#ifdef F2L_MEM_FAILURES
/* Fails the n-th allocation, for all n until nothing fails. */
Test(wired_product, memory)
{
    side_case s;
    f2l_form_verdict verdict;
    f2l_buf cert;
    open_two_sides(&s);
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_mem_fail_after(n, n % 2);
        status = side_build(&s, F2L_LABEL_STATES, NULL);
        f2l_mem_fail_after(0, false);
    }
    cr_assert_eq(status, F2L_OK);
    status = F2L_ENOMEM;
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_mem_fail_after(n, n % 2);
        status = f2l_product_verify(&verdict, &s.net, &s.division, &s.fsa, false, NULL, NULL, NULL,
                                    NULL);
        f2l_mem_fail_after(0, false);
    }
    cr_assert(status == F2L_OK && verdict.verdict == F2L_OK);
    status = F2L_ENOMEM;
    f2l_buf_init(&cert);
    for (size_t n = 1; status == F2L_ENOMEM; n += 3) {
        f2l_buf_clear(&cert);
        f2l_mem_fail_after(n, n % 2);
        status =
            f2l_product_certify(&cert, &s.net, &s.division, &s.fsa, s.net.fsa_sha256, NULL, NULL);
        f2l_mem_fail_after(0, false);
    }
    cr_assert_eq(status, F2L_OK);
    f2l_buf_clear(&cert);
    side_clear(&s);
}

Test(wired_product, memory_of_parts)
{
    side_case s;
    f2l_status status = F2L_ENOMEM;
    f2l_fsa_init(&s.fsa);
    fsa_from_text(&s.fsa, two_sides);
    cr_assert(side_take_apart(&s, true));
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_mem_fail_after(n, n % 2);
        status = f2l_wired_part_make(&s.part[0], &s.built[0], &s.quotient[0], NULL, NULL);
        f2l_mem_fail_after(0, false);
    }
    cr_assert_eq(status, F2L_OK);
    side_clear(&s);
}
#endif
