# style.gp - the look that every figure shares.
# The suffix of `out` picks the format: svg, png, pdf, eps, emf or tikz; without `out` the figure is drawn in the
# terminal itself. Optional: lang (en|zh), font, title=0 (none, for a slide that has its own).
if (!exists("out"))  out  = "-"
if (!exists("lang")) lang = "en"
if (!exists("font")) font = "Noto Sans CJK SC"      # fontconfig falls back where it is absent
if (!exists("title")) title = 1
set encoding utf8
set datafile separator "\t"
set datafile missing "NaN"
tail = strlen(out) > 4 ? out[strlen(out)-3:*] : out
ascii = 0; tex = 0
# noenhanced: BLOCK_K and num_stages stay as they are; 4096³, × and ≤ are written in Unicode.
if (tail eq ".svg") {
    # &#44; is a comma that gnuplot does not take for the end of the name
    set terminal svg noenhanced size 960,540 dynamic butt background "#ffffff" linewidth 1 \
        font font."&#44; PingFang SC&#44; Microsoft YaHei&#44; Arial&#44; sans-serif,20"
} else { if (tail eq ".png") {
    set terminal pngcairo noenhanced size 1920,1080 butt background "#ffffff" font font.",20" fontscale 1.5 linewidth 2 pointscale 2
} else { if (tail eq ".pdf") {
    set terminal pdfcairo noenhanced size 10in,5.625in butt background "#ffffff" font font.",20" fontscale .75 linewidth 1.4
} else { if (tail eq ".eps") {
    set terminal epscairo noenhanced size 10in,5.625in butt background "#ffffff" font font.",20" fontscale .75 linewidth 1.4
} else { if (tail eq ".emf") {
    set terminal emf noenhanced size 960,540 butt background "#ffffff" font font.",20"
} else { if (tail eq "tikz") {
    tex = 1
    set terminal tikz size 25.4cm,14.3cm background "#ffffff" font "\\sffamily"
} else { if (out eq "-") {
    ascii = 1
    set terminal dumb noenhanced size 90,28 mono
} else {
    exit error "out='".out."': expected a name that ends in .svg, .png, .pdf, .eps, .emf or .tikz"
} } } } } } }
if (out ne "-") { set output out }
# A label in both languages; TeX wants its own signs escaped.
escaped(s, c) = (p = strstrt(s, c)) ? s[1:p-1]."\\".(s[p:p+1] eq c.c ? c.c.escaped(s[p+2:*], c) : c.escaped(s[p+1:*], c)) : s
T(zh, en) = tex ? escaped(escaped(lang eq "zh" ? zh : en, "_"), "%") : lang eq "zh" ? zh : en
# A long name across is broken at its first space.
wrapped(s) = !ascii && strlen(s) > 9 && (p = strstrt(s, " ")) ? s[1:p-1]."\n".s[p+1:*] : s
# Okabe-Ito. Colour, dash and marker belong to one name in all figures (look.c); 1 and 2 are the protagonists', solid.
set dashtype 2 (10,4); set dashtype 3 (3,3); set dashtype 4 (8,3,2,3); set dashtype 5 (16,4,4,4)
set linetype 1 lc rgb "#0072B2" lw 3.5 pt 7 ps .8
set linetype 2 lc rgb "#D55E00" lw 3.5 pt 5 ps .8
set linetype 3 lc rgb "#767676" lw 3 pt 6  ps .9
set linetype 4 lc rgb "#009E73" lw 3 pt 9  ps .9
set linetype 5 lc rgb "#222222" lw 3 pt 2  ps .9
set linetype 6 lc rgb "#CC79A7" lw 3 pt 11 ps .9
set linetype 7 lc rgb "#E69F00" lw 3 pt 13 ps .9
set linetype 8 lc rgb "#56B4E9" lw 3 pt 4  ps .9
set linetype cycle 8
array own[8] = [1, 1, 3, 4, 5, 2, 4, 5]
# stacked bars: one hue a family (blue, orange, green, grey), lightness within it
array shade[12] = [0x08519C, 0x3182BD, 0x6BAED6, 0x9ECAE1, 0xC6DBEF, 0xA63603, 0xE6750D, 0xFD9E4C, 0xFDCFA2, 0x31A354, 0xA1D99B, 0x969696]
wide = .0122                            # the share of the picture that a column of text takes
ink = "#222222"; faint = "#CCCCCC"
# cividis: even in lightness, safe for colour-blind eyes, prints in grey.
set palette defined (0 "#FDE737", .25 "#BCAF6F", .5 "#7C7B78", .75 "#41507B", 1 "#00224E")
# black or white, whichever is further from a colour in luminance
linear(u) = ((u & 255)/255.)**2.2
on(c) = .2126*linear(c >> 16) + .7152*linear(c >> 8) + .0722*linear(c) > .18 ? 0x000000 : 0xFFFFFF
if (ascii) { set key below samplen 2 } else {
    set border 3 lw 1.2 lc rgb ink
    set tics nomirror out scale .6 textcolor rgb ink
    set xtics offset 0,.25
    set grid ytics back lt 1 lw 1.2 lc rgb faint dt solid
    set key top right reverse Left samplen 2.2 spacing 1.2 nobox
    # CJK fonts have tall lines: pull titles and labels towards the frame
    set xlabel offset 0,.55 textcolor rgb ink
    set ylabel offset (tail eq ".svg" ? 1.3 : .2),0 textcolor rgb ink
    set y2label offset -.8,0 textcolor rgb ink
    # margins in screen fractions: the same frame in every figure and every terminal
    set lmargin at screen .11; set rmargin at screen .96; set tmargin at screen .88; set bmargin at screen .175
}
