import { Sessions } from '../../../src/admin/login/sessions';

describe('sessions', () => {
  it('are limited to a thousand: the oldest end first', () => {
    const sessions = new Sessions();
    const made = Array.from({ length: 1002 }, () => sessions.begin('anna', 'hash'));
    const there = made.map(({ id }) => sessions.find(id) !== undefined);
    expect(there.indexOf(true)).toBe(2);
    expect(there.lastIndexOf(false)).toBe(1);
  });

  it('cut off no complete answer', () => {
    const sessions = new Sessions();
    const { id } = sessions.begin('anna', 'hash');
    const cut: string[] = [];
    const complete = sessions.answering(id, () => cut.push('first'));
    sessions.answering(id, () => cut.push('second'));
    complete();
    sessions.end(id);
    sessions.end(id);
    expect(cut).toEqual(['second']);
  });

  it('cut off the answers of sessions that end together, and of no other', () => {
    const sessions = new Sessions();
    const cut: string[] = [];
    for (const name of ['anna', 'ben']) {
      const { id } = sessions.begin(name, 'hash');
      sessions.answering(id, () => cut.push(name));
    }
    sessions.endUnless(({ name }) => name === 'anna');
    expect(cut).toEqual(['ben']);
  });
});
