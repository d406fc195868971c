#include "models/learn/seq/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

const f2l_fla_class *f2l_seq_fla_class(const f2l_seq_config *c)
{
    return c->mixer->fla_class == NULL ? NULL : c->mixer->fla_class(c);
}

f2l_status f2l_seq_fla_check(const f2l_seq_config *config, f2l_error *err)
{
    const f2l_fla_class *class = f2l_seq_fla_class(config);
    const char *why = class == NULL ? "it has no such mixer" : class->obstacle(config);
    return why == NULL ? F2L_OK
                       : f2l_fail(err, F2L_EDOMAIN,
                                  "flash-linear-attention cannot express this model: %s", why);
}

static size_t vocabulary(const f2l_seq_config *c)
{
    return c->letters > c->labels ? c->letters : c->labels;
}

/* Sets the name of a layer's tensor: "layers.3.mixer.q_proj.weight" ->
 * "model.layers.3.attn.q_proj.weight". */
static void rename_layer(f2l_seq_entry *entry, const f2l_seq_tensor *tensor,
                         const f2l_fla_class *class)
{
    unsigned long layer = 0;
    int read = 0;
    (void)sscanf(tensor->name, "layers.%lu.%n", &layer, &read); /* made by f2l_seq_init */
    const char *rest = tensor->name + read, *part = "";
    if (strncmp(rest, "mixer.", 6) == 0) {
        part = class->mixer;
        rest += 5;
    } else if (strncmp(rest, "mixer_norm.", 11) == 0) {
        part = class->layers_norm;
        rest += 10;
    }
    snprintf(entry->name, sizeof entry->name, "%s.layers.%lu.%s%s", class->base, layer, part, rest);
}

f2l_seq_entry *f2l_seq_fla_list(const f2l_seq *model)
{
    const f2l_fla_class *class = f2l_seq_fla_class(&model->config);
    f2l_seq_entry *entry = f2l_calloc(model->tensors, sizeof *entry);
    for (size_t t = 0; entry != NULL && t < model->tensors; t++) {
        const f2l_seq_tensor *tensor = &model->tensor[t];
        f2l_seq_entry *e = &entry[t];
        *e = (f2l_seq_entry){.tensor = tensor, .rows = tensor->dim[0], .scale = 1};
        if (t == model->embedding || t == model->head) e->rows = vocabulary(&model->config);
        if (t == model->embedding)
            snprintf(e->name, sizeof e->name, "%s.embeddings.weight", class->base);
        else if (t == model->norm)
            snprintf(e->name, sizeof e->name, "%s.%s.weight", class->base, class->norm);
        else if (t == model->head)
            snprintf(e->name, sizeof e->name, "lm_head.weight");
        else
            rename_layer(e, tensor, class);
    }
    for (size_t l = 0; entry != NULL && class->sloped != F2L_SEQ_NONE && l < model->config.layers;
         l++)
        entry[model->layer[l].mixer[class->sloped]].scale = model->config.slope;
    return entry;
}

static f2l_status write_model(f2l_buf *out, const f2l_seq *model, const f2l_seq_numbers *numbers,
                              f2l_error *err)
{
    f2l_status status = f2l_seq_fla_check(&model->config, err);
    if (status != F2L_OK) return status;
    f2l_seq_entry *entry = f2l_seq_fla_list(model);
    if (entry == NULL) return f2l_fail_memory(err);
    status = f2l_seq_write_entries(out, entry, model->tensors, "{\"format\":\"pt\"}", false,
                                   numbers, err);
    f2l_free(entry);
    return status;
}

f2l_status f2l_seq_write_fla_f32(f2l_buf *out, const f2l_seq *model, const float *parameters,
                                 f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 4, .from.single = parameters};
    return write_model(out, model, &numbers, err);
}

f2l_status f2l_seq_write_fla_f64(f2l_buf *out, const f2l_seq *model, const double *parameters,
                                 f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 8, .from.real = parameters};
    return write_model(out, model, &numbers, err);
}

void f2l_fla_put_flag(f2l_buf *out, const char *name, bool flag)
{
    f2l_buf_printf(out, ",\"%s\":%s", name, flag ? "true" : "false");
}

f2l_status f2l_seq_write_fla_config(f2l_buf *out, const f2l_seq *model, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    f2l_status status = f2l_seq_fla_check(c, err);
    if (status != F2L_OK) return status;
    const f2l_fla_class *class = f2l_seq_fla_class(c);
    f2l_buf_printf(out,
                   "{\"model_type\":\"%s\",\"architectures\":[\"%s\"],\"vocab_size\":%zu,"
                   "\"hidden_size\":%zu",
                   class->type, class->name, vocabulary(c), c->width);
    f2l_buf_printf(out,
                   ",\"num_hidden_layers\":%zu,\"tie_word_embeddings\":false,"
                   "\"use_cache\":false",
                   c->layers);
    class->write(out, c);
    f2l_buf_text(out, "}\n");
    return f2l_buf_status(out, err);
}
