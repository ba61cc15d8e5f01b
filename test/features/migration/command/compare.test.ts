import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { exchange } from '../../../../scripts/harness';
import type { HttpRequest } from '../../../../src/features/migration/messages';
import type { Findings } from '../../../../src/features/migration/report/findings';
import type { Report } from '../../../../src/features/migration/report/report';
import { writeLine } from '../../../../src/features/migration/traffic/own-lines';
import { readCases, requestOf } from '../../../conformance/recorded-case';
import { type Answer, useHttpServers } from '../comparing/http-servers';
import { type MutatingProxy, startMutatingProxy } from '../verdict/mutating-proxy';
import { type Mutation, MUTATORS } from '../verdict/mutators';
import { useServicesHere } from '../../../service/use-services-here';
import { startAsmxServer } from '../../../harness/asmx-server';
import { authority, certify } from '../../../harness/certificates';
import { Random } from '../../../harness/random';
import { type RecordedCall, recordingEndpoints } from '../../../harness/recording-endpoints';
import { type CommandEnd, type Place, runCommand } from '../../../harness/run-command';
import { useFolder } from '../../../harness/use-folder';
import { useReference } from '../../../harness/use-server';

const folder = useFolder();

const compare = (args: readonly string[], place: Partial<Place> = {}): Promise<CommandEnd> =>
  runCommand('compare', args, { folder, ...place });

/** Runs the command and returns what it reports as JSON, with its exit code. */
async function reported(args: readonly string[], place: Partial<Place> = {}) {
  const { code, out, err } = await compare([...args, '--json'], place);
  if (out === '') throw new Error(err);
  return { code, err, report: JSON.parse(out) as Report };
}

function trafficFile(requests: readonly HttpRequest[], name = 'traffic.jsonl'): string {
  writeFileSync(join(folder, name), requests.map(writeLine).join(''));
  return name;
}

const get = (target: string): HttpRequest => ({ method: 'GET', target, headers: [], body: Buffer.alloc(0) });
const post = (target: string, body: string): HttpRequest => ({
  ...{ method: 'POST', target, body: Buffer.from(body) },
  headers: [['Content-Type', 'application/x-www-form-urlencoded']],
});
const READ = get('/GetNoteType.asmx/GetStudentsNoteType');
const SEND = post('/AuthCodeSending.asmx/AuthCode', 'code=1&phone=2');

const RECORDED = readCases().map(({ name, ...recordedCase }) => {
  const { method = '', path: target, headers = [], body = '' } = requestOf({ name, ...recordedCase });
  return { name, request: { method, target, headers, body: Buffer.from(body) } };
});

/** Pairs by their level, all operations together. */
function levels({ counts }: Findings) {
  const sum = (level: 'bytes' | 'xml' | 'order' | 'different' | 'pairs') =>
    counts.reduce((total, row) => total + row[level], 0);
  return {
    pairs: sum('pairs'),
    bytes: sum('bytes'),
    xml: sum('xml'),
    order: sum('order'),
    different: sum('different'),
  };
}

describe('the reference service compared with itself', () => {
  const [one, other] = [useReference(), useReference()];
  const servers = () => ['--old', `http://${one.host}`, '--new', `http://${other.host}`];
  const all = ['--sends-to-old', '--sends-to-new'];

  it('answers the recorded requests equally', async () => {
    // Every third: recordings.test.ts compares all of them, without the command.
    const some = RECORDED.filter((_, at) => at % 3 === 0).map(({ request }) => request);
    const file = trafficFile([...some, get('/'), get('/Foreign.asmx')]);
    const { code, report } = await reported([...servers(), ...all, '--traffic', file]);
    const { failed, groups, counts } = report.findings;
    expect({ code, failed, groups }).toEqual({
      code: 0,
      failed: 0,
      groups: [expect.objectContaining({ binding: 'description', what: 'writing' })],
    });
    expect(report.notes).toContainEqual(
      expect.stringContaining('2 requests to paths that are not endpoints'),
    );
    const { pairs, bytes, xml } = levels(report.findings);
    expect({ pairs, bytes: bytes + xml }).toEqual({ pairs: some.length + 5, bytes: pairs });
    for (const binding of ['SOAP 1.1', 'SOAP 1.2', 'GET', 'POST', 'page', 'other', 'description'])
      expect(counts.some((row) => row.binding === binding)).toBe(true);
  });

  it('answers the requests of a probe equally, without those that send messages', async () => {
    const { code, err, report } = await reported([
      ...servers(),
      '--probe',
      '--path',
      '/NotificationNotes.asmx',
    ]);
    expect({ code, failed: report.findings.failed }).toEqual({ code: 0, failed: 0 });
    expect(err).toMatch(
      /^(\d+) requests to compare\.\nNot sent to either server, because they trigger messages: \d+ \(.*SendMarkNotes \d+.*\)/,
    );
    expect(Number(/^\d+/.exec(err)?.[0])).toBe(report.findings.pairs - 1);
    for (const binding of ['SOAP 1.1', 'SOAP 1.2', 'GET', 'POST'])
      expect(report.findings.counts).toContainEqual(
        expect.objectContaining({ operation: 'GetStudentSchool', binding }),
      );
    expect(report.findings.counts.some(({ operation }) => operation === 'SendMarkNotes')).toBe(false);
  });

  it('prints a template for values, and makes calls with them', async () => {
    const template = await compare(['--old', `http://${one.host}`, '--values-template']);
    expect(template).toMatchObject({ code: 0, err: '' });
    const values = JSON.parse(template.out) as Record<string, object>;
    expect(values['GetStudentSchool']).toEqual([{ school_base_url: '1', show_active: 'Y' }]);
    values['GetTokenDevice'] = [{ id: 'DEV-1' }, { id: 'DEV-2' }];
    writeFileSync(join(folder, 'values.json'), JSON.stringify(values));
    const args = [
      ...servers(),
      '--probe',
      '--path',
      '/PushNotificationMobile.asmx',
      '--values',
      'values.json',
    ];
    const { code, report } = await reported(args);
    expect({ code, failed: report.findings.failed }).toEqual({ code: 0, failed: 0 });

    writeFileSync(join(folder, 'values.json'), '{"GetTokenDevice": {"ids": "1"}}');
    expect(await compare(args)).toMatchObject({
      code: 2,
      err: 'Error: values.json: unknown parameter ids of GetTokenDevice. Expected id.\n',
    });
  });
});

describe('the reference service compared with a server that changes its answers', () => {
  const reference = useReference();
  let proxy: MutatingProxy | undefined;
  afterAll(() => proxy?.close());

  it('reports every single change at its level', async () => {
    proxy = await startMutatingProxy(Number(reference.host.split(':')[1]));
    const names = /^(ok-soap11-GetTokenDevice|shape-soap11-school-one|get-unknown-op)$/;
    const reads = RECORDED.filter(({ name }) => names.test(name)).map(({ request }) => request);
    const random = new Random(19);
    const mutators = Object.values(MUTATORS);
    const expected = { bytes: 0, xml: 0, order: 0, different: 0 };
    let asked = 0;
    let made: Mutation | undefined;
    proxy.mutate = (answer, target, body) => {
      // Neither descriptions nor calls in another letter case.
      if (!reads.some((read) => read.target === target && read.body.equals(body))) return answer;
      // Each mutator changes the first answer of its turn that it can change.
      if (asked % reads.length === 0) made = undefined;
      const mutation =
        made === undefined ? mutators[Math.floor(asked / reads.length)]?.(answer, random) : undefined;
      asked += 1;
      made ??= mutation;
      expected[mutation?.level ?? 'bytes'] += 1;
      return mutation?.answer ?? answer;
    };
    const { code, report } = await reported([
      ...['--old', `http://${reference.host}`, '--new', `http://127.0.0.1:${String(proxy.port)}`],
      ...['--concurrency', '1', '--traffic', trafficFile(mutators.flatMap(() => reads))],
    ]);
    const counts = report.findings.counts.filter(({ binding }) => binding !== 'description');
    const { pairs, ...found } = levels({ ...report.findings, counts });
    expect(found).toEqual(expected);
    expect({ code, pairs, failed: report.findings.failed }).toEqual({
      ...{ code: 1, pairs: mutators.length * reads.length, failed: expected.order + expected.different },
    });
    expect(expected.different).toBeGreaterThan(15);
    expect(expected.order).toBeGreaterThan(0);
    expect(expected.xml).toBeGreaterThan(5);
  });
});

describe('the released service compared with the reference', () => {
  const reference = useReference();
  const services = useServicesHere();

  it('differs only on purpose where no handler is involved', async () => {
    const calls: RecordedCall[] = [];
    const handlers = await startAsmxServer({ charReading: 'strict', endpoints: recordingEndpoints(calls) });
    const requests: HttpRequest[] = [];
    for (const [index, recordedCase] of readCases().entries()) {
      calls.length = 0;
      await exchange(handlers.port, requestOf(recordedCase));
      const recorded = RECORDED[index];
      if (calls.length === 0 && recorded !== undefined) requests.push(recorded.request);
    }
    await handlers.close();
    const service = await services.start();
    const args = ['--old', `http://${reference.host}`, '--new', `http://127.0.0.1:${String(service.port)}`];
    const { code, report } = await reported([
      ...[...args, '--sends-to-old', '--sends-to-new', '--traffic', trafficFile(requests)],
    ]);
    const failing = report.findings.groups.filter(
      ({ known, level }) => known === undefined && level !== 'xml',
    );
    expect(failing).toEqual([]);
    expect({ code, failed: report.findings.failed }).toEqual({ code: 0, failed: 0 });
    expect(report.findings.pairs).toBeGreaterThan(100);
  });
});

describe('the command compare', () => {
  const start = useHttpServers();
  const one: Answer = (_, response) => response.end('one');
  const silent: Answer = (request, response) => {
    if (request.target.endsWith('?WSDL')) response.end('<a/>');
  };

  it('reports a difference in every format, with exit code 1', async () => {
    const [old, ours] = [
      await start(one),
      await start((request, response) => response.end(request.target === READ.target ? 'two' : 'one')),
    ];
    const servers = ['--old', old.url, '--new', ours.url, '--traffic', trafficFile([READ])];
    const { code, out } = await compare([...servers, '--html', 'report.html']);
    expect(code).toBe(1);
    expect(out).toMatch(/^1 request to compare\.\n/);
    expect(out).toMatch(/GetStudentsNoteType, GET: body \/: different value \(1 comparison\)/);
    expect(out).toContain('as in traffic.jsonl:1');
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('GetStudentsNoteType');
    const { report } = await reported(servers);
    expect(report.findings.groups).toEqual([
      expect.objectContaining({ operation: 'GetStudentsNoteType', binding: 'GET', part: 'body', count: 1 }),
    ]);
    // Each request went to the new side once, and to the old one twice.
    const asked = (all: readonly HttpRequest[]) => all.filter(({ target }) => target === READ.target).length;
    expect([asked(old.asked), asked(ours.asked)]).toEqual([4, 2]);
  });

  it('shows its progress on a terminal, but not to programs', async () => {
    const server = await start(one);
    const args = ['--old', server.url, '--new', server.url, '--traffic', trafficFile([READ, READ])];
    const drawn = await compare(args, { isTerminal: true });
    expect(drawn.out).toContain('0 of 2 requests');
    expect(drawn.out).toContain('comparisons');
    expect((await compare(args)).out).not.toContain('of 2 requests');
    expect((await compare([...args, '--json'], { isTerminal: true })).out).toMatch(/^\{/);
  });

  it('names the descriptions that it cannot generate requests from', async () => {
    const server = await start((request, response) => {
      if (request.target.startsWith('/A')) response.writeHead(404).end();
      else if (request.target.startsWith('/B')) response.socket?.destroy();
      else response.end('<a/>');
    });
    const args = [
      '--old',
      server.url,
      '--new',
      server.url,
      '--probe',
      '--path',
      '/A.asmx',
      '--path',
      '/B.asmx',
    ];
    const { code, out, err } = await compare([...args, '/C.asmx']);
    expect({ code, err }).toEqual({ code: 2, err: 'Error: No requests to compare.\n' });
    expect(out.split('\n')).toEqual([
      "Ignored the old server's WSDL of /A.asmx: Status 404.",
      "Ignored the old server's WSDL of /B.asmx: connection closed before the end of the response",
      expect.stringMatching(/^Ignored the old server's WSDL of \/C\.asmx: .+$/),
      '',
    ]);
  });

  it('ignores differences between two answers of the old server', async () => {
    let count = 0;
    const ticking: Answer = (_, response) => {
      count += 1;
      response.setHeader('Content-Type', 'text/xml').end(`<a><b>${String(count)}</b><c>1</c></a>`);
    };
    const [old, ours] = [await start(ticking), await start(ticking)];
    const { code, report } = await reported([
      '--old',
      old.url,
      '--new',
      ours.url,
      '--traffic',
      trafficFile([READ, READ]),
    ]);
    expect(code).toBe(1); // The descriptions are none.
    expect(report.findings.groups.map(({ binding }) => binding)).toEqual(['description']);
    expect(report.notes).toContain(
      'For 2 requests, two responses of the old server differ from each other; these differences are ignored.',
    );
  });

  it('sends no request that triggers messages unless allowed, and then only once', async () => {
    const traffic = ['--traffic', trafficFile([SEND, READ, SEND, post('/AuthCodeSending.asmx', '?')])];
    const sent = (all: readonly HttpRequest[]) => all.filter(({ method }) => method === 'POST').length;
    const tried = async (...flags: readonly string[]) => {
      const [old, ours] = [await start(one), await start(one)];
      const { out } = await compare(['--old', old.url, '--new', ours.url, ...traffic, ...flags]);
      return { old: sent(old.asked), ours: sent(ours.asked), out: out.split('\n').slice(0, 3), url: old.url };
    };
    expect(await tried()).toMatchObject({
      ...{ old: 0, ours: 0 },
      out: [
        '1 request to compare.',
        'Not sent to either server, because they trigger messages: 3 (AuthCode 2, unnamed 1). See --sends-to-old and --sends-to-new.',
        expect.anything(),
      ],
    });
    const { url, ...toOld } = await tried('--sends-to-old');
    expect(toOld).toMatchObject({
      ...{ old: 3, ours: 0 },
      out: [
        '4 requests to compare.',
        `Warning: 3 (AuthCode 2, unnamed 1) of them trigger messages to people, on ${url}.`,
        expect.anything(),
      ],
    });
    expect(toOld.out[2]).toContain('3 comparisons');
    expect(await tried('--sends-to-new')).toMatchObject({ old: 0, ours: 3 });
    expect(await tried('--sends-to-old', '--sends-to-new')).toMatchObject({ old: 3, ours: 3 });
    expect(await tried('--sends-to-old', '--sends-to-new', '--count', '2')).toMatchObject({
      old: 1,
      ours: 1,
    });
  });

  it('fails if a server is not responding, or if there is nothing to compare', async () => {
    const [there, gone] = [await start(one), await start(one)];
    await gone.close();
    const traffic = ['--traffic', trafficFile([READ])];
    expect(await compare(['--old', gone.url, '--new', there.url, ...traffic])).toMatchObject({
      ...{ code: 2, out: '' },
      err: `Error: No response from the old server at ${gone.url}: ECONNREFUSED.\n`,
    });
    expect(await compare(['--old', there.url, '--new', gone.url, ...traffic])).toMatchObject({
      ...{ code: 2, out: '' },
      err: `Error: No response from the new server at ${gone.url}: ECONNREFUSED.\n`,
    });
    expect(there.asked.every(({ target }) => target.endsWith('?WSDL'))).toBe(true);
    writeFileSync(join(folder, 'bad.jsonl'), '{"method":"GET"}\n{}\n');
    expect(await compare(['--old', there.url, '--new', there.url, '--traffic', 'bad.jsonl'])).toMatchObject({
      code: 2,
      out: expect.stringMatching(
        /^bad\.jsonl:1: not a JSON object.*\nbad\.jsonl:2: .*\nSkipped 2 traffic entries: not a/,
      ) as unknown,
      err: 'Error: No requests to compare.\n',
    });
  });

  it('reports slow, endless and broken answers as differences', async () => {
    const endless: Answer = (request, response) => {
      if (request.target.endsWith('?WSDL')) response.end('<a/>');
      else {
        const go = (): void => {
          while (response.write('a'.repeat(10_000)));
        };
        response.on('drain', go);
        go();
      }
    };
    const broken: Answer = (request, response, message) => {
      if (request.target.endsWith('?WSDL')) response.end('<a/>');
      else message.socket.destroy();
    };
    const ends = { silent: [silent, '0.3'], endless: [endless, '60'], broken: [broken, '60'] } as const;
    const old = await start(one);
    const reasons: Record<string, unknown> = {};
    for (const [name, [answer, timeout]] of Object.entries(ends)) {
      const ours = await start(answer);
      const { code, report } = await reported([
        ...['--old', old.url, '--new', ours.url, '--traffic', trafficFile([READ])],
        ...['--timeout', timeout, '--answer-megabytes', '0.1'],
      ]);
      expect(code).toBe(1);
      reasons[name] = report.findings.groups.find(({ part }) => part === 'connection')?.ours;
    }
    expect(reasons).toEqual({
      silent: 'no complete response within 0.3 s',
      endless: 'response too long',
      broken: 'connection closed before the end of the response',
    });
  });

  it.each([
    ['0.001', 1049, undefined],
    ['0.001', 1050, 'response too long'],
    ['0.1', 104_858, undefined],
    ['0.1', 104_859, 'response too long'],
  ])('reads answers of up to %s MB: %i bytes', async (megabytes, bytes, problem) => {
    const long: Answer = (request, response) => {
      response.end(request.target.endsWith('?WSDL') ? '<a/>' : 'a'.repeat(bytes));
    };
    const [old, ours] = [await start(one), await start(long)];
    const { report } = await reported([
      ...['--old', old.url, '--new', ours.url, '--traffic', trafficFile([READ])],
      ...['--answer-megabytes', megabytes],
    ]);
    expect(report.findings.groups.find(({ part }) => part === 'connection')?.ours).toBe(problem);
  });

  it.each(['SIGINT', 'SIGTERM'])(
    'writes a report of the finished comparisons when %s ends it',
    async (name) => {
      const signals = new EventEmitter();
      const old = await start((request, response, message) => {
        if (request.target.endsWith('?3')) signals.emit(name);
        else one(request, response, message);
      });
      const ours = await start(one);
      const targets = [1, 2, 3, 4, 5].map((number) => get(`${READ.target}?${String(number)}`));
      const args = [
        '--old',
        old.url,
        '--new',
        ours.url,
        '--traffic',
        trafficFile(targets),
        '--concurrency',
        '1',
      ];
      const { code, report } = await reported([...args, '--html', 'ended.html'], { signals });
      expect(report.notes).toEqual(['Stopped before all requests were sent.']);
      expect(report.findings.counts).toContainEqual(
        expect.objectContaining({ binding: 'GET', pairs: 2, bytes: 2 }),
      );
      expect(code).toBe(2);
      expect(readFileSync(join(folder, 'ended.html'), 'utf8')).toContain(
        'Stopped before all requests were sent.',
      );
      expect(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM')).toBe(0);
    },
  );

  it('ends after --time', async () => {
    const old = await start(silent);
    const ours = await start(silent);
    const args = ['--old', old.url, '--new', ours.url, '--traffic', trafficFile([READ, READ])];
    const { report } = await reported([...args, '--time', '0.2']);
    expect(report.notes).toEqual(['Stopped by --time before all requests were sent.']);
  });

  it('sends each server its own headers, and follows no redirect', async () => {
    const answer: Answer = (_, response) =>
      response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    const [old, ours] = [await start(answer), await start(answer)];
    const secret = 'a-secret-of-the-test';
    const recorded = {
      ...{ Host: 'recorded', Authorization: 'Basic recorded', Cookie: 'recorded=1', 'X-Kept': 'kept' },
      ...{ 'Accept-Encoding': 'gzip', Connection: 'x-hop', 'X-Hop': '1', 'X-Forwarded-For': '10.0.0.1' },
    };
    const request: HttpRequest = { ...READ, headers: Object.entries(recorded) };
    const end = await reported(
      [
        ...['--old', old.url, '--new', `${ours.url}/below/`, '--traffic', trafficFile([request])],
        ...['--new-header', 'X-Kept: mine', '--new-header', `Authorization: Bearer ${secret}`],
      ],
      { settings: { COMPARE_OLD_HEADERS: `X-Key: ${secret}\r\nCookie: a=b\n` } },
    );
    const headersOf = (server: typeof old) =>
      server.asked
        .filter(({ target }) => target.endsWith(READ.target))
        .at(-1)
        ?.headers.map(([name, value]) => `${name}: ${value}`)
        .sort();
    expect(headersOf(old)).toEqual(
      [
        `Host: ${new URL(old.url).host}`,
        'X-Kept: kept',
        `X-Key: ${secret}`,
        'Cookie: a=b',
        'connection: keep-alive',
      ]
        .sort()
        .map((line) => line.replace(/^Host/, 'host'))
        .sort(),
    );
    expect(headersOf(ours)).toEqual(
      [
        `host: ${new URL(ours.url).host}`,
        'X-Kept: mine',
        `Authorization: Bearer ${secret}`,
        'connection: keep-alive',
      ].sort(),
    );
    expect(ours.asked.map(({ target }) => target)).toEqual([
      '/below/GetNoteType.asmx?WSDL',
      `/below${READ.target}`,
    ]);
    expect(JSON.stringify(end)).not.toContain(secret);
    expect(end.report.findings.counts).toContainEqual(expect.objectContaining({ binding: 'GET', bytes: 1 }));
  });

  it('prefixes targets with the path of each URL, but the old one’s only once', async () => {
    const [old, ours] = [await start(one), await start(one)];
    const file = trafficFile([READ, get(`/App${READ.target}`)]);
    await compare(['--old', `${old.url}/app/`, '--new', `${ours.url}/a/b`, '--traffic', file]);
    const targets = ({ asked }: typeof old) => [...new Set(asked.map(({ target }) => target))].sort();
    expect(targets(old)).toEqual(['/app/GetNoteType.asmx/GetStudentsNoteType', '/app/GetNoteType.asmx?WSDL']);
    expect(targets(ours)).toEqual([
      '/a/b/GetNoteType.asmx/GetStudentsNoteType',
      '/a/b/GetNoteType.asmx?WSDL',
    ]);
  });

  it('compares headers as requested', async () => {
    const answer =
      (more: string): Answer =>
      (_, response) =>
        response.writeHead(200, { 'Cache-Control': more, 'X-More': more }).end('<a/>');
    const [old, ours] = [await start(answer('no-cache')), await start(answer('private'))];
    const places = async (...more: readonly string[]) => {
      const args = ['--old', old.url, '--new', ours.url, '--traffic', trafficFile([READ]), ...more];
      const { groups } = (await reported(args)).report.findings;
      return groups.filter(({ binding }) => binding === 'GET').map(({ place }) => place);
    };
    expect(await places()).toEqual(['cache-control']);
    expect(await places('--ignore-header', 'Cache-Control')).toEqual([]);
    expect(await places('--compare-header', 'X-More', '--ignore-header', 'cache-control')).toEqual([
      'x-more',
    ]);
  });

  it('accepts TLS servers with a certificate from an authority in --ca', async () => {
    const issuer = authority('compare');
    writeFileSync(join(folder, 'ca.pem'), issuer.certificate);
    const old = await start(one, certify({ name: 'localhost', issuer }));
    const args = ['--old', old.url, '--new', old.url, '--traffic', trafficFile([READ])];
    expect((await compare(args)).err).toMatch(
      /No response from the (?:old|new) server at \S+: \w*(CERT|SIGN|ISSUER)\w*\.\n$/,
    );
    const { report } = await reported([...args, '--ca', 'ca.pem']);
    expect(report.findings.counts).toContainEqual(expect.objectContaining({ binding: 'GET', bytes: 1 }));
  });

  it.each([
    [[], '--old is required'],
    [['--old', 'ftp://a', '--new', 'http://a'], 'Expected a URL, for example'],
    [['--old', 'http://a:b@a/', '--new', 'http://a'], 'Credentials are not allowed'],
    [['--old', 'http://a', '--probe'], '--new is required'],
    [['--old', 'http://a', '--new', 'http://b'], 'Pass recorded requests with --traffic'],
    [
      ['--old', 'http://a', '--new', 'http://b', '--traffic', 'none.jsonl'],
      'Cannot read none.jsonl (ENOENT).',
    ],
    [['--old', 'http://a', '--new', 'http://b', '--concurrency', '0'], 'Expected a whole number above 0.'],
    [['--old', 'http://a', '--new', 'http://b', '--rate', 'x'], 'Expected a number above 0.'],
    [['--old', 'http://a', '--new', 'http://b', '--old-header', 'x'], 'Expected "Name: value"'],
  ])('refuses %j', async (args, message) => {
    expect(await compare(args)).toMatchObject({ code: 2, err: expect.stringContaining(message) as unknown });
  });

  it('refuses invalid options before it contacts a server', async () => {
    const server = await start(one);
    const args = ['--old', server.url, '--new', server.url, '--traffic', trafficFile([READ])];
    const wrong = { settings: { COMPARE_NEW_HEADERS: 'X-Key secret' } };
    expect(await compare(args, wrong)).toMatchObject({
      code: 2,
      err: 'Error: COMPARE_NEW_HEADERS has a line that is not a header. Expected "Name: value".\n',
    });
    expect(await compare([...args, '--ca', 'none.pem'])).toMatchObject({
      code: 2,
      err: 'Error: Cannot read none.pem (ENOENT).\n',
    });
    expect(server.asked).toEqual([]);
    expect(await compare([...args, '--html', 'none/report.html'])).toMatchObject({
      code: 2,
      err: 'Error: Cannot write the report none/report.html (ENOENT).\n',
    });
  });

  it('explains its exit codes', async () => {
    expect(await compare(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('\n\nExit code: 0 if all responses are equal') as unknown,
    });
  });
});
