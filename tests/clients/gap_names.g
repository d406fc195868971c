# Builds groups from the names that the library gives and compares them with the groups that were named. Needs
# `cases`: a list of records (label, name, group, named), the last two expressions for the group and for the name.
# Prints "name LABEL NAME true|false".

# The action on the vectors of GF(p)^k of the translations and of some matrices.
Affine := function(p, k, matrices)
  local v, translations;
  v := Elements(FullRowSpace(GF(p), k));
  translations := List(IdentityMat(k, GF(p)), e -> PermList(List(v, x -> Position(v, x + e))));
  return Group(Concatenation(translations, List(matrices, m -> PermList(List(v, x -> Position(v, x * m))))));
end;

# x -> a x + b, and with `frobenius` also x -> x^p, on the field with q elements; a of order d.
OneDimensional := function(q, d, frobenius)
  local e, maps;
  e := Elements(GF(q));
  maps := List(Basis(GF(q)), b -> PermList(List(e, x -> Position(e, x + b))));
  Add(maps, PermList(List(e, x -> Position(e, x * Z(q) ^ ((q - 1) / d)))));
  if frobenius then
    Add(maps, PermList(List(e, x -> Position(e, x ^ Characteristic(GF(q))))));
  fi;
  return Group(maps);
end;

Semidihedral := function(order)
  local f, a, b;
  f := FreeGroup("a", "b");
  a := f.1;
  b := f.2;
  return Image(IsomorphismPermGroup(f / [a ^ (order / 2), b ^ 2, a ^ b * a ^ (1 - order / 4)]));
end;

Matrices := g -> Image(IsomorphismPermGroup(g), g);

# PGammaL(2,8) and PGammaL(2,9) are the automorphism groups of the simple groups below them.
Automorphisms := g -> Image(IsomorphismPermGroup(AutomorphismGroup(g)));

small := TestPackageAvailability("smallgrp") <> fail;

Isomorphic := function(g, h)
  if Size(g) <> Size(h) then
    return false;
  elif small and Size(g) <= 1000 and Size(g) <> 512 then
    return ValueGlobal("IdGroup")(g) = ValueGlobal("IdGroup")(h);
  fi;
  return IsomorphismGroups(g, h) <> fail;
end;

for case in cases do
  Print("name ", case.label, " ", case.name, " ", Isomorphic(EvalString(case.group), EvalString(case.named)), "\n");
od;
QUIT;
