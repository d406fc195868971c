/* Tokens from archives: what is read piece by piece, and what is refused. */
#include "models/learn/data/npz.h"
#include "models/learn/data/token_text.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct given {
    const int32_t *tokens, *lengths, *labels, *documents;
    size_t rows, columns, sequences, places;
} given;

static void make(f2l_npz *npz, const given *g)
{
    f2l_error err = {0};
    f2l_npz_init(npz);
    if (g->lengths) f2l_npz_add_integers(npz, "lengths", g->lengths, g->sequences, 0);
    if (g->labels) f2l_npz_add_integers(npz, "labels", g->labels, g->rows, g->columns);
    if (g->tokens) f2l_npz_add_integers(npz, "tokens", g->tokens, g->rows, g->columns);
    if (g->documents) f2l_npz_add_integers(npz, "documents", g->documents, g->places, 0);
    cr_assert(f2l_npz_end(npz, &err) == F2L_OK);
}

static f2l_status take(f2l_tokens *t, f2l_npz *npz, const given *g, f2l_error *err)
{
    *err = (f2l_error){0};
    make(npz, g);
    f2l_tokens_init(t);
    return f2l_tokens_take(t, npz->out.data, npz->out.size, err);
}

static const int32_t text[] = {3, 1, 4, 1, 5, 2, 0, 5};

Test(tokens, next_tokens_are_the_answers)
{
    f2l_npz npz;
    f2l_tokens t;
    f2l_error err;
    uint32_t letter[8], label[8];
    uint8_t mask[8];
    const given g = {.tokens = text,
                     .rows = 8,
                     .lengths = (const int32_t[]){5, 1, 2},
                     .sequences = 3,
                     .documents = (const int32_t[]){0, 2},
                     .places = 2};
    cr_assert(take(&t, &npz, &g, &err) == F2L_OK, "%s", err.text);
    cr_assert(t.count == 8 && t.sequences == 3 && t.start[1] == 5 && t.start[3] == 8);
    cr_assert(t.documents == 2 && t.document[1] == 2 && !t.labelled);
    const f2l_tokens_bounds six = {6, 6, false};
    cr_assert(f2l_tokens_read(letter, label, mask, &t, six, 0, 1, 4, &err) == F2L_OK);
    cr_assert_arr_eq(letter, ((const uint32_t[]){1, 4, 1, 5}), 16);
    cr_assert_arr_eq(label, ((const uint32_t[]){4, 1, 5, 0}), 16);
    cr_assert_arr_eq(mask, ((const uint8_t[]){1, 1, 1, 0}), 4);
    cr_assert(f2l_tokens_read(letter, label, mask, &t, six, 0, 0, 2, &err) == F2L_OK);
    cr_assert(label[1] == 4 && mask[1] == 1, "the token after a piece is an answer");
    cr_assert(f2l_tokens_read(letter, label, mask, &t, six, 1, 0, 1, &err) == F2L_OK);
    cr_assert(letter[0] == 2 && mask[0] == 0);
    const f2l_tokens_bounds five = {5, 6, false}, few = {6, 5, false};
    cr_assert(f2l_tokens_read(letter, label, mask, &t, five, 0, 0, 5, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "tokens, sequence 1, place 5: 5 is none of the model's 5"), "%s",
              err.text);
    cr_assert(f2l_tokens_read(letter, label, mask, &t, few, 2, 0, 2, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "sequence 3, place 2: the next token 5 is none of the 5 labels: "
                               "give an array labels"),
              "%s", err.text);
    const f2l_tokens_bounds optional = {6, 5, true};
    cr_assert(f2l_tokens_read(letter, label, mask, &t, optional, 2, 0, 2, &err) == F2L_OK);
    cr_assert(mask[0] == 0 && mask[1] == 0, "answers are left out");
    f2l_tokens_clear(&t);
    f2l_npz_clear(&npz);
}

Test(tokens, labels_take_the_place_of_next_tokens)
{
    f2l_npz npz;
    f2l_tokens t;
    f2l_error err;
    uint32_t letter[4], label[4];
    uint8_t mask[4];
    static const int32_t labels[] = {-1, 2, -100, 0, 1, 1, 1, -7};
    const given g = {.tokens = text, .labels = labels, .rows = 2, .columns = 4};
    cr_assert(take(&t, &npz, &g, &err) == F2L_OK, "%s", err.text);
    cr_assert(t.sequences == 2 && t.labelled && t.start[1] == 4);
    const f2l_tokens_bounds bounds = {6, 3, false};
    cr_assert(f2l_tokens_read(letter, label, mask, &t, bounds, 0, 0, 4, &err) == F2L_OK);
    cr_assert_arr_eq(mask, ((const uint8_t[]){0, 1, 0, 1}), 4);
    cr_assert(label[1] == 2 && label[3] == 0);
    cr_assert(f2l_tokens_read(letter, label, mask, &t, bounds, 1, 0, 4, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "labels, sequence 2, place 4: -7"), "%s", err.text);
    f2l_tokens_clear(&t);
    f2l_npz_clear(&npz);
}

static void refuses(const given *g, const char *why)
{
    f2l_npz npz;
    f2l_tokens t;
    f2l_error err;
    cr_assert_eq(take(&t, &npz, g, &err), F2L_EFORMAT);
    cr_assert(strstr(err.text, why), "%s", err.text);
    f2l_tokens_clear(&t);
    f2l_npz_clear(&npz);
}

Test(tokens, refused)
{
    refuses(&(given){.lengths = text, .sequences = 8}, "must have an array tokens");
    refuses(&(given){.tokens = text, .rows = 0}, "there are no tokens");
    refuses(&(given){.tokens = text, .rows = 8, .lengths = (const int32_t[]){8, 0}, .sequences = 2},
            "lengths, place 2: a sequence has no tokens");
    refuses(&(given){.tokens = text, .rows = 8, .lengths = (const int32_t[]){5, 2}, .sequences = 2},
            "do not add up");
    refuses(&(given){.tokens = text, .rows = 8, .lengths = (const int32_t[]){9, 1}, .sequences = 2},
            "do not add up");
    refuses(
        &(given){.tokens = text, .rows = 8, .lengths = (const int32_t[]){9, -1}, .sequences = 2},
        "lengths, place 2");
    refuses(&(given){.tokens = text, .rows = 2, .columns = 4, .lengths = text, .sequences = 1},
            "belongs to tokens of one axis");
    refuses(&(given){.tokens = text, .rows = 8, .documents = (const int32_t[]){3, 3}, .places = 2},
            "must ascend");
    refuses(&(given){.tokens = text, .rows = 8, .documents = (const int32_t[]){8}, .places = 1},
            "below 8");
}

/* A file is read as memory is, and what is cut off is refused. */
Test(tokens, files)
{
    f2l_npz npz;
    f2l_tokens t;
    f2l_error err = {0};
    uint32_t letter[8], label[8];
    uint8_t mask[8];
    char path[] = "/tmp/t_tokens.XXXXXX";
    const given g = {.tokens = text, .rows = 8};
    const f2l_tokens_bounds bounds = {6, 6, false};
    const int made = mkstemp(path);
    make(&npz, &g);
    cr_assert(made >= 0 && write(made, npz.out.data, npz.out.size) == (ssize_t)npz.out.size);
    f2l_tokens_init(&t);
    cr_assert(f2l_tokens_open(&t, path, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_tokens_read(letter, label, mask, &t, bounds, 0, 0, 8, &err) == F2L_OK);
    for (size_t i = 0; i < 8; i++) cr_assert(letter[i] == (uint32_t)text[i] && mask[i] == (i < 7));
    cr_assert(ftruncate(made, 100) == 0);
    f2l_tokens_clear(&t);
    cr_assert(f2l_tokens_open(&t, path, &err) == F2L_EFORMAT);
    f2l_tokens_clear(&t);
    close(made);
    unlink(path);
    cr_assert(f2l_tokens_open(&t, path, &err) == F2L_EIO);
    f2l_tokens_clear(&t);
    f2l_npz_clear(&npz);
}
