#include "tests/support/automata/nfa_support.h"

void blow_up(f2l_nfa *nfa, int n)
{
    char text[2000] = "letters a b\nstart s0\ns0 a s0\ns0 b s0\ns0 a s1\n", line[80];
    for (int i = 1; i < n; i++) {
        snprintf(line, sizeof line, "s%d a s%d\ns%d b s%d\n", i, i + 1, i, i + 1);
        strcat(text, line);
    }
    nfa_from_text(nfa, text);
}
