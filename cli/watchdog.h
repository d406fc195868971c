/* Limits and signals that hold whatever the work does. Work polls its task (numeric/base/task.h)
 * and unwinds when it is told to stop; that is the normal way, and the command says what came of
 * it. A thread of its own looks after those that do not: where a signal, --time-limit or --memory
 * is overdue by more than the grace, or where memory still grows, it lets the command save what is
 * complete, and ends the process. While nothing is due it sleeps; with --memory it looks a hundred
 * times a second.
 *
 * A command that has something to save registers what does that:
 *
 *     static int save(void *context, f2l_watchdog_cause cause)
 *     {
 *         job *j = context;
 *         f2l_watchdog_print(j->text.data, j->text.size);
 *         return f2l_cli_leave(&j->cli, cause, "the rows printed are right");
 *     }
 *     ..
 *     f2l_watchdog_guard(save, j);
 *     ..
 *     f2l_watchdog_hold();
 *     f2l_buf_text(&j->text, row);
 *     f2l_watchdog_release();
 *
 * Without one the process ends with the message and the status of f2l_cli_leave, "no partial output
 * is left". */
#ifndef F2L_WATCHDOG_H
#define F2L_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

struct f2l_cli;

typedef enum f2l_watchdog_cause {
    F2L_WATCHDOG_NONE,
    F2L_WATCHDOG_SIGNAL,
    F2L_WATCHDOG_TIME,
    F2L_WATCHDOG_MEMORY,   /* --memory */
    F2L_WATCHDOG_EXHAUSTED /* the system gives no more memory */
} f2l_watchdog_cause;

/* Saves and says what is there, and returns the exit status. It runs while the work goes on in its
 * threads, of which none is between f2l_watchdog_hold and f2l_watchdog_release; what is changed
 * elsewhere is not to be looked at, and stdio not to be used, since whoever blocks there may hold
 * its lock; nor GMP, which ends in f2l_watchdog_exhausted. */
typedef int f2l_watchdog_emergency(void *context, f2l_watchdog_cause cause);

/* Starts the thread, for the process and until its end; *cli has its task. The command's work runs
 * in this process: one that was forked has no watchdog, and its signals end it as they come. */
void f2l_watchdog_start(struct f2l_cli *cli);

/* NULL: as without. The context outlives the guard. */
void f2l_watchdog_guard(f2l_watchdog_emergency *emergency, void *context);

/* Between these two the process is not ended: for what is to be done as a whole, soon, and without
 * GMP. They do not nest. */
void f2l_watchdog_hold(void);
void f2l_watchdog_release(void);

/* --time-limit is not for the whole process. */
void f2l_watchdog_no_deadline(void);

/* How long work may take to unwind, where half a second is too little to save what it has. A second
 * signal ends that. */
void f2l_watchdog_grace(double seconds);
#define F2L_WATCHDOG_CHECKPOINT \
    30.0 /* seconds: for a checkpoint, of which the next start takes long work up again */

/* What told the work to stop; the time counts once it is over. */
f2l_watchdog_cause f2l_watchdog_stopped(void);

/* In the place of f2l_watchdog_release, once it is said why the work ended: where the rest takes
 * longer than the grace, the process ends with this status, silently. */
void f2l_watchdog_settle(int status);

/* Nothing but freeing is left: what comes now ends the process at once, with this status. */
void f2l_watchdog_deliver(int status);

/* For emergencies: all of the text to standard output or standard error, past stdio. */
void f2l_watchdog_print(const char *text, size_t size);
void f2l_watchdog_print_error(const char *text, size_t size);

/* From a signal's handler: has the watchdog look. False: there is none in this process. */
bool f2l_watchdog_wake(void);

/* There is no more memory: ends the process as an emergency; returns where there is no watchdog. */
void f2l_watchdog_exhausted(void);

#endif
