/* The memory of GMP and MPFR, which cannot fail with an error. */
#ifndef F2L_MEMORY_H
#define F2L_MEMORY_H

/* Makes GMP and MPFR exit with status 71, as an emergency of the watchdog, instead of calling
 * abort() when memory is out, and keeps freed blocks of a few limbs of the calling thread at hand.
 * Called once, by the main thread, before any number is made. */
void f2l_memory_guard(void);

#endif
