/* Networks rounded for a number format and a schedule. */
#ifndef SCHEDULE_SUPPORT_H
#define SCHEDULE_SUPPORT_H

#include "models/network/schedule/schedule.h"
#include <criterion/criterion.h>

f2l_float_net *rounded(const f2l_net *net, const char *format);

#endif
