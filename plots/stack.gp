
# stack.gp - a horizontal bar of `bars` segments for each row of $d, and the first `closings` texts at their right.
cum(k) = sum [j=1:k] column(j)
set yrange [groups-.4:-.6]; unset grid; set border 1; set style fill solid 1 border lc rgb "white"
if (!ascii) { set lmargin at screen left; set rmargin at screen .90 }
if (bars == 1) { unset key } else { if (!ascii) {
    set bmargin at screen .33
    set key at screen .5, screen .1 center center maxrows 3 samplen 1 spacing 1.2 font ",15"
} }
closed = closings == 0 ? "" : \
    ", for [g=1:closings] '+' using (high):(g-1):(closing[g]) every ::0::0 with labels left offset 1,0 notitle"
plot for [b=1:bars] $d using (cum(b)):0:(cum(b)-column(b)):(cum(b)):($0-.38):($0+.38) \
         with boxxyerror dt 1 lw 1 fc rgb shade[b] title label[b] @closed
