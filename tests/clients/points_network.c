/* Writes the network that holds products point by point (theory/pages/d1.md, D1.12) for a
 * permutation automaton in canonical form, and its certificate; the compiler takes it for groups of
 * many points only.
 *
 * usage: points_network HOUSEHOLDERS LABEL NETWORK CERTIFICATE <AUTOMATON */
#include "automata/fsa/nfa.h"
#include "automata/gset/gset.h"
#include "numeric/base/sha256.h"
#include "theory/certify/forms/form.h"
#include "theory/construct/d1/d1.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    f2l_buf text, net_text, cert;
    f2l_nfa nfa;
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
    f2l_error err;
} work;

static void open_work(work *w)
{
    *w = (work){.err = {0}};
    f2l_buf_init(&w->text);
    f2l_buf_init(&w->net_text);
    f2l_buf_init(&w->cert);
    f2l_nfa_init(&w->nfa);
    f2l_fsa_init(&w->fsa);
    f2l_gset_init(&w->set);
    f2l_net_init(&w->net);
}

static void close_work(work *w)
{
    f2l_net_clear(&w->net);
    f2l_gset_clear(&w->set);
    f2l_fsa_clear(&w->fsa);
    f2l_nfa_clear(&w->nfa);
    f2l_buf_clear(&w->cert);
    f2l_buf_clear(&w->net_text);
    f2l_buf_clear(&w->text);
}

static f2l_status read_automaton(work *w)
{
    f2l_total_report report;
    const f2l_total_options options = {0};
    f2l_status status = f2l_read_file(&w->text, "-", 0, &w->err);
    if (status == F2L_OK)
        status = f2l_fsa_read(&w->nfa, w->text.data, w->text.size, 0, NULL, &w->err);
    if (status == F2L_OK)
        status = f2l_nfa_total(&w->fsa, &report, &w->nfa, &options, NULL, &w->err);
    return status;
}

static f2l_label label_named(const char *name)
{
    f2l_label label = F2L_LABEL_STATES;
    while (label < F2L_LABEL_EDGES && strcmp(f2l_label_name(label), name) != 0) label++;
    return label;
}

static f2l_status make(work *w, size_t householders, f2l_label label)
{
    f2l_d1_report report = {0};
    f2l_form_verdict verdict = {.verdict = F2L_UNKNOWN};
    char hex[65];
    f2l_status status = f2l_gset_smallest(&w->set, &w->fsa, 0, NULL, &w->err);
    if (status == F2L_OK)
        status = f2l_d1_build_points(&w->net, &report, &w->fsa, label, &w->set, householders, NULL,
                                     &w->err);
    f2l_sha256_hex(w->text.data, w->text.size, w->net.fsa_sha256);
    if (status == F2L_OK) status = f2l_wired_write(&w->net_text, &w->net, &w->err);
    if (status != F2L_OK) return status;
    f2l_sha256_hex(w->net_text.data, w->net_text.size, hex);
    status = f2l_form_points.verify(&verdict, &w->net, &w->fsa, NULL, NULL, NULL, &w->err);
    if (status == F2L_OK)
        status = f2l_form_points.certify(&w->cert, &w->net, &verdict, &w->fsa, &w->fsa, NULL, hex,
                                         &w->err);
    return status;
}

static bool save(const char *path, const f2l_buf *text)
{
    FILE *out = fopen(path, "wb");
    const bool written = out && fwrite(text->data, 1, text->size, out) == text->size;
    return (!out || fclose(out) == 0) && written;
}

int main(int count, char **argument)
{
    work w;
    if (count != 5) return 64;
    open_work(&w);
    f2l_status status = read_automaton(&w);
    if (status == F2L_OK)
        status = make(&w, strtoul(argument[1], NULL, 10), label_named(argument[2]));
    if (status != F2L_OK) fprintf(stderr, "points_network: %s\n", w.err.text);
    const bool good =
        status == F2L_OK && save(argument[3], &w.net_text) && save(argument[4], &w.cert);
    close_work(&w);
    return good ? 0 : 65;
}
