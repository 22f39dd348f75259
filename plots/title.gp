# The title, centred on the picture, not on what the margins leave of it.
if (ascii) { set title name } else { set label 99 name at screen .5, screen .94 center font ",22" textcolor rgb ink }

