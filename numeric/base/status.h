/* Status codes and error reports, used by every function that can fail.
 *
 * A function returns f2l_status; when it is not F2L_OK and the caller passed an f2l_error, the
 * error holds the place and the reason. Errors are owned by the caller, there is no global last
 * error, and passing NULL is allowed. */
#ifndef F2L_STATUS_H
#define F2L_STATUS_H

#include <stddef.h>

typedef enum f2l_status {
    F2L_OK = 0,
    F2L_REFUTED, /* the claim is false, and a witness was returned */
    F2L_UNKNOWN, /* a resource ran out or the work was cancelled: nothing is claimed */
    F2L_EDOMAIN, /* well-formed input to which no construction applies */
    F2L_EFORMAT, /* malformed input; line and column are set */
    F2L_EIO,     /* the system refused to read or write */
    F2L_EEXIST,  /* an output exists already or cannot be created */
    F2L_ENOMEM
} f2l_status;

typedef struct f2l_error {
    f2l_status status;
    size_t line;    /* 1-based; 0: no position */
    size_t column;  /* 1-based, in bytes; 0: whole line */
    char text[512]; /* one sentence without a final full stop, UTF-8, always terminated */
} f2l_error;

/* Returns "OK", "REFUTED", "UNKNOWN", "EDOMAIN", ... */
const char *f2l_status_name(f2l_status status);

/* Fills *err (when not NULL) with a formatted text and returns `status`, so that callers write
 * `return f2l_fail(err, F2L_EDOMAIN, "...");`. Text that does not fit is cut at a UTF-8 boundary.
 */
f2l_status f2l_fail(f2l_error *err, f2l_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills *err like f2l_fail, with a position in an input file; returns F2L_EFORMAT. */
f2l_status f2l_fail_at(f2l_error *err, size_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text of an error number of the system; by value, since strerror may share its buffer between
 * threads. */
typedef struct f2l_reason {
    char text[160];
} f2l_reason;

/* Returns the text of the error number, an errno value. */
f2l_reason f2l_reason_of(int error_number);

/* Fills *err with the standard text and returns F2L_ENOMEM. */
static inline f2l_status f2l_fail_memory(f2l_error *err)
{
    (void)f2l_fail(err, F2L_ENOMEM, "out of memory");
    return F2L_ENOMEM; /* in sight of static analysers: never F2L_OK */
}

#endif
