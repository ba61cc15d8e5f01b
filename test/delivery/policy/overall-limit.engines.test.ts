import { codeAcceptance, hasRoomFor } from '../../../src/delivery/policy/accept-code';
import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

/** How many codes a caller gets on top of those that were counted already, of so many for all. */
function roomOf(
  caller: string,
  most: number,
  known: readonly string[],
  used: Readonly<Record<string, number>> = {},
) {
  const counted = new Map(Object.entries(used));
  let room = 0;
  for (;;) {
    const codes = [...counted].map(([name, sum]) => ({ caller: name, codes: sum }));
    if (room > most || !hasRoomFor(caller, most, known, codes)) return room;
    counted.set(caller, (counted.get(caller) ?? 0) + 1);
    room += 1;
  }
}

describe('the daily limit on codes', () => {
  it('is first come, first served if no caller is known', () => {
    expect([roomOf('', 10, []), roomOf('', 10, [], { '': 7 }), roomOf('', 10, [], { '': 10 })]).toEqual([
      10, 3, 0,
    ]);
  });

  it('reserves half for the known callers, in equal shares', () => {
    expect([roomOf('', 10, ['a', 'b']), roomOf('', 5, ['a', 'b']), roomOf('', 9, ['a'])]).toEqual([6, 3, 5]);
  });

  it('gives a caller its own share and whatever is not reserved for others', () => {
    expect([roomOf('a', 10, ['a', 'b']), roomOf('a', 10, ['a', 'b'], { '': 6 })]).toEqual([8, 2]);
  });

  it('reserves nothing for a caller that has used up its share, and only the rest for another', () => {
    expect(roomOf('', 10, ['a', 'b'], { a: 3 })).toBe(5);
    expect(roomOf('', 10, ['a', 'b'], { a: 1 })).toBe(6);
    expect(roomOf('', 10, ['a', 'b'], { a: 3, b: 2 })).toBe(5);
  });
});

describe.each(ENGINES)('the daily limit on codes on %s', (engine) => {
  const database = useDatabase(engine);

  it('keeps the share of a known caller', async () => {
    const limits = { repeatMs: 0, coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: 3 };
    const policy = { limits, countries: undefined, knownCallers: () => ['portal'] };
    const accept = codeAcceptance(await database.open(), policy, () => undefined);
    const createdAt = Date.parse('2026-03-02T10:00:00Z');
    const kinds: string[] = [];
    for (const [at, caller] of [undefined, undefined, undefined, 'portal', 'portal'].entries()) {
      const phone = `+9055511100${String(at + 10)}`;
      kinds.push((await accept({ code: '1', phone, caller, createdAt, expiresAt: createdAt + 60_000 })).kind);
    }
    expect(kinds).toEqual(['stored', 'stored', 'too-many', 'stored', 'too-many']);
  });

  it('holds for many codes at once, requested from two nodes', async () => {
    const most = 10;
    const limits = { repeatMs: 0, coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: most };
    const stores = [await database.open(), await database.open()] as const;
    const acceptOn = (store: Store) =>
      codeAcceptance(store, { limits, countries: undefined }, () => undefined);
    const [one, other] = [acceptOn(stores[0]), acceptOn(stores[1])];
    const createdAt = Date.parse('2026-03-02T10:00:00Z');
    const asked = Array.from({ length: 60 }, (_, at) => {
      const phone = `+9055511100${String(at + 10)}`;
      return (at % 2 === 0 ? one : other)({ code: '1', phone, createdAt, expiresAt: createdAt + 60_000 });
    });
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'stored')).toHaveLength(most);
    expect(kinds.filter((kind) => kind === 'too-many')).toHaveLength(60 - most);
    expect(await stores[0].sentCodes.ofDay(Math.floor(createdAt / 86_400_000))).toEqual([
      { caller: '', codes: most },
    ]);
  });
});
