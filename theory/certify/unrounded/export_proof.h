/* The verdict on a network that is exported. */
#ifndef F2L_EXPORT_PROOF_H
#define F2L_EXPORT_PROOF_H

#include "models/doors/export/export.h"

/* Sets *out to the verdict on the model in the format and the order of the schedules. */
f2l_export_prover f2l_export_prove;

#endif
