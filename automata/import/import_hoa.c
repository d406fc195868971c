/* The Hanoi Omega-Automata format as automata on finite words: where every run accepts (Acceptance:
 * 0 t, safety), a word is accepted that some infinite run begins with, so that states without one
 * do not accept; and on demand, Buchi acceptance by states
 * with the marked states accepting. Letters are valuations of the propositions, `a&!b`. */
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

enum { LISTED = 1, ACCEPTING = 2 };

/* A state: LISTED, ACCEPTING, and its place. */
typedef struct hoa_state {
    uint8_t flags;
    uint32_t line, column;
} hoa_state;

typedef struct reader {
    f2l_hoa_header header;
    f2l_nfa *nfa;
    hoa_state *flags; /* [flag_count] of the states */
    size_t flag_count, flag_capacity;
    uint64_t *state_set, *edge_set; /* letters of the state's label, and of the edge's */
} reader;

/* The state that is read. */
typedef struct current {
    size_t number, line, column;
    bool labelled;          /* the state has a label */
    size_t edges, explicit; /* edges, and how many of them have labels */
} current;

static f2l_status next_hoa_token(reader *r, f2l_error *err)
{
    return f2l_hoa_next(&r->header.lexer, &r->header.token, err);
}

static f2l_status fail_in_hoa_body(const reader *r, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, r->header.token.line, r->header.token.column, "%s", text);
}

static bool at_hoa_mark(const reader *r, char punctuation)
{
    const f2l_hoa_token *token = &r->header.token;
    return token->kind == F2L_HOA_PUNCTUATION && token->punctuation == punctuation;
}

/* Makes room for the flags of a state. */
static f2l_status know_state(reader *r, const f2l_hoa_token *token, f2l_error *err)
{
    const f2l_hoa_header *h = &r->header;
    if (h->has_states && token->number >= h->states)
        return f2l_fail_at(err, token->line, token->column,
                           "state %zu; States: says that there are %zu", token->number, h->states);
    /* Every state is listed, which takes more than a byte. */
    if (token->number >= h->lexer.size)
        return f2l_fail_at(err, token->line, token->column,
                           "state %zu, and not every state below it is listed", token->number);
    while (r->flag_count <= token->number) {
        if (!f2l_grow((void **)&r->flags, &r->flag_capacity, r->flag_count, sizeof *r->flags))
            return f2l_fail_memory(err);
        r->flags[r->flag_count++] = (hoa_state){0};
    }
    return F2L_OK;
}

/* Reads [LABEL]. */
static f2l_status read_edge_label(reader *r, uint64_t *set, f2l_error *err)
{
    f2l_hoa_header *h = &r->header;
    f2l_status status = next_hoa_token(r, err);
    if (status == F2L_OK) status = f2l_hoa_label(&h->labels, set, &h->lexer, &h->token, err);
    if (status == F2L_OK && !at_hoa_mark(r, ']'))
        return fail_in_hoa_body(r, "expected &, | or ]", err);
    return status == F2L_OK ? next_hoa_token(r, err) : status;
}

/* Reads {SETS}; *marked tells whether the set that accepts is there. */
static f2l_status read_edge_marks(reader *r, bool *marked, f2l_error *err)
{
    const f2l_hoa_header *h = &r->header;
    f2l_status status = next_hoa_token(r, err);
    while (status == F2L_OK && h->token.kind == F2L_HOA_INT) {
        if (h->token.number >= h->sets)
            return fail_in_hoa_body(r, "an acceptance set beyond the number in Acceptance:", err);
        *marked |= h->marks && h->token.number == h->marked;
        status = next_hoa_token(r, err);
    }
    if (status == F2L_OK && !at_hoa_mark(r, '}'))
        return fail_in_hoa_body(r, "expected the number of an acceptance set or }", err);
    return status == F2L_OK ? next_hoa_token(r, err) : status;
}

static f2l_status add_edge(reader *r, size_t from, size_t letter, size_t to, f2l_error *err)
{
    if (r->nfa->edges >= F2L_IMPORT_MAX_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "more than %zu transitions", F2L_IMPORT_MAX_EDGES);
    return f2l_nfa_add_edge(r->nfa, from, letter, to, err);
}

static f2l_status add_label_edges(reader *r, size_t from, const uint64_t *set, size_t to,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t w = 0; w < r->header.labels.words; w++)
        for (uint64_t rest = set[w]; rest != 0 && status == F2L_OK; rest &= rest - 1)
            status = add_edge(r, from, 64 * w + (size_t)__builtin_ctzll(rest), to, err);
    return status;
}

/* Adds the letters of the edge that ends in `to`. */
static f2l_status connect(reader *r, current *c, bool explicit, size_t to, f2l_error *err)
{
    c->edges++;
    c->explicit += explicit;
    if (explicit) return add_label_edges(r, c->number, r->edge_set, to, err);
    if (c->labelled) return add_label_edges(r, c->number, r->state_set, to, err);
    /* The place in the list says the letter; check_count counts the edges. */
    if (c->edges > r->nfa->letters.count) return F2L_OK;
    return add_edge(r, c->number, c->edges - 1, to, err);
}

static f2l_status read_hoa_edge(reader *r, current *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const bool explicit = at_hoa_mark(r, '[');
    if (explicit && c->labelled)
        return fail_in_hoa_body(r, "a label of an edge, and its state has one already", err);
    if (c->edges > 0 && explicit != (c->explicit > 0))
        return fail_in_hoa_body(r, "of one state, all edges have labels or none has", err);
    if (explicit) status = read_edge_label(r, r->edge_set, err);
    if (status != F2L_OK) return status;
    if (r->header.token.kind != F2L_HOA_INT)
        return fail_in_hoa_body(r, "expected the number of the state that the edge leads to", err);
    status = know_state(r, &r->header.token, err);
    const size_t to = r->header.token.number;
    if (status == F2L_OK) status = next_hoa_token(r, err);
    if (status == F2L_OK && at_hoa_mark(r, '&'))
        return fail_in_hoa_body(r, "alternation: an edge to several states at once (&) is not read",
                                err);
    if (status == F2L_OK) status = connect(r, c, explicit, to, err);
    if (status != F2L_OK || !at_hoa_mark(r, '{')) return status;
    const f2l_hoa_token token = r->header.token;
    bool marked = false;
    status = read_edge_marks(r, &marked, err);
    if (status == F2L_OK && marked)
        return f2l_fail_at(err, token.line, token.column,
                           "acceptance by transitions is not read; marks belong to states");
    return status;
}

/* Reads "State:", its label, number, name and marks. */
static f2l_status read_hoa_state(reader *r, current *c, f2l_error *err)
{
    const f2l_hoa_token *token = &r->header.token;
    f2l_status status = next_hoa_token(r, err);
    c->labelled = status == F2L_OK && at_hoa_mark(r, '[');
    if (c->labelled) status = read_edge_label(r, r->state_set, err);
    if (status != F2L_OK) return status;
    if (token->kind != F2L_HOA_INT)
        return fail_in_hoa_body(r, "expected the number of a state", err);
    status = know_state(r, token, err);
    if (status != F2L_OK) return status;
    c->number = token->number;
    c->line = token->line;
    c->column = token->column;
    if (r->flags[c->number].flags & LISTED)
        return fail_in_hoa_body(r, "a state that was listed already", err);
    r->flags[c->number] = (hoa_state){LISTED, (uint32_t)c->line, (uint32_t)c->column};
    status = next_hoa_token(r, err);
    if (status == F2L_OK && token->kind == F2L_HOA_STRING) status = next_hoa_token(r, err);
    bool marked = false;
    if (status == F2L_OK && at_hoa_mark(r, '{')) status = read_edge_marks(r, &marked, err);
    if (marked || !r->header.marks) r->flags[c->number].flags |= ACCEPTING;
    return status;
}

static f2l_status check_edge_count(const reader *r, const current *c, f2l_error *err)
{
    const size_t letters = r->nfa->letters.count;
    if (c->labelled || c->explicit > 0 || c->edges == 0 || c->edges == letters) return F2L_OK;
    return f2l_fail_at(err, c->line, c->column,
                       "state %zu has %zu edges without labels; expected %zu, one for each letter",
                       c->number, c->edges, letters);
}

static f2l_status read_body(reader *r, f2l_error *err)
{
    const f2l_hoa_token *token = &r->header.token;
    f2l_status status = next_hoa_token(r, err);
    while (status == F2L_OK && token->kind != F2L_HOA_END) {
        current c = {0};
        if (token->kind != F2L_HOA_HEADER || token->size != 5 ||
            memcmp(token->text, "State", 5) != 0)
            return fail_in_hoa_body(r, "expected State:, an edge or --END--", err);
        status = read_hoa_state(r, &c, err);
        while (status == F2L_OK && (at_hoa_mark(r, '[') || token->kind == F2L_HOA_INT))
            status = read_hoa_edge(r, &c, err);
        if (status == F2L_OK) status = check_edge_count(r, &c, err);
    }
    return status;
}

/* Names states by their numbers, and sets which of them start and accept. */
static f2l_status add_states(reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t i = 0; i < r->flag_count && status == F2L_OK; i++) {
        size_t index;
        name.size = 0;
        f2l_buf_size(&name, i);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = f2l_nfa_state(r->nfa, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    if (status == F2L_OK) status = f2l_nfa_close_states(r->nfa, err);
    if (status != F2L_OK) return status;
    r->nfa->has_accept = r->nfa->partial = true;
    for (size_t i = 0; i < r->flag_count; i++)
        r->nfa->accept[i] = (r->flags[i].flags & ACCEPTING) != 0;
    for (size_t i = 0; i < r->header.starts; i++) r->nfa->is_start[r->header.start[i].number] = 1;
    return F2L_OK;
}

/* Checks, at --END--, that every state is listed, and that nothing follows. */
static f2l_status finish_hoa_file(reader *r, f2l_error *err)
{
    const f2l_hoa_header *h = &r->header;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < h->starts && status == F2L_OK; i++)
        status = know_state(r, &h->start[i], err);
    if (status != F2L_OK) return status;
    const size_t states = h->has_states ? h->states : r->flag_count;
    for (size_t i = 0; i < states; i++)
        if (i >= r->flag_count || !(r->flags[i].flags & LISTED))
            return f2l_fail_at(err, h->token.line, h->token.column,
                               "expected State: %zu, which is not listed", i);
    status = next_hoa_token(r, err);
    if (status == F2L_OK && h->token.kind != F2L_HOA_END_OF_FILE)
        return fail_in_hoa_body(r, "expected the end of the file: one automaton is read", err);
    return status;
}

/* Makes the states rejecting from which there is no infinite run, and notes them. */
static f2l_status reject_dead_ends(reader *r, f2l_error *err)
{
    f2l_nfa *nfa = r->nfa;
    uint8_t *dead;
    size_t count;
    const f2l_status status = f2l_import_dead_ends(&dead, &count, nfa, err);
    if (status != F2L_OK) return status;
    for (size_t q = 0; q < nfa->states.count; q++) {
        if (!dead[q]) continue;
        const char *name = f2l_names_get(&nfa->states, q);
        nfa->accept[q] = 0;
        f2l_notes_add(&nfa->notes, "is a state without an infinite run, which does not accept",
                      name, strlen(name), r->flags[q].line, r->flags[q].column);
    }
    f2l_free(dead);
    return F2L_OK;
}

static f2l_status read_hoa_file(reader *r, f2l_error *err)
{
    f2l_hoa_header *h = &r->header;
    f2l_status status = f2l_hoa_header_read(h, err);
    if (status != F2L_OK) return status;
    r->state_set = f2l_calloc(h->labels.words, sizeof *r->state_set);
    r->edge_set = f2l_calloc(h->labels.words, sizeof *r->edge_set);
    if (r->state_set == NULL || r->edge_set == NULL) return f2l_fail_memory(err);
    status = f2l_hoa_add_letters(r->nfa, &h->propositions, err);
    if (status == F2L_OK) status = read_body(r, err);
    if (status == F2L_OK) status = finish_hoa_file(r, err);
    if (status == F2L_OK) status = add_states(r, err);
    if (status == F2L_OK && !h->marks && !h->finite) status = reject_dead_ends(r, err);
    f2l_import_source(r->nfa, "HOA");
    return status;
}

f2l_status f2l_import_hoa(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err)
{
    reader r = {.nfa = out};
    f2l_hoa_header_init(&r.header);
    r.header.lexer = f2l_cursor_start(bytes, size);
    r.header.finite = options != NULL && options->finite;
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK) status = read_hoa_file(&r, err);
    f2l_hoa_header_clear(&r.header);
    f2l_free(r.flags);
    f2l_free(r.state_set);
    f2l_free(r.edge_set);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
