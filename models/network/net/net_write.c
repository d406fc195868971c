/* The text form of a network, network.lrnn: lines of tokens separated by single blanks, every line
 * ended by LF, no comments, no blank lines, one spelling per value, all numbering 1-based.
 *
 *     lrnn 2
 *     fsa SHA256                                  of the bytes of automaton.fsa
 *     field Q
 *     read-out fitted                             only when the codes are fitted to the states
 *                                                 of a trained network
 *     label states|outputs|accept|edges           edges: outputs of transitions
 *     letters K
 *     letter NAME                                 K lines, the automaton's order
 *     letter-classes C c_1 .. c_K                 only when declared: layer 1 reads letter x as c_x
 *     labels M
 *     symbol NAME                                 M lines
 *     start I                                     label of the empty word; `start -` with
 *                                                 label edges
 *     layers L
 *     layer l letters K heads H codes C symbols M decode state|step|part
 *                                                 l = 1..L, each followed by:
 *       parts N ..                                decode part only: number of values of each part
 *       head h key n value d                      h = 1..H, each followed by:
 *         raw                                     only in a raw head
 *         field c_0 .. c_r interval A B           only when declared
 *         form R.C:V ..                           only when declared and not the identity
 *         initial R.C:V ..                        non-zero entries of H_0, row-major
 *         on x gate G factors F [bias R.C:V ..]   x = 1..K, each followed by F lines:
 *           factor BETA u I:V .. [c J:V ..]       " c .." and " bias .." only when not zero
 *       code i Y R.C:V .. ; R.C:V ..              i = 1..C; one group per head between lone ";"
 *       box i R.C:LO,HI .. ; R.C:LO,HI ..         only when declared, i = 1..C: all entries of
 *                                                 every head
 *       yield x i Y                               decode step only: defined pairs in (x, i) order
 *       yield x p Y ..                            decode part only: x = 1..K, part p that it
 *                                                 reads, its Ys
 *     end
 *
 * (Indentation here shows nesting; the file has none.) Y is a symbol index, "-" where undefined; in
 * the code lines Y is "*" with decode step, and with decode part the code's value in every part,
 * "2,1". NAME is spelled as in `.fsa` files. V, G and BETA are rationals in lowest terms: "0",
 * "-3", "5/2".
 *
 * A head with a `field` is over Q(alpha), alpha the only root in the open interval (A, B), A and B
 * rationals, of the irreducible polynomial c_0 + c_1 x + .. + c_r x^r with integer coefficients,
 * c_r = 1, 2 <= r <= 64. In such a head every V, in `form`, `initial`, `factor` and the head's
 * group in `code`, is a polynomial in alpha spelled by its rational coefficients: "1,2/3,-1" is
 * 1 + 2/3 alpha - alpha^2; at most r of them, the last one not 0, so that a rational is spelled as
 * over Q. BETA and G stay rational. `form` gives the entries R.C with R <= C of a symmetric
 * positive definite n x n matrix that are not zero, row-major; an entry gives both R.C and C.R, and
 * the identity is not written. With a field or a form n is at most 256 and n d r at most 2^20
 * (r = 1 for a form without a field, which is over Q), a factor acts as described in
 * models/network/net/net.h, and neither `raw` nor `bias` is allowed. */
#include "models/network/net/head_field.h"
#include "models/network/net/net_text.h"
#include <string.h>

/* Appends the number whose first coefficient is stored at `at`, as its coefficients up to the last
 * one that is not 0. Returns the position of the next number. */
static size_t write_number(f2l_buf *out, const f2l_qvec *v, size_t at, size_t degree)
{
    const size_t entry = v->index[at] / degree;
    for (size_t power = 0; at < v->count && v->index[at] / degree == entry; power++) {
        if (power > 0) f2l_buf_text(out, ",");
        if (v->index[at] % degree == power)
            f2l_buf_rational(out, v->value[at++]);
        else
            f2l_buf_text(out, "0");
    }
    return at;
}

static void write_entries(f2l_buf *out, const f2l_qvec *v, size_t degree)
{
    for (size_t i = 0; i < v->count;) {
        f2l_buf_text(out, " ");
        f2l_buf_size(out, v->index[i] / degree + 1);
        f2l_buf_text(out, ":");
        i = write_number(out, v, i, degree);
    }
}

static void write_place(f2l_buf *out, size_t index, size_t columns)
{
    f2l_buf_text(out, " ");
    f2l_buf_size(out, index / columns + 1);
    f2l_buf_text(out, ".");
    f2l_buf_size(out, index % columns + 1);
    f2l_buf_text(out, ":");
}

void f2l_put_state(f2l_buf *out, const f2l_qvec *state, size_t d, size_t degree)
{
    for (size_t i = 0; i < state->count;) {
        write_place(out, state->index[i] / degree, d);
        i = write_number(out, state, i, degree);
    }
}

void f2l_put_count(f2l_buf *out, const char *word, size_t value)
{
    f2l_buf_text(out, " ");
    f2l_buf_text(out, word);
    f2l_buf_text(out, " ");
    f2l_buf_size(out, value);
}

void f2l_put_transition(f2l_buf *out, const f2l_head *head, const f2l_transition *transition,
                        size_t ordinal)
{
    const size_t degree = f2l_head_degree(head);
    f2l_buf_text(out, "on ");
    f2l_buf_size(out, ordinal + 1);
    f2l_buf_text(out, " gate ");
    f2l_buf_rational(out, transition->gate);
    f2l_put_count(out, "factors", transition->factors);
    if (transition->bias.count > 0) f2l_buf_text(out, " bias");
    f2l_put_state(out, &transition->bias, head->d, 1);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < transition->factors; i++) {
        const f2l_factor *factor = &transition->factor[i];
        f2l_buf_text(out, "factor ");
        f2l_buf_rational(out, factor->beta);
        f2l_buf_text(out, " u");
        write_entries(out, &factor->u, degree);
        if (factor->c.count > 0) f2l_buf_text(out, " c");
        write_entries(out, &factor->c, degree);
        f2l_buf_text(out, "\n");
    }
}

static bool is_identity(const f2l_qvec *form, size_t n, size_t degree)
{
    bool one = form->count == n;
    for (size_t i = 0; one && i < n; i++)
        one = form->index[i] == (i * n + i) * degree && mpq_cmp_ui(form->value[i], 1, 1) == 0;
    return one;
}

/* Appends the entries of the form on and above the diagonal. */
static void write_form(f2l_buf *out, const f2l_head *head, size_t degree)
{
    const size_t n = head->n;
    if (head->form.count == 0 || is_identity(&head->form, n, degree)) return;
    f2l_buf_text(out, "form");
    for (size_t i = 0; i < head->form.count;) {
        const size_t entry = head->form.index[i] / degree;
        const bool upper = entry / n <= entry % n;
        if (upper) {
            write_place(out, entry, n);
            i = write_number(out, &head->form, i, degree);
        }
        while (!upper && i < head->form.count && head->form.index[i] / degree == entry) i++;
    }
    f2l_buf_text(out, "\n");
}

static void write_head(f2l_buf *out, const f2l_head *head, size_t letters, size_t h)
{
    const size_t degree = f2l_head_degree(head);
    f2l_buf_text(out, "head ");
    f2l_buf_size(out, h + 1);
    f2l_put_count(out, "key", head->n);
    f2l_put_count(out, "value", head->d);
    f2l_buf_text(out, head->raw ? "\nraw\n" : "\n");
    if (head->field) {
        f2l_buf_text(out, "field ");
        f2l_buf_field(out, head->field);
        f2l_buf_text(out, "\n");
    }
    write_form(out, head, degree);
    f2l_buf_text(out, "initial");
    f2l_put_state(out, &head->initial, head->d, degree);
    f2l_buf_text(out, "\n");
    for (size_t x = 0; x < letters; x++) f2l_put_transition(out, head, &head->letter[x], x);
}

static void write_symbol(f2l_buf *out, uint32_t symbol)
{
    if (symbol == F2L_NO_SYMBOL)
        f2l_buf_text(out, "-");
    else
        f2l_buf_size(out, (size_t)symbol + 1);
}

static void write_part_yields(f2l_buf *out, const f2l_layer *layer)
{
    for (size_t x = 0; x < layer->letters; x++) {
        f2l_buf_text(out, "yield ");
        f2l_buf_size(out, x + 1);
        f2l_buf_text(out, " ");
        f2l_buf_size(out, (size_t)layer->reads[x] + 1);
        for (size_t i = layer->symbol_at[x]; i < layer->symbol_at[x + 1]; i++) {
            f2l_buf_text(out, " ");
            write_symbol(out, layer->symbol[i]);
        }
        f2l_buf_text(out, "\n");
    }
}

/* Appends the ends of one head's box, all of them, also the ends that are 0. */
static void write_box(f2l_buf *out, const f2l_head *head, const f2l_qvec *low, const f2l_qvec *high)
{
    size_t l = 0, h = 0;
    for (size_t i = 0; i < head->n * head->d; i++) {
        const bool has_low = l < low->count && low->index[l] == i;
        const bool has_high = h < high->count && high->index[h] == i;
        write_place(out, i, head->d);
        if (has_low)
            f2l_buf_rational(out, low->value[l++]);
        else
            f2l_buf_text(out, "0");
        f2l_buf_text(out, ",");
        if (has_high)
            f2l_buf_rational(out, high->value[h++]);
        else
            f2l_buf_text(out, "0");
    }
}

static void write_boxes(f2l_buf *out, const f2l_layer *layer)
{
    for (size_t i = 0; i < layer->codes; i++) {
        f2l_buf_text(out, "box ");
        f2l_buf_size(out, i + 1);
        for (size_t h = 0; h < layer->heads; h++) {
            const size_t at = i * layer->heads + h;
            if (h > 0) f2l_buf_text(out, " ;");
            write_box(out, &layer->head[h], &layer->low[at], &layer->high[at]);
        }
        f2l_buf_text(out, "\n");
    }
}

static void write_decoder(f2l_buf *out, const f2l_layer *layer)
{
    for (size_t i = 0; i < layer->codes; i++) {
        f2l_buf_text(out, "code ");
        f2l_buf_size(out, i + 1);
        f2l_buf_text(out, " ");
        for (size_t p = 0; p < layer->parts; p++) {
            if (p > 0) f2l_buf_text(out, ",");
            f2l_buf_size(out, (size_t)layer->part[i * layer->parts + p] + 1);
        }
        if (layer->by_letter)
            f2l_buf_text(out, "*");
        else if (layer->parts == 0)
            write_symbol(out, layer->symbol[i]);
        for (size_t h = 0; h < layer->heads; h++) {
            if (h > 0) f2l_buf_text(out, " ;");
            f2l_put_state(out, &layer->code[i * layer->heads + h], layer->head[h].d,
                          f2l_head_degree(&layer->head[h]));
        }
        f2l_buf_text(out, "\n");
    }
    if (layer->low) write_boxes(out, layer);
    for (size_t i = 0; layer->by_letter && i < layer->letters * layer->codes; i++) {
        if (layer->symbol[i] == F2L_NO_SYMBOL) continue;
        f2l_buf_text(out, "yield ");
        f2l_buf_size(out, i / layer->codes + 1);
        f2l_buf_text(out, " ");
        f2l_buf_size(out, i % layer->codes + 1);
        f2l_buf_text(out, " ");
        f2l_buf_size(out, (size_t)layer->symbol[i] + 1);
        f2l_buf_text(out, "\n");
    }
    if (layer->parts > 0) write_part_yields(out, layer);
}

void f2l_put_names(f2l_buf *out, const char *heading, const char *each, const f2l_names *names)
{
    f2l_buf_text(out, heading);
    f2l_buf_text(out, " ");
    f2l_buf_size(out, names->count);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < names->count; i++) {
        f2l_buf_text(out, each);
        f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(names, i));
        f2l_buf_text(out, "\n");
    }
}

void f2l_put_letter_classes(f2l_buf *out, const f2l_letter_classes *classes, size_t letters)
{
    if (!classes->of) return;
    f2l_buf_printf(out, "letter-classes %zu", classes->count);
    for (size_t a = 0; a < letters; a++) {
        f2l_buf_text(out, " ");
        f2l_buf_size(out, (size_t)classes->of[a] + 1);
    }
    f2l_buf_text(out, "\n");
}

void f2l_put_start(f2l_buf *out, size_t start)
{
    if (start == F2L_NO_INDEX)
        f2l_buf_text(out, "start -\n");
    else
        f2l_buf_printf(out, "start %zu\n", start + 1);
}

f2l_status f2l_check_sha256(const char *hex, f2l_error *err)
{
    if (strspn(hex, "0123456789abcdef") == 64 && hex[64] == '\0') return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "the network does not name its automaton by SHA-256");
}

/* Refuses a rounded view: the text does not record that keys have length 1. */
static f2l_status check_no_view(const f2l_net *net, f2l_error *err)
{
    for (size_t l = 0; l < net->layers; l++) {
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            if (net->layer[l].head[h].unit)
                return f2l_fail(err, F2L_EDOMAIN,
                                "layer %zu, head %zu: a rounded view is not "
                                "written",
                                l + 1, h + 1);
        }
    }
    return F2L_OK;
}

f2l_status f2l_net_write(f2l_buf *out, const f2l_net *net, f2l_error *err)
{
    f2l_status status = f2l_net_check_layers(net, err);
    if (status == F2L_OK) status = f2l_net_validate(net, err);
    if (status != F2L_OK) return status;
    status = f2l_check_sha256(net->fsa_sha256, err);
    if (status == F2L_OK) status = check_no_view(net, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out,
                   "lrnn 2\n"
                   "fsa %s\n"
                   "field Q\n"
                   "%slabel %s\n",
                   net->fsa_sha256, net->fitted ? "read-out fitted\n" : "",
                   f2l_label_name(net->label));
    f2l_put_names(out, "letters", "letter", &net->letters);
    f2l_put_letter_classes(out, &net->classes, net->letters.count);
    f2l_put_names(out, "labels", "symbol", &net->labels);
    f2l_put_start(out, net->start);
    f2l_buf_printf(out, "layers %zu\n", net->layers);
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        f2l_buf_printf(out, "layer %zu letters %zu heads %zu codes %zu symbols %zu decode %s\n",
                       l + 1, layer->letters, layer->heads, layer->codes, layer->symbols,
                       layer->parts > 0   ? "part"
                       : layer->by_letter ? "step"
                                          : "state");
        if (layer->parts > 0) f2l_buf_text(out, "parts");
        for (size_t p = 0; p < layer->parts; p++)
            f2l_buf_printf(out, " %zu", layer->part_values[p]);
        if (layer->parts > 0) f2l_buf_text(out, "\n");
        for (size_t h = 0; h < layer->heads; h++)
            write_head(out, &layer->head[h], layer->letters, h);
        write_decoder(out, layer);
    }
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
