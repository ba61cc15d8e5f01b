// What callers chose must not act upon the terminal of the operator, or upon the text of an SMS.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT, writeSchool } from '../../scripts/harness';
import { loadConfig } from '../../src/config';
import { readDeliveryFile } from '../../src/delivery/wording';
import type { Store } from '../../src/store';
import { shown } from '../../src/support/text';
import { runCommand } from '../harness/run-command';
import { useDatabase } from '../harness/test-databases';

/** One of each kind: C0, line ends, DEL, C1, separators, marks, embeddings, overrides, isolates. */
const HOSTILE =
  '\u001b[2J\u0000\u0007\r\n\t\u007f\u009b\u0085\u2028\u2029\u061c\u200e\u200f\u202a\u202e\u2066\u2069';
const ACTING = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe('a text on a terminal', () => {
  it('shows control characters escaped, and everything else unchanged', () => {
    expect(shown(`a${HOSTILE}b`)).toBe(
      'a\\u{1b}[2J\\u{0}\\u{7}\\u{d}\\u{a}\\u{9}\\u{7f}\\u{9b}\\u{85}\\u{2028}\\u{2029}' +
        '\\u{61c}\\u{200e}\\u{200f}\\u{202a}\\u{202e}\\u{2066}\\u{2069}b',
    );
    const harmless = 'Ğüşiöç רמז رمز 👩‍👩‍👧 <&"\'> \u00a0';
    expect(shown(harmless)).toBe(harmless);
  });
});

describe('the commands', () => {
  const database = useDatabase('sqlite');
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  async function command(name: string, ...args: readonly string[]): Promise<string> {
    const { folder, url } = database;
    const { out, err } = await runCommand(name, args, { folder, settings: { DATABASE_URL: url } });
    return out + err;
  }

  it('list and show messages one line each, whatever callers have put into them', async () => {
    const claim = { owner: 'w', limit: 1, now: 1, leaseUntil: 2 } as const;
    const text = HOSTILE.replaceAll('\0', '');
    const id = await store.messages.enqueue({
      ...{ channel: 'push', recipient: `1A${text}`, school: `x${text}`, payload: { note: 'N' } },
      ...{ createdAt: 1, expiresAt: 2, dedupeKey: null },
    });
    await store.outbox.claim({ ...claim, channel: 'push' });
    await store.outbox.settle({
      ...{ id, owner: 'w', leaseUntil: 2, state: 'failed', nextAttemptAt: 1, attempted: true, erase: false },
      ...{ providerId: `p${text}`, reason: { code: 'connection_failed', error: `r${text}` }, now: 2 },
      attempt: {
        ...{ at: 1, provider: `g${text}`, outcome: 'refused', status: 400 },
        reason: { code: 'provider_rejected', status: 400, detail: `q${text}` },
        ...{ milliseconds: 1, parts: null },
      },
    });

    const list = await command('deliveries', 'list', '--newer-than', 'any');
    expect(list).not.toMatch(ACTING);
    expect(list.trimEnd().split('\n')).toHaveLength(2);
    expect(list).toContain('1A\\u{1b}[2J');
    expect(list).toContain('r\\u{1b}[2J');

    const details = await command('deliveries', 'show', id);
    expect(details).not.toMatch(ACTING);
    expect(
      details
        .split('\n\n')[0]
        ?.split('\n')
        .map((line) => line.slice(0, 18).trim()),
    ).toEqual([
      ...['id', 'channel', 'state', 'to', 'school', 'attempts', 'created', 'changed', 'expires'],
      ...['provider id', 'reason', 'explanation', 'time zone'],
    ]);
    expect(details).toContain('p\\u{1b}[2J');
    expect(details.trimEnd().split('\n').at(-1)).toMatch(/^1 .* g\\u\{1b\}.* p\\u\{1b\}.* q\\u\{1b\}/);
  });

  it('name the files of an import without sending control characters to the terminal', async () => {
    const folder = writeSchool(join(database.folder, 'csv'), { note_types: ['1,Exam'] });
    writeFileSync(join(folder, `x\u001b[2J\u202e.csv`), '');
    const output = await command('import', folder);
    expect(output).toContain('x\\u{1b}[2J\\u{202e}.csv: not an import file.');
    expect(output).not.toMatch(ACTING);

    expect(await command('import', join(database.folder, `no\u001b[2J`))).toMatch(/no\\u\{1b\}\[2J/);
  });

  it('export formula-like values unchanged, since an import reads them again', async () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)'];
    const folder = writeSchool(join(database.folder, 'csv'), {
      note_types: names.map((name, at) => `${String(at)},${name}`),
    });
    await store.importFolder(folder);
    await command('export', join(database.folder, 'out'));
    const written = readFileSync(join(database.folder, 'out', 'note_types.csv'), 'utf8');
    for (const name of names) expect(written).toContain(`,${name}\r\n`);
    const page = readFileSync(join(PACKAGE_ROOT, 'docs', 'import-school-data.md'), 'utf8');
    expect(page).toMatch(/`=`,\s`\+`,\s`-` or `@`/);
  });
});

describe('the text of an SMS', () => {
  const database = useDatabase('sqlite');

  it.each(['\u001b', '\u0000', '\t', '\r', '\u007f', '\u0085', '\u2028', '\u202e'])(
    'is rejected at start if it contains %j',
    (character) => {
      const text = `Code${character}: {code}`;
      expect(() => loadConfig({ SMS_TEXT: text })).toThrow(/^SMS_TEXT: /);

      const file = join(database.folder, 'delivery.json');
      writeFileSync(file, JSON.stringify({ languages: { tr: { smsText: text } } }));
      expect(() => readDeliveryFile(file)).toThrow(
        /languages > entry 1 > smsText: contains control characters/,
      );
    },
  );

  it('may have several lines, and the marks of right-to-left languages', () => {
    const text = 'رمزك:\n\u2066{code}\u2069\u200f';
    expect(loadConfig({ SMS_TEXT: text }).SMS_TEXT).toBe(text);
  });
});
