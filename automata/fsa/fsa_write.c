#include "automata/fsa/fsa.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/perm.h"

static void write_all_names(f2l_buf *out, const char *word, const f2l_names *names)
{
    f2l_buf_text(out, word);
    for (size_t i = 0; i < names->count; i++) {
        f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(names, i));
    }
    f2l_buf_text(out, "\n");
}

static void write_labels(f2l_buf *out, const f2l_fsa *fsa)
{
    if (fsa->has_accept) {
        f2l_buf_text(out, "accept");
        for (size_t s = 0; s < fsa->states.count; s++) {
            if (!fsa->accept[s]) continue;
            f2l_buf_text(out, " ");
            f2l_buf_name(out, f2l_names_get(&fsa->states, s));
        }
        f2l_buf_text(out, "\n");
    }
    if (fsa->outputs.count == 0) return;
    for (size_t s = 0; s < fsa->states.count; s++) {
        f2l_buf_text(out, "output ");
        f2l_buf_name(out, f2l_names_get(&fsa->states, s));
        f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(&fsa->outputs, fsa->output[s]));
        f2l_buf_text(out, "\n");
    }
}

static void write_edge_form(f2l_buf *out, const f2l_fsa *fsa)
{
    write_all_names(out, "letters", &fsa->letters);
    write_all_names(out, "states", &fsa->states);
    f2l_buf_text(out, "start ");
    f2l_buf_name(out, f2l_names_get(&fsa->states, fsa->start));
    f2l_buf_text(out, "\n");
    if (fsa->has_added) f2l_added_write(out, &fsa->states, fsa->added, fsa->source);
    write_labels(out, fsa);
    const uint32_t *next = fsa->next;
    for (size_t s = 0; s < fsa->states.count; s++)
        for (size_t a = 0; a < fsa->letters.count; a++, next++) {
            f2l_buf_name(out, f2l_names_get(&fsa->states, s));
            f2l_buf_text(out, " ");
            f2l_buf_name(out, f2l_names_get(&fsa->letters, a));
            f2l_buf_text(out, " ");
            f2l_buf_name(out, f2l_names_get(&fsa->states, *next));
            if (fsa->edge_output) {
                f2l_buf_text(out, " ");
                f2l_buf_name(out,
                             f2l_names_get(&fsa->edge_outputs, fsa->edge_output[next - fsa->next]));
            }
            f2l_buf_text(out, "\n");
        }
}

static void write_group_form(f2l_buf *out, const f2l_fsa *fsa)
{
    f2l_buf_text(out, "points ");
    f2l_buf_size(out, fsa->points);
    if (fsa->track == F2L_TRACK_POINTS) {
        f2l_buf_text(out, "\ntrack points ");
        f2l_buf_size(out, fsa->start + 1);
        f2l_buf_text(out, "\n");
    } else {
        f2l_buf_text(out, "\ntrack elements\n");
    }
    write_labels(out, fsa);
    for (size_t a = 0; a < fsa->letters.count; a++) {
        f2l_buf_text(out, "permute ");
        f2l_buf_name(out, f2l_names_get(&fsa->letters, a));
        f2l_buf_text(out, " ");
        f2l_perm_write(out, fsa->perm + a * fsa->points, fsa->points);
        f2l_buf_text(out, "\n");
    }
}

f2l_status f2l_fsa_write(f2l_buf *out, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_buf_text(out, "fsa 1\n");
    if (fsa->track == F2L_TRACK_STATES)
        write_edge_form(out, fsa);
    else
        write_group_form(out, fsa);
    return f2l_buf_status(out, err);
}
