#ifndef F2L_VERSION_H
#define F2L_VERSION_H

#include "numeric/base/text.h"

/* Append the lines of --version, or a JSON object. */
void f2l_version_text(f2l_buf *out);
void f2l_version_json(f2l_buf *out);

#endif
