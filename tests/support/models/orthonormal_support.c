#include "tests/support/models/orthonormal_support.h"

void view_of(f2l_net *view, const f2l_net *net, size_t bits)
{
    f2l_error err = {0};
    f2l_net_init(view);
    cr_assert_eq(f2l_net_orthonormal(view, net, bits, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_net_validate(view, &err), F2L_OK, "%s", err.text);
    cr_assert(f2l_net_is_plain(view));
}

void open_group(field_sample *s, f2l_fsa *fsa, f2l_net *net)
{
    field_sample_fsa(fsa, s);
    field_sample_net(net, s, fsa);
}
