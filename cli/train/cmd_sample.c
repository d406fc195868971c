/* `sample`: draws labelled words of a language for training and tests. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/grammar.h"
#include "models/learn/data/word_sets.h"

typedef struct sample_options {
    f2l_input_options input;
    size_t set;
    uint64_t words, seed;
} sample_options;

#define FIELD(name) offsetof(sample_options, name)
static const f2l_option table[] = {
    {"set", 0, F2L_OPTION_CHOICE, "SET", f2l_word_set_name, 0, 0, FIELD(set),
     "train (default), dev, short-random, short-adversarial, long-random or long-adversarial"},
    {"words", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 1000000, FIELD(words),
     "the number of words of each set, a multiple of 40 (default: 1000)"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT32_MAX, FIELD(seed),
     "the seed of the words (default: 1)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    sample_options o;
    f2l_grammar grammar;
    f2l_word_list set[F2L_SETS];
} job;

static void init_sets(job *j)
{
    for (size_t i = 0; i < F2L_SETS; i++) f2l_word_list_init(&j->set[i]);
}

static void clear_sets(job *j)
{
    for (size_t i = 0; i < F2L_SETS; i++) f2l_word_list_clear(&j->set[i]);
}

#define PARTS(part, clear) part(f2l_grammar, grammar), clear(clear_sets(j))
F2L_JOB(PARTS)

static int run_sample(void *context)
{
    job *j = context;
    f2l_error err;
    f2l_buf text;
    const char *path = j->cli.operands > 0 ? j->cli.operand[0] : NULL;
    init_sets(j);
    if (j->cli.operands > 1 || (path == NULL && j->o.input.regex == NULL))
        return f2l_cli_usage(&j->cli, "one grammar or --regex is expected");
    j->o.input.label = F2L_LABEL_ACCEPT;
    int code = f2l_grammar_open(&j->grammar, &j->cli, &j->o.input, path);
    if (code == 0) code = f2l_grammar_read(&j->grammar, &j->cli, &j->o.input);
    if (code) return code;
    f2l_buf_init(&text);
    f2l_status status = f2l_word_sets_draw(j->set, &j->grammar.fsa, (size_t)j->o.words, j->o.seed,
                                           &j->cli.task, &err);
    if (status == F2L_OK) status = f2l_word_set_write(&text, &j->set[j->o.set], &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status == F2L_OK) return f2l_cli_print_named(&j->cli, "sample", &text);
    f2l_buf_clear(&text);
    return f2l_cli_fail(&j->cli, j->grammar.name, &err);
}

const f2l_command f2l_command_sample = {
    .name = "sample",
    .usage = (const char *const[]){"sample GRAMMAR [--set SET] [--words N] [--seed S] [options]",
                                   "sample --regex RE [--set SET] [options]", NULL},
    .summary = "draws labelled words of a language for training and tests",
    .description =
        "Prints a set of words of GRAMMAR's language as JSON lines, which --data reads: as many "
        "words that are accepted as words that are not, and as many of each length. Among the "
        "words of one length that are accepted, or rejected, all are equally likely: they are "
        "counted exactly, and not tried. The sets are drawn as in MLRegTest (van der Poel et al. "
        "2024):\n\n"
        "train: 20 to 29 letters, perhaps some words twice. dev and short-random: the same, each "
        "word once, and none of a set before. long-random: 31 to 50 letters, each word once. "
        "short-adversarial and long-adversarial: one word after the other a pair, the first "
        "accepted and the second not, where one letter is replaced, left out or put in; all pairs "
        "whose first word has the same number of letters are equally likely, no pair comes twice, "
        "and no word is one of train or dev.\n\n"
        "The words depend on the language, the order of its letters, the number of words and the "
        "seed alone. --data mlregtest:GRAMMAR draws the same words, 1,000 for each set, by seed 1.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, offsetof(sample_options, input)}},
    .no_label = "the words are accepted or rejected",
    .files = {F2L_FILES_AUTOMATON},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn sample 04.04.SL.2.1.0.att > train.jsonl", "1,000 words to train on"},
            {"fsa2lrnn sample 04.04.SL.2.1.0.att --set long-adversarial > hard.jsonl",
             "500 pairs at edit distance 1"},
            {"fsa2lrnn train --data train.jsonl --test hard.jsonl",
             "train on one, test on the other"},
            {"fsa2lrnn sample --regex '(a|b)*abb' --words 200 --seed 2", "of an expression"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const sample_options){.words = 1000, .seed = 1},
    .run = run_sample};
