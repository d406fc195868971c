/* Small networks for the tests of models/network/net: hand-made ones with their automata, and
 * random ones. */
#ifndef NET_SAMPLES_H
#define NET_SAMPLES_H

#include "models/network/net/net.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Parity of the letters 1: S = +1 or -1, and 1 changes the sign. */
#define SAMPLE_PARITY \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 2\nletter 0\nletter 1\nlabels 2\nsymbol even\n" \
    "symbol odd\nstart 1\nlayers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode state\n" \
    "head 1 key 1 " \
    "value 1\n" \
    "initial 1.1:1\non 1 gate 1 factors 0\non 2 gate 1 factors 1\nfactor 2 u 1:1\n" \
    "code 1 1 1.1:1\ncode 2 2 " \
    "1.1:-1\n" \
    "end\n"

/* A flip-flop with the letters hold, left, right; it resets by gate 0 and one write. The second of
 * its two heads counts lefts modulo 2 and holds elsewhere, so that the decoder reads both; its key
 * is not a unit vector and it has two columns. */
#define SAMPLE_FLIPFLOP \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel outputs\nletters 3\nletter hold\nletter \"go left\"\nletter right\n" \
    "labels 4\nsymbol L0\nsymbol L1\nsymbol R0\nsymbol R1\nstart 3\nlayers 1\n" \
    "layer 1 letters 3 heads 2 codes 4 symbols 4 decode state\n" \
    "head 1 key 1 value 1\ninitial\non 1 gate 1 factors 0\non 2 gate 0 factors 1\n" \
    "factor 1 u 1:1 c 1:1\n" \
    "on 3 gate 0 factors 0\n" \
    "head 2 key 2 value 2\ninitial 1.1:3 1.2:1/2 2.1:4 2.2:-3/2\non 1 gate 1 factors 0\n" \
    "on 2 gate 1 " \
    "factors 1\n" \
    "factor 2 u 1:3 2:4\non 3 gate 1 factors 0\n" \
    "code 1 1 1.1:1 ; 1.1:3 1.2:1/2 2.1:4 2.2:-3/2\n" \
    "code 2 2 1.1:1 ; 1.1:-3 1.2:79/50 2.1:-4 2.2:-3/50\n" \
    "code 3 3 ; 1.1:3 1.2:1/2 2.1:4 2.2:-3/2\ncode 4 4 ; 1.1:-3 1.2:79/50 2.1:-4 2.2:-3/50\nend\n"

/* A memory of two letters: a and b give the letter before (a at the start), show gives the last
 * one. The current and the saved letter are kept twice each, as +1 and -1; the saved part has a
 * third value that no state has. */
#define SAMPLE_PARTS \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 3\nletter a\nletter b\nletter show\n" \
    "labels 2\nsymbol A\nsymbol B\nstart 1\nlayers 1\n" \
    "layer 1 letters 3 heads 1 codes 4 symbols 2 decode part\nparts 2 3\nhead 1 key 4 value 1\n" \
    "initial 1.1:1 2.1:1 3.1:1 4.1:1\non 1 gate 1 factors 3\nfactor 2 u 1:1 2:1 3:-1 4:-1\n" \
    "factor 1 u 1:1 c 1:1\nfactor 1 u 2:1 c 1:1\non 2 gate 1 factors 3\n" \
    "factor 2 u 1:1 2:1 3:-1 4:-1\n" \
    "factor 1 u 1:1 c 1:-1\nfactor 1 u 2:1 c 1:-1\non 3 gate 1 factors 0\n" \
    "code 1 1,1 1.1:1 2.1:1 3.1:1 4.1:1\ncode 2 1,2 1.1:1 2.1:1 3.1:-1 4.1:-1\n" \
    "code 3 2,1 1.1:-1 2.1:-1 3.1:1 4.1:1\ncode 4 2,2 1.1:-1 2.1:-1 3.1:-1 4.1:-1\n" \
    "yield 1 2 1 2 -\nyield 2 2 1 2 -\nyield 3 1 1 2\nend\n"

/* A head over Q(2 cos 72 degrees) with a form, and one over Q with a form. */
#define SAMPLE_FIELD \
    "lrnn 2\nfsa " SAMPLE_SHA "\nfield Q\nlabel states\nletters 1\nletter a\nlabels 2\n" \
    "symbol p\nsymbol q\nstart 1\nlayers 1\n" \
    "layer 1 letters 1 heads 2 codes 2 symbols 2 decode state\n" \
    "head 1 key 2 value 1\nfield -1 1 1 interval 0 1\nform 1.1:2 1.2:0,1 2.2:2\ninitial 1.1:1\n" \
    "on 1 gate 1 factors 2\nfactor 2 u 1:1 2:-1\nfactor 1/2 u 2:1/2,-3 c 1:0,1\n" \
    "head 2 key 2 value 2\nform 1.1:2 1.2:-1 2.2:2\ninitial 1.2:1/2 2.1:-1\n" \
    "on 1 gate 1/2 factors 1\n" \
    "factor 2 u 1:1\ncode 1 1 1.1:1 ; 1.2:1/2 2.1:-1\ncode 2 2 2.1:1/3,1 ;\nend\n"

/* Parity with a raw head, a value and a bias: 1 does S <- S - 1/2 * 2 (2 S - 1) + 2 = 3 - S, from S
 * = 1. A second head stays at 2 by halving and adding 1. */
#define SAMPLE_RAW \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 2\nletter 0\nletter 1\nlabels 2\nsymbol even\n" \
    "symbol odd\nstart 1\nlayers 1\nlayer 1 letters 2 heads 2 codes 2 symbols 2 decode state\n" \
    "head 1 key 1 value 1\nraw\ninitial 1.1:1\non 1 gate 1 factors 0\n" \
    "on 2 gate 1 factors 1 bias 1.1:2\n" \
    "factor 1/2 u 1:2 c 1:1\n" \
    "head 2 key 2 value 2\ninitial 2.2:2\non 1 gate 1 factors 0\n" \
    "on 2 gate 1/2 factors 0 bias 2.2:1\n" \
    "code 1 1 1.1:1 ; 2.2:2\ncode 2 2 1.1:2 ; 2.2:2\nend\n"

/* A counter modulo 2 whose label, the carry, belongs to the transition; a and b are one letter,
 * which does nothing. */
#define SAMPLE_EDGES \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel edges\nletters 3\nletter a\nletter b\nletter c\nletter-classes 2 1 1 2\n" \
    "labels 2\n" \
    "symbol \"\"\nsymbol carry\nstart -\nlayers 1\n" \
    "layer 1 letters 2 heads 1 codes 2 symbols 2 decode " \
    "step\n" \
    "head 1 key 1 value 1\ninitial 1.1:1\non 1 gate 1 factors 0\non 2 gate 1 factors 1\n" \
    "factor 2 u 1:1\n" \
    "code 1 * 1.1:1\ncode 2 * 1.1:-1\nyield 1 1 1\nyield 1 2 1\nyield 2 1 2\nyield 2 2 1\nend\n"

void sample_read(f2l_net *net, const char *text);

/* Returns a copy of `text` (to be freed) with the first occurrence of `from` replaced. */
char *sample_edited(const char *text, const char *from, const char *to);

void sample_push(f2l_qvec *v, uint32_t index, long numerator, unsigned long denominator);

void sample_name(f2l_names *names, const char *name);

/* S3 in two layers with one reflection per token (D2): the first layer counts the even letters
 * modulo 2, and the state of the second is F^(this parity) times the product, where F is a
 * reflection. Here: the permutations of three points, the even ones first; letter w is element
 * w. */
static const unsigned char sample_s3[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                              {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};

/* Returns the product of two elements: a first, then b. */
size_t sample_s3_times(size_t a, size_t b);

/* Returns twice the unit D4 root whose reflection is the transposition. */
const long *sample_s3_root(size_t transposition);

void sample_s3_image(long twice[4], size_t element);

/* Returns the element F^p w F^(parity before) by which letter w acts in the second layer, where p
 * is the parity after it and F is element 3. */
size_t sample_s3_operator(size_t w, size_t after);

void sample_s3_layers(f2l_net *net);

typedef struct sample_shape {
    size_t layers, heads, letters, n, d, factors, codes; /* upper bounds */
    bool dyadic;             /* keys of the form (+-1/2)^4 or +-e_i, small dyadic values */
    unsigned long numerator; /* upper bound of other numbers */
} sample_shape;

void sample_number(mpq_t out, f2l_rng *rng, const sample_shape *shape);

/* Sets each of `size` entries with probability 1/2, at least `least` of them. */
void sample_vector(f2l_qvec *v, f2l_rng *rng, size_t size, size_t least, const sample_shape *shape);

/* Makes a key whose norm is exactly a power of two. */
void sample_dyadic_key(f2l_qvec *u, f2l_rng *rng, size_t n);

void sample_head(f2l_head *head, f2l_rng *rng, size_t letters, const sample_shape *shape);

/* Makes some heads raw and gives some letters a bias; codes and factors stay. */
void sample_make_raw(f2l_net *net, f2l_rng *rng, const sample_shape *shape);

void sample_decoder(f2l_layer *layer, f2l_rng *rng, size_t codes, size_t symbols,
                    const sample_shape *shape);

/* Replaces the layer's decoder, which must not be by letter, by a random part decoder. */
void sample_parts(f2l_layer *layer, f2l_rng *rng);

/* Makes a valid network with random weights and codes; it need not implement anything. */
void sample_random(f2l_net *net, f2l_rng *rng, const sample_shape *shape);

#endif
