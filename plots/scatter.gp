
# scatter.gp - the points of $d, and what is said of them.
unset key
set label 1 label[1] at graph .03, graph .93 left textcolor lt 1
plot $d using 1:2 with points lt 1 ps .35
