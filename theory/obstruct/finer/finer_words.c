/* The words of witnesses, and where they lead. */
#include "numeric/base/mem.h"
#include "theory/obstruct/finer/impl.h"
#include <string.h>

f2l_status f2l_finer_append(f2l_word *to, const f2l_word *word, f2l_error *err)
{
    if (word->length == 0) return F2L_OK;
    uint32_t *all = f2l_realloc(to->letter, to->length + word->length, sizeof *all);
    if (!all) return f2l_fail_memory(err);
    to->letter = all;
    memcpy(all + to->length, word->letter, word->length * sizeof *all);
    to->length += word->length;
    return F2L_OK;
}

f2l_status f2l_finer_copy_word(f2l_word *out, const f2l_word *word, size_t times, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < times && status == F2L_OK; i++)
        status = f2l_finer_append(out, word, err);
    return status;
}

/* Gives the letters of the word the numbers that they have in the whole automaton. */
static void take_whole_letters(f2l_word *word, const finer_search *s)
{
    for (size_t i = 0; i < word->length; i++) word->letter[i] = s->letter[word->letter[i]];
}

f2l_status f2l_finer_ways(f2l_word *out, const finer_search *s, const uint32_t *from,
                          const uint32_t *to, size_t size, f2l_error *err)
{
    f2l_tuples search = {.fsa = &s->part, .size = size, .ends = f2l_tuples_at_target};
    bool found;
    memcpy(search.target, to, size * sizeof *to);
    const f2l_status status = f2l_tuples_find(out, &found, &search, from, s->meter.task, err);
    if (status != F2L_OK) return status;
    if (!found) return f2l_fail(err, F2L_EDOMAIN, "a word of a pattern was not found");
    take_whole_letters(out, s);
    return F2L_OK;
}

f2l_status f2l_finer_way(f2l_word *out, const finer_search *s, size_t p, size_t q, f2l_error *err)
{
    const uint32_t from = (uint32_t)p, to = (uint32_t)q;
    return p == q ? F2L_OK : f2l_finer_ways(out, s, &from, &to, 1, err);
}

f2l_status f2l_finer_loop(f2l_word *out, const finer_search *s, const uint32_t *state, size_t count,
                          f2l_error *err)
{
    return f2l_finer_ways(out, s, state, state, count, err);
}

/* --- where the words lead --- */

/* Follows the text; sets *fixed to false when some w^n leads to a state that w^n does not fix. */
static size_t follow_text(const f2l_fsa *fsa, const f2l_finer_witness *witness, const char *text,
                          size_t n, bool *fixed)
{
    static const char names[] = "uwxyvzt";
    const char *open = text;
    size_t state = fsa->start, left = 0; /* times that what is in brackets is still to be followed
                                          */
    for (; *text; text++) {
        if (*text == '(') {
            open = text;
            left = n;
        } else if (*text == ')') {
            text = --left > 0 ? open : text + 2;
        }
        const char *name = strchr(names, *text);
        if (!name) continue;
        const bool power = text[1] == '^';
        const f2l_word *word = &witness->word[name - names];
        for (size_t i = 0; i < (power ? n : 1); i++) state = f2l_word_lead(fsa, state, word);
        size_t again = state;
        for (size_t i = 0; power && i < n; i++) again = f2l_word_lead(fsa, again, word);
        *fixed = *fixed && again == state;
        text += power ? 2 : 0;
    }
    return state;
}

size_t f2l_finer_lead(const f2l_fsa *fsa, const f2l_finer_witness *witness, const char *text,
                      size_t n)
{
    bool fixed = true;
    return follow_text(fsa, witness, text, n, &fixed);
}

static void leave_out(f2l_finer_witness *witness)
{
    for (size_t i = 0; i < F2L_FINER_WORDS; i++) f2l_word_clear(&witness->word[i]);
    *witness = (f2l_finer_witness){0};
}

f2l_status f2l_finer_settle(f2l_finer_witness *witness, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_word *w = &witness->word[F2L_FINER_W], power = {0};
    const size_t most = w->length > 0 ? F2L_FINER_MOST_LETTERS / w->length : 0;
    bool fixed = false, too_long = false;
    size_t m = 0;
    for (size_t i = 0; i < F2L_FINER_WORDS; i++)
        too_long = too_long || witness->word[i].length > F2L_FINER_MOST_LETTERS;
    while (!too_long && !fixed && m < most) {
        m++;
        fixed = true;
        witness->p = follow_text(fsa, witness, witness->first, m, &fixed);
        witness->q = follow_text(fsa, witness, witness->second, m, &fixed);
    }
    if (!fixed) {
        leave_out(witness);
        return F2L_OK;
    }
    if (witness->p == witness->q)
        return f2l_fail(err, F2L_EDOMAIN, "the words of a pattern lead to one state");
    const f2l_status status = f2l_finer_copy_word(&power, w, m, err);
    f2l_word_clear(w);
    *w = power;
    return status;
}
