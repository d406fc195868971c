/* The hash of an outcome's recipe, computed again from the configuration that the row has. */
#include "numeric/base/sha256.h"
#include "numeric/json/json.h"
#include "reports/training/impl.h"

/* The hashes of rows that were recorded on 2026-11-27 and have no configuration, which were written
 * by the commits 7a575916738c and 545daf3cd517 (reports/results/training). */
static const char *const without_config[] = {
    "ac3b32597d2f78fccb486790b0d13f9f0f208520b2abd12e670eed6468e220c6", /* cycles, delta-signed */
    "ccf4f1cc603868c71fe835eac257d82d0c65d34740c4c8e554b4c5d776463f5e", /* cycles, nh2 */
    "8637a94ef9026750ae5c351bdc472ce2fb2cae4de54ffc919eb86b094359a1c1", /* pairs, delta-signed */
    "faf2c4ea065064878ff61c3f39da0b1a3dd1d7808eca617b19ce66d6ea5b2189", /* pairs, gated-signed */
    "bc6f10fbf6914e076203ab9d63058d509787e8c3c90751b6188ef1a7fede0f2d", /* pairs, nh2 */
    "d83e6647832a7fb9b50dd813a079633152bd410e3e66eb9761c9936f5d05e2bc", /* parity, nh2 */
};

/* --- config.json --- */

static void put_value(f2l_buf *out, const json_t *value, bool all_digits);

/* Appends the members of an object or an array, with commas between them. */
static void put_parts(f2l_buf *out, json_t *value, bool all_digits)
{
    const char *name;
    json_t *part;
    size_t i;
    bool first = true;
    json_object_foreach(value, name, part)
    {
        if (!first) f2l_buf_text(out, ",");
        first = false;
        f2l_json_text(out, name);
        f2l_buf_text(out, ":");
        put_value(out, part, all_digits);
    }
    json_array_foreach(value, i, part)
    {
        if (i > 0) f2l_buf_text(out, ",");
        put_value(out, part, all_digits);
    }
}

static void put_value(f2l_buf *out, const json_t *value, bool all_digits)
{
    const bool object = json_is_object(value);
    if (object || json_is_array(value)) {
        f2l_buf_text(out, object ? "{" : "[");
        put_parts(out, (json_t *)value, all_digits);
        f2l_buf_text(out, object ? "}" : "]");
    } else if (json_is_string(value)) {
        f2l_json_text(out, json_string_value(value));
    } else if (json_is_integer(value)) {
        f2l_buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value) && all_digits) {
        f2l_buf_printf(out, "%.17g", json_real_value(value));
    } else if (json_is_real(value)) {
        f2l_json_number(out, json_real_value(value));
    } else {
        f2l_buf_text(out, json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false");
    }
}

/* Appends the bytes of the config.json that this is (models/learn/experiment/experiment_config.c),
 * by any version of the program: the members are in the order in which the row has them, objects
 * and what follows them begin lines, and the model's numbers have all digits. */
static void put_config(f2l_buf *out, json_t *config)
{
    const char *name;
    json_t *part;
    bool first = true, behind_object = false;
    f2l_buf_text(out, "{");
    json_object_foreach(config, name, part)
    {
        const bool object = json_is_object(part);
        if (!first) f2l_buf_text(out, object || behind_object ? ",\n" : ",");
        first = false;
        behind_object = object;
        f2l_json_text(out, name);
        f2l_buf_text(out, ":");
        put_value(out, part, strcmp(name, "model") == 0);
    }
    f2l_buf_text(out, "}\n");
}

static f2l_status hash_config(char hash[65], json_t *config, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    put_config(&text, config);
    const f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, hash);
    f2l_buf_clear(&text);
    return status;
}

/* --- checks --- */

static bool is_known_without_config(const char *recipe)
{
    for (size_t i = 0; i < sizeof without_config / sizeof *without_config; i++)
        if (strcmp(without_config[i], recipe) == 0) return true;
    return false;
}

/* Sets *why to what is wrong with the recipe of a row; NULL: nothing. */
static f2l_status judge(const char **why, const f2l_outcome *w, f2l_error *err)
{
    char hash[65] = "";
    *why = NULL;
    if (w->config == NULL) {
        if (w->recipe[0] != '\0' && !is_known_without_config(w->recipe))
            *why = "is a hash that no version is known to have written, and there is no \"config\" "
                   "to compute it from";
        return F2L_OK;
    }
    const f2l_status status = hash_config(hash, w->config, err);
    if (status != F2L_OK || strcmp(hash, w->recipe) == 0) return status;
    *why = w->recipe[0] != '\0' ? "is not the hash of its \"config\""
                                : "is missing, but there is a \"config\"";
    return F2L_OK;
}

/* Returns the place of the next `what` in the text behind *at, and moves *at there; NULL: none. */
static const char *find_next(const char **at, const char *end, const char *what)
{
    const size_t size = strlen(what);
    for (const char *p = *at; size > 0 && (size_t)(end - p) >= size; p++)
        if (memcmp(p, what, size) == 0) {
            *at = p + size;
            return p;
        }
    return NULL;
}

/* Refuses the recipe that is written at `place` (NULL: not known) of the text. */
static f2l_status refuse_recipe(const char *why, const char *text, const char *place,
                                f2l_error *err)
{
    size_t line = 1;
    const char *begin = text;
    for (const char *p = text; place != NULL && p < place; p++)
        if (*p == '\n') {
            line++;
            begin = p + 1;
        }
    if (place == NULL)
        return f2l_fail(err, F2L_EFORMAT, "an outcome: the member \"recipe\" %s", why);
    return f2l_fail_at(err, line, (size_t)(place - begin) + 1,
                       "an outcome: the member \"recipe\" %s", why);
}

f2l_status f2l_outcomes_check_recipes(const f2l_outcomes *list, size_t from, const char *text,
                                      size_t size, f2l_error *err)
{
    const char *at = text;
    for (size_t i = from; i < list->rows; i++) {
        const char *why, *place = find_next(&at, text + size, list->row[i].recipe);
        const f2l_status status = judge(&why, &list->row[i], err);
        if (status != F2L_OK) return status;
        if (why != NULL) return refuse_recipe(why, text, place, err);
    }
    return F2L_OK;
}
