/* Checks a stock language model that `export` wrote, from its bytes (theory/pages/stock.md, EB.20
 * to EB.27): after the prefix and every word the largest logit is the number of the automaton's
 * label. Nothing of how the model was made is known here: numbers are read from the files, the
 * model is run on words until no new state comes up, and every number on the way must be certain
 * under EB.1.
 *
 * A verdict is about the bytes of four files and the automaton's canonical text; f2l_stock_line
 * names all five by their SHA-256.
 */
#ifndef F2L_CERTIFY_STOCK_H
#define F2L_CERTIFY_STOCK_H

#include "automata/fsa/fsa.h"
#include "numeric/base/names.h"
#include "numeric/base/sha256.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"

/* The files of a folder. */
typedef struct f2l_stock_files {
    f2l_buf config, tensors, prefix, about; /* config.json, model.safetensors, prefix.json,
                                               export.json */
    f2l_buf readme;                         /* README.md, of which only the hash is looked at */
} f2l_stock_files;

void f2l_stock_files_init(f2l_stock_files *files);
void f2l_stock_files_clear(f2l_stock_files *files);
/* Reads the folder into *out, initialised by the caller, and compares. F2L_EDOMAIN where it has
 * another file, which a loader may obey: F2L_EIO where one is missing or cannot be read. */
f2l_status f2l_stock_files_read(f2l_stock_files *out, const char *folder, f2l_error *err);
/* Compares the files with the names, sizes and hashes in export.json: F2L_EDOMAIN where one
 * differs, F2L_EFORMAT where export.json is no JSON object. */
f2l_status f2l_stock_files_compare(const f2l_stock_files *files, f2l_error *err);

/* What is known of one way of running the model. */
typedef struct f2l_stock_path_verdict {
    const char *name; /* as in export.json */
    bool claimed;     /* export.json claims that it is exact */
    f2l_status verdict;
    char reason[512]; /* why it is UNKNOWN */
} f2l_stock_path_verdict;

#define F2L_STOCK_CHECK_PATHS 2
#define F2L_STOCK_HASHED 4 /* files that a verdict is about */

typedef struct f2l_stock_verdict {
    const char *type, *format;               /* model_type of config.json; "bf16" */
    const char *target;                      /* of `export`, "fla-deltanet" */
    f2l_label label;                         /* the kind of the labels */
    f2l_names letters, labels;               /* by token, and by number; owned */
    size_t states;                           /* of the automaton */
    char fsa_sha256[65];                     /* of the automaton's canonical text */
    char named_sha256[65];                   /* of the automaton that export.json names */
    f2l_hashed_file file[F2L_STOCK_HASHED];  /* config, model, prefix, export.json */
    size_t layers, heads, width, parameters; /* layers with heads of a delta rule */
    size_t joint_states, pairs, codes;       /* of model and automaton; (input, state) of all
                                                layers; states of layers, summed */
    f2l_stock_path_verdict path[F2L_STOCK_CHECK_PATHS];
    f2l_status verdict; /* of all paths that are claimed: F2L_REFUTED, else F2L_UNKNOWN, else
                           F2L_OK */
    bool wrong;         /* a wrong answer was found, computed exactly in the heads */
    uint32_t *word;     /* [length] letters of the automaton, owned */
    size_t length;
    char answer[160], expected[160]; /* labels after the word */
} f2l_stock_verdict;

void f2l_stock_verdict_init(f2l_stock_verdict *verdict);
void f2l_stock_verdict_clear(f2l_stock_verdict *verdict);

/* Checks the files against the automaton; *out is initialised by the caller. F2L_EFORMAT for
 * malformed files, F2L_EDOMAIN where a member, a tensor or a name is not as the stock model has it,
 * and, unless `another`, where the automaton is not the one that export.json names; F2L_OK whenever
 * there is a verdict. README.md is not looked at, nor are the hashes of files in export.json. */
f2l_status f2l_stock_check(f2l_stock_verdict *out, const f2l_stock_files *files, const f2l_fsa *fsa,
                           bool another, const f2l_task *task, f2l_error *err);

/* Appends the line of a path, without a newline: its verdict, the target, the path, the format, the
 * kind of the labels, letters and labels, states, and five hashes. Lines are equal only if all of
 * what the verdict is about is equal. */
void f2l_stock_line(f2l_buf *out, const f2l_stock_verdict *verdict, size_t path);

#endif
