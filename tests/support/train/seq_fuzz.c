#include "tests/support/train/seq_fuzz.h"

void must(bool condition)
{
    if (!condition) abort();
}

char *safetensors_of(size_t *size, const uint8_t *data, size_t count)
{
    const uint8_t *end = count > 0 && data[0] == '{' ? memchr(data, '\n', count) : NULL;
    const size_t header = end == NULL ? 0 : (size_t)(end - data), before = end == NULL ? 0 : 8,
                 gap = end == NULL ? 0 : 1;
    *size = count + before - gap;
    char *file = malloc(*size > 0 ? *size : 1);
    must(file != NULL);
    for (size_t i = 0; i < before; i++) file[i] = (char)(header >> (8 * i) & 0xff);
    if (header > 0) memcpy(file + before, data, header);
    if (count > header + gap)
        memcpy(file + before + header, data + header + gap, count - header - gap);
    return file;
}
