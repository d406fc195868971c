/* Prints the canonical text of the automaton in a `.fsa` file, with all its states, as reading and
 * writing it gives. The exit status is 65 where the reader refuses the file or the automaton is not
 * deterministic and total. */
#include "automata/fsa/fsa.h"
#include "automata/fsa/nfa.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

/* Moves the members that both types have from the nfa to the fsa. */
static void take(f2l_fsa *fsa, f2l_nfa *nfa)
{
    fsa->letters = nfa->letters;
    fsa->states = nfa->states;
    fsa->outputs = nfa->outputs;
    fsa->edge_outputs = nfa->edge_outputs;
    fsa->accept = nfa->accept;
    fsa->output = nfa->output;
    fsa->has_accept = nfa->has_accept;
    fsa->has_added = nfa->has_added;
    fsa->added = nfa->added;
    memcpy(fsa->source, nfa->added_source, sizeof fsa->source);
    f2l_names_init(&nfa->letters);
    f2l_names_init(&nfa->states);
    f2l_names_init(&nfa->outputs);
    f2l_names_init(&nfa->edge_outputs);
    nfa->accept = NULL;
    nfa->output = NULL;
}

static bool put_edge(f2l_fsa *fsa, const f2l_edge *edge)
{
    const size_t at = edge->from * fsa->letters.count + edge->letter;
    if (edge->letter == F2L_EPSILON || fsa->next[at] != UINT32_MAX) return false;
    fsa->next[at] = edge->to;
    if (fsa->edge_output) fsa->edge_output[at] = edge->output;
    return true;
}

static bool fill(f2l_fsa *fsa, const f2l_nfa *nfa)
{
    const size_t states = fsa->states.count, edges = states * fsa->letters.count;
    size_t starts = 0;
    fsa->next = f2l_calloc(edges, sizeof *fsa->next);
    if (fsa->edge_outputs.count) fsa->edge_output = f2l_calloc(edges, sizeof *fsa->edge_output);
    for (size_t i = 0; i < edges; i++) fsa->next[i] = UINT32_MAX;
    bool good = nfa->edges == edges;
    for (size_t i = 0; good && i < edges; i++) good = put_edge(fsa, &nfa->edge[i]);
    for (size_t q = 0; q < states; q++) {
        if (nfa->is_start[q]) fsa->start = q;
        starts += nfa->is_start[q];
        good = good && (!fsa->output || fsa->output[q] != UINT32_MAX);
    }
    return good && starts == 1;
}

static int print(const char *bytes, size_t size)
{
    f2l_nfa nfa;
    f2l_fsa fsa;
    f2l_buf text;
    f2l_error err = {0};
    f2l_nfa_init(&nfa);
    f2l_fsa_init(&fsa);
    f2l_buf_init(&text);
    f2l_status status = f2l_fsa_read(&nfa, bytes, size, 0, NULL, &err);
    bool good = status == F2L_OK;
    if (good && !nfa.is_group) {
        take(&fsa, &nfa);
        good = fill(&fsa, &nfa);
    }
    if (good) status = f2l_fsa_write(&text, nfa.is_group ? &nfa.group : &fsa, &err);
    if (good && status == F2L_OK) fwrite(text.data, 1, text.size, stdout);
    if (status != F2L_OK) fprintf(stderr, "%zu:%zu: %s\n", err.line, err.column, err.text);
    f2l_buf_clear(&text);
    f2l_fsa_clear(&fsa);
    f2l_nfa_clear(&nfa);
    return good && status == F2L_OK ? 0 : 65;
}

int main(int argc, char **argv)
{
    f2l_buf bytes;
    f2l_error err;
    f2l_buf_init(&bytes);
    if (argc != 2 || f2l_read_file(&bytes, argv[1], 0, &err) != F2L_OK) return 64;
    const int code = print(bytes.data ? bytes.data : "", bytes.size);
    f2l_buf_clear(&bytes);
    return code;
}
