"""The rank of a matrix of fractions."""


def rank(rows):
    """Returns the rank of the matrix of fractions."""
    rows, out = [list(r) for r in rows], 0
    for c in range(len(rows[0])):
        pivot = next((r for r in range(out, len(rows)) if rows[r][c]), None)
        if pivot is None:
            continue
        rows[out], rows[pivot] = rows[pivot], rows[out]
        for r in range(out + 1, len(rows)):
            f = rows[r][c] / rows[out][c]
            rows[r] = [a - f * b for a, b in zip(rows[r], rows[out])]
        out += 1
    return out
