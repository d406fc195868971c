#include "models/learn/seq/seq_letters.h"
#include "models/learn/op/op_embed.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/seq/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* Number of letters that are read side by side. */
#define AT_ONCE ((size_t)32)

void f2l_seq_letters_init(f2l_seq_letters *out)
{
    memset(out, 0, sizeof *out);
}

void f2l_seq_letters_clear(f2l_seq_letters *out)
{
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++) f2l_free(out->array[i]);
    f2l_seq_letters_init(out);
}

static bool allocate_letter_arrays(f2l_seq_letters *out, size_t letters)
{
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++) {
        size_t total;
        if (out->width[i] == 0) continue;
        if (!f2l_mul_size(&total, out->width[i], letters)) return false;
        out->array[i] = f2l_calloc(total, sizeof(double));
        if (out->array[i] == NULL) return false;
    }
    return true;
}

/* The arguments and buffers of a pass. */
typedef struct reader {
    const f2l_seq *model;
    const double *parameters;
    f2l_seq_places places;
    size_t slot[F2L_SEQ_LETTER_ARRAYS]; /* of the arrays; F2L_SLOTS: none */
    double *data;
    uint32_t *letter; /* [AT_ONCE][repeats] */
} reader;

/* Reads `count` letters from `first` on: afterwards the arrays of the first layer are in
 * pass->data. */
static f2l_status read_letter_piece(f2l_seq_pass_f64 *pass, reader *r, size_t repeats, size_t first,
                                    size_t count, f2l_error *err)
{
    const f2l_seq_config *c = &r->model->config;
    for (size_t i = 0; i < count * repeats; i++) r->letter[i] = (uint32_t)(first + i / repeats);
    *pass = (f2l_seq_pass_f64){.model = r->model,
                               .places = &r->places,
                               .data = r->data,
                               .parameters = r->parameters,
                               .batch = count,
                               .tokens = repeats,
                               .rows = count * repeats,
                               .err = err};
    double *x = f2l_seq_at_f64(pass, 0, F2L_SLOT_X), *out = r->data + r->places.out;
    f2l_status status = f2l_embed_forward_f64(x, f2l_seq_param_f64(pass, r->model->embedding),
                                              r->letter, pass->rows, c->letters, c->width, err);
    if (status != F2L_OK) return status;
    f2l_rmsnorm_forward_f64(f2l_seq_at_f64(pass, 0, F2L_SLOT_NORM), x,
                            f2l_seq_param_f64(pass, r->model->layer[0].mixer_norm), pass->rows,
                            c->width, c->epsilon);
    return c->mixer->pass_f64->forward(out, pass, 0);
}

/* Takes, for every letter, the row that was read last. */
static bool take_last_rows(double *to, const double *from, size_t letters, size_t repeats,
                           size_t width)
{
    bool finite = true;
    for (size_t a = 0; a < letters; a++)
        for (size_t i = 0; i < width; i++) {
            to[a * width + i] = from[(a * repeats + repeats - 1) * width + i];
            finite = finite && isfinite(to[a * width + i]);
        }
    return finite;
}

static bool take_letter_arrays(f2l_seq_letters *out, const f2l_seq_pass_f64 *pass,
                               const size_t *slot, size_t first)
{
    bool finite = true;
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++)
        if (out->array[i] != NULL)
            finite = take_last_rows(out->array[i] + first * out->width[i],
                                    f2l_seq_at_f64(pass, 0, slot[i]), pass->batch, pass->tokens,
                                    out->width[i]) &&
                     finite;
    return finite;
}

static f2l_status read_all_letters(f2l_seq_letters *out, reader *r, const f2l_task *task,
                                   f2l_error *err)
{
    const size_t letters = r->model->config.letters;
    f2l_seq_pass_f64 pass;
    for (size_t first = 0; first < letters; first += AT_ONCE) {
        const size_t left = letters - first;
        f2l_status status =
            read_letter_piece(&pass, r, out->repeats, first, left < AT_ONCE ? left : AT_ONCE, err);
        if (status == F2L_OK && !take_letter_arrays(out, &pass, r->slot, first))
            status = f2l_fail(err, F2L_EDOMAIN,
                              "the first layer gives numbers that are not finite for one of its "
                              "letters");
        if (status == F2L_OK)
            status = f2l_task_poll(task, "letters", (double)first, (double)letters, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Checks the memory of a pass over AT_ONCE letters and of the arrays. */
static f2l_status check_letters_memory(const f2l_seq_letters *out, const f2l_seq *model,
                                       const f2l_seq_plan *plan, const f2l_task *task,
                                       f2l_error *err)
{
    size_t bytes, arrays, width = 0;
    const f2l_status status = f2l_seq_work_bytes(&bytes, model, plan, sizeof(double), err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++) width += out->width[i];
    if (!f2l_mul_size(&arrays, width, model->config.letters) ||
        !f2l_mul_size(&arrays, arrays, sizeof(double)) || !f2l_add_size(&bytes, bytes, arrays))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the letters of this model need more memory than can be "
                        "counted");
    return f2l_task_memory(task, "letters", bytes, err);
}

/* Finds the slots of the arrays and their widths; check_memory refuses places that do not fit. */
static void find_arrays(f2l_seq_letters *out, reader *r, const f2l_seq_plan *plan, size_t arrays)
{
    const f2l_mixer *mixer = r->model->config.mixer;
    (void)f2l_seq_place(&r->places, r->model, plan);
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++) r->slot[i] = F2L_SLOTS;
    if (mixer->letters != NULL) mixer->letters(r->slot, &r->model->config);
    for (size_t i = arrays; i < F2L_SEQ_LETTER_ARRAYS; i++) r->slot[i] = F2L_SLOTS;
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++)
        out->width[i] = r->slot[i] == F2L_SLOTS ? 0 : r->places.width[r->slot[i]];
}

f2l_status f2l_seq_letters_build(f2l_seq_letters *out, const f2l_seq *model,
                                 const double *parameters, size_t arrays, const f2l_task *task,
                                 f2l_error *err)
{
    reader r = {.model = model, .parameters = parameters};
    out->repeats = model->config.convolution > 1 ? model->config.convolution : 1;
    const f2l_seq_plan plan = {AT_ONCE, out->repeats, false};
    find_arrays(out, &r, &plan, arrays);
    f2l_status status = check_letters_memory(out, model, &plan, task, err);
    if (status == F2L_OK) {
        r.data = f2l_calloc(r.places.total, sizeof *r.data);
        r.letter = f2l_calloc(AT_ONCE * out->repeats, sizeof *r.letter);
        if (r.data == NULL || r.letter == NULL ||
            !allocate_letter_arrays(out, model->config.letters))
            status = f2l_fail_memory(err);
    }
    if (status == F2L_OK) status = read_all_letters(out, &r, task, err);
    f2l_free(r.data);
    f2l_free(r.letter);
    if (status != F2L_OK) f2l_seq_letters_clear(out);
    return status;
}
