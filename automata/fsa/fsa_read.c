/* The reader of `.fsa` text.
 *
 *     file      = [ "fsa" "1" NL ] { directive NL } ( { edge NL } | { perm NL } )
 *     directive = "letters" NAME+ | "states" NAME+ | "start" NAME+ | "accept" NAME*
 *               | "output" STATE LABEL | "points" INT | "track" ( "elements" | "points" START )
 *               | "fsa" "added" STATE "source" SHA256
 *     edge      = STATE LETTER STATE [OUTPUT]   LETTER may be a bare eps: epsilon; all edges have
 *                                               an OUTPUT, or none
 *     perm      = "permute" LETTER CYCLES       CYCLES: "()" or "(1 2 3)(4 5)"
 *
 * A directive's bare word at the head of a line is that directive; anywhere else it is a name.
 * States and letters are numbered by declaration, else by first appearance. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Limit on the points of a file: far beyond what can be tracked, and checked before anything of
 * that size is allocated. */
#define MAX_POINTS 16000000

static const struct {
    const char *word, *usage;
    size_t min_tokens, max_tokens;
} syntax[F2L_DIRECTIVES] = {
    [F2L_LETTERS] = {"letters", "letters NAME ...", 2, SIZE_MAX},
    [F2L_STATES] = {"states", "states NAME ...", 2, SIZE_MAX},
    [F2L_START] = {"start", "start STATE ...", 2, SIZE_MAX},
    [F2L_ACCEPT] = {"accept", "accept STATE ...", 1, SIZE_MAX},
    [F2L_OUTPUT] = {"output", "output STATE LABEL", 3, 3},
    [F2L_POINTS] = {"points", "points NUMBER", 2, 2},
    [F2L_TRACK] = {"track", "track elements` or `track points START", 2, 3},
    [F2L_ADDED] = {"fsa", "fsa added STATE source SHA256", 5, 5},
};

static f2l_position position_of(const f2l_reader *r, const f2l_token *token)
{
    return (f2l_position){r->lex.line, token->column};
}

f2l_status f2l_reader_name(f2l_reader *r, const f2l_token *token, const char *what)
{
    if (token->kind != F2L_TOKEN_CYCLE) return F2L_OK;
    return f2l_fail_at(r->err, r->lex.line, token->column,
                       "expected %s; a name with parentheses is written in quotes", what);
}

static f2l_directive directive_of(const f2l_token *token)
{
    size_t d = 0;
    while (d < F2L_DIRECTIVES && !f2l_token_is(token, syntax[d].word)) d++;
    return (f2l_directive)d;
}

static f2l_status read_declarations(f2l_reader *r, f2l_names *names, const char *what)
{
    for (size_t i = 1; i < r->lex.count; i++) {
        const f2l_token *token = &r->lex.token[i];
        const size_t before = names->count;
        size_t index;
        f2l_status status = f2l_reader_name(r, token, what);
        if (status == F2L_OK)
            status = f2l_names_add(names, token->text, token->size, &index, r->err);
        if (status != F2L_OK) return status;
        if (names->count > before) continue;
        char shown[F2L_SHOWN];
        return f2l_fail_at(r->err, r->lex.line, token->column,
                           "expected distinct names: %s `%s` is declared twice", what,
                           f2l_shown(shown, token->text, token->size));
    }
    return F2L_OK;
}

static f2l_status add_mark(f2l_reader *r, f2l_directive directive, const f2l_token *state,
                           size_t label)
{
    size_t name;
    f2l_status status = f2l_reader_name(r, state, "a state");
    if (status == F2L_OK)
        status = f2l_names_add(&r->mentioned, state->text, state->size, &name, r->err);
    if (status != F2L_OK) return status;
    if (!f2l_grow((void **)&r->mark, &r->mark_capacity, r->marks, sizeof *r->mark))
        return f2l_fail_memory(r->err);
    r->mark[r->marks++] =
        (f2l_mark){directive, (uint32_t)name, (uint32_t)label, position_of(r, state)};
    return F2L_OK;
}

static f2l_status read_states(f2l_reader *r, f2l_directive directive)
{
    f2l_status status = F2L_OK;
    for (size_t i = 1; i < r->lex.count && status == F2L_OK; i++)
        status = add_mark(r, directive, &r->lex.token[i], 0);
    return status;
}

static f2l_status read_output(f2l_reader *r)
{
    const f2l_token *label = &r->lex.token[2];
    size_t index = 0;
    f2l_status status = f2l_reader_name(r, label, "a label");
    if (status == F2L_OK)
        status = f2l_names_add(&r->labels, label->text, label->size, &index, r->err);
    return status == F2L_OK ? add_mark(r, F2L_OUTPUT, &r->lex.token[1], index) : status;
}

static f2l_status read_point_count(f2l_reader *r)
{
    const f2l_token *token = &r->lex.token[1];
    const f2l_status status =
        f2l_token_size(&r->lex, token, MAX_POINTS, "the number of points", &r->points, r->err);
    if (status == F2L_OK && r->points == 0)
        return f2l_fail_at(r->err, r->lex.line, token->column, "expected at least 1 point");
    return status;
}

static f2l_status read_track(f2l_reader *r)
{
    const f2l_token *token = r->lex.token;
    if (r->lex.count == 2 && f2l_token_is(&token[1], "elements")) {
        r->track = F2L_TRACK_ELEMENTS;
        return F2L_OK;
    }
    if (r->lex.count != 3 || !f2l_token_is(&token[1], "points"))
        return f2l_fail_at(r->err, r->lex.line, token[1].column, "expected `%s`",
                           syntax[F2L_TRACK].usage);
    r->track = F2L_TRACK_POINTS;
    r->start_point_at = position_of(r, &token[2]);
    return f2l_token_size(&r->lex, &token[2], MAX_POINTS, "the start point", &r->start_point,
                          r->err);
}

/* Reads the line of the added state; f2l_added_check looks at the state when all edges are known.
 */
static f2l_status read_added(f2l_reader *r)
{
    const f2l_token *token = r->lex.token;
    const f2l_token *hash = &token[4];
    if (!f2l_token_is(&token[1], "added") || !f2l_token_is(&token[3], "source"))
        return f2l_fail_at(r->err, r->lex.line, token[1].column, "expected `%s`",
                           syntax[F2L_ADDED].usage);
    if (!f2l_added_is_hash(hash))
        return f2l_fail_at(r->err, r->lex.line, hash->column,
                           "expected a SHA-256, 64 hexadecimal digits in lower case");
    memcpy(r->nfa->added_source, hash->text, 64);
    return add_mark(r, F2L_ADDED, &token[2], 0);
}

static f2l_status read_directive(f2l_reader *r, f2l_directive d)
{
    const f2l_token *token = r->lex.token;
    const size_t line = r->lex.line;
    if (r->body.line)
        return f2l_fail_at(r->err, line, token->column,
                           "`%s` lines come before the first edge or permutation (line %zu)",
                           syntax[d].word, r->body.line);
    if (r->given[d].line && d != F2L_OUTPUT)
        return f2l_fail_at(r->err, line, token->column,
                           "expected one `%s` line; the first is line %zu", syntax[d].word,
                           r->given[d].line);
    if (!r->given[d].line) r->given[d] = position_of(r, token);
    if (r->lex.count < syntax[d].min_tokens)
        return f2l_fail_at(r->err, line, token->column, "expected `%s`", syntax[d].usage);
    if (r->lex.count > syntax[d].max_tokens)
        return f2l_fail_at(r->err, line, token[syntax[d].max_tokens].column,
                           "expected the end of the line after `%s`", syntax[d].usage);
    switch (d) {
    case F2L_LETTERS:
        return read_declarations(r, &r->nfa->letters, "letter");
    case F2L_STATES:
        return read_declarations(r, &r->nfa->states, "state");
    case F2L_OUTPUT:
        return read_output(r);
    case F2L_POINTS:
        return read_point_count(r);
    case F2L_TRACK:
        return read_track(r);
    case F2L_ADDED:
        return read_added(r);
    case F2L_START:
    case F2L_ACCEPT:
    case F2L_DIRECTIVES:
        break;
    }
    return read_states(r, d);
}

/* Numbers the states. Without a `states` line, states that a directive mentioned come first, so
 * that their numbers agree. */
static f2l_status begin_edges(f2l_reader *r)
{
    const f2l_position *at = &r->body;
    if (r->given[F2L_POINTS].line || r->given[F2L_TRACK].line) {
        const f2l_directive d = r->given[F2L_POINTS].line ? F2L_POINTS : F2L_TRACK;
        return f2l_fail_at(r->err, at->line, at->column,
                           "expected `permute LETTER CYCLES`, as line %zu (`%s`) begins the group "
                           "form",
                           r->given[d].line, syntax[d].word);
    }
    if (!r->given[F2L_START].line)
        return f2l_fail_at(r->err, at->line, at->column,
                           "no start state: expected `start STATE ...` before the edges");
    if (r->given[F2L_STATES].line) return F2L_OK;
    r->in_edge = f2l_calloc(r->mentioned.count, sizeof *r->in_edge);
    if (!r->in_edge) return f2l_fail_memory(r->err);
    return f2l_names_copy(&r->nfa->states, &r->mentioned, r->err);
}

static f2l_status find_name(f2l_reader *r, size_t *index, f2l_names *names, f2l_directive declared,
                            const f2l_token *token, const char *what)
{
    const f2l_status status = f2l_reader_name(r, token, what);
    if (status != F2L_OK) return status;
    if (!r->given[declared].line)
        return f2l_names_add(names, token->text, token->size, index, r->err);
    *index = f2l_names_find(names, token->text, token->size);
    if (*index != F2L_NO_INDEX) return F2L_OK;
    char shown[F2L_SHOWN];
    return f2l_fail_at(r->err, r->lex.line, token->column,
                       "unknown %s `%s`: expected one that line %zu declares", what,
                       f2l_shown(shown, token->text, token->size), r->given[declared].line);
}

/* Sets the output of the edges from number `first` on. */
static f2l_status read_edge_output(f2l_reader *r, const f2l_token *token, size_t first)
{
    f2l_nfa *nfa = r->nfa;
    size_t index = 0;
    f2l_status status = f2l_reader_name(r, token, "an output");
    if (status == F2L_OK)
        status = f2l_names_add(&nfa->edge_outputs, token->text, token->size, &index, r->err);
    for (size_t e = first; e < nfa->edges; e++) nfa->edge[e].output = (uint32_t)index;
    return status;
}

/* Returns whether the token may stand for several letters: a name in brackets, or a list where
 * letters are declared. */
static bool may_be_set(const f2l_reader *r, const f2l_token *token)
{
    if (token->kind != F2L_TOKEN_BARE) return false;
    if (f2l_letter_set_is(token->text, token->size)) return true;
    return r->given[F2L_LETTERS].line &&
           (memchr(token->text, ',', token->size) || memchr(token->text, '|', token->size));
}

/* Lists the letters that the token stands for; none: it is one name, as all declared names are. */
static f2l_status read_letter_set(f2l_reader *r, f2l_names *set, const f2l_token *token)
{
    const f2l_names *letters = &r->nfa->letters;
    const size_t declared = r->given[F2L_LETTERS].line;
    f2l_error why = {0};
    if (!may_be_set(r, token) ||
        (declared && f2l_names_find(letters, token->text, token->size) != F2L_NO_INDEX))
        return F2L_OK;
    const bool brackets = f2l_letter_set_is(token->text, token->size);
    const f2l_status status = brackets ? f2l_letter_set_read(set, token->text, token->size, &why)
                                       : f2l_letter_list_read(set, token->text, token->size, &why);
    if (status == F2L_EFORMAT)
        return f2l_fail_at(r->err, r->lex.line, token->column, "%s", why.text);
    if (status != F2L_OK) return f2l_fail_memory(r->err);
    for (size_t i = 0; declared && i < set->count; i++) {
        const char *name = f2l_names_get(set, i);
        if (f2l_names_find(letters, name, strlen(name)) != F2L_NO_INDEX) continue;
        if (brackets)
            return f2l_fail_at(r->err, r->lex.line, token->column,
                               "unknown letter `%s` in a set: expected ones that line %zu declares",
                               name, declared);
        f2l_names_clear(set); /* find_name refuses the token as one name */
    }
    return F2L_OK;
}

/* Notes a bare name that is one letter here, and could be meant as the empty word or as a list. */
static f2l_status note_letter(f2l_reader *r, const f2l_token *label)
{
    static const char epsilon[] = "was read as a letter; `eps` is the empty word, and quotes make "
                                  "any name a letter",
                      list[] = "was read as one letter; after a line `letters` it is several, and "
                               "quotes make any name a letter";
    f2l_names parts;
    if (label->kind != F2L_TOKEN_BARE || r->given[F2L_LETTERS].line) return F2L_OK;
    f2l_names_init(&parts);
    const f2l_status status = f2l_letter_list_read(&parts, label->text, label->size, r->err);
    const char *text = f2l_letter_may_be_epsilon(label->text, label->size) ? epsilon
                       : parts.count > 0                                   ? list
                                                                           : NULL;
    if (text)
        f2l_notes_add(&r->nfa->notes, text, label->text, label->size, r->lex.line, label->column);
    f2l_names_clear(&parts);
    return status;
}

/* Adds the edges that a line describes: one, or one for each letter of a set. */
static f2l_status add_line_edges(f2l_reader *r, size_t from, const f2l_token *label, size_t to)
{
    f2l_nfa *nfa = r->nfa;
    size_t letter = F2L_EPSILON;
    f2l_names set;
    f2l_names_init(&set);
    f2l_status status = read_letter_set(r, &set, label);
    if (status == F2L_OK && set.count > 0) {
        status = f2l_set_edges_add(&r->set_edges, nfa, from, &set, to, label->text, label->size,
                                   r->lex.line, label->column, r->err);
    } else if (status == F2L_OK) {
        if (!f2l_token_is(label, "eps")) {
            status = note_letter(r, label);
            if (status == F2L_OK)
                status = find_name(r, &letter, &nfa->letters, F2L_LETTERS, label, "letter");
        }
        if (status == F2L_OK) status = f2l_nfa_add_edge(nfa, from, letter, to, r->err);
    }
    f2l_names_clear(&set);
    return status;
}

static f2l_status read_fsa_edge(f2l_reader *r)
{
    const f2l_token *token = r->lex.token;
    if (r->lex.count < 3)
        return f2l_fail_at(r->err, r->lex.line, token->column,
                           r->body.line ? "expected an edge, `STATE LETTER STATE`"
                                        : "expected a directive or an edge, `STATE LETTER STATE`");
    if (r->lex.count > 4)
        return f2l_fail_at(r->err, r->lex.line, token[4].column,
                           "expected the end of the line after STATE LETTER STATE OUTPUT");
    if (r->body.line && (r->lex.count == 4) != (r->nfa->edge_outputs.count > 0))
        return f2l_fail_at(
            r->err, r->lex.line, token[r->lex.count - 1].column,
            r->lex.count == 4
                ? "expected the end of the line after STATE LETTER STATE: line %zu has no output"
                : "expected an output, `STATE LETTER STATE OUTPUT`, as line %zu has one",
            r->body.line);
    if (!r->body.line) {
        r->body = position_of(r, token);
        const f2l_status status = begin_edges(r);
        if (status != F2L_OK) return status;
    }
    f2l_nfa *nfa = r->nfa;
    const size_t first = nfa->edges;
    size_t from, to;
    f2l_status status = find_name(r, &from, &nfa->states, F2L_STATES, &token[0], "state");
    if (status == F2L_OK) status = find_name(r, &to, &nfa->states, F2L_STATES, &token[2], "state");
    if (status != F2L_OK) return status;
    if (r->in_edge) {
        if (from < r->mentioned.count) r->in_edge[from] = 1;
        if (to < r->mentioned.count) r->in_edge[to] = 1;
    }
    status = add_line_edges(r, from, &token[1], to);
    return status == F2L_OK && r->lex.count == 4 ? read_edge_output(r, &token[3], first) : status;
}

static f2l_status fail_mark(f2l_reader *r, const f2l_mark *mark, const char *format_before,
                            const char *after)
{
    char shown[F2L_SHOWN];
    const char *name = f2l_names_get(&r->mentioned, mark->name);
    return f2l_fail_at(r->err, mark->at.line, mark->at.column, "%s `%s`%s", format_before,
                       f2l_shown(shown, name, strlen(name)), after);
}

f2l_status f2l_reader_apply(f2l_reader *r, const f2l_names *states, uint8_t *is_start,
                            uint8_t *accept, uint32_t *output, const char *hint)
{
    for (size_t i = 0; i < r->marks; i++) {
        const f2l_mark *mark = &r->mark[i];
        const char *name = f2l_names_get(&r->mentioned, mark->name);
        const size_t s = f2l_names_find(states, name, strlen(name));
        if (s == F2L_NO_INDEX || (r->in_edge && !r->in_edge[mark->name]))
            return fail_mark(r, mark, "unknown state", hint);
        if (mark->directive == F2L_ADDED) {
            r->nfa->has_added = true;
            r->nfa->added = s;
            continue;
        }
        if (mark->directive == F2L_OUTPUT) {
            if (output[s] != UINT32_MAX)
                return fail_mark(r, mark, "expected one output for a state: a second for", "");
            output[s] = mark->label;
            continue;
        }
        uint8_t *bit = mark->directive == F2L_START ? &is_start[s] : &accept[s];
        if (*bit) return fail_mark(r, mark, "expected distinct states: a second", "");
        *bit = 1;
    }
    return F2L_OK;
}

static f2l_status finish_edges(f2l_reader *r)
{
    f2l_nfa *nfa = r->nfa;
    if (nfa->letters.count == 0)
        return f2l_fail_at(r->err, r->body.line, r->body.column,
                           "no letters: expected a `letters` line or edges with letters");
    f2l_status status = f2l_set_edges_check(&r->set_edges, nfa, r->err);
    if (status != F2L_OK) return status;
    nfa->has_accept = r->given[F2L_ACCEPT].line != 0;
    nfa->outputs = r->labels;
    f2l_names_init(&r->labels);
    status = f2l_nfa_close_states(nfa, r->err);
    if (status != F2L_OK) return status;
    status = f2l_reader_apply(r, &nfa->states, nfa->is_start, nfa->accept, nfa->output,
                              r->in_edge ? ": it occurs in no edge"
                                         : ": the `states` line does not declare it");
    return status == F2L_OK && nfa->has_added ? f2l_added_check(r) : status;
}

static f2l_status read_line(f2l_reader *r, bool first)
{
    const f2l_token *token = r->lex.token;
    const bool added = r->lex.count > 1 && f2l_token_is(&token[1], "added");
    if (f2l_token_is(token, "fsa") && !added) {
        if (first && r->lex.count == 2 && f2l_token_is(&token[1], "1")) return F2L_OK;
        return f2l_fail_at(r->err, r->lex.line, token->column,
                           first ? "expected `fsa 1`: this reads version 1 of the format"
                                 : "`fsa 1` can only be the first line");
    }
    const f2l_directive d = directive_of(token);
    if (d < F2L_DIRECTIVES) return read_directive(r, d);
    if (f2l_token_is(token, "permute")) {
        if (!r->body.line) {
            r->body = position_of(r, token);
            const f2l_status status = f2l_group_begin(r);
            if (status != F2L_OK) return status;
        }
        if (r->nfa->is_group) return f2l_group_line(r);
        return f2l_fail_at(r->err, r->lex.line, token->column,
                           "expected an edge: `permute` belongs to the group form, and line %zu is "
                           "an edge",
                           r->body.line);
    }
    if (r->nfa->is_group)
        return f2l_fail_at(r->err, r->lex.line, token->column, "expected `permute LETTER CYCLES`");
    return read_fsa_edge(r);
}

/* Finishes the file; its directives choose the form when it has neither edges nor permutations. */
static f2l_status finish_fsa_file(f2l_reader *r, size_t last_line)
{
    if (last_line == 0)
        return f2l_fail_at(r->err, 1, 1,
                           "the file is empty: expected directives such as `start STATE`, then "
                           "edges");
    if (!r->body.line) {
        r->body = (f2l_position){last_line + 1, 1};
        const bool group = r->given[F2L_POINTS].line || r->given[F2L_TRACK].line;
        const f2l_status status = group ? f2l_group_begin(r) : begin_edges(r);
        if (status != F2L_OK) return status;
    }
    return r->nfa->is_group ? f2l_group_finish(r) : finish_edges(r);
}

static f2l_status read_fsa_lines(f2l_reader *r)
{
    size_t last_line = 0;
    for (size_t lines = 0;; lines++) {
        bool more;
        f2l_status status = f2l_lex_line(&r->lex, &more, r->err);
        if (status == F2L_OK && !more) return finish_fsa_file(r, last_line);
        if (status == F2L_OK) status = read_line(r, lines == 0);
        if (status == F2L_OK && lines % 65536 == 0)
            status =
                f2l_task_poll(r->task, "reading", (double)r->lex.at, (double)r->lex.size, r->err);
        if (status != F2L_OK) return status;
        last_line = r->lex.line;
    }
}

f2l_status f2l_fsa_read(f2l_nfa *out, const char *bytes, size_t size, size_t max_states,
                        const f2l_task *task, f2l_error *err)
{
    f2l_reader r = {.nfa = out, .max_states = max_states, .task = task, .err = err};
    f2l_lex_init(&r.lex, bytes, size);
    f2l_names_init(&r.mentioned);
    f2l_names_init(&r.labels);
    memcpy(out->source, "fsa", sizeof "fsa");
    const f2l_status status = read_fsa_lines(&r);
    if (status != F2L_OK) f2l_nfa_clear(out);
    f2l_lex_clear(&r.lex);
    f2l_names_clear(&r.mentioned);
    f2l_names_clear(&r.labels);
    f2l_free(r.mark);
    f2l_free(r.in_edge);
    f2l_set_edges_clear(&r.set_edges);
    return status;
}
