import type { Connection } from '../../../src/store/engine/engine';
import type { HotStatement } from '../../../src/store/engine/hot-statement';
import { Students } from '../../../src/store/queries/students';
import { Devices } from '../../../src/store/queries/devices';

type Texts = readonly [ids: string | null, fullNames: string | null, deviceIds: string | null];

/** A database that returns these students for every school, and counts how often it was asked for them. */
class ListedStudents {
  version: string | null = 'v1';
  texts: Texts = ['S1', 'Ada L.', 'D1'];
  reads = 0;
  /** Called between the reading of the version and that of the list. */
  beforeList = (): void => undefined;
  readonly students: Students;

  constructor() {
    const rows = ({ name }: HotStatement<never, never>): Promise<unknown> => {
      if (name === 'version_of_students') return Promise.resolve([[this.version]]);
      this.beforeList();
      this.reads += 1;
      return Promise.resolve([[...this.texts, this.version]]);
    };
    this.students = new Students({ engine: 'sqlite', rows } as unknown as Connection);
  }

  /** Makes every list this long. */
  setLength(length: number): void {
    const texts = Array.from({ length }, () => 'x').join('\u001f');
    this.texts = [texts, texts, texts];
  }
}

function studentsOf(texts: Texts): Students {
  const listed = new ListedStudents();
  listed.texts = texts;
  return listed.students;
}

describe('the students that the database returns in three texts', () => {
  it('are split at the separators, including empty values', async () => {
    const texts: Texts = ['S1\u001fS2\u001f', 'Ada L.\u001f\u001fبدر', 'D1\u001f\u001fD3'];
    await expect(studentsOf(texts).ofSchool('http://a.example', 'Y')).resolves.toEqual([
      { id: 'S1', fullName: 'Ada L.', deviceId: 'D1', showActive: 'Y' },
      { id: 'S2', fullName: '', deviceId: '', showActive: 'Y' },
      { id: '', fullName: 'بدر', deviceId: 'D3', showActive: 'Y' },
    ]);
  });

  it('may include one with no data', async () => {
    await expect(studentsOf(['', '', '']).ofSchool('http://a.example', 'Y')).resolves.toEqual([
      { id: '', fullName: '', deviceId: '', showActive: 'Y' },
    ]);
  });

  it('are an empty list if it returns none', async () => {
    await expect(studentsOf([null, null, null]).ofSchool('http://a.example', 'Y')).resolves.toEqual([]);
  });

  it.each<Texts>([
    ['S1\u001fS2', 'Name', 'D1'],
    ['S1', 'Na\u001fme', 'D1'],
    ['S1', 'Name', 'D\u001f1'],
    ['S1', 'Name', null],
  ])('are refused if the database contains a separator: %j %j %j', async (...texts) => {
    await expect(studentsOf(texts).ofSchool('http://a.example', 'Y')).rejects.toMatchObject({
      trouble: 'corrupt',
    });
  });
});

describe('a list of students', () => {
  const A = 'http://a.example';
  let listed: ListedStudents;
  beforeEach(() => {
    listed = new ListedStudents();
  });

  it('is read once for as long as nothing changes, by school and flag', async () => {
    const first = await listed.students.ofSchool(A, 'Y');
    expect(await listed.students.ofSchool(A, 'Y')).toEqual(first);
    expect(listed.reads).toBe(1);
    await listed.students.ofSchool(A, 'N');
    await listed.students.ofSchool('http://b.example', 'Y');
    expect(listed.reads).toBe(3);
  });

  it('is read again after a change', async () => {
    await listed.students.ofSchool(A, 'Y');
    listed.version = 'v2';
    listed.texts = ['S2', 'Alan T.', ''];
    const changed = [{ id: 'S2', fullName: 'Alan T.', deviceId: '', showActive: 'Y' }];
    expect(await listed.students.ofSchool(A, 'Y')).toEqual(changed);
    expect(await listed.students.ofSchool(A, 'Y')).toEqual(changed);
    expect(listed.reads).toBe(2);
  });

  it('that changes while it is read counts as the version it was read with', async () => {
    listed.beforeList = () => {
      listed.version = 'v2';
    };
    await listed.students.ofSchool(A, 'Y');
    listed.version = 'v1';
    await listed.students.ofSchool(A, 'Y');
    expect(listed.reads).toBe(2);
  });

  it('is always read from a database that has no version', async () => {
    listed.version = null;
    for (let at = 0; at < 2; at += 1) await listed.students.ofSchool(A, 'Y');
    expect(listed.reads).toBe(2);
  });

  it('has the room of those of another version, however large they were', async () => {
    listed.setLength(30_000);
    await listed.students.ofSchool(A, 'Y');
    listed.version = 'v2';
    for (let at = 0; at < 2; at += 1) await listed.students.ofSchool(A, 'Y');
    expect(listed.reads).toBe(2);
  });

  it('without students is not remembered, since callers can make up schools', async () => {
    listed.texts = [null, null, null];
    for (let at = 0; at < 2; at += 1) await listed.students.ofSchool(A, 'Y');
    expect(listed.reads).toBe(2);
  });

  it('is forgotten before others once all together are too long, if it was read longest ago', async () => {
    listed.setLength(20_000);
    await listed.students.ofSchool(A, 'Y');
    await listed.students.ofSchool('http://b.example', 'Y');
    await listed.students.ofSchool(A, 'Y');
    await listed.students.ofSchool('http://c.example', 'Y');
    expect(listed.reads).toBe(3);
    await listed.students.ofSchool(A, 'Y');
    await listed.students.ofSchool('http://c.example', 'Y');
    expect(listed.reads).toBe(3);
    await listed.students.ofSchool('http://b.example', 'Y');
    expect(listed.reads).toBe(4);
  });

  it('that is too long by itself leaves the others remembered', async () => {
    await listed.students.ofSchool(A, 'Y');
    listed.setLength(50_001);
    for (let at = 0; at < 2; at += 1) await listed.students.ofSchool('http://b.example', 'Y');
    expect(listed.reads).toBe(3);
    await listed.students.ofSchool(A, 'Y');
    expect(listed.reads).toBe(3);
  });

  it('read twice at once counts once', async () => {
    listed.setLength(20_000);
    await Promise.all([A, A, 'http://b.example'].map((school) => listed.students.ofSchool(school, 'Y')));
    expect(listed.reads).toBe(3);
    await listed.students.ofSchool(A, 'Y');
    expect(listed.reads).toBe(3);
  });
});

describe('the token of a device', () => {
  let version: string | null;
  let tokens: Map<string, string>;
  let reads: string[];
  let devices: Devices;
  beforeEach(() => {
    version = 'v1';
    tokens = new Map([
      ['D1', 'token-1'],
      ['D2', 'token-2'],
    ]);
    reads = [];
    const rows = (
      { name }: HotStatement<never, never>,
      values?: { readonly id: string },
    ): Promise<unknown> => {
      if (values === undefined) return Promise.resolve([[version]]);
      reads.push(name === 'token_of_device' ? values.id : name);
      const token = tokens.get(values.id);
      return Promise.resolve(token === undefined ? [] : [[token, version]]);
    };
    devices = new Devices({ engine: 'sqlite', rows } as unknown as Connection);
  });

  const tokensOf = async (...ids: readonly string[]) => {
    const found: string[] = [];
    for (const id of ids) found.push(await devices.tokenOf(id));
    return found;
  };

  it('is read once for as long as nothing changes', async () => {
    expect(await tokensOf('D1', 'D2', 'D1', 'D2')).toEqual(['token-1', 'token-2', 'token-1', 'token-2']);
    expect(reads).toEqual(['D1', 'D2']);
    version = 'v2';
    tokens.set('D1', 'token-9').delete('D2');
    expect(await tokensOf('D1', 'D2', 'D1')).toEqual(['token-9', '', 'token-9']);
    expect(reads).toEqual(['D1', 'D2', 'D1', 'D2']);
  });

  it('of an unknown device is not remembered, since callers can make up devices', async () => {
    tokens.set('D3', '');
    expect(await tokensOf('D0', 'D3', 'D0', 'D3')).toEqual(['', '', '', '']);
    expect(reads).toEqual(['D0', 'D3', 'D0', 'D3']);
  });

  it('is always read from a database that has no version', async () => {
    version = null;
    expect(await tokensOf('D1', 'D1')).toEqual(['token-1', 'token-1']);
    expect(reads).toEqual(['D1', 'D1']);
  });

  it('is forgotten before others if it was read longest ago', async () => {
    const ids = Array.from({ length: 50_000 }, (_, at) => `D${String(at + 1)}`);
    for (const id of ids) tokens.set(id, `token of ${id}`);
    await tokensOf(...ids, 'D1');
    tokens.set('D0', 'token-0');
    await tokensOf('D0');
    reads = [];
    await tokensOf('D0', 'D1', 'D3');
    expect(reads).toEqual([]);
    await tokensOf('D2');
    expect(reads).toEqual(['D2']);
  });
});
