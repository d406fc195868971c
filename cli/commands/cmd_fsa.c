/* `fsa`: operations on automata and their languages, and conversion between syntaxes. */
#include "automata/algebra/algebra.h"
#include "automata/export/export.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/grammar.h"
#include "numeric/base/mem.h"
#include "reports/automata/fsa_report.h"
#include <string.h>

typedef struct fsa_options {
    const char *out;
    size_t to; /* F2L_NO_CHOICE: by the ending of `out`, else .fsa */
    f2l_input_options input;
} fsa_options;

static const char *choice_format(size_t index)
{
    return f2l_export_formats[index].name;
}

#define FIELD(name) offsetof(fsa_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(out),
     "write the automaton to FILE, in the syntax that its ending says: .fsa, .att or .txt, .dot or "
     ".gv, .jff, .json (default: standard output)"},
    {"to", 0, F2L_OPTION_CHOICE, "SYNTAX", choice_format, 0, 0, FIELD(to),
     "fsa (default), att (OpenFst's text of acceptors), dot, jflap, json (automata-lib)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* One automaton of the command line. */
typedef struct part {
    f2l_grammar grammar; /* its automaton is deterministic and total */
    f2l_nfa nfa;         /* as it is written */
} part;

typedef struct job {
    f2l_cli cli;
    fsa_options o;
    part *part; /* [parts] in the order of the files, then --regex */
    size_t parts;
    f2l_fsa result;
} job;

static void clear_parts(job *j)
{
    for (size_t i = 0; i < j->parts; i++) {
        f2l_nfa_clear(&j->part[i].nfa);
        f2l_grammar_clear(&j->part[i].grammar);
    }
    f2l_free(j->part);
}

#define PARTS(part, clear) part(f2l_fsa, result), clear(clear_parts(j))
F2L_JOB(PARTS)

typedef struct operation {
    const char *name, *summary;
    size_t least, most; /* number of automata */
    bool as_written;    /* the result is the first automaton as it is written */
    bool labelled;      /* it reads --label */
    /* Sets the result; or NULL. */
    f2l_status (*work)(job *, f2l_error *);
    /* Prints a report instead of an automaton, and returns the exit status; or NULL. */
    int (*report)(job *);
} operation;

/* Returns the labels that --label asks for; by default the first kind that the automaton has. */
static f2l_label label_asked_for(const job *j, const f2l_fsa *fsa)
{
    if (f2l_given_has(&j->cli.given, "label")) return (f2l_label)j->o.input.label;
    return f2l_fsa_usual_label(fsa);
}

/* Moves the first automaton, which was made deterministic when it was read, to the result. */
static f2l_status determinise(job *j, f2l_error *err)
{
    (void)err;
    j->result = j->part[0].grammar.fsa;
    f2l_fsa_init(&j->part[0].grammar.fsa);
    return F2L_OK;
}

static f2l_status minimise(job *j, f2l_error *err)
{
    uint32_t *class_of = NULL;
    const f2l_fsa *fsa = &j->part[0].grammar.fsa;
    const f2l_status status =
        f2l_fsa_minimise(&j->result, &class_of, fsa, label_asked_for(j, fsa), &j->cli.task, err);
    f2l_free(class_of);
    return status;
}

static f2l_status complement(job *j, f2l_error *err)
{
    const f2l_status status = determinise(j, err);
    return status == F2L_OK ? f2l_algebra_complement(&j->result, err) : status;
}

static f2l_status reverse_automaton(job *j, f2l_error *err)
{
    return f2l_algebra_reverse(&j->result, &j->part[0].grammar.fsa, (size_t)j->o.input.max_states,
                               &j->cli.task, err);
}

/* Joins all automata from the left. */
static f2l_status join_all_automata(job *j,
                                    f2l_status (*two)(f2l_fsa *, const f2l_fsa *, const f2l_fsa *,
                                                      f2l_error *),
                                    f2l_error *err)
{
    f2l_status status = determinise(j, err);
    for (size_t i = 1; i < j->parts && status == F2L_OK; i++) {
        f2l_fsa left = j->result;
        f2l_fsa_init(&j->result);
        status = two(&j->result, &left, &j->part[i].grammar.fsa, err);
        f2l_fsa_clear(&left);
    }
    return status;
}

static f2l_status intersect(job *j, f2l_error *err)
{
    return join_all_automata(j, f2l_algebra_intersection, err);
}

static f2l_status unite_all_automata(job *j, f2l_error *err)
{
    return join_all_automata(j, f2l_algebra_union, err);
}

static int equivalent(job *j)
{
    f2l_error err;
    f2l_difference difference;
    const f2l_fsa *a = &j->part[0].grammar.fsa, *b = &j->part[1].grammar.fsa;
    f2l_fsa_comparison report = {.name = {j->part[0].grammar.name, j->part[1].grammar.name},
                                 .letters = &a->letters,
                                 .label = label_asked_for(j, a),
                                 .difference = &difference};
    f2l_difference_init(&difference);
    const f2l_status status =
        f2l_algebra_compare(&difference, a, b, report.label, &j->cli.task, &err);
    const int code = status == F2L_OK ? f2l_cli_report(&j->cli, &f2l_fsa_comparison_kind, &report)
                                      : f2l_cli_fail(&j->cli, NULL, &err);
    const bool found = difference.found;
    f2l_difference_clear(&difference);
    return code == 0 && found ? F2L_EXIT_REFUTED : code;
}

static f2l_status find_minimal(job *j, f2l_fsa_info *report, f2l_error *err)
{
    const f2l_fsa *fsa = report->total;
    report->label = label_asked_for(j, fsa);
    report->labelled = f2l_fsa_has_label(fsa, report->label, NULL) == F2L_OK;
    if (!report->labelled || report->label == F2L_LABEL_EDGES) return F2L_OK;
    const f2l_status status = minimise(j, err);
    report->minimal = j->result.states.count;
    return status;
}

static int info(job *j)
{
    f2l_error err;
    const part *p = &j->part[0];
    f2l_fsa_info report = {.grammar = p->grammar.name,
                           .syntax = p->grammar.syntax,
                           .nfa = &p->nfa,
                           .total = &p->grammar.fsa,
                           .steps = &p->grammar.total};
    return find_minimal(j, &report, &err) == F2L_OK
               ? f2l_cli_report(&j->cli, &f2l_fsa_info_kind, &report)
               : f2l_cli_fail(&j->cli, NULL, &err);
}

static const operation operations[] = {
    {"info",
     "counts states, letters and transitions, and says what making it deterministic and "
     "minimal gives",
     1, 1, false, true, NULL, info},
    {"convert", "writes the automaton as it is in another syntax", 1, 1, true, false, NULL, NULL},
    {"determinise", "makes it deterministic and total", 1, 1, false, false, determinise, NULL},
    {"minimise", "merges states that no word tells apart by the labels", 1, 1, false, true,
     minimise, NULL},
    {"complement", "accepts what it rejects", 1, 1, false, false, complement, NULL},
    {"reverse", "accepts the accepted words read backwards", 1, 1, false, false, reverse_automaton,
     NULL},
    {"intersection", "accepts what all accept", 2, SIZE_MAX, false, false, intersect, NULL},
    {"union", "accepts what one of them accepts", 2, SIZE_MAX, false, false, unite_all_automata,
     NULL},
    {"equivalent",
     "compares two automata; where they differ, prints a shortest word that shows "
     "it, and the exit status is 1",
     2, 2, false, true, NULL, equivalent},
    {NULL, NULL, 0, 0, false, false, NULL, NULL}};

static f2l_row operation_row(size_t index)
{
    const operation *o = &operations[index];
    const f2l_row row = {o->name,
                         !o->name       ? NULL
                         : o->most == 1 ? "FILE"
                         : o->most == 2 ? "FILE FILE"
                                        : "FILE FILE ..",
                         o->summary};
    return row;
}

static const char *operation_name(size_t index)
{
    return operations[index].name;
}

/* Reads automaton `p` from the file, or from --regex where `path` is NULL. Missing transitions lead
 * to a sink, which no language notices. */
static int load_part(job *j, part *p, const f2l_input_options *options, const char *path,
                     bool total)
{
    f2l_error err;
    const f2l_total_options how = {true, (size_t)options->max_states, p->grammar.source};
    int code = f2l_grammar_open(&p->grammar, &j->cli, options, path);
    if (code == 0) code = f2l_grammar_parse(&p->nfa, &p->grammar, &j->cli, options);
    if (code || !total) return code;
    if (f2l_nfa_total(&p->grammar.fsa, &p->grammar.total, &p->nfa, &how, &j->cli.task, &err) !=
        F2L_OK)
        return f2l_cli_fail(&j->cli, p->grammar.name, &err);
    return 0;
}

static int load_all(job *j, bool total)
{
    f2l_error err;
    const size_t files = j->cli.operands - 1;
    f2l_input_options file, regex;
    f2l_input_split(&file, &regex, &j->o.input, files > 0);
    j->part = f2l_calloc(files + 1, sizeof *j->part);
    if (!j->part) {
        f2l_fail_memory(&err);
        return f2l_cli_fail(&j->cli, NULL, &err);
    }
    int code = 0;
    for (; j->parts < files + (regex.regex != NULL) && code == 0; j->parts++) {
        part *p = &j->part[j->parts];
        const bool last = j->parts == files;
        f2l_grammar_init(&p->grammar);
        f2l_nfa_init(&p->nfa);
        code = load_part(j, p, last ? &regex : &file, last ? NULL : j->cli.operand[j->parts + 1],
                         total);
    }
    return code;
}

/* Does the operation, and warns of what its result lacks that the first automaton says. */
static f2l_status work_and_warn(job *j, const operation *op, f2l_error *err)
{
    const f2l_fsa *fsa = &j->part[0].grammar.fsa, *result = &j->result;
    const bool states = fsa->outputs.count > 0, edges = fsa->edge_outputs.count > 0,
               accept = fsa->has_accept;
    const f2l_status status = op->work(j, err);
    const char *name = j->part[0].grammar.name;
    if (status != F2L_OK) return status;
    if (states && result->outputs.count == 0)
        f2l_cli_warn(&j->cli, name, "the result has no outputs of states%s",
                     op->labelled ? "; --label outputs keeps them" : "");
    if (edges && result->edge_outputs.count == 0)
        f2l_cli_warn(&j->cli, name, "the result has no outputs of transitions%s",
                     op->labelled ? "; --label edges keeps them" : "");
    if (accept && !result->has_accept)
        f2l_cli_warn(&j->cli, name, "the result does not say which states accept%s",
                     op->labelled ? "; --label accept keeps them" : "");
    return F2L_OK;
}

/* Warns of accepting states that the syntax must name and the automaton has not. */
static void warn_of_accept(job *j, const f2l_export_format *format, bool has_accept)
{
    if (!format->says_accept || has_accept) return;
    f2l_cli_warn(&j->cli, j->part[0].grammar.name,
                 "it does not say which states accept; in %s none does", format->title);
}

static int write_result(job *j, const operation *op)
{
    f2l_error err;
    f2l_buf text;
    const char *out = j->o.out && strcmp(j->o.out, "-") != 0 ? j->o.out : NULL;
    const f2l_export_format *format = j->o.to != F2L_NO_CHOICE ? &f2l_export_formats[j->o.to]
                                      : out                    ? f2l_export_by_name_of_file(out)
                                                               : f2l_export_formats;
    const f2l_nfa *nfa = &j->part[0].nfa;
    f2l_buf_init(&text);
    warn_of_accept(j, format,
                   !op->as_written ? j->result.has_accept
                   : nfa->is_group ? nfa->group.has_accept
                                   : nfa->has_accept);
    f2l_status status = op->as_written ? f2l_export(&text, format, nfa, &err)
                                       : f2l_export_total(&text, format, &j->result, &err);
    int code = status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->part[0].grammar.name, &err);
    if (code == 0 && !out) return f2l_cli_print_named(&j->cli, format->name, &text);
    if (code == 0 && f2l_write_file(out, text.data, text.size, &err) != F2L_OK)
        code = f2l_cli_fail(&j->cli, out, &err);
    f2l_buf_clear(&text);
    return code;
}

/* Returns 0 if the command line fits the operation, else the status of wrong usage. */
static int check_operation(job *j, const operation *op)
{
    f2l_cli *cli = &j->cli;
    const size_t parts = cli->operands - 1 + (j->o.input.regex != NULL);
    if (parts < op->least || parts > op->most)
        return f2l_cli_usage(cli, "%s takes %s; --regex counts as one", op->name,
                             op->most == 1   ? "one automaton"
                             : op->most == 2 ? "two automata"
                                             : "two automata or more");
    if (!op->labelled && f2l_given_has(&cli->given, "label"))
        return f2l_cli_usage(cli, "--label belongs to info, minimise and equivalent");
    if (op->report && (j->o.out || j->o.to != F2L_NO_CHOICE))
        return f2l_cli_usage(cli, "--out and --to are for automata; %s prints a report", op->name);
    if (j->o.out && strcmp(j->o.out, "-") != 0 && j->o.to == F2L_NO_CHOICE &&
        !f2l_export_by_name_of_file(j->o.out))
        return f2l_cli_usage(cli, "the ending of '%s' says no syntax; --to gives it", j->o.out);
    return 0;
}

static int run_fsa(void *context)
{
    job *j = context;
    f2l_error err;
    if (j->cli.operands == 0) return f2l_cli_usage(&j->cli, "an operation is expected");
    const char *name = j->cli.operand[0];
    const size_t at = f2l_choice_find(operation_name, name, strlen(name));
    if (at == F2L_NO_CHOICE) {
        f2l_near near = {.name = name};
        for (size_t i = 0; operations[i].name; i++) f2l_near_try(&near, operations[i].name);
        return near.found ? f2l_cli_usage(&j->cli, "there is no operation '%s'; did you mean '%s'?",
                                          name, near.found)
                          : f2l_cli_usage(&j->cli, "there is no operation '%s'", name);
    }
    const operation *op = &operations[at];
    int code = check_operation(j, op);
    if (code == 0) code = load_all(j, !op->as_written);
    if (code) return code;
    if (op->report) return op->report(j);
    if (op->work && work_and_warn(j, op, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->parts == 1 ? j->part[0].grammar.name : op->name, &err);
    return write_result(j, op);
}

const f2l_command f2l_command_fsa = {
    .name = "fsa",
    .usage = (const char *const[]){"fsa OPERATION GRAMMAR .. [--to SYNTAX] [-o FILE] [options]",
                                   "fsa equivalent GRAMMAR GRAMMAR [options]", NULL},
    .summary = "operations on automata, and conversion between syntaxes",
    .description =
        "Applies the operation to automata in any syntax that is read, and writes the result. "
        "--regex counts as one more automaton, the last.\n\n"
        "Operations other than convert make their automata deterministic and total first; missing "
        "transitions reject, so that --sink is not needed. Union, intersection and equivalent take "
        "automata with the same letters. Complement, reverse, union and intersection are of the "
        "words that are accepted. minimise, info and equivalent go by --label: the default is the "
        "first of accept, outputs and edges that the (first) automaton has.\n\n"
        "equivalent prints a shortest word after which the labels differ, and the exit status is "
        "then 1.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)}},
    .files = {F2L_FILES_NONE, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .list_title = "Operations",
    .list = operation_row,
    .operand = operation_name,
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn fsa minimise big.fsa -o small.fsa", "the least automaton of the language"},
            {"fsa2lrnn fsa equivalent a.att --regex '(ab)*'",
             "whether a file accepts what an expression matches"},
            {"fsa2lrnn fsa convert drawn.jff -o drawn.att", "from JFLAP to the text of OpenFst"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const fsa_options){.to = F2L_NO_CHOICE},
    .run = run_fsa};
