/* Reads the text form of a network (grammar in f2l_net_write.c), strictly: every value has one spelling, so
 * that a network that is read and written again has the same bytes. Each check that f2l_net_validate makes on
 * the whole is made here where the value stands, so that errors have a position. */
#include "f2l_code_index_impl.h"
#include "f2l_lex.h"
#include "f2l_mem.h"
#include "f2l_net.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fewest bytes that one element of a counted list takes in the file: a count that the rest of the file cannot
 * hold is refused before anything is allocated for it. */
enum {
    NAME_BYTES = sizeof "letter x\n" - 1,
    LAYER_BYTES = sizeof "layer 1 letters 1 heads 1 codes 1 symbols 1 decode state\n" - 1,
    HEAD_BYTES = sizeof "head 1 key 1 value 1\ninitial\n" - 1,
    LETTER_BYTES = sizeof "on 1 gate 1 factors 0\n" - 1,
    FACTOR_BYTES = sizeof "factor 0 u 1:1\n" - 1,
    CODE_BYTES = sizeof "code 1 1\n" - 1, /* also with decode part */
    GROUP_BYTES = sizeof " ;" - 1
};

typedef struct reader {
    const char *bytes;
    size_t size, at;
    size_t line, line_start;
    f2l_status status; /* of the first failure */
    f2l_error *err;
    mpq_t value; /* scratch */
} reader;

/* Notes an error at byte `at` of the current line; always false. */
static bool fail_at(reader *r, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool fail_at(reader *r, size_t at, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->status = f2l_fail_at(r->err, r->line, at - r->line_start + 1, "%s", text);
    return false;
}

static bool passed(reader *r, f2l_status status)
{
    if (status != F2L_OK) r->status = status;
    return status == F2L_OK;
}

static bool next_is(const reader *r, const char *text)
{
    size_t n = strlen(text);
    return r->size - r->at >= n && memcmp(r->bytes + r->at, text, n) == 0;
}

/* Consumes `text`, or fails where the first word of it that is not there should begin. A text that ends a
 * line comes alone or last. */
static bool want(reader *r, const char *text)
{
    const char *word = text;
    for (; *text != '\0'; text++, r->at++) {
        if (r->at == r->size) return fail_at(r, r->at, "the file ends here; the network is not complete");
        if (text > word && text[-1] == ' ') word = text;
        if (r->bytes[r->at] == *text) continue;
        if (*text == '\n') return fail_at(r, r->at, "expected the end of the line");
        if (*text == ' ' && text == word) return fail_at(r, r->at, "expected `%s`", word);
        return fail_at(r, r->at - (size_t)(text - word), "expected `%.*s`", (int)strcspn(word, " \n"), word);
    }
    if (text[-1] == '\n') {
        r->line++;
        r->line_start = r->at;
    }
    return true;
}

/* A decimal without sign or leading zeros, from `least` to `most`. */
static bool read_size(reader *r, size_t *out, const char *what, size_t least, size_t most)
{
    size_t start = r->at, value = 0;
    bool in_range = true;
    *out = 0;
    for (; r->at < r->size && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9'; r->at++) {
        size_t digit = (size_t)(r->bytes[r->at] - '0');
        if (value > (SIZE_MAX - digit) / 10)
            in_range = false;
        else
            value = 10 * value + digit;
    }
    if (r->at == start) return fail_at(r, start, "expected %s, a number", what);
    if (r->bytes[start] == '0' && r->at > start + 1)
        return fail_at(r, start, "a number may not begin with 0");
    *out = value;
    if (in_range && value >= least && value <= most) return true;
    if (least == most) return fail_at(r, start, "%s must be %zu here", what, least);
    return fail_at(r, start, "%s must be from %zu to %zu", what, least, most);
}

/* A count of things that take at least `bytes` bytes each in what is left of the file. */
static bool read_count(reader *r, size_t *out, const char *what, size_t least, size_t bytes)
{
    size_t start = r->at;
    if (!read_size(r, out, what, least, UINT32_MAX - 1)) return false;
    if (*out > (r->size - r->at) / bytes)
        return fail_at(r, start, "%s is %zu, more than the rest of the file can hold", what, *out);
    return true;
}

/* An ordinal that must come next. */
static bool want_ordinal(reader *r, const char *what, size_t index)
{
    size_t value;
    return read_size(r, &value, what, index + 1, index + 1);
}

static bool read_rational(reader *r, mpq_t out, const char *what)
{
    size_t start = r->at, end = start;
    while (end < r->size && r->bytes[end] != ' ' && r->bytes[end] != '\n') end++;
    if (!f2l_rational_read(out, r->bytes + start, end - start))
        return fail_at(r, start, "expected %s, a rational in lowest terms like 0, -3 or 5/2", what);
    r->at = end;
    return true;
}

/* A rational from 0 to `most`. */
static bool read_bounded(reader *r, mpq_t out, const char *what, unsigned long most)
{
    size_t start = r->at;
    if (!read_rational(r, out, what)) return false;
    if (mpq_sgn(out) < 0 || mpq_cmp_ui(out, most, 1) > 0)
        return fail_at(r, start, "%s must be from 0 to %lu", what, most);
    return true;
}

/* Blank-led entries up to something that is not a number: I:V, or R.C:V when columns > 0 (then the index is
 * columns + C-1). */
static bool read_entries(reader *r, f2l_qvec *out, size_t rows, size_t columns)
{
    while (next_is(r, " ") && r->at + 1 < r->size && r->bytes[r->at + 1] >= '0' &&
           r->bytes[r->at + 1] <= '9') {
        size_t start = r->at + 1, row, column = 1;
        if (!want(r, " ") || !read_size(r, &row, "the index", 1, rows)) return false;
        if (columns > 0 && (!want(r, ".") || !read_size(r, &column, "the column", 1, columns))) return false;
        size_t index = columns > 0 ? (row - 1) * columns + column - 1 : row - 1;
        if (out->count > 0 && index <= out->index[out->count - 1])
            return fail_at(r, start, "entries must come in increasing order");
        if (!want(r, ":")) return false;
        start = r->at;
        if (!read_rational(r, r->value, "an entry")) return false;
        if (mpq_sgn(r->value) == 0) return fail_at(r, start, "entries that are 0 are not written");
        if (!passed(r, f2l_qvec_push(out, (uint32_t)index, r->value, r->err))) return false;
    }
    return true;
}

/* The rest of the line as a name in the one spelling that writing gives it. The lexer gets the whole line,
 * for a byte-order mark is dropped where its input begins. */
static bool read_name(reader *r, f2l_names *names, size_t index, const char *what)
{
    const char *text = r->bytes + r->at, *end = memchr(text, '\n', r->size - r->at);
    if (end == NULL) return fail_at(r, r->size, "the file ends here; the network is not complete");
    size_t size = (size_t)(end - text), added = 0;
    f2l_lex lex;
    f2l_buf spelling;
    f2l_error why = {0};
    f2l_lex_init(&lex, r->bytes + r->line_start, r->at - r->line_start + size);
    f2l_buf_init(&spelling);
    bool more = false, good = false;
    f2l_status status = f2l_lex_line(&lex, &more, &why);
    if (status == F2L_OK && more && lex.count == 2 && lex.token[1].kind != F2L_TOKEN_CYCLE) {
        status = f2l_names_add(names, lex.token[1].text, lex.token[1].size, &added, &why);
        if (status == F2L_OK) f2l_buf_name(&spelling, f2l_names_get(names, added));
        if (status == F2L_OK) status = f2l_buf_status(&spelling, &why);
        good = status == F2L_OK && spelling.size == size && memcmp(spelling.data, text, size) == 0;
    }
    f2l_buf_clear(&spelling);
    f2l_lex_clear(&lex);
    if (status == F2L_ENOMEM) return passed(r, f2l_fail_memory(r->err));
    if (!good) return fail_at(r, r->at, "expected a %s as these files spell it", what);
    if (added != index) return fail_at(r, r->at, "the same %s appears twice", what);
    r->at += size;
    return want(r, "\n");
}

static bool read_names(reader *r, f2l_names *names, const char *heading, const char *each, const char *what)
{
    size_t count;
    if (!want(r, heading) || !read_count(r, &count, "the count", 1, NAME_BYTES) || !want(r, "\n"))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!want(r, each) || !read_name(r, names, i, what)) return false;
    }
    return true;
}

static bool read_factor(reader *r, const f2l_head *head, f2l_factor *factor)
{
    if (!want(r, "factor ") || !read_bounded(r, factor->beta, "beta", 2) || !want(r, " u")) return false;
    if (!read_entries(r, &factor->u, head->n, 0)) return false;
    if (factor->u.count == 0) return fail_at(r, r->at, "the key needs at least one entry");
    if (next_is(r, " c")) {
        if (!want(r, " c") || !read_entries(r, &factor->c, head->d, 0)) return false;
        if (factor->c.count == 0) return fail_at(r, r->at, "a value that is 0 is not written");
    }
    return want(r, "\n");
}

static bool read_head(reader *r, f2l_head *head, size_t letters, size_t h)
{
    if (!want(r, "head ") || !want_ordinal(r, "the head", h) || !want(r, " key ")) return false;
    if (!read_size(r, &head->n, "the key dimension", 1, F2L_MAX_STATE) || !want(r, " value ")) return false;
    if (!read_size(r, &head->d, "the value dimension", 1, F2L_MAX_STATE / head->n) || !want(r, "\n"))
        return false;
    if (!want(r, "initial") || !read_entries(r, &head->initial, head->n, head->d) || !want(r, "\n"))
        return false;
    for (size_t x = 0; x < letters; x++) {
        f2l_transition *transition = &head->letter[x];
        size_t factors;
        if (!want(r, "on ") || !want_ordinal(r, "the letter", x) || !want(r, " gate ")) return false;
        if (!read_bounded(r, transition->gate, "the gate", 1) || !want(r, " factors ")) return false;
        if (!read_count(r, &factors, "the number of factors", 0, FACTOR_BYTES) || !want(r, "\n"))
            return false;
        if (!passed(r, f2l_transition_set_factors(transition, factors, r->err))) return false;
        for (size_t i = 0; i < factors; i++) {
            if (!read_factor(r, head, &transition->factor[i])) return false;
        }
    }
    return true;
}

/* What the file says of a part decoder. The rows of symbols come after the codes, and their arrays grow with
 * the file, so that memory stays in proportion to it whatever the numbers of values claim. */
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

/* The line after the layer's first. */
static bool read_parts(reader *r, part_decoder *d)
{
    if (!want(r, "parts")) return false;
    do {
        if (!f2l_grow((void **)&d->values, &d->values_capacity, d->parts, sizeof *d->values))
            return passed(r, f2l_fail_memory(r->err));
        if (!want(r, " ")) return false;
        if (!read_size(r, &d->values[d->parts], "the number of values", 1, F2L_MAX_TABLE)) return false;
        d->parts++;
    } while (next_is(r, " "));
    return want(r, "\n");
}

/* A code's values, "2,1". */
static bool read_code_parts(reader *r, part_decoder *d)
{
    for (size_t p = 0; p < d->parts; p++) {
        size_t value;
        if (p > 0 && !want(r, ",")) return false;
        if (!read_size(r, &value, "the value of the part", 1, d->values[p])) return false;
        if (!f2l_grow((void **)&d->part, &d->part_capacity, d->entries, sizeof *d->part))
            return passed(r, f2l_fail_memory(r->err));
        d->part[d->entries++] = (uint32_t)(value - 1);
    }
    return true;
}

/* The symbol, F2L_NO_SYMBOL for "-". */
static bool read_symbol(reader *r, uint32_t *out, size_t symbols)
{
    size_t symbol;
    *out = F2L_NO_SYMBOL;
    if (next_is(r, "-")) return want(r, "-");
    if (!read_size(r, &symbol, "the symbol", 1, symbols)) return false;
    *out = (uint32_t)(symbol - 1);
    return true;
}

/* One line for every letter. */
static bool read_part_yields(reader *r, part_decoder *d, size_t letters, size_t symbols)
{
    d->reads = f2l_calloc(letters, sizeof *d->reads);
    if (d->reads == NULL) return passed(r, f2l_fail_memory(r->err));
    for (size_t x = 0; x < letters; x++) {
        size_t part, start;
        if (!want(r, "yield ") || !want_ordinal(r, "the letter", x) || !want(r, " ")) return false;
        start = r->at;
        if (!read_size(r, &part, "the part", 1, d->parts)) return false;
        if (d->values[part - 1] > F2L_MAX_TABLE - d->symbols)
            return fail_at(r, start, "a table of more than %zu symbols is too large", F2L_MAX_TABLE);
        d->reads[x] = (uint32_t)(part - 1);
        for (size_t v = 0; v < d->values[part - 1]; v++) {
            if (!want(r, " ")) return false;
            if (!f2l_grow((void **)&d->symbol, &d->symbol_capacity, d->symbols, sizeof *d->symbol))
                return passed(r, f2l_fail_memory(r->err));
            if (!read_symbol(r, &d->symbol[d->symbols++], symbols)) return false;
        }
        if (!want(r, "\n")) return false;
    }
    return true;
}

static bool take_parts(reader *r, f2l_layer *layer, const part_decoder *d)
{
    if (!passed(r, f2l_layer_set_parts(layer, d->parts, d->values, d->reads, r->err))) return false;
    memcpy(layer->part, d->part, d->entries * sizeof *d->part);
    memcpy(layer->symbol, d->symbol, d->symbols * sizeof *d->symbol);
    return true;
}

static bool read_code(reader *r, f2l_layer *layer, part_decoder *d, size_t i)
{
    if (!want(r, "code ") || !want_ordinal(r, "the code", i) || !want(r, " ")) return false;
    bool good = layer->by_letter ? want(r, "*")
                : d->parts > 0   ? read_code_parts(r, d)
                                 : read_symbol(r, &layer->symbol[i], layer->symbols);
    if (!good) return false;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        if (h > 0 && !want(r, " ;")) return false;
        if (!read_entries(r, &layer->code[i * layer->heads + h], head->n, head->d)) return false;
    }
    return want(r, "\n");
}

static bool codes_differ(reader *r, const f2l_layer *layer, size_t first_line)
{
    f2l_code_index index;
    if (!passed(r, f2l_code_index_build(&index, layer, r->err))) return false;
    size_t first = index.first, second = index.second;
    f2l_code_index_clear(&index);
    if (second == F2L_NO_INDEX) return true;
    r->status =
        f2l_fail_at(r->err, first_line + second, 1, "code %zu equals code %zu", second + 1, first + 1);
    return false;
}

static bool read_yields(reader *r, f2l_layer *layer)
{
    size_t next = 0; /* pairs before this one are settled */
    while (next_is(r, "yield ")) {
        size_t start = r->at, letter, code, symbol;
        if (!want(r, "yield ") || !read_size(r, &letter, "the letter", 1, layer->letters) || !want(r, " "))
            return false;
        if (!read_size(r, &code, "the code", 1, layer->codes) || !want(r, " ")) return false;
        if (!read_size(r, &symbol, "the symbol", 1, layer->symbols)) return false;
        size_t pair = (letter - 1) * layer->codes + code - 1;
        if (pair < next) return fail_at(r, start, "yield lines must come in the order of letter and code");
        layer->symbol[pair] = (uint32_t)(symbol - 1);
        next = pair + 1;
        if (!want(r, "\n")) return false;
    }
    return true;
}

typedef struct layer_counts {
    size_t letters;                     /* known beforehand */
    size_t least_symbols, most_symbols; /* likewise */
    size_t heads, codes, symbols;
    bool by_letter, in_parts;
} layer_counts;

/* The layer's first line. */
static bool read_layer_counts(reader *r, layer_counts *n, size_t l)
{
    if (!want(r, "layer ") || !want_ordinal(r, "the layer", l) || !want(r, " letters ")) return false;
    if (!read_size(r, &n->letters, "the number of letters", n->letters, n->letters) || !want(r, " heads "))
        return false;
    size_t start = r->at;
    if (!read_count(r, &n->heads, "the number of heads", 1, HEAD_BYTES)) return false;
    if (n->letters > (r->size - r->at) / LETTER_BYTES / n->heads)
        return fail_at(r, start, "%zu heads with %zu letters are more than the rest of the file can hold",
                       n->heads, n->letters);
    if (!want(r, " codes ")) return false;
    if (!read_count(r, &n->codes, "the number of codes", 1, CODE_BYTES + (n->heads - 1) * GROUP_BYTES))
        return false;
    if (!want(r, " symbols ")) return false;
    if (!read_size(r, &n->symbols, "the number of symbols", n->least_symbols, n->most_symbols)) return false;
    if (!want(r, " decode ")) return false;
    n->by_letter = next_is(r, "step");
    n->in_parts = next_is(r, "part");
    if (n->by_letter && n->codes > F2L_MAX_TABLE / n->letters)
        return fail_at(r, r->at, "a table of %zu letters by %zu codes is too large", n->letters, n->codes);
    return want(r, n->by_letter ? "step\n" : n->in_parts ? "part\n" : "state\n");
}

static bool read_layer_lines(reader *r, f2l_layer *layer, part_decoder *d, layer_counts n)
{
    if (n.in_parts && !read_parts(r, d)) return false;
    if (!passed(r, f2l_layer_set_heads(layer, n.letters, n.heads, r->err))) return false;
    for (size_t h = 0; h < n.heads; h++) {
        if (!read_head(r, &layer->head[h], n.letters, h)) return false;
    }
    if (!passed(r, f2l_layer_set_codes(layer, n.codes, n.symbols, n.by_letter, r->err))) return false;
    size_t first_line = r->line;
    for (size_t i = 0; i < n.codes; i++) {
        if (!read_code(r, layer, d, i)) return false;
    }
    if (!codes_differ(r, layer, first_line)) return false;
    if (n.in_parts) return read_part_yields(r, d, n.letters, n.symbols) && take_parts(r, layer, d);
    return !n.by_letter || read_yields(r, layer);
}

static bool read_layer(reader *r, f2l_layer *layer, size_t l, layer_counts n)
{
    part_decoder d = {0};
    bool good = read_layer_counts(r, &n, l) && read_layer_lines(r, layer, &d, n);
    part_decoder_clear(&d);
    return good;
}

static bool read_label_kind(reader *r, f2l_label *label)
{
    const f2l_label kinds[] = {F2L_LABEL_STATES, F2L_LABEL_OUTPUTS, F2L_LABEL_ACCEPT};
    if (!want(r, "label ")) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!next_is(r, f2l_label_name(kinds[i]))) continue;
        *label = kinds[i];
        return want(r, f2l_label_name(kinds[i])) && want(r, "\n");
    }
    return fail_at(r, r->at, "expected `states`, `outputs` or `accept`");
}

static bool read_sha256(reader *r, char hex[65])
{
    if (!want(r, "fsa ")) return false;
    for (size_t i = 0; i < 64; i++, r->at++) {
        if (r->at == r->size || r->bytes[r->at] == '\0' ||
            strchr("0123456789abcdef", r->bytes[r->at]) == NULL)
            return fail_at(r, r->at, "expected a SHA-256, 64 digits 0-9 a-f");
        hex[i] = r->bytes[r->at];
    }
    hex[64] = '\0';
    return want(r, "\n");
}

static bool read_net(reader *r, f2l_net *net)
{
    size_t layers;
    if (!want(r, "lrnn 1\n") || !read_sha256(r, net->fsa_sha256) || !want(r, "field Q\n")) return false;
    if (!read_label_kind(r, &net->label)) return false;
    if (!read_names(r, &net->letters, "letters ", "letter ", "letter")) return false;
    if (!read_names(r, &net->labels, "labels ", "symbol ", "symbol") || !want(r, "start ")) return false;
    if (!read_size(r, &net->start, "the label", 1, net->labels.count) || !want(r, "\n")) return false;
    net->start--;
    if (!want(r, "layers ") || !read_count(r, &layers, "the number of layers", 1, LAYER_BYTES)) return false;
    if (!want(r, "\n") || !passed(r, f2l_net_set_layers(net, layers, r->err))) return false;
    for (size_t l = 0; l < layers; l++) {
        layer_counts n = {.letters = l == 0 ? net->letters.count : net->layer[l - 1].symbols};
        n.least_symbols = l + 1 == layers ? net->labels.count : 1;
        n.most_symbols = l + 1 == layers ? net->labels.count : UINT32_MAX - 1;
        if (!read_layer(r, &net->layer[l], l, n)) return false;
    }
    if (!want(r, "end\n")) return false;
    return r->at == r->size || fail_at(r, r->at, "nothing may follow `end`");
}

f2l_status f2l_net_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err)
{
    reader r = {.bytes = bytes, .size = size, .line = 1, .status = F2L_OK, .err = err};
    mpq_init(r.value);
    if (!read_net(&r, out)) f2l_net_clear(out);
    mpq_clear(r.value);
    return r.status;
}
