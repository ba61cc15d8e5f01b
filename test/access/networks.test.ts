import net, { BlockList } from 'node:net';

import { addNetwork, isIn, networkKey } from '../../src/access/networks';
import { plainAddress } from '../../src/asmx/internal';

describe('a network', () => {
  it.each<[string, string[], string[]]>([
    ['10.1.0.0/16', ['10.1.0.1', '10.1.255.255'], ['10.2.0.0', '::1']],
    ['10.1.2.3', ['10.1.2.3'], ['10.1.2.4']],
    ['0.0.0.0/0', ['1.2.3.4'], []],
    ['2001:db8::/32', ['2001:db8:1::1'], ['2001:db9::1', '10.1.0.1']],
    ['::1', ['::1'], ['::2', '127.0.0.1']],
  ])('%s contains only its own addresses', (network, inside, outside) => {
    const list = new BlockList();
    expect(addNetwork(list, network)).toBe(true);
    for (const address of inside) expect(isIn(list, address)).toBe(true);
    for (const address of outside) expect(isIn(list, address)).toBe(false);
  });

  it.each([
    '',
    '10.1',
    '10.1.0.0/33',
    '10.1.0.0/',
    '10.1.0.0/16/2',
    '10.1.0.0/-1',
    '::/129',
    'school',
    'fe80::1%1',
  ])('cannot be %s', (text) => {
    expect(addNetwork(new BlockList(), text)).toBe(false);
  });
});

describe('an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['::ffff:192.168.100.254', '192.168.100.254'],
    ['64:ff9b::ffff:10.0.0.1', '64:ff9b::ffff:10.0.0.1'],
    ['::ffff:10.0.0.1.2', undefined],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    ['_hidden', undefined],
    [undefined, undefined],
  ])('%s is compared as %s', (text, plain) => {
    expect(plainAddress(text)).toBe(plain);
  });

  it('is remembered as compared for the thousand used last', () => {
    const checked = jest.spyOn(net, 'isIP');
    try {
      const addresses = Array.from(
        { length: 1_001 },
        (_, at) => `::ffff:10.9.${String(at >> 8)}.${String(at & 255)}`,
      );
      for (const address of addresses) plainAddress(address);
      checked.mockClear();
      expect(plainAddress(addresses[1])).toBe('10.9.0.1');
      expect(checked).not.toHaveBeenCalled();
      expect(plainAddress(addresses[0])).toBe('10.9.0.0');
      expect(checked).toHaveBeenCalled();
    } finally {
      checked.mockRestore();
    }
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['1::2:3:4:5:6:7', '1:0:2:3'],
    ['::2:3:4:5:6:7:8', '0:2:3:4'],
    ['1:2:3::', '1:2:3:0'],
    ['::', '0:0:0:0'],
    [undefined, 'unknown'],
  ])('%s is counted as %s', (address, place) => {
    expect(networkKey(address)).toBe(place);
  });
});
