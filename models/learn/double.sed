# Makes a source for double of a source of models/learn/op or models/learn/seq for float: the types, the suffix
# of functions and structures, and the functions of the C library and of vectors.
s/\bfloat\b/double/g
s/\([a-z0-9]\)_f32\b/\1_f64/g
s/\b\(copysign\|exp\|fabs\|fmax\|log\|log1p\|sqrt\)f\b/\1/g
s/\b\(_mm[0-9]*_[a-z0-9]*\)_ps\b/\1_pd/g
