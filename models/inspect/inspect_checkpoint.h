/* The parameters in the checkpoint of a run that has not ended, to look at. */
#ifndef F2L_INSPECT_CHECKPOINT_H
#define F2L_INSPECT_CHECKPOINT_H

#include "models/experiment/experiment.h"

/* Reads folder/checkpoint of the run: *model and *parameters (f2l_free) are initialised from its
 * experiment, as f2l_seq_read_f32 does from weights; on failure both are empty. The file's SHA-256
 * is verified; that it belongs to this very config.json is not, only that it has as many
 * parameters. F2L_EIO: there is none; F2L_EFORMAT: damaged; F2L_EDOMAIN: of another model. */
f2l_status f2l_inspect_checkpoint_read(f2l_seq *model, float **parameters,
                                       const f2l_experiment *experiment, const char *folder,
                                       f2l_error *err);

#endif
