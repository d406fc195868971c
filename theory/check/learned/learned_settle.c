/* The claim `settles`. */
#include "theory/check/learned/learned.h"

void judge_settles(proof *p)
{
    reject(p->t, "this claim is not read yet");
}
