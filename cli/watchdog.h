/* Limits and signals that hold whatever the work does. Normally work polls its task
 * (numeric/base/task.h) and unwinds when it is told to stop, and the command reports the result. A
 * separate thread handles work that does not stop: where a signal, --time-limit or --memory is
 * overdue by more than the grace, or where memory still grows, the thread lets the command save
 * complete results, and ends the process. While nothing is due it sleeps; with --memory it looks a
 * hundred times a second.
 *
 * A command that has results to save registers a function that saves them:
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

/* Saves complete results, prints a message, and returns the exit status. The work goes on in its
 * threads meanwhile, none of which is between f2l_watchdog_hold and f2l_watchdog_release. The
 * function must not read data that is changed outside hold and release; it must not use stdio,
 * since a blocked thread may hold its lock, nor GMP, which calls f2l_watchdog_exhausted. */
typedef int f2l_watchdog_emergency(void *context, f2l_watchdog_cause cause);

/* Starts the watchdog thread, which runs until the process ends; cli->task must be set. The
 * command's work must run in this process: a forked process has no watchdog, and signals end it at
 * once. */
void f2l_watchdog_start(struct f2l_cli *cli);

/* Registers the emergency function, or none (NULL). The context must outlive the registration. */
void f2l_watchdog_guard(f2l_watchdog_emergency *emergency, void *context);

/* Keep the watchdog from ending the process between hold and release, around short steps that must
 * be complete and do not use GMP. The calls do not nest. */
void f2l_watchdog_hold(void);
void f2l_watchdog_release(void);

/* Tells the watchdog that --time-limit does not limit the whole process. */
void f2l_watchdog_no_deadline(void);

/* Sets the time that work may take to unwind, when the default of half a second is too short to
 * save its results. A second signal ends this time. */
void f2l_watchdog_grace(double seconds);
#define F2L_WATCHDOG_CHECKPOINT \
    30.0 /* seconds of grace for writing a checkpoint, from which the next start continues */
#define F2L_WATCHDOG_SEARCH \
    3.0 /* seconds of grace for a search whose best result so far is still told: it first frees \
         * the network on which a limit ended it, which may have millions of numbers */

/* Returns what told the work to stop; a time limit counts once it has passed. */
f2l_watchdog_cause f2l_watchdog_stopped(void);

/* Releases like f2l_watchdog_release, after the message on why the work ended: if the rest takes
 * longer than the grace, the process ends silently with this status. */
void f2l_watchdog_settle(int status);

/* Tells the watchdog that only freeing is left: from now on any signal or limit ends the process at
 * once, with this status. */
void f2l_watchdog_deliver(int status);

/* Write all of the text to standard output or standard error without stdio, for emergencies. */
void f2l_watchdog_print(const char *text, size_t size);
void f2l_watchdog_print_error(const char *text, size_t size);

/* Wakes the watchdog from a signal handler; returns false when this process has no watchdog. */
bool f2l_watchdog_wake(void);

/* Ends the process as an emergency when memory is out; returns when there is no watchdog. */
void f2l_watchdog_exhausted(void);

#endif
