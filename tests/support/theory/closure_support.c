#include "tests/support/theory/closure_support.h"

void open_parity(fixture *f)
{
    fsa_from_text(&f->fsa, hand_parity_text);
    hand_parity(&f->net, &f->fsa, F2L_LABEL_STATES);
    f2l_closure_init(&f->closure);
}

void open_swaps(fixture *f)
{
    fsa_from_text(&f->fsa, hand_swaps_text);
    hand_swaps(&f->net, &f->fsa);
    f2l_closure_init(&f->closure);
}

void closure_done(fixture *f)
{
    f2l_closure_clear(&f->closure);
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

f2l_status close_exactly(fixture *f, size_t max_rows, const f2l_task *task)
{
    f->err = (f2l_error){0};
    return f2l_closure_exact(&f->closure, &f->net, &f->fsa, max_rows, task, &f->err);
}

f2l_status close_in(fixture *f, const char *format, size_t max_rows, const f2l_task *task)
{
    f->err = (f2l_error){0};
    return f2l_closure_float(&f->closure, &f->net, &f->fsa, f2l_format_find(format),
                             f2l_schedule_find("every"), max_rows, task, &f->err);
}

void open_wrong(fixture *f)
{
    static const long one[] = {1}, codes[] = {1, -1};
    fsa_from_text(&f->fsa, "start 0\noutput 0 x\noutput 1 y\noutput 2 x\noutput 3 x\n"
                           "0 k 0\n1 k 1\n2 k 2\n3 k 3\n0 i 1\n1 i 2\n2 i 3\n3 i 0\n");
    hand_net(&f->net, &f->fsa, F2L_LABEL_OUTPUTS, 1);
    hand_factor(hand_head(&f->net, 0, 2, 1, one), 1, 2, one, 0);
    hand_codes(&f->net, 0, 2, codes);
    f2l_closure_init(&f->closure);
}
