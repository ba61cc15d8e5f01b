import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import type { HttpAnswer, HttpRequest } from '../../../../src/features/migration/messages';
import { readFindings, ShadowReport } from '../../../../src/features/migration/reverse-proxy/shadow-report';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { useFolder } from '../../../harness/use-folder';

const folder = useFolder();

function report(name: string) {
  const lines: string[] = [];
  const registry = new Registry();
  const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
  const path = join(folder, name);
  const made = new ShadowReport({ logger, registry, folder: path, address: 'http://old.example' });
  return { report: made, lines, registry, path };
}

const CALL = { operation: 'GetTokenDevice', binding: 'soap11', mode: 'shadow' } as const;
const REQUEST: HttpRequest = {
  method: 'GET',
  target: '/PushNotificationMobile.asmx/GetTokenDevice?id=Ayse-1',
  headers: [['Authorization', 'Basic c2VjcmV0']],
  body: Buffer.alloc(0),
};
const answer = (token: string): HttpAnswer => ({
  status: 200,
  headers: [['Content-Type', 'text/xml; charset=utf-8']],
  body: Buffer.from(`<string xmlns="http://tempuri.org/">${token}</string>`),
});
const DIFFERENT = compareAnswers(answer('Fatma'), answer('Zeynep-7'));
const EQUAL = compareAnswers(answer('Fatma'), answer('Fatma'));

it('counts by operation, binding and verdict', async () => {
  const { report: made, registry } = report('counts');
  made.compared(CALL, REQUEST, EQUAL);
  made.compared(CALL, REQUEST, DIFFERENT);
  made.notCompared({ ...CALL, binding: 'get' }, 'dropped');
  made.close();
  const text = await registry.metrics();
  expect(text.match(/^service_compared_requests_total\{.*$/gm)).toEqual([
    'service_compared_requests_total{operation="GetTokenDevice",binding="soap11",verdict="bytes"} 1',
    'service_compared_requests_total{operation="GetTokenDevice",binding="soap11",verdict="different"} 1',
    'service_compared_requests_total{operation="GetTokenDevice",binding="get",verdict="dropped"} 1',
  ]);
});

it('logs a masked line for a difference, and does not repeat it at once', () => {
  const { report: made, lines } = report('lines');
  for (let turn = 0; turn < 3; turn += 1) made.compared(CALL, REQUEST, DIFFERENT);
  made.compared({ ...CALL, binding: 'get' }, REQUEST, DIFFERENT);
  made.compared(CALL, REQUEST, EQUAL);
  made.close();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      operation: 'GetTokenDevice',
      binding: 'soap11',
      part: 'body',
      place: '/string',
      what: 'changed',
      old: 'Xxxxx',
      times: 1,
    },
    { binding: 'get' },
  ]);
  expect(lines.join('')).not.toMatch(/Fatma|Zeynep|Ayse|c2VjcmV0/);
});

it('forgets when it logged a difference once a thousand others were logged since', () => {
  const { report: made, lines } = report('forgotten');
  const compare = (operation: string) => {
    made.compared({ ...CALL, operation }, REQUEST, DIFFERENT);
  };
  for (let at = 0; at <= 1_000; at += 1) compare(`operation ${String(at)}`);
  lines.length = 0;
  compare('operation 1');
  expect(lines).toEqual([]);
  compare('operation 0');
  expect(lines).toHaveLength(1);
  made.close();
});

it('stores its findings with the data, readable only by the owner and without personal data, and adds them up', () => {
  const first = report('kept');
  first.report.compared(CALL, REQUEST, DIFFERENT);
  first.report.compared(CALL, REQUEST, EQUAL);
  first.report.close();
  // Another process of the same folder.
  writeFileSync(
    join(first.path, '9999-1.json'),
    JSON.stringify({ from: '9999', to: '9999', findings: readFindings(first.path)?.findings }),
  );
  const found = readFindings(first.path);
  expect(found?.findings).toMatchObject({
    pairs: 4,
    failed: 2,
    counts: [{ operation: 'GetTokenDevice', binding: 'SOAP 1.1', pairs: 4, bytes: 2, different: 2 }],
    groups: [
      {
        place: '/string',
        count: 2,
        example: { curl: expect.stringContaining('http://old.example') as string },
      },
    ],
  });
  expect(found?.to).toBe('9999');
  expect(JSON.stringify(found)).not.toMatch(/Fatma|Zeynep|Ayse|c2VjcmV0/);
  const [name = ''] = readdirSync(first.path);
  expect(statSync(join(first.path, name)).mode & 0o777).toBe(0o600);
});

it('lists the most frequent findings first, whichever process found them', () => {
  const { report: made, path } = report('order');
  made.compared(CALL, REQUEST, DIFFERENT);
  made.close();
  const often = report('often');
  for (let turn = 0; turn < 3; turn += 1)
    often.report.compared({ ...CALL, binding: 'get' }, REQUEST, DIFFERENT);
  often.report.close();
  // Another process of the same folder.
  const [name = ''] = readdirSync(often.path);
  writeFileSync(join(path, '9999-1.json'), readFileSync(join(often.path, name)));
  const { groups = [], counts = [] } = readFindings(path)?.findings ?? {};
  expect(groups.map(({ binding, count }) => [binding, count])).toEqual([
    ['GET', 3],
    ['SOAP 1.1', 1],
  ]);
  expect(counts.map(({ binding }) => binding)).toEqual(['GET', 'SOAP 1.1']);
});

it('keeps the findings of a limited number of processes, and removes the oldest', () => {
  const { report: made, path } = report('many');
  mkdirSync(path);
  for (let file = 0; file < 70; file += 1) writeFileSync(join(path, `0${String(100 + file)}.json`), '{}');
  made.compared(CALL, REQUEST, EQUAL);
  made.close();
  const names = readdirSync(path).sort();
  expect([names.length, names[0]]).toEqual([64, '0107.json']);
});

it('has no findings if nothing was compared', () => {
  expect(readFindings(join(folder, 'none'))).toBeUndefined();
});

it('reports why it cannot write, and goes on', () => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  const { report: made, lines } = report('file');
  made.compared(CALL, REQUEST, EQUAL);
  made.close();
  expect(lines.join('')).toContain('cannot write the comparisons');
});
