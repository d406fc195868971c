/* A finite list of words with labels, which data of F2L_DATA_WORDS draw from: other people's data
 * sets (models/learn/words). A label may be missing; where all labels of a word but the last are,
 * only the answer after its last letter counts. */
#ifndef F2L_WORD_LIST_H
#define F2L_WORD_LIST_H

#include "numeric/base/names.h"
#include "numeric/base/status.h"
#include <stdint.h>

/* Numbers in 1, 2 or 4 bytes each, as the greatest one needs: a word of a group problem takes two
 * bytes for each letter with its label. */
typedef struct f2l_cells {
    void *data; /* owned */
    size_t count, room;
    unsigned width; /* bytes; 0: none yet */
} f2l_cells;

typedef struct f2l_word_list {
    f2l_names letters, labels;
    size_t count;    /* words, each with at least one letter; below 2^32 - 1 */
    size_t left_out; /* words without letters or without labels */
    size_t longest, shortest;
    bool every;      /* every letter of every word has a label */
    bool last_only;  /* no label but the last of a word is given */
    char sha256[65]; /* of the file; several files: of their lines as sha256sum writes them */
    char *source; /* "csv:/data/s3.csv", as f2l_word_file_read takes it; owned; NULL: not known */
    /* private, owned */
    size_t *start;  /* [count + 1] first letter of each word */
    uint64_t *mark; /* [count] hash of the letters of each word */
    size_t start_room, mark_room;
    f2l_cells letter;             /* [start[count]] */
    f2l_cells label;              /* [start[count]] label + 1; 0: none */
    bool own_letters, own_labels; /* names were collected, and are sorted by f2l_word_list_finish */
} f2l_word_list;

void f2l_word_list_init(f2l_word_list *words);
void f2l_word_list_clear(f2l_word_list *words);

/* --- building --- */

/* Takes a copy of the names; without it, names are collected by f2l_word_list_letter and _label. To
 * be called before the first letter. */
f2l_status f2l_word_list_use_letters(f2l_word_list *words, const f2l_names *names, f2l_error *err);
f2l_status f2l_word_list_use_labels(f2l_word_list *words, const f2l_names *names, f2l_error *err);

/* Sets *index to the number of a letter or label; a new name is added where names are collected.
 * F2L_EDOMAIN: not one of the names that were given. */
f2l_status f2l_word_list_number_letter(size_t *index, f2l_word_list *words, const char *name,
                                       size_t size, f2l_error *err);
f2l_status f2l_word_list_number_label(size_t *index, f2l_word_list *words, const char *name,
                                      size_t size, f2l_error *err);

/* Appends a letter, without a label, to the word that is being built. */
f2l_status f2l_word_list_letter(f2l_word_list *words, size_t letter, f2l_error *err);

/* Gives letter `at` (from 0) of the word that is being built a label. */
f2l_status f2l_word_list_label(f2l_word_list *words, size_t at, size_t label, f2l_error *err);

/* Returns the number of letters of the word that is being built, and a letter's number. */
size_t f2l_word_list_open(const f2l_word_list *words);
uint32_t f2l_word_list_open_letter(const f2l_word_list *words, size_t at);

/* Completes the word; one without letters is counted in `left_out`. */
f2l_status f2l_word_list_end(f2l_word_list *words, f2l_error *err);

/* Forgets the word that is being built, and counts it in `left_out`. */
void f2l_word_list_drop(f2l_word_list *words);

/* Completes the list. Names that were collected are put in order: by their value where all are
 * decimal numbers, otherwise byte by byte; so they do not depend on the order of the words.
 * F2L_EDOMAIN: no words, or a word without any label. */
f2l_status f2l_word_list_finish(f2l_word_list *words, f2l_error *err);

/* --- reading --- */

size_t f2l_word_list_length(const f2l_word_list *words, size_t word);
uint32_t f2l_word_list_letter_at(const f2l_word_list *words, size_t word, size_t at);
/* Returns false where there is no label. */
bool f2l_word_list_label_at(uint32_t *label, const f2l_word_list *words, size_t word, size_t at);

/* Returns whether the word belongs to the part that is held out. The hash of its letters decides:
 * equal words are in the same part, and neither the order of the file nor the seed matters. */
bool f2l_word_list_held_out(const f2l_word_list *words, size_t word, double fraction);

/* Computes the number of words of `test` that are words of `train`, too (of equal letters and
 * labels in numbers; the two have the same names), by hashes of 64 bits. */
f2l_status f2l_word_list_common(size_t *common, const f2l_word_list *test,
                                const f2l_word_list *train, f2l_error *err);

/* Returns the bytes that the words take. */
size_t f2l_word_list_bytes(const f2l_word_list *words);

#endif
