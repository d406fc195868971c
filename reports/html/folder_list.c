#include "reports/html/folder_list.h"
#include <ctype.h>
#include <stdlib.h>

static int compare_numbered_names(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    for (; *a && *b; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            const unsigned long m = strtoul(a, NULL, 10), n = strtoul(b, NULL, 10);
            if (m != n) return m < n ? -1 : 1;
        }
        if (*a != *b) return *a < *b ? -1 : 1;
    }
    return (*a != '\0') - (*b != '\0');
}

f2l_status f2l_folder_list(f2l_folder_names *out, const char *folder, const char *begin,
                           const char *end, f2l_error *err)
{
    const f2l_status status = f2l_folder_read(out, folder, begin, end, err);
    if (out->count > 0) qsort(out->name, out->count, sizeof *out->name, compare_numbered_names);
    return status == F2L_EIO ? F2L_OK : status;
}
