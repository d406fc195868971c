#include "models/doors/blocks/blocks.h"
#include "models/doors/blocks/impl.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include <math.h>

void f2l_blocks_init(f2l_blocks *blocks)
{
    *blocks = (f2l_blocks){0};
    f2l_net_init(&blocks->recurrence);
}

void f2l_blocks_clear(f2l_blocks *blocks)
{
    for (size_t l = 0; blocks->layer && l < blocks->net->layers; l++)
        f2l_block_layer_clear(&blocks->layer[l]);
    f2l_free(blocks->layer);
    f2l_free(blocks->symbols);
    f2l_free(blocks->bits);
    f2l_net_clear(&blocks->recurrence);
    f2l_blocks_init(blocks);
}

/* --- what can be said --- */

/* Returns the reason why the head has no such form, or NULL. */
static const char *head_fault(const f2l_head *head, size_t letters)
{
    if (!f2l_head_is_plain(head))
        return "keys over a number field or a form, which no binary format holds; compile with "
               "--exact-in bf16 looks for a network without them";
    if (head->raw) return "keys that are used as stored; a stock model normalises its keys";
    for (size_t x = 0; x < letters; x++) {
        if (mpq_cmp_ui(head->letter[x].gate, 1, 1) != 0)
            return "a gate that is not 1; compile without --gated resets by writing";
        if (head->letter[x].bias.count > 0) return "a bias";
    }
    return NULL;
}

static f2l_status check_block_net(const f2l_net *net, f2l_error *err)
{
    if (f2l_net_has_boxes(net))
        return f2l_fail(err, F2L_EDOMAIN, "its codes are boxes of infinitely many states");
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const char *fault = head_fault(&net->layer[l].head[h], net->layer[l].letters);
            if (fault)
                return f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu: %s", l + 1, h + 1, fault);
        }
    return F2L_OK;
}

/* Sets the factors of a token, if the class can do as many. */
static f2l_status choose_factors(f2l_blocks *b, f2l_error *err)
{
    f2l_net_size size;
    f2l_net_measure(&size, b->net);
    b->factors = size.householders > 0 ? size.householders : 1;
    if (b->class->factors == 0 || b->factors <= b->class->factors) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "a letter has %zu factors, and these heads do %zu a token; --to %s does any "
                    "number",
                    b->factors, b->class->factors, b->class->other);
}

static f2l_status choose_key_dim(f2l_blocks *b, f2l_error *err)
{
    size_t rows = 1;
    for (size_t l = 0; l < b->net->layers; l++)
        for (size_t h = 0; h < b->net->layer[l].heads; h++)
            if (b->net->layer[l].head[h].n > rows) rows = b->net->layer[l].head[h].n;
    b->key_dim = 16;
    while (b->key_dim < rows + F2L_BLOCK_ROWS) b->key_dim *= 4;
    b->value_dim = 16;
    if (b->key_dim <= 256) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the key dimension is %zu, and these heads have 256, of which %d hold "
                    "constants; compile --key-dim %d looks for a smaller one",
                    rows, F2L_BLOCK_ROWS, 256 - F2L_BLOCK_ROWS);
}

/* --- the stream --- */

/* Gives every symbol and bit its channel, after `constants` channels. Returns the channels. */
static size_t place_channels(f2l_blocks *b, size_t constants)
{
    size_t at = constants;
    b->constants = constants;
    b->tokens = at;
    at += 1 + b->writes;
    for (size_t l = 0; l < b->net->layers; l++) {
        b->symbols[l] = at;
        at += b->net->layer[l].letters;
    }
    b->symbols[b->net->layers] = at;
    at += b->net->labels.count;
    for (size_t l = 0; l < b->net->layers; l++) {
        b->bits[l] = at;
        at += b->layer[l].bits;
    }
    return at;
}

/* Chooses the width, a power of two, and the constants, so that the norm's root is the constant
 * times a power of two but for a part that rounding takes away (EB.4). */
static void choose_stream(f2l_blocks *b)
{
    size_t ones = 2 + b->net->layers;
    b->width = 64;
    for (bool square = true;; square = !square, b->width *= 2)
        if (place_channels(b, square ? 1 : 2) <= b->width) break;
    for (size_t l = 0; l < b->net->layers; l++) ones += b->layer[l].bits;
    b->constant = 64;
    while (b->constant * b->constant < ldexp((double)ones, b->format->precision + 4))
        b->constant *= 2;
}

static f2l_status choose_sizes(f2l_blocks *b, f2l_error *err)
{
    const size_t layers = b->net->layers;
    size_t units = 0;
    b->symbols = f2l_calloc(layers + 1, sizeof *b->symbols);
    b->bits = f2l_calloc(layers, sizeof *b->bits);
    if (!b->symbols || !b->bits) return f2l_fail_memory(err);
    b->heads = 1;
    for (size_t l = 0; l < layers; l++) {
        if (b->layer[l].bits > b->heads) b->heads = b->layer[l].bits;
        if (b->layer[l].units > units) units = b->layer[l].units;
    }
    b->inner = (units + 1 + 15) / 16 * 16;
    b->prefix = (b->writes + F2L_BLOCK_CHUNK - 1) / F2L_BLOCK_CHUNK * F2L_BLOCK_CHUNK;
    b->vocab = b->net->letters.count + 1 + b->writes;
    if (b->vocab < b->net->labels.count) b->vocab = b->net->labels.count;
    choose_stream(b);
    return F2L_OK;
}

double f2l_blocks_norm(const f2l_blocks *b)
{
    return b->constant * sqrt((double)b->constants / (double)b->width);
}

f2l_status f2l_blocks_plan(f2l_blocks *b, const f2l_net *net, const f2l_block_class *class,
                           const f2l_format *format, f2l_error *err)
{
    b->net = net;
    b->class = class;
    b->format = format;
    f2l_status status = check_block_net(net, err);
    if (status == F2L_OK) status = choose_factors(b, err);
    if (status == F2L_OK) status = choose_key_dim(b, err);
    b->layer = status == F2L_OK ? f2l_calloc(net->layers, sizeof *b->layer) : NULL;
    if (status == F2L_OK && !b->layer) status = f2l_fail_memory(err);
    for (size_t l = 0; status == F2L_OK && l < net->layers; l++) {
        status = f2l_blocks_choose_bits(&b->layer[l], &net->layer[l], err);
        if (status == F2L_OK) status = f2l_blocks_choose_units(&b->layer[l], &net->layer[l], err);
    }
    if (status == F2L_OK) status = f2l_blocks_choose_recurrence(b, err);
    if (status == F2L_OK) status = f2l_blocks_choose_raw(b, err);
    if (status == F2L_OK) status = choose_sizes(b, err);
    return status;
}
