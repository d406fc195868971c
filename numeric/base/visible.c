#include "numeric/base/visible.h"
#include <string.h>

/* Ranges of hidden characters, ascending: the control characters, category Cf of Unicode 15, and
 * U+2028 and U+2029. */
static const struct {
    uint32_t first, last;
} hidden_range[] = {{0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},
                    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
                    {0x8e2, 0x8e2},     {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},
                    {0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},
                    {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
                    {0xe0000, 0xe007f}};

static bool is_hidden_character(uint32_t character)
{
    for (size_t i = 0; i < sizeof hidden_range / sizeof *hidden_range; i++)
        if (character <= hidden_range[i].last) return character >= hidden_range[i].first;
    return false;
}

/* Returns the bytes of the first character and sets *character; 0: the first byte is not UTF-8. */
static size_t decode_character(uint32_t *character, const char *bytes, size_t n)
{
    size_t at;
    const size_t size = f2l_utf8_first_size(bytes);
    return size > n || !f2l_utf8_valid(bytes, size, &at) ? 0 : f2l_utf8_first(character, bytes);
}

size_t f2l_visible_next(bool *hidden, const char *bytes, size_t n)
{
    uint32_t character = 0;
    if (*bytes >= ' ' && *bytes < 0x7f) {
        *hidden = false;
        return 1;
    }
    const size_t size = decode_character(&character, bytes, n);
    *hidden = size == 0 || is_hidden_character(character);
    return size == 0 ? 1 : size;
}

static void escape(f2l_buf *b, const char *bytes, size_t n)
{
    uint32_t character;
    if (decode_character(&character, bytes, n) == 0) {
        f2l_buf_printf(b, "\\x%02x", (unsigned)(unsigned char)*bytes);
    } else if (character < 0x10000) {
        f2l_buf_printf(b, "\\u%04x", (unsigned)character);
    } else {
        const unsigned above = (unsigned)character - 0x10000;
        f2l_buf_printf(b, "\\u%04x\\u%04x", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
    }
}

void f2l_buf_visible(f2l_buf *b, const char *bytes, size_t n, const char *kept)
{
    size_t plain = 0;
    for (size_t i = 0, size; i < n; i += size) {
        bool hidden;
        size = f2l_visible_next(&hidden, bytes + i, n - i);
        if (!hidden || (bytes[i] && strchr(kept, bytes[i]))) continue;
        f2l_buf_bytes(b, bytes + plain, i - plain);
        escape(b, bytes + i, n - i);
        plain = i + size;
    }
    f2l_buf_bytes(b, bytes + plain, n - plain);
}

static bool has_hidden(const char *text)
{
    bool hidden = false;
    for (size_t n = strlen(text), size; n > 0 && !hidden; text += size, n -= size)
        size = f2l_visible_next(&hidden, text, n);
    return hidden;
}

void f2l_buf_visible_name(f2l_buf *b, const char *name)
{
    f2l_buf spelled, shown;
    if (!has_hidden(name)) { /* without memory of its own, since `run` asks at every letter */
        if (f2l_name_is_plain(name)) /* a word of the grammar, too: no reader takes it for one */
            f2l_buf_text(b, name);
        else
            f2l_buf_name(b, name);
        return;
    }
    f2l_buf_init(&spelled);
    f2l_buf_init(&shown);
    f2l_buf_name(&spelled, name);
    f2l_buf_visible(&shown, spelled.data ? spelled.data : "", spelled.size, "");
    const bool quote = shown.size != spelled.size && spelled.data && spelled.data[0] != '"';
    if (quote) f2l_buf_text(b, "\"");
    f2l_buf_text(b, shown.data ? shown.data : "");
    if (quote) f2l_buf_text(b, "\"");
    b->failed = b->failed || spelled.failed || shown.failed;
    f2l_buf_clear(&spelled);
    f2l_buf_clear(&shown);
}
