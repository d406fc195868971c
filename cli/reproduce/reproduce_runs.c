/* `reproduce --plan`: every run as a line of JSON, with the command that makes it. */
#include "cli/reproduce/reproduce_job.h"
#include "cli/work/unit.h"
#include "library/version.h"
#include "numeric/json/json.h"
#include "theory/beside/compare/failing.h"
#include <stdio.h>
#include <string.h>

/* --- the command --- */

/* Appends a word to the list, and to the line as a word of a shell. */
static void put_word(f2l_buf *line, f2l_fact list, const char *word)
{
    f2l_say_text(list, NULL, word);
    f2l_unit_put_word(line, word);
}

static void put_option(f2l_buf *line, f2l_fact list, const char *name, const char *value)
{
    put_word(line, list, name);
    put_word(line, list, value);
}

static void put_real(f2l_buf *line, f2l_fact list, const char *name, double value)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_json_number(&text, value);
    if (text.failed)
        line->failed = true;
    else
        put_option(line, list, name, text.data);
    f2l_buf_clear(&text);
}

/* One run of the plan. */
typedef struct planned {
    const f2l_preset_model *model;
    const f2l_preset_run *run;
    double rate; /* 0: the recipe's */
    uint32_t seed;
    char recipe[65];
    const char *folder;
} planned;

/* Puts the command as the facts argv and command. It does not depend on what was done before: it
 * begins the run, goes on with it, or finds that it has ended. */
static void say_command(f2l_fact in, const f2l_reproduce_job *j, const planned *p)
{
    char seed[16];
    const f2l_reproduce_request *r = &j->request;
    f2l_buf line;
    f2l_buf_init(&line);
    const f2l_fact list = f2l_say_list(in, "argv");
    snprintf(seed, sizeof seed, "%lu", (unsigned long)p->seed);
    put_word(&line, list, "fsa2lrnn");
    put_word(&line, list, "reproduce");
    put_word(&line, list, r->preset->name);
    put_option(&line, list, "--setting", f2l_preset_setting_name(r->setting));
    put_option(&line, list, "--model", p->model->name);
    if (p->rate > 0) put_real(&line, list, "--rate", p->rate);
    put_option(&line, list, "--seed", seed);
    put_real(&line, list, "--scale", r->scale);
    put_option(&line, list, "--backend", f2l_backend_name(r->backend));
    if (r->words[0]) put_option(&line, list, "--data", r->words);
    if (r->test[0]) put_option(&line, list, "--test", r->test);
    if (r->words[0] && !r->test[0]) put_real(&line, list, "--held-out", r->held_out);
    if (j->checkpoint_seconds >= 0)
        put_real(&line, list, "--checkpoint-seconds", j->checkpoint_seconds);
    if (j->search != F2L_FAILING_USUAL) put_real(&line, list, "--search", (double)j->search);
    put_option(&line, list, "--recipe", p->recipe);
    put_option(&line, list, "--out", p->folder);
    put_word(&line, list, "--continue");
    f2l_say_buf(in, "command", &line);
}

/* --- the lines --- */

/* Puts the words of the run, where they are not the preset's. */
static void say_inputs(f2l_fact line, const f2l_reproduce_request *r)
{
    const f2l_fact list = f2l_say_list(line, "inputs");
    const char *const source[] = {r->words, r->test}, *const sha256[] = {r->words_sha256,
                                                                         r->test_sha256};
    for (size_t i = 0; i < 2; i++) {
        if (!source[i][0]) continue;
        const f2l_fact input = f2l_say_object(list, NULL);
        f2l_say_text(input, "path", source[i]);
        f2l_say_text(input, "sha256", sha256[i]);
        f2l_say_null(input, "canonical");
    }
}

static f2l_status put_line(f2l_buf *out, const f2l_reproduce_job *j, const planned *p,
                           f2l_error *err)
{
    const f2l_experiment *e = &p->run->experiment;
    f2l_facts facts;
    f2l_facts_init(&facts);
    const f2l_fact line = f2l_facts_root(&facts);
    f2l_say_text(line, "schema", F2L_UNIT_SCHEMA);
    f2l_say_text(line, "job", "reproduce");
    say_inputs(line, &j->request);
    f2l_say_list(line, "equal");
    f2l_say_text(line, "preset", j->request.preset->name);
    f2l_say_text(line, "setting", f2l_preset_setting_name(j->request.setting));
    f2l_say_text(line, "model", p->model->name);
    f2l_say_number(line, "rate", e->train.rate);
    f2l_say_count(line, "seed", p->seed);
    f2l_say_number(line, "scale", j->request.scale);
    f2l_say_count(line, "steps", e->train.steps);
    f2l_say_count(line, "full_steps", p->run->full_steps);
    f2l_say_text(line, "backend", f2l_backend_name(j->request.backend));
    f2l_say_text(line, "recipe", p->recipe);
    f2l_say_number(line, "cost_seconds", f2l_experiment_seconds(e, j->request.backend));
    f2l_say_text(line, "version", f2l_version());
    f2l_say_text(line, "commit", f2l_commit());
    f2l_say_text(line, "folder", p->folder);
    say_command(line, j, p);
    const f2l_status status = f2l_facts_write(out, &facts, (f2l_facts_style){.digits = 17}, err);
    f2l_facts_clear(&facts);
    return status;
}

/* Appends a line for each seed of a cell. */
static f2l_status put_cell(f2l_buf *out, const f2l_reproduce_job *j, size_t cell, f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    planned p = {.model = f2l_reproduce_model(j, cell), .rate = r->rate[cell % r->rates]};
    f2l_preset_run run;
    f2l_preset_run_init(&run);
    p.run = &run;
    f2l_status status = f2l_reproduce_build(&run, j, cell, err);
    if (status == F2L_OK) status = f2l_preset_recipe_hash(p.recipe, &run, err);
    for (size_t k = 0; k < r->seeds && status == F2L_OK; k++) {
        f2l_buf folder;
        f2l_buf_init(&folder);
        p.seed = r->seed + (uint32_t)k;
        status = f2l_reproduce_folder(&folder, j, cell, err);
        f2l_buf_printf(&folder, "-seed-%lu", (unsigned long)p.seed);
        if (status == F2L_OK) status = f2l_buf_status(&folder, err);
        p.folder = folder.data;
        if (status == F2L_OK) status = put_line(out, j, &p, err);
        f2l_buf_clear(&folder);
    }
    f2l_preset_run_clear(&run);
    return status;
}

/* Returns whether the name of the folder is the same in JSON and in one line of a shell. */
static bool is_plain_folder_name(const char *name)
{
    size_t at;
    if (!f2l_utf8_valid(name, strlen(name), &at)) return false;
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

int f2l_reproduce_job_list(f2l_reproduce_job *j)
{
    f2l_error err;
    f2l_buf text;
    f2l_status status = F2L_OK;
    if (!is_plain_folder_name(j->folder))
        return f2l_cli_usage(j->cli, "--plan prints JSON: the name of the folder must be UTF-8 "
                                     "without control characters");
    f2l_buf_init(&text);
    for (size_t i = 0; i < f2l_reproduce_cells(j) && status == F2L_OK; i++)
        status = put_cell(&text, j, i, &err);
    return f2l_cli_show(j->cli, &text, status, &err);
}
