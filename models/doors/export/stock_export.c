/* fla-deltanet, fla-gated-deltaproduct, olmo-hybrid: stock language models whose every answer is
 * the automaton's. */
#include "models/doors/export/stock.h"
#include <stdio.h>

/* Looks whether anything rounds in the heads when they are run in this way. */
static f2l_status prove_stock_path(f2l_export_proof *proof, const f2l_stock_path *path,
                                   const f2l_blocks *blocks, const f2l_export_job *job,
                                   f2l_error *err)
{
    char schedule[120];
    const f2l_format *format = path->format ? f2l_format_find(path->format) : blocks->format;
    snprintf(schedule, sizeof schedule, "%s,raw=%.9g", path->schedule, blocks->raw);
    return job->prove(proof, &blocks->recurrence, format, (const char *const[]){schedule, NULL},
                      job->task, err);
}

static f2l_status claim(f2l_exported *out, const f2l_stock_path *path, const f2l_blocks *blocks,
                        const f2l_export_job *job, bool needed, const char *because, f2l_error *err)
{
    const bool layered = blocks->net != job->model;
    f2l_export_proof proof = {.verdict = F2L_UNKNOWN};
    f2l_status status = prove_stock_path(&proof, path, blocks, job, err);
    if (status != F2L_OK) return status;
    if (needed && proof.verdict != F2L_OK)
        return f2l_fail(err, F2L_EDOMAIN,
                        "nothing would be exact in %s: %s; compile with --exact-in %s looks for "
                        "another network",
                        job->dtype->name, proof.reason, job->dtype->format);
    if (proof.verdict == F2L_OK)
        f2l_exported_claim(out, path->name, job->dtype->name, true,
                           "nothing rounds in the heads, and what rounds after them rounds to "
                           "whole numbers (%s%s), so that the largest logit after every "
                           "word is the exact network's label",
                           because ? because : "EB.1 to EB.7", layered ? ", EB.13" : "");
    else
        f2l_exported_claim(out, path->name, job->dtype->name, false, "%s", proof.reason);
    return F2L_OK;
}

/* Adds the numbers of the tokens that come before every word. */
static f2l_status add_prefix(f2l_exported *out, const f2l_blocks *blocks, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    for (size_t i = 0; i < blocks->prefix; i++)
        f2l_buf_printf(&text, "%s%zu", i ? ", " : "[", f2l_blocks_prefix(blocks, i));
    f2l_buf_text(&text, "]\n");
    const f2l_status status = f2l_exported_add(out, "prefix.json", &text, err);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status add_model(f2l_exported *out, const f2l_stock *stock, const f2l_blocks *blocks,
                            const f2l_stock_layout *layout, const f2l_export_job *job,
                            f2l_error *err)
{
    f2l_buf config, tensors;
    f2l_buf_init(&config);
    f2l_buf_init(&tensors);
    f2l_status status = f2l_stock_config(&config, stock, blocks, err);
    if (status == F2L_OK && !job->config_alone)
        status = f2l_stock_tensors(&tensors, layout, stock, blocks, job->task, err);
    if (status == F2L_OK) status = f2l_exported_add(out, "config.json", &config, err);
    if (status == F2L_OK && !job->config_alone)
        status = f2l_exported_add(out, "model.safetensors", &tensors, err);
    if (status == F2L_OK && !job->config_alone) status = add_prefix(out, blocks, err);
    f2l_buf_clear(&config);
    f2l_buf_clear(&tensors);
    return status;
}

/* Says how large the model will be, and refuses it if that is more than was allowed. */
static f2l_status announce_sizes(const f2l_stock *stock, const f2l_blocks *b,
                                 const f2l_stock_layout *layout, const f2l_export_job *job,
                                 f2l_error *err)
{
    const f2l_export_sizes sizes = {.layers = b->net->layers + stock->hybrid,
                                    .width = b->width,
                                    .heads = b->heads,
                                    .key_dim = b->key_dim,
                                    .value_dim = b->value_dim,
                                    .inner = b->inner,
                                    .recurrent = b->net->layers,
                                    .factors = b->factors,
                                    .parameters = layout->numbers,
                                    .bytes = layout->header.size + 2 * layout->numbers};
    if (job->announce) job->announce(job->context, &sizes);
    return f2l_export_check_limit(job, sizes.bytes, err);
}

static f2l_status write_planned(f2l_exported *out, const f2l_stock *stock, const f2l_blocks *blocks,
                                const f2l_export_job *job, f2l_error *err)
{
    f2l_stock_layout layout;
    f2l_status status = f2l_stock_measure(&layout, stock, blocks, err);
    if (status == F2L_OK) status = announce_sizes(stock, blocks, &layout, job, err);
    for (size_t i = 0; status == F2L_OK && i < F2L_STOCK_PATHS; i++)
        status =
            claim(out, &stock->path[i], blocks, job, i == 0, i == 0 ? stock->because : NULL, err);
    if (status == F2L_OK) status = add_model(out, stock, blocks, &layout, job, err);
    f2l_buf_clear(&layout.header);
    return status;
}

static f2l_status write_in_layers(f2l_exported *out, const f2l_stock *stock, const f2l_net *net,
                                  const f2l_export_job *job, f2l_error *err)
{
    f2l_blocks blocks;
    f2l_blocks_init(&blocks);
    f2l_status status =
        f2l_blocks_plan(&blocks, net, &stock->class, f2l_format_find(job->dtype->format), err);
    if (status == F2L_OK) status = write_planned(out, stock, &blocks, job, err);
    f2l_blocks_clear(&blocks);
    return status;
}

f2l_status f2l_stock_write(f2l_exported *out, const f2l_stock *stock, const f2l_export_job *job,
                           f2l_error *err)
{
    f2l_net made;
    const f2l_net *net;
    f2l_net_init(&made);
    f2l_status status = f2l_export_layers(&net, &made, job, err);
    if (status == F2L_OK) status = write_in_layers(out, stock, net, job, err);
    status = f2l_export_advise(net, job, made.layers > 0 ? stock->class.other : NULL, status, err);
    f2l_net_clear(&made);
    return status;
}

static f2l_status write_deltanet(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    return f2l_stock_write(out, &f2l_stock_deltanet, job, err);
}

static f2l_status write_deltaproduct(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    return f2l_stock_write(out, &f2l_stock_deltaproduct, job, err);
}

static f2l_status write_olmo(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    return f2l_stock_write(out, &f2l_stock_olmo, job, err);
}

static f2l_status write_branch(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    return f2l_stock_write(out, &f2l_stock_branch, job, err);
}

#define TOKENS \
    "A letter's token is its number. Every word comes after the tokens of `prefix.json`, which\n" \
    "write the initial state. The largest logit after a letter is the number of the label.\n" \
    "`fsa2lrnn export --tokenizer FOLDER` writes a tokenizer for `AutoTokenizer` that does\n" \
    "both; it has a folder of its own, since `check-export` allows no other file here.\n\n"

#define FLA(class) \
    "A model for `" class \
        "` of flash-linear-attention.\n" TOKENS "    import json, torch, fla, transformers\n" \
        "    prefix = json.load(open(\"prefix.json\"))\n" \
        "    model = transformers.AutoModelForCausalLM.from_pretrained(\".\").cuda()\n" \
        "    tokens = torch.tensor([prefix + letters]).cuda()\n" \
        "    logits = model(tokens, use_cache=False).logits[0, len(prefix):]\n" \
        "    labels = logits.argmax(-1)\n"

const f2l_export_target f2l_target_fla_deltanet = {
    .name = "fla-deltanet",
    .summary = "a DeltaNet of flash-linear-attention, whole",
    .usage = FLA("DeltaNetForCausalLM"),
    .library = "fla",
    .dtype = f2l_export_short_dtypes,
    .write = write_deltanet};

const f2l_export_target f2l_target_fla_deltaproduct = {
    .name = "fla-gated-deltaproduct",
    .summary = "a GatedDeltaProduct of flash-linear-attention, whole",
    .usage = FLA("GatedDeltaProductForCausalLM"),
    .library = "fla",
    .dtype = f2l_export_short_dtypes,
    .write = write_deltaproduct};

const f2l_export_target f2l_target_olmo_hybrid = {
    .name = "olmo-hybrid",
    .summary = "an OLMo Hybrid of transformers, whole",
    .usage =
        "A model for `OlmoHybridForCausalLM` of transformers. Its last layer, of attention, "
        "adds zero.\n" TOKENS "    import json, torch, transformers\n"
        "    prefix = json.load(open(\"prefix.json\"))\n"
        "    model = transformers.AutoModelForCausalLM.from_pretrained(\".\")\n"
        "    logits = model(torch.tensor([prefix + letters])).logits\n"
        "    labels = logits[0, len(prefix):].argmax(-1)\n\n"
        "A long word is read in parts with a cache, which each call changes (before transformers\n"
        "5.24 the argument is `past_key_values`):\n\n"
        "    cache = transformers.DynamicCache(config=model.config)\n"
        "    model(torch.tensor([prefix]), cache=cache)\n"
        "    logits = model(torch.tensor([letters]), cache=cache).logits\n",
    .library = "transformers",
    .dtype = f2l_export_short_dtypes,
    .write = write_olmo};

const f2l_export_target f2l_export_branch = {.name = "branch",
                                             .summary = "a branch beside a language model",
                                             .dtype = f2l_export_short_dtypes,
                                             .write = write_branch};
