/* The reader that all certificate checkers share: text, hashes, rationals, automata, and networks
 * of layers over Q.
 *
 * What a program believes of its three files comes through here, so this header, text.c,
 * automaton.c and network.c are the part of every checker that must be right. They share nothing
 * with the compiler that wrote the files, and use libc and GMP. reader.log lists every change of
 * them.
 *
 * Whatever is wrong ends the program, in reject() or give_up(), so that the line after a check may
 * rely on it. Memory that grab() gave is kept until the program ends. Indices count from 0 here and
 * from 1 in the files. */
#ifndef CHECK_READER_H
#define CHECK_READER_H

#include <gmp.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Indices of files are size_t and raw numbers of formats are long; with 32 bits two spellings would
 * mean one number. */
_Static_assert(SIZE_MAX >= UINT64_MAX, "size_t has 64 bits or more");
_Static_assert(LONG_MAX >= INT64_MAX, "long has 64 bits or more");

#define NONE SIZE_MAX
#define UNSET UINT32_MAX
#define MAX_FILE \
    ((size_t)UINT32_MAX - 1) /* every count of things that take bytes of a file fits 32 bits */
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))

enum { VERIFIED = 0, NOT_VERIFIED = 1, UNKNOWN = 2, USAGE = 64 };

/* text.c: the budget of the whole run */

/* The remaining budget. begin_budget sets it by the sizes of the files; both members may be lowered
 * or raised before reading. */
typedef struct budget {
    size_t steps; /* about one multiplication of small rationals each, or 16 places compared or
                     copied */
    size_t bytes; /* asked for by grab and by GMP */
} budget;

extern budget rest;

/* The bytes that the smallest files may take, and all files together may have. */
#define BASE_BYTES ((size_t)384 << 20)
/* Sets the budget to 40 million steps and BASE_BYTES, and for each byte of the three files 48 bytes
 * and 800 steps, and one step more for every `growth` bytes of them, up to 16,000, since the steps
 * of an edge grow with its state; all that `times` times. */
void begin_budget(size_t file_bytes, size_t times, size_t growth);
/* Takes steps from the budget; ends with UNKNOWN where it has fewer. */
void spend(size_t steps);
/* Takes steps for an operation whose result is x: more for long numbers. */
void spend_on(mpq_srcptr x);
/* Takes bytes from the budget; ends with UNKNOWN where it has fewer. */
void take_bytes(size_t size);
/* Returns a * b; ends with UNKNOWN where that is more than the bytes that are left. */
size_t product_of(size_t a, size_t b);

/* text.c: errors, memory */

/* The name of the program, and of its files, for messages; no files once their hashes agree, since
 * then they are the ones meant. */
extern const char *self_name, *self_files;

/* A file in memory, read up to `at`. There is a zero byte at `end`. */
typedef struct text {
    const char *path, *bytes, *at, *end;
    size_t line;
} text;

_Noreturn void give_up(const char *why); /* s UNKNOWN */
_Noreturn void reject(const text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* s NOT VERIFIED */

/* Returns count * size zero bytes. */
void *grab(size_t count, size_t size);
/* Returns the array with room for one element more. */
void *grow(void *array, size_t count, size_t *capacity, size_t size);
/* free_newer frees what grab gave since newest_memory() returned `before`. */
const void *newest_memory(void);
void free_newer(const void *before);
/* These count memory of GMP and of resize in the budget too; release gives it back. */
void count_gmp_memory(void);
void *resize(void *old, size_t old_size, size_t size);
void release(void *p, size_t size);

/* text.c: SHA-256 (FIPS 180-4), as 64 hexadecimal digits and a zero byte */
void sha256_hex(char hex[65], const char *bytes, size_t size);

/* text.c: names */

typedef struct name {
    const char *bytes;
    size_t size;
} name;

/* Different byte strings, numbered as they came. A slot holds number + 1, or 0. */
typedef struct set {
    name *item;
    size_t count, capacity, *slot, slots;
} set;

/* Takes the key of the sets' hash function from a SHA-256; call it before anything is added. With
 * the hash of the files, no file can have names that share slots, and every machine takes the same
 * steps. */
void key_sets(const char *hex);
bool same_name(name a, name b);
/* Returns the number of the string, or NONE. */
size_t find(const set *s, name x);
/* Adds the string, whose bytes must stay; returns false when it was there. */
bool add(set *s, name x);
/* Returns the number of the string, which is added unless it is there. */
size_t intern(set *s, name x);

/* text.c: reading */

size_t left(const text *t);
bool comes(const text *t, const char *word);
void expect(text *t, const char *word);
void end_line(text *t);
void whole_line(text *t, const char *words);
/* Reads a decimal number in least..most, most <= MAX_FILE, after the bytes `before`. */
size_t number(text *t, const char *before, size_t least, size_t most);
size_t number_line(text *t, const char *before, size_t least, size_t most);
/* Reads the count of items that follow and take `bytes` bytes or more each, so that a count never
 * exceeds the file. */
size_t count_of(text *t, const char *word, size_t least, size_t bytes);
/* Reads " N" .., one or more after the word, in 1..most; each number is stored less `base`. */
uint32_t *read_numbers(text *t, const char *word, size_t base, size_t most, size_t *count);
/* Makes room for items on lines of their own, each of `bytes` bytes or more; sets *count. */
void *grab_lines(text *t, const char *word, size_t least, size_t bytes, size_t *count, size_t size);
/* Reads a rational in 0..most, or any where most is 0, spelled in lowest terms as 0, -3, 5/2. */
void rational(text *t, const char *before, mpq_t out, unsigned long most);
/* Reads a name as it is spelled, quotes included. Every name has one spelling: bare, or in quotes
 * where it is empty, is a word of the automaton's grammar, or has a blank, a control character or
 * one of # " ( ). */
name read_name(text *t, const char *before);
void expect_name(text *t, const char *before, name x);

/* program.c */

/* What the command line asks for; 0: the default. */
typedef struct options {
    size_t budget, memory, seconds; /* --budget N, --memory SIZE, --time-limit SECONDS */
} options;

/* Reads the files whole, and begins the budget of the run. They may have o->memory bytes together,
 * or as many times BASE_BYTES as o->budget says; no more than one byte beyond that is read, and the
 * verdict is then UNKNOWN. sizes: NULL, or "N,N,..", the sizes of the files, which come one after
 * the other on standard input. Call it once; leak detectors find the bytes in file[] if it is
 * static. */
void read_files(text *file, size_t count, char *const *path, const char *sizes, const options *o,
                size_t growth);
/* Returns the number of arguments that are options with their values, or -1. */
int read_options(options *o, int argc, char **argv);
/* Lets the run end with `s UNKNOWN` when its time is over. */
void limit_time(const options *o);
/* Ends the output and returns the status, or UNKNOWN if the output could not be written. */
int end_output(int status);

/* automaton.c */

typedef enum label { LABEL_STATES, LABEL_OUTPUTS, LABEL_ACCEPT, LABEL_EDGES } label;

/* A deterministic total automaton. `kinds` is the number of its letters, or of classes of letters
 * that act alike after merge_letters; x below is one of these. next[state * kinds + x]. */
typedef struct automaton {
    set letters, states;
    size_t start, kinds;
    uint32_t *next;
    bool has_accept, has_output, *accept; /* [states] */
    name *output;                         /* [states] */
    name *edge_output;                    /* [states * kinds], or NULL */
    bool has_added;                       /* a state takes the transitions that the source lacks */
    size_t added;
    name source; /* the SHA-256 of the source */
} automaton;

void read_automaton(automaton *a, text *t);
/* Returns the label of a state, as a name is spelled; not for LABEL_EDGES. */
name label_of(const automaton *a, label kind, size_t state);
/* Returns the label after the word that led to `state`, then x. */
name label_after(const automaton *a, label kind, size_t state, size_t x);
/* Prints " added STATE absorbing [rejecting] source SHA256" where the automaton has an added
 * state; read_automaton found these words true, the second of an automaton that accepts. */
void print_added(const automaton *a);
/* Merges the letters of each class: class[letter] < classes. Rejects unless they lead every state
 * to the same state, with the same output. */
void merge_letters(automaton *a, const text *t, const uint32_t *class, size_t classes);

/* network.c */

/* The non-zero numbers of a vector, by increasing indices; of a matrix row by row. */
typedef struct vector {
    struct entry {
        size_t index;
        mpq_t value;
    } * entry;
    size_t count;
} vector;

/* S <- S - scale u (w^T S - c^T), with w = u and scale = beta / u^T u, or beta in a raw head. */
typedef struct factor {
    vector u, w, c;
    mpq_t beta, scale;
} factor;

/* S <- gate S, the factors one after the other, S <- S + bias. */
typedef struct transition {
    mpq_t gate;
    factor *factor;
    size_t factors;
    vector bias;
    name spelled;
} transition;

struct head;
struct block;
struct problem;

/* Numbers that are not rational: the numbers of lrnn-check-field, with `degree` coefficients each,
 * side by side. */
typedef struct algebra {
    size_t degree;
    void (*prepare)(struct head *h, factor *f, const text *t);
    void (*apply)(const struct head *h, mpq_t *s, size_t d, const factor *f);
} algebra;

/* A head's state is n x d, from `at` on in the block's state. A head of a layer has one slot, which
 * reads the letter; a slot does on[value of the wire]. */
typedef struct head {
    size_t n, d, at, entries, slots, householders;
    bool raw;
    algebra *k; /* NULL: Q without a form */
    struct slot {
        size_t wire, values;
        transition *on;
        struct turn *in; /* the same in a number format */
    } * slot;
} head;

/* A layer, or a block of a wired network (wired.h). Code c of a layer is a state of all its heads:
 * readout[h].code[c]. The codes of `joint` readouts determine the state: 1 in a layer. */
typedef struct block {
    size_t heads, readouts, joint, entries;
    head *head;
    struct readout {
        size_t at, entries, codes;
        vector *code;
        vector *low, *high; /* boxes, or NULL */
    } * readout;
    /* the decoder of a layer */
    size_t letters, symbols, parts; /* parts: decode part, else 0 */
    bool by_letter;                 /* decode step */
    uint32_t *symbol, *values;      /* values[parts] */
    uint32_t *part, *read;          /* [codes][parts], [letters] the part that is read */
    size_t *symbol_at, *spelling;   /* [letters]; spelling: equal only where transitions are */
    struct circuits *wires;         /* of a block of a wired network, else NULL */
} block;

typedef struct stage {
    const block *block;
    vector *initial; /* [heads] */
} stage;

/* In a network of layers stage l is layer l and block l. joint, numbers (in a state): of all
 * stages; heads .. entries: maxima. */
typedef struct network {
    bool wired, has_field, has_form, has_raw, has_bias, has_boxes, has_classes;
    label kind;
    set labels;
    size_t layers, blocks, stages, joint, numbers, heads, householders, key, value, entries;
    block *block;
    stage *stage;
    struct lookup *table; /* of a wired network */
    size_t tables;
} network;

/* The grammar that a program reads besides networks of layers over Q. NULL: such a file is UNKNOWN
 * to it. */
typedef struct grammar {
    void (*head)(head *h, text *t, network *net);   /* lines `field` and `form`; sets h->k where one
                                                       comes */
    void (*separate)(const block *y, size_t codes); /* are the codes different real matrices? */
    void (*boxes)(block *y, text *t);
    void (*wired)(network *net, text *t, size_t letters);
} grammar;

void read_network(network *net, text *t, automaton *a, const char *fsa_hex, const grammar *g);
/* Reads " I:V" .. with I <= rows; with columns > 0, " R.C:V" ..; V is a_0,a_1,.. with at most
 * `degree` numbers, the last one not 0. */
vector read_vector(text *t, size_t rows, size_t columns, size_t degree);
/* Reads "head h key n value d", but not the line's end. */
head *read_dimensions(block *b, text *t, size_t i);
/* Gives the head's state its place in the block's state, after the heads before it. */
void place(block *b, head *h);
/* Reads the transitions of a slot, one for each value of its wire. */
void read_slot(struct slot *s, text *t, head *h, size_t values, network *net);
vector read_initial(text *t, const head *h);
/* Counts what the block adds to the network as the next stage. */
void add_stage(network *net, const block *b);
/* Returns the decoder's output of a layer after the letter, or UNSET. */
uint32_t symbol_after(const block *y, size_t letter, size_t code);
/* Returns the end of the vector's entries, of which there may be no array. */
const struct entry *behind(const vector *v);
size_t degree_of(const head *h);

/* network.c: exact arithmetic */
mpq_t *zeros(size_t count);
void clear(mpq_t *a, size_t count);
/* Sets out to the sum of the squares of the entries of a vector. */
void square_of(mpq_t out, const vector *v);
/* Does S <- S - scale u (w^T S - c^T) for d columns at s, over Q; after read_network only. */
void apply(mpq_t *s, size_t d, const factor *f);
/* Applies one transition of a head whose state is at s. */
void move(const head *h, mpq_t *s, const transition *w);
/* put sets the numbers at s to the vector; the other returns whether they are equal to it. */
void put(mpq_t *s, size_t entries, const vector *v);
bool state_is(mpq_t *s, size_t entries, const vector *v);

#endif
