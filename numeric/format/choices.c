#include "numeric/format/choices.h"

void f2l_choices_restart(f2l_choices *c)
{
    c->at = c->count = 0;
    c->overflow = false;
}

bool f2l_choices_take(f2l_choices *c)
{
    if (c->at == c->count) {
        if (c->count == F2L_MAX_CHOICES_TAKEN) {
            c->overflow = true;
            return false;
        }
        c->bit[c->count++] = 0;
    }
    return c->bit[c->at++] != 0;
}

bool f2l_choices_next(f2l_choices *c)
{
    if (c->overflow) return false;
    /* The next sequence in the order of words: the last 0 becomes 1, what follows is forgotten. */
    size_t end = c->at;
    while (end > 0 && c->bit[end - 1]) end--;
    c->at = 0;
    c->count = end;
    if (end == 0) return false;
    c->bit[end - 1] = 1;
    return true;
}
