/* SCXML (W3C) without hierarchy:
 *
 *     <scxml initial="ID">
 *       <state id="ID"> <transition event="EVENTS" target="ID"/> </state>
 *       <final id="ID"/>
 *     </scxml>
 *
 * The start is `initial`, else the first state. EVENTS has blanks between events; `a` is also
 * `a.b`, as is `a.*`, and `*` is any event; a state makes its first transition that matches. The
 * document must not bring a type declaration, so that no entity is ever expanded. */
#include "automata/import/charts/charts.h"
#include "automata/import/charts/flat_chart.h"
#include "automata/import/text/import_text.h"

#ifndef F2L_HAVE_LIBXML2

f2l_status f2l_import_scxml(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err)
{
    (void)options;
    (void)out;
    (void)bytes;
    (void)size;
    return f2l_fail(err, F2L_EDOMAIN,
                    "SCXML files need libxml2, and this program was built without it");
}

#else

#include "numeric/base/mem.h"
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <string.h>

static f2l_status refuse_node(const xmlNode *node, const char *why, f2l_error *err)
{
    const long line = xmlGetLineNo(node);
    return f2l_fail_at(err, line > 0 ? (size_t)line : 0, 0, "<%.40s> %s", (const char *)node->name,
                       why);
}

static bool node_is(const xmlNode *node, const char *name)
{
    return xmlStrcmp(node->name, (const xmlChar *)name) == 0;
}

/* Returns the value of an attribute, to be freed with xmlFree, or NULL. */
static char *node_attribute(const xmlNode *node, const char *name)
{
    return (char *)xmlGetNoNsProp(node, (const xmlChar *)name);
}

/* Returns whether an element is about the machine: other name spaces have what editors
 * keep. */
static bool is_of_scxml(const xmlNode *node)
{
    const char *space = node->ns && node->ns->href ? (const char *)node->ns->href : "";
    return !*space || strstr(space, "www.w3.org") != NULL;
}

/* Returns the next element from `node` on that is about the machine. */
static const xmlNode *next_element(const xmlNode *node)
{
    while (node && !(node->type == XML_ELEMENT_NODE && is_of_scxml(node))) node = node->next;
    return node;
}

/* Notes the elements that are left out below a node; the parser bounds the depth. */
static void note_left_out(f2l_nfa *nfa, const xmlNode *parent)
{
    for (const xmlNode *node = parent->children; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE) continue;
        const char *name = (const char *)node->name;
        if (is_of_scxml(node))
            note_left_out(nfa, node);
        else
            f2l_notes_add(&nfa->notes, "was left out: it is of another name space", name,
                          strlen(name), (size_t)xmlGetLineNo(node), 0);
    }
}

/* Returns whether a child of the root says something else than what a state is. */
static bool is_no_state(const xmlNode *node)
{
    return node_is(node, "initial") ||
           (node_is(node, "datamodel") && !next_element(node->children));
}

/* Adds the states, which are the children of the root. */
static f2l_status add_chart_states(f2l_flat_chart *chart, const xmlNode *root, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const xmlNode *node = next_element(root->children);
    for (; node && status == F2L_OK; node = next_element(node->next)) {
        const size_t before = chart->nfa->states.count;
        size_t state;
        if (is_no_state(node)) continue;
        if (!node_is(node, "state") && !node_is(node, "final"))
            return refuse_node(node,
                               "is not read: expected <state> or <final>, without hierarchy, "
                               "parallel regions, data or scripts",
                               err);
        char *id = node_attribute(node, "id");
        status = !id || !*id ? refuse_node(node, "has no id", err)
                             : f2l_nfa_state(chart->nfa, id, strlen(id), &state, err);
        if (status == F2L_OK && chart->nfa->states.count == before)
            status = refuse_node(node, "has an id that another state has", err);
        xmlFree(id);
    }
    if (status == F2L_OK && chart->nfa->states.count == 0)
        status = refuse_node(root, "has no states", err);
    return status;
}

/* Finds the state that an attribute names; SIZE_MAX where the attribute is not there. */
static f2l_status find_named_state(size_t *out, const f2l_flat_chart *chart, const xmlNode *node,
                                   const char *attribute, f2l_error *err)
{
    char *id = node_attribute(node, attribute);
    f2l_status status = F2L_OK;
    *out = SIZE_MAX;
    if (id) *out = f2l_names_find(&chart->nfa->states, id, strlen(id));
    if (id && *out == F2L_NO_INDEX)
        status = f2l_fail_at(err, (size_t)xmlGetLineNo(node), 0,
                             "<%.40s> names `%.40s`, which is not one state of the machine",
                             (const char *)node->name, id);
    xmlFree(id);
    return status;
}

/* Adds a move for each event of the list. */
static f2l_status add_event_moves(f2l_flat_chart *chart, size_t from, size_t to, const char *events,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && *events) {
        size_t size = strcspn(events, " \t\r\n"), all = size, letter = F2L_FLAT_ANY;
        if (size > 1 && events[size - 1] == '*') size--;
        if (size > 1 && events[size - 1] == '.') size--;
        if (size > 0 && !(size == 1 && *events == '*'))
            status = f2l_nfa_letter(chart->nfa, events, size, &letter, err);
        if (size > 0 && status == F2L_OK) status = f2l_flat_add(chart, from, letter, to, err);
        events += all;
        events += strspn(events, " \t\r\n");
    }
    return status;
}

static f2l_status check_actions(const xmlNode *node, f2l_error *err)
{
    const xmlNode *child = next_element(node->children);
    for (; child; child = next_element(child->next))
        if (!node_is(child, "log"))
            return refuse_node(child, "is not read: actions may change what the machine does", err);
    return F2L_OK;
}

static f2l_status read_chart_transition(f2l_flat_chart *chart, size_t from, const xmlNode *node,
                                        f2l_error *err)
{
    char *events = node_attribute(node, "event"), *cond = node_attribute(node, "cond");
    const char *list = events ? events + strspn(events, " \t\r\n") : "";
    size_t to;
    f2l_status status = check_actions(node, err);
    if (status == F2L_OK && cond) status = refuse_node(node, "has a condition (cond)", err);
    if (status == F2L_OK && *list == '\0')
        status = refuse_node(node, "has no event: it is made at once", err);
    if (status == F2L_OK) status = find_named_state(&to, chart, node, "target", err);
    if (status == F2L_OK)
        status = add_event_moves(chart, from, to == SIZE_MAX ? from : to, list, err);
    xmlFree(events);
    xmlFree(cond);
    return status;
}

static f2l_status read_state_node(f2l_flat_chart *chart, size_t state, const xmlNode *node,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    const xmlNode *child = next_element(node->children);
    chart->final[state] = node_is(node, "final");
    for (; child && status == F2L_OK; child = next_element(child->next)) {
        if (node_is(child, "onentry") || node_is(child, "onexit"))
            status = check_actions(child, err);
        else if (node_is(child, "transition") && !chart->final[state])
            status = read_chart_transition(chart, state, child, err);
        else if (!node_is(child, "donedata"))
            status = refuse_node(child,
                                 "is not read inside a state: only charts without hierarchy, "
                                 "parallel regions, history and invocations are",
                                 err);
    }
    return status;
}

/* Reads <initial>, which has one transition without an event; it is another spelling of the
 * attribute. */
static f2l_status read_initial_node(f2l_flat_chart *chart, const xmlNode *node, f2l_error *err)
{
    const xmlNode *child = next_element(node->children);
    if (chart->start != SIZE_MAX)
        return refuse_node(node, "says again what the initial state is", err);
    if (!child || !node_is(child, "transition") || next_element(child->next))
        return refuse_node(node, "has other children than one <transition>", err);
    char *events = node_attribute(child, "event"), *cond = node_attribute(child, "cond");
    f2l_status status = check_actions(child, err);
    if (status == F2L_OK && (events || cond))
        status = refuse_node(child, "of <initial> has an event or a condition (cond)", err);
    if (status == F2L_OK) status = find_named_state(&chart->start, chart, child, "target", err);
    if (status == F2L_OK && chart->start == SIZE_MAX)
        status = refuse_node(child, "of <initial> has no target", err);
    xmlFree(events);
    xmlFree(cond);
    return status;
}

/* Finds the start: what the attribute or <initial> names, or the first state. */
static f2l_status find_chart_start(f2l_flat_chart *chart, const xmlNode *root, f2l_error *err)
{
    f2l_status status = find_named_state(&chart->start, chart, root, "initial", err);
    const xmlNode *node = next_element(root->children);
    for (; node && status == F2L_OK; node = next_element(node->next))
        if (node_is(node, "initial")) status = read_initial_node(chart, node, err);
    if (chart->start == SIZE_MAX) chart->start = 0;
    return status;
}

static f2l_status read_chart_root(f2l_flat_chart *chart, const xmlDoc *doc, f2l_error *err)
{
    const xmlNode *root = xmlDocGetRootElement(doc);
    if (doc->intSubset || doc->extSubset)
        return f2l_fail(err, F2L_EFORMAT,
                        "a document type declaration (<!DOCTYPE ..>) is not read");
    if (!root || !node_is(root, "scxml")) return f2l_fail(err, F2L_EFORMAT, "expected <scxml>");
    f2l_status status = add_chart_states(chart, root, err);
    if (status == F2L_OK) status = find_chart_start(chart, root, err);
    if (status != F2L_OK) return status;
    chart->final = f2l_calloc(chart->nfa->states.count, sizeof *chart->final);
    if (!chart->final) return f2l_fail_memory(err);
    size_t state = 0;
    const xmlNode *node = next_element(root->children);
    for (; node && status == F2L_OK; node = next_element(node->next))
        if (!is_no_state(node)) status = read_state_node(chart, state++, node, err);
    note_left_out(chart->nfa, root);
    f2l_import_source(chart->nfa, "SCXML");
    return status == F2L_OK ? f2l_flat_finish(chart, err) : status;
}

static f2l_status parse_scxml(f2l_flat_chart *chart, const char *bytes, size_t size, f2l_error *err)
{
    if (size > INT_MAX) return f2l_fail(err, F2L_EFORMAT, "an XML document of more than 2 GiB");
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (!context) return f2l_fail_memory(err);
    xmlDoc *doc = xmlCtxtReadMemory(context, bytes, (int)size, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    const xmlError *e = &context->lastError;
    const char *text = e->message ? e->message : "not well-formed";
    f2l_status status =
        doc ? read_chart_root(chart, doc, err)
            : f2l_fail_at(err, e->line > 0 ? (size_t)e->line : 1, e->int2 > 0 ? (size_t)e->int2 : 0,
                          "XML: %.*s", (int)strcspn(text, "\n"), text);
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(context);
    return status;
}

f2l_status f2l_import_scxml(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err)
{
    f2l_flat_chart chart = {.nfa = out, .by_prefix = true};
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(options ? options->as : NULL, 1u << F2L_LABELS_LETTERS, false,
                                   "SCXML files", err);
    if (status == F2L_OK) status = parse_scxml(&chart, bytes, size, err);
    f2l_flat_clear(&chart);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}

#endif
