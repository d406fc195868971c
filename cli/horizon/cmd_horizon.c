/* `horizon`: up to which length a trained network is right on every word, with a certificate. */
#include "cli/commands.h"
#include "cli/draw.h"
#include "cli/horizon/horizon_job.h"
#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include "reports/training/failing_report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *choice_scope(size_t index)
{
    const f2l_learned_scope *scope = f2l_learned_scope_at(index);
    if (scope == NULL) return NULL;
    return scope->format ? scope->format : scope->name;
}

#define FIELD(name) offsetof(f2l_horizon_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(out),
     "write the certificate, which horizon-check verifies"},
    {"format", 0, F2L_OPTION_CHOICE, "FORMAT", choice_scope, 0, 0, FIELD(scope),
     "prove it of a network that computes in this format, with sums in any order (default: exact)"},
    {"most", 0, F2L_OPTION_NUMBER, "T", NULL, 1, 100000, FIELD(most),
     "try no lengths above T (default: 256)"},
    {"prefix", 0, F2L_OPTION_NUMBER, "M", NULL, 0, F2L_LEARNED_MOST_PREFIX, FIELD(prefix),
     "look at every word of M letters by itself, and only behind it at balls (default: as long as "
     "--prefix-time allows)"},
    {"prefix-time", 0, F2L_OPTION_SECONDS, "T", NULL, 0, 0, FIELD(seconds),
     "about how long the search may take on this machine (default: 60); with --settle between "
     "periods and claims"},
    {"letters", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(letters),
     "prove it of words of these letters only, spelled as in .fsa files, separated by blanks"},
    {"settle", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(settle),
     "look for words z u^t w whose limit is wrong: for which z, u and w every long enough word, or "
     "all but some, is answered wrongly"},
    {"forever", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(forever),
     "prove it of all words of every length, where every letter shortens what each head remembers, "
     "or heads have finitely many states exactly"},
    {"words", 0, F2L_OPTION_NUMBER, "N", NULL, 1, F2L_SETTLE_MOST, FIELD(words),
     "letters of z and of u, at most, with --settle (default: 4)"},
    F2L_SEARCH(FIELD(search)),
    F2L_NO_REPORT(FIELD(no_report)),
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef f2l_horizon_job job;

#define PARTS(part, clear) \
    part(f2l_learned_horizon, horizon), part(f2l_learned_forever, forever), \
        clear(f2l_free(j->parameters)), clear(f2l_free(j->letter)), \
        clear(f2l_failing_clear(&j->failing)), part(f2l_data, data), \
        part(f2l_weights_file, weights)
F2L_JOB(PARTS)

static f2l_status hash_all(job *j, const char *folder, f2l_error *err)
{
    f2l_status status = f2l_sha256_in(j->files.fsa, folder, "automaton.fsa", err);
    if (status == F2L_OK) status = f2l_sha256_in(j->files.config, folder, "config.json", err);
    if (status == F2L_OK)
        status = f2l_sha256_in(j->files.weights, folder, "weights.safetensors", err);
    return status;
}

static int compare_letters(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sets j->letter to the numbers of the letters of --letters, in their order. */
static f2l_status read_letters_option(job *j, size_t *count, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_lex lex;
    bool more = true;
    *count = 0;
    f2l_lex_init(&lex, j->o.letters, strlen(j->o.letters));
    f2l_status status = f2l_lex_line(&lex, &more, err);
    if (status == F2L_OK && lex.count == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "--letters has no letter");
    j->letter = f2l_calloc(lex.count + 1, sizeof *j->letter);
    if (status == F2L_OK && !j->letter) status = f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < lex.count; i++) {
        const f2l_token *name = &lex.token[i];
        const size_t letter = f2l_names_find(&fsa->letters, name->text, name->size);
        if (letter == F2L_NO_INDEX)
            status =
                f2l_fail_at(err, lex.line, name->column, "'%.*s' is not a letter of the automaton",
                            (int)(name->size > 100 ? 100 : name->size), name->text);
        j->letter[(*count)++] = (uint32_t)letter;
    }
    if (status == F2L_OK) qsort(j->letter, *count, sizeof *j->letter, compare_letters);
    for (size_t i = 1; status == F2L_OK && i < *count; i++)
        if (j->letter[i] == j->letter[i - 1])
            status = f2l_fail(err, F2L_EDOMAIN, "--letters has the letter %s twice",
                              f2l_names_get(&fsa->letters, j->letter[i]));
    f2l_lex_clear(&lex);
    return status;
}

static f2l_status ask_horizon(job *j, const f2l_fsa *fsa, bool begin, f2l_error *err)
{
    f2l_learned_ask ask = {.scope = f2l_learned_scope_at(j->o.scope),
                           .most = (size_t)j->o.most,
                           .prefix = j->o.prefix > F2L_LEARNED_MOST_PREFIX ? F2L_LEARNED_BY_TIME
                                                                           : (size_t)j->o.prefix,
                           .seconds = j->o.seconds};
    f2l_status status = j->o.letters ? read_letters_option(j, &ask.letter_count, fsa, err) : F2L_OK;
    ask.letters = j->letter;
    return status == F2L_OK
               ? f2l_learned_horizon_build(&j->horizon, &j->weights.trained.model, j->parameters,
                                           fsa, begin, &ask, &j->cli.task, err)
               : status;
}

static f2l_status build_horizon(job *j, f2l_error *err)
{
    const f2l_experiment_file *run = &j->weights.run;
    const f2l_shortest_ask ask = {&run->experiment, &j->weights.trained, &j->data, NULL,
                                  j->o.search};
    if (f2l_horizon_asks_roots(j)) return f2l_horizon_roots(j, err);
    if (j->o.settle) return f2l_horizon_settle(j, err);
    if (j->o.forever) return f2l_horizon_forever(j, err);
    f2l_status status = f2l_weights_parameters(&j->parameters, &j->weights.trained, err);
    if (status == F2L_OK)
        status = ask_horizon(j, run->experiment.fsa, run->experiment.data.begin, err);
    if (status == F2L_OK)
        status = f2l_experiment_data(&j->data, &run->experiment, F2L_DATA_TEST, err);
    if (status == F2L_OK)
        status = f2l_shortest_find(&j->failing, &j->settle, &ask, &j->cli.task, err);
    return status;
}

static f2l_status write_horizon_certificate(const job *j, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status;
    if (f2l_horizon_asks_roots(j))
        status = f2l_roots_write(&text, &j->roots, &j->files, err);
    else if (j->o.settle)
        status = f2l_settle_write(&text, &j->settle.settle, &j->files, err);
    else if (j->o.forever)
        status = f2l_learned_forever_write(&text, &j->forever, &j->files, err);
    else
        status = f2l_learned_horizon_write(&text, &j->horizon, &j->files, err);
    if (status == F2L_OK) status = f2l_write_file(j->o.out, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* Puts the wrong word that the search met; null where it met none, or only its length. */
static void say_limiting_word(f2l_fact out, const job *j)
{
    const f2l_learned_horizon *h = &j->horizon;
    if (h->wrong > 0 && h->word_length == h->wrong)
        f2l_say_word(out, "limiting_word", &j->weights.run.experiment.fsa->letters, h->word,
                     h->wrong);
    else
        f2l_say_null(out, "limiting_word");
}

static void describe_horizon(f2l_fact out, const void *report)
{
    const job *j = report;
    const f2l_fsa *fsa = j->weights.run.experiment.fsa;
    const f2l_learned_horizon *h = &j->horizon;
    f2l_say_text(out, "horizon_scope", h->scope->name);
    f2l_say_count(out, "certified_length", h->horizon);
    f2l_say_number(out, "certified_words", f2l_learned_words(h));
    f2l_say_count(out, "prefix_length", h->prefix);
    f2l_say_word(out, "certified_letters", &fsa->letters, h->letter, h->group);
    f2l_say_known(out, "wrong_word_letters", h->wrong > 0, h->wrong);
    say_limiting_word(out, j);
    f2l_say_text(out, "limited_state", h->limited ? f2l_names_get(&fsa->states, h->state) : NULL);
    f2l_say_text(out, "limited_letter",
                 h->limited ? f2l_names_get(&fsa->letters, h->letter_at) : NULL);
    f2l_say_number(out, "logit_difference", h->limited ? h->difference : INFINITY);
    f2l_say_number(out, "logit_spread", h->limited ? h->spread : INFINITY);
    f2l_say_failing(out, &j->failing, &j->data, 0);
}

/* Says about which words, and how many they are, the proof is. */
static void lay_certified(f2l_buf *out, const job *j)
{
    const f2l_learned_horizon *h = &j->horizon;
    const double words = f2l_learned_words(h);
    f2l_buf_printf(out, "certified      words of at most %zu letters (LH.6): ", h->horizon);
    if (words < 0x1p53)
        f2l_buf_printf(out, "%.0f words\n", words);
    else
        f2l_buf_printf(out, "%.2g words\n", words);
    if (!j->letter) return;
    f2l_buf_text(out, "letters        only");
    for (size_t i = 0; i < h->group; i++)
        f2l_buf_printf(out, " %s",
                       f2l_names_get(&j->weights.run.experiment.fsa->letters, h->letter[i]));
    f2l_buf_printf(out, " (%zu of %zu)\n", h->group, h->letters);
}

void f2l_horizon_lay_scope(f2l_buf *out, const f2l_learned_scope *scope)
{
    if (scope->format)
        f2l_buf_printf(out, "scope          %s: every operation rounded to %s, sums in any order\n",
                       scope->name, scope->format);
    else
        f2l_buf_text(out, "scope          exact: the stored weights as real numbers\n");
}

static void lay(f2l_buf *out, f2l_fact from, const void *report)
{
    const job *j = report;
    const f2l_learned_horizon *h = &j->horizon;
    lay_certified(out, j);
    f2l_horizon_lay_scope(out, h->scope);
    if (h->prefix > 0)
        f2l_buf_printf(out, "prefix         balls begin after each word of %zu letters\n",
                       h->prefix);
    if (h->limited && h->wrong > 0) {
        f2l_layout(out, from,
                   "limited by     a word of {wrong_word_letters letter} that is answered wrongly");
        if (h->word_length == h->wrong) {
            f2l_buf_text(out, ": ");
            f2l_layout_items(out, f2l_get(from, "limiting_word"), 0, h->wrong, "{.~}", " ");
        }
        f2l_buf_text(out, "\n");
    } else if (h->limited && h->difference > 0) {
        f2l_layout(out, from,
                   "limited by     state {limited_state~}, letter {limited_letter~}: the logits "
                   "differ by {logit_difference%.3g}, and the ball may change that by "
                   "{logit_spread%.3g}\n");
    } else if (h->limited) {
        f2l_layout(
            out, from,
            "limited by     state {limited_state~}, letter {limited_letter~}: the ball is too "
            "large for LH.5\n");
    } else {
        f2l_buf_text(out, "limited by     --most\n");
    }
    f2l_lay_failing(out, from, "shortest       ");
    if (j->o.out && h->horizon > 0) f2l_buf_printf(out, "certificate    %s\n", j->o.out);
}

static const f2l_report_kind horizon_kind = {
    .name = "horizon", .describe = describe_horizon, .lay_beside = lay, .style = {.digits = 6}};

static const f2l_report_kind *kind_of(const job *j)
{
    if (j->o.forever) return &f2l_horizon_forever_kind;
    if (f2l_horizon_asks_roots(j)) return &f2l_horizon_roots_kind;
    return j->o.settle ? &f2l_horizon_settle_kind : &horizon_kind;
}

/* Leaves the report's JSON in the run's folder and draws its pages anew. A folder that cannot be
 * written to is a warning: certificate and report do not need it. `code`: of the command. */
static void keep_horizon_report(job *j, int code)
{
    f2l_error err;
    f2l_buf text, path;
    const char *folder = j->cli.operand[0];
    f2l_buf_init(&text);
    f2l_buf_init(&path);
    const f2l_report_kind *kind = kind_of(j);
    f2l_buf_printf(&path, "%s/%s.json", folder, kind->name);
    f2l_status status = f2l_buf_status(&path, &err);
    if (status == F2L_OK) status = f2l_report_as_json(&text, kind, j, &err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, &err);
    if (status != F2L_OK)
        f2l_cli_warn(&j->cli, NULL, "%s.json is not kept: %s", kind->name, err.text);
    else if (!j->o.no_report)
        f2l_cli_draw(&j->cli, folder, code);
    f2l_buf_clear(&text);
    f2l_buf_clear(&path);
}

static int print_horizon(job *j)
{
    const int code = f2l_cli_report(&j->cli, kind_of(j), j);
    const int end =
        j->o.settle && (j->settle.settle.ended || j->roots.ended) ? F2L_EXIT_UNKNOWN : 0;
    if (code == 0) keep_horizon_report(j, end);
    return code == 0 ? end : code;
}

/* Returns 0, or the status of a usage error: options that are not for this claim. */
static int find_clash(job *j)
{
    static const char *const other[] = {"settle", "most", "prefix", "letters", "search", "format"};
    const char *claim = j->o.forever ? "forever" : "settle";
    if (!j->o.settle && f2l_given_has(&j->cli.given, "words"))
        return f2l_cli_usage(&j->cli, "--words is with --settle only");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const bool with = j->o.forever ? i < 5 : j->o.settle && i > 0;
        if (with && f2l_given_has(&j->cli.given, other[i]))
            return f2l_cli_usage(&j->cli, "--%s is without --%s", claim, other[i]);
    }
    return 0;
}

/* Returns whether there is what a certificate is of; sets *why_not. */
static bool has_proof(const job *j, const char **why_not)
{
    *why_not = "the horizon is 0";
    if (j->o.settle) *why_not = "no limit is proved wrong";
    if (f2l_horizon_asks_roots(j)) *why_not = "no root of unity is shown to be missing";
    if (j->o.forever) *why_not = "nothing is proved";
    if (j->o.forever) return j->forever.end == F2L_FOREVER_PROVED;
    if (f2l_horizon_asks_roots(j)) return j->roots.refuted;
    return j->o.settle ? j->settle.settle.verdict == F2L_SETTLE_FAILS : j->horizon.horizon > 0;
}

static int run_horizon(void *context)
{
    job *j = context;
    f2l_error err;
    if (j->cli.operands != 1) return f2l_cli_usage(&j->cli, "the folder of a run is expected");
    const int clash = find_clash(j);
    if (clash) return clash;
    const char *folder = j->cli.operand[0];
    const int code = f2l_weights_file_load(&j->weights, &j->cli, folder);
    if (code) return code;
    f2l_status status = F2L_OK;
    if (!j->weights.has_run)
        status = f2l_fail(&err, F2L_EDOMAIN, "there is no run beside these weights");
    if (status == F2L_OK) status = f2l_run_tracks(f2l_weights_file_run(&j->weights), &err);
    if (status == F2L_OK) status = hash_all(j, folder, &err);
    if (status == F2L_OK) status = build_horizon(j, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, folder, &err);
    const char *why_not;
    const bool proved = has_proof(j, &why_not);
    if (j->o.out && proved && write_horizon_certificate(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.out, &err);
    if (j->o.out && !proved)
        f2l_cli_warn(&j->cli, NULL, "%s, so that no certificate is written", why_not);
    return print_horizon(j);
}

const f2l_command f2l_command_horizon = {
    .name = "horizon",
    .usage = (const char *const[]){"horizon RUN [options]", NULL},
    .summary =
        "proves up to which length a trained network is right on every word, or that it fails",
    .description =
        "RUN is the folder of a run of train or reproduce whose network has one layer with the "
        "mixer delta, unit keys, an MLP, and no convolution or gate, and whose task is the "
        "state after every letter. Prints the greatest length T for which balls around the "
        "network's states prove that every word of at most T letters is answered rightly, what "
        "limits it, and the shortest wrong word that is known, as evaluate looks for it, without "
        "random words. Every word of --prefix letters is looked at by itself, and balls begin "
        "behind it: the longer the prefix, the more words, and the greater T; with --letters "
        "words of some letters, such as generators of a group, which can be much longer. "
        "The scope of the proof is exact: the stored weights as real numbers, and "
        "all functions exact, which says nothing about rounding; or, with --format, a network "
        "whose every operation is rounded to that format, letter by letter and factor by factor as "
        "theory/pages/learned.md, LH.8 says, with sums in any order and with or without fused "
        "multiply-add. Not in that scope are chunked kernels and reduced precision such as TF32. "
        "horizon.json in RUN has what is printed with --json, and report.html and report.md there "
        "are drawn anew.\n\n"
        "With --settle it asks for all lengths in place of one: the states after z u^t converge, "
        "and where the answer at the limit is wrong, so is z u^t from some t on, for which the "
        "certificate has a bound (theory/pages/all-lengths.md); an automaton with a group cannot "
        "be tracked for ever with one margin. A network may also have forgotten in u^t what only "
        "the answer after z u^t w asks for: suffixes w of at most two letters are read of the same "
        "limit, behind the shortest prefixes. Prefixes z and periods u come in the order of their "
        "lengths. Beside the bound is the shortest wrong word that was met by running such words. "
        "No wrong limit proves nothing of other words. The scope is exact, and settle.json in RUN "
        "has what is printed. The search ends after --prefix-time with what it has found, but "
        "looks at the first periods and claims in any case. Where --time-limit or --memory "
        "ends it, what was found until then is printed with the reason, a proof is written, and "
        "the exit status is 2. States of a network with clamped betas and exact keys need not "
        "settle. Of such a network --settle asks for words u that act as a cycle of states while "
        "no product of eigenvalues is a root of unity of an order that divides the cycle (AL.15 to "
        "AL.17): then there is no margin for ever, and the certificate has u, the order and a "
        "prime. What is printed is in roots.json.\n\n"
        "With --forever it proves all words right, of every length, where every letter shortens "
        "what each head remembers (AL.7 to AL.9): with one number in a key, or two and two "
        "factors or more, and an automaton whose state a word's last letters tell. In more "
        "dimensions a set that letters do not lead out of takes far too many directions (about "
        "g^(-(K-1)/2) where a letter shortens K numbers by 1 - g), and no other automata could be "
        "proved by it. "
        "For every state it finds sets of the network's states that no letter leads out of, and "
        "a finite tree of suffixes after which the answers from these sets are right. Of a network "
        "with clamped betas and exact keys (train --lasting) it reaches all states of the heads "
        "whose factors are exactly rational, if they are finitely many, and reads each answer "
        "(AL.12): so groups are proved, too, with keys of one number or --ternary-keys; in a "
        "format where keys have one number that is not 0, and no reflection writes values (AL.13). "
        "--format as above; the search ends after --prefix-time, and forever.json in RUN has what "
        "is printed.\n\n"
        "horizon-check RUN/automaton.fsa RUN/config.json RUN/weights.safetensors FILE verifies "
        "the certificate from the bytes of these files. The exit status is 0 whatever is found, "
        "and 2 where a limit ended the search: forever_verdict and settle_verdict of --json tell.",
    .options = table,
    .no_grammar = "a run has its automaton",
    .work = &(const f2l_work_kind){.own_out = true, .file = "horizon.cert"},
    .files = {F2L_FILES_WEIGHTS},
    .examples = (const f2l_example[]){{"fsa2lrnn horizon s3.train -o s3.cert",
                                       "the horizon of a trained network, and its certificate"},
                                      {"fsa2lrnn horizon s3.train --format fp32 -o s3.cert",
                                       "the same about the network in 32-bit floating point"},
                                      {"fsa2lrnn horizon s3.train --letters 'r s'",
                                       "words of two letters only, which can be longer"},
                                      {"fsa2lrnn horizon s3.train --settle -o s3.cert",
                                       "is it wrong for ever after some word?"},
                                      {"fsa2lrnn horizon last.train --forever -o last.cert",
                                       "is it right on all words of every length?"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const f2l_horizon_options){.most = 256,
                                           .search = F2L_FAILING_USUAL,
                                           .prefix = F2L_LEARNED_MOST_PREFIX + 1,
                                           .seconds = 60,
                                           .words = 4},
    .run = run_horizon};
