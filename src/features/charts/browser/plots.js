'use strict';
// Draws plots of the tables, which are there without JavaScript.
(() => {
  const HEIGHT = 220;
  const drawn = new Set();

  const { lang } = document.documentElement;
  // Swedish dates are written as in ISO 8601, like the English ones of the pages.
  const locale = lang === 'en' ? 'sv-SE' : lang;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** The numbers of a table: of each column one list, the first one of seconds since 1970. */
  const read = (table) => {
    const rows = [...table.tBodies[0].rows];
    const times = rows.map((row) => Date.parse(row.querySelector('time').dateTime) / 1000);
    const names = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
    const columns = names.map((_, at) =>
      rows.map((row) => {
        const text = row.cells[at + 1].dataset.value;
        return text === '' ? null : Number(text);
      }),
    );
    const links = rows.map((row) => row.dataset.href);
    const colors = [...table.tHead.rows[0].cells]
      .slice(1)
      .map((cell) => color(`--plot-${cell.dataset.color}`));
    return { times, names, columns, links, colors };
  };

  const inZone = (seconds) => uPlot.tzDate(new Date(seconds * 1000), document.body.dataset.zone || 'UTC');

  const sumAt = (columns, at) => columns.reduce((sum, column) => sum + (column[at] ?? 0), 0);
  const heightAt = (columns, at, isStacked) =>
    isStacked ? sumAt(columns, at) : Math.max(0, ...columns.map((column) => column[at] ?? 0));

  /** Draws a bar for each step, on top of those of other columns. */
  const barsOver = (below) => (plot, series, from, to) => {
    const fill = new Path2D();
    const [times] = plot.data;
    const width =
      times.length > 1
        ? plot.valToPos(times[1], 'x', true) - plot.valToPos(times[0], 'x', true)
        : plot.bbox.width;
    for (let at = from; at <= to; at += 1) {
      const value = plot.data[series][at] ?? 0;
      if (value === 0) continue;
      const base = sumAt(below, at);
      const top = plot.valToPos(base + value, 'y', true);
      const left = plot.valToPos(times[at], 'x', true);
      fill.rect(left, top, Math.max(1, width * 0.85), plot.valToPos(base, 'y', true) - top);
    }
    return { stroke: null, fill, clip: null, band: null, gaps: null, flags: 0 };
  };

  const draw = (figure) => {
    const table = figure.querySelector('table');
    const place = figure.querySelector('.drawing');
    if (table === null || place === null) return;
    const { times, names, columns, links, colors } = read(table);
    const isDaily = figure.dataset.plot === 'days';
    const step = times.length > 1 ? times[1] - times[0] : isDaily ? 86_400 : 60;
    const isLong = isDaily || times.at(-1) - times[0] > 2 * 86_400;
    const zoned = (options) => {
      const text = new Intl.DateTimeFormat(locale, { ...options, timeZone: document.body.dataset.zone });
      return (seconds) => text.format(seconds * 1000);
    };
    const onDay = zoned({ dateStyle: 'short' });
    // Without the year, which dates as in ISO 8601 begin with.
    const dayOf =
      lang === 'en' ? (seconds) => onDay(seconds).slice(5) : zoned({ month: '2-digit', day: '2-digit' });
    const onAxis = isLong ? dayOf : zoned({ timeStyle: 'short' });
    const inLegend = zoned({ dateStyle: 'short', timeStyle: 'short' });
    const axis = { stroke: color('--quiet'), ticks: { show: false } };
    const isBars = figure.dataset.drawing === 'bars';
    const largest = Math.max(1, ...times.map((_, at) => heightAt(columns, at, isBars)));
    const plot = new uPlot(
      {
        width: Math.max(place.clientWidth, 200),
        height: HEIGHT,
        tzDate: inZone,
        cursor: { y: false },
        scales: { x: { range: [times[0], times.at(-1) + step] }, y: { range: [0, largest] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_plot, seconds) => seconds.map(onAxis),
            ...(isDaily && { incrs: [1, 2, 3, 5, 7].map((days) => days * 86_400) }),
          },
          { ...axis, grid: { stroke: color('--grid'), width: 1 }, size: 60 },
        ],
        series: [
          { value: (_plot, seconds) => (seconds == null ? '--' : inLegend(seconds)) },
          ...names.map((label, at) => ({
            label,
            stroke: colors[at],
            fill: isBars ? colors[at] : undefined,
            width: isBars ? 0 : 1.5,
            paths: isBars ? barsOver(columns.slice(0, at)) : undefined,
            points: { show: !isBars && columns[at].includes(null), size: 5 },
          })),
        ],
      },
      [times, ...columns],
      place,
    );
    // A moment leads to what is behind it.
    plot.over.addEventListener('click', () => {
      const link = plot.cursor.idx == null ? undefined : links[plot.cursor.idx];
      if (link) location.assign(link);
    });
    figure.plotted = plot;
    drawn.add(figure);
  };

  const undraw = (figure) => {
    figure.plotted?.destroy();
    drawn.delete(figure);
  };

  const drawIn = (element) => {
    for (const figure of element.querySelectorAll('figure[data-plot]')) draw(figure);
  };

  const drawAgain = () => {
    for (const figure of [...drawn]) {
      undraw(figure);
      draw(figure);
    }
  };

  if (typeof uPlot === 'undefined') return;
  drawIn(document);
  document.addEventListener('part-replaced', ({ target }) => {
    for (const figure of [...drawn]) if (!figure.isConnected) undraw(figure);
    drawIn(target);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAgain);
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth !== width) drawAgain();
    width = innerWidth;
  });
})();
