#include "tests/support/models/wired_weights_support.h"

weights wired_written(const f2l_net *net)
{
    return wired_written_as(net, F2L_WEIGHTS_AUTO);
}

weights wired_written_as(const f2l_net *net, f2l_weights_dtype dtype)
{
    weights w = {0};
    f2l_error err = {0};
    f2l_fsa fsa;
    automaton_with(&fsa, &net->letters);
    f2l_buf_init(&w.bytes);
    const f2l_status status = f2l_weights_write(&w.bytes, &w.report, net, &fsa, dtype, &err);
    cr_assert(status == F2L_OK, "%s", err.text);
    weights_parse(&w);
    f2l_fsa_clear(&fsa);
    return w;
}

size_t offset(json_t *tensor, size_t which)
{
    return (size_t)json_integer_value(
        json_array_get(json_object_get(tensor, "data_offsets"), which));
}

double wired_number(const unsigned char *from, const char *dtype)
{
    static const struct {
        const char *name;
        int size, fraction;
    } types[] = {{"BF16", 2, 7}, {"F16", 2, 10}, {"F32", 4, 23}, {"F64", 8, 52}, {"I32", 4, 0}};
    size_t t = 0;
    uint64_t bits = 0;
    while (strcmp(types[t].name, dtype) != 0) t++;
    const int size = types[t].size, fraction = types[t].fraction,
              exponents = size * 8 - 1 - fraction;
    for (int i = 0; i < size; i++) bits |= (uint64_t)from[i] << 8 * i;
    if (strcmp(dtype, "I32") == 0) return (double)(int32_t)(uint32_t)bits;
    int exponent = (int)(bits >> fraction & ((1u << exponents) - 1));
    double significand = (double)(bits & ((UINT64_C(1) << fraction) - 1));
    if (exponent > 0) significand += ldexp(1, fraction);
    significand =
        ldexp(significand, (exponent > 0 ? exponent : 1) - (1 << (exponents - 1)) + 1 - fraction);
    return bits >> (size * 8 - 1) ? -significand : significand;
}

void expect(weights *w, bool integer, double *numbers, size_t dims, const size_t *dim,
            const char *name, ...)
{
    char text[96];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(text, sizeof text, name, arguments);
    va_end(arguments);
    json_t *tensor = json_object_get(w->header, text), *shape = json_object_get(tensor, "shape");
    cr_assert(tensor != NULL, "no %s", text);
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    cr_assert_str_eq(dtype, integer ? "I32" : w->report.dtype, "%s", text);
    cr_assert(json_array_size(shape) == dims, "%s: %zu dimensions", text, json_array_size(shape));
    size_t count = 1, size = element_size(dtype);
    for (size_t i = 0; i < dims; i++) {
        json_int_t found = json_integer_value(json_array_get(shape, i));
        cr_assert(found == (json_int_t)dim[i], "%s: dimension %zu is %lld instead of %zu", text, i,
                  found, dim[i]);
        count *= dim[i];
    }
    cr_assert(offset(tensor, 0) % size == 0 && offset(tensor, 1) <= w->data_bytes, "%s", text);
    cr_assert(offset(tensor, 1) - offset(tensor, 0) == count * size, "%s", text);
    for (size_t i = 0; i < count; i++) {
        double found = wired_number(w->data + offset(tensor, 0) + i * size, dtype);
        cr_assert(found == numbers[i], "%s: number %zu is %g instead of %g", text, i, found,
                  numbers[i]);
    }
    free(numbers);
    w->expected++;
}

double *numbers_of(size_t count, double value)
{
    double *out = malloc((count + 1) * sizeof *out);
    for (size_t i = 0; i < count; i++) out[i] = value;
    return out;
}

double *from_sizes(const size_t *from, size_t count)
{
    double *out = numbers_of(count, 0);
    for (size_t i = 0; i < count; i++) out[i] = (double)from[i];
    return out;
}

double *from_wires(const uint32_t *from, size_t count)
{
    double *out = numbers_of(count, 0);
    for (size_t i = 0; i < count; i++) out[i] = from[i];
    return out;
}

double ratio(const mpq_t x, const f2l_qvec *over)
{
    mpq_t norm2;
    mpfr_t a, b;
    mpq_init(norm2);
    mpq_set_ui(norm2, 1, 1);
    if (over != NULL) f2l_qvec_norm2(norm2, over);
    mpfr_inits2(400, a, b, (mpfr_ptr)NULL);
    mpfr_set_q(b, norm2, MPFR_RNDN);
    mpfr_sqrt(b, b, MPFR_RNDN);
    mpfr_set_q(a, x, MPFR_RNDN);
    mpfr_div(a, a, b, MPFR_RNDN);
    double out = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clears(a, b, (mpfr_ptr)NULL);
    mpq_clear(norm2);
    return out;
}

void expect_vectors(weights *w, const f2l_qvec *const *vector, const f2l_qvec *const *over,
                    size_t rows, size_t dims, const size_t *dim, const char *name)
{
    size_t shape[3] = {dim[0], dim[1], dims == 3 ? dim[2] : 0}, width = dim[dims - 1];
    if (w->report.sparse) {
        width = 0;
        for (size_t r = 0; r < rows; r++)
            if (vector[r] != NULL && vector[r]->count > width) width = vector[r]->count;
        shape[dims - 1] = width;
    }
    double *numbers = numbers_of(rows * width, 0), *indices = numbers_of(rows * width, -1);
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; vector[r] != NULL && i < vector[r]->count; i++) {
            size_t at = r * width + (w->report.sparse ? i : vector[r]->index[i]);
            numbers[at] = ratio(vector[r]->value[i], over == NULL ? NULL : over[r]);
            indices[at] = vector[r]->index[i];
        }
    }
    expect(w, false, numbers, dims, shape, w->report.sparse ? "%s_value" : "%s", name);
    if (w->report.sparse)
        expect(w, true, indices, dims, shape, "%s_index", name);
    else
        free(indices);
}

void expect_letters(weights *w, const f2l_head *head, size_t letters, const char *prefix)
{
    size_t most = 0, rows;
    bool gated = false;
    char name[96];
    for (size_t x = 0; x < letters; x++) {
        if (head->letter[x].factors > most) most = head->letter[x].factors;
        gated = gated || mpq_cmp_ui(head->letter[x].gate, 1, 1) != 0;
    }
    rows = letters * most;
    const f2l_qvec **key = calloc(rows + 1, sizeof *key), **value = calloc(rows + 1, sizeof *value);
    double *beta = numbers_of(rows, 0), *gate = numbers_of(letters, 1);
    for (size_t x = 0; x < letters; x++) {
        gate[x] = ratio(head->letter[x].gate, NULL);
        for (size_t i = 0; i < head->letter[x].factors; i++) {
            key[x * most + i] = &head->letter[x].factor[i].u;
            value[x * most + i] = &head->letter[x].factor[i].c;
            beta[x * most + i] = ratio(head->letter[x].factor[i].beta, NULL);
        }
    }
    expect(w, false, beta, 2, (const size_t[]){letters, most}, "%s.beta", prefix);
    if (gated)
        expect(w, false, gate, 1, &letters, "%s.gate", prefix);
    else
        free(gate);
    snprintf(name, sizeof name, "%s.key", prefix);
    expect_vectors(w, key, key, rows, 3, (const size_t[]){letters, most, head->n}, name);
    snprintf(name, sizeof name, "%s.value", prefix);
    expect_vectors(w, value, key, rows, 3, (const size_t[]){letters, most, head->d}, name);
    free(key);
    free(value);
}

void expect_gates(weights *w, const f2l_net *net, const f2l_wired_gate *gate, size_t gates,
                  size_t b, const char *name)
{
    double *table = numbers_of(gates, 0), *at = numbers_of(gates + 1, 0),
           *wire = numbers_of(1000, 0);
    size_t wires = 0, ends = gates + 1;
    for (size_t g = 0; g < gates; g++) {
        table[g] = (double)gate[g].table;
        for (size_t i = 0; i < net->table[gate[g].table].inputs; i++)
            wire[wires++] = gate[g].wire[i];
        at[g + 1] = (double)wires;
    }
    expect(w, true, table, 1, &gates, "blocks.%zu.%s.table", b, name);
    expect(w, true, at, 1, &ends, "blocks.%zu.%s.wire_at", b, name);
    expect(w, true, wire, 1, &wires, "blocks.%zu.%s.wire", b, name);
}

void expect_readouts(weights *w, const f2l_wired_block *block, size_t b)
{
    size_t count = block->readouts, ends = count + 1, codes = 0, width = 0;
    double *head = numbers_of(count, 0), *row = numbers_of(count, 0), *rows = numbers_of(count, 0),
           *at = numbers_of(ends, 0);
    const f2l_qvec *code[10000];
    char name[96];
    for (size_t r = 0; r < count; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        size_t numbers = readout->rows * block->head[readout->head].head.d;
        head[r] = (double)readout->head;
        row[r] = (double)readout->row;
        rows[r] = (double)readout->rows;
        for (size_t c = 0; c < readout->codes; c++) code[codes++] = &readout->code[c];
        at[r + 1] = (double)codes;
        if (numbers > width) width = numbers;
    }
    expect(w, true, head, 1, &count, "blocks.%zu.readouts.head", b);
    expect(w, true, row, 1, &count, "blocks.%zu.readouts.row", b);
    expect(w, true, rows, 1, &count, "blocks.%zu.readouts.rows", b);
    expect(w, true, at, 1, &ends, "blocks.%zu.readouts.codes_at", b);
    snprintf(name, sizeof name, "blocks.%zu.readouts.codes", b);
    expect_vectors(w, code, NULL, codes, 2, (const size_t[]){codes, width}, name);
}

void expect_block(weights *w, const f2l_net *net, size_t b)
{
    const f2l_wired_block *block = &net->block[b];
    char prefix[64];
    expect(w, true, from_sizes(block->input_size, block->inputs), 1, &block->inputs,
           "blocks.%zu.inputs", b);
    expect(w, true, from_wires(block->output, block->outputs), 1, &block->outputs,
           "blocks.%zu.outputs", b);
    expect_gates(w, net, block->pre, block->pres, b, "pre");
    expect_gates(w, net, block->post, block->posts, b, "post");
    expect_readouts(w, block, b);
    for (size_t h = 0; h < block->heads; h++) {
        const f2l_wired_head *head = &block->head[h];
        const size_t ends = head->slots + 1;
        snprintf(prefix, sizeof prefix, "blocks.%zu.heads.%zu", b, h);
        expect(w, true, from_wires(head->wire, head->slots), 1, &head->slots, "%s.slot_wire",
               prefix);
        expect(w, true, from_sizes(head->slot_at, ends), 1, &ends, "%s.slot_at", prefix);
        if (w->report.sparse) {
            const size_t shape[] = {head->head.n, head->head.d}, two = 2;
            expect(w, true, from_sizes(shape, two), 1, &two, "%s.shape", prefix);
        }
        expect_letters(w, &head->head, head->slot_at[head->slots], prefix);
    }
}

void wired_expect_layout(const weights *w)
{
    const char *key, *last = "";
    json_t *tensor;
    unsigned char *used = calloc(w->data_bytes + 1, 1);
    size_t total = 0;
    json_object_foreach(w->header, key, tensor)
    {
        cr_assert(strcmp(last, key) < 0, "%s after %s", key, last);
        last = key;
        if (strcmp(key, "__metadata__") == 0) continue;
        for (size_t i = offset(tensor, 0); i < offset(tensor, 1); i++)
            cr_assert(used[i]++ == 0, "%s", key);
        total += offset(tensor, 1) - offset(tensor, 0);
    }
    cr_assert(total == w->data_bytes && w->expected + 1 == json_object_size(w->header));
    free(used);
}

/* Expects the initial state of head h of stage l: dense, or as indices and numbers. */
static void expect_initial(weights *w, const f2l_qvec *initial, const f2l_head *head, size_t l,
                           size_t h)
{
    const bool sparse = w->report.sparse;
    const size_t dim[] = {head->n, head->d}, entries = initial->count;
    double *numbers = numbers_of(sparse ? entries : dim[0] * dim[1], 0);
    for (size_t i = 0; i < entries; i++)
        numbers[sparse ? i : initial->index[i]] = ratio(initial->value[i], NULL);
    if (!sparse) {
        expect(w, false, numbers, 2, dim, "stages.%zu.heads.%zu.initial", l, h);
        return;
    }
    expect(w, false, numbers, 1, &entries, "stages.%zu.heads.%zu.initial_value", l, h);
    expect(w, true, from_wires(initial->index, entries), 1, &entries,
           "stages.%zu.heads.%zu.initial_index", l, h);
}

void expect_all(const f2l_net *net, const char *dtype, bool exact, bool sparse)
{
    weights w = wired_written(net);
    cr_assert(w.report.exact == exact && w.report.sparse == sparse);
    if (dtype != NULL) cr_assert_str_eq(w.report.dtype, dtype);
    for (size_t t = 0; t < net->tables; t++) {
        const f2l_wired_table *table = &net->table[t];
        expect(&w, true, from_wires(table->value, table->entries), table->inputs, table->size,
               "tables.%zu", t);
    }
    for (size_t b = 0; b < net->blocks; b++) expect_block(&w, net, b);
    double *stages = numbers_of(net->stages, 0);
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_block *block = &net->block[net->stage[l].block];
        stages[l] = (double)net->stage[l].block;
        for (size_t h = 0; h < block->heads; h++) {
            const f2l_qvec *initial = &net->stage[l].initial[h];
            expect_initial(&w, initial, &block->head[h].head, l, h);
        }
    }
    expect(&w, true, stages, 1, &net->stages, "stages");
    wired_expect_layout(&w);
    weights_free(&w);
}
