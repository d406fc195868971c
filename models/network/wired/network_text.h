/* The file network.lrnn of a network with layers (models/network/net/net.h) or with wires
 * (models/network/net/wired.h). The first line of the file names the kind. */
#ifndef F2L_NETWORK_TEXT_H
#define F2L_NETWORK_TEXT_H

#include "models/network/net/wired.h"

/* Returns F2L_EFORMAT unless this is the SHA-256 that the network names as the hash of its
 * automaton's text. */
f2l_status f2l_network_check_hash(const f2l_net *net, const char sha256[65], f2l_error *err);
/* Returns F2L_EFORMAT unless the automaton has the network's letters, and F2L_EDOMAIN unless it has
 * the kind of labels that the network gives. */
f2l_status f2l_network_check_names(const f2l_net *net, const f2l_fsa *fsa, f2l_error *err);

/* Returns what a file is that is a network or lies beside one, by its first bytes: "a network", "a
 * certificate", "a file of weights"; NULL: something else. */
const char *f2l_network_file_kind(const char *bytes, size_t size);

/* Reads a file as f2l_net_read and f2l_wired_read do, and refuses another file with what it is;
 * *out is initialised by the caller and empty. */
f2l_status f2l_network_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err);

/* Writes the file as f2l_net_write and f2l_wired_write do. */
f2l_status f2l_network_write(f2l_buf *out, const f2l_net *net, f2l_error *err);

#endif
