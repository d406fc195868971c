#include "cli/usage.h"
#include "cli/input_options.h"
#include <string.h>

#define TERM_COLUMN 26
#define TEXT_WIDTH 79

static const f2l_row exit_codes[] = {
    {"0", NULL, "the claim holds (for other commands: done)"},
    {"1", NULL, "refuted: a failing word is printed"},
    {"2", NULL, "unknown: a limit was reached before a verdict"},
    {"64", NULL, "the command line is wrong"},
    {"65", NULL, "an input file is malformed"},
    {"69", NULL,
     "well-formed input to which no construction applies, a library that is missing, or, with "
     "--continue, a folder that has another process or other work"},
    {"71", NULL, "out of memory"},
    {"73", NULL, "the output exists already or cannot be created"},
    {"74", NULL, "reading or writing failed"},
    {"128+N", NULL, "stopped by signal N; nothing partial is left but runs that can be resumed"},
    {NULL, NULL, NULL},
};

static f2l_row exit_code(size_t index)
{
    return exit_codes[index];
}

const f2l_command *f2l_command_find(const char *name)
{
    for (size_t i = 0; f2l_commands[i]; i++) {
        if (f2l_commands[i]->name[0] && strcmp(f2l_commands[i]->name, name) == 0)
            return f2l_commands[i];
    }
    return NULL;
}

const char *f2l_command_nearest(const char *name)
{
    f2l_near near = {.name = name};
    if (strpbrk(name, "./")) return NULL; /* the name of a file, such as x.fsa */
    for (size_t i = 1; f2l_commands[i]; i++) f2l_near_try(&near, f2l_commands[i]->name);
    return near.found;
}

/* Appends text broken at blanks to TEXT_WIDTH columns; `column` is where the first word goes,
 * `indent` where further lines begin. Empty lines of the text are kept. */
static void wrap(f2l_buf *out, const char *text, size_t column, size_t indent)
{
    bool line_start = true;
    while (*text) {
        if (*text == '\n') {
            f2l_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            line_start = true;
            text++;
            continue;
        }
        size_t word = strcspn(text, " \n");
        if (!line_start && column + 1 + word > TEXT_WIDTH) {
            f2l_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            line_start = true;
        }
        if (!line_start) {
            f2l_buf_text(out, " ");
            column++;
        }
        f2l_buf_bytes(out, text, word);
        column += word;
        line_start = false;
        text += word;
        if (*text == ' ') text++;
    }
    f2l_buf_text(out, "\n");
}

/* Appends a term and its explanation in the second column (on a line of its own below a long
 * term). */
static void append_usage_entry(f2l_buf *out, const char *term, const char *text)
{
    size_t size = strlen(term);
    f2l_buf_printf(out, "  %s", term);
    if (size + 4 > TERM_COLUMN) {
        f2l_buf_printf(out, "\n%*s", TERM_COLUMN, "");
    } else {
        f2l_buf_printf(out, "%*s", (int)(TERM_COLUMN - 2 - size), "");
    }
    wrap(out, text, TERM_COLUMN, TERM_COLUMN);
}

/* Appends "-o, --out OUT". */
static void option_term(f2l_buf *out, const f2l_option *o)
{
    if (o->letter) f2l_buf_printf(out, "-%c, ", o->letter);
    f2l_buf_printf(out, "--%s", o->name);
    if (o->argument) f2l_buf_printf(out, " %s", o->argument);
}

static void option_entries(f2l_buf *out, const f2l_command *command, const f2l_option_group *group)
{
    if (group->options->name && group->title[0]) f2l_buf_printf(out, "\n%s:\n", group->title);
    for (const f2l_option *listed = group->options; listed->name; listed++) {
        f2l_buf term;
        const f2l_option *o = f2l_command_option(command, listed);
        if (!o) continue;
        f2l_buf_init(&term);
        option_term(&term, o);
        append_usage_entry(out, term.data ? term.data : "", o->help);
        f2l_buf_clear(&term);
    }
}

static void row_entries(f2l_buf *out, f2l_row (*row)(size_t))
{
    for (size_t i = 0; row(i).term; i++) {
        f2l_row r = row(i);
        f2l_buf term;
        f2l_buf_init(&term);
        f2l_buf_printf(&term, "%s%s%s", r.term, r.argument && r.argument[0] ? " " : "",
                       r.argument ? r.argument : "");
        append_usage_entry(out, term.data ? term.data : "", r.text);
        f2l_buf_clear(&term);
    }
}

void f2l_usage_help(f2l_buf *out, const f2l_command *command)
{
    for (size_t i = 0; command->usage[i]; i++) {
        f2l_buf_printf(out, "%s fsa2lrnn %s\n", i ? "      " : "Usage:", command->usage[i]);
    }
    f2l_buf_text(out, "\n");
    wrap(out, command->description, 0, 0);
    if (!command->name[0]) {
        f2l_buf_text(out, "\n"
                          "Other commands (see fsa2lrnn help COMMAND):\n");
        for (size_t i = 1; f2l_commands[i]; i++)
            append_usage_entry(out, f2l_commands[i]->name, f2l_commands[i]->summary);
    }
    if (command->list) {
        f2l_buf_printf(out, "\n%s:\n", command->list_title);
        row_entries(out, command->list);
    }
    f2l_option_group group;
    for (size_t t = 0; (group = f2l_command_option_table(command, t)).title; t++)
        option_entries(out, command, &group);
    f2l_buf_text(out, "\nExamples:\n");
    for (const f2l_example *e = command->examples; e->command; e++) {
        f2l_buf_printf(out, "  %s\n      %s\n", e->command, e->comment);
    }
    f2l_buf_text(out, "\nExit status:\n");
    row_entries(out, exit_code);
}

/* Appends text for roff: backslashes and hyphens escaped, control characters at the start of a line
 * made harmless. */
static void roff(f2l_buf *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) f2l_buf_text(out, "\\&");
        if (*text == '\\') {
            f2l_buf_text(out, "\\e");
        } else if (*text == '-') {
            f2l_buf_text(out, "\\-");
        } else if (*text == '\n' && text[1] == '\n') {
            f2l_buf_text(out, "\n.PP");
        } else {
            f2l_buf_bytes(out, text, 1);
        }
        line_start = *text == '\n';
    }
}

static void roff_options(f2l_buf *out, const f2l_option *table)
{
    for (const f2l_option *o = table; o->name; o++) {
        f2l_buf_text(out, ".TP\n");
        if (o->letter) f2l_buf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
        f2l_buf_text(out, "\\fB\\-\\-");
        roff(out, o->name);
        f2l_buf_text(out, "\\fR");
        if (o->argument) f2l_buf_printf(out, " \\fI%s\\fR", o->argument);
        f2l_buf_text(out, "\n");
        roff(out, o->help);
        f2l_buf_text(out, "\n");
    }
}

static void roff_rows(f2l_buf *out, f2l_row (*row)(size_t))
{
    for (size_t i = 0; row(i).term; i++) {
        f2l_row r = row(i);
        f2l_buf_text(out, ".TP\n\\fB");
        roff(out, r.term);
        f2l_buf_text(out, "\\fR");
        if (r.argument && r.argument[0]) {
            f2l_buf_text(out, " ");
            roff(out, r.argument);
        }
        f2l_buf_text(out, "\n");
        roff(out, r.text);
        f2l_buf_text(out, "\n");
    }
}

/* Returns whether a command before `command` has the table of options. */
static bool is_above(const f2l_command *command, const f2l_option *table)
{
    for (const f2l_command *const *c = f2l_commands; *c != command; c++) {
        f2l_option_group group;
        for (size_t t = 0; (group = f2l_command_option_table(*c, t)).title; t++)
            if (group.options == table) return true;
    }
    return false;
}

/* Appends a group's options, or its title where they are above. */
static void roff_group(f2l_buf *out, const f2l_command *command, const f2l_option_group *group)
{
    const bool above = is_above(command, group->options);
    if (group->title[0]) {
        f2l_buf_text(out, ".PP\n");
        roff(out, group->title);
        if (above) f2l_buf_text(out, " (above)");
        if (command->no_label && group->options == f2l_input_table)
            f2l_buf_printf(out, ", without \\-\\-label%s",
                           command->no_sink ? " and \\-\\-sink" : "");
        if (command->no_edges && group->options == f2l_input_table)
            f2l_buf_text(out, ", without \\-\\-label edges");
        f2l_buf_text(out, above ? ".\n" : ":\n");
    }
    if (!above) roff_options(out, group->options);
}

static void roff_command(f2l_buf *out, const f2l_command *command)
{
    if (command->name[0]) {
        f2l_buf_printf(out, ".SS fsa2lrnn %s\n", command->name);
        roff(out, command->description);
        f2l_buf_text(out, "\n");
    }
    if (command->list) {
        f2l_buf_text(out, ".PP\n");
        roff(out, command->list_title);
        f2l_buf_text(out, ":\n");
        roff_rows(out, command->list);
    }
    roff_options(out, command->options);
    f2l_option_group group;
    for (size_t t = 1; (group = f2l_command_option_table(command, t)).options != f2l_global_options;
         t++)
        roff_group(out, command, &group);
}

void f2l_usage_man(f2l_buf *out, const char *version)
{
    const f2l_command *job = f2l_commands[0];
    f2l_buf_printf(out, ".TH FSA2LRNN 1 \"\" \"fsa2lrnn %s\" \"User commands\"\n", version);
    f2l_buf_text(out, ".SH NAME\nfsa2lrnn \\- ");
    roff(out, job->summary);
    f2l_buf_text(out, "\n.SH SYNOPSIS\n.nf\n");
    for (size_t i = 0; f2l_commands[i]; i++) {
        for (size_t k = 0; f2l_commands[i]->usage[k]; k++) {
            f2l_buf_text(out, "fsa2lrnn ");
            roff(out, f2l_commands[i]->usage[k]);
            f2l_buf_text(out, "\n");
        }
    }
    f2l_buf_text(out, ".fi\n.SH DESCRIPTION\n");
    roff(out, job->description);
    f2l_buf_text(out, "\n.SH OPTIONS\n");
    roff_command(out, job);
    f2l_buf_text(out, ".SS Options of every command\n");
    roff_options(out, f2l_global_options);
    f2l_buf_text(out, ".SH COMMANDS\n");
    for (size_t i = 1; f2l_commands[i]; i++) roff_command(out, f2l_commands[i]);
    f2l_buf_text(out, ".SH EXAMPLES\n");
    for (size_t i = 0; f2l_commands[i]; i++) {
        for (const f2l_example *e = f2l_commands[i]->examples; e->command; e++) {
            f2l_buf_text(out, ".TP\n\\fB");
            roff(out, e->command);
            f2l_buf_text(out, "\\fR\n");
            roff(out, e->comment);
            f2l_buf_text(out, "\n");
        }
    }
    f2l_buf_text(out, ".SH EXIT STATUS\n");
    roff_rows(out, exit_code);
    f2l_buf_text(
        out, ".SH SEE ALSO\n"
             ".B lrnn\\-check\n"
             "AUTOMATON NETWORK CERTIFICATE verifies a certificate; it shares no code with this "
             "program.\n");
}
