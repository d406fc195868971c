/* lrnn-check-wired, claim product: certificates of wired products, each line and number of them
 * changed, and networks that are changed while all hashes are right. */
#include "numeric/base/sha256.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/product/wired_product_support.h"
/* Included last, because its names are short. */
#include "tests/support/check/check_lines.h"

typedef struct files {
    side_case s;
    f2l_buf fsa, net, cert;
    char sha256[65];
} files;

/* Writes network and certificate as they are now; the certificate is the one of before if the
 * network is no longer right. */
static void write_again(files *f)
{
    f2l_buf_clear(&f->net);
    cr_assert_eq(f2l_wired_write(&f->net, &f->s.net, &f->s.err), F2L_OK, "%s", f->s.err.text);
    f2l_sha256_hex(f->net.data, f->net.size, f->sha256);
}

static void open_files(files *f, const char *bytes, bool compile, f2l_label kind)
{
    f2l_buf_init(&f->fsa);
    f2l_buf_init(&f->net);
    f2l_buf_init(&f->cert);
    f2l_fsa_init(&f->s.fsa);
    fsa_from_text(&f->s.fsa, bytes);
    cr_assert(side_take_apart(&f->s, compile));
    cr_assert_eq(side_build(&f->s, kind, NULL), F2L_OK, "%s", f->s.err.text);
    cr_assert_eq(f2l_fsa_write(&f->fsa, &f->s.fsa, NULL), F2L_OK);
    write_again(f);
    cr_assert_eq(f2l_product_certify(&f->cert, &f->s.net, &f->s.division, &f->s.fsa, f->sha256,
                                     NULL, &f->s.err),
                 F2L_OK, "%s", f->s.err.text);
}

static void close_files(files *f)
{
    f2l_buf_clear(&f->fsa);
    f2l_buf_clear(&f->net);
    f2l_buf_clear(&f->cert);
    side_clear(&f->s);
}

static text text_in(const f2l_buf *buf)
{
    return text_with("file", buf->data, buf->size);
}

/* Returns the exit status of the files, with the hash of the network in the certificate and the
 * certificate's own made right. */
static int judged(const files *f, char *printed)
{
    char hex[65], *cert = malloc(f->cert.size + 1);
    memcpy(cert, f->cert.data, f->cert.size + 1);
    memcpy(strstr(cert, "network ") + strlen("network "), f->sha256, 64);
    char *seal = strstr(cert, "sha256 ");
    sha256_hex(hex, cert, (size_t)(seal - cert));
    memcpy(seal + strlen("sha256 "), hex, 64);
    const int status = verdict_of_files((text[]){text_in(&f->fsa), text_in(&f->net), text_of(cert)},
                                        printed, 1000);
    free(cert);
    return status;
}

/* Three states beside two; letters of one side do nothing on the other. */
static const char two_sides[] = "fsa 1\n"
                                "letters a b c d\n"
                                "states 0x 1x 2x 0y 1y 2y\n"
                                "start 0x\n"
                                "accept 1x 0y\n"
                                "0x a 1x\n0x b 0x\n0x c 0x\n0x d 0y\n"
                                "1x a 2x\n1x b 0x\n1x c 1x\n1x d 1y\n"
                                "2x a 2x\n2x b 1x\n2x c 2x\n2x d 2y\n"
                                "0y a 1y\n0y b 0y\n0y c 0x\n0y d 0y\n"
                                "1y a 2y\n1y b 0y\n1y c 1x\n1y d 1y\n"
                                "2y a 2y\n2y b 1y\n2y c 2x\n2y d 2y\n";

Test(check_product, verdict)
{
    files f;
    char printed[1000], expected[600], fsa[65];
    for (int compile = 0; compile < 2; compile++) {
        open_files(&f, two_sides, compile, F2L_LABEL_STATES);
        f2l_net_size size;
        f2l_net_measure(&size, &f.s.net);
        cr_assert_eq(judged(&f, printed), VERIFIED, "%s", printed);
        f2l_sha256_hex(f.fsa.data, f.fsa.size, fsa);
        snprintf(expected, sizeof expected,
                 "s VERIFIED product label states letters 4 states 6 layers %zu heads 2 ",
                 size.layers);
        cr_assert(strncmp(printed, expected, strlen(expected)) == 0, "%s", printed);
        cr_assert(strstr(printed, " parts 2 with wired fsa "));
        close_files(&f);
    }
    open_files(&f, two_sides, true, F2L_LABEL_ACCEPT);
    cr_assert_eq(judged(&f, printed), VERIFIED, "%s", printed);
    close_files(&f);
}

Test(check_product, random_products)
{
    f2l_rng rng;
    size_t made = 0;
    char printed[1000];
    f2l_rng_init(&rng, 20261127, 2);
    for (size_t number = 0; number < 20; number++) {
        f2l_fsa fsa;
        f2l_buf bytes;
        f2l_subdirect subdirect;
        side_random(&fsa, 2 + number % 2, 4, 2 + number % 3, &rng);
        f2l_buf_init(&bytes);
        f2l_subdirect_init(&subdirect);
        cr_assert_eq(f2l_fsa_write(&bytes, &fsa, NULL), F2L_OK);
        if (fsa.states.count > 1 && f2l_subdirect_find(&subdirect, &fsa, NULL, NULL) == F2L_OK) {
            files f;
            open_files(&f, bytes.data, number % 2, F2L_LABEL_STATES);
            cr_assert_eq(judged(&f, printed), VERIFIED, "%zu: %s", number, printed);
            close_files(&f);
            made++;
        }
        f2l_subdirect_clear(&subdirect);
        f2l_buf_clear(&bytes);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(made > 8, "%zu", made);
}

/* Writes three states beside three. */
static void three_by_three(char out[2000])
{
    static const int next[4][3] = {{1, 2, 2}, {0, 0, 1}, {1, 1, 2}, {0, 2, 0}};
    char *at = out + sprintf(out, "fsa 1\nletters a b c d\nstates");
    for (int q = 0; q < 9; q++) at += sprintf(at, " %dq%d", q / 3, q % 3);
    at += sprintf(at, "\nstart 0q0\n");
    for (int q = 0; q < 9; q++)
        for (int a = 0; a < 4; a++)
            at += sprintf(at, "%dq%d %c %dq%d\n", q / 3, q % 3, 'a' + a,
                          a < 2 ? next[a][q / 3] : q / 3, a < 2 ? q % 3 : next[a][q % 3]);
}

/* Each number and line of the certificate from the figures to the end. Both parts have three
 * states, so that the last two lines `end` differ. */
Test(check_product, changed_certificates_are_refused)
{
    files f;
    char bytes[2000];
    three_by_three(bytes);
    for (int compile = 0; compile < 2; compile++) {
        open_files(&f, bytes, compile, F2L_LABEL_STATES);
        const size_t refused = refuse_changes(text_in(&f.fsa), text_in(&f.net), f.cert.data,
                                              "\nsize ", "\nend 2\nsha256");
        cr_assert(refused > 300, "%zu", refused);
        close_files(&f);
    }
}

/* Writes the network with one number changed, which must be refused; puts the number back. */
#define REFUSED_WITH(number, other) \
    do { \
        const __typeof__(number) was = (number); \
        char printed[1000]; \
        (number) = (other); \
        write_again(&f); \
        cr_expect_eq(judged(&f, printed), NOT_VERIFIED, "%s", #number " = " #other); \
        (number) = was; \
    } while (0)

/* Gates, slots and outputs that read a wire of the other part. */
Test(check_product, parts_that_are_not_apart)
{
    files f;
    size_t changed = 0;
    open_files(&f, two_sides, false, F2L_LABEL_STATES);
    f2l_net *net = &f.s.net;
    for (size_t b = 1; b + 1 < net->blocks; b++) {
        f2l_wired_block *y = &net->block[b];
        const f2l_share *own = &f.s.division.share[2 * b];
        size_t *sizes = calloc(f2l_wired_wires(y), sizeof *sizes);
        f2l_wired_sizes(sizes, net, y);
        const size_t first = y->inputs, readout = f2l_wired_first_readout(y);
        for (size_t g = 0; g < y->pres; g++)
            for (size_t i = 0; i < net->table[y->pre[g].table].inputs; i++)
                for (size_t w = 0; w < first + g; w++) {
                    const bool mine = g < own->pres;
                    const bool its = w < first ? w < own->inputs : w - first < own->pres;
                    if (mine == its || sizes[w] != sizes[y->pre[g].wire[i]]) continue;
                    REFUSED_WITH(y->pre[g].wire[i], (uint32_t)w);
                    changed++;
                }
        for (size_t h = 0; h < y->heads; h++)
            for (size_t w = 0; w < readout; w++) {
                const bool mine = h < own->heads;
                const bool its = w < first ? w < own->inputs : w - first < own->pres;
                if (mine == its || sizes[w] != sizes[y->head[h].wire[0]]) continue;
                REFUSED_WITH(y->head[h].wire[0], (uint32_t)w);
                changed++;
            }
        for (size_t o = 0; o < y->outputs; o++)
            for (size_t w = 0; w < first; w++) {
                if ((o < own->outputs) == (w < own->inputs) || sizes[w] != sizes[y->output[o]])
                    continue;
                REFUSED_WITH(y->output[o], (uint32_t)w);
                changed++;
            }
        free(sizes);
    }
    cr_assert(changed > 100, "%zu", changed);
    close_files(&f);
}

/* The letters of the parts, the join, initial states and factors. */
Test(check_product, changed_networks_are_refused)
{
    files f;
    size_t changed = 0;
    open_files(&f, two_sides, false, F2L_LABEL_STATES);
    f2l_net *net = &f.s.net;
    const size_t ends[] = {net->block[0].pre[0].table, net->block[0].pre[1].table,
                           net->block[net->blocks - 1].pre[0].table};
    for (size_t t = 0; t < 3; t++) {
        f2l_wired_table *table = &net->table[ends[t]];
        for (size_t e = 0; e < table->entries; e++, changed++)
            REFUSED_WITH(table->value[e], (uint32_t)((table->value[e] + 1) % table->values));
    }
    REFUSED_WITH(net->block[0].output[0], net->block[0].output[1]);
    for (size_t l = 0; l < net->stages; l++)
        for (size_t h = 0; h < net->stage[l].heads; h++, changed++)
            REFUSED_WITH(net->stage[l].initial[h].index[1], net->stage[l].initial[h].index[1] + 1);
    for (size_t b = 1; b + 1 < net->blocks; b++)
        for (size_t h = 0; h < net->block[b].heads; h++) {
            f2l_wired_head *by = &net->block[b].head[h];
            for (size_t x = 0; x < by->slot_at[by->slots]; x++)
                for (size_t i = 0; i < by->head.letter[x].factors; i++, changed++) {
                    char printed[1000];
                    mpq_t was;
                    mpq_init(was);
                    mpq_set(was, by->head.letter[x].factor[i].beta);
                    mpq_set_ui(by->head.letter[x].factor[i].beta, 1, 2);
                    write_again(&f);
                    cr_expect_eq(judged(&f, printed), NOT_VERIFIED);
                    mpq_set(by->head.letter[x].factor[i].beta, was);
                    mpq_clear(was);
                }
        }
    cr_assert(changed > 100, "%zu", changed);
    write_again(&f);
    char printed[1000];
    cr_assert_eq(judged(&f, printed), VERIFIED);
    close_files(&f);
}

/* Blocks that hold the same block of a part are compared, so that a change in any one of them is
 * seen: gates and outputs that read another wire of their own part, and codes. */
Test(check_product, copies_of_a_block_are_compared)
{
    files f;
    size_t changed = 0;
    open_files(&f, two_sides, false, F2L_LABEL_STATES);
    f2l_net *net = &f.s.net;
    for (size_t b = 1; b + 1 < net->blocks; b++) {
        f2l_wired_block *y = &net->block[b];
        const f2l_share *own = &f.s.division.share[2 * b];
        size_t *sizes = calloc(f2l_wired_wires(y), sizeof *sizes);
        f2l_wired_sizes(sizes, net, y);
        for (size_t g = 0; g < y->posts; g++)
            for (size_t i = 0; i < net->table[y->post[g].table].inputs; i++)
                for (size_t w = 0; w < y->inputs; w++) {
                    const bool same = (g < own->posts) == (w < own->inputs);
                    if (!same || w == y->post[g].wire[i] || sizes[w] != sizes[y->post[g].wire[i]])
                        continue;
                    REFUSED_WITH(y->post[g].wire[i], (uint32_t)w);
                    changed++;
                }
        for (size_t o = 0; o < y->outputs; o++)
            for (size_t w = 0; w < y->inputs; w++) {
                const bool same = (o < own->outputs) == (w < own->inputs);
                if (!same || w == y->output[o] || sizes[w] != sizes[y->output[o]]) continue;
                REFUSED_WITH(y->output[o], (uint32_t)w);
                changed++;
            }
        for (size_t r = 0; r < y->readouts; r++, changed++) {
            char printed[1000];
            mpq_set_ui(y->readout[r].code[1].value[0], 2, 1);
            write_again(&f);
            cr_expect_eq(judged(&f, printed), NOT_VERIFIED);
            mpq_set_ui(y->readout[r].code[1].value[0], 1, 1);
        }
        free(sizes);
    }
    cr_assert(changed > 100, "%zu", changed);
    close_files(&f);
}

/* Replaces the n-th `was` (from 0) of the buffer. */
static void edit(f2l_buf *buf, const char *was, size_t n, const char *now)
{
    f2l_buf out;
    const char *at = strstr(buf->data, was);
    for (; n > 0 && at; n--) at = strstr(at + 1, was);
    cr_assert(at, "`%s`", was);
    f2l_buf_init(&out);
    f2l_buf_bytes(&out, buf->data, (size_t)(at - buf->data));
    f2l_buf_text(&out, now);
    f2l_buf_text(&out, at + strlen(was));
    f2l_buf_clear(buf);
    *buf = out;
}

static int judged_edited(files *f)
{
    char printed[1000];
    f2l_sha256_hex(f->net.data, f->net.size, f->sha256);
    return judged(f, printed);
}

/* A gate without inputs, which nothing reads, after the readouts of a block: of the first, of the
 * last, of a part that is not at work, and of no part. The network stays right, and is no product
 * of the form. */
Test(check_product, gates_that_are_not_in_the_form)
{
    files f;
    char gate[64];
    open_files(&f, two_sides, false, F2L_LABEL_STATES);
    const char *constant = strstr(f.net.data, "\nblock 2 ");
    constant = strstr(constant, "\ngate ") + 1;
    snprintf(gate, sizeof gate, "post 1\n%.*s\n", (int)strcspn(constant, "\n"), constant);
    cr_assert(strchr(gate + 12, ' ') == NULL, "%s", gate); /* the first block of the deeper part
                                                               has gates without inputs */
    const size_t places[] = {0, f.s.net.blocks - 1, 1};
    size_t posts = 0; /* blocks with `post 0` before the last one */
    for (size_t b = 0; b + 1 < f.s.net.blocks; b++) posts += f.s.net.block[b].posts == 0;
    for (size_t i = 0; i < 3; i++) {
        edit(&f.net, "post 0\n", i == 1 ? posts : places[i], gate);
        cr_expect_eq(judged_edited(&f), NOT_VERIFIED, "block %zu", places[i] + 1);
        write_again(&f);
    }
    edit(&f.net, "post 0\n", 1, gate);
    const bool first = f.s.division.share[2].pres == 0;
    edit(&f.cert, first ? "divide 2 1.0.0.0.1" : ".0.0.0.1\ndivide 3", 0,
         first ? "divide 2 1.0.0.1.1" : ".0.0.1.1\ndivide 3");
    cr_expect_eq(judged_edited(&f), NOT_VERIFIED);
    close_files(&f);
}

/* Three states that need two layers beside two states that need one. */
static const char uneven_sides[] = "fsa 1\n"
                                   "letters a b c d\n"
                                   "states 0x 1x 2x 0y 1y 2y\n"
                                   "start 0x\n"
                                   "0x a 1x\n0x b 0x\n0x c 0x\n0x d 0y\n"
                                   "1x a 2x\n1x b 0x\n1x c 1x\n1x d 1y\n"
                                   "2x a 0x\n2x b 2x\n2x c 2x\n2x d 2y\n"
                                   "0y a 1y\n0y b 0y\n0y c 0x\n0y d 0y\n"
                                   "1y a 2y\n1y b 0y\n1y c 1x\n1y d 1y\n"
                                   "2y a 0y\n2y b 2y\n2y c 2x\n2y d 2y\n";

/* A part that its joint states prove, with one stage more, in which it only passes its letter on.
 */
Test(check_product, a_stage_that_only_passes_on)
{
    files f;
    char stages[64], more[64];
    size_t i = 0;
    open_files(&f, uneven_sides, true, F2L_LABEL_STATES);
    while (i < 2 &&
           (f.s.division.part[i].claim != F2L_CERT_EXACT || f.s.division.part[i].first == 1))
        i++;
    cr_assert(i < 2);
    const f2l_division_part *own = &f.s.division.part[i];
    snprintf(stages, sizeof stages, "part %zu stages %zu %zu ", i + 1, own->first + 1, own->stages);
    snprintf(more, sizeof more, "part %zu stages %zu %zu ", i + 1, own->first, own->stages + 1);
    edit(&f.cert, stages, 0, more);
    cr_expect_eq(judged_edited(&f), NOT_VERIFIED);
    close_files(&f);
}

/* A head in the first block, which nothing reads. */
Test(check_product, heads_that_are_not_in_the_form)
{
    files f;
    char size[64], more[64];
    f2l_net_size figures;
    open_files(&f, two_sides, false, F2L_LABEL_STATES);
    f2l_net_measure(&figures, &f.s.net);
    edit(&f.net, "heads 0\nreadouts 0\n", 0,
         "heads 1\nhead 1 key 1 value 1 slots 1\nslot 1 wire 1\non 1 gate 1 factors 0\non 2 gate 1 "
         "factors 0\non 3 gate 1 factors 0\non 4 gate 1 factors 0\nreadouts 1\nreadout 1 head 1 "
         "rows 1 1 codes 1\ncode 1\n");
    edit(&f.net, "stage 1 block 1\n", 0, "stage 1 block 1\ninitial\n");
    snprintf(size, sizeof size, "size layers %zu ", figures.layers);
    snprintf(more, sizeof more, "size layers %zu ", figures.layers + 1);
    edit(&f.cert, size, 0, more);
    cr_expect_eq(judged_edited(&f), NOT_VERIFIED);
    close_files(&f);
}
