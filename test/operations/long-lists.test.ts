import { getStudentSchool } from '../../src/operations/get-student-school';

/** Asks for the students of schools that are named by their sizes, and keeps what happened in which order. */
function listener() {
  const events: string[] = [];
  const list = getStudentSchool({
    students: {
      ofSchool: (school) => {
        const size = new URL(school).hostname;
        events.push(size);
        if (size === 's-1') return Promise.reject(new Error('The database is gone.'));
        const student = { id: 'S', fullName: 'N', deviceId: '', showActive: 'Y' };
        return Promise.resolve(Array.from({ length: Number(size.slice(1)) }, () => student));
      },
    },
  });
  const ask = (size: number) =>
    list({ school_base_url: `http://s${String(size)}`, show_active: 'Y' }, { annotate: () => undefined });
  /** Holds what other callers are answered with in the meantime: once in each turn of the event loop. */
  let immediate: NodeJS.Immediate;
  const others = () => {
    immediate = setImmediate(() => {
      events.push('others');
      others();
    });
  };
  const noMoreOthers = () => {
    clearImmediate(immediate);
  };
  return { events, ask, others, noMoreOthers };
}

describe('long lists', () => {
  it('requested at once are built one per turn of the event loop, in order', async () => {
    const { events, ask, others, noMoreOthers } = listener();
    others();
    await ask(10_000);
    const lists = await Promise.all([9_000, 8_000].map(ask));
    noMoreOthers();
    expect(lists.map((list) => list?.length)).toEqual([9_000, 8_000]);
    expect(events).toEqual(['s10000', 'others', 's9000', 'others', 's8000']);
  });

  it('requested before the first is built do not delay other work', async () => {
    const { events, ask, others, noMoreOthers } = listener();
    others();
    await Promise.all(Array.from({ length: 40 }, () => ask(10_000)));
    noMoreOthers();
    const rows = events
      .join(' ')
      .split('others')
      .map((made) => made.trim().split(' ').length);
    // The first ones are made before anybody knows how long they are.
    expect(Math.max(...rows)).toBeLessThanOrEqual(4);
  });

  it('make room for the next if one cannot be built', async () => {
    const { ask } = listener();
    const lists = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => ask(at < 10 ? -1 : 600)));
    expect(lists.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 10 }, () => 'rejected'),
      ...Array.from({ length: 10 }, () => 'fulfilled'),
    ]);
  });

  it('delay short ones after them only until the next turn', async () => {
    const { events, ask, others, noMoreOthers } = listener();
    others();
    await ask(10_000);
    expect(await ask(3)).toHaveLength(3);
    noMoreOthers();
    expect(events).toEqual(['s10000', 'others', 's3']);
  });

  it('include those whose length was forgotten, because too many were requested since', async () => {
    const reads: string[] = [];
    const ofSchool = (school: string) => {
      reads.push(school);
      return Promise.resolve([{ id: 'S', fullName: 'N', deviceId: '', showActive: 'Y' }]);
    };
    const list = getStudentSchool({ students: { ofSchool } });
    const ask = (school: number) =>
      list({ school_base_url: `http://s${String(school)}`, show_active: 'Y' }, { annotate: () => undefined });
    for (let school = 0; school < 1_008; school += 1) await ask(school);
    const readAtOnce = async (first: number): Promise<number> => {
      reads.length = 0;
      const lists = Array.from({ length: 8 }, (_, at) => ask(first + at));
      const { length } = reads;
      await Promise.all(lists);
      return length;
    };
    expect(await readAtOnce(1_000)).toBe(8);
    expect(await readAtOnce(0)).toBe(4);
  });

  it('do not include many short ones together', async () => {
    const { events, ask, others, noMoreOthers } = listener();
    others();
    for (let at = 0; at < 100; at += 1) await ask(30);
    noMoreOthers();
    expect(events).not.toContain('others');
  });
});
