/* Associative recall: sequences are as models/learn/data/data.h says, and are drawn evenly. */
#include "models/learn/data/data_evaluate.h"
#include "tests/support/train/data_support.h"

enum { KEYS = 6, PAIRS = 3, LENGTH = 14 };

static const f2l_data_options options = {
    .kind = F2L_DATA_RECALL, .pairs = PAIRS, .keys = KEYS, .seed = 8, .stream = 1};

/* Checks a sequence by reading it; counts keys of the first pair, places and values. */
static void check_sequence(const uint32_t *letter, const uint32_t *label, const uint8_t *mask,
                           size_t key[KEYS], size_t place[LENGTH], size_t value[KEYS])
{
    size_t asked = 0, came[KEYS] = {0};
    uint32_t of[KEYS];
    for (size_t i = 0; i < PAIRS; i++) {
        cr_assert(letter[2 * i] < KEYS && letter[2 * i + 1] >= KEYS &&
                  letter[2 * i + 1] < 2 * KEYS);
        cr_assert_eq(came[letter[2 * i]]++, 0, "a key comes twice");
        of[letter[2 * i]] = letter[2 * i + 1] - KEYS;
        value[letter[2 * i + 1] - KEYS]++;
    }
    key[letter[0]]++;
    for (size_t t = 0; t < LENGTH; t++) {
        cr_assert(letter[t] < 2 * KEYS && (t >= 2 * PAIRS || !mask[t]));
        if (!mask[t]) continue;
        cr_assert(letter[t] < KEYS && came[letter[t]] == 1 && label[t] == of[letter[t]]);
        came[letter[t]] = 2;
        if (letter[t] == letter[0]) place[t]++;
        asked++;
    }
    cr_assert_eq(asked, PAIRS);
}

Test(data_recall, keys_come_again_once_with_their_values)
{
    f2l_data data;
    f2l_data_batch batch, part;
    size_t key[KEYS] = {0}, place[LENGTH] = {0}, value[KEYS] = {0};
    double evenly[KEYS], later[LENGTH] = {0};
    data_build(&data, &options, NULL);
    cr_assert(data.letters.count == 2 * KEYS && data.labels.count == KEYS && data.least == 9);
    cr_assert_str_eq(f2l_names_get(&data.letters, KEYS + 1), "v1");
    cr_assert_str_eq(f2l_names_get(&data.labels, 1), "v1");
    f2l_data_batch_init(&batch);
    f2l_data_batch_init(&part);
    data_fill(&batch, &data, LENGTH, LENGTH, 5, 0, 3000);
    cr_assert(batch.length == LENGTH && batch.counted == 3000 * PAIRS);
    for (size_t i = 0; i < batch.sequences; i++)
        check_sequence(batch.letter + i * LENGTH, batch.label + i * LENGTH, batch.mask + i * LENGTH,
                       key, place, value);
    for (size_t i = 0; i < KEYS; i++) evenly[i] = 1.0 / KEYS;
    for (size_t t = 2 * PAIRS; t < LENGTH; t++) later[t] = 1.0 / (LENGTH - 2 * PAIRS);
    data_follows(key, evenly, KEYS, "first keys");
    data_follows(value, evenly, KEYS, "values");
    data_follows(place, later, LENGTH, "places");
    data_fill(&part, &data, LENGTH, LENGTH, 5, 70, 5);
    cr_assert_arr_eq(part.letter, batch.letter + 70 * LENGTH, 5 * LENGTH * sizeof *part.letter);
    cr_assert_arr_eq(part.mask, batch.mask + 70 * LENGTH, 5 * LENGTH);
    f2l_data_batch_clear(&batch);
    f2l_data_batch_clear(&part);
    f2l_data_clear(&data);
}

/* The least length has no room for other letters; more pairs fill the list of a stream that was
 * used for fewer. */
Test(data_recall, shortest_words)
{
    f2l_data data;
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    for (size_t pairs = 1; pairs <= KEYS; pairs++) {
        f2l_data_options o = options;
        o.pairs = pairs;
        data_build(&data, &o, NULL);
        data_fill(&batch, &data, 3 * pairs, 3 * pairs, 0, 0, 4);
        cr_assert(batch.length == 3 * pairs && batch.counted == 4 * pairs);
        for (size_t i = 0; i < 12 * pairs; i++)
            cr_assert_eq(batch.mask[i], i % (3 * pairs) >= 2 * pairs);
        cr_assert(f2l_data_fit(&data, 3 * pairs - 1) == 0);
        f2l_data_clear(&data);
    }
    f2l_data_batch_clear(&batch);
}

static void refuses(size_t pairs, size_t keys, f2l_data_when when, const char *why)
{
    f2l_data data;
    f2l_error err = {0};
    f2l_data_options o = options;
    o.pairs = pairs;
    o.keys = keys;
    o.when = when;
    f2l_data_init(&data);
    cr_assert_eq(f2l_data_build(&data, &o, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, why), "%s", err.text);
}

Test(data_recall, refused)
{
    refuses(0, 4, F2L_DATA_EVERY, "pairs must be 1..4");
    refuses(5, 4, F2L_DATA_EVERY, "pairs must be 1..4");
    refuses(1, 0, F2L_DATA_EVERY, "keys must be 1..4096");
    refuses(1, 4097, F2L_DATA_EVERY, "keys must be 1..4096");
    refuses(2, 4, F2L_DATA_LAST, "where a key comes again");
}

/* A reader that remembers the pairs is right at every length, and each length has words of its
 * own, with all pairs. */
typedef struct memory {
    size_t read[4];
    uint32_t last[4], of[4][KEYS];
} memory;

static f2l_status begin(void *context, size_t sequences, f2l_error *err)
{
    (void)sequences;
    (void)err;
    memset(context, 0, sizeof(memory));
    return F2L_OK;
}

static f2l_status read_letters(void *context, uint32_t *answer, const uint32_t *letter,
                               size_t sequences, size_t count, f2l_error *err)
{
    memory *m = context;
    (void)err;
    for (size_t i = 0; i < sequences; i++)
        for (size_t t = 0; t < count; t++) {
            const uint32_t now = letter[i * count + t];
            if (m->read[i]++ < 2 * PAIRS && now >= KEYS) m->of[i][m->last[i]] = now - KEYS;
            m->last[i] = now;
            answer[i * count + t] = now < KEYS ? m->of[i][now] : 0;
        }
    return F2L_OK;
}

Test(data_recall, evaluated_length_by_length)
{
    memory m;
    f2l_data data;
    f2l_error err = {0};
    f2l_train_score score[3] = {{.length = 9}, {.length = 12}, {.length = 31}};
    const f2l_data_reader reader = {&m, begin, read_letters};
    data_build(&data, &options, NULL);
    const f2l_data_plan plan = {.sequences = 40, .side_by_side = 4, .chunk = 5};
    cr_assert(!f2l_data_has_prefixes(&data));
    cr_assert(f2l_data_evaluate(score, 3, NULL, &data, &reader, &plan, NULL, &err) == F2L_OK, "%s",
              err.text);
    for (size_t i = 0; i < 3; i++)
        cr_assert(score[i].supervised == 40 * PAIRS && score[i].right == 40 * PAIRS &&
                  score[i].right_ones == 40);
    f2l_data_clear(&data);
}
