import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';

import { exchange, get, type RawRequest, request, token11, token12 } from '../../../../scripts/harness';
import type { HttpRequest } from '../../../../src/features/migration/messages';
import { Recorder } from '../../../../src/features/migration/reverse-proxy/recorder';
import { writeLine } from '../../../../src/features/migration/traffic/own-lines';
import { useFolder } from '../../../harness/use-folder';
import { startProxy, startOld, useClosing, useCutOver } from './use-reverse-proxy';
import { makeNamedPipe } from '../../../harness/named-pipe';

const closing = useClosing();
const folder = useFolder();
const writeModes = useCutOver();

function recorder(name: string, options: Partial<ConstructorParameters<typeof Recorder>[0]> = {}) {
  const noted: Record<string, number> = {};
  const errors: string[] = [];
  const path = join(folder, name, 'record.jsonl');
  const made = new Recorder({
    path,
    maxBytes: 1_000_000,
    note: (outcome, requests) => (noted[outcome] = (noted[outcome] ?? 0) + requests),
    onError: (word) => void errors.push(word),
    ...options,
  });
  return { recorder: made, noted, errors, path };
}

/** Returns the lines of a file, without empty ones. */
const linesOf = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

const message = (target: string, body = ''): HttpRequest => ({
  method: 'POST',
  target,
  headers: [['X-A', 'ü']],
  body: Buffer.from(body),
});

describe('the recording', () => {
  it('contains each request as sent, whichever server answers it, without its connection headers', async () => {
    const { recorder: made, path, noted } = recorder('all');
    const old = closing(
      await startOld((asked, response) => void asked.resume().on('end', () => response.end('old'))),
    );
    const cutOverFile = writeModes({ GetTokenDevice: { soap11: 'new', soap12: 'fallback', get: 'new' } });
    const proxy = closing(await startProxy({ old: old.port, cutoverFile: cutOverFile, recorder: made }));
    const sent: readonly RawRequest[] = [
      token11('new'),
      token12('read and new'),
      get('PushNotificationMobile', 'GetTokenDevice', 'id=new'),
      request('post', 'PushNotificationMobile', 'GetTokenDevice', { id: 'compared' }),
      request('soap11', 'AuthCodeSending', 'AuthCode', { code: '1', phone: 'old' }),
      { path: '/GetNoteType.asmx?WSDL', headers: [['X-Key', 'a']] },
    ];
    for (const each of sent) await exchange(proxy.port, each);
    await exchange(proxy.port, { path: '/elsewhere' });
    await exchange(proxy.port, token11('a'.repeat(20_000)));
    await made.close();
    expect(linesOf(path).map((line) => `${line}\n`)).toEqual(
      sent.map(({ path: target, headers = [], body = '' }) =>
        writeLine({
          method: body === '' ? 'GET' : 'POST',
          target,
          headers: [['Host', `127.0.0.1:${String(proxy.port)}`], ...headers],
          body: Buffer.from(String(body)),
        }),
      ),
    );
    expect(noted).toEqual({ recorded: 6, too_large: 1 });
  });

  it('is readable only by its owner', async () => {
    const { recorder: made, path } = recorder('private');
    made.record(message('/a'));
    await made.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each(['that goes', 'that stands still'])(
    'starts a new file when one is full, and removes the oldest to stay within the limit, by a clock %s',
    async (clock) => {
      const name = `rotated by a clock ${clock}`;
      const now = jest.spyOn(Date, 'now');
      if (clock === 'that stands still') now.mockReturnValue(Date.now());
      const { recorder: made } = recorder(name, { maxBytes: 40_000 });
      for (let turn = 0; turn < 200; turn += 1) {
        made.record(message(`/${String(turn)}`, 'x'.repeat(700)));
        // Each is written by itself.
        await made.close();
      }
      now.mockRestore();
      const names = readdirSync(join(folder, name)).sort();
      const sizes = names.map((each) => statSync(join(folder, name, each)).size);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(40_000);
      expect(names.length).toBeGreaterThan(2);
      const targets = names
        // The one that is written has the shortest name.
        .toSorted((a, b) => b.length - a.length || a.localeCompare(b))
        .flatMap((each) => linesOf(join(folder, name, each)))
        .map((line) => (JSON.parse(line) as { target: string }).target);
      const first = 200 - targets.length;
      expect(targets).toEqual(targets.map((_, index) => `/${String(first + index)}`));
    },
  );

  it('never exceeds its limit, however much arrives at once', async () => {
    const { recorder: made } = recorder('bursts', { maxBytes: 40_000 });
    let longest = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      for (let line = 0; line < 1 + (turn % 8); line += 1) made.record(message('/a', 'x'.repeat(700)));
      await made.close();
      const names = readdirSync(join(folder, 'bursts'));
      const bytes = names.reduce((sum, name) => sum + statSync(join(folder, 'bursts', name)).size, 0);
      longest = Math.max(longest, bytes);
    }
    expect(longest).toBeLessThanOrEqual(40_000);
    // It is not far from it either.
    expect(longest).toBeGreaterThan(30_000);
  });

  it('neither removes nor counts other files of its folder', async () => {
    const { recorder: made, path } = recorder('neighbors', { maxBytes: 16_000 });
    mkdirSync(join(path, '..'));
    const others = ['another.jsonl.1', 'record.jsonl-copy', 'z.jsonl'];
    for (const name of others) writeFileSync(join(path, '..', name), 'x'.repeat(20_000));
    for (let turn = 0; turn < 60; turn += 1) {
      made.record(message('/a', 'x'.repeat(700)));
      await made.close();
    }
    const names = readdirSync(join(path, '..'));
    expect(names).toEqual(expect.arrayContaining(others));
    expect(names.length).toBeGreaterThan(others.length + 2);
    // Windows allows no colon in a name.
    for (const name of names.filter((each) => each.startsWith('record.jsonl.')))
      expect(name).toMatch(/^record\.jsonl\.\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-\d+$/);
  });

  it('loses nothing if several processes write and start new files at once', async () => {
    const made = Array.from({ length: 4 }, () => recorder('together', { maxBytes: 100_000 }));
    await Promise.all(
      made.map(async ({ recorder: each }, writer) => {
        for (let turn = 0; turn < 40; turn += 1) {
          each.record(message(`/${String(writer)}-${String(turn)}`, 'x'.repeat(200)));
          await each.close();
        }
      }),
    );
    const targets = readdirSync(join(folder, 'together')).flatMap((name) =>
      linesOf(join(folder, 'together', name)).map((line) => (JSON.parse(line) as { target: string }).target),
    );
    expect(new Set(targets).size).toBe(160);
    expect(targets).toHaveLength(160);
  });

  it('writes what waits for the disk when a reload ends it', async () => {
    const { recorder: made, path, noted } = recorder('ended');
    // The second one waits for the first.
    for (const target of ['/a', '/b']) made.record(message(target));
    made.use(undefined);
    await made.close();
    expect(linesOf(path)).toHaveLength(2);
    expect(noted).toEqual({ recorded: 2 });
  });

  it('starts a new line after one that was cut off', async () => {
    const { recorder: made, path } = recorder('cut');
    mkdirSync(join(folder, 'cut'));
    writeFileSync(path, '{"method":"PO');
    made.record(message('/a'));
    await made.close();
    expect(linesOf(path)).toEqual(['{"method":"PO', writeLine(message('/a')).trim()]);
  });

  it.each([
    ['a link', (file: string): void => symlinkSync('foreign', file), 'is a link'],
    ['a pipe', (file: string): void => makeNamedPipe(file), 'is not a regular file'],
  ])('goes to no file through %s, and waits for none', async (name, make, error) => {
    const { recorder: made, path, noted, errors } = recorder(name);
    mkdirSync(join(path, '..'));
    make(path);
    made.record(message('/a'));
    await made.close();
    expect({ noted, errors }).toEqual({ noted: { dropped: 1 }, errors: [error] });
    expect(readdirSync(join(path, '..'))).toEqual(['record.jsonl']);
  });

  it('keeps what was written where another program prevents a new file, as Excel does on Windows', async () => {
    const { recorder: made, path, noted, errors } = recorder('held', { maxBytes: 1600 });
    jest.spyOn(fs, 'rename').mockRejectedValue(Object.assign(new Error('held'), { code: 'EBUSY' }));
    made.record(message(`/${'held'.repeat(20)}.asmx`));
    await made.close();
    made.record(message('/held.asmx'));
    await made.close();
    made.record(message(`/${'held'.repeat(20)}.asmx`));
    await made.close();
    jest.restoreAllMocks();
    expect(noted).toEqual({ recorded: 3 });
    expect(new Set(errors)).toEqual(new Set(['EBUSY']));
    expect(linesOf(path)).toHaveLength(3);
  });

  it('drops what the disk cannot write in time, and reports the error', async () => {
    const { recorder: made, noted, errors, path } = recorder('broken');
    mkdirSync(path, { recursive: true });
    const long = message('/a', 'x'.repeat(16_000));
    for (let turn = 0; turn < 1000; turn += 1) made.record(long);
    expect(noted['dropped']).toBeGreaterThan(500);
    await made.close();
    expect(noted).toEqual({ dropped: 1000 });
    expect(new Set(errors)).toEqual(new Set(['EISDIR']));
  });
});
