import { NodeShare } from '../../../src/delivery/senders/node-share';
import type { NodeRecord } from '../../../src/store';

const START = Date.parse('2026-03-02T10:00:00Z');

/** A node that looks at the nodes in its database as time passes. */
class Looking {
  readonly nodes: NodeRecord[] = [];
  #elapsed = 0;
  readonly #share = new NodeShare(
    { nodes: { list: () => Promise.resolve(this.nodes) } as never },
    'own:1',
    () => this.#elapsed,
  );

  get isSettling(): boolean {
    return this.#share.isSettling;
  }

  /** @param after - milliseconds since the look before */
  after(after: number): Promise<number> {
    this.#elapsed += after;
    return this.#share.look(START + this.#elapsed);
  }

  reports(name: string, more: Partial<NodeRecord> = {}): void {
    const circuits = [{ channel: 'sms', isOpen: false }] as const;
    const heardAt = START + this.#elapsed;
    this.nodes.push({ name, version: '1', processes: 1, circuits, heardAt, ...more });
  }
}

describe('the share of a node', () => {
  it('is everything from the second look for a lone node, whatever it reported before', async () => {
    const node = new Looking();
    expect(await node.after(0)).toBe(Infinity);
    node.reports('own:1');
    expect(await node.after(500)).toBe(1);
    const restarted = new Looking();
    restarted.reports('own:1', { heardAt: START - 1000 });
    restarted.reports('gone:1', { heardAt: START - 200_000 });
    restarted.reports('web:1', { circuits: [] });
    await restarted.after(0);
    expect(await restarted.after(500)).toBe(1);
  });

  it('is nothing for a node that joins others, until they have seen it', async () => {
    const node = new Looking();
    node.reports('other:1', { heardAt: START - 30_000 });
    node.reports('own:1', { heardAt: START - 60_000 });
    expect(await node.after(0)).toBe(Infinity);
    expect(await node.after(2000)).toBe(Infinity);
    node.nodes.pop();
    node.reports('own:1');
    expect(await node.after(500)).toBe(Infinity);
    expect(await node.after(4000)).toBe(Infinity);
    expect(await node.after(500)).toBe(2);
    node.reports('third:1');
    expect(await node.after(2000)).toBe(3);
  });

  it('is taken where the others leave, or its own report never arrives', async () => {
    const left = new Looking();
    left.reports('other:1');
    expect(await left.after(0)).toBe(Infinity);
    left.nodes.pop();
    expect(await left.after(2000)).toBe(1);
    const unheard = new Looking();
    unheard.reports('other:1');
    expect(await unheard.after(0)).toBe(Infinity);
    expect(await unheard.after(15_000)).toBe(Infinity);
    expect(await unheard.after(1)).toBe(2);
  });

  it('is shared by nodes that start together, which look often at first', async () => {
    const node = new Looking();
    expect(await node.after(0)).toBe(Infinity);
    node.reports('other:1');
    expect(node.isSettling).toBe(true);
    expect(await node.after(500)).toBe(2);
    for (let look = 2; look < 10; look += 1) await node.after(500);
    expect(node.isSettling).toBe(false);
  });
});
