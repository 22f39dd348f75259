/* facts.c - what was published held against what was found. */
#include "report/facts.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct facts facts_new(void)
{
    struct facts facts;
    facts.value = xalloc((size_t)facts_count, sizeof *facts.value);
    return facts;
}

void facts_free(struct facts *facts)
{
    free(facts->value);
    facts->value = NULL;
}

void facts_text(struct facts *facts, const char *id, const char *value)
{
    for (int i = 0; i < facts_count; i++)
        if (!strcmp(facts_published[i].id, id)) {
            snprintf(facts->value[i], sizeof facts->value[i], "%s", value);
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

void facts_report(const struct facts *facts, int program, struct report *report)
{
    const struct column columns[] = {
        { TEXT("what", "内容"), TABLE_TEXT },    { TEXT("where", "出处"), TABLE_TEXT },
        { TEXT("lecture", "讲义"), TABLE_TEXT }, { TEXT("band", "范围"), TABLE_TEXT },
        { TEXT("here", "这里"), TABLE_TEXT },    { TEXT("", ""), TABLE_TEXT },
    };
    struct table *table = table_new(6, columns);
    int shown = 0, inside = 0;
    for (int i = 0; i < facts_count; i++) {
        const struct fact *fact = &facts_published[i];
        const char *value = facts->value[i];
        if (fact->program != program || !*value)
            continue;
        bool good = facts_inside(fact, value);
        shown += fact->kind != FACT_TIME;
        inside += good && fact->kind != FACT_TIME;
        table_text(table, "%s", tr_text(fact->what));
        bool exercise = !strncmp(fact->section, "ex. ", 4);
        table_text(table, "%s%s", exercise ? tr("ex. ", "练习 ") : "", fact->section + (exercise ? 4 : 0));
        table_text(table, "%s", tr_text(fact->lecture));
        if (!*fact->high) /* a text, or a wall-clock time */
            table_none(table);
        else if (!strcmp(fact->low, fact->high))
            table_text(table, "%s", fact->low);
        else
            table_text(table, "%s..%s", fact->low, fact->high);
        table_text(table, "%s", !*fact->high && fact->kind != FACT_TIME && good ? tr("the same", "相同") : value);
        table_text(table, "%s", fact->kind == FACT_TIME ? "" : good ? "✓" : "✗");
    }
    report_section(report, 0, TEXT("Published and here", "讲义与这里"), NULL);
    report_table(report, (struct text){ 0 }, table);
    report_say(report,
               tr("%d of %d published values lie inside their bands.",
                  "落在范围内的有 %d 个（公布的数值共 %d 个）。"),
               inside, shown);
    for (int i = 0; i < facts_count; i++) {
        const struct fact *fact = &facts_published[i];
        if (fact->program == program && *facts->value[i] && !facts_inside(fact, facts->value[i]))
            report_say(report, "✗ %s%s%s", tr_text(fact->what), tr(": ", "："),
                       fact->why.en ? tr_text(fact->why) : tr("not explained yet.", "还没有解释。"));
    }
    table_free(table);
}

void facts_list(const struct facts *facts, int program, FILE *out)
{
    for (int i = 0; i < facts_count; i++)
        if (facts_published[i].program == program && *facts->value[i] && facts_published[i].kind != FACT_TIME)
            fprintf(out, "%s\t%s\n", facts_published[i].id, facts->value[i]);
}
