/* The rounded view of a network: the ordinary heads that number formats, weights.safetensors and
 * runs in a format use instead of heads over a real number field or with a form
 * (theory/pages/formats.md, F9).
 *
 * With G = L L^T the head in the basis of the columns of L is an ordinary one: S' = L^T S, keys L^T
 * u / sqrt(u^T G u), values c / sqrt(u^T G u). L is Cholesky's factor, lower triangular with a
 * positive diagonal: L = M D^(1/2) where G = M D M^T with M unit lower triangular and D diagonal,
 * over the field. So every number of the view is 0 or a square root, with a sign, of a positive
 * number of the field, and it is stored as a rational:
 *
 * - the number, when it is rational: its square is then a rational that is the square of one,
 *   which is decided;
 * - else y = 2^-b floor(2^b x) with the sign of x, |x| instead of x, where b is the first of bits,
 *   2 bits, 4 bits, .. such that y has more than 54 significant bits, one of them after the 54th
 *   not 0. An enclosure of the number, made smaller until it suffices, decides the floor.
 *
 * So the error is below 2^-bits, and no number of 54 significant bits or fewer lies between y
 * and x or is y. The numbers of a format with a precision of at most 53 bits, the midpoints between
 * them, and its limits have at most 54: y rounds to every such format, to nearest, as x does. Equal
 * vectors of the network give equal vectors of the view; where two codes of a layer would become
 * equal, b starts at 2 bits for that layer, at 4 bits, and so on. */
#ifndef F2L_NET_ORTHONORMAL_H
#define F2L_NET_ORTHONORMAL_H

#include "models/network/net/net.h"

#define F2L_ORTHONORMAL_BITS ((size_t)256)

/* Sets *out (initialised; replaced; not net) to the view: ordinary heads are copied, the others are
 * approximated and then marked `unit`: their keys count as having length 1 and are used as stored,
 * without a division by the length of the approximated key. Everything else is copied from net.
 * bits 0: F2L_ORTHONORMAL_BITS. F2L_EDOMAIN when net is not valid. */
f2l_status f2l_net_orthonormal(f2l_net *out, const f2l_net *net, size_t bits, f2l_error *err);

/* Returns whether the network is its own view: no head has a field or a form. */
bool f2l_net_is_plain(const f2l_net *net);

#endif
