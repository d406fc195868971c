/* Reading of wired networks as text, for its tests. */
#ifndef WIRED_TEXT_SUPPORT_H
#define WIRED_TEXT_SUPPORT_H

#include "tests/support/models/wired_samples.h"

f2l_status wired_read_status(const char *bytes, size_t size, f2l_error *err);

#endif
