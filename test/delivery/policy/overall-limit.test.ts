import { hasRoomFor } from '../../../src/delivery/policy/overall-limit';

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

describe('the limit on the codes of a day', () => {
  it('goes to whoever comes first where no caller is known', () => {
    expect([roomOf('', 10, []), roomOf('', 10, [], { '': 7 }), roomOf('', 10, [], { '': 10 })]).toEqual([
      10, 3, 0,
    ]);
  });

  it('keeps half of it for the known callers, the same share for each', () => {
    expect([roomOf('', 10, ['a', 'b']), roomOf('', 5, ['a', 'b']), roomOf('', 9, ['a'])]).toEqual([6, 3, 5]);
  });

  it('gives a caller its own share and what is not kept for others', () => {
    expect([roomOf('a', 10, ['a', 'b']), roomOf('a', 10, ['a', 'b'], { '': 6 })]).toEqual([8, 2]);
  });

  it('keeps nothing for a caller that has used up its share, and what is left of it for another', () => {
    expect(roomOf('', 10, ['a', 'b'], { a: 3 })).toBe(5);
    expect(roomOf('', 10, ['a', 'b'], { a: 1 })).toBe(6);
    expect(roomOf('', 10, ['a', 'b'], { a: 3, b: 2 })).toBe(5);
  });
});
