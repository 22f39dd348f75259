
# lines.gp - `curves` blocks of $d (x, y, low, high), the first `bands` of them with a band, each named at its right end.
banded = bands == 0 ? "" : \
    "for [i=1:bands] $d index i-1 using 1:3:4 with filledcurves lt i fs transparent solid .18 noborder notitle, "
if (ascii) {
    plot for [i=1:curves] $d index i-1 using 1:2 with linespoints lt i pt sprintf("%c", 64+i) title label[i]
} else {
    set rmargin at screen right; unset key
    do for [i=1:curves] { set label i label[i] at graph 1.015, graph at[i] left textcolor lt i }
    plot @banded for [i=1:curves] $d index i-1 using 1:2 with @drawn lt i notitle
}
