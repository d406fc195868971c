#include "models/doors/checkpoint/inventory.h"
#include "models/doors/checkpoint/impl.h"
#include "models/doors/checkpoint/pick.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdio.h>
#include <string.h>

void f2l_inventory_init(f2l_inventory *out)
{
    memset(out, 0, sizeof *out);
    f2l_shards_init(&out->shards);
    f2l_names_init(&out->absent);
}

void f2l_inventory_clear(f2l_inventory *out)
{
    for (size_t t = 0; t < out->tensors; t++) f2l_buf_clear(&out->tensor[t].use);
    f2l_free(out->tensor);
    f2l_names_clear(&out->absent);
    f2l_shards_close(&out->shards);
    f2l_inventory_init(out);
}

/* --- roles --- */

/* What the tensors of our models are, by the ends of their names; `mlp` before `proj`. */
static const struct {
    const char *end, *role;
} roles[] = {{"embedding.weight", "embedding of words"},
             {"head.weight", "head"},
             {"mixer_norm.weight", "norm before the recurrence"},
             {"mlp_norm.weight", "norm before the MLP"},
             {"mlp.gate_proj.weight", "gate of the MLP"},
             {"mlp.up_proj.weight", "first map of the MLP"},
             {"mlp.down_proj.weight", "second map of the MLP"},
             {"q_proj.weight", "queries"},
             {"k_proj.weight", "keys"},
             {"v_proj.weight", "values"},
             {"b_proj.weight", "betas"},
             {"a_proj.weight", "forget gates"},
             {"g_proj.weight", "output gates"},
             {"dt_bias", "bias of forget gates"},
             {"q_conv1d.weight", "convolution of queries"},
             {"k_conv1d.weight", "convolution of keys"},
             {"v_conv1d.weight", "convolution of values"},
             {"initial_state", "first state"},
             {"o_norm.weight", "norm of what is read"},
             {"o_proj.weight", "output of the recurrence"},
             {"in_proj.weight", "inputs and output gates"},
             {"conv1d.weight", "convolution"},
             {"conv1d.bias", "bias of the convolution"},
             {"x_proj.weight", "steps, inputs and outputs by letter"},
             {"dt_proj.weight", "sizes of steps"},
             {"dt_proj.bias", "bias of sizes of steps"},
             {"out_proj.weight", "output of the recurrence"},
             {"A_log", "rates of decay"},
             {".D", "inputs past the state"},
             {"norm.weight", "norm before the head"}};

/* Appends what the tensor of that name in our layout is, and of which layer: of its own, or
 * `layer` + 1 where the model has one layer alone. */
static void put_role(f2l_buf *out, const char *name, size_t alone)
{
    unsigned long layer = 0;
    const char *role = name;
    const size_t size = strlen(name);
    for (size_t i = 0; role == name && i < sizeof roles / sizeof *roles; i++) {
        const size_t end = strlen(roles[i].end);
        if (size >= end && strcmp(name + size - end, roles[i].end) == 0) role = roles[i].role;
    }
    if (out->size > 0 && strstr(out->data, role) != NULL) return; /* of every layer, or joined */
    f2l_buf_printf(out, "%s%s", out->size > 0 ? ", " : "", role);
    if (sscanf(name, "layers.%5lu.", &layer) == 1)
        f2l_buf_printf(out, " of layer %zu", (size_t)layer + alone + 1);
}

/* Lets tensors have the roles of the entries that take them. */
static void assign_roles(f2l_inventory *out, const f2l_seq_entry *entry, size_t entries,
                         size_t alone)
{
    for (size_t t = 0; t < out->tensors; t++)
        for (size_t e = 0; e < entries; e++)
            if (f2l_seq_entry_takes(&entry[e], out->tensor[t].name))
                put_role(&out->tensor[t].use, entry[e].tensor->name, alone);
}

/* Adds the names of entries that no tensor of the files is taken for. */
static f2l_status list_absent(f2l_inventory *out, const f2l_seq_entry *entry, size_t entries,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t e = 0; status == F2L_OK && e < entries; e++) {
        size_t t = 0, index;
        while (t < out->tensors && !f2l_seq_entry_takes(&entry[e], out->tensor[t].name)) t++;
        if (t == out->tensors)
            status = f2l_names_add(&out->absent, entry[e].name, strlen(entry[e].name), &index, err);
    }
    return status;
}

/* --- kinds of models --- */

/* Takes stock of the layers alone that have a recurrence here. */
static f2l_status take_layers(f2l_inventory *out, const f2l_pick *pick, f2l_error *err)
{
    f2l_seq model;
    f2l_seq_config one;
    f2l_seq_entry entry[F2L_PICK_ENTRIES];
    const f2l_shards *s = &out->shards;
    f2l_status status = f2l_pick_model(&one, pick, 1, err);
    if (status == F2L_OK) status = f2l_seq_init(&model, &one, err);
    if (status != F2L_OK) return status;
    for (size_t layer = 0; layer < pick->layers; layer++) {
        size_t entries;
        f2l_error other; /* a layer of attention */
        if (f2l_pick_entries(entry, &entries, &model, pick, layer, s->file, s->files, &other) ==
            F2L_OK)
            assign_roles(out, entry, entries, layer);
    }
    for (size_t t = 0; t < out->tensors; t++)
        out->tensor[t].unused = "not in the recurrence of a linear layer";
    f2l_seq_clear(&model);
    return F2L_OK;
}

/* Takes stock of a class of flash-linear-attention. */
static f2l_status take_fla(f2l_inventory *out, const f2l_pick *pick, const f2l_seq *model,
                           f2l_error *err)
{
    f2l_pick_whole whole;
    const f2l_shards *s = &out->shards;
    f2l_status status =
        f2l_pick_whole_list(&whole, &out->refused, model, pick, s->file, s->files, &out->refused);
    if (status == F2L_ENOMEM) return f2l_fail_memory(err);
    if (status != F2L_OK) return take_layers(out, pick, err);
    assign_roles(out, whole.entry, model->tensors, 0);
    status = list_absent(out, whole.entry, model->tensors, err);
    for (size_t t = 0; t < out->tensors; t++) {
        f2l_inventory_tensor *tensor = &out->tensor[t];
        tensor->unused = whole.owner.unused(whole.owner.context, tensor->name);
        if (tensor->unused == NULL) tensor->unused = "the class has no such tensor";
    }
    f2l_pick_whole_clear(&whole);
    return status;
}

static f2l_status take_configured(f2l_inventory *out, const f2l_buf *config, f2l_error *err)
{
    f2l_seq model;
    f2l_pick pick = {.layers = 0};
    f2l_status status = f2l_pick_config(&pick, config->data, config->size, &out->refused);
    if (status != F2L_OK) return F2L_OK;
    snprintf(out->class, sizeof out->class, "%s", pick.class);
    if (pick.obstacle != NULL) f2l_fail(&out->refused, F2L_EDOMAIN, "%s", pick.obstacle);
    if (pick.hybrid) return take_layers(out, &pick, err);
    status = f2l_seq_init(&model, &pick.fla.config, err);
    if (status != F2L_OK) return status;
    status = take_fla(out, &pick, &model, err);
    f2l_seq_clear(&model);
    return status;
}

/* --- files --- */

static f2l_status count_tensor(void *context, const f2l_safetensors_file *file, const char *tensor,
                               f2l_error *err)
{
    (void)file;
    (void)tensor;
    (void)err;
    ++*(size_t *)context;
    return F2L_OK;
}

static f2l_status add_tensor(void *context, const f2l_safetensors_file *file, const char *tensor,
                             f2l_error *err)
{
    f2l_inventory *out = context;
    const json_t *about = json_object_get(file->header, tensor);
    f2l_inventory_tensor *t = &out->tensor[out->tensors++];
    (void)err;
    t->name = tensor;
    t->type = json_string_value(json_object_get(about, "dtype"));
    t->shape = json_object_get(about, "shape");
    f2l_buf_init(&t->use);
    return F2L_OK;
}

static f2l_status open_files(f2l_inventory *out, const char *path, f2l_error *err)
{
    f2l_buf name;
    size_t tensors = 0;
    f2l_buf_init(&name);
    f2l_status status;
    if (!f2l_path_is_folder(path)) {
        status = f2l_shards_open_file(&out->shards, path, err);
    } else if (f2l_path_has(path, F2L_CHECKPOINT_WEIGHTS)) {
        status = f2l_checkpoint_path(&name, path, F2L_CHECKPOINT_WEIGHTS, err);
        if (status == F2L_OK) status = f2l_shards_open_file(&out->shards, name.data, err);
    } else {
        status = f2l_shards_open_folder(&out->shards, path, err);
    }
    f2l_buf_clear(&name);
    if (status == F2L_OK) status = f2l_shards_each(&out->shards, count_tensor, &tensors, err);
    if (status != F2L_OK) return status;
    out->tensor = f2l_calloc(tensors > 0 ? tensors : 1, sizeof *out->tensor);
    if (out->tensor == NULL) return f2l_fail_memory(err);
    return f2l_shards_each(&out->shards, add_tensor, out, err);
}

f2l_status f2l_inventory_take(f2l_inventory *out, const char *path, f2l_error *err)
{
    f2l_buf config;
    f2l_status status = open_files(out, path, err);
    if (status != F2L_OK) return status;
    f2l_buf_init(&config);
    const bool ours = f2l_checkpoint_is_ours(&out->shards);
    for (size_t t = 0; ours && t < out->tensors; t++)
        put_role(&out->tensor[t].use, out->tensor[t].name, 0);
    if (!ours && f2l_checkpoint_config(&config, path))
        status = take_configured(out, &config, err);
    else if (!ours)
        f2l_fail(&out->refused, F2L_EDOMAIN, "%s", f2l_checkpoint_other_kind(&out->shards));
    f2l_buf_clear(&config);
    for (size_t t = 0; status == F2L_OK && t < out->tensors; t++) {
        f2l_inventory_tensor *tensor = &out->tensor[t];
        if (tensor->use.size > 0)
            tensor->unused = NULL;
        else if (tensor->unused == NULL)
            tensor->unused = "the model is not read";
        status = f2l_buf_status(&tensor->use, err);
    }
    return status;
}
