/* Letters of inner layers that act alike become one (theory/pages/t4.md, T4.14). */
#ifndef F2L_MERGE_LETTERS_H
#define F2L_MERGE_LETTERS_H

#include "models/network/net/net.h"
#include "numeric/base/task.h"

/* What the letters of the layers have become. */
typedef struct f2l_merged_letters {
    size_t layers;
    uint32_t **of; /* [layers]; of[l][letter before] is the letter now; NULL: letters are as before.
                    * Owned */
} f2l_merged_letters;

void f2l_merged_letters_clear(f2l_merged_letters *merged);

/* Merges the letters of every layer but the first that have equal transitions in all heads, read
 * the same part and give the same symbols, from the last layer to the first; the decoder of the
 * layer below then gives the letter of the class, so that letters that differ only in which of two
 * letters above they lead to become one, too. Classes are numbered by their first letters. The
 * network gives the same labels, step by step from the same codes. *out is zero before. Layers
 * without part decoders stay as they are. After a failure the network may have been changed in part
 * and is right still, but *out is empty. */
f2l_status f2l_net_merge_letters(f2l_net *net, f2l_merged_letters *out, const f2l_task *task,
                                 f2l_error *err);

#endif
