/* The progress line on a terminal, and a record of how far the work came for the message after an
 * interruption. */
#ifndef F2L_TERMINAL_H
#define F2L_TERMINAL_H

#include "numeric/base/text.h"
#include <stdbool.h>

typedef struct f2l_terminal {
    bool enabled, shown;
    char phase[80];
    double done, total;
    double phase_start, phase_first, last_shown; /* f2l_now(), done at its start, f2l_now() */
} f2l_terminal;

/* Draws only when standard error is a terminal and not `quiet`. */
void f2l_terminal_init(f2l_terminal *terminal, bool quiet);

/* f2l_task.progress with the terminal as context: at most five lines a second. */
void f2l_terminal_progress(void *context, const char *phase, double done, double total);

/* Shows a line of the caller's instead, at most one every `seconds`; one that is wider than the
 * terminal loses its middle, so that what is left of the time stays in sight at its end. For a
 * phase that says more than a count: the counts of the phase are kept by f2l_terminal_reach. */
void f2l_terminal_line(f2l_terminal *terminal, const char *text, double seconds);

/* Whether the next line would be drawn, so that nobody makes one for nothing. */
bool f2l_terminal_is_due(const f2l_terminal *terminal, double seconds);

/* Notes how far the work came, and draws nothing. */
void f2l_terminal_reach(f2l_terminal *terminal, const char *phase, double done, double total);

/* Removes the line; called before anything else is printed. */
void f2l_terminal_erase(f2l_terminal *terminal);

/* "closing in fp32: 12,000 of 50,000"; "" when no work was reported. */
void f2l_terminal_reached(const f2l_terminal *terminal, f2l_buf *out);

#endif
