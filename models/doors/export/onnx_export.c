/* onnx: model.onnx, a graph whose Scan steps all layers letter by letter. */
#include "models/doors/export/impl.h"
#include "models/doors/export/onnx_parts.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MOST_BYTES ((size_t)INT32_MAX) /* of a message of Protocol Buffers */

/* Returns the numbers that the first layer reads: the letters, or their classes. */
static f2l_status read_onnx_letters(f2l_onnx_value *out, f2l_onnx *o, const f2l_export_job *job,
                                    f2l_error *err)
{
    const f2l_letter_classes *classes = &job->model->classes;
    const int64_t letters = (int64_t)job->model->letters.count;
    *out = f2l_onnx_named("letters");
    if (!classes->of) return F2L_OK;
    int64_t *of = f2l_calloc((size_t)letters, sizeof *of);
    if (!of) return f2l_fail_memory(err);
    for (int64_t i = 0; i < letters; i++) of[i] = classes->of[i];
    *out =
        f2l_onnx_gather(o, f2l_onnx_integers(o, f2l_onnx_named("class_of"), of, 1, &letters), *out);
    f2l_free(of);
    return F2L_OK;
}

/* Returns the shape [B, 1, 1]. */
static f2l_onnx_value batch_shape(f2l_onnx *o)
{
    static const int64_t zero = 0, ones[2] = {1, 1};
    const f2l_onnx_value shape = f2l_onnx_one(o, "Shape", f2l_onnx_named("letters"));
    const f2l_onnx_value both[2] = {f2l_onnx_gather(o, shape, f2l_onnx_list(o, &zero, 1)),
                                    f2l_onnx_list(o, ones, 2)};
    return f2l_onnx_node(o, "Concat", 0, both, 2);
}

/* Declares what the graphs take and give, and adds the Scan of `read` from the states `begin` to
 * the states `end`, arrays with an entry for each state that are filled here. */
static void add_scan(f2l_onnx *o, const f2l_onnx_states *states, f2l_onnx_value label,
                     f2l_onnx_value read, f2l_onnx_value *begin, f2l_onnx_value *end)
{
    static const int64_t words[2] = {-1, -2};
    const f2l_onnx_value shape = o->streams ? read : batch_shape(o);
    f2l_onnx_declare(&o->main.inputs, F2L_ONNX_INPUT, f2l_onnx_named("letters"), F2L_ONNX_INT64, 2,
                     words);
    f2l_onnx_declare(&o->main.outputs, F2L_ONNX_OUTPUT, f2l_onnx_named("labels"), F2L_ONNX_INT64, 2,
                     words);
    for (size_t i = 0; i < states->count; i++) {
        const struct f2l_onnx_state *s = &states->state[i];
        const int64_t dim[3] = {-1, (int64_t)s->n, (int64_t)s->d};
        begin[i] = f2l_onnx_named("state.%zu.%zu", s->stage, s->head);
        end[i] = f2l_onnx_named("next.%zu.%zu", s->stage, s->head);
        if (o->streams)
            f2l_onnx_declare(&o->main.inputs, F2L_ONNX_INPUT, begin[i], o->type, 3, dim);
        else
            begin[i] = f2l_onnx_two(o, "Expand",
                                    f2l_onnx_named("initial.%zu.%zu", s->stage, s->head), shape);
        f2l_onnx_declare(&o->main.outputs, F2L_ONNX_OUTPUT, end[i], o->type, 3, dim);
        f2l_onnx_declare(&o->body.inputs, F2L_ONNX_INPUT, s->before, o->type, 3, dim);
        f2l_onnx_declare(&o->body.outputs, F2L_ONNX_OUTPUT, s->after, o->type, 3, dim);
    }
    f2l_onnx_declare(&o->body.inputs, F2L_ONNX_INPUT, f2l_onnx_named("letter"), F2L_ONNX_INT64, 1,
                     words);
    f2l_onnx_declare(&o->body.outputs, F2L_ONNX_OUTPUT, label, F2L_ONNX_INT64, 1, words);
    (void)f2l_onnx_scan(o, read, begin, end, states->count);
}

/* Makes the graphs: first the body, then around it the main graph. */
static f2l_status build_onnx_graphs(f2l_onnx *o, const f2l_export_job *job, f2l_error *err)
{
    const f2l_onnx_value letter = f2l_onnx_named("letter");
    f2l_onnx_states states = {0};
    f2l_onnx_value label = letter, read, *ends = NULL;
    o->at = &o->body;
    f2l_status status = f2l_onnx_layers(&label, o, &states, err);
    if (status == F2L_OK) status = f2l_onnx_stages(&label, o, &states, err);
    if (status == F2L_OK) {
        ends = f2l_calloc(2 * states.count + 1, sizeof *ends);
        if (!ends) status = f2l_fail_memory(err);
    }
    if (status == F2L_OK) {
        /* What a graph takes and what it gives have different names. */
        for (size_t i = 0; i < states.count; i++)
            states.state[i].after = f2l_onnx_one(o, "Identity", states.state[i].after);
        label = f2l_onnx_one(o, "Identity", label);
        o->at = &o->main;
        status = read_onnx_letters(&read, o, job, err);
    }
    if (status == F2L_OK) add_scan(o, &states, label, read, ends, ends + states.count);
    f2l_free(ends);
    f2l_free(states.state);
    return status;
}

/* Appends the model, with the metadata that name letters and labels. */
static void put_model(f2l_buf *out, f2l_onnx *o)
{
    static const char *const names[] = {"letters", "labels", "start", "fsa_sha256"};
    const json_t *about = json_object_get(o->weights.header, "__metadata__");
    const char *pair[sizeof names / sizeof *names][2];
    size_t pairs = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = json_string_value(json_object_get(about, names[i]));
        if (!text) continue;
        pair[pairs][0] = names[i];
        pair[pairs++][1] = text;
    }
    f2l_onnx_model(out, o, (const char *const(*)[2])pair, pairs);
}

static f2l_status make_model(f2l_buf *out, const f2l_buf *weights, const f2l_export_job *job,
                             bool streams, f2l_error *err)
{
    f2l_onnx o = {.type = job->dtype == &f2l_export_float32 ? F2L_ONNX_FLOAT : F2L_ONNX_DOUBLE,
                  .streams = streams};
    f2l_status status = f2l_safetensors_open(&o.weights, weights->data, weights->size, err);
    if (status != F2L_OK) return status;
    status = build_onnx_graphs(&o, job, err);
    if (status == F2L_OK) put_model(out, &o);
    if (status == F2L_OK) status = f2l_buf_status(out, err);
    if (status == F2L_OK && out->size > MOST_BYTES)
        status = f2l_fail(err, F2L_EDOMAIN, "a model for ONNX has less than 2 GiB");
    f2l_onnx_graph_clear(&o.main);
    f2l_onnx_graph_clear(&o.body);
    f2l_safetensors_close(&o.weights);
    return status;
}

static f2l_status write_onnx_files(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    f2l_weights_report report;
    f2l_buf weights, model, stream;
    f2l_buf_init(&weights);
    f2l_buf_init(&model);
    f2l_buf_init(&stream);
    f2l_status status = f2l_export_weights(&weights, &report, job, err);
    if (status == F2L_OK && report.sparse)
        status =
            f2l_fail(err, F2L_EDOMAIN,
                     "onnx takes networks whose tensors have at most 64 MiB when they are dense");
    if (status == F2L_OK) status = make_model(&model, &weights, job, false, err);
    if (status == F2L_OK) status = make_model(&stream, &weights, job, true, err);
    if (status == F2L_OK) status = f2l_exported_add(out, "model.onnx", &model, err);
    if (status == F2L_OK) status = f2l_exported_add(out, "stream.onnx", &stream, err);
    if (status == F2L_OK) f2l_exported_claim_proof(out, "Scan", job);
    f2l_buf_clear(&stream);
    f2l_buf_clear(&model);
    f2l_buf_clear(&weights);
    return status;
}

const f2l_export_target f2l_target_onnx = {
    .name = "onnx",
    .summary = "model.onnx, letters to labels by a Scan over the letters",
    .usage =
        "`model.onnx` maps `letters`, int64 [B, T], to `labels`, int64 [B, T], -1 where there is "
        "none. With onnxruntime:\n\n"
        "    import numpy, onnxruntime\n"
        "    net = onnxruntime.InferenceSession(\"model.onnx\")\n"
        "    labels = net.run([\"labels\"], {\"letters\": numpy.array([[0, 0, 0]])})[0]\n\n"
        "Its outputs `next.S.H` are the states after the last letter, of head H of stage S, "
        "[B, n, d].\n`stream.onnx` takes them as its inputs `state.S.H`, and goes on where the "
        "words ended.\n",
    .dtype = f2l_export_wide_dtypes,
    .schedules = f2l_export_halves,
    .write = write_onnx_files};
