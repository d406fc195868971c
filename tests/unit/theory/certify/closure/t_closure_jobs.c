/* Closures in a format with several threads, with tables kept, and over relations (stochastic
 * rounding). */
#include "tests/support/models/hand_nets.h"
#include "tests/support/theory/closure_machines.h"
#include "theory/certify/closure/closure.h"
#include <stdio.h>

Test(closure_jobs, the_table_is_that_of_a_list_whatever_the_number_of_threads)
{
    machine m;
    machine_table table;
    f2l_closure c;
    machine_open(&m, 64, 81);
    machine_count(&table, &m);
    cr_assert_gt(table.rows, 10000);
    cr_assert_eq(table.failure, 0);
    f2l_closure_init(&c);
    for (size_t jobs = 0; jobs <= 5; jobs++) {
        f2l_error err;
        cr_assert_eq(
            machine_close(&c, &m, (f2l_numbers_options){.jobs = jobs, .keep = true}, NULL, &err),
            F2L_OK);
        machine_check(&c, &m, &table);
        cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){.jobs = jobs}, NULL, &err),
                     F2L_OK);
        cr_assert_eq(c.verdict, F2L_OK);
        cr_assert_eq(c.rows, table.rows);
        cr_assert_null(c.numbers);
        cr_assert_null(c.next);
    }
    f2l_closure_clear(&c);
    machine_table_clear(&table);
    machine_done(&m);
}

/* Checks that the word leads to the failure, by stepping along it. */
static void check_word(const f2l_closure *c, machine *m)
{
    size_t s[3] = {0};
    uint32_t label = 0;
    for (size_t i = 0; i < c->word_length; i++) {
        label = machine_move(m, s, c->word[i], 0);
        cr_assert(i + 1 == c->word_length || label == s[2]);
    }
    cr_assert_neq(label, s[2]);
    cr_assert_str_eq(c->expected, s[2] ? "1" : "0");
    cr_assert_str_eq(c->got, label == F2L_NO_SYMBOL ? "no code" : "0");
}

Test(closure_jobs, refuting_words_are_shortest_and_the_same)
{
    size_t refuted = 0;
    for (size_t trial = 0; trial < 12; trial++) {
        machine m;
        machine_table table;
        f2l_closure c;
        machine_open(&m, 32, 27);
        m.bad_x = trial * 7 % 32;
        m.bad_y = (trial * 11 + 5) % 27;
        machine_count(&table, &m);
        f2l_closure_init(&c);
        uint32_t first[128];
        size_t first_length = 0, first_rows = 0;
        for (size_t jobs = 1; jobs <= 3; jobs++) {
            cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){.jobs = jobs, .keep = true},
                                       NULL, NULL),
                         F2L_OK);
            if (table.failure == 0) {
                machine_check(&c, &m, &table);
                continue;
            }
            refuted++;
            cr_assert_eq(c.verdict, F2L_REFUTED);
            cr_assert_eq(c.word_length, table.failure);
            cr_assert_null(c.numbers);
            cr_assert_lt(c.word_length, 128);
            check_word(&c, &m);
            if (jobs == 1) {
                memcpy(first, c.word, c.word_length * sizeof *first);
                first_length = c.word_length;
                first_rows = c.rows;
            }
            cr_assert_eq(c.word_length, first_length);
            cr_assert_eq(c.rows, first_rows);
            cr_assert_arr_eq(c.word, first, first_length * sizeof *first);
        }
        f2l_closure_clear(&c);
        machine_table_clear(&table);
        machine_done(&m);
    }
    cr_assert_gt(refuted, 20);
}

Test(closure_jobs, limits_are_the_same)
{
    machine m;
    f2l_closure c;
    machine_open(&m, 64, 81);
    f2l_closure_init(&c);
    for (size_t jobs = 1; jobs <= 3; jobs++) {
        for (size_t limit = 1; limit < 10000; limit = limit * 3 + 1) {
            cr_assert_eq(machine_close(&c, &m,
                                       (f2l_numbers_options){.jobs = jobs, .max_rows = limit}, NULL,
                                       NULL),
                         F2L_OK);
            cr_assert_eq(c.verdict, F2L_UNKNOWN);
            cr_assert_eq(c.rows, limit);
            cr_assert_not_null(strstr(c.reason, "joint states reached"));
        }
        const f2l_task stopped = {.deadline = f2l_now() - 1};
        cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){.jobs = jobs}, &stopped, NULL),
                     F2L_OK);
        cr_assert_eq(c.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(c.reason, "time limit"));
    }
    /* Memory is enough for the rows and edges, or too small for the table. */
    size_t unknown = 0, kept = 0;
    for (size_t kib = 100; kib < 2000; kib += 100) {
        const f2l_task task = {.memory = kib << 10};
        cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){.keep = true}, &task, NULL),
                     F2L_OK);
        if (c.verdict == F2L_OK) {
            kept++;
            cr_assert_leq(c.rows * (3 * sizeof(double) + 4 + MACHINE_LETTERS * 4), kib << 10);
        } else {
            unknown++;
            cr_assert_eq(c.verdict, F2L_UNKNOWN);
            cr_assert_not_null(strstr(c.reason, "memory"));
            cr_assert_null(c.numbers);
            cr_assert_null(c.state);
            cr_assert_null(c.next);
        }
        cr_assert(kept == 0 || c.verdict == F2L_OK, "more memory must not do less");
    }
    cr_assert_gt(unknown, 2);
    cr_assert_gt(kept, 2);
    f2l_closure_clear(&c);
    machine_done(&m);
}

/* The table of a network, naive keys on the elements of S_3 in fp32, is right edge by edge. */
Test(closure_jobs, tables_of_networks_step_as_they_say)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure c[3];
    f2l_float_net *rounded;
    const f2l_format *fp32 = f2l_format_find("fp32");
    const f2l_schedule *every = f2l_schedule_find("every");
    fsa_from_text(&fsa, hand_elements_text);
    hand_elements(&net, &fsa);
    cr_assert_eq(f2l_float_net_new(&rounded, &net, fp32, every, NULL), F2L_OK);
    const size_t size = f2l_float_size(rounded), letters = fsa.letters.count;
    for (size_t jobs = 1; jobs <= 3; jobs++) {
        f2l_closure *k = &c[jobs - 1];
        f2l_closure_init(k);
        const f2l_closure_float_options options = {.jobs = jobs, .keep = true};
        cr_assert_eq(f2l_closure_float_with(k, &net, &fsa, fp32, every, &options, NULL, NULL),
                     F2L_OK);
        cr_assert_eq(k->verdict, F2L_OK);
        cr_assert_eq(k->rows, 241);
        cr_assert_eq(k->size, size);
        cr_assert_eq(k->layers, 1);
        cr_assert_arr_eq(k->numbers, c[0].numbers, 241 * size * sizeof(double));
        cr_assert_arr_eq(k->state, c[0].state, 241 * sizeof(uint32_t));
        cr_assert_arr_eq(k->next, c[0].next, 241 * letters * sizeof(uint32_t));
    }
    double joint[16];
    f2l_float_start(rounded, joint);
    cr_assert_arr_eq(joint, c[0].numbers, size * sizeof *joint);
    cr_assert_eq(c[0].state[0], fsa.start);
    for (size_t r = 0; r < c[0].rows; r++) {
        for (size_t a = 0; a < letters; a++) {
            const size_t to = c[0].next[r * letters + a];
            uint32_t label;
            memcpy(joint, c[0].numbers + r * size, size * sizeof *joint);
            cr_assert_eq(f2l_float_step(rounded, joint, a, &label, NULL), F2L_OK);
            for (size_t i = 0; i < size; i++) cr_assert_eq(joint[i], c[0].numbers[to * size + i]);
            cr_assert_eq(c[0].state[to], fsa.next[c[0].state[r] * letters + a]);
            cr_assert_str_eq(f2l_names_get(&net.labels, label),
                             f2l_fsa_label(&fsa, net.label, c[0].state[to]));
        }
    }
    for (size_t i = 0; i < 3; i++) f2l_closure_clear(&c[i]);
    f2l_float_net_free(rounded);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

Test(closure_jobs, a_schedule_without_steps_is_refused)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure c;
    f2l_error err;
    fsa_from_text(&fsa, hand_parity_text);
    hand_parity(&net, &fsa, F2L_LABEL_STATES);
    f2l_closure_init(&c);
    const f2l_schedule none = {.name = "none", .row = "none", .chunk = 64, .eps = -1, .raw = 1};
    cr_assert_eq(f2l_closure_float(&c, &net, &fsa, f2l_format_find("bf16"), &none, 0, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "letter by letter"), "%s", err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

/* --- relations --- */

Test(closure_jobs, relations_reach_every_outcome)
{
    machine m;
    machine_table table;
    f2l_closure c;
    f2l_choices choices;
    machine_open(&m, 16, 27);
    m.choices = &choices;
    m.bits = 1;
    machine_count(&table, &m);
    f2l_closure_init(&c);
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        cr_assert_eq(
            machine_close(&c, &m, (f2l_numbers_options){.jobs = jobs, .keep = true}, NULL, NULL),
            F2L_OK);
        machine_check(&c, &m, &table);
    }
    machine_table_clear(&table);
    /* A shortest word finds an outcome that fails. */
    for (size_t y = 1; y < 27; y += 5) {
        m.bad_x = 6;
        m.bad_y = y;
        machine_count(&table, &m);
        cr_assert_neq(table.failure, 0);
        cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){0}, NULL, NULL), F2L_OK);
        cr_assert_eq(c.verdict, F2L_REFUTED);
        cr_assert_eq(c.word_length, table.failure);
        machine_table_clear(&table);
    }
    f2l_closure_clear(&c);
    machine_done(&m);
}

Test(closure_jobs, too_many_outcomes_are_unknown)
{
    machine m;
    f2l_closure c;
    f2l_choices choices;
    machine_open(&m, 2, 3);
    m.choices = &choices;
    f2l_closure_init(&c);
    m.bits = 16;
    cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){0}, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_OK, "%s", c.reason);
    m.bits = 17;
    cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){0}, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(c.reason, "more than 65536 outcomes"), "%s", c.reason);
    m.bits = F2L_MAX_CHOICES_TAKEN + 1;
    cr_assert_eq(machine_close(&c, &m, (f2l_numbers_options){0}, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(c.reason, "stochastically"), "%s", c.reason);
    f2l_closure_clear(&c);
    machine_done(&m);
}

/* Opens a network of one number. With `writes`, letters p and m do S <- S / 4 + 3/4 or - 3/4 (beta
 * = 3/4, key 1, values 1 and -1); else letter k keeps S, i does S <- -3/4 S, and the label is the
 * sign. */
static void open_sign(f2l_fsa *fsa, f2l_net *net, bool writes)
{
    static const long one[] = {1}, codes[] = {1, -1};
    fsa_from_text(fsa, writes ? "start + \n+ p +\n- p +\n+ m -\n- m -\n"
                              : "start +\n+ k +\n- k -\n+ i -\n- i +\n");
    hand_net(net, fsa, F2L_LABEL_STATES, 1);
    f2l_head *head = hand_head(net, 0, 2, 1, one);
    if (writes) hand_factor(head, 0, 1, one, 1);
    hand_factor(head, 1, 1, one, writes ? -1 : 0);
    for (size_t x = 0; x < 2; x++)
        if (head->letter[x].factors) mpq_set_si(head->letter[x].factor[0].beta, writes ? 3 : 7, 4);
    hand_codes(net, 0, 2, codes);
}

/* Returns the length of a shortest word some outcome of which has a wrong label, at most `most`, by
 * keeping the set of states after each word. A joint state is one number. */
static size_t shortest_outcome(const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format,
                               size_t most)
{
    enum { SET = 1000 };
    f2l_float_net *run;
    cr_assert_eq(f2l_float_net_new(&run, net, format, f2l_schedule_find("every"), NULL), F2L_OK);
    size_t words = 1, length = 1;
    for (; length <= most; length++) {
        words *= 2;
        for (size_t w = 0; w < words; w++) {
            double set[SET];
            size_t count = 1, q = fsa->start;
            f2l_float_start(run, set);
            for (size_t i = 0; i < length; i++) {
                double to[SET];
                size_t reached = 0;
                q = fsa->next[q * 2 + (w >> i & 1)];
                for (size_t k = 0; k < count; k++) {
                    f2l_choices_restart(format->choices);
                    do {
                        double joint = set[k];
                        uint32_t label;
                        size_t same = 0;
                        cr_assert_eq(f2l_float_step(run, &joint, w >> i & 1, &label, NULL), F2L_OK);
                        if (label == F2L_NO_SYMBOL ||
                            strcmp(f2l_names_get(&net->labels, label),
                                   f2l_fsa_label(fsa, net->label, q)) != 0)
                            goto found;
                        while (same < reached && to[same] != joint) same++;
                        if (same == reached) to[reached++] = joint;
                        cr_assert_lt(reached, SET);
                    } while (f2l_choices_next(format->choices));
                }
                count = reached;
                memcpy(set, to, count * sizeof *set);
            }
        }
    }
found:
    f2l_float_net_free(run);
    return length;
}

Test(closure_jobs, stochastic_rounding_proves_and_refutes)
{
    char name[F2L_FORMAT_NAME];
    f2l_choices choices;
    for (int writes = 0; writes < 2; writes++) {
        f2l_fsa fsa;
        f2l_net net;
        f2l_closure c;
        f2l_error err = {0};
        f2l_format format;
        open_sign(&fsa, &net, writes);
        f2l_closure_init(&c);
        for (int stochastic = 0; stochastic < 2; stochastic++) {
            cr_assert_eq(f2l_format_parse(&format, name,
                                          stochastic ? "p=4,emin=-2,emax=3,round=stochastic"
                                                     : "p=4,emin=-2,emax=3",
                                          &err),
                         F2L_OK, "%s", err.text);
            cr_assert_eq(f2l_closure_float(&c, &net, &fsa, &format, f2l_schedule_find("every"), 0,
                                           NULL, &err),
                         F2L_OK, "%s", err.text);
            printf("%s, %s: %s with %zu joint states\n", writes ? "writes" : "signs", name,
                   f2l_status_name(c.verdict), c.rows);
            /* Signs: rounded to nearest, 3/4 of the least number is the least number;
             * stochastically it may become 0. */
            cr_assert_eq(c.verdict, stochastic && !writes ? F2L_REFUTED : F2L_OK);
            if (!stochastic) continue;
            format.choices = &choices;
            const size_t shortest = shortest_outcome(&net, &fsa, &format, writes ? 8 : 20);
            cr_assert_eq(shortest, writes ? 9 : c.word_length);
        }
        f2l_closure_clear(&c);
        f2l_net_clear(&net);
        f2l_fsa_clear(&fsa);
    }
}

#ifdef F2L_MEM_FAILURES
Test(closure_jobs, running_out_of_memory_leaves_nothing)
{
    machine m;
    f2l_closure c;
    f2l_choices choices;
    machine_open(&m, 16, 27);
    f2l_closure_init(&c);
    for (int kind = 0; kind < 3; kind++) {
        m.choices = kind == 2 ? &choices : NULL;
        m.bits = 1;
        f2l_status status = F2L_ENOMEM;
        size_t n = 1;
        for (; status != F2L_OK; n++) {
            f2l_error err = {0};
            f2l_mem_fail_after(n, false);
            status = machine_close(
                &c, &m, (f2l_numbers_options){.jobs = kind == 1 ? 2 : 1, .keep = true}, NULL, &err);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) break;
            cr_assert_eq(status, F2L_ENOMEM);
            cr_assert_eq(err.status, F2L_ENOMEM);
            cr_assert_null(c.numbers);
            cr_assert_null(c.next);
        }
        cr_assert_gt(n, 10);
        cr_assert_eq(c.verdict, F2L_OK);
    }
    f2l_closure_clear(&c);
    machine_done(&m);
}
#endif
