
# stack.gp - a horizontal bar of `bars` segments for each row of $d, the number inside where there is room, and the first
# `closings` texts at their right.
cum(k) = sum [j=1:k] column(j)
inside(v) = bars > 1 && v > .033*high ? sprintf("%.0f", v) : ""
set yrange [groups-.4:-.6]; unset grid; set border 1; set style fill solid 1 border lc rgb "white"
if (ascii) { if (left < 30) { set lmargin left+3; set rmargin 9 } } else { set lmargin at screen .03+wide*left; set rmargin at screen .90 }
if (bars == 1) { unset key } else { if (!ascii) {
    set bmargin at screen .33
    set key at screen .5, screen .1 center center maxrows 3 samplen 1 spacing 1.2 font ",15"
} }
closed = closings == 0 ? "" : \
    ", for [g=1:closings] '+' using (high):(g-1):(closing[g]) every ::0::0 with labels left offset ascii ? 2 : 1,0 notitle"
plot for [b=1:bars] $d using (cum(b)):0:(cum(b)-column(b)):(cum(b)):($0-.38):($0+.38) \
         with boxxyerror dt 1 lw 1 fc rgb shade[b] title label[b], \
     for [b=1:bars] $d using (cum(b)-column(b)/2.):0:(inside(column(b))) \
         with labels font ",15" textcolor rgb on(shade[b]) notitle @closed
