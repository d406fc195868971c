/* Small wired networks for tests: a hand-made one, and random ones each of whose states has a
 * code. */
#ifndef WIRED_SAMPLES_H
#define WIRED_SAMPLES_H

#include "models/network/net/wired.h"
#include "tests/support/models/net_samples.h"
#include <stdlib.h>

/* A counter modulo 4 with the letters `hold`, `inc` and `re set`: one block per binary digit, the
 * lower digit first. Wires: what to do (hold, inc, reset) and the digits so far. Head 1 has the
 * digit as a sign, and 5/2 in its second row after the first reset; head 2 has -1 in its second
 * column after an inc and zero after a reset. */
#define SAMPLE_WIRED \
    "lrnn-wired 2\nfsa " SAMPLE_SHA "\nlabel states\nletters 3\nletter hold\nletter inc\n" \
    "letter \"re set\"\nlabels 4\nsymbol 0\nsymbol 1\nsymbol 2\nsymbol 3\nstart 1\n" \
    "tables 5\ntable 1 inputs values 4 entries 1\ntable 2 inputs 3 values 2 entries 1 1 2\n" \
    "table 3 inputs 3 2 values 3 entries 1 1 2 1 3 3\n" \
    "table 4 inputs 4 2 values 4 entries 1 2 3 4 1 2 3 4\n" \
    "table 5 inputs 4 values 4 entries 1 3 2 4\n" \
    "blocks 3\nblock 1 inputs 3\npre 1\ngate 1\nheads 0\nreadouts 0\npost 0\noutputs 1 2\n" \
    "block 2 inputs 3 4\npre 1\ngate 2 1\nheads 2\nhead 1 key 2 value 1 slots 2\nslot 1 wire 1\n" \
    "on 1 gate 1 factors 0\non 2 gate 1 factors 1\nfactor 2 u 1:1\non 3 gate 1 factors 1\n" \
    "factor 1 u 1:1 c 1:1\nslot 2 wire 3\non 1 gate 1 factors 0\non 2 gate 1 factors 1\n" \
    "factor 1 u 2:1 c 1:5/2\nhead 2 key 1 value 2 slots 1\nslot 1 wire 1\non 1 gate 1 factors 0\n" \
    "on 2 gate 0 factors 1\nfactor 1 u 1:3 c 2:-3\non 3 gate 0 factors 0\nreadouts 3\n" \
    "readout 1 head 1 rows 1 1 codes 2\ncode 1 1.1:1\ncode 2 1.1:-1\n" \
    "readout 2 head 1 rows 2 2 codes 2\ncode 1\ncode 2 1.1:5/2\n" \
    "readout 3 head 2 rows 1 1 codes 2\ncode 1\ncode 2 1.2:-1\npost 2\ngate 3 1 4\ngate 4 2 4\n" \
    "outputs 7 8\nblock 3 inputs 3 4\npre 1\ngate 5 2\nheads 0\nreadouts 0\npost 0\noutputs 3\n" \
    "stages 4\nstage 1 block 1\nstage 2 block 2\ninitial 1.1:1\ninitial\nstage 3 block 2\n" \
    "initial 1.1:1\ninitial\nstage 4 block 3\nend\n"

void wired_read(f2l_net *net, const char *text);

/* Returns the text of a network, NUL-terminated; to be freed. */
char *wired_text(const f2l_net *net);

/* The value that SAMPLE_WIRED counts, and its six readouts. */
typedef struct wired_counter {
    size_t value;
    size_t joint[6];
} wired_counter;

void wired_count(wired_counter *c, size_t letter);

uint32_t wired_look_up(const f2l_net *net, const f2l_wired_gate *gate, const uint32_t *wire);

/* Upper bounds for the parts of random wired networks. */
typedef struct wired_shape {
    size_t blocks, stages, inputs, gates, heads, slots, factors, n, d;
    /* The numbers of the states are 0 and +-numerator / denominator. All combinations are codes, so
     * that no state is without one. */
    unsigned long numerator, denominator;
} wired_shape;

void wired_random_gate(f2l_net *net, f2l_wired_gate *gate, f2l_rng *rng, const size_t *sizes,
                       size_t wires, size_t table);

/* Makes a factor that permutes the numbers 0, x, -x of a state: it changes a sign, exchanges two
 * rows, or replaces a row. */
void wired_random_factor(f2l_factor *factor, f2l_rng *rng, const f2l_head *head,
                         const wired_shape *shape);

void wired_random_head(f2l_wired_head *head, f2l_rng *rng, size_t n, size_t d, const size_t *sizes,
                       size_t wires, const wired_shape *shape);

/* Returns sign number `place` of combination `code`: -1, 0 or 1. */
long wired_sign(size_t code, size_t place);

/* Makes a readout of some rows with all 3^numbers states as codes, from a random one on. */
void wired_random_readout(f2l_wired_readout *readout, f2l_rng *rng, size_t head, size_t row,
                          size_t rows, size_t d, const wired_shape *shape);

/* Makes the gates from `wire` on, each with a table of its own. */
void wired_random_gates(f2l_net *net, f2l_wired_gate *gate, size_t gates, f2l_rng *rng,
                        size_t *sizes, size_t wire, size_t *tables);

void wired_random_block(f2l_net *net, f2l_rng *rng, size_t b, size_t *tables, const size_t *input,
                        size_t inputs, size_t outputs, const wired_shape *shape);

/* Sets the initial states to random codes. */
void wired_random_start(f2l_net *net, f2l_rng *rng);

/* Makes a valid network: each block reads what the one before gives, and is used for several stages
 * when its own outputs fit its inputs. */
void wired_random(f2l_net *net, f2l_rng *rng, const wired_shape *shape);

static const wired_shape wired_shapes[] = {
    {4, 3, 3, 4, 3, 5, 3, 4, 2, 5, 2},
    {3, 4, 2, 3, 2, 4, 4, 5, 1, 1, 1},
    {2, 3, 2, 2, 2, 3, 3, 3, 2, 3000000000000000000, 9000000000000000001ul}};
enum { WIRED_SHAPES = sizeof wired_shapes / sizeof *wired_shapes };

/* Makes a network with letters a, b, c; one head with random weights whose slots read the letter,
 * and one readout with one code. */
void wired_one_head(f2l_net *net, f2l_rng *rng, const sample_shape *shape);

#endif
