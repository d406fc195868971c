/* `compare`: a trained network beside the constructed one. */
#include "cli/commands.h"
#include "cli/draw.h"
#include "cli/train/compare_job.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <string.h>

#define FIELD(name) offsetof(f2l_compare_arguments, name)
static const f2l_option table[] = {
    {"with", 0, F2L_OPTION_FILE, "NET", NULL, F2L_FILES_NETWORK, 0, FIELD(with),
     "the network to compare with, a file network.lrnn or its folder (default: the one that the "
     "main job constructs for the automaton)"},
    {"no-network", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(no_network),
     "look at the trained network alone"},
    {"grammar", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_GRAMMAR, 0, FIELD(grammar),
     "for weights without a run: the automaton (default: automaton.fsa in the folder); it must "
     "have as many letters and labels as the network, in the same order"},
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(out),
     "write the JSON to this file, whole or not at all (default: compare.json in the folder RUN)"},
    {"letters", 0, F2L_OPTION_NUMBER, "N", NULL, 0, UINT32_MAX, FIELD(letters),
     "number of letters that the readable report shows (default: 3); the JSON has all"},
    {"lengths", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(lengths),
     "lengths for the accuracy, ascending (default: 64,128,256,512)"},
    {"sequences", 0, F2L_OPTION_NUMBER, "N", NULL, 1, UINT32_MAX, FIELD(sequences),
     "random words for the accuracy (default: 64)"},
    F2L_SEARCH(FIELD(search)),
    {"word-length", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 100000, FIELD(word_length),
     "letters of the words whose states are looked at (default: 8, or twice as many as lead to "
     "the farthest state of the automaton)"},
    {"threshold", 0, F2L_OPTION_REAL, "X", NULL, 0, 1, FIELD(threshold),
     "for the linear maps: use directions in which states vary by at least X times the most "
     "(default: 0.05)"},
    F2L_NO_REPORT(FIELD(no_report)),
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef f2l_compare_job job;

#define PARTS(part, clear) \
    clear(f2l_failing_clear(&j->failing)), clear(f2l_free(j->layer_betas)), \
        clear(f2l_free(j->score)), clear(f2l_free(j->constructed_score)), \
        clear(f2l_free(j->length)), part(f2l_learned_irreps, constructed_irreps), \
        part(f2l_learned_irreps, irreps), clear(f2l_state_maps_clear(&j->maps)), \
        part(f2l_extract, extract), clear(f2l_learned_sample_clear(&j->sample)), \
        clear(f2l_learned_reader_clear(&j->reader)), part(f2l_inspect, constructed_inspect), \
        clear(f2l_constructed_clear(&j->constructed)), part(f2l_net, constructed.plain), \
        part(f2l_compile_result, compiled), part(f2l_network_file, file), \
        part(f2l_inspect_characters, characters), part(f2l_inspect_relations, relations), \
        part(f2l_inspect, inspect), clear(f2l_free(j->used)), clear(f2l_free(j->parameters)), \
        part(f2l_data, data), part(f2l_buf, beside), part(f2l_train_source, source), \
        part(f2l_weights_file, weights)
F2L_JOB(PARTS)

static const char *const no_delta =
    "its mixer has no keys and betas of letters: for the diagonal mixer inspect shows the decays";

static void fill_compare_report(f2l_compare_report *out, f2l_inspect_report *learned, const job *j)
{
    const f2l_experiment *e = &j->weights.run.experiment;
    const bool heads = j->weights.trained.model.config.mixer == &f2l_mixer_delta;
    *learned = (f2l_inspect_report){.weights = j->weights.name.data,
                                    .layer = 1,
                                    .source = !j->weights.has_run ? j->source.name
                                              : e->fsa            ? "automaton.fsa"
                                                                  : NULL,
                                    .data = &j->data,
                                    .model = &j->weights.trained.model,
                                    .inspect = &j->inspect,
                                    .relations = &j->relations,
                                    .characters = &j->characters};
    *out = (f2l_compare_report){
        .learned = learned,
        .no_heads = heads ? NULL : no_delta,
        .network = j->o.with,
        .theorem = j->o.with || j->net == NULL ? NULL : j->compiled.theorem,
        .net = j->net,
        .no_network = j->net == NULL ? j->no_network : NULL,
        .constructed = &j->constructed_inspect,
        .no_constructed_heads = j->no_constructed_heads[0] ? j->no_constructed_heads : NULL,
        .reader = &j->reader,
        .sample = j->sampled ? &j->sample : NULL,
        .extract = &j->extract,
        .exact = j->net != NULL ? &j->constructed : NULL,
        .maps = j->mapped ? &j->maps : NULL,
        .no_maps = j->no_maps,
        .threshold = j->o.threshold,
        .layer_betas = j->layer_betas,
        .irreps = &j->irreps,
        .constructed_irreps = j->mapped ? &j->constructed_irreps : NULL,
        .scores = {j->score, j->lengths, j->wrong.length},
        .constructed_scores = {j->constructed_score, j->net ? j->lengths : 0,
                               j->constructed_wrong.length},
        .failing = &j->failing,
        .settle = &j->settle,
        .sequences = (size_t)j->o.sequences,
        .rows = (size_t)j->o.letters};
}

/* Returns whether compare.json belongs into the folder that was given. */
static bool keeps_in_folder(const job *j)
{
    return !j->o.out && f2l_path_is_folder(j->cli.operand[0]);
}

/* Writes the JSON to --out, or into the folder. */
static f2l_status write_compare_json(const job *j, const f2l_compare_report *report, f2l_buf *path,
                                     f2l_error *err)
{
    f2l_buf text;
    const char *given = j->cli.operand[0];
    if (j->o.out)
        f2l_buf_text(path, j->o.out);
    else if (keeps_in_folder(j))
        f2l_buf_printf(path, "%s%scompare.json", given, given[strlen(given) - 1] == '/' ? "" : "/");
    else
        return F2L_OK;
    f2l_buf_init(&text);
    f2l_status status = f2l_buf_status(path, err);
    if (status == F2L_OK) status = f2l_report_as_json(&text, &f2l_compare_report_kind, report, err);
    if (status == F2L_OK) status = f2l_write_file(path->data, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

static int print_compared(job *j, double seconds)
{
    f2l_error err;
    f2l_buf path;
    f2l_inspect_report learned;
    f2l_compare_report report;
    fill_compare_report(&report, &learned, j);
    report.seconds = seconds;
    f2l_buf_init(&path);
    const f2l_status status = write_compare_json(j, &report, &path, &err);
    report.file = path.data;
    const int code = status == F2L_OK ? f2l_cli_report(&j->cli, &f2l_compare_report_kind, &report)
                                      : f2l_cli_fail(&j->cli, path.data, &err);
    f2l_buf_clear(&path);
    return code;
}

static int run_compare(void *context)
{
    job *j = context;
    f2l_error err;
    const double start = f2l_now();
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli,
                             "the folder of a run or one file of weights, or a folder with "
                             "config.json and model.safetensors is expected");
    if (j->o.with && j->o.no_network)
        return f2l_cli_usage(&j->cli, "--with and --no-network exclude each other");
    if (j->o.threshold <= 0 || j->o.threshold >= 1)
        return f2l_cli_usage(&j->cli, "--threshold must be between 0 and 1");
    int code = f2l_compare_open_learned(j);
    if (code == 0) code = f2l_compare_open_constructed(j);
    if (code) return code;
    if (f2l_compare_analyse(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    code = print_compared(j, f2l_now() - start);
    if (!j->o.no_report && keeps_in_folder(j)) f2l_cli_draw(&j->cli, j->cli.operand[0], code);
    return code;
}

const f2l_command f2l_command_compare = {
    .name = "compare",
    .usage = (const char *const[]){"compare RUN [--with NET] [options]",
                                   "compare MODEL --grammar FILE [options]", NULL},
    .summary = "shows a trained network beside the constructed one",
    .description =
        "Puts a trained network and the network that the main job constructs for the same "
        "automaton side by side, as text and as compare.json in the folder RUN. RUN is the folder "
        "of a run of train or reproduce that has ended; MODEL is what evaluate and inspect "
        "take.\n\n"
        "Accuracy by length: both on the same random words, the constructed network in exact "
        "arithmetic, the trained one also on sink-free and periodic words, and the shortest wrong "
        "word of the trained one that is known, as in evaluate. "
        "The automaton of the learned states: states after random words fall into "
        "clusters where there is a gap between them; clusters, letters and the network's own "
        "answers are an automaton, which is minimised and compared with the given one; where they "
        "differ a shortest word is shown, with the network's answer to it. Irreducible "
        "representations, for automata whose letters permute the states: which of them explain "
        "the states of each head, and whether they are the least choice of theorem R1. Linear "
        "maps between the states of both networks, fitted to some words and tried on others. "
        "Matrices of letters, head by head: betas, angles, eigenvalues, effective rank.\n\n"
        "All of this is seen in floating point on some words. It proves nothing about other "
        "words. With compare.json in RUN, report.html and report.md there are drawn anew.",
    .options = table,
    .groups = {{"Options for the grammar of --grammar or --regex", f2l_input_table, FIELD(input)},
               {F2L_WORDS_TITLE, f2l_words_table, FIELD(words)}},
    .no_edges = true,
    .work =
        &(const f2l_work_kind){.own_out = true, .file = "compare.json", .result = "compare.json"},
    .files = {F2L_FILES_WEIGHTS},
    .examples = (const f2l_example[]){{"fsa2lrnn compare s3.train", "the readable report"},
                                      {"fsa2lrnn compare s3.train --with s3.lrnn --json",
                                       "beside a network that was written before"},
                                      {"fsa2lrnn compare s3.train/weights.safetensors --grammar "
                                       "s3.fsa -o s3.json",
                                       "weights alone"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const f2l_compare_arguments){.letters = 3,
                                             .sequences = 64,
                                             .search = F2L_FAILING_USUAL,
                                             .threshold = F2L_STATE_MAP_THRESHOLD},
    .run = run_compare};
