/* What happens when the program is told to stop: signals set a flag that long work polls; a second signal, or
 * GMP running out of memory, removes the unfinished output folder and exits at once. */
#ifndef F2L_SIGNALS_H
#define F2L_SIGNALS_H

#include "f2l_outdir.h"
#include <signal.h>

/* Handlers for SIGINT, SIGTERM and SIGHUP (unless ignored by the caller, as nohup does); SIGPIPE and SIGXFSZ
 * become ordinary write errors. */
void f2l_signals_install(void);

/* Makes GMP and MPFR exit with status 71 when memory is out, in place of abort(). */
void f2l_signals_guard_memory(void);

/* The flag for f2l_task.cancel: the signal's number once one came. */
const volatile sig_atomic_t *f2l_signals_flag(void);
int f2l_signals_caught(void);
/* "SIGINT" */
const char *f2l_signals_name(int number);

/* The folder to remove in an emergency; NULL: none. It must outlive the guard. */
void f2l_signals_guard(const f2l_outdir *dir);

#endif
