/* `completion`: the scripts for shells, and the candidates that they ask for at every key. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include <string.h>

static const f2l_option table[] = {{NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* Each script asks the program for the candidates of the words up to the cursor, and turns `:file`
 * and `:more` into what the shell has for them. Bash takes --name=value apart at the '=',
 * so that candidates lose what is in front of the cursor's part. */
static const char bash[] =
    "# bash completion of fsa2lrnn, made by `fsa2lrnn completion bash`\n"
    "_fsa2lrnn() {\n"
    "    local words=() word text path i part=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ ${#words[@]} -gt 0 && ${words[-1]} == --* &&\n"
    "            ($word == = || ${COMP_WORDS[i-1]} == =) ]]; then\n"
    "            words[-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    [[ $part == = ]] && part=\n"
    "    local front=${words[-1]%\"$part\"}\n"
    "    while IFS=$'\\t' read -r word text; do\n"
    "        case $word in\n"
    "        :more) compopt -o nospace 2>/dev/null ;;\n"
    "        :file)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            [[ $text == / ]] && path=(-d) || path=(-f -X \"!*$text\")\n"
    "            while IFS= read -r path; do\n"
    "                COMPREPLY+=(\"$path\")\n"
    "            done < <(compgen \"${path[@]}\" -- \"$part\") ;;\n"
    "        *) COMPREPLY+=(\"${word#\"$front\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" completion words -- \"${words[@]}\" "
    "2>/dev/null)\n"
    "}\n"
    "complete -F _fsa2lrnn fsa2lrnn\n";

static const char zsh[] =
    "#compdef fsa2lrnn\n"
    "# zsh completion of fsa2lrnn, made by `fsa2lrnn completion zsh`\n"
    "_fsa2lrnn() {\n"
    "    local word text\n"
    "    local -a names texts ends space\n"
    "    while IFS=$'\\t' read -r word text; do\n"
    "        case $word in\n"
    "        :more) space=(-S '') ;;\n"
    "        :file) ends+=(\"*$text\") ;;\n"
    "        *) names+=(\"$word\"); texts+=(\"$word${text:+ -- $text}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[1]/#\\~/$HOME}\" completion words -- \"${(@Q)words[2,CURRENT-1]}\" "
    "\"${(Q)PREFIX}\" 2>/dev/null)\n"
    "    (( $#names )) && compadd \"${(@)space}\" -l -d texts -a names\n"
    "    (( $#ends )) || return\n"
    "    compset -P '--[^=]#='\n"
    "    if [[ $ends == '*/' ]]; then _files -/; else _files -g \"$ends\"; fi\n"
    "}\n"
    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
    "    _fsa2lrnn \"$@\"\n"
    "else\n"
    "    compdef _fsa2lrnn fsa2lrnn\n"
    "fi\n";

static const char fish[] =
    "# fish completion of fsa2lrnn, made by `fsa2lrnn completion fish`\n"
    "function __fsa2lrnn\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    set -l program (string replace -r '^~' $HOME -- $words[1])\n"
    "    set -e words[1]\n"
    "    set -l front (string match -r '^--[^=]*=' -- \"$current\")\n"
    "    set -l start (string replace -r '^--[^=]*=' '' -- \"$current\")\n"
    "    for line in ($program completion words -- $words \"$current\" 2>/dev/null)\n"
    "        set -l part (string split -m 1 \\t -- $line)\n"
    "        switch $part[1]\n"
    "            case :more\n"
    "            case :file\n"
    "                for path in (complete -C \"'' $start\" | string replace -r '\\t.*' '')\n"
    "                    string match -q -- \"*$part[2]\" $path; and echo \"$front$path\"\n"
    "                end\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c fsa2lrnn -f -a '(__fsa2lrnn)'\n";

/* Returns a shell, or "words". */
static const char *request_name(size_t index)
{
    static const char *const name[] = {"bash", "zsh", "fish", "words", NULL};
    return name[index];
}

/* --- the candidates for the last of several words --- */

typedef struct line {
    const f2l_command *command;
    bool named;               /* the command's name is among the words */
    const f2l_option *option; /* the last word has a value of this option; NULL: none */
    const char *value;        /* the value, in the last word */
    bool only_operands;       /* `--` came before */
    size_t operands;          /* number of operands before the last word */
    const char *last;
    bool offered;
} line;

static bool is_option(const line *l, const char *word)
{
    return !l->only_operands && word[0] == '-' && word[1];
}

/* Takes a word before the last one. A word after an option that has a value is a value. */
static void take_line_word(line *l, const char *word)
{
    f2l_option_group group;
    const char *value;
    if (l->option) {
        l->option = NULL;
    } else if (is_option(l, word)) {
        l->only_operands = strcmp(word, "--") == 0;
        if (l->only_operands) return;
        const f2l_option *o = f2l_options_match(l->command, word, &group, &value);
        if (o && o->kind != F2L_OPTION_FLAG && !value) l->option = o;
    } else if (!l->named && l->operands == 0 && f2l_command_find(word)) {
        l->command = f2l_command_find(word);
        l->named = true;
    } else {
        l->operands++;
    }
}

/* Looks for a value in the last word: --name=value or -ovalue. */
static void take_last(line *l, const char *word)
{
    f2l_option_group group;
    const char *value;
    l->last = l->value = word;
    if (l->option || !is_option(l, word)) return;
    const f2l_option *o = f2l_options_match(l->command, word, &group, &value);
    if (!o || !value || o->kind == F2L_OPTION_FLAG) return;
    l->option = o;
    l->value = value;
}

static bool begins_with_text(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Appends a candidate: `front` bytes of the last word and the text. */
static void offer(f2l_buf *out, line *l, size_t front, const char *text, const char *meaning)
{
    l->offered = true;
    f2l_buf_bytes(out, l->last, front);
    f2l_buf_printf(out, "%s\t%s\n", text, meaning);
}

/* Appends one line for each ending of a kind of files, and one for folders, whose names end in
 * '/'. */
static void offer_files(f2l_buf *out, line *l, f2l_files files)
{
    if (files == F2L_FILES_NONE) return;
    l->offered = true;
    for (size_t i = 0; f2l_files_ending(files, i); i++)
        f2l_buf_printf(out, ":file\t%s\n", f2l_files_ending(files, i));
    if (files != F2L_FILES_FOLDER) f2l_buf_text(out, ":file\t/\n");
}

/* Appends the values of an option. In a list the candidates continue the part after the last comma,
 * and names of the list are left out. */
static void offer_values(f2l_buf *out, line *l)
{
    const f2l_option *o = l->option;
    const bool list = o->kind == F2L_OPTION_CHOICES || o->kind == F2L_OPTION_TEXTS;
    const char *comma = list ? strrchr(l->value, ',') : NULL, *start = comma ? comma + 1 : l->value;
    if (o->kind == F2L_OPTION_FILE)
        offer_files(out, l, o->minimum ? (f2l_files)o->minimum : F2L_FILES_ANY);
    for (size_t i = 0; o->choice && o->choice(i); i++) {
        const char *name = o->choice(i);
        const size_t size = strlen(name);
        bool skip = !begins_with_text(name, start) || f2l_choice_find(o->choice, name, size) != i;
        for (const char *at = l->value; at < start; at += strcspn(at, ",") + 1)
            skip = skip || (strcspn(at, ",") == size && begins_with_text(at, name));
        if (!skip) offer(out, l, (size_t)(start - l->last), name, "");
    }
    if (list) f2l_buf_text(out, ":more\n");
}

static void offer_options(f2l_buf *out, line *l)
{
    f2l_option_group group;
    for (size_t t = 0; (group = f2l_command_option_table(l->command, t)).title; t++)
        for (const f2l_option *listed = group.options; listed->name; listed++) {
            char text[80] = {'-', listed->letter};
            const f2l_option *o = f2l_command_option(l->command, listed);
            if (!o) continue;
            if (o->letter && begins_with_text(text, l->last)) offer(out, l, 0, text, o->help);
            snprintf(text, sizeof text, "--%s", o->name);
            if (begins_with_text(text, l->last)) offer(out, l, 0, text, o->help);
        }
}

static void offer_operands(f2l_buf *out, line *l)
{
    const f2l_command *c = l->command;
    const bool first = l->operands == 0;
    for (size_t i = 1; first && !l->named && f2l_commands[i]; i++)
        if (begins_with_text(f2l_commands[i]->name, l->last))
            offer(out, l, 0, f2l_commands[i]->name, f2l_commands[i]->summary);
    for (size_t i = 0; first && c->operand && c->operand(i); i++)
        if (begins_with_text(c->operand(i), l->last)) offer(out, l, 0, c->operand(i), "");
    offer_files(out, l, c->files[l->operands < 2 ? l->operands : 2]);
}

static void candidates(f2l_buf *out, char **word, size_t words)
{
    line l = {.command = &f2l_command_main};
    for (size_t i = 0; i + 1 < words; i++) take_line_word(&l, word[i]);
    take_last(&l, words ? word[words - 1] : "");
    if (l.option) l.option = f2l_command_option(l.command, l.option);
    if (l.option)
        offer_values(out, &l);
    else if (!l.only_operands && l.last[0] == '-')
        offer_options(out, &l);
    else
        offer_operands(out, &l);
    if (!l.offered && !l.option && !l.last[0]) offer_options(out, &l);
}

static int run_completion(void *context)
{
    static const char *const script[] = {bash, zsh, fish};
    f2l_cli *cli = context;
    const char *name = cli->operands ? cli->operand[0] : "";
    const size_t request = f2l_choice_find(request_name, name, strlen(name));
    if (request == F2L_NO_CHOICE || (cli->operands > 1 && request < 3))
        return f2l_cli_usage(cli, "one shell is expected: bash, zsh or fish");
    f2l_buf text;
    f2l_buf_init(&text);
    if (request < 3)
        f2l_buf_text(&text, script[request]);
    else
        candidates(&text, cli->operand + 1, cli->operands - 1);
    return f2l_cli_print_named(cli, "help", &text);
}

const f2l_command f2l_command_completion = {
    .name = "completion",
    .usage = (const char *const[]){"completion bash|zsh|fish", "completion words -- WORDS", NULL},
    .summary = "prints the completion script of a shell",
    .description =
        "Prints a script by which bash, zsh or fish complete commands, options, their values and "
        "files. `make install` puts the scripts where the shells look for them; otherwise let the "
        "shell read the output when it starts, as the examples show.\n\n"
        "With `words` it prints how the last of WORDS, the words of a command line up to the "
        "cursor, can continue; the scripts ask in this way. A line has a candidate and what it "
        "means; :file is for files with an ending, / for folders, and after :more no blank "
        "follows.",
    .options = table,
    .operand = request_name,
    .examples =
        (const f2l_example[]){
            {"source <(fsa2lrnn completion bash)", "in ~/.bashrc; in ~/.zshrc the same with zsh"},
            {"fsa2lrnn completion fish | source", "in ~/.config/fish/config.fish"},
            {NULL, NULL}},
    .job_size = sizeof(f2l_cli),
    .run = run_completion};
