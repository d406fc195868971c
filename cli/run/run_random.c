/* `run --random`: the network against the automaton it was made for. */
#include "cli/run/run.h"
#include "numeric/base/rng.h"
#include <string.h>

#define POLL_EVERY 4096

typedef struct comparison {
    uint64_t words, letters, mismatches;
    bool start_wrong;
    uint64_t word, at; /* the first mismatch: word from 0, letters up to and with the wrong one */
    size_t got;
    const char *expected; /* the network's */
} comparison;

static void compare_label(comparison *c, const f2l_run *j, size_t label, uint64_t letters)
{
    const char *got = fsa2lrnn_network_label(j->network, label);
    const char *expected = fsa2lrnn_run_expected(j->play);
    if (got && strcmp(expected, got) == 0) return;
    if (c->mismatches++ > 0) return;
    c->word = c->words;
    c->at = letters;
    c->got = label;
    c->expected = expected;
}

/* Compares word w, which is stream w of the seed, so that a failing word can be made again instead
 * of being kept. */
static f2l_status compare_word(f2l_run *j, comparison *c, f2l_error *err)
{
    f2l_rng rng;
    const size_t letters = fsa2lrnn_network_letters(j->network);
    size_t label;
    f2l_rng_init(&rng, j->o.seed, c->words);
    f2l_status status = f2l_run_start(j, &label, err);
    for (uint64_t t = 0; t < j->o.length && status == F2L_OK; t++) {
        status = f2l_run_step(j, (size_t)f2l_rng_below(&rng, letters), &label, err);
        if (status != F2L_OK) break;
        compare_label(c, j, label, t + 1);
        c->letters++;
        if (c->letters % POLL_EVERY == 0) {
            status = f2l_task_poll(&j->cli.task, "comparing letters", (double)c->letters,
                                   (double)j->o.random * (double)j->o.length, err);
        }
    }
    c->words++;
    return status;
}

/* Compares the label of the empty word; labels of transitions give it none. */
static f2l_status compare_start(f2l_run *j, comparison *c, f2l_error *err)
{
    size_t label;
    const f2l_status status = f2l_run_start(j, &label, err);
    if (status != F2L_OK || label == FSA2LRNN_NONE) return status;
    c->start_wrong =
        strcmp(fsa2lrnn_run_expected(j->play), fsa2lrnn_network_label(j->network, label)) != 0;
    return F2L_OK;
}

static int print_json(f2l_run *j, const comparison *c)
{
    json_t *o = json_pack("{s:i, s:I, s:I, s:I, s:s, s:I, s:I, s:b}", "schema", 1, "words",
                          (json_int_t)c->words, "length", (json_int_t)j->o.length, "seed",
                          (json_int_t)j->o.seed, "arithmetic", f2l_run_arithmetic(j), "letters",
                          (json_int_t)c->letters, "mismatches", (json_int_t)c->mismatches,
                          "start_right", !c->start_wrong);
    json_t *word = c->mismatches ? json_array() : NULL;
    if (o && word) {
        f2l_rng rng;
        f2l_rng_init(&rng, j->o.seed, c->word);
        for (uint64_t t = 0; t < c->at; t++) {
            size_t letter = (size_t)f2l_rng_below(&rng, j->letters.count);
            json_array_append_new(word, json_string(f2l_names_get(&j->letters, letter)));
        }
        json_object_set(o, "word", word);
        json_object_set_new(o, "expected", json_string(c->expected));
        json_object_set_new(o, "got", f2l_run_json_label(j, c->got));
    }
    json_decref(word);
    return f2l_cli_print_value(&j->cli, o);
}

static void put_failing_word(const f2l_run *j, f2l_buf *out, const comparison *c)
{
    f2l_rng rng;
    f2l_rng_init(&rng, j->o.seed, c->word);
    for (uint64_t t = 0; t < c->at; t++) {
        if (t) f2l_buf_text(out, " ");
        f2l_buf_name(out,
                     f2l_names_get(&j->letters, (size_t)f2l_rng_below(&rng, j->letters.count)));
    }
}

static int print_comparison(f2l_run *j, const comparison *c)
{
    f2l_buf out;
    if (j->cli.global.json) return print_json(j, c);
    f2l_buf_init(&out);
    f2l_buf_printf(&out,
                   "%llu words of %llu letters, seed %llu, %s: %llu labels right, %llu "
                   "wrong\n",
                   (unsigned long long)c->words, (unsigned long long)j->o.length,
                   (unsigned long long)j->o.seed, f2l_run_arithmetic(j),
                   (unsigned long long)(c->letters - c->mismatches),
                   (unsigned long long)c->mismatches);
    if (c->start_wrong) f2l_buf_text(&out, "the label of the empty word is wrong\n");
    if (c->mismatches) {
        f2l_buf_text(&out, "first wrong label: expected ");
        f2l_buf_name(&out, c->expected);
        f2l_buf_text(&out, ", got ");
        f2l_run_put_label(j, &out, c->got);
        f2l_buf_printf(&out, ", after the %llu letters of this word:\n", (unsigned long long)c->at);
        put_failing_word(j, &out, c);
        f2l_buf_text(&out, "\n");
    }
    return f2l_cli_print(&j->cli, &out);
}

int f2l_run_random(f2l_run *j)
{
    f2l_error err;
    comparison c = {.words = 0};
    f2l_status status = compare_start(j, &c, &err);
    while (c.words < j->o.random && status == F2L_OK) status = compare_word(j, &c, &err);
    f2l_terminal_erase(&j->cli.terminal);
    const int code = status == F2L_OK ? print_comparison(j, &c) : f2l_cli_fail(&j->cli, NULL, &err);
    return code == 0 && (c.mismatches || c.start_wrong) ? F2L_EXIT_REFUTED : code;
}
