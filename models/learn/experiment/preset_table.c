/* The tables of models/learn/experiment/preset.h. */
#include "models/learn/experiment/impl.h"
#include "models/learn/seq/mixer.h"
#include <string.h>

/* The settings that a model is part of. */
#define ALL (1U << F2L_PRESET_PAPER | 1U << F2L_PRESET_RELEASED | 1U << F2L_PRESET_BEST)
#define BEST (1U << F2L_PRESET_BEST)

#define DELTA(name, text, negative, householders, layers, values, settings) \
    { \
        name, text, &f2l_mixer_delta, negative, householders, layers, 0, values, false, true, \
            settings \
    }
#define GATED(name, text, negative, householders, settings) \
    { \
        name, text, &f2l_mixer_delta, negative, householders, 0, 0, false, true, true, settings \
    }
#define MIXER(name, text, mixer, negative, convolution, settings) \
    { \
        name, text, &(mixer), negative, 1, 0, 0, false, false, convolution, settings \
    }

#define DELTA_SIGNED \
    DELTA("delta-signed", "DeltaNet, eigenvalues in [-1, 1]", true, 1, 0, false, ALL)
#define DELTA_POSITIVE \
    DELTA("delta-positive", "DeltaNet, eigenvalues in [0, 1]", false, 1, 0, false, ALL)
#define DIAGONAL_SIGNED_IN(settings) \
    MIXER("diagonal-signed", "Mamba-style diagonal, eigenvalues in [-1, 1]", f2l_mixer_diagonal, \
          true, true, settings)
#define DIAGONAL_SIGNED DIAGONAL_SIGNED_IN(ALL)
#define DIAGONAL_POSITIVE \
    MIXER("diagonal-positive", "Mamba-style diagonal, eigenvalues in [0, 1]", f2l_mixer_diagonal, \
          false, true, ALL)
#define FOUR DELTA_SIGNED, DELTA_POSITIVE, DIAGONAL_SIGNED, DIAGONAL_POSITIVE

#define DELTA_SIGNED_5(settings) \
    DELTA("delta-signed-5", "DeltaNet, eigenvalues in [-1, 1], 5 layers", true, 1, 5, false, \
          settings)
#define DELTA_POSITIVE_5 \
    DELTA("delta-positive", "DeltaNet, eigenvalues in [0, 1], 5 layers", false, 1, 5, false, ALL)

#define NH1 DELTA("nh1", "DeltaProduct, n_h = 1, eigenvalues in [-1, 1]", true, 1, 0, false, ALL)
#define NH2(settings) \
    DELTA("nh2", "DeltaProduct, n_h = 2, eigenvalues in [-1, 1]", true, 2, 0, false, settings)
#define NH2_POSITIVE \
    DELTA("nh2-positive", "DeltaProduct, n_h = 2, eigenvalues in [0, 1]", false, 2, 0, false, ALL)
#define NH2_VALUES \
    DELTA("nh2-values", "n_h = 2, [-1, 1], additive path kept, H_0 = 0", true, 2, 0, true, BEST)
#define NH3 DELTA("nh3", "DeltaProduct, n_h = 3, eigenvalues in [-1, 1]", true, 3, 0, false, ALL)
#define NH4 DELTA("nh4", "DeltaProduct, n_h = 4, eigenvalues in [-1, 1]", true, 4, 0, false, ALL)
#define NH4_POSITIVE \
    DELTA("nh4-positive", "DeltaProduct, n_h = 4, eigenvalues in [0, 1]", false, 4, 0, false, ALL)
#define NH4_VALUES \
    DELTA("nh4-values", "n_h = 4, [-1, 1], additive path kept, H_0 = 0", true, 4, 0, true, BEST)

#define NH1_LAYERS(layers) \
    DELTA("nh1-" #layers, "n_h = 1, eigenvalues in [-1, 1], " #layers " layers", true, 1, layers, \
          false, ALL)

#define GATED_SIGNED(settings) \
    GATED("gated-signed", "Gated DeltaNet, eigenvalues in [-1, 1]", true, 1, settings)
#define GATED_POSITIVE \
    GATED("gated-positive", "Gated DeltaNet, eigenvalues in [0, 1]", false, 1, ALL)
#define GATED_NH2(settings) \
    GATED("gated-nh2", "Gated DeltaProduct, n_h = 2, eigenvalues in [-1, 1]", true, 2, settings)
#define GATED_NH4 \
    GATED("gated-nh4", "Gated DeltaProduct, n_h = 4, eigenvalues in [-1, 1]", true, 4, BEST)

#define GLA(settings) \
    MIXER("gla", "gated linear attention, eigenvalues in [0, 1]", f2l_mixer_gla, false, true, \
          settings)
#define RWKV7(settings) \
    MIXER("rwkv7", "recurrence of RWKV-7, eigenvalues in [-0.46, 1]", f2l_mixer_rwkv7, false, \
          true, settings)
#define RWKV7_SIGNED \
    MIXER("rwkv7-signed", "recurrence of RWKV-7, eigenvalues in [-1, 1]", f2l_mixer_rwkv7, true, \
          true, BEST)
/* A Transformer has no convolution, mLSTM the usual one. */
#define ATTENTION(settings) \
    MIXER("attention", "Transformer: softmax attention with rotary positions", \
          f2l_mixer_attention, false, false, settings)
#define MLSTM MIXER("mlstm", "mLSTM, the matrix memory of xLSTM", f2l_mixer_mlstm, false, true, ALL)

/* Models that the two papers do not have, in every regular and context-free task, and in every word
 * problem of all elements of S3, S4, A5 and S5. Another mixer is a MIXER in these lists; the
 * published numbers of its network are under a name of reports/training/published.c. */
#define LANGUAGE_MODELS \
    GATED_SIGNED(ALL), GATED_POSITIVE, GATED_NH2(ALL), GLA(ALL), RWKV7(ALL), ATTENTION(ALL), MLSTM
#define GROUP_MODELS \
    GATED_SIGNED(BEST), RWKV7(BEST), RWKV7_SIGNED, DIAGONAL_SIGNED_IN(BEST), GLA(BEST), \
        ATTENTION(BEST)

/* Four heads of size x size: the state of a layer has 4 size^2 numbers. */
#define RECALLS(name, range, negative, householders, size) \
    { \
        name, "n_h = " #householders ", eigenvalues in " range ", 4 heads of " #size " x " #size, \
            &f2l_mixer_delta, negative, householders, 0, size, true, false, true, BEST \
    }
#define RECALL_SIZES(householders, range, end, negative) \
    RECALLS("nh" #householders "-16" end, range, negative, householders, 16), \
        RECALLS("nh" #householders "-32" end, range, negative, householders, 32), \
        RECALLS("nh" #householders "-64" end, range, negative, householders, 64), \
        RECALLS("nh" #householders "-128" end, range, negative, householders, 128)
#define RECALL_MODELS \
    RECALL_SIZES(1, "[-1, 1]", "", true), RECALL_SIZES(2, "[-1, 1]", "", true), \
        RECALL_SIZES(3, "[-1, 1]", "", true), RECALL_SIZES(1, "[0, 1]", "-positive", false), \
        RECALL_SIZES(2, "[0, 1]", "-positive", false), \
        RECALL_SIZES(3, "[0, 1]", "-positive", false)
#define RECALL_PRESET(many, letters) \
    { \
        .name = "recall-" #many, \
        .text = "recall of " #many " values by their keys in words of " #letters " letters", \
        .source = "Arora et al. 2023, arXiv 2312.04927", .kind = F2L_DATA_RECALL, \
        .when = F2L_DATA_EVERY, .number = (many), .model = { \
            RECALL_MODELS \
        } \
    }

#define U51 "Grazzi et al. 2025, section 5.1"
#define U52 "Grazzi et al. 2025, section 5.2"
#define D5 "Siems et al. 2025, group word problems"
#define SUITE "Deletang et al. 2023; Walker et al. 2025; Terzic et al. 2025, table 2"

const f2l_preset f2l_presets[] = {
    {.name = "parity",
     .text = "is the number of ones odd? The last answer counts",
     .source = U51,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_LAST,
     .family = "parity",
     .model = {FOUR, NH2(BEST), LANGUAGE_MODELS}},
    {.name = "modarith",
     .text = "arithmetic modulo 5 with + - * and no brackets. The last answer counts",
     .source = U51,
     .kind = F2L_DATA_ARITHMETIC,
     .when = F2L_DATA_LAST,
     .number = 5,
     .model = {FOUR, DELTA_SIGNED_5(BEST), NH2(BEST), LANGUAGE_MODELS}},
    {.name = "modarith-brackets",
     .text = "arithmetic modulo 5 with brackets, which is context-free. The last answer counts",
     .source = U51,
     .kind = F2L_DATA_BRACKETS,
     .when = F2L_DATA_LAST,
     .number = 5,
     .model = {FOUR, DELTA_SIGNED_5(BEST), NH2(BEST), LANGUAGE_MODELS}},
    {.name = "s3",
     .text = "products in S3, all elements as letters",
     .source = D5,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "symmetric",
     .number = 3,
     .model = {NH2(ALL), NH1, NH2_POSITIVE, NH2_VALUES, NH1_LAYERS(3), GATED_NH2(BEST),
               GROUP_MODELS}},
    {.name = "s4",
     .text = "products in S4, all elements as letters",
     .source = D5,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "symmetric",
     .number = 4,
     .model = {NH2(ALL), NH1, NH2_POSITIVE, NH2_VALUES, NH1_LAYERS(6), GATED_NH2(BEST),
               GROUP_MODELS}},
    {.name = "a5",
     .text = "products in A5, all elements as letters",
     .source = D5,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "alternating",
     .number = 5,
     .model = {NH2(ALL), NH1, NH2_POSITIVE, NH2_VALUES, NH1_LAYERS(3), GATED_NH2(BEST),
               GROUP_MODELS}},
    {.name = "s5",
     .text = "products in S5, all elements as letters",
     .source = D5,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "symmetric",
     .number = 5,
     .model = {NH4, NH3, NH4_POSITIVE, NH4_VALUES, NH1_LAYERS(10), GATED_NH4, GROUP_MODELS}},
    {.name = "s5-swaps",
     .text = "products in S5 of letters that are swaps or the identity",
     .source = U52,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "symmetric",
     .number = 5,
     .longest_cycle = 2,
     .model = {DELTA_SIGNED, DELTA_POSITIVE_5}},
    {.name = "s5-cycles",
     .text = "products in S5 of letters that move at most three points",
     .source = U52,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "symmetric",
     .number = 5,
     .longest_cycle = 3,
     .model = {DELTA_SIGNED_5(ALL), DELTA_SIGNED, DELTA_POSITIVE_5, NH2(BEST)}},
    {.name = "s5-tokens",
     .text = "products in S5, all elements as letters, each followed by three padding letters",
     .source = U52,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "symmetric",
     .number = 5,
     .tokens = 4,
     .model = {DELTA_SIGNED_5(ALL), DELTA_SIGNED, DELTA_POSITIVE_5}},
    {.name = "z60",
     .text = "sums modulo 60, all elements as letters",
     .source = U52,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_EVERY,
     .family = "cyclic",
     .number = 60,
     .model = {FOUR, NH2(BEST)}},
    {.name = "even-pairs",
     .text = "are the first and the last letter equal? The last answer counts",
     .source = SUITE,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_LAST,
     .family = "even-pairs",
     .label = F2L_LABEL_ACCEPT,
     .model = {FOUR, NH2(BEST), LANGUAGE_MODELS}},
    {.name = "cycle-navigation",
     .text = "the place on a cycle of 5 after steps that stay, go on or go back. The last answer "
             "counts",
     .source = SUITE,
     .kind = F2L_DATA_AUTOMATON,
     .when = F2L_DATA_LAST,
     .family = "cycle-navigation",
     .number = 5,
     .model = {FOUR, NH2(BEST), LANGUAGE_MODELS}},
    {.name = "mlregtest",
     .text = "is a word in the language that is given? The words are drawn as in MLRegTest",
     .source = "van der Poel et al. 2024, JMLR 25",
     .kind = F2L_DATA_WORDS,
     .when = F2L_DATA_LAST,
     .model = {DELTA_POSITIVE, DELTA_SIGNED, NH2(BEST), DIAGONAL_SIGNED, DIAGONAL_POSITIVE,
               ATTENTION(ALL)}},
    RECALL_PRESET(4, 64),
    RECALL_PRESET(8, 128),
    RECALL_PRESET(16, 256),
    RECALL_PRESET(64, 512),
    {.name = NULL}};

/* 10 lengths from 40 to 256 in even steps, 8200 sequences in all: the papers' 8192 of random
 * lengths 40 to 256. */
static const f2l_preset_looks languages = {{40, 64, 88, 112, 136, 160, 184, 208, 232, 256}, 820};
/* The same range in steps that a CPU can afford beside the training. */
static const f2l_preset_looks fewer = {{40, 94, 148, 202, 256}, 256};
/* MLRegTest's sets train and dev have words of 20 to 29 letters. */
static const f2l_preset_looks short_words = {{29}, 1000};
/* The lengths of the papers' figures, of training, and beyond. */
static const f2l_preset_looks groups = {{32, 45, 64, 128, 200, 256, 330, 500, 512, 1024}, 512};

/* The lengths of [D]'s figures. */
static const f2l_preset_looks released = {{32, 45, 64, 128, 200, 256, 330, 500, 512}, 512};

/* [U], section 5.1. The published numbers with brackets are of expressions with `*`, as far as can
 * be told: without it a constant answer has scaled accuracy 0, with it the .10 to .12 that the
 * table gives to models that learn nothing. The released configurations have no `*`. */
#define LANGUAGE(name, which, depth, size, rows, count, fade, norm, growth, multiply, end, text) \
    { \
        .preset = (name), .setting = (which), .layers = (depth), .width = 128, .heads = 4, \
        .head_dim = (size), .mlp = 512, .convolution = 4, .gated_convolution = 4, .slope = 1, \
        .init = .02, .values = true, .silu = true, .times = (multiply), .equals = (end), \
        .from = 40, .to = 40, .shorter_too = true, .batch = (rows), .steps = (count), \
        .rate = 1e-3, .last_rate = 1e-6, .weight_decay = (fade), .clip = (norm), .beta2 = 0.999, \
        .warmup = (growth), .decay = F2L_TRAIN_COSINE, .looks = &languages, .remark = (text) \
    }

#define LANGUAGE_SAME \
    "trained on lengths 1 to 40 (source: 3 to 40), evaluated at ten lengths from 40 to 256 " \
    "(source: random ones), weight decay on matrices only (source: on all parameters), a " \
    "gated MLP of 512 after DeltaNet and none after the diagonal mixer"
#define BRACKETS ". Expressions are binary trees of this project's generator"
#define BRACKETS_PAPER \
    BRACKETS ", with the operator *, which the released generator has as an option that its " \
             "configurations leave off"

#define LANGUAGE_PAPER(name, depth, norm, multiply, text) \
    LANGUAGE(name, F2L_PRESET_PAPER, depth, 128, 1024, 100000, 0.1, norm, 0.1, multiply, false, \
             LANGUAGE_SAME \
             ". At the rates of --rate, else at one (paper: the best of 1e-2, 1e-3, " \
             "5e-4, 1e-4 by the median of 3 seeds). Left open by the paper: beta2 " \
             "0.999; first weights of standard deviation 0.02, as released" text)

/* The released configurations: two layers, heads of 32. */
#define LANGUAGE_RELEASED(name, count, fade, multiply, end, text) \
    LANGUAGE(name, F2L_PRESET_RELEASED, 2, 32, 256, count, fade, 0, 0.1, multiply, end, \
             LANGUAGE_SAME text)

/* Group word problems of [U], trained at one length: 100 epochs of 1.6 million sequences, 512 a
 * step; appendix E.2 */
#define GROUP_U(name, at, text) \
    { \
        .preset = (name), .setting = F2L_PRESET_PAPER, .layers = 1, .width = 128, .heads = 4, \
        .head_dim = 32, .mlp = 512, .gated_convolution = 4, .slope = 1, .init = .02, \
        .values = true, .silu = true, .from = (at), .to = (at), .batch = 512, .steps = 312500, \
        .rate = 1e-4, .weight_decay = 0.01, .clip = 1, .beta2 = 0.999, \
        .decay = F2L_TRAIN_CONSTANT, .looks = &groups, \
        .remark = \
            "every sequence is new (paper: 1.6 million, 100 times each)" text \
            ". Left open and chosen: beta2 0.999, first weights of standard deviation 0.02, " \
            "clip 1, a gated MLP of 512 after DeltaNet and none after the diagonal mixer, a " \
            "constant rate" \
    }

/* [D]: a supervised token before every word and small first weights, as in the released code, which
 * the paper does not name; both decide whether S4, A5 and S5 are learned. */
#define GROUP_D(name, set, many, rows, count, where, looked, until, words, text) \
    { \
        .preset = (name), .setting = (set), .layers = 1, .width = 128, .heads = (many), \
        .head_dim = 32, .mlp = 512, .slope = 1, .init = .006, .begin = true, .values = true, \
        .silu = true, .from = 128, .to = 128, .batch = (rows), .steps = (count), .rate = 1e-3, \
        .weight_decay = 1e-6, .beta2 = 0.999, .decay = F2L_TRAIN_COSINE, .looks = &(where), \
        .evaluations = (looked), .target = (until), \
        .remark = \
            "every sequence is new (source: " words ", 100 times each); parameters and optimiser " \
            "are float and activations bf16 (source: all bf16); the mixer's first projections " \
            "have standard deviation 0.006 as all others (source: 0.013); weight decay on " \
            "matrices only; no letters besides the elements and the begin letter (source: 7 " \
            "special tokens); the last network counts" text \
    }
#define GROUP_PAPER(name, many, rows, count) \
    GROUP_D(name, F2L_PRESET_PAPER, many, rows, count, groups, 4, 0, "about 2 million", \
            ". Not named in the paper, and as released: the begin letter, first weights, width " \
            "128, weight decay, no clip")
/* The released code evaluates after every epoch and stops at .99 of the words of 512 letters. */
#define GROUP_RELEASED(name, many, rows, count, words, text) \
    GROUP_D(name, F2L_PRESET_RELEASED, many, rows, count, released, 100, .99, words, \
            ", which is the first with .99 at 512 letters where there is one, as in the source " \
            "(which takes the best epoch on the test words where there is none)" text)

#define GROWS \
    "lengths grow from 4 while more than 90% of the last answers are right, so that a network " \
    "which does " \
    "not learn " \
    "short words never sees long ones"
/* The values of f2l_experiment_default except for these: B = 0, a learned H_0. */
#define OURS(name, depth, steep, taps, limit, rows, count, speed, look, text) \
    { \
        .preset = (name), .setting = F2L_PRESET_BEST, .layers = (depth), .slope = (steep), \
        .start = true, .convolution = (taps), .to = (limit), .batch = (rows), .steps = (count), \
        .rate = (speed), .looks = &(look), .remark = (GROWS text) \
    }
/* One recipe for all groups. Small first weights decide whether S5 is learned at all. Words begin
 * with 64 letters: with 4 some seeds of S4 stay at short words, with 256 two of ten seeds of A5 do
 * not leave guessing. They grow to 512, since with 256 three of ten seeds of S5 are wrong at 1,024
 * (docs/training-study.md). */
#define OUR_GROUP(name) \
    { \
        .preset = (name), .setting = F2L_PRESET_BEST, .layers = 1, .heads = 8, .slope = 1, \
        .init = .02, .start = true, .from = 64, .to = 512, .batch = 512, .steps = 9000, \
        .rate = 1e-3, .looks = &groups, .remark = "" \
    }
/* A small network without an MLP, which a CPU trains in seconds; parity needs no more. Small first
 * weights and words to 128 letters, since with the other ones some seeds are wrong on words of 256.
 * Words of all lengths from 1 on: only short words hold no 1, and without them the first state may
 * be read as the other one (docs/training-study.md). */
#define OUR_PARITY \
    { \
        .preset = "parity", .setting = F2L_PRESET_BEST, .layers = 1, .width = 64, .heads = 2, \
        .head_dim = 32, .slope = 4, .init = .02, .start = true, .from = 1, .to = 128, \
        .shorter_too = true, .batch = 64, .steps = 300, .rate = 3e-3, .looks = &fewer, \
        .remark = "lengths grow from 1 while more than 90% of the last answers are right, and a " \
                  "step has all lengths up to the present one" \
    }
/* Short words beside long ones keep five layers from diverging. */
#define OUR_ARITHMETIC(name) \
    { \
        .preset = (name), .setting = F2L_PRESET_BEST, .layers = 3, .slope = 4, .values = true, \
        .start = true, .times = true, .convolution = 4, .gated_convolution = 4, .to = 40, \
        .shorter_too = true, .batch = 512, .steps = 6000, .rate = 2e-3, .looks = &fewer, \
        .remark = (GROWS ". Values are kept, since products by 0 forget") \
    }

/* The released code of Walker et al. 2025, which Terzic et al. 2025 follow; its models are layers
 * of flash-linear-attention with their defaults, in blocks without MLP. */
#define SUITE_PAPER(name) \
    { \
        .preset = (name), .setting = F2L_PRESET_PAPER, .layers = 2, .width = 128, .heads = 4, \
        .head_dim = 32, .convolution = 4, .gated_convolution = 4, .slope = 1, .init = .02, \
        .values = true, .silu = true, .from = 40, .to = 40, .shorter_too = true, .batch = 256, \
        .steps = 100000, .rate = 2e-3, .last_rate = 1e-5, .weight_decay = 0.01, .beta2 = 0.999, \
        .warmup = 0.1, .decay = F2L_TRAIN_COSINE, .looks = &languages, \
        .remark = "trained on lengths 1 to 40 (source: 3 to 40), evaluated at the end at ten " \
                  "lengths from 40 to 256 (source: random ones, the best of 20 evaluations of a " \
                  "run). Not as in the released code: it has a dropout of 0.01 and the norm " \
                  "behind each block; its embedding begins with standard deviation 1, here with " \
                  "0.02 as all weights; its gated models have an output gate and 6 heads of 256; " \
                  "weight decay is on all parameters but the embedding, here on matrices" \
    }

/* Evaluated at the trained length, and at twice it with as many pairs. */
#define OUR_RECALL(name, letters) \
    { \
        .preset = (name), .setting = F2L_PRESET_BEST, .layers = 2, .width = 128, .heads = 4, \
        .head_dim = 32, .convolution = 4, .gated_convolution = 4, .slope = 1, .init = .02, \
        .values = true, .from = (letters), .to = (letters), .shorter_too = true, .batch = 256, \
        .steps = 4000, .rate = 2e-3, \
        .looks = &(const f2l_preset_looks){{(letters), 2 * (letters)}, 512}, \
        .remark = \
            "a recipe of this project. Other than in the source: 128 keys and 128 values " \
            "(source: 4,096 of each), the places where keys come again are uniform (source: " \
            "mostly early), every word is new (source: 100,000 words), and a step has all " \
            "lengths from three letters a pair on (source: one length). Blocks are without MLP, " \
            "as there" \
    }

static const f2l_preset_recipe recipes[] = {
    LANGUAGE_PAPER("parity", 2, 0, false, ""),
    LANGUAGE_PAPER("modarith", 3, 1, true, ""),
    LANGUAGE_PAPER("modarith-brackets", 3, 1, true, BRACKETS_PAPER),
    LANGUAGE_RELEASED("parity", 20000, 0, false, false,
                      ". The answer is at the last bit (source: after =)"),
    LANGUAGE_RELEASED("modarith", 100000, 0.1, true, true, ". Steps are the paper's"),
    LANGUAGE_RELEASED("modarith-brackets", 100000, 0.1, false, true,
                      ". Steps are the paper's. Without the operator *, as released" BRACKETS),
    /* 100 epochs of 2 million words, less one in a hundred for tests; 967 steps of 2048 each */
    GROUP_PAPER("s3", 8, 2048, 96700),
    GROUP_PAPER("s4", 8, 2048, 96700),
    GROUP_PAPER("a5", 8, 2048, 96700),
    GROUP_PAPER("s5", 12, 2048, 96700),
    /* S3: the command of the README. S5: the command of its authors in the issue about it. S4 and
     * A5: the README's command with the paper's number of words. */
    GROUP_RELEASED("s3", 8, 2048, 4900, "99,000", ""),
    GROUP_RELEASED(
        "s4", 8, 2048, 96700, "about 2 million",
        ". No command for S4 is published: the one for S3 with the paper's number of words"),
    GROUP_RELEASED(
        "a5", 8, 2048, 96700, "about 2 million",
        ". No command for A5 is published: the one for S3 with the paper's number of words"),
    GROUP_RELEASED("s5", 12, 1024, 193400, "about 2 million", ""),
    GROUP_U("s5-swaps", 32, ""),
    GROUP_U("s5-cycles", 32, ""),
    GROUP_U(
        "s5-tokens", 64,
        ". An answer counts after the last of the four letters of an element (paper: after every "
        "letter, three letters late). The length is taken from the paper's third plot, assumed to "
        "be this experiment's"),
    GROUP_U("z60", 32, ""),
    OUR_PARITY,
    OUR_ARITHMETIC("modarith"),
    OUR_ARITHMETIC("modarith-brackets"),
    OUR_GROUP("s3"),
    OUR_GROUP("s4"),
    OUR_GROUP("a5"),
    OUR_GROUP("s5"),
    OURS("s5-swaps", 1, 4, 0, 64, 256, 10000, 1e-3, groups, ""),
    OURS("s5-cycles", 1, 1, 0, 64, 512, 10000, 2e-3, groups, ""),
    /* The convolutions of the first layer mark padding letters for the second layer by the letter
     * before them: one layer alone can only scale that letter's key, coordinate by coordinate. */
    OURS("s5-tokens", 2, 1, 4, 128, 1024, 20000, 6e-3, groups,
         ". An answer counts after the last of the four letters of an element"),
    OURS("z60", 1, 1, 0, 128, 512, 30000, 2e-3, groups, ""),
    SUITE_PAPER("even-pairs"),
    SUITE_PAPER("cycle-navigation"),
    /* The convolution marks the first letter, which has no letter before it. */
    OURS("even-pairs", 1, 4, 4, 40, 64, 600, 3e-3, fewer, ""),
    /* One reflection a letter turns no cycle of 5 in one layer: n_h = 1 takes two. */
    OURS("cycle-navigation", 2, 1, 0, 40, 128, 2000, 3e-3, fewer, ""),
    {.preset = "mlregtest",
     .setting = F2L_PRESET_BEST,
     .layers = 2,
     .width = 64,
     .heads = 2,
     .head_dim = 32,
     .mlp = 256,
     .convolution = 4,
     .gated_convolution = 4,
     .slope = 4,
     .values = true,
     .from = 29,
     .to = 29,
     .batch = 64,
     .steps = 1500,
     .rate = 3e-3,
     .looks = &short_words,
     .remark =
         "a recipe of this project for networks that the paper does not have. Words are drawn "
         "with this program's seeds, so that published numbers are about other words"},
    OUR_RECALL("recall-4", 64),
    OUR_RECALL("recall-8", 128),
    OUR_RECALL("recall-16", 256),
    OUR_RECALL("recall-64", 512),
    {.preset = NULL}};

const f2l_preset_recipe *f2l_preset_recipe_find(const f2l_preset *preset,
                                                f2l_preset_setting setting)
{
    for (const f2l_preset_recipe *r = recipes; r->preset != NULL; r++)
        if (r->setting == setting && strcmp(r->preset, preset->name) == 0) return r;
    return NULL;
}
