/* The part of the report on the end of the search, and on the first network that it found. */
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"

const char *f2l_report_search_end(f2l_compile_end end)
{
    static const char *const name[] = {[F2L_COMPILE_COMPLETE] = "complete",
                                       [F2L_COMPILE_EFFORT] = "effort",
                                       [F2L_COMPILE_TIME] = "time limit",
                                       [F2L_COMPILE_MEMORY] = "memory limit",
                                       [F2L_COMPILE_INTERRUPTED] = "interrupted"};
    return name[end];
}

static json_t *first_json(const f2l_compile_result *c)
{
    const f2l_compile_search *s = &c->search;
    if (s->first >= c->entries) return json_null();
    const f2l_compile_entry *e = &c->entry[s->first];
    json_t *o = json_object();
    return f2l_json_finish(o,
                           f2l_json_put(o, "theorem", f2l_json_text(e->theorem)) &&
                               f2l_json_put(o, "variant", f2l_json_text(e->variant)) &&
                               f2l_json_put(o, "layers", f2l_json_number(e->figures.layers)) &&
                               f2l_json_put(o, "steps", json_integer((json_int_t)s->first_steps)));
}

json_t *f2l_report_search_json(const f2l_compile_result *c)
{
    const f2l_compile_search *s = &c->search;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "ended", f2l_json_text(f2l_report_search_end(s->end))) &&
               f2l_json_put(o, "effort",
                            s->effort ? json_integer((json_int_t)s->effort) : json_null()) &&
               f2l_json_put(o, "steps", json_integer((json_int_t)s->steps)) &&
               f2l_json_put(o, "first", first_json(c)));
}

static void write_first(f2l_buf *out, const f2l_compile_result *c)
{
    const f2l_compile_search *s = &c->search;
    if (s->first >= c->entries || c->entry[s->first].best) return;
    const f2l_compile_entry *e = &c->entry[s->first];
    f2l_buf_text(out, "; first: ");
    f2l_report_entry_name(out, e);
    f2l_buf_printf(out, ", %zu layer%s", e->figures.layers, e->figures.layers == 1 ? "" : "s");
}

void f2l_report_search(f2l_buf *out, const f2l_compile_result *c, int indent)
{
    static const char *const what[] = {
        [F2L_COMPILE_COMPLETE] = "complete: nothing that could be better is left",
        [F2L_COMPILE_EFFORT] = "ended by its effort (--effort): something better may be left",
        [F2L_COMPILE_TIME] = "ended by the time limit: something better may be left",
        [F2L_COMPILE_MEMORY] = "ended by the memory limit: something better may be left",
        [F2L_COMPILE_INTERRUPTED] = "interrupted: something better may be left"};
    const f2l_compile_search *s = &c->search;
    if (!c->entries) return;
    f2l_buf_printf(out, "%-*s%s (%.1f", indent, "search", what[s->end], (double)s->steps / 1e6);
    if (s->effort) f2l_buf_printf(out, " of %.0f", (double)s->effort / 1e6);
    f2l_buf_text(out, " million steps");
    write_first(out, c);
    f2l_buf_text(out, ")\n");
}
