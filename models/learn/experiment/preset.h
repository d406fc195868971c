/* Published experiments as data: their tasks, models and recipes, so that one name repeats one
 * experiment.
 *
 * Sources: [U] Grazzi, Siems, Zela, Franke, Hutter, Pontil: Unlocking State-Tracking in Linear RNNs
 * Through Negative Eigenvalues, 2025; [D] Siems, Carstensen, Zela, Hutter, Pontil, Grazzi:
 * DeltaProduct, 2025. The tasks even-pairs and cycle-navigation are from Deletang et al.: Neural
 * Networks and the Chomsky Hierarchy, 2023, in the setting of Walker, Yang, Cirone, Salvi, Lyons:
 * Structured Linear CDEs, 2025. The preset mlregtest is of any language, with words as in van der
 * Poel et al.: MLRegTest, 2024, and a recipe of this project; so do recall-4 to recall-64, after
 * Arora et al.: Zoology, 2023. f2l_preset_remark returns where the
 * papers leave something open and where a preset differs from them. */
#ifndef F2L_PRESET_H
#define F2L_PRESET_H

#include "models/learn/experiment/experiment.h"

typedef enum f2l_preset_setting {
    F2L_PRESET_PAPER,    /* as in the paper */
    F2L_PRESET_RELEASED, /* as in the released code, where it differs and is known */
    F2L_PRESET_BEST, /* what trains best here: B = 0 and a learned H_0 where the task allows it, a
                        curriculum */
    F2L_PRESET_SETTINGS
} f2l_preset_setting;

/* Returns "paper", "released", "best"; NULL past the last. */
const char *f2l_preset_setting_name(size_t setting);

#define F2L_PRESET_MODELS 24

/* One network of an experiment. */
typedef struct f2l_preset_model {
    const char *name; /* "delta-signed"; NULL past the last */
    const char *text; /* "DeltaNet, eigenvalues in [-1, 1]" */
    const f2l_mixer *mixer;
    bool negative;
    size_t householders;
    size_t layers;     /* 0: the recipe's number */
    size_t head_dim;   /* 0: the recipe's */
    bool values;       /* whether there is an additive path, also in F2L_PRESET_BEST */
    bool forget_gate;  /* as in f2l_seq_config: Gated DeltaNet and Gated DeltaProduct */
    bool convolution;  /* whether it has the recipe's short convolutions */
    unsigned settings; /* bit s: the model is part of setting s */
} f2l_preset_model;

typedef struct f2l_preset {
    const char *name; /* "parity"; NULL past the last */
    const char *text; /* one line */
    const char *source;
    f2l_data_kind kind; /* F2L_DATA_WORDS: of words that the caller gives, and none without them */
    f2l_data_when when;
    const char *family;   /* of automata/family/family.h, for F2L_DATA_AUTOMATON */
    f2l_label label;      /* the answers, for F2L_DATA_AUTOMATON */
    uint64_t number;      /* argument of the family, 0: none; of recall the pairs; in the other
                           * kinds the modulus */
    size_t longest_cycle; /* n: only cycles of 2..n points and the identity are drawn; 0: all
                           * elements are */
    size_t tokens;        /* letters per element (f2l_data_options.tokens); 0 counts as 1 */
    f2l_preset_model model[F2L_PRESET_MODELS]; /* NULL-name terminated if fewer */
} f2l_preset;

/* All presets: parity, modarith, modarith-brackets, s3, s4, a5, s5, s5-swaps, s5-cycles, s5-tokens,
 * z60, even-pairs, cycle-navigation, mlregtest, recall-4, recall-8, recall-16, recall-64;
 * terminated by a NULL name. */
extern const f2l_preset f2l_presets[];

/* Returns whether the paper reports scaled accuracy, of the last answer or of the keys that come
 * again; otherwise the fraction of words without a wrong answer. */
bool f2l_preset_is_scaled(const f2l_preset *preset);
/* Returns whether it is the mean over the lengths 40 to 256 that the paper reports. */
bool f2l_preset_has_mean(const f2l_preset *preset);

/* Returns the preset of that name, or NULL. */
const f2l_preset *f2l_preset_find(const char *name);
const f2l_preset_model *f2l_preset_model_find(const f2l_preset *preset, const char *name);
/* Returns the model at `index` among the models of the setting, NULL past the last. */
const f2l_preset_model *f2l_preset_model_at(const f2l_preset *preset, f2l_preset_setting setting,
                                            size_t index);

/* Fails with F2L_EDOMAIN, and the list of settings that exist, when the preset has no recipe of
 * that setting. */
f2l_status f2l_preset_check(const f2l_preset *preset, f2l_preset_setting setting, f2l_error *err);

/* Returns whether tables have a column for the length: with many lengths, as the settings of the
 * papers have where every answer counts (all up to 512, as in the papers' figures), only some. */
bool f2l_preset_shows(const f2l_preset *preset, f2l_preset_setting setting, size_t length);

/* Returns where the recipe differs from its source, and what the source leaves open; "" when there
 * is nothing to remark. */
const char *f2l_preset_remark(const f2l_preset *preset, f2l_preset_setting setting);

/* The choices that a user has. */
typedef struct f2l_preset_choice {
    f2l_preset_setting setting;
    const f2l_preset_model *model; /* one of the preset's */
    double scale;                  /* factor of the number of steps, > 0; 1: all of them */
    double rate;                   /* replaces the recipe's rate; 0: the recipe's */
    uint32_t seed;
    /* Words in place of the preset's data; NULL: none. As in f2l_data_options. The number of
     * letters and labels is theirs, and so are the lengths: up to the longest, as many test words
     * as there are */
    const f2l_word_list *words, *test;
    double held_out;
} f2l_preset_choice;

/* An experiment with everything that it borrows, owned. */
typedef struct f2l_preset_run {
    f2l_experiment experiment;
    uint64_t full_steps; /* number of steps at scale 1 */
    f2l_fsa fsa;
    double *weight;
    size_t *length;
} f2l_preset_run;

void f2l_preset_run_init(f2l_preset_run *run);
void f2l_preset_run_clear(f2l_preset_run *run);

/* Builds *run, which must be initialised and empty. The steps are scale times the steps of the
 * recipe, rounded, at least 1; warm-up and decay shrink with them; batch and sizes stay.
 * F2L_EDOMAIN: no such recipe, a model that is not part of it, or a scale that is not positive or
 * gives no possible number of steps. */
f2l_status f2l_preset_build(f2l_preset_run *run, const f2l_preset *preset,
                            const f2l_preset_choice *choice, f2l_error *err);

/* Appends the recipe of the run: config.json of seed 0. */
f2l_status f2l_preset_recipe_write(f2l_buf *out, const f2l_preset_run *run, f2l_error *err);

/* Sets the SHA-256 of the recipe, which tells outcomes of different recipes apart. */
f2l_status f2l_preset_recipe_hash(char recipe[65], const f2l_preset_run *run, f2l_error *err);

#endif
