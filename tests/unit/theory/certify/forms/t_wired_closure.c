/* Joint closures of wired networks: a network written by hand, Zeiger forms, and changed networks
 * compared with all words. */
#include "numeric/base/mem.h"
#include "tests/support/automata/counter_text.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/hand_wired.h"
#include "tests/support/theory/zeiger_mutants.h"
#include "tests/support/theory/zeiger_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/closure/closure_machine.h"
#include "theory/construct/zeiger/zeiger.h"
#include <stdlib.h>
#include <unistd.h>

#define SEED 20261124
#define LONGEST 7

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure closure;
    f2l_error err;
} fixture;

static void open_counter(fixture *f)
{
    fsa_from_text(&f->fsa, wired_counter_text);
    wired_counter(&f->net);
    f2l_closure_init(&f->closure);
}

static void open_random(fixture *f, size_t states, uint64_t stream)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, stream);
    table_random(&f->fsa, states, 2, &rng);
    f2l_net_init(&f->net);
    f2l_closure_init(&f->closure);
    cr_assert_eq(f2l_zeiger_build(&f->net, &f->fsa, F2L_LABEL_STATES, NULL, &f->err), F2L_OK);
}

static void done(fixture *f)
{
    f2l_closure_clear(&f->closure);
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

static f2l_status close_exactly(fixture *f, size_t max_rows, const f2l_task *task)
{
    f->err = (f2l_error){0};
    return f2l_closure_exact(&f->closure, &f->net, &f->fsa, max_rows, task, &f->err);
}

static f2l_status close_in(fixture *f, const char *format, size_t max_rows, const f2l_task *task)
{
    f->err = (f2l_error){0};
    return f2l_closure_float(&f->closure, &f->net, &f->fsa, f2l_format_find(format),
                             f2l_schedule_find("every"), max_rows, task, &f->err);
}

/* Returns whether the joint state is the table's in row r. */
static bool is_row(const f2l_closure *c, const size_t *joint, size_t r)
{
    bool same = true;
    for (size_t i = 0; i < c->layers; i++) same = same && joint[i] == c->joint[r * c->layers + i];
    return same;
}

/* Checks every edge of the table by a run. */
static void check_table(const fixture *f)
{
    const f2l_closure *c = &f->closure;
    f2l_exact *run;
    size_t *joint = calloc(c->layers + 1, sizeof *joint);
    size_t label;
    cr_assert_eq(c->layers, f2l_net_joint(&f->net));
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    cr_assert(is_row(c, joint, 0));
    cr_assert_eq(c->state[0], f->fsa.start);
    for (size_t r = 0; r < c->rows; r++)
        for (size_t a = 0; a < c->letters; a++) {
            const size_t to = c->next[r * c->letters + a];
            for (size_t i = 0; i < c->layers; i++) joint[i] = c->joint[r * c->layers + i];
            cr_assert_lt(to, c->rows);
            cr_assert_eq(f2l_exact_step(run, joint, a, &label, NULL, NULL), F2L_OK);
            cr_assert(is_row(c, joint, to));
            cr_assert_eq(c->state[to], f->fsa.next[c->state[r] * c->letters + a]);
            cr_assert_str_eq(f2l_names_get(&f->net.labels, label),
                             f2l_fsa_label(&f->fsa, f->net.label, c->state[to]));
        }
    f2l_exact_free(run);
    free(joint);
}

Test(wired_closure, a_counter_is_verified)
{
    fixture f;
    open_counter(&f);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK, "%s / %s", f.closure.expected, f.closure.got);
    cr_assert_eq(f.closure.rows, 8);
    cr_assert_eq(f.closure.layers, 9);
    cr_assert_eq(f.closure.letters, 3);
    cr_assert_eq(f.closure.states, 8);
    check_table(&f);
    for (const f2l_format *format = f2l_formats; format < f2l_formats + F2L_USUAL_FORMATS;
         format++) {
        cr_assert_eq(close_in(&f, format->name, 0, NULL), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.closure.verdict, F2L_OK, "%s: %s", format->name, f.closure.got);
        cr_assert_null(f.closure.next);
        cr_assert_geq(f.closure.rows, 8);
    }
    done(&f);
}

Test(wired_closure, forms_are_verified)
{
    for (uint64_t stream = 0; stream < 20; stream++) {
        fixture f;
        open_random(&f, 2 + stream % 4, stream);
        cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.closure.verdict, F2L_OK, "stream %zu", (size_t)stream);
        check_table(&f);
        const size_t rows = f.closure.rows;
        cr_assert_eq(close_in(&f, stream % 2 ? "bf16" : "fp16", 0, NULL), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_OK);
        cr_assert_eq(f.closure.rows, rows);
        const f2l_closure_float_options several = {.jobs = 3, .keep = true};
        cr_assert_eq(f2l_closure_float_with(&f.closure, &f.net, &f.fsa, f2l_format_find("bf16"),
                                            f2l_schedule_find("every"), &several, NULL, NULL),
                     F2L_OK);
        cr_assert(f.closure.verdict == F2L_OK && f.closure.rows == rows && f.closure.numbers);
        done(&f);
    }
}

Test(wired_closure, a_saved_search_goes_on)
{
    fixture f;
    char path[] = "/tmp/f2l-wired-closure-XXXXXX";
    const int file = mkstemp(path);
    cr_assert(file >= 0 && close(file) == 0 && unlink(path) == 0);
    open_counter(&f);
    cr_assert_eq(f2l_fsa_sha256(&f.fsa, f.net.fsa_sha256, NULL), F2L_OK);
    f2l_closure_float_options options = {.max_rows = 5, .checkpoint = path};
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(f2l_closure_float_saving(&f.closure, &f.net, &f.fsa, f2l_format_find("bf16"),
                                              f2l_schedule_find("every"), &options, 2, 1000, NULL,
                                              &f.err),
                     F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.closure.verdict, again ? F2L_OK : F2L_UNKNOWN);
        cr_assert_eq(access(path, F_OK) == 0, !again);
        options.max_rows = 0;
    }
    done(&f);
}

/* Returns the length of a shortest word, up to LONGEST, after which the label is wrong or missing,
 * by trying all words. */
static size_t shortest_failure(const fixture *f)
{
    const size_t letters = f->fsa.letters.count;
    const char *first = f2l_names_get(&f->net.labels, f->net.start);
    f2l_exact *run;
    size_t *joint = calloc(f2l_net_joint(&f->net) + 1, sizeof *joint);
    size_t words = 1, length = 0;
    bool found = strcmp(first, f2l_fsa_label(&f->fsa, f->net.label, f->fsa.start)) != 0;
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    while (!found && length <= LONGEST) {
        words *= letters;
        length++;
        for (size_t w = 0; w < words && !found; w++) {
            size_t label = 0, state = f->fsa.start, rest = w;
            cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
            for (size_t i = 0; i < length && !found; i++, rest /= letters) {
                found = f2l_exact_step(run, joint, rest % letters, &label, NULL, NULL) != F2L_OK;
                state = f->fsa.next[state * letters + rest % letters];
            }
            found = found || strcmp(f2l_names_get(&f->net.labels, label),
                                    f2l_fsa_label(&f->fsa, f->net.label, state)) != 0;
        }
    }
    f2l_exact_free(run);
    free(joint);
    return length;
}

/* Checks that the word fails at its end and not before. */
static void check_word(fixture *f)
{
    const f2l_closure *c = &f->closure;
    f2l_exact *run;
    size_t *joint = calloc(f2l_net_joint(&f->net) + 1, sizeof *joint);
    size_t label = f->net.start, state = f->fsa.start, k = f->fsa.letters.count;
    f2l_status status = F2L_OK;
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    for (size_t i = 0; i < c->word_length; i++) {
        cr_assert_eq(status, F2L_OK);
        cr_assert_str_eq(f2l_names_get(&f->net.labels, label),
                         f2l_fsa_label(&f->fsa, f->net.label, state));
        status = f2l_exact_step(run, joint, c->word[i], &label, NULL, NULL);
        state = f->fsa.next[state * k + c->word[i]];
    }
    cr_assert_str_eq(c->got, status == F2L_OK ? f2l_names_get(&f->net.labels, label) : "no code");
    cr_assert_str_eq(c->expected, f2l_fsa_label(&f->fsa, f->net.label, state));
    cr_assert_str_neq(c->expected, c->got);
    f2l_exact_free(run);
    free(joint);
}

Test(wired_closure, changed_networks_against_all_words)
{
    size_t refuted = 0, verified = 0, without = 0;
    for (uint64_t stream = 0; stream < 500; stream++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, 1000 + stream);
        open_random(&f, 2 + stream % 2, stream);
        if (mutate(&f.net, &rng, stream % MUTANT_KINDS) &&
            f2l_wired_validate(&f.net, NULL) == F2L_OK) {
            cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
            const f2l_closure *c = &f.closure;
            /* The number of rows bounds the length of the words that the search finds; the words of
             * these networks are short. */
            if (c->verdict == F2L_REFUTED) {
                cr_assert_eq(shortest_failure(&f), c->word_length, "stream %zu", (size_t)stream);
                if (c->word_length > 0) check_word(&f);
                without += strcmp(c->got, "no code") == 0;
                refuted++;
            } else if (c->verdict == F2L_OK) {
                cr_assert_gt(shortest_failure(&f), LONGEST, "stream %zu", (size_t)stream);
                check_table(&f);
                verified++;
            } else {
                cr_assert_not_null(strstr(c->reason, "no code"), "%s", c->reason);
            }
        }
        done(&f);
    }
    cr_assert(refuted > 100 && verified > 50 && without > 20, "%zu %zu %zu", refuted, verified,
              without);
}

Test(wired_closure, refutations)
{
    fixture f;
    open_counter(&f);
    /* No bit counts, so that all numbers are 0. */
    uint32_t *add = f.net.table[5].value;
    for (size_t e = 1; e < 16; e += 2) add[e] = add[e - 1];
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_null(f.closure.next);
    cr_assert_eq(f.closure.word_length, shortest_failure(&f));
    check_word(&f);
    const size_t length = f.closure.word_length;
    cr_assert_eq(close_in(&f, "fp32", 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_eq(f.closure.word_length, length);
    f.net.start = 4;
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_eq(f.closure.word_length, 0);
    cr_assert_str_eq(f.closure.expected, "5");
    cr_assert_str_eq(f.closure.got, "4");
    done(&f);
}

Test(wired_closure, limits)
{
    sig_atomic_t stop = 1;
    const f2l_task cancelled = {.cancel = &stop}, small = {.memory = 300};
    fixture f;
    open_counter(&f);
    cr_assert_eq(close_exactly(&f, 5, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_eq(f.closure.rows, 5);
    cr_assert_not_null(strstr(f.closure.reason, "limit of 5"), "%s", f.closure.reason);
    cr_assert_eq(close_in(&f, "bf16", 5, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_eq(f.closure.rows, 5);
    cr_assert_eq(close_exactly(&f, 0, &cancelled), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_eq(close_in(&f, "bf16", 0, &small), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    done(&f);
}

Test(wired_closure, an_initial_state_without_a_code_proves_nothing)
{
    fixture f;
    open_counter(&f);
    mpq_set_ui(f.net.stage[1].initial[1].value[0], 5, 1);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_eq(f.closure.rows, 0);
    done(&f);
}

Test(wired_closure, what_does_not_belong_together)
{
    fixture f;
    open_counter(&f);
    f2l_fsa_clear(&f.fsa);
    fsa_from_text(&f.fsa, "letters a b\nstart 5\n5 a 5\n5 b 5\n");
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_EDOMAIN);
    cr_assert_eq(close_in(&f, "bf16", 0, NULL), F2L_EDOMAIN);
    f.net.stage[0].block = 1;
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_EDOMAIN);
    cr_assert_eq(close_in(&f, "bf16", 0, NULL), F2L_EDOMAIN);
    f.net.stage[0].block = 0;
    done(&f);
}

/* A network without heads has empty joint states; its rows are the automaton's states. */
Test(wired_closure, circuits_alone)
{
    fixture f;
    static const size_t letters[] = {2}, stages[] = {0};
    fsa_from_text(&f.fsa, "letters a b\nstart a\na a a\na b b\nb a a\nb b b\n");
    f2l_closure_init(&f.closure);
    f2l_net_init(&f.net);
    cr_assert_eq(f2l_names_copy(&f.net.letters, &f.fsa.letters, NULL), F2L_OK);
    cr_assert_eq(f2l_names_copy(&f.net.labels, &f.fsa.states, NULL), F2L_OK);
    cr_assert_eq(f2l_wired_set_blocks(&f.net, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_wired_block_set_inputs(&f.net.block[0], 1, letters, NULL), F2L_OK);
    cr_assert_eq(f2l_wired_block_set(&f.net.block[0], 0, 0, 0, 0, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_wired_set_stages(&f.net, 1, stages, NULL), F2L_OK);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(f.closure.rows, 2);
    cr_assert_eq(f.closure.layers, 0);
    cr_assert_eq(close_in(&f, "bf16", 0, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    f.fsa.next[3] = 0;
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_eq(f.closure.word_length, 2);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(wired_closure, running_out_of_memory_is_reported)
{
    fixture f;
    open_random(&f, 3, 4);
    for (int rounded = 0; rounded < 2; rounded++) {
        size_t n = 1;
        for (;; n++) {
            f2l_mem_fail_after(n, false);
            const f2l_status status =
                rounded ? close_in(&f, "bf16", 0, NULL) : close_exactly(&f, 0, NULL);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) break;
            cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %s", n, f.err.text);
            cr_assert_null(f.closure.joint);
        }
        cr_assert_gt(n, 20);
        cr_assert_eq(f.closure.verdict, F2L_OK);
    }
    done(&f);
}
#endif
