/* The classes of models of the ladder: papers, ranges, and what is claimed of which automata. */
#include "theory/obstruct/classify/classify.h"

#define SEPARATED "exact, separating decoders"
#define FINITE "exact, finitely many states"
#define APERIODIC "aperiodic automata can (L.8); "
#define ALL_BY_ONE "all automata can (L.10)"

const f2l_ladder_model f2l_ladder_models[F2L_LADDER_CLASSES] = {
    [F2L_LADDER_DIAGONAL_POSITIVE] = {"diagonal-positive", "diagonal [0,1]", "Mamba, GLA, mLSTM",
                                      "arXiv 2312.00752", 2023, "entries in [0,1]",
                                      APERIODIC "others cannot (L.3, L.16)", SEPARATED},
    [F2L_LADDER_DIAGONAL_REAL] = {"diagonal", "diagonal [-1,1]", "", "arXiv 2411.12537", 2024,
                                  "entries in [-1,1]",
                                  "automata with 2-groups only can (L.9); others cannot (L.4, "
                                  "L.16)",
                                  SEPARATED},
    [F2L_LADDER_DIAGONAL_COMPLEX] = {"complex", "complex diagonal", "S4D, LRU, Mamba-3",
                                     "arXiv 2206.11893", 2022, "entries of modulus at most 1",
                                     "automata with solvable groups can (L.9); others cannot "
                                     "(L.6', L.11)",
                                     FINITE},
    [F2L_LADDER_DELTANET_POSITIVE] = {"deltanet-positive", "DeltaNet [0,1]",
                                      "also Gated DeltaNet, KDA, without negative eigenvalues",
                                      "arXiv 2406.06484", 2024, "beta in [0,1]",
                                      APERIODIC "others cannot (L.7, L.16)", SEPARATED},
    [F2L_LADDER_DELTANET] = {"deltanet", "DeltaNet [-1,1]",
                             "also Gated DeltaNet, KDA, with negative eigenvalues",
                             "arXiv 2411.12537", 2024, "beta in [0,2]", ALL_BY_ONE, FINITE},
    [F2L_LADDER_DELTAPRODUCT_POSITIVE] = {"deltaproduct-positive", "DeltaProduct [0,1]",
                                          "without negative eigenvalues, any n_h",
                                          "arXiv 2502.10297", 2025, "beta in [0,1]",
                                          APERIODIC "others cannot (L.7, L.16)", SEPARATED},
    [F2L_LADDER_DELTAPRODUCT] = {"deltaproduct", "DeltaProduct [-1,1]", "", "arXiv 2502.10297",
                                 2025, "beta in [0,2]", "all automata can (T4, R1)", FINITE},
    [F2L_LADDER_GATED_POSITIVE] = {"gated-positive", "Gated DeltaProduct [0,1]",
                                   "Megatron-LM: beta a plain sigmoid, any "
                                   "n_h",
                                   "arXiv 2502.10297", 2025, "beta and gates in [0,1]",
                                   APERIODIC "others cannot (L.7, L.16)", SEPARATED},
    [F2L_LADDER_GATED] = {"gated", "Gated DeltaProduct", "", "arXiv 2502.10297", 2025,
                          "beta in [0,2], gates in [0,1]", "all automata can (T4.11)", FINITE},
    [F2L_LADDER_KDA_POSITIVE] = {"kda-positive", "KDA [0,1]", "Kimi Linear; fla's default",
                                 "arXiv 2510.26692", 2025,
                                 "beta in [0,1], gates for each channel in [0,1]",
                                 APERIODIC "others cannot (L.7, L.16)", SEPARATED},
    [F2L_LADDER_KDA] = {"kda", "KDA [-1,1]", "allow_neg_eigval = true", "arXiv 2510.26692", 2025,
                        "beta in [0,2], gates for each channel in [0,1]", ALL_BY_ONE, FINITE},
    [F2L_LADDER_GDN2] =
        {"gdn2", "GDN-2 [0,1]", "an erase gate for each channel", "arXiv 2605.22791", 2026,
         "b and decay for each channel in [0,1]",
         APERIODIC
         "where a letter, or with one decay for all channels a word of two, acts as a cycle it "
         "cannot (GD.7, GD.10); others cannot with finitely many states (GD.2), and some can with "
         "infinitely many (GD.5)",
         SEPARATED "; of longer words without short convolutions, finitely many states"},
    [F2L_LADDER_GDN2_DOUBLE] = {"gdn2-double", "GDN-2 [0,2]", "with negative eigenvalues",
                                "arXiv 2605.22791", 2026, "b in [0,2], decay in [0,1]",
                                "all automata can (GD.8, L.10)", FINITE},
    [F2L_LADDER_RWKV7] = {"rwkv7", "RWKV-7", "c = 1, as released", "arXiv 2503.14456", 2025,
                          "w in [0.545,1], a in [0,1], c = 1",
                          APERIODIC "where a letter acts as a cycle it cannot (L.18); others are "
                                    "not known, some can (GD.5)",
                          SEPARATED},
    [F2L_LADDER_RWKV7_DOUBLE] = {"rwkv7-double", "RWKV-7, c = 2", "as in its paper",
                                 "arXiv 2503.14456", 2025, "w and a in [0,1], c = 2", ALL_BY_ONE,
                                 FINITE},
    [F2L_LADDER_PD_SSM] = {"pd-ssm", "PD-SSM", "", "arXiv 2509.22284", 2025,
                           "transitions column-one-hot", "all automata can (L.12)", FINITE},
    [F2L_LADDER_TRANSFORMER] = {"transformer", "Transformer", "fixed depth", "arXiv 2210.10749",
                                2022, "any weights",
                                "automata with solvable groups can (L.13, published); others "
                                "cannot unless TC0 = NC1 (L.11)",
                                "logarithmic precision, a network for each length"}};
