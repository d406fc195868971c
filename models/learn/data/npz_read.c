#include "models/learn/data/npz_read.h"
#include "models/learn/data/npz.h"
#include "numeric/base/mem.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define END_SIZE 22   /* bytes of the end of a directory, without its comment */
#define ENTRY_SIZE 46 /* bytes of an entry of it, without name and further fields */
#define LOCAL_SIZE 30 /* bytes of the head of a file, likewise */
#define MOST_HEAD 1024
#define PIECE 16384 /* bytes that are read at a time for a checksum */
#define MOST_DIRECTORY ((size_t)16 << 20)

static f2l_status bad(f2l_error *err, const char *what)
{
    return f2l_fail(err, F2L_EFORMAT, "%s", what);
}

static size_t number_at(const unsigned char *at, size_t bytes)
{
    size_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

/* --- the archive --- */

/* Copies bytes of the archive, which has them. */
static f2l_status copy(void *out, const f2l_npz_archive *a, size_t at, size_t size, f2l_error *err)
{
    if (size == 0) return F2L_OK;
    if (a->bytes != NULL) {
        memcpy(out, a->bytes + at, size);
        return F2L_OK;
    }
    if (at > LONG_MAX || fseek(a->file, (long)at, SEEK_SET) != 0 ||
        fread(out, 1, size, a->file) != size)
        return f2l_fail(err, F2L_EIO, "the archive cannot be read at byte %zu", at);
    return F2L_OK;
}

/* The directory of an archive. */
typedef struct directory {
    unsigned char *bytes; /* owned */
    size_t size, files;
} directory;

/* Finds the end of the directory, which a comment may follow, in the last bytes of the archive. */
static const unsigned char *find_end(const unsigned char *tail, size_t size)
{
    for (size_t at = size - END_SIZE;; at--) {
        if (memcmp(tail + at, "PK\5\6", 4) == 0) return tail + at;
        if (at == 0) return NULL;
    }
}

static f2l_status read_directory(directory *out, const f2l_npz_archive *a, f2l_error *err)
{
    const size_t most = END_SIZE + UINT16_MAX, size = a->size < most ? a->size : most;
    if (size < END_SIZE) return bad(err, "this is no archive of arrays, as numpy.savez writes it");
    unsigned char *tail = f2l_calloc(size, 1);
    if (tail == NULL) return f2l_fail_memory(err);
    f2l_status status = copy(tail, a, a->size - size, size, err);
    const unsigned char *end = status == F2L_OK ? find_end(tail, size) : NULL;
    if (status == F2L_OK && end == NULL)
        status = bad(err, "this is no archive of arrays, as numpy.savez writes it");
    if (status == F2L_OK) {
        const size_t limit = a->size - size + (size_t)(end - tail), at = number_at(end + 16, 4);
        out->files = number_at(end + 10, 2);
        out->size = at < limit ? limit - at : 0;
        if (at > limit || out->size > MOST_DIRECTORY)
            status = bad(err, "the archive is damaged: its directory is not where it should be");
        out->bytes = status == F2L_OK ? f2l_calloc(out->size + 1, 1) : NULL;
        if (status == F2L_OK && out->bytes == NULL) status = f2l_fail_memory(err);
        if (status == F2L_OK) status = copy(out->bytes, a, at, out->size, err);
    }
    f2l_free(tail);
    return status;
}

/* Sets *from and *size to the bytes of the file that an entry is about. */
static f2l_status open_entry(size_t *from, size_t *size, const f2l_npz_archive *a,
                             const unsigned char *entry, f2l_error *err)
{
    unsigned char local[LOCAL_SIZE];
    const size_t method = number_at(entry + 10, 2), offset = number_at(entry + 42, 4);
    *size = number_at(entry + 20, 4);
    if (method != 0 || number_at(entry + 24, 4) != *size)
        return bad(err, "the archive is compressed: numpy.savez writes one that is not");
    if (offset > a->size || a->size - offset < LOCAL_SIZE)
        return bad(err, "the archive is damaged: a file is not where its directory says");
    const f2l_status status = copy(local, a, offset, LOCAL_SIZE, err);
    if (status != F2L_OK) return status;
    if (memcmp(local, "PK\3\4", 4) != 0)
        return bad(err, "the archive is damaged: a file is not where its directory says");
    const size_t head = LOCAL_SIZE + number_at(local + 26, 2) + number_at(local + 28, 2);
    if (a->size - offset < head || a->size - offset - head < *size)
        return bad(err, "the archive is cut off, or larger than 4 GiB");
    *from = offset + head;
    return F2L_OK;
}

/* --- an array --- */

/* Returns what follows 'KEY': in the text of a head; NULL: nothing. */
static const char *value_of_key(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    if (at == NULL) return NULL;
    at += strlen(key);
    return at + strspn(at, " ");
}

static bool read_array_shape(f2l_npz_array *a, const char *at)
{
    if (*at++ != '(') return false;
    for (a->dims = 0; *(at += strspn(at, " ")) != ')'; a->dims++) {
        char *end;
        if (*at < '0' || *at > '9' || a->dims == F2L_NPZ_MOST_DIMS) return false;
        a->dim[a->dims] = strtoul(at, &end, 10);
        if (a->dim[a->dims] > UINT32_MAX) return false;
        at = end + strspn(end, " ");
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
    return a->dims > 0;
}

static bool read_type(f2l_npz_array *a, const char *at)
{
    if (at[0] != '\'' || (at[1] != '<' && at[1] != '|')) return false;
    a->type = at[2];
    a->width = at[3] >= '1' && at[3] <= '8' && at[4] == '\'' ? (size_t)(at[3] - '0') : 0;
    if (a->type == 'f') return a->width == 4 || a->width == 8;
    if (a->type == 'b') return a->width == 1;
    return (a->type == 'i' || a->type == 'u') &&
           (a->width == 1 || a->width == 2 || a->width == 4 || a->width == 8);
}

/* Refuses bytes that are not just as many as the numbers of the array need. */
static f2l_status check_size(const f2l_npz_array *a, size_t size, f2l_error *err)
{
    size_t need = a->width, left = size;
    for (size_t d = 0; d < a->dims; d++)
        if (a->dim[d] == 0) need = 0;
    if (need > 0) {
        left /= a->width;
        for (size_t d = 0; d < a->dims; d++) left /= a->dim[d];
        if (left == 0)
            return f2l_fail(err, F2L_EFORMAT, "%s is shorter than its shape says", a->name);
        need *= f2l_npz_count(a);
    }
    return size == need ? F2L_OK
                        : f2l_fail(err, F2L_EFORMAT, "%s is longer than its shape says", a->name);
}

/* Reads the head of the array that is the file of `size` bytes at `from`. */
static f2l_status read_array(f2l_npz_array *a, const f2l_npz_archive *archive, size_t from,
                             size_t size, f2l_error *err)
{
    unsigned char start[12] = {0};
    char head[MOST_HEAD];
    f2l_status status =
        size < sizeof start ? F2L_OK : copy(start, archive, from, sizeof start, err);
    if (status != F2L_OK) return status;
    if (size < sizeof start || memcmp(start, "\x93NUMPY", 6) != 0)
        return f2l_fail(err, F2L_EFORMAT, "%s is no array of NumPy", a->name);
    const size_t field = start[6] == 1 ? 2 : 4, length = number_at(start + 8, field);
    if (size - 8 - field < length || length >= sizeof head)
        return f2l_fail(err, F2L_EFORMAT, "the head of %s is damaged", a->name);
    status = copy(head, archive, from + 8 + field, length, err);
    if (status != F2L_OK) return status;
    head[length] = '\0';
    const char *type = value_of_key(head, "'descr':"), *shape = value_of_key(head, "'shape':"),
               *order = value_of_key(head, "'fortran_order':");
    if (!type || !read_type(a, type))
        return f2l_fail(err, F2L_EFORMAT,
                        "the numbers of %s are of no type that is read: float of 4 or 8 bytes, "
                        "whole numbers and bool are, with the lowest byte first",
                        a->name);
    if (!shape || !read_array_shape(a, shape) || !order || strncmp(order, "False", 5) != 0)
        return f2l_fail(err, F2L_EFORMAT, "%s is no array of one to three axes in the order of C",
                        a->name);
    a->at = from + 8 + field + length;
    a->found = true;
    return check_size(a, size - 8 - field - length, err);
}

/* Refuses bytes of another checksum than the entry has. */
static f2l_status check_sum(const f2l_npz_archive *archive, const unsigned char *entry, size_t from,
                            size_t size, const char *name, f2l_error *err)
{
    unsigned char bytes[PIECE];
    uint32_t sum = 0;
    for (size_t at = 0, piece; at < size; at += piece) {
        piece = size - at < PIECE ? size - at : PIECE;
        const f2l_status status = copy(bytes, archive, from + at, piece, err);
        if (status != F2L_OK) return status;
        sum = f2l_npz_checksum(sum, bytes, piece);
    }
    return sum == number_at(entry + 16, 4)
               ? F2L_OK
               : f2l_fail(err, F2L_EFORMAT,
                          "the archive is damaged: the checksum of %s is another one", name);
}

static f2l_status refuse_name(const f2l_npz_array *wanted, size_t count, const char *name,
                              size_t length, f2l_error *err)
{
    f2l_buf names;
    f2l_buf_init(&names);
    for (size_t i = 0; i < count; i++)
        f2l_buf_printf(&names, "%s%s",
                       i == 0          ? ""
                       : i + 1 < count ? ", "
                                       : " and ",
                       wanted[i].name);
    f2l_status status = f2l_buf_status(&names, err);
    if (length > 4 && memcmp(name + length - 4, ".npy", 4) == 0) length -= 4;
    if (status == F2L_OK)
        status = f2l_fail(err, F2L_EFORMAT,
                          "the archive has an array '%.*s', which is not read: only %s are",
                          (int)(length > 80 ? 80 : length), name, names.data);
    f2l_buf_clear(&names);
    return status;
}

/* Reads the file of an entry, which must be a wanted array. */
static f2l_status take_entry(f2l_npz_array *wanted, size_t count, const f2l_npz_archive *archive,
                             const unsigned char *entry, size_t name, f2l_error *err)
{
    size_t from = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(wanted[i].name);
        if (name != length + 4 || memcmp(entry + ENTRY_SIZE, wanted[i].name, length) != 0 ||
            memcmp(entry + ENTRY_SIZE + length, ".npy", 4) != 0)
            continue;
        if (wanted[i].found)
            return f2l_fail(err, F2L_EFORMAT, "the archive has the array %s twice", wanted[i].name);
        f2l_status status = open_entry(&from, &size, archive, entry, err);
        if (status == F2L_OK) status = check_sum(archive, entry, from, size, wanted[i].name, err);
        return status == F2L_OK ? read_array(&wanted[i], archive, from, size, err) : status;
    }
    return refuse_name(wanted, count, (const char *)entry + ENTRY_SIZE, name, err);
}

f2l_status f2l_npz_find(f2l_npz_array *wanted, size_t count, const f2l_npz_archive *archive,
                        f2l_error *err)
{
    directory d = {.bytes = NULL};
    f2l_status status = read_directory(&d, archive, err);
    for (size_t at = 0; d.files > 0 && status == F2L_OK; d.files--) {
        if (d.size - at < ENTRY_SIZE || memcmp(d.bytes + at, "PK\1\2", 4) != 0) {
            status = bad(err, "the archive is damaged: its directory is not where it should be");
            break;
        }
        const unsigned char *entry = d.bytes + at;
        const size_t name = number_at(entry + 28, 2);
        const size_t whole =
            ENTRY_SIZE + name + number_at(entry + 30, 2) + number_at(entry + 32, 2);
        status = d.size - at < whole ? bad(err, "the archive is damaged: its directory is cut off")
                                     : take_entry(wanted, count, archive, entry, name, err);
        at += whole;
    }
    f2l_free(d.bytes);
    return status;
}

/* --- numbers --- */

size_t f2l_npz_count(const f2l_npz_array *array)
{
    size_t count = 1;
    for (size_t d = 0; d < array->dims; d++) count *= array->dim[d];
    return count;
}

f2l_status f2l_npz_fetch(unsigned char *out, const f2l_npz_array *array,
                         const f2l_npz_archive *archive, size_t from, size_t count, f2l_error *err)
{
    return copy(out, archive, array->at + from * array->width, count * array->width, err);
}

static int64_t whole_of_real(const f2l_npz_array *a, const unsigned char *stored)
{
    double value;
    float single;
    if (a->width == 4) {
        memcpy(&single, stored, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, stored, sizeof value);
    }
    return fabs(value) < 0x1p31 && value == (double)(int64_t)value ? (int64_t)value : INT64_MIN;
}

int64_t f2l_npz_whole(const f2l_npz_array *a, const unsigned char *stored)
{
    if (a->type == 'f') return whole_of_real(a, stored);
    uint64_t value = 0;
    for (size_t k = a->width; k-- > 0;) value = value << 8 | stored[k];
    const unsigned bits = 8 * (unsigned)a->width;
    if (a->type == 'i' && bits > 0 && value >> (bits - 1) != 0) {
        const uint64_t below = bits < 64 ? (UINT64_C(1) << bits) - value : UINT64_MAX - value + 1;
        return below < UINT64_C(1) << 31 ? -(int64_t)below : INT64_MIN;
    }
    return value < UINT64_C(1) << 31 ? (int64_t)value : INT64_MIN;
}
