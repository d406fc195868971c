/* A search in a file, to go on from. All numbers are little-endian:
 *
 *     "F2LSRCH1"; identity, 64 hexadecimal digits
 *     8 bytes each: bytes of a row, rows, row and letter of the next edge, rows there were when
 *         that row's first edge
 *         came, long numbers of children, entries of `next`
 *     the rows; the numbers of children of the rows that are done, 1 byte each; the long ones, 4
 *         bytes each; `next`, 4
 *         bytes each
 *     SHA-256 of all before, 64 hexadecimal digits
 *
 * The file is believed: edges that it says are done are not stepped again. The checks find
 * damage and foreign files, not forgery. */
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/base/text.h"
#include "numeric/base/unfinished.h"
#include "theory/certify/closure/search.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "F2LSRCH1"
#define HEX 64
#define ROWS_PER_POLL 65536

enum { WIDTH, ROWS, EXPANDING, LETTER, FIRST_CHILD, LONG, NEXT, FIELDS };
#define HEADER_BYTES (sizeof MAGIC - 1 + HEX + 8 * FIELDS)

/* A file with the hash of what was read or written; the first failure is kept. */
typedef struct stream {
    FILE *file;
    f2l_sha256 hash;
    const char *failure;
} stream;

static void write_hashed_bytes(stream *s, const void *bytes, size_t n)
{
    if (s->failure) return;
    f2l_sha256_update(&s->hash, bytes, n);
    if (fwrite(bytes, 1, n, s->file) != n) s->failure = "cannot write";
}

static void write_hashed_number(stream *s, size_t width, uint64_t value)
{
    unsigned char bytes[8];
    f2l_pairs_put(bytes, width, value);
    write_hashed_bytes(s, bytes, width);
}

static bool read_hashed_bytes(stream *s, void *bytes, size_t n)
{
    if (!s->failure && fread(bytes, 1, n, s->file) != n) s->failure = "cannot read";
    if (!s->failure) f2l_sha256_update(&s->hash, bytes, n);
    return !s->failure;
}

static uint64_t read_hashed_number(stream *s, size_t width)
{
    unsigned char bytes[8] = {0};
    return read_hashed_bytes(s, bytes, width) ? f2l_pairs_take(bytes, width) : 0;
}

/* --- writing --- */

static size_t next_entries(const f2l_search *search)
{
    return search->keep_next ? search->expanding * search->fsa->letters.count + search->letter : 0;
}

static void write_search(stream *s, const f2l_search *search)
{
    const f2l_pairs *pairs = &search->pairs;
    const size_t field[FIELDS] = {pairs->width,        pairs->count,        search->expanding,
                                  search->letter,      search->first_child, pairs->many_count,
                                  next_entries(search)};
    char hex[HEX + 1];
    write_hashed_bytes(s, MAGIC, sizeof MAGIC - 1);
    write_hashed_bytes(s, search->saving->identity, HEX);
    for (size_t i = 0; i < FIELDS; i++) write_hashed_number(s, 8, field[i]);
    for (size_t r = 0; r < pairs->count; r++)
        write_hashed_bytes(s, f2l_pairs_get(pairs, r), pairs->width);
    for (size_t r = 0; r < search->expanding; r++)
        write_hashed_bytes(s, f2l_pairs_get(pairs, r) + pairs->width, 1);
    for (size_t i = 0; i < pairs->many_count; i++) write_hashed_number(s, 4, pairs->many[i]);
    for (size_t i = 0; i < field[NEXT]; i++) write_hashed_number(s, 4, search->next[i]);
    f2l_sha256 copy = s->hash;
    f2l_sha256_final(&copy, hex);
    write_hashed_bytes(s, hex, HEX);
}

/* Writes to a temporary file, which is then renamed, so that the previous file exists until then.
 * Returns why it failed, or NULL. */
static const char *write_search_file(const f2l_search *search, const char *temporary)
{
    stream s = {.file = fopen(temporary, "wb")};
    if (!s.file) return "cannot create";
    f2l_sha256_init(&s.hash);
    write_search(&s, search);
    if (!s.failure && (fflush(s.file) != 0 || fsync(fileno(s.file)) != 0))
        s.failure = "cannot write";
    const int number = errno;
    if (fclose(s.file) != 0 && !s.failure) return "cannot write";
    if (s.failure) errno = number;
    if (!s.failure && rename(temporary, search->saving->path) != 0) s.failure = "cannot create";
    return s.failure;
}

static void save_search(f2l_search *search)
{
    f2l_saving *saving = search->saving;
    f2l_buf temporary;
    f2l_buf_init(&temporary);
    f2l_buf_printf(&temporary, "%s" F2L_UNFINISHED_MARK "search", saving->path);
    saving->failure[0] = '\0';
    errno = 0;
    const char *failure = f2l_buf_status(&temporary, NULL) == F2L_OK
                              ? write_search_file(search, temporary.data)
                              : "out of memory";
    if (failure) {
        snprintf(saving->failure, sizeof saving->failure, "%s the file%s%s", failure,
                 errno ? ": " : "", errno ? f2l_reason_of(errno).text : "");
        if (temporary.data) (void)remove(temporary.data);
    } else {
        saving->saved = true;
    }
    f2l_buf_clear(&temporary);
}

void f2l_search_save(f2l_search *search, bool now)
{
    f2l_saving *saving = search->saving;
    if (!saving || !saving->ready || search->pairs.count < saving->rows) return;
    const double time = f2l_now();
    if (!now && saving->next == 0 && saving->seconds > 0) saving->next = time + saving->seconds;
    if (!now && time < saving->next) return;
    save_search(search);
    saving->next = f2l_now() + saving->seconds;
}

void f2l_search_forget(f2l_search *search)
{
    if (search->saving->saved) (void)remove(search->saving->path);
    search->saving->saved = false;
}

/* --- reading --- */

static f2l_status damaged(const f2l_search *search, const char *how, f2l_error *err)
{
    return f2l_fail(err, F2L_EFORMAT, "%.200s is no saved search, or damaged: %s",
                    search->saving->path, how);
}

/* Reads and checks everything that can be checked before memory is allocated: magic, identity,
 * sizes. */
static f2l_status read_header(stream *s, const f2l_search *search, uint64_t file_bytes,
                              uint64_t *field, f2l_error *err)
{
    const uint64_t letters = search->fsa->letters.count;
    char magic[sizeof MAGIC - 1], identity[HEX];
    if (!read_hashed_bytes(s, magic, sizeof magic) || memcmp(magic, MAGIC, sizeof magic) != 0)
        return damaged(search, "it does not begin as one", err);
    if (!read_hashed_bytes(s, identity, HEX)) return damaged(search, "it is too short", err);
    if (memcmp(identity, search->saving->identity, HEX) != 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%.200s was saved for another network, automaton, format, schedule or kind "
                        "of search",
                        search->saving->path);
    for (size_t i = 0; i < FIELDS; i++) field[i] = read_hashed_number(s, 8);
    if (s->failure) return damaged(search, "it is too short", err);
    /* Bounds first, so that the sum below cannot overflow: a row has at most 2^31 bytes. */
    if (field[WIDTH] != search->pairs.width || field[ROWS] == 0 || field[ROWS] > F2L_PAIRS_LIMIT ||
        field[ROWS] > file_bytes / field[WIDTH] || field[EXPANDING] > field[ROWS] ||
        field[LETTER] >= letters || (field[EXPANDING] == field[ROWS] && field[LETTER] > 0) ||
        field[FIRST_CHILD] > field[ROWS] || field[LONG] > field[EXPANDING])
        return damaged(search, "its numbers do not fit each other", err);
    const uint64_t next = search->keep_next ? field[EXPANDING] * letters + field[LETTER] : 0;
    if (field[NEXT] != next || next > file_bytes)
        return damaged(search, "its numbers do not fit each other", err);
    const uint64_t expected = HEADER_BYTES + field[ROWS] * field[WIDTH] + field[EXPANDING] +
                              4 * field[LONG] + 4 * field[NEXT] + HEX;
    return file_bytes == expected ? F2L_OK : damaged(search, "its size is not what it says", err);
}

static f2l_status read_search_rows(stream *s, f2l_search *search, const uint64_t *field,
                                   const unsigned char *first, unsigned char *row, f2l_error *err)
{
    f2l_pairs *pairs = &search->pairs;
    for (size_t r = 0; r < field[ROWS]; r++) {
        size_t index;
        f2l_status status = F2L_OK;
        if (r % ROWS_PER_POLL == 0) status = f2l_search_poll(search, r, err);
        if (status != F2L_OK) return status;
        if (!read_hashed_bytes(s, row, pairs->width))
            return damaged(search, "it is too short", err);
        status = f2l_pairs_add(pairs, row, &index, search->task, search->phase, err);
        if (status != F2L_OK) return status;
        if (index != r || f2l_search_state(search, r) >= search->fsa->states.count)
            return damaged(search, "a row is wrong", err);
    }
    return memcmp(f2l_pairs_get(pairs, 0), first, pairs->width) == 0
               ? F2L_OK
               : damaged(search, "its first row is not the start", err);
}

/* Reads the numbers of children. They are set twice: short ones as they are read, long ones, in
 * their order, when their list is read. */
static f2l_status read_children(stream *s, f2l_search *search, const uint64_t *field,
                                unsigned char *children, f2l_error *err)
{
    uint64_t sum = 1, longs = 0;
    if (!read_hashed_bytes(s, children, field[EXPANDING]))
        return damaged(search, "it is too short", err);
    for (size_t r = 0; r < field[EXPANDING]; r++) {
        size_t n = children[r];
        if (n == UINT8_MAX) longs++;
        sum += n == UINT8_MAX ? 0 : n;
    }
    if (longs != field[LONG]) return damaged(search, "its numbers of children are wrong", err);
    for (size_t r = 0; r < field[EXPANDING]; r++) {
        size_t n = children[r];
        if (n == UINT8_MAX) {
            n = (size_t)read_hashed_number(s, 4);
            sum += n;
            if (n < UINT8_MAX) return damaged(search, "its numbers of children are wrong", err);
        }
        f2l_status status = f2l_pairs_set_children(&search->pairs, r, n, err);
        if (status != F2L_OK) return status;
    }
    return sum == field[FIRST_CHILD] ? F2L_OK
                                     : damaged(search, "its numbers of children are wrong", err);
}

static f2l_status read_next(stream *s, f2l_search *search, const uint64_t *field, f2l_error *err)
{
    f2l_status status =
        search->keep_next ? f2l_search_grow_next(search, field[EXPANDING] + 1, err) : F2L_OK;
    for (size_t i = 0; i < field[NEXT] && status == F2L_OK; i++) {
        search->next[i] = (uint32_t)read_hashed_number(s, 4);
        if (search->next[i] >= field[ROWS]) status = damaged(search, "an edge is wrong", err);
    }
    return status;
}

static f2l_status read_tail(stream *s, const f2l_search *search, f2l_error *err)
{
    char hex[HEX + 1], stored[HEX];
    f2l_sha256_final(&s->hash, hex);
    if (s->failure || fread(stored, 1, HEX, s->file) != HEX || memcmp(stored, hex, HEX) != 0)
        return damaged(search, "its SHA-256 is wrong", err);
    return F2L_OK;
}

static f2l_status read_search(stream *s, f2l_search *search, uint64_t file_bytes,
                              const unsigned char *first, f2l_error *err)
{
    uint64_t field[FIELDS] = {0};
    f2l_status status = read_header(s, search, file_bytes, field, err);
    if (status != F2L_OK) return status;
    const size_t most = field[EXPANDING] > field[WIDTH] ? field[EXPANDING] : field[WIDTH];
    unsigned char *bytes = f2l_calloc(most, 1);
    if (!bytes) return f2l_fail_memory(err);
    status = read_search_rows(s, search, field, first, bytes, err);
    if (status == F2L_OK) status = read_children(s, search, field, bytes, err);
    if (status == F2L_OK) status = read_next(s, search, field, err);
    if (status == F2L_OK) status = read_tail(s, search, err);
    f2l_free(bytes);
    search->expanding = (size_t)field[EXPANDING];
    search->letter = (size_t)field[LETTER];
    search->first_child = (size_t)field[FIRST_CHILD];
    return status;
}

f2l_status f2l_search_load(f2l_search *search, const unsigned char *row, f2l_error *err)
{
    f2l_saving *saving = search->saving;
    stream s = {.file = fopen(saving->path, "rb")};
    struct stat about;
    f2l_sha256_init(&s.hash);
    if (!s.file && errno == ENOENT) {
        saving->ready = true;
        return F2L_OK;
    }
    if (!s.file || fstat(fileno(s.file), &about) != 0) {
        const int number = errno;
        if (s.file) fclose(s.file);
        return f2l_fail(err, F2L_EIO, "cannot read %.200s: %s", saving->path,
                        f2l_reason_of(number).text);
    }
    f2l_status status = S_ISREG(about.st_mode)
                            ? read_search(&s, search, (uint64_t)about.st_size, row, err)
                            : damaged(search, "it is no file", err);
    fclose(s.file);
    saving->ready = saving->saved = status == F2L_OK;
    return status;
}
