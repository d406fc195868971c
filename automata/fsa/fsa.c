#include "automata/fsa/fsa.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <stdio.h>
#include <string.h>

void f2l_fsa_init(f2l_fsa *fsa)
{
    *fsa = (f2l_fsa){0};
    f2l_names_init(&fsa->letters);
    f2l_names_init(&fsa->states);
    f2l_names_init(&fsa->outputs);
    f2l_names_init(&fsa->edge_outputs);
}

void f2l_fsa_clear(f2l_fsa *fsa)
{
    f2l_names_clear(&fsa->letters);
    f2l_names_clear(&fsa->states);
    f2l_names_clear(&fsa->outputs);
    f2l_names_clear(&fsa->edge_outputs);
    f2l_free(fsa->edge_output);
    f2l_free(fsa->next);
    f2l_free(fsa->accept);
    f2l_free(fsa->output);
    f2l_free(fsa->perm);
    f2l_fsa_init(fsa);
}

const char *f2l_label_name(f2l_label label)
{
    switch (label) {
    case F2L_LABEL_OUTPUTS:
        return "outputs";
    case F2L_LABEL_ACCEPT:
        return "accept";
    case F2L_LABEL_EDGES:
        return "edges";
    case F2L_LABEL_STATES:
        break;
    }
    return "states";
}

const char *f2l_fsa_label(const f2l_fsa *fsa, f2l_label label, size_t state)
{
    switch (label) {
    case F2L_LABEL_OUTPUTS:
        return f2l_names_get(&fsa->outputs, fsa->output[state]);
    case F2L_LABEL_ACCEPT:
        return fsa->accept[state] ? "accept" : "reject";
    case F2L_LABEL_EDGES:
    case F2L_LABEL_STATES:
        break;
    }
    return f2l_names_get(&fsa->states, state);
}

const char *f2l_fsa_edge_label(const f2l_fsa *fsa, f2l_label label, size_t state, size_t letter)
{
    const size_t edge = state * fsa->letters.count + letter;
    if (label == F2L_LABEL_EDGES) return f2l_names_get(&fsa->edge_outputs, fsa->edge_output[edge]);
    return f2l_fsa_label(fsa, label, fsa->next[edge]);
}

f2l_status f2l_fsa_edge_labels(f2l_names *labels, uint32_t *label_of, const f2l_fsa *fsa,
                               f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t e = 0; e < fsa->states.count * fsa->letters.count && status == F2L_OK; e++) {
        const char *text = f2l_names_get(&fsa->edge_outputs, fsa->edge_output[e]);
        size_t index = 0;
        status = f2l_names_add(labels, text, strlen(text), &index, err);
        label_of[e] = (uint32_t)index;
    }
    return status;
}

f2l_label f2l_fsa_usual_label(const f2l_fsa *fsa)
{
    return fsa->has_accept           ? F2L_LABEL_ACCEPT
           : fsa->outputs.count      ? F2L_LABEL_OUTPUTS
           : fsa->edge_outputs.count ? F2L_LABEL_EDGES
                                     : F2L_LABEL_ACCEPT;
}

f2l_status f2l_fsa_check_label(const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    if (label == F2L_LABEL_EDGES)
        return f2l_fail(err, F2L_EDOMAIN,
                        "this reads labels of states, not outputs of transitions (edges)");
    return f2l_fsa_has_label(fsa, label, err);
}

f2l_status f2l_fsa_has_label(const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    if (label == F2L_LABEL_EDGES && fsa->edge_outputs.count == 0)
        return f2l_fail(
            err, F2L_EDOMAIN,
            "transitions have no outputs: give every one a fourth name, `STATE LETTER STATE "
            "OUTPUT`");
    if (label == F2L_LABEL_OUTPUTS && fsa->outputs.count == 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the automaton has no outputs: give every state a line `output STATE "
                        "LABEL`");
    if (label == F2L_LABEL_ACCEPT && !fsa->has_accept)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the automaton does not say which states accept: give a line `accept STATE "
                        "...`");
    return F2L_OK;
}

const char *f2l_shown(char out[F2L_SHOWN], const char *text, size_t size)
{
    const size_t room = F2L_SHOWN - 4;
    size_t n = size <= F2L_SHOWN - 1 ? size : room;
    if (n < size)
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? '?' : text[i];
    snprintf(out + n, F2L_SHOWN - n, "%s", n < size ? "..." : "");
    return out;
}

/* Sets *out to a copy of count * size bytes of `from`; NULL stays NULL. */
static bool copy_array(void *out, const void *from, size_t count, size_t size)
{
    void *to = NULL;
    if (from) {
        to = f2l_calloc(count, size);
        if (!to) return false;
        memcpy(to, from, count * size);
    }
    memcpy(out, &to, sizeof to);
    return true;
}

f2l_status f2l_fsa_copy(f2l_fsa *out, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->states, &fsa->states, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->outputs, &fsa->outputs, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->edge_outputs, &fsa->edge_outputs, err);
    if (status == F2L_OK &&
        (!copy_array(&out->next, fsa->next, n * k, sizeof *fsa->next) ||
         !copy_array(&out->accept, fsa->accept, n, sizeof *fsa->accept) ||
         !copy_array(&out->output, fsa->output, n, sizeof *fsa->output) ||
         !copy_array(&out->edge_output, fsa->edge_output, n * k, sizeof *fsa->edge_output) ||
         !copy_array(&out->perm, fsa->perm, k * fsa->points, sizeof *fsa->perm)))
        status = f2l_fail_memory(err);
    if (status != F2L_OK) {
        f2l_fsa_clear(out);
        return status;
    }
    out->start = fsa->start;
    out->has_accept = fsa->has_accept;
    out->has_added = fsa->has_added;
    out->added = fsa->added;
    memcpy(out->source, fsa->source, sizeof out->source);
    out->track = fsa->track;
    out->points = fsa->points;
    return F2L_OK;
}

f2l_status f2l_fsa_table(uint32_t **next, size_t states, size_t letters, const f2l_task *task,
                         f2l_error *err)
{
    const size_t most =
        SIZE_MAX / sizeof **next < ((size_t)1 << 31) ? SIZE_MAX / sizeof **next : (size_t)1 << 31;
    size_t entries;
    if (!f2l_mul_size(&entries, states, letters) || entries > most)
        return f2l_fail(err, F2L_UNKNOWN, "the table of %zu states by %zu letters is too large",
                        states, letters);
    const f2l_status status =
        f2l_task_memory(task, "transition table", entries * sizeof **next, err);
    if (status != F2L_OK) return status;
    *next = f2l_calloc(entries, sizeof **next);
    if (!*next) return f2l_fail_memory(err);
    memset(*next, 0xFF, entries * sizeof **next);
    return F2L_OK;
}

static bool are_in_order(const f2l_names *names, const uint32_t *index, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (index[i] > used) return false;
        used += index[i] == used;
    }
    return used == names->count;
}

/* Numbers the names by their first use in index[count]. */
static f2l_status number_names(f2l_names *names, uint32_t *index, size_t count, f2l_error *err)
{
    if (!index || are_in_order(names, index, count)) return F2L_OK;
    f2l_names used;
    f2l_names_init(&used);
    uint32_t *number = f2l_calloc(names->count, sizeof *number); /* new index + 1 */
    if (!number) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        const uint32_t old = index[i];
        if (number[old]) continue;
        const char *name = f2l_names_get(names, old);
        size_t at = 0;
        status = f2l_names_add(&used, name, strlen(name), &at, err);
        number[old] = (uint32_t)at + 1;
    }
    if (status == F2L_OK) {
        for (size_t i = 0; i < count; i++) index[i] = number[index[i]] - 1;
        f2l_names_clear(names);
        *names = used;
    } else {
        f2l_names_clear(&used);
    }
    f2l_free(number);
    return status;
}

void f2l_fsa_take_letters(f2l_fsa *fsa, const f2l_names *letters)
{
    f2l_names_clear(&fsa->letters);
    fsa->letters = *letters;
    f2l_free(fsa->perm);
    fsa->perm = NULL;
    fsa->points = 0;
    fsa->track = F2L_TRACK_STATES;
}

f2l_status f2l_fsa_number_outputs(f2l_fsa *fsa, f2l_error *err)
{
    const size_t states = fsa->states.count;
    f2l_status status = number_names(&fsa->outputs, fsa->output, states, err);
    if (status != F2L_OK) return status;
    return number_names(&fsa->edge_outputs, fsa->edge_output, states * fsa->letters.count, err);
}

f2l_status f2l_fsa_number_reachable(uint32_t **number, size_t *count, const f2l_fsa *fsa,
                                    f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    uint32_t *at = f2l_calloc(n, sizeof *at), *stack = f2l_calloc(n, sizeof *stack);
    *number = NULL;
    if (!at || !stack) {
        f2l_free(at);
        f2l_free(stack);
        return f2l_fail_memory(err);
    }
    memset(at, 0xFF, n * sizeof *at);
    size_t height = 0;
    at[fsa->start] = 0;
    stack[height++] = (uint32_t)fsa->start;
    while (height > 0) {
        const uint32_t *row = fsa->next + stack[--height] * k;
        for (size_t a = 0; a < k; a++) {
            if (at[row[a]] != UINT32_MAX) continue;
            at[row[a]] = 0;
            stack[height++] = row[a];
        }
    }
    f2l_free(stack);
    *count = 0;
    for (size_t s = 0; s < n; s++)
        if (at[s] != UINT32_MAX) at[s] = (uint32_t)(*count)++;
    *number = at;
    return F2L_OK;
}

/* Moves the rows of the kept states in place: a kept state never moves up. */
static void keep_numbered(f2l_fsa *fsa, const uint32_t *number, size_t n)
{
    const size_t k = fsa->letters.count;
    for (size_t s = 0; s < n; s++) {
        const size_t i = number[s];
        if (i == UINT32_MAX) continue;
        for (size_t a = 0; a < k; a++) fsa->next[i * k + a] = number[fsa->next[s * k + a]];
        fsa->accept[i] = fsa->accept[s];
        if (fsa->output) fsa->output[i] = fsa->output[s];
        if (fsa->edge_output)
            memmove(fsa->edge_output + i * k, fsa->edge_output + s * k,
                    k * sizeof *fsa->edge_output);
    }
    fsa->start = number[fsa->start];
    fsa->has_added = fsa->has_added && number[fsa->added] != UINT32_MAX;
    if (fsa->has_added) fsa->added = number[fsa->added];
}

static f2l_status names_of_numbered(f2l_names *out, const f2l_names *names, const uint32_t *number,
                                    f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t s = 0; s < names->count && status == F2L_OK; s++) {
        if (number[s] == UINT32_MAX) continue;
        const char *name = f2l_names_get(names, s);
        size_t index;
        status = f2l_names_add(out, name, strlen(name), &index, err);
    }
    return status;
}

/* Keeps the states that have numbers. */
static f2l_status keep_numbered_states(f2l_fsa *fsa, const uint32_t *number, f2l_error *err)
{
    f2l_names names;
    f2l_names_init(&names);
    const f2l_status status = names_of_numbered(&names, &fsa->states, number, err);
    if (status != F2L_OK) {
        f2l_names_clear(&names);
        return status;
    }
    keep_numbered(fsa, number, fsa->states.count);
    f2l_names_clear(&fsa->states);
    fsa->states = names;
    return f2l_fsa_number_outputs(fsa, err);
}

f2l_status f2l_fsa_trim(f2l_fsa *fsa, size_t *dropped, f2l_error *err)
{
    const size_t n = fsa->states.count;
    uint32_t *number;
    size_t kept;
    *dropped = 0;
    if (fsa->track != F2L_TRACK_STATES || n == 0) return F2L_OK;
    f2l_status status = f2l_fsa_number_reachable(&number, &kept, fsa, err);
    if (status == F2L_OK && kept < n) status = keep_numbered_states(fsa, number, err);
    if (status == F2L_OK) *dropped = n - kept;
    f2l_free(number);
    return status;
}

f2l_status f2l_fsa_sha256(const f2l_fsa *fsa, char hex[65], f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_status status = f2l_fsa_write(&text, fsa, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, hex);
    f2l_buf_clear(&text);
    return status;
}
