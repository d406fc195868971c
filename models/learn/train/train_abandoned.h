/* Temporary folders, PATH.f2l-tmp-XXXXXX, in which f2l_train_dir_create fills a run before it has
 * its name, and which a killed process leaves. Failures to remove are ignored: leftovers do no
 * harm. */
#ifndef F2L_TRAIN_ABANDONED_H
#define F2L_TRAIN_ABANDONED_H

#include "numeric/base/status.h"

/* Removes a temporary folder of the open folder `parent` whose process is gone: its log is not
 * locked. It is left as it is where it has other files than a run begins with, or has got its name
 * meanwhile. */
void f2l_train_remove_abandoned(int parent, const char *name);
/* Removes all such folders of the run at the path. F2L_ENOMEM. */
f2l_status f2l_train_remove_all_abandoned(const char *path, f2l_error *err);

#endif
