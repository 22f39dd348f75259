/* facts.c - recorded, judged, shown as a table, and explained. */
#include "report/facts.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct facts facts_new(const struct fact *const *lists)
{
    struct facts facts = { 0 };
    for (; lists && *lists; lists++)
        for (const struct fact *fact = *lists; fact->id; fact++) {
            facts.row = xrealloc(facts.row, (size_t)facts.count + 1, sizeof *facts.row);
            facts.row[facts.count++] = (struct found){ .fact = fact };
        }
    return facts;
}

void facts_free(struct facts *facts) { free(facts->row); }

void facts_text(struct facts *facts, const char *id, const char *value)
{
    for (struct found *f = facts->row; f < facts->row + facts->count; f++)
        if (!strcmp(f->fact->id, id)) {
            snprintf(f->value, sizeof f->value, "%s", value);
            return;
        }
    fprintf(stderr, "no published value is called %s\n", id);
    abort();
}

void facts_number(struct facts *facts, const char *id, double value, int decimals)
{
    char text[40];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    facts_text(facts, id, text);
}

bool facts_inside(const struct fact *fact, const char *value)
{
    if (fact->kind == FACT_TIME)
        return true;
    if (!*fact->high)
        return !strcmp(value, fact->low);
    double v = strtod(value, NULL);
    return v >= strtod(fact->low, NULL) && v <= strtod(fact->high, NULL);
}

static void tabulate(struct table *table, const struct fact *fact, const char *value)
{
    bool exercise = !strncmp(fact->section, "ex. ", 4), timed = fact->kind == FACT_TIME, band = *fact->high;
    bool good = facts_inside(fact, value);
    table_text(table, "%s", tr_text(fact->what));
    table_text(table, "%s%s", exercise ? tr("ex. ", "练习 ") : "", fact->section + (exercise ? 4 : 0));
    table_text(table, "%s", tr_text(fact->lecture));
    if (!band) /* a text, or a wall-clock time */
        table_none(table);
    else
        table_text(table, !strcmp(fact->low, fact->high) ? "%s" : "%s..%s", fact->low, fact->high);
    table_text(table, "%s", !band && !timed && good ? tr("the same", "相同") : value);
    table_text(table, "%s", timed ? "" : good ? "✓" : "✗");
}

void facts_report(const struct facts *facts, struct report *report)
{
    struct table *table = table_of({ TEXT("what", "内容"), TABLE_TEXT }, { TEXT("where", "出处"), TABLE_TEXT },
                                   { TEXT("lecture", "讲义"), TABLE_TEXT }, { TEXT("band", "范围"), TABLE_TEXT },
                                   { TEXT("here", "这里"), TABLE_TEXT }, { TEXT("", ""), TABLE_TEXT });
    int judged = 0, inside = 0;
    for (const struct found *f = facts->row; f < facts->row + facts->count; f++)
        if (*f->value) {
            tabulate(table, f->fact, f->value);
            judged += f->fact->kind != FACT_TIME;
            inside += f->fact->kind != FACT_TIME && facts_inside(f->fact, f->value);
        }
    report_section(report, 0, TEXT("Published and here", "讲义与本程序"), NULL);
    report_table(report, table, NULL);
    report_say(report,
               tr("%d of %d published values lie inside their bands.",
                  "落在范围内的有 %d 个（公布的数值共 %d 个）。"),
               inside, judged);
    for (const struct found *f = facts->row; f < facts->row + facts->count; f++)
        if (*f->value && !facts_inside(f->fact, f->value))
            report_say(report, "✗ %s%s%s", tr_text(f->fact->what), tr(": ", "："),
                       f->fact->why.en ? tr_text(f->fact->why) : tr("not explained yet.", "还没有解释。"));
}

void facts_list(const struct facts *facts, FILE *out)
{
    for (const struct found *f = facts->row; f < facts->row + facts->count; f++)
        if (*f->value && f->fact->kind != FACT_TIME)
            fprintf(out, "%s\t%s\n", f->fact->id, f->value);
}
