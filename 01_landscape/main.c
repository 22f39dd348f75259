#include "tuning.h"
static void nothing(struct run *run) { report_say(run->report, "hello"); }
static const struct demo demos[] = { { {"x","y"}, "§2.1", nothing } };
int main(int argc, char **argv) { const struct program p = { 1, "01_landscape", 1, demos, NULL }; return program_main(&p, argc, argv); }
