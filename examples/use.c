#include <fsa2lrnn.h>
#include <stdio.h>

static const char grammar[] = "start even\naccept odd\n"
                              "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";

int main(void)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *automaton = NULL;
    fsa2lrnn_network *network = NULL;
    fsa2lrnn_run *run = NULL;
    static fsa2lrnn_verdict verdict;
    size_t label = 0;
    int failed = 0;
    if (fsa2lrnn_automaton_read(&automaton, grammar, sizeof grammar - 1, NULL, NULL, &err) ||
        fsa2lrnn_compile(&network, automaton, NULL, NULL, &err) ||
        fsa2lrnn_verify(&verdict, network, "bf16", "every", NULL, &err) ||
        fsa2lrnn_run_new(&run, network, "bf16", NULL, &err) ||
        fsa2lrnn_run_step(run, fsa2lrnn_network_find_letter(network, "1"), &label, &err)) {
        fprintf(stderr, "%zu:%zu: %s\n", err.line, err.column, err.text);
        failed = 1;
    } else {
        const char *proved = verdict.verdict == FSA2LRNN_OK ? "VERIFIED" : "open";
        printf("bf16: %s, %s\n", proved, verdict.text);
        printf("after 1: %s\n", fsa2lrnn_network_label(network, label));
    }
    fsa2lrnn_verdict_clear(&verdict);
    fsa2lrnn_run_free(run);
    fsa2lrnn_network_free(network);
    fsa2lrnn_automaton_free(automaton);
    return failed;
}
