/* `classify`: which classes of models can track an automaton, with witnesses and constructions. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/join.h"
#include "cli/signals.h"
#include "reports/automata/classify_report.h"
#include "reports/automata/ladder_report.h"
#include "theory/obstruct/survey/survey.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct classify_options {
    bool construct, csv, models, finer;
    const char *certificates;
    f2l_chosen formats;
    uint64_t limit, maps, effort;
    f2l_input_options input;
    f2l_join_options join;
} classify_options;

#define FIELD(name) offsetof(classify_options, name)
static const f2l_option table[] = {
    {"construct", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(construct),
     "list all constructions as `compile --pareto` does, verify them in formats, and show for "
     "every class the network with the fewest layers"},
    {"formats", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(formats),
     "with --construct: number formats to verify in (default: bf16,fp16,fp32,fp64)"},
    {"certificates", 0, F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(certificates),
     "write the automaton and the proofs of lower bounds on the layers into DIR: fork.cert for "
     "fork-check, band.cert for band-check, arcs.cert for arcs-check, depth.cert and "
     "depth-finite.cert for depth-check, separation.cert for separation-check, and stack.cert for "
     "stack-check, which proves that two layers, or three, are enough, as far as there are any"},
    {"csv", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(csv),
     "print a table with one line for each class, as comma-separated values"},
    {"finer", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(finer),
     "print the finer classes (definite, locally testable, J-trivial ..): what each one buys, or "
     "two families of words that show why the automaton is not in it"},
    {"models", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(models),
     "list the classes of models, without a grammar: papers, ranges of the parameters, and which "
     "automata they can track by which statement"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "most subsets of states; beyond it the groups count as unknown (default: 70000)"},
    {"maps", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 2000000000, FIELD(maps),
     "most maps of the states in the search for the shortest witness (default: 2097152, or "
     "256 MiB of maps)"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 4000000000, FIELD(effort),
     "limit on the analysis, another on the finer classes, and another on the search for networks, "
     "with --construct on each "
     "construction, in millions of counted steps (some milliseconds each) (default: 1250; 0: no "
     "limit)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    classify_options o;
    f2l_grammar grammar;
    f2l_survey survey;
    f2l_finer finer;
    f2l_classify_built built[F2L_LADDER_CLASSES];
} job;

#define PARTS(part, clear) part(f2l_survey, survey), part(f2l_grammar, grammar)
F2L_JOB(PARTS)

/* --- networks --- */

/* Says why there is no network of the class: the reason that `compile` gives. */
static void refuse_class(f2l_classify_built *out, const job *j, f2l_ladder_class class)
{
    const f2l_compile_result *list = &j->survey.compiled;
    const f2l_label label = (f2l_label)j->o.input.label;
    const f2l_compile_entry *e = f2l_compile_missing(list, f2l_survey_networks(class));
    const bool open = !e || e->outcome == F2L_COMPILE_STOPPED || e->outcome == F2L_COMPILE_BUILT;
    out->status = open ? F2L_UNKNOWN : F2L_EDOMAIN;
    out->request.label = label;
    if (e) f2l_compile_ask_for(&out->request, e, label);
    snprintf(out->reason, sizeof out->reason, "%.255s",
             !e                                ? j->survey.unbuilt
             : e->outcome == F2L_COMPILE_BUILT ? e->exact_reason
                                               : e->reason);
}

/* Keeps the formats that were asked for, in their order: a list also has bf16, and has it first. */
static void choose_formats(f2l_compile_entry *out, const job *j)
{
    const f2l_compile_entry all = *out;
    out->formats = 0;
    for (size_t k = 0; k < j->o.formats.count; k++)
        for (size_t i = 0; i < all.formats; i++)
            if (all.format[i].format == &f2l_formats[j->o.formats.index[k]])
                out->format[out->formats++] = all.format[i];
}

/* Takes the network of every class that can and that the compiler has a construction for. */
static void take_networks(job *j)
{
    for (int i = 0; i < F2L_LADDER_CLASSES; i++) {
        const f2l_ladder_class class = (f2l_ladder_class)i;
        const f2l_compile_entry *e = f2l_survey_network(&j->survey, class);
        f2l_classify_built *out = &j->built[i];
        if (j->survey.classify.row[i].verdict != F2L_LADDER_CAN || !f2l_survey_networks(class))
            continue;
        out->tried = true;
        if (e) {
            out->network = *e;
            choose_formats(&out->network, j);
            f2l_compile_ask_for(&out->request, e, (f2l_label)j->o.input.label);
        } else {
            refuse_class(out, j, class);
        }
    }
}

static f2l_status compile_for_classes(job *j, f2l_error *err)
{
    f2l_compile_options options = {.label = (f2l_label)j->o.input.label,
                                   .schedule = &f2l_schedules[0],
                                   .merge_letters = true,
                                   .effort = j->o.effort * F2L_STEPS};
    for (size_t i = 0; j->o.construct && i < j->o.formats.count; i++)
        options.format[i] = &f2l_formats[j->o.formats.index[i]];
    return f2l_survey_compile(&j->survey, &j->grammar.fsa, &options, &j->cli.task, err);
}

static f2l_status write_class_file(const job *j, const char *name, const f2l_buf *bytes,
                                   f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", j->o.certificates, name);
    f2l_status status = f2l_buf_status(bytes, err);
    if (status == F2L_OK) status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, bytes->data, bytes->size, err);
    f2l_buf_clear(&path);
    return status;
}

/* Appends the certificate of kind `i`; returns false when there is no such proof. */
static bool make_certificate(f2l_buf *out, size_t i, const job *j, f2l_status *status,
                             f2l_error *err)
{
    const f2l_fsa *fsa = &j->grammar.fsa;
    const f2l_label label = (f2l_label)j->o.input.label;
    const f2l_survey *s = &j->survey;
    const f2l_layers *l = &s->layers;
    const bool there[] = {l->fork.found,
                          l->band.found,
                          l->arcs.layers > 0,
                          l->tied.stages > 0,
                          l->tied_band.finite && l->tied_band.layers > l->margin,
                          s->one_layer.separation.verdict == F2L_SEPARATION_INFEASIBLE,
                          f2l_enough_covered(&s->enough)};
    if (!there[i]) return false;
    *status = i == 0   ? f2l_fork_certificate(out, &l->fork, fsa, label, err)
              : i == 1 ? f2l_band_certificate(out, &l->band, fsa, label, err)
              : i == 2 ? f2l_arcs_certificate(out, &l->arcs, fsa, label, err)
              : i == 3 ? f2l_tied_certificate(out, &l->tied, fsa, label, err)
              : i == 4 ? f2l_tied_certificate(out, &l->tied_band, fsa, label, err)
              : i == 5 ? f2l_one_layer_certificate(out, &s->one_layer, fsa, label, err)
                       : f2l_enough_certificate(out, &s->enough, fsa, label, err);
    return true;
}

static f2l_status write_certificates(const job *j, f2l_error *err)
{
    static const char *const names[] = {"fork.cert",  "band.cert",         "arcs.cert",
                                        "depth.cert", "depth-finite.cert", "separation.cert",
                                        "stack.cert"};
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    if (mkdir(j->o.certificates, 0777) != 0 && errno != EEXIST)
        return f2l_fail(err, F2L_EEXIST, "%s cannot be created: %s", j->o.certificates,
                        f2l_reason_of(errno).text);
    f2l_status status = f2l_fsa_write(&bytes, &j->grammar.fsa, err);
    if (status == F2L_OK) status = write_class_file(j, "automaton.fsa", &bytes, err);
    f2l_buf_clear(&bytes);
    for (size_t i = 0; i < sizeof names / sizeof *names && status == F2L_OK; i++) {
        if (make_certificate(&bytes, i, j, &status, err) && status == F2L_OK)
            status = write_class_file(j, names[i], &bytes, err);
        f2l_buf_clear(&bytes);
    }
    return status;
}

/* --- the command --- */

static bool open(const job *j)
{
    /* The fewest layers are open only where the task was stopped: limits of this program are named
     * in the line. */
    const bool found = (j->survey.most_is_built && !j->survey.open[0]) ||
                       f2l_layers_one_suffices(&j->survey.layers);
    bool is_open = f2l_classify_open(&j->survey.classify) ||
                   (!found && f2l_task_stop(&j->cli.task) != F2L_STOP_NONE);
    for (size_t i = 0; j->o.construct && i < F2L_LADDER_CLASSES; i++) {
        const f2l_classify_built *b = &j->built[i];
        if (b->tried &&
            (b->status == F2L_UNKNOWN || (b->status == F2L_OK && b->network.exact == F2L_UNKNOWN)))
            is_open = true;
    }
    return is_open;
}

static int print_classified(job *j)
{
    const f2l_layers_facts layers = f2l_classify_layers(&j->survey, &j->grammar.fsa);
    const f2l_classify_report report = {
        .grammar = j->grammar.name,
        .classify = &j->survey.classify,
        .states = j->grammar.fsa.states.count,
        .label = (f2l_label)j->o.input.label,
        .layers = &layers,
        .finer = &j->survey.finer,
        .one_layer = &j->survey.one_layer,
        .engines = j->survey.engines,
        .built = j->o.construct ? j->built : NULL,
        .ended = open(j) ? f2l_stop_name(f2l_task_stop(&j->cli.task)) : NULL};
    const int code = f2l_cli_report(&j->cli,
                                    j->o.csv     ? &f2l_classify_csv_kind
                                    : j->o.finer ? &f2l_finer_report_kind
                                                 : &f2l_classify_report_kind,
                                    &report);
    if (code) return code;
    if (f2l_signals_caught())
        return f2l_cli_interrupted(&j->cli, "the report says what was not decided");
    return open(j) ? F2L_EXIT_UNKNOWN : 0;
}

static int classify_grammar(job *j)
{
    f2l_error err;
    const f2l_classify_options options = {.label = (f2l_label)j->o.input.label,
                                          .max_sets = (size_t)j->o.limit,
                                          .cycles = {.maps = (size_t)j->o.maps}};
    f2l_effort effort = {.limit = j->o.effort * F2L_STEPS};
    f2l_task task = j->cli.task;
    task.effort = &effort;
    f2l_status status = f2l_survey_find(&j->survey, &j->grammar.fsa, &options, &task, &err);
    if (status == F2L_OK) status = compile_for_classes(j, &err);
    if (status == F2L_OK && j->o.construct) take_networks(j);
    if (status == F2L_OK && j->o.certificates) {
        status = write_certificates(j, &err);
        if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->o.certificates, &err);
    }
    return status == F2L_OK ? print_classified(j) : f2l_cli_fail(&j->cli, j->grammar.name, &err);
}

static int check_classify_usage(job *j)
{
    if (j->o.csv && j->cli.global.json)
        return f2l_cli_usage(&j->cli, "--csv and --json exclude each other");
    if (j->o.finer && (j->o.csv || j->o.construct))
        return f2l_cli_usage(&j->cli, "--finer excludes --csv and --construct");
    if (j->o.formats.count > 0 && !j->o.construct)
        return f2l_cli_usage(&j->cli, "--formats belongs to --construct");
    if (j->o.models &&
        (j->cli.operands > 0 || j->o.input.regex || j->o.construct || j->o.csv || j->o.finer))
        return f2l_cli_usage(&j->cli, "--models takes nothing else: the list is the same for every "
                                      "grammar");
    return 0;
}

static int run_classify(void *context)
{
    job *j = context;
    int code = check_classify_usage(j);
    if (code == 0 && j->o.models) return f2l_cli_report(&j->cli, &f2l_ladder_report_kind, NULL);
    f2l_choose_usual_formats(&j->o.formats);
    if (code == 0) code = f2l_join_load(&j->grammar, &j->cli, &j->o.input, &j->o.join);
    return code ? code : classify_grammar(j);
}

const f2l_command f2l_command_classify = {
    .name = "classify",
    .usage =
        (const char *const[]){"classify GRAMMAR [--label KIND] [--construct] [--csv]",
                              "classify --regex RE [--label KIND] [--construct] [--csv]",
                              "classify GRAMMAR [--label KIND] --finer", "classify --models", NULL},
    .summary = "says which classes of models can track an automaton, and why others cannot",
    .description =
        "Decides whether the automaton is aperiodic, and whether all groups in its transition "
        "monoid are 2-groups, or solvable. From this it derives, for diagonal models, "
        "DeltaNet, DeltaProduct, KDA, GDN-2, PD-SSM and others, whether any number of layers can "
        "track the automaton. It takes the groups of the holonomy cascade, so that the monoid is "
        "never listed.\n\n"
        "Every `cannot` names its statement in theory/pages/ladder.md, the scope of the "
        "statement, and a witness: the shortest word that moves some states in a cycle, or two "
        "words whose group is not solvable. Every `can` names a construction, and has the figures "
        "of the network with the fewest layers where the compiler builds one. --construct shows "
        "that network: layers, heads, n_h, dimensions, state numbers, factors per token, table "
        "entries, parameters and the formats in which it is VERIFIED at all lengths; `compile` "
        "writes it with the options shown. Verdicts that depend on a published theorem or on TC0 "
        "!= NC1 are marked.\n\n"
        "`layers` says how few layers can be enough: a lower bound for all networks in exact "
        "arithmetic whose letters act as contractions and whose words lead to finitely many "
        "states (theory/pages/layers.md), beside the fewest of a network that was built and is "
        "VERIFIED; `compile --pareto` lists it. Constructions that a limit left open are named. A "
        "fork is a proof that one layer does not suffice. `bands` says whether efe = fe for all "
        "idempotents e and f of the automaton's semigroup (theory/pages/one-layer.md): then one "
        "layer with finitely many states suffices, though the compiler may not build it; otherwise "
        "words and states show that it does not. A layer with infinitely many states, or one that "
        "rounds, may then do it where there is no fork. `one code` says whether one layer can "
        "have one code for each state, and for which decoder (theory/pages/separation.md, SP.9): "
        "`state` reads the code after a letter, `step` the letter as well, and `before` also the "
        "code before it. Where none of these does, that is weaker than a fork: a network with "
        "several codes for a state is not excluded by this. With --certificates the proofs are "
        "written for programs that check them and share no code with this one.\n\n"
        "`finer` names the classes below aperiodic in which the automaton is, or is not: definite, "
        "reverse and generalised definite, locally testable, locally threshold testable, of "
        "dot-depth one, each also without the letters that keep every state (its tier), J-, R- "
        "and L-trivial, DA, star-free (theory/pages/finer.md). --finer prints what each one buys "
        "in layers, or two families of words that no automaton of the class tells apart and this "
        "one does; JSON has both always.\n\n"
        "--models lists the classes: the paper, its year, the range of the parameters, and which "
        "automata can be tracked by which statement.\n\n"
        "--csv prints one line for each class. The columns are named like the facts of --json, "
        "`compiled.figures.layers`; what is unknown is empty, fields with commas are quoted (RFC "
        "4180), and the last column has the formats in which the network is VERIFIED.\n\n"
        "The status is 0 when every verdict about a class of models is decided, and 2 when a "
        "limit left one unknown; the report names the limit. Finer classes that a limit leaves "
        "open are named as not known, with status 0. After a signal the report holds the verdicts "
        "decided before.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)},
               {F2L_JOIN_TITLE, f2l_join_table, FIELD(join)}},
    .no_edges = true,
    .work = &(const f2l_work_kind){.own_out = false},
    .files = {F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn classify parity.fsa", "not aperiodic: the letter 1 exchanges two states"},
            {"fsa2lrnn classify s3.fsa --construct", "and the networks that can, verified"},
            {"fsa2lrnn classify s3.fsa --construct --csv", "their figures as a table"},
            {"fsa2lrnn classify t4.fsa --certificates t4 && arcs-check t4/automaton.fsa "
             "t4/arcs.cert",
             "proofs that fewer layers do not suffice, and one of them checked"},
            {"fsa2lrnn classify --regex '(aa)*' --label accept",
             "the same for a regular expression"},
            {"fsa2lrnn classify --models", "papers, ranges and claims of all classes"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const classify_options){.effort = F2L_USUAL_EFFORT},
    .run = run_classify};
