/* verdicts.c - the two tables of claims. */
#include "verdicts.h"
#include "report/table.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(struct judged *j, const char *format, va_list list)
{
    size_t used = strlen(j->shown);
    vsnprintf(j->shown + used, sizeof j->shown - used, format, list);
}

struct judged judged(bool holds, bool in_part, const char *format, ...)
{
    struct judged j = { .verdict = holds ? HOLDS : in_part ? IN_PART : FAILS };
    va_list list;
    va_start(list, format);
    append(&j, format, list);
    va_end(list);
    return j;
}

void judged_add(struct judged *j, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(j, format, list);
    va_end(list);
}

void verdicts_show(struct report *report, int claims, const struct claim *claim, int devices,
                   const char *const *name, const struct judged *judged, enum verdicts as, const char *caption,
                   const char *conditions)
{
    enum { DEVICES_MOST = 3 };
    static const char *const marks[] = { [FAILS] = "- ", [IN_PART] = "~ ", [HOLDS] = "+ ", [UNKNOWN] = "" };
    const char *const words[] = { [FAILS] = tr("does not hold", "不成立"),
                                  [IN_PART] = tr("holds in part", "部分成立"),
                                  [HOLDS] = tr("holds", "成立"),
                                  [UNKNOWN] = tr("not recorded", "没有录") };
    const struct column says = { TEXT("claim", "讲义说"), TABLE_TEXT };
    struct column column[DEVICES_MOST + 2] = { says };
    for (int d = 0; d < devices; d++)
        column[d + 1] = (struct column){ TEXT(name[d], name[d]), TABLE_TEXT };
    column[devices + 1] = (struct column){ TEXT("verdict there", "在那里"), TABLE_TEXT };
    struct table *shown = table_new(1 + devices + (as == VERDICT_WORDS), column),
                 *stated = table_of(says, { TEXT("what is shown: holds if (in part if)",
                                                 "显示的是什么：成立的条件（部分成立）"),
                                            TABLE_TEXT });
    for (int c = 0; c < claims; c++) {
        const struct judged *there = &judged[c];
        table_text(shown, "%s", tr_text(claim[c].says));
        for (int d = 0; d < devices; d++) {
            there = &judged[d * claims + c];
            table_text(shown, "%s%s", as == VERDICT_MARKS ? marks[there->verdict] : "", there->shown);
        }
        if (as == VERDICT_WORDS)
            table_text(shown, "%s", words[there->verdict]);
        table_text(stated, "%s", tr_text(claim[c].says));
        table_text(stated, "%s", tr_text(claim[c].condition));
    }
    report_table(report, shown, caption ? "%s" : NULL, caption);
    report_table(report, stated, conditions ? "%s" : NULL, conditions);
}
