/* The part of the report on the end of the search, and on the first network that it found. */
#include "numeric/facts/layout.h"
#include "reports/compile/report_parts.h"

static const char *end_name(f2l_compile_end end)
{
    static const char *const name[] = {[F2L_COMPILE_COMPLETE] = "complete",
                                       [F2L_COMPILE_EFFORT] = "effort",
                                       [F2L_COMPILE_TIME] = "time limit",
                                       [F2L_COMPILE_MEMORY] = "memory limit",
                                       [F2L_COMPILE_INTERRUPTED] = "interrupted"};
    return name[end];
}

static void say_first(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_compile_search *s = &c->search;
    if (s->first >= c->entries) {
        f2l_say_null(in, "first");
        return;
    }
    const f2l_compile_entry *e = &c->entry[s->first];
    f2l_fact first = f2l_say_object(in, "first");
    f2l_say_text(first, "theorem", e->theorem);
    f2l_say_text(first, "variant", e->variant);
    f2l_say_count(first, "layers", e->figures.layers);
    f2l_say_count(first, "steps", s->first_steps);
    f2l_say_truth(first, "best", e->best);
}

void f2l_report_say_search(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_compile_search *s = &c->search;
    f2l_fact search = f2l_say_object(in, "search");
    f2l_say_text(search, "ended", end_name(s->end));
    f2l_say_known(search, "effort", s->effort > 0, s->effort);
    f2l_say_count(search, "steps", s->steps);
    say_first(search, c);
}

void f2l_report_search(f2l_buf *out, f2l_fact from)
{
    const f2l_fact search = f2l_get(from, "search");
    f2l_layout(out, search,
               "search         {ended=complete?complete: every construction was built, "
               "does not apply or cannot be better|"
               "{ended=interrupted?interrupted|ended by {ended=effort?its effort (--effort)|the "
               "{ended}}}: something better may be left}");
    f2l_buf_printf(out, " (%.1f", f2l_get_number(search, "steps") / 1e6);
    if (f2l_is_known(search, "effort"))
        f2l_buf_printf(out, " of %.0f", f2l_get_number(search, "effort") / 1e6);
    f2l_buf_text(out, " million steps");
    if (f2l_is_known(search, "first"))
        f2l_layout(out, f2l_get(search, "first"),
                   "{best?|; first: {theorem}{variant? {variant}}, {layers layer}}");
    f2l_buf_text(out, ")\n");
}
