
# scatter.gp - the points of $d.
unset key
plot $d using 1:2 with points lt 1 ps .35 title label[1]
