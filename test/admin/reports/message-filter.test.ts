import { keyForm } from '../../../src/store';
import { englishText } from '../../../src/support/phrase';
import { toFilter, type MessageNaming, windowSentence } from '../../../src/admin/reports/message-filter';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;
const filter = (naming: MessageNaming) => toFilter(naming, { country: 'TR', keyForm: keyForm(), now: NOW });

describe('a message filter', () => {
  it('uses ids and schools as they are stored', () => {
    const naming = {
      class: ' 1A\t',
      note: '\u200bN1\u00a0',
      student: 'S1 ',
      school: ' HTTP://A.Example:80/ ',
    };
    expect(filter(naming)).toEqual({
      ...{ classId: '1A', note: 'N1', student: 'S1' },
      school: 'http://a.example',
    });
  });

  it('restricts only by what is given', () => {
    expect(filter({ newerThan: 'any' })).toEqual({});
    expect(filter({ state: 'failed', request: 'R1' })).toEqual({ state: 'failed', request: 'R1' });
  });

  const day = { createdAfter: NOW - 24 * HOUR - 1 };
  it.each<readonly [MessageNaming, ReturnType<typeof filter>, string]>([
    [{}, day, 'of the last 24 hours'],
    [{ state: 'failed' }, { ...day, state: 'failed' }, 'of the last 24 hours'],
    [{ newerThan: '7d' }, { createdAfter: NOW - 7 * 24 * HOUR - 1 }, 'of the last 7 days'],
    [{ newerThan: '1m' }, { createdAfter: NOW - 60_001 }, 'of the last 1 minute'],
    [{ newerThan: 'any' }, {}, 'of any age'],
    [{ newerThan: '2026-03-02' }, { createdAfter: NOW - 10 * HOUR - 1 }, 'since 2026-03-02'],
    [{ olderThan: '2h' }, { createdBefore: NOW - 2 * HOUR }, 'older than 2 hours'],
    [
      { newerThan: '2026-03-02T08:00Z', olderThan: '2026-03-02T09:00Z' },
      { createdAfter: NOW - 2 * HOUR - 1, createdBefore: NOW - HOUR },
      'since 2026-03-02T08:00Z, before 2026-03-02T09:00Z',
    ],
    [{ ids: ['1'] }, { ids: ['1'] }, 'of any age'],
    [{ request: 'R1' }, { request: 'R1' }, 'of any age'],
    [{ student: 'S1' }, { student: 'S1' }, 'of any age'],
    [
      { request: 'R1', newerThan: '1h' },
      { request: 'R1', createdAfter: NOW - HOUR - 1 },
      'of the last 1 hour',
    ],
  ])(
    '%j covers the period given, or the last 24 hours unless it can match only a few',
    (naming, expected, words) => {
      expect(filter(naming)).toEqual(expected);
      expect(englishText(windowSentence(naming))).toBe(words);
    },
  );

  it('finds a phone number at any age', () => {
    expect(filter({ phone: '0555 111 22 33' })).toEqual({
      phone: { number: '+905551112233', masked: ['+90...33', '...33'] },
    });
  });

  it.each(['yesterday', '1w', '2026', ''])('refuses %j as a time', (text) => {
    expect(() => filter({ newerThan: text })).toThrow('not a valid age or time');
    expect(() => filter({ olderThan: text })).toThrow('not a valid age or time');
  });
});
