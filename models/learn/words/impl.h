/* What the readers of models/learn/words share; private to this folder. */
#ifndef F2L_MODELS_WORDS_IMPL_H
#define F2L_MODELS_WORDS_IMPL_H

#include "models/learn/words/word_file.h"
#include "models/learn/words/word_lines.h"

enum { F2L_WORD_FILE_FILES = 3, F2L_WORD_FILE_CACHE = 1024 };

/* Numbers of short names that were looked up: names in files are mostly short and few. */
typedef struct f2l_word_file_cache {
    uint64_t key[F2L_WORD_FILE_CACHE]; /* up to 7 bytes, and their number; 0: none */
    uint32_t index[F2L_WORD_FILE_CACHE];
} f2l_word_file_cache;

typedef struct f2l_word_reader {
    f2l_word_list *words;
    const f2l_word_file_options *o;
    f2l_word_lines *file[F2L_WORD_FILE_FILES];
    size_t at_file;   /* the file in which a fault is */
    size_t at, state; /* state of the automaton after `at` letters of the open word */
    f2l_word_file_cache letter, label;
} f2l_word_reader;

/* One place of a file. */
typedef struct f2l_word_file_span {
    const char *text;
    size_t size, line, column;
} f2l_word_file_span;

/* Appends a letter to the open word, or gives its letter `at` a label; labels of a word come in
 * ascending order. F2L_EFORMAT at the span, which becomes a fault of file `at_file`. */
f2l_status f2l_word_reader_letter(f2l_word_reader *r, f2l_word_file_span name, f2l_error *err);
f2l_status f2l_word_reader_label(f2l_word_reader *r, size_t at, f2l_word_file_span name,
                                 f2l_error *err);

/* Appends the letters of a text, separated by blanks. */
f2l_status f2l_word_reader_letters(f2l_word_reader *r, f2l_word_file_span text, f2l_error *err);
/* Takes labels separated by blanks: one for each letter of the open word, or one after the last. */
f2l_status f2l_word_reader_labels(f2l_word_reader *r, f2l_word_file_span text, f2l_error *err);

/* Completes the word, or forgets it. */
f2l_status f2l_word_reader_end(f2l_word_reader *r, f2l_error *err);
void f2l_word_reader_drop(f2l_word_reader *r);

/* Sets *part to the next part of *rest without blanks; false: there is none. */
bool f2l_word_file_part(f2l_word_file_span *part, f2l_word_file_span *rest);

/* The formats: each reads the files of r->file to their ends. */
f2l_status f2l_word_read_csv(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_flare(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_flare_prefix(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_flare_next(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_jsonl(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_npz(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_npz_labels(f2l_word_reader *r, f2l_error *err);
f2l_status f2l_word_read_npz_answers(f2l_word_reader *r, f2l_error *err);

#endif
