#include "models/learn/data/word_sets.h"
#include "models/learn/data/data_ending.h"
#include "models/learn/data/edit_pairs.h"
#include "models/learn/data/word_json.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <inttypes.h>
#include <string.h>

enum { REJECT, ACCEPT, LABELS };
enum { SHORTEST = 20, SHORT_TO = 29, LONG_FROM = 31, LONGEST = 50 };
/* A word that must be new is drawn again at most this often; the chance that a language with twice
 * as many words as are wanted needs it is below 2^-400. */
#define TRIES 400

/* What is drawn for a set. */
typedef struct plan {
    const char *name;
    size_t from, to;       /* lengths */
    bool pairs, again;     /* again: a word may come twice */
    f2l_word_set apart[2]; /* it has no word of these sets; its own number: of none */
} plan;

static const plan plans[] = {
    {"train", SHORTEST, SHORT_TO, false, true, {F2L_SET_TRAIN, F2L_SET_TRAIN}},
    {"dev", SHORTEST, SHORT_TO, false, false, {F2L_SET_TRAIN, F2L_SET_DEV}},
    {"short-random", SHORTEST, SHORT_TO, false, false, {F2L_SET_TRAIN, F2L_SET_DEV}},
    {"short-adversarial", SHORTEST, SHORT_TO, true, false, {F2L_SET_TRAIN, F2L_SET_DEV}},
    {"long-random", LONG_FROM, LONGEST, false, false, {F2L_SET_LONG_RANDOM, F2L_SET_LONG_RANDOM}},
    {"long-adversarial",
     LONG_FROM,
     LONGEST,
     true,
     false,
     {F2L_SET_LONG_ADVERSARIAL, F2L_SET_LONG_ADVERSARIAL}}};

const char *f2l_word_set_name(size_t set)
{
    return set < F2L_SETS ? plans[set].name : NULL;
}

typedef struct drawing {
    f2l_fsa fsa; /* minimal */
    uint32_t *label_of;
    f2l_ending ending[LABELS];
    f2l_edit_pairs pairs;
    f2l_names seen[F2L_SETS]; /* the words, and the pairs, of each set as texts */
    f2l_word_list *set;
    size_t words; /* of a set */
    uint64_t seed;
    const f2l_task *task;
} drawing;

/* A word, and in a set of pairs the word that the automaton rejects. */
typedef struct drawn {
    uint32_t x[LONGEST + 1], y[LONGEST + 1];
    size_t x_size, y_size;
} drawn;

/* Writes the letters as a text without a zero byte; returns its size. */
static size_t spell_word(char *out, const uint32_t *letter, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned shift = 0; shift < 32; shift += 7)
            out[size++] = (char)(0x80 | (letter[i] >> shift & 0x7f));
    return size;
}

enum { SPELLED = 5 * (LONGEST + 1) };

static bool is_word_taken(const drawing *d, f2l_word_set set, const uint32_t *letter, size_t count)
{
    char text[SPELLED];
    const size_t size = spell_word(text, letter, count);
    for (size_t i = 0; i < 2; i++) {
        const f2l_names *seen = &d->seen[plans[set].apart[i]];
        if (plans[set].apart[i] != set && f2l_names_find(seen, text, size) != F2L_NO_INDEX)
            return true;
    }
    return false;
}

/* Returns whether what was drawn must be drawn again; otherwise it is noted. */
static f2l_status note_drawn(bool *taken, drawing *d, f2l_word_set set, const drawn *w,
                             f2l_error *err)
{
    char text[2 * SPELLED + 1];
    size_t size = spell_word(text, w->x, w->x_size), index;
    if (plans[set].pairs) {
        text[size++] = ',';
        size += spell_word(text + size, w->y, w->y_size);
    }
    *taken = !plans[set].again && (is_word_taken(d, set, w->x, w->x_size) ||
                                   (plans[set].pairs && is_word_taken(d, set, w->y, w->y_size)) ||
                                   f2l_names_find(&d->seen[set], text, size) != F2L_NO_INDEX);
    return *taken ? F2L_OK : f2l_names_add(&d->seen[set], text, size, &index, err);
}

static f2l_status append_word(f2l_word_list *list, const uint32_t *letter, size_t count,
                              size_t label, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++)
        status = f2l_word_list_letter(list, letter[i], err);
    if (status == F2L_OK) status = f2l_word_list_label(list, count - 1, label, err);
    return status == F2L_OK ? f2l_word_list_end(list, err) : status;
}

static f2l_status too_few(f2l_word_set set, size_t length, size_t label, size_t wanted,
                          f2l_error *err)
{
    if (plans[set].pairs)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%s: too few words of %zu letters have a word outside the language at edit "
                        "distance 1; %zu such pairs are wanted, without words of train and dev",
                        plans[set].name, length, wanted);
    return f2l_fail(err, F2L_EDOMAIN, "%s: too few words of %zu letters are %s; %zu are wanted%s",
                    plans[set].name, length, label == ACCEPT ? "accepted" : "rejected", wanted,
                    plans[set].again ? "" : ", none of them in a set before");
}

/* Draws one word of a label, or one pair. */
static void draw_once(drawing *d, drawn *w, f2l_word_set set, size_t length, size_t label,
                      f2l_rng *rng)
{
    w->x_size = length;
    if (plans[set].pairs)
        f2l_edit_pairs_draw(&d->pairs, w->x, w->y, &w->y_size, length, rng);
    else
        f2l_ending_draw(&d->ending[label], w->x, length, rng);
}

/* Draws the words of one length and label, or the pairs of one length. */
static f2l_status draw_length(drawing *d, f2l_word_set set, size_t length, size_t label,
                              size_t wanted, f2l_error *err)
{
    drawn w;
    f2l_rng rng;
    f2l_status status = F2L_OK;
    const uint64_t enough = plans[set].again ? 1 : wanted;
    f2l_rng_init(&rng, d->seed, (uint64_t)set << 32 | length << 1 | label);
    if (plans[set].pairs ? !f2l_edit_pairs_has(&d->pairs, length, enough)
                         : !f2l_ending_has(&d->ending[label], length, enough))
        return too_few(set, length, label, wanted, err);
    for (size_t i = 0; i < wanted && status == F2L_OK; i++) {
        bool taken = true;
        for (size_t n = 0; n < TRIES && taken && status == F2L_OK; n++) {
            draw_once(d, &w, set, length, label, &rng);
            status = note_drawn(&taken, d, set, &w, err);
        }
        if (status == F2L_OK && taken) status = too_few(set, length, label, wanted, err);
        if (status == F2L_OK) status = append_word(&d->set[set], w.x, w.x_size, label, err);
        if (status == F2L_OK && plans[set].pairs)
            status = append_word(&d->set[set], w.y, w.y_size, REJECT, err);
    }
    return status;
}

static f2l_status sign_set(f2l_word_list *list, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_status status = f2l_word_set_write(&text, list, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, list->sha256);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status draw_set(drawing *d, f2l_word_set set, f2l_error *err)
{
    static const char *const label[] = {"reject", "accept"};
    const plan *p = &plans[set];
    const size_t wanted = d->words / (p->to - p->from + 1) / LABELS;
    f2l_names labels;
    size_t index;
    f2l_status status = f2l_word_list_use_letters(&d->set[set], &d->fsa.letters, err);
    f2l_names_init(&labels);
    for (size_t i = 0; i < LABELS && status == F2L_OK; i++)
        status = f2l_names_add(&labels, label[i], strlen(label[i]), &index, err);
    if (status == F2L_OK) status = f2l_word_list_use_labels(&d->set[set], &labels, err);
    f2l_names_clear(&labels);
    for (size_t n = p->from; n <= p->to && status == F2L_OK; n++) {
        if (p->pairs)
            f2l_edit_pairs_allow(&d->pairs,
                                 (f2l_pair_edits){.shorter = n > p->from, .longer = n < p->to}, n);
        for (size_t k = LABELS; k-- > (p->pairs ? (size_t)ACCEPT : 0) && status == F2L_OK;)
            status = draw_length(d, set, n, k, wanted, err);
        if (status == F2L_OK)
            status = f2l_task_poll(d->task, "drawing words", (double)n, (double)p->to, err);
    }
    if (status == F2L_OK) status = f2l_word_list_finish(&d->set[set], err);
    return status == F2L_OK ? sign_set(&d->set[set], err) : status;
}

/* Counts the words of the minimal automaton. */
static f2l_status count_words(drawing *d, const f2l_fsa *fsa, f2l_error *err)
{
    uint32_t *classes = NULL;
    f2l_status status = f2l_fsa_minimal(&d->fsa, &classes, fsa, F2L_LABEL_ACCEPT, d->task, err);
    f2l_free(classes);
    if (status != F2L_OK) return status;
    const size_t entries = d->fsa.states.count * d->fsa.letters.count;
    d->label_of = f2l_calloc(entries, sizeof *d->label_of);
    if (d->label_of == NULL) return f2l_fail_memory(err);
    for (size_t e = 0; e < entries; e++) d->label_of[e] = d->fsa.accept[d->fsa.next[e]];
    for (uint32_t k = 0; k < LABELS && status == F2L_OK; k++)
        status = f2l_ending_init(&d->ending[k], &d->fsa, d->label_of, k, LONGEST, d->task, err);
    return status == F2L_OK ? f2l_edit_pairs_init(&d->pairs, &d->fsa, LONGEST, d->task, err)
                            : status;
}

f2l_status f2l_word_sets_draw(f2l_word_list set[F2L_SETS], const f2l_fsa *fsa, size_t words,
                              uint64_t seed, const f2l_task *task, f2l_error *err)
{
    drawing d = {.set = set, .words = words, .seed = seed, .task = task};
    if (words == 0 || words % F2L_WORD_SET_STEP != 0)
        return f2l_fail(err, F2L_EDOMAIN, "a set has a multiple of %d words, not %zu",
                        F2L_WORD_SET_STEP, words);
    f2l_fsa_init(&d.fsa);
    for (size_t i = 0; i < F2L_SETS; i++) f2l_names_init(&d.seen[i]);
    f2l_status status = f2l_fsa_check_label(fsa, F2L_LABEL_ACCEPT, err);
    if (status == F2L_OK) status = count_words(&d, fsa, err);
    for (size_t i = 0; i < F2L_SETS && status == F2L_OK; i++)
        status = draw_set(&d, (f2l_word_set)i, err);
    for (size_t i = 0; i < F2L_SETS; i++) {
        f2l_names_clear(&d.seen[i]);
        if (status != F2L_OK) f2l_word_list_clear(&set[i]);
    }
    for (size_t k = 0; k < LABELS; k++) f2l_ending_clear(&d.ending[k]);
    f2l_edit_pairs_clear(&d.pairs);
    f2l_free(d.label_of);
    f2l_fsa_clear(&d.fsa);
    return status;
}

f2l_status f2l_word_set_write(f2l_buf *out, const f2l_word_list *set, f2l_error *err)
{
    f2l_word_json json;
    uint32_t letter[LONGEST + 1];
    f2l_status status = f2l_word_json_init(&json, &set->letters, &set->labels, err);
    for (size_t i = 0; i < set->count && status == F2L_OK; i++) {
        const size_t length = f2l_word_list_length(set, i);
        uint32_t label;
        for (size_t at = 0; at < length; at++) letter[at] = f2l_word_list_letter_at(set, i, at);
        (void)f2l_word_list_label_at(&label, set, i, length - 1);
        f2l_word_json_put(out, &json, letter, length, NULL, label);
    }
    f2l_word_json_clear(&json);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
