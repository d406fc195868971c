/* The beginning of every certificate of a lower bound:
 *     lrnn-fork 1                       or the first line of another kind
 *     fsa SHA256
 *     label states|outputs|accept|edges
 *     classes c_1 .. c_Q                the class of every state of the automaton; 0: the start
 *                                       does not reach it
 * Words are letters of the automaton by number; all numbers count from 1. */
#include "theory/check/bound/bound.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the label of a state of the class, or with label edges of its transition by x. */
static name label_at(const machine *m, size_t state, size_t x)
{
    return m->kind == LABEL_EDGES ? m->a.edge_output[state * m->kinds + x]
                                  : label_of(&m->a, m->kind, state);
}

static const char *const kind_name[] = {"states", "outputs", "accept", "edges"};

static label read_label(text *t)
{
    expect(t, "label ");
    for (size_t i = 0; i < sizeof kind_name / sizeof *kind_name; i++)
        if (comes(t, kind_name[i]) && t->at[strlen(kind_name[i])] == '\n') {
            whole_line(t, kind_name[i]);
            return (label)i;
        }
    reject(t, "expected states, outputs, accept or edges");
}

static void need_labels(const machine *m, const text *t)
{
    if (m->kind == LABEL_OUTPUTS && !m->a.has_output) reject(t, "the automaton has no outputs");
    if (m->kind == LABEL_ACCEPT && !m->a.has_accept) reject(t, "it names no accepting states");
    if (m->kind == LABEL_EDGES && !m->a.edge_output) reject(t, "its transitions have no outputs");
}

/* Checks that state q fits the member that stands for its class c. */
static void check_state(machine *m, const text *t, const uint32_t *class_of, size_t q)
{
    const size_t c = class_of[q], first = m->member[c];
    spend(1 + m->kinds);
    if (m->kind != LABEL_EDGES && !same_name(label_at(m, q, 0), label_at(m, first, 0)))
        reject(t, "states %zu and %zu of a class have two labels", first + 1, q + 1);
    for (size_t x = 0; x < m->kinds; x++) {
        const uint32_t to = class_of[m->a.next[q * m->kinds + x]];
        if (to == UNSET) reject(t, "letter %zu leads from state %zu to no class", x + 1, q + 1);
        if (q == first) m->next[c * m->kinds + x] = to;
        if (m->next[c * m->kinds + x] != to)
            reject(t, "letter %zu leads states %zu and %zu of a class to two classes", x + 1,
                   first + 1, q + 1);
        if (m->kind == LABEL_EDGES && !same_name(label_at(m, q, x), label_at(m, first, x)))
            reject(t, "letter %zu has two outputs in a class", x + 1);
    }
}

/* Checks that the start leads to every class. */
static void check_reached(const machine *m, const text *t)
{
    uint32_t *queue = grab(m->classes, sizeof *queue);
    bool *reached = grab(m->classes, sizeof *reached);
    size_t met = 1;
    queue[0] = (uint32_t)m->start;
    reached[m->start] = true;
    for (size_t i = 0; i < met; i++)
        for (size_t x = 0; x < m->kinds; x++) {
            const uint32_t to = m->next[queue[i] * m->kinds + x];
            if (!reached[to]) queue[met++] = to;
            reached[to] = true;
        }
    if (met < m->classes) reject(t, "the start does not reach every class");
}

/* Reads the classes, which are numbered by their first states. */
static void read_classes(machine *m, text *t)
{
    const size_t states = m->a.states.count;
    uint32_t *class_of = grab(states, sizeof *class_of);
    m->member = grab(states, sizeof *m->member);
    expect(t, "classes");
    for (size_t q = 0; q < states; q++) {
        const size_t c = number(t, " ", 0, m->classes + 1);
        class_of[q] = c == 0 ? UNSET : (uint32_t)c - 1;
        if (c > m->classes) m->member[m->classes++] = (uint32_t)q;
    }
    if (class_of[m->a.start] == UNSET) reject(t, "the start has no class");
    m->start = class_of[m->a.start];
    m->next = grab(product_of(m->classes, m->kinds), sizeof *m->next);
    for (size_t q = 0; q < states; q++)
        if (class_of[q] != UNSET) check_state(m, t, class_of, q);
    check_reached(m, t);
    end_line(t);
}

word read_word(const machine *m, text *t, const char *before)
{
    word w = {NULL, 0};
    size_t capacity = 0;
    expect(t, before);
    while (*t->at == ' ') {
        w.letter = grow(w.letter, w.length, &capacity, sizeof *w.letter);
        w.letter[w.length++] = (uint32_t)number(t, " ", 1, m->kinds) - 1;
    }
    end_line(t);
    return w;
}

size_t lead(const machine *m, size_t from, const word *w)
{
    spend(w->length);
    for (size_t i = 0; i < w->length; i++) from = m->next[from * m->kinds + w->letter[i]];
    return from;
}

bool tells_apart(const machine *m, size_t p, size_t q, const word *w)
{
    const bool edges = m->kind == LABEL_EDGES;
    if (edges && w->length == 0) return false;
    const word before = {w->letter, w->length - (edges ? 1 : 0)};
    const size_t x = edges ? w->letter[w->length - 1] : 0;
    const size_t to[] = {m->member[lead(m, p, &before)], m->member[lead(m, q, &before)]};
    return !same_name(label_at(m, to[0], x), label_at(m, to[1], x));
}

void print_machine(const machine *m)
{
    printf(" label %s letters %zu states %zu classes %zu", kind_name[m->kind], m->a.letters.count,
           m->a.states.count, m->classes);
}

void print_bound(const machine *m, size_t layers)
{
    printf("s VERIFIED layers at least %zu", layers);
    print_machine(m);
}

void judge_bound(const bound_program *p, text *fsa, text *t)
{
    machine m = {0};
    sha256_hex(m.hex, t->bytes, left(t));
    key_sets(m.hex); /* the certificate names the hash of the automaton */
    sha256_hex(m.hex, fsa->bytes, left(fsa));
    whole_line(t, p->first);
    expect(t, "fsa ");
    whole_line(t, m.hex);
    self_files = NULL;
    read_automaton(&m.a, fsa);
    m.kinds = m.a.kinds;
    m.kind = read_label(t);
    need_labels(&m, t);
    read_classes(&m, t);
    p->judge(&m, t);
    print_added(&m.a);
    printf(" fsa %s\n", m.hex);
}

/* The growth of the budget (begin_budget): loops are walked through at vertices and maps, and a
 * short certificate can have many of both. */
enum { BUDGET_GROWTH = 4 };

static const char usage[] =
    "usage: %s [--budget N] [--memory SIZE] [--time-limit SECONDS] AUTOMATON CERTIFICATE\n"
    "       %s --help | --version\n"
    "Checks a certificate of fsa2lrnn classify for the automaton, as `fsa2lrnn fsa convert`\n"
    "writes it. Prints `s VERIFIED ...` (exit status 0), `s NOT VERIFIED` (1) or, at a limit,\n"
    "`s UNKNOWN` (2).\n"
    "\n"
    "  --budget N             N times the default budget: 40 million steps and 384 MiB, and for\n"
    "                         each byte of the files 48 bytes and 800 steps or more; they have\n"
    "                         at most N times 384 MiB together\n"
    "  --memory SIZE          at most SIZE bytes instead of the budget's, with the files; K, M\n"
    "                         and G are 1024, 1024^2 and 1024^3\n"
    "  --time-limit SECONDS   ends the run after this time; off by default\n";

int main(int argc, char **argv)
{
    const bound_program *p = &bound_self;
    options o = {0};
    self_name = p->name;
    self_files = "AUTOMATON as `fsa2lrnn fsa convert` writes it, and its certificate";
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("%s %s, sources sha256 %s\n", p->name, p->version, p->sources);
        return end_output(0);
    }
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    const int used = read_options(&o, argc, argv);
    if (help || used < 0 || argc != used + 3 || argv[used + 1][0] == '-') {
        fprintf(help ? stdout : stderr, usage, p->name, p->name);
        return help ? end_output(0) : USAGE;
    }
    limit_time(&o);
    static text file[2];
    read_files(file, 2, argv + used + 1, NULL, &o, BUDGET_GROWTH);
    count_gmp_memory();
    judge_bound(p, &file[0], &file[1]);
    return end_output(VERIFIED);
}
