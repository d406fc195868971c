/* The rows of the stock models, and config.json. */
#include "models/doors/export/stock.h"
#include <string.h>

static void deltanet_config(f2l_buf *out, const f2l_blocks *b)
{
    f2l_buf_printf(out,
                   ",\n  \"attn_mode\": \"chunk\",\n  \"num_heads\": %zu,\n  \"expand_k\": %.17g,\n"
                   "  \"expand_v\": %.17g,\n  \"qk_activation\": \"identity\",\n"
                   "  \"qk_norm\": \"l2\",\n  \"use_beta\": true,\n  \"use_gate\": false,\n"
                   "  \"use_short_conv\": false,\n  \"allow_neg_eigval\": true,\n"
                   "  \"hidden_act\": \"swish\",\n  \"norm_eps\": 1e-06",
                   b->heads, (double)(b->heads * b->key_dim) / (double)b->width,
                   (double)(b->heads * b->value_dim) / (double)b->width);
}

static void deltaproduct_config(f2l_buf *out, const f2l_blocks *b)
{
    f2l_buf_printf(out,
                   ",\n  \"attn_mode\": \"chunk\",\n  \"num_heads\": %zu,\n  \"head_dim\": %zu,\n"
                   "  \"expand_v\": %.17g,\n  \"num_householder\": %zu,\n"
                   "  \"use_forget_gate\": false,\n  \"use_output_gate\": false,\n"
                   "  \"use_short_conv\": false,\n  \"allow_neg_eigval\": true,\n"
                   "  \"hidden_act\": \"swish\",\n  \"norm_eps\": 1e-06",
                   b->heads, b->key_dim, (double)b->value_dim / (double)b->key_dim, b->factors);
}

#define ATTENTION_WIDTH 64 /* of a head of attention */

static void olmo_config(f2l_buf *out, const f2l_blocks *b)
{
    f2l_buf_text(out, ",\n  \"layer_types\": [");
    for (size_t l = 0; l < b->net->layers; l++) f2l_buf_text(out, "\"linear_attention\", ");
    f2l_buf_printf(out,
                   "\"full_attention\"],\n  \"num_attention_heads\": %zu,\n"
                   "  \"num_key_value_heads\": 1,\n  \"linear_num_key_heads\": %zu,\n"
                   "  \"linear_num_value_heads\": %zu,\n  \"linear_key_head_dim\": %zu,\n"
                   "  \"linear_value_head_dim\": %zu,\n  \"linear_conv_kernel_dim\": 4,\n"
                   "  \"linear_allow_neg_eigval\": true,\n  \"rope_parameters\": null,\n"
                   "  \"hidden_act\": \"silu\",\n  \"rms_norm_eps\": 1e-06",
                   b->width / ATTENTION_WIDTH, b->heads, b->heads, b->key_dim, b->value_dim);
}

/* Keys are normalised into the model's type before both kernels. */
static const f2l_stock_path deltanet_paths[F2L_STOCK_PATHS] = {
    {"chunk (more than 64 tokens at once)", NULL, "chunk64,eps=1e-06"},
    {"recurrent (at most 64 tokens, or a state carried on)", NULL,
     "recurrent,keys=format,eps=1e-06"}};
/* The recurrent kernel normalises keys in fp32. */
static const f2l_stock_path deltaproduct_paths[F2L_STOCK_PATHS] = {
    {"chunk (more than 64 tokens at once)", NULL, "chunk64,eps=1e-06"},
    {"recurrent (at most 64 tokens at once)", NULL, "recurrent,eps=1e-06"}};
/* The step of models/doors/inject/inject_model.py, and the chunks of flash-linear-attention. */
static const f2l_stock_path branch_paths[F2L_STOCK_PATHS] = {
    {"model.py", NULL, "recurrent,fuse=none,keys=format,eps=1e-06"},
    {"fla, chunk", NULL, "chunk64,eps=1e-06"}};
/* Both forms of the rule in PyTorch compute in fp32. */
static const f2l_stock_path olmo_paths[F2L_STOCK_PATHS] = {
    {"chunk, in PyTorch (several tokens at once)", "fp32", "chunk64,eps=1e-06"},
    {"recurrent, in PyTorch (one token, with a cache)", "fp32", "recurrent,eps=1e-06"}};

const f2l_stock f2l_stock_deltanet = {.type = "delta_net",
                                      .architecture = "DeltaNetForCausalLM",
                                      .class = {.factors = 1, .other = "fla-gated-deltaproduct"},
                                      .embedding = "model.embeddings",
                                      .before_mixer = "attn_norm",
                                      .before_mlp = "mlp_norm",
                                      .mixer = "attn",
                                      .path = deltanet_paths,
                                      .config = deltanet_config};

/* The same model, run in two ways. */
#define DELTAPRODUCT \
    .type = "gated_deltaproduct", .architecture = "GatedDeltaProductForCausalLM", \
    .class = {.silu_keys = true, .signed_keys = true}, .embedding = "model.embeddings", \
    .before_mixer = "attn_norm", .before_mlp = "mlp_norm", .mixer = "attn", \
    .config = deltaproduct_config

const f2l_stock f2l_stock_deltaproduct = {DELTAPRODUCT, .path = deltaproduct_paths};
const f2l_stock f2l_stock_branch = {DELTAPRODUCT, .path = branch_paths, .because = "EB.9"};

const f2l_stock f2l_stock_olmo = {.type = "olmo_hybrid",
                                  .architecture = "OlmoHybridForCausalLM",
                                  .class = {.silu_keys = true,
                                            .factors = 1,
                                            .width = ATTENTION_WIDTH,
                                            .other = "fla-gated-deltaproduct"},
                                  .embedding = "model.embed_tokens",
                                  .before_mixer = "input_layernorm",
                                  .before_mlp = "post_attention_layernorm",
                                  .mixer = "linear_attn",
                                  .hybrid = true,
                                  .path = olmo_paths,
                                  .config = olmo_config};

f2l_status f2l_stock_config(f2l_buf *out, const f2l_stock *stock, const f2l_blocks *b,
                            f2l_error *err)
{
    f2l_buf_printf(out,
                   "{\n  \"model_type\": \"%s\",\n  \"architectures\": [\"%s\"],\n"
                   "  \"dtype\": \"%s\",\n  \"vocab_size\": %zu,\n  \"hidden_size\": %zu,\n"
                   "  \"intermediate_size\": %zu,\n  \"num_hidden_layers\": %zu,\n"
                   "  \"tie_word_embeddings\": false,\n  \"pad_token_id\": null,\n"
                   "  \"bos_token_id\": null,\n  \"eos_token_id\": null",
                   stock->type, stock->architecture,
                   strcmp(b->format->name, "bf16") == 0 ? "bfloat16" : "float16", b->vocab,
                   b->width, b->inner, b->net->layers + stock->hybrid);
    stock->config(out, b);
    f2l_buf_text(out, "\n}\n");
    return f2l_buf_status(out, err);
}
