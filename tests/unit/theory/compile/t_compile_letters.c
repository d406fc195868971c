/* Letters that act alike: the network reads them as one, and its files have all of them. */
#include "models/network/wired/player.h"
#include "numeric/base/mem.h"
#include "tests/support/theory/compile_support.h"

/* x and y act alike, and so do the letters that stay: s, t, u. */
static const char counter[] = "start 0\naccept 0\n"
                              "0 x 1\n1 x 2\n2 x 0\n0 s 0\n1 s 1\n2 s 2\n0 y 1\n1 y 2\n2 y 0\n"
                              "0 t 0\n1 t 1\n2 t 2\n0 m 0\n1 m 0\n2 m 2\n0 u 0\n1 u 1\n2 u 2\n";

static const size_t expected[] = {0, 1, 0, 1, 2, 1};

/* Reads random words with the network as its file has it. */
static void play(const f2l_net *model, const f2l_fsa *fsa)
{
    f2l_player player = {0};
    f2l_rng rng;
    f2l_error err;
    size_t label, state = fsa->start;
    const size_t letters = fsa->letters.count;
    cr_assert_eq(f2l_player_init(&player, model, NULL, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_player_start(&player, &err), F2L_OK);
    f2l_rng_init(&rng, 20261124, 2);
    for (size_t i = 0; i < 500; i++) {
        const size_t letter = (size_t)f2l_rng_below(&rng, letters);
        cr_assert_eq(f2l_player_step(&player, letter, &label, &err), F2L_OK, "%s", err.text);
        state = fsa->next[state * letters + letter];
        cr_assert_str_eq(f2l_names_get(&model->labels, label), f2l_names_get(&fsa->states, state));
    }
    f2l_player_clear(&player);
}

/* Checks classes, letters and hash of the file, and that it reads as it was written. */
static void check_file(const fixture *f, const size_t *classes, size_t count)
{
    f2l_net model, again; /* the first is borrowed */
    f2l_buf text;
    f2l_error err;
    char sha256[65];
    f2l_compile_model(&model, &f->result, &f->fsa);
    cr_assert(model.classes.of && model.classes.count == count);
    for (size_t a = 0; a < f->fsa.letters.count; a++) cr_assert_eq(model.classes.of[a], classes[a]);
    cr_assert(f2l_names_equal(&model.letters, &f->fsa.letters));
    cr_assert_eq(f2l_fsa_sha256(&f->fsa, sha256, NULL), F2L_OK);
    cr_assert_str_eq(model.fsa_sha256, sha256);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_network_write(&text, &model, &err), F2L_OK, "%s", err.text);
    f2l_net_init(&again);
    cr_assert_eq(f2l_network_read(&again, text.data, text.size, &err), F2L_OK, "%s", err.text);
    play(&again, &f->fsa);
    f2l_net_clear(&again);
    f2l_buf_clear(&text);
}

Test(compile_letters, files_have_all_letters)
{
    for (size_t rule = 0; rule < 2; rule++) {
        fixture f;
        set_up(&f);
        open_text(&f, counter);
        f.options.merge_letters = true;
        f.options.max_sets = rule; /* one set: only the rule form, a wired network, is left */
        cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f2l_net_is_wired(&f.result.net), rule == 1);
        cr_assert_eq(f.result.exact.verdict, F2L_OK);
        cr_assert_eq(f2l_compile_names(&f.result, &f.fsa)->count, 3);
        check_file(&f, expected, 3);
        compile_done(&f);
    }
}

/* A wired network is analysed in all other schedules, chunk64 too (U10.1). */
Test(compile_letters, other_schedules_of_a_wired_network)
{
    fixture f;
    size_t chunk = 0;
    set_up(&f);
    open_text(&f, counter);
    f.options.max_sets = 1;
    f.options.other_schedules = true;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert(f2l_net_is_wired(&f.result.net) && f.result.others == 12);
    for (size_t i = 0; i < f.result.others; i++) {
        const f2l_compile_other *o = &f.result.other[i];
        cr_assert_eq(o->verdict, F2L_OK, "%s, %s: %s", o->format->name, o->schedule->name,
                     o->reason);
        chunk += !f2l_schedule_steps(o->schedule);
    }
    cr_assert_eq(chunk, 4);
    compile_done(&f);
}

/* Without the option, and where no letters act alike, nothing is merged. */
Test(compile_letters, nothing_to_merge)
{
    for (size_t merge = 0; merge < 2; merge++) {
        fixture f;
        set_up(&f);
        open_text(&f, merge ? "start 0\n0 x 1\n1 x 0\n0 y 0\n1 y 1\n" : counter);
        f.options.merge_letters = merge == 1;
        cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
        cr_assert_null(f.result.letters);
        cr_assert(f2l_compile_names(&f.result, &f.fsa) == &f.fsa.letters);
        compile_done(&f);
    }
}

/* Classes against a comparison of all pairs of letters, with and without outputs. */
Test(compile_letters, classes_of_random_automata)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 20261124, 3);
    for (size_t number = 0; number < 200; number++) {
        f2l_fsa fsa;
        const size_t states = 1 + number % 3, letters = 12;
        uint32_t *class_of;
        size_t classes, met = 0;
        f2l_fsa_init(&fsa);
        for (size_t i = 0; i < letters + states; i++) {
            const char name[2] = {(char)('a' + i), 0};
            size_t index;
            cr_assert(f2l_names_add(i < letters ? &fsa.letters : &fsa.states, name, 1, &index,
                                    NULL) == F2L_OK);
        }
        fsa.next = f2l_calloc(states * letters, sizeof *fsa.next);
        if (number % 2) fsa.edge_output = f2l_calloc(states * letters, sizeof *fsa.edge_output);
        for (size_t e = 0; e < states * letters; e++) {
            fsa.next[e] = (uint32_t)f2l_rng_below(&rng, states);
            if (fsa.edge_output) fsa.edge_output[e] = (uint32_t)f2l_rng_below(&rng, 2);
        }
        cr_assert_eq(f2l_fsa_letter_classes(&class_of, &classes, &fsa, NULL, NULL), F2L_OK);
        for (size_t a = 0; a < letters; a++) {
            size_t first = 0, q = 0;
            for (; first < a; first++) {
                for (q = 0; q < states; q++) {
                    const size_t e = q * letters + a, d = q * letters + first;
                    if (fsa.next[e] != fsa.next[d] ||
                        (fsa.edge_output && fsa.edge_output[e] != fsa.edge_output[d]))
                        break;
                }
                if (q == states) break;
            }
            cr_assert_eq(class_of[a], first < a ? class_of[first] : met, "automaton %zu", number);
            met += first == a;
        }
        cr_assert_eq(classes, met);
        f2l_free(class_of);
        f2l_fsa_clear(&fsa);
    }
}

#ifdef F2L_MEM_FAILURES
Test(compile_letters, out_of_memory)
{
    fixture f;
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    set_up(&f);
    open_text(&f, "start 0\n0 x 1\n1 x 0\n0 y 1\n1 y 0\n");
    f.options.merge_letters = true;
    while (status == F2L_ENOMEM) {
        f2l_mem_fail_after(++n, false);
        status = compile(&f, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, f.err.text);
        cr_assert(status == F2L_OK || !f.result.letters);
        n += n / 8; /* the first failures are those of the letters */
    }
    check_file(&f, (const size_t[]){0, 0}, 1);
    compile_done(&f);
}
#endif
