/* Published experiments as data: what is trained in them, and how, so that one name repeats one.
 *
 * Sources: [U] Grazzi, Siems, Zela, Franke, Hutter, Pontil: Unlocking State-Tracking in Linear RNNs
 * Through Negative Eigenvalues, 2025; [D] Siems, Carstensen, Zela, Hutter, Pontil, Grazzi:
 * DeltaProduct, 2025. What they leave open, and what is done otherwise here, is said by
 * f2l_preset_remark. */
#ifndef F2L_PRESET_H
#define F2L_PRESET_H

#include "models/experiment/experiment.h"

typedef enum f2l_preset_setting {
    F2L_PRESET_PAPER,    /* as the paper says */
    F2L_PRESET_RELEASED, /* as the released code has it, where that differs and is known */
    F2L_PRESET_BEST, /* what trains best here: B = 0 and a learned H_0 where the task allows it, a
                        curriculum */
    F2L_PRESET_SETTINGS
} f2l_preset_setting;

/* "paper", "released", "best"; NULL past the last. */
const char *f2l_preset_setting_name(size_t setting);

#define F2L_PRESET_MODELS 6

/* One network of an experiment. */
typedef struct f2l_preset_model {
    const char *name; /* "delta-signed"; NULL past the last */
    const char *text; /* "DeltaNet, eigenvalues in [-1, 1]" */
    f2l_seq_mixer mixer;
    bool negative;
    size_t householders;
    size_t layers;     /* 0: as many as the recipe says */
    bool values;       /* the additive path, also in F2L_PRESET_BEST */
    unsigned settings; /* bit s: part of setting s */
} f2l_preset_model;

typedef struct f2l_preset {
    const char *name; /* "parity"; NULL past the last */
    const char *text; /* one line */
    const char *source;
    f2l_data_kind kind;
    f2l_data_when when;   /* F2L_DATA_LAST: scaled accuracy is what the paper reports; else sequence
                             accuracy */
    const char *family;   /* of automata/family/family.h, for F2L_DATA_AUTOMATON */
    uint64_t number;      /* its argument; 0: it has none. Otherwise the modulus */
    size_t longest_cycle; /* only cycles of 2..so many points, and the identity, come; 0: all
                             elements do */
    size_t tokens;        /* letters per element (f2l_data_options.tokens); 0 counts as 1 */
    f2l_preset_model model[F2L_PRESET_MODELS]; /* NULL-name terminated if fewer */
} f2l_preset;

/* parity, modarith, modarith-brackets, s3, s4, a5, s5, s5-swaps, s5-cycles, s5-tokens, z60;
 * terminated by a NULL name. */
extern const f2l_preset f2l_presets[];

/* NULL when there is none of that name. */
const f2l_preset *f2l_preset_find(const char *name);
const f2l_preset_model *f2l_preset_model_find(const f2l_preset *preset, const char *name);
/* The model at `index` among those of the setting, NULL past the last. */
const f2l_preset_model *f2l_preset_model_at(const f2l_preset *preset, f2l_preset_setting setting,
                                            size_t index);

/* F2L_EDOMAIN, with those that there are, when the preset has no recipe of that setting. */
f2l_status f2l_preset_check(const f2l_preset *preset, f2l_preset_setting setting, f2l_error *err);

/* In what the recipe differs from its source, and what the source leaves open; "" when there is
 * none. */
const char *f2l_preset_remark(const f2l_preset *preset, f2l_preset_setting setting);

/* What may be chosen. */
typedef struct f2l_preset_choice {
    f2l_preset_setting setting;
    const f2l_preset_model *model; /* one of the preset's */
    double scale;                  /* of the number of steps, > 0; 1: all of them */
    double rate;                   /* in place of the recipe's; 0: the recipe's */
    uint32_t seed;
} f2l_preset_choice;

/* An experiment with what it borrows. */
typedef struct f2l_preset_run {
    f2l_experiment experiment;
    uint64_t full_steps; /* at scale 1 */
    f2l_fsa fsa;
    double *weight;
    size_t *length;
} f2l_preset_run;

void f2l_preset_run_init(f2l_preset_run *run);
void f2l_preset_run_clear(f2l_preset_run *run);

/* *run must be initialised and empty. The steps are scale times those of the recipe, rounded, at
 * least 1; warm-up and decay shrink with them; batch and sizes stay. F2L_EDOMAIN: no such recipe, a
 * model that is not part of it, or a scale that is not positive or gives no possible number of
 * steps. */
f2l_status f2l_preset_build(f2l_preset_run *run, const f2l_preset *preset,
                            const f2l_preset_choice *choice, f2l_error *err);

#endif
