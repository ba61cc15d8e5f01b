import { BadCell, SheetMoment } from '../../../src/store/csv/cell-kinds';
import { isTrue } from '../../../src/features/workbooks/xlsx-book';
import { cellFormat } from '../../../src/features/workbooks/xlsx-formats';

const MINUTES = Array.from({ length: 1440 }, (_, minute) => minute);
const written = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

it('an attribute of a workbook is set in one of three words', () => {
  const words = ['1', 'true', 'on', '0', 'false', 'off', undefined];
  expect(words.filter(isTrue)).toEqual(['1', 'true', 'on']);
});

describe('the times of a workbook', () => {
  it.each([
    ['h:mm', 20],
    ['[h]:mm:ss', 46],
  ])('are read with the format %s as the minute that they show', (_code, id) => {
    const format = cellFormat(id, undefined, false).number;
    expect(MINUTES.map((minute) => format(minute / 1440))).toEqual(
      MINUTES.map((minute) => new SheetMoment(written(minute))),
    );
  });

  it.each([61, 46_359, 2_958_465])('are read on day %i as the minute that they show', (day) => {
    const format = cellFormat(0, 'yyyy-mm-dd hh:mm', false).number;
    const shown = format(day);
    const date = shown instanceof SheetMoment ? shown.text.slice(0, 'YYYY-MM-DD'.length) : '';
    // A number has fewer digits for the time the later the day is.
    expect(MINUTES.map((minute) => format(day + minute / 1440))).toEqual(
      MINUTES.map((minute) => new SheetMoment(`${date} ${written(minute)}`)),
    );
  });

  it.each([
    ['1900', 61, 2_958_465],
    ['1904', 0, 2_957_003],
  ])('are dates from the first day to the last of the calendar of %s', (calendar, first, last) => {
    const format = cellFormat(0, 'yyyy-mm-dd', calendar === '1904').number;
    for (const day of [first, last]) expect(format(day)).toBeInstanceOf(SheetMoment);
    for (const day of [first - 1, last + 1]) expect(format(day)).toBeInstanceOf(BadCell);
  });
});
