/* The handling of signals. A signal sets a flag that long work polls, and wakes the watchdog
 * (cli/watchdog.h). After a second signal the watchdog waits no longer; a third one, or a second
 * one where there is no watchdog, removes the unfinished output folder and exits at once. */
#ifndef F2L_SIGNALS_H
#define F2L_SIGNALS_H

#include "numeric/base/outdir.h"
#include <signal.h>

/* Installs handlers for SIGINT, SIGTERM and SIGHUP (unless the caller ignores them, as nohup does);
 * SIGPIPE and SIGXFSZ become ordinary write errors. */
void f2l_signals_install(void);

/* Returns the flag for f2l_task.cancel, which is set to the number of the first signal, or to
 * F2L_CANCEL_MEMORY. */
const volatile sig_atomic_t *f2l_signals_flag(void);
/* Returns the number of the signal; 0: no signal came. */
int f2l_signals_caught(void);
/* Returns true when a second signal came. */
bool f2l_signals_is_hurried(void);

/* Sets the flag to F2L_CANCEL_MEMORY unless a signal came. */
void f2l_signals_short_of_memory(void);
bool f2l_signals_is_memory_short(void);

/* Returns the name of a signal, "SIGINT". */
const char *f2l_signals_name(int number);

/* Sets the folder to remove in an emergency, borrowed; NULL: none. It must outlive the guard. */
void f2l_signals_guard(const f2l_outdir *dir);
/* Removes this folder. */
void f2l_signals_abandon(void);

#endif
