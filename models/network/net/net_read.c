/* Reads the text form of a network (grammar in models/network/net/net_write.c). Each check of
 * f2l_net_validate is made here as soon as its value is read, so that errors have a position. */
#include "models/network/net/head.h"
#include "models/network/net/scan.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Least bytes, as in models/network/net/scan.h. */
enum {
    LAYER_BYTES = sizeof "layer 1 letters 1 heads 1 codes 1 symbols 1 decode state\n" - 1,
    HEAD_BYTES = sizeof "head 1 key 1 value 1\ninitial\n" - 1,
    CODE_BYTES = sizeof "code 1 1\n" - 1, /* also with decode part */
    GROUP_BYTES = sizeof " ;" - 1
};

static bool read_head(f2l_scan *s, f2l_head *head, size_t letters, size_t h)
{
    if (!f2l_scan_want(s, "head ") || !f2l_scan_ordinal(s, "the head", h) ||
        !f2l_scan_want(s, " key "))
        return false;
    if (!f2l_scan_size(s, &head->n, "the key dimension", 1, F2L_MAX_STATE) ||
        !f2l_scan_want(s, " value "))
        return false;
    if (!f2l_scan_size(s, &head->d, "the value dimension", 1, F2L_MAX_STATE / head->n) ||
        !f2l_scan_want(s, "\n"))
        return false;
    head->raw = f2l_scan_next_is(s, "raw");
    if (head->raw ? !f2l_scan_want(s, "raw\n") : !f2l_scan_field(s, head)) return false;
    if (!f2l_scan_want(s, "initial")) return false;
    if (!f2l_scan_entries(s, &head->initial, head->n, head->d, f2l_head_degree(head)) ||
        !f2l_scan_want(s, "\n"))
        return false;
    for (size_t x = 0; x < letters; x++) {
        if (!f2l_scan_transition(s, head, &head->letter[x], f2l_head_is_plain(head), "the letter",
                                 x))
            return false;
    }
    return true;
}

/* The lines of a part decoder. The rows of symbols come after the codes, and their arrays grow with
 * the file, so that memory stays proportional to the file whatever the numbers of values claim. */
typedef struct part_decoder {
    size_t parts, values_capacity;
    size_t *values; /* [parts] */
    uint32_t *part; /* [codes][parts] */
    size_t entries, part_capacity;
    uint32_t *reads; /* [letters] */
    uint32_t *symbol;
    size_t symbols, symbol_capacity;
} part_decoder;

static void part_decoder_clear(part_decoder *d)
{
    f2l_free(d->values);
    f2l_free(d->part);
    f2l_free(d->reads);
    f2l_free(d->symbol);
}

/* Reads the line after the layer's first. */
static bool read_part_lines(f2l_scan *s, part_decoder *d)
{
    if (!f2l_scan_want(s, "parts")) return false;
    do {
        if (!f2l_grow((void **)&d->values, &d->values_capacity, d->parts, sizeof *d->values))
            return f2l_scan_passed(s, f2l_fail_memory(s->err));
        if (!f2l_scan_want(s, " ")) return false;
        if (!f2l_scan_size(s, &d->values[d->parts], "the number of values", 1, F2L_MAX_TABLE))
            return false;
        d->parts++;
    } while (f2l_scan_next_is(s, " "));
    return f2l_scan_want(s, "\n");
}

/* Reads a code's values, "2,1". */
static bool read_code_parts(f2l_scan *s, part_decoder *d)
{
    for (size_t p = 0; p < d->parts; p++) {
        size_t value;
        if (p > 0 && !f2l_scan_want(s, ",")) return false;
        if (!f2l_scan_size(s, &value, "the value of the part", 1, d->values[p])) return false;
        if (!f2l_grow((void **)&d->part, &d->part_capacity, d->entries, sizeof *d->part))
            return f2l_scan_passed(s, f2l_fail_memory(s->err));
        d->part[d->entries++] = (uint32_t)(value - 1);
    }
    return true;
}

/* Reads a symbol; "-" gives F2L_NO_SYMBOL. */
static bool read_part_symbol(f2l_scan *s, uint32_t *out, size_t symbols)
{
    size_t symbol;
    *out = F2L_NO_SYMBOL;
    if (f2l_scan_next_is(s, "-")) return f2l_scan_want(s, "-");
    if (!f2l_scan_size(s, &symbol, "the symbol", 1, symbols)) return false;
    *out = (uint32_t)(symbol - 1);
    return true;
}

/* Reads one line for every letter. */
static bool read_part_yields(f2l_scan *s, part_decoder *d, size_t letters, size_t symbols)
{
    d->reads = f2l_calloc(letters, sizeof *d->reads);
    if (d->reads == NULL) return f2l_scan_passed(s, f2l_fail_memory(s->err));
    for (size_t x = 0; x < letters; x++) {
        size_t part, start;
        if (!f2l_scan_want(s, "yield ") || !f2l_scan_ordinal(s, "the letter", x) ||
            !f2l_scan_want(s, " "))
            return false;
        start = s->at;
        if (!f2l_scan_size(s, &part, "the part", 1, d->parts)) return false;
        if (d->values[part - 1] > F2L_MAX_TABLE - d->symbols)
            return f2l_scan_fail(s, start, "a table of more than %zu symbols is too large",
                                 F2L_MAX_TABLE);
        d->reads[x] = (uint32_t)(part - 1);
        for (size_t v = 0; v < d->values[part - 1]; v++) {
            if (!f2l_scan_want(s, " ")) return false;
            if (!f2l_grow((void **)&d->symbol, &d->symbol_capacity, d->symbols, sizeof *d->symbol))
                return f2l_scan_passed(s, f2l_fail_memory(s->err));
            if (!read_part_symbol(s, &d->symbol[d->symbols++], symbols)) return false;
        }
        if (!f2l_scan_want(s, "\n")) return false;
    }
    return true;
}

static bool take_parts(f2l_scan *s, f2l_layer *layer, const part_decoder *d)
{
    if (!f2l_scan_passed(s, f2l_layer_set_parts(layer, d->parts, d->values, d->reads, s->err)))
        return false;
    memcpy(layer->part, d->part, d->entries * sizeof *d->part);
    memcpy(layer->symbol, d->symbol, d->symbols * sizeof *d->symbol);
    return true;
}

static bool read_code(f2l_scan *s, f2l_layer *layer, part_decoder *d, size_t i)
{
    if (!f2l_scan_want(s, "code ") || !f2l_scan_ordinal(s, "the code", i) || !f2l_scan_want(s, " "))
        return false;
    bool good = layer->by_letter ? f2l_scan_want(s, "*")
                : d->parts > 0   ? read_code_parts(s, d)
                                 : read_part_symbol(s, &layer->symbol[i], layer->symbols);
    if (!good) return false;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        if (h > 0 && !f2l_scan_want(s, " ;")) return false;
        if (!f2l_scan_entries(s, &layer->code[i * layer->heads + h], head->n, head->d,
                              f2l_head_degree(head)))
            return false;
    }
    return f2l_scan_want(s, "\n");
}

/* Reads all numbers of one head, "R.C:LO,HI". */
static bool read_head_box(f2l_scan *s, const f2l_head *head, f2l_qvec *low, f2l_qvec *high)
{
    for (size_t i = 0; i < head->n * head->d; i++) {
        if (!f2l_scan_want(s, " ") || !f2l_scan_ordinal(s, "the row", i / head->d)) return false;
        if (!f2l_scan_want(s, ".") || !f2l_scan_ordinal(s, "the column", i % head->d)) return false;
        if (!f2l_scan_want(s, ":") || !f2l_scan_interval(s, low, high, (uint32_t)i)) return false;
    }
    return true;
}

/* Reads the lines `box`, and checks that the layer may have them. */
static bool read_layer_boxes(f2l_scan *s, f2l_layer *layer)
{
    for (size_t h = 0; h < layer->heads; h++) {
        const char *fault = f2l_box_head_fault(&layer->head[h]);
        if (fault) return f2l_scan_fail(s, s->at, "head %zu: %s", h + 1, fault);
    }
    if (!f2l_scan_passed(s, f2l_layer_set_boxes(layer, s->err))) return false;
    const size_t first_line = s->line;
    for (size_t i = 0; i < layer->codes; i++) {
        if (!f2l_scan_want(s, "box ") || !f2l_scan_ordinal(s, "the box", i)) return false;
        for (size_t h = 0; h < layer->heads; h++) {
            const size_t at = i * layer->heads + h;
            if (h > 0 && !f2l_scan_want(s, " ;")) return false;
            if (!read_head_box(s, &layer->head[h], &layer->low[at], &layer->high[at])) return false;
        }
        if (!f2l_scan_want(s, "\n")) return false;
    }
    return f2l_scan_boxes_fit(s, layer, first_line);
}

static bool read_yields(f2l_scan *s, f2l_layer *layer)
{
    size_t next = 0; /* pairs before this one have been read */
    while (f2l_scan_next_is(s, "yield ")) {
        size_t start = s->at, letter, code, symbol;
        if (!f2l_scan_want(s, "yield ") ||
            !f2l_scan_size(s, &letter, "the letter", 1, layer->letters) || !f2l_scan_want(s, " "))
            return false;
        if (!f2l_scan_size(s, &code, "the code", 1, layer->codes) || !f2l_scan_want(s, " "))
            return false;
        if (!f2l_scan_size(s, &symbol, "the symbol", 1, layer->symbols)) return false;
        size_t pair = (letter - 1) * layer->codes + code - 1;
        if (pair < next)
            return f2l_scan_fail(s, start, "yield lines must come in the order of letter and code");
        layer->symbol[pair] = (uint32_t)(symbol - 1);
        next = pair + 1;
        if (!f2l_scan_want(s, "\n")) return false;
    }
    return true;
}

typedef struct layer_counts {
    size_t letters;                     /* known beforehand */
    size_t least_symbols, most_symbols; /* likewise */
    size_t heads, codes, symbols;
    bool by_letter, in_parts;
} layer_counts;

/* Reads the layer's first line. */
static bool read_layer_counts(f2l_scan *s, layer_counts *n, size_t l)
{
    if (!f2l_scan_want(s, "layer ") || !f2l_scan_ordinal(s, "the layer", l) ||
        !f2l_scan_want(s, " letters "))
        return false;
    if (!f2l_scan_size(s, &n->letters, "the number of letters", n->letters, n->letters) ||
        !f2l_scan_want(s, " heads "))
        return false;
    size_t start = s->at;
    if (!f2l_scan_count(s, &n->heads, "the number of heads", 1, HEAD_BYTES)) return false;
    if (n->letters > (s->size - s->at) / F2L_SCAN_TRANSITION_BYTES / n->heads)
        return f2l_scan_fail(s, start,
                             "%zu heads with %zu letters are more than the rest of the file can "
                             "hold",
                             n->heads, n->letters);
    if (!f2l_scan_want(s, " codes ")) return false;
    if (!f2l_scan_count(s, &n->codes, "the number of codes", 1,
                        CODE_BYTES + (n->heads - 1) * GROUP_BYTES))
        return false;
    if (!f2l_scan_want(s, " symbols ")) return false;
    if (!f2l_scan_size(s, &n->symbols, "the number of symbols", n->least_symbols, n->most_symbols))
        return false;
    if (!f2l_scan_want(s, " decode ")) return false;
    n->by_letter = f2l_scan_next_is(s, "step");
    n->in_parts = f2l_scan_next_is(s, "part");
    if (n->by_letter && n->codes > F2L_MAX_TABLE / n->letters)
        return f2l_scan_fail(s, s->at, "a table of %zu letters by %zu codes is too large",
                             n->letters, n->codes);
    return f2l_scan_want(s, n->by_letter ? "step\n" : n->in_parts ? "part\n" : "state\n");
}

static bool read_layer_lines(f2l_scan *s, f2l_layer *layer, part_decoder *d, layer_counts n)
{
    if (n.in_parts && !read_part_lines(s, d)) return false;
    if (!f2l_scan_passed(s, f2l_layer_set_heads(layer, n.letters, n.heads, s->err))) return false;
    for (size_t h = 0; h < n.heads; h++) {
        if (!read_head(s, &layer->head[h], n.letters, h)) return false;
    }
    if (!f2l_scan_passed(s, f2l_layer_set_codes(layer, n.codes, n.symbols, n.by_letter, s->err)))
        return false;
    size_t first_line = s->line;
    for (size_t i = 0; i < n.codes; i++) {
        if (!read_code(s, layer, d, i)) return false;
    }
    if (!f2l_scan_codes_differ(s, layer, first_line)) return false;
    if (f2l_scan_next_is(s, "box ") && !read_layer_boxes(s, layer)) return false;
    if (n.in_parts) return read_part_yields(s, d, n.letters, n.symbols) && take_parts(s, layer, d);
    return !n.by_letter || read_yields(s, layer);
}

static bool read_net_layer(f2l_scan *s, f2l_layer *layer, size_t l, layer_counts n)
{
    part_decoder d = {0};
    bool good = read_layer_counts(s, &n, l) && read_layer_lines(s, layer, &d, n);
    part_decoder_clear(&d);
    return good;
}

static bool read_net(f2l_scan *s, f2l_net *net)
{
    size_t layers;
    if (!f2l_scan_version(s, "lrnn") || !f2l_scan_sha256(s, net->fsa_sha256) ||
        !f2l_scan_want(s, "field Q\n"))
        return false;
    net->fitted = f2l_scan_next_is(s, "read-out");
    if (net->fitted && !f2l_scan_want(s, "read-out fitted\n")) return false;
    if (!f2l_scan_label_kind(s, &net->label)) return false;
    if (!f2l_scan_names(s, &net->letters, "letters ", "letter ", "letter")) return false;
    if (!f2l_scan_letter_classes(s, &net->classes, net->letters.count)) return false;
    if (!f2l_scan_names(s, &net->labels, "labels ", "symbol ", "symbol") ||
        !f2l_scan_start(s, &net->start, net->label, net->labels.count))
        return false;
    if (!f2l_scan_want(s, "layers ") ||
        !f2l_scan_count(s, &layers, "the number of layers", 1, LAYER_BYTES))
        return false;
    if (!f2l_scan_want(s, "\n") || !f2l_scan_passed(s, f2l_net_set_layers(net, layers, s->err)))
        return false;
    for (size_t l = 0; l < layers; l++) {
        layer_counts n = {.letters = l == 0 ? f2l_letter_kinds(&net->classes, &net->letters)
                                            : net->layer[l - 1].symbols};
        n.least_symbols = l + 1 == layers ? net->labels.count : 1;
        n.most_symbols = l + 1 == layers ? net->labels.count : UINT32_MAX - 1;
        if (!read_net_layer(s, &net->layer[l], l, n)) return false;
    }
    return f2l_scan_end(s);
}

f2l_status f2l_net_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err)
{
    f2l_scan s;
    f2l_scan_init(&s, bytes, size, err);
    if (!read_net(&s, out)) f2l_net_clear(out);
    f2l_scan_clear(&s);
    return s.status;
}
