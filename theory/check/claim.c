/* CERTIFICATE:
 *     lrnn-certificate 2
 *     fsa SHA256
 *     network SHA256
 *     claim exact|cascade|..
 *     [lines of the claim, or `unrounded`: real.h, unrounded.c]
 *     size layers L heads H householders N key n value d  layers: stages with heads; then maxima
 *                                                         over all of them
 *     letters K states Q rows R                           exact, swaps; K letters of layer 1;
 *                                                         one code for each layer
 *     row i state q codes c_1 .. next r_1 .. r_K          R times, all different; the first is
 *                                                         the start,
 *     end R                                               the others are each named by an
 *                                                         earlier one
 *     [other claims: cascade.c, zeiger.c, d1.c, float.c]
 *     sha256 HEX                                          of all bytes before this line
 *
 * claim exact: the rows are pairs (a code of every layer, state of the automaton) that words
 * lead to. Every edge between them and every label is computed again, in exact rational
 * arithmetic (check_edge). By induction on its length every word leads to a listed pair, and the
 * label there is right (theory/pages/closure.md, C1 and C2). */
#include "theory/check/claim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t read_counts(const problem *x, text *t, const char *word, size_t bytes)
{
    number(t, "letters ", x->a.kinds, x->a.kinds);
    number(t, " states ", x->a.states.count, x->a.states.count);
    return count_of(t, word, 1, bytes);
}

void read_pairs(problem *x, text *t, level *b, const char *word, const char *first, size_t most)
{
    size_t nexts = 0;
    uint32_t *pair = b->pair = grab(product_of(b->pairs, b->width), sizeof *b->pair);
    b->line = t->line;
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, word, i + 1, i + 1);
        const size_t from = number(t, first, 1, most) - 1;
        *pair++ = (uint32_t)from;
        expect(t, " codes");
        for (const stage *s = b->y; s < b->y + b->stages; s++)
            for (size_t r = 0; r < s->block->joint; r++)
                *pair++ = (uint32_t)number(t, " ", 1, s->block->readout[r].codes) - 1;
        if (i == 0 && x->sets > 0 && comes(t, " child"))
            b->child = grab(b->pairs, sizeof *b->child);
        if (b->child) b->child[i] = (uint32_t)number(t, " child ", 1, x->sets) - 1;
        expect(t, " next");
        for (uint32_t c = x->first[from]; c != UNSET; c = b->context[c].following) {
            b->next = grow(b->next, nexts, &b->room, sizeof *b->next);
            b->next[nexts++] = (uint32_t)number(t, " ", 1, b->pairs) - 1;
        }
        end_line(t);
    }
}

level *all_stages(problem *x, size_t width)
{
    const size_t letters = x->a.kinds;
    level *b = x->level = grab(1, sizeof *b);
    *b = (level){.y = x->net.stage, .stages = x->net.stages, .width = width};
    b->context = grab(letters, sizeof *b->context);
    for (size_t w = 0; w < letters; w++)
        b->context[w].following = w + 1 < letters ? (uint32_t)w + 1 : UNSET;
    x->first = grab(x->a.states.count, sizeof *x->first);
    return b;
}

void read_rows(problem *x, text *t)
{
    const size_t letters = x->a.kinds,
                 least = sizeof "row 1 state 1 codes next" + 2 * x->net.joint + 2 * letters;
    level *b = all_stages(x, 1 + x->net.joint);
    b->pairs = read_counts(x, t, " rows ", least);
    end_line(t);
    b->room = product_of(b->pairs, letters);
    b->next = grab(b->room, sizeof *b->next);
    read_pairs(x, t, b, "row ", " state ", x->a.states.count);
    number_line(t, "end ", b->pairs, b->pairs);
    snprintf(x->counts, sizeof x->counts, "rows %zu", b->pairs);
}

bool is_code(const problem *x, const block *b, const uint32_t *code)
{
    bool same = true;
    for (size_t i = 0; same && i < b->readouts; i++) {
        const struct readout *r = &b->readout[i];
        same = state_is(x->state + r->at, r->entries, &r->code[code[i % b->joint]]);
    }
    return same;
}

void check_start(problem *x, const text *t, const level *b, size_t first)
{
    const uint32_t *pair = b->pair + b->start * b->width, *code = pair + 1;
    if (*pair != first)
        reject(t,
               "condition (0): level %zu starts "
               "elsewhere",
               (size_t)(b - x->level) + 1);
    for (const stage *s = b->y; s < b->y + b->stages; code += s++->block->joint) {
        for (const head *h = s->block->head; h < s->block->head + s->block->heads; h++)
            put(x->state + h->at, h->entries, &s->initial[h - s->block->head]);
        if (!x->program->holds(x, s->block, code))
            reject(t, "condition (0): layer %zu starts in another state",
                   (size_t)(s - x->net.stage) + 1);
    }
}

bool leads_exactly(problem *x, const block *b, size_t letter, const uint32_t *from,
                   const uint32_t *to)
{
    for (size_t i = 0; i < b->readouts; i++)
        put(x->state + b->readout[i].at, b->readout[i].entries, &b->readout[i].code[*from]);
    for (const head *h = b->head; h < b->head + b->heads; h++)
        move(h, x->state + h->at, &h->slot->on[letter]);
    return is_code(x, b, to);
}

/* A step of a layer that was found to be right. Letters whose transitions are spelled alike share
 * it. A plain build (-DLRNN_CHECK_PLAIN) remembers none. */
typedef struct fact {
    const block *layer;
    size_t spelling, from, to;
} fact;

#ifdef LRNN_CHECK_PLAIN
enum { FACTS = 0 };
#else
enum { FACTS = 1 << 12 };
#endif

static bool leads(problem *x, const block *b, size_t letter, const uint32_t *from,
                  const uint32_t *to)
{
    if (FACTS == 0) return x->program->leads(x, b, letter, from, to);
    if (!x->known) x->known = grab(FACTS + 1, sizeof *x->known);
    const fact seen = {b, b->spelling[letter], *from, *to};
    fact *known =
        &x->known[(((size_t)(b - x->net.block) * 8191 + seen.spelling) * 1021 + seen.from) &
                  (FACTS - 1)];
    spend(1);
    if (memcmp(known, &seen, sizeof seen) == 0) return true;
    if (!x->program->leads(x, b, letter, from, to)) return false;
    *known = seen;
    return true;
}

size_t pass_layers(problem *x, const text *t, const char *what, const level *y, size_t letter,
                   const uint32_t *from, const uint32_t *to)
{
    size_t symbol = letter;
    for (const stage *s = y->y; s < y->y + y->stages && symbol != UNSET; s++, from++, to++) {
        if (!leads(x, s->block, symbol, from, to))
            reject(t, "%s %zu: layer %zu goes to another state", what, letter + 1,
                   (size_t)(s - x->net.stage) + 1);
        symbol = symbol_after(s->block, symbol, *to);
    }
    return symbol;
}

bool is_label(const problem *x, size_t symbol, size_t state, size_t letter)
{
    return same_name(x->net.labels.item[symbol], label_after(&x->a, x->net.kind, state, letter));
}

/* Checks the step of claim exact: the letter leads the row to the row that the certificate names,
 * with the right label. */
static void check_edge(problem *x, const text *t, const level *b, const uint32_t *row,
                       size_t letter, const uint32_t *next)
{
    if (x->a.next[*row * x->a.kinds + letter] != *next)
        reject(t, "letter %zu: the automaton goes to another state", letter + 1);
    const size_t symbol = x->program->pass(x, t, "letter", b, letter, row + 1, next + 1);
    if (symbol == UNSET || !is_label(x, symbol, *row, letter))
        reject(t, "letter %zu: the label is not the automaton's", letter + 1);
}

void check_pairs(problem *x, text *t, const level *b, step_check *check_it)
{
    set pairs = {0};
    bool *reached = grab(b->pairs, sizeof *reached);
    const uint32_t *next = b->next, *pair = b->pair;
    reached[b->start] = true;
    t->line = b->line;
    for (size_t i = 0; i < b->pairs; i++, t->line++, pair += b->width) {
        if (!add(&pairs, (name){(const char *)pair, b->width * sizeof *pair}))
            reject(t, "an earlier line is the same");
        if (!reached[i]) reject(t, "no earlier line leads to this one");
        for (uint32_t c = x->first[*pair]; c != UNSET; c = b->context[c].following) {
            check_it(x, t, b, pair, c, b->pair + *next * b->width);
            reached[*next++] = true;
        }
    }
}

void check_rows(problem *x, text *t)
{
    check_start(x, t, x->level, x->a.start);
    check_pairs(x, t, x->level, check_edge);
}

/* The verdict */

static const char *flags(const network *net, char out[80])
{
    const struct {
        bool is;
        const char *word;
    } flag[] = {{net->wired, " wired"},
                {net->has_field, " field"},
                {net->has_form, " form"},
                {net->has_raw, " raw"},
                {net->has_bias, " bias"},
                {net->has_boxes, " boxes"},
                {net->has_classes, " letter-classes"}};
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (flag[i].is)
            at += (size_t)snprintf(out + at, 80 - at, "%s%s", at > 0 ? "" : " with", flag[i].word);
    return out;
}

static const char *size_of_network(const network *net, char out[160])
{
    snprintf(out, 160, "layers %zu heads %zu householders %zu key %zu value %zu", net->layers,
             net->heads, net->householders, net->key, net->value);
    return out;
}

void print_verdict(const problem *x, const char *before, const char *word, const char *tail)
{
    static const char *const kind[] = {"states", "outputs", "accept", "edges"};
    char size[160], with[80];
    const char *decoder = strstr(tail, ",decode=linear,") ? " decoder linear" : " decoder nearest";
    printf("s VERIFIED %s%s label %s letters %zu states %zu %s %s%s%s%s", before, word,
           kind[x->net.kind], x->a.letters.count, x->a.states.count, size_of_network(&x->net, size),
           x->counts, flags(&x->net, with), tail, *tail ? decoder : "");
    print_added(&x->a);
    printf(" fsa %s network %s\n", x->fsa_hex, x->network_hex);
}

/* Reads the first lines of the certificate; returns the claim. */
static const claim *read_claim(problem *x, text *cert)
{
    whole_line(cert, "lrnn-certificate 2");
    expect(cert, "fsa ");
    whole_line(cert, x->fsa_hex);
    expect(cert, "network ");
    whole_line(cert, x->network_hex);
    expect(cert, "claim ");
    for (const claim *c = x->program->claims; c < x->program->claims + x->program->claim_kinds;
         c++) {
        const size_t n = strlen(c->word);
        if (!comes(cert, c->word) || cert->at[n] != '\n') continue;
        whole_line(cert, c->word);
        return c;
    }
    for (const char *const *w = (const char *const[]){"exact", "cascade", "zeiger", "d1", "points",
                                                      "product", "swaps", "float", "refuted", NULL};
         *w; w++)
        if (comes(cert, *w) && cert->at[strlen(*w)] == '\n')
            give_up("this claim is another program's");
    reject(cert, "expected a claim");
}

enum { FOOTER = sizeof "sha256 " + 64 };

/* Rejects version 1, and a certificate whose last line does not end it. The other lines are read
 * without this line. */
static void check_footer(text *cert)
{
    char hex[65];
    text line = *cert;
    if (comes(cert, "lrnn-certificate 1\n"))
        reject(cert,
               "format version 1 is no longer read: this program reads lrnn-certificate 2 (compile "
               "again)");
    if (left(cert) <= FOOTER) reject(cert, "expected a certificate");
    line.at = cert->end - FOOTER;
    for (const char *c = cert->at; c < line.at; c++) line.line += *c == '\n';
    sha256_hex(hex, cert->bytes, (size_t)(line.at - cert->bytes));
    key_sets(hex); /* the certificate names the hashes of the other files */
    if (line.at[-1] != '\n') reject(&line, "expected the end of the line");
    expect(&line, "sha256 ");
    whole_line(&line, hex);
}

void judge(const program *p, text *fsa, text *lrnn, text *cert)
{
    char size[160];
    problem x = {.program = p};
    check_footer(cert);
    sha256_hex(x.fsa_hex, fsa->bytes, left(fsa));
    sha256_hex(x.network_hex, lrnn->bytes, left(lrnn));
    const claim *c = read_claim(&x, cert);
    read_automaton(&x.a, fsa);
    read_network(&x.net, lrnn, &x.a, x.fsa_hex, p->grammar);
    self_files = NULL;
    x.lrnn = *lrnn;
    if (!(x.net.wired ? c->wired : c->layers)) reject(cert, "no claim about such a network");
    if (c->read_terms) c->read_terms(&x, cert);
    if (comes(cert, "unrounded ") && !p->read_more)
        give_up("formats in which nothing rounds are lrnn-check-unrounded's");
    if (p->read_more) p->read_more(&x, cert);
    text size_line = *cert;
    expect(cert, "size ");
    cert->at += strcspn(cert->at, "\n");
    end_line(cert);
    text lines = *cert;
    c->read(&x, cert);
    expect(&size_line, "size ");
    whole_line(&size_line, size_of_network(&x.net, size));
    if (left(cert) != FOOTER) reject(cert, "expected one line more");
    x.state = zeros(x.net.entries);
    lines.line++;
    c->check(&x, &lines);
    if (p->check_more) p->check_more(&x);
    alarm(0); /* a limit of time ends here: there is a verdict */
    print_verdict(&x, "", c->word, x.tail);
    if (p->print_more) p->print_more(&x, c->word);
}

/* The program */

static const char usage[] =
    "usage: %s [--stdin SIZES] [--budget N] [--memory SIZE] [--time-limit SECONDS]\n"
    "           AUTOMATON NETWORK CERTIFICATE\n"
    "       %s --help | --version\n"
    "Checks automaton.fsa, network.lrnn and certificate.cert of an output folder of fsa2lrnn.\n"
    "Prints `s VERIFIED ...` (exit status 0), `s NOT VERIFIED` (1) or, at a limit, `s UNKNOWN` "
    "(2).\n"
    "\n"
    "  --stdin SIZES          the files are one after the other on standard input, and have so\n"
    "                         many bytes each, as 84,2019,173; their names are for messages\n"
    "  --budget N             N times the default budget: 40 million steps and 384 MiB, and for\n"
    "                         each byte of the three files 48 bytes and 800 steps, and one step\n"
    "                         more for every %zu bytes of them, at most 16,000. The files have\n"
    "                         at most 384 MiB together. What passes does so on every machine.\n"
    "  --memory SIZE          at most SIZE bytes instead of the budget's, with the files; K, M\n"
    "                         and G are 1024, 1024^2 and 1024^3\n"
    "  --time-limit SECONDS   ends the run after this time; off by default\n"
    "\n"
    "example: lrnn-check parity.lrnn/automaton.fsa parity.lrnn/network.lrnn \\\n"
    "             parity.lrnn/certificate.cert\n";

int run_checker(int argc, char **argv, const program *p)
{
    options o = {0};
    const size_t growth = p->growth > 0 ? p->growth : 4000;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("%s %s (GMP %s), sources sha256 %s\n", p->name, p->version, gmp_version, p->sources);
        return end_output(0);
    }
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    const char *sizes = argc > 2 && strcmp(argv[1], "--stdin") == 0 ? argv[2] : NULL;
    if (sizes) argc -= 2, argv += 2;
    const int used = read_options(&o, argc, argv);
    if (help || used < 0 || argc != used + 4 || argv[used + 1][0] == '-' ||
        (sizes && sizes[strspn(sizes, "0123456789,")] != '\0')) {
        fprintf(help ? stdout : stderr, usage, p->name, p->name, growth);
        return help ? end_output(0) : USAGE;
    }
    limit_time(&o);
    static text file[3];
    read_files(file, 3, argv + used + 1, sizes, &o, growth);
    if (p->hand_over) p->hand_over(file, argc, argv);
    count_gmp_memory();
    judge(p, &file[0], &file[1], &file[2]);
    return end_output(VERIFIED);
}
