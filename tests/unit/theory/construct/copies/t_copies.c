/* Chains of copies: automata with few and with many of them, and automata without any. */
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/copies/copies.h"
#include <stdio.h>

/* Makes an automaton whose states are digits, from the images of its states under each letter, as
 * the census has them. */
static void of_images(f2l_fsa *out, const char *images)
{
    char text[4096];
    size_t states = strcspn(images, " "), used = 0, letter = 0;
    used += (size_t)snprintf(text, sizeof text, "fsa 1\nletters a b c\nstates");
    for (size_t q = 0; q < states; q++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %zu", q);
    used += (size_t)snprintf(text + used, sizeof text - used, "\nstart 0\n");
    for (const char *at = images; letter < 3; letter++, at += states + 1)
        for (size_t q = 0; q < states; q++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%zu %c %c\n", q,
                                     (char)('a' + letter), at[q]);
    fsa_from_text(out, text);
}

/* Builds the network and closes it over its boxes; returns the chains that were found. */
static f2l_copies verified(const f2l_fsa *fsa, f2l_label label, const char *name)
{
    f2l_copies copies;
    f2l_net net;
    f2l_closure closure;
    f2l_error err = {0};
    f2l_net_init(&net);
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_copies_find(&copies, fsa, label, NULL, &err), F2L_OK, "%s: %s", name,
                 err.text);
    cr_assert_eq(f2l_copies_build(&net, &copies, fsa, label, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_closure_exact(&closure, &net, fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(closure.verdict, F2L_OK, "%s: %s %s", name, closure.reason, closure.got);
    cr_assert_eq(net.layer[0].head[0].n, copies.slots);
    cr_assert(f2l_net_has_boxes(&net));
    f2l_closure_clear(&closure);
    f2l_net_clear(&net);
    return copies;
}

Test(copies, are_found)
{
    static const struct {
        const char *images;
        size_t slots, factors, levels;
    } all[] = {{"0033 0101 2323", 2, 1, 2}, /* the copy automaton of OL.5 */
               {"022 112 012", 2, 1, 2},
               {"1133 2121 0123", 2, 1, 2},
               {"0223 1133 0123", 3, 2, 3},
               {"1223 2133 0123", 6, 4, 3},
               /* y <- x, z <- y; x is written */
               {"00112233 01234567 45674567", 0, 0, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        f2l_fsa fsa = {0};
        of_images(&fsa, all[i].images);
        f2l_copies copies = verified(&fsa, F2L_LABEL_STATES, all[i].images);
        cr_assert(all[i].slots == 0 ||
                      (copies.slots == all[i].slots && copies.factors == all[i].factors &&
                       copies.levels == all[i].levels),
                  "%s: %zu slots, %zu factors, %zu levels", all[i].images, copies.slots,
                  copies.factors, copies.levels);
        f2l_copies_clear(&copies);
        f2l_fsa_clear(&fsa);
    }
}

/* Only the labels have to be told apart. */
Test(copies, of_labels)
{
    f2l_fsa fsa = {0};
    of_images(&fsa, "0033 0101 2323");
    fsa.has_accept = true;
    fsa.accept[1] = fsa.accept[3] = 1;
    f2l_copies copies = verified(&fsa, F2L_LABEL_ACCEPT, "y");
    cr_assert_eq(copies.slots, 2);
    f2l_copies_clear(&copies);
    f2l_fsa_clear(&fsa);
}

Test(copies, are_not_found)
{
    /* a fork: the first letter is remembered; a cycle below a reset; an elevator */
    static const char *const images[] = {"112 212 012", "120 000 012", "1233 0012 0123"};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        f2l_fsa fsa = {0};
        f2l_copies copies;
        f2l_error err = {0};
        of_images(&fsa, images[i]);
        cr_assert_eq(f2l_copies_find(&copies, &fsa, F2L_LABEL_STATES, NULL, &err), F2L_EDOMAIN,
                     "%s", images[i]);
        cr_assert(strstr(err.text, "not L-trivial"), "%s", err.text);
        cr_assert_null(copies.chain);
        f2l_fsa_clear(&fsa);
    }
}
