#include "cli/train/train_arguments.h"
#include "automata/gset/gset.h"
#include "cli/commands.h"
#include "cli/draw.h"
#include "models/learn/seq/mixer.h"
#include <stdlib.h>
#include <string.h>

#define MANY 1000000000000 /* largest number of steps and of similar counts */
#define MOST_LASTING 4     /* dimensions of a head of --lasting */

const char *f2l_choice_backend(size_t index)
{
    return f2l_backend_name(index);
}

const char *f2l_choice_layout(size_t index)
{
    static const char *const name[] = {"ours", "fla", NULL};
    return name[index];
}

static const char *choice_mixer(size_t index)
{
    return f2l_mixers[index] == NULL ? NULL : f2l_mixers[index]->option;
}

static const char *choice_eigenvalues(size_t index)
{
    static const char *const name[] = {"positive", "signed", NULL};
    return name[index];
}

static const char *choice_init(size_t index)
{
    static const char *const name[] = {"pytorch", "fla", NULL};
    return name[index];
}

#define FIELD(name) offsetof(f2l_train_arguments, name)
#define NUMBER(name, field, argument, least, most, help) \
    { \
        name, 0, F2L_OPTION_NUMBER, argument, NULL, least, most, FIELD(field), help \
    }
#define REAL(name, field, argument, most, help) \
    { \
        name, 0, F2L_OPTION_REAL, argument, NULL, 0, most, FIELD(field), help \
    }
#define CHOICE(name, field, argument, choices, help) \
    { \
        name, 0, F2L_OPTION_CHOICE, argument, choices, 0, 0, FIELD(field), help \
    }
#define FLAG(name, field, help) \
    { \
        name, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(field), help \
    }

const f2l_option f2l_train_table[] = {
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder of the run (default: the grammar's or task's name with .train, in the current "
     "folder)"},
    {"resume", 0, F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(resume),
     "resume the run in this folder, which holds all settings"},
    FLAG("dry-run", dry_run,
         "print the configuration, the number of parameters and the memory; train nothing"),
    F2L_NO_REPORT(FIELD(no_report)),
    FLAG("no-network", no_network,
         "construct no network to compare with; a new run has the usual class, one layer of "
         "one factor, unless options change it"),
    CHOICE("layout", layout, "NAME", f2l_choice_layout,
           "fla: write the final weights also in the form of flash-linear-attention, into DIR/fla"),
    {"first-weights", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_WEIGHTS, 0,
     offsetof(f2l_train_arguments, first),
     "start from the weights of this safetensors file, such as the weights.safetensors of a run, "
     "in place of random ones; the model is the file's unless options change it, with tensors of "
     "the same shapes, and its letters and labels are in the order of the data's"},
    {"lengths", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(lengths),
     "lengths of the evaluation (default: 64,128,256,512)"},
    REAL("target", target, "X", 1,
         "stop when an evaluation finds this sequence accuracy at the greatest length (default: 0, "
         "never)"),
    NUMBER("log-every", log_every, "N", 1, MANY, "steps for each line of the log (default: 100)"),
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

const f2l_option f2l_recipe_table[] = {
    NUMBER("effort", effort, "N", 0, 4000000000,
           "limit on the search for the constructed network, in millions of counted steps (some "
           "milliseconds each) (default: as the main job; 0: no limit)"),
    CHOICE(
        "backend", backend, "NAME", f2l_choice_backend,
        "the backend: cpu (default), cuda (bf16 and float), cuda-packed (without the rows behind "
        "the ends of words) or cuda-float"),
    NUMBER("gpus", gpus, "N", 1, 64,
           "devices that share every batch, or the runs of --seeds (default: 1; with --backend "
           "cuda)"),
    REAL("checkpoint-seconds", checkpoint_seconds, "S", 1000000,
         "longest time between two checkpoints (default: 60)"),
    REAL("step-limit", step_limit, "S", 1000000,
         "seconds after which a step of several --gpus is given up: exit status 2, the last "
         "checkpoint stays (default: 600)"),
    NUMBER("seed", seed, "S", 0, UINT32_MAX,
           "seed of the data and of the initial parameters (default: 1)"),
    NUMBER("seeds", seeds, "K", 1, 1000,
           "train K times, from seeds S, S + 1, .., each in a separate folder, and print "
           "median, least and greatest result"),
    CHOICE("mixer", mixer, "NAME", choice_mixer,
           "the recurrence of a layer, one of the mixers above (default: delta)"),
    CHOICE("eigenvalues", eigenvalues, "RANGE", choice_eigenvalues,
           "positive: in [0, 1]; signed: in [-1, 1] (default: as the constructed network needs)"),
    NUMBER("householders", householders, "N", 1, F2L_SEQ_MAX_HOUSEHOLDERS,
           "factors per letter (default: as constructed)"),
    NUMBER("heads", heads, "H", 1, 1 << 16,
           "heads of a layer (default: as constructed, at least 4)"),
    NUMBER("head-dim", head_dim, "D", 1, F2L_SEQ_MAX_HEAD_DIM,
           "key and value dimension of a head (default: as constructed, at least 32)"),
    NUMBER("layers", layers, "L", 1, F2L_SEQ_MAX_LAYERS, "layers (default: as constructed)"),
    NUMBER("width", width, "W", 1, F2L_SEQ_MAX_SIZE,
           "width of the residual stream (default: 32 for each head, or heads times head "
           "dimension where these are given)"),
    NUMBER("mlp", mlp, "M", 0, F2L_SEQ_MAX_SIZE,
           "hidden width of the gated MLP (default: 4 widths; 0: none)"),
    NUMBER("convolution", convolution, "N", 0, 1024,
           "taps of a short causal convolution (default: 0, none)"),
    REAL("slope", slope, "X", 1000, "beta = sigmoid(X ..) or 2 sigmoid(X ..) (default: 4)"),
    {"init", 0, F2L_OPTION_TEXT, "STD", choice_init, 0, 0, FIELD(init),
     "first weights: pytorch (default; variance 1 over 3 inputs, embedding 1), fla (standard "
     "deviation 0.02, as flash-linear-attention and transformers), or a standard deviation; with "
     "the last two, matrices that write to the residual stream are uniform in 1 over the root of 2 "
     "layers inputs"},
    FLAG("additive", additive, "additive path: keys write values (default: as constructed)"),
    FLAG("no-additive", no_additive, "no additive path (B = 0)"),
    FLAG("learned-start", learned_start, "the first state is learned (default: as constructed)"),
    FLAG("no-learned-start", no_learned_start, "the first state is 0"),
    FLAG("forget-gate", forget_gate,
         "the state is multiplied by a learned gate (default: as constructed)"),
    FLAG("no-forget-gate", no_forget_gate, "no forget gate"),
    FLAG("silu", silu, "SiLU on queries and keys"),
    FLAG("clamped-betas", clamped_betas,
         "betas that reach 0 and 1 or 2 exactly: 1/2 + X ../4 between 0 and 1, in place of the "
         "sigmoid; gradients pass straight through (delta; CPU)"),
    FLAG("exact-keys", exact_keys,
         "queries and keys of length 1 exactly, without an epsilon (delta; CPU)"),
    FLAG("ternary-keys", ternary_keys,
         "exact keys whose entries are 0 or of one size, so that reflections are exactly rational; "
         "gradients pass straight through"),
    REAL("key-pull", key_pull, "X", 1000000,
         "pull ternary keys to two entries of one size, as of reflections that swap two "
         "coordinates: X / 2 times the square of the distance is added to the loss; for "
         "permutations of points, and a certificate needs a further run from --first-weights with "
         "0 (default: 0)"),
    FLAG("lasting", lasting,
         "a network that can be right for ever, unless options say otherwise: --clamped-betas, "
         "--exact-keys, --learned-start, --no-forget-gate and, of automata, --periodic 0.25; where "
         "letters permute the states --no-additive, --ternary-keys and the constructed key "
         "dimension, elsewhere --additive, fewer dimensions than keys, at most 4, and, of "
         "automata, --live 0.25"),
    NUMBER("channels", channels, "C", 1, F2L_SEQ_MAX_SIZE,
           "channels of the diagonal mixer (default: twice the width)"),
    NUMBER("states", states, "N", 1, F2L_SEQ_MAX_SIZE,
           "states of each channel of the diagonal mixer (default: 16)"),
    NUMBER("window", window, "N", 1, F2L_SEQ_MAX_SIZE,
           "letters that a letter of the mixer attention sees, itself among them, in training "
           "and afterwards (default: 512)"),
    NUMBER("steps", steps, "N", 1, MANY, "steps of the optimiser, AdamW (default: 2000)"),
    NUMBER("batch", batch, "B", 1, 1 << 24, "sequences per step (default: 256)"),
    NUMBER("positions", positions, "N", 0, 1 << 24,
           "letters computed at once: a larger number takes more memory, and the last bits of "
           "the results depend on it (default: 0: 1024 or the longest sequence)"),
    REAL("rate", rate, "X", 1000, "learning rate (default: 1e-3)"),
    NUMBER("warmup", warmup, "N", 0, MANY,
           "steps in which the rate grows to --rate (default: 200, or a tenth of fewer than "
           "2000 steps)"),
    CHOICE("decay", decay, "SHAPE", f2l_train_decay_name,
           "decay of the rate after the warmup (default: linear)"),
    NUMBER("decay-from", decay_from, "N", 0, MANY,
           "step from which the rate decays (default: half of the steps)"),
    REAL("last-rate", last_rate, "X", 1000, "the rate at the end (default: 0)"),
    REAL("weight-decay", weight_decay, "X", 1000, "weight decay of matrices (default: 0.01)"),
    REAL("beta2", beta2, "X", 1, "decay of the mean of squares (default: 0.95)"),
    REAL("epsilon", epsilon, "X", 1, "added to the root of that mean (default: 1e-8)"),
    REAL("clip", clip, "X", 1000000,
         "norm to which longer gradients are clipped (default: 1; 0: no clipping)"),
    NUMBER("from", from, "L", 1, 1 << 24, "length of the first sequences (default: 4)"),
    NUMBER("to", to, "L", 1, 1 << 24,
           "length to which sequences grow while the network answers well (default: 64); if "
           "equal to --from, all sequences have this length"),
    REAL("threshold", threshold, "X", 1,
         "lengths grow by a quarter when more than this fraction of sequences is right after "
         "the last letter (default: 0.9)"),
    NUMBER("patience", patience, "N", 1, MANY,
           "number of consecutive steps above --threshold before lengths grow (default: 1)"),
    REAL("live", live, "SHARE", 1,
         "part of the training words that stay out of sinks, states after which the label never "
         "changes (default: 0)"),
    REAL("periodic", periodic, "SHARE", 1,
         "part of the training words that are z u u .., z of at most 4 letters and u of 1 to 4 "
         "(default: 0)"),
    FLAG("shorter-too", shorter_too, "lengths are uniform from the least to the present one"),
    NUMBER("sequences", sequences, "N", 1, UINT32_MAX, "sequences of an evaluation (default: 512)"),
    NUMBER("evaluate-every", evaluate_every, "N", 0, MANY,
           "steps between evaluations (default: 0, only at the end)"),
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* Sets every field of a table to "not given". */
static void give_nothing(f2l_train_arguments *o, const f2l_option *table)
{
    for (const f2l_option *option = table; option->name; option++) {
        void *field = (char *)o + option->offset;
        if (option->kind == F2L_OPTION_NUMBER) *(uint64_t *)field = F2L_NOT_GIVEN;
        if (option->kind == F2L_OPTION_REAL) *(double *)field = -1;
        if (option->kind == F2L_OPTION_CHOICE) *(size_t *)field = F2L_NO_CHOICE;
    }
}

void f2l_train_arguments_init(f2l_train_arguments *o)
{
    *o = (f2l_train_arguments){.source = F2L_SOURCE_USUAL};
    give_nothing(o, f2l_train_table);
    give_nothing(o, f2l_recipe_table);
    o->backend = F2L_BACKEND_CPU;
}

static void set_given_number(size_t *field, uint64_t value)
{
    if (value != F2L_NOT_GIVEN) *field = (size_t)value;
}

static void set_count(uint64_t *field, uint64_t value)
{
    if (value != F2L_NOT_GIVEN) *field = value;
}

static void set_given_real(double *field, double value)
{
    if (value >= 0) *field = value;
}

static void set_flag(bool *field, bool yes, bool no)
{
    if (yes || no) *field = yes;
}

bool f2l_train_first_weights(double *range, const char *text)
{
    char *end;
    *range = 0;
    if (strcmp(text, "pytorch") == 0) return true;
    *range = 0.02;
    if (strcmp(text, "fla") == 0) return true;
    if (text[strspn(text, "0123456789.e-")] != '\0') return false;
    *range = strtod(text, &end);
    return *end == '\0' && *range > 0 && *range <= 10;
}

static void set_width(f2l_seq_config *c, const f2l_train_arguments *o)
{
    const size_t before = c->width;
    if (o->heads != F2L_NOT_GIVEN || o->head_dim != F2L_NOT_GIVEN)
        c->width = c->heads * c->value_dim;
    set_given_number(&c->width, o->width);
    if (c->width == before) return;
    c->mlp = 4 * c->width;
    c->channels = 2 * c->width;
    c->step_rank = c->width < 16 ? 1 : c->width / 16;
}

void f2l_train_arguments_lasting(f2l_experiment *experiment, const f2l_train_arguments *o,
                                 size_t key_dim)
{
    f2l_seq_config *c = &experiment->model;
    const bool permutes = experiment->fsa && f2l_fsa_is_permutation(experiment->fsa, NULL);
    if (!o->lasting) return;
    set_given_number(&c->householders, o->householders);
    const size_t keys = c->letters * c->householders, fewer = keys > 1 ? keys - 1 : 1,
                 few = fewer < MOST_LASTING ? fewer : MOST_LASTING;
    c->clamped_betas = c->exact_keys = c->learned_start = true;
    c->ternary_keys = permutes;
    c->additive = !permutes;
    c->forget_gate = false;
    c->key_dim = c->value_dim = permutes && key_dim > 0 ? key_dim : few;
    if (experiment->data.kind != F2L_DATA_AUTOMATON) return;
    experiment->data.live = permutes ? 0 : 0.25;
    experiment->data.periodic = 0.25;
}

void f2l_train_arguments_model(f2l_seq_config *config, const f2l_train_arguments *o)
{
    f2l_seq_config *c = config;
    if (o->mixer != F2L_NO_CHOICE) c->mixer = f2l_mixers[o->mixer];
    if (o->eigenvalues != F2L_NO_CHOICE) c->negative = o->eigenvalues == 1;
    set_given_number(&c->householders, o->householders);
    set_given_number(&c->heads, o->heads);
    set_given_number(&c->key_dim, o->head_dim);
    set_given_number(&c->value_dim, o->head_dim);
    set_given_number(&c->layers, o->layers);
    set_width(c, o);
    set_given_number(&c->mlp, o->mlp);
    set_given_number(&c->convolution, o->convolution);
    set_given_number(&c->channels, o->channels);
    set_given_number(&c->states, o->states);
    set_given_number(&c->window, o->window);
    set_given_real(&c->slope, o->slope);
    set_given_real(&c->key_pull, o->key_pull);
    set_flag(&c->additive, o->additive, o->no_additive);
    set_flag(&c->learned_start, o->learned_start, o->no_learned_start);
    set_flag(&c->forget_gate, o->forget_gate, o->no_forget_gate);
    if (o->silu) c->silu_keys = true;
    if (o->clamped_betas) c->clamped_betas = true;
    if (o->exact_keys || o->ternary_keys) c->exact_keys = true;
    if (o->ternary_keys) c->ternary_keys = true;
    if (o->init) (void)f2l_train_first_weights(&c->initializer_range, o->init);
}

static void set_curriculum(f2l_data_curriculum *c, const f2l_train_arguments *o)
{
    set_given_number(&c->start, o->from);
    set_given_number(&c->limit, o->to);
    if (o->from == F2L_NOT_GIVEN && c->start > c->limit) c->start = c->limit;
    if (o->to == F2L_NOT_GIVEN && c->limit < c->start) c->limit = c->start;
    set_given_real(&c->threshold, o->threshold);
    set_given_number(&c->patience, o->patience);
    if (o->shorter_too) c->shorter_too = true;
}

void f2l_train_arguments_run(f2l_experiment *experiment, const f2l_train_arguments *o)
{
    f2l_train_options *t = &experiment->train;
    set_given_real(&t->rate, o->rate);
    set_given_real(&t->last_rate, o->last_rate);
    set_given_real(&t->weight_decay, o->weight_decay);
    set_given_real(&t->beta2, o->beta2);
    set_given_real(&t->epsilon, o->epsilon);
    set_given_real(&t->clip, o->clip);
    set_given_real(&t->target, o->target);
    set_given_real(&t->checkpoint_seconds, o->checkpoint_seconds);
    set_count(&t->warmup, o->warmup);
    set_count(&t->decay_from, o->decay_from);
    set_count(&t->evaluate_every, o->evaluate_every);
    set_count(&t->log_every, o->log_every);
    set_given_number(&t->sequences, o->sequences);
    if (o->decay != F2L_NO_CHOICE) t->decay = (f2l_train_decay)o->decay;
    set_curriculum(&experiment->curriculum, o);
    set_given_number(&experiment->batch, o->batch);
    set_given_number(&experiment->positions, o->positions);
    if (o->seed != F2L_NOT_GIVEN) experiment->seed = (uint32_t)o->seed;
    set_given_real(&experiment->data.live, o->live);
    set_given_real(&experiment->data.periodic, o->periodic);
}
