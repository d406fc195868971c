#include "models/learn/inspect/token_losses.h"
#include "models/learn/op/op_loss.h"
#include "numeric/base/mem.h"
#include <math.h>

typedef struct measuring {
    f2l_token_losses *out;
    const f2l_seq *model;
    const double *parameters;
    const f2l_tokens *tokens;
    f2l_token_watch *watch;
    const f2l_task *task;
    f2l_seq_work_f64 *work;
    double *logits, *state; /* [F2L_TOKEN_CHUNK][labels], and of one sequence */
    size_t done;
    uint32_t letter[F2L_TOKEN_CHUNK], label[F2L_TOKEN_CHUNK];
    uint8_t mask[F2L_TOKEN_CHUNK];
} measuring;

size_t f2l_token_bin(size_t position)
{
    size_t bin = 0;
    while (position >>= 1) bin++;
    return bin < F2L_TOKEN_BINS ? bin : F2L_TOKEN_BINS - 1;
}

static void add_loss(f2l_token_loss *to, const f2l_loss_sum *sum)
{
    to->count += sum->count;
    to->right += sum->right;
    to->loss += sum->loss;
}

/* Adds the answers of a piece to the bins of their positions. */
static f2l_status add_answers(measuring *m, const f2l_token_piece *piece, f2l_error *err)
{
    const size_t labels = m->model->config.labels;
    for (size_t i = 0; i < piece->count;) {
        f2l_loss_sum sum;
        const size_t bin = f2l_token_bin(piece->from + i + 1);
        size_t end = i + 1;
        while (end < piece->count && f2l_token_bin(piece->from + end + 1) == bin) end++;
        const f2l_status status = f2l_loss_forward_f64(
            &sum, NULL, m->logits + i * labels, m->label + i, m->mask + i, end - i, labels, err);
        if (status != F2L_OK) return status;
        if (!isfinite(sum.loss))
            return f2l_fail(err, F2L_EDOMAIN,
                            "the loss is not finite in sequence %zu, tokens %zu to %zu",
                            piece->sequence + 1, piece->from + i + 1, piece->from + end);
        add_loss(&m->out->bin[bin], &sum);
        add_loss(&m->out->all, &sum);
        if (sum.count > 0 && bin >= m->out->bins) m->out->bins = bin + 1;
        i = end;
    }
    return F2L_OK;
}

static f2l_status read_token_piece(measuring *m, const f2l_token_piece *piece, f2l_error *err)
{
    const f2l_seq_config *c = &m->model->config;
    const f2l_tokens_bounds bounds = {c->letters, c->labels, m->watch != NULL};
    const f2l_seq_batch batch = {.sequences = 1, .length = piece->count, .letter = m->letter};
    f2l_status status = f2l_tokens_read(m->letter, m->label, m->mask, m->tokens, bounds,
                                        piece->sequence, piece->from, piece->count, err);
    if (status == F2L_OK && m->watch) m->watch->piece = *piece;
    if (status == F2L_OK)
        status = f2l_seq_logits_f64(m->logits, m->state, &batch, m->parameters, m->work, err);
    if (status == F2L_OK) status = add_answers(m, piece, err);
    m->done += piece->count;
    if (status == F2L_OK)
        status = f2l_task_poll(m->task, "tokens", (double)m->done, (double)m->tokens->count, err);
    return status;
}

static f2l_status read_token_sequences(measuring *m, f2l_error *err)
{
    const f2l_tokens *t = m->tokens;
    f2l_status status = F2L_OK;
    for (size_t s = 0; s < t->sequences && status == F2L_OK; s++) {
        const size_t length = t->start[s + 1] - t->start[s];
        f2l_seq_state_start_f64(m->state, 1, m->parameters, m->model);
        for (size_t from = 0; from < length && status == F2L_OK; from += F2L_TOKEN_CHUNK) {
            const size_t left = length - from;
            const f2l_token_piece piece = {s, from,
                                           left < F2L_TOKEN_CHUNK ? left : F2L_TOKEN_CHUNK};
            status = read_token_piece(m, &piece, err);
        }
    }
    if (status == F2L_OK && m->out->all.count == 0 && m->watch == NULL)
        status = f2l_fail(err, F2L_EDOMAIN,
                          m->tokens->labelled ? "no label counts"
                                              : "no token follows another one in its sequence");
    return status;
}

f2l_status f2l_token_losses_measure(f2l_token_losses *out, const f2l_seq *model,
                                    const double *parameters, const f2l_tokens *tokens,
                                    f2l_token_watch *watch, const f2l_task *task, f2l_error *err)
{
    const f2l_seq_plan plan = {1, F2L_TOKEN_CHUNK, false};
    *out = (f2l_token_losses){.bins = 0};
    measuring *m = f2l_calloc(1, sizeof *m);
    if (m == NULL) return f2l_fail_memory(err);
    *m = (measuring){.out = out,
                     .model = model,
                     .parameters = parameters,
                     .tokens = tokens,
                     .watch = watch,
                     .task = task};
    f2l_status status = f2l_seq_work_new_f64(&m->work, model, &plan, task, err);
    if (status == F2L_OK) {
        if (watch) f2l_seq_work_watch_f64(m->work, watch->watch);
        m->logits = f2l_calloc(F2L_TOKEN_CHUNK * model->config.labels, sizeof *m->logits);
        m->state = f2l_calloc(f2l_seq_state_count(model) + 1, sizeof *m->state);
        if (m->logits == NULL || m->state == NULL) status = f2l_fail_memory(err);
    }
    if (status == F2L_OK) status = read_token_sequences(m, err);
    f2l_seq_work_free_f64(m->work);
    f2l_free(m->logits);
    f2l_free(m->state);
    f2l_free(m);
    return status;
}
