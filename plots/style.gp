# style.gp - the look that every figure shares.
# The suffix of `out` picks the terminal: svg, png or pdf; without `out` the figure is drawn in the terminal itself.
# Optional: lang (en|zh), font.
if (!exists("out"))  out  = "-"
if (!exists("lang")) lang = "en"
if (!exists("font")) font = "Noto Sans CJK SC"      # fontconfig falls back where it is absent
T(zh, en) = lang eq "zh" ? zh : en                  # a label in both languages
set encoding utf8
set datafile separator "\t"
set datafile missing "NaN"
ext = strlen(out) > 3 ? out[strlen(out)-2:*] : ""
ascii = 0
# noenhanced: BLOCK_K and num_stages stay as they are; 4096³, × and ≤ are written in Unicode.
if (ext eq "svg") {
    set terminal svg noenhanced size 960,540 dynamic butt background "#ffffff" font font.",20" linewidth 1
} else { if (ext eq "png") {
    set terminal pngcairo noenhanced size 1920,1080 butt background "#ffffff" font font.",20" fontscale 1.5 linewidth 2 pointscale 2
} else { if (ext eq "pdf") {
    set terminal pdfcairo noenhanced size 10in,5.625in butt background "#ffffff" font font.",20" fontscale .75 linewidth 1.4
} else {
    ascii = 1
    lang = "en"                                     # the dumb terminal counts a Chinese character as one column
    set terminal dumb noenhanced size 96,28 mono
} } }
if (out ne "-") { set output out }
# Okabe-Ito, neighbours apart in lightness; dash and marker repeat the difference for grey print and colour-blind eyes.
set linetype 1 lc rgb "#0072B2" lw 3 pt 7  ps .8 dt 1
set linetype 2 lc rgb "#D55E00" lw 3 pt 5  ps .8 dt (10,4)
set linetype 3 lc rgb "#009E73" lw 3 pt 9  ps .9 dt (8,3,2,3)
set linetype 4 lc rgb "#CC79A7" lw 3 pt 11 ps .9 dt (3,3)
set linetype 5 lc rgb "#E69F00" lw 3 pt 13 ps .9 dt (16,4,4,4)
set linetype 6 lc rgb "#56B4E9" lw 3 pt 4  ps .9 dt 1
set linetype 7 lc rgb "#8C8C8C" lw 3 pt 6  ps .9 dt 1
set linetype 8 lc rgb "#000000" lw 3 pt 2  ps .9 dt 1
set linetype cycle 8
array bar[8] = [0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xD55E00, 0x8C8C8C, 0x222222]
# stacked bars: one hue a family (blue, orange, green, grey), lightness within it
array shade[12] = [0x08519C, 0x3182BD, 0x6BAED6, 0x9ECAE1, 0xC6DBEF, 0xA63603, 0xE6750D, 0xFD9E4C, 0xFDCFA2, 0x31A354, 0xA1D99B, 0x969696]
ink = "#222222"; faint = "#D8D8D8"
# cividis: even in lightness, safe for colour-blind eyes, prints in grey.
set palette defined (0 "#FDE737", .25 "#BCAF6F", .5 "#7C7B78", .75 "#41507B", 1 "#00224E")
if (!ascii) {
    set border 3 lw 1.2 lc rgb ink
    set tics nomirror out scale .6 textcolor rgb ink
    set xtics offset 0,.25
    set grid ytics lw .7 lc rgb faint dt 1
    set key top right reverse Left samplen 2.2 spacing 1.2 nobox
    # CJK fonts have tall lines: pull titles and labels towards the frame
    set xlabel offset 0,.55 textcolor rgb ink
    set ylabel offset (ext eq "svg" ? 1.3 : .2),0 textcolor rgb ink
    set y2label offset -.8,0 textcolor rgb ink
    # margins in screen fractions: the same frame in every figure and every terminal
    set lmargin at screen .11; set rmargin at screen .96; set tmargin at screen .88; set bmargin at screen .175
}
