/* `report`: pages about output folders. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/draw.h"
#include "numeric/base/path.h"
#include "reports/html/draw.h"
#include <string.h>

typedef struct report_options {
    const char *out;
    bool force, markdown;
} report_options;

#define FIELD(name) offsetof(report_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(out),
     "the page (default: report.html in the folder, for several folders in the current one); the "
     "Markdown page is beside it, with the ending .md"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force),
     "replace files that are no reports of this program"},
    {"markdown", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(markdown),
     "print the Markdown page, and write nothing"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    report_options o;
    f2l_buf html, md, html_path, md_path;
} job;

#define PARTS(part, clear) \
    part(f2l_buf, html), part(f2l_buf, md), part(f2l_buf, html_path), part(f2l_buf, md_path)
F2L_JOB(PARTS)

/* Sets the paths of both pages. */
static f2l_status name_pages(job *j, f2l_error *err)
{
    const f2l_cli *cli = &j->cli;
    if (j->o.out)
        f2l_buf_text(&j->html_path, j->o.out);
    else if (cli->operands == 1)
        f2l_buf_printf(&j->html_path, "%s/" F2L_REPORT_HTML, cli->operand[0]);
    else
        f2l_buf_text(&j->html_path, F2L_REPORT_HTML);
    f2l_status status = f2l_buf_status(&j->html_path, err);
    if (status != F2L_OK) return status;
    const char *path = j->html_path.data;
    const size_t folder = f2l_path_folder(path);
    f2l_buf_bytes(&j->md_path, path, folder + f2l_path_stem(path + folder));
    f2l_buf_text(&j->md_path, ".md");
    return f2l_buf_status(&j->md_path, err);
}

/* Prints which files were written, or with --markdown the page. */
static int print_pages(job *j)
{
    f2l_facts facts;
    f2l_buf text;
    f2l_buf_init(&text);
    if (j->cli.global.json) {
        f2l_facts_init(&facts);
        const f2l_fact root = f2l_facts_root(&facts);
        f2l_say_report(root, "report");
        f2l_say_text(root, "page_html", j->html_path.data);
        f2l_say_text(root, "page_markdown", j->md_path.data);
        f2l_say_text(root, "markdown", j->md.data);
        return f2l_cli_print_facts(&j->cli, &facts);
    }
    if (j->o.markdown) return f2l_cli_print(&j->cli, &j->md);
    if (j->cli.global.quiet) return 0;
    f2l_buf_printf(&text, "%s\n%s\n", j->html_path.data, j->md_path.data);
    return f2l_cli_print(&j->cli, &text);
}

static int write_pages(job *j)
{
    f2l_error err;
    if (j->o.markdown) return print_pages(j);
    f2l_status status = name_pages(j, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    if (strcmp(j->html_path.data, j->md_path.data) == 0)
        return f2l_cli_usage(&j->cli, "--out ends in .md, which is the ending of the other page");
    status = f2l_report_put(j->html_path.data, &j->html, j->o.force, &err);
    if (status == F2L_OK) status = f2l_report_put(j->md_path.data, &j->md, j->o.force, &err);
    return status == F2L_OK ? print_pages(j) : f2l_cli_fail(&j->cli, NULL, &err);
}

static int run_report(void *context)
{
    job *j = context;
    f2l_error err;
    char tool[128];
    f2l_cli *cli = &j->cli;
    if (cli->operands == 0) return f2l_cli_usage(cli, "an output folder is expected");
    if (j->o.out && !j->o.out[0]) return f2l_cli_usage(cli, "--out is empty");
    if (j->o.markdown && (j->o.out || j->o.force))
        return f2l_cli_usage(cli, "--markdown writes no file: --out and --force are for files");
    if (f2l_report_pages(&j->html, &j->md, (const char *const *)cli->operand, cli->operands,
                         f2l_cli_tool(tool, sizeof tool), &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    return write_pages(j);
}

const f2l_command f2l_command_report = {
    .name = "report",
    .usage =
        (const char *const[]){"report DIR.. [-o FILE] [options]", "report DIR.. --markdown", NULL},
    .summary = "draws a page about output folders, for a browser and as Markdown",
    .description =
        "Draws report.html, one file that needs no network, and report.md, from the files of "
        "output folders: of the main job, of train and of reproduce. The page has the verdict "
        "with its scope, the automaton, the matrices of the letters with their eigenvalues, the "
        "cascade, the number formats, accuracy by length, and the commands that check it all. "
        "With several folders it begins with their accuracies together. The three commands draw "
        "the page of their folder themselves, unless --no-report is given.\n\n"
        "Graphs are drawn by `dot` (Graphviz), curves by `gnuplot`, each within five seconds. "
        "Where one is not installed, its figures are tables, and the page says so. A page names no "
        "time: equal folders give equal pages.",
    .options = table,
    .files = {F2L_FILES_FOLDER, F2L_FILES_FOLDER},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn report s3.lrnn", "draw s3.lrnn/report.html and s3.lrnn/report.md again"},
            {"fsa2lrnn report s3.lrnn s3.train -o s3.html",
             "the constructed and the trained network on one page"},
            {"fsa2lrnn report s3.lrnn --markdown", "the page in a terminal"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_report};
