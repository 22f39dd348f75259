
# bars.gp - a cluster of `bars` bars for each row of $d (values, lows, highs), with whiskers from low to high, the number
# above each.
w = .86/bars
at(b) = w*(b - (bars+1)/2.)
top(v, high) = high > v ? high : v
reach(end, v) = end >= 0 ? end : v      # NaN: no whisker
set xrange [-.5:groups-.5]; set style fill solid 1 noborder
if (!ascii) { set key top left horizontal samplen 1 }
whiskered = whiskers == 0 ? "" : \
    ", for [b=1:bars] $d using ($0+at(b)):(reach(column(bars+b), column(b))):(0):" \
    ."(reach(column(2*bars+b), column(b))-reach(column(bars+b), column(b))) with vectors nohead lc rgb ink lw 2 notitle"
plot for [b=1:bars] $d using ($0+at(b)):b:(w*.94) with boxes dt 1 lc look[b] title label[b], \
     for [b=1:bars] $d using ($0+at(b)):(top(column(b), column(2*bars+b))):(sprintf(@form, column(b))) \
         with labels offset 0,.6 font ",14" notitle @whiskered
