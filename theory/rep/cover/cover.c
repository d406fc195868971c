#include "theory/rep/cover/cover.h"
#include "numeric/base/mem.h"
#include "theory/rep/cover/impl.h"
#include "theory/rep/householders/selection.h"
#include <flint/ulong_extras.h>
#include <string.h>

#define LIMIT 4
#define MOST_LIMIT 8
#define ORDER 4096
#define EXTENSIONS 2048
#define STEPS ((size_t)100000000)
#define LEAST_NODES ((size_t)1000)

void f2l_cover_init(f2l_cover *c)
{
    memset(c, 0, sizeof *c);
}

static void clear_found(f2l_cover *c)
{
    f2l_group_clear(&c->group);
    f2l_classes_clear(&c->classes);
    f2l_characters_clear(&c->characters);
    f2l_householders_clear(&c->householders);
    f2l_free(c->projection);
    f2l_free(c->lift);
    c->projection = c->lift = NULL;
}

void f2l_cover_clear(f2l_cover *c)
{
    clear_found(c);
    f2l_cover_init(c);
}

typedef struct search {
    f2l_cover *out;
    const f2l_group *group;
    const f2l_classes *classes;
    const uint32_t *letter;
    size_t letters;
    f2l_letter_classes kinds;
    f2l_presentation presentation;
    f2l_cohomology by_modulus[MOST_LIMIT + 1]; /* filled for the prime powers */
    size_t factors, dimension;                 /* best so far */
    f2l_cover_options options;
    const f2l_task *task;
    f2l_error *err;
} search;

/* Returns the lower bound of R2.2. */
static size_t lower_bound(const f2l_householders *h, const f2l_classes *classes)
{
    size_t bound = 0;
    for (size_t c = 1; c < h->classes; c++) {
        const size_t least = classes->element_order[c] > 2 ? 2 : 1;
        if (h->letter[c] && least > bound) bound = least;
    }
    return bound;
}

static f2l_status list_kinds(search *s, const f2l_householders *h)
{
    s->kinds.class_number = f2l_calloc(h->classes, sizeof *s->kinds.class_number);
    s->kinds.representative = f2l_calloc(h->classes, sizeof *s->kinds.representative);
    if (!s->kinds.class_number || !s->kinds.representative) return f2l_fail_memory(s->err);
    for (uint32_t c = 0; c < h->classes; c++) {
        if (!h->letter[c]) continue;
        s->kinds.class_number[s->kinds.count] = c;
        s->kinds.representative[s->kinds.count++] = s->classes->representative[c];
    }
    return F2L_OK;
}

/* The irreps of an extension under which every letter has a lift of rank k or less. */
typedef struct usable {
    size_t count;
    uint32_t *irrep;
    size_t *weight;
    uint8_t *hits, *allowed;
} usable;

static void usable_clear(usable *u)
{
    f2l_free(u->irrep);
    f2l_free(u->weight);
    f2l_free(u->hits);
    f2l_free(u->allowed);
}

static f2l_status usable_init(usable *u, const f2l_extended *e, size_t kinds, f2l_error *err)
{
    const size_t n = e->householders.irreps;
    *u = (usable){0};
    u->irrep = f2l_calloc(n, sizeof *u->irrep);
    u->weight = f2l_calloc(n, sizeof *u->weight);
    u->hits = f2l_calloc(n, e->householders.socle.targets);
    u->allowed = f2l_calloc(n, kinds);
    return u->irrep && u->weight && u->hits && u->allowed ? F2L_OK : f2l_fail_memory(err);
}

static void usable_list(usable *u, const search *s, const f2l_extended *e, size_t k)
{
    const f2l_householders *h = &e->householders;
    const size_t targets = h->socle.targets, kinds = s->kinds.count;
    u->count = 0;
    for (uint32_t i = 0; i < h->irreps; i++) {
        uint8_t *allowed = u->allowed + u->count * kinds;
        bool good = true;
        for (size_t l = 0; l < kinds && good; l++) {
            allowed[l] = 0;
            for (size_t a = 0; a < e->kernel; a++)
                if (f2l_householders_rank(
                        h, i, f2l_extended_class(e, s->kinds.representative[l], a)) <= k)
                    allowed[l] = (uint8_t)(allowed[l] | 1 << a);
            good = allowed[l] != 0;
        }
        if (!good) continue;
        for (size_t t = 0; t < targets; t++)
            u->hits[u->count * targets + t] = f2l_householders_rank(h, i, h->socle.target[t]) > 0;
        u->irrep[u->count] = i;
        u->weight[u->count++] = h->irrep[i].dimension;
    }
}

/* Tries heads and lifts for k factors (R2.4); *better: they are better than the best so far. */
static f2l_status try_factors(search *s, usable *u, const f2l_extended *e, size_t k,
                              f2l_selection *found)
{
    usable_list(u, s, e, k);
    const f2l_socle *socle = &e->householders.socle;
    const f2l_selection_problem problem = {.items = u->count,
                                           .targets = socle->targets,
                                           .parts = socle->parts,
                                           .letters = s->kinds.count,
                                           .weight = u->weight,
                                           .hits = u->hits,
                                           .part = socle->part,
                                           .allowed = u->allowed};
    const size_t nodes = STEPS / (u->count * socle->targets + 1) + LEAST_NODES;
    f2l_status status = f2l_selection_build(found, &problem, nodes, s->task, s->err);
    if (status == F2L_OK && !found->exhausted) s->out->complete = false;
    return status;
}

static f2l_status take_extension(search *s, const f2l_extended *e, f2l_selection *found, size_t k)
{
    for (size_t l = 0; l < s->kinds.count; l++) { /* the first lift allowed, by number */
        uint8_t a = 0;
        while (!(found->lifts[l] >> a & 1)) a++;
        found->lifts[l] = a;
    }
    clear_found(s->out);
    s->out->found = true;
    s->out->factors = s->factors = k;
    s->dimension = found->weight;
    return f2l_cover_finish(s->out, e, s->group, s->classes, &s->kinds, found->lifts, s->letter,
                            s->letters, s->task, s->err);
}

static f2l_status try_extension(search *s, const f2l_extension *extension)
{
    f2l_extended e;
    usable u = {0};
    if (s->out->extensions == s->options.extensions) {
        s->out->complete = false;
        return F2L_OK;
    }
    s->out->extensions++;
    f2l_status status = f2l_extended_build(&e, &s->presentation, extension, s->task, s->err);
    if (status != F2L_OK) return status;
    status = usable_init(&u, &e, s->kinds.count, s->err);
    bool done = false;
    for (size_t k = s->out->lower; status == F2L_OK && !done && k <= s->factors; k++) {
        f2l_selection found = {0};
        status = try_factors(s, &u, &e, k, &found);
        done = status == F2L_OK && found.found;
        if (done && (k < s->factors || found.weight < s->dimension))
            status = take_extension(s, &e, &found, k);
        f2l_selection_clear(&found);
    }
    usable_clear(&u);
    f2l_extended_clear(&e);
    return status;
}

/* Tries all choices of one class of H^2 for each part of the kernel. Equal parts may be exchanged
 * and added to each other, so their classes may be taken in order, and different unless they
 * vanish. `before` is the class of the part before. */
static f2l_status try_kernel(search *s, f2l_extension *x, size_t part, size_t before)
{
    if (part >= x->parts || part >= F2L_COVER_PARTS) return try_extension(s, x);
    const f2l_cohomology *h2 = &s->by_modulus[x->q[part]];
    const bool same = part > 0 && x->q[part] == x->q[part - 1];
    f2l_status status = F2L_OK;
    if (!h2->complete) s->out->complete = false;
    for (size_t c = same && before > 0 ? before + 1 : 0; status == F2L_OK && c < h2->count; c++) {
        x->values[part] = h2->values + c * s->presentation.relators;
        status = try_kernel(s, x, part + 1, c);
    }
    return status;
}

/* Returns the prime of which q > 1 is a power, or 0 when there is none. */
static size_t prime_of(size_t q)
{
    n_factor_t factors;
    n_factor_init(&factors);
    n_factor(&factors, q, 1);
    return factors.num == 1 ? factors.p[0] : 0;
}

/* Tries all abelian groups of order `left` as products of prime powers in non-increasing order. */
static f2l_status try_kernels(search *s, f2l_extension *x, size_t left, size_t most)
{
    if (left == 1) return try_kernel(s, x, 0, 0);
    f2l_status status = F2L_OK;
    for (size_t q = most < left ? most : left; status == F2L_OK && q > 1; q--) {
        if (left % q != 0 || !prime_of(q)) continue;
        x->q[x->parts++] = q;
        status = try_kernels(s, x, left / q, q);
        x->parts--;
    }
    return status;
}

static f2l_status prepare_extensions(search *s, const f2l_householders *h)
{
    size_t modulus = 1;
    for (size_t q = 2; q <= s->options.limit; q++)
        if (prime_of(q)) modulus *= prime_of(q); /* one more factor: the least common multiple */
    f2l_status status = list_kinds(s, h);
    if (status == F2L_OK)
        status = f2l_presentation_build(&s->presentation, s->group, modulus, s->task, s->err);
    for (size_t q = 2; status == F2L_OK && q <= s->options.limit; q++)
        if (prime_of(q))
            status = f2l_cohomology_build(&s->by_modulus[q], &s->presentation, q,
                                          s->options.extensions, s->task, s->err);
    return status;
}

static f2l_status search_extensions(search *s, const f2l_householders *h)
{
    f2l_status status = prepare_extensions(s, h);
    for (size_t kernel = 2; status == F2L_OK && kernel <= s->options.limit; kernel++) {
        f2l_extension x = {.kernel = kernel};
        if (s->group->order <= s->options.order / kernel)
            status = try_kernels(s, &x, kernel, kernel);
        else
            s->out->complete = false;
    }
    f2l_free(s->kinds.class_number);
    f2l_free(s->kinds.representative);
    f2l_presentation_clear(&s->presentation);
    for (size_t q = 0; q <= MOST_LIMIT; q++) f2l_cohomology_clear(&s->by_modulus[q]);
    return status;
}

f2l_status f2l_cover_build(f2l_cover *out, const f2l_group *group, const f2l_classes *classes,
                           const f2l_householders *h, const uint32_t *letter, size_t letters,
                           const f2l_cover_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_cover_init(out);
    search s = {
        .out = out, .group = group, .classes = classes, .letter = letter, .task = task, .err = err};
    if (options) s.options = *options;
    if (s.options.limit == 0) s.options.limit = LIMIT;
    if (s.options.order == 0) s.options.order = ORDER;
    if (s.options.extensions == 0) s.options.extensions = EXTENSIONS;
    if (s.options.limit < 2 || s.options.limit > MOST_LIMIT)
        return f2l_fail(err, F2L_EDOMAIN, "kernels of order 2 to %d can be searched", MOST_LIMIT);
    s.letters = letter ? letters : group->order;
    out->complete = true;
    out->lower = lower_bound(h, classes);
    if (h->minimum <= out->lower) return F2L_OK;
    if (group->order > s.options.order / 2) {
        out->complete = false;
        return F2L_OK;
    }
    s.factors = h->minimum - 1; /* fewer factors are required, and then the smallest dimension */
    s.dimension = SIZE_MAX;
    f2l_status status = search_extensions(&s, h);
    if (status != F2L_OK) f2l_cover_clear(out);
    return status;
}
