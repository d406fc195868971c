/* The group report as JSON. Jansson keeps the order of insertion, so the bytes are a function of
 * the record. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/automata/group_report.h"
#include "reports/compile/report_json.h"
#include <string.h>

#define SCHEMA 1
#define VALUES_CLASSES 64

static json_t *list(const size_t *value, size_t count)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++)
        complete = f2l_json_append(a, f2l_json_number(value[i]));
    return f2l_json_finish(a, complete);
}

static json_t *structure(const f2l_group_report *r)
{
    const f2l_structure *s = r->structure;
    json_t *o = json_object(), *factors = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < s->factors; i++)
        complete = f2l_json_append(factors, f2l_json_text(s->factor[i].name));
    factors = f2l_json_finish(factors, complete);
    return f2l_json_finish(
        o, f2l_json_put(o, "name", f2l_json_text(r->name)) &&
               f2l_json_put(o, "order", f2l_json_number(s->order)) &&
               f2l_json_put(o, "exponent", f2l_json_number(r->classes->exponent)) &&
               f2l_json_put(o, "centre", f2l_json_number(s->centre)) &&
               f2l_json_put(o, "abelian", json_boolean(s->abelian)) &&
               f2l_json_put(o, "nilpotent", json_boolean(s->nilpotent)) &&
               f2l_json_put(o, "solvable", json_boolean(s->solvable)) &&
               f2l_json_put(o, "derived_series", list(s->derived, s->derived_terms)) &&
               f2l_json_put(o, "abelian_quotient", list(s->quotient, s->quotients)) &&
               f2l_json_put(o, "composition_factors", factors));
}

static json_t *class_json(const f2l_group_report *r, size_t c)
{
    const f2l_classes *all = r->classes;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_perm_write(&text, r->group->element + (size_t)all->representative[c] * r->group->degree,
                   r->group->degree);
    json_t *o = json_object();
    const bool filled = f2l_json_put(o, "element", text.failed ? NULL : f2l_json_text(text.data)) &&
                        f2l_json_put(o, "size", f2l_json_number(all->size[c])) &&
                        f2l_json_put(o, "order", f2l_json_number(all->element_order[c])) &&
                        f2l_json_put(o, "inverse", f2l_json_number(all->inverse[c] + 1)) &&
                        f2l_json_put(o, "letters", json_boolean(r->householders->letter[c]));
    f2l_buf_clear(&text);
    return f2l_json_finish(o, filled);
}

/* Returns the pairs [j, multiplicity] of one value. */
static json_t *value(const f2l_group_report *r, size_t character, size_t c, size_t *multiplicity)
{
    if (f2l_characters_eigenvalues(multiplicity, r->characters, r->classes, character, c, NULL) !=
        F2L_OK)
        return NULL;
    json_t *a = json_array();
    bool complete = true;
    for (size_t j = 0; complete && j < r->classes->exponent; j++) {
        const size_t pair[2] = {j, multiplicity[j]};
        if (multiplicity[j]) complete = f2l_json_append(a, list(pair, 2));
    }
    return f2l_json_finish(a, complete);
}

static json_t *values(const f2l_group_report *r, size_t character)
{
    if (r->classes->classes > VALUES_CLASSES) return json_null();
    size_t *multiplicity = f2l_calloc(r->classes->exponent, sizeof *multiplicity);
    json_t *a = json_array();
    bool complete = multiplicity != NULL;
    for (size_t c = 0; complete && c < r->classes->classes; c++)
        complete = f2l_json_append(a, value(r, character, c, multiplicity));
    f2l_free(multiplicity);
    return f2l_json_finish(a, complete);
}

static json_t *character(const f2l_group_report *r, size_t i)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "degree", f2l_json_number(r->characters->degree[i])) &&
               f2l_json_put(o, "indicator", json_integer(r->characters->indicator[i])) &&
               f2l_json_put(o, "conjugate", f2l_json_number(r->characters->conjugate[i] + 1)) &&
               f2l_json_put(o, "values", values(r, i)));
}

static json_t *irrep(const f2l_group_report *r, size_t i)
{
    const f2l_real_irrep *x = &r->householders->irrep[i];
    json_t *o = json_object();
    return f2l_json_finish(o, f2l_json_put(o, "character", f2l_json_number(x->character + 1)) &&
                                  f2l_json_put(o, "dimension", f2l_json_number(x->dimension)) &&
                                  f2l_json_put(o, "rank", f2l_json_number(x->most)));
}

/* Returns an array of `count` objects. */
static json_t *each(const f2l_group_report *r, size_t count,
                    json_t *make(const f2l_group_report *, size_t))
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++) complete = f2l_json_append(a, make(r, i));
    return f2l_json_finish(a, complete);
}

static json_t *fewest(const f2l_group_report *r)
{
    const f2l_householders *h = r->householders;
    json_t *o = json_object(), *heads = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < h->heads; i++)
        complete = f2l_json_append(heads, f2l_json_number(h->head[i] + 1));
    heads = f2l_json_finish(heads, complete);
    return f2l_json_finish(
        o, f2l_json_put(o, "letters", f2l_json_text(r->all_letters ? "elements" : "automaton")) &&
               f2l_json_put(o, "householders", f2l_json_number(h->minimum)) &&
               f2l_json_put(o, "irreps", heads) &&
               f2l_json_put(o, "dimension", f2l_json_number(h->dimension)) &&
               f2l_json_put(o, "least_dimension", json_boolean(h->least)) &&
               f2l_json_put(o, "hidden_class",
                            h->minimum ? f2l_json_number(h->hidden + 1) : json_null()));
}

static json_t *dyadic(const f2l_dyadic *d)
{
    json_t *o = json_object();
    return f2l_json_finish(o, f2l_json_put(o, "lower", f2l_json_number(d->lower)) &&
                                  f2l_json_put(o, "upper", f2l_json_number(d->upper)) &&
                                  f2l_json_put(o, "heads", f2l_json_number(d->heads)));
}

static json_t *cover(const f2l_group_report *r)
{
    const f2l_cover *c = r->cover;
    json_t *o = json_object();
    if (!c)
        return f2l_json_finish(o, f2l_json_put(o, "not_searched", f2l_json_text(r->cover_reason)));
    return f2l_json_finish(
        o,
        f2l_json_put(o, "found", json_boolean(c->found)) &&
            f2l_json_put(o, "complete", json_boolean(c->complete)) &&
            f2l_json_put(o, "lower", f2l_json_number(c->lower)) &&
            f2l_json_put(o, "extensions", f2l_json_number(c->extensions)) &&
            f2l_json_put(o, "householders", c->found ? f2l_json_number(c->factors) : json_null()) &&
            f2l_json_put(o, "order", c->found ? f2l_json_number(c->group.order) : json_null()) &&
            f2l_json_put(o, "kernel", c->found ? f2l_json_number(c->kernel) : json_null()));
}

f2l_status f2l_group_report_json(f2l_buf *out, const f2l_group_report *r, f2l_error *err)
{
    json_t *o = json_object();
    const bool filled =
        f2l_json_put(o, "schema", json_integer(SCHEMA)) &&
        f2l_json_put(o, "grammar", f2l_json_text(f2l_path_base(r->grammar))) &&
        f2l_json_put(o, "group", structure(r)) &&
        f2l_json_put(o, "classes", each(r, r->classes->classes, class_json)) &&
        f2l_json_put(o, "characters", each(r, r->characters->characters, character)) &&
        f2l_json_put(o, "real_irreps", each(r, r->householders->irreps, irrep)) &&
        f2l_json_put(o, "fewest_factors", fewest(r)) &&
        f2l_json_put(o, "dyadic_keys", dyadic(r->dyadic)) && f2l_json_put(o, "covers", cover(r));
    return f2l_json_write(out, f2l_json_finish(o, filled), JSON_INDENT(2), err);
}
