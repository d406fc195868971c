/* Moore outputs: what the labels of states say beside their names. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/dot/dot.h"
#include <string.h>

/* How a label holds an output. */
typedef enum form {
    FORM_NONE,
    FORM_BAR,   /* name|output or {name|output}: AALpy's records */
    FORM_SLASH, /* name / output: LearnLib's */
    FORM_BELOW  /* name/output, or the output in a line below: the node's own name is before it */
} form;

typedef struct node_label {
    form form;
    const char *output;
    size_t size;
} node_label;

/* Looks for "name|output" in text[0..size). */
static bool split_at_bar(node_label *out, const char *text, size_t size)
{
    if (size >= 2 && text[0] == '{' && text[size - 1] == '}') {
        text++;
        size -= 2;
    }
    const char *bar = memchr(text, '|', size);
    if (!bar) return false;
    out->size = size - (size_t)(bar + 1 - text);
    if (memchr(bar + 1, '|', out->size)) return false;
    out->form = FORM_BAR;
    out->output = f2l_dot_trim(bar + 1, &out->size);
    return true;
}

/* Finds the output in the label of the node, which `shown` receives as it is drawn. */
static node_label read_node_label(const f2l_dot_reader *r, const f2l_dot_node *node, f2l_buf *shown)
{
    node_label out = {FORM_NONE, NULL, 0};
    const char *name = f2l_dot_text(&r->dot, node->name);
    shown->size = 0;
    if (node->attributes.label == node->name || node->attributes.label == F2L_DOT_NONE) return out;
    if (f2l_dot_show_label(r, shown, f2l_dot_text(&r->dot, node->attributes.label))) return out;
    f2l_buf_bytes(shown, "", 1);
    if (shown->failed) return out;
    size_t size = strlen(shown->data);
    const char *text = f2l_dot_trim(shown->data, &size);
    const char *end = text + size, *slash = strstr(text, " / ");
    if (split_at_bar(&out, text, size)) return out;
    if (slash && !strstr(slash + 1, " / ")) {
        out = (node_label){FORM_SLASH, slash + 3, (size_t)(end - slash - 3)};
    } else if (strncmp(text, name, strlen(name)) == 0 && strlen(name) < size &&
               (text[strlen(name)] == '/' || text[strlen(name)] == '\n')) {
        text += strlen(name) + 1;
        out = (node_label){FORM_BELOW, text, (size_t)(end - text)};
    }
    if (out.form != FORM_NONE) out.output = f2l_dot_trim(out.output, &out.size);
    return out;
}

/* Counts the forms of the states' labels; returns the form that is taken. */
static form choose_form(const f2l_dot_reader *r, f2l_buf *shown)
{
    size_t count[FORM_BELOW + 1] = {0}, states = 0;
    for (size_t i = 0; i < r->dot.nodes; i++) {
        if (r->is_marker[i]) continue;
        states++;
        count[read_node_label(r, &r->dot.node[i], shown).form]++;
    }
    if (count[FORM_BAR]) return FORM_BAR;
    if (count[FORM_SLASH]) return FORM_SLASH;
    return count[FORM_BELOW] == states ? FORM_BELOW : FORM_NONE;
}

/* Notes outputs that are taken from labels that may be mere names, and outputs of states where
 * transitions have outputs, too: in a subsequential transducer they end the output of a word. */
static void note_output(const f2l_dot_reader *r, const f2l_dot_node *node, const node_label *label)
{
    const char *text = f2l_dot_text(&r->dot, node->attributes.label);
    if (label->form == FORM_BELOW)
        f2l_notes_add(r->dot.notes, "was read as a state and its output", text, strlen(text),
                      node->line, node->column);
    if (r->pairs)
        f2l_notes_add(r->dot.notes,
                      "was read as a state and its output, beside the outputs of transitions", text,
                      strlen(text), node->line, node->column);
}

/* Gives every state its output. */
static f2l_status add_outputs(f2l_dot_reader *r, form taken, f2l_buf *shown, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->dot.nodes && status == F2L_OK; i++) {
        const f2l_dot_node *node = &r->dot.node[i];
        if (r->is_marker[i]) continue;
        const node_label label = read_node_label(r, node, shown);
        if (label.form != taken) {
            char shown_name[F2L_SHOWN];
            const char *name = f2l_dot_text(&r->dot, node->name);
            return f2l_fail_at(err, node->line, node->column,
                               "state `%s` has no output, but others have; expected label=\"%s\"",
                               f2l_shown(shown_name, name, strlen(name)),
                               taken == FORM_BAR ? "NAME|OUTPUT" : "NAME / OUTPUT");
        }
        note_output(r, node, &label);
        status = f2l_import_output(r->nfa, r->state[i], label.output, label.size, err);
    }
    return status;
}

f2l_status f2l_dot_add_outputs(f2l_dot_reader *r, f2l_error *err)
{
    f2l_buf shown;
    f2l_buf_init(&shown);
    const form taken = choose_form(r, &shown);
    f2l_status status = F2L_OK;
    if (taken != FORM_NONE) status = add_outputs(r, taken, &shown, err);
    if (status == F2L_OK) status = f2l_buf_status(&shown, err);
    f2l_buf_clear(&shown);
    return status;
}
