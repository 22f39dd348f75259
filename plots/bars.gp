
# bars.gp - a cluster of `bars` bars for each row of $d, the number above each.
w = .86/bars
at(b) = w*(b - (bars+1)/2.)
set xrange [-.5:groups-.5]; set style fill solid 1 noborder; set key top left horizontal samplen 1
plot for [b=1:bars] $d using ($0+at(b)):b:(w*.94) with boxes dt 1 lc rgb bar[b] title label[b], \
     for [b=1:bars] $d using ($0+at(b)):b:(sprintf(@form, column(b))) with labels offset 0,.6 font ",14" notitle
