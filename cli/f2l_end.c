#include "f2l_end.h"

const char *f2l_end_of(const f2l_task *task)
{
    if (task->cancel && *task->cancel == F2L_CANCEL_MEMORY) return "memory limit";
    if (task->cancel && *task->cancel) return "interrupted";
    return task->deadline > 0 && f2l_now() >= task->deadline ? "time limit" : NULL;
}
