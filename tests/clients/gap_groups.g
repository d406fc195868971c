# What GAP says about permutation groups, for comparison with tests/clients/group_dump.c. Needs
# `wanted`: a list of lists of groups' sources, [ "transitive", degree ], [ "small", order ] or [ "simple" ];
# `input`: the file for the images.
# Prints one line "group LABEL key=value ..." per group, in the order of the file.

out := OutputTextFile(input, false);
SetPrintFormattingStatus(out, false);
screen := OutputTextUser();
SetPrintFormattingStatus(screen, false);

Joined := function(list, separator)
  return JoinStringsWithSeparator(List(list, String), separator);
end;

Factor := function(f)
  if IsPrimeInt(Size(f)) then
    return Concatenation(String(Size(f)), ":Z_", String(Size(f)));
  fi;
  return Concatenation(String(Size(f)), ":",
    Filtered(IsomorphismTypeInfoFiniteSimpleGroup(f).name, c -> not c in " \n"));
end;

# Factors of a composition series.
CompositionFactors := function(g)
  local series;
  if IsTrivial(g) then
    return [];
  fi;
  series := CompositionSeries(g);
  return List([1 .. Length(series) - 1], i -> Factor(series[i] / series[i + 1]));
end;

# The orders of a series until it is stable (GAP lists the trivial group twice at times).
Orders := series -> Joined(Reversed(Set(List(series, Size))), ",");

Describe := function(label, g)
  local n, classes, x, line, powers, p, class;
  n := Maximum(1, LargestMovedPoint(g));
  PrintTo(out, n, " ", Length(GeneratorsOfGroup(g)), "\n");
  for x in GeneratorsOfGroup(g) do
    PrintTo(out, Joined(ListPerm(x, n), " "), "\n");
  od;
  classes := ConjugacyClasses(g);
  powers := [];
  for class in classes do
    for p in [2, 3, 5] do
      Add(powers, [Size(class), Size(First(classes, c -> Representative(class) ^ p in c))]);
    od;
  od;
  line := Concatenation("group ", label,
    " order=", String(Size(g)),
    " exponent=", String(Exponent(g)),
    " centre=", String(Size(Centre(g))),
    " real=", String(Number(classes, c -> Representative(c) ^ -1 in c)),
    " abelian=", String(IsAbelian(g)),
    " nilpotent=", String(IsNilpotentGroup(g)),
    " solvable=", String(IsSolvableGroup(g)),
    " derived=", Orders(DerivedSeriesOfGroup(g)),
    " central=", Orders(LowerCentralSeriesOfGroup(g)),
    " quotient=", Joined(AbelianInvariants(g), ","),
    " factors=", Joined(CompositionFactors(g), ";"),
    " classes=", Joined(List(classes, c -> Concatenation(String(Order(Representative(c))), ":", String(Size(c)))), ","),
    " powers=", Joined(List(powers, p -> Concatenation(String(p[1]), ":", String(p[2]))), ","));
  PrintTo(screen, line, "\n");
end;

for source in wanted do
  if source[1] = "transitive" then
    if TestPackageAvailability("transgrp") = fail then
      PrintTo(screen, "missing transgrp\n");
    else
      LoadPackage("transgrp", false);
      for i in [1 .. ValueGlobal("NrTransitiveGroups")(source[2])] do
        g := ValueGlobal("TransitiveGroup")(source[2], i);
        if Size(g) <= 400000 then
          Describe(Concatenation("t", String(source[2]), "n", String(i)), g);
        fi;
      od;
    fi;
  elif source[1] = "small" then
    if TestPackageAvailability("smallgrp") = fail then
      PrintTo(screen, "missing smallgrp\n");
    else
      for i in [1 .. NumberSmallGroups(source[2])] do
        g := SmallGroup(source[2], i);
        Describe(Concatenation("s", String(source[2]), "n", String(i)), Image(RegularActionHomomorphism(g)));
      od;
    fi;
  else
    for g in AllSmallNonabelianSimpleGroups([1 .. 999999]) do
      PrintTo(screen, "simple ", Factor(g), "\n");
    od;
  fi;
od;
CloseStream(out);
QUIT;
