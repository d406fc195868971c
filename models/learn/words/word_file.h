/* Labelled words from files of other programs. docs/data.md describes the formats for users.
 *
 * Sources: Merrill, Petty, Sabharwal, The Illusion of State in State-Space Models, 2024, and its
 * program word-problem (CSV); Butoi et al., Training Neural Networks as Recognizers of Formal
 * Languages, 2025, and its data set FLaRe; Deletang et al., Neural Networks and the Chomsky
 * Hierarchy, 2023, whose generators give the arrays of the format npz. */
#ifndef F2L_WORD_FILE_H
#define F2L_WORD_FILE_H

#include "automata/fsa/fsa.h"
#include "models/learn/data/word_list.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"

/* Returns the name of a format; NULL past the last. */
const char *f2l_word_file_format(size_t index);

typedef struct f2l_word_file_options {
    const f2l_names *letters, *labels; /* the only names that may occur; NULL: any */
    /* NULL: labels are taken as they are. Otherwise every label must be the automaton's, which has
     * `letters`: deterministic and total, with labels of this kind */
    const f2l_fsa *fsa;
    f2l_label label;
    const f2l_task *task; /* polled while files are read; its memory bounds the list */
} f2l_word_file_options;

/* Reads words into *out, which is initialised empty and stays so after a failure. `source` is
 * FORMAT:PATH, or PATH where the name tells the format; a folder stands for all of its files with
 * the format's ending, in the order of their names. mlregtest:AUTOMATON draws words
 * (models/learn/words/word_language.h). *file (initialised) becomes the file in which
 * the fault is.
 *
 * F2L_EIO: a file cannot be read; F2L_EFORMAT: with line and column, also for a name that is not
 * known, for a number of labels that does not fit the number of letters, and for a label that the
 * automaton does not give; F2L_EDOMAIN: no words, or an unknown format; F2L_UNKNOWN: the task
 * stopped it. */
f2l_status f2l_word_file_read(f2l_word_list *out, f2l_buf *file, const char *source,
                              const f2l_word_file_options *options, f2l_error *err);

/* Appends the source of the test words that belong to a source, if there are such by the format's
 * rules (in FLaRe the folder datasets/test, of a language the set dev); otherwise nothing. */
f2l_status f2l_word_file_test_of(f2l_buf *out, const char *source, f2l_error *err);

/* Reads a text instead of files: format number `index`, its files one after the other, each but the
 * last ended by a line "---". */
f2l_status f2l_word_file_parse(f2l_word_list *out, size_t index, const char *text, size_t size,
                               const f2l_word_file_options *options, f2l_error *err);

#endif
