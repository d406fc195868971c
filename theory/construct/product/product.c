/* The product is found by running its parts on all words at once, breadth-first: rows are what
 * words lead to, the codes of all layers of all parts and the state of the automaton. */
#include "theory/construct/product/product.h"
#include "automata/fsa/rowset.h"
#include "models/network/exact/run_exact.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/construct/product/impl.h"
#include <string.h>

/* The decoder of a layer, as words meet it: the symbol for a letter of the layer and a code. */
typedef struct entry {
    uint32_t letter, code, symbol;
} entry;

/* One layer of the product. */
typedef struct stage {
    f2l_rowset letters; /* [parts] the letter that each part reads, the automaton's where the part
                           has not begun; unused in the first layer, whose letters are the
                           automaton's */
    f2l_rowset codes;   /* the code of each part that has this layer */
    f2l_rowset met;     /* letter and code of each entry */
    entry *entry;       /* [met.count] */
    size_t room;
} stage;

typedef struct product {
    const f2l_fsa *fsa;
    const f2l_net *const *part;
    size_t parts, layers, width; /* width: codes of a row, of all layers of all parts */
    f2l_exact **run;             /* [parts] */
    size_t *first;               /* [parts] place of the part's codes in a row */
    stage *stage;                /* [layers] */
    f2l_rowset rows;             /* codes, then the state of the automaton */
    uint32_t *row;               /* [width + 1] scratch */
    uint32_t *input, *codes;     /* [parts] scratch */
    uint32_t *label_of;          /* [states] */
    f2l_meter meter;
} product;

static void clear_product(product *p)
{
    for (size_t i = 0; p->run && i < p->parts; i++) f2l_exact_free(p->run[i]);
    for (size_t l = 0; p->stage && l < p->layers; l++) {
        f2l_rowset_clear(&p->stage[l].letters);
        f2l_rowset_clear(&p->stage[l].codes);
        f2l_rowset_clear(&p->stage[l].met);
        f2l_free(p->stage[l].entry);
    }
    f2l_rowset_clear(&p->rows);
    f2l_free(p->run);
    f2l_free(p->first);
    f2l_free(p->stage);
    f2l_free(p->row);
    f2l_free(p->input);
    f2l_free(p->codes);
    f2l_free(p->label_of);
}

/* Returns whether part i has a layer in layer l of the product, and sets *own to its number. Parts
 * end together. */
static bool has_layer(size_t *own, const product *p, size_t i, size_t l)
{
    const size_t missing = p->layers - p->part[i]->layers;
    *own = l - missing;
    return l >= missing;
}

static f2l_status measure_product_parts(product *p, f2l_error *err)
{
    for (size_t i = 0; i < p->parts; i++) {
        if (f2l_net_has_boxes(p->part[i]))
            return f2l_fail(err, F2L_EDOMAIN, "a part has infinitely many states");
        p->width += p->part[i]->layers;
        if (p->part[i]->layers > p->layers) p->layers = p->part[i]->layers;
    }
    p->run = f2l_calloc(p->parts, sizeof(f2l_exact *));
    p->first = f2l_calloc(p->parts, sizeof *p->first);
    p->stage = f2l_calloc(p->layers, sizeof *p->stage);
    p->row = f2l_calloc(p->width + 1, sizeof *p->row);
    p->input = f2l_calloc(p->parts, sizeof *p->input);
    p->codes = f2l_calloc(p->parts, sizeof *p->codes);
    p->label_of = f2l_calloc(p->fsa->states.count, sizeof *p->label_of);
    if (!p->run || !p->first || !p->stage || !p->row || !p->input || !p->codes || !p->label_of)
        return f2l_fail_memory(err);
    for (size_t l = 0; l < p->layers; l++) {
        f2l_rowset_init(&p->stage[l].letters);
        f2l_rowset_init(&p->stage[l].codes);
        f2l_rowset_init(&p->stage[l].met);
    }
    return F2L_OK;
}

/* --- what words lead to --- */

/* Numbers the codes of the parts in layer l of the row. */
static f2l_status code_of(size_t *code, product *p, size_t l, const uint32_t *row, f2l_error *err)
{
    size_t own, width = 0;
    for (size_t i = 0; i < p->parts; i++)
        if (has_layer(&own, p, i, l)) p->codes[width++] = row[p->first[i] + own];
    return f2l_rowset_add(&p->stage[l].codes, p->codes, width, code, err);
}

static f2l_status start_product(product *p, f2l_error *err)
{
    size_t *joint = f2l_calloc(p->layers, sizeof *joint), at = 0, number;
    f2l_status status = joint ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < p->parts; i++) {
        p->first[i] = at;
        status = f2l_exact_new_within(&p->run[i], p->part[i], p->meter.task, err);
        if (status == F2L_OK) status = f2l_exact_start(p->run[i], joint, err);
        for (size_t l = 0; status == F2L_OK && l < p->part[i]->layers; l++)
            p->row[at++] = (uint32_t)joint[l];
    }
    p->row[p->width] = (uint32_t)p->fsa->start;
    f2l_free(joint);
    for (size_t l = 0; status == F2L_OK && l < p->layers; l++)
        status = code_of(&number, p, l, p->row, err);
    return status == F2L_OK ? f2l_rowset_add(&p->rows, p->row, p->width + 1, &number, err) : status;
}

/* Steps part i in layer l by the letter that it reads, which becomes the symbol that its decoder
 * gives. */
static f2l_status step_part(product *p, size_t i, size_t l, f2l_error *err)
{
    size_t own, to;
    const f2l_net *net = p->part[i];
    if (!has_layer(&own, p, i, l)) return F2L_OK;
    uint32_t *code = &p->row[p->first[i] + own];
    const size_t letter = own ? p->input[i] : f2l_letter_class(&net->classes, p->input[i]);
    f2l_status status = f2l_exact_step_code(p->run[i], &to, own, letter, *code, err);
    if (status != F2L_OK) return status;
    if (to == F2L_NO_INDEX) return f2l_fail(err, F2L_EDOMAIN, "a part leaves its codes");
    *code = (uint32_t)to;
    p->input[i] = f2l_layer_symbol(&net->layer[own], letter, to);
    return p->input[i] == F2L_NO_SYMBOL ? f2l_fail(err, F2L_EDOMAIN, "a part gives no symbol")
                                        : F2L_OK;
}

/* Notes the symbol of layer l for a letter and a code. It is a function of these two, because the
 * symbol of every part is. */
static f2l_status note_symbol(product *p, size_t l, size_t letter, size_t code, size_t symbol,
                              f2l_error *err)
{
    stage *s = &p->stage[l];
    const uint32_t key[] = {(uint32_t)letter, (uint32_t)code};
    const size_t before = s->met.count;
    size_t at;
    f2l_status status = f2l_rowset_add(&s->met, key, 2, &at, err);
    if (status != F2L_OK) return status;
    if (at < before)
        return s->entry[at].symbol == symbol
                   ? F2L_OK
                   : f2l_fail(err, F2L_EDOMAIN, "the parts do not determine the state");
    if (!f2l_grow((void **)&s->entry, &s->room, at, sizeof *s->entry)) return f2l_fail_memory(err);
    s->entry[at] = (entry){key[0], key[1], (uint32_t)symbol};
    return F2L_OK;
}

/* Steps layer l of the scratch row by a letter of the layer; *symbol is the letter of the next
 * layer, or the label. */
static f2l_status step_layer(size_t *symbol, product *p, size_t l, size_t letter, f2l_error *err)
{
    size_t code;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < p->parts; i++) status = step_part(p, i, l, err);
    if (status == F2L_OK) status = code_of(&code, p, l, p->row, err);
    if (status != F2L_OK) return status;
    *symbol = p->label_of[p->row[p->width]];
    if (l + 1 < p->layers) {
        stage *next = &p->stage[l + 1];
        status = f2l_rowset_add(&next->letters, p->input, p->parts, symbol, err);
        if (status == F2L_OK && next->letters.count > F2L_PRODUCT_LETTERS)
            return f2l_fail(err, F2L_UNKNOWN, "layer %zu has more than %zu letters", l + 2,
                            F2L_PRODUCT_LETTERS);
    }
    return status == F2L_OK ? note_symbol(p, l, letter, code, *symbol, err) : status;
}

/* Steps a row by a letter of the automaton and adds where it leads. */
static f2l_status step_row(product *p, size_t row, size_t letter, f2l_error *err)
{
    size_t symbol = letter, number;
    const uint32_t *from = f2l_rowset_get(&p->rows, row, NULL);
    memcpy(p->row, from, (p->width + 1) * sizeof *from);
    p->row[p->width] = p->fsa->next[from[p->width] * p->fsa->letters.count + letter];
    for (size_t i = 0; i < p->parts; i++) p->input[i] = (uint32_t)letter;
    f2l_status status =
        f2l_meter_spend(&p->meter, 20 + 40 * p->width, (double)row, (double)p->rows.count, err);
    for (size_t l = 0; status == F2L_OK && l < p->layers; l++)
        status = step_layer(&symbol, p, l, symbol, err);
    return status == F2L_OK ? f2l_rowset_add(&p->rows, p->row, p->width + 1, &number, err) : status;
}

static f2l_status explore_joint_states(product *p, f2l_error *err)
{
    const size_t most = p->fsa->states.count + F2L_PRODUCT_EDGES / p->fsa->letters.count;
    f2l_status status = start_product(p, err);
    for (size_t row = 0; status == F2L_OK && row < p->rows.count; row++) {
        if (p->rows.count > most)
            return f2l_fail(err, F2L_UNKNOWN,
                            "words lead to more than %zu joint states of its parts", most);
        for (size_t a = 0; status == F2L_OK && a < p->fsa->letters.count; a++)
            status = step_row(p, row, a, err);
    }
    return status;
}

/* --- the network --- */

f2l_status f2l_product_copy_transition(f2l_transition *out, const f2l_transition *from,
                                       f2l_error *err)
{
    mpq_set(out->gate, from->gate);
    f2l_status status = f2l_transition_set_factors(out, from->factors, err);
    for (size_t i = 0; status == F2L_OK && i < from->factors; i++) {
        mpq_set(out->factor[i].beta, from->factor[i].beta);
        status = f2l_qvec_copy(&out->factor[i].u, &from->factor[i].u, err);
        if (status == F2L_OK) status = f2l_qvec_copy(&out->factor[i].c, &from->factor[i].c, err);
    }
    return status == F2L_OK ? f2l_qvec_copy(&out->bias, &from->bias, err) : status;
}

/* Returns the letter that part i reads when layer l of the product reads `letter`. */
static size_t letter_of(const product *p, size_t i, size_t l, size_t letter)
{
    size_t own;
    const uint32_t *input = l ? f2l_rowset_get(&p->stage[l].letters, letter, NULL) : NULL;
    const size_t read = input ? input[i] : letter;
    (void)has_layer(&own, p, i, l);
    return own ? read : f2l_letter_class(&p->part[i]->classes, read);
}

static f2l_status copy_head(f2l_head *out, const product *p, size_t i, size_t l, size_t letters,
                            const f2l_head *from, f2l_error *err)
{
    f2l_status status = from->field ? f2l_head_set_field(out, from->field, err) : F2L_OK;
    out->n = from->n;
    out->d = from->d;
    out->raw = from->raw;
    if (status == F2L_OK) status = f2l_qvec_copy(&out->form, &from->form, err);
    if (status == F2L_OK) status = f2l_qvec_copy(&out->initial, &from->initial, err);
    for (size_t x = 0; status == F2L_OK && x < letters; x++)
        status =
            f2l_product_copy_transition(&out->letter[x], &from->letter[letter_of(p, i, l, x)], err);
    return status;
}

/* Copies the heads of part i into layer l, from head *at on. */
static f2l_status copy_heads(f2l_layer *out, size_t *at, const product *p, size_t i, size_t l,
                             f2l_error *err)
{
    size_t own;
    f2l_status status = F2L_OK;
    if (!has_layer(&own, p, i, l)) return F2L_OK;
    const f2l_layer *from = &p->part[i]->layer[own];
    for (size_t h = 0; status == F2L_OK && h < from->heads; h++, (*at)++)
        status = copy_head(&out->head[*at], p, i, l, out->letters, &from->head[h], err);
    return status;
}

/* Copies the heads' states of a code of layer l. */
static f2l_status copy_code(f2l_qvec *out, const product *p, size_t l, size_t code, f2l_error *err)
{
    const uint32_t *of_part = f2l_rowset_get(&p->stage[l].codes, code, NULL);
    f2l_status status = F2L_OK;
    size_t own;
    for (size_t i = 0; i < p->parts; i++) {
        if (!has_layer(&own, p, i, l)) continue;
        const f2l_layer *from = &p->part[i]->layer[own];
        for (size_t h = 0; status == F2L_OK && h < from->heads; h++)
            status = f2l_qvec_copy(out++, &from->code[*of_part * from->heads + h], err);
        of_part++;
    }
    return status;
}

/* Returns whether the symbols of a layer depend on its codes alone. */
static bool reads_no_letter(const stage *s, uint32_t *symbol)
{
    memset(symbol, 0xff, s->codes.count * sizeof *symbol);
    for (size_t e = 0; e < s->met.count; e++) {
        uint32_t *of_code = &symbol[s->entry[e].code];
        if (*of_code != F2L_NO_SYMBOL && *of_code != s->entry[e].symbol) return false;
        *of_code = s->entry[e].symbol;
    }
    return true;
}

static f2l_status set_decoder(f2l_layer *out, const product *p, size_t l, size_t symbols,
                              f2l_error *err)
{
    const stage *s = &p->stage[l];
    uint32_t *symbol = f2l_calloc(s->codes.count, sizeof *symbol);
    if (!symbol) return f2l_fail_memory(err);
    const bool by_letter = !reads_no_letter(s, symbol);
    f2l_free(symbol);
    if (by_letter && out->letters > F2L_PRODUCT_TABLE / s->codes.count)
        return f2l_fail(err, F2L_UNKNOWN, "a decoder has more than %zu entries", F2L_PRODUCT_TABLE);
    f2l_status status = f2l_layer_set_codes(out, s->codes.count, symbols, by_letter, err);
    for (size_t e = 0; status == F2L_OK && e < s->met.count; e++) {
        const entry *now = &s->entry[e];
        out->symbol[by_letter ? now->letter * out->codes + now->code : now->code] = now->symbol;
    }
    return status;
}

static f2l_status write_layer(f2l_net *out, product *p, size_t l, f2l_error *err)
{
    f2l_layer *layer = &out->layer[l];
    const bool last = l + 1 == p->layers;
    const size_t letters = l ? p->stage[l].letters.count : p->fsa->letters.count;
    size_t heads = 0, at = 0, own;
    for (size_t i = 0; i < p->parts; i++)
        if (has_layer(&own, p, i, l)) heads += p->part[i]->layer[own].heads;
    f2l_status status = f2l_meter_spend(
        &p->meter, heads * (letters * F2L_TRANSITION_STEPS + p->stage[l].codes.count * 100),
        (double)l, (double)p->layers, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, letters, heads, err);
    for (size_t i = 0; status == F2L_OK && i < p->parts; i++)
        status = copy_heads(layer, &at, p, i, l, err);
    if (status == F2L_OK)
        status =
            set_decoder(layer, p, l, last ? out->labels.count : p->stage[l + 1].letters.count, err);
    for (size_t c = 0; status == F2L_OK && c < layer->codes; c++)
        status = copy_code(&layer->code[c * heads], p, l, c, err);
    return status;
}

f2l_status f2l_product_name_labels(f2l_names *labels, uint32_t *label_of, const f2l_fsa *fsa,
                                   f2l_label label, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(labels, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    return status;
}

static f2l_status name_labels(f2l_net *out, product *p, f2l_error *err)
{
    f2l_status status = f2l_names_copy(&out->letters, &p->fsa->letters, err);
    if (status == F2L_OK)
        status = f2l_product_name_labels(&out->labels, p->label_of, p->fsa, out->label, err);
    out->start = p->label_of[p->fsa->start];
    return status;
}

f2l_status f2l_product_build(f2l_net *out, const f2l_fsa *fsa, f2l_label label,
                             const f2l_net *const *part, size_t parts, const f2l_task *task,
                             f2l_error *err)
{
    product p = {
        .fsa = fsa, .part = part, .parts = parts, .meter = {.task = task, .phase = "product"}};
    f2l_net_clear(out);
    out->label = label;
    f2l_rowset_init(&p.rows);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status == F2L_OK) status = measure_product_parts(&p, err);
    if (status == F2L_OK) status = name_labels(out, &p, err);
    if (status == F2L_OK) status = explore_joint_states(&p, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, p.layers, err);
    for (size_t l = 0; status == F2L_OK && l < p.layers; l++) status = write_layer(out, &p, l, err);
    clear_product(&p);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
