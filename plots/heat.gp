
# heat.gp - the cells $legal (column, row, number) and $illegal (column, row) of a matrix, its first row at the top;
# those of $best (column, row) are framed.
set xrange [-.5:columns-.5]; set yrange [rows-.5:-.5]; set cbrange [low:high]
unset key; unset grid; set border 0
clipped(v) = v < low ? low : v > high ? high : v
if (ascii) { set lmargin left < 30 ? left+6 : 36 } else {
    set lmargin at screen .10+wide*left; set rmargin at screen .86
    set colorbox user origin screen .885, screen .175 size screen .025, screen .705
}
if (longest > 9 && !ascii) {
    if (columns > 5) { set xtics font ",15" }
    set xlabel offset 0,-.4
    set bmargin at screen .23; set colorbox user origin screen .885, screen .23 size screen .025, screen .65
}
size = columns > 10 ? 16 : 21
do for [i=1:maps] { set label i over[i] at first (columns+1)/2*(i-1) + (columns/2-1)/2., graph 1.035 center font ",18" textcolor rgb ink }
if (maps) { set tmargin at screen .82 }
plot $legal using 1:2:(.5):(.5):3 with boxxyerror lc palette lw 2 fs solid 1 border lc rgb "white", \
     $illegal using 1:2:(.47):(.46) with boxxyerror lc rgb "#9A9A9A" lw 1 dt 1 fs pattern 4, \
     $illegal using 1:2:("×") with labels font ",24" textcolor rgb "#8A1C1C", \
     $best using 1:2:(.47):(.46) with boxxyerror lc rgb "#D55E00" lw 4 dt 1 fs empty, \
     $legal using 1:2:(sprintf(@form, $3)):(on(palette(clipped($3)))) with labels font sprintf(",%d", size) textcolor rgb variable
