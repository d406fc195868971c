#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/theory/closure_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/closure/closure_machine.h"
#include <math.h>
#include <stdio.h>

/* Checks the table by stepping the heads in exact arithmetic and comparing with the codes. The
 * network has one layer with one head. */
static void check_table(const fixture *f)
{
    const f2l_closure *c = &f->closure;
    const f2l_layer *layer = &f->net.layer[0];
    f2l_exact *run;
    f2l_qvec state;
    f2l_qvec_init(&state);
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    cr_assert_eq(f2l_qvec_compare(&layer->code[c->joint[0]], &layer->head[0].initial), 0);
    cr_assert_eq(c->state[0], f->fsa.start);
    for (size_t r = 0; r < c->rows; r++) {
        for (size_t a = 0; a < c->letters; a++) {
            const size_t to = c->next[r * c->letters + a];
            cr_assert_lt(to, c->rows);
            cr_assert_eq(f2l_exact_step_head(run, &state, 0, 0, a, &layer->code[c->joint[r]], NULL),
                         F2L_OK);
            cr_assert_eq(f2l_qvec_compare(&state, &layer->code[c->joint[to]]), 0);
            cr_assert_eq(c->state[to], f->fsa.next[c->state[r] * c->letters + a]);
            const char *label = f2l_names_get(&f->net.labels, layer->symbol[c->joint[to]]);
            cr_assert_str_eq(label, f2l_fsa_label(&f->fsa, f->net.label, c->state[to]));
        }
    }
    f2l_qvec_clear(&state);
    f2l_exact_free(run);
}

/* Opens a Mealy machine two letters of which act alike. */
static void open_carry(fixture *f, const char *last)
{
    char text[256];
    snprintf(text, sizeof text,
             "start even\n"
             "even a even \"\"\n"
             "even b even \"\"\n"
             "even c odd \"\"\n"
             "odd a odd \"\"\n"
             "odd b odd \"\"\n"
             "odd c even %s\n",
             last);
    fsa_from_text(&f->fsa, text);
    sample_read(&f->net, SAMPLE_EDGES);
    f2l_closure_init(&f->closure);
}

static void merge_letters(fixture *f)
{
    cr_assert_eq(f2l_fsa_merge_letters(&f->fsa, f->net.classes.of, f->net.classes.count, NULL),
                 F2L_OK);
    cr_assert_eq(f2l_letter_classes_merge(&f->net.letters, &f->net.classes, NULL), F2L_OK);
}

Test(closure, labels_of_edges_and_classes_of_letters)
{
    fixture f;
    open_carry(&f, "carry");
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_EDOMAIN);
    cr_assert_str_eq(f.err.text, "the network's letters are not merged by class");
    merge_letters(&f);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert(f.closure.verdict == F2L_OK && f.closure.rows == 2 && f.closure.letters == 2);
    cr_assert_eq(close_in(&f, "bf16", 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert(f.closure.verdict == F2L_OK && f.closure.rows == 2);
    closure_done(&f);
    open_carry(&f, "\"\""); /* no letter of the automaton gives `carry` */
    merge_letters(&f);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert(f.closure.verdict == F2L_REFUTED && f.closure.word_length == 2);
    cr_assert(f.closure.word[0] == 1 && f.closure.word[1] == 1);
    cr_assert_str_eq(f.closure.expected, "");
    cr_assert_str_eq(f.closure.got, "carry");
    closure_done(&f);
}

Test(closure, parity_is_verified)
{
    fixture f;
    open_parity(&f);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 2);
    cr_assert_eq(f.closure.layers, 1);
    cr_assert_eq(f.closure.letters, 2);
    cr_assert_eq(f.closure.states, 2);
    check_table(&f);
    for (const f2l_format *format = f2l_formats; format < f2l_formats + F2L_USUAL_FORMATS;
         format++) {
        cr_assert_eq(close_in(&f, format->name, 0, NULL), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.closure.verdict, F2L_OK);
        cr_assert_eq(f.closure.rows, 2);
        cr_assert_null(f.closure.next);
    }
    closure_done(&f);
}

static void note_total(void *context, const char *phase, double now, double total)
{
    double *seen = context;
    (void)phase;
    cr_assert_leq(now, total);
    *seen = total;
}

/* One layer has a code for every state, so that the number of rows is known from the start. */
Test(closure, progress_has_the_total)
{
    fixture f;
    double total = 0;
    const f2l_task task = {.progress = note_total, .context = &total};
    open_parity(&f);
    cr_assert_eq(close_exactly(&f, 0, &task), F2L_OK, "%s", f.err.text);
    cr_assert_eq(total, (double)f.closure.rows);
    closure_done(&f);
}

Test(closure, rows_are_breadth_first_from_the_start)
{
    fixture f;
    open_swaps(&f);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 3);
    check_table(&f);
    /* Letter a leads from 1 to 2 and back, b stays in 1 and leads from 2 to 3. */
    static const uint32_t next[] = {1, 0, 0, 2, 2, 1};
    cr_assert_arr_eq(f.closure.next, next, sizeof next);
    closure_done(&f);
}

/* Opens two layers: the parity of the ones, and the parity of how often the first was odd. */
static void open_two_layers(fixture *f)
{
    static const long one[] = {1}, codes[] = {1, -1};
    fsa_from_text(&f->fsa, "start 00\n"
                           "output 00 even\n"
                           "output 10 even\n"
                           "output 01 odd\n"
                           "output 11 odd\n"
                           "00 0 00\n"
                           "00 1 11\n"
                           "11 0 10\n"
                           "11 1 01\n"
                           "10 0 11\n"
                           "10 1 00\n"
                           "01 0 01\n"
                           "01 1 10\n");
    hand_net(&f->net, &f->fsa, F2L_LABEL_OUTPUTS, 2);
    hand_factor(hand_head(&f->net, 0, 2, 1, one), 1, 2, one, 0);
    hand_codes(&f->net, 0, 2, codes);
    hand_factor(hand_head(&f->net, 1, 2, 1, one), 1, 2, one, 0);
    hand_codes(&f->net, 1, 2, codes);
    f2l_closure_init(&f->closure);
}

Test(closure, two_layers)
{
    fixture f;
    open_two_layers(&f);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 4);
    cr_assert_eq(f.closure.layers, 2);
    cr_assert_eq(f.closure.joint[0] + f.closure.joint[1], 0);
    for (const f2l_format *format = f2l_formats; format < f2l_formats + F2L_USUAL_FORMATS;
         format++) {
        cr_assert_eq(close_in(&f, format->name, 0, NULL), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_OK);
        cr_assert_eq(f.closure.rows, 4);
    }
    /* With the first layer's symbols exchanged, the first letter 0 gives a wrong label. */
    f.net.layer[0].symbol[0] = 1;
    f.net.layer[0].symbol[1] = 0;
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_eq(f.closure.word_length, 1);
    cr_assert_null(f.closure.next);
    closure_done(&f);
}

/* One bit that the letters set and keep is followed, because writes are part of the step. */
Test(closure, writes_are_followed)
{
    static const long one[] = {1}, zero[] = {0}, codes[] = {0, 1};
    fixture f;
    fsa_from_text(&f.fsa, "start l\nl set h\nh set h\nl reset l\nh reset l\nl keep l\nh keep h\n");
    hand_net(&f.net, &f.fsa, F2L_LABEL_STATES, 1);
    f2l_head *head = hand_head(&f.net, 0, 3, 1, zero);
    hand_factor(head, 0, 1, one, 1);
    hand_factor(head, 1, 1, one, 0);
    hand_codes(&f.net, 0, 2, codes);
    f2l_closure_init(&f.closure);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_OK, "%s/%s", f.closure.expected, f.closure.got);
    cr_assert_eq(f.closure.rows, 2);
    check_table(&f);
    cr_assert_eq(close_in(&f, "bf16", 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    closure_done(&f);
}

/* Returns the number of joint states, by a list without hashing or packing. With keys 1/sqrt 2
 * rounded, three points and fp32 close at 35 of them (C4). */
static size_t count_joint_states(const fixture *f, const char *format)
{
    enum { MOST = 2000 };
    static double joint[MOST][3];
    static size_t state[MOST];
    f2l_float_net *net;
    cr_assert_eq(
        f2l_float_net_new(&net, &f->net, f2l_format_find(format), f2l_schedule_find("every"), NULL),
        F2L_OK);
    size_t count = 1;
    f2l_float_start(net, joint[0]);
    state[0] = f->fsa.start;
    for (size_t r = 0; r < count; r++) {
        for (size_t a = 0; a < 2; a++) {
            double to[3];
            uint32_t label;
            size_t same = 0;
            memcpy(to, joint[r], sizeof to);
            cr_assert_eq(f2l_float_step(net, to, a, &label, NULL), F2L_OK);
            const size_t q = f->fsa.next[state[r] * 2 + a];
            cr_assert_eq(label, q);
            for (; same < count; same++)
                if (state[same] == q && joint[same][0] == to[0] && joint[same][1] == to[1] &&
                    joint[same][2] == to[2])
                    break;
            if (same < count) continue;
            cr_assert_lt(count, MOST);
            memcpy(joint[count], to, sizeof to);
            state[count++] = q;
        }
    }
    f2l_float_net_free(net);
    return count;
}

Test(closure, naive_keys_on_three_points)
{
    fixture f;
    open_swaps(&f);
    for (const f2l_format *format = f2l_formats; format < f2l_formats + F2L_USUAL_FORMATS;
         format++) {
        cr_assert_eq(close_in(&f, format->name, 100000, NULL), F2L_OK);
        printf("naive keys, 3 points, %s: %s with %zu joint states\n", format->name,
               f2l_status_name(f.closure.verdict), f.closure.rows);
        if (f.closure.verdict == F2L_OK)
            cr_assert_eq(f.closure.rows, count_joint_states(&f, format->name));
    }
    cr_assert_eq(close_in(&f, "fp32", 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 35);
    closure_done(&f);
}

/* Textbook keys on group elements have 241 joint states. */
Test(closure, naive_keys_on_group_elements)
{
    fixture f;
    fsa_from_text(&f.fsa, hand_elements_text);
    hand_elements(&f.net, &f.fsa);
    f2l_closure_init(&f.closure);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK, "%s, not %s", f.closure.got, f.closure.expected);
    cr_assert_eq(f.closure.rows, 6);
    check_table(&f);
    cr_assert_eq(close_in(&f, "fp32", 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 241);
    cr_assert_eq(count_joint_states(&f, "fp32"), 241);
    /* Binary64 has more joint states than anybody can wait for. */
    cr_assert_eq(close_in(&f, "fp64", 20000, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_eq(f.closure.rows, 20000);
    closure_done(&f);
}

/* A machine whose first number leaves bf16 with every letter a, and whose zero has a sign every
 * second time. */
static void start_outside(const void *run, double *joint)
{
    (void)run;
    joint[0] = 1;
    joint[1] = 0;
}

static f2l_status leave_the_format(void *run, double *joint, size_t letter, uint32_t *label,
                                   f2l_error *err)
{
    (void)run, (void)err;
    if (letter == 0) {
        joint[0] = joint[0] == 1 ? 1.0 - 0x1p-40 : 1.0;
        joint[1] = signbit(joint[1]) ? 0.0 : -0.0;
    }
    *label = 0;
    return F2L_OK;
}

Test(closure, the_state_may_be_wider_than_the_format_and_minus_zero_is_zero)
{
    fixture f;
    size_t index;
    f2l_names labels = {0};
    fsa_from_text(&f.fsa, "start p\np a p\np b p\n");
    cr_assert_eq(f2l_names_add(&labels, "p", 1, &index, NULL), F2L_OK);
    f2l_closure_init(&f.closure);
    const f2l_numbers_machine machine = {NULL, 2, start_outside, leave_the_format, 0};
    const f2l_face face = {&f.fsa.letters, &labels, F2L_LABEL_STATES, 0, NULL};
    const f2l_numbers_options options = {.jobs = 1};
    cr_assert_eq(f2l_numbers_close_with(&f.closure, &machine, &face, &f.fsa,
                                        f2l_format_find("bf16"), &options, NULL, &f.err),
                 F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 2);
    f2l_closure_clear(&f.closure);
    f2l_names_clear(&labels);
    f2l_fsa_clear(&f.fsa);
}

Test(closure, infinities_and_nan_have_no_label)
{
    fixture f;
    open_parity(&f);
    /* 10^6 is not a value of fp16. */
    mpq_set_si(f.net.layer[0].head[0].initial.value[0], 1000000, 1);
    cr_assert_eq(close_in(&f, "fp16", 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_eq(f.closure.word_length, 1);
    cr_assert_str_eq(f.closure.got, "no code");
    closure_done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(closure, running_out_of_memory_leaves_nothing)
{
    fixture f;
    for (int kind = 0; kind < 4; kind++) {
        if (kind < 2)
            open_swaps(&f);
        else
            open_wrong(&f);
        f2l_status status = F2L_ENOMEM;
        size_t n = 1;
        for (; status != F2L_OK; n++) {
            f2l_mem_fail_after(n, false);
            status = kind % 2 ? close_exactly(&f, 0, NULL) : close_in(&f, "bf16", 0, NULL);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) break;
            cr_assert_eq(status, F2L_ENOMEM);
            cr_assert_eq(f.err.status, F2L_ENOMEM);
            cr_assert_null(f.closure.next);
            cr_assert_null(f.closure.word);
            cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
        }
        cr_assert_gt(n, 8);
        cr_assert_neq(f.closure.verdict, F2L_UNKNOWN);
        closure_done(&f);
    }
}
#endif
