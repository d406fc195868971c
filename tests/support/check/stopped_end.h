/* Ends what stopped.h defines for the sources between them. */
#undef calloc
#undef realloc
#undef free
#undef exit
#undef puts
#undef fprintf
#undef printf
