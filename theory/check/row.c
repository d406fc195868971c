/* Rows of serving engines (real.h): their settings, the order of sums, and the gate. */
#include "theory/check/real.h"
#include <string.h>

static format named_format(const char *word, bool *integer)
{
    static const struct {
        const char *word;
        int p, emin, emax;
        int64_t m;
        int e;
        bool saturate;
    } known[] = {{"bf16", 8, -126, 127, 255, 120, false},
                 {"fp16", 11, -14, 15, 2047, 5, false},
                 {"fp32", 24, -126, 127, 0xffffff, 104, false},
                 {"tf32", 11, -126, 127, 2047, 117, false},
                 {"e4m3", 4, -6, 8, 7, 6, false},
                 {"e5m2", 3, -14, 15, 7, 13, false},
                 {"e2m1", 2, 0, 2, 3, 1, true},
                 {"int4", 3, 2, 2, 7, 0, true},
                 {"int8", 7, 6, 6, 127, 0, true},
                 {"int16", 15, 14, 14, 32767, 0, true}};
    size_t i = 0;
    while (strcmp(known[i].word, word) != 0) i++;
    *integer = strncmp(word, "int", 3) == 0;
    return (format){known[i].p, known[i].emin,     known[i].emax,           NEAREST,
                    true,       known[i].saturate, {known[i].m, known[i].e}};
}

static const char *const formats[] = {"bf16", "fp16", "fp32", "tf32", "e4m3",
                                      "e5m2", "e2m1", "int8", "int4", "int16"};
enum { FLOATS = 6, NARROW = 7, FORMATS = 10 };

/* Reads left, halves, butterfly, lanes:W:C or blocks:M:C. */
static sum_order read_sum(text *t, const char *before)
{
    static const char *const word[] = {"left", "halves", "butterfly", "lanes", "blocks"};
    sum_order o = {(enum sum_kind)read_word(t, before, word, 5), 1, 1};
    if (o.kind < LANES) return o;
    o.lanes = number(t, ":", 1, 4096);
    if (o.kind == LANES && (o.lanes < 2 || (o.lanes & (o.lanes - 1)) != 0))
        reject(t, "expected a power of two of lanes");
    if (comes(t, ":")) o.chains = number(t, ":", 1, 16);
    return o;
}

/* What a row's words say beside engine_row. named: the state has a format of its own; cuts: which
 * saturates. */
typedef struct row_words {
    bool wide, output, named, cuts, most, wide_scale, whole_residual;
    size_t clamp, pair;
} row_words;

/* Reads where the error of the store goes. */
static void read_residual(engine_row *r, row_words *w, text *t)
{
    static const char *const residual[] = {"none", "load", "feedback"};
    static const char *const scale[] = {"none", "amax", "pow2"};
    r->residual = (enum residual)read_word(t, ",residual=", residual, 3);
    r->residual_format = fp32;
    if (r->residual && comes(t, ":"))
        r->residual_format =
            named_format(formats[read_word(t, ":", formats, FORMATS)], &w->whole_residual);
    r->residual_scale = (enum scale)read_word(t, ",residual-scale=", scale, 3);
}

static void read_scale(engine_row *r, row_words *w, text *t)
{
    static const char *const scale[] = {"none", "amax", "pow2", "mx", "static:"};
    static const char *const quotient[] = {"inverse", "divide", "two"};
    bool integer;
    r->scale = (enum scale)read_word(t, ",scale=", scale, 5);
    if (r->scale == FIXED) r->fixed = read_real(t, "");
    if (r->scale == AMAX && comes(t, ":ue8m0")) {
        expect(t, ":ue8m0");
        r->powers = true;
    } else if (r->scale == AMAX && comes(t, ":")) {
        r->scale_format = named_format(formats[read_word(t, ":", formats, FLOATS)], &integer);
        r->own_format = true;
        w->wide_scale = r->scale_format.p == fp32.p;
    }
    r->quotient = (enum quotient)read_word(t, ",quotient=", quotient, 3);
    expect(t, ",most=");
    r->most = r->store.largest;
    w->most = !comes(t, "largest");
    if (w->most)
        r->most = read_real(t, "");
    else
        expect(t, "largest");
    if (r->most.m <= 0 || (r->scale == FIXED && r->fixed.m <= 0)) reject(t, "no such scale");
}

static void read_store(engine_row *r, row_words *w, text *t, const format *data)
{
    static const char *const clamp[] = {"symmetric", "full", "none"};
    static const char *const shared[] = {"row", "group:", "tile:", "head", "tensor"};
    static const char *const draw[] = {"any", "top:", "bottom:", "floor:"};
    static const char *const pair[] = {"no", "reversed"}, *const stores[] = {"letter", "factor"},
                             *const second[] = {"none", "head"};
    bool integer;
    expect(t, ",state=");
    r->store = *data;
    w->named = !comes(t, "format");
    if (w->named)
        r->store = named_format(formats[read_word(t, "", formats, FORMATS)], &r->integer);
    else
        expect(t, "format");
    w->cuts = w->named && r->store.saturate;
    if (w->named && comes(t, ":stochastic")) {
        expect(t, ":stochastic");
        r->draws = true;
    }
    r->letters = number(t, ",letters=", 1, 4096);
    r->each_factor = read_word(t, ",stores=", stores, 2) == 1;
    r->ring_format = *data;
    r->ring_format.round = NEAREST;
    expect(t, ",ring=");
    if (comes(t, "none") || comes(t, "format")) {
        r->ring = comes(t, "format");
        expect(t, r->ring ? "format" : "none");
    } else {
        r->ring = true;
        r->ring_format = named_format(formats[read_word(t, "", formats, NARROW)], &integer);
    }
    read_scale(r, w, t);
    w->clamp = read_word(t, ",clamp=", clamp, 3);
    r->full = w->clamp == 1;
    if (r->scale != NO_SCALE && w->clamp < 2) r->store.saturate = true;
    const size_t word = read_word(t, ",block=", shared, 5);
    r->layers = word > HEAD;
    r->block = r->layers ? HEAD : (enum scale_block)word;
    if (r->block == GROUP || r->block == TILE) r->size = number(t, "", 1, 4096);
    r->second = read_word(t, ",second=", second, 2) == 1;
    r->draw = (enum draw)read_word(t, ",draw=", draw, 4);
    if (r->draw != DRAW_ANY) r->bits = number(t, "", 1, 24);
    w->pair = read_word(t, ",pair=", pair, 2);
    read_residual(r, w, t);
}

int leading_bit(real a)
{
    return a.e + 63 - __builtin_clzll((uint64_t)a.m);
}

/* Returns whether a > 0 is a number of the format from 2^low to 2^high. */
static bool is_number_between(const format *f, real a, int low, int high)
{
    const int k = leading_bit(a);
    return is_in(f, a) && k >= low && (k < high || (k == high && a.m == 1));
}

/* Returns whether the format has all numbers of the other one, which has subnormals. */
static bool holds_format(const format *f, const format *other)
{
    const real least = {1, other->emin - other->p + 1};
    return other->p <= f->p && is_in(f, other->largest) && is_in(f, least);
}

/* Rejects settings that say nothing in a row, or have no claim. */
static void refuse_row(text *t, const engine_row *r, const row_words *w, const format *work)
{
    const bool scaled = r->scale != NO_SCALE,
               tree = r->sum.kind == HALVES || r->sum.kind == BUTTERFLY;
    const bool fixed = r->scale == FIXED, by_amax = r->scale == AMAX;
    const bool in_fp32 = scaled || w->output || r->wide_beta || r->wide_gate || r->logit ||
                         r->ring || r->prompt || r->narrow_operands || r->residual;
    const bool same = w->named ? w->wide && r->store.p == fp32.p : !w->wide; /* as operations */
    const bool stores = scaled || r->draws || !same;
    const bool narrow_error = w->whole_residual || r->residual_format.p <= 4,
               needs = w->whole_residual || r->residual_format.p == 2;
    const bool even = r->block == ROWS || (r->block == GROUP && r->size % 2 == 0);
    const struct {
        bool wrong;
        const char *why;
    } rule[] = {
        {tree && r->fused_sum, "sums by halves have no fused products"},
        {in_fp32 && !w->wide,
         "scales, outputs, and beta and decay in fp32 need operations in fp32"},
        {w->named && !holds_format(work, &r->store), "the state is wider than the operations"},
        {scaled && r->store.round == STOCHASTIC, "a scaled store that draws has no claim"},
        {w->wide_scale && r->quotient, "a scale in fp32 has quotient=inverse"},
        {fixed && !is_number_between(&fp32, r->fixed, -126, 126), "no such static scale"},
        {r->quotient && !by_amax && !fixed, "a quotient is for amax and static"},
        {r->quotient == BY_BOTH && fixed, "a static scale has one quotient"},
        {w->most && !by_amax && r->scale != POW2, "most is for amax and pow2"},
        {w->most && !(w->named && is_number_between(&r->store, r->most, -14, 128)),
         "most is a number of the state's own format"},
        {r->full && (!scaled || !r->integer), "clamp=full is for scaled integers"},
        {w->clamp == 2 && (!scaled || w->cuts), "clamp=none is for scaled formats that overflow"},
        {r->block != ROWS && !scaled, "a block is for scales"},
        {r->second && !(by_amax && r->own_format && r->scale_format.p <= 4 && !r->quotient),
         "a second scale is for scale=amax:e4m3 and amax:e5m2"},
        {r->second && !w->named, "a second scale is for a state in a format of its own"},
        {r->layers && (r->second || r->each_factor),
         "block=tensor is not for second scales and stores between factors"},
        {r->narrow_operands && (r->operands.p == fp32.p || r->gate == FOLDED || r->ring),
         "operands are narrower than fp32, and not for gate=folded and rings"},
        {r->residual && (!stores || r->each_factor || r->ring || w->pair),
         "a residual is for a store after letters, of numbers with bits of their own"},
        {r->residual && needs && !r->residual_scale, "a residual in integers or e2m1 has a scale"},
        {r->residual_scale && !(r->residual && narrow_error),
         "residual-scale is for residuals in integers, e2m1, e4m3 or e5m2"},
        {(r->letters > 1 && !r->ring && !stores) || (r->each_factor && !stores),
         "letters and stores are for a state that is rounded when it is stored"},
        {r->each_factor && r->letters > 1, "stores=factor has letters=1"},
        {r->ring && (r->letters == 1 || !r->unstored), "a ring has letters and read=unstored"},
        {r->ring && r->prompt, "a prompt before a ring has no claim"},
        {!r->prompt && r->handover.p != fp32.p, "a handover is for a prompt"},
        {r->draw != DRAW_ANY && !r->draws, "draw is for stochastic states"},
        {r->draw == DRAW_FLOOR && !r->integer, "a floor is for integers"},
        {w->pair && (r->draw == DRAW_ANY || !even),
         "pairs need random bits, and rows or even groups"},
    };
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++)
        if (rule[i].wrong) reject(t, "%s", rule[i].why);
}

engine_row plain_row(void)
{
    return (engine_row){.sum = {LEFT, 1, 1}, .squares = {LEFT, 1, 1}};
}

void read_keys_row(engine_row *r, text *t)
{
    static const char *const norm[] = {"reciprocal", "quotient", "rsqrt", "outside", "max", "rms"};
    static const char *const decode[] = {"nearest", "linear"}, *const norm_in[] = {"fp32",
                                                                                   "format"};
    r->directions = read_word(t, ",decode=", decode, 2) == 1;
    r->norm = (enum norm)read_word(t, ",norm=", norm, 6);
    r->narrow_norm = read_word(t, ",norm-in=", norm_in, 2) == 1;
    r->squares = read_sum(t, ",squares=");
}

engine_row read_row(text *t, const format *data, format *work, format *state)
{
    static const char *const fuse[] = {"none", "sum", "update", "both"};
    static const char *const gate[] = {"early", "late", "folded"}, *const width[] = {"format",
                                                                                     "fp32"};
    static const char *const betas[] = {"format", "fp32", "logit-format", "logit"};
    static const char *const prefill[] = {"none", "unstored"};
    static const char *const answer[] = {"stored", "unstored"}, *const saturate[] = {":saturate",
                                                                                     ","};
    engine_row r = {.sum = read_sum(t, "row sum=")};
    bool integer;
    const size_t fused = read_word(t, ",fuse=", fuse, 4);
    r.fused_sum = fused & 1;
    r.fused_update = fused >> 1;
    r.gate = (enum gate_place)read_word(t, ",gate=", gate, 3);
    row_words w = {.wide = read_word(t, ",work=", width, 2) == 1};
    if (w.wide) *work = fp32;
    expect(t, ",operands=");
    r.narrow_operands = !comes(t, "none");
    if (r.narrow_operands)
        r.operands = named_format(formats[read_word(t, "", formats, NARROW)], &integer);
    else
        expect(t, "none");
    read_store(&r, &w, t, data);
    *state = r.scale == NO_SCALE && !r.residual ? r.store : *work;
    r.unstored = read_word(t, ",read=", answer, 2) == 1;
    expect(t, ",output=");
    r.reads = r.unstored;
    r.output = *data;
    if (comes(t, "usual")) {
        expect(t, "usual");
    } else {
        r.reads = w.output = true;
        r.output = named_format(formats[read_word(t, "", formats, NARROW)], &integer);
        if (comes(t, saturate[0])) {
            expect(t, saturate[0]);
            r.output.saturate = true;
        }
    }
    r.wide_keys = read_word(t, ",keys=", width, 2) == 1;
    const size_t beta = read_word(t, ",beta=", betas, 4);
    r.wide_beta = beta == 1 || beta == 3;
    r.logit = beta > 1;
    r.wide_gate = read_word(t, ",decay=", width, 2) == 1;
    r.prompt = read_word(t, ",prefill=", prefill, 2) == 1;
    r.handover = named_format(formats[read_word(t, ",handover=", formats, NARROW)], &integer);
    read_keys_row(&r, t);
    refuse_row(t, &r, &w, work);
    return r;
}

/* --- sums --- */

real sum_in_order(const format *f, const sum_order *o, bool fuse, const reals *a, const real *b,
                  const format *operands, size_t stride, size_t n, real *chain)
{
    const bool tree = o->kind == HALVES || o->kind == BUTTERFLY, line = o->kind == LEFT;
    const size_t lanes = line               ? 1
                         : tree             ? n
                         : o->kind == LANES ? o->lanes
                                            : (n + o->lanes - 1) / o->lanes;
    size_t full = 1;
    while (full < lanes) full *= 2;
    spend(1 + full * o->chains / 4);
    real *lane = chain + full * o->chains;
    memset(chain, 0, full * (o->chains + 1) * sizeof *chain);
    for (const struct place *p = a->at; p < a->at + a->count; p++) {
        const size_t i = p->index;
        const size_t l = line ? 0 : tree ? i : o->kind == LANES ? i % o->lanes : i / o->lanes;
        const size_t place = o->kind == LANES ? i / o->lanes : o->kind == BLOCKS ? i % o->lanes : 0;
        real *c = &chain[l * o->chains + place % o->chains];
        const real x = operands ? times(operands, b[i * stride], one) : b[i * stride];
        *c = fuse ? fused(f, p->value, x, *c) : plus(f, *c, times(f, p->value, x));
    }
    for (size_t l = 0; l < full; l++)
        for (size_t c = 0; c < o->chains; c++) lane[l] = plus(f, lane[l], chain[l * o->chains + c]);
    if (o->kind == BUTTERFLY)
        for (size_t h = 1; h < full; h *= 2)
            for (size_t i = 0; i < full; i += 2 * h) lane[i] = plus(f, lane[i], lane[i + h]);
    else
        for (size_t h = full / 2; h > 0; h /= 2)
            for (size_t i = 0; i < h; i++) lane[i] = plus(f, lane[i], lane[i + h]);
    return lane[0];
}

/* Sets `lost` unless x is a multiple of 2^-10 of at most 2^12: differences of such numbers are
 * numbers of fp32, so that a state is made again from a ring, which is summed in order
 * (theory/pages/engines.md, EN.14). */
void need_ring(real x)
{
    const real size = x.m < 0 ? minus(x) : x;
    if (x.m == 0) return;
    if (x.e == NOT_FINITE || x.e < -10 || leading_bit(size) > 12 ||
        (leading_bit(size) == 12 && size.m > 1))
        lost = true;
}

/* Applies one factor column by column; gate: of the letter, where it comes with this factor, or
 * one. */
void push_row(const engine_row *r, const format *f, const struct push *p, real gate, real *S,
              size_t n, size_t d, const step_room *room)
{
    const struct place *v = p->value.at, *end = v + p->value.count;
    const bool gated = !same_real(gate, one);
    reals key = p->key;
    if (gated && r->gate == FOLDED) {
        key.at = room->key;
        for (size_t i = 0; i < key.count; i++)
            key.at[i] = (struct place){p->key.at[i].index, times(f, p->key.at[i].value, gate)};
    }
    for (size_t j = 0; j < d; j++, S++) {
        const format *operands = r->narrow_operands ? &r->operands : NULL;
        real sum = sum_in_order(f, &r->sum, r->fused_sum, &key, S, operands, d, n, room->chain);
        if (gated && r->gate == LATE) sum = times(f, sum, gate);
        for (size_t i = 0; gated && i < n; i++) S[i * d] = times(f, S[i * d], gate);
        if (v < end && v->index == j) sum = plus(f, sum, minus(v++->value));
        sum = times(f, p->beta, sum);
        if (operands) sum = times(operands, sum, one);
        const real update = r->ring ? times(&r->ring_format, sum, one) : sum;
        for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
            real *to = &S[k->index * d];
            *to = r->fused_update ? fused(f, minus(k->value), sum, *to)
                                  : plus(f, *to, minus(times(f, k->value, sum)));
            if (!r->ring) continue;
            const real value = times(&r->ring_format, k->value, one);
            need_ring(*to);
            if (!room->beside) continue;
            real *total = &room->beside[k->index * d + j];
            *total = fused(&fp32, minus(value), update, *total);
        }
    }
}

void need_layer(const engine_row *r, const block *y)
{
    mpq_t length, first;
    if (!r->directions) return;
    if (y->heads > 1) give_up("decode=linear in a layer of several heads, each with its own norm");
    mpq_inits(length, first, NULL);
    for (size_t c = 0; c < y->readout->codes; c++) {
        square_of(length, &y->readout->code[c]);
        if (c == 0) mpq_set(first, length);
        if (mpq_sgn(length) == 0 || !mpq_equal(length, first))
            give_up("decode=linear where codes have different lengths, or are 0");
    }
    mpq_clears(length, first, NULL);
}
