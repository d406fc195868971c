/* Writes the run of a schedule with a network on one word, for comparison with the kernels of a
 * library on a GPU (compare_fla.py): the rounded weights, the word, the readings, and the exact
 * states.
 *
 * usage: kernel_dump NETWORK.lrnn AUTOMATON.fsa FORMAT SCHEDULE WORD LETTERS > OUT
 *
 * SCHEDULE is chunk64 or recurrent. WORD is random:SEED, every letter drawn by Philox stream 0 of
 * the seed, or greedy (recurrent only): every letter the one after which the state is farthest from
 * the exact one, the first of them.
 *
 * OUT is a line of JSON and then, without gaps, the arrays that its "arrays" lists with name, type
 * (f32, f64, u32) and shape, little-endian, row-major. Letters, codes and labels count from 0;
 * 2^32 - 1 is no label.
 *   word [T]                           letters
 *   beta [X][F][H], key [X][F][H][n], value [X][F][H][d]
 *                                      rounded factors of every letter in the order of application,
 *                                      zeros where a letter has fewer than F in a head
 *   start [H][n][d]                    H_0, rounded
 *   code [C][H][n][d], symbol [C]      the decoder: exact states, and their labels
 *   path [T], label [T]                the exact state's code and label after each letter
 *   reading [T][H][n][d]               state that the schedule decodes after each letter
 *   decoded [T]                        label of the reading
 *
 * Networks of one layer over Q, without gates, biases, forms and raw heads; heads of one size;
 * codes that binary64 holds. The exact labels are compared with the automaton's. */
#include "automata/fsa/nfa.h"
#include "models/network/exact/run_exact.h"
#include "models/network/schedule/chunk.h"
#include "models/network/weights/used_weights.h"
#include "numeric/base/rng.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const char *word_kind;
    bool greedy;
    uint64_t seed;
    f2l_fsa fsa;
    f2l_net net;
    f2l_exact *exact;
    f2l_float_net *fast;
    f2l_chunk *chunk; /* NULL: recurrent */
    size_t letters, heads, n, d, factors, codes, size, length;
    float *beta, *key, *value, *start, *reading;
    double *code;
    uint32_t *symbol, *word, *path, *label, *decoded;
} job;

static f2l_status read_fsa(f2l_fsa *out, const char *path, f2l_error *err)
{
    f2l_buf text;
    f2l_nfa nfa;
    f2l_total_report report;
    const f2l_total_options options = {0};
    f2l_buf_init(&text);
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_read_file(&text, path, 0, err);
    if (status == F2L_OK) status = f2l_fsa_read(&nfa, text.data, text.size, 0, NULL, err);
    if (status == F2L_OK) status = f2l_nfa_total(out, &report, &nfa, &options, NULL, err);
    f2l_nfa_clear(&nfa);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status read_net(f2l_net *out, const f2l_fsa *fsa, const char *path, f2l_error *err)
{
    f2l_buf text;
    char hash[65];
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, path, 0, err);
    if (status == F2L_OK) status = f2l_net_read(out, text.data, text.size, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(fsa, hash, err);
    if (status == F2L_OK && strcmp(hash, out->fsa_sha256) != 0)
        status = f2l_fail(err, F2L_EDOMAIN, "the network is not this automaton's");
    if (status == F2L_OK) status = f2l_net_validate(out, err);
    f2l_buf_clear(&text);
    return status;
}

/* Refuses networks and formats that the kernels do not compute. */
static f2l_status check(job *j, f2l_error *err)
{
    const f2l_layer *layer = &j->net.layer[0];
    if (j->net.layers != 1 || layer->by_letter || layer->parts > 0 || f2l_net_has_boxes(&j->net))
        return f2l_fail(err, F2L_EDOMAIN, "not one layer with a plain decoder");
    j->letters = layer->letters;
    j->heads = layer->heads;
    j->codes = layer->codes;
    j->n = layer->head[0].n;
    j->d = layer->head[0].d;
    j->size = j->heads * j->n * j->d;
    j->factors = 1;
    for (size_t h = 0; h < j->heads; h++) {
        const f2l_head *head = &layer->head[h];
        if (head->n != j->n || head->d != j->d || head->field || head->form.count > 0 || head->raw)
            return f2l_fail(err, F2L_EDOMAIN,
                            "heads of several sizes, a field, a form or raw keys");
        for (size_t x = 0; x < j->letters; x++) {
            const f2l_transition *letter = &head->letter[x];
            if (mpq_cmp_ui(letter->gate, 1, 1) != 0 || letter->bias.count > 0)
                return f2l_fail(err, F2L_EDOMAIN, "a gate or a bias");
            if (letter->factors > j->factors) j->factors = letter->factors;
        }
    }
    return F2L_OK;
}

static f2l_status allocate(job *j, f2l_error *err)
{
    const size_t rows = j->letters * j->factors * j->heads;
    j->beta = calloc(rows, sizeof *j->beta);
    j->key = calloc(rows * j->n, sizeof *j->key);
    j->value = calloc(rows * j->d, sizeof *j->value);
    j->start = calloc(j->size, sizeof *j->start);
    j->code = calloc(j->codes * j->size, sizeof *j->code);
    j->symbol = calloc(j->codes, sizeof *j->symbol);
    j->reading = calloc(j->length * j->size, sizeof *j->reading);
    j->word = calloc(j->length, sizeof *j->word);
    j->path = calloc(j->length, sizeof *j->path);
    j->label = calloc(j->length, sizeof *j->label);
    j->decoded = calloc(j->length, sizeof *j->decoded);
    return j->beta && j->key && j->value && j->start && j->code && j->symbol && j->reading &&
                   j->word && j->path && j->label && j->decoded
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Copies the weights. They are floats, because chunk64 and recurrent refuse formats whose numbers
 * are not. */
static void take_weights(job *j)
{
    for (size_t x = 0; x < j->letters; x++)
        for (size_t h = 0; h < j->heads; h++)
            for (size_t i = 0; i < f2l_used_factors(j->fast, 0, h, x); i++) {
                const f2l_used_factor f = f2l_used_factor_at(j->fast, 0, h, x, i);
                const size_t row = (x * j->factors + i) * j->heads + h;
                j->beta[row] = (float)f.beta;
                for (size_t e = 0; e < f.keys; e++)
                    j->key[row * j->n + f.row[e] / j->d] = (float)f.key[e];
                for (size_t e = 0; e < f.values; e++)
                    j->value[row * j->d + f.column[e]] = (float)f.value[e];
            }
}

static f2l_status take_codes(job *j, f2l_error *err)
{
    const f2l_layer *layer = &j->net.layer[0];
    f2l_status status = F2L_OK;
    mpq_t back;
    mpq_init(back);
    for (size_t c = 0; c < j->codes; c++) {
        j->symbol[c] = f2l_layer_symbol(layer, 0, c);
        for (size_t h = 0; h < j->heads; h++) {
            const f2l_qvec *code = &layer->code[c * j->heads + h];
            for (size_t e = 0; e < code->count; e++) {
                const double x = mpq_get_d(code->value[e]);
                mpq_set_d(back, x);
                if (!mpq_equal(back, code->value[e]))
                    status = f2l_fail(err, F2L_EDOMAIN, "binary64 does not hold a code");
                j->code[(c * j->heads + h) * j->n * j->d + code->index[e]] = x;
            }
        }
    }
    mpq_clear(back);
    return status;
}

static f2l_status open_job(job *j, char **argument, f2l_error *err)
{
    const f2l_format *format = f2l_format_find(argument[3]);
    const f2l_schedule *schedule = f2l_schedule_find(argument[4]);
    double start[F2L_MAX_FIELD_KEY];
    j->word_kind = argument[5];
    j->greedy = strcmp(argument[5], "greedy") == 0;
    j->length = strtoull(argument[6], NULL, 10);
    const bool chunk = schedule && !f2l_schedule_steps(schedule);
    if (!format || !schedule || !(chunk || strcmp(schedule->row, "recurrent") == 0) ||
        j->length == 0 || (chunk && j->greedy) ||
        (!j->greedy && sscanf(argument[5], "random:%" SCNu64, &j->seed) != 1))
        return f2l_fail(err, F2L_EDOMAIN, "a format, chunk64 or recurrent, and a word");
    f2l_status status = read_fsa(&j->fsa, argument[2], err);
    if (status == F2L_OK) status = read_net(&j->net, &j->fsa, argument[1], err);
    if (status == F2L_OK) status = check(j, err);
    if (status == F2L_OK && j->size > F2L_MAX_FIELD_KEY)
        status = f2l_fail(err, F2L_EDOMAIN, "states of more than 256 numbers");
    if (status == F2L_OK) status = allocate(j, err);
    if (status == F2L_OK) status = f2l_exact_new(&j->exact, &j->net, err);
    if (status == F2L_OK) status = f2l_float_net_new(&j->fast, &j->net, format, schedule, err);
    if (status == F2L_OK && chunk) status = f2l_chunk_new(&j->chunk, j->fast, err);
    if (status == F2L_OK) status = take_codes(j, err);
    if (status != F2L_OK) return status;
    take_weights(j);
    f2l_float_start(j->fast, start);
    for (size_t i = 0; i < j->size; i++) j->start[i] = (float)start[i];
    return F2L_OK;
}

static double distance2(const job *j, const double *state, size_t code)
{
    double sum = 0;
    for (size_t i = 0; i < j->size; i++) {
        const double e = state[i] - j->code[code * j->size + i];
        sum += e * e;
    }
    return sum;
}

static f2l_status greedy_letter(job *j, uint32_t *out, const double *state, size_t code,
                                f2l_error *err)
{
    double next[F2L_MAX_FIELD_KEY], most = -1;
    for (size_t x = 0; x < j->letters; x++) {
        size_t to;
        memcpy(next, state, j->size * sizeof *next);
        f2l_float_step_layer(j->fast, 0, x, next, NULL);
        const f2l_status status = f2l_exact_step_code(j->exact, &to, 0, x, code, err);
        if (status != F2L_OK) return status;
        const double error = distance2(j, next, to);
        if (error > most) {
            most = error;
            *out = (uint32_t)x;
        }
    }
    return F2L_OK;
}

/* Does one exact letter, with the automaton beside it. */
static f2l_status exactly(job *j, size_t *code, size_t *state, size_t t, f2l_error *err)
{
    size_t label;
    const f2l_status status = f2l_exact_step(j->exact, code, j->word[t], &label, NULL, err);
    if (status != F2L_OK) return status;
    *state = j->fsa.next[*state * j->letters + j->word[t]];
    if (strcmp(f2l_names_get(&j->net.labels, label),
               f2l_fsa_label(&j->fsa, j->net.label, *state)) != 0)
        return f2l_fail(err, F2L_EDOMAIN, "the exact network is wrong after letter %zu", t + 1);
    j->path[t] = (uint32_t)*code;
    j->label[t] = (uint32_t)label;
    return F2L_OK;
}

static f2l_status run_recurrent(job *j, f2l_rng *rng, f2l_error *err)
{
    double S[F2L_MAX_FIELD_KEY];
    size_t code, state = j->fsa.start;
    f2l_float_start(j->fast, S);
    f2l_status status = f2l_exact_start(j->exact, &code, err);
    for (size_t t = 0; t < j->length && status == F2L_OK; t++) {
        j->word[t] = j->greedy ? 0 : (uint32_t)f2l_rng_below(rng, j->letters);
        if (j->greedy) status = greedy_letter(j, &j->word[t], S, code, err);
        if (status == F2L_OK) status = exactly(j, &code, &state, t, err);
        if (status == F2L_OK) status = f2l_float_step(j->fast, S, j->word[t], &j->decoded[t], err);
        for (size_t i = 0; i < j->size; i++) j->reading[t * j->size + i] = (float)S[i];
    }
    return status;
}

static f2l_status run_chunk(job *j, f2l_rng *rng, f2l_error *err)
{
    size_t code, state = j->fsa.start;
    f2l_status status = f2l_exact_start(j->exact, &code, err);
    for (size_t t = 0; t < j->length && status == F2L_OK; t++) {
        j->word[t] = (uint32_t)f2l_rng_below(rng, j->letters);
        status = exactly(j, &code, &state, t, err);
    }
    for (size_t at = 0; at < j->length && status == F2L_OK; at += F2L_CHUNK) {
        const size_t count = j->length - at < F2L_CHUNK ? j->length - at : F2L_CHUNK;
        status = f2l_chunk_feed(j->chunk, j->decoded + at, j->word + at, count, err);
        for (size_t t = 0; t < count && status == F2L_OK; t++)
            for (size_t i = 0; i < j->size; i++)
                j->reading[(at + t) * j->size + i] = (float)f2l_chunk_reading(j->chunk, 0, t)[i];
    }
    return status;
}

static void write_out(const job *j, char **argument)
{
    const size_t T = j->length, X = j->letters, F = j->factors, H = j->heads, n = j->n, d = j->d,
                 C = j->codes;
    const struct {
        const char *name, *type;
        const void *data;
        size_t width, shape[4];
    } array[] = {
        {"word", "u32", j->word, 4, {T}},         {"beta", "f32", j->beta, 4, {X, F, H}},
        {"key", "f32", j->key, 4, {X, F, H, n}},  {"value", "f32", j->value, 4, {X, F, H, d}},
        {"start", "f32", j->start, 4, {H, n, d}}, {"code", "f64", j->code, 8, {C, H, n, d}},
        {"symbol", "u32", j->symbol, 4, {C}},     {"path", "u32", j->path, 4, {T}},
        {"label", "u32", j->label, 4, {T}},       {"reading", "f32", j->reading, 4, {T, H, n, d}},
        {"decoded", "u32", j->decoded, 4, {T}}};
    const size_t arrays = sizeof array / sizeof *array;
    printf("{\"fsa_sha256\": \"%s\", \"format\": \"%s\", \"schedule\": \"%s\", \"word\": \"%s\", "
           "\"arrays\": [",
           j->net.fsa_sha256, argument[3], argument[4], j->word_kind);
    for (size_t a = 0; a < arrays; a++) {
        printf("%s[\"%s\", \"%s\", [", a ? ", " : "", array[a].name, array[a].type);
        for (size_t i = 0; i < 4 && array[a].shape[i] > 0; i++)
            printf("%s%zu", i ? ", " : "", array[a].shape[i]);
        printf("]]");
    }
    printf("]}\n");
    for (size_t a = 0; a < arrays; a++) {
        size_t count = 1;
        for (size_t i = 0; i < 4 && array[a].shape[i] > 0; i++) count *= array[a].shape[i];
        fwrite(array[a].data, array[a].width, count, stdout);
    }
}

static void close_job(job *j)
{
    void *const array[] = {j->beta,   j->key,  j->value, j->start, j->reading, j->code,
                           j->symbol, j->word, j->path,  j->label, j->decoded};
    for (size_t a = 0; a < sizeof array / sizeof *array; a++) free(array[a]);
    f2l_chunk_free(j->chunk);
    f2l_float_net_free(j->fast);
    f2l_exact_free(j->exact);
    f2l_net_clear(&j->net);
    f2l_fsa_clear(&j->fsa);
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: kernel_dump NETWORK.lrnn AUTOMATON.fsa FORMAT SCHEDULE WORD "
                        "LETTERS > OUT\n");
        return 64;
    }
    job j = {0};
    f2l_error err = {0};
    f2l_rng rng;
    f2l_fsa_init(&j.fsa);
    f2l_net_init(&j.net);
    f2l_status status = open_job(&j, argv, &err);
    f2l_rng_init(&rng, j.seed, 0);
    if (status == F2L_OK)
        status = j.chunk ? run_chunk(&j, &rng, &err) : run_recurrent(&j, &rng, &err);
    if (status == F2L_OK) write_out(&j, argv);
    if (status != F2L_OK) fprintf(stderr, "kernel_dump: %s\n", err.text);
    if (status == F2L_OK && (fflush(stdout) != 0 || ferror(stdout))) status = F2L_EIO;
    close_job(&j);
    return status == F2L_OK ? 0 : 1;
}
