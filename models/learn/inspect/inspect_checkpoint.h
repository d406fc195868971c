/* The parameters in the checkpoint of a run that has not ended. */
#ifndef F2L_INSPECT_CHECKPOINT_H
#define F2L_INSPECT_CHECKPOINT_H

#include "models/learn/experiment/experiment.h"

/* Reads folder/checkpoint of the run: *model and *parameters (freed by the caller with f2l_free)
 * are initialised from the experiment, as f2l_seq_read_f32 does from weights; on failure both are
 * empty. The file's SHA-256 is verified. Whether the checkpoint belongs to this config.json is not
 * verified, only that it has the same number of parameters. F2L_EIO: no checkpoint; F2L_EFORMAT:
 * damaged; F2L_EDOMAIN: of another model. */
f2l_status f2l_inspect_checkpoint_read(f2l_seq *model, float **parameters,
                                       const f2l_experiment *experiment, const char *folder,
                                       f2l_error *err);

#endif
