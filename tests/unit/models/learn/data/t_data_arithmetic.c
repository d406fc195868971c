/* Arithmetic expressions: against a parser that is independent of the generator, against the
 * automaton of the same language, and against a second generator written from the definition in
 * models/learn/data/data.h. */
#include "numeric/base/rng.h"
#include "tests/support/train/data_support.h"

__extension__ typedef unsigned __int128 wide;

/* --- values by recursive descent: sum = product {(+|-) product}, product = factor {* factor},
 * factor = digit | - digit | ( sum ); it reads names of letters, not numbers --- */

typedef struct text {
    const f2l_data *data;
    const uint32_t *letter;
    size_t size, at;
    bool wrong;
} text;

static char next(const text *t)
{
    if (t->at == t->size) return '\0';
    const char *name = f2l_names_get(&t->data->letters, t->letter[t->at]);
    return name[0] >= '0' && name[0] <= '9' ? 'd' : name[0];
}

static long sum(text *t);

static long factor(text *t)
{
    if (next(t) == 'd')
        return strtol(f2l_names_get(&t->data->letters, t->letter[t->at++]), NULL, 10);
    if (next(t) == '-') {
        t->at++;
        if (next(t) == 'd') return -factor(t);
    } else if (next(t) == '(') {
        t->at++;
        const long value = sum(t);
        if (next(t) == ')') {
            t->at++;
            return value;
        }
    }
    t->wrong = true;
    return 0;
}

static long product(text *t)
{
    const long m = (long)t->data->options.modulus;
    long value = factor(t);
    while (!t->wrong && next(t) == '*') {
        t->at++;
        value = value * factor(t) % m;
    }
    return value;
}

static long sum(text *t)
{
    const long m = (long)t->data->options.modulus;
    long value = product(t);
    while (!t->wrong && (next(t) == '+' || next(t) == '-')) {
        const bool plus = next(t) == '+';
        t->at++;
        const long more = product(t);
        value = (plus ? value + more : value - more) % m;
    }
    return value;
}

/* Returns the value of an expression; fails unless all letters belong to it, except for a last `=`
 * where it is allowed. */
static uint32_t value_of(const f2l_data *data, const uint32_t *letter, size_t size)
{
    if (data->options.equals) {
        cr_assert_str_eq(f2l_names_get(&data->letters, letter[size - 1]), "=");
        size--;
    }
    text t = {.data = data, .letter = letter, .size = size};
    const long m = (long)data->options.modulus, value = sum(&t) % m;
    cr_assert(!t.wrong && t.at == size, "not an expression: %zu of %zu", t.at, size);
    return (uint32_t)((value + m) % m);
}

static f2l_data_options options_of(f2l_data_kind kind, size_t modulus, int variant, uint32_t seed)
{
    return (f2l_data_options){.kind = kind,
                              .when = F2L_DATA_LAST,
                              .modulus = modulus,
                              .times = variant & 1,
                              .equals = variant & 2,
                              .seed = seed,
                              .stream = F2L_DATA_TRAIN};
}

/* Checks 2000 expressions of each kind. */
static void check_values(const f2l_data_options *options, size_t longest)
{
    f2l_data data;
    data_build(&data, options, NULL);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, 0, longest, 1, 0, 2000);
    size_t *hits = calloc(options->modulus, sizeof *hits);
    bool times = false;
    for (size_t i = 0; i < 2000; i++) {
        const uint32_t *letter = batch.letter + i * batch.length;
        const size_t length = batch.lengths[i], last = i * batch.length + length - 1;
        cr_assert_eq(batch.label[last], value_of(&data, letter, length));
        hits[batch.label[last]]++;
        for (size_t t = 0; t < length; t++) {
            cr_assert_eq(batch.mask[i * batch.length + t], t + 1 == length);
            times |= f2l_names_get(&data.letters, letter[t])[0] == '*';
        }
    }
    cr_assert_eq(times, options->times);
    for (size_t v = 0; v < options->modulus; v++) cr_assert_gt(hits[v], 1000 / options->modulus);
    free(hits);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
}

Test(data_arithmetic, values_are_those_of_a_parser)
{
    static const size_t modulus[] = {2, 5, 12};
    for (size_t k = 0; k < 3; k++)
        for (int variant = 0; variant < 4; variant++) {
            f2l_data_options options =
                options_of(F2L_DATA_ARITHMETIC, modulus[k], variant, 30 + (uint32_t)k);
            check_values(&options, 40);
            options.kind = F2L_DATA_BRACKETS;
            check_values(&options, 60);
        }
}

/* Values after every digit, and after the last `=`, are the values of the prefixes. */
Test(data_arithmetic, values_of_prefixes)
{
    for (int variant = 0; variant < 4; variant++) {
        f2l_data_options options = options_of(F2L_DATA_ARITHMETIC, 5, variant, 40);
        options.when = F2L_DATA_EVERY;
        f2l_data data, plain;
        data_build(&data, &options, NULL);
        options.equals = false;
        data_build(&plain, &options, NULL);
        f2l_data_batch batch;
        f2l_data_batch_init(&batch);
        data_fill(&batch, &data, 1, 40, 1, 0, 300);
        for (size_t i = 0; i < 300; i++) {
            const uint32_t *letter = batch.letter + i * batch.length,
                           *label = batch.label + i * batch.length;
            const uint8_t *mask = batch.mask + i * batch.length;
            for (size_t t = 0; t < batch.length; t++) {
                const bool equals = data.options.equals && t + 1 == batch.lengths[i];
                const bool counts = t < batch.lengths[i] && (equals || t % 2 == 0);
                cr_assert_eq(mask[t], counts);
                const size_t size = equals ? t : t + 1;
                cr_assert_eq(label[t], counts ? value_of(&plain, letter, size) : 0);
            }
        }
        f2l_data_batch_clear(&batch);
        f2l_data_clear(&data);
        f2l_data_clear(&plain);
    }
}

/* The family modarith-prec, which was written for another purpose, gives the letters the same
 * numbers and agrees. */
Test(data_arithmetic, the_automaton_of_the_language_agrees)
{
    f2l_fsa fsa;
    data_family(&fsa, "modarith-prec", 5, false);
    f2l_data_options options = options_of(F2L_DATA_ARITHMETIC, 5, 1, 50);
    options.when = F2L_DATA_EVERY;
    f2l_data data;
    data_build(&data, &options, NULL);
    cr_assert_eq(data.letters.count, fsa.letters.count);
    for (size_t a = 0; a < fsa.letters.count; a++)
        cr_assert_str_eq(f2l_names_get(&data.letters, a), f2l_names_get(&fsa.letters, a));
    f2l_data_stream s;
    f2l_data_stream_init(&s);
    f2l_error err = {0};
    cr_assert_eq(f2l_data_stream_start(&s, &data, 0, 0, 100001, &err), F2L_OK);
    size_t state = fsa.start;
    for (size_t t = 0; t < 100001; t++) {
        f2l_data_item item;
        cr_assert_eq(f2l_data_stream_next(&s, &item, &err), F2L_OK);
        state = fsa.next[state * fsa.letters.count + item.letter];
        const char *wanted = item.counts ? f2l_names_get(&data.labels, item.label) : "open";
        cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, state), wanted);
    }
    f2l_data_stream_clear(&s);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}

/* --- the second generator --- */

typedef struct writer {
    uint32_t seed, stream, sequence, modulus, operators;
    uint64_t step;
    uint32_t letter[600];
    size_t size;
} writer;

static uint32_t choice(const writer *w, size_t position, int second, uint32_t n)
{
    const uint32_t key[2] = {w->seed, w->stream},
                   counter[4] = {(uint32_t)position, w->sequence, (uint32_t)w->step,
                                 (uint32_t)(w->step >> 32)};
    uint32_t b[4];
    f2l_philox(b, counter, key);
    const uint64_t x = b[2 * second] | (uint64_t)b[2 * second + 1] << 32;
    return (uint32_t)((wide)x * n >> 64);
}

/* Appends an expression of n letters. */
static void expression(writer *w, size_t n)
{
    const uint32_t m = w->modulus, minus = m + 1, open = m + w->operators, close = open + 1;
    const size_t here = w->size;
    if (n == 1) {
        w->letter[w->size++] = choice(w, here, 0, m);
    } else if (n == 2) {
        w->letter[w->size++] = minus;
        expression(w, 1);
    } else {
        w->letter[w->size++] = open;
        if (n < 5) {
            expression(w, n - 2);
        } else {
            const size_t left = 1 + choice(w, here, 0, (uint32_t)n - 4);
            const uint32_t op = choice(w, here, 1, w->operators);
            expression(w, left);
            w->letter[w->size++] = m + op;
            expression(w, n - 3 - left);
        }
        w->letter[w->size++] = close;
    }
    cr_assert_eq(w->size, here + n);
}

Test(data_arithmetic, brackets_are_as_defined)
{
    for (int variant = 0; variant < 4; variant++) {
        f2l_data data;
        const f2l_data_options options = options_of(F2L_DATA_BRACKETS, 7, variant, 60);
        data_build(&data, &options, NULL);
        f2l_data_batch batch;
        f2l_data_batch_init(&batch);
        for (size_t length = data.least; length < 500; length += 1 + length / 20) {
            data_fill(&batch, &data, length, length, 8, 5, 4);
            for (uint32_t i = 0; i < 4; i++) {
                writer w = {.seed = 60,
                            .stream = F2L_DATA_TRAIN,
                            .sequence = 5 + i,
                            .step = 8,
                            .modulus = 7,
                            .operators = variant & 1 ? 3 : 2};
                expression(&w, length - (variant & 2 ? 1 : 0));
                for (size_t t = 0; t < w.size; t++)
                    cr_assert_eq(batch.letter[i * length + t], w.letter[t]);
                if (variant & 2)
                    cr_assert_eq(batch.letter[i * length + length - 1], data.letters.count - 1);
            }
        }
        f2l_data_batch_clear(&batch);
        f2l_data_clear(&data);
    }
}

/* In expressions of 12 letters the position of the outermost bracket's operator, the operator and
 * the digits are uniform. */
Test(data_arithmetic, brackets_are_uniform)
{
    f2l_data data;
    const f2l_data_options options = options_of(F2L_DATA_BRACKETS, 5, 1, 70);
    data_build(&data, &options, NULL);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, 12, 12, 0, 0, 20000);
    size_t place[8] = {0}, op[3] = {0}, both[24] = {0}, digit[5] = {0};
    for (size_t i = 0; i < 20000; i++) {
        const uint32_t *letter = batch.letter + i * 12;
        size_t depth = 0, t = 0;
        for (;; t++) { /* a sign may come first in the left half */
            if (letter[t] == 8) depth++;
            if (letter[t] == 9) depth--;
            if (depth == 1 && t >= 2 && letter[t] >= 5 && letter[t] < 8) break;
        }
        place[t - 2]++;
        op[letter[t] - 5]++;
        both[(t - 2) * 3 + letter[t] - 5]++;
        for (t = 0; t < 12; t++)
            if (letter[t] < 5) digit[letter[t]]++;
    }
    data_follows(place, NULL, 8, "places");
    data_follows(op, NULL, 3, "operators");
    data_follows(both, NULL, 24, "places and operators");
    data_follows(digit, NULL, 5, "digits");
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
}

Test(data_arithmetic, digits_and_operators_are_uniform)
{
    f2l_data data;
    const f2l_data_options options = options_of(F2L_DATA_ARITHMETIC, 5, 1, 80);
    data_build(&data, &options, NULL);
    f2l_data_batch batch;
    f2l_data_batch_init(&batch);
    data_fill(&batch, &data, 101, 101, 0, 0, 200);
    size_t digit[5] = {0}, op[3] = {0}, pair[25] = {0}, mixed[15] = {0};
    for (size_t i = 0; i < 200; i++) {
        const uint32_t *letter = batch.letter + i * 101;
        for (size_t t = 0; t < 101; t++) {
            if (t % 2) {
                op[letter[t] - 5]++;
                mixed[letter[t - 1] * 3 + letter[t] - 5]++;
            } else {
                digit[letter[t]]++;
            }
            if (t % 4 == 0 && t > 0) pair[letter[t - 2] * 5 + letter[t]]++;
        }
    }
    data_follows(digit, NULL, 5, "digits");
    data_follows(op, NULL, 3, "operators");
    data_follows(pair, NULL, 25, "digits in a row");
    data_follows(mixed, NULL, 15, "digit and operator");
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
}

/* In an expression of a million letters few brackets are open at once, and the value is right. */
Test(data_arithmetic, long_expressions_need_little_memory)
{
    enum { LENGTH = 1000000 };
    f2l_data data;
    const f2l_data_options options = options_of(F2L_DATA_BRACKETS, 5, 3, 90);
    data_build(&data, &options, NULL);
    uint32_t *letter = malloc(LENGTH * sizeof *letter);
    cr_assert(letter);
    f2l_data_stream s;
    f2l_data_stream_init(&s);
    f2l_error err = {0};
    f2l_data_item item = {0};
    for (uint32_t sequence = 0; sequence < 3; sequence++) {
        cr_assert_eq(f2l_data_stream_start(&s, &data, 0, sequence, LENGTH, &err), F2L_OK);
        for (size_t t = 0; t < LENGTH; t++) {
            cr_assert_eq(f2l_data_stream_next(&s, &item, &err), F2L_OK);
            cr_assert_eq(item.counts, t + 1 == LENGTH);
            letter[t] = item.letter;
        }
        cr_assert_eq(item.label, value_of(&data, letter, LENGTH));
    }
    cr_assert_leq(s.frame_room, 128);
    free(letter);
    f2l_data_stream_clear(&s);
    f2l_data_clear(&data);
}
