#include "reports/training/published.h"
#include <math.h>

#define U51 "Grazzi et al. 2025, section 5.1, table"
#define U52 "Grazzi et al. 2025, section 5.2"
#define U_Z60 "Grazzi et al. 2025, appendix E.2"
#define D5 "Siems et al. 2025, group word problems"
#define D5_FIGURE \
    "Siems et al. 2025, figure of accuracies by length on group word problems, read off"
#define OWN "this project's runs in PyTorch, one seed, one H200"

#define BEST3(preset, model, value) \
    { \
        preset, model, 0, value, 0, "best of 3", U51, true \
    }
#define MEDIAN(preset, model, value, deviation) \
    { \
        preset, model, 0, value, deviation, "median of 3", U51, true \
    }
#define AT(preset, model, length, value) \
    { \
        preset, model, length, value, 0, "", D5_FIGURE, true \
    }
#define SAYS(preset, model, text, source) \
    { \
        preset, model, 0, (double)NAN, 0, text, source, true \
    }
#define OURS(preset, model, length, value) \
    { \
        preset, model, length, value, 0, "", OWN, false \
    }
#define FOUND(preset, model, text) \
    { \
        preset, model, 0, (double)NAN, 0, text, OWN, false \
    }

const f2l_published f2l_published_numbers[] = {
    BEST3("parity", "Transformer", .022),
    MEDIAN("parity", "Transformer", .003, .013),
    BEST3("parity", "mLSTM", .087),
    MEDIAN("parity", "mLSTM", .018, .035),
    BEST3("parity", "sLSTM", 1.000),
    MEDIAN("parity", "sLSTM", 1.0, 0),
    BEST3("parity", "diagonal-positive", .000),
    MEDIAN("parity", "diagonal-positive", 0, 0),
    BEST3("parity", "diagonal-signed", 1.000),
    MEDIAN("parity", "diagonal-signed", 1.0, 0),
    BEST3("parity", "delta-positive", .017),
    MEDIAN("parity", "delta-positive", .010, .005),
    BEST3("parity", "delta-signed", 1.000),
    MEDIAN("parity", "delta-signed", .999, .006),

    BEST3("modarith", "Transformer", .031),
    MEDIAN("modarith", "Transformer", .018, .009),
    BEST3("modarith", "mLSTM", .040),
    MEDIAN("modarith", "mLSTM", .027, 0),
    BEST3("modarith", "sLSTM", .787),
    MEDIAN("modarith", "sLSTM", .124, 0),
    BEST3("modarith", "diagonal-positive", .095),
    MEDIAN("modarith", "diagonal-positive", .066, .029),
    BEST3("modarith", "diagonal-signed", .241),
    MEDIAN("modarith", "diagonal-signed", .214, .027),
    BEST3("modarith", "delta-positive", .314),
    MEDIAN("modarith", "delta-positive", .214, .056),
    BEST3("modarith", "delta-signed", .971),
    MEDIAN("modarith", "delta-signed", .826, .146),

    BEST3("modarith-brackets", "Transformer", .067),
    MEDIAN("modarith-brackets", "Transformer", .064, .003),
    BEST3("modarith-brackets", "mLSTM", .114),
    MEDIAN("modarith-brackets", "mLSTM", .114, 0),
    BEST3("modarith-brackets", "sLSTM", .178),
    MEDIAN("modarith-brackets", "sLSTM", .163, .015),
    BEST3("modarith-brackets", "diagonal-positive", .123),
    MEDIAN("modarith-brackets", "diagonal-positive", .116, .007),
    BEST3("modarith-brackets", "diagonal-signed", .116),
    MEDIAN("modarith-brackets", "diagonal-signed", .098, .009),
    BEST3("modarith-brackets", "delta-positive", .194),
    MEDIAN("modarith-brackets", "delta-positive", .162, .018),
    BEST3("modarith-brackets", "delta-signed", .260),
    MEDIAN("modarith-brackets", "delta-signed", .227, .011),

    SAYS("s3", "nh2", "one layer learns it; trained on 128 letters, tested to 512", D5),
    SAYS("s3", "nh1", "one layer does not learn it; 3 layers are needed", D5),
    SAYS("s3", "nh2-positive", "not learned", D5),
    OURS("s3", "nh2", 64, 1),
    OURS("s3", "nh2", 128, 1),
    OURS("s3", "nh2", 256, 1),
    OURS("s3", "nh2", 512, 1),
    OURS("s3", "nh2", 1024, 1),

    SAYS("s4", "nh2", "one layer learns it; trained on 128 letters, tested to 512", D5),
    SAYS("s4", "nh1", "one layer does not learn it; 6 layers are needed", D5),
    SAYS("s4", "nh2-positive", "not learned", D5),
    OURS("s4", "nh2", 64, 1),
    OURS("s4", "nh2", 128, 1),
    OURS("s4", "nh2", 256, 1),
    OURS("s4", "nh2", 512, 1),
    OURS("s4", "nh2", 1024, 1),

    SAYS("a5", "nh2", "one layer learns it; trained on 128 letters, tested to 512", D5),
    SAYS("a5", "nh1", "one layer does not learn it; 3 layers are needed", D5),
    SAYS("a5", "nh2-positive", "not learned", D5),
    OURS("a5", "nh2", 64, 1),
    OURS("a5", "nh2", 128, 1),
    OURS("a5", "nh2", 256, 1),
    OURS("a5", "nh2", 512, 1),
    OURS("a5", "nh2", 1024, .75),

    AT("s5", "nh4", 200, 1),
    AT("s5", "nh4", 330, .5),
    AT("s5", "nh4", 500, 0),
    AT("s5", "nh3", 45, 0),
    SAYS("s5", "nh4-positive", "not learned", D5),
    SAYS("s5", "DeltaProduct, n_h = 1", "not learned with up to 10 layers", D5),
    SAYS("s5", "DeltaNet and Mamba, trained on 32 letters", "all are at 0 before 30 letters", U52),
    OURS("s5", "nh4", 64, 1),
    OURS("s5", "nh4", 128, 1),
    OURS("s5", "nh4", 256, 1),
    OURS("s5", "nh4", 512, .36),
    OURS("s5", "nh4", 1024, 0),
    FOUND("s5", "nh3", "never leaves 4 letters"),
    FOUND("s5", "nh4-values", "never leaves 4 letters"),

    SAYS("s5-swaps", "delta-signed", "one layer learns it fully", U52),
    SAYS("s5-swaps", "delta-positive",
         "5 layers: right just slightly beyond the training length, 32", U52),
    SAYS("s5-swaps", "Mamba", "poor in either range", U52),

    SAYS("s5-cycles", "delta-signed-5", "good length generalization; far below swaps only", U52),
    SAYS("s5-cycles", "delta-signed", "far below swaps only", U52),
    SAYS("s5-cycles", "delta-positive", "below [-1, 1]", U52),
    SAYS("s5-cycles", "Mamba", "poor in either range", U52),

    SAYS("s5-tokens", "delta-signed-5",
         "extrapolates very well to about 200 letters, 50 elements (best of 3; one seed did not "
         "learn it)",
         U52),
    SAYS("s5-tokens", "Mamba", "poor in either range", U52),

    SAYS("z60", "diagonal-signed",
         "the best of all; does not generalize well to longer sequences "
         "(1 seed)",
         U_Z60),
    SAYS("z60", "delta-signed",
         "better than in [0, 1]; does not generalize well to longer sequences (1 seed)", U_Z60),
    SAYS("z60", "delta-positive", "worse than in [-1, 1] (1 seed)", U_Z60),
    SAYS("z60", "diagonal-positive", "worse than in [-1, 1] (1 seed)", U_Z60),

    {NULL, NULL, 0, 0, 0, NULL, NULL, false}};
