#include "models/learn/seq/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

static size_t row_numbers(const f2l_seq_tensor *tensor)
{
    return tensor->count / tensor->dim[0];
}

static double number_at(const f2l_seq_numbers *numbers, size_t i)
{
    return numbers->bytes == 4 ? (double)numbers->from.single[i] : numbers->from.real[i];
}

static void put_little_bits(f2l_buf *out, uint64_t bits, size_t bytes)
{
    unsigned char little[8];
    for (size_t i = 0; i < bytes; i++) little[i] = (unsigned char)(bits >> (8 * i));
    f2l_buf_bytes(out, little, bytes);
}

static void put_entry_number(f2l_buf *out, double x, bool wide)
{
    uint64_t bits;
    uint32_t narrow_bits;
    const float narrow = (float)x;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    put_little_bits(out, wide ? bits : narrow_bits, wide ? 8 : 4);
}

static void put_header(f2l_buf *out, const f2l_seq_entry *entry, size_t entries,
                       const char *metadata, bool wide)
{
    size_t at = 0;
    f2l_buf_printf(out, "{\"__metadata__\":%s", metadata);
    for (size_t e = 0; e < entries; e++) {
        const f2l_seq_tensor *tensor = entry[e].tensor;
        const size_t bytes = entry[e].rows * row_numbers(tensor) * (wide ? 8 : 4);
        f2l_buf_printf(out, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu", entry[e].name,
                       wide ? "F64" : "F32", entry[e].rows);
        for (size_t d = 1; d < tensor->dims; d++) f2l_buf_printf(out, ",%zu", tensor->dim[d]);
        f2l_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes);
        at += bytes;
    }
    f2l_buf_text(out, "}");
}

static bool put_entry_numbers(f2l_buf *out, const f2l_seq_entry *entry, bool wide,
                              const f2l_seq_numbers *numbers)
{
    const f2l_seq_tensor *tensor = entry->tensor;
    const size_t count = entry->rows * row_numbers(tensor);
    for (size_t i = 0; i < count; i++) {
        const double x =
            i < tensor->count ? entry->scale * number_at(numbers, tensor->offset + i) : 0;
        if (!isfinite(wide ? x : (double)(float)x)) return false;
        put_entry_number(out, x, wide);
    }
    return true;
}

f2l_status f2l_seq_write_entries(f2l_buf *out, const f2l_seq_entry *entry, size_t entries,
                                 const char *metadata, bool wide, const f2l_seq_numbers *numbers,
                                 f2l_error *err)
{
    f2l_buf header;
    f2l_buf_init(&header);
    put_header(&header, entry, entries, metadata, wide);
    f2l_safetensors_put_header(out, &header);
    f2l_status status = f2l_buf_status(&header, err);
    f2l_buf_clear(&header);
    for (size_t e = 0; status == F2L_OK && e < entries; e++)
        if (!put_entry_numbers(out, &entry[e], wide, numbers))
            status = f2l_fail(err, F2L_EDOMAIN, "the tensor %s has a number that is not finite",
                              entry[e].name);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

/* Appends "[3, 4]". */
static void put_tensor_shape(f2l_buf *out, const size_t *dim, size_t dims)
{
    f2l_buf_text(out, "[");
    for (size_t d = 0; d < dims && d < F2L_SAFETENSORS_DIMS; d++)
        f2l_buf_printf(out, "%s%zu", d ? ", " : "", dim[d]);
    f2l_buf_text(out, dims > F2L_SAFETENSORS_DIMS ? ", ..]" : "]");
}

/* Refuses a tensor of the file unless it has the entry's shape and a floating-point type. */
static f2l_status check_entry_shape(const f2l_safetensors_tensor *found, const f2l_seq_entry *entry,
                                    f2l_error *err)
{
    const f2l_seq_tensor *tensor = entry->tensor;
    size_t wanted[3] = {entry->rows, tensor->dim[1], tensor->dim[2]};
    bool same = found->dims == tensor->dims;
    if (found->type > F2L_SAFETENSORS_F64)
        return f2l_fail(err, F2L_EFORMAT,
                        "the tensor %s is not of type BF16, F16, F32 or F64, which are read here",
                        entry->name);
    for (size_t d = 0; same && d < tensor->dims && d < F2L_SAFETENSORS_DIMS; d++)
        same = found->dim[d] == wanted[d];
    if (same) return F2L_OK;
    f2l_buf text;
    f2l_buf_init(&text);
    put_tensor_shape(&text, found->dim, found->dims);
    f2l_buf_text(&text, ", not ");
    put_tensor_shape(&text, wanted, tensor->dims);
    const f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK)
        f2l_fail(err, F2L_EFORMAT, "the tensor %s has a shape that does not fit: it is %s",
                 entry->name, text.data);
    f2l_buf_clear(&text);
    return status == F2L_OK ? F2L_EFORMAT : status;
}

/* Returns the row of the file that is this row of the model. */
static size_t file_row_of(const f2l_seq_entry *entry, size_t row)
{
    if (entry->row != NULL) return entry->row[row];
    if (entry->block == 0) return row;
    return entry->first + row / entry->block / entry->share * entry->stride + row % entry->block;
}

enum { MOST_PARTS = F2L_SEQ_MAX_HOUSEHOLDERS }; /* of a joined tensor */

/* A tensor of the file, in parts of whole rows. */
typedef struct source {
    f2l_safetensors_tensor part[MOST_PARTS];
    size_t parts;
} source;

/* Returns the row's first number and sets *type. */
static const unsigned char *file_row_at(f2l_safetensors_type *type, const source *from, size_t row,
                                        size_t columns)
{
    size_t p = 0;
    for (; p + 1 < from->parts && row >= from->part[p].dim[0]; p++) row -= from->part[p].dim[0];
    *type = from->part[p].type;
    return from->part[p].data + row * columns * f2l_safetensors_bytes(*type);
}

static f2l_status read_entry_numbers(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry,
                                     const source *from, f2l_error *err)
{
    const size_t columns = row_numbers(entry->tensor);
    for (size_t i = 0; i < entry->tensor->count; i++) {
        f2l_safetensors_type type;
        const unsigned char *at =
            file_row_at(&type, from, file_row_of(entry, i / columns), columns);
        at += i % columns * f2l_safetensors_bytes(type);
        const double x = f2l_safetensors_number(at, type) / entry->scale + entry->shift;
        const size_t to = entry->tensor->offset + i;
        if (!isfinite(numbers->bytes == 4 ? (double)(float)x : x))
            return f2l_fail(err, F2L_EFORMAT, "the tensor %s has a number that is not finite",
                            entry->name);
        if (numbers->bytes == 4)
            numbers->to.single[to] = (float)x;
        else
            numbers->to.real[to] = x;
    }
    return F2L_OK;
}

static f2l_status find_tensor(f2l_safetensors_tensor *out, const char *name,
                              const f2l_seq_owner *owner, const f2l_safetensors_file *file,
                              size_t files, f2l_error *err)
{
    *out = (f2l_safetensors_tensor){0};
    for (size_t f = 0; f < files && !out->present; f++) f2l_safetensors_find(out, &file[f], name);
    return out->present ? F2L_OK
                        : f2l_fail(err, F2L_EFORMAT, "%.80s has a tensor %s that the file%s not",
                                   owner != NULL ? owner->name : "the model", name,
                                   files == 1 ? " has" : "s have");
}

/* Returns how many tensors of the files the entry is joined from. */
static size_t entry_parts(const f2l_seq_entry *entry)
{
    return entry->joined != NULL ? strlen(entry->joined)
           : entry->numbered > 0 ? entry->numbered
                                 : 1;
}

/* Appends the name of one of the tensors that the entry is joined from. */
static void put_part_name(f2l_buf *out, const f2l_seq_entry *entry, size_t part)
{
    const char *star = strchr(entry->name, '*');
    if (star == NULL || (entry->joined == NULL && entry->numbered == 0)) {
        f2l_buf_text(out, entry->name);
        return;
    }
    f2l_buf_bytes(out, entry->name, (size_t)(star - entry->name));
    if (entry->joined != NULL)
        f2l_buf_bytes(out, entry->joined + part, 1);
    else
        f2l_buf_printf(out, "%zu", part);
    f2l_buf_text(out, star + 1);
}

bool f2l_seq_entry_takes(const f2l_seq_entry *entry, const char *tensor)
{
    const char *star = strchr(entry->name, '*');
    if (star == NULL) return strcmp(entry->name, tensor) == 0;
    const size_t before = (size_t)(star - entry->name);
    if (strncmp(tensor, entry->name, before) != 0) return false;
    const char *part = tensor + before;
    if (entry->joined != NULL)
        return *part != '\0' && strchr(entry->joined, *part) != NULL &&
               strcmp(part + 1, star + 1) == 0;
    const size_t digits = strspn(part, "0123456789");
    size_t number = 0;
    if (digits == 0 || digits > 3 || (digits > 1 && part[0] == '0')) return false;
    for (size_t i = 0; i < digits; i++) number = 10 * number + (size_t)(part[i] - '0');
    return number < entry->numbered && strcmp(part + digits, star + 1) == 0;
}

/* Finds the next part of a joined tensor, and adds its rows to *whole. */
static f2l_status find_part(source *out, f2l_safetensors_tensor *whole, const f2l_seq_entry *entry,
                            const char *name, const f2l_safetensors_file *file, size_t files,
                            const f2l_seq_owner *owner, f2l_error *err)
{
    f2l_safetensors_tensor *part = &out->part[out->parts++];
    const bool first = out->parts == 1;
    const size_t rows = first ? 0 : whole->dim[0];
    f2l_status status = find_tensor(part, name, owner, file, files, err);
    if (status != F2L_OK) return status;
    const bool same = first || (part->dims == whole->dims && part->dim[1] == whole->dim[1] &&
                                part->dim[2] == whole->dim[2]),
               equal = entry->numbered == 0 || part->dim[0] == entry->rows / entry->numbered;
    if (part->type > F2L_SAFETENSORS_F64 || part->dims == 0 || !same || !equal)
        return f2l_fail(err, F2L_EFORMAT, "the tensor %s has a type or a shape that does not fit",
                        name);
    *whole = *part;
    if (!f2l_add_size(&whole->dim[0], rows, part->dim[0])) whole->dim[0] = 0;
    return F2L_OK;
}

/* Finds the tensors of an entry, and sets *whole to a tensor with the rows of all of them. */
static f2l_status find_source(source *out, f2l_safetensors_tensor *whole,
                              const f2l_seq_entry *entry, const f2l_seq_owner *owner,
                              const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    f2l_buf name;
    f2l_status status = F2L_OK;
    const size_t parts = entry_parts(entry);
    *out = (source){.parts = 0};
    *whole = (f2l_safetensors_tensor){0};
    if (parts > MOST_PARTS)
        return f2l_fail(err, F2L_EDOMAIN, "the tensor %s is in more than %d parts", entry->name,
                        MOST_PARTS);
    f2l_buf_init(&name);
    for (size_t p = 0; status == F2L_OK && p < parts; p++) {
        name.size = 0;
        put_part_name(&name, entry, p);
        status = f2l_buf_status(&name, err);
        if (status != F2L_OK) continue;
        if (parts > 1 || entry->numbered > 0) {
            status = find_part(out, whole, entry, name.data, file, files, owner, err);
        } else {
            status = find_tensor(whole, name.data, owner, file, files, err);
            out->part[out->parts++] = *whole;
        }
    }
    f2l_buf_clear(&name);
    return status == F2L_OK ? check_entry_shape(whole, entry, err) : status;
}

/* Refuses tensors of a file that are no entries and not known to have no effect. */
static f2l_status refuse_unknown(json_t *header, const f2l_seq_entry *entry, size_t entries,
                                 const f2l_seq_owner *owner, f2l_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(header, key, value)
    {
        size_t e = 0;
        if (strcmp(key, "__metadata__") == 0) continue;
        while (e < entries && !f2l_seq_entry_takes(&entry[e], key)) e++;
        if (e < entries || (owner->unused != NULL && owner->unused(owner->context, key) != NULL))
            continue;
        return f2l_fail(err, F2L_EFORMAT, "the file has a tensor %.200s that %.80s has not", key,
                        owner->name);
    }
    return F2L_OK;
}

f2l_status f2l_seq_check_entries(const f2l_seq_entry *entry, size_t entries,
                                 const f2l_seq_owner *owner, const f2l_safetensors_file *file,
                                 size_t files, f2l_error *err)
{
    source from;
    f2l_safetensors_tensor whole;
    f2l_status status = F2L_OK;
    for (size_t f = 0; owner != NULL && status == F2L_OK && f < files; f++)
        status = refuse_unknown(file[f].header, entry, entries, owner, err);
    for (size_t e = 0; status == F2L_OK && e < entries; e++)
        status = find_source(&from, &whole, &entry[e], owner, file, files, err);
    return status;
}

f2l_status f2l_seq_read_entries(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry,
                                size_t entries, const f2l_seq_owner *owner,
                                const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    source from;
    f2l_safetensors_tensor whole;
    f2l_status status = f2l_seq_check_entries(entry, entries, owner, file, files, err);
    for (size_t e = 0; status == F2L_OK && e < entries; e++) {
        status = find_source(&from, &whole, &entry[e], owner, file, files, err);
        if (status == F2L_OK) status = read_entry_numbers(numbers, &entry[e], &from, err);
    }
    return status;
}
