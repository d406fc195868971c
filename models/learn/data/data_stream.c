/* Sequences letter by letter. Each sequence takes its random numbers from its own positions
 * only. */
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"

void f2l_data_stream_init(f2l_data_stream *s)
{
    *s = (f2l_data_stream){0};
}

void f2l_data_stream_clear(f2l_data_stream *s)
{
    f2l_free(s->frame);
    f2l_free(s->pair);
    f2l_data_stream_init(s);
}

f2l_status f2l_data_stream_start(f2l_data_stream *s, const f2l_data *data, uint64_t step,
                                 uint32_t sequence, size_t length, f2l_error *err)
{
    if (length == 0 || f2l_data_fit(data, length) != length)
        return f2l_fail(err, F2L_EDOMAIN,
                        "no sequence of this task has %zu letters: possible are %zu, %zu, ..",
                        length, data->least, data->least + data->stride);
    *s = (f2l_data_stream){.data = data,
                           .step = step,
                           .sequence = sequence,
                           .length = (uint32_t)length,
                           .began = !data->options.begin,
                           .frame = s->frame,
                           .frame_room = s->frame_room,
                           .pair = s->pair,
                           .pair_room = s->pair_room};
    if (data->fsa) s->state = (uint32_t)data->fsa->start;
    s->wanted = s->length - (data->options.equals ? 1 : 0);
    f2l_data_picked picked = {0};
    if (data->part &&
        !f2l_data_pick(&picked, data, (f2l_data_range){length, length}, step, sequence))
        return f2l_fail(err, F2L_EDOMAIN, "no word has %zu letters", length);
    s->word = picked.word;
    if (data->options.live > 0 || data->options.periodic > 0) f2l_data_begin_walk(s);
    return data->options.kind == F2L_DATA_RECALL ? f2l_data_start_recall(s, err) : F2L_OK;
}

f2l_status f2l_data_stream_begin(f2l_data_stream *s, const f2l_data *data, uint64_t step,
                                 uint32_t sequence, f2l_data_range range, f2l_error *err)
{
    f2l_data_picked picked = {.length = f2l_data_length(data, range, step, sequence)};
    const f2l_status status = f2l_data_stream_start(s, data, step, sequence, picked.length, err);
    if (status != F2L_OK || data->part == NULL) return status;
    (void)f2l_data_pick(&picked, data, range, step, sequence);
    s->word = picked.word;
    return F2L_OK;
}

/* Returns the letter of the next transition. */
static uint32_t next_letter(const f2l_data_stream *s, uint64_t x)
{
    const size_t tokens = f2l_data_tokens(s->data), at = s->position / tokens;
    if (s->around > 0)
        return s->cycle[at < s->before ? at : s->before + (at - s->before) % s->around];
    if (s->live)
        return f2l_data_live_letter(s->data, s->state, (uint32_t)(s->length / tokens - at), x);
    return f2l_data_any_letter(s->data, x);
}

static void next_automaton(f2l_data_stream *s, f2l_data_item *item, uint64_t x)
{
    const f2l_data *data = s->data;
    const uint32_t letters = (uint32_t)data->fsa->letters.count;
    const size_t tokens = f2l_data_tokens(data), token = s->position % tokens;
    if (token == 0) {
        item->letter = next_letter(s, x);
        s->state = data->fsa->next[(size_t)s->state * letters + item->letter];
    } else {
        item->letter = letters;
    }
    const bool last = s->position + 1 == s->length;
    item->counts = token + 1 == tokens && (last || data->options.when == F2L_DATA_EVERY);
    item->label = data->answer[s->state];
}

/* Reads a digit. A digit after + or - begins a product with that sign; a digit after * multiplies
 * the product. */
static void read_digit(f2l_data_stream *s, uint32_t m, uint32_t digit)
{
    if (s->op == F2L_DATA_TIMES) {
        s->product = s->product * digit % m;
    } else {
        s->state = (s->state + s->product) % m;
        s->product = f2l_data_apply(m, 0, s->op, digit);
    }
}

static void next_arithmetic(f2l_data_stream *s, f2l_data_item *item, uint64_t x)
{
    const f2l_data_options *o = &s->data->options;
    const uint32_t m = (uint32_t)o->modulus;
    const bool last = s->position + 1 == s->length, digit = s->position % 2 == 0;
    if (o->equals && last) {
        item->letter = (uint32_t)s->data->letters.count - 1 - s->data->options.begin;
    } else if (digit) {
        item->letter = f2l_data_below(x, m);
        read_digit(s, m, item->letter);
    } else {
        s->op = f2l_data_below(x, f2l_data_operators(s->data));
        item->letter = m + s->op;
    }
    item->counts = last || (digit && o->when == F2L_DATA_EVERY);
    item->label = (s->state + s->product) % m;
}

/* Opens a bracket for an expression of `wanted` >= 3 letters; the contents are drawn at the
 * bracket's position. */
static f2l_status open_bracket(f2l_data_stream *s, f2l_data_draw draw, f2l_error *err)
{
    if (!f2l_grow((void **)&s->frame, &s->frame_room, s->frames, sizeof *s->frame))
        return f2l_fail_memory(err);
    f2l_data_frame *f = &s->frame[s->frames++];
    if (s->wanted < 5) {
        *f = (f2l_data_frame){.op = F2L_DATA_WRAP};
        s->wanted -= 2;
        return F2L_OK;
    }
    const uint32_t left = 1 + f2l_data_below(draw.x, s->wanted - 4);
    *f = (f2l_data_frame){.right = s->wanted - 3 - left,
                          .op = (uint8_t)f2l_data_below(draw.y, f2l_data_operators(s->data))};
    s->wanted = left;
    return F2L_OK;
}

/* Returns the letter after a complete expression: the operator if the expression was the left half
 * of a bracket, otherwise the closing bracket. */
static uint32_t letter_after_expression(f2l_data_stream *s, uint32_t m, uint32_t close)
{
    f2l_data_frame *f = &s->frame[s->frames - 1];
    if (f->right > 0) {
        f->left = s->value;
        s->wanted = f->right;
        f->right = 0;
        return m + f->op;
    }
    if (f->op != F2L_DATA_WRAP) s->value = f2l_data_apply(m, f->left, f->op, s->value);
    s->frames--;
    return close;
}

static f2l_status next_brackets(f2l_data_stream *s, f2l_data_item *item, f2l_data_draw draw,
                                f2l_error *err)
{
    const uint32_t m = (uint32_t)s->data->options.modulus, open = m + f2l_data_operators(s->data);
    if (s->wanted >= 3) {
        item->letter = open;
        const f2l_status status = open_bracket(s, draw, err);
        if (status != F2L_OK) return status;
    } else if (s->wanted == 2) {
        item->letter = m + F2L_DATA_MINUS;
        s->negative = true;
        s->wanted = 1;
    } else if (s->wanted == 1) {
        item->letter = f2l_data_below(draw.x, m);
        s->value = f2l_data_apply(m, 0, s->negative ? F2L_DATA_MINUS : F2L_DATA_PLUS, item->letter);
        s->negative = false;
        s->wanted = 0;
    } else {
        item->letter = s->frames > 0 ? letter_after_expression(s, m, open + 1) : open + 2;
    }
    item->counts = s->position + 1 == s->length;
    item->label = s->value;
    return F2L_OK;
}

/* Sets *item to the begin letter. */
static f2l_status begin_stream(f2l_data_stream *s, f2l_data_item *item)
{
    s->began = true;
    *item = (f2l_data_item){.letter = f2l_data_begin_letter(s->data),
                            .label = (uint32_t)s->data->labels.count - 1,
                            .counts = true};
    return F2L_OK;
}

f2l_status f2l_data_stream_next(f2l_data_stream *s, f2l_data_item *item, f2l_error *err)
{
    if (!s->began) return begin_stream(s, item);
    const f2l_data_draw draw = f2l_data_block(s->data, s->step, s->sequence, s->position);
    f2l_status status = F2L_OK;
    switch (s->data->options.kind) {
    case F2L_DATA_AUTOMATON:
        next_automaton(s, item, draw.x);
        break;
    case F2L_DATA_ARITHMETIC:
        next_arithmetic(s, item, draw.x);
        break;
    case F2L_DATA_BRACKETS:
        status = next_brackets(s, item, draw, err);
        break;
    case F2L_DATA_WORDS:
        f2l_data_next_word(s, item);
        break;
    case F2L_DATA_RECALL:
        f2l_data_next_recall(s, item, draw.x);
        break;
    }
    if (status != F2L_OK) return status;
    if (!item->counts) item->label = 0;
    s->position++;
    return F2L_OK;
}
