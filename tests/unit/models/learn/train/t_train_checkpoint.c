/* Checkpoints: a written checkpoint is read back; damaged and foreign files are refused and change
 * nothing. */
#include "models/learn/train/train_checkpoint.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/train/train_support.h"
#include <fcntl.h>

enum { PARAMETERS = 5, STATES = 2, WORDS = 3 };

typedef union numbers {
    float f32[PARAMETERS];
    double f64[PARAMETERS];
} numbers;

typedef struct sample {
    numbers parameter, mean, square;
    uint64_t state[STATES], word[WORDS];
    char identity[65];
    f2l_train_checkpoint c;
} sample;

static void open_sample(sample *s, size_t number, bool filled)
{
    memset(s, 0, sizeof *s);
    memset(s->identity, 'a', 64);
    s->c = (f2l_train_checkpoint){s->identity,   number,   PARAMETERS, STATES,   WORDS,
                                  &s->parameter, &s->mean, &s->square, s->state, s->word};
    if (!filled) return;
    numbers *const array[] = {&s->parameter, &s->mean, &s->square};
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < PARAMETERS; i++) {
            const double x = (double)(a + 1) * 0.1 - (double)i * 1e-7;
            if (number == 8)
                array[a]->f64[i] = x;
            else
                array[a]->f32[i] = (float)x;
        }
    for (size_t i = 0; i < STATES; i++) s->state[i] = UINT64_MAX - i;
    for (size_t i = 0; i < WORDS; i++) s->word[i] = 77 + i;
}

static bool equal(const sample *a, const sample *b)
{
    return memcmp(&a->parameter, &b->parameter, sizeof a->parameter) == 0 &&
           memcmp(&a->mean, &b->mean, sizeof a->mean) == 0 &&
           memcmp(&a->square, &b->square, sizeof a->square) == 0 &&
           memcmp(a->state, b->state, sizeof a->state) == 0 &&
           memcmp(a->word, b->word, sizeof a->word) == 0;
}

Test(train_checkpoint, what_is_written_is_read)
{
    train_place p;
    train_place_open(&p);
    for (size_t number = 4; number <= 8; number += 4) {
        sample a, b;
        bool found;
        struct stat about;
        open_sample(&a, number, true);
        open_sample(&b, number, false);
        cr_assert_eq(
            f2l_train_checkpoint_read(&found, "/tmp/f2l-there-is-no-such-file", &b.c, NULL),
            F2L_OK);
        cr_assert_not(found);
        cr_assert_eq(f2l_train_checkpoint_write(p.run, &a.c, NULL), F2L_OK);
        stat(p.run, &about);
        cr_assert_eq((size_t)about.st_size, 8 + 64 + 8 * (4 + WORDS + STATES) +
                                                2 * PARAMETERS * number +
                                                (PARAMETERS * (8 * number - 1) + 7) / 8 + 64);
        cr_assert_eq(f2l_train_checkpoint_read(&found, p.run, &b.c, NULL), F2L_OK);
        cr_assert(found);
        cr_assert(equal(&a, &b));
    }
    train_place_close(&p);
}

/* The byte order is part of the interface, because a file may come from another machine. */
Test(train_checkpoint, bytes_are_little_endian)
{
    train_place p;
    sample a;
    f2l_buf text;
    train_place_open(&p);
    open_sample(&a, 4, true);
    a.parameter.f32[0] = 1.0f; /* 0x3f800000 */
    cr_assert_eq(f2l_train_checkpoint_write(p.run, &a.c, NULL), F2L_OK);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_read_file(&text, p.run, 0, NULL), F2L_OK);
    static const unsigned char four[8] = {4}, word[8] = {77},
                               state[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const unsigned char one[4] = {0, 0, 0x80, 0x3f};
    cr_assert_arr_eq(text.data, "f2ltrn1\naaaaaaaa", 16);
    cr_assert_arr_eq(text.data + 72, four, 8);
    cr_assert_arr_eq(text.data + 104, word, 8);
    cr_assert_arr_eq(text.data + 128, state, 8);
    cr_assert_arr_eq(text.data + 144, one, 4);
    f2l_buf_clear(&text);
    train_place_close(&p);
}

static f2l_status read_bytes(const char *path, const char *bytes, size_t size, f2l_error *err)
{
    sample b, fresh;
    bool found;
    FILE *file = fopen(path, "wb");
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    open_sample(&b, 4, false);
    open_sample(&fresh, 4, false);
    const f2l_status status = f2l_train_checkpoint_read(&found, path, &b.c, err);
    cr_assert(status == F2L_OK || equal(&b, &fresh), "a refused file has changed something");
    return status;
}

static void hash_again(f2l_buf *text)
{
    char digest[65];
    f2l_sha256_hex(text->data, text->size - 64, digest);
    memcpy(text->data + text->size - 64, digest, 64);
}

Test(train_checkpoint, damaged_and_foreign_files_are_refused)
{
    train_place p;
    sample a;
    f2l_buf text;
    f2l_error err = {0};
    train_place_open(&p);
    open_sample(&a, 4, true);
    cr_assert_eq(f2l_train_checkpoint_write(p.run, &a.c, NULL), F2L_OK);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_read_file(&text, p.run, 0, NULL), F2L_OK);
    cr_assert_eq(read_bytes(p.run, text.data, text.size, NULL), F2L_OK);
    for (size_t i = 0; i < text.size; i++)
        for (int bit = 0; bit < 8; bit += 3) {
            text.data[i] ^= (char)(1 << bit);
            cr_assert_eq(read_bytes(p.run, text.data, text.size, NULL), F2L_EFORMAT, "byte %zu", i);
            text.data[i] ^= (char)(1 << bit);
        }
    for (size_t n = 0; n < text.size; n++)
        cr_assert_eq(read_bytes(p.run, text.data, n, NULL), F2L_EFORMAT);
    /* With the right hash, a wrong identity, wrong counts, sizes that do not fit and numbers that
     * are not finite are refused. */
    for (size_t at = 8; at < 104; at += 8) {
        text.data[at] ^= 1;
        hash_again(&text);
        cr_assert_eq(read_bytes(p.run, text.data, text.size, &err), F2L_EDOMAIN, "byte %zu", at);
        cr_assert_not_null(strstr(err.text, at < 72 ? "another configuration" : "other sizes"),
                           "%s", err.text);
        text.data[at] ^= 1;
    }
    for (size_t i = 0; i < 2 * PARAMETERS; i++) {
        unsigned char kept[4], *number = (unsigned char *)text.data + 144 + 4 * i;
        memcpy(kept, number, 4);
        number[2] = 0x80 | number[2];
        number[3] = 0x7f;
        hash_again(&text);
        cr_assert_eq(read_bytes(p.run, text.data, text.size, &err), F2L_EFORMAT);
        cr_assert_not_null(strstr(err.text, "not finite"), "%s", err.text);
        memcpy(number, kept, 4);
    }
    /* The squares have 31 bits each, with the exponent from bit 23 on; the bits after them belong
     * to no number. */
    unsigned char *squares = (unsigned char *)text.data + 144 + 8 * PARAMETERS;
    for (size_t i = 0; i < PARAMETERS; i++) {
        unsigned char kept[2];
        memcpy(kept, squares + (31 * i + 23) / 8, 2);
        for (size_t b = 31 * i + 23; b < 31 * i + 31; b++)
            squares[b / 8] |= (unsigned char)(1u << b % 8);
        hash_again(&text);
        cr_assert_eq(read_bytes(p.run, text.data, text.size, &err), F2L_EFORMAT);
        cr_assert_not_null(strstr(err.text, "not finite"), "%s", err.text);
        memcpy(squares + (31 * i + 23) / 8, kept, 2);
    }
    cr_assert_neq(31 * PARAMETERS % 8, 0);
    squares[31 * PARAMETERS / 8] ^= 0x80;
    hash_again(&text);
    cr_assert_eq(read_bytes(p.run, text.data, text.size, &err), F2L_EFORMAT);
    squares[31 * PARAMETERS / 8] ^= 0x80;
    hash_again(&text);
    cr_assert_eq(read_bytes(p.run, text.data, text.size, NULL), F2L_OK);
    f2l_buf_bytes(&text, "xxxx", 4);
    hash_again(&text);
    cr_assert_eq(read_bytes(p.run, text.data, text.size, NULL), F2L_EFORMAT);
    f2l_buf_clear(&text);
    train_place_close(&p);
}

Test(train_checkpoint, numbers_that_are_not_finite)
{
    for (size_t number = 4; number <= 8; number += 4) {
        sample a;
        open_sample(&a, number, true);
        cr_assert(f2l_train_checkpoint_finite(&a.c));
        numbers *const array[] = {&a.parameter, &a.mean, &a.square};
        for (size_t i = 0; i < 3; i++) {
            if (number == 4)
                array[i]->f32[PARAMETERS - 1] = i ? NAN : -INFINITY;
            else
                array[i]->f64[PARAMETERS - 1] = i ? NAN : -INFINITY;
            cr_assert_not(f2l_train_checkpoint_finite(&a.c));
            open_sample(&a, number, true);
        }
    }
}

Test(train_checkpoint, squares_have_no_sign)
{
    train_place p;
    train_place_open(&p);
    for (size_t number = 4; number <= 8; number += 4) {
        sample a;
        open_sample(&a, number, true);
        if (number == 4)
            a.square.f32[1] = -0.0F;
        else
            a.square.f64[1] = -1;
        cr_assert_eq(f2l_train_checkpoint_write(p.run, &a.c, NULL), F2L_EDOMAIN);
        cr_assert_neq(access(p.run, F_OK), 0);
    }
    train_place_close(&p);
}

#ifdef F2L_MEM_FAILURES
Test(train_checkpoint, running_out_of_memory_keeps_the_old_one)
{
    train_place p;
    sample a, b;
    bool found;
    f2l_status status = F2L_ENOMEM;
    train_place_open(&p);
    open_sample(&a, 8, true);
    cr_assert_eq(f2l_train_checkpoint_write(p.run, &a.c, NULL), F2L_OK);
    a.word[0] = 5;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_mem_fail_after(n, true);
        status = f2l_train_checkpoint_write(p.run, &a.c, NULL);
        f2l_mem_fail_after(0, false);
        open_sample(&b, 8, false);
        cr_assert_eq(f2l_train_checkpoint_read(&found, p.run, &b.c, NULL), F2L_OK);
        cr_assert_eq(b.word[0], status == F2L_OK ? 5 : 77);
        cr_assert_eq(train_entries(p.folder, "", false), 1);
    }
    f2l_mem_fail_after(1, true);
    cr_assert_eq(f2l_train_checkpoint_read(&found, p.run, &b.c, NULL), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    train_place_close(&p);
}
#endif
