/* In which serving engines a network is exact, by the analysis that nothing rounds. */
#ifndef F2L_ENGINES_HELD_H
#define F2L_ENGINES_HELD_H

#include "models/network/wired/network_text.h"
#include "numeric/base/task.h"
#include "theory/certify/unrounded/unrounded.h"
#include "theory/construct/result.h"

/* Sets *out to the presets in which nothing rounds with activations in bf16: "fla, vllm-packed,
 * mlx/fp32"; a name without a state: in all its states. "" where there is none, or the network is
 * too large to be looked at. Closures are not tried: `fsa2lrnn engines` does. `shared` is what
 * other analyses of the network have found; it may be NULL. */
f2l_status f2l_engines_held(char out[F2L_COMPILE_ENGINES], const f2l_net *net,
                            f2l_unrounded_shared *shared, const f2l_task *task, f2l_error *err);

#endif
