'use strict';
// What needs JavaScript: parts of a page that come again, ages in place of times, and a key for the search.
(() => {
  /** The markup of each part as it came. */
  const came = new Map();

  const { lang } = document.documentElement;
  const ages = new Intl.RelativeTimeFormat(lang, { numeric: 'auto', style: 'short' });

  /** Writes the times of the last day in tables as ages; the pointer shows the time itself. */
  const writeAges = () => {
    for (const time of document.querySelectorAll(
      'main table.list:not([id]) time:not([data-clock]), main table.facts time:not([data-clock])',
    )) {
      const minutes = Math.floor((Date.now() - Date.parse(time.dateTime)) / 60_000);
      if (minutes < 0 || minutes >= 24 * 60) continue;
      if (time.title === '') time.title = time.textContent;
      const age =
        minutes < 60
          ? ages.format(-minutes, minutes === 0 ? 'second' : 'minute')
          : ages.format(-Math.floor(minutes / 60), 'hour');
      time.textContent = age.replace('.', '');
    }
  };

  /** Puts a part in the place of what was there, unless somebody is at work in it. */
  const replace = ({ id, html }) => {
    const part = document.getElementById(id);
    if (part === null || part.contains(document.activeElement)) return;
    const fresh = document.createElement('template');
    fresh.innerHTML = html;
    if (came.get(id) === fresh.innerHTML) return;
    came.set(id, fresh.innerHTML);
    const opened = [...part.querySelectorAll('details[open]')].map((details) => details.dataset.name);
    part.replaceChildren(fresh.content);
    for (const details of part.querySelectorAll('details'))
      details.open = opened.includes(details.dataset.name);
    writeAges();
    part.dispatchEvent(new Event('part-replaced', { bubbles: true }));
  };

  // One stream, and none while nobody looks.
  let stream;
  const listen = () => {
    const { live } = document.body.dataset;
    stream?.close();
    stream = undefined;
    if (live === undefined || document.hidden) return;
    stream = new EventSource(live);
    stream.addEventListener('part', ({ data }) => replace(JSON.parse(data)));
  };

  addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.getElementById('search')?.focus();
  });

  for (const part of document.querySelectorAll('[data-part]')) came.set(part.id, part.innerHTML);
  writeAges();
  setInterval(writeAges, 30_000);
  listen();
  document.addEventListener('visibilitychange', listen);
  addEventListener('pagehide', () => stream?.close());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) listen();
  });
})();
