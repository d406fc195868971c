# Class counts, character degrees, Frobenius-Schur indicators and fewest Householder factors of transitive groups, from
# GAP's own character tables, for comparison with ours. Needs `degrees`: a list of degrees.
# Prints a line "group DEGREE NUMBER IMAGES.. | ORDER CLASSES | DEGREE:INDICATOR .. | N_H-GENERATORS N_H-ELEMENTS" for each group.

# rank(rho(g) - I) for all classes; rho has the real character chi or, where that is not the one of a real
# representation, chi + conjugate (indicator 0) or 2 chi (indicator -1).
Ranks := function(table, chi, indicator)
  local orders, times;
  orders := OrdersClassRepresentatives(table);
  times := 1;
  if indicator <> 1 then
    times := 2;
  fi;
  return List([1 .. NrConjugacyClasses(table)],
              c -> times * (chi[1] - Sum([0 .. orders[c] - 1], i -> chi[PowerMap(table, i, c)]) / orders[c]));
end;

# The least k such that the representations with ranks up to k at all letters have no common kernel.
FewestFactors := function(table, ranks, letters)
  local k, kept;
  k := 0;
  while true do
    kept := Filtered(ranks, r -> ForAll(letters, c -> r[c] <= k));
    if ForAll([2 .. NrConjugacyClasses(table)], c -> ForAny(kept, r -> r[c] > 0)) then
      return k;
    fi;
    k := k + 1;
  od;
end;

Compare := function(degree, number)
  local group, table, irr, classes, indicators, ranks, letters, g, pair;
  group := TransitiveGroup(degree, number);
  table := CharacterTable(group);
  irr := Irr(table);
  classes := ConjugacyClasses(table);
  indicators := Indicator(table, irr, 2);
  ranks := List([1 .. Length(irr)], i -> Ranks(table, irr[i], indicators[i]));
  letters := List(GeneratorsOfGroup(group), g -> PositionProperty(classes, c -> g in c));
  Print("group ", degree, " ", number);
  for g in GeneratorsOfGroup(group) do
    Print(" ", ReplacedString(String(ListPerm(g, degree)), " ", ""));
  od;
  Print(" | ", Size(group), " ", Length(irr), " |");
  for pair in SortedList(List([1 .. Length(irr)], i -> [irr[i][1], indicators[i]])) do
    Print(" ", pair[1], ":", pair[2]);
  od;
  Print(" | ", FewestFactors(table, ranks, letters), " ", FewestFactors(table, ranks, [1 .. Length(irr)]), "\n");
end;

SizeScreen([4096, 50]);
for degree in degrees do
  for number in [1 .. NrTransitiveGroups(degree)] do
    Compare(degree, number);
  od;
od;
QUIT;
