#include "theory/ladder/layer_classes.h"
#include <string.h>

const char *f2l_layer_library_name(f2l_layer_library library)
{
    static const char *const name[] = {"flash-linear-attention", "flash-linear-attention",
                                       "ComplexKDA", "transformers", "Megatron-LM"};
    return name[library];
}

const char *f2l_layer_library_version(f2l_layer_library library)
{
    static const char *const version[] = {"bc3b101d", "0.6.0", "03af9700", "5.24.0", "d98e8a64"};
    return version[library];
}

#define ROW(class) F2L_LADDER_##class
/* A layer with one row; one whose row depends on a setting; one with no row, and why. */
#define PLAIN(lib, config, type, layer, class, gates, attends) \
    { \
        F2L_LIBRARY_##lib, config, type, layer, F2L_KIND_PLAIN, ROW(class), ROW(class), \
            F2L_GATES_##gates, NULL, false, attends \
    }
#define BY(kind, lib, config, type, layer, low, high, gates, sign, by_default) \
    { \
        F2L_LIBRARY_##lib, config, type, layer, F2L_KIND_##kind, ROW(low), ROW(high), \
            F2L_GATES_##gates, sign, by_default, false \
    }
#define NO_ROW(lib, config, type, why) \
    { \
        F2L_LIBRARY_##lib, config, type, why, F2L_KIND_REFUSED, F2L_LADDER_CLASSES, \
            F2L_LADDER_CLASSES, F2L_GATES_NONE, NULL, false, false \
    }
#define NEG "allow_neg_eigval"
#define KIND_OF_ATTENTION "is a kind of attention that no row is about"
#define DEPENDS "its gates depend on the position, and no row is about that"
#define STATEFUL "has a preconditioner with a state of its own, about which there is no row"

const f2l_layer_class f2l_layer_classes[] = {
    NO_ROW(FLA, "ABCConfig", "abc", "normalises its slots over all positions: " DEPENDS),
    NO_ROW(FLA, "BitNetConfig", "bitnet",
           "is attention with weights of three values: no row is about that"),
    NO_ROW(FLA, "CombaConfig", "comba",
           "subtracts what its key reads before the decay: along the key the state is multiplied "
           "by alpha - beta, which may be negative, and no row is about that"),
    BY(SIGNED, FLA, "DeltaNetConfig", "delta_net", "DeltaNet", DELTANET_POSITIVE, DELTANET, NONE,
       NEG, false),
    NO_ROW(FLA, "DeltaFormerConfig", "deltaformer", KIND_OF_ATTENTION),
    PLAIN(FLA, "ForgettingTransformerConfig", "forgetting_transformer",
          "attention with forget gates", TRANSFORMER, NONE, true),
    BY(SIGNED, FLA, "GatedDeltaNetConfig", "gated_deltanet", "Gated DeltaNet", DELTANET_POSITIVE,
       DELTANET, OPEN, NEG, false),
    BY(PRODUCT, FLA, "GatedDeltaProductConfig", "gated_deltaproduct", "Gated DeltaProduct",
       GATED_POSITIVE, GATED, OPEN, NEG, false),
    PLAIN(FLA, "GLAConfig", "gla", "GLA", DIAGONAL_POSITIVE, OPEN, false),
    PLAIN(FLA, "GSAConfig", "gsa", "GSA", DIAGONAL_POSITIVE, OPEN, false),
    PLAIN(FLA, "HGRNConfig", "hgrn", "HGRN", DIAGONAL_POSITIVE, OPEN, false),
    PLAIN(FLA, "HGRN2Config", "hgrn2", "HGRN2", DIAGONAL_POSITIVE, OPEN, false),
    BY(KDA, FLA, "KDAConfig", "kda", "KDA", KDA_POSITIVE, KDA, OPEN, NEG, false),
    NO_ROW(FLA, "LightNetConfig", "lightnet", "normalises its keys over all positions: " DEPENDS),
    NO_ROW(FLA, "LinearAttentionConfig", "linear_attn",
           "only adds to its state, with no gate and no step: no row is about that"),
    PLAIN(FLA, "LogLinearMamba2Config", "log_linear_mamba2", "Log-Linear Mamba-2",
          LOG_LINEAR_POSITIVE, OPEN, false),
    PLAIN(FLA, "MambaConfig", "mamba", "Mamba", DIAGONAL_POSITIVE, OPEN, false),
    BY(STEPS, FLA, "Mamba2Config", "mamba2", "Mamba-2", DIAGONAL_POSITIVE, DIAGONAL_POSITIVE, OPEN,
       NULL, false),
    BY(FLOOR, FLA, "Mamba3Config", "mamba3", "Mamba-3", MAMBA3, DIAGONAL_COMPLEX, OPEN, NULL,
       false),
    PLAIN(FLA, "MesaNetConfig", "mesa_net", "MesaNet", DIAGONAL_POSITIVE, OPEN, false),
    PLAIN(FLA, "MLAConfig", "mla", "attention with latent keys", TRANSFORMER, NONE, true),
    NO_ROW(FLA, "MoBAConfig", "moba", KIND_OF_ATTENTION),
    PLAIN(FLA, "MomConfig", "mom", "memories of Gated DeltaNet", DELTANET_POSITIVE, HOLD, false),
    NO_ROW(FLA, "NSAConfig", "nsa", KIND_OF_ATTENTION),
    NO_ROW(FLA, "ParallaxConfig", "parallax", KIND_OF_ATTENTION),
    PLAIN(FLA, "PaTHAttentionConfig", "path_attn", "PaTH", PATH, NONE, false),
    NO_ROW(FLA, "PrecondGatedDeltaNetConfig", "precond_gated_deltanet", STATEFUL),
    NO_ROW(FLA, "PrecondKDAConfig", "precond_kda", STATEFUL),
    PLAIN(FLA, "RavenConfig", "raven", "Raven", DIAGONAL_POSITIVE, HOLD, false),
    PLAIN(FLA, "RetNetConfig", "retnet", "RetNet", DIAGONAL_COMPLEX, FIXED, false),
    BY(RODIMUS, FLA, "RodimusConfig", "rodimus", "Rodimus", DIAGONAL_POSITIVE, DIAGONAL_POSITIVE,
       OPEN, NULL, false),
    PLAIN(FLA, "RWKV6Config", "rwkv6", "RWKV-6", DIAGONAL_POSITIVE, OPEN, false),
    PLAIN(FLA, "RWKV7Config", "rwkv7", "RWKV-7", RWKV7, OPEN, false),
    PLAIN(FLA, "SambaConfig", "samba", "Mamba", DIAGONAL_POSITIVE, OPEN, true),
    PLAIN(FLA, "TransformerConfig", "transformer", "attention", TRANSFORMER, NONE, true),
    NO_ROW(FLA, "WallTransformerConfig", "wall_transformer", KIND_OF_ATTENTION),
    NO_ROW(FLA, "YOCOConfig", "yoco",
           "has two decoders of different kinds, about which there is no row"),
    NO_ROW(FLA_060, "CATConfig", "cat", KIND_OF_ATTENTION),
    NO_ROW(FLA_060, "CyclicFlowAttentionConfig", "cyclic_flow_attention",
           "moves its slots by a learned clock: no row is about that"),
    NO_ROW(FLA_060, "StickBreakingAttentionConfig", "stickbreaking_attn", KIND_OF_ATTENTION),
    BY(COMPLEX, CKDA, "ComplexKDAConfig", "complex_kda", "Complex KDA", COMPLEX_KDA_POSITIVE,
       COMPLEX_KDA, SIGNED, NEG, true),
    PLAIN(HF, "MambaConfig", "mamba", "Mamba", DIAGONAL_POSITIVE, OPEN, false),
    PLAIN(HF, "FalconMambaConfig", "falcon_mamba", "Mamba", DIAGONAL_POSITIVE, OPEN, false),
    BY(STEPS, HF, "Mamba2Config", "mamba2", "Mamba-2", DIAGONAL_POSITIVE, DIAGONAL_POSITIVE, OPEN,
       NULL, false),
    PLAIN(HF, "JambaConfig", "jamba", "Mamba", DIAGONAL_POSITIVE, OPEN, true),
    BY(STEPS, HF, "BambaConfig", "bamba", "Mamba-2", DIAGONAL_POSITIVE, DIAGONAL_POSITIVE, OPEN,
       NULL, false),
    BY(STEPS, HF, "NemotronHConfig", "nemotron_h", "Mamba-2", DIAGONAL_POSITIVE, DIAGONAL_POSITIVE,
       OPEN, NULL, false),
    PLAIN(HF, "Qwen3NextConfig", "qwen3_next", "Gated DeltaNet", DELTANET_POSITIVE, OPEN, true),
    PLAIN(HF, "Qwen3_5Config", "qwen3_5", "Gated DeltaNet", DELTANET_POSITIVE, OPEN, true),
    PLAIN(HF, "Qwen3_5TextConfig", "qwen3_5_text", "Gated DeltaNet", DELTANET_POSITIVE, OPEN, true),
    PLAIN(HF, "Qwen3_5MoeConfig", "qwen3_5_moe", "Gated DeltaNet", DELTANET_POSITIVE, OPEN, true),
    PLAIN(HF, "Qwen3_5MoeTextConfig", "qwen3_5_moe_text", "Gated DeltaNet", DELTANET_POSITIVE, OPEN,
          true),
    PLAIN(HF, "Glm5NextConfig", "glm5_next", "KDA", KDA_POSITIVE, OPEN, true),
    PLAIN(HF, "Glm5NextTextConfig", "glm5_next_text", "KDA", KDA_POSITIVE, OPEN, true),
    BY(STEPS, HF, "GraniteMoeHybridConfig", "granitemoehybrid", "Mamba-2", DIAGONAL_POSITIVE,
       DIAGONAL_POSITIVE, OPEN, NULL, false),
    BY(STEPS, HF, "FalconH1Config", "falcon_h1", "Mamba-2", DIAGONAL_POSITIVE, DIAGONAL_POSITIVE,
       OPEN, NULL, false),
    BY(SIGNED, HF, "OlmoHybridConfig", "olmo_hybrid", "Gated DeltaNet", DELTANET_POSITIVE, DELTANET,
       OPEN, "linear_" NEG, true),
    PLAIN(HF, "KimiLinearConfig", "kimi_linear", "KDA", KDA_POSITIVE, OPEN, true),
    PLAIN(HF, "xLSTMConfig", "xlstm", "mLSTM", DIAGONAL_POSITIVE, DECAY, false),
    NO_ROW(HF, "RecurrentGemmaConfig", "recurrent_gemma",
           "has RG-LRU layers, about which there is no row"),
    NO_ROW(HF, "MiniMaxConfig", "minimax",
           "has decays that are constants beside attention, about which there is no row"),
    PLAIN(HF, "LlamaConfig", "llama", "attention", TRANSFORMER, NONE, true),
    PLAIN(HF, "Qwen3Config", "qwen3", "attention", TRANSFORMER, NONE, true),
    PLAIN(HF, "MistralConfig", "mistral", "attention", TRANSFORMER, NONE, true),
    PLAIN(HF, "GPT2Config", "gpt2", "attention", TRANSFORMER, NONE, true),
    BY(MEGATRON, MEGATRON, "TransformerConfig", "megatron", "", DELTANET_POSITIVE,
       DELTANET_POSITIVE, OPEN, NULL, false),
    {F2L_LIBRARY_FLA, NULL, NULL, NULL, F2L_KIND_REFUSED, F2L_LADDER_CLASSES, F2L_LADDER_CLASSES,
     F2L_GATES_NONE, NULL, false, false}};

/* Returns whether the architecture, "KDAForCausalLM", is one of the class, "KDAConfig". */
static bool is_architecture(const f2l_layer_class *c, const char *architecture)
{
    const size_t length = strlen(c->config) - strlen("Config");
    return strncmp(architecture, c->config, length) == 0 &&
           (strncmp(architecture + length, "For", 3) == 0 ||
            strcmp(architecture + length, "Model") == 0 ||
            strcmp(architecture + length, "LMHeadModel") == 0 ||
            strcmp(architecture + length, "Config") == 0);
}

const f2l_layer_class *f2l_layer_class_find(const char *type, const char *architecture, bool fla)
{
    const f2l_layer_class *found = NULL;
    for (const f2l_layer_class *c = f2l_layer_classes; c->config; c++) {
        const bool same = type           ? strcmp(c->type, type) == 0
                          : architecture ? is_architecture(c, architecture)
                                         : false;
        if (!same) continue;
        if (!found || (fla == (c->library == F2L_LIBRARY_FLA) && fla == false)) found = c;
    }
    return found;
}
