/* tsv.c - one pass over a file's text notes where each cell starts; cells are read when they are asked for. */
#include "device/tsv.h"
#include "base/xalloc.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t tsv_line(const struct tsv *t, const char *where)
{
    size_t line = 1;
    for (const char *p = t->text; p < where; p++)
        line += *p == '\n';
    return line;
}

bool tsv_fail(const struct tsv *t, const char *where, int column, struct text message, ...)
{
    char place[160] = "", text[400];
    size_t used = 0;
    if (where)
        used = (size_t)snprintf(place, sizeof place, ":%zu", tsv_line(t, where));
    if (where && column >= 0) {
        struct tsv_cell name = tsv_cell(t, 0, column);
        snprintf(place + used, sizeof place - used, tr(": column %d (%.*s)", "：第 %d 列（%.*s）"), column + 1,
                 CELL_SHOWN(name));
    }
    va_list list;
    va_start(list, message);
    vsnprintf(text, sizeof text, tr_text(message), list);
    va_end(list);
    snprintf(t->error, t->error_size, tr("%s%s: %s", "%s%s：%s"), t->path, place, text);
    return false;
}

/* The whole file, into memory that doubles: a pipe has no size to ask for. */
static bool read_all(struct tsv *t)
{
    FILE *file = fopen(t->path, "rb");
    if (!file)
        return tsv_fail(t, NULL, -1, TEXT("cannot be opened: %s", "无法打开：%s"), strerror(errno));
    size_t room = 1 << 20;
    do {
        room *= 2;
        t->text = xrealloc(t->text, room + 1, 1);
        t->size += fread(t->text + t->size, 1, room - t->size, file);
    } while (t->size == room && room < UINT32_MAX);
    t->text[t->size] = 0;
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed)
        return tsv_fail(t, NULL, -1, TEXT("cannot be read: %s", "无法读取：%s"), strerror(failed));
    if (t->size >= UINT32_MAX)
        return tsv_fail(t, NULL, -1, TEXT("over 4 GB", "超过 4 GB"));
    const char *zero = memchr(t->text, 0, t->size);
    if (zero)
        return tsv_fail(t, zero, -1,
                        TEXT("a zero byte: expected text (is it compressed?)",
                             "含零字节：应为文本（是否为压缩文件？）"));
    size_t good = text_prefix(t->text, t->size);
    if (good < t->size)
        return tsv_fail(t, t->text + good, -1,
                        TEXT("byte 0x%02x: expected text in UTF-8", "字节 0x%02x：应为 UTF-8 文本"),
                        (unsigned)(unsigned char)t->text[good]);
    return true;
}

/* Notes the cells of the line [begin, end) as row number `row`, of which `room` fit; the header says how many. */
static bool add_row(struct tsv *t, const char *begin, const char *end, size_t row, size_t *room)
{
    if (row == 0) {
        t->header = begin;
        t->columns = 1;
        for (const char *p = begin; p < end; p++)
            t->columns += *p == '\t';
    }
    size_t width = (size_t)t->columns + 1;
    if (row >= *room) {
        *room = *room ? 2 * *room : 1024;
        t->start = xrealloc(t->start, *room * width, sizeof *t->start);
    }
    uint32_t *start = t->start + row * width;
    int cells = 0;
    start[cells++] = (uint32_t)(begin - t->text);
    for (const char *p = begin; p < end; p++)
        if (*p == '\t' && cells++ < t->columns)
            start[cells - 1] = (uint32_t)(p + 1 - t->text);
    if (cells != t->columns)
        return tsv_fail(t, begin, -1,
                        TEXT("%d cells; expected %d, as in the header of line %zu",
                             "有 %d 个单元格；应为 %d 个，与第 %zu 行的表头一致"),
                        cells, t->columns, tsv_line(t, t->header));
    start[cells] = (uint32_t)(end + 1 - t->text);
    return true;
}

static bool index_cells(struct tsv *t)
{
    const char *begin = t->text, *file_end = t->text + t->size, *end;
    size_t room = 0, lines = 0;
    if (t->size >= 3 && !memcmp(begin, "\xef\xbb\xbf", 3))
        begin += 3;
    for (; begin < file_end; begin = end + 1) {
        end = memchr(begin, '\n', (size_t)(file_end - begin));
        if (!end)
            end = file_end;
        const char *stop = end > begin && end[-1] == '\r' ? end - 1 : end;
        if (stop > begin && *begin != '#' && !add_row(t, begin, stop, lines++, &room))
            return false;
    }
    if (lines == 0)
        return tsv_fail(t, NULL, -1,
                        TEXT("no table: expected a header of tab-separated names, then rows",
                             "没有表格：应为以制表符分隔的列名表头，其后为数据行"));
    t->rows = lines - 1;
    return true;
}

static bool check_header(const struct tsv *t)
{
    for (int c = 0; c < t->columns; c++) {
        struct tsv_cell name = tsv_cell(t, 0, c);
        int first = tsv_column(t, name);
        if (name.length == 0 || (*name.text >= '0' && *name.text <= '9'))
            return tsv_fail(t, name.text, -1,
                            TEXT("'%.*s': expected the name of column %d (is the header missing?)",
                                 "“%.*s”：应为第 %d 列的列名（是否缺少表头？）"),
                            CELL_SHOWN(name), c + 1);
        if (first != c)
            return tsv_fail(t, name.text, -1,
                            TEXT("columns %d and %d are both named '%.*s': expected different names",
                                 "第 %d 列与第 %d 列同名“%.*s”：列名应互不相同"),
                            first + 1, c + 1, CELL_SHOWN(name));
    }
    if (t->rows == 0)
        return tsv_fail(t, t->header, -1, TEXT("a header alone: expected rows below it", "只有表头：其下应有数据行"));
    return true;
}

bool tsv_open(struct tsv *t, const char *path, char *error, size_t n)
{
    *t = (struct tsv){ .path = path, .error = error, .error_size = n };
    if (read_all(t) && index_cells(t) && check_header(t))
        return true;
    tsv_close(t);
    return false;
}

void tsv_close(struct tsv *t)
{
    free(t->text);
    free(t->start);
    t->text = NULL;
    t->start = NULL;
}

int tsv_column(const struct tsv *t, struct tsv_cell name)
{
    for (int c = 0; c < t->columns; c++) {
        struct tsv_cell other = tsv_cell(t, 0, c);
        if (other.length == name.length && !memcmp(other.text, name.text, (size_t)name.length))
            return c;
    }
    return -1;
}

static struct tsv_cell trimmed(struct tsv_cell cell)
{
    while (cell.length > 0 && (*cell.text == ' ' || *cell.text == '\t'))
        cell.text++, cell.length--;
    while (cell.length > 0 && strchr(" \t\r", cell.text[cell.length - 1]))
        cell.length--;
    return cell;
}

struct tsv_cell tsv_comment(const struct tsv *t, const char *key)
{
    size_t length = strlen(key);
    for (const char *p = t->text; p < t->header;) {
        const char *end = memchr(p, '\n', (size_t)(t->header - p));
        if (!end) /* the header's own line, behind a byte order mark */
            break;
        const char *at = memchr(p, '#', (size_t)(end - p)); /* passes over a byte order mark */
        if (at)
            at += 1 + strspn(at + 1, " \t");
        if (at && !strncasecmp(at, key, length) && at[length] == ':')
            return trimmed((struct tsv_cell){ at + length + 1, (int)(end - at - (ptrdiff_t)length) - 1 });
        p = end + 1;
    }
    return (struct tsv_cell){ NULL, 0 };
}

bool cell_is(struct tsv_cell cell, const char *text)
{
    return strlen(text) == (size_t)cell.length && !memcmp(cell.text, text, (size_t)cell.length);
}

struct tsv_cell cell_take(struct tsv_cell *rest, char separator)
{
    struct tsv_cell all = trimmed(*rest);
    const char *cut = memchr(all.text, separator, (size_t)all.length);
    int length = cut ? (int)(cut - all.text) : all.length;
    *rest = trimmed((struct tsv_cell){ all.text + length + (cut != NULL), all.length - length - (cut != NULL) });
    return trimmed((struct tsv_cell){ all.text, length });
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool cell_int(struct tsv_cell cell, int *value)
{
    int minus = cell.length > 0 && *cell.text == '-';
    if (cell.length - minus < 1 || cell.length - minus > 10)
        return false;
    int64_t sum = 0;
    for (int i = minus; i < cell.length; i++) {
        if (!is_digit(cell.text[i]))
            return false;
        sum = 10 * sum + (cell.text[i] - '0');
    }
    *value = (int)(minus ? -sum : sum);
    return *value == (minus ? -sum : sum);
}

enum { MOST_DIGITS = 100 };

/* digits 10^exponent. Up to 15 digits and 10^22 are exact doubles, so one division or multiplication rounds once, as
 * it should (Clinger 1990). The rest goes to strtod, as an integer with an exponent: no locale's point is met. */
static double scaled(const char *digits, int count, int exponent)
{
    static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (count > 15 || exponent < -22 || exponent > 22) {
        char text[MOST_DIGITS + 16];
        snprintf(text, sizeof text, "%.*se%d", count, digits, exponent);
        return strtod(text, NULL);
    }
    int64_t mantissa = 0;
    for (int i = 0; i < count; i++)
        mantissa = 10 * mantissa + (digits[i] - '0');
    return exponent < 0 ? (double)mantissa / ten[-exponent] : (double)mantissa * ten[exponent];
}

double cell_number(struct tsv_cell cell)
{
    const char *p = cell.text, *end = p + cell.length;
    char digits[MOST_DIGITS];
    int count = 0, exponent = 0, point = 0, power = 0;
    bool minus = p < end && *p == '-';
    for (p += minus; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = 1;
            continue;
        }
        if (count == MOST_DIGITS)
            return NAN;
        digits[count++] = *p;
        exponent -= point;
    }
    if (count > 0 && p < end && (*p == 'e' || *p == 'E')) {
        p += p[1] == '+' && is_digit(p[2]) ? 2 : 1; /* reads no further than the end of the line */
        if (end - p > 5 || !cell_int((struct tsv_cell){ p, (int)(end - p) }, &power))
            return NAN;
        p = end;
    }
    if (count == 0 || p != end)
        return NAN;
    double value = scaled(digits, count, exponent + power);
    return minus ? -value : value;
}
