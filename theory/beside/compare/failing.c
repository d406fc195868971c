#include "theory/beside/compare/failing.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

enum { SIDE = F2L_LEARNED_SIDE, FOLLOWED = 64, LONGEST_ROOT = 3, MOST_POWERS = 512 };

#define USUAL_LETTERS UINT64_C(100000)
#define USUAL_WORK UINT64_C(2000000000) /* letters times parameters */
#define MOST_BYTES ((size_t)1 << 26)    /* of states that are kept */

/* A word as its last letter after the word `before`, with both states after it. */
typedef struct node {
    size_t before;
    uint32_t letter, state;
} node;

typedef struct search {
    f2l_failing *out;
    f2l_learned_reader reader;
    const f2l_data *data;
    const f2l_task *task;
    uint32_t *used; /* [letters] letters that the data draw */
    size_t letters;
    uint64_t until; /* letters that may have been read at the end of the part at hand */
    float *start;   /* [numbers] */
    float *side;    /* [SIDE][numbers] states that are read side by side */
    float *logits;  /* [SIDE][labels] */
    uint32_t letter[SIDE], answer[SIDE];
} search;

void f2l_failing_clear(f2l_failing *f)
{
    f2l_free(f->word);
    *f = (f2l_failing){.letters = 0};
}

uint64_t f2l_failing_budget(const f2l_seq *model, uint64_t read)
{
    const uint64_t most = USUAL_WORK / (model->parameters + 1);
    if (read != F2L_FAILING_USUAL) return read;
    return most < USUAL_LETTERS ? most : USUAL_LETTERS;
}

/* Returns the most letters that a word of interest has. */
static size_t most(const search *s)
{
    return s->out->letters > 0 ? s->out->letters - 1 : F2L_FAILING_LETTERS;
}

static uint32_t state_after_letter(const search *s, uint32_t state, uint32_t letter)
{
    return s->data->fsa->next[(size_t)state * s->data->fsa->letters.count + letter];
}

/* Takes a wrong word that is shorter than the one that is known. */
static f2l_status take_shorter_word(f2l_failing *out, const uint32_t *word, size_t letters,
                                    uint32_t expected, uint32_t got, f2l_error *err)
{
    uint32_t *copy = f2l_calloc(letters, sizeof *copy);
    if (copy == NULL) return f2l_fail_memory(err);
    memcpy(copy, word, letters * sizeof *copy);
    f2l_free(out->word);
    out->word = copy;
    out->letters = letters;
    out->expected = expected;
    out->got = got;
    return F2L_OK;
}

/* Reads s->letter[count] in the states s->side, with the logits into s->logits if wanted. */
static f2l_status step_side_by_side(search *s, size_t count, bool logits, f2l_error *err)
{
    s->out->read += count;
    const f2l_status status =
        f2l_task_poll(s->task, "short wrong words", (double)s->out->read, (double)s->until, err);
    return status == F2L_OK ? f2l_learned_step(s->answer, logits ? s->logits : NULL, s->side,
                                               &s->reader, s->letter, count, err)
                            : status;
}

/* Reads words of the same length, count <= SIDE, and takes the first wrong beginning of each that
 * is shorter than what is known. */
static f2l_status read_words_at_once(search *s, const uint32_t *word, size_t count, size_t length,
                                     f2l_error *err)
{
    const size_t bytes = s->reader.numbers * sizeof *s->side;
    uint32_t state[SIDE];
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count; i++) {
        memcpy(s->side + i * s->reader.numbers, s->start, bytes);
        state[i] = (uint32_t)s->data->fsa->start;
    }
    for (size_t t = 0; status == F2L_OK && t < length && t < most(s); t++) {
        for (size_t i = 0; i < count; i++) s->letter[i] = word[i * length + t];
        status = step_side_by_side(s, count, false, err);
        for (size_t i = 0; status == F2L_OK && i < count; i++) {
            state[i] = state_after_letter(s, state[i], s->letter[i]);
            const uint32_t expected = s->data->answer[state[i]];
            if (s->answer[i] == expected || t >= most(s)) continue;
            status =
                take_shorter_word(s->out, word + i * length, t + 1, expected, s->answer[i], err);
        }
    }
    return status;
}

/* --- all words --- */

/* The different pairs of states that words lead to, in the order of the words. */
typedef struct words {
    const search *s;
    node *node;
    float *state; /* [room][numbers] */
    size_t count, room;
    f2l_index index;
    uint32_t *spelled; /* [F2L_FAILING_LETTERS] */
} words;

typedef struct pair {
    const float *state;
    uint32_t of_automaton;
} pair;

static uint64_t hash_pair(const words *w, pair p)
{
    return f2l_hash_bytes(f2l_hash(F2L_HASH, p.of_automaton), p.state,
                          w->s->reader.numbers * sizeof *p.state);
}

static uint64_t hash_row(const void *rows, size_t row)
{
    const words *w = rows;
    return hash_pair(w, (pair){w->state + row * w->s->reader.numbers, w->node[row].state});
}

static bool equal_row(const void *rows, size_t row, const void *key)
{
    const words *w = rows;
    const pair *p = key;
    const size_t numbers = w->s->reader.numbers;
    return w->node[row].state == p->of_automaton &&
           memcmp(w->state + row * numbers, p->state, numbers * sizeof *p->state) == 0;
}

/* Spells the word of a node and a letter after it into w->spelled; returns its letters. */
static size_t spell_node_word(words *w, size_t from, uint32_t letter)
{
    size_t length = 1;
    for (size_t i = from; i > 0; i = w->node[i].before) length++;
    w->spelled[length - 1] = letter;
    for (size_t i = from, at = length - 1; i > 0; i = w->node[i].before)
        w->spelled[--at] = w->node[i].letter;
    return length;
}

/* Makes room for `more` nodes; false: they are not kept, for lack of memory. */
static bool reserve_word_nodes(words *w, size_t more)
{
    const size_t each = w->s->reader.numbers * sizeof *w->state + sizeof *w->node;
    size_t room = w->room;
    while (room < w->count + more) room = 2 * room + SIDE;
    if (room > MOST_BYTES / each) return false;
    if (room == w->room) return true;
    node *nodes = f2l_realloc(w->node, room, sizeof *nodes);
    if (nodes) w->node = nodes;
    float *states = f2l_realloc(w->state, room, w->s->reader.numbers * sizeof *states);
    if (states) w->state = states;
    if (!nodes || !states) return false;
    w->room = room;
    return true;
}

/* Adds the pair that word number `from` and a letter lead to, unless it is known; returns whether
 * there was memory. */
static bool add_word_node(words *w, size_t from, uint32_t letter, pair p)
{
    if (!f2l_index_grow(&w->index, hash_row, w)) return false;
    const size_t count = w->index.count;
    (void)f2l_index_find_or_add(&w->index, hash_pair(w, p), equal_row, w, &p);
    if (w->index.count == count) return true;
    memcpy(w->state + w->count * w->s->reader.numbers, p.state,
           w->s->reader.numbers * sizeof *p.state);
    w->node[w->count++] = (node){from, letter, p.of_automaton};
    return true;
}

/* Reads the letters `a` .. `a + count - 1` after word number `from`. */
static f2l_status leave_word_node(search *s, words *w, size_t from, size_t a, size_t count,
                                  bool *room, f2l_error *err)
{
    const size_t numbers = s->reader.numbers;
    for (size_t i = 0; i < count; i++) {
        memcpy(s->side + i * numbers, w->state + from * numbers, numbers * sizeof *s->side);
        s->letter[i] = s->used[a + i];
    }
    f2l_status status = step_side_by_side(s, count, false, err);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        const pair p = {s->side + i * numbers,
                        state_after_letter(s, w->node[from].state, s->letter[i])};
        const uint32_t expected = s->data->answer[p.of_automaton];
        if (s->answer[i] != expected && s->out->letters == 0) {
            const size_t letters = spell_node_word(w, from, s->letter[i]);
            return take_shorter_word(s->out, w->spelled, letters, expected, s->answer[i], err);
        }
        *room = *room && add_word_node(w, from, s->letter[i], p);
    }
    return status;
}

/* Reads all words of one letter more than the words first .. end - 1, up to the first wrong one. */
static f2l_status read_word_level(search *s, words *w, size_t first, size_t end, bool *room,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t from = first; status == F2L_OK && *room && from < end; from++)
        for (size_t a = 0; status == F2L_OK && *room && a < s->letters; a += SIDE) {
            const size_t left = s->letters - a, count = left < SIDE ? left : SIDE;
            *room = reserve_word_nodes(w, count);
            if (*room) status = leave_word_node(s, w, from, a, count, room, err);
            if (s->out->letters > 0) return status;
        }
    return status;
}

/* Tries all words, shortest first, as far as the letters that may be read suffice. The first wrong
 * one is a shortest. */
static f2l_status try_all_words(search *s, f2l_error *err)
{
    words w = {.s = s, .spelled = f2l_calloc(F2L_FAILING_LETTERS, sizeof *w.spelled)};
    bool room = w.spelled != NULL && reserve_word_nodes(&w, 1) &&
                add_word_node(&w, 0, 0, (pair){s->start, (uint32_t)s->data->fsa->start});
    f2l_status status = F2L_OK;
    size_t first = 0;
    while (status == F2L_OK && room && s->out->all_letters < F2L_FAILING_LETTERS - 1) {
        const size_t end = w.count;
        /* A level that has no new pair has none after it. */
        if ((end - first) * s->letters > s->until - s->out->read) break;
        status = read_word_level(s, &w, first, end, &room, err);
        if (s->out->letters > 0 || status != F2L_OK || !room) break;
        s->out->all_letters++;
        first = end;
    }
    f2l_free(w.node);
    f2l_free(w.state);
    f2l_free(w.spelled);
    f2l_index_clear(&w.index);
    return status;
}

/* --- powers --- */

/* Writes the power of root number `at` of `root` letters. */
static void write_power(const search *s, uint32_t *word, size_t at, size_t root, size_t length)
{
    uint32_t u[LONGEST_ROOT] = {0};
    for (size_t i = root; i-- > 0; at /= s->letters) u[i] = s->used[at % s->letters];
    for (size_t t = 0, i = 0; t < length; t++, i = i + 1 < root ? i + 1 : 0) word[t] = u[i];
}

/* Tries powers of all words of `root` letters, or of some of them that are spread evenly. */
static f2l_status try_roots(search *s, uint32_t *word, size_t root, f2l_error *err)
{
    size_t all = 1;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < root; i++)
        if (!f2l_mul_size(&all, all, s->letters)) return F2L_OK;
    const size_t count = all < MOST_POWERS ? all : MOST_POWERS;
    for (size_t i = 0; status == F2L_OK && i < count; i += SIDE) {
        const size_t length = most(s), side = count - i < SIDE ? count - i : SIDE;
        if (length == 0 || side * length > s->until - s->out->read) break;
        for (size_t k = 0; k < side; k++)
            write_power(s, word + k * length, (i + k) * (all / count), root, length);
        status = read_words_at_once(s, word, side, length, err);
        if (status == F2L_OK) s->out->powers += side;
    }
    return status;
}

static f2l_status try_powers(search *s, f2l_error *err)
{
    uint32_t *word = f2l_calloc(SIDE, F2L_FAILING_LETTERS * sizeof *word);
    f2l_status status = word ? F2L_OK : f2l_fail_memory(err);
    for (size_t root = 1; status == F2L_OK && root <= LONGEST_ROOT; root++)
        status = try_roots(s, word, root, err);
    f2l_free(word);
    return status;
}

/* --- words of least margin --- */

/* Words of one length, by the lead of the right label, least first. */
typedef struct followed {
    size_t count;
    uint32_t *word; /* [FOLLOWED][F2L_FAILING_LETTERS] */
    float *state;   /* [FOLLOWED][numbers] */
    uint32_t of_automaton[FOLLOWED];
    float lead[FOLLOWED];
} followed;

static bool make_followed(followed *f, size_t numbers)
{
    f->count = 0;
    f->word = f2l_calloc(FOLLOWED, F2L_FAILING_LETTERS * sizeof *f->word);
    f->state = f2l_calloc(FOLLOWED, numbers * sizeof *f->state);
    return f->word && f->state;
}

static void clear_followed(followed *f)
{
    f2l_free(f->word);
    f2l_free(f->state);
}

static float lead_of(const float *logits, size_t labels, uint32_t right)
{
    float best = -INFINITY;
    for (size_t i = 0; i < labels; i++)
        if (i != right && logits[i] > best) best = logits[i];
    return logits[right] - best;
}

/* Returns the place of a word of this lead: an unused one, or the one of the greatest lead where
 * that is greater; FOLLOWED: there is none. */
static size_t place_of_lead(const followed *f, float lead)
{
    if (f->count < FOLLOWED) return f->count;
    size_t at = 0;
    for (size_t i = 1; i < FOLLOWED; i++)
        if (f->lead[i] > f->lead[at]) at = i;
    return lead < f->lead[at] ? at : FOLLOWED;
}

/* Follows word number `from` by the letters `a` .. `a + count - 1`. */
static f2l_status follow_lead(search *s, followed *to, const followed *now, size_t length,
                              size_t from, size_t a, size_t count, f2l_error *err)
{
    const size_t numbers = s->reader.numbers, labels = s->data->labels.count;
    uint32_t *const word = now->word + from * F2L_FAILING_LETTERS;
    for (size_t i = 0; i < count; i++) {
        memcpy(s->side + i * numbers, now->state + from * numbers, numbers * sizeof *s->side);
        s->letter[i] = s->used[a + i];
    }
    f2l_status status = step_side_by_side(s, count, true, err);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        const uint32_t state = state_after_letter(s, now->of_automaton[from], s->letter[i]);
        const uint32_t expected = s->data->answer[state];
        word[length] = s->letter[i];
        if (s->answer[i] != expected)
            return take_shorter_word(s->out, word, length + 1, expected, s->answer[i], err);
        const float lead = lead_of(s->logits + i * labels, labels, expected);
        const size_t at = place_of_lead(to, lead);
        if (at == FOLLOWED) continue;
        if (at == to->count) to->count++;
        memcpy(to->word + at * F2L_FAILING_LETTERS, word, (length + 1) * sizeof *word);
        memcpy(to->state + at * numbers, s->side + i * numbers, numbers * sizeof *to->state);
        to->of_automaton[at] = state;
        to->lead[at] = lead;
        s->out->followed++;
    }
    return status;
}

/* Follows words of least margin until one is wrong, which ends this part: the others are not
 * shorter. */
static f2l_status try_least_margins(search *s, f2l_error *err)
{
    followed one, other, *now = &one, *next = &other;
    const bool made_now = make_followed(now, s->reader.numbers);
    const bool made_next = make_followed(next, s->reader.numbers);
    f2l_status status = made_now && made_next ? F2L_OK : f2l_fail_memory(err);
    const size_t known = s->out->letters;
    if (status == F2L_OK) {
        now->count = 1;
        memcpy(now->state, s->start, s->reader.numbers * sizeof *s->start);
        now->of_automaton[0] = (uint32_t)s->data->fsa->start;
    }
    for (size_t length = 0; status == F2L_OK && length < most(s); length++) {
        next->count = 0;
        for (size_t from = 0; status == F2L_OK && from < now->count; from++)
            for (size_t a = 0; status == F2L_OK && a < s->letters; a += SIDE) {
                const size_t left = s->letters - a;
                status = follow_lead(s, next, now, length, from, a, left < SIDE ? left : SIDE, err);
                if (s->out->letters != known) break;
            }
        if (s->out->letters != known || s->out->read >= s->until) break;
        followed *const last = now;
        now = next;
        next = last;
    }
    clear_followed(&one);
    clear_followed(&other);
    return status;
}

/* --- shorter ones --- */

/* Leaves out `less` letters of the word in every place, a batch at a time, until a wrong one is
 * found. */
static f2l_status leave_out(search *s, uint32_t *word, size_t less, f2l_error *err)
{
    const size_t letters = s->out->letters, length = letters - less;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i <= length && s->out->letters == letters; i += SIDE) {
        const size_t side = length + 1 - i < SIDE ? length + 1 - i : SIDE;
        if (side * length > s->until - s->out->read) return F2L_OK;
        for (size_t k = 0; k < side; k++) {
            memcpy(word + k * length, s->out->word, (i + k) * sizeof *word);
            memcpy(word + k * length + i + k, s->out->word + i + k + less,
                   (length - i - k) * sizeof *word);
        }
        status = read_words_at_once(s, word, side, length, err);
    }
    return status;
}

/* Makes the wrong word shorter by leaving out half of it, a quarter, .., and single letters. */
static f2l_status shorten(search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t letters = s->out->letters;
    if (letters < 2) return F2L_OK;
    uint32_t *word = f2l_calloc(SIDE, letters * sizeof *word);
    if (word == NULL) return f2l_fail_memory(err);
    for (size_t less = letters / 2; status == F2L_OK && less > 0 && s->out->letters > less;) {
        letters = s->out->letters;
        status = leave_out(s, word, less, err);
        if (s->out->letters == letters) less /= 2;
    }
    f2l_free(word);
    return status;
}

/* --- words that are known --- */

/* Sets *known to the word that was met, up to its first wrong answer, where that is shorter. Sums
 * of other shapes and in other formats round otherwise, so that it may be right here. */
static f2l_status read_met_word(search *s, f2l_failing *known, const f2l_failing_known *from,
                                f2l_error *err)
{
    f2l_status status = F2L_OK;
    uint32_t state = (uint32_t)s->data->fsa->start;
    for (size_t i = 0; i < from->met_letters; i++)
        if (!f2l_data_draws(s->data, from->met[i])) return F2L_OK;
    memcpy(s->side, s->start, s->reader.numbers * sizeof *s->side);
    s->out->met = from->met_letters > 0;
    for (size_t t = 0; t < from->met_letters; t++) {
        if (known->letters > 0 && t + 1 >= known->letters) return F2L_OK;
        s->letter[0] = from->met[t];
        status = step_side_by_side(s, 1, false, err);
        if (status != F2L_OK) return status;
        state = state_after_letter(s, state, s->letter[0]);
        const uint32_t expected = s->data->answer[state];
        if (s->answer[0] != expected)
            return take_shorter_word(known, from->met, t + 1, expected, s->answer[0], err);
    }
    return F2L_OK;
}

/* --- the search --- */

static f2l_status begin_failing_search(search *s, f2l_error *err)
{
    const size_t numbers = s->reader.numbers, letters = s->data->fsa->letters.count;
    s->start = f2l_calloc(numbers, sizeof *s->start);
    s->side = f2l_calloc(SIDE, numbers * sizeof *s->side);
    s->logits = f2l_calloc(SIDE, s->data->labels.count * sizeof *s->logits);
    s->used = f2l_calloc(letters, sizeof *s->used);
    if (!s->start || !s->side || !s->logits || !s->used) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++)
        if (f2l_data_draws(s->data, a)) s->used[s->letters++] = (uint32_t)a;
    return f2l_learned_begin(s->start, &s->reader, err);
}

/* Runs the parts, each with its share of the letters; what was met is read beside them. The network
 * may answer `known`, a word that was seen to fail, otherwise here, since sums of other shapes
 * round otherwise. */
static f2l_status run_failing_search(search *s, f2l_failing *known, const f2l_failing_known *from,
                                     uint64_t read, f2l_error *err)
{
    f2l_status status = begin_failing_search(s, err);
    s->until = read / 2;
    if (status == F2L_OK) status = try_all_words(s, err);
    if (status != F2L_OK || s->out->letters > 0) return status;
    const uint64_t before = s->out->read;
    if (from) status = read_met_word(s, known, from, err);
    read += s->out->read - before;
    if (status == F2L_OK && known->letters > 0 && known->letters < (read - s->out->read) / 8)
        status = read_words_at_once(s, known->word, 1, known->letters, err);
    s->until = s->out->read + (read - s->out->read) / 2;
    if (status == F2L_OK) status = try_powers(s, err);
    s->until = s->out->read + (read - s->out->read) / 4 * 3;
    if (status == F2L_OK) status = try_least_margins(s, err);
    s->until = read;
    return status == F2L_OK ? shorten(s, err) : status;
}

/* Sets *out to the word of a wrong answer that an evaluation saw. */
static f2l_status find_seen(f2l_failing *out, const f2l_data *tested, const f2l_data_wrong *seen,
                            f2l_error *err)
{
    const f2l_data of_walk = f2l_data_of_walk(tested, seen->walk), *data = &of_walk;
    const size_t letters =
        data->fsa ? data->fsa->letters.count : data->letters.count - (data->options.begin ? 1 : 0);
    size_t count = 0;
    f2l_data_stream stream;
    f2l_data_item item = {0};
    uint32_t *word = f2l_calloc(seen->length, sizeof *word);
    f2l_data_stream_init(&stream);
    f2l_status status = word ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK)
        status = f2l_data_stream_start(&stream, data, seen->step, seen->sequence, seen->whole, err);
    for (size_t i = f2l_data_read_length(data, seen->length); status == F2L_OK && i > 0; i--) {
        status = f2l_data_stream_next(&stream, &item, err);
        if (status != F2L_OK || item.letter >= letters) continue; /* begin and padding letters */
        word[count++] = item.letter;
    }
    if (status == F2L_OK) status = take_shorter_word(out, word, count, item.label, UINT32_MAX, err);
    f2l_data_stream_clear(&stream);
    f2l_free(word);
    return status;
}

static f2l_status search_failing_word(f2l_failing *out, f2l_failing *known,
                                      const f2l_failing_known *from, const f2l_seq *model,
                                      const float *parameters, const f2l_data *data, uint64_t read,
                                      const f2l_task *task, f2l_error *err)
{
    search s = {.out = out, .data = data, .task = task};
    f2l_status status = f2l_learned_reader_init(&s.reader, model, parameters, data, task, err);
    if (status == F2L_OK) status = run_failing_search(&s, known, from, read, err);
    f2l_learned_reader_clear(&s.reader);
    f2l_free(s.start);
    f2l_free(s.side);
    f2l_free(s.logits);
    f2l_free(s.used);
    const f2l_stop stop = f2l_task_stop(task);
    out->limited = status == F2L_UNKNOWN && stop != F2L_STOP_SIGNAL;
    if (status == F2L_EDOMAIN) out->no_search = "a logit is not a number";
    return out->limited || out->no_search ? F2L_OK : status;
}

f2l_status f2l_failing_find(f2l_failing *out, const f2l_seq *model, const float *parameters,
                            const f2l_data *data, const f2l_failing_known *from, uint64_t read,
                            const f2l_task *task, f2l_error *err)
{
    f2l_failing known = {.letters = 0};
    const f2l_data_wrong *seen = from ? from->seen : NULL;
    f2l_status status = F2L_OK;
    read = f2l_failing_budget(model, read);
    *out = (f2l_failing){.no_search = f2l_learned_obstacle(&model->config, data)};
    if (!out->no_search && read == 0) out->no_search = "--search is 0";
    if (seen && seen->length > 0 && data->options.kind != F2L_DATA_WORDS)
        status = find_seen(&known, data, seen, err);
    if (status == F2L_OK && !out->no_search)
        status = search_failing_word(out, &known, from, model, parameters, data, read, task, err);
    if (status == F2L_OK && known.letters > 0 &&
        (out->letters == 0 || known.letters < out->letters))
        status = take_shorter_word(out, known.word, known.letters, known.expected, known.got, err);
    f2l_failing_clear(&known);
    return status;
}
