/* The model in a product with the automaton, breadth first (EB.24). */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <string.h>

/* Steps of one joint step and layer. */
#define STEP 8

/* --- tokens --- */

static f2l_status token_stream(uint32_t *id, f2l_written_search *s, uint32_t token, f2l_error *err)
{
    const f2l_written_matrix *e = &s->model->embedding;
    double *room = f2l_calloc(e->columns, sizeof *room);
    if (!room) return f2l_fail_memory(err);
    for (size_t i = e->first[token]; i < e->first[token + 1]; i++) room[e->column[i]] = e->value[i];
    const f2l_status status = f2l_written_add_stream(id, s, 0, room, 0, err);
    f2l_free(room);
    return status;
}

/* Steps all layers from code[layers]; *stream becomes what comes after the last, F2L_WRITTEN_NONE
 * where something is not certain. */
static f2l_status step_all_layers(uint32_t *stream, f2l_written_search *s, uint32_t *code,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && *stream != F2L_WRITTEN_NONE && l < s->model->layers; l++)
        status = f2l_written_step_layer(stream, &code[l], s, l, err);
    return status;
}

/* Notes the letters that the layers read and the codes before and after, on a step that is known.
 */
static f2l_status note_words(f2l_written_search *s, uint32_t stream, const uint32_t *code,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && l < s->model->layers; l++) {
        f2l_written_stage *g = &s->stage[l];
        const uint32_t letter = g->letter_of[stream] - 1;
        uint32_t next = code[l];
        status = f2l_written_room_for((void **)&g->letter_in_words, &g->letter_words_room, letter,
                                      sizeof *g->letter_in_words, err);
        if (status == F2L_OK) g->letter_in_words[letter] = true;
        if (status == F2L_OK) status = f2l_written_step_layer(&stream, &next, s, l, err);
        if (status == F2L_OK)
            status = f2l_written_room_for((void **)&g->code_in_words, &g->codes_room, next,
                                          sizeof *g->code_in_words, err);
        if (status == F2L_OK) g->code_in_words[next] = true;
    }
    return status;
}

/* --- the prefix --- */

static f2l_status note_prefix(f2l_written_search *s, uint32_t stream, const uint32_t *code,
                              size_t token, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && l < s->model->layers; l++) {
        uint32_t next = code[l];
        s->prefix_letter[l * s->about->tokens + token] = s->stage[l].letter_of[stream] - 1;
        status = f2l_written_step_layer(&stream, &next, s, l, err);
    }
    return status;
}

/* Sets the codes of all layers to zero. */
static f2l_status begin_prefix(f2l_written_search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && l < s->model->layers; l++) {
        f2l_written_stage *g = &s->stage[l];
        double *zero = f2l_calloc(g->code.length, sizeof *zero);
        status = zero ? f2l_written_rows_add(&s->start[l], &g->code, zero, s->meter.task, err)
                      : f2l_fail_memory(err);
        f2l_free(zero);
    }
    return status;
}

/* Finds the codes after the prefix, and *last, the stream after it: F2L_WRITTEN_NONE where
 * something is not certain. */
static f2l_status run_prefix_tokens(uint32_t *last, f2l_written_search *s, f2l_error *err)
{
    const size_t layers = s->model->layers;
    uint32_t stream = 0, *code = f2l_calloc(layers, sizeof *code);
    f2l_status status = code ? begin_prefix(s, err) : f2l_fail_memory(err);
    *last = 0;
    for (size_t i = 0; status == F2L_OK && *last != F2L_WRITTEN_NONE && i < s->about->tokens; i++) {
        memcpy(code, s->start, layers * sizeof *code);
        status = token_stream(&stream, s, s->about->prefix[i], err);
        *last = stream;
        if (status == F2L_OK) status = step_all_layers(last, s, s->start, err);
        if (status == F2L_OK && *last != F2L_WRITTEN_NONE)
            status = note_prefix(s, stream, code, i, err);
    }
    f2l_free(code);
    return status;
}

/* --- words --- */

/* Compares an answer with the automaton's text. */
static f2l_status compare_answer(f2l_written_search *s, uint32_t label, const char *text,
                                 uint32_t node, uint32_t letter, f2l_error *err)
{
    const size_t wanted = f2l_names_find(&s->about->labels, text, strlen(text));
    if (wanted == F2L_NO_INDEX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "export.json has no label %.80s, which the automaton gives", text);
    if (label == wanted || s->wrong) return F2L_OK;
    s->wrong = true;
    s->wrong_node = node;
    s->wrong_letter = letter;
    s->wrong_answer = label;
    s->expected = text;
    return F2L_OK;
}

/* Adds a node of the product, reached from `parent` by the letter. */
static f2l_status add_node(f2l_written_search *s, const uint32_t *code, uint32_t state,
                           uint32_t parent, uint32_t letter, double *room, f2l_error *err)
{
    uint32_t id;
    const uint32_t before = s->node.index.count;
    for (size_t l = 0; l < s->model->layers; l++) room[l] = code[l];
    room[s->model->layers] = state;
    f2l_status status = f2l_written_rows_add(&id, &s->node, room, s->meter.task, err);
    if (status != F2L_OK || id < before) return status;
    status = f2l_written_room_for((void **)&s->parent, &s->parent_room, id, sizeof *s->parent, err);
    if (status == F2L_OK)
        status = f2l_written_room_for((void **)&s->by, &s->by_room, id, sizeof *s->by, err);
    if (status != F2L_OK) return status;
    s->parent[id] = parent;
    s->by[id] = letter;
    return F2L_OK;
}

static f2l_status read_letter_after(f2l_written_search *s, uint32_t node, uint32_t letter,
                                    uint32_t *code, double *room, f2l_error *err)
{
    const size_t layers = s->model->layers;
    uint32_t label = F2L_WRITTEN_NONE, *before = code + layers;
    const double *row = f2l_written_row(&s->node, node);
    const uint32_t state = (uint32_t)row[layers], token = s->token[letter];
    uint32_t stream = token;
    for (size_t l = 0; l < layers; l++) before[l] = code[l] = (uint32_t)row[l];
    f2l_status status =
        f2l_meter_spend(&s->meter, STEP * (layers + 2), node, s->node.index.count, err);
    if (status == F2L_OK) status = step_all_layers(&stream, s, code, err);
    if (status == F2L_OK && stream != F2L_WRITTEN_NONE)
        status = f2l_written_find_label(&label, s, stream, err);
    if (status != F2L_OK || label == F2L_WRITTEN_NONE) return status;
    status = note_words(s, token, before, err);
    if (status == F2L_OK)
        status =
            compare_answer(s, label, f2l_fsa_edge_label(s->fsa, s->about->label, state, letter),
                           node, letter, err);
    if (status != F2L_OK || s->wrong) return status;
    return add_node(s, code, s->fsa->next[state * s->fsa->letters.count + letter], node, letter,
                    room, err);
}

/* Finds the streams of the automaton's letters. */
static f2l_status find_letter_streams(f2l_written_search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const f2l_names *letters = &s->fsa->letters;
    if (letters->count != s->about->letters.count)
        return f2l_fail(err, F2L_EDOMAIN, "export.json has %zu letters, and the automaton %zu",
                        s->about->letters.count, letters->count);
    for (size_t a = 0; status == F2L_OK && a < letters->count; a++) {
        const char *name = f2l_names_get(letters, a);
        const size_t token = f2l_names_find(&s->about->letters, name, strlen(name));
        if (token == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "export.json has no letter %.80s", name);
        status = token_stream(&s->token[a], s, (uint32_t)token, err);
    }
    return status;
}

static f2l_status read_all_words(f2l_written_search *s, f2l_error *err)
{
    const size_t layers = s->model->layers;
    uint32_t *code = f2l_calloc(2 * layers, sizeof *code);
    double *room = f2l_calloc(layers + 1, sizeof *room);
    f2l_status status = code && room ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK)
        status = add_node(s, s->start, (uint32_t)s->fsa->start, F2L_WRITTEN_NONE, 0, room, err);
    for (uint32_t n = 0; status == F2L_OK && !s->wrong && n < s->node.index.count; n++)
        for (uint32_t a = 0; status == F2L_OK && !s->wrong && a < s->fsa->letters.count; a++)
            status = read_letter_after(s, n, a, code, room, err);
    f2l_free(code);
    f2l_free(room);
    return status;
}

/* Compares the label of the empty word, which follows the stream. *certain: false where it is not.
 */
static f2l_status check_empty(bool *certain, f2l_written_search *s, uint32_t stream, f2l_error *err)
{
    uint32_t label = F2L_WRITTEN_NONE;
    if (s->about->label == F2L_LABEL_EDGES) return F2L_OK;
    const f2l_status status = f2l_written_find_label(&label, s, stream, err);
    *certain = label != F2L_WRITTEN_NONE;
    if (status != F2L_OK || !*certain) return status;
    return compare_answer(s, label, f2l_fsa_label(s->fsa, s->about->label, s->fsa->start),
                          F2L_WRITTEN_NONE, F2L_WRITTEN_NONE, err);
}

f2l_status f2l_written_search_all(f2l_written_search *s, f2l_error *err)
{
    uint32_t stream = F2L_WRITTEN_NONE;
    bool certain = true;
    f2l_status status = f2l_fsa_has_label(s->fsa, s->about->label, err);
    if (status == F2L_OK) status = find_letter_streams(s, err);
    if (status == F2L_OK) status = run_prefix_tokens(&stream, s, err);
    if (status != F2L_OK || stream == F2L_WRITTEN_NONE) return status;
    status = check_empty(&certain, s, stream, err);
    return status == F2L_OK && certain && !s->wrong ? read_all_words(s, err) : status;
}

f2l_status f2l_written_search_init(f2l_written_search *s, const f2l_written_model *model,
                                   const f2l_written_about *about, const f2l_fsa *fsa,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *s = (f2l_written_search){.model = model, .about = about, .fsa = fsa};
    s->meter = (f2l_meter){.task = task, .phase = "states"};
    s->node.length = model->layers + 1;
    s->stage = f2l_calloc(model->layers, sizeof *s->stage);
    s->token = f2l_calloc(fsa->letters.count, sizeof *s->token);
    s->start = f2l_calloc(model->layers, sizeof *s->start);
    s->prefix_letter = f2l_calloc(model->layers, about->tokens * sizeof *s->prefix_letter);
    if (!s->stage || !s->token || !s->start || !s->prefix_letter) return f2l_fail_memory(err);
    status = f2l_written_live_find(&s->live, model, model->layers, err);
    s->last.length = s->live.count + 1;
    for (size_t l = 0; status == F2L_OK && l < model->layers; l++)
        status = f2l_written_stage_init(&s->stage[l], model, l, err);
    return status;
}

void f2l_written_search_clear(f2l_written_search *s)
{
    for (size_t l = 0; s->stage && l < s->model->layers; l++)
        if (s->stage[l].model) f2l_written_stage_clear(&s->stage[l]);
    f2l_free(s->stage);
    f2l_free(s->token);
    f2l_free(s->start);
    f2l_free(s->prefix_letter);
    f2l_free(s->label);
    f2l_free(s->parent);
    f2l_free(s->by);
    f2l_free(s->live.channel);
    f2l_written_rows_clear(&s->last);
    f2l_written_rows_clear(&s->node);
    *s = (f2l_written_search){0};
}
