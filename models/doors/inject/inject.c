#include "models/doors/inject/inject.h"
#include "models/network/weights/safetensors_number.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <stdio.h>
#include <string.h>

/* The text of models/doors/inject/inject_model.py, with a NUL behind it. The assembler reads the
 * file; the Makefile says that this object depends on it. */
__asm__(".section .rodata\n"
        ".global f2l_inject_model\n"
        "f2l_inject_model: .incbin \"models/doors/inject/inject_model.py\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char f2l_inject_model[];

const char *const f2l_inject_folders[] = {"base", "branch", NULL};

/* Files of OUT itself, as f2l_inject.own has them. */
static const char *const own_name[] = {"inject.safetensors", "model.py", "README.md"};
#define OWN (sizeof own_name / sizeof *own_name)
enum { PROJECTION, MODEL, README };

void f2l_inject_init(f2l_inject *in)
{
    *in = (f2l_inject){.files = 0};
    f2l_exported_init(&in->branch);
    f2l_names_init(&in->names);
    for (size_t i = 0; i < OWN; i++) f2l_buf_init(&in->own[i]);
}

void f2l_inject_clear(f2l_inject *in)
{
    f2l_exported_clear(&in->branch);
    f2l_names_clear(&in->names);
    for (size_t i = 0; i < OWN; i++) f2l_buf_clear(&in->own[i]);
    f2l_free(in->name);
    f2l_free(in->file);
    f2l_inject_init(in);
}

/* Makes the branch in the type that was asked for, or in the first in which it is exact; the reason
 * that is told is the first type's. */
static f2l_status make_branch(f2l_inject *in, f2l_error *err)
{
    const f2l_export_target *target = &f2l_export_branch;
    if (in->job.dtype) return target->write(&in->branch, &in->job, err);
    f2l_status status = F2L_EDOMAIN;
    for (size_t i = 0; status == F2L_EDOMAIN && target->dtype[i]; i++) {
        f2l_error later;
        in->job.dtype = target->dtype[i];
        status = target->write(&in->branch, &in->job, i == 0 ? err : &later);
        if (status != F2L_OK) f2l_exported_clear(&in->branch);
        if (i > 0 && status != F2L_OK && status != F2L_EDOMAIN) *err = later;
    }
    return status;
}

/* The projection of -0 (EB.11). */
static f2l_status make_projection(f2l_inject *in, f2l_error *err)
{
    static const unsigned char minus_zero[4] = {0, 0, 0, 0x80};
    const size_t labels = in->job.model->labels.count, hidden = in->checkpoint->hidden;
    f2l_buf header, *out = &in->own[PROJECTION];
    size_t count, bytes;
    if (!f2l_mul_size(&count, labels, hidden) || !f2l_mul_size(&bytes, count, sizeof minus_zero))
        return f2l_fail_memory(err);
    f2l_buf_init(&header);
    f2l_buf_printf(&header,
                   "{\"__metadata__\":{\"format\":\"pt\"},\"projection\":{\"dtype\":\"F32\","
                   "\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]}}",
                   hidden, labels, bytes);
    f2l_safetensors_put_header(out, &header);
    for (size_t i = 0; i < count && !out->failed; i++)
        f2l_buf_bytes(out, minus_zero, sizeof minus_zero);
    f2l_buf_clear(&header);
    return f2l_buf_status(out, err);
}

static f2l_status make_readme(f2l_inject *in, f2l_error *err)
{
    f2l_buf *out = &in->own[README];
    const f2l_base_model *c = in->checkpoint;
    const f2l_export_claim *claim = &in->branch.claim[0];
    f2l_buf_printf(
        out,
        "# A language model and a finite automaton beside it\n\n"
        "Written by `fsa2lrnn inject`. `base/` is a model of type %s, unchanged. `branch/` tracks "
        "an automaton of\n%zu states (SHA-256 of its text: %s) with a residual stream of its own. "
        "After every token the\nautomaton's label is one-hot, 0 or 1 exactly; a column of the "
        "projection in `inject.safetensors` is added\nto the token's embedding in `base/`. That "
        "is the only way from the branch into the old model.\n\n"
        "`model.py` needs PyTorch 1.13 and transformers%s%s, or later:\n\n"
        "    from model import load\n"
        "    net = load(\".\")                   # the projection is its only trainable "
        "parameter\n"
        "    out = net(input_ids)              # out.logits, and out.labels: numbers, -1 for none\n"
        "    out = net(more_ids, out.past)     # goes on\n\n"
        "`python3 model.py` checks the files against `inject.json`, and the logits against "
        "`base/` alone.\n\n"
        "## What is claimed\n\n",
        c->type.data, in->job.fsa->states.count, in->job.model->fsa_sha256,
        c->transformers.size > 0 ? " " : "", c->transformers.size > 0 ? c->transformers.data : "");
    f2l_buf_printf(
        out,
        "- The projection is -0 at first, and x + (-0) is x for every number x: the embeddings are "
        "bit for bit\n  the old ones, and so are the logits where the kernels of the old model "
        "give equal results for equal\n  numbers (EB.11).\n"
        "- The branch as %s runs it, in %s: %s: %s.\n"
        "- That the network is right on words of every length is what its certificate proves, "
        "beside the network\n  that this was made from.\n\n"
        "The old stream is not made wider: its norms divide by a mean over all channels, so that "
        "channels of the\nautomaton would change what the old ones give (EB.12).\n",
        claim->path, claim->dtype, claim->exact ? "exact" : "not claimed exact", claim->text);
    return f2l_buf_status(out, err);
}

static f2l_status add_injected_name(f2l_inject *in, const char *folder, const char *name,
                                    f2l_error *err)
{
    size_t index;
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_names_add(&in->names, path.data, path.size, &index, err);
    f2l_buf_clear(&path);
    return status;
}

/* Lists the files in the order in which they are written: own, branch, base, the report. */
static f2l_status list_injected_names(f2l_inject *in, f2l_error *err)
{
    const f2l_names *base = &in->checkpoint->files;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < OWN; i++)
        status = add_injected_name(in, "", own_name[i], err);
    for (size_t i = 0; status == F2L_OK && i < in->branch.files; i++)
        status = add_injected_name(in, "branch/", in->branch.file[i].name, err);
    for (size_t i = 0; status == F2L_OK && i < base->count; i++)
        status = add_injected_name(in, "base/", f2l_names_get(base, i), err);
    if (status == F2L_OK) status = add_injected_name(in, "", F2L_INJECT_ABOUT, err);
    if (status != F2L_OK) return status;
    in->name = f2l_calloc(in->names.count + 1, sizeof *in->name);
    in->file = f2l_calloc(in->names.count, sizeof *in->file);
    if (!in->name || !in->file) return f2l_fail_memory(err);
    for (size_t i = 0; i < in->names.count; i++) in->name[i] = f2l_names_get(&in->names, i);
    return F2L_OK;
}

f2l_status f2l_inject_make(f2l_inject *in, f2l_error *err)
{
    f2l_status status = make_branch(in, err);
    if (status == F2L_OK) status = make_projection(in, err);
    f2l_buf_text(&in->own[MODEL], f2l_inject_model);
    if (status == F2L_OK) status = f2l_buf_status(&in->own[MODEL], err);
    if (status == F2L_OK) status = make_readme(in, err);
    if (status == F2L_OK) status = list_injected_names(in, err);
    return status;
}

/* Returns the next file to write. */
static f2l_hashed_file *next_file(f2l_inject *in)
{
    f2l_hashed_file *file = &in->file[in->files];
    file->name = in->name[in->files++];
    return file;
}

static f2l_status write_bytes(f2l_inject *in, f2l_outdir *dir, const f2l_buf *bytes, f2l_error *err)
{
    f2l_hashed_file *file = next_file(in);
    *file = f2l_hash_file(file->name, bytes->data, bytes->size);
    return f2l_outdir_write(dir, file->name, bytes->data, bytes->size, err);
}

f2l_status f2l_inject_write(f2l_inject *in, f2l_outdir *dir, const f2l_task *task, f2l_error *err)
{
    const f2l_base_model *c = in->checkpoint;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < OWN; i++)
        status = write_bytes(in, dir, &in->own[i], err);
    for (size_t i = 0; status == F2L_OK && i < in->branch.files; i++)
        status = write_bytes(in, dir, &in->branch.file[i].bytes, err);
    for (size_t i = 0; status == F2L_OK && i < c->files.count; i++) {
        f2l_hashed_file *file = next_file(in);
        f2l_buf path;
        f2l_buf_init(&path);
        status = f2l_base_model_path(&path, c, f2l_names_get(&c->files, i), err);
        if (status == F2L_OK)
            status =
                f2l_outdir_copy(dir, file->name, path.data, task, &file->bytes, file->sha256, err);
        f2l_buf_clear(&path);
    }
    return status;
}
