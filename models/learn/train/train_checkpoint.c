#include "models/learn/train/train_checkpoint.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/base/text.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[] = "f2ltrn1\n";
enum {
    MAGIC = 8,
    DIGEST = 64,
    COUNTS = 4,
    COUNTS_AT = MAGIC + DIGEST,
    WORDS_AT = COUNTS_AT + 8 * COUNTS
};

static void put_checkpoint_word(unsigned char *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) out[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint64_t)in[i] << (8 * i);
    return value;
}

static uint64_t checkpoint_bits_of(const void *array, size_t i, size_t number)
{
    if (number == 8) {
        uint64_t bits;
        memcpy(&bits, (const char *)array + 8 * i, sizeof bits);
        return bits;
    }
    uint32_t bits;
    memcpy(&bits, (const char *)array + 4 * i, sizeof bits);
    return bits;
}

/* Returns whether the number is finite: the exponent is all ones only in infinities and NaNs. */
static bool is_finite(uint64_t bits, size_t number)
{
    const uint64_t exponent = number == 8 ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
    return (bits & exponent) != exponent;
}

bool f2l_train_checkpoint_finite(const f2l_train_checkpoint *checkpoint)
{
    const f2l_train_checkpoint *c = checkpoint;
    const void *const array[] = {c->parameter, c->mean, c->square};
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < c->parameters; i++)
            if (!is_finite(checkpoint_bits_of(array[a], i, c->number), c->number)) return false;
    return true;
}

/* Returns the bits stored for each square. Squares have no sign: 31 or 63 bits of each are stored
 * side by side, the least bit first. */
static size_t square_bits(const f2l_train_checkpoint *c)
{
    return 8 * c->number - 1;
}

static bool checkpoint_size(size_t *bytes, const f2l_train_checkpoint *c)
{
    size_t words, numbers, squares;
    return f2l_add_size(&words, c->states, c->words) && f2l_mul_size(&words, words, 8) &&
           f2l_mul_size(&numbers, c->parameters, 2 * c->number) &&
           f2l_add_size(bytes, words, numbers) &&
           f2l_mul_size(&squares, c->parameters, square_bits(c)) &&
           f2l_add_size(&squares, squares, 7) && f2l_add_size(bytes, *bytes, squares / 8) &&
           f2l_add_size(bytes, *bytes, WORDS_AT + DIGEST);
}

/* Stores `bits` bits of the value at bit `at`; bytes not yet used are zero. */
static void put_packed_bits(unsigned char *out, size_t at, uint64_t value, size_t bits)
{
    for (size_t done = 0; done < bits;) {
        const size_t from = (at + done) % 8, room = 8 - from,
                     count = bits - done < room ? bits - done : room;
        out[(at + done) / 8] |= (unsigned char)((value >> done & ((1u << count) - 1)) << from);
        done += count;
    }
}

static uint64_t get_bits(const unsigned char *in, size_t at, size_t bits)
{
    uint64_t value = 0;
    for (size_t done = 0; done < bits;) {
        const size_t from = (at + done) % 8, room = 8 - from,
                     count = bits - done < room ? bits - done : room;
        value |= (uint64_t)(in[(at + done) / 8] >> from & ((1u << count) - 1)) << done;
        done += count;
    }
    return value;
}

static bool has_negative_square(const f2l_train_checkpoint *c)
{
    for (size_t i = 0; i < c->parameters; i++)
        if (checkpoint_bits_of(c->square, i, c->number) >> square_bits(c)) return true;
    return false;
}

static void fill_checkpoint(unsigned char *bytes, size_t size, const f2l_train_checkpoint *c)
{
    const uint64_t count[COUNTS] = {c->number, c->parameters, c->states, c->words};
    const void *const array[] = {c->parameter, c->mean};
    unsigned char *at = bytes + WORDS_AT;
    char digest[DIGEST + 1];
    memcpy(bytes, magic, MAGIC);
    memcpy(bytes + MAGIC, c->identity, DIGEST);
    for (size_t i = 0; i < COUNTS; i++) put_checkpoint_word(bytes + COUNTS_AT + 8 * i, count[i], 8);
    for (size_t i = 0; i < c->words; i++, at += 8) put_checkpoint_word(at, c->word[i], 8);
    for (size_t i = 0; i < c->states; i++, at += 8) put_checkpoint_word(at, c->state[i], 8);
    for (size_t a = 0; a < 2; a++)
        for (size_t i = 0; i < c->parameters; i++, at += c->number)
            put_checkpoint_word(at, checkpoint_bits_of(array[a], i, c->number), c->number);
    memset(at, 0, size - DIGEST - (size_t)(at - bytes));
    for (size_t i = 0; i < c->parameters; i++)
        put_packed_bits(at, i * square_bits(c), checkpoint_bits_of(c->square, i, c->number),
                        square_bits(c));
    f2l_sha256_hex(bytes, size - DIGEST, digest);
    memcpy(bytes + size - DIGEST, digest, DIGEST);
}

f2l_status f2l_train_checkpoint_write(const char *path, const f2l_train_checkpoint *checkpoint,
                                      f2l_error *err)
{
    size_t size;
    if (has_negative_square(checkpoint))
        return f2l_fail(err, F2L_EDOMAIN, "a mean of squares is negative: %s is not written", path);
    if (!checkpoint_size(&size, checkpoint)) return f2l_fail_memory(err);
    unsigned char *bytes = f2l_realloc(NULL, size, 1);
    if (!bytes) return f2l_fail_memory(err);
    fill_checkpoint(bytes, size, checkpoint);
    const f2l_status status = f2l_write_file(path, bytes, size, err);
    f2l_free(bytes);
    return status;
}

/* Checks that the bytes are a whole checkpoint of this run. */
static f2l_status check_checkpoint(const unsigned char *bytes, size_t size, const char *path,
                                   const f2l_train_checkpoint *c, f2l_error *err)
{
    const uint64_t count[COUNTS] = {c->number, c->parameters, c->states, c->words};
    char digest[DIGEST + 1];
    size_t expected;
    if (size < WORDS_AT + DIGEST || memcmp(bytes, magic, MAGIC) != 0)
        return f2l_fail(err, F2L_EFORMAT, "%s is not a checkpoint, or was cut", path);
    f2l_sha256_hex(bytes, size - DIGEST, digest);
    if (memcmp(bytes + size - DIGEST, digest, DIGEST) != 0)
        return f2l_fail(err, F2L_EFORMAT, "%s is damaged: its SHA-256 does not fit", path);
    if (memcmp(bytes + MAGIC, c->identity, DIGEST) != 0)
        return f2l_fail(err, F2L_EDOMAIN, "%s belongs to a run of another configuration", path);
    for (size_t i = 0; i < COUNTS; i++)
        if (get(bytes + COUNTS_AT + 8 * i, 8) != count[i])
            return f2l_fail(err, F2L_EDOMAIN, "%s belongs to a model of other sizes", path);
    if (!checkpoint_size(&expected, c) || size != expected)
        return f2l_fail(err, F2L_EFORMAT, "%s is damaged: its size does not fit its counts", path);
    const unsigned char *numbers = bytes + WORDS_AT + 8 * (c->words + c->states);
    const unsigned char *squares = numbers + 2 * c->number * c->parameters;
    bool finite = true;
    for (size_t i = 0; i < 2 * c->parameters; i++)
        finite = finite && is_finite(get(numbers + c->number * i, c->number), c->number);
    for (size_t i = 0; i < c->parameters; i++)
        finite =
            finite && is_finite(get_bits(squares, i * square_bits(c), square_bits(c)), c->number);
    if (!finite) return f2l_fail(err, F2L_EFORMAT, "%s holds a number that is not finite", path);
    const size_t end = c->parameters * square_bits(c);
    if (end % 8 != 0 && squares[end / 8] >> end % 8)
        return f2l_fail(err, F2L_EFORMAT, "%s is damaged: bits after the last number", path);
    return F2L_OK;
}

static void set_bits(void *array, size_t i, size_t number, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    if (number == 8)
        memcpy((char *)array + 8 * i, &bits, sizeof bits);
    else
        memcpy((char *)array + 4 * i, &low, sizeof low);
}

static void take_checkpoint(const unsigned char *bytes, const f2l_train_checkpoint *c)
{
    void *const array[] = {c->parameter, c->mean};
    const unsigned char *at = bytes + WORDS_AT;
    for (size_t i = 0; i < c->words; i++, at += 8) c->word[i] = get(at, 8);
    for (size_t i = 0; i < c->states; i++, at += 8) c->state[i] = get(at, 8);
    for (size_t a = 0; a < 2; a++)
        for (size_t i = 0; i < c->parameters; i++, at += c->number)
            set_bits(array[a], i, c->number, get(at, c->number));
    for (size_t i = 0; i < c->parameters; i++)
        set_bits(c->square, i, c->number, get_bits(at, i * square_bits(c), square_bits(c)));
}

f2l_status f2l_train_checkpoint_read(bool *found, const char *path,
                                     const f2l_train_checkpoint *checkpoint, f2l_error *err)
{
    struct stat about;
    f2l_buf bytes;
    *found = stat(path, &about) == 0 || errno != ENOENT;
    if (!*found) return F2L_OK;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, path, 0, err);
    if (status == F2L_OK)
        status =
            check_checkpoint((const unsigned char *)bytes.data, bytes.size, path, checkpoint, err);
    if (status == F2L_OK) take_checkpoint((const unsigned char *)bytes.data, checkpoint);
    f2l_buf_clear(&bytes);
    return status;
}
