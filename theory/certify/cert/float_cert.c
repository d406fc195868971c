#include "theory/certify/cert/float_cert.h"
#include "models/network/net/head_field.h"
#include "models/network/schedule/float_net.h"
#include "models/network/schedule/store.h"
#include "theory/certify/cert/cert_head.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void f2l_buf_binary(f2l_buf *out, double x)
{
    if (x == 0) {
        f2l_buf_text(out, "0");
        return;
    }
    int exponent = 0;
    int64_t m = (int64_t)ldexp(frexp(x, &exponent), 53); /* an integer: 53 bits */
    exponent -= 53;
    while (m % 2 == 0) {
        m /= 2;
        exponent++;
    }
    f2l_buf_printf(out, "%" PRId64, m);
    if (exponent != 0) f2l_buf_printf(out, "p%d", exponent);
}

void f2l_float_cert_format(f2l_buf *out, const f2l_format *format)
{
    f2l_buf_printf(out,
                   "format precision %d emin %d emax %d "
                   "largest ",
                   format->precision, format->emin, format->emax);
    f2l_buf_binary(out, format->largest);
    f2l_buf_printf(out, " subnormals %s overflow %s round %s", format->subnormals ? "yes" : "no",
                   f2l_overflow_name(format->overflow), f2l_rounding_name(format->rounding));
}

/* Appends a setting as certificates have it: numbers are binary. */
static void write_row_setting(f2l_buf *out, const f2l_schedule *schedule, size_t i)
{
    const char *const name = f2l_schedule_setting(i);
    char text[F2L_SCHEDULE_NAME] = "";
    const bool fixed = schedule->store.scale == F2L_SCALE_STATIC && strcmp(name, "scale") == 0;
    const bool most = schedule->store.most > 0 && strcmp(name, "most") == 0;
    f2l_schedule_write_setting(text, schedule, i);
    if (fixed || most) f2l_buf_text(out, fixed ? "scale=static:" : "most=");
    if (fixed || most)
        f2l_buf_binary(out, fixed ? schedule->store.static_scale : schedule->store.most);
    else
        f2l_buf_text(out, text);
}

/* Appends the settings that the schedule has, but eps and raw, the last ones. */
static void write_row(f2l_buf *out, const f2l_schedule *schedule)
{
    size_t i = 0;
    while (schedule->chunk && strcmp(f2l_schedule_setting(i), "decode") != 0) i++;
    f2l_buf_text(out, schedule->chunk ? "schedule chunk64," : "schedule row ");
    write_row_setting(out, schedule, i++);
    for (; strcmp(f2l_schedule_setting(i), "eps") != 0; i++) {
        f2l_buf_text(out, ",");
        write_row_setting(out, schedule, i);
    }
}

void f2l_float_cert_schedule(f2l_buf *out, const f2l_schedule *schedule)
{
    if (f2l_schedule_is_usual(schedule))
        f2l_buf_printf(out, "schedule %s", schedule->row);
    else
        write_row(out, schedule);
    if (!(schedule->eps >= 0)) return;
    f2l_buf_text(out, " eps ");
    f2l_buf_binary(out, schedule->eps);
    f2l_buf_text(out, " raw ");
    f2l_buf_binary(out, schedule->raw);
}

f2l_status f2l_cert_schedule_refuse(const f2l_schedule *schedule, f2l_error *err)
{
    const f2l_schedule_store *store = &schedule->store;
    const char *unknown = f2l_schedule_unknown(schedule, F2L_KNOWS_CERTIFICATE);
    if (f2l_schedule_is_usual(schedule)) return F2L_OK;
    if (store->stochastic && !store->format) unknown = "state";
    if (schedule->operands && f2l_store_is_integer(schedule->operands)) unknown = "operands";
    if (store->clamp == F2L_CLAMP_FULL && !store->scale) unknown = "clamp";
    if (schedule->exact_matrices) unknown = "norm";
    if (schedule->prefill == F2L_PREFILL_CHUNK) unknown = "prefill";
    return unknown ? f2l_fail(err, F2L_EDOMAIN,
                              "the checkers do not know the schedule %s: they know not every `%s`",
                              schedule->name, unknown)
                   : F2L_OK;
}

static bool are_betas_whole(const f2l_head *head, size_t letters)
{
    for (size_t x = 0; x < letters; x++)
        for (size_t f = 0; f < head->letter[x].factors; f++) {
            mpq_srcptr beta = head->letter[x].factor[f].beta;
            if (mpz_cmp_ui(mpq_denref(beta), 1) != 0 || mpq_sgn(beta) < 0 ||
                mpq_cmp_ui(beta, 2, 1) > 0)
                return false;
        }
    return true;
}

/* Returns whether the checkers decode the layer as decode=linear does: it has one head, whose codes
 * have one length and are not 0. */
static bool has_known_directions(const f2l_layer *layer)
{
    return layer->codes > 0 && layer->code[0].count > 0 && f2l_layer_has_one_length(layer);
}

f2l_status f2l_cert_net_refuse(const f2l_net *net, const f2l_schedule *schedule, f2l_error *err)
{
    const bool logits = schedule->beta == F2L_BETA_LOGIT || schedule->beta == F2L_BETA_LOGIT_FORMAT;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t h = 0; logits && h < layer->heads; h++)
            if (!are_betas_whole(&layer->head[h], layer->letters))
                return f2l_fail(err, F2L_EDOMAIN,
                                "the checkers know logits of beta 0, 1 and 2 only");
        if (schedule->decode == F2L_DECODE_LINEAR && !has_known_directions(layer))
            return f2l_fail(
                err, F2L_EDOMAIN,
                "the checkers know decode=linear of one head with codes of one length only");
    }
    return F2L_OK;
}

/* Returns whether a joint state has more than numbers that are stored after each letter. */
static bool keeps_more(const f2l_schedule_store *store)
{
    return store->letters > 1 || store->residual == F2L_RESIDUAL_FEEDBACK;
}

f2l_status f2l_cert_float_refuse(const f2l_net *net, const f2l_schedule *schedule, f2l_error *err)
{
    f2l_status status = f2l_cert_schedule_refuse(schedule, err);
    if (status == F2L_OK) status = f2l_cert_net_refuse(net, schedule, err);
    if (status != F2L_OK) return status;
    if (schedule->prefill)
        return f2l_fail(err, F2L_EDOMAIN, "%s: joint states with a prompt have no certificate",
                        schedule->name);
    if (schedule->store.stochastic && schedule->store.draw != F2L_DRAW_ANY)
        return f2l_fail(
            err, F2L_EDOMAIN,
            "%s: joint states with random bits have no certificate, those with draw=any "
            "have one",
            schedule->name);
    if (schedule->store.stochastic && keeps_more(&schedule->store))
        return f2l_fail(
            err, F2L_EDOMAIN,
            "%s: joint states of a store that draws have no certificate where they keep "
            "residuals, or wait for their store",
            schedule->name);
    if (f2l_net_is_wired(net))
        return f2l_fail(err, F2L_EDOMAIN, "wired networks have no certificate in a number format");
    if (f2l_net_has_boxes(net))
        return f2l_fail(err, F2L_EDOMAIN,
                        "networks with boxes have no certificate in a number format");
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            if (!f2l_head_is_plain(&net->layer[l].head[h]))
                return f2l_fail(err, F2L_EDOMAIN,
                                "layer %zu, head %zu: heads with a field or a form have no "
                                "certificate in a number format",
                                l + 1, h + 1);
    return F2L_OK;
}

f2l_status f2l_cert_refuted_refuse(const f2l_net *net, const f2l_schedule *schedule, f2l_error *err)
{
    if (keeps_more(&schedule->store))
        return f2l_fail(
            err, F2L_EDOMAIN,
            "%s: of states that keep residuals, or wait for their store, no certificate "
            "says that they are wrong",
            schedule->name);
    return f2l_cert_float_refuse(net, schedule, err);
}

static f2l_status refuse_float_cert(const f2l_net *net, const f2l_closure *closure,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    f2l_error *err)
{
    const bool draws = f2l_schedule_draws(schedule, format);
    if (closure->verdict != F2L_OK || closure->numbers == NULL || (closure->next == NULL) != draws)
        return f2l_fail(err, F2L_EDOMAIN,
                        "only a verified closure that kept its table has a "
                        "certificate");
    if (format->rounding == F2L_ROUND_STOCHASTIC)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a closure with operations that round stochastically has no certificate");
    if (!f2l_schedule_steps(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "chunk64 does not step, and has no closure");
    return f2l_cert_float_refuse(net, schedule, err);
}

size_t f2l_cert_joint_size(const f2l_net *net)
{
    size_t size = 0;
    for (size_t l = 0; l < net->layers; l++) size += f2l_layer_numbers(&net->layer[l]);
    return size;
}

/* Appends the word, and of each layer its numbers, or those that are kept beside them. */
static void write_joint_part(f2l_buf *out, const f2l_net *net, const f2l_schedule *schedule,
                             const char *word, bool beside, const double *joint)
{
    f2l_buf_text(out, word);
    for (size_t l = 0; l < net->layers; l++) {
        const size_t count = f2l_layer_numbers(&net->layer[l]);
        f2l_cert_binaries(out, "", beside ? joint + count : joint, count);
        joint += count + f2l_store_memory(&schedule->store, count) + (schedule->store.letters > 1);
    }
}

/* Returns the number of letters since the store, which all layers have alike where every layer had
 * a symbol after every letter. */
static size_t letters_since_store(const f2l_net *net, const f2l_schedule *schedule,
                                  const double *joint)
{
    const size_t count = f2l_layer_numbers(&net->layer[0]);
    return (size_t)joint[count + f2l_store_memory(&schedule->store, count)];
}

void f2l_cert_joint(f2l_buf *out, const f2l_net *net, const f2l_schedule *schedule,
                    const double *joint)
{
    const f2l_schedule_store *store = &schedule->store;
    write_joint_part(out, net, schedule, " numbers", false, joint);
    if (store->ring || store->residual == F2L_RESIDUAL_FEEDBACK)
        write_joint_part(out, net, schedule, " beside", true, joint);
    if (store->letters > 1 && net->layers > 0)
        f2l_cert_number(out, " since ", letters_since_store(net, schedule, joint));
}

static void write_closure_row(f2l_buf *out, const f2l_net *net, const f2l_closure *closure,
                              const f2l_schedule *schedule, size_t r)
{
    f2l_cert_number(out, "row ", r + 1);
    f2l_cert_indices(out, " state", closure->state + r, 1);
    f2l_cert_joint(out, net, schedule, closure->numbers + r * closure->size);
    if (closure->next)
        f2l_cert_indices(out, " next", closure->next + r * closure->letters, closure->letters);
    f2l_buf_bytes(out, "\n", 1);
}

f2l_status f2l_float_cert_write(f2l_buf *out, const f2l_net *net, const f2l_closure *closure,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const char network_sha256[65], f2l_error *err)
{
    f2l_status status = refuse_float_cert(net, closure, format, schedule, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < closure->rows * closure->size; i++)
        if (!isfinite(closure->numbers[i]))
            return f2l_fail(err, F2L_EDOMAIN,
                            "a row of the closure has a number that is not finite");
    const size_t begin = out->size;
    f2l_cert_head head = f2l_cert_head_of(net, network_sha256, "float");
    head.format = format;
    head.schedule = schedule;
    f2l_cert_write_head(out, &head);
    f2l_buf_printf(out, "letters %zu states %zu numbers %zu rows %zu\n", closure->letters,
                   closure->states, f2l_cert_joint_size(net), closure->rows);
    for (size_t r = 0; r < closure->rows; r++) write_closure_row(out, net, closure, schedule, r);
    f2l_buf_printf(out, "end %zu\n", closure->rows);
    return f2l_cert_seal(out, begin, err);
}
