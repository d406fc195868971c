#include "automata/fsa/letter.h"
#include <stdio.h>

void f2l_letter_default(char name[24], size_t index, size_t count)
{
    if (count <= 26 && index < 26) {
        name[0] = "abcdefghijklmnopqrstuvwxyz"[index];
        name[1] = '\0';
        return;
    }
    snprintf(name, 24, "x%zu", index + 1);
}
