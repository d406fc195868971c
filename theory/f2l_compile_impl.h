/* The parts of f2l_compile for cascades and their rule form. */
#ifndef F2L_COMPILE_IMPL_H
#define F2L_COMPILE_IMPL_H

#include "f2l_compile.h"

/* NULL allowed. */
void f2l_compile_t4_free(f2l_compile_t4 *t4);

/* The cascade that the options ask for and its network. A quotient that has states, and its classes, move
 * into *out, on success only; else the cascade is one of `fsa`. */
f2l_status f2l_compile_t4_build(f2l_compile_t4 **out, f2l_net *net, const f2l_fsa *fsa, f2l_fsa *quotient,
                                uint32_t **classes, const f2l_compile_options *options, const f2l_task *task,
                                f2l_error *err);

/* The local closure and, when that proves nothing, a joint one of limited size, which may prove or refute. */
f2l_status f2l_compile_t4_exact(f2l_compile_t4 *t4, f2l_closure *exact, const f2l_net *net,
                                const f2l_fsa *fsa, const f2l_compile_options *options, const f2l_task *task,
                                f2l_error *err);
f2l_status f2l_compile_t4_format(f2l_compile_format *out, const f2l_compile_t4 *t4, const f2l_net *net,
                                 const f2l_fsa *fsa, const f2l_compile_options *options, const f2l_task *task,
                                 f2l_error *err);

/* NULL allowed. */
void f2l_compile_zeiger_free(f2l_compile_zeiger *z);

/* As f2l_compile_t4_build. `reason`: why there is no cascade with tables. */
f2l_status f2l_compile_zeiger_build(f2l_compile_zeiger **out, f2l_wired *net, const f2l_fsa *fsa,
                                    f2l_fsa *quotient, uint32_t **classes, const char *reason,
                                    const f2l_compile_options *options, const f2l_task *task, f2l_error *err);
f2l_status f2l_compile_zeiger_exact(f2l_compile_zeiger *z, f2l_closure *exact, const f2l_wired *net,
                                    const f2l_fsa *fsa, const f2l_compile_options *options,
                                    const f2l_task *task, f2l_error *err);
f2l_status f2l_compile_zeiger_format(f2l_compile_format *out, const f2l_compile_zeiger *z,
                                     const f2l_wired *net, const f2l_fsa *fsa, const f2l_task *task,
                                     f2l_error *err);

#endif
