/* The search behind both closures: breadth-first over pairs (joint state, state of the automaton), theory.md
 * R5. What a joint state is and how a letter changes it is the machine's business. */
#ifndef F2L_SEARCH_IMPL_H
#define F2L_SEARCH_IMPL_H

#include "f2l_closure.h"
#include "f2l_pairs_impl.h"

typedef struct f2l_machine {
    size_t width; /* bytes of a joint state; equal states have equal bytes */
    void *context;
    void (*load)(void *context, const unsigned char *joint);
    /* The state after `letter` from the one last loaded, which stays loaded. *label is F2L_NO_SYMBOL when the
     * new state decodes to nothing. */
    f2l_status (*step)(void *context, size_t letter, unsigned char *joint, uint32_t *label, f2l_error *err);
} f2l_machine;

/* What a closure asks of a network beside its steps; borrows the names. */
typedef struct f2l_face {
    const f2l_names *letters, *labels;
    f2l_label label; /* what the labels are */
    size_t start;    /* label of the empty word */
} f2l_face;

static inline f2l_face f2l_face_of_net(const f2l_net *net)
{
    return (f2l_face){&net->letters, &net->labels, net->label, net->start};
}

typedef struct f2l_search {
    f2l_face face;
    const f2l_fsa *fsa;
    const f2l_machine *machine;
    const f2l_task *task;
    const char *phase;
    f2l_pairs pairs; /* rows: the joint state's bytes, then the automaton's state */
    uint32_t
        *expected; /* [states] label index that the network owes, F2L_NO_SYMBOL where it has no such label */
    bool keep_next;
    uint32_t *next; /* [rows][letters] when kept */
    size_t next_capacity;
    unsigned char *row; /* the row being looked up */
} f2l_search;

/* The label index that the network owes in every state (f2l_free); F2L_EDOMAIN unless the automaton has the
 * network's letters and its kind of labels. */
f2l_status f2l_face_expect(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa, f2l_error *err);

static inline f2l_status f2l_search_expect(uint32_t **expected, const f2l_net *net, const f2l_fsa *fsa,
                                           f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    return f2l_face_expect(expected, &face, fsa, err);
}

/* F2L_EDOMAIN unless the automaton has the network's letters and its kind of labels. */
f2l_status f2l_search_init(f2l_search *search, const f2l_face *face, const f2l_fsa *fsa,
                           const f2l_machine *machine, size_t max_rows, bool keep_next, const f2l_task *task,
                           const char *phase, f2l_error *err);
void f2l_search_clear(f2l_search *search);

/* Sets the verdict and what belongs to it. `start`: the joint state before the first letter. */
f2l_status f2l_search_run(f2l_search *search, f2l_closure *out, const unsigned char *start, f2l_error *err);

/* The automaton's state of a row. */
size_t f2l_search_state(const f2l_search *search, size_t row);

/* Sets out to UNKNOWN with the error's text as the reason, so that running out of something is a verdict. */
f2l_status f2l_search_unknown(f2l_closure *out, size_t rows, const f2l_error *why);

#endif
