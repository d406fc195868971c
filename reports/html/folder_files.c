#include "reports/html/folder_files.h"
#include "automata/fsa/nfa.h"
#include "reports/html/automaton_part.h"

#define MOST_BYTES ((size_t)8 << 20)
#define MOST_STATES ((size_t)200000)

f2l_status f2l_folder_bytes(f2l_buf *bytes, const char *folder, const char *name, size_t most,
                            f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK && f2l_read_file(bytes, path.data, most, err) != F2L_OK) {
        f2l_buf_clear(bytes);
        status = err->status == F2L_ENOMEM ? F2L_ENOMEM : F2L_OK;
    }
    f2l_buf_clear(&path);
    return status;
}

static f2l_status parse_drawn_fsa(f2l_fsa *fsa, const f2l_buf *bytes, f2l_error *err)
{
    f2l_nfa nfa;
    f2l_total_report report;
    const f2l_total_options options = {.max_states = MOST_STATES};
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_fsa_read(&nfa, bytes->data, bytes->size, MOST_STATES, NULL, err);
    if (status == F2L_OK) status = f2l_nfa_total(fsa, &report, &nfa, &options, NULL, err);
    f2l_nfa_clear(&nfa);
    return status;
}

f2l_status f2l_folder_automaton(f2l_page *page, const char *folder, f2l_names *letters,
                                f2l_error *err)
{
    f2l_fsa fsa;
    f2l_buf bytes;
    f2l_fsa_init(&fsa);
    f2l_buf_init(&bytes);
    f2l_status status = f2l_folder_bytes(&bytes, folder, "automaton.fsa", MOST_BYTES, err);
    if (status == F2L_OK && bytes.size > 0) {
        status = parse_drawn_fsa(&fsa, &bytes, err);
        if (status == F2L_OK) status = f2l_automaton_part(page, &fsa, err);
        if (status == F2L_OK && letters) status = f2l_names_copy(letters, &fsa.letters, err);
    }
    f2l_buf_clear(&bytes);
    f2l_fsa_clear(&fsa);
    return status;
}
