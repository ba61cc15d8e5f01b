import { LineGatherer } from '../../src/telemetry/line-gatherer';

function gatherer(blockBytes: number, intervalMs = 60_000) {
  const blocks: string[] = [];
  let finish = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const write = (block: Buffer): void => {
    blocks.push(block.toString());
    finish();
  };
  return { blocks, arrived, lines: new LineGatherer({ write }, blockBytes, intervalMs) };
}

describe('lines on their way to the log', () => {
  it('are written in blocks of whole lines up to the maximum length', () => {
    const { blocks, lines } = gatherer(100);
    const written = Array.from({ length: 50 }, (_, at) => `line ${String(at)} …\n`);
    for (const line of written) lines.write(line);
    lines.flush();
    expect(blocks.join('')).toBe(written.join(''));
    expect(blocks.length).toBeLessThan(50);
    for (const block of blocks) {
      expect(block.endsWith('\n')).toBe(true);
      expect(Buffer.byteLength(block)).toBeLessThanOrEqual(100);
    }
  });

  it('keep their order when one is longer than a block', () => {
    const { blocks, lines } = gatherer(40);
    const long = `${'x'.repeat(200)}\n`;
    for (const line of ['a\n', long, 'b\n']) lines.write(line);
    lines.flush();
    expect(blocks).toEqual(['a\n', long, 'b\n']);
  });

  it('do not wait for a block to be full', async () => {
    const { blocks, arrived, lines } = gatherer(4096, 1);
    const alive = setInterval(() => undefined, 1000); // The gatherer keeps no process alive.
    lines.write('a\n');
    await arrived;
    clearInterval(alive);
    expect(blocks).toEqual(['a\n']);
  });

  it('use no more memory than they need, whatever the maximum length', () => {
    const kept: Buffer[] = [];
    const lines = new LineGatherer({ write: (block) => kept.push(block) }, 1_000_000, 60_000);
    lines.write('a\n');
    lines.flush();
    expect(kept[0]?.buffer.byteLength).toBeLessThan(100_000);
  });

  it('never change bytes that were passed on', () => {
    const kept: Buffer[] = [];
    const lines = new LineGatherer({ write: (block) => kept.push(block) }, 4096, 60_000);
    lines.write('a\n');
    lines.flush();
    lines.write('b\n');
    lines.flush();
    expect(kept.map(String)).toEqual(['a\n', 'b\n']);
  });
});
