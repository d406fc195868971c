/* Views of networks in orthonormal bases, and networks of groups. */
#ifndef ORTHONORMAL_SUPPORT_H
#define ORTHONORMAL_SUPPORT_H

#include "models/network/net/net_orthonormal.h"
#include "tests/support/models/field_samples.h"

void view_of(f2l_net *view, const f2l_net *net, size_t bits);

void open_group(field_sample *s, f2l_fsa *fsa, f2l_net *net);

#endif
