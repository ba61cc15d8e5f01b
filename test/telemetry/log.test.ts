import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Exchange } from '../../src/asmx';
import { openLog, RequestLog } from '../../src/telemetry';

const exchange: Exchange = {
  requestId: 'r-1',
  method: 'POST',
  endpoint: 'PushNotificationMobile',
  operation: 'GetTokenDevice',
  binding: 'soap11',
  caller: undefined,
  refusal: undefined,
  reason: undefined,
  status: 200,
  outcome: 'ok',
  durationMs: 1.23456,
  fields: { found: true },
  error: undefined,
};

const utcTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('the log', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'log-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  let files = 0;
  /** Runs a program of log calls against a fresh log and returns the lines it wrote. */
  async function written(
    level: string,
    use: (log: ReturnType<typeof openLog>) => unknown,
  ): Promise<unknown[]> {
    const file = join(directory, `${String((files += 1))}.log`);
    await use(openLog(level, openSync(file, 'a')));
    const text = await readFile(file, 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  }

  it('contains one JSON object per line, with its level as a word and its time in UTC', async () => {
    const [line] = await written('info', async (log) => {
      log.logger.info({ port: 1 }, 'listening');
      await log.flush();
    });
    expect(line).toEqual({
      level: 'info',
      time: utcTime,
      pid: process.pid,
      port: 1,
      msg: 'listening',
    });
  });

  it('omits lines below its level', async () => {
    const lines = await written('warn', async (log) => {
      log.logger.info('a');
      log.logger.warn('b');
      await log.flush();
    });
    expect(lines).toEqual([expect.objectContaining({ msg: 'b' })]);
  });

  it('can be flushed at the very end of a process, when nothing asynchronous runs', async () => {
    const lines = await written('info', (log) => {
      for (let i = 0; i < 200; i += 1) log.logger.info({ i }, 'last words');
      log.flushNow();
    });
    expect(lines).toHaveLength(200);
  });

  it('shows for a request what it was, how it ended and how long it took', async () => {
    const [line] = await written('info', async (log) => {
      new RequestLog(log).write(exchange, { agent: 'java', address: undefined }, undefined);
      await log.flush();
    });
    expect(line).toEqual({
      level: 'info',
      time: utcTime,
      pid: process.pid,
      found: true,
      requestId: 'r-1',
      method: 'POST',
      endpoint: 'PushNotificationMobile',
      operation: 'GetTokenDevice',
      binding: 'soap11',
      agent: 'java',
      status: 200,
      outcome: 'ok',
      durationMs: 1.235,
      msg: 'request',
    });
  });

  it.each([
    ['method', { method: 'GET' }],
    ['endpoint', { endpoint: 'AuthCodeSending' }],
    ['binding', { binding: 'soap12' as const }],
    ['agent', {}],
  ])('shows the %s of each request, also if the last one differed in nothing else', async (name, more) => {
    const lines = await written('info', async (log) => {
      const requests = new RequestLog(log);
      requests.write(exchange, { agent: 'java', address: undefined }, undefined);
      requests.write(
        { ...exchange, ...more },
        { agent: name === 'agent' ? 'php' : 'java', address: undefined },
        undefined,
      );
      await log.flush();
    });
    expect(lines[1]).toMatchObject(name === 'agent' ? { agent: 'php' } : more);
  });

  it('shows the trace of a request', async () => {
    const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    const lines = await written('info', async (log) => {
      const requests = new RequestLog(log);
      const client = { agent: 'java', address: undefined };
      requests.write({ ...exchange, trace }, client, undefined);
      requests.write({ ...exchange, trace, outcome: 'server_error' }, client, new Error('x'));
      await log.flush();
    });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    expect(lines).toMatchObject([{ traceId }, { traceId }]);
  });

  it('shows the caller, its address and the reason for a refusal, if known', async () => {
    const lines = await written('info', async (log) => {
      const requests = new RequestLog(log);
      const client = { agent: 'dotnet', address: '10.1.2.0/24' };
      requests.write(
        { ...exchange, caller: 'portal', refusal: 'school', reason: 'No "x".' },
        client,
        undefined,
      );
      requests.write({ ...exchange, caller: 'portal', outcome: 'server_error' }, client, new Error('x'));
      await log.flush();
    });
    expect(lines[0]).toMatchObject({
      caller: 'portal',
      client: '10.1.2.0/24',
      agent: 'dotnet',
      refusal: 'school',
      reason: 'No "x".',
    });
    expect(lines[1]).toMatchObject({ caller: 'portal', client: '10.1.2.0/24', agent: 'dotnet' });
  });

  it('shows the cause of a failure, without the properties that drivers add to errors', async () => {
    const cause = Object.assign(new Error('connection refused'), {
      code: 'ECONNREFUSED',
      detail: 'Key (id)=(secret)',
    });
    const [line] = await written('info', async (log) => {
      const failed: Exchange = { ...exchange, status: 500, outcome: 'server_error' };
      new RequestLog(log).write(
        failed,
        { agent: 'java', address: undefined },
        new Error('query failed', { cause }),
      );
      await log.flush();
    });
    expect(line).toMatchObject({
      level: 'error',
      err: {
        type: 'Error',
        message: 'query failed',
        cause: { message: 'connection refused', code: 'ECONNREFUSED' },
      },
    });
    expect(JSON.stringify(line)).not.toContain('secret');
  });

  it.each([['a string'], [null], [undefined], [42], [{ toString: null }]])(
    'survives a thrown %p',
    async (thrown) => {
      const lines = await written('info', async (log) => {
        log.logger.error({ err: thrown }, 'odd');
        await log.flush();
      });
      expect(lines).toEqual([expect.objectContaining({ msg: 'odd' })]);
    },
  );

  it('ends a circular chain of causes', async () => {
    const error = new Error('round');
    error.cause = error;
    const lines = await written('info', async (log) => {
      log.logger.error({ err: error }, 'circle');
      await log.flush();
    });
    expect(lines).toHaveLength(1);
  });

  it('continues when its disk is full', async () => {
    const log = openLog('info', openSync('/dev/full', 'a'));
    log.logger.info('nowhere to go');
    log.logger.info('x'.repeat(10_000));
    await new Promise(setImmediate);
    expect(() => {
      log.logger.info('still here');
    }).not.toThrow();
    await log.flush();
  });
});
