#include "theory/rep/householders/householders_certificate.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/rep/characters/abelianisation.h"
#include <stdlib.h>
#include <string.h>

#define POLL 4096

/* Everything in the order of the certificate. */
typedef struct writer {
    f2l_buf *out;
    const f2l_fsa *fsa;
    char sha256[65];
    const f2l_group *group;
    const f2l_classes *classes;
    const f2l_characters *t;
    const f2l_householders *h;
    uint32_t *old_class, *new_class; /* [classes] */
    uint32_t *first;                 /* [classes] elements, by new number */
    uint64_t *omega;                 /* [characters][classes] central characters, new numbers */
    uint32_t *old_row, *new_row;     /* [characters] */
} writer;

static void writer_clear(writer *w)
{
    f2l_free(w->old_class);
    f2l_free(w->new_class);
    f2l_free(w->first);
    f2l_free(w->omega);
    f2l_free(w->old_row);
    f2l_free(w->new_row);
}

static f2l_status writer_init(writer *w, f2l_error *err)
{
    const size_t n = w->classes->classes;
    w->old_class = f2l_calloc(n, sizeof *w->old_class);
    w->new_class = f2l_calloc(n, sizeof *w->new_class);
    w->first = f2l_calloc(n, sizeof *w->first);
    w->omega = f2l_calloc(n, n * sizeof *w->omega);
    w->old_row = f2l_calloc(n, sizeof *w->old_row);
    w->new_row = f2l_calloc(n, sizeof *w->new_row);
    return w->old_class && w->new_class && w->first && w->omega && w->old_row && w->new_row
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Walks through the elements breadth-first until the first element of every class is found. */
static f2l_status number_element_classes(writer *w, const f2l_task *task, f2l_error *err)
{
    const f2l_group *g = w->group;
    uint32_t *queue = f2l_calloc(g->order, sizeof *queue),
             *letter = f2l_calloc(g->generators, sizeof *letter);
    uint8_t *met = f2l_calloc(g->order, 1), *named = f2l_calloc(w->classes->classes, 1);
    f2l_status status = queue && letter && met && named ? F2L_OK : f2l_fail_memory(err);
    size_t count = 1, found = 0;
    for (size_t s = 0; status == F2L_OK && s < g->generators; s++)
        letter[s] = (uint32_t)f2l_group_find(g, g->generator + s * g->degree);
    if (status == F2L_OK) met[0] = 1;
    for (size_t i = 0; status == F2L_OK && i < count && found < w->classes->classes; i++) {
        const uint32_t c = w->classes->class_of[queue[i]];
        if (!named[c]) {
            named[c] = 1;
            w->first[found] = queue[i];
            w->old_class[found] = c;
            w->new_class[c] = (uint32_t)found++;
        }
        for (size_t s = 0; s < g->generators; s++) {
            const uint32_t y = f2l_group_multiply(g, queue[i], letter[s]);
            if (met[y]) continue;
            met[y] = 1;
            queue[count++] = y;
        }
        if (i % POLL == POLL - 1)
            status = f2l_task_poll(task, "elements", (double)i, (double)g->order, err);
    }
    f2l_free(queue);
    f2l_free(letter);
    f2l_free(met);
    f2l_free(named);
    return status;
}

typedef struct row {
    size_t values, degree;
    const uint64_t *value;
    uint32_t old;
} row;

static int compare_rows(const void *left, const void *right)
{
    const row *a = left, *b = right;
    if (a->degree != b->degree) return a->degree < b->degree ? -1 : 1;
    for (size_t i = 0; i < a->values; i++)
        if (a->value[i] != b->value[i]) return a->value[i] < b->value[i] ? -1 : 1;
    return 0;
}

/* Computes omega(C) = |C| chi(C) / chi(1), and sorts the rows. */
static f2l_status number_rows(writer *w, f2l_error *err)
{
    const f2l_characters *t = w->t;
    const size_t n = t->characters;
    row *rows = f2l_calloc(n, sizeof *rows);
    if (!rows) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t scale = f2l_mod_inverse(t->degree[i], t->prime);
        for (size_t c = 0; c < n; c++) {
            const uint32_t old = w->old_class[c];
            w->omega[i * n + c] =
                f2l_mod_multiply(f2l_mod_multiply(t->value[i * n + old], scale, t->prime),
                                 w->classes->size[old] % t->prime, t->prime);
        }
        rows[i] = (row){n, t->degree[i], w->omega + i * n, i};
    }
    qsort(rows, n, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < n; i++) {
        w->old_row[i] = rows[i].old;
        w->new_row[rows[i].old] = i;
    }
    f2l_free(rows);
    return F2L_OK;
}

static bool claims_least(const f2l_householders *h)
{
    return h->least && h->dimension > 0;
}

static void write_group(const writer *w, bool all_letters)
{
    const f2l_group *g = w->group;
    f2l_buf_printf(w->out,
                   "householders %d\n"
                   "fsa %s\n"
                   "degree %zu\n"
                   "generators %zu\n",
                   claims_least(w->h) ? 3 : 2, w->sha256, g->degree, g->generators);
    for (size_t s = 0; s < g->generators; s++) {
        f2l_buf_text(w->out, "generator ");
        f2l_buf_name(w->out, f2l_names_get(&w->fsa->letters, s));
        f2l_buf_text(w->out, " ");
        f2l_perm_write(w->out, g->generator + s * g->degree, g->degree);
        f2l_buf_text(w->out, "\n");
    }
    f2l_buf_printf(w->out, "letters %s\norder %zu\nexponent %zu\nclasses %zu\n",
                   all_letters ? "elements" : "generators", g->order, w->classes->exponent,
                   w->classes->classes);
    for (size_t c = 0; c < w->classes->classes; c++) {
        const uint32_t old = w->old_class[c];
        f2l_buf_printf(w->out, "class %zu element ", c + 1);
        f2l_perm_write(w->out, g->element + (size_t)w->first[c] * g->degree, g->degree);
        f2l_buf_printf(w->out, " size %zu order %u inverse %u square %u\n", w->classes->size[old],
                       w->classes->element_order[old], w->new_class[w->classes->inverse[old]] + 1,
                       w->new_class[f2l_classes_power(w->classes, old, 2)] + 1);
    }
}

typedef struct cell {
    size_t part;
    uint64_t value;
    uint32_t row;
} cell;

static int compare_cells(const void *left, const void *right)
{
    const cell *a = left, *b = right;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Refines the partition of rows by their values at a class; returns the number of parts. */
static size_t refine_row_parts(size_t *part, cell *cells, const writer *w, size_t c)
{
    const size_t n = w->t->characters;
    for (uint32_t i = 0; i < n; i++) cells[i] = (cell){part[i], w->omega[i * n + c], i};
    qsort(cells, n, sizeof *cells, compare_cells);
    size_t parts = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && compare_cells(&cells[i - 1], &cells[i]) != 0) parts++;
        part[cells[i].row] = parts;
    }
    return parts + 1;
}

typedef struct sized {
    size_t size;
    uint32_t number;
} sized;

static int compare_sizes(const void *left, const void *right)
{
    const sized *a = left, *b = right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Writes separating classes, small ones first, since they are cheap to multiply by; classes that
 * separate no more rows are left out. */
static f2l_status write_separating(const writer *w, f2l_error *err)
{
    const size_t n = w->t->characters;
    size_t *part = f2l_calloc(n, sizeof *part), parts = 1;
    cell *cells = f2l_calloc(n, sizeof *cells);
    sized *order = f2l_calloc(n, sizeof *order);
    uint8_t *used = f2l_calloc(n, 1);
    f2l_status status = part && cells && order && used ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        for (uint32_t c = 0; c < n; c++) order[c] = (sized){w->classes->size[w->old_class[c]], c};
        qsort(order, n, sizeof *order, compare_sizes);
        for (size_t i = 0; i < n && parts < n; i++) {
            const size_t now = refine_row_parts(part, cells, w, order[i].number);
            used[order[i].number] = now > parts;
            parts = now;
        }
        f2l_buf_text(w->out, "separate");
        for (size_t c = 0; c < n; c++)
            if (used[c]) f2l_buf_printf(w->out, " %zu", c + 1);
        f2l_buf_text(w->out, "\n");
    }
    f2l_free(part);
    f2l_free(cells);
    f2l_free(order);
    f2l_free(used);
    return status;
}

static void write_character_rows(const writer *w)
{
    const size_t n = w->t->characters;
    for (size_t s = 0; s < n; s++) {
        const uint32_t old = w->old_row[s];
        f2l_buf_printf(w->out, "character %zu degree %zu indicator %d conjugate %u values", s + 1,
                       w->t->degree[old], w->t->indicator[old],
                       w->new_row[w->t->conjugate[old]] + 1);
        for (size_t c = 0; c < n; c++) {
            f2l_buf_text(w->out, " ");
            f2l_buf_size(w->out, w->omega[old * n + c]);
        }
        f2l_buf_text(w->out, "\n");
    }
}

/* Writes the irreps in the order of the first of their characters. */
static f2l_status write_irreps(const writer *w, f2l_error *err)
{
    const f2l_householders *h = w->h;
    uint32_t *of = f2l_calloc(w->t->characters, sizeof *of);
    uint8_t *chosen = f2l_calloc(h->irreps, 1);
    if (!of || !chosen) {
        f2l_free(of);
        f2l_free(chosen);
        return f2l_fail_memory(err);
    }
    for (uint32_t i = 0; i < h->irreps; i++)
        of[h->irrep[i].character] = of[w->t->conjugate[h->irrep[i].character]] = i;
    for (size_t i = 0; i < h->heads; i++) chosen[h->head[i]] = 1;
    f2l_buf faithful;
    f2l_buf_init(&faithful);
    f2l_buf_printf(w->out, "irreps %zu\n", h->irreps);
    size_t number = 0;
    for (size_t s = 0; s < w->t->characters; s++) {
        const uint32_t old = w->old_row[s], i = of[old];
        if (w->new_row[w->t->conjugate[old]] < s) continue;
        f2l_buf_printf(w->out, "irrep %zu character %zu dimension %zu most %zu\n", ++number, s + 1,
                       h->irrep[i].dimension, h->irrep[i].most);
        if (chosen[i]) f2l_buf_printf(&faithful, " %zu", number);
    }
    f2l_buf_printf(w->out, "minimum %zu\n", h->minimum);
    if (h->minimum > 0) f2l_buf_printf(w->out, "hidden %u\n", w->new_class[h->hidden] + 1);
    f2l_buf_printf(w->out, "faithful%s\n", faithful.size > 0 ? faithful.data : "");
    if (claims_least(h)) f2l_buf_printf(w->out, "least %zu\n", h->dimension);
    f2l_buf_printf(w->out, "end %zu\n", w->classes->classes);
    f2l_status status = f2l_buf_status(&faithful, err);
    f2l_buf_clear(&faithful);
    f2l_free(of);
    f2l_free(chosen);
    return status;
}

/* Checks that h->letter marks the classes of the letters that the certificate names, and no
 * others. */
static f2l_status check_letter_classes(const writer *w, bool all_letters, f2l_error *err)
{
    const size_t n = w->classes->classes;
    uint8_t *letter = f2l_calloc(n, 1);
    if (!letter) return f2l_fail_memory(err);
    if (all_letters) memset(letter, 1, n);
    for (size_t s = 0; s < w->group->generators && !all_letters; s++)
        letter[w->classes->class_of[f2l_group_find(w->group, w->group->generator +
                                                                 s * w->group->degree)]] = 1;
    const bool agree = memcmp(letter, w->h->letter, n) == 0;
    f2l_free(letter);
    return agree ? F2L_OK
                 : f2l_fail(err, F2L_EDOMAIN,
                            "the letters are not those that the certificate "
                            "would name");
}

f2l_status f2l_householders_certificate(f2l_buf *out, const f2l_fsa *fsa, const f2l_group *group,
                                        const f2l_classes *classes, const f2l_characters *t,
                                        const f2l_householders *h, bool all_letters,
                                        const f2l_task *task, f2l_error *err)
{
    writer w = {.out = out, .fsa = fsa, .group = group, .classes = classes, .t = t, .h = h};
    f2l_status status = check_letter_classes(&w, all_letters, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(fsa, w.sha256, err);
    if (status == F2L_OK) status = writer_init(&w, err);
    if (status == F2L_OK) status = number_element_classes(&w, task, err);
    if (status == F2L_OK) status = number_rows(&w, err);
    if (status == F2L_OK) {
        write_group(&w, all_letters);
        f2l_buf_printf(out, "prime %llu\n", (unsigned long long)t->prime);
        status = write_separating(&w, err);
    }
    if (status == F2L_OK) {
        write_character_rows(&w);
        status = write_irreps(&w, err);
    }
    writer_clear(&w);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
