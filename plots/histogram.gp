
# histogram.gp - the bins $d (from, to, count, cumulative %) over a logarithmic axis, and marks with their texts.
set y2label T("累计 %", "cumulative %")
set yrange [0:top]; set y2range [0:100]; set y2tics 25; set ytics format "%.0s%c"
if (!ascii) { set border 11; set rmargin at screen .88; set key at graph .98, graph .62 }
set style fill solid .6 border lc rgb "white"
do for [i=1:marks] {
    set arrow i from mark[i], graph 0 to mark[i], graph .9 nohead lw 2 dt 3 lc rgb "#B34700" front
    if (i % 2) { set label i label[i] at mark[i], graph .95 offset .7,0 left textcolor rgb "#B34700" front } \
    else { set label i label[i] at mark[i], graph .87 offset -.7,0 right textcolor rgb "#B34700" front }
}
plot $d using (sqrt($1*$2)):(0):1:2:(0):3 with boxxyerror lc rgb "#56B4E9" \
         title T("直方图（左轴）", "histogram (left axis)"), \
     $d using 2:4 axes x1y2 with lines lt 1 title T("累计分布（右轴）", "cumulative (right axis)")
