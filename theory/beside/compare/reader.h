/* A trained network as a machine that reads one letter of its automaton after the other, and whose
 * state can be kept, copied and gone on from. */
#ifndef F2L_LEARNED_READER_H
#define F2L_LEARNED_READER_H

#include "models/learn/data/data.h"
#include "models/learn/seq/seq.h"

/* The numbers of a state that belong together: a matrix [rows][columns] of a head, or what a layer
 * keeps apart from heads. */
typedef struct f2l_learned_part {
    size_t layer, head; /* from 0 on; head F2L_NO_INDEX: not of a head */
    size_t first, count;
} f2l_learned_part;

typedef struct f2l_learned_reader {
    const f2l_seq *model; /* all three are borrowed */
    const float *parameters;
    const f2l_data *data;
    size_t numbers; /* of a state */
    f2l_learned_part *part;
    size_t parts;
    /* private */
    f2l_seq_work_f32 *work;
    size_t side;               /* states that the model reads side by side as they lie here */
    size_t tokens;             /* letters that the model reads for one of the automaton */
    uint32_t *letter, *answer; /* [side][tokens] */
    float *logits;             /* [side][tokens][labels] */
} f2l_learned_reader;

/* Returns why such a machine cannot be made of the network and the data, a constant text, or
 * NULL. */
const char *f2l_learned_obstacle(const f2l_seq_config *config, const f2l_data *data);

/* Creates *out, whose arrays are cleared by f2l_learned_reader_clear, also after a failure.
 * F2L_EDOMAIN with the obstacle, and for data with other numbers of letters or labels than the
 * model; F2L_UNKNOWN when the task's memory is too small. */
f2l_status f2l_learned_reader_init(f2l_learned_reader *out, const f2l_seq *model,
                                   const float *parameters, const f2l_data *data,
                                   const f2l_task *task, f2l_error *err);
void f2l_learned_reader_clear(f2l_learned_reader *reader);

/* Sets state[numbers] to the state before the first letter: after the begin letter, if there is
 * one. */
f2l_status f2l_learned_begin(float *state, f2l_learned_reader *reader, f2l_error *err);

/* The most states that are read side by side. */
#define F2L_LEARNED_SIDE ((size_t)32)

/* Reads one letter of the automaton, with its padding letters, in each of state[count][numbers],
 * count <= F2L_LEARNED_SIDE. answer [count] are numbers of labels; logits [count][labels] (NULL:
 * not wanted). F2L_EDOMAIN: a logit is not a number. */
f2l_status f2l_learned_step(uint32_t *answer, float *logits, float *state,
                            f2l_learned_reader *reader, const uint32_t *letter, size_t count,
                            f2l_error *err);

/* Sets *answer to the answer after the word. */
f2l_status f2l_learned_run(uint32_t *answer, f2l_learned_reader *reader, const uint32_t *word,
                           size_t letters, f2l_error *err);

#endif
