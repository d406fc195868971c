/* Which key means what. Keys are compared without case, `_`, `-` and blanks. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/json/impl.h"
#include "automata/import/text/import_text.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *key; /* as fold_key leaves it */
    f2l_json_role role;
} spelling[] = {
    {"states", F2L_JSON_STATES},
    {"q", F2L_JSON_STATES},
    {"stateset", F2L_JSON_STATES},
    {"setofstates", F2L_JSON_STATES},
    {"alphabet", F2L_JSON_LETTERS},
    {"inputalphabet", F2L_JSON_LETTERS},
    {"symbols", F2L_JSON_LETTERS},
    {"inputsymbols", F2L_JSON_LETTERS},
    {"inputs", F2L_JSON_LETTERS},
    {"letters", F2L_JSON_LETTERS},
    {"sigma", F2L_JSON_LETTERS},
    {"\xce\xa3", F2L_JSON_LETTERS},
    {"\xcf\x83", F2L_JSON_LETTERS},
    {"transitions", F2L_JSON_TRANSITIONS},
    {"transition", F2L_JSON_TRANSITIONS},
    {"transitionfunction", F2L_JSON_TRANSITIONS},
    {"transitiontable", F2L_JSON_TRANSITIONS},
    {"transitionrelation", F2L_JSON_TRANSITIONS},
    {"edges", F2L_JSON_TRANSITIONS},
    {"delta", F2L_JSON_TRANSITIONS},
    {"\xce\xb4", F2L_JSON_TRANSITIONS},
    {"\xce\x94", F2L_JSON_TRANSITIONS},
    {"start", F2L_JSON_START},
    {"starts", F2L_JSON_START},
    {"startstate", F2L_JSON_START},
    {"startstates", F2L_JSON_START},
    {"starting", F2L_JSON_START},
    {"startingstate", F2L_JSON_START},
    {"startingstates", F2L_JSON_START},
    {"initial", F2L_JSON_START},
    {"initials", F2L_JSON_START},
    {"initialstate", F2L_JSON_START},
    {"initialstates", F2L_JSON_START},
    {"q0", F2L_JSON_START},
    {"accept", F2L_JSON_ACCEPT},
    {"accepts", F2L_JSON_ACCEPT},
    {"accepting", F2L_JSON_ACCEPT},
    {"acceptstate", F2L_JSON_ACCEPT},
    {"acceptstates", F2L_JSON_ACCEPT},
    {"acceptingstate", F2L_JSON_ACCEPT},
    {"acceptingstates", F2L_JSON_ACCEPT},
    {"final", F2L_JSON_ACCEPT},
    {"finals", F2L_JSON_ACCEPT},
    {"finalstate", F2L_JSON_ACCEPT},
    {"finalstates", F2L_JSON_ACCEPT},
    {"f", F2L_JSON_ACCEPT},
    {"type", F2L_JSON_KIND},
    {"kind", F2L_JSON_KIND},
    {"automatontype", F2L_JSON_KIND},
    {"name", F2L_JSON_OTHER},
    {"title", F2L_JSON_OTHER},
    {"id", F2L_JSON_OTHER},
    {"description", F2L_JSON_OTHER},
    {"comment", F2L_JSON_OTHER},
    {"comments", F2L_JSON_OTHER},
    {"note", F2L_JSON_OTHER},
    {"notes", F2L_JSON_OTHER},
    {"author", F2L_JSON_OTHER},
    {"version", F2L_JSON_OTHER},
    {"$schema", F2L_JSON_OTHER},
    {"allowpartial", F2L_JSON_OTHER},
    {"from", F2L_JSON_FROM},
    {"start", F2L_JSON_FROM},
    {"fromstate", F2L_JSON_FROM},
    {"source", F2L_JSON_FROM},
    {"sourcestate", F2L_JSON_FROM},
    {"src", F2L_JSON_FROM},
    {"state", F2L_JSON_FROM},
    {"current", F2L_JSON_FROM},
    {"currentstate", F2L_JSON_FROM},
    {"letter", F2L_JSON_LETTER},
    {"letters", F2L_JSON_LETTER},
    {"symbol", F2L_JSON_LETTER},
    {"symbols", F2L_JSON_LETTER},
    {"inputsymbol", F2L_JSON_LETTER},
    {"input", F2L_JSON_LETTER},
    {"inputs", F2L_JSON_LETTER},
    {"label", F2L_JSON_LETTER},
    {"labels", F2L_JSON_LETTER},
    {"on", F2L_JSON_LETTER},
    {"read", F2L_JSON_LETTER},
    {"char", F2L_JSON_LETTER},
    {"event", F2L_JSON_LETTER},
    {"to", F2L_JSON_TO},
    {"end", F2L_JSON_TO},
    {"tostate", F2L_JSON_TO},
    {"target", F2L_JSON_TO},
    {"targetstate", F2L_JSON_TO},
    {"dst", F2L_JSON_TO},
    {"dest", F2L_JSON_TO},
    {"destination", F2L_JSON_TO},
    {"next", F2L_JSON_TO},
    {"nextstate", F2L_JSON_TO},
};

/* Writes the key in lower case, without `_`, `-` and blanks; one that is too long gives "". */
static void fold_key(char out[32], const char *key)
{
    size_t size = 0;
    for (; *key && size < 31; key++)
        if (!strchr("_- ", *key)) out[size++] = *key >= 'A' && *key <= 'Z' ? *key + 32 : *key;
    out[*key ? 0 : size] = '\0';
}

f2l_status f2l_json_refuse(const f2l_json_reader *r, const char *where, const char *name,
                           size_t size, const char *why, f2l_error *err)
{
    char shown[F2L_SHOWN];
    size_t line, column;
    f2l_import_find_quoted(r->bytes, r->size, name, size, &line, &column);
    return f2l_fail_at(err, line, column, "%s: `%s` %s", where, f2l_shown(shown, name, size), why);
}

static f2l_json_role role_of(const char *key, f2l_json_role first, f2l_json_role last)
{
    char folded[32];
    fold_key(folded, key);
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++)
        if (spelling[i].role >= first && spelling[i].role <= last &&
            strcmp(folded, spelling[i].key) == 0)
            return spelling[i].role;
    return F2L_JSON_ROLES;
}

f2l_status f2l_json_roles_find(f2l_json_roles *out, const f2l_json_reader *r, json_t *object,
                               f2l_json_role first, f2l_json_role last, const char *where,
                               f2l_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const f2l_json_role role = role_of(key, first, last);
        if (role == F2L_JSON_ROLES)
            return f2l_json_refuse(
                r, where, key, strlen(key),
                first == F2L_JSON_FROM
                    ? "is not read; expected \"from\", \"input\" and \"to\""
                    : "is not read; expected \"states\", \"alphabet\", \"transitions\", \"start\" "
                      "and \"accept\", or their usual other names",
                err);
        if (role == F2L_JSON_OTHER) continue;
        if (out->key[role]) {
            char shown[F2L_SHOWN];
            return f2l_fail(err, F2L_EFORMAT, "%s: \"%s\" and \"%.40s\" are both there", where,
                            f2l_shown(shown, out->key[role], strlen(out->key[role])), key);
        }
        out->key[role] = key;
        out->value[role] = value;
    }
    return F2L_OK;
}

f2l_status f2l_json_name_read(f2l_json_name *out, const json_t *value, const char *where,
                              f2l_error *err)
{
    if (json_is_integer(value)) {
        snprintf(out->digits, sizeof out->digits, "%lld", (long long)json_integer_value(value));
        out->text = out->digits;
        out->size = strlen(out->digits);
        return F2L_OK;
    }
    if (!json_is_string(value))
        return f2l_fail(err, F2L_EFORMAT, "%s: expected a text or a whole number", where);
    out->text = json_string_value(value);
    out->size = json_string_length(value);
    return F2L_OK;
}
