# Holonomy groups and aperiodicity of automata, from the definitions, for comparison with `fsa2lrnn cascade`.
# Needs `automata`: a list of records (name, letters: image lists, sets: representatives of classes).
# Prints lines "group NAME INDEX ORDER STRUCTURE" (- where the structure is not available) and "aperiodic NAME true|false".

# All images of Q, and the singletons.
Family := function(letters, n)
  local found, queue, x, a, y;
  found := Set([[1 .. n]]);
  queue := [[1 .. n]];
  for x in queue do
    for a in letters do
      y := Set(x, q -> a[q]);
      if not y in found then
        AddSet(found, y);
        Add(queue, y);
      fi;
    od;
  od;
  return Union(found, List([1 .. n], q -> [q]));
end;

# Sets reachable from r, each with the images of r's points along some word.
Reach := function(letters, r)
  local sets, maps, i, a, y;
  sets := [r];
  maps := [r];
  i := 1;
  while i <= Length(sets) do
    for a in letters do
      y := Set(sets[i], q -> a[q]);
      if not y in sets then
        Add(sets, y);
        Add(maps, List(maps[i], q -> a[q]));
      fi;
    od;
    i := i + 1;
  od;
  return rec(sets := sets, maps := maps);
end;

# What the words w with Rw = R do to the maximal proper members of the family inside R.
HolonomyGroup := function(letters, family, r)
  local reach, class, inside, tiles, generators, i, j, a, y, onpoints, ontiles;
  inside := Filtered(family, t -> IsSubset(r, t) and t <> r);
  tiles := Filtered(inside, t -> not ForAny(inside, u -> u <> t and IsSubset(u, t)));
  reach := Reach(letters, r);
  class := Filtered([1 .. Length(reach.sets)],
                    i -> Length(reach.sets[i]) = Length(r) and r in Reach(letters, reach.sets[i]).sets);
  generators := [];
  for i in class do
    for a in letters do
      y := Set(reach.sets[i], q -> a[q]);
      j := Position(reach.sets, y);
      if j in class then
        # r -> reach.sets[i] -> y -> r, the last step backwards along the map of y
        onpoints := List(reach.maps[i], q -> r[Position(reach.maps[j], a[q])]);
        ontiles := List(tiles, t -> Position(tiles, Set(t, q -> onpoints[Position(r, q)])));
        AddSet(generators, PermList(ontiles));
      fi;
    od;
  od;
  return Group(Concatenation(generators, [()]));
end;

IsAperiodicMonoid := function(letters, n)
  local monoid, x;
  monoid := Monoid(List(letters, Transformation));
  for x in monoid do
    if x ^ n <> x ^ (n + 1) then
      return false;
    fi;
  od;
  return true;
end;

# StructureDescription looks small groups up.
names := IsBound(StructureDescription) and TestPackageAvailability("smallgrp") <> fail;

for automaton in automata do
  n := Length(automaton.letters[1]);
  family := Family(automaton.letters, n);
  for index in [1 .. Length(automaton.sets)] do
    group := HolonomyGroup(automaton.letters, family, automaton.sets[index]);
    Print("group ", automaton.name, " ", index, " ", Size(group), " ");
    if names and Size(group) < 2000 then
      Print(ReplacedString(StructureDescription(group), " ", ""));
    else
      Print("-");
    fi;
    Print("\n");
  od;
  if automaton.list then
    Print("aperiodic ", automaton.name, " ", IsAperiodicMonoid(automaton.letters, n), "\n");
  fi;
od;
QUIT;
