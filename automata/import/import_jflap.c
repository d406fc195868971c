/* JFLAP's .jff files: <structure><type>fa</type> with states and transitions below it (version 4)
 * or in an <automaton> element (version 6 and later). Types `moore` and `mealy` give outputs.
 * States are called by their names when all have one and no two agree, else by their ids. As JFLAP
 * reads labels, a range `[0-9]` is its characters, an empty label is the empty word, and other
 * characters are a word, read through new states; blanks are characters. The document must not
 * bring a type declaration, so that no entity is ever expanded and nothing is fetched. */
#include "automata/fsa/letter.h"
#include "automata/import/impl.h"
#include "automata/import/labels.h"

#ifndef F2L_HAVE_LIBXML2

f2l_status f2l_import_jflap(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err)
{
    (void)options;
    (void)out;
    (void)bytes;
    (void)size;
    return f2l_fail(err, F2L_EDOMAIN,
                    "JFLAP files need libxml2, and this program was built without it");
}

#else

#include "numeric/base/mem.h"
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <string.h>

typedef struct jflap {
    f2l_nfa *nfa;
    const f2l_read_as *as; /* NULL: not given */
    f2l_names ids;         /* of the states, in order */
    const xmlNode *root, *body;
    bool by_name; /* states are called by their names */
    bool moore, mealy;
    f2l_names alone; /* labels of one character */
    size_t between;  /* states that were added within transitions */
} jflap;

static const char *chars(const xmlChar *text)
{
    return text == NULL ? "" : (const char *)text;
}

static f2l_status fail_at_node(const xmlNode *node, const char *text, f2l_error *err)
{
    long line = xmlGetLineNo(node);
    const char *name = node ? chars(node->name) : "";
    return f2l_fail_at(err, line > 0 ? (size_t)line : 0, 0, "<%.40s>: %s", name, text);
}

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp(chars(node->name), name) == 0;
}

static const xmlNode *find_child_element(const xmlNode *node, const char *name)
{
    for (const xmlNode *c = node->children; c != NULL; c = c->next)
        if (is_element(c, name)) return c;
    return NULL;
}

/* Appends the text inside an element, without the blanks around it; the caller clears the
 * buffer. */
static f2l_status content(f2l_buf *out, const xmlNode *node, f2l_error *err)
{
    xmlChar *raw = xmlNodeGetContent(node);
    const char *text = chars(raw);
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL) size--;
    while (size > 0 && strchr(" \t\r\n", *text) != NULL) {
        text++;
        size--;
    }
    f2l_buf_init(out);
    f2l_buf_bytes(out, text, size);
    xmlFree(raw);
    return f2l_buf_status(out, err);
}

static const char *data(const f2l_buf *buf)
{
    return buf->size > 0 ? buf->data : "";
}

static f2l_status check_type(jflap *j, f2l_error *err)
{
    const xmlNode *type = find_child_element(j->root, "type");
    if (type == NULL)
        return is_element(j->root, "automaton")
                   ? F2L_OK
                   : fail_at_node(j->root, "expected <type>fa</type>", err);
    f2l_buf text;
    f2l_status status = content(&text, type, err);
    j->moore = strcmp(data(&text), "moore") == 0;
    j->mealy = strcmp(data(&text), "mealy") == 0;
    if (status == F2L_OK && strcmp(data(&text), "re") == 0)
        status = fail_at_node(
            type, "a regular expression; pass it with --regex, expected fa, moore or mealy", err);
    else if (status == F2L_OK && !j->moore && !j->mealy && strcmp(data(&text), "fa") != 0)
        status = f2l_fail_at(err, (size_t)xmlGetLineNo(type), 0,
                             "type \"%.40s\" is no finite automaton; expected fa, moore or mealy",
                             data(&text));
    f2l_buf_clear(&text);
    return status;
}

/* Returns an attribute's value as JFLAP wrote it, to be freed with xmlFree, or NULL. */
static xmlChar *get_node_attribute(const xmlNode *node, const char *name)
{
    return xmlGetProp(node, (const xmlChar *)name);
}

/* Decides whether states are called by their names: every state has one and no two agree. */
static f2l_status decide_names(jflap *j, f2l_error *err)
{
    f2l_names seen;
    f2l_names_init(&seen);
    f2l_status status = F2L_OK;
    j->by_name = true;
    for (const xmlNode *c = j->body->children; c != NULL && status == F2L_OK; c = c->next) {
        if (!is_element(c, "state")) continue;
        xmlChar *name = get_node_attribute(c, "name");
        size_t before = seen.count, index = 0;
        status = f2l_names_add(&seen, chars(name), strlen(chars(name)), &index, err);
        if (chars(name)[0] == '\0' || index != before) j->by_name = false;
        xmlFree(name);
    }
    f2l_names_clear(&seen);
    return status;
}

static f2l_status add_jflap_state(jflap *j, const xmlNode *node, f2l_error *err)
{
    xmlChar *id = get_node_attribute(node, "id"), *name = get_node_attribute(node, "name");
    size_t before = j->ids.count, index = 0;
    f2l_status status = F2L_OK;
    if (chars(id)[0] == '\0') status = fail_at_node(node, "expected an attribute id", err);
    if (status == F2L_OK)
        status = f2l_names_add(&j->ids, chars(id), strlen(chars(id)), &index, err);
    if (status == F2L_OK && index != before)
        status = fail_at_node(node, "an id that another state has", err);
    const char *called = j->by_name ? chars(name) : chars(id);
    if (status == F2L_OK) status = f2l_nfa_state(j->nfa, called, strlen(called), &index, err);
    xmlFree(id);
    xmlFree(name);
    return status;
}

/* Sets the flags and the output of a state, once all states are there. */
static f2l_status finish_state(jflap *j, const xmlNode *node, size_t state, f2l_error *err)
{
    j->nfa->is_start[state] = find_child_element(node, "initial") != NULL;
    j->nfa->accept[state] = find_child_element(node, "final") != NULL;
    if (!j->moore) return F2L_OK;
    const xmlNode *output = find_child_element(node, "output");
    if (output == NULL)
        return fail_at_node(node, "a state of a Moore machine without <output>", err);
    f2l_buf text;
    f2l_status status = content(&text, output, err);
    if (status == F2L_OK) status = f2l_import_output(j->nfa, state, data(&text), text.size, err);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status end_state(jflap *j, const xmlNode *transition, const char *which, size_t *state,
                            f2l_error *err)
{
    const xmlNode *node = find_child_element(transition, which);
    if (node == NULL) return fail_at_node(transition, "expected <from>, <to> and <read>", err);
    f2l_buf id;
    f2l_status status = content(&id, node, err);
    if (status == F2L_OK) *state = f2l_names_find(&j->ids, data(&id), id.size);
    if (status == F2L_OK && *state == F2L_NO_INDEX)
        status = fail_at_node(node, "no state has this id", err);
    f2l_buf_clear(&id);
    return status;
}

/* Returns the size in bytes of the character at the start of a text that is not empty. */
static size_t character(const char *text, size_t size)
{
    size_t n = 1;
    while (n < size && ((unsigned char)text[n] & 0xc0) == 0x80) n++;
    return n;
}

/* Adds a state within a transition that reads several letters, named "FROM.N" or with primes. */
static f2l_status add_between(jflap *j, size_t from, size_t *state, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_text(&name, f2l_names_get(&j->nfa->states, from));
    f2l_buf_printf(&name, ".%zu", ++j->between);
    while (!name.failed && f2l_names_find(&j->nfa->states, name.data, name.size) != F2L_NO_INDEX)
        f2l_buf_text(&name, "'");
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK) status = f2l_nfa_state(j->nfa, name.data, name.size, state, err);
    f2l_buf_clear(&name);
    return status;
}

static size_t line_of(const xmlNode *node)
{
    const long line = xmlGetLineNo(node);
    return line > 0 ? (size_t)line : 0;
}

/* Appends the text of a label as JFLAP takes it. Line ends, which no label of JFLAP has, are of a
 * program that laid the file out; the blanks beside them are left out. */
static f2l_status read_label_text(jflap *j, f2l_buf *out, const xmlNode *node, f2l_error *err)
{
    xmlChar *raw = xmlNodeGetContent(node);
    const char *text = chars(raw);
    const size_t size = strlen(text), first = strspn(text, " \t\r\n");
    const bool laid_out = strpbrk(text, "\t\r\n") != NULL;
    const bool letters = j->as && j->as->labels == F2L_LABELS_LETTERS;
    f2l_status status = F2L_OK;
    f2l_buf_init(out);
    if (laid_out) {
        xmlFree(raw);
        status = content(out, node, err);
        f2l_notes_add(&j->nfa->notes, "has blanks or line ends around it, which were left out",
                      data(out), out->size, line_of(node), 0);
        return status;
    }
    if (!letters && first < size && size > 1 && (first > 0 || text[size - 1] == ' '))
        status = fail_at_node(node,
                              "a blank at an end of a label, which JFLAP reads as a letter; remove "
                              "it, or make the label one letter with --read-as labels=letters",
                              err);
    f2l_buf_bytes(out, text, size);
    xmlFree(raw);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

/* Returns whether the label is a range `[x-y]`, which JFLAP expands. */
static bool is_jflap_range(const char *text, size_t size)
{
    if (size < 5 || text[0] != '[' || text[size - 1] != ']') return false;
    const size_t first = character(text + 1, size - 1), dash = 1 + first;
    if (dash + 2 >= size || text[dash] != '-') return false;
    return dash + 1 + character(text + dash + 1, size - dash - 1) == size - 1;
}

/* Lists in j->alone the labels of one character. */
static f2l_status list_characters(jflap *j, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (const xmlNode *c = j->body->children; c != NULL && status == F2L_OK; c = c->next) {
        const xmlNode *read = is_element(c, "transition") ? find_child_element(c, "read") : NULL;
        f2l_buf text;
        size_t index;
        if (read == NULL) continue;
        f2l_buf_init(&text);
        status = content(&text, read, err);
        if (status == F2L_OK && text.size > 0 && text.size == character(text.data, text.size))
            status = f2l_names_add(&j->alone, text.data, text.size, &index, err);
        f2l_buf_clear(&text);
    }
    return status;
}

/* Returns whether all characters of the word are labels of their own. */
static bool is_of_letters(const jflap *j, const char *word, size_t size)
{
    for (size_t at = 0; at < size; at += character(word + at, size - at))
        if (f2l_names_find(&j->alone, word + at, character(word + at, size - at)) == F2L_NO_INDEX)
            return false;
    return true;
}

/* Lists the letters of a label that stands for several, or for one name; none: it is a word. */
static f2l_status read_label_letters(jflap *j, f2l_names *out, const xmlNode *node,
                                     const f2l_buf *label, f2l_error *err)
{
    const char *text = data(label);
    const size_t size = label->size, line = line_of(node);
    const f2l_labels_as labels = j->as ? j->as->labels : F2L_LABELS_DEFAULT;
    size_t index;
    if (size <= character(text, size)) return F2L_OK;
    if (labels == F2L_LABELS_LETTERS) return f2l_names_add(out, text, size, &index, err);
    if (labels == F2L_LABELS_SETS || is_jflap_range(text, size))
        return f2l_import_set(out, text, size, line, 0, err);
    if (memchr(text, '[', size))
        return fail_at_node(node,
                            "JFLAP reads [ as the beginning of a range `[x-y]`, and this is none; "
                            "--read-as labels=sets reads `[abx-z]`, labels=letters one letter",
                            err);
    if (strpbrk(text, "-,|;:/!~&+*. ") || !is_of_letters(j, text, size))
        f2l_notes_add(&j->nfa->notes, "was read as a word of several letters, as JFLAP reads it",
                      text, size, line, 0);
    return F2L_OK;
}

/* Adds one edge by the letter. */
static f2l_status add_letter(jflap *j, size_t from, const char *name, size_t to, f2l_error *err)
{
    size_t letter = 0;
    const f2l_status status = f2l_nfa_letter(j->nfa, name, strlen(name), &letter, err);
    return status == F2L_OK ? f2l_nfa_add_edge(j->nfa, from, letter, to, err) : status;
}

/* Adds the edges of a word that is not empty: one for each character, with new states between
 * them. */
static f2l_status add_word(jflap *j, const xmlNode *node, size_t from, size_t to,
                           const f2l_buf *word, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t at = 0, state = from;
    if ((j->moore || j->mealy) && word->size > character(word->data, word->size))
        return fail_at_node(node,
                            "several characters on a transition of a Moore or Mealy machine, and "
                            "no output between them",
                            err);
    while (at < word->size && status == F2L_OK) {
        const size_t size = character(word->data + at, word->size - at);
        size_t letter = 0, next = to;
        status = f2l_nfa_letter(j->nfa, word->data + at, size, &letter, err);
        at += size;
        if (status == F2L_OK && at < word->size) status = add_between(j, from, &next, err);
        if (status == F2L_OK) status = f2l_nfa_add_edge(j->nfa, state, letter, next, err);
        state = next;
    }
    return status;
}

/* Adds the edges of a label: one for each letter of a set; else one for each character, with new
 * states between them; one for the empty word where there is none. */
static f2l_status add_label(jflap *j, const xmlNode *node, size_t from, size_t to,
                            const f2l_buf *word, f2l_error *err)
{
    static const char *const own[] = {"", NULL};
    const size_t line = line_of(node);
    bool epsilon = false;
    f2l_names set;
    f2l_names_init(&set);
    f2l_status status =
        f2l_import_epsilon(&epsilon, j->as, data(word), word->size, own, line, 0, err);
    if (status == F2L_OK && !epsilon) status = read_label_letters(j, &set, node, word, err);
    if (status == F2L_OK && epsilon && j->mealy)
        status = fail_at_node(node, "a transition of a Mealy machine that reads no letter", err);
    else if (status == F2L_OK && epsilon)
        status = f2l_nfa_add_edge(j->nfa, from, F2L_EPSILON, to, err);
    else if (status == F2L_OK && set.count == 1)
        status = add_letter(j, from, f2l_names_get(&set, 0), to, err);
    else if (status == F2L_OK && set.count > 1)
        status = f2l_import_add_set(j->nfa, from, &set, to, data(word), word->size, line, 0, err);
    else if (status == F2L_OK)
        status = add_word(j, node, from, to, word, err);
    f2l_names_clear(&set);
    return status;
}

/* Gives the edges from number `first` on the output of their transition, which may be empty. */
static f2l_status read_mealy_output(jflap *j, const xmlNode *node, size_t first, f2l_error *err)
{
    const xmlNode *output = find_child_element(node, "transout");
    size_t index = 0;
    f2l_buf text;
    if (!output)
        return fail_at_node(node, "a transition of a Mealy machine without <transout>", err);
    f2l_status status = content(&text, output, err);
    if (status == F2L_OK)
        status = f2l_names_add(&j->nfa->edge_outputs, data(&text), text.size, &index, err);
    for (size_t e = first; e < j->nfa->edges; e++) j->nfa->edge[e].output = (uint32_t)index;
    f2l_buf_clear(&text);
    return status;
}

static f2l_status add_transition(jflap *j, const xmlNode *node, f2l_error *err)
{
    size_t from = 0, to = 0;
    const xmlNode *read = find_child_element(node, "read");
    f2l_status status = end_state(j, node, "from", &from, err);
    if (status == F2L_OK) status = end_state(j, node, "to", &to, err);
    if (status == F2L_OK && read == NULL)
        status = fail_at_node(node, "expected <from>, <to> and <read>", err);
    if (status != F2L_OK) return status;
    const size_t first = j->nfa->edges;
    f2l_buf text;
    status = read_label_text(j, &text, read, err);
    if (status == F2L_OK) status = add_label(j, read, from, to, &text, err);
    f2l_buf_clear(&text);
    return status == F2L_OK && j->mealy ? read_mealy_output(j, node, first, err) : status;
}

static f2l_status add_all_states(jflap *j, f2l_error *err)
{
    f2l_status status = decide_names(j, err);
    for (const xmlNode *c = j->body->children; c != NULL && status == F2L_OK; c = c->next) {
        if (c->type != XML_ELEMENT_NODE) continue;
        if (is_element(c, "state"))
            status = add_jflap_state(j, c, err);
        else if (is_element(c, "block"))
            status = fail_at_node(c, "building blocks belong to Turing machines", err);
        else if (!is_element(c, "transition") && !is_element(c, "note") && !is_element(c, "type"))
            status = fail_at_node(c, "unexpected element; expected state, transition or note", err);
    }
    if (status == F2L_OK && j->ids.count == 0) return fail_at_node(j->body, "no states", err);
    return status;
}

static f2l_status read_document(jflap *j, const xmlDoc *doc, f2l_error *err)
{
    if (doc->intSubset != NULL || doc->extSubset != NULL)
        return f2l_fail(err, F2L_EFORMAT,
                        "a document type declaration (<!DOCTYPE ..>) is not read");
    j->root = xmlDocGetRootElement(doc);
    if (j->root == NULL) return f2l_fail(err, F2L_EFORMAT, "expected a <structure> element");
    if (!is_element(j->root, "structure") && !is_element(j->root, "automaton"))
        return fail_at_node(j->root, "not a JFLAP file; expected <structure>", err);
    f2l_status status = check_type(j, err);
    const xmlNode *inner = find_child_element(j->root, "automaton");
    j->body = inner == NULL ? j->root : inner;
    if (status == F2L_OK) status = add_all_states(j, err);
    if (status == F2L_OK) status = list_characters(j, err);
    for (const xmlNode *c = j->body->children; c != NULL && status == F2L_OK; c = c->next)
        if (is_element(c, "transition")) status = add_transition(j, c, err);
    size_t state = 0;
    if (status == F2L_OK) status = f2l_nfa_close_states(j->nfa, err);
    for (const xmlNode *c = j->body->children; c != NULL && status == F2L_OK; c = c->next)
        if (is_element(c, "state")) status = finish_state(j, c, state++, err);
    j->nfa->has_accept = !j->moore && !j->mealy;
    for (size_t i = 0; i < j->nfa->states.count && status == F2L_OK; i++)
        if (j->nfa->accept[i]) j->nfa->has_accept = true;
    j->nfa->partial = true;
    f2l_import_source(j->nfa, "JFLAP");
    return status;
}

/* Returns F2L_EFORMAT with the parser's message, without its line end. */
static f2l_status fail_xml(const xmlParserCtxt *context, f2l_error *err)
{
    const xmlError *e = &context->lastError;
    const char *text = e->message == NULL ? "not well-formed" : e->message;
    size_t size = strcspn(text, "\n");
    return f2l_fail_at(err, e->line > 0 ? (size_t)e->line : 1, e->int2 > 0 ? (size_t)e->int2 : 0,
                       "XML: %.*s", size > 200 ? 200 : (int)size, text);
}

static f2l_status parse_jflap(jflap *j, const char *bytes, size_t size, f2l_error *err)
{
    if (size == 0) return f2l_fail(err, F2L_EFORMAT, "the file is empty; expected an automaton");
    if (size > INT_MAX) return f2l_fail(err, F2L_EFORMAT, "an XML document of more than 2 GiB");
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (context == NULL) return f2l_fail_memory(err);
    xmlDoc *doc = xmlCtxtReadMemory(context, bytes, (int)size, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    f2l_status status = doc == NULL ? fail_xml(context, err) : read_document(j, doc, err);
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(context);
    return status;
}

f2l_status f2l_import_jflap(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err)
{
    jflap j = {.nfa = out, .as = options ? options->as : NULL};
    f2l_names_init(&j.ids);
    f2l_names_init(&j.alone);
    f2l_status status = parse_jflap(&j, bytes, size, err);
    f2l_names_clear(&j.ids);
    f2l_names_clear(&j.alone);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}

#endif
