#include "models/learn/data/npz.h"
#include <stdio.h>
#include <string.h>

#define NPY_ALIGNMENT 64 /* the data of a .npy file begin at a multiple of this */
#define FIRST_DAY 0x21   /* 1 January 1980: equal data give equal files */
#define STORED_BY 20     /* version of the format that is needed: 2.0 */

void f2l_npz_init(f2l_npz *npz)
{
    *npz = (f2l_npz){.files = 0};
    f2l_buf_init(&npz->out);
    f2l_buf_init(&npz->directory);
}

void f2l_npz_clear(f2l_npz *npz)
{
    f2l_buf_clear(&npz->out);
    f2l_buf_clear(&npz->directory);
}

/* Appends the low `bytes` bytes of a number, the lowest first. */
static void put_little_endian(f2l_buf *out, uint64_t value, size_t bytes)
{
    unsigned char byte[8];
    for (size_t i = 0; i < bytes; i++) byte[i] = (unsigned char)(value >> 8 * i);
    f2l_buf_bytes(out, byte, bytes);
}

uint32_t f2l_npz_checksum(uint32_t before, const void *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *byte = bytes;
    uint32_t crc = ~before;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* Appends the fields that the header of a file and its entry in the directory have in common. */
static void put_about(f2l_buf *out, uint32_t crc, size_t size, size_t name)
{
    put_little_endian(out, STORED_BY, 2);
    put_little_endian(out, 0, 4); /* no flags; stored, not compressed */
    put_little_endian(out, 0, 2); /* midnight */
    put_little_endian(out, FIRST_DAY, 2);
    put_little_endian(out, crc, 4);
    put_little_endian(out, size, 4);
    put_little_endian(out, size, 4);
    put_little_endian(out, name, 2);
    put_little_endian(out, 0, 2); /* no further fields */
}

static void add_npz_file(f2l_npz *npz, const char *name, f2l_buf *file)
{
    char full[128];
    const int length = snprintf(full, sizeof full, "%.120s.npy", name);
    const size_t offset = npz->out.size;
    if (file->failed) {
        npz->out.failed = true;
        return;
    }
    if (file->size > UINT32_MAX || offset > UINT32_MAX || npz->files == UINT16_MAX)
        npz->too_large = true;
    const uint32_t crc = f2l_npz_checksum(0, file->data, file->size);
    put_little_endian(&npz->out, 0x04034b50, 4);
    put_about(&npz->out, crc, file->size, (size_t)length);
    f2l_buf_bytes(&npz->out, full, (size_t)length);
    f2l_buf_bytes(&npz->out, file->data, file->size);
    put_little_endian(&npz->directory, 0x02014b50, 4);
    put_little_endian(&npz->directory, STORED_BY, 2); /* made by */
    put_about(&npz->directory, crc, file->size, (size_t)length);
    put_little_endian(&npz->directory, 0, 4); /* no comment, first disk */
    put_little_endian(&npz->directory, 0, 6); /* no attributes */
    put_little_endian(&npz->directory, offset, 4);
    f2l_buf_bytes(&npz->directory, full, (size_t)length);
    npz->files++;
}

/* Begins a .npy file of this type and shape. */
static void begin_array(f2l_buf *file, const char *type, size_t dims, const size_t *dim)
{
    static const char magic[] = "\x93NUMPY\x01";
    f2l_buf header;
    f2l_buf_init(&header);
    f2l_buf_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (size_t i = 0; i < dims; i++)
        f2l_buf_printf(&header, "%s%zu%s", i ? " " : "", dim[i], i == 0 || i + 1 < dims ? "," : "");
    f2l_buf_text(&header, "), }");
    const size_t before = sizeof magic + 2; /* the magic, its version 1.0, and the length */
    while (!header.failed && (before + header.size + 1) % NPY_ALIGNMENT != 0)
        f2l_buf_text(&header, " ");
    f2l_buf_text(&header, "\n");
    f2l_buf_bytes(file, magic, sizeof magic); /* with the final 0 of 1.0 */
    put_little_endian(file, header.size, 2);
    if (header.failed)
        file->failed = true;
    else
        f2l_buf_bytes(file, header.data, header.size);
    f2l_buf_clear(&header);
}

void f2l_npz_add_array(f2l_npz *npz, const char *name, const char *type, size_t dims,
                       const size_t *dim, const void *data, size_t size)
{
    f2l_buf file;
    f2l_buf_init(&file);
    begin_array(&file, type, dims, dim);
    f2l_buf_bytes(&file, data, size);
    add_npz_file(npz, name, &file);
    f2l_buf_clear(&file);
}

void f2l_npz_add_integers(f2l_npz *npz, const char *name, const int32_t *value, size_t rows,
                          size_t columns)
{
    const size_t dim[2] = {rows, columns}, count = rows * (columns > 0 ? columns : 1);
    f2l_buf data;
    f2l_buf_init(&data);
    for (size_t i = 0; i < count; i++) put_little_endian(&data, (uint32_t)value[i], 4);
    if (data.failed)
        npz->out.failed = true;
    else
        f2l_npz_add_array(npz, name, "<i4", columns > 0 ? 2 : 1, dim, data.data, data.size);
    f2l_buf_clear(&data);
}

/* Returns the code point at *at in valid UTF-8, and moves *at behind it. */
static uint32_t next_code_point(const char **at)
{
    const unsigned char *byte = (const unsigned char *)*at;
    const unsigned more = byte[0] < 0x80 ? 0 : byte[0] < 0xe0 ? 1 : byte[0] < 0xf0 ? 2 : 3;
    uint32_t point = more == 0 ? byte[0] : byte[0] & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++) point = point << 6 | (byte[i] & 0x3fu);
    *at += more + 1;
    return point;
}

static size_t code_points(const char *text)
{
    size_t count = 0;
    while (*text != '\0') {
        (void)next_code_point(&text);
        count++;
    }
    return count;
}

void f2l_npz_add_names(f2l_npz *npz, const char *name, const f2l_names *names)
{
    size_t width = 1;
    char type[32];
    f2l_buf file;
    f2l_buf_init(&file);
    for (size_t i = 0; i < names->count; i++) {
        const size_t points = code_points(f2l_names_get(names, i));
        if (points > width) width = points;
    }
    snprintf(type, sizeof type, "<U%zu", width);
    begin_array(&file, type, 1, &names->count);
    for (size_t i = 0; i < names->count; i++) {
        const char *at = f2l_names_get(names, i);
        for (size_t k = 0; k < width; k++)
            put_little_endian(&file, *at ? next_code_point(&at) : 0, 4);
    }
    add_npz_file(npz, name, &file);
    f2l_buf_clear(&file);
}

f2l_status f2l_npz_end(f2l_npz *npz, f2l_error *err)
{
    const size_t offset = npz->out.size, size = npz->directory.size;
    if (npz->too_large || offset > UINT32_MAX)
        return f2l_fail(
            err, F2L_EDOMAIN,
            "an archive for NumPy has less than 4 GiB here, and fewer than 65,536 arrays");
    if (npz->directory.failed) return f2l_fail_memory(err);
    f2l_buf_bytes(&npz->out, npz->directory.data, size);
    put_little_endian(&npz->out, 0x06054b50, 4);
    put_little_endian(&npz->out, 0, 4); /* one disk */
    put_little_endian(&npz->out, npz->files, 2);
    put_little_endian(&npz->out, npz->files, 2);
    put_little_endian(&npz->out, size, 4);
    put_little_endian(&npz->out, offset, 4);
    put_little_endian(&npz->out, 0, 2); /* no comment */
    return f2l_buf_status(&npz->out, err);
}
