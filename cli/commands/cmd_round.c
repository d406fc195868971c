/* `round`: verdicts on a network in number formats and operation schedules. */
#include "cli/commands.h"
#include "cli/input/engine_file.h"
#include "cli/input/network_file.h"
#include "cli/signals.h"
#include "numeric/base/sha256.h"
#include "reports/networks/round_report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MOST 96       /* largest number of verdicts of one call */
#define FILE_NAME 200 /* most bytes of a file's name, without its ending */
#define EFFORT 3000   /* default of --effort, in millions of counted steps */
#define LETTERS 1000000
#define NOT_GIVEN UINT64_MAX

typedef struct round_options {
    f2l_chosen formats, schedules;
    const char *format, *schedule, *engine, *fsa, *csv, *certificate, *certificates, *checkpoint;
    uint64_t limit, effort, horizon, letters, seed;
    bool no_horizon;
} round_options;

#define FIELD(name) offsetof(round_options, name)
static const f2l_option table[] = {
    {"formats", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(formats),
     "number formats (default: bf16,fp16,fp32,fp64,e4m3)"},
    {"format", 0, F2L_OPTION_TEXT, "FORMAT", f2l_choice_format, 0, 0, FIELD(format),
     "one format: a name of --formats, or p=P,emin=E,emax=E, and then, separated by commas, "
     "largest=X, overflow=infinity|nan|saturate, subnormals=yes|no, "
     "round=nearest|zero|up|down|stochastic"},
    {"schedules", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_schedule, 0, 0, FIELD(schedules),
     "operation schedules (default: every,acc32,recurrent,chunk64)"},
    {"schedule", 0, F2L_OPTION_TEXT, "SCHEDULE", f2l_choice_schedule, 0, 0, FIELD(schedule),
     "one schedule: a name of --schedules, and then settings, separated by commas, as in "
     "serving,state=int8,scale=amax; `help` lists them (docs/formats.md)"},
    {"engine", 0, F2L_OPTION_TEXT, "NAME[/STATE]", NULL, 0, 0, FIELD(engine),
     "the schedule of a serving engine's kernel, with a state of this type; or a file of one, "
     "whose name has a / or ends in .engine; `help` lists them (docs/engines.md; the format is "
     "bf16 where none is named)"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "most joint states of a closure; beyond it the closure is given up (default: 1000000, "
     "with --engine 100000)"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 4000000000, FIELD(effort),
     "limit on each verdict, in millions of counted steps (some milliseconds each) (default: "
     "3000, with --engine 100, or no limit where --limit is given; 0: no limit)"},
    {"horizon", 0, F2L_OPTION_NUMBER, "T", NULL, 1, UINT64_MAX, FIELD(horizon),
     "look for a bound up to words of T letters (default: 10^12)"},
    {"no-horizon", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(no_horizon), "look for no bound"},
    {"letters", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 1000000000000, FIELD(letters),
     "where nothing is proved, run random, greedy and periodic words of N letters (default: "
     "1000000, with --engine 40000; 0: none)"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT64_MAX, FIELD(seed),
     "seed of the random word (default: 1)"},
    {"csv", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_CSV, 0, FIELD(csv),
     "write the errors by length, both bounds and observed errors"},
    {"certificate", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_CERTIFICATE, 0, FIELD(certificate),
     "the network's certificate, which names the levels or the form that it is proved by (default: "
     "certificate.cert beside the network, if there is one)"},
    {"certificates", 0, F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(certificates),
     "write a certificate for lrnn-check into this folder, one for each verdict that has one, and "
     "the shortest wrong word of a row that draws, with what is drawn"},
    {"checkpoint", 0, F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(checkpoint),
     "save a closure of more than 10^7 joint states to this file from time to time, and continue "
     "from the file; for one format and schedule"},
    F2L_NETWORK_FSA_OPTION,
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    round_options o;
    f2l_network_file net;
    char network_sha256[65];
    f2l_outline outline; /* outline of the network's certificate, set if `outlined` */
    bool outlined;
    f2l_round_exact exact;
    char format_name[F2L_FORMAT_NAME], schedule_name[F2L_SCHEDULE_NAME];
    f2l_format format;
    f2l_schedule schedule;
    size_t formats, schedules, count;
    const f2l_format *of_format[F2L_MAX_CHOICES];
    const f2l_schedule *of_schedule[F2L_MAX_CHOICES];
    f2l_rounded rounded[MOST];
    size_t decided; /* number of rows that were decided */
    f2l_stop ended;
    f2l_buf certificate; /* certificate of the exact verdict; empty: there is none */
    f2l_engine_file engine;
} job;

static void clear_rows(job *j)
{
    for (size_t i = 0; i < j->count; i++) f2l_rounded_clear(&j->rounded[i]);
}

#define PARTS(part, clear) \
    clear(clear_rows(j)), part(f2l_engine_file, engine), part(f2l_buf, certificate), \
        part(f2l_round_exact, exact), part(f2l_outline, outline), part(f2l_network_file, net)
F2L_JOB(PARTS)

static int read_round_formats(job *j)
{
    static const char *const usual[] = {"bf16", "fp16", "fp32", "fp64", "e4m3"};
    f2l_error err;
    if (j->o.format) {
        if (j->o.formats.count)
            return f2l_cli_usage(&j->cli, "--format and --formats exclude each other");
        if (f2l_format_parse(&j->format, j->format_name, j->o.format, &err) != F2L_OK)
            return f2l_cli_usage(&j->cli, "--format: column %zu: %s", err.column, err.text);
        j->of_format[j->formats++] = &j->format;
        return 0;
    }
    for (size_t i = 0; i < j->o.formats.count; i++)
        j->of_format[j->formats++] = &f2l_formats[j->o.formats.index[i]];
    const size_t few = j->o.engine ? 1 : sizeof usual / sizeof *usual;
    for (size_t i = 0; !j->o.formats.count && i < few; i++)
        j->of_format[j->formats++] = f2l_format_find(usual[i]);
    return 0;
}

static int take_engine(job *j)
{
    if (j->o.schedule || j->o.schedules.count)
        return f2l_cli_usage(&j->cli, "--engine and --schedule exclude each other");
    const int code = f2l_engine_file_load(&j->engine, &j->cli, j->o.engine);
    if (code == 0) j->of_schedule[j->schedules++] = &j->engine.schedule;
    return code;
}

static int read_round_schedules(job *j)
{
    if (j->o.engine) return take_engine(j);
    static const char *const usual[] = {"every", "acc32", "recurrent", "chunk64"};
    f2l_error err;
    if (j->o.schedule) {
        if (j->o.schedules.count)
            return f2l_cli_usage(&j->cli, "--schedule and --schedules exclude each other");
        if (f2l_schedule_parse(&j->schedule, j->schedule_name, j->o.schedule, &err) != F2L_OK)
            return f2l_cli_usage(&j->cli, "--schedule: column %zu: %s", err.column, err.text);
        j->of_schedule[j->schedules++] = &j->schedule;
        return 0;
    }
    for (size_t i = 0; i < j->o.schedules.count; i++)
        j->of_schedule[j->schedules++] = &f2l_schedules[j->o.schedules.index[i]];
    for (size_t i = 0; !j->o.schedules.count && i < sizeof usual / sizeof *usual; i++)
        j->of_schedule[j->schedules++] = f2l_schedule_find(usual[i]);
    return 0;
}

static int check_round_usage(job *j)
{
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli, "one network is expected: its file or the folder it lies in");
    int code = read_round_formats(j);
    if (code == 0) code = read_round_schedules(j);
    if (code == 0 && j->o.checkpoint && j->formats * j->schedules != 1)
        return f2l_cli_usage(&j->cli, "--checkpoint is for one --format and one --schedule");
    return code;
}

/* Returns whether a pair is left out of the usual pairs because the schedule does not apply to the
 * format. A pair that the user named is kept, so that the user is told the reason. */
static bool is_skipped(const job *j, const f2l_format *format, const f2l_schedule *schedule)
{
    f2l_error why;
    const bool named =
        (j->o.format || j->o.formats.count) && (j->o.schedule || j->o.schedules.count);
    return !named && f2l_schedule_check(schedule, format, &why) != F2L_OK;
}

/* Warns of a certificate that cannot be used; the work continues without it. */
static void warn_certificate(job *j, const char *path, const f2l_error *why)
{
    f2l_buf where;
    f2l_buf_init(&where);
    f2l_buf_text(&where, path);
    if (why->line) f2l_buf_printf(&where, ":%zu:%zu", why->line, why->column);
    f2l_cli_warn(&j->cli, where.size ? where.data : path, "%s; it is not used", why->text);
    f2l_buf_clear(&where);
}

/* Reads the network's certificate, if there is one; a certificate that --certificate names must be
 * there. */
static int read_certificate(job *j)
{
    f2l_error err;
    f2l_buf bytes;
    struct stat info;
    const char *path = j->o.certificate ? j->o.certificate : j->net.paths.certificate.data;
    f2l_sha256_hex(j->net.bytes.data, j->net.bytes.size, j->network_sha256);
    if (!j->o.certificate && stat(path, &info) != 0) return 0;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, path, 0, &err);
    if (status == F2L_OK)
        status = f2l_outline_read(&j->outline, &j->net.model, &j->net.automaton.fsa,
                                  bytes.data ? bytes.data : "", bytes.size, j->network_sha256,
                                  &j->cli.task, &err);
    f2l_buf_clear(&bytes);
    j->outlined = status == F2L_OK;
    if (status == F2L_OK) return 0;
    if (status == F2L_ENOMEM || (status == F2L_EIO && j->o.certificate))
        return f2l_cli_fail(&j->cli, path, &err);
    warn_certificate(j, path, &err);
    return 0;
}

/* Refuses an automaton file that lrnn-check would refuse, before letters are merged: certificates
 * name states by the order of the canonical text. */
static int check_canonical(job *j)
{
    f2l_error err;
    char sha256[65];
    f2l_status status = f2l_fsa_sha256(&j->net.automaton.fsa, sha256, &err);
    if (status == F2L_OK && strcmp(sha256, j->net.model.fsa_sha256) != 0)
        status = f2l_fail(&err, F2L_EFORMAT,
                          "lrnn-check reads automata in canonical form only, and this file is in "
                          "another one: `fsa2lrnn certify` writes both files anew, for which "
                          "there are certificates");
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->net.paths.fsa.data, &err);
}

/* --- the verdicts --- */

/* Lists the rows in their order, with those that is_skipped leaves out where `all` says so. */
static void list_rows(job *j, bool all)
{
    for (size_t s = 0; s < j->schedules; s++)
        for (size_t f = 0; f < j->formats; f++) {
            if (!all && is_skipped(j, j->of_format[f], j->of_schedule[s])) continue;
            f2l_rounded *row = &j->rounded[j->count++];
            f2l_rounded_init(row);
            row->format = j->of_format[f];
            row->schedule = j->of_schedule[s];
        }
}

/* Lists the rows. Where none applies all of them are kept, so that each tells its reason: no
 * verdict at all is no success. */
static void plan_rows(job *j)
{
    list_rows(j, false);
    if (j->count == 0) list_rows(j, true);
}

/* Returns the task of one verdict, with an effort of its own: the given one, or no limit where
 * another limit is given, or the usual one. */
static f2l_task share(const job *j, uint64_t usual, f2l_effort *effort)
{
    f2l_task task = j->cli.task;
    const uint64_t other = j->o.limit ? 0 : usual;
    *effort =
        (f2l_effort){.limit = (j->o.effort == F2L_NO_EFFORT ? other : j->o.effort) * F2L_STEPS};
    task.effort = effort;
    return task;
}

static f2l_status prove_exactly(job *j, f2l_error *err)
{
    const char *path = j->o.certificate ? j->o.certificate : j->net.paths.certificate.data;
    f2l_outline *outline = j->outlined ? &j->outline : NULL;
    f2l_effort effort;
    const f2l_task task = share(j, EFFORT, &effort);
    f2l_status status =
        f2l_round_exactly(&j->exact, &j->net.model, &j->net.automaton.fsa, outline, 0, &task, err);
    if (j->exact.closure.verdict == F2L_UNKNOWN) j->ended = f2l_task_stop(&task);
    if (status == F2L_OK && outline && outline->exact.reason[0])
        f2l_cli_warn(&j->cli, path, "the network is not proved by it: %s", outline->exact.reason);
    return status;
}

/* Decides a row. A row of an engine has the limits of a cell of `engines` where none are given, so
 * that both say the same. */
static f2l_status round_one(job *j, f2l_rounded *row, f2l_error *err)
{
    const bool engine = j->o.engine != NULL;
    const uint64_t usual = engine ? F2L_ENGINE_LETTERS : LETTERS,
                   letters = j->o.letters == NOT_GIVEN ? usual : j->o.letters,
                   limit = j->o.limit == 0 && engine ? F2L_ENGINE_LIMIT : j->o.limit;
    const f2l_round_options options = {
        .closure = {.max_rows = (size_t)limit,
                    .jobs = j->cli.task.jobs,
                    .keep = j->o.certificates != NULL,
                    .checkpoint = j->o.checkpoint},
        .horizon = j->o.horizon,
        .no_horizon = j->o.no_horizon,
        .observe = {.letters = letters, .seed = j->o.seed, .kinds = {letters, letters, letters}}};
    f2l_effort effort;
    const f2l_task task = share(j, engine ? F2L_ENGINE_EFFORT : EFFORT, &effort);
    f2l_status status = f2l_round(row, &j->net.model, &j->net.automaton.fsa, &j->exact, row->format,
                                  row->schedule, &options, &task, err);
    if (status == F2L_OK && row->verdict == F2L_UNKNOWN) j->ended = f2l_task_stop(&task);
    return status;
}

/* Marks the rows that were not decided before the work ended. */
static void leave_rest(job *j)
{
    for (size_t i = j->decided; i < j->count; i++)
        snprintf(j->rounded[i].reason, sizeof j->rounded[i].reason, "%s: not looked at",
                 f2l_stop_text(j->ended));
}

/* --- the report --- */

static f2l_round_report round_report_of(const job *j)
{
    const bool engine = j->o.engine != NULL;
    return (f2l_round_report){.network = j->cli.operand[0],
                              .engine = engine ? j->engine.name.data : NULL,
                              .engine_source = engine ? j->engine.source.data : NULL,
                              .engine_equals = j->engine.equals.data,
                              .model = &j->net.model,
                              .fsa = &j->net.automaton.fsa,
                              .letters = j->net.letters.count,
                              .exact = &j->exact,
                              .count = j->count,
                              .rounded = j->rounded,
                              .decided = j->decided,
                              .ended = f2l_stop_name(j->ended)};
}

/* Shows the head of the table, or with `row` a row; nothing where data are asked for. */
static int show_part(job *j, const f2l_rounded *row)
{
    f2l_error err;
    f2l_buf text;
    const f2l_round_report report = round_report_of(j);
    if (j->cli.global.json) return 0;
    f2l_buf_init(&text);
    f2l_status status = row ? f2l_round_report_row(&text, &report, row, &err)
                            : f2l_round_report_head(&text, &report, &err);
    return f2l_cli_show(&j->cli, &text, status, &err);
}

/* Decides all rows and shows each as soon as it is decided. Returns 0, or the exit status after the
 * message. */
static int round_all(job *j)
{
    f2l_error err;
    plan_rows(j);
    if (prove_exactly(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->net.paths.network.data, &err);
    int code = show_part(j, NULL);
    while (code == 0 && !j->ended && j->decided < j->count) {
        f2l_rounded *row = &j->rounded[j->decided];
        if (round_one(j, row, &err) != F2L_OK)
            return f2l_cli_fail(&j->cli, j->net.paths.network.data, &err);
        j->decided++;
        code = show_part(j, row);
    }
    if (j->ended) leave_rest(j);
    return code;
}

static f2l_status write_csv(const job *j, const f2l_round_report *report, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = f2l_round_report_csv(&text, report, err);
    if (status == F2L_OK) status = f2l_write_file(j->o.csv, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* Appends the name of a row's file, without its ending. Where it is longer than files' names may be
 * it is cut, and the row's SHA-256 tells it from others (docs/formats.md). */
static void append_file_name(f2l_buf *path, const f2l_rounded *r)
{
    char hex[65];
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_printf(&name, "%s.%s", r->format->name, r->schedule->name);
    if (name.size <= FILE_NAME) {
        f2l_buf_printf(path, "%s.%s", r->format->name, r->schedule->name);
    } else {
        f2l_sha256_hex(name.data, name.size, hex);
        f2l_buf_printf(path, "%.*s.%.16s", FILE_NAME - 17, name.data, hex);
    }
    f2l_buf_clear(&name);
}

/* Appends the path of a row's file. */
static void append_row_path(f2l_buf *path, const job *j, const f2l_rounded *r, const char *ending)
{
    f2l_buf_printf(path, "%s/", j->o.certificates);
    append_file_name(path, r);
    f2l_buf_text(path, ending);
}

static f2l_status write_row_certificate(const job *j, const f2l_rounded *r, f2l_error *err)
{
    f2l_buf text, path;
    f2l_buf_init(&text);
    f2l_buf_init(&path);
    append_row_path(&path, j, r, ".cert");
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK)
        status = f2l_rounded_certificate(&text, r, &j->net.model, &j->certificate,
                                         j->network_sha256, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_buf_clear(&text);
    f2l_buf_clear(&path);
    return status;
}

/* Writes the word and the choices with which a row that draws fails (docs/formats.md). */
static f2l_status write_strategy(const job *j, const f2l_rounded *r, f2l_error *err)
{
    char settings[F2L_SCHEDULE_NAME];
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_schedule_write(settings, r->schedule);
    append_row_path(&path, j, r, ".strategy");
    f2l_buf_printf(&text, "lrnn-strategy 1\nnetwork %s\nformat %s\nschedule %s\nletters",
                   j->network_sha256, r->format->name, settings);
    for (size_t i = 0; i < r->closure.word_length; i++)
        f2l_buf_printf(&text, " %lu", (unsigned long)r->closure.word[i] + 1);
    f2l_buf_printf(&text, "\nchoices %s\nend\n", r->closure.choices);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}

/* Writes the certificates that there are. A VERIFIED row without one is no failure, but is told. */
static f2l_status write_row_certificates(job *j, f2l_error *err)
{
    size_t without = 0;
    f2l_error why = {0}, first = {0};
    const f2l_rounded *example = NULL;
    for (size_t i = 0; i < j->count; i++) {
        const f2l_rounded *r = &j->rounded[i];
        if (r->verdict == F2L_REFUTED && r->closure.choices) {
            const f2l_status status = write_strategy(j, r, err);
            if (status != F2L_OK) return status;
        }
        if (r->verdict != F2L_OK) continue;
        const f2l_status status = write_row_certificate(j, r, &why);
        if (status == F2L_OK) continue;
        if (status != F2L_EDOMAIN) {
            *err = why;
            return status;
        }
        if (without++ > 0) continue;
        example = r;
        first = why;
    }
    if (without > 0)
        f2l_cli_warn(&j->cli, j->o.certificates,
                     "VERIFIED rows without a certificate: %zu, such as %s %s: %s", without,
                     example->format->name, example->schedule->name, first.text);
    return F2L_OK;
}

static int write_certificate_folder(job *j)
{
    f2l_error err;
    if (mkdir(j->o.certificates, 0777) != 0 && errno != EEXIST) {
        f2l_fail(&err, F2L_EIO, "cannot be made: %s", strerror(errno));
        return f2l_cli_fail(&j->cli, j->o.certificates, &err);
    }
    f2l_status status = F2L_OK;
    if (j->exact.closure.verdict == F2L_OK && !j->exact.unequal)
        status = f2l_round_certificate(&j->certificate, &j->exact, &j->net.model, j->network_sha256,
                                       &err);
    if (status == F2L_OK) status = write_row_certificates(j, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.certificates, &err);
}

static int close_report(job *j)
{
    f2l_error err;
    const f2l_round_report report = round_report_of(j);
    f2l_terminal_erase(&j->cli.terminal);
    if (j->o.csv && write_csv(j, &report, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.csv, &err);
    return f2l_cli_report(&j->cli, &f2l_round_report_kind, &report);
}

/* Returns the exit status of the worst verdict: refuted, then unknown. */
static int exit_status_of_rows(const job *j)
{
    int code = 0;
    for (size_t i = 0; i < j->count; i++) {
        if (j->rounded[i].verdict == F2L_REFUTED) return F2L_EXIT_REFUTED;
        if (j->rounded[i].verdict != F2L_OK) code = F2L_EXIT_UNKNOWN;
    }
    return code;
}

static int leave_rows(void *context, f2l_watchdog_cause cause)
{
    job *j = context;
    return f2l_cli_leave(&j->cli, cause,
                         "the rows printed are right, and the others are not decided");
}

/* Refuses an engine that has no weights for the network, whatever it rounds. */
static int check_engine_keys(job *j)
{
    f2l_error err;
    const char *const lack =
        j->o.engine ? f2l_engine_lacks(&j->engine.engine, &j->net.model) : NULL;
    if (!lack) return 0;
    (void)f2l_fail(&err, F2L_EDOMAIN, "%s: %s", j->engine.name.data, lack);
    return f2l_cli_fail(&j->cli, j->net.paths.network.data, &err);
}

/* Shows the presets, or the settings of schedules. */
static int help_rows(job *j)
{
    f2l_error err;
    f2l_buf text;
    if (j->cli.operands || j->cli.global.json)
        return f2l_cli_usage(&j->cli, "--engine help and --schedule help are alone, and are text");
    f2l_buf_init(&text);
    (j->o.schedule ? f2l_schedule_help : f2l_engine_help)(&text);
    return f2l_cli_show(&j->cli, &text, f2l_buf_status(&text, &err), &err);
}

static int run_round(void *context)
{
    job *j = context;
    const char *const row = j->o.engine ? j->o.engine : j->o.schedule;
    if (row && strcmp(row, "help") == 0) return help_rows(j);
    int code = check_round_usage(j);
    if (code == 0) code = f2l_network_file_load(&j->net, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code == 0) code = check_engine_keys(j);
    if (code == 0) code = f2l_network_file_load_automaton(&j->net, &j->cli);
    if (code == 0 && j->o.certificates) code = check_canonical(j);
    if (code == 0) code = f2l_network_file_merge_letters(&j->net, &j->cli);
    if (code == 0) code = read_certificate(j);
    if (code) return code;
    if (j->o.checkpoint) f2l_watchdog_grace(F2L_WATCHDOG_CHECKPOINT);
    f2l_watchdog_guard(leave_rows, j);
    code = round_all(j);
    if (code == 0 && j->o.certificates) code = write_certificate_folder(j);
    if (code == 0) code = close_report(j);
    if (code == 0 && f2l_signals_caught())
        return f2l_cli_interrupted(&j->cli, "the table says how far the work came");
    return code ? code : exit_status_of_rows(j);
}

const f2l_command f2l_command_round = {
    .name = "round",
    .usage = (const char *const[]){"round NET [--format FORMAT] [--schedule SCHEDULE] [options]",
                                   "round --engine help", "round --schedule help", NULL},
    .summary = "verifies a network in number formats: proofs for all lengths, horizons, first "
               "failures",
    .description =
        "Prints a verdict for every format and operation schedule, for states that are decoded by "
        "the nearest code, or with decode=linear by the code whose direction is nearest, as a norm "
        "and an output matrix do it: VERIFIED at all lengths, "
        "because nothing rounds or because the joint states close; REFUTED, by a shortest wrong "
        "word where the search was breadth-first, else by the first wrong label on a long word; "
        "or UNKNOWN, with the length up to which a bound proves every word right and the "
        "observations on random, greedy (every letter makes the error largest) and periodic "
        "words.\n\n"
        "A verdict is about one format and one schedule, the order in which operations are "
        "done and rounded (models/network/schedule/schedule.h gives each exactly): every rounds "
        "each operation; fma fuses products into sums; acc32 computes in fp32 and stores the state "
        "in the format; recurrent keeps the state in fp32; cast rounds once for each step; "
        "chunk64 is the chunked form that models are trained with. NET is the network or the "
        "folder OUT. The certificate beside it names the levels of a cascade, or the form, "
        "that it can be proved by; the certificate is checked here, and without it verdicts "
        "come from closures of joint states only.\n\n"
        "A row is printed as soon as it is decided. --time-limit is for the whole command; "
        "when it or a signal ends the work, the rows are kept, and a line names the verdicts "
        "that are missing. The exit status is the status of the worst verdict.",
    .options = table,
    .no_grammar = "a network has the automaton that it was built from",
    .files = {F2L_FILES_NETWORK},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn round s5.lrnn", "the usual formats and schedules"},
            {"fsa2lrnn round s5.lrnn --format e4m3,overflow=saturate --schedule chunk64",
             "one format and one schedule"},
            {"fsa2lrnn round z5.lrnn --formats fp16,fp32 --schedules every --letters 100000000 "
             "--csv z5.csv",
             "certified horizons and the first observed failures"},
            {"fsa2lrnn round s5.lrnn --formats bf16 --schedule serving,state=e4m3,scale=pow2",
             "a state of 8 bits with a scale for each row"},
            {"fsa2lrnn round s5.lrnn --engine vllm-packed/bf16",
             "the decode kernel of a serving engine, with a bf16 state"},
            {"fsa2lrnn round s5.lrnn --certificates proofs", "certificates for lrnn-check"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const round_options){.letters = NOT_GIVEN, .effort = F2L_NO_EFFORT, .seed = 1},
    .run = run_round};
