import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { endServer, get, listen, type LogLine, type ServiceProcess, token11 } from '../../scripts/harness';
import { beginRequest } from './begin-request';
import { databaseIn, storedStats } from './stored-messages';
import { useServices } from './use-services';

const TOKEN_COUNT =
  /^service_requests_total\{operation="GetTokenDevice",binding="soap11",outcome="ok"\} (\d+)$/m;

const TEN_MINUTES_LIMIT = 5;
/** Number of SMS that all tests together send. */
const SMS = TEN_MINUTES_LIMIT + 2;

async function metric(service: ServiceProcess, pattern: RegExp): Promise<number> {
  const { text } = await service.askAdmin({ path: '/metrics' });
  return Number(pattern.exec(text)?.[1]);
}

/** Asks over connections of their own, which the processes take in turns. */
function askForTokens(service: ServiceProcess, count: number) {
  return Promise.all(Array.from({ length: count }, () => service.ask(token11('DEV-1'))));
}

/** Waits until this number of processes have answered, and returns them in that order. */
function answering(service: ServiceProcess, count: number): Promise<readonly number[]> {
  return service.lines(
    (lines) => {
      const pids = new Set(lines.filter(({ msg }) => msg === 'request').map(({ pid }) => Number(pid)));
      return pids.size < count ? undefined : [...pids];
    },
    `before ${String(count)} processes had answered`,
  );
}

describe('the service with PROCESSES=2', () => {
  const services = useServices();
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await services.start({ settings: { PROCESSES: '2' } });
  });

  it('answers on one port from both, and adds up their counts', async () => {
    const answers = await askForTokens(service, 8);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    await answering(service, 2);
    expect(await metric(service, TOKEN_COUNT)).toBe(8);
    expect(await metric(service, /^service_processes (\d+)$/m)).toBe(3);
  });

  it('prepares the database and reports what it found once', () => {
    expect(service.output.match(/loaded the sample school into the new database/g)).toHaveLength(1);
    expect(service.output.match(/SMS are not sent \(SMS_CHANNEL=file\)/g)).toHaveLength(1);
  });

  it('delivers from a separate process', async () => {
    await service.ask(get('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233'));
    const { pid } = await service.line('message', { channel: 'sms', state: 'written' });
    expect(await answering(service, 2)).not.toContain(pid);
    expect(statSync(join(services.folder, 'data', 'outbox', 'sms.jsonl')).mode & 0o077).toBe(0);
  });

  it('together accept no more codes for a phone than one process would', async () => {
    const phone = '5551112255';
    const codes = Array.from({ length: 16 }, (_, at) => `code=${String(1000 + at)}&phone=${phone}`);
    const answers = await Promise.all(
      codes.map((query) => service.ask(get('AuthCodeSending', 'AuthCode', query))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(TEN_MINUTES_LIMIT);
    const refused = answers.filter(({ text }) => text.includes('Too many codes for this phone.'));
    expect(refused).toHaveLength(16 - TEN_MINUTES_LIMIT);
    const of = (line: LogLine) => line['operation'] === 'AuthCode';
    await service.lines(
      (lines) => (new Set(lines.filter(of).map(({ pid }) => pid)).size < 2 ? undefined : true),
      'before both had answered some',
    );
  });

  it('shows all processes and their work in one console', async () => {
    const { text } = await service.askAdmin({ path: '/' });
    expect(text).toContain('<th scope="row">Processes</th><td>3</td>');
    expect(text).toContain(
      '<th scope="row">SMS provider</th><td><span class="warn">file only: nothing is sent</span></td>',
    );
    const messages = await service.askAdmin({ path: '/messages?channel=sms&state=written' });
    expect(messages.text).toMatch(/<td[^>]*>\.\.\.33<\/td>/);
  });

  it('keeps running processes that receive a SIGHUP meant for the primary', async () => {
    const web = await answering(service, 2);
    const { pid: delivery } = await service.line('message', { channel: 'sms', state: 'written' });
    // Taken on by both of them.
    const begun = await Promise.all(Array.from({ length: 8 }, () => beginRequest(service)));
    for (const pid of [...web, Number(delivery)]) process.kill(pid, 'SIGHUP');
    for (const { connection, rest } of begun) connection.write(rest);
    const answers = await Promise.all(begun.map(({ connection }) => connection.readFinal()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    // All of them read their files again, and answer that they did.
    expect(await service.reload()).toMatchObject({ wrong: [] });
    expect(service.output).not.toContain('a process died');
  });

  it('replaces a killed process, answers meanwhile, and keeps its counts', async () => {
    const before = await metric(service, TOKEN_COUNT);
    const [victim = 0, survivor] = await answering(service, 2);
    process.kill(victim, 'SIGKILL');
    await service.line('a process died', { process: victim, signal: 'SIGKILL' });
    expect((await service.ask(token11('DEV-1'))).status).toBe(200);
    await service.line('replaced the process that died', { kind: 'web' });
    await askForTokens(service, 8);

    const [, , replacement] = await answering(service, 3);
    expect([victim, survivor]).not.toContain(replacement);
    expect(await metric(service, TOKEN_COUNT)).toBe(before + 9);
    expect(await metric(service, /^service_processes_replaced_total (\d+)$/m)).toBe(1);
  });

  it('counts a hanging process with its last report, and the others as usual', async () => {
    const total = await metric(service, TOKEN_COUNT);
    const [hanging = 0] = (await answering(service, 3)).slice(1);
    process.kill(hanging, 'SIGSTOP');
    try {
      expect(await metric(service, TOKEN_COUNT)).toBe(total);
      expect(await metric(service, /^service_processes (\d+)$/m)).toBe(3);
    } finally {
      process.kill(hanging, 'SIGCONT');
    }
    await askForTokens(service, 2);
    // What it was asked while it hung, it may answer only now: once more it counts with what it said before.
    let counted = await metric(service, TOKEN_COUNT);
    while (counted < total + 2) counted = await metric(service, TOKEN_COUNT);
    expect(counted).toBe(total + 2);
  });

  it('61 Answers the 16 requests in flight at SIGINT, then stops cleanly', async () => {
    // The process that took the first one on may have been killed above, with what it had counted in that minute.
    await service.ask(get('AuthCodeSending', 'AuthCode', 'code=2&phone=5551112244'));
    await service.lines(
      (lines) =>
        lines.filter(({ channel, state }) => channel === 'sms' && state === 'written').length === SMS ||
        undefined,
      'before the last code was sent',
    );
    const begun = await Promise.all(Array.from({ length: 16 }, () => beginRequest(service)));
    service.signal('SIGINT');
    await service.line('stopping after the running requests');
    for (const { connection, rest } of begun) connection.write(rest);
    const answers = await Promise.all(begun.map(({ connection }) => connection.readFinal()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));

    expect(await service.ended()).toEqual({ code: 0, signal: null });
    await service.line('all processes stopped');
    expect(service.output.match(/"msg":"stopped"/g)).toHaveLength(3);

    // Each process kept what it had counted.
    const kept = await storedStats(databaseIn(join(services.folder, 'data')));
    const codes = { operation: 'AuthCode', binding: 'get', outcome: 'ok' };
    expect(kept.flatMap(({ requests }) => requests)).toContainEqual(expect.objectContaining(codes));
    const settled = kept.flatMap((points) => points.settled);
    expect(settled.map(({ channel, state }) => [channel, state])).toEqual(
      settled.map(() => ['sms', 'written']),
    );
    expect(settled.reduce((sum, { messages }) => sum + messages, 0)).toBe(SMS);
  });
});

describe('62 A service that cannot start', () => {
  const services = useServices();

  it('reports the reason once, in one line, and ends with exit code 1 without listening', async () => {
    const taken = createServer();
    const port = await listen(taken);
    const service = services.spawn({ settings: { PROCESSES: '2', PORT: String(port) } });
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    await endServer(taken);
    expect(service.output).not.toContain('listening');
    expect(service.errors).toMatch(
      /^Error: the service did not start. Cannot listen on port \d+ \(PORT\): .*\n$/,
    );
  });
});
