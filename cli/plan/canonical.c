#include "cli/plan/canonical.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const f2l_fsa *fsa; /* minimal */
    f2l_label label;
    const char **name; /* [letters] in order */
    size_t *letter;    /* [letters] their numbers in fsa */
    uint32_t *number;  /* [states] place in `state`; UINT32_MAX: not reached */
    uint32_t *state;   /* [reached] states in the order in which they are reached */
    size_t reached;
    f2l_sha256 hash;
} walk;

/* Hashes a text with its size, so that no two lists of texts give the same bytes. */
static void hash_text(f2l_sha256 *hash, const char *text)
{
    char size[24];
    snprintf(size, sizeof size, "%zu:", strlen(text));
    f2l_sha256_update(hash, size, strlen(size));
    f2l_sha256_update(hash, text, strlen(text));
}

static void hash_number(f2l_sha256 *hash, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu,", number);
    f2l_sha256_update(hash, text, strlen(text));
}

/* Puts the letters in the order of their names. */
static void order_letters(walk *w)
{
    const f2l_names *letters = &w->fsa->letters;
    for (size_t i = 0; i < letters->count; i++) w->name[i] = f2l_names_get(letters, i);
    qsort(w->name, letters->count, sizeof *w->name, f2l_text_compare);
    for (size_t i = 0; i < letters->count; i++)
        w->letter[i] = f2l_names_find(letters, w->name[i], strlen(w->name[i]));
}

/* Returns the number of the state, which is the next one where it was not reached before. */
static uint32_t reach_state(walk *w, uint32_t state)
{
    if (w->number[state] == UINT32_MAX) {
        w->number[state] = (uint32_t)w->reached;
        w->state[w->reached++] = state;
    }
    return w->number[state];
}

static void hash_state(walk *w, uint32_t state)
{
    const size_t letters = w->fsa->letters.count;
    if (w->label != F2L_LABEL_EDGES) hash_text(&w->hash, f2l_fsa_label(w->fsa, w->label, state));
    for (size_t i = 0; i < letters; i++) {
        const size_t letter = w->letter[i];
        if (w->label == F2L_LABEL_EDGES)
            hash_text(&w->hash, f2l_fsa_edge_label(w->fsa, w->label, state, letter));
        hash_number(&w->hash, reach_state(w, w->fsa->next[state * letters + letter]));
    }
}

static void hash_automaton(walk *w)
{
    order_letters(w);
    f2l_sha256_init(&w->hash);
    hash_text(&w->hash, f2l_label_name(w->label));
    hash_number(&w->hash, w->fsa->letters.count);
    for (size_t i = 0; i < w->fsa->letters.count; i++) hash_text(&w->hash, w->name[i]);
    (void)reach_state(w, (uint32_t)w->fsa->start);
    for (size_t i = 0; i < w->reached; i++) hash_state(w, w->state[i]);
}

/* Hashes an automaton whose states can all be told apart or need not be. */
static f2l_status hash_minimal(char sha256[65], size_t *states, const f2l_fsa *fsa, f2l_label label,
                               f2l_error *err)
{
    const size_t n = fsa->states.count, letters = fsa->letters.count;
    walk w = {.fsa = fsa, .label = label};
    w.name = f2l_calloc(letters + 1, sizeof *w.name);
    w.letter = f2l_calloc(letters + 1, sizeof *w.letter);
    w.number = f2l_calloc(n, sizeof *w.number);
    w.state = f2l_calloc(n, sizeof *w.state);
    const bool room = w.name && w.letter && w.number && w.state;
    if (room) {
        memset(w.number, 0xff, n * sizeof *w.number);
        hash_automaton(&w);
        f2l_sha256_final(&w.hash, sha256);
        *states = w.reached;
    }
    f2l_free(w.name);
    f2l_free(w.letter);
    f2l_free(w.number);
    f2l_free(w.state);
    return room ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_plan_canonical(char sha256[65], size_t *states, const f2l_fsa *fsa, f2l_label label,
                              const f2l_task *task, f2l_error *err)
{
    f2l_fsa minimal;
    uint32_t *classes = NULL;
    /* With the names of states as labels all states differ. */
    if (label == F2L_LABEL_STATES) return hash_minimal(sha256, states, fsa, label, err);
    f2l_fsa_init(&minimal);
    f2l_status status = f2l_fsa_minimal(&minimal, &classes, fsa, label, task, err);
    if (status == F2L_OK) status = hash_minimal(sha256, states, &minimal, label, err);
    f2l_free(classes);
    f2l_fsa_clear(&minimal);
    return status;
}
