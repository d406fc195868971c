/* The group form of `.fsa`: letters as permutations in cycle notation. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Largest number of images of all letters together, because a short `permute` line gives an image
 * for every point. */
#define MAX_IMAGES ((size_t)1 << 28)

f2l_status f2l_group_begin(f2l_reader *r)
{
    static const struct {
        f2l_directive directive;
        const char *text;
    } foreign[] = {
        {F2L_LETTERS, "`letters` does not belong to the group form: the `permute` lines name the "
                      "letters"},
        {F2L_STATES,
         "`states` does not belong to the group form: the states are the points or the group "
         "elements"},
        {F2L_ADDED, "`fsa added` does not belong to the group form, in which nothing is missing"},
        {F2L_START, "`start` does not belong to the group form: `track` says where it starts"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const f2l_position *at = &r->given[foreign[i].directive];
        if (at->line) return f2l_fail_at(r->err, at->line, at->column, "%s", foreign[i].text);
    }
    const f2l_position *body = &r->body;
    if (!r->given[F2L_POINTS].line)
        return f2l_fail_at(r->err, body->line, body->column,
                           "expected `points NUMBER` before the permutations");
    if (!r->given[F2L_TRACK].line)
        return f2l_fail_at(r->err, body->line, body->column,
                           "expected `track elements` or `track points START` before the "
                           "permutations");
    const f2l_position *start = &r->start_point_at;
    if (r->track == F2L_TRACK_POINTS && (r->start_point == 0 || r->start_point > r->points))
        return f2l_fail_at(r->err, start->line, start->column,
                           "the start point is out of range: expected one of 1..%zu", r->points);
    r->nfa->is_group = true;
    r->nfa->group.points = r->points;
    r->nfa->group.track = r->track;
    return F2L_OK;
}

static f2l_status add_letter(f2l_reader *r, const f2l_token *token)
{
    f2l_names *letters = &r->nfa->group.letters;
    const size_t before = letters->count;
    size_t index;
    f2l_status status = f2l_reader_name(r, token, "a letter");
    if (status == F2L_OK) status = f2l_names_add(letters, token->text, token->size, &index, r->err);
    if (status != F2L_OK || letters->count > before) return status;
    char shown[F2L_SHOWN];
    return f2l_fail_at(r->err, r->lex.line, token->column,
                       "expected one permutation for a letter: a second for `%s`",
                       f2l_shown(shown, token->text, token->size));
}

static f2l_status reserve_row(f2l_reader *r, size_t rows)
{
    f2l_fsa *group = &r->nfa->group;
    if (rows <= r->perm_capacity) return F2L_OK;
    size_t images;
    if (!f2l_mul_size(&images, rows, r->points) || images > MAX_IMAGES)
        return f2l_fail_at(r->err, r->lex.line, r->lex.token->column,
                           "%zu letters on %zu points are too many", rows, r->points);
    const size_t doubled = 2 * r->perm_capacity, most = MAX_IMAGES / r->points;
    const size_t capacity = doubled > rows && doubled <= most ? doubled : rows;
    f2l_status status = f2l_task_memory(r->task, "permutations",
                                        capacity * r->points * sizeof *group->perm, r->err);
    if (status != F2L_OK) return status;
    uint32_t *perm = f2l_realloc(group->perm, capacity * r->points, sizeof *perm);
    if (!perm) return f2l_fail_memory(r->err);
    group->perm = perm;
    r->perm_capacity = capacity;
    return F2L_OK;
}

f2l_status f2l_group_line(f2l_reader *r)
{
    const f2l_token *token = r->lex.token;
    if (r->lex.count < 3)
        return f2l_fail_at(r->err, r->lex.line, token->column,
                           "expected `permute LETTER CYCLES`, as in permute a (1 2 3)");
    f2l_status status = add_letter(r, &token[1]);
    if (status == F2L_OK) status = reserve_row(r, r->nfa->group.letters.count);
    if (status != F2L_OK) return status;
    uint32_t *image = r->nfa->group.perm + (r->nfa->group.letters.count - 1) * r->points;
    f2l_perm_begin(image, r->points);
    for (size_t i = 2; i < r->lex.count && status == F2L_OK; i++) {
        const f2l_token *cycle = &token[i];
        size_t used;
        if (cycle->kind == F2L_TOKEN_CYCLE)
            status = f2l_perm_cycle(image, r->points, cycle->text, cycle->size, &used, r->lex.line,
                                    cycle->column, r->err);
        else
            status = f2l_fail_at(r->err, r->lex.line, cycle->column,
                                 "expected a cycle such as (1 2 3), or () for the identity");
    }
    f2l_perm_finish(image, r->points);
    return status;
}

static f2l_status check_group_outputs(f2l_reader *r)
{
    const f2l_fsa *group = &r->nfa->group;
    for (size_t s = 0; group->output && s < group->states.count; s++) {
        if (group->output[s] != UINT32_MAX) continue;
        char shown[F2L_SHOWN];
        const char *name = f2l_names_get(&group->states, s);
        const f2l_position *at = &r->given[F2L_OUTPUT];
        return f2l_fail_at(r->err, at->line, at->column,
                           "expected an output for every state: `%s` has none",
                           f2l_shown(shown, name, strlen(name)));
    }
    return F2L_OK;
}

static f2l_status allocate_outputs(f2l_reader *r)
{
    f2l_fsa *group = &r->nfa->group;
    if (r->labels.count == 0) return F2L_OK;
    group->outputs = r->labels;
    f2l_names_init(&r->labels);
    group->output = f2l_calloc(group->states.count, sizeof *group->output);
    if (!group->output) return f2l_fail_memory(r->err);
    memset(group->output, 0xFF, group->states.count * sizeof *group->output);
    return F2L_OK;
}

f2l_status f2l_group_finish(f2l_reader *r)
{
    f2l_fsa *group = &r->nfa->group;
    if (group->letters.count == 0)
        return f2l_fail_at(r->err, r->body.line, r->body.column,
                           "no letters: expected `permute LETTER CYCLES`");
    const size_t start = r->track == F2L_TRACK_POINTS ? r->start_point - 1 : 0;
    f2l_status status = f2l_fsa_from_permutations(group, start, r->max_states, r->task, r->err);
    if (status == F2L_OK) status = allocate_outputs(r);
    if (status != F2L_OK) return status;
    group->has_accept = r->given[F2L_ACCEPT].line != 0;
    const char *hint = r->track == F2L_TRACK_POINTS
                           ? ": the states are the points, named by their numbers"
                           : ": the states are the group elements, named by their cycles";
    status = f2l_reader_apply(r, &group->states, NULL, group->accept, group->output, hint);
    if (status == F2L_OK) status = check_group_outputs(r);
    return status == F2L_OK ? f2l_fsa_number_outputs(group, r->err) : status;
}
