/* The cascade report as JSON. Jansson keeps the order of insertion, so the bytes are a function of
 * the record. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "reports/automata/cascade_report.h"
#include "reports/automata/impl.h"
#include "reports/compile/report_json.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

/* Names of states are valid UTF-8; file names need not be, and become what JSON can hold. */
static json_t *text(const char *bytes)
{
    json_t *string = json_string(bytes);
    return string ? string : json_string("?");
}

static json_t *set(const f2l_cascade *c, uint32_t id)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, id), c->sets.words)
    complete = complete && json_array_append_new(a, text(f2l_names_get(&c->fsa->states, q))) == 0;
    return f2l_json_finish(a, complete);
}

static json_t *cover(const f2l_cascade *c, const f2l_component *k)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (size_t i = 0; complete && i < k->degree; i++)
        complete =
            json_array_append_new(a, set(c, c->cover[c->cover_at[k->representative] + i])) == 0;
    return f2l_json_finish(a, complete);
}

static json_t *generators(const f2l_component *k)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (size_t s = 0; complete && s < k->generators; s++) {
        f2l_buf cycles;
        f2l_buf_init(&cycles);
        f2l_perm_write(&cycles, k->generator + s * k->degree, k->degree);
        complete = !cycles.failed && json_array_append_new(a, text(cycles.data)) == 0;
        f2l_buf_clear(&cycles);
    }
    return f2l_json_finish(a, complete);
}

static json_t *component(const f2l_cascade *c, const f2l_component *k)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "representative", set(c, k->representative)) &&
               f2l_json_put(o, "members", f2l_json_number(k->members)) &&
               f2l_json_put(o, "cover", cover(c, k)) && f2l_json_put(o, "group", text(k->name)) &&
               f2l_json_put(o, "order", k->order ? text(k->order) : json_null()) &&
               f2l_json_put(o, "generators", generators(k)) &&
               f2l_json_put(o, "permutations", f2l_json_number(k->permutations)) &&
               f2l_json_put(o, "identities", f2l_json_number(k->identities)) &&
               f2l_json_put(o, "resets", f2l_json_number(k->resets)));
}

static json_t *level(const f2l_cascade_report *r, size_t l)
{
    const f2l_level *v = &r->cascade->level[l - 1];
    size_t first, end;
    f2l_cascade_report_range(r->components, l, &first, &end);
    json_t *o = json_object(), *a = json_array();
    bool complete = f2l_json_put(o, "states", f2l_json_number(v->width)) &&
                    f2l_json_put(o, "contexts", f2l_json_number(v->contexts)) &&
                    f2l_json_put(o, "permutations", f2l_json_number(v->permutations)) &&
                    f2l_json_put(o, "identities", f2l_json_number(v->identities)) &&
                    f2l_json_put(o, "resets", f2l_json_number(v->resets)) &&
                    f2l_json_put(o, "reflections", f2l_json_number(v->reflections));
    for (size_t i = first; complete && i < end; i++)
        complete =
            json_array_append_new(a, component(r->cascade, &r->components->component[i])) == 0;
    complete = f2l_json_put(o, "components", a) && complete;
    return f2l_json_finish(o, complete);
}

static json_t *levels(const f2l_cascade_report *r)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (size_t l = 1; complete && l <= r->cascade->levels; l++)
        complete = json_array_append_new(a, level(r, l)) == 0;
    return f2l_json_finish(a, complete);
}

static json_t *measure(const f2l_cascade *c)
{
    f2l_cascade_size size;
    f2l_cascade_measure(&size, c);
    json_t *o = json_object();
    return f2l_json_finish(o, f2l_json_put(o, "kind", text(f2l_cascade_kind_name(c->kind))) &&
                                  f2l_json_put(o, "levels", f2l_json_number(size.levels)) &&
                                  f2l_json_put(o, "states", f2l_json_number(size.states)) &&
                                  f2l_json_put(o, "contexts", f2l_json_number(size.contexts)) &&
                                  f2l_json_put(o, "subsets", f2l_json_number(c->sets.count)) &&
                                  f2l_json_put(o, "capped", f2l_json_number(c->capped)) &&
                                  f2l_json_put(o, "by_size", json_boolean(c->by_rank)));
}

/* Returns every state with the coordinates that encode it, null where its chain skips the level. */
static json_t *homomorphism(const f2l_cascade *c)
{
    json_t *a = json_array();
    uint32_t *coordinate = f2l_calloc(c->levels + 1, sizeof *coordinate);
    bool complete = a && coordinate;
    for (size_t q = 0; complete && q < c->fsa->states.count; q++) {
        json_t *o = json_object(), *tuple = json_array();
        f2l_cascade_report_chain(c, q, coordinate);
        for (size_t l = 0; complete && l < c->levels; l++)
            complete = json_array_append_new(tuple, coordinate[l] ? f2l_json_number(coordinate[l])
                                                                  : json_null()) == 0;
        complete = f2l_json_put(o, "state", text(f2l_names_get(&c->fsa->states, q))) && complete;
        complete = f2l_json_put(o, "coordinates", tuple) && complete;
        complete = json_array_append_new(a, o) == 0 && complete;
    }
    f2l_free(coordinate);
    return f2l_json_finish(a, complete);
}

static json_t *automaton(const f2l_cascade_report *r)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "name", text(f2l_cascade_report_name(r))) &&
               f2l_json_put(o, "states", f2l_json_number(r->cascade->fsa->states.count)) &&
               f2l_json_put(o, "letters", f2l_json_number(r->cascade->fsa->letters.count)));
}

static json_t *other(const f2l_cascade_report *r)
{
    return r->other ? measure(r->other) : r->other_reason ? text(r->other_reason) : json_null();
}

f2l_status f2l_cascade_report_json(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err)
{
    const f2l_answer aperiodic = report->aperiodic;
    json_t *o = json_object();
    o = f2l_json_finish(
        o,
        f2l_json_put(o, "schema", f2l_json_number(SCHEMA)) &&
            f2l_json_put(o, "fsa", automaton(report)) &&
            f2l_json_put(o, "cascade", measure(report->cascade)) &&
            f2l_json_put(o, "other", other(report)) &&
            f2l_json_put(o, "bound", f2l_json_number(report->cascade->fsa->states.count - 1)) &&
            f2l_json_put(o, "proof", text("VERIFIED")) &&
            f2l_json_put(o, "aperiodic",
                         aperiodic == F2L_UNDECIDED ? json_null()
                                                    : json_boolean(aperiodic == F2L_YES)) &&
            f2l_json_put(o, "pure", json_boolean(report->cascade->kind == F2L_CASCADE_HOLONOMY)) &&
            f2l_json_put(o, "levels", levels(report)) &&
            f2l_json_put(o, "homomorphism", homomorphism(report->cascade)));
    return f2l_json_write(out, o, JSON_COMPACT, err);
}
