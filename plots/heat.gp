
# heat.gp - the cells $legal (column, row, number) and $illegal (column, row) of a matrix, its first row at the top.
fg(v) = v < low + .45*(high-low) ? 0x000000 : 0xFFFFFF       # black on light cells, white on dark
set xrange [-.5:columns-.5]; set yrange [rows-.5:-.5]; set cbrange [low:high]
unset key; unset grid; set border 0
if (!ascii) {
    set lmargin at screen left; set rmargin at screen .84
    set colorbox user origin screen .87, screen .175 size screen .025, screen .705
}
if (longest > 9) { set xtics font ",15" }
size = columns > 10 ? 13 : columns > 6 ? 17 : 21
plot $legal using 1:2:(.5):(.5):3 with boxxyerror lc palette lw 2 fs solid 1 border lc rgb "white", \
     $illegal using 1:2:(.47):(.46) with boxxyerror lc rgb "#9A9A9A" lw 1 dt 1 fs pattern 4, \
     $illegal using 1:2:("×") with labels font ",24" textcolor rgb "#8A1C1C", \
     $legal using 1:2:(sprintf(@form, $3)):(fg($3)) with labels font sprintf(",%d", size) textcolor rgb variable
