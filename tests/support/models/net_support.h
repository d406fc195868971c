/* Networks as texts, for the tests of the text form. */
#ifndef NET_SUPPORT_H
#define NET_SUPPORT_H

#include "tests/support/models/net_samples.h"

/* Returns the text of a network, NUL-terminated; to be freed. */
char *text_of(const f2l_net *net);

/* Returns the status of reading; after a failure nothing may be left of the network. */
f2l_status read_status(const char *bytes, size_t size, f2l_error *err);

#endif
