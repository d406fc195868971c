/* Chunks: several short units in one line, whose command does them one after the other. */
#include "cli/plan/plan_job.h"
#include "cli/work/lock.h"
#include "cli/work/unit.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <string.h>

/* A chunk that grows. */
typedef struct chunk {
    f2l_buf lines;
    f2l_facts facts;
    f2l_fact units;
    double cost;
    size_t count;
} chunk;

static void begin_chunk(chunk *c)
{
    *c = (chunk){.cost = 0};
    f2l_buf_init(&c->lines);
    f2l_facts_init(&c->facts);
    const f2l_fact root = f2l_facts_root(&c->facts);
    f2l_say_text(root, "schema", F2L_UNIT_SCHEMA);
    f2l_say_text(root, "job", F2L_UNIT_CHUNK);
    f2l_say_list(root, "inputs");
    f2l_say_list(root, "equal");
    f2l_say_list(root, "options");
    f2l_say_null(root, "folder");
    c->units = f2l_say_list(root, "units");
}

static void clear_chunk(chunk *c)
{
    f2l_buf_clear(&c->lines);
    f2l_facts_clear(&c->facts);
}

/* Moves the unit into the chunk. */
static void take_unit(chunk *c, f2l_plan_unit *unit)
{
    f2l_buf_bytes(&c->lines, unit->line.data, unit->line.size);
    f2l_say_json(c->units, NULL, json_loadb(unit->line.data, unit->line.size, 0, NULL));
    c->cost += unit->cost;
    c->count++;
    f2l_plan_unit_clear(unit);
}

/* Writes the lines of the chunk into a file that has the name of their hash,
 * OUT/.chunks/HASH.jsonl, which no unit has as its folder, and sets *path to it. */
static f2l_status write_chunk(f2l_buf *path, const chunk *c, const f2l_plan_job *j, f2l_error *err)
{
    char sha256[65];
    size_t made;
    f2l_buf folder;
    f2l_buf_init(&folder);
    f2l_status status = f2l_buf_status(&c->lines, err);
    if (status == F2L_OK) f2l_sha256_hex(c->lines.data, c->lines.size, sha256);
    f2l_buf_printf(&folder, "%s/.chunks", j->out.data);
    if (status == F2L_OK) status = f2l_buf_status(&folder, err);
    if (status == F2L_OK) f2l_buf_printf(path, "%s/%.16s.jsonl", folder.data, sha256);
    if (status == F2L_OK) status = f2l_buf_status(path, err);
    if (status == F2L_OK) status = f2l_work_make_folder(&made, folder.data, err);
    if (status == F2L_OK) status = f2l_write_file(path->data, c->lines.data, c->lines.size, err);
    f2l_buf_clear(&folder);
    return status;
}

/* Ends the chunk: *unit becomes its line. */
static f2l_status end_chunk(f2l_plan_unit *unit, chunk *c, const f2l_plan_job *j, f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    *unit = (f2l_plan_unit){.cost = c->cost};
    f2l_buf_init(&unit->folder);
    f2l_buf_init(&unit->line);
    const f2l_fact root = f2l_facts_root(&c->facts);
    f2l_status status = write_chunk(&path, c, j, err);
    if (status == F2L_OK) {
        const char *const word[] = {"fsa2lrnn", "plan", "--run", path.data};
        f2l_say_number(root, "cost_seconds", c->cost);
        f2l_say_text(root, "version", f2l_version());
        f2l_say_text(root, "commit", f2l_commit());
        f2l_plan_say_command(root, word, 4);
        f2l_buf_text(&unit->folder, path.data);
        status = f2l_facts_write(&unit->line, &c->facts, (f2l_facts_style){.digits = 15}, err);
    }
    f2l_buf_clear(&path);
    clear_chunk(c);
    return status;
}

f2l_status f2l_plan_make_chunks(f2l_plan_job *j, f2l_error *err)
{
    chunk c;
    size_t lines = 0, at = 0;
    f2l_status status = F2L_OK;
    if (!(j->o.chunk > 0)) return F2L_OK;
    while (lines < j->units && j->unit[lines].cost >= j->o.chunk) lines++;
    for (at = lines; at < j->units && status == F2L_OK; lines++) {
        begin_chunk(&c);
        while (at < j->units && (c.count == 0 || c.cost + j->unit[at].cost <= j->o.chunk))
            take_unit(&c, &j->unit[at++]);
        status = end_chunk(&j->unit[lines], &c, j, err);
    }
    for (; at < j->units; at++) f2l_plan_unit_clear(&j->unit[at]);
    j->units = lines;
    if (status == F2L_OK) f2l_plan_sort(j);
    return status;
}
