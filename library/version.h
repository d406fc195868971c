/* What this build is. */
#ifndef F2L_LIBRARY_VERSION_H
#define F2L_LIBRARY_VERSION_H

/* Return "0.2.0", and the commit that the build was made from or "unknown". */
const char *f2l_version(void);
const char *f2l_commit(void);

#endif
