/* pytorch: model.py, the same in every export, and the weights that it reads. */
#include "models/doors/export/impl.h"

/* The text of models/doors/export/pytorch_model.py, with a NUL behind it. The assembler reads the
 * file; the Makefile says that this object depends on it. */
__asm__(".section .rodata\n"
        ".global f2l_pytorch_model\n"
        "f2l_pytorch_model: .incbin \"models/doors/export/pytorch_model.py\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char f2l_pytorch_model[];

static f2l_status write_pytorch_files(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    f2l_weights_report report;
    f2l_buf weights, model;
    f2l_buf_init(&weights);
    f2l_buf_init(&model);
    f2l_buf_text(&model, f2l_pytorch_model);
    f2l_status status = f2l_export_weights(&weights, &report, job, err);
    if (status == F2L_OK) status = f2l_exported_add(out, "model.py", &model, err);
    if (status == F2L_OK) status = f2l_exported_add(out, "weights.safetensors", &weights, err);
    if (status == F2L_OK) {
        f2l_exported_claim_proof(out, "recurrent", job);
        f2l_exported_claim(out, "scan", job->dtype->name, false,
                           "PyTorch chooses the order of the sums in its products of matrices");
    }
    f2l_buf_clear(&model);
    f2l_buf_clear(&weights);
    return status;
}

const f2l_export_target f2l_target_pytorch = {
    .name = "pytorch",
    .summary = "model.py, a module that needs PyTorch alone, and weights.safetensors",
    .usage =
        "`model.py` needs PyTorch (1.13 or later) and nothing else. In this folder\n\n"
        "    from model import load\n"
        "    net = load(\".\")\n"
        "    labels, state = net(net.encode([[net.letters[0], net.letters[-1]]]))\n\n"
        "gives the numbers of the labels after each letter of each word; `python3 model.py LETTER "
        "..` prints their names.\nIts text says how to train it.\n",
    .dtype = f2l_export_wide_dtypes,
    .schedules = f2l_export_halves,
    .write = write_pytorch_files};
