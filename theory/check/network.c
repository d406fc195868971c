/* NETWORK (here indented); indices count from 1 and increase, zeros are left out, rationals are
 * 0, -3, 5/2:
 *     lrnn 2
 *     fsa SHA256                               of AUTOMATON
 *     field Q
 *     read-out fitted                          or absent; without a meaning here
 *     label states|outputs|accept|edges        what the labels are; edges: the outputs of
 *                                              transitions
 *     letters K                                K times:
 *       letter NAME                            the automaton's, in its order
 *     letter-classes C c_1 .. c_K              C < K; letters of one class act alike. Absent:
 *                                              each is a class. From here on
 *     labels M                                 "letter" means class. M times:
 *       symbol NAME
 *     start I                                  the label of the empty word; - with label edges,
 *                                              where it has none
 *     layers L                                 L times:
 *       layer l letters K heads H codes C symbols M decode state|step|part
 *         parts N ..                           decode part: part p of a code is in 1..N
 *         head h key n value d                 H times:
 *           raw                                if keys are used as given: below, 1 in the place
 *                                              of u^T u
 *           [lines field and form: field.c]
 *           initial R.C:V ..                   S at the start, n x d
 *           on x gate G factors F [bias R.C:V ..] K times: S <- G S with 0 <= G <= 1, then F
 *               times a factor, S <- S + bias
 *             factor BETA u I:V .. [c J:V ..]  S <- S - (BETA / u^T u) u (u^T S - c^T); 0 <=
 *                                              BETA <= 2
 *         code i Y R.C:V .. ; R.C:V ..         C times: a state of the layer, head by head, and
 *                                              its symbol Y
 *         [lines box: boxes.c]
 *         yield x i Y                          decode step: the symbol when letter x led to code
 *                                              i
 *         yield x p Y ..                       decode part, K times: the symbol for each value
 *                                              of part p
 *     end
 * In a raw head 0 <= BETA u^T u <= 2. So every transition has norm at most 1, and its
 * eigenvalues lie in [-1, 1]. Y is "-" where there is no symbol, "*" on the code lines of decode
 * step and V,..,V, the values of the parts, on the code lines of decode part. The symbols of a
 * layer are the letters of the next one; the symbols of the last layer are the labels. */
#include "theory/check/reader.h"
#include <string.h>

mpq_t *zeros(size_t count)
{
    mpq_t *a = grab(count, sizeof *a);
    for (size_t i = 0; i < count; i++) mpq_init(a[i]);
    return a;
}

void clear(mpq_t *a, size_t count)
{
    for (size_t i = 0; i < count; i++) mpq_set_ui(a[i], 0, 1);
}

const struct entry *behind(const vector *v)
{
    return v->count > 0 ? v->entry + v->count : v->entry;
}

size_t degree_of(const head *h)
{
    return h->k ? h->k->degree : 1;
}

static bool is_whole(mpq_srcptr x)
{
    return mpz_cmp_ui(mpq_denref(x), 1) == 0;
}

/* Adds a b to the sum, which is another number than these. Whole numbers, as most are, need no
 * common denominator. `product` is scratch. */
static void add_product(mpq_t sum, mpq_srcptr a, mpq_srcptr b, mpq_t product)
{
    if (is_whole(sum) && is_whole(a) && is_whole(b)) {
        mpz_addmul(mpq_numref(sum), mpq_numref(a), mpq_numref(b));
    } else {
        mpq_mul(product, a, b);
        mpq_add(sum, sum, product);
    }
}

void square_of(mpq_t out, const vector *v)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(out, 0, 1);
    for (const struct entry *e = v->entry; e < behind(v); e++) {
        add_product(out, e->value, e->value, product);
        spend_on(out);
    }
    mpq_clear(product);
}

/* Scratch of apply, which read_network makes: to make it for each factor takes as long as small
 * products. */
static mpq_t sums[2];

void apply(mpq_t *s, size_t d, const factor *f)
{
    mpq_ptr p = sums[0];
    const struct entry *c = f->c.entry;
    for (size_t j = 0; j < d; j++, s++) {
        mpq_set_ui(p, 0, 1); /* it becomes -scale (w^T S - c^T) of this column */
        if (c < behind(&f->c) && c->index == j) mpq_neg(p, (c++)->value);
        for (const struct entry *w = f->w.entry; w < behind(&f->w); w++) {
            if (mpq_sgn(s[w->index * d]) == 0) continue;
            add_product(p, w->value, s[w->index * d], sums[1]);
            spend_on(p);
        }
        spend(1 + f->w.count / 8);
        if (mpq_sgn(p) == 0) continue;
        mpq_mul(p, p, f->scale);
        mpq_neg(p, p);
        for (const struct entry *u = f->u.entry; u < behind(&f->u); u++) {
            add_product(s[u->index * d], u->value, p, sums[1]);
            spend_on(s[u->index * d]);
        }
    }
}

void move(const head *h, mpq_t *s, const transition *w)
{
    for (size_t i = 0; mpq_cmp_ui(w->gate, 1, 1) != 0 && i < h->entries; i++) {
        mpq_mul(s[i], s[i], w->gate);
        spend_on(s[i]);
    }
    for (const factor *f = w->factor; f < w->factor + w->factors; f++)
        if (h->k)
            h->k->apply(h, s, h->d, f);
        else
            apply(s, h->d, f);
    for (const struct entry *e = w->bias.entry; e < behind(&w->bias); e++)
        mpq_add(s[e->index], s[e->index], e->value);
}

void put(mpq_t *s, size_t entries, const vector *v)
{
    spend(1 + entries / 16);
    clear(s, entries);
    for (const struct entry *e = v->entry; e < behind(v); e++) mpq_set(s[e->index], e->value);
}

bool state_is(mpq_t *s, size_t entries, const vector *v)
{
    const struct entry *e = v->entry;
    spend(1 + entries / 16);
    for (size_t i = 0; i < entries; i++) {
        const bool zero = e == behind(v) || e->index != i;
        if (zero ? mpq_sgn(s[i]) != 0 : !mpq_equal(s[i], (e++)->value)) return false;
    }
    return true;
}

vector read_vector(text *t, size_t rows, size_t columns, size_t degree)
{
    size_t entries = 0, span = strspn(t->at, " ,.:-/0123456789");
    while (span-- > 0) entries += t->at[span] == ':' || t->at[span] == ',';
    vector v = {grab(entries, sizeof *v.entry), 0};
    for (size_t i = 0; i < entries; i++) mpq_init(v.entry[i].value);
    for (size_t least = 0; t->at[0] == ' ' && t->at[1] >= '0' && t->at[1] <= '9';) {
        size_t at = number(t, " ", 1, rows) - 1, power = 0;
        if (columns > 0) at = at * columns + number(t, ".", 1, columns) - 1;
        if (at < least) reject(t, "expected increasing indices");
        least = at + 1;
        struct entry *e;
        do {
            e = &v.entry[v.count];
            rational(t, power > 0 ? "," : ":", e->value, 0);
            e->index = at * degree + power;
            v.count += mpq_sgn(e->value) != 0;
        } while (++power < degree && *t->at == ',');
        if (mpq_sgn(e->value) == 0) reject(t, "expected no zero entries");
    }
    return v;
}

/* Makes w and scale, over Q. */
static void prepare(factor *f, const text *t, const head *h)
{
    mpq_t square;
    mpq_init(square);
    square_of(square, &f->u);
    if (f->u.count == 0) reject(t, "u is 0");
    mpq_init(f->scale);
    f->w = f->u;
    if (h->raw) {
        mpq_set(f->scale, f->beta);
        mpq_mul(square, square, f->beta);
        if (mpq_sgn(square) < 0 || mpq_cmp_ui(square, 2, 1) > 0)
            reject(t, "expected 0 <= BETA u^T u <= 2");
    } else {
        mpq_div(f->scale, f->beta, square);
    }
    mpq_clear(square);
}

static void read_factor(factor *f, text *t, head *h)
{
    mpq_init(f->beta);
    rational(t, "factor ", f->beta, h->raw ? 0 : 2);
    expect(t, " u");
    f->u = read_vector(t, h->n, 0, degree_of(h));
    if (comes(t, " c")) {
        expect(t, " c");
        f->c = read_vector(t, h->d, 0, degree_of(h));
        if (f->c.count == 0) reject(t, "expected no c where it is zero");
    }
    if (h->k)
        h->k->prepare(h, f, t);
    else
        prepare(f, t, h);
    end_line(t);
}

void read_slot(struct slot *s, text *t, head *h, size_t values, network *net)
{
    size_t most = 0;
    if (values > left(t) / sizeof "on 1 gate 1 factors 0")
        reject(t, "the file is too short for its letters");
    s->on = grab(s->values = values, sizeof *s->on);
    for (size_t x = 0; x < values; x++) {
        transition *w = &s->on[x];
        number(t, "on ", x + 1, x + 1);
        const char *from = t->at;
        mpq_init(w->gate);
        rational(t, " gate ", w->gate, 1);
        w->factors = count_of(t, " factors ", 0, sizeof "factor 0 u 1:1");
        w->factor = grab(w->factors, sizeof *w->factor);
        if (!h->k && !net->wired && comes(t, " bias")) {
            expect(t, " bias");
            w->bias = read_vector(t, h->n, h->d, 1);
            if (w->bias.count == 0) reject(t, "expected no bias where it is zero");
            net->has_bias = true;
        }
        end_line(t);
        for (size_t i = 0; i < w->factors; i++) read_factor(&w->factor[i], t, h);
        w->spelled = (name){from, (size_t)(t->at - from)};
        most = MAXIMUM(most, w->factors);
    }
    h->householders += most;
}

head *read_dimensions(block *b, text *t, size_t i)
{
    head *h = &b->head[i];
    number(t, "head ", i + 1, i + 1);
    h->n = number(t, " key ", 1, MAX_FILE);
    h->d = number(t, " value ", 1, MAX_FILE);
    h->at = b->entries;
    return h;
}

void place(block *b, head *h)
{
    h->entries = product_of(product_of(h->n, h->d), degree_of(h));
    b->entries += h->entries;
    product_of(b->entries, sizeof(mpq_t));
}

vector read_initial(text *t, const head *h)
{
    expect(t, "initial");
    const vector v = read_vector(t, h->n, h->d, degree_of(h));
    end_line(t);
    return v;
}

void add_stage(network *net, const block *b)
{
    net->layers += b->heads > 0;
    net->joint += b->joint;
    net->numbers += b->entries;
    net->heads = MAXIMUM(net->heads, b->heads);
    net->entries = MAXIMUM(net->entries, b->entries);
    for (const head *h = b->head; h < b->head + b->heads; h++) {
        net->householders = MAXIMUM(net->householders, h->householders);
        net->key = MAXIMUM(net->key, h->n);
        net->value = MAXIMUM(net->value, h->d);
    }
}

static uint32_t read_symbol(text *t, size_t symbols)
{
    if (!comes(t, " -")) return (uint32_t)number(t, " ", 1, symbols) - 1;
    expect(t, " -");
    return UNSET;
}

/* Reads the codes. Different states have different spellings over Q, as equal ones have the same;
 * over fields separate() looks closer. */
static void read_codes(block *y, text *t, size_t codes, const grammar *g)
{
    set states = {0};
    bool over_q = true;
    const size_t symbols = y->parts > 0 ? 0 : y->by_letter ? product_of(y->letters, codes) : codes;
    if (codes * MAXIMUM(y->heads, y->parts) > left(t))
        reject(t, "the file is too short for its codes");
    y->part = grab(codes * y->parts, sizeof *y->part);
    y->symbol = grab(symbols, sizeof *y->symbol);
    for (size_t i = 0; i < symbols; i++) y->symbol[i] = UNSET;
    for (size_t h = 0; h < y->heads; h++) {
        y->readout[h] = (struct readout){
            y->head[h].at, y->head[h].entries, codes, grab(codes, sizeof(vector)), NULL, NULL};
        over_q = over_q && !y->head[h].k;
    }
    for (size_t i = 0; i < codes; i++) {
        number(t, "code ", i + 1, i + 1);
        for (size_t p = 0; p < y->parts; p++)
            y->part[i * y->parts + p] = (uint32_t)number(t, p > 0 ? "," : " ", 1, y->values[p]) - 1;
        if (y->by_letter) expect(t, " *");
        if (y->parts == 0 && !y->by_letter) y->symbol[i] = read_symbol(t, y->symbols);
        const char *from = t->at;
        for (size_t h = 0; h < y->heads; h++) {
            if (h > 0) expect(t, " ;");
            y->readout[h].code[i] =
                read_vector(t, y->head[h].n, y->head[h].d, degree_of(&y->head[h]));
        }
        if (!add(&states, (name){from, (size_t)(t->at - from)}))
            reject(t, "two codes are one state");
        end_line(t);
    }
    if (!over_q) g->separate(y, codes);
}

/* Reads the yield lines of decode step. */
static void read_steps(block *y, text *t)
{
    const size_t codes = y->readout->codes;
    for (size_t least = 0; comes(t, "yield");) {
        const size_t letter = number(t, "yield ", 1, y->letters) - 1;
        const size_t pair = letter * codes + number(t, " ", 1, codes) - 1;
        if (pair < least) reject(t, "expected yield lines in order");
        y->symbol[pair] = (uint32_t)number_line(t, " ", 1, y->symbols) - 1;
        least = pair + 1;
    }
}

/* Reads the yield lines of decode part. */
static void read_parts(block *y, text *t)
{
    size_t symbols = 0, capacity = 0;
    y->read = grab(y->letters, sizeof *y->read);
    y->symbol_at = grab(y->letters, sizeof *y->symbol_at);
    for (size_t x = 0; x < y->letters; x++) {
        number(t, "yield ", x + 1, x + 1);
        y->read[x] = (uint32_t)number(t, " ", 1, y->parts) - 1;
        y->symbol_at[x] = symbols;
        for (size_t v = 0; v < y->values[y->read[x]]; v++) {
            y->symbol = grow(y->symbol, symbols, &capacity, sizeof *y->symbol);
            y->symbol[symbols++] = read_symbol(t, y->symbols);
        }
        end_line(t);
    }
}

uint32_t symbol_after(const block *y, size_t letter, size_t code)
{
    if (y->parts > 0)
        return y->symbol[y->symbol_at[letter] + y->part[code * y->parts + y->read[letter]]];
    return y->symbol[y->by_letter ? letter * y->readout->codes + code : code];
}

/* Reads the lines between a head's dimensions and its initial state. */
static void read_kind(head *h, text *t, network *net, const grammar *g)
{
    h->raw = comes(t, "raw");
    if (h->raw) whole_line(t, "raw");
    net->has_raw = net->has_raw || h->raw;
    if (comes(t, "initial")) return;
    if (!g->head && (comes(t, "field") || comes(t, "form")))
        give_up("heads over fields or with forms are lrnn-check-field's");
    if (g->head) g->head(h, t, net);
    if (h->raw && h->k) reject(t, "a raw head over a field, or with a form");
}

static void read_layer(network *net, block *y, text *t, stage *s, size_t letters, const grammar *g)
{
    set spellings = {0};
    y->letters = number(t, " letters ", letters, letters);
    y->heads = y->readouts = count_of(t, " heads ", 1, sizeof "head 1 key 1 value 1\ninitial");
    const size_t codes = count_of(t, " codes ", 1, sizeof "code 1 *");
    y->symbols = number(t, " symbols ", 1, MAX_FILE);
    y->by_letter = comes(t, " decode step");
    const bool by_part = comes(t, " decode part");
    whole_line(t, y->by_letter ? " decode step" : by_part ? " decode part" : " decode state");
    if (by_part) y->values = read_numbers(t, "parts", 0, MAX_FILE, &y->parts);
    if (by_part) end_line(t);
    *s = (stage){y, grab(y->heads, sizeof(vector))};
    y->head = grab(y->heads, sizeof *y->head);
    y->readout = grab(y->heads, sizeof *y->readout);
    for (size_t h = 0; h < y->heads; h++) {
        head *of = read_dimensions(y, t, h);
        end_line(t);
        read_kind(of, t, net, g);
        place(y, of);
        s->initial[h] = read_initial(t, of);
        of->slot = grab(of->slots = 1, sizeof *of->slot);
        read_slot(of->slot, t, of, letters, net);
    }
    y->spelling = grab(letters, sizeof *y->spelling);
    for (size_t x = 0; x < letters; x++)
        y->spelling[x] = y->heads > 1 ? x : intern(&spellings, y->head->slot->on[x].spelled);
    y->joint = 1;
    read_codes(y, t, codes, g);
    net->has_boxes = net->has_boxes || comes(t, "box");
    if (comes(t, "box") && !g->boxes) give_up("boxes are lrnn-check-field's");
    if (comes(t, "box")) g->boxes(y, t);
    if (y->by_letter) read_steps(y, t);
    if (by_part) read_parts(y, t);
}

static void read_layers(network *net, text *t, size_t letters, const grammar *g)
{
    static const char least[] = "layer 1 letters 1 heads 1 codes 1 symbols 1 decode step";
    net->block = grab_lines(t, "layers ", 1, sizeof least, &net->stages, sizeof *net->block);
    net->blocks = net->stages;
    net->stage = grab(net->stages, sizeof *net->stage);
    for (size_t l = 0; l < net->stages; l++) {
        number(t, "layer ", l + 1, l + 1);
        read_layer(net, &net->block[l], t, &net->stage[l], letters, g);
        add_stage(net, &net->block[l]);
        letters = net->block[l].symbols;
    }
    if (letters != net->labels.count) reject(t, "the symbols of the last layer are not the labels");
}

static label read_label(text *t, const automaton *a)
{
    static const char *const word[] = {"label states", "label outputs", "label accept",
                                       "label edges"};
    label kind = LABEL_STATES;
    while (kind < LABEL_EDGES && !comes(t, word[kind])) kind++;
    whole_line(t, word[kind]);
    if (kind == LABEL_OUTPUTS && !a->has_output) reject(t, "the automaton has no outputs");
    if (kind == LABEL_ACCEPT && !a->has_accept)
        reject(t, "the automaton does not say which states accept");
    if (kind == LABEL_EDGES && !a->edge_output)
        reject(t, "the automaton's transitions have no "
                  "outputs");
    return kind;
}

/* Reads the letters' names, and the classes of letters that act alike. */
static void read_letters(network *net, text *t, automaton *a)
{
    const size_t letters = number_line(t, "letters ", a->letters.count, a->letters.count);
    for (size_t x = 0; x < letters; x++) {
        expect_name(t, "letter ", a->letters.item[x]);
        end_line(t);
    }
    net->has_classes = comes(t, "letter-classes");
    if (!net->has_classes) return;
    const size_t classes = number(t, "letter-classes ", 1, letters - 1);
    uint32_t *class = grab(letters, sizeof *class), most = 0;
    for (size_t x = 0; x < letters; x++) {
        class[x] = (uint32_t)number(t, " ", 1, most + 1) - 1;
        most = MAXIMUM(most, class[x] + 1);
    }
    if (most != classes) reject(t, "expected letters of %zu classes", classes);
    merge_letters(a, t, class, classes);
    end_line(t);
}

static void read_labels(network *net, text *t, const automaton *a)
{
    const size_t labels = count_of(t, "labels ", 1, sizeof "symbol s");
    end_line(t);
    for (size_t i = 0; i < labels; i++) {
        if (!add(&net->labels, read_name(t, "symbol "))) reject(t, "a label is given twice");
        end_line(t);
    }
    if (net->kind == LABEL_EDGES) {
        whole_line(t, "start -");
        return;
    }
    const size_t start = number(t, "start ", 1, labels) - 1;
    if (!same_name(net->labels.item[start], label_of(a, net->kind, a->start)))
        reject(t, "not the label of the automaton's start state");
    end_line(t);
}

void read_network(network *net, text *t, automaton *a, const char *fsa_hex, const grammar *g)
{
    mpq_inits(sums[0], sums[1], NULL);
    net->wired = comes(t, "lrnn-wired");
    if (comes(t, "lrnn 1\n") || comes(t, "lrnn-wired 1\n"))
        reject(t, "format version 1 is no longer read: this program reads lrnn 2 (compile again)");
    whole_line(t, net->wired ? "lrnn-wired 2" : "lrnn 2");
    if (net->wired && !g->wired) give_up("wired networks are lrnn-check-wired's");
    expect(t, "fsa ");
    whole_line(t, fsa_hex);
    if (!net->wired) whole_line(t, "field Q");
    if (!net->wired && comes(t, "read-out")) whole_line(t, "read-out fitted");
    net->kind = read_label(t, a);
    read_letters(net, t, a);
    read_labels(net, t, a);
    if (net->wired)
        g->wired(net, t, a->kinds);
    else
        read_layers(net, t, a->kinds, g);
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
}
