/* The ladder as a table: one line for each class. */
#include "numeric/facts/layout.h"
#include "reports/automata/classify_report.h"
#include "reports/automata/impl.h"
#include "reports/phrases.h"
#include <stdio.h>
#include <string.h>

#define FIGURES "compiled.figures."

/* Paths of facts from a class on; they are the names of the columns, too. */
static const char *const column[] = {"class",
                                     "name",
                                     "model_families",
                                     "answer",
                                     "statement",
                                     "layers",
                                     "householders",
                                     "dimension",
                                     "layers_at_least",
                                     "compiled.status",
                                     "compiled.theorem",
                                     "compiled.variant",
                                     "compiled.exact.verdict",
                                     FIGURES "layers",
                                     FIGURES "heads",
                                     FIGURES "householders",
                                     FIGURES "key_dim",
                                     FIGURES "value_dim",
                                     FIGURES "state_numbers",
                                     FIGURES "factors_per_token",
                                     FIGURES "table_entries",
                                     FIGURES "parameters",
                                     "compiled.compile_options",
                                     "compiled.reason"};

/* Sets *at to the fact; returns false when it, or an object on the path to it, is missing or null.
 */
static bool find_fact_at(f2l_fact *at, f2l_fact from, const char *path)
{
    char name[64];
    for (*at = from; *path; path += *path == '.') {
        const size_t n = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        if (!f2l_has(*at, name) || !f2l_is_known(*at, name)) return false;
        *at = f2l_get(*at, name);
        path += n;
    }
    return true;
}

static void lay_cell(f2l_buf *out, f2l_fact row, const char *path)
{
    f2l_fact at;
    f2l_buf text;
    if (!find_fact_at(&at, row, path)) return;
    f2l_buf_init(&text);
    f2l_layout(&text, at, "{.}");
    if (text.size) f2l_report_csv_field(out, text.data);
    out->failed = out->failed || text.failed;
    f2l_buf_clear(&text);
}

static void lay_verified(f2l_buf *out, f2l_fact row)
{
    f2l_fact formats;
    const size_t begin = out->size;
    if (!find_fact_at(&formats, row, "compiled.formats")) return;
    f2l_layout_items(out, formats, 0, SIZE_MAX, "{verdict=VERIFIED?{format} }", "");
    if (out->size > begin) out->size--;
}

static void lay_classify_csv(f2l_buf *out, f2l_fact from)
{
    const f2l_fact classes = f2l_get(from, "classes");
    const size_t columns = sizeof column / sizeof *column;
    for (size_t c = 0; c < columns; c++) f2l_buf_printf(out, "%s,", column[c]);
    f2l_buf_text(out, "compiled.verified_in\n");
    for (size_t i = 0; i < f2l_get_size(classes, ""); i++) {
        const f2l_fact row = f2l_get_item(classes, i);
        for (size_t c = 0; c < columns; c++) {
            lay_cell(out, row, column[c]);
            f2l_buf_text(out, ",");
        }
        lay_verified(out, row);
        f2l_buf_text(out, "\n");
    }
}

const f2l_report_kind f2l_classify_csv_kind = {.describe = f2l_classify_report_describe,
                                               .lay = lay_classify_csv};
