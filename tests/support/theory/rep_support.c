#include "tests/support/theory/rep_support.h"

void rep_clear(rep *r)
{
    f2l_characters_clear(&r->characters);
    f2l_classes_clear(&r->classes);
    f2l_group_clear(&r->group);
}

f2l_status rep_build(rep *r, const uint32_t *image, size_t generators, size_t degree)
{
    memset(r, 0, sizeof *r);
    f2l_status status = f2l_group_build(&r->group, image, generators, degree, 0, NULL, &r->err);
    if (status == F2L_OK) status = f2l_classes_build(&r->classes, &r->group, NULL, &r->err);
    if (status == F2L_OK)
        status = f2l_characters_build(&r->characters, &r->group, &r->classes, NULL, &r->err);
    if (status != F2L_OK) rep_clear(r);
    return status;
}

f2l_status rep_read(rep *r, size_t degree, const char *cycles)
{
    size_t generators = *cycles ? 1 : 0;
    for (const char *c = cycles; *c; c++) generators += *c == ';';
    uint32_t *image = calloc(generators * degree + 1, sizeof *image);
    f2l_status status = F2L_OK;
    for (size_t s = 0; status == F2L_OK && s < generators; s++) {
        const size_t n = strcspn(cycles, ";");
        status = f2l_perm_read(image + s * degree, degree, cycles, n, 1, 1, &r->err);
        cycles += n + (cycles[n] == ';');
    }
    if (status == F2L_OK) status = rep_build(r, image, generators, degree);
    free(image);
    return status;
}

uint32_t rep_element(const rep *r, const char *cycles)
{
    uint32_t *image = calloc(r->group.degree, sizeof *image);
    f2l_perm_read(image, r->group.degree, cycles, strlen(cycles), 1, 1, NULL);
    const size_t x = f2l_group_find(&r->group, image);
    free(image);
    return (uint32_t)x;
}

uint32_t rep_class(const rep *r, const char *cycles)
{
    return r->classes.class_of[rep_element(r, cycles)];
}

uint32_t *rep_letters(const rep *r)
{
    uint32_t *letter = calloc(r->group.generators + 1, sizeof *letter);
    for (size_t s = 0; s < r->group.generators; s++)
        letter[s] = (uint32_t)f2l_group_find(&r->group, r->group.generator + s * r->group.degree);
    return letter;
}

f2l_status rep_householders(f2l_householders *h, rep *r, bool all)
{
    uint32_t *letter = rep_letters(r);
    f2l_status status = f2l_householders_build(h, &r->classes, &r->characters, all ? NULL : letter,
                                               r->group.generators, 0, NULL, &r->err);
    free(letter);
    return status;
}

f2l_status rep_automaton(f2l_fsa *fsa, rep *r)
{
    static const char *const form[] = {"a%zu", "b %zu", "\x1f\\%zu"};
    const size_t cells = r->group.generators * r->group.degree;
    f2l_status status = F2L_OK;
    f2l_fsa_init(fsa);
    fsa->track = F2L_TRACK_ELEMENTS;
    fsa->points = r->group.degree;
    for (size_t s = 0; status == F2L_OK && s < r->group.generators; s++) {
        char name[40];
        snprintf(name, sizeof name, form[s % 3], s + 1);
        status = f2l_names_add(&fsa->letters, name, strlen(name), &(size_t){0}, &r->err);
    }
    if (status == F2L_OK && !(fsa->perm = f2l_calloc(cells, sizeof *fsa->perm)))
        status = f2l_fail_memory(&r->err);
    if (status == F2L_OK && cells > 0)
        memcpy(fsa->perm, r->group.generator, cells * sizeof *fsa->perm);
    return status;
}

f2l_status rep_certificate(f2l_buf *text, rep *r, const f2l_householders *h, bool all)
{
    f2l_fsa fsa;
    f2l_status status = rep_automaton(&fsa, r);
    if (status == F2L_OK)
        status = f2l_householders_certificate(text, &fsa, &r->group, &r->classes, &r->characters, h,
                                              all, NULL, &r->err);
    f2l_fsa_clear(&fsa);
    return status;
}

long rep_integer(const rep *r, size_t character, size_t c)
{
    const uint64_t v = r->characters.value[character * r->characters.classes + c],
                   p = r->characters.prime;
    return v > p / 2 ? -(long)(p - v) : (long)v;
}

const char *rep_table_fault(const rep *r)
{
    const f2l_characters *t = &r->characters;
    const f2l_classes *k = &r->classes;
    const size_t n = t->characters, order = r->group.order;
    const uint64_t p = t->prime;
    if (n != k->classes || t->classes != n || (p - 1) % k->exponent || p <= order) return "shape";
    size_t squares = 0, involutions = 0;
    for (size_t x = 0; x < order; x++) involutions += k->element_order[k->class_of[x]] <= 2;
    long real = 0;
    for (size_t i = 0; i < n; i++) {
        if (t->value[i * n] != t->degree[i] || (i > 0 && t->degree[i] < t->degree[i - 1]))
            return "degree";
        if (i == 0)
            for (size_t c = 0; c < n; c++)
                if (t->value[c] != 1) return "trivial character";
        squares += t->degree[i] * t->degree[i];
        real += t->indicator[i] * (long)t->degree[i];
        if (t->conjugate[t->conjugate[i]] != i || (t->conjugate[i] == i) != (t->indicator[i] != 0))
            return "conjugate";
        for (size_t c = 0; c < n; c++)
            if (t->value[t->conjugate[i] * n + c] != t->value[i * n + k->inverse[c]])
                return "conjugate value";
        for (size_t j = 0; j < n; j++) { /* rows are orthogonal */
            uint64_t sum = 0;
            for (size_t c = 0; c < n; c++)
                sum = (sum + k->size[c] % p *
                                 (t->value[i * n + c] * t->value[j * n + k->inverse[c]] % p)) %
                      p;
            if (sum != (i == j ? order % p : 0)) return "orthogonality of rows";
        }
    }
    for (size_t c = 0; c < n; c++)
        for (size_t d = 0; d < n; d++) { /* columns are orthogonal */
            uint64_t sum = 0;
            for (size_t i = 0; i < n; i++)
                sum = (sum + t->value[i * n + c] * t->value[i * n + k->inverse[d]]) % p;
            if (sum != (c == d ? order / k->size[c] % p : 0)) return "orthogonality of columns";
        }
    if (squares != order) return "sum of squares";
    return real == (long)involutions ? NULL : "indicators"; /* Frobenius and Schur: solutions of x^2
                                                               = 1 */
}
