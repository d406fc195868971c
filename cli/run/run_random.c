/* `run --random` and `run --data`: the network against the automaton it was made for. */
#include "cli/run/run.h"
#include "numeric/base/rng.h"
#include "numeric/base/visible.h"
#include "numeric/facts/layout.h"
#include <string.h>

#define POLL_EVERY 4096

typedef struct comparison {
    uint64_t words, letters, mismatches;
    bool start_wrong;
    uint64_t word, at; /* the first mismatch: word from 0, letters up to and with the wrong one */
    size_t got;
    const char *expected; /* the network's */
} comparison;

/* A word, letter by letter: from the data, or as stream `number` of the seed, so that a failing
 * word can be made again instead of being kept. */
typedef struct word {
    f2l_rng rng;
    const uint32_t *letter;    /* NULL: drawn, or of the list */
    const f2l_word_list *list; /* NULL: no list */
    size_t number;
    size_t letters; /* of the alphabet */
    uint64_t length, at;
} word;

static void open_word(word *w, const f2l_run *j, uint64_t number)
{
    const f2l_run_data *data = &j->data;
    *w = (word){.letters = j->letters.count, .length = j->o.length};
    if (data->words > 0) {
        w->letter = data->letter + number * data->longest;
        w->length = data->length[number];
    }
    if (j->list.count > 0) {
        w->list = &j->list;
        w->number = (size_t)number;
        w->length = f2l_word_list_length(&j->list, w->number);
    }
    f2l_rng_init(&w->rng, j->o.seed, number);
}

static size_t next_word_letter(word *w)
{
    if (w->list) return f2l_word_list_letter_at(w->list, w->number, w->at++);
    return w->letter ? w->letter[w->at++] : (size_t)f2l_rng_below(&w->rng, w->letters);
}

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

static f2l_status compare_word(f2l_run *j, comparison *c, f2l_error *err)
{
    word w;
    size_t label;
    open_word(&w, j, c->words);
    f2l_status status = f2l_run_start(j, &label, err);
    for (uint64_t t = 0; t < w.length && status == F2L_OK; t++) {
        status = f2l_run_step(j, next_word_letter(&w), &label, err);
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

/* Puts the first word with a wrong label, and both labels after it. Text prints the word without
 * the facts: it may have millions of letters. */
static void say_first_wrong_word(f2l_fact in, const f2l_run *j, const comparison *c)
{
    word w;
    f2l_fact witness = f2l_say_object(in, "witness");
    open_word(&w, j, c->word);
    if (j->cli.global.json) {
        f2l_fact list = f2l_say_list(witness, "word");
        for (uint64_t t = 0; t < c->at; t++)
            f2l_say_text(list, NULL, f2l_names_get(&j->letters, next_word_letter(&w)));
    }
    f2l_say_text(witness, "expected", c->expected);
    f2l_say_text(witness, "got", fsa2lrnn_network_label(j->network, c->got));
}

static void say_comparison(f2l_fact in, const f2l_run *j, const comparison *c)
{
    f2l_say_count(in, "words", c->words);
    f2l_say_text(in, "sha256", j->o.words ? j->list.sha256 : NULL);
    f2l_say_count(in, "length", j->o.length);
    f2l_say_known(in, "least_length", j->o.least_length > 0, j->o.least_length);
    f2l_say_count(in, "seed", j->o.seed);
    f2l_say_text(in, "arithmetic", f2l_run_arithmetic(j));
    f2l_say_count(in, "letters", c->letters);
    f2l_say_count(in, "mismatches", c->mismatches);
    f2l_say_truth(in, "start_right", !c->start_wrong);
    f2l_say_text(in, "data_file", j->o.write);
    if (c->mismatches)
        say_first_wrong_word(in, j, c);
    else
        f2l_say_null(in, "witness");
}

static void put_failing_word(f2l_buf *out, const f2l_run *j, const comparison *c)
{
    word w;
    open_word(&w, j, c->word);
    for (uint64_t t = 0; t < c->at; t++) {
        if (t) f2l_buf_text(out, " ");
        f2l_buf_visible_name(out, f2l_names_get(&j->letters, next_word_letter(&w)));
    }
}

static void lay_comparison(f2l_buf *out, f2l_fact from, const f2l_run *j, const comparison *c)
{
    if (j->o.words)
        f2l_buf_printf(out,
                       "%zu words of %zu to %zu letters, SHA-256 %s, all labels as the automaton "
                       "gives them; %s: ",
                       j->list.count, j->list.shortest, j->list.longest, j->list.sha256,
                       f2l_run_arithmetic(j));
    else
        f2l_layout(
            out, from,
            "{words} words of {least_length?{least_length} to }{length} letters, seed {seed}, "
            "{arithmetic}: ");
    f2l_buf_printf(
        out, "%llu labels right, ",
        (unsigned long long)(f2l_get_count(from, "letters") - f2l_get_count(from, "mismatches")));
    f2l_layout(out, from,
               "{mismatches} wrong\n"
               "{start_right?|the label of the empty word is wrong\n}"
               "{data_file?words and labels of the automaton: {data_file}\n}"
               "{witness?first wrong label: expected {witness.expected~}, got }");
    if (!f2l_is_known(from, "witness")) return;
    f2l_run_put_label(j, out, c->got);
    f2l_buf_printf(out, ", after the %llu letters of this word:\n", (unsigned long long)c->at);
    put_failing_word(out, j, c);
    f2l_buf_text(out, "\n");
}

static int print_comparison(f2l_run *j, const comparison *c)
{
    f2l_facts facts;
    f2l_error err;
    f2l_buf text;
    f2l_facts_init(&facts);
    if (j->cli.global.json) f2l_say_report(f2l_facts_root(&facts), "run-random");
    say_comparison(f2l_facts_root(&facts), j, c);
    if (j->cli.global.json) return f2l_cli_print_facts(&j->cli, &facts);
    f2l_buf_init(&text);
    lay_comparison(&text, f2l_facts_root(&facts), j, c);
    const f2l_status status = f2l_facts_end(&facts, &text, &err);
    return f2l_cli_show(&j->cli, &text, status, &err);
}

int f2l_run_random(f2l_run *j)
{
    f2l_error err;
    comparison c = {.words = 0};
    int code = j->o.words ? f2l_run_read_words(j) : 0;
    if (j->o.write || j->o.least_length || j->o.balance != F2L_NO_CHOICE) code = f2l_run_draw(j);
    if (code) return code;
    f2l_status status = compare_start(j, &c, &err);
    while (c.words < j->o.random && status == F2L_OK) status = compare_word(j, &c, &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    if (j->o.write) code = f2l_run_write(j);
    if (code == 0) code = print_comparison(j, &c);
    return code == 0 && (c.mismatches || c.start_wrong) ? F2L_EXIT_REFUTED : code;
}
