/* Text from outside for terminals, Markdown and HTML. Control characters move cursors and begin
 * lines, format characters turn the direction of text or cannot be seen: they are written as
 * escapes. */
#ifndef F2L_VISIBLE_H
#define F2L_VISIBLE_H

#include "numeric/base/text.h"

/* Returns the bytes of the first character of the n > 0 bytes, and in *hidden whether it is shown
 * as an escape: a control character, a format character (Unicode's category Cf, such
 * as U+202E), a separator of lines or paragraphs, or a byte that is not UTF-8. */
size_t f2l_visible_next(bool *hidden, const char *bytes, size_t n);

/* Appends the bytes with hidden characters as \u202e (two escapes beyond U+FFFF, as in JSON), and
 * bytes that are not UTF-8 as \xff. Characters of `kept` stay, such as "\n". In JSON, where hidden
 * characters are in strings only, the text stays the same JSON. */
void f2l_buf_visible(f2l_buf *b, const char *bytes, size_t n, const char *kept);

/* Appends a name as f2l_buf_name does, but a word of the grammar without quotes, and one with
 * hidden characters in quotes, as escapes: for whoever reads it, not for the readers of files. */
void f2l_buf_visible_name(f2l_buf *b, const char *name);

#endif
