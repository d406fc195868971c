/* `run --random`: the network against the automaton it was made for. */
#include "cli/run/run.h"
#include "numeric/base/rng.h"
#include <string.h>

#define POLL_EVERY 4096

typedef struct comparison {
    uint64_t words, letters, mismatches;
    bool start_wrong;
    uint64_t word, at; /* the first mismatch: word from 0, letters up to and with the wrong one */
    size_t got, state; /* before the wrong letter */
    size_t letter;
} comparison;

/* Word w is stream w of the seed, so that a failing word can be made again instead of being kept.
 */
static f2l_status compare_word(f2l_run *j, const f2l_fsa *fsa, uint64_t w, comparison *c,
                               f2l_error *err)
{
    f2l_rng rng;
    size_t state = fsa->start, letters_count = fsa->letters.count;
    f2l_rng_init(&rng, j->o.seed, w);
    f2l_status status = f2l_player_start(&j->player, err);
    for (uint64_t t = 0; t < j->o.length && status == F2L_OK; t++) {
        size_t letter = (size_t)f2l_rng_below(&rng, letters_count), label;
        status = f2l_player_step(&j->player, letter, &label, err);
        if (status != F2L_OK) break;
        const char *expected = f2l_fsa_edge_label(fsa, j->net.face.label, state, letter);
        if (label == F2L_NO_INDEX ||
            strcmp(expected, f2l_names_get(j->net.face.labels, label)) != 0) {
            if (c->mismatches++ == 0) {
                c->word = w;
                c->at = t + 1;
                c->got = label;
                c->state = state;
                c->letter = letter;
            }
        }
        state = fsa->next[state * letters_count + letter];
        c->letters++;
        if (c->letters % POLL_EVERY == 0) {
            status = f2l_task_poll(&j->cli.task, "comparing letters", (double)c->letters,
                                   (double)j->o.random * (double)j->o.length, err);
        }
    }
    c->words++;
    return status;
}

static int print_json(f2l_run *j, const f2l_fsa *fsa, const comparison *c)
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
            size_t letter = (size_t)f2l_rng_below(&rng, j->net.face.letters->count);
            json_array_append_new(word, json_string(f2l_names_get(j->net.face.letters, letter)));
        }
        json_object_set(o, "word", word);
        json_object_set_new(
            o, "expected",
            json_string(f2l_fsa_edge_label(fsa, j->net.face.label, c->state, c->letter)));
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
        f2l_buf_name(out, f2l_names_get(j->net.face.letters,
                                        (size_t)f2l_rng_below(&rng, j->net.face.letters->count)));
    }
}

static int print_comparison(f2l_run *j, const f2l_fsa *fsa, const comparison *c)
{
    f2l_buf out;
    if (j->cli.global.json) return print_json(j, fsa, c);
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
        f2l_buf_name(&out, f2l_fsa_edge_label(fsa, j->net.face.label, c->state, c->letter));
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
    int code = f2l_network_file_load_automaton(&j->net, &j->cli);
    if (code) return code;
    const f2l_fsa *fsa = &j->net.automaton.fsa;
    if (j->net.face.start != F2L_NO_INDEX) {
        const char *start = f2l_names_get(j->net.face.labels, j->net.face.start);
        c.start_wrong = strcmp(f2l_fsa_label(fsa, j->net.face.label, fsa->start), start) != 0;
    }
    f2l_status status = F2L_OK;
    for (uint64_t w = 0; w < j->o.random && status == F2L_OK; w++)
        status = compare_word(j, fsa, w, &c, &err);
    f2l_terminal_erase(&j->cli.terminal);
    code = status == F2L_OK ? print_comparison(j, fsa, &c) : f2l_cli_fail(&j->cli, NULL, &err);
    return code == 0 && (c.mismatches || c.start_wrong) ? F2L_EXIT_REFUTED : code;
}
