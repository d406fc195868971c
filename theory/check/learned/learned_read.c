/* Reads config.json and weights.safetensors in the spelling in which the trainer writes them. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double real(text *t, const char *before)
{
    expect(t, before);
    char *end;
    const bool digit = *t->at >= '0' && *t->at <= '9';
    const double x = digit ? strtod(t->at, &end) : 0;
    if (!digit || !(x > 1e-9 && x < 1e6) || end > t->end) reject(t, "expected a number > 1e-9");
    t->at = end;
    return x;
}

static bool truth(text *t, const char *before)
{
    expect(t, before);
    const bool yes = comes(t, "true");
    expect(t, yes ? "true" : "false");
    return yes;
}

void read_config(learned *net, text *t, const automaton *a, const char *hex)
{
    expect(t, "{\"schema\":1,\n\"data\":{\"kind\":\"automaton\",\"when\":\"every\",");
    net->begin = comes(t, "\"begin\":true,");
    expect(t, net->begin ? "\"begin\":true," : "");
    expect(t, "\"automaton\":\"");
    expect(t, hex);
    const size_t more = net->begin ? 1 : 0;
    number(t, "\",\"states\":", a->states.count, a->states.count);
    expect(t, ",\"label\":\"states\",\"weights\":null,\"tokens\":1},\n\"model\":{");
    net->letters = number(t, "\"letters\":", a->kinds + more, a->kinds + more);
    net->labels = number(t, ",\"labels\":", a->states.count + more, a->states.count + more);
    number(t, ",\"layers\":", 1, 1);
    net->width = number(t, ",\"width\":", 1, MAX_TERMS);
    net->mlp = number(t, ",\"mlp\":", 1, MAX_TERMS);
    number(t, ",\"convolution\":", 0, 0);
    net->epsilon = real(t, ",\"epsilon\":");
    net->range = truth(t, ",\"mixer\":\"delta-product\",\"negative\":") ? 2 : 1;
    expect(t, comes(t, ",\"initializer_range\":") ? ",\"initializer_range\":" : "");
    while (*t->at != ',' && *t->at != '\n' && left(t) > 0) t->at++;
    net->heads = number(t, ",\"heads\":", 1, 64);
    net->factors = number(t, ",\"householders\":", 1, MAX_FACTORS);
    net->key = number(t, ",\"key_dim\":", 1, MAX_DIM);
    net->value = number(t, ",\"value_dim\":", 1, MAX_DIM);
    net->slope = real(t, ",\"slope\":");
    net->additive = truth(t, ",\"additive\":");
    net->starts = truth(t, ",\"learned_start\":");
    expect(t, ",\"forget_gate\":false");
    net->silu = truth(t, ",\"silu_keys\":");
    expect(t, ",\"normalise_keys\":true,\"channels\":");
}

typedef struct tensors {
    text *t;
    const char *data;
    size_t header, size, count, numbers;
    double most; /* of the squares of a tensor's length */
} tensors;

/* Finds the only tensor of that name and shape; returns its numbers. */
static double *tensor(tensors *f, const char *called, size_t a, size_t b, size_t c)
{
    char want[256];
    int n = snprintf(want, sizeof want, "\"%s\":{\"dtype\":\"F32\",\"shape\":[%zu", called, a);
    if (b > 0) n += snprintf(want + n, sizeof want - n, ",%zu", b);
    if (c > 0) n += snprintf(want + n, sizeof want - n, ",%zu", c);
    snprintf(want + n, sizeof want - n, "],\"data_offsets\":[");
    const char *place = strstr(f->t->bytes + 8, want), *found = place ? place : f->data;
    if (found >= f->data || strstr(found + 1, want))
        reject(f->t, "no tensor, or two, with %s", want);
    text at = {f->t->path, found, found + strlen(want), f->data, 1};
    const size_t count = a * (b > 0 ? b : 1) * (c > 0 ? c : 1);
    const size_t first = number(&at, "", 0, MAX_FILE), last = number(&at, ",", 0, MAX_FILE);
    expect(&at, "]}");
    if (last < first || last - first != 4 * count || last > f->size)
        reject(f->t, "tensor %s has other bytes than its shape", called);
    double *x = grab(count, sizeof *x);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = (const unsigned char *)f->data + first + 4 * i;
        const uint32_t bits =
            p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) reject(f->t, "tensor %s has a number that is not finite", called);
        x[i] = value;
    }
    if (!(dot(x, x, count) < f->most)) reject(f->t, "tensor %s may overflow", called);
    f->count++;
    f->numbers += count;
    return x;
}

void read_weights(learned *net, text *t)
{
    tensors f = {.t = t, .most = net->scope->most};
    if (left(t) < 8) reject(t, "no safetensors file");
    for (size_t i = 8; i-- > 0;) {
        if (f.header > MAX_FILE >> 8) reject(t, "no safetensors file");
        f.header = f.header << 8 | (unsigned char)t->bytes[i];
    }
    if (f.header > left(t) - 8) reject(t, "no safetensors file");
    f.data = t->bytes + 8 + f.header;
    f.size = left(t) - 8 - f.header;
    if (memchr(t->bytes + 8, 0, f.header)) reject(t, "no safetensors file");
    const size_t n = net->width, hk = net->heads * net->key, hv = net->heads * net->value;
#define MIXER "layers.0.mixer."
    net->embedding = tensor(&f, "embedding.weight", net->letters, n, 0);
    net->mixer_norm = tensor(&f, "layers.0.mixer_norm.weight", n, 0, 0);
    net->q = tensor(&f, MIXER "q_proj.weight", hk, n, 0);
    net->k = tensor(&f, MIXER "k_proj.weight", net->factors * hk, n, 0);
    if (net->additive) net->v = tensor(&f, MIXER "v_proj.weight", net->factors * hv, n, 0);
    net->b = tensor(&f, MIXER "b_proj.weight", net->factors * net->heads, n, 0);
    if (net->starts)
        net->start = tensor(&f, MIXER "initial_state", net->heads, net->key, net->value);
    net->o_norm = tensor(&f, MIXER "o_norm.weight", net->value, 0, 0);
    net->out = tensor(&f, MIXER "o_proj.weight", n, hv, 0);
    net->mlp_norm = tensor(&f, "layers.0.mlp_norm.weight", n, 0, 0);
    net->gate = tensor(&f, "layers.0.mlp.gate_proj.weight", net->mlp, n, 0);
    net->up = tensor(&f, "layers.0.mlp.up_proj.weight", net->mlp, n, 0);
    net->down = tensor(&f, "layers.0.mlp.down_proj.weight", n, net->mlp, 0);
    net->norm = tensor(&f, "norm.weight", n, 0, 0);
    net->head = tensor(&f, "head.weight", net->labels, n, 0);
    size_t there = 0;
    for (const char *p = t->bytes + 8; (p = strstr(p, "\"dtype\":")) && p < f.data; p++) there++;
    if (there != f.count || f.size != 4 * f.numbers)
        reject(t, "the file has more tensors than this network");
}
