/* The ladder as JSON. Jansson keeps the order of insertion, so the bytes are a function of the
 * record. */
#include "numeric/base/path.h"
#include "reports/automata/classify_report.h"
#include "reports/compile/report_json.h"
#include <string.h>

#define SCHEMA 1

static json_t *text_or_null(const char *text)
{
    return text && text[0] ? f2l_json_text(text) : json_null();
}

static json_t *number_or_null(size_t value)
{
    return value ? f2l_json_number(value) : json_null();
}

static json_t *names(const f2l_names *all, const uint32_t *index, size_t count)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < count; i++)
        complete = f2l_json_append(a, f2l_json_text(f2l_names_get(all, index[i])));
    return f2l_json_finish(a, complete);
}

static json_t *word(const f2l_classify *c, const f2l_cycle_word *w)
{
    if (!w->length) return json_null();
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "word", names(&c->fsa->letters, w->letter, w->length)) &&
               f2l_json_put(o, "cycle", names(&c->fsa->states, w->state, w->period)) &&
               f2l_json_put(o, "shortest", json_boolean(w->shortest)));
}

/* Returns the two words; "states" is null where the words permute all states. */
static json_t *two_words(const f2l_classify *c, const f2l_word_pair *pair)
{
    if (!pair->group) return json_null();
    json_t *o = json_object(), *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < 2; i++)
        complete = f2l_json_append(a, names(&c->fsa->letters, pair->letter[i], pair->length[i]));
    return f2l_json_finish(
        o, f2l_json_put(o, "words", f2l_json_finish(a, complete)) &&
               f2l_json_put(o, "states",
                            pair->state ? names(&c->fsa->states, pair->state, pair->states)
                                        : json_null()) &&
               f2l_json_put(o, "group", f2l_json_text(pair->group)));
}

static json_t *groups(const f2l_classify *c)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < c->groups; i++) {
        const f2l_ladder_group *g = &c->group[i];
        json_t *o = json_object();
        complete = f2l_json_append(
            a,
            f2l_json_finish(
                o, f2l_json_put(o, "name", f2l_json_text(g->name)) &&
                       f2l_json_put(o, "order", text_or_null(g->order)) &&
                       f2l_json_put(o, "composition_factors", text_or_null(g->factors)) &&
                       f2l_json_put(o, "solvable", f2l_json_text(f2l_ternary_name(g->solvable))) &&
                       f2l_json_put(o, "derived_length", number_or_null(g->derived)) &&
                       f2l_json_put(o, "level", number_or_null(g->level)) &&
                       f2l_json_put(o, "components", f2l_json_number(g->components))));
    }
    return f2l_json_finish(a, complete);
}

static json_t *built(const f2l_classify_built *b)
{
    if (!b->tried) return json_null();
    json_t *o = json_object();
    const bool network = b->status == F2L_OK;
    bool complete =
        f2l_json_put(o, "status", f2l_json_text(network ? "built" : f2l_status_name(b->status))) &&
        f2l_json_put(o, "reason", text_or_null(b->reason));
    if (complete && network)
        complete = f2l_json_put(o, "theorem", f2l_json_text(b->theorem)) &&
                   f2l_json_put(o, "variant", f2l_json_text(b->variant)) &&
                   f2l_json_put(o, "exact",
                                f2l_json_text(b->exact == F2L_OK ? "VERIFIED"
                                                                 : f2l_status_name(b->exact))) &&
                   f2l_json_put(o, "layers", f2l_json_number(b->figures.layers)) &&
                   f2l_json_put(o, "householders", f2l_json_number(b->figures.householders)) &&
                   f2l_json_put(o, "key_dim", f2l_json_number(b->figures.key_dim));
    return f2l_json_finish(o, complete);
}

static json_t *row_json(const f2l_classify_report *r, size_t index)
{
    const f2l_ladder_row *row = &r->classify->row[index];
    json_t *o = json_object();
    bool complete =
        f2l_json_put(o, "class", f2l_json_text(row->id)) &&
        f2l_json_put(o, "name", f2l_json_text(row->name)) &&
        f2l_json_put(o, "models", text_or_null(row->models)) &&
        f2l_json_put(o, "verdict", f2l_json_text(f2l_ladder_verdict_name(row->verdict))) &&
        f2l_json_put(o, "statement", text_or_null(row->statement)) &&
        f2l_json_put(o, "scope", text_or_null(row->scope)) &&
        f2l_json_put(o, "remark", text_or_null(row->remark)) &&
        f2l_json_put(o, "witness",
                     text_or_null(row->pair      ? "two_words"
                                  : row->odd     ? "odd_cycle"
                                  : row->witness ? "cycle"
                                                 : NULL)) &&
        f2l_json_put(o, "construction", text_or_null(row->construction)) &&
        f2l_json_put(o, "layers", number_or_null(row->layers)) &&
        f2l_json_put(o, "householders", number_or_null(row->householders)) &&
        f2l_json_put(o, "dimension", number_or_null(row->dimension)) &&
        f2l_json_put(o, "least_layers", number_or_null(row->least_layers));
    if (complete && r->built) complete = f2l_json_put(o, "compiled", built(&r->built[index]));
    return f2l_json_finish(o, complete);
}

static json_t *rows(const f2l_classify_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < F2L_LADDER_CLASSES; i++)
        complete = f2l_json_append(a, row_json(r, i));
    return f2l_json_finish(a, complete);
}

static json_t *report_json(const f2l_classify_report *r)
{
    const f2l_classify *c = r->classify;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "schema", f2l_json_number(SCHEMA)) &&
               f2l_json_put(o, "grammar", f2l_json_text(f2l_path_base(r->grammar))) &&
               f2l_json_put(o, "label", f2l_json_text(f2l_label_name(r->label))) &&
               f2l_json_put(o, "states", f2l_json_number(c->fsa->states.count)) &&
               f2l_json_put(o, "letters", f2l_json_number(c->fsa->letters.count)) &&
               f2l_json_put(o, "permutation", json_boolean(c->permutation)) &&
               f2l_json_put(o, "definite", c->definite ? f2l_json_number(c->k) : json_null()) &&
               f2l_json_put(o, "idempotent_letters", json_boolean(c->idempotent)) &&
               f2l_json_put(o, "aperiodic", f2l_json_text(f2l_ternary_name(c->aperiodic))) &&
               f2l_json_put(o, "two_groups", f2l_json_text(f2l_ternary_name(c->two_groups))) &&
               f2l_json_put(o, "solvable", f2l_json_text(f2l_ternary_name(c->solvable))) &&
               f2l_json_put(o, "groups_known", json_boolean(c->groups_known)) &&
               f2l_json_put(o, "reason", text_or_null(c->reason)) &&
               f2l_json_put(o, "groups", groups(c)) &&
               f2l_json_put(o, "levels", number_or_null(c->levels)) &&
               f2l_json_put(o, "cycle", word(c, &c->any)) &&
               f2l_json_put(o, "odd_cycle", word(c, &c->odd)) &&
               f2l_json_put(o, "two_words", two_words(c, &c->pair)) &&
               f2l_json_put(o, "classes", rows(r)) &&
               f2l_json_put(o, "ended", f2l_json_text(r->ended ? r->ended : "complete")));
}

f2l_status f2l_classify_report_json(f2l_buf *out, const f2l_classify_report *report, f2l_error *err)
{
    return f2l_json_write(out, report_json(report), JSON_COMPACT, err);
}
