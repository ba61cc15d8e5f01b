// Beyond the wire contract, section 3.4: the memory that the bodies of the requests under way share.

import { BodyShare, BodySpace, needsShare } from '../../../src/asmx/http/request-body';

const KILOBYTE = 1024;

/** A space with this number of places for large bodies, and how often it was full. */
function open(places: number) {
  let full = 0;
  const space = new BodySpace(places, () => (full += 1));
  return { share: () => new BodyShare(space), timesFull: () => full };
}

describe('the space for request bodies', () => {
  it('is not needed for bodies of up to 4 KB', () => {
    expect(needsShare(4 * KILOBYTE)).toBe(false);
    expect(needsShare(4 * KILOBYTE + 1)).toBe(true);
  });

  it('holds 32 MB of bodies of up to 64 KB', () => {
    const { share, timesFull } = open(0);
    const shares = Array.from({ length: 512 }, share);
    expect(shares.every((each) => each.reach(64 * KILOBYTE))).toBe(true);
    expect(timesFull()).toBe(0);
    expect(share().reach(1)).toBe(false);
    expect(timesFull()).toBe(1);

    shares[0]?.release();
    expect(share().reach(64 * KILOBYTE)).toBe(true);
    expect(share().reach(1)).toBe(false);
  });

  it('is counted once for a growing body', () => {
    const { share } = open(0);
    const shares = Array.from({ length: 512 }, share);
    for (const kilobytes of [10, 30, 64]) {
      expect(shares.every((each) => each.reach(kilobytes * KILOBYTE))).toBe(true);
    }
    expect(share().reach(1)).toBe(false);
  });

  it('has a limited number of places for bodies over 64 KB, however large they grow', () => {
    const { share, timesFull } = open(2);
    const [first, second, third] = [share(), share(), share()];
    expect(first.reach(64 * KILOBYTE + 1)).toBe(true);
    expect(first.reach(4000 * KILOBYTE)).toBe(true);
    expect(second.reach(65 * KILOBYTE)).toBe(true);
    expect(third.reach(65 * KILOBYTE)).toBe(false);
    expect(timesFull()).toBe(1);

    first.release();
    expect(third.reach(65 * KILOBYTE)).toBe(true);
    first.release();
    expect(first.reach(65 * KILOBYTE)).toBe(false);
  });

  it('gets back the share of a body that moves to a place', () => {
    const { share } = open(1);
    const large = share();
    expect(large.reach(64 * KILOBYTE)).toBe(true);
    expect(large.reach(65 * KILOBYTE)).toBe(true);
    expect(Array.from({ length: 512 }, share).every((each) => each.reach(64 * KILOBYTE))).toBe(true);
  });

  it('gets back a share once, however often it is released', () => {
    const { share } = open(0);
    const shares = Array.from({ length: 512 }, share);
    expect(shares.every((each) => each.reach(64 * KILOBYTE))).toBe(true);
    for (let turn = 0; turn < 3; turn += 1) shares[0]?.release();
    expect(share().reach(64 * KILOBYTE)).toBe(true);
    expect(share().reach(1)).toBe(false);
  });

  it('gets back once the share that a body held before it moved to a place', () => {
    const { share } = open(1);
    const large = share();
    expect(large.reach(64 * KILOBYTE)).toBe(true);
    expect(large.reach(65 * KILOBYTE)).toBe(true);
    large.release();
    const others = Array.from({ length: 512 }, share);
    expect(others.every((each) => each.reach(64 * KILOBYTE))).toBe(true);
    expect(share().reach(1)).toBe(false);
  });

  it('keeps counting a body that has no room to grow', () => {
    const { share } = open(0);
    const body = share();
    expect(body.reach(32 * KILOBYTE)).toBe(true);
    expect(body.reach(65 * KILOBYTE)).toBe(false);
    const others = Array.from({ length: 511 }, share);
    expect(others.every((each) => each.reach(64 * KILOBYTE))).toBe(true);
    expect(share().reach(32 * KILOBYTE)).toBe(true);
    expect(share().reach(1)).toBe(false);
  });
});
