/* Validation: the conditions of the class declared in models/network/net/net.h. */
#include "models/network/net/box.h"
#include "models/network/net/code_index.h"
#include "models/network/net/head.h"
#include "models/network/net/net_text.h"
#include "models/network/net/wired.h"

static bool short_enough(const mpq_t value)
{
    return mpz_sizeinbase(mpq_numref(value), 10) <= F2L_MAX_DIGITS &&
           mpz_sizeinbase(mpq_denref(value), 10) <= F2L_MAX_DIGITS;
}

static bool between(const mpq_t value, unsigned long most)
{
    return mpq_sgn(value) >= 0 && mpq_cmp_ui(value, most, 1) <= 0 && short_enough(value);
}

bool f2l_vector_fits(const f2l_qvec *v, size_t limit)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->index[i] >= limit || (i > 0 && v->index[i] <= v->index[i - 1])) return false;
        if (mpq_sgn(v->value[i]) == 0 || !short_enough(v->value[i])) return false;
    }
    return true;
}

bool f2l_raw_factor_fits(const f2l_factor *factor)
{
    mpq_t shift;
    mpq_init(shift);
    f2l_qvec_norm2(shift, &factor->u);
    mpq_mul(shift, shift, factor->beta);
    const bool fits = mpq_cmp_ui(shift, 2, 1) <= 0;
    mpq_clear(shift);
    return fits;
}

static const char *factor_fault(const f2l_head *head, const f2l_factor *factor)
{
    if (!head->raw && !between(factor->beta, 2)) return "beta is not a number from 0 to 2";
    if (mpq_sgn(factor->beta) < 0 || !short_enough(factor->beta))
        return "beta is not a number from 0 on";
    const size_t degree = f2l_head_degree(head);
    if (factor->u.count == 0) return "the key is zero";
    if (!f2l_vector_fits(&factor->u, head->n * degree))
        return "the key is not a vector of the key "
               "dimension";
    if (!f2l_vector_fits(&factor->c, head->d * degree))
        return "the value is not a vector of the value dimension";
    if (head->raw && !f2l_raw_factor_fits(factor))
        return "beta u^T u of a raw factor is more than 2";
    return NULL;
}

const char *f2l_transition_fault(size_t *factor, const f2l_head *head,
                                 const f2l_transition *transition)
{
    *factor = F2L_NO_INDEX;
    if (!between(transition->gate, 1)) return "the gate is not a number from 0 to 1";
    if (transition->bias.count > 0 && !f2l_head_is_plain(head))
        return "a head with a field or a form has no bias";
    if (!f2l_vector_fits(&transition->bias, head->n * head->d))
        return "the bias does not fit the dimensions of the head";
    const char *fault = NULL;
    for (size_t i = 0; i < transition->factors && fault == NULL; i++) {
        *factor = i;
        fault = factor_fault(head, &transition->factor[i]);
    }
    return fault;
}

/* A form is symmetric and positive definite when f2l_ldl_build factors it. */
f2l_status f2l_form_fault(const char **fault, const f2l_head *head, f2l_error *err)
{
    const size_t degree = f2l_head_degree(head);
    *fault = NULL;
    if (head->field && degree < 2) *fault = "a field of degree 1 is not declared";
    if (!*fault && !f2l_vector_fits(&head->form, head->n * head->n * degree))
        *fault = "the form is not a matrix of the key dimension";
    if (*fault || head->form.count == 0) return F2L_OK;
    f2l_matrix form;
    f2l_ldl factors = {0};
    f2l_field rational;
    f2l_field_init(&rational);
    f2l_status status = f2l_head_form(&form, head, err);
    if (status == F2L_OK)
        status = f2l_ldl_build(&factors, &form, f2l_head_over(head, &rational), err);
    if (status == F2L_EDOMAIN) {
        *fault = "the form is not symmetric and positive definite";
        status = F2L_OK;
    }
    f2l_ldl_clear(&factors);
    f2l_matrix_clear(&form);
    f2l_field_clear(&rational);
    return status;
}

static f2l_status validate_form(const f2l_head *head, size_t l, size_t h, f2l_error *err)
{
    const char *fault;
    f2l_status status = f2l_form_fault(&fault, head, err);
    if (status == F2L_OK && fault)
        status = f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu: %s", l + 1, h + 1, fault);
    return status;
}

static f2l_status validate_head(const f2l_layer *layer, size_t l, size_t h, const f2l_task *task,
                                f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    if (!f2l_head_in_range(head))
        return f2l_fail(err, F2L_EDOMAIN,
                        "layer %zu, head %zu: a state of %zu x %zu numbers is "
                        "out of range",
                        l + 1, h + 1, head->n, head->d);
    if (head->raw && !f2l_head_is_plain(head))
        return f2l_fail(err, F2L_EDOMAIN,
                        "layer %zu, head %zu: a raw head has neither a field nor a form", l + 1,
                        h + 1);
    f2l_status status = validate_form(head, l, h, err);
    if (status != F2L_OK) return status;
    if (!f2l_vector_fits(&head->initial, head->n * head->d * f2l_head_degree(head)))
        return f2l_fail(err, F2L_EDOMAIN,
                        "layer %zu, head %zu: the initial state does not fit its "
                        "dimensions",
                        l + 1, h + 1);
    size_t done = 0;
    for (size_t x = 0; x < layer->letters; x++) {
        if (f2l_net_poll_due(&done, 1 + head->letter[x].factors))
            status =
                f2l_task_poll(task, "checking a network", (double)x, (double)layer->letters, err);
        if (status != F2L_OK) return status;
        size_t factor;
        const char *fault = f2l_transition_fault(&factor, head, &head->letter[x]);
        if (fault != NULL && factor == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu, letter %zu: %s", l + 1, h + 1,
                            x + 1, fault);
        if (fault != NULL)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu, letter %zu, factor %zu: %s",
                            l + 1, h + 1, x + 1, factor + 1, fault);
    }
    return F2L_OK;
}

const char *f2l_box_head_fault(const f2l_head *head)
{
    return f2l_head_is_plain(head) ? NULL
                                   : "a head of a layer with boxes has neither a field nor a form";
}

static f2l_status validate_boxes(const f2l_layer *layer, size_t l, f2l_error *err)
{
    for (size_t h = 0; h < layer->heads; h++) {
        const char *fault = f2l_box_head_fault(&layer->head[h]);
        if (fault)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu: %s", l + 1, h + 1, fault);
    }
    for (size_t i = 0; i < layer->codes * layer->heads; i++) {
        const f2l_head *head = &layer->head[i % layer->heads];
        if (!f2l_vector_fits(&layer->low[i], head->n * head->d) ||
            !f2l_vector_fits(&layer->high[i], head->n * head->d))
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu, box %zu: it does not fit the dimensions of head %zu", l + 1,
                            i / layer->heads + 1, i % layer->heads + 1);
    }
    f2l_box_index index;
    f2l_error why = {0};
    f2l_status status = f2l_box_index_build(&index, NULL, layer, &why);
    f2l_box_index_clear(&index);
    if (status == F2L_EDOMAIN)
        return f2l_fail(err, F2L_EDOMAIN, "layer %zu, boxes: %.200s", l + 1, why.text);
    if (status != F2L_OK && err) *err = why;
    return status;
}

static f2l_status validate_codes(const f2l_layer *layer, size_t l, f2l_error *err)
{
    for (size_t i = 0; i < layer->codes * layer->heads; i++) {
        const f2l_head *head = &layer->head[i % layer->heads];
        if (!f2l_vector_fits(&layer->code[i], head->n * head->d * f2l_head_degree(head)))
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu, code %zu: it does not fit the dimensions of head %zu",
                            l + 1, i / layer->heads + 1, i % layer->heads + 1);
    }
    f2l_code_index index;
    f2l_status status = f2l_code_index_build(&index, layer, err);
    if (status != F2L_OK) return status;
    if (index.second != F2L_NO_INDEX)
        status = f2l_fail(err, F2L_EDOMAIN, "layer %zu: codes %zu and %zu are equal", l + 1,
                          index.first + 1, index.second + 1);
    f2l_code_index_clear(&index);
    return status == F2L_OK && layer->low ? validate_boxes(layer, l, err) : status;
}

/* Validates the parts of every code, and a row of symbols for every letter. */
static f2l_status validate_parts(const f2l_layer *layer, size_t l, f2l_error *err)
{
    if (layer->by_letter)
        return f2l_fail(err, F2L_EDOMAIN, "layer %zu: a step decoder has no parts", l + 1);
    for (size_t p = 0; p < layer->parts; p++) {
        if (layer->part_values[p] == 0 || layer->part_values[p] > F2L_MAX_TABLE)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: part %zu with %zu values is out of range",
                            l + 1, p + 1, layer->part_values[p]);
    }
    for (size_t x = 0, at = 0; x < layer->letters; x++) {
        if (layer->reads[x] >= layer->parts)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, letter %zu: part %zu is not one of %zu",
                            l + 1, x + 1, (size_t)layer->reads[x] + 1, layer->parts);
        size_t values = layer->part_values[layer->reads[x]];
        if (layer->symbol_at[x] != at || layer->symbol_at[x + 1] != at + values ||
            values > F2L_MAX_TABLE - at)
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu, letter %zu: its row of symbols is out of place", l + 1,
                            x + 1);
        at += values;
        for (size_t i = layer->symbol_at[x]; i < at; i++) {
            if (layer->symbol[i] != F2L_NO_SYMBOL && layer->symbol[i] >= layer->symbols)
                return f2l_fail(err, F2L_EDOMAIN,
                                "layer %zu, letter %zu: symbol %zu is not one of %zu", l + 1, x + 1,
                                (size_t)layer->symbol[i] + 1, layer->symbols);
        }
    }
    for (size_t i = 0; i < layer->codes * layer->parts; i++) {
        if (layer->part[i] >= layer->part_values[i % layer->parts])
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, code %zu: part %zu has no value %zu",
                            l + 1, i / layer->parts + 1, i % layer->parts + 1,
                            (size_t)layer->part[i] + 1);
    }
    return validate_codes(layer, l, err);
}

static f2l_status validate_decoder(const f2l_layer *layer, size_t l, f2l_error *err)
{
    size_t rows = layer->by_letter ? layer->letters : 1;
    if (layer->codes == 0 || layer->codes > F2L_MAX_TABLE / rows)
        return f2l_fail(err, F2L_EDOMAIN, "layer %zu: a decoder of %zu codes is out of range",
                        l + 1, layer->codes);
    if (layer->parts > 0) return validate_parts(layer, l, err);
    for (size_t i = 0; i < rows * layer->codes; i++) {
        if (layer->symbol[i] != F2L_NO_SYMBOL && layer->symbol[i] >= layer->symbols)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, code %zu: symbol %zu is not one of %zu",
                            l + 1, i % layer->codes + 1, (size_t)layer->symbol[i] + 1,
                            layer->symbols);
    }
    return validate_codes(layer, l, err);
}

f2l_status f2l_check_face(const f2l_names *letters, const f2l_letter_classes *classes,
                          const f2l_names *labels, f2l_label label, size_t start, f2l_error *err)
{
    if (!f2l_letter_classes_valid(classes, letters->count))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the classes of letters are not numbered by their first "
                        "letters");
    if (label == F2L_LABEL_EDGES && start != F2L_NO_INDEX)
        return f2l_fail(err, F2L_EDOMAIN, "labels are on edges, but the empty word has one");
    if (label != F2L_LABEL_EDGES && start >= labels->count)
        return f2l_fail(err, F2L_EDOMAIN, "the label of the empty word is not one of %zu",
                        labels->count);
    return F2L_OK;
}

f2l_status f2l_net_validate(const f2l_net *net, f2l_error *err)
{
    return f2l_net_validate_within(net, NULL, err);
}

/* Returns the steps of factoring the form in the field. */
static uint64_t form_steps(const f2l_head *head)
{
    if (f2l_head_is_plain(head)) return 0;
    const uint64_t degree = f2l_head_degree(head),
                   cubed = f2l_steps_of(head->n, f2l_steps_of(head->n, head->n));
    return f2l_steps_of(10 * cubed, degree * degree);
}

static f2l_status validate_layers(const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "checking a network"};
    f2l_status going = f2l_task_goes_on(task, meter.phase, err); /* a network is not even refused
                                                                    when time is out */
    if (going != F2L_OK) return going;
    f2l_status face = f2l_net_check_layers(net, err);
    if (face != F2L_OK) return face;
    if (net->letters.count == 0) return f2l_fail(err, F2L_EDOMAIN, "the network has no letters");
    face = f2l_check_face(&net->letters, &net->classes, &net->labels, net->label, net->start, err);
    if (face != F2L_OK) return face;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        size_t letters =
            l == 0 ? f2l_letter_kinds(&net->classes, &net->letters) : net->layer[l - 1].symbols;
        if (layer->heads == 0)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu has no heads: a layer has at least one",
                            l + 1);
        if (layer->letters == 0 || layer->letters != letters)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu reads %zu letters but is given %zu", l + 1,
                            layer->letters, letters);
        if (l + 1 == net->layers && layer->symbols != net->labels.count)
            return f2l_fail(err, F2L_EDOMAIN, "the last layer has %zu symbols for %zu labels",
                            layer->symbols, net->labels.count);
        f2l_status status = F2L_OK;
        for (size_t h = 0; h < layer->heads && status == F2L_OK; h++) {
            const f2l_head *head = &layer->head[h];
            const uint64_t steps =
                form_steps(head) + f2l_head_weigh(head, layer->letters, 4, 12, 4);
            status = f2l_meter_spend(&meter, steps, (double)l, (double)net->layers, err);
            if (status == F2L_OK) status = validate_head(layer, l, h, task, err);
        }
        const uint64_t symbols = layer->parts > 0 ? layer->symbol_at[layer->letters] : layer->codes;
        if (status == F2L_OK)
            status = f2l_meter_spend(&meter, symbols / 4 + f2l_codes_weigh(layer, 40, 20),
                                     (double)l, (double)net->layers, err);
        if (status == F2L_OK) status = validate_decoder(layer, l, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

f2l_status f2l_net_check_layers(const f2l_net *net, f2l_error *err)
{
    return net->layers > 0 ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "the network has no layers");
}

f2l_status f2l_net_validate_within(const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    return net->stages > 0 ? f2l_wired_validate(net, err) : validate_layers(net, task, err);
}
