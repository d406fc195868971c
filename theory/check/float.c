/* claim float and claim refuted: networks of layers over Q, without forms, as machines whose
 * numbers are rounded.
 *
 *     claim float|refuted
 *     FORMAT, then on the next line SCHEDULE            real.h
 *     size ..
 *     letters K states Q numbers N rows R               float; N numbers in a state of all
 *                                                       layers and heads
 *     row i state q numbers X_1 .. X_N [beside Y_1 .. Y_N] [since c] next r_1 .. r_K
 *                                                       R times, all different, the first is the
 *                                                       start
 *     end R                                             `next ..` is not there in a row that draws
 *     letters K states Q numbers N rows R               refuted; the first line if u has letters
 *     prefix a ..                                       u
 *     word a ..                                         w
 *     row i state q numbers X_1 .. X_N                  R times; row i is after i - 1 letters
 *     back r                                            row r is what comes after row R; it is
 *                                                       not within u, and
 *     end R                                             there are whole w's from row r to it
 *
 * beside: with a ring the sums of its products since the last store, where X is the state of that
 * store; with residual=feedback the errors of that store. since: with letters=L, L > 1, the letters
 * since that store, less than L and for all layers alike.
 *
 * A network whose numbers are rounded is a finite machine, and claim float lists the pairs
 * (numbers of all layers and what is kept beside them, state of the automaton) that words lead to.
 * Weights and initial states are correctly rounded to nearest even from their exact values, every
 * step is computed again as the schedule has it, and decoded by the nearest code, exactly. The
 * induction is the induction of claim exact (theory/pages/closure.md, C4). A number that is not
 * finite ends the check. A stochastic state (draw=any) has an outcome for each choice of a
 * neighbour of each number that is not one of its format: then the pairs after all of them are
 * found among the rows, in which the label is right after each. Such a row keeps nothing beside its
 * state.
 *
 * Claim refuted means that such a machine is wrong: it lists the pairs along one word u w w w
 * ..; the pair after the last row is again an earlier one, where a w begins as well.
 * So what follows repeats itself for ever, and the labels along the rows, all computed again
 * here, are the labels at all lengths (theory/pages/obstruct.md, OB.5). Where a layer gives no
 * symbol there is no label, which is wrong, and the layers above stay as they are. */
#include "theory/check/real.h"
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 signed_wide;

/* Codes of a layer times `scale` as integers, one code's entries after the other's; first[code + 1]
 * is the end of a code's entries. scale 0: they are not small integers. */
typedef struct decoder {
    uint32_t scale, *index;
    int32_t *value;
    size_t *first;
} decoder;

/* The numbers of rows as they are spelled and as they are; code[row * stages + layer]: the nearest
 * code, from 1 on; 0: not known yet, UNSET: not just one. period: letters from a store to the next
 * one; beside: of the heads of a layer, or NULL where a row keeps nothing beside its state. */
typedef struct machine {
    schedule schedule;
    set spelled;
    real *number, *in, *beside;
    size_t capacity, period;
    uint32_t *code, *found, *prefix, *word;
    size_t prefix_letters, word_letters;
    decoder *decoder;
    step_room room;
    signed_wide *scaled;
} machine;

/* Makes the words from `from` up to the end of the line part of the verdict. */
static void keep_words(problem *x, const text *t, const char *from)
{
    const size_t used = strlen(x->tail), size = (size_t)(t->at - from);
    if (used + size + 2 > sizeof x->tail) reject(t, "a line is too long");
    x->tail[used] = ' ';
    memcpy(x->tail + used + 1, from, size);
    x->tail[used + 1 + size] = '\0';
}

void read_float_terms(problem *x, text *t)
{
    machine *m = x->own = grab(1, sizeof *m);
    const char *from = t->at;
    const format data = read_format(t);
    keep_words(x, t, from);
    end_line(t);
    from = t->at;
    m->schedule = read_schedule(t, data);
    keep_words(x, t, from);
    end_line(t);
    const engine_row *r = &m->schedule.row;
    if (data.round == STOCHASTIC || (r->draws && r->draw != DRAW_ANY) || r->prompt ||
        m->schedule.order == CHUNK64)
        reject(t, "this claim is not for stochastic rounding, random bits, prompts and chunk64");
    m->period = r->letters > 1 ? r->letters : 1;
    if (r->ring || r->residual == FEEDBACK) m->beside = grab(x->net.entries, sizeof *m->beside);
    if (r->draws && (m->beside || m->period > 1))
        reject(t, "this claim is not for what draws and keeps more than a state");
}

/* Returns the format of a row's numbers. Those that wait for their store are results of
 * operations; sums of rings and errors are numbers of fp32. */
static const format *row_format(const machine *m)
{
    return m->beside ? &fp32 : m->period > 1 ? &m->schedule.work : &m->schedule.state;
}

/* Reads the word and the numbers of all layers; returns the place after them. */
static uint32_t *read_joint(problem *x, text *t, const char *word, uint32_t *pair)
{
    machine *m = x->own;
    expect(t, word);
    for (size_t j = 0; j < x->net.numbers; j++) {
        const name spelled = {t->at, 1 + strcspn(t->at + (*t->at == ' '), " \n")};
        size_t known = find(&m->spelled, spelled);
        if (known == NONE) {
            known = m->spelled.count;
            m->number = grow(m->number, known, &m->capacity, sizeof *m->number);
            m->number[known] = read_real(t, " ");
            if (!is_in(row_format(m), m->number[known])) reject(t, "not a number of the format");
            add(&m->spelled, spelled);
        } else {
            t->at += spelled.size;
        }
        *pair++ = (uint32_t)known;
    }
    return pair;
}

/* Reads " numbers X .. [beside Y ..] [since c]" of a row; returns the place after them. */
static uint32_t *read_row_numbers(problem *x, text *t, uint32_t *pair)
{
    const machine *m = x->own;
    pair = read_joint(x, t, " numbers", pair);
    if (m->beside) pair = read_joint(x, t, " beside", pair);
    if (m->period > 1) *pair++ = (uint32_t)number(t, " since ", 0, m->period - 1);
    return pair;
}

/* Reads "letters K states Q numbers N rows R", each row of `bytes` bytes or more besides its
 * numbers, and makes room for rows. */
static level *read_float_head(problem *x, text *t, size_t bytes)
{
    const machine *m = x->own;
    const size_t joint = x->net.numbers, listed = m->beside ? product_of(2, joint) : joint;
    level *b = all_stages(x, 1 + listed + (m->period > 1));
    number(t, "letters ", x->a.kinds, x->a.kinds);
    number(t, " states ", x->a.states.count, x->a.states.count);
    if (joint > MAX_FILE) give_up("a state is too large");
    number(t, " numbers ", joint, joint);
    b->pairs = count_of(t, " rows ", 1, bytes + 2 * listed);
    end_line(t);
    b->pair = grab(product_of(b->pairs, b->width), sizeof *b->pair);
    b->line = t->line;
    return b;
}

void read_float_rows(problem *x, text *t)
{
    const machine *m = x->own;
    const size_t letters = m->schedule.row.draws ? 0 : x->a.kinds;
    level *b = read_float_head(x, t, sizeof "row 1 state 1 numbers" + 2 * letters);
    uint32_t *pair = b->pair,
             *next = b->next = grab(product_of(b->pairs, letters), sizeof *b->next);
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, "row ", i + 1, i + 1);
        *pair++ = (uint32_t)number(t, " state ", 1, x->a.states.count) - 1;
        pair = read_row_numbers(x, t, pair);
        if (letters > 0) expect(t, " next");
        for (size_t w = 0; w < letters; w++) *next++ = (uint32_t)number(t, " ", 1, b->pairs) - 1;
        end_line(t);
    }
    number_line(t, "end ", b->pairs, b->pairs);
    snprintf(x->counts, sizeof x->counts, "rows %zu", b->pairs);
}

void read_refuted(problem *x, text *t)
{
    machine *m = x->own;
    level *b = read_float_head(x, t, sizeof "row 1 state 1 numbers");
    if (m->schedule.row.draws) reject(t, "a state that is drawn has no run");
    if (m->beside || m->period > 1) reject(t, "this claim is not for rings, feedback and letters");
    if (comes(t, "prefix")) {
        m->prefix = read_numbers(t, "prefix", 1, x->a.kinds, &m->prefix_letters);
        end_line(t);
    }
    m->word = read_numbers(t, "word", 1, x->a.kinds, &m->word_letters);
    end_line(t);
    b->line = t->line;
    uint32_t *pair = b->pair;
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, "row ", i + 1, i + 1);
        *pair++ = (uint32_t)number(t, " state ", 1, x->a.states.count) - 1;
        pair = read_row_numbers(x, t, pair);
        end_line(t);
    }
    const size_t back = number(t, "back ", 1, b->pairs);
    if (back <= m->prefix_letters || (b->pairs + 1 - back) % m->word_letters != 0)
        reject(t, "no word begins there as after the last row");
    end_line(t);
    b->start = (uint32_t)back - 1;
    number_line(t, "end ", b->pairs, b->pairs);
}

#ifdef LRNN_CHECK_PLAIN

static void make_decoder(decoder *out, const block *y)
{
    (void)y;
    out->scale = 0;
}

static size_t nearest_on_grid(const machine *m, const block *y, const decoder *of, uint32_t *found)
{
    (void)m, (void)y, (void)of, (void)found;
    return 0;
}

#else

/* Sets the least scale that makes all codes integers, if it and they are small. */
static void make_decoder(decoder *out, const block *y)
{
    mpz_t scale, z;
    size_t entries = 0;
    const size_t codes = y->readout->codes;
    mpz_init_set_ui(scale, 1);
    mpz_init(z);
    for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
        for (const vector *v = r->code; v < r->code + r->codes; entries += v++->count)
            for (const struct entry *e = v->entry; e < behind(v) && mpz_sizeinbase(scale, 2) < 32;
                 e++)
                mpz_lcm(scale, scale, mpq_denref(e->value));
    bool small = mpz_sizeinbase(scale, 2) < 32;
    *out = (decoder){0, grab(entries, sizeof *out->index), grab(entries, sizeof *out->value),
                     grab(codes + 1, sizeof *out->first)};
    for (size_t c = 0, at = 0; small && c < codes; out->first[++c] = at)
        for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
            for (const struct entry *e = r->code[c].entry; e < behind(&r->code[c]); e++, at++) {
                mpz_divexact(z, scale, mpq_denref(e->value));
                mpz_mul(z, z, mpq_numref(e->value));
                small = small && mpz_sizeinbase(z, 2) < 32;
                out->index[at] = (uint32_t)(r->at + e->index);
                out->value[at] = small ? (int32_t)mpz_get_si(z) : 0;
            }
    out->scale = small ? (uint32_t)mpz_get_ui(scale) : 0;
    mpz_clears(scale, z, NULL);
}

static int bits_of(real a)
{
    return a.m == 0 ? 0 : 64 - __builtin_clzll((uint64_t)(a.m < 0 ? -a.m : a.m));
}

/* Does the work of nearest_codes in integers times scale^2 2^-low, where these are small enough;
 * returns 0 where they are not. With room for the sum of all entries, codes and numbers are below
 * 2^32 and 2^62 and sums below 2^126. */
static size_t nearest_on_grid(const machine *m, const block *y, const decoder *of, uint32_t *found)
{
    int low = 0, bits = 0, room = 1;
    size_t count = 0;
    signed_wide least = 0;
    for (size_t i = y->entries; i > 0; i /= 2) room++;
    for (size_t i = 0; i < y->entries; i++) low = m->in[i].e < low ? m->in[i].e : low;
    for (size_t i = 0; i < y->entries; i++)
        bits = m->in[i].m ? MAXIMUM(bits, bits_of(m->in[i]) + m->in[i].e - low) : bits;
    if (of->scale == 0 || bits + room > 60 || room - low > 58) return 0;
    for (size_t i = 0; i < y->entries; i++) {
        const signed_wide unit = (signed_wide)1 << (m->in[i].m ? m->in[i].e - low : 0);
        m->scaled[i] = m->in[i].m * unit * of->scale;
    }
    spend(1 + of->first[y->readout->codes] / 16);
    for (size_t c = 0; c < y->readout->codes; c++) {
        signed_wide sum = 0, unit = (signed_wide)1 << -low;
        for (size_t p = of->first[c]; p < of->first[c + 1]; p++)
            sum += (of->value[p] * unit - 2 * m->scaled[of->index[p]]) * of->value[p];
        if (count == 0 || sum < least) count = 0;
        if (count > 0 && sum > least) continue;
        least = sum;
        found[count++] = (uint32_t)c;
    }
    return count;
}

#endif

/* Writes to `found` all codes c that are nearest to the state, which have the least |c|^2 - 2 c S,
 * and returns their number. */
static size_t nearest_codes(const problem *x, const block *y, uint32_t *found)
{
    const machine *m = x->own;
    size_t count = 0;
    mpq_t least, sum, product;
    mpq_inits(least, sum, product, NULL);
    for (size_t i = 0; i < y->entries; i++) set_real(x->state[i], m->in[i]);
    for (size_t c = 0; c < y->readout->codes; c++) {
        mpq_set_ui(sum, 0, 1);
        for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
            for (const struct entry *e = r->code[c].entry; e < behind(&r->code[c]); e++) {
                mpq_sub(product, e->value, x->state[r->at + e->index]);
                mpq_sub(product, product, x->state[r->at + e->index]);
                mpq_mul(product, product, e->value);
                mpq_add(sum, sum, product);
                spend(2);
                spend_on(sum);
            }
        const int compared = count > 0 ? mpq_cmp(sum, least) : -1;
        spend(1);
        if (compared < 0) {
            mpq_swap(least, sum);
            count = 0;
        }
        if (compared <= 0) found[count++] = (uint32_t)c;
    }
    mpq_clears(least, sum, product, NULL);
    return count;
}

/* Returns the symbol of layer l, in the state m->in, after the letter, or UNSET, also where codes
 * at the same distance give different symbols; known: the remembered code of the state. */
static uint32_t nearest_symbol(const problem *x, size_t l, size_t letter, uint32_t *known)
{
    const machine *m = x->own;
    const block *y = &x->net.block[l];
    if (*known != 0 && *known != UNSET) return symbol_after(y, letter, *known - 1);
    size_t count = nearest_on_grid(m, y, &m->decoder[l], m->found);
    if (count == 0) count = nearest_codes(x, y, m->found);
#ifndef LRNN_CHECK_PLAIN
    *known = count == 1 ? m->found[0] + 1 : UNSET;
#endif
    const uint32_t symbol = symbol_after(y, letter, m->found[0]);
    for (size_t i = 1; i < count; i++)
        if (symbol_after(y, letter, m->found[i]) != symbol) return UNSET;
    return symbol;
}

/* Checks that the count of letters goes on, and returns whether no store follows the letter. */
static bool is_waiting(const machine *m, const text *t, const level *b, const uint32_t *row,
                       size_t letter, const uint32_t *next)
{
    if (m->period == 1) return false;
    const size_t since = (row[b->width - 1] + (size_t)1) % m->period;
    if (next[b->width - 1] != since)
        reject(t, "letter %zu: %zu letters since the store", letter + 1, since);
    return since > 0;
}

/* Checks that a layer goes to the numbers of the next row. */
static void need_numbers(const machine *m, const text *t, const real *found, size_t count,
                         const uint32_t *listed, size_t letter, size_t l)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].e == NOT_FINITE)
            reject(t, "letter %zu: layer %zu: not finite", letter + 1, l + 1);
        if (!same_real(found[i], m->number[listed[i]]))
            reject(t, "letter %zu: layer %zu goes to another state", letter + 1, l + 1);
    }
}

/* Checks that the letter leads from the row to `next`, and sets *right to whether the label is
 * right. Returns the first layer that gives no symbol, from 1 on, or 0. */
static size_t step_float(problem *x, const text *t, const level *b, const uint32_t *row,
                         size_t letter, const uint32_t *next, bool *right)
{
    machine *m = x->own;
    const size_t after = (size_t)(next - b->pair) / b->width;
    size_t symbol = letter, at = 1, stuck = 0;
    m->room.waits = is_waiting(m, t, b, row, letter, next);
    if (x->a.next[*row * x->a.kinds + letter] != *next)
        reject(t, "letter %zu: the automaton goes to another state", letter + 1);
    for (size_t l = 0; l < x->net.stages; at += x->net.block[l++].entries) {
        const block *y = &x->net.block[l];
        for (size_t i = 0; i < y->entries; i++) m->in[i] = m->number[row[at + i]];
        for (size_t i = 0; m->beside && i < y->entries; i++)
            m->beside[i] = m->number[row[x->net.numbers + at + i]];
        for (const head *h = y->head; stuck == 0 && h < y->head + y->heads; h++) {
            m->room.beside = m->beside ? m->beside + h->at : NULL;
            turn_head(&m->schedule, h, &h->slot->in[symbol], m->in + h->at, &m->room);
        }
        m->room.beside = m->beside;
        if (stuck == 0) keep_layer(&m->schedule, y, m->in, false, &m->room);
        need_numbers(m, t, m->in, y->entries, next + at, letter, l);
        if (m->beside)
            need_numbers(m, t, m->beside, y->entries, next + x->net.numbers + at, letter, l);
        if (stuck > 0) continue;
        uint32_t unknown = 0, *known = &m->code[after * x->net.stages + l];
        if (m->schedule.order == ENGINE && m->schedule.row.reads) {
            memcpy(m->in, m->room.read, y->entries * sizeof *m->in);
            for (size_t i = 0; i < y->entries; i++)
                if (m->in[i].e == NOT_FINITE) reject(t, "a number that is read is not finite");
            known = &unknown; /* it may differ for one state */
        }
        symbol = nearest_symbol(x, l, symbol, known);
        if (symbol == UNSET) stuck = l + 1;
    }
    *right = stuck == 0 && is_label(x, symbol, *row, letter);
    return stuck;
}

/* Checks the step of claim float. */
static void check_float_edge(problem *x, const text *t, const level *b, const uint32_t *row,
                             size_t letter, const uint32_t *next)
{
    bool right;
    const size_t stuck = step_float(x, t, b, row, letter, next, &right);
    if (stuck > 0) reject(t, "letter %zu: layer %zu gives no symbol", letter + 1, stuck);
    if (!right) reject(t, "letter %zu: the label is not the automaton's", letter + 1);
}

/* Checks that row 1 is the start: initial states are data, and beside them there is nothing. */
static void check_float_start(const problem *x, const text *t)
{
    const machine *m = x->own;
    const uint32_t *row = x->level->pair, *at = row + 1;
    bool right = *row == x->a.start;
    for (const stage *s = x->net.stage; s < x->net.stage + x->net.stages; s++) {
        for (const head *h = s->block->head; h < s->block->head + s->block->heads; h++) {
            const reals v = weights(&m->schedule.weights, &s->initial[h - s->block->head], NULL);
            const struct place *p = v.at, *end = p + v.count;
            for (size_t i = 0; i < h->entries; i++)
                m->in[h->at + i] = p < end && p->index == i ? p++->value : (real){0, 0};
            start_head(&m->schedule, h, m->in + h->at, &m->room);
        }
        keep_layer(&m->schedule, s->block, m->in, true, &m->room);
        for (size_t i = 0; i < s->block->entries; i++)
            right = right && same_real(m->in[i], m->number[*at++]);
    }
    for (size_t i = 0; m->beside && i < x->net.numbers; i++)
        right = right && m->number[*at++].m == 0;
    if (m->period > 1) right = right && *at == 0;
    if (!right) reject(t, "the first row is not the start");
}

/* Makes weights in the format, tables and room for step_float, and the start. */
static void begin_float(problem *x, const text *t)
{
    machine *m = x->own;
    size_t most = 1;
    m->in = grab(x->net.entries, sizeof *m->in);
    m->scaled = grab(x->net.entries, sizeof *m->scaled);
    m->room = make_room(&x->net);
    m->decoder = grab(x->net.stages, sizeof *m->decoder);
    m->code = grab(product_of(x->level->pairs, x->net.stages), sizeof *m->code);
    for (size_t l = 0; l < x->net.stages; l++) {
        const block *y = &x->net.block[l];
        need_layer(&m->schedule.row, y);
        for (const head *h = y->head; h < y->head + y->heads; h++) make_turns(&m->schedule, h);
        make_decoder(&m->decoder[l], y);
        most = MAXIMUM(most, y->readout->codes);
    }
    m->found = grab(most, sizeof *m->found);
    check_float_start(x, t);
}

/* The numbers of all rows, and the rows, for outcomes to be found in. */
typedef struct outcomes {
    set numbers, rows;
    struct key {
        int64_t m, e;
    } * key;
    uint32_t *after; /* the row that is looked for */
    bool *reached;   /* [pairs] */
} outcomes;

static struct key key_of(real a)
{
    return (struct key){a.m, a.e};
}

/* Enters the numbers and the rows, all different. */
static outcomes enter_rows(const problem *x, text *t)
{
    const machine *m = x->own;
    const level *b = x->level;
    outcomes o = {.key = grab(m->spelled.count, sizeof *o.key),
                  .after = grab(b->width, sizeof *o.after),
                  .reached = grab(b->pairs, sizeof *o.reached)};
    for (size_t i = 0; i < m->spelled.count; i++) {
        o.key[i] = key_of(m->number[i]);
        add(&o.numbers, (name){(const char *)&o.key[i], sizeof o.key[i]});
    }
    t->line = b->line;
    for (size_t i = 0; i < b->pairs; i++, t->line++)
        if (!add(&o.rows,
                 (name){(const char *)(b->pair + i * b->width), b->width * sizeof *b->pair}))
            reject(t, "the row is listed twice");
    o.reached[0] = true;
    return o;
}

/* Writes the numbers of layer l, which are at m->in, to the row that is looked for, from `at` on.
 */
static void note_numbers(const problem *x, const text *t, const outcomes *o, size_t at, size_t l)
{
    const machine *m = x->own;
    for (size_t i = 0; i < x->net.block[l].entries; i++) {
        const struct key key = key_of(m->in[i]);
        const size_t known = find(&o->numbers, (name){(const char *)&key, sizeof key});
        if (m->in[i].e == NOT_FINITE) reject(t, "layer %zu: not finite", l + 1);
        if (known == NONE) reject(t, "layer %zu: a number that no row has is drawn", l + 1);
        o->after[at + i] = (uint32_t)known;
    }
}

/* Checks that the letter leads from the row, with the choices, to one of the rows, with the right
 * label. */
static void check_outcome(problem *x, const text *t, const outcomes *o, const uint32_t *row,
                          size_t letter)
{
    machine *m = x->own;
    size_t symbol = letter, at = 1;
    o->after[0] = x->a.next[*row * x->a.kinds + letter];
    for (size_t l = 0; l < x->net.stages; at += x->net.block[l++].entries) {
        const block *y = &x->net.block[l];
        uint32_t unknown = 0;
        for (size_t i = 0; i < y->entries; i++) m->in[i] = m->number[row[at + i]];
        for (const head *h = y->head; h < y->head + y->heads; h++)
            turn_head(&m->schedule, h, &h->slot->in[symbol], m->in + h->at, &m->room);
        keep_layer(&m->schedule, y, m->in, false, &m->room);
        note_numbers(x, t, o, at, l);
        for (size_t i = 0; m->schedule.row.reads && i < y->entries; i++) {
            m->in[i] = m->room.read[i];
            if (m->in[i].e == NOT_FINITE) reject(t, "a number that is read is not finite");
        }
        symbol = nearest_symbol(x, l, symbol, &unknown);
        if (symbol == UNSET) reject(t, "letter %zu: layer %zu gives no symbol", letter + 1, l + 1);
    }
    if (!is_label(x, symbol, *row, letter))
        reject(t, "letter %zu: the label is not the automaton's", letter + 1);
    const size_t width = x->level->width * sizeof *o->after,
                 after = find(&o->rows, (name){(const char *)o->after, width});
    if (after == NONE) reject(t, "letter %zu: an outcome is no row", letter + 1);
    o->reached[after] = true;
}

/* Checks claim float where the store draws. Each row but the first is an outcome of an earlier
 * one. */
static void check_drawn_rows(problem *x, text *t)
{
    machine *m = x->own;
    const level *b = x->level;
    const outcomes o = enter_rows(x, t);
    t->line = b->line;
    for (size_t i = 0; i < b->pairs; i++, t->line++) {
        if (!o.reached[i]) reject(t, "no earlier row leads to this one");
        for (size_t w = 0; w < x->a.kinds; w++) {
            choices c = {.at = 0};
            m->schedule.row.drawn = &c;
            do check_outcome(x, t, &o, b->pair + i * b->width, w);
            while (next_choices(&c));
            m->schedule.row.drawn = NULL;
        }
    }
}

void check_float_rows(problem *x, text *t)
{
    const machine *m = x->own;
    begin_float(x, t);
    if (m->schedule.row.draws)
        check_drawn_rows(x, t);
    else
        check_pairs(x, t, x->level, check_float_edge);
}

void check_refuted(problem *x, text *t)
{
    const machine *m = x->own;
    const level *b = x->level;
    const uint32_t *row = b->pair;
    size_t first = 0, wrong = 0;
    begin_float(x, t);
    t->line = b->line;
    for (size_t i = 0; i < b->pairs; i++, t->line++, row += b->width) {
        const size_t letter = i < m->prefix_letters
                                  ? m->prefix[i]
                                  : m->word[(i - m->prefix_letters) % m->word_letters];
        bool right;
        step_float(x, t, b, row, letter,
                   i + 1 < b->pairs ? row + b->width : b->pair + b->start * b->width, &right);
        if (!right && first == 0) first = i + 1;
        wrong += !right && i >= b->start;
    }
    if (first == 0) reject(t, "no label is wrong");
    snprintf(x->counts, sizeof x->counts, "length %zu period %zu wrong %zu rows %zu", first,
             b->pairs - b->start, wrong, b->pairs);
}
