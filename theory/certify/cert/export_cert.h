/* The certificate of a network in layers that an export has made. */
#ifndef F2L_EXPORT_CERT_H
#define F2L_EXPORT_CERT_H

#include "models/doors/export/export.h"

/* Appends the certificate, of claim exact, within the limits of a proof in Coq. */
f2l_export_certifier f2l_export_certify;

#endif
