import { PassThrough } from 'node:stream';

import { countedProgress, ProgressDisplay } from '../../src/cli/run-command';

/** An output that keeps what is written to it. */
function output(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 200 });
  return { stream, written: () => String(stream.read() ?? '') };
}

const ESCAPE = '\u001b';
const TO_BEGINNING = `${ESCAPE}[1G`;

/**
 * Returns what a terminal shows in the end, without the bars themselves: of each line, what was last written from its
 * beginning.
 */
function shownOn(written: string): readonly string[] {
  const texts = written.split('\n').map((line) => line.split(TO_BEGINNING).at(-1) ?? '');
  const escapes = new RegExp(`${ESCAPE}(?:\\[[?\\d]*[A-Za-z]|\\d)`, 'g');
  return texts.map((text) => text.replace(escapes, '').replace(/[█░]+/, 'BAR'));
}

describe('the progress display', () => {
  it('is a bar on a terminal, one for each part of the work', () => {
    const { stream, written } = output(true);
    const display = new ProgressDisplay(stream);
    display.show({ part: 'a.csv', done: 5, of: 10, text: '1 row' });
    display.show({ part: 'a.csv', done: 10, of: 10, text: '2 rows' });
    display.show({ part: 'empty.csv', done: 0, of: 0, text: '0 rows' });
    display.end();
    expect(shownOn(written())).toEqual(['a.csv BAR 100 % | 2 rows', 'empty.csv BAR 100 % | 0 rows', '']);
  });

  it('leaves nothing of a bar that is cleared', () => {
    const { stream, written } = output(true);
    const display = new ProgressDisplay(stream, { clears: true });
    display.show({ done: 10, of: 10, text: 'all' });
    display.end();
    expect(shownOn(written())).toEqual(['']);
  });

  it('is a line for each tenth if it is not on a terminal', () => {
    const { stream, written } = output(false);
    const display = new ProgressDisplay(stream);
    for (const done of [0, 100, 199, 1000, 2000])
      display.show(countedProgress('pages', 'copied', done, 2000));
    display.end();
    expect(written()).toBe('50 % of 2,000 pages, copied\n100 % of 2,000 pages, copied\n');
  });

  it('starts over with each part off a terminal, and prints nothing without a line', () => {
    const { stream, written } = output(false);
    const display = new ProgressDisplay(stream);
    display.show({ part: 'a.csv', done: 0, of: 10, text: '', line: 'read' });
    display.show({ part: 'a.csv', done: 10, of: 10, text: '', line: 'read' });
    display.show({ part: 'a.csv', done: 10, of: 10, text: 'writing' });
    display.show({ part: 'b.csv', done: 0, of: 0, text: '', line: 'read' });
    expect(written()).toBe('a.csv: 0 % read\na.csv: 100 % read\nb.csv: 100 % read\n');
  });
});
