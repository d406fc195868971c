#include "reports/html/draw.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/unfinished.h"
#include "reports/html/compile_part.h"
#include "reports/html/folder_list.h"
#include "reports/html/outcome_part.h"
#include "reports/html/run_part.h"
#include "reports/html/study_part.h"
#include "reports/page/chart.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MARK "<meta name=\"generator\" content=\"fsa2lrnn "
#define MD_MARK "<!-- made by fsa2lrnn -->\n"

/* The records of one folder; NULL and empty: it has none of the kind. */
typedef struct records {
    json_t *report, *config, *outcomes;
} records;

static void clear_records(records *r)
{
    json_decref(r->report);
    json_decref(r->config);
    json_decref(r->outcomes);
}

static f2l_status read_records(records *r, const char *folder, f2l_error *err)
{
    *r = (records){NULL, NULL, NULL};
    f2l_status status = f2l_record_read(&r->report, folder, "report.json", err);
    if (status == F2L_OK) status = f2l_record_read(&r->config, folder, "config.json", err);
    if (status == F2L_OK) status = f2l_outcome_rows(&r->outcomes, folder, err);
    if (status != F2L_OK) return status;
    if (!f2l_is_compile(r->report) && !f2l_path_has(folder, "log.jsonl") &&
        json_array_size(r->outcomes) == 0 && !f2l_has_study(folder))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%.200s has neither report.json of the main job, nor log.jsonl of a "
                        "training run, nor an outcome of reproduce",
                        folder);
    return F2L_OK;
}

static f2l_status put_folder(f2l_page *page, const char *folder, f2l_error *err)
{
    records r;
    f2l_status status = read_records(&r, folder, err);
    if (status == F2L_OK && f2l_is_compile(r.report))
        status = f2l_compile_part(page, folder, r.report, err);
    else if (status == F2L_OK && f2l_path_has(folder, "log.jsonl"))
        status = f2l_run_part(page, folder, r.config, err);
    else if (status == F2L_OK && json_array_size(r.outcomes) > 0)
        status = f2l_outcome_part(page, folder, r.outcomes, err);
    else if (status == F2L_OK) {
        f2l_page_title(page, "study of trained networks", f2l_path_base(folder));
        status = f2l_study_part(page, folder, err);
    }
    clear_records(&r);
    return status;
}

/* --- several folders --- */

/* Adds the accuracy of a folder by length: a compiled network's, which is 1 where it is VERIFIED,
 * or a run's. */
static f2l_status add_accuracy(f2l_chart *chart, const char *folder, f2l_error *err)
{
    records r;
    json_t *log = NULL;
    f2l_status status = read_records(&r, folder, err);
    if (status == F2L_OK && f2l_is_compile(r.report)) {
        if (strcmp(f2l_record_text(r.report, "exact.verdict"), "VERIFIED") == 0) {
            f2l_curve *curve = f2l_chart_add(chart, f2l_path_base(folder), true);
            f2l_curve_put(curve, 16, 1);
            f2l_curve_put(curve, 1024, 1);
        }
    } else if (status == F2L_OK)
        status = f2l_record_read_lines(&log, folder, "log.jsonl", err);
    if (log) f2l_run_accuracy(chart, f2l_path_base(folder), log);
    json_decref(log);
    clear_records(&r);
    return status;
}

static f2l_status put_together(f2l_page *page, const char *const *folder, size_t folders,
                               f2l_error *err)
{
    f2l_chart chart;
    f2l_status status = F2L_OK;
    f2l_page_title(page, "report of several folders", "Together");
    f2l_page_raw(page, "<nav aria-label=\"folders\">\n");
    for (size_t i = 0; i < folders; i++) {
        f2l_page_rawf(page, "<a href=\"#part%zu\">", i);
        f2l_html_text(&page->html, f2l_path_base(folder[i]));
        f2l_page_raw(page, "</a>\n");
    }
    f2l_page_raw(page, "</nav>\n");
    f2l_chart_init_accuracy(&chart, "Sequence accuracy by length");
    for (size_t i = 0; i < folders && status == F2L_OK; i++)
        status = add_accuracy(&chart, folder[i], err);
    if (status == F2L_OK && chart.curves > 0) {
        f2l_page_section(page, "together", "Accuracy against length");
        f2l_page_about_drawing(
            page, "Dashed: proved for all words of every length. Others are measured on "
                  "random words.");
        status = f2l_chart_draw(page, &chart, err);
    }
    f2l_chart_clear(&chart);
    f2l_page_close(page);
    return status;
}

/* Appends the page about all folders. */
static f2l_status put_all(f2l_page *page, const char *const *folder, size_t folders, f2l_error *err)
{
    f2l_status status = folders > 1 ? put_together(page, folder, folders, err) : F2L_OK;
    for (size_t i = 0; i < folders && status == F2L_OK; i++) {
        page->part = folders > 1 ? i + 1 : 0;
        if (folders > 1) f2l_page_rawf(page, "<div id=\"part%zu\">\n", i);
        status = put_folder(page, folder[i], err);
        f2l_page_close(page);
        if (folders > 1) f2l_page_raw(page, "</div>\n");
    }
    return status;
}

/* Replaces the folder of a run with several seeds by the folders of its seeds, and copies the path
 * of every other. */
static f2l_status expand_seed_folders(f2l_folder_names *out, const char *folder, f2l_error *err)
{
    f2l_folder_names seeds = {.count = 0};
    f2l_status status = F2L_OK;
    if (f2l_path_has(folder, "sweep.json"))
        status = f2l_folder_list(&seeds, folder, "seed-", "", err);
    for (size_t i = 0; i < (seeds.count ? seeds.count : 1) && status == F2L_OK; i++) {
        f2l_buf path;
        f2l_buf_init(&path);
        f2l_buf_printf(&path, "%s%s%s", folder, seeds.count ? "/" : "",
                       seeds.count ? seeds.name[i] : "");
        status = f2l_buf_status(&path, err);
        if (!f2l_grow((void **)&out->name, &out->capacity, out->count, sizeof *out->name))
            status = f2l_fail_memory(err);
        if (status == F2L_OK)
            out->name[out->count++] = path.data;
        else
            f2l_buf_clear(&path);
    }
    f2l_folder_names_clear(&seeds);
    return status;
}

f2l_status f2l_report_pages(f2l_buf *html, f2l_buf *md, const char *const *folder, size_t folders,
                            const char *tool, f2l_error *err)
{
    f2l_page page;
    f2l_folder_names all = {.count = 0};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < folders && status == F2L_OK; i++)
        status = expand_seed_folders(&all, folder[i], err);
    f2l_page_init(&page);
    f2l_buf_text(&page.md, MD_MARK);
    f2l_page_begin(&page, folders == 1 ? f2l_path_base(folder[0]) : "fsa2lrnn report", tool);
    if (status == F2L_OK) status = put_all(&page, (const char *const *)all.name, all.count, err);
    f2l_page_end(&page);
    if (status == F2L_OK) status = f2l_buf_status(&page.html, err);
    if (status == F2L_OK) status = f2l_buf_status(&page.md, err);
    if (status == F2L_OK) {
        *html = page.html;
        *md = page.md;
        f2l_buf_init(&page.html);
        f2l_buf_init(&page.md);
    }
    f2l_page_clear(&page);
    f2l_folder_names_clear(&all);
    return status;
}

/* --- files --- */

/* Returns whether the file is a page that this program made. */
static bool is_our_page(const char *path)
{
    char begin[512];
    FILE *file = fopen(path, "r");
    const size_t n = file ? fread(begin, 1, sizeof begin - 1, file) : 0;
    begin[n] = '\0';
    if (file) fclose(file);
    return strstr(begin, MARK) || strncmp(begin, MD_MARK, strlen(MD_MARK)) == 0;
}

f2l_status f2l_report_put(const char *path, const f2l_buf *text, bool force, f2l_error *err)
{
    if (!force && access(path, F_OK) == 0 && !is_our_page(path))
        return f2l_fail(err, F2L_EEXIST, "%.200s exists and is no report of this program", path);
    return f2l_write_file(path, text->data, text->size, err);
}

static f2l_status put_file(const char *folder, const char *name, const f2l_buf *text,
                           f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_sweep_unfinished(folder, &name, 1);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_report_put(path.data, text, false, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_status f2l_report_draw(const char *folder, const char *tool, f2l_error *err)
{
    f2l_buf html, md;
    f2l_buf_init(&html);
    f2l_buf_init(&md);
    f2l_status status = f2l_report_pages(&html, &md, &folder, 1, tool, err);
    if (status == F2L_OK) status = put_file(folder, F2L_REPORT_HTML, &html, err);
    if (status == F2L_OK) status = put_file(folder, F2L_REPORT_MD, &md, err);
    f2l_buf_clear(&html);
    f2l_buf_clear(&md);
    return status;
}
