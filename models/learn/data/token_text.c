#include "models/learn/data/token_text.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <errno.h>
#include <string.h>

enum { TOKENS, LENGTHS, LABELS, DOCUMENTS, ARRAYS, PIECE = 256 };

void f2l_tokens_init(f2l_tokens *tokens)
{
    *tokens = (f2l_tokens){.count = 0};
}

void f2l_tokens_clear(f2l_tokens *tokens)
{
    if (tokens->archive.file) (void)fclose(tokens->archive.file);
    f2l_free(tokens->start);
    f2l_free(tokens->document);
    f2l_tokens_init(tokens);
}

static f2l_status bad(f2l_error *err, const char *what)
{
    return f2l_fail(err, F2L_EFORMAT, "%s", what);
}

/* Reads a list of whole numbers from 0 on into *out, which is owned by the caller. */
static f2l_status read_places(size_t **out, const f2l_npz_array *a, const f2l_npz_archive *archive,
                              f2l_error *err)
{
    const size_t count = f2l_npz_count(a);
    unsigned char *stored = f2l_calloc(count + 1, a->width);
    *out = f2l_calloc(count + 1, sizeof **out);
    f2l_status status =
        stored && *out ? f2l_npz_fetch(stored, a, archive, 0, count, err) : f2l_fail_memory(err);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        const int64_t value = f2l_npz_whole(a, stored + i * a->width);
        if (value < 0)
            status = f2l_fail(err, F2L_EFORMAT, "%s, place %zu: a whole number from 0 is expected",
                              a->name, i + 1);
        (*out)[i] = (size_t)value;
    }
    f2l_free(stored);
    return status;
}

/* Sets the starts of the sequences to the sums of their lengths. */
static f2l_status take_lengths(f2l_tokens *t, const f2l_npz_array *lengths, f2l_error *err)
{
    size_t sum = 0;
    if (lengths->dims != 1 || t->token.dims != 1)
        return bad(err, "lengths has one axis, and belongs to tokens of one axis");
    t->sequences = lengths->dim[0];
    const f2l_status status = read_places(&t->start, lengths, &t->archive, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < t->sequences; i++) {
        const size_t length = t->start[i];
        if (length == 0)
            return f2l_fail(err, F2L_EFORMAT, "lengths, place %zu: a sequence has no tokens",
                            i + 1);
        t->start[i] = sum;
        sum += length;
        if (sum > t->count) break;
    }
    t->start[t->sequences] = sum;
    return sum == t->count ? F2L_OK
                           : f2l_fail(err, F2L_EFORMAT,
                                      "the lengths do not add up to the %zu tokens", t->count);
}

/* Cuts the tokens into rows of one length. */
static f2l_status take_rows(f2l_tokens *t, f2l_error *err)
{
    t->sequences = t->token.dims == 2 ? t->token.dim[0] : 1;
    const size_t length = t->count / t->sequences;
    t->start = f2l_calloc(t->sequences + 1, sizeof *t->start);
    if (t->start == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i <= t->sequences; i++) t->start[i] = i * length;
    return F2L_OK;
}

static f2l_status take_documents(f2l_tokens *t, const f2l_npz_array *documents, f2l_error *err)
{
    if (documents->dims != 1) return bad(err, "documents has one axis");
    const f2l_status status = read_places(&t->document, documents, &t->archive, err);
    if (status != F2L_OK) return status;
    t->documents = documents->dim[0];
    for (size_t i = 0; i < t->documents; i++)
        if (t->document[i] >= t->count || (i > 0 && t->document[i] <= t->document[i - 1]))
            return f2l_fail(err, F2L_EFORMAT,
                            "documents, place %zu: places of tokens must ascend below %zu", i + 1,
                            t->count);
    return F2L_OK;
}

static bool same_shape(const f2l_npz_array *a, const f2l_npz_array *b)
{
    return a->dims == b->dims && memcmp(a->dim, b->dim, a->dims * sizeof *a->dim) == 0;
}

static f2l_status take_arrays(f2l_tokens *t, const f2l_npz_array *a, f2l_error *err)
{
    t->token = a[TOKENS];
    t->label = a[LABELS];
    t->labelled = a[LABELS].found;
    if (!a[TOKENS].found) return bad(err, "the archive must have an array tokens");
    if (a[TOKENS].dims > 2) return bad(err, "tokens has one axis, or two: [sequences][tokens]");
    t->count = f2l_npz_count(&t->token);
    if (t->count == 0) return bad(err, "there are no tokens: a sequence has length 0");
    if (t->labelled && !same_shape(&t->token, &t->label))
        return bad(err, "labels must have the shape of tokens");
    f2l_status status = a[LENGTHS].found ? take_lengths(t, &a[LENGTHS], err) : take_rows(t, err);
    if (status == F2L_OK && a[DOCUMENTS].found) status = take_documents(t, &a[DOCUMENTS], err);
    return status;
}

static f2l_status find_token_arrays(f2l_tokens *t, f2l_error *err)
{
    f2l_npz_array a[ARRAYS] = {
        {.name = "tokens"}, {.name = "lengths"}, {.name = "labels"}, {.name = "documents"}};
    const f2l_status status = f2l_npz_find(a, ARRAYS, &t->archive, err);
    return status == F2L_OK ? take_arrays(t, a, err) : status;
}

f2l_status f2l_tokens_open(f2l_tokens *t, const char *path, f2l_error *err)
{
    if (f2l_path_is_folder(path))
        return f2l_fail(err, F2L_EIO, "this is a folder, and no archive of arrays");
    t->archive.file = fopen(path, "rb");
    if (t->archive.file == NULL || fseek(t->archive.file, 0, SEEK_END) != 0)
        return f2l_fail(err, F2L_EIO, "%s", strerror(errno));
    const long size = ftell(t->archive.file);
    if (size < 0) return f2l_fail(err, F2L_EIO, "%s", strerror(errno));
    t->archive.size = (size_t)size;
    return find_token_arrays(t, err);
}

f2l_status f2l_tokens_take(f2l_tokens *t, const void *bytes, size_t size, f2l_error *err)
{
    t->archive = (f2l_npz_archive){.bytes = bytes, .size = size};
    return find_token_arrays(t, err);
}

/* Returns the failure about one number of an array. */
static f2l_status bad_number(f2l_error *err, const f2l_npz_array *a, size_t sequence, size_t at,
                             int64_t value, size_t bound)
{
    if (value == INT64_MIN)
        return f2l_fail(err, F2L_EDOMAIN, "%s, sequence %zu, place %zu: this is no whole number",
                        a->name, sequence + 1, at + 1);
    return f2l_fail(err, F2L_EDOMAIN,
                    "%s, sequence %zu, place %zu: %lld is none of the model's %zu, which are "
                    "numbered from 0",
                    a->name, sequence + 1, at + 1, (long long)value, bound);
}

/* Reads up to PIECE numbers as they are. */
static f2l_status read_numbers(int64_t *out, const f2l_tokens *t, const f2l_npz_array *a,
                               size_t from, size_t count, f2l_error *err)
{
    unsigned char stored[PIECE * sizeof(uint64_t)];
    const f2l_status status = f2l_npz_fetch(stored, a, &t->archive, from, count, err);
    for (size_t i = 0; i < count && status == F2L_OK; i++)
        out[i] = f2l_npz_whole(a, stored + i * a->width);
    return status;
}

/* Returns whether the answer counts; sets *label. */
static bool counts(uint32_t *label, int64_t value)
{
    *label = value >= 0 ? (uint32_t)value : 0;
    return value != -1 && value != -100;
}

/* Returns the failure about an answer that is none of the labels. */
static f2l_status bad_answer(f2l_error *err, const f2l_tokens *t, f2l_tokens_bounds bounds,
                             size_t sequence, size_t at, int64_t value)
{
    if (t->labelled) return bad_number(err, &t->label, sequence, at, value, bounds.labels);
    if (value < 0 || (uint64_t)value >= bounds.letters)
        return bad_number(err, &t->token, sequence, at + 1, value, bounds.letters);
    return f2l_fail(err, F2L_EDOMAIN,
                    "tokens, sequence %zu, place %zu: the next token %lld is none of the %zu "
                    "labels: give an array labels",
                    sequence + 1, at + 2, (long long)value, bounds.labels);
}

/* The same for at most PIECE tokens. */
static f2l_status read_piece(uint32_t *letter, uint32_t *label, uint8_t *mask, const f2l_tokens *t,
                             f2l_tokens_bounds bounds, size_t sequence, size_t from, size_t count,
                             f2l_error *err)
{
    int64_t token[PIECE + 1] = {0}, answer[PIECE] = {0};
    const size_t first = t->start[sequence] + from, end = t->start[sequence + 1];
    const size_t ahead = first + count < end; /* the token after these is the last answer */
    const bool left_out = bounds.optional && !t->labelled && bounds.labels < bounds.letters;
    f2l_status status = read_numbers(token, t, &t->token, first, count, err);
    if (status == F2L_OK && ahead)
        status = read_numbers(token + count, t, &t->token, first + count, 1, err);
    if (status == F2L_OK && t->labelled)
        status = read_numbers(answer, t, &t->label, first, count, err);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        const bool next = i + 1 < count + ahead;
        const int64_t value = t->labelled ? answer[i] : next ? token[i + 1] : -1;
        if (token[i] < 0 || (uint64_t)token[i] >= bounds.letters)
            return bad_number(err, &t->token, sequence, from + i, token[i], bounds.letters);
        letter[i] = (uint32_t)token[i];
        mask[i] = counts(&label[i], value) && !left_out;
        if (mask[i] && (value < 0 || (uint64_t)value >= bounds.labels))
            return bad_answer(err, t, bounds, sequence, from + i, value);
    }
    return status;
}

f2l_status f2l_tokens_read(uint32_t *letter, uint32_t *label, uint8_t *mask, const f2l_tokens *t,
                           f2l_tokens_bounds bounds, size_t sequence, size_t from, size_t count,
                           f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t at = 0; at < count && status == F2L_OK; at += PIECE) {
        const size_t piece = count - at < PIECE ? count - at : PIECE;
        status = read_piece(letter + at, label + at, mask + at, t, bounds, sequence, from + at,
                            piece, err);
    }
    return status;
}
