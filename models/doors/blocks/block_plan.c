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

/* Returns the most rows that a head of the network has. */
static size_t most_rows(const f2l_net *net)
{
    size_t rows = 1;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            if (net->layer[l].head[h].n > rows) rows = net->layer[l].head[h].n;
    return rows;
}

/* --- the heads --- */

static void clear_layers(f2l_blocks *b)
{
    for (size_t l = 0; b->layer && l < b->net->layers; l++) f2l_block_layer_clear(&b->layer[l]);
}

typedef enum heads_form { SINGLE, PLAIN, DIGITS } heads_form;

/* Chooses the letters, heads and units of a layer in a form; *chosen becomes false where it has no
 * such heads. */
static f2l_status choose_form(bool *chosen, f2l_block_layer *to, const f2l_blocks *b, size_t l,
                              heads_form form, f2l_error *err)
{
    const f2l_layer *from = &b->net->layer[l];
    *chosen = true;
    f2l_status status = f2l_blocks_choose_letters(to, from, form != SINGLE, err);
    if (status == F2L_OK && form == SINGLE) status = f2l_blocks_choose_single(to, from, err);
    if (status == F2L_OK && form != SINGLE)
        status = f2l_blocks_choose_packed(chosen, to, from, b->format, form == DIGITS, err);
    for (size_t h = 0; status == F2L_OK && h < to->heads; h++) {
        to->head[h].bit = to->bits;
        to->bits += to->head[h].columns;
    }
    return status == F2L_OK && *chosen ? f2l_blocks_choose_units(to, from, err) : status;
}

/* Chooses a layer: with many columns if that is asked for and can be. Of columns as they are and
 * digits the one with fewer heads is taken, and with fewer units where these are as many. */
static f2l_status choose_layer(f2l_blocks *b, size_t l, bool packed, f2l_error *err)
{
    f2l_block_layer *to = &b->layer[l], plain = {0};
    bool digits = false, columns = false;
    f2l_status status = F2L_OK;
    if (packed) status = choose_form(&digits, to, b, l, DIGITS, err);
    if (packed && status == F2L_OK) status = choose_form(&columns, &plain, b, l, PLAIN, err);
    const size_t many = to->units + to->bits, few = plain.units + plain.bits;
    const bool swap =
        status == F2L_OK && columns &&
        (!digits || plain.heads < to->heads || (plain.heads == to->heads && few < many));
    if (swap || !digits) f2l_block_layer_clear(to);
    if (swap)
        *to = plain;
    else
        f2l_block_layer_clear(&plain);
    if (status == F2L_OK && !digits && !columns)
        status = choose_form(&packed, to, b, l, SINGLE, err);
    return status;
}

static f2l_status choose_layers(f2l_blocks *b, bool packed, f2l_error *err)
{
    f2l_status status = F2L_OK;
    clear_layers(b);
    for (size_t l = 0; status == F2L_OK && l < b->net->layers; l++)
        status = choose_layer(b, l, packed, err);
    return status == F2L_OK && b->class->silu_keys
               ? f2l_blocks_find_positive(&b->positive_keys, b, err)
               : status;
}

/* Chooses all heads. Keys of one sign come first, many columns second. */
static f2l_status choose_heads(f2l_blocks *b, f2l_error *err)
{
    f2l_status status = choose_layers(b, true, err);
    if (status != F2L_OK || !b->class->silu_keys || b->positive_keys) return status;
    status = choose_layers(b, false, err);
    if (status != F2L_OK || b->positive_keys) return status;
    if (b->class->signed_keys) return choose_layers(b, true, err);
    return f2l_fail(err, F2L_EDOMAIN,
                    "its keys go through SiLU, and no change of signs of coordinates makes all "
                    "keys of this network non-negative");
}

static f2l_status choose_key_dim(f2l_blocks *b, f2l_error *err)
{
    size_t rows = 1;
    for (size_t l = 0; l < b->recurrence.layers; l++)
        for (size_t h = 0; h < b->recurrence.layer[l].heads; h++)
            if (b->recurrence.layer[l].head[h].n > rows) rows = b->recurrence.layer[l].head[h].n;
    b->key_dim = 16;
    while (b->key_dim < rows) b->key_dim *= 4;
    b->value_dim = F2L_BLOCK_COLUMNS;
    if (b->key_dim <= 256) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the key dimension is %zu, and these heads have 256, of which %d hold "
                    "constants; compile --key-dim %d looks for a smaller one",
                    most_rows(b->net), F2L_BLOCK_ZEROS + 1, 256 - F2L_BLOCK_ZEROS - 1);
}

/* --- the stream --- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Sets the channels of symbols, digits and bits, which all layers share, after `constants`
 * channels. Returns the channels. */
static size_t place_channels(f2l_blocks *b, size_t constants)
{
    size_t symbols = b->net->labels.count, digits = 0, bits = 0;
    for (size_t l = 0; l < b->net->layers; l++) {
        symbols = larger(symbols, b->layer[l].acts);
        digits = larger(digits, f2l_block_digits(&b->layer[l]));
        bits = larger(bits, b->layer[l].bits);
    }
    b->constants = constants;
    b->letter = constants;
    b->tokens = b->letter + 1;
    b->symbols = b->tokens + 1 + b->writes;
    b->digits = b->symbols + symbols;
    b->bits = b->digits + digits;
    return b->bits + bits;
}

/* Chooses the width, a power of two, and the constants, so that the norm's root is the constant
 * times a power of two but for a part that rounding takes away (EB.4). */
static void choose_stream(f2l_blocks *b)
{
    size_t channels = 0;
    b->width = b->class->width ? b->class->width : 16;
    for (bool square = (__builtin_ctzll(b->width) & 1) == 0;; square = !square, b->width *= 2) {
        channels = place_channels(b, square ? 1 : 2);
        if (channels <= b->width) break;
    }
    const size_t ones = 2 + channels - b->digits; /* the letter, its act, digits, bits */
    b->constant = 64;
    while (b->constant * b->constant < ldexp((double)ones, b->format->precision + 4))
        b->constant *= 2;
}

/* Returns the units of the SwiGLU block of a layer. */
static size_t count_layer_units(const f2l_blocks *b, size_t l)
{
    const f2l_block_layer *layer = &b->layer[l];
    return layer->units + f2l_block_has_start(b, l) + f2l_block_taken_acts(layer) +
           f2l_block_taken_bits(b, l);
}

static void choose_sizes(f2l_blocks *b)
{
    size_t units = 1;
    b->heads = 1;
    for (size_t l = 0; l < b->net->layers; l++) {
        b->heads = larger(b->heads, b->layer[l].heads);
        units = larger(units, count_layer_units(b, l));
    }
    b->inner = (units + 7) / 8 * 8;
    b->prefix = (b->writes + F2L_BLOCK_CHUNK - 1) / F2L_BLOCK_CHUNK * F2L_BLOCK_CHUNK;
    b->vocab = larger(b->net->letters.count + 1 + b->writes, b->net->labels.count);
    choose_stream(b);
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
    b->layer = status == F2L_OK ? f2l_calloc(net->layers, sizeof *b->layer) : NULL;
    if (status == F2L_OK && !b->layer) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = choose_heads(b, err);
    if (status == F2L_OK) status = f2l_blocks_choose_recurrence(b, err);
    if (status == F2L_OK) status = choose_key_dim(b, err);
    if (status == F2L_OK) status = f2l_blocks_choose_raw(b, err);
    if (status == F2L_OK) choose_sizes(b);
    return status;
}
