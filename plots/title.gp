# The title, centred on the picture, not on what the margins leave of it; in the terminal, which draws no label of the
# y axis, with that below.
titled(name, label) = label eq "" ? name : name."\n(y) ".label
if (title) { if (ascii) { set title titled(name, y_label) } else { set label 99 name at screen .5, screen .94 center font ",22" textcolor rgb ink } }

