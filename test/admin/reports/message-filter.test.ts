import { filterOf } from '../../../src/admin/reports/message-filter';

describe('a filter of messages', () => {
  it('names ids and schools as they are stored', () => {
    const naming = {
      class: ' 1A\t',
      note: '\u200bN1\u00a0',
      student: 'S1 ',
      school: ' HTTP://A.Example:80/ ',
    };
    expect(filterOf(naming, undefined)).toEqual({
      ...{ classId: '1A', note: 'N1', student: 'S1' },
      school: 'http://a.example',
    });
  });

  it('asks for nothing that is not named', () => {
    expect(filterOf({}, 'TR')).toEqual({});
    expect(filterOf({ state: 'failed', request: 'R1' }, 'TR')).toEqual({ state: 'failed', request: 'R1' });
  });
});
