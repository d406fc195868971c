/* Prints the library's facts about permutation groups, one line each, for comparison with another
 * program.
 *
 * stdin: for every group "DEGREE GENERATORS" and then the images of 1, .., DEGREE under each
 * generator. With the argument `simple`: "ORDER NAME" of every non-abelian simple group that has a
 * name, 20160 twice. */
#include "automata/group/group_name.h"
#include "automata/group/impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_list(const char *key, const size_t *value, size_t count)
{
    printf(" %s=", key);
    for (size_t i = 0; i < count; i++) printf(i ? ",%zu" : "%zu", value[i]);
}

static void put_group(const f2l_group *g, const f2l_classes *c, const f2l_structure *s,
                      const f2l_buf *name, const f2l_buf *unlisted)
{
    size_t real = 0;
    for (size_t k = 0; k < c->classes; k++) real += c->inverse[k] == k;
    printf("order=%zu exponent=%zu centre=%zu real=%zu abelian=%d nilpotent=%d "
           "solvable=%d",
           g->order, c->exponent, s->centre, real, s->abelian, s->nilpotent, s->solvable);
    put_list("derived", s->derived, s->derived_terms);
    put_list("central", s->central, s->central_terms);
    put_list("quotient", s->quotient, s->quotients);
    printf(" factors=");
    for (size_t i = 0; i < s->factors; i++)
        printf("%s%zu:%s", i ? ";" : "", s->factor[i].order, s->factor[i].name);
    printf(" classes=");
    for (size_t k = 0; k < c->classes; k++)
        printf("%s%u:%zu", k ? "," : "", c->element_order[k], c->size[k]);
    /* Square, cube and fifth power maps as multisets of (class, image) invariants. */
    printf(" powers=");
    for (size_t k = 0; k < c->classes; k++)
        for (size_t p = 2; p <= 5; p++) {
            const uint32_t to = f2l_classes_power(c, (uint32_t)k, p);
            if (p != 4) printf("%s%zu:%zu", k || p > 2 ? "," : "", c->size[k], c->size[to]);
        }
    printf(" unlisted=%s name=%s\n", unlisted->data, name->data);
}

static bool dump(const uint32_t *image, size_t generators, size_t degree)
{
    f2l_group g;
    f2l_classes c;
    f2l_structure s;
    f2l_schreier chain;
    f2l_buf name, unlisted;
    f2l_error err = {0};
    f2l_buf_init(&name);
    f2l_buf_init(&unlisted);
    f2l_classes_init(&c);
    f2l_schreier_init(&chain, degree);
    f2l_status status = f2l_group_build(&g, image, generators, degree, 0, NULL, &err);
    if (status == F2L_OK) status = f2l_classes_build(&c, &g, NULL, &err);
    if (status == F2L_OK) status = f2l_structure_build(&s, &g, &c, NULL, &err);
    if (status == F2L_OK) status = f2l_group_name_listed(&name, &g, &c, &s, NULL, &err);
    for (size_t i = 0; status == F2L_OK && i < generators; i++)
        status = f2l_schreier_add(&chain, image + i * degree, NULL, NULL, &err);
    if (status == F2L_OK) status = f2l_group_name(&unlisted, &chain, NULL, &err);
    if (status == F2L_OK)
        put_group(&g, &c, &s, &name, &unlisted);
    else
        printf("failed %s: %s\n", f2l_status_name(status), err.text);
    f2l_buf_clear(&name);
    f2l_buf_clear(&unlisted);
    f2l_schreier_clear(&chain);
    f2l_classes_clear(&c);
    f2l_group_clear(&g);
    return status == F2L_OK;
}

static int dump_simple(void)
{
    char name[40];
    for (size_t order = 2; order < 1000000; order++) {
        if (f2l_simple_name(name, sizeof name, order, true)) printf("%zu %s\n", order, name);
        if (order == 20160 && f2l_simple_name(name, sizeof name, order, false))
            printf("%zu %s\n", order, name);
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t degree, generators;
    bool good = true;
    if (argc > 1 && strcmp(argv[1], "simple") == 0) return dump_simple();
    while (good && scanf("%zu %zu", &degree, &generators) == 2) {
        uint32_t *image = calloc(degree * generators + 1, sizeof *image);
        for (size_t i = 0; image && good && i < degree * generators; i++) {
            good = scanf("%u", &image[i]) == 1;
            image[i]--;
        }
        good = good && image && dump(image, generators, degree);
        free(image);
    }
    return good ? 0 : 1;
}
