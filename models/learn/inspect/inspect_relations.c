#include "models/learn/inspect/inspect_relations.h"
#include "automata/fsa/perm.h"
#include "models/learn/inspect/impl.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void f2l_inspect_relations_init(f2l_inspect_relations *out)
{
    memset(out, 0, sizeof *out);
    f2l_group_init(&out->group);
}

void f2l_inspect_relations_clear(f2l_inspect_relations *out)
{
    for (size_t h = 0; out->action != NULL && h < out->heads; h++) {
        f2l_free(out->action[h].singular);
        f2l_free(out->action[h].basis);
        f2l_free(out->action[h].trace);
    }
    f2l_free(out->action);
    f2l_free(out->element);
    f2l_group_clear(&out->group);
    f2l_inspect_relations_init(out);
}

static const char *why_not(const f2l_seq_config *c, const f2l_data *data)
{
    if (data == NULL) return "no run lies beside the weights, so that the automaton is not known";
    if (data->fsa == NULL) return "the data are not an automaton's";
    if (data->fsa->perm == NULL && data->fsa->states.count > F2L_INSPECT_MAX_ORDER)
        return "the automaton has more than 1024 states";
    if (data->options.tokens > 1) return "a transition takes several letters";
    if (c->mixer->no_relations != NULL) return c->mixer->no_relations;
    if (c->layers != 1) return "the network has more than one layer";
    if (c->additive || !c->learned_start)
        return "the network has values: its states are not "
               "A(word) H_0";
    if (c->convolution > 1) return "keys depend on more than one letter, by the convolution";
    return NULL;
}

/* Sets `image` to the action of a letter on the points of a group form, or else on the states. */
static void take_image(uint32_t *image, const f2l_fsa *fsa, size_t letter, size_t points)
{
    for (size_t p = 0; p < points; p++)
        image[p] = fsa->perm != NULL ? fsa->perm[letter * points + p]
                                     : fsa->next[p * fsa->letters.count + letter];
}

/* Finds the group of the images of the used letters, and the letters as its elements. */
static f2l_status find_letter_group(f2l_inspect_relations *out, uint32_t *image,
                                    const f2l_inspect *x, size_t points, const f2l_task *task,
                                    f2l_error *err)
{
    f2l_error reason;
    f2l_status status = f2l_group_build(&out->group, image, x->used_letters, points,
                                        F2L_INSPECT_MAX_ORDER, task, &reason);
    if (status == F2L_UNKNOWN && f2l_task_poll(task, "relations", 0, 1, err) == F2L_OK) {
        out->why_none = "the group has more than 1024 elements, or does not fit the memory limit";
        return F2L_OK;
    }
    if (status != F2L_OK) return f2l_fail(err, status, "%s", reason.text);
    for (size_t a = 0, used = 0; a < x->letters; a++)
        out->element[a] = x->used[a]
                              ? (uint32_t)f2l_group_find(&out->group, image + used++ * points)
                              : UINT32_MAX;
    return F2L_OK;
}

static f2l_status list_group(f2l_inspect_relations *out, const f2l_inspect *x, const f2l_fsa *fsa,
                             const f2l_task *task, f2l_error *err)
{
    const size_t points = fsa->perm != NULL ? fsa->points : fsa->states.count;
    size_t count;
    f2l_status status = F2L_OK;
    if (!f2l_mul_size(&count, x->used_letters, points)) return f2l_fail_memory(err);
    uint32_t *image = f2l_calloc(count, sizeof *image);
    out->element = f2l_calloc(x->letters, sizeof *out->element);
    if (image == NULL || out->element == NULL) status = f2l_fail_memory(err);
    for (size_t a = 0, used = 0; status == F2L_OK && a < x->letters; a++) {
        if (!x->used[a]) continue;
        take_image(image + used * points, fsa, a, points);
        if (!f2l_perm_is_permutation(image + used++ * points, points))
            out->why_none = "a letter does not permute the states of the automaton";
    }
    if (status == F2L_OK && out->why_none == NULL)
        status = find_letter_group(out, image, x, points, task, err);
    f2l_free(image);
    return status;
}

/* Builds a tree of shortest words: order[i] is the i-th element that is found, from parent
 * order[..] by a letter. */
static f2l_status find_element_words(f2l_inspect_words *w, const f2l_inspect_relations *r,
                                     const f2l_inspect *x, f2l_error *err)
{
    const size_t order = r->group.order;
    size_t found = 1;
    w->element = f2l_calloc(order, sizeof *w->element);
    w->parent = f2l_calloc(order, sizeof *w->parent);
    w->letter = f2l_calloc(order, sizeof *w->letter);
    w->place = f2l_calloc(order, sizeof *w->place);
    w->named = f2l_calloc(order, sizeof *w->named);
    if (!w->element || !w->parent || !w->letter || !w->place || !w->named)
        return f2l_fail_memory(err);
    for (size_t g = 0; g < order; g++) w->place[g] = w->named[g] = UINT32_MAX;
    w->place[0] = 0;
    for (size_t i = 0; i < found; i++)
        for (size_t a = 0; a < x->letters; a++) {
            if (!x->used[a]) continue;
            const uint32_t g = f2l_group_multiply(&r->group, w->element[i], r->element[a]);
            if (w->place[g] != UINT32_MAX) continue;
            w->place[g] = (uint32_t)found;
            w->element[found] = g;
            w->parent[found] = (uint32_t)i;
            w->letter[found++] = (uint32_t)a;
        }
    for (size_t a = x->letters; a-- > 0;)
        if (x->used[a]) w->named[r->element[a]] = (uint32_t)a;
    return F2L_OK;
}

static void clear_words(f2l_inspect_words *w)
{
    f2l_free(w->element);
    f2l_free(w->parent);
    f2l_free(w->letter);
    f2l_free(w->place);
    f2l_free(w->named);
    f2l_free(w->pair);
}

/* Lists the pairs to examine. */
static f2l_status list_pairs(f2l_inspect_words *w, f2l_inspect_relations *r, const f2l_inspect *x,
                             f2l_error *err)
{
    f2l_rng rng;
    size_t seen = 0;
    f2l_rng_init(&rng, 1, 1);
    w->pair = f2l_calloc(F2L_INSPECT_MAX_PAIRS, sizeof *w->pair);
    if (w->pair == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < x->letters; a++)
        for (size_t b = 0; b < x->letters; b++) {
            if (!x->used[a] || !x->used[b]) continue;
            const uint32_t product =
                w->named[f2l_group_multiply(&r->group, r->element[a], r->element[b])];
            if (product == UINT32_MAX) continue;
            /* A sample of a stream: each pair is kept with the same probability. */
            const size_t at = seen < F2L_INSPECT_MAX_PAIRS ? seen : f2l_rng_below(&rng, seen + 1);
            seen++;
            if (at < F2L_INSPECT_MAX_PAIRS)
                w->pair[at] = (f2l_inspect_pair){(uint32_t)a, (uint32_t)b, product};
        }
    r->pairs_there = seen;
    r->pairs = seen < F2L_INSPECT_MAX_PAIRS ? seen : F2L_INSPECT_MAX_PAIRS;
    return F2L_OK;
}

static f2l_status relate_heads(f2l_inspect_relations *out, const f2l_inspect_words *w,
                               const f2l_inspect *x, const double *start, const f2l_task *task,
                               f2l_error *err)
{
    f2l_status status = F2L_OK;
    out->heads = x->heads;
    out->action = f2l_calloc(x->heads, sizeof *out->action);
    if (out->action == NULL) return f2l_fail_memory(err);
    for (size_t h = 0; status == F2L_OK && h < x->heads; h++)
        status = f2l_inspect_relate(&out->action[h], out, w, x, h,
                                    start + h * x->key_dim * x->value_dim, task, err);
    return status;
}

f2l_status f2l_inspect_relations_build(f2l_inspect_relations *out, const f2l_inspect *inspect,
                                       const f2l_seq *model, const double *parameters,
                                       const f2l_data *data, double threshold, const f2l_task *task,
                                       f2l_error *err)
{
    f2l_inspect_words words = {0};
    out->threshold = threshold;
    out->why_none = why_not(&model->config, data);
    if (out->why_none != NULL) return F2L_OK;
    f2l_status status = list_group(out, inspect, data->fsa, task, err);
    if (status == F2L_OK && out->why_none != NULL) return F2L_OK;
    if (status == F2L_OK) status = find_element_words(&words, out, inspect, err);
    if (status == F2L_OK) status = list_pairs(&words, out, inspect, err);
    if (status == F2L_OK)
        status = relate_heads(out, &words, inspect,
                              parameters + model->tensor[f2l_seq_first_state(model, 0)].offset,
                              task, err);
    clear_words(&words);
    if (status != F2L_OK) f2l_inspect_relations_clear(out);
    return status;
}
