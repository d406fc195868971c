/* The reader of certificates; private to this folder. */
#ifndef F2L_THEORY_CERTIFY_CERT_IMPL_H
#define F2L_THEORY_CERTIFY_CERT_IMPL_H

#include "models/network/net/scan.h"
#include "theory/certify/cert/cert_read.h"

typedef struct f2l_cert_reader {
    f2l_scan s;
    f2l_cert *out;
    const f2l_fsa *fsa;
    const f2l_cert_files *files;
    const f2l_task *task;
    size_t sets;
    size_t cover_capacity, covers;
    uint64_t *members;  /* of the set being read */
    unsigned char *key; /* of the pair being read */
} f2l_cert_reader;

/* Notes that memory is out and returns false, as the functions of models/network/net/scan.h do
 * after a failure. */
static inline bool f2l_cert_no_memory(f2l_scan *s)
{
    return f2l_scan_passed(s, f2l_fail_memory(s->err));
}
/* Reads `text`, and a number from `least` to `most`. */
static inline bool f2l_cert_value(f2l_scan *s, const char *text, size_t *out, const char *what,
                                  size_t least, size_t most)
{
    return f2l_scan_want(s, text) && f2l_scan_size(s, out, what, least, most);
}

/* Reads the rest of the line, whatever it is. */
bool f2l_cert_skip_line(f2l_scan *s);
/* Reads `count` lines that begin with this text. */
bool f2l_cert_skip_lines(f2l_cert_reader *r, size_t count, const char *beginning);
/* Reads the line `end` with its count, and the seal. */
bool f2l_cert_read_end(f2l_cert_reader *r, size_t count);

/* Reads from the number of states to the end. */
bool f2l_cert_reader_cascade(f2l_cert_reader *r);
bool f2l_cert_reader_product(f2l_cert_reader *r);
void f2l_cert_clear_children(f2l_cert *cert);

#endif
