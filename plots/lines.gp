
# lines.gp - `curves` blocks of $d (x, y, low, high), in the order `front` from back to front: each as gnuplot's style
# drawn[i], with a band or whiskers as spread[i] says, in panel[i], named at the right end of the last panel.
block(i) = sprintf("$d index %d ", i-1)
stroke(i) = sprintf(" lt %d dt %d ", look[i], dash[i] ? dash[i] : own[look[i]])
shifted(x, i) = logarithmic ? x*exp(.012*i*log(x_high/x_low)) : x + .012*i*(x_high-x_low)
band(i) = block(i)."using 1:3:4 with filledcurves fs transparent solid .18 noborder notitle lt ".look[i].", "
whiskers(i) = block(i).sprintf("every %d using (shifted($1, %d)):3:(0):($4-$3) with vectors nohead lt %d lw 1.5 notitle, ", \
                               step, (i+1)/2*(i%2 ? 1 : -1), look[i])
curve(i) = block(i)."using 1:2 with ". \
           (ascii ? sprintf("points pt '%c' title label[%d], ", 65+(i-1)%(curves/panels), i) : drawn[i].stroke(i)."notitle, ")
end = .965 - wide*right
if (!ascii) {
    set rmargin at screen end; unset key
    if (panels > 1 || zoom > 0) { set multiplot }
}
do for [p=1:panels] {
    if (panels > 1) {
        if (ascii) { set title titled(name, panel_label[p]) } else {
            set ylabel panel_label[p]
            width = (end-.22)/2
            set lmargin at screen .11+(p-1)*(width+.11); set rmargin at screen .11+width+(p-1)*(width+.11)
            if (p == 2) { unset label 99 }
        }
    }
    do for [i=1:curves] { if (!ascii && panel[i] == panels && panels == p) { set label i label[i] at graph 1.015, graph at[i] left textcolor lt look[i] } }
    all = ""
    do for [k=1:curves] { if (!ascii && panel[front[k]] == p && spread[front[k]] == 1) { all = all.band(front[k]) } }
    do for [k=1:curves] {
        i = front[k]
        if (!ascii && panel[i] == p && spread[i] == 2) { all = all.whiskers(i) }
        if (panel[i] == p) { all = all.curve(i) }
    }
    eval "plot ".all[1:strlen(all)-2]
}
if (!ascii && zoom > 0) {                       # an inset: the same, its y from 0 to zoom
    unset label; unset xlabel; unset ylabel; set xtics font ",12"; set ytics font ",14"
    set lmargin at screen .17; set rmargin at screen .52; set tmargin at screen .82; set bmargin at screen .47
    set yrange [0:zoom]
    eval "plot ".all[1:strlen(all)-2]
}
unset multiplot
