#include "tests/support/models/schedule_support.h"

f2l_float_net *rounded(const f2l_net *net, const char *format)
{
    f2l_float_net *out;
    f2l_error err = {0};
    f2l_status status =
        f2l_float_net_new(&out, net, f2l_format_find(format), f2l_schedule_find("every"), &err);
    cr_assert(status == F2L_OK, "%s", err.text);
    return out;
}
