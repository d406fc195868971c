/* Networks as folders that other programs run. A target, such as "npz", is a row of a table. Its
 * function makes the files, and says for each way of running them whether that is exact.
 *
 * To add a target: write NAME_export.c with its row, declare the row in models/doors/export/impl.h,
 * add it to the table and its files to the list of names in models/doors/export/targets.c. */
#ifndef F2L_MODELS_EXPORT_H
#define F2L_MODELS_EXPORT_H

#include "models/network/weights/weights.h"
#include "models/network/wired/network_text.h"
#include "numeric/base/task.h"
#include "numeric/format/format.h"

#define F2L_EXPORT_FILES 8
#define F2L_EXPORT_CLAIMS 4
#define F2L_EXPORT_ABOUT "export.json" /* the report, which marks a folder as ours */

/* A type of the numbers that an exported network computes with. */
typedef struct f2l_export_dtype {
    const char *name;   /* "float32" */
    const char *format; /* "fp32" */
} f2l_export_dtype;

/* What is known about the network in a type: whether it computes the numbers of exact arithmetic
 * when the operations are done in the order of the target's schedules. */
typedef struct f2l_export_proof {
    f2l_status verdict; /* F2L_OK: nothing rounds; F2L_UNKNOWN: see reason */
    char reason[256];
} f2l_export_proof;

/* Appends the certificate, of claim exact, of a network in layers whose file has the SHA-256, and
 * merges the letters of its classes. F2L_EDOMAIN where there is none within the limits that Coq
 * sets. */
typedef f2l_status f2l_export_certifier(f2l_buf *out, f2l_net *net, const f2l_fsa *fsa,
                                        const char network_sha256[65], const f2l_task *task,
                                        f2l_error *err);

/* Sets *out to the verdict on the model in the format and the first of the schedules, as
 * f2l_schedule_parse reads them, NULL-terminated. Those behind it together form every number that
 * it forms, and are taken for networks that the analysis does not treat in the first. */
typedef f2l_status f2l_export_prover(f2l_export_proof *out, const f2l_net *model,
                                     const f2l_format *format, const char *const *schedules,
                                     const f2l_task *task, f2l_error *err);

/* The sizes of a model, known before it is made. */
typedef struct f2l_export_sizes {
    size_t layers, width, heads, key_dim, value_dim, inner;
    size_t recurrent, factors;  /* layers of the delta rule, and its factors a token */
    uint64_t parameters, bytes; /* bytes of the file with the parameters */
} f2l_export_sizes;

typedef struct f2l_export_job {
    const f2l_net *model;          /* with all letters, classes not merged */
    const char *network;           /* as the user names it, for the command of a refusal */
    const char *automaton;         /* path of the automaton's file, likewise */
    const f2l_fsa *fsa;            /* the network's automaton */
    const f2l_export_dtype *dtype; /* one of the target's; NULL where the target has none */
    f2l_export_prover *prove;      /* for proofs that a target asks for: f2l_export_prove */
    const f2l_task *task;          /* of these proofs, and of writing large files; borrowed */
    uint64_t limit;                /* most bytes of all files; 0: none */
    /* Called by targets that know the sizes of a model before they make it; may be NULL. */
    void (*announce)(void *context, const f2l_export_sizes *sizes);
    void *context;
    f2l_export_proof proof; /* in that type; of a target without schedules: F2L_UNKNOWN */
    f2l_buf certificate;    /* bytes of the network's certificate, for targets that take it and for
                             * advice; borrowed, and data is NULL where there is none */
    bool config_alone; /* of a language model: config.json and the claims, without its numbers */
    f2l_export_certifier *certify; /* of what wired networks become: f2l_export_certify */
} f2l_export_job;

typedef struct f2l_export_file {
    const char *name; /* one of f2l_export_names; borrowed */
    f2l_buf bytes;
} f2l_export_file;

/* What is claimed of one way of running the files. */
typedef struct f2l_export_claim {
    const char *path;  /* the form or kernel: "recurrent", "scan"; "tensors": the numbers alone */
    const char *dtype; /* the type of the numbers, "float32"; NULL: the types of the tensors */
    bool exact;
    char text[400]; /* why, or why not: a phrase without a full stop */
} f2l_export_claim;

typedef struct f2l_exported {
    f2l_export_file file[F2L_EXPORT_FILES]; /* [files] */
    size_t files;
    f2l_export_claim claim[F2L_EXPORT_CLAIMS]; /* [claims] */
    size_t claims;
} f2l_exported;

typedef struct f2l_export_target {
    const char *name, *summary;
    const char *usage;                    /* Markdown for README.md: what it is, how to run it */
    const f2l_export_dtype *const *dtype; /* NULL-terminated, the cheapest first; NULL: none */
    const char *const *schedules; /* the order of operations of what is exported, as the prover
                                   * takes it; NULL: what runs it decides */
    bool certificate;             /* takes the network's certificate */
    const char *library; /* that runs it, where it is a whole language model, which may have a
                          * tokenizer; NULL: it is none */
    /* Adds files and claims. F2L_EDOMAIN with the reason for a network that it cannot say. */
    f2l_status (*write)(f2l_exported *out, const f2l_export_job *job, f2l_error *err);
} f2l_export_target;

/* The branch beside a language model (models/doors/inject): a GatedDeltaProduct, claimed for the
 * step in PyTorch that models/doors/inject/inject_model.py does. It is no target of `export`. */
extern const f2l_export_target f2l_export_branch;
/* All targets by name, NULL-terminated. */
extern const f2l_export_target *const f2l_export_targets[];
/* The names of all files that a target may write, NULL-terminated. */
extern const char *const f2l_export_names[];

extern const f2l_export_dtype f2l_export_float32;
/* bfloat16, float16, float32, float64, NULL-terminated, and the two parts of it. */
extern const f2l_export_dtype *const f2l_export_dtypes[];
extern const f2l_export_dtype *const f2l_export_short_dtypes[], *const f2l_export_wide_dtypes[];

/* Returns the type of that name in the list, or NULL. */
const f2l_export_dtype *f2l_export_dtype_find(const f2l_export_dtype *const *list,
                                              const char *name);

void f2l_exported_init(f2l_exported *out);
void f2l_exported_clear(f2l_exported *out);

/* Fails with F2L_EDOMAIN where files of this many bytes pass the job's limit. */
f2l_status f2l_export_check_limit(const f2l_export_job *job, uint64_t bytes, f2l_error *err);

/* Makes the files of the target, and README.md. On failure *out holds no files. */
f2l_status f2l_export_model(f2l_exported *out, const f2l_export_target *target,
                            const f2l_export_job *job, f2l_error *err);

/* The files of a tokenizer's folder, NULL-terminated; F2L_EXPORT_ABOUT is the model's. */
extern const char *const f2l_tokenizer_names[];
/* Adds the files of a tokenizer for the model, whose tokens are the letters. F2L_EDOMAIN for a
 * model that reads no tokens. */
f2l_status f2l_export_tokenizer(f2l_exported *out, const f2l_exported *model,
                                const f2l_names *letters, f2l_error *err);

#endif
