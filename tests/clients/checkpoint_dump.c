/* Logits of a checkpoint, for checkpoints.py: checkpoint_dump MODEL SEQUENCES LENGTH reads
 * MODEL/letters.u32 [SEQUENCES][LENGTH] and writes MODEL/logits.f64 [SEQUENCES][LENGTH][labels], in
 * double precision from the weights as floats. */
#include "models/doors/checkpoint/checkpoint.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include "tests/support/train/seq_f64.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(f2l_status status, const f2l_error *err)
{
    if (status == F2L_OK) return;
    fprintf(stderr, "checkpoint_dump: %s\n", err->text);
    exit(EXIT_FAILURE);
}

static void path_of(f2l_buf *path, const char *folder, const char *name)
{
    f2l_error err = {0};
    f2l_buf_init(path);
    f2l_buf_printf(path, "%s/%s", folder, name);
    need(f2l_buf_status(path, &err), &err);
}

int main(int argc, char **argv)
{
    f2l_error err = {0};
    f2l_checkpoint read;
    f2l_buf path, letters;
    f2l_seq_work_f64 *work;
    if (argc != 4) return EXIT_FAILURE;
    const f2l_seq_plan plan = {strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), false};
    const size_t positions = plan.sequences * plan.length;
    f2l_checkpoint_init(&read);
    need(f2l_checkpoint_read(&read, argv[1], &err), &err);
    path_of(&path, argv[1], "letters.u32");
    f2l_buf_init(&letters);
    need(f2l_read_file(&letters, path.data, 0, &err), &err);
    f2l_buf_clear(&path);
    uint32_t *letter = calloc(positions, sizeof *letter);
    double *wide = calloc(read.model.parameters, sizeof *wide),
           *logit = calloc(positions * read.model.config.labels, sizeof *logit);
    if (letter == NULL || wide == NULL || logit == NULL ||
        letters.size != positions * sizeof *letter)
        exit(EXIT_FAILURE);
    memcpy(letter, letters.data, letters.size);
    for (size_t i = 0; i < read.model.parameters; i++) wide[i] = (double)read.parameters[i];
    const f2l_seq_batch batch = {
        .sequences = plan.sequences, .length = plan.length, .letter = letter};
    need(f2l_seq_work_new_f64(&work, &read.model, &plan, NULL, &err), &err);
    need(f2l_seq_logits_f64(logit, NULL, &batch, wide, work, &err), &err);
    path_of(&path, argv[1], "logits.f64");
    need(f2l_write_file(path.data, logit, positions * read.model.config.labels * sizeof *logit,
                        &err),
         &err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&letters);
    f2l_seq_work_free_f64(work);
    f2l_checkpoint_clear(&read);
    free(letter);
    free(wide);
    free(logit);
    return EXIT_SUCCESS;
}
