#include "cli/train/train_source.h"
#include "automata/family/family.h"
#include "cli/commands.h"
#include "models/learn/words/word_file.h"
#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/visible.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 8         /* largest number of letters in a warning */
#define MOST_LENGTHS 64 /* largest number of lengths in a list */

/* A task without a file, in the order of f2l_train_task: expressions, or an automaton of
 * automata/family/family.h. */
typedef struct task_kind {
    const char *name;   /* NULL past the last */
    const char *family; /* NULL: expressions */
    bool modulus;       /* whether it has one, which is the argument of the family */
    f2l_label label;    /* the answers of an automaton without --label */
} task_kind;

static const task_kind tasks[F2L_TASKS + 1] = {
    {"parity", "parity", false, F2L_LABEL_STATES},
    {"arithmetic", NULL, true, F2L_LABEL_STATES},
    {"brackets", NULL, true, F2L_LABEL_STATES},
    {"even-pairs", "even-pairs", false, F2L_LABEL_ACCEPT},
    {"cycle-navigation", "cycle-navigation", true, F2L_LABEL_STATES},
    {"recall", NULL, false, F2L_LABEL_STATES},
    {NULL, NULL, false, F2L_LABEL_STATES}};

const char *f2l_choice_task(size_t index)
{
    return tasks[index].name;
}

/* Returns the task that was chosen; NULL: none. */
static const task_kind *task_of(const f2l_source_arguments *o)
{
    return o->task == F2L_NO_CHOICE ? NULL : &tasks[o->task];
}

const char *f2l_choice_words(size_t index)
{
    static const char *const name[] = {
        "csv:",       "flare:",         "flare-prefix:",    "flare-next:",
        "jsonl:",     "npz:",           "npz-labels:",      "npz-answers:",
        "mlregtest:", "mlregtest-mid:", "mlregtest-large:", NULL};
    return name[index];
}

/* Returns the name of a time of counting, in the order of f2l_data_when. */
static const char *choice_when(size_t index)
{
    static const char *const name[] = {"every", "last", NULL};
    return name[index];
}

static const char *choice_weights(size_t index)
{
    static const char *const name[] = {"swaps", "cycles:", "swaps+identity", "file:", NULL};
    return name[index];
}

#define FIELD(name) offsetof(f2l_source_arguments, name)
const f2l_option f2l_source_table[] = {
    {"task", 0, F2L_OPTION_CHOICE, "NAME", f2l_choice_task, 0, 0, FIELD(task),
     "instead of a grammar: parity; arithmetic, d op d op .. d with digits and operators; "
     "brackets, the same with brackets, which is context-free; even-pairs, whether the first and "
     "the last of 0s and 1s are equal (--label accept); cycle-navigation, the place on a cycle "
     "after steps; or recall, pairs of a key and a value, then other letters among which each key "
     "comes once more, where its value is the answer"},
    {"modulus", 0, F2L_OPTION_NUMBER, "M", NULL, 2, 1000, FIELD(modulus),
     "modulus of arithmetic and brackets, places of cycle-navigation (default: 5)"},
    {"pairs", 0, F2L_OPTION_NUMBER, "N", NULL, 1, F2L_DATA_MOST_KEYS, FIELD(pairs),
     "pairs of recall (default: 4); a word has at least 3 letters for each"},
    {"keys", 0, F2L_OPTION_NUMBER, "N", NULL, 1, F2L_DATA_MOST_KEYS, FIELD(keys),
     "keys of recall, and values (default: 128)"},
    {"times", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(times),
     "add the operator * to arithmetic and brackets; it binds before + and -"},
    {"equals", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(equals),
     "a letter = ends every expression"},
    {"data", 0, F2L_OPTION_TEXT, "SOURCE", f2l_choice_words, 0, 0, FIELD(words),
     "words with labels from a file or folder, [FORMAT:]PATH (docs/data.md): csv with the columns "
     "input and target, flare, flare-prefix or flare-next for a folder of FLaRe, jsonl as run "
     "--write writes it, npz for arrays input and output (npz-labels, npz-answers: what an output "
     "of two axes is); with a grammar, every label must be the "
     "automaton's"},
    {"test", 0, F2L_OPTION_TEXT, "SOURCE", f2l_choice_words, 0, 0, FIELD(test),
     "the test words for --data (default: in FLaRe the folder datasets/test, otherwise words that "
     "are held out)"},
    {"held-out", 0, F2L_OPTION_REAL, "X", NULL, 0, 1, FIELD(held_out),
     "part of the words of --data that is not trained on, but tested (default: 0.1)"},
    {"answers", 0, F2L_OPTION_CHOICE, "WHEN", choice_when, 0, 0, FIELD(when),
     "which answers count: after every letter (default; for arithmetic after every digit), or "
     "after the last one (brackets: always)"},
    {"weights", 0, F2L_OPTION_TEXT, "WEIGHTS", choice_weights, 0, 0, FIELD(weights),
     "weights of the letters (default: all equal): swaps or cycles:N of a permutation group "
     "(letters that are one cycle of 2, or of 2 to N points; with +identity also the identity), "
     "'LETTER WEIGHT ..', or file:FILE with such pairs; a letter that is not named never comes"},
    {"tokens", 0, F2L_OPTION_NUMBER, "K", NULL, 1, 1000, FIELD(tokens),
     "tokens for each transition: the letter and K - 1 padding letters, answered after the last "
     "(default: 1)"},
    {"begin", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(begin),
     "a letter of its own before every word, with a label of its own that counts in training; "
     "lengths and scores do not count it"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

void f2l_train_source_init(f2l_train_source *source)
{
    memset(source, 0, sizeof *source);
    f2l_grammar_init(&source->grammar);
    f2l_data_init(&source->data);
    f2l_data_init(&source->tested);
    f2l_word_list_init(&source->words);
    f2l_word_list_init(&source->test);
}

void f2l_train_source_clear(f2l_train_source *source)
{
    f2l_data_clear(&source->data);
    f2l_data_clear(&source->tested);
    f2l_word_list_clear(&source->words);
    f2l_word_list_clear(&source->test);
    f2l_grammar_clear(&source->grammar);
    f2l_free(source->weight);
    f2l_train_source_init(source);
}

/* --- weights --- */

/* Reads a weight, a bare token such as "3" or "0.5". */
static f2l_status read_weight(double *weight, const f2l_lex *lex, const f2l_token *token,
                              f2l_error *err)
{
    char text[64], *end = text;
    const size_t size = token->size < sizeof text ? token->size : sizeof text - 1;
    memcpy(text, token->text, size);
    text[size] = '\0';
    if (text[strspn(text, "0123456789.eE+-")] == '\0') *weight = strtod(text, &end);
    if (end == text || *end || token->kind != F2L_TOKEN_BARE || !(*weight >= 0) ||
        !isfinite(*weight))
        return f2l_fail_at(err, lex->line, token->column, "'%s' is not a weight", text);
    return F2L_OK;
}

static f2l_status read_weights_line(double *weight, const f2l_lex *lex, const f2l_fsa *fsa,
                                    f2l_error *err)
{
    if (lex->count % 2)
        return f2l_fail_at(err, lex->line, lex->token[lex->count - 1].column,
                           "a weight is missing");
    for (size_t i = 0; i < lex->count; i += 2) {
        const f2l_token *name = &lex->token[i];
        const size_t letter = f2l_names_find(&fsa->letters, name->text, name->size);
        if (letter == F2L_NO_INDEX)
            return f2l_fail_at(err, lex->line, name->column,
                               "'%.*s' is not a letter of the automaton",
                               (int)(name->size > 100 ? 100 : name->size), name->text);
        f2l_status status = read_weight(&weight[letter], lex, &lex->token[i + 1], err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Reads letters and weights in turn, spelled as in `.fsa` files. */
static f2l_status read_letter_pairs(double *weight, const char *text, size_t size,
                                    const f2l_fsa *fsa, f2l_error *err)
{
    f2l_lex lex;
    bool more = true;
    f2l_status status = F2L_OK;
    f2l_lex_init(&lex, text, size);
    while (status == F2L_OK && more) {
        status = f2l_lex_line(&lex, &more, err);
        if (status == F2L_OK && more) status = read_weights_line(weight, &lex, fsa, err);
    }
    f2l_lex_clear(&lex);
    return status;
}

static int read_weight_file(f2l_train_source *s, f2l_cli *cli, const char *path)
{
    f2l_error err;
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, path, 0, &err);
    if (status == F2L_OK)
        status =
            read_letter_pairs(s->weight, bytes.data ? bytes.data : "", bytes.size, s->fsa, &err);
    f2l_buf_clear(&bytes);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, path, &err);
}

/* Returns the longest cycle of "swaps" or "cycles:3", either with "+identity"; 0 for other
 * texts. */
static size_t read_cycle_option(bool *identity, const char *text)
{
    char head[32];
    uint64_t number = 0;
    const char *plus = strstr(text, "+identity");
    *identity = plus && strcmp(plus, "+identity") == 0;
    const size_t size = *identity ? (size_t)(plus - text) : strlen(text);
    if (size >= sizeof head) return 0;
    memcpy(head, text, size);
    head[size] = '\0';
    if (strcmp(head, "swaps") == 0) return 2;
    if (strncmp(head, "cycles:", 7) != 0 || !f2l_options_number(&number, head + 7) ||
        number > SIZE_MAX)
        return 0;
    return (size_t)number;
}

static int read_weight_option(f2l_train_source *s, f2l_cli *cli, const char *text)
{
    f2l_error err;
    bool identity = false;
    const size_t longest = read_cycle_option(&identity, text);
    s->weight = f2l_calloc(s->fsa->letters.count, sizeof *s->weight);
    if (!s->weight) {
        f2l_fail_memory(&err);
        return f2l_cli_fail(cli, NULL, &err);
    }
    if (longest > 0)
        return f2l_data_cycle_weights(s->weight, s->fsa, longest, identity, &err) == F2L_OK
                   ? 0
                   : f2l_cli_fail(cli, "--weights", &err);
    if (strncmp(text, "file:", 5) == 0) return read_weight_file(s, cli, text + 5);
    return read_letter_pairs(s->weight, text, strlen(text), s->fsa, &err) == F2L_OK
               ? 0
               : f2l_cli_usage(cli, "--weights: %s", err.text);
}

/* --- data --- */

static int check_source_usage(f2l_cli *cli, const f2l_source_arguments *o, const char *path)
{
    const f2l_given *given = &cli->given;
    const task_kind *task = task_of(o);
    const bool automaton = task == NULL || task->family != NULL;
    const char *input = f2l_given_in(given, f2l_input_table);
    if (path && task) return f2l_cli_usage(cli, "--task takes the place of the grammar '%s'", path);
    if (!path && !task && !o->input.regex && !o->words)
        return f2l_cli_usage(cli, "a grammar, --regex, --task or --data is expected");
    if (o->words && (task || o->weights || f2l_given_has(given, "tokens")))
        return f2l_cli_usage(cli, "--task, --weights and --tokens draw words: --data has words");
    if (!o->words && (o->test || o->held_out >= 0))
        return f2l_cli_usage(cli, "--test and --held-out belong to --data");
    if (o->test && o->held_out >= 0)
        return f2l_cli_usage(cli, "--test and --held-out exclude each other");
    if (f2l_given_has(given, "modulus") && !(task && task->modulus))
        return f2l_cli_usage(cli, "--modulus belongs to --task arithmetic, brackets and "
                                  "cycle-navigation");
    if ((f2l_given_has(given, "pairs") || f2l_given_has(given, "keys")) &&
        o->task != F2L_TASK_RECALL)
        return f2l_cli_usage(cli, "--pairs and --keys belong to --task recall");
    if (o->task == F2L_TASK_RECALL && f2l_given_has(given, "answers") && o->when == F2L_DATA_LAST)
        return f2l_cli_usage(cli, "the answers of --task recall count where a key comes again");
    if ((automaton || o->task == F2L_TASK_RECALL) && (o->times || o->equals))
        return f2l_cli_usage(cli, "--times and --equals belong to --task arithmetic and brackets");
    if (!automaton &&
        (o->weights || f2l_given_has(given, "tokens") || f2l_given_has(given, "label")))
        return f2l_cli_usage(cli, "--weights, --tokens and --label belong to automata");
    if (task && input && strcmp(input, "label") != 0)
        return f2l_cli_usage(cli, "--%s belongs to grammars, not to --task", input);
    if (o->task == F2L_TASK_BRACKETS && f2l_given_has(given, "answers") &&
        o->when == F2L_DATA_EVERY)
        return f2l_cli_usage(cli, "the answers of --task brackets count after the last letter "
                                  "only");
    return 0;
}

static int open_automaton(f2l_train_source *s, f2l_cli *cli, const f2l_source_arguments *o,
                          const char *path)
{
    f2l_error err;
    int code = 0;
    const task_kind *task = task_of(o);
    const uint64_t *number = task && task->modulus ? &o->modulus : NULL;
    if (!task) {
        code = f2l_grammar_open(&s->grammar, cli, &o->input, path);
        if (code == 0) code = f2l_grammar_read(&s->grammar, cli, &o->input);
        if (code) return code;
        snprintf(s->name, sizeof s->name, "%s", f2l_path_base(s->grammar.name));
    } else {
        if (f2l_family_build(&s->grammar.fsa, task->family, number, number ? 1 : 0, false, &err) !=
            F2L_OK)
            return f2l_cli_fail(cli, NULL, &err);
        if (number)
            snprintf(s->name, sizeof s->name, "%s modulo %zu", task->name, (size_t)*number);
        else
            snprintf(s->name, sizeof s->name, "%s", task->name);
    }
    s->fsa = &s->grammar.fsa;
    s->options.kind = F2L_DATA_AUTOMATON;
    s->options.label =
        task && !f2l_given_has(&cli->given, "label") ? task->label : (f2l_label)o->input.label;
    s->options.tokens = (size_t)o->tokens;
    code = o->weights ? read_weight_option(s, cli, o->weights) : 0;
    s->options.weight = s->weight;
    return code;
}

static void set_expressions(f2l_train_source *s, const f2l_source_arguments *o)
{
    const bool brackets = o->task == F2L_TASK_BRACKETS;
    s->options.kind = brackets ? F2L_DATA_BRACKETS : F2L_DATA_ARITHMETIC;
    s->options.modulus = (size_t)o->modulus;
    s->options.times = o->times;
    s->options.equals = o->equals;
    snprintf(s->name, sizeof s->name, "%s modulo %zu%s%s", f2l_choice_task(o->task),
             s->options.modulus, o->times ? " with *" : "", o->equals ? " with =" : "");
}

static void set_recall(f2l_train_source *s, const f2l_source_arguments *o)
{
    s->options.kind = F2L_DATA_RECALL;
    s->options.pairs = (size_t)o->pairs;
    s->options.keys = (size_t)o->keys;
    snprintf(s->name, sizeof s->name, "recall of %zu pairs, %zu keys", s->options.pairs,
             s->options.keys);
}

/* --- words --- */

int f2l_train_words_read(f2l_word_list *out, f2l_cli *cli, const char *source,
                         const f2l_names *letters, const f2l_names *labels, const f2l_fsa *fsa,
                         f2l_label label)
{
    f2l_error err;
    f2l_buf file;
    const f2l_word_file_options options = {
        .letters = letters, .labels = labels, .fsa = fsa, .label = label, .task = &cli->task};
    f2l_buf_init(&file);
    const f2l_status status = f2l_word_file_read(out, &file, source, &options, &err);
    f2l_terminal_erase(&cli->terminal);
    const int code = status == F2L_OK ? 0 : f2l_cli_fail(cli, file.data ? file.data : source, &err);
    f2l_buf_clear(&file);
    return code;
}

int f2l_train_words_test(f2l_word_list *out, f2l_cli *cli, const char *test, bool look,
                         const f2l_word_list *words, const f2l_fsa *fsa, f2l_label label)
{
    f2l_buf beside;
    f2l_error err;
    int code = 0;
    f2l_buf_init(&beside);
    if (!test && look && f2l_word_file_test_of(&beside, words->source, &err) != F2L_OK)
        code = f2l_cli_fail(cli, words->source, &err);
    const char *source = test ? test : beside.data;
    if (code == 0 && source)
        code = f2l_train_words_read(out, cli, source, &words->letters, &words->labels, fsa, label);
    f2l_buf_clear(&beside);
    return code;
}

/* Opens the words; with an automaton, in s->fsa, with its names in its order. */
static int open_source_words(f2l_train_source *s, f2l_cli *cli, const f2l_source_arguments *o)
{
    f2l_error err;
    f2l_data names;
    const f2l_data_options automaton = {
        .kind = F2L_DATA_AUTOMATON, .label = s->options.label, .stream = F2L_DATA_TRAIN};
    f2l_data_init(&names);
    if (s->fsa && f2l_data_build(&names, &automaton, s->fsa, &err) != F2L_OK)
        return f2l_cli_fail(cli, s->grammar.name, &err);
    int code = f2l_train_words_read(&s->words, cli, o->words, s->fsa ? &names.letters : NULL,
                                    s->fsa ? &names.labels : NULL, s->fsa, s->options.label);
    f2l_data_clear(&names);
    if (code == 0)
        code = f2l_train_words_test(&s->test, cli, o->test, o->held_out < 0, &s->words, s->fsa,
                                    s->options.label);
    s->options.kind = F2L_DATA_WORDS;
    s->options.words = &s->words;
    s->options.test = s->test.count > 0 ? &s->test : NULL;
    s->options.held_out = s->options.test ? 0 : o->held_out >= 0 ? o->held_out : 0.1;
    snprintf(s->name, sizeof s->name, "%s", f2l_path_base(o->words));
    return code;
}

const f2l_data *f2l_train_tested(const f2l_train_source *s)
{
    return s->options.kind == F2L_DATA_WORDS ? &s->tested : &s->data;
}

/* Builds the data of the test stream, which has the lengths of test words. */
static int open_tested(f2l_train_source *s, f2l_cli *cli)
{
    f2l_error err;
    f2l_data_options options = s->options;
    options.stream = F2L_DATA_TEST;
    if (options.kind != F2L_DATA_WORDS) return 0;
    return f2l_data_build(&s->tested, &options, s->fsa, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(cli, s->words.source, &err);
}

int f2l_train_source_open(f2l_train_source *source, f2l_cli *cli, const f2l_source_arguments *o,
                          const char *path)
{
    f2l_error err;
    int code = check_source_usage(cli, o, path);
    if (code) return code;
    if (o->task == F2L_TASK_RECALL)
        set_recall(source, o);
    else if (task_of(o) && !task_of(o)->family)
        set_expressions(source, o);
    else if (path || o->input.regex || task_of(o))
        code = open_automaton(source, cli, o, path);
    if (code == 0 && o->words) code = open_source_words(source, cli, o);
    if (code) return code;
    const bool last = o->task == F2L_TASK_BRACKETS || (o->words && source->words.last_only &&
                                                       !f2l_given_has(&cli->given, "answers"));
    source->options.when = last ? F2L_DATA_LAST : (f2l_data_when)o->when;
    source->options.begin = o->begin;
    source->options.stream = F2L_DATA_TRAIN;
    return f2l_data_build(&source->data, &source->options, source->fsa, &err) == F2L_OK
               ? open_tested(source, cli)
               : f2l_cli_fail(cli, o->words ? o->words : source->grammar.name, &err);
}

bool f2l_train_undrawn(f2l_buf *out, const f2l_data *data, const f2l_data *now)
{
    size_t count = 0;
    if (data->options.kind != F2L_DATA_AUTOMATON) return false;
    for (size_t a = 0; a < data->fsa->letters.count; a++) {
        if (f2l_data_draws(data, a) || (now && !f2l_data_draws(now, a))) continue;
        if (count < NAMED) {
            f2l_buf_text(out, count ? ", " : "");
            f2l_buf_visible_name(out, f2l_names_get(&data->letters, a));
        }
        count++;
    }
    if (count > NAMED) f2l_buf_printf(out, " and %zu more", count - NAMED);
    return count > 0;
}

/* --- lengths --- */

int f2l_train_lengths_read(size_t **length, size_t *lengths, f2l_cli *cli, const char *text)
{
    f2l_error err;
    size_t *found = f2l_calloc(MOST_LENGTHS, sizeof *found), count = 0;
    if (!found) {
        f2l_fail_memory(&err);
        return f2l_cli_fail(cli, NULL, &err);
    }
    for (const char *at = text;; at++) {
        const size_t digits = strspn(at, "0123456789");
        const size_t value = digits > 0 && digits <= 10 ? strtoul(at, NULL, 10) : 0;
        const bool last = at[digits] == '\0', good = value > 0 && value < F2L_DATA_HEADER;
        if (!good || (!last && at[digits] != ',') || count == MOST_LENGTHS ||
            (count > 0 && value <= found[count - 1])) {
            f2l_free(found);
            return f2l_cli_usage(cli,
                                 "--lengths takes up to %d ascending numbers below 2^32 - 1, "
                                 "separated by commas, not '%s'",
                                 MOST_LENGTHS, text);
        }
        found[count++] = value;
        if (last) break;
        at += digits;
    }
    *length = found;
    *lengths = count;
    return 0;
}

int f2l_train_usual_lengths(size_t **length, size_t *lengths, f2l_cli *cli, const f2l_data *data)
{
    f2l_error err;
    const size_t usual[] = {64, 128, 256, 512, f2l_data_words_count(data) > 0 ? SIZE_MAX : 0};
    size_t *found = f2l_calloc(sizeof usual / sizeof *usual, sizeof *found);
    *lengths = 0;
    *length = found;
    if (!found) {
        f2l_fail_memory(&err);
        return f2l_cli_fail(cli, NULL, &err);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const size_t fit = usual[i] > 0 ? f2l_data_fit(data, usual[i]) : 0;
        if (fit > 0 && (*lengths == 0 || fit > found[*lengths - 1])) found[(*lengths)++] = fit;
    }
    return 0;
}

int f2l_train_lengths_check(f2l_cli *cli, const f2l_data *data, const size_t *length,
                            size_t lengths)
{
    for (size_t i = 0; i < lengths; i++) {
        if (f2l_data_fit(data, length[i]) == length[i]) continue;
        return f2l_cli_usage(
            cli, "no sequence of this task has %zu letters: possible lengths are %zu, %zu, %zu, ..",
            length[i], data->least, data->least + data->stride, data->least + 2 * data->stride);
    }
    return 0;
}
