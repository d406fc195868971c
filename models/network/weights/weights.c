#include "models/network/weights/weights.h"
#include "models/network/net/net_orthonormal.h"
#include "models/network/weights/safetensors.h"
#include "models/network/weights/weights_decoder.h"
#include "models/network/weights/wired_weights.h"
#include <stdio.h>

static void lay_out(f2l_safetensors *file)
{
    const f2l_net *net = file->owner;
    char prefix[64];
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t h = 0; h < layer->heads; h++) {
            const f2l_head *head = &layer->head[h];
            snprintf(prefix, sizeof prefix, "layers.%zu.heads.%zu", l, h);
            f2l_safetensors_add_letters(file, head, layer->letters, prefix);
            f2l_safetensors_add_initial(file, &head->initial, head->n, head->d, prefix);
        }
        snprintf(prefix, sizeof prefix, "layers.%zu", l);
        f2l_weights_add_decoder(file, layer, prefix);
    }
    f2l_wired_weights_add(file);
}

/* Lists the raw heads' names. */
static f2l_status name_raw(f2l_names *out, const f2l_net *net, f2l_error *err)
{
    f2l_status status = F2L_OK;
    char name[64];
    size_t index;
    for (size_t l = 0; l < net->layers; l++) {
        for (size_t h = 0; h < net->layer[l].heads && status == F2L_OK; h++) {
            if (!net->layer[l].head[h].raw) continue;
            const int size = snprintf(name, sizeof name, "layers.%zu.heads.%zu", l, h);
            status = f2l_names_add(out, name, (size_t)size, &index, err);
        }
    }
    return status;
}

static f2l_status write_plain(f2l_buf *out, f2l_weights_report *report, const f2l_net *net,
                              const f2l_fsa *fsa, f2l_weights_dtype dtype, const char *basis,
                              f2l_error *err)
{
    f2l_safetensors file;
    f2l_safetensors_init(&file, net, dtype);
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t h = 0; h < layer->heads; h++) {
            f2l_safetensors_hold_vector(&file, &layer->head[h].initial);
            f2l_safetensors_hold_letters(&file, &layer->head[h], layer->letters);
        }
        f2l_weights_hold_codes(&file, layer);
    }
    f2l_wired_weights_hold(&file);
    f2l_names raw;
    f2l_names_init(&raw);
    f2l_status status = name_raw(&raw, net, err);
    const f2l_safetensors_about about = {.fsa_sha256 = net->fsa_sha256,
                                         .label = net->label,
                                         .letters = &net->letters,
                                         .classes = &net->classes,
                                         .fsa = fsa,
                                         .basis = basis,
                                         .kind = f2l_net_is_wired(net) ? "wired" : NULL,
                                         .labels = &net->labels,
                                         .start = net->start,
                                         .raw = &raw};
    if (status == F2L_OK) status = f2l_safetensors_write(out, report, &file, lay_out, &about, err);
    f2l_names_clear(&raw);
    return status;
}

f2l_status f2l_weights_write(f2l_buf *out, f2l_weights_report *report, const f2l_net *net,
                             const f2l_fsa *fsa, f2l_weights_dtype dtype, f2l_error *err)
{
    *report = (f2l_weights_report){0};
    f2l_status status = f2l_net_validate(net, err);
    if (status != F2L_OK) return status;
    if (f2l_net_is_plain(net)) return write_plain(out, report, net, fsa, dtype, NULL, err);
    f2l_net view;
    f2l_net_init(&view);
    status = f2l_net_orthonormal(&view, net, 0, err);
    if (status == F2L_OK) status = write_plain(out, report, &view, fsa, dtype, "orthonormal", err);
    f2l_net_clear(&view);
    return status;
}
