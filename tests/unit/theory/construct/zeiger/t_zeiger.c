/* Zeiger forms: built networks, and networks that the verifier accepts. Brute force is in
 * tests/prop/p_zeiger.c. */
#include "numeric/base/mem.h"
#include "tests/support/automata/counter_text.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/hand_wired.h"
#include "tests/support/theory/zeiger_mutants.h"
#include "tests/support/theory/zeiger_support.h"
#include "theory/certify/forms/zeiger_verify.h"
#include "theory/construct/zeiger/zeiger.h"

#define SEED 20261123

typedef struct fixture {
    f2l_fsa fsa;
    f2l_wired net;
    f2l_zeiger_verdict verdict;
    f2l_error err;
} fixture;

static const f2l_schedule *schedule(void)
{
    return f2l_schedule_find("every");
}

static f2l_status build(fixture *f, f2l_label label, const f2l_task *task)
{
    f->err = (f2l_error){0};
    return f2l_zeiger_build(&f->net, &f->fsa, label, task, &f->err);
}

static void open_fsa(fixture *f)
{
    f2l_wired_init(&f->net);
    cr_assert_eq(build(f, F2L_LABEL_STATES, NULL), F2L_OK, "%s", f->err.text);
}

static void open_text(fixture *f, const char *text)
{
    fsa_from_text(&f->fsa, text);
    open_fsa(f);
}

static void open_random(fixture *f, size_t states, size_t letters, uint64_t stream)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, stream);
    table_random(&f->fsa, states, letters, &rng);
    f->fsa.start = f2l_rng_below(&rng, states);
    open_fsa(f);
}

static void done(fixture *f)
{
    f2l_wired_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

static f2l_status verify(fixture *f, const f2l_task *task)
{
    f->err = (f2l_error){0};
    return f2l_zeiger_verify(&f->verdict, &f->net, &f->fsa, task, &f->err);
}

static f2l_status verify_in(fixture *f, const f2l_format *format)
{
    f->err = (f2l_error){0};
    return f2l_zeiger_verify_float(&f->verdict, &f->net, &f->fsa, format, schedule(), NULL,
                                   &f->err);
}

static void check_verified(fixture *f)
{
    cr_assert_eq(verify(f, NULL), F2L_OK, "%s", f->err.text);
    cr_assert_eq(f->verdict.verdict, F2L_OK, "%s", f->verdict.reason);
    cr_assert_str_eq(f->verdict.reason, "");
    for (const f2l_format *format = f2l_formats; format < f2l_formats + F2L_USUAL_FORMATS;
         format++) {
        cr_assert_eq(verify_in(f, format), F2L_OK, "%s", f->err.text);
        cr_assert_eq(f->verdict.verdict, F2L_OK, "%s", f->verdict.reason);
    }
}

/* Checks that the verifier refuses with this reason. */
static void check_refused(fixture *f, const char *reason)
{
    cr_assert_eq(verify(f, NULL), F2L_OK, "%s", f->err.text);
    cr_assert_eq(f->verdict.verdict, F2L_UNKNOWN, "%s", reason);
    cr_assert_not_null(strstr(f->verdict.reason, reason), "%s", f->verdict.reason);
    cr_assert_eq(verify_in(f, f2l_format_find("bf16")), F2L_OK);
    cr_assert_eq(f->verdict.verdict, F2L_UNKNOWN);
}

static const char flip_flop[] = "letters set reset keep\n"
                                "start off\n"
                                "off set on\n"
                                "on set on\n"
                                "off reset off\n"
                                "on reset off\n"
                                "off keep off\n"
                                "on keep on\n";

/* All maps of four states, from three of them. */
static const char transformations[] =
    "letters swap turn join\nstart 1\n1 swap 2\n2 swap 1\n3 swap 3\n4 swap 4\n"
    "1 turn 2\n2 turn 3\n3 turn 4\n4 turn 1\n1 join 1\n2 join 1\n3 join 3\n"
    "4 join 4\n";

Test(zeiger, the_size_is_as_stated)
{
    for (size_t n = 2; n < 12; n++) {
        const size_t k = 1 + n % 3;
        size_t edges = 0, alone = 0;
        fixture f;
        f2l_wired_size size;
        open_random(&f, n, k, n);
        f2l_wired_measure(&size, &f.net);
        cr_assert_eq(size.layers, n - 1);
        cr_assert_eq(size.heads, 1);
        cr_assert_eq(size.key_dim, 4 * n);
        cr_assert_eq(size.value_dim, 1);
        cr_assert_eq(size.householders, 5 * n);
        cr_assert_eq(size.factors_per_token, 5 * n * (n - 1));
        cr_assert_eq(size.states, 4 * n * (n - 1));
        for (size_t y = 0; y < n; y++) {
            size_t sources = 0;
            for (size_t x = 0; x < n; x++) {
                bool any = false;
                for (size_t a = 0; a < k; a++) any = any || f.fsa.next[x * k + a] == y;
                sources += any;
            }
            edges += sources;
            alone += sources == 0;
        }
        cr_assert_eq(size.gates, (n - 1) * (edges + alone + (k + 5) * n) + 3 * n);
        cr_assert_lt(edges + alone + (k + 5) * n, (2 * k + 6) * n);
        cr_assert_eq(f.net.blocks, 3);
        cr_assert_eq(f.net.stages, n + 1);
        cr_assert_eq(f.net.fsa_sha256[0], '\0');
        done(&f);
    }
}

/* The factors that a token takes at every level, counted on the wires of a run. */
Test(zeiger, a_token_takes_as_many_factors_as_stated)
{
    fixture f;
    open_random(&f, 6, 2, 77);
    const f2l_wired_head *head = &f.net.block[1].head[0];
    for (size_t reset = 0; reset < 2; reset++)
        for (size_t level = 1; level < 6; level++) {
            const size_t in_old = 6 - level + 1; /* states in the old stage */
            size_t factors = 0;
            for (size_t j = 0; j < head->slots; j++) {
                size_t value = reset;
                if (j >= 6 && j < 12)
                    value = reset ? 2 + 1 + (j == 7) : j - 6 < in_old ? 1 + j % 2 : 0;
                factors += head->head.letter[head->slot_at[j] + value].factors;
            }
            cr_assert_eq(factors, reset ? 3 * 6 : f2l_zeiger_factors(6, level));
            cr_assert(factors <= f2l_zeiger_factors(6, level) &&
                      f2l_zeiger_factors(6, level) <= 4 * 6);
        }
    done(&f);
}

/* Equal tables are one, and they are numbered as they are first used. */
Test(zeiger, tables_are_shared_and_in_order)
{
    fixture f;
    open_text(&f, transformations);
    size_t used = 0;
    for (size_t b = 0; b < f.net.blocks; b++) {
        const f2l_wired_block *block = &f.net.block[b];
        for (size_t g = 0; g < block->pres + block->posts; g++) {
            const size_t table =
                (g < block->pres ? &block->pre[g] : &block->post[g - block->pres])->table;
            cr_assert_leq(table, used);
            used += table == used;
        }
    }
    cr_assert_eq(used, f.net.tables);
    for (size_t s = 0; s < used; s++)
        for (size_t t = 0; t < s; t++) {
            const f2l_wired_table *one = &f.net.table[s], *two = &f.net.table[t];
            const bool shape = one->inputs == two->inputs && one->values == two->values &&
                               memcmp(one->size, two->size, one->inputs * sizeof *one->size) == 0;
            cr_assert_not(shape &&
                          memcmp(one->value, two->value, one->entries * sizeof *one->value) == 0);
        }
    done(&f);
}

/* Written and read again it is verified, too. */
Test(zeiger, its_text_can_be_read)
{
    fixture f;
    f2l_buf text;
    open_random(&f, 5, 3, 1);
    memset(f.net.fsa_sha256, '0', 64);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_wired_write(&text, &f.net, &f.err), F2L_OK, "%s", f.err.text);
    f2l_wired_clear(&f.net);
    cr_assert_eq(f2l_wired_read(&f.net, text.data, text.size, &f.err), F2L_OK, "%s", f.err.text);
    check_verified(&f);
    f2l_buf_clear(&text);
    done(&f);
}

static void check_run(fixture *f, const char *format, size_t length, uint64_t stream)
{
    f2l_wired_float *rounded;
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, stream);
    cr_assert_eq(
        f2l_wired_float_new(&rounded, &f->net, f2l_format_find(format), schedule(), &f->err),
        F2L_OK);
    cr_assert_eq(rule_run(&f->net, &f->fsa, rounded, length, &rng), 0, "stream %zu",
                 (size_t)stream);
    f2l_wired_float_free(rounded);
}

Test(zeiger, registers_hold_what_the_rule_says)
{
    fixture f;
    open_text(&f, transformations);
    check_verified(&f);
    check_run(&f, "bf16", 500, 1);
    done(&f);
    open_text(&f, flip_flop);
    check_verified(&f);
    check_run(&f, "fp64", 200, 2);
    done(&f);
    for (uint64_t stream = 10; stream < 40; stream++) {
        open_random(&f, 2 + stream % 6, 1 + stream % 4, stream);
        check_verified(&f);
        check_run(&f, stream % 2 ? "fp16" : "fp32", 100, stream);
        done(&f);
    }
}

/* The rule of the reference meets both actions at the levels where they can occur. */
Test(zeiger, the_reference_is_not_idle)
{
    fixture f;
    rule r;
    f2l_rng rng;
    fsa_from_text(&f.fsa, transformations);
    f2l_rng_init(&rng, SEED, 3);
    rule_init(&r, &f.fsa);
    for (size_t t = 0; t < 200; t++) rule_step(&r, f2l_rng_below(&rng, 3));
    cr_assert_gt(r.resets, 50);
    cr_assert_gt(r.permutations, 50);
    rule_clear(&r);
    f2l_fsa_clear(&f.fsa);
}

/* Labels of the other kinds, several states with one label. */
Test(zeiger, labels)
{
    static const char text[] = "letters a b\n"
                               "start p\n"
                               "accept q\n"
                               "output p x\n"
                               "output q y\n"
                               "output r x\n"
                               "p a q\n"
                               "q a r\n"
                               "r a p\n"
                               "p b p\n"
                               "q b p\n"
                               "r b r\n";
    static const f2l_label kinds[] = {F2L_LABEL_STATES, F2L_LABEL_OUTPUTS, F2L_LABEL_ACCEPT};
    static const size_t labels[] = {3, 2, 2};
    for (size_t i = 0; i < 3; i++) {
        fixture f;
        fsa_from_text(&f.fsa, text);
        f2l_wired_init(&f.net);
        cr_assert_eq(build(&f, kinds[i], NULL), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.net.labels.count, labels[i]);
        cr_assert_str_eq(f2l_names_get(&f.net.labels, 0), i == 2 ? "reject" : i == 1 ? "x" : "p");
        check_verified(&f);
        check_run(&f, "bf16", 100, i);
        done(&f);
    }
}

/* One label for all states: wires of one value. */
Test(zeiger, one_label)
{
    fixture f;
    fsa_from_text(&f.fsa, "letters a\nstart p\noutput p x\noutput q x\np a q\nq a p\n");
    f2l_wired_init(&f.net);
    cr_assert_eq(build(&f, F2L_LABEL_OUTPUTS, NULL), F2L_OK, "%s", f.err.text);
    check_verified(&f);
    check_run(&f, "bf16", 20, 1);
    done(&f);
}

Test(zeiger, what_is_not_built)
{
    fixture f;
    open_text(&f, flip_flop);
    cr_assert_eq(build(&f, F2L_LABEL_OUTPUTS, NULL), F2L_EDOMAIN);
    cr_assert_eq(f.net.stages, 0);
    f2l_fsa_clear(&f.fsa);
    fsa_from_text(&f.fsa, "letters a\nstart p\np a p\n");
    cr_assert_eq(build(&f, F2L_LABEL_STATES, NULL), F2L_EDOMAIN);
    cr_assert_not_null(strstr(f.err.text, "one state"));
    done(&f);
}

Test(zeiger, limits)
{
    sig_atomic_t stop = 1;
    const f2l_task cancelled = {.cancel = &stop}, small = {.memory = 2000};
    fixture f;
    open_random(&f, 30, 3, 5);
    cr_assert_eq(verify(&f, &cancelled), F2L_OK);
    cr_assert_eq(f.verdict.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(f.verdict.reason, "interrupted"), "%s", f.verdict.reason);
    cr_assert_eq(build(&f, F2L_LABEL_STATES, &cancelled), F2L_UNKNOWN);
    cr_assert_eq(f.net.stages, 0);
    cr_assert_eq(build(&f, F2L_LABEL_STATES, &small), F2L_UNKNOWN);
    cr_assert_not_null(strstr(f.err.text, "tables"), "%s", f.err.text);
    cr_assert_eq(f.net.tables, 0);
    done(&f);
}

/* The float check is about the format: 2 is no value of one that ends at 1, and a half none of one
 * that begins there. Precision does not matter (Z.8). */
Test(zeiger, formats)
{
    static const f2l_format bad[] = {
        {.name = "ends at 1",
         .precision = 8,
         .emin = -8,
         .emax = 0,
         .largest = 0x1.fep0,
         .subnormals = true},
        {.name = "begins at 1", .precision = 8, .emin = 0, .emax = 8, .largest = 0x1.fep8},
        {.name = "ends below 1",
         .precision = 8,
         .emin = -8,
         .emax = -1,
         .largest = 0x1.fep-1,
         .subnormals = true}};
    static const f2l_format good[] = {
        {.name = "one bit", .precision = 1, .emin = -1, .emax = 1, .largest = 2},
        {.name = "two bits",
         .precision = 2,
         .emin = -1,
         .emax = 1,
         .largest = 3,
         .subnormals = true,
         .overflow = F2L_OVERFLOW_NAN},
        {.name = "wide",
         .precision = 30,
         .emin = -500,
         .emax = 500,
         .largest = 0x1.fffffff8p500,
         .subnormals = true}};
    fixture f;
    open_random(&f, 4, 2, 6);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(verify_in(&f, &bad[i]), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.verdict.verdict, F2L_UNKNOWN, "%s", bad[i].name);
        cr_assert_eq(verify_in(&f, &good[i]), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.verdict.verdict, F2L_OK, "%s: %s", good[i].name, f.verdict.reason);
    }
    done(&f);
}

/* Another automaton, another start, other labels. */
Test(zeiger, the_verdict_is_about_this_automaton)
{
    fixture f;
    open_text(&f, transformations);
    f.fsa.next[1] = 3;
    check_refused(&f, "block");
    f.fsa.next[1] = 1;
    check_verified(&f);
    f.fsa.start = 2;
    check_refused(&f, "empty word");
    f.net.start = 2;
    check_refused(&f, "initial state");
    done(&f);
    open_text(&f, flip_flop);
    f2l_fsa_clear(&f.fsa);
    fsa_from_text(&f.fsa, "letters set reset\n"
                          "start off\n"
                          "off set on\n"
                          "on set on\n"
                          "off reset off\n"
                          "on reset off\n");
    cr_assert_eq(verify(&f, NULL), F2L_EDOMAIN);
    cr_assert_eq(verify_in(&f, f2l_format_find("bf16")), F2L_EDOMAIN);
    done(&f);
}

/* An ordinary wired network that happens to be right is not of the form. */
Test(zeiger, other_networks_are_not_verified)
{
    fixture f;
    wired_counter(&f.net);
    fsa_from_text(&f.fsa, wired_counter_text);
    check_refused(&f, "stages");
    done(&f);
}

Test(zeiger, changes_are_seen)
{
    static const char *const reason[] = {"wrong entry",  "slot 3 does something else",
                                         "readout 2",    "initial",
                                         "slot 5 reads", "outputs",
                                         "empty word"};
    for (size_t i = 0; i < 7; i++) {
        fixture f;
        open_random(&f, 4, 2, 8);
        f2l_wired_block *level = &f.net.block[1];
        f2l_wired_head *head = &level->head[0];
        if (i == 0) f.net.table[level->post[level->posts - 1].table].value[2] ^= 1;
        if (i == 1) mpq_set_ui(head->head.letter[head->slot_at[2] + 1].factor[0].beta, 1, 1);
        if (i == 2) mpq_set_ui(level->readout[1].code[1].value[1], 2, 1);
        if (i == 3) mpq_set_ui(f.net.stage[2].initial[0].value[0], 2, 1);
        if (i == 4) head->wire[4] = head->wire[5];
        if (i == 5) level->output[3] = level->output[4];
        if (i == 6) f.net.start = (f.net.start + 1) % 4;
        check_refused(&f, reason[i]);
        done(&f);
    }
}

Test(zeiger, multiples_and_the_order_of_tables_do_not_matter)
{
    for (uint64_t stream = 0; stream < 20; stream++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, 500 + stream);
        open_random(&f, 3, 2, stream);
        cr_assert(mutate_without_meaning(&f.net, &rng));
        check_verified(&f);
        done(&f);
    }
}

#ifdef F2L_MEM_FAILURES
/* Every allocation fails once. */
static void out_of_memory(f2l_status job(fixture *f), size_t least)
{
    fixture f;
    size_t n = 1;
    open_random(&f, 3, 2, 9);
    for (;; n++) {
        f2l_mem_fail_after(n, false);
        const f2l_status status = job(&f);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %s", n, f.err.text);
    }
    cr_assert_geq(n, least);
    done(&f);
}

static f2l_status build_it(fixture *f)
{
    const f2l_status status = build(f, F2L_LABEL_STATES, NULL);
    if (status != F2L_OK) cr_assert(f->net.stages == 0 && f->net.tables == 0);
    return status;
}

static f2l_status verify_it(fixture *f)
{
    const f2l_status status = verify_in(f, f2l_format_find("bf16"));
    cr_assert_eq(f->verdict.verdict == F2L_OK, status == F2L_OK);
    return status;
}

Test(zeiger, running_out_of_memory_is_reported)
{
    out_of_memory(build_it, 50);
    out_of_memory(verify_it, 10);
}
#endif
