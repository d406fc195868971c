#include "theory/certify/cert/refute_cert.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/cert/float_cert.h"
#include <string.h>

static f2l_status refuse_refutation(const f2l_net *net, const f2l_refuting_run *run,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    f2l_error *err)
{
    if (f2l_schedule_draws(schedule, format) || !f2l_schedule_steps(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "no certificate for stochastic rounding and chunk64");
    if (run->preperiod > F2L_REFUTE_ROWS || run->period > F2L_REFUTE_ROWS - run->preperiod)
        return f2l_fail(err, F2L_EDOMAIN, "the run has more than %llu states",
                        (unsigned long long)F2L_REFUTE_ROWS);
    if (run->length == 0 || run->period == 0 || run->period % run->length != 0 ||
        run->preperiod < run->prefix)
        return f2l_fail(err, F2L_EDOMAIN, "the run is none of this word");
    return f2l_cert_refuted_refuse(net, schedule, err);
}

/* The pairs along the word. */
typedef struct writer {
    f2l_buf *out;
    const f2l_net *net;
    const f2l_fsa *fsa;
    const f2l_refuting_run *run;
    const f2l_schedule *schedule;
    f2l_float_net *rounded;
    size_t size;         /* numbers of a joint state */
    double *joint, *met; /* joint state now; joint state where the cycle begins */
    size_t state, met_state;
    bool wrong;
} writer;

static void write_letters(f2l_buf *out, const char *word, const size_t *letters, size_t count)
{
    f2l_buf_text(out, word);
    for (size_t i = 0; i < count; i++) f2l_cert_number(out, " ", letters[i] + 1);
    f2l_buf_text(out, "\n");
}

static void write_row(const writer *w, uint64_t number)
{
    f2l_cert_number(w->out, "row ", (size_t)number);
    f2l_cert_number(w->out, " state ", w->state + 1);
    f2l_cert_joint(w->out, w->net, w->schedule, w->joint);
    f2l_buf_bytes(w->out, "\n", 1);
}

static bool is_right(const writer *w, uint32_t label)
{
    return label != F2L_NO_SYMBOL && strcmp(f2l_names_get(&w->net->labels, label),
                                            f2l_fsa_label(w->fsa, w->net->label, w->state)) == 0;
}

/* Returns the letter after `length` letters. */
static size_t letter_at(const f2l_refuting_run *run, uint64_t length)
{
    if (length < run->prefix) return run->letters[length];
    return run->letters[run->prefix + (size_t)((length - run->prefix) % run->length)];
}

static f2l_status write_refuting_rows(writer *w, f2l_error *err)
{
    const uint64_t rows = w->run->preperiod + w->run->period;
    f2l_float_start(w->rounded, w->joint);
    w->state = w->fsa->start;
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t label;
        for (size_t j = 0; j < w->size; j++)
            if (!isfinite(w->joint[j])) return f2l_fail(err, F2L_EDOMAIN, "a state is not finite");
        if (i == w->run->preperiod) {
            if (w->size > 0) memcpy(w->met, w->joint, w->size * sizeof *w->met);
            w->met_state = w->state;
        }
        write_row(w, i + 1);
        const size_t letter = letter_at(w->run, i);
        f2l_status status = f2l_float_step(w->rounded, w->joint, letter, &label, err);
        if (status != F2L_OK) return status;
        w->state = w->fsa->next[w->state * w->fsa->letters.count + letter];
        w->wrong = w->wrong || !is_right(w, label);
    }
    bool recurs = w->state == w->met_state;
    for (size_t j = 0; j < w->size; j++) recurs = recurs && w->joint[j] == w->met[j];
    if (!recurs) return f2l_fail(err, F2L_EDOMAIN, "the run does not recur as it is said to");
    return w->wrong ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "no label of the run is wrong");
}

static void write_refuted_head(const writer *w, const f2l_format *format,
                               const f2l_schedule *schedule, const char network_sha256[65])
{
    f2l_cert_head head = f2l_cert_head_of(w->net, network_sha256, "refuted");
    head.format = format;
    head.schedule = schedule;
    f2l_cert_write_head(w->out, &head);
    f2l_buf_printf(w->out, "letters %zu states %zu numbers %zu rows %zu\n", w->fsa->letters.count,
                   w->fsa->states.count, f2l_cert_joint_size(w->net),
                   (size_t)(w->run->preperiod + w->run->period));
    if (w->run->prefix > 0) write_letters(w->out, "prefix", w->run->letters, w->run->prefix);
    write_letters(w->out, "word", w->run->letters + w->run->prefix, w->run->length);
}

static f2l_status write_refutation(writer *w, const f2l_format *format,
                                   const f2l_schedule *schedule, const char network_sha256[65],
                                   f2l_error *err)
{
    const size_t begin = w->out->size;
    w->size = f2l_float_size(w->rounded);
    w->joint = f2l_calloc(w->size, sizeof *w->joint);
    w->met = f2l_calloc(w->size, sizeof *w->met);
    if (!w->joint || !w->met) return f2l_fail_memory(err);
    write_refuted_head(w, format, schedule, network_sha256);
    f2l_status status = write_refuting_rows(w, err);
    if (status != F2L_OK) {
        w->out->size = begin;
        return status;
    }
    f2l_buf_printf(w->out, "back %zu\nend %zu\n", (size_t)w->run->preperiod + 1,
                   (size_t)(w->run->preperiod + w->run->period));
    return f2l_cert_seal(w->out, begin, err);
}

f2l_status f2l_refute_cert_write(f2l_buf *out, const f2l_net *net, const f2l_fsa *fsa,
                                 const f2l_refuting_run *run, const f2l_format *format,
                                 const f2l_schedule *schedule, const char network_sha256[65],
                                 f2l_error *err)
{
    writer w = {.out = out, .net = net, .fsa = fsa, .run = run, .schedule = schedule};
    f2l_status status = refuse_refutation(net, run, format, schedule, err);
    if (status == F2L_OK) status = f2l_float_net_new(&w.rounded, net, format, schedule, err);
    if (status == F2L_OK) status = write_refutation(&w, format, schedule, network_sha256, err);
    f2l_free(w.joint);
    f2l_free(w.met);
    f2l_float_net_free(w.rounded);
    return status;
}
