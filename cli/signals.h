/* What happens when the program is told to stop: signals set a flag that long work polls, and wake
 * the watchdog (cli/watchdog.h). After a second signal it waits no longer; a third one, or a second
 * one where there is no watchdog, removes the unfinished output folder and exits at once. */
#ifndef F2L_SIGNALS_H
#define F2L_SIGNALS_H

#include "numeric/base/outdir.h"
#include <signal.h>

/* Handlers for SIGINT, SIGTERM and SIGHUP (unless ignored by the caller, as nohup does); SIGPIPE
 * and SIGXFSZ become ordinary write errors. */
void f2l_signals_install(void);

/* Makes GMP and MPFR exit with status 71 when memory is out, in place of abort(), as an emergency
 * of the watchdog. */
void f2l_signals_guard_memory(void);

/* The flag for f2l_task.cancel: the signal's number once one came, or F2L_CANCEL_MEMORY. */
const volatile sig_atomic_t *f2l_signals_flag(void);
/* The signal's number; 0: none came. */
int f2l_signals_caught(void);
/* A second one came. */
bool f2l_signals_is_hurried(void);

/* Sets the flag to F2L_CANCEL_MEMORY unless a signal came. */
void f2l_signals_short_of_memory(void);
bool f2l_signals_is_memory_short(void);

/* "SIGINT" */
const char *f2l_signals_name(int number);

/* The folder to remove in an emergency; NULL: none. It must outlive the guard. */
void f2l_signals_guard(const f2l_outdir *dir);
/* Removes it. */
void f2l_signals_abandon(void);

#endif
