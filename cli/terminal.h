/* The progress line on a terminal, and a record of the progress for the message after an
 * interruption. */
#ifndef F2L_TERMINAL_H
#define F2L_TERMINAL_H

#include "numeric/base/text.h"
#include <stdbool.h>

typedef struct f2l_terminal {
    bool enabled, shown;
    char phase[80];
    double done, total;
    double phase_start; /* time of the start of the phase (f2l_now) */
    double phase_first; /* value of `done` at this start */
    double last_shown;  /* time at which the line was drawn last (f2l_now) */
} f2l_terminal;

/* Initialises the line; it is drawn only if standard error is a terminal and `quiet` is false. */
void f2l_terminal_init(f2l_terminal *terminal, bool quiet);

/* Draws progress at most five times a second; the f2l_task.progress of a terminal as context. */
void f2l_terminal_progress(void *context, const char *phase, double done, double total);

/* Shows a line of the caller instead, at most one every `seconds`; a line that is wider than the
 * terminal loses its middle, so that the remaining time at its end stays visible. For a phase with
 * more than a count to show; f2l_terminal_reach records the counts. */
void f2l_terminal_line(f2l_terminal *terminal, const char *text, double seconds);

/* Returns whether the next line would be drawn, so that the caller makes no line in vain. */
bool f2l_terminal_is_due(const f2l_terminal *terminal, double seconds);

/* Records the progress, and draws nothing. */
void f2l_terminal_reach(f2l_terminal *terminal, const char *phase, double done, double total);

/* Removes the line; called before other output is printed. */
void f2l_terminal_erase(f2l_terminal *terminal);

/* Appends the progress: "closing in fp32: 12,000 of 50,000"; "" when no work was reported. */
void f2l_terminal_reached(const f2l_terminal *terminal, f2l_buf *out);

#endif
