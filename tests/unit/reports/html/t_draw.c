#include "numeric/base/mem.h"
#include "reports/html/draw.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "f2l-draw-XXXXXX";
static const char *const name[] = {"automaton.fsa", "report.json", "network.lrnn", "report.html",
                                   "report.md"};

static void path_of(char path[256], size_t i)
{
    snprintf(path, 256, "%s/%s", folder, name[i]);
}

static void write_file(size_t i, const char *text)
{
    char path[256];
    path_of(path, i);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void open_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    setenv("PATH", "/nowhere", 1);
    write_file(0, "fsa 1\nletters 0 1\nstates e o\nstart e\ne 0 e\ne 1 o\no 0 o\no 1 e\n");
    write_file(1, "{\"report\": \"compile\", \"exact\": {\"verdict\": \"REFUTED\"}}");
}

static void close_folder(void)
{
    char path[256];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        path_of(path, i);
        unlink(path);
    }
    cr_assert_eq(rmdir(folder), 0);
}

/* Facts that are missing are left out. */
Test(draw, a_report_with_few_facts)
{
    f2l_error err;
    f2l_buf html, md;
    f2l_buf_init(&html);
    f2l_buf_init(&md);
    open_folder();
    const char *const all[] = {folder};
    cr_assert_eq(f2l_report_pages(&html, &md, all, 1, "fsa2lrnn 1 (commit x)", &err), F2L_OK);
    cr_assert_not_null(strstr(html.data, "wrong on a word"));
    cr_assert_not_null(strstr(html.data, "content=\"fsa2lrnn 1 (commit x)\""));
    cr_assert_not_null(strstr(md.data, "| o | o | e |"));
    cr_assert_null(strstr(md.data, "(null)"));
    f2l_buf_clear(&html);
    f2l_buf_clear(&md);
    write_file(2, "no network");
    cr_assert_eq(f2l_report_pages(&html, &md, all, 1, "fsa2lrnn", &err), F2L_EFORMAT);
    cr_assert(html.size == 0 && md.size == 0);
    close_folder();
}

Test(draw, files_of_others_are_kept)
{
    f2l_error err;
    char path[256];
    open_folder();
    cr_assert_eq(f2l_report_draw(folder, "fsa2lrnn", &err), F2L_OK);
    cr_assert_eq(f2l_report_draw(folder, "fsa2lrnn", &err), F2L_EEXIST, "no version, no mark");
    path_of(path, 3);
    unlink(path);
    cr_assert_eq(f2l_report_draw(folder, "fsa2lrnn 1", &err), F2L_OK);
    cr_assert_eq(f2l_report_draw(folder, "fsa2lrnn 2", &err), F2L_OK);
    write_file(3, "mine");
    cr_assert_eq(f2l_report_draw(folder, "fsa2lrnn 2", &err), F2L_EEXIST);
    close_folder();
}

#ifdef F2L_MEM_FAILURES
/* Draws while the n-th allocation fails, and returns the bytes of the page; 0: F2L_ENOMEM. */
static size_t draw_without(size_t n)
{
    f2l_error err;
    f2l_buf html, md;
    const char *const all[] = {folder};
    f2l_buf_init(&html);
    f2l_buf_init(&md);
    f2l_mem_fail_after(n, false);
    const f2l_status status = f2l_report_pages(&html, &md, all, 1, "fsa2lrnn", &err);
    f2l_mem_fail_after(0, false);
    cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, err.text);
    const size_t size = html.size;
    cr_assert_eq(size > 0, status == F2L_OK);
    f2l_buf_clear(&html);
    f2l_buf_clear(&md);
    return size;
}

/* A page is whole, or the status is F2L_ENOMEM. */
Test(draw, memory)
{
    size_t refused = 0;
    open_folder();
    const size_t whole = draw_without(0);
    for (size_t n = 1; n <= 400; n++) {
        const size_t size = draw_without(n);
        cr_assert(size == 0 || size == whole, "%zu: %zu of %zu", n, size, whole);
        refused += size == 0;
    }
    cr_assert_gt(refused, 40);
    cr_assert_eq(draw_without(100000), whole);
    close_folder();
}
#endif
