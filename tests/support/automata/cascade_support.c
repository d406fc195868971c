#include "tests/support/automata/cascade_support.h"

void table_init(f2l_fsa *fsa, size_t states, size_t letters)
{
    char name[24];
    size_t index;
    f2l_fsa_init(fsa);
    fsa->next = calloc(states * letters + 1, sizeof *fsa->next);
    fsa->accept = calloc(states, 1);
    bool ok = fsa->next != NULL && fsa->accept != NULL;
    for (size_t q = 0; ok && q < states; q++) {
        int n = snprintf(name, sizeof name, "%zu", q + 1);
        ok = f2l_names_add(&fsa->states, name, (size_t)n, &index, NULL) == F2L_OK;
    }
    for (size_t a = 0; ok && a < letters; a++) {
        int n = snprintf(name, sizeof name, "%zu", a + 1);
        ok = f2l_names_add(&fsa->letters, name, (size_t)n, &index, NULL) == F2L_OK;
    }
    if (!ok) abort();
}

void table_set(f2l_fsa *fsa, size_t state, size_t letter, size_t to)
{
    fsa->next[state * fsa->letters.count + letter] = (uint32_t)to;
}

void table_random(f2l_fsa *fsa, size_t states, size_t letters, f2l_rng *rng)
{
    table_init(fsa, states, letters);
    for (size_t i = 0; i < states * letters; i++)
        fsa->next[i] = (uint32_t)f2l_rng_below(rng, states);
}

void skip_comments(FILE *in)
{
    bool comment = false;
    int c;
    while ((c = fgetc(in)) != EOF && (comment || c == '#' || c == ' ' || c == '\n'))
        comment = c == '#' || (comment && c != '\n');
    if (c != EOF) ungetc(c, in);
}

bool table_read(f2l_fsa *fsa, char name[64], FILE *in)
{
    size_t states, letters, to;
    skip_comments(in);
    if (fscanf(in, "%63s %zu %zu", name, &states, &letters) != 3) return false;
    table_init(fsa, states, letters);
    for (size_t a = 0; a < letters; a++)
        for (size_t q = 0; q < states; q++) {
            if (fscanf(in, "%zu", &to) != 1 || to < 1 || to > states) abort();
            table_set(fsa, q, a, to - 1);
        }
    return true;
}

size_t disagreements(const f2l_cascade *c, size_t words, size_t length, f2l_rng *rng)
{
    const f2l_fsa *fsa = c->fsa;
    size_t wrong = 0;
    uint32_t *coordinate = calloc(c->levels + 1, sizeof *coordinate);
    if (!coordinate) abort();
    for (size_t w = 0; w < words; w++) {
        size_t state = f2l_rng_below(rng, fsa->states.count);
        f2l_cascade_encode(c, state, coordinate);
        wrong += f2l_cascade_decode(c, coordinate) != state;
        for (size_t t = 0; t < length; t++) {
            size_t letter = f2l_rng_below(rng, fsa->letters.count);
            state = fsa->next[state * fsa->letters.count + letter];
            f2l_cascade_step(c, letter, coordinate);
            wrong += f2l_cascade_decode(c, coordinate) != state;
        }
    }
    free(coordinate);
    return wrong;
}
