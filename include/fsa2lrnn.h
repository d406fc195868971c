/* fsa2lrnn: finite automata to explicit weights of linear recurrent networks, with proofs.
 *
 * The interface of the library, for C and C++. Link with `pkg-config --libs fsa2lrnn`.
 *
 * Conventions. A function that can fail returns an fsa2lrnn_status and, unless it is OK, fills the
 * caller's fsa2lrnn_error (NULL is allowed). Outputs come first; *out is set only on success and
 * then belongs to the caller, who frees it with the _free function of its type. _free takes NULL.
 * Handles copy what they need: an automaton may be freed while a network made from it is in use.
 * There is no global state. One object is used by one thread at a time; different objects may be
 * used by different threads. Nothing here prints, exits, or touches signal handlers.
 * Letters and labels are numbered from 0 in the order of the automaton's text.
 *
 * Example (examples/use.c, which a test compiles and runs):
 *
 *     #include <fsa2lrnn.h>
 *     #include <stdio.h>
 *
 *     static const char grammar[] = "start even\naccept odd\n"
 *                                   "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";
 *
 *     int main(void)
 *     {
 *         fsa2lrnn_error err;
 *         fsa2lrnn_automaton *automaton = NULL;
 *         fsa2lrnn_network *network = NULL;
 *         fsa2lrnn_run *run = NULL;
 *         static fsa2lrnn_verdict verdict;
 *         size_t label = 0;
 *         int failed = 0;
 *         if (fsa2lrnn_automaton_read(&automaton, grammar, sizeof grammar - 1, NULL, NULL, &err) ||
 *             fsa2lrnn_compile(&network, automaton, NULL, NULL, &err) ||
 *             fsa2lrnn_verify(&verdict, network, "bf16", "every", NULL, &err) ||
 *             fsa2lrnn_run_new(&run, network, "bf16", NULL, &err) ||
 *             fsa2lrnn_run_step(run, fsa2lrnn_network_find_letter(network, "1"), &label, &err)) {
 *             fprintf(stderr, "%zu:%zu: %s\n", err.line, err.column, err.text);
 *             failed = 1;
 *         } else {
 *             const char *proved = verdict.verdict == FSA2LRNN_OK ? "VERIFIED" : "open";
 *             printf("bf16: %s, %s\n", proved, verdict.text);
 *             printf("after 1: %s\n", fsa2lrnn_network_label(network, label));
 *         }
 *         fsa2lrnn_verdict_clear(&verdict);
 *         fsa2lrnn_run_free(run);
 *         fsa2lrnn_network_free(network);
 *         fsa2lrnn_automaton_free(automaton);
 *         return failed;
 *     }
 */
#ifndef FSA2LRNN_H
#define FSA2LRNN_H

#include <stddef.h>

#define FSA2LRNN_VERSION "0.2.0"
#define FSA2LRNN_VERSION_MAJOR 0
#define FSA2LRNN_VERSION_MINOR 2
#define FSA2LRNN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library that is linked, as FSA2LRNN_VERSION is for the header. */
const char *fsa2lrnn_version(void);

typedef enum fsa2lrnn_status {
    FSA2LRNN_OK = 0,  /* done; as a verdict: VERIFIED, the network is right on all words */
    FSA2LRNN_REFUTED, /* as a verdict: some word gets a wrong label */
    FSA2LRNN_UNKNOWN, /* a limit was reached or the work was cancelled: nothing is claimed */
    FSA2LRNN_EDOMAIN, /* well-formed input that no construction, format or schedule serves */
    FSA2LRNN_EFORMAT, /* malformed input; line and column say where */
    FSA2LRNN_EIO,     /* the system refused to read or write */
    FSA2LRNN_EEXIST,  /* an output exists already or cannot be created */
    FSA2LRNN_ENOMEM,
    FSA2LRNN_EINVAL /* an argument is NULL, out of range or not a name that is known */
} fsa2lrnn_status;

typedef struct fsa2lrnn_error {
    fsa2lrnn_status status;
    size_t line, column; /* from 1, the column in bytes; 0: no position */
    char text[512];      /* one sentence in UTF-8, without a full stop */
} fsa2lrnn_error;

/* Limits and progress of long work; a pointer to zeros, or NULL, limits nothing. */
typedef struct fsa2lrnn_task {
    /* Called now and then with the name of a phase and how much of it is done (total 0: not known);
     * by one thread at a time, which need not be the caller's. Nonzero cancels the work, which then
     * returns FSA2LRNN_UNKNOWN. NULL: not called. */
    int (*progress)(void *context, const char *phase, double done, double total);
    void *context;
    double seconds;   /* of wall time; 0: no limit */
    size_t memory;    /* bytes of search tables; 0: no limit */
    unsigned threads; /* 0: one */
    /* Counted work, in millions of steps as `--effort N` takes it, so that work which is cut short
     * ends at the same place on every machine. 0: for fsa2lrnn_compile the usual effort of the
     * program, with more while nothing is VERIFIED; for fsa2lrnn_verify no limit. */
    unsigned long effort;
} fsa2lrnn_task;

#define FSA2LRNN_NONE ((size_t)-1)

typedef struct fsa2lrnn_automaton fsa2lrnn_automaton;
typedef struct fsa2lrnn_options fsa2lrnn_options;
typedef struct fsa2lrnn_network fsa2lrnn_network;
typedef struct fsa2lrnn_run fsa2lrnn_run;

/* --- automata --- */

/* How a grammar is read; a pointer to zeros, or NULL: as the program reads it without options. All
 * texts are borrowed for the call. */
typedef struct fsa2lrnn_reading {
    /* nonzero: missing transitions lead to a new state, which the text names with the SHA-256 of
     * the bytes that were read; 0: they are an error, except where the syntax lets them reject
     * (AT&T, HOA and others), for networks with the label accept */
    int sink;
    int numeric;         /* nonzero: numeric labels of AT&T text are names of letters */
    const char *symbols; /* [symbols_size] symbol table for numeric AT&T labels; NULL: none */
    size_t symbols_size;
    size_t max_states; /* of the automaton; 0: 1,000,000 */
    const char *name;  /* of the grammar, for report.json; NULL: "automaton" */
    int finite; /* nonzero: an HOA file with Buchi acceptance by states is about finite words */
    int strict; /* nonzero: what fsa2lrnn_automaton_notes would say is an error */
    const char *read_as; /* how a file's labels are meant, as "labels=sets,epsilon=i": letters,
                            sets, guards or pairs, and names of the empty word; NULL: not said */
} fsa2lrnn_reading;

/* Reads a grammar: `.fsa` text, AT&T, JFLAP, GAP, DOT, JSON, .aut, .kiss2, .mata, .ba, SCXML, HOA
 * with acceptance t or rules of a lexer, recognised by its content, and makes it deterministic. */
fsa2lrnn_status fsa2lrnn_automaton_read(fsa2lrnn_automaton **out, const char *bytes, size_t size,
                                        const fsa2lrnn_reading *reading, const fsa2lrnn_task *task,
                                        fsa2lrnn_error *err);
/* Reads a POSIX extended regular expression. Letters are the characters that it mentions, or the
 * characters of `alphabet` (UTF-8; needed for `.` and negated classes, otherwise NULL).
 * FSA2LRNN_EDOMAIN where the library was built without libfa. */
fsa2lrnn_status fsa2lrnn_automaton_regex(fsa2lrnn_automaton **out, const char *regex,
                                         const char *alphabet, const fsa2lrnn_reading *reading,
                                         const fsa2lrnn_task *task, fsa2lrnn_error *err);
void fsa2lrnn_automaton_free(fsa2lrnn_automaton *automaton);
size_t fsa2lrnn_automaton_states(const fsa2lrnn_automaton *automaton);
size_t fsa2lrnn_automaton_letters(const fsa2lrnn_automaton *automaton);
size_t fsa2lrnn_automaton_start(const fsa2lrnn_automaton *automaton);
/* Returns the state to which the letter leads, FSA2LRNN_NONE for a number that is out of range. */
size_t fsa2lrnn_automaton_next(const fsa2lrnn_automaton *automaton, size_t state, size_t letter);
/* Return a name, or NULL for a number that is out of range. The automaton owns the text. */
const char *fsa2lrnn_automaton_state(const fsa2lrnn_automaton *automaton, size_t state);
const char *fsa2lrnn_automaton_letter(const fsa2lrnn_automaton *automaton, size_t letter);
/* Returns the label of a state, of a kind of the option `label` below: its name (states), its
 * output (outputs), or "accept" or "reject" (accept); for edges, of its transition by the letter,
 * which is not read otherwise. NULL where there is none. The automaton owns the text. */
const char *fsa2lrnn_automaton_label(const fsa2lrnn_automaton *automaton, const char *kind,
                                     size_t state, size_t letter);
/* Returns the canonical `.fsa` text, which the automaton owns. */
const char *fsa2lrnn_automaton_text(const fsa2lrnn_automaton *automaton);
/* Returns what reading changed, for example "made deterministic: 3 states became 5", or "". These
 * steps are outside every proof, but a state that was added is in the text. The automaton owns the
 * text. */
const char *fsa2lrnn_automaton_notes(const fsa2lrnn_automaton *automaton);

/* --- compiling --- */

fsa2lrnn_status fsa2lrnn_options_new(fsa2lrnn_options **out, fsa2lrnn_error *err);
void fsa2lrnn_options_free(fsa2lrnn_options *options);
/* Sets an option of `fsa2lrnn compile` by its name without dashes: label (states, outputs, accept,
 * edges), layers, householders, key-dim, limit, max-sets (numbers), formats, exact-in (lists as
 * "bf16,fp32", each once), schedule, keys (dyadic, naive), cascade (holonomy, capped, zeiger,
 * pure), target (diagonal, complex, diagonal-positive, one-reflection), gated (yes, no),
 * weights-dtype (auto, bf16, f16, f32, f64). FSA2LRNN_EINVAL for an unknown name or value; the text
 * says what is known. */
fsa2lrnn_status fsa2lrnn_options_set(fsa2lrnn_options *options, const char *name, const char *value,
                                     fsa2lrnn_error *err);

/* Builds the best network that a construction gives and proves it. FSA2LRNN_OK also when the proof
 * stays open: fsa2lrnn_verify gives the verdict. `options` NULL: the usual ones. */
fsa2lrnn_status fsa2lrnn_compile(fsa2lrnn_network **out, const fsa2lrnn_automaton *automaton,
                                 const fsa2lrnn_options *options, const fsa2lrnn_task *task,
                                 fsa2lrnn_error *err);

/* --- networks --- */

/* Reads the folder that fsa2lrnn_network_save or the program wrote. */
fsa2lrnn_status fsa2lrnn_network_open(fsa2lrnn_network **out, const char *folder,
                                      const fsa2lrnn_task *task, fsa2lrnn_error *err);
/* Reads the text of network.lrnn. The network runs words; for verdicts it needs its automaton. */
fsa2lrnn_status fsa2lrnn_network_read(fsa2lrnn_network **out, const char *bytes, size_t size,
                                      fsa2lrnn_error *err);
/* Gives a network that was read its automaton, of which it makes a copy. The automaton must have
 * been read from the text whose SHA-256 is in the network (the file automaton.fsa); for any other
 * text, even of an equal automaton, FSA2LRNN_EFORMAT. */
fsa2lrnn_status fsa2lrnn_network_set_automaton(fsa2lrnn_network *network,
                                               const fsa2lrnn_automaton *automaton,
                                               fsa2lrnn_error *err);
/* Writes automaton.fsa, network.lrnn, certificate.cert (if VERIFIED), weights.safetensors and
 * report.json (if compiled here) into a new folder, whole or not at all. A folder that exists is
 * replaced only if `force` is nonzero and it holds nothing else. FSA2LRNN_EDOMAIN for a network
 * without its automaton. */
fsa2lrnn_status fsa2lrnn_network_save(const fsa2lrnn_network *network, const char *folder,
                                      int force, fsa2lrnn_error *err);
void fsa2lrnn_network_free(fsa2lrnn_network *network);
size_t fsa2lrnn_network_layers(const fsa2lrnn_network *network);
size_t fsa2lrnn_network_letters(const fsa2lrnn_network *network);
size_t fsa2lrnn_network_labels(const fsa2lrnn_network *network);
/* Return a name, or NULL for a number that is out of range. The network owns the text. */
const char *fsa2lrnn_network_letter(const fsa2lrnn_network *network, size_t letter);
const char *fsa2lrnn_network_label(const fsa2lrnn_network *network, size_t label);
/* Returns the number of the letter of that name, FSA2LRNN_NONE when there is none. */
size_t fsa2lrnn_network_find_letter(const fsa2lrnn_network *network, const char *name);
/* Return the text of network.lrnn, and of automaton.fsa, certificate.cert and report.json, "" where
 * there is none; the network owns them, the last two until the next fsa2lrnn_verify. */
const char *fsa2lrnn_network_text(const fsa2lrnn_network *network);
const char *fsa2lrnn_network_automaton(const fsa2lrnn_network *network);
const char *fsa2lrnn_network_certificate(const fsa2lrnn_network *network);
const char *fsa2lrnn_network_report(const fsa2lrnn_network *network);
/* Makes the bytes of weights.safetensors (docs/formats.md) from the network: weights, codes,
 * decoders and the names of letters and labels. FSA2LRNN_EDOMAIN for a network without its
 * automaton. fsa2lrnn_bytes_free frees them. */
fsa2lrnn_status fsa2lrnn_network_weights(char **bytes, size_t *size,
                                         const fsa2lrnn_network *network, fsa2lrnn_error *err);
void fsa2lrnn_bytes_free(char *bytes);

/* --- verdicts --- */

typedef struct fsa2lrnn_verdict {
    fsa2lrnn_status verdict; /* FSA2LRNN_OK: VERIFIED; FSA2LRNN_REFUTED; FSA2LRNN_UNKNOWN */
    size_t *word; /* [length] letters of a word with a wrong label; NULL unless REFUTED */
    size_t length;
    int right_up_to_known; /* nonzero: every word of at most right_up_to letters is right */
    unsigned long long right_up_to; /* letters */
    char text[512];                 /* what the verdict rests on, or why it is UNKNOWN */
} fsa2lrnn_verdict;

/* Decides whether the network gives every word the automaton's label: exactly (format NULL), or in
 * a number format (as --format takes it: "bf16", "p=5,emin=-6,emax=7") and an operation schedule
 * ("every", "fma", "acc32", "recurrent", "cast", "chunk64"; NULL: "every"), where a state has the
 * label of its nearest code. Returns FSA2LRNN_OK whenever there is a verdict, also UNKNOWN;
 * FSA2LRNN_EDOMAIN for a network without its automaton. *out needs no preparation;
 * fsa2lrnn_verdict_clear frees its word. A network that was not compiled here gets a report of its
 * verdicts, unless it has another one, and, once it is VERIFIED exactly, its certificate, if its
 * automaton's text is canonical. */
fsa2lrnn_status fsa2lrnn_verify(fsa2lrnn_verdict *out, fsa2lrnn_network *network,
                                const char *format, const char *schedule, const fsa2lrnn_task *task,
                                fsa2lrnn_error *err);
/* Decides whether two automata with the same letters give every word the same label: *out is as
 * above, and a word is a shortest one whose labels differ, in the letters of `a`. `label` is a kind
 * as above; NULL: the first of accept, outputs and edges that `a` has. */
fsa2lrnn_status fsa2lrnn_equivalent(fsa2lrnn_verdict *out, const fsa2lrnn_automaton *a,
                                    const fsa2lrnn_automaton *b, const char *label,
                                    const fsa2lrnn_task *task, fsa2lrnn_error *err);
void fsa2lrnn_verdict_clear(fsa2lrnn_verdict *verdict);

/* What fsa2lrnn_certify is to prove, and with what help; a pointer to zeros, or NULL: the exact
 * claim, without help. All texts are borrowed for the call. */
typedef struct fsa2lrnn_claim {
    const char *format, *schedule; /* as fsa2lrnn_verify takes them; NULL: exact, and "every" */
    /* [certificate_size] certificate of the network as it was given, whose levels or form the proof
     * may follow; nothing in it is believed. NULL: none */
    const char *certificate;
    size_t certificate_size;
    size_t limit; /* on the joint states of a closure; 0: 1,000,000 */
} fsa2lrnn_claim;

/* Proves a network that somebody else wrote, which fsa2lrnn_network_read read, for an automaton, of
 * which it may name any text or none that is known. *out becomes a network of its own, for
 * fsa2lrnn_network_save: with the automaton in canonical form and its letters in the network's
 * order, the text of the network, whose line `fsa` names this automaton, the certificate of the
 * verdict, and a report. Returns FSA2LRNN_OK whenever there is a verdict, also REFUTED and UNKNOWN;
 * the certificate is then "" where lrnn-check has no claim for the proof, as the verdict's text
 * says. An exact verdict REFUTED has the certificate that the network is wrong in a format, too.
 * FSA2LRNN_EDOMAIN when the letters or the kind of labels are not the network's, and
 * FSA2LRNN_EFORMAT for a certificate of something else. *verdict is as for fsa2lrnn_verify. */
fsa2lrnn_status fsa2lrnn_certify(fsa2lrnn_network **out, fsa2lrnn_verdict *verdict,
                                 const fsa2lrnn_network *network,
                                 const fsa2lrnn_automaton *automaton, const fsa2lrnn_claim *claim,
                                 const fsa2lrnn_task *task, fsa2lrnn_error *err);

/* Makes the JSON of `fsa2lrnn classify --json` (docs/json.md): which classes of models can track
 * the automaton, and how few layers can be enough. FSA2LRNN_OK also where a limit left something
 * unknown, as the text says; effort 0 is the usual one of the program. `label` NULL: states.
 * fsa2lrnn_bytes_free frees *json. */
fsa2lrnn_status fsa2lrnn_classify(char **json, const fsa2lrnn_automaton *automaton,
                                  const char *label, const fsa2lrnn_task *task,
                                  fsa2lrnn_error *err);

/* Makes the JSON of `fsa2lrnn choose --json` (docs/json.md): which layer to take, why, what is lost
 * one step cheaper, and config.json of the models that hold it. FSA2LRNN_OK also where a limit left
 * something unknown, be it everything, as the text says; effort 0 is the usual one of the command.
 * `label` NULL: states. fsa2lrnn_bytes_free frees *json. */
fsa2lrnn_status fsa2lrnn_choose(char **json, const fsa2lrnn_automaton *automaton, const char *label,
                                const fsa2lrnn_task *task, fsa2lrnn_error *err);

/* Runs the program lrnn-check, which shares no code with this library, on three files. `line`
 * becomes its first verdict line, such as "s VERIFIED exact ...", or "s UNKNOWN" where it returns
 * FSA2LRNN_UNKNOWN; returns FSA2LRNN_OK only for a line of the first kind and exit status 0,
 * FSA2LRNN_REFUTED for "s NOT VERIFIED", and FSA2LRNN_UNKNOWN for anything else, also when the
 * program is not found, or when SIGCHLD is ignored and its exit status is lost. Unless it returns
 * FSA2LRNN_OK, the text of the error is the program's reason, the first line of its standard error,
 * and its status is the verdict, or FSA2LRNN_EIO where the program gave none.
 * `checker` is its path; NULL: bin beside the library's folder, or the folder of the program that
 * the library is linked into, whatever the program was called; then the absolute folders of PATH.
 */
#define FSA2LRNN_LINE 2048
fsa2lrnn_status fsa2lrnn_check(char line[FSA2LRNN_LINE], const char *checker, const char *automaton,
                               const char *network, const char *certificate, fsa2lrnn_error *err);

/* --- running --- */

/* Prepares to read words letter by letter, exactly (format NULL) or in a format and schedule.
 * Borrows the network, which must outlive the run and be used by one thread at a time with it. */
fsa2lrnn_status fsa2lrnn_run_new(fsa2lrnn_run **out, const fsa2lrnn_network *network,
                                 const char *format, const char *schedule, fsa2lrnn_error *err);
void fsa2lrnn_run_free(fsa2lrnn_run *run);
/* Goes back to the empty word and sets *label, unless NULL, to its label. */
fsa2lrnn_status fsa2lrnn_run_start(fsa2lrnn_run *run, size_t *label, fsa2lrnn_error *err);
/* Returns the label that the automaton gives to the letters read so far, which the network owns;
 * NULL when the network has no automaton, and for the empty word where labels are on transitions.
 */
const char *fsa2lrnn_run_expected(const fsa2lrnn_run *run);
/* Reads one letter; *label becomes FSA2LRNN_NONE where the state decodes to nothing. */
fsa2lrnn_status fsa2lrnn_run_step(fsa2lrnn_run *run, size_t letter, size_t *label,
                                  fsa2lrnn_error *err);

#ifdef __cplusplus
}
#endif

#endif
