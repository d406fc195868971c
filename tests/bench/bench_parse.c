/* Reads an automaton file and makes it deterministic and total; the parsing target is a time for
 * this work. */
#include "automata/import/import.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    f2l_error err = {0};
    f2l_buf text;
    f2l_nfa nfa;
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_import_options import = {0};
    f2l_total_options total = {0};
    f2l_buf_init(&text);
    f2l_nfa_init(&nfa);
    f2l_fsa_init(&fsa);
    f2l_status status =
        argc == 2 ? f2l_read_file(&text, argv[1], 0, &err) : f2l_fail(&err, F2L_EIO, "one file");
    if (status == F2L_OK) status = f2l_import(&nfa, text.data, text.size, &import, NULL, &err);
    if (status == F2L_OK) status = f2l_nfa_total(&fsa, &report, &nfa, &total, NULL, &err);
    if (status != F2L_OK) fprintf(stderr, "%s\n", err.text);
    f2l_fsa_clear(&fsa);
    f2l_nfa_clear(&nfa);
    f2l_buf_clear(&text);
    return status == F2L_OK ? 0 : 1;
}
