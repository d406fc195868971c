#include "reports/html/learned_part.h"
#include "models/doors/checkpoint/checkpoint.h"
#include "models/learn/inspect/inspect.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/page/drawn_matrix.h"
#include "reports/page/letters_title.h"
#include <string.h>

#define HEADS ((size_t)8)
#define CARDS ((size_t)24)
#define BYTES ((size_t)1 << 20)

/* Fills the matrix of a letter: A applied to the unit vectors. */
static void fill_learned_matrix(f2l_drawn_matrix *m, const f2l_inspect *inspect, size_t head,
                                size_t letter)
{
    const size_t n = m->rows;
    double unit[F2L_DRAWN_ROWS * F2L_DRAWN_ROWS] = {0};
    for (size_t i = 0; i < n; i++) unit[i * n + i] = 1;
    f2l_inspect_apply(unit, inspect, head, letter, n);
    for (size_t i = 0; i < n * n; i++) m->number[i].value = unit[i];
}

static f2l_status draw_letter(f2l_page *page, const f2l_inspect *inspect, size_t head,
                              size_t letter, const f2l_names *letters, f2l_error *err)
{
    f2l_drawn_matrix m;
    f2l_letters_title t;
    f2l_letters_title_init(&t);
    f2l_letters_title_add(&t, letters, letter, page->part);
    f2l_status status = f2l_drawn_matrix_init(&m, inspect->key_dim, 0, err);
    if (status == F2L_OK) {
        fill_learned_matrix(&m, inspect, head, letter);
        status = f2l_drawn_matrix_solve(&m, err);
    }
    if (status == F2L_OK) status = f2l_buf_status(&t.title, err);
    if (status == F2L_OK) f2l_matrix_card(page, &m, t.title.data, t.classes.data);
    f2l_drawn_matrix_clear(&m);
    f2l_letters_title_clear(&t);
    return status;
}

static f2l_status draw_heads(f2l_page *page, const f2l_inspect *inspect, const f2l_names *letters,
                             f2l_error *err)
{
    const size_t begin = page->html.size;
    f2l_status status = F2L_OK;
    bool folded = false;
    if (inspect->key_dim > F2L_DRAWN_ROWS) {
        f2l_page_about_drawing(page, "Matrices of more than %d rows are not drawn.",
                               F2L_DRAWN_ROWS);
        return F2L_OK;
    }
    for (size_t h = 0; h < inspect->heads && status == F2L_OK; h++) {
        if (h == HEADS || page->html.size - begin > BYTES) {
            f2l_page_about_drawing(page, "The matrices of head %zu and further ones are not drawn.",
                                   h + 1);
            break;
        }
        if (h == 2) f2l_page_fold(page, "Further heads", false);
        folded |= h == 2;
        f2l_page_subheading(page, "Head %zu", h + 1);
        f2l_page_raw(page, "<div class=\"cards\">\n");
        for (size_t a = 0; a < letters->count && a < CARDS && status == F2L_OK; a++)
            status = draw_letter(page, inspect, h, a, letters, err);
        f2l_page_raw(page, "</div>\n");
        f2l_buf_text(&page->md, "\n");
    }
    if (folded) f2l_page_fold_end(page);
    if (letters->count > CARDS)
        f2l_page_about_drawing(page, "The first %zu of %zu letters are drawn.", CARDS,
                               letters->count);
    return status;
}

static f2l_status build_learned_inspect(f2l_inspect *inspect, const f2l_checkpoint *trained,
                                        f2l_error *err)
{
    const size_t count = trained->model.parameters;
    double *parameters = f2l_calloc(count, sizeof *parameters);
    if (!parameters) return f2l_fail_memory(err);
    for (size_t i = 0; i < count; i++) parameters[i] = (double)trained->parameters[i];
    const f2l_status status =
        f2l_inspect_build(inspect, &trained->model, parameters, NULL, NULL, err);
    f2l_free(parameters);
    return status;
}

f2l_status f2l_learned_part(f2l_page *page, const char *folder, const f2l_names *letters,
                            f2l_error *err)
{
    f2l_checkpoint trained;
    f2l_inspect inspect;
    if (!f2l_path_has(folder, "weights.safetensors")) return F2L_OK;
    f2l_checkpoint_init(&trained);
    f2l_inspect_init(&inspect);
    f2l_page_section(page, "matrices", "What each letter learned to do");
    f2l_status status = f2l_checkpoint_read(&trained, folder, err);
    if (status == F2L_OK) status = build_learned_inspect(&inspect, &trained, err);
    if (status == F2L_OK && inspect.heads > 0 && letters->count <= inspect.letters) {
        f2l_page_say(page, "Reading a letter multiplies the state of a head of the first layer by "
                           "a matrix. The numbers are floating point: a description, not a "
                           "proof.");
        f2l_page_key(page);
        status = draw_heads(page, &inspect, letters, err);
    } else if (status != F2L_ENOMEM) {
        f2l_page_about_drawing(page, "The transitions are not drawn: %s.",
                               status == F2L_OK ? "they are no matrices of letters" : err->text);
        status = F2L_OK;
    }
    f2l_inspect_clear(&inspect);
    f2l_checkpoint_clear(&trained);
    return status;
}
